//! A fat tree of packet switches with full bisection: the reference without circuits.

use super::{Card, DesignError, Fabric, Makes, Plan};
use crate::demand::Demand;

/// What it says of itself.
pub const CARD: Card = Card {
    name: "fat_tree",
    title: "fat tree",
    paper: "Al-Fares et al., A scalable, commodity data center network architecture, SIGCOMM 2008",
    summary: "Packet switches with full bisection and spraying carry any demand that the nodes' \
              links carry. Has no circuits, so no period and no dark time.",
};

raddle_schemes::parameters! {
    /// Parameters: those of the fabric alone.
    pub struct FatTree with fabric: Fabric {}
}

impl Makes for FatTree {
    fn plan(&self, _: &Demand, _: u64) -> Result<Plan, DesignError> {
        Ok(Plan { bound: Some(1.0), ..Plan::default() })
    }
}
