//! PowerTCP: the window follows power, the product of what arrives at the bottleneck and of what is in
//! front of it, from the telemetry that ACKs echo.
//!
//! Addanki, Michel and Schmid, PowerTCP: Pushing the Performance Limits of Datacenter Networks (NSDI
//! 2022), Algorithm 1, by its spec, sections 2.2, 2.4 and 2.5. State is a rate; the window is what it
//! carries in `base_rtt`. Two profiles: `thesis` is the published algorithm, `ns3` the released code.
//! A new rate moves the packet that waits for its pace, as in that code; the text does not say.
//!
//! Reading, where the sources are silent or unsafe (spec 2.5):
//! - The first ACK of a path is only stored: there is nothing to compare with. The released code compares
//!   the first one of a flow with a record that nobody has set: in place of what the last round trip did
//!   at a hop stands what the clock and the count of its header show, for the whole round trip, and what
//!   comes of it is the flow's reference (`first_ack = "counted"`).
//! - A hop whose record is not younger than the one before is passed over.
//! - The current of a hop counts as `current_floor` of its rate at least, so that a queue that drains
//!   unfed does not divide by nothing. Where the rate of its link has changed that does not hold, and
//!   the new sample replaces what was smoothed.
//! - A loss changes nothing: the fabrics of the paper lose nothing.

pub use super::hops::Every;
use super::hops::{Change, HopMemory, Told, beside_nothing};
use super::power_law::PowerLaw;
pub use super::power_law::Profile;
use super::{Ack, CongestionControl, Limits, Loss};
use crate::probe::Probes;
use crate::size::{SOME, Size};
use crate::units::{Bytes, Rate, Span};
use crate::{Card, Cx, FlowContext, Need};
use serde::Serialize;

/// What `raddle schemes powertcp` says.
pub const CARD: Card = Card {
    name: "powertcp",
    title: "PowerTCP",
    paper: "Addanki et al., PowerTCP: Pushing the Performance Limits of Datacenter Networks, NSDI 2022",
    needs: &[Need::Telemetry],
    summary: "Brings the bottleneck back to an almost empty queue in one round trip. Needs telemetry \
              from switches; made for one path.",
};

crate::words! {
    /// What a flow does with the telemetry of its first ACK.
    pub enum FirstAck {
        /// It is kept, to compare the next one with.
        Stored = "stored",
        /// It is compared with a record of nothing, too.
        Counted = "counted",
    }
}

crate::parameters! {
    /// Parameters of PowerTCP.
    pub struct Config {
        /// `thesis` follows the published algorithm: the window of a round trip ago, averaged with the
        /// present one at every ACK. `ns3` follows the released code: both are the rate of the last
        /// round trip's end, windows count payload, and rates have a least value.
        pub profile: Profile = Profile::Thesis;
        /// The round trip without queues that windows refer to (tau); the paper takes the longest of
        /// the fabric for all flows. `auto` is the flow's own.
        pub base_rtt: Option<Span> = None;
        /// The weight of a new window (gamma).
        pub gain: f64 = 0.9, in 0.01..=1.0;
        /// What is added to the rate; in a round trip, beta bytes of window.
        pub increase: Rate = Rate(150_000_000);
        /// Power is divided by this, the share of the link that the scheme means to fill; `auto` is 1
        /// in `thesis` and 0.95 in `ns3`.
        pub target: Option<f64> = None, in crate::congestion::powertcp::SHARE;
        /// The least current of a hop, as a share of its rate.
        pub current_floor: f64 = 0.5, in 0.001..=1.0;
        /// The rate never falls below this; `auto` is 100 Mbps in `ns3` and the increase in `thesis`,
        /// below which its window does not fall by itself.
        pub min_rate: Option<Rate> = None;
        /// What a flow does with its first ACK: `stored`, it only keeps its telemetry to compare the next
        /// with, or `counted`, it compares it with a record of nothing, as the released code does, so that
        /// a new flow can brake at once. `auto` is `stored` in `thesis` and `counted` in `ns3`.
        pub first_ack: Option<FirstAck> = None;
        /// What may be in flight before the first ACK has told of hops; `auto`: what the rate of the link
        /// gives in a base round trip. The released programs let a whole answer go.
        pub initial_window: Option<Size> = None, in SOME => quiet;
        /// When the window moves: at each `ack`, or once in each `rtt`, as in the text's case study of
        /// circuits.
        pub every: Every = Every::Ack => quiet;
        /// Bytes that telemetry takes in each data packet and each ACK: 8 for each of 5 hops, and 2.
        pub telemetry: Bytes = Bytes(42);
    }
}

/// A share that a parameter may leave to the profile.
pub(crate) const SHARE: core::ops::RangeInclusive<f64> = 0.01..=1.0;

/// One flow's rate.
#[derive(Clone, Debug, Serialize)]
pub struct Powertcp {
    law: PowerLaw,
    memory: HopMemory,
    target: f64,
    floor: f64,
    first_ack: FirstAck,
    initial_window: Option<Bytes>,
    every: Every,
    telemetry: Bytes,
}

impl Powertcp {
    /// The first round trip is at line rate.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let Config { profile, base_rtt, gain, increase, min_rate, .. } = *config;
        let (target, first_ack) = match profile {
            Profile::Thesis => (1.0, FirstAck::Stored),
            Profile::Ns3 => (0.95, FirstAck::Counted),
        };
        Self {
            law: PowerLaw::new(profile, context, base_rtt, gain, (increase, min_rate)),
            memory: HopMemory::new(),
            target: config.target.unwrap_or(target),
            floor: config.current_floor,
            first_ack: config.first_ack.unwrap_or(first_ack),
            initial_window: config
                .initial_window
                .map(|size| size.resolve(&context.sizes()).max(context.packet())),
            every: config.every,
            telemetry: config.telemetry,
        }
    }

    /// The normalised power of a hop (Algorithm 1, NORMPOWER), whose current is at least `floor` of its
    /// rate.
    fn power_of(profile: Profile, floor: f64, base_rtt: f64, hop: &Change) -> f64 {
        let current = match profile {
            Profile::Thesis => (hop.queue - hop.queue_before + hop.sent) / hop.span,
            // Spec 2.4: the code's switches count what joins the port.
            Profile::Ns3 => hop.entered / hop.span,
        };
        let floor = if hop.rate_changed { 0.0 } else { floor };
        let voltage = 1.0 + hop.queue / (hop.rate * base_rtt);
        ((current / hop.rate).max(floor) * voltage).max(f64::MIN_POSITIVE)
    }
}

impl CongestionControl for Powertcp {
    fn probes(&self, to: &mut dyn Probes) {
        self.law.probes(to);
    }

    fn on_ack(&mut self, _cx: &mut Cx<'_>, ack: &Ack<'_>) {
        let (profile, floor, base_rtt) = (self.law.profile, self.floor, self.law.base_rtt);
        // The hop with the most power decides, and its records say for how long.
        let (mut most, mut span, mut changed) = (0.0, 0.0, false);
        let mut each = |hop: &Change| {
            let power = Self::power_of(profile, floor, base_rtt, hop);
            if power > most {
                (most, span) = (power, hop.span);
            }
            changed |= hop.rate_changed;
        };
        let counts = self.first_ack == FirstAck::Counted && self.memory.is_empty();
        let told = self.memory.compare(ack.hops, &mut each);
        if told == Told::Nothing {
            return;
        }
        if counts {
            ack.hops.iter().filter_map(beside_nothing).for_each(|hop| each(&hop));
        }
        let ends = ack.cumulative > self.law.until;
        if most > 0.0 {
            if changed {
                self.law.power = most;
            } else {
                self.law.take(most, span);
            }
            if ends || self.every == Every::Ack {
                self.law.react(self.target);
            }
        }
        // UPDATEOLD: once per round trip.
        if ends {
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
        let limits = self.law.limits();
        match self.initial_window {
            Some(window) if self.memory.is_empty() => Limits { window, ..limits },
            _ => limits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::hops::smooth;
    use super::super::hops::testing::{ack, context, hop, is_close};
    use super::*;
    use crate::congestion::Hop;
    use crate::units::Time;

    const TAU: Span = Span::us(20);

    fn flow(profile: Profile) -> Powertcp {
        let config = Config { profile, increase: Rate::gbps(1), ..Config::default() };
        Powertcp::new(&config, &context(100, TAU))
    }

    /// The power between two records.
    fn power(profile: Profile, before: Hop, after: Hop) -> f64 {
        let flow = flow(profile);
        let mut power = 0.0;
        let mut memory = HopMemory::new();
        assert_eq!(memory.compare(&[before], |_| ()), Told::NewPath);
        let (floor, base_rtt) = (flow.floor, flow.law.base_rtt);
        let mut take = |hop: &Change| power = Powertcp::power_of(profile, floor, base_rtt, hop);
        assert_eq!(memory.compare(&[after], &mut take), Told::Change);
        power
    }

    #[test]
    fn the_window_before_the_first_ack_may_be_a_whole_answer() {
        let config =
            Config { initial_window: Some(Size::Bytes(Bytes(1_000_000))), ..Config::default() };
        let mut flow = Powertcp::new(&config, &context(100, TAU));
        assert_eq!(flow.limits().window, Bytes(1_000_000));
        assert_eq!(flow.limits().rate, Some(Rate::gbps(100)));
        ack(&mut flow, Time(1), (1, 250), None, &[hop(1000, 0, 0)]);
        let own = Powertcp::new(&Config::default(), &context(100, TAU));
        assert_eq!(flow.limits().window, own.limits().window);
    }

    /// Spec, acceptance 1: 100 Gbps, 20 us.
    #[test]
    fn power_is_current_times_voltage() {
        for profile in [Profile::Thesis, Profile::Ns3] {
            for (queues, sent, expected) in [
                ((0, 0), 12_500, 1.0),
                ((0, 0), 6_250, 0.5),
                ((125_000, 125_000), 12_500, 1.5),
                ((0, 12_500), 12_500, 2.1),
                ((125_000, 118_750), 12_500, 0.7375),
            ] {
                let got = power(profile, hop(1000, queues.0, 0), hop(2000, queues.1, sent));
                assert!(is_close(got, expected), "{got} for {expected}");
            }
        }
    }

    /// Acceptance 2.
    #[test]
    fn a_sample_weighs_as_long_as_it_stands_for() {
        let at = |us: f64| smooth(1.0, 2.1, us * 1e-6, 20e-6);
        assert!(is_close(at(4.0), 1.22) && is_close(at(20.0), 2.1) && is_close(at(70.0), 2.1));
    }

    /// Acceptance 3.
    #[test]
    fn the_window_is_the_one_of_a_round_trip_ago_over_power() {
        let mut flow = flow(Profile::Thesis);
        (flow.law.reference, flow.law.rate, flow.law.power) =
            (250_000.0 / 20e-6, 240_000.0 / 20e-6, 1.22);
        flow.law.react(flow.target);
        assert!((flow.law.rate * 20e-6 - 210_676.2).abs() < 0.05, "{}", flow.law.rate * 20e-6);
        assert!(is_close(flow.law.rate * 8.0, 84.270_492e9), "{}", flow.law.rate * 8.0);
        assert_eq!(flow.limits().window, Bytes(210_677 + 999));
    }

    /// Acceptance 5.
    #[test]
    fn the_released_code_divides_by_its_target_and_keeps_a_reference() {
        let tau = Span::ns(28_960);
        let config = Config { profile: Profile::Ns3, ..Config::default() };
        let mut flow = Powertcp::new(&config, &context(25, tau));
        flow.law.power = smooth(1.0, 2.0, 14.48e-6, 28.96e-6);
        assert!(is_close(flow.law.power, 1.5));
        flow.law.react(flow.target);
        assert!(is_close(flow.law.rate * 8.0, 16.885e9), "{}", flow.law.rate * 8.0);
        assert_eq!((flow.law.rate * 28.96e-6) as u64, 61_123);
        // A second answer within the round trip does not compound.
        flow.law.react(flow.target);
        assert!(is_close(flow.law.rate * 8.0, 16.885e9));
    }

    /// Acceptance 6: one bottleneck, W = 11 BDP, no increase.
    #[test]
    fn one_update_leads_the_whole_window_to_the_bdp() {
        let mut flow = flow(Profile::Thesis);
        flow.law.increase = 0.0;
        flow.law.power = 11.0;
        (flow.law.reference, flow.law.rate, flow.law.max) = (11.0, 11.0, 100.0);
        flow.law.min = 0.0;
        flow.law.react(flow.target);
        assert!(is_close(flow.law.rate, 2.0), "0.9 BDP + 0.1 W: {}", flow.law.rate);
        (flow.law.reference, flow.law.power) = (2.0, 2.0);
        flow.law.react(flow.target);
        assert!(is_close(flow.law.rate, 1.1), "{}", flow.law.rate);
    }

    /// Spec 2.5 and 10.2: 100 Gbps, 20 us.
    #[test]
    fn the_released_code_counts_the_first_ack_beside_a_record_of_nothing() {
        let first = |first_ack, ms: u64, queue: u64, entered: u64| {
            let config = Config { profile: Profile::Ns3, first_ack, ..Config::default() };
            let mut flow = Powertcp::new(&config, &context(100, TAU));
            let record = Hop { entered: Bytes(entered), ..hop(ms * 1_000_000, queue, 0) };
            ack(&mut flow, Time(ms * 1_000_000_000), (1, 250), None, &[record]);
            assert_eq!(flow.law.until, 250);
            (flow.law.power, flow.law.reference * 8.0)
        };
        // 10 MB in 1 ms are 0.8 of the link; half a BDP waits. The floor is a half.
        let (power, reference) = first(None, 1, 125_000, 10_000_000);
        assert!(is_close(power, 0.8 * 1.5), "{power}");
        let answer = 0.9 * (100e9 * 0.95 / 1.2 + 0.15e9) + 10e9;
        assert!(is_close(reference, answer), "committed as the round's: {reference}");
        assert!(is_close(first(None, 1, 125_000, 1_000_000).0, 0.75));
        assert_eq!(first(Some(FirstAck::Stored), 1, 125_000, 10_000_000), (1.0, 100e9));
        // The clock has gone round after 16.777216 ms, the count after 134,217,728 B.
        let (power, _) = first(None, 17, 0, 134_217_728 + 2_000_000);
        assert!(is_close(power, 2_000_000.0 / 0.222784e-3 / 12.5e9), "{power}");
    }

    #[test]
    fn the_text_counts_no_first_ack_unless_it_is_told_to() {
        let power = |first_ack| {
            let config = Config { first_ack, ..Config::default() };
            let mut flow = Powertcp::new(&config, &context(100, TAU));
            ack(&mut flow, Time(1), (1, 250), None, &[hop(1_000_000, 125_000, 9_875_000)]);
            flow.law.power
        };
        assert_eq!(power(None), 1.0);
        // What has left and what waits came in.
        assert!(is_close(power(Some(FirstAck::Counted)), 0.8 * 1.5));
    }

    #[test]
    fn the_first_ack_and_a_new_path_are_only_stored() {
        let mut flow = flow(Profile::Thesis);
        let full = flow.limits();
        ack(&mut flow, Time(1), (1, 250), None, &[hop(1000, 500_000, 0)]);
        assert_eq!((flow.limits(), flow.law.until), (full, 250));
        let other = Hop { port: crate::ids::PortId(8), ..hop(2000, 500_000, 12_500) };
        ack(&mut flow, Time(2), (2, 250), None, &[other]);
        assert_eq!(flow.limits(), full);
        let next = Hop { at: Time(22_000_000), sent: Bytes(262_500), ..other };
        ack(&mut flow, Time(3), (3, 251), None, &[next]);
        assert!(flow.limits().window.0 < full.window.0 / 2, "the queue is two BDP");
        let before = flow.limits();
        ack(&mut flow, Time(4), (3, 251), None, &[next]);
        assert_eq!(flow.limits(), before, "nothing has passed since");
    }

    /// Two samples, one answer: the window of the last round trip's end over the power by then.
    #[test]
    fn an_answer_once_in_a_round_trip_waits_for_its_end() {
        let config = Config { every: Every::Rtt, increase: Rate::gbps(1), ..Config::default() };
        let mut flow = Powertcp::new(&config, &context(100, TAU));
        let full = flow.limits();
        ack(&mut flow, Time(1), (1, 250), None, &[hop(0, 250_000, 0)]);
        ack(&mut flow, Time(2), (2, 250), None, &[hop(20_000, 250_000, 250_000)]);
        assert_eq!(flow.limits(), full);
        assert!(is_close(flow.law.power, 2.0), "{}", flow.law.power);
        ack(&mut flow, Time(3), (251, 500), None, &[hop(40_000, 250_000, 500_000)]);
        let answer = 0.9 * (12.5e9 / 2.0 + 0.125e9) + 0.1 * 12.5e9;
        assert!(is_close(flow.law.rate, answer), "{}", flow.law.rate);
        assert!(is_close(flow.law.reference, answer));
    }

    /// Spec 2.5 and acceptance 15: 25 Gbps arrive on a link that is now 100 Gbps.
    #[test]
    fn a_changed_rate_lifts_the_floor_and_replaces_the_average() {
        let mut flow = flow(Profile::Thesis);
        (flow.law.increase, flow.law.max) = (0.0, f64::MAX);
        let slow = Hop { rate: Rate::gbps(25), ..hop(0, 0, 0) };
        ack(&mut flow, Time(1), (1, 250), None, &[slow]);
        ack(&mut flow, Time(2), (2, 250), None, &[hop(20_000, 0, 62_500)]);
        assert!(is_close(flow.law.power, 0.25), "{}", flow.law.power);
        assert!(is_close(flow.law.rate / 12.5e9, 3.7), "{}", flow.law.rate);
    }
}
