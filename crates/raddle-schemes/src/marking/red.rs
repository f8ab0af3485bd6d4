//! RED marking: never below one threshold, always above another, linear between them.
//!
//! REPS spec, section 3: probability 0 below K_min, rising linearly to 1 at K_max. DCQCN (SIGCOMM
//! 2015, section 3.1) has it rise to P_max there, and jump to 1.

use super::{Marker, QueueState};
use crate::Card;
use crate::size::{Base, Size};
use crate::units::Bytes;

/// What `raddle schemes red` says.
pub const CARD: Card = Card {
    name: "red",
    title: "Random early detection, marking",
    paper: "Floyd and Jacobson, Random early detection gateways, ToN 1993",
    needs: &[],
    summary: "Marks data frames with a probability that rises from 0 at `low` to `most` at `high`, and \
              is 1 above.",
};

crate::parameters! {
    /// Parameters of RED.
    pub struct Config {
        /// Below this nothing is marked (K_min).
        pub low: Size = Size::Percent(20.0);
        /// Above this everything is marked (K_max).
        pub high: Size = Size::Percent(80.0);
        /// What the probability has risen to there (P_max).
        pub most: f64 = 1.0, in 0.0..=1.0 => quiet;
    }
}

/// The thresholds in bytes, and the most probability between them in units of 2^-32.
#[derive(Clone, Debug)]
pub struct Red {
    low: u64,
    high: u64,
    most: u32,
    /// Whether the most is 1, which its 32 bits do not hold.
    rises_to_one: bool,
}

impl Red {
    /// A marker with its thresholds resolved for one port.
    pub fn new(config: &Config, base: &Base) -> Self {
        Self {
            low: config.low.resolve(base).0,
            high: config.high.resolve(base).0,
            most: (config.most * (1_u64 << 32) as f64) as u32,
            rises_to_one: config.most >= 1.0,
        }
    }
}

impl Marker for Red {
    #[inline]
    fn mark(&self, queue: &QueueState) -> bool {
        let bytes = queue.bytes.0;
        if bytes <= self.low {
            return false;
        }
        if bytes >= self.high {
            return true;
        }
        // coin / 2^32 < most (bytes - low) / (high - low), without division.
        let coin = u128::from(queue.coin());
        let most = if self.rises_to_one { 1 << 32 } else { u128::from(self.most) };
        coin * u128::from(self.high - self.low) < u128::from(bytes - self.low) * most
    }

    fn never_below(&self) -> Bytes {
        Bytes(self.low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::size::UNLIMITED;

    #[test]
    fn probability_rises_linearly() {
        let base = Base { packet: Bytes(100), bdp: Bytes(1000), whole: Bytes(1_000_000) };
        let red = Red::new(&Config::default(), &base);
        let share = |bytes| {
            let marks = |event| red.mark(&QueueState { bytes: Bytes(bytes), stream: 9, event });
            (0..20_000).filter(|&event| marks(event)).count() as f64 / 20_000.0
        };
        assert_eq!(share(200_000), 0.0);
        assert_eq!(share(800_000), 1.0);
        for (bytes, expected) in [(350_000, 0.25), (500_000, 0.5), (650_000, 0.75)] {
            assert!((share(bytes) - expected).abs() < 0.015, "{bytes}");
        }
    }

    #[test]
    fn it_rises_to_the_most_and_jumps_to_one() {
        let base = Base { packet: Bytes(100), bdp: Bytes(1000), whole: Bytes(1_000_000) };
        let red = Red::new(&Config { most: 0.2, ..Config::default() }, &base);
        let share = |bytes| {
            let marks = |event| red.mark(&QueueState { bytes: Bytes(bytes), stream: 9, event });
            (0..20_000).filter(|&event| marks(event)).count() as f64 / 20_000.0
        };
        assert!((share(500_000) - 0.1).abs() < 0.01);
        assert!((share(799_999) - 0.2).abs() < 0.015);
        assert_eq!(share(800_000), 1.0);
    }

    #[test]
    fn thresholds_may_lie_anywhere() {
        let base = Base { packet: Bytes(100), bdp: Bytes(1000), whole: UNLIMITED };
        let config = Config { low: Size::Bytes(Bytes(1_000)), high: Size::Unlimited, most: 1.0 };
        let red = Red::new(&config, &base);
        let mark = |bytes| red.mark(&QueueState { bytes: Bytes(bytes), stream: 9, event: 7 });
        assert!(!mark(1 << 33));
        assert!(mark(UNLIMITED.0 - 1));
    }
}
