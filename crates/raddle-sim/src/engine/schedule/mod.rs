//! When things run: windows of time, the steps of a run, and which nodes have something to do.

pub(super) mod calendar;
pub(super) mod steps;
pub(super) mod windows;
