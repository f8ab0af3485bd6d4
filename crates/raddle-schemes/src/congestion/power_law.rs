//! PowerTCP's law, whatever measures the power: the rate of a round trip ago over the power that it
//! met, and a little more (Algorithms 1 and 2, UPDATEWINDOW and UPDATEOLD).

use super::Limits;
use super::hops::{Counts, Packet, bytes_per_second, limits, seconds, smooth};
use crate::FlowContext;
use crate::probe::Probes;
use crate::units::{Rate, Span};
use serde::Serialize;

crate::words! {
    /// Which of the two published forms of an algorithm runs.
    pub enum Profile {
        /// As the thesis has it.
        Thesis = "thesis",
        /// As the released code has it.
        Ns3 = "ns3",
    }
}

/// One flow's rate. Rates are bytes per second, times seconds.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PowerLaw {
    pub(super) rate: f64,
    /// The rate at the last end of a round trip.
    pub(super) reference: f64,
    /// Smoothed power, in multiples of what is meant.
    pub(super) power: f64,
    /// The round trip ends when all below this have arrived.
    pub(super) until: u32,
    pub(super) profile: Profile,
    pub(super) base_rtt: f64,
    pub(super) gain: f64,
    pub(super) increase: f64,
    pub(super) min: f64,
    pub(super) max: f64,
    packet: Packet,
}

impl PowerLaw {
    /// The first round trip is at line rate. What is `None` is the flow's own, or the profile's.
    pub(super) fn new(
        profile: Profile,
        context: &FlowContext,
        base_rtt: Option<Span>,
        gain: f64,
        (increase, min_rate): (Rate, Option<Rate>),
    ) -> Self {
        let max = bytes_per_second(context.rate);
        let increase = bytes_per_second(increase);
        let (counts, least) = match profile {
            Profile::Thesis => (Counts::Wire, increase),
            Profile::Ns3 => (Counts::Payload, bytes_per_second(Rate(100_000_000))),
        };
        Self {
            rate: max,
            reference: max,
            power: 1.0,
            until: 0,
            profile,
            base_rtt: seconds(base_rtt.unwrap_or(context.base_rtt)).max(1e-12),
            gain,
            increase,
            min: min_rate.map_or(least, bytes_per_second).min(max),
            max,
            packet: Packet::of(context, counts),
        }
    }

    /// A sample of power that stands for `span`.
    pub(super) fn take(&mut self, sample: f64, span: f64) {
        self.power = smooth(self.power, sample, span, self.base_rtt);
    }

    /// The rate that the power now asks for, where `target` of it is meant.
    pub(super) fn react(&mut self, target: f64) {
        let present = match self.profile {
            Profile::Thesis => self.rate,
            Profile::Ns3 => self.reference,
        };
        let aim = self.reference / (self.power / target) + self.increase;
        let rate = self.gain * aim + (1.0 - self.gain) * present;
        self.rate = rate.clamp(self.min, self.max);
    }

    /// A round trip has ended; the next does when all below `until` have arrived.
    pub(super) fn end_round(&mut self, until: u32) {
        self.reference = self.rate;
        self.until = until;
    }

    pub(super) fn probes(&self, to: &mut dyn Probes) {
        to.number("power", self.power);
        to.rate("reference_rate", Rate((self.reference * 8.0) as u64));
    }

    pub(super) fn limits(&self) -> Limits {
        limits(self.rate, self.base_rtt, &self.packet)
    }
}
