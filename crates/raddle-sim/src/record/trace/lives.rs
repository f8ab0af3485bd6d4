//! The lives of one flow's packets of which something unusual is told, from what happened to their
//! frames in order of time.
//!
//! A frame has no name. It is followed from port to port: what leaves one is at the far end after the
//! link's latency, and the next thing that happens there to a frame of its number is its own. Where
//! two packets of one number are in one place, both sent again, the one that looks like the frame is
//! taken, else the one that came first; their rows say that they are not sure.

use super::ends::Life;
use super::event::{Event, What};
use crate::plan::Plan;
use crate::record::DropCause;
use crate::record::rows::{Fate, HopRow, PacketRow};
use crate::topology::Node;
use crate::wire::frame::{Frame, Locators, flag};
use raddle_schemes::ids::{Entropy, FlowId, PortId};
use raddle_schemes::units::{Span, Time};
use std::cell::Cell;
use std::collections::BTreeMap;

/// Where a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// On its way to a node, or in it: since then, from this port.
    Node(Node, Time, PortId),
    /// In a queue: row of its hop.
    Queue(PortId, usize),
    /// No more.
    Gone,
}

/// Follows them.
pub(super) struct Lives<'a> {
    plan: &'a Plan,
    locators: Locators,
    flow: FlowId,
    packets: Vec<PacketRow>,
    /// By what each was seen first: it left its host, or was lost there.
    sent: Vec<What>,
    at: Vec<At>,
    /// The entropy value that each had last.
    entropy: Vec<Entropy>,
    /// Row of the hop that each left last.
    last_hop: Vec<Option<usize>>,
    /// And of the one at which it was trimmed.
    trimmed_at: Vec<Option<usize>>,
    hops: Vec<HopRow>,
    /// Whether no other packet could be taken for it.
    sure: Vec<Cell<bool>>,
    /// By number and whether it was sent again: rows of packets that are somewhere.
    live: BTreeMap<(u32, bool), Vec<usize>>,
    /// What was taken out of a queue at the instant at which it came, which is told later.
    out: Vec<Event>,
    /// Packets lost at their host before their last bit left: the rest of them comes later.
    cut: Vec<(Frame, DropCause)>,
}

impl<'a> Lives<'a> {
    pub(super) fn new(plan: &'a Plan, locators: Locators, flow: FlowId) -> Self {
        Self {
            plan,
            locators,
            flow,
            packets: Vec::new(),
            sent: Vec::new(),
            at: Vec::new(),
            entropy: Vec::new(),
            last_hop: Vec::new(),
            trimmed_at: Vec::new(),
            hops: Vec::new(),
            sure: Vec::new(),
            live: BTreeMap::new(),
            out: Vec::new(),
            cut: Vec::new(),
        }
    }

    pub(super) fn on_event(&mut self, event: &Event) {
        let is_host = event.port.0 < self.plan.fabric.host_ports();
        match event.what {
            What::Within => self.on_dropped_within(event),
            What::Left if is_host => self.on_sent(event),
            What::Lost(cause) if is_host => self.on_lost_at_host(event, cause),
            What::GivenUp if is_host => {
                let row = self.send(event);
                self.lose(row, Fate::Lost(DropCause::Loss));
            }
            What::GivenUp => self.on_lost(event, DropCause::Loss),
            What::Left => self.on_left(event),
            What::Lost(cause) => self.on_lost(event, cause),
            What::Queued(found) => self.on_queued(event, Some(found)),
            What::Out => self.on_out(event),
            What::Trimmed => self.on_trimmed(event),
        }
    }

    fn key(frame: Frame) -> (u32, bool) {
        (frame.number(), frame.has(flag::AGAIN))
    }

    /// The packet with a frame's number that is where `is_there` says: of several the one that looks
    /// like the frame, and of equals the first. None of several is sure from then on.
    fn find(&self, frame: Frame, is_there: impl Fn(&At) -> Option<Time>) -> Option<usize> {
        let rows = self.live.get(&Self::key(frame))?;
        let there = rows.iter().filter_map(|row| {
            let since = is_there(&self.at[*row])?;
            Some((self.unlike(*row, frame), since, *row))
        });
        let mut there: Vec<_> = there.collect();
        there.sort_unstable();
        if there.len() > 1 {
            there.iter().for_each(|(.., row)| self.sure[*row].set(false));
        }
        there.first().map(|(.., row)| *row)
    }

    /// Something happened to a packet that is not where it should be: none of its number is sure.
    fn is_nowhere(&self, frame: Frame) {
        let rows = self.live.get(&Self::key(frame)).into_iter().flatten();
        rows.for_each(|row| self.sure[*row].set(false));
    }

    /// How much a frame differs from what a packet was last: a mark is never taken off, middleware and
    /// detours may write another entropy, and any switch may mark.
    fn unlike(&self, row: usize, frame: Frame) -> u8 {
        let (was, is) = (self.packets[row].marked, frame.has(flag::MARKED));
        let mark = if was && !is { 4 } else { u8::from(was != is) };
        mark + 2 * u8::from(self.entropy[row] != frame.entropy())
    }

    /// The one that is in the node of a port at an instant and in no queue.
    fn find_in_node(&self, event: &Event) -> Option<usize> {
        let node = self.plan.fabric.ports[event.port.index()].owner;
        self.find(event.frame, |at| match at {
            At::Node(own, since, _) if *own == node && *since <= event.at => Some(*since),
            _ => None,
        })
    }

    fn find_in_queue(&self, event: &Event) -> Option<usize> {
        self.find(event.frame, |at| match at {
            At::Queue(port, hop) if *port == event.port => Some(self.hops[*hop].arrived),
            _ => None,
        })
    }

    fn on_sent(&mut self, event: &Event) {
        let cut = self.cut.iter().position(|(frame, _)| *frame == event.frame);
        if let Some(place) = cut {
            // Lost on its first link.
            self.cut.remove(place);
            return;
        }
        let row = self.send(event);
        self.launch(row, event);
    }

    fn send(&mut self, event: &Event) -> usize {
        let frame = event.frame;
        let row = self.packets.len();
        let class = self.locators.class(frame.to);
        self.packets.push(sent(self.flow, (event.port, event.at, frame), class));
        self.sent.push(event.what);
        self.at.push(At::Gone);
        self.entropy.push(frame.entropy());
        self.last_hop.push(None);
        self.trimmed_at.push(None);
        self.sure.push(Cell::new(true));
        self.live.entry(Self::key(frame)).or_default().push(row);
        row
    }

    /// A packet is on the link of a port.
    fn launch(&mut self, row: usize, event: &Event) {
        self.entropy[row] = event.frame.entropy();
        let there = event.at + self.plan.fabric.latency(event.port);
        let node = self.plan.fabric.destination(event.port);
        self.at[row] = At::Node(node, there, event.port);
        self.packets[row].marked |= event.frame.has(flag::MARKED);
        if matches!(node, Node::Host(_)) {
            self.packets[row].arrived = Some(there);
            self.packets[row].fate =
                if event.frame.is_trimmed() { Fate::Trimmed } else { Fate::Delivered };
        }
    }

    fn on_lost_at_host(&mut self, event: &Event, cause: DropCause) {
        let on_arrival = self.find(event.frame, |at| match at {
            At::Node(_, since, port) if *port == event.port && *since == event.at => Some(*since),
            _ => None,
        });
        let row = on_arrival.unwrap_or_else(|| {
            let row = self.send(event);
            if cause != DropCause::LinkDown {
                self.cut.push((event.frame, cause));
            }
            row
        });
        self.lose(row, Fate::Lost(cause));
    }

    /// The packet is nowhere any more.
    fn lose(&mut self, row: usize, fate: Fate) {
        self.at[row] = At::Gone;
        self.packets[row].arrived = None;
        self.packets[row].fate = fate;
        let own = &self.packets[row];
        if let Some(rows) = self.live.get_mut(&(own.number, own.again)) {
            rows.retain(|other| *other != row);
        }
    }

    fn on_queued(&mut self, event: &Event, found: Option<u64>) {
        match self.find_in_node(event) {
            Some(row) => self.queue(row, event, found),
            None => self.is_nowhere(event.frame),
        }
    }

    /// A packet that is in a node joins a queue.
    fn queue(&mut self, row: usize, event: &Event, found: Option<u64>) {
        let At::Node(_, arrived, _) = self.at[row] else { return };
        let hop = self.hops.len();
        let marked = event.frame.has(flag::MARKED) && !self.packets[row].marked;
        self.packets[row].marked |= marked;
        self.entropy[row] = event.frame.entropy();
        self.hops.push(HopRow {
            packet: row as u64,
            port: event.port,
            arrived,
            found,
            stay: Span::ZERO,
            bytes: event.frame.size().0 as u16,
            entropy: event.frame.entropy(),
            marked,
            fate: Fate::UnderWay,
        });
        self.at[row] = At::Queue(event.port, hop);
        if let Some(place) = self.out.iter().position(|own| own.is_of(event)) {
            // It goes on at once.
            let out = self.out.remove(place);
            self.on_out(&out);
        }
    }

    fn on_trimmed(&mut self, event: &Event) {
        let row = self.find_in_node(event);
        self.on_queued(event, None);
        if let Some(row) = row {
            self.trimmed_at[row] = self.hops.len().checked_sub(1);
        }
    }

    fn on_left(&mut self, event: &Event) {
        if self.find_in_queue(event).is_none() {
            // In the queue of control, which nobody tells of.
            self.on_queued(event, None);
        }
        let Some(row) = self.find_in_queue(event) else { return };
        let At::Queue(_, hop) = self.at[row] else { return };
        let own = &mut self.hops[hop];
        own.stay = event.at.since(own.arrived);
        let trimmed = self.trimmed_at[row] == Some(hop);
        own.fate = if trimmed { Fate::Trimmed } else { Fate::Left };
        own.bytes = event.frame.size().0 as u16;
        own.entropy = event.frame.entropy();
        own.marked |= event.frame.has(flag::MARKED) && !self.packets[row].marked;
        self.last_hop[row] = Some(hop);
        self.launch(row, event);
    }

    fn on_out(&mut self, event: &Event) {
        let Some(row) = self.find_in_queue(event) else { return self.out.push(*event) };
        let At::Queue(port, hop) = self.at[row] else { return };
        let own = &mut self.hops[hop];
        own.stay = event.at.since(own.arrived);
        own.fate = Fate::Moved;
        let marked = event.frame.has(flag::MARKED) && !self.packets[row].marked;
        own.marked |= marked;
        self.packets[row].marked |= marked;
        self.last_hop[row] = Some(hop);
        let node = self.plan.fabric.ports[port.index()].owner;
        self.at[row] = At::Node(node, event.at, port);
    }

    /// What is lost in a queue was taken out of it at that instant. What has no room came then.
    fn on_lost(&mut self, event: &Event, cause: DropCause) {
        let node = self.plan.fabric.ports[event.port.index()].owner;
        let latency = self.plan.fabric.latency(event.port);
        // In the port's node or on its link: there at an instant, by this port or another.
        let there_at = |at: Time, is_here: bool, is_by_it: bool| {
            self.find(event.frame, |place| match place {
                At::Node(own, since, by) if *since == at => {
                    let fits = (*own == node) == is_here && (*by == event.port) == is_by_it;
                    fits.then_some(*since)
                }
                _ => None,
            })
        };
        let left = || there_at(event.at + latency, false, true);
        let arrived = || there_at(event.at, false, true);
        let taken_out = || there_at(event.at, true, true);
        let came = || there_at(event.at, true, false);
        let queued = || self.find_in_queue(event);
        let row = match cause {
            DropCause::Loss => left().or_else(arrived).or_else(taken_out),
            DropCause::Overflow => taken_out().or_else(came),
            _ => arrived().or_else(taken_out),
        };
        let row = row.or_else(queued).or_else(came).or_else(left);
        let Some(row) = row.or_else(|| self.find_in_node(event)) else {
            return self.is_nowhere(event.frame);
        };
        let fate = Fate::Lost(cause);
        let hop = match self.at[row] {
            At::Queue(_, hop) => {
                self.hops[hop].stay = event.at.since(self.hops[hop].arrived);
                Some(hop)
            }
            At::Node(_, _, by) if by == event.port => self.last_hop[row],
            // It never joined a queue.
            _ => {
                self.queue(row, event, None);
                self.hops.len().checked_sub(1)
            }
        };
        if let Some(own) = hop.map(|hop| &mut self.hops[hop]) {
            own.fate = fate;
        }
        self.lose(row, fate);
    }

    fn on_dropped_within(&mut self, event: &Event) {
        let anywhere = self.find(event.frame, |at| match at {
            At::Node(Node::Switch(_), since, _) if *since <= event.at => Some(*since),
            _ => None,
        });
        if let Some(row) = anywhere {
            self.lose(row, Fate::Middleware);
        }
    }

    /// What became of them, and their hops.
    pub(super) fn end(mut self, all: &mut Vec<Life>, hops: &mut Vec<HopRow>) {
        self.hops.sort_by_key(|hop| (hop.packet, hop.arrived, hop.port));
        let mut own = self.hops.into_iter().peekable();
        for (row, packet) in self.packets.into_iter().enumerate() {
            let start = hops.len();
            while let Some(hop) = own.next_if(|hop| hop.packet == row as u64) {
                hops.push(hop);
            }
            let by = match self.at[row] {
                At::Node(.., by) => Some(by),
                _ => None,
            };
            let packet = PacketRow { sure: self.sure[row].get(), ..packet };
            all.push(Life { packet, sent: self.sent[row], by, hops: start..hops.len() });
        }
    }
}

/// A packet that has just been sent.
pub(super) fn sent(flow: FlowId, (port, at, frame): (PortId, Time, Frame), class: u8) -> PacketRow {
    PacketRow {
        flow,
        number: frame.number(),
        again: frame.has(flag::AGAIN),
        port,
        entropy: frame.entropy(),
        class,
        bytes: frame.size().0 as u16,
        sent: at,
        arrived: None,
        acked: None,
        fate: Fate::UnderWay,
        marked: false,
        sure: true,
    }
}
