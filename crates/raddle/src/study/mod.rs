//! Studies: many runs of one experiment, run in parallel, stored, summarised and compared.
//!
//! A [`run::Job`] is one scenario with one seed. [`run::Runner`] runs jobs and hands each finished
//! run to a [`run::Sink`] at once; [`store::Store`] is the sink that keeps runs on disk. What a run
//! is reduced to is a [`summary::RunSummary`]; [`compare`] sets the summaries of many side by side.

pub mod circuits;
pub mod compare;
mod damage;
pub mod estimate;
#[cfg(test)]
pub(crate) mod fixture;
pub mod gather;
pub mod jobs;
pub mod lock;
pub mod machine;
pub mod memory;
pub mod metric;
pub mod outcomes;
pub mod place;
pub mod progress;
pub mod quantiles;
pub mod run;
pub mod stats;
pub mod steps;
pub mod store;
pub mod summary;
mod table_hashes;
pub mod tables;
pub mod text;
pub mod timing;
pub mod unfinished;
pub mod why;

/// The version that tables and folders carry.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version and a hash of the sources: what is kept on disk is of use to the build that made it
/// alone, as another one may come to other results.
pub const BUILD: &str = env!("RADDLE_BUILD");
