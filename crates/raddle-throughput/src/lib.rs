//! The throughput laboratory for circuit-switched fabrics: Mars, Vermilion, Vermilion with
//! predictions, and what they are compared with.
//!
//! A [`demand::Demand`] and a design give a [`raddle_circuits::schedule::Schedule`]: what each circuit switch connects
//! in each slot. Solvers say how much of any demand it carries.

pub mod bounds;
pub mod decompose;
pub mod demand;
pub mod designs;
pub mod evaluate;
pub mod gain;
pub mod noise;
pub mod order;
pub mod rounding;
pub mod solve;
