//! The parts of the fabric model that both engines share: packets, NICs, queues, faults.

pub mod faults;
