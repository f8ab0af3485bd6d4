//! Triggers at work, and the groups of hosts they tie together.

use crate::workload::{Traffic, Trigger, TriggerId, TriggerKind};
use raddle_schemes::ids::FlowId;
use raddle_schemes::units::Time;

/// How often each trigger has been fired.
///
/// A trigger with work hands on at once that it will act, and when: so work needs no event. What it
/// fires counts that firing at once, and acts at the latest of all that it has counted.
#[derive(Clone, Debug)]
pub(crate) struct Triggers {
    fired: Vec<u32>,
    /// The latest firing of each; empty where all act when they are fired.
    latest: Vec<Time>,
}

impl Triggers {
    pub(crate) fn new(traffic: &Traffic) -> Self {
        let number = traffic.triggers.len();
        let late = traffic.triggers.iter().any(Trigger::may_be_late);
        Self { fired: vec![0; number], latest: vec![Time::ZERO; if late { number } else { 0 }] }
    }

    /// Whether there are any.
    pub(crate) fn exist(&self) -> bool {
        !self.fired.is_empty()
    }

    /// Fires a trigger, and those that it fires. Tells `start` of each flow to start, and when; not
    /// before `now`.
    pub(crate) fn fire(
        &mut self,
        traffic: &Traffic,
        now: Time,
        id: TriggerId,
        mut start: impl FnMut(Time, FlowId),
    ) {
        let mut open = Vec::new();
        let mut next = Some((now, id));
        while let Some((mut at, id)) = next {
            let trigger = &traffic.triggers[id.index()];
            let before = self.fired[id.index()];
            self.fired[id.index()] = before.saturating_add(1);
            let acts = trigger.acts(before);
            if let Some(latest) = self.latest.get_mut(id.index()) {
                if let TriggerKind::All { .. } = trigger.kind {
                    *latest = at.max(*latest);
                    at = *latest;
                }
                at = trigger.acts_at(at);
            }
            // A trigger acts only so often, so that even a circle of them comes to an end.
            if let Some(targets) = acts {
                targets.iter().for_each(|&flow| start(at, flow));
                open.extend(trigger.fires.iter().rev().map(|&other| (at, other)));
            }
            next = open.pop();
        }
    }
}

/// For each host, the smallest host it is tied to by triggers without delay: hosts of one group
/// are run together, in order of time and host.
pub(crate) fn groups(traffic: &Traffic, hosts: u32) -> Vec<u32> {
    // Triggers are knots behind the hosts.
    let knots = hosts as usize + traffic.triggers.len();
    let mut parent: Vec<u32> = (0..knots as u32).collect();
    fn root(parent: &mut [u32], mut host: u32) -> u32 {
        while parent[host as usize] != host {
            parent[host as usize] = parent[parent[host as usize] as usize];
            host = parent[host as usize];
        }
        host
    }
    let mut tie = |a: u32, b: u32| {
        let (a, b) = (root(&mut parent, a), root(&mut parent, b));
        parent[a.max(b) as usize] = a.min(b);
    };
    let idle = |id: TriggerId| {
        let trigger = &traffic.triggers[id.index()];
        trigger.targets.is_empty() && trigger.fires.is_empty()
    };
    let knot = |id: TriggerId| hosts + id.index() as u32;
    for flow in &traffic.flows {
        let ends = [(flow.on_acked, flow.source), (flow.on_delivered, flow.destination)];
        for (trigger, host) in ends {
            if let Some(id) = trigger.filter(|&id| !idle(id)) {
                tie(host.0, knot(id));
            }
        }
    }
    for (trigger, own) in traffic.triggers.iter().zip(hosts..) {
        for target in &trigger.targets {
            tie(own, traffic.flows[target.index()].source.0);
        }
        for &other in trigger.fires.iter().filter(|&&other| !idle(other)) {
            tie(own, knot(other));
        }
    }
    (0..hosts).map(|host| root(&mut parent, host)).collect()
}
