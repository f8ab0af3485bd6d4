//! What a handful of seeds can and cannot support.

use std::f64::consts::FRAC_2_PI;

/// Differences with a smaller p-value than this count as supported.
pub const SIGNIFICANCE: f64 = 0.05;

/// Mean and spread of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Sample size; at least 1.
    pub n: usize,
    /// The mean.
    pub mean: f64,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
    /// Sample standard deviation (n - 1); `None` for a single value.
    pub sd: Option<f64>,
    /// Half the width of the 95 % confidence interval of the mean (Student's t); `None` for a
    /// single value.
    pub ci95_half: Option<f64>,
}

impl Spread {
    /// Of a sample; `None` if it is empty.
    pub fn of(values: &[f64]) -> Option<Self> {
        let n = values.len();
        let first = *values.first()?;
        let mean = values.iter().sum::<f64>() / n as f64;
        let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
        let sd = (n > 1).then(|| (squares / (n - 1) as f64).sqrt());
        Some(Self {
            n,
            mean,
            min: values.iter().copied().fold(first, f64::min),
            max: values.iter().copied().fold(first, f64::max),
            sd,
            ci95_half: sd.map(|sd| t_quantile_95(n - 1) * sd / (n as f64).sqrt()),
        })
    }
}

/// How a difference was tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Every assignment of signs to the paired differences, none left out: no assumption on their
    /// distribution. Used for 6 to 12 pairs; with 5, the smallest p it can give is 0.0625.
    SignFlip,
    /// Student's t-test of the paired differences, which assumes that they are close to normal.
    /// Used where the exact test cannot decide (fewer than 6) or is not needed (more than 12).
    PairedT,
}

impl Test {
    /// The test as JSON names it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::SignFlip => "sign_flip",
            Self::PairedT => "paired_t",
        }
    }

    /// The test as people name it.
    pub const fn text(self) -> &'static str {
        match self {
            Self::SignFlip => "exact sign-flip test",
            Self::PairedT => "paired t-test",
        }
    }

    /// The test for `n` pairs; `None` if nothing can be said.
    pub const fn for_pairs(n: usize) -> Option<Self> {
        match n {
            0 | 1 => None,
            6..=12 => Some(Self::SignFlip),
            _ => Some(Self::PairedT),
        }
    }
}

/// A tested difference between two samples, paired by seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Number of pairs.
    pub n: usize,
    /// Mean of `b - a`.
    pub mean: f64,
    /// Two-sided p-value of no difference, not corrected for the number of comparisons, and its
    /// test; `None` for fewer than two pairs.
    pub p: Option<(f64, Test)>,
}

impl Difference {
    /// Of `b` against `a`, pair by pair; `None` if there are no pairs.
    pub fn of(a: &[f64], b: &[f64]) -> Option<Self> {
        let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| b - a).collect();
        let spread = Spread::of(&differences)?;
        let p = Test::for_pairs(spread.n).map(|test| match test {
            Test::SignFlip => (sign_flip(&differences), test),
            Test::PairedT => (paired_t(&spread), test),
        });
        Some(Self { n: spread.n, mean: spread.mean, p })
    }

    /// Whether the seeds support that there is a difference.
    pub fn supported(&self) -> bool {
        self.p.is_some_and(|(p, _)| p < SIGNIFICANCE)
    }
}

/// Share of all sign assignments whose sum is at least as far from zero as the one observed.
fn sign_flip(differences: &[f64]) -> f64 {
    let observed = differences.iter().sum::<f64>().abs();
    let size: f64 = differences.iter().map(|d| d.abs()).sum();
    // Sums of the same numbers in other orders may differ by rounding.
    let enough = observed - 1e-12 * size;
    let assignments = 1u32 << differences.len();
    let extreme = (0..assignments)
        .filter(|signs| {
            let signed = differences
                .iter()
                .enumerate()
                .map(|(i, d)| if signs >> i & 1 == 1 { -d } else { *d });
            signed.sum::<f64>().abs() >= enough
        })
        .count();
    extreme as f64 / f64::from(assignments)
}

fn paired_t(differences: &Spread) -> f64 {
    let error = differences.sd.unwrap_or(0.0) / (differences.n as f64).sqrt();
    if error > 0.0 {
        t_two_sided(differences.mean / error, differences.n - 1)
    } else if differences.mean == 0.0 {
        1.0
    } else {
        0.0
    }
}

/// The probability that Student's t with `df` degrees of freedom is further from zero than `t`
/// (Abramowitz and Stegun, 26.7.3 and 26.7.4: a finite sum for whole degrees of freedom).
fn t_two_sided(t: f64, df: usize) -> f64 {
    let theta = (t.abs() / (df as f64).sqrt()).atan();
    let (sin, cos) = theta.sin_cos();
    let odd = df % 2 == 1;
    let mut term = if odd { cos } else { 1.0 };
    let mut sum = if df == 1 { 0.0 } else { term };
    let mut k = if odd { 3 } else { 2 };
    while k < df {
        let n = k as f64;
        term *= cos * cos * (n - 1.0) / n;
        sum += term;
        k += 2;
    }
    let inside = if odd { FRAC_2_PI * (theta + sin * sum) } else { sin * sum };
    (1.0 - inside).clamp(0.0, 1.0)
}

/// The value that |t| exceeds with probability 5 %.
pub fn t_quantile_95(df: usize) -> f64 {
    let (mut low, mut high) = (0.0, 20.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if t_two_sided(middle, df) > 0.05 { low = middle } else { high = middle }
    }
    high
}

/// The least, the median and the most of some values; of an even number the median is the mean of the
/// two in the middle.
pub fn least_median_most(mut values: Vec<f64>) -> Option<[f64; 3]> {
    values.sort_by(f64::total_cmp);
    let (first, last, n) = (*values.first()?, *values.last()?, values.len());
    Some([first, f64::midpoint(values[(n - 1) / 2], values[n / 2]), last])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() < tolerance, "{a} {b}");
    }

    #[test]
    fn quantiles_are_those_of_the_printed_tables() {
        let table = [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (30, 2.042)];
        for (df, t) in table {
            close(t_quantile_95(df), t, 5e-4);
        }
        close(t_quantile_95(1000), 1.962, 5e-4);
    }

    #[test]
    fn tails_of_one_and_two_degrees_of_freedom_have_closed_forms() {
        close(t_two_sided(1.0, 1), 0.5, 1e-12);
        close(t_two_sided(2.0, 2), 1.0 - 2.0 / 6f64.sqrt(), 1e-12);
        close(t_two_sided(0.0, 7), 1.0, 1e-12);
    }

    #[test]
    fn a_small_sample_by_hand() {
        // Mean 12, squares 4 + 1 + 0 + 1 + 4 = 10, variance 2.5, error 0.7071, times 2.776.
        let spread = Spread::of(&[10.0, 11.0, 12.0, 13.0, 14.0]).unwrap();
        assert_eq!((spread.mean, spread.min, spread.max), (12.0, 10.0, 14.0));
        close(spread.sd.unwrap(), 1.5811, 1e-4);
        close(spread.ci95_half.unwrap(), 1.9632, 1e-3);
        assert_eq!(Spread::of(&[3.0]).unwrap().sd, None);
        assert_eq!(Spread::of(&[]), None);
    }

    #[test]
    fn sign_flips_are_counted_exactly() {
        // All of one sign: only the observed assignment and its mirror are as extreme.
        close(sign_flip(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 2.0 / 64.0, 1e-15);
        // Sums of +-1 +-2 +-3: 6, 4, 2, 0, 0, 2, 4, 6 in size; at least 4 are four of eight.
        close(sign_flip(&[-1.0, 2.0, 3.0]), 0.5, 1e-15);
        close(sign_flip(&[0.0, 0.0]), 1.0, 1e-15);
    }

    #[test]
    fn five_pairs_take_the_t_test_and_six_the_exact_one() {
        // Differences 1..5: mean 3, error 0.7071, t = 4.2426, 4 degrees: p = 0.01324.
        let zero = [0.0; 6];
        let d = Difference::of(&zero, &[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        let (p, test) = d.p.unwrap();
        assert_eq!((d.mean, test), (3.0, Test::PairedT));
        close(p, 0.013_24, 1e-5);
        assert!(d.supported());
        let d = Difference::of(&zero, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        assert_eq!(d.p, Some((0.03125, Test::SignFlip)));
    }

    #[test]
    fn what_the_seeds_cannot_support_is_not_supported() {
        let d = Difference::of(&[10.0, 12.0, 11.0], &[11.0, 11.0, 12.0]).unwrap();
        assert!(!d.supported());
        let one = Difference::of(&[10.0], &[20.0]).unwrap();
        assert!(one.p.is_none() && !one.supported());
        assert!(!Difference::of(&[10.0, 12.0], &[10.0, 12.0]).unwrap().supported());
        assert!(Difference::of(&[10.0, 12.0], &[11.0, 13.0]).unwrap().supported());
    }
}
