//! One run for the page: its flows, the heat of its links, what broke, and the sentence on top.

use super::blocks::Blocks;
use super::heat::{self, Scales};
use super::packets::{self, Followed};
use super::times::Times;
use super::{Reach, ViewError, times, training};
use crate::results::{self, Fabric, Fault, Kept, needed, summary};
use crate::study::tables::TableFile;
use crate::study::text::time;
use serde_json::{Value, json};
use std::path::Path;

/// What holds a flow back, in the order of the page's words.
const HELD_BY: [&str; 7] = ["at_speed", "window", "link", "receiver", "nic", "fault", "timeout"];
/// Where a flow has not begun, or is done.
const NOT_YET: u8 = 255;

/// Which run of a page it is, and on what fabric.
pub(super) struct Place<'a> {
    pub(super) index: usize,
    /// Its fabric's place in the head.
    pub(super) fabric_at: usize,
    pub(super) fabric: &'a Fabric,
}

/// What the page's head says of the run; its numbers go into `blocks`.
pub(super) fn head(
    run: &Kept,
    &Place { index, fabric_at, fabric }: &Place<'_>,
    reach: &Reach,
    (times, scales): (&Times, &Scales),
    blocks: &mut Blocks,
) -> Result<Value, ViewError> {
    let folder = &run.folder;
    let summary = summary(folder)?;
    let flows = Flows::read(folder)?;
    let end_us = end_us(folder, &summary, &flows)?;
    flows.put(index, blocks);
    let buckets = times.buckets(end_us);
    let mut left_out = LeftOut::default();

    totals(folder, index, blocks)?;
    let links = heat::put(folder, (index, fabric), (times, buckets), scales, blocks)?;
    let width = times.width_us.filter(|_| buckets > 0 && links > 0);
    match width {
        Some(_) => {
            left_out.note_links(folder, links, fabric.ports.len())?;
            lanes(folder, index, &flows, times, buckets, blocks)?;
        }
        None => left_out.note(NO_TIMES.to_owned(), MAP),
    }
    left_out.note_routes(routes(folder, index, reach.routes, blocks)?);
    let tail = summary["tails"]["last"]["flow"].as_u64();
    let followed = Followed::open(folder)?;
    let recorded = followed.flows()?;
    let mut here = recorded.clone();
    here.sort_by_key(|flow| (Some(*flow) != tail, *flow));
    here.truncate(reach.followed);
    for flow in &here {
        followed.put(index, *flow, blocks)?;
    }
    if !reach.asks {
        left_out.note_packets(recorded.len(), here.len());
    }
    if width.is_some() {
        let also = tail.filter(|flow| !here.contains(flow));
        for flow in here.iter().copied().chain(also) {
            let (of, times) = ((index, flow), (times, buckets));
            packets::rate(folder, of, fabric, times, &flows.destinations, blocks)?;
        }
    }
    let training = training::put(folder, index, fabric, (tail, end_us), blocks)?;
    let probes = packets::probes(folder, index, &here, blocks)?;
    if let (Some(flow), Some(_)) = (tail, width) {
        spans(&summary["tail"], index, flow, times, buckets, blocks);
    }
    Ok(json!({
        "name": run.name,
        "fabric": fabric_at,
        "flows": flows.sources.len(),
        "completion_us": summary["completion_us"],
        "end_us": end_us,
        "headline": headline(&summary),
        "why": why(&summary, fabric),
        "faults": faults(folder, fabric)?,
        "bucket_us": width,
        // What the charts of a run without records over time span.
        "span_us": width.map_or(end_us, |width| width * buckets as f64),
        "buckets": if width.is_some() { buckets } else { 1 },
        "scales": scales.json(),
        "tail": tail,
        "probes": probes,
        "training": training,
        "left_out": left_out.0,
        // Whose packets a server has, where there is one.
        "recorded": reach.asks.then_some(recorded),
    }))
}

/// What is known of a run before one of its flows is asked for.
pub(super) struct Known {
    /// The receiver of each flow.
    destinations: Vec<f64>,
    buckets: usize,
    results_hash: String,
}

impl Known {
    pub(super) fn of(run: &Kept, times: &Times) -> Result<Self, ViewError> {
        let (folder, flows) = (&run.folder, Flows::read(&run.folder)?);
        let summary = summary(folder)?;
        let buckets = times.buckets(end_us(folder, &summary, &flows)?);
        Ok(Self { destinations: flows.destinations, buckets, results_hash: hash(&summary) })
    }
}

fn hash(summary: &Value) -> String {
    summary["results_hash"].as_str().unwrap_or_default().to_owned()
}

/// What a server has of a flow that its page asks for: packets, rate and probes.
pub(super) fn followed(
    run: &Kept,
    &Place { index, fabric, .. }: &Place<'_>,
    flow: u64,
    (times, known): (&Times, &Known),
    blocks: &mut Blocks,
) -> Result<(), ViewError> {
    let folder = &run.folder;
    if hash(&summary(folder)?) != known.results_hash {
        return Err(ViewError::Changed(folder.clone()));
    }
    Followed::open(folder)?.put(index, flow, blocks)?;
    packets::probes(folder, index, &[flow], blocks)?;
    if known.buckets > 0 {
        let (of, times) = ((index, flow), (times, known.buckets));
        packets::rate(folder, of, fabric, times, &known.destinations, blocks)?;
    }
    Ok(())
}

/// When the run ended. One that did not complete goes on after the last flow that did.
fn end_us(folder: &Path, summary: &Value, flows: &Flows) -> Result<f64, ViewError> {
    let recorded = times::recorded(folder)?.map_or(0.0, |(_, end)| end);
    Ok(match summary["completion_us"].as_f64() {
        Some(_) => flows.end_us(summary),
        None => flows.end_us(summary).max(recorded),
    })
}

/// The line of a scenario that records every link.
const MAP: Option<&str> = Some("record.map = true");
const NO_TIMES: &str = "Nothing was recorded over time. The same scenario with this line records every \
                        link, and changes nothing else:";

/// What a page does not have of a run, and the line of a scenario that would bring it.
#[derive(Default)]
struct LeftOut(Vec<Value>);

impl LeftOut {
    fn note(&mut self, words: String, paste: Option<&str>) {
        self.0.push(json!({ "words": words, "paste": paste }));
    }

    fn note_links(&mut self, folder: &Path, links: usize, of: usize) -> Result<(), ViewError> {
        if links < of && TableFile::open(folder, "routes")?.is_none() {
            self.note(format!("Only {links} of {of} links were recorded or had traffic."), MAP);
        }
        Ok(())
    }

    /// `cut` rows are not in the page, or none were recorded.
    fn note_routes(&mut self, cut: Option<usize>) {
        match cut {
            Some(0) => {}
            Some(cut) => {
                let words = format!(
                    "Of the rows of `routes` those with most packets are here; {cut} others are left out."
                );
                self.note(words, None);
            }
            None => self.note("Which flows used which links was not recorded:".to_owned(), MAP),
        }
    }

    fn note_packets(&mut self, recorded: usize, here: usize) {
        if recorded > here {
            let words =
                format!("Packets of {recorded} flows were recorded; here are those of {here}.");
            self.note(words, None);
        }
    }
}

/// Columns of `flows`.
struct Flows {
    sources: Vec<f64>,
    destinations: Vec<f64>,
    sizes: Vec<f64>,
    starts: Vec<f64>,
    times: Vec<f64>,
    ideals: Vec<f64>,
    resent: Vec<f64>,
    lost: Vec<f64>,
}

impl Flows {
    fn read(folder: &Path) -> Result<Self, ViewError> {
        let table = needed(folder, "flows")?;
        let column = |name| table.numbers(name);
        Ok(Self {
            sources: column("source")?,
            destinations: column("destination")?,
            sizes: column("size_bytes")?,
            starts: column("start_us")?,
            times: column("fct_us")?,
            ideals: column("ideal_us")?,
            resent: column("retransmitted_packets")?,
            lost: column("dropped_packets")?,
        })
    }

    fn put(&self, index: usize, blocks: &mut Blocks) {
        let ids = |values: &[f64]| values.iter().map(|x| *x as u32).collect::<Vec<_>>();
        let reals = |values: &[f64]| values.iter().map(|x| *x as f32).collect::<Vec<_>>();
        blocks.put(format!("{index}.flow.source"), ids(&self.sources));
        blocks.put(format!("{index}.flow.destination"), ids(&self.destinations));
        blocks.put(format!("{index}.flow.size"), self.sizes.iter().copied());
        blocks.put(format!("{index}.flow.start"), reals(&self.starts));
        blocks.put(format!("{index}.flow.end"), self.ends().map(|x| x as f32));
        blocks.put(format!("{index}.flow.ideal"), reals(&self.ideals));
        blocks.put(format!("{index}.flow.resent"), ids(&self.resent));
        blocks.put(format!("{index}.flow.lost"), ids(&self.lost));
    }

    /// When each was done; not a number if it was not.
    fn ends(&self) -> impl Iterator<Item = f64> + '_ {
        self.starts.iter().zip(&self.times).map(|(start, took)| start + took)
    }

    /// When the last of them was done, or the run's end.
    fn end_us(&self, summary: &Value) -> f64 {
        let last = self.ends().filter(|end| !end.is_nan()).fold(0.0_f64, f64::max);
        summary["completion_us"].as_f64().unwrap_or(last).max(last).max(1.0)
    }
}

/// Totals of each port.
fn totals(folder: &Path, index: usize, blocks: &mut Blocks) -> Result<(), ViewError> {
    let ports = needed(folder, "ports")?;
    for (name, column) in [
        ("queue", "queue_bytes_max"),
        ("marks", "marked_packets"),
        ("trims", "trimmed_packets"),
        ("lost", "dropped_packets"),
        ("paused", "paused_us"),
    ] {
        let values = ports.numbers(column)?;
        let known = values.into_iter().map(|x| if x.is_nan() { 0.0 } else { x });
        blocks.put(format!("{index}.port.{name}"), known);
    }
    Ok(())
}

/// A number a bucket, of the whole run.
fn lanes(
    folder: &Path,
    index: usize,
    flows: &Flows,
    times: &Times,
    buckets: usize,
    blocks: &mut Blocks,
) -> Result<(), ViewError> {
    let width = times.width_us.unwrap_or(1.0);
    let mut change = vec![0_i64; buckets + 1];
    for (start, end) in flows.starts.iter().zip(flows.ends()) {
        if start.is_nan() {
            continue;
        }
        change[times.bucket(*start, buckets)] += 1;
        if !end.is_nan() {
            change[((end / width).ceil() as usize).min(buckets)] -= 1;
        }
    }
    let mut now = 0;
    let under_way = change[..buckets].iter().map(|by| {
        now += by;
        u32::try_from(now).unwrap_or(0)
    });
    blocks.put(format!("{index}.time.under_way"), under_way.collect::<Vec<_>>());
    let Some(timeline) = TableFile::open(folder, "timeline")? else { return Ok(()) };
    let at = timeline.numbers("time_us")?;
    for (name, columns) in
        [("marks", &["marked_packets", "trimmed_packets"][..]), ("drops", &["dropped_frames"])]
    {
        let mut sums = vec![0_u32; buckets];
        for column in columns {
            for (time, value) in at.iter().zip(timeline.numbers(column)?) {
                sums[times.bucket(*time, buckets)] += value as u32;
            }
        }
        blocks.put(format!("{index}.time.{name}"), sums);
    }
    Ok(())
}

/// Where the time of the tail's flow went, in the page's numbers, a bucket each.
fn spans(
    tail: &Value,
    index: usize,
    flow: u64,
    times: &Times,
    buckets: usize,
    blocks: &mut Blocks,
) {
    let Some(spans) = tail["spans"].as_array() else { return };
    let mut went = vec![NOT_YET; buckets];
    for span in spans {
        let word = span["held_by"].as_str().unwrap_or_default();
        let Some(number) = HELD_BY.iter().position(|known| *known == word) else { continue };
        let (Some(from), Some(until)) = (span["from_us"].as_f64(), span["until_us"].as_f64())
        else {
            continue;
        };
        let last = times.bucket(until - 1e-6, buckets);
        went[times.bucket(from, buckets)..=last].fill(number as u8);
    }
    blocks.put(format!("{index}.of{flow}.went"), went);
}

/// Which flows used which ports; how many rows are left out, if that was recorded.
fn routes(
    folder: &Path,
    index: usize,
    most: usize,
    blocks: &mut Blocks,
) -> Result<Option<usize>, ViewError> {
    let Some(table) = TableFile::open(folder, "routes")? else { return Ok(None) };
    let packets = table.numbers("packets")?;
    let mut rows: Vec<usize> = (0..packets.len()).collect();
    if rows.len() > most {
        rows.sort_by(|a, b| packets[*b].total_cmp(&packets[*a]).then(a.cmp(b)));
        rows.truncate(most);
        rows.sort_unstable();
    }
    let whole = |values: &[f64]| rows.iter().map(|row| values[*row] as u32).collect::<Vec<_>>();
    blocks.put(format!("{index}.route.flow"), whole(&table.numbers("flow")?));
    blocks.put(format!("{index}.route.port"), whole(&table.numbers("port")?));
    blocks.put(format!("{index}.route.packets"), whole(&packets));
    for name in ["first", "last"] {
        let values = table.numbers(&format!("{name}_us"))?;
        blocks.put(format!("{index}.route.{name}"), rows.iter().map(|row| values[*row] as f32));
    }
    Ok(Some(packets.len() - rows.len()))
}

/// What broke: both directions of a cable together.
fn faults(folder: &Path, fabric: &Fabric) -> Result<Vec<Value>, ViewError> {
    let mut found: Vec<(Option<usize>, Value)> = Vec::new();
    for fault in results::faults(folder)? {
        let Fault { port, node, effect, from_us, until_us, .. } = fault;
        // The other direction of a cable that is in the list already.
        let twin = port.map(|port| fabric.peer_ports[port]).and_then(|peer| {
            found.iter_mut().find(|(other, fault)| {
                *other == Some(peer)
                    && fault["from_us"] == json!(from_us)
                    && fault["until_us"] == json!(until_us)
                    && fault["effect"] == json!(effect)
            })
        });
        if let (Some((_, fault)), Some(port)) = (twin, port) {
            if let Some(list) = fault["ports"].as_array_mut() {
                list.push(json!(port));
            }
            continue;
        }
        let name = port.map(|port| fabric.ports[port].clone()).or(node);
        let fault = json!({
            "label": format!("{} {effect}", name.unwrap_or_default()),
            "ports": port.into_iter().collect::<Vec<_>>(),
            "effect": effect,
            "from_us": from_us,
            "until_us": until_us,
        });
        found.push((port, fault));
    }
    Ok(found.into_iter().map(|(_, fault)| fault).collect())
}

/// What came out, over its bound.
fn headline(summary: &Value) -> String {
    let Some(completion) = summary["completion_us"].as_f64() else {
        return format!("{} of {} flows did not end.", summary["unfinished"], summary["flows"]);
    };
    let against = match (summary["bound_us"].as_f64(), summary["increase_pct"].as_f64()) {
        (Some(bound), Some(more)) => {
            let word = if more < 0.0 { "under" } else { "over" };
            format!(", {:.0}\u{a0}% {word} the bound of {}", more.abs(), time(bound))
        }
        _ => String::new(),
    };
    format!("Last flow done after {}{against}.", time(completion))
}

/// The sentence on why it took so long, in parts that lead somewhere: that of `tail`, or else what
/// `tails` knows without a map.
fn why(summary: &Value, fabric: &Fabric) -> Vec<Value> {
    let last = &summary["tails"]["last"];
    let Some(flow) = last["flow"].as_u64() else { return Vec::new() };
    let host = |of: &Value| {
        let name = of.as_u64().and_then(|host| fabric.nodes.get(usize::try_from(host).ok()?));
        name.cloned().unwrap_or_default()
    };
    let ends = format!("{} → {}", host(&last["source"]), host(&last["destination"]));
    let mut parts = vec![json!({"text": "Why: "}), json!({"text": ends, "flow": flow})];
    parts.push(json!({"text": match last["slowdown"].as_f64() {
        Some(slowdown) => format!(" was last, {slowdown:.2} times its time alone: "),
        None if last["end_us"].is_null() => " did not end: ".to_owned(),
        None => " was last: ".to_owned(),
    }}));
    let sentence = match summary["tail"]["sentence"].as_str() {
        Some(sentence) => sentence.to_owned(),
        None => told(last),
    };
    parts.extend(linked(&sentence, fabric));
    parts.push(json!({"text": "."}));
    if let Some(sentence) = last["critical_path"]["sentence"].as_str() {
        parts.extend(linked(&format!(" Its {sentence}."), fabric));
    }
    parts
}

/// What is known without a map: losses and the longest queue.
fn told(last: &Value) -> String {
    let count = |key: &str| last[key].as_u64().unwrap_or(0);
    let port = &last["port"];
    let name = port["name"].as_str().unwrap_or_default();
    match (count("lost_packets"), count("timeouts"), port["queue_us"].as_f64()) {
        (0, timeouts, _) if timeouts > 0 => format!("it had {timeouts} timeouts"),
        (0, _, Some(queue)) if !name.is_empty() => {
            format!("the longest queue on its ways was {queue:.1} us at {name}")
        }
        (0, ..) => "it lost nothing".to_owned(),
        (lost, 0, _) => {
            format!("it lost {lost} packets; of all links on its ways most were lost at {name}")
        }
        (lost, timeouts, _) => format!(
            "it lost {lost} packets and had {timeouts} timeouts; of all links on its ways most were \
             lost at {name}"
        ),
    }
}

/// A sentence in parts: names of ports and numbers of flows lead to them.
fn linked(sentence: &str, fabric: &Fabric) -> Vec<Value> {
    let is_name = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
    let mut parts = Vec::new();
    let (mut plain, mut rest) = (String::new(), sentence);
    while !rest.is_empty() {
        let end = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
        let word = rest[..end].trim_end_matches('.');
        let port = || fabric.ports.iter().position(|name| name == word);
        // Ports of hosts are called as these are: after a place alone.
        let is_port = word.contains('.') || plain.ends_with(" at ");
        let to_port = |port: usize| (word, json!({"text": word, "port": port}));
        let found = flow_at(rest).or_else(|| is_port.then(port).flatten().map(to_port));
        if let Some((text, part)) = found {
            parts.push(json!({"text": std::mem::take(&mut plain)}));
            parts.push(part);
            rest = &rest[text.len()..];
        } else {
            let next = end + rest[end..].chars().next().map_or(0, char::len_utf8);
            plain.push_str(&rest[..next]);
            rest = &rest[next..];
        }
    }
    parts.push(json!({"text": plain}));
    parts
}

/// `flow 12`, where a text begins with one.
fn flow_at(text: &str) -> Option<(&str, Value)> {
    let number = text.strip_prefix("flow ")?;
    let end = number.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(number.len());
    let flow: u64 = number[..end].parse().ok()?;
    let words = &text[.."flow ".len() + end];
    Some((words, json!({"text": words, "flow": flow})))
}
