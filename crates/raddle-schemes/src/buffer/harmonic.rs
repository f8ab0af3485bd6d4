//! Harmonic: the k-th longest queue may hold at most a k-th part of what the longest may.
//!
//! Kesselman and Mansour: a packet is kept if, with it, the k longest queues together hold at most
//! (1 + 1/2 + .. + 1/k) B / H(N). The Credence thesis only cites it, in its table 6.1; the rule is as
//! its spec has it (section 4): after accepting, the k-th longest queue holds at most B / (k H(N)),
//! with H(N) = 1 + 1/2 + .. + 1/N for the N queues of data of the switch.

use super::{Admission, Arriving, BufferContext, BufferPolicy, Candidate, MemoryView};
use crate::{Card, SwitchCx};
use alloc::vec::Vec;

/// What `raddle schemes harmonic` says.
pub const CARD: Card = Card {
    name: "harmonic",
    title: "Harmonic",
    paper: "Kesselman and Mansour, Harmonic buffer management policy for shared memory switches, INFOCOM 2002",
    needs: &[],
    summary: "The k-th longest queue may hold a k-th part of what the longest may. The best guarantee without push-out or predictions, and a pessimist in practice.",
};

crate::parameters! {
    /// Harmonic has no parameters.
    pub struct Config {}
}

/// One switch's share of the longest queue.
#[derive(Clone, Debug)]
pub struct Harmonic {
    /// H(N).
    sum: f64,
    size: f64,
    /// Lengths of queues, to be sorted; empty in between.
    lengths: Vec<u64>,
}

impl Harmonic {
    /// The policy of one switch.
    pub fn new(_config: &Config, context: &BufferContext) -> Self {
        let queues = context.queues.max(1);
        let sum = (1..=queues).map(|k| 1.0 / f64::from(k)).sum();
        Self { sum, size: context.size.0 as f64, lengths: Vec::with_capacity(queues as usize) }
    }
}

impl BufferPolicy for Harmonic {
    fn admits(&self, frame: &Arriving) -> bool {
        (frame.queued.0 + frame.bytes.0) as f64 * self.sum <= self.size
    }

    fn sees_switch(&self) -> bool {
        true
    }

    fn admit(
        &mut self,
        _: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Admission {
        if !memory.is_data(frame.queue) {
            return Admission::Keep;
        }
        let own = memory.place(frame.queue);
        self.lengths.clear();
        let joined = |(place, bytes)| if place == own { bytes + frame.bytes.0 } else { bytes };
        self.lengths.extend(memory.data().map(joined));
        self.lengths.sort_unstable_by(|a, b| b.cmp(a));
        let within = |(k, length): (u32, &u64)| {
            *length as f64 * (f64::from(k) * self.sum) <= memory.size.0 as f64
        };
        if (1..).zip(&self.lengths).all(within) { Admission::Keep } else { Admission::Refuse }
    }

    fn hears_sums(&self) -> bool {
        true
    }

    /// With shorter queues elsewhere the k-th longest is no longer, and it is at most a k-th part of
    /// what is used.
    fn admit_early(
        &mut self,
        cx: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Option<bool> {
        let all = (memory.used.0 + frame.bytes.0) as f64;
        // Rounded on the safe side.
        let is_sure = all * self.sum * (1.0 + 1e-9) <= memory.size.0 as f64;
        (is_sure || self.admit(cx, frame, memory) == Admission::Keep).then_some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::slotted::{self, burst};
    use super::*;

    #[test]
    fn a_single_burst_gets_what_the_longest_queue_may_hold() {
        // Credence spec, section 6, item 1: B / H(8) is 23.5 of 64, B / H(20) 55.6 of 200.
        for (ports, size, sent) in [(8, 64, 30), (20, 200, 64)] {
            let mut policy = Harmonic::new(&Config {}, &slotted::context(ports, size));
            let run = slotted::run(&mut policy, ports, size, &burst(ports, size));
            assert_eq!(run.sent, sent);
        }
    }

    #[test]
    fn the_second_longest_may_hold_half_of_the_longest() {
        // H(2) is 1.5: 12 places let the longest have 8 and the second 4.
        let mut policy = Harmonic::new(&Config {}, &slotted::context(2, 12));
        let slots = [[alloc::vec![0; 9], alloc::vec![1; 5]].concat()];
        let run = slotted::run(&mut policy, 2, 12, &slots);
        let refused = (0..).zip(&run.dropped).filter(|(_, dropped)| **dropped).map(|(i, _)| i);
        assert_eq!(refused.collect::<Vec<u32>>(), [8, 13]);
    }
}
