//! Raddle as a library: what the command line is made of.
//!
//! Data flows one way: a scenario becomes validated plans, plans become runs, runs become tables,
//! tables become comparisons, reports and figures.

pub mod cli;
pub mod figures;
pub mod import;
pub mod problem;
pub mod report;
pub mod scenario;
pub mod study;
pub mod verdict;
