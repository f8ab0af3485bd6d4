//! What a report is made of. Times are microseconds since the start of the run, sizes are bytes.

use serde::{Deserialize, Serialize};

/// A comparison (or a single run), ready to be shown.
///
/// Sentences and intervals come computed: the page draws and never judges. Indices of conditions and
/// schemes lie within their lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// What was simulated, in one line.
    pub title: String,
    /// The question the comparison answers, as a sentence.
    pub question: String,
    /// The answer in words, one sentence each: which wins, by how much, how sure.
    pub answer: Vec<String>,
    /// What the runs are compared by.
    pub metric: Metric,
    /// What every [`Interval`] is, for example `mean and 95 % confidence interval (Student t)`.
    pub interval_meaning: String,
    /// The conditions, in the order of the panels.
    pub conditions: Vec<Condition>,
    /// The schemes, in the order of the rows.
    pub schemes: Vec<Scheme>,
    /// Results, one per condition and scheme that was run.
    pub cells: Vec<Cell>,
    /// Where one looks into a run, if somewhere.
    pub look: Option<Look>,
    /// Time series, for the runs that recorded them.
    pub details: Vec<Detail>,
    /// What was published of it, where it reproduces a figure.
    pub claims: Option<Claims>,
    /// Further tables to show and to download.
    pub tables: Vec<Table>,
    /// What exactly was run.
    pub provenance: Provenance,
}

/// Where one looks into a run, link by link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// A page beside the report: its file, and the runs that it shows.
    Page {
        /// The file's name.
        file: String,
        /// The runs, in words.
        of: String,
    },
    /// A command that makes one.
    Command(String),
}

/// What runs are compared by.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// What it is, as the axis is called.
    pub title: String,
    /// Its unit; empty for a ratio.
    pub unit: String,
    /// Whether larger values are better.
    pub higher_is_better: bool,
    /// What a value is, as a sentence ends: `the time until the last flow was done`.
    pub meaning: String,
}

impl Default for Metric {
    /// The completion of the last flow.
    fn default() -> Self {
        Self {
            title: "time to completion".to_owned(),
            unit: "us".to_owned(),
            higher_is_better: false,
            meaning: "the time until the last flow was done".to_owned(),
        }
    }
}

/// What was published of a figure, and what of it holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claims {
    /// How many hold, in words.
    pub summary: String,
    /// What is smaller than in the paper.
    pub reduced: Option<String>,
    /// The claims, in the order in which they are shown.
    pub rows: Vec<Claim>,
}

/// A claim, measured and judged. Numbers come as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claim {
    /// The claim as a sentence.
    pub text: String,
    /// Where it was made.
    pub source: String,
    /// What it is held against: a word.
    pub kind: String,
    /// What that says.
    pub expected: String,
    /// What was measured.
    pub measured: String,
    /// The measured values that agree.
    pub band: String,
    /// The verdict in a word.
    pub verdict: String,
    /// Whether it holds; `None` if it was not measured.
    pub holds: Option<bool>,
    /// The bounds it is taken against, why it differs: a sentence each.
    pub notes: Vec<String>,
}

/// A state of the fabric under which every scheme was run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Condition {
    /// Its name, for example `one uplink dead`.
    pub name: String,
    /// The time that no scheme can beat, where one is known.
    pub bound: Option<Bound>,
    /// The value of the metric that no scheme can beat, where one is known.
    pub limit: Option<Limit>,
}

/// A bound on the metric.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limit {
    /// Which bound it is.
    pub name: String,
    /// The bound in the metric's unit.
    pub value: f64,
}

/// A lower bound on the completion time of the last flow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bound {
    /// Which bound it is.
    pub name: String,
    /// The bound in microseconds.
    pub us: f64,
}

/// A scheme under comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scheme {
    /// The scheme's word.
    pub name: String,
    /// Its place in the palette; the same scheme has the same place in every report.
    pub palette_index: usize,
}

/// The runs of one scheme under one condition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// Index into [`Report::conditions`].
    pub condition: usize,
    /// Index into [`Report::schemes`].
    pub scheme: usize,
    /// One run per seed.
    pub runs: Vec<Run>,
    /// Where the metric lies, over the seeds; `None` where it makes no sense.
    pub interval: Option<Interval>,
    /// The statistics in words, for example `185 us, +5 % over the bound, ±0.2`.
    pub statistics: String,
    /// Completion times of all finished flows of all runs, in any order; empty if not kept.
    pub fct_us: Vec<f64>,
}

/// A middle and its whiskers, in the metric's unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// The middle.
    pub middle: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// One run: a condition, a scheme, a seed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// The seed.
    pub seed: u64,
    /// Whether every flow finished.
    pub completed: bool,
    /// Flows that did not finish.
    pub unfinished_flows: u64,
    /// The metric; `None` if not every flow finished, or it was not measured.
    pub value: Option<f64>,
    /// When the last flow was done; `None` if not every flow finished.
    pub completion_us: Option<f64>,
    /// The longest completion time of a finished flow, from its own start on; `None` if none
    /// finished.
    pub fct_max_us: Option<f64>,
    /// Mean over finished flows.
    pub fct_mean_us: Option<f64>,
    /// Median over finished flows.
    pub fct_p50_us: Option<f64>,
    /// 99th percentile over finished flows.
    pub fct_p99_us: Option<f64>,
    /// Frames lost, whatever the cause.
    pub drops: u64,
    /// Packets marked.
    pub marks: u64,
    /// Packets trimmed.
    pub trims: u64,
    /// Packets sent again.
    pub retransmissions: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
}

/// One run over time. Bucket `i` of every series covers `[i, i + 1) * bucket_us`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Detail {
    /// Index into [`Report::conditions`].
    pub condition: usize,
    /// Index into [`Report::schemes`].
    pub scheme: usize,
    /// The run's seed.
    pub seed: u64,
    /// Width of a bucket in microseconds.
    pub bucket_us: f64,
    /// What the ports are, for example `uplinks of tor0`.
    pub ports_title: String,
    /// The recorded ports, in the order of the rows.
    pub ports: Vec<Port>,
    /// Counts over the whole network.
    pub counts: Counts,
    /// What the schemes reported.
    pub events: Vec<Event>,
    /// What schemes showed of themselves, a line for each number of each flow, switch or port.
    #[serde(default)]
    pub probes: Vec<ProbeLine>,
    /// When something was broken.
    pub faults: Vec<FaultWindow>,
    /// Queue length in bytes at which marking starts, if frames are marked.
    pub queue_low_bytes: Option<u64>,
    /// Queue length in bytes from which every frame is marked, if frames are marked.
    pub queue_high_bytes: Option<u64>,
    /// Queue capacity in bytes; 0 where there is no limit.
    pub queue_capacity_bytes: u64,
}

/// A number that a scheme showed, over time: it holds until the next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProbeLine {
    /// Its word.
    pub probe: String,
    /// What it is measured in.
    pub unit: String,
    /// What it is of: `flow 7`, `tor0`, or the name of a port.
    pub of: String,
    /// Microseconds and values.
    pub points: Vec<(f64, f64)>,
}

/// One port over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Port {
    /// The topology's name for it, for example `tor0.up1`.
    pub name: String,
    /// Nominal rate in Gbit/s.
    pub rate_gbps: f64,
    /// Bytes that left, per bucket.
    pub bytes: Vec<u64>,
    /// Data packets that left, per bucket.
    pub data_frames: Vec<u32>,
    /// Most bytes of data queued, per bucket.
    pub queue_bytes_max: Vec<u64>,
    /// Frames lost at the port, per bucket.
    pub drops: Vec<u32>,
}

/// Counts over the whole network, per bucket.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Frames lost.
    pub drops: Vec<u32>,
    /// Packets marked.
    pub marks: Vec<u32>,
    /// Packets trimmed.
    pub trims: Vec<u32>,
    /// Packets sent again.
    pub retransmissions: Vec<u32>,
    /// Retransmission timeouts.
    pub timeouts: Vec<u32>,
}

/// Something a scheme reported.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When, in microseconds.
    pub us: f64,
    /// Which flow.
    pub flow: u64,
    /// What, for example `reps: freeze`.
    pub name: String,
}

/// A time during which something was broken.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FaultWindow {
    /// What was broken and how, for example `tor0.up1 down`.
    pub label: String,
    /// The port concerned, as [`Port::name`] has it; `None` if it is no single port.
    pub port: Option<String>,
    /// When it began.
    pub from_us: f64,
    /// When it ended; `None` if it did not.
    pub until_us: Option<f64>,
}

/// A table to show and to download as CSV.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The file's stem, for example `flows`.
    pub name: String,
    /// What it holds, in one line.
    pub title: String,
    /// Column names, units last (`fct_us`).
    pub columns: Vec<String>,
    /// The rows, each as long as `columns`.
    pub rows: Vec<Vec<Entry>>,
}

/// One entry of a [`Table`].
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Entry {
    /// There is no value.
    #[default]
    Missing,
    /// A whole number.
    Integer(u64),
    /// A number.
    Number(f64),
    /// Words.
    Text(String),
}

/// What exactly was run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Provenance {
    /// Raddle's version.
    pub version: String,
    /// A command line that runs it again.
    pub command: String,
    /// The scenario as it was read, sweep included.
    pub scenario_toml: String,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// The machine, in words.
    pub machine: String,
    /// Packets that left any queue, over all runs.
    pub packet_hops: u64,
    /// CPU seconds over all runs.
    pub cpu_s: f64,
}

impl From<u64> for Entry {
    fn from(value: u64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for Entry {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<&str> for Entry {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Entry {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl<T: Into<Self>> From<Option<T>> for Entry {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}
