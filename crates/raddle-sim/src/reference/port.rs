//! A switch port of the reference engine: a queue per class, and one frame in service.

use super::cbfc::Credits;
use super::llr::{Numbered, Sender};
use super::turns::{Queue, Turns};
use crate::faults::link::{Link, Lost};
use crate::plan::QueuePlan;
use crate::record::{DropCause, PfcRecord, PortRecord};
use crate::wire::frame::Frame;
use crate::wire::note::Note;
use crate::wire::port_facts::PortFacts;
use crate::wire::watchdog::Storm;
use raddle_schemes::ids::PortId;
use raddle_schemes::load_balance::switch::Queue as PortQueue;
use raddle_schemes::marking::AnyMarker;
use raddle_schemes::units::{Bytes, Rate, Time};
use std::num::NonZeroU32;

/// A switch port.
pub(super) struct Port {
    pub(super) facts: PortFacts,
    pub(super) link: Link,
    /// The data classes, then control; where there is one class for everything, it is the first.
    pub(super) queues: Vec<Queue>,
    /// Bytes per queue, frame in service included.
    pub(super) bytes: Vec<u64>,
    pub(super) turns: Turns,
    /// So many control frames go while data waits before data has a turn.
    control_weight: Option<NonZeroU32>,
    /// Control frames that went since data last had a turn, or did not wait.
    control_run: u32,
    pub(super) in_service: Option<InService>,
    /// Services begun; tells a departure whether its frame is still the one in service.
    pub(super) services: u32,
    pub(super) free_at: Time,
    /// When each data class may start frames again.
    pub(super) paused_until: Vec<Time>,
    /// What its watchdog knows of each data class.
    pub(super) storms: Vec<Storm>,
    /// Flow control of what comes in here.
    pub(super) ingress: Ingress,
    pub(super) record: PortRecord,
    /// Link-level retry.
    pub(super) retry: Option<Sender>,
    /// Credits of its link and for what comes in.
    pub(super) credits: Option<Credits>,
    /// Bytes that have joined the queues.
    pub(super) entered: u64,
    /// Bytes that a second wire has taken from them, where telemetry counts both as one.
    pub(super) moved: u64,
    /// When its lane closes next, as far as the events know.
    pub(super) closes: Option<Time>,
    /// When something last changed, and what was queued before.
    before: Option<(Time, PortQueue)>,
}

/// The frame on the wire.
pub(super) struct InService {
    pub(super) frame: Frame,
    /// Where it came in; of no meaning for a PFC frame, which is born here.
    pub(super) came_in: PortId,
    pub(super) class: usize,
    pub(super) start: Time,
    /// Why it is lost on its way, if it is.
    pub(super) lost: Option<Lost>,
    /// What switches wrote into it.
    pub(super) note: Note,
    /// Its number, where the link has retry.
    pub(super) numbered: Option<Numbered>,
}

/// What came in through a port and has not left the switch, and what the far end knows of it.
/// Masks have a bit per data class.
#[derive(Default)]
pub(super) struct Ingress {
    /// Bytes per data class.
    pub(super) bytes: Vec<u64>,
    /// Classes that the far end is to pause.
    pub(super) pausing: u8,
    /// Classes of which the far end has not been told the latest.
    pub(super) news: u8,
    /// When the far end is told again.
    pub(super) refresh_at: Option<Time>,
}

impl Port {
    pub(super) fn new(
        plan: &QueuePlan,
        facts: PortFacts,
        link: Link,
        retry: Option<Sender>,
    ) -> Self {
        let data = usize::from(plan.classes);
        let pfc = facts.pfc.map(|_| Box::<PfcRecord>::default());
        let record = PortRecord { pfc, ..Default::default() };
        let credits = Credits::of(facts.credits.as_ref());
        Self {
            facts,
            link,
            queues: vec![Queue::new(); data + 1],
            bytes: vec![0; data + 1],
            turns: Turns::new(plan),
            control_weight: plan.control_weight,
            control_run: 0,
            in_service: None,
            services: 0,
            free_at: Time::ZERO,
            paused_until: vec![Time::ZERO; data],
            storms: vec![Storm::default(); data],
            ingress: Ingress { bytes: vec![0; data], ..Ingress::default() },
            record,
            retry,
            credits,
            entered: 0,
            moved: 0,
            closes: None,
            before: None,
        }
    }

    /// The rate that frames have which start at `now`.
    pub(super) fn rate_at(&mut self, now: Time) -> Rate {
        let rate = self.link.wire_at(now).rate();
        self.retry.as_ref().map_or(rate, |retry| retry.llr().taxed(rate))
    }

    /// Who marks the data of a class.
    pub(super) fn marker(&self, class: usize) -> &AnyMarker {
        self.facts.class_markers.as_ref().map_or(&self.facts.marker, |own| &own[class])
    }

    /// What a switch scheme sees of it.
    pub(super) fn queue(&self) -> PortQueue {
        PortQueue {
            bytes: Bytes(self.bytes.iter().sum()),
            capacity: Bytes(self.link.capacity(self.facts.capacity)),
        }
    }

    /// What it saw just before `now`.
    pub(super) fn queue_before(&self, now: Time) -> PortQueue {
        self.before.filter(|(at, _)| *at == now).map_or_else(|| self.queue(), |(_, queue)| queue)
    }

    /// A frame of a queue found no room here: if flow control has taken its class on, it should have.
    pub(super) fn note_refused(&mut self, class: usize) {
        let is_lossless = u16::from(self.facts.lossless) >> class & 1 == 1;
        if let Some(record) = self.record.pfc.as_mut().filter(|_| is_lossless) {
            record.refused += 1;
        }
    }

    /// A frame of flow control has left.
    pub(super) fn note_left(&mut self, frame: Frame) {
        if let Some(pfc) = &mut self.record.pfc {
            pfc.frames += 1;
        } else if let Some(credits) = &mut self.credits {
            credits.record.note(frame.is_ordered_set(), true, false);
        }
    }

    /// A frame of flow control is lost.
    pub(super) fn note_lost(&mut self, frame: Frame, cause: DropCause) {
        if let Some(pfc) = &mut self.record.pfc {
            pfc.lost += 1;
        } else if let Some(credits) = self.credits.as_mut().filter(|_| cause != DropCause::NodeDown)
        {
            credits.record.note(frame.is_ordered_set(), false, true);
        }
    }

    /// Keeps what there was before `now`, in which something is about to change.
    pub(super) fn keep_before(&mut self, now: Time) {
        self.before = Some((now, self.queue_before(now)));
    }

    /// The size of the frame that goes next, at a port that nobody pauses.
    pub(super) fn next_size(&self) -> Option<Bytes> {
        let control = self.paused_until.len();
        let ready: Vec<bool> = self.queues[..control].iter().map(|own| !own.is_empty()).collect();
        let owed = self.control_weight.is_some_and(|weight| self.control_run >= weight.get());
        let class = if self.queues[control].is_empty() || (owed && ready.contains(&true)) {
            self.turns.clone().next(&self.queues, &ready)?
        } else {
            control
        };
        self.queues[class].front().map(|(frame, ..)| frame.size())
    }

    /// Takes the frame that goes next, with its queue's number: flow control, then control, then
    /// the data class whose turn it is.
    pub(super) fn next_frame(&mut self, now: Time) -> Option<(Frame, PortId, usize, Note)> {
        let control = self.paused_until.len();
        let ingress = &mut self.ingress;
        if ingress.news != 0 {
            let frame = Frame::pfc(ingress.pausing | ingress.news, ingress.pausing);
            ingress.news = 0;
            return Some((frame, PortId(0), control, Note::default()));
        }
        if let Some(frame) = self.credits.as_mut().and_then(|own| own.cc_update(now, Time::NEVER)) {
            return Some((frame, PortId(0), control, Note::default()));
        }
        let classes = (0..control).map(|class| self.paused_until[class] <= now);
        let ready: Vec<bool> = classes
            .enumerate()
            .map(|(class, goes)| goes && !self.queues[class].is_empty() && self.has_credit(class))
            .collect();
        let data_waits = ready.contains(&true);
        let is_turn_of_data = data_waits
            && self.control_weight.is_some_and(|weight| self.control_run >= weight.get());
        let class = if self.queues[control].is_empty() || is_turn_of_data {
            let class = self.turns.next(&self.queues, &ready)?;
            self.control_run = 0;
            class
        } else {
            self.control_run = if data_waits { self.control_run + 1 } else { 0 };
            control
        };
        let (frame, came_in, note) = self.queues[class].pop_front()?;
        if let Some(credits) = self.credits.as_mut().filter(|_| class < control) {
            credits.start(now, class, frame.size(), Time::NEVER);
        }
        Some((frame, came_in, class, note))
    }

    /// Whether the first frame of a class of data, if one waits, has credit.
    fn has_credit(&self, class: usize) -> bool {
        let first = self.queues[class].front();
        let allows = |(frame, ..): &(Frame, PortId, Note)| {
            self.credits.as_ref().is_none_or(|own| own.allow(class, frame.size()))
        };
        first.is_none_or(allows)
    }

    /// A bit for each class of data that waits for credit.
    pub(super) fn waiting_for_credit(&self) -> u8 {
        let data = 0..self.paused_until.len();
        data.filter(|class| !self.has_credit(*class)).fold(0, |mask, class| mask | 1 << class)
    }
}
