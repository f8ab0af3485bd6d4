//! `kind = "collective"`: one collective among some of the hosts.

use super::TrafficSection;
use super::placement::placement;
use super::{Kind, Made, Misfit, Pattern, line, message};
use crate::scenario::files::Files;
use crate::scenario::reader::Log;
use crate::scenario::reader::Reader;
use raddle_schemes::units::Bytes;
use raddle_sim::topology::Fabric;
use raddle_sim::workload::Traffic;
use raddle_sim::workload::all_to_all::{self, AllToAll};
use raddle_sim::workload::collective::butterfly::Butterfly;
use raddle_sim::workload::collective::exchange;
use raddle_sim::workload::collective::placement::{Order, Placement};
use raddle_sim::workload::collective::ring::Ring;
use raddle_sim::workload::job::Operation;
use std::sync::Arc;

pub(super) const KIND: Kind = Kind {
    word: "collective",
    summary: "a collective operation among some of the hosts, as sends that wait for each other",
    draws: true,
    read,
};

/// A collective and who takes part.
#[derive(Debug)]
struct Placed {
    what: What,
    placement: Placement,
}

#[derive(Debug)]
enum What {
    Ring(Ring),
    Butterfly(Butterfly),
    AllToAll(AllToAll),
}

impl Pattern for Placed {
    fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, Misfit> {
        let ranks = self.placement.ranks(fabric.hosts, seed)?;
        Ok(match &self.what {
            What::Ring(ring) => ring.generate(&ranks),
            What::Butterfly(butterfly) => butterfly.generate(&ranks),
            What::AllToAll(all_to_all) => exchange::all_to_all(all_to_all, &ranks, seed),
        }?)
    }

    fn flows(&self, fabric: &Fabric) -> u64 {
        let ranks = u64::from(self.placement.count(fabric.hosts));
        ranks.saturating_mul(match &self.what {
            What::Ring(ring) => ring.hops.map_or(2 * ranks, u64::from),
            What::Butterfly(_) => 2 * u64::from(ranks.max(1).ilog2()),
            What::AllToAll(_) => ranks,
        })
    }

    fn largest(&self) -> Bytes {
        match &self.what {
            What::Ring(ring) => ring.message,
            What::Butterfly(butterfly) => butterfly.message,
            What::AllToAll(all_to_all) => all_to_all.message,
        }
    }

    fn nothing_drawn(&self) -> Option<&'static str> {
        let exchanges_at_random =
            matches!(&self.what, What::AllToAll(all) if all.order == all_to_all::Order::Random);
        let draws = self.placement.order != Order::Linear || exchanges_at_random;
        (!draws).then_some("placement = \"linear\"")
    }

    fn check(&self, section: &TrafficSection, fabric: &Fabric, log: &Log) {
        let made = self.placement.ranks(fabric.hosts, 0).and_then(|ranks| match &self.what {
            What::AllToAll(all_to_all) => all_to_all.check(ranks.len() as u32),
            // One hop has all that can be wrong with many.
            What::Ring(ring) => Ring { hops: Some(1), ..ring.clone() }.generate(&ranks).map(|_| ()),
            What::Butterfly(butterfly) => butterfly.generate(&ranks).map(|_| ()),
        });
        if let Err(error) = made {
            log.add(section.problem(&error.into()));
        }
    }
}

fn read(reader: &mut Reader<'_>, _: &Files, _: u8) -> Option<Made> {
    let operation: Option<Operation> = reader.need("operation", "\"all_reduce\"");
    let message = message(reader);
    let (operation_word, algorithms): (_, &[&str]) = match operation {
        Some(operation @ Operation::AllReduce) => (operation.word(), &["ring", "butterfly"]),
        Some(operation @ Operation::AllToAll) => (operation.word(), &["direct"]),
        Some(operation) => (operation.word(), &["ring"]),
        None => ("", &["ring", "butterfly", "direct"]),
    };
    let algorithm = reader.word("algorithm", algorithms, algorithms[0]);
    let placement = placement(reader, &["linear", "random"], "linear", 1);
    // Where the operation is wrong, so may be the algorithm.
    let with = operation.map(|_| format!("with `algorithm = \"{algorithm}\"`"));
    let mut limit = |key, goes_with: &str| -> Option<Option<u32>> {
        match &with {
            Some(with) if algorithm != goes_with => {
                reader.misplaced(key, with, &format!("`algorithm = \"{goes_with}\"`"));
                Some(None)
            }
            _ if reader.take(key).is_none() => Some(None),
            _ => reader.at_least(key, 1, Some(1)).map(Some),
        }
    };
    let (hops, in_flight) = (limit("hops", "ring"), limit("parallel", "direct"));
    reader.take("order");
    let (hops, in_flight) = (hops?, in_flight?);
    if algorithm != "direct"
        && let Some(with) = &with
    {
        reader.misplaced("order", with, "`algorithm = \"direct\"`");
    }
    let order =
        if algorithm == "direct" { super::all_to_all::order(reader, in_flight)? } else { None };
    let (what, extra): (_, Vec<String>) = match (algorithm, operation?) {
        ("direct", _) => {
            let extra = in_flight.map(|n| line("parallel", &n));
            let order = order.unwrap_or(all_to_all::Order::Shifted);
            let own = (order != all_to_all::Order::Shifted).then(|| line("order", &order));
            let extra = [extra, own].into_iter().flatten().collect();
            (What::AllToAll(AllToAll { message: message?, order, in_flight }), extra)
        }
        ("butterfly", _) => (What::Butterfly(Butterfly { message: message? }), Vec::new()),
        (_, operation) => {
            let extra = hops.map(|n| line("hops", &n)).into_iter().collect();
            (What::Ring(Ring { operation, message: message?, hops }), extra)
        }
    };
    let (message, (placement, places)) = (message?, placement?);
    let lines = [
        format!("operation = \"{operation_word}\""),
        format!("algorithm = \"{algorithm}\""),
        line("message", &message),
    ];
    let lines = lines.into_iter().chain(extra).chain(places).collect();
    let title = format!("{algorithm} {operation_word} of {message} messages");
    let pattern = Arc::new(Placed { what, placement });
    Some(Made { pattern, lines, title, files: Vec::new() })
}
