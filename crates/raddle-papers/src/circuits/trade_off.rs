//! What trust in a prediction gives where it is right, and leaves where it is wrong.

use super::Answers;
use raddle_sim::theory::{Card, Quantity};
use raddle_throughput::bounds;

/// What it says of itself.
pub(super) const CARD: Card = Card {
    name: "trade_off",
    title: "consistency and robustness of Vermilion with predictions",
    paper: "Addanki, thesis, chapter 9: Theorems 24 to 27, Corollary 2, Figures 9.1, 9.3, 9.4",
    quantities: &[
        Quantity { name: "consistency", doc: "of trust `gamma`" },
        Quantity { name: "robustness", doc: "of trust `gamma`" },
        Quantity { name: "drawn_consistency", doc: "of trusts 1 to `gamma`, drawn alike" },
        Quantity { name: "drawn_robustness", doc: "of trusts 1 to `gamma`, drawn alike" },
        Quantity {
            name: "most_robustness",
            doc: "of any mixture of trusts 1 to `gamma` with the consistency `at`",
        },
        Quantity {
            name: "least_robustness",
            doc: "the lower edge of what these mixtures reach: that of one trust with `at`",
        },
        Quantity {
            name: "two_point_robustness",
            doc: "of trusts 1 and `gamma` mixed to the consistency of trusts drawn alike",
        },
        Quantity { name: "one_trust", doc: "robustness of the trust, fraction or not, with `at`" },
    ],
};

raddle_schemes::parameters! {
    /// Parameters.
    pub struct TradeOff {
        /// Trust.
        pub gamma: f64 = 10.0, in 1.0..=10_000.0;
        /// A consistency.
        pub at: f64 = 0.5, in 0.5..=0.9999;
    }
}

impl Answers for TradeOff {
    fn values(&self, _: u64) -> Vec<f64> {
        let Self { gamma, at } = *self;
        let whole = gamma as u32;
        let (drawn, drawn_robust) = bounds::mixture(&bounds::uniform(whole));
        let corners = bounds::hull(whole);
        let last = corners.last().copied().unwrap_or((0.5, 0.5));
        // The upper edge joins trust 1 and trust gamma; the lower one trust 2 and trust gamma.
        let reached = at <= last.0 + 1e-12;
        let edge = |from: (f64, f64)| match (at - from.0, last.0 - from.0) {
            (off, wide) if wide > 0.0 => from.1 + off / wide * (last.1 - from.1),
            _ => from.1,
        };
        let most = if reached { edge((0.5, 0.5)) } else { f64::NAN };
        let lower = corners.get(1).copied().unwrap_or((0.5, 0.5));
        let least = if reached { edge(lower) } else { f64::NAN };
        let (_, two_points) = bounds::mixture(&bounds::two_points(whole, drawn));
        vec![
            bounds::consistency(gamma),
            bounds::robustness(gamma),
            drawn,
            drawn_robust,
            most,
            least,
            two_points,
            bounds::robustness(1.0 / (1.0 - at)),
        ]
    }
}
