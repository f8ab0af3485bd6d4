//! rho_max: the pace at which every flow can send at once, if each is split equally over its paths.
//!
//! From the load-balancing study (OFAN), appendix A. One unit of each flow is split equally over
//! the flow's shortest paths, by number of hops, over the links that faults leave; the rate is the
//! lowest ratio of a link's own to its load. Where all links have rate B that is B / F, F being the
//! largest load of a directed link. What an optimal split could give is at least that.
//!
//! The study paces every flow at rho_max from the start, and takes its bounds with rho_max in place
//! of the rate: [`bound`]. They are that study's measure and no lower bounds. They count each ACK,
//! and each link of a frame's way, at the pace; but frames cross links at the links' rates, and
//! hosts send ACKs at line rate between the slots of data. What the pace asks is that a flow's last
//! packet waits for its slot. A paced run can be faster by the share of the ACKs, 2 % with packets
//! of 4 KiB; and where a smarter split exists an unpaced run can be faster, too.

use super::flows::Flows;
use super::{Bound, Formula, Frames, all_to_all_time, exchanged, permutation_time};
use crate::faults::PortChange;
use crate::plan::Plan;
use crate::topology::routing::{Forwarding, Table, Weighting};
use crate::topology::{Fabric, Node};
use crate::workload::{Flow, Start, Traffic};
use raddle_schemes::congestion::{self, fixed_rate::rho_max_share};
use raddle_schemes::family::Raw;
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::units::{Rate, Time};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::{self, Display, Formatter};

/// The rate of a plan's flows under the faults that last until its end; others are not looked at.
///
/// # Errors
/// If there is no such rate.
pub fn rho_max(plan: &Plan) -> Result<Rate, NoRhoMax> {
    if plan.fabric.planes > 1 {
        return Err(NoRhoMax::Planes);
    }
    if plan.traffic.flows.iter().any(|flow| flow.start != Start::At(Time::ZERO)) {
        return Err(NoRhoMax::Apart);
    }
    split(&plan.traffic, &plan.fabric, &lasting_rates(plan)).ok_or(NoRhoMax::Path)
}

/// The bound of a permutation or an all-to-all with this rate for each flow; `None` for other
/// traffic, and where hosts' links alone do not let flows be faster.
pub fn bound(traffic: &Traffic, fabric: &Fabric, frames: &Frames, rho_max: Rate) -> Option<Bound> {
    bound_of(&Flows::new(traffic, fabric, frames), fabric, rho_max)
}

pub(super) fn bound_of(flows: &Flows<'_>, fabric: &Fabric, rho_max: Rate) -> Option<Bound> {
    let hosts = fabric.ports.iter().take(fabric.hosts as usize);
    let host_rate = hosts.map(|port| port.rate).min()?;
    if let Some(time) = permutation_time(flows, fabric, Formula::Paced(rho_max)) {
        let slower = rho_max < host_rate;
        return slower.then_some(Bound { name: "permutation_rho_max", time });
    }
    let (message, _) = exchanged(flows, fabric)?;
    let others = u64::from(fabric.hosts - 1);
    let time = all_to_all_time((message, Rate(rho_max.0 * others)), fabric, flows, true);
    // A whole bit per second may be lost to rounding in each of the host's flows.
    let slower = (rho_max.0 + 1) * others <= host_rate.0;
    slower.then_some(Bound { name: "all_to_all_rho_max", time })
}

/// Why a plan has no rho_max.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRhoMax {
    /// There is no flow, or one without a path.
    Path,
    /// Hosts have several ports, over which flows are not split equally.
    Planes,
    /// Not all flows begin at time zero, so they do not share links at once.
    Apart,
}

impl Display for NoRhoMax {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Planes => "there is no `rho_max` where hosts have several ports",
            Self::Path => "there is no `rho_max`: no flow, or one without a path",
            Self::Apart => {
                "there is no `rho_max`: it is the rate that flows which all begin together can have \
                 at once, and some of these begin later or wait for others; `auto` is line rate"
            }
        })
    }
}

impl Error for NoRhoMax {}

impl Plan {
    /// Whether a congestion control's pace is still to be found from routing.
    pub fn lacks_rho_max(&self) -> bool {
        self.transport.congestions().any(names_rho_max)
    }

    /// Puts [`rho_max`] in place of the word in the congestion controls' parameters, or the share of
    /// it that stands there.
    ///
    /// # Errors
    /// If there is no such rate.
    pub fn resolve_rho_max(&mut self) -> Result<(), NoRhoMax> {
        if !self.lacks_rho_max() {
            return Ok(());
        }
        let all = rho_max(self)?;
        let transport = &mut self.transport;
        let others = transport.other_transports.iter_mut().map(|other| &mut other.congestion);
        for congestion in std::iter::once(&mut transport.congestion).chain(others) {
            for (name, value) in congestion.values() {
                let Some(share) = share_of(&value) else { continue };
                let rate = format!("{} bps", (all.0 as f64 * share) as u64);
                congestion.set(name, Raw::Text(&rate)).map_err(|_| NoRhoMax::Path)?;
            }
        }
        Ok(())
    }
}

/// Whether a congestion control's pace is [`rho_max`], or a share of it.
pub fn names_rho_max(congestion: &congestion::Config) -> bool {
    congestion.values().iter().any(|(_, value)| share_of(value).is_some())
}

/// How many times rho_max the value of a parameter is, if it names it.
fn share_of(value: &str) -> Option<f64> {
    let text = value.strip_prefix('"')?.strip_suffix('"')?;
    rho_max_share(text).ok()
}

/// Each link's rate in the end: zero if it is down then.
fn lasting_rates(plan: &Plan) -> Vec<Rate> {
    let mut rates: Vec<Rate> = plan.fabric.ports.iter().map(|port| port.rate).collect();
    for (port, changes) in &plan.faults.ports {
        let mut down = false;
        for (_, change) in changes {
            match *change {
                PortChange::Down => down = true,
                PortChange::Up => down = false,
                PortChange::Rate { rate, .. } => rates[port.index()] = rate,
                PortChange::Loss { .. }
                | PortChange::BitErrors { .. }
                | PortChange::Uplinks { .. } => {}
            }
        }
        if down {
            rates[port.index()] = Rate(0);
        }
    }
    rates
}

fn split(traffic: &Traffic, fabric: &Fabric, rates: &[Rate]) -> Option<Rate> {
    let usable = |port: PortId| rates[port.index()].0 > 0;
    let forwarding = if rates.iter().all(|rate| rate.0 > 0) {
        Cow::Borrowed(&fabric.forwarding)
    } else {
        Cow::Owned(Forwarding::Table(Table::shortest(fabric, Weighting::Equal, &usable)))
    };
    let mut loads = vec![0.0; fabric.ports.len()];
    // Flows between each two edge switches, with a host of the second.
    let mut demands: BTreeMap<SwitchId, (HostId, BTreeMap<SwitchId, f64>)> = BTreeMap::new();
    let edges = |flow: &Flow| (fabric.edge(flow.source), fabric.edge(flow.destination));
    let on_links = |flow: &&Flow| !fabric.scales_up(flow.source, flow.destination);
    let on_links: Vec<&Flow> = traffic.flows.iter().filter(on_links).collect();
    for flows in on_links.chunk_by(|a, b| edges(a) == edges(b)) {
        for flow in flows {
            let (first, last) = (flow.source.index(), fabric.ports[flow.destination.index()].peer);
            if rates[first].0 == 0 || !usable(last) {
                return None;
            }
            loads[first] += 1.0;
            loads[last.index()] += 1.0;
        }
        let (from, to) = edges(flows[0]);
        if from != to {
            let (_, demand) =
                demands.entry(to).or_insert_with(|| (flows[0].destination, BTreeMap::new()));
            *demand.entry(from).or_default() += flows.len() as f64;
        }
    }
    let mut paths =
        Paths { fabric, forwarding: &forwarding, order: Vec::new(), counts: Vec::new() };
    for (edge, (host, demand)) in demands {
        paths.count(edge, host, demand.keys().copied());
        let mut here = vec![0.0; fabric.switches.len()];
        for (from, flows) in demand {
            here[from.index()] = flows;
        }
        // Behind what it has from others, each switch passes on what it has.
        for &switch in paths.order.iter().rev() {
            let (own, count) = (here[switch.index()], paths.counts[switch.index()]);
            if own > 0.0 && count == 0.0 {
                return None;
            }
            for (port, next) in paths.hops(switch, host) {
                let part = own * paths.counts[next.index()] / count;
                loads[port.index()] += part;
                here[next.index()] += part;
            }
        }
    }
    let shares = loads.iter().zip(rates).filter(|(load, _)| **load > 0.0);
    let rate = shares.map(|(load, rate)| rate.0 as f64 / load).min_by(f64::total_cmp)?;
    Some(Rate((rate.round() as u64).max(1)))
}

/// Shortest paths to one edge switch.
struct Paths<'a> {
    fabric: &'a Fabric,
    forwarding: &'a Forwarding,
    /// The switches on them, but for the edge switch; each behind all that it leads to.
    order: Vec<SwitchId>,
    /// How many begin at each switch.
    counts: Vec<f64>,
}

impl Paths<'_> {
    /// Where `switch` sends what goes to `host`.
    fn hops(&self, switch: SwitchId, host: HostId) -> impl Iterator<Item = (PortId, SwitchId)> {
        let ports = self.forwarding.ports(switch, PortId(host.0));
        let fabric = self.fabric;
        (0..ports.count()).map(move |i| ports.get(i)).filter_map(move |port| {
            match fabric.destination(port) {
                Node::Switch(next) => Some((port, next)),
                Node::Host(_) => None,
            }
        })
    }

    /// Finds the paths to `edge`, where `host` is, from each of `sources`.
    fn count(&mut self, edge: SwitchId, host: HostId, sources: impl Iterator<Item = SwitchId>) {
        let switches = self.fabric.switches.len();
        self.order.clear();
        self.counts = vec![0.0; switches];
        self.counts[edge.index()] = 1.0;
        let mut seen = vec![false; switches];
        seen[edge.index()] = true;
        // Depth first: a switch is counted once all that it leads to are.
        let mut open: Vec<(SwitchId, bool)> = sources.map(|switch| (switch, false)).collect();
        while let Some((switch, counted_next)) = open.pop() {
            if counted_next {
                let count = self.hops(switch, host).map(|(_, next)| self.counts[next.index()]);
                self.counts[switch.index()] = count.sum();
                self.order.push(switch);
            } else if !std::mem::replace(&mut seen[switch.index()], true) {
                open.push((switch, true));
                open.extend(self.hops(switch, host).map(|(_, next)| (next, false)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::all_to_all::{self, Exchange};
    use crate::bound::permutation::{self, Path, TailTerm};
    use crate::topology::tree::TreeShape;
    use crate::workload::all_to_all::{AllToAll, Order};
    use raddle_schemes::units::{Bytes, Span};

    const FRAMES: Frames =
        Frames { payload: Bytes(4096), header: Bytes(62), ack: Bytes(64), gap: Bytes(20) };

    fn fat_tree(hosts: u32) -> Fabric {
        let shape =
            TreeShape::fat_tree(3, hosts, Rate::gbps(800), Span::ns(500), Span::ZERO).unwrap();
        shape.build().unwrap()
    }

    /// Each host sends to the one a quarter of the fabric further: the next pod of four.
    fn shifted(hosts: u32) -> Traffic {
        let flow = |host| Flow::at_zero(host, (host + hosts / 4) % hosts, Bytes::mib(1));
        (0..hosts).map(flow).collect::<Vec<_>>().into()
    }

    fn rate(traffic: &Traffic, fabric: &Fabric, dead: &[&str]) -> Option<Rate> {
        let mut rates: Vec<Rate> = fabric.ports.iter().map(|port| port.rate).collect();
        for name in dead {
            let port = fabric.port_named(name).unwrap();
            rates[port.index()] = Rate(0);
            rates[fabric.ports[port.index()].peer.index()] = Rate(0);
        }
        split(traffic, fabric, &rates)
    }

    /// LB study spec, section 6, item 10.
    #[test]
    fn a_dead_core_link_leaves_a_pod_three_quarters() {
        let fabric = fat_tree(16);
        assert_eq!(rate(&shifted(16), &fabric, &[]), Some(Rate::gbps(800)));
        let all = AllToAll { message: Bytes(9), order: Order::Shifted, in_flight: None }
            .generate(16, 1)
            .unwrap();
        assert_eq!(rate(&all, &fabric, &[]), Some(Rate(53_333_333_333)));
        // Each flow of the pod has three paths left, two of them through the other switch.
        assert_eq!(rate(&shifted(16), &fabric, &["agg0.up0"]), Some(Rate::gbps(600)));
        // Without a link to its second aggregation switch a ToR has half.
        assert_eq!(rate(&shifted(16), &fabric, &["tor0.up1"]), Some(Rate::gbps(400)));
        assert_eq!(rate(&shifted(16), &fabric, &["host3"]), None);
        assert_eq!(rate(&shifted(16), &fabric, &["tor0.up0", "tor0.up1"]), None);
        assert_eq!(rate(&Traffic::default(), &fabric, &[]), None);
    }

    #[test]
    fn a_slow_link_counts_by_its_own_rate() {
        let fabric = fat_tree(16);
        let mut rates: Vec<Rate> = fabric.ports.iter().map(|port| port.rate).collect();
        rates[fabric.port_named("agg0.up0").unwrap().index()] = Rate::gbps(200);
        // It carries half of what its two ToRs' two hosts each send to it: one unit.
        assert_eq!(split(&shifted(16), &fabric, &rates), Some(Rate::gbps(200)));
    }

    /// Flows that keep the pace and find no queue: the last packet leaves in its slot, and then
    /// there is the way there and back at line rate.
    #[test]
    fn a_paced_run_can_beat_the_measure_by_the_share_of_its_acks() {
        let (fabric, line) = (fat_tree(128), Rate::gbps(800));
        let share = |measure: Span, run: Span| 1.0 - run.0 as f64 / measure.0 as f64;
        let frame = FRAMES.first(Bytes::mib(1));
        let way = |hops: u64, latency: Span| {
            let frames = line.serialisation(frame).0 + line.serialisation(FRAMES.ack).0;
            hops * frames + 2 * latency.0
        };
        let slots = |pace| 255 * FRAMES.occupancy(pace, frame).0;

        let pace = Rate::gbps(400);
        let measure = bound(&shifted(128), &fabric, &FRAMES, pace).unwrap().time;
        let run = Span(slots(pace) + way(6, Span::us(3)));
        assert_eq!(run, Span(27_561_120));
        assert!((0.021..0.022).contains(&share(measure, run)), "{measure:?}");

        // The pace of the verdict's slow uplink.
        let pace = Rate(3_225_806_451);
        let all = AllToAll { message: Bytes::mib(1), order: Order::Shifted, in_flight: None }
            .generate(128, 0)
            .unwrap();
        let measure = bound(&all, &fabric, &FRAMES, pace).unwrap().time;
        // The flow with the last slot of all, one of 127 in the period.
        let last = slots(pace) + FRAMES.occupancy(pace, frame).0 * 126 / 127;
        let run = Span(last + way(6, Span::us(3)));
        assert!((0.017..0.018).contains(&share(measure, run)), "{measure:?} {run:?}");
        let acks = 0.84 / 42.62;
        assert!(share(measure, run) < acks);
    }

    #[test]
    fn the_bounds_are_the_formulas_with_this_rate() {
        let fabric = fat_tree(16);
        let rho = Rate::gbps(600);
        let path = Path { hops: 6, latency: Span::us(3), rate: rho };
        let time = permutation::bound(Bytes::mib(1), &FRAMES, &path, TailTerm::Ack).time;
        let expected = Bound { name: "permutation_rho_max", time };
        assert_eq!(bound(&shifted(16), &fabric, &FRAMES, rho), Some(expected));
        assert_eq!(bound(&shifted(16), &fabric, &FRAMES, Rate::gbps(800)), None);

        let message = Bytes::mib(1);
        let all =
            AllToAll { message, order: Order::Shifted, in_flight: None }.generate(16, 1).unwrap();
        let (rate, rest) = (Rate::gbps(600), Span(2_000_000 / 2 - 267));
        let exchange = Exchange { hosts: 16, message, rate, rest, include_acks: true };
        let found = bound(&all, &fabric, &FRAMES, Rate::gbps(40)).unwrap();
        let time = all_to_all::bound(&exchange, &FRAMES);
        assert_eq!(found, Bound { name: "all_to_all_rho_max", time });
        assert_eq!(bound(&all, &fabric, &FRAMES, Rate(53_333_333_333)), None);
    }
}
