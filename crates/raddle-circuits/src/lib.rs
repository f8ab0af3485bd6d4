//! Schedules of circuit switches: what each connects in each slot, for how long, and when it is dark.
//!
//! Begin with [`schedule::Schedule`]: matchings ([`matching::Matching`]) by switch and slot. What it
//! connects over a period, and how long, is a [`circuits::Circuits`] and a [`circuits::Capacity`].
//! What makes a schedule of a demand is in `raddle-throughput`; nothing here solves anything, so that
//! whoever plays a schedule needs no solver.
//!
//! # Two switches that turn
//! ```
//! use raddle_circuits::matching::Matching;
//! use raddle_circuits::schedule::Schedule;
//! use raddle_schemes::units::Span;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Four nodes, each to the next, the one after it, and so on; dealt to two switches in turn.
//! let shifts: Vec<Matching> = (0..4).map(|by| Matching::shift(4, by)).collect();
//! let schedule = Schedule::dealt(&shifts, 2, Span::us(100), Span::us(10))?;
//! assert_eq!(schedule.period(), Span::us(200));
//! assert_eq!(schedule.duty(), 0.9);
//! // Each pair has one circuit of the period, and the next node is reached in one of two slots.
//! assert_eq!(schedule.circuits().count(0, 1), 1);
//! assert_eq!(schedule.switches()[1][0].target(0), 1);
//! # Ok(())
//! # }
//! ```

pub mod circuits;
pub mod matching;
pub mod schedule;
