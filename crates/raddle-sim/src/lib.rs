//! The world in which schemes run: fabrics, traffic, faults, and two engines that agree.
//!
//! A [`plan::Plan`] is everything a run depends on, already proved valid. [`engine::run`] turns it
//! into a [`record::Outcome`]; it cannot fail and prints nothing. [`mod@reference`] does the same,
//! slowly and obviously; both run the same schemes and give identical outcomes.
//!
//! # Where to begin
//! - [`plan::Plan::new`]: a plan with every default, whose public fields you change.
//!   [`Plan::check_limits`](plan::Plan::check_limits) is to be asked before it is run.
//! - [`topology`]: fat trees and other trees ([`topology::tree::TreeShape`]), dumbbells, graphs.
//! - [`workload`]: who sends what when, and what waits for what.
//! - [`faults::spec`]: what breaks.
//! - [`record::Outcome`]: what a run leaves; [`record::RecordPlan`] asks for more of it.
//!
//! # A run by hand
//! ```
//! use raddle_schemes::load_balance::host;
//! use raddle_schemes::units::{Bytes, Rate, Span};
//! use raddle_sim::plan::Plan;
//! use raddle_sim::record::Stop;
//! use raddle_sim::topology::tree::TreeShape;
//! use raddle_sim::workload::permutation::Permutation;
//! use raddle_sim::{check, engine};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (link, switch) = (Span::ns(500), Span::ns(500));
//! let fabric = TreeShape::fat_tree(2, 16, Rate::gbps(400), link, switch)?.build()?;
//! let draw = Permutation { message: Bytes::kib(256), inter_pod_only: false };
//! let traffic = draw.generate(fabric.hosts, &|_| 0, 1)?;
//! let mut plan = Plan::new(fabric, traffic, 1);
//! plan.transport.load_balance = host::Config::named("reps").ok_or("no such scheme")?;
//! plan.check_limits()?;
//!
//! let outcome = engine::run(&plan, &mut ());
//! assert_eq!(outcome.stop, Stop::Completed);
//! assert!(check::violations(&plan, &outcome).is_empty());
//! # Ok(())
//! # }
//! ```
//! `examples/` has a plan with a fabric that breaks, two jobs and a scheme of its own.

pub mod bound;
mod cbfc;
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
mod retry;
pub mod theory;
pub mod topology;
pub mod waits;
pub mod wire;
pub mod workload;
