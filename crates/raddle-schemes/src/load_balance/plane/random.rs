//! Each packet takes a plane that is drawn.

use super::{PlaneContext, PlaneSelector, Planes};
use crate::Card;
use crate::family::Need;
use crate::rng::coin;

/// What `raddle schemes` says of it.
pub const CARD: Card = Card {
    name: "random",
    title: "A random plane for each packet",
    paper: "Dixit et al., On the impact of packet spraying in data center networks, INFOCOM 2013, \
            with ports of a host in place of next hops",
    needs: &[Need::OutOfOrder],
    summary: "Each packet takes any usable plane, each as likely as any other. A flow may be as fast \
              as all ports of its host together, but for packets that wait for one of them while \
              another is free.",
};

crate::parameters! {
    /// Parameters of the draw: none.
    pub struct Config {}
}

/// A flow's draws.
#[derive(Clone, Debug)]
pub struct Random {
    stream: u64,
    drawn: u64,
}

impl Random {
    /// Draws of a flow.
    pub fn new(_: &Config, context: &PlaneContext) -> Self {
        Self { stream: context.stream, drawn: 0 }
    }
}

impl PlaneSelector for Random {
    fn is_per_packet(&self) -> bool {
        true
    }

    fn next_plane(&mut self, planes: &Planes<'_>) -> u32 {
        let drawn = u64::from(coin(self.stream, self.drawn));
        self.drawn += 1;
        planes.nth(((drawn * u64::from(planes.count())) >> 32) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_even_over_what_is_usable() {
        let mut random = Random::new(&Config {}, &PlaneContext { planes: 4, stream: 3 });
        let mut counts = [0; 4];
        for _ in 0..3_000 {
            let planes = Planes { usable: 0b1101, waiting: &|_| 0 };
            counts[random.next_plane(&planes) as usize] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!([0, 2, 3].iter().all(|&to| (900..1_100).contains(&counts[to])), "{counts:?}");
    }
}
