//! The ports of switches: what is asked of all kinds of them, and the kinds.

pub(super) mod fast;
pub(super) mod general;
pub(super) mod kinds;
pub(super) mod scheduler;
