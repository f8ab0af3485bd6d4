//! Mars in closed form: what a degree carries, how long it takes and what it has to hold; which
//! degree a budget allows.

use super::{Answers, or_none};
use raddle_schemes::units::{Bytes, Rate, Span};
use raddle_sim::theory::{Card, Quantity};
use raddle_throughput::bounds;

/// What it says of itself.
pub(super) const CARD: Card = Card {
    name: "mars",
    title: "throughput, delay and buffer of a fabric that emulates a graph of a degree",
    paper: "Addanki, Avin, Schmid, Mars, SIGMETRICS 2023: Theorems 14 to 19, Figure 7.1, Table 7.1",
    quantities: &[
        Quantity { name: "throughput", doc: "with as much memory as it wants" },
        Quantity { name: "throughput_within", doc: "with `buffer` at each node" },
        Quantity { name: "delay_us", doc: "the longest delay" },
        Quantity { name: "buffer_mb", doc: "what each node has to hold, in 10^6 bytes" },
        Quantity { name: "root", doc: "the larger real degree of the delay `budget`" },
        Quantity { name: "smaller_root", doc: "the smaller one" },
        Quantity { name: "degree_by_delay", doc: "the whole degree that `budget` allows" },
        Quantity { name: "degree_by_buffer", doc: "the whole degree that `buffer` allows" },
        Quantity { name: "shortest_delay_us", doc: "the shortest delay of any real degree" },
        Quantity {
            name: "best_degree",
            doc: "the whole degree of the most throughput within `buffer`",
        },
    ],
};

raddle_schemes::parameters! {
    /// Parameters; the defaults are the worked example's.
    pub struct Mars {
        /// Nodes.
        pub nodes: u32 = 16, in 2..=4096;
        /// Links of a node to circuit switches.
        pub uplinks: u32 = 2, in 1..=256;
        /// Rate of a link.
        pub rate: Rate = Rate::gbps(400);
        /// Length of a slot, dark time included.
        pub slot: Span = Span::us(100), in Span(1)..;
        /// The degree of the emulated graph.
        pub degree: f64 = 4.0, in 1.5..=4096.0;
        /// Memory of a node.
        pub buffer: Bytes = Bytes(20_000_000);
        /// The longest delay that is wanted.
        pub budget: Span = Span::us(850), in Span(1)..;
    }
}

impl Answers for Mars {
    fn values(&self, _: u64) -> Vec<f64> {
        let Self { uplinks, rate, slot, degree, buffer, budget, .. } = *self;
        let nodes = self.nodes as usize;
        // One slot: static, nothing is held for a period.
        let is_static = |degree: f64| degree <= f64::from(uplinks);
        let per_slot = bounds::bytes_per_slot(rate, slot);
        let within = |degree: f64| match is_static(degree) {
            true => bounds::mars_throughput(nodes, degree),
            false => bounds::mars_throughput_within(nodes, degree, buffer, per_slot),
        };
        let roots = bounds::degrees_by_delay(nodes, uplinks, slot, budget);
        let degrees = uplinks.max(2)..=self.nodes;
        let best = degrees.max_by(|a, b| within(f64::from(*a)).total_cmp(&within(f64::from(*b))));
        let still = is_static(degree);
        vec![
            bounds::mars_throughput(nodes, degree),
            within(degree),
            if still { 0.0 } else { bounds::mars_delay(nodes, uplinks, slot, degree) * 1e6 },
            if still { 0.0 } else { bounds::mars_buffer(degree, rate, slot) / 1e6 },
            or_none(roots.map(|roots| roots.1)),
            or_none(roots.map(|roots| roots.0)),
            or_none(bounds::degree_by_delay(nodes, uplinks, slot, budget).map(f64::from)),
            f64::from(bounds::degree_by_buffer(buffer, rate, slot).min(self.nodes)),
            bounds::shortest_delay(nodes, uplinks, slot) * 1e6,
            or_none(best.map(f64::from)),
        ]
    }
}
