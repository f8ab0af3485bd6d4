//! The one sender and the one receiver, composed of a path selector, a congestion control and a
//! recovery, and what the messages that arrive at one host share: the pace of pulls, grants,
//! notifications. Sans-IO: the simulator's NIC and a real socket drive the same code.
//!
//! [`FlowTemplate`] makes the [`Sender`] of a message, [`Incoming`] is a receiving host, [`codec`] what
//! it tells senders, as bytes.

pub mod arrivals;
pub mod codec;
pub mod data;
pub mod granter;
pub mod grants;
pub mod incoming;
pub mod ledger;
pub mod notifier;
mod pacer;
pub mod packet_set;
pub mod puller;
pub mod receiver;
mod ring;
pub mod sender;

pub use arrivals::{Arrival, Arrivals, Entry};
pub use data::{Data, Reply};
pub use granter::{Granter, Notice};
pub use grants::Grants;
pub use incoming::Incoming;
pub use ledger::Ledger;
pub use notifier::Notifier;
pub use packet_set::PacketSet;
pub use puller::{Pull, Puller};
pub use receiver::Receiver;
pub use sender::{AckHeader, FlowTemplate, NackHeader, Sender, SenderPlan, Transmit};
