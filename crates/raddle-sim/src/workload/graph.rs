//! Sends that wait for each other: what every collective and every trace comes down to.

use super::{Flow, Start, Traffic, Trigger, TriggerId, TriggerKind};
use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::units::{Bytes, Span, Time};

/// A dependency graph of sends. A step waits for earlier ones only, so that there are no circles.
///
/// A send waits for what its host can know: that a message it waits for has been delivered there,
/// or, of a message its host sent itself, that the last needed ACK has come. Of messages between
/// other hosts it knows without delay when they have been delivered, as through a control plane of
/// its own; all hosts tied in this way are run by one thread.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    steps: Vec<Step>,
    /// What steps wait for, one step after the other.
    after: Vec<StepId>,
}

/// A step of one [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepId(u32);

/// A message, and what its host does before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Send {
    /// The sender.
    pub source: HostId,
    /// The receiver.
    pub destination: HostId,
    /// Its size.
    pub bytes: Bytes,
    /// For how long its host works when all that the send waits for has come, before it sends.
    pub work: Span,
}

#[derive(Clone, Debug, PartialEq)]
struct Step {
    /// `None` for a join.
    send: Option<Numbered>,
    /// Where its part of [`Graph::after`] ends.
    after_end: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Numbered {
    send: Send,
    flow: FlowId,
}

/// What a step hears of one that it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Delivered,
    Acked,
}

/// The place of one dependency: `of` waits for `end` of `on`. In order of what fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    on: StepId,
    end: End,
    of: StepId,
}

/// How a step begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begin {
    /// At time zero.
    AtZero,
    /// With the one send that it waits for.
    WithOne,
    /// By a trigger that counts what it waits for.
    Gate(TriggerId),
}

impl Graph {
    /// A message from one host to another, when all of `after` are done; at time zero if there are
    /// none. Its flow has the number of the sends before it.
    pub fn send(
        &mut self,
        source: HostId,
        destination: HostId,
        bytes: Bytes,
        after: &[StepId],
    ) -> StepId {
        self.work_and_send(Send { source, destination, bytes, work: Span::ZERO }, after)
    }

    /// The same after some work.
    pub fn work_and_send(&mut self, send: Send, after: &[StepId]) -> StepId {
        let flow = FlowId(self.sends());
        self.push(Some(Numbered { send, flow }), after)
    }

    /// A step without a message: done as soon as all of `after` are. Of sends it waits for their
    /// delivery. Barriers cost one dependency per step through it, instead of one per pair.
    pub fn join(&mut self, after: &[StepId]) -> StepId {
        self.push(None, after)
    }

    /// How many sends there are so far.
    pub fn sends(&self) -> u32 {
        let last = self.steps.iter().rev().find_map(|step| step.send);
        last.map_or(0, |send| send.flow.0 + 1)
    }

    fn push(&mut self, send: Option<Numbered>, after: &[StepId]) -> StepId {
        let id = StepId(self.steps.len() as u32);
        debug_assert!(after.iter().all(|&earlier| earlier < id), "a step of another graph");
        let from = self.after.len();
        self.after.extend_from_slice(after);
        self.after[from..].sort_unstable();
        self.steps.push(Step { send, after_end: self.after.len() as u32 });
        id
    }

    /// What a step waits for, ascending; a step that was named twice is there twice.
    fn after(&self, id: usize) -> &[StepId] {
        let from = id.checked_sub(1).map_or(0, |before| self.steps[before].after_end);
        &self.after[from as usize..self.steps[id].after_end as usize]
    }

    /// The flows, in the order of sends, and the triggers that start them.
    pub fn traffic(&self) -> Traffic {
        let mut edges = Vec::new();
        let mut begins = Vec::with_capacity(self.steps.len());
        let mut triggers = Vec::new();
        for (id, step) in self.steps.iter().enumerate() {
            let before = edges.len();
            let mut last = None;
            for &on in self.after(id) {
                // A join of nothing is done at time zero.
                let done = self.steps[on.0 as usize].send.is_none()
                    && begins[on.0 as usize] == Begin::AtZero;
                if !done && last.replace(on) != Some(on) {
                    edges.push(Edge { on, end: self.end(on, step), of: StepId(id as u32) });
                }
            }
            begins.push(match ((edges.len() - before) as u32, step.send) {
                (0, _) => Begin::AtZero,
                (1, Some(_)) => Begin::WithOne,
                (count, send) => {
                    triggers.push(Trigger {
                        kind: TriggerKind::All { count },
                        targets: send.map(|send| send.flow).into_iter().collect(),
                        fires: Vec::new(),
                    });
                    Begin::Gate(TriggerId::new(triggers.len() as u32 - 1))
                }
            });
        }
        let flows = self.steps.iter().zip(&begins).filter_map(|(step, begin)| {
            let Send { source, destination, bytes, work } = step.send?.send;
            let start = match begin {
                Begin::AtZero => Start::At(Time::ZERO + work),
                Begin::WithOne | Begin::Gate(_) => Start::After(work),
            };
            Some(Flow { start, ..Flow::at_zero(source.0, destination.0, bytes) })
        });
        let mut flows: Vec<Flow> = flows.collect();
        edges.sort_unstable();
        for waiting in edges.chunk_by(|a, b| (a.on, a.end) == (b.on, b.end)) {
            let Edge { on, end, .. } = waiting[0];
            let (targets, fires) = self.started(waiting, &begins);
            match (self.steps[on.0 as usize].send, begins[on.0 as usize]) {
                (None, Begin::Gate(own)) => {
                    let gate = &mut triggers[own.index()];
                    (gate.targets, gate.fires) = (targets, fires);
                }
                (Some(send), _) => {
                    let fired = match (&targets[..], &fires[..]) {
                        ([], [gate]) => *gate,
                        _ => {
                            let kind = TriggerKind::All { count: 1 };
                            triggers.push(Trigger { kind, targets, fires });
                            TriggerId::new(triggers.len() as u32 - 1)
                        }
                    };
                    let flow = &mut flows[send.flow.index()];
                    match end {
                        End::Delivered => flow.on_delivered = Some(fired),
                        End::Acked => flow.on_acked = Some(fired),
                    }
                }
                (None, _) => debug_assert!(false, "nothing waits for a join of nothing"),
            }
        }
        Traffic { flows, triggers, ..Traffic::default() }
    }

    /// Which end of `on` the step hears of.
    fn end(&self, on: StepId, step: &Step) -> End {
        match (self.steps[on.0 as usize].send, step.send) {
            (Some(Numbered { send: on, .. }), Some(Numbered { send, .. }))
                if on.source == send.source && on.destination != send.source =>
            {
                End::Acked
            }
            _ => End::Delivered,
        }
    }

    /// Of the steps that wait for one thing: the flows that start with it, and the gates of the
    /// others.
    fn started(&self, waiting: &[Edge], begins: &[Begin]) -> (Vec<FlowId>, Vec<TriggerId>) {
        let (mut targets, mut fires) = (Vec::new(), Vec::new());
        for edge in waiting {
            let of = edge.of.0 as usize;
            match (begins[of], self.steps[of].send) {
                (Begin::Gate(gate), _) => fires.push(gate),
                (_, Some(send)) => targets.push(send.flow),
                (_, None) => {}
            }
        }
        (targets, fires)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::endpoints::triggers::groups;

    const SOME: Bytes = Bytes(1_000);

    fn hosts<const N: usize>() -> [HostId; N] {
        std::array::from_fn(|host| HostId(host as u32))
    }

    #[test]
    fn a_chain_hangs_on_deliveries_and_ties_no_hosts() {
        let [a, b, c] = hosts();
        let mut graph = Graph::default();
        let first = graph.send(a, b, SOME, &[]);
        let second = graph.send(b, c, SOME, &[first]);
        graph.send(c, a, SOME, &[second]);
        let traffic = graph.traffic();
        let starts: Vec<bool> =
            traffic.flows.iter().map(|flow| flow.start == Start::WHEN_TRIGGERED).collect();
        assert_eq!(starts, [false, true, true]);
        assert_eq!(traffic.flows[0].on_delivered, Some(TriggerId::new(0)));
        assert_eq!(traffic.flows[0].on_acked, None);
        assert_eq!(traffic.triggers[0].targets, [FlowId(1)]);
        assert_eq!(traffic.triggers[1].targets, [FlowId(2)]);
        assert_eq!(groups(&traffic, 3), [0, 1, 2]);
    }

    #[test]
    fn a_send_waits_for_all_it_names_and_hears_of_its_own_host_by_ack() {
        let [a, b, c] = hosts();
        let mut graph = Graph::default();
        let there = graph.send(a, b, SOME, &[]);
        let back = graph.send(b, a, SOME, &[]);
        graph.send(a, c, SOME, &[there, back, back]);
        let traffic = graph.traffic();
        let gate = Some(TriggerId::new(0));
        assert_eq!(traffic.triggers.len(), 1);
        assert_eq!(traffic.triggers[0].kind, TriggerKind::All { count: 2 });
        assert_eq!((traffic.flows[0].on_acked, traffic.flows[0].on_delivered), (gate, None));
        assert_eq!((traffic.flows[1].on_acked, traffic.flows[1].on_delivered), (None, gate));
        assert_eq!(groups(&traffic, 3), [0, 1, 2]);
    }

    #[test]
    fn one_message_counts_for_several_sends() {
        let [a, b, c] = hosts();
        let mut graph = Graph::default();
        let one = graph.send(a, b, SOME, &[]);
        let other = graph.send(c, b, SOME, &[]);
        graph.send(b, c, SOME, &[one]);
        graph.send(b, a, SOME, &[one, other]);
        let traffic = graph.traffic();
        let fan = &traffic.triggers[traffic.flows[0].on_delivered.unwrap().index()];
        assert_eq!(fan.targets, [FlowId(2)]);
        assert_eq!(fan.fires, [traffic.flows[1].on_delivered.unwrap()]);
        assert_eq!(traffic.triggers[fan.fires[0].index()].targets, [FlowId(3)]);
    }

    #[test]
    fn a_join_is_a_barrier_that_ties_its_hosts_and_a_join_of_nothing_is_none() {
        let [a, b, c] = hosts();
        let mut graph = Graph::default();
        let nothing = graph.join(&[]);
        let one = graph.send(a, b, SOME, &[nothing]);
        let other = graph.send(b, a, SOME, &[]);
        let barrier = graph.join(&[one, other, nothing]);
        graph.send(a, b, SOME, &[barrier]);
        graph.send(c, b, SOME, &[barrier]);
        let traffic = graph.traffic();
        assert_eq!(traffic.flows[0].start, traffic.flows[1].start);
        assert_eq!(traffic.triggers.len(), 1);
        assert_eq!(traffic.triggers[0].kind, TriggerKind::All { count: 2 });
        assert_eq!(traffic.triggers[0].targets, [FlowId(2), FlowId(3)]);
        assert_eq!(groups(&traffic, 4), [0, 0, 0, 3]);
    }
}
