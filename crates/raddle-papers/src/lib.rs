//! What papers published, run again: their figures, the verdict on every load balancer,
//! and schedules of circuits as pictures.
//!
//! # Where to begin
//! - [`figures::find`]: the figures of a paper, or one, by name; [`figures::Figure::reproduce`] runs it
//!   and judges each claim, [`figures::Figure::recorded`] has what the last full run gave.
//! - [`verdict::Workload`]: a load balancer against all others, on one workload.
//! - [`schedule::picture`]: who is connected to whom and when, as SVG.
//!
//! # A figure in its quick form
//! ```
//! use raddle::study::run::Runner;
//! use raddle_papers::figures::{self, Mode};
//! use raddle_sim::engine;
//! use std::sync::atomic::AtomicBool;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let stop = AtomicBool::new(false);
//! let runner =
//!     Runner { engine: &engine::run, bound: |_| None, threads: 1, stop: &stop, meter: &() };
//! let [figure] = figures::find("reps/theorem_5_1")[..] else { return Err("no such figure".into()) };
//! let result = figure.reproduce(Mode::Quick, &runner)?;
//! // Each claim that differs has a reason.
//! assert_eq!(result.unexplained().count(), 0);
//! # Ok(())
//! # }
//! ```

mod circuits;
pub mod figures;
pub mod schedule;
mod svg;
pub mod verdict;
