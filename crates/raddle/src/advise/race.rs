//! The race: who is behind the best by more than chance and by more than matters leaves.

use crate::study::stats::Difference;

/// Blocks after which candidates are compared.
pub(crate) const LOOKS: [usize; 4] = [12, 24, 48, 96];

/// What a race goes by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rules {
    /// How many candidates there are at the start.
    pub(crate) candidates: usize,
    /// The chance that any of the drops is wrong.
    pub(crate) alpha: f64,
    /// Smaller differences do not matter.
    pub(crate) margin: f64,
}

/// How one candidate is behind another, in blocks that both share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Behind {
    /// By which factor, in logarithms: the mean over blocks.
    pub log: f64,
    /// Half the width of its confidence interval.
    pub half: f64,
    /// The probability of such a difference between equals; `None` where nothing can be said.
    pub p: Option<f64>,
}

impl Rules {
    /// What a difference has to be less probable than, at each look and for each pair: the best is not
    /// known before, so it may be any.
    pub(crate) fn level(&self) -> f64 {
        let pairs = self.candidates * self.candidates.saturating_sub(1) / 2;
        self.alpha / (LOOKS.len() * pairs.max(1)) as f64
    }

    /// Whether who is behind so leaves.
    pub(crate) fn leaves(&self, behind: &Behind) -> bool {
        behind.p.is_some_and(|p| p < self.level()) && behind.log > self.margin
    }

    /// Whether a difference is known to be smaller than what matters.
    pub(crate) fn is_settled(&self, behind: &Behind) -> bool {
        behind.log + behind.half <= self.margin
    }
}

/// How far `other` is behind `best`. `hidden` is a standard error of the difference that does not show
/// between the blocks.
pub(crate) fn behind(best: &[f64], other: &[f64], hidden: f64) -> Option<Behind> {
    // Who does nothing in some block is further behind than any number says.
    let least = f64::MIN_POSITIVE;
    let logs = |values: &[f64]| -> Vec<f64> {
        values.iter().map(|value| libm::log(value.max(least))).collect()
    };
    let blocks = best.len().min(other.len());
    let (best, other) = (logs(&best[..blocks]), logs(&other[..blocks]));
    let difference = Difference::of(&other, &best)?;
    let each: Vec<f64> = best.iter().zip(&other).map(|(best, other)| best - other).collect();
    let half = crate::study::stats::Spread::of(&each)?.ci95_half?;
    // Chance that does not show between blocks widens the interval, and weakens the test at any level:
    // the difference is to be as improbable by both together.
    let wide = half.hypot(1.96 * hidden);
    let together = match wide > half {
        true => libm::erfc(difference.mean.abs() / (wide / 1.96) / std::f64::consts::SQRT_2),
        false => 0.0,
    };
    let p = difference.p.map_or(1.0, |(p, _)| p).max(together);
    Some(Behind { log: difference.mean, half: wide, p: Some(p) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::rng::Rng;

    /// Sums of twelve draws are near to normal.
    fn noise(rng: &mut Rng) -> f64 {
        (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0
    }

    /// Who is left of candidates whose means are these; blocks have chance in common.
    fn race(means: &[f64], seed: u64, looks: &[usize]) -> Vec<usize> {
        race_with(means, seed, looks, 0.0)
    }

    /// The same where each candidate is off by as much in all its blocks.
    fn race_with(means: &[f64], seed: u64, looks: &[usize], hidden: f64) -> Vec<usize> {
        let rules = Rules { candidates: means.len(), alpha: 0.05, margin: 0.0 };
        let mut rng = Rng::new(seed, "race", 0);
        let means: Vec<f64> =
            means.iter().map(|mean| mean * libm::exp(hidden * noise(&mut rng))).collect();
        let both = hidden * std::f64::consts::SQRT_2;
        let mut left: Vec<usize> = (0..means.len()).collect();
        let mut values: Vec<Vec<f64>> = vec![Vec::new(); means.len()];
        for look in looks {
            while values[0].len() < *look {
                let shared = 0.1 * noise(&mut rng);
                for (own, mean) in values.iter_mut().zip(&means) {
                    own.push(mean * libm::exp(shared + 0.04 * noise(&mut rng)));
                }
            }
            let mean = |own: &usize| values[*own].iter().sum::<f64>();
            let best = *left.iter().max_by(|a, b| mean(a).total_cmp(&mean(b))).unwrap();
            left.retain(|own| {
                *own == best || !rules.leaves(&behind(&values[best], &values[*own], both).unwrap())
            });
        }
        left
    }

    #[test]
    fn equals_are_rarely_told_apart() {
        // Three looks of the paired t-test, and a few of the exact one, which takes longer.
        let wrong = (0..600).filter(|seed| race(&[1.0; 4], *seed, &LOOKS[1..]).len() < 4).count();
        assert!(wrong <= 30, "{wrong} of 600");
        let wrong = (0..40).filter(|seed| race(&[1.0; 3], *seed, &LOOKS[..1]).len() < 3).count();
        assert!(wrong <= 4, "{wrong} of 40");
    }

    #[test]
    fn chance_that_all_blocks_share_tells_equals_apart_as_rarely() {
        let far = |seed: &u64| race_with(&[1.0; 4], *seed, &LOOKS[1..], 0.1).len() < 4;
        let wrong = (0..400).filter(far).count();
        assert!(wrong <= 20, "{wrong} of 400");
    }

    #[test]
    fn one_of_twenty_that_is_better_by_a_twentieth_is_found() {
        let mut means = vec![1.0; 20];
        means[7] = 1.05;
        let found = (0..40).filter(|seed| race(&means, *seed, &LOOKS[1..]).contains(&7)).count();
        assert!(found >= 38, "{found} of 40");
        let alone = (0..20).filter(|seed| race(&means, *seed, &LOOKS[1..]) == [7]).count();
        assert!(alone >= 14, "{alone} of 20");
    }

    #[test]
    fn what_does_not_show_between_blocks_keeps_candidates_apart_from_nothing() {
        let (best, other) = (vec![1.0; 12], vec![0.98; 12]);
        assert!(behind(&best, &other, 0.0).unwrap().p.unwrap() < 1e-3);
        let p = |hidden: f64| behind(&best, &other, hidden).unwrap().p.unwrap();
        assert!(p(0.02) > 0.3 && p(0.01) < 0.05 && p(0.004) < 1e-3, "{} {}", p(0.02), p(0.004));
        let rules = Rules { candidates: 7, alpha: 0.05, margin: 0.01 };
        assert!(rules.leaves(&behind(&best, &other, 0.0).unwrap()));
        assert!(!Rules { margin: 0.03, ..rules }.leaves(&behind(&best, &other, 0.0).unwrap()));
    }
}
