//! Slices of circuits in the reference engine: what waits when its lane closes is sent on.

use super::queue::EventQueue;
use super::{Kind, Reference};
use crate::record::DropCause;
use crate::topology::Node;
use crate::topology::slicing::{Late, Slicing};
use crate::wire::frame::Frame;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Time;

impl<'a, Q: EventQueue> Reference<'a, Q> {
    /// How frames go by slices, if they do and lanes give up what is late.
    fn slicing(&self) -> Option<&'a Slicing> {
        let slicing = self.plan.fabric.circuits.as_ref()?.slicing.as_ref()?;
        (slicing.late != Late::Wait).then_some(slicing)
    }

    /// A frame has joined a port: its lane will close.
    pub(super) fn arm_closing(&mut self, now: Time, id: PortId) {
        if self.slicing().is_none() || self.ports[id.index()].closes.is_some() {
            return;
        }
        let circuits = self.plan.fabric.circuits.as_ref();
        let Some((circuits, lane)) = circuits.and_then(|own| Some((own, own.lane(id)?))) else {
            return;
        };
        let period = circuits.period.0;
        let next = |phase: u64| {
            let periods = if now.0 < phase { 0 } else { (now.0 - phase) / period + 1 };
            phase + periods * period
        };
        let next = circuits.closings(lane).into_iter().map(next).min();
        if let Some(at) = next.map(Time) {
            self.ports[id.index()].closes = Some(at);
            self.push_at_port(at, Kind::Close { port: id.0 }, id);
        }
    }

    /// What waits at a port whose lane closes, but for data of classes that wait, is sent on.
    pub(super) fn close(&mut self, now: Time, id: PortId) {
        let (Some(slicing), Node::Switch(switch)) =
            (self.slicing(), self.plan.fabric.ports[id.index()].owner)
        else {
            return;
        };
        let locators = self.hosts.addresses.locators;
        let class_of = |frame: Frame| (!frame.is_control()).then(|| locators.class(frame.to));
        let mut late = Vec::new();
        let port = &mut self.ports[id.index()];
        port.closes = None;
        for class in 0..port.queues.len() {
            let all = std::mem::take(&mut port.queues[class]);
            let had = !all.is_empty();
            for (frame, came_in, note) in all {
                if slicing.follows(class_of(frame)) {
                    late.push((class, frame, came_in));
                } else {
                    port.queues[class].push_back((frame, came_in, note));
                }
            }
            let is_data = class < self.plan.queue.control_class();
            if had && is_data && port.queues[class].is_empty() {
                port.turns.emptied(class);
            }
        }
        for &(class, frame, came_in) in &late {
            let port = &mut self.ports[id.index()];
            port.bytes[class] -= frame.size().0;
            self.gone(now, (id, class), came_in, frame.size(), false);
            self.recorder.late(id, now, frame);
        }
        if !late.is_empty() {
            // What is left may fit where what went before it did not.
            self.want_wire(now, id);
        }
        for (_, frame, _) in late {
            let to = locators.port(frame.to);
            let out = match slicing.late {
                Late::Reroute => self.choose(now, switch, (frame, to), None),
                Late::Wait | Late::Drop => None,
            };
            match out {
                Some(out) => self.enqueue(now, out, id, frame),
                None => self.drop(now, id, frame, DropCause::LinkDown),
            }
        }
        if self.ports[id.index()].queues.iter().any(|queue| !queue.is_empty()) {
            self.arm_closing(now, id);
        }
    }
}
