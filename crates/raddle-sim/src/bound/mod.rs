//! Lower bounds: how fast a run could be at best.
//!
//! The completion time is bounded: from time zero to the last needed ACK of any flow at its sender.
//!
//! | bound | holds for |
//! |---|---|
//! | `permutation` | one equal message from and to each host involved, all at time zero, links of one rate, an ACK for every packet, NICs that do not hold ACKs back behind data; see [`permutation`] |
//! | `all_to_all` | equal messages between all pairs of hosts, an ACK for every packet that counts towards the work of the host's link, see [`all_to_all`] |
//! | `all_to_all_data` | the same, wherever ACKs are few or take no time of their own |
//! | `host_link` | any traffic: the data each host's link has to carry, the way of the first packet there, the way of the last ACK back |
//! | `cut` | any traffic: the same for the links out of a switch with hosts, out of a pod, or into it, together |
//! | `circuit` | any traffic over circuits with one schedule: what all of them have to carry, by the fewest hops, or one alone where packets go by no other; with dead uplinks, too |
//! | `flow_alone` | any traffic: each flow as if it were alone, started as early as triggers allow |
//!
//! `host_link`, `cut`, `circuit`, `flow_alone` and `all_to_all_data` hold for every scheme, also where packets
//! of a flow take different paths and where ACKs are coalesced. All of these take the fabric as it is
//! without faults. [`cut::under_faults`] takes rates and outages into account and holds as they do;
//! [`rho_max`] is the load-balancing study's way to do so. [`of_plan`] chooses those that hold for a
//! plan.

pub mod all_to_all;
pub(crate) mod chain;
mod circuit;
pub mod cut;
pub(crate) mod detours;
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

use crate::faults::Faults;
use crate::topology::Fabric;
use crate::workload::{Start, Traffic};
use all_to_all::Exchange;
pub(crate) use detours::detours;
use flows::{Flows, Memo};
pub use frames::Frames;
pub(crate) use of_plan::least;
pub use of_plan::{ideals, mean_of_flows, of_plan};
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

impl Bound {
    /// How the names of the study's measures for paced flows end, which are not strict: see
    /// [`rho_max`].
    pub const PACED: &str = "_rho_max";
}

/// The bounds on the completion time that apply, the tightest first; none if no flow can start and
/// finish.
pub fn completion(traffic: &Traffic, fabric: &Fabric, frames: &Frames) -> Vec<Bound> {
    completion_of(&Flows::new(traffic, fabric, frames), fabric)
}

fn completion_of(flows: &Flows<'_>, fabric: &Fabric) -> Vec<Bound> {
    let exchanged = exchanged(flows, fabric);
    let all_to_all = |include_acks| Some(all_to_all_time(exchanged?, fabric, flows, include_acks));
    let candidates = [
        ("permutation", permutation_time(flows, fabric, Formula::Strict)),
        ("all_to_all", all_to_all(true)),
        ("host_link", host_link_time(flows)),
        ("cut", cut_time(flows, fabric)),
        ("flow_alone", flow_alone_time(flows)),
        ("all_to_all_data", all_to_all(false)),
    ];
    let bounds =
        candidates.into_iter().filter_map(|(name, time)| Some(Bound { name, time: time? }));
    let mut bounds: Vec<Bound> = bounds.collect();
    bounds.sort_by_key(|bound| Reverse(bound.time));
    bounds
}

/// The study's formula for a permutation, gap included, which its increases are over; see
/// [`permutation`].
pub fn published_permutation(traffic: &Traffic, fabric: &Fabric, frames: &Frames) -> Option<Bound> {
    let time = permutation_time(&Flows::new(traffic, fabric, frames), fabric, Formula::Published)?;
    Some(Bound { name: "permutation", time })
}

/// How a permutation's bound is reckoned.
#[derive(Clone, Copy)]
enum Formula {
    /// As no run beats it.
    Strict,
    /// As the study has it.
    Published,
    /// The same for flows that are paced at this rate: a measure.
    Paced(Rate),
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
    let ends = flows.alike().map(|(first, _)| first.start + first.acked_at_least());
    Some(ends.chain(flows.across).max()?.since(Time::ZERO))
}

fn host_link_time(flows: &Flows<'_>) -> Option<Span> {
    let numbered = || (0..).zip(flows.running());
    let sent = numbered().map(|(number, running)| (running.flow.source, number));
    let mut sending = Memo::of(|running| running.sending());
    let sent = host_link::finish(sent.collect(), |number| sending.get(&flows.at(number)));
    let received = numbered().map(|(number, running)| (running.flow.destination, number));
    let mut receiving = Memo::of(|running| running.receiving());
    let received = host_link::finish(received.collect(), |number| receiving.get(&flows.at(number)));
    Some(sent.max(received)?.since(Time::ZERO))
}

fn cut_time(flows: &Flows<'_>, fabric: &Fabric) -> Option<Span> {
    Some(cut::tightest(flows, fabric, &Faults::default())?.time)
}

/// The bound for the longest path, if every host has one port, each that sends a message receives one,
/// and ways there and back are alike; with `pace` in place of the links' rate, if there is one.
fn permutation_time(flows: &Flows<'_>, fabric: &Fabric, formula: Formula) -> Option<Span> {
    let traffic = flows.traffic;
    let message = one_size(traffic)?;
    let at_most_one_each = traffic.flows.len() <= fabric.hosts as usize;
    if fabric.planes > 1 || !at_most_one_each || !all_at_zero(traffic) || !flows.all_run() {
        return None;
    }
    let mut senders: Vec<_> = traffic.flows.iter().map(|flow| flow.source).collect();
    let mut receivers: Vec<_> = traffic.flows.iter().map(|flow| flow.destination).collect();
    senders.sort_unstable();
    receivers.sort_unstable();
    let has_repeats = senders.windows(2).any(|pair| pair[0] == pair[1]);
    if senders != receivers || has_repeats {
        return None;
    }
    let hops = flows.ways.iter().flat_map(|way| way.route.hops.iter().chain(&way.back.hops));
    let rate = one(hops.map(|hop| hop.rate))?;
    let rate = if let Formula::Paced(pace) = formula { pace } else { rate };
    let ways = flows.ways.iter().map(|way| {
        let [there, back] = [&way.route, &way.back].map(|route| permutation::Path {
            hops: route.hops.len() as u64,
            latency: route.latency(),
            rate,
        });
        (there == back).then_some(there)
    });
    let paths = ways.collect::<Option<Vec<_>>>()?;
    let bound = |path| match formula {
        Formula::Strict => permutation::strict(message, flows.frames, path),
        Formula::Published | Formula::Paced(_) => {
            permutation::bound(message, flows.frames, path, TailTerm::Ack).time
        }
    };
    paths.iter().map(bound).max()
}

/// The message and the hosts' rate, if hosts have one port and each pair of the fabric's hosts exchanges equal messages,
/// whatever starts them.
fn exchanged(flows: &Flows<'_>, fabric: &Fabric) -> Option<(Bytes, Rate)> {
    // Pieces have no fewer packets and headers than their messages.
    let pieces = flows.traffic.pieces.as_deref();
    let messages = pieces.map_or(flows.traffic, |pieces| &pieces.messages);
    let flows_of = &messages.flows;
    let message = one_size(messages)?;
    let hosts = u64::from(fabric.hosts);
    let all = flows_of.len() as u64 == hosts * (hosts - 1);
    if fabric.planes > 1 || !all || !flows.all_run() {
        return None;
    }
    let mut seen = vec![false; (hosts * hosts) as usize];
    let each_pair_once = flows_of.iter().all(|flow| {
        let pair = flow.source.index() * fabric.hosts as usize + flow.destination.index();
        !std::mem::replace(&mut seen[pair], true)
    });
    let rate = one(fabric.ports[..fabric.hosts as usize].iter().map(|port| port.rate))?;
    each_pair_once.then_some((message, rate))
}

/// The bound for such an exchange, with ACKs in the work of hosts' links or without.
fn all_to_all_time(
    (message, rate): (Bytes, Rate),
    fabric: &Fabric,
    flows: &Flows<'_>,
    include_acks: bool,
) -> Span {
    let shortest = flows.ways.iter().map(|way| way.route.latency()).min().unwrap_or_default();
    // The gap after the last frame is counted in the host's work, and no part of the frame's way.
    let rest = Span(shortest.0.saturating_sub(rate.serialisation(flows.frames.gap).0));
    let exchange = Exchange { hosts: fabric.hosts, message, rate, rest, include_acks };
    all_to_all::bound(&exchange, flows.frames)
}

#[cfg(test)]
mod tests;
