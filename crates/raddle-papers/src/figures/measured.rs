//! What was measured for a claim.

use super::Mode;
use super::answers::Answers;
use super::claim::Claim;
use super::digits::six_digits;
use super::increase::NamedBound;
use super::run::FigureRun;

/// What was measured for a claim.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Measured {
    /// As [`ClaimResult::measured`](super::ClaimResult::measured).
    pub(super) value: Option<f64>,
    /// As [`ClaimResult::bounds`](super::ClaimResult::bounds).
    pub(super) bounds: Vec<NamedBound>,
}

impl Measured {
    /// Measures what this mode measures of a claim.
    pub(super) fn of(claim: &Claim, runs: &[FigureRun], mode: Mode, answers: &Answers) -> Self {
        if mode == Mode::Quick && !claim.quick {
            return Self::default();
        }
        let value = claim.measure.take(runs, mode, answers).map(six_digits);
        let rounded = |bound: NamedBound| NamedBound { us: six_digits(bound.us), ..bound };
        Self { value, bounds: claim.measure.bounds(runs).into_iter().map(rounded).collect() }
    }
}
