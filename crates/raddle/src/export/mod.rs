//! `raddle export`: what a run left behind, in the formats of other tools.
//!
//! A format is a file here. All of them read the tables of a run's folder; what was not recorded is
//! an error that says how to record it.

mod error;
mod frame;
mod pcapng;
mod tables;
#[cfg(test)]
mod tests;
mod traced;

pub use error::ExportError;
pub use pcapng::pcapng;
pub use tables::tables;

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// How many records, events or rows.
    pub records: u64,
    /// Bytes of all files.
    pub bytes: u64,
}
