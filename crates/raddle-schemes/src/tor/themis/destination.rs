//! Themis-D: which NACKs are true (spec, section 2.5).

use super::psn::{distance, is_after};
use super::ring::Ring;
use alloc::boxed::Box;
use serde::Serialize;

/// What of it is switched on (spec, section 2.8).
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Rules {
    /// How many packets a NIC may have outstanding.
    pub(super) window: u32,
    /// A packet that is this far behind others takes its path for broken; `None` if nothing does.
    pub(super) threshold: Option<u32>,
    /// Whether a later packet of the same path is asked for before a NACK passes.
    pub(super) asks_path: bool,
    /// Whether a NACK of which nothing is known yet is kept.
    pub(super) keeps: bool,
}

/// One queue pair at the receiver's ToR.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Destination {
    rules: Rules,
    passed: Ring,
    /// The latest packet of each path that has passed.
    latest: Box<[Option<u32>]>,
    /// The NACK that waits for the truth.
    stash: Option<u32>,
}

/// A NACK that is true after all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Emitted {
    /// The packet that is missing.
    pub(super) expected: u32,
    /// Whether its path is taken for broken.
    pub(super) avoid: bool,
}

impl Destination {
    /// Nothing has passed yet over any of the `paths`.
    pub(super) fn new(paths: u32, rules: Rules) -> Self {
        let latest = alloc::vec![None; paths as usize].into();
        Self { rules, passed: Ring::new(rules.window), latest, stash: None }
    }

    /// A data packet is about to start on the wire to the NIC.
    pub(super) fn on_data(&mut self, psn: u32) -> Option<Emitted> {
        self.passed.mark(psn);
        let paths = self.latest.len() as u32;
        let latest = &mut self.latest[(psn % paths) as usize];
        if latest.is_none_or(|old| is_after(psn, old)) {
            *latest = Some(psn);
        }
        let expected = self.stash?;
        if psn == expected {
            self.stash = None;
            return None;
        }
        let avoid = if !is_after(psn, expected) {
            return None;
        } else if psn % paths == expected % paths {
            false
        } else if self.rules.threshold.is_some_and(|most| distance(psn, expected) > most) {
            true
        } else {
            return None;
        };
        self.stash = None;
        Some(Emitted { expected, avoid })
    }

    /// The NIC asks for packet `expected`, having all before it. Returns whether the NACK passes.
    pub(super) fn on_nack(&mut self, expected: u32) -> bool {
        self.on_ack(expected);
        if self.passed.has(expected) {
            return false;
        }
        let paths = self.latest.len() as u32;
        let latest = self.latest[(expected % paths) as usize];
        if !self.rules.asks_path || latest.is_some_and(|latest| is_after(latest, expected)) {
            return true;
        }
        if self.rules.keeps {
            self.stash = Some(expected);
        }
        false
    }

    /// The NIC has all packets before `expected`, so that an older NACK has no meaning any more.
    pub(super) fn on_ack(&mut self, expected: u32) {
        self.passed.advance(expected);
        self.stash = self.stash.filter(|stash| !is_after(expected, *stash));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules = Rules { window: 512, threshold: Some(448), asks_path: true, keeps: true };

    fn over(paths: u32) -> Destination {
        Destination::new(paths, RULES)
    }

    fn true_nack(expected: u32) -> Option<Emitted> {
        Some(Emitted { expected, avoid: false })
    }

    fn pass(tor: &mut Destination, psns: &[u32]) {
        for &psn in psns {
            assert_eq!(tor.on_data(psn), None, "{psn}");
        }
    }

    /// Spec, section 6, item 1 (Figure 6).
    #[test]
    fn a_nack_for_what_has_passed_is_dropped_and_one_that_was_overtaken_passes() {
        let mut tor = over(2);
        pass(&mut tor, &[0, 1, 3, 2]);
        assert!(!tor.on_nack(2));
        assert_eq!(tor.stash, None);
        let mut other = tor.clone();
        pass(&mut tor, &[6]);
        assert!(tor.on_nack(4));
        pass(&mut other, &[5]);
        assert!(!other.on_nack(4));
        assert_eq!(other.on_data(6), true_nack(4));
    }

    /// Spec, section 6, items 2 and 3 (Figure 7).
    #[test]
    fn a_nack_waits_for_a_later_packet_of_the_same_path_or_for_its_own() {
        let mut tor = over(2);
        pass(&mut tor, &[1]);
        assert!(!tor.on_nack(0));
        let mut other = tor.clone();
        assert_eq!(tor.on_data(2), true_nack(0));
        pass(&mut tor, &[4]);
        pass(&mut other, &[3, 0, 2, 4]);
        assert_eq!(other.stash, None);
    }

    /// Spec, section 6, item 4.
    #[test]
    fn a_newer_nack_takes_the_place_of_an_older_one() {
        let mut tor = over(2);
        pass(&mut tor, &[1]);
        assert!(!tor.on_nack(0));
        pass(&mut tor, &[0, 2, 3, 4, 6]);
        assert!(!tor.on_nack(5));
        assert_eq!(tor.stash, Some(5));
    }

    /// Spec, section 6, item 5.
    #[test]
    fn the_classifier_goes_by_path() {
        let mut tor = over(4);
        pass(&mut tor, &[0, 1, 2, 3, 8, 5, 6, 7]);
        assert!(tor.on_nack(4), "8 has overtaken it");
        pass(&mut tor, &[4]);
        assert!(!tor.on_nack(9));
        pass(&mut tor, &[10]);
        assert_eq!(tor.on_data(13), true_nack(9));
    }

    /// Spec, section 6, item 6: it takes a bit that is lost.
    #[test]
    fn the_packet_itself_as_the_latest_of_its_path_proves_nothing() {
        let mut tor = over(2);
        pass(&mut tor, &[1]);
        tor.latest[0] = Some(0);
        assert!(!tor.on_nack(0));
        assert_eq!(tor.stash, Some(0));
    }

    /// Spec, section 6, item 7.
    #[test]
    fn without_its_rules_a_nack_passes_at_once_or_is_lost() {
        let mut tor = Destination::new(2, Rules { asks_path: false, ..RULES });
        pass(&mut tor, &[1]);
        assert!(tor.on_nack(0));
        let mut tor = Destination::new(2, Rules { keeps: false, ..RULES });
        pass(&mut tor, &[1]);
        assert!(!tor.on_nack(0));
        pass(&mut tor, &[2]);
    }

    /// Spec, section 6, item 10.
    #[test]
    fn a_path_that_is_silent_for_too_long_is_to_be_avoided() {
        let broken = Some(Emitted { expected: 100, avoid: true });
        let stashed = |paths| {
            let mut tor = over(paths);
            (0..100).for_each(|psn| _ = tor.on_data(psn));
            pass(&mut tor, &[101]);
            assert!(!tor.on_nack(100));
            tor
        };
        let mut tor = stashed(5);
        pass(&mut tor, &[548]);
        assert_eq!(tor.on_data(549), broken);
        pass(&mut tor, &[551]);
        let mut tor = stashed(16);
        pass(&mut tor, &[547]);
        assert_eq!(tor.on_data(549), broken);
        assert_eq!(stashed(16).on_data(548), true_nack(100));
        assert_eq!(stashed(16).on_data(116), true_nack(100));
    }

    /// Spec, section 6, item 13.
    #[test]
    fn numbers_wrap() {
        let last = (1 << 24) - 1;
        let mut tor = over(2);
        for psn in 0..last - 1 {
            tor.on_data(psn);
            tor.on_ack(psn + 1);
        }
        tor.latest[1] = None;
        pass(&mut tor, &[last - 1, 0]);
        assert!(!tor.on_nack(last));
        assert_eq!(tor.on_data(1), true_nack(last));
    }
}
