//! Sends that wait for each other: what every collective and every trace comes down to.

use super::{Flow, Start, Traffic, Trigger, TriggerId, TriggerKind};
use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::units::{Bytes, Span, Time};

/// A dependency graph of sends, and of work between them. A step waits for earlier ones only, so that
/// there are no circles.
///
/// A send waits for what its host can know: that a message it waits for has been delivered there,
/// or, of a message its host sent itself, that the last needed ACK has come. Of messages between
/// other hosts it knows without delay when they have been delivered, as through a control plane of
/// its own; all hosts tied in this way are run by one thread.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    steps: Vec<Step>,
    /// What steps wait for, one step after the other.
    after: Vec<After>,
}

/// A step of one [`Graph`]: one of at most 2^31.
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
    does: Does,
    /// Where its part of [`Graph::after`] ends.
    after_end: u32,
}

#[derive(Clone, Debug, PartialEq)]
enum Does {
    Send(Send, FlowId),
    Work(Span),
}

/// What a step hears of one that it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// The last byte has arrived.
    Delivered,
    /// The last needed ACK has come.
    Acked,
}

/// A step, and which end of it is waited for; of a step that sends nothing there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct After(u32);

impl After {
    /// That end of `step`.
    pub fn new(step: StepId, end: End) -> Self {
        Self(step.0 << 1 | u32::from(end == End::Acked))
    }

    fn step(self) -> StepId {
        StepId(self.0 >> 1)
    }

    fn end(self) -> End {
        if self.0 & 1 == 1 { End::Acked } else { End::Delivered }
    }
}

/// The place of one dependency: `of` waits for `on`. In order of what fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    on: After,
    of: StepId,
}

/// How a step begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begin {
    /// At a time that is known before the run; work that waits for nothing else is done then.
    At(Time),
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
        let ends = after.iter().map(|&on| After::new(on, self.known_end(on, &send)));
        let ends: Vec<After> = ends.collect();
        self.send_after(send, &ends)
    }

    /// The same after ends that are named.
    pub fn send_after(&mut self, send: Send, after: &[After]) -> StepId {
        let flow = FlowId(self.sends());
        self.push(Does::Send(send, flow), after.iter().copied())
    }

    /// A step without a message: done as soon as all of `after` are. Of sends it waits for their
    /// delivery. Barriers cost one dependency per step through it, instead of one per pair.
    pub fn join(&mut self, after: &[StepId]) -> StepId {
        self.push(Does::Work(Span::ZERO), after.iter().map(|&on| After::new(on, End::Delivered)))
    }

    /// Work that begins when all of `after` have come; at time zero if there are none.
    pub fn work(&mut self, work: Span, after: &[After]) -> StepId {
        self.push(Does::Work(work), after.iter().copied())
    }

    /// How many sends there are so far.
    pub fn sends(&self) -> u32 {
        let last = self.steps.iter().rev().find_map(|step| match step.does {
            Does::Send(_, flow) => Some(flow.0),
            Does::Work(_) => None,
        });
        last.map_or(0, |flow| flow + 1)
    }

    fn push(&mut self, does: Does, after: impl Iterator<Item = After>) -> StepId {
        let id = StepId(self.steps.len() as u32);
        let from = self.after.len();
        self.after.extend(after);
        let own = &mut self.after[from..];
        debug_assert!(own.iter().all(|earlier| earlier.step() < id), "a step of another graph");
        own.sort_unstable();
        self.steps.push(Step { does, after_end: self.after.len() as u32 });
        id
    }

    /// What a step waits for, ascending; what was named twice is there twice.
    fn after(&self, id: usize) -> &[After] {
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
            let (mut last, mut not_before) = (None, Time::ZERO);
            for &on in self.after(id) {
                let waited_for = on.step().0 as usize;
                match (&self.steps[waited_for].does, begins[waited_for]) {
                    (Does::Work(_), Begin::At(done)) => not_before = not_before.max(done),
                    _ if last.replace(on) != Some(on) => {
                        edges.push(Edge { on, of: StepId(id as u32) });
                    }
                    _ => {}
                }
            }
            let (target, work) = match step.does {
                Does::Send(Send { work, .. }, flow) => (Some(flow), work),
                Does::Work(work) => (None, work),
            };
            begins.push(match (edges.len() - before) as u32 {
                0 => Begin::At(not_before + work),
                1 if target.is_some() && not_before == Time::ZERO => Begin::WithOne,
                count => {
                    let kind = TriggerKind::All { count };
                    let targets: Vec<FlowId> = target.into_iter().collect();
                    // The work before a send is its flow's.
                    let work = if targets.is_empty() { work } else { Span::ZERO };
                    triggers.push(Trigger { work, not_before, ..Trigger::new(kind, targets) });
                    Begin::Gate(TriggerId::new(triggers.len() as u32 - 1))
                }
            });
        }
        let flows = self.steps.iter().zip(&begins).filter_map(|(step, begin)| {
            let Does::Send(Send { source, destination, bytes, work }, _) = step.does else {
                return None;
            };
            let start = match *begin {
                Begin::At(time) => Start::At(time),
                Begin::WithOne | Begin::Gate(_) => Start::After(work),
            };
            Some(Flow { start, ..Flow::at_zero(source.0, destination.0, bytes) })
        });
        let mut flows: Vec<Flow> = flows.collect();
        edges.sort_unstable();
        for waiting in edges.chunk_by(|a, b| a.on == b.on) {
            let on = waiting[0].on;
            let (targets, fires) = self.started(waiting, &begins);
            match (&self.steps[on.step().0 as usize].does, begins[on.step().0 as usize]) {
                (Does::Work(_), Begin::Gate(own)) => {
                    let gate = &mut triggers[own.index()];
                    gate.targets.extend(targets);
                    gate.fires.extend(fires);
                }
                (Does::Send(_, flow), _) => {
                    let fired = match (&targets[..], &fires[..]) {
                        ([], [gate]) => *gate,
                        _ => {
                            let kind = TriggerKind::All { count: 1 };
                            triggers.push(Trigger { fires, ..Trigger::new(kind, targets) });
                            TriggerId::new(triggers.len() as u32 - 1)
                        }
                    };
                    let flow = &mut flows[flow.index()];
                    match on.end() {
                        End::Delivered => flow.on_delivered = Some(fired),
                        End::Acked => flow.on_acked = Some(fired),
                    }
                }
                (Does::Work(_), _) => debug_assert!(false, "its time is known before the run"),
            }
        }
        Traffic { flows, triggers, ..Traffic::default() }
    }

    /// Which end of `on` the host of `send` hears of.
    fn known_end(&self, on: StepId, send: &Send) -> End {
        match &self.steps[on.0 as usize].does {
            Does::Send(on, _) if on.source == send.source && on.destination != send.source => {
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
            match (begins[of], &self.steps[of].does) {
                (Begin::Gate(gate), _) => fires.push(gate),
                (_, Does::Send(_, flow)) => targets.push(*flow),
                (_, Does::Work(_)) => {}
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

    #[test]
    fn work_delays_what_waits_for_it_and_is_known_before_the_run_where_nothing_else_is_waited_for()
    {
        let [a, b, c] = hosts();
        let after = |step| After::new(step, End::Delivered);
        let mut graph = Graph::default();
        let first = graph.work(Span(7), &[]);
        let second = graph.work(Span(5), &[after(first)]);
        let sent = graph.send(a, b, SOME, &[second]);
        let there = graph.work(Span(3), &[after(sent)]);
        let more = graph.work(Span(2), &[after(there), after(second)]);
        graph.send(b, c, SOME, &[more]);
        let own = graph.work(Span(9), &[After::new(sent, End::Acked)]);
        graph.send_after(
            Send { source: a, destination: c, bytes: SOME, work: Span(4) },
            &[after(own), after(second)],
        );
        let traffic = graph.traffic();
        assert_eq!(traffic.flows[0].start, Start::At(Time(12)));
        let [there, more, own, gate] = [0, 1, 2, 3].map(TriggerId::new);
        assert_eq!(traffic.flows[0].on_delivered, Some(there));
        assert_eq!(traffic.flows[0].on_acked, Some(own));
        let waits: Vec<(Span, Time)> =
            traffic.triggers.iter().map(|trigger| (trigger.work, trigger.not_before)).collect();
        let zero = (Span::ZERO, Time::ZERO);
        assert_eq!(waits[..3], [(Span(3), zero.1), (Span(2), Time(12)), (Span(9), zero.1)]);
        assert_eq!(waits[3..], [(zero.0, Time(12))]);
        assert_eq!(traffic.triggers[there.index()].fires, [more]);
        assert_eq!(traffic.triggers[more.index()].targets, [FlowId(1)]);
        assert_eq!(traffic.triggers[own.index()].fires, [gate]);
        assert_eq!(traffic.flows[2].start, Start::After(Span(4)));
        assert_eq!(groups(&traffic, 3), [0, 1, 2]);
    }
}
