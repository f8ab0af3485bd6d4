//! Which bounds hold for a plan.

use super::cut::Cut;
use super::detours::detours;
use super::flows::{Flows, Ideals};
use super::{Bound, Frames, circuit, completion_of, rho_max};
use crate::plan::Plan;
use raddle_schemes::FlowContext;
use raddle_schemes::family::Need;
use raddle_schemes::units::{Rate, Span};
use std::cmp::Reverse;
use std::collections::BTreeSet;

impl Bound {
    /// Whether it holds where ACKs are few, late or of no size, too.
    pub fn holds_without_acks(&self) -> bool {
        let words = ["host_link", "cut", "flow_alone", "all_to_all_data"];
        words.contains(&self.name) || [Cut::UNDER_FAULTS, Self::CIRCUIT].contains(&self.name)
    }
}

/// Lower bounds on the completion of a plan's traffic, the tightest first; faults are not taken
/// into account but by those with rho_max, which are for flows that are paced no faster. Those that
/// count an ACK for every packet are left out where the recovery sends fewer, and all of them where
/// packets may come by shorter detours: where routes change in a fabric that is no tree.
pub fn of_plan(plan: &Plan) -> Vec<Bound> {
    if detours(plan) {
        return Vec::new();
    }
    let frames = Frames::from(plan);
    let flows = Flows::new(&plan.traffic, &plan.fabric, &frames);
    let mut bounds = completion_of(&flows, &plan.fabric);
    if let Some(pace) = fastest_pace(plan)
        && let Some(rho_max) = rho_max::rho_max(plan).ok().filter(|rho_max| pace <= *rho_max)
    {
        bounds.extend(rho_max::bound_of(&flows, &plan.fabric, rho_max));
        bounds.sort_by_key(|bound| Reverse(bound.time));
    }
    if let Some(bound) = circuit::of_plan(&flows, plan) {
        bounds.push(bound);
        bounds.sort_by_key(|bound| Reverse(bound.time));
    }
    let acks = |number: &u8| plan.transport.recovery_of(*number).offers(Need::PacketAcks);
    if !transports(plan).iter().all(acks) {
        bounds.retain(Bound::holds_without_acks);
    }
    bounds
}

/// The numbers of the transports that flows name.
fn transports(plan: &Plan) -> BTreeSet<u8> {
    plan.traffic.flows.iter().map(|flow| flow.transport).collect()
}

/// The pace that no flow exceeds, if all have one.
fn fastest_pace(plan: &Plan) -> Option<Rate> {
    let pace = |&number: &u8| {
        let congestion = plan.transport.congestion_of(number);
        congestion.build(&FlowContext::NOMINAL).limits().rate
    };
    let paces: Option<Vec<Rate>> = transports(plan).iter().map(pace).collect();
    paces?.into_iter().max()
}

/// A lower bound on the mean flow completion time of a plan all of whose flows end: the mean of what
/// each takes alone.
pub fn mean_of_flows(plan: &Plan) -> Option<Bound> {
    let frames = Frames::from(plan);
    let flows = Flows::new(&plan.traffic, &plan.fabric, &frames);
    if detours(plan) || !flows.all_run() {
        return None;
    }
    let alone: Vec<u64> = flows.running().map(|flow| flow.acked_at_least().0).collect();
    // A message in pieces ends with its last.
    let (sum, count) = match plan.traffic.pieces.as_deref() {
        None => (alone.iter().sum::<u64>(), alone.len()),
        Some(pieces) => {
            let of = |message| pieces.of(message).map(|piece| alone[piece as usize]).max();
            ((0..pieces.count()).filter_map(of).sum(), pieces.count())
        }
    };
    Some(Bound { name: "flow_alone", time: Span(sum / count as u64) })
}

/// What each flow of a plan would take alone in the fabric without faults, in the order of flows
/// ([`Lone::ideal`](super::flow_alone::Lone::ideal)); `None` where there is no path. Where flows are
/// pieces of messages, it is the messages that are told.
pub fn ideals(plan: &Plan) -> Vec<Option<Span>> {
    Ideals::new(plan).collect()
}

/// What no flow of a plan is faster than, in the order of [`ideals`] and as there. Under faults that is
/// less where a flow leaves the plane of a link that is down: it has two links for a while.
pub(crate) fn least(plan: &Plan) -> Vec<Option<Span>> {
    let faults = &plan.faults;
    let leaves = !faults.ports.is_empty() || !faults.nodes.is_empty();
    if leaves { Ideals::in_any_plane(plan).collect() } else { ideals(plan) }
}
