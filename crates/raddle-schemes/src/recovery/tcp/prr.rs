//! Proportional rate reduction: RFC 6937, with the slow start reduction bound.

use crate::ids::Psn;
use crate::transport::Ledger;
use crate::units::Bytes;

/// One recovery. Sizes are bytes.
#[derive(Clone, Debug)]
pub(super) struct Prr {
    /// Where the window is to arrive (ssthresh).
    target: u64,
    /// In flight or beyond the first missing packet when it began (RecoverFS).
    recover: u64,
    /// Delivered since (prr_delivered).
    delivered: u64,
    /// Transmissions before it began.
    before: u64,
    packet: u64,
    window: u64,
}

impl Prr {
    /// It begins with the ACK that told of the loss, which delivered so much.
    pub(super) fn begin(target: Bytes, delivered: Bytes, ledger: &Ledger) -> Self {
        let packet = ledger.size(Psn(0)).0;
        let mut prr = Self {
            target: target.0,
            recover: (u64::from(ledger.next() - ledger.low()) * packet).max(1),
            delivered: 0,
            before: ledger.transmissions(),
            packet,
            window: 0,
        };
        prr.on_ack(delivered, ledger);
        prr
    }

    /// The congestion control has cut its window again.
    pub(super) fn aim_at(&mut self, target: Bytes) {
        self.target = target.0;
    }

    /// What may be in flight.
    pub(super) fn window(&self) -> Bytes {
        Bytes(self.window)
    }

    /// An ACK was the first to tell of so many bytes.
    pub(super) fn on_ack(&mut self, delivered: Bytes, ledger: &Ledger) {
        self.delivered += delivered.0;
        let out = (ledger.transmissions() - self.before) * self.packet;
        let pipe = ledger.in_flight().0;
        let send = if pipe > self.target {
            let share = u128::from(self.delivered) * u128::from(self.target);
            (share.div_ceil(u128::from(self.recover)) as u64).saturating_sub(out)
        } else {
            let bound = self.delivered.saturating_sub(out).max(delivered.0) + self.packet;
            bound.min(self.target - pipe)
        };
        // The first one goes at once.
        let least = if out == 0 { self.packet } else { 0 };
        self.window = pipe + send.max(least);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::LossCause;
    use crate::ids::Entropy;
    use crate::units::Time;

    fn send(ledger: &mut Ledger, prr: &Prr) -> u32 {
        let mut sent = 0;
        while ledger.in_flight() + Bytes(1000) <= prr.window()
            && let Some(psn) = ledger.due()
        {
            ledger.sent(Time::ZERO, psn, Entropy(0));
            sent += 1;
        }
        sent
    }

    /// RFC 6937, figure 2: 20 packets are in flight, the first is lost, the window goes to 10. An RFC
    /// 6675 sender is silent for half of a round trip; this one sends a packet for every two ACKs.
    #[test]
    fn one_packet_leaves_for_every_two_that_arrive() {
        let mut ledger = Ledger::new(100, Bytes(1000), Bytes(1000));
        (0..20).for_each(|psn| _ = ledger.sent(Time::ZERO, Psn(psn), Entropy(0)));
        (1..4).for_each(|psn| _ = ledger.acked(Psn(psn)));
        ledger.declare_lost(Psn(0), LossCause::Reordering);
        let mut prr = Prr::begin(Bytes(10_000), Bytes(1000), &ledger);
        let mut sent = std::vec![send(&mut ledger, &prr)];
        for psn in 4..20 {
            ledger.acked(Psn(psn));
            prr.on_ack(Bytes(1000), &ledger);
            sent.push(send(&mut ledger, &prr));
        }
        // The first goes at once, and counts.
        assert_eq!(sent[..6], [1, 0, 0, 1, 0, 1]);
        assert_eq!(ledger.in_flight(), Bytes(10_000), "where it was to arrive");
    }

    /// Most of a window is lost: from below the target it grows as slow start does, two packets for
    /// each that arrives.
    #[test]
    fn below_the_target_it_grows_as_slow_start_does() {
        let mut ledger = Ledger::new(100, Bytes(1000), Bytes(1000));
        (0..20).for_each(|psn| _ = ledger.sent(Time::ZERO, Psn(psn), Entropy(0)));
        (16..19).for_each(|psn| _ = ledger.acked(Psn(psn)));
        ledger.declare_lost_together((0..16).map(Psn), LossCause::Reordering);
        let mut prr = Prr::begin(Bytes(10_000), Bytes(1000), &ledger);
        let mut sent = std::vec![send(&mut ledger, &prr)];
        for psn in [19, 0, 1, 2] {
            ledger.acked(Psn(psn));
            prr.on_ack(Bytes(1000), &ledger);
            sent.push(send(&mut ledger, &prr));
        }
        assert_eq!(sent, [2; 5]);
    }
}
