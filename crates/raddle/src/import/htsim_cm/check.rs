//! What no single line can tell: whether triggers and connections fit together.

use super::super::words::Reader;
use super::ids::Ids;
use super::{Connection, ConnectionStart, TriggerDeclaration};
use raddle_sim::workload::TriggerKind;
use std::collections::{BTreeMap, BTreeSet};

/// Every trigger that is used is declared.
pub(super) fn references(reader: &mut Reader, ids: &Ids) {
    if ids.unreadable_trigger {
        return;
    }
    for (id, at) in ids.waits.iter().chain(&ids.fires) {
        if !ids.triggers.contains_key(id) {
            reader.error(
                *at,
                format!("trigger {id} is not declared: htsim stops"),
                format!("add a line `trigger id {id} oneshot`"),
            );
        }
    }
}

/// Every declared trigger is used. Sound only for a file without other mistakes.
pub(super) fn unused(reader: &mut Reader, ids: &Ids) {
    let waited: BTreeSet<u32> = ids.waits.iter().map(|(id, _)| *id).collect();
    let fired: BTreeSet<u32> = ids.fires.iter().map(|(id, _)| *id).collect();
    for (id, at) in &ids.triggers {
        match (waited.contains(id), fired.contains(id)) {
            (false, false) => reader.strict_error(
                "unused trigger",
                *at,
                format!("trigger {id} is neither fired nor waited for: htsim ignores it"),
                "remove it",
            ),
            (true, false) => reader.strict_error(
                "trigger never fired",
                *at,
                format!("trigger {id} is never fired: in htsim what waits for it never starts"),
                format!("let a connection fire it with `send_done_trigger {id}`"),
            ),
            _ => {}
        }
    }
}

/// Every flow starts, and no trigger is fired more often than it may be. Sound only for a file
/// without other mistakes.
pub(super) fn starts(
    reader: &mut Reader,
    connections: &[Connection],
    triggers: &[TriggerDeclaration],
) {
    let index: BTreeMap<u32, usize> =
        triggers.iter().enumerate().map(|(i, trigger)| (trigger.id, i)).collect();
    let mut targets = vec![Vec::new(); triggers.len()];
    let mut uses = vec![0u64; triggers.len()];
    let mut pending = Vec::new();
    for (flow, connection) in connections.iter().enumerate() {
        match connection.start {
            ConnectionStart::At(_) => pending.push(flow),
            ConnectionStart::Trigger(id) => targets[index[&id]].push(flow),
        }
        for id in connection.on_acked.iter().chain(&connection.on_delivered) {
            uses[index[id]] += 1;
        }
    }
    let mut started = vec![false; connections.len()];
    let mut fired = vec![0u64; triggers.len()];
    // How often a trigger fires does not depend on the order in which flows end.
    while let Some(flow) = pending.pop() {
        let connection = &connections[flow];
        started[flow] = true;
        // An endless flow never fires anything.
        if connection.size.is_none() {
            continue;
        }
        for id in connection.on_acked.iter().chain(&connection.on_delivered) {
            let trigger = index[id];
            fired[trigger] += 1;
            match triggers[trigger].kind {
                TriggerKind::All { count } if fired[trigger] == u64::from(count) => {
                    pending.extend(&targets[trigger]);
                }
                TriggerKind::All { .. } => {}
                TriggerKind::Next => {
                    pending.extend(targets[trigger].get(fired[trigger] as usize - 1));
                }
            }
        }
    }
    for (trigger, declaration) in triggers.iter().enumerate() {
        firings(reader, declaration, fired[trigger], targets[trigger].len());
    }
    for (flow, connection) in connections.iter().enumerate() {
        if let (false, ConnectionStart::Trigger(id)) = (started[flow], connection.start)
            && uses[index[&id]] > 0
        {
            reader.strict_error(
                "never starts",
                connection.at,
                format!(
                    "the connection never starts: trigger {id} is fired {}",
                    times(fired[index[&id]])
                ),
                match triggers[index[&id]].kind {
                    TriggerKind::All { count } => {
                        format!("let connections that end fire it {}", times(u64::from(count)))
                    }
                    TriggerKind::Next => {
                        format!(
                            "let trigger {id} be fired once for every connection that waits for it"
                        )
                    }
                },
            );
        }
    }
}

fn times(fired: u64) -> String {
    if fired == 1 { "once".to_owned() } else { format!("{fired} times") }
}

fn firings(reader: &mut Reader, trigger: &TriggerDeclaration, fired: u64, targets: usize) {
    let TriggerDeclaration { id, kind, at } = *trigger;
    match kind {
        TriggerKind::All { .. } if fired > 0 && targets == 0 => reader.error(
            at,
            format!("no connection waits for trigger {id}: htsim stops when it is fired"),
            format!("let a connection start with `trigger {id}`, or remove the trigger"),
        ),
        TriggerKind::All { count } if fired > u64::from(count) => reader.error(
            at,
            format!("trigger {id} is fired {}, and htsim stops after {count}", times(fired)),
            format!("write `trigger id {id} barrier count {fired}` to wait for all of them"),
        ),
        TriggerKind::Next if fired > targets as u64 => reader.note(
            "multishot surplus",
            at,
            format!(
                "multishot trigger {id} is fired {} for {targets} waiting connections; the other firings do \
                 nothing",
                times(fired)
            ),
        ),
        _ => {}
    }
}
