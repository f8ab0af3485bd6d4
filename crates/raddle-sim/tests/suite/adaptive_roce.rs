//! Adaptive RoCE's two readings of the instant in which a switch chooses, worked out by hand.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use raddle_schemes::congestion;
use raddle_schemes::load_balance::switch::{self, adaptive_roce};
use raddle_schemes::units::Bytes;
use raddle_sim::record::Stop;
use raddle_sim::topology::Node;
use raddle_sim::workload::Flow;
use raddle_sim::{check, engine, reference};

/// Packets of each flow.
const PACKETS: u64 = 30;

/// Two hosts of one ToR send at line rate and in step, so that at each instant two packets come to
/// the switch and those of the instant before leave it. Returns the data packets of each uplink that
/// carries any, and the most packets in one of their queues.
fn uplinks(mode: adaptive_roce::Mode) -> (Vec<u64>, u64) {
    let flow = |from, to| Flow::at_zero(from, to, Bytes(PACKETS * 4096));
    let flows = vec![flow(0, 8), flow(1, 12)];
    let mut plan = crate::common::plan(crate::common::fat_tree(2, 16), flows.into(), "ops", 1);
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    plan.switch_load_balance = switch::Config::AdaptiveRoce(adaptive_roce::Config { mode });
    let outcome = engine::run(&plan, &mut ());
    assert_eq!(outcome.stop, Stop::Completed);
    assert_eq!(check::violations(&plan, &outcome), Vec::<String>::new());
    let slow = reference::run(&plan, &mut ());
    assert_eq!((&outcome.flows, &outcome.ports), (&slow.flows, &slow.ports));

    let tor = plan.fabric.ports[plan.fabric.ports[0].peer.index()].owner;
    let up = plan.fabric.ports.iter().zip(&outcome.ports).filter(|(port, record)| {
        let far = plan.fabric.ports[port.peer.index()].owner;
        port.owner == tor && matches!(far, Node::Switch(_)) && record.data_frames > 0
    });
    let (mut carried, mut fullest) = (Vec::new(), 0);
    for (_, record) in up {
        carried.push(record.data_frames);
        fullest = fullest.max(record.queue_bytes_max / plan.packet().0);
    }
    (carried, fullest)
}

/// Both ports of the last instant are empty again: the first two of the order take everything.
#[test]
fn a_switch_that_looks_when_a_packet_has_come_uses_two_ports() {
    assert_eq!(uplinks(adaptive_roce::Mode::Paper), (vec![PACKETS, PACKETS], 1));
}

/// Both packets of an instant take the same port. At the next instant that one still counts two, at
/// the one after it one; then it is empty. So three ports take turns, two packets each time.
#[test]
fn a_switch_that_looks_before_the_instant_uses_three_in_turn() {
    let each = PACKETS * 2 / 3;
    assert_eq!(uplinks(adaptive_roce::Mode::Artifact), (vec![each; 3], 2));
}
