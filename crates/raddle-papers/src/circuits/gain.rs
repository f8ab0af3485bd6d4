//! Vermilion's gain over the oblivious schedule for measured jobs.

use super::Answers;
use raddle_sim::theory::{Card, Quantity};
use raddle_throughput::gain::{Multi, Single, gains};

/// What it says of itself.
pub(super) const CARD: Card = Card {
    name: "gain",
    title: "single-hop throughput of Vermilion with k = 3 over the oblivious schedule's multi-hop",
    paper: "Addanki, thesis, 8.4, Figure 8.7; inet-tub/rdcn-throughput @829d756",
    quantities: &[
        Quantity { name: "mean_pct", doc: "the mean over the four jobs" },
        Quantity { name: "data_parallelism_pct", doc: "of that job" },
        Quantity { name: "hybrid_parallelism_pct", doc: "of that job" },
        Quantity { name: "heatmap2_pct", doc: "of that job" },
        Quantity { name: "heatmap3_pct", doc: "of that job" },
    ],
};

raddle_schemes::parameters! {
    /// Parameters.
    pub struct Gain {
        /// Which single-hop throughput of Vermilion.
        pub single: Single = Single::Published;
        /// Which multi-hop throughput of the oblivious schedule.
        pub multi: Multi = Multi::Published;
    }
}

impl Answers for Gain {
    fn values(&self, _: u64) -> Vec<f64> {
        let Ok(gains) = gains(self.single, self.multi) else {
            return vec![f64::NAN; CARD.quantities.len()];
        };
        let mean = gains.iter().sum::<f64>() / gains.len() as f64;
        std::iter::once(mean).chain(gains).collect()
    }
}
