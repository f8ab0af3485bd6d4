//! Schedules of circuits that change, and clocks that are off, where it can be worked out by hand.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::circuits::{packets, run, saturated, shape};
use crate::common::agree::trouble;
use raddle_schemes::buffer;
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::load_balance::switch;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Rate, Span, Time};
use raddle_sim::bound::{self, Bound};
use raddle_sim::check::violations;
use raddle_sim::engine;
use raddle_sim::faults::error::FaultError;
use raddle_sim::faults::spec::{Effect, Fault, FaultPlan, Target};
use raddle_sim::faults::{OnDown, PortChange};
use raddle_sim::limits::LimitError;
use raddle_sim::plan::{BufferPlan, Per, Plan};
use raddle_sim::record::DropCause;
use raddle_sim::topology::circuits::{Change, CircuitShape, Rotors};
use raddle_sim::topology::shape_error::ShapeError;
use raddle_sim::topology::slicing::Late;

/// 1,500 B at 10 Gbps.
const S: u64 = 1_200_000;
/// Of every cable.
const DELAY: u64 = 500_000;
const US: u64 = 1_000_000;
/// From the last bit on a lane to the last bit at the host behind it.
const AFTER: u64 = DELAY + S + DELAY;

/// Four ToRs by shifts, until other shifts follow at a time in us.
fn changing(first: &[u16], at: u64, then: &[u16]) -> CircuitShape {
    let Rotors { slots, dark, rotors } = shape(4, &[then]).rotors;
    let change = Change { at: Time(at * US), rotors: Rotors { slots, dark, rotors } };
    CircuitShape { changes: vec![change], ..shape(4, &[first]) }
}

#[test]
fn a_pair_sends_in_the_slots_of_each_schedule() {
    // Open from 10 us, 310 us, and from 710 us on, for 90 us each.
    let shape = changing(&[1, 2, 3], 600, &[2, 1, 3]);
    let plan = saturated(&shape, vec![packets(0, 1, 225)]);
    let at = run(&plan).flows.iter().next().unwrap().delivered.unwrap();
    assert_eq!(at.0, 710 * US + 75 * S + AFTER);
    assert_eq!(plan.routes.iter().map(|(at, _)| at.0).collect::<Vec<_>>(), [0, 600 * US]);
    // From 610 us on: what is dark is the first slot of the new schedule.
    let shape = changing(&[1, 2, 3], 600, &[1, 2, 3]);
    let plan = saturated(&shape, vec![packets(0, 1, 225)]);
    let at = run(&plan).flows.iter().next().unwrap().delivered.unwrap();
    assert_eq!(at.0, 610 * US + 75 * S + AFTER);
}

#[test]
fn what_waits_for_a_circuit_that_goes_is_lost_or_kept() {
    // To ToR 1 by way of 2 or 3 from 600 us on: 150 have left by then, the others are all there.
    let shape = changing(&[1, 2, 3], 600, &[2, 3]);
    let mut plan = saturated(&shape, vec![packets(0, 1, 225)]);
    plan.patience = Span::ms(2_000);
    let lane = plan.fabric.port_named("tor0.to.tor1").unwrap();
    let down = [(Time(600 * US), PortChange::Down)];
    assert_eq!(plan.faults.changes_of(lane), down);
    let first = |plan: &Plan, at: usize| {
        let ports = plan.routes[at].1.ports(SwitchId(0), PortId(1));
        plan.fabric.ports[ports.get(0).index()].name.clone()
    };
    assert_eq!(first(&plan, 0), "tor0.to.tor1");
    assert!(["tor0.to.tor2", "tor0.to.tor3"].contains(&first(&plan, 1).as_str()));
    let outcome = run(&plan);
    let record = &outcome.ports[lane.index()];
    let lost = record.dropped_data[DropCause::LinkDown as usize];
    assert_eq!((record.data_frames, lost), (150, 75));
    let flow = outcome.flows.iter().next().unwrap();
    assert_eq!((flow.dropped, flow.retransmitted), (75, 75));
    plan.faults.on_down = OnDown::Keep;
    assert_eq!(trouble(&plan), None);
    let kept = engine::run(&plan, &mut ());
    assert_eq!(kept.ports[lane.index()].dropped_total(), 0);
}

#[test]
fn changes_come_as_periods_end() {
    let error = |at| changing(&[1, 2, 3], at, &[2, 3, 1]).build().unwrap_err();
    let near = |at, near| ShapeError::ChangeTime { at: Time(at * US), near: Time(near * US) };
    assert_eq!(error(550), near(550, 300));
    assert_eq!(error(0), near(0, 300));
    assert_eq!(
        error(700).to_string(),
        "a schedule changes at 700 us, within a period of the one before; 600 us is the end of one"
    );
    let sliced =
        CircuitShape { slicing: Some((Late::Wait, 0)), ..changing(&[1, 2, 3], 300, &[2, 3, 1]) };
    assert_eq!(sliced.build(), Err(ShapeError::ChangeOfSlices));
}

/// 250 us and 250 us of a period of 400.
#[test]
fn clocks_of_one_tor_add_up_and_are_together_less_than_a_period_off() {
    let shape = shape(4, &[&[0, 1, 2, 3]]);
    let fabric = saturated(&shape, vec![packets(0, 1, 1)]).fabric;
    let resolve = |offsets: [i64; 2]| {
        let clock = |behind: i64| Fault {
            target: Target::Switch { name: "tor0".to_owned() },
            effect: Effect::Clock { behind: behind * US as i64 },
            windows: vec![(Time::ZERO, None)],
        };
        let plan = FaultPlan { faults: offsets.map(clock).to_vec(), ..FaultPlan::default() };
        plan.resolve(&fabric, &[], 1).map(|_| ())
    };
    let period = Span::us(400);
    assert_eq!(resolve([250, 250]), Err(vec![FaultError::FarClock { fault: 1, period }]));
    assert_eq!(resolve([250, -250]), Ok(()));
}

/// Frames of a saturated opening that are clipped, and their numbers, where the clock of the sender's ToR
/// is behind by so many picoseconds.
fn clipped(behind: i64) -> u64 {
    let mut plan = saturated(&shape(4, &[&[0, 1, 2, 3]]), vec![packets(0, 1, 75)]);
    let target = Target::Switch { name: "tor0".to_owned() };
    let windows = vec![(Time::ZERO, None)];
    let fault = Fault { target, effect: Effect::Clock { behind }, windows };
    let faults = FaultPlan { faults: vec![fault], ..FaultPlan::default() };
    plan.faults = faults.resolve(&plan.fabric, &[], 1).unwrap().faults;
    // Nothing is sent again by then.
    plan.end = Some(Time(400 * US));
    assert_eq!(trouble(&plan), None);
    let outcome = engine::run(&plan, &mut ());
    let lane = plan.fabric.port_named("tor0.to.tor1").unwrap().index();
    let lost = outcome.ports[lane].dropped_data[DropCause::Loss as usize];
    assert_eq!(outcome.ports[lane].data_frames, 75);
    if behind != 0 {
        assert_eq!(outcome.clipped_frames[lane], lost);
    }
    lost
}

#[test]
fn frames_that_overlap_what_a_clock_is_off_are_lost_and_no_others() {
    // 75 frames fill the 90 us exactly.
    let (half, s, all) = ((S / 2) as i64, S as i64, 90 * US as i64);
    for (behind, frames) in [
        (0, 0),
        (1, 1),
        (half, 1),
        (s, 1),
        (s + 1, 2),
        (all, 75),
        (-1, 1),
        (-half, 1),
        (-s, 1),
        (-s - 1, 2),
        (-all, 75),
    ] {
        assert_eq!(clipped(behind), frames, "{behind} ps");
    }
}

#[test]
fn a_guard_as_long_as_a_clock_is_behind_saves_all() {
    let guarded = CircuitShape { guard: Span(S), ..shape(4, &[&[0, 1, 2, 3]]) };
    let mut plan = saturated(&guarded, vec![packets(0, 1, 74)]);
    plan.faults.clocks = vec![(SwitchId(0), S as i64)];
    let outcome = run(&plan);
    assert_eq!(outcome.clipped_frames.iter().sum::<u64>(), 0);
}

#[test]
fn clocks_are_those_of_tors_of_circuits() {
    let fabric = shape(4, &[&[0, 1, 2, 3]]).build().unwrap();
    let error = |target: Target, behind| {
        let fault =
            Fault { target, effect: Effect::Clock { behind }, windows: vec![(Time::ZERO, None)] };
        let plan = FaultPlan { faults: vec![fault], ..FaultPlan::default() };
        plan.resolve(&fabric, &[], 1).unwrap_err()[0].to_string()
    };
    let host = Target::Host { name: "host1".to_owned() };
    assert_eq!(error(host, 1), "fault 1: clocks are those of switches whose uplinks are circuits");
    let tor = Target::Switch { name: "tor1".to_owned() };
    assert_eq!(
        error(tor, -400_000_000),
        "fault 1: a clock is off by less than a period of the circuits, 400 us"
    );
    let mut sliced =
        CircuitShape { slicing: Some((Late::Wait, 0)), ..shape(4, &[&[1], &[2], &[3]]) };
    sliced.rotors.rotors.iter_mut().flatten().for_each(|turn| turn.turns = false);
    let mut plan = saturated(&sliced, vec![packets(0, 1, 1)]);
    plan.faults.clocks = vec![(SwitchId(0), 1)];
    assert_eq!(plan.check_limits(), Err(LimitError::Slices { what: "clocks that are off" }));
}

/// Each of 16 ToRs has room for `queue` packets an uplink, all hosts send to all others by way of drawn
/// ToRs, as fast as they can: the memory is always full. A lane's queue is empty when its slot is over,
/// and grows in the others: what a slot carries is 2 q / (n - 2), in 15 of 16.
fn carried(queue: f64, periods: u64) -> u64 {
    let shifts: Vec<u16> = (0..16).collect();
    let mut saturating = CircuitShape { rate: Rate::gbps(20), ..shape(16, &[&shifts]) };
    saturating.rotors.slots = vec![Span::us(20); 16];
    saturating.rotors.dark = Span::us(2);
    let pairs = (0..16).flat_map(|from| (0..16).map(move |to| (from, to)));
    let flows = pairs.filter(|(from, to)| from != to).map(|(from, to)| packets(from, to, 2_000));
    let mut plan = saturated(&saturating, flows.collect());
    plan.switch_load_balance = switch::Config::named("valiant").unwrap();
    let policy = buffer::Config::named("complete_sharing").unwrap();
    plan.buffer = Some(BufferPlan { size: Size::Packets(queue), policy, per: Per::Uplink });
    plan.end = Some(Time(periods * 320 * US));
    let outcome = engine::run(&plan, &mut ());
    assert_eq!(violations(&plan, &outcome), [""; 0]);
    let lanes = &plan.fabric.circuits.as_ref().unwrap().lanes;
    lanes.iter().map(|lane| outcome.ports[lane.port.index()].data_frames).sum()
}

#[test]
fn bounded_memory_carries_twice_its_size_over_the_period_in_a_slot() {
    for queue in [8.0, 16.0] {
        // Of 16 ToRs, when queues are as they stay: 10 periods of 16 slots.
        let got = (carried(queue, 12) - carried(queue, 2)) as f64 / (16 * 16 * 10) as f64;
        let expected = 2.0 * queue / 14.0 * 15.0 / 16.0;
        assert!((got / expected - 1.0).abs() < 0.03, "{queue}: {got} and {expected}");
    }
}

#[test]
fn a_saturated_pair_is_as_fast_as_its_bound_but_for_the_way() {
    let plan = saturated(&shape(4, &[&[0, 1, 2, 3]]), vec![packets(0, 1, 750)]);
    let circuit = bound::of_plan(&plan).into_iter().find(|own| own.name == Bound::CIRCUIT).unwrap();
    let at = run(&plan).flows.iter().next().unwrap().delivered.unwrap();
    assert_eq!(at.0, circuit.time.0 + AFTER);
}
