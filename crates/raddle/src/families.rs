//! The families of schemes, and where a scenario selects one of each.

use raddle_schemes::load_balance::{host, plane, switch};
use raddle_schemes::{Scheme, buffer, congestion, marking, planner, recovery, tor};

/// Schemes of one kind.
pub struct Family {
    /// What they are: `Host load balancing`.
    pub title: &'static str,
    /// Where a scenario selects one: `transport.load_balance`.
    pub key: &'static str,
    /// Heading of their table of parameters in docs/scenario.md.
    pub heading: &'static str,
    /// The schemes.
    pub schemes: &'static [Scheme],
}

const fn family(
    title: &'static str,
    key: &'static str,
    heading: &'static str,
    schemes: &'static [Scheme],
) -> Family {
    Family { title, key, heading, schemes }
}

/// Every family.
pub const FAMILIES: [Family; 9] = [
    family(
        "Host load balancing",
        "transport.load_balance",
        "### [transport] load_balance",
        host::SCHEMES,
    ),
    family("Planes", "transport.plane", "### [transport] plane", plane::SCHEMES),
    family(
        "Switch load balancing",
        "fabric.load_balance",
        "### [fabric] load_balance",
        switch::SCHEMES,
    ),
    family(
        "Congestion control",
        "transport.congestion",
        "### [transport] congestion",
        congestion::SCHEMES,
    ),
    family("Recovery", "transport.recovery", "### [transport] recovery", recovery::SCHEMES),
    family("Marking", "fabric.queue.marking", "### [fabric] queue.marking", marking::SCHEMES),
    family("Shared memory", "fabric.buffer", "### [fabric] buffer", buffer::SCHEMES),
    family("Middleware in ToRs", "fabric.tor", "### [fabric] tor", tor::SCHEMES),
    family("Planners", "transport.planner", "### [transport] planner", planner::SCHEMES),
];

/// The names of the schemes that a scenario selects at this path.
pub fn names(key: &str) -> impl Iterator<Item = &'static str> {
    let schemes = FAMILIES.iter().find(|family| family.key == key).map(|family| family.schemes);
    schemes.into_iter().flatten().map(|scheme| scheme.card.name)
}
