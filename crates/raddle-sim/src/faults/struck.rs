//! What faults strike: links, nodes, circuits.

use crate::topology::Node;
use raddle_schemes::ids::PortId;

/// Of lanes, a bit for each uplink that is dead.
pub(super) type Dead = Vec<(PortId, u64)>;

/// What a fault strikes.
#[derive(Clone, Debug, Default)]
pub(super) struct Struck {
    /// Directed links, by the ports that they leave.
    pub(super) ports: Vec<PortId>,
    /// Switches and hosts as such, beside their links.
    pub(super) nodes: Vec<Node>,
    /// Circuits of lanes: the uplinks of each that are struck, a bit each.
    pub(super) circuits: Dead,
    /// Whether it is an uplink or a circuit switch.
    pub(super) is_uplink: bool,
}

impl Struck {
    /// All that any of these strike, each once.
    pub(super) fn together(all: Vec<Self>) -> Self {
        let mut together = Self::default();
        for struck in all {
            together.ports.extend(struck.ports);
            together.nodes.extend(struck.nodes);
        }
        together.ports.sort_unstable();
        // Two switches may be the ends of one cable.
        together.ports.dedup();
        together
    }
}
