//! Throughput slot by slot: flows over the circuits of a period as they come, with waiting.
//!
//! Mars, Theorem 13: it is that of the emulated graph. Nodes are pairs of a node and a slot, and the
//! last slot leads to the first; traffic may wait anywhere for as long as it likes. What a source
//! sends to a node arrives in whichever slots it wants.

use super::interior::Interior;
use super::program::{Program, SolveError};
use crate::demand::Demand;
use raddle_circuits::schedule::Schedule;

/// Throughput of a schedule, dark time counted, as a share of a node's capacity.
///
/// # Errors
/// [`SolveError`].
pub fn slot_by_slot(schedule: &Schedule, demand: &Demand) -> Result<f64, SolveError> {
    let (nodes, slots) = (schedule.nodes(), schedule.period_slots());
    let demand = demand.normalised();
    let period = schedule.period().0 as f64;
    let links = schedule.switches().len() as f64;
    // A circuit of one slot, and what it carries of a node's capacity in a period.
    let mut circuits: Vec<(usize, usize, usize)> = Vec::new();
    let mut most = Vec::new();
    for (switch, list) in schedule.switches().iter().enumerate() {
        for (slot, matching) in list.iter().enumerate() {
            let dark = if schedule.is_dark(switch, slot) { schedule.dark().0 } else { 0 };
            let lit = (schedule.slots()[slot].0 - dark) as f64 / (period * links);
            for (from, to) in matching.circuits() {
                circuits.push((slot, from, to));
                most.push(lit);
            }
        }
    }
    let sources: Vec<usize> =
        (0..nodes).filter(|&s| demand.row(s).iter().any(|r| *r > 0.0)).collect();
    // Balances of each source, node and slot, then of what arrives over all slots.
    let place = |source: usize, node: usize, slot: usize| (source * nodes + node) * slots + slot;
    let arrivals = sources.len() * nodes * slots;
    let balances = arrivals + sources.len() * nodes;
    let after = |slot: usize| (slot + 1) % slots;
    let mut columns: Vec<Vec<(usize, f64)>> = Vec::new();
    let mut theta = Vec::new();
    for (at, &source) in sources.iter().enumerate() {
        // At its source traffic comes from nothing, so that there is no balance.
        let mut column = |entries: &[(usize, usize, f64)], more: Option<(usize, f64)>| {
            let inner = entries.iter().filter(|(node, ..)| *node != source);
            let mut column: Vec<(usize, f64)> = Vec::new();
            for &(node, slot, factor) in inner {
                let row = place(at, node, slot);
                match column.iter_mut().find(|entry| entry.0 == row) {
                    Some(entry) => entry.1 += factor,
                    None => column.push((row, factor)),
                }
            }
            column.extend(more);
            column.retain(|entry| entry.1 != 0.0);
            column.sort_unstable_by_key(|entry| entry.0);
            columns.push(column);
        };
        for (circuit, &(slot, from, to)) in circuits.iter().enumerate() {
            if to != source {
                let entries = [(to, after(slot), 1.0), (from, slot, -1.0)];
                column(&entries, Some((balances + circuit, 1.0)));
            }
        }
        for node in (0..nodes).filter(|&node| node != source) {
            for slot in 0..slots {
                if slots > 1 {
                    column(&[(node, after(slot), 1.0), (node, slot, -1.0)], None);
                }
                column(&[(node, slot, -1.0)], Some((arrivals + at * nodes + node, 1.0)));
            }
            theta.push((arrivals + at * nodes + node, -demand.rate(source, node)));
        }
    }
    theta.retain(|entry| entry.1 != 0.0);
    columns.push(theta);
    let program = Program { columns, balances, capacities: circuits.len() };
    Interior::new(&program, &most)?.solve(&most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::pattern;
    use crate::designs::{Design, find};
    use crate::solve::multi_hop;
    use raddle_circuits::matching::Matching;
    use raddle_schemes::family::Raw;
    use raddle_schemes::units::Span;

    /// Mars, Theorem 13; acceptance: a tenth of each slot is dark.
    #[test]
    fn a_period_carries_what_its_emulated_graph_does() {
        for (nodes, ring, half) in [(4, 0.6, 0.72), (6, 0.54, 0.675)] {
            let matchings: Vec<Matching> =
                (1..nodes).map(|by| Matching::shift(nodes, by)).collect();
            let schedule = Schedule::dealt(&matchings, 1, Span::us(100), Span::us(10)).unwrap();
            let mixed = pattern::mix(&pattern::shift(nodes, 1), &pattern::uniform(nodes), 0.5);
            for (demand, expected) in [(pattern::shift(nodes, 1), ring), (mixed, half)] {
                let found = slot_by_slot(&schedule, &demand).unwrap();
                assert!((found - expected).abs() < 1e-6, "{nodes}: {found} {expected}");
                let emulated = 0.9 * multi_hop(&schedule.capacity(), &demand).unwrap();
                assert!((found - emulated).abs() < 1e-6, "{nodes}: {found} {emulated}");
            }
        }
    }

    #[test]
    fn the_same_holds_of_designs_and_drawn_demand() {
        for name in ["round_robin", "vermilion", "mars", "bvn"] {
            let demand = pattern::find("random").unwrap().demand(5, 0.0, 3);
            let mut design: Box<dyn Design> = (find(name).unwrap().default)();
            design.set("uplinks", Raw::Integer(if name == "mars" { 5 } else { 1 })).unwrap();
            let plan = design.plan(&demand, 1).unwrap();
            let schedule = &plan.schedules[0].1;
            let found = slot_by_slot(schedule, &demand).unwrap();
            let emulated = schedule.duty() * multi_hop(&schedule.capacity(), &demand).unwrap();
            // Slots of different lengths lose different shares to the dark time.
            let room = if name == "bvn" { 0.02 } else { 1e-6 };
            assert!((found - emulated).abs() < room, "{name}: {found} {emulated}");
        }
    }
}
