//! A packet network beside circuits: what hybrid ToRs have of it.

use raddle_schemes::ids::PortId;
use raddle_schemes::units::Span;

raddle_schemes::words! {
    /// What telemetry says of a queue that two links drain.
    pub enum Counters {
        /// It is one hop: what has left it is counted over both links, at the rate of the one by which
        /// a packet leaves.
        Voq = "voq",
        /// Each link is a hop, with a count of its own.
        Link = "link",
    }
}

/// The packet network beside circuits.
#[derive(Clone, Debug, PartialEq)]
pub struct PacketNetwork {
    /// The uplinks to it, in order of port: one of each ToR.
    pub uplinks: Vec<PortId>,
    /// For so long before the day of a pair, it carries nothing of it.
    pub night: Span,
    /// So long before a day, and in it, ToRs tell of the circuit in ACKs.
    pub notice: Span,
    /// What telemetry says.
    pub counters: Counters,
}
