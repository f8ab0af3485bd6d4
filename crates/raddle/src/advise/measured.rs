//! What runs gave, by candidate, work and state: all that an answer needs beside the rates.

use super::counts::Counts;
use super::odds::{Class, CutPairs, Job, Placed, Rates, Stratum};
use serde::{Deserialize, Serialize};

/// A drawn state of a stratum: what a step takes in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draw {
    /// Broken parts by class, where the stratum does not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<u32>,
    /// Seconds of a step, those of the healthy one over the mean rate of work over seeds; `None` where
    /// the job stands still with all of them.
    pub step_s: Option<f64>,
    /// Seconds of a healthy step with the same seeds.
    pub healthy_s: f64,
    /// Whether it stands still because hosts are cut off: nothing was run.
    #[serde(default)]
    pub cut: bool,
    /// The share of its seeds with which it stands still. Rates of work are means over all seeds.
    #[serde(default)]
    pub stuck: f64,
}

/// The states of a stratum that were drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfStratum {
    /// Which states.
    pub stratum: Stratum,
    /// In the order in which they were drawn.
    pub draws: Vec<Draw>,
}

/// The events of one class whose work lost was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfEvents {
    /// The class.
    pub class: usize,
    /// Seconds of work that each drawn part cost when it broke, beyond the rates before and after.
    pub down_s: Vec<f64>,
    /// The same when it came back.
    pub up_s: Vec<f64>,
    /// The same for a whole short outage.
    pub flap_s: Vec<f64>,
    /// Where they were not run, the most that each can cost, in seconds: that a part breaks and comes
    /// back, and that it flaps.
    pub not_run: Option<[f64; 2]>,
}

/// One work on one candidate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OfWork {
    /// Seconds of a step that no run can be faster than.
    pub bound_s: Option<f64>,
    /// Seconds of a healthy step, a seed each; `None` where it does not finish.
    pub healthy_s: Vec<Option<f64>>,
    /// The parts, by `[[failure]]` and `[[group]]`.
    pub classes: Vec<Class>,
    /// Pairs that cut off together.
    pub cut_pairs: Vec<CutPairs>,
    /// States with something broken.
    pub strata: Vec<OfStratum>,
    /// The probability of the states that were not looked at, as the question has the rates.
    pub left_out: f64,
    /// What changes cost.
    pub events: Vec<OfEvents>,
}

/// The rates by which states and events are weighed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Weighing {
    /// By class.
    pub rates: Vec<Rates>,
    /// Those that states as they come were drawn by.
    pub drawn_by: Vec<Rates>,
    /// How the job takes it.
    pub job: Job,
}

/// One candidate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OfCandidate {
    /// Its values, joined.
    pub name: String,
    /// What it is built of.
    pub counts: Counts,
    /// By work; empty where it left without a run.
    pub works: Vec<OfWork>,
    /// Why it left the race, if it did.
    pub left: Option<Left>,
    /// Equal where two candidates are the same runs.
    pub runs: String,
}

/// Why a candidate left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "why")]
pub enum Left {
    /// It breaks a constraint.
    Constraint {
        /// The constraint.
        text: String,
        /// What it has.
        has: f64,
    },
    /// Its steps do not finish although nothing is broken.
    Unfinished {
        /// Of which work.
        work: String,
    },
    /// It is behind another, by more than chance and by more than matters.
    Behind {
        /// After so many blocks.
        blocks: usize,
    },
}

/// How a work counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// What results call it.
    pub name: String,
    /// Its share of machine time while nothing is broken.
    pub weight: f64,
}

/// Why no further runs were made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// One candidate is left.
    #[default]
    Told,
    /// Those that are left differ by less than matters.
    WithinMargin,
    /// The last look was taken.
    Looks,
    /// The time was up.
    Budget,
}

/// All that runs gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// In the order of the question.
    pub candidates: Vec<OfCandidate>,
    /// Likewise.
    pub works: Vec<Counted>,
    /// What breaks, in words, by class.
    pub classes: Vec<String>,
    /// The rates that runs were made by.
    pub rates: Vec<Rates>,
    /// Why there are no more.
    pub ended: Ended,
    /// How many runs there were.
    pub runs: usize,
}

impl Measured {
    /// Whether its lists fit together: a file may have been changed.
    pub(super) fn is_whole(&self) -> bool {
        let classes = self.classes.len();
        let works = self.candidates.iter().flat_map(|own| &own.works);
        let fits = |own: &OfWork| {
            let stratum = |own: &OfStratum| {
                let counts = |counts: &Vec<u32>| counts.len() == classes;
                match own.stratum.placed {
                    Placed::AsTheyCome => own.draws.iter().all(|draw| counts(&draw.counts)),
                    _ => counts(&own.stratum.counts),
                }
            };
            own.classes.len() == classes
                && own.classes.iter().all(|class| class.critical <= class.parts)
                && own.cut_pairs.iter().all(|(a, b, _)| *a < classes && *b < classes)
                && own.events.iter().all(|events| events.class < classes)
                && own.strata.iter().all(stratum)
        };
        let candidates = self.candidates.iter();
        let all = |own: &OfCandidate| own.works.is_empty() || own.works.len() == self.works.len();
        self.rates.len() == classes
            && works.into_iter().all(fits)
            && candidates.into_iter().all(all)
    }
}
