//! NSCC, the Ultra Ethernet transport's sender-side congestion control.
//!
//! Each ACK brings two signals, its congestion mark and its queueing delay (round trip less the
//! unloaded one), and falls into one of four quadrants about the target delay:
//!
//! | | delay below the target | at the target and above |
//! |---|---|---|
//! | clean | proportional increase; fast increase while queues are empty | fair increase |
//! | marked | nothing: the path selector moves on | multiplicative decrease |
//!
//! Increases are summed and take effect every `ADJUST_PACKETS` packets or once per unloaded round
//! trip. Quick adapt sets the window to what got through when a round trip brought next to nothing
//! and something was lost or the delay was huge; marks of what was then in flight are ignored.
//!
//! Ultra Ethernet specification 1.0, section 3.6 (NSCC). Its constants are those of the consortium's
//! simulator (ultraethernet/uet-htsim at 40ccb05, `sim/uec.cpp`, function in parentheses). There they are
//! given for a reference network of 100 Gbps and 12 us, 150 kB, and scaled by `a` = BDP / 150 kB.
//! Payload is the payload of a full packet, bytes acknowledged are those on the wire.
//!
//! | constant | value | source |
//! |---|---|---|
//! | target delay | 0.75 unloaded round trips if switches trim, else 1 | `initNsccParams` |
//! | proportional increase | 4 `a` payloads times (target - delay) / 12 us, per window | `_alpha`, `proportional_increase` |
//! | fair increase | 5 `a` payloads per window | `_fi`, `fair_increase` |
//! | steady increase | 0.15 `a` payloads per unloaded round trip | `_eta`, `fulfill_adjustment` |
//! | fast increase | 0.25 `a` of the bytes acknowledged, from a window below 1 us on | `_fi_scale`, `fast_increase` |
//! | multiplicative decrease | 0.8 (average - target) / average, at most 0.5, once per unloaded round trip | `_gamma`, `multiplicative_decrease` |
//! | average delay | moves by 0.0125 per sample; a clean sample above the target counts as 0.25 unloaded round trips, a NACK as 1 | `_delay_alpha`, `update_delay` |
//! | quick adapt | every unloaded round trip + target; below maximum window / 2^3; delay above 4 targets | `quick_adapt` |
//! | window | 1.5 BDP at first and at most, one packet at least | `initNscc` |
//!
//! Reading:
//! - That code scales the constants by the longest round trip of the network, this by the flow's
//!   own: a scheme knows its own path.
//! - The unloaded round trip is exact here and is not estimated by the smallest seen.
//! - An ACK without a round trip counts as one of the average delay, as there.
//! - A packet found lost by reordering costs what a timeout does: its bytes.
//! - The receiver's penalty on the window (`rcv_wnd_pen`) is not modelled: no host here is slow.
//! - The REPS artifact carries an older form (target 6 us, a fair increase in the proportional
//!   quadrant, too, fast increase by 0.5). The specification's is the one here.

mod rules;
#[cfg(test)]
mod tests;

pub use rules::RULES;

use super::{Ack, CongestionControl, Limits, Loss, LossCause};
use crate::family::{Conflict, Need};
use crate::probe::Probes;
use crate::size::{SOME, Size};
use crate::units::{Rate, Span, Time};
use crate::{Card, Cx, FlowContext};
use alloc::sync::Arc;
use alloc::vec::Vec;
use serde::Serialize;

/// What `raddle schemes nscc` says.
pub const CARD: Card = Card {
    name: "nscc",
    title: "NSCC, Ultra Ethernet's sender control",
    paper: "Ultra Ethernet Specification 1.0 (2025), section 3.6: network signal-based congestion \
            control, with the constants of the consortium's simulator",
    needs: &[Need::Ecn],
    summary: "Steers by marks and delay together: grows towards a target delay, shrinks only where \
              marks and delay agree. Made for packet spraying with trimming.",
};

crate::parameters! {
    /// Parameters of NSCC.
    pub struct Config {
        /// The window at the start.
        pub initial_window: Size = Size::Bdp(1.5), in SOME;
        /// The window never grows beyond this.
        pub max_window: Size = Size::Bdp(1.5), in SOME;
        /// The window never shrinks below this, nor below one packet.
        pub min_window: Size = Size::Packets(1.0), in SOME;
        /// Queueing delay aimed at; `auto` is 0.75 unloaded round trips if switches trim, else one.
        pub target: Option<Span> = None, in Span(1)..;
        /// Payloads of growth per window with empty queues, for a target of 12 us in the reference
        /// network of 150 kB; proportional to what is left to the target.
        pub proportional_increase: f64 = 4.0, in 0.0..=1000.0;
        /// Payloads of growth per clean window at the target delay and above, in the reference
        /// network.
        pub fair_increase: f64 = 5.0, in 0.0..=1000.0;
        /// Payloads of growth per unloaded round trip, whatever the signals, in the reference
        /// network.
        pub steady_increase: f64 = 0.15, in 0.0..=1000.0;
        /// Growth per byte acknowledged after a window of delays below 1 us, in the reference
        /// network.
        pub fast_increase: f64 = 0.25, in 0.0..=1000.0;
        /// Share of the average delay's excess by which the window shrinks.
        pub decrease: f64 = 0.8, in 0.0..=1.0;
        /// The largest share of the window that one decrease takes.
        pub max_decrease: f64 = 0.5, in 0.0..=1.0;
        /// Weight of a sample in the average delay.
        pub delay_gain: f64 = 0.0125, in 0.0..=1.0;
        /// Quick adapt needs less than the maximum window over 2 to this power to have got through;
        /// `auto` is no quick adapt.
        pub quick_adapt_gate: Option<u8> = Some(3), in 0..=16;
        /// Whether a delay above 4 targets is a reason for quick adapt, beside losses. Ultra Ethernet 1.0
        /// has it so only where switches do not trim, its simulator everywhere.
        pub quick_adapt_delay: bool = true => quiet;
    }
    conflicts by conflicts
}

fn conflicts(config: &Config) -> Vec<Conflict> {
    let [least, first] = [config.min_window, config.initial_window].map(Some);
    let mut found = super::windows_in_order(least, first, config.max_window);
    if config.quick_adapt_gate.is_none() {
        found.push(Conflict::Idle("quick_adapt_delay", "quick_adapt_gate"));
    }
    found
}

/// The reference network's rate, and its round trip in picoseconds.
const REFERENCE: (Rate, Span) = (Rate::gbps(100), Span::us(12));
/// Queueing delay below which queues count as empty.
const EMPTY: Span = Span::us(1);
/// Increases take effect after more than so many full packets.
const ADJUST_PACKETS: f64 = 8.0;
/// Quick adapt takes a delay above so many targets for a loss, if by delay at all.
const HUGE_DELAY: f64 = 4.0;
/// A clean sample above the target enters the average as this share of the unloaded round trip.
const CLEAN_SHARE: f64 = 0.25;

/// One flow's window. Sizes are bytes, delays picoseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Nscc {
    window: f64,
    average_delay: f64,
    /// Growth that has not taken effect, times the window.
    pending: f64,
    /// Bytes acknowledged since growth last took effect.
    since_adjust: f64,
    last_adjust: Option<Time>,
    last_decrease: Option<Time>,
    /// Bytes acknowledged in a row with an empty queue, and whether they were enough.
    empty: f64,
    fast: bool,
    adapt: QuickAdapt,
    constants: Arc<Constants>,
}

/// The state of quick adapt.
#[derive(Clone, Debug, Default, Serialize)]
struct QuickAdapt {
    /// When it is next looked at; the first ACK sets it.
    due: Option<Time>,
    /// Bytes acknowledged since it last was.
    achieved: f64,
    /// Whether a packet was trimmed since it last acted.
    trimmed: bool,
    /// Marks say nothing new until so many bytes are acknowledged or lost.
    ignore: f64,
}

/// What flows across equally long paths share.
#[derive(Debug, Serialize)]
struct Constants {
    min: f64,
    max: f64,
    base_rtt: Span,
    target: Span,
    /// Growth per byte acknowledged and picosecond below the target, times the window.
    proportional: f64,
    /// Growth per byte acknowledged, times the window.
    fair: f64,
    /// Growth per unloaded round trip.
    steady: f64,
    /// Growth per byte acknowledged.
    fast: f64,
    decrease: f64,
    max_decrease: f64,
    delay_gain: f64,
    adjust_after: f64,
    /// Quick adapt acts if less got through.
    adapt_below: Option<f64>,
    /// Whether a huge delay is a reason for it.
    adapt_by_delay: bool,
}

impl Nscc {
    /// The window at its start, between its bounds. A maximum below the minimum gives way.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let sizes = context.sizes();
        let bytes = |size: Size| size.resolve(&sizes).0 as f64;
        let (packet, payload) = (context.packet().0 as f64, context.payload.0 as f64);
        let min = bytes(config.min_window).max(packet);
        let max = bytes(config.max_window).max(min);
        let share = if context.trimming { 0.75 } else { 1.0 };
        let of_rtt = Span((context.base_rtt.0 as f64 * share) as u64);
        let (rate, rtt) = REFERENCE;
        let scale = context.bdp.0 as f64 / rate.bytes_in(rtt).0 as f64;
        let constants = Constants {
            min,
            max,
            base_rtt: context.base_rtt,
            target: config.target.unwrap_or(of_rtt),
            proportional: config.proportional_increase * payload * scale / rtt.0 as f64,
            fair: config.fair_increase * payload * scale,
            steady: config.steady_increase * payload * scale,
            fast: config.fast_increase * scale,
            decrease: config.decrease,
            max_decrease: config.max_decrease,
            delay_gain: config.delay_gain,
            adjust_after: ADJUST_PACKETS * packet,
            adapt_below: config.quick_adapt_gate.map(|gate| max / f64::from(1_u32 << gate)),
            adapt_by_delay: config.quick_adapt_delay,
        };
        Self {
            window: bytes(config.initial_window).clamp(min, max),
            average_delay: 0.0,
            pending: 0.0,
            since_adjust: 0.0,
            last_adjust: None,
            last_decrease: None,
            empty: 0.0,
            fast: false,
            adapt: QuickAdapt::default(),
            constants: Arc::new(constants),
        }
    }

    /// Enters a sample into the average delay (`update_delay`).
    fn sample(&mut self, delay: Span, marked: bool) {
        let constants = &self.constants;
        let sample = if !marked && delay > constants.target {
            constants.base_rtt.0 as f64 * CLEAN_SHARE
        } else {
            delay.0 as f64
        };
        self.average_delay += constants.delay_gain * (sample - self.average_delay);
    }

    /// Sets the window to what got through, if it is time to look and there is reason to
    /// (`quick_adapt`). Returns whether this ACK or NACK moves the window no further.
    fn quick_adapt(&mut self, now: Time, reason: bool, marked: bool, in_flight: f64) -> bool {
        let Some(below) = self.constants.adapt_below else { return false };
        let adapt = &mut self.adapt;
        let mut done = marked && adapt.ignore > 0.0;
        if !done && adapt.due.is_none_or(|due| now > due) {
            if adapt.due.is_some() && (reason || adapt.trimmed) && adapt.achieved < below {
                self.window = adapt.achieved.max(self.constants.min);
                adapt.ignore = in_flight;
                adapt.trimmed = false;
                done = true;
            }
            adapt.achieved = 0.0;
            adapt.due = Some(now + self.constants.base_rtt + self.constants.target);
        }
        if done {
            self.pending = 0.0;
            self.since_adjust = 0.0;
        }
        done
    }

    /// A clean ACK below the target (`proportional_increase`, `fast_increase`).
    fn grow_to_target(&mut self, acked: f64, delay: Span) {
        if delay < EMPTY {
            self.empty += acked;
            self.fast |= self.empty > self.window;
        } else {
            self.empty = 0.0;
            self.fast = false;
        }
        let constants = &self.constants;
        if self.fast {
            self.window += acked * constants.fast;
        } else {
            let below = constants.target.0 as f64 - delay.0 as f64;
            self.pending += constants.proportional * acked * below;
        }
    }

    /// A marked ACK at the target delay or above (`multiplicative_decrease`).
    fn shrink(&mut self, now: Time) {
        self.fast = false;
        self.empty = 0.0;
        let constants = &self.constants;
        let excess = self.average_delay - constants.target.0 as f64;
        let rested = self.last_decrease.is_none_or(|last| now.since(last) > constants.base_rtt);
        if excess > 0.0 && rested {
            let share = constants.decrease * excess / self.average_delay;
            self.window *= 1.0 - share.min(constants.max_decrease);
            self.last_decrease = Some(now);
        }
    }

    /// Lets growth take effect where it is time (`fulfill_adjustment`).
    fn adjust(&mut self, now: Time) {
        let constants = &self.constants;
        let rested = |at_least: bool| {
            self.last_adjust.is_none_or(|last| {
                let since = now.since(last);
                since > constants.base_rtt || (at_least && since == constants.base_rtt)
            })
        };
        if self.since_adjust <= constants.adjust_after && !rested(false) {
            return;
        }
        self.window += self.pending / self.window;
        if rested(true) {
            self.window += constants.steady;
            self.last_adjust = Some(now);
        }
        self.pending = 0.0;
        self.since_adjust = 0.0;
    }

    fn keep_bounds(&mut self) {
        self.window = self.window.clamp(self.constants.min, self.constants.max);
    }
}

impl CongestionControl for Nscc {
    fn probes(&self, to: &mut dyn Probes) {
        to.span("average_delay", Span(self.average_delay as u64));
        to.flag("fast_increase", self.fast);
    }

    /// `processAck`, `updateCwndOnAck_NSCC`.
    fn on_ack(&mut self, cx: &mut Cx<'_>, ack: &Ack) {
        let acked = ack.bytes.0 as f64;
        self.adapt.achieved += acked;
        self.adapt.ignore -= acked;
        self.since_adjust += acked;
        let delay = ack.rtt.map(|rtt| Span(rtt.0.saturating_sub(self.constants.base_rtt.0)));
        if let Some(delay) = delay {
            self.sample(delay, ack.marked);
        }
        let delay = delay.unwrap_or(Span(self.average_delay as u64));
        let target = self.constants.target;
        let huge = self.constants.adapt_by_delay && delay.0 as f64 > HUGE_DELAY * target.0 as f64;
        if self.quick_adapt(cx.now, huge, ack.marked, ack.in_flight.0 as f64) {
            return;
        }
        match (ack.marked, delay < target) {
            (false, true) => self.grow_to_target(acked, delay),
            (false, false) => self.pending += self.constants.fair * acked,
            (true, true) => {}
            (true, false) => self.shrink(cx.now),
        }
        self.keep_bounds();
        self.adjust(cx.now);
        self.keep_bounds();
    }

    /// A trimmed packet: `updateCwndOnNack_NSCC`; another: `mark_packet_for_retransmission`.
    fn on_loss(&mut self, cx: &mut Cx<'_>, loss: &Loss) {
        let lost = loss.bytes.0 as f64;
        if loss.cause == LossCause::Trim {
            self.adapt.ignore -= lost;
            self.sample(self.constants.base_rtt, true);
            self.adapt.trimmed = true;
            let in_flight = (loss.in_flight + loss.bytes).0 as f64;
            if self.quick_adapt(cx.now, true, true, in_flight) {
                return;
            }
        }
        self.window -= lost;
        self.keep_bounds();
    }

    /// Quick adapt takes what got through for what could: it does not look back across a pause.
    fn begin_message(&mut self) {
        self.adapt = QuickAdapt::default();
    }

    fn limits(&self) -> Limits {
        Limits::of_window(self.window)
    }
}
