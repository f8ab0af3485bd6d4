//! Hosts with several ports: which one a packet leaves by, and what a host knows of its links.
//! `docs/design/0020-hosts-with-several-ports.md`.

use super::Hosts;
use crate::faults::PortChange;
use crate::plan::Connections;
use crate::wire::frame::{Frame, Kind, flag};
use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::load_balance::plane::{PlaneContext, Planes};
use raddle_schemes::rng::stream;
use raddle_schemes::units::{Span, Time};

impl Hosts<'_> {
    /// When a host takes the link of its port in a plane for down, and when for up again.
    fn changes(&self, host: HostId, plane: u32) -> Vec<(Time, bool)> {
        // With one port it sees its link at once.
        let several = self.plan.fabric.planes > 1;
        let delay = if several { self.plan.transport.plane_repair.0 } else { 0 };
        let port = self.plan.fabric.host_port(host, plane);
        let changes = self.plan.faults.changes_of(port).iter();
        let seen = changes.filter_map(|(at, change)| match change {
            PortChange::Down => Some((Time(at.0.saturating_add(delay)), false)),
            PortChange::Up => Some((Time(at.0.saturating_add(delay)), true)),
            _ => None,
        });
        seen.collect()
    }

    pub(super) fn is_out(&self, now: Time, host: HostId, plane: u32) -> bool {
        let changes = self.changes(host, plane);
        changes.iter().rfind(|(at, _)| *at <= now).is_some_and(|(_, up)| !up)
    }

    /// When the host will next take that link for down.
    pub(super) fn next_out(&self, now: Time, host: HostId, plane: u32) -> Time {
        let changes = self.changes(host, plane);
        let next = changes.iter().find(|(at, up)| *at > now && !up);
        next.map_or(Time::NEVER, |(at, _)| *at)
    }

    /// The planes by which a host can send, as far as it knows.
    fn own_planes(&self, now: Time, host: HostId) -> Vec<u32> {
        let planes = 0..self.plan.fabric.planes;
        planes.filter(|&plane| !self.is_out(now, host, plane)).collect()
    }

    /// Whether switches route from one host to another in a plane.
    fn is_routed(&self, now: Time, from: HostId, to: HostId, plane: u32) -> bool {
        let fabric = &self.plan.fabric;
        let Some((_, routes)) = self.plan.routes.iter().rfind(|(at, _)| *at <= now) else {
            return true;
        };
        let [from, to] = [from, to].map(|host| fabric.host_port(host, plane));
        [from, to].iter().all(|&port| routes.ports(fabric.edge_of(port), to).count() > 0)
    }

    /// A bit for each plane that a packet may take: those by which the host can send and is heard, else
    /// those by which it can send, else all.
    fn usable(&self, now: Time, from: HostId, to: HostId) -> u8 {
        let own = self.own_planes(now, from);
        let routed = own.iter().copied().filter(|&plane| self.is_routed(now, from, to, plane));
        let routed: Vec<u32> = routed.collect();
        let all = (0..self.plan.fabric.planes).collect();
        let chosen = [routed, own, all].into_iter().find(|planes| !planes.is_empty());
        chosen.iter().flatten().fold(0, |mask, plane| mask | 1 << plane)
    }

    /// Whether a flow's path selector names the plane of each packet.
    fn names_planes(&self, flow: FlowId) -> bool {
        let message = &self.plan.traffic.flows[flow.index()];
        let config = self.plan.transport.load_balance_of(message.load_balance);
        self.plan.fabric.planes > 1 && config.names_planes()
    }

    /// Whether a host has heard from another that its port in a plane is dead.
    fn has_heard(&self, now: Time, after: Span, (from, to): (HostId, HostId), plane: u32) -> bool {
        let ack = self.plan.transport.ack;
        let word = self.plan.fabric.base_rtt(to, from, ack, ack).0 / 2 + after.0;
        now.0 >= word && self.is_out(Time(now.0 - word), to, plane)
    }

    /// The planes that a packet may take whose sender names them: of the usable ones those with a port
    /// that lives at the other end, and of these those with a path that does.
    fn named_planes(&self, now: Time, flow: FlowId) -> Vec<u32> {
        let message = &self.plan.traffic.flows[flow.index()];
        let (from, to) = (message.source, message.destination);
        let usable = self.usable(now, from, to);
        let mut planes: Vec<u32> =
            (0..self.plan.fabric.planes).filter(|plane| usable >> plane & 1 == 1).collect();
        let Some(sending) = &self.sending[flow.index()] else { return planes };
        let mut keep = |keeps: &dyn Fn(u32) -> bool| {
            let kept: Vec<u32> = planes.iter().copied().filter(|plane| keeps(*plane)).collect();
            if !kept.is_empty() {
                planes = kept;
            }
        };
        if let Some(after) = sending.sender.hears_of_ports() {
            keep(&|plane| !self.has_heard(now, after, (from, to), plane));
        }
        let healthy = sending.sender.healthy_planes();
        keep(&|plane| healthy >> plane & 1 == 1);
        planes
    }

    /// The plane of the next packet of a flow that names it: of idle wires the sender chooses, else the
    /// packet waits where its turn comes first.
    fn choose_named(&mut self, now: Time, flow: FlowId) -> u32 {
        let planes = self.named_planes(now, flow);
        let host = self.plan.traffic.flows[flow.index()].source;
        let nics = &self.hosts[host.index()].nics;
        // A wire for which a packet is in the making is busy from now on, and the flow is not the first to
        // have it again.
        let queue = |plane: u32| {
            let nic = &nics[plane as usize];
            let taken = self.taken == Some((host, plane));
            let free_at = if taken { Time::NEVER } else { nic.free_at() };
            (nic.waiting(now) + 2 * u32::from(taken), free_at)
        };
        let idle: Vec<u32> = planes.iter().copied().filter(|plane| queue(*plane).0 == 0).collect();
        let soonest = planes.iter().copied().min_by_key(|plane| queue(*plane)).unwrap_or(0);
        let bits = idle.iter().fold(0, |bits, plane| bits | 1 << plane);
        let sender = self.sending[flow.index()].as_mut().map(|sending| &mut sending.sender);
        let sender = sender.filter(|_| !idle.is_empty());
        sender.and_then(|sender| sender.choose_plane(now, bits)).unwrap_or(soonest)
    }

    /// Whether a flow whose turn has come in a plane sends there; one that may not stands in line
    /// elsewhere.
    pub(super) fn sends_here(&mut self, now: Time, flow: FlowId, plane: u32) -> bool {
        if !self.names_planes(flow) {
            return true;
        }
        if !self.named_planes(now, flow).contains(&plane) {
            self.stand_in_line(now, flow);
            return false;
        }
        if let Some(sending) = &mut self.sending[flow.index()] {
            sending.sender.on_plane(plane);
        }
        self.taken = Some((self.plan.traffic.flows[flow.index()].source, plane));
        true
    }

    /// The plane of a flow's next packet.
    pub(super) fn choose(&mut self, now: Time, flow: FlowId) -> u32 {
        if self.plan.fabric.planes == 1 {
            return 0;
        }
        if self.names_planes(flow) {
            return self.choose_named(now, flow);
        }
        let message = &self.plan.traffic.flows[flow.index()];
        let usable = self.usable(now, message.source, message.destination);
        let nics = &self.hosts[message.source.index()].nics;
        let waiting = |plane: u32| nics[plane as usize].waiting(now);
        let hashed = match self.plan.transport.connections {
            Connections::Message => flow,
            Connections::Pair => self.addresses.first_of_pair(flow),
        };
        let planes = self.plan.fabric.planes;
        let stream = stream(self.plan.seed, "plane", hashed.0.into());
        let begin = || self.plan.transport.plane.build(&PlaneContext { planes, stream });
        let selector = self.choosing.entry(flow).or_insert_with(begin);
        selector.next_plane(&Planes { usable, waiting: &waiting })
    }

    /// A flow stands in line at the port that it chooses.
    pub(super) fn stand_in_line(&mut self, now: Time, flow: FlowId) {
        let plane = self.choose(now, flow) as usize;
        self.host_of(flow).nics[plane].stand_in_line(flow);
    }

    /// A request of a sender takes the plane that its next packet would.
    pub(super) fn send_request(&mut self, now: Time, flow: FlowId, frame: Frame) {
        let plane = self.choose(now, flow);
        let host = self.plan.traffic.flows[flow.index()].source;
        self.send_control(now, host, plane, frame);
    }

    /// A control frame waits in a plane, or in the next that is usable.
    pub(super) fn send_control(&mut self, now: Time, host: HostId, plane: u32, mut frame: Frame) {
        let locators = self.addresses.locators;
        let usable = self.usable(now, host, locators.host(frame.to));
        let plane = Planes { usable, waiting: &|_| 0 }.from(plane);
        frame.to = locators.in_plane(frame.to, plane);
        self.hosts[host.index()].nics[plane as usize].take_control(frame);
    }

    /// Whether the wire in a plane takes a frame. Where the host takes its link for down, what waits
    /// there goes to other planes; where it takes all for down, it waits for the first.
    pub(super) fn has_wire(&mut self, now: Time, host: HostId, plane: u32) -> bool {
        if self.is_out(now, host, plane) {
            let others = !self.own_planes(now, host).is_empty();
            let planes = 0..self.plan.fabric.planes;
            let ups = planes.flat_map(|plane| self.changes(host, plane));
            let next_up = ups.filter(|&(at, up)| up && at > now).map(|(at, _)| at).min();
            let nic = &mut self.hosts[host.index()].nics[plane as usize];
            if others {
                let (control, flows) = nic.give_up();
                for frame in control {
                    if frame.is(Kind::Probe) && !frame.has(flag::ANSWER) {
                        continue;
                    }
                    let plane = self.addresses.locators.plane(frame.to);
                    self.send_control(now, host, plane, frame);
                }
                flows.into_iter().for_each(|flow| self.stand_in_line(now, flow));
                return false;
            }
            if !nic.is_up(now, next_up.unwrap_or(Time::NEVER)) {
                return false;
            }
        }
        self.hosts[host.index()].nics[plane as usize].release(now);
        true
    }
}
