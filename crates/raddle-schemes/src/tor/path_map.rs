//! The path map of fabrics in which switches above the ToR choose, too: what to add to the entropy
//! for each relative path (spec, section 2.13). It hangs on hashes that are linear.

use crate::load_balance::switch::ecmp_linear::{Tier, linear};
use alloc::vec::Vec;

/// What to add (exclusive or) to an entropy, by relative path: ways of the ToR fastest. Empty where
/// there is no choice above the ToR, and where the ways are no powers of two, or too many for the hash
/// to tell apart.
pub(super) fn path_map([low, high]: [u32; 2]) -> Vec<u16> {
    let are_told_apart = low.is_power_of_two() && high.is_power_of_two();
    let paths = low.checked_mul(high).filter(|_| are_told_apart && high > 1);
    let Some(paths) = paths else { return Vec::new() };
    let way = |tier, delta, ways: u32| (u64::from(linear(tier, delta)) * u64::from(ways)) >> 32;
    let mut map = alloc::vec![None; paths as usize];
    let mut missing = paths;
    for delta in 0..=u16::MAX {
        let path = way(Tier::Edge, delta, low) + u64::from(low) * way(Tier::Above, delta, high);
        let entry = &mut map[path as usize];
        if entry.is_none() {
            *entry = Some(delta);
            missing -= 1;
        }
        // Each entry has its first delta: the others change nothing, and each ToR makes the map.
        if missing == 0 {
            break;
        }
    }
    map.into_iter().collect::<Option<_>>().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn every_path_has_its_own_entry_and_the_first_changes_nothing() {
        for ways in [[2, 2], [4, 4], [16, 8], [32, 32], [128, 128]] {
            let map = path_map(ways);
            assert_eq!(map.iter().collect::<BTreeSet<_>>().len() as u32, ways[0] * ways[1]);
            assert_eq!(map[0], 0);
        }
        for ways in [[3, 4], [16, 1]] {
            assert_eq!(path_map(ways), []);
        }
    }
}
