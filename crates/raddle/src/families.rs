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
    /// The words of what a scheme of this name shows of its state (`record.probes`).
    pub probes: fn(&str) -> Vec<&'static str>,
}

/// That of schemes that show nothing.
fn none(_name: &str) -> Vec<&'static str> {
    Vec::new()
}

/// That of schemes of a family of this module.
macro_rules! probes {
    ($module:path) => {{
        use $module as family;
        |name: &str| family::Config::named(name).map_or_else(Vec::new, |own| own.probes())
    }};
}

const fn family(
    title: &'static str,
    key: &'static str,
    heading: &'static str,
    schemes: &'static [Scheme],
    probes: fn(&str) -> Vec<&'static str>,
) -> Family {
    Family { title, key, heading, schemes, probes }
}

/// Every family.
pub const FAMILIES: [Family; 9] = [
    family(
        "Host load balancing",
        "transport.load_balance",
        "### [transport] load_balance",
        host::SCHEMES,
        probes!(raddle_schemes::load_balance::host),
    ),
    family("Planes", "transport.plane", "### [transport] plane", plane::SCHEMES, none),
    family(
        "Switch load balancing",
        "fabric.load_balance",
        "### [fabric] load_balance",
        switch::SCHEMES,
        probes!(raddle_schemes::load_balance::switch),
    ),
    family(
        "Congestion control",
        "transport.congestion",
        "### [transport] congestion",
        congestion::SCHEMES,
        probes!(raddle_schemes::congestion),
    ),
    family(
        "Recovery",
        "transport.recovery",
        "### [transport] recovery",
        recovery::SCHEMES,
        probes!(raddle_schemes::recovery),
    ),
    family("Marking", "fabric.queue.marking", "### [fabric] queue.marking", marking::SCHEMES, none),
    family(
        "Shared memory",
        "fabric.buffer",
        "### [fabric] buffer",
        buffer::SCHEMES,
        probes!(raddle_schemes::buffer),
    ),
    family(
        "Middleware in ToRs",
        "fabric.tor",
        "### [fabric] tor",
        tor::SCHEMES,
        probes!(raddle_schemes::tor),
    ),
    family("Planners", "transport.planner", "### [transport] planner", planner::SCHEMES, none),
];

/// The names of the schemes that a scenario selects at this path.
pub fn names(key: &str) -> impl Iterator<Item = &'static str> {
    let schemes = FAMILIES.iter().find(|family| family.key == key).map(|family| family.schemes);
    schemes.into_iter().flatten().map(|scheme| scheme.card.name)
}
