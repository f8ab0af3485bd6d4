//! From a connection matrix to the flows and triggers of a run.

use super::super::InputError;
use super::{ConnectionMatrix, ConnectionStart};
use raddle_schemes::ids::FlowId;
use raddle_sim::workload::{Flow, Start, Traffic, Trigger, TriggerId};
use std::collections::BTreeMap;

impl ConnectionMatrix {
    /// The flows and triggers for a fabric of `hosts` hosts, in the order of the file, with notes.
    ///
    /// A trigger's flows start in the order of the file. htsim starts them last in, first out, and
    /// says that the order is not guaranteed.
    ///
    /// # Errors
    /// If the matrix has more hosts than the fabric, or a flow without an end.
    pub fn traffic(&self, hosts: u32) -> Result<(Traffic, Vec<InputError>), Vec<InputError>> {
        let mut errors = Vec::new();
        let mut notes = Vec::new();
        if self.nodes > hosts {
            errors.push(self.nodes_at.error(
                format!("the matrix has {} hosts, the fabric has {hosts}", self.nodes),
                format!("use a fabric of at least {} hosts", self.nodes),
            ));
        } else if self.nodes < hosts {
            notes.push(self.nodes_at.note(format!(
                "the matrix has {} hosts, the fabric has {hosts}; the others stay idle",
                self.nodes
            )));
        }
        let index: BTreeMap<u32, u32> =
            self.triggers.iter().zip(0..).map(|(trigger, i)| (trigger.id, i)).collect();
        let trigger =
            |id: Option<u32>| id.and_then(|id| index.get(&id)).map(|&i| TriggerId::new(i));
        let mut traffic = Traffic {
            flows: Vec::with_capacity(self.connections.len()),
            triggers: self
                .triggers
                .iter()
                .map(|trigger| Trigger::new(trigger.kind, Vec::new()))
                .collect(),
            ..Traffic::default()
        };
        for (connection, flow) in self.connections.iter().zip(0..) {
            let Some(bytes) = connection.size else {
                errors.push(
                    connection
                        .at
                        .error("an endless flow has no completion time", "give the flow a size"),
                );
                continue;
            };
            let start = match connection.start {
                ConnectionStart::At(time) => Start::At(time),
                ConnectionStart::Trigger(id) => {
                    if let Some(id) = trigger(Some(id)) {
                        traffic.triggers[id.index()].targets.push(FlowId(flow));
                    }
                    Start::WHEN_TRIGGERED
                }
            };
            traffic.flows.push(Flow {
                source: connection.source,
                destination: connection.destination,
                bytes,
                class: 0,
                load_balance: 0,
                transport: 0,
                hashed: false,
                qps: 1,
                qp: 0,
                start,
                on_acked: trigger(connection.on_acked),
                on_delivered: trigger(connection.on_delivered),
            });
        }
        if errors.is_empty() { Ok((traffic, notes)) } else { Err(errors) }
    }
}
