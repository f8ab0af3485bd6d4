//! Why the numbers of a generated fabric do not fit together, and which would.

use raddle_schemes::load_balance::plane::MOST_PLANES;
use raddle_schemes::units::Time;
use std::fmt;

/// The most ports a generated fabric may have: 1,048,576 hosts in three tiers have 6.3 million.
pub const MAX_PORTS: u64 = 1 << 23;

/// Why a shape cannot be built. The text names the quantities and what would fit.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeError {
    /// A quantity that must be at least one is zero.
    Zero {
        /// The quantity.
        what: &'static str,
    },
    /// There are trees of two and three tiers only. Holds what was asked for.
    Tiers(u32),
    /// A host has a port in each of a few planes. Holds what was asked for.
    Planes(u32),
    /// A host is attached to a few ToRs. Holds what was asked for.
    TorsPerHost(u32),
    /// A tree without at least two hosts has no traffic. Holds what was asked for.
    Hosts(u32),
    /// A total is not a multiple of the size of its parts.
    Split {
        /// The total.
        what: &'static str,
        /// Its value.
        total: u32,
        /// The parts, their size included: `ToRs of 16 hosts`.
        parts: String,
        /// What the total must be a multiple of.
        multiple: u32,
    },
    /// Three tiers by default are k-ary fat trees, which have k^3 / 4 hosts for an even k.
    NotKAry {
        /// The number of hosts asked for.
        hosts: u32,
        /// The largest k-ary size below it, if there is one, and the smallest above it.
        nearest: (Option<u32>, u32),
    },
    /// The bandwidth asked for above a ToR is not a whole number of cables to each upper switch.
    Uplinks {
        /// Hosts below a ToR.
        hosts_per_tor: u32,
        /// Oversubscription asked for.
        oversubscription: f64,
        /// Cables that this would take.
        cables: f64,
        /// What the number of cables must be a multiple of (parallel cables).
        parallel: u32,
        /// Oversubscriptions with the next whole numbers of cables below and above.
        nearest: (Option<f64>, f64),
    },
    /// Oversubscription is not a positive finite number. Holds what was asked for.
    Oversubscription(f64),
    /// A quantity was given that this kind of tree does not have.
    Unused {
        /// The quantity.
        what: &'static str,
        /// Why there is no such thing.
        why: &'static str,
    },
    /// In two tiers all ToRs are in one pod.
    OnePod {
        /// The ToRs there are.
        tors: u32,
        /// The ToRs per pod asked for.
        tors_per_pod: u32,
    },
    /// The switches are too many for a table with a row for each two of them.
    Switches {
        /// How many there would be.
        switches: u64,
        /// How many are possible.
        most: u64,
    },
    /// A ToR has too many uplinks.
    ManyUplinks {
        /// How many were asked for.
        uplinks: usize,
        /// How many are possible.
        most: usize,
    },
    /// A hybrid fabric has too few ToRs. Holds what was asked for.
    FewTors(u32),
    /// What circuit switches connect is no matching of the ToRs in each slot.
    Matchings,
    /// A schedule of circuits does not follow another as a period of that ends.
    ChangeTime {
        /// When it is to.
        at: Time,
        /// When it could.
        near: Time,
    },
    /// Schedules of circuits follow each other, and frames go by slices.
    ChangeOfSlices,
    /// Circuits of a slice do not connect all ToRs. Holds its number.
    TornSlice {
        /// The slice, in order of its slot.
        slice: usize,
    },
    /// The fabric would have more ports than [`MAX_PORTS`].
    TooLarge {
        /// The ports it would have.
        ports: u64,
    },
}

impl ShapeError {
    /// The quantity that it is about, by the word that describes it.
    pub fn quantity(&self) -> &'static str {
        match self {
            Self::Tiers(_) => "tiers",
            Self::Planes(_) => "planes",
            Self::TorsPerHost(_) => "tors_per_host",
            Self::Hosts(_) | Self::NotKAry { .. } | Self::TooLarge { .. } => "hosts",
            Self::Uplinks { .. } | Self::Oversubscription(_) => "oversubscription",
            Self::OnePod { .. } => "tors_per_pod",
            Self::Switches { .. } => "switches",
            Self::ManyUplinks { .. } => "uplinks",
            Self::FewTors(_) => "tors",
            Self::Matchings => "design",
            Self::ChangeTime { .. } | Self::ChangeOfSlices => "change",
            Self::TornSlice { .. } => "routes",
            Self::Zero { what } | Self::Unused { what, .. } | Self::Split { what, .. } => what,
        }
    }
}

impl ShapeError {
    /// That each of these quantities is at least one.
    ///
    /// # Errors
    /// The first that is not.
    pub(super) fn at_least_one(quantities: &[(&'static str, u64)]) -> Result<(), Self> {
        match quantities.iter().find(|(_, n)| *n == 0) {
            Some((what, _)) => Err(Self::Zero { what }),
            None => Ok(()),
        }
    }
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero { what } => write!(f, "{what} is 0; it must be at least 1"),
            Self::Tiers(tiers) => write!(f, "tiers = {tiers}; a tree has 2 or 3 tiers"),
            Self::TorsPerHost(tors) => {
                write!(f, "tors_per_host = {tors}; there are 1 to {MOST_PLANES}")
            }
            Self::Planes(planes) => {
                write!(f, "planes = {planes}; there are 1 to {MOST_PLANES}")
            }
            Self::Hosts(hosts) => write!(f, "hosts = {hosts}; at least 2 are needed"),
            Self::Split { what, total, parts, multiple } => {
                write!(f, "{what} = {total} cannot be split into {parts}; nearest: ")?;
                let below = total - total % multiple;
                let above = u64::from(below) + u64::from(*multiple);
                if below > 0 { write!(f, "{below} or {above}") } else { write!(f, "{above}") }
            }
            Self::NotKAry { hosts, nearest: (below, above) } => {
                write!(
                    f,
                    "hosts = {hosts} is not the size of a k-ary fat tree of three tiers (k^3 / 4 \
                     for an even k); nearest: "
                )?;
                if let Some(below) = below {
                    write!(f, "{below} or ")?;
                }
                write!(f, "{above}; or give hosts_per_tor and tors_per_pod")
            }
            Self::Uplinks { hosts_per_tor, oversubscription, cables, parallel, nearest } => {
                write!(
                    f,
                    "oversubscription = {oversubscription} would give each ToR of {hosts_per_tor} \
                     hosts {cables} uplink cables, which is not a multiple of parallel = \
                     {parallel}; nearest oversubscription: "
                )?;
                if let Some(fewer) = nearest.0 {
                    write!(f, "{fewer} or ")?;
                }
                write!(f, "{}", nearest.1)
            }
            Self::Oversubscription(value) => {
                write!(f, "oversubscription = {value}; it must be a positive number such as 4.0")
            }
            Self::Unused { what, why } => write!(f, "{what} has no meaning here: {why}"),
            Self::OnePod { tors, tors_per_pod } => write!(
                f,
                "tors_per_pod = {tors_per_pod}, but two tiers have all {tors} ToRs in one pod; \
                 use {tors} or three tiers"
            ),
            Self::Switches { switches, most } => {
                write!(f, "the fabric would have {switches} switches; at most {most} are possible")
            }
            Self::ManyUplinks { uplinks, most } => {
                write!(f, "uplinks = {uplinks}; a ToR has at most {most} to circuit switches")
            }
            Self::FewTors(tors) => write!(f, "tors = {tors}; at least 2 are needed"),
            Self::Matchings => f.write_str(
                "a circuit switch connects each ToR to another one, or to itself, in each slot",
            ),
            Self::ChangeTime { at, near } => write!(
                f,
                "a schedule changes at {at}, within a period of the one before; {near} is the end of one"
            ),
            Self::ChangeOfSlices => f.write_str(
                "the schedule changes, and routes are by slices of one; \
                 leave one of the two out",
            ),
            Self::TornSlice { slice } => write!(
                f,
                "the circuits that stay up through slot {slice} do not connect all ToRs, as slices need; \
                 take a design whose switches turn one after another, as `opera`"
            ),
            Self::TooLarge { ports } => {
                write!(f, "the fabric would have {ports} ports; at most {} are possible", MAX_PORTS)
            }
        }
    }
}

impl std::error::Error for ShapeError {}
