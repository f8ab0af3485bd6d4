//! The hosts of the reference: a NIC for each of their ports, timers in one ordered set, and plain
//! lists of all flows.
//!
//! Written from the model (`docs/model.md`, `docs/design/0001-event-order-and-ties.md`), and apart
//! from the engine's hosts, so that a fault in either shows.

mod addresses;
mod beginnings;
mod credit;
mod grants;
mod nic;
mod planes;
mod planned;
mod receiving;
mod rotations;
mod scale_up;
mod sending;

pub(super) use addresses::Addresses;
pub(super) use nic::Departure;

use super::llr::Sender;
use crate::faults::PortChange;
use crate::faults::link::Link;
use crate::plan::Plan;
use crate::record::followers::FlowProbes;
use crate::record::series::Buckets;
use crate::record::{
    CreditFrames, CreditRecord, Finished, FlowRecord, PortRecord, SchemeEvent, Timeline,
};
use crate::wire::frame::{Frame, Kind, count};
use crate::workload::{Start, TriggerId, TriggerKind};
use credit::CreditPacer;
use grants::GrantBook;
use nic::Nic;
use planned::HostPlanner;
use raddle_schemes::Events;
use raddle_schemes::congestion::{CnpPlan, Hop};
use raddle_schemes::ids::{FlowId, HostId, PortId};
use raddle_schemes::load_balance::plane::AnyPlaneSelector;
use raddle_schemes::rng::Rng;
use raddle_schemes::transport::Receiver;
use raddle_schemes::transport::sender::Connection;
use raddle_schemes::units::{Span, Time};
use rotations::Rotations;
use scale_up::Crossbar;
use sending::Sending;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What a timer is for. At one instant they fire in this order, those of a kind by flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TimerKind {
    /// A flow starts.
    Start,
    /// The pace of a flow lets its next packet go.
    Pace,
    /// A retransmission timeout is due, or a scheme's own timer.
    Wake,
    /// The host hands out credit.
    Pull,
    /// A congestion notification is in line.
    Cnp,
    /// A quantum comes from another GPU of the server.
    CrossbarQuantum,
    /// A message to another GPU of the server has come.
    CrossbarAnswer,
    /// The port out to the crossbar may take a quantum.
    CrossbarOut,
    /// The port in has taken one, or may.
    CrossbarIn,
}

/// When, what for, and whose.
type Timer = (Time, TimerKind, FlowId);

struct Host<'a> {
    /// One for each plane.
    nics: Vec<Nic<'a>>,
    timers: BTreeSet<Timer>,
    /// Where receivers pace their senders.
    credit: Option<CreditPacer>,
    /// Where receivers grant.
    grants: Option<GrantBook>,
    /// When it hands out credit, or loses patience, next, if a timer is set for it.
    pulls_at: Option<Time>,
    /// Congestion notifications that its NIC will have in line at a later time.
    cnps: BTreeMap<(Time, FlowId), Frame>,
    /// Its ports to the crossbar of its server.
    crossbar: Crossbar,
}

/// All hosts of a run, and both ends of every flow.
pub(super) struct Hosts<'a> {
    plan: &'a Plan,
    pub(super) addresses: Addresses,
    hosts: Vec<Host<'a>>,
    /// The sending end of each flow from its start to its last needed ACK.
    sending: Vec<Option<Box<Sending>>>,
    /// The receiving end from the first that is heard of it to the last packet.
    receiving: Vec<Option<Box<Receiver>>>,
    /// How each flow chooses its plane, from its first packet on.
    choosing: BTreeMap<FlowId, AnyPlaneSelector>,
    /// The wire that takes a packet now, of which the path selector names the plane.
    taken: Option<(HostId, u32)>,
    /// In which plane the last packet of each flow, or request, came to its receiver.
    last_plane: Vec<u32>,
    /// Of flows whose receivers notify of marked packets: how, and the last packet that brought one.
    cnps: BTreeMap<FlowId, (CnpPlan, Option<Time>)>,
    records: Vec<FlowRecord>,
    /// When each trigger was fired last, or will have been.
    fired_at: Vec<Time>,
    /// How often each trigger was fired.
    fired: Vec<u32>,
    /// Hosts to which a trigger gave a flow to start.
    pub(super) woken: Vec<HostId>,
    /// Where messages of a pair go one after the other: those that wait for the one of their pair
    /// that has not sent all of its packets once.
    queues: BTreeMap<ConnectionId, VecDeque<FlowId>>,
    /// What the message of each connection that ended last has left.
    left: BTreeMap<ConnectionId, Connection>,
    rotations: Rotations<'a>,
    /// Of each host that has sent something on a planned path.
    planners: BTreeMap<HostId, HostPlanner>,
    /// What switches wrote into the packet that comes next.
    pub(super) at_hand: Vec<Hop>,
    rto: Span,
    drain: Span,
    timeline: Timeline,
    /// Where flows are followed.
    probes: Option<Box<FlowProbes>>,
    /// Whether switches write over entropies.
    rewritten: bool,
    buckets: Buckets,
    /// But for those in flight.
    credit_frames: CreditFrames,
    pub(super) progress: HostProgress,
}

/// The ends of a connection, its class, its path selector and its transport.
type ConnectionId = (HostId, HostId, u8, u8, u8, u8);

/// What stop rules and observers ask for.
#[derive(Default)]
pub(super) struct HostProgress {
    /// When a receiver last got a new packet, or a flow last started or was told to.
    pub(super) last_progress: Time,
    pub(super) last_completion: Time,
    pub(super) flows_done: u64,
    pub(super) packets_acked: u64,
}

/// Most events of schemes that are kept.
const EVENTS_KEPT: usize = 10_000;

/// The events of one flow's schemes.
struct FlowEvents<'e> {
    events: &'e mut Vec<SchemeEvent>,
    flow: FlowId,
}

impl Events for FlowEvents<'_> {
    fn event(&mut self, now: Time, name: &'static str) {
        // Those of one instant come in the order of hosts, and are sorted in the end.
        let too_late = |&(last, ..): &SchemeEvent| last < now;
        if self.events.len() < EVENTS_KEPT || !self.events.last().is_some_and(too_late) {
            self.events.push((now, self.flow, name.into()));
        }
    }
}

impl<'a> Hosts<'a> {
    pub(super) fn new(plan: &'a Plan) -> Self {
        let flows = plan.traffic.flows.len();
        let hosts = (0..plan.fabric.hosts).map(|host| Host {
            nics: plan.fabric.ports_of(HostId(host)).map(|port| Nic::new(plan, port)).collect(),
            timers: BTreeSet::new(),
            credit: None,
            grants: None,
            pulls_at: None,
            cnps: BTreeMap::new(),
            crossbar: Crossbar::default(),
        });
        let longest_rtt = plan.fabric.longest_base_rtt(plan.packet(), plan.transport.ack);
        let drain = beginnings::longest_drain(plan, longest_rtt);
        let mut all = Self {
            plan,
            addresses: Addresses::new(plan),
            hosts: hosts.collect(),
            sending: std::iter::repeat_with(|| None).take(flows).collect(),
            receiving: std::iter::repeat_with(|| None).take(flows).collect(),
            choosing: BTreeMap::new(),
            taken: None,
            last_plane: vec![0; flows],
            cnps: BTreeMap::new(),
            records: vec![FlowRecord::default(); flows],
            fired_at: vec![Time::ZERO; plan.traffic.triggers.len()],
            fired: vec![0; plan.traffic.triggers.len()],
            woken: Vec::new(),
            queues: BTreeMap::new(),
            left: BTreeMap::new(),
            rotations: Rotations::new(plan),
            planners: BTreeMap::new(),
            at_hand: Vec::new(),
            rto: beginnings::default_rto(plan, drain, longest_rtt),
            drain,
            timeline: Timeline::default(),
            probes: FlowProbes::of(plan, |_| true),
            rewritten: plan.switch_load_balance.makes_detours(),
            buckets: Buckets::new(plan.record.bucket),
            credit_frames: CreditFrames::default(),
            progress: HostProgress::default(),
        };
        for (flow, message) in (0..).map(FlowId).zip(&plan.traffic.flows) {
            if let Start::At(at) = message.start {
                all.set_start(at, flow);
            }
        }
        all
    }

    /// Lets a flow start at `at`, or so much later as its phase is long. Returns when.
    fn set_start(&mut self, at: Time, flow: FlowId) -> Time {
        let phase = self.plan.transport.phase.0;
        let phase = Rng::new(self.plan.seed, "phase", flow.0.into()).below(phase + 1);
        let at = at + Span(phase);
        self.host_of(flow).timers.insert((at, TimerKind::Start, flow));
        at
    }

    /// The host at which a flow begins.
    fn host_of(&mut self, flow: FlowId) -> &mut Host<'a> {
        &mut self.hosts[self.plan.traffic.flows[flow.index()].source.index()]
    }

    /// When something next happens at a host by itself, seen from `now`.
    pub(super) fn next_local(&self, now: Time, host: HostId) -> Time {
        let host = &self.hosts[host.index()];
        let timer = host.timers.first().map_or(Time::NEVER, |(at, ..)| *at);
        host.nics.iter().map(|nic| nic.wants_wire(now)).fold(timer, Time::min)
    }

    /// A frame has reached a port of a host.
    pub(super) fn on_frame(&mut self, now: Time, port: PortId, frame: Frame) {
        let hosts = self.plan.fabric.hosts;
        let (host, plane) = (HostId(port.0 % hosts), port.0 / hosts);
        if frame.is_pfc() {
            self.hosts[host.index()].nics[plane as usize].on_pfc(now, frame);
        } else if frame.is_data() {
            self.on_data(now, host, frame);
        } else if frame.is_about_credit() {
            self.credit_frames.arrived += 1;
            if frame.is(Kind::Credit) {
                self.on_credit(now, frame);
            } else {
                self.on_request(now, host, frame);
            }
        } else if frame.is_reply() {
            self.on_reply(now, frame);
        } else if frame.is_cnp() {
            self.on_cnp(now, frame);
        } else if frame.is_probe() {
            self.on_probe(now, host, frame);
        }
    }

    /// Does what is due at a host: its wire takes a frame, or a timer fires. The wire goes first.
    /// Returns what the wire took, and its plane.
    pub(super) fn run_local(&mut self, now: Time, host: HostId) -> Option<(u32, Departure)> {
        let nics = &self.hosts[host.index()].nics;
        let Some(plane) = nics.iter().position(|nic| nic.wants_wire(now) <= now) else {
            self.run_timer(now, host);
            return None;
        };
        while let Some(flow) = self.hosts[host.index()].nics[plane].next_filler() {
            let frame = self.packet_of(now, flow);
            self.hosts[host.index()].nics[plane].line.extend(frame);
        }
        let is_free = self.hosts[host.index()].nics[plane].is_free(now);
        // Copies are the link's, whatever the host takes it for.
        let nic = &mut self.hosts[host.index()].nics[plane];
        if is_free && nic.copy_is_next() {
            return Some((plane as u32, nic.transmit_copy(now)?));
        }
        if let Some(told) = nic.tell(now) {
            return Some((plane as u32, told?));
        }
        if !is_free || !self.has_wire(now, host, plane as u32) {
            return None;
        }
        let noticed = self.next_out(now, host, plane as u32);
        let nic = &mut self.hosts[host.index()].nics[plane];
        if !nic.takes_new() {
            nic.wait_for_link(noticed);
            return None;
        }
        let control = if nic.control_is_next() { nic.next_control(now) } else { None };
        let line = if nic.line_is_next() && control.is_none() { nic.next_of_line() } else { None };
        let frame = control.or(line).or_else(|| self.next_packet(now, host, plane));
        self.taken = None;
        let noticed = self.next_out(now, host, plane as u32);
        let nic = &mut self.hosts[host.index()].nics[plane];
        // Where data's turn comes to nothing, control goes all the same.
        let frame = frame.or_else(|| nic.next_of_line()).or_else(|| nic.next_control(now))?;
        let departure = nic.transmit(now, frame, noticed);
        if departure.lost.is_some() {
            self.note_dropped(frame);
        }
        Some((plane as u32, departure))
    }

    /// The packet of the flow whose turn it is in a plane.
    fn next_packet(&mut self, now: Time, host: HostId, plane: usize) -> Option<Frame> {
        loop {
            let flow = self.hosts[host.index()].nics[plane].next_in_line(now)?;
            // One that has completed since has nothing to send.
            let Some(sending) = &mut self.sending[flow.index()] else { continue };
            let own = self.plan.traffic.flows[flow.index()].class;
            let class = sending.sender.next_class().unwrap_or(own);
            if self.hosts[host.index()].nics[plane].hold(now, class, flow)
                || !self.sends_here(now, flow, plane as u32)
            {
                continue;
            }
            if let Some(mut frame) = self.packet_of(now, flow) {
                frame.to = self.addresses.locators.in_plane(frame.to, plane as u32);
                self.hosts[host.index()].nics[plane].took_from_flow();
                return Some(frame);
            }
        }
    }

    /// The packet of a flow whose turn it is, if it has one.
    fn packet_of(&mut self, now: Time, flow: FlowId) -> Option<Frame> {
        self.sending[flow.index()].as_mut()?.in_turn = false;
        self.poll_transmit(now, flow)
    }

    fn run_timer(&mut self, now: Time, host: HostId) {
        let timers = &mut self.hosts[host.index()].timers;
        if timers.first().is_none_or(|(at, ..)| *at > now) {
            return;
        }
        let Some((_, kind, flow)) = timers.pop_first() else { return };
        match kind {
            TimerKind::Start => self.start(now, host, flow),
            TimerKind::Pace => self.on_pace(now, flow),
            TimerKind::Wake => self.on_wake(now, flow),
            TimerKind::Pull => self.pull(now, host),
            TimerKind::Cnp => self.send_cnp(now, host, flow),
            TimerKind::CrossbarQuantum => self.cross_in(now, host, flow),
            TimerKind::CrossbarAnswer => self.answered(now, flow),
            TimerKind::CrossbarOut => self.cross_out(now, host),
            TimerKind::CrossbarIn => self.pass_in(now, host),
        }
    }

    /// Hands out the credit that is due.
    fn pull(&mut self, now: Time, host: HostId) {
        let there = &mut self.hosts[host.index()];
        there.pulls_at = None;
        let due = there.credit.as_mut().filter(|credit| credit.due(now) == Some(now));
        if let Some(pull) = due.and_then(|credit| credit.pull(now)) {
            self.send_credit(now, host, pull);
        }
        let there = &mut self.hosts[host.index()];
        let told = there.grants.as_mut().map(|grants| grants.requests(now));
        told.into_iter().flatten().for_each(|told| self.send_grant(now, host, told));
        self.set_pull_timer(now, host);
    }

    /// Sets the timer of a host's pacer of credit to when a pull is due.
    fn set_pull_timer(&mut self, now: Time, host: HostId) {
        let host = &mut self.hosts[host.index()];
        let pull = host.credit.as_ref().and_then(|credit| credit.due(now));
        let request = host.grants.as_ref().and_then(|grants| grants.due());
        let due = pull.into_iter().chain(request).min();
        move_timer(&mut host.timers, &mut host.pulls_at, due, TimerKind::Pull, FlowId(0));
    }

    /// Fires a trigger, and those that it fires in turn.
    fn fire(&mut self, now: Time, first: TriggerId) {
        let plan = self.plan;
        let mut firing = vec![(now, first)];
        while let Some((at, id)) = firing.pop() {
            let trigger = &plan.traffic.triggers[id.index()];
            let before = self.fired[id.index()];
            self.fired[id.index()] = before.saturating_add(1);
            let fired_at = &mut self.fired_at[id.index()];
            *fired_at = at.max(*fired_at);
            let Some(targets) = trigger.acts(before) else { continue };
            let begins = match trigger.kind {
                TriggerKind::All { .. } => trigger.not_before.max(*fired_at),
                TriggerKind::Next => trigger.not_before.max(at),
            };
            let acts = begins + trigger.work;
            for &flow in targets {
                let message = &plan.traffic.flows[flow.index()];
                let at = self.set_start(acts + message.start.delay(), flow);
                self.note_progress(at);
                self.woken.push(message.source);
            }
            firing.extend(trigger.fires.iter().rev().map(|&other| (acts, other)));
        }
    }

    fn note_progress(&mut self, at: Time) {
        self.progress.last_progress = self.progress.last_progress.max(at);
    }

    fn nic(&mut self, port: PortId) -> &mut Nic<'a> {
        let hosts = self.plan.fabric.hosts;
        &mut self.hosts[(port.0 % hosts) as usize].nics[(port.0 / hosts) as usize]
    }

    /// The sender of a port's link, where it has retry.
    pub(super) fn sender(&mut self, port: PortId) -> Option<&mut Sender> {
        self.nic(port).retry.as_mut()
    }

    /// The link that leaves a port, as it is at `now`.
    pub(super) fn link(&mut self, now: Time, port: PortId) -> &Link {
        self.nic(port).link_at(now)
    }

    /// Plays the next change of a port's link.
    pub(super) fn play_link(&mut self, port: PortId) -> Option<PortChange> {
        self.nic(port).play_link()
    }

    /// A frame was lost on its way.
    pub(super) fn note_dropped(&mut self, frame: Frame) {
        if frame.is_data() {
            self.records[self.addresses.flow_of(frame).index()].dropped += 1;
        } else if frame.is_about_credit() {
            self.credit_frames.dropped += 1;
        }
    }

    /// A message of flow control was given up.
    pub(super) fn lose_message(&mut self, port: PortId, frame: Frame) {
        let credits = &mut self.nic(port).credits;
        credits.iter_mut().for_each(|own| own.record.note(frame.is_ordered_set(), false, true));
    }

    /// What credits came to at each port, in a run that ends at `end`.
    pub(super) fn end_credits(&mut self, end: Time) -> Vec<CreditRecord> {
        let ports = (0..self.plan.fabric.host_ports()).map(PortId);
        ports.filter_map(|port| Some(self.nic(port).credits.take()?.end(end))).collect()
    }

    /// What waits between flows and wires.
    pub(super) fn in_line(&self) -> impl Iterator<Item = Frame> {
        let nics = self.hosts.iter().flat_map(|host| &host.nics);
        nics.flat_map(|nic| nic.line.iter().copied())
    }

    /// Frames that left hosts so far.
    pub(super) fn frames_sent(&self) -> u64 {
        let nics = self.hosts.iter().flat_map(|host| &host.nics);
        nics.map(|nic| nic.record.frames).sum()
    }

    /// What the hosts have left, and the frames about credit, those in flight being the ones that wait
    /// at hosts.
    pub(super) fn finish(mut self) -> (Finished, CreditFrames) {
        let nics = self.hosts.iter().flat_map(|host| &host.nics);
        let waiting = nics.flat_map(|nic| nic.control.iter().copied());
        self.credit_frames.in_flight = count(waiting).1;
        self.timeline.events.sort_by_key(|&(at, flow, ..)| (at, flow));
        self.timeline.events.truncate(EVENTS_KEPT);
        // The first port of every host, then the second of every host.
        let mut ports = vec![PortRecord::default(); self.plan.fabric.host_ports() as usize];
        for (host, own) in (0..).map(HostId).zip(self.hosts) {
            let ids = self.plan.fabric.ports_of(host);
            ids.zip(own.nics).for_each(|(id, nic)| ports[id.index()] = nic.record);
        }
        let mut probes = Vec::new();
        if let Some(mut own) = self.probes {
            for (flow, sending) in (0..).map(FlowId).zip(&self.sending) {
                sending.iter().for_each(|sending| own.end(flow, &sending.sender));
            }
            probes = own.rows();
        }
        let records = self.records.into_iter().collect();
        ((records, ports, self.timeline, probes), self.credit_frames)
    }
}

/// Moves a timer, which is set for `present` if it is set, to `wanted`.
fn move_timer(
    timers: &mut BTreeSet<Timer>,
    present: &mut Option<Time>,
    wanted: Option<Time>,
    kind: TimerKind,
    flow: FlowId,
) {
    if *present == wanted {
        return;
    }
    if let Some(at) = present.take() {
        timers.remove(&(at, kind, flow));
    }
    if let Some(at) = wanted {
        timers.insert((at, kind, flow));
    }
    *present = wanted;
}
