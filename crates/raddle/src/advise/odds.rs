//! How probable states of a fabric are: parts fail independently, with up times that are exponential; of
//! repairs only the mean counts.

use serde::{Deserialize, Serialize};

/// How often a kind of part breaks, and for how long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// Mean time from a repair until the part breaks, in seconds; infinite where it only flaps.
    #[serde(with = "infinite")]
    pub mtbf_s: f64,
    /// Mean time until it is repaired, in seconds.
    pub mttr_s: f64,
    /// Short outages of a part that is up, in a second.
    pub flaps_per_s: f64,
    /// How long each lasts, in seconds.
    pub lasts_s: f64,
}

/// JSON has no infinity: null stands for it.
mod infinite {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
    pub(super) fn serialize<S: Serializer>(x: &f64, to: S) -> Result<S::Ok, S::Error> {
        x.is_finite().then_some(*x).serialize(to)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(from)?.unwrap_or(f64::INFINITY))
    }
}

impl Rates {
    /// The share of time in which a part is broken.
    pub fn broken(&self) -> f64 {
        if self.mtbf_s.is_finite() { self.mttr_s / (self.mtbf_s + self.mttr_s) } else { 0.0 }
    }

    /// How often a part breaks, in a second of all time.
    pub fn downs_per_s(&self) -> f64 {
        (self.mtbf_s + self.mttr_s).recip()
    }
}

/// How a job takes what breaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Standing still for so many seconds ends it.
    pub stops_after_s: f64,
    /// What an end costs, in seconds.
    pub restart_s: f64,
    /// Whether it goes on on other hosts.
    pub spare: bool,
}

/// The parts of one `[[failure]]` or `[[group]]`, in one candidate's fabric under one work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Class {
    /// How many there are.
    pub parts: u64,
    /// Of these, those each of which alone cuts off hosts that have traffic.
    pub critical: u64,
    /// Pairs of the others that are at one switch or host.
    pub together: u64,
}

impl Class {
    /// Those that do not cut anything off alone.
    pub fn safe(&self) -> u64 {
        self.parts - self.critical
    }
}

/// Which of the states with so many broken parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placed {
    /// All of them.
    Any,
    /// Those whose two parts are at one switch or host.
    Together,
    /// Those whose two parts are not.
    Apart,
    /// All states with anything broken, as often as they come.
    AsTheyCome,
}

/// A set of states: so many of the safe parts of each class are broken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Stratum {
    /// By class; empty for states as they come.
    pub counts: Vec<u32>,
    /// Which of these.
    pub placed: Placed,
}

/// Pairs of safe parts that cut hosts off although neither does alone: two classes, and how many pairs.
pub type CutPairs = (usize, usize, u64);

/// Strata are drawn one by one up to this number; where more are needed, states as they come.
const MOST: usize = 24;

/// The states that are looked at, and how much of the time others have.
#[derive(Clone, Debug, PartialEq)]
pub struct Strata {
    /// The healthy state first.
    pub list: Vec<Stratum>,
    /// The probability of all others.
    pub left_out: f64,
}

impl Stratum {
    /// Nothing is broken.
    pub fn healthy(classes: usize) -> Self {
        Self { counts: vec![0; classes], placed: Placed::Any }
    }

    /// Whether nothing is broken.
    pub fn is_healthy(&self) -> bool {
        self.placed == Placed::Any && self.total() == 0
    }

    /// How many parts are broken.
    pub fn total(&self) -> u32 {
        self.counts.iter().sum()
    }

    /// The class whose two parts are broken, where no other's is.
    fn twice(&self) -> Option<usize> {
        (self.total() == 2).then(|| self.counts.iter().position(|count| *count == 2)).flatten()
    }

    /// Its probability while no critical part is broken.
    pub fn weight(&self, classes: &[Class], rates: &[Rates]) -> f64 {
        if self.placed == Placed::AsTheyCome {
            return 1.0 - Self::healthy(classes.len()).weight(classes, rates);
        }
        let each = self.counts.iter().zip(classes).zip(rates);
        let all: f64 = each
            .map(|((count, class), rates)| {
                chance_of(class.safe(), u64::from(*count), rates.broken())
            })
            .product();
        let share = self.twice().map_or(1.0, |class| {
            let class = &classes[class];
            class.together as f64 / pairs(class.safe()).max(1.0)
        });
        match self.placed {
            Placed::Any | Placed::AsTheyCome => all,
            Placed::Together => all * share,
            Placed::Apart => all * (1.0 - share),
        }
    }

    /// The share of its states that cut hosts off, where that is known by counting.
    pub fn cut_share(&self, classes: &[Class], cut: &[CutPairs]) -> f64 {
        if self.total() != 2 || self.placed == Placed::Apart {
            return 0.0;
        }
        let broken: Vec<usize> = (0..self.counts.len()).filter(|c| self.counts[*c] > 0).collect();
        let (a, b) = match broken[..] {
            [a, b] => (a, b),
            [a] => (a, a),
            _ => return 0.0,
        };
        let cutting: u64 = cut.iter().filter(|own| (own.0, own.1) == (a, b)).map(|own| own.2).sum();
        let all = match (self.placed, a == b) {
            (Placed::Together, _) => classes[a].together as f64,
            (_, true) => pairs(classes[a].safe()),
            (_, false) => classes[a].safe() as f64 * classes[b].safe() as f64,
        };
        if all > 0.0 { (cutting as f64 / all).min(1.0) } else { 0.0 }
    }

    /// In words: `2 cables`, `1 cable and 1 switch`, with the nouns of the classes.
    pub fn text(&self, nouns: &[&str]) -> String {
        if self.placed == Placed::AsTheyCome {
            return "broken parts as they come".to_owned();
        }
        if self.total() == 0 {
            return "healthy".to_owned();
        }
        let broken = self.counts.iter().zip(nouns).filter(|(count, _)| **count > 0);
        let words = broken.map(|(count, noun)| {
            // What it is, and where: `2 cables of tor_agg`.
            let (what, place) = noun.split_once(" of ").unwrap_or((noun, ""));
            let place = if place.is_empty() { String::new() } else { format!(" of {place}") };
            crate::study::text::plural(u64::from(*count), what) + &place
        });
        let words: Vec<String> = words.collect();
        let words = crate::study::text::list(&words);
        match self.placed {
            Placed::Together => words + " at one switch or host",
            Placed::Apart => words + " apart",
            _ => words,
        }
    }
}

impl Strata {
    /// The most probable, until those left out have less than `left_out` together.
    pub fn choose(classes: &[Class], rates: &[Rates], left_out: f64) -> Self {
        let healthy = Stratum::healthy(classes.len());
        let weight = |counts: &[u32]| {
            Stratum { counts: counts.to_vec(), placed: Placed::Any }.weight(classes, rates)
        };
        // Weights fall with the distance from the most probable counts: the next one is a neighbour
        // of those that are there.
        let mode = classes.iter().zip(rates).map(|(class, rates)| {
            let most = ((class.safe() as f64 + 1.0) * rates.broken()).floor();
            (most as u64).min(class.safe()) as u32
        });
        let mode: Vec<u32> = mode.collect();
        let mut open = vec![(weight(&mode), mode)];
        let mut taken: Vec<(f64, Vec<u32>)> = Vec::new();
        let mut sum = 0.0;
        while 1.0 - sum >= left_out && taken.len() <= MOST {
            let Some(best) = (0..open.len()).max_by(|a, b| {
                open[*a].0.total_cmp(&open[*b].0).then_with(|| open[*b].1.cmp(&open[*a].1))
            }) else {
                break;
            };
            let (own, counts) = open.swap_remove(best);
            sum += own;
            for class in 0..counts.len() {
                let up = u64::from(counts[class]) < classes[class].safe();
                let steps = [up.then_some(1_i64), (counts[class] > 0).then_some(-1)];
                for step in steps.into_iter().flatten() {
                    let mut next = counts.clone();
                    next[class] = (i64::from(next[class]) + step) as u32;
                    let known = taken.iter().chain(&open).any(|(_, other)| *other == next);
                    if !known && next != counts {
                        open.push((weight(&next), next));
                    }
                }
            }
            taken.push((own, counts));
        }
        if taken.len() > MOST {
            let all = Stratum { counts: Vec::new(), placed: Placed::AsTheyCome };
            return Self { list: vec![healthy, all], left_out: 0.0 };
        }
        let mut list = vec![healthy.clone()];
        for (own, counts) in taken {
            // What cannot be is not looked at.
            if counts == healthy.counts || own <= 0.0 {
                continue;
            }
            let any = Stratum { counts, placed: Placed::Any };
            let split = any.twice().map(|class| &classes[class]).is_some_and(|class| {
                class.together > 0 && (class.together as f64) < pairs(class.safe())
            });
            if split {
                list.push(Stratum { placed: Placed::Together, ..any.clone() });
                list.push(Stratum { placed: Placed::Apart, ..any });
            } else {
                list.push(any);
            }
        }
        let sum: f64 = list.iter().map(|own| own.weight(classes, rates)).sum();
        Self { list, left_out: (1.0 - sum).max(0.0) }
    }
}

/// How many pairs there are of so many.
fn pairs(n: u64) -> f64 {
    n as f64 * (n as f64 - 1.0) / 2.0
}

/// The probability that exactly `k` of `n` are broken, each with the chance `u`.
fn chance_of(n: u64, k: u64, u: f64) -> f64 {
    if k > n {
        return 0.0;
    }
    if u <= 0.0 || u >= 1.0 {
        return f64::from(u8::from(k == if u <= 0.0 { 0 } else { n }));
    }
    let ways: f64 = (0..k).map(|i| libm::log((n - i) as f64 / (i + 1) as f64)).sum();
    libm::exp(ways + k as f64 * libm::log(u) + (n - k) as f64 * libm::log1p(-u))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(parts: u64) -> Class {
        Class { parts, ..Class::default() }
    }

    fn rates(broken: f64) -> Rates {
        Rates { mtbf_s: 1.0 - broken, mttr_s: broken, ..Rates::default() }
    }

    #[test]
    fn weights_sum_to_one_and_without_the_rest_to_what_is_printed() {
        let classes = [class(16), Class { together: 4, ..class(5) }, class(3)];
        let rates = [rates(0.01), rates(0.2), rates(0.003)];
        let whole = Strata::choose(&classes, &rates, 0.0);
        // More strata than are drawn one by one.
        assert_eq!(whole.list.len(), 2);
        let sum =
            |own: &Strata| -> f64 { own.list.iter().map(|one| one.weight(&classes, &rates)).sum() };
        assert!((sum(&whole) - 1.0).abs() < 1e-12);
        let some = Strata::choose(&classes, &rates, 0.01);
        assert!(some.left_out < 0.01 && some.list.len() > 4);
        assert!((sum(&some) + some.left_out - 1.0).abs() < 1e-12);
        let all: f64 = (0..=16).map(|k| chance_of(16, k, 0.01)).sum();
        assert!((all - 1.0).abs() < 1e-12);
    }

    #[test]
    fn two_parts_have_four_terms_and_a_group_of_both_has_two() {
        let (classes, rates) = ([class(1), class(1)], [rates(0.1), rates(0.3)]);
        let own = Strata::choose(&classes, &rates, 0.0);
        let weights: Vec<f64> = own.list.iter().map(|one| one.weight(&classes, &rates)).collect();
        let mut by_hand = [0.9 * 0.7, 0.1 * 0.7, 0.9 * 0.3, 0.1 * 0.3];
        by_hand[1..].sort_by(|a: &f64, b| b.total_cmp(a));
        assert_eq!(weights.len(), 4);
        assert!(weights.iter().zip(by_hand).all(|(a, b)| (a - b).abs() < 1e-15), "{weights:?}");
        let group = Strata::choose(&classes[..1], &rates[..1], 0.0);
        assert_eq!(group.list.len(), 2);
    }

    #[test]
    fn the_number_of_strata_follows_the_mean_number_of_broken_parts() {
        let hours = |mtbf: f64, mttr: f64| Rates { mtbf_s: mtbf, mttr_s: mttr, ..Rates::default() };
        // 8,192 cables at 1.28e6 h and 24 h: .15 dead in the mean.
        let few = Strata::choose(&[class(8192)], &[hours(1.28e6, 24.0)], 0.005);
        assert_eq!(few.list.iter().map(Stratum::total).max(), Some(2));
        // 1 % a year for each optic and 48 h: .9 of 16,384.
        let more = Strata::choose(&[class(16_384)], &[hours(8766.0 / 0.01, 48.0)], 0.005);
        assert_eq!(more.list.iter().map(Stratum::total).max(), Some(4));
        let many = Strata::choose(&[class(262_144)], &[hours(8766.0 / 0.01, 48.0)], 0.005);
        assert!(many.list.len() <= 2 || many.list.len() > 5);
    }

    #[test]
    fn pairs_that_cut_are_counted_within_their_stratum() {
        // 4 hosts with 2 ports each: 28 pairs of cables, 4 of them at one host, all of which cut.
        let classes = [Class { parts: 8, critical: 0, together: 4 }];
        let rates = [rates(0.01)];
        let own = Strata::choose(&classes, &rates, 1e-4);
        let placed = |placed| own.list.iter().find(|one| one.placed == placed).unwrap();
        let (together, apart) = (placed(Placed::Together), placed(Placed::Apart));
        let both = together.weight(&classes, &rates) + apart.weight(&classes, &rates);
        assert!((both - chance_of(8, 2, 0.01)).abs() < 1e-15);
        assert!((together.weight(&classes, &rates) / both - 4.0 / 28.0).abs() < 1e-12);
        assert_eq!(together.cut_share(&classes, &[(0, 0, 4)]), 1.0);
        assert_eq!(apart.cut_share(&classes, &[(0, 0, 4)]), 0.0);
    }
}
