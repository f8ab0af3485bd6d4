//! The numbers of a run that claims and pictures are about.

use super::prepare::FigureRun;
use raddle::study::run::Finished;
use raddle::study::text::{short, time};
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
    }
}

impl Metric {
    pub(super) fn of(self, run: &FigureRun) -> Option<f64> {
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
        };
        Some(count as f64)
    }

    /// What it is, as a heading.
    pub(super) fn title(self) -> &'static str {
        match self {
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
        }
    }

    /// Whether it is a time, which a run that does not complete may lack.
    pub(super) fn is_time(self) -> bool {
        self.word().ends_with("_us")
    }

    /// A value with its unit.
    pub(super) fn shown(self, value: f64) -> String {
        match self {
            _ if self.is_time() => time(value),
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
