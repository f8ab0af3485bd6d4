//! Rates at which another candidate would be first, from what runs at other rates gave.

use super::changes::NOT_RUN;
use super::estimate::{FIRST_ORDER, RESOLVES};
use super::measured::Measured;
use super::rank::{Order, Standing};

/// What of a class is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knob {
    /// The mean time between failures.
    Mtbf,
    /// How often a part flaps.
    Flaps,
}

impl Knob {
    /// As a question has it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Mtbf => "mtbf",
            Self::Flaps => "flaps_per_hour",
        }
    }
}

/// A rate at which two candidates are equal. No run was made there: it is extrapolated.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossing {
    /// The number of the `[[failure]]`, or of the `[[group]]` behind them.
    pub class: usize,
    /// What is changed.
    pub knob: Knob,
    /// Who is first now.
    pub first: usize,
    /// Who is from there on.
    pub other: usize,
    /// By which factor the value differs from the question's.
    pub factor: f64,
    /// The factors between which the crossing lies, as sure as the numbers are; none where it may lie
    /// beyond what was looked at.
    pub low: Option<f64>,
    /// Its other end.
    pub high: Option<f64>,
}

/// Rates are changed by so much at most, either way.
const MOST: f64 = 64.0;
/// Steps of a scan in each direction.
const STEPS: u32 = 24;

/// How far a candidate is behind another at changed rates, and the half width of that.
type Gap = Option<(f64, f64)>;

/// A question's numbers, weighed by other rates.
pub(crate) struct Scan<'a> {
    pub(crate) order: &'a Order,
    pub(crate) measured: &'a Measured,
    /// States that were not looked at may have half of this share of the time, and changes that were not
    /// run cost [`NOT_RUN`] of it.
    pub(crate) margin: f64,
}

impl Scan<'_> {
    fn standings(&self, class: usize, knob: Knob, factor: f64) -> Vec<Standing> {
        let mut order = Order { left_last: false, ..self.order.clone() };
        if let Some(rates) = order.weighing.rates.get_mut(class) {
            match knob {
                Knob::Mtbf => rates.mtbf_s *= factor,
                Knob::Flaps => rates.flaps_per_s *= factor,
            }
        }
        order.standings(self.measured)
    }

    /// How far `other` is behind `first` there; `None` where that is not resolved.
    fn gap(
        &self,
        (class, knob): (usize, Knob),
        (first, other): (usize, usize),
        factor: f64,
    ) -> Gap {
        let all = self.standings(class, knob, factor);
        let own = |candidate: usize| all.iter().find(|own| own.candidate == candidate);
        let (a, b) = (own(first)?, own(other)?);
        let resolved = [a, b].iter().flat_map(|own| &own.works).all(|work| {
            work.left_out <= self.margin / 2.0
                && work.effective.is_none_or(|own| own >= RESOLVES)
                && work.lost.events.iter().sum::<f64>() + work.lost.restarts <= FIRST_ORDER
                && work.not_run <= self.margin * NOT_RUN
        });
        let gap = libm::log(a.value.max(1e-300) / b.value.max(1e-300));
        let half = super::race::behind(&a.blocks, &b.blocks, a.hidden.hypot(b.hidden));
        resolved.then_some((gap, half.map_or(f64::INFINITY, |own| own.half)))
    }

    /// Where a function of the factor first changes sign away from 1, upwards or downwards.
    fn root(value: &dyn Fn(f64) -> Option<f64>, up: bool) -> Option<f64> {
        let step = libm::pow(MOST, f64::from(STEPS).recip());
        let next = |factor: f64| if up { factor * step } else { factor / step };
        let (mut near, mut far) = (1.0, next(1.0));
        let sign = value(near)? > 0.0;
        for _ in 0..STEPS {
            if (value(far)? > 0.0) == sign {
                (near, far) = (far, next(far));
                continue;
            }
            for _ in 0..40 {
                let middle = (near * far).sqrt();
                if (value(middle)? > 0.0) == sign { near = middle } else { far = middle }
            }
            return Some((near * far).sqrt());
        }
        None
    }

    /// Where candidates overtake the first, the nearest for each of them, class and rate.
    pub(crate) fn crossings(&self, others: &[usize], first: usize) -> Vec<Crossing> {
        let mut found = Vec::new();
        for (class, rates) in self.order.weighing.rates.iter().enumerate() {
            let knobs =
                [(Knob::Mtbf, rates.mtbf_s.is_finite()), (Knob::Flaps, rates.flaps_per_s > 0.0)];
            for (knob, _) in knobs.into_iter().filter(|(_, there)| *there) {
                for other in others {
                    let gap = |factor| self.gap((class, knob), (first, *other), factor);
                    for up in [false, true] {
                        let Some(factor) = Self::root(&|x| Some(gap(x)?.0), up) else { continue };
                        // The numbers may be off either way: the first may hold out longer, or not
                        // so long.
                        let sooner = Self::root(&|x| gap(x).map(|(own, half)| own - half), up);
                        let later = Self::root(&|x| gap(x).map(|(own, half)| own + half), up);
                        // Where the first is not told from the other, it is equal already.
                        let equal = gap(1.0).is_some_and(|(own, half)| own <= half);
                        let sooner = if equal { Some(1.0) } else { sooner };
                        let (low, high) = if up { (sooner, later) } else { (later, sooner) };
                        found.push(Crossing {
                            class,
                            knob,
                            first,
                            other: *other,
                            factor,
                            low,
                            high,
                        });
                    }
                }
            }
        }
        found
    }
}
