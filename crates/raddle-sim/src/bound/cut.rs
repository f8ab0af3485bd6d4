//! What the links out of a group of hosts have to carry, and those into it.
//!
//! A group is the hosts below a switch, or those of a pod. Whatever paths packets take, what goes
//! from a group to hosts elsewhere crosses the links that leave it, as fast as all of these are
//! together. Below a switch with fewer or slower uplinks than hosts' links, or where links are
//! broken, that takes longer than what any host's link has to carry.

use super::detours::detours;
use super::flows::{Flows, Running, Way};
use super::frames::Frames;
use super::route::crossing;
use crate::faults::{Faults, PortChange};
use crate::plan::Plan;
use crate::topology::routing::Forwarding;
use crate::topology::{Fabric, Node, Switch};
use crate::workload::Flow;
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::units::{Span, Time};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The links that keep a run the longest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// No run is faster.
    pub time: Span,
    /// The switch that the hosts are below; the first of them in a pod.
    pub switch: SwitchId,
    /// Whether all hosts of that switch's pod are meant.
    pub pod: bool,
    /// Whether the links enter the group; else they leave it.
    pub entering: bool,
}

impl Cut {
    /// The word in results and tables, where faults are taken into account.
    pub const UNDER_FAULTS: &'static str = "cut_faults";
}

/// The bound of a plan under its faults; `None` where nothing leaves any group, where some links never
/// carry all that they have to, and where packets may come by detours that are shorter.
pub fn under_faults(plan: &Plan) -> Option<Cut> {
    if detours(plan) {
        return None;
    }
    let frames = Frames::from(plan);
    let flows = Flows::new(&plan.traffic, &plan.fabric, &frames);
    tightest(&flows, &plan.fabric, &plan.faults)
}

/// The group and direction whose links keep the flows the longest under `faults`; `None` as for
/// [`under_faults`].
pub(super) fn tightest(flows: &Flows<'_>, fabric: &Fabric, faults: &Faults) -> Option<Cut> {
    let frames = flows.frames;
    let largest = flows.traffic.flows.iter().map(|flow| frames.first(flow.bytes).0).max()?;
    let groups = Groups::of(fabric);
    let mut cuts = Vec::new();
    for (pod, entering) in [(false, false), (false, true), (true, false), (true, true)] {
        let crossings = flows.alike().filter_map(|(first, count)| {
            let ends = [first.flow.source, first.flow.destination];
            let [from, to] = ends.map(|host| groups.group(host, pod));
            let group = if entering { to } else { from };
            let depth = groups.depth(pod);
            (from != to).then(|| Crossing::of(&first, count, frames, group, entering, depth))
        });
        let mut all: Vec<Crossing> = Vec::new();
        for crossing in crossings {
            match all.last_mut() {
                Some(last) if last.is_alike(&crossing) => last.bytes += crossing.bytes,
                _ => all.push(crossing),
            }
        }
        all.sort_unstable_by_key(|crossing| (crossing.group, Reverse(crossing.from)));
        for load in all.chunk_by(|a, b| a.group == b.group) {
            let group = load[0].group;
            let wires = groups.wires.get(&(group, entering)).map_or(&[][..], Vec::as_slice);
            let capacity = Capacity::of(fabric, wires, faults);
            // No gap follows what a wire carries last, in all or before an outage; what it sends when
            // it becomes slower goes on as it was.
            let gaps = (wires.len() as u64 + capacity.outages) * frames.gap.0;
            let spared = 8 * (capacity.slower * (largest + frames.gap.0) + gaps);
            let time = finish(load, &capacity, u128::from(spared))?.since(Time::ZERO);
            cuts.push((group, entering, time));
        }
    }
    // Of equals, the first group.
    let (group, entering, time) =
        cuts.into_iter().min_by_key(|&(group, entering, time)| (Reverse(time), group, entering))?;
    let (Group::Switch(switch) | Group::Pod(switch)) = group;
    Some(Cut { time, switch, pod: matches!(group, Group::Pod(_)), entering })
}

/// What flows have that crosses the links of a group in one direction. There may be millions.
struct Crossing {
    group: Group,
    /// When it can cross, at the earliest.
    from: Time,
    /// Gaps included.
    bytes: u64,
    /// From there to the last ACK, at least.
    after: Span,
}

impl Crossing {
    /// Of links that leave or enter a group at hop `depth` of a way, counted from the group's hosts.
    /// `running` stands for `count` flows like it.
    fn of(
        running: &Running<'_>,
        count: u64,
        frames: &Frames,
        group: Group,
        entering: bool,
        depth: usize,
    ) -> Self {
        let bytes = running.flow.bytes;
        let hops = running.way.route.hops.len();
        let hop = if entering { hops - 1 - depth } else { depth };
        let (before, after) = around(running.way, frames, running.flow, hop);
        let each = bytes.0 + frames.packets(bytes) * (frames.header + frames.gap).0;
        Self { group, from: running.start + before, bytes: count * each, after }
    }

    fn is_alike(&self, other: &Self) -> bool {
        (self.group, self.from, self.after) == (other.group, other.from, other.after)
    }
}

/// The earliest instant at which all that crosses a group's links is carried and the last ACK back,
/// if `spared` bits need not be carried; `load` comes the latest first. `None` if some of it never is.
///
/// Whatever its order, all that can cross only from some instant on is carried after it, and
/// something of it comes last.
fn finish(load: &[Crossing], capacity: &Capacity, spared: u128) -> Option<Time> {
    let (mut bits, mut after) = (0, Span(u64::MAX));
    let mut latest = Time::ZERO;
    for at_once in load.chunk_by(|a, b| a.from == b.from) {
        bits += at_once.iter().map(|crossing| 8 * u128::from(crossing.bytes)).sum::<u128>();
        after = at_once.iter().map(|crossing| crossing.after).fold(after, Span::min);
        if bits > spared {
            let carried = capacity.carried(at_once[0].from, bits - spared)?;
            latest = latest.max(carried + after);
        }
    }
    Some(latest)
}

/// From the start of a flow until its first packet can begin to cross hop `hop`, and from its last
/// packet's last bit leaving there to the last ACK.
fn around(way: &Way, frames: &Frames, flow: &Flow, hop: usize) -> (Span, Span) {
    let hops = &way.route.hops;
    let last = frames.last(flow.bytes);
    let first = frames.first_out(flow.bytes, way.route.links[0]);
    let nic = hops[0].rate.serialisation(first) + hops[0].latency;
    let before = nic + crossing(&hops[1..hop], last);
    let after = hops[hop].latency + crossing(&hops[hop + 1..], last);
    (before, after + way.back.crossing(frames.ack))
}

/// Hosts that share links to all others, by the first switch that they are below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Switch(SwitchId),
    Pod(SwitchId),
}

/// The groups of a fabric.
struct Groups {
    /// Per host.
    edges: Vec<SwitchId>,
    /// Per switch, the first switch of its pod; core switches are pods of their own.
    pods: Vec<SwitchId>,
    /// Which hop of a way leaves the pod, at the earliest.
    pod_depth: usize,
    /// The links between switches that leave each group, or enter it.
    wires: BTreeMap<(Group, bool), Vec<PortId>>,
}

impl Groups {
    fn of(fabric: &Fabric) -> Self {
        let top = fabric.switches.iter().map(|switch| switch.tier).max().unwrap_or(0);
        let tree = matches!(fabric.forwarding, Forwarding::Tree(_));
        let mut first = BTreeMap::new();
        let pod = |(id, switch): (u32, &Switch)| match switch.tier {
            tier if tier == top && top > 0 => SwitchId(id),
            _ => *first.entry(switch.pod).or_insert(SwitchId(id)),
        };
        let mut pods: Vec<SwitchId> = (0..).zip(&fabric.switches).map(pod).collect();
        let mut switches: Vec<SwitchId> = (0..fabric.switches.len() as u32).map(SwitchId).collect();
        // What hosts with several ports send leaves by any of them. Pods that share a host count as
        // one, and so do those that each share hosts with a third.
        for host in (0..fabric.hosts).map(HostId) {
            let first = fabric.edge(host);
            for edge in fabric.ports_of(host).map(|port| fabric.edge_of(port)) {
                switches[edge.index()] = first;
                let [own, other] = [first, edge].map(|switch| pods[switch.index()]);
                let one = own.min(other);
                if own != other {
                    let joined = pods.iter_mut().filter(|pod| [own, other].contains(pod));
                    joined.for_each(|pod| *pod = one);
                }
            }
        }
        let mut wires: BTreeMap<(Group, bool), Vec<PortId>> = BTreeMap::new();
        for id in (fabric.host_ports()..fabric.ports.len() as u32).map(PortId) {
            let ends = (fabric.ports[id.index()].owner, fabric.destination(id));
            let (Node::Switch(from), Node::Switch(to)) = ends else { continue };
            let [first, last] = [from, to].map(|switch| pods[switch.index()]);
            let [from, to] = [from, to].map(|switch| switches[switch.index()]);
            let pod = (first != last).then_some([Group::Pod(first), Group::Pod(last)]);
            for [from, to] in [[Group::Switch(from), Group::Switch(to)]].into_iter().chain(pod) {
                wires.entry((from, false)).or_default().push(id);
                wires.entry((to, true)).or_default().push(id);
            }
        }
        Self {
            edges: (0..fabric.hosts).map(|host| fabric.edge(HostId(host))).collect(),
            pods,
            // Where a fabric is no tree, pods may be joined at any tier.
            pod_depth: if tree { usize::from(top) } else { 1 },
            wires,
        }
    }

    /// Which hop of a way leaves a group, the first one being the NIC's.
    fn depth(&self, pod: bool) -> usize {
        if pod { self.pod_depth } else { 1 }
    }

    fn group(&self, host: HostId, pod: bool) -> Group {
        let edge = self.edges[host.index()];
        if pod { Group::Pod(self.pods[edge.index()]) } else { Group::Switch(edge) }
    }
}

/// What a set of links can carry together, over time.
struct Capacity {
    /// Bits per second from an instant on, in order of time, and what has been carried until then in
    /// bits times picoseconds per second.
    steps: Vec<(Time, u128, u128)>,
    /// How often a link becomes slower while it is up.
    slower: u64,
    /// How often a link goes down.
    outages: u64,
}

const PS_PER_SECOND: u128 = 1_000_000_000_000;

impl Capacity {
    fn of(fabric: &Fabric, wires: &[PortId], faults: &Faults) -> Self {
        let mut changes: BTreeMap<Time, i128> = BTreeMap::new();
        let (mut slower, mut outages) = (0, 0);
        for &wire in wires {
            let mut rate = fabric.ports[wire.index()].rate;
            let (mut down, mut before) = (false, i128::from(rate.0));
            *changes.entry(Time::ZERO).or_default() += before;
            for &(at, change) in faults.changes_of(wire) {
                match change {
                    PortChange::Down => {
                        down = true;
                        outages += 1;
                    }
                    PortChange::Up => down = false,
                    PortChange::Rate { rate: new, .. } => {
                        slower += u64::from(new < rate && !down && at > Time::ZERO);
                        rate = new;
                    }
                    PortChange::Loss { .. }
                    | PortChange::BitErrors { .. }
                    | PortChange::Uplinks { .. } => {}
                }
                let now = if down { 0 } else { i128::from(rate.0) };
                *changes.entry(at).or_default() += now - before;
                before = now;
            }
        }
        let (mut last, mut rate, mut carried) = (Time::ZERO, 0, 0);
        let steps = changes.into_iter().map(|(at, change)| {
            carried += rate as u128 * u128::from(at.since(last).0);
            (last, rate) = (at, rate + change);
            (at, rate as u128, carried)
        });
        Self { steps: steps.collect(), slower, outages }
    }

    /// When `bits` have been carried from `from` on; `None` for never.
    fn carried(&self, from: Time, bits: u128) -> Option<Time> {
        let now = self.steps.partition_point(|step| step.0 <= from).checked_sub(1)?;
        let (start, rate, before) = self.steps[now];
        let wanted = before + rate * u128::from(from.since(start).0) + bits * PS_PER_SECOND;
        let later = self.steps.partition_point(|&(_, _, carried)| carried < wanted);
        let (start, rate, before) = self.steps[later - 1];
        let more = (wanted - before).checked_div(rate)?;
        let odd = !(wanted - before).is_multiple_of(rate);
        Some(start + Span(u64::try_from(more).ok()? + u64::from(odd)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::testing::LeafSpine;
    use crate::topology::tree::TreeShape;
    use raddle_schemes::units::{Bytes, Rate};

    /// 1000 B take 80 ns and 64 B 5.12 ns at 100 Gbps.
    const FRAMES: Frames =
        Frames { payload: Bytes(936), header: Bytes(64), ack: Bytes(64), gap: Bytes(0) };
    const MESSAGE: Bytes = Bytes(936 * 100);
    /// From the first bit until it can leave a ToR, and from there to the last ACK; 100 Gbps.
    const BEFORE: u64 = 80_000 + 700_000;
    const AFTER: u64 = 700_000 + 80_000 + 700_000 + 80_000 + 500_000 + 2_600_000 + 4 * 5_120;

    /// Two ToRs of two hosts and two spines, 100 Gbps; the first ToR's hosts send to the other's.
    fn both(faults: Vec<(PortId, Vec<(Time, PortChange)>)>) -> Option<Cut> {
        let fabric = LeafSpine::default().fabric();
        let traffic = vec![Flow::at_zero(0, 2, MESSAGE), Flow::at_zero(1, 3, MESSAGE)].into();
        let flows = Flows::new(&traffic, &fabric, &FRAMES);
        let faults = Faults { ports: faults, ..Faults::default() };
        tightest(&flows, &fabric, &faults)
    }

    /// The first ToR's uplinks.
    fn uplink(i: u32) -> PortId {
        PortId(4 + 2 + i)
    }

    #[test]
    fn links_that_are_shared_carry_what_all_hosts_send() {
        let healthy = both(vec![]).unwrap();
        // 200 packets over two links.
        assert_eq!(healthy.time, Span(BEFORE + 100 * 80_000 + AFTER));
        assert_eq!((healthy.switch, healthy.pod, healthy.entering), (SwitchId(0), false, false));
    }

    #[test]
    fn faults_slow_the_links_for_as_long_as_they_last() {
        let at = |us: u64| Time(us * 1_000_000);
        let time =
            |changes: Vec<(Time, PortChange)>| both(vec![(uplink(1), changes)]).map(|cut| cut.time);
        let half = PortChange::Rate { rate: Rate::gbps(50), scale: true };
        let (down, up) = (PortChange::Down, PortChange::Up);
        assert_eq!(time(vec![(Time::ZERO, down)]), Some(Span(BEFORE + 200 * 80_000 + AFTER)));
        let slow = 200 * 80_000 * 2 / 3 + 1;
        assert_eq!(time(vec![(Time::ZERO, half)]), Some(Span(BEFORE + slow + AFTER)));
        // One link for 3 us, 1.22 us of which before the first packet is there: half of that time
        // is lost of what both have.
        let (early, late) =
            (vec![(Time::ZERO, down), (at(3), up)], vec![(at(1), down), (at(3), up)]);
        let lost = (3_000_000 - BEFORE) / 2;
        assert_eq!(time(early), Some(Span(BEFORE + 100 * 80_000 + lost + AFTER)));
        assert_eq!(time(late), Some(Span(BEFORE + 100 * 80_000 + 1_000_000 + AFTER)));
        // What a link sends when it becomes slower goes on as it was: one packet is spared.
        let later = time(vec![(at(1), half)]).unwrap().0;
        let full = 2 * (1_000_000 - BEFORE);
        let rest = ((199 * 80_000 - full) * 2).div_ceil(3);
        assert_eq!(later, 1_000_000 + rest + AFTER);
    }

    #[test]
    fn links_that_are_all_down_for_good_carry_nothing() {
        let dead = [0, 1].map(|i| (uplink(i), vec![(Time(5_000_000), PortChange::Down)]));
        assert_eq!(both(dead.to_vec()), None);
    }

    #[test]
    fn pods_are_what_is_below_the_top() {
        let shape = TreeShape::fat_tree(3, 16, Rate::gbps(100), Span::ns(500), Span::ZERO);
        let fabric = shape.unwrap().build().unwrap();
        let groups = Groups::of(&fabric);
        let [edge, pod] = [false, true].map(|pod| groups.group(HostId(5), pod));
        let count = |group, entering| groups.wires[&(group, entering)].len();
        // Radix 4: two uplinks of a ToR, and two of each of two aggregation switches.
        assert_eq!([count(edge, true), count(edge, false)], [2, 2]);
        assert_eq!([count(pod, true), count(pod, false)], [4, 4]);
        assert_eq!(groups.group(HostId(4), true), pod);
        assert_ne!(groups.group(HostId(3), true), pod);
    }
}
