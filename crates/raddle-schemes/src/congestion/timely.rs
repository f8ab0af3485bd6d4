//! TIMELY: the rate follows the gradient of the round trip.
//!
//! Mittal et al., TIMELY: RTT-based Congestion Control for the Datacenter (SIGCOMM 2015), Algorithm 1, in
//! the form of the code that PowerTCP's evaluation runs (PowerTCP spec, section 4): once per round
//! trip, with the thresholds asked first. A new rate leaves the packet that waits for its pace where it
//! is, as in that code: the next one's interval is the first to have it.
//!
//! Reading: the paper has no window; the incasts of PowerTCP's scripts give every scheme one of a BDP,
//! hence `window`. A round trip is that of the ACK that ends it; ACKs without one move nothing. Packets
//! carry the time at which they were sent, and ACKs bring it back, as in that code: 8 B of each.

use super::{Ack, CongestionControl, Limits, Loss};
use crate::family::Conflict;
use crate::probe::Probes;
use crate::size::{SOME, Size};
use crate::units::{Bytes, Rate, Span};
use crate::{Card, Cx, FlowContext};
use alloc::vec;
use alloc::vec::Vec;
use serde::Serialize;

/// What `raddle schemes timely` says.
pub const CARD: Card = Card {
    name: "timely",
    title: "TIMELY",
    paper: "Mittal et al., TIMELY: RTT-based Congestion Control for the Datacenter, SIGCOMM 2015",
    needs: &[],
    summary: "Paces by how round trips change. Needs nothing from switches; does not control the queue.",
};

crate::parameters! {
    /// Parameters of TIMELY.
    pub struct Config {
        /// The round trip that gradients refer to.
        pub min_rtt: Span = Span::us(20);
        /// The rate grows while the round trip is shorter than this (T_low).
        pub low: Span = Span::us(50);
        /// Beyond this it falls, whatever the gradient (T_high).
        pub high: Span = Span::us(500);
        /// The weight of a new difference of round trips (alpha).
        pub weight: f64 = 0.875, in 0.001..=1.0;
        /// How strongly the rate falls (beta).
        pub decrease: f64 = 0.8, in 0.0..=1.0;
        /// What is added to the rate (delta).
        pub increase: Rate = Rate(50_000_000);
        /// What is added instead after so many additions in a row (hyperactive increase).
        pub fast_increase: Rate = Rate(100_000_000);
        /// So many.
        pub fast_after: u32 = 5, in 1..=1000;
        /// The rate never falls below this.
        pub min_rate: Rate = Rate(100_000_000);
        /// At most so much in flight.
        pub window: Size = Size::Unlimited, in SOME;
        /// Bytes that the time of sending takes in each data packet and each ACK.
        pub timestamp: Bytes = Bytes(8);
    }
    conflicts by conflicts
}

fn conflicts(config: &Config) -> Vec<Conflict> {
    if config.low > config.high { vec![Conflict::Exceeds("low", "high")] } else { Vec::new() }
}

/// One flow's rate.
#[derive(Clone, Debug, Serialize)]
pub struct Timely {
    /// Bits per second.
    rate: f64,
    last: Option<Span>,
    /// The smoothed difference of round trips, in picoseconds.
    difference: f64,
    /// Additions in a row.
    additions: u32,
    /// The round trip ends when all below this have arrived.
    until: u32,
    max: f64,
    window: Bytes,
    #[serde(skip)]
    config: Config,
}

impl Timely {
    /// At line rate.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let max = context.rate.0 as f64;
        let window = config.window.resolve(&context.sizes()).max(context.packet());
        Self {
            rate: max,
            last: None,
            difference: 0.0,
            additions: 0,
            until: 0,
            max,
            window,
            config: config.clone(),
        }
    }

    /// A round trip has ended, with this length; Algorithm 1.
    fn update(&mut self, rtt: Span, last: Span) {
        let config = &self.config;
        let own = rtt.0 as f64;
        let new = own - last.0 as f64;
        self.difference = (1.0 - config.weight) * self.difference + config.weight * new;
        let gradient = self.difference / config.min_rtt.0.max(1) as f64;
        let factor = if rtt < config.low {
            None
        } else if rtt > config.high {
            Some(1.0 - config.decrease * (1.0 - config.high.0 as f64 / own))
        } else if gradient <= 0.0 {
            None
        } else {
            Some((1.0 - config.decrease * gradient).max(0.0))
        };
        let rate = match factor {
            Some(factor) => {
                self.additions = 0;
                self.rate * factor
            }
            None => {
                self.additions = self.additions.saturating_add(1);
                let fast = self.additions > config.fast_after;
                self.rate + if fast { config.fast_increase.0 } else { config.increase.0 } as f64
            }
        };
        self.rate = rate.max(config.min_rate.0 as f64).min(self.max);
    }
}

impl CongestionControl for Timely {
    fn probes(&self, to: &mut dyn Probes) {
        to.number("gradient_us", self.difference / 1e6);
        to.count("additions_in_a_row", self.additions.into());
    }

    fn on_ack(&mut self, _cx: &mut Cx<'_>, ack: &Ack<'_>) {
        let Some(rtt) = ack.rtt else { return };
        if ack.cumulative <= self.until {
            return;
        }
        self.until = ack.next_new;
        if let Some(last) = self.last.replace(rtt) {
            self.update(rtt, last);
        }
    }

    fn on_loss(&mut self, _cx: &mut Cx<'_>, _loss: &Loss) {}

    fn begin_message(&mut self) {
        self.until = 0;
    }

    fn telemetry_bytes(&self) -> Bytes {
        self.config.timestamp
    }

    fn least_rate(&self) -> Option<Rate> {
        Some(Rate((self.config.min_rate.0 as f64).min(self.max) as u64))
    }

    fn limits(&self) -> Limits {
        Limits { window: self.window, rate: Some(Rate((self.rate as u64).max(1))) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::hops::testing::{ack, context, is_close};
    use super::*;
    use crate::units::Time;

    fn flow() -> Timely {
        Timely::new(&Config::default(), &context(25, Span::us(29)))
    }

    /// PowerTCP spec, acceptance 7.
    #[test]
    fn the_rate_falls_with_the_gradient_and_beyond_the_high_threshold() {
        let mut own = flow();
        own.update(Span::us(60), Span::us(58));
        assert!(is_close(own.rate, 25e9 * 0.93), "{}", own.rate);
        let mut own = flow();
        own.update(Span::ms(1), Span::ms(1));
        assert!(is_close(own.rate, 25e9 * 0.6), "{}", own.rate);
    }

    #[test]
    fn five_additions_in_a_row_make_the_next_ones_fast() {
        let mut own = flow();
        own.rate = 1e9;
        (0..5).for_each(|_| own.update(Span::us(29), Span::us(29)));
        assert!(is_close(own.rate, 1.25e9), "{}", own.rate);
        own.update(Span::us(29), Span::us(29));
        assert!(is_close(own.rate, 1.35e9), "{}", own.rate);
    }

    #[test]
    fn it_answers_once_per_round_trip() {
        let mut own = flow();
        ack(&mut own, Time(1), (1, 90), Some(Span::us(58)), &[]);
        assert_eq!(own.limits().rate, Some(Rate::gbps(25)));
        ack(&mut own, Time(2), (2, 91), Some(Span::us(400)), &[]);
        assert_eq!(own.limits().rate, Some(Rate::gbps(25)));
        ack(&mut own, Time(3), (91, 180), Some(Span::us(60)), &[]);
        assert_eq!(own.limits().rate, Some(Rate::gbps(25).scaled(0.93)));
    }
}
