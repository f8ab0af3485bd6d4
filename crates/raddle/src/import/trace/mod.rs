//! Traces: what the ranks of a job do, as other programs write it down.
//!
//! Each format is a folder or a file here and a line in [`FORMATS`]. All of them end in a [`JobGraph`],
//! but for lists of flows, which are flows at once. Readers are strict: what the original program would
//! misread without a word is an error, with its place.

mod chakra;
mod csv;
mod files;
mod goal;
mod mistakes;
mod simai;
mod words;

pub use files::{Opened, open};
pub use mistakes::{At, TraceError};

use crate::study::text::count;
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::workload::Traffic;
use raddle_sim::workload::job_graph::{Counts, JobGraph, SendDone, Style, Ways};
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::OnceLock;

/// How to read a trace. Each option is of some formats only.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// When a send is done.
    pub send_done: SendDone,
    /// Which edges of a Chakra trace hold.
    pub deps: Option<Deps>,
    /// What goes one at a time in a Chakra trace.
    pub units: Units,
    /// How long one count of time is in a GOAL file.
    pub unit: Span,
    /// What a rank of a GOAL file is, where network cards are named.
    pub layout: Option<Layout>,
    /// What the size of an all-gather is in a Chakra trace.
    pub all_gather_size: AllGatherSize,
    /// Bytes of an element, by which sizes of a Chakra trace are multiplied.
    pub element: Bytes,
    /// What becomes of nodes of unknown types in a Chakra trace.
    pub unknown: Unknown,
    /// The ranks of groups of a Chakra trace, as JSON.
    pub groups: Option<String>,
    /// GPUs of a SimAI workload whose first line does not say it.
    pub all_gpus: Option<u32>,
    /// How a SimAI workload of several pipeline stages is run.
    pub run_as: Option<RunAs>,
    /// Do what the original program does where it misreads its input; a note says so.
    pub compat: bool,
    /// Into how many parts a collective on a ring is cut, each with a ring of its own.
    pub channels: u32,
    /// How messages of collectives are counted: with `gpus`, those of servers.
    pub style: Style,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            send_done: SendDone::Acked,
            deps: None,
            units: Units::Streams,
            unit: Span::ns(1),
            layout: None,
            all_gather_size: AllGatherSize::Input,
            element: Bytes(1),
            unknown: Unknown::Error,
            groups: None,
            all_gpus: None,
            run_as: None,
            compat: false,
            channels: 1,
            style: Style::default(),
        }
    }
}

raddle_schemes::words! {
    /// Which edges hold.
    pub enum Deps {
        /// All of them.
        Both = "both",
        /// Those of data.
        Data = "data",
        /// Those of control.
        Ctrl = "ctrl",
    }
}

raddle_schemes::words! {
    /// What goes one at a time.
    pub enum Units {
        /// The nodes of one stream, in the order of their ids.
        Streams = "streams",
        /// As ASTRA-sim does: one operation of the CPU, one computation of the GPU, one send or
        /// collective.
        Feeder = "feeder",
    }
}

raddle_schemes::words! {
    /// What a rank of a GOAL file is.
    pub enum Layout {
        /// A host, whichever network card it uses.
        Rank = "rank",
    }
}

raddle_schemes::words! {
    /// What the size of an all-gather is.
    pub enum AllGatherSize {
        /// What a rank puts in.
        Input = "input",
        /// What a rank gets out.
        Output = "output",
    }
}

raddle_schemes::words! {
    /// What becomes of nodes of unknown types.
    pub enum Unknown {
        /// They are an error.
        Error = "error",
        /// They do nothing; what waits for them waits for what they wait for.
        Skip = "skip",
    }
}

raddle_schemes::words! {
    /// How a workload of several pipeline stages is run.
    pub enum RunAs {
        /// Every rank does every row.
        Written = "written",
    }
}

/// A format of traces.
#[derive(Debug)]
pub struct Format {
    /// The word of scenarios.
    pub word: &'static str,
    /// What messages call it.
    pub name: &'static str,
    is_it: fn(&files::Content) -> bool,
    read: fn(&[files::Content], &Options) -> Result<Parsed, Vec<TraceError>>,
    /// Whether each rank has a file of its own.
    file_a_rank: bool,
}

/// Every format, in the order in which they are looked for.
pub static FORMATS: &[Format] = &[
    Format {
        word: "goal",
        name: "a GOAL schedule",
        is_it: |file| file.text().is_some_and(goal::text::is_it),
        read: |files, options| goal::text::parse(files[0].text().unwrap_or_default(), options),
        file_a_rank: false,
    },
    Format {
        word: "goal_binary",
        name: "a GOAL schedule in binary",
        is_it: |file| goal::binary::is_it(&file.bytes),
        read: |files, options| goal::binary::parse(&files[0].bytes, options),
        file_a_rank: false,
    },
    Format {
        word: "simai",
        name: "a SimAI workload",
        is_it: |file| file.text().is_some_and(simai::text::is_it),
        read: |files, options| simai::read(files[0].text().unwrap_or_default(), options),
        file_a_rank: false,
    },
    Format {
        word: "flows_csv",
        name: "a list of flows",
        is_it: |file| file.text().is_some_and(csv::is_it),
        read: |files, _| csv::parse(files[0].text().unwrap_or_default()),
        file_a_rank: false,
    },
    Format {
        word: "chakra",
        name: "a Chakra execution trace",
        is_it: |file| chakra::is_it(&file.bytes),
        read: |files, options| {
            let bytes: Vec<&[u8]> = files.iter().map(|file| &file.bytes[..]).collect();
            chakra::parse(&bytes, options)
        },
        file_a_rank: true,
    },
];

/// The words of the formats.
pub const WORDS: &[&str] = &["goal", "goal_binary", "simai", "flows_csv", "chakra"];

/// Something that is known of a trace before it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// Its name, with a unit where it has one.
    pub name: String,
    /// A number or a text.
    pub value: Value,
}

impl Fact {
    fn count(name: impl Into<String>, value: u64) -> Self {
        Self { name: name.into(), value: json!(value) }
    }

    fn text(name: impl Into<String>, value: impl fmt::Display) -> Self {
        Self { name: name.into(), value: json!(value.to_string()) }
    }
}

/// What a file says, before its parts are matched.
#[derive(Debug)]
pub(in crate::import) struct Parsed {
    facts: Vec<Fact>,
    notes: Vec<String>,
    body: Body,
}

/// A trace as something that can run.
#[derive(Debug)]
enum Body {
    Job(JobGraph),
    /// One that is made of the file only to be run, as it may be large.
    Workload(Box<simai::Workload>, Options),
    Flows(csv::Flows),
}

impl Parsed {
    /// A job that is read. `place` tells where a node stands, by its rank and id.
    fn of(
        job: JobGraph,
        mut mistakes: mistakes::Mistakes,
        facts: Vec<Fact>,
        place: impl Fn(u32, u64) -> At,
    ) -> Result<Self, Vec<TraceError>> {
        if !mistakes.failed()
            && let Err(errors) = job.compile()
        {
            for error in errors {
                let at = error.node.map_or(At::File, |(rank, node)| place(rank, node));
                let message = match (at, error.node) {
                    (At::File, _) | (_, None) => error.to_string(),
                    (_, Some((rank, _))) => format!("rank {rank} {}", error.message),
                };
                mistakes.add(at, message, None);
            }
        }
        let notes = mistakes.finish()?;
        Ok(Self { facts, notes, body: Body::Job(job) })
    }
}

/// A trace.
#[derive(Debug)]
pub struct Trace {
    /// Its format.
    pub format: &'static Format,
    /// What is known of it.
    pub facts: Vec<Fact>,
    /// What was accepted and is worth knowing.
    pub notes: Vec<String>,
    body: Body,
    style: Style,
    /// Counted when it is asked for.
    counts: OnceLock<Option<Counts>>,
}

/// Reads the files of a trace, which are those of its ranks where each has one.
///
/// # Errors
/// What is wrong in them: up to 20 mistakes, and how many more.
pub fn read(
    opened: &Opened,
    format: Option<&str>,
    options: &Options,
) -> Result<Trace, Vec<TraceError>> {
    let wrong = |message: String, help: String| {
        vec![TraceError { file: 0, at: At::File, message, help: Some(help) }]
    };
    let Some(first) = opened.contents.first() else {
        return Err(wrong("no file".to_owned(), "name one".to_owned()));
    };
    let named = format.and_then(|word| FORMATS.iter().find(|format| format.word == word));
    let found = named.or_else(|| FORMATS.iter().find(|format| (format.is_it)(first)));
    let Some(format) = found else {
        let message = "it is a trace of no format that is known".to_owned();
        return Err(wrong(message, format!("expected one of {}", WORDS.join(", "))));
    };
    let files = if format.file_a_rank { &opened.contents[..] } else { &opened.contents[..1] };
    let Parsed { facts, notes, body } = (format.read)(files, options)?;
    let style = options.style.clone();
    Ok(Trace { format, facts, notes, body, style, counts: OnceLock::new() })
}

/// The job as GOAL text, with times in nanoseconds.
///
/// # Errors
/// What GOAL cannot say, with rank and node: collectives, marks, times that are no whole nanoseconds.
pub fn to_goal(job: &JobGraph) -> Result<String, String> {
    goal::write::text(job)
}

/// The job as Chakra execution traces: the file of each rank, and the ranks of groups as JSON, where
/// there are any but that of all ranks.
///
/// # Errors
/// What Chakra cannot say, with rank and node: edges from starts, times that are no whole microseconds,
/// receives from any rank.
pub fn to_chakra(job: &JobGraph) -> Result<(Vec<Vec<u8>>, Option<String>), String> {
    chakra::write::files(job)
}

impl Trace {
    /// How many hosts it needs; at least, for a list of flows.
    pub fn ranks(&self) -> u32 {
        match &self.body {
            Body::Job(job) => job.ranks.len() as u32,
            Body::Workload(workload, _) => workload.ranks(),
            Body::Flows(flows) => flows.hosts(),
        }
    }

    /// The job, for formats that have one.
    ///
    /// # Errors
    /// One that is too large, or not to be run.
    pub fn job(&self) -> Result<Option<JobGraph>, String> {
        match &self.body {
            Body::Job(job) => Ok(Some(job.clone())),
            Body::Workload(workload, options) => workload.job(options).map(Some),
            Body::Flows(_) => Ok(None),
        }
    }

    /// Its nodes and edges, and the messages of its collectives; `None` for a list of flows, and where
    /// there is too much of it.
    pub fn counts(&self) -> Option<&Counts> {
        let count = |job: JobGraph| {
            let job = JobGraph { style: self.style.clone(), ..job };
            Some(job.compile().ok()?.counts(&job))
        };
        let counts = self.counts.get_or_init(|| count(self.job().ok()??));
        counts.as_ref()
    }

    /// The flows, with a host for each rank, collectives on rings of GPUs that are alone.
    ///
    /// # Errors
    /// What cannot run.
    pub fn traffic(&self, hosts: &[HostId]) -> Result<Traffic, String> {
        let channels = match &self.body {
            Body::Job(job) => job.channels,
            Body::Workload(_, options) => options.channels,
            Body::Flows(_) => 1,
        };
        self.traffic_as(hosts, (channels, Style::default()))
    }

    /// Whether it is a list of flows.
    pub fn is_list(&self) -> bool {
        matches!(self.body, Body::Flows(_))
    }

    /// The flows, with a host for each rank, collectives on so many channels and in a style.
    ///
    /// # Errors
    /// What cannot run.
    pub fn traffic_as(
        &self,
        hosts: &[HostId],
        (channels, style): (u32, Style),
    ) -> Result<Traffic, String> {
        if let Body::Flows(flows) = &self.body {
            return flows.traffic(hosts);
        }
        let Some(job) = self.job()? else { return Ok(Traffic::default()) };
        let job = JobGraph { channels, style, ..job };
        job.traffic(hosts)
            .map_err(|errors| errors.first().map_or(String::new(), ToString::to_string))
    }

    /// The largest message, if a job is not too large to be made.
    pub fn largest(&self) -> Bytes {
        match &self.body {
            Body::Flows(flows) => flows.largest(),
            Body::Job(job) => job.largest(),
            Body::Workload(workload, _) => workload.largest(),
        }
    }

    /// Position and class of every flow, of a list that says them.
    pub fn classes(&self) -> Option<Vec<(usize, u8)>> {
        match &self.body {
            Body::Flows(flows) => flows.classes(),
            _ => None,
        }
    }

    /// About how many flows it has.
    pub fn flows(&self) -> u64 {
        match &self.body {
            Body::Flows(flows) => flows.count(),
            _ => self.counts().map_or(0, |counts| {
                counts.sends + counts.collectives.iter().map(|own| own.sends).sum::<u64>()
            }),
        }
    }

    /// What `raddle trace --json` shows.
    pub fn to_json(&self) -> Value {
        let facts: Map<String, Value> =
            self.facts.iter().map(|fact| (key(&fact.name), fact.value.clone())).collect();
        let counts = self.counts().map(|counts| {
            let collectives: Vec<Value> = counts
                .collectives
                .iter()
                .map(|own| {
                    let mut object = json!({
                        "op": own.op.word(), "ranks": own.ranks, "count": own.count,
                        "bytes": own.bytes, "sends": own.sends, "send_bytes": own.send_bytes,
                    });
                    if let Some(Ways { inside, on_rails, across }) = own.ways {
                        object["ways"] =
                            json!({ "inside": inside, "on_rails": on_rails, "across": across });
                    }
                    object
                })
                .collect();
            json!({
                "nodes": counts.nodes, "calcs": counts.calcs,
                "calc_ns": counts.calc_time.0 as f64 / 1e3,
                "sends": counts.sends, "recvs": counts.recvs, "colls": counts.colls,
                "marks": counts.marks, "edges": counts.edges, "start_edges": counts.start_edges,
                "roots": counts.roots, "send_bytes": counts.send_bytes,
                "collectives": collectives,
            })
        });
        json!({
            "schema": "raddle.trace/1", "format": self.format.word, "ranks": self.ranks(),
            "facts": facts, "job": counts, "notes": self.notes,
        })
    }
}

impl fmt::Display for Trace {
    /// What `raddle trace` shows: a line for each thing known, numbers in columns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows: Vec<(String, String)> = vec![
            ("format".to_owned(), format!("{} ({})", self.format.word, self.format.name)),
            ("ranks".to_owned(), count(self.ranks().into())),
        ];
        for fact in &self.facts {
            let value = match &fact.value {
                Value::Number(number) => number.as_u64().map_or(number.to_string(), count),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            rows.push((fact.name.clone(), value));
        }
        if let Some(counts) = self.counts() {
            let mut add = |name: &str, value: u64| {
                if value > 0 {
                    rows.push((name.to_owned(), count(value)));
                }
            };
            add("nodes", counts.nodes);
            add("calcs", counts.calcs);
            add("sends", counts.sends);
            add("bytes of sends", counts.send_bytes);
            add("receives", counts.recvs);
            add("parts in collectives", counts.colls);
            add("edges", counts.edges);
            add("edges from starts", counts.start_edges);
            add("nodes that wait for nothing", counts.roots);
            if counts.calc_time > Span::ZERO {
                rows.push(("time of calcs, all ranks".to_owned(), counts.calc_time.to_string()));
            }
            for own in &counts.collectives {
                let text = format!(
                    "{} of {} B, as {} messages of {} B",
                    count(own.count),
                    count(own.bytes),
                    count(own.sends),
                    count(own.send_bytes)
                );
                let text = own.ways.map_or(text.clone(), |ways| {
                    let [inside, on_rails, across] =
                        [ways.inside, ways.on_rails, ways.across].map(count);
                    format!("{text}: {inside} inside servers, {on_rails} on rails, {across} across")
                });
                rows.push((format!("{}, {} ranks", own.op, own.ranks), text));
            }
        }
        let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, value) in rows {
            writeln!(f, "{name:width$}  {value}")?;
        }
        for note in &self.notes {
            writeln!(f, "note: {note}")?;
        }
        Ok(())
    }
}

/// A name of a fact as a key of JSON.
fn key(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("_")
}
