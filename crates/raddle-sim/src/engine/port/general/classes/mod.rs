//! The queues of a port that has several data classes or flow control.

mod credits;
mod flow_control;

use crate::engine::link::ring::{Entry, Ring};
use crate::engine::port::scheduler::Turns;
use crate::engine::world::Gone;
use crate::plan::{CLASS_LIMIT, OrderedWhen, Plan, Service};
use crate::wire::frame::{Frame, Locators};
use crate::wire::note::{Carriers, Note};
use crate::wire::port_facts::PortFacts;
use credits::Credits;
use flow_control::{Pfc, Watched};
use raddle_schemes::congestion::Hop;
use raddle_schemes::ids::PortId;
use raddle_schemes::tor;
use raddle_schemes::units::{Bytes, Time};
use std::collections::VecDeque;
use std::mem::offset_of;
use std::num::NonZeroU32;

/// Control is queue number `data`, behind the data classes.
pub(in crate::engine) const QUEUES: usize = CLASS_LIMIT as usize + 1;

/// Of `form`: control frames have a queue of their own.
const CONTROL: u8 = 1;
/// But for ACKs of some classes, which travel with data.
const TABLE: u8 = 2;
/// Data has a turn before all control has gone.
const WEIGHED: u8 = 4;
/// Of so many queues, from the first on, the switch has to know what leaves: the bits from here on.
const TOLD: u32 = 4;

/// Queues, and what flow control does to them. Masks have a bit per queue.
///
/// In the order in which a packet needs it: with one data class, three cache lines.
#[derive(Debug)]
#[repr(C)]
pub(in crate::engine) struct Classes {
    /// The number of data classes.
    data: u8,
    /// [`CONTROL`], [`TABLE`], [`WEIGHED`], and a count from bit [`TOLD`] on.
    form: u8,
    /// Queues that are not empty.
    waiting: u16,
    /// Where the frame in service came in.
    pub(in crate::engine) came_in: PortId,
    locators: Locators,
    /// Flow control, where there is any.
    pfc: Option<Pfc>,
    own: [Class; QUEUES],
    turns: Turns,
    /// So many control frames go while data waits before data has a turn.
    control_weight: u32,
    /// Control frames that went since data last had a turn, or did not wait.
    control_run: u32,
    /// A bit for each class whose ACKs travel with data.
    acks: u8,
    /// A bit for each class that has no limit because ToRs keep its data.
    unlimited: u8,
    notes: Option<Box<Notes>>,
    /// The watchdog over pauses, where there is one.
    watchdog: Option<Box<Watched>>,
    /// Credits, in place of pauses: of all that is asked of these nothing is then.
    credits: Option<Box<Credits>>,
}

/// What frames carry, in step with the queues.
#[derive(Debug)]
struct Notes {
    carriers: Carriers,
    queues: [VecDeque<Note>; QUEUES],
    /// That of the frame which was taken last, of those that carry any.
    taken: Note,
}

/// Behind the pointer to a link, one class of data and control end with the third cache line.
const _: () = assert!(8 + offset_of!(Classes, own) + 2 * size_of::<Class>() <= 3 * 64);

/// One class.
#[derive(Debug, Default)]
struct Class {
    /// Entries hold the port that their frame came in through.
    queue: Ring,
    /// Its bytes, frame in service included.
    bytes: u64,
    /// Bytes that came in here and have not left the switch, under flow control.
    ingress: u64,
    /// When it may start frames again.
    paused_until: Time,
}

impl Classes {
    /// The queues of one port, where the plain port's two do not suffice.
    pub(in crate::engine) fn of(
        plan: &Plan,
        facts: &PortFacts,
        ordered: OrderedWhen,
    ) -> Option<Self> {
        let (fabric, noted) = (&plan.fabric, Carriers::of(plan));
        let plan = &plan.queue;
        let (weighs, has_table) = (plan.control_weight.is_some(), plan.has_class_table());
        let is_plain = plan.classes == 1 && ordered == OrderedWhen::Never && noted.is_none();
        (weighs || has_table || !is_plain).then(|| Self {
            data: plan.classes,
            form: if plan.service == Service::Fifo { 0 } else { CONTROL }
                | if plan.ack_classes() == 0 { 0 } else { TABLE }
                | if weighs { WEIGHED } else { 0 }
                | match ordered {
                    OrderedWhen::Never | OrderedWhen::TowardsHosts => 0,
                    OrderedWhen::WhilePausing => plan.classes,
                    OrderedWhen::Always => plan.classes + 1,
                } << TOLD,
            waiting: 0,
            unlimited: facts.unlimited,
            came_in: PortId(0),
            locators: Locators::of(fabric, plan.classes),
            pfc: Pfc::of(facts),
            own: Default::default(),
            turns: Turns::new(plan),
            control_weight: plan.control_weight.map_or(u32::MAX, NonZeroU32::get),
            control_run: 0,
            acks: plan.ack_classes(),
            notes: noted.map(|carriers| {
                let queues = Default::default();
                Box::new(Notes { carriers, queues, taken: Note::default() })
            }),
            watchdog: plan
                .pfc
                .and_then(|pfc| pfc.watchdog)
                .map(|watchdog| Box::new(Watched { watchdog, storms: Default::default() })),
            credits: facts.credits.as_ref().map(Credits::new),
        })
    }

    /// The number of the control queue.
    #[inline]
    pub(in crate::engine) fn control(&self) -> usize {
        usize::from(self.data)
    }

    /// The queue that a frame belongs to.
    #[inline]
    pub(in crate::engine) fn queue_of(&self, frame: Frame) -> usize {
        if self.form & TABLE != 0 {
            return self.queue_by_table(frame);
        }
        let control = (self.form & CONTROL != 0) & frame.is_control();
        if self.data == 1 {
            // The queue of control is number 1: no branch that full load would make random.
            usize::from(control)
        } else if control {
            self.control()
        } else if self.form & CONTROL != 0 {
            usize::from(self.locators.class(frame.to))
        } else {
            0
        }
    }

    /// The same where ACKs of some classes have the queue of their flow's data.
    #[cold]
    #[inline(never)]
    fn queue_by_table(&self, frame: Frame) -> usize {
        let class = self.locators.class(frame.to);
        let with_data = frame.is_reply() && self.acks >> class & 1 == 1;
        if frame.is_control() && !with_data { self.control() } else { usize::from(class) }
    }

    /// Whether a class has no limit of its own: flow control has taken it on, or ToRs keep its data.
    #[inline]
    pub(in crate::engine) fn is_unlimited(&self, class: usize) -> bool {
        self.is_lossless(class) || u16::from(self.unlimited) >> class & 1 == 1
    }

    /// Frames of these classes, a bit each, but for one in service.
    pub(in crate::engine) fn in_line(&self, classes: u8) -> usize {
        let own = (0..self.control()).filter(|class| u16::from(classes) >> class & 1 == 1);
        own.map(|class| self.own[class].queue.len()).sum()
    }

    /// Whether flow control has taken a class on; control it has not.
    #[inline]
    pub(in crate::engine) fn is_lossless(&self, class: usize) -> bool {
        self.pfc.as_ref().is_some_and(|pfc| u16::from(pfc.lossless) >> class & 1 == 1)
    }

    /// Bytes of a queue, frame in service included.
    #[inline]
    pub(in crate::engine) fn bytes(&self, class: usize) -> u64 {
        self.own[class].bytes
    }

    /// Bytes of the queue of data that a frame belongs to; `None` for frames that have a queue of
    /// control to themselves.
    #[inline]
    pub(in crate::engine) fn data_queued(&self, frame: Frame) -> Option<u64> {
        let class = self.queue_of(frame);
        (class < self.control()).then(|| self.bytes(class))
    }

    /// Bytes of all queues.
    pub(in crate::engine) fn backlog(&self) -> u64 {
        self.own.iter().map(|class| class.bytes).sum()
    }

    /// Gives back memory that a burst took.
    pub(in crate::engine) fn shrink(&mut self) {
        self.own.iter_mut().for_each(|class| class.queue.shrink());
    }

    /// Asks for the ends of the queues of one data class and of control.
    #[inline]
    pub(in crate::engine) fn prefetch(&self) {
        for class in &self.own[..2] {
            class.queue.prefetch_head();
            class.queue.prefetch_tail();
        }
    }

    /// Frames that wait.
    pub(in crate::engine) fn frames(&self) -> impl Iterator<Item = Frame> {
        self.own.iter().flat_map(|class| class.queue.iter()).map(|entry| entry.frame)
    }

    #[inline]
    pub(in crate::engine) fn push(&mut self, class: usize, came_in: PortId, frame: Frame) {
        // The turns of a single class are all its own.
        if class < self.control() && self.data > 1 && self.waiting >> class & 1 == 0 {
            self.turns.joined(class);
        }
        self.waiting |= 1 << class;
        let own = &mut self.own[class];
        own.bytes += frame.size().0;
        own.queue.push(Entry::tagged(came_in.0, frame));
    }

    /// The note of the frame that has just joined a queue.
    pub(in crate::engine) fn push_note(&mut self, class: usize, note: Note) {
        if let Some(notes) = &mut self.notes {
            notes.queues[class].push_back(note);
        }
    }

    /// A frame has been taken from a queue: so is its note, if it carries one.
    #[inline(never)]
    fn bring_note(&mut self, class: usize, frame: Frame) {
        if let Some(notes) = self.notes.as_mut().filter(|notes| notes.carriers.include(frame)) {
            notes.taken = notes.queues[class].pop_front().unwrap_or_default();
        }
    }

    /// The note of the frame that was taken last, which has left.
    pub(in crate::engine) fn take_note(&mut self, frame: Frame) -> Option<Note> {
        let notes = self.notes.as_mut().filter(|notes| notes.carriers.include(frame))?;
        Some(std::mem::take(&mut notes.taken))
    }

    /// What middleware has written into it.
    pub(in crate::engine) fn note_taken(&self) -> tor::Note {
        self.notes.as_ref().map(|notes| notes.taken.of_tors()).unwrap_or_default()
    }

    /// Under telemetry, adds a record to the note of the data frame that was taken last.
    pub(in crate::engine) fn stamp(&mut self, hop: Hop) {
        let stamped = |notes: &&mut Box<Notes>| notes.carriers.have_telemetry();
        if let Some(notes) = self.notes.as_mut().filter(stamped) {
            notes.taken.push(hop);
        }
    }

    /// When the wire, free from `free_at` on, can next take something; never, while all is paused
    /// for good or empty.
    #[inline]
    pub(in crate::engine) fn next_start(&self, free_at: Time) -> Time {
        let Some(pfc) = &self.pfc else {
            return if self.waiting == 0 { Time::NEVER } else { free_at };
        };
        if pfc.news != 0 || self.waiting >> self.data & 1 == 1 {
            return free_at;
        }
        if let Some(credits) = &self.credits {
            return self.next_start_by_credit(credits, free_at);
        }
        let data = self.own[..self.control()].iter().enumerate();
        let waiting = data.filter(|(class, _)| self.waiting >> class & 1 == 1);
        let starts = waiting.map(|(_, class)| class.paused_until.max(free_at));
        starts.min().unwrap_or(Time::NEVER)
    }

    /// Takes the frame that goes now, with its queue: flow control, then control, then the data
    /// class whose turn it is.
    #[inline]
    pub(in crate::engine) fn pop(&mut self, now: Time) -> Option<(Frame, usize)> {
        if let Some(pfc) = &mut self.pfc
            && pfc.news != 0
        {
            return Some((pfc.tell(now), self.control()));
        }
        let mut ready = self.waiting;
        if let Some(pfc) = &self.pfc
            && pfc.free_from > now
        {
            if self.credits.is_some() {
                return self.pop_by_credit(now);
            }
            for class in (0..self.control()).filter(|&class| self.own[class].paused_until > now) {
                ready &= !(1 << class);
            }
        }
        self.pop_of(ready)
    }

    /// [`Classes::pop`] while no class is paused and nobody has to be told anything.
    #[inline]
    pub(in crate::engine) fn pop_calm(&mut self) -> Option<(Frame, usize)> {
        self.pop_of(self.waiting)
    }

    /// Takes the frame that goes now, with its queue, from the queues `ready`.
    #[inline]
    fn pop_of(&mut self, ready: u16) -> Option<(Frame, usize)> {
        if ready == 0 {
            return None;
        }
        if self.form & WEIGHED != 0 {
            return self.pop_weighed(ready);
        }
        let class = if self.data == 1 {
            usize::from(ready >> 1)
        } else if ready >> self.data & 1 == 1 {
            self.control()
        } else {
            self.next_data(ready)
        };
        self.take(class)
    }

    /// The size of what [`Classes::pop_calm`] would take.
    #[inline]
    pub(in crate::engine) fn next_size(&self) -> Option<Bytes> {
        if self.waiting == 0 {
            return None;
        }
        let control = self.control();
        let data = self.waiting & ((1 << self.data) - 1);
        let weighs = self.form & WEIGHED != 0;
        let has_turn = data == 0 || !weighs || self.control_run < self.control_weight;
        let class = if self.waiting >> control & 1 == 1 && has_turn {
            control
        } else if self.data == 1 {
            0
        } else {
            self.turns.clone().next(data as u8, |class| {
                let queue = &self.own[class].queue;
                (queue.get(0).frame.size().0 as u32, queue.len() == 1)
            })
        };
        Some(self.own[class].queue.get(0).frame.size())
    }

    /// The data class among the queues `ready`, which are all of data, whose turn it is.
    #[inline]
    fn next_data(&mut self, ready: u16) -> usize {
        let own = &self.own;
        self.turns.next(ready as u8, |class| {
            let queue = &own[class].queue;
            (queue.get(0).frame.size().0 as u32, queue.len() == 1)
        })
    }

    /// [`Classes::pop_of`] where data has a turn after so many control frames.
    #[inline(never)]
    fn pop_weighed(&mut self, ready: u16) -> Option<(Frame, usize)> {
        let data = ready & ((1 << self.data) - 1);
        let has_turn = data == 0 || self.control_run < self.control_weight;
        if ready >> self.data & 1 == 1 && has_turn {
            self.control_run = if data == 0 { 0 } else { self.control_run + 1 };
            return self.take(self.control());
        }
        self.control_run = 0;
        let class = if self.data == 1 { 0 } else { self.next_data(data) };
        self.take(class)
    }

    /// Takes any frame that waits, with its queue: the port is cut off.
    pub(in crate::engine) fn flush(&mut self) -> Option<(Frame, usize)> {
        if self.waiting == 0 {
            self.turns.clear();
            return None;
        }
        self.take(self.waiting.trailing_zeros() as usize)
    }

    /// The first frame of a queue, which it leaves, and the number of the queue.
    #[inline]
    fn take(&mut self, class: usize) -> Option<(Frame, usize)> {
        let queue = &mut self.own[class].queue;
        let entry = queue.pop()?;
        self.waiting &= !(u16::from(queue.is_empty()) << class);
        self.came_in = PortId(entry.tag());
        if self.notes.is_some() {
            self.bring_note(class, entry.frame);
        }
        Some((entry.frame, class))
    }

    /// Takes the frame of a queue that would go last, with the port that it had come in through.
    pub(in crate::engine) fn take_last(&mut self, class: usize) -> Option<(Frame, PortId)> {
        let entry = self.own[class].queue.pop_back()?;
        if self.own[class].queue.is_empty() {
            self.waiting &= !(1 << class);
            if class < self.control() && self.data > 1 {
                self.turns.emptied(class);
            }
        }
        self.own[class].bytes -= entry.frame.size().0;
        let carries = |notes: &&mut Box<Notes>| notes.carriers.include(entry.frame);
        if let Some(notes) = self.notes.as_mut().filter(carries) {
            notes.queues[class].pop_back();
        }
        Some((entry.frame, PortId(entry.tag())))
    }

    /// Takes all that waits but data of the classes `waiting`, queue by queue, data first.
    pub(in crate::engine) fn take_late(&mut self, waiting: u8, late: &mut Vec<Frame>) {
        let locators = self.locators;
        let stays =
            |frame: Frame| !frame.is_control() && waiting >> locators.class(frame.to) & 1 == 1;
        for class in 0..=self.control() {
            let (first, had) = (late.len(), self.waiting >> class & 1 == 1);
            let own = &mut self.own[class];
            own.queue.take_unless(stays, late);
            own.bytes -= late[first..].iter().map(|frame| frame.size().0).sum::<u64>();
            if had && own.queue.is_empty() {
                self.waiting &= !(1 << class);
                if class < self.control() && self.data > 1 {
                    self.turns.emptied(class);
                }
            }
        }
    }

    /// A frame of queue `class` of `port` that had come in through `came_in` is gone, `sent` or not.
    /// Returns what the switch has to know.
    #[inline]
    pub(in crate::engine) fn left(
        &mut self,
        frame: Frame,
        port: PortId,
        class: usize,
        sent: bool,
    ) -> Option<Gone> {
        if frame.is_pfc() {
            return None;
        }
        let size = frame.size().0;
        self.own[class].bytes -= size;
        let is_told = class < usize::from(self.form >> TOLD);
        is_told.then_some(Gone { came_in: self.came_in, port, class: class as u8, sent, size })
    }

    /// Whether something waits.
    pub(in crate::engine) fn has_waiting(&self) -> bool {
        self.waiting != 0
    }

    /// From now on the switch has to know nothing of what leaves.
    pub(in crate::engine) fn tell_nothing(&mut self) {
        self.form &= (1 << TOLD) - 1;
    }

    /// Whether nothing waits and nothing is due.
    #[inline]
    pub(in crate::engine) fn is_idle(&self) -> bool {
        let quiet = |pfc: &Pfc| {
            let tells = self.ordered_set_at().min(self.consumed_at()) < Time::NEVER;
            pfc.news == 0 && pfc.refresh_at == Time::NEVER && !tells
        };
        self.waiting == 0 && self.pfc.as_ref().is_none_or(quiet)
    }
}
