//! When a paced flow sends: spaced, or in the slots of a grid.

use crate::congestion::Pacing;
use crate::rng::mix;
use crate::units::{Bytes, Rate, Span, Time};

/// When a paced flow sends.
#[derive(Clone, Debug)]
pub(super) struct Pacer {
    /// The next packet leaves no earlier.
    pub(super) at: Time,
    /// Remainder of the pace, in bits x 10^12 modulo the rate, so that no pace drifts.
    pub(super) rest: u64,
    /// Whether after the last packet there was none that could have followed.
    pub(super) idle: bool,
    /// When the driver will look at the flow for its pace; never, if it has no reason to.
    awaited: Time,
    /// The last packet: when it left, its bytes with the gap, and the rate that it had.
    last: Option<(Time, Bytes, Rate)>,
    /// What a packet that leaves late does to those after it.
    pacing: Pacing,
    /// Where slots change places from period to period.
    shuffle: Option<Shuffle>,
}

/// Which of a host's flows a flow is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) place: u32,
    pub(super) flows: u32,
}

/// Slots that change places: in each period the flows of a host have another order, which all of
/// them know from the host's key.
#[derive(Clone, Debug)]
struct Shuffle {
    /// When the present period began.
    began: Time,
    /// Its number.
    period: u64,
    place: Place,
    key: u64,
}

impl Place {
    /// How far into a period of this length the slot at this place lies.
    fn offset(self, period: Span) -> Span {
        let offset = u128::from(period.0) * u128::from(self.place) / u128::from(self.flows.max(1));
        Span(offset as u64)
    }
}

impl Pacer {
    /// From `at` on.
    pub(super) fn from(at: Time, pacing: Pacing) -> Self {
        Self { at, rest: 0, idle: false, awaited: Time::NEVER, last: None, pacing, shuffle: None }
    }

    /// From a place in the period that begins at `began` and has length `period` on; with a `key`
    /// in slots that have another order in each period.
    pub(super) fn spread(
        began: Time,
        period: Span,
        place: Place,
        pacing: Pacing,
        key: Option<u64>,
    ) -> Self {
        let shuffle = key.map(|key| Shuffle { began, period: 0, place, key });
        let place = shuffle.as_ref().map_or(place, Shuffle::place);
        Self { shuffle, ..Self::from(began + place.offset(period), pacing) }
    }

    /// The same for the next message of the connection, which nobody looks at yet.
    pub(super) fn handed_on(&self) -> Self {
        Self { awaited: Time::NEVER, ..self.clone() }
    }

    /// Whether the driver has to look at the flow at `at`, or sooner than it would; it will, from now
    /// on.
    pub(super) fn awaits(&mut self, at: Time) -> bool {
        let sooner = at < self.awaited;
        self.awaited = self.awaited.min(at);
        sooner
    }

    /// Whether `now` is when the driver was to look. It no longer is.
    pub(super) fn came(&mut self, now: Time) -> bool {
        let came = self.awaited == now;
        if came {
            self.awaited = Time::NEVER;
        }
        came
    }

    /// The next packet leaves an interval of the new rate after the start of the last one.
    pub(super) fn retime(&mut self, rate: Rate) {
        let Some((left, bytes, old)) = self.last.filter(|_| self.pacing == Pacing::Spacing) else {
            return;
        };
        if rate != old {
            self.rest = 0;
            self.sent(left, bytes, rate);
        }
    }

    /// Spaced, the next packet leaves a period after the start of this one, so that the flow is
    /// never faster than its rate, however late a busy wire made this one.
    ///
    /// Slots lie on a grid: one that a busy wire made late does not push back the next. A flow that
    /// could send nothing after its last packet, and for a whole period, begins a new grid; where
    /// slots change places it goes on with the host's.
    pub(super) fn sent(&mut self, now: Time, bytes: Bytes, rate: Rate) {
        let last = (now, bytes, rate);
        let each = u128::from(bytes.0) * 8 * 1_000_000_000_000;
        let rate = u128::from(rate.0);
        if self.pacing == Pacing::Spacing {
            let bits = each + u128::from(self.rest);
            self.rest = (bits % rate) as u64;
            self.at = now + Span((bits / rate) as u64);
            self.last = Some(last);
            return;
        }
        let period = Span(((each + u128::from(self.rest)) / rate) as u64);
        let missed = self.idle && now.since(self.at) >= period;
        // How many periods are over: more than one only on a grid that is the host's.
        let periods = match &self.shuffle {
            Some(shuffle) if missed => now.since(shuffle.began).0 / period.0.max(1) + 1,
            _ => 1,
        };
        let bits = each * u128::from(periods) + u128::from(self.rest);
        self.rest = (bits % rate) as u64;
        let over = Span((bits / rate) as u64);
        let Some(shuffle) = &mut self.shuffle else {
            self.at = if missed { now } else { self.at } + over;
            return;
        };
        shuffle.began += over;
        shuffle.period += periods;
        self.at = shuffle.began + shuffle.place().offset(period);
    }
}

impl Shuffle {
    /// The place in the present period: flows go in order of what is drawn for each.
    fn place(&self) -> Place {
        let Place { place, flows } = self.place;
        let key = mix(self.key ^ mix(self.period));
        let drawn = |flow: u32| (mix(key ^ u64::from(flow)), flow);
        let own = drawn(place);
        Place { place: (0..flows).filter(|&flow| drawn(flow) < own).count() as u32, flows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn order(flows: u32, key: u64, period: u64) -> Vec<u32> {
        let place =
            |place| Shuffle { began: Time::ZERO, period, place: Place { place, flows }, key };
        (0..flows).map(|flow| place(flow).place().place).collect()
    }

    #[test]
    fn in_each_period_every_flow_of_a_host_has_a_slot_of_its_own() {
        for flows in [1, 2, 3, 15, 16, 17, 127] {
            let mut orders: Vec<Vec<u32>> = (0..20).map(|period| order(flows, 7, period)).collect();
            for order in &orders {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..flows));
            }
            orders.sort_unstable();
            orders.dedup();
            assert!(flows < 15 || orders.len() == 20, "{flows} flows");
            assert!(flows < 15 || order(flows, 7, 0) != order(flows, 8, 0));
        }
    }

    /// Over many periods each flow is as often at each place, and after each other flow.
    #[test]
    fn orders_are_even() {
        let (mut places, mut follows) = ([[0_u32; 6]; 6], [[0_u32; 6]; 6]);
        for period in 0..6000 {
            let order = order(6, 3, period);
            let mut at = [0; 6];
            for (flow, &place) in order.iter().enumerate() {
                places[flow][place as usize] += 1;
                at[place as usize] = flow;
            }
            at.windows(2).for_each(|pair| follows[pair[0]][pair[1]] += 1);
        }
        assert!(places.as_flattened().iter().all(|n| (850..1150).contains(n)), "{places:?}");
        let others = |a: usize| (0..6).filter(move |&b| a != b).map(move |b| (a, b));
        let all: Vec<u32> = (0..6).flat_map(others).map(|(a, b)| follows[a][b]).collect();
        assert!(all.iter().all(|n| (850..1150).contains(n)), "{all:?}");
    }

    /// 1000 B take 800 ns at 10 Gbps and 400 ns at 20 Gbps.
    #[test]
    fn a_new_rate_times_the_packet_that_waits_from_when_the_last_one_left() {
        let mut pacer = Pacer::from(Time::ZERO, Pacing::Spacing);
        pacer.retime(Rate::gbps(1));
        assert_eq!(pacer.at, Time::ZERO, "none has left");
        pacer.sent(Time(50), Bytes(1000), Rate::gbps(10));
        assert_eq!(pacer.at, Time(800_050));
        for (gbps, at) in [(20, 400_050), (5, 1_600_050), (10, 800_050)] {
            pacer.retime(Rate::gbps(gbps));
            assert_eq!(pacer.at, Time(at));
        }
    }

    #[test]
    fn the_driver_is_awaited_until_it_has_come_and_for_nothing_later() {
        let mut pacer = Pacer::from(Time::ZERO, Pacing::Spacing);
        assert!(!pacer.came(Time(5)), "nobody waits");
        assert!(pacer.awaits(Time(9)) && pacer.awaits(Time(5)));
        assert!(!pacer.awaits(Time(5)) && !pacer.awaits(Time(7)));
        // A look at another time changes nothing.
        assert!(!pacer.came(Time(4)) && !pacer.came(Time(6)));
        assert!(!pacer.awaits(Time(5)));
        assert!(pacer.came(Time(5)) && !pacer.came(Time(5)));
        assert!(pacer.awaits(Time(7)), "what has come is awaited no longer");
    }

    #[test]
    fn shuffled_slots_lie_in_their_periods_and_take_no_more_time() {
        let (bytes, rate) = (Bytes(4178), Rate::gbps(7));
        let period = rate.serialisation(bytes);
        let place = Place { place: 2, flows: 5 };
        let mut pacer = Pacer::spread(Time::ZERO, period, place, Pacing::Slots, Some(1));
        for n in 0..1000 {
            let exact = (u128::from(bytes.0) * 8 * 1000 * n / 7) as u64;
            let into = pacer.at.0.checked_sub(exact).unwrap();
            let slot = period.0 as f64 / 5.0;
            let off = into as f64 - (into as f64 / slot).round() * slot;
            assert!(into < period.0 && off.abs() < 3.0, "{n}: {into} of {}", period.0);
            pacer.sent(pacer.at, bytes, rate);
        }
        // After three periods with nothing to send it goes on in the period that has begun.
        let (before, next) = (pacer.at, Time(pacer.at.0 + 3 * period.0));
        pacer.idle = true;
        pacer.sent(next, bytes, rate);
        assert!(pacer.at.since(before).0 > 2 * period.0 && pacer.at.since(before).0 < 6 * period.0);
    }
}
