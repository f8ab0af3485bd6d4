//! Switches: what their schemes see, and what their ports share.

pub(super) mod fast_path;
pub(super) mod flow_control;
pub(super) mod next_hops;
pub(super) mod shared_memory;
pub(super) mod view;
