//! Raddle as a library: scenarios, studies and reports.
//!
//! Data flows one way: a scenario becomes validated plans, plans become runs, runs become tables,
//! tables become comparisons and reports.
//!
//! # Where to begin
//! - [`scenario::parse`] reads a scenario; [`scenario::Scenario::resolve`] gives the plan of a seed,
//!   which `raddle_sim::engine::run` runs.
//! - [`study`] runs many of them, keeps what they leave, and compares.
//! - [`plugins`] gives schemes of another crate names in scenarios.
//!
//! ```
//! use raddle::scenario;
//! use raddle_sim::engine;
//! use std::path::Path;
//!
//! let text = r#"
//! [fabric]
//! topology = { kind = "fat_tree", hosts = 16 }
//! [traffic]
//! kind = "permutation"
//! message = "64 KiB"
//! "#;
//! let study = scenario::parse("by_hand.toml", text, Path::new("."), &[])?;
//! let plan = study.cells[0].scenario.resolve(1).map_err(|why| format!("{why:?}"))?;
//! let outcome = engine::run(&plan, &mut ());
//! assert!(outcome.flows.iter().all(|flow| flow.acked.is_some()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod advise;
pub mod bounds;
pub mod catalogue;
pub mod export;
pub mod families;
pub mod import;
pub mod inventory;
pub mod plugins;
pub mod problem;
pub mod report;
pub mod results;
pub mod scenario;
pub mod schema;
pub mod study;
pub mod text_file;
pub mod theory;
pub mod throughput;
pub mod train;
pub mod vectors;
pub mod view;
