//! RACK: losses by the time of sending, RFC 8985, section 6.

use crate::congestion::LossCause;
use crate::ids::Psn;
use crate::recovery::{AckNews, RoundTrips};
use crate::transport::Ledger;
use crate::units::{Span, Time};

/// Recoveries without a duplicate ACK after which the time for reordering is the shortest again.
const PERSISTENCE: u32 = 16;

/// What the sender has learned of its latest packets.
#[derive(Clone, Debug)]
pub(super) struct Rack {
    /// Of all that have arrived, the packet that was sent last, and when.
    latest: Option<(Time, Psn)>,
    /// Its round trip.
    rtt: Span,
    /// One past the highest packet that has arrived.
    highest: u32,
    /// Whether a packet has arrived after a later one though it was sent once.
    reordered: bool,
    /// Quarters of the shortest round trip that a packet may be late.
    quarters: u32,
    /// How many more recoveries keep them.
    persistence: u32,
    /// Duplicates count again when all packets below this one have arrived.
    round: Option<u32>,
    /// When the next packet is overdue.
    reorder_at: Option<Time>,
}

impl Default for Rack {
    fn default() -> Self {
        Self {
            latest: None,
            rtt: Span::ZERO,
            highest: 0,
            reordered: false,
            quarters: 1,
            persistence: 0,
            round: None,
            reorder_at: None,
        }
    }
}

impl Rack {
    /// Steps 1 to 3, and 4 as far as duplicates are concerned.
    pub(super) fn hear(
        &mut self,
        now: Time,
        news: &AckNews,
        trips: Option<&RoundTrips>,
        ledger: &Ledger,
    ) {
        self.round = self.round.filter(|round| ledger.low() < *round);
        if news.duplicate && self.round.is_none() {
            self.round = Some(ledger.next());
            self.quarters = self.quarters.saturating_add(1);
            self.persistence = PERSISTENCE;
        }
        let Some(sent) = news.latest else { return };
        let rtt = now.since(sent.at);
        // The ACK of an earlier transmission.
        let earlier = sent.again && trips.is_none_or(|trips| rtt < trips.least);
        if !earlier && self.latest.is_none_or(|latest| (sent.at, sent.psn) > latest) {
            (self.latest, self.rtt) = (Some((sent.at, sent.psn)), rtt);
        }
        self.reordered |= !sent.again && sent.psn.0 < self.highest;
        self.highest = self.highest.max(sent.psn.0 + 1);
    }

    /// A recovery has ended.
    pub(super) fn recovered(&mut self) {
        self.persistence = self.persistence.saturating_sub(1);
        if self.persistence == 0 {
            self.quarters = 1;
        }
    }

    /// When the next packet is overdue.
    pub(super) fn reorder_at(&self) -> Option<Time> {
        self.reorder_at
    }

    /// How long after the round trip of the latest a packet is overdue. None while nothing says that
    /// packets are reordered, and it is `certain` that one is missing.
    fn patience(&self, certain: bool, trips: Option<&RoundTrips>) -> Span {
        match trips {
            Some(trips) if self.reordered || !certain => {
                let late = (trips.least.0 / 4).saturating_mul(u64::from(self.quarters));
                Span(late).min(trips.smoothed)
            }
            _ => Span::ZERO,
        }
    }

    /// Step 5: what was sent before the latest and is overdue is lost.
    pub(super) fn look(
        &mut self,
        now: Time,
        certain: bool,
        trips: Option<&RoundTrips>,
        ledger: &mut Ledger,
    ) {
        self.reorder_at = None;
        let Some(latest) = self.latest else { return };
        let due = self.rtt + self.patience(certain, trips);
        let overdue = |at: Time, psn| (at, psn) < latest && at + due <= now;
        let first = ledger.declare_oldest_lost(LossCause::Reordering, overdue);
        self.reorder_at = first.filter(|first| *first < latest).map(|(at, _)| at + due);
    }

    /// Section 6.3: the timeout has run out; the first missing packet and all that are overdue are lost.
    /// Returns whether there were any.
    pub(super) fn run_out(
        &mut self,
        now: Time,
        certain: bool,
        trips: Option<&RoundTrips>,
        head: Psn,
        ledger: &mut Ledger,
    ) -> bool {
        self.reorder_at = None;
        let due = self.rtt + self.patience(certain, trips);
        let before = ledger.in_flight();
        ledger.declare_oldest_lost(LossCause::Timeout, |at, _| at + due <= now);
        ledger.declare_lost(head, LossCause::Timeout);
        ledger.in_flight() < before
    }
}
