//! What papers published, run again: their figures, and the verdict on every load balancer.

pub mod figures;
mod svg;
pub mod verdict;
