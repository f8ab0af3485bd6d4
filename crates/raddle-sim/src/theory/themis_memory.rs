//! What Themis keeps in a ToR.
//!
//! Themis, Appendix B, Tables 2 to 4: each queue pair has bytes at the sender's ToR and at the
//! receiver's, and each switch a map of paths.

use super::{Answers, Card, Quantity};
use raddle_schemes::tor::themis;

/// What `raddle theory themis_memory` says.
pub const CARD: Card = Card {
    name: "themis_memory",
    title: "what Themis keeps in a ToR",
    paper: "Themis, EuroSys 2026, Appendix B",
    quantities: &[
        Quantity { name: "source_bytes", doc: "of a queue pair, at its sender's ToR" },
        Quantity { name: "destination_bytes", doc: "of a queue pair, at its receiver's ToR" },
        Quantity { name: "switch_bytes", doc: "both for all queue pairs, and the map of paths" },
    ],
};

raddle_schemes::parameters! {
    /// A ToR.
    pub struct ThemisMemory {
        /// Paths between two ToRs.
        pub paths: u32 = 128, in 1..=65_536;
        /// The most packets that a NIC has outstanding.
        pub window: u32 = 512, in 1..=1_048_576;
        /// Queue pairs of a NIC between racks.
        pub queue_pairs: u32 = 512, in 1..=16_777_216;
        /// NICs below the ToR.
        pub nics: u32 = 16, in 1..=65_536;
    }
}

impl Answers for ThemisMemory {
    fn values(&self, _: u64) -> Vec<f64> {
        let (paths, window) = (self.paths.into(), self.window.into());
        let pairs = u64::from(self.queue_pairs) * u64::from(self.nics);
        let of = [
            themis::source_bytes(paths),
            themis::destination_bytes(paths, window),
            themis::switch_bytes(paths, window, pairs),
        ];
        of.iter().map(|bytes| *bytes as f64).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables 3 and 4, and the formula with the values of Table 2.
    #[test]
    fn the_bytes_of_appendix_b_are_known() {
        let values = Answers::values(&ThemisMemory::default(), 1);
        assert_eq!(values, [516.0, 661.0, 9_642_240.0]);
        let one = ThemisMemory { paths: 1, window: 4, queue_pairs: 1, nics: 1 };
        assert_eq!(Answers::values(&one, 1), [8.0, 26.0, 36.0]);
    }
}
