//! The receiver: what has arrived, and the reply to each packet.

use super::{Arrival, Entry};
use crate::FlowContext;
use crate::ids::{Entropy, Psn};
use crate::recovery::{self, AnyRecovery};
use alloc::vec::Vec;

/// A data packet at its receiver.
#[derive(Clone, Copy, Debug)]
pub struct Data {
    /// Its number.
    pub psn: Psn,
    /// Its entropy, to be echoed.
    pub entropy: Entropy,
    /// Whether a switch marked it.
    pub marked: bool,
    /// Whether only its header arrived.
    pub trimmed: bool,
    /// Whether it was sent before.
    pub again: bool,
    /// Whether the sender wants an ACK for it at once.
    pub ack_request: bool,
}

/// What to send back. An ACK speaks of everything that has arrived; its header echoes entropy and
/// mark of the packet that triggered it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Nothing yet.
    Nothing,
    /// An ACK.
    Ack,
    /// A NACK for this packet.
    Nack,
}

/// A receiver and what it made of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// If the packet was whole and new: the entry for the sender's log.
    pub arrival: Option<Entry>,
    /// Whether it completed the message.
    pub completed: bool,
    /// The reply to send.
    pub reply: Reply,
}

/// The receiving end of one flow.
pub struct Receiver {
    /// Which packets from `low` on have arrived: bit `psn` of a ring of bits.
    bits: Vec<u64>,
    low: u32,
    total: u32,
    /// Packets that have arrived whole: what an ACK sent now would say.
    arrived: u32,
    recovery: Option<AnyRecovery>,
}

impl Receiver {
    /// The receiver of a message of `total` packets.
    pub fn new(total: u32, recovery: &recovery::Config, context: &FlowContext) -> Self {
        Self {
            bits: Vec::new(),
            low: 0,
            total,
            arrived: 0,
            recovery: Some(recovery.build(context)),
        }
    }

    /// All packets below this one have arrived.
    pub fn low(&self) -> u32 {
        self.low
    }

    /// How many packets have arrived whole.
    pub fn arrived(&self) -> u32 {
        self.arrived
    }

    /// Whether the message is complete.
    pub fn complete(&self) -> bool {
        self.low == self.total
    }

    /// Whether `psn` has arrived whole.
    pub fn has(&self, psn: Psn) -> bool {
        psn.0 < self.low || self.bit(psn.0)
    }

    /// Takes a data packet or its trimmed header.
    pub fn on_data(&mut self, data: &Data) -> Received {
        debug_assert!(data.psn.0 < self.total);
        let fresh = !data.trimmed && !self.has(data.psn);
        if fresh {
            self.accept(data.psn.0);
            self.arrived += 1;
        }
        // The recovery reads the receiver it belongs to, so it steps out for the call.
        let mut recovery = self.recovery.take();
        let reply = recovery
            .as_mut()
            .map_or(Reply::Nothing, |recovery| recovery.on_data(data, fresh, self));
        self.recovery = recovery;
        // An ACK for a duplicate or a trimmed header triggers nothing that a list could end with.
        let acked_here = reply == Reply::Ack;
        let Data { psn, entropy, marked, .. } = *data;
        let arrival = fresh.then(|| Arrival { psn, entropy, marked, acked_here }.into());
        Received { arrival, completed: fresh && self.complete(), reply }
    }

    fn accept(&mut self, psn: u32) {
        if psn == self.low {
            self.low += 1;
            while self.low < self.total && self.bit(self.low) {
                self.clear(self.low);
                self.low += 1;
            }
            return;
        }
        while (psn - self.low) as usize >= self.bits.len() * 64 {
            self.grow();
        }
        let (word, mask) = self.place(psn);
        self.bits[word] |= mask;
    }

    #[inline]
    fn bit(&self, psn: u32) -> bool {
        // Bits behind `low` are cleared as it passes, so a set bit within the ring is this psn.
        if (psn - self.low) as usize >= self.bits.len() * 64 {
            return false;
        }
        let (word, mask) = self.place(psn);
        self.bits[word] & mask != 0
    }

    fn clear(&mut self, psn: u32) {
        let (word, mask) = self.place(psn);
        self.bits[word] &= !mask;
    }

    #[inline]
    fn place(&self, psn: u32) -> (usize, u64) {
        ((psn as usize / 64) & (self.bits.len() - 1), 1 << (psn % 64))
    }

    fn grow(&mut self) {
        let length = (self.bits.len() * 2).max(2);
        let mut bits = alloc::vec![0u64; length];
        for psn in self.low..self.low + self.bits.len() as u32 * 64 {
            if self.bit(psn) {
                bits[(psn as usize / 64) & (length - 1)] |= 1 << (psn % 64);
            }
        }
        self.bits = bits;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(psn: u32) -> Data {
        Data {
            psn: Psn(psn),
            entropy: Entropy(psn as u16),
            marked: false,
            trimmed: false,
            again: false,
            ack_request: false,
        }
    }

    fn receiver(total: u32, ack_every: u32) -> Receiver {
        let config = recovery::sack::Config { ack_every, ..Default::default() };
        Receiver::new(total, &recovery::Config::Sack(config), &FlowContext::NOMINAL)
    }

    #[test]
    fn any_order_completes_the_message_once() {
        let total = 1_000;
        let mut order: Vec<u32> = (0..total).collect();
        crate::rng::Rng::new(5, "test", 0).shuffle(&mut order);
        let mut receiver = receiver(total, 1);
        let mut completions = 0;
        for &psn in &order {
            let received = receiver.on_data(&data(psn));
            assert!(received.arrival.is_some());
            completions += u32::from(received.completed);
            assert!(receiver.on_data(&data(psn)).arrival.is_none());
        }
        assert_eq!((completions, receiver.low()), (1, total));
        assert_eq!(receiver.arrived(), total);
    }

    #[test]
    fn four_to_one_acks_answer_marks_and_requests_at_once() {
        let mut receiver = receiver(100, 4);
        let mut reply = |d: Data| receiver.on_data(&d).reply;
        assert_eq!(reply(data(0)), Reply::Ack, "the first packet");
        for psn in 1..4 {
            assert_eq!(reply(data(psn)), Reply::Nothing);
        }
        assert_eq!(reply(data(4)), Reply::Ack, "the fourth since");
        assert_eq!(reply(Data { marked: true, ..data(5) }), Reply::Ack);
        assert_eq!(reply(Data { ack_request: true, ..data(6) }), Reply::Ack);
        assert_eq!(reply(Data { again: true, ..data(7) }), Reply::Ack);
        assert_eq!(reply(data(7)), Reply::Ack, "a duplicate");
    }

    #[test]
    fn a_trimmed_header_is_nacked_unless_its_packet_arrived() {
        let mut receiver = receiver(100, 1);
        let trimmed = Data { trimmed: true, ..data(3) };
        assert_eq!(receiver.on_data(&trimmed).reply, Reply::Nack);
        receiver.on_data(&data(3));
        assert_eq!(receiver.on_data(&trimmed).reply, Reply::Ack);
    }
}
