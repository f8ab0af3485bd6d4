//! Sirius (Ballani et al., SIGCOMM 2020): tunable lasers behind passive gratings. Its logical
//! schedule is RotorNet's; its constants are not: a laser is retuned in 3.84 ns.

use super::{Card, DesignError, Fabric, Makes, Plan, oblivious};
use crate::demand::Demand;
use raddle_circuits::matching::Matching;

/// What it says of itself.
pub const CARD: Card = Card {
    name: "sirius",
    title: "Sirius",
    paper: "Ballani et al., Sirius, SIGCOMM 2020; Mars, section 7.5 (one curve with RotorNet)",
    summary: "The complete graph at the pace of tunable lasers: set slot and dark to 100 ns and \
              3.84 ns for its own constants. Same throughput as RotorNet.",
};

raddle_schemes::parameters! {
    /// Parameters: those of the fabric alone.
    pub struct Sirius with fabric: Fabric {}
}

impl Makes for Sirius {
    fn plan(&self, demand: &Demand, _: u64) -> Result<Plan, DesignError> {
        let nodes = demand.nodes();
        let uplinks = self.fabric.uplinks as usize;
        // A grating turns a wavelength into a shift; each laser sweeps its own band of them.
        let band = nodes.div_ceil(uplinks);
        let shifts = (0..band).flat_map(|turn| (0..uplinks).map(move |laser| laser * band + turn));
        let matchings: Vec<Matching> =
            shifts.filter(|by| *by < nodes).map(|by| Matching::shift(nodes, by)).collect();
        oblivious(&self.fabric, nodes, &matchings)
    }
}
