//! The receiver: what has arrived, and the reply to each packet.

pub use super::data::{Data, Reply};

use super::{Arrival, Entry, PacketSet};
use crate::FlowContext;
use crate::recovery::{self, AnyRecovery};

/// A receiver and what it made of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// If the packet was whole, new and kept: the entry for the sender's log.
    pub arrival: Option<Entry>,
    /// Whether it completed the message.
    pub completed: bool,
    /// The reply to send.
    pub reply: Reply,
}

/// The receiving end of one flow.
pub struct Receiver {
    arrived: PacketSet,
    recovery: AnyRecovery,
}

impl Receiver {
    /// The receiver of a message of `total` packets.
    pub fn new(total: u32, recovery: &recovery::Config, context: &FlowContext) -> Self {
        Self::of(total, recovery.build(context))
    }

    /// The same with a recovery at hand.
    pub(crate) fn of(total: u32, recovery: AnyRecovery) -> Self {
        Self { arrived: PacketSet::new(total), recovery }
    }

    /// The packets that have arrived whole.
    #[inline]
    pub fn arrived(&self) -> &PacketSet {
        &self.arrived
    }

    /// Takes a data packet or its trimmed header.
    #[inline]
    pub fn on_data(&mut self, data: &Data) -> Received {
        let fresh = !data.trimmed
            && !self.arrived.has(data.psn)
            && self.recovery.accepts(data, &self.arrived);
        if fresh {
            self.arrived.insert(data.psn);
        }
        let reply = self.recovery.on_data(data, fresh, &self.arrived);
        // An ACK for a duplicate or a trimmed header triggers nothing that a list could end with.
        let acked_here = reply == Reply::Ack;
        let Data { psn, entropy, marked, .. } = *data;
        let arrival = fresh.then(|| Arrival { psn, entropy, marked, acked_here }.into());
        Received { arrival, completed: fresh && self.arrived.complete(), reply }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Entropy, Psn};
    use crate::units::Time;
    use std::vec::Vec;

    fn data(psn: u32) -> Data {
        Data {
            at: Time::ZERO,
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
        assert_eq!((completions, receiver.arrived().low()), (1, total));
        assert_eq!(receiver.arrived().count(), total);
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
