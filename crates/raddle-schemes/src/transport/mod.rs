//! The one sender and the one receiver, composed of a path selector, a congestion control and a
//! recovery. Sans-IO: the simulator's NIC and a real socket drive the same code.

pub mod arrivals;
pub mod data;
pub mod granter;
pub mod grants;
pub mod ledger;
mod pacer;
pub mod packet_set;
pub mod receiver;
mod ring;
pub mod sender;

pub use arrivals::{Arrival, Arrivals, Entry};
pub use data::{Data, Reply};
pub use granter::{Granter, Notice};
pub use grants::Grants;
pub use ledger::Ledger;
pub use packet_set::PacketSet;
pub use receiver::Receiver;
pub use sender::{AckHeader, FlowTemplate, NackHeader, Sender, SenderPlan, Transmit};
