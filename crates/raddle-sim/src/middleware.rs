//! Middleware in ToRs as both engines run it: what it reads of a frame, and what comes of that.

use crate::plan::Plan;
use crate::record::TorRecord;
use crate::topology::Node;
use crate::topology::routing::Ports;
use crate::wire::frame::{Frame, Locator, flag, kind};
use crate::workload::Flow;
use raddle_schemes::Cx;
use raddle_schemes::ids::{FlowId, HostId, SwitchId};
use raddle_schemes::rng::{Rng, stream};
use raddle_schemes::tor::{AnyTorHook, Kind, Message, Output, Packet, Side, TorContext, Verdict};
use raddle_schemes::units::Time;
use std::collections::BTreeMap;

/// One ToR's middleware, and the frames that it holds.
pub(crate) struct Middleware {
    hook: AnyTorHook,
    rng: Rng,
    switch: SwitchId,
    /// By ticket: frames with the ports that they came in through, counted within the switch.
    held: BTreeMap<u32, (Frame, u32)>,
    next_ticket: u32,
    /// How many paths lead from here to the ToR of a host, and from there to here, by that ToR's
    /// number; 0 where it has not been asked for.
    paths: [Vec<u32>; 2],
    pub(crate) record: TorRecord,
}

/// Which flow a frame belongs to, and where the frames of a flow go.
pub(crate) trait Ends {
    /// The flow of a frame, but for those of flow control.
    fn flow_of(&self, frame: Frame) -> FlowId;
    /// Where frames to the sender of a flow go.
    fn to_sender(&self, id: FlowId, flow: &Flow) -> Locator;
    /// Where frames to its receiver go.
    fn to_receiver(&self, id: FlowId, flow: &Flow) -> Locator;
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
            }),
            rng: Rng::new(plan.seed, "tor draws", u64::from(switch.0)),
            switch,
            held: BTreeMap::new(),
            next_ticket: 0,
            paths: [(); 2].map(|()| vec![0; plan.fabric.switches.len()]),
            record: TorRecord::default(),
        })
    }

    /// A frame to `host` has come in through a port, counted within the switch; it has these equal
    /// `ways`.
    pub(crate) fn on_ingress(
        &mut self,
        (plan, ends): (&Plan, &dyn Ends),
        now: Time,
        (frame, host): (&mut Frame, HostId),
        came_in: u32,
        ways: Ports<'_>,
    ) -> Passage {
        let first = plan.fabric.switches[self.switch.index()].ports.start;
        let from = match plan.fabric.ports[(first + came_in) as usize].peer.0 < plan.fabric.hosts {
            true => Side::Host,
            false => Side::Fabric,
        };
        let mut packet = self.read(plan, ends, *frame);
        let cx = &mut Cx { now, rng: &mut self.rng, events: &mut () };
        let verdict = self.hook.on_ingress(cx, &mut packet, from, ways.count());
        if packet.kind != Kind::Credit {
            frame.rewrite(packet.entropy, packet.flagged);
        }
        match verdict {
            Verdict::Pass => Passage::Goes(None),
            Verdict::Via(way) => Passage::Goes(Some(way.min(ways.count() - 1))),
            Verdict::Lane(lane) => {
                let whole = plan.fabric.forwarding.ports(self.switch, host);
                Passage::Goes(Some(way_of_lane(lane, whole, ways)))
            }
            Verdict::Drop => {
                self.note_dropped(*frame);
                Passage::Dropped
            }
            Verdict::Hold => {
                self.held.insert(self.next_ticket, (*frame, came_in));
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
    ) -> bool {
        let packet = self.read(plan, ends, frame);
        let cx = &mut Cx { now, rng: &mut self.rng, events: &mut () };
        let goes = self.hook.on_egress(cx, &packet);
        if !goes {
            self.note_dropped(frame);
        }
        goes
    }

    /// What is to be queued now, if there is anything left.
    pub(crate) fn poll(&mut self, (plan, ends): (&Plan, &dyn Ends)) -> Option<Born> {
        loop {
            match self.hook.poll()? {
                Output::Release { ticket, via } => {
                    if let Some((frame, came_in)) = self.held.remove(&ticket) {
                        return Some(Born { frame, came_in, via });
                    }
                    debug_assert!(false, "no packet has ticket {ticket}");
                }
                Output::Send { flow, kind, number, entropy, flagged } => {
                    let (to, host, flags) = address(plan, ends, flow, kind);
                    let mut frame = Frame::new(to, number, flags, entropy, plan.transport.ack);
                    frame.rewrite(entropy, flagged);
                    self.record.sent += 1;
                    self.record.sent_bytes += frame.size().0;
                    let came_in = self.port_to(plan, host);
                    return Some(Born { frame, came_in, via: None });
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
        self.hook.on_timer(&mut Cx { now, rng: &mut self.rng, events: &mut () });
        assert!(self.next_timer() > now, "a ToR's timer does not move on");
    }

    /// The frames held.
    pub(crate) fn held(&self) -> impl Iterator<Item = Frame> + '_ {
        self.held.values().map(|(frame, _)| *frame)
    }

    /// A frame is dropped here: by the hook, or for want of a way once it is let go.
    pub(crate) fn note_dropped(&mut self, frame: Frame) {
        self.record.dropped += 1;
        self.record.dropped_data += u64::from(frame.is_data());
    }

    /// How many paths lead from the ToR of a flow's sender to that of its receiver.
    fn paths(&mut self, plan: &Plan, flow: &Flow) -> u32 {
        let fabric = &plan.fabric;
        let [from, to] = [flow.source, flow.destination].map(|host| fabric.edge(host));
        let known = match (from == self.switch, to == self.switch) {
            (true, _) => &mut self.paths[0][to.index()],
            (_, true) => &mut self.paths[1][from.index()],
            _ => return fabric.paths_between(from, flow.destination),
        };
        if *known == 0 {
            *known = fabric.paths_between(from, flow.destination);
        }
        *known
    }

    fn read(&mut self, plan: &Plan, ends: &dyn Ends, frame: Frame) -> Packet {
        let id = ends.flow_of(frame);
        let flow = &plan.traffic.flows[id.index()];
        Packet {
            flow: id,
            sender: flow.source,
            receiver: flow.destination,
            paths: self.paths(plan, flow),
            kind: match frame.kind() {
                kind::DATA => Kind::Data,
                kind::TRIMMED => Kind::Header,
                kind::ACK => Kind::Ack,
                kind::NACK => Kind::Nack,
                kind::TOR if frame.is_cnp() => Kind::Cnp,
                kind::TOR => Kind::Tor,
                _ => Kind::Credit,
            },
            forward: frame.goes_to_receiver(),
            number: frame.number(),
            entropy: frame.entropy(),
            flagged: frame.tor_bit(),
            marked: frame.has(flag::MARKED),
            again: frame.is_data() && frame.has(flag::AGAIN),
            bytes: frame.size(),
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

/// The way, of those that are left, that stands for one of those of the whole fabric.
fn way_of_lane(lane: usize, whole: Ports<'_>, left: Ports<'_>) -> usize {
    let lane = lane % whole.count().max(1);
    let port = whole.get(lane);
    let same = Some(lane).filter(|&way| way < left.count() && left.get(way) == port);
    same.or_else(|| (0..left.count()).find(|&way| left.get(way) == port))
        .unwrap_or(lane % left.count())
}

/// Where a message of a ToR's own goes, the host at whose place it speaks, and what it is.
fn address(plan: &Plan, ends: &dyn Ends, id: FlowId, message: Message) -> (Locator, HostId, u8) {
    let flow = &plan.traffic.flows[id.index()];
    match message {
        Message::Nack => (ends.to_sender(id, flow), flow.destination, kind::NACK),
        Message::ToSender => (ends.to_sender(id, flow), flow.destination, kind::TOR),
        Message::ToReceiver => (ends.to_receiver(id, flow), flow.source, kind::TOR | flag::FORWARD),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::ids::Entropy;
    use raddle_schemes::units::Bytes;

    #[test]
    fn what_a_tor_writes_is_what_it_reads_and_nothing_else_changes() {
        for kind in [kind::DATA, kind::TRIMMED, kind::ACK, kind::NACK, kind::TOR] {
            for forward in [0, flag::FORWARD] {
                let before = Frame::new(Locator(9), 77, kind | forward, Entropy(5), Bytes(64));
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
