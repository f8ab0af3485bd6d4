//! Hosts run in parts, each of which may be another thread's.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::host::Hosts;
use raddle_sim::host::layout::Layout;
use raddle_sim::plan::Plan;
use raddle_sim::record::{FlowRecords, PortRecord, Timeline};
use raddle_sim::waits::Waits;
use raddle_sim::wire::frame::Frame;
use raddle_sim::workload::{Flow, Start, Traffic, Trigger, TriggerId, TriggerKind};
use std::sync::Arc;

const HOSTS: u32 = 8;

/// Two messages from each host, and one from host 4 that begins when one from host 5 has ended.
fn plan() -> Plan {
    let flow = |i| Flow::at_zero(i % HOSTS, (i + 1 + i / HOSTS) % HOSTS, Bytes(300_000));
    let mut flows: Vec<Flow> = (0..2 * HOSTS).map(flow).collect();
    flows[5].on_acked = Some(TriggerId::new(0));
    flows.push(Flow { start: Start::WHEN_TRIGGERED, ..Flow::at_zero(4, 7, Bytes(9_000)) });
    let targets = vec![FlowId(2 * HOSTS)];
    let triggers = vec![Trigger::new(TriggerKind::All { count: 1 }, targets)];
    crate::common::plan(
        crate::common::fat_tree(2, HOSTS),
        Traffic { flows, triggers, ..Traffic::default() },
        "reps",
        1,
    )
}

/// Runs the hosts of each list as a part, on a fabric that delivers a frame a microsecond after
/// its last bit has left but loses every 7th data packet.
fn run(plan: &Plan, own: &[&[u32]]) -> (FlowRecords, Vec<PortRecord>, Timeline) {
    let layout = Arc::new(Layout::new(plan));
    let ids = |own: &[u32]| own.iter().copied().map(HostId).collect::<Vec<_>>();
    let waits = Waits::of(plan);
    let part = |own: &&[u32]| Hosts::of(plan, &layout, &waits, &ids(own));
    let mut parts: Vec<_> = own.iter().map(part).collect();
    let at = |host: u32| {
        let place = |own: &&[u32]| own.iter().position(|&id| id == host);
        own.iter().enumerate().find_map(|(p, own)| Some((p, place(own)? as u32))).unwrap()
    };
    let mut on_wire: Vec<(Time, Frame)> = Vec::new();
    let mut data_sent = 0;
    loop {
        let local = |host| (parts[at(host).0].next_local(at(host).1), host);
        let (next, host) = (0..HOSTS).map(local).min().unwrap();
        let first = on_wire.iter().enumerate().min_by_key(|(i, (at, _))| (*at, *i));
        match first.map(|(i, &(at, frame))| (i, at, frame)) {
            Some((i, now, frame)) if now <= next => {
                on_wire.remove(i);
                let (part, place) = at(layout.locators().host(frame.to).0);
                parts[part].on_frame(now, place, frame);
            }
            _ if next == Time::NEVER => {
                let (flows, ports, timeline, _) = Hosts::finish(parts);
                return (flows, ports, timeline);
            }
            _ => {
                let (part, place) = at(host);
                if let Some(departure) = parts[part].run_local(next, place) {
                    let data = departure.frame.is_data();
                    data_sent += u32::from(data);
                    if data && data_sent.is_multiple_of(7) {
                        parts[part].note_dropped(departure.frame);
                    } else {
                        on_wire.push((departure.departs + Span::us(1), departure.frame));
                    }
                }
            }
        }
        for part in 0..parts.len() {
            for (to, entry) in std::mem::take(parts[part].outgoing()) {
                assert_ne!(at(layout.locators().host(to).0).0, part);
                parts[at(layout.locators().host(to).0).0].take_log_entry(to, entry);
            }
        }
    }
}

#[test]
fn hosts_do_the_same_in_parts_as_together() {
    let plan = plan();
    assert_eq!(Layout::new(&plan).groups(), [0, 1, 2, 3, 4, 4, 6, 7]);
    let together = run(&plan, &[&[0, 1, 2, 3, 4, 5, 6, 7]]);
    assert!(together.0.iter().all(|flow| flow.acked.is_some() && flow.delivered.is_some()));
    assert!(together.0.iter().any(|flow| flow.dropped > 0 && flow.timeouts > 0));
    assert_eq!(run(&plan, &[&[0, 1, 2, 3], &[4, 5, 6, 7]]), together);
    assert_eq!(run(&plan, &[&[1, 4, 5], &[0, 7], &[2, 3, 6]]), together);
}
