//! One flow at its sender's ToR: epochs, the reply that is awaited, and the path.

use super::note::{Epoch, Label, Mark, Reply, Stamp};
use crate::units::{Span, Time};
use serde::Serialize;

/// A path that may be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Pick {
    pub(super) path: u16,
    /// Whether it is not known to be busy.
    pub(super) is_free: bool,
}

/// What a data packet does to its flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Step {
    /// The flow is new or has paused: a new epoch, perhaps on another path.
    Expired,
    /// The reply or the CLEAR has come: a new epoch on the same path.
    Stable,
    /// The reply is late: this packet is the last one on its path.
    Late,
    /// None of these.
    Onward,
}

impl Step {
    pub(super) fn may_move(self) -> bool {
        matches!(self, Self::Expired | Self::Late)
    }
}

/// The state of a flow.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Source {
    path: Option<u16>,
    epoch: Epoch,
    rerouted: bool,
    /// A reply after this is late; never where none is awaited.
    deadline: Time,
    last: Time,
    stable: bool,
    tail: Stamp,
}

impl Default for Source {
    fn default() -> Self {
        Self {
            path: None,
            epoch: Epoch::default(),
            rerouted: false,
            deadline: Time::NEVER,
            last: Time::ZERO,
            stable: false,
            tail: Stamp::default(),
        }
    }
}

impl Source {
    /// The path of the next packet, unless that moves the flow.
    pub(super) fn path(&self) -> Option<u16> {
        self.path
    }

    /// Its path is there no more.
    pub(super) fn leave(&mut self, path: u16) {
        self.path = Some(path);
    }

    /// What the packet that comes now does.
    pub(super) fn step(&self, now: Time, inactive: Span) -> Step {
        if self.path.is_none() || self.last + inactive < now {
            Step::Expired
        } else if self.stable {
            Step::Stable
        } else if self.deadline < now {
            Step::Late
        } else {
            Step::Onward
        }
    }

    /// The label of the packet that comes now. `pick` is there where the flow may move; a reply is late
    /// after `patience`.
    pub(super) fn on_data(
        &mut self,
        now: Time,
        patience: Span,
        step: Step,
        pick: Option<Pick>,
    ) -> Label {
        let free = pick.filter(|pick| pick.is_free).map(|pick| pick.path);
        let before = self.path;
        self.last = now;
        self.stable = false;
        match step {
            Step::Expired => self.path = free.or(before).or(pick.map(|pick| pick.path)),
            Step::Late => self.path = free.or(before),
            Step::Stable | Step::Onward => {}
        }
        let mut label = Label {
            path: before.unwrap_or_default(),
            epoch: self.epoch,
            rerouted: self.rerouted,
            mark: Mark::None,
            sent: Stamp::of(now),
            tail: self.tail,
        };
        match step {
            Step::Expired | Step::Stable => {
                self.epoch = self.epoch.next();
                self.rerouted = false;
                self.deadline = now + patience;
                self.tail = Stamp::default();
                let (epoch, tail) = (self.epoch, self.tail);
                let path = self.path.unwrap_or_default();
                label = Label { path, epoch, rerouted: false, mark: Mark::Init, tail, ..label };
            }
            Step::Late => {
                self.rerouted = true;
                self.deadline = Time::NEVER;
                self.tail = Stamp::of(now);
                label = Label { mark: Mark::Tail, tail: self.tail, ..label };
            }
            Step::Onward => {}
        }
        label
    }

    /// The receiver's ToR has replied. Late replies, and those about other epochs, say nothing.
    pub(super) fn on_reply(&mut self, now: Time, reply: Reply) {
        let holds = match reply {
            Reply::Init(epoch) => {
                let in_time = now < self.deadline && self.deadline != Time::NEVER;
                epoch == self.epoch && !self.rerouted && in_time
            }
            Reply::Clear(epoch) => epoch == self.epoch && self.rerouted,
            Reply::Notify(_) => false,
        };
        if holds {
            self.stable = true;
            self.deadline = Time::NEVER;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INACTIVE: Span = Span::us(300);
    const PATIENCE: Span = Span::us(8);

    /// What a packet at this microsecond is labelled with, if a move would lead to `free`.
    fn label(source: &mut Source, us: u64, free: Option<u16>) -> (u16, Epoch, bool, Mark) {
        let now = Time::ZERO + Span::us(us);
        let step = source.step(now, INACTIVE);
        let pick = Pick { path: free.unwrap_or(99), is_free: free.is_some() };
        let label = source.on_data(now, PATIENCE, step, step.may_move().then_some(pick));
        assert_eq!(label.sent, Stamp::of(now));
        (label.path, label.epoch, label.rerouted, label.mark)
    }

    /// By hand: the reply to the first epoch comes in time, that to the second does not.
    #[test]
    fn a_flow_leaves_its_path_when_the_reply_is_late_and_stays_when_it_is_not() {
        let mut flow = Source::default();
        let first = Epoch::default().next();
        let (second, third) = (first.next(), first.next().next());
        let at = |us| Time::ZERO + Span::us(us);
        assert_eq!(label(&mut flow, 10, Some(3)), (3, first, false, Mark::Init));
        assert_eq!(label(&mut flow, 11, Some(4)), (3, first, false, Mark::None));
        flow.on_reply(at(17), Reply::Init(first));
        // A new epoch on the same path, for which the reply is due at 28 us.
        assert_eq!(label(&mut flow, 20, Some(4)), (3, second, false, Mark::Init));
        flow.on_reply(at(21), Reply::Init(first));
        assert_eq!(label(&mut flow, 28, Some(4)), (3, second, false, Mark::None));
        // It is late: the TAIL is the last on path 3.
        assert_eq!(label(&mut flow, 29, Some(5)), (3, second, false, Mark::Tail));
        assert_eq!(label(&mut flow, 30, Some(6)), (5, second, true, Mark::None));
        // Now only a CLEAR counts.
        flow.on_reply(at(31), Reply::Init(second));
        assert_eq!(label(&mut flow, 40, Some(6)), (5, second, true, Mark::None));
        flow.on_reply(at(45), Reply::Clear(second));
        assert_eq!(label(&mut flow, 46, Some(6)), (5, third, false, Mark::Init));
    }

    /// By hand: no free path is found, so packets behind the TAIL stay on theirs; a pause begins anew.
    #[test]
    fn without_a_free_path_it_stays_and_a_pause_begins_anew() {
        let mut flow = Source::default();
        let first = Epoch::default().next();
        // A new flow takes a busy path rather than none.
        assert_eq!(label(&mut flow, 0, None), (99, first, false, Mark::Init));
        assert_eq!(label(&mut flow, 9, None), (99, first, false, Mark::Tail));
        assert_eq!(label(&mut flow, 10, None), (99, first, true, Mark::None));
        assert_eq!(label(&mut flow, 310, Some(7)), (99, first, true, Mark::None));
        assert_eq!(label(&mut flow, 611, Some(7)), (7, first.next(), false, Mark::Init));
        assert_eq!(label(&mut flow, 612, Some(8)), (7, first.next(), false, Mark::None));
    }
}
