//! HOST DR: the sending host rotates over the common switches of each destination (DRB).
//!
//! A host keeps one pointer per destination host and class (data, ACKs) over the switches in which
//! the ways up from both ends meet: the cores for another pod, the aggregation switches for another
//! edge switch of the pod, none below one edge switch. Each packet is routed through the switch
//! whose turn it is (LB study spec, section 2.6). Two rotations over one switch keep each other's
//! queues constant however long the messages are (Theorem 3).
//!
//! Reading: order and start of a pointer are random. Under failures the host rotates over the routes
//! that are left once routing has converged, which it learns at that instant; order and start are
//! drawn anew then. All routes have equal turns, whatever they carry.

use super::{Outgoing, PathSelector};
use crate::ids::Entropy;
use crate::rng::Rng;
use crate::{Card, Cx, FlowContext, Need};
use alloc::boxed::Box;
use alloc::vec::Vec;

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

crate::parameters! {
    /// HOST DR has no parameters.
    pub struct Config {}
}

/// What one flow keeps: the route of the next packet. Its host keeps the [`Rotation`]s, which all
/// of its flows to one destination share.
#[derive(Clone, Debug)]
pub struct HostDr {
    route: Entropy,
}

impl HostDr {
    /// A flow whose host has told it no route.
    pub fn new(_config: &Config, _context: &FlowContext) -> Self {
        Self { route: Entropy(0) }
    }
}

impl PathSelector for HostDr {
    #[inline]
    fn on_route(&mut self, route: Entropy) {
        self.route = route;
    }

    #[inline]
    fn next_path(&mut self, _cx: &mut Cx<'_>, _packet: &Outgoing) -> Entropy {
        self.route
    }
}

/// One pointer of a host: routes to one destination, in turn.
#[derive(Clone, Debug, Default)]
pub struct Rotation {
    order: Box<[Entropy]>,
    next: u32,
}

impl Rotation {
    /// A rotation over `routes` in a random order, from a random start.
    pub fn new(mut routes: Vec<Entropy>, rng: &mut Rng) -> Self {
        rng.shuffle(&mut routes);
        let next = rng.below(routes.len().max(1) as u64) as u32;
        Self { order: routes.into_boxed_slice(), next }
    }

    /// The route whose turn it is; a route of zeros where there is none.
    #[inline]
    pub fn due(&self) -> Entropy {
        self.order.get(self.next as usize).copied().unwrap_or(Entropy(0))
    }

    /// A packet has taken the route that was due.
    #[inline]
    pub fn turn(&mut self) {
        self.next += 1;
        if self.next as usize >= self.order.len() {
            self.next = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rotated(routes: u16, packets: usize, seed: u64) -> Vec<u16> {
        let routes = (0..routes).map(Entropy).collect();
        let mut rotation = Rotation::new(routes, &mut Rng::new(seed, "test", 0));
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
