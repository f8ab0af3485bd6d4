//! What sender, receiver and recovery tell each other of a packet of data.

use crate::ids::{Entropy, Psn};
use crate::units::Time;

/// A data packet at its receiver.
#[derive(Clone, Copy, Debug)]
pub struct Data {
    /// When it arrived.
    pub at: Time,
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
    /// An ACK that speaks of nothing but the packet that is expected next: all below have arrived.
    AckExpected,
    /// A NACK that says the same, and that a later packet has arrived.
    NackExpected,
}

/// A packet's last transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sent {
    /// When.
    pub at: Time,
    /// Which packet.
    pub psn: Psn,
    /// Whether it had been sent before, or has been found lost since.
    pub again: bool,
    /// Its entropy.
    pub entropy: Entropy,
}
