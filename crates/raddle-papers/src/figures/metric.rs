//! The numbers of a run that claims and pictures are about.

use super::memory;
use super::prepare::FigureRun;
use raddle::study::quantiles::Share;
use raddle::study::run::Finished;
use raddle::study::summary::SizeClass;
use raddle::study::text::{digits, short, time};
use std::collections::BTreeMap;

raddle_schemes::words! {
    /// A number of a run's summary.
    pub enum Metric {
        /// From the first flow's start to the last flow's end.
        Completion = "completion_us",
        /// The mean flow completion time.
        FctMean = "fct_mean_us",
        /// The 99th percentile of flow completion times.
        FctP99 = "fct_p99_us",
        /// The longest flow completion time, of the flows that ended.
        FctMax = "fct_max_us",
        /// From start to end of the flows of a background, [`Foreground`](Self::Foreground) of the
        /// others. Only where the two have different path selectors.
        Background = "background_us",
        /// From start to end of the flows before a background.
        Foreground = "foreground_us",
        /// Flows that did not end: times of flows are those of the others.
        Unfinished = "unfinished",
        /// Data packets lost, whatever the cause.
        Dropped = "dropped",
        /// Data packets marked by switches.
        Marked = "marked",
        /// Data packets trimmed.
        Trimmed = "trimmed",
        /// Data packets sent again.
        Retransmitted = "retransmitted",
        /// The most data packets that one host sent again to one other.
        RetransmittedPairMax = "retransmitted_pair_max",
        /// Retransmission timeouts.
        Timeouts = "timeouts",
        /// The most bytes of one data class at any switch port.
        QueueMax = "queue_bytes_max",
        /// The mean of slowdowns.
        SlowdownMean = "slowdown_mean",
        /// The median of slowdowns.
        SlowdownP50 = "slowdown_p50",
        /// The 95th percentile of slowdowns.
        SlowdownP95 = "slowdown_p95",
        /// The 99th percentile of slowdowns.
        SlowdownP99 = "slowdown_p99",
        /// The 99.9th percentile of slowdowns.
        SlowdownP99_9 = "slowdown_p99_9",
        /// The 99.9th percentile of flow completion times.
        FctP99_9 = "fct_p99_9_us",
        /// The mean of slowdowns of short flows.
        ShortSlowdownMean = "short_slowdown_mean",
        /// The median of slowdowns of short flows.
        ShortSlowdownP50 = "short_slowdown_p50",
        /// The 95th percentile of slowdowns of short flows.
        ShortSlowdownP95 = "short_slowdown_p95",
        /// The 99th percentile of slowdowns of short flows.
        ShortSlowdownP99 = "short_slowdown_p99",
        /// The 99.9th percentile of slowdowns of short flows.
        ShortSlowdownP99_9 = "short_slowdown_p99_9",
        /// The 99th percentile of flow completion times of short flows.
        ShortFctP99 = "short_fct_p99_us",
        /// The 99.9th percentile of flow completion times of short flows.
        ShortFctP99_9 = "short_fct_p99_9_us",
        /// The mean of slowdowns of medium flows.
        MediumSlowdownMean = "medium_slowdown_mean",
        /// The median of slowdowns of medium flows.
        MediumSlowdownP50 = "medium_slowdown_p50",
        /// The 95th percentile of slowdowns of medium flows.
        MediumSlowdownP95 = "medium_slowdown_p95",
        /// The 99th percentile of slowdowns of medium flows.
        MediumSlowdownP99 = "medium_slowdown_p99",
        /// The 99.9th percentile of slowdowns of medium flows.
        MediumSlowdownP99_9 = "medium_slowdown_p99_9",
        /// The 99th percentile of flow completion times of medium flows.
        MediumFctP99 = "medium_fct_p99_us",
        /// The 99.9th percentile of flow completion times of medium flows.
        MediumFctP99_9 = "medium_fct_p99_9_us",
        /// The mean of slowdowns of long flows.
        LongSlowdownMean = "long_slowdown_mean",
        /// The median of slowdowns of long flows.
        LongSlowdownP50 = "long_slowdown_p50",
        /// The 95th percentile of slowdowns of long flows.
        LongSlowdownP95 = "long_slowdown_p95",
        /// The 99th percentile of slowdowns of long flows.
        LongSlowdownP99 = "long_slowdown_p99",
        /// The 99.9th percentile of slowdowns of long flows.
        LongSlowdownP99_9 = "long_slowdown_p99_9",
        /// The 99th percentile of flow completion times of long flows.
        LongFctP99 = "long_fct_p99_us",
        /// The 99.9th percentile of flow completion times of long flows.
        LongFctP99_9 = "long_fct_p99_9_us",
        /// The median of what a switch holds, by [`held`](super::memory::held).
        MemoryP50 = "memory_p50_bytes",
        /// The 95th percentile of it.
        MemoryP95 = "memory_p95_bytes",
        /// The 99th percentile of it.
        MemoryP99 = "memory_p99_bytes",
        /// The 99.9th percentile of it.
        MemoryP99_9 = "memory_p99_9_bytes",
    }
}

/// A metric that is a distribution's over flows of some sizes: `short_fct_p99_9_us`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BySize {
    class: SizeClass,
    is_slowdown: bool,
    /// The mean, if it is no percentile.
    share: Option<Share>,
}

impl BySize {
    fn of(self, run: &FigureRun) -> Option<f64> {
        let summary = &run.finished.summary;
        let own = if self.is_slowdown { &summary.slowdown } else { &summary.fct_by_size_us };
        let own = own.of_class(self.class)?;
        match self.share {
            None => Some(own.mean),
            Some(share) => Some(own.at(share)?.value),
        }
    }

    fn title(self) -> String {
        let share = self.share.map_or("Mean".to_owned(), |share| share.text().to_owned());
        let what = if self.is_slowdown { "slowdown" } else { "flow completion time" };
        match self.class {
            SizeClass::All => format!("{share} {what}"),
            class => format!("{share} {what} of {} flows", class.word()),
        }
    }
}

impl Metric {
    /// What it is of which flows, for those metrics that not every record keeps.
    fn by_size(self) -> Option<BySize> {
        if matches!(self, Self::FctMean | Self::FctP99 | Self::FctMax) {
            return None;
        }
        let word = self.word();
        let classes = SizeClass::ALL[1..].iter();
        let mut named = classes.filter_map(|&c| Some((c, word.strip_prefix(c.word())?)));
        let (class, rest) = named
            .next()
            .map_or((SizeClass::All, word), |(c, rest)| (c, rest.trim_start_matches('_')));
        let slowdown = rest.strip_prefix("slowdown_");
        let share = slowdown.or_else(|| rest.strip_prefix("fct_")?.strip_suffix("_us"))?;
        let share = Share::ALL.iter().copied().find(|own| own.word() == share);
        Some(BySize { class, is_slowdown: slowdown.is_some(), share })
    }

    /// Which percentile of what switches hold it is, if it is one.
    fn held(self) -> Option<Share> {
        let word = self.word().strip_prefix("memory_")?.strip_suffix("_bytes")?;
        Share::ALL.iter().copied().find(|share| share.word() == word)
    }

    /// Whether every record of a figure keeps it, drawn or not.
    pub(super) fn is_always_kept(self) -> bool {
        let has_come_later = matches!(self, Self::FctMax | Self::RetransmittedPairMax);
        self.by_size().is_none() && self.held().is_none() && !has_come_later
    }

    pub(super) fn of(self, run: &FigureRun) -> Option<f64> {
        if let Some(by_size) = self.by_size() {
            return by_size.of(run);
        }
        if let Some(share) = self.held() {
            return memory::held(run, share);
        }
        let summary = &run.finished.summary;
        let packets = &summary.packets;
        let mut parts = summary.jobs.iter().filter(|job| job.load_balance.is_some());
        let count = match self {
            Self::Completion => return summary.completion_us,
            Self::FctMean => return summary.fct_us.mean,
            Self::FctP99 => return summary.fct_us.p99,
            Self::FctMax => return summary.fct_us.max,
            Self::Background => return parts.next_back()?.completion_us,
            Self::Foreground => return parts.next()?.completion_us,
            Self::Unfinished => summary.unfinished,
            Self::Dropped => packets.dropped.iter().sum(),
            Self::Marked => packets.marked,
            Self::Trimmed => packets.trimmed,
            Self::Retransmitted => packets.retransmitted,
            Self::RetransmittedPairMax => retransmitted_pair_max(run),
            Self::Timeouts => summary.timeouts,
            Self::QueueMax => summary.queue_bytes_max,
            _ => return None,
        };
        Some(count as f64)
    }

    /// What it is, as a heading.
    pub(super) fn title(self) -> String {
        if let Some(by_size) = self.by_size() {
            return by_size.title();
        }
        if let Some(share) = self.held() {
            return format!("{} of the data that a switch holds", share.text());
        }
        let title = match self {
            Self::Completion => "Completion of all flows",
            Self::FctMean => "Mean flow completion time",
            Self::FctP99 => "99th percentile of flow completion times",
            Self::FctMax => "Longest flow completion time",
            Self::Background => "Completion of the background",
            Self::Foreground => "Completion of the foreground",
            Self::Unfinished => "Flows that did not end",
            Self::Dropped => "Packets dropped",
            Self::Marked => "Packets marked",
            Self::Trimmed => "Packets trimmed",
            Self::Retransmitted => "Packets retransmitted",
            Self::RetransmittedPairMax => {
                "Packets retransmitted from one host to one other, at most"
            }
            Self::Timeouts => "Timeouts",
            Self::QueueMax => "Longest queue of any switch port",
            _ => self.word(),
        };
        title.to_owned()
    }

    /// Whether it is a time, which a run that does not complete may lack.
    pub(super) fn is_time(self) -> bool {
        self.word().ends_with("_us")
    }

    /// Whether a run that does not complete may lack it, or have it of some flows alone.
    pub(super) fn needs_completion(self) -> bool {
        self.is_time() || !self.is_always_kept()
    }

    /// A value with its unit.
    pub(super) fn shown(self, value: f64) -> String {
        match self {
            _ if self.is_time() => time(value),
            _ if self.held().is_some() => format!("{}B", short(value)),
            _ if !self.is_always_kept() => digits(value, 3),
            Self::QueueMax => format!("{}B", short(value)),
            _ => short(value),
        }
    }
}

/// A queue pair is a host and one other, whatever the number of its messages.
fn retransmitted_pair_max(run: &FigureRun) -> u64 {
    let Finished { plan, outcome, .. } = &run.finished;
    let mut pairs = BTreeMap::<_, u64>::new();
    for (flow, record) in plan.traffic.flows.iter().zip(outcome.flows.iter()) {
        if record.retransmitted > 0 {
            *pairs.entry((flow.source, flow.destination)).or_default() += record.retransmitted;
        }
    }
    pairs.into_values().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_by_size_say_what_they_are_of() {
        let of = |metric: Metric| metric.by_size().unwrap();
        let expected = |class, is_slowdown, share| BySize { class, is_slowdown, share };
        assert_eq!(of(Metric::SlowdownMean), expected(SizeClass::All, true, None));
        let p99_9 = Some(Share::P99_9);
        assert_eq!(of(Metric::FctP99_9), expected(SizeClass::All, false, p99_9));
        assert_eq!(of(Metric::ShortFctP99_9), expected(SizeClass::Short, false, p99_9));
        let p95 = Some(Share::P95);
        assert_eq!(of(Metric::MediumSlowdownP95), expected(SizeClass::Medium, true, p95));
        assert_eq!(Metric::LongFctP99.title(), "p99 flow completion time of long flows");
        assert_eq!(Metric::SlowdownP99_9.title(), "p99.9 slowdown");
        assert_eq!(Metric::MemoryP99_9.held(), Some(Share::P99_9));
        assert_eq!(Metric::MemoryP50.title(), "p50 of the data that a switch holds");
        // What a record keeps of every run has not changed.
        let kept = Metric::ALL.iter().filter(|metric| metric.is_always_kept());
        assert_eq!(kept.count(), 12);
        let unnamed = Metric::ALL.iter().filter_map(|metric| Some((metric, metric.by_size()?)));
        for (metric, by_size) in unnamed {
            assert!(by_size.share.is_some() || metric.word().ends_with("mean"), "{metric:?}");
        }
    }
}
