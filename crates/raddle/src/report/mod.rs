//! `report.html`: one file that answers which scheme wins, why, for whom, and what was run.
//!
//! [`Report`] is plain data that the caller fills; [`Report::html`] makes the page. Everything the
//! page needs is inside it, so it opens from a file with no network.

pub mod comparison;
mod data;
mod detail;
mod html;
mod json;
mod thin;

pub use data::{
    Bound, Cell, Claim, Claims, Condition, Counts, Detail, Entry, Event, FaultWindow, Interval,
    Limit, Look, Metric, Port, ProbeLine, Provenance, Report, Run, Scheme, Table,
};
pub(crate) use detail::detail;
pub use html::escape;
pub(crate) use html::{fill, script_safe};
