//! Flowlets: a flow keeps its entropy until it falls silent, then takes another.
//!
//! With packets that never pause, silence has to be that of the ACKs: REPS spec, sections 4 (item
//! 5) and 4.1, after the artifact of the REPS paper. `gap_since = "packet"` is flowlet switching
//! as published, where only a pause of the sender ends a flowlet.
//!
//! Reading: until the first ACK the gap counts from the flow's first packet. With the artifact's
//! settings a flow therefore moves once, half a round trip after its start. A NACK counts as an
//! ACK, as in the artifact.

use super::{Fate, Feedback, Outgoing, PathSelector};
use crate::ids::Entropy;
use crate::probe::Probes;
use crate::units::{Span, Time};
use crate::{Card, Cx, FlowContext};
use serde::Serialize;

/// What `raddle schemes flowlet` says.
pub const CARD: Card = Card {
    name: "flowlet",
    title: "Flowlet switching",
    paper: "Vanini et al., Let It Flow: Resilient Asymmetric Load Balancing with Flowlet \
            Switching, NSDI 2017, as modelled by Bonato et al., EuroSys 2026",
    needs: &[],
    summary: "A flow moves to a random path after a gap. Keeps packets nearly in order; flows \
              that never pause hardly ever move.",
};

crate::words! {
    /// What a gap follows.
    pub enum GapSince {
        /// The flow's last ACK: the artifact of the REPS paper.
        Ack = "ack",
        /// The flow's last packet: flowlet switching as published.
        Packet = "packet",
    }
}

crate::parameters! {
    /// Parameters of flowlet switching.
    pub struct Config {
        /// How many entropy values there are to draw from (`EVS_SIZE`).
        pub entropies: u32 = 65_536, in 1..=65_536;
        /// A longer gap than this ends a flowlet; `auto` is half of the unloaded round trip.
        pub gap: Option<Span> = None;
        /// What a gap follows: the flow's last `ack`, or its last `packet`.
        pub gap_since: GapSince = GapSince::Ack;
        /// A flowlet lasts longer than this, but for the first; `auto` is the retransmission
        /// timeout.
        pub hold: Option<Span> = None;
    }
}

/// One flow's entropy and when it may change.
#[derive(Clone, Debug, Serialize)]
pub struct Flowlet {
    entropy: Entropy,
    since: GapSince,
    entropies: u32,
    gap: Span,
    hold: Span,
    /// The last event that a gap follows; none before the first packet.
    last: Option<Time>,
    /// The entropy stays until after this.
    held_until: Time,
}

impl Flowlet {
    /// A flow that starts on the entropy of its source host.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let mut flowlet = Self {
            entropy: Entropy(0),
            since: config.gap_since,
            entropies: config.entropies,
            gap: config.gap.unwrap_or(Span(context.base_rtt.0 / 2)),
            hold: config.hold.unwrap_or(context.rto),
            last: None,
            held_until: Time::ZERO,
        };
        flowlet.begin(context);
        flowlet
    }
}

impl PathSelector for Flowlet {
    fn probes(&self, to: &mut dyn Probes) {
        to.number("path", self.entropy.0.into());
    }

    fn begin(&mut self, context: &FlowContext) {
        self.entropy = Entropy((context.source.0 % self.entropies) as u16);
    }

    /// REPS spec, section 4.1, Flowlet, step 2.
    #[inline]
    fn next_path(&mut self, cx: &mut Cx<'_>, _packet: &Outgoing) -> Entropy {
        let last = *self.last.get_or_insert(cx.now);
        if cx.now > last + self.gap && cx.now > self.held_until {
            self.entropy = Entropy(cx.rng.below(u64::from(self.entropies)) as u16);
            self.held_until = cx.now + self.hold;
        }
        if self.since == GapSince::Packet {
            self.last = Some(cx.now);
        }
        self.entropy
    }

    /// REPS spec, section 4.1, Flowlet, step 1.
    #[inline]
    fn on_feedback(&mut self, cx: &mut Cx<'_>, news: &Feedback) {
        if self.since == GapSince::Ack && news.fate != Fate::TimedOut {
            self.last = Some(cx.now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{HostId, Psn};
    use crate::rng::Rng;
    use crate::units::Bytes;

    /// A flow that begins at 100 us; its unloaded round trip is 8 us, its timeout 20 us.
    struct Flow {
        flowlet: Flowlet,
        rng: Rng,
    }

    const SOURCE: u16 = 70;

    fn at(ns: u64) -> Time {
        Time::ZERO + Span::us(100) + Span::ns(ns)
    }

    impl Flow {
        fn new(config: &Config) -> Self {
            let context = FlowContext {
                source: HostId(SOURCE.into()),
                base_rtt: Span::us(8),
                rto: Span::us(20),
                ..FlowContext::NOMINAL
            };
            Self { flowlet: Flowlet::new(config, &context), rng: Rng::new(1, "flow", 0) }
        }
        fn send(&mut self, ns: u64) -> u16 {
            let mut cx = Cx { now: at(ns), rng: &mut self.rng, events: &mut () };
            self.flowlet.next_path(&mut cx, &Outgoing { psn: Psn(0), again: false }).0
        }
        fn news(&mut self, ns: u64, fate: Fate) {
            let (window_before, window_after, in_flight) = (Bytes(0), Bytes(0), Bytes(0));
            let (path, rtt) = (Entropy(9), None);
            let news = Feedback { path, fate, rtt, window_before, window_after, in_flight };
            let mut cx = Cx { now: at(ns), rng: &mut self.rng, events: &mut () };
            self.flowlet.on_feedback(&mut cx, &news);
        }
    }

    #[test]
    fn a_flow_keeps_its_sources_entropy_until_acks_stay_away_for_half_a_round_trip() {
        let mut flow = Flow::new(&Config::default());
        assert_eq!([0, 1_000, 4_000].map(|ns| flow.send(ns)), [SOURCE; 3]);
        flow.news(4_000, Fate::Clean);
        flow.news(7_000, Fate::Marked);
        assert_eq!([8_000, 11_000].map(|ns| flow.send(ns)), [SOURCE; 2]);
        let next = flow.send(11_001);
        assert_ne!(next, SOURCE);
        assert_eq!(flow.send(11_002), next);
    }

    #[test]
    fn a_flowlet_lasts_longer_than_a_timeout() {
        let mut flow = Flow::new(&Config::default());
        assert_eq!(flow.send(0), SOURCE);
        let second = flow.send(4_001);
        assert_ne!(second, SOURCE, "no ACK within half a round trip of the start");
        assert_eq!([9_000, 24_001].map(|ns| flow.send(ns)), [second; 2]);
        assert_ne!(flow.send(24_002), second);
        let mut free = Flow::new(&Config { hold: Some(Span::ZERO), ..Config::default() });
        let sent = [0, 4_001, 4_002, 4_002].map(|ns| free.send(ns));
        assert!(sent[1] != sent[2] && sent[2] == sent[3], "{sent:?}");
    }

    #[test]
    fn a_nack_ends_a_gap_and_a_timeout_does_not() {
        for (fate, moves) in [(Fate::Trimmed, false), (Fate::TimedOut, true)] {
            let mut flow = Flow::new(&Config::default());
            assert_eq!(flow.send(0), SOURCE);
            flow.news(3_000, fate);
            assert_eq!(flow.send(4_001) != SOURCE, moves, "{fate:?}");
        }
    }

    #[test]
    fn as_published_only_a_pause_of_the_sender_ends_a_flowlet() {
        let config = Config {
            gap_since: GapSince::Packet,
            gap: Some(Span::us(2)),
            hold: Some(Span::ZERO),
            ..Config::default()
        };
        let mut flow = Flow::new(&config);
        assert_eq!([0, 2_000, 4_000, 6_000].map(|ns| flow.send(ns)), [SOURCE; 4]);
        flow.news(8_000, Fate::Clean);
        let next = flow.send(8_001);
        assert_ne!(next, SOURCE);
        assert_eq!(flow.send(10_001), next);
    }
}
