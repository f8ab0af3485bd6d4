//! CUBIC: the window follows a cubic function of the time since the last reduction.
//!
//! RFC 9438: slow start to the first loss, or with `hystart` until round trips grow; then `W(t) = C (t - K)^3 + W_max`
//! (figure 1) with K = cbrt((W_max - cwnd_epoch) / C) (figure 2), in packets and seconds, never below the
//! estimate of Reno's window (section 4.3). A loss takes the window to `beta` times itself (4.6),
//! W_max lower than that where it shrank since (fast convergence, 4.7); a timeout takes it to its
//! minimum (4.8). A mark counts as a loss (4.6, RFC 3168).
//!
//! Profile `ns3` is what ns-3 has, as Linux has most of it: HyStart, no Reno-friendly region. HyStart (Ha
//! and Rhee, 2011) ends slow start from 16 packets on when a round's ACKs, each at most 2 ms after the
//! one before, have come for longer than the shortest round trip; or when the shortest of 8 round
//! trips of a round is longer than the shortest of all by as much again, 4 ms to 1 s. Without the
//! region the window grows by a packet in 100 windows where the cubic function does not; by one for 20
//! ACKs before the first loss.
//!
//! Reading, for selective ACKs and packets that arrive in any order:
//! - A window of data is answered once, as in `dctcp`; there are no duplicate ACKs. A timeout that
//!   leaves nothing in flight takes the window to its minimum however often it comes, and is remembered
//!   once (RFC 5681, section 3.1).
//! - The window, not what is in flight, is what a loss reduces.
//! - Only while half of the window is in flight does it grow and its time pass (section 5.8).

use super::answer::Answer;
use super::{Ack, CongestionControl, Limits, Loss, LossCause};
use crate::family::Conflict;
use crate::probe::Probes;
use crate::size::{SOME, Size};
use crate::units::{Bytes, Span, Time};
use crate::{Card, Cx, FlowContext, recovery};
use alloc::vec::Vec;

mod hystart;
mod rules;

use hystart::Hystart;
pub use rules::RULES;
use serde::Serialize;

/// What `raddle schemes cubic` says.
pub const CARD: Card = Card {
    name: "cubic",
    title: "CUBIC",
    paper: "Xu et al., CUBIC for Fast and Long-Distance Networks, RFC 9438, 2023",
    needs: &[],
    summary: "Grows with the cube of the time since the last loss, at least as fast as Reno. What \
              hosts run by default; it fills the queues.",
};

crate::words! {
    /// Whose CUBIC.
    pub enum Profile {
        /// RFC 9438.
        Rfc9438 = "rfc9438",
        /// That of ns-3.
        Ns3 = "ns3",
    }
}

crate::parameters! {
    /// Parameters of CUBIC; `auto` is what the profile has.
    pub struct Config {
        /// Whose values the parameters have that are `auto`: `rfc9438`, or `ns3`, with HyStart and
        /// without the Reno-friendly region.
        pub profile: Profile = Profile::Rfc9438;
        /// Whether slow start ends when round trips grow; `auto` is only in `ns3`.
        pub hystart: Option<bool> = None;
        /// Whether the window grows as fast as Reno's at least; `auto` is not in `ns3`.
        pub reno_friendly: Option<bool> = None;
        /// The window at the start (RFC 6928).
        pub initial_window: Size = Size::Packets(10.0), in SOME;
        /// The window never grows beyond this.
        pub max_window: Size = Size::Unlimited, in SOME;
        /// The window never shrinks below this, nor below one packet; a timeout goes there.
        pub min_window: Size = Size::Packets(1.0), in SOME;
        /// Packets per cubic second of growth (C).
        pub scale: f64 = 0.4, in 0.001..=1000000.0;
        /// Share of the window that a loss leaves (beta).
        pub beta: f64 = 0.7, in 0.1..=0.9;
        /// Whether a flow whose window shrank since the last loss makes room for others.
        pub fast_convergence: bool = true;
    }
    conflicts by conflicts
}

fn conflicts(config: &Config) -> Vec<Conflict> {
    super::windows_in_order(Some(config.min_window), Some(config.initial_window), config.max_window)
}

/// A stage of congestion avoidance. Sizes are packets.
#[derive(Clone, Debug, Serialize)]
struct Epoch {
    elapsed: Span,
    /// Seconds until the window is `w_max` again (K).
    k: f64,
    /// Reno's window (W_est).
    reno: f64,
}

/// One flow's window. Sizes are packets.
#[derive(Clone, Debug, Serialize)]
pub struct Cubic {
    window: f64,
    slow_start_below: f64,
    w_max: f64,
    /// The window before the last reduction (cwnd_prior).
    prior: f64,
    epoch: Option<Epoch>,
    /// Whether the next epoch begins at its plateau: after slow start that no loss ended.
    plateau: bool,
    rtt: Span,
    last_ack: Option<Time>,
    hystart: Option<Hystart>,
    reno_friendly: bool,
    answer: Answer,
    packet: f64,
    min: f64,
    max: f64,
    scale: f64,
    beta: f64,
    fast_convergence: bool,
}

impl Cubic {
    /// The window at its start, between its bounds. A maximum below the minimum gives way.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let sizes = context.sizes();
        let packet = context.packet().0 as f64;
        let packets = |size: Size| size.resolve(&sizes).0 as f64 / packet;
        let min = packets(config.min_window).max(1.0);
        let max = packets(config.max_window).max(min);
        let ns3 = config.profile == Profile::Ns3;
        Self {
            window: packets(config.initial_window).clamp(min, max),
            slow_start_below: max,
            w_max: 0.0,
            prior: 0.0,
            epoch: None,
            plateau: true,
            rtt: context.base_rtt,
            last_ack: None,
            hystart: config.hystart.unwrap_or(ns3).then(Hystart::default),
            reno_friendly: config.reno_friendly.unwrap_or(!ns3),
            answer: Answer::default(),
            packet,
            min,
            max,
            scale: config.scale,
            beta: config.beta,
            fast_convergence: config.fast_convergence,
        }
    }

    fn cubic(&self, seconds: f64, k: f64) -> f64 {
        let t = seconds - k;
        self.scale * t * t * t + self.w_max
    }

    /// The window becomes so many times what it is, within its bounds; a stage begins there.
    pub(super) fn scale(&mut self, by: f64) {
        self.window = (self.window * by).clamp(self.min, self.max);
        self.epoch = None;
    }

    /// What every congestion event does but for the window itself.
    fn remember(&mut self) {
        self.prior = self.window;
        let shrank = self.fast_convergence && self.window < self.w_max;
        self.w_max = self.window * if shrank { (1.0 + self.beta) / 2.0 } else { 1.0 };
        self.slow_start_below = (self.window * self.beta).max(2.0);
        self.epoch = None;
    }

    /// After a loss at least two packets are left, after a mark one (4.6).
    fn reduce(&mut self, least: f64, until: Option<u32>) {
        if !self.answer.reduces(until) {
            return;
        }
        self.remember();
        self.window = (self.window * self.beta).max(least).clamp(self.min, self.max);
        self.plateau = false;
    }

    fn collapse(&mut self, loss: &Loss) {
        let first = self.answer.times_out();
        if first {
            self.remember();
        }
        if first || loss.in_flight.0 == 0 {
            self.window = self.min;
            self.epoch = None;
            self.plateau = true;
        }
    }

    fn grow(&mut self, now: Time, passed: Span, ack: &Ack) {
        if let Some(hystart) = &mut self.hystart
            && self.window < self.slow_start_below
            && hystart.ends(now, ack, self.window)
        {
            self.slow_start_below = self.window;
        }
        let acked = ack.bytes.0 as f64 / self.packet;
        if ack.in_flight.0 as f64 / self.packet + acked < self.window / 2.0 {
            return;
        }
        let window = if self.window < self.slow_start_below {
            self.window + acked
        } else {
            self.avoid(passed, acked)
        };
        self.window = window.min(self.max);
    }

    /// Packets that the window grows by for each that is acknowledged, at least.
    fn least_gain(&self) -> f64 {
        if self.reno_friendly {
            0.0
        } else if self.plateau {
            1.0 / 20.0
        } else {
            1.0 / (100.0 * self.window)
        }
    }

    /// Sections 4.2 to 4.5.
    fn avoid(&mut self, passed: Span, acked: f64) -> f64 {
        let (passed, mut epoch) = match self.epoch.take() {
            Some(epoch) => (passed, epoch),
            None => {
                if self.plateau {
                    self.w_max = self.window;
                }
                let k = libm::cbrt((self.w_max - self.window).max(0.0) / self.scale);
                (Span::ZERO, Epoch { elapsed: Span::ZERO, k, reno: self.window })
            }
        };
        epoch.elapsed = epoch.elapsed + passed;
        let reached = epoch.reno >= self.prior;
        let gain = if reached { 1.0 } else { 3.0 * (1.0 - self.beta) / (1.0 + self.beta) };
        epoch.reno += gain * acked / self.window;
        let seconds = epoch.elapsed.0 as f64 / 1e12;
        let ahead = seconds + self.rtt.0 as f64 / 1e12;
        let window = if self.reno_friendly && self.cubic(seconds, epoch.k) < epoch.reno {
            epoch.reno.max(self.window)
        } else {
            let target = self.cubic(ahead, epoch.k).clamp(self.window, 1.5 * self.window);
            let gain = ((target - self.window) / self.window).max(self.least_gain());
            self.window + gain * acked
        };
        self.epoch = Some(epoch);
        window
    }
}

impl CongestionControl for Cubic {
    fn probes(&self, to: &mut dyn Probes) {
        to.flag("slow_start", self.window < self.slow_start_below);
        to.bytes("w_max", Bytes((self.w_max * self.packet) as u64));
    }

    fn on_ack(&mut self, cx: &mut Cx<'_>, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.rtt = Span((self.rtt.0 / 8) * 7 + rtt.0 / 8);
        }
        let passed = self.last_ack.map_or(Span::ZERO, |last| cx.now.since(last));
        self.last_ack = Some(cx.now);
        self.answer.forget_when_due(ack);
        if ack.marked {
            self.reduce(1.0, Some(ack.next_new));
            if let Some(epoch) = &mut self.epoch {
                epoch.elapsed = epoch.elapsed + passed;
            }
        } else {
            self.grow(cx.now, passed, ack);
        }
    }

    fn on_loss(&mut self, _cx: &mut Cx<'_>, loss: &Loss) {
        match loss.cause {
            LossCause::Timeout => self.collapse(loss),
            _ => self.reduce(2.0, None),
        }
    }

    /// Packet numbers begin anew, and the time between messages does not count.
    fn begin_message(&mut self) {
        self.last_ack = None;
        self.answer = Answer::default();
        self.hystart.iter_mut().for_each(Hystart::begin_message);
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
    use crate::units::Bytes;

    const PACKET: u64 = 1000;

    fn flow(packets: f64) -> Cubic {
        let initial_window = Size::Packets(packets);
        let context = FlowContext { payload: Bytes(936), ..FlowContext::NOMINAL };
        Cubic::new(&Config { initial_window, ..Config::default() }, &context)
    }

    fn ack(flow: &mut Cubic, ms: u64, cumulative: u32) {
        acknowledge(flow, ms, cumulative, false);
    }

    fn acknowledge(flow: &mut Cubic, ms: u64, cumulative: u32, marked: bool) {
        let now = Time(ms * 1_000_000_000);
        let mut cx = Cx { now, rng: &mut Rng::new(1, "flow", 0), events: &mut () };
        let (bytes, in_flight, next_new) = (Bytes(PACKET), flow.limits().window, cumulative + 9);
        let ack = Ack { bytes, marked, in_flight, cumulative, next_new, ..Ack::EMPTY };
        flow.on_ack(&mut cx, &ack);
    }

    fn lose(flow: &mut Cubic, cause: LossCause) {
        let mut cx = Cx { now: Time::ZERO, rng: &mut Rng::new(1, "flow", 0), events: &mut () };
        let (bytes, in_flight) = (Bytes(PACKET), Bytes(0));
        flow.on_loss(&mut cx, &Loss { bytes, packets: 1, cause, in_flight, next_new: 0 });
    }

    #[test]
    fn after_a_loss_the_window_is_back_at_its_maximum_after_k() {
        let mut flow = flow(1000.0);
        lose(&mut flow, LossCause::Reordering);
        lose(&mut flow, LossCause::Trim);
        assert!((flow.window - 700.0).abs() < 1e-9);
        ack(&mut flow, 0, 0);
        // cbrt(300 / 0.4)
        let k = flow.epoch.as_ref().unwrap().k;
        assert!((k - 9.0856).abs() < 1e-4, "{k}");
        assert!((flow.cubic(0.0, k) - 700.0).abs() < 1e-6);
        (1..=90_856).for_each(|n| ack(&mut flow, n / 10, 20));
        assert!((flow.window - 1000.0).abs() < 2.0, "{}", flow.window);
    }

    #[test]
    fn a_second_loss_below_the_maximum_makes_room() {
        let mut flow = flow(100.0);
        lose(&mut flow, LossCause::Nack);
        flow.begin_message();
        lose(&mut flow, LossCause::Nack);
        assert!((flow.w_max - 70.0 * 0.85).abs() < 1e-9);
    }

    #[test]
    fn small_windows_grow_as_renos_do() {
        let mut flow = flow(10.0);
        lose(&mut flow, LossCause::Nack);
        (0..7).for_each(|_| ack(&mut flow, 0, 0));
        // 3 x 0.3 / 1.7 of a packet per window.
        assert!((flow.window - 7.529).abs() < 0.03, "{}", flow.window);
    }

    #[test]
    fn it_starts_slowly_and_again_after_a_timeout() {
        let mut flow = flow(10.0);
        (0..10).for_each(|_| ack(&mut flow, 0, 0));
        assert_eq!(flow.window, 20.0);
        lose(&mut flow, LossCause::Timeout);
        assert_eq!((flow.window, flow.slow_start_below), (1.0, 14.0));
        (0..13).for_each(|_| ack(&mut flow, 0, 0));
        assert_eq!(flow.window, 14.0);
    }

    #[test]
    fn a_window_of_marks_reduces_once_and_its_time_passes() {
        let mut flow = flow(100.0);
        acknowledge(&mut flow, 0, 0, true);
        assert!((flow.window - 70.0).abs() < 1e-9);
        ack(&mut flow, 1, 1);
        acknowledge(&mut flow, 4, 2, true);
        assert!((70.0..71.0).contains(&flow.window));
        assert_eq!(flow.epoch.as_ref().unwrap().elapsed, Span::ms(3));
        acknowledge(&mut flow, 5, 9, true);
        assert!(flow.window < 50.0, "the next window has its own answer");
    }

    /// What was lost again is under way again: 20 packets, one, half of its old window at once after
    /// the second timeout, which remembers nothing of the first window of one.
    #[test]
    fn a_timeout_that_follows_another_takes_the_window_to_one_again() {
        let mut flow = flow(20.0);
        lose(&mut flow, LossCause::Timeout);
        (0..4).for_each(|_| ack(&mut flow, 0, 0));
        assert_eq!((flow.window, flow.slow_start_below), (5.0, 14.0));
        lose(&mut flow, LossCause::Timeout);
        assert_eq!((flow.window, flow.slow_start_below), (1.0, 14.0));
    }

    fn flow_of_ns3(packets: f64) -> Cubic {
        let initial_window = Size::Packets(packets);
        let context = FlowContext { payload: Bytes(936), ..FlowContext::NOMINAL };
        let profile = Profile::Ns3;
        Cubic::new(&Config { initial_window, profile, ..Config::default() }, &context)
    }

    /// 1000 packets after a loss at 1000: K is 9 s, and the window stays at 0.7 of it where Reno's part
    /// would add 3 x 0.3 / 1.7 of a packet in each round trip.
    #[test]
    fn without_renos_region_a_window_grows_with_the_cube_alone() {
        let mut with = flow(1000.0);
        let mut without = flow_of_ns3(1000.0);
        for flow in [&mut with, &mut without] {
            lose(flow, LossCause::Nack);
            (0..70_000).for_each(|n| ack(flow, n / 7000, 20));
        }
        assert!(with.window > 740.0, "100 windows: {}", with.window);
        assert!((without.window - 700.0).abs() < 2.0, "{}", without.window);
    }

    /// By hand: at the plateau before the first loss a packet for 20 ACKs; at that after one a packet
    /// in 100 windows.
    #[test]
    fn at_the_plateau_it_creeps_as_ns3_does() {
        let mut flow = flow_of_ns3(100.0);
        flow.slow_start_below = 100.0;
        (0..20).for_each(|_| ack(&mut flow, 0, 0));
        assert!((flow.window - 101.0).abs() < 1e-6, "{}", flow.window);
        lose(&mut flow, LossCause::Nack);
        flow.w_max = flow.window;
        (0..71).for_each(|_| ack(&mut flow, 0, 20));
        assert!((flow.window - 70.71).abs() < 0.001, "{}", flow.window);
    }

    #[test]
    fn a_loss_leaves_two_packets_and_a_mark_one() {
        let mut lost = flow(2.0);
        lose(&mut lost, LossCause::Nack);
        let mut marked = flow(1.2);
        acknowledge(&mut marked, 0, 0, true);
        assert_eq!((lost.window, marked.window), (2.0, 1.0));
    }

    /// 100 s of growth at once: half a packet for each of the window's. Where the cube is below the
    /// window, 5 to 10, nothing.
    #[test]
    fn a_target_lies_between_the_window_and_half_as_much_again() {
        let mut flow = flow(10.0);
        lose(&mut flow, LossCause::Nack);
        ack(&mut flow, 0, 0);
        let before = flow.window;
        ack(&mut flow, 100_000, 20);
        assert!((flow.window - before - 0.5).abs() < 1e-9, "{}", flow.window);
        (flow.window, flow.w_max) = (10.0, 5.0);
        flow.epoch = Some(Epoch { elapsed: Span::ZERO, k: 0.0, reno: 1.0 });
        ack(&mut flow, 100_000, 20);
        assert_eq!(flow.window, 10.0);
    }

    #[test]
    fn while_less_than_half_of_it_is_in_flight_a_window_neither_grows_nor_ages() {
        let mut flow = flow(100.0);
        lose(&mut flow, LossCause::Nack);
        ack(&mut flow, 0, 0);
        let before = flow.window;
        let now = Time(5_000_000_000_000);
        let mut cx = Cx { now, rng: &mut Rng::new(1, "flow", 0), events: &mut () };
        let (bytes, in_flight) = (Bytes(PACKET), Bytes(30 * PACKET));
        let (cumulative, next_new) = (20, 29);
        flow.on_ack(&mut cx, &Ack { bytes, in_flight, cumulative, next_new, ..Ack::EMPTY });
        assert_eq!(flow.window, before);
        ack(&mut flow, 5001, 21);
        assert_eq!(flow.epoch.as_ref().unwrap().elapsed, Span::ms(1));
    }

    /// By hand: 10 packets before the loss; at 10 the estimate has caught up.
    #[test]
    fn past_the_window_before_the_loss_renos_estimate_grows_by_a_packet() {
        let mut flow = flow(10.0);
        lose(&mut flow, LossCause::Nack);
        for (reno, packets) in [(9.9, 0.9 / 1.7), (10.0, 1.0)] {
            (flow.window, flow.w_max) = (8.0, 10.0);
            flow.epoch = Some(Epoch { elapsed: Span::ZERO, k: 1.0, reno });
            ack(&mut flow, 0, 20);
            let grown = flow.epoch.as_ref().unwrap().reno - reno;
            assert!((grown * 8.0 - packets).abs() < 1e-9, "{grown}");
        }
    }

    /// 20 packets, 14 after the timeout: there slow start ends.
    #[test]
    fn after_a_timeout_avoidance_begins_at_the_plateau() {
        let mut flow = flow(20.0);
        lose(&mut flow, LossCause::Timeout);
        (0..14).for_each(|_| ack(&mut flow, 0, 0));
        let epoch = flow.epoch.as_ref().unwrap();
        assert_eq!((flow.w_max, epoch.k), (14.0, 0.0));
        assert!((epoch.reno - 14.0 - 0.9 / 1.7 / 14.0).abs() < 1e-9, "{}", epoch.reno);
    }

    /// By hand: at the plateau of 100 Reno's estimate adds 0.01; after 2 s the cube is 100 + 0.4 x 8,
    /// 3.19 above the window, of which an ACK brings a hundredth.
    #[test]
    fn slow_start_that_no_loss_ended_goes_on_from_the_plateau() {
        let mut flow = flow(100.0);
        flow.slow_start_below = 100.0;
        ack(&mut flow, 0, 0);
        assert_eq!((flow.w_max, flow.epoch.as_ref().unwrap().k), (100.0, 0.0));
        assert!((flow.window - 100.01).abs() < 1e-9, "{}", flow.window);
        ack(&mut flow, 2000, 1);
        assert!((flow.window - 100.01 - 0.0319).abs() < 1e-4, "{}", flow.window);
    }
}
