//! A gate: a link that is open at some times of a period only, as a circuit is in its slots.
//!
//! A frame passes from its first bit to its last while the gate is open: it starts in an opening and its
//! last bit has left, with a guard to spare, before that ends. The gap behind a frame may reach beyond.

use crate::wire::serialisation::Wire;
use raddle_schemes::units::{Bytes, Rate, Span, Time};

/// Beyond all times, and far from the end of numbers.
const FOR_EVER: u64 = u64::MAX / 4;

/// When a gate is open, and how fast the link is then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// From then on, within the period.
    pub from: Span,
    /// Until then, after `from` and at most a period later: an opening may reach into the next period.
    pub until: Span,
    /// The rate of frames that start in it.
    pub rate: Rate,
}

/// A link's openings over time, the same in each period, and that before time zero.
#[derive(Clone, Debug)]
pub struct Gate {
    period: u64,
    guard: u64,
    /// What is added to an instant of the run to have the gate's own: it begins a period later than the
    /// run, or than the schedule that it is of, since an opening of the period before may reach into the
    /// first; and the ToR's clock may be off.
    shift: u64,
    /// Nothing starts before this instant of the run.
    opens: Time,
    /// The schedule ends at this instant of the gate's own.
    ends: u64,
    /// The gate from then on.
    later: Option<Box<Gate>>,
    /// The gate of the circuit switches, where the ToR's clock is off.
    truth: Option<Box<Gate>>,
    /// All openings, each with a bit for each uplink that it is of.
    all: Box<[(Opening, u64)]>,
    /// A bit for each uplink that is dead.
    dead: u64,
    /// What faults leave of rates: a numerator and a denominator.
    scale: (u64, u64),
    /// The openings that dead uplinks leave.
    openings: Box<[Opening]>,
    /// The wire of each.
    wires: Box<[Wire]>,
    /// The uplinks of each, dead ones included.
    uplinks: Box<[u64]>,
    /// An opening that is not over at the last instant that [`Gate::advance`] was given, and when its
    /// period began, as the gate counts.
    at: (usize, u64),
    /// That opening, where frames ask first: its list is elsewhere in memory. Over at once while `at` is
    /// not from `advance`.
    current: Current,
    /// The uplinks of the opening in which a frame started last.
    serving: u64,
}

/// An opening as the gate counts.
#[derive(Clone, Copy, Debug)]
struct Current {
    from: u64,
    until: u64,
    wire: Wire,
    uplinks: u64,
}

impl Current {
    const NONE: Self = Self { from: 0, until: 0, wire: Wire::new(Rate(1)), uplinks: 0 };
}

impl Gate {
    /// A gate with these openings in each `period`, in order of time and apart from each other. `None`
    /// if it is always open.
    pub fn new(period: Span, guard: Span, openings: &[Opening]) -> Option<Self> {
        let of_none = openings.iter().map(|&opening| (opening, 0)).collect();
        let gate = Self::of_uplinks(period, guard, of_none);
        (!gate.is_always_open()).then_some(gate)
    }

    /// The same, always open or not, of openings each with a bit for each uplink that it is of.
    pub(crate) fn of_uplinks(period: Span, guard: Span, all: Box<[(Opening, u64)]>) -> Self {
        debug_assert!(all.windows(2).all(|pair| pair[0].0.until <= pair[1].0.from), "{all:?}");
        let mut gate = Self {
            period: period.0,
            guard: guard.0,
            shift: period.0,
            opens: Time::ZERO,
            ends: u64::MAX,
            later: None,
            truth: None,
            all,
            dead: 0,
            scale: (1, 1),
            openings: Box::default(),
            wires: Box::default(),
            uplinks: Box::default(),
            at: (0, 0),
            current: Current::NONE,
            serving: 0,
        };
        gate.settle();
        gate
    }

    /// The same of a schedule that begins at an instant, and opens at another.
    pub(crate) fn begun(mut self, begins: Time, opens: Time) -> Self {
        self.shift = self.period.wrapping_sub(begins.0);
        self.opens = opens;
        self
    }

    /// The same until an instant, and then another.
    pub(crate) fn followed(mut self, ends: Time, later: Self) -> Self {
        self.ends = ends.0.wrapping_add(self.shift);
        self.later = Some(Box::new(later));
        self
    }

    /// The same, as a ToR has it whose clock is behind by so many picoseconds: what it lets go while the
    /// circuit is not up is clipped.
    pub(crate) fn with_clock(mut self, behind: i64) -> Self {
        if behind != 0 {
            let mut truth = self.clone();
            truth.forget_guard();
            self.put_behind(behind);
            self.truth = Some(Box::new(truth));
        }
        self
    }

    fn forget_guard(&mut self) {
        self.guard = 0;
        self.later.iter_mut().for_each(|later| later.forget_guard());
    }

    fn put_behind(&mut self, behind: i64) {
        self.shift = self.shift.wrapping_sub(behind as u64);
        if self.opens > Time::ZERO {
            self.opens = Time(self.opens.0.saturating_add_signed(behind));
        }
        self.later.iter_mut().for_each(|later| later.put_behind(behind));
    }

    /// Whether some bit of a frame that is on the wire from an instant until another passes while the
    /// circuit is not up: never, where the ToR's clock is right.
    #[inline]
    pub(crate) fn clips(&self, from: Time, until: Time) -> bool {
        self.truth.as_ref().is_some_and(|truth| !truth.is_up(from, until))
    }

    fn is_up(&self, mut from: Time, until: Time) -> bool {
        while from < until {
            let now = from.0.wrapping_add(self.shift);
            if now >= self.ends {
                return self.later.as_ref().is_some_and(|later| later.is_up(from, until));
            }
            if from < self.opens || self.openings.is_empty() {
                return false;
            }
            let (index, base) = self.opening_at(now);
            let own = self.openings[index];
            if base + own.from.0 > now {
                return false;
            }
            from = Time((base + own.until.0).min(self.ends).wrapping_sub(self.shift));
        }
        true
    }

    /// Whether it never closes while no uplink is dead.
    pub(crate) fn is_always_open(&self) -> bool {
        let closes = self.later.is_some() || self.truth.is_some();
        !closes && self.is_whole()
    }

    fn is_whole(&self) -> bool {
        self.all.iter().any(|(own, _)| own.until.0 - own.from.0 == self.period)
    }

    /// Frames that start from now on go at this fraction of each opening's rate.
    pub fn scale(&mut self, numerator: u64, denominator: u64) {
        self.scale = (numerator, denominator.max(1));
        self.settle();
        self.later.iter_mut().for_each(|later| later.scale(numerator, denominator));
    }

    /// These uplinks are dead from now on, a bit each. Returns whether the opening of the frame that
    /// started last is of one that was not before.
    pub(crate) fn set_dead(&mut self, dead: u64) -> bool {
        let cuts = self.serving & dead & !self.dead != 0;
        self.dead = dead;
        self.settle();
        let others = self.later.iter_mut().chain(&mut self.truth);
        others.for_each(|other| {
            other.set_dead(dead);
        });
        cuts
    }

    /// What dead uplinks leave, at the rates that faults leave.
    fn settle(&mut self) {
        let left = self.all.iter().filter_map(|&(own, uplinks)| {
            let (alive, all) = ((uplinks & !self.dead).count_ones(), uplinks.count_ones());
            let (alive, all) = if all == 0 { (1, 1) } else { (alive, all) };
            let (numerator, denominator) = (u128::from(self.scale.0), u128::from(self.scale.1));
            let scaled = u128::from(own.rate.0) * u128::from(alive) * numerator
                / (u128::from(all) * denominator);
            let rate = Rate(u64::try_from(scaled).unwrap_or(u64::MAX).max(1));
            // One that lasts for a period lasts for ever.
            let is_whole = own.until.0 - own.from.0 == self.period;
            let (from, until) = if is_whole { (0, FOR_EVER) } else { (own.from.0, own.until.0) };
            let opening = Opening { from: Span(from), until: Span(until), rate };
            (alive > 0).then_some((opening, uplinks))
        });
        let left: Vec<(Opening, u64)> = left.collect();
        self.wires = left.iter().map(|(own, _)| Wire::new(own.rate)).collect();
        self.uplinks = left.iter().map(|own| own.1).collect();
        self.openings = left.iter().map(|own| own.0).collect();
        // One of the period before may go on.
        self.at = (0, self.at.1.saturating_sub(self.period));
        self.current = Current::NONE;
    }

    /// The first instant at or after `now` at which a frame of this size fits; never, if it fits into no
    /// opening. `now` is not before any that `Gate::advance` has been given.
    #[inline]
    pub fn next_start(&self, now: Time, size: Bytes) -> Time {
        if now == Time::NEVER {
            return now;
        }
        let from = now.max(self.opens).0.wrapping_add(self.shift);
        if self.openings.is_empty() || from >= self.ends {
            return self.later_start(now, size);
        }
        let now = from;
        let own = self.current;
        if now < own.until {
            let start = now.max(own.from);
            let over = start + own.wire.serialisation(size).0 + self.guard;
            if over <= own.until.min(self.ends) {
                return Time(start.wrapping_sub(self.shift));
            }
        }
        self.start_of_any(now, size)
    }

    /// The same of an instant as the gate counts, before its schedule ends.
    fn start_of_any(&self, now: u64, size: Bytes) -> Time {
        let (mut index, mut base) = self.opening_at(now);
        // The first may be half over: it comes once more.
        for _ in 0..=self.openings.len() {
            let Opening { from, until, .. } = self.openings[index];
            let start = now.max(base + from.0);
            let until = (base + until.0).min(self.ends);
            if start + self.wires[index].serialisation(size).0 + self.guard <= until {
                return Time(start.wrapping_sub(self.shift));
            }
            (index, base) = self.after(index, base);
        }
        self.later_start(Time(now.wrapping_sub(self.shift)), size)
    }

    /// The same by a later schedule.
    #[cold]
    fn later_start(&self, now: Time, size: Bytes) -> Time {
        self.later.as_ref().map_or(Time::NEVER, |later| later.next_start(now, size))
    }

    /// Time has come to `now`. Returns the wire that a frame has which starts now, if the gate is open.
    #[inline]
    pub(crate) fn advance(&mut self, now: Time) -> Option<Wire> {
        while now.0.wrapping_add(self.shift) >= self.ends
            && let Some(later) = self.later.take()
        {
            let truth = self.truth.take();
            *self = *later;
            self.truth = truth;
        }
        if self.openings.is_empty() {
            return None;
        }
        let now = now.0.wrapping_add(self.shift);
        if now >= self.current.until {
            let (index, base) = self.opening_at(now);
            let Opening { from, until, .. } = self.openings[index];
            let (wire, uplinks) = (self.wires[index], self.uplinks[index]);
            self.at = (index, base);
            self.current = Current { from: base + from.0, until: base + until.0, wire, uplinks };
        }
        self.serving = self.current.uplinks;
        (self.current.from <= now).then_some(self.current.wire)
    }

    /// The first opening that is not over at `now`, and when its period began.
    #[inline]
    fn opening_at(&self, now: u64) -> (usize, u64) {
        if now < self.current.until {
            return self.at;
        }
        let (mut index, mut base) = self.at;
        if now >= base + 2 * self.period {
            // None of a period that began two periods ago is open still.
            base = now - now % self.period - self.period;
            index = 0;
        }
        while base + self.openings[index].until.0 <= now {
            (index, base) = self.after(index, base);
        }
        (index, base)
    }

    /// The opening after one.
    #[inline]
    fn after(&self, index: usize, base: u64) -> (usize, u64) {
        if index + 1 < self.openings.len() { (index + 1, base) } else { (0, base + self.period) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A byte takes a nanosecond.
    const SLOW: Rate = Rate::gbps(8);

    fn opening(from: u64, until: u64) -> Opening {
        Opening { from: Span(from), until: Span(until), rate: SLOW }
    }

    /// A period of 100 ns.
    fn gate(guard: u64, openings: &[(u64, u64)]) -> Gate {
        let openings: Vec<_> = openings.iter().map(|&(a, b)| opening(a * 1000, b * 1000)).collect();
        Gate::new(Span::ns(100), Span(guard), &openings).unwrap()
    }

    fn start(gate: &Gate, now: u64, bytes: u64) -> u64 {
        let Time(at) = gate.next_start(Time(now * 1000), Bytes(bytes));
        if at == u64::MAX { at } else { at / 1000 }
    }

    #[test]
    fn a_frame_starts_where_all_of_it_fits() {
        let gate = gate(0, &[(10, 30), (60, 65)]);
        assert_eq!(start(&gate, 0, 20), 10);
        assert_eq!(start(&gate, 10, 20), 10);
        assert_eq!(
            start(&gate, 11, 20),
            110,
            "a nanosecond is lacking, and the other is too short"
        );
        assert_eq!(start(&gate, 11, 19), 11);
        assert_eq!(start(&gate, 26, 5), 60);
        assert_eq!(start(&gate, 25, 5), 25, "the last bit leaves as the gate closes");
        assert_eq!(start(&gate, 61, 5), 110);
        assert_eq!(start(&gate, 12_345, 1), 12_360, "long after");
        assert_eq!(start(&gate, 0, 21), u64::MAX, "larger than any opening");
        assert_eq!(gate.next_start(Time::NEVER, Bytes(1)), Time::NEVER);
    }

    #[test]
    fn the_guard_is_kept_free() {
        let tight = gate(1, &[(10, 30)]);
        assert_eq!(start(&tight, 0, 20), u64::MAX);
        assert_eq!(start(&tight, 10, 19), 10);
        assert_eq!(start(&tight, 11, 19), 110, "a picosecond is lacking");
    }

    #[test]
    fn an_opening_may_reach_into_the_next_period() {
        let gate = gate(0, &[(90, 120)]);
        assert_eq!(start(&gate, 0, 20), 0, "it is open at time zero");
        assert_eq!(start(&gate, 1, 20), 90);
        assert_eq!(start(&gate, 95, 25), 95);
        assert_eq!(start(&gate, 100, 20), 100);
        assert_eq!(start(&gate, 101, 20), 190);
    }

    #[test]
    fn a_gate_that_never_closes_is_none() {
        assert!(Gate::new(Span::ns(100), Span(5), &[opening(0, 100_000)]).is_none());
        assert_eq!(start(&gate(0, &[]), 0, 1), u64::MAX, "one that never opens is");
    }

    #[test]
    fn each_opening_has_its_rate_and_faults_scale_it() {
        let openings =
            [opening(0, 10_000), Opening { rate: Rate::gbps(16), ..opening(20_000, 30_000) }];
        let mut gate = Gate::new(Span::ns(100), Span::ZERO, &openings).unwrap();
        assert_eq!(start(&gate, 0, 20), 20);
        assert_eq!(gate.advance(Time(25_000)).map(Wire::rate), Some(Rate::gbps(16)));
        gate.scale(1, 2);
        assert_eq!(start(&gate, 25, 6), 120);
        assert_eq!(gate.advance(Time(125_000)).map(Wire::rate), Some(SLOW));
        assert!(gate.advance(Time(150_000)).is_none(), "closed");
    }

    #[test]
    fn a_cursor_changes_nothing() {
        let openings = [(3, 17), (20, 21), (40, 80), (95, 102)];
        let still = gate(700, &openings);
        let mut moving = still.clone();
        let mut now = 0;
        for step in 1..2_000 {
            now += (step * 7_919) % 37_123;
            if step % 400 == 0 {
                now += 5_000_000;
            }
            for bytes in [1, 5, 13, 39, 41] {
                let start = |gate: &Gate| gate.next_start(Time(now), Bytes(bytes));
                assert_eq!(start(&moving), start(&still), "{bytes} B at {now}");
            }
            moving.advance(Time(now));
        }
    }
}
