//! Triggers that others fire after work.
//!
//! Work needs no event: that a trigger will act is counted ahead of time by what it fires. The order
//! of counting is then not that of time, so whatever is fired in this way has to wait for all that
//! fires it.

use super::LimitError;
use crate::workload::{Traffic, Trigger, TriggerKind};

pub(super) fn check(traffic: &Traffic) -> Result<(), LimitError> {
    let triggers = &traffic.triggers;
    let mut late: Vec<bool> = triggers.iter().map(Trigger::may_be_late).collect();
    let mut open: Vec<usize> = (0..late.len()).filter(|&id| late[id]).collect();
    if open.is_empty() {
        return Ok(());
    }
    late.fill(false);
    while let Some(id) = open.pop() {
        for fired in &triggers[id].fires {
            if !std::mem::replace(&mut late[fired.index()], true) {
                open.push(fired.index());
            }
        }
    }
    let mut firings = vec![0_u64; triggers.len()];
    for flow in &traffic.flows {
        for fired in [flow.on_acked, flow.on_delivered].into_iter().flatten() {
            firings[fired.index()] += 1;
        }
    }
    for trigger in triggers {
        let times = match trigger.kind {
            TriggerKind::All { .. } => 1,
            TriggerKind::Next => trigger.targets.len() as u64,
        };
        trigger.fires.iter().for_each(|fired| firings[fired.index()] += times);
    }
    for (((number, trigger), late), firings) in (0..).zip(triggers).zip(late).zip(firings) {
        let count = match trigger.kind {
            TriggerKind::All { count } => Some(count),
            TriggerKind::Next => None,
        };
        if late && count.is_none_or(|count| u64::from(count) < firings) {
            return Err(LimitError::LateFiring { trigger: number, firings, count });
        }
    }
    Ok(())
}
