//! Trees of two and three tiers, from the numbers that fix their shape.

use raddle_schemes::units::{Rate, Span};

/// The shape of a tree; every generator and importer of trees fills one of these.
///
/// Two tiers: ToRs and `aggs_per_pod` spines in a single pod. Three tiers: pods of ToRs and
/// aggregation switches; aggregation switch `j` of every pod is cabled to the same
/// `cores / aggs_per_pod` core switches.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeShape {
    /// 2 or 3.
    pub tiers: u32,
    /// Hosts in all.
    pub hosts: u32,
    /// Hosts below each ToR.
    pub hosts_per_tor: u32,
    /// ToRs in each pod; in two tiers, all of them.
    pub tors_per_pod: u32,
    /// Aggregation switches in each pod; in two tiers, the spines.
    pub aggs_per_pod: u32,
    /// Core switches; 0 in two tiers.
    pub cores: u32,
    /// Parallel cables between a ToR and each switch above it, and between an aggregation switch
    /// and each of its core switches.
    pub parallel: [u32; 2],
    /// Rates of host, ToR-to-agg and agg-to-core links.
    pub rates: [Rate; 3],
    /// Propagation delays of the same links.
    pub delays: [Span; 3],
    /// Latencies of ToRs, aggregation and core switches.
    pub switch_delays: [Span; 3],
}
