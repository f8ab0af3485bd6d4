//! Each flow stays in a plane, which a hash of it names.

use super::{PlaneContext, PlaneSelector, Planes};
use crate::Card;
use crate::rng::coin;

/// What `raddle schemes hash` says.
pub const CARD: Card = Card {
    name: "hash",
    title: "A plane for each flow",
    paper: "Hopps, Analysis of an Equal-Cost Multi-Path Algorithm, RFC 2992, with ports of a host \
            in place of next hops",
    needs: &[],
    summary: "Each flow stays in a plane that a hash of it names; while that is out, in one of the \
              others. Packets stay in order, but flows may collide and a flow is no faster than one \
              port.",
};

crate::parameters! {
    /// Parameters of the hash: none.
    pub struct Config {}
}

/// A flow's plane.
#[derive(Clone, Debug)]
pub struct Hash {
    planes: u32,
    stream: u64,
}

impl Hash {
    /// The hash of a flow.
    pub fn new(_: &Config, context: &PlaneContext) -> Self {
        Self { planes: context.planes, stream: context.stream }
    }

    /// One of so many, as the flow's hash says.
    fn one_of(&self, attempt: u64, count: u32) -> u32 {
        ((u64::from(coin(self.stream, attempt)) * u64::from(count)) >> 32) as u32
    }
}

impl PlaneSelector for Hash {
    fn is_per_packet(&self) -> bool {
        false
    }

    fn next_plane(&mut self, planes: &Planes<'_>) -> u32 {
        let own = self.one_of(0, self.planes);
        if planes.has(own) { own } else { planes.nth(self.one_of(1, planes.count())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(stream: u64, usable: u8) -> u32 {
        let context = PlaneContext { planes: 4, stream };
        Hash::new(&Config {}, &context).next_plane(&Planes { usable, waiting: &|_| 0 })
    }

    #[test]
    fn flows_are_spread_evenly_and_stay() {
        let mut counts = [0; 4];
        (0..4_000).for_each(|flow| counts[plane(flow * 77, 0b1111) as usize] += 1);
        assert!(counts.iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
        assert_eq!(plane(9, 0b1111), plane(9, 0b1111));
    }

    #[test]
    fn only_flows_of_a_plane_that_is_out_move_and_they_are_spread() {
        let mut counts = [0; 4];
        for flow in (0..12_000).map(|flow| flow * 77) {
            let (before, after) = (plane(flow, 0b1111), plane(flow, 0b1011));
            assert!(before == after || before == 2);
            counts[after as usize] += u32::from(before != after);
        }
        assert!([0, 1, 3].iter().all(|&to| (900..1_100).contains(&counts[to])), "{counts:?}");
    }
}
