//! Which bounds apply to which traffic, on a fabric small enough to compute them by hand.

use super::flow_alone::Lone;
use super::route::Routes;
use super::testing::LeafSpine;
use super::*;
use crate::workload::all_to_all::{AllToAll, Order};
use crate::workload::incast::Incast;
use crate::workload::tornado::Tornado;
use crate::workload::{Flow, Traffic};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::Rate;

/// 1000 B take 80 ns and 64 B 5.12 ns at 100 Gbps.
const FRAMES: Frames =
    Frames { payload: Bytes(936), header: Bytes(64), ack: Bytes(64), gap: Bytes(0) };
/// Across the spine one way: 2.6 us; within a ToR 1.2 us.
const FAR: u64 = 2_600_000;

fn bounds(flows: Vec<Flow>) -> Vec<Bound> {
    completion(&flows.into(), &LeafSpine::default().fabric(), &FRAMES)
}

fn names(bounds: &[Bound]) -> Vec<&'static str> {
    bounds.iter().map(|bound| bound.name).collect()
}

#[test]
fn a_single_flow_is_bounded_by_its_time_alone() {
    let bounds = bounds(vec![Flow::at_zero(0, 3, Bytes(936 * 10))]);
    let alone = Span(2 * FAR + 4 * 80_000 + 9 * 80_000 + 4 * 5_120);
    assert_eq!(names(&bounds), ["host_link", "flow_alone", "cut"]);
    assert!(bounds[..2].iter().all(|bound| bound.time == alone), "{bounds:?} {alone:?}");
}

#[test]
fn a_slow_top_bounds_a_path_but_not_a_flow_that_may_use_many() {
    let slow = LeafSpine { up_rate: Rate::gbps(50), ..LeafSpine::default() };
    let fabric = slow.fabric();
    let mut routes = Routes::new(&fabric);
    let route = routes.find(HostId(0), HostId(3)).unwrap();
    let back = routes.find(HostId(3), HostId(0)).unwrap();
    let message = Bytes(936 * 10);
    let lone = Lone { message, frames: &FRAMES, route: &route, back: &back };
    let ends = 2 * FAR + 2 * 80_000 + 2 * 160_000 + 2 * 5_120 + 2 * 10_240;
    assert_eq!(lone.on_one_path(), Span(ends + 9 * 160_000));
    assert_eq!(lone.delivered_at_least() + lone.ack_return(), Span(ends + 9 * 80_000));
}

#[test]
fn an_incast_is_bounded_by_the_receiver_s_link() {
    let bound = |packets: u64| {
        let message = Bytes(936 * packets);
        let incast = Incast { senders: 3, receiver: HostId(0), message };
        bounds(incast.generate(4).unwrap().flows)[0]
    };
    // All three: the nearest sender's first packet arrives at the last link after one hop, and the
    // last ACK may go back to it.
    let all = 80_000 + 700_000 + 300 * 80_000 + 500_000 + 2 * 5_120 + 1_200_000;
    assert_eq!(bound(100), Bound { name: "host_link", time: Span(all) });
    // Short messages: the two across the spine, after the near one.
    let far = 3 * 80_000 + 3 * 700_000 + 20 * 80_000 + 500_000 + 4 * 5_120 + FAR;
    assert_eq!(bound(10), Bound { name: "host_link", time: Span(far) });
}

#[test]
fn a_permutation_is_bounded_by_the_longest_of_its_paths() {
    let traffic = Tornado { message: Bytes(936 * 200) }.generate(4).unwrap();
    let bounds = bounds(traffic.flows.clone());
    assert_eq!(names(&bounds), ["permutation", "host_link", "cut", "flow_alone"]);
    let path = permutation::Path { hops: 4, latency: Span(FAR), rate: Rate::gbps(100) };
    let tail = permutation::TailTerm::Ack;
    let phases = permutation::bound(Bytes(936 * 200), &FRAMES, &path, tail);
    assert_eq!(bounds[0].time, phases.time);

    let near = [Flow::at_zero(0, 1, Bytes(936)), Flow::at_zero(1, 0, Bytes(936))];
    assert!(names(&self::bounds(near.to_vec())).contains(&"permutation"));
    let one_way = vec![Flow::at_zero(0, 1, Bytes(936))];
    assert!(!names(&self::bounds(one_way)).contains(&"permutation"));
    let unequal = [Flow::at_zero(0, 1, Bytes(936)), Flow::at_zero(1, 0, Bytes(937))];
    assert!(!names(&self::bounds(unequal.to_vec())).contains(&"permutation"));

    let mixed = LeafSpine { up_rate: Rate::gbps(200), ..LeafSpine::default() }.fabric();
    assert!(!names(&completion(&traffic, &mixed, &FRAMES)).contains(&"permutation"));
}

#[test]
fn an_all_to_all_is_bounded_by_what_each_host_sends_also_if_few_are_in_flight() {
    let fabric = LeafSpine::default().fabric();
    for in_flight in [None, Some(1), Some(2)] {
        let message = Bytes(936 * 1000);
        let traffic =
            AllToAll { message, order: Order::Shifted, in_flight }.generate(4, 1).unwrap();
        let bounds = completion(&traffic, &fabric, &FRAMES);
        // The last frame may be an ACK to a neighbour at the same ToR, 1.2 us away.
        let time = Span(3 * 1000 * 85_120 + 1_200_000);
        let all_to_all = bounds.iter().find(|bound| bound.name == "all_to_all").unwrap();
        assert_eq!(all_to_all.time, time);
    }
}

#[test]
fn triggered_flows_add_up() {
    let fabric = LeafSpine::default().fabric();
    let traffic = AllToAll { message: Bytes(936), order: Order::Shifted, in_flight: Some(1) }
        .generate(4, 1)
        .unwrap();
    let round_trip = |far| if far { 2 * FAR + 4 * 85_120 } else { 2_400_000 + 2 * 85_120 };
    // Two messages across the spine and one within the ToR, one after the other.
    let chain = Span(2 * round_trip(true) + round_trip(false));
    let bounds = completion(&traffic, &fabric, &FRAMES);
    assert_eq!(bounds[0].time, chain);
}

#[test]
fn later_starts_move_the_completion() {
    let fabric = LeafSpine::default().fabric();
    let late = Flow { start: Start::At(Time(7_000_000)), ..Flow::at_zero(0, 3, Bytes(936)) };
    let traffic: Traffic = vec![Flow::at_zero(0, 1, Bytes(936)), late].into();
    let alone = 2 * FAR + 4 * 85_120;
    assert_eq!(completion(&traffic, &fabric, &FRAMES)[0].time, Span(7_000_000 + alone));
}

#[test]
fn no_traffic_has_no_bound() {
    let fabric = LeafSpine::default().fabric();
    assert_eq!(completion(&Traffic::default(), &fabric, &FRAMES), []);
}
