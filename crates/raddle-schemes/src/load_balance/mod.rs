//! Load balancing: where the next packet goes, chosen by its sender or by each switch.

pub mod host;
pub mod plane;
pub mod route;
pub mod switch;
