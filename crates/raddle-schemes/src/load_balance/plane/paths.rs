//! Paths over several planes, for path selectors that name the plane of each packet.

use crate::ids::Entropy;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Bits of an entropy below those of the plane.
const PATH_BITS: u32 = 13;

/// What a flow's host knows of the paths to its destination.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Paths {
    /// Switches hash entropies: any of them is a path in each of so many planes.
    Hashed {
        /// How many planes there are, one at least.
        planes: u32,
    },
    /// By plane, the routes that switches follow.
    Routes(Vec<Vec<Entropy>>),
}

impl Paths {
    /// How many planes there are.
    pub fn planes(&self) -> u32 {
        match self {
            Self::Hashed { planes } => *planes,
            Self::Routes(routes) => routes.len() as u32,
        }
    }

    /// How many entropies are paths of one plane, where switches hash them.
    pub(crate) fn hashed_values(planes: u32) -> u32 {
        1 << if planes == 1 { u16::BITS } else { PATH_BITS }
    }
}

/// A path in a plane: where there are several, the bits above the path's are the plane's. A route leaves
/// them free in two tiers with one cable between any two switches, where the upper digit is 0.
pub fn path_in_plane(path: Entropy, plane: u32, planes: u32) -> Entropy {
    debug_assert!(planes == 1 || path.0 >> PATH_BITS == 0);
    if planes == 1 { path } else { Entropy((plane << PATH_BITS) as u16 | path.0) }
}

/// The plane of a path, of so many.
pub fn plane_of(path: Entropy, planes: u32) -> u32 {
    if planes == 1 { 0 } else { u32::from(path.0 >> PATH_BITS) % planes }
}
