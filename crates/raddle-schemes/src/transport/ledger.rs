//! The sender's book of packets: which are in flight, since when and on which path, which are
//! lost, which have arrived.

mod oldest;
mod overtaking;

use super::data::Sent;
use super::ring::Ring;
use crate::congestion::LossCause;
use crate::ids::{Entropy, Psn};
use crate::units::{Bytes, Time};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::ops::Range;
use overtaking::Overtaking;

/// State of a packet between its first transmission and the last ACK below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Sent once, not heard of.
    InFlight = 0,
    /// Sent more than once, not heard of.
    InFlightAgain = 1,
    /// To be sent again.
    Lost = 2,
    /// Arrived, or a symbol found lost.
    Acked = 3,
}

impl State {
    fn flies(self) -> bool {
        matches!(self, Self::InFlight | Self::InFlightAgain)
    }
}

/// One packet, in 64 bits: last send time 46 (70 seconds) | entropy 16 | state 2.
#[derive(Clone, Copy, Debug, Default)]
struct Record(u64);

/// So many numbers there are for the packets of one flow, symbols of a code among them: from 0 to
/// one less. A flow that has used all of them sends no more.
pub const SYMBOL_LIMIT: u32 = (1 << 24) - 1;

/// Simulated or real time, since the start, that a ledger can write down.
pub const TIME_LIMIT: Time = Time((1 << 46) - 1);

impl Record {
    fn new(at: Time, entropy: Entropy, state: State) -> Self {
        debug_assert!(at <= TIME_LIMIT);
        Self((at.0 << 18) | (u64::from(entropy.0) << 2) | state as u64)
    }

    fn state(self) -> State {
        match self.0 & 3 {
            0 => State::InFlight,
            1 => State::InFlightAgain,
            2 => State::Lost,
            _ => State::Acked,
        }
    }

    fn with(self, state: State) -> Self {
        Self((self.0 & !3) | state as u64)
    }

    fn sent_at(self) -> Time {
        Time(self.0 >> 18)
    }

    fn entropy(self) -> Entropy {
        Entropy((self.0 >> 2) as u16)
    }
}

/// What was found lost at once, until the sender has told its congestion control and path selector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LossEpisode {
    /// The entropy that the first packet of it was last sent on.
    pub(crate) entropy: Entropy,
    pub(crate) cause: LossCause,
    /// Whether a NACK said that it was trimmed at the port to its host.
    pub(crate) last_hop: bool,
    /// How many packets, and their bytes.
    pub(crate) packets: u32,
    pub(crate) bytes: Bytes,
}

/// What an ACK of one packet told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckedPacket {
    /// Its bytes if this is the first ACK for it, else 0.
    pub(crate) bytes: Bytes,
    /// When it was sent, if it was sent only once and had not been acknowledged; of several, when
    /// the last was, if all of them were sent only once.
    pub(crate) sent_once_at: Option<Time>,
    /// Its last transmission, if this is the first ACK for it; of several, the latest.
    pub(crate) latest: Option<Sent>,
}

impl AckedPacket {
    /// Nothing new.
    pub(crate) const NOTHING: Self = Self { bytes: Bytes(0), sent_once_at: None, latest: None };
}

/// The packets of one message, from the first unacknowledged on.
///
/// The packets of a coded message are symbols: any `total` of them complete it. One found lost is
/// not sent again but lets one more new symbol go. So sent - lost, which is acknowledged + in
/// flight, is at most `total`.
///
/// A book that is kept in order hears only of the packets below a number, and its
/// packets have one timer, which is the recovery's.
#[derive(Clone, Debug)]
pub struct Ledger {
    records: Ring<Record>,
    in_flight: u64,
    total: u32,
    /// One past the last new packet that may be sent by now.
    end: u32,
    packet: u16,
    last_packet: u16,
    /// Bytes after every frame, as far as its pace is concerned.
    pub(crate) gap: u16,
    coded: bool,
    /// Whether it is told only of all packets below a number.
    pub(crate) in_order: bool,
    low: u32,
    next: u32,
    high: u32,
    /// No packet below this is in flight for the first time.
    oldest: u32,
    /// What only flows have that lost packets, whose receivers grant, or where overtaking counts.
    losses: Option<Box<Losses>>,
}

#[derive(Clone, Debug, Default)]
struct Losses {
    /// How many packets are lost and not yet sent again; of symbols, how many are lost.
    lost: u32,
    /// Packets of the message that the receiver lets go, if it grants.
    granted: Option<u32>,
    /// No packet below this is lost.
    lost_from: u32,
    /// Packets sent again, by time; stale entries are skipped. None where packets have one timer.
    again: VecDeque<(Time, Psn)>,
    /// Where overtaking counts; few flows have it.
    overtaking: Option<Box<Overtaking>>,
    /// Found lost and not yet reported.
    unreported: Vec<LossEpisode>,
    retransmitted: u64,
    timeouts: u64,
}

impl Ledger {
    /// A message of `total` packets: all of `packet` bytes on the wire but the last; neither more
    /// than 65 535 B.
    pub(crate) fn new(total: u32, packet: Bytes, last_packet: Bytes) -> Self {
        debug_assert!(packet.0.max(last_packet.0) <= u64::from(u16::MAX));
        Self {
            records: Ring::default(),
            in_flight: 0,
            total,
            end: total,
            packet: packet.0 as u16,
            last_packet: last_packet.0 as u16,
            gap: 0,
            coded: false,
            in_order: false,
            low: 0,
            next: 0,
            high: 0,
            oldest: 0,
            losses: None,
        }
    }

    /// Where the records of the first unacknowledged packet and of the next new one lie.
    #[inline]
    pub(crate) fn addresses(&self) -> [*const u8; 2] {
        [self.records.address(self.low), self.records.address(self.next)]
    }

    /// A message that any `total` symbols complete, each of `symbol` bytes on the wire.
    pub(crate) fn coded(total: u32, symbol: Bytes) -> Self {
        Self { coded: true, ..Self::new(total, symbol, symbol) }
    }

    /// The same book, told only of all packets below a number. Of new packets the first `span` may go.
    pub(crate) fn in_order(self, span: u32) -> Self {
        Self { in_order: true, end: self.total.min(span), ..self }
    }

    /// Of new packets only those below `upto` may go; of a book that is kept in order, the first `span`
    /// of them.
    pub(crate) fn grant(&mut self, upto: u32, span: u32) {
        self.losses.get_or_insert_default().granted = Some(upto.min(self.total));
        if self.coded {
            self.allow_symbols();
        } else {
            self.allow_span(span);
        }
    }

    /// Of new packets the first `span` from the first unacknowledged on may go.
    pub fn allow_span(&mut self, span: u32) {
        self.end = self.granted().min(self.low.saturating_add(span));
    }

    /// Packets of the message that the receiver lets go.
    pub(crate) fn granted(&self) -> u32 {
        self.losses.as_ref().and_then(|losses| losses.granted).unwrap_or(self.total)
    }

    /// Bytes of a packet on the wire.
    #[inline]
    pub fn size(&self, psn: Psn) -> Bytes {
        Bytes(u64::from(if psn.0 + 1 == self.total { self.last_packet } else { self.packet }))
    }

    /// Bytes sent and not heard of.
    #[inline]
    pub fn in_flight(&self) -> Bytes {
        Bytes(self.in_flight)
    }

    /// All packets below this one have arrived; of symbols, some of them may be lost.
    #[inline]
    pub fn low(&self) -> u32 {
        self.low
    }

    /// The next packet that was never sent.
    #[inline]
    pub fn next(&self) -> u32 {
        self.next
    }

    /// One past the highest packet known to have arrived.
    #[inline]
    pub fn high(&self) -> u32 {
        self.high
    }

    /// How many packets complete the message.
    #[inline]
    pub fn total(&self) -> u32 {
        self.total
    }

    /// The packet to send now, were it allowed: the lowest lost one, else the next new one.
    #[inline]
    pub fn due(&mut self) -> Option<Psn> {
        if self.losses.is_some()
            && let Some(psn) = self.lowest_lost()
        {
            return Some(psn);
        }
        (self.next < self.end).then_some(Psn(self.next))
    }

    #[cold]
    fn lowest_lost(&mut self) -> Option<Psn> {
        let coded = self.coded;
        let losses = self.losses.as_mut().filter(|losses| losses.lost > 0 && !coded)?;
        losses.lost_from = losses.lost_from.max(self.low);
        while self.records.get(losses.lost_from).state() != State::Lost {
            losses.lost_from += 1;
        }
        Some(Psn(losses.lost_from))
    }

    /// Whether `psn` would go out for the second time or more.
    #[inline]
    pub(crate) fn is_again(&self, psn: Psn) -> bool {
        psn.0 < self.next
    }

    /// Notes that the packet [`Ledger::due`] named leaves now. Returns its bytes on the wire.
    #[inline]
    pub(crate) fn sent(&mut self, now: Time, psn: Psn, entropy: Entropy) -> Bytes {
        let size = self.size(psn);
        self.in_flight += size.0;
        if psn.0 == self.next {
            if (self.next - self.low) as usize == self.records.len() {
                self.records.grow(self.low, self.next);
            }
            self.next += 1;
            self.set(psn.0, Record::new(now, entropy, State::InFlight));
        } else {
            self.set(psn.0, Record::new(now, entropy, State::InFlightAgain));
            let losses = self.losses.get_or_insert_default();
            losses.lost -= 1;
            if !self.in_order {
                losses.again.push_back((now, psn));
            }
            losses.retransmitted += 1;
        }
        size
    }

    /// Notes that `psn` has arrived.
    #[inline]
    pub(crate) fn acked(&mut self, psn: Psn) -> AckedPacket {
        if psn.0 < self.low || psn.0 >= self.next {
            return self.acked_late(psn);
        }
        let record = self.record(psn.0);
        let size = self.size(psn);
        let sent_once_at = match record.state() {
            State::Acked => return self.acked_late(psn),
            State::InFlight => {
                self.in_flight -= size.0;
                Some(record.sent_at())
            }
            State::InFlightAgain => {
                self.in_flight -= size.0;
                None
            }
            State::Lost => {
                self.losses.get_or_insert_default().lost -= 1;
                None
            }
        };
        self.set(psn.0, record.with(State::Acked));
        if let Some(losses) = &mut self.losses {
            losses.note_arrived(record.sent_at(), psn);
        }
        self.high = self.high.max(psn.0 + 1);
        self.advance();
        let (at, entropy) = (record.sent_at(), record.entropy());
        let latest = Some(Sent { at, psn, again: sent_once_at.is_none(), entropy });
        AckedPacket { bytes: size, sent_once_at, latest }
    }

    /// Notes that all packets below `expected` have arrived, which have been sent, and that `span` new
    /// ones from there on may go. A packet that was sent again times nothing, nor do those that waited
    /// for it at the receiver.
    pub(crate) fn acked_below(&mut self, expected: u32, span: u32) -> AckedPacket {
        debug_assert!(expected <= self.next && self.in_order);
        let mut sum = AckedPacket::NOTHING;
        let mut all_once = true;
        while self.low < expected {
            let acked = self.acked(Psn(self.low));
            sum.bytes = sum.bytes + acked.bytes;
            sum.sent_once_at = acked.sent_once_at;
            all_once &= acked.sent_once_at.is_some();
        }
        self.allow_span(span);
        sum.sent_once_at = sum.sent_once_at.filter(|_| all_once);
        sum
    }

    /// No arrival is told of twice, so this is a symbol that had been found lost.
    #[cold]
    fn acked_late(&mut self, psn: Psn) -> AckedPacket {
        let lost = self.losses.as_mut().filter(|losses| losses.lost > 0);
        let (true, Some(losses)) = (self.coded && psn.0 < self.next, lost) else {
            return AckedPacket::NOTHING;
        };
        losses.lost -= 1;
        self.allow_symbols();
        AckedPacket { bytes: self.size(psn), ..AckedPacket::NOTHING }
    }

    /// Of symbols: as many new ones may go as are lost, beside the message's own number.
    #[cold]
    fn allow_symbols(&mut self) {
        let lost = self.losses.as_ref().map_or(0, |losses| losses.lost);
        self.end = self.granted().saturating_add(lost).min(SYMBOL_LIMIT);
    }

    /// Lets go of the packets from the first on that nothing more is to be known of.
    #[inline]
    fn advance(&mut self) {
        while self.low < self.next && self.record(self.low).state() == State::Acked {
            self.low += 1;
        }
        self.oldest = self.oldest.max(self.low);
    }

    /// The entropy that `psn` was last sent on, if it is in flight.
    pub(crate) fn entropy_in_flight(&self, psn: Psn) -> Option<Entropy> {
        if psn.0 < self.low || psn.0 >= self.next {
            return None;
        }
        let record = self.record(psn.0);
        record.state().flies().then(|| record.entropy())
    }

    /// When `psn` was sent, if it is in flight for the first time.
    pub fn sent_once_at(&self, psn: Psn) -> Option<Time> {
        if psn.0 < self.low || psn.0 >= self.next {
            return None;
        }
        let record = self.record(psn.0);
        (record.state() == State::InFlight).then(|| record.sent_at())
    }

    /// When `psn` was last sent, if it is in flight.
    pub fn sent_at(&self, psn: Psn) -> Option<Time> {
        if psn.0 < self.low || psn.0 >= self.next {
            return None;
        }
        let record = self.record(psn.0);
        record.state().flies().then(|| record.sent_at())
    }

    /// How many packets have left, each as often as it did.
    pub fn transmissions(&self) -> u64 {
        u64::from(self.next) + self.repeats().0
    }

    /// Every packet below this one was overtaken by at least `count` that have arrived.
    pub fn overtaken_by(&self, count: u32) -> u32 {
        let arrived = |psn: &u32| self.record(*psn).state() == State::Acked;
        let mut arrived = (self.low..self.high).rev().filter(arrived);
        arrived.nth(count.saturating_sub(1) as usize).unwrap_or(self.low)
    }

    /// Declares `psn` lost if it is in flight; it, or another symbol, will be sent again. Returns
    /// whether it was.
    pub fn declare_lost(&mut self, psn: Psn, cause: LossCause) -> bool {
        self.declare_lost_together([psn], cause)
    }

    /// Declares all packets in flight lost, which is one loss for the congestion control. Returns
    /// whether there were any.
    pub fn declare_all_lost(&mut self, cause: LossCause) -> bool {
        self.declare_lost_together((self.low..self.next).map(Psn), cause)
    }

    /// Declares those of these packets that are in flight lost, which is one loss for the congestion
    /// control. Returns whether there were any.
    pub fn declare_lost_together(
        &mut self,
        packets: impl IntoIterator<Item = Psn>,
        cause: LossCause,
    ) -> bool {
        let mut episode = None;
        packets.into_iter().for_each(|psn| self.lose_in(&mut episode, psn, cause));
        self.note(episode)
    }

    /// Declares those of these packets lost that are in flight for the first time, which is one loss
    /// for the congestion control. Returns whether there were any.
    pub fn declare_once_sent_lost(&mut self, packets: Range<u32>, cause: LossCause) -> bool {
        let mut episode = None;
        for psn in packets.start.max(self.low)..packets.end.min(self.next) {
            if self.record(psn).state() == State::InFlight {
                self.lose_in(&mut episode, Psn(psn), cause);
            }
        }
        self.note(episode)
    }

    /// Declares packets in flight lost in the order of their last transmissions, as long as `overdue`
    /// says so, which is one loss for the congestion control. Returns the first that is not.
    pub fn declare_oldest_lost(
        &mut self,
        cause: LossCause,
        overdue: impl Fn(Time, Psn) -> bool,
    ) -> Option<(Time, Psn)> {
        let mut episode = None;
        let first = loop {
            match self.oldest() {
                Some((at, psn)) if overdue(at, psn) => self.lose_in(&mut episode, psn, cause),
                other => break other,
            }
        };
        self.note(episode);
        first
    }

    /// Lets `psn` be sent again, if it is in flight; it does not count as lost.
    pub fn repeat(&mut self, psn: Psn) {
        self.lose(psn);
    }

    /// Notes that `psn`, which has arrived, had been lost and was sent again before that was known.
    pub fn note_repaired(&mut self, psn: Psn, cause: LossCause) {
        let bytes = self.size(psn);
        let (entropy, last_hop) = (Entropy(0), false);
        self.note(Some(LossEpisode { entropy, cause, last_hop, packets: 1, bytes }));
    }

    fn lose_in(&mut self, episode: &mut Option<LossEpisode>, psn: Psn, cause: LossCause) {
        let Some(entropy) = self.lose(psn) else { return };
        let none = LossEpisode { entropy, cause, last_hop: false, packets: 0, bytes: Bytes(0) };
        let size = self.size(psn);
        let episode = episode.get_or_insert(none);
        episode.packets += 1;
        episode.bytes = episode.bytes + size;
    }

    fn note(&mut self, episode: Option<LossEpisode>) -> bool {
        let Some(episode) = episode else { return false };
        self.losses.get_or_insert_default().unreported.push(episode);
        true
    }

    /// Declares the packets from `first` on lost that are in flight and were sent at `before` or
    /// earlier, up to the first that is not; which is one loss.
    pub fn declare_run_lost(&mut self, first: Psn, before: Time, cause: LossCause) {
        let first = first.0.max(self.low);
        let is_missing = |psn: &u32| {
            let record = self.record(*psn);
            record.state().flies() && record.sent_at() <= before
        };
        let end = (first..self.next).take_while(is_missing).last().map_or(first, |last| last + 1);
        self.declare_lost_together((first..end).map(Psn), cause);
    }

    /// Enters `psn` as lost if it is in flight. Returns the entropy it was last sent on.
    fn lose(&mut self, psn: Psn) -> Option<Entropy> {
        if psn.0 < self.low || psn.0 >= self.next {
            return None;
        }
        let record = self.record(psn.0);
        if !record.state().flies() {
            return None;
        }
        self.in_flight -= self.size(psn).0;
        // A lost symbol is done with: another one goes instead.
        self.set(psn.0, record.with(if self.coded { State::Acked } else { State::Lost }));
        let losses = self.losses.get_or_insert_default();
        losses.lost += 1;
        losses.lost_from = losses.lost_from.min(psn.0);
        if self.coded {
            self.allow_symbols();
            self.advance();
        }
        Some(record.entropy())
    }

    /// The packets found lost and not yet reported.
    #[inline]
    pub(crate) fn unreported(&mut self) -> Option<Vec<LossEpisode>> {
        let losses = self.losses.as_mut().filter(|losses| !losses.unreported.is_empty())?;
        Some(core::mem::take(&mut losses.unreported))
    }

    /// Notes that so many packets timed out.
    pub(crate) fn note_timeouts(&mut self, timeouts: u32) {
        if timeouts > 0 {
            self.losses.get_or_insert_default().timeouts += u64::from(timeouts);
        }
    }

    /// How many packets were sent again, and how many timed out.
    pub(crate) fn repeats(&self) -> (u64, u64) {
        self.losses.as_ref().map_or((0, 0), |losses| (losses.retransmitted, losses.timeouts))
    }

    /// Declares lost every packet in flight below `end` that was last sent at or before `before`.
    pub fn declare_lost_below(&mut self, end: Psn, before: Time, cause: LossCause) {
        for psn in self.low..end.0.min(self.next) {
            if self.record(psn).sent_at() <= before {
                self.declare_lost(Psn(psn), cause);
            }
        }
    }

    #[inline]
    fn record(&self, psn: u32) -> Record {
        self.records.get(psn)
    }

    #[inline]
    fn set(&mut self, psn: u32, record: Record) {
        self.records.set(psn, record);
    }
}

#[cfg(test)]
mod tests;
