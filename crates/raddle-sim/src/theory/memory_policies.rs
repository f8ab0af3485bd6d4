//! The policies of Credence's table 6.1 on the same packets, in the slotted model; how wrong
//! predictions are (definition 5); the exact offline optimum.

use raddle_schemes::buffer::complete_sharing::{self, CompleteSharing};
use raddle_schemes::buffer::credence::{self, Credence};
use raddle_schemes::buffer::follow_lqd::{self, FollowLqd};
use raddle_schemes::buffer::harmonic::{self, Harmonic};
use raddle_schemes::buffer::longest_queue_drop::LongestQueueDrop;
use raddle_schemes::buffer::{BufferPolicy, slotted};

/// Policies without push-out.
pub(super) const POLICIES: usize = 6;
/// Where Credence stands among them.
pub(super) const CREDENCE: usize = 5;
/// The ratio that longest queue drop is cited with (table 6.1).
pub(super) const LQD_RATIO: f64 = 1.707;

/// A switch of the slotted model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Switch {
    pub(super) ports: u32,
    /// Packets that its memory has room for.
    pub(super) size: u64,
}

impl Switch {
    fn run(&self, policy: &mut dyn BufferPolicy, slots: &[Vec<u32>]) -> slotted::Run {
        slotted::run(policy, self.ports, self.size, slots)
    }

    /// Longest queue drop.
    pub(super) fn model(&self, slots: &[Vec<u32>]) -> slotted::Run {
        self.run(&mut LongestQueueDrop, slots)
    }

    /// What FollowLQD sends.
    pub(super) fn follow(&self, slots: &[Vec<u32>]) -> u64 {
        let context = slotted::context(self.ports, self.size);
        self.run(&mut FollowLqd::new(&follow_lqd::Config {}, &context), slots).sent
    }

    /// Credence with these predictions, each turned round as often as `flip` says.
    pub(super) fn credence(&self, slots: &[Vec<u32>], predictions: Vec<bool>, flip: f64) -> u64 {
        let context = slotted::context(self.ports, self.size);
        let config = credence::Config { flip, ..credence::Config::default() };
        self.run(&mut Credence::with_labels(&config, &context, predictions), slots).sent
    }

    /// What each sends: complete sharing, dynamic thresholds (alpha 0.5), harmonic, FollowLQD, Credence
    /// that predicts no drop (FollowLQD with the safeguard), Credence with these predictions.
    pub(super) fn sent(
        &self,
        slots: &[Vec<u32>],
        predictions: Vec<bool>,
        flip: f64,
    ) -> [u64; POLICIES] {
        let context = slotted::context(self.ports, self.size);
        let mut sharing = CompleteSharing::new(&complete_sharing::Config {}, &context);
        let mut dynamic = slotted::UnitThresholds { alpha: 0.5, size: self.size };
        let mut harmonic = Harmonic::new(&harmonic::Config {}, &context);
        [
            self.run(&mut sharing, slots).sent,
            self.run(&mut dynamic, slots).sent,
            self.run(&mut harmonic, slots).sent,
            self.follow(slots),
            self.credence(slots, Vec::new(), 0.0),
            self.credence(slots, predictions, flip),
        ]
    }

    /// How wrong predictions are; `labels` are what longest queue drop did with each packet.
    pub(super) fn errors(
        &self,
        slots: &[Vec<u32>],
        labels: &[bool],
        predictions: &[bool],
    ) -> Errors {
        let mut errors = Errors { ports: self.ports.into(), ..Errors::default() };
        for (dropped, predicted) in labels.iter().zip(predictions) {
            match (dropped, predicted) {
                (true, true) => errors.true_positives += 1,
                (false, true) => errors.false_positives += 1,
                (false, false) => errors.true_negatives += 1,
                (true, false) => errors.false_negatives += 1,
            }
        }
        let mut number = 0;
        let mut remains = |_: &u32| {
            number += 1;
            !predictions[number - 1]
        };
        let rest: Vec<Vec<u32>> =
            slots.iter().map(|slot| slot.iter().copied().filter(&mut remains).collect()).collect();
        errors.follow = self.follow(&rest);
        errors
    }
}

/// Predictions against what longest queue drop did; a drop is a positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Errors {
    ports: u64,
    pub(super) true_positives: u64,
    pub(super) false_positives: u64,
    pub(super) true_negatives: u64,
    pub(super) false_negatives: u64,
    /// What FollowLQD sends of the packets that are predicted to survive.
    pub(super) follow: u64,
}

impl Errors {
    /// What longest queue drop sends.
    pub(super) fn survivors(&self) -> u64 {
        self.true_negatives + self.false_positives
    }

    /// The error measure of definition 5, infinite where FollowLQD sends nothing.
    pub(super) fn eta(&self) -> f64 {
        if self.survivors() == 0 { 1.0 } else { self.survivors() as f64 / self.follow as f64 }
    }

    /// What lemma 3 has FollowLQD send at least.
    pub(super) fn least_followed(&self) -> u64 {
        let lost = (self.ports - 1) * self.false_negatives;
        self.true_negatives.saturating_sub(lost)
    }
}

/// The most packets that any choice of what to keep sends: by dynamic programming over the lengths of
/// all queues. Who knows what comes need not push out.
pub(super) fn optimum(switch: Switch, slots: &[Vec<u32>]) -> u64 {
    let Switch { ports, size } = switch;
    // A queue's length is a digit of the state's number.
    let base = size as usize + 1;
    let mut best: Vec<Option<u64>> = vec![None; base.pow(ports)];
    best[0] = Some(0);
    let digits = |state: usize| (0..ports).map(move |port| state / base.pow(port) % base);
    for slot in slots {
        for &port in slot {
            // In descending order no state is left that this packet has just reached.
            for state in (0..best.len()).rev() {
                let Some(kept) = best[state] else { continue };
                if digits(state).sum::<usize>() as u64 == size {
                    continue;
                }
                let joined = &mut best[state + base.pow(port)];
                *joined = (*joined).max(Some(kept + 1));
            }
        }
        let mut next = vec![None; best.len()];
        for (state, kept) in best.iter().enumerate().filter(|(_, kept)| kept.is_some()) {
            let sent: usize = (0..ports)
                .zip(digits(state))
                .filter(|(_, length)| *length > 0)
                .map(|(port, _)| base.pow(port))
                .sum();
            next[state - sent] = (*kept).max(next[state - sent]);
        }
        best = next;
    }
    best.into_iter().flatten().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_optimum_of_a_slot_is_what_fits() {
        let switch = Switch { ports: 2, size: 3 };
        assert_eq!(optimum(switch, &[vec![0, 0, 0, 0, 1]]), 3);
        assert_eq!(optimum(switch, &[]), 0);
        // Two for queue 0 leave place for the next slot's of queue 1; three do not.
        let slots = [vec![0, 0], vec![0, 0], vec![0, 1]];
        assert_eq!(optimum(switch, &slots), 5);
        let slots = [vec![0, 0, 0], vec![1, 1, 1]];
        assert_eq!(optimum(switch, &slots), 4);
    }

    #[test]
    fn errors_are_those_of_the_papers_definitions() {
        // Queue 0 of two fills the memory of two; the third packet drops what longest queue drop pushes
        // out, the second.
        let switch = Switch { ports: 2, size: 2 };
        let slots = [vec![0, 0, 1]];
        let labels = switch.model(&slots).dropped;
        assert_eq!(labels, [false, true, false]);
        let perfect = switch.errors(&slots, &labels, &labels);
        assert_eq!((perfect.eta(), perfect.survivors(), perfect.least_followed()), (1.0, 2, 2));
        let none = switch.errors(&slots, &labels, &[false; 3]);
        assert_eq!((none.false_negatives, none.follow, none.least_followed()), (1, 2, 1));
        let all = switch.errors(&slots, &labels, &[true; 3]);
        assert_eq!((all.eta(), all.false_positives, all.true_positives), (f64::INFINITY, 2, 1));
    }
}
