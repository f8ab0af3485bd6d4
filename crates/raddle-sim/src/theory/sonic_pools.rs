//! What lossless and lossy traffic get of a switch's memory under SONiC's pools, and in one pool.
//!
//! Reverie thesis chapter, sections 5.1.3 and 5.3: a fluid model. So many queues of each kind hold what
//! their thresholds allow (equations 5.5 to 5.8); under Reverie, classes share one pool as under ABM
//! without its rate of draining (5.13 to 5.15). Sizes are in the unit of the pools.

use super::{Answers, Card, Quantity};

/// What `raddle theory sonic_pools` says.
pub const CARD: Card = Card {
    name: "sonic_pools",
    title: "what lossless and lossy queues get of SONiC's pools, and of one pool",
    paper: "Addanki, Bai, Schmid and Apostolaki, Reverie, NSDI 2024; sections 5.1.3 and 5.3 of the thesis",
    quantities: &[
        Quantity { name: "lossy", doc: "what lossy queues hold (equation 5.8)" },
        Quantity { name: "lossless", doc: "what lossless queues hold, without headroom (5.7)" },
        Quantity { name: "lossy_over_lossless", doc: "the one over the other" },
        Quantity { name: "pause_threshold", doc: "of a lossless queue at its way in" },
        Quantity { name: "drop_threshold", doc: "of a lossy queue at its way out" },
        Quantity {
            name: "single_lossless",
            doc: "what lossless queues hold of a single pool as large as the ingress pool, by Reverie",
        },
        Quantity { name: "single_lossy", doc: "what lossy queues hold of that" },
        Quantity { name: "single_idle", doc: "what nobody holds of that" },
        Quantity { name: "idle_least", doc: "that at least, by Theorem 11" },
        Quantity {
            name: "idle_most",
            doc: "that at most, with only one kind there, by Theorem 11",
        },
    ],
};

raddle_schemes::parameters! {
    /// Pools and queues.
    pub struct SonicPools {
        /// Ingress pool: all of the memory but headroom.
        pub ingress: f64 = 18.0, in 1e-9..=1e15;
        /// Egress pool of lossy queues.
        pub egress_lossy: f64 = 14.0, in 1e-9..=1e15;
        /// Of lossless queues: the most that one may hold, over what is free.
        pub alpha_lossless: f64 = 1.0, in 1e-6..=1e6;
        /// The same of lossy queues.
        pub alpha_lossy: f64 = 1.0, in 1e-6..=1e6;
        /// Lossless queues, at their way in.
        pub lossless_queues: u32 = 1, in 0..=1_000_000;
        /// Lossy queues, at their way out.
        pub lossy_queues: u32 = 1, in 0..=1_000_000;
    }
}

impl Answers for SonicPools {
    fn check(&self) -> Result<(), String> {
        if self.egress_lossy <= self.ingress {
            return Ok(());
        }
        // Heuristic 3.
        let Self { egress_lossy, ingress, .. } = self;
        Err(format!("egress_lossy is {egress_lossy}; expected at most the ingress pool, {ingress}"))
    }

    fn values(&self, _: u64) -> Vec<f64> {
        let part = |queues: u32, alpha: f64| {
            let all = f64::from(queues) * alpha;
            all / (1.0 + all)
        };
        let lossy = self.egress_lossy * part(self.lossy_queues, self.alpha_lossy);
        let free = self.ingress - lossy;
        let lossless = free * part(self.lossless_queues, self.alpha_lossless);
        // A class has alpha of what is free, however many queues it has.
        let is_there = |queues: u32, alpha: f64| if queues == 0 { 0.0 } else { alpha };
        let own = is_there(self.lossless_queues, self.alpha_lossless);
        let other = is_there(self.lossy_queues, self.alpha_lossy);
        let idle = self.ingress / (1.0 + own + other);
        let least = self.alpha_lossless.min(self.alpha_lossy);
        vec![
            lossy,
            lossless,
            lossy / lossless,
            self.alpha_lossless * (free - lossless),
            self.alpha_lossy * (self.egress_lossy - lossy),
            own * idle,
            other * idle,
            idle,
            self.ingress / (1.0 + self.alpha_lossless + self.alpha_lossy),
            self.ingress / (1.0 + least),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(model: &SonicPools) -> [f64; 10] {
        Answers::values(model, 1).try_into().expect("ten quantities")
    }

    fn queues(lossless_queues: u32, lossy_queues: u32) -> [f64; 10] {
        of(&SonicPools { lossless_queues, lossy_queues, ..SonicPools::default() })
    }

    /// Reverie spec, section 6, items 1 to 3.
    #[test]
    fn steady_states_are_those_of_the_spec() {
        assert_eq!(queues(1, 1)[..5], [7.0, 5.5, 7.0 / 5.5, 5.5, 7.0]);
        let close = |found: &[f64], expected: &[f64]| {
            let near = |(a, b): (&f64, &f64)| (a - b).abs() < 5e-4 * b;
            assert!(found.iter().zip(expected).all(near), "{found:?}, expected {expected:?}");
        };
        close(&queues(10, 10)[..5], &[12.727, 4.793, 2.655, 0.4793, 1.2727]);
        close(&queues(1, 4)[..2], &[11.2, 3.4]);
        close(&queues(4, 1)[..2], &[7.0, 8.8]);
        close(&queues(1_000_000, 1_000_000)[..2], &[14.0, 4.0]);
        // Item 3: the drop threshold does not hear of lossless queues; the pause threshold does of lossy.
        assert_eq!(queues(1, 1)[4], queues(10, 1)[4]);
        close(&[queues(1, 1)[3], queues(1, 4)[3]], &[5.5, 3.4]);
    }

    /// Items 4 and 5.
    #[test]
    fn one_pool_is_shared_by_alphas_whatever_the_queues() {
        let ingress = 1_821_760.0;
        let with = |alpha_lossless, lossless_queues, lossy_queues| {
            let egress_lossy = ingress;
            let model = SonicPools {
                ingress,
                egress_lossy,
                alpha_lossless,
                lossless_queues,
                lossy_queues,
                ..SonicPools::default()
            };
            of(&model)[5..].iter().map(|bytes| bytes.round()).collect::<Vec<_>>()
        };
        assert_eq!(with(1.0, 1, 1), [607_253.0, 607_253.0, 607_253.0, 607_253.0, 910_880.0]);
        assert_eq!(with(1.0, 7, 3), with(1.0, 1, 1));
        assert_eq!(with(2.0, 1, 1)[..3], [910_880.0, 455_440.0, 455_440.0]);
        assert_eq!(with(1.0, 1, 0)[..3], [910_880.0, 0.0, 910_880.0]);
    }

    #[test]
    fn a_lossy_pool_larger_than_the_ingress_pool_is_refused() {
        let model = SonicPools { egress_lossy: 20.0, ..SonicPools::default() };
        assert!(Answers::check(&model).unwrap_err().contains("at most the ingress pool, 18"));
    }
}
