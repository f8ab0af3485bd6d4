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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::measured::MEASURED;
    use crate::designs::vermilion::{Recipe, Spare, circuits};
    use crate::rounding::Rounding;
    use crate::solve::circuits::circuits_of;
    use crate::solve::interior::Interior;
    use crate::solve::multi_hop;
    use crate::solve::multi_hop::program;
    use raddle_circuits::circuits::Circuits;

    #[test]
    fn both_solvers_agree_on_the_measured_matrices() {
        let jobs: Vec<_> = MEASURED.iter().filter(|job| job.published.is_some()).collect();
        assert_eq!(jobs.len(), 4);
        for job in jobs {
            let demand = job.demand().normalised();
            let nodes = demand.nodes();
            let oblivious = Circuits::complete(nodes, 1, true).capacity(1.0 / nodes as f64);
            let rounding = Rounding::Bottleneck;
            let recipe = Recipe { k: 3, l: 1, rounding, self_loops: true, spare: Spare::Random };
            let vermilion = circuits(&demand, &recipe, 1, 0).capacity(1.0 / (3 * nodes) as f64);
            let on = circuits_of(&oblivious);
            assert_eq!(on, circuits_of(&vermilion), "the second program is solved warm");
            let shares = |of: &raddle_circuits::circuits::Capacity| -> Vec<f64> {
                on.iter().map(|&(i, j)| of.share(i, j)).collect()
            };
            let flows = program(&on, &demand);
            let mut simplex = Simplex::new(&flows, &shares(&oblivious)).unwrap();
            let mut interior = Interior::new(&flows, &shares(&oblivious)).unwrap();
            for capacity in [&oblivious, &vermilion, &oblivious] {
                let found = simplex.solve(&shares(capacity)).unwrap();
                let other = interior.solve(&shares(capacity)).unwrap();
                assert!((found - other).abs() < 1e-6, "{} {found} {other}", job.name);
                let lengths = multi_hop(capacity, &demand).unwrap();
                assert!((found - lengths).abs() < 1e-6, "{} {found} {lengths}", job.name);
            }
        }
    }
}
