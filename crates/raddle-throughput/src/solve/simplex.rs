//! Linear programs by HiGHS: its simplex method starts from the last basis. A capacity is the upper
//! bound of a variable that takes up its row, which can be changed.

use super::program::{Program, SolveError};
use highs::{Col, HighsModelStatus, Model, RowProblem, Sense};

pub(super) struct Simplex {
    /// Taken out while it is solved.
    model: Option<Model>,
    /// The variable of each capacity.
    filled: Vec<Col>,
    bounds: Vec<f64>,
}

impl Simplex {
    pub(super) fn new(program: &Program, capacities: &[f64]) -> Result<Self, SolveError> {
        let mut problem = RowProblem::default();
        let last = program.columns.len() - 1;
        let gain = |variable: usize| if variable == last { 1.0 } else { 0.0 };
        let variables: Vec<Col> =
            (0..program.columns.len()).map(|v| problem.add_column(gain(v), 0.0..)).collect();
        let filled: Vec<Col> =
            capacities.iter().map(|&most| problem.add_column(0.0, 0.0..=most)).collect();
        let mut rows = vec![Vec::new(); program.balances + program.capacities];
        for (column, variable) in program.columns.iter().zip(&variables) {
            column.iter().for_each(|&(row, factor)| rows[row].push((*variable, factor)));
        }
        for (row, variable) in rows[program.balances..].iter_mut().zip(&filled) {
            row.push((*variable, -1.0));
        }
        for row in rows {
            problem.add_row(0.0..=0.0, row);
        }
        let mut model = problem
            .try_optimise(Sense::Maximise)
            .map_err(|status| SolveError(format!("{status:?}")))?;
        model.make_quiet();
        Ok(Self { model: Some(model), filled, bounds: capacities.to_vec() })
    }

    /// The greatest value of the last variable.
    pub(super) fn solve(&mut self, capacities: &[f64]) -> Result<f64, SolveError> {
        let lost = || SolveError("the model is lost".to_owned());
        let mut model = self.model.take().ok_or_else(lost)?;
        for ((column, bound), &most) in self.filled.iter().zip(&mut self.bounds).zip(capacities) {
            if *bound != most {
                *bound = most;
                model.change_column_bounds(*column, 0.0..=most);
            }
        }
        let solved = model.try_solve().map_err(|status| SolveError(format!("{status:?}")))?;
        let (status, value) = (solved.status(), solved.objective_value());
        self.model = Some(Model::from(solved));
        match status {
            HighsModelStatus::Optimal => Ok(value.max(0.0)),
            status => Err(SolveError(format!("{status:?}"))),
        }
    }
}
