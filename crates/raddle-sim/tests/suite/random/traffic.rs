//! Random traffic: every generator, and graphs of triggers across hosts.

use super::choices::Choices;
use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::topology::Fabric;
use raddle_sim::workload::all_to_all::{AllToAll, Order};
use raddle_sim::workload::collective::butterfly::Butterfly;
use raddle_sim::workload::collective::compute::{Compute, Extra, Per, Straggler};
use raddle_sim::workload::collective::direct::Direct;
use raddle_sim::workload::collective::exchange::Exchange;
use raddle_sim::workload::collective::fsdp::Fsdp;
use raddle_sim::workload::collective::halving_doubling::HalvingDoubling;
use raddle_sim::workload::collective::ring::Ring;
use raddle_sim::workload::collective::tree::Tree;
use raddle_sim::workload::collective::volume::Volume;
use raddle_sim::workload::graph::{After, End, Graph, Send};
use raddle_sim::workload::host_set::HostSet;
use raddle_sim::workload::incast::Incast;
use raddle_sim::workload::job::Operation;
use raddle_sim::workload::job_graph::{
    CollectiveOp, Does, Edge, Group, JobGraph, Rank, SendDone, Style, UnitOrder,
};
use raddle_sim::workload::law::{Law, Sampling};
use raddle_sim::workload::permutation::Permutation;
use raddle_sim::workload::poisson::{LoadBase, Poisson, Receivers};
use raddle_sim::workload::poisson_incast::{PoissonIncast, Responders};
use raddle_sim::workload::tornado::Tornado;
use raddle_sim::workload::{Flow, Start, Traffic, Trigger, TriggerId, TriggerKind};

/// One byte, whole packets, and a short last packet.
const MESSAGES: [u64; 7] = [936, 1, 9_360, 5_000, 20_000, 46_800, 65_537];
/// Many packets, the last of them short.
const LONG_MESSAGES: [u64; 4] = [100_000, 30_000, 200_001, 409_600];
/// Round, so that flows start when other things happen, and not.
const INSTANTS: [u64; 6] = [0, 100_000, 1_000_000, 200_000, 3_000_000, 1_234_567];

fn message(choices: &mut Choices<'_>) -> Bytes {
    Bytes(choices.pick(&MESSAGES))
}

/// Long messages between all hosts.
pub(super) fn draw_busy(choices: &mut Choices<'_>, hosts: u32, seed: u64) -> Traffic {
    let message = Bytes(choices.pick(&LONG_MESSAGES));
    match choices.below(4) {
        0 => Permutation { message, inter_pod_only: false }.generate(hosts, &|_| 0, seed).unwrap(),
        1 => Tornado { message }.generate(hosts).unwrap(),
        2 => {
            let receiver = HostId(choices.below(hosts));
            let message = Bytes(message.0 / 4);
            Incast { senders: hosts - 1, receiver, message }.generate(hosts).unwrap()
        }
        _ => {
            let order = choices.pick(&[Order::Shifted, Order::Random]);
            let message = Bytes(message.0 / 4);
            AllToAll { message, order, in_flight: None }.generate(hosts, seed).unwrap()
        }
    }
}

pub(super) fn draw(choices: &mut Choices<'_>, fabric: &Fabric, seed: u64) -> Traffic {
    let hosts = fabric.hosts;
    match choices.below(12) {
        0 => several(choices, hosts, 1),
        1 => {
            let draw = Permutation { message: message(choices), inter_pod_only: false };
            draw.generate(hosts, &|_| 0, seed).unwrap()
        }
        2 => {
            let receiver = HostId(choices.below(hosts));
            let draw = Incast { senders: hosts - 1, receiver, message: message(choices) };
            draw.generate(hosts).unwrap()
        }
        3 => {
            let in_flight = choices.pick(&[Some(1), Some(2), None]);
            let message = Bytes(message(choices).0.min(5_000));
            let order = choices.pick(&[Order::Shifted, Order::Random]);
            AllToAll { message, order, in_flight }.generate(hosts, seed).unwrap()
        }
        4 => Tornado { message: message(choices) }.generate(hosts).unwrap(),
        5 => several(choices, hosts, 6),
        6 => triggers(choices, hosts),
        7 => graph(choices, hosts),
        8 => collective(choices, hosts, seed),
        10 => job(choices, hosts),
        9 => {
            let incast = PoissonIncast {
                rate: choices.pick(&[1e5, 1e6]),
                fan_in: choices.pick(&[2, 5]),
                size: message(choices) + Bytes(5),
                responders: Responders::Any,
                senders: some_hosts(choices, hosts),
                destinations: some_hosts(choices, hosts),
                replacement: true,
                horizon: Time(4_000_000),
            };
            incast.generate(fabric, seed).unwrap()
        }
        _ => poisson(choices, fabric, seed),
    }
}

/// Before a flow that a trigger starts.
fn delay(choices: &mut Choices<'_>) -> Span {
    choices.pick(&[Span::ZERO, Span::ZERO, Span(1), Span::ns(300), Span(2_345_678), Span::us(30)])
}

fn flow(choices: &mut Choices<'_>, hosts: u32) -> Flow {
    let source = choices.below(hosts);
    let destination = (source + choices.between(1, hosts - 1)) % hosts;
    let start = Start::At(Time(choices.pick(&INSTANTS)));
    Flow { start, ..Flow::at_zero(source, destination, message(choices)) }
}

/// Flows with any ends and starts; some twice, so that flows share both ends.
fn several(choices: &mut Choices<'_>, hosts: u32, most: u32) -> Traffic {
    let mut flows = Vec::new();
    for _ in 0..choices.between(1, most) {
        let flow = flow(choices, hosts);
        for _ in 0..choices.pick(&[1, 2, 1]) {
            flows.push(flow.clone());
        }
    }
    flows.into()
}

/// Flows that start each other at any hosts, some perhaps never.
fn triggers(choices: &mut Choices<'_>, hosts: u32) -> Traffic {
    let count = choices.between(2, 10);
    let mut traffic = Traffic::default();
    let number = choices.between(1, 4);
    for _ in 0..number {
        let kind = match choices.below(4) {
            0 => TriggerKind::Next,
            count => TriggerKind::All { count },
        };
        traffic.triggers.push(Trigger::new(kind, Vec::new()));
    }
    for trigger in 0..number {
        if choices.below(3) == 1 {
            let other = TriggerId::new(choices.below(number));
            traffic.triggers[trigger as usize].fires.push(other);
        }
    }
    for i in 0..count {
        let mut flow = flow(choices, hosts);
        if i > 0 && choices.below(3) > 0 {
            flow.start = Start::After(delay(choices));
            let trigger = choices.below(number) as usize;
            traffic.triggers[trigger].targets.push(FlowId(i));
        }
        let mut fired = || match choices.below(3) {
            0 => None,
            _ => Some(TriggerId::new(choices.below(number))),
        };
        flow.on_acked = fired();
        flow.on_delivered = fired();
        traffic.flows.push(flow);
    }
    works(choices, &mut traffic.triggers);
    traffic
}

/// Some of the triggers that fire no others work before they act: those that do may be fired more often
/// than they wait for, which is only for triggers without work before them.
fn works(choices: &mut Choices<'_>, triggers: &mut [Trigger]) {
    for trigger in triggers.iter_mut().filter(|trigger| trigger.fires.is_empty()) {
        if choices.below(4) == 1 {
            trigger.work = delay(choices);
            trigger.not_before = Time(choices.pick(&INSTANTS));
        }
    }
}

/// Sends, joins and work that wait for any earlier ones.
fn graph(choices: &mut Choices<'_>, hosts: u32) -> Traffic {
    let mut graph = Graph::default();
    let mut steps = Vec::new();
    for _ in 0..choices.between(2, 14) {
        let mut after = Vec::new();
        for _ in 0..choices.below(4).min(steps.len() as u32) {
            after.push(steps[choices.below(steps.len() as u32) as usize]);
        }
        let kind = choices.below(5);
        if kind == 1 {
            steps.push(graph.join(&after));
        } else if kind == 2 {
            let end = choices.pick(&[End::Delivered, End::Acked]);
            let after: Vec<After> = after.iter().map(|&step| After::new(step, end)).collect();
            steps.push(graph.work(delay(choices), &after));
        } else {
            let Flow { source, destination, bytes, .. } = flow(choices, hosts);
            let send = Send { source, destination, bytes, work: delay(choices) };
            steps.push(graph.work_and_send(send, &after));
        }
    }
    // What waits for nothing starts at time zero; a graph of joins alone has no flows.
    graph.send(HostId(0), HostId(1), message(choices), &steps);
    graph.traffic()
}

/// Ranks that compute, send, receive and take part in collectives, as units and edges let them.
pub(super) fn job(choices: &mut Choices<'_>, hosts: u32) -> Traffic {
    job_in(choices, hosts, Style::default())
}

/// The same, with collectives in a style.
pub(super) fn job_in(choices: &mut Choices<'_>, hosts: u32, style: Style) -> Traffic {
    let n = choices.between(2, hosts.min(6));
    let mut ranks = vec![Rank::default(); n as usize];
    let order = choices.pick(UnitOrder::ALL);
    let mut push = |choices: &mut Choices<'_>, rank: u32, does| {
        let own = &mut ranks[rank as usize];
        let id = own.nodes.len() as u32;
        // What waits for others may hold a unit for ever that they need, unless all is in order.
        let waits = matches!(does, Does::Recv { .. } | Does::Coll { .. });
        let free = order == UnitOrder::Ready && waits;
        let unit = choices.pick(&[None, Some(0), Some(1)]).filter(|_| !free);
        let edges: Vec<Edge> = (0..choices.below(3).min(id))
            .map(|_| {
                let on = choices.below(id);
                if choices.below(4) == 1 { Edge::start(on) } else { Edge::end(on) }
            })
            .collect();
        own.push(id.into(), does, unit, &edges);
    };
    for _ in 0..choices.between(2, 12) {
        let rank = choices.below(n);
        match choices.below(6) {
            1 => {
                let work = delay(choices);
                push(choices, rank, Does::Calc(work));
            }
            2 => {
                let op = choices.pick(CollectiveOp::ALL);
                let bytes = Bytes(message(choices).0.min(5_000));
                (0..n).for_each(|rank| {
                    push(choices, rank, Does::Coll { group: 0, op, bytes });
                });
            }
            _ => {
                let to = (rank + choices.below(n)) % n;
                let (tag, bytes) = (choices.below(2).into(), message(choices));
                push(choices, rank, Does::Send { to, bytes, tag });
                let from = Some(rank);
                push(choices, to, Does::Recv { from, tag: Some(tag), bytes: None });
            }
        }
    }
    let bytes = message(choices);
    push(choices, 0, Does::Send { to: 1, bytes, tag: 9 });
    push(choices, 1, Does::Recv { from: None, tag: Some(9), bytes: None });
    let groups = vec![Group { name: "all".to_owned(), ranks: (0..n).rev().collect() }];
    let (send_done, channels) = (choices.pick(SendDone::ALL), choices.below(3));
    let hosts: Vec<HostId> = (0..n).map(HostId).collect();
    JobGraph { ranks, groups, send_done, order, channels, style }.traffic(&hosts).unwrap()
}

fn compute(choices: &mut Choices<'_>) -> Compute {
    let time = delay(choices);
    let extras = [
        Extra::Constant(Span::us(2)),
        Extra::Exponential(Span::ns(500)),
        Extra::Lognormal { median: Span::us(1), sigma: 0.7 },
    ];
    let straggler = Straggler {
        per: choices.pick(&[Per::Host, Per::Step]),
        percent: choices.pick(&[100.0, 30.0]),
        extra: choices.pick(&extras),
    };
    Compute { time, straggler: (choices.below(2) == 1).then_some(straggler) }
}

/// A collective among some of the hosts that compute between its steps.
fn collective(choices: &mut Choices<'_>, hosts: u32, seed: u64) -> Traffic {
    let ranks: Vec<HostId> = (0..choices.between(2, hosts.min(9))).map(HostId).collect();
    let compute = compute(choices).draw(&ranks, seed);
    let message = Bytes(message(choices).0.min(5_000));
    let volume = match choices.below(3) {
        2 => Volume::Size(Bytes(message.0 + 9)),
        _ => Volume::Message(message),
    };
    let operations = [Operation::AllReduce, Operation::AllGather, Operation::ReduceScatter];
    let operation = choices.pick(&operations);
    match choices.below(7) {
        1 => {
            let ranks = &ranks[..1 << ranks.len().ilog2()];
            Butterfly { volume }.generate(ranks, &compute).unwrap()
        }
        2 => {
            let in_flight = choices.pick(&[None, Some(1)]);
            let exchange = Exchange { volume, order: Order::Shifted, in_flight };
            exchange.generate(&ranks, &compute, seed).unwrap()
        }
        3 => {
            let (steps, barrier) = (choices.pick(&[1, 2]), choices.below(2) == 0);
            let fsdp = Fsdp { layers: 1, message, gpus_per_server: 1, steps, barrier };
            fsdp.generate(&ranks, &compute).unwrap()
        }
        4 => {
            let ranks = &ranks[..1 << ranks.len().ilog2()];
            HalvingDoubling { operation, volume }.generate(ranks, &compute).unwrap()
        }
        5 => Direct { operation, volume }.generate(&ranks, &compute).unwrap(),
        6 => {
            let (trees, chunks) = (choices.pick(&[1, 2]), choices.pick(&[1, 3]));
            let in_flight = choices.pick(&[1, 2, 9]);
            Tree { volume, trees, chunks, in_flight }.generate(&ranks, &compute).unwrap()
        }
        _ => Ring { operation, volume, hops: None }.generate(&ranks, &compute).unwrap(),
    }
}

fn poisson(choices: &mut Choices<'_>, fabric: &Fabric, seed: u64) -> Traffic {
    let law = Law::from_csv("size_bytes,cdf\n1,0\n2000,0.7\n20000,1\n").unwrap();
    let several = fabric.edge(HostId(0)) != fabric.edge(HostId(fabric.hosts - 1));
    let all = [Receivers::Any, Receivers::OtherTors, Receivers::NextTor, Receivers::DrawnTor];
    let receivers = if several { &all[..] } else { &all[..1] };
    let receivers = choices.pick(receivers);
    let poisson = Poisson {
        law,
        sampling: Sampling::Linear,
        load: choices.pick(&[0.3, 0.9]),
        base: LoadBase::HostLink,
        senders: some_hosts(choices, fabric.hosts),
        receivers,
        // Below other ToRs there may be none of them.
        destinations: if receivers == Receivers::Any {
            some_hosts(choices, fabric.hosts)
        } else {
            None
        },
        horizon: Time(4_000_000),
        at_least: Bytes(0),
        below: None,
    };
    poisson.generate(fabric, seed).unwrap()
}

/// Two hosts, half of them and one more, the first and the last; or all.
fn some_hosts(choices: &mut Choices<'_>, hosts: u32) -> Option<HostSet> {
    let last = hosts - 1;
    let ranges = [vec![], vec![(0, 1)], vec![(0, hosts / 2)], vec![(0, 0), (last, last)]];
    HostSet::new(choices.pick(&ranges))
}
