//! Random fabrics of circuits, and gates on links of others.

use super::choices::Choices;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Rate, Span, Time};
use raddle_sim::faults::gate::Opening;
use raddle_sim::topology::circuits::{Change, CircuitShape, Circuits, Lane, Rotors, Turn};
use raddle_sim::topology::slicing::Late;
use raddle_sim::topology::{Fabric, Node};

/// 2 to 6 ToRs of 1 to 3 uplinks, whatever these connect, and a ring, so that all are connected.
pub(super) fn fabric(choices: &mut Choices<'_>) -> Fabric {
    shape(choices).build().unwrap()
}

/// The same by slices, with one more uplink, whose ring stays.
pub(super) fn sliced(choices: &mut Choices<'_>) -> Fabric {
    let late = choices.pick(&[Late::Reroute, Late::Reroute, Late::Drop, Late::Wait]);
    let waiting = choices.pick(&[0, 0b1, 0b10, 0b101]);
    let mut shape =
        CircuitShape { slicing: Some((late, waiting)), changes: Vec::new(), ..shape(choices) };
    let ring = Turn { targets: shift(shape.tors as u16, 1), turns: false };
    shape.rotors.rotors.push(vec![ring; shape.rotors.slots.len()]);
    shape.build().unwrap()
}

fn shape(choices: &mut Choices<'_>) -> CircuitShape {
    let tors = choices.between(2, 6) as u16;
    let slots = choices.between(1, 4) as usize;
    let uplinks = choices.between(1, 3);
    let lengths = [40_000_000, 1_000_000, 4_000_000, 12_345_678, 10_000_000];
    let alike = choices.below(2) == 0;
    let length = choices.pick(&lengths);
    let slots: Vec<Span> =
        (0..slots).map(|_| Span(if alike { length } else { choices.pick(&lengths) })).collect();
    let shortest = slots.iter().map(|slot| slot.0).min().unwrap_or(0);
    let dark = Span(shortest * u64::from(choices.pick(&[0_u32, 10, 50, 90, 3])) / 100);
    let staggers = choices.below(2) == 1;
    let rotor = |uplink: u32, slots: &[Span], choices: &mut Choices<'_>| -> Vec<Turn> {
        let turn = |slot: usize, choices: &mut Choices<'_>| {
            let ring = (uplink, slot) == (0, 0);
            let targets = if ring { shift(tors, 1) } else { targets(choices, tors) };
            let turns = !staggers || slot % 3 == uplink as usize;
            Turn { targets, turns }
        };
        (0..slots.len()).map(|slot| turn(slot, choices)).collect()
    };
    let rotors = (0..uplinks).map(|uplink| rotor(uplink, &slots, choices)).collect();
    let (rate, uplink_rate) = choices.pick(&[(80, 80), (10, 25), (80, 37), (37, 100), (400, 400)]);
    let delays = [500_000, 100_000, 13_000, 1_000_007].map(Span);
    let rotors = Rotors { slots, dark, rotors };
    let mut changes: Vec<Change> = Vec::new();
    for _ in 0..choices.pick(&[0, 0, 1, 2]) {
        let (begins, period) = match changes.last() {
            None => (Time::ZERO, rotors.period()),
            Some(last) => (last.at, last.rotors.period()),
        };
        let at = begins + Span(period.0 * u64::from(choices.between(1, 2)));
        let slots: Vec<Span> = rotors.slots.iter().rev().copied().collect();
        let each = (0..uplinks).map(|uplink| rotor(uplink, &slots, choices)).collect();
        changes.push(Change { at, rotors: Rotors { slots, dark, rotors: each } });
    }
    CircuitShape {
        tors: tors.into(),
        hosts_per_tor: choices.between(1, 3),
        rate: Rate::gbps(rate),
        uplink_rate: Rate::gbps(uplink_rate),
        link_delay: choices.pick(&delays),
        circuit_delay: choices.pick(&delays),
        switch_delay: choices.pick(&[0, 0, 500_000].map(Span)),
        rotors,
        guard: choices.pick(&[Span::ZERO, Span(1), Span::ns(100)]),
        slicing: None,
        changes,
    }
}

fn shift(tors: u16, by: u16) -> Vec<u16> {
    (0..tors).map(|tor| (tor + by) % tors).collect()
}

/// A shift, or any permutation.
fn targets(choices: &mut Choices<'_>, tors: u16) -> Vec<u16> {
    if choices.below(2) == 0 {
        return shift(tors, choices.below(tors.into()) as u16);
    }
    let mut targets = shift(tors, 0);
    for i in (1..tors).rev() {
        targets.swap(i.into(), choices.below(u32::from(i) + 1) as usize);
    }
    targets
}

/// Gates on some links between the switches of a fabric.
pub(super) fn on_some_links(choices: &mut Choices<'_>, fabric: &Fabric) -> Option<Box<Circuits>> {
    let period = choices.pick(&[10_000_000, 3_333_333, 1_000_000, 50_000_000]);
    let every = choices.between(1, 2) as usize;
    let is_between = |id: &PortId| {
        let owner = fabric.ports[id.index()].owner;
        matches!((owner, fabric.destination(*id)), (Node::Switch(_), Node::Switch(_)))
    };
    let ids = (0..fabric.ports.len() as u32).map(PortId).filter(is_between).step_by(every);
    let lanes = ids.map(|port| {
        let nominal = fabric.ports[port.index()].rate;
        let mut at = period * u64::from(choices.below(10)) / 20;
        let first = at;
        let mut openings = Vec::new();
        for _ in 0..choices.between(1, 3) {
            let length = period * u64::from(choices.pick(&[3_u32, 1, 8])) / 20;
            let until = (at + length).min(first + period);
            if at >= period || until <= at {
                break;
            }
            let rate = Rate(nominal.0 / choices.pick(&[1, 1, 2]));
            openings.push(Opening { from: Span(at), until: Span(until), rate });
            at = until + period * u64::from(choices.below(3)) / 20;
        }
        // None is of any uplink.
        let uplinks = vec![0; openings.len()];
        Lane { port, openings, uplinks }
    });
    let lanes = lanes.collect();
    let guard = choices.pick(&[Span::ZERO, Span(1), Span::ns(77)]);
    let uplink_rate = Rate::gbps(1);
    Some(Box::new(Circuits {
        period: Span(period),
        guard,
        uplinks: 0,
        uplink_rate,
        lanes,
        packet: None,
        slicing: None,
        later: Vec::new(),
    }))
}
