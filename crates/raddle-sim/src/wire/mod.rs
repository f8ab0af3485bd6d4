//! What travels between nodes, and what ports and switches are given: both engines share it.

pub(crate) mod arbitration;
pub(crate) mod credit_frame;
pub mod frame;
pub(crate) mod note;
pub mod port_facts;
pub(crate) mod serialisation;
pub mod switch_memory;
mod training;
pub(crate) mod watchdog;
