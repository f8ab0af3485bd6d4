//! Messages between the GPUs of a server: by its crossbar, in quanta, and by nothing else.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::{completed, fat_tree, plan};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::bound;
use raddle_sim::engine::{self, Options};
use raddle_sim::limits::LimitError;
use raddle_sim::plan::{PairOrder, Plan};
use raddle_sim::record::ScaleUpRecord;
use raddle_sim::topology::Topology;
use raddle_sim::topology::rail::Rail;
use raddle_sim::topology::scale_up::ScaleUp;
use raddle_sim::workload::all_to_all::{AllToAll, Order};
use raddle_sim::workload::{Flow, Traffic};

/// 64 KiB at 3600 Gbps, in ps.
const QUANTUM: u64 = 145_636;
const LATENCY: u64 = 500_000;

fn domain(gpus: u32) -> ScaleUp {
    let (rate, latency) = (Rate::gbps(3600), Span(LATENCY));
    ScaleUp { gpus, rate, latency, quantum: Bytes::kib(64) }
}

/// Hosts 0 to 7 are a server, 8 to 15 another.
fn servers(traffic: impl Into<Traffic>) -> Plan {
    let fabric = fat_tree(2, 16).with_scale_up(domain(8)).unwrap();
    plan(fabric, traffic.into(), "ecmp", 1)
}

fn quanta(messages: &[(u32, u32, u64)]) -> Vec<Flow> {
    let flow = |&(from, to, quanta)| Flow::at_zero(from, to, Bytes(quanta * (64 << 10)));
    messages.iter().map(flow).collect()
}

/// When the last byte of each message came, in ps, less the latency, in quanta.
fn came(messages: &[(u32, u32, u64)], order: PairOrder) -> Vec<u64> {
    let mut plan = servers(quanta(messages));
    plan.transport.pair_order = order;
    let outcome = completed(&plan);
    let came = outcome.flows.iter().map(|flow| {
        let (came, answered) = (flow.delivered.unwrap(), flow.acked.unwrap());
        assert_eq!(answered, came + Span(LATENCY));
        (came.0 - LATENCY) / QUANTUM
    });
    came.collect()
}

#[test]
fn a_message_alone_takes_its_time_on_a_port_and_the_latency() {
    let plan = servers(vec![Flow::at_zero(1, 6, Bytes::mib(1))]);
    let outcome = completed(&plan);
    let flow = outcome.flows.at(0);
    assert_eq!(flow.delivered, Some(Time(16 * QUANTUM + LATENCY)));
    assert_eq!(flow.acked, Some(Time(16 * QUANTUM + 2 * LATENCY)));
    assert_eq!((flow.sent, flow.received), (0, 0), "there are no packets");
    assert!(outcome.ports.iter().all(|port| port.frames == 0), "and no frames on links");
    assert_eq!((outcome.packet_hops, outcome.end), (0, flow.acked.unwrap()));
    let (bytes, none) = (1 << 20, ScaleUpRecord::default());
    assert_eq!(outcome.scale_up[1], ScaleUpRecord { sent_bytes: bytes, ..none });
    assert_eq!(outcome.scale_up[6], ScaleUpRecord { received_bytes: bytes, ..none });
    assert_eq!(outcome.scale_up.iter().filter(|own| **own != none).count(), 2);
    assert_eq!(bound::ideals(&plan), [Some(Span(16 * QUANTUM + 2 * LATENCY))]);
    assert_eq!(bound::of_plan(&plan)[0].time, Span(16 * QUANTUM + 2 * LATENCY));
}

#[test]
fn ports_take_a_quantum_of_each_message_in_turn() {
    let parallel = |messages: &[_]| came(messages, PairOrder::Parallel);
    // Out of one: a b a b b b.
    assert_eq!(parallel(&[(0, 1, 2), (0, 2, 4)]), [3, 6]);
    // Into one: what comes at one instant goes in order of messages, a b a b b b.
    assert_eq!(parallel(&[(1, 0, 2), (2, 0, 4)]), [3, 6]);
    // Both directions, and pairs that share no port, at once.
    assert_eq!(parallel(&[(0, 1, 3), (1, 0, 3), (2, 3, 3)]), [3, 3, 3]);
    // Of one pair, one after the other where the plan says so.
    assert_eq!(parallel(&[(0, 1, 3), (0, 1, 1)]), [4, 2]);
    assert_eq!(came(&[(0, 1, 3), (0, 1, 1)], PairOrder::Fifo), [3, 4]);
}

#[test]
fn what_waits_for_a_port_in_is_told() {
    let outcome = completed(&servers(quanta(&[(1, 0, 4), (2, 0, 4), (3, 0, 4)])));
    // Each sends on: of twelve quanta, three every time that one is taken.
    let own = outcome.scale_up[0];
    assert_eq!((own.received_bytes, own.waiting_bytes_max), (12 << 16, 8 << 16));
}

#[test]
fn other_messages_take_links_and_no_crossbar() {
    let message = Bytes::kib(64);
    let draw = AllToAll { message, order: Order::Shifted, in_flight: None };
    let plan = servers(draw.generate(16, 1).unwrap());
    let outcome = completed(&plan);
    for own in &outcome.scale_up {
        assert_eq!((own.sent_bytes, own.received_bytes), (7 * message.0, 7 * message.0));
    }
    let hosts = &outcome.ports[..16];
    let packets = message.0 / plan.transport.payload.0;
    assert!(hosts.iter().all(|port| port.data_frames == 8 * packets));
    let one = fat_tree(2, 16);
    let alone = completed(&Plan { fabric: one, ..plan.clone() });
    assert!(outcome.end < alone.end && alone.scale_up.is_empty());
}

/// The NICs of a server are at eight switches, which may be in as many parts.
#[test]
fn a_server_may_lie_in_several_parts() {
    let rail = Rail {
        servers: 4,
        gpus: 8,
        spines: 4,
        rate: Rate::gbps(400),
        link_delay: Span::ns(500),
        uplink_rate: Rate::gbps(400),
        uplink_delay: Span::ns(500),
        switch_delay: Span::ns(500),
    };
    let draw = AllToAll { message: Bytes::kib(100), order: Order::Shifted, in_flight: Some(3) };
    let fabric = rail.build().unwrap().with_scale_up(domain(8)).unwrap();
    let plan = plan(fabric, draw.generate(32, 1).unwrap(), "ops", 1);
    let expected = completed(&plan);
    for threads in [2, 7] {
        let options = Options { threads, width: None };
        let got = engine::run_with(&plan, &options, &mut ());
        assert_eq!(u64::from(got.parts), u64::from(threads));
        assert!(got.flows == expected.flows && got.ports == expected.ports);
        assert_eq!(got.scale_up, expected.scale_up);
    }
}

#[test]
fn a_crossbar_needs_some_latency() {
    let mut plan = servers(quanta(&[(0, 1, 1)]));
    if let Some(own) = &mut plan.fabric.scale_up {
        own.latency = Span::ns(9);
    }
    let why = "their latency is less than 10 ns";
    assert_eq!(plan.check_limits(), Err(LimitError::ScaleUp { why }));
}
