//! Known answers: of numbers without runs, and of searches whose runs are made up.

mod numbers;
mod searches;
