//! Linear programs by Clarabel's interior-point method: Rust alone. The program is set up once;
//! other capacities change its right side.

use super::program::{Program, SolveError};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT::NonnegativeConeT,
    SupportedConeT::ZeroConeT,
};

/// Gap and infeasibility at which the method stops.
const TOLERANCE: f64 = 1e-9;

pub(super) struct Interior {
    solver: DefaultSolver<f64>,
    right: Vec<f64>,
    balances: usize,
}

impl Interior {
    pub(super) fn new(program: &Program, capacities: &[f64]) -> Result<Self, SolveError> {
        let variables = program.columns.len();
        let rows = program.balances + program.capacities;
        let (mut start, mut at, mut factors) = (vec![0], Vec::new(), Vec::new());
        for (variable, column) in program.columns.iter().enumerate() {
            for &(row, factor) in column {
                at.push(row);
                factors.push(factor);
            }
            at.push(rows + variable);
            factors.push(-1.0);
            start.push(at.len());
        }
        let matrix = CscMatrix::new(rows + variables, variables, start, at, factors);
        let mut gain = vec![0.0; variables];
        gain[variables - 1] = -1.0;
        let mut right = vec![0.0; rows + variables];
        right[program.balances..rows].copy_from_slice(capacities);
        let cones =
            [ZeroConeT(program.balances), NonnegativeConeT(rows - program.balances + variables)];
        let settings = DefaultSettings {
            verbose: false,
            max_threads: 1,
            tol_gap_abs: TOLERANCE,
            tol_gap_rel: TOLERANCE,
            tol_feas: TOLERANCE,
            presolve_enable: false,
            ..DefaultSettings::default()
        };
        let quadratic = CscMatrix::zeros((variables, variables));
        let solver = DefaultSolver::new(&quadratic, &gain, &matrix, &right, &cones, settings)
            .map_err(|error| SolveError(error.to_string()))?;
        Ok(Self { solver, right, balances: program.balances })
    }

    /// The greatest value of the last variable.
    pub(super) fn solve(&mut self, capacities: &[f64]) -> Result<f64, SolveError> {
        let place = self.balances..self.balances + capacities.len();
        if self.right[place.clone()] != *capacities {
            self.right[place].copy_from_slice(capacities);
            let changed = self.solver.update_b(&self.right);
            changed.map_err(|error| SolveError(error.to_string()))?;
        }
        self.solver.solve();
        match self.solver.solution.status {
            SolverStatus::Solved | SolverStatus::AlmostSolved => {
                Ok(self.solver.solution.x.last().copied().unwrap_or(0.0).max(0.0))
            }
            status => Err(SolveError(format!("{status:?}"))),
        }
    }

    /// What a little more of each capacity would add.
    pub(super) fn prices(&self) -> &[f64] {
        let capacities = self.right.len() - self.solver.solution.x.len() - self.balances;
        &self.solver.solution.z[self.balances..self.balances + capacities]
    }
}
