//! Themis-S: which path each packet takes (spec, section 2.4).

use crate::rng::Rng;
use alloc::boxed::Box;
use serde::Serialize;

/// One queue pair at the sender's ToR. Paths are relative ones: which of the fabric's a number
/// stands for hangs on the flow.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Source {
    paths: u32,
    /// The packet that the last NACK was for: whenever it is sent, it takes another path.
    nacked: Option<u32>,
    /// How many more packets avoid each path; empty where none is avoided.
    avoid: Box<[u32]>,
}

impl Source {
    /// Sprays over `paths`, more than one.
    pub(super) fn new(paths: u32) -> Self {
        Self { paths, nacked: None, avoid: Box::default() }
    }

    /// The path of packet `psn`.
    pub(super) fn on_data(&mut self, psn: u32, rng: &mut Rng) -> u32 {
        let own = psn % self.paths;
        if self.nacked == Some(psn) {
            return self.detour(own, rng);
        }
        match self.avoid.get_mut(own as usize) {
            Some(left) if *left > 0 => {
                *left -= 1;
                self.detour(own, rng)
            }
            _ => own,
        }
    }

    /// A NACK for packet `expected` has passed the receiver's ToR. With `avoid` the next so many
    /// packets of its path take others.
    pub(super) fn on_nack(&mut self, expected: u32, reroutes: bool, avoid: Option<u32>) {
        if reroutes {
            self.nacked = Some(expected);
        }
        if let Some(packets) = avoid {
            if self.avoid.is_empty() {
                self.avoid = alloc::vec![0; self.paths as usize].into();
            }
            self.avoid[(expected % self.paths) as usize] = packets;
        }
    }

    /// Any path but `own`, of those that are not avoided if there are others.
    fn detour(&self, own: u32, rng: &mut Rng) -> u32 {
        let avoided = |path: u32| self.avoid.get(path as usize).is_some_and(|left| *left > 0);
        let others = || (0..self.paths).filter(move |path| *path != own);
        let free = others().filter(|path| !avoided(*path)).count() as u64;
        let any = u64::from(self.paths) - 1;
        let picked = match free {
            0 => others().nth(rng.below(any) as usize),
            free => others().filter(|path| !avoided(*path)).nth(rng.below(free) as usize),
        };
        picked.unwrap_or(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn rng() -> Rng {
        Rng::new(1, "source", 0)
    }

    /// Spec, section 6, item 8, relative to `P_base`.
    #[test]
    fn only_the_packet_of_the_nack_is_sent_another_way() {
        let (mut source, mut rng) = (Source::new(4), rng());
        let paths: Vec<u32> = (0..6).map(|psn| source.on_data(psn, &mut rng)).collect();
        assert_eq!(paths, [0, 1, 2, 3, 0, 1]);
        source.on_nack(2, true, None);
        for _ in 0..100 {
            assert_ne!(source.on_data(2, &mut rng), 2);
        }
        assert_eq!(source.on_data(6, &mut rng), 2);
        source.on_nack(3, false, None);
        assert_eq!(source.on_data(3, &mut rng), 3, "without rerouting");
    }

    /// Spec, section 6, item 9.
    #[test]
    fn a_path_is_avoided_for_so_many_packets() {
        for seed in 0..50 {
            let (mut source, mut rng) = (Source::new(4), Rng::new(seed, "source", 0));
            source.on_nack(2, true, Some(3));
            assert_ne!(source.on_data(2, &mut rng), 2, "by the NACK, the count untouched");
            for psn in [6, 10, 14] {
                assert_ne!(source.on_data(psn, &mut rng), 2);
            }
            assert_eq!(source.on_data(18, &mut rng), 2);
        }
    }

    #[test]
    fn where_every_other_path_is_avoided_any_other_one_serves() {
        let (mut source, mut rng) = (Source::new(2), rng());
        source.on_nack(0, false, Some(9));
        source.on_nack(1, false, Some(9));
        assert_eq!((source.on_data(2, &mut rng), source.on_data(3, &mut rng)), (1, 0));
    }
}
