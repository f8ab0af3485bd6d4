//! A port's watchdog over the pauses that it obeys.

use crate::plan::Watchdog;
use raddle_schemes::units::{Span, Time};

/// What a port has been told about one of its classes: a time in which it was to pause without a break.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Storm {
    /// When that began.
    since: Time,
    /// Until when it lasts, as far as it was told.
    until: Time,
}

/// What comes of a PFC frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Obeyed {
    /// When the class may start frames again.
    pub until: Time,
    /// Whether the frame asked for a pause, and the watchdog does not heed it.
    pub ignored: bool,
}

impl Storm {
    /// The far end asks at `now` for a pause of this long, or for none.
    pub(crate) fn on_pfc(&mut self, watchdog: Watchdog, now: Time, pause: Option<Span>) -> Obeyed {
        let Some(quanta) = pause else {
            self.until = self.until.min(now);
            return Obeyed { until: now, ignored: false };
        };
        let bites_at = self.since + watchdog.detection;
        let bitten = self.until.min(now) >= bites_at;
        let quiet = if bitten { watchdog.restoration } else { Span::ZERO };
        if now > self.until + quiet {
            self.since = now;
        }
        self.until = now + quanta;
        let bites_at = self.since + watchdog.detection;
        Obeyed { until: self.until.min(bites_at).max(now), ignored: now >= bites_at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a watchdog that waits for 10 and wants 4 of quiet; pauses last 3.
    fn told(news: &[(u64, bool)]) -> Vec<(u64, bool)> {
        let watchdog = Watchdog { detection: Span(10), restoration: Span(4) };
        let mut storm = Storm::default();
        let one = |&(at, pause): &(u64, bool)| {
            let obeyed = storm.on_pfc(watchdog, Time(at), pause.then_some(Span(3)));
            (obeyed.until.0, obeyed.ignored)
        };
        news.iter().map(one).collect()
    }

    #[test]
    fn a_pause_without_a_break_is_obeyed_until_the_watchdog_bites() {
        let renewed: Vec<(u64, bool)> = (0..6).map(|i| (100 + 2 * i, true)).collect();
        let obeyed =
            [(103, false), (105, false), (107, false), (109, false), (110, false), (110, true)];
        assert_eq!(told(&renewed), obeyed);
    }

    #[test]
    fn a_break_begins_anew() {
        let news = [(100, true), (102, true), (103, false), (108, true), (110, true), (113, true)];
        let obeyed =
            [(103, false), (105, false), (103, false), (111, false), (113, false), (116, false)];
        assert_eq!(told(&news), obeyed);
    }

    #[test]
    fn once_it_has_bitten_pauses_are_obeyed_again_after_a_time_of_quiet() {
        let bitten =
            [(100, true), (103, true), (106, true), (109, true), (111, true), (112, false)];
        let after = |at| {
            let news = [&bitten[..], &[(at, true)]].concat();
            told(&news)[6]
        };
        assert_eq!(after(116), (116, true));
        assert_eq!(after(117), (120, false));
    }
}
