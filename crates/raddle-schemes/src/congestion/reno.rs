//! Reno: one packet more in each round trip, half after a loss.
//!
//! Allman et al., TCP Congestion Control, RFC 5681, 2009, section 3.1; marks as RFC 3168 has them, like a
//! loss. State is a window in packets. Its recovery is that of `tcp`, which finds losses and says what may
//! be in flight while they are repaired.
//!
//! Reading, where the RFC leaves a choice:
//! - The window, not what is in flight, is what a loss reduces, at most once for a window of data; what
//!   is in flight is the recovery's affair.
//! - Bytes are counted (RFC 3465, without its limit): an ACK for several packets is worth as many.
//! - Only while half of the window is in flight does it grow (RFC 7661).
//! - Of timeouts that follow each other the first remembers half of the window.

use super::answer::Answer;
use super::{Ack, CongestionControl, Limits, Loss, LossCause};
use crate::family::Conflict;
use crate::probe::Probes;
use crate::rule::{Rule, Rulebook};
use crate::size::{SOME, Size};
use crate::{Card, Cx, FlowContext, recovery};
use alloc::vec::Vec;
use serde::Serialize;

/// What `raddle schemes reno` says.
pub const CARD: Card = Card {
    name: "reno",
    title: "Reno",
    paper: "Allman et al., TCP Congestion Control, RFC 5681, 2009",
    needs: &[],
    summary: "Adds a packet each round trip and halves after a loss. The oldest of TCP's controls that \
              is still a baseline; it fills the queues.",
};

/// What it follows.
pub const RULES: &[Rulebook] = &[Rulebook { document: "RFC 5681", rules: RFC_5681 }];

const RFC_5681: &[Rule] = &[
    Rule::read(
        "3.1, IW",
        "The first window is at most 2 to 4 packets",
        "10 packets, as RFC 6928 has it since; `initial_window` sets others",
    ),
    Rule::shown(
        "3.1, ssthresh",
        "ssthresh begins arbitrarily high",
        "slow_start_doubles_and_avoidance_adds_a_packet_in_a_round_trip",
    ),
    Rule::read(
        "3.1, equation 2",
        "In slow start an ACK adds what it acknowledges, a packet at most",
        "an ACK for several packets adds as many (RFC 3465, without its limit)",
    ),
    Rule::shown(
        "3.1, equation 3",
        "In congestion avoidance the window grows by about a packet in each round trip",
        "slow_start_doubles_and_avoidance_adds_a_packet_in_a_round_trip",
    ),
    Rule::read(
        "3.1, equation 4",
        "A timeout sets ssthresh to half of what is in flight, 2 packets at least",
        "to half of the window, which does not grow while less than half of it is in flight",
    ),
    Rule::shown(
        "3.1, second timeout",
        "A timeout of what a timeout has sent again leaves ssthresh as it is",
        "a_timeout_begins_anew_and_one_that_follows_keeps_the_half_of_the_first",
    ),
    Rule::shown(
        "3.1, LW",
        "A timeout takes the window to one packet; slow start leads from there to ssthresh",
        "a_timeout_begins_anew_and_one_that_follows_keeps_the_half_of_the_first",
    ),
    Rule::read(
        "3.2, step 2",
        "A loss that later packets tell of sets ssthresh by equation 4",
        "to half of the window, 2 packets at least, as a timeout does",
    ),
    Rule::read(
        "3.2, steps 3 and 4",
        "The window becomes ssthresh and 3 packets, and one more for each further duplicate ACK",
        "the window becomes ssthresh: what has arrived no longer counts as in flight (`tcp`)",
    ),
    Rule::read(
        "3.2, step 6",
        "An ACK of new data takes the window back to ssthresh",
        "the window has been there since the loss",
    ),
    Rule::absent(
        "4.1",
        "After a pause longer than the timeout the window is at most the first one again",
        "a connection keeps its window between messages",
    ),
    Rule::shown(
        "4.3, windows",
        "Losses in one window of data lower the window once, in two successive ones twice",
        "a_window_of_data_is_answered_once",
    ),
    Rule::absent(
        "4.3, sent again",
        "The loss of a packet that was sent again lowers the window once more",
        "a window of data is answered once, whatever is lost again in it, or by a timeout",
    ),
];

crate::parameters! {
    /// Parameters of Reno.
    pub struct Config {
        /// The window at the start (RFC 6928).
        pub initial_window: Size = Size::Packets(10.0), in SOME;
        /// The window never grows beyond this.
        pub max_window: Size = Size::Unlimited, in SOME;
        /// The window never shrinks below this, nor below one packet; a timeout goes there.
        pub min_window: Size = Size::Packets(1.0), in SOME;
        /// Share of the window that a loss leaves.
        pub beta: f64 = 0.5, in 0.1..=0.9;
    }
    conflicts by conflicts
}

fn conflicts(config: &Config) -> Vec<Conflict> {
    super::windows_in_order(Some(config.min_window), Some(config.initial_window), config.max_window)
}

/// One flow's window. Sizes are packets.
#[derive(Clone, Debug, Serialize)]
pub struct Reno {
    window: f64,
    slow_start_below: f64,
    answer: Answer,
    packet: f64,
    min: f64,
    max: f64,
    beta: f64,
}

impl Reno {
    /// The window at its start, between its bounds. A maximum below the minimum gives way.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let sizes = context.sizes();
        let packet = context.packet().0 as f64;
        let packets = |size: Size| size.resolve(&sizes).0 as f64 / packet;
        let min = packets(config.min_window).max(1.0);
        let max = packets(config.max_window).max(min);
        Self {
            window: packets(config.initial_window).clamp(min, max),
            slow_start_below: max,
            answer: Answer::default(),
            packet,
            min,
            max,
            beta: config.beta,
        }
    }

    /// After a loss at least two packets are left (equation 4), after a mark one.
    fn reduce(&mut self, least: f64, until: Option<u32>) {
        if self.answer.reduces(until) {
            self.slow_start_below = (self.window * self.beta).max(2.0);
            self.window = (self.window * self.beta).max(least).clamp(self.min, self.max);
        }
    }

    fn collapse(&mut self, loss: &Loss) {
        let first = self.answer.times_out();
        if first {
            self.slow_start_below = (self.window * self.beta).max(2.0);
        }
        if first || loss.in_flight.0 == 0 {
            self.window = self.min;
        }
    }

    /// The window becomes so many times what it is, within its bounds.
    pub(super) fn scale(&mut self, by: f64) {
        self.window = (self.window * by).clamp(self.min, self.max);
    }

    /// Equations 2 and 3.
    fn grow(&mut self, ack: &Ack) {
        let acked = ack.bytes.0 as f64 / self.packet;
        if ack.in_flight.0 as f64 / self.packet + acked < self.window / 2.0 {
            return;
        }
        let slow_start = self.window < self.slow_start_below;
        let more = if slow_start { acked } else { acked / self.window };
        self.window = (self.window + more).min(self.max);
    }
}

impl CongestionControl for Reno {
    fn probes(&self, to: &mut dyn Probes) {
        to.flag("slow_start", self.window < self.slow_start_below);
    }

    fn on_ack(&mut self, _cx: &mut Cx<'_>, ack: &Ack) {
        self.answer.forget_when_due(ack);
        if ack.marked {
            self.reduce(1.0, Some(ack.next_new));
        } else {
            self.grow(ack);
        }
    }

    fn on_loss(&mut self, _cx: &mut Cx<'_>, loss: &Loss) {
        match loss.cause {
            LossCause::Timeout => self.collapse(loss),
            _ => self.reduce(2.0, None),
        }
    }

    /// Packet numbers begin anew.
    fn begin_message(&mut self) {
        self.answer = Answer::default();
    }

    fn recovery(&self) -> Option<&'static str> {
        Some(recovery::tcp::CARD.name)
    }

    fn limits(&self) -> Limits {
        Limits::of_window(self.window * self.packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::units::{Bytes, Time};

    const PACKET: u64 = 1000;

    fn flow(packets: f64) -> Reno {
        let initial_window = Size::Packets(packets);
        let context = FlowContext { payload: Bytes(936), ..FlowContext::NOMINAL };
        Reno::new(&Config { initial_window, ..Config::default() }, &context)
    }

    fn acknowledge(flow: &mut Reno, cumulative: u32, marked: bool) {
        let mut cx = Cx { now: Time::ZERO, rng: &mut Rng::new(1, "flow", 0), events: &mut () };
        let (bytes, in_flight, next_new) = (Bytes(PACKET), flow.limits().window, cumulative + 9);
        let ack = Ack { bytes, marked, in_flight, cumulative, next_new, ..Ack::EMPTY };
        flow.on_ack(&mut cx, &ack);
    }

    fn lose(flow: &mut Reno, cause: LossCause) {
        let mut cx = Cx { now: Time::ZERO, rng: &mut Rng::new(1, "flow", 0), events: &mut () };
        let (bytes, in_flight) = (Bytes(PACKET), Bytes(0));
        flow.on_loss(&mut cx, &Loss { bytes, packets: 1, cause, in_flight, next_new: 0 });
    }

    #[test]
    fn slow_start_doubles_and_avoidance_adds_a_packet_in_a_round_trip() {
        let mut flow = flow(10.0);
        (0..10).for_each(|_| acknowledge(&mut flow, 0, false));
        assert_eq!(flow.window, 20.0);
        lose(&mut flow, LossCause::Nack);
        assert_eq!((flow.window, flow.slow_start_below), (10.0, 10.0));
        // 10 ACKs at windows of 10 to 11.
        (0..10).for_each(|_| acknowledge(&mut flow, 0, false));
        assert!((flow.window - 10.96).abs() < 0.01, "{}", flow.window);
    }

    #[test]
    fn a_window_of_data_is_answered_once() {
        let mut flow = flow(40.0);
        lose(&mut flow, LossCause::Reordering);
        lose(&mut flow, LossCause::Trim);
        assert_eq!(flow.window, 20.0);
        acknowledge(&mut flow, 0, true);
        assert_eq!(flow.window, 20.0, "the ACK says where the window ends: at 9");
        acknowledge(&mut flow, 9, true);
        assert_eq!(flow.window, 10.0);
    }

    #[test]
    fn a_timeout_begins_anew_and_one_that_follows_keeps_the_half_of_the_first() {
        let mut flow = flow(20.0);
        lose(&mut flow, LossCause::Timeout);
        assert_eq!((flow.window, flow.slow_start_below), (1.0, 10.0));
        (0..4).for_each(|_| acknowledge(&mut flow, 0, false));
        lose(&mut flow, LossCause::Timeout);
        assert_eq!((flow.window, flow.slow_start_below), (1.0, 10.0));
    }

    #[test]
    fn a_loss_leaves_two_packets_and_a_mark_one() {
        let mut lost = flow(2.0);
        lose(&mut lost, LossCause::Nack);
        let mut marked = flow(1.2);
        acknowledge(&mut marked, 0, true);
        assert_eq!((lost.window, marked.window), (2.0, 1.0));
    }

    #[test]
    fn a_window_that_is_not_used_does_not_grow() {
        let mut flow = flow(10.0);
        let mut cx = Cx { now: Time::ZERO, rng: &mut Rng::new(1, "flow", 0), events: &mut () };
        let (bytes, in_flight) = (Bytes(PACKET), Bytes(3 * PACKET));
        let (marked, rtt, cumulative, next_new) = (false, None, 1, 5);
        let ack = Ack { bytes, marked, rtt, in_flight, cumulative, next_new, ..Ack::EMPTY };
        flow.on_ack(&mut cx, &ack);
        assert_eq!(flow.window, 10.0);
    }
}
