//! ECMP: each switch hashes flow and entropy with a salt of its own.
//!
//! With a fixed entropy a flow keeps one path; with a fresh entropy per packet the same hash
//! sprays. Salts differ between switches: equal ones would polarise the tiers, so that half of
//! the paths go unused (REPS spec, section 3; LB study, pitfalls).
//!
//! With `hash = "linear"` an entropy moves the choice by what it is itself, whatever the flow and the
//! switch: h(flow, a xor b) = h(flow, a) xor l(b), where l reads other bits in each tier. That is so
//! of the CRC and XOR hashes of switches, and whoever knows it can name paths by entropies (Themis,
//! section 4.1).

use super::{Choices, Header, PortSelector, SwitchContext};
use crate::rng::mix;
use crate::{Card, Cx, Need};

/// What `raddle schemes ecmp` says.
pub const CARD: Card = Card {
    name: "ecmp",
    title: "Equal-cost multi-path hashing",
    paper: "Hopps, RFC 2992 (2000)",
    needs: &[],
    summary: "Hashes flow and entropy with a salt per switch. What hosts' schemes steer by.",
};

crate::words! {
    /// How flow and entropy are hashed.
    pub enum Hash {
        /// Every bit moves every other: the choices of two entropies have nothing to do with each
        /// other.
        Mixed = "mixed",
        /// The flow mixed, the entropy's bits as they are, other ones in each tier.
        Linear = "linear",
    }
}

crate::parameters! {
    /// Parameters of ECMP.
    pub struct Config {
        /// How flow and entropy are hashed: `mixed`, or `linear` in the entropy.
        pub hash: Hash = Hash::Mixed;
    }
}

/// What a linear hash takes from the entropy at a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// A switch with hosts.
    Edge,
    /// A switch of a pod.
    Pod,
}

/// Where on the line of choices a linear hash moves by an entropy: the low byte first at edge
/// switches, the high byte first above them.
#[inline]
pub const fn linear(tier: Tier, entropy: u16) -> u32 {
    let own = match tier {
        Tier::Edge => entropy,
        Tier::Pod => entropy.rotate_right(8),
    };
    (own as u32).reverse_bits()
}

/// One switch's salt.
#[derive(Clone, Debug)]
pub struct Ecmp {
    salt: u64,
    /// Where the hash is linear.
    linear: Option<Tier>,
}

impl Ecmp {
    /// A hash with the switch's own salt.
    pub fn new(config: &Config, context: &SwitchContext) -> Self {
        let tier = if context.edge { Tier::Edge } else { Tier::Pod };
        let linear = (config.hash == Hash::Linear).then_some(tier);
        Self { salt: mix(context.stream), linear }
    }

    /// Where on the line of choices a flow key and an entropy fall: the high bits of the hash.
    #[inline]
    pub fn point(&self, flow_key: u32, entropy: u16) -> u32 {
        let key = u64::from(flow_key) << 16;
        match self.linear {
            None => (mix(key ^ u64::from(entropy) ^ self.salt) >> 32) as u32,
            Some(tier) => (mix(key ^ self.salt) >> 32) as u32 ^ linear(tier, entropy),
        }
    }

    /// The choice among `count` ports of the same weight; uniform for any count.
    #[inline]
    pub fn pick(&self, flow_key: u32, entropy: u16, count: usize) -> usize {
        ((u64::from(self.point(flow_key, entropy)) * count as u64) >> 32) as usize
    }
}

impl PortSelector for Ecmp {
    #[inline]
    fn select(&mut self, _cx: &mut Cx<'_>, packet: &Header, choices: &mut Choices<'_>) -> usize {
        choices.at(self.point(packet.flow_key, packet.entropy.0))
    }

    fn offers(&self, need: Need) -> bool {
        need == Need::PathMap && self.linear.is_some()
    }

    fn is_stateless(&self) -> bool {
        true
    }

    fn reads_entropy(&self) -> bool {
        true
    }
}
