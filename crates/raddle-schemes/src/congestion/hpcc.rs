//! HPCC: keeps the bytes in flight at each hop just below what its link carries in a round trip, from the
//! telemetry that ACKs echo.
//!
//! Li et al., HPCC: High Precision Congestion Control (SIGCOMM 2019), Algorithm 1, in the rate form of
//! its authors' code, which PowerTCP's evaluation runs (PowerTCP spec, section 4).
//!
//! A new rate moves the packet that waits for its pace, as in that code.
//!
//! Reading: an ACK that brings no younger record than the one before moves nothing, nor does a loss.

pub use super::hops::Every;
use super::hops::{Counts, HopMemory, Packet, Told, bytes_per_second, limits, seconds, smooth};
use super::{Ack, CongestionControl, Limits, Loss};
use crate::probe::Probes;
use crate::units::{Bytes, Rate, Span};
use crate::{Card, Cx, FlowContext, Need};
use serde::Serialize;

/// What `raddle schemes hpcc` says.
pub const CARD: Card = Card {
    name: "hpcc",
    title: "HPCC",
    paper: "Li et al., HPCC: High Precision Congestion Control, SIGCOMM 2019",
    needs: &[Need::Telemetry],
    summary: "Steers links to 95 % and queues to almost nothing by what switches say of them. Needs \
              telemetry from switches; made for one path.",
};

crate::parameters! {
    /// Parameters of HPCC.
    pub struct Config {
        /// The round trip without queues that windows refer to (T); the paper takes the longest of the
        /// fabric for all flows. `auto` is the flow's own.
        pub base_rtt: Option<Span> = None;
        /// The share of a link that the scheme means to fill (eta).
        pub target: f64 = 0.95, in 0.01..=1.0;
        /// So many additive steps in a row before a multiplicative one (maxStage).
        pub max_stage: u32 = 5, in 0..=1000;
        /// What is added to the rate (W_AI over T).
        pub increase: Rate = Rate(50_000_000);
        /// The rate never falls below this.
        pub min_rate: Rate = Rate(100_000_000);
        /// When the rate moves: at each `ack`, or once in each `rtt`, as in the TCP stack of PowerTCP's case
        /// study.
        pub every: Every = Every::Ack => quiet;
        /// Bytes that telemetry takes in each data packet and each ACK: 8 for each of 5 hops, and 2.
        pub telemetry: Bytes = Bytes(42);
    }
}

/// One flow's rate.
#[derive(Clone, Debug, Serialize)]
pub struct Hpcc {
    /// In bytes per second, like the others.
    rate: f64,
    /// The rate and the stage at the last end of a round trip.
    reference: f64,
    stage: u32,
    /// Smoothed bytes in flight, in multiples of what a link carries in a round trip.
    in_flight: f64,
    /// The round trip ends when all below this have arrived.
    until: u32,
    memory: HopMemory,
    base_rtt: f64,
    target: f64,
    max_stage: u32,
    increase: f64,
    min: f64,
    max: f64,
    packet: Packet,
    every: Every,
    telemetry: Bytes,
}

impl Hpcc {
    /// The first round trip is at line rate.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let max = bytes_per_second(context.rate);
        Self {
            rate: max,
            reference: max,
            stage: 0,
            in_flight: 1.0,
            until: 0,
            memory: HopMemory::new(),
            base_rtt: seconds(config.base_rtt.unwrap_or(context.base_rtt)).max(1e-12),
            target: config.target,
            max_stage: config.max_stage,
            increase: bytes_per_second(config.increase),
            min: bytes_per_second(config.min_rate).min(max),
            max,
            packet: Packet::of(context, Counts::Payload),
            every: config.every,
            telemetry: config.telemetry,
        }
    }

    /// Algorithm 1, ComputeWind. Returns the stage that goes with the rate.
    fn react(&mut self) -> u32 {
        let excess = self.in_flight / self.target;
        let (rate, stage) = if excess >= 1.0 || self.stage >= self.max_stage {
            (self.reference / excess.max(f64::MIN_POSITIVE) + self.increase, 0)
        } else {
            (self.reference + self.increase, self.stage + 1)
        };
        self.rate = rate.clamp(self.min, self.max);
        stage
    }
}

impl CongestionControl for Hpcc {
    fn probes(&self, to: &mut dyn Probes) {
        to.number("utilisation", self.in_flight);
        to.count("stage", self.stage.into());
        to.rate("reference_rate", Rate((self.reference * 8.0) as u64));
    }

    fn on_ack(&mut self, _cx: &mut Cx<'_>, ack: &Ack<'_>) {
        // Algorithm 1, MeasureInflight: the fullest hop decides, and its records say for how long.
        let window = self.max * self.base_rtt;
        let (mut most, mut span) = (-1.0, 0.0);
        let told = self.memory.compare(ack.hops, |hop| {
            let queue = hop.queue.min(hop.queue_before);
            let u = hop.sent / hop.span / hop.rate + queue * (self.max / hop.rate) / window;
            if u > most {
                (most, span) = (u, hop.span);
            }
        });
        match told {
            Told::Nothing => {}
            Told::NewPath => self.until = self.until.max(ack.next_new),
            Told::Change => {
                self.in_flight = smooth(self.in_flight, most, span, self.base_rtt);
                let ends = ack.cumulative > self.until;
                if self.every == Every::Rtt && !ends {
                    return;
                }
                let stage = self.react();
                if ends {
                    (self.reference, self.stage) = (self.rate, stage);
                    self.until = ack.next_new;
                }
            }
        }
    }

    fn on_loss(&mut self, _cx: &mut Cx<'_>, _loss: &Loss) {}

    fn begin_message(&mut self) {
        self.until = 0;
    }

    /// The released code's `ChangeRate` moves the next departure with the rate.
    fn retimes(&self) -> bool {
        true
    }

    fn telemetry_bytes(&self) -> Bytes {
        self.telemetry
    }

    fn least_rate(&self) -> Option<Rate> {
        Some(Rate((self.min * 8.0) as u64))
    }

    fn limits(&self) -> Limits {
        limits(self.rate, self.base_rtt, &self.packet)
    }
}

#[cfg(test)]
mod tests {
    use super::super::hops::testing::{ack, context, hop, is_close};
    use super::*;
    use crate::units::Time;

    /// One answer for two samples, at the end of the round trip.
    #[test]
    fn an_answer_once_in_a_round_trip_waits_for_its_end() {
        let config = Config { every: Every::Rtt, ..Config::default() };
        let mut flow = Hpcc::new(&config, &context(100, Span::us(20)));
        ack(&mut flow, Time(1), (1, 250), None, &[hop(0, 500_000, 0)]);
        ack(&mut flow, Time(2), (2, 250), None, &[hop(20_000, 125_000, 250_000)]);
        assert!(is_close(flow.rate, 12.5e9) && is_close(flow.in_flight, 1.5));
        ack(&mut flow, Time(3), (251, 400), None, &[hop(40_000, 125_000, 500_000)]);
        let answer = 12.5e9 / (1.5 / 0.95) + 6.25e6;
        assert!(is_close(flow.rate, answer) && is_close(flow.reference, answer));
    }

    fn flow() -> Hpcc {
        Hpcc::new(&Config::default(), &context(25, Span::ns(28_960)))
    }

    /// PowerTCP spec, acceptance 5.
    #[test]
    fn too_much_in_flight_divides_the_reference() {
        let mut flow = flow();
        flow.in_flight = 1.5;
        assert_eq!(flow.react(), 0);
        assert!((flow.rate * 8.0 - 15.883e9).abs() < 1e6, "{}", flow.rate * 8.0);
    }

    #[test]
    fn five_additive_steps_come_before_a_multiplicative_one() {
        let mut flow = flow();
        (flow.in_flight, flow.reference) = (0.475, 1e9);
        for stage in 0..5 {
            flow.stage = stage;
            assert_eq!(flow.react(), stage + 1);
            assert!(is_close(flow.rate, 1e9 + 6.25e6));
        }
        flow.stage = 5;
        assert_eq!(flow.react(), 0);
        assert!(is_close(flow.rate, 2e9 + 6.25e6), "half of the target");
    }

    /// The queue is the smaller of two, and counts against what a link carries in a round trip.
    #[test]
    fn bytes_in_flight_are_what_is_sent_and_what_waits() {
        let mut flow = Hpcc::new(&Config::default(), &context(100, Span::us(20)));
        ack(&mut flow, Time(1), (1, 250), None, &[hop(0, 500_000, 0)]);
        assert_eq!((flow.rate, flow.until), (12.5e9, 250));
        ack(&mut flow, Time(2), (2, 250), None, &[hop(20_000, 125_000, 250_000)]);
        assert!(is_close(flow.in_flight, 1.5), "{}", flow.in_flight);
        assert!(is_close(flow.reference, 12.5e9), "the round trip has not ended");
        let answer = 12.5e9 / (1.5 / 0.95) + 6.25e6;
        assert!(is_close(flow.rate, answer), "{}", flow.rate);
        ack(&mut flow, Time(3), (251, 400), None, &[hop(40_000, 125_000, 500_000)]);
        assert!(is_close(flow.reference, answer));
    }
}
