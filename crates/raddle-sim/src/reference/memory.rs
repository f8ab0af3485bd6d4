//! The memory that the ports of a switch share, in the reference engine.

use super::queue::EventQueue;
use super::{Kind, Reference};
use crate::middleware::Middleware;
use crate::record::DropCause;
use crate::topology::Node;
use crate::wire::frame::{self, Frame};
use crate::wire::switch_memory::Memory;
use raddle_schemes::buffer::{Admission, Candidate, Departed, QueueId};
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::units::{Bytes, Time};

impl<Q: EventQueue> Reference<'_, Q> {
    /// Whether the memory keeps a frame that the queue `class` at `id` has room for. A policy may
    /// make others go for it.
    pub(super) fn is_kept(
        &mut self,
        now: Time,
        (id, class): (PortId, usize),
        came_in: PortId,
        frame: Frame,
    ) -> bool {
        let size = frame.size();
        let queued = self.ports[id.index()].bytes[class];
        let is_control = class == self.plan.queue.control_class();
        let candidate = self.candidate_of((id, class), came_in, frame);
        loop {
            let Some(memory) = self.memory_mut(id) else { return true };
            if !memory.sees_switch() {
                let port = candidate.queue.port;
                let admits = is_control || memory.admits(port, size, queued);
                return memory.has_room(port, size) && admits;
            }
            let admission = memory.ask(now, &candidate);
            let has_room = memory.has_room(candidate.queue.port, size);
            self.arm_timer(id);
            match admission {
                Admission::Keep => return has_room,
                Admission::Refuse => return false,
                Admission::PushOut(queue) => {
                    let victim = PortId(id.0 - candidate.queue.port + queue.port);
                    if !self.push_out(now, victim, queue.class as usize) {
                        return false;
                    }
                }
            }
        }
    }

    /// Drops the last frame of a queue, if one waits there.
    fn push_out(&mut self, now: Time, id: PortId, class: usize) -> bool {
        let port = &mut self.ports[id.index()];
        port.keep_before(now);
        let Some((frame, came_in, _)) = port.queues[class].pop_back() else { return false };
        if port.queues[class].is_empty() && class < self.plan.queue.control_class() {
            port.turns.emptied(class);
        }
        port.bytes[class] -= frame.size().0;
        port.note_refused(class);
        if port.link.has_gate() {
            // What is left may fit where this did not.
            self.want_wire(now, id);
        }
        self.gone(now, (id, class), came_in, frame.size(), false);
        self.recorder.flushed(id, now, frame);
        self.drop(now, id, frame, DropCause::Overflow);
        true
    }

    /// A frame of queue `class` at `id`, which had come in through `came_in`, is no longer there.
    pub(super) fn gone(
        &mut self,
        now: Time,
        (id, class): (PortId, usize),
        came_in: PortId,
        size: Bytes,
        sent: bool,
    ) {
        let Candidate { queue, came_in: origin, bytes, .. } =
            self.candidate((id, class), came_in, size);
        if let Some(memory) = self.memory_mut(id) {
            memory.leave(now, &Departed { queue, came_in: origin, bytes, sent });
            self.arm_timer(id);
        }
        self.free(now, came_in, class, size);
        self.left(now, came_in, class, size);
    }

    /// A frame that wants to join a queue, as the memory's policy sees it.
    pub(super) fn candidate_of(
        &self,
        queue: (PortId, usize),
        came_in: PortId,
        frame: Frame,
    ) -> Candidate {
        let is_data = frame.is(frame::Kind::Data);
        let flow = is_data.then(|| self.hosts.addresses.flow_key(frame));
        let ahead = frame.ahead();
        Candidate { ahead, flow, ..self.candidate(queue, came_in, frame.size()) }
    }

    /// A frame of a queue, whatever it carries.
    pub(super) fn candidate(
        &self,
        (id, class): (PortId, usize),
        came_in: PortId,
        bytes: Bytes,
    ) -> Candidate {
        let Node::Switch(switch) = self.plan.fabric.ports[id.index()].owner else {
            unreachable!("nothing queues at a host's port")
        };
        let first = self.plan.fabric.switches[switch.index()].ports.start;
        let queue = QueueId { port: id.0 - first, class: class as u32 };
        Candidate { queue, came_in: came_in.0 - first, bytes, ahead: None, flow: None }
    }

    /// Policy or middleware of a switch has been waiting for this moment, if nothing has changed.
    pub(super) fn on_timer(&mut self, now: Time, switch: SwitchId) {
        let memory = self.memories.get_mut(switch.index());
        memory.filter(|own| own.next_timer() == now).into_iter().for_each(|own| own.on_timer(now));
        let tor = self.tors[switch.index()].as_mut();
        tor.filter(|own| own.next_timer() == now).into_iter().for_each(|own| own.on_timer(now));
        self.arm_timer(PortId(self.plan.fabric.switches[switch.index()].ports.start));
        self.arm_born(now, switch);
    }

    /// Policy or middleware at the switch of `id` may have set a timer.
    pub(super) fn arm_timer(&mut self, id: PortId) {
        let Node::Switch(switch) = self.plan.fabric.ports[id.index()].owner else { return };
        let memory = self.memories.get(switch.index()).map_or(Time::NEVER, Memory::next_timer);
        let tor = self.tors[switch.index()].as_ref().map_or(Time::NEVER, Middleware::next_timer);
        let at = memory.min(tor);
        if at < Time::NEVER && self.timers[switch.index()] != at {
            self.timers[switch.index()] = at;
            self.push_at_port(at, Kind::Timer { switch: switch.0 }, id);
        }
    }

    /// The memory that a switch's port shares with the others.
    pub(super) fn memory_mut(&mut self, id: PortId) -> Option<&mut Memory> {
        match self.plan.fabric.ports[id.index()].owner {
            Node::Switch(switch) => self.memories.get_mut(switch.index()),
            Node::Host(_) => None,
        }
    }
}
