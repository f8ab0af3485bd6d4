//! A scheme beside a hash: packets of flows that are left to ECMP are hashed, the others go where
//! the scheme says. Not a scheme of its own: only runs that have such flows build it, so that no
//! other one asks.

use super::ecmp::{self, Ecmp};
use super::{
    AnyPortSelector, Choices, Config, Detour, Header, PortSelector, SwitchContext, Waypoint,
};
use crate::SwitchCx;
use crate::probe::Probes;
use alloc::boxed::Box;

/// One switch's scheme and its hash.
struct WithHash {
    scheme: AnyPortSelector,
    hash: Ecmp,
}

impl Config {
    /// The selected scheme, beside the hash that `ecmp` would have at this switch. Neither sees the
    /// other's packets.
    pub fn build_with_hash(&self, context: &SwitchContext) -> AnyPortSelector {
        let hash = Ecmp::new(&ecmp::Config {}, context);
        let both = WithHash { scheme: self.build(context), hash };
        AnyPortSelector::Custom(Box::new(Box::new(both)))
    }
}

impl PortSelector for WithHash {
    fn probes(&self, to: &mut dyn Probes) {
        self.scheme.probes(to);
    }

    fn select(
        &mut self,
        cx: &mut SwitchCx<'_>,
        packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        if packet.hashed {
            self.hash.select(cx, packet, choices)
        } else {
            self.scheme.select(cx, packet, choices)
        }
    }

    fn is_stateless(&self) -> bool {
        self.hash.is_stateless() && self.scheme.is_stateless()
    }

    fn looks_before(&self) -> bool {
        self.scheme.looks_before()
    }

    fn detour(&mut self, cx: &mut SwitchCx<'_>, packet: &Header, stop: &Waypoint<'_>) -> Detour {
        if packet.hashed {
            Detour { towards: None, straight: packet.entropy }
        } else {
            self.scheme.detour(cx, packet, stop)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::SCHEMES;
    use super::super::adaptive_roce::{self, Mode};
    use super::super::testing::{Bench, Running};
    use super::*;
    use crate::ids::{Entropy, SwitchId};
    use alloc::vec::Vec;

    #[test]
    fn packets_left_to_the_hash_go_where_ecmp_sends_them_whatever_the_scheme() {
        let entropies = || (0..64).map(Entropy);
        let ecmp = Config::Ecmp(ecmp::Config {});
        let mut hash = Bench::new(&ecmp, |ecmp, context| Running(ecmp.build(context)));
        let expected: Vec<usize> = entropies().map(|e| hash.entropy(e).select(16)).collect();
        for scheme in SCHEMES {
            let config = Config::named(scheme.card.name).unwrap();
            let mut alone = Bench::new(&config, |config, context| Running(config.build(context)));
            let mut both =
                Bench::new(&config, |config, context| Running(config.build_with_hash(context)));
            for (entropy, port) in entropies().zip(&expected) {
                assert_eq!(both.hashed(true).entropy(entropy).select(16), *port);
                // The scheme's own packets go as if there were no others.
                let own = both.hashed(false).entropy(entropy).select(16);
                assert_eq!(own, alone.entropy(entropy).select(16), "{}", scheme.card.name);
            }
        }
    }

    #[test]
    fn what_a_scheme_says_of_itself_holds_beside_the_hash() {
        let context = SwitchContext { switch: SwitchId(0), edge: true, pod: None, stream: 0 };
        let artifact = adaptive_roce::Config { mode: Mode::Artifact };
        let configs = SCHEMES.iter().filter_map(|scheme| Config::named(scheme.card.name));
        let mut looking = 0;
        for config in configs.chain([Config::AdaptiveRoce(artifact)]) {
            let (alone, both) = (config.build(&context), config.build_with_hash(&context));
            assert_eq!(alone.looks_before(), both.looks_before(), "{config:?}");
            assert_eq!(alone.is_stateless(), both.is_stateless(), "{config:?}");
            looking += u32::from(both.looks_before());
        }
        assert_eq!(looking, 1);
    }
}
