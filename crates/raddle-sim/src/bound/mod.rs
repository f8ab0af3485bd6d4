//! Lower bounds: how fast a run could be at best.
//!
//! Two quantities are bounded. The completion time runs from time zero to the last needed ACK of
//! any flow at its sender. The largest `fct_us` runs from each flow's own start to its last needed
//! ACK. They are the same where all flows start at time zero.
//!
//! | bound | holds for |
//! |---|---|
//! | `permutation` | one equal message from and to each host involved, all at time zero, links of one rate, an ACK for every packet, NICs that do not hold ACKs back behind data; exact up to one gap, see [`permutation`] |
//! | `all_to_all` | equal messages between all pairs of hosts, an ACK for every packet that counts towards the work of the host's link, see [`all_to_all`] |
//! | `host_link` | any traffic: the data each host's link has to carry, the way of the first packet there, the way of the last ACK back |
//! | `flow_alone` | any traffic: each flow as if it were alone, started as early as triggers allow |
//!
//! `host_link` and `flow_alone` hold for every scheme, also where packets of a flow take different
//! paths and where ACKs are coalesced. All bounds take the fabric as it is without faults.

pub mod all_to_all;
mod chain;
pub mod flow_alone;
pub mod frames;
mod host_link;
pub mod permutation;
pub mod route;
#[cfg(test)]
pub(crate) mod testing;

use crate::topology::Fabric;
use crate::workload::{Start, Traffic};
use chain::Least;
use flow_alone::Lone;
pub use frames::Frames;
use host_link::Work;
use raddle_schemes::units::{Rate, Span, Time};
use route::{Route, Routes};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A lower bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Which bound it is: the word in results and tables.
    pub name: &'static str,
    /// No run is faster.
    pub time: Span,
}

/// The bounds on the completion time that apply, the tightest first; none if no flow can start and
/// finish.
pub fn completion(traffic: &Traffic, fabric: &Fabric, frames: &Frames) -> Vec<Bound> {
    let Some(flows) = Flows::new(traffic, fabric, frames) else { return Vec::new() };
    let named = |name| move |time| Bound { name, time };
    let mut bounds: Vec<Bound> = [
        flows.permutation().map(named("permutation")),
        flows.all_to_all().map(named("all_to_all")),
        Some(named("host_link")(flows.host_link())),
        Some(named("flow_alone")(flows.flow_alone())),
    ]
    .into_iter()
    .flatten()
    .collect();
    bounds.sort_by_key(|bound| Reverse(bound.time));
    bounds
}

/// The tightest bound on the largest `fct_us` of any flow: that on the completion time if all flows
/// start at time zero, else the longest that any flow takes alone.
pub fn longest_flow(traffic: &Traffic, fabric: &Fabric, frames: &Frames) -> Option<Bound> {
    if traffic.flows.iter().all(|flow| flow.start == Start::At(Time::ZERO)) {
        return completion(traffic, fabric, frames).first().copied();
    }
    let flows = Flows::new(traffic, fabric, frames)?;
    let time = flows.lone().map(|(lone, _)| lone.at_least()).max()?;
    Some(Bound { name: "flow_alone", time })
}

/// The flows that can start and finish, with their routes.
struct Flows<'a> {
    traffic: &'a Traffic,
    fabric: &'a Fabric,
    frames: &'a Frames,
    /// Ways there and back; `None` where there is no path.
    routes: Vec<Option<(Route, Route)>>,
    /// Earliest starts.
    starts: Vec<Option<Time>>,
}

impl<'a> Flows<'a> {
    /// `None` if there are none.
    fn new(traffic: &'a Traffic, fabric: &'a Fabric, frames: &'a Frames) -> Option<Self> {
        let mut finder = Routes::new(fabric);
        let routes: Vec<_> = traffic
            .flows
            .iter()
            .map(|flow| {
                let there = finder.find(flow.source, flow.destination)?;
                Some((there, finder.find(flow.destination, flow.source)?))
            })
            .collect();
        let mut flows = Self { traffic, fabric, frames, routes, starts: Vec::new() };
        let least = (0..traffic.flows.len()).map(|index| {
            let lone = flows.lone_flow(index)?;
            Some(Least { delivered: lone.delivered_at_least(), acked: lone.at_least() })
        });
        flows.starts = chain::earliest_starts(traffic, &least.collect::<Vec<_>>());
        let any = flows.lone().next().is_some();
        any.then_some(flows)
    }

    fn lone_flow(&self, index: usize) -> Option<Lone<'_>> {
        let (route, back) = self.routes[index].as_ref()?;
        let message = self.traffic.flows[index].bytes;
        Some(Lone { message, frames: self.frames, route, back })
    }

    /// Each flow that can start and finish, and its earliest start.
    fn lone(&self) -> impl Iterator<Item = (Lone<'_>, Time)> {
        (0..self.starts.len())
            .filter_map(|index| Some((self.lone_flow(index)?, self.starts[index]?)))
    }

    fn flow_alone(&self) -> Span {
        let ends = self.lone().map(|(lone, start)| start + lone.at_least());
        ends.max().unwrap_or_default().since(Time::ZERO)
    }

    fn host_link(&self) -> Span {
        let mut sending: BTreeMap<_, Vec<Work>> = BTreeMap::new();
        let mut receiving: BTreeMap<_, Vec<Work>> = BTreeMap::new();
        for (index, flow) in self.traffic.flows.iter().enumerate() {
            let (Some(lone), Some(start)) = (self.lone_flow(index), self.starts[index]) else {
                continue;
            };
            sending.entry(flow.source).or_default().push(Work::at_sender(&lone, start));
            receiving.entry(flow.destination).or_default().push(Work::at_receiver(&lone, start));
        }
        let links = sending.values_mut().chain(receiving.values_mut());
        links.map(|work| host_link::finish(work)).max().unwrap_or_default().since(Time::ZERO)
    }

    /// The bound for the longest path among equal ones, if the traffic is a permutation.
    fn permutation(&self) -> Option<Span> {
        let flows = &self.traffic.flows;
        let message = flows[0].bytes;
        if flows.iter().any(|f| f.bytes != message || f.start != Start::At(Time::ZERO)) {
            return None;
        }
        let mut senders: Vec<_> = flows.iter().map(|flow| flow.source).collect();
        let mut receivers: Vec<_> = flows.iter().map(|flow| flow.destination).collect();
        senders.sort_unstable();
        receivers.sort_unstable();
        if senders != receivers || senders.windows(2).any(|pair| pair[0] == pair[1]) {
            return None;
        }
        let rate = self.one_rate()?;
        let paths = self.routes.iter().flatten().map(|(route, _)| permutation::Path {
            hops: route.hops.len() as u64,
            latency: route.latency(),
            rate,
        });
        let tail = permutation::TailTerm::Ack;
        paths.map(|path| permutation::bound(message, self.frames, &path, tail).time).max()
    }

    /// The rate of all links on all routes, if it is one.
    fn one_rate(&self) -> Option<Rate> {
        let routes = self.routes.iter().flatten().flat_map(|(there, back)| [there, back]);
        let mut rates = routes.flat_map(|route| &route.hops).map(|hop| hop.rate);
        let first = rates.next()?;
        rates.all(|rate| rate == first).then_some(first)
    }

    fn all_to_all(&self) -> Option<Span> {
        let (flows, hosts) = (&self.traffic.flows, self.fabric.hosts);
        let message = flows[0].bytes;
        if flows.len() as u64 != u64::from(hosts) * u64::from(hosts - 1)
            || flows.iter().any(|flow| flow.bytes != message)
            || self.starts.contains(&None)
        {
            return None;
        }
        let mut pairs: Vec<_> = flows.iter().map(|f| (f.source, f.destination)).collect();
        pairs.sort_unstable();
        if pairs.windows(2).any(|pair| pair[0] == pair[1]) {
            return None;
        }
        let rate = self.fabric.ports[0].rate;
        if self.fabric.ports[..hosts as usize].iter().any(|port| port.rate != rate) {
            return None;
        }
        let latency = self.routes.iter().flatten().map(|(route, _)| route.latency()).max()?;
        let exchange = all_to_all::Exchange { hosts, message, rate, latency, include_acks: true };
        Some(all_to_all::bound(&exchange, self.frames))
    }
}

#[cfg(test)]
mod tests;
