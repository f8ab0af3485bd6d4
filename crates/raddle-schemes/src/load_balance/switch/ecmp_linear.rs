//! ECMP with a hash that is linear in the entropy: it moves the choice by what it is itself, whatever
//! the flow and the switch, h(flow, a xor b) = h(flow, a) xor l(b), where l reads other bits in each
//! tier. That is so of the CRC and XOR hashes of switches, and whoever knows it can name paths by
//! entropies (Themis, section 4.1; its spec, section 2.13).

use super::{Choices, Header, PortSelector, SwitchContext};
use crate::rng::mix;
use crate::{Card, Need, SwitchCx};
use serde::Serialize;

/// What `raddle schemes ecmp_linear` says.
pub const CARD: Card = Card {
    name: "ecmp_linear",
    title: "Equal-cost multi-path by a linear hash",
    paper: "Themis, EuroSys 2026, section 4.1",
    needs: &[],
    summary: "Hashes the flow with a salt per switch and takes the entropy's bits as they are, others \
              in each tier. Lets ToRs name paths (`themis` in three tiers).",
};

crate::parameters! {
    /// There are no parameters.
    pub struct Config {}
}

/// What the hash takes from the entropy at a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Tier {
    /// A switch with hosts.
    Edge,
    /// A switch above those.
    Above,
}

/// Where on the line of choices the hash moves by an entropy: the low byte first at edge switches,
/// the high byte first above them.
#[inline]
pub const fn linear(tier: Tier, entropy: u16) -> u32 {
    let own = match tier {
        Tier::Edge => entropy,
        Tier::Above => entropy.rotate_right(8),
    };
    (own as u32).reverse_bits()
}

/// One switch's salt, and its tier.
#[derive(Clone, Debug, Serialize)]
pub struct EcmpLinear {
    salt: u64,
    tier: Tier,
}

impl EcmpLinear {
    /// A hash with the switch's own salt.
    pub fn new(_config: &Config, context: &SwitchContext) -> Self {
        let tier = if context.edge { Tier::Edge } else { Tier::Above };
        Self { salt: mix(context.stream), tier }
    }
}

impl PortSelector for EcmpLinear {
    #[inline]
    fn select(
        &mut self,
        _cx: &mut SwitchCx<'_>,
        packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        let flow = (mix(u64::from(packet.flow_key) << 16 ^ self.salt) >> 32) as u32;
        choices.at(flow ^ linear(self.tier, packet.entropy.0))
    }

    fn offers(&self, need: Need) -> bool {
        need == Need::PathMap
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
    use crate::ids::Entropy;

    #[test]
    fn what_is_added_to_the_entropy_is_added_to_the_choice() {
        for switch in 0..50 {
            let mut at = Bench::of(switch, &Config {}, EcmpLinear::new);
            let own = at.entropy(Entropy(0x1234)).select(16);
            for delta in 0..16_u16 {
                let moved = at.entropy(Entropy(0x1234 ^ delta)).select(16);
                let bits = usize::from((delta << 12).reverse_bits());
                assert_eq!(moved, own ^ bits);
            }
        }
    }
}
