//! The story of a packet of which nothing unusual is told: its flow sent one of its number, it went from
//! queue to queue, and arrived or was under way when the run ended.

use super::ends::{Ends, Life};
use super::event::{Event, What};
use super::lives::{Lives, sent};
use super::log::{Entry, Passed};
use super::replies::Replies;
use crate::plan::Plan;
use crate::record::FlowRecord;
use crate::record::packets::Packets;
use crate::record::rows::{Fate, HopRow, PacketRow};
use crate::topology::Node;
use crate::wire::frame::{Frame, Locators, flag};
use raddle_schemes::ids::{FlowId, PortId};
use raddle_schemes::units::Time;

/// No entry.
const NONE: u32 = u32::MAX;

/// All that is told of one flow, and then of the next.
pub(super) struct Stories<'a> {
    plan: &'a Plan,
    locators: Locators,
    sent: Vec<(PortId, Time, Frame)>,
    passed: Vec<Passed>,
    /// Of each that passed, another one of its number.
    next: Vec<u32>,
    others: Vec<Event>,
    replies: Replies,
    /// By number.
    numbers: Vec<Number>,
    /// Hops of one packet.
    chain: Vec<Passed>,
    lives: Vec<Life>,
    hops: Vec<HopRow>,
    ends: Ends<'a>,
}

/// What is told of one number.
#[derive(Clone, Copy)]
struct Number {
    sent: u32,
    passed: u32,
    /// Its frames have to be followed.
    unusual: bool,
}

impl<'a> Stories<'a> {
    pub(super) fn new(plan: &'a Plan) -> Self {
        Self {
            plan,
            locators: Locators::of(&plan.fabric, plan.queue.classes),
            sent: Vec::new(),
            passed: Vec::new(),
            next: Vec::new(),
            others: Vec::new(),
            replies: Replies::default(),
            numbers: Vec::new(),
            chain: Vec::new(),
            lives: Vec::new(),
            hops: Vec::new(),
            ends: Ends::new(plan),
        }
    }

    /// Something is told of the flow.
    pub(super) fn add(&mut self, entry: Entry) {
        match entry {
            Entry::Sent { port, at, frame } => self.sent.push((port, at, frame)),
            Entry::Passed(passed) => self.passed.push(passed),
            Entry::Heard(heard) => self.replies.add(heard),
            Entry::Other { port, at, frame, what } => {
                let event = Event { at, what, port, frame };
                if frame.is_reply() {
                    self.replies.lose(event);
                } else {
                    self.others.push(event);
                }
            }
        }
    }

    /// All is told of `flow`: its packets go to `out`, and the next one's turn is it.
    pub(super) fn end(
        &mut self,
        flow: FlowId,
        record: &FlowRecord,
        stop: Option<Time>,
        out: &mut Packets,
    ) {
        self.sort_out();
        for sent in 0..self.sent.len() {
            let (.., frame) = self.sent[sent];
            let number = frame.number() as usize;
            if !self.numbers[number].unusual && self.tell(flow, sent).is_none() {
                self.numbers[number].unusual = true;
            }
        }
        self.follow(flow);
        self.sent.clear();
        self.passed.clear();
        self.others.clear();
        let replies = self.replies.take(&self.plan.fabric);
        self.ends.end((flow, record, stop), &mut self.lives, &self.hops, replies, out);
        self.lives.clear();
        self.hops.clear();
    }

    /// What is told of each number.
    fn sort_out(&mut self) {
        let sent = self.sent.iter().map(|(.., frame)| frame);
        let passed = self.passed.iter().map(|own| &own.frame);
        let all = sent.chain(passed).chain(self.others.iter().map(|own| &own.frame));
        let count = all.map(|frame| frame.number() as usize + 1).max().unwrap_or(0);
        self.numbers.clear();
        self.numbers.resize(count, Number { sent: NONE, passed: NONE, unusual: false });
        for (index, (.., frame)) in (0..).zip(&self.sent) {
            let own = &mut self.numbers[frame.number() as usize];
            own.unusual |= own.sent != NONE;
            own.sent = index;
        }
        self.next.clear();
        for (index, passed) in (0..).zip(&self.passed) {
            let own = &mut self.numbers[passed.frame.number() as usize];
            own.unusual |= own.sent == NONE;
            self.next.push(std::mem::replace(&mut own.passed, index));
        }
        for event in &self.others {
            self.numbers[event.frame.number() as usize].unusual = true;
        }
    }

    /// The story of one that was sent; `None` if it has no simple one.
    fn tell(&mut self, flow: FlowId, index: usize) -> Option<()> {
        let (port, at, frame) = self.sent[index];
        self.chain.clear();
        let mut next = self.numbers[frame.number() as usize].passed;
        while let Some(passed) = self.passed.get(next as usize) {
            self.chain.push(*passed);
            next = self.next[next as usize];
        }
        self.chain.sort_unstable_by_key(|own| (own.queued, own.left));
        let mut packet = sent(flow, (port, at, frame), self.locators.class(frame.to));
        let start = self.hops.len();
        let mut way = launch(self.plan, &mut packet, (port, at, frame));
        for own in &self.chain {
            let fits = own.frame.has(flag::AGAIN) == packet.again
                && self.plan.fabric.ports[own.port.index()].owner == way.node
                && way.there <= own.queued
                && way.left < own.queued;
            if !fits {
                self.hops.truncate(start);
                return None;
            }
            let marked_before = own.was_marked && !packet.marked;
            packet.marked |= marked_before;
            self.hops.push(HopRow {
                packet: 0,
                port: own.port,
                arrived: way.there,
                found: Some(own.found),
                stay: own.left.since(way.there),
                bytes: own.frame.size().0 as u16,
                entropy: own.frame.entropy(),
                marked: marked_before || own.frame.has(flag::MARKED) && !packet.marked,
                fate: Fate::Left,
            });
            way = launch(self.plan, &mut packet, (own.port, own.left, own.frame));
        }
        let hops = start..self.hops.len();
        self.lives.push(Life { packet, sent: What::Left, by: Some(way.by), hops });
        Some(())
    }

    /// Follows the frames of all that have no simple story.
    fn follow(&mut self, flow: FlowId) {
        let is_unusual = |frame: &Frame| self.numbers[frame.number() as usize].unusual;
        let mut events = std::mem::take(&mut self.others);
        for &(port, at, frame) in self.sent.iter().filter(|(.., frame)| is_unusual(frame)) {
            events.push(Event { at, what: What::Left, port, frame });
        }
        for passed in self.passed.iter().filter(|own| is_unusual(&own.frame)) {
            events.extend(passed.events());
        }
        if !events.is_empty() {
            events.sort_by_cached_key(Event::turn);
            let mut lives = Lives::new(self.plan, self.locators, flow);
            events.iter().for_each(|own| lives.on_event(own));
            lives.end(&mut self.lives, &mut self.hops);
        }
        self.others = events;
    }
}

/// Where a packet is on its way.
struct Way {
    /// When it left the last port.
    left: Time,
    by: PortId,
    /// When it is at the far end, and what that is.
    there: Time,
    node: Node,
}

/// A packet left a port.
fn launch(plan: &Plan, packet: &mut PacketRow, (by, left, frame): (PortId, Time, Frame)) -> Way {
    let (there, node) = (left + plan.fabric.latency(by), plan.fabric.destination(by));
    packet.marked |= frame.has(flag::MARKED);
    if matches!(node, Node::Host(_)) {
        packet.arrived = Some(there);
        packet.fate = if frame.is_trimmed() { Fate::Trimmed } else { Fate::Delivered };
    }
    Way { left, by, there, node }
}
