//! Raddle as a library: scenarios, studies, reports.

pub mod import;
pub mod problem;
pub mod scenario;
