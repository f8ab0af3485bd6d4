//! The parts of the fabric model that both engines share: frames, NICs, ports' constants, faults.

pub(crate) mod ahead;
mod connections;
mod ends;
mod fault_changes;
pub mod fault_error;
pub mod fault_plan;
mod fault_targets;
pub mod faults;
pub mod frame;
pub mod hosts;
pub mod layout;
pub mod link;
pub mod memory;
pub mod nic;
mod pauses;
pub mod port;
mod pulls;
mod slab;
mod slots;
mod source_routes;
pub mod stop;
mod tally;
mod timers;
pub mod totals;
pub(crate) mod triggers;
pub(crate) mod windows;
pub(crate) mod wire;
