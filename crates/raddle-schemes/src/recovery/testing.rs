//! Both ends of a flow without a network, for tests of recoveries that acknowledge cumulatively.

use super::Config;
use crate::FlowContext;
use crate::congestion;
use crate::ids::{Entropy, Psn};
use crate::load_balance::host;
use crate::rng::Rng;
use crate::transport::sender::{AckHeader, NackHeader, Sender, SenderPlan};
use crate::transport::{Data, Receiver, Reply};
use crate::units::{Bytes, Time};
use std::vec::Vec;

pub(super) struct Ends {
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    pub(super) now: Time,
}

/// A receiver's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Nothing,
    Ack(u32),
    Nack(u32),
}

impl Ends {
    /// A message of so many packets, sent at line rate without a window but the recovery's.
    pub(super) fn new(packets: u32, recovery: Config) -> Self {
        let (load_balance, congestion) =
            (host::Config::named("ecmp"), congestion::Config::named("fixed_rate"));
        let (load_balance, congestion) = (&load_balance.unwrap(), &congestion.unwrap());
        let plan = SenderPlan { load_balance, congestion, recovery: &recovery };
        let context = &FlowContext::NOMINAL;
        let bytes = Bytes(u64::from(packets) * context.payload.0);
        let sender = Sender::new(&plan, context, bytes, Rng::new(1, "flow", 0));
        Self { sender, receiver: Receiver::new(packets, &recovery, context), now: Time::ZERO }
    }

    /// Sends all that may leave now.
    pub(super) fn send(&mut self) -> Vec<u32> {
        let packets = core::iter::from_fn(|| self.sender.poll_transmit(self.now, &mut ()));
        packets.map(|packet| packet.psn.0).collect()
    }

    pub(super) fn arrive(&mut self, psn: u32) -> Told {
        self.receive(psn, false)
    }

    pub(super) fn arrive_trimmed(&mut self, psn: u32) -> Told {
        self.receive(psn, true)
    }

    fn receive(&mut self, psn: u32, trimmed: bool) -> Told {
        let received = self.receiver.on_data(&Data {
            at: self.now,
            psn: Psn(psn),
            entropy: Entropy(7),
            marked: false,
            trimmed,
            again: false,
            ack_request: false,
        });
        received.arrival.into_iter().for_each(|entry| self.sender.on_arrival(entry));
        let expected = self.receiver.arrived().low();
        match received.reply {
            Reply::AckExpected => Told::Ack(expected),
            Reply::NackExpected => Told::Nack(expected),
            _ => Told::Nothing,
        }
    }

    /// An ACK reaches the sender. What it tells has arrived.
    pub(super) fn ack(&mut self, expected: u32) {
        self.let_arrive(expected);
        let (entropy, marked, duplicate) = (Entropy(7), false, false);
        let ack =
            AckHeader { upto: expected, entropy, marked, duplicate, hops: &[], circuit: false };
        self.sender.on_ack(self.now, &ack, &mut ());
    }

    /// A NACK reaches the sender, on another path than what it asks for was sent on.
    pub(super) fn nack(&mut self, expected: u32) {
        self.let_arrive(expected);
        let (psn, entropy) = (Psn(expected), Entropy(7));
        let (marked, of_switch, last_hop, rewritten, circuit) = (false, false, false, false, false);
        let nack = NackHeader { psn, entropy, marked, of_switch, last_hop, rewritten, circuit };
        self.sender.on_nack(self.now, &nack, &mut ());
    }

    fn let_arrive(&mut self, expected: u32) {
        for psn in self.receiver.arrived().low()..expected {
            self.arrive(psn);
        }
    }
}
