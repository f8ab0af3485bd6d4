//! Messages of a pair side by side, and one after the other.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::{fat_tree, plan};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Time};
use raddle_sim::engine;
use raddle_sim::plan::PairOrder;
use raddle_sim::record::FlowRecord;
use raddle_sim::workload::collective::compute::ComputeTimes;
use raddle_sim::workload::collective::tree::Tree;
use raddle_sim::workload::collective::volume::Volume;
use raddle_sim::workload::{Flow, Start, Traffic};

const PACKET: u64 = 4096;

fn run(traffic: impl Into<Traffic>, order: PairOrder) -> Vec<FlowRecord> {
    let mut plan = plan(fat_tree(2, 16), traffic.into(), "ecmp", 1);
    plan.transport.pair_order = order;
    assert_eq!(trouble(&plan), None);
    engine::run(&plan, &mut ()).flows.iter().collect()
}

/// Messages of so many packets from host 0 to hosts below the same ToR, all at time zero.
fn messages(packets: &[(u32, u64)]) -> Vec<Flow> {
    packets.iter().map(|&(to, packets)| Flow::at_zero(0, to, Bytes(packets * PACKET))).collect()
}

fn delivered(flows: &[FlowRecord]) -> Vec<u64> {
    flows.iter().map(|flow| flow.delivered.unwrap().0).collect()
}

#[test]
fn a_message_follows_the_one_before_without_a_gap() {
    let alone = |packets| delivered(&run(messages(&[(1, packets)]), PairOrder::Fifo))[0];
    let flows = run(messages(&[(1, 20), (1, 1), (1, 30)]), PairOrder::Fifo);
    // Their packets are on the wire as those of one message are.
    assert_eq!(delivered(&flows), [20, 21, 51].map(alone));
    assert!(flows.iter().all(|flow| flow.started == Some(Time::ZERO)));
    let side_by_side = delivered(&run(messages(&[(1, 20), (1, 1), (1, 30)]), PairOrder::Parallel));
    assert!(side_by_side[0] > alone(20) && side_by_side[1] < alone(21));
    assert_eq!(side_by_side[2], alone(51));
}

#[test]
fn other_pairs_and_classes_do_not_wait() {
    let two = messages(&[(1, 40), (2, 40)]);
    assert_eq!(run(two.clone(), PairOrder::Fifo), run(two, PairOrder::Parallel));
    let mut classes = messages(&[(1, 40), (1, 40)]);
    classes[1].load_balance = 1;
    let run = |order| {
        let mut plan = plan(fat_tree(2, 16), classes.clone().into(), "ecmp", 1);
        plan.transport.other_load_balances = vec![plan.transport.load_balance.clone()];
        plan.transport.pair_order = order;
        assert_eq!(trouble(&plan), None);
        engine::run(&plan, &mut ()).flows
    };
    assert_eq!(run(PairOrder::Fifo), run(PairOrder::Parallel));
}

#[test]
fn messages_go_in_the_order_in_which_they_start() {
    let mut flows = messages(&[(1, 20), (1, 20)]);
    flows[0].start = Start::At(Time(1_000));
    let ends = delivered(&run(flows, PairOrder::Fifo));
    assert!(ends[1] < ends[0]);
}

#[test]
fn chunks_of_a_tree_in_order_come_down_sooner() {
    // Two ranks: more of them would meet in queues, with a window for each message.
    let ranks = [0, 1].map(HostId);
    let tree = |in_flight| {
        let volume = Volume::Size(Bytes(160 * PACKET));
        let tree = Tree { volume, trees: 1, chunks: 8, in_flight };
        tree.generate(&ranks, &ComputeTimes::default()).unwrap()
    };
    let end = |in_flight, order| {
        let flows = run(tree(in_flight), order);
        flows.iter().map(|flow| flow.acked.unwrap()).max().unwrap()
    };
    let fifo = end(8, PairOrder::Fifo);
    assert!(fifo < end(8, PairOrder::Parallel));
    assert!(fifo < end(1, PairOrder::Parallel));
}
