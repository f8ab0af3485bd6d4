//! Every outcome obeys the laws of [`raddle_sim::check`], and the laws notice when one does not.

mod common;

use common::{fat_tree, plan};
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::check::violations;
use raddle_sim::plan::Plan;
use raddle_sim::record::{DropCause, Outcome, RecordPlan, Stop};
use raddle_sim::routing::{Forwarding, Table};
use raddle_sim::topology::Node;
use raddle_sim::workload::Flow;
use raddle_sim::{engine, reference};

fn everything_recorded(mut plan: Plan) -> Plan {
    let ports = (0..plan.fabric.ports.len() as u32).map(PortId).collect();
    plan.record = RecordPlan { ports, bucket: Span::us(1) };
    plan
}

/// One flow between two pods of a small tree, everything recorded.
fn lone_flow() -> Plan {
    let flow = Flow::at_zero(0, 15, Bytes(40_000));
    let mut plan = everything_recorded(plan(fat_tree(3, 16), vec![flow].into(), "ops", 1));
    plan.patience = Span::us(50);
    plan
}

/// Runs both engines and returns the outcome after it passed every check.
fn run(plan: &Plan) -> Outcome {
    let outcome = engine::run(plan, &mut ());
    assert_eq!(violations(plan, &outcome), Vec::<String>::new());
    let expected = reference::run(plan, &mut ());
    assert_eq!(Outcome { events: 0, ..outcome.clone() }, Outcome { events: 0, ..expected });
    outcome
}

#[test]
fn frames_that_die_with_a_switch_count_at_the_host_port_they_left() {
    let mut plan = lone_flow();
    // The first frame is on the wire to ToR 0 from 83 ns on and arrives at 1083 ns.
    plan.faults.nodes.push((Node::Switch(SwitchId(0)), vec![(Time(500_000), Time::NEVER)]));
    let outcome = run(&plan);
    assert!(outcome.ports[0].dropped[DropCause::NodeDown as usize] >= 10);
    assert!(matches!(outcome.stop, Stop::Stalled(_)));
}

#[test]
fn frames_without_a_route_count_at_the_host_port_they_left() {
    let mut plan = lone_flow();
    let unreachable = plan.fabric.ports[15].peer;
    let table = Table::shortest(&plan.fabric, &|port| port != unreachable);
    let isolated = Table { lists: vec![], starts: vec![0; table.starts.len()], ..table };
    plan.routes.push((Time(1), Forwarding::Table(isolated)));
    let outcome = run(&plan);
    assert!(outcome.ports[0].dropped[DropCause::NoRoute as usize] >= 10);
}
