//! What a change costs: runs in which a part breaks, comes back or flaps, and the work that they lose
//! beyond the rates before, during and after.

use super::cell::When;
use super::measured::{OfEvents, OfWork};
use super::odds::{Job, Rates};
use super::question::Work;
use super::search::{At, LONGER, Ran, Search};
use crate::problem::Problem;
use crate::study::stats::Spread;
use raddle_schemes::rng::Rng;

/// Instants of changes that are looked at, first, and at most.
const INSTANTS: (usize, usize) = (16, 64);
/// Changes that can cost no more than this share of the margin are not run.
pub(super) const NOT_RUN: f64 = 1.0 / 16.0;
/// The golden section: its multiples, without whole parts, are evenly spread however many there are.
const SPREAD: f64 = 0.618_033_988_749_894_9;

impl Search<'_> {
    /// Measures what changes of each class cost.
    pub(super) fn events(
        &mut self,
        healthy_us: &[f64],
        own: &mut OfWork,
        at: &mut At<'_>,
    ) -> Result<(), Vec<Problem>> {
        let (margin, job) = (self.question.ask.margin, self.question.job);
        for class in 0..own.classes.len() {
            let rates = self.question.failures[class].rates;
            let safe = own.classes[class].safe() as f64;
            if safe == 0.0 {
                continue;
            }
            let mut events = OfEvents {
                class,
                down_s: Vec::new(),
                up_s: Vec::new(),
                flap_s: Vec::new(),
                not_run: None,
            };
            // Nothing that goes on costs more than standing still, and then the job may have to start
            // again.
            let settles_s = LONGER * self.cells[at.candidate][at.work].settles_us * 1e-6;
            let each = [
                2.0 * job.stops_after_s + job.restart_s,
                (rates.lasts_s + settles_s).min(job.stops_after_s) + job.restart_s,
            ];
            let often = [rates.downs_per_s(), rates.flaps_per_s];
            let most = safe * (often[0] * each[0] + often[1] * each[1]);
            if most <= margin * NOT_RUN {
                events.not_run = Some(each);
                own.events.push(events);
                continue;
            }
            let mut count = INSTANTS.0;
            while self.up_to(count, healthy_us, &mut events, at)? {
                if count >= INSTANTS.1 || safe * error(&events, &rates) < margin / 4.0 {
                    own.events.push(events);
                    break;
                }
                count *= 2;
            }
        }
        Ok(())
    }

    /// Adds events up to a number; whether all runs for them are there.
    fn up_to(
        &mut self,
        count: usize,
        healthy_us: &[f64],
        events: &mut OfEvents,
        at: &mut At<'_>,
    ) -> Result<bool, Vec<Problem>> {
        let mut all = true;
        for instant in events.down_s.len()..count {
            match self.event(events.class, instant, healthy_us, at)? {
                Some([down, up, flap]) if all => {
                    events.down_s.push(down);
                    events.up_s.push(up);
                    events.flap_s.push(flap);
                }
                // The others are asked for all the same.
                _ => all = false,
            }
        }
        Ok(all)
    }

    /// Seconds that one part of a class costs when it breaks, when it comes back, and when it flaps;
    /// `None` while runs are missing.
    fn event(
        &mut self,
        class: usize,
        instant: usize,
        healthy_us: &[f64],
        at: &mut At<'_>,
    ) -> Result<Option<[f64; 3]>, Vec<Problem>> {
        let rates = self.question.failures[class].rates;
        let cell = &self.cells[at.candidate][at.work];
        let mut rng = Rng::new(1, &format!("advise event {class}"), instant as u64);
        let Some(part) = cell.parts.one(class, &mut rng) else { return Ok(Some([0.0; 3])) };
        let place = instant % healthy_us.len();
        let (seed, healthy) = (place as u64 + 1, healthy_us[place]);
        let shift = Rng::new(1, "advise instants", 0).unit();
        let share = (shift + instant as f64 * SPREAD).fract();
        let lasts_us = rates.lasts_s * 1e6;
        let is_short = rates.flaps_per_s > 0.0 && lasts_us < healthy / 2.0;
        let outage = (2.5 * cell.settles_us).min(healthy / 2.0).max(healthy / 100.0);
        let changes = rates.mtbf_s.is_finite() || (rates.flaps_per_s > 0.0 && !is_short);
        let state = vec![part];
        let steady = self.run(&(state.clone(), When::Always), seed, at)?;
        let mut missing = steady.is_none();
        let mut ran = |when: Option<When>| -> Result<Option<f64>, Vec<Problem>> {
            let Some(when) = when else { return Ok(None) };
            let ran: Option<Ran> = self.run(&(state.clone(), when), seed, at)?;
            missing |= ran.is_none();
            Ok(ran.and_then(|own| own.us))
        };
        let during = |length: f64| {
            let from = share * (healthy - length);
            When::Between(picoseconds(from), picoseconds(from + length))
        };
        let both = ran(changes.then(|| during(outage)))?;
        let from = ran(changes.then(|| When::From(picoseconds(share * healthy))))?;
        let short = ran(is_short.then(|| during(lasts_us)))?;
        if missing {
            return Ok(None);
        }
        let steady = steady.and_then(|own| own.us);
        let instant = share * healthy;
        let seen = Seen { healthy, steady, instant, from, outage, both, is_short, short };
        Ok(Some(seen.costs(&self.question.works[at.work], &rates, &self.question.job)))
    }
}

/// The standard error of the share of time that the changes of one part cost.
fn error(events: &OfEvents, rates: &Rates) -> f64 {
    let error = |often: f64, costs: &[f64]| {
        let sd = Spread::of(costs).and_then(|own| own.sd).unwrap_or_default();
        often * sd / (costs.len() as f64).sqrt()
    };
    error(rates.downs_per_s(), &events.down_s)
        .hypot(error(rates.downs_per_s(), &events.up_s))
        .hypot(error(rates.flaps_per_s, &events.flap_s))
}

/// An instant of a run.
fn picoseconds(us: f64) -> u64 {
    (us.max(1e-6) * 1e6) as u64
}

/// Exchanges of one part and seed, in microseconds; `None` where one does not finish.
#[derive(Clone, Copy, Debug)]
struct Seen {
    healthy: f64,
    /// While the part is broken.
    steady: Option<f64>,
    /// When it breaks, and an exchange in which it does.
    instant: f64,
    from: Option<f64>,
    /// How long it is broken, and an exchange in which it breaks and comes back.
    outage: f64,
    both: Option<f64>,
    /// Whether a flap lasts less than half an exchange, and an exchange with one.
    is_short: bool,
    short: Option<f64>,
}

impl Seen {
    /// Seconds of work lost when the part breaks, when it comes back, and by a flap.
    fn costs(&self, work: &Work, rates: &Rates, job: &Job) -> [f64; 3] {
        let Self { healthy, steady, instant, outage, .. } = *self;
        // Changes beside an exchange cost nothing.
        let exposed = f64::from(work.repeat) * healthy * 1e-6 / work.step_s(healthy);
        let beyond = |us: Option<f64>, without: f64| us.map(|us| (us - without) * 1e-6 * exposed);
        // Work that is done while it is broken, over that of the healthy state.
        let slow = steady.map_or(0.0, |us| healthy / us);
        let slow_step = steady.map_or(0.0, |us| work.step_s(healthy) / work.step_s(us));
        // Where the job stands still afterwards, that is what its state costs.
        let down =
            steady.and_then(|us| beyond(self.from, instant + (healthy - instant) / healthy * us));
        let down = down.unwrap_or_default();
        // One that never ends, although all is well again, ends the job.
        let both = beyond(self.both, healthy + outage * (1.0 - slow)).unwrap_or(job.restart_s);
        let flap = match self.is_short {
            _ if rates.flaps_per_s == 0.0 => 0.0,
            true => beyond(self.short, healthy).unwrap_or(job.restart_s),
            false if slow == 0.0 && rates.lasts_s >= job.stops_after_s => {
                job.stops_after_s + job.restart_s
            }
            false => both + rates.lasts_s * (1.0 - slow_step),
        };
        match rates.mtbf_s.is_finite() {
            true => [down, both - down, flap],
            false => [0.0, 0.0, flap],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::spec::{Item, Place, Value};

    fn work(compute_s: f64) -> Work {
        Work {
            name: "step".to_owned(),
            weight: 1.0,
            traffic: Item { value: Value::Flag(true), place: Place::default() },
            compute_s,
            repeat: 1,
            short: false,
            place: Place::default(),
        }
    }

    /// An exchange of 1000 us, of 2000 us while a part is broken, without anything lost by changes.
    const SMOOTH: Seen = Seen {
        healthy: 1000.0,
        steady: Some(2000.0),
        instant: 250.0,
        from: Some(250.0 + 0.75 * 2000.0),
        outage: 300.0,
        both: Some(1000.0 + 150.0),
        is_short: false,
        short: None,
    };
    const RATES: Rates = Rates { mtbf_s: 1e6, mttr_s: 1e3, flaps_per_s: 1e-3, lasts_s: 3.0 };
    const JOB: Job = Job { stops_after_s: 10.0, restart_s: 4000.0, spare: false };

    #[test]
    fn changes_that_cost_nothing_cost_nothing_but_the_time_that_a_flap_lasts() {
        let [down, up, flap] = SMOOTH.costs(&work(0.0), &RATES, &JOB);
        assert!(down.abs() < 1e-15 && up.abs() < 1e-15);
        assert!((flap - 1.5).abs() < 1e-12, "{flap}");
        // Half of the healthy step computes, and two thirds of it are left of one while it is broken.
        let flap = SMOOTH.costs(&work(1e-3), &RATES, &JOB)[2];
        assert!((flap - 1.0).abs() < 1e-12, "{flap}");
    }

    #[test]
    fn what_a_change_takes_longer_is_lost_as_often_as_it_meets_an_exchange() {
        let slow =
            Seen { from: SMOOTH.from.map(|us| us + 40.0), both: Some(1150.0 + 60.0), ..SMOOTH };
        let [down, up, _] = slow.costs(&work(0.0), &RATES, &JOB);
        assert!((down - 40e-6).abs() < 1e-12 && (up - 20e-6).abs() < 1e-12, "{down} {up}");
        let [down, up, _] = slow.costs(&work(1e-3), &RATES, &JOB);
        assert!((down - 20e-6).abs() < 1e-12 && (up - 10e-6).abs() < 1e-12, "{down} {up}");
    }

    #[test]
    fn a_part_without_which_the_job_stands_still_costs_as_long_as_it_is_down() {
        let stuck = Seen { steady: None, from: None, both: Some(1300.0 + 50.0), ..SMOOTH };
        let [down, up, flap] = stuck.costs(&work(0.0), &RATES, &JOB);
        assert!(down == 0.0 && (up - 50e-6).abs() < 1e-12);
        assert!((flap - (3.0 + 50e-6)).abs() < 1e-12, "{flap}");
        let long = Rates { lasts_s: 20.0, ..RATES };
        assert_eq!(stuck.costs(&work(0.0), &long, &JOB)[2], 4010.0);
        // Exchanges that do not end when all is well again end the job.
        let never = Seen { both: None, ..stuck };
        assert_eq!(never.costs(&work(0.0), &RATES, &JOB)[1], 4000.0);
    }

    #[test]
    fn a_flap_shorter_than_an_exchange_is_taken_as_it_was_run() {
        let short = Seen { is_short: true, short: Some(1080.0), ..SMOOTH };
        let rates = Rates { mtbf_s: f64::INFINITY, ..RATES };
        let [down, up, flap] = short.costs(&work(0.0), &rates, &JOB);
        assert!(down == 0.0 && up == 0.0 && (flap - 80e-6).abs() < 1e-12);
    }
}
