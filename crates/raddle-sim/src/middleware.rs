//! Middleware in ToRs as both engines run it: what it reads of a frame, and what comes of that.

use crate::faults::PortChange;
use crate::faults::gate::Opening;
use crate::plan::Plan;
use crate::record::TorRecord;
use crate::record::followers::Follower;
use crate::record::probes::ProbeRow;
use crate::topology::routing::Ports;
use crate::topology::{Fabric, Node};
use crate::wire::frame::{self, Frame, Locator, flag};
use crate::wire::note;
use crate::workload::Flow;
use raddle_schemes::SwitchCx;
use raddle_schemes::ids::{FlowId, HostId, PortId, SwitchId};
use raddle_schemes::rng::{Rng, stream};
use raddle_schemes::tor::{
    AnyTorHook, Kind, Message, Note, Output, Packet, Queues, Side, TorContext, TorLane, TorOpening,
    Verdict, Ways,
};
use raddle_schemes::units::{Rate, Span, Time};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// One ToR's middleware, and the frames that it holds.
pub(crate) struct Middleware {
    hook: AnyTorHook,
    rng: Rng,
    switch: SwitchId,
    /// By ticket: frames with the ports that they came in through, counted within the switch, and their
    /// notes. Nothing depends on their order here.
    held: HashMap<u32, (Frame, u32, note::Note), ByTicket>,
    next_ticket: u32,
    /// What lies between here and another ToR, for flows that begin here and for those that end here,
    /// by that ToR's number; `None` where it has not been asked for.
    paths: [Vec<Option<Way>>; 2],
    /// The same for flows that pass, by both ToRs.
    passing: HashMap<[SwitchId; 2], Way>,
    /// Data of these classes waits for circuits; a bit each.
    waiting: u8,
    /// Where what it shows is kept.
    follower: Option<Box<Follower>>,
    pub(crate) record: TorRecord,
}

/// Tickets are numbers in turn: a product with an odd one spreads them over all bits.
#[derive(Default)]
struct TicketHasher(u64);

type ByTicket = BuildHasherDefault<TicketHasher>;

impl Hasher for TicketHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32(u32::from(*byte)));
    }

    fn write_u32(&mut self, ticket: u32) {
        self.0 = (self.0 ^ u64::from(ticket)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// Which flow a frame belongs to, and where the frames of a flow go.
pub(crate) trait Ends {
    /// The flow of a frame, but for those of flow control.
    fn flow_of(&self, frame: Frame) -> FlowId;
    /// Where frames to the sender of a flow go.
    fn to_sender(&self, id: FlowId, flow: &Flow) -> Locator;
    /// Where frames to its receiver go.
    fn to_receiver(&self, id: FlowId, flow: &Flow) -> Locator;
    /// The class of a frame's flow, or of a packet whose congestion control chooses it.
    fn class_of(&self, frame: Frame) -> u8;
}

/// What becomes of a frame that came in.
pub(crate) enum Passage {
    /// It goes on, this of its equal ways if the middleware has chosen one.
    Goes(Option<usize>),
    /// It has been dropped, which is counted here and not with its flow.
    Dropped,
    /// It is kept here.
    Held,
}

/// A frame that is to be queued now.
pub(crate) struct Born {
    pub(crate) frame: Frame,
    /// The port that it came in through, counted within the switch.
    pub(crate) came_in: u32,
    /// Which of its equal ways it takes, if the middleware has chosen.
    pub(crate) via: Option<usize>,
    /// The port of the switch that it goes through, whatever its ways are.
    pub(crate) through: Option<PortId>,
    /// What goes with it.
    pub(crate) note: note::Note,
}

impl Middleware {
    /// That of a switch, where the plan has it have any.
    pub(crate) fn of(plan: &Plan, switch: SwitchId) -> Option<Self> {
        let config = plan.tor.as_ref()?;
        plan.has_middleware(&plan.fabric.switches[switch.index()]).then(|| Self {
            hook: config.build(&TorContext {
                switch,
                stream: stream(plan.seed, "tor", u64::from(switch.0)),
                ways_up: plan.fabric.ways_up(),
                edge: plan.fabric.switches[switch.index()].tier == 0,
                hosts: plan.fabric.switches[switch.index()]
                    .ports
                    .clone()
                    .filter(|port| {
                        plan.fabric.ports[*port as usize].peer.0 < plan.fabric.host_ports()
                    })
                    .count() as u32,
                packet: plan.packet(),
                lanes: lanes(plan, switch),
            }),
            rng: Rng::new(plan.seed, "tor draws", u64::from(switch.0)),
            switch,
            held: HashMap::default(),
            next_ticket: 0,
            passing: HashMap::new(),
            paths: [(); 2].map(|()| vec![None; plan.fabric.switches.len()]),
            waiting: plan.waiting_classes(),
            follower: Follower::of_switch(plan, switch, &config.probes()),
            record: TorRecord::default(),
        })
    }

    /// A frame to a port of a host has come in through a port, counted within the switch; it has these equal
    /// `ways`.
    pub(crate) fn on_ingress(
        &mut self,
        (plan, ends): (&Plan, &dyn Ends),
        now: Time,
        (frame, to, note): (&mut Frame, PortId, &mut note::Note),
        came_in: u32,
        ways: Ports<'_>,
    ) -> Passage {
        let first = plan.fabric.switches[self.switch.index()].ports.start;
        let from =
            match plan.fabric.ports[(first + came_in) as usize].peer.0 < plan.fabric.host_ports() {
                true => Side::Host,
                false => Side::Fabric,
            };
        let mut packet = self.read(plan, ends, *frame, note.of_tors());
        self.follow(now);
        let cx = &mut SwitchCx { now, rng: &mut self.rng };
        let around = Around { plan, now, ports: ways };
        let verdict = self.hook.on_ingress(cx, &mut packet, from, &around);
        note.write(packet.note);
        if packet.kind != Kind::Credit {
            frame.rewrite(packet.entropy, packet.flagged);
        }
        match verdict {
            Verdict::Pass => Passage::Goes(None),
            Verdict::Via(way) => Passage::Goes(Some(way.min(ways.count() - 1))),
            Verdict::Lane(lane) => {
                let whole = plan.fabric.forwarding.ports(self.switch, to);
                Passage::Goes(Some(way_of_lane(lane, whole, ways)))
            }
            Verdict::Drop => {
                self.note_dropped(*frame);
                Passage::Dropped
            }
            Verdict::Hold => {
                self.held.insert(self.next_ticket, (*frame, came_in, std::mem::take(note)));
                self.next_ticket = self.next_ticket.wrapping_add(1);
                self.record.held_max = self.record.held_max.max(self.held.len() as u64);
                Passage::Held
            }
        }
    }

    /// A frame is about to start on the wire to a host. Returns whether it goes.
    pub(crate) fn on_egress(
        &mut self,
        (plan, ends): (&Plan, &dyn Ends),
        now: Time,
        frame: Frame,
        note: Note,
    ) -> bool {
        let packet = self.read(plan, ends, frame, note);
        self.follow(now);
        let cx = &mut SwitchCx { now, rng: &mut self.rng };
        let goes = self.hook.on_egress(cx, &packet);
        if !goes {
            self.note_dropped(frame);
        }
        goes
    }

    /// It may look at the switch's queues, if it needs to.
    pub(crate) fn look(&mut self, queues: &mut dyn Queues) {
        self.hook.look(queues);
    }

    /// What is to be queued now, if there is anything left.
    pub(crate) fn poll(&mut self, (plan, ends): (&Plan, &dyn Ends)) -> Option<Born> {
        loop {
            match self.hook.poll()? {
                Output::Release { ticket, via } => {
                    if let Some((frame, came_in, note)) = self.held.remove(&ticket) {
                        return Some(Born { frame, came_in, via, through: None, note });
                    }
                    debug_assert!(false, "no packet has ticket {ticket}");
                }
                Output::Through { ticket, port } => {
                    if let Some((frame, came_in, note)) = self.held.remove(&ticket) {
                        return Some(Born { frame, came_in, via: None, through: Some(port), note });
                    }
                    debug_assert!(false, "no packet has ticket {ticket}");
                }
                Output::Send { flow, kind, number, entropy, flagged, through } => {
                    let (to, host, what) = address(plan, ends, flow, kind);
                    let mut frame = Frame::new(to, number, what, entropy, plan.transport.ack);
                    frame.rewrite(entropy, flagged);
                    self.record.sent += 1;
                    self.record.sent_bytes += frame.size().0;
                    let came_in = self.port_to(plan, host);
                    let note = note::Note::default();
                    return Some(Born { frame, came_in, via: None, through, note });
                }
            }
        }
    }

    /// When the timer is due; never, if there is none.
    pub(crate) fn next_timer(&self) -> Time {
        self.hook.next_timer().unwrap_or(Time::NEVER)
    }

    /// The timer is due.
    ///
    /// # Panics
    /// If the middleware leaves it at an instant that has passed: nothing would ever come after it.
    pub(crate) fn on_timer(&mut self, now: Time) {
        self.follow(now);
        self.hook.on_timer(&mut SwitchCx { now, rng: &mut self.rng });
        assert!(self.next_timer() > now, "a ToR's timer does not move on");
    }

    /// A call is about to be made of the hook.
    fn follow(&mut self, now: Time) {
        if let Some(own) = &mut self.follower {
            own.before(now, |to| self.hook.probes(to));
        }
    }

    /// What it has shown, when the run has ended.
    pub(crate) fn probes(&mut self) -> Vec<ProbeRow> {
        let own = self.follower.take();
        own.map_or_else(Vec::new, |own| own.end(|to| self.hook.probes(to)))
    }

    /// The frames held.
    pub(crate) fn held(&self) -> impl Iterator<Item = Frame> + '_ {
        self.held.values().map(|(frame, ..)| *frame)
    }

    /// A frame is dropped here: by the hook, or for want of a way once it is let go.
    pub(crate) fn note_dropped(&mut self, frame: Frame) {
        self.record.dropped += 1;
        self.record.dropped_data += u64::from(frame.is_data());
    }

    /// What lies between the ToRs of a flow.
    fn way(&mut self, fabric: &Fabric, flow: &Flow, [from, to]: [SwitchId; 2]) -> Way {
        let known = match (from == self.switch, to == self.switch) {
            (true, _) => &mut self.paths[0][to.index()],
            (_, true) => &mut self.paths[1][from.index()],
            _ => {
                let known = self.passing.entry([from, to]);
                return *known.or_insert_with(|| Way::of(fabric, flow, from));
            }
        };
        *known.get_or_insert_with(|| Way::of(fabric, flow, from))
    }

    fn read(&mut self, plan: &Plan, ends: &dyn Ends, frame: Frame, note: Note) -> Packet {
        let id = ends.flow_of(frame);
        let flow = &plan.traffic.flows[id.index()];
        let tors = [flow.source, flow.destination].map(|host| plan.fabric.edge(host));
        let way = self.way(&plan.fabric, flow, tors);
        Packet {
            flow: id,
            sender: flow.source,
            receiver: flow.destination,
            tors,
            paths: way.paths,
            round_trip: way.round_trip,
            kind: match frame.kind() {
                frame::Kind::Data => Kind::Data,
                frame::Kind::Trimmed => Kind::Header,
                frame::Kind::Ack => Kind::Ack,
                frame::Kind::Nack => Kind::Nack,
                frame::Kind::Cnp => Kind::Cnp,
                frame::Kind::Tor => Kind::Tor,
                // What ends tell each other beside data and replies.
                frame::Kind::Credit
                | frame::Kind::Request
                | frame::Kind::Pfc
                | frame::Kind::Probe
                | frame::Kind::TailProbe => Kind::Credit,
            },
            forward: frame.goes_to_receiver(),
            number: frame.number(),
            entropy: frame.entropy(),
            flagged: frame.tor_bit(),
            marked: frame.has(flag::MARKED),
            again: frame.is_data() && frame.has(flag::AGAIN),
            bytes: frame.size(),
            waits: frame.is_data()
                && !frame.is_control()
                && self.waiting >> ends.class_of(frame) & 1 == 1,
            note,
        }
    }

    /// The port to a host, or the first where it is not below this switch.
    fn port_to(&self, plan: &Plan, host: HostId) -> u32 {
        let peer = plan.fabric.ports[host.index()].peer;
        let ports = &plan.fabric.switches[self.switch.index()].ports;
        match plan.fabric.ports[peer.index()].owner {
            Node::Switch(switch) if switch == self.switch => peer.0 - ports.start,
            _ => 0,
        }
    }
}

/// The lanes of a ToR that are ever open.
fn lanes(plan: &Plan, switch: SwitchId) -> Vec<TorLane> {
    let Some(circuits) = &plan.fabric.circuits else { return Vec::new() };
    let ports = plan.fabric.switches[switch.index()].ports.clone().map(PortId);
    let lane = |port: PortId| {
        let (lane, to) = (circuits.lane(port)?, plan.fabric.destination(port));
        let until = |own: &Opening| Span(own.until.0.saturating_sub(circuits.guard.0));
        let opening =
            |own: &Opening| TorOpening { from: own.from, until: until(own), rate: own.rate };
        let carries = |own: &Opening| {
            let each = own.rate.serialisation(plan.packet()).0.max(1);
            until(own).0.saturating_sub(own.from.0) / each
        };
        let Node::Switch(to) = to else { return None };
        Some(TorLane {
            to,
            port,
            period: circuits.period,
            openings: lane.openings.iter().map(opening).collect(),
            packets: lane.openings.iter().map(carries).max()?.min(u64::from(u32::MAX)) as u32,
        })
    };
    ports.filter_map(lane).collect()
}

/// The equal ways of a frame.
struct Around<'a> {
    plan: &'a Plan,
    now: Time,
    ports: Ports<'a>,
}

impl Ways for Around<'_> {
    fn count(&self) -> usize {
        self.ports.count()
    }

    fn port(&self, way: usize) -> PortId {
        self.ports.get(way)
    }

    fn rate(&self, way: usize) -> Rate {
        let port = self.ports.get(way);
        let changes = self.plan.faults.changes_of(port).iter().rev();
        let mut rates = changes.filter_map(|(at, change)| match change {
            PortChange::Rate { rate, .. } if *at <= self.now => Some(*rate),
            _ => None,
        });
        rates.next().unwrap_or(self.plan.fabric.ports[port.index()].rate)
    }
}

/// What lies between the ToR of a flow's sender and that of its receiver.
#[derive(Clone, Copy, Debug)]
struct Way {
    paths: u32,
    round_trip: Span,
}

impl Way {
    fn of(fabric: &Fabric, flow: &Flow, from: SwitchId) -> Self {
        let ends = [(flow.source, flow.destination), (flow.destination, flow.source)];
        let one_way = |(source, destination)| {
            let path = fabric.path(source, destination);
            let inner = path.get(1..path.len().saturating_sub(1)).unwrap_or_default();
            inner.iter().fold(Span::ZERO, |sum, port| sum + fabric.latency(*port))
        };
        let [there, back] = ends.map(one_way);
        let paths = fabric.paths_between(from, flow.destination);
        Self { paths, round_trip: there + back }
    }
}

/// The way, of those that are left, that stands for one of those of the whole fabric.
fn way_of_lane(lane: usize, whole: Ports<'_>, left: Ports<'_>) -> usize {
    let lane = lane % whole.count().max(1);
    let port = whole.get(lane);
    let same = Some(lane).filter(|&way| way < left.count() && left.get(way) == port);
    same.or_else(|| (0..left.count()).find(|&way| left.get(way) == port))
        .unwrap_or(lane % left.count())
}

/// Where a message of a ToR's own goes, the host at whose place it speaks, and what it is.
fn address(
    plan: &Plan,
    ends: &dyn Ends,
    id: FlowId,
    message: Message,
) -> (Locator, HostId, (frame::Kind, u8)) {
    use frame::Kind::{Nack, Tor};
    let flow = &plan.traffic.flows[id.index()];
    let (to_sender, to_receiver) = (ends.to_sender(id, flow), ends.to_receiver(id, flow));
    match message {
        Message::Nack => (to_sender, flow.destination, (Nack, flag::OF_SWITCH)),
        Message::ToSender => (to_sender, flow.destination, (Tor, 0)),
        Message::ToReceiver => (to_receiver, flow.source, (Tor, flag::FORWARD)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::ids::Entropy;
    use raddle_schemes::units::Bytes;

    #[test]
    fn what_a_tor_writes_is_what_it_reads_and_nothing_else_changes() {
        for kind in frame::Kind::ALL {
            for forward in [0, flag::FORWARD] {
                let before = Frame::new(Locator(9), 77, (kind, forward), Entropy(5), Bytes(64));
                let mut frame = before;
                frame.rewrite(Entropy(6), true);
                assert!(frame.tor_bit() && !before.tor_bit());
                assert_eq!((frame.entropy(), frame.number()), (Entropy(6), 77));
                assert_eq!(
                    (frame.kind(), frame.goes_to_receiver()),
                    (kind, before.goes_to_receiver())
                );
                frame.rewrite(Entropy(5), false);
                assert_eq!(frame, before);
            }
        }
    }
}
