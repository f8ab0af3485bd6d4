//! Theta-PowerTCP: PowerTCP's law without telemetry, from round trips and how they change.
//!
//! Addanki, Michel and Schmid, PowerTCP (NSDI 2022), Algorithm 2, by its spec, sections 2.3 and 2.4. It
//! takes the bottleneck to send at its full rate, so it never sees an idle link, and adds up what
//! queues along a path. A new rate moves the packet that waits for its pace, as in the released code.
//!
//! Reading:
//! - ACKs without a round trip, those of packets sent again, move nothing; nor does a loss.
//! - The first round trip is only kept. The released code compares it with one that nobody has set and
//!   whose value is undefined.

use super::hops::seconds;
use super::power_law::{PowerLaw, Profile};
use super::{Ack, CongestionControl, Limits, Loss};
use crate::probe::Probes;
use crate::units::{Bytes, Rate, Span, Time};
use crate::{Card, Cx, FlowContext};
use serde::Serialize;

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
#[derive(Clone, Debug, Serialize)]
pub struct ThetaPowertcp {
    law: PowerLaw,
    /// The last round trip, and when it was measured.
    last: Option<(Span, Time)>,
    slack: f64,
    floor: f64,
    telemetry: Bytes,
}

impl ThetaPowertcp {
    /// The first round trip is at line rate.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let Config { profile, base_rtt, increase, min_rate, .. } = *config;
        let (gain, slack, telemetry) = match profile {
            Profile::Thesis => (0.9, 1.0, 0),
            Profile::Ns3 => (0.7, 1.05, 42),
        };
        let gain = config.gain.unwrap_or(gain);
        Self {
            law: PowerLaw::new(profile, context, base_rtt, gain, (increase, min_rate)),
            last: None,
            slack: config.slack.unwrap_or(slack),
            floor: config.current_floor,
            telemetry: config.telemetry.unwrap_or(Bytes(telemetry)),
        }
    }

    /// Takes note of a round trip `span` seconds after the last, `before`.
    fn measure(&mut self, rtt: f64, before: f64, span: f64) {
        let current = ((rtt - before) / span + 1.0).max(self.floor);
        let sample = current * rtt / (self.slack * self.law.base_rtt);
        self.law.take(sample, span);
    }
}

impl CongestionControl for ThetaPowertcp {
    fn probes(&self, to: &mut dyn Probes) {
        self.law.probes(to);
    }

    fn on_ack(&mut self, cx: &mut Cx<'_>, ack: &Ack<'_>) {
        let Some(rtt) = ack.rtt else { return };
        if self.law.profile == Profile::Ns3 {
            self.law.base_rtt = self.law.base_rtt.min(seconds(rtt)).max(1e-12);
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
        let ended = match self.law.profile {
            Profile::Thesis => ack.cumulative >= self.law.until,
            Profile::Ns3 => ack.cumulative > self.law.until,
        };
        if ended || self.law.profile == Profile::Ns3 {
            self.law.react(1.0);
        }
        if ended {
            self.law.end_round(ack.next_new);
        }
    }

    fn on_loss(&mut self, _cx: &mut Cx<'_>, _loss: &Loss) {}

    fn begin_message(&mut self) {
        self.law.until = 0;
    }

    /// The released code's `ChangeRate` moves the next departure with the rate.
    fn retimes(&self) -> bool {
        true
    }

    fn telemetry_bytes(&self) -> Bytes {
        self.telemetry
    }

    fn least_rate(&self) -> Option<Rate> {
        Some(Rate((self.law.min * 8.0) as u64))
    }

    fn limits(&self) -> Limits {
        self.law.limits()
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
        assert!(is_close(own.law.power, 1.19), "a sample of 1.95: {}", own.law.power);
        let mut full = flow(Profile::Thesis);
        full.measure(26e-6, -16e-6, 84e-6);
        assert!(is_close(full.law.power, 1.95), "{}", full.law.power);
        let mut calm = flow(Profile::Thesis);
        calm.measure(20e-6, 20e-6, 4e-6);
        assert!(is_close(calm.law.power, 1.0));
    }

    #[test]
    fn the_published_form_answers_once_per_round_trip_and_the_code_at_every_ack() {
        for (profile, moves) in [(Profile::Thesis, false), (Profile::Ns3, true)] {
            let mut own = flow(profile);
            ack(&mut own, Time(20_000_000), (1, 250), Some(Span::us(20)), &[]);
            let full = own.limits();
            assert_eq!(own.law.until, 0, "the first round trip is only kept");
            ack(&mut own, Time(21_000_000), (2, 250), Some(Span::us(21)), &[]);
            let (first, reference) = (own.limits(), own.law.reference);
            assert!(first.window < full.window && is_close(reference, own.law.rate));
            ack(&mut own, Time(22_000_000), (3, 251), Some(Span::us(24)), &[]);
            assert_eq!(own.limits() != first, moves);
            assert!(is_close(own.law.reference, reference), "committed once per round trip");
        }
    }

    /// Spec 2.4: 0.7, 1.05, and the floor of the current.
    #[test]
    fn the_released_code_has_its_own_constants() {
        let mut own = flow(Profile::Ns3);
        own.measure(21e-6, 21e-6, 20e-6);
        assert!(is_close(own.law.power, 1.0), "{}", own.law.power);
        own.measure(21e-6, 41e-6, 20e-6);
        assert!(is_close(own.law.power, 0.5), "{}", own.law.power);
        own.law.power = 2.0;
        own.law.react(1.0);
        assert!(
            is_close(own.law.rate, 0.7 * (6.25e9 + 18.75e6) + 0.3 * 12.5e9),
            "{}",
            own.law.rate
        );
        assert_eq!(
            (own.telemetry_bytes(), flow(Profile::Thesis).telemetry_bytes().0),
            (Bytes(42), 0)
        );
    }
}
