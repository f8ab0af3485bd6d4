//! All that comes to a port in a window at once, control and data apart.
//!
//! One frame after the other, each asks whether it is control and whether the wire is free: under load
//! that is random, and mispredicted. Here the wire asks what goes next, without a branch. What that
//! gives up is the occupancy that each frame finds. The longest wait bounds it; if a mark, a drop or a
//! maximum could depend on it, what was sent is taken back, and the frames come one after the other.

use super::PriorityPort;
use super::waiting::{OneClass, Waiting};
use crate::engine::link::Line;
use crate::engine::link::arrivals::Lane;
use crate::engine::link::ring::{End, Entry};
use crate::engine::port::{Arriving, LaneArrivals, QueuePort, Room};
use crate::engine::world::World;
use crate::wire::frame::Frame;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Span, Time};
use std::hint::select_unpredictable;

/// Fewer frames than this are not worth it.
const FEW: usize = 6;

/// A window of a port, with what comes in it.
struct Window<'a> {
    start: Time,
    /// Its last instant.
    until: Time,
    data: Lane<'a>,
    control: Lane<'a>,
    /// The gap behind a frame, and the largest frame, in bytes.
    gap: u64,
    largest: u64,
}

/// What goes on the link. Times are picoseconds since the start of the window.
struct Outgoing<'r> {
    end: End<'r>,
    /// When a frame arrives that leaves at the start of the window.
    origin: Time,
    ps_per_byte: u64,
    gap_ps: u64,
    /// When the wire is free.
    free_at: u64,
}

/// What was sent of the data.
struct Sent {
    /// How many frames that waited.
    taken: u32,
    /// How many frames that came in the window.
    next_data: usize,
    /// The place of the last on the ring of the link.
    sent_place: u32,
    /// What a frame that came waited at most.
    longest_wait: u64,
}

impl Outgoing<'_> {
    #[inline(always)]
    fn send(&mut self, begins: u64, frame: Frame) {
        let departs = begins + frame.size().0 * self.ps_per_byte;
        self.end.push(Entry::new(self.origin + Span(departs), frame));
        self.free_at = departs + self.gap_ps;
    }
}

impl PriorityPort<OneClass> {
    #[inline(always)]
    pub(in crate::engine::port::fast) fn enqueue_together(
        &mut self,
        came: LaneArrivals<'_>,
        line: &mut Line,
        world: &mut World<'_>,
    ) -> bool {
        let LaneArrivals { arrivals, first_lane, start, until, first_id } = came;
        let [data, control] = arrivals.lanes(first_lane);
        if data.is_empty() && control.is_empty() {
            return false;
        }
        let (gap, largest) = (world.discipline.gap.0, world.discipline.largest.0);
        let window = Window { start, until, data, control, gap, largest };
        if data.len() + control.len() < FEW || !self.send_together(&window, line) {
            for (at, in_port, frame) in data.merge(control) {
                let came_in = PortId(first_id + in_port);
                let now = Time(start.0 + at);
                self.enqueue(Arriving { now, came_in, frame, room: Room::AMPLE }, line, world);
            }
        }
        true
    }

    /// Sends what goes in the window, and lets the rest of the data wait; or does nothing, if the
    /// occupancy that a frame finds or leaves may matter. Returns which.
    #[inline(never)]
    fn send_together(&mut self, window: &Window<'_>, line: &mut Line) -> bool {
        let Window { start, data, control, largest, .. } = *window;
        // Up to so many bytes, the frame that joins included, nothing is marked, dropped, or a maximum.
        // What a frame leaves behind is no more: the last to join of that found the rest.
        let limit = u64::from(line.exact_above.min(self.unmarked));
        let waiting = self.data.len() as u32;
        let mut ahead = u64::from(self.data.bytes(0));
        if limit < largest || ahead > limit {
            return false;
        }
        debug_assert!(waiting == 0 || line.busy_until >= start, "what waits starts when it can");
        let ps_per_byte = u64::from(line.ps_per_byte);
        let free_at = line.busy_until.0.saturating_sub(start.0);
        // Not worth trying: already the first to come waits longer than any may.
        let first_wait = data
            .first()
            .map_or(0, |first| (free_at + ahead * ps_per_byte).saturating_sub(first.offset()));
        if first_wait > (limit - largest) * ps_per_byte {
            return false;
        }
        let until = window.until.0 - start.0;
        let before = line.ring.len();
        let all = waiting as usize + data.len() + control.len();
        let count = if line.ring.room() >= all {
            all
        } else {
            control.len() + self.startable(data, until.saturating_sub(free_at), ps_per_byte)
        };
        let origin = start + line.latency();
        let mut wire = Outgoing {
            end: line.ring.end(count),
            origin,
            ps_per_byte,
            gap_ps: window.gap * ps_per_byte,
            free_at,
        };
        let Sent { taken, next_data, sent_place, mut longest_wait } =
            self.send_in_turn(&mut wire, window, until);
        let free_at = wire.free_at;
        wire.end.finish();
        // What goes on waiting begins when all before it has left, or later; what it found leaves by then.
        let taken_bytes: u64 = (0..taken).map(|i| self.data.frame(i).size().0).sum();
        ahead -= taken_bytes;
        for i in next_data..data.len() {
            let key = data.key(i);
            longest_wait = longest_wait.max(free_at + ahead * ps_per_byte - key.offset());
            ahead += data.frame(key).size().0;
        }
        if !self.found_at_most(limit, longest_wait, window, ps_per_byte) {
            line.ring.truncate(before);
            return false;
        }
        self.data.skip(taken, taken_bytes as u32);
        for i in next_data..data.len() {
            let key = data.key(i);
            self.data.push(start + Span(key.offset()), 0, *data.frame(key));
        }
        if taken > 0 || next_data > 0 {
            let sent = *line.ring.at_place(sent_place);
            self.leaves_at = line.departure_of(sent, start);
            self.sent_place = sent_place;
            self.sent_bytes = sent.frame.size().0 as u32;
        }
        line.busy_until = line.busy_until.max(start + Span(free_at));
        self.control_bytes += control.bytes();
        true
    }

    /// Puts on the wire what can start by `until`, in turn: data that waited and data that comes, and
    /// all control.
    #[inline(always)]
    fn send_in_turn(&self, wire: &mut Outgoing<'_>, window: &Window<'_>, until: u64) -> Sent {
        let Window { data, control, .. } = *window;
        let waiting = self.data.len() as u32;
        let (mut taken, mut next_data, mut next_control) = (0, 0, 0);
        let mut sent_place = wire.end.next;
        let mut longest_wait = 0;
        // Data that waited when the window began, and control.
        while taken < waiting && next_control < control.len() {
            let key = control.key(next_control);
            let is_data = wire.free_at <= key.offset();
            let frame = *select_unpredictable(is_data, self.data.frame(taken), control.frame(key));
            sent_place = select_unpredictable(is_data, wire.end.next, sent_place);
            wire.send(wire.free_at, frame);
            taken += u32::from(is_data);
            // All that was sent and is not data.
            next_control = (wire.end.added() - taken) as usize;
        }
        // Data that comes in the window, and control.
        if taken == waiting {
            while next_data < data.len() && next_control < control.len() {
                let (data_key, control_key) = (data.key(next_data), control.key(next_control));
                let is_data = (data_key < control_key) & (wire.free_at <= control_key.offset());
                let key = select_unpredictable(is_data, data_key, control_key);
                let begins = wire.free_at.max(key.offset());
                longest_wait = longest_wait.max(begins - key.offset());
                sent_place = select_unpredictable(is_data, wire.end.next, sent_place);
                wire.send(begins, *data.frame(key));
                next_data += usize::from(is_data);
                next_control = (wire.end.added() - taken) as usize - next_data;
            }
        }
        // Control or data is used up: the rest in turn.
        for i in next_control..control.len() {
            let key = control.key(i);
            wire.send(wire.free_at.max(key.offset()), *control.frame(key));
        }
        while taken < waiting && wire.free_at <= until {
            sent_place = wire.end.next;
            wire.send(wire.free_at, *self.data.frame(taken));
            taken += 1;
        }
        if taken == waiting {
            while next_data < data.len() {
                let key = data.key(next_data);
                let begins = wire.free_at.max(key.offset());
                if begins > until {
                    break;
                }
                longest_wait = longest_wait.max(begins - key.offset());
                sent_place = wire.end.next;
                wire.send(begins, *data.frame(key));
                next_data += 1;
            }
        }
        Sent { taken, next_data, sent_place, longest_wait }
    }

    /// How many frames of data, those that wait and then those that come, can start within `span` ps
    /// after the first, if nothing comes between; without gaps, so some more.
    fn startable(&self, data: Lane<'_>, span: u64, ps_per_byte: u64) -> usize {
        let waiting = (0..self.data.len() as u32).map(|i| self.data.frame(i).size().0);
        let coming = data.iter().map(|(_, _, frame)| frame.size().0);
        let mut before = 0;
        let in_time = waiting.chain(coming).take_while(|bytes| {
            let starts = before * ps_per_byte <= span;
            before += bytes;
            starts
        });
        in_time.count()
    }

    /// Whether each frame of data that comes in the window finds so few bytes of data that with it
    /// there are at most `limit`. None waits longer than `longest_wait`, in picoseconds; what waited
    /// before is still there.
    #[inline(always)]
    fn found_at_most(
        &self,
        limit: u64,
        longest_wait: u64,
        window: &Window<'_>,
        ps_per_byte: u64,
    ) -> bool {
        let Window { data, largest, .. } = *window;
        // While it waits, what is before it leaves; of a frame sent in part, all counts.
        let room = limit - largest;
        if longest_wait == 0 || longest_wait + largest * ps_per_byte <= room * ps_per_byte {
            return true;
        }
        // Where all are as large as the largest, those before it are whole frames, and the wait has a
        // part of a frame beside.
        longest_wait <= room / largest * largest * ps_per_byte
            && u64::from(self.data.bytes(0)) == self.data.len() as u64 * largest
            && data.bytes() == data.len() as u64 * largest
    }
}
