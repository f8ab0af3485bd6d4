//! Fat trees from the few numbers that users give.

use super::kind::{Draw, Kind, Topology};
use super::planes::TreeOfPorts;
use super::shape_error::ShapeError;
use super::tree::TreeShape;
use raddle_schemes::units::{Rate, Span};

/// What it says of itself.
pub const KIND: Kind = Kind {
    name: "fat_tree",
    summary: "switches in two or three tiers, as much bandwidth up as down",
    paper: "Al-Fares, Loukissas, Vahdat, A Scalable, Commodity Data Center Network Architecture, \
            SIGCOMM 2008",
    small,
};

fn small(draw: &mut Draw<'_>) -> Box<dyn Topology> {
    let (pods, tors) = (draw.between(2, 3), draw.between(1, 2));
    let hosts_per_tor = draw.between(1, 2);
    let aggs_per_pod = draw.between(1, 2);
    Box::new(TreeOfPorts::single(TreeShape {
        tiers: 3,
        hosts: pods * tors * hosts_per_tor,
        hosts_per_tor,
        tors_per_pod: tors,
        aggs_per_pod,
        cores: aggs_per_pod * draw.between(1, 2),
        parallel: [draw.between(1, 2), draw.between(1, 2)],
        rates: draw.rates,
        delays: draw.delays,
        switch_delays: [draw.switch_delay; 3],
    }))
}

/// What may differ from a plain fat tree; `None` keeps the default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeOptions {
    /// Hosts below each ToR. Two tiers: the largest divisor of the hosts not above their square
    /// root. Three tiers: `tors_per_pod` if that is given, else k / 2 of the k-ary fat tree.
    pub hosts_per_tor: Option<u32>,
    /// ToRs in each pod, three tiers only: as many as a ToR has hosts, as in a k-ary fat tree.
    pub tors_per_pod: Option<u32>,
    /// Bandwidth of a ToR's host links over that of its uplinks: 1.0; `Some(4.0)` is 4:1. Above
    /// the ToRs nothing is oversubscribed.
    pub oversubscription: Option<f64>,
    /// Parallel cables between neighbouring switches: 1. More of them mean fewer upper switches.
    pub parallel: Option<u32>,
    /// Rate of links between switches: the hosts' rate.
    pub uplink_rate: Option<Rate>,
    /// Rate of links to core switches, three tiers only: that of the other uplinks. The number of
    /// switches does not follow it.
    pub core_rate: Option<Rate>,
    /// Delay of links between switches: that of the hosts' links.
    pub uplink_delay: Option<Span>,
    /// Delay of links to core switches, three tiers only: that of the other uplinks.
    pub core_delay: Option<Span>,
}

impl TreeShape {
    /// A fat tree: every switch has as much bandwidth up as down.
    ///
    /// Two tiers: each ToR has one cable to each of as many spines as it has hosts (128 hosts: 16
    /// ToRs of 8 hosts, 8 spines). Three tiers: the k-ary fat tree of k^3 / 4 hosts (Al-Fares et
    /// al., SIGCOMM 2008). All links have the same rate and delay, all switches the same latency.
    ///
    /// # Errors
    /// If the number of hosts does not make such a tree.
    pub fn fat_tree(
        tiers: u32,
        hosts: u32,
        rate: Rate,
        link_delay: Span,
        switch_delay: Span,
    ) -> Result<Self, ShapeError> {
        let plain = TreeOptions::default();
        Self::fat_tree_with(tiers, hosts, rate, link_delay, switch_delay, &plain)
    }

    /// A fat tree that differs from the plain one of [`TreeShape::fat_tree`] by `options`.
    ///
    /// # Errors
    /// If the numbers do not fit together.
    pub fn fat_tree_with(
        tiers: u32,
        hosts: u32,
        rate: Rate,
        link_delay: Span,
        switch_delay: Span,
        options: &TreeOptions,
    ) -> Result<Self, ShapeError> {
        if hosts < 2 {
            return Err(ShapeError::Hosts(hosts));
        }
        let (hosts_per_tor, tors_per_pod) = match tiers {
            2 => two_tiers(hosts, options)?,
            3 => three_tiers(hosts, options)?,
            _ => return Err(ShapeError::Tiers(tiers)),
        };
        let parallel = options.parallel.unwrap_or(1);
        let uplink_rate = options.uplink_rate.unwrap_or(rate);
        let core_rate = options.core_rate.unwrap_or(uplink_rate);
        let uplink_delay = options.uplink_delay.unwrap_or(link_delay);
        let core_delay = options.core_delay.unwrap_or(uplink_delay);
        if tiers == 2 {
            let why = "a tree of two tiers has no core";
            let set = [
                ("core_rate", options.core_rate.is_some()),
                ("core_delay", options.core_delay.is_some()),
            ];
            if let Some(&(what, _)) = set.iter().find(|(_, is_set)| *is_set) {
                return Err(ShapeError::Unused { what, why });
            }
        }
        ShapeError::at_least_one(&[
            ("hosts_per_tor", u64::from(hosts_per_tor)),
            ("tors_per_pod", u64::from(tors_per_pod)),
            ("parallel", u64::from(parallel)),
            ("the rate of host links", rate.0),
            ("the rate of ToR uplinks", uplink_rate.0),
            ("the rate of core links", core_rate.0),
        ])?;
        let oversubscription = options.oversubscription.unwrap_or(1.0);
        let cables = uplink_cables(hosts_per_tor, rate, uplink_rate, oversubscription, parallel)?;
        let aggs_per_pod = cables / parallel;
        let shape = Self {
            tiers,
            hosts,
            hosts_per_tor,
            tors_per_pod,
            aggs_per_pod,
            // As many core switches above an aggregation switch as it has ToRs below.
            cores: if tiers == 3 { aggs_per_pod.saturating_mul(tors_per_pod) } else { 0 },
            parallel: [parallel; 2],
            rates: [rate, uplink_rate, core_rate],
            delays: [link_delay, uplink_delay, core_delay],
            switch_delays: [switch_delay; 3],
        };
        shape.validate()?;
        Ok(shape)
    }
}

/// Hosts per ToR, and ToRs, all in one pod.
fn two_tiers(hosts: u32, options: &TreeOptions) -> Result<(u32, u32), ShapeError> {
    if options.tors_per_pod.is_some() {
        let why = "a tree of two tiers has no pods";
        return Err(ShapeError::Unused { what: "tors_per_pod", why });
    }
    let hosts_per_tor = options.hosts_per_tor.unwrap_or_else(|| {
        (1..=hosts.isqrt()).rev().find(|d| hosts.is_multiple_of(*d)).unwrap_or(1)
    });
    if hosts_per_tor == 0 {
        return Err(ShapeError::Zero { what: "hosts_per_tor" });
    }
    Ok((hosts_per_tor, (hosts / hosts_per_tor).max(1)))
}

/// Hosts per ToR, and ToRs per pod.
fn three_tiers(hosts: u32, options: &TreeOptions) -> Result<(u32, u32), ShapeError> {
    match (options.hosts_per_tor, options.tors_per_pod) {
        (Some(hosts_per_tor), tors_per_pod) => {
            Ok((hosts_per_tor, tors_per_pod.unwrap_or(hosts_per_tor)))
        }
        (None, Some(tors_per_pod)) => Ok((tors_per_pod, tors_per_pod)),
        (None, None) => {
            // k^3 / 4 = 2 * half^3; the largest half with a size that fits 32 bits is 1290.
            let size = |half: u32| 2 * half.pow(3);
            let above = (1..=1290).find(|&half| size(half) >= hosts).unwrap_or(1290);
            if size(above) == hosts {
                return Ok((above, above));
            }
            let below = (above > 1).then(|| size(above - 1));
            Err(ShapeError::NotKAry { hosts, nearest: (below, size(above)) })
        }
    }
}

/// Cables above each ToR: a whole number, and a multiple of `parallel`.
fn uplink_cables(
    hosts_per_tor: u32,
    rate: Rate,
    uplink_rate: Rate,
    oversubscription: f64,
    parallel: u32,
) -> Result<u32, ShapeError> {
    if !(oversubscription.is_finite() && oversubscription > 0.0) {
        return Err(ShapeError::Oversubscription(oversubscription));
    }
    // One switch above, with `parallel` cables, for this oversubscription.
    let single =
        f64::from(hosts_per_tor) * rate.0 as f64 / (uplink_rate.0 as f64 * f64::from(parallel));
    let switches = single / oversubscription;
    let whole = switches.round();
    if whole >= 1.0 && (switches - whole).abs() < 1e-6 * whole && whole < f64::from(u32::MAX) {
        return (whole as u32)
            .checked_mul(parallel)
            .ok_or(ShapeError::TooLarge { ports: whole as u64 * u64::from(parallel) });
    }
    if whole >= f64::from(u32::MAX) {
        return Err(ShapeError::TooLarge { ports: whole as u64 });
    }
    let fewer = (switches >= 1.0).then(|| single / switches.floor());
    Err(ShapeError::Uplinks {
        hosts_per_tor,
        oversubscription,
        cables: switches * f64::from(parallel),
        parallel,
        nearest: (fewer, single / (switches.floor() + 1.0)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate::gbps(400);

    fn plain(tiers: u32, hosts: u32) -> Result<TreeShape, ShapeError> {
        TreeShape::fat_tree(tiers, hosts, RATE, Span::ns(500), Span::ns(500))
    }

    fn with(tiers: u32, hosts: u32, options: &TreeOptions) -> Result<TreeShape, ShapeError> {
        TreeShape::fat_tree_with(tiers, hosts, RATE, Span::ns(500), Span::ns(500), options)
    }

    /// Tiers, ToRs, hosts per ToR, ToRs per pod, aggregation switches per pod, cores.
    fn numbers(shape: &TreeShape) -> [u32; 5] {
        let tors = shape.hosts / shape.hosts_per_tor;
        [tors, shape.hosts_per_tor, shape.tors_per_pod, shape.aggs_per_pod, shape.cores]
    }

    #[test]
    fn two_tiers_have_as_many_spines_as_a_tor_has_hosts() {
        assert_eq!(numbers(&plain(2, 128).unwrap()), [16, 8, 16, 8, 0]);
        assert_eq!(numbers(&plain(2, 1024).unwrap()), [32, 32, 32, 32, 0]);
        assert_eq!(numbers(&plain(2, 8192).unwrap()), [128, 64, 128, 64, 0]);
        assert_eq!(numbers(&plain(2, 7).unwrap()), [7, 1, 7, 1, 0]);
    }

    #[test]
    fn three_tiers_are_k_ary() {
        assert_eq!(numbers(&plain(3, 16).unwrap()), [8, 2, 2, 2, 4]);
        assert_eq!(numbers(&plain(3, 128).unwrap()), [32, 4, 4, 4, 16]);
        assert_eq!(numbers(&plain(3, 1024).unwrap()), [128, 8, 8, 8, 64]);
        assert_eq!(numbers(&plain(3, 8192).unwrap()), [512, 16, 16, 16, 256]);
        assert_eq!(numbers(&plain(3, 2).unwrap()), [2, 1, 1, 1, 1]);
    }

    #[test]
    fn four_to_one_leaves_a_quarter_of_the_uplinks() {
        let options = TreeOptions { oversubscription: Some(4.0), ..TreeOptions::default() };
        assert_eq!(numbers(&with(2, 128, &options).unwrap()), [16, 8, 16, 2, 0]);
        assert_eq!(numbers(&with(3, 128, &options).unwrap()), [32, 4, 4, 1, 4]);
    }

    #[test]
    fn parallel_cables_and_faster_uplinks_replace_upper_switches() {
        let parallel = TreeOptions { parallel: Some(2), ..TreeOptions::default() };
        assert_eq!(numbers(&with(2, 128, &parallel).unwrap()), [16, 8, 16, 4, 0]);
        assert_eq!(numbers(&with(3, 128, &parallel).unwrap()), [32, 4, 4, 2, 8]);
        let fast = TreeOptions { uplink_rate: Some(Rate::gbps(800)), ..TreeOptions::default() };
        let shape = with(2, 128, &fast).unwrap();
        assert_eq!(numbers(&shape), [16, 8, 16, 4, 0]);
        assert_eq!(shape.rates, [RATE, Rate::gbps(800), Rate::gbps(800)]);
    }

    #[test]
    fn each_tier_may_have_a_rate_and_a_delay() {
        let uplinks = TreeOptions {
            uplink_rate: Some(Rate::gbps(800)),
            uplink_delay: Some(Span::us(1)),
            ..TreeOptions::default()
        };
        let shape = with(3, 128, &uplinks).unwrap();
        assert_eq!(shape.rates, [RATE, Rate::gbps(800), Rate::gbps(800)]);
        assert_eq!(shape.delays, [Span::ns(500), Span::us(1), Span::us(1)]);
        let all = TreeOptions {
            core_rate: Some(Rate::gbps(200)),
            core_delay: Some(Span::us(5)),
            ..uplinks
        };
        let slow_core = with(3, 128, &all).unwrap();
        assert_eq!(slow_core.rates, [RATE, Rate::gbps(800), Rate::gbps(200)]);
        assert_eq!(slow_core.delays, [Span::ns(500), Span::us(1), Span::us(5)]);
        assert_eq!(numbers(&slow_core), numbers(&shape));
        let error = with(2, 128, &all).unwrap_err().to_string();
        assert!(error.contains("core_rate") && error.contains("no core"), "{error}");
    }

    #[test]
    fn sizes_may_be_given() {
        let options = TreeOptions {
            hosts_per_tor: Some(16),
            tors_per_pod: Some(2),
            ..TreeOptions::default()
        };
        assert_eq!(numbers(&with(3, 128, &options).unwrap()), [8, 16, 2, 16, 32]);
        let only_tors = TreeOptions { tors_per_pod: Some(2), ..TreeOptions::default() };
        assert_eq!(numbers(&with(3, 12, &only_tors).unwrap()), [6, 2, 2, 2, 4]);
    }

    #[test]
    fn a_leaf_spine_is_what_was_said() {
        let shape = TreeShape::leaf_spine(4, 10, 3, 2, RATE, Span::ns(1), Span::ns(2)).unwrap();
        assert_eq!(numbers(&shape), [4, 10, 4, 3, 0]);
        assert_eq!(shape.parallel[0], 2);
        let huge = TreeShape::leaf_spine(1 << 16, 1 << 16, 1, 1, RATE, Span::ns(1), Span::ns(2));
        assert_eq!(huge, Err(ShapeError::TooLarge { ports: 1 << 33 }));
    }

    #[test]
    fn errors_say_what_would_fit() {
        let text = |result: Result<TreeShape, ShapeError>| result.unwrap_err().to_string();
        let hosts_per_tor = TreeOptions { hosts_per_tor: Some(16), ..TreeOptions::default() };
        assert_eq!(
            text(with(2, 100, &hosts_per_tor)),
            "hosts = 100 cannot be split into ToRs of 16 hosts; nearest: 96 or 112"
        );
        assert_eq!(
            text(plain(3, 100)),
            "hosts = 100 is not the size of a k-ary fat tree of three tiers (k^3 / 4 for an even \
             k); nearest: 54 or 128; or give hosts_per_tor and tors_per_pod"
        );
        let three_to_one = TreeOptions { oversubscription: Some(3.0), ..TreeOptions::default() };
        let message = text(with(2, 128, &three_to_one));
        assert!(message.contains("ToR of 8 hosts 2.6"), "{message}");
        assert!(
            message.ends_with("nearest oversubscription: 4 or 2.6666666666666665"),
            "{message}"
        );
        let sixteen = TreeOptions { oversubscription: Some(16.0), ..TreeOptions::default() };
        assert!(text(with(2, 128, &sixteen)).ends_with("nearest oversubscription: 8"));
        assert_eq!(text(plain(4, 128)), "tiers = 4; a tree has 2 or 3 tiers");
        assert_eq!(text(plain(2, 1)), "hosts = 1; at least 2 are needed");
        let zero = TreeOptions { parallel: Some(0), ..TreeOptions::default() };
        assert_eq!(text(with(2, 128, &zero)), "parallel is 0; it must be at least 1");
        let pods = TreeOptions { tors_per_pod: Some(4), ..TreeOptions::default() };
        assert!(text(with(2, 128, &pods)).contains("no pods"));
        let negative = TreeOptions { oversubscription: Some(-1.0), ..TreeOptions::default() };
        assert!(text(with(2, 128, &negative)).contains("positive"));
    }
}
