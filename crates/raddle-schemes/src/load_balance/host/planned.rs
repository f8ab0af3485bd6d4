//! Planned paths: a flow keeps the path that its host's [planner](crate::planner) has given it.
//!
//! It tells its host of packets that are lost on that path, and the planner may name another. What is
//! lost on a path that the flow has left says nothing about the one that it is on.

use super::{Fate, Feedback, Outgoing, PathSelector};
use crate::family::Need;
use crate::ids::Entropy;
use crate::probe::Probes;
use crate::{Card, Cx, FlowContext};
use serde::Serialize;

/// What `raddle schemes planned` says.
pub const CARD: Card = Card {
    name: "planned",
    title: "Paths from a planner",
    paper: "none: it follows a planner, as `ethereal`",
    needs: &[Need::Planner],
    summary: "A flow keeps the path that the planner has given it, and gets another when packets are \
              lost. Comes with a `planner` by itself.",
};

crate::parameters! {
    /// Planned paths have no parameters.
    pub struct Config {}
}

/// One flow's path.
#[derive(Clone, Debug, Serialize)]
pub struct Planned {
    path: Entropy,
    /// What has become of packets on it that are lost, until the host asks.
    lost: Option<Fate>,
}

impl Planned {
    /// A flow whose host has told it no path.
    pub fn new(_config: &Config, _context: &FlowContext) -> Self {
        Self { path: Entropy(0), lost: None }
    }
}

impl PathSelector for Planned {
    fn probes(&self, to: &mut dyn Probes) {
        to.number("path", self.path.0.into());
    }

    fn on_route(&mut self, route: Entropy) {
        *self = Self { path: route, lost: None };
    }

    #[inline]
    fn next_path(&mut self, _cx: &mut Cx<'_>, _packet: &Outgoing) -> Entropy {
        self.path
    }

    fn learns_entropies(&self) -> bool {
        true
    }

    #[inline]
    fn on_feedback(&mut self, _cx: &mut Cx<'_>, news: &Feedback) {
        if matches!(news.fate, Fate::Clean | Fate::Marked) || news.path != self.path {
            return;
        }
        // A timeout says more than a NACK.
        if self.lost != Some(Fate::TimedOut) {
            self.lost = Some(news.fate);
        }
    }

    fn poll_lost(&mut self) -> Option<(Entropy, Fate)> {
        Some((self.path, self.lost.take()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Psn;
    use crate::rng::Rng;
    use crate::units::{Bytes, Time};

    #[test]
    fn only_losses_on_the_present_path_are_told_and_once() {
        let mut flow = Planned::new(&Config {}, &FlowContext::NOMINAL);
        let mut rng = Rng::new(1, "test", 0);
        let mut cx = Cx { now: Time::ZERO, rng: &mut rng, events: &mut () };
        flow.on_route(Entropy(7));
        let mut hear = |flow: &mut Planned, path, fate| {
            let bytes = Bytes(0);
            flow.on_feedback(
                &mut cx,
                &Feedback {
                    path: Entropy(path),
                    fate,
                    rtt: None,
                    window_before: bytes,
                    window_after: bytes,
                    in_flight: bytes,
                },
            );
            flow.poll_lost()
        };
        assert_eq!(hear(&mut flow, 7, Fate::Clean), None);
        assert_eq!(hear(&mut flow, 7, Fate::Marked), None);
        assert_eq!(hear(&mut flow, 7, Fate::Trimmed), Some((Entropy(7), Fate::Trimmed)));
        flow.on_route(Entropy(8));
        assert_eq!(hear(&mut flow, 7, Fate::TimedOut), None);
        assert_eq!(hear(&mut flow, 8, Fate::TimedOut), Some((Entropy(8), Fate::TimedOut)));
        assert_eq!(flow.poll_lost(), None);
        let packet = Outgoing { psn: Psn(0), again: false };
        assert_eq!(flow.next_path(&mut cx, &packet), Entropy(8));
    }
}
