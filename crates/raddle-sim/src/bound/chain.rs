//! The earliest times at which flows can start, given what starts what.

use crate::workload::{Start, Traffic, TriggerId};
use raddle_schemes::ids::FlowId;
use raddle_schemes::units::{Span, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The least time a flow takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Least {
    /// From its start to the last byte at the receiver.
    pub(crate) delivered: Option<Span>,
    /// From its start to the last ACK at the sender.
    pub(crate) acked: Option<Span>,
}

impl Least {
    /// Of a flow that does not end.
    #[cfg(test)]
    pub(crate) const NEVER: Self = Self { delivered: None, acked: None };
}

/// For each flow the earliest start; `None` for flows that nothing starts, or only flows that
/// cannot finish. `least` is asked for those that start others; it has `None` for ends that never
/// come, as where there is no path.
///
/// The run is replayed with every flow as fast as it can be. A trigger acts at the firing with a
/// certain number; the earlier each firing, the earlier that one, so no run starts a flow earlier.
pub(crate) fn earliest_starts(
    traffic: &Traffic,
    least: impl Fn(FlowId) -> Least,
) -> Vec<Option<Time>> {
    let mut starts: Vec<Option<Time>> = vec![None; traffic.flows.len()];
    let mut fired = vec![0u32; traffic.triggers.len()];
    // Firings of one trigger at one time are alike, and a flow started twice at one time starts
    // once: the order of ties does not matter.
    let mut firings: BinaryHeap<Reverse<(Time, TriggerId)>> = BinaryHeap::new();
    let mut begin = |id: FlowId, time: Time, firings: &mut BinaryHeap<_>| {
        let start = &mut starts[id.index()];
        if start.is_some() {
            return;
        }
        *start = Some(time);
        let flow = &traffic.flows[id.index()];
        if flow.on_delivered.is_none() && flow.on_acked.is_none() {
            return;
        }
        let Least { delivered, acked } = least(id);
        let ends = [flow.on_delivered.zip(delivered), flow.on_acked.zip(acked)];
        firings.extend(ends.into_iter().flatten().map(|(id, span)| Reverse((time + span, id))));
    };
    for (id, flow) in (0..).map(FlowId).zip(&traffic.flows) {
        if let Start::At(time) = flow.start {
            begin(id, time, &mut firings);
        }
    }
    while let Some(Reverse((time, id))) = firings.pop() {
        let trigger = &traffic.triggers[id.index()];
        let before = fired[id.index()];
        fired[id.index()] += 1;
        let Some(targets) = trigger.acts(before) else { continue };
        let acts = trigger.acts_at(time);
        firings.extend(trigger.fires.iter().map(|&other| Reverse((acts, other))));
        for &target in targets {
            let delay = traffic.flows[target.index()].start.delay();
            begin(target, acts + delay, &mut firings);
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::{Flow, Trigger, TriggerKind};
    use raddle_schemes::units::Bytes;

    fn least(spans: &[u64]) -> impl Fn(FlowId) -> Least {
        |flow| {
            let acked = spans[flow.index()];
            Least { delivered: Some(Span(acked / 2)), acked: Some(Span(acked)) }
        }
    }

    fn flow(start: Start, on_acked: Option<u32>, on_delivered: Option<u32>) -> Flow {
        Flow {
            start,
            on_acked: on_acked.map(TriggerId::new),
            on_delivered: on_delivered.map(TriggerId::new),
            ..Flow::at_zero(0, 1, Bytes(1))
        }
    }

    const AT_ZERO: Start = Start::At(Time::ZERO);

    #[test]
    fn a_barrier_opens_with_the_last_of_its_firings() {
        let flows = vec![
            flow(AT_ZERO, Some(0), None),
            flow(Start::At(Time(5)), None, Some(0)),
            flow(Start::After(Span(7)), None, None),
            flow(Start::WHEN_TRIGGERED, None, None),
        ];
        let kind = TriggerKind::All { count: 2 };
        let triggers = vec![Trigger::new(kind, vec![FlowId(2)])];
        let traffic = Traffic { flows, triggers, ..Traffic::default() };
        let starts = earliest_starts(&traffic, least(&[30, 40, 10, 10]));
        assert_eq!(starts, [Some(Time(0)), Some(Time(5)), Some(Time(37)), None]);
        let all = least(&[30, 40, 10, 10]);
        let unreachable = |flow: FlowId| if flow.0 > 0 { all(flow) } else { Least::NEVER };
        assert_eq!(earliest_starts(&traffic, unreachable)[2], None);
    }

    #[test]
    fn a_sliding_window_starts_the_next_flow_at_each_end() {
        let start = |index| if index < 2 { AT_ZERO } else { Start::WHEN_TRIGGERED };
        let flows = (0..5).map(|index| flow(start(index), Some(0), None)).collect();
        let targets = (2..5).map(FlowId).collect();
        let triggers = vec![Trigger::new(TriggerKind::Next, targets)];
        let starts = earliest_starts(
            &Traffic { flows, triggers, ..Traffic::default() },
            least(&[10, 25, 10, 50, 10]),
        );
        let times = [0, 0, 10, 20, 25].map(|time| Some(Time(time)));
        assert_eq!(starts, times);
    }
}
