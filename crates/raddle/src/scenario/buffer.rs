//! `[fabric] buffer`: the memory that the ports of a switch share.

use super::files::Files;
use super::key::{Section, absent, keys};
use super::keyed::Reader;
use super::reader::{Log, read, refused, with_nearest};
use super::scheme::{self, Chosen, Needy, show, shown};
use super::spec::{Item, Place, Value};
use raddle_schemes::buffer;
use raddle_schemes::family::{ParameterError, Raw};
use raddle_schemes::size::Size;
use raddle_sim::plan::{BufferPlan, Per};
use std::sync::Arc;

/// The oracles that come with the program: what `oracle_file` calls them, and their words. The file of
/// each says which command made it.
const ORACLES: [(&str, &str); 2] = [
    ("websearch_dctcp", include_str!("../../figures/credence/oracle/oracle.txt")),
    ("websearch_dctcp_each", include_str!("../../figures/credence/oracle/each.txt")),
];

keys! {
    /// `[fabric] buffer`, beside the scheme's own.
    BUFFER: BufferKeys = Section::new("buffer", "### buffer", "memory that the ports of a switch share")
        .beside("fabric.buffer", absent!(required "..")) => {
        size: Size, (required "4 MiB"),
            "memory of a switch, at least a packet; bytes, packets, or `bdp`: those of its ports together. A note says where the queues' own sizes leave nothing to refuse";
        per: Word(Per::WORDS), (= "switch"),
            "who has such a memory: `switch`; or `uplink`, of circuits, one for each uplink of a ToR and the queues that it drains, and one for each port to a host, with policies that do not see the whole switch. `bdp` is then an uplink's";
        oracle_file: Either(&[Word(&[ORACLES[0].0, ORACLES[1].0]), Path]), (or "none"),
            "in place of the `oracle` of `credence`, a file that has it in its words: `raddle train` writes it; lines that begin with `#` are comments. `websearch_dctcp`, without a dot or a slash, is the one of `figures/credence/oracle`, and `websearch_dctcp_each` has one for each switch of the fabric there, two leaves and four spines";
    }
}

/// The memory's settings.
pub(crate) struct BufferSection {
    pub(crate) plan: BufferPlan,
    /// As it was typed.
    pub(super) policy: Chosen<buffer::Config>,
    /// Of the size.
    pub(crate) place: Place,
}

/// Reads the table.
pub(crate) fn buffer(mut reader: Reader<'_>, files: &Files) -> Option<BufferSection> {
    let item = reader.demand(&BUFFER.size);
    let size = item.and_then(|item| {
        let size = read("size", item).map_err(|problem| reader.log().add(problem)).ok()?;
        let label = match size {
            Size::Percent(_) | Size::Unlimited => "expected bytes, packets or bdp",
            _ => return Some(size),
        };
        reader.log().add(item.place.problem("wrong value for `size`").label(label));
        None
    });
    let per = reader.or(&BUFFER.per);
    let oracle = reader.take(&BUFFER.oracle_file);
    let typed = reader.rest().any(|(key, ..)| key == "oracle");
    let log = reader.log();
    let mut policy = scheme::read_scheme::<buffer::Config>(reader)?;
    if let Some(item) = oracle {
        read_oracle(item, typed, &mut policy.config, files, log)?;
    }
    let plan = BufferPlan { size: size?, policy: policy.config.clone(), per };
    Some(BufferSection { plan, policy, place: item?.place.clone() })
}

/// Gives a policy the oracle that a file has in words, as `oracle` would.
fn read_oracle(
    item: &Item,
    typed: bool,
    policy: &mut buffer::Config,
    files: &Files,
    log: &Log,
) -> Option<()> {
    let Value::Text(name) = &item.value else {
        let problem = item.place.problem("wrong value for `oracle_file`");
        log.add(problem.label("expected a path, quoted"));
        return None;
    };
    if typed {
        let problem = item.place.problem("`oracle_file` stands beside `oracle`");
        log.add(problem.label("expected one of the two"));
        return None;
    }
    let text: Arc<str> = if name.contains(['.', '/']) {
        files.named(item, name, log)?.text
    } else if let Some((_, text)) = ORACLES.iter().find(|(word, _)| word == name) {
        Arc::from(*text)
    } else {
        let problem = item.place.problem(format!("unknown oracle `{name}`"));
        let words = ORACLES.iter().map(|&(word, _)| word);
        let help = format!("oracles: {}", words.clone().collect::<Vec<_>>().join(", "));
        let file = "or the path of a file that `raddle train` wrote, as in \"oracle.txt\"";
        log.add(with_nearest(problem, name, words).help(help).help(file));
        return None;
    };
    match policy.set("oracle", Raw::Text(&text)) {
        Ok(()) => return Some(()),
        Err(ParameterError::Unknown) => {
            let message = format!("`{}` has no parameter `oracle`", policy.card().name);
            log.add(item.place.problem(message).label("leave it out"));
        }
        Err(error) => log.add(refused("oracle_file", item, error)),
    }
    None
}

impl BufferSection {
    /// Adds a problem for a list of the policy that is not one of the data classes.
    pub(crate) fn check_classes(&self, classes: u8, log: &Log) {
        for (parameter, listed) in self.plan.policy.per_class() {
            if listed != usize::from(classes) {
                let policy = self.plan.policy.card().name;
                let message = format!("`{parameter}` of `{policy}` lists {listed} classes");
                let label = format!("expected a list of {classes}, one for each data class");
                log.add(self.policy.place.problem(message).label(label));
            }
        }
    }

    /// What the policy needs.
    pub(crate) fn needy(&self) -> Needy<'_> {
        self.policy.needy()
    }

    /// The line of the table with every default filled in.
    pub(crate) fn resolved(&self) -> String {
        let mut own = vec![("size", shown(&self.plan.size))];
        if self.plan.per != Per::default() {
            own.push(("per", shown(&self.plan.per)));
        }
        format!("buffer = {}", show(&self.plan.policy, &own))
    }
}
