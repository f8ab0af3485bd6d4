//! Swift: the window follows the round trip, towards a target delay.
//!
//! Kumar et al., Algorithm 1, with the settings of the load-balancing study (its spec, section
//! 3.2, and the paper's appendix H): below the target the window grows by a packet per round trip,
//! above it shrinks in proportion to the excess, at most once per round trip. Flow scaling raises
//! the target of small windows, so that many flows share a link. Sizes are bytes; a window below
//! one packet becomes a pace.
//!
//! Reading, where the study is silent:
//! - The target is the flow's own unloaded round trip plus the time its rate takes for `queue`.
//!   That replaces the paper's term per hop: the unloaded round trip grows with the hops.
//! - A round trip is the whole of it; the paper's split into fabric and host delay has no meaning
//!   for hosts without delay.
//! - An ACK without a round trip, that of a packet sent again, moves nothing.
//! - The window grows only while half of it is in flight, as in `dctcp`.
//! - A pace, once the next packet has it, stands: a new window concerns the one after, as in htsim, which
//!   cites the carousel of Google's hosts.
//! - A NACK or a gap is the paper's fast recovery. Timeouts are per packet here: those within a
//!   round trip of a reduction change nothing and count as one.

use super::{Ack, CongestionControl, Limits, Loss, LossCause};
use crate::family::Conflict;
use crate::probe::Probes;
use crate::size::{Limited, SOME, Size};
use crate::units::{Bytes, Rate, Span, Time};
use crate::{Card, Cx, FlowContext};
use alloc::sync::Arc;
use alloc::vec::Vec;
use serde::Serialize;

/// What `raddle schemes swift` says.
pub const CARD: Card = Card {
    name: "swift",
    title: "Swift",
    paper: "Kumar et al., Swift: Delay is Simple and Effective for Congestion Control in the \
            Datacenter, SIGCOMM 2020, tuned as in Load balancing for AI training (OFAN), appendix H",
    needs: &[],
    summary: "Steers the round trip to a target. Needs no marks; made for one path, its window \
              collapses when few of many paths are slow.",
};

crate::parameters! {
    /// Parameters of Swift.
    pub struct Config {
        /// Queueing that the target delay allows; the target is the unloaded round trip plus the
        /// time this takes at the flow's rate.
        pub queue: Limited = Limited(Size::Bytes(Bytes(113_000)));
        /// The window at the start; `auto` is what the flow's rate carries in the target delay.
        pub initial_window: Option<Size> = None, in SOME;
        /// The window never grows beyond this.
        pub max_window: Size = Size::Unlimited, in SOME;
        /// The window never shrinks below this; below one packet it is a pace.
        pub min_window: Size = Size::Packets(0.1), in SOME;
        /// Packets of growth per round trip below the target (ai).
        pub increase: f64 = 1.0, in 0.0..=1000.0;
        /// Share of the excess delay, relative to the delay, by which the window shrinks (beta).
        pub decrease: f64 = 0.8, in 0.0..=1.0;
        /// The largest share of the window that one reduction takes (max_mdf); a loss takes it.
        pub max_decrease: f64 = 0.5, in 0.0..=1.0;
        /// A flow with the smallest window has a target higher by this many targets (fs_range).
        pub scaling_range: f64 = 5.0, in 0.0..=1000.0;
        /// At this window and below the target is raised by the whole range (fs_min_cwnd).
        pub scaling_min: Size = Size::Packets(0.1);
        /// From this window on the target is not raised (fs_max_cwnd); `auto` is the initial
        /// window. Not above `scaling_min`: no flow scaling.
        pub scaling_max: Option<Size> = None;
        /// After so many timeouts without an ACK the window goes to its minimum.
        pub reset_after: u32 = 5, in 1..=1000;
    }
    conflicts by conflicts
}

fn conflicts(config: &Config) -> Vec<Conflict> {
    let mut conflicts =
        super::windows_in_order(Some(config.min_window), config.initial_window, config.max_window);
    if config.scaling_range == 0.0 {
        let idle = ["scaling_min", "scaling_max"];
        conflicts.extend(idle.map(|parameter| Conflict::Idle(parameter, "scaling_range")));
    }
    conflicts
}

/// One flow's window.
#[derive(Clone, Debug, Serialize)]
pub struct Swift {
    window: f64,
    /// The latest delay.
    delay: Span,
    last_decrease: Option<Time>,
    /// Timeouts without an ACK.
    timeouts: u32,
    constants: Arc<Constants>,
}

/// What flows across equally long paths share. Windows are bytes, delays picoseconds.
#[derive(Debug, Serialize)]
struct Constants {
    packet: f64,
    min: f64,
    max: f64,
    target: f64,
    /// `range`, and the factors of the flow scaling: the target is raised by
    /// `alpha / sqrt(window) - beta`, which is 0 from the scaling's largest window on.
    range: f64,
    alpha: f64,
    beta: f64,
    increase: f64,
    decrease: f64,
    max_decrease: f64,
    reset_after: u32,
}

impl Swift {
    /// The window at its start, between its bounds. A maximum below the minimum gives way.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let sizes = context.sizes();
        let bytes = |size: Size| match size {
            // Fractions of a packet matter here.
            Size::Packets(n) => n * sizes.packet.0 as f64,
            other => other.resolve(&sizes).0 as f64,
        };
        let queueing = context.rate.serialisation(config.queue.0.resolve(&sizes));
        let target = context.base_rtt + queueing;
        let full = context.rate.bytes_in(target).0 as f64;
        let min = bytes(config.min_window).max(1.0);
        let max = bytes(config.max_window).max(min);
        let window = config.initial_window.map_or(full, bytes).clamp(min, max);
        let range = config.scaling_range * target.0 as f64;
        let low = 1.0 / libm::sqrt(bytes(config.scaling_min).max(1.0));
        let high = 1.0 / libm::sqrt(config.scaling_max.map_or(window, bytes).max(1.0));
        let alpha = if low > high { range / (low - high) } else { 0.0 };
        let constants = Constants {
            packet: sizes.packet.0 as f64,
            min,
            max,
            target: target.0 as f64,
            range,
            alpha,
            beta: alpha * high,
            increase: config.increase,
            decrease: config.decrease,
            max_decrease: config.max_decrease,
            reset_after: config.reset_after,
        };
        Self {
            window,
            delay: context.base_rtt,
            last_decrease: None,
            timeouts: 0,
            constants: Arc::new(constants),
        }
    }

    /// The window in packets.
    pub(super) fn packets(&self) -> f64 {
        self.window / self.constants.packet
    }

    /// The latest delay; before the first, the unloaded round trip.
    pub(super) fn delay(&self) -> Span {
        self.delay
    }

    /// The target delay of the present window, in picoseconds.
    fn target(&self) -> f64 {
        let constants = &self.constants;
        let raised = constants.alpha / libm::sqrt(self.window) - constants.beta;
        constants.target + raised.clamp(0.0, constants.range)
    }

    /// An ACK with this delay. Algorithm 1, "On Receiving ACK".
    pub(super) fn on_delay(&mut self, now: Time, delay: Span, ack: &Ack) {
        self.delay = delay;
        self.timeouts = 0;
        let (target, observed) = (self.target(), delay.0 as f64);
        if observed < target {
            self.grow(ack);
        } else if self.can_decrease(now) {
            let share = self.constants.decrease * (observed - target) / observed;
            self.shrink(now, share.min(self.constants.max_decrease));
        }
    }

    fn grow(&mut self, ack: &Ack) {
        let constants = &self.constants;
        let acked = ack.bytes.0 as f64;
        if ack.in_flight.0 as f64 + acked < self.window / 2.0 {
            return;
        }
        let rounds =
            if self.window < constants.packet { 1.0 } else { constants.packet / self.window };
        self.window = (self.window + constants.increase * acked * rounds).min(constants.max);
    }

    /// Whether the last reduction is a round trip ago.
    fn can_decrease(&self, now: Time) -> bool {
        self.last_decrease.is_none_or(|last| now.since(last) >= self.delay)
    }

    fn shrink(&mut self, now: Time, share: f64) {
        self.window = (self.window * (1.0 - share)).max(self.constants.min);
        self.last_decrease = Some(now);
    }
}

impl CongestionControl for Swift {
    fn probes(&self, to: &mut dyn Probes) {
        to.span("delay", self.delay);
        to.count("timeouts_in_a_row", self.timeouts.into());
    }

    fn on_ack(&mut self, cx: &mut Cx<'_>, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.on_delay(cx.now, rtt, ack);
        }
    }

    /// Algorithm 1, "On Retransmit Timeout" and "On Fast Recovery".
    fn on_loss(&mut self, cx: &mut Cx<'_>, loss: &Loss) {
        if !self.can_decrease(cx.now) {
            return;
        }
        if loss.cause == LossCause::Timeout {
            self.timeouts += 1;
        }
        let all = loss.cause == LossCause::Timeout && self.timeouts >= self.constants.reset_after;
        self.shrink(cx.now, if all { 1.0 } else { self.constants.max_decrease });
    }

    fn limits(&self) -> Limits {
        let packet = self.constants.packet;
        if self.window >= packet {
            return Limits::of_window(self.window);
        }
        let bps = self.window * 8e12 / self.delay.0.max(1) as f64;
        Limits { window: Bytes(packet as u64), rate: Some(Rate((bps as u64).max(1))) }
    }
}

/// What tests of delay-based schemes share.
#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use crate::rng::Rng;

    /// 4096 B + 62 B.
    pub(in super::super) const PACKET: u64 = 4158;
    /// 6 us of propagation, 6 hops of a packet and of its ACK at 800 Gbps.
    pub(in super::super) const BASE_RTT: Span = Span(6_253_320);
    /// That and 113 kB at 800 Gbps.
    pub(in super::super) const TARGET: Span = Span(7_383_320);

    /// A flow of the load-balancing study.
    pub(in super::super) fn context() -> FlowContext {
        FlowContext {
            payload: Bytes(4096),
            header: Bytes(62),
            gap: Bytes(20),
            base_rtt: BASE_RTT,
            rate: Rate::gbps(800),
            bdp: Bytes(625_332),
            ..FlowContext::NOMINAL
        }
    }

    /// The ACK of a packet of a full window, at this time.
    pub(in super::super) fn ack(flow: &mut impl CongestionControl, now: Time, rtt: Option<Span>) {
        let (mut rng, bytes) = (Rng::new(1, "flow", 0), Bytes(PACKET));
        let mut cx = Cx { now, rng: &mut rng, events: &mut () };
        let in_flight = Bytes(flow.limits().window.0.saturating_sub(PACKET));
        let (marked, cumulative, next_new) = (false, 0, 0);
        flow.on_ack(
            &mut cx,
            &Ack { bytes, marked, rtt, in_flight, cumulative, next_new, ..Ack::EMPTY },
        );
    }

    /// A packet is lost.
    pub(in super::super) fn lose(flow: &mut impl CongestionControl, now: Time, cause: LossCause) {
        let mut cx = Cx { now, rng: &mut Rng::new(1, "flow", 0), events: &mut () };
        flow.on_loss(
            &mut cx,
            &Loss { bytes: Bytes(PACKET), packets: 1, cause, in_flight: Bytes(0), next_new: 0 },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{BASE_RTT, PACKET, TARGET, ack, context, lose};
    use super::*;

    fn flow(config: &Config) -> Swift {
        Swift::new(config, &context())
    }

    /// 100 packets, no flow scaling.
    fn steady() -> Swift {
        let initial_window = Some(Size::Packets(100.0));
        flow(&Config { initial_window, scaling_range: 0.0, ..Config::default() })
    }

    const HUNDRED: f64 = 100.0 * PACKET as f64;

    fn at(round: u64) -> Time {
        Time(round * 10 * TARGET.0)
    }

    #[test]
    fn a_flow_starts_at_line_rate_times_the_target_delay() {
        let flow = flow(&Config::default());
        assert_eq!(flow.target(), TARGET.0 as f64);
        assert_eq!(flow.limits(), Limits { window: Bytes(738_332), rate: None });
        assert_eq!(flow.packets() as u64, 177);
    }

    #[test]
    fn below_the_target_a_window_of_acks_adds_a_packet() {
        let mut flow = steady();
        ack(&mut flow, at(1), Some(Span(TARGET.0 - 1)));
        assert_eq!(flow.window, HUNDRED + PACKET as f64 / 100.0);
        ack(&mut flow, at(1), None);
        assert_eq!(flow.window, HUNDRED + PACKET as f64 / 100.0, "no round trip, no news");
        (1..100).for_each(|_| ack(&mut flow, at(1), Some(BASE_RTT)));
        assert!((100.99..101.0).contains(&flow.packets()), "{}", flow.packets());
    }

    #[test]
    fn above_the_target_the_window_shrinks_with_the_excess_once_per_round_trip() {
        let mut flow = steady();
        let twice = Span(2 * TARGET.0);
        ack(&mut flow, at(1), Some(twice));
        assert_eq!(flow.window, HUNDRED * 0.6);
        ack(&mut flow, at(1) + Span(twice.0 - 1), Some(twice));
        assert_eq!(flow.window, HUNDRED * 0.6);
        ack(&mut flow, at(1) + twice, Some(twice));
        assert_eq!(flow.window, HUNDRED * 0.6 * 0.6);
        ack(&mut flow, at(3), Some(Span(10 * TARGET.0)));
        assert_eq!(flow.window, HUNDRED * 0.6 * 0.6 * 0.5, "at most half");
    }

    #[test]
    fn small_windows_have_higher_targets() {
        let scaled = |packets: f64| {
            let flow = flow(&Config {
                initial_window: Some(Size::Packets(packets)),
                scaling_max: Some(Size::Packets(100.0)),
                ..Config::default()
            });
            flow.target() / TARGET.0 as f64
        };
        // 5 (1 / sqrt(25) - 1 / sqrt(100)) / (1 / sqrt(0.1) - 1 / sqrt(100)) = 0.16327
        for (packets, factor) in [(0.1, 6.0), (25.0, 1.163_271), (100.0, 1.0), (500.0, 1.0)] {
            assert!((scaled(packets) - factor).abs() < 1e-5, "{packets}: {}", scaled(packets));
        }
    }

    #[test]
    fn a_loss_halves_the_window_once_per_round_trip_and_five_timeouts_reset_it() {
        let mut flow = steady();
        lose(&mut flow, at(1), LossCause::Trim);
        lose(&mut flow, at(1), LossCause::Reordering);
        lose(&mut flow, at(1), LossCause::Timeout);
        assert_eq!(flow.window, HUNDRED / 2.0);
        (2..6).for_each(|round| lose(&mut flow, at(round), LossCause::Timeout));
        assert_eq!(flow.window, HUNDRED / 32.0);
        ack(&mut flow, at(6), Some(BASE_RTT));
        assert!(flow.window > HUNDRED / 32.0);
        (7..11).for_each(|round| lose(&mut flow, at(round), LossCause::Timeout));
        assert!(flow.window > HUNDRED / 1000.0, "the ACK starts the count over");
        lose(&mut flow, at(11), LossCause::Timeout);
        assert_eq!(flow.packets(), 0.1);
    }

    #[test]
    fn a_window_below_a_packet_is_a_pace() {
        let mut flow = steady();
        (1..8).for_each(|round| lose(&mut flow, at(round), LossCause::Timeout));
        // A tenth of 4158 B in 6.25332 us.
        let rate = Some(Rate(531_941_432));
        assert_eq!(flow.limits(), Limits { window: Bytes(PACKET), rate });
        ack(&mut flow, at(9), Some(BASE_RTT));
        assert_eq!(flow.packets(), 1.1);
        assert_eq!(flow.limits().rate, None);
    }

    #[test]
    fn a_flow_with_less_than_half_its_window_in_flight_does_not_grow_it() {
        let mut flow = steady();
        let in_flight = Bytes(48 * PACKET);
        let (bytes, rtt) = (Bytes(PACKET), Some(BASE_RTT));
        let (marked, cumulative, next_new) = (false, 0, 0);
        let ack = Ack { bytes, marked, rtt, in_flight, cumulative, next_new, ..Ack::EMPTY };
        flow.on_delay(at(1), BASE_RTT, &ack);
        assert_eq!(flow.window, HUNDRED);
    }
}
