//! The discounting rate estimator: bytes sent, of which a share is forgotten at each step, so that what
//! is left is the rate times the time constant (CONGA, section 3.2).

use super::Config;
use crate::units::{Bytes, Rate, Span, Time};
use serde::Serialize;

/// A link's register.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Dre {
    bytes: f64,
    /// How many steps have been taken.
    steps: u64,
}

/// What all registers of a switch have in common.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Scale {
    step: u64,
    kept: f64,
    time_constant: Span,
    levels: u16,
}

impl Scale {
    pub(super) fn new(config: &Config) -> Self {
        let step = (config.time_constant.0 as f64 * config.alpha) as u64;
        Self {
            step: step.max(1),
            kept: 1.0 - config.alpha,
            time_constant: config.time_constant,
            levels: 1 << config.bits,
        }
    }

    /// The register at `now`: steps are taken at multiples of their length.
    fn at(&self, link: &Dre, now: Time) -> Dre {
        let steps = now.0 / self.step;
        let mut bytes = link.bytes;
        for _ in link.steps..steps {
            if bytes < 1.0 {
                bytes = 0.0;
                break;
            }
            bytes *= self.kept;
        }
        Dre { bytes, steps }
    }

    /// A packet goes there.
    pub(super) fn add(&self, link: &mut Dre, now: Time, size: Bytes) {
        *link = self.at(link, now);
        link.bytes += size.0 as f64;
    }

    /// Its load in steps of `2^-bits` of the link's rate, rounded down; the highest step has no top.
    pub(super) fn metric(&self, link: &Dre, now: Time, rate: Rate) -> u8 {
        let full = rate.bytes_in(self.time_constant).0.max(1) as f64;
        let level = self.at(link, now).bytes / full * f64::from(self.levels);
        level.min(f64::from(self.levels - 1)) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 Gbit/s for 160 us are 2 MB, an eighth of that 250 kB; a step is 32 us.
    #[test]
    fn it_counts_in_eighths_and_forgets_a_fifth_at_each_step() {
        let scale = Scale::new(&Config::default());
        let (mut link, rate) = (Dre::default(), Rate::gbps(100));
        let at = |us| Time::ZERO + Span::us(us);
        let metric = |link: &Dre, us| scale.metric(link, at(us), rate);
        scale.add(&mut link, at(0), Bytes(249_999));
        assert_eq!(metric(&link, 0), 0);
        scale.add(&mut link, at(1), Bytes(1));
        assert_eq!(metric(&link, 31), 1);
        assert_eq!(metric(&link, 32), 0);
        // What is left of 200 kB and 1.8 MB is 8 eighths: the most that it can say is 7.
        scale.add(&mut link, at(33), Bytes(1_800_000));
        assert_eq!(metric(&link, 63), 7);
        // 1.6 MB, 1.28 MB, 1.024 MB, 819.2 kB: 6.4, 5.12, 4.096 and 3.28 eighths.
        assert_eq!([64, 96, 128, 160].map(|us| metric(&link, us)), [6, 5, 4, 3]);
        assert_eq!(metric(&link, 5_000), 0);
    }

    /// Sent at the full rate, the register settles at the rate times the time constant, give or take
    /// the last step.
    #[test]
    fn a_full_link_reads_as_full() {
        let scale = Scale::new(&Config::default());
        let mut link = Dre::default();
        for us in 0..3_000 {
            scale.add(&mut link, Time::ZERO + Span::us(us), Bytes(12_500));
        }
        assert!((1.6e6..=2.0e6).contains(&link.bytes), "{}", link.bytes);
    }
}
