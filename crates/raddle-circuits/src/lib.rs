//! Schedules of circuit switches: what each connects in each slot, for how long, and when it is dark.
//!
//! Begin with [`schedule::Schedule`]. What makes one of a demand is in `raddle-throughput`; nothing
//! here solves anything, so that whoever plays a schedule needs no solver.

pub mod circuits;
pub mod matching;
pub mod schedule;
