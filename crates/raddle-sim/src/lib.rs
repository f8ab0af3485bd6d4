//! The world in which schemes run: fabrics, traffic, faults, and two engines that agree.
//!
//! A [`plan::Plan`] is everything a run depends on, already proved valid. [`engine::run`] turns it
//! into a [`record::Outcome`]; it cannot fail and prints nothing. [`mod@reference`] does the same,
//! slowly and obviously; both run the same schemes and give identical outcomes.

pub mod bound;
pub mod check;
mod cutoffs;
pub mod engine;
pub mod faults;
pub mod headroom;
pub mod host;
pub mod limits;
pub mod lossless;
mod middleware;
pub mod plan;
pub mod planning;
pub mod record;
pub mod reference;
pub mod theory;
pub mod topology;
pub mod waits;
pub mod wire;
pub mod workload;
