//! Demand: how much each node sends to each other, as a matrix.

pub mod measured;
mod named;
mod npy;
pub mod pattern;
mod read;

pub use named::{named, names};
pub use read::{Loaded, ReadError, read};

use raddle_circuits::matching::NODES_MAX;
use std::fmt;

/// Rates of all ordered pairs of nodes, in any unit; none to a node itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    nodes: usize,
    rates: Vec<f64>,
}

/// Why a matrix is no demand. Rows and columns count from 0, as nodes do.
#[derive(Clone, Debug, PartialEq)]
pub enum DemandError {
    /// Fewer than two nodes, or more than [`NODES_MAX`].
    Nodes(usize),
    /// A row has not as many entries as there are rows.
    Row {
        /// The row.
        row: usize,
        /// Its entries.
        entries: usize,
        /// The rows.
        rows: usize,
    },
    /// An entry is negative, infinite or no number.
    Entry {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// What it is.
        value: f64,
    },
    /// Nobody sends anything to another node.
    Zero,
}

impl fmt::Display for DemandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes(nodes) => write!(f, "{nodes} nodes; expected 2 to {NODES_MAX}"),
            Self::Row { row, entries, rows } => {
                let matrix = "a demand matrix is square";
                write!(f, "row {row} has {entries} entries, and there are {rows} rows; {matrix}")
            }
            Self::Entry { row, column, value } => {
                let expected = "expected a number that is not negative";
                write!(f, "row {row}, column {column} is {value}; {expected}")
            }
            Self::Zero => f.write_str("no node sends anything to another one"),
        }
    }
}

impl std::error::Error for DemandError {}

impl Demand {
    /// A demand of these rows. What a node sends to itself is dropped.
    ///
    /// # Errors
    /// [`DemandError`], with row and column.
    pub fn new(rows: &[Vec<f64>]) -> Result<Self, DemandError> {
        let nodes = rows.len();
        for (row, entries) in rows.iter().enumerate() {
            if entries.len() != nodes {
                return Err(DemandError::Row { row, entries: entries.len(), rows: nodes });
            }
            let wrong = |value: &f64| !value.is_finite() || *value < 0.0;
            if let Some(column) = entries.iter().position(wrong) {
                return Err(DemandError::Entry { row, column, value: entries[column] });
            }
        }
        if !(2..=NODES_MAX).contains(&nodes) {
            return Err(DemandError::Nodes(nodes));
        }
        let demand = Self::of(nodes, |from, to| rows[from][to]);
        if demand.largest_sum() > 0.0 { Ok(demand) } else { Err(DemandError::Zero) }
    }

    /// A demand given pair by pair, known to be good.
    pub(crate) fn of(nodes: usize, rate: impl Fn(usize, usize) -> f64) -> Self {
        let pairs = (0..nodes * nodes).map(|pair| (pair / nodes, pair % nodes));
        let rates = pairs.map(|(from, to)| if from == to { 0.0 } else { rate(from, to) });
        Self { nodes, rates: rates.collect() }
    }

    /// Nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// What one node sends to another.
    pub fn rate(&self, from: usize, to: usize) -> f64 {
        self.rates[from * self.nodes + to]
    }

    /// What one node sends to each.
    pub fn row(&self, from: usize) -> &[f64] {
        &self.rates[from * self.nodes..][..self.nodes]
    }

    /// Pairs that send something, with their rates.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let all = self.rates.iter().enumerate().filter(|(_, rate)| **rate > 0.0);
        all.map(|(pair, &rate)| (pair / self.nodes, pair % self.nodes, rate))
    }

    /// What each node sends, and what each receives.
    pub fn sums(&self) -> (Vec<f64>, Vec<f64>) {
        let mut received = vec![0.0; self.nodes];
        for from in 0..self.nodes {
            received.iter_mut().zip(self.row(from)).for_each(|(sum, rate)| *sum += rate);
        }
        ((0..self.nodes).map(|from| self.row(from).iter().sum()).collect(), received)
    }

    /// The most that a node sends or receives.
    pub fn largest_sum(&self) -> f64 {
        let (sent, received) = self.sums();
        sent.into_iter().chain(received).fold(0.0, f64::max)
    }

    /// The demand scaled so that the busiest node sends or receives 1, a node's capacity.
    pub fn normalised(&self) -> Self {
        let largest = self.largest_sum();
        Self::of(self.nodes, |from, to| self.rate(from, to) / largest)
    }

    /// The demand scaled row by row and column by column until every node sends and receives 1
    /// (Sinkhorn and Knopp), as far as its zeros allow: what is left after `rounds` or once no sum
    /// is off by more than 1e-12.
    pub fn balanced(&self, rounds: usize) -> Self {
        let mut balanced = self.clone();
        let share = |rate: f64, sum: f64| if sum > 0.0 { rate / sum } else { 0.0 };
        for _ in 0..rounds {
            let (sent, _) = balanced.sums();
            balanced = Self::of(self.nodes, |i, j| share(balanced.rate(i, j), sent[i]));
            let (sent, received) = balanced.sums();
            balanced = Self::of(self.nodes, |i, j| share(balanced.rate(i, j), received[j]));
            let off = |sum: &f64| (sum - 1.0).abs() < 1e-12 || *sum == 0.0;
            if sent.iter().all(off) && received.iter().all(off) {
                break;
            }
        }
        balanced
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_matrix_is_named_with_row_and_column() {
        let message = |rows: &[Vec<f64>]| Demand::new(rows).unwrap_err().to_string();
        let nan = message(&[vec![0.0, 1.0], vec![f64::NAN, 0.0]]);
        assert_eq!(nan, "row 1, column 0 is NaN; expected a number that is not negative");
        let negative = message(&[vec![0.0, -2.0], vec![0.0, 0.0]]);
        assert_eq!(negative, "row 0, column 1 is -2; expected a number that is not negative");
        let short = message(&[vec![0.0, 1.0], vec![0.0]]);
        assert!(short.starts_with("row 1 has 1 entries, and there are 2 rows"), "{short}");
        assert_eq!(message(&[vec![5.0, 0.0], vec![0.0, 5.0]]), DemandError::Zero.to_string());
        assert_eq!(message(&[vec![1.0]]), "1 nodes; expected 2 to 4096");
    }

    #[test]
    fn the_busiest_node_has_a_normalised_sum_of_one() {
        let demand = Demand::new(&[vec![0.0, 3.0, 1.0], vec![0.0; 3], vec![0.0, 2.0, 0.0]]);
        let demand = demand.unwrap().normalised();
        assert_eq!((demand.rate(0, 1), demand.rate(2, 1), demand.largest_sum()), (0.6, 0.4, 1.0));
    }

    #[test]
    fn a_balanced_demand_keeps_its_zeros_and_saturates_every_node() {
        let rows = [vec![0.0, 3.0, 1.0], vec![1.0, 0.0, 5.0], vec![2.0, 2.0, 0.0]];
        let balanced = Demand::new(&rows).unwrap().balanced(10_000);
        let (sent, received) = balanced.sums();
        assert!(sent.iter().chain(&received).all(|sum| (sum - 1.0).abs() < 1e-9));
        assert_eq!(balanced.pairs().count(), 6);
    }
}
