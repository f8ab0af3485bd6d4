//! What papers published, run again: their figures, the verdict on every load balancer,
//! and schedules of circuits as pictures.

mod circuits;
pub mod figures;
pub mod schedule;
mod svg;
pub mod verdict;
