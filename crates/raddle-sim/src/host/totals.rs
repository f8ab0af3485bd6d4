//! What hosts brought about so far: what stop rules and progress reports look at.

use raddle_schemes::units::Time;

/// What one part's hosts, or those of all parts, brought about so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostTotals {
    /// When a receiver last got a new packet, or a flow last started.
    pub last_progress: Time,
    /// When the last flow completed so far.
    pub last_completion: Time,
    /// Flows completed.
    pub flows_done: u64,
    /// Packets known to their senders to have arrived.
    pub packets_acked: u64,
}

impl HostTotals {
    /// Adds what another part's hosts brought about.
    pub fn add(&mut self, other: &Self) {
        self.last_progress = self.last_progress.max(other.last_progress);
        self.last_completion = self.last_completion.max(other.last_completion);
        self.flows_done += other.flows_done;
        self.packets_acked += other.packets_acked;
    }
}
