//! How long a packet waits for its ACK, and how often.
//!
//! The i-th wait of a packet is the timeout T as long as i is at most `linear`, then twice the wait
//! before. After `linear + exponential` retries the next timeout gives the message up (MRC's queue pair
//! fails: `retry_exceeded`).

use crate::ids::Psn;
use crate::transport::Ledger;
use crate::units::{Span, Time};
use alloc::collections::BTreeMap;

/// So many exponential waits are without end.
pub(super) const ENDLESS: u32 = 25;
/// Doublings of a wait after which a run counts as stalled.
const SAT_OUT: u32 = 6;

/// How often packets have timed out.
#[derive(Clone, Debug)]
pub(super) struct Waits {
    rto: Span,
    /// Nothing is counted where all waits are alike.
    linear: Option<u32>,
    exponential: u32,
    /// Timeouts of those packets that had any and have not arrived.
    timeouts: BTreeMap<u32, u32>,
    given_up: bool,
}

impl Waits {
    pub(super) fn new(rto: Span, linear: Option<u32>, exponential: u32) -> Self {
        Self { rto, linear, exponential, timeouts: BTreeMap::new(), given_up: false }
    }

    /// The wait of a packet that has timed out so often.
    fn after(&self, timeouts: u32) -> Span {
        let Some(linear) = self.linear else { return self.rto };
        let doublings = (timeouts + 1).saturating_sub(linear.max(1)).min(ENDLESS);
        Span(self.rto.0.saturating_mul(1 << doublings))
    }

    /// Which packet times out next, and when; none once the message is given up.
    pub(super) fn deadline(&self, ledger: &mut Ledger) -> Option<(Time, Psn)> {
        if self.given_up {
            return None;
        }
        let has_timed_out = |psn: Psn| self.timeouts.contains_key(&psn.0);
        let others = ledger.oldest_but(has_timed_out).map(|(at, psn)| (at + self.rto, psn));
        let own = self.timeouts.range(ledger.low()..);
        let own = own.filter_map(|(&psn, &timeouts)| {
            Some((ledger.sent_at(Psn(psn))? + self.after(timeouts), Psn(psn)))
        });
        own.chain(others).min()
    }

    /// A packet has timed out.
    pub(super) fn note(&mut self, psn: Psn, ledger: &Ledger) {
        let Some(linear) = self.linear else { return };
        self.timeouts = self.timeouts.split_off(&ledger.low());
        let timeouts = self.timeouts.entry(psn.0).or_default();
        *timeouts += 1;
        let retries = linear.saturating_add(self.exponential);
        self.given_up |= self.exponential < ENDLESS && *timeouts > retries;
    }

    /// Whether those of a packet grow.
    pub(super) fn grow(&self) -> bool {
        self.linear.is_some()
    }

    pub(super) fn given_up(&self) -> bool {
        self.given_up
    }

    /// The longest wait of a packet that a run is to sit out where nothing else happens: waits without end
    /// count with so many doublings.
    pub(super) fn longest(&self) -> Span {
        match self.linear {
            None => self.rto,
            Some(linear) => self.after(linear.saturating_add(self.exponential.min(SAT_OUT))),
        }
    }
}
