//! Raddle as a library: scenarios, studies, reports.

pub mod problem;
pub mod scenario;
