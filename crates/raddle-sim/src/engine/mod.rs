//! The fast engine: time in windows, one node after the other within each.
//!
//! A window is no longer than the shortest way into a switch, so what a node sends in a window
//! arrives in a later one, and nodes can be run one by one. Hosts only send to switches and run
//! after them, so the way from a switch to a host may be shorter. In each window a node gathers
//! what arrives from the rings of its in-links, sorts it by (time, in-port), and runs it to
//! completion. Outcomes do not depend on the width of the windows.

mod calendar;
mod forward;
mod port;
mod ring;
mod sort;

use crate::net::frame::Frame;
use crate::net::hosts::Hosts;
use crate::net::port::PortFacts;
use crate::net::stop::StopRules;
use crate::plan::Plan;
use crate::record::recorder::Recorder;
use crate::record::{DropCause, Observer, Outcome, Progress, Stop};
use crate::topology::{Fabric, Node};
use calendar::{Calendar, Wake};
use forward::Forward;
use port::{Discipline, Port, World};
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::load_balance::switch::{
    AnyPortSelector, Choices, Group, Header, SwitchContext,
};
use raddle_schemes::rng::{Rng, stream};
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_schemes::{Cx, Need};
use sort::KeySort;

pub use ring::HORIZON;

/// Windows are not made longer than this, so that what arrives at a port in one can be numbered.
const LONGEST_WINDOW: Span = Span::us(4);
/// Shortest legal window: below this the engine would be slower than an event queue.
pub const SHORTEST_WINDOW: Span = Span::ns(10);

/// The width of windows in a fabric: the shortest latency into a switch.
pub fn window(fabric: &Fabric) -> Span {
    let ports = (0..fabric.ports.len() as u32).map(PortId);
    let into_switches = ports.filter(|&p| matches!(fabric.destination(p), Node::Switch(_)));
    into_switches
        .map(|port| fabric.latency(port))
        .min()
        .unwrap_or(LONGEST_WINDOW)
        .min(LONGEST_WINDOW)
}

/// Runs a plan to its end.
pub fn run(plan: &Plan, observer: &mut dyn Observer) -> Outcome {
    run_with_window(plan, window(&plan.fabric), observer)
}

/// Runs a plan with windows of at most `width`. The outcome is the same for every width.
pub fn run_with_window(plan: &Plan, width: Span, observer: &mut dyn Observer) -> Outcome {
    let mut engine = Engine::new(plan, width.min(window(&plan.fabric)));
    let (stop, end) = engine.run(observer);
    engine.finish(stop, end)
}

/// How often the observer hears, in events.
const EVENTS_PER_REPORT: u64 = 1 << 18;

struct SwitchState {
    selector: AnyPortSelector,
    rng: Rng,
    first_port: u32,
    /// Ports with something queued or in service: `words` bits per switch.
    busy: Vec<u64>,
    /// When it is dead.
    deaths: Vec<(Time, Time)>,
}

struct Engine<'a> {
    plan: &'a Plan,
    ports: Vec<Port>,
    switches: Vec<SwitchState>,
    host_deaths: Vec<Vec<(Time, Time)>>,
    /// Members of each host's group, at the group's smallest host; empty for hosts on their own.
    groups: Vec<Vec<u32>>,
    routes: Vec<(Time, Forward<'a>)>,
    /// Index of the route in force at the start of the window.
    route: usize,
    reads_queues: bool,
    world: World<'a>,
    scratch: Scratch,
    events: u64,
}

/// Lists used anew in every window.
#[derive(Default)]
struct Scratch {
    nodes: Vec<u32>,
    in_ports: Vec<u32>,
    /// Arrivals: offset in the window 32 | in-port 16 | place in the link's ring 16.
    keys: Vec<u64>,
    /// Links into the node, and how many packets arrive on each.
    arrived: Vec<(PortId, u32)>,
    sort: KeySort,
}

impl<'a> Engine<'a> {
    fn new(plan: &'a Plan, width: Span) -> Self {
        let fabric = &plan.fabric;
        let first_of_switch: Vec<u32> = fabric.switches.iter().map(|s| s.ports.start).collect();
        let facts = PortFacts::of(plan).into_iter().enumerate();
        let ports = facts
            .map(|(i, facts)| Port::new(plan, PortId(i as u32), facts, &first_of_switch))
            .collect();
        let deaths = |node: Node| {
            let own = plan.faults.nodes.iter().find(|(dead, _)| *dead == node);
            own.map_or_else(Vec::new, |(_, windows)| windows.clone())
        };
        let switches = fabric.switches.iter().enumerate().map(|(i, switch)| {
            let id = SwitchId(i as u32);
            let own = stream(plan.seed, "switch", i as u64);
            let context = SwitchContext { switch: id, stream: own };
            SwitchState {
                selector: plan.switch_load_balance.build(&context),
                rng: Rng::new(plan.seed, "switch draws", i as u64),
                first_port: switch.ports.start,
                busy: vec![0; switch.ports.len().div_ceil(64)],
                deaths: deaths(Node::Switch(id)),
            }
        });
        let hosts = Hosts::new(plan);
        let mut groups = vec![Vec::new(); fabric.hosts as usize];
        for (host, root) in hosts.groups().iter().enumerate() {
            groups[*root as usize].push(host as u32);
        }
        for group in groups.iter_mut().filter(|group| group.len() == 1) {
            group.clear();
        }
        let largest = fabric.switches.iter().map(|switch| switch.ports.len()).max().unwrap_or(0);
        let calendar =
            Calendar::new(width.0, fabric.switches.len(), fabric.hosts as usize, largest);
        let mut engine = Self {
            plan,
            ports,
            switches: switches.collect(),
            host_deaths: (0..fabric.hosts).map(|h| deaths(Node::Host(HostId(h)))).collect(),
            groups,
            routes: plan.routes.iter().map(|(at, f)| (*at, Forward::new(f))).collect(),
            route: 0,
            reads_queues: plan.switch_load_balance.card().needs.contains(&Need::QueueLengths),
            world: World {
                discipline: Discipline::of(plan),
                calendar,
                hosts,
                recorder: Recorder::new(&plan.record, fabric.ports.len()),
            },
            scratch: Scratch::default(),
            events: 0,
        };
        for host in 0..fabric.hosts {
            engine.wake_host(host);
        }
        engine
    }

    fn run(&mut self, observer: &mut dyn Observer) -> (Stop, Time) {
        let rules = StopRules::new(self.plan);
        let mut check = rules.next_check(Time::ZERO);
        let mut next_report = EVENTS_PER_REPORT;
        while let Some(mut start) = self.world.calendar.next_window() {
            let end = self.world.calendar.end_of(start);
            // A window that holds an instant of the stop rules is run in two parts.
            while start < end {
                while check <= start {
                    if let Some(stop) = rules.check(check, &self.world.hosts) {
                        return stop;
                    }
                    check = rules.next_check(check);
                }
                let until = end.min(check);
                self.run_window(start, until);
                if until < end {
                    self.wake_everyone(until);
                }
                start = until;
            }
            if self.events >= next_report {
                next_report = self.events + EVENTS_PER_REPORT;
                let progress = Progress {
                    now: end,
                    packet_hops: self.packet_hops(),
                    flows_done: self.world.hosts.flows_done,
                    packets_acked: self.world.hosts.packets_acked,
                };
                if !observer.progress(&progress) {
                    return (Stop::Interrupted, end);
                }
            }
        }
        rules.exhausted(&self.world.hosts)
    }

    /// Runs everything in `start..end`, which lies in the calendar's current window.
    fn run_window(&mut self, start: Time, end: Time) {
        while self.routes.get(self.route + 1).is_some_and(|(from, _)| *from <= start) {
            self.route += 1;
        }
        let mut nodes = std::mem::take(&mut self.scratch.nodes);
        self.world.calendar.take_switches(&mut nodes);
        for &switch in &nodes {
            self.run_switch(SwitchId(switch), start, end);
        }
        self.world.calendar.take_hosts(&mut nodes);
        let mut last_group = None;
        for &host in &nodes {
            let root = self.world.hosts.groups()[host as usize];
            if self.groups[root as usize].is_empty() {
                self.run_host(host, start, end);
            } else if last_group != Some(root) {
                last_group = Some(root);
                self.run_group(root, start, end);
            }
        }
        self.scratch.nodes = nodes;
    }

    fn run_switch(&mut self, id: SwitchId, start: Time, end: Time) {
        let mut keys = std::mem::take(&mut self.scratch.keys);
        let mut in_ports = std::mem::take(&mut self.scratch.in_ports);
        let mut arrived = std::mem::take(&mut self.scratch.arrived);
        let first_port = self.switches[id.index()].first_port;
        let width = (end.0 - start.0) as u32;
        self.world.calendar.take_in_ports(id.0, &mut in_ports);
        keys.clear();
        arrived.clear();
        for &in_port in &in_ports {
            let peer = self.ports[(first_port + in_port) as usize].peer;
            let ring = &self.ports[peer.index()].link_ring;
            let mut place = 0;
            while place < ring.len() as u32 {
                let offset = ring.get(place).offset(start);
                if offset >= width {
                    break;
                }
                keys.push(
                    (u64::from(offset) << 32) | (u64::from(in_port) << 16) | u64::from(place),
                );
                place += 1;
            }
            arrived.push((peer, place));
        }
        self.scratch.sort.sort(&mut keys, width);
        self.events += keys.len() as u64;
        let boundary = self.routes.get(self.route + 1).map_or(Time::NEVER, |(from, _)| *from);
        for &key in &keys {
            let now = Time(start.0 + (key >> 32));
            let came_in = PortId(first_port + ((key >> 16) as u32 & 0xffff));
            let peer = self.ports[came_in.index()].peer;
            let frame = self.ports[peer.index()].link_ring.get(key as u32 & 0xffff).frame;
            let route = if now < boundary { self.route } else { self.route_at(now) };
            self.forward(id, now, came_in, route, frame);
        }
        // Rings are read by place, so they move on only now.
        for &(link, arrived) in &arrived {
            self.ports[link.index()].link_ring.skip(arrived);
        }
        self.scratch.keys = keys;
        self.scratch.in_ports = in_ports;
        self.scratch.arrived = arrived;
        self.replay_busy(id, end);
    }

    fn route_at(&self, now: Time) -> usize {
        self.routes.iter().rposition(|(from, _)| *from <= now).unwrap_or(0)
    }

    #[inline]
    fn forward(&mut self, id: SwitchId, now: Time, came_in: PortId, route: usize, frame: Frame) {
        let host = self.world.hosts.locators().host(frame.to);
        let choices = self.routes[route].1.ports(id, host);
        let count = choices.count();
        let dead = is_dead(&self.switches[id.index()].deaths, now);
        if dead || count == 0 {
            let cause = if dead { DropCause::NodeDown } else { DropCause::NoRoute };
            let came_from = self.ports[came_in.index()].peer;
            self.ports[came_from.index()].drop(now, frame, cause, &mut self.world);
            return;
        }
        let chosen = if count == 1 {
            0
        } else {
            if self.reads_queues {
                for i in 0..count {
                    self.ports[choices.get(i).index()].replay(now, &mut self.world);
                }
            }
            let fabric = &self.plan.fabric;
            let header = Header {
                flow_key: frame.to.0,
                entropy: frame.entropy(),
                bytes: frame.size(),
                control: frame.is_control(),
            };
            let ports = &self.ports;
            let choices = Choices {
                count,
                group: &|| {
                    let edge = fabric.edge(host);
                    Group { edge: edge.0, pod: fabric.switches[edge.index()].pod }
                },
                queues: &|i| Bytes(ports[choices.get(i).index()].bytes.iter().sum()),
            };
            let SwitchState { selector, rng, .. } = &mut self.switches[id.index()];
            selector.select(&mut Cx { now, rng, events: &mut () }, &header, &choices)
        };
        let out = choices.get(chosen);
        self.ports[out.index()].enqueue(now, came_in, frame, &mut self.world);
        let switch = &mut self.switches[id.index()];
        let local = out.0 - switch.first_port;
        switch.busy[local as usize / 64] |= 1 << (local % 64);
    }

    /// Carries out the departures of a switch before `end`, and wakes it for those to come.
    fn replay_busy(&mut self, id: SwitchId, end: Time) {
        let mut next = Time::NEVER;
        let until = Time(end.0 - 1);
        let switch = &mut self.switches[id.index()];
        for (index, word) in switch.busy.iter_mut().enumerate() {
            let mut bits = *word;
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                let port = (switch.first_port + index as u32 * 64 + bit) as usize;
                let port = &mut self.ports[port];
                port.replay(until, &mut self.world);
                let action = port.next_action();
                if action == Time::NEVER {
                    *word &= !(1 << bit);
                }
                next = next.min(action);
            }
        }
        if next < Time::NEVER {
            self.world.calendar.wake(next, Wake::Switch { switch: id.0 });
        }
    }

    fn run_host(&mut self, host: u32, start: Time, end: Time) {
        while self.host_next(host, start) < end {
            self.step_host(host, start);
        }
        self.wake_host(host);
    }

    /// Hosts tied by triggers: one event at a time, in order of time and host.
    fn run_group(&mut self, root: u32, start: Time, end: Time) {
        use std::cmp::Reverse;
        let members = std::mem::take(&mut self.groups[root as usize]);
        let mut heap: std::collections::BinaryHeap<_> =
            members.iter().map(|&host| Reverse((self.host_next(host, start), host))).collect();
        while let Some(Reverse((at, host))) = heap.pop() {
            if at >= end {
                break;
            }
            // An entry that a trigger has overtaken: look again.
            if self.host_next(host, start) == at {
                self.step_host(host, start);
                for woken in std::mem::take(&mut self.world.hosts.woken) {
                    heap.push(Reverse((self.host_next(woken.0, start), woken.0)));
                }
                heap.push(Reverse((self.host_next(host, start), host)));
            }
        }
        for &host in &members {
            self.wake_host(host);
        }
        self.groups[root as usize] = members;
    }

    /// When the next frame reaches `host`; `start` is not after it.
    #[inline]
    fn next_arrival(&self, host: u32, start: Time) -> Time {
        let peer = self.ports[host as usize].peer;
        let ring = &self.ports[peer.index()].link_ring;
        if ring.is_empty() {
            return Time::NEVER;
        }
        Time(start.0 + u64::from(ring.get(0).offset(start)))
    }

    #[inline]
    fn host_next(&self, host: u32, start: Time) -> Time {
        self.next_arrival(host, start).min(self.world.hosts.next_local(HostId(host)))
    }

    /// Runs the next event of `host`: an arrival before a local event at the same instant.
    #[inline]
    fn step_host(&mut self, host: u32, start: Time) {
        self.events += 1;
        let id = HostId(host);
        let arrival = self.next_arrival(host, start);
        let local = self.world.hosts.next_local(id);
        if arrival <= local {
            let peer = self.ports[host as usize].peer;
            let Some(entry) = self.ports[peer.index()].link_ring.pop() else { return };
            if is_dead(&self.host_deaths[host as usize], arrival) {
                let link = &mut self.ports[peer.index()];
                link.drop(arrival, entry.frame, DropCause::NodeDown, &mut self.world);
            } else {
                self.world.hosts.on_frame(arrival, id, entry.frame);
            }
        } else if let Some(departure) = self.world.hosts.run_local(local, id) {
            let port = PortId(host);
            if departure.lost.is_some() {
                self.world.hosts.note_dropped(departure.frame);
                self.world.recorder.dropped(port, local);
            } else {
                let wire = &mut self.ports[host as usize];
                wire.launch(departure.departs, departure.frame, &mut self.world.calendar);
            }
            if departure.lost != Some(DropCause::LinkDown) {
                self.world.recorder.departed(port, departure.departs, departure.frame);
            }
        }
    }

    fn wake_host(&mut self, host: u32) {
        let next = self.world.hosts.next_local(HostId(host));
        if next < Time::NEVER {
            self.world.calendar.wake(next, Wake::Host { host });
        }
    }

    /// After half a window: everyone who has something to do from `now` on.
    fn wake_everyone(&mut self, now: Time) {
        for port in &mut self.ports {
            port.wake_again(now, &mut self.world.calendar);
        }
        for host in 0..self.plan.fabric.hosts {
            self.wake_host(host);
        }
    }

    fn packet_hops(&self) -> u64 {
        let switches: u64 = self.ports.iter().map(|port| port.record.frames).sum();
        switches + self.world.hosts.frames_sent()
    }

    fn finish(self, stop: Stop, end: Time) -> Outcome {
        let on_links = self.ports.iter().flat_map(|port| port.link_ring.iter());
        let on_links = on_links.filter(|entry| entry.frame.is_data()).count() as u64;
        let queued: u64 = self.ports.iter().map(Port::data_queued).sum();
        let (flows, nics, timeline) = self.world.hosts.finish();
        let mut ports: Vec<_> = self.ports.into_iter().map(|port| port.record).collect();
        for (own, mut nic) in ports.iter_mut().zip(nics) {
            // Frames that a dead switch or one without a route lost are noted at the host's port.
            nic.add_losses(own);
            *own = nic;
        }
        let (series, timeline) = self.world.recorder.finish(timeline);
        Outcome {
            packet_hops: ports.iter().map(|port| port.frames).sum(),
            flows,
            ports,
            series,
            timeline,
            stop,
            end,
            in_flight_data: on_links + queued,
            events: self.events,
        }
    }
}

#[inline]
fn is_dead(windows: &[(Time, Time)], now: Time) -> bool {
    !windows.is_empty() && windows.iter().any(|(from, until)| (*from..*until).contains(&now))
}
