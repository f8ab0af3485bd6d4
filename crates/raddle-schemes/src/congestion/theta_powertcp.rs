//! Theta-PowerTCP: PowerTCP's law without telemetry, from round trips and how they change.
//!
//! Addanki, Michel and Schmid, PowerTCP (NSDI 2022), Algorithm 2, by its spec, sections 2.3 and 2.4. It
//! takes the bottleneck to send at its full rate, so it never sees an idle link, and adds up what
//! queues along a path.
//!
//! Reading: ACKs without a round trip, those of packets sent again, move nothing; nor does a loss.

use super::hops::{Counts, Packet, bytes_per_second, limits, seconds, smooth};
use super::powertcp::Profile;
use super::{Ack, CongestionControl, Limits, Loss};
use crate::units::{Bytes, Rate, Span, Time};
use crate::{Card, Cx, FlowContext};

/// What `raddle schemes theta_powertcp` says.
pub const CARD: Card = Card {
    name: "theta_powertcp",
    title: "Theta-PowerTCP",
    paper: "Addanki et al., PowerTCP: Pushing the Performance Limits of Datacenter Networks, NSDI 2022",
    needs: &[],
    summary: "PowerTCP from round trips alone: as good for short flows, worse for long ones. Needs \
              nothing from switches; made for one path.",
};

crate::parameters! {
    /// Parameters of theta-PowerTCP.
    pub struct Config {
        /// `thesis` follows the published algorithm: a new window once per round trip. `ns3` follows
        /// the released code: a new rate at every ACK from that of the last round trip's end, windows
        /// that count payload, rates with a least value, and headers with room for telemetry.
        pub profile: Profile = Profile::Thesis;
        /// The round trip without queues that windows refer to (tau); `auto` is the flow's own. In
        /// `ns3` it falls to the shortest round trip seen.
        pub base_rtt: Option<Span> = None;
        /// The weight of a new window (gamma); `auto` is 0.9 in `thesis` and 0.7 in `ns3`.
        pub gain: Option<f64> = None, in crate::congestion::powertcp::SHARE;
        /// What is added to the rate; in a round trip, beta bytes of window.
        pub increase: Rate = Rate(150_000_000);
        /// Round trips are divided by this many base round trips; `auto` is 1 in `thesis` and 1.05 in
        /// `ns3`.
        pub slack: Option<f64> = None, in crate::congestion::theta_powertcp::SLACK;
        /// The least current, as a share of the bottleneck's rate.
        pub current_floor: f64 = 0.5, in 0.001..=1.0;
        /// The rate never falls below this; `auto` is 100 Mbps in `ns3` and the increase in `thesis`.
        pub min_rate: Option<Rate> = None;
        /// Bytes that telemetry, which nobody reads, takes in each data packet and ACK; `auto` is 0 in
        /// `thesis` and 42 in `ns3`.
        pub telemetry: Option<Bytes> = None;
    }
}

/// How far round trips may exceed the base.
pub(crate) const SLACK: core::ops::RangeInclusive<f64> = 1.0..=100.0;

/// One flow's rate.
#[derive(Clone, Debug)]
pub struct ThetaPowertcp {
    /// In bytes per second, like the others.
    rate: f64,
    /// The rate at the last end of a round trip.
    reference: f64,
    power: f64,
    /// The round trip ends when all below this have arrived.
    until: u32,
    /// The last round trip, and when it was measured.
    last: Option<(Span, Time)>,
    profile: Profile,
    base_rtt: f64,
    gain: f64,
    increase: f64,
    slack: f64,
    floor: f64,
    min: f64,
    max: f64,
    packet: Packet,
    telemetry: Bytes,
}

impl ThetaPowertcp {
    /// The first round trip is at line rate.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let ns3 = config.profile == Profile::Ns3;
        let by_profile = |thesis: f64, code: f64| if ns3 { code } else { thesis };
        let max = bytes_per_second(context.rate);
        let increase = bytes_per_second(config.increase);
        let least = by_profile(increase, bytes_per_second(Rate(100_000_000)));
        Self {
            rate: max,
            reference: max,
            power: 1.0,
            until: 0,
            last: None,
            profile: config.profile,
            base_rtt: seconds(config.base_rtt.unwrap_or(context.base_rtt)).max(1e-12),
            gain: config.gain.unwrap_or(by_profile(0.9, 0.7)),
            increase,
            slack: config.slack.unwrap_or(by_profile(1.0, 1.05)),
            floor: config.current_floor,
            min: config.min_rate.map_or(least, bytes_per_second).min(max),
            max,
            packet: Packet::of(context, if ns3 { Counts::Payload } else { Counts::Wire }),
            telemetry: config.telemetry.unwrap_or(Bytes(if ns3 { 42 } else { 0 })),
        }
    }

    /// Takes note of a round trip `span` seconds after the last, `before`.
    fn measure(&mut self, rtt: f64, before: f64, span: f64) {
        let current = ((rtt - before) / span + 1.0).max(self.floor);
        let sample = current * rtt / (self.slack * self.base_rtt);
        self.power = smooth(self.power, sample, span, self.base_rtt);
    }

    fn react(&mut self) {
        let present = match self.profile {
            Profile::Thesis => self.rate,
            Profile::Ns3 => self.reference,
        };
        let aim = self.reference / self.power + self.increase;
        let rate = self.gain * aim + (1.0 - self.gain) * present;
        self.rate = rate.clamp(self.min, self.max);
    }
}

impl CongestionControl for ThetaPowertcp {
    fn on_ack(&mut self, cx: &mut Cx<'_>, ack: &Ack<'_>) {
        let Some(rtt) = ack.rtt else { return };
        if self.profile == Profile::Ns3 {
            self.base_rtt = self.base_rtt.min(seconds(rtt)).max(1e-12);
        }
        let Some((before, at)) = self.last else {
            self.last = Some((rtt, cx.now));
            return;
        };
        if at >= cx.now {
            return;
        }
        self.measure(seconds(rtt), seconds(before), seconds(cx.now - at));
        self.last = Some((rtt, cx.now));
        let ended = match self.profile {
            Profile::Thesis => ack.cumulative >= self.until,
            Profile::Ns3 => ack.cumulative > self.until,
        };
        if ended || self.profile == Profile::Ns3 {
            self.react();
        }
        if ended {
            self.reference = self.rate;
            self.until = ack.next_new;
        }
    }

    fn on_loss(&mut self, _cx: &mut Cx<'_>, _loss: &Loss) {}

    fn begin_message(&mut self) {
        self.until = 0;
    }

    fn telemetry_bytes(&self) -> Bytes {
        self.telemetry
    }

    fn limits(&self) -> Limits {
        limits(self.rate, self.base_rtt, &self.packet)
    }
}

#[cfg(test)]
mod tests {
    use super::super::hops::testing::{ack, context, is_close};
    use super::*;

    fn flow(profile: Profile) -> ThetaPowertcp {
        let config = Config { profile, ..Config::default() };
        ThetaPowertcp::new(&config, &context(100, Span::us(20)))
    }

    /// PowerTCP spec, acceptance 4.
    #[test]
    fn power_is_the_gradient_and_the_round_trip() {
        let mut own = flow(Profile::Thesis);
        own.measure(26e-6, 24e-6, 4e-6);
        assert!(is_close(own.power, 1.19), "a sample of 1.95: {}", own.power);
        let mut full = flow(Profile::Thesis);
        full.measure(26e-6, -16e-6, 84e-6);
        assert!(is_close(full.power, 1.95), "{}", full.power);
        let mut calm = flow(Profile::Thesis);
        calm.measure(20e-6, 20e-6, 4e-6);
        assert!(is_close(calm.power, 1.0));
    }

    #[test]
    fn the_published_form_answers_once_per_round_trip_and_the_code_at_every_ack() {
        for (profile, moves) in [(Profile::Thesis, false), (Profile::Ns3, true)] {
            let mut own = flow(profile);
            ack(&mut own, Time(20_000_000), (1, 250), Some(Span::us(20)), &[]);
            let full = own.limits();
            assert_eq!(own.until, 0, "the first round trip is only kept");
            ack(&mut own, Time(21_000_000), (2, 250), Some(Span::us(21)), &[]);
            let (first, reference) = (own.limits(), own.reference);
            assert!(first.window < full.window && is_close(reference, own.rate));
            ack(&mut own, Time(22_000_000), (3, 251), Some(Span::us(24)), &[]);
            assert_eq!(own.limits() != first, moves);
            assert!(is_close(own.reference, reference), "committed once per round trip");
        }
    }

    /// Spec 2.4: 0.7, 1.05, and the floor of the current.
    #[test]
    fn the_released_code_has_its_own_constants() {
        let mut own = flow(Profile::Ns3);
        own.measure(21e-6, 21e-6, 20e-6);
        assert!(is_close(own.power, 1.0), "{}", own.power);
        own.measure(21e-6, 41e-6, 20e-6);
        assert!(is_close(own.power, 0.5), "{}", own.power);
        own.power = 2.0;
        own.react();
        assert!(is_close(own.rate, 0.7 * (6.25e9 + 18.75e6) + 0.3 * 12.5e9), "{}", own.rate);
        assert_eq!(
            (own.telemetry_bytes(), flow(Profile::Thesis).telemetry_bytes().0),
            (Bytes(42), 0)
        );
    }
}
