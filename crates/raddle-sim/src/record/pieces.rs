//! What a run of pieces comes to for the messages that they belong to.

use super::followers::in_order;
use super::probes::Holder;
use super::rows::merged;
use super::{FlowRecord, FlowRecords, Outcome, Stop};
use crate::plan::Plan;
use crate::workload::pieces::Pieces;
use crate::workload::{Flow, Traffic};
use raddle_schemes::ids::{Entropy, FlowId};

/// What became of the pieces of messages, where a planner has made some.
#[derive(Clone, Debug, PartialEq)]
pub struct PieceRecords {
    /// The traffic that was run: its flows are the pieces.
    pub traffic: Traffic,
    /// One for each of these.
    pub records: FlowRecords,
    /// Why the run ended, told of pieces.
    pub stop: Stop,
}

impl PieceRecords {
    /// The piece of this number, as a flow, its message, its path if it has one, and what became of it.
    pub fn at(&self, piece: usize) -> (&Flow, FlowId, Option<Entropy>, FlowRecord) {
        let id = FlowId(piece as u32);
        let (message, path) = match self.traffic.pieces.as_deref() {
            Some(pieces) => (pieces.message_of(id), pieces.path(id)),
            None => (id, None),
        };
        (&self.traffic.flows[piece], message, path, self.records.at(piece))
    }

    /// How many messages are in more than one piece.
    pub fn split(&self) -> usize {
        self.traffic.pieces.as_deref().map_or(0, Pieces::split)
    }
}

impl Outcome {
    /// The same run told of messages: a message starts with its first piece and ends with its last, and
    /// counts are sums. The plan is the one that was run, and becomes one of messages. Nothing changes
    /// where there are no pieces.
    pub fn of_messages(self, mut plan: Plan) -> (Plan, Self) {
        let Some(pieces) = plan.traffic.pieces.clone() else { return (plan, self) };
        let Self {
            flows: records,
            stop,
            mut timeline,
            mut probes,
            mut routes,
            mut progress,
            mut packets,
            ..
        } = self;
        let messages = (0..pieces.count()).map(|message| {
            let own = pieces.of(message);
            all_of(records.range(own.start as usize..own.end as usize))
        });
        let flows = messages.collect();
        let named = |flows: &[FlowId]| {
            let mut named: Vec<FlowId> = flows.iter().map(|&id| pieces.message_of(id)).collect();
            named.dedup();
            named
        };
        let told = match &stop {
            Stop::EndTime(flows) => Stop::EndTime(named(flows)),
            Stop::Stalled(flows) => Stop::Stalled(named(flows)),
            stop => stop.clone(),
        };
        for (_, flow, _) in &mut timeline.events {
            *flow = pieces.message_of(*flow);
        }
        for row in &mut probes {
            if let Holder::Flow(flow) = &mut row.holder {
                *flow = pieces.message_of(*flow);
            }
        }
        let probes = in_order(probes);
        routes.iter_mut().for_each(|row| row.flow = pieces.message_of(row.flow));
        progress.iter_mut().for_each(|row| row.flow = pieces.message_of(row.flow));
        let (routes, progress) = merged(routes, progress);
        packets.rename(|flow| pieces.message_of(flow));
        let traffic = std::mem::replace(&mut plan.traffic, pieces.messages.clone());
        let split = pieces;
        let pieces = Some(Box::new(PieceRecords { traffic, records, stop }));
        plan.record.probes.flows.iter_mut().for_each(|flow| *flow = split.message_of(*flow));
        plan.record.probes.flows.dedup();
        plan.record.packets.iter_mut().for_each(|flow| *flow = split.message_of(*flow));
        plan.record.packets.dedup();
        (
            plan,
            Self { flows, stop: told, timeline, probes, routes, progress, packets, pieces, ..self },
        )
    }

    /// The other way: plan and outcome of the pieces that were run, if there are any.
    pub(crate) fn of_pieces(&self, plan: &Plan) -> Option<(Plan, Self)> {
        let PieceRecords { traffic, records, stop } = self.pieces.as_deref()?;
        let plan = Plan { traffic: traffic.clone(), ..plan.clone() };
        let (flows, stop) = (records.clone(), stop.clone());
        Some((plan, Self { flows, stop, pieces: None, ..self.clone() }))
    }
}

/// The record of a message that these are all pieces of.
fn all_of(pieces: impl Iterator<Item = FlowRecord>) -> FlowRecord {
    let add = |sum: FlowRecord, piece: FlowRecord| FlowRecord {
        started: sum.started.into_iter().chain(piece.started).min(),
        acked: sum.acked.zip(piece.acked).map(|(sum, piece)| sum.max(piece)),
        delivered: sum.delivered.zip(piece.delivered).map(|(sum, piece)| sum.max(piece)),
        sent: sum.sent + piece.sent,
        retransmitted: sum.retransmitted + piece.retransmitted,
        received: sum.received + piece.received,
        duplicates: sum.duplicates + piece.duplicates,
        refused: sum.refused + piece.refused,
        marked: sum.marked + piece.marked,
        trimmed: sum.trimmed + piece.trimmed,
        dropped: sum.dropped + piece.dropped,
        timeouts: sum.timeouts + piece.timeouts,
        gave_up: sum.gave_up || piece.gave_up,
    };
    pieces.reduce(add).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::units::Time;

    #[test]
    fn a_message_ends_with_its_last_piece() {
        let piece = |started, acked: Option<u64>| FlowRecord {
            started: Some(Time(started)),
            acked: acked.map(Time),
            delivered: acked.map(|at| Time(at - 1)),
            sent: 2,
            received: 1,
            ..FlowRecord::default()
        };
        let sum = all_of([piece(5, Some(20)), piece(3, Some(30)), piece(9, Some(10))].into_iter());
        let expected =
            FlowRecord { started: Some(Time(3)), sent: 6, received: 3, ..piece(3, Some(30)) };
        assert_eq!(sum, expected);
        let open = all_of([piece(5, Some(20)), piece(3, None)].into_iter());
        assert_eq!((open.acked, open.started), (None, Some(Time(3))));
    }
}
