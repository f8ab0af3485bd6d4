//! Queues, flow control and the memory of switches.

use super::choices::Choices;
use crate::outside::moody;
use raddle_schemes::buffer;
use raddle_schemes::buffer::classes::Alpha;
use raddle_schemes::buffer::classes::PerClass;
use raddle_schemes::marking;
use raddle_schemes::size::Limited;
use raddle_schemes::size::Size;
use raddle_schemes::units::Bytes;
use raddle_schemes::units::Span;
use raddle_sim::plan::AckQueue;
use raddle_sim::plan::BufferPlan;
use raddle_sim::plan::MarkAt;
use raddle_sim::plan::Overflow;
use raddle_sim::plan::Per;
use raddle_sim::plan::Pfc;
use raddle_sim::plan::PfcLinks;
use raddle_sim::plan::QueuePlan;
use raddle_sim::plan::Service;
use raddle_sim::plan::Watchdog;
use std::num::NonZeroU32;

/// Queues, and whether flows travel in several of their classes.
pub(super) fn queue(choices: &mut Choices<'_>) -> (QueuePlan, bool) {
    let service = choices.pick(&[
        Service::Priority,
        Service::Fifo,
        Service::Priority,
        Service::Drr,
        Service::Wrr,
    ]);
    let overflow = match service {
        Service::Fifo => Overflow::Drop,
        _ => choices.pick(&[Overflow::Drop, Overflow::Trim]),
    };
    let classes = match service {
        Service::Fifo => 1,
        Service::Priority => choices.pick(&[1, 1, 1, 2, 3, 8]),
        _ => choices.pick(&[2, 3, 8, 1]),
    };
    let shares = match service {
        Service::Priority | Service::Fifo => Vec::new(),
        Service::Drr => {
            (0..classes).map(|_| choices.pick(&[1_000, 4_160, 300, 64, 9_999])).collect()
        }
        Service::Wrr => (0..classes).map(|_| choices.pick(&[1, 2, 3, 8])).collect(),
    };
    let sizes = [
        Size::Bdp(1.0),
        Size::Packets(2.0),
        Size::Packets(5.0),
        Size::Packets(1.0),
        Size::Unlimited,
        Size::Bytes(Bytes(2_999)),
    ];
    // Only ports without a limit of control compute departures.
    let control_sizes = [
        Size::Unlimited,
        Size::Bytes(Bytes(300)),
        Size::Unlimited,
        Size::Percent(20.0),
        Size::Unlimited,
        Size::Bytes(Bytes(64)),
    ];
    let plan = QueuePlan {
        size: choices.pick(&sizes),
        control_size: choices.pick(&control_sizes),
        service,
        classes,
        shares,
        marking: marking(choices),
        class_markings: Vec::new(),
        last_hop_marking: None,
        acks: Vec::new(),
        mark_at: choices.pick(&[MarkAt::Dequeue, MarkAt::Enqueue]),
        overflow,
        gap: choices.pick(&[Bytes(0), Bytes(20), Bytes(1)]),
        pfc: pfc(choices),
        cbfc: None,
        control_weight: choices
            .pick(&[None, None, None, NonZeroU32::new(10), NonZeroU32::new(1)])
            .filter(|_| service != Service::Fifo),
    };
    (plan, classes > 1)
}

/// Markings and places of ACKs of each data class.
pub(super) fn class_table(choices: &mut Choices<'_>, queue: &mut QueuePlan) {
    let classes = usize::from(queue.classes);
    if choices.below(3) == 1 {
        queue.class_markings = (0..classes).map(|_| marking(choices)).collect();
    } else if choices.below(3) == 1 {
        queue.last_hop_marking = Some(marking(choices));
    }
    if choices.below(3) == 1 && queue.service != Service::Fifo {
        let place = |_| choices.pick(&[AckQueue::Data, AckQueue::Control]);
        queue.acks = (0..classes).map(place).collect();
    }
}

pub(super) fn pfc(choices: &mut Choices<'_>) -> Option<Pfc> {
    let thresholds = choices.pick(&[
        None,
        None,
        None,
        Some((50.0, 30.0)),
        Some((20.0, 20.0)),
        Some((0.0, 0.0)),
        Some((99.0, 0.0)),
    ]);
    let quanta =
        choices.pick(&[Span::us(5), Span::us(1), Span::ns(200), Span(33_333), Span::us(500)]);
    let (xoff, xon) = thresholds?;
    let links = choices.pick(&[PfcLinks::All, PfcLinks::All, PfcLinks::Hosts]);
    let times = choices.pick(&[None, None, Some((20, 10)), Some((1, 3)), Some((300, 1))]);
    let watchdog = times.filter(|_| links == PfcLinks::All).map(|(detection, restoration)| {
        Watchdog { detection: Span::us(detection), restoration: Span::us(restoration) }
    });
    let (xoff, xon) = (Size::Percent(xoff), Size::Percent(xon));
    Some(Pfc { xoff, xon, quanta, links, watchdog })
}

pub(super) fn buffer(choices: &mut Choices<'_>, classes: u8) -> Option<BufferPlan> {
    let packets = choices.pick(&[None, None, None, Some(6.0), Some(20.0), Some(60.0), Some(1.0)]);
    let listed = buffer::SCHEMES.iter().map(|scheme| buffer::Config::named(scheme.card.name));
    let outside = [moody::plugin()].map(buffer::Config::Custom);
    let policies: Vec<_> = listed.flatten().chain(outside).collect();
    let policy = policy(choices, &policies, classes);
    Some(BufferPlan { size: Size::Packets(packets?), policy, per: Per::Switch })
}

/// One of these policies, with parameters of its own.
pub(super) fn policy(
    choices: &mut Choices<'_>,
    policies: &[buffer::Config],
    classes: u8,
) -> buffer::Config {
    let mut policy = choices.pick(policies);
    match &mut policy {
        buffer::Config::DynamicThresholds(thresholds) => {
            let all = |alpha| PerClass::All(Alpha(alpha));
            let alphas = [Alpha(0.3), Alpha(2.0)].into_iter().cycle();
            let each = PerClass::Each(alphas.take(classes.into()).collect());
            thresholds.alpha = choices.pick(&[all(1.0), all(0.125), all(8.0), each]);
        }
        buffer::Config::Abm(abm) => {
            abm.mode = choices.pick(&[buffer::abm::Mode::Paper, buffer::abm::Mode::Released]);
            let some = [Size::Bdp(1.0), Size::Packets(3.0), Size::Bytes(Bytes(3_000))];
            abm.unscheduled = choices.pick(&some.map(Limited));
            abm.update = choices.pick(&[None, Some(Span::us(1))]);
            abm.alpha = choices.pick(&[PerClass::All(Alpha(0.5)), PerClass::All(Alpha(2.0))]);
            abm.alpha_acks = choices.pick(&[None, Some(Alpha(0.1)), Some(Alpha(1024.0))]);
        }
        buffer::Config::Fab(fab) => {
            fab.short = choices.pick(&[fab.short, Limited(Size::Packets(3.0))]);
            fab.silence = choices.pick(&[Span::us(5_000), Span::us(2)]);
        }
        buffer::Config::CiscoIb(own) => {
            use buffer::cisco_ib::Mode;
            own.mode = choices.pick(&[Mode::Paper, Mode::Released]);
            own.window = choices.pick(&[Span::us(1), Span::us(50)]);
            own.fair_start = choices.pick(&[Bytes(0), Bytes(20_000), Bytes(4_000_000)]);
            let [reference, acts_above] = [1.0, 3.0].map(|n| Limited(Size::Packets(n)));
            (own.reference, own.acts_above) = (reference, acts_above);
        }
        buffer::Config::Sonic(own) => *own = sonic(choices, classes),
        buffer::Config::SonicAbm(own) => *own = sonic_abm(choices, classes),
        buffer::Config::Reverie(reverie) => {
            use buffer::reverie::Mode;
            reverie.mode = choices.pick(&[Mode::Paper, Mode::Released]);
            reverie.lossless = lossless(choices, classes);
            reverie.filter = choices.pick(&[0.999, 0.0, 0.5]);
            reverie.alpha = choices.pick(&[PerClass::All(Alpha(1.0)), PerClass::All(Alpha(0.1))]);
            reverie.alpha_unscheduled = choices.pick(&[None, Some(Alpha(8.0))]);
            reverie.unscheduled = Limited(Size::Packets(3.0));
        }
        buffer::Config::Credence(credence) => {
            use buffer::credence::Mode;
            credence.mode = choices.pick(&[Mode::Paper, Mode::Released]);
            let oracle = "occupancy_average 30000 0 queue 9000 0.2 1; queue_average 2000 0.1 0.9";
            credence.oracle = choices.pick(&["0", oracle, "1"]).parse().unwrap();
            credence.flip = choices.pick(&[0.0, 0.1]);
        }
        _ => {}
    }
    policy
}

pub(super) fn sonic(choices: &mut Choices<'_>, classes: u8) -> buffer::sonic::Config {
    let default = buffer::sonic::Config::default();
    buffer::sonic::Config {
        lossless: lossless(choices, classes),
        alpha_ingress: choices.pick(&[None, Some(PerClass::All(Alpha(0.1)))]),
        headroom: choices.pick(&[None, Some(Bytes(4_500)), Some(Bytes(0))]),
        reserved: choices.pick(&[Bytes(0), Bytes(5_000)]),
        xon_offset: choices.pick(&[default.xon_offset, Limited(Size::Packets(3.0))]),
        ..default
    }
}

pub(super) fn sonic_abm(choices: &mut Choices<'_>, classes: u8) -> buffer::sonic_abm::Config {
    let buffer::sonic::Config { lossless, alpha_ingress, headroom, reserved, xon_offset, .. } =
        sonic(choices, classes);
    let default = buffer::sonic_abm::Config::default();
    let few = choices.pick(&[Size::Packets(3.0), Size::Bytes(Bytes(3_000))]);
    buffer::sonic_abm::Config {
        lossless,
        alpha_ingress,
        headroom,
        reserved,
        xon_offset,
        alpha_unscheduled: choices.pick(&[default.alpha_unscheduled, Alpha(2.0)]),
        unscheduled: choices.pick(&[default.unscheduled, Limited(few)]),
        update: choices.pick(&[None, Some(Span::us(1))]),
        congested_at: choices.pick(&[Bytes(3_000), default.congested_at]),
        least_sent: choices.pick(&[Bytes(0), default.least_sent]),
        drain_min: choices.pick(&[0.0, 0.125]),
        drain_max: choices.pick(&[None, Some(1.0)]),
        ..default
    }
}

/// Which classes are lossless: all, none, some.
pub(super) fn lossless(choices: &mut Choices<'_>, classes: u8) -> PerClass<bool> {
    match choices.below(3) {
        0 => PerClass::All(true),
        1 => PerClass::All(false),
        _ => PerClass::Each((0..classes).map(|_| choices.below(2) == 0).collect()),
    }
}

pub(super) fn marking(choices: &mut Choices<'_>) -> marking::Config {
    let schemes: Vec<_> = marking::SCHEMES.iter().map(|scheme| scheme.card.name).collect();
    let mut config = marking::Config::named(choices.pick(&schemes)).unwrap();
    let thresholds = choices.pick(&[None, Some((1.0, 4.0)), Some((0.0, 2.0))]);
    if let Some((low, high)) = thresholds {
        match &mut config {
            marking::Config::Red(red) => {
                (red.low, red.high) = (Size::Packets(low), Size::Packets(high));
            }
            marking::Config::Step(step) => step.threshold = Size::Packets(low),
            _ => {}
        }
    }
    config
}
