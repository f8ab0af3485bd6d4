//! What policies count for each flow at each port, and forget after a silence.

use super::Candidate;
use crate::units::{Span, Time};
use alloc::collections::BTreeMap;

/// Counts of flows, by the port whose queue a flow's packets join and the flow.
#[derive(Clone, Debug)]
pub(super) struct Flows<T> {
    /// After so long without a packet a flow begins anew.
    silence: Span,
    of: BTreeMap<(u32, u32), Seen<T>>,
    /// So many at least may be known before those that have begun anew are looked for.
    room: usize,
}

#[derive(Clone, Copy, Debug)]
struct Seen<T> {
    last: Time,
    count: T,
}

/// Fewer flows than this are not worth looking through.
const FEW: usize = 64;

impl<T: Copy + Default> Flows<T> {
    pub(super) fn new(silence: Span) -> Self {
        Self { silence, of: BTreeMap::new(), room: FEW }
    }

    /// How many it knows, silent ones among them.
    pub(super) fn len(&self) -> usize {
        self.of.len()
    }

    /// The count of the flow of a packet, which has come; none for what is no packet of data.
    pub(super) fn come(&mut self, now: Time, frame: &Candidate) -> Option<&mut T> {
        let flow = frame.flow?;
        let silence = self.silence;
        let is_silent = |seen: &Seen<T>| now.since(seen.last) > silence;
        if self.of.len() >= self.room {
            self.of.retain(|_, seen| !is_silent(seen));
            self.room = FEW.max(2 * self.of.len());
        }
        let new = Seen { last: now, count: T::default() };
        let seen = self.of.entry((frame.queue.port, flow)).or_insert(new);
        if is_silent(seen) {
            seen.count = T::default();
        }
        seen.last = now;
        Some(&mut seen.count)
    }
}

#[cfg(test)]
mod tests {
    use super::super::slotted::candidate;
    use super::*;

    #[test]
    fn a_flow_has_a_count_at_each_port_until_it_has_been_silent() {
        let mut flows = Flows::<u32>::new(Span::us(5));
        let mut come = |at, port, flow| {
            let frame = Candidate { flow: Some(flow), ..candidate(port) };
            let count = flows.come(Time::ZERO + Span::us(at), &frame).unwrap();
            *count += 1;
            *count
        };
        assert_eq!([come(0, 0, 7), come(1, 0, 7), come(1, 1, 7), come(1, 0, 8)], [1, 2, 1, 1]);
        // 5 us are not yet a silence.
        assert_eq!([come(6, 0, 7), come(12, 0, 7)], [3, 1]);
        assert!(flows.come(Time::ZERO, &candidate(0)).is_none());
    }

    #[test]
    fn silent_flows_are_forgotten() {
        let mut flows = Flows::<u32>::new(Span::us(5));
        for flow in 0..10_000 {
            let frame = Candidate { flow: Some(flow), ..candidate(0) };
            *flows.come(Time::ZERO + Span::us(flow.into()), &frame).unwrap() += 1;
            assert!(flows.of.len() <= FEW);
        }
    }
}
