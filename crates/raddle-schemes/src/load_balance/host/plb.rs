//! PLB: a flow whose ACKs are marked too often takes another path.
//!
//! One file for two models. `reps`: the aggressive PLB of the REPS paper, close to FlowBender (its
//! spec, sections 4 item 3 and 4.1). `lb_study`: the HOST FLOWLET AR of the load-balancing study
//! (its spec, section 4), modelled after PLB: beta is `share`, alpha is `hold`.
//!
//! Reading, in profile `reps`, after the artifact: a round ends with the first ACK or NACK later
//! than its length; the flow's first one ends a round by itself.
//!
//! Reading, in profile `lb_study`: "recent packets" are the last `window` ACKs, whatever their
//! path, once there were as many; NACKs count as marked ACKs, timeouts do not count. `hold` counts
//! packets sent, and does not delay the first change.

use super::{Fate, Feedback, Outgoing, PathSelector};
use crate::family::{Conflict, Need};
use crate::ids::Entropy;
use crate::probe::Probes;
use crate::units::{Span, Time};
use crate::{Card, Cx, FlowContext};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use serde::Serialize;

/// What `raddle schemes plb` says.
pub const CARD: Card = Card {
    name: "plb",
    title: "Protective load balancing",
    paper: "Qureshi et al., PLB: Congestion Signals are Simple and Effective for Network Load \
            Balancing, SIGCOMM 2022, as modelled by Bonato et al., EuroSys 2026 (the default \
            profile)",
    needs: &[Need::Ecn],
    summary: "A flow moves to a random path when too many of its ACKs are marked, or on a \
              timeout. Few reorderings, slow to react. The load-balancing study's HOST FLOWLET \
              AR is `profile = \"lb_study\"`.",
};

crate::words! {
    /// Whose PLB it is: what makes a flow move.
    pub enum Profile {
        /// The REPS paper: rounds in a row with too many marks, and timeouts.
        Reps = "reps",
        /// The load-balancing study: too many marks among the last ACKs.
        LbStudy = "lb_study",
    }
}

/// The longest window of ACKs.
const LONGEST: u32 = 65_536;

crate::parameters! {
    /// Parameters of PLB.
    pub struct Config {
        /// Whose PLB: `reps` looks at rounds in a row and at timeouts, `lb_study` at the last
        /// ACKs.
        pub profile: Profile = Profile::Reps;
        /// How many entropy values there are to draw from (`EVS_SIZE`).
        pub entropies: u32 = 65_536, in 1..=65_536;
        /// A larger share of marks than this is too much; `auto` is 0.25 in profile `reps`, 0.4 in
        /// `lb_study` (beta).
        pub share: Option<f64> = None, in 0.0..=1.0;
        /// Profile `reps`: so many congested rounds in a row make a flow move.
        pub rounds: u32 = 2, in 1..=1000;
        /// Profile `reps`: length of a round; `auto` is the unloaded round trip.
        pub round: Option<Span> = None;
        /// Profile `lb_study`: how many ACKs are looked at; `auto` is the BDP in packets.
        pub window: Option<u32> = None, in 1..=LONGEST;
        /// Profile `lb_study`: packets between two changes (alpha); `auto` is the BDP in packets.
        pub hold: Option<u32> = None;
    }
    conflicts by conflicts
}

/// Each profile leaves the other's parameters alone.
fn conflicts(config: &Config) -> Vec<Conflict> {
    let idle = match config.profile {
        Profile::Reps => ["window", "hold"],
        Profile::LbStudy => ["rounds", "round"],
    };
    idle.map(|parameter| Conflict::Idle(parameter, "profile")).into()
}

/// One flow's entropy and its reason to change.
#[derive(Clone, Debug, Serialize)]
pub struct Plb {
    /// None until the next packet draws one.
    entropy: Option<Entropy>,
    entropies: u32,
    judge: Judge,
}

/// What makes a flow move.
#[derive(Clone, Debug, Serialize)]
enum Judge {
    Rounds(Rounds),
    LastAcks(LastAcks),
}

impl Plb {
    /// A flow that starts on a random entropy.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let judge = match config.profile {
            Profile::Reps => Judge::Rounds(Rounds::new(config, context)),
            Profile::LbStudy => Judge::LastAcks(LastAcks::new(config, context)),
        };
        Self { entropy: None, entropies: config.entropies, judge }
    }
}

impl PathSelector for Plb {
    fn probes(&self, to: &mut dyn Probes) {
        // -1 before the next packet draws one.
        to.number("path", self.entropy.map_or(-1.0, |path| path.0.into()));
        match &self.judge {
            Judge::Rounds(rounds) => to.count("congested_rounds", rounds.in_a_row.into()),
            Judge::LastAcks(acks) => to.count("marked_acks", acks.marked.into()),
        }
    }

    #[inline]
    fn next_path(&mut self, cx: &mut Cx<'_>, _packet: &Outgoing) -> Entropy {
        let moves = match &mut self.judge {
            Judge::Rounds(rounds) => rounds.enough_in_a_row(),
            Judge::LastAcks(acks) => acks.enough_marks(),
        };
        match self.entropy {
            Some(entropy) if !moves => entropy,
            _ => {
                let entropy = Entropy(cx.rng.below(u64::from(self.entropies)) as u16);
                self.entropy = Some(entropy);
                entropy
            }
        }
    }

    fn learns_entropies(&self) -> bool {
        true
    }

    #[inline]
    fn on_feedback(&mut self, cx: &mut Cx<'_>, news: &Feedback) {
        match &mut self.judge {
            Judge::Rounds(rounds) if news.fate == Fate::TimedOut => {
                if rounds.time_out(cx.now) {
                    self.entropy = None;
                }
            }
            Judge::Rounds(rounds) => rounds.hear(cx.now, news.fate != Fate::Clean),
            Judge::LastAcks(_) if news.fate == Fate::TimedOut => {}
            Judge::LastAcks(acks) => acks.hear(news.fate != Fate::Clean),
        }
    }
}

/// REPS spec, section 4.1, PLB.
#[derive(Clone, Debug, Serialize)]
struct Rounds {
    share: f64,
    enough: u32,
    length: Span,
    rto: Span,
    /// ACKs and NACKs of this round, and those that were not clean.
    heard: u32,
    congested: u32,
    /// Congested rounds in a row.
    in_a_row: u32,
    end: Time,
    /// No timeout up to here makes the flow move.
    guarded_until: Time,
}

impl Rounds {
    fn new(config: &Config, context: &FlowContext) -> Self {
        Self {
            share: config.share.unwrap_or(0.25),
            enough: config.rounds,
            length: config.round.unwrap_or(context.base_rtt),
            rto: context.rto,
            heard: 0,
            congested: 0,
            in_a_row: 0,
            end: Time::ZERO,
            guarded_until: Time::ZERO,
        }
    }

    /// Steps 1 and 2.
    fn hear(&mut self, now: Time, congested: bool) {
        self.heard += 1;
        self.congested += u32::from(congested);
        if now <= self.end {
            return;
        }
        let congested = f64::from(self.congested) > self.share * f64::from(self.heard);
        self.in_a_row = if congested { self.in_a_row + 1 } else { 0 };
        (self.heard, self.congested) = (0, 0);
        self.end = now + self.length;
    }

    /// Step 3: whether the flow moves with the packet that leaves now.
    #[inline]
    fn enough_in_a_row(&mut self) -> bool {
        let enough = self.in_a_row >= self.enough;
        if enough {
            self.in_a_row = 0;
        }
        enough
    }

    /// Step 4: whether the flow moves now.
    fn time_out(&mut self, now: Time) -> bool {
        let moves = now > self.guarded_until;
        if moves {
            self.guarded_until = now + self.rto;
            self.in_a_row = 0;
        }
        moves
    }
}

/// Load-balancing study, section 4, HOST FLOWLET AR.
#[derive(Clone, Debug, Serialize)]
struct LastAcks {
    /// The window, a bit for each ACK: whether it was marked.
    bits: Box<[u64]>,
    window: u32,
    /// Where the next ACK goes.
    next: u32,
    /// ACKs heard, up to the window.
    heard: u32,
    marked: u32,
    /// More marks than this in a window are too many.
    tolerated: u32,
    /// Packets that have to leave before the next change.
    held: u32,
    hold: u32,
}

impl LastAcks {
    fn new(config: &Config, context: &FlowContext) -> Self {
        let bdp_packets = context.bdp_packets().clamp(1, u64::from(LONGEST));
        let window = config.window.unwrap_or(bdp_packets as u32);
        // A share of 0.07 of 100 ACKs is 7 marks, whatever binary fractions make of it.
        let tolerated = config.share.unwrap_or(0.4) * f64::from(window) + 1e-6;
        Self {
            bits: vec![0; window.div_ceil(64) as usize].into_boxed_slice(),
            window,
            next: 0,
            heard: 0,
            marked: 0,
            tolerated: tolerated as u32,
            held: 0,
            hold: config.hold.unwrap_or(bdp_packets as u32),
        }
    }

    fn hear(&mut self, marked: bool) {
        let word = &mut self.bits[self.next as usize / 64];
        let bit = 1 << (self.next % 64);
        self.marked -= u32::from(*word & bit != 0);
        self.marked += u32::from(marked);
        *word = if marked { *word | bit } else { *word & !bit };
        self.next = if self.next + 1 == self.window { 0 } else { self.next + 1 };
        self.heard = self.window.min(self.heard + 1);
    }

    /// Whether the flow moves with the packet that leaves now.
    #[inline]
    fn enough_marks(&mut self) -> bool {
        if self.held > 0 {
            self.held -= 1;
            return false;
        }
        let enough = self.heard == self.window && self.marked > self.tolerated;
        if enough {
            self.held = self.hold.saturating_sub(1);
        }
        enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::{ParameterError, Parameters, Raw};
    use crate::ids::Psn;
    use crate::rng::Rng;
    use crate::units::Bytes;

    /// A flow whose unloaded round trip is 8 us, its timeout 20 us and its BDP 100 packets.
    struct Flow {
        plb: Plb,
        now: Time,
        rng: Rng,
    }

    impl Flow {
        fn new(config: &Config) -> Self {
            let context = FlowContext {
                bdp: Bytes(416_000),
                base_rtt: Span::us(8),
                rto: Span::us(20),
                ..FlowContext::NOMINAL
            };
            let plb = Plb::new(config, &context);
            Self { plb, now: Time::ZERO, rng: Rng::new(1, "flow", 0) }
        }
        fn send(&mut self) -> u16 {
            let mut cx = Cx { now: self.now, rng: &mut self.rng, events: &mut () };
            self.plb.next_path(&mut cx, &Outgoing { psn: Psn(0), again: false }).0
        }
        fn news(&mut self, count: u32, fate: Fate) {
            let (window_before, window_after, in_flight) = (Bytes(0), Bytes(0), Bytes(0));
            let (path, rtt) = (Entropy(0), None);
            let news = Feedback { path, fate, rtt, window_before, window_after, in_flight };
            for _ in 0..count {
                let mut cx = Cx { now: self.now, rng: &mut self.rng, events: &mut () };
                self.plb.on_feedback(&mut cx, &news);
            }
        }
        /// The news of a round, which ends with one more of the same after its length.
        fn round(&mut self, clean: u32, marked: u32) {
            self.news(marked, Fate::Marked);
            self.news(clean - 1, Fate::Clean);
            self.now += Span::us(8) + Span(1);
            self.news(1, Fate::Clean);
        }
        /// The flow after the round that its first ACK ends.
        fn after_first_ack(config: &Config) -> Self {
            let mut flow = Self::new(config);
            flow.send();
            flow.now += Span::us(8);
            flow.news(1, Fate::Clean);
            flow
        }
    }

    #[test]
    fn two_rounds_in_a_row_with_more_than_a_quarter_of_marks_move_a_flow() {
        let mut flow = Flow::after_first_ack(&Config::default());
        let first = flow.send();
        flow.round(74, 26);
        assert_eq!(flow.send(), first, "one round");
        flow.round(75, 25);
        flow.round(74, 26);
        assert_eq!(flow.send(), first, "not in a row");
        flow.round(74, 26);
        let second = flow.send();
        assert_ne!(second, first);
        flow.round(74, 26);
        assert_eq!(flow.send(), second, "the count starts over");
    }

    #[test]
    fn a_round_ends_with_the_first_ack_after_its_length() {
        let mut flow = Flow::after_first_ack(&Config { rounds: 1, ..Config::default() });
        let first = flow.send();
        flow.now += Span::us(8);
        flow.news(9, Fate::Marked);
        assert_eq!(flow.send(), first, "the comparison is strict");
        flow.now += Span(1);
        flow.news(1, Fate::Clean);
        assert_ne!(flow.send(), first);
    }

    #[test]
    fn a_good_round_before_the_next_packet_undoes_the_bad_ones() {
        let mut flow = Flow::after_first_ack(&Config::default());
        let first = flow.send();
        flow.round(1, 9);
        flow.round(1, 9);
        flow.round(9, 1);
        assert_eq!(flow.send(), first);
    }

    #[test]
    fn nacks_count_as_marks() {
        let mut flow = Flow::after_first_ack(&Config { rounds: 1, ..Config::default() });
        let first = flow.send();
        flow.news(1, Fate::Trimmed);
        flow.round(2, 0);
        assert_ne!(flow.send(), first, "one of three");
    }

    #[test]
    fn a_timeout_moves_a_flow_once_in_a_timeout() {
        let mut flow = Flow::after_first_ack(&Config::default());
        let first = flow.send();
        flow.now += Span::us(12);
        flow.news(1, Fate::TimedOut);
        let second = flow.send();
        assert_ne!(second, first);
        flow.now += Span::us(20);
        flow.news(3, Fate::TimedOut);
        assert_eq!(flow.send(), second);
        flow.now += Span(1);
        flow.news(3, Fate::TimedOut);
        assert_ne!(flow.send(), second);
    }

    fn lb_study() -> Config {
        Config { profile: Profile::LbStudy, ..Config::default() }
    }

    #[test]
    fn the_studys_flow_moves_at_41_marks_of_100_and_then_stays_for_alpha_packets() {
        let mut flow = Flow::new(&Config { hold: Some(50), ..lb_study() });
        let first = flow.send();
        flow.news(40, Fate::Marked);
        flow.news(60, Fate::Clean);
        assert_eq!(flow.send(), first, "40 of 100");
        flow.news(40, Fate::Marked);
        flow.news(1, Fate::Clean);
        assert_eq!(flow.send(), first, "still 40 of the last 100");
        flow.news(1, Fate::Marked);
        let second = flow.send();
        assert_ne!(second, first, "41 of the last 100");
        assert_eq!([(); 49].map(|()| flow.send()), [second; 49]);
        assert_ne!(flow.send(), second, "50 packets later the marks are as many");
    }

    #[test]
    fn the_study_waits_for_a_whole_window_and_ignores_timeouts() {
        let mut flow = Flow::new(&lb_study());
        let first = flow.send();
        flow.news(99, Fate::Marked);
        flow.news(200, Fate::TimedOut);
        assert_eq!(flow.send(), first);
        flow.news(1, Fate::Clean);
        let second = flow.send();
        assert_ne!(second, first);
        assert_eq!([(); 99].map(|()| flow.send()), [second; 99], "alpha is a BDP");
        assert_ne!(flow.send(), second);
    }

    #[test]
    fn a_window_of_any_length_counts_its_own_marks() {
        for (window, share, tolerated) in
            [(1, 0.4, 0), (100, 0.07, 7), (64, 0.5, 32), (130, 0.4, 52)]
        {
            let (length, share) = (Some(window), Some(share));
            let mut flow = Flow::new(&Config { window: length, share, ..lb_study() });
            let first = flow.send();
            flow.news(1000, Fate::Marked);
            flow.news(window - tolerated, Fate::Clean);
            assert_eq!(flow.send(), first, "{window}");
            flow.news(tolerated + 1, Fate::Marked);
            assert_ne!(flow.send(), first, "{window}");
        }
    }

    #[test]
    fn shares_beyond_the_whole_and_empty_windows_are_refused() {
        let mut config = Config::default();
        for (name, wrong, range) in [
            ("share", Raw::Float(1.5), "expected at least 0.0 and at most 1.0"),
            ("window", Raw::Integer(0), "expected at least 1 and at most 65536"),
            ("rounds", Raw::Integer(0), "expected at least 1 and at most 1000"),
        ] {
            assert_eq!(config.set(name, wrong), Err(ParameterError::Value(range.into())), "{name}");
        }
        assert_eq!(config.set("share", Raw::Text("auto")), Ok(()));
    }
}
