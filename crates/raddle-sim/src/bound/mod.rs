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
//! | `all_to_all_data` | the same, wherever ACKs are few or take no time of their own |
//! | `host_link` | any traffic: the data each host's link has to carry, the way of the first packet there, the way of the last ACK back |
//! | `cut` | any traffic: the same for the links out of a switch with hosts, out of a pod, or into it, together |
//! | `flow_alone` | any traffic: each flow as if it were alone, started as early as triggers allow |
//!
//! `host_link`, `cut`, `flow_alone` and `all_to_all_data` hold for every scheme, also where packets
//! of a flow take different paths and where ACKs are coalesced. All of these take the fabric as it is
//! without faults. [`cut::under_faults`] takes rates and outages into account and holds as they do;
//! [`rho_max`] is the load-balancing study's way to do so. [`of_plan`] chooses those that hold for a
//! plan.

pub mod all_to_all;
mod chain;
pub mod cut;
pub mod flow_alone;
mod flows;
pub mod frames;
mod host_link;
mod of_plan;
pub mod permutation;
pub mod rho_max;
pub mod route;
#[cfg(test)]
pub(crate) mod testing;

use crate::net::faults::Faults;
use crate::topology::Fabric;
use crate::workload::{Start, Traffic};
use all_to_all::Exchange;
use flows::Flows;
pub use frames::Frames;
pub use of_plan::{mean_of_flows, of_plan};
use permutation::TailTerm;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use std::cmp::Reverse;

/// A lower bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Which bound it is: the word in results and tables.
    pub name: &'static str,
    /// No run that the bound holds for is faster.
    pub time: Span,
}

/// The bounds on the completion time that apply, the tightest first; none if no flow can start and
/// finish.
pub fn completion(traffic: &Traffic, fabric: &Fabric, frames: &Frames) -> Vec<Bound> {
    let flows = Flows::new(traffic, fabric, frames);
    let candidates = [
        ("permutation", permutation_time(traffic, frames, &flows, None)),
        ("all_to_all", all_to_all_time(traffic, fabric, frames, &flows, None, true)),
        ("host_link", host_link_time(&flows)),
        ("cut", cut_time(traffic, fabric, frames, &flows)),
        ("flow_alone", flow_alone_time(&flows)),
        ("all_to_all_data", all_to_all_time(traffic, fabric, frames, &flows, None, false)),
    ];
    let bounds =
        candidates.into_iter().filter_map(|(name, time)| Some(Bound { name, time: time? }));
    let mut bounds: Vec<Bound> = bounds.collect();
    bounds.sort_by_key(|bound| Reverse(bound.time));
    bounds
}

/// The tightest bound on the largest `fct_us` of any flow: that on the completion time if all flows
/// start at time zero, else the longest that any flow takes alone.
pub fn longest_flow(traffic: &Traffic, fabric: &Fabric, frames: &Frames) -> Option<Bound> {
    if all_at_zero(traffic) {
        return completion(traffic, fabric, frames).first().copied();
    }
    let flows = Flows::new(traffic, fabric, frames);
    let time = flows.running().map(|flow| flow.least().acked).max()?;
    Some(Bound { name: "flow_alone", time })
}

fn all_at_zero(traffic: &Traffic) -> bool {
    traffic.flows.iter().all(|flow| flow.start == Start::At(Time::ZERO))
}

/// The size of every message, if they are all equal.
fn one_size(traffic: &Traffic) -> Option<Bytes> {
    one(traffic.flows.iter().map(|flow| flow.bytes))
}

/// What all items are, if they are all equal.
fn one<T: PartialEq>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.all(|item| item == first).then_some(first)
}

fn flow_alone_time(flows: &Flows<'_>) -> Option<Span> {
    let ends = flows.running().map(|flow| flow.start + flow.least().acked);
    Some(ends.max()?.since(Time::ZERO))
}

fn host_link_time(flows: &Flows<'_>) -> Option<Span> {
    let numbered = || (0..).zip(flows.running());
    let sent = numbered().map(|(number, running)| (running.flow.source, number));
    let sent = host_link::finish(sent.collect(), |number| flows.at(number).sending());
    let received = numbered().map(|(number, running)| (running.flow.destination, number));
    let received = host_link::finish(received.collect(), |number| flows.at(number).receiving());
    Some(sent.max(received)?.since(Time::ZERO))
}

fn cut_time(
    traffic: &Traffic,
    fabric: &Fabric,
    frames: &Frames,
    flows: &Flows<'_>,
) -> Option<Span> {
    Some(cut::tightest(traffic, fabric, frames, flows, &Faults::default())?.time)
}

/// The bound for the longest path, if every host that sends a message receives one, and ways there
/// and back are alike; with `pace` in place of the links' rate, if there is one.
fn permutation_time(
    traffic: &Traffic,
    frames: &Frames,
    flows: &Flows<'_>,
    pace: Option<Rate>,
) -> Option<Span> {
    let message = one_size(traffic)?;
    if !all_at_zero(traffic) || !flows.all_run() {
        return None;
    }
    let mut senders: Vec<_> = traffic.flows.iter().map(|flow| flow.source).collect();
    let mut receivers: Vec<_> = traffic.flows.iter().map(|flow| flow.destination).collect();
    senders.sort_unstable();
    receivers.sort_unstable();
    if senders != receivers || has_repeats(&senders) {
        return None;
    }
    let hops = flows.ways.iter().flat_map(|way| way.route.hops.iter().chain(&way.back.hops));
    let rate = one(hops.map(|hop| hop.rate))?;
    let rate = pace.unwrap_or(rate);
    let ways = flows.ways.iter().map(|way| {
        let [there, back] = [&way.route, &way.back].map(|route| permutation::Path {
            hops: route.hops.len() as u64,
            latency: route.latency(),
            rate,
        });
        (there == back).then_some(there)
    });
    let paths = ways.collect::<Option<Vec<_>>>()?;
    let bound = |path| permutation::bound(message, frames, path, TailTerm::Ack).time;
    paths.iter().map(bound).max()
}

/// The bound for an equal message between each pair of the fabric's hosts, whatever starts it; with
/// `pace` for each flow in place of the hosts' rate, if there is one, and with ACKs in the work of
/// hosts' links or without.
fn all_to_all_time(
    traffic: &Traffic,
    fabric: &Fabric,
    frames: &Frames,
    flows: &Flows<'_>,
    pace: Option<Rate>,
    include_acks: bool,
) -> Option<Span> {
    let message = one_size(traffic)?;
    let hosts = fabric.hosts;
    let pairs = u64::from(hosts) * u64::from(hosts - 1);
    if traffic.flows.len() as u64 != pairs || !flows.all_run() {
        return None;
    }
    let mut pairs: Vec<_> = traffic.flows.iter().map(|f| (f.source, f.destination)).collect();
    pairs.sort_unstable();
    if has_repeats(&pairs) {
        return None;
    }
    let rate = one(fabric.ports[..hosts as usize].iter().map(|port| port.rate))?;
    let rate = pace.map_or(rate, |pace| Rate(pace.0 * u64::from(hosts - 1)));
    let shortest = flows.ways.iter().map(|way| way.route.latency()).min()?;
    // The gap after the last frame is counted in the host's work, and no part of the frame's way.
    let rest = Span(shortest.0.saturating_sub(rate.serialisation(frames.gap).0));
    let exchange = Exchange { hosts, message, rate, rest, include_acks };
    Some(all_to_all::bound(&exchange, frames))
}

fn has_repeats<T: PartialEq>(sorted: &[T]) -> bool {
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}

#[cfg(test)]
mod tests;
