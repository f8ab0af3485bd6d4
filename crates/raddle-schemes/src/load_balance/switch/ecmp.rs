//! ECMP: each switch hashes flow and entropy with a salt of its own.
//!
//! With a fixed entropy a flow keeps one path; with a fresh entropy per packet the same hash
//! sprays. Salts differ between switches: equal ones would polarise the tiers, so that half of
//! the paths go unused (REPS spec, section 3; LB study, pitfalls).

use super::{Choices, Header, PortSelector, SwitchContext};
use crate::rng::mix;
use crate::{Card, SwitchCx};
use serde::Serialize;

/// What `raddle schemes ecmp` says.
pub const CARD: Card = Card {
    name: "ecmp",
    title: "Equal-cost multi-path hashing",
    paper: "Hopps, RFC 2992 (2000)",
    needs: &[],
    summary: "Hashes flow and entropy with a salt per switch. What hosts' schemes steer by.",
};

crate::parameters! {
    /// ECMP has no parameters.
    pub struct Config {}
}

/// One switch's salt.
#[derive(Clone, Debug, Serialize)]
pub struct Ecmp {
    salt: u64,
}

impl Ecmp {
    /// A hash with the switch's own salt.
    pub fn new(_config: &Config, context: &SwitchContext) -> Self {
        Self { salt: mix(context.stream) }
    }

    /// Where on the line of choices a flow key and an entropy fall: the high bits of the hash.
    #[inline]
    pub fn point(&self, flow_key: u32, entropy: u16) -> u32 {
        let key = (u64::from(flow_key) << 16) | u64::from(entropy);
        (mix(key ^ self.salt) >> 32) as u32
    }

    /// The choice among `count` ports of the same weight; uniform for any count.
    #[inline]
    pub fn pick(&self, flow_key: u32, entropy: u16, count: usize) -> usize {
        ((u64::from(self.point(flow_key, entropy)) * count as u64) >> 32) as usize
    }
}

impl PortSelector for Ecmp {
    #[inline]
    fn select(
        &mut self,
        _cx: &mut SwitchCx<'_>,
        packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        choices.at(self.point(packet.flow_key, packet.entropy.0))
    }

    fn is_stateless(&self) -> bool {
        true
    }

    fn reads_entropy(&self) -> bool {
        true
    }
}
