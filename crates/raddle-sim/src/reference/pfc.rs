//! Priority-based flow control in the reference engine.
//!
//! Whatever happens only sets what the far end is to know (`Ingress::news`). The PFC frame itself
//! is made when the wire takes it, and tells the latest.

use super::queue::EventQueue;
use super::{Kind, Reference};
use crate::wire::frame::Frame;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Span, Time};

impl<Q: EventQueue> Reference<'_, Q> {
    /// A frame that came in through `id` joined a queue of data class `class`.
    pub(super) fn entered(&mut self, now: Time, id: PortId, class: usize, size: Bytes) {
        let port = &mut self.ports[id.index()];
        let (Some(facts), Some(record)) = (port.facts.pfc, &mut port.record.pfc) else { return };
        let ingress = &mut port.ingress;
        ingress.bytes[class] += size.0;
        record.ingress_bytes_max = record.ingress_bytes_max.max(ingress.bytes[class]);
        let bit = 1 << class;
        if ingress.bytes[class] > facts.xoff && ingress.pausing & bit == 0 {
            ingress.pausing |= bit;
            ingress.news |= bit;
            record.turn(now, true);
            self.recorder.paused(id, now, 1, true);
            self.want_wire(now, id);
        }
        self.ask_memory(now, id, class);
    }

    /// A frame of `class` that had come in through `id` joined or left: where the memory's policy says
    /// who pauses whom, it does.
    fn ask_memory(&mut self, now: Time, id: PortId, class: usize) {
        let bit = 1 << class;
        let paused = self.ports[id.index()].ingress.pausing & bit != 0;
        let queue = self.candidate((id, class), id, Bytes(0)).queue;
        let Some(memory) = self.memory_mut(id) else { return };
        let Some(pauses) = memory.pauses(now, queue, paused) else { return };
        if pauses == paused {
            return;
        }
        let port = &mut self.ports[id.index()];
        port.ingress.pausing ^= bit;
        port.ingress.news |= bit;
        port.record.pfc.iter_mut().for_each(|record| record.turn(now, pauses));
        self.recorder.paused(id, now, 1, pauses);
        self.want_wire(now, id);
    }

    /// A frame of data class `class` that had come in through `id` left the switch or was dropped.
    pub(super) fn left(&mut self, now: Time, id: PortId, class: usize, size: Bytes) {
        let port = &mut self.ports[id.index()];
        let Some(facts) = port.facts.pfc else { return };
        let ingress = &mut port.ingress;
        if class == ingress.bytes.len() {
            return;
        }
        ingress.bytes[class] -= size.0;
        let bit = 1 << class;
        let below = ingress.bytes[class] <= facts.xon && !facts.by_memory;
        if below && ingress.pausing & bit != 0 {
            ingress.pausing &= !bit;
            ingress.news |= bit;
            port.record.pfc.iter_mut().for_each(|record| record.turn(now, false));
            self.recorder.paused(id, now, 1, false);
            self.want_wire(now, id);
        }
        self.ask_memory(now, id, class);
    }

    /// A PFC frame starts at `id`: if it pauses any class, the far end is told again in time.
    pub(super) fn arm_refresh(&mut self, now: Time, id: PortId) {
        let port = &mut self.ports[id.index()];
        let Some(facts) = port.facts.pfc else { return };
        let at = now + Span(facts.quanta.0 / 2);
        port.ingress.refresh_at = (port.ingress.pausing != 0).then_some(at);
        if port.ingress.pausing != 0 {
            self.push_at_port(at, Kind::Refresh { port: id.0 }, id);
        }
    }

    /// The far end is told again which classes pause.
    pub(super) fn refresh(&mut self, now: Time, id: PortId) {
        let ingress = &mut self.ports[id.index()].ingress;
        if ingress.refresh_at == Some(now) {
            ingress.news |= ingress.pausing;
            self.want_wire(now, id);
        }
    }

    /// A PFC frame from the far end of `id` has come.
    pub(super) fn obey(&mut self, now: Time, id: PortId, frame: Frame) {
        let port = &mut self.ports[id.index()];
        let Some(facts) = port.facts.pfc else { return };
        for (class, pause) in frame.pfc_classes() {
            let port = &mut self.ports[id.index()];
            let mut until = if pause { now + facts.quanta } else { now };
            if let Some(watchdog) = self.plan.queue.pfc.and_then(|pfc| pfc.watchdog) {
                let pause = pause.then_some(facts.quanta);
                let obeyed = port.storms[class].on_pfc(watchdog, now, pause);
                let ignored = u64::from(obeyed.ignored);
                port.record.pfc.iter_mut().for_each(|record| record.ignored += ignored);
                until = obeyed.until;
            }
            port.paused_until[class] = until;
            self.push_at_port(until, Kind::WireFree { port: id.0 }, id);
        }
    }

    /// `id` has something new to send: it does when its turn at this instant comes.
    pub(super) fn want_wire(&mut self, now: Time, id: PortId) {
        let at = self.ports[id.index()].free_at.max(now);
        self.push_at_port(at, Kind::WireFree { port: id.0 }, id);
    }
}
