//! Raddle as a library: scenarios, studies and reports.
//!
//! Data flows one way: a scenario becomes validated plans, plans become runs, runs become tables,
//! tables become comparisons and reports.

pub mod bounds;
pub mod catalogue;
pub mod families;
pub mod import;
pub mod plugins;
pub mod problem;
pub mod report;
pub mod scenario;
pub mod schema;
pub mod study;
pub mod text_file;
pub mod theory;
pub mod throughput;
pub mod train;
