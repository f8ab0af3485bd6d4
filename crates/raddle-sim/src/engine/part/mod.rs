//! A part of the fabric: some of its nodes, run by one thread.
//!
//! Nodes, ports and links have numbers of their own within a part: hosts' ports first, those of one
//! plane after those of another, each in order of host, then switches' ports in order of switch, then
//! the links that come in from other parts.
//! Where one part holds everything these are the fabric's own numbers.

mod hosts;
pub(super) mod prefetch;
pub(super) mod switches;
mod wiring;

use super::link::{FarEnd, Line};
use super::partition::Partition;
use crate::engine::link::arrivals::Arrivals;
use crate::engine::link::outbox::Outbox;
use crate::engine::notes::Notes;
use crate::engine::port::kinds::SwitchPorts;
use crate::engine::schedule::calendar::{Calendar, Wake};
use crate::engine::schedule::steps::NodeRanges;
use crate::engine::schedule::windows::Grid;
use crate::engine::switch::SwitchState;
use crate::engine::switch::build::switch_states;
use crate::engine::switch::next_hops::Forward;
use crate::engine::world::{Discipline, World};
use crate::host::Hosts;
use crate::host::layout::Layout;
use crate::plan::Plan;
use crate::record::deadlock::Waiting;
use crate::record::probes::ProbeRow;
use crate::record::recorder::Recorder;
use crate::record::{CreditRecord, PortRecord, RetryRecord, TorRecord, TrainingRow};
use crate::topology::{Fabric, Node};
use crate::waits::Waits;
use crate::wire::arbitration::Arbitration;
use crate::wire::frame::count;
use raddle_schemes::buffer::headroom::Pools;
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::units::Time;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use wiring::Wiring;

/// Some nodes of the fabric, with the links into them and all that they share.
pub(super) struct Part<'a> {
    pub(super) plan: &'a Plan,
    /// One per port, and one per link from another part.
    pub(super) lines: Vec<Line>,
    /// Where each line leads.
    pub(super) far_ends: Vec<FarEnd>,
    /// Per port, the line that ends there.
    pub(super) feeders: Vec<u32>,
    /// Switch ports, by [`Line::place`].
    pub(super) ports: SwitchPorts,
    pub(super) switches: Vec<SwitchState>,
    pub(super) hosts: Vec<HostId>,
    /// How many ports they have in all.
    pub(super) host_ports: usize,
    pub(super) host_deaths: Vec<Vec<(Time, Time)>>,
    /// The smallest host of each host's group.
    pub(super) group_of: Vec<u32>,
    /// Members of each group, at its smallest host; empty for hosts on their own.
    pub(super) groups: Vec<Vec<u32>>,
    /// Which host of a group goes first at an instant.
    pub(super) arbitration: Arbitration,
    /// Which port of a host goes first at an instant.
    of_host_ports: Arbitration,
    pub(super) routes: Vec<(Time, Forward<'a>)>,
    /// Index of the route in force at the start of the half of a window that is being run.
    pub(super) route: usize,
    /// Where switches find the keys of flows, if flows share them.
    pub(super) keys: Option<Arc<Layout>>,
    /// Switches with hosts, and a port of one of each one's hosts, where packets make detours.
    pub(super) edges: (Vec<SwitchId>, Vec<PortId>),
    pub(super) world: World<'a>,
    pub(super) scratch: Scratch,
    pub(super) events: u64,
    /// Whether switches run from the last to the first in this window. They take turns: what ran
    /// last is still in the caches, so it runs first.
    pub(super) backwards: bool,
    /// How many flows hosts have each, if they are so few that these are likely what they run; else
    /// none.
    pub(super) few_flows: u32,
    /// Whether more are under way than the caches hold.
    pub(super) many_under_way: bool,
    /// The line whose rings are looked at next for memory to give back.
    to_shrink: usize,
}

/// Flows to a host that are few.
const FEW_FLOWS: usize = 4;

/// Flows whose ends take about the megabyte that a core has of its own.
const CACHED_FLOWS: usize = 2048;

/// Halves of windows in which all rings are looked at once, about a millisecond: so many that it costs
/// nothing, and that a ring which a burst passes again and again is not resized each time.
const SHRINKING_ROUND: usize = 1024;

/// Lists used anew in every window.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) nodes: Vec<u32>,
    /// Hosts below a switch.
    pub(super) below: Vec<u32>,
    pub(super) arrivals: Arrivals,
}

/// Hosts that run together, by the first of them; none where a host is alone.
fn groups(group_of: &[u32]) -> Vec<Vec<u32>> {
    let mut groups = vec![Vec::new(); group_of.len()];
    for (host, &root) in (0..).zip(group_of) {
        groups[root as usize].push(host);
    }
    for group in groups.iter_mut().filter(|group| group.len() == 1) {
        group.clear();
    }
    groups
}

/// Gives every switch of the part the hosts that are below it, as far as they are neighbours.
fn put_hosts_below(
    fabric: &Fabric,
    host_ports: &[PortId],
    members: &[SwitchId],
    switches: &mut [SwitchState],
) {
    for (host, id) in (0..).zip(host_ports) {
        let Node::Switch(edge) = fabric.destination(*id) else { continue };
        let Ok(edge) = members.binary_search(&edge) else { continue };
        let below = &mut switches[edge].hosts;
        if below.end == 0 {
            *below = host..host;
        }
        if below.end == host {
            below.end += 1;
        }
    }
}

impl<'a> Part<'a> {
    /// Part `part` of a run.
    pub(super) fn new(
        (plan, waits): (&'a Plan, &Waits<'_>),
        grid: &Grid,
        layout: &Arc<Layout>,
        partition: &Partition,
        part: u32,
    ) -> Self {
        let fabric = &plan.fabric;
        let members = &partition.members[part as usize];
        // Own ports in the order of this part, by their number in the fabric.
        let of_plane = |plane| members.hosts.iter().map(move |&host| fabric.host_port(host, plane));
        let mut ids: Vec<PortId> = (0..fabric.planes).flat_map(of_plane).collect();
        let host_ports = ids.len();
        let longest_rtt = waits.longest_rtt;
        let mut switches = switch_states(plan, &members.switches, longest_rtt, &mut ids);
        let hosts = members.hosts.len();
        let wiring = Wiring::of(fabric, partition, &ids, hosts, &switches);
        let (lines, far_ends, ports) = wiring.lines(plan, host_ports, &mut switches, longest_rtt);
        let root_of = |host: &HostId| wiring.number(PortId(layout.groups()[host.index()]));
        let group_of: Vec<u32> = members.hosts.iter().map(root_of).collect();
        let groups = groups(&group_of);
        // Hosts tied by triggers run together, and those with several ports, when all switches on the
        // edge side have run.
        if groups.iter().all(Vec::is_empty) && fabric.planes == 1 {
            put_hosts_below(fabric, &ids[..hosts], &members.switches, &mut switches);
        }
        let largest = fabric.switches.iter().map(|switch| switch.ports.len()).max().unwrap_or(0);
        let sides = switches.iter().map(|switch| grid.on_edge_side[switch.id.index()]);
        let calendar = Calendar::new((grid.width.0, grid.lag.0), sides, hosts, largest);
        let flows = plan.traffic.flows.len().div_ceil(fabric.hosts as usize);
        let mut part = Self {
            plan,
            lines,
            far_ends,
            feeders: wiring.feeders(),
            ports,
            switches,
            hosts: members.hosts.clone(),
            host_ports,
            host_deaths: members
                .hosts
                .iter()
                .map(|&id| plan.faults.deaths(Node::Host(id)))
                .collect(),
            group_of,
            groups,
            arbitration: Arbitration::of_hosts(plan.seed),
            of_host_ports: Arbitration::of_host_ports(plan.seed),
            routes: plan.routes.iter().map(|(at, f)| (*at, Forward::new(f))).collect(),
            route: 0,
            edges: plan.edges_of_detours(),
            keys: layout.shares_keys().then(|| Arc::clone(layout)),
            world: World {
                discipline: Discipline::of(plan),
                calendar,
                hosts: Hosts::of(plan, layout, waits, &members.hosts),
                recorder: Recorder::new(plan),
                outbox: Outbox::to(partition.members.len()),
                notes: Notes::of(plan),
                gone: Vec::new(),
                lost_on_arrival: BTreeMap::new(),
            },
            scratch: Scratch::default(),
            events: 0,
            backwards: false,
            few_flows: if flows <= FEW_FLOWS { flows as u32 } else { 0 },
            many_under_way: false,
            to_shrink: 0,
        };
        for host in 0..hosts as u32 {
            part.wake_host(host);
        }
        part
    }

    /// Runs the nodes that have something to do, each over its range.
    pub(super) fn run_window(&mut self, ranges: &NodeRanges) {
        self.world.calendar.move_to(ranges.window);
        self.many_under_way =
            self.few_flows == 0 && self.world.hosts.flows_under_way() > CACHED_FLOWS;
        if !ranges.edge.is_empty() {
            self.backwards = !self.backwards;
            self.run_switches(true, &ranges.edge, &ranges.hosts);
        }
        if !ranges.hosts.is_empty() {
            self.run_other_hosts(&ranges.hosts);
        }
        if !ranges.far.is_empty() {
            self.run_switches(false, &ranges.far, &ranges.hosts);
        }
        self.world.calendar.finish();
        self.shrink_some_rings();
    }

    /// Runs the switches of one side, each followed by hosts below it.
    fn run_switches(&mut self, on_edge_side: bool, range: &Range<Time>, hosts_range: &Range<Time>) {
        let (start, end) = (range.start, range.end);
        while self.routes.get(self.route + 1).is_some_and(|(from, _)| *from <= start) {
            self.route += 1;
        }
        let mut nodes = std::mem::take(&mut self.scratch.nodes);
        let mut below = std::mem::take(&mut self.scratch.below);
        self.world.calendar.take_switches(on_edge_side, &mut nodes);
        if self.backwards {
            nodes.reverse();
        }
        for (i, &switch) in nodes.iter().enumerate() {
            if let Some(&later) = nodes.get(i + 3) {
                self.prefetch_ports(later);
            }
            if let Some(&later) = nodes.get(i + 2) {
                self.prefetch_extras(later);
            }
            if let Some(&next) = nodes.get(i + 1) {
                self.prefetch_frames(next);
            }
            self.run_switch(switch, start, end);
            if hosts_range.is_empty() {
                continue;
            }
            let hosts = self.switches[switch as usize].hosts.clone();
            self.world.calendar.take_hosts_of(hosts, &mut below);
            for (i, &host) in below.iter().enumerate() {
                self.prefetch_hosts(&below, i);
                self.run_host(host, hosts_range.start, hosts_range.end);
            }
        }
        self.scratch.nodes = nodes;
        self.scratch.below = below;
    }

    /// Runs the hosts that have not run yet.
    fn run_other_hosts(&mut self, range: &Range<Time>) {
        let (start, end) = (range.start, range.end);
        let mut nodes = std::mem::take(&mut self.scratch.nodes);
        self.world.calendar.take_hosts(&mut nodes);
        let mut last_group = None;
        for (i, &host) in nodes.iter().enumerate() {
            self.prefetch_hosts(&nodes, i);
            let root = self.group_of[host as usize];
            if self.groups[root as usize].is_empty() {
                self.run_host(host, start, end);
            } else if last_group != Some(root) {
                last_group = Some(root);
                self.run_group(root, start, end);
            }
        }
        self.scratch.nodes = nodes;
    }

    fn shrink_some_rings(&mut self) {
        for _ in 0..self.lines.len().div_ceil(SHRINKING_ROUND) {
            let line = &mut self.lines[self.to_shrink];
            line.ring.shrink();
            self.ports.shrink(line.place);
            self.to_shrink = (self.to_shrink + 1) % self.lines.len();
        }
    }

    /// Begins windows anew at `now`, up to which all nodes have run.
    pub(super) fn begin(&mut self, now: Time) {
        let calendar = &mut self.world.calendar;
        calendar.begin(now);
        for (line, far_end) in self.lines.iter_mut().zip(&self.far_ends) {
            if let FarEnd::Here(wake) = far_end {
                line.wake_again(now, *wake, calendar);
            }
        }
        for switch in 0..self.switches.len() as u32 {
            calendar.wake(now, Wake::Switch { switch });
        }
        for host in 0..self.hosts.len() as u32 {
            self.wake_host(host);
        }
    }

    pub(super) fn packet_hops(&self) -> u64 {
        let lines = &self.lines[self.host_ports..self.feeders.len()];
        let switches = lines.iter().map(|line| self.ports.record(line.place).frames);
        switches.sum::<u64>() + self.world.hosts.frames_sent()
    }

    /// Most bytes of memory ever used, of switches whose ports share theirs.
    pub(super) fn memories(&self) -> impl Iterator<Item = (SwitchId, u64)> {
        let of = |switch: &SwitchState| Some((switch.id, switch.shared.pool.as_ref()?.most()));
        self.switches.iter().filter_map(of)
    }

    /// What pools of memory came to, of switches whose policy has any.
    pub(super) fn pools(&self) -> impl Iterator<Item = (SwitchId, Pools)> {
        let of = |switch: &SwitchState| Some((switch.id, switch.shared.pool.as_ref()?.pools()?));
        self.switches.iter().filter_map(of)
    }

    /// What became of packets, of switches where that was recorded.
    pub(super) fn training(&self) -> impl Iterator<Item = (SwitchId, Vec<TrainingRow>)> {
        let of = |switch: &SwitchState| Some((switch.id, switch.shared.pool.as_ref()?.training()?));
        self.switches.iter().filter_map(of)
    }

    /// What switches have shown, when the run has ended.
    pub(super) fn probes(&mut self) -> Vec<ProbeRow> {
        let mut rows = Vec::new();
        for SwitchState { scheme, shared, .. } in &mut self.switches {
            rows.extend(scheme.end_probes());
            rows.extend(shared.tor.iter_mut().flat_map(|tor| tor.probes()));
            rows.extend(shared.pool.iter_mut().flat_map(|pool| pool.memory.probes()));
        }
        rows
    }

    /// Of each port under flow control, the classes that its far end is to pause, a bit for each, and
    /// the data that waits there.
    pub(super) fn held(&self) -> impl Iterator<Item = (PortId, u8, Vec<Waiting>)> {
        let general = self.ports.general.iter();
        general.map(|port| (port.id(), port.pausing(), port.waiting().collect()))
    }

    /// Of each port with credits, the classes that wait for some, a bit for each.
    pub(super) fn without_credit(&self) -> impl Iterator<Item = (PortId, u8)> {
        self.ports.general.iter().map(|port| (port.id(), port.without_credit()))
    }

    /// What credits came to, in a run that ends at `end`.
    pub(super) fn credits(&self, end: Time) -> impl Iterator<Item = (PortId, CreditRecord)> {
        let general = self.ports.general.iter();
        let own = general.filter_map(move |port| Some((port.id(), port.credit_record(end)?)));
        own.chain(self.world.hosts.credits(end))
    }

    /// What middleware did.
    pub(super) fn tors(&self) -> impl Iterator<Item = (SwitchId, TorRecord)> {
        let of = |switch: &SwitchState| Some((switch.id, switch.shared.tor.as_ref()?.record));
        self.switches.iter().filter_map(of)
    }

    /// What retry did on the links that leave this part's nodes.
    pub(super) fn retries(&self) -> impl Iterator<Item = (PortId, RetryRecord)> {
        let general = self.ports.general.iter();
        let own = general.filter_map(|port| Some((port.id(), port.retry_record()?)));
        own.chain(self.world.hosts.retries())
    }

    /// What passed the ports of this part's switches.
    pub(super) fn port_records(&self) -> impl Iterator<Item = (PortId, PortRecord)> {
        let ids = self.switches.iter().flat_map(|switch| {
            let ports = self.plan.fabric.switches[switch.id.index()].ports.clone();
            ports.map(PortId)
        });
        ids.zip(&self.lines[self.host_ports..])
            .map(|(id, line)| (id, self.ports.record(line.place).clone()))
    }

    /// Data packets queued, held or on a link, and pulls and requests.
    pub(super) fn in_flight(&self) -> (u64, u64) {
        let on_links = self.lines.iter().flat_map(|line| line.ring.iter());
        let held = self.switches.iter().filter_map(|switch| switch.shared.tor.as_ref());
        let held = held.flat_map(|tor| tor.held());
        let (data, credit) = count(on_links.map(|entry| entry.frame).chain(held));
        let (queued, kept) = (self.ports.queued(), self.world.hosts.kept());
        (data + queued.0 + kept.0 + self.world.hosts.in_line(), credit + queued.1 + kept.1)
    }
}
