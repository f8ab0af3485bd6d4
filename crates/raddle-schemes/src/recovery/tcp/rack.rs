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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Entropy;
    use crate::recovery::Sent;
    use crate::units::Bytes;

    fn at(us: u64) -> Time {
        Time::ZERO + Span::us(us)
    }

    fn trips() -> RoundTrips {
        RoundTrips::after(None, Span::us(100))
    }

    fn news(duplicate: bool, latest: Option<Sent>) -> AckNews {
        AckNews { latest, duplicate, ..AckNews::NOTHING }
    }

    /// So many packets, sent at these microseconds.
    fn ledger(sent: &[u64]) -> Ledger {
        let mut ledger = Ledger::new(100, Bytes(1000), Bytes(1000));
        for (psn, us) in (0..).zip(sent) {
            ledger.sent(at(*us), Psn(psn), Entropy(0));
        }
        ledger
    }

    /// No round trip took less than 100 us: after 99 it is the ACK of an earlier transmission.
    #[test]
    fn an_ack_too_soon_for_what_was_sent_again_says_nothing() {
        for (again, us, told) in [(true, 109, false), (true, 110, true), (false, 109, true)] {
            let mut rack = Rack::default();
            let sent = Sent { at: at(10), psn: Psn(0), again, entropy: Entropy(0) };
            rack.hear(at(us), &news(false, Some(sent)), Some(&trips()), &ledger(&[10]));
            assert_eq!(rack.latest.is_some(), told, "{again} {us}");
        }
    }

    /// A quarter of 100 us is 25.
    #[test]
    fn a_packet_that_arrives_twice_adds_a_quarter_for_sixteen_recoveries() {
        let (mut rack, mut ledger) = (Rack::default(), ledger(&[0; 4]));
        let late = |rack: &Rack| rack.patience(false, Some(&trips()));
        assert_eq!(late(&rack), Span::us(25));
        for _ in 0..2 {
            rack.hear(at(100), &news(true, None), Some(&trips()), &ledger);
            assert_eq!(late(&rack), Span::us(50), "once in a round trip");
        }
        (0..4).for_each(|psn| _ = ledger.acked(Psn(psn)));
        rack.hear(at(200), &news(true, None), Some(&trips()), &ledger);
        assert_eq!(late(&rack), Span::us(75));
        (0..15).for_each(|_| rack.recovered());
        assert_eq!(late(&rack), Span::us(75));
        rack.recovered();
        assert_eq!(late(&rack), Span::us(25));
        rack.quarters = 9;
        assert_eq!(late(&rack), Span::us(100), "the smoothed round trip");
    }

    /// Packets of 0, 300 and 450 us, a timeout at 500: with a round trip of 100 us the third may be on
    /// its way, with one of 600 all but the first.
    #[test]
    fn after_a_timeout_the_head_is_lost_and_what_is_late() {
        for (rtt, left) in [(100, 1000), (600, 2000)] {
            let mut ledger = ledger(&[0, 300, 450]);
            let mut rack = Rack { rtt: Span::us(rtt), ..Rack::default() };
            assert!(rack.run_out(at(500), true, Some(&trips()), Psn(0), &mut ledger));
            assert_eq!(ledger.in_flight(), Bytes(left));
        }
    }
}
