//! A link's state over time: up or down, its rate, its losses.

use crate::faults::PortChange;
use crate::faults::gate::Gate;
use crate::faults::probability::{at_most_of_a_wrong_bit, of_a_wrong_bit};
use crate::wire::serialisation::Wire;
use raddle_schemes::rng::coin;
use raddle_schemes::units::{Bytes, Rate, Time};
use std::cmp::Ordering;

/// Why a frame is lost on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// Random loss or bit errors.
    Noise,
    /// Its circuit was not up all the while.
    Clipped,
}

/// The changes of one port, played forward. Queries come in order of time.
#[derive(Clone, Debug)]
pub struct Link {
    nominal: Rate,
    /// A full packet, which even a scaled queue has room for.
    packet: u64,
    rate: Rate,
    scaled: bool,
    up: bool,
    /// Probability of loss per frame, in units of 2^-32.
    loss: u64,
    bit_errors: f64,
    changes: Vec<(Time, PortChange)>,
    played: usize,
    /// When frames may pass, where that is not at all times.
    gate: Option<Gate>,
    /// Whether the last change took the circuit of the frame that started last.
    cuts: bool,
}

impl Link {
    /// A link of `rate` that will see `changes`, in order of time; full packets have `packet` bytes.
    pub fn new(rate: Rate, packet: Bytes, changes: Vec<(Time, PortChange)>) -> Self {
        Self {
            nominal: rate,
            packet: packet.0,
            rate,
            scaled: false,
            up: true,
            loss: 0,
            bit_errors: 0.0,
            changes,
            played: 0,
            gate: None,
            cuts: false,
        }
    }

    /// The same with a gate, or without.
    pub fn with_gate(self, gate: Option<Gate>) -> Self {
        Self { gate, ..self }
    }

    /// The same as it is now, for ever.
    pub(crate) fn as_it_is(&self) -> Self {
        Self { changes: Vec::new(), played: 0, gate: None, ..*self }
    }

    /// Whether there is one.
    #[inline]
    pub fn has_gate(&self) -> bool {
        self.gate.is_some()
    }

    /// The first instant at or after `now` at which a gate lets a frame of this size start; `now`
    /// without one.
    #[inline]
    pub fn next_start(&self, now: Time, size: Bytes) -> Time {
        self.gate.as_ref().map_or(now, |gate| gate.next_start(now, size))
    }

    /// The wire of a frame that starts at `now`, which the gate lets.
    #[inline]
    pub(crate) fn wire_at(&mut self, now: Time) -> Wire {
        let own = self.gate.as_mut().and_then(|gate| gate.advance(now));
        own.unwrap_or_else(|| Wire::new(self.rate))
    }

    /// When the next change comes; [`Time::NEVER`] after the last.
    pub fn next_change(&self) -> Time {
        self.changes.get(self.played).map_or(Time::NEVER, |(at, _)| *at)
    }

    /// Plays the next change. Returns it.
    pub fn play(&mut self) -> Option<PortChange> {
        let (_, change) = *self.changes.get(self.played)?;
        self.played += 1;
        match change {
            PortChange::Down => self.up = false,
            PortChange::Up => self.up = true,
            PortChange::Rate { rate, scale } => {
                self.rate = rate;
                self.scaled = scale && rate != self.nominal;
                if let Some(gate) = &mut self.gate {
                    gate.scale(rate.0, self.nominal.0);
                }
            }
            PortChange::Uplinks { dead } => {
                self.cuts = self.gate.as_mut().is_some_and(|gate| gate.set_dead(dead));
            }
            PortChange::Loss { probability } => self.loss = probability,
            PortChange::BitErrors { rate } => self.bit_errors = rate,
        }
        Some(change)
    }

    /// Plays every change up to and including `now`.
    pub fn advance(&mut self, now: Time) {
        while self.next_change() <= now {
            self.play();
        }
    }

    /// Why a frame of `size` that is on the wire from an instant until another is lost, if it is.
    #[inline]
    pub(crate) fn fate(
        &self,
        stream: u64,
        (from, until): (Time, Time),
        size: Bytes,
    ) -> Option<Lost> {
        if self.gate.as_ref().is_some_and(|gate| gate.clips(from, until)) {
            return Some(Lost::Clipped);
        }
        self.loses(stream, from, size).then_some(Lost::Noise)
    }

    /// Whether the last change, one of uplinks, took the circuit of the frame that started last.
    pub(crate) fn cuts(&self) -> bool {
        self.cuts
    }

    /// Whether the link is up.
    pub fn is_up(&self) -> bool {
        self.up
    }

    /// The present rate.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// When the link next goes down; never, if it does not.
    pub fn next_down(&self) -> Time {
        self.next(PortChange::Down)
    }

    /// When the link next comes up; never, if it does not.
    pub fn next_up(&self) -> Time {
        self.next(PortChange::Up)
    }

    fn next(&self, wanted: PortChange) -> Time {
        let coming = self.changes[self.played..].iter();
        coming.clone().find(|(_, change)| *change == wanted).map_or(Time::NEVER, |(at, _)| *at)
    }

    /// Bytes of a queue with room for `nominal`, as marking thresholds see them: what would be as
    /// full, at the nominal rate.
    pub fn nominal_bytes(&self, bytes: u64, nominal: u64) -> u64 {
        if !self.scaled {
            return bytes;
        }
        let least = self.packet.min(nominal);
        if scale(nominal, self.rate.0, self.nominal.0) < least {
            scale(bytes, nominal, least)
        } else {
            scale(bytes, self.nominal.0, self.rate.0)
        }
    }

    /// The present capacity of a queue of `nominal` bytes: with the rate it shrinks down to a
    /// packet, as one without room for any would cut the link.
    pub fn capacity(&self, nominal: u64) -> u64 {
        if !self.scaled {
            return nominal;
        }
        scale(nominal, self.rate.0, self.nominal.0).max(self.packet.min(nominal))
    }

    /// Whether a frame of `size` that starts at `start` is lost to noise. `stream` is the port's
    /// loss stream; a frame's start names it, for no two frames of a port start together.
    pub fn loses(&self, stream: u64, start: Time, size: Bytes) -> bool {
        if self.loss == 0 && self.bit_errors == 0.0 {
            return false;
        }
        let drawn = u64::from(coin(stream, start.0));
        // No cause and no sum of them is likelier than this, and most coins are beyond.
        if drawn > self.loss + at_most_of_a_wrong_bit(self.bit_errors, size) {
            return false;
        }
        let noise = of_a_wrong_bit(self.bit_errors, size);
        // Either cause alone, or both: p + q - p q, in units of 2^-64.
        let loss = u128::from(self.loss);
        let both = (loss << 32) + noise - ((loss * noise) >> 32);
        let (high, low) = ((both >> 32) as u64, both as u32);
        // The second half of the coin decides once in 2^32 times.
        match drawn.cmp(&high) {
            Ordering::Less => true,
            Ordering::Equal => coin(!stream, start.0) < low,
            Ordering::Greater => false,
        }
    }
}

fn scale(bytes: u64, numerator: u64, denominator: u64) -> u64 {
    let scaled = u128::from(bytes) * u128::from(numerator) / u128::from(denominator.max(1));
    scaled.try_into().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_played_in_order() {
        let half = Rate::gbps(200);
        let mut link = Link::new(
            Rate::gbps(400),
            Bytes(100),
            vec![
                (Time(10), PortChange::Down),
                (Time(20), PortChange::Up),
                (Time(20), PortChange::Rate { rate: half, scale: true }),
            ],
        );
        assert_eq!((link.is_up(), link.next_down(), link.next_up()), (true, Time(10), Time(20)));
        link.advance(Time(10));
        assert!(!link.is_up());
        link.advance(Time(25));
        assert_eq!((link.is_up(), link.rate()), (true, half));
        assert_eq!((link.capacity(1000), link.nominal_bytes(500, 1000)), (500, 1000));
        assert_eq!(link.next_change(), Time::NEVER);
    }

    #[test]
    fn a_queue_scaled_down_has_room_for_a_packet_and_is_full_with_it() {
        let slow = PortChange::Rate { rate: Rate::gbps(4), scale: true };
        let mut link = Link::new(Rate::gbps(400), Bytes(4160), vec![(Time(0), slow)]);
        link.advance(Time(0));
        let queue = 100_000;
        assert_eq!((link.capacity(queue), link.nominal_bytes(4160, queue)), (4160, queue));
        assert_eq!(link.capacity(1_000_000), 10_000, "where more than a packet is left");
        assert_eq!(link.nominal_bytes(5_000, 1_000_000), 500_000);
        assert_eq!(link.capacity(300), 300, "no larger than it was");
    }

    #[test]
    fn losses_follow_their_probability() {
        let tenth = PortChange::Loss { probability: (1 << 32) / 10 };
        let mut link = Link::new(Rate::gbps(400), Bytes(4160), vec![(Time(0), tenth)]);
        link.advance(Time(0));
        let lost = (0..50_000).filter(|&i| link.loses(3, Time(i * 83_200), Bytes(4160))).count();
        assert!((4_800..5_200).contains(&lost), "{lost}");
        let errors = PortChange::BitErrors { rate: 1e-6 };
        let mut link = Link::new(Rate::gbps(400), Bytes(4160), vec![(Time(0), errors)]);
        link.advance(Time(0));
        // 1 - (1 - 1e-6)^33280 = 3.27 %.
        let lost = (0..50_000).filter(|&i| link.loses(3, Time(i * 83_200), Bytes(4160))).count();
        assert!((1_500..1_770).contains(&lost), "{lost}");
    }
}
