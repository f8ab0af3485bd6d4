//! LetFlow: flowlets in the switch. A flow stays on its port until it falls silent, and then takes
//! a random one; that alone moves traffic off slow paths, since flowlets on them are shorter.
//!
//! The table and its age bits are CONGA's (Alizadeh et al., SIGCOMM 2014, section 3.4), which
//! LetFlow keeps: a timer passes every `timeout`, sets the age bit of every entry and frees the
//! entries whose bit it finds set, and a packet clears it. So a silence of two timeouts always ends
//! a flowlet, one below a timeout never does, and in between it depends on the timer.
//!
//! Reading: a flow is one direction of a message (or of a connection) between two hosts, whatever
//! entropies its host gives its packets. Flows that share an entry share its flowlet, as in the
//! paper. An entry whose port does not lead to a packet's destination, or carries nothing there, is
//! taken over with a new draw. Where equal next hops have weights, ports are drawn in proportion;
//! the paper draws evenly.

use super::{Choices, Header, PortSelector, SwitchContext};
use crate::rng::mix;
use crate::units::{Span, Time};
use crate::{Card, SwitchCx};
use alloc::vec;
use alloc::vec::Vec;
use serde::{Serialize, Serializer};

/// What `raddle schemes letflow` says.
pub const CARD: Card = Card {
    name: "letflow",
    title: "LetFlow",
    paper: "Vanini et al., Let It Flow: Resilient Asymmetric Load Balancing with Flowlet \
            Switching, NSDI 2017",
    needs: &[],
    summary: "Each switch sends a flow's packets through one port until the flow pauses, then \
              through a random one. Flows that never pause stay where they are.",
};

crate::words! {
    /// How a switch tells that a flow has paused.
    pub enum Detection {
        /// By a bit that a timer sets every `timeout` and packets clear: after one to two timeouts.
        AgeBit = "age_bit",
        /// By the time of the flow's last packet: after exactly one timeout.
        Exact = "exact",
    }
}

crate::parameters! {
    /// Parameters of LetFlow.
    pub struct Config {
        /// A longer pause than this ends a flowlet (LetFlow: 500 us).
        pub timeout: Span = Span::us(500);
        /// How pauses are told: `age_bit`, after one to two timeouts, or `exact`.
        pub detection: Detection = Detection::AgeBit;
        /// Entries of each switch's flowlet table, which flows are hashed to (CONGA: 64 Ki).
        pub entries: u32 = 65_536, in 1..=1_048_576;
    }
}

/// One switch's flowlet table.
#[derive(Clone, Debug, Serialize)]
pub struct LetFlow {
    salt: u64,
    timeout: Span,
    detection: Detection,
    /// By entry, the port of the present flowlet, counted from 1; 0 before the first.
    #[serde(serialize_with = "used")]
    ports: Vec<u32>,
    /// By entry, when its last packet came, in picoseconds.
    #[serde(serialize_with = "used")]
    last: Vec<u64>,
}

/// A state tells of the entries that were ever used.
fn used<T, S>(table: &[T], to: S) -> Result<S::Ok, S::Error>
where
    T: Copy + Default + PartialEq + Serialize,
    S: Serializer,
{
    let all = (0_u32..).zip(table.iter().copied());
    to.collect_map(all.filter(|(_, value)| *value != T::default()))
}

impl LetFlow {
    /// An empty table.
    pub fn new(config: &Config, context: &SwitchContext) -> Self {
        let entries = config.entries as usize;
        Self {
            salt: mix(context.stream),
            timeout: config.timeout,
            detection: config.detection,
            // Zeroed memory is there once it is touched: small runs touch little of it.
            ports: vec![0; entries],
            last: vec![0; entries],
        }
    }

    /// Whether a flowlet whose last packet came at `last` is over at `now`.
    fn is_over(&self, last: Time, now: Time) -> bool {
        match self.detection {
            Detection::Exact => now > last + self.timeout,
            Detection::AgeBit => {
                let passes = |at: Time| at.0 / self.timeout.0.max(1);
                passes(now) - passes(last) >= 2
            }
        }
    }
}

/// The choice through `port`, if one leads there and carries anything.
fn through(choices: &Choices<'_>, port: u32) -> Option<usize> {
    choices.find(port).filter(|&choice| choices.weight(choice) > 0)
}

impl PortSelector for LetFlow {
    #[inline]
    fn select(
        &mut self,
        cx: &mut SwitchCx<'_>,
        packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        let hash = mix(u64::from(packet.flow_key) ^ self.salt) >> 32;
        let entry = ((hash * self.ports.len() as u64) >> 32) as usize;
        let last = Time(core::mem::replace(&mut self.last[entry], cx.now.0));
        let kept = match self.ports[entry] {
            0 => None,
            _ if self.is_over(last, cx.now) => None,
            port => through(choices, port - 1),
        };
        kept.unwrap_or_else(|| {
            let choice = choices.at((cx.rng.next_u64() >> 32) as u32);
            self.ports[entry] = choices.fabric.port(choice) + 1;
            choice
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    fn exact(us: u64) -> Config {
        Config { timeout: Span::us(us), detection: Detection::Exact, ..Config::default() }
    }

    /// The choices of packets at these microseconds, of 256 ports: a new draw is another port.
    fn ports_at(config: &Config, us: &[u64]) -> Vec<usize> {
        let mut bench = Bench::new(config, LetFlow::new);
        us.iter().map(|&us| bench.at(Time::ZERO + Span::us(us)).select(256)).collect()
    }

    #[test]
    fn a_flowlet_ends_with_a_longer_pause_than_the_timeout() {
        let ports = ports_at(&exact(500), &[0, 100, 600, 1_100, 1_601, 1_602]);
        assert!(ports[..4].iter().all(|&port| port == ports[0]), "{ports:?}");
        assert!(ports[4] != ports[3] && ports[5] == ports[4], "{ports:?}");
    }

    /// CONGA, section 3.4: gaps of less than the timeout are never seen, those of twice as much
    /// always.
    #[test]
    fn an_age_bit_ends_flowlets_after_one_to_two_timeouts() {
        let config = Config::default();
        // Passes at 500, 1000, ..: only one of them is between.
        let within = ports_at(&config, &[500, 999, 1_499, 1_500, 2_499]);
        assert!(within.iter().all(|&port| port == within[0]), "{within:?}");
        // Two of them: 501 us are enough when they are well placed, and 1000 us wherever they are.
        for (from, until) in [(499, 1_000), (500, 1_500), (777, 1_777)] {
            let ports = ports_at(&config, &[from, until]);
            assert_ne!(ports[0], ports[1], "{from} to {until} us");
        }
    }

    #[test]
    fn new_flowlets_draw_ports_by_weight() {
        let mut bench = Bench::new(&exact(1), LetFlow::new).weights(&[1, 0, 2, 1]);
        let mut counts = [0_i32; 4];
        for packet in 0..40_000 {
            counts[bench.at(Time::ZERO + Span::us(2 * packet)).select(4)] += 1;
        }
        for (count, expected) in counts.iter().zip([10_000, 0, 20_000, 10_000]) {
            assert!((count - expected).abs() < 500, "{counts:?}");
        }
    }

    #[test]
    fn flows_that_share_an_entry_share_its_flowlet_as_far_as_its_port_leads() {
        let mut bench = Bench::new(&Config { entries: 1, ..exact(500) }, LetFlow::new);
        let ports: Vec<usize> = (0..50).map(|edge| bench.to(edge).select(256)).collect();
        assert!(ports.iter().all(|&port| port == ports[0]));
        // Other ports lead to the next destination: the entry is taken over.
        bench.ports(&[300, 301, 302]);
        let choice = bench.select(3);
        assert!((0..20).all(|_| bench.select(3) == choice));
        let mut apart = Bench::new(&exact(500), LetFlow::new);
        let ports: Vec<usize> = (0..50).map(|edge| apart.to(edge).select(256)).collect();
        assert!(ports.iter().any(|&port| port != ports[0]));
    }

    #[test]
    fn a_port_that_carries_nothing_any_more_is_left() {
        let mut bench = Bench::new(&exact(500), LetFlow::new);
        let before = bench.select(2);
        let mut weights = [1, 1];
        weights[before] = 0;
        let mut bench = bench.weights(&weights);
        assert!((0..20).all(|_| bench.select(2) == 1 - before));
    }
}
