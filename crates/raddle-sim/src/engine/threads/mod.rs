//! Parts at work side by side: the threads, how they meet, and what comes out.

pub(super) mod affinity;
pub(super) mod barrier;
pub(super) mod exchange;
pub(super) mod outcome;
pub(super) mod workers;
