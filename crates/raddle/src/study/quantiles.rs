//! Percentiles of many flows, and how far a run's flows support them.
//!
//! Percentiles are by nearest rank: the smallest value that at least that share of the flows does not
//! exceed. An interval is the bootstrap's: what the percentile of as many flows, drawn from these with
//! replacement, lies in 95 times of 100. The rank that such a draw's percentile has among the flows is
//! known in closed form, so nothing is drawn: it is what the mean of ever more draws comes to.
//!
//! Flows that start at one instant towards one host are answers to one query, and share their fate: the
//! bootstrap draws whole queries. Their percentile has the spread that fewer flows of their own would
//! give, fewer by Kish's design effect.

/// Fewer flows beyond a percentile above the median say nothing about it.
pub const BEYOND: usize = 20;

/// A percentile and its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantile {
    /// The percentile.
    pub value: f64,
    /// Where 95 % of the bootstrap's draws begin.
    pub low: f64,
    /// Where they end.
    pub high: f64,
}

/// A distribution over flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantiles {
    /// How many flows.
    pub flows: u64,
    /// The mean.
    pub mean: f64,
    /// The percentiles, in the order of [`Share::ALL`]; `None` where fewer than [`BEYOND`] flows lie
    /// beyond one above the median: it is not resolved.
    pub at: [Option<Quantile>; 4],
}

raddle_schemes::words! {
    /// Which percentile.
    pub enum Share {
        /// The median.
        P50 = "p50",
        /// The 95th.
        P95 = "p95",
        /// The 99th.
        P99 = "p99",
        /// The 99.9th.
        P99_9 = "p99_9",
    }
}

impl Share {
    /// The flows that are not beyond it, of 1000.
    pub const fn permille(self) -> usize {
        match self {
            Self::P50 => 500,
            Self::P95 => 950,
            Self::P99 => 990,
            Self::P99_9 => 999,
        }
    }

    /// As people write it.
    pub const fn text(self) -> &'static str {
        match self {
            Self::P99_9 => "p99.9",
            other => other.word(),
        }
    }
}

impl Quantiles {
    /// Of these values; `None` if there are none.
    pub fn of(values: Vec<f64>) -> Option<Self> {
        Self::with_queries(values, &[])
    }

    /// Of the values of flows, each behind the query that it answers. Fewer queries than [`BEYOND`]
    /// say nothing about how queries differ: then flows are drawn.
    pub fn by_query<K: Ord>(mut flows: Vec<(K, f64)>) -> Option<Self> {
        flows.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let sizes: Vec<usize> = flows.chunk_by(|a, b| a.0 == b.0).map(<[_]>::len).collect();
        let values: Vec<f64> = flows.into_iter().map(|(_, value)| value).collect();
        if sizes.len() < BEYOND || sizes.len() == values.len() {
            return Self::of(values);
        }
        let mut left = values.as_slice();
        let query = |size| {
            let (own, rest) = left.split_at(size);
            left = rest;
            own.to_vec()
        };
        let queries: Vec<Vec<f64>> = sizes.into_iter().map(query).collect();
        Self::with_queries(values, &queries)
    }

    fn with_queries(mut values: Vec<f64>, queries: &[Vec<f64>]) -> Option<Self> {
        let n = values.len();
        values.sort_unstable_by(f64::total_cmp);
        let at = |share: Share| {
            let rank = (n * share.permille()).div_ceil(1000).max(1);
            let is_resolved = share == Share::P50 || n - rank >= BEYOND;
            let value = |rank: usize| values[rank - 1];
            is_resolved.then(|| {
                let effect = design_effect(queries, n, value(rank));
                Quantile {
                    value: value(rank),
                    low: value(drawn_rank(n, rank, effect, 0.025)),
                    high: value(drawn_rank(n, rank, effect, 0.975)),
                }
            })
        };
        (n > 0).then(|| Self {
            flows: n as u64,
            mean: values.iter().sum::<f64>() / n as f64,
            at: [Share::P50, Share::P95, Share::P99, Share::P99_9].map(at),
        })
    }

    /// A percentile, if it is resolved.
    pub fn at(&self, share: Share) -> Option<Quantile> {
        self.at[share as usize]
    }
}

/// How many times the variance that drawing flows one by one has the share of flows beyond `value` has
/// where whole queries are drawn (Kish); 1 at least, and where no queries are told.
fn design_effect(queries: &[Vec<f64>], n: usize, value: f64) -> f64 {
    let beyond = |query: &Vec<f64>| query.iter().filter(|own| **own > value).count() as f64;
    let share = queries.iter().map(beyond).sum::<f64>() / n as f64;
    if share <= 0.0 || share >= 1.0 {
        return 1.0;
    }
    let square = |query: &Vec<f64>| (beyond(query) - share * query.len() as f64).powi(2);
    let together = queries.iter().map(square).sum::<f64>();
    (together / (n as f64 * share * (1.0 - share))).max(1.0)
}

/// The least rank that the `rank`th of `n` values, drawn with replacement from as many, does not exceed
/// with at least this chance. It is at most `j` if `rank` of the draws or more are among the first `j`.
/// With an `effect` as many draws count as that many times fewer.
fn drawn_rank(n: usize, rank: usize, effect: f64, chance: f64) -> usize {
    let (mut low, mut high) = (1, n);
    let (within, beyond) = (rank as f64 / effect, (n - rank) as f64 / effect + 1.0);
    while low < high {
        let middle = low.midpoint(high);
        if at_least(within, beyond, middle as f64 / n as f64) >= chance {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// The chance that of `a + b - 1` draws at least `a` succeed, each with probability `p`: the incomplete
/// beta function (Abramowitz and Stegun, 26.5.24), by its continued fraction (26.5.8, with Lentz's
/// method), on the side where it converges.
fn at_least(a: f64, b: f64, p: f64) -> f64 {
    if p >= 1.0 {
        return 1.0;
    }
    let front = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b)
        + a * libm::log(p)
        + b * libm::log1p(-p);
    let front = libm::exp(front);
    if p < (a + 1.0) / (a + b + 2.0) {
        front * fraction(a, b, p) / a
    } else {
        1.0 - front * fraction(b, a, 1.0 - p) / b
    }
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut result = d;
    // It takes some multiple of the root of the larger parameter.
    for m in 1..=100_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut factor = 1.0;
        for term in [even, odd] {
            d = 1.0 / away(1.0 + term * d);
            c = away(1.0 + term / c);
            factor = c * d;
            result *= factor;
        }
        if (factor - 1.0).abs() < 1e-12 {
            break;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::rng::Rng;

    fn upto(n: usize) -> Quantiles {
        Quantiles::of((1..=n).rev().map(|value| value as f64).collect()).unwrap()
    }

    #[test]
    fn chances_are_the_binomial_s() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-10, "{a} {b}");
        close(at_least(1.0, 1.0, 0.3), 0.3);
        close(at_least(2.0, 3.0, 0.5), 11.0 / 16.0);
        close(at_least(10.0, 1.0, 0.9), 0.9f64.powi(10));
        close(at_least(1.0, 10.0, 0.1), 1.0 - 0.9f64.powi(10));
        // Symmetric: half of an odd number of coins.
        close(at_least(50_001.0, 50_001.0, 0.5), 0.5);
        assert_eq!(at_least(7.0, 1.0, 1.0), 1.0);
    }

    #[test]
    fn a_percentile_with_fewer_than_twenty_flows_beyond_it_is_not_resolved() {
        let resolved = |n| Share::ALL.iter().filter(|share| upto(n).at(**share).is_some()).count();
        assert_eq!(
            [1, 399, 400, 1_999, 2_000, 19_999, 20_000].map(resolved),
            [1, 1, 2, 2, 3, 3, 4]
        );
        let many = upto(20_000);
        let value = |share| many.at(share).unwrap().value;
        assert_eq!((many.flows, many.mean), (20_000, 10_000.5));
        assert_eq!((value(Share::P50), value(Share::P95)), (10_000.0, 19_000.0));
        assert_eq!((value(Share::P99), value(Share::P99_9)), (19_800.0, 19_980.0));
        assert_eq!(Quantiles::of(Vec::new()), None);
    }

    #[test]
    fn an_interval_holds_its_percentile_and_one_flow_is_its_own() {
        for n in [1, 2, 3, 50, 1_000, 30_000] {
            for quantile in upto(n).at.into_iter().flatten() {
                assert!(quantile.low <= quantile.value && quantile.value <= quantile.high, "{n}");
            }
        }
        let one = upto(1).at(Share::P50).unwrap();
        assert_eq!((one.low, one.high), (1.0, 1.0));
    }

    /// Of 500 queries each one's answers are as slow as each other: 500 flows' worth is known.
    #[test]
    fn answers_to_one_query_count_as_one() {
        let each = |answers: usize| {
            let flows = (0..500 * answers).map(|flow| (flow % 500, (flow % 500) as f64));
            Quantiles::by_query(flows.collect()).unwrap()
        };
        let (alone, together) = (each(1), each(8));
        assert_eq!(together.flows, 4_000);
        for share in [Share::P50, Share::P95] {
            let [alone, together] = [alone, together].map(|own| own.at(share).unwrap());
            assert_eq!(alone.value, together.value);
            for (a, b) in [(alone.low, together.low), (alone.high, together.high)] {
                assert!((a - b).abs() <= 2.0, "{alone:?} {together:?}");
            }
        }
        // Answers that have nothing to do with each other, and too few queries.
        let mut rng = Rng::new(1, "answers", 0);
        let drawn: Vec<f64> = (0..4_000).map(|_| rng.below(1 << 30) as f64).collect();
        let one_by_one = Quantiles::of(drawn.clone()).unwrap().at(Share::P95).unwrap();
        let of = |queries: usize| {
            let flows = drawn.iter().enumerate().map(|(flow, own)| (flow % queries, *own));
            Quantiles::by_query(flows.collect()).unwrap().at(Share::P95).unwrap()
        };
        let width = |own: Quantile| own.high - own.low;
        assert!((width(of(500)) / width(one_by_one) - 1.0).abs() < 0.15);
        assert_eq!(of(19), one_by_one);
    }

    /// What drawing gives, with a named stream: 95 % of the draws' percentiles in the interval.
    #[test]
    fn intervals_are_those_of_draws_with_replacement() {
        let n = 500;
        let quantiles = upto(n);
        let mut rng = Rng::new(1, "bootstrap", 0);
        for share in [Share::P50, Share::P95] {
            let Quantile { value, low, high } = quantiles.at(share).unwrap();
            let mut drawn: Vec<u64> = (0..4_000)
                .map(|_| {
                    let mut draw: Vec<u64> = (0..n).map(|_| 1 + rng.below(n as u64)).collect();
                    *draw.select_nth_unstable(value as usize - 1).1
                })
                .collect();
            drawn.sort_unstable();
            let ends = [drawn[100], drawn[3_899]].map(|end| end as f64);
            assert!(
                (ends[0] - low).abs() < 4.0 && (ends[1] - high).abs() < 4.0,
                "{ends:?} {low} {high}"
            );
        }
    }
}
