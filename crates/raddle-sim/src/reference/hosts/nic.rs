//! The NIC of one port: what waits at a host for that port's wire, and what the wire takes.

use crate::cbfc::CreditFacts;
use crate::faults::PortChange;
use crate::faults::link::Link;
use crate::plan::{AckQueue, NicOrder, Plan, Service, Turns};
use crate::record::{DropCause, PortRecord};
use crate::reference::cbfc::Credits;
use crate::reference::llr::{Next, Numbered, Sender};
use crate::retry::RetryFacts;
use crate::wire::frame::{Frame, Locators};
use crate::wire::note::Note;
use raddle_schemes::ids::{FlowId, PortId};
use raddle_schemes::rng::{coin, stream};
use raddle_schemes::units::{Rate, Time};
use std::collections::VecDeque;

/// A frame that a host's wire took.
pub(in crate::reference) struct Departure {
    pub(in crate::reference) frame: Frame,
    /// When its last bit leaves.
    pub(in crate::reference) departs: Time,
    /// Why it never reaches the far end, if so.
    pub(in crate::reference) lost: Option<DropCause>,
    /// Its number, where the link has retry.
    pub(in crate::reference) numbered: Option<Numbered>,
}

pub(super) struct Nic<'a> {
    plan: &'a Plan,
    locators: Locators,
    link: Link,
    loss_stream: u64,
    free_at: Time,
    /// Control frames that wait.
    pub(super) control: VecDeque<Frame>,
    /// Flows that want to send a packet, the next one first.
    turns: VecDeque<FlowId>,
    /// What waits between flows and the wire, where hosts have a queue.
    pub(super) line: VecDeque<Frame>,
    /// Flows that want to put a packet in line.
    fillers: VecDeque<FlowId>,
    /// Whether the wire took data from the line, and not from a flow, last.
    took_from_line: bool,
    /// The one whose turn came last.
    last: Option<FlowId>,
    turn_stream: u64,
    /// Per data class, when it may send again, and the flows whose turn came before.
    paused_until: Vec<Time>,
    held: Vec<VecDeque<FlowId>>,
    sent_control_last: bool,
    pub(super) record: PortRecord,
    /// Link-level retry.
    pub(super) retry: Option<Sender>,
    /// Credits of the switch.
    pub(super) credits: Option<Credits>,
}

impl<'a> Nic<'a> {
    pub(super) fn new(plan: &'a Plan, port: PortId) -> Self {
        let rate = plan.fabric.ports[port.index()].rate;
        let changes = plan.faults.changes_of(port).to_vec();
        let classes = usize::from(plan.queue.classes);
        Self {
            plan,
            locators: Locators::of(&plan.fabric, plan.queue.classes),
            link: Link::new(rate, plan.packet(), changes),
            loss_stream: stream(plan.seed, "loss", port.0.into()),
            free_at: Time::ZERO,
            control: VecDeque::new(),
            turns: VecDeque::new(),
            line: VecDeque::new(),
            fillers: VecDeque::new(),
            took_from_line: false,
            last: None,
            turn_stream: stream(plan.seed, "turn", port.0.into()),
            paused_until: vec![Time::ZERO; classes],
            held: vec![VecDeque::new(); classes],
            sent_control_last: false,
            record: PortRecord::default(),
            retry: RetryFacts::of(plan, port).map(Sender::new),
            credits: Credits::of(CreditFacts::of(plan, port).as_ref()),
        }
    }

    /// Whether packets and ACKs of a class wait in line: those of one that may be paused do not.
    fn lines_up(&self, class: u8) -> bool {
        self.plan.transport.host_queue.is_some() && self.plan.paused_classes() >> class & 1 == 0
    }

    /// Whether a full packet fits into the line.
    fn has_room(&self) -> bool {
        let waiting: u64 = self.line.iter().map(|frame| frame.size().0).sum();
        let size = self.plan.transport.host_queue.map_or(0, |own| own.size.0);
        waiting + self.plan.packet().0 <= size
    }

    /// Takes a flow that may put a packet in line.
    pub(super) fn next_filler(&mut self) -> Option<FlowId> {
        if self.has_room() { self.fillers.pop_front() } else { None }
    }

    /// A control frame waits.
    pub(super) fn take_control(&mut self, frame: Frame) {
        let acks = self.plan.transport.host_queue.is_some_and(|own| own.acks);
        if acks && frame.is_reply() && self.lines_up(self.locators.class(frame.to)) {
            self.line.push_back(frame);
        } else {
            self.control.push_back(frame);
        }
    }

    /// Whether the wire is free.
    pub(super) fn is_free(&self, now: Time) -> bool {
        self.free_at <= now
    }

    /// Whether the line goes before flows that are asked for a packet.
    pub(super) fn line_is_next(&self) -> bool {
        !self.took_from_line
    }

    /// Takes what is first in line.
    pub(super) fn next_of_line(&mut self) -> Option<Frame> {
        let frame = self.line.pop_front()?;
        self.took_from_line = true;
        Some(frame)
    }

    /// A flow was asked, and had a packet.
    pub(super) fn took_from_flow(&mut self) {
        self.took_from_line = false;
    }

    /// When something is to be done for its wire, seen from `now`.
    pub(super) fn wants_wire(&self, now: Time) -> Time {
        if !self.fillers.is_empty() && self.has_room() {
            return now;
        }
        let line = if self.line.is_empty() { Time::NEVER } else { self.free_at.max(now) };
        let new = self.wants_beside_line(now).min(line);
        let message = self.credits.as_ref().and_then(Credits::cc_due).unwrap_or(Time::NEVER);
        let message = message.max(self.free_at).max(now);
        match self.retry.as_ref().map_or(Next::New, Sender::next) {
            Next::Copy => self.free_at.max(now),
            // A link that is down is noticed when something is to go.
            Next::Nothing if !self.link.is_up() => new,
            Next::Nothing => Time::NEVER,
            Next::FlowControl => message,
            Next::New | Next::Unnumbered | Next::ThrownAway => new.min(message),
        }
    }

    fn wants_beside_line(&self, now: Time) -> Time {
        let free = self.free_at.max(now);
        let mut wants = Time::NEVER;
        if self.turns.is_empty() && self.plan.queue.service != Service::Fifo {
            let control = self.control.iter().map(|frame| free.max(self.control_from(*frame)));
            wants = control.min().unwrap_or(Time::NEVER);
        } else if !self.control.is_empty() || !self.turns.is_empty() {
            // With one class for everything a pause is for ACKs, too.
            let everything = self.plan.queue.service == Service::Fifo;
            wants = if everything { free.max(self.paused_until[0]) } else { free };
        }
        for (held, until) in self.held.iter().zip(&self.paused_until) {
            if !held.is_empty() {
                wants = wants.min(free.max(*until));
            }
        }
        wants
    }

    /// When a control frame may go: an ACK that travels with the data of its flow when that may.
    fn control_from(&self, frame: Frame) -> Time {
        let class = usize::from(self.locators.class(frame.to));
        let acks = self.plan.queue.acks.get(class).copied().unwrap_or(AckQueue::Control);
        if frame.is_reply() && acks == AckQueue::Data {
            self.paused_until[class]
        } else {
            Time::ZERO
        }
    }

    /// Takes the control frame that goes next.
    pub(super) fn next_control(&mut self, now: Time) -> Option<Frame> {
        let next = self.control.iter().position(|frame| self.control_from(*frame) <= now)?;
        self.control.remove(next)
    }

    /// A PFC frame has come.
    pub(super) fn on_pfc(&mut self, now: Time, frame: Frame) {
        if let Some(credits) = &mut self.credits {
            credits.take(now, frame);
            return self.hold_without_credit();
        }
        let Some(pfc) = self.plan.queue.pfc else { return };
        for (class, pause) in frame.pfc_classes() {
            self.paused_until[class] = if pause { now + pfc.quanta } else { now };
        }
    }

    /// Classes without credit for a full packet may not send until they have some.
    fn hold_without_credit(&mut self) {
        let Some(credits) = &self.credits else { return };
        for (class, until) in self.paused_until.iter_mut().enumerate() {
            *until = if credits.allow_any(class) { Time::ZERO } else { Time::NEVER };
        }
    }

    /// A frame starts: its class may need credit.
    fn consume(&mut self, now: Time, frame: Frame) {
        let class = usize::from(self.locators.class(frame.to));
        let with_data = self.plan.queue.acks.get(class) == Some(&AckQueue::Data);
        let Some(credits) = &mut self.credits else { return };
        if !frame.is_control() || frame.is_reply() && with_data {
            credits.start(now, class, frame.size(), self.link.next_up());
            self.hold_without_credit();
        }
    }

    /// Tells the switch what was consumed, if that is due, the wire free, and the turn not a copy's. Returns
    /// whether it was, and what is on the link.
    pub(super) fn tell(&mut self, now: Time) -> Option<Option<Departure>> {
        let next = self.retry.as_ref().map_or(Next::New, Sender::next);
        if self.free_at > now || matches!(next, Next::Copy | Next::Nothing) {
            return None;
        }
        self.link.advance(now);
        let credits = self.credits.as_mut()?;
        credits.cc_due().filter(|due| *due <= now)?;
        if !self.link.is_up() {
            credits.put_cc_off(self.link.next_up());
            return Some(None);
        }
        let frame = credits.cc_update(now, self.link.next_up())?;
        let (departs, is_cut) = self.occupy(now, frame);
        let is_spoiled = self.link.loses(self.loss_stream, now, frame.size());
        let numbers = self.retry.is_some() && matches!(next, Next::New | Next::FlowControl);
        let record = self.credits.as_mut().map(|own| &mut own.record)?;
        if let Some(retry) = self.retry.as_mut().filter(|_| numbers) {
            record.note(false, true, false);
            let kept = (frame, Note::default());
            let numbered = Some(retry.start((now, departs), kept, (is_spoiled, is_cut)));
            let departs = departs.min(self.link.next_down());
            return Some(Some(Departure { frame, departs, lost: None, numbered }));
        }
        if !is_cut {
            self.retry.iter_mut().for_each(Sender::count_unnumbered);
        }
        let is_lost = is_cut || is_spoiled || next == Next::ThrownAway;
        record.note(false, !is_cut, is_lost);
        let lost = is_lost.then_some(DropCause::Loss);
        Some(Some(Departure { frame, departs, lost, numbered: None }))
    }

    /// Whether the link is up; if not, the wire is free when it comes up, or at `other`.
    pub(super) fn is_up(&mut self, now: Time, other: Time) -> bool {
        self.link.advance(now);
        if !self.link.is_up() {
            self.free_at = self.link.next_up().min(other);
        }
        self.link.is_up()
    }

    /// When its wire is free.
    pub(super) fn free_at(&self) -> Time {
        self.free_at
    }

    /// How much waits here, with what is on the wire.
    pub(super) fn waiting(&self, now: Time) -> u32 {
        let held = self.held.iter().map(VecDeque::len).sum::<usize>();
        let on_wire = usize::from(self.free_at > now);
        (self.control.len() + self.turns.len() + held + on_wire) as u32
    }

    /// Gives up all that waits here.
    pub(super) fn give_up(&mut self) -> (VecDeque<Frame>, Vec<FlowId>) {
        let held = self.held.iter_mut().flat_map(|held| held.drain(..));
        let flows = self.turns.drain(..).chain(held).collect();
        (std::mem::take(&mut self.control), flows)
    }

    /// The flows of classes that are no longer paused go to the end of the line.
    pub(super) fn release(&mut self, now: Time) {
        self.link.advance(now);
        let mut released = Vec::new();
        for (held, until) in self.held.iter_mut().zip(&self.paused_until) {
            if *until <= now {
                released.extend(held.drain(..));
            }
        }
        released.into_iter().for_each(|flow| self.stand_in_line(flow));
    }

    /// A flow may send.
    pub(super) fn stand_in_line(&mut self, flow: FlowId) {
        if self.lines_up(self.plan.traffic.flows[flow.index()].class) {
            return self.fillers.push_back(flow);
        }
        let end = self.turns.len();
        let place = match self.plan.transport.turns {
            Turns::RoundRobin | Turns::Random => end,
            Turns::RandomPlace => {
                let own = self.behind_last(flow);
                self.turns.iter().position(|&other| self.behind_last(other) > own).unwrap_or(end)
            }
            Turns::Shortest => {
                let key = |flow: FlowId| (self.plan.traffic.flows[flow.index()].bytes, flow);
                self.turns.iter().position(|&other| key(other) > key(flow)).unwrap_or(end)
            }
        };
        self.turns.insert(place, flow);
    }

    /// How far a flow's place in a round is behind that of the one whose turn came last.
    fn behind_last(&self, flow: FlowId) -> u64 {
        let place = |flow: FlowId| stream(self.plan.seed, "place", flow.0.into());
        place(flow).wrapping_sub(self.last.map_or(0, place)).wrapping_sub(1)
    }

    /// Takes the flow whose turn it is out of the line.
    pub(super) fn next_in_line(&mut self, now: Time) -> Option<FlowId> {
        if self.plan.transport.turns == Turns::Random && !self.turns.is_empty() {
            let drawn = (u64::from(coin(self.turn_stream, now.0)) * self.turns.len() as u64) >> 32;
            self.turns.swap(0, drawn as usize);
        }
        let next = self.turns.pop_front()?;
        self.last = Some(next);
        Some(next)
    }

    /// Whether a control frame that waits goes before data now.
    pub(super) fn control_is_next(&self) -> bool {
        match self.plan.transport.nic {
            NicOrder::ControlFirst => true,
            NicOrder::RoundRobin => !self.sent_control_last,
        }
    }

    /// Keeps `flow`, whose turn has come, for later if its class is paused. Returns whether it did.
    pub(super) fn hold(&mut self, now: Time, class: u8, flow: FlowId) -> bool {
        let class = usize::from(class);
        let paused = self.paused_until[class] > now;
        if paused {
            self.held[class].push_back(flow);
        }
        paused
    }

    /// The link as it is at `now`.
    pub(super) fn link_at(&mut self, now: Time) -> &Link {
        self.link.advance(now);
        &self.link
    }

    /// Plays the next change of the link.
    pub(super) fn play_link(&mut self) -> Option<PortChange> {
        self.link.play()
    }

    /// Whether it is the turn of a copy.
    pub(super) fn copy_is_next(&self) -> bool {
        self.retry.as_ref().is_some_and(|retry| retry.next() == Next::Copy)
    }

    /// Whether the wire may take something new.
    pub(super) fn takes_new(&self) -> bool {
        let next = self.retry.as_ref().map_or(Next::New, Sender::next);
        !matches!(next, Next::Nothing | Next::FlowControl)
    }

    /// The wire is free when the link comes up, or at `other`, if it is down.
    pub(super) fn wait_for_link(&mut self, other: Time) {
        if !self.link.is_up() {
            self.free_at = self.link.next_up().min(other);
        }
    }

    /// The rate of the next frame.
    fn rate(&self) -> Rate {
        let rate = self.link.rate();
        self.retry.as_ref().map_or(rate, |retry| retry.llr().taxed(rate))
    }

    /// When the link next goes down, if that is before the last bit of what starts now has left; until
    /// then the wire is busy.
    fn occupy(&mut self, now: Time, frame: Frame) -> (Time, bool) {
        let departs = now + self.rate().serialisation(frame.size());
        self.free_at = departs + self.rate().serialisation(self.plan.queue.gap);
        let down = self.link.next_down();
        if down < departs {
            self.free_at = down;
        }
        (departs, down < departs)
    }

    /// The wire, which is free, takes the next copy.
    pub(super) fn transmit_copy(&mut self, now: Time) -> Option<Departure> {
        let (frame, _) = self.retry.as_ref()?.next_copy()?;
        let (departs, is_cut) = self.occupy(now, frame);
        let is_spoiled = self.link.loses(self.loss_stream, now, frame.size());
        let numbered = self.retry.as_mut()?.start_copy(departs, (is_spoiled, is_cut));
        Some(Departure { frame, departs, lost: None, numbered: Some(numbered) })
    }

    /// The wire, which is free, takes `frame`, and the link has retry.
    fn transmit_with_retry(&mut self, now: Time, frame: Frame) -> Departure {
        let (departs, is_cut) = self.occupy(now, frame);
        let cut_at = departs.min(self.link.next_down());
        let is_spoiled = self.link.loses(self.loss_stream, now, frame.size());
        let next = self.retry.as_ref().map_or(Next::New, Sender::next);
        let mut numbered = None;
        let mut lost = None;
        if next == Next::New {
            let kept = (frame, Note::default());
            let way = (is_spoiled, is_cut);
            numbered = self.retry.as_mut().map(|own| own.start((now, departs), kept, way));
        } else if is_cut {
            self.record.drop(frame, DropCause::LinkDown);
            return Departure { frame, departs, lost: Some(DropCause::LinkDown), numbered };
        } else {
            self.retry.iter_mut().for_each(Sender::count_unnumbered);
            if is_spoiled || next == Next::ThrownAway {
                self.record.drop(frame, DropCause::Loss);
                lost = Some(DropCause::Loss);
            }
        }
        self.record.frames += 1;
        self.record.bytes += frame.size().0;
        self.record.data_frames += u64::from(frame.is_data());
        Departure { frame, departs: cut_at, lost, numbered }
    }

    /// The wire, which is free, takes `frame`. When its link next goes down that is noticed at
    /// `noticed`.
    pub(super) fn transmit(&mut self, now: Time, frame: Frame, noticed: Time) -> Departure {
        self.sent_control_last = frame.is_control();
        self.consume(now, frame);
        if self.retry.is_some() {
            return self.transmit_with_retry(now, frame);
        }
        let departs = now + self.link.rate().serialisation(frame.size());
        let cut = if self.link.is_up() { self.link.next_down() } else { now };
        self.free_at = departs + self.link.rate().serialisation(self.plan.queue.gap);
        if cut < departs {
            self.free_at = self.free_at.min(noticed);
            self.record.drop(frame, DropCause::LinkDown);
            let lost = Some(DropCause::LinkDown);
            return Departure { frame, departs, lost, numbered: None };
        }
        self.record.frames += 1;
        self.record.bytes += frame.size().0;
        self.record.data_frames += u64::from(frame.is_data());
        let mut lost = None;
        if self.link.loses(self.loss_stream, now, frame.size()) {
            self.record.drop(frame, DropCause::Loss);
            lost = Some(DropCause::Loss);
        }
        Departure { frame, departs, lost, numbered: None }
    }
}
