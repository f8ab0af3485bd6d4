//! HyStart: when slow start has filled the pipe. Ha and Rhee, Taming the Elephants, 2011; constants
//! of ns-3.

use crate::congestion::Ack;
use crate::units::{Span, Time};
use serde::Serialize;

/// It looks from so many packets of window on.
const FROM: f64 = 16.0;
/// ACKs at most so far apart are a train.
const GAP: Span = Span::ms(2);
/// Round trips of a round that are looked at.
const SAMPLES: u32 = 8;
/// A round trip that has grown by less says nothing, one by more everything.
const GROWN: (Span, Span) = (Span::ms(4), Span::ms(1000));

/// One flow's rounds.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Hystart {
    round: Option<Round>,
    /// The shortest round trip.
    least: Option<Span>,
}

#[derive(Clone, Debug, Serialize)]
struct Round {
    began: Time,
    /// The last ACK of the train.
    train: Time,
    /// It ends when all packets below this one, and one more, have arrived.
    end: u32,
    /// The shortest round trip of its first ones.
    shortest: Option<Span>,
    samples: u32,
}

impl Hystart {
    /// Packet numbers begin anew.
    pub(super) fn begin_message(&mut self) {
        self.round = None;
    }

    /// Whether this ACK ends slow start, in which the window is so many packets.
    pub(super) fn ends(&mut self, now: Time, ack: &Ack<'_>, window: f64) -> bool {
        let over = |round: &Round| ack.cumulative > round.end;
        if self.round.as_ref().is_none_or(over) {
            let end = ack.next_new;
            self.round = Some(Round { began: now, train: now, end, shortest: None, samples: 0 });
        }
        let Some(rtt) = ack.rtt else { return false };
        let least = self.least.map_or(rtt, |least| least.min(rtt));
        self.least = Some(least);
        let Some(round) = self.round.as_mut().filter(|_| window >= FROM) else { return false };
        let mut found = false;
        if now.since(round.train) <= GAP {
            round.train = now;
            found |= now.since(round.began) > least;
        }
        if round.samples < SAMPLES {
            round.samples += 1;
            round.shortest = Some(round.shortest.map_or(rtt, |shortest| shortest.min(rtt)));
        } else {
            let grown = least.max(GROWN.0).min(GROWN.1);
            found |= round.shortest.is_some_and(|shortest| shortest > least + grown);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bytes;

    fn ack(rtt: Span, cumulative: u32) -> Ack<'static> {
        Ack {
            bytes: Bytes(1000),
            rtt: Some(rtt),
            in_flight: Bytes(20_000),
            cumulative,
            next_new: cumulative + 40,
            ..Ack::EMPTY
        }
    }

    fn at(us: u64) -> Time {
        Time::ZERO + Span::us(us)
    }

    /// Round trips of 100 us, ACKs 10 us apart: the train is longer than that with the 12th.
    #[test]
    fn a_train_of_acks_longer_than_the_shortest_round_trip_ends_it() {
        let mut hystart = Hystart::default();
        let ends = |n: u64| hystart.ends(at(10 * n), &ack(Span::us(100), n as u32), 20.0);
        let found: std::vec::Vec<bool> = (0..12).map(ends).collect();
        assert_eq!(found.iter().position(|found| *found), Some(11));
    }

    #[test]
    fn a_gap_breaks_the_train_and_a_small_window_has_none() {
        let mut hystart = Hystart::default();
        for n in 0..40 {
            assert!(!hystart.ends(at(2001 * n), &ack(Span::us(100), 0), 20.0), "{n}");
        }
        let mut small = Hystart::default();
        assert!((0..40).all(|n| !small.ends(at(10 * n), &ack(Span::us(100), 0), 15.9)));
    }

    /// ACKs 3 ms apart are no train. 1 ms grows to 5 ms: not by more than 4; to 5.001: it is.
    #[test]
    fn round_trips_that_grow_by_more_than_four_milliseconds_end_it() {
        for (us, expected) in [(5000, false), (5001, true)] {
            let mut hystart = Hystart::default();
            hystart.ends(at(0), &ack(Span::ms(1), 0), 20.0);
            let grown = |n: u64| ack(Span::us(us), if n == 1 { 41 } else { 42 });
            let found: std::vec::Vec<bool> =
                (1..=9).map(|n| hystart.ends(at(3000 * n), &grown(n), 20.0)).collect();
            assert_eq!(found.iter().position(|found| *found), expected.then_some(8), "{us}");
        }
    }
}
