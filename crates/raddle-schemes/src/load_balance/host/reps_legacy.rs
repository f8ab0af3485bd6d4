//! The older REPS that the authors' artifact still carries: recycled entropies without a ring.
//!
//! The first packets walk the entropies in order; the entropies of unmarked ACKs queue up, however
//! many, and each is used once, oldest first; with none at hand a packet takes a random one. There
//! is no freezing. The artifact's script for Figure 15 of the REPS paper runs this policy: REPS
//! spec, section 2.4, last item.
//!
//! Reading: the artifact lets packets walk while fewer were sent than the present window holds;
//! here their number is fixed at the flow's start, when the artifact's windows hold 1.5 BDP.

use super::{Fate, Feedback, Outgoing, PathSelector};
use crate::family::Need;
use crate::ids::Entropy;
use crate::probe::Probes;
use crate::units::Bytes;
use crate::{Card, Cx, FlowContext};
use alloc::collections::VecDeque;
use serde::Serialize;

/// What `raddle schemes reps_legacy` says.
pub const CARD: Card = Card {
    name: "reps_legacy",
    title: "Recycled entropies, before the ring",
    paper: "The policy `reps` of the artifact of Bonato et al., EuroSys 2026, where the paper's \
            is called `freezing`",
    needs: &[Need::Ecn, Need::OutOfOrder],
    summary: "Reuses the entropies of unmarked ACKs from a queue without bound, else draws at \
              random. Cannot freeze; for comparison with REPS.",
};

crate::parameters! {
    /// Parameters of the older REPS.
    pub struct Config {
        /// How many entropy values there are (`EVS_SIZE`).
        pub entropies: u32 = 65_536, in 1..=65_536;
        /// Packets at the start that take entropies 1, 2, 3 and so on; `auto` is 1.5 BDP. Not more
        /// than `entropies`.
        pub walk: Option<u32> = None;
    }
}

/// One flow's queue of entropies.
#[derive(Clone, Debug, Serialize)]
pub struct RepsLegacy {
    entropies: u32,
    /// Packets that have yet to walk.
    to_walk: u32,
    /// The latest entropy of the walk.
    walked: u32,
    fresh: VecDeque<Entropy>,
}

impl RepsLegacy {
    /// An empty queue, with room for the entropies of two BDP.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let bdps =
            |halves| context.packets_in(Bytes(context.bdp.0.saturating_mul(halves) / 2)) as u32;
        let to_walk = config.walk.unwrap_or(bdps(3)).min(config.entropies);
        let room = bdps(4).min(1 << 16) as usize;
        let fresh = VecDeque::with_capacity(room);
        Self { entropies: config.entropies, to_walk, walked: 0, fresh }
    }
}

impl PathSelector for RepsLegacy {
    fn probes(&self, to: &mut dyn Probes) {
        to.count("cache", self.fresh.len() as u64);
        to.count("walked", self.walked.into());
    }

    #[inline]
    fn next_path(&mut self, cx: &mut Cx<'_>, _packet: &Outgoing) -> Entropy {
        if self.to_walk > 0 {
            self.to_walk -= 1;
            self.walked = if self.walked + 1 == self.entropies { 0 } else { self.walked + 1 };
            return Entropy(self.walked as u16);
        }
        match self.fresh.pop_front() {
            Some(entropy) => entropy,
            None => Entropy(cx.rng.below(u64::from(self.entropies)) as u16),
        }
    }

    fn learns_entropies(&self) -> bool {
        true
    }

    #[inline]
    fn on_feedback(&mut self, _cx: &mut Cx<'_>, news: &Feedback) {
        if news.fate == Fate::Clean {
            self.fresh.push_back(news.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Psn;
    use crate::rng::Rng;
    use crate::units::Time;
    use std::vec::Vec;

    /// A BDP is 4 packets.
    fn context() -> FlowContext {
        FlowContext { bdp: Bytes(4 * 4160), ..FlowContext::NOMINAL }
    }

    fn send(flow: &mut RepsLegacy, count: u32) -> Vec<u16> {
        let mut rng = Rng::new(1, "flow", 0);
        let mut cx = Cx { now: Time::ZERO, rng: &mut rng, events: &mut () };
        let packet = Outgoing { psn: Psn(0), again: false };
        (0..count).map(|_| flow.next_path(&mut cx, &packet).0).collect()
    }

    fn news(flow: &mut RepsLegacy, path: u16, fate: Fate) {
        let (window_before, window_after, in_flight) = (Bytes(0), Bytes(0), Bytes(0));
        let (path, rtt) = (Entropy(path), None);
        let news = Feedback { path, fate, rtt, window_before, window_after, in_flight };
        let mut cx = Cx { now: Time::ZERO, rng: &mut Rng::new(1, "flow", 0), events: &mut () };
        flow.on_feedback(&mut cx, &news);
    }

    #[test]
    fn the_first_window_walks_then_clean_entropies_are_used_once_oldest_first() {
        let mut flow = RepsLegacy::new(&Config::default(), &context());
        assert_eq!(send(&mut flow, 4), [1, 2, 3, 4]);
        news(&mut flow, 1, Fate::Clean);
        assert_eq!(send(&mut flow, 2), [5, 6], "1.5 BDP are 6 packets");
        for path in 20..40 {
            news(&mut flow, path, Fate::Clean);
            news(&mut flow, 99, Fate::Marked);
            news(&mut flow, 99, Fate::Trimmed);
            news(&mut flow, 99, Fate::TimedOut);
        }
        let expected: Vec<u16> = [1].into_iter().chain(20..40).collect();
        assert_eq!(send(&mut flow, 21), expected);
        let drawn = Rng::new(1, "flow", 0).below(65_536) as u16;
        assert_eq!(send(&mut flow, 1), [drawn], "then at random");
    }

    #[test]
    fn the_walk_visits_few_entropies_once_and_ends_with_0() {
        let few = Config { entropies: 3, walk: None };
        assert_eq!(send(&mut RepsLegacy::new(&few, &context()), 3), [1, 2, 0]);
        let one = Config { entropies: 1, walk: Some(9) };
        assert_eq!(send(&mut RepsLegacy::new(&one, &context()), 3), [0, 0, 0]);
        let none = Config { walk: Some(0), ..Config::default() };
        let drawn = Rng::new(1, "flow", 0).below(65_536) as u16;
        assert_eq!(send(&mut RepsLegacy::new(&none, &context()), 1), [drawn]);
    }
}
