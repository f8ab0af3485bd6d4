//! The packets of a flow go round the planes.

use super::{PlaneContext, PlaneSelector, Planes};
use crate::Card;
use crate::family::Need;
use crate::rng::coin;

/// What `raddle schemes` says of it.
pub const CARD: Card = Card {
    name: "round_robin",
    title: "Planes in turn",
    paper: "Dixit et al., On the impact of packet spraying in data center networks, INFOCOM 2013, \
            with ports of a host in place of next hops",
    needs: &[Need::OutOfOrder],
    summary: "The packets of a flow take the planes in turn, from a random one on. A flow may be as \
              fast as all ports of its host together.",
};

crate::parameters! {
    /// Parameters of the round: none.
    pub struct Config {}
}

/// A flow's round.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    next: u32,
}

impl RoundRobin {
    /// A round that begins at a random plane.
    pub fn new(_: &Config, context: &PlaneContext) -> Self {
        let first = (u64::from(coin(context.stream, 0)) * u64::from(context.planes)) >> 32;
        Self { next: first as u32 }
    }
}

impl PlaneSelector for RoundRobin {
    fn is_per_packet(&self) -> bool {
        true
    }

    fn next_plane(&mut self, planes: &Planes<'_>) -> u32 {
        let plane = planes.from(self.next);
        self.next = plane + 1;
        plane
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_leaves_out_what_is_out() {
        let mut round = RoundRobin::new(&Config {}, &PlaneContext { planes: 4, stream: 3 });
        let mut next = |usable| round.next_plane(&Planes { usable, waiting: &|_| 0 });
        let first = next(0b1111);
        assert_eq!([(); 3].map(|()| next(0b1111)), [1, 2, 3].map(|i| (first + i) % 4));
        let without: alloc::vec::Vec<u32> = (0..6).map(|_| next(0b1010)).collect();
        assert!(without == [1, 3, 1, 3, 1, 3] || without == [3, 1, 3, 1, 3, 1], "{without:?}");
    }
}
