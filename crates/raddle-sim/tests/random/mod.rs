//! Small random plans, each a function of a list of numbers.
//!
//! Every decision takes the next number of the list, modulo its number of options; where the list
//! has ended, the first option. The first option is the plainest one, so that lists shrink to
//! plain plans. The same list always gives the same plan.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

mod choices;
mod fabric;
mod faults;
mod hosts;
mod traffic;

use choices::Choices;
use raddle_schemes::ids::PortId;
use raddle_schemes::load_balance::switch;
use raddle_schemes::marking;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::plan::{MarkAt, Overflow, Plan, QueuePlan, Service};
use raddle_sim::record::RecordPlan;

/// The plan that `numbers` stand for.
pub(super) fn plan(numbers: &[u32]) -> Plan {
    let mut choices = Choices::new(numbers);
    let fabric = fabric::draw(&mut choices);
    let queue = queue(&mut choices);
    let selectors: Vec<_> = switch::SCHEMES.iter().map(|scheme| scheme.card.name).collect();
    let selector = choices.pick(&selectors);
    let transport = hosts::draw(&mut choices);
    let seed = u64::from(choices.below(1 << 16));
    let traffic = traffic::draw(&mut choices, &fabric, seed);
    let record = record(&mut choices, fabric.ports.len());
    // In ps; most runs with an end complete before it, and none takes long.
    let ends = [500_000_000, 30_000_000, 10_000_000, 7_654_321, 1].map(|end| Some(Time(end)));
    let end = match choices.below(5) {
        4 => None,
        _ => choices.pick(&ends),
    };
    let patience = choices.pick(&[Span::ms(1), Span::us(100), Span::us(20), Span(3_333_333)]);
    let resolved = faults::draw(&mut choices, &fabric, seed);
    Plan {
        fabric,
        routes: resolved.routes,
        queue,
        switch_load_balance: switch::Config::named(selector).unwrap(),
        faults: resolved.faults,
        transport,
        traffic,
        record,
        seed,
        end,
        patience,
    }
}

fn queue(choices: &mut Choices<'_>) -> QueuePlan {
    let service = choices.pick(&[Service::Priority, Service::Fifo]);
    let overflow = match service {
        Service::Priority => choices.pick(&[Overflow::Drop, Overflow::Trim]),
        _ => Overflow::Drop,
    };
    let sizes = [
        Size::Bdp(1.0),
        Size::Packets(2.0),
        Size::Packets(5.0),
        Size::Packets(1.0),
        Size::Unlimited,
        Size::Bytes(Bytes(2_999)),
    ];
    let control_sizes =
        [Size::Unlimited, Size::Bytes(Bytes(300)), Size::Percent(20.0), Size::Bytes(Bytes(64))];
    QueuePlan {
        size: choices.pick(&sizes),
        control_size: choices.pick(&control_sizes),
        service,
        classes: 1,
        shares: Vec::new(),
        marking: marking(choices),
        mark_at: choices.pick(&[MarkAt::Dequeue, MarkAt::Enqueue]),
        overflow,
        gap: choices.pick(&[Bytes(0), Bytes(20), Bytes(1)]),
        pfc: None,
    }
}

fn marking(choices: &mut Choices<'_>) -> marking::Config {
    let schemes: Vec<_> = marking::SCHEMES.iter().map(|scheme| scheme.card.name).collect();
    let mut config = marking::Config::named(choices.pick(&schemes)).unwrap();
    let thresholds = choices.pick(&[None, Some((1.0, 4.0)), Some((0.0, 2.0))]);
    if let Some((low, high)) = thresholds {
        match &mut config {
            marking::Config::Red(red) => {
                (red.low, red.high) = (Size::Packets(low), Size::Packets(high));
            }
            marking::Config::Step(step) => step.threshold = Size::Packets(low),
            marking::Config::NoMarking(_) | marking::Config::Custom(_) => {}
        }
    }
    config
}

fn record(choices: &mut Choices<'_>, ports: usize) -> RecordPlan {
    let bucket = choices.pick(&[Span::us(1), Span::ZERO, Span(777_777)]);
    let every = choices.pick(&[1, 3]);
    RecordPlan { ports: (0..ports as u32).step_by(every).map(PortId).collect(), bucket }
}
