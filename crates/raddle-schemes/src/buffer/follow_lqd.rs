//! FollowLQD: no queue may hold more than it would under longest queue drop.
//!
//! Credence thesis, algorithm 5 (spec 2.6): a counter per queue goes as longest queue drop's queue
//! would, on the same arrivals, and a packet is kept if its queue is below its counter and the memory
//! has room. What Credence is without safeguard and predictions; alone it may be (N + 1) / 2 worse
//! than its model. In packets of several bytes, counters are bytes, the longest gives a full packet
//! at a time, and those of empty queues drain at the rate of their port.

use super::virtual_lqd::Thresholds;
use super::{Admission, BufferContext, BufferPolicy, Candidate, Left, MemoryView};
use crate::probe::Probes;
use crate::{Card, SwitchCx};

/// What `raddle schemes follow_lqd` says.
pub const CARD: Card = Card {
    name: "follow_lqd",
    title: "FollowLQD",
    paper: "Addanki, Pacut and Schmid, Credence: augmenting datacenter switch buffer sharing with ML predictions, NSDI 2024",
    needs: &[],
    summary: "A queue may hold what it would hold under longest queue drop. Credence without predictions.",
};

crate::parameters! {
    /// FollowLQD has no parameters.
    pub struct Config {}
}

/// One switch's counters.
#[derive(Clone, Debug)]
pub struct FollowLqd {
    thresholds: Thresholds,
}

impl FollowLqd {
    /// The policy of one switch.
    pub fn new(_config: &Config, context: &BufferContext) -> Self {
        Self { thresholds: Thresholds::new(context, false) }
    }
}

impl BufferPolicy for FollowLqd {
    fn probes(&self, to: &mut dyn Probes) {
        self.thresholds.probes(to);
    }

    fn sees_switch(&self) -> bool {
        true
    }

    fn admit(
        &mut self,
        cx: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Admission {
        if !memory.is_data(frame.queue) {
            return Admission::Keep;
        }
        let threshold = self.thresholds.arrive(cx.now, frame, memory);
        let queued = memory.queues[memory.place(frame.queue)] + frame.bytes.0;
        if queued <= threshold { Admission::Keep } else { Admission::Refuse }
    }

    fn hears_sums(&self) -> bool {
        true
    }

    /// While counters fit together, an arrival changes no other.
    fn admit_early(
        &mut self,
        cx: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Option<bool> {
        if !memory.is_data(frame.queue) {
            return Some(true);
        }
        let threshold = self.thresholds.early(cx.now, frame, memory)?;
        self.thresholds.join(frame, memory);
        Some(memory.queues[memory.place(frame.queue)] + frame.bytes.0 <= threshold)
    }

    fn on_left(&mut self, left: &Left, memory: &MemoryView<'_>) {
        if memory.is_data(left.queue) {
            self.thresholds.depart(left, memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::complete_sharing::{self, CompleteSharing};
    use super::super::longest_queue_drop::LongestQueueDrop;
    use super::super::slotted::{self, burst};
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    fn follow(ports: u32, size: u64) -> FollowLqd {
        FollowLqd::new(&Config {}, &slotted::context(ports, size))
    }

    #[test]
    fn a_single_burst_is_kept_whole() {
        // Credence spec, section 6, item 1.
        for (ports, size) in [(8, 64), (20, 200)] {
            let run = slotted::run(&mut follow(ports, size), ports, size, &burst(ports, size));
            assert_eq!(run.sent, size);
        }
    }

    #[test]
    fn an_adversary_makes_it_half_n_times_worse_than_its_model() {
        // Credence spec, section 6, item 2: queue 0 is filled, then a packet for each queue and N for
        // queue 0, R times.
        for (ports, size, lqd, follows) in
            [(4, 16, 25_020, 10_020), (8, 64, 45_072, 10_072), (16, 128, 85_136, 10_136)]
        {
            let (mut slots, mut queue) = (Vec::new(), 0);
            while queue < size {
                let fits = u64::from(ports).min(size - queue);
                slots.push(vec![0; fits as usize]);
                queue += fits;
                if queue < size {
                    queue -= 1;
                }
            }
            for _ in 0..5_000 {
                slots.push((0..ports).collect());
                slots.push(vec![0; ports as usize]);
            }
            let sent =
                |policy: &mut dyn BufferPolicy| slotted::run(policy, ports, size, &slots).sent;
            assert_eq!(sent(&mut LongestQueueDrop), lqd, "{ports}");
            assert_eq!(sent(&mut follow(ports, size)), follows, "{ports}");
            let context = slotted::context(ports, size);
            let mut sharing = CompleteSharing::new(&complete_sharing::Config {}, &context);
            assert_eq!(sent(&mut sharing), follows, "{ports}");
        }
    }
}
