//! `kind = "all_to_all"`: everyone to everyone.

use super::TrafficSection;
use super::{CLASS, Kind, MESSAGE, Made, Misfit, Pattern, SEED, line};
use crate::scenario::files::Files;
use crate::scenario::job::JobKeyWords;
use crate::scenario::key::{Key, Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::Log;
use crate::study::metric::BY_COMPLETION;
use raddle_schemes::units::Bytes;
use raddle_sim::topology::Fabric;
use raddle_sim::workload::Traffic;
use raddle_sim::workload::all_to_all::{AllToAll, Order};
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: AllToAllKeys = Section::kind("all_to_all", "every host sends to every other").with(JobKeyWords::SECTION) => {
        message => MESSAGE;
        order: Word(Order::WORDS), (= "shifted"),
            "in which order a host serves the others: `shifted`, from the next host on; `random`, drawn for each host; `strided`, with `parallel`: those served at a time lie equally far apart, as in the REPS artifact; `rank`, every host serves hosts 0, 1, 2 and so on";
        parallel: Whole, (or "all at once") [>= 1],
            "messages that a host sends at a time, up to one to each other host; each last ACK starts the next message";
        seed => SEED.meaning("draws the traffic alone: the same orders whatever the run's seed; only with `random`");
        class => CLASS;
    }
}

pub(super) const KIND: Kind = Kind {
    section: AllToAllKeys::SECTION,
    seed: Some(&KEYS.seed),
    class: &KEYS.class,
    asked_by: BY_COMPLETION,
    read,
};

fn read(reader: &mut Reader<'_>, _: &Files, _: u8) -> Option<Made> {
    let message = reader.at_least(&KEYS.message);
    let given = reader.take(&KEYS.parallel).is_some();
    reader.take(&KEYS.order);
    let in_flight = if given { Some(reader.at_least(&KEYS.parallel)?) } else { None };
    let order = self::order(reader, &KEYS.order, in_flight)?.unwrap_or(Order::Shifted);
    let message = message?;
    let parallel = in_flight.map(|n| line("parallel", &n));
    let by = in_flight.map_or(String::new(), |n| format!(", {n} at a time"));
    let (own_order, random) = match order {
        Order::Shifted => (None, ""),
        Order::Random => (Some(line("order", &order)), " in random order"),
        Order::Strided => (Some(line("order", &order)), " in strides"),
        Order::Rank => (Some(line("order", &order)), " in order of rank"),
    };
    let message_line = std::iter::once(line("message", &message));
    Some(Made {
        pattern: Arc::new(AllToAll { message, order, in_flight }),
        lines: message_line.chain(own_order).chain(parallel).collect(),
        title: format!("{message} all-to-all{random}{by}"),
        files: Vec::new(),
    })
}

/// Reads the order in which those that all send to all serve their receivers, if it is given.
/// `None` if it is wrong.
pub(super) fn order(
    reader: &mut Reader<'_>,
    key: &'static Key,
    in_flight: Option<u32>,
) -> Option<Option<Order>> {
    let Some(item) = reader.take(key) else { return Some(None) };
    let order = reader.get(key)?;
    if order == Order::Strided && in_flight.is_none() {
        let problem = item.place.problem("`order` is strided, and all messages start at once");
        reader
            .log()
            .add(problem.label("expected `parallel`, the messages that are sent at a time"));
        return None;
    }
    Some(Some(order))
}

impl Pattern for AllToAll {
    fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, Misfit> {
        Ok(AllToAll::generate(self, fabric.hosts, seed)?)
    }

    fn flows(&self, fabric: &Fabric) -> u64 {
        u64::from(fabric.hosts) * u64::from(fabric.hosts)
    }

    fn largest(&self) -> Bytes {
        self.message
    }

    fn nothing_drawn(&self) -> Option<&'static str> {
        match self.order {
            Order::Shifted => Some("order = \"shifted\""),
            Order::Strided => Some("order = \"strided\""),
            Order::Rank => Some("order = \"rank\""),
            Order::Random => None,
        }
    }

    fn check(&self, section: &TrafficSection, fabric: &Fabric, log: &Log) {
        if let Err(error) = AllToAll::check(self, fabric.hosts) {
            log.add(section.problem(&error.into()));
        }
    }
}
