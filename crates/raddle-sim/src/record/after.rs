//! Which flow's end started which other flow: the triggers of a run, fired again from its records.

use super::FlowRecords;
use crate::workload::{Flow, Start, Traffic, TriggerId};
use raddle_schemes::ids::FlowId;
use raddle_schemes::units::Time;
use std::collections::BTreeMap;

/// For each flow that a trigger started, the flow whose end fired it; of several at one instant the
/// first. `None` for others, and for flows that never started.
pub fn after(traffic: &Traffic, flows: &FlowRecords) -> Vec<Option<FlowId>> {
    let mut after = vec![None; traffic.flows.len()];
    if traffic.triggers.is_empty() {
        return after;
    }
    let mut ends: Vec<(Time, FlowId, TriggerId)> = Vec::new();
    for ((id, flow), record) in (0..).map(FlowId).zip(&traffic.flows).zip(flows.iter()) {
        let fired = [(flow.on_acked, record.acked), (flow.on_delivered, record.delivered)];
        let fired = fired.into_iter().filter_map(|(trigger, at)| Some((at?, id, trigger?)));
        ends.extend(fired);
    }
    // In order of time, as work puts off what it fires; of equals the first flow's end, and what it
    // fires before the next one's.
    let mut firings: BTreeMap<(Time, FlowId, usize), TriggerId> = BTreeMap::new();
    let mut number = 0;
    let mut fire = |firings: &mut BTreeMap<_, _>, at, by, id| {
        firings.insert((at, by, number), id);
        number += 1;
    };
    for (at, by, id) in ends {
        fire(&mut firings, at, by, id);
    }
    let mut fired = vec![0_u32; traffic.triggers.len()];
    while let Some(((at, by, _), id)) = firings.pop_first() {
        let trigger = &traffic.triggers[id.index()];
        let before = fired[id.index()];
        fired[id.index()] = before.saturating_add(1);
        let Some(targets) = trigger.acts(before) else { continue };
        let at = trigger.acts_at(at);
        for &flow in targets {
            let own = &traffic.flows[flow.index()];
            if is_started_at(own, at, flows.at(flow.index()).started) {
                after[flow.index()].get_or_insert(by);
            }
        }
        trigger.fires.iter().for_each(|&other| fire(&mut firings, at, by, other));
    }
    after
}

/// Whether a flow that a trigger named at `at` has started by that.
fn is_started_at(flow: &Flow, at: Time, started: Option<Time>) -> bool {
    matches!(flow.start, Start::After(delay) if started == Some(at + delay))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::FlowRecord;
    use crate::workload::{Trigger, TriggerKind};
    use raddle_schemes::units::{Bytes, Span};

    #[test]
    fn a_flow_comes_after_the_one_whose_end_was_waited_for() {
        let mut flows: Vec<Flow> = (0..4).map(|own| Flow::at_zero(own, 7, Bytes(1))).collect();
        let both = TriggerId::new(0);
        (flows[0].on_acked, flows[1].on_delivered) = (Some(both), Some(both));
        flows[2].start = Start::After(Span(5));
        flows[3].start = Start::WHEN_TRIGGERED;
        let all = TriggerKind::All { count: 2 };
        let triggers = vec![
            Trigger { fires: vec![TriggerId::new(1)], ..Trigger::new(all, vec![FlowId(2)]) },
            Trigger::new(TriggerKind::Next, vec![FlowId(3)]),
        ];
        let traffic = Traffic { flows, triggers, ..Traffic::default() };
        let record = |started, delivered, acked| FlowRecord {
            started: Some(Time(started)),
            delivered: Some(Time(delivered)),
            acked: Some(Time(acked)),
            ..FlowRecord::default()
        };
        let records = [
            record(0, 8, 20),
            record(0, 30, 40),
            record(35, 50, 60),
            FlowRecord { started: Some(Time(30)), ..FlowRecord::default() },
        ];
        let after = after(&traffic, &records.into_iter().collect());
        assert_eq!(after, [None, None, Some(FlowId(1)), Some(FlowId(1))]);
    }
}
