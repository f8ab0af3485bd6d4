//! Small plans for tests.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]
#![allow(dead_code, reason = "each test file uses its own part of these")]

pub(crate) mod agree;

use raddle_schemes::load_balance::host;
use raddle_schemes::rng::mix;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::engine;
use raddle_sim::plan::Plan;
use raddle_sim::record::{Outcome, Stop};
use raddle_sim::topology::Fabric;
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::Traffic;
use raddle_sim::workload::permutation::Permutation;

/// DESIGN's defaults on a fat tree: 400 Gbps, 500 ns links and switches.
pub(crate) fn fat_tree(tiers: u32, hosts: u32) -> Fabric {
    let (link, switch) = (Span::ns(500), Span::ns(500));
    TreeShape::fat_tree(tiers, hosts, Rate::gbps(400), link, switch).unwrap().build().unwrap()
}

/// A permutation of `message` on `fabric`, everything else as the defaults have it.
pub(crate) fn permutation(fabric: Fabric, message: Bytes, scheme: &str, seed: u64) -> Plan {
    let draw = Permutation { message, inter_pod_only: false };
    let traffic = draw.generate(fabric.hosts, &|_| 0, seed).unwrap();
    plan(fabric, traffic, scheme, seed)
}

/// The defaults with this fabric, traffic and host load balancing.
pub(crate) fn plan(fabric: Fabric, traffic: Traffic, scheme: &str, seed: u64) -> Plan {
    let mut plan = Plan::new(fabric, traffic, seed);
    plan.transport.load_balance = host::Config::named(scheme).unwrap();
    plan
}

/// What comes of a plan in which every flow completes, and on which both engines agree.
pub(crate) fn completed(plan: &Plan) -> Outcome {
    assert_eq!(agree::trouble(plan), None);
    let outcome = engine::run(plan, &mut ());
    assert_eq!(outcome.stop, Stop::Completed);
    outcome
}

/// Data frames by port, of the ports whose names begin so.
pub(crate) fn sent(plan: &Plan, outcome: &Outcome, name: &str) -> Vec<u64> {
    let ports = plan.fabric.ports.iter().zip(&outcome.ports);
    let named = ports.filter(|(port, _)| port.name.starts_with(name));
    named.map(|(_, record)| record.data_frames).collect()
}

/// A hash of what a run did, unmoved by new fields of the records.
pub(crate) fn hash(outcome: &Outcome) -> u64 {
    let time = |at: Option<Time>| at.map_or(u64::MAX, |at| at.0);
    let flows = outcome.flows.iter().flat_map(|flow| {
        let times = [flow.started, flow.delivered, flow.acked].map(time);
        let counts = [flow.sent, flow.retransmitted, flow.received, flow.duplicates];
        let fates = [flow.marked, flow.trimmed, flow.dropped, flow.timeouts];
        times.into_iter().chain(counts).chain(fates)
    });
    let ports = outcome.ports.iter().flat_map(|port| {
        let counts = [port.frames, port.bytes, port.marked, port.trimmed, port.queue_bytes_max];
        counts.into_iter().chain(port.dropped)
    });
    flows.chain(ports).chain([outcome.end.0]).fold(0, |hash, number| mix(hash ^ mix(number)))
}
