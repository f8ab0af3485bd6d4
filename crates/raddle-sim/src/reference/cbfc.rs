//! Credit-based flow control in the reference engine: section 5.2 of the standard as far as it is known,
//! with its cyclic counters.
//!
//! Whatever happens only sets what is due. A message is made when the wire takes it, and tells the latest.

use super::queue::EventQueue;
use super::{Kind, Reference};
use crate::cbfc::CreditFacts;
use crate::record::{ClassCredit, CreditRecord};
use crate::wire::credit_frame::About;
use crate::wire::frame::Frame;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Rate, Time};

/// Counters have 20 bits, and messages about freed cells tell the lower 15.
const COUNTERS: u64 = 1 << 20;
const TOLD: u64 = 1 << 15;

/// How far a cyclic counter is behind another.
fn behind(own: u64, other: u64, modulo: u64) -> u64 {
    (other % modulo + modulo - own % modulo) % modulo
}

/// The counters of a class, at one port.
#[derive(Clone, Copy, Default)]
struct Class {
    /// Of the link that leaves the port: consumed, and freed as far as was told.
    cc: u64,
    cf: u64,
    /// Of what comes in through it: stored, and freed.
    rc: u64,
    rf: u64,
    /// When the far end is to hear of what was freed.
    cf_due: Option<Time>,
}

/// The credits of a port.
pub(super) struct Credits {
    facts: CreditFacts,
    classes: Vec<Class>,
    /// Messages about freed cells keep their distance: none before.
    cf_from: Time,
    /// When the far end is to hear of what was consumed, and the first class to be spoken of.
    cc_due: Option<Time>,
    cc_class: usize,
    /// When the port is next looked at for messages, as far as the events know.
    armed: Option<Time>,
    /// By class, since when there has been no credit for a full frame.
    without: Vec<Option<Time>>,
    pub(super) record: CreditRecord,
}

impl Credits {
    pub(super) fn of(facts: Option<&CreditFacts>) -> Option<Self> {
        let facts = *facts?;
        let classes = vec![ClassCredit::default(); facts.classes];
        Some(Self {
            facts,
            classes: vec![Class::default(); facts.classes],
            cf_from: Time::ZERO,
            cc_due: None,
            cc_class: 0,
            armed: None,
            without: vec![None; facts.classes],
            record: CreditRecord { classes, ..CreditRecord::default() },
        })
    }

    /// Whether a frame of a class may start.
    pub(super) fn allow(&self, class: usize, size: Bytes) -> bool {
        let Some(limit) = self.facts.limit else { return true };
        let Class { cc, cf, .. } = self.classes[class];
        behind(cf, cc, COUNTERS) + self.facts.cbfc.cells(size) <= limit
    }

    /// Whether the largest may.
    pub(super) fn allow_any(&self, class: usize) -> bool {
        self.allow(class, self.facts.largest)
    }

    fn note_whether_any(&mut self, now: Time, class: usize) {
        match (self.allow_any(class), self.without[class]) {
            (false, None) => self.without[class] = Some(now),
            (true, Some(since)) => {
                self.without[class] = None;
                self.record.classes[class].was_without((since, now));
            }
            _ => {}
        }
    }

    /// A frame of a class starts; the link comes up next at `next_up`.
    pub(super) fn start(&mut self, now: Time, class: usize, size: Bytes, next_up: Time) {
        if self.facts.limit.is_none() {
            return;
        }
        let cells = self.facts.cbfc.cells(size);
        let own = &mut self.classes[class];
        own.cc = (own.cc + cells) % COUNTERS;
        let out = behind(own.cf, own.cc, COUNTERS);
        let record = &mut self.record.classes[class];
        record.consumed += cells;
        record.in_use_max = record.in_use_max.max(out);
        self.note_whether_any(now, class);
        if self.cc_due.is_none() {
            self.cc_due = Some(self.next_cc(now, next_up));
        }
    }

    /// The next multiple of `cc`, or when the link comes up.
    fn next_cc(&self, now: Time, next_up: Time) -> Time {
        let period = self.facts.cbfc.cc.0;
        Time((now.0 - now.0 % period) + period).min(next_up)
    }

    /// When messages are due: about what was freed, and about what was consumed.
    pub(super) fn cf_due(&self) -> Option<Time> {
        let first = self.classes.iter().filter_map(|own| own.cf_due).min()?;
        Some(first.max(self.cf_from))
    }

    pub(super) fn cc_due(&self) -> Option<Time> {
        self.cc_due
    }

    pub(super) fn put_cc_off(&mut self, at: Time) {
        self.cc_due = Some(at);
    }

    /// The message about freed cells that goes now, on a wire of this rate.
    pub(super) fn cf_update(&mut self, now: Time, rate: Rate) -> Option<Frame> {
        self.cf_due().filter(|due| *due <= now)?;
        let mut due: Vec<(Time, usize)> = (0..self.classes.len())
            .filter_map(|class| Some((self.classes[class].cf_due?, class)))
            .filter(|(due, _)| *due <= now)
            .collect();
        due.sort();
        due.truncate(2);
        for (_, class) in &due {
            self.classes[*class].cf_due = None;
        }
        self.cf_from = now + rate.serialisation(self.facts.cbfc.cf_spacing);
        let mut told = due.iter().map(|(_, class)| (*class, self.classes[*class].rf));
        Some(Frame::freed(told.next()?, told.next()))
    }

    /// The message about freed cells that has just started will be lost. What would be told again for
    /// nothing otherwise is left out.
    pub(super) fn cf_lost(&mut self, now: Time, rate: Rate, frame: Frame) {
        let again = now + rate.serialisation(self.facts.cbfc.cf_refresh);
        for (class, _) in frame.counts() {
            let due = &mut self.classes[class].cf_due;
            *due = Some(due.map_or(again, |due| due.min(again)));
        }
    }

    /// The message about consumed cells that goes now: of two classes.
    pub(super) fn cc_update(&mut self, now: Time, next_up: Time) -> Option<Frame> {
        self.cc_due.filter(|due| *due <= now)?;
        let mut told = self.classes.iter().map(|own| own.cc).enumerate().skip(self.cc_class);
        let frame = Frame::consumed(told.next()?, told.next());
        self.cc_class += 2;
        if self.cc_class >= self.classes.len() {
            self.cc_class = 0;
            self.cc_due = Some(self.next_cc(now, next_up));
        }
        Some(frame)
    }

    /// A frame has come in.
    pub(super) fn store(&mut self, class: usize, size: Bytes) {
        let cells = self.facts.cbfc.cells(size);
        let own = &mut self.classes[class];
        own.rc = (own.rc + cells) % COUNTERS;
        let record = &mut self.record.classes[class];
        record.stored += cells;
        record.held_max = record.held_max.max(behind(own.rf, own.rc, COUNTERS));
    }

    /// One that had come in is gone.
    pub(super) fn free(&mut self, now: Time, class: usize, size: Bytes) {
        self.give_back(now, class, self.facts.cbfc.cells(size));
    }

    fn give_back(&mut self, now: Time, class: usize, cells: u64) {
        let own = &mut self.classes[class];
        own.rf = (own.rf + cells) % COUNTERS;
        own.cf_due = Some(own.cf_due.map_or(now, |due| due.min(now)));
        self.record.classes[class].freed += cells;
    }

    /// A message has come.
    pub(super) fn take(&mut self, now: Time, frame: Frame) {
        for (class, told) in frame.counts() {
            let own = &mut self.classes[class];
            let told = u64::from(told);
            match frame.about() {
                About::Freed => {
                    let more = behind(own.cf, told, TOLD);
                    own.cf = (own.cf + more) % COUNTERS;
                    self.record.classes[class].told += more;
                    self.note_whether_any(now, class);
                }
                About::Consumed => {
                    let missing = behind(own.rc, told, COUNTERS);
                    if missing > 0 {
                        own.rc = (own.rc + missing) % COUNTERS;
                        let record = &mut self.record.classes[class];
                        record.stored += missing;
                        record.leaked += missing;
                        self.give_back(now, class, missing);
                    }
                }
                About::Pauses => {}
            }
        }
        if self.classes.iter().all(|own| own.cc == own.cf) {
            (self.cc_due, self.cc_class) = (None, 0);
        }
    }

    /// The link that leaves the port has come up.
    pub(super) fn come_up(&mut self, now: Time) {
        self.cc_due = self.cc_due.map(|due| due.min(now));
        for (own, record) in self.classes.iter_mut().zip(&self.record.classes) {
            if record.freed > 0 {
                own.cf_due = Some(own.cf_due.map_or(now, |due| due.min(now)));
            }
        }
    }

    /// What came of it, in a run that ends at `end`.
    pub(super) fn end(mut self, end: Time) -> CreditRecord {
        for (own, since) in self.record.classes.iter_mut().zip(self.without) {
            since.into_iter().for_each(|since| own.was_without((since, end)));
        }
        self.record
    }
}

impl<Q: EventQueue> Reference<'_, Q> {
    /// The class of data that a frame queues in, if it does.
    fn data_class(&self, frame: Frame) -> Option<usize> {
        let class = usize::from(self.hosts.addresses.locators.class(frame.to));
        (!frame.is_control() || self.travels_with_data(frame)).then_some(class)
    }

    /// A frame has come in through `id`, a port with credits: its cells are taken.
    pub(super) fn store(&mut self, id: PortId, frame: Frame) {
        let class = self.data_class(frame);
        if let (Some(class), Some(credits)) = (class, &mut self.ports[id.index()].credits) {
            credits.store(class, frame.size());
        }
    }

    /// It has not joined a queue of data: its cells are free.
    pub(super) fn free_at_once(&mut self, now: Time, id: PortId, frame: Frame) {
        if let Some(class) = self.data_class(frame) {
            self.free(now, id, class, frame.size());
        }
    }

    /// A frame of data class `class` that came in through `id` is gone.
    pub(super) fn free(&mut self, now: Time, id: PortId, class: usize, size: Bytes) {
        let data = usize::from(self.plan.queue.classes);
        if let Some(credits) = self.ports[id.index()].credits.as_mut().filter(|_| class < data) {
            credits.free(now, class, size);
            self.want_wire(now, id);
        }
    }

    /// `id`, whose wire has been looked at, is looked at again when its next message is due.
    pub(super) fn arm_messages(&mut self, now: Time, id: PortId) {
        let port = &mut self.ports[id.index()];
        let Some(credits) = &mut port.credits else { return };
        let due = credits.cf_due().into_iter().chain(credits.cc_due());
        let due = due.map(|due| due.max(port.free_at)).filter(|at| *at > now && *at < Time::NEVER);
        let Some(at) = due.min() else { return };
        if credits.armed.is_none_or(|armed| armed <= now || armed > at) {
            credits.armed = Some(at);
            self.push_at_port(at, Kind::WireFree { port: id.0 }, id);
        }
    }

    /// A message about credits has come to `id`.
    pub(super) fn take_message(&mut self, now: Time, id: PortId, frame: Frame) {
        if let Some(credits) = &mut self.ports[id.index()].credits {
            credits.take(now, frame);
            self.want_wire(now, id);
        }
    }
}
