//! A linear program in the form that flows over capacities have, and what solves it.

use std::fmt;

/// Maximise the last variable; all are at least 0. The first rows are equal to 0; of the rows behind
/// them, each is at most its capacity.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    /// Rows and factors of each variable, rows ascending.
    pub(super) columns: Vec<Vec<(usize, f64)>>,
    /// Rows that are equal to 0.
    pub(super) balances: usize,
    /// Rows that are at most a capacity.
    pub(super) capacities: usize,
}

/// Why a program has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolveError(
    /// What the solver says.
    pub String,
);

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the linear program has no answer: {}", self.0)
    }
}

impl std::error::Error for SolveError {}
