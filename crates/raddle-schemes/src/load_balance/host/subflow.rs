//! Subflows: a flow's packets take turns on a few labels that it keeps for its life.
//!
//! One file for two models. `reps`: the MPTCP-like baseline of the REPS paper, 8 consecutive
//! entropies from the source's number on (REPS spec, sections 4 item 6 and 4.1). `lb_study`: the
//! SUBFLOW of the load-balancing study, 4 distinct random labels (its spec, section 4).
//!
//! Reading: the subflows are paths of one flow, with one window, not flows of their own; packets
//! sent again take their turn like new ones.

use super::{Outgoing, PathSelector};
use crate::family::Need;
use crate::ids::Entropy;
use crate::probe::Probes;
use crate::{Card, Cx, FlowContext};
use alloc::boxed::Box;
use alloc::vec;
use serde::Serialize;

/// What `raddle schemes subflow` says.
pub const CARD: Card = Card {
    name: "subflow",
    title: "Subflows, packets in turn over a few fixed paths",
    paper: "Raiciu et al., Improving datacenter performance and robustness with multipath TCP, \
            SIGCOMM 2011, as modelled by Bonato et al., EuroSys 2026 (the default profile)",
    needs: &[Need::OutOfOrder],
    summary: "Packets rotate over a few labels that never change. Collides less than ECMP, blind \
              to trouble. The load-balancing study's SUBFLOW is `profile = \"lb_study\"`.",
};

crate::words! {
    /// Whose subflows they are: how many, and which labels they have.
    pub enum Profile {
        /// The REPS paper: 8 consecutive entropies.
        Reps = "reps",
        /// The load-balancing study: 4 distinct random labels.
        LbStudy = "lb_study",
    }
}

/// The most subflows of a flow.
const MOST: u32 = 256;

crate::parameters! {
    /// Parameters of the subflows.
    pub struct Config {
        /// Whose subflows: `reps` has 8 consecutive labels from the source's number on, `lb_study`
        /// 4 distinct random ones.
        pub profile: Profile = Profile::Reps;
        /// How many labels there are; `auto` is the profile's.
        pub subflows: Option<u32> = None, in 1..=MOST;
    }
}

/// One flow's labels and whose turn it is.
#[derive(Clone, Debug, Serialize)]
pub struct Subflow {
    labels: Box<[Entropy]>,
    next: u16,
    /// Whether the labels are to be drawn before the first packet.
    to_draw: bool,
    profile: Profile,
}

impl Subflow {
    /// As many labels as the profile has, or the configuration wants.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let count = config.subflows.unwrap_or(match config.profile {
            Profile::Reps => 8,
            Profile::LbStudy => 4,
        });
        let mut subflow = Self {
            labels: vec![Entropy(0); count as usize].into_boxed_slice(),
            next: 0,
            to_draw: false,
            profile: config.profile,
        };
        subflow.begin(context);
        subflow
    }

    /// Distinct labels, each uniform among those not yet taken.
    fn draw(&mut self, cx: &mut Cx<'_>) {
        self.to_draw = false;
        for drawn in 0..self.labels.len() {
            let mut label = Entropy(cx.rng.below(1 << 16) as u16);
            while self.labels[..drawn].contains(&label) {
                label = Entropy(cx.rng.below(1 << 16) as u16);
            }
            self.labels[drawn] = label;
        }
    }
}

impl PathSelector for Subflow {
    fn probes(&self, to: &mut dyn Probes) {
        to.number("next", self.next.into());
    }

    /// REPS spec, section 4.1: k = (k + 1) mod 8, then base + k, so that the first packet has
    /// base + 1.
    fn begin(&mut self, context: &FlowContext) {
        match self.profile {
            Profile::LbStudy => self.to_draw = true,
            Profile::Reps => {
                let (base, count) = (context.source.0, self.labels.len());
                for (i, label) in self.labels.iter_mut().enumerate() {
                    *label = Entropy(base.wrapping_add(((i + 1) % count) as u32) as u16);
                }
            }
        }
    }

    #[inline]
    fn next_path(&mut self, cx: &mut Cx<'_>, _packet: &Outgoing) -> Entropy {
        if self.to_draw {
            self.draw(cx);
        }
        let label = self.labels[usize::from(self.next)];
        self.next += 1;
        if usize::from(self.next) == self.labels.len() {
            self.next = 0;
        }
        label
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::{ParameterError, Parameters, Raw};
    use crate::ids::{HostId, Psn};
    use crate::rng::Rng;
    use crate::units::Time;
    use std::collections::BTreeSet;

    fn sent<const N: usize>(config: &Config, source: u32, seed: u64) -> [u16; N] {
        let context = FlowContext { source: HostId(source), ..FlowContext::NOMINAL };
        let mut subflow = Subflow::new(config, &context);
        let mut rng = Rng::new(seed, "flow", 0);
        [(); N].map(|()| {
            let mut cx = Cx { now: Time::ZERO, rng: &mut rng, events: &mut () };
            subflow.next_path(&mut cx, &Outgoing { psn: Psn(0), again: false }).0
        })
    }

    #[test]
    fn the_reps_papers_packets_go_round_eight_consecutive_entropies() {
        let config = Config::default();
        assert_eq!(sent(&config, 70, 1), [71, 72, 73, 74, 75, 76, 77, 70, 71, 72]);
        assert_eq!(sent(&config, 65_534, 1), [65_535, 0, 1], "entropies have 16 bits");
    }

    #[test]
    fn the_studys_packets_go_round_four_distinct_random_labels() {
        let config = Config { profile: Profile::LbStudy, ..Config::default() };
        let labels: [u16; 12] = sent(&config, 70, 1);
        assert_eq!(labels[..4], labels[4..8]);
        assert_eq!(labels[..4], labels[8..]);
        assert_eq!(labels[..4].iter().collect::<BTreeSet<_>>().len(), 4);
        assert_ne!(labels, sent(&config, 70, 2));
        let many = Config { subflows: Some(MOST), ..config };
        let labels: [u16; MOST as usize] = sent(&many, 0, 3);
        assert_eq!(labels.iter().collect::<BTreeSet<_>>().len(), MOST as usize);
    }

    #[test]
    fn either_profile_takes_another_number_of_labels() {
        let config = Config { subflows: Some(2), ..Config::default() };
        assert_eq!(sent(&config, 5, 1), [6, 5, 6]);
        let config = Config { subflows: Some(1), ..Config::default() };
        assert_eq!(sent(&config, 5, 1), [5, 5]);
        let study = Config { profile: Profile::LbStudy, subflows: Some(3) };
        let [a, b, c, again] = sent(&study, 5, 1);
        assert!(a != b && b != c && a != c && again == a);
    }

    #[test]
    fn no_subflows_and_too_many_are_refused() {
        let mut config = Config::default();
        for wrong in [0, 257] {
            let refused = config.set("subflows", Raw::Integer(wrong));
            let expected = "expected at least 1 and at most 256".into();
            assert_eq!(refused, Err(ParameterError::Value(expected)));
        }
        assert_eq!(config.set("subflows", Raw::Integer(256)), Ok(()));
        assert_eq!(config.set("subflows", Raw::Text("auto")), Ok(()));
        assert_eq!(config, Config::default());
    }
}
