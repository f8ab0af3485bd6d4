//! Raddle: the laboratory for AI-training fabrics.

pub mod report;
