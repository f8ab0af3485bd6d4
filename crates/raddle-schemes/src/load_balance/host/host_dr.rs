//! HOST DR: the sending host rotates over the common switches of each destination (DRB).
//!
//! A host keeps one pointer per destination host and class (data, ACKs) over the switches in which
//! the ways up from both ends meet: the cores for another pod, the aggregation switches for another
//! edge switch of the pod, none below one edge switch. Each packet is routed through the switch
//! whose turn it is (LB study spec, section 2.6). Queues stay constant however long the messages are
//! (Theorem 3).
//!
//! Reading: a pointer passes all first hops before it comes to one again, each time with another
//! second hop; DRB does so by reversing the digits of a counter, and the paper's model has a flow come
//! round to each uplink of its edge switch in k/2 packet times (appendix E). The order of the hops and
//! the start are random. `order = "random"` is any order of the routes.
//!
//! Under failures a host knows the whole topology (LB study, section 6.1) and rotates over the routes
//! that are left, at once, whenever switches hear of it; order and start are drawn anew then.
//! `knows = "converged"` is a host that hears of it with the switches. All routes have equal turns,
//! whatever they carry. A host names two hops; a detour of more of them, where nothing else is left,
//! needs switches that have converged.

use super::{Outgoing, PathSelector};
use crate::ids::Entropy;
use crate::load_balance::route::{Rotation, first_hop};
use crate::rng::Rng;
use crate::{Card, Cx, FlowContext, Need};
use alloc::vec;
use alloc::vec::Vec;
use serde::Serialize;

/// What `raddle schemes host_dr` says.
pub const CARD: Card = Card {
    name: "host_dr",
    title: "HOST DR: destination-based rotation in hosts",
    paper: "LB study, HOST DR; Cao et al., Per-packet load-balanced, low-latency routing for \
            Clos-based data center networks (DRB), CoNEXT 2013",
    needs: &[Need::SourceRouting, Need::OutOfOrder],
    summary: "Each packet, data or ACK, is routed through the next of the common switches of both \
              ends, in a rotation kept per destination host. Needs switches that follow routes \
              (`source_route`).",
};

crate::words! {
    /// In which order a pointer goes through the routes.
    pub enum Order {
        /// All first hops in a random order, again and again, each time with its next second hop.
        DigitReversal = "digit_reversal",
        /// Any.
        Random = "random",
    }
}

crate::words! {
    /// When a host knows what is down.
    pub enum Knows {
        /// At that instant.
        AtOnce = "at_once",
        /// When routing has converged.
        Converged = "converged",
    }
}

crate::parameters! {
    /// Parameters of HOST DR.
    pub struct Config {
        /// In which order a pointer goes through the routes: `digit_reversal` takes all first hops
        /// before it comes to one again, `random` is any order.
        pub order: Order = Order::DigitReversal;
        /// When a host knows which routes are left: `at_once`, or when switches have `converged`.
        pub knows: Knows = Knows::AtOnce;
    }
}

/// What one flow keeps: the route of the next packet. Its host keeps the [`Rotation`]s, which all
/// of its flows to one destination share.
#[derive(Clone, Debug, Serialize)]
pub struct HostDr {
    route: Entropy,
    order: Order,
    knows: Knows,
}

impl HostDr {
    /// A flow whose host has told it no route.
    pub fn new(config: &Config, _context: &FlowContext) -> Self {
        Self { route: Entropy(0), order: config.order, knows: config.knows }
    }
}

impl PathSelector for HostDr {
    fn knows_at_once(&self) -> bool {
        self.knows == Knows::AtOnce
    }

    fn rotation(&self, mut routes: Vec<Entropy>, rng: &mut Rng) -> Rotation {
        rng.shuffle(&mut routes);
        if self.order == Order::DigitReversal {
            reverse_digits(&mut routes);
        }
        let next = rng.below(routes.len().max(1) as u64) as u32;
        Rotation::new(routes, next)
    }

    #[inline]
    fn on_route(&mut self, route: Entropy) {
        self.route = route;
    }

    #[inline]
    fn next_path(&mut self, _cx: &mut Cx<'_>, _packet: &Outgoing) -> Entropy {
        self.route
    }
}

/// Sorts routes into rounds: in each, every first hop that has a route left, in the order in which
/// first hops come at first. A host does so once for each destination, of which there may be many.
fn reverse_digits(routes: &mut [Entropy]) {
    let mut left = [0_u32; 256];
    let mut hops = Vec::with_capacity(routes.len());
    for &route in routes.iter() {
        let hop = first_hop(route);
        if left[usize::from(hop)] == 0 {
            hops.push(hop);
        }
        left[usize::from(hop)] += 1;
    }
    let mut ends = [0; 256];
    let mut end = 0;
    for &hop in &hops {
        end += left[usize::from(hop)];
        ends[usize::from(hop)] = end;
    }
    // The routes of one first hop after the other; those of each the last first.
    let mut by_hop = vec![Entropy(0); routes.len()];
    let mut places = ends;
    for &route in routes.iter() {
        let place = &mut places[usize::from(first_hop(route))];
        *place -= 1;
        by_hop[*place as usize] = route;
    }
    let mut sorted = routes.iter_mut();
    while !hops.is_empty() {
        hops.retain(|&hop| {
            let hop = usize::from(hop);
            ends[hop] -= 1;
            left[hop] -= 1;
            if let Some(route) = sorted.next() {
                *route = by_hop[ends[hop] as usize];
            }
            left[hop] > 0
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load_balance::route::route;

    fn rotated(routes: u16, packets: usize, seed: u64) -> Vec<u16> {
        in_order(Order::Random, (0..routes).map(Entropy).collect(), packets, seed)
    }

    fn in_order(order: Order, routes: Vec<Entropy>, packets: usize, seed: u64) -> Vec<u16> {
        let flow = HostDr { route: Entropy(0), order, knows: Knows::AtOnce };
        let mut rotation = flow.rotation(routes, &mut Rng::new(seed, "test", 0));
        let mut taken = Vec::new();
        for _ in 0..packets {
            taken.push(rotation.due().0);
            rotation.turn();
        }
        taken
    }

    #[test]
    fn each_route_has_its_turn_once_in_a_round() {
        let taken = rotated(4, 12, 1);
        let mut round = taken[..4].to_vec();
        round.sort_unstable();
        assert_eq!(round, [0, 1, 2, 3]);
        assert_eq!(taken[..4], taken[4..8]);
        assert_eq!(taken[..4], taken[8..]);
        assert_eq!(rotated(1, 3, 1), [0; 3]);
        assert_eq!(rotated(0, 2, 1), [0; 2]);
    }

    #[test]
    fn digit_reversal_comes_to_a_first_hop_again_after_all_others() {
        let mut orders = Vec::new();
        for seed in 0..50 {
            let routes: Vec<Entropy> = (0..16).map(|i| route(4 + i % 4, 4 + i / 4)).collect();
            let taken = in_order(Order::DigitReversal, routes, 32, seed);
            let hops: Vec<u8> = taken.iter().map(|&taken| first_hop(Entropy(taken))).collect();
            assert!(hops.windows(5).all(|window| window[0] == window[4]), "{hops:?}");
            let mut round = taken[..16].to_vec();
            round.sort_unstable();
            round.dedup();
            assert_eq!((round.len(), &taken[..16]), (16, &taken[16..]));
            orders.push(taken);
        }
        orders.sort_unstable();
        orders.dedup();
        assert_eq!(orders.len(), 50);
        // One first hop has lost all but one of its second hops.
        let routes = [(4, 4), (5, 4), (5, 5), (5, 6)].map(|(edge, above)| route(edge, above));
        let mut taken = in_order(Order::DigitReversal, routes.to_vec(), 4, 1);
        taken.sort_unstable();
        assert_eq!(taken, routes.map(|route| route.0));
    }

    #[test]
    fn orders_and_starts_are_random() {
        let mut firsts = [0; 4];
        let mut orders = Vec::new();
        for seed in 0..400 {
            let taken = rotated(4, 4, seed);
            firsts[usize::from(taken[0])] += 1;
            orders.push(taken);
        }
        assert!(firsts.iter().all(|&count| (70..130).contains(&count)), "{firsts:?}");
        orders.sort_unstable();
        orders.dedup();
        assert_eq!(orders.len(), 24);
    }
}
