//! Models that published figures rest on and that need no simulation.

pub mod load_imbalance;
