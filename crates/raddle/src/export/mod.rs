//! `raddle export`: what a run left behind, in the formats of other tools.
//!
//! A format is a file here. All of them read the tables of a run's folder; what was not recorded is
//! an error that says how to record it.

mod error;
mod frame;
mod pcapng;
mod perfetto;
mod tables;
#[cfg(test)]
mod tests;
mod trace;
mod traced;

pub use error::ExportError;
pub use pcapng::pcapng;
pub use perfetto::{MOST_HOPS, perfetto};
pub use tables::tables;

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// How many records, events or rows.
    pub records: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// What is not in them, and how to have it.
    pub notes: Vec<String>,
}
