//! Which of a host's ports a packet leaves by, where hosts have one in each of several planes.
//!
//! A flow is asked when it gets in line for its next packet, so that a NIC still pulls: it waits at one
//! port at a time.

pub mod hash;
pub mod least_queued;
mod paths;
pub mod random;
pub mod round_robin;

pub use paths::{Paths, path_in_plane, plane_of};

/// What a flow's selector is built from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaneContext {
    /// How many planes there are, at most [`MOST_PLANES`].
    pub planes: u32,
    /// The flow's random stream; where connections outlive messages that of their first.
    pub stream: u64,
}

/// Most planes of a fabric.
pub const MOST_PLANES: u32 = 8;

/// The planes that there are to choose from.
pub struct Planes<'a> {
    /// A bit for each by which the host can send and the destination is reached, as far as the host
    /// knows; one at least.
    pub usable: u8,
    /// How many frames and flows wait at the host's port in a plane, with the one on the wire.
    pub waiting: &'a dyn Fn(u32) -> u32,
}

impl Planes<'_> {
    /// How many are usable.
    pub fn count(&self) -> u32 {
        self.usable.count_ones()
    }

    /// Whether a plane is usable.
    pub fn has(&self, plane: u32) -> bool {
        self.usable >> plane & 1 == 1
    }

    /// The usable planes, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        (0..MOST_PLANES).filter(|&plane| self.has(plane))
    }

    /// The usable plane with this index below [`Planes::count`].
    pub fn nth(&self, index: u32) -> u32 {
        self.iter().nth(index as usize).unwrap_or(0)
    }

    /// The first usable plane from `plane` on, round and round.
    pub fn from(&self, plane: u32) -> u32 {
        let behind = self.iter().find(|&other| other >= plane);
        behind.or_else(|| self.iter().next()).unwrap_or(0)
    }
}

/// Chooses the plane of each packet; one instance per flow.
pub trait PlaneSelector {
    /// Whether the packets of one flow take several planes, so that it may be as fast as all of its
    /// host's ports together.
    fn is_per_packet(&self) -> bool;

    /// The plane of the next packet, one of the usable ones.
    fn next_plane(&mut self, planes: &Planes<'_>) -> u32;
}

crate::family! { PlaneSelector, AnyPlaneSelector, PlaneContext;
    Hash: hash,
    RoundRobin: round_robin,
    Random: random,
    LeastQueued: least_queued,
}

impl AnyPlaneSelector {
    /// See [`PlaneSelector::is_per_packet`].
    pub fn is_per_packet(&self) -> bool {
        dispatch!(self, scheme => scheme.is_per_packet())
    }

    /// See [`PlaneSelector::next_plane`].
    pub fn next_plane(&mut self, planes: &Planes<'_>) -> u32 {
        dispatch!(self, scheme => scheme.next_plane(planes))
    }
}

impl Config {
    /// Whether the packets of one flow take several planes.
    pub fn is_per_packet(&self) -> bool {
        self.build(&PlaneContext { planes: 1, stream: 0 }).is_per_packet()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_selector_takes_a_usable_plane() {
        for scheme in SCHEMES {
            let config = Config::named(scheme.card.name).unwrap();
            for planes in 1..=MOST_PLANES {
                let mut selector = config.build(&PlaneContext { planes, stream: 5 });
                for usable in 1..=(u8::MAX >> (MOST_PLANES - planes)) {
                    let planes = Planes { usable, waiting: &|plane| plane % 3 };
                    let plane = selector.next_plane(&planes);
                    assert!(planes.has(plane), "{} of {usable:b}", scheme.card.name);
                }
            }
        }
    }
}
