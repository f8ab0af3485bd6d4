//! Faults as the engines play them: what changes at which port or node, and when.

mod changes;
pub mod error;
pub mod gate;
pub(crate) mod intervals;
pub mod link;
mod names;
mod probability;
pub mod resolve;
pub mod spec;
mod struck;
mod targets;
mod uplinks;

use crate::topology::Node;
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::units::{Rate, Time};

/// What happens to a port's link at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PortChange {
    /// The link goes down. A frame whose last bit has not left is lost.
    Down,
    /// The link comes up.
    Up,
    /// These uplinks of a lane of circuits are dead from now on, a bit each. A frame whose last bit has
    /// not left over one that was not is lost.
    Uplinks {
        /// Those that are.
        dead: u64,
    },
    /// Frames that start from now on are sent at this rate; with `scale`, the queue's capacity and
    /// thresholds become this fraction (rate / nominal) of theirs.
    Rate {
        /// The new rate.
        rate: Rate,
        /// Whether capacity and marking thresholds scale along.
        scale: bool,
    },
    /// Frames that start from now on are lost with this probability, in units of 2^-32.
    Loss {
        /// 0 to 2^32.
        probability: u64,
    },
    /// Each bit of frames that start from now on is wrong with this probability; a frame with a
    /// wrong bit is lost.
    BitErrors {
        /// From 0 to 1.
        rate: f64,
    },
}

/// What a port does with queued frames while its link is down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDown {
    /// Drop them, and whatever arrives, with cause `link_down`: a silent black hole.
    #[default]
    Drop,
    /// Keep them, and serve again when the link comes up.
    Keep,
}

/// All faults of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    /// Changes per port, each list in time order. Ports ascending, each at most once.
    pub ports: Vec<(PortId, Vec<(Time, PortChange)>)>,
    /// When nodes are dead: disjoint windows `[from, until)` in time order. Frames that arrive then
    /// are dropped with cause `node_down`; their cables are down too (listed under `ports`).
    pub nodes: Vec<(Node, Vec<(Time, Time)>)>,
    /// What ports do with queued frames while down.
    pub on_down: OnDown,
    /// ToRs whose clocks are behind, by so many picoseconds (ahead, if below zero): they open their
    /// circuits by them. Ascending.
    pub clocks: Vec<(SwitchId, i64)>,
}

impl Faults {
    /// How much the clock of a switch is behind, in picoseconds.
    pub(crate) fn behind(&self, switch: SwitchId) -> i64 {
        let place = self.clocks.binary_search_by_key(&switch, |(id, _)| *id);
        place.map_or(0, |place| self.clocks[place].1)
    }

    /// When a node is dead.
    pub(crate) fn deaths(&self, node: Node) -> Vec<(Time, Time)> {
        let own = self.nodes.iter().find(|(dead, _)| *dead == node);
        own.map_or_else(Vec::new, |(_, windows)| windows.clone())
    }

    /// The changes of a port, in time order; none for a port that has none.
    pub fn changes_of(&self, port: PortId) -> &[(Time, PortChange)] {
        let index = self.ports.binary_search_by_key(&port, |(id, _)| *id);
        index.map_or(&[], |index| &self.ports[index].1)
    }
}
