//! Uplinks and circuit switches that die, where it can be worked out by hand.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::circuits::{packets, run, saturated, shape};
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::units::{Rate, Span, Time};
use raddle_sim::faults::OnDown;
use raddle_sim::faults::spec::{Direction, Effect, Fault, FaultPlan, RateTo, Target};
use raddle_sim::plan::Plan;
use raddle_sim::record::{DropCause, Outcome};
use raddle_sim::topology::circuits::{Change, CircuitShape};
use raddle_sim::topology::routing::Forwarding;

/// 1,500 B at 10 Gbps.
const S: u64 = 1_200_000;
/// Of every cable.
const DELAY: u64 = 500_000;
const US: u64 = 1_000_000;

fn uplink(name: &str) -> Target {
    Target::Link { name: name.to_owned(), direction: Direction::Both }
}

fn rotor(name: &str) -> Target {
    Target::Switch { name: name.to_owned() }
}

/// Down in these windows, in us; to the end without a second one.
fn down(target: Target, windows: &[(u64, Option<u64>)]) -> Fault {
    let at = |us: u64| Time(us * US);
    let windows = windows.iter().map(|&(from, until)| (at(from), until.map(at))).collect();
    Fault { target, effect: Effect::Down, windows }
}

fn faults(faults: &[Fault], convergence: Option<Span>) -> FaultPlan {
    FaultPlan {
        faults: faults.to_vec(),
        on_down: OnDown::Keep,
        convergence,
        ..FaultPlan::default()
    }
}

fn strike(plan: &mut Plan, own: &FaultPlan) {
    // What is lost is sent again after 500 ms.
    plan.patience = Span::ms(2_000);
    let resolved = own.resolve(&plan.fabric, &[], 1).unwrap();
    (plan.faults, plan.routes) = (resolved.faults, resolved.routes);
}

fn delivered(outcome: &Outcome) -> u64 {
    outcome.flows.iter().next().unwrap().delivered.unwrap().0
}

/// Two uplinks of four ToRs that lead to the same one in slot 1 of two, open from 110 us to 200 us of
/// every 200 us; the host fills the queue in time.
fn striped() -> CircuitShape {
    CircuitShape { rate: Rate::gbps(40), ..shape(4, &[&[2, 1], &[3, 1]]) }
}

#[test]
fn a_lane_of_two_uplinks_goes_on_at_half_the_rate() {
    let last = DELAY + S / 4 + DELAY;
    let plan = saturated(&striped(), vec![packets(0, 1, 100)]);
    assert_eq!(delivered(&run(&plan)), 110 * US + 100 * S / 2 + last);
    for name in ["tor0.up1", "tor1.up0", "rotor0"] {
        let target = if name.starts_with("rotor") { rotor(name) } else { uplink(name) };
        let mut plan = saturated(&striped(), vec![packets(0, 1, 100)]);
        strike(&mut plan, &faults(&[down(target, &[(0, Some(600))])], None));
        // 75 in the first slot.
        assert_eq!(delivered(&run(&plan)), 310 * US + 25 * S + last, "{name}");
    }
    // What the other direction of the cable carries is not concerned.
    let target = Target::Link { name: "tor0.up1".to_owned(), direction: Direction::In };
    let mut plan = saturated(&striped(), vec![packets(0, 1, 100)]);
    strike(&mut plan, &faults(&[down(target, &[(0, Some(600))])], None));
    assert_eq!(delivered(&run(&plan)), 110 * US + 100 * S / 2 + last);
}

#[test]
fn a_circuit_switch_that_a_later_schedule_uses_for_a_pair_is_missed_then() {
    // From 200 us on shift 1 is on the other circuit switch, which is dead until 1000 us.
    let change = Change { at: Time(200 * US), rotors: shape(4, &[&[3, 0], &[1, 2]]).rotors };
    let shape = CircuitShape { changes: vec![change], ..shape(4, &[&[1, 2], &[3, 0]]) };
    let mut plan = saturated(&shape, vec![packets(0, 1, 225)]);
    strike(&mut plan, &faults(&[down(rotor("rotor1"), &[(0, Some(1000))])], None));
    // 75 by 100 us, and as many from 1010 and from 1210 us on.
    assert_eq!(delivered(&run(&plan)), 1210 * US + 75 * S + DELAY + S + DELAY);
}

#[test]
fn a_frame_over_an_uplink_that_dies_is_lost_and_no_other() {
    // 100 us after the slot has begun, 60 us into the opening: halfway through frame 101.
    let mut plan = saturated(&striped(), vec![packets(0, 1, 140)]);
    let at = 110 * US + 100 * S / 2 + S / 4;
    let dies = Fault {
        target: rotor("rotor1"),
        effect: Effect::Down,
        windows: vec![(Time(at), Some(Time(at + S)))],
    };
    strike(&mut plan, &faults(&[dies], None));
    let outcome = run(&plan);
    let lane = plan.fabric.port_named("tor0.to.tor1").unwrap();
    let record = &outcome.ports[lane.index()];
    let lost = record.dropped_data.iter().sum::<u64>();
    let place = DropCause::ALL.iter().position(|own| *own == DropCause::LinkDown).unwrap();
    assert_eq!((lost, record.dropped_data[place]), (1, 1));
    // One frame at half the rate, until it is alive again; 39 after that, and the lost one much later.
    let flow = outcome.flows.iter().next().unwrap();
    assert_eq!((flow.dropped, flow.retransmitted), (1, 1));
    assert_eq!(record.data_frames, 140);
}

#[test]
fn a_lane_without_any_circuit_left_is_down_and_routes_go_around_it() {
    // Shifts 1, 2 and 3 by three rotors: each pair has one circuit at a time, over any rotor.
    let three = shape(4, &[&[1], &[2], &[3]]);
    let fabric = three.build().unwrap();
    let pairs = [(HostId(0), HostId(1))];
    let dead = |convergence| faults(&[down(rotor("rotor0"), &[(50, None)])], convergence);
    let cut = dead(None).resolve(&fabric, &pairs, 1).unwrap_err();
    assert_eq!(
        cut[0].to_string(),
        "the faults cut `host0` off from `host1` until the end, and there is traffic between them"
    );
    let resolved = dead(Some(Span::us(5))).resolve(&fabric, &pairs, 1).unwrap();
    let first = |forwarding: &Forwarding| {
        let ports = forwarding.ports(SwitchId(0), PortId(1));
        fabric.ports[ports.get(0).index()].name.clone()
    };
    let from: Vec<Time> = resolved.routes.iter().map(|(at, _)| *at).collect();
    assert_eq!(from, [Time::ZERO, Time(55 * US)]);
    assert_eq!(first(&resolved.routes[0].1), "tor0.to.tor1");
    // Two hops by shift 2 and 3: 0, 2, 1 or 0, 3, 1.
    assert!(["tor0.to.tor2", "tor0.to.tor3"].contains(&first(&resolved.routes[1].1).as_str()));
    // For a time it waits, and all of it arrives.
    let mut plan = saturated(&three, vec![packets(0, 1, 200)]);
    strike(&mut plan, &faults(&[down(rotor("rotor0"), &[(50, Some(300))])], None));
    let outcome = run(&plan);
    assert!(delivered(&outcome) > 300 * US);
    // All dead at once: nothing leads anywhere, for a time.
    let all = ["rotor0", "rotor1", "rotor2"].map(|name| down(rotor(name), &[(50, Some(300))]));
    let resolved = faults(&all, Some(Span::ZERO)).resolve(&fabric, &pairs, 1).unwrap();
    let ways = |at: usize| resolved.routes[at].1.ports(SwitchId(0), PortId(1)).count();
    assert_eq!((ways(0), ways(1), ways(2)), (1, 0, 1));
}

#[test]
fn names_of_uplinks_that_are_not_there_have_others_near_them() {
    let fabric = striped().build().unwrap();
    let error = |fault: Fault| {
        let errors = faults(&[fault], None).resolve(&fabric, &[], 1).unwrap_err();
        errors[0].to_string()
    };
    assert_eq!(
        error(down(uplink("tor0.up2"), &[(0, None)])),
        "fault 1: there is no link `tor0.up2`; nearest: `tor0.up0`, `tor0.up1`, `tor1.up0`"
    );
    assert!(error(down(uplink("tor7.up0"), &[(0, None)])).contains("nearest: `tor0.up0`"));
    assert_eq!(
        error(down(rotor("rotor2"), &[(0, None)])),
        "fault 1: there is no switch `rotor2`; nearest: `rotor0`, `rotor1`, `tor2`"
    );
    let half = Effect::Rate { to: RateTo::Factor(0.5), scale: false };
    let slow = Fault { effect: half, ..down(rotor("rotor0"), &[(0, None)]) };
    assert!(
        error(slow).starts_with("fault 1: uplinks and circuit switches can be `down` or `flap`")
    );
}
