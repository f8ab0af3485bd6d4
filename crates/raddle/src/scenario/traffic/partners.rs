//! `kind = "partners"`: flow after flow, most of them to one partner.

use super::open_loop::{LAW, LOAD, OpenLoop, OpenLoopKeys, SAMPLING, UNTIL};
use super::{CLASS, Kind, Made, Misfit, Pattern, SEED, TrafficSection, line};
use crate::scenario::files::Files;
use crate::scenario::job::JobKeyWords;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::Log;
use crate::study::metric::BY_COMPLETION;
use raddle_schemes::units::{Bytes, Time};
use raddle_sim::topology::Fabric;
use raddle_sim::workload::Traffic;
use raddle_sim::workload::partners::Partners;
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: PartnersKeys = Section::kind("partners", "every host sends flow after flow, most of them to one partner").with(JobKeyWords::SECTION) => {
        law => LAW.meaning("flow sizes, as above");
        load => LOAD.meaning("over 0 and up to 1, of the host's link; headers and ACKs come on top");
        strays: Number, (= 0.05) [0 to 1],
            "the share of flows that go to a host drawn uniformly from all others";
        sampling => SAMPLING.meaning("as above");
        until => UNTIL;
        seed => SEED;
        class => CLASS;
    }
}

const OPEN_LOOP_KEYS: OpenLoopKeys =
    OpenLoopKeys { law: &KEYS.law, load: &KEYS.load, sampling: &KEYS.sampling, until: &KEYS.until };

pub(super) const KIND: Kind = Kind {
    section: PartnersKeys::SECTION,
    seed: Some(&KEYS.seed),
    class: &KEYS.class,
    asked_by: BY_COMPLETION,
    read,
};

fn read(reader: &mut Reader<'_>, files: &Files, _: u8) -> Option<Made> {
    let item = reader.take(&KEYS.strays);
    let strays: f64 = reader.or(&KEYS.strays);
    let open = OpenLoop::read(reader, &OPEN_LOOP_KEYS, files);
    if !(0.0..=1.0).contains(&strays) {
        let problem = item?.place.problem("wrong value for `strays`");
        reader.log().add(problem.label("expected 0 to 1"));
        return None;
    }
    let open = open?;
    let lines = open.lines(line("strays", &strays));
    let title = format!("{}, {} % of it to partners", open.title(), (1.0 - strays) * 100.0);
    let OpenLoop { law, sampling, load, until, files, .. } = open;
    let pattern = Arc::new(Partners { law, sampling, load, strays, horizon: Time(until.0) });
    Some(Made { pattern, lines, title, files })
}

impl Pattern for Partners {
    fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, Misfit> {
        Ok(Partners::generate(self, fabric, seed)?)
    }

    fn flows(&self, fabric: &Fabric) -> u64 {
        self.expected_flows(fabric)
    }

    fn largest(&self) -> Bytes {
        self.law.quantile(self.sampling, 1.0)
    }

    fn message_key(&self) -> &'static str {
        "law"
    }

    /// What it generates may be large: it is checked with the run's seed.
    fn check(&self, _: &TrafficSection, _: &Fabric, _: &Log) {}
}
