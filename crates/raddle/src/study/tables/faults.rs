//! `faults`: what broke, when, for how long.

use super::column::{Columns, Row, TableSpec, table};
use super::nodes::node_name;
use super::{Parts, Run};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Time;
use raddle_sim::faults::PortChange;
use raddle_sim::plan::Plan;
use raddle_sim::topology::Node;

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<FaultRow>(of_run);

/// Something that was broken for a time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FaultRow {
    port: Option<(PortId, String)>,
    node: Option<String>,
    effect: &'static str,
    value: Option<f64>,
    from: Time,
    until: Option<Time>,
}

impl Row for FaultRow {
    const NAME: &'static str = "faults";
    const MEANING: &'static str = "One row per port or node and time for which something was broken \
         there, random faults as drawn. A dead node has its own row beside those of its links.";

    fn declare(table: &mut Columns<Self>) {
        table.col("port", "", "number of the port whose link it is", |row| {
            row.port.as_ref().map(|(port, _)| u64::from(port.0))
        });
        table.col("name", "", "name of the port", |row| {
            row.port.as_ref().map(|(_, name)| name.clone())
        });
        table.col("node", "", "name of the host or switch, if it is one", |row| row.node.clone());
        table.col(
            "effect",
            "",
            "`down`, `rate`, `loss`, `bit_errors`, `uplinks` of a lane, or `clock`",
            |row| row.effect.to_owned(),
        );
        table.col(
            "value",
            "",
            "Gbps of `rate`, the probability for a frame (`loss`) or a bit (`bit_errors`), the dead \
             `uplinks` as bits of a number, us by which a `clock` is behind; empty for `down`",
            |row| row.value,
        );
        table.col("from_us", "us", "when it began, since the run's start", |row| row.from.as_us());
        table.col("until_us", "us", "when it was over; empty if it never is", |row| {
            row.until.map(Time::as_us)
        });
    }
}

/// What a change sets, and to which value; `None` for the one that ends it.
fn effect(change: PortChange, nominal: f64) -> (&'static str, Option<Option<f64>>) {
    match change {
        PortChange::Down => ("down", Some(None)),
        PortChange::Up => ("down", None),
        PortChange::Uplinks { dead } => ("uplinks", (dead != 0).then_some(Some(dead as f64))),
        PortChange::Rate { rate, .. } => {
            let gbps = rate.0 as f64 / 1e9;
            ("rate", (gbps != nominal).then_some(Some(gbps)))
        }
        PortChange::Loss { probability } => {
            let share = probability as f64 / (1_u64 << 32) as f64;
            ("loss", (probability != 0).then_some(Some(share)))
        }
        PortChange::BitErrors { rate } => ("bit_errors", (rate != 0.0).then_some(Some(rate))),
    }
}

/// All of a plan's, ports first.
pub(super) fn faults(plan: &Plan) -> Vec<FaultRow> {
    let mut rows: Vec<FaultRow> = Vec::new();
    for (id, changes) in &plan.faults.ports {
        let port = &plan.fabric.ports[id.index()];
        let first = rows.len();
        for &(at, change) in changes {
            let (effect, value) = effect(change, port.rate.0 as f64 / 1e9);
            let mut open = rows[first..].iter_mut().rev();
            if let Some(row) = open.find(|row| row.effect == effect && row.until.is_none()) {
                row.until = Some(at);
            }
            if let Some(value) = value {
                let port = Some((*id, port.name.clone()));
                rows.push(FaultRow { port, node: None, effect, value, from: at, until: None });
            }
        }
    }
    let named = |node| (None, Some(node_name(&plan.fabric, node)));
    for (node, windows) in &plan.faults.nodes {
        rows.extend(windows.iter().map(|&(from, until)| {
            let (port, node) = named(*node);
            let until = Some(until).filter(|until| *until != Time::NEVER);
            FaultRow { port, node, effect: "down", value: None, from, until }
        }));
    }
    rows.extend(plan.faults.clocks.iter().map(|&(switch, behind)| {
        let (port, node) = named(Node::Switch(switch));
        let value = Some(behind as f64 / 1e6);
        FaultRow { port, node, effect: "clock", value, from: Time::ZERO, until: None }
    }));
    rows
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let rows = faults(run.plan);
    (!rows.is_empty()).then(|| table(run, rows.len(), move |row| rows[row].clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::fixture;
    use raddle_schemes::ids::HostId;
    use raddle_schemes::units::Rate;

    #[test]
    fn a_fault_lasts_from_one_change_to_the_one_that_ends_it() {
        let mut plan = fixture::plan(7);
        let whole = plan.fabric.ports[4].rate;
        let rate = |rate| PortChange::Rate { rate, scale: false };
        plan.faults.ports = vec![(
            PortId(4),
            vec![
                (Time(1_000_000), PortChange::Down),
                (Time(2_000_000), rate(Rate::gbps(1))),
                (Time(3_000_000), PortChange::Up),
                (Time(4_000_000), rate(Rate::gbps(2))),
                (Time(5_000_000), rate(whole)),
                (Time(6_000_000), PortChange::Loss { probability: 1 << 31 }),
            ],
        )];
        plan.faults.nodes = vec![(Node::Host(HostId(0)), vec![(Time(0), Time::NEVER)])];
        let rows = faults(&plan);
        let told: Vec<_> = rows
            .iter()
            .map(|row| (row.effect, row.value, row.from.as_us(), row.until.map(Time::as_us)))
            .collect();
        assert_eq!(
            told,
            [
                ("down", None, 1.0, Some(3.0)),
                ("rate", Some(1.0), 2.0, Some(4.0)),
                ("rate", Some(2.0), 4.0, Some(5.0)),
                ("loss", Some(0.5), 6.0, None),
                ("down", None, 0.0, None),
            ]
        );
        assert_eq!(rows[4].node.as_deref(), Some("host0"));
    }
}
