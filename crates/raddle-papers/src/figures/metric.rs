//! The numbers of a run that claims and pictures are about.

use super::run::FigureRun;
use raddle::study::quantiles::Share;
use raddle::study::run::Finished;
use raddle::study::summary::{BySize, JobSummary, SizeClass};
use raddle::study::text::{digits, short, time};
use raddle_schemes::family::{Parameter, ParameterError, Raw, quoted};
use std::collections::BTreeMap;

/// A number of a run's summary, or of one of its jobs: `dropped`, `requests.slowdown_p99`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    what: Word,
    /// The job, by the name that its traffic has; none for the whole run. Names are kept for as long
    /// as the program runs, as texts of figures are.
    job: Option<&'static str>,
}

raddle_schemes::words! {
    /// A number of a run's summary.
    pub enum Word {
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
        /// Data packets sent, again or not.
        Sent = "sent",
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
        /// The mean of flow completion times of short flows.
        ShortFctMean = "short_fct_mean_us",
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
        /// The mean of flow completion times of medium flows.
        MediumFctMean = "medium_fct_mean_us",
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
        /// The mean of flow completion times of long flows.
        LongFctMean = "long_fct_mean_us",
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
        /// The median of what a switch holds in lossless classes.
        LosslessP50 = "memory_lossless_p50_bytes",
        /// The 95th percentile of what a switch holds in lossless classes.
        LosslessP95 = "memory_lossless_p95_bytes",
        /// The 99th percentile of what a switch holds in lossless classes.
        LosslessP99 = "memory_lossless_p99_bytes",
        /// The 99.9th percentile of what a switch holds in lossless classes.
        LosslessP99_9 = "memory_lossless_p99_9_bytes",
        /// The median of what a switch holds in lossy classes.
        LossyP50 = "memory_lossy_p50_bytes",
        /// The 95th percentile of what a switch holds in lossy classes.
        LossyP95 = "memory_lossy_p95_bytes",
        /// The 99th percentile of what a switch holds in lossy classes.
        LossyP99 = "memory_lossy_p99_bytes",
        /// The 99.9th percentile of what a switch holds in lossy classes.
        LossyP99_9 = "memory_lossy_p99_9_bytes",
        /// What a step of a job of ranks takes, the median of several; the slowest job's.
        Step = "step_us",
        /// Where the interval by query of the 99th percentile of slowdowns begins.
        SlowdownP99Low = "slowdown_p99_low",
        /// Where it ends.
        SlowdownP99High = "slowdown_p99_high",
        /// Where that of short flows begins.
        ShortSlowdownP99Low = "short_slowdown_p99_low",
        /// Where it ends.
        ShortSlowdownP99High = "short_slowdown_p99_high",
        /// Of the queries, the share in which some flow had a timeout.
        TimedOut = "queries_timed_out",
        /// How often flow control paused a class.
        Pauses = "pauses",
        /// For how long in all.
        Paused = "paused_us",
        /// For how long ports had no credit for a full packet.
        WithoutCredit = "without_credit_us",
        /// What left recorded uplinks until the last flow began, over what they could have carried.
        Uplinks = "uplink_throughput",
        /// The same of recorded ports to hosts.
        Downlinks = "downlink_throughput",
        /// What left recorded lanes until the run's end, over what the circuits of the first schedule
        /// could have carried by them until then. `circuit_utilisation` of runs is of all lanes.
        Lanes = "lane_utilisation",
    }
}

/// A metric that is a distribution's over flows of some sizes: `short_fct_p99_9_us`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OfSizes {
    class: SizeClass,
    is_slowdown: bool,
    /// The mean, if it is no percentile.
    share: Option<Share>,
    end: End,
}

/// A value, or an end of its interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Value,
    Low,
    High,
}

impl OfSizes {
    fn of(self, own: &BySize) -> Option<f64> {
        let own = own.of_class(self.class)?;
        let Some(share) = self.share else { return Some(own.mean) };
        let quantile = own.at(share)?;
        Some(match self.end {
            End::Value => quantile.value,
            End::Low => quantile.low,
            End::High => quantile.high,
        })
    }

    fn title(self) -> String {
        let share = self.share.map_or("mean", |share| share.text());
        let what = if self.is_slowdown { "slowdown" } else { "flow completion time" };
        let end = match self.end {
            End::Value => "",
            End::Low => ", begin of its interval",
            End::High => ", end of its interval",
        };
        match self.class {
            SizeClass::All => format!("{share} {what}{end}"),
            class => format!("{share} {what} of {} flows{end}", class.word()),
        }
    }
}

/// Whose data a switch holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    All,
    Lossless,
    Lossy,
}

impl Word {
    /// What it is of which flows, for those metrics that not every record keeps.
    fn by_size(self) -> Option<OfSizes> {
        if matches!(self, Self::FctMean | Self::FctP99 | Self::FctMax) {
            return None;
        }
        let word = self.word();
        let classes = SizeClass::ALL[1..].iter();
        let mut named = classes.filter_map(|&c| Some((c, word.strip_prefix(c.word())?)));
        let (class, rest) = named
            .next()
            .map_or((SizeClass::All, word), |(c, rest)| (c, rest.trim_start_matches('_')));
        let (rest, end) = match (rest.strip_suffix("_low"), rest.strip_suffix("_high")) {
            (Some(rest), _) => (rest, End::Low),
            (_, Some(rest)) => (rest, End::High),
            _ => (rest, End::Value),
        };
        let slowdown = rest.strip_prefix("slowdown_");
        let share = slowdown.or_else(|| rest.strip_prefix("fct_")?.strip_suffix("_us"))?;
        let share = Share::ALL.iter().copied().find(|own| own.word() == share);
        Some(OfSizes { class, is_slowdown: slowdown.is_some(), share, end })
    }

    /// Which percentile of what switches hold it is, if it is one.
    fn held(self) -> Option<(Whose, Share)> {
        let word = self.word().strip_prefix("memory_")?.strip_suffix("_bytes")?;
        let (whose, word) = match (word.strip_prefix("lossless_"), word.strip_prefix("lossy_")) {
            (Some(word), _) => (Whose::Lossless, word),
            (_, Some(word)) => (Whose::Lossy, word),
            _ => (Whose::All, word),
        };
        let share = Share::ALL.iter().copied().find(|share| share.word() == word)?;
        Some((whose, share))
    }

    /// Whether jobs have it.
    fn is_of_jobs(self) -> bool {
        let is_told = matches!(
            self,
            Self::Completion
                | Self::FctMean
                | Self::FctP99
                | Self::FctMax
                | Self::Unfinished
                | Self::TimedOut
                | Self::Step
        );
        is_told || self.by_size().is_some_and(|own| own.is_slowdown)
    }

    /// Whether every record of a figure keeps it, drawn or not.
    fn is_always_kept(self) -> bool {
        let has_come_later = matches!(
            self,
            Self::FctMax
                | Self::Sent
                | Self::RetransmittedPairMax
                | Self::TimedOut
                | Self::Step
                | Self::Pauses
                | Self::Paused
                | Self::WithoutCredit
                | Self::Uplinks
                | Self::Downlinks
                | Self::Lanes
        );
        self.by_size().is_none() && self.held().is_none() && !has_come_later
    }

    fn of_job(self, job: &JobSummary) -> Option<f64> {
        if let Some(by_size) = self.by_size() {
            return by_size.of(&job.slowdown);
        }
        match self {
            Self::Completion => job.completion_us,
            Self::FctMean => job.fct_us.mean,
            Self::FctP99 => job.fct_us.p99,
            Self::FctMax => job.fct_us.max,
            Self::Unfinished => Some(job.unfinished as f64),
            Self::TimedOut => Some(job.timed_out),
            Self::Step => job.step_us(),
            _ => None,
        }
    }

    fn of(self, run: &FigureRun) -> Option<f64> {
        let summary = &run.finished.summary;
        if let Some(by_size) = self.by_size() {
            let own = by_size.is_slowdown;
            return by_size.of(if own { &summary.slowdown } else { &summary.fct_by_size_us });
        }
        if let Some((whose, share)) = self.held() {
            let memory = summary.memory?;
            let own = match whose {
                Whose::All => Some(memory.all),
                Whose::Lossless => memory.lossless,
                Whose::Lossy => memory.lossy,
            };
            return own.map(|own| own[share as usize]);
        }
        let packets = &summary.packets;
        let mut parts = summary.jobs.iter().filter(|job| job.load_balance.is_some());
        let count = match self {
            Self::Completion => return summary.completion_us,
            Self::FctMean => return summary.fct_us.mean,
            Self::FctP99 => return summary.fct_us.p99,
            Self::FctMax => return summary.fct_us.max,
            Self::Background => return parts.next_back()?.completion_us,
            Self::Foreground => return parts.next()?.completion_us,
            Self::TimedOut => return Some(summary.timed_out),
            Self::Step => {
                return summary.jobs.iter().filter_map(JobSummary::step_us).reduce(f64::max);
            }
            Self::Paused => return Some(summary.paused_us),
            Self::WithoutCredit => return Some(summary.without_credit_us),
            Self::Uplinks => return summary.uplinks,
            Self::Downlinks => return summary.downlinks,
            Self::Lanes => return lane_utilisation(run),
            Self::Unfinished => summary.unfinished,
            Self::Sent => packets.sent,
            Self::Dropped => packets.dropped.iter().sum(),
            Self::Marked => packets.marked,
            Self::Trimmed => packets.trimmed,
            Self::Retransmitted => packets.retransmitted,
            Self::RetransmittedPairMax => retransmitted_pair_max(run),
            Self::Timeouts => summary.timeouts,
            Self::QueueMax => summary.queue_bytes_max,
            Self::Pauses => summary.pauses,
            _ => return None,
        };
        Some(count as f64)
    }

    fn title(self) -> String {
        if let Some(by_size) = self.by_size() {
            return by_size.title();
        }
        if let Some((whose, share)) = self.held() {
            let whose = match whose {
                Whose::All => "",
                Whose::Lossless => "lossless ",
                Whose::Lossy => "lossy ",
            };
            return format!("{} of the {whose}data that a switch holds", share.text());
        }
        let title = match self {
            Self::Completion => "completion of all flows",
            Self::FctMean => "mean flow completion time",
            Self::FctP99 => "99th percentile of flow completion times",
            Self::FctMax => "longest flow completion time",
            Self::Background => "completion of the background",
            Self::Foreground => "completion of the foreground",
            Self::Unfinished => "flows that did not end",
            Self::Sent => "packets sent",
            Self::Dropped => "packets dropped",
            Self::Marked => "packets marked",
            Self::Trimmed => "packets trimmed",
            Self::Retransmitted => "packets retransmitted",
            Self::RetransmittedPairMax => {
                "packets retransmitted from one host to one other, at most"
            }
            Self::Timeouts => "timeouts",
            Self::QueueMax => "longest queue of any switch port",
            Self::TimedOut => "share of queries with a timeout",
            Self::Step => "time of a step",
            Self::Pauses => "pauses",
            Self::Paused => "paused time",
            Self::WithoutCredit => "time without credit",
            Self::Uplinks => "throughput of uplinks, of what they could carry",
            Self::Downlinks => "throughput of links to hosts, of what they could carry",
            Self::Lanes => "use of circuits, of what they could carry",
            _ => self.word(),
        };
        title.to_owned()
    }
}

impl Parameter for Metric {
    const KIND: &'static str = "word";

    fn read(raw: Raw<'_>) -> Result<Self, ParameterError> {
        let Raw::Text(text) = raw else { return Word::read(raw).map(Self::run) };
        let Some((job, word)) = text.rsplit_once('.') else {
            return Word::read(raw).map(Self::run);
        };
        let of_jobs = || Word::ALL.iter().filter(|word| word.is_of_jobs());
        match of_jobs().find(|own| own.word() == word) {
            Some(&what) => Ok(Self { what, job: Some(job.to_owned().leak()) }),
            None => {
                let words: Vec<&str> = of_jobs().map(|own| own.word()).collect();
                let words = words.join(", ");
                Err(ParameterError::Value(format!("of a job there are, behind `{job}.`: {words}")))
            }
        }
    }

    fn show(&self) -> String {
        quoted(&self.word())
    }
}

impl Metric {
    /// From time zero to the last flow's end.
    pub const COMPLETION: Self = Self::run(Word::Completion);
    /// The most bytes of one data class at any switch port.
    pub const QUEUE_MAX: Self = Self::run(Word::QueueMax);

    /// Of the whole run.
    pub const fn run(what: Word) -> Self {
        Self { what, job: None }
    }

    /// Every number of the whole run.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        Word::ALL.iter().map(|&what| Self::run(what))
    }

    /// The word of claims and results.
    pub fn word(self) -> String {
        let word = self.what.word();
        self.job.map_or_else(|| word.to_owned(), |job| format!("{job}.{word}"))
    }

    /// The job that it is of.
    pub(super) fn job(self) -> Option<&'static str> {
        self.job
    }

    /// Whether every record of a figure keeps it, drawn or not.
    pub(super) fn is_always_kept(self) -> bool {
        self.job.is_none() && self.what.is_always_kept()
    }

    pub(super) fn of(self, run: &FigureRun) -> Option<f64> {
        let Some(name) = self.job else { return self.what.of(run) };
        let mut jobs = run.finished.summary.jobs.iter();
        let job = jobs.find(|job| job.name == name && job.load_balance.is_none())?;
        self.what.of_job(job)
    }

    /// What it is, as a heading.
    pub(super) fn title(self) -> String {
        let title = self.what.title();
        let title = match self.job {
            None => title,
            Some(job) => format!("{}: {title}", job.replace('_', " ")),
        };
        let mut letters = title.chars();
        let first = letters.next().map(|first| match title.as_bytes() {
            // Percentiles keep their small letter.
            [b'p', b'0'..=b'9', ..] => first.to_string(),
            _ => first.to_uppercase().to_string(),
        });
        first.unwrap_or_default() + letters.as_str()
    }

    /// Whether it is a time, which a run that does not complete may lack.
    pub(super) fn is_time(self) -> bool {
        self.what.word().ends_with("_us")
    }

    /// Whether a run that does not complete may lack it, or have it of some flows alone.
    pub(super) fn needs_completion(self) -> bool {
        let of_run = matches!(self.what, Word::Pauses | Word::Paused | Word::WithoutCredit);
        !of_run && (self.is_time() || !self.is_always_kept() && !self.is_of_ports())
    }

    /// The sizes of the flows that it is of, where it is of flows of a size, whatever their job.
    pub(super) fn size_class(self) -> Option<SizeClass> {
        self.what.by_size().filter(|_| self.job.is_none()).map(|own| own.class)
    }

    /// Whether it is a count, 0 where nothing is said.
    pub(super) fn is_count(self) -> bool {
        !self.is_time() && self.is_always_kept()
    }

    /// Whether recorded ports have it, whatever became of flows.
    fn is_of_ports(self) -> bool {
        matches!(self.what, Word::Uplinks | Word::Downlinks | Word::Lanes)
            || self.what.held().is_some()
    }

    /// Whether less is better.
    pub(super) fn least_leads(self) -> bool {
        !matches!(self.what, Word::Uplinks | Word::Downlinks | Word::Lanes)
    }

    /// A value with its unit.
    pub(super) fn shown(self, value: f64) -> String {
        match self.what {
            _ if self.is_time() => time(value),
            what if what.held().is_some() => format!("{}B", short(value)),
            Word::Pauses => short(value),
            _ if !self.is_always_kept() => digits(value, 3),
            Word::QueueMax => format!("{}B", short(value)),
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

/// Only of runs with an end. The mean over a period counts, so an end within one is off by what is left
/// of it.
fn lane_utilisation(run: &FigureRun) -> Option<f64> {
    let Finished { plan, outcome, .. } = &run.finished;
    let (end, circuits) = (plan.end?, plan.fabric.circuits.as_ref()?);
    let lanes = plan.record.ports.iter().filter_map(|port| circuits.lane(*port));
    let (mut carried, mut most) = (0, 0.0);
    for lane in lanes {
        carried += outcome.ports[lane.port.index()].bytes;
        most += circuits.mean_rate(lane).0 as f64 * end.0 as f64 / 8e12;
    }
    (most > 0.0).then(|| carried as f64 / most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_by_size_say_what_they_are_of() {
        let of = |word: Word| word.by_size().unwrap();
        let end = End::Value;
        let expected = |class, is_slowdown, share| OfSizes { class, is_slowdown, share, end };
        assert_eq!(of(Word::SlowdownMean), expected(SizeClass::All, true, None));
        let p99_9 = Some(Share::P99_9);
        assert_eq!(of(Word::FctP99_9), expected(SizeClass::All, false, p99_9));
        assert_eq!(of(Word::ShortFctP99_9), expected(SizeClass::Short, false, p99_9));
        let p95 = Some(Share::P95);
        assert_eq!(of(Word::MediumSlowdownP95), expected(SizeClass::Medium, true, p95));
        assert_eq!(Metric::run(Word::LongFctP99).title(), "p99 flow completion time of long flows");
        assert_eq!(Metric::run(Word::SlowdownP99_9).title(), "p99.9 slowdown");
        assert_eq!(Word::MemoryP99_9.held(), Some((Whose::All, Share::P99_9)));
        assert_eq!(Word::LossyP50.held(), Some((Whose::Lossy, Share::P50)));
        assert_eq!(Metric::run(Word::MemoryP50).title(), "p50 of the data that a switch holds");
        // What a record keeps of every run has not changed.
        let kept = Metric::all().filter(|metric| metric.is_always_kept());
        assert_eq!(kept.count(), 12);
        let unnamed = Word::ALL.iter().filter_map(|metric| Some((metric, metric.by_size()?)));
        for (metric, by_size) in unnamed {
            let word = metric.word();
            let is_mean = word.trim_end_matches("_us").ends_with("mean");
            assert!(by_size.share.is_some() || is_mean, "{metric:?}");
        }
    }

    #[test]
    fn a_metric_may_be_of_a_job() {
        let read = |word| Metric::read(Raw::Text(word));
        let own = read("requests.short_slowdown_p99_low").unwrap();
        assert_eq!(
            (own.job(), own.word().as_str()),
            (Some("requests"), "requests.short_slowdown_p99_low")
        );
        assert_eq!(own.title(), "Requests: p99 slowdown of short flows, begin of its interval");
        assert_eq!(read("completion_us"), Ok(Metric::COMPLETION));
        assert!(!own.is_always_kept() && Metric::COMPLETION.is_always_kept());
        let Err(ParameterError::Value(why)) = read("requests.dropped") else { panic!("refused") };
        assert!(
            why.starts_with("of a job there are, behind `requests.`: completion_us, "),
            "{why}"
        );
        assert!(matches!(read("droped"), Err(ParameterError::Word(_))));
    }
}
