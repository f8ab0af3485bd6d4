//! What hosts do between messages: they compute, and some of them take longer than others.

use raddle_schemes::ids::HostId;
use raddle_schemes::rng::{Rng, stream};
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::units::Span;
use std::collections::BTreeMap;

/// How long hosts compute before a step: from the instant at which all that the step waits for has
/// come until its first message is sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compute {
    /// What every host takes.
    pub time: Span,
    /// What some take longer.
    pub straggler: Option<Straggler>,
}

/// Hosts, or steps of hosts, that take longer.
#[derive(Clone, Debug, PartialEq)]
pub struct Straggler {
    /// What is drawn for.
    pub per: Per,
    /// How many straggle, in percent, over 0 and at most 100: so many of the hosts, rounded to whole
    /// ones and drawn; or each step with this probability.
    pub percent: f64,
    /// By how much.
    pub extra: Extra,
}

raddle_schemes::words! {
    /// What extra time is drawn for.
    pub enum Per {
        /// Each host once, for all of its steps.
        Host = "host",
        /// Each step of each host anew.
        Step = "step",
    }
}

/// The distribution of extra time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Extra {
    /// Always this.
    Constant(Span),
    /// Exponential with this mean.
    Exponential(Span),
    /// A lognormal: its logarithm is normal.
    Lognormal {
        /// Half of the draws are below this.
        median: Span,
        /// Standard deviation of the logarithm.
        sigma: f64,
    },
}

impl Extra {
    fn draw(self, rng: &mut Rng) -> Span {
        let picoseconds = match self {
            Self::Constant(span) => return span,
            Self::Exponential(mean) => rng.exponential(mean.0 as f64),
            Self::Lognormal { median, sigma } => {
                median.0 as f64 * libm::exp(sigma * standard_normal(rng))
            }
        };
        Span(picoseconds.round() as u64)
    }

    fn is_random(self) -> bool {
        !matches!(self, Self::Constant(_))
    }
}

/// A draw from the normal distribution of mean 0 and variance 1 (Box and Muller 1958).
fn standard_normal(rng: &mut Rng) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - rng.unit()));
    radius * libm::cos(2.0 * std::f64::consts::PI * rng.unit())
}

impl Compute {
    /// Whether a seed makes a difference.
    pub fn draws(&self) -> bool {
        self.straggler.as_ref().is_some_and(|own| own.percent < 100.0 || own.extra.is_random())
    }

    /// What `seed` makes of it for these hosts.
    pub fn draw(&self, hosts: &[HostId], seed: u64) -> ComputeTimes {
        let mut of_hosts = BTreeMap::new();
        if let Some(Straggler { per: Per::Host, percent, extra }) = self.straggler {
            let mut drawn = hosts.to_vec();
            Rng::new(seed, "stragglers", 0).shuffle(&mut drawn);
            drawn.truncate((percent / 100.0 * hosts.len() as f64).round() as usize);
            of_hosts.extend(drawn.into_iter().map(|host| {
                (host, extra.draw(&mut Rng::new(seed, "straggler", u64::from(host.0))))
            }));
        }
        ComputeTimes { compute: self.clone(), of_hosts, seed }
    }
}

/// Compute times as they are drawn: the same whatever is asked first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComputeTimes {
    compute: Compute,
    /// The extra time of the hosts that straggle.
    of_hosts: BTreeMap<HostId, Span>,
    seed: u64,
}

impl ComputeTimes {
    /// How long a host computes before one of its steps, which are numbered from 0. No longer than
    /// a run can last.
    pub fn before(&self, host: HostId, step: u32) -> Span {
        let extra = match self.compute.straggler {
            None => Span::ZERO,
            Some(Straggler { per: Per::Host, .. }) => {
                self.of_hosts.get(&host).copied().unwrap_or_default()
            }
            Some(Straggler { per: Per::Step, percent, extra }) => {
                let own = stream(self.seed, "straggler", u64::from(host.0));
                let mut rng = Rng::new(own, "step", u64::from(step));
                if rng.unit() < percent / 100.0 { extra.draw(&mut rng) } else { Span::ZERO }
            }
        };
        Span(self.compute.time.0.saturating_add(extra.0).min(TIME_LIMIT.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Span = Span::us(20);

    fn times(per: Per, percent: f64, extra: Extra, seed: u64) -> ComputeTimes {
        let hosts: Vec<HostId> = (0..1_000).map(HostId).collect();
        Compute { time: TIME, straggler: Some(Straggler { per, percent, extra }) }
            .draw(&hosts, seed)
    }

    fn extras(times: &ComputeTimes, step: u32) -> Vec<u64> {
        (0..1_000).map(|host| times.before(HostId(host), step).0 - TIME.0).collect()
    }

    #[test]
    fn without_stragglers_every_step_takes_its_time() {
        let plain = Compute { time: TIME, straggler: None };
        assert_eq!(plain.draw(&[HostId(3)], 1).before(HostId(3), 9), TIME);
        assert_eq!(ComputeTimes::default().before(HostId(3), 9), Span::ZERO);
        assert!(!plain.draws());
    }

    #[test]
    fn a_share_of_the_hosts_straggles_in_all_steps() {
        let own = times(Per::Host, 10.0, Extra::Constant(Span::us(5)), 1);
        let first = extras(&own, 0);
        assert_eq!(first.iter().filter(|&&extra| extra == 5_000_000).count(), 100);
        assert_eq!(first.iter().filter(|&&extra| extra == 0).count(), 900);
        assert_eq!(extras(&own, 7), first);
        assert_ne!(extras(&times(Per::Host, 10.0, Extra::Constant(Span::us(5)), 2), 0), first);
    }

    #[test]
    fn steps_straggle_independently() {
        let own = times(Per::Step, 25.0, Extra::Constant(Span::us(5)), 1);
        let (first, second) = (extras(&own, 0), extras(&own, 1));
        assert_ne!(first, second);
        let late = |extras: &[u64]| extras.iter().filter(|&&extra| extra > 0).count();
        assert!((200..300).contains(&late(&first)) && (200..300).contains(&late(&second)));
        let both = first.iter().zip(&second).filter(|(a, b)| **a > 0 && **b > 0).count();
        assert!((40..90).contains(&both), "{both}");
    }

    #[test]
    fn distributions_have_their_means_and_medians() {
        let mean = |extras: &[u64]| extras.iter().sum::<u64>() as f64 / 1e3;
        let many = |extra| -> Vec<u64> {
            let own = times(Per::Step, 100.0, extra, 3);
            (0..40).flat_map(|step| extras(&own, step)).collect()
        };
        let exponential = many(Extra::Exponential(Span::ns(100)));
        assert!((98.0..102.0).contains(&(mean(&exponential) / 40.0 / 1e3)));
        let mut lognormal = many(Extra::Lognormal { median: Span::ns(100), sigma: 0.5 });
        // The mean of a lognormal is its median times exp(sigma^2 / 2).
        let expected = 100.0 * libm::exp(0.125);
        assert!((0.98..1.02).contains(&(mean(&lognormal) / 40.0 / 1e3 / expected)));
        lognormal.sort_unstable();
        assert!((98_000..102_000).contains(&lognormal[20_000]));
        let longest = times(Per::Host, 100.0, Extra::Constant(Span(u64::MAX)), 1);
        assert_eq!(longest.before(HostId(0), 0), Span(TIME_LIMIT.0));
    }
}
