//! A basis of the program of lengths: its variables, the inverse of their columns, their values.

use crate::demand::Demand;

/// Pivots after which rounding may show.
const WORN: usize = 600;
/// What is no more than this is nothing.
const NOTHING: f64 = 1e-13;

/// A variable of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variable {
    /// Capacity of a pair that is left.
    Spare(usize),
    /// What goes from the first node over the second to the third, instead of directly.
    Relay(usize, usize, usize),
    /// Throughput.
    Theta,
}

/// As many variables as there are ordered pairs of nodes, those of a node with itself included.
pub(super) struct Basis {
    nodes: usize,
    /// What each row has of theta.
    rates: Vec<f64>,
    variables: Vec<Variable>,
    /// The row of theta.
    theta: Option<usize>,
    /// Row by row, one a variable.
    inverse: Vec<f64>,
    values: Vec<f64>,
    pivots: usize,
}

impl Basis {
    /// No flow: all capacity is left.
    pub(super) fn new(demand: &Demand) -> Self {
        let nodes = demand.nodes();
        let pairs = nodes * nodes;
        let rates = (0..nodes).flat_map(|from| demand.row(from).to_vec()).collect();
        let variables = (0..pairs).map(Variable::Spare).collect();
        let mut inverse = vec![0.0; pairs * pairs];
        (0..pairs).for_each(|pair| inverse[pair * pairs + pair] = 1.0);
        Self { nodes, rates, variables, theta: None, inverse, values: vec![0.0; pairs], pivots: 0 }
    }

    /// Gives each pair a capacity.
    pub(super) fn set(&mut self, capacity: impl Fn(usize) -> f64) {
        let capacities: Vec<f64> = (0..self.values.len()).map(capacity).collect();
        for (value, row) in self.values.iter_mut().zip(self.inverse.chunks_exact(capacities.len()))
        {
            *value = row.iter().zip(&capacities).map(|(a, b)| a * b).sum();
        }
    }

    pub(super) fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The row of the inverse of a variable.
    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.inverse[row * self.values.len()..][..self.values.len()]
    }

    /// Length of each pair.
    pub(super) fn lengths(&self) -> &[f64] {
        self.theta.map_or(&[], |row| self.row(row))
    }

    pub(super) fn theta(&self) -> f64 {
        self.theta.map_or(0.0, |row| self.values[row])
    }

    /// What each basic variable gives up for one of this.
    pub(super) fn transformed(&self, variable: Variable) -> Vec<f64> {
        let rows = self.inverse.chunks_exact(self.values.len());
        let nodes = self.nodes;
        match variable {
            Variable::Spare(pair) => rows.map(|row| row[pair]).collect(),
            Variable::Relay(from, over, to) => {
                let parts = (from * nodes + over, over * nodes + to, from * nodes + to);
                rows.map(|row| row[parts.0] + row[parts.1] - row[parts.2]).collect()
            }
            Variable::Theta => {
                let of = |row: &[f64]| row.iter().zip(&self.rates).map(|(a, b)| a * b).sum();
                rows.map(of).collect()
            }
        }
    }

    /// The variable that is used up first as one with this column grows: of those that are within
    /// `room` of it, the one with the largest entry.
    pub(super) fn first_empty(&self, column: &[f64], room: f64, pivot: f64) -> Option<usize> {
        let open = || {
            let all = column.iter().zip(&self.values).enumerate();
            all.filter(|(_, (entry, _))| **entry > pivot)
        };
        let limits = open().map(|(_, (entry, value))| (value.max(0.0) + room) / entry);
        let limit = limits.fold(f64::INFINITY, f64::min);
        let within = open().filter(|(_, (entry, value))| value.max(0.0) / **entry <= limit);
        within.max_by(|a, b| a.1.0.total_cmp(b.1.0)).map(|(row, _)| row)
    }

    pub(super) fn least_value(&self) -> f64 {
        self.values.iter().copied().fold(0.0, f64::min)
    }

    /// The row of the variable that is furthest below 0, if any is by more than `room`.
    pub(super) fn most_infeasible(&self, room: f64) -> Option<usize> {
        let (row, value) = self.values.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1))?;
        (*value < -room).then_some(row)
    }

    /// Takes a variable with this column into the basis, for the one in the row.
    pub(super) fn pivot(&mut self, row: usize, column: &[f64], variable: Variable) {
        let pairs = self.values.len();
        let (before, rest) = self.inverse.split_at_mut(row * pairs);
        let (own, after) = rest.split_at_mut(pairs);
        let scale = 1.0 / column[row];
        own.iter_mut().for_each(|entry| *entry *= scale);
        let value = self.values[row] * scale;
        let others = before.chunks_exact_mut(pairs).chain(after.chunks_exact_mut(pairs));
        let factors = column[..row].iter().chain(&column[row + 1..]);
        for (other, &factor) in others.zip(factors) {
            if factor.abs() > NOTHING {
                other.iter_mut().zip(&*own).for_each(|(entry, own)| *entry -= factor * own);
            }
        }
        let values = self.values.iter_mut().zip(column);
        values.for_each(|(old, &factor)| *old -= factor * value);
        self.values[row] = value;
        if variable == Variable::Theta {
            self.theta = Some(row);
        }
        self.variables[row] = variable;
        self.pivots += 1;
    }

    pub(super) fn is_worn(&self) -> bool {
        self.pivots > WORN
    }

    /// Makes the inverse anew. Values have to be set again.
    pub(super) fn renew(&mut self) {
        let pairs = self.values.len();
        let kept = std::mem::take(&mut self.variables);
        self.variables = (0..pairs).map(Variable::Spare).collect();
        self.inverse.fill(0.0);
        (0..pairs).for_each(|pair| self.inverse[pair * pairs + pair] = 1.0);
        let mut free = vec![true; pairs];
        for variable in &kept {
            if let Variable::Spare(pair) = *variable {
                free[pair] = false;
            }
        }
        for &variable in kept.iter().filter(|variable| !matches!(variable, Variable::Spare(_))) {
            let column = self.transformed(variable);
            let rows = (0..pairs).filter(|&row| free[row]);
            let Some(row) = rows.max_by(|&a, &b| column[a].abs().total_cmp(&column[b].abs()))
            else {
                continue;
            };
            free[row] = false;
            self.pivot(row, &column, variable);
        }
        self.pivots = 0;
    }

    /// By how much flow exceeds a capacity, or is below 0, at most.
    pub(super) fn excess(&self, capacity: impl Fn(usize) -> f64) -> f64 {
        let nodes = self.nodes;
        let mut left: Vec<f64> = (0..self.values.len()).map(capacity).collect();
        let mut most = 0.0_f64;
        for (variable, &value) in self.variables.iter().zip(&self.values) {
            most = most.max(-value);
            let value = value.max(0.0);
            match *variable {
                Variable::Spare(_) => {}
                Variable::Relay(from, over, to) => {
                    left[from * nodes + over] -= value;
                    left[over * nodes + to] -= value;
                    left[from * nodes + to] += value;
                }
                Variable::Theta => {
                    left.iter_mut().zip(&self.rates).for_each(|(left, rate)| *left -= value * rate);
                }
            }
        }
        left.into_iter().fold(most, |most, left| most.max(-left))
    }
}
