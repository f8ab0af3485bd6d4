//! Triggers at work, and the groups of hosts they tie together.

use crate::workload::{Traffic, TriggerId, TriggerKind};
use raddle_schemes::ids::FlowId;

/// How often each trigger has been fired.
#[derive(Clone, Debug)]
pub(crate) struct Triggers {
    fired: Vec<u32>,
}

impl Triggers {
    pub(crate) fn new(traffic: &Traffic) -> Self {
        Self { fired: vec![0; traffic.triggers.len()] }
    }

    /// Fires a trigger. Returns the flows it starts now.
    pub(crate) fn fire<'a>(&mut self, traffic: &'a Traffic, id: TriggerId) -> &'a [FlowId] {
        let trigger = &traffic.triggers[id.index()];
        let before = self.fired[id.index()];
        self.fired[id.index()] += 1;
        match trigger.kind {
            TriggerKind::All { count } if before + 1 == count => &trigger.targets,
            TriggerKind::All { .. } => &[],
            TriggerKind::Next => {
                trigger.targets.get(before as usize..=before as usize).unwrap_or(&[])
            }
        }
    }
}

/// For each host, the smallest host it is tied to by triggers without delay: hosts of one group
/// are run together, in order of time and host.
pub(crate) fn groups(traffic: &Traffic, hosts: u32) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..hosts).collect();
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
    for flow in &traffic.flows {
        let ends = [(flow.on_acked, flow.source), (flow.on_delivered, flow.destination)];
        for (trigger, host) in ends {
            let Some(id) = trigger else { continue };
            for target in &traffic.triggers[id.index()].targets {
                tie(host.0, traffic.flows[target.index()].source.0);
            }
        }
    }
    (0..hosts).map(|host| root(&mut parent, host)).collect()
}
