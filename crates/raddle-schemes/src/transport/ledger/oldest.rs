//! Which packet in flight was sent first.

use super::{Ledger, State};
use crate::ids::Psn;
use crate::units::Time;

impl Ledger {
    /// The packet in flight that was sent first, and when, but for those to `skip`, all of which were sent
    /// again.
    pub fn oldest_but(&mut self, skip: impl Fn(Psn) -> bool) -> Option<(Time, Psn)> {
        // Also drops what is stale at the front.
        let oldest = self.oldest()?;
        if !skip(oldest.1) {
            return Some(oldest);
        }
        let is_current = |&&(at, psn): &&(Time, Psn)| {
            let record = self.record(psn.0);
            psn.0 >= self.low && record.state() == State::InFlightAgain && record.sent_at() == at
        };
        let again = self.losses.iter().flat_map(|losses| &losses.again);
        let again = again.filter(is_current).find(|(_, psn)| !skip(*psn)).copied();
        let first = (self.oldest < self.next)
            .then(|| (self.record(self.oldest).sent_at(), Psn(self.oldest)));
        first.into_iter().chain(again).min()
    }

    /// The packet in flight that was sent first, and when.
    pub fn oldest(&mut self) -> Option<(Time, Psn)> {
        while self.oldest < self.next && self.record(self.oldest).state() != State::InFlight {
            self.oldest += 1;
        }
        let first = (self.oldest < self.next)
            .then(|| (self.record(self.oldest).sent_at(), Psn(self.oldest)));
        match (first, self.oldest_again()) {
            (Some(first), Some(again)) => Some(first.min(again)),
            (first, again) => first.or(again),
        }
    }

    /// The same among packets sent again.
    fn oldest_again(&mut self) -> Option<(Time, Psn)> {
        loop {
            let (at, psn) = *self.losses.as_ref()?.again.front()?;
            if psn.0 >= self.low {
                let record = self.record(psn.0);
                if record.state() == State::InFlightAgain && record.sent_at() == at {
                    return Some((at, psn));
                }
            }
            self.losses.as_mut()?.again.pop_front();
        }
    }
}
