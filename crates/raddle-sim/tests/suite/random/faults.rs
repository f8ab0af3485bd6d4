//! Random faults.

use super::choices::Choices;
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Rate, Span, Time};
use raddle_sim::faults::OnDown;
use raddle_sim::faults::resolve::{ResolvedFaults, flapping};
use raddle_sim::faults::spec::{
    Among, Amount, Direction, Effect, Fault, FaultPlan, RateTo, Target,
};
use raddle_sim::topology::Fabric;
use raddle_sim::topology::routing::Weighting;

/// Round, so that faults strike when other things happen, and not.
const INSTANTS: [u64; 6] = [1_000_000, 0, 500_000, 2_000_000, 100_000, 1_234_567];
const LENGTHS: [Option<u64>; 5] =
    [Some(1_000_000), Some(100_000), Some(7_000_000), None, Some(654_321)];

/// Faults that make sense on the fabric: of those drawn, as many as do together.
pub(super) fn draw(choices: &mut Choices<'_>, fabric: &Fabric, seed: u64) -> ResolvedFaults {
    let mut plan = FaultPlan { hosts_know: true, ..FaultPlan::default() };
    let count = choices.pick(&[0, 1, 0, 2, 4]);
    for _ in 0..count {
        plan.faults.push(fault(choices, fabric));
    }
    if count > 0 {
        plan.on_down = choices.pick(&[OnDown::Drop, OnDown::Keep]);
        let convergences = [None, Some(Span::us(1)), Some(Span::ZERO), Some(Span(333_333))];
        plan.convergence = choices.pick(&convergences);
        plan.local_repair = choices.pick(&[None, Some(Span::ns(100)), Some(Span::ZERO)]);
        plan.weights = choices.pick(&[Weighting::Capacity, Weighting::Equal]);
    }
    loop {
        match plan.resolve(fabric, &[], seed) {
            Ok(resolved) => return resolved,
            Err(_) => plan.faults.pop(),
        };
    }
}

/// An uplink of a ToR, or a circuit switch.
fn uplink(choices: &mut Choices<'_>, fabric: &Fabric, uplinks: u32) -> Target {
    let uplink = choices.below(uplinks);
    if choices.below(3) == 0 {
        return Target::Switch { name: format!("rotor{uplink}") };
    }
    let tor = choices.pick(&fabric.switches).name;
    let direction = choices.pick(&[Direction::Both, Direction::Out, Direction::In]);
    Target::Link { name: format!("{tor}.up{uplink}"), direction }
}

fn fault(choices: &mut Choices<'_>, fabric: &Fabric) -> Fault {
    let uplinks = fabric.circuits.as_ref().map_or(0, |circuits| circuits.uplinks);
    let target = match choices.below(6) {
        0..=2 if uplinks > 0 && choices.below(2) == 0 => uplink(choices, fabric, uplinks),
        0..=2 => Target::Link {
            name: choices.pick(&fabric.ports).name,
            direction: choices.pick(&[Direction::Both, Direction::Out, Direction::In]),
        },
        3 => Target::Switch { name: choices.pick(&fabric.switches).name },
        4 => {
            let host = HostId(choices.below(fabric.hosts));
            match host.0 % 2 {
                0 => Target::HostNumber { host },
                _ => Target::Host { name: fabric.host_name(host).to_owned() },
            }
        }
        _ => {
            let cables = |two_way| Among::Cables { tier: None, two_way };
            let switches = Among::Switches { tier: None };
            let among = choices.pick(&[cables(true), cables(false), switches]);
            let amount = choices.pick(&[Amount::Share(0.5), Amount::Probability(0.3)]);
            Target::Random { amount, among }
        }
    };
    let is_uplink = match &target {
        Target::Link { name, .. } | Target::Switch { name } => {
            name.contains(".up") || name.contains("rotor")
        }
        _ => false,
    };
    let is_clock = uplinks > 0 && matches!(target, Target::Switch { .. }) && !is_uplink;
    let effect = match choices.below(6) {
        0..=4 if is_clock => {
            Effect::Clock { behind: i64::from(choices.between(1, 900_000)) - 300_000 }
        }
        _ if is_uplink && uplinks > 0 => Effect::Down,
        0..=2 => Effect::Down,
        3 => Effect::Rate {
            to: choices.pick(&[
                RateTo::Factor(0.5),
                RateTo::Factor(0.3),
                RateTo::Absolute(Rate::gbps(10)),
            ]),
            scale: choices.pick(&[false, true]),
        },
        4 => Effect::Loss(choices.pick(&[0.1, 0.5, 1.0, 0.01])),
        _ => Effect::BitErrors(choices.pick(&[1e-5, 1e-4])),
    };
    let from = choices.pick(&INSTANTS);
    let windows = match choices.below(4) {
        0 => {
            let (period, down_for) = choices.pick(&[(400_000, 200_000), (1_000_000, 77_777)]);
            flapping(Time(from), Span(period), Span(down_for), Time(from + 5_000_000)).unwrap()
        }
        _ => {
            let until = choices.pick(&LENGTHS).map(|length| Time(from + length));
            vec![(Time(from), until)]
        }
    };
    Fault { target, effect, windows }
}
