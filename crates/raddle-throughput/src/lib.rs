//! The throughput laboratory for circuit-switched fabrics: Mars, Vermilion, Vermilion with
//! predictions, and what they are compared with.
//!
//! A [`demand::Demand`] and a design give a [`raddle_circuits::schedule::Schedule`]: what each circuit
//! switch connects in each slot. Solvers say how much of any demand it carries.
//!
//! # Where to begin
//! - [`demand::pattern`]: demands by name; [`demand::Demand::new`] takes a matrix of yours.
//! - [`designs::parse`]: a design by its word, with parameters, `vermilion:k=6,uplinks=8`;
//!   [`designs::DESIGNS`] lists them, each in a file of its own.
//! - [`evaluate::evaluate`]: what its schedule carries, over direct circuits and over all paths.
//!
//! # A design for a demand
//! ```
//! use raddle_throughput::demand::pattern;
//! use raddle_throughput::evaluate::evaluate;
//! use raddle_throughput::{designs, solve::Lp};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ring = pattern::shift(4, 1);
//! let uniform = pattern::uniform(4);
//! let vermilion = designs::parse("vermilion:k=3,uplinks=1")?;
//! let plan = vermilion.plan(&ring, 1)?;
//! // Nine of twelve slots are the ring's, over direct circuits.
//! let expected = evaluate(&plan, &ring, None)?;
//! assert_eq!(expected.single_hop, Some(0.75));
//! // Another demand than the one that it was made for, over all paths.
//! let surprise = evaluate(&plan, &uniform, Some(Lp::Correct))?;
//! assert!(surprise.multi_hop < expected.single_hop);
//! # Ok(())
//! # }
//! ```

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
