//! From what runs gave to a number: the share of healthy work that a job does while parts break and are
//! repaired.
//!
//! Rates of work are averaged over states, never times, which are infinite where a state stops the job.
//! Within the healthy state steps follow each other, so there times are averaged.

use super::measured::{Draw, OfStratum, OfWork, Weighing};
use super::odds::{Placed, Rates, Stratum};
use crate::study::stats::Spread;

/// Where the work that is not done goes, as shares of the time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lost {
    /// Healthy steps are slower than any could be.
    pub healthy: Option<f64>,
    /// Steps are slower while something is broken, by stratum.
    pub strata: Vec<f64>,
    /// The job stands still while hosts are cut off, whatever else.
    pub stopped: f64,
    /// Work lost when something breaks, comes back or flaps, by class.
    pub events: Vec<f64>,
    /// Starting again after stops.
    pub restarts: f64,
}

/// A work on a candidate, in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Seconds of a healthy step.
    pub healthy_s: f64,
    /// The share of its own healthy work that is done.
    pub goodput: f64,
    /// Its standard error: what healthy steps differ by is no part of it.
    pub error: f64,
    /// Work done in a second, by block, in healthy steps of this candidate over its `healthy_s`.
    pub blocks: Vec<f64>,
    /// The standard error of their mean that does not show between them.
    pub hidden_error: f64,
    /// The probability of states that were not looked at.
    pub left_out: f64,
    /// How often the job ends, in a second.
    pub stops_per_s: f64,
    /// The most that changes of which none was run may cost: a share of the time.
    pub not_run: f64,
    /// The 99th percentile of steps, in seconds.
    pub p99_s: f64,
    /// Where the rest goes.
    pub lost: Lost,
    /// Whether states as they come resolve these rates: the effective number of them.
    pub effective: Option<f64>,
}

/// Where changes cost more than this share of the time, several go on at once.
pub(super) const FIRST_ORDER: f64 = 0.1;
/// Fewer effective states do not resolve a number.
pub(super) const RESOLVES: f64 = 30.0;

impl OfWork {
    /// The mean of healthy steps; `None` if one does not finish.
    pub fn healthy(&self) -> Option<f64> {
        let all: Option<Vec<f64>> = self.healthy_s.iter().copied().collect();
        Spread::of(&all?).map(|own| own.mean)
    }

    /// In numbers; `None` where healthy steps do not finish.
    pub fn estimate(&self, by: &Weighing) -> Option<Estimate> {
        let healthy_s = self.healthy()?;
        let own = Weighed { work: self, by, rate: healthy_s.recip() };
        Some(own.estimate(healthy_s))
    }
}

/// A work under rates.
struct Weighed<'a> {
    work: &'a OfWork,
    by: &'a Weighing,
    /// Of healthy work: steps a second.
    rate: f64,
}

/// A stratum under rates.
struct Part {
    /// The share of the time, of states that are not known to cut.
    weight: f64,
    /// Of those that are known to.
    cut: f64,
    /// The rate of each draw, over the healthy one, and its weight among them.
    draws: Vec<(f64, f64)>,
}

impl Part {
    fn mean(&self) -> f64 {
        let all: f64 = self.draws.iter().map(|(_, weight)| weight).sum();
        let sum: f64 = self.draws.iter().map(|(rate, weight)| rate * weight).sum();
        if all > 0.0 { sum / all } else { 1.0 }
    }

    /// The standard error of the mean.
    fn error(&self) -> f64 {
        let n = self.draws.len() as f64;
        let values: Vec<f64> = self.values();
        Spread::of(&values).and_then(|own| own.sd).unwrap_or_default() / n.sqrt().max(1.0)
    }

    /// Values whose mean is the weighted one, to first order.
    fn values(&self) -> Vec<f64> {
        let mean = self.mean();
        let n = self.draws.len() as f64;
        let all: f64 = self.draws.iter().map(|(_, weight)| weight).sum();
        let all = if all > 0.0 { all } else { 1.0 };
        self.draws.iter().map(|(rate, weight)| mean + (rate - mean) * weight * n / all).collect()
    }

    fn effective(&self) -> f64 {
        let sum: f64 = self.draws.iter().map(|(_, weight)| weight).sum();
        let squares: f64 = self.draws.iter().map(|(_, weight)| weight * weight).sum();
        if squares > 0.0 { sum * sum / squares } else { 0.0 }
    }
}

impl Weighed<'_> {
    fn rates(&self) -> &[Rates] {
        &self.by.rates
    }

    /// The share of the time in which no critical part is broken; where the job goes on elsewhere, all.
    fn running(&self) -> f64 {
        if self.by.job.spare {
            return 1.0;
        }
        let each = self.work.classes.iter().zip(self.rates());
        each.map(|(class, rates)| {
            libm::exp(class.critical as f64 * libm::log1p(-rates.broken().min(1.0 - 1e-12)))
        })
        .product()
    }

    fn part(&self, own: &OfStratum) -> Part {
        let classes = &self.work.classes;
        let weight = own.stratum.weight(classes, self.rates());
        let share = own.stratum.cut_share(classes, &self.work.cut_pairs);
        let draws = own.draws.iter().map(|draw| (self.relative(draw), self.tilt(own, draw)));
        Part { weight: weight * (1.0 - share), cut: weight * share, draws: draws.collect() }
    }

    /// The rate of a state over the healthy one.
    fn relative(&self, draw: &Draw) -> f64 {
        match draw.step_s {
            // Of the same seeds: what they have in common cancels.
            Some(seconds) => draw.healthy_s / seconds,
            None if draw.cut && self.by.job.spare => 1.0,
            None => 0.0,
        }
    }

    /// By how much more probable a state that came is than when it was drawn.
    fn tilt(&self, own: &OfStratum, draw: &Draw) -> f64 {
        if own.stratum.placed != Placed::AsTheyCome || self.by.drawn_by == self.by.rates {
            return 1.0;
        }
        let state = Stratum { counts: draw.counts.clone(), placed: Placed::Any };
        let classes = &self.work.classes;
        let drawn = state.weight(classes, &self.by.drawn_by);
        if drawn > 0.0 { state.weight(classes, self.rates()) / drawn } else { 0.0 }
    }

    fn estimate(&self, healthy_s: f64) -> Estimate {
        let Self { work, by, .. } = *self;
        let running = self.running();
        let parts: Vec<Part> = work.strata.iter().map(|own| self.part(own)).collect();
        let own = Stratum::healthy(work.classes.len()).weight(&work.classes, self.rates());
        let covered: f64 = own + parts.iter().map(|part| part.weight + part.cut).sum::<f64>();
        let left_out = (1.0 - covered).max(0.0);
        // What was not looked at is taken to be like the broken states that were.
        let broken: f64 = parts.iter().map(|part| part.weight).sum();
        let like = match broken > 0.0 {
            true => parts.iter().map(|part| part.weight * part.mean()).sum::<f64>() / broken,
            false => 1.0,
        };
        let in_cut = if by.job.spare { 1.0 } else { 0.0 };
        let stops_per_s = self.stops(&parts);
        let (events, event_error) = self.events();
        let not_run = self.not_run();
        let restarts = stops_per_s * by.job.restart_s;
        let count = work.healthy_s.len();
        let steady = |block: Option<usize>| -> f64 {
            let healthy = block.and_then(|b| work.healthy_s[b]);
            // The mean of these over blocks is the rate of the mean step.
            let healthy = healthy.map_or(1.0, |seconds| 2.0 - seconds * self.rate);
            let of_parts = parts.iter().map(|part| {
                let values = if part.draws.len() >= count { part.values() } else { Vec::new() };
                let value = block.and_then(|b| values.get(b).copied());
                part.weight * value.unwrap_or_else(|| part.mean()) + part.cut * in_cut
            });
            own * healthy + of_parts.sum::<f64>() + left_out * like
        };
        let lost = events.iter().sum::<f64>() + restarts;
        let whole = |block| (running * (steady(block) - lost)).max(0.0);
        let goodput = whole(None);
        let blocks: Vec<f64> = (0..count).map(|b| whole(Some(b))).collect();
        let squares = |few: bool| -> f64 {
            let own = parts.iter().filter(|part| !few || part.draws.len() < count);
            own.map(|part| (part.weight * part.error()).powi(2)).sum()
        };
        let with_events = |squares: f64| running * (squares + event_error * event_error).sqrt();
        let weighted = work.strata.iter().zip(&parts);
        let drawn = weighted.filter(|(own, _)| own.stratum.placed == Placed::AsTheyCome);
        let effective = drawn.map(|(_, part)| part.effective()).reduce(f64::min);
        let cut: f64 = parts.iter().map(|part| part.cut * (1.0 - in_cut)).sum();
        Estimate {
            healthy_s,
            goodput,
            error: with_events(squares(false)),
            blocks,
            hidden_error: with_events(squares(true)),
            left_out: running * left_out,
            stops_per_s: running * stops_per_s,
            not_run: running * not_run,
            p99_s: self.p99(own, &parts),
            lost: Lost {
                healthy: work.bound_s.map(|bound| (1.0 - bound / healthy_s).max(0.0)),
                strata: parts
                    .iter()
                    .map(|part| running * part.weight * (1.0 - part.mean()))
                    .collect(),
                stopped: 1.0 - running + running * cut,
                events: events.iter().map(|own| running * own).collect(),
                restarts: running * restarts,
            },
            effective: effective.filter(|_| by.drawn_by != by.rates),
        }
    }

    /// How often a running job ends. Of a set of states the entries in a second are its probability
    /// times the rate of the repairs that lead out of it.
    fn stops(&self, parts: &[Part]) -> f64 {
        let Self { work, by, .. } = self;
        let mut stops = 0.0;
        for (class, rates) in work.classes.iter().zip(self.rates()) {
            let critical = class.critical as f64;
            stops += critical * rates.mtbf_s.recip();
            if rates.lasts_s >= by.job.stops_after_s {
                stops += critical * rates.flaps_per_s;
            }
        }
        let repairs = |counts: &[u32]| -> f64 {
            let each = counts.iter().zip(self.rates());
            each.map(|(count, rates)| f64::from(*count) / rates.mttr_s.max(1e-9)).sum()
        };
        // Of states with several broken parts those count that the job enters running.
        let first = work.strata.iter().zip(parts).filter(|(own, _)| own.stratum.total() == 1);
        let (stuck, all) = first.fold((0.0, 0.0), |(stuck, all), (own, part)| {
            let share = own.draws.iter().map(|draw| draw.stuck).sum::<f64>()
                / own.draws.len().max(1) as f64;
            (stuck + part.weight * share, all + part.weight)
        });
        let runs_before = if all > 0.0 { 1.0 - stuck / all } else { 1.0 };
        for (own, part) in work.strata.iter().zip(parts) {
            stops += part.cut * repairs(&own.stratum.counts);
            let all: f64 = part.draws.iter().map(|(_, weight)| weight).sum();
            for (draw, (_, weight)) in own.draws.iter().zip(&part.draws) {
                let counts =
                    if draw.counts.is_empty() { &own.stratum.counts } else { &draw.counts };
                // Of many broken parts it is two that stop the job: whose repairs set it going.
                let broken = f64::from(counts.iter().sum::<u32>());
                let leads_out = (2.0 / broken.max(1.0)).min(1.0);
                let before = if broken == 1.0 { 1.0 } else { runs_before };
                let share = if all > 0.0 { weight / all } else { 0.0 };
                stops += part.weight * share * draw.stuck * repairs(counts) * leads_out * before;
            }
        }
        stops
    }

    /// The most that changes of which none was run may cost: infinitely much of those whose rate was 0
    /// when others were run.
    fn not_run(&self) -> f64 {
        let Self { work, by, .. } = self;
        let each = work.events.iter().map(|events| {
            let (Some(class), Some(rates)) =
                (work.classes.get(events.class), by.rates.get(events.class))
            else {
                return 0.0;
            };
            let drawn = by.drawn_by.get(events.class).unwrap_or(rates);
            let often = [rates.downs_per_s(), rates.flaps_per_s];
            let before = [drawn.downs_per_s(), drawn.flaps_per_s];
            let unknown = often.iter().zip(before).any(|(now, then)| *now > 0.0 && then == 0.0);
            let each = events.not_run.unwrap_or_default();
            let known = class.safe() as f64 * (often[0] * each[0] + often[1] * each[1]);
            if unknown && class.safe() > 0 { f64::INFINITY } else { known }
        });
        each.sum()
    }

    /// Shares of the time that events cost, by class, and their standard error together.
    fn events(&self) -> (Vec<f64>, f64) {
        let Self { work, by, .. } = self;
        let mut squares = 0.0;
        let mut lost = Vec::new();
        for (index, (class, rates)) in work.classes.iter().zip(self.rates()).enumerate() {
            let mut own = 0.0;
            let mut add = |often: f64, costs: &[f64]| {
                let Some(costs) = Spread::of(costs) else { return };
                own += often * costs.mean;
                let error = often * costs.sd.unwrap_or_default() / (costs.n as f64).sqrt();
                squares += error * error;
            };
            let (safe, critical) = (class.safe() as f64, class.critical as f64);
            for events in work.events.iter().filter(|events| events.class == index) {
                add(safe * rates.downs_per_s(), &events.down_s);
                add(safe * rates.downs_per_s(), &events.up_s);
                add(safe * rates.flaps_per_s, &events.flap_s);
            }
            // Of a critical part the job waits as long as it is down.
            if rates.lasts_s < by.job.stops_after_s {
                add(critical * rates.flaps_per_s, &[rates.lasts_s]);
            }
            lost.push(own);
        }
        (lost, squares.sqrt())
    }

    /// Steps weigh as often as they happen: the more, the shorter they are.
    fn p99(&self, own: f64, parts: &[Part]) -> f64 {
        let mut steps: Vec<(f64, f64)> = Vec::new();
        let healthy = self.work.healthy_s.iter().flatten();
        let count = self.work.healthy_s.len().max(1) as f64;
        steps.extend(healthy.map(|seconds| (*seconds, own / count / seconds)));
        for (stratum, part) in self.work.strata.iter().zip(parts) {
            let all: f64 = part.draws.iter().map(|(_, weight)| weight).sum();
            for (draw, (_, weight)) in stratum.draws.iter().zip(&part.draws) {
                let Some(seconds) = draw.step_s.filter(|_| all > 0.0) else { continue };
                steps.push((seconds, part.weight * weight / all / seconds));
            }
        }
        steps.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all: f64 = steps.iter().map(|(_, weight)| weight).sum();
        let mut sum = 0.0;
        for (seconds, weight) in &steps {
            sum += weight;
            if sum >= 0.99 * all {
                return *seconds;
            }
        }
        self.rate.recip()
    }
}
