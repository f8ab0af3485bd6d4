//! Buffer policies that see the whole switch, where what it comes to can be worked out by hand.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::plan;
use crate::outside::moody;
use raddle_schemes::buffer::classes::{Alpha, PerClass};
use raddle_schemes::ids::HostId;
use raddle_schemes::size::{Limited, Size};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{buffer, congestion, marking};
use raddle_sim::engine;
use raddle_sim::plan::{BufferPlan, Overflow, Per, Pfc, Plan, Service};
use raddle_sim::record::{DropCause, Outcome, PortRecord};
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::{Flow, Start};

const PACKET: u64 = 4_160;
const SIZE: u64 = 100 * PACKET;

/// Two hosts of a rack send to each of two others at line rate, without congestion control, to the
/// second from 20 us on.
fn congested(policy: buffer::Config) -> Plan {
    let (link, switch) = (Span::ns(500), Span::ns(500));
    let shape = TreeShape::leaf_spine(2, 16, 16, 1, Rate::gbps(400), link, switch).unwrap();
    let flow = |i: u32| Flow::at_zero(2 + i, i % 2, Bytes::mib(4));
    let mut flows: Vec<Flow> = (0..4).map(flow).collect();
    flows
        .iter_mut()
        .filter(|flow| flow.destination.0 == 1)
        .for_each(|flow| flow.start = Start::At(Time(20_000_000)));
    let mut plan = plan(shape.build().unwrap(), flows.into(), "ops", 1);
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    plan.queue.size = Size::Unlimited;
    plan.queue.marking = marking::Config::named("none").unwrap();
    plan.buffer = Some(BufferPlan { size: Size::Bytes(Bytes(SIZE)), policy, per: Per::Switch });
    plan.end = Some(Time(70_000_000));
    plan
}

fn run(plan: &Plan) -> Outcome {
    assert_eq!(trouble(plan), None);
    engine::run(plan, &mut ())
}

/// Frames dropped and most bytes queued at the ToR's port to a host.
fn port(outcome: &Outcome, plan: &Plan, host: usize) -> (u64, u64) {
    let record = &outcome.ports[plan.fabric.ports[host].peer.index()];
    (record.dropped[DropCause::Overflow as usize], record.queue_bytes_max)
}

#[test]
fn the_longest_queue_gives_way_until_both_have_half() {
    let policy = buffer::Config::named("longest_queue_drop").unwrap();
    let plan = congested(policy);
    let outcome = run(&plan);
    // The first has the memory to itself, to the last frame; then the second takes half of it, a
    // frame more or less, since the one that is longer gives way.
    let ((_, first), (_, second)) = (port(&outcome, &plan, 0), port(&outcome, &plan, 1));
    assert_eq!(first, SIZE);
    assert!(second.abs_diff(SIZE / 2) <= PACKET, "{second}");
    assert_eq!(outcome.memory_bytes_max.iter().max(), Some(&SIZE));
    // Where whatever fits is kept, the second never gets there.
    let plan = congested(buffer::Config::named("complete_sharing").unwrap());
    let (_, starved) = port(&run(&plan), &plan, 1);
    assert!(starved < SIZE / 10, "{starved}");
}

/// How many packets are dropped of two messages of 20 that come for a queue at once, while long flows
/// fill another. With an alpha of 0.05 it may hold some 5 packets.
fn dropped_of_bursts(policy: buffer::Config) -> u64 {
    let mut plan = congested(policy);
    plan.traffic.flows.retain(|flow| flow.destination.0 == 0 || flow.source.0 == 3);
    for flow in plan.traffic.flows.iter_mut().filter(|flow| flow.destination.0 == 1) {
        (flow.bytes, flow.source) = (Bytes(20 * 4_096), HostId(3));
    }
    let two = Flow { start: Start::At(Time(20_000_000)), ..Flow::at_zero(5, 1, Bytes(20 * 4_096)) };
    plan.traffic.flows.push(two);
    port(&run(&plan), &plan, 1).0
}

#[test]
fn the_first_round_trip_uses_what_abm_keeps_free() {
    let dropped = |unscheduled: f64| {
        dropped_of_bursts(buffer::Config::Abm(buffer::abm::Config {
            alpha: PerClass::Each(vec![Alpha(0.05)]),
            unscheduled: Limited(Size::Packets(unscheduled)),
            ..buffer::abm::Config::default()
        }))
    };
    assert_eq!(dropped(20.0), 0);
    assert!(dropped(0.0) > 5, "{}", dropped(0.0));
}

#[test]
fn short_flows_use_what_fab_keeps_free() {
    let dropped = |short: f64| {
        dropped_of_bursts(buffer::Config::Fab(buffer::fab::Config {
            alpha: PerClass::Each(vec![Alpha(0.05)]),
            short: Limited(Size::Packets(short)),
            ..buffer::fab::Config::default()
        }))
    };
    // The last packet leaves the count at 20, which is not below.
    assert_eq!(dropped(21.0), 0);
    assert!(dropped(0.0) > 5, "{}", dropped(0.0));
}

#[test]
fn cisco_ib_drops_early_what_exceeds_its_fair_share() {
    // Two flows at line rate into one queue: dynamic thresholds alone let it hold a third of the memory.
    let held = |acts_above: f64, mode| {
        let plan = congested(buffer::Config::CiscoIb(buffer::cisco_ib::Config {
            mode,
            fair_start: Bytes(0),
            reference: Limited(Size::Packets(5.0)),
            acts_above: Limited(Size::Packets(acts_above)),
            window: Span::us(1),
            ..buffer::cisco_ib::Config::default()
        }));
        port(&run(&plan), &plan, 0).1
    };
    use buffer::cisco_ib::Mode;
    let thresholds = held(1_000.0, Mode::Paper);
    assert!(thresholds.abs_diff(SIZE / 3) < 3 * PACKET, "{thresholds}");
    for mode in [Mode::Paper, Mode::Released] {
        // Until the window ends in which it became too long, of 12 packets more than leave.
        let early = held(10.0, mode);
        assert!((10 * PACKET..26 * PACKET).contains(&early), "{early}");
    }
}

#[test]
fn a_frame_that_was_pushed_out_is_dropped_where_it_was() {
    let policy = buffer::Config::named("longest_queue_drop").unwrap();
    let mut plan = congested(policy);
    // The second is a single burst, into a memory that the first has filled.
    plan.traffic.flows.retain(|flow| flow.destination.0 == 0 || flow.source.0 == 3);
    let outcome = run(&plan);
    let ((drops, _), (none, _)) = (port(&outcome, &plan, 0), port(&outcome, &plan, 1));
    assert_eq!(none, 0);
    assert!(drops > 100, "{drops}");
}

#[test]
fn each_packet_of_data_has_a_row_of_what_became_of_it() {
    let mut plan = congested(buffer::Config::named("longest_queue_drop").unwrap());
    plan.record.training = true;
    let outcome = run(&plan);
    let rows = || outcome.training.iter().flatten();
    let drops = rows().filter(|row| row.dropped).count() as u64;
    let overflow = |port: &PortRecord| port.dropped[DropCause::Overflow as usize];
    assert_eq!(drops, outcome.ports.iter().map(overflow).sum::<u64>());
    assert!(drops > 100 && rows().all(|row| row.found.occupancy <= SIZE), "{drops}");
    // One of two queues that share a full memory; the averages follow.
    let full = rows().filter(|row| row.found.occupancy > SIZE - 2 * PACKET);
    assert!(full.clone().count() > 100 && full.clone().any(|row| row.found.queue > SIZE / 3));
    assert!(full.clone().any(|row| row.found.occupancy_average > SIZE / 2));
    plan.record.training = false;
    let mut without = run(&plan);
    assert_eq!(without.training, Vec::<Vec<_>>::new());
    without.training = outcome.training.clone();
    assert_eq!(without, outcome);
}

#[test]
fn every_discipline_has_policies_that_see_the_switch_in_both_engines_alike() {
    let listed = buffer::SCHEMES.iter().map(|scheme| buffer::Config::named(scheme.card.name));
    let all = listed.flatten().chain([buffer::Config::Custom(moody::plugin())]);
    for policy in all.filter(buffer::Config::sees_switch) {
        for service in [Service::Priority, Service::Fifo, Service::Drr, Service::Wrr] {
            for (trim, flow_control) in [(false, false), (true, false), (false, true), (true, true)]
            {
                let mut plan = congested(policy.clone());
                if service != Service::Fifo {
                    plan.queue.classes = 3;
                    (0..).zip(&mut plan.traffic.flows).for_each(|(i, flow)| flow.class = i % 3);
                } else if trim {
                    continue;
                }
                plan.queue.service = service;
                plan.queue.shares = match service {
                    Service::Drr => vec![5_000, 9_000, 4_160],
                    Service::Wrr => vec![1, 3, 2],
                    _ => Vec::new(),
                };
                plan.queue.overflow = if trim { Overflow::Trim } else { Overflow::Drop };
                let [xoff, xon] = [50.0, 30.0].map(Size::Packets);
                plan.queue.pfc =
                    flow_control.then_some(Pfc { xoff, xon, ..Pfc::of_memory(Span::us(5)) });
                plan.record.training = true;
                plan.traffic.flows.iter_mut().for_each(|flow| flow.bytes = Bytes::mib(1));
                run(&plan);
            }
        }
    }
}
