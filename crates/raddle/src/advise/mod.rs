//! `raddle advise`: which fabric, by how much, how sure, and what would change the answer.
//!
//! A [`Question`] names candidates, works, what breaks and how often. [`Search`] says which runs are
//! needed next, given those that are there; what they gave becomes [`Measured`], and that an
//! [`Answer`] by the question's rates, or by others.

mod answer;
mod cell;
mod changes;
mod counted;
mod counts;
mod crossing;
mod drive;
mod estimate;
mod folder;
mod json;
mod measured;
mod odds;
mod page;
mod parts;
mod pieces;
mod question;
mod race;
mod rank;
mod search;
mod text;

pub use answer::Answer;
pub use counts::Counts;
pub use crossing::{Crossing, Knob};
pub use drive::{Halt, Round, drive};
pub use estimate::{Estimate, Lost};
pub use folder::{ANSWER_FILE, PAGE_FILE, RUNS_FOLDER, kept};
pub use json::{SCHEMA, measured};
pub use measured::{
    Counted, Draw, Ended, Left, Measured, OfCandidate, OfEvents, OfStratum, OfWork, Weighing,
};
pub use odds::{Class, CutPairs, Job, Placed, Rates, Strata, Stratum};
pub use question::{Objective, Question, sections};
pub use race::Behind;
pub use rank::Standing;
pub use search::{Next, Ran, Results, Search};

#[cfg(test)]
mod tests;
