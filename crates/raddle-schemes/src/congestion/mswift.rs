//! MSwift: Swift for sprayed packets.
//!
//! One slow path among many must not close the window of all: each ACK brings the median of the
//! recent round trips instead of its own, and a gap in the arrivals is no loss yet. Load-balancing
//! study's spec, section 3.2, which leaves the details to Gerstein et al.
//!
//! Reading:
//! - Recent are the round trips of the last median round trip, at most as many as the window has
//!   packets. Of an even number the median is the mean of the middle two.
//! - The lazy reaction to duplicate ACKs (LTCP) is that a packet which others overtook is sent
//!   again, as the recovery wants, but costs no window; a NACK or a timeout does. Where queues
//!   drop and packets keep to few paths, that is too lazy: there a gap is a loss, and
//!   `gaps_are_losses` makes it one.

use super::swift::{self, Swift};
use super::{Ack, CongestionControl, Limits, Loss, LossCause};
use crate::probe::Probes;
use crate::units::{Span, Time};
use crate::{Card, Cx, FlowContext};
use alloc::boxed::Box;
use alloc::vec;
use serde::Serialize;

/// What `raddle schemes mswift` says.
pub const CARD: Card = Card {
    name: "mswift",
    title: "MSwift, Swift for sprayed packets",
    paper: "Gerstein et al., arXiv:2509.07907 (2025), tuned as in Load balancing for AI training \
            (OFAN), appendix H",
    needs: &[],
    summary: "Swift steered by the median of recent round trips, unmoved by reordering. For \
              schemes that spray packets over unequal paths.",
};

/// The most round trips that are remembered.
const MOST: u32 = 65_536;

crate::parameters! {
    /// Parameters of MSwift: Swift's, and how much is remembered.
    pub struct Config with swift: swift::Config {
        /// Whether a packet that others overtook counts as lost, as in Swift.
        pub gaps_are_losses: bool = false;
        /// The most round trips the median is taken of; `auto` is the initial window in packets.
        pub samples: Option<u32> = None, in 1..=MOST;
    }
}

/// One flow's window and its recent round trips.
#[derive(Clone, Debug, Serialize)]
pub struct Mswift {
    swift: Swift,
    gaps_are_losses: bool,
    recent: Recent,
}

impl Mswift {
    /// Swift at its start, with no round trips.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let swift = Swift::new(&config.swift, context);
        let samples = config.samples.unwrap_or((swift.packets() as u32).clamp(1, MOST));
        let gaps_are_losses = config.gaps_are_losses;
        Self { swift, gaps_are_losses, recent: Recent::of(samples as usize) }
    }
}

impl CongestionControl for Mswift {
    fn probes(&self, to: &mut dyn Probes) {
        self.swift.probes(to);
        to.count("samples", self.recent.len as u64);
    }

    fn on_ack(&mut self, cx: &mut Cx<'_>, ack: &Ack) {
        let Some(rtt) = ack.rtt else { return };
        let oldest = Time(cx.now.0.saturating_sub(self.swift.delay().0));
        let most = (self.swift.packets() as usize).max(1);
        let median = self.recent.median_with(cx.now, rtt, oldest, most);
        self.swift.on_delay(cx.now, median, ack);
    }

    fn on_loss(&mut self, cx: &mut Cx<'_>, loss: &Loss) {
        let certain = matches!(loss.cause, LossCause::Trim | LossCause::Timeout);
        if self.gaps_are_losses || certain {
            self.swift.on_loss(cx, loss);
        }
    }

    fn limits(&self) -> Limits {
        self.swift.limits()
    }
}

/// Round trips in order of arrival, and sorted.
#[derive(Clone, Debug, Serialize)]
struct Recent {
    /// A ring: when each was heard of, and itself.
    ring: Box<[(Time, Span)]>,
    first: usize,
    len: usize,
    sorted: Box<[Span]>,
}

impl Recent {
    fn of(samples: usize) -> Self {
        Self {
            ring: vec![(Time::ZERO, Span::ZERO); samples].into_boxed_slice(),
            first: 0,
            len: 0,
            sorted: vec![Span::ZERO; samples].into_boxed_slice(),
        }
    }

    /// The median of this round trip and of those before that are not older than `oldest`, `most`
    /// in all.
    fn median_with(&mut self, now: Time, rtt: Span, oldest: Time, most: usize) -> Span {
        let most = most.min(self.ring.len());
        while self.len > 0 && (self.len >= most || self.ring[self.first].0 < oldest) {
            self.forget_first();
        }
        let last = (self.first + self.len) % self.ring.len();
        self.ring[last] = (now, rtt);
        let place = self.sorted[..self.len].partition_point(|sample| *sample < rtt);
        self.sorted.copy_within(place..self.len, place + 1);
        self.sorted[place] = rtt;
        self.len += 1;
        let (low, high) = (self.sorted[(self.len - 1) / 2], self.sorted[self.len / 2]);
        Span(low.0.midpoint(high.0))
    }

    fn forget_first(&mut self) {
        let rtt = self.ring[self.first].1;
        let place = self.sorted[..self.len].partition_point(|sample| *sample < rtt);
        self.sorted.copy_within(place + 1..self.len, place);
        self.first = (self.first + 1) % self.ring.len();
        self.len -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::swift::testing::{BASE_RTT, TARGET, ack, context, lose};
    use super::*;
    use crate::rng::Rng;
    use crate::size::Size;
    use std::collections::VecDeque;
    use std::vec::Vec;

    fn flow(gaps_are_losses: bool) -> Mswift {
        let initial_window = Some(Size::Packets(100.0));
        let scaling_range = 0.0;
        let swift = swift::Config { initial_window, scaling_range, ..Default::default() };
        let config = Config { swift, gaps_are_losses, ..Config::default() };
        Mswift::new(&config, &context())
    }

    #[test]
    fn fewer_than_half_of_the_paths_being_slow_do_not_close_the_window() {
        let slow = Span(5 * TARGET.0);
        let (mut spread, mut swift) = (flow(false), flow(false).swift);
        for i in 0..100 {
            let rtt = if i % 5 < 3 { BASE_RTT } else { slow };
            let now = Time(TARGET.0 * 10 + i * 40_000);
            ack(&mut spread, now, Some(rtt));
            ack(&mut swift, now, Some(rtt));
        }
        assert!(spread.swift.packets() > 100.9, "{}", spread.swift.packets());
        assert!(swift.packets() < 52.0, "{}", swift.packets());
        for i in 100..160 {
            ack(&mut spread, Time(TARGET.0 * 10 + i * 40_000), Some(slow));
        }
        assert!(spread.swift.packets() < 60.0, "now most are slow");
    }

    #[test]
    fn a_packet_that_was_overtaken_costs_no_window() {
        let mut flow = flow(false);
        lose(&mut flow, Time::ZERO, LossCause::Reordering);
        assert_eq!(flow.swift.packets(), 100.0);
        lose(&mut flow, Time::ZERO, LossCause::Trim);
        assert_eq!(flow.swift.packets(), 50.0);
        lose(&mut flow, Time::ZERO + Span::us(50), LossCause::Timeout);
        assert_eq!(flow.swift.packets(), 25.0);
    }

    #[test]
    fn a_gap_costs_window_where_it_is_said_to_be_a_loss() {
        let mut flow = flow(true);
        lose(&mut flow, Time::ZERO, LossCause::Reordering);
        assert_eq!(flow.swift.packets(), 50.0);
    }

    #[test]
    fn round_trips_count_for_a_round_trip_and_for_a_window() {
        let medians = |samples: usize, heard: &[(u64, u64)], oldest: u64, most: usize| {
            let mut recent = Recent::of(samples);
            let add = |&(now, rtt): &(u64, u64)| {
                let oldest = Time(now.saturating_sub(oldest));
                recent.median_with(Time(now), Span(rtt), oldest, most).0
            };
            heard.iter().map(add).collect::<Vec<_>>()
        };
        let heard = [(0, 10), (1, 30), (2, 20), (3, 90), (4, 80)];
        assert_eq!(medians(9, &heard, 100, 9), [10, 20, 20, 25, 30]);
        assert_eq!(medians(9, &heard, 2, 9), [10, 20, 20, 30, 80], "not older than 2");
        assert_eq!(medians(9, &heard, 100, 2), [10, 20, 25, 55, 85], "2 at most");
        assert_eq!(medians(2, &heard, 100, 9), [10, 20, 25, 55, 85], "room for 2");
        assert_eq!(medians(1, &heard, 100, 9), [10, 30, 20, 90, 80]);
    }

    #[test]
    fn the_median_is_that_of_a_sorted_list() {
        let mut rng = Rng::new(1, "test", 0);
        let (mut recent, mut list) = (Recent::of(50), VecDeque::new());
        for now in 0..20_000 {
            let (rtt, most) = (rng.below(100), 1 + rng.below(60) as usize);
            let oldest = Time(u64::saturating_sub(now, rng.below(80)));
            while list.len() >= most.min(50) || list.front().is_some_and(|(at, _)| *at < oldest) {
                list.pop_front();
            }
            list.push_back((Time(now), rtt));
            let mut sorted: Vec<_> = list.iter().map(|(_, rtt)| *rtt).collect();
            sorted.sort_unstable();
            let median = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2;
            assert_eq!(recent.median_with(Time(now), Span(rtt), oldest, most), Span(median));
        }
    }
}
