//! The oblivious schedule in its plainest form: in slot t, node i sends to i + t.

use super::{Card, DesignError, Fabric, Makes, Plan, oblivious};
use crate::demand::Demand;
use raddle_circuits::matching::Matching;

/// What it says of itself.
pub const CARD: Card = Card {
    name: "round_robin",
    title: "oblivious round robin",
    paper: "Addanki, thesis, 8.3 (Oblivious); Vermilion, Figures 8.7 to 8.9",
    summary: "Every pair gets one circuit a period. Half of the capacity for any demand over two \
              hops, and nearly all of it for uniform demand.",
};

raddle_schemes::parameters! {
    /// Parameters.
    pub struct RoundRobin with fabric: Fabric {
        /// Whether each node has an idle circuit to itself, as the chapters count.
        pub self_loops: bool = true;
    }
}

impl Makes for RoundRobin {
    fn plan(&self, demand: &Demand, _: u64) -> Result<Plan, DesignError> {
        let nodes = demand.nodes();
        let first = usize::from(!self.self_loops);
        let matchings: Vec<Matching> =
            (first..nodes).map(|by| Matching::shift(nodes, by)).collect();
        oblivious(&self.fabric, nodes, &matchings)
    }
}
