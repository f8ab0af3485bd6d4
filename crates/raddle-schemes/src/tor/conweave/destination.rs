//! One flow at its receiver's ToR: what has overtaken the TAIL is held until that comes, or should have
//! come long ago.

use super::note::{Epoch, Label, Mark, Stamp};
use crate::units::{Span, Time};
use alloc::vec::Vec;
use serde::Serialize;

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Fate {
    Passes,
    /// It waits under the ticket given.
    Held,
}

/// What came of a packet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Seen {
    pub(super) fate: Fate,
    /// Whether it is of the latest epoch; of others nothing is told.
    pub(super) is_current: bool,
    /// Which packets go on, behind this one if it passes.
    pub(super) released: Vec<u32>,
}

/// The state of a flow.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Destination {
    epoch: Epoch,
    /// Whether packets that follow the TAIL of the epoch may pass.
    rerouted: bool,
    /// When the last packet before the TAIL left the sender's ToR and came here.
    before: Option<(Stamp, Time)>,
    tail: Stamp,
    held: Vec<u32>,
    /// When those go on at the latest.
    flush_at: Time,
}

impl Default for Destination {
    fn default() -> Self {
        Self {
            epoch: Epoch::default(),
            rerouted: false,
            before: None,
            tail: Stamp::default(),
            held: Vec::new(),
            flush_at: Time::NEVER,
        }
    }
}

impl Destination {
    /// When what is held goes on at the latest.
    pub(super) fn due(&self) -> Option<Time> {
        (self.flush_at != Time::NEVER).then_some(self.flush_at)
    }

    /// The time is up. Returns what goes on.
    pub(super) fn flush(&mut self) -> Vec<u32> {
        self.rerouted = true;
        self.release()
    }

    fn release(&mut self) -> Vec<u32> {
        self.flush_at = Time::NEVER;
        core::mem::take(&mut self.held)
    }

    /// A packet has come, which waits under `ticket` if it has to; `extra` and `default` are the times
    /// that are waited for the TAIL.
    pub(super) fn on_data(
        &mut self,
        now: Time,
        label: &Label,
        ticket: u32,
        [extra, default]: [Span; 2],
    ) -> Seen {
        let is_new = label.epoch.is_after(self.epoch);
        if !is_new && label.epoch != self.epoch {
            return Seen { fate: Fate::Passes, is_current: false, released: Vec::new() };
        }
        let is_tail = label.mark == Mark::Tail;
        if is_new {
            (self.epoch, self.rerouted, self.before) = (label.epoch, false, None);
        }
        if !label.rerouted {
            self.before = Some((label.sent, now));
        }
        if is_tail || label.rerouted {
            self.tail = label.tail;
        }
        let overtakes = label.rerouted && !self.rerouted;
        let mut seen = Seen { fate: Fate::Passes, is_current: true, released: Vec::new() };
        if is_new && !self.held.is_empty() {
            // What is left of the epoch before goes first.
            seen.released = self.release();
            if !overtakes {
                seen.fate = Fate::Held;
                seen.released.push(ticket);
            }
        }
        if is_tail {
            self.rerouted = true;
            seen.released.extend(self.release());
        } else if overtakes {
            seen.fate = Fate::Held;
            if self.held.is_empty() {
                self.flush_at = match self.before {
                    Some((sent, came)) => came + self.tail.since(sent) + extra,
                    None => now + default + extra,
                };
            }
            self.held.push(ticket);
        } else if !label.rerouted && !self.held.is_empty() {
            self.flush_at = now + self.tail.since(label.sent) + extra;
        }
        if self.flush_at <= now {
            seen.released.extend(self.flush());
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    const WAITS: [Span; 2] = [Span::us(16), Span::us(200)];

    fn at(us: u64) -> Time {
        Time::ZERO + Span::us(us)
    }

    fn epoch(number: u32) -> Epoch {
        (0..number).fold(Epoch::default(), |epoch, _| epoch.next())
    }

    /// A flow whose packets come with numbers as their tickets, at microseconds.
    struct Flow(Destination);

    impl Flow {
        fn comes(&mut self, us: u64, ticket: u32, label: Label) -> (Fate, Vec<u32>) {
            let seen = self.0.on_data(at(us), &label, ticket, WAITS);
            (seen.fate, seen.released)
        }
    }

    /// A packet of epoch 1 that passed the sender's ToR at `sent`; the TAIL did at 20 us.
    fn old(sent: u64, mark: Mark) -> Label {
        let tail = if mark == Mark::Tail { Stamp::of(at(20)) } else { Stamp::default() };
        Label { path: 1, epoch: epoch(1), rerouted: false, mark, sent: Stamp::of(at(sent)), tail }
    }

    fn new(sent: u64) -> Label {
        let tail = Stamp::of(at(20));
        Label { path: 2, rerouted: true, tail, ..old(sent, Mark::None) }
    }

    /// By hand. The old path takes 10 us, the new one 2 us.
    #[test]
    fn what_overtakes_the_tail_is_held_until_it_comes() {
        let mut flow = Flow(Destination::default());
        let passes = (Fate::Passes, vec![]);
        assert_eq!(flow.comes(10, 0, old(0, Mark::Init)), passes);
        assert_eq!(flow.comes(20, 0, old(10, Mark::None)), passes);
        // The TAIL, sent 10 us after the last one seen, is expected at 30 us, and waited for till 46.
        assert_eq!(flow.comes(23, 7, new(21)), (Fate::Held, vec![]));
        assert_eq!(flow.0.due(), Some(at(46)));
        assert_eq!(flow.comes(24, 8, new(22)), (Fate::Held, vec![]));
        // One more of the old path: the TAIL was sent 2 us later, so it is waited for till 29 + 2 + 16.
        assert_eq!(flow.comes(29, 0, old(18, Mark::None)), passes);
        assert_eq!(flow.0.due(), Some(at(47)));
        assert_eq!(flow.comes(30, 0, old(20, Mark::Tail)), (Fate::Passes, vec![7, 8]));
        assert_eq!(flow.0.due(), None);
        assert_eq!(flow.comes(31, 0, new(29)), passes);
    }

    /// By hand. The TAIL is lost: what is held goes on when the time is up, and later ones pass.
    #[test]
    fn a_tail_that_is_lost_is_waited_for_no_longer_than_said() {
        let mut flow = Flow(Destination::default());
        // Nothing of the epoch has come before.
        assert_eq!(flow.comes(23, 7, new(21)), (Fate::Held, vec![]));
        assert_eq!(flow.0.due(), Some(at(23 + 200 + 16)));
        assert_eq!(flow.0.flush(), [7]);
        assert_eq!(flow.comes(300, 8, new(298)), (Fate::Passes, vec![]));
        // Of an epoch that is over nothing is told.
        let later = Label { epoch: epoch(2), ..old(301, Mark::Init) };
        assert_eq!(flow.comes(303, 0, later), (Fate::Passes, vec![]));
        assert!(!flow.0.on_data(at(304), &new(299), 0, WAITS).is_current);
    }

    /// What is held when the next epoch begins goes on before its first packet.
    #[test]
    fn a_new_epoch_begins_behind_what_is_held() {
        let mut flow = Flow(Destination::default());
        assert_eq!(flow.comes(23, 7, new(21)), (Fate::Held, vec![]));
        let later = Label { epoch: epoch(2), ..old(400, Mark::Init) };
        assert_eq!(flow.comes(40, 8, later), (Fate::Held, vec![7, 8]));
        assert_eq!(flow.0.due(), None);
        // One that overtakes the TAIL of its epoch waits for that.
        let overtaking = Label { epoch: epoch(3), ..new(41) };
        assert_eq!(flow.comes(50, 9, Label { epoch: epoch(2), ..new(41) }), (Fate::Held, vec![]));
        assert_eq!(flow.comes(51, 10, overtaking), (Fate::Held, vec![9]));
        // A packet that came so late that the time for its TAIL is up goes on at once.
        let mut flow = Flow(Destination::default());
        assert_eq!(flow.comes(10, 0, old(0, Mark::Init)), (Fate::Passes, vec![]));
        assert_eq!(flow.comes(46, 3, new(21)), (Fate::Held, vec![3]));
    }
}
