//! What a receiver tells a sender, as bytes: ACKs, NACKs, notifications, pulls and grants.
//!
//! In a simulation an ACK costs no copy: it is a position in a log of arrivals at the sender's end
//! ([`Arrivals`](super::Arrivals)). Over a network it carries what that log would hold: the number
//! below which all has arrived, a bit for each later packet, and the arrivals since the ACK before.
//! The [`AckWriter`] at the receiver makes such ACKs, the [`AckReader`] at the sender enters into the
//! log what is new to it. ACKs may be lost, repeated, and overtake each other: each says all.

use super::receiver::Received;
use super::sender::{AckHeader, NackHeader, Sender};
use super::{Arrival, Data, PacketSet, Reply};
use crate::Events;
use crate::congestion::{Grant, Hop};
use crate::ids::{Entropy, PortId, Psn};
use crate::units::{Bytes, Rate, Span, Time};
use alloc::vec::Vec;

/// What a receiver tells a sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// These packets have arrived.
    Ack(Ack),
    /// These have, says the answer to a probe.
    Probed(Ack),
    /// This one has not, or is expected.
    Nack {
        /// The packet.
        psn: Psn,
        /// The entropy of the packet that triggered the NACK.
        entropy: Entropy,
        /// Whether that was marked.
        marked: bool,
    },
    /// There is congestion on a path (CNP).
    Cnp {
        /// The path.
        entropy: Entropy,
    },
    /// Credits since the start of the message, modulo 2^24.
    Pull {
        /// How many.
        count: u32,
        /// The path that it takes.
        path: Entropy,
    },
    /// Packets may leave.
    Grant(Grant),
    /// This packet and those missing behind it shall be sent again.
    Resend(Psn),
}

/// An ACK.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ack {
    /// The packet that triggered it.
    pub psn: Psn,
    /// Its entropy.
    pub entropy: Entropy,
    /// Whether it was marked.
    pub marked: bool,
    /// Whether it had arrived before.
    pub duplicate: bool,
    /// All below have arrived.
    pub low: u32,
    /// Bit `i % 64` of word `i / 64`: whether packet `low + 1 + i` has. Empty where an ACK tells of
    /// nothing else than the packet expected next.
    pub beyond: Vec<u64>,
    /// What has arrived since the ACK before, the trigger last.
    pub recent: Vec<Arrival>,
    /// What switches said of the trigger.
    pub hops: Vec<Hop>,
}

/// More arrivals than these an ACK does not list one by one.
const MOST_RECENT: usize = 64;

/// Nor of more packets beyond the first that is missing than fit so many words of bits: what is left out is
/// told when that has come. So an ACK without telemetry takes 1,232 B at most.
const MOST_WORDS: usize = 96;

/// Makes the answers of one receiver.
#[derive(Clone, Debug, Default)]
pub struct AckWriter {
    recent: Vec<Arrival>,
}

impl AckWriter {
    /// The answer to a packet of which this has been made, where these have `arrived`.
    pub fn answer(
        &mut self,
        data: &Data,
        received: &Received,
        arrived: &PacketSet,
        hops: &[Hop],
    ) -> Option<Control> {
        if let Some(entry) = received.arrival {
            if self.recent.len() == MOST_RECENT {
                self.recent.remove(0);
            }
            self.recent.push(entry.into());
        }
        let Data { psn, entropy, marked, trimmed, .. } = *data;
        let duplicate = received.arrival.is_none();
        match received.reply {
            Reply::Nothing => None,
            Reply::Nack => Some(Control::Nack { psn, entropy, marked }),
            Reply::NackExpected => Some(Control::Nack { psn: Psn(arrived.low()), entropy, marked }),
            Reply::Ack | Reply::AckExpected => {
                let tells_all = received.reply == Reply::Ack;
                // The header of a packet that had arrived tells of a full queue.
                let marked = marked || (duplicate && trimmed);
                Some(Control::Ack(Ack {
                    psn,
                    entropy,
                    marked,
                    duplicate,
                    low: arrived.low(),
                    beyond: if tells_all { beyond(arrived) } else { Vec::new() },
                    recent: core::mem::take(&mut self.recent),
                    hops: if duplicate { Vec::new() } else { hops.to_vec() },
                }))
            }
        }
    }

    /// An ACK that says all again, on this path, `marked` if there is something wrong with it.
    pub fn again(&self, arrived: &PacketSet, entropy: Entropy, marked: bool) -> Control {
        Control::Ack(Ack { marked, ..all(arrived, entropy) })
    }

    /// The answer to a probe that came on this path.
    pub fn answer_probe(&self, arrived: &PacketSet, path: Entropy) -> Control {
        Control::Probed(all(arrived, path))
    }
}

/// All that has arrived, by no packet's trigger.
fn all(arrived: &PacketSet, entropy: Entropy) -> Ack {
    let (low, beyond) = (arrived.low(), beyond(arrived));
    Ack { entropy, duplicate: true, low, beyond, ..Ack::default() }
}

/// A bit for each packet above the first that is missing, as far as an ACK tells.
fn beyond(arrived: &PacketSet) -> Vec<u64> {
    let mut left = arrived.count().saturating_sub(arrived.low());
    let mut words = Vec::new();
    let mut psn = arrived.low();
    while left > 0 && words.len() < MOST_WORDS {
        let mut word = 0;
        for bit in 0..64 {
            psn += 1;
            if arrived.has(Psn(psn)) {
                word |= 1 << bit;
                left -= 1;
            }
        }
        words.push(word);
    }
    words
}

/// Enters into one sender's log what ACKs tell.
#[derive(Clone, Debug)]
pub struct AckReader {
    /// What it has entered; of one that tells of expected packets alone the number of these.
    known: PacketSet,
}

impl AckReader {
    /// That of a message of `total` packets.
    pub fn new(total: u32) -> Self {
        Self { known: PacketSet::new(total) }
    }

    /// Tells the sender of the message. Returns the round trip that an ACK told of.
    pub fn deliver(
        &mut self,
        now: Time,
        sender: &mut Sender,
        control: &Control,
        events: &mut dyn Events,
    ) -> Option<Span> {
        match control {
            Control::Ack(ack) => return self.on_ack(now, sender, ack, events),
            Control::Probed(ack) => {
                let upto = self.learn_all(sender, ack);
                sender.on_probe_answered(now, (ack.entropy, true), upto, events);
            }
            // Nobody speaks of packets that were never sent.
            Control::Nack { psn, .. } if psn.0 > sender.sent_below() => {}
            Control::Nack { psn, entropy, marked } => {
                if sender.awaits_order() {
                    self.learn_below(sender, psn.0, None);
                }
                let (psn, entropy, marked) = (*psn, *entropy, *marked);
                // Here nobody trims or writes over entropies on the way, or tells of circuits.
                let (of_switch, last_hop, rewritten, circuit) = (false, false, false, false);
                let nack =
                    NackHeader { psn, entropy, marked, of_switch, last_hop, rewritten, circuit };
                sender.on_nack(now, &nack, events);
            }
            Control::Cnp { .. } => sender.on_cnp(now, events),
            Control::Pull { count, .. } => sender.on_credit(now, *count, events),
            Control::Grant(grant) => sender.on_grant(now, grant, events),
            Control::Resend(psn) => sender.on_resend(now, *psn, events),
        }
        None
    }

    fn on_ack(
        &mut self,
        now: Time,
        sender: &mut Sender,
        ack: &Ack,
        events: &mut dyn Events,
    ) -> Option<Span> {
        let is_news = !ack.duplicate && !self.known.has(ack.psn);
        let before = self.known.count();
        let in_order = sender.awaits_order();
        let upto = self.learn_all(sender, ack);
        let new = self.known.count() > before;
        let header = AckHeader {
            upto,
            entropy: ack.entropy,
            marked: ack.marked,
            duplicate: ack.duplicate || !(new || in_order),
            hops: if is_news || in_order { &ack.hops } else { &[] },
            circuit: false,
        };
        sender.on_ack(now, &header, events)
    }

    /// Enters what an ACK says has arrived. Returns up to where its sender has heard then.
    fn learn_all(&mut self, sender: &mut Sender, ack: &Ack) -> u32 {
        let in_order = sender.awaits_order();
        let low = ack.low.min(sender.sent_below());
        if in_order {
            self.learn_below(sender, low, None);
        } else {
            // The trigger comes last: its round trip is that of the ACK.
            let trigger = (!ack.duplicate).then_some(ack.psn);
            let listed = ack.recent.iter().filter(|arrival| Some(arrival.psn) != trigger);
            listed.for_each(|own| self.learn(sender, own.psn, Some(*own)));
            self.learn_below(sender, low, trigger);
            for (word, first) in ack.beyond.iter().zip((ack.low + 1..).step_by(64)) {
                let set = (0..64).filter(|bit| word >> bit & 1 == 1).map(|bit| Psn(first + bit));
                let others = set.filter(|psn| Some(*psn) != trigger);
                others.for_each(|psn| self.learn(sender, psn, None));
            }
            if let Some(psn) = trigger {
                let listed = ack.recent.iter().find(|arrival| arrival.psn == psn);
                self.learn(sender, psn, listed.copied());
            }
        }
        if in_order { low } else { self.known.count() }
    }

    /// All packets below this one have arrived; of one, `but`, that is said later.
    fn learn_below(&mut self, sender: &mut Sender, low: u32, but: Option<Psn>) {
        let below = (self.known.low()..low).map(Psn).filter(|psn| Some(*psn) != but);
        below.for_each(|psn| self.learn(sender, psn, None));
    }

    /// A packet has arrived, unless that is known or it was never sent. Of one that is not listed nothing
    /// else is known: it counts as marked, so that nobody takes its path for good.
    fn learn(&mut self, sender: &mut Sender, psn: Psn, listed: Option<Arrival>) {
        if psn.0 >= sender.sent_below() || self.known.complete() || self.known.has(psn) {
            return;
        }
        self.known.insert(psn);
        let unlisted = Arrival { psn, entropy: Entropy(0), marked: true, acked_here: false };
        sender.on_arrival(listed.unwrap_or(unlisted).into());
    }
}

const ACK: u8 = 0;
const NACK: u8 = 1;
const CNP: u8 = 2;
const PULL: u8 = 3;
const GRANT: u8 = 4;
const RESEND: u8 = 5;
const PROBED: u8 = 6;

impl Control {
    /// Appends it to `out`, in network order.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Ack(ack) | Self::Probed(ack) => {
                out.push(if matches!(self, Self::Ack(_)) { ACK } else { PROBED });
                out.push(u8::from(ack.marked) | u8::from(ack.duplicate) << 1);
                out.extend(ack.psn.0.to_be_bytes());
                out.extend(ack.entropy.0.to_be_bytes());
                out.extend(ack.low.to_be_bytes());
                out.extend((ack.beyond.len() as u16).to_be_bytes());
                ack.beyond.iter().for_each(|word| out.extend(word.to_be_bytes()));
                out.push(ack.recent.len() as u8);
                for arrival in &ack.recent {
                    out.extend(arrival.psn.0.to_be_bytes());
                    out.extend(arrival.entropy.0.to_be_bytes());
                    out.push(u8::from(arrival.marked) | u8::from(arrival.acked_here) << 1);
                }
                out.push(ack.hops.len() as u8);
                for hop in &ack.hops {
                    out.extend(hop.port.0.to_be_bytes());
                    for word in [hop.at.0, hop.queue.0, hop.sent.0, hop.entered.0, hop.rate.0] {
                        out.extend(word.to_be_bytes());
                    }
                }
            }
            Self::Nack { psn, entropy, marked } => {
                out.extend([NACK, u8::from(*marked)]);
                out.extend(psn.0.to_be_bytes());
                out.extend(entropy.0.to_be_bytes());
            }
            Self::Cnp { entropy } => {
                out.push(CNP);
                out.extend(entropy.0.to_be_bytes());
            }
            Self::Pull { count, path } => {
                out.push(PULL);
                out.extend(count.to_be_bytes());
                out.extend(path.0.to_be_bytes());
            }
            Self::Grant(grant) => {
                out.extend([GRANT, grant.class]);
                out.extend(grant.upto.to_be_bytes());
            }
            Self::Resend(psn) => {
                out.push(RESEND);
                out.extend(psn.0.to_be_bytes());
            }
        }
    }

    /// Reads what [`write`](Self::write) wrote; `None` if it is something else.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut from = From(bytes);
        let control = match from.u8()? {
            kind @ (ACK | PROBED) => {
                let flags = from.flags(2)?;
                let (psn, entropy, low) = (Psn(from.u32()?), Entropy(from.u16()?), from.u32()?);
                let words = from.u16()?;
                let beyond = (0..words).map(|_| from.u64()).collect::<Option<Vec<u64>>>()?;
                // No packet has a number that a frame cannot have.
                low.checked_add(1 + 64 * u32::from(words))?;
                let recent = from.u8()?;
                let recent = (0..recent).map(|_| from.arrival()).collect::<Option<_>>()?;
                let hops = from.u8()?;
                let hops = (0..hops).map(|_| from.hop()).collect::<Option<_>>()?;
                let (marked, duplicate) = (flags & 1 != 0, flags & 2 != 0);
                let ack = Ack { psn, entropy, marked, duplicate, low, beyond, recent, hops };
                if kind == ACK { Self::Ack(ack) } else { Self::Probed(ack) }
            }
            NACK => {
                let marked = from.flags(1)? != 0;
                Self::Nack { psn: Psn(from.u32()?), entropy: Entropy(from.u16()?), marked }
            }
            CNP => Self::Cnp { entropy: Entropy(from.u16()?) },
            PULL => Self::Pull { count: from.u32()?, path: Entropy(from.u16()?) },
            GRANT => {
                let class = from.u8()?;
                Self::Grant(Grant { upto: from.u32()?, class })
            }
            RESEND => Self::Resend(Psn(from.u32()?)),
            _ => return None,
        };
        from.0.is_empty().then_some(control)
    }
}

/// What is left to be read.
struct From<'a>(&'a [u8]);

impl From<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_be_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_be_bytes)
    }

    /// A byte of which so many bits mean something.
    fn flags(&mut self, bits: u32) -> Option<u8> {
        self.u8().filter(|flags| flags >> bits == 0)
    }

    fn arrival(&mut self) -> Option<Arrival> {
        let (psn, entropy) = (Psn(self.u32()?), Entropy(self.u16()?));
        let flags = self.flags(2)?;
        Some(Arrival { psn, entropy, marked: flags & 1 != 0, acked_here: flags & 2 != 0 })
    }

    fn hop(&mut self) -> Option<Hop> {
        let port = PortId(self.u32()?);
        let mut word = || self.u64();
        let [at, queue, sent, entered, rate] = [word()?, word()?, word()?, word()?, word()?];
        let [queue, sent, entered] = [queue, sent, entered].map(Bytes);
        Some(Hop { port, at: Time(at), queue, sent, entered, rate: Rate(rate) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use alloc::vec;

    fn examples() -> Vec<Control> {
        let hop = Hop {
            port: PortId(7),
            at: Time(123_456_789),
            queue: Bytes(41_600),
            sent: Bytes(1 << 40),
            entered: Bytes(1 << 41),
            rate: Rate::gbps(400),
        };
        let arrival = |psn, marked| Arrival {
            psn: Psn(psn),
            entropy: Entropy(9),
            marked,
            acked_here: !marked,
        };
        let ack = Ack {
            psn: Psn(12),
            entropy: Entropy(65_535),
            marked: true,
            duplicate: false,
            low: 10,
            beyond: vec![2, u64::MAX],
            recent: vec![arrival(11, true), arrival(12, false)],
            hops: vec![hop, hop],
        };
        vec![
            Control::Ack(ack),
            Control::Ack(Ack { duplicate: true, ..Ack::default() }),
            Control::Nack { psn: Psn(1 << 24), entropy: Entropy(3), marked: true },
            Control::Cnp { entropy: Entropy(4) },
            Control::Pull { count: (1 << 24) - 1, path: Entropy(5) },
            Control::Grant(Grant { upto: 77, class: 6 }),
            Control::Resend(Psn(8)),
        ]
    }

    #[test]
    fn what_is_written_is_what_is_read_and_nothing_shorter_or_longer() {
        for control in examples() {
            let mut bytes = Vec::new();
            control.write(&mut bytes);
            assert_eq!(Control::read(&bytes).as_ref(), Some(&control));
            for length in 0..bytes.len() {
                assert_eq!(Control::read(&bytes[..length]), None, "{control:?}");
            }
            bytes.push(0);
            assert_eq!(Control::read(&bytes), None, "{control:?}");
        }
    }

    #[test]
    fn bytes_that_nobody_wrote_are_read_or_refused_without_harm() {
        let mut rng = Rng::new(1, "codec", 0);
        for _ in 0..20_000 {
            let length = rng.below(80);
            let bytes: Vec<u8> = (0..length)
                .map(|i| if i == 0 { rng.below(8) } else { rng.below(256) } as u8)
                .collect();
            if let Some(control) = Control::read(&bytes) {
                let mut again = Vec::new();
                control.write(&mut again);
                assert_eq!(again, bytes);
            }
        }
    }

    #[test]
    fn an_ack_fits_a_datagram_whatever_has_arrived() {
        let mut set = PacketSet::new(1 << 20);
        (1..1 << 20).for_each(|psn| set.insert(Psn(psn)));
        let arrival = Arrival { psn: Psn(5), entropy: Entropy(9), marked: false, acked_here: true };
        let writer = AckWriter { recent: vec![arrival; MOST_RECENT] };
        let Control::Ack(ack) = writer.again(&set, Entropy(1), false) else { panic!("an ACK") };
        assert_eq!(ack.beyond.len(), MOST_WORDS);
        let mut bytes = Vec::new();
        Control::Ack(Ack { recent: writer.recent, ..ack }).write(&mut bytes);
        assert_eq!(bytes.len(), 1_232);
    }

    #[test]
    fn bits_tell_of_all_that_has_arrived_beyond_the_first_gap() {
        let mut set = PacketSet::new(500);
        for psn in (0..10).chain([11, 74, 75, 300]) {
            set.insert(Psn(psn));
        }
        let words = beyond(&set);
        let told = |psn: u32| words[(psn as usize - 11) / 64] >> ((psn - 11) % 64) & 1 == 1;
        for psn in 11..11 + 64 * words.len() as u32 {
            assert_eq!(told(psn), set.has(Psn(psn)), "{psn}");
        }
    }
}
