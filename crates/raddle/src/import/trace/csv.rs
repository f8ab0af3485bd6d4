//! Lists of flows as CSV: one a line, with a header that names the columns.
//!
//! | column | what it says |
//! |---|---|
//! | `src`, `dst`, `bytes` | the ends, by number, and the size; required |
//! | `id` | a name, each once |
//! | `start_ns` | when it starts, decimal; after what it waits for, where it does |
//! | `after` | the ids that it waits for, with blanks between them; they may stand below |
//! | `end` | which end of those: `delivered`, or `acked` |
//! | `compute_ns` | how long its sender works before it |
//! | `class`, `job` | its data class; what results call the flows that belong together |

use super::mistakes::{At, Mistakes, SHOWN};
use super::words::{nearest, suggest};
use super::{Body, Fact, Parsed, TraceError};
use csv::{ReaderBuilder, StringRecord};
use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::workload::graph::{After, End, Graph, Send, StepId};
use raddle_sim::workload::job::Job;
use raddle_sim::workload::{Flow, Traffic, Trigger};
use std::collections::BTreeMap;

const COLUMNS: [&str; 10] =
    ["src", "dst", "bytes", "id", "start_ns", "after", "end", "compute_ns", "class", "job"];

/// Whether a text looks like such a list: a header with the three columns that are required.
pub(super) fn is_it(text: &str) -> bool {
    let header = text.lines().find(|line| !line.starts_with('#'));
    header.is_some_and(|header| {
        let words: Vec<&str> =
            header.split(',').map(|word| word.trim().trim_matches('"')).collect();
        COLUMNS[..3].iter().filter(|name| words.contains(name)).count() >= 2
    })
}

/// The flows of a list, in its order.
#[derive(Debug)]
pub(super) struct Flows {
    lines: Vec<Line>,
    /// The flows in an order in which each comes after what it waits for.
    order: Vec<u32>,
    /// The jobs, in order of their first flows.
    jobs: Vec<String>,
}

#[derive(Debug)]
struct Line {
    source: u32,
    destination: u32,
    bytes: Bytes,
    /// Before it sends, and after all that it waits for.
    wait: Span,
    after: Vec<u32>,
    end: End,
    class: u8,
    job: u32,
}

/// What a line says of others, until all are known.
struct Named {
    line: usize,
    after: Vec<String>,
}

pub(super) fn parse(text: &str) -> Result<Parsed, Vec<TraceError>> {
    let mut mistakes = Mistakes::default();
    let mut rows = ReaderBuilder::new()
        .comment(Some(b'#'))
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let header = rows.headers().cloned().unwrap_or_default();
    let line_of = |record: &StringRecord| record.position().map_or(1, |at| at.line() as usize);
    let top = At::Line(line_of(&header), 1, 0);
    let mut columns: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, name) in header.iter().enumerate() {
        match COLUMNS.iter().find(|known| **known == name) {
            Some(known) if columns.insert(*known, number).is_none() => {}
            Some(_) => mistakes.error(top, format!("column `{name}` twice"), "keep one of them"),
            None => {
                let message = format!("unknown column `{}`", name.escape_debug());
                mistakes.error(top, message, suggest(name, &COLUMNS));
            }
        }
    }
    for name in &COLUMNS[..3] {
        if !columns.contains_key(name) {
            mistakes.error(top, format!("no column `{name}`"), "add it to the header");
        }
    }
    let mut reader = Reader {
        columns,
        mistakes,
        ids: BTreeMap::new(),
        jobs: Vec::new(),
        named: Vec::new(),
        lines: Vec::new(),
    };
    if !reader.mistakes.failed() {
        for record in rows.records() {
            match record {
                Ok(record) => reader.line(&record, line_of(&record), header.len()),
                Err(error) => {
                    let line = error.position().map_or(1, |at| at.line() as usize);
                    let message = error.to_string();
                    reader.mistakes.error(
                        At::Line(line, 1, 0),
                        message,
                        "expected UTF-8 and RFC 4180",
                    );
                }
            }
            if reader.mistakes.enough() {
                break;
            }
        }
    }
    reader.finish()
}

struct Reader<'a> {
    columns: BTreeMap<&'a str, usize>,
    mistakes: Mistakes,
    ids: BTreeMap<String, u32>,
    jobs: Vec<String>,
    named: Vec<Named>,
    lines: Vec<Line>,
}

impl Reader<'_> {
    fn line(&mut self, record: &StringRecord, line: usize, width: usize) {
        let at = At::Line(line, 1, 0);
        if record.len() != width {
            let message = format!("{} values, and {width} columns", record.len());
            return self.mistakes.error(at, message, "write a value for each column, or nothing");
        }
        let value = |name: &str| {
            let column = self.columns.get(name)?;
            record.get(*column).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let values = COLUMNS.map(value);
        let [src, dst, bytes, id, start, after, end, compute, class, job] = values;
        let source = self.number(at, "src", src, u64::from(u32::MAX));
        let destination = self.number(at, "dst", dst, u64::from(u32::MAX));
        let bytes = self.number(at, "bytes", bytes, u64::MAX);
        let start = self.time(at, "start_ns", start);
        let compute = self.time(at, "compute_ns", compute);
        let class = class.map_or(Some(0), |class| self.number(at, "class", Some(class), 7));
        let end = match end.as_deref() {
            None | Some("delivered") => Some(End::Delivered),
            Some("acked") => Some(End::Acked),
            Some(other) => {
                let message = format!("unknown word `{}` for `end`", other.escape_debug());
                self.mistakes.error(at, message, suggest(other, &["delivered", "acked"]));
                None
            }
        };
        let number = self.named.len() as u32;
        if let Some(id) = id
            && let Some(first) = self.ids.insert(id.clone(), number)
        {
            let first = self.named[first as usize].line;
            let message = format!("id `{}` is that of line {first}", id.escape_debug());
            self.mistakes.error(at, message, "give each flow its own id");
        }
        let after = after.unwrap_or_default();
        let after = after.split_whitespace().map(str::to_owned).collect();
        self.named.push(Named { line, after });
        if bytes == Some(0) {
            self.mistakes.error(at, "a flow of 0 bytes", "expected at least 1");
        }
        if source.is_some() && source == destination {
            self.mistakes.error(at, "a flow to its own sender", "expected another host");
        }
        let (Some(source), Some(destination), Some(bytes)) = (source, destination, bytes) else {
            return;
        };
        let (Some(start), Some(compute), Some(class), Some(end)) = (start, compute, class, end)
        else {
            return;
        };
        let name = job.unwrap_or_default();
        let known = self.jobs.iter().position(|known| *known == name);
        let job = known.unwrap_or_else(|| {
            self.jobs.push(name);
            self.jobs.len() - 1
        });
        self.lines.push(Line {
            source: source as u32,
            destination: destination as u32,
            bytes: Bytes(bytes),
            wait: Span(start.0.saturating_add(compute.0)),
            after: Vec::new(),
            end,
            class: class as u8,
            job: job as u32,
        });
    }

    fn number(&mut self, at: At, name: &str, text: Option<String>, most: u64) -> Option<u64> {
        let text = text.unwrap_or_default();
        let number = text.parse::<u64>().ok().filter(|number| *number <= most);
        if number.is_none() {
            let message = format!("`{name}` is `{}`", text.escape_debug());
            self.mistakes.error(at, message, format!("expected a whole number up to {most}"));
        }
        number
    }

    /// Nanoseconds, decimal, exact to a picosecond; 0 if there are none.
    fn time(&mut self, at: At, name: &str, text: Option<String>) -> Option<Span> {
        let Some(text) = text else { return Some(Span::ZERO) };
        let time = picoseconds(&text).filter(|time| *time <= TIME_LIMIT.0);
        if time.is_none() {
            let message = format!("`{name}` is `{}`", text.escape_debug());
            let help = format!("expected nanoseconds with at most 3 decimals, up to {TIME_LIMIT}");
            self.mistakes.error(at, message, help);
        }
        time.map(Span)
    }

    fn finish(mut self) -> Result<Parsed, Vec<TraceError>> {
        let ids: Vec<&str> = self.ids.keys().map(String::as_str).collect();
        let mut missing = Vec::new();
        let mut after = Vec::new();
        for named in &self.named {
            let mut own = Vec::new();
            for id in &named.after {
                match self.ids.get(id) {
                    Some(number) => own.push(*number),
                    // More are not told.
                    None if missing.len() >= SHOWN => {}
                    None => {
                        let help = match nearest(id, &ids) {
                            Some(near) => format!("did you mean `{near}`?"),
                            None => "expected the `id` of a flow".to_owned(),
                        };
                        let message = format!("no flow has the id `{}`", id.escape_debug());
                        missing.push((At::Line(named.line, 1, 0), message, help));
                    }
                }
            }
            after.push(own);
        }
        for (at, message, help) in missing {
            self.mistakes.error(at, message, help);
        }
        let mut order = Vec::new();
        if !self.mistakes.failed() {
            for (line, after) in self.lines.iter_mut().zip(after) {
                line.after = after;
            }
            order = self.order();
        }
        let Self { mistakes, lines, jobs, .. } = self;
        let notes = mistakes.finish()?;
        let bytes = lines.iter().fold(0_u64, |sum, line| sum.saturating_add(line.bytes.0));
        let waits = lines.iter().map(|line| line.after.len() as u64).sum();
        let facts = vec![
            Fact::count("flows", lines.len() as u64),
            Fact::count("bytes of flows", bytes),
            Fact::count("flows waited for", waits),
        ];
        Ok(Parsed { facts, notes, body: Body::Flows(Flows { lines, order, jobs }) })
    }

    /// Each flow after those that it waits for.
    fn order(&mut self) -> Vec<u32> {
        let count = self.lines.len();
        let mut left: Vec<usize> = self.lines.iter().map(|line| line.after.len()).collect();
        let mut followers: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (number, line) in (0..).zip(&self.lines) {
            line.after.iter().for_each(|on| followers[*on as usize].push(number));
        }
        let mut order: Vec<u32> =
            (0..count as u32).filter(|own| left[*own as usize] == 0).collect();
        let mut next = 0;
        while let Some(&flow) = order.get(next) {
            next += 1;
            for &follower in &followers[flow as usize] {
                left[follower as usize] -= 1;
                if left[follower as usize] == 0 {
                    order.push(follower);
                }
            }
        }
        if order.len() < count {
            let lines = (0..count).filter(|own| left[*own] > 0).map(|own| self.named[own].line);
            let lines: Vec<String> = lines.take(20).map(|line| line.to_string()).collect();
            let at = lines[0].parse().map_or(At::File, |line| At::Line(line, 1, 0));
            let message =
                format!("flows wait for each other in a circle: lines {}", lines.join(", "));
            self.mistakes.error(at, message, "an order of flows has no circles");
        }
        order
    }
}

impl Flows {
    pub(super) fn count(&self) -> u64 {
        self.lines.len() as u64
    }

    /// Position and class of every flow, if any is not 0.
    pub(super) fn classes(&self) -> Option<Vec<(usize, u8)>> {
        let classes = || self.lines.iter().map(|line| line.class);
        classes().any(|class| class > 0).then(|| classes().enumerate().collect())
    }

    /// One more than the highest host.
    pub(super) fn hosts(&self) -> u32 {
        let ends = self.lines.iter().map(|line| line.source.max(line.destination));
        ends.max().map_or(0, |most| most.saturating_add(1))
    }

    pub(super) fn largest(&self) -> Bytes {
        self.lines.iter().map(|line| line.bytes).max().unwrap_or_default()
    }

    /// The flows among these hosts, those of one job next to each other.
    pub(super) fn traffic(&self, hosts: &[HostId]) -> Result<Traffic, String> {
        let host = |number: u32| {
            let found = hosts.get(number as usize).copied();
            found.ok_or_else(|| format!("host {number} is named, and there are {}", hosts.len()))
        };
        let mut graph = Graph::default();
        let mut steps: Vec<Option<StepId>> = vec![None; self.lines.len()];
        for &number in &self.order {
            let line = &self.lines[number as usize];
            let after: Vec<After> = line
                .after
                .iter()
                .filter_map(|on| Some(After::new(steps[*on as usize]?, line.end)))
                .collect();
            let (source, destination) = (host(line.source)?, host(line.destination)?);
            let send = Send { source, destination, bytes: line.bytes, work: line.wait };
            steps[number as usize] = Some(graph.send_after(send, &after));
        }
        let Traffic { flows, triggers, .. } = graph.traffic();
        // From the order of the graph to that of jobs, and in a job that of lines.
        let mut wanted: Vec<u32> = (0..self.lines.len() as u32).collect();
        wanted.sort_by_key(|number| self.lines[*number as usize].job);
        let mut made = vec![0; self.lines.len()];
        for (place, number) in (0..).zip(&self.order) {
            made[*number as usize] = place;
        }
        let mut moved = vec![FlowId(0); flows.len()];
        for (place, number) in (0..).zip(&wanted) {
            moved[made[*number as usize] as usize] = FlowId(place);
        }
        let flows = wanted.iter().map(|number| Flow {
            class: self.lines[*number as usize].class,
            ..flows[made[*number as usize] as usize].clone()
        });
        let triggers = triggers.into_iter().map(|trigger| Trigger {
            targets: trigger.targets.iter().map(|flow| moved[flow.index()]).collect(),
            ..trigger
        });
        let traffic =
            Traffic { flows: flows.collect(), triggers: triggers.collect(), ..Traffic::default() };
        Ok(Traffic { jobs: self.jobs(&wanted), ..traffic })
    }

    fn jobs(&self, wanted: &[u32]) -> Vec<Job> {
        let mut jobs: Vec<Job> = Vec::new();
        for (place, number) in (0_u32..).zip(wanted) {
            let job = self.lines[*number as usize].job as usize;
            if job + 1 > jobs.len() {
                jobs.push(Job::new(&self.jobs[job], place..place));
            }
            if let Some(job) = jobs.last_mut() {
                job.flows.end = place + 1;
            }
        }
        jobs
    }
}

/// `"12.345"` nanoseconds in picoseconds.
fn picoseconds(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(part) || part.len() > 3 {
        return None;
    }
    let part = format!("{part:0<3}");
    whole.parse::<u64>().ok()?.checked_mul(1_000)?.checked_add(part.parse().ok()?)
}
