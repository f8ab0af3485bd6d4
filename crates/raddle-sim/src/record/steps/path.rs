//! The critical path of a job: from the last end back, each time to what came last of all that was
//! waited for, until nothing was. Of equals the lowest rank, then the lowest node.

use super::replay::Replay;
use crate::workload::job_graph::{Does, Part, Point, SendDone};
use raddle_schemes::ids::FlowId;
use raddle_schemes::units::{Span, Time};

/// A part of the path. Each begins when the one before it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The rank that computes or sends.
    pub rank: u32,
    /// Its node, by the place there.
    pub node: u32,
    /// When it begins.
    pub from: Time,
    /// When it ends.
    pub until: Time,
    /// What it is.
    pub does: Took,
}

/// What takes time on the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Took {
    /// Computation.
    Calc,
    /// A message.
    Message {
        /// Its flow.
        flow: FlowId,
        /// The receiving rank.
        to: u32,
        /// Whether it ends with its last needed ACK; else with its delivery.
        acked: bool,
        /// The collective that it is of, by number.
        collective: Option<u32>,
    },
}

impl Stretch {
    /// How long it takes.
    pub fn time(&self) -> Span {
        self.until.since(self.from)
    }
}

/// Where the path has come to.
enum At {
    Start(u32),
    End(u32),
    /// The start of a send of a collective.
    Send(u32, u32),
}

/// The path, its first stretch in front; without what takes no time.
pub fn path(replay: &Replay<'_>) -> Vec<Stretch> {
    let nodes = 0..replay.script.nodes() as u32;
    // Of equals the first: nodes are numbered rank by rank.
    let last = nodes.rev().max_by_key(|node| replay.end(*node));
    let mut walk = Walk { replay, path: Vec::new() };
    let mut at = last.map(At::End);
    while let Some(now) = at {
        at = match now {
            At::Start(node) => walk.start(node),
            At::End(node) => Some(walk.end(node)),
            At::Send(collective, send) => Some(walk.send(collective, send)),
        };
    }
    walk.path.retain(|own| own.until > own.from);
    walk.path.reverse();
    walk.path
}

struct Walk<'a, 'b> {
    replay: &'b Replay<'a>,
    path: Vec<Stretch>,
}

impl<'a> Walk<'a, '_> {
    fn push(&mut self, node: u32, from: Time, until: Time, does: Took) {
        let (rank, node) = self.replay.script.at(node);
        self.path.push(Stretch { rank, node, from, until, does });
    }

    fn start(&self, node: u32) -> Option<At> {
        let begin = self.replay.start(node);
        let last = self.replay.waits_for(node).filter(|(.., at)| *at == begin);
        let (on, point, _) = last.min_by_key(|(on, point, _)| (*on, *point))?;
        Some(if point == Point::Start { At::Start(on) } else { At::End(on) })
    }

    fn end(&mut self, node: u32) -> At {
        let replay = self.replay;
        let (from, until) = (replay.start(node), replay.end(node));
        match replay.script.does(node) {
            Does::Calc(_) => self.push(node, from, until, Took::Calc),
            Does::Send { to, .. } => {
                if let Some(flow) = replay.script.with(node) {
                    let acked = replay.script.job().send_done == SendDone::Acked;
                    let (flow, to) = (replay.flow(flow), *to);
                    let does = Took::Message { flow, to, acked, collective: None };
                    self.push(node, from, until, does);
                }
            }
            Does::Recv { .. } => {
                if let Some((send, at)) = replay.arrival(node)
                    && (at > from || at == from && send < node)
                {
                    if let Some(flow) = replay.script.with(send) {
                        let (to, _) = replay.script.at(node);
                        let flow = replay.flow(flow);
                        let does = Took::Message { flow, to, acked: false, collective: None };
                        self.push(send, replay.start(send), at, does);
                    }
                    return At::Start(send);
                }
            }
            Does::Coll { .. } => {
                if let Some(at) = self.last_of(node, until) {
                    return at;
                }
            }
            Does::Mark(_) => {}
        }
        At::Start(node)
    }

    /// The send with which a rank's part in a collective was done.
    fn last_of(&mut self, node: u32, until: Time) -> Option<At> {
        let replay = self.replay;
        let number = replay.script.with(node)?;
        let part: Part<'a> = replay.script.collective(number);
        let (rank, _) = replay.script.at(node);
        let mut last: Option<(u32, u32, bool)> = None;
        for (send, flow) in (0..).zip(part.flows.clone()) {
            let (from, to) = part.sends.ends(send);
            let [from, to] = [from, to].map(|own| part.ranks[own as usize]);
            let here = to == rank && replay.delivered(flow) == until;
            let sent = from == rank && replay.done(flow) == until;
            if (here || sent) && last.is_none_or(|(first, ..)| from < first) {
                last = Some((from, send, !here));
            }
        }
        let (_, send, sent) = last?;
        let acked = sent && replay.script.job().send_done == SendDone::Acked;
        self.message(number, &part, (send, acked), until);
        Some(At::Send(number, send))
    }

    fn message(&mut self, number: u32, part: &Part<'a>, (send, acked): (u32, bool), until: Time) {
        let to = part.ranks[part.sends.ends(send).1 as usize];
        let flow = self.replay.flow(part.flows.start + send);
        let does = Took::Message { flow, to, acked, collective: Some(number) };
        let (node, from) = (self.replay.sender(part, send), self.replay.started(part, send));
        self.push(node, from, until, does);
    }

    fn send(&mut self, number: u32, send: u32) -> At {
        let replay = self.replay;
        let part: Part<'a> = replay.script.collective(number);
        let (entry, started) = (replay.sender(&part, send), replay.started(&part, send));
        let overhead = replay.script.job().style.overhead;
        // What the sender does before it sends.
        let begin = Time(started.0 - overhead.0);
        self.push(entry, begin, started, Took::Calc);
        let turn = part.sends.turn(send).filter(|turn| replay.started(&part, *turn) == begin);
        if let Some(turn) = turn {
            return At::Send(number, turn);
        }
        let came = (replay.start(entry) == begin).then_some((replay.script.at(entry).0, None));
        let heard = part.sends.after(send).filter_map(|before| {
            let rank = part.ranks[part.sends.ends(before.0).0 as usize];
            (replay.heard(&part, before) == begin).then_some((rank, Some(before)))
        });
        match heard.chain(came).min() {
            Some((_, Some(before))) => {
                self.message(number, &part, before, begin);
                At::Send(number, before.0)
            }
            _ => At::Start(entry),
        }
    }
}
