//! What a NIC was told to pause, and the flows that wait for it.

use crate::plan::{CLASS_LIMIT, Plan, Service};
use crate::wire::frame::{Frame, Locators};
use raddle_schemes::units::{Span, Time};
use std::collections::VecDeque;

const CLASSES: usize = CLASS_LIMIT as usize;

/// The pauses of one NIC.
pub(crate) struct Pauses {
    /// Per data class; a class may send from this instant on.
    until: [Time; CLASSES],
    /// Sender slots whose turn came while their class was paused, per class.
    held: [VecDeque<u32>; CLASSES],
    /// How many there are in all.
    holding: u32,
    quanta: Span,
    /// Control frames share the data's only class.
    one_class: bool,
    /// A bit for each data class whose ACKs travel in it, and are paused with it.
    acks: u8,
    locators: Locators,
}

impl Pauses {
    /// Of a NIC in this plan; none without flow control. With credits, a class without any is paused until
    /// there are some.
    pub(crate) fn of(plan: &Plan) -> Option<Box<Self>> {
        let quanta = plan.queue.pfc.map(|pfc| pfc.quanta);
        let quanta = quanta.or(plan.queue.cbfc.map(|_| Span::ZERO))?;
        let one_class = plan.queue.service == Service::Fifo;
        let acks = plan.queue.ack_classes();
        let locators = Locators::of(&plan.fabric, plan.queue.classes);
        let (until, held) = ([Time::ZERO; CLASSES], Default::default());
        Some(Box::new(Self { until, held, holding: 0, quanta, one_class, acks, locators }))
    }

    /// A PFC frame has come.
    pub(crate) fn on_pfc(&mut self, now: Time, frame: Frame) {
        for (class, pause) in frame.pfc_classes() {
            self.until[class] = if pause { now + self.quanta } else { now };
        }
    }

    /// The class of which a frame needs credit, if it needs any.
    pub(crate) fn class_of(&self, frame: Frame) -> Option<usize> {
        let class = self.locators.class(frame.to);
        let with_data = frame.is_reply() && self.acks >> class & 1 == 1;
        (!frame.is_control() || with_data).then_some(usize::from(class))
    }

    /// There is no credit for a packet of a class, or there is.
    pub(crate) fn withhold(&mut self, class: usize, whether: bool) {
        self.until[class] = if whether { Time::NEVER } else { Time::ZERO };
    }

    /// Whether control frames may have to wait for the class of their flow.
    pub(crate) fn hold_acks(&self) -> bool {
        self.acks != 0
    }

    /// When a control frame may go.
    fn control_from(&self, frame: Frame) -> Time {
        let class = self.locators.class(frame.to);
        let waits = frame.is_reply() && self.acks >> class & 1 == 1;
        if waits { self.until[usize::from(class)] } else { Time::ZERO }
    }

    /// The first of these control frames that may go now.
    #[cold]
    pub(crate) fn next_control(&self, now: Time, control: &VecDeque<Frame>) -> Option<usize> {
        control.iter().position(|frame| self.control_from(*frame) <= now)
    }

    /// When the first of these control frames may go, not before `earliest`.
    #[cold]
    #[inline(never)]
    pub(crate) fn control_at(&self, control: &VecDeque<Frame>, earliest: Time) -> Time {
        let times = control.iter().map(|frame| self.control_from(*frame).max(earliest));
        times.min().unwrap_or(Time::NEVER)
    }

    /// Keeps a flow whose turn has come if its class is paused. Returns whether it did.
    pub(crate) fn hold(&mut self, now: Time, class: u8, slot: u32) -> bool {
        let class = usize::from(class);
        let paused = self.until[class] > now;
        if paused {
            self.held[class].push_back(slot);
            self.holding += 1;
        }
        paused
    }

    /// Gives the flows back whose class may send again; they take their turns behind the others.
    pub(crate) fn release(&mut self, now: Time, ready: &mut VecDeque<u32>) {
        if self.holding == 0 {
            return;
        }
        for (held, &until) in self.held.iter_mut().zip(&self.until) {
            if until <= now {
                self.holding -= held.len() as u32;
                ready.append(held);
            }
        }
    }

    /// How many flows wait for pauses to end.
    pub(crate) fn holding(&self) -> u32 {
        self.holding
    }

    /// Gives all flows back, which are to send elsewhere.
    pub(crate) fn give_up(&mut self, flows: &mut VecDeque<u32>) {
        self.holding = 0;
        self.held.iter_mut().for_each(|held| flows.append(held));
    }

    /// When the NIC next wants its wire: `own` by itself, not before `earliest`.
    pub(crate) fn wants_at(&self, own: Time, earliest: Time) -> Time {
        if self.one_class {
            return own.max(self.until[0]);
        }
        if self.holding == 0 {
            return own;
        }
        let held = self.held.iter().zip(&self.until).filter(|(held, _)| !held.is_empty());
        held.map(|(_, &until)| until.max(earliest)).fold(own, Time::min)
    }
}
