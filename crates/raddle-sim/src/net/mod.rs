//! The parts of the fabric model that both engines share: packets, NICs, queues, faults.

mod fault_changes;
pub mod fault_error;
pub mod fault_plan;
mod fault_targets;
pub mod faults;
mod windows;
