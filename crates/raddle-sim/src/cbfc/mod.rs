//! Credits of Ultra Ethernet (CBFC) as both ends of a link keep them in the engine.
//!
//! The sending end counts the cells that its frames have consumed and those that the far end has told it
//! are free; it starts a frame if the difference leaves room. The receiving end counts what it has stored
//! and freed. Counts never go back, so a message that is lost is made good by the next. Both messages are
//! frames of the kind of flow control, made when the wire takes them, and cross the link as PFC frames do
//! ([design/0032](../../../../docs/design/0032-credits.md)).

mod receiver;
mod sender;
#[cfg(test)]
mod tests;

pub(crate) use receiver::Receiver;
pub(crate) use sender::Sender;

use crate::plan::{Cbfc, Plan};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Rate};

/// Classes with credits, at most.
const CLASSES: usize = Cbfc::CLASSES as usize;

/// What is constant about the credits of a port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CreditFacts {
    pub(crate) cbfc: Cbfc,
    /// Data classes.
    pub(crate) classes: usize,
    /// The cells that the far end of the link which leaves it has for each class; `None`, if that is a host.
    pub(crate) limit: Option<u64>,
    /// The largest frame that needs credit.
    pub(crate) largest: Bytes,
    /// The link's rate when nothing is broken, less what retry takes.
    pub(crate) rate: Rate,
}

impl CreditFacts {
    /// Of a port, in a plan with credits.
    pub(crate) fn of(plan: &Plan, port: PortId) -> Option<Self> {
        let base = plan.credit_base()?;
        Some(Self {
            cbfc: base.cbfc,
            classes: plan.queue.classes.into(),
            limit: base.of_link(port),
            largest: plan.packet().max(plan.transport.ack),
            rate: plan.fabric.ports[port.index()].rate,
        })
    }
}
