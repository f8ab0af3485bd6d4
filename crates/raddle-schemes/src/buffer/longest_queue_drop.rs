//! Longest queue drop: what finds the memory full takes the place of the longest queue's last frame.
//!
//! The best push-out rule known for shared memory (Aiello et al.: 2-competitive; the thesis cites
//! 1.707, table 6.1), and the one that Credence imitates (Credence spec, 2.5). An arrival is never
//! refused while another frame can go for it: if its own queue is the longest, it displaces that
//! queue's last frame. Of equally long queues the first gives way.
//!
//! Reading: only queues of data give way, and control frames may displace data as well; a frame on the
//! wire stays, so where the longest queue has no other the arrival is refused.

use super::{Admission, BufferContext, BufferPolicy, Candidate, MemoryView};
use crate::{Card, SwitchCx};

/// What `raddle schemes longest_queue_drop` says.
pub const CARD: Card = Card {
    name: "longest_queue_drop",
    title: "Longest queue drop",
    paper: "Wei, Coyle and Hsiao, An optimal buffer management policy for high-performance packet switching, Globecom 1991",
    needs: &[],
    summary: "A frame that finds the memory full takes the place of the last one of the longest queue. The best that is known, but switches cannot push out.",
};

crate::parameters! {
    /// Longest queue drop has no parameters.
    pub struct Config {}
}

/// It keeps no state.
#[derive(Clone, Debug)]
pub struct LongestQueueDrop;

impl LongestQueueDrop {
    /// The policy of one switch.
    pub fn new(_config: &Config, _context: &BufferContext) -> Self {
        Self
    }
}

impl BufferPolicy for LongestQueueDrop {
    fn sees_switch(&self) -> bool {
        true
    }

    fn admit(
        &mut self,
        _: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Admission {
        if frame.bytes <= memory.free() {
            return Admission::Keep;
        }
        match memory.longest() {
            Some((place, _)) => Admission::PushOut(memory.at(place)),
            None => Admission::Refuse,
        }
    }

    fn hears_sums(&self) -> bool {
        true
    }

    fn admit_early(
        &mut self,
        _: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Option<bool> {
        (frame.bytes <= memory.free()).then_some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::slotted::{self, burst};
    use super::*;

    #[test]
    fn a_single_burst_is_kept_whole() {
        // Credence spec, section 6, item 1.
        for (ports, size) in [(8, 64), (20, 200)] {
            let run = slotted::run(&mut LongestQueueDrop, ports, size, &burst(ports, size));
            assert_eq!(run.sent, size);
        }
    }

    #[test]
    fn an_arrival_at_the_longest_queue_takes_the_place_of_its_last_packet() {
        // Two ports, three places: two packets per slot leave queue 0 with one more each time. The
        // first packet of queue 1 takes the place of the last of queue 0.
        let slots = [alloc::vec![0, 0], alloc::vec![0, 0], alloc::vec![0, 1]];
        let run = slotted::run(&mut LongestQueueDrop, 2, 3, &slots);
        assert_eq!(run.dropped, [false, false, false, false, true, false]);
        // Those of its own queue take each other's.
        let slots = [alloc::vec![0, 0, 0, 0, 1]];
        let run = slotted::run(&mut LongestQueueDrop, 2, 3, &slots);
        assert_eq!(run.dropped, [false, false, true, true, false]);
    }
}
