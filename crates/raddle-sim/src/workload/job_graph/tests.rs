//! Jobs as flows, and what is refused.

use super::style::{Rails, Style};
use super::{CollectiveOp, Does, Edge, Group, JobGraph, Rank, SendDone, UnitOrder, Ways};
use crate::host::endpoints::triggers::groups;
use crate::workload::collective::compute::ComputeTimes;
use crate::workload::collective::ring::Ring;
use crate::workload::collective::volume::Volume;
use crate::workload::job::Operation;
use crate::workload::{Start, Traffic, Trigger};
use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::units::{Bytes, Span, Time};

fn hosts(n: u32) -> Vec<HostId> {
    (0..n).map(HostId).collect()
}

fn job(ranks: Vec<Rank>) -> JobGraph {
    JobGraph { ranks, ..JobGraph::default() }
}

fn send(to: u32, bytes: u64) -> Does {
    Does::Send { to, bytes: Bytes(bytes), tag: 0 }
}

fn recv(from: u32) -> Does {
    Does::Recv { from: Some(from), tag: Some(0), bytes: None }
}

fn traffic(job: &JobGraph) -> Traffic {
    job.clone().traffic(&hosts(job.ranks.len() as u32)).unwrap()
}

fn errors(job: &JobGraph) -> Vec<String> {
    job.compile().unwrap_err().iter().map(ToString::to_string).collect()
}

/// A rank that does one thing after the other.
fn chain(does: Vec<Does>) -> Rank {
    let mut rank = Rank::default();
    let mut last = None;
    for (id, does) in (0..).zip(does) {
        last =
            Some(rank.push(id, does, None, &last.map(Edge::end).into_iter().collect::<Vec<_>>()));
    }
    rank
}

#[test]
fn a_broadcast_is_over_for_its_last_rank_when_that_has_come_to_it() {
    let broadcast = || Does::Coll { group: 0, op: CollectiveOp::Broadcast, bytes: Bytes(100) };
    let first = chain(vec![broadcast(), recv(1)]);
    let last = chain(vec![Does::Calc(Span::us(5)), broadcast(), send(0, 300)]);
    let groups = vec![Group { name: "all".to_owned(), ranks: vec![0, 1] }];
    let traffic = traffic(&JobGraph { groups, ..job(vec![first, last]) });
    let next = traffic.flows.iter().position(|flow| flow.bytes == Bytes(300)).unwrap();
    let starts = |own: &&Trigger| own.targets == [FlowId(next as u32)];
    let trigger = traffic.triggers.iter().find(starts).unwrap();
    assert_eq!(trigger.not_before, Time::ZERO + Span::us(5));
}

#[test]
fn work_follows_what_came_and_what_was_acknowledged() {
    let calc = |ns| Does::Calc(Span::ns(ns));
    let first = chain(vec![calc(5), send(1, 100), calc(3), send(1, 200)]);
    let second = chain(vec![recv(0), calc(2), calc(4), send(0, 300)]);
    let mut last = second.clone();
    last.push(9, recv(0), None, &[]);
    let mut first = first;
    first.push(9, recv(1), None, &[]);
    let traffic = traffic(&job(vec![first, last]));
    assert_eq!(traffic.flows.len(), 3);
    let by = |bytes| traffic.flows.iter().find(|flow| flow.bytes == Bytes(bytes)).unwrap();
    assert_eq!(by(100).start, Start::At(Time(5_000)));
    let acked = &traffic.triggers[by(100).on_acked.unwrap().index()];
    assert_eq!((acked.work, acked.targets.len()), (Span::ns(3), 1));
    let there = &traffic.triggers[by(100).on_delivered.unwrap().index()];
    assert_eq!(there.work, Span::ns(2));
    assert_eq!(traffic.triggers[there.fires[0].index()].work, Span::ns(4));
    assert_eq!(by(200).on_acked, None);
    assert_eq!(groups(&traffic, 2), [0, 1]);
}

#[test]
fn a_start_is_waited_for_apart_from_an_end() {
    let mut rank = Rank::default();
    let long = rank.push(0, Does::Calc(Span::us(9)), None, &[]);
    rank.push(1, send(1, 1), None, &[Edge::start(long)]);
    rank.push(2, send(1, 2), None, &[Edge::end(long)]);
    let other = chain(vec![recv(0), recv(0)]);
    let traffic = traffic(&job(vec![rank, other]));
    let starts: Vec<Start> = traffic.flows.iter().map(|flow| flow.start).collect();
    assert_eq!(starts, [Start::At(Time::ZERO), Start::At(Time(9_000_000))]);
}

fn all_reduce(n: u32, before: impl Fn(u32) -> Option<Span>) -> JobGraph {
    let ranks = (0..n).map(|rank| {
        let mut own = Rank::default();
        let first = before(rank).map(|work| own.push(0, Does::Calc(work), None, &[]));
        let op = CollectiveOp::AllReduce;
        let after: Vec<Edge> = first.into_iter().map(Edge::end).collect();
        own.push(1, Does::Coll { group: 0, op, bytes: Bytes(1_003) }, None, &after);
        own
    });
    let group = Group { name: "all".into(), ranks: (0..n).collect() };
    JobGraph { ranks: ranks.collect(), groups: vec![group], ..JobGraph::default() }
}

#[test]
fn a_collective_alone_is_that_of_a_scenario() {
    let ring =
        Ring { operation: Operation::AllReduce, volume: Volume::Size(Bytes(1_003)), hops: None };
    let expected = ring.generate(&hosts(4), &ComputeTimes::default()).unwrap();
    let mut own = traffic(&all_reduce(4, |_| None));
    assert!(own.jobs[0].script.take().is_some());
    assert_eq!(own, expected);
}

#[test]
fn a_rank_sends_when_it_has_come_to_the_collective() {
    let late = |rank| (rank == 2).then_some(Span::us(3));
    let traffic = traffic(&all_reduce(4, late));
    let start = |flow: usize| traffic.flows[flow].start;
    let zero = Start::At(Time::ZERO);
    assert_eq!([0, 1, 2, 3].map(start), [zero, zero, Start::At(Time(3_000_000)), zero]);
    // Chunk 1 comes to rank 2 at its second hop.
    assert_eq!(traffic.flows[5].source, HostId(2));
    let gate = &traffic.triggers[traffic.flows[1].on_delivered.unwrap().index()];
    assert_eq!((gate.not_before, &gate.targets[..]), (Time(3_000_000), &[FlowId(5)][..]));
}

#[test]
fn counts_are_those_of_the_flows() {
    for op in CollectiveOp::ALL {
        for (n, bytes, channels) in [(4, 1_003, 1), (5, 3, 2), (8, 1_024, 3)] {
            let mut job = all_reduce(n, |_| None);
            job.channels = channels;
            for rank in &mut job.ranks {
                rank.nodes[0].does = Does::Coll { group: 0, op: *op, bytes: Bytes(bytes) };
            }
            let compiled = job.compile().unwrap();
            let counted = compiled.counts(&job).collectives.swap_remove(0);
            let traffic = compiled.traffic(job, &hosts(n));
            let sent: u64 = traffic.flows.iter().map(|flow| flow.bytes.0).sum();
            let expected = (traffic.flows.len() as u64, sent);
            assert_eq!((counted.sends, counted.send_bytes), expected, "{op} {n} {bytes}");
        }
    }
}

/// Two servers of four, on as many channels: of each ring's hops two leave a server.
#[test]
fn messages_of_servers_are_counted_by_their_ways() {
    for (rails, inside, on_rails, across) in [
        (Rails::Pxn, 4 * 14 * 6 + 4 * 14 * 2, 4 * 14 * 2, 0),
        (Rails::Alternate, 4 * 14 * 6, 4 * 14 * 2, 0),
        (Rails::Cross, 4 * 14 * 6, 0, 4 * 14 * 2),
    ] {
        let mut job = all_reduce(8, |_| None);
        (job.channels, job.style) = (4, Style { gpus: 4, rails, ..Style::default() });
        let compiled = job.compile().unwrap();
        let counted = compiled.counts(&job).collectives.swap_remove(0);
        assert_eq!(counted.ways, Some(Ways { inside, on_rails, across }), "{rails:?}");
        let traffic = compiled.traffic(job, &hosts(8));
        let sent: u64 = traffic.flows.iter().map(|flow| flow.bytes.0).sum();
        let flows = traffic.flows.len() as u64;
        assert_eq!((counted.sends, counted.send_bytes), (flows, sent), "{rails:?}");
        assert_eq!(flows, inside + on_rails + across);
    }
}

#[test]
fn units_go_in_order() {
    let calc = |ns| Does::Calc(Span::ns(ns));
    // The first waits for a message that comes when the second has sent.
    let mut first = Rank::default();
    let got = first.push(0, recv(1), None, &[]);
    first.push(1, calc(5), Some(0), &[Edge::end(got)]);
    let own = first.push(2, calc(7), Some(0), &[]);
    first.push(3, send(1, 1), None, &[Edge::end(own)]);
    let second = chain(vec![recv(0), send(0, 1)]);
    let mut job = job(vec![first, second]);
    assert!(errors(&job)[0].contains("nodes wait for each other in a circle"));
    job.order = UnitOrder::Ready;
    let traffic = traffic(&job);
    assert_eq!(traffic.flows[0].start, Start::At(Time(7_000)));
}

#[test]
fn a_unit_that_is_held_by_what_waits_for_it_is_a_stall() {
    // The receive is ready at once, and holds the unit that the send needs.
    let mut own = Rank::default();
    let first = own.push(3, Does::Calc(Span::ns(1)), None, &[]);
    own.push(4, send(0, 5), Some(0), &[Edge::end(first)]);
    own.push(5, recv(0), Some(0), &[]);
    let mut job = job(vec![own]);
    job.order = UnitOrder::Ready;
    assert_eq!(
        errors(&job),
        [
            "rank 0, node 5: the run would stall: what goes one at a time is held by nodes that wait for \
          others: node 5 of rank 0"
        ]
    );
    job.order = UnitOrder::Written;
    assert_eq!(traffic(&job).flows.len(), 0);
}

#[test]
fn a_message_to_oneself_needs_no_network() {
    let traffic =
        traffic(&job(vec![chain(vec![send(0, 5), recv(0), send(1, 7)]), chain(vec![recv(0)])]));
    assert_eq!(traffic.flows.len(), 1);
    assert_eq!(traffic.flows[0].start, Start::At(Time::ZERO));
}

#[test]
fn a_send_can_be_done_when_it_is_delivered() {
    let first = chain(vec![send(1, 5), send(1, 6)]);
    let mut job = job(vec![first, chain(vec![recv(0), recv(0)])]);
    assert!(traffic(&job).flows[0].on_acked.is_some());
    job.send_done = SendDone::Delivered;
    assert!(traffic(&job).flows[0].on_acked.is_none());
}

#[test]
fn mistakes_name_rank_and_node() {
    let mut own = chain(vec![send(1, 5), send(1, 6)]);
    own.nodes[1].id = 77;
    let sized = Does::Recv { from: Some(0), tag: Some(0), bytes: Some(Bytes(4)) };
    let wrong = job(vec![own, chain(vec![sized, recv(0), recv(0)])]);
    assert_eq!(
        errors(&wrong),
        [
            "rank 1, node 0: receives 4 B, and its send, node 0 of rank 0, has 5 B",
            "rank 1, node 2: receives from rank 0 with tag 0, and no send is left",
        ]
    );
    let wrong = job(vec![chain(vec![send(1, 5); 25]), Rank::default()]);
    let all = errors(&wrong);
    assert_eq!(all.len(), 21);
    assert_eq!(all[0], "rank 0, node 0: sends to rank 1 with tag 0, which never receives it");
    assert_eq!(all[20], "5 more mistakes like these");
    let circle = job(vec![chain(vec![recv(1), send(1, 1)]), chain(vec![recv(0), send(0, 1)])]);
    assert_eq!(
        errors(&circle),
        ["rank 0, node 0: 4 nodes wait for each other in a circle: node 0 of rank 0, node 1 of \
          rank 0, node 0 of rank 1, node 1 of rank 1"]
    );
    let mut stalls = all_reduce(4, |_| None);
    stalls.ranks[2] = Rank::default();
    assert_eq!(
        errors(&stalls),
        [
            "rank 0, node 1: collective 1 of group `all` is not entered by rank 2: the run would stall"
        ]
    );
    let mut other = all_reduce(2, |_| None);
    let op = CollectiveOp::AllGather;
    other.ranks[1].nodes[0].does = Does::Coll { group: 0, op, bytes: Bytes(9) };
    assert_eq!(
        errors(&other),
        [
            "rank 1, node 1: collective 1 of group `all` is all_gather of 9 B here and all_reduce of \
          1003 B at rank 0"
        ]
    );
}

#[test]
fn a_receive_from_anyone_takes_what_others_leave() {
    let any = Does::Recv { from: None, tag: None, bytes: None };
    let ranks = vec![chain(vec![any, recv(2)]), chain(vec![send(0, 5)]), chain(vec![send(0, 6)])];
    let compiled = job(ranks).compile().unwrap();
    assert_eq!(compiled.matched.messages, [((0, 1), (2, 0)), ((0, 0), (1, 0))]);
}
