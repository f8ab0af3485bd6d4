//! The answer: candidates in their order, and what would change it.

use super::changes::NOT_RUN;
use super::crossing::{Crossing, Scan};
use super::measured::{Left, Measured, OfCandidate};
use super::question::{Failure, Objective, Question};
use super::race::Rules;
use super::rank::{Order, Standing};
use super::search::order_of;
use crate::study::stats::t_quantile_95;

/// The answer to a question, from what runs gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What runs gave.
    pub measured: Measured,
    /// The candidates that have numbers, the best first.
    pub standings: Vec<Standing>,
    /// Where another would be first.
    pub crossings: Vec<Crossing>,
    /// Rates that were taken from publications.
    pub published: Vec<String>,
    /// Whether rates, weights or prices are others than those that runs were made by.
    pub is_again: bool,
    pub(super) order: Order,
    pub(super) margin: f64,
    pub(super) confidence: f64,
    pub(super) horizon_s: f64,
}

/// So many candidates behind the first are asked when they would be.
pub(super) const ASKED: usize = 4;

impl Answer {
    /// The answer to the question that runs were made by.
    ///
    /// # Errors
    /// The runs are those of another question, which is told.
    pub fn new(question: &Question, measured: Measured) -> Result<Self, String> {
        Self::by(question, measured, false)
    }

    /// The same by other rates, weights or prices than runs were made by.
    ///
    /// # Errors
    /// As of [`new`](Self::new).
    pub fn again(question: &Question, measured: Measured) -> Result<Self, String> {
        Self::by(question, measured, true)
    }

    fn by(question: &Question, measured: Measured, is_again: bool) -> Result<Self, String> {
        let names = measured.candidates.iter().map(|own| own.name.as_str());
        let same = names.eq(question.candidates.iter().map(|own| own.name.as_str()))
            && measured.works.len() == question.works.len()
            && measured.works.iter().zip(&question.works).all(|(a, b)| a.name == b.name)
            && measured.rates.len() == question.failures.len()
            && measured.classes.iter().eq(question
                .failures
                .iter()
                .map(Failure::noun)
                .collect::<Vec<_>>()
                .iter());
        if !same {
            return Err(
                "what is kept is of another question: its candidates, works or failures differ"
                    .to_owned(),
            );
        }
        let mut costs = Vec::new();
        for own in &measured.candidates {
            let mut counts = own.counts.clone();
            counts.price(&question.prices).map_err(|part| format!("[price] lacks `{part}`"))?;
            costs.push(counts.cost);
        }
        let mut order = order_of(question, costs);
        order.weighing.drawn_by.clone_from(&measured.rates);
        order.left_last = !is_again;
        let standings = order.standings(&measured);
        let ask = &question.ask;
        let not_run = standings.iter().flat_map(|own| &own.works).map(|work| work.not_run);
        if is_again && not_run.fold(0.0, f64::max) > ask.margin * NOT_RUN {
            return Err(
                "at these rates changes matter that were not run, as they did not at the rates \
                        of the runs: ask without `--again`, into another folder"
                    .to_owned(),
            );
        }
        let crossings = standings.first().map_or(Vec::new(), |first| {
            let told = |own: &&Standing| {
                measured.candidates[own.candidate].runs != measured.candidates[first.candidate].runs
            };
            let others = standings.iter().skip(1).filter(told).take(ASKED);
            let others: Vec<usize> = others.map(|own| own.candidate).collect();
            let scan = Scan { order: &order, measured: &measured, margin: ask.margin };
            scan.crossings(&others, first.candidate)
        });
        Ok(Self {
            is_again,
            standings,
            crossings,
            published: question.published.clone(),
            order,
            margin: ask.margin,
            confidence: ask.confidence,
            horizon_s: ask.horizon_s,
            measured,
        })
    }

    /// The name of a candidate.
    pub fn name(&self, candidate: usize) -> &str {
        self.measured.candidates.get(candidate).map_or("", |own| &own.name)
    }

    /// What candidates are ranked by.
    pub fn objective(&self) -> Objective {
        self.order.objective
    }

    /// Its place, from 1: shared by those that are not told apart from the first.
    pub fn place(&self, index: usize) -> usize {
        let before = self.standings.iter().take(index + 1).skip(1);
        let shared = before.into_iter().all(|own| !self.is_told(own));
        if shared { 1 } else { index + 1 }
    }

    /// Whether a candidate is known to be behind the first.
    pub fn is_told(&self, own: &Standing) -> bool {
        let first = self.standings.first().map(|first| first.candidate);
        let left = self.measured.candidates.get(own.candidate).and_then(|own| own.left.as_ref());
        if matches!(left, Some(Left::Behind { .. })) && !self.is_again {
            return Some(own.candidate) != first;
        }
        let raced = |own: &&OfCandidate| !matches!(own.left, Some(Left::Constraint { .. }));
        let rules = Rules {
            candidates: self.measured.candidates.iter().filter(raced).count(),
            alpha: 1.0 - self.confidence,
            margin: self.margin,
        };
        match (own.behind, self.order.objective) {
            (Some(behind), _) => behind.p.is_some_and(|p| p < rules.level()) && behind.log > 0.0,
            (None, Objective::StepP99) => {
                let best = self.standings.first().map_or(own.value, |first| first.value);
                libm::log(best / own.value) > self.margin
            }
            (None, _) => false,
        }
    }

    /// Whether two candidates were the same runs.
    pub fn is_same(&self, a: usize, b: usize) -> bool {
        let runs = |own: usize| self.measured.candidates.get(own).map(|own| &own.runs);
        a != b && runs(a) == runs(b)
    }

    /// By which share a candidate is behind the first, and between which shares that lies.
    pub fn behind(&self, own: &Standing) -> Option<[f64; 3]> {
        let behind = own.behind?;
        let share = |log: f64| 1.0 - libm::exp(-log);
        let ends = [behind.log - behind.half, behind.log, behind.log + behind.half];
        Some(ends.map(share))
    }

    /// Half the width of the 95 % confidence interval of the goodput.
    pub fn goodput_half(&self, own: &Standing) -> f64 {
        t_quantile_95(own.blocks.len().max(2) - 1) * own.error
    }

    /// How often a job ends within the horizon, over works by weight.
    pub fn stops(&self, own: &Standing) -> f64 {
        let each = self.order.works.iter().zip(&own.works);
        let stops: f64 = each.map(|(counted, work)| counted.weight * work.stops_per_s).sum();
        stops * self.horizon_s
    }
}
