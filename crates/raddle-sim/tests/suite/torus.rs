//! Tori: what each cable carries is known.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::{completed, plan, sent};
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span};
use raddle_sim::topology::torus::Torus;
use raddle_sim::topology::{Fabric, Topology};
use raddle_sim::workload::Flow;

const PACKETS: u64 = 200;

fn torus(rows: u32, columns: u32) -> Fabric {
    let torus = Torus {
        rows,
        columns,
        hosts_per_switch: 1,
        rate: Rate::gbps(400),
        link_delay: Span::ns(500),
        uplink_rate: Rate::gbps(400),
        uplink_delay: Span::ns(500),
        switch_delay: Span::ns(500),
    };
    torus.build().unwrap()
}

/// Each of five in a ring sends two further on: every cable carries two messages round the ring and
/// nothing the other way, and half of a link is what each host gets.
#[test]
fn two_messages_share_each_cable_of_a_ring_of_five() {
    let message = Bytes(PACKETS * 4096);
    let flows = (0..5).map(|host| Flow::at_zero(host, (host + 2) % 5, message)).collect::<Vec<_>>();
    let mut plan = plan(torus(1, 5), flows.into(), "ops", 1);
    plan.queue.size = Size::Packets(1000.0);
    let outcome = completed(&plan);
    assert!(outcome.flows.iter().all(|flow| flow.retransmitted == 0));
    for at in 0..5 {
        let (next, last) = ((at + 1) % 5, (at + 4) % 5);
        assert_eq!(sent(&plan, &outcome, &format!("r0c{at}.to.r0c{next}")), [2 * PACKETS]);
        assert_eq!(sent(&plan, &outcome, &format!("r0c{at}.to.r0c{last}")), [0]);
    }
    let shared = Span(2 * PACKETS * 83_200);
    let ends = outcome.flows.iter().map(|flow| flow.delivered.unwrap());
    let last = Span(ends.max().unwrap().0);
    assert!(last >= shared && last < shared + Span::us(15), "{last} {shared}");
}

/// The opposite corner of a 4 x 4 torus is two steps away in both dimensions, either way round: what
/// leaves a switch is spread over its four cables.
#[test]
fn packets_to_the_opposite_corner_leave_by_all_four_cables() {
    let flow = Flow::at_zero(0, 10, Bytes(PACKETS * 4096));
    let plan = plan(torus(4, 4), vec![flow].into(), "ops", 1);
    let outcome = completed(&plan);
    let left = ["r0c1", "r1c0", "r0c3", "r3c0"]
        .map(|next| sent(&plan, &outcome, &format!("r0c0.to.{next}"))[0]);
    assert_eq!(left.iter().sum::<u64>(), PACKETS);
    assert!(left.iter().all(|&count| count > PACKETS / 8), "{left:?}");
    // Four hops between switches, and the two cables of hosts.
    let frames: u64 = outcome.ports.iter().map(|port| port.data_frames).sum();
    assert_eq!(frames, 6 * PACKETS);
}
