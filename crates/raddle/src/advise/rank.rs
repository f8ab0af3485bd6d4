//! From numbers of works to one of each candidate, and their order.

use super::estimate::Estimate;
use super::measured::{Counted, Left, Measured, Weighing};
use super::question::Objective;
use super::race::{Behind, behind};

/// How candidates are put in order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Order {
    pub(crate) objective: Objective,
    pub(crate) works: Vec<Counted>,
    pub(crate) weighing: Weighing,
    /// What each candidate costs, where that is asked for.
    pub(crate) costs: Vec<Option<f64>>,
    /// Whether those that left the race come behind all others: they have fewer blocks.
    pub(crate) left_last: bool,
}

/// A candidate in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Its number in the question.
    pub candidate: usize,
    /// By work.
    pub works: Vec<Estimate>,
    /// What it is ranked by, the larger the better: work done in the time of the reference, or its
    /// inverse over a step or a price.
    pub value: f64,
    /// The share of its own healthy work that it does, over works by weight.
    pub goodput: f64,
    /// The standard error of that.
    pub error: f64,
    /// The value, block by block; empty where the objective has none.
    pub blocks: Vec<f64>,
    /// The standard error of the value, over the value, that does not show between blocks.
    pub hidden: f64,
    /// How it is behind the first; `None` for the first itself, and where that cannot be tested.
    pub behind: Option<Behind>,
}

impl Order {
    /// The candidates that have numbers, the best first; among equals, in the order of the question.
    pub(crate) fn standings(&self, measured: &Measured) -> Vec<Standing> {
        let estimates: Vec<(usize, Vec<Estimate>)> = measured
            .candidates
            .iter()
            .enumerate()
            .filter(|(_, own)| own.works.len() == self.works.len())
            .filter_map(|(candidate, own)| {
                let works = own.works.iter().map(|work| work.estimate(&self.weighing));
                Some((candidate, works.collect::<Option<Vec<_>>>()?))
            })
            .collect();
        // Shares of machine time are those on the first candidate that has numbers.
        let reference: Vec<f64> = estimates
            .first()
            .map(|(_, works)| works.iter().map(|own| own.healthy_s).collect())
            .unwrap_or_default();
        let mut all: Vec<Standing> = estimates
            .into_iter()
            .filter_map(|(candidate, works)| self.standing(candidate, works, &reference))
            .collect();
        let left = |own: &Standing| {
            let why = measured.candidates[own.candidate].left.as_ref();
            self.left_last && matches!(why, Some(Left::Behind { .. }))
        };
        all.sort_by(|a, b| {
            left(a)
                .cmp(&left(b))
                .then(b.value.total_cmp(&a.value))
                .then(a.candidate.cmp(&b.candidate))
        });
        let first = all.first().cloned();
        for own in all.iter_mut().skip(1) {
            own.behind = first.as_ref().and_then(|first| {
                behind(&first.blocks, &own.blocks, first.hidden.hypot(own.hidden))
            });
        }
        all
    }

    fn standing(
        &self,
        candidate: usize,
        works: Vec<Estimate>,
        reference: &[f64],
    ) -> Option<Standing> {
        let each = || self.works.iter().zip(&works).zip(reference);
        // How much of the reference's time one healthy step of this candidate is worth.
        let scale = |((counted, own), reference): ((&Counted, &Estimate), &f64)| {
            counted.weight * reference / own.healthy_s
        };
        let work: f64 = each().map(|own| scale(own) * own.0.1.goodput).sum();
        let count = works.iter().map(|own| own.blocks.len()).min().unwrap_or(0);
        let of_block = |b: usize| each().map(|own| scale(own) * own.0.1.blocks[b]).sum::<f64>();
        let mut blocks: Vec<f64> = (0..count).map(of_block).collect();
        let hidden: f64 = each().map(|own| (scale(own) * own.0.1.hidden_error).powi(2)).sum();
        let value = match self.objective {
            Objective::Goodput => work,
            Objective::StepMean => {
                // Steps, in those of the reference.
                let mean = |value: &dyn Fn(&Estimate) -> f64| -> f64 {
                    let each = each().map(|((counted, own), reference)| {
                        counted.weight * own.healthy_s / reference / value(own).max(1e-300)
                    });
                    each.sum::<f64>().recip()
                };
                blocks = (0..count).map(|b| mean(&|own: &Estimate| own.blocks[b])).collect();
                mean(&|own: &Estimate| own.goodput)
            }
            Objective::StepP99 => {
                blocks = Vec::new();
                let each = each()
                    .map(|((counted, own), reference)| counted.weight * own.p99_s / reference);
                each.sum::<f64>().recip()
            }
            Objective::CostPerGoodput => {
                let cost = self.costs.get(candidate).copied().flatten()?.max(f64::MIN_POSITIVE);
                blocks.iter_mut().for_each(|own| *own /= cost);
                work / cost
            }
        };
        let goodput =
            self.works.iter().zip(&works).map(|(counted, own)| counted.weight * own.goodput);
        let squares = self.works.iter().zip(&works);
        let squares = squares.map(|(counted, own)| (counted.weight * own.error).powi(2));
        let (goodput, error) = (goodput.sum(), squares.sum::<f64>().sqrt());
        let hidden = if work > 0.0 { hidden.sqrt() / work } else { 0.0 };
        Some(Standing { candidate, works, value, goodput, error, blocks, hidden, behind: None })
    }
}
