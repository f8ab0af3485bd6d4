//! The parts of the fabric model that both engines share: frames, NICs, ports' constants, faults.

pub mod fault_error;
pub mod fault_plan;
pub mod faults;
pub mod frame;
pub mod hosts;
pub mod link;
pub mod nic;
pub mod port;
pub mod stop;
mod triggers;
mod windows;
