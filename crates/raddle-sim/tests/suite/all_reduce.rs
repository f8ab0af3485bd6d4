//! How long an AllReduce takes, by formula: latency and bytes, as textbooks count them, from what one
//! message takes.
#![expect(clippy::unwrap_used, reason = "traffic that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::{fat_tree, plan};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::engine;
use raddle_sim::record::{FlowRecord, Outcome, Stop};
use raddle_sim::workload::collective::butterfly::Butterfly;
use raddle_sim::workload::collective::compute::ComputeTimes;
use raddle_sim::workload::collective::direct::Direct;
use raddle_sim::workload::collective::halving_doubling::HalvingDoubling;
use raddle_sim::workload::collective::ring::Ring;
use raddle_sim::workload::collective::tree::Tree;
use raddle_sim::workload::collective::volume::Volume;
use raddle_sim::workload::job::Operation;
use raddle_sim::workload::{Traffic, WorkloadError};

/// A packet, times which messages are whole numbers of packets.
const PACKET: u64 = 4096;
const OPERATION: Operation = Operation::AllReduce;

/// The run of some ranks below one ToR, so that only their own links hold them up.
fn run(
    ranks: u32,
    generate: impl FnOnce(&[HostId], &ComputeTimes) -> Result<Traffic, WorkloadError>,
) -> Outcome {
    let ranks: Vec<HostId> = (0..ranks).map(HostId).collect();
    let traffic = generate(&ranks, &ComputeTimes::default()).unwrap();
    let plan = plan(fat_tree(2, 128), traffic, "ecmp", 1);
    assert_eq!(trouble(&plan), None);
    let outcome = engine::run(&plan, &mut ());
    assert_eq!(outcome.stop, Stop::Completed);
    outcome
}

/// When messages of so many packets that two hosts send to each other are delivered, and
/// acknowledged.
fn exchange(packets: u64) -> [u64; 2] {
    let volume = Volume::Message(Bytes(packets * PACKET));
    let ring = Ring { operation: OPERATION, volume, hops: Some(1) };
    let flows = run(2, |ranks, compute| ring.generate(ranks, compute)).flows;
    let last = |end: fn(FlowRecord) -> Option<Time>| flows.iter().filter_map(end).max().unwrap().0;
    [last(|flow| flow.delivered), last(|flow| flow.acked)]
}

fn is_within(time: Time, expected: u64, percent: u64) -> bool {
    let slack = Span(expected * percent / 100).0;
    (expected - slack..=expected + slack).contains(&time.0)
}

#[test]
fn a_butterfly_takes_the_logarithm_of_the_ranks_times_the_whole() {
    let butterfly = Butterfly { volume: Volume::Size(Bytes(80 * PACKET)) };
    let outcome = run(8, |ranks, compute| butterfly.generate(ranks, compute));
    assert_eq!(outcome.end, Time(3 * exchange(80)[1]));
}

#[test]
fn halving_and_doubling_takes_twice_the_logarithm_and_what_a_ring_sends() {
    let both = HalvingDoubling { operation: OPERATION, volume: Volume::Size(Bytes(80 * PACKET)) };
    let outcome = run(8, |ranks, compute| both.generate(ranks, compute));
    let expected: u64 = [40, 20, 10, 10, 20, 40].map(|packets| exchange(packets)[1]).iter().sum();
    assert_eq!(outcome.end, Time(expected));
}

#[test]
fn a_direct_all_reduce_takes_two_latencies_and_what_a_ring_sends() {
    let direct = Direct { operation: OPERATION, volume: Volume::Size(Bytes(8 * 40 * PACKET)) };
    let outcome = run(8, |ranks, compute| direct.generate(ranks, compute));
    let expected = 2 * exchange(7 * 40)[0];
    assert!(is_within(outcome.end, expected, 4), "{}, {expected}", outcome.end);
}

fn tree(ranks: u32, trees: u32, chunks: u32, in_flight: u32, size: u64) -> Time {
    let volume = Volume::Size(Bytes(size * PACKET));
    let tree = Tree { volume, trees, chunks, in_flight };
    run(ranks, |ranks, compute| tree.generate(ranks, compute)).end
}

#[test]
fn a_tree_without_chunks_takes_its_height_twice_and_both_children_each_time() {
    // Two messages into a host, and two out of one, take as long as one of both sizes.
    let [delivered, acked] = exchange(2 * 40);
    let expected = 3 * delivered + acked;
    let end = tree(7, 1, 1, 1, 40);
    assert!(is_within(end, expected, 2), "{end}, {expected}");
}

#[test]
fn a_chain_of_chunks_takes_the_chunks_and_the_height() {
    // Two ranks: one chunk up after the other, and the last one down. Of 40 chunks of 40 packets all
    // but one wait for an ACK.
    let [delivered, acked] = exchange(40);
    let end = tree(2, 1, 10, 1, 400);
    let expected = 9 * acked + 2 * delivered;
    assert!(is_within(end, expected, 3), "{end}, {expected}");
    assert!(tree(2, 1, 1, 1, 400).0 > end.0, "what goes up in chunks comes down sooner");
}

#[test]
fn two_trees_of_long_chunks_send_less_through_any_rank() {
    let [one, two] = [1, 2].map(|trees| tree(7, trees, 16 / trees, 2, 16 * 60));
    // An inner rank sends its sum up and twice down; with two trees no rank sends more than twice.
    assert!(two.0 < one.0 * 85 / 100, "{two}, {one}");
}
