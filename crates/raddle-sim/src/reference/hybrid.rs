//! Hybrid ToRs in the reference engine: a packet uplink takes from the queues of pairs, in turn.

use super::queue::EventQueue;
use super::{Kind, Reference};
use crate::faults::gate::Gate;
use crate::plan::{MarkAt, Plan};
use crate::topology::Node;
use crate::topology::packet_network::Counters;
use crate::wire::note::Carriers;
use raddle_schemes::congestion::Hop;
use raddle_schemes::ids::PortId;
use raddle_schemes::marking::QueueState;
use raddle_schemes::units::{Bytes, Time};

/// A packet uplink.
pub(super) struct Uplink {
    port: PortId,
    counters: Counters,
    /// The queues that it takes from, in order of port, and when it may.
    pairs: Vec<(PortId, Gate)>,
    /// The one whose turn is next.
    turn: usize,
}

impl Uplink {
    /// Those of each switch.
    pub(super) fn of(plan: &Plan) -> Vec<Option<Self>> {
        let fabric = &plan.fabric;
        let switches = fabric.switches.iter().map(|switch| {
            let port = fabric.packet_uplink(switch)?;
            let counters = fabric.packet_network()?.counters;
            let ids = switch.ports.clone().map(PortId);
            let pairs = ids.filter_map(|id| Some((id, fabric.packet_gate(id)?))).collect();
            Some(Self { port, counters, pairs, turn: 0 })
        });
        switches.collect()
    }
}

impl<Q: EventQueue> Reference<'_, Q> {
    /// The packet uplink of the ToR of a port takes what it may, if its wire is free.
    pub(super) fn feed(&mut self, now: Time, id: PortId) {
        let Node::Switch(switch) = self.plan.fabric.ports[id.index()].owner else { return };
        let Some(uplink) = &mut self.uplinks[switch.index()] else { return };
        let wire = &self.ports[uplink.port.index()];
        if wire.in_service.is_some() || wire.free_at > now || !wire.link.is_up() {
            return;
        }
        let ports = &self.ports;
        let may = |(pair, gate): &(PortId, Gate)| {
            let waits = ports[pair.index()].queues.iter().any(|queue| !queue.is_empty());
            if waits { gate.next_start(now, Bytes(0)) } else { Time::NEVER }
        };
        let count = uplink.pairs.len();
        let turns = (0..count).map(|step| (uplink.turn + step) % count);
        let Some(turn) = turns.into_iter().find(|&turn| may(&uplink.pairs[turn]) == now) else {
            let (port, next) = (uplink.port, uplink.pairs.iter().map(may).min());
            if let Some(at) = next.filter(|at| *at < Time::NEVER) {
                self.push_at_port(at, Kind::WireFree { port: port.0 }, port);
            }
            return;
        };
        uplink.turn = (turn + 1) % count;
        let (port, counters, pair) = (uplink.port, uplink.counters, uplink.pairs[turn].0);
        self.move_over(now, pair, port, counters);
    }

    /// What goes next of the queue of a pair goes by the packet uplink.
    fn move_over(&mut self, now: Time, pair: PortId, port: PortId, counters: Counters) {
        let from = &mut self.ports[pair.index()];
        from.keep_before(now);
        let Some((mut frame, came_in, class, mut note)) = from.next_frame(now) else { return };
        let size = frame.size();
        from.bytes[class] -= size.0;
        if counters == Counters::Voq {
            from.moved += size.0;
        }
        if !frame.is_control() && self.plan.queue.mark_at == MarkAt::Dequeue {
            let bytes = Bytes(from.link.nominal_bytes(from.bytes[class], from.facts.capacity));
            let state = QueueState { bytes, stream: from.facts.mark_stream, event: now.0 };
            if from.marker(class).mark(&state) {
                frame.mark();
                from.record.marked += 1;
                self.recorder.marked(pair, now);
            }
        }
        let from = &self.ports[pair.index()];
        let to = &self.ports[port.index()];
        if self.carriers.is_some_and(Carriers::have_telemetry) && !frame.is_control() {
            let queue: u64 = from.bytes.iter().sum();
            let (id, sent, entered) = match counters {
                Counters::Voq => (pair, from.record.bytes + from.moved - size.0, from.entered),
                Counters::Link => (port, to.record.bytes, to.record.bytes + queue + size.0),
            };
            let (queue, sent, entered) = (Bytes(queue), Bytes(sent), Bytes(entered));
            note.push(Hop { port: id, at: now, queue, sent, entered, rate: to.link.rate() });
        }
        self.recorder.flushed(pair, now, frame);
        self.gone(now, (pair, class), came_in, size, true);
        self.want_wire(now, pair);
        let control = self.plan.queue.control_class();
        let to = &mut self.ports[port.index()];
        if class < control {
            to.turns.joined(class);
        }
        to.bytes[class] += size.0;
        to.queues[class].push_back((frame, came_in, note));
        if class < control {
            to.record.queue_bytes_max = to.record.queue_bytes_max.max(to.bytes[class]);
            self.recorder.queued(port, now, frame, size.0);
        }
        self.serve(now, port);
    }
}
