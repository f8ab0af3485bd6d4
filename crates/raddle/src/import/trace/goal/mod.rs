//! GOAL schedules of LogGOPSim: text, and the binary form that its `txt2bin` makes of it.
//!
//! The grammar is that of LogGOPSim (commit 76451de). What it takes without a word and does not mean is
//! an error here: a label that is defined twice, a processor above 255, sizes of a matched pair that
//! differ, ranks that are not there.

pub(super) mod binary;
pub(super) mod text;
pub(super) mod write;

use super::{Layout, Options};
use raddle_schemes::units::Span;
use raddle_sim::workload::job_graph::{Does, JobGraph, Rank, Style, UnitOrder};

/// Ranks that a file may have, so that a wrong number is no allocation.
const MOST_RANKS: u64 = 1 << 20;

/// A job of these ranks.
fn job(ranks: Vec<Rank>, options: &Options) -> JobGraph {
    JobGraph {
        ranks,
        groups: Vec::new(),
        send_done: options.send_done,
        order: UnitOrder::Ready,
        channels: 1,
        style: Style::default(),
    }
}

/// A time as the file counts it.
fn time(count: u64, unit: Span) -> Option<Does> {
    count.checked_mul(unit.0).map(|time| Does::Calc(Span(time)))
}

/// What is wrong with the network cards that a file names.
fn layout(nics: bool, options: &Options) -> Result<(), (&'static str, &'static str)> {
    match options.layout {
        Some(Layout::Rank) => Ok(()),
        _ if !nics => Ok(()),
        None => Err((
            "it names network cards above 0, and nothing in it says what a rank is",
            "set `layout = \"rank\"` if each rank is a host, whichever card it uses",
        )),
    }
}
