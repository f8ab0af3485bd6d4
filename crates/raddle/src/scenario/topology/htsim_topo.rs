//! `kind = "htsim_topo"`: a tree, from a file of htsim.

use super::kind::{Kind, Made};
use super::{COMMON, pair_path};
use crate::import::htsim_topo;
use crate::scenario::files::Files;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use raddle_sim::topology::planes::TreeOfPorts;
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: HtsimTopoKeys = Section::kind("htsim_topo", "a tree, from a file of htsim").with(COMMON) => {
        file: Path, (required "fat_tree.topo"),
            "a `.topo` file of htsim, relative to the scenario";
    }
}

pub(super) const KIND: Kind = Kind { section: HtsimTopoKeys::SECTION, read };

fn read(reader: &mut Reader<'_>, files: &Files) -> Option<Made> {
    let file = files.file(reader, &KEYS.file)?;
    let log = reader.log();
    let report = |errors| file.report(errors, log);
    let described = htsim_topo::parse(&file.text).map_err(report).ok()?;
    let tree = described.shape().map_err(report).ok()?;
    file.note(&described.notes(&tree), log);
    if described.tier.iter().any(|tier| tier.queue_up.is_some() || tier.queue_down.is_some()) {
        let name = file.path.display();
        log.note(format!("{name}: its queue sizes are not used; [fabric] queue.size is"));
    }
    Some(Made {
        lines: vec![pair_path("file", &file)],
        title: format!("{}-tier fat tree", tree.tiers),
        rate: Some(tree.rates[0]),
        file: Some(file),
        shape: Arc::new(TreeOfPorts::single(tree)),
    })
}
