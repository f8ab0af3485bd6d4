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

use super::{Answers, Card, Quantity, even_ports};
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
        /// Permutations that are drawn.
        pub trials: u32 = 2000, in 1..;
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

    /// Pairs under simple round-robin and under JSQ in each of the permutations.
    pub fn draw(&self, seed: u64) -> Vec<(u64, u64)> {
        (0..self.trials).map(|trial| self.trial(seed, trial)).collect()
    }

    fn trial(&self, seed: u64, trial: u32) -> (u64, u64) {
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
        let pairs = |flows: &[u64]| flows.iter().map(|n| n * n.saturating_sub(1) / 2).sum();
        (pairs(&red), pairs(&safe))
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
        let mean = |of: fn(&(u64, u64)) -> u64| {
            drawn.iter().map(of).sum::<u64>() as f64 / drawn.len() as f64
        };
        vec![
            self.northbound(),
            self.hotspot(),
            self.safe(),
            self.same_edge(),
            self.simple_rr_pairs(),
            self.jsq_pairs(),
            mean(|pairs| pairs.0),
            mean(|pairs| pairs.1),
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
        let [.., formula, jsq_formula, drawn, jsq_drawn] = Answers::values(&model, 1)[..] else {
            panic!("eight quantities")
        };
        assert!((drawn / 39.0 - 1.0).abs() < 0.1, "{drawn}");
        assert!((drawn / formula - 1.0).abs() < 0.1, "{drawn}");
        assert!((jsq_drawn / jsq_formula - 1.0).abs() < 0.1, "{jsq_drawn}");
        assert!(jsq_drawn < drawn, "{jsq_drawn}");
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
