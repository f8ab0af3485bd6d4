//! Source routing: the switch takes the port that the packet's entropy names, read as a
//! [route](crate::load_balance::route).
//!
//! A digit that names none of the choices, because routes have changed since the packet left, or
//! because the cables of a way down are parallel, is taken modulo their number. So any entropy is a
//! route, and host schemes that know nothing of routes run on such switches, too.

use super::{Choices, Header, PortSelector, SwitchContext};
use crate::load_balance::route::PORT_LIMIT;
use crate::{Card, Need, SwitchCx};
use serde::Serialize;

/// What `raddle schemes source_route` says.
pub const CARD: Card = Card {
    name: "source_route",
    title: "Source routing",
    paper: "LB study, HOST DR (packets encapsulated by the host)",
    needs: &[],
    summary: "The host names the ports in the entropy, the switch follows. For host schemes that \
              choose whole routes (`host_dr`).",
};

crate::parameters! {
    /// Source routing has no parameters.
    pub struct Config {}
}

/// One switch: which of the digits is its own.
#[derive(Clone, Debug, Serialize)]
pub struct SourceRoute {
    shift: u32,
}

impl SourceRoute {
    /// The lower digit at an edge switch, the upper one above.
    pub fn new(_config: &Config, context: &SwitchContext) -> Self {
        Self { shift: if context.edge { 0 } else { 8 } }
    }
}

impl PortSelector for SourceRoute {
    #[inline]
    fn select(
        &mut self,
        _cx: &mut SwitchCx<'_>,
        packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        let port = u32::from(packet.entropy.0) >> self.shift & (PORT_LIMIT - 1);
        // Choices are mostly ports in a row.
        let probably = port.wrapping_sub(choices.fabric.port(0)) as usize;
        if probably < choices.count && choices.fabric.port(probably) == port {
            return probably;
        }
        choices.find(port).unwrap_or(port as usize % choices.count)
    }

    fn offers(&self, need: Need) -> bool {
        need == Need::SourceRouting
    }

    fn is_stateless(&self) -> bool {
        true
    }

    fn reads_entropy(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;
    use crate::load_balance::route::route;

    #[test]
    fn each_kind_of_switch_reads_its_own_digit() {
        for (edge, expected) in [(true, 5), (false, 6)] {
            let build = |config: &Config, context: &SwitchContext| {
                SourceRoute::new(config, &SwitchContext { edge, ..*context })
            };
            let mut bench = Bench::new(&Config {}, build);
            bench.ports(&[4, 5, 6, 7]).entropy(route(5, 6));
            assert_eq!(bench.select(4), expected - 4);
        }
    }

    #[test]
    fn a_port_that_is_missing_leaves_the_others_their_numbers() {
        let mut bench = Bench::new(&Config {}, SourceRoute::new);
        bench.ports(&[4, 6, 7, 255]);
        for (port, choice) in [(4, 0), (6, 1), (7, 2), (255, 3)] {
            assert_eq!(bench.entropy(route(port, 0)).select(4), choice);
        }
        assert_eq!(bench.entropy(route(5, 0)).select(4), 1, "5 modulo 4");
    }
}
