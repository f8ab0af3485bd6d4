//! How many pairs of flows stick to one downlink under simple round-robin and under JSQ.
//!
//! OFAN paper, Theorem 1, appendix C, Figure 16: a random permutation over the n = k^3/4 hosts of a
//! fat tree. An edge switch is red if all its flows leave it (equation 8) and not all of them for
//! the same edge switch (equation 9); its flows then hold one uplink each for good. Two flows
//! collide if both come from red edge switches, hold uplinks of the same index (2/k, equation 14)
//! and go to the same edge switch (equation 15); under JSQ both must be safe, too: no other flow of
//! their edge switch ends a packet within a gap before or after them (equation 13). The formulas
//! multiply these shares as if they were independent.
//!
//! What is drawn is not independent: whole permutations, a matching of each edge switch's flows to
//! its uplinks (the proof's first step, so that flows of one edge switch never collide), and phases
//! of the flows. Pairs that meet the conditions are counted.
//!
//! Theorem 1 is about the mean over all switch queues and the sending time. Where `f` flows stick to
//! one link, its queue grows by `f - 1` packets a period, and the mean over the `m` periods of a
//! message is half of what it ends at. The proof counts no other queue: a lower bound.

use super::{Answers, Card, LAYERS, Quantity, even_ports};
use raddle_schemes::rng::Rng;
use raddle_schemes::units::Span;

/// What `raddle theory collisions` says.
pub const CARD: Card = Card {
    name: "collisions",
    title: "pairs of flows that stick to one downlink under round-robin and JSQ",
    paper: "McClure et al., Load Balancing for AI Training Workloads (OFAN), \
            Theorem 1, appendix C, Figure 16",
    quantities: &[
        Quantity { name: "northbound", doc: "chance that all flows leave their edge switch" },
        Quantity { name: "hotspot", doc: "chance that all of them go to one edge switch" },
        Quantity { name: "safe", doc: "chance that no other flow's packets end close to a flow's" },
        Quantity { name: "same_edge", doc: "chance that two flows go to the same edge switch" },
        Quantity { name: "simple_rr_pairs", doc: "expected pairs under simple round-robin" },
        Quantity { name: "jsq_pairs", doc: "expected pairs under JSQ" },
        Quantity {
            name: "simple_rr_drawn_pairs",
            doc: "pairs counted in random permutations under simple round-robin, mean",
        },
        Quantity { name: "jsq_drawn_pairs", doc: "the same under JSQ" },
        Quantity {
            name: "simple_rr_queue_packets",
            doc: "what flows that stick queue under simple round-robin: mean over all switch queues, \
                  the sending time and the permutations",
        },
        Quantity { name: "jsq_queue_packets", doc: "the same under JSQ" },
    ],
};

raddle_schemes::parameters! {
    /// The fat tree and its timing.
    pub struct Collisions {
        /// Ports of a switch: a fat tree's k, even.
        pub k: u32 = 8, in 4..=64;
        /// Time of a data packet on the wire.
        pub packet: Span = Span(41_580), in Span(1)..;
        /// Time of the gap behind it.
        pub gap: Span = Span(200);
        /// Packets that each flow sends: the message.
        pub packets: u32 = 256, in 1..=10_000_000;
        /// Permutations that are drawn.
        pub trials: u32 = 2000, in 1..;
    }
}

/// What flows that stick came to in one permutation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stuck {
    /// Pairs of them on one link.
    pub pairs: u64,
    /// Flows that share a link with another, less one for each such link: packets by which all queues
    /// together grow in a period.
    pub excess: u64,
}

impl Stuck {
    /// Of flows on each link.
    fn of(flows: &[u64]) -> Self {
        Self {
            pairs: flows.iter().map(|n| n * n.saturating_sub(1) / 2).sum(),
            excess: flows.iter().map(|n| n.saturating_sub(1)).sum(),
        }
    }
}

impl Collisions {
    /// Hosts of an edge switch, and its uplinks.
    fn half(&self) -> u32 {
        self.k / 2
    }

    /// Hosts of the fat tree.
    pub fn hosts(&self) -> u32 {
        self.k * self.k * self.k / 4
    }

    /// The chance that all flows of an edge switch leave it: equation 8.
    pub fn northbound(&self) -> f64 {
        let (n, half) = (self.hosts(), self.half());
        (0..half).map(|i| f64::from(n - half - i) / f64::from(n - 1 - i)).product()
    }

    /// The chance that all flows of an edge switch go to one and the same other: equation 9.
    pub fn hotspot(&self) -> f64 {
        let (n, half) = (self.hosts(), self.half());
        let first = f64::from(n - half) / f64::from(n - 1);
        first * (1..half).map(|i| f64::from(half - i) / f64::from(n - 1 - i)).product::<f64>()
    }

    /// The chance that a flow is safe: equation 13.
    pub fn safe(&self) -> f64 {
        let overlap = 2.0 * self.gap.0 as f64 / (self.packet.0 + self.gap.0) as f64;
        libm::pow(1.0 - overlap, f64::from(self.half() - 1))
    }

    /// The chance that a flow goes where another one goes: equation 15.
    pub fn same_edge(&self) -> f64 {
        f64::from(self.half() - 1) / f64::from(self.hosts() - 1 - self.half())
    }

    /// Expected pairs under simple round-robin: equations 18 and 19.
    pub fn simple_rr_pairs(&self) -> f64 {
        let n = f64::from(self.hosts());
        let red = self.northbound() - self.hotspot();
        n * (n - 1.0) / 2.0 * red * red / f64::from(self.half()) * self.same_edge()
    }

    /// Expected pairs under JSQ: equations 17 and 18.
    pub fn jsq_pairs(&self) -> f64 {
        self.simple_rr_pairs() * self.safe() * self.safe()
    }

    /// Flows that stick under simple round-robin and under JSQ in each of the permutations.
    pub fn draw(&self, seed: u64) -> Vec<(Stuck, Stuck)> {
        (0..self.trials).map(|trial| self.trial(seed, trial)).collect()
    }

    fn trial(&self, seed: u64, trial: u32) -> (Stuck, Stuck) {
        let (hosts, half) = (self.hosts() as usize, self.half() as usize);
        let mut rng = Rng::new(seed, "collisions", u64::from(trial));
        let mut receivers: Vec<usize> = (0..hosts).collect();
        while receivers.iter().enumerate().any(|(from, &to)| to == from) {
            rng.shuffle(&mut receivers);
        }
        let cycle = self.packet.0 + self.gap.0;
        let mut uplinks: Vec<usize> = (0..half).collect();
        // Flows from red edge switches, and safe ones among them, per destination and uplink.
        let (mut red, mut safe) = (vec![0u64; hosts], vec![0u64; hosts]);
        for (edge, receivers) in receivers.chunks(half).enumerate() {
            rng.shuffle(&mut uplinks);
            let phases: Vec<u64> = (0..half).map(|_| rng.below(cycle)).collect();
            let leaves = receivers.iter().all(|to| to / half != edge);
            let hotspot = receivers.iter().all(|to| to / half == receivers[0] / half);
            if !leaves || hotspot {
                continue;
            }
            for (flow, to) in receivers.iter().enumerate() {
                let place = to / half * half + uplinks[flow];
                red[place] += 1;
                safe[place] += u64::from(self.is_safe(flow, &phases));
            }
        }
        (Stuck::of(&red), Stuck::of(&safe))
    }

    /// Whether no other flow's packets end within a gap of those of `flow`.
    fn is_safe(&self, flow: usize, phases: &[u64]) -> bool {
        let cycle = self.packet.0 + self.gap.0;
        let near = |other: &u64| {
            let apart = phases[flow].abs_diff(*other);
            apart.min(cycle - apart) < self.gap.0
        };
        let others = phases.iter().enumerate().filter(|(other, _)| *other != flow);
        !others.map(|(_, phase)| phase).any(near)
    }
}

impl Answers for Collisions {
    fn check(&self) -> Result<(), String> {
        even_ports(self.k)?;
        if self.gap > self.packet {
            let (gap, packet) = (self.gap, self.packet);
            return Err(format!("gap is {gap}; expected at most a packet's time, {packet}"));
        }
        Ok(())
    }

    fn draws(&self) -> f64 {
        f64::from(self.trials) * f64::from(self.hosts())
    }

    fn values(&self, seed: u64) -> Vec<f64> {
        let drawn = self.draw(seed);
        let mean = |of: fn(&(Stuck, Stuck)) -> u64| {
            drawn.iter().map(of).sum::<u64>() as f64 / drawn.len() as f64
        };
        let growth = f64::from(self.packets) / 2.0 / (LAYERS * f64::from(self.hosts()));
        vec![
            self.northbound(),
            self.hotspot(),
            self.safe(),
            self.same_edge(),
            self.simple_rr_pairs(),
            self.jsq_pairs(),
            mean(|stuck| stuck.0.pairs),
            mean(|stuck| stuck.1.pairs),
            mean(|stuck| stuck.0.excess) * growth,
            mean(|stuck| stuck.1.excess) * growth,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// OFAN study's spec, section 5.4, Theorem 1, and acceptance 11.
    #[test]
    fn the_formulas_have_their_known_values() {
        let model = Collisions::default();
        assert!((model.northbound() - 0.90775).abs() < 5e-6, "{}", model.northbound());
        assert!((model.hotspot() - 3.0e-6).abs() < 5e-8, "{}", model.hotspot());
        assert!((model.safe() - 0.97155).abs() < 5e-6, "{}", model.safe());
        assert!((model.simple_rr_pairs() - 40.84).abs() < 5e-3, "{}", model.simple_rr_pairs());
        assert!((model.jsq_pairs() - 38.55).abs() < 5e-3, "{}", model.jsq_pairs());
    }

    /// The same place: 39.0 counted, and within 10 % of the formula.
    #[test]
    fn permutations_have_about_as_many_pairs_as_the_formula_says() {
        let model = Collisions::default();
        let [.., formula, jsq_formula, drawn, jsq_drawn, queue, jsq_queue] =
            Answers::values(&model, 1)[..]
        else {
            panic!("ten quantities")
        };
        assert!((drawn / 39.0 - 1.0).abs() < 0.1, "{drawn}");
        assert!((drawn / formula - 1.0).abs() < 0.1, "{drawn}");
        assert!((jsq_drawn / jsq_formula - 1.0).abs() < 0.1, "{jsq_drawn}");
        assert!(jsq_drawn < drawn, "{jsq_drawn}");
        // Four flows to an edge switch take four uplinks at random: 6/16 pairs and 1 - (1 - (3/4)^4)
        // packets a period on each. In the mean of the message 128 times that, over 640 queues.
        let each = libm::pow(0.75, 4.0) / (6.0 / 16.0);
        let expected = each * drawn * 128.0 / 640.0;
        assert!((queue / expected - 1.0).abs() < 0.04, "{queue}, {expected}");
        assert!(jsq_queue < queue, "{jsq_queue}");
    }

    #[test]
    fn three_flows_on_a_link_are_three_pairs_and_two_packets_a_period() {
        assert_eq!(Stuck::of(&[0, 1, 3, 2]), Stuck { pairs: 4, excess: 3 });
    }

    /// Theorem 1.
    #[test]
    fn the_mean_queue_is_linear_in_the_message() {
        let queue = |packets| {
            let model = Collisions { packets, trials: 20, ..Default::default() };
            Answers::values(&model, 1)[8]
        };
        assert_eq!(queue(4096), 16.0 * queue(256));
    }

    #[test]
    fn without_a_gap_every_flow_is_safe() {
        let model = Collisions { gap: Span(0), trials: 20, ..Default::default() };
        assert_eq!(model.safe(), 1.0);
        assert!(model.draw(1).iter().all(|(simple_rr, jsq)| simple_rr == jsq));
        let wrong = Collisions { gap: Span(9), packet: Span(8), ..Default::default() };
        assert!(Answers::check(&wrong).is_err());
    }
}
