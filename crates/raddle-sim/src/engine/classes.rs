//! The queues of a port that has several data classes or flow control.

use super::prefetch::prefetch;
use super::ring::{Entry, Ring};
use super::turns::Turns;
use crate::net::frame::{Frame, Locators};
use crate::net::port::PfcFacts;
use crate::plan::{CLASS_LIMIT, Plan, Service};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Span, Time};

/// Control is queue number `data`, behind the data classes.
pub(super) const QUEUES: usize = CLASS_LIMIT as usize + 1;

/// Queues, and what flow control does to them. Masks have a bit per queue.
#[derive(Debug)]
pub(super) struct Classes {
    /// The number of data classes.
    data: usize,
    /// Whether control frames have a queue of their own.
    own_control: bool,
    locators: Locators,
    /// Entries hold the port that their frame came in through.
    queues: [Ring; QUEUES],
    /// Bytes per queue, frame in service included.
    pub(super) bytes: [u64; QUEUES],
    /// Queues that are not empty.
    waiting: u8,
    turns: Turns,
    /// Where the frame in service came in.
    pub(super) came_in: PortId,
    /// Flow control, where there is any.
    pub(super) pfc: Option<Pfc>,
}

/// A frame of data that is no longer in a switch under flow control.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gone {
    /// The port it had come in through.
    pub(super) came_in: PortId,
    /// Its queue.
    pub(super) class: u8,
    pub(super) size: u64,
}

/// Both directions of flow control at a port.
#[derive(Debug)]
pub(super) struct Pfc {
    facts: PfcFacts,
    /// When each data class may start frames again.
    paused_until: [Time; QUEUES],
    /// When all of them may.
    free_from: Time,
    /// Bytes per data class that came in here and have not left the switch.
    ingress: [u64; QUEUES],
    /// Classes that the far end is to pause.
    pausing: u8,
    /// Classes of which the far end has not been told the latest.
    news: u8,
    /// When the far end is told again.
    refresh_at: Time,
}

impl Classes {
    /// The queues of one port, where the plain port's two do not suffice.
    pub(super) fn of(plan: &Plan, pfc: Option<PfcFacts>) -> Option<Self> {
        let hosts = plan.fabric.hosts;
        let plan = &plan.queue;
        (plan.classes > 1 || pfc.is_some()).then(|| Self {
            data: usize::from(plan.classes),
            own_control: plan.service != Service::Fifo,
            locators: Locators::new(hosts, plan.classes),
            queues: Default::default(),
            bytes: [0; QUEUES],
            waiting: 0,
            turns: Turns::new(plan),
            came_in: PortId(0),
            pfc: pfc.map(|facts| Pfc {
                facts,
                paused_until: [Time::ZERO; QUEUES],
                free_from: Time::ZERO,
                ingress: [0; QUEUES],
                pausing: 0,
                news: 0,
                refresh_at: Time::NEVER,
            }),
        })
    }

    /// The number of the control queue.
    #[inline]
    pub(super) fn control(&self) -> usize {
        self.data
    }

    /// The queue that a frame belongs to.
    #[inline]
    pub(super) fn queue_of(&self, frame: Frame) -> usize {
        if !self.own_control {
            0
        } else if frame.is_control() {
            self.data
        } else {
            usize::from(self.locators.class(frame.to))
        }
    }

    /// Bytes of the queue of data that a frame belongs to; `None` for frames that have a queue of
    /// control to themselves.
    #[inline]
    pub(super) fn data_queued(&self, frame: Frame) -> Option<u64> {
        let class = self.queue_of(frame);
        (class < self.data).then(|| self.bytes[class])
    }

    /// Bytes of all queues.
    pub(super) fn backlog(&self) -> u64 {
        self.bytes.iter().sum()
    }

    /// Gives back memory that a burst took.
    pub(super) fn shrink(&mut self) {
        self.queues.iter_mut().for_each(Ring::shrink);
    }

    /// Asks for the first cache lines of its own.
    #[inline]
    pub(super) fn prefetch(&self) {
        prefetch(&self.queues);
        prefetch(&self.bytes);
        prefetch(&self.turns);
    }

    /// Frames that wait.
    pub(super) fn frames(&self) -> impl Iterator<Item = Frame> {
        self.queues.iter().flat_map(Ring::iter).map(|entry| entry.frame)
    }

    #[inline]
    pub(super) fn push(&mut self, class: usize, came_in: PortId, frame: Frame) {
        // The turns of a single class are all its own.
        if class < self.data && self.data > 1 && self.waiting >> class & 1 == 0 {
            self.turns.joined(class);
        }
        self.waiting |= 1 << class;
        self.bytes[class] += frame.size().0;
        self.queues[class].push(Entry::tagged(came_in.0, frame));
    }

    /// When the wire, free from `free_at` on, can next take something; never, while all is paused
    /// for good or empty.
    #[inline]
    pub(super) fn next_start(&self, free_at: Time) -> Time {
        let Some(pfc) = &self.pfc else {
            return if self.waiting == 0 { Time::NEVER } else { free_at };
        };
        if pfc.news != 0 || self.waiting >> self.data & 1 == 1 {
            return free_at;
        }
        let data = pfc.paused_until[..self.data].iter().enumerate();
        let waiting = data.filter(|(class, _)| self.waiting >> class & 1 == 1);
        waiting.map(|(_, &until)| until.max(free_at)).min().unwrap_or(Time::NEVER)
    }

    /// Takes the frame that goes now, with its queue: flow control, then control, then the data
    /// class whose turn it is.
    #[inline]
    pub(super) fn pop(&mut self, now: Time) -> Option<(Frame, usize)> {
        if let Some(pfc) = &mut self.pfc
            && pfc.news != 0
        {
            return Some((pfc.tell(now), self.data));
        }
        let mut ready = self.waiting;
        if let Some(pfc) = &self.pfc
            && pfc.free_from > now
        {
            for class in (0..self.data).filter(|&class| pfc.paused_until[class] > now) {
                ready &= !(1 << class);
            }
        }
        self.pop_of(ready)
    }

    /// [`Classes::pop`] while no class is paused and nobody has to be told anything.
    #[inline]
    pub(super) fn pop_calm(&mut self) -> Option<(Frame, usize)> {
        self.pop_of(self.waiting)
    }

    /// Takes the frame that goes now, with its queue, from the queues `ready`.
    #[inline]
    fn pop_of(&mut self, ready: u8) -> Option<(Frame, usize)> {
        if ready == 0 {
            return None;
        }
        let queues = &self.queues;
        let class = if ready >> self.data & 1 == 1 {
            self.data
        } else if self.data == 1 {
            0
        } else {
            self.turns.next(ready, |class| {
                (queues[class].get(0).frame.size().0 as u32, queues[class].len() == 1)
            })
        };
        let entry = self.queues[class].pop()?;
        if self.queues[class].is_empty() {
            self.waiting &= !(1 << class);
        }
        self.came_in = PortId(entry.tag());
        Some((entry.frame, class))
    }

    /// Takes any frame that waits, with its queue: the port is cut off.
    pub(super) fn flush(&mut self) -> Option<(Frame, usize)> {
        if self.waiting == 0 {
            self.turns.clear();
            return None;
        }
        let class = self.waiting.trailing_zeros() as usize;
        let entry = self.queues[class].pop()?;
        if self.queues[class].is_empty() {
            self.waiting &= !(1 << class);
        }
        self.came_in = PortId(entry.tag());
        Some((entry.frame, class))
    }

    /// A frame of queue `class` that had come in through `came_in` is gone. Returns what the switch
    /// has to know.
    #[inline]
    pub(super) fn left(&mut self, frame: Frame, class: usize) -> Option<Gone> {
        if frame.is_pfc() {
            return None;
        }
        let size = frame.size().0;
        self.bytes[class] -= size;
        let counted = self.pfc.is_some() && class < self.data;
        counted.then_some(Gone { came_in: self.came_in, class: class as u8, size })
    }

    /// Whether `frame`, coming in here, could take the bytes counted of its class above `most`, or
    /// above the threshold.
    #[inline]
    pub(super) fn may_pause_for(&self, frame: Frame, most: u64) -> bool {
        let class = self.queue_of(frame);
        let Some(pfc) = &self.pfc else { return false };
        class < self.data && pfc.ingress[class] + frame.size().0 > pfc.facts.xoff.min(most)
    }

    /// Whether nothing waits and nothing is due.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        let quiet = |pfc: &Pfc| pfc.news == 0 && pfc.refresh_at == Time::NEVER;
        self.waiting == 0 && self.pfc.as_ref().is_none_or(quiet)
    }
}

impl Pfc {
    /// A frame that came in here joined a queue of `class`. Returns the class's bytes now, and
    /// whether the far end is to pause it from now on.
    #[inline]
    pub(super) fn entered(&mut self, class: usize, size: u64) -> (u64, bool) {
        self.ingress[class] += size;
        let bit = 1 << class;
        let crossed = self.ingress[class] > self.facts.xoff && self.pausing & bit == 0;
        if crossed {
            self.pausing |= bit;
            self.news |= bit;
        }
        (self.ingress[class], crossed)
    }

    /// A frame of `class` that had come in here is gone. Returns whether the far end may resume.
    #[inline]
    pub(super) fn left(&mut self, class: usize, size: u64) -> bool {
        self.ingress[class] -= size;
        let bit = 1 << class;
        let resumes = self.ingress[class] <= self.facts.xon && self.pausing & bit != 0;
        if resumes {
            self.pausing &= !bit;
            self.news |= bit;
        }
        resumes
    }

    /// A PFC frame from the far end has come.
    pub(super) fn obey(&mut self, now: Time, frame: Frame) {
        for (class, pause) in frame.pfc_classes() {
            self.paused_until[class] = if pause { now + self.facts.quanta } else { now };
        }
        self.free_from = self.paused_until.into_iter().max().unwrap_or(now);
    }

    /// From when on all classes may start frames and the far end knows the latest; never, while it
    /// has to be told something.
    #[inline]
    pub(super) fn calm_from(&self) -> Time {
        let told = self.news == 0 && self.refresh_at == Time::NEVER;
        if told { self.free_from } else { Time::NEVER }
    }

    /// When a pause has to be renewed.
    #[inline]
    pub(super) fn refresh_at(&self) -> Time {
        self.refresh_at
    }

    /// The far end is to be told again which classes pause.
    pub(super) fn refresh(&mut self) {
        self.refresh_at = Time::NEVER;
        self.news |= self.pausing;
    }

    /// What the wire takes at `now` tells the far end the latest.
    fn tell(&mut self, now: Time) -> Frame {
        let frame = Frame::pfc(self.pausing | self.news, self.pausing);
        self.news = 0;
        let half = Span(self.facts.quanta.0 / 2);
        self.refresh_at = if self.pausing == 0 { Time::NEVER } else { now + half };
        frame
    }
}
