//! Collectives run as dependency graphs: in both engines alike, in the order of their
//! dependencies, and beside each other.
#![expect(clippy::unwrap_used, reason = "traffic that cannot be made fails the test")]

use crate::common::agree::trouble;
use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::load_balance::host;
use raddle_schemes::recovery;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Time};
use raddle_sim::engine;
use raddle_sim::plan::Plan;
use raddle_sim::record::Stop;
use raddle_sim::workload::all_to_all as exchange;
use raddle_sim::workload::collective::butterfly::Butterfly;
use raddle_sim::workload::collective::compute::ComputeTimes;
use raddle_sim::workload::collective::exchange::Exchange;
use raddle_sim::workload::collective::fsdp::Fsdp;
use raddle_sim::workload::collective::placement::{Order, Placement};
use raddle_sim::workload::collective::ring::Ring;
use raddle_sim::workload::collective::volume::Volume;
use raddle_sim::workload::job::Operation;
use raddle_sim::workload::{Flow, Start, Traffic, Trigger, TriggerId, TriggerKind};

const HOSTS: u32 = 16;
const MESSAGE: Bytes = Bytes(50_000);

fn ranks(count: u32) -> Vec<HostId> {
    let order = Order::Random;
    Placement { hosts: None, ranks: Some(count), order, server: 1, groups: None }
        .ranks(HOSTS, 7)
        .unwrap()
}

fn ring(hops: Option<u32>) -> Traffic {
    let operation = Operation::AllReduce;
    Ring { operation, volume: Volume::Message(MESSAGE), hops }
        .generate(&ranks(6), &ComputeTimes::default())
        .unwrap()
}

fn fsdp(barrier: bool) -> Traffic {
    let fsdp = Fsdp { layers: 2, message: MESSAGE, gpus_per_server: 4, steps: 2, barrier };
    fsdp.generate(&ranks(HOSTS), &ComputeTimes::default()).unwrap()
}

fn plan(traffic: Traffic) -> Plan {
    crate::common::plan(crate::common::fat_tree(2, HOSTS), traffic, "ops", 3)
}

#[test]
fn both_engines_run_every_collective_alike() {
    let mut several = ring(None);
    several.append(fsdp(true));
    let exchange = Exchange {
        volume: Volume::Message(MESSAGE),
        order: exchange::Order::Shifted,
        in_flight: Some(2),
    };
    for traffic in [
        ring(Some(11)),
        Butterfly { volume: Volume::Message(MESSAGE) }
            .generate(&ranks(8), &ComputeTimes::default())
            .unwrap(),
        exchange.generate(&ranks(9), &ComputeTimes::default(), 1).unwrap(),
        fsdp(true),
        fsdp(false),
        several,
    ] {
        let plan = plan(traffic);
        assert_eq!(trouble(&plan), None);
        assert_eq!(engine::run(&plan, &mut ()).stop, Stop::Completed);
    }
}

/// Three rounds in which every host sends to another; a round starts with the last ACK of the one
/// before, at other hosts.
fn rounds(message: Bytes) -> Traffic {
    let number = |round: u32, host: u32| FlowId(round * HOSTS + host);
    let flow = |round: u32, host: u32| Flow {
        start: if round == 0 { Start::At(Time::ZERO) } else { Start::WHEN_TRIGGERED },
        on_acked: (round < 2).then(|| TriggerId::new(round)),
        ..Flow::at_zero(host, (host + 5) % HOSTS, message)
    };
    let opens = |round: u32| {
        Trigger::new(
            TriggerKind::All { count: HOSTS },
            (0..HOSTS).map(|host| number(round + 1, host)).collect(),
        )
    };
    let flows = (0..3).flat_map(|round| (0..HOSTS).map(move |host| flow(round, host))).collect();
    Traffic { flows, triggers: vec![opens(0), opens(1)], ..Traffic::default() }
}

/// Hosts that are tied run apart where no trigger can fire: long messages and short, lost packets and
/// symbols.
#[test]
fn triggers_fire_at_their_instants_whatever_is_under_way() {
    for (packets, in_flight, recovery) in
        [(1, 9, "sack"), (13, 2, "sack"), (80, 1, "erasure"), (80, 15, "sack"), (300, 3, "erasure")]
    {
        let message = Bytes(packets * 4096 - 100);
        let (volume, order) = (Volume::Message(message), exchange::Order::Shifted);
        let exchange = Exchange { volume, order, in_flight: Some(in_flight) };
        let mut traffic = exchange.generate(&ranks(HOSTS), &ComputeTimes::default(), 1).unwrap();
        traffic.append(
            Butterfly { volume: Volume::Message(message) }
                .generate(&ranks(8), &ComputeTimes::default())
                .unwrap(),
        );
        traffic.append(rounds(message));
        let mut plan = plan(traffic);
        plan.queue.size = Size::Packets(24.0);
        plan.transport.recovery = recovery::Config::named(recovery).unwrap();
        assert_eq!(trouble(&plan), None, "{packets} packets");
        let outcome = engine::run(&plan, &mut ());
        assert_eq!(outcome.stop, Stop::Completed);
        assert!(packets < 80 || outcome.flows.iter().any(|flow| flow.dropped > 0));
    }
}

/// Sixteen long messages of each host are awaited, too, and first.
#[test]
fn a_trigger_fires_that_waits_for_more_flows_than_a_host_looks_at() {
    let long = |host: u32| {
        let to = (1..HOSTS).chain([1]).map(move |hop| (host + hop) % HOSTS);
        let on_acked = Some(TriggerId::new(0));
        to.map(move |to| Flow { on_acked, ..Flow::at_zero(host, to, Bytes(200 * 4096)) })
    };
    let mut flows: Vec<Flow> = (0..HOSTS).flat_map(long).collect();
    let kind = TriggerKind::All { count: flows.len() as u32 };
    flows.push(Flow { start: Start::WHEN_TRIGGERED, ..Flow::at_zero(0, 1, MESSAGE) });
    let targets = vec![FlowId(flows.len() as u32 - 1)];
    let triggers = vec![Trigger::new(kind, targets)];
    let mut traffic = Traffic { flows, triggers, ..Traffic::default() };
    traffic.append(rounds(Bytes(20 * 4096)));
    let plan = plan(traffic);
    assert_eq!(trouble(&plan), None);
    assert_eq!(engine::run(&plan, &mut ()).stop, Stop::Completed);
}

#[test]
fn a_hop_of_a_ring_starts_at_the_instant_its_chunk_arrives() {
    let plan = plan(ring(None));
    let flows = engine::run(&plan, &mut ()).flows;
    for (flow, next) in flows.iter().zip(flows.iter().skip(6)) {
        assert_eq!(next.started, flow.delivered);
    }
}

#[test]
fn a_round_of_a_butterfly_starts_when_both_messages_are_done() {
    let plan = plan(
        Butterfly { volume: Volume::Message(MESSAGE) }
            .generate(&ranks(8), &ComputeTimes::default())
            .unwrap(),
    );
    let flows = engine::run(&plan, &mut ()).flows;
    for rank in 0..8 {
        let both = flows.at(rank).acked.max(flows.at(rank ^ 1).delivered);
        assert_eq!(flows.at(8 + rank).started, both);
    }
}

#[test]
fn a_phase_starts_when_all_of_the_one_before_is_delivered() {
    let traffic = fsdp(true);
    let phases = traffic.jobs[0].phases.clone();
    let flows = engine::run(&plan(traffic), &mut ()).flows;
    for pair in phases.windows(2) {
        let before = flows.range(pair[0].flows.start as usize..pair[0].flows.end as usize);
        let mut first = flows.iter().skip(pair[1].flows.start as usize).take(HOSTS as usize);
        let last = before.map(|flow| flow.delivered).max().unwrap();
        assert!(first.all(|flow| flow.started == last));
    }
}

#[test]
fn flows_that_name_another_path_selector_run_as_if_all_had_it() {
    let of_all = crate::common::permutation(crate::common::fat_tree(2, HOSTS), MESSAGE, "ecmp", 3);
    let mut of_flows =
        crate::common::permutation(crate::common::fat_tree(2, HOSTS), MESSAGE, "ops", 3);
    let other = engine::run(&of_flows, &mut ());
    of_flows.transport.other_load_balances = vec![host::Config::named("ecmp").unwrap()];
    of_flows.traffic.flows.iter_mut().for_each(|flow| flow.load_balance = 1);
    let expected = engine::run(&of_all, &mut ());
    assert!(engine::run(&of_flows, &mut ()) == expected);
    assert_ne!(other.flows, expected.flows);
}
