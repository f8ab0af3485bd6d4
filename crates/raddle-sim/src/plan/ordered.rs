//! When the ports of a switch are replayed together.

use super::{BufferPlan, Plan};
use crate::topology::Switch;

/// When a switch is ordered: its ports are replayed together, in order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderedWhen {
    Never,
    /// While it has someone pause (IEEE 802.1Qbb).
    WhilePausing,
    /// It has middleware, which sees what starts towards hosts: ports that lead there are replayed
    /// together, the others each on its own.
    TowardsHosts,
    /// It gives credit, which every departure renews at the port that the frame came in through; or its
    /// memory's policy sees all of them, but where it says that the order decides nothing; or it has
    /// middleware, and flow control; or it is a hybrid ToR, one of whose wires takes from the queues of
    /// others.
    Always,
}

impl Plan {
    /// When a switch is ordered.
    pub(crate) fn ordered_when(&self, switch: &Switch) -> OrderedWhen {
        let sees_switch = |buffer: &BufferPlan| buffer.policy.sees_switch();
        let is_hybrid = self.fabric.packet_uplink(switch).is_some();
        let credits = self.queue.cbfc.is_some();
        if is_hybrid || credits || self.buffer.as_ref().is_some_and(sees_switch) {
            OrderedWhen::Always
        } else if self.has_middleware(switch) && !self.keeps_bulk() {
            if self.queue.pfc.is_some() { OrderedWhen::Always } else { OrderedWhen::TowardsHosts }
        } else if self.queue.pfc.is_some() {
            OrderedWhen::WhilePausing
        } else {
            OrderedWhen::Never
        }
    }
}
