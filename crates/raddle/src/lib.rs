//! Raddle as a library: what the command line is made of.

pub mod study;
