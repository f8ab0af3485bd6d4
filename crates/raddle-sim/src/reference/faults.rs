//! Links that change, in the reference engine.

use super::Reference;
use super::port::InService;
use super::queue::EventQueue;
use crate::faults::{OnDown, PortChange};
use crate::record::DropCause;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Time;

impl<Q: EventQueue> Reference<'_, Q> {
    /// The link that leaves a port changes.
    pub(super) fn fault(&mut self, now: Time, id: PortId) {
        let port = &mut self.ports[id.index()];
        port.keep_before(now);
        match port.link.play() {
            Some(PortChange::Down) if port.retry.is_some() => {
                if port.in_service.as_ref().is_some_and(|service| service.numbered.is_some())
                    && let Some(service) = port.in_service.take()
                    && let Some(numbered) = service.numbered
                {
                    self.leave(now, id, service, numbered);
                }
                self.on_link(now, id, PortChange::Down);
                let drops = self.plan.faults.on_down == OnDown::Drop;
                let waits =
                    self.ports[id.index()].retry.as_ref().is_some_and(|retry| !retry.is_cut_off());
                self.cut_off(now, id, drops && !waits);
            }
            Some(PortChange::Down) => {
                self.cut_off(now, id, self.plan.faults.on_down == OnDown::Drop);
            }
            Some(PortChange::Uplinks { .. }) => {
                if port.link.cuts() && port.in_service.is_some() {
                    self.cut_off(now, id, false);
                }
                self.want_wire(now, id);
            }
            Some(PortChange::Up) => {
                port.credits.iter_mut().for_each(|own| own.come_up(now));
                self.on_link(now, id, PortChange::Up);
                self.want_wire(now, id);
            }
            // What waits may fit elsewhere now.
            _ if port.link.has_gate() => self.want_wire(now, id),
            _ => {}
        }
    }

    /// What is on the wire is lost, and what is queued if `all` is.
    pub(super) fn cut_off(&mut self, now: Time, id: PortId, all: bool) {
        let port = &mut self.ports[id.index()];
        port.free_at = now;
        port.services += 1;
        let mut lost = Vec::new();
        if let Some(InService { frame, came_in, class, .. }) = port.in_service.take() {
            lost.push((frame, came_in, class));
        }
        if all {
            port.turns.clear();
            for (class, queue) in port.queues.iter_mut().enumerate() {
                lost.extend(queue.drain(..).map(|(frame, came_in, _)| (frame, came_in, class)));
            }
        }
        for (frame, came_in, class) in lost {
            if !frame.is_pfc() {
                self.ports[id.index()].bytes[class] -= frame.size().0;
                // What an uplink to a packet network carries left the memory before.
                if !self.plan.fabric.is_packet_uplink(id) {
                    self.gone(now, (id, class), came_in, frame.size(), false);
                }
                self.recorder.flushed(id, now, frame);
            }
            self.drop(now, id, frame, DropCause::LinkDown);
        }
    }
}
