//! A port's queues and its wire: what joins, is marked, trimmed or refused, and what leaves.

use super::cbfc::Credits;
use super::llr::{Next, Numbered, Sender};
use super::port::InService;
use super::queue::EventQueue;
use super::{Event, Kind, Reference};
use crate::faults::OnDown;
use crate::faults::link::Lost;
use crate::plan::{AckQueue, MarkAt, Overflow, Service};
use crate::record::DropCause;
use crate::topology::Node;
use crate::wire::frame::Frame;
use crate::wire::note::{Carriers, Note};
use raddle_schemes::congestion::Hop;
use raddle_schemes::ids::PortId;
use raddle_schemes::marking::QueueState;
use raddle_schemes::units::{Bytes, Time};

impl<Q: EventQueue> Reference<'_, Q> {
    pub(super) fn enqueue(&mut self, now: Time, id: PortId, came_in: PortId, mut frame: Frame) {
        let plan = self.plan;
        let queue = &plan.queue;
        let is_apart = frame.is_control() && !self.travels_with_data(frame);
        let port = &mut self.ports[id.index()];
        port.keep_before(now);
        let came = frame;
        self.store(came_in, came);
        let port = &mut self.ports[id.index()];
        let waits = port.retry.as_ref().is_some_and(|retry| !retry.is_cut_off());
        if !port.link.is_up() && !waits && plan.faults.on_down == OnDown::Drop {
            self.free_at_once(now, came_in, came);
            return self.drop(now, id, frame, DropCause::LinkDown);
        }
        let size = frame.size().0;
        let control = queue.control_class();
        let mut class = match queue.service {
            Service::Fifo => 0,
            _ if is_apart => control,
            _ => usize::from(self.hosts.addresses.locators.class(frame.to)),
        };
        let capacity = port.link.capacity(port.facts.capacity);
        let is_lossless = u16::from(port.facts.lossless) >> class & 1 == 1;
        let is_unlimited = is_lossless || u16::from(port.facts.unlimited) >> class & 1 == 1;
        let full = class < control && !is_unlimited && port.bytes[class] + size > capacity;
        if class < control && (full || !self.is_kept(now, (id, class), came_in, frame)) {
            self.ports[id.index()].note_refused(class);
            self.free_at_once(now, came_in, came);
            if queue.overflow == Overflow::Drop || frame.is_control() {
                return self.drop(now, id, frame, DropCause::Overflow);
            }
            let port = &mut self.ports[id.index()];
            frame.trim(plan.transport.header, matches!(port.facts.destination, Node::Host(_)));
            port.record.trimmed += 1;
            self.recorder.trimmed(id, now, frame);
            class = control;
        } else if class < control && !frame.is_control() && queue.mark_at == MarkAt::Enqueue {
            let port = &mut self.ports[id.index()];
            // No two frames come in through one port at one instant.
            let event = now.0.rotate_left(16) ^ u64::from(came_in.0);
            let bytes = Bytes(port.link.nominal_bytes(port.bytes[class], port.facts.capacity));
            let state = QueueState { bytes, stream: port.facts.mark_stream, event };
            if port.marker(class).mark(&state) {
                frame.mark();
                port.record.marked += 1;
                self.recorder.marked(id, now);
            }
        }
        let size = frame.size();
        let port = &self.ports[id.index()];
        let full = port.bytes[control] + size.0 > port.facts.control_capacity;
        if class == control && (full || !self.is_kept(now, (id, control), came_in, frame)) {
            return self.drop(now, id, frame, DropCause::Overflow);
        }
        let candidate = self.candidate_of((id, class), came_in, frame);
        if let Some(memory) = self.memory_mut(id) {
            memory.join(now, &candidate);
        }
        let port = &mut self.ports[id.index()];
        if class < control && port.queues[class].is_empty() {
            port.turns.joined(class);
        }
        let note = std::mem::take(&mut self.at_hand);
        port.queues[class].push_back((frame, came_in, note));
        port.entered += size.0;
        port.bytes[class] += size.0;
        if class < control {
            port.record.queue_bytes_max = port.record.queue_bytes_max.max(port.bytes[class]);
            self.recorder.queued(id, now, frame, port.bytes[class]);
            self.entered(now, came_in, class, size);
        }
        self.serve(now, id);
        self.feed(now, id);
        self.arm_closing(now, id);
    }

    /// Whether it is an ACK in a class whose ACKs queue with data.
    pub(super) fn travels_with_data(&self, frame: Frame) -> bool {
        let class = usize::from(self.hosts.addresses.locators.class(frame.to));
        frame.is_reply() && self.plan.queue.acks.get(class) == Some(&AckQueue::Data)
    }

    /// Begins to send the next frame if the wire is free and the link up.
    pub(super) fn serve(&mut self, now: Time, id: PortId) {
        self.serve_next(now, id);
        self.arm_messages(now, id);
    }

    fn serve_next(&mut self, now: Time, id: PortId) {
        let port = &mut self.ports[id.index()];
        if port.in_service.is_some() || port.free_at > now || !port.link.is_up() {
            return;
        }
        if port.link.has_gate() {
            let Some(size) = port.next_size() else { return };
            match port.link.next_start(now, size) {
                at if at == now => {}
                Time::NEVER => return,
                at => return self.push_at_port(at, Kind::WireFree { port: id.0 }, id),
            }
        }
        let rate = port.rate_at(now);
        if let Some(frame) = port.credits.as_mut().and_then(|own| own.cf_update(now, rate)) {
            return self.serve_ordered_set(now, id, frame);
        }
        let next = port.retry.as_ref().map_or(Next::New, Sender::next);
        let cc_due = port.credits.as_ref().and_then(Credits::cc_due);
        let tells = port.ingress.news != 0 || cc_due.is_some_and(|due| due <= now);
        match next {
            Next::Copy => return self.serve_copy(now, id),
            Next::Nothing => return,
            Next::FlowControl if !tells => return,
            _ => {}
        }
        let Some((frame, came_in, class, mut note)) = port.next_frame(now) else { return };
        if !self.lets_go(now, id, frame, &note) {
            self.refuse(now, (id, class), came_in, frame);
            return self.serve_next(now, id);
        }
        let port = &mut self.ports[id.index()];
        let rate = port.rate_at(now);
        let has_telemetry = self.carriers.is_some_and(Carriers::have_telemetry);
        if has_telemetry && !frame.is_control() && self.plan.fabric.is_told_of(id) {
            let waiting = port.bytes.iter().sum::<u64>() - frame.size().0;
            note.push(Hop {
                port: id,
                at: now,
                queue: Bytes(waiting),
                sent: Bytes(port.record.bytes + port.moved),
                entered: Bytes(port.entered),
                rate,
            });
        }
        let departs = now + rate.serialisation(frame.size());
        let mut lost = port.link.fate(port.facts.loss_stream, (now, departs), frame.size());
        let way = (lost.is_some(), port.link.next_down() < departs);
        let mut numbered = None;
        if let Some(retry) = &mut port.retry {
            match next {
                Next::New | Next::FlowControl => {
                    let kept = (frame, note.clone());
                    numbered = Some(retry.start((now, departs), kept, way));
                    lost = None;
                }
                _ => {
                    let is_thrown_away = next == Next::ThrownAway;
                    lost = lost.or(is_thrown_away.then_some(Lost::Noise));
                    if !way.1 {
                        retry.count_unnumbered();
                    }
                }
            }
        }
        let start = now;
        port.in_service = Some(InService { frame, came_in, class, start, lost, note, numbered });
        port.services += 1;
        port.free_at = departs + rate.serialisation(self.plan.queue.gap);
        let service = port.services;
        self.push_at_port(departs, Kind::Departure { port: id.0, service }, id);
        if frame.is_pfc() {
            self.arm_refresh(now, id);
        }
        self.arm_retry(id);
    }

    /// Begins to send a control ordered set, which has neither a number nor a gap behind it.
    fn serve_ordered_set(&mut self, now: Time, id: PortId, frame: Frame) {
        let port = &mut self.ports[id.index()];
        let rate = port.rate_at(now);
        let departs = now + rate.serialisation(frame.size());
        let lost = port.link.fate(port.facts.loss_stream, (now, departs), frame.size());
        let is_cut = port.link.next_down() < departs;
        if let Some(credits) = port.credits.as_mut().filter(|_| lost.is_some() && !is_cut) {
            credits.cf_lost(now, rate, frame);
        }
        let (came_in, class, start, note) = (PortId(0), 0, now, Note::default());
        port.in_service =
            Some(InService { frame, came_in, class, start, lost, note, numbered: None });
        port.services += 1;
        port.free_at = departs;
        let service = port.services;
        self.push_at_port(departs, Kind::Departure { port: id.0, service }, id);
    }

    /// Begins to send the next copy.
    fn serve_copy(&mut self, now: Time, id: PortId) {
        let port = &mut self.ports[id.index()];
        let rate = port.rate_at(now);
        let Some(retry) = &mut port.retry else { return };
        let Some((frame, note)) = retry.next_copy() else { return };
        let departs = now + rate.serialisation(frame.size());
        let is_spoiled = port.link.loses(port.facts.loss_stream, now, frame.size());
        let is_cut = port.link.next_down() < departs;
        let numbered = Some(retry.start_copy(departs, (is_spoiled, is_cut)));
        let (came_in, class, start, lost) = (PortId(0), 0, now, None);
        port.in_service = Some(InService { frame, came_in, class, start, lost, note, numbered });
        port.services += 1;
        port.free_at = departs + rate.serialisation(self.plan.queue.gap);
        let service = port.services;
        self.push_at_port(departs, Kind::Departure { port: id.0, service }, id);
        self.arm_retry(id);
    }

    /// The last bit of a frame with a number has left, or the link went down under it.
    pub(super) fn leave(&mut self, now: Time, id: PortId, service: InService, numbered: Numbered) {
        let InService { mut frame, came_in, class, start, note, .. } = service;
        if !numbered.is_copy {
            if frame.is_pfc() {
                self.ports[id.index()].note_left(frame);
            } else {
                self.leave_queue(now, id, &mut frame, (class, start));
                self.recorder.sent_in_vain(id, now, frame);
                self.gone(now, (id, class), came_in, frame.size(), true);
            }
            if let Some(retry) = &mut self.ports[id.index()].retry {
                retry.rewrite(numbered, frame, &note);
            }
        }
        self.put_on_link(now, id, numbered, (frame, note));
    }

    /// A frame is no longer in its queue: it counts, and may be marked.
    fn leave_queue(
        &mut self,
        now: Time,
        id: PortId,
        frame: &mut Frame,
        (class, start): (usize, Time),
    ) {
        let port = &mut self.ports[id.index()];
        let size = frame.size();
        port.bytes[class] -= size.0;
        port.record.frames += 1;
        port.record.bytes += size.0;
        port.record.data_frames += u64::from(frame.is_data());
        if !frame.is_control() && self.plan.queue.mark_at == MarkAt::Dequeue {
            let bytes = Bytes(port.link.nominal_bytes(port.bytes[class], port.facts.capacity));
            let state = QueueState { bytes, stream: port.facts.mark_stream, event: start.0 };
            if port.marker(class).mark(&state) {
                frame.mark();
                port.record.marked += 1;
                self.recorder.marked(id, now);
            }
        }
    }

    pub(super) fn depart(&mut self, now: Time, id: PortId, service: u32) {
        let port = &mut self.ports[id.index()];
        if port.services != service {
            return;
        }
        port.keep_before(now);
        let Some(in_service) = port.in_service.take() else { return };
        let free_at = port.free_at;
        // Who finds the wire free when it comes is served at once.
        let is_second = self.plan.fabric.is_packet_uplink(id);
        let pauses = port.facts.pfc.is_some() || port.credits.is_some();
        let keeps = port.retry.is_some();
        let waits =
            is_second || pauses || keeps || port.queues.iter().any(|queue| !queue.is_empty());
        if waits || free_at > now {
            self.push_at_port(free_at, Kind::WireFree { port: id.0 }, id);
        }
        if let Some(numbered) = in_service.numbered {
            return self.leave(now, id, in_service, numbered);
        }
        let InService { mut frame, came_in, class, start, lost, note, .. } = in_service;
        let port = &mut self.ports[id.index()];
        if frame.is_pfc() {
            port.note_left(frame);
            return if lost.is_some() {
                self.drop(now, id, frame, DropCause::Loss);
            } else {
                self.launch(now, id, frame, note);
            };
        }
        self.leave_queue(now, id, &mut frame, (class, start));
        let size = frame.size();
        self.recorder.departed(id, now, frame);
        if !is_second {
            self.gone(now, (id, class), came_in, size, true);
        }
        if let Some(lost) = lost {
            self.recorder.lost(id, lost);
            self.drop(now, id, frame, DropCause::Loss);
        } else {
            self.launch(now, id, frame, note);
        }
    }

    /// The last bit of `frame` left `port` at `departs`: it will arrive at the far end.
    pub(super) fn launch(&mut self, departs: Time, port: PortId, frame: Frame, note: Note) {
        let facts = &self.ports[port.index()].facts;
        let (at, destination, PortId(port)) =
            (departs + facts.latency, facts.destination, facts.peer);
        let rank = match destination {
            Node::Switch(switch) => {
                let in_port = port - self.plan.fabric.switches[switch.index()].ports.start;
                self.of_in_ports[switch.index()].rank(in_port, at)
            }
            // Where it has but one link nothing else comes at that instant.
            Node::Host(_) => self.of_host_ports.rank(port, at),
        };
        if !note.is_empty() {
            self.flying.insert((PortId(port), at), note);
        }
        let node = self.turn(at, destination);
        self.events.push(Event { at, node, kind: Kind::Arrival { rank, port }, frame });
    }

    pub(super) fn drop(&mut self, now: Time, port: PortId, frame: Frame, cause: DropCause) {
        let own = &mut self.ports[port.index()];
        if frame.is_pfc() {
            return own.note_lost(frame, cause);
        }
        let record = &mut own.record;
        record.dropped[cause as usize] += 1;
        record.dropped_data[cause as usize] += u64::from(frame.is_data());
        self.hosts.note_dropped(frame);
        self.recorder.dropped(port, now, frame, cause);
    }
}
