//! Valiant load balancing: by way of a random ToR, whatever the demand (Valiant, SIAM J. Comput. 1982;
//! Sirius, SIGCOMM 2020, section 4.2; Mars thesis, section 7.2).
//!
//! The first switch draws a switch with hosts and writes its number over the packet's entropy, whose
//! top bit says that the packet is still on its way there.
//!
//! Reading: the draw is over all of them. Where it is the packet's own switch or its destination's the
//! packet goes straight, and so does one that passes its destination's switch on its way.

use super::{Choices, Detour, Header, PortSelector, SwitchContext, Waypoint};
use crate::ids::Entropy;
use crate::{Card, SwitchCx};
use serde::Serialize;

/// What `raddle schemes valiant` says.
pub const CARD: Card = Card {
    name: "valiant",
    title: "By way of a random ToR",
    paper: "Valiant, SIAM Journal on Computing 11(2), 1982; Sirius, SIGCOMM 2020",
    needs: &[],
    summary: "The first switch draws a ToR for each packet, which goes there first and then to its \
              destination, by a random shortest way each. For circuits: any demand becomes two \
              uniform ones, at half the capacity.",
};

/// Of an entropy: the packet is on its way to the switch that the other bits name.
const ON_ITS_WAY: u16 = 1 << 15;

crate::parameters! {
    /// Valiant load balancing has no parameters.
    pub struct Config {}
}

/// Keeps nothing.
#[derive(Clone, Debug, Serialize)]
pub struct Valiant;

impl Valiant {
    /// Nothing to set up.
    pub fn new(_config: &Config, _context: &SwitchContext) -> Self {
        Self
    }
}

impl PortSelector for Valiant {
    #[inline]
    fn select(
        &mut self,
        cx: &mut SwitchCx<'_>,
        _packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        choices.at((cx.rng.next_u64() >> 32) as u32)
    }

    fn makes_detours(&self) -> bool {
        true
    }

    fn detour(&mut self, cx: &mut SwitchCx<'_>, packet: &Header, stop: &Waypoint<'_>) -> Detour {
        let Entropy(entropy) = packet.entropy;
        let (via, is_on_its_way) = if stop.from_host {
            (cx.rng.below(stop.edges.len() as u64) as u16, true)
        } else {
            (entropy & !ON_ITS_WAY, entropy & ON_ITS_WAY != 0)
        };
        let switch = stop.edges.get(usize::from(via)).copied().filter(|_| is_on_its_way);
        let goes = switch.is_some_and(|switch| switch != stop.switch && switch != stop.edge);
        Detour {
            towards: goes.then_some((usize::from(via), Entropy(via | ON_ITS_WAY))),
            straight: Entropy(via),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;
    use crate::ids::SwitchId;
    use crate::rng::Rng;
    use crate::units::{Bytes, Time};
    use alloc::vec::Vec;

    fn ask(rng: &mut Rng, entropy: u16, stop: &Waypoint<'_>) -> Detour {
        let packet = Header {
            flow_key: 1,
            entropy: Entropy(entropy),
            bytes: Bytes(1500),
            control: false,
            hashed: false,
        };
        Valiant.detour(&mut SwitchCx { now: Time(0), rng }, &packet, stop)
    }

    #[test]
    fn packets_of_hosts_are_sent_to_all_switches_alike() {
        let edges: Vec<SwitchId> = (0..8).map(SwitchId).collect();
        let stop =
            Waypoint { switch: SwitchId(2), edge: SwitchId(5), from_host: true, edges: &edges };
        let mut rng = Rng::new(1, "test", 0);
        let mut counts = [0; 8];
        let mut straight = 0;
        for _ in 0..80_000 {
            match ask(&mut rng, 0xffff, &stop).towards {
                Some((edge, Entropy(written))) => {
                    assert_eq!(usize::from(written & !ON_ITS_WAY), edge);
                    counts[edge] += 1;
                }
                None => straight += 1,
            }
        }
        assert!((straight - 20_000_i32).abs() < 600, "{straight}");
        assert_eq!((counts[2], counts[5]), (0, 0));
        let others = [0, 1, 3, 4, 6, 7].map(|edge| counts[edge]);
        assert!(others.iter().all(|count: &i32| (count - 10_000).abs() < 500), "{counts:?}");
    }

    #[test]
    fn a_packet_is_on_its_way_until_it_is_there() {
        let edges: Vec<SwitchId> = (0..8).map(SwitchId).collect();
        let mut rng = Rng::new(1, "test", 0);
        let at = |switch| Waypoint {
            switch: SwitchId(switch),
            edge: SwitchId(5),
            from_host: false,
            edges: &edges,
        };
        let written = ON_ITS_WAY | 3;
        assert_eq!(ask(&mut rng, written, &at(1)).towards, Some((3, Entropy(written))));
        let there = ask(&mut rng, written, &at(3));
        assert_eq!((there.towards, there.straight), (None, Entropy(3)));
        assert_eq!(ask(&mut rng, 3, &at(1)).towards, None, "it has been there");
    }

    #[test]
    fn of_shortest_ways_it_draws_one() {
        let mut bench = Bench::new(&Config {}, Valiant::new);
        let mut counts = [0; 4];
        (0..40_000).for_each(|_| counts[bench.select(4)] += 1);
        assert!(counts.iter().all(|count: &i32| (count - 10_000).abs() < 500), "{counts:?}");
    }
}
