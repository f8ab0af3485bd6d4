//! Messages in pieces: what a planner makes of a traffic before the run, or a host that spreads
//! each message over several queue pairs.
//!
//! A piece is a flow. The engines run pieces; what a run leaves is told of messages again
//! ([`Outcome::of_messages`](crate::record::Outcome::of_messages)).

use super::{Flow, Traffic, Trigger, TriggerId, TriggerKind};
use raddle_schemes::ids::{Entropy, FlowId, HostId, SwitchId};
use raddle_schemes::planner;
use raddle_schemes::units::Bytes;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The messages that the flows of a traffic are pieces of, and where each of them goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Pieces {
    /// What planned them, and moves those whose packets get lost; none where queue pairs alone have
    /// pieces.
    pub planner: Option<planner::Config>,
    /// The traffic as it was.
    pub messages: Traffic,
    /// The pieces of each message begin here; one more than there are messages.
    first: Vec<u32>,
    /// The path of each piece; none where there is no choice, and of messages that are not planned.
    paths: Vec<Option<Entropy>>,
    /// The switch of each host.
    edges: Vec<SwitchId>,
    /// All paths from one edge switch to another.
    between: BTreeMap<(SwitchId, SwitchId), Arc<[Entropy]>>,
}

/// Where the pieces of one message go.
pub(crate) type Placements = Vec<(Bytes, Option<Entropy>)>;

/// What is known of a fabric's paths when messages are planned.
pub(crate) struct KnownPaths {
    pub(crate) edges: Vec<SwitchId>,
    pub(crate) between: BTreeMap<(SwitchId, SwitchId), Arc<[Entropy]>>,
}

impl Pieces {
    /// How many messages there are.
    pub fn count(&self) -> usize {
        self.messages.flows.len()
    }

    /// The pieces of the message of this number.
    pub fn of(&self, message: usize) -> Range<u32> {
        self.first[message]..self.first[message + 1]
    }

    /// The message that a piece belongs to.
    pub fn message_of(&self, piece: FlowId) -> FlowId {
        FlowId(self.first.partition_point(|&first| first <= piece.0) as u32 - 1)
    }

    /// The path that a piece was given.
    pub fn path(&self, piece: FlowId) -> Option<Entropy> {
        self.paths[piece.index()]
    }

    /// The switch of a host.
    pub fn leaf(&self, host: HostId) -> SwitchId {
        self.edges[host.index()]
    }

    /// All paths from one host to another; none below one switch, and where no planned message goes.
    pub fn between(&self, source: HostId, destination: HostId) -> &[Entropy] {
        let ends = (self.leaf(source), self.leaf(destination));
        self.between.get(&ends).map_or(&[], |paths| paths)
    }

    /// How many messages are in more than one piece.
    pub fn split(&self) -> usize {
        self.first.windows(2).filter(|ends| ends[1] - ends[0] > 1).count()
    }
}

/// The traffic in which each message is in pieces: all of them start when it would, and what its end
/// fires is fired by the last of theirs.
pub(crate) fn in_pieces(
    messages: Traffic,
    placements: Vec<Placements>,
    planner: Option<planner::Config>,
    known: KnownPaths,
) -> Traffic {
    let mut first = Vec::with_capacity(placements.len() + 1);
    let mut end = 0;
    first.push(0);
    for own in &placements {
        end += own.len() as u32;
        first.push(end);
    }
    let mut triggers = messages.triggers.clone();
    let mut flows: Vec<Flow> = Vec::with_capacity(end as usize);
    for (message, own) in messages.flows.iter().zip(&placements) {
        let mut last_of = |fired: Option<TriggerId>| match fired {
            Some(fired) if own.len() > 1 => {
                let kind = TriggerKind::All { count: own.len() as u32 };
                triggers.push(Trigger { fires: vec![fired], ..Trigger::new(kind, Vec::new()) });
                Some(TriggerId::new(triggers.len() as u32 - 1))
            }
            fired => fired,
        };
        let on_acked = last_of(message.on_acked);
        let on_delivered = last_of(message.on_delivered);
        let planned = own.iter().any(|(_, path)| path.is_some());
        flows.extend(own.iter().enumerate().map(|(number, &(bytes, _))| {
            let qp = if planned { 0 } else { number as u8 };
            Flow { bytes, on_acked, on_delivered, qp, ..message.clone() }
        }));
    }
    for index in 0..messages.triggers.len() {
        name_pieces(&mut triggers, index, &first);
    }
    let paths = placements.into_iter().flatten().map(|(_, path)| path).collect();
    let KnownPaths { edges, between } = known;
    let pieces = Pieces { planner, messages, first, paths, edges, between };
    Traffic { flows, triggers, jobs: Vec::new(), pieces: Some(Arc::new(pieces)) }
}

/// Lets a trigger that names messages start their pieces.
fn name_pieces(triggers: &mut Vec<Trigger>, index: usize, first: &[u32]) {
    let of = |message: FlowId| first[message.index()]..first[message.index() + 1];
    let targets = std::mem::take(&mut triggers[index].targets);
    let kind = triggers[index].kind;
    triggers[index].targets = match kind {
        TriggerKind::All { .. } => targets.into_iter().flat_map(of).map(FlowId).collect(),
        TriggerKind::Next => {
            // It starts one flow at a time. The other pieces of the n-th message are started by a
            // trigger of their own, which is fired with each and acts the n-th time.
            let mut gates = Vec::new();
            for (count, message) in (1..).zip(&targets) {
                let rest: Vec<FlowId> = of(*message).skip(1).map(FlowId).collect();
                if rest.is_empty() {
                    continue;
                }
                let kind = TriggerKind::All { count };
                triggers.push(Trigger::new(kind, rest));
                gates.push(TriggerId::new(triggers.len() as u32 - 1));
            }
            triggers[index].fires.splice(0..0, gates);
            targets.into_iter().map(|message| FlowId(of(message).start)).collect()
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::endpoints::triggers::Triggers;
    use raddle_schemes::planner::ethereal;
    use raddle_schemes::units::Time;

    fn known() -> KnownPaths {
        KnownPaths { edges: vec![SwitchId(0); 4], between: BTreeMap::new() }
    }

    /// Traffic of three messages, the second in two pieces.
    fn three(change: impl FnOnce(&mut Traffic)) -> Traffic {
        let mut messages = Traffic::from(vec![Flow::at_zero(0, 1, Bytes(10)); 3]);
        change(&mut messages);
        let (one, two) = (vec![(Bytes(10), None)], vec![(Bytes(5), None); 2]);
        let planner = planner::Config::Ethereal(ethereal::Config::default());
        in_pieces(messages, vec![one.clone(), two, one], Some(planner), known())
    }

    #[test]
    fn pieces_are_flows_that_know_their_messages() {
        let traffic = three(|_| {});
        let pieces = traffic.pieces.as_deref().unwrap();
        assert_eq!(
            traffic.flows.iter().map(|flow| flow.bytes.0).collect::<Vec<_>>(),
            [10, 5, 5, 10]
        );
        assert_eq!([0, 1, 2, 3].map(|piece| pieces.message_of(FlowId(piece)).0), [0, 1, 1, 2]);
        assert_eq!((pieces.of(1), pieces.count(), pieces.split()), (1..3, 3, 1));
    }

    /// What is started when `fired` has been fired so many times more.
    fn started(traffic: &Traffic, triggers: &mut Triggers, fired: TriggerId) -> Vec<u32> {
        let mut flows = Vec::new();
        triggers.fire(traffic, Time::ZERO, fired, |_, flow| flows.push(flow.0));
        flows
    }

    #[test]
    fn the_last_piece_fires_what_its_message_would() {
        let traffic = three(|messages| {
            let (kind, targets) = (TriggerKind::All { count: 1 }, vec![FlowId(1), FlowId(2)]);
            messages.triggers.push(Trigger::new(kind, targets));
            messages.flows[1].on_acked = Some(TriggerId::new(0));
        });
        let mut triggers = Triggers::new(&traffic);
        let [first, second] = [1, 2].map(|piece: usize| traffic.flows[piece].on_acked.unwrap());
        assert_eq!(started(&traffic, &mut triggers, first), [0; 0]);
        assert_eq!(started(&traffic, &mut triggers, second), [1, 2, 3]);
    }

    #[test]
    fn a_trigger_that_starts_one_after_the_other_starts_all_pieces_of_one() {
        let traffic = three(|messages| {
            let targets = vec![FlowId(0), FlowId(1), FlowId(2)];
            let kind = TriggerKind::Next;
            messages.triggers.push(Trigger::new(kind, targets));
        });
        let mut triggers = Triggers::new(&traffic);
        let mut next = || started(&traffic, &mut triggers, TriggerId::new(0));
        assert_eq!([next(), next(), next(), next()], [vec![0], vec![1, 2], vec![3], vec![]]);
    }
}
