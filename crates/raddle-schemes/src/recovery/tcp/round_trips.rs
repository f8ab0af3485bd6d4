//! Round trips and the timeout that follows from them: RFC 6298, section 2.

use crate::recovery::RoundTrips;
use crate::units::Span;

impl RoundTrips {
    /// After one more sample: alpha is 1/8, beta 1/4.
    pub(super) fn after(before: Option<Self>, rtt: Span) -> Self {
        let Some(Self { smoothed, deviation, least }) = before else {
            return Self { smoothed: rtt, deviation: Span(rtt.0 / 2), least: rtt };
        };
        let off = smoothed.0.abs_diff(rtt.0);
        Self {
            smoothed: Span(smoothed.0 - smoothed.0 / 8 + rtt.0 / 8),
            deviation: Span(deviation.0 - deviation.0 / 4 + off / 4),
            least: least.min(rtt),
        }
    }

    /// SRTT + 4 RTTVAR.
    pub(super) fn timeout(&self) -> Span {
        Span(self.smoothed.0.saturating_add(self.deviation.0.saturating_mul(4)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 100 us first: deviation 50, timeout 300. Then 140: deviation 37.5 + 10, smoothed
    /// 87.5 + 17.5, timeout 105 + 190.
    #[test]
    fn the_timeout_is_the_smoothed_round_trip_and_four_deviations() {
        let first = RoundTrips::after(None, Span::us(100));
        assert_eq!((first.deviation, first.timeout()), (Span::us(50), Span::us(300)));
        let second = RoundTrips::after(Some(first), Span::us(140));
        let expected = RoundTrips {
            smoothed: Span::us(105),
            deviation: Span::ns(47_500),
            least: Span::us(100),
        };
        assert_eq!((second, second.timeout()), (expected, Span::us(295)));
    }
}
