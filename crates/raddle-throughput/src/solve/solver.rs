//! What solves linear programs.

/// What keeps one program and solves it for several capacities.
#[cfg(not(feature = "highs"))]
pub(super) type Solver = super::interior::Interior;
/// What keeps one program and solves it for several capacities, warm.
#[cfg(feature = "highs")]
pub(super) type Solver = super::simplex::Simplex;
