//! DCTCP: the window shrinks in proportion to the share of marked bytes.
//!
//! Alizadeh et al., section 3.3: once per window of data, alpha <- (1 - g) alpha + g F (equation
//! 1), where F is the share of marked bytes; on a mark, window <- window (1 - alpha / 2), at most
//! once per window of data (equation 2). The rest is TCP: slow start, a packet more per round
//! trip, half the window for a loss, one packet for a timeout. RFC 8257 settles what the paper
//! leaves open (alpha starts at 1, bytes are counted instead of packets).
//!
//! Reading, for selective ACKs and packets that arrive in any order:
//! - A window of data ends when everything sent before its beginning has arrived (`cumulative`
//!   reaches the `next_new` of its beginning), as TCP's SND.UNA would. Bytes count when they are
//!   acknowledged, whatever their order.
//! - A packet counts as lost when the recovery says so; there are no duplicate ACKs.
//! - A window of data is answered once, by a mark or by a loss, whichever comes first. A timeout
//!   goes to one packet even after that; the timeouts that follow in the same window of data, one
//!   for each packet, change nothing more, unless nothing is left in flight.
//! - Unmarked ACKs grow the window, also just after a reduction, but only while the flow has half
//!   of it in flight (the validation of RFC 7661), so that a flow held up by its NIC does not
//!   gather an unbounded window.

use super::answer::Answer;
use super::{Ack, CongestionControl, Limits, Loss, LossCause};
use crate::family::{Conflict, Need};
use crate::probe::Probes;
use crate::rule::{Rule, Rulebook};
use crate::size::{SOME, Size};
use crate::{Card, Cx, FlowContext, recovery};
use alloc::vec::Vec;
use serde::Serialize;

/// What `raddle schemes dctcp` says.
pub const CARD: Card = Card {
    name: "dctcp",
    title: "Data Center TCP",
    paper: "Alizadeh et al., Data Center TCP (DCTCP), SIGCOMM 2010",
    needs: &[Need::Ecn],
    summary: "Once per round trip, shrinks the window in proportion to the share of marked bytes. \
              The classic; it starts slowly and takes loss for congestion.",
};

/// What it follows.
pub const RULES: &[Rulebook] = &[Rulebook { document: "RFC 8257", rules: RFC_8257 }];

const RFC_8257: &[Rule] = &[
    Rule::read(
        "3.2",
        "A receiver that delays ACKs tells of each change between marked and unmarked at once",
        "each packet has its own ACK with its own mark: nothing is delayed",
    ),
    Rule::shown("3.3", "alpha begins at 1", "the_average_begins_at_one"),
    Rule::read(
        "3.3, step 1",
        "The bytes of an ACK are those that it acknowledges in order, whatever SACK says",
        "bytes count when they are acknowledged, whatever their order",
    ),
    Rule::shown(
        "3.3, steps 2 and 3",
        "Bytes acknowledged are counted, and those of marked ACKs",
        "the_average_moves_by_a_sixteenth_of_the_share_of_each_window_of_data",
    ),
    Rule::shown(
        "3.3, step 4",
        "Nothing more happens before the end of the window of data is acknowledged",
        "the_average_moves_by_a_sixteenth_of_the_share_of_each_window_of_data",
    ),
    Rule::shown(
        "3.3, steps 5 and 6",
        "alpha becomes (1 - g) alpha + g M; M is the share of marked bytes",
        "the_average_moves_by_a_sixteenth_of_the_share_of_each_window_of_data",
    ),
    Rule::shown(
        "3.3, steps 7 and 8",
        "The next window of data ends with the newest packet; counts begin anew",
        "the_average_moves_by_a_sixteenth_of_the_share_of_each_window_of_data",
    ),
    Rule::shown(
        "3.3, step 9",
        "Marks take the window to (1 - alpha / 2) times itself",
        "marks_shrink_the_window_by_half_the_average_once_per_window_of_data",
    ),
    Rule::shown(
        "3.4",
        "The window grows as that of TCP does: slow start, then a packet in each round trip",
        "the_first_window_doubles_until_a_mark_ends_slow_start",
    ),
    Rule::shown(
        "3.5, losses",
        "Losses change window and ssthresh as those of TCP: half",
        "losses_halve_the_window_once_per_window_of_data",
    ),
    Rule::shown(
        "3.5, timeouts",
        "So do timeouts: one packet, and slow start to half of the window",
        "a_timeout_goes_to_one_packet_and_starts_slowly_to_half_the_window",
    ),
    Rule::absent(
        "3.6",
        "Packets of handshakes are not capable of marks",
        "connections begin without a handshake",
    ),
];

crate::parameters! {
    /// Parameters of DCTCP.
    pub struct Config {
        /// The window at the start (RFC 6928).
        pub initial_window: Size = Size::Packets(10.0), in SOME;
        /// The window never grows beyond this.
        pub max_window: Size = Size::Unlimited, in SOME;
        /// The window never shrinks below this, nor below one packet; a timeout goes there.
        pub min_window: Size = Size::Packets(1.0), in SOME;
        /// Whether the window doubles each round trip until the first mark or loss.
        pub slow_start: bool = true;
        /// Packets of growth per round trip after that.
        pub increase: f64 = 1.0, in 0.0..=1000.0;
        /// Weight of the newest window of data in the average share of marked bytes (g).
        pub gain: f64 = 0.0625, in 0.0..=1.0;
        /// The average at the start.
        pub initial_alpha: f64 = 1.0, in 0.0..=1.0;
        /// Share of the window that a loss costs.
        pub loss_decrease: f64 = 0.5, in 0.0..=1.0;
    }
    conflicts by conflicts
}

fn conflicts(config: &Config) -> Vec<Conflict> {
    super::windows_in_order(Some(config.min_window), Some(config.initial_window), config.max_window)
}

/// One flow's window and its share of marks. All sizes are bytes.
#[derive(Clone, Debug, Serialize)]
pub struct Dctcp {
    window: f64,
    /// Below this the window grows by what is acknowledged.
    slow_start_below: f64,
    alpha: f64,
    packet: f64,
    min: f64,
    max: f64,
    increase: f64,
    gain: f64,
    loss_decrease: f64,
    acked: u64,
    marked: u64,
    /// The share of marks is taken when all packets below this one have arrived.
    observed_until: u32,
    answer: Answer,
}

impl Dctcp {
    /// The window at its start, between its bounds. A maximum below the minimum gives way.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let sizes = context.sizes();
        let bytes = |size: Size| size.resolve(&sizes).0 as f64;
        let packet = context.packet().0 as f64;
        let min = bytes(config.min_window).max(packet);
        let max = bytes(config.max_window).max(min);
        Self {
            window: bytes(config.initial_window).clamp(min, max),
            slow_start_below: if config.slow_start { max } else { 0.0 },
            alpha: config.initial_alpha,
            packet,
            min,
            max,
            increase: config.increase,
            gain: config.gain,
            loss_decrease: config.loss_decrease,
            acked: 0,
            marked: 0,
            observed_until: 0,
            answer: Answer::default(),
        }
    }

    /// Equation 1, once per window of data.
    fn observe(&mut self, ack: &Ack) {
        self.acked += ack.bytes.0;
        if ack.marked {
            self.marked += ack.bytes.0;
        }
        if ack.cumulative < self.observed_until || self.acked == 0 {
            return;
        }
        let share = self.marked as f64 / self.acked as f64;
        self.alpha = (1.0 - self.gain) * self.alpha + self.gain * share;
        (self.acked, self.marked) = (0, 0);
        self.observed_until = ack.next_new;
    }

    fn reduce(&mut self, share: f64, until: Option<u32>) {
        if !self.answer.reduces(until) {
            return;
        }
        self.window = (self.window * (1.0 - share)).max(self.min);
        self.slow_start_below = self.window;
    }

    fn collapse(&mut self, loss: &Loss) {
        let first = self.answer.times_out();
        if first {
            // RFC 5681, equation 4, with the window for what was in flight.
            self.slow_start_below = (self.window / 2.0).max(2.0 * self.packet);
        }
        if first || loss.in_flight.0 == 0 {
            self.window = self.min;
        }
    }

    fn grow(&mut self, ack: &Ack) {
        let acked = ack.bytes.0 as f64;
        let in_flight_before = ack.in_flight.0 as f64 + acked;
        if in_flight_before < self.window / 2.0 {
            return;
        }
        let more = if self.window < self.slow_start_below {
            acked
        } else {
            self.increase * self.packet * acked / self.window
        };
        self.window = (self.window + more).min(self.max);
    }
}

impl CongestionControl for Dctcp {
    fn probes(&self, to: &mut dyn Probes) {
        to.number("alpha", self.alpha);
        to.flag("slow_start", self.window < self.slow_start_below);
    }

    fn on_ack(&mut self, _cx: &mut Cx<'_>, ack: &Ack) {
        self.observe(ack);
        self.answer.forget_when_due(ack);
        if ack.marked {
            self.reduce(self.alpha / 2.0, Some(ack.next_new));
        } else {
            self.grow(ack);
        }
    }

    fn on_loss(&mut self, _cx: &mut Cx<'_>, loss: &Loss) {
        match loss.cause {
            LossCause::Timeout => self.collapse(loss),
            _ => self.reduce(self.loss_decrease, None),
        }
    }

    /// Everything up to where packet numbers begin anew has arrived.
    fn begin_message(&mut self) {
        self.observed_until = 0;
        self.answer = Answer::default();
    }

    fn recovery(&self) -> Option<&'static str> {
        Some(recovery::tcp::CARD.name)
    }

    fn limits(&self) -> Limits {
        Limits::of_window(self.window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::rng::Rng;
    use crate::units::{Bytes, Rate, Time};

    const PACKET: u64 = 1000;

    fn flow(config: &Config) -> Dctcp {
        let context = FlowContext {
            payload: Bytes(936),
            rate: Rate::gbps(100),
            bdp: Bytes(100 * PACKET),
            ..FlowContext::NOMINAL
        };
        Dctcp::new(config, &context)
    }

    /// A flow in congestion avoidance with a window of 100 packets and a share of marks of 0.
    fn steady() -> Dctcp {
        flow(&Config {
            initial_window: Size::Packets(100.0),
            slow_start: false,
            initial_alpha: 0.0,
            ..Config::default()
        })
    }

    /// The ACK of one packet of a full window, everything below `cumulative` having arrived.
    fn ack(flow: &mut Dctcp, cumulative: u32, next_new: u32, marked: bool) {
        let mut cx = Cx { now: Time::ZERO, rng: &mut Rng::new(1, "flow", 0), events: &mut () };
        let in_flight = Bytes(flow.limits().window.0.saturating_sub(PACKET));
        let bytes = Bytes(PACKET);
        flow.on_ack(&mut cx, &Ack { bytes, marked, in_flight, cumulative, next_new, ..Ack::EMPTY });
    }

    fn lose(flow: &mut Dctcp, cause: LossCause) {
        let mut cx = Cx { now: Time::ZERO, rng: &mut Rng::new(1, "flow", 0), events: &mut () };
        flow.on_loss(
            &mut cx,
            &Loss { bytes: Bytes(PACKET), packets: 1, cause, in_flight: Bytes(0), next_new: 0 },
        );
    }

    #[test]
    fn the_average_begins_at_one() {
        assert_eq!(flow(&Config::default()).alpha, 1.0);
    }

    #[test]
    fn the_average_moves_by_a_sixteenth_of_the_share_of_each_window_of_data() {
        let mut flow = steady();
        ack(&mut flow, 1, 101, false);
        assert_eq!(flow.alpha, 0.0);
        (2..=100).for_each(|n| ack(&mut flow, n, 100 + n, n % 4 == 0));
        assert_eq!(flow.alpha, 0.0, "the window of data ends with packet 100");
        ack(&mut flow, 101, 201, false);
        assert_eq!(flow.alpha, 0.25 / 16.0);
        (102..=201).for_each(|n| ack(&mut flow, n, 100 + n, true));
        assert_eq!(flow.alpha, 0.25 / 16.0 * 15.0 / 16.0 + 1.0 / 16.0);
    }

    #[test]
    fn marks_shrink_the_window_by_half_the_average_once_per_window_of_data() {
        let mut flow = flow(&Config {
            initial_window: Size::Packets(100.0),
            initial_alpha: 0.5,
            gain: 0.0,
            increase: 0.0,
            ..Config::default()
        });
        ack(&mut flow, 1, 101, true);
        assert_eq!(flow.window, 75_000.0);
        (2..=100).for_each(|n| ack(&mut flow, n, 101, true));
        lose(&mut flow, LossCause::Reordering);
        assert_eq!(flow.window, 75_000.0);
        ack(&mut flow, 101, 150, true);
        assert_eq!(flow.window, 56_250.0);
    }

    #[test]
    fn the_first_window_doubles_until_a_mark_ends_slow_start() {
        let mut flow = flow(&Config::default());
        (1..=10).for_each(|n| ack(&mut flow, n, 10 + 2 * n, false));
        assert_eq!(flow.window, 20_000.0);
        flow.alpha = 1.0;
        ack(&mut flow, 11, 30, true);
        assert!((flow.window / 10_000.0 - 1.0).abs() < 0.05, "{}", flow.window);
        let before = flow.window;
        (12..=21).for_each(|n| ack(&mut flow, n, 30, false));
        assert!((0.9..1.01).contains(&((flow.window - before) / 1000.0)), "one packet per window");
    }

    #[test]
    fn losses_halve_the_window_once_per_window_of_data() {
        let mut flow = steady();
        lose(&mut flow, LossCause::Trim);
        lose(&mut flow, LossCause::Reordering);
        assert_eq!(flow.window, 50_000.0);
        ack(&mut flow, 0, 100, false);
        lose(&mut flow, LossCause::Trim);
        assert!(flow.window > 50_000.0, "packets up to 100 are still out");
        ack(&mut flow, 100, 150, false);
        let before = flow.window;
        lose(&mut flow, LossCause::Trim);
        assert_eq!(flow.window, before / 2.0);
    }

    #[test]
    fn a_timeout_goes_to_one_packet_and_starts_slowly_to_half_the_window() {
        let mut flow = steady();
        lose(&mut flow, LossCause::Timeout);
        lose(&mut flow, LossCause::Timeout);
        assert_eq!(flow.limits().window, Bytes(PACKET));
        assert_eq!(flow.slow_start_below, 50_000.0);
        (0..49).for_each(|_| ack(&mut flow, 0, 100, false));
        assert_eq!(flow.window, 50_000.0);
        ack(&mut flow, 0, 100, false);
        assert_eq!(flow.window, 50_020.0);
    }

    #[test]
    fn a_flow_with_less_than_half_its_window_in_flight_does_not_grow_it() {
        for (in_flight, window) in [(48, 100_000.0), (49, 100_010.0)] {
            let mut flow = steady();
            let mut cx = Cx { now: Time::ZERO, rng: &mut Rng::new(1, "flow", 0), events: &mut () };
            let (bytes, in_flight) = (Bytes(PACKET), Bytes(in_flight * PACKET));
            let (rtt, cumulative, next_new) = (None, 1, 50);
            let ack = Ack { bytes, rtt, in_flight, cumulative, next_new, ..Ack::EMPTY };
            flow.on_ack(&mut cx, &ack);
            assert_eq!(flow.window, window);
        }
    }

    #[test]
    fn a_window_of_data_does_not_reach_into_the_next_message() {
        let mut flow = steady();
        ack(&mut flow, 1, 900, true);
        lose(&mut flow, LossCause::Timeout);
        let window = flow.limits().window;
        flow.begin_message();
        assert_eq!(flow.limits().window, window);
        // All packets below 900 would have to arrive.
        let alpha = flow.alpha;
        ack(&mut flow, 1, 2, true);
        assert!(flow.alpha > alpha);
        flow.begin_message();
        lose(&mut flow, LossCause::Timeout);
        assert!(!flow.answer.times_out(), "a new loss has its answer");
    }
}
