//! A run as a trace that ui.perfetto.dev opens: ports with their queues and services, flows with their
//! packets, jobs with their phases, and what broke.
//!
//! Perfetto counts nanoseconds; notes of slices have the picoseconds. Slices of one track nest: where
//! some could overlap, each has a lane.

use super::trace::{Note, Told, Trace};
use super::traced::{Hop, Packet, Traced};
use super::{ExportError, Written, create};
use crate::results::{Fabric, Fault, Kept, ResultsError, faults, needed};
use crate::study::tables::TableFile;
use raddle_sim::record::rows::Fate;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Hops that a browser still holds.
pub const MOST_HOPS: u64 = 4_000_000;

/// Writes a run to the file `to`: with packets of `flows`, or of all that were recorded, and at most so
/// many hops.
///
/// # Errors
/// A run of which neither packets nor links were recorded, packets of `flows` that were not, too many
/// hops, a damaged folder, a file that cannot be written.
pub fn perfetto(
    run: &Kept,
    flows: &[u64],
    most_hops: u64,
    to: &Path,
) -> Result<Written, ExportError> {
    let fabric = Fabric::read(&run.folder)?;
    let mut notes = Vec::new();
    let mut traced = match Traced::read(run, &fabric) {
        Err(lacking @ ExportError::NotRecorded(..)) if flows.is_empty() => {
            notes.push(lacking.to_string());
            None
        }
        read => Some(read?),
    };
    if let Some(traced) = &mut traced {
        traced.keep(run, flows)?;
        let hops = traced.packets.iter().map(|packet| packet.hops.len() as u64).sum();
        if hops > most_hops {
            return Err(ExportError::TooManyHops(hops, most_hops));
        }
    }
    let queues = Queues::read(&run.folder)?;
    if let Some(port) = queues.samples.keys().find(|port| **port as usize >= fabric.ports.len()) {
        let why = format!("`ports` has no port {port}: it is of another run");
        return Err(ResultsError::Damaged(run.folder.join("series.parquet"), why).into());
    }
    if queues.samples.is_empty() {
        let line = "record.map = true".to_owned();
        let lacking = ExportError::NotRecorded(run.folder.clone(), "links over time were", line);
        if traced.is_none() {
            return Err(lacking);
        }
        notes.push(lacking.to_string());
    }
    let scene = Scene {
        faults: faults(&run.folder)?,
        flows: Flows::read(&run.folder)?,
        fabric,
        traced,
        queues,
    };
    let wrong = |error: io::Error| ExportError::write(to, &error);
    let file = create(run, to)?;
    let (out, records) = scene.write(BufWriter::new(file)).map_err(wrong)?;
    let bytes = out.get_ref().metadata().map_err(wrong)?.len();
    Ok(Written { records, bytes, notes })
}

/// All that a trace shows.
struct Scene {
    fabric: Fabric,
    traced: Option<Traced>,
    queues: Queues,
    faults: Vec<Fault>,
    flows: Flows,
}

impl Scene {
    fn write<W: Write>(&self, out: W) -> io::Result<(W, u64)> {
        let mut trace = Trace::begin_file(out)?;
        self.write_jobs(&mut trace)?;
        self.write_faults(&mut trace)?;
        self.write_flows(&mut trace)?;
        self.write_ports(&mut trace)?;
        trace.end_file()
    }

    /// The end of all that is known, in picoseconds.
    fn end_ps(&self) -> u64 {
        let flows = self.flows.rows.iter().filter_map(|flow| flow.until_ps).max();
        let queues = self.queues.samples.values().flatten().map(|(at, _)| *at).max();
        let hops = self.traced.iter().flat_map(|own| &own.hops).map(Hop::end_ps).max();
        flows.max(queues).max(hops).unwrap_or(0)
    }

    /// Jobs, and their phases from the first start to the last end.
    fn write_jobs<W: Write>(&self, trace: &mut Trace<W>) -> io::Result<()> {
        let end = self.end_ps();
        let mut jobs: BTreeMap<&str, Vec<(u64, u64, &str)>> = BTreeMap::new();
        let mut spans: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
        for flow in &self.flows.rows {
            let (Some(job), Some(from)) = (&flow.job, flow.from_ps) else { continue };
            let phase = flow.phase.as_deref().unwrap_or_default();
            let until = flow.until_ps.unwrap_or(end).max(from);
            let span = spans.entry((job, phase)).or_insert((from, until));
            *span = (span.0.min(from), span.1.max(until));
        }
        for ((job, phase), (from, until)) in spans {
            jobs.entry(job).or_default().push((from, until, phase));
        }
        if jobs.is_empty() {
            return Ok(());
        }
        let top = trace.track(None, "jobs", 0)?;
        for (rank, (job, mut phases)) in (0..).zip(jobs) {
            phases.sort_unstable();
            let track = trace.track(Some(top), job, rank)?;
            let from = phases.iter().map(|own| own.0).min().unwrap_or(0);
            let until = phases.iter().map(|own| own.1).max().unwrap_or(0);
            trace.begin(track, from, job, None, &[])?;
            trace.end(track, until)?;
            let mut lanes = Lanes::below(track, "phases");
            for (from, until, phase) in phases.into_iter().filter(|own| !own.2.is_empty()) {
                let lane = lanes.free(trace, from, until)?;
                trace.begin(lane, from, phase, None, &[])?;
                trace.end(lane, until)?;
            }
        }
        Ok(())
    }

    /// A track for each port or node and what it suffered.
    fn write_faults<W: Write>(&self, trace: &mut Trace<W>) -> io::Result<()> {
        if self.faults.is_empty() {
            return Ok(());
        }
        let end = self.end_ps();
        let top = trace.track(None, "faults", 1)?;
        let mut of: BTreeMap<String, Lanes> = BTreeMap::new();
        let mut sorted: Vec<&Fault> = self.faults.iter().collect();
        sorted.sort_by(|a, b| a.from_us.total_cmp(&b.from_us));
        for fault in sorted {
            let port = fault.port.and_then(|port| self.fabric.ports.get(port).cloned());
            let name = port.or_else(|| fault.node.clone()).unwrap_or_default();
            let from = ps(fault.from_us);
            let until = fault.until_us.map_or(end.max(from), ps);
            let lanes = of.entry(name.clone()).or_insert_with(|| Lanes::below(top, &name));
            let lane = lanes.free(trace, from, until)?;
            trace.begin(lane, from, &format!("{name} {}", fault.effect), None, &[])?;
            trace.end(lane, until)?;
        }
        Ok(())
    }

    /// A track for each flow whose packets were recorded, and below it its packets with their stays.
    fn write_flows<W: Write>(&self, trace: &mut Trace<W>) -> io::Result<()> {
        let Some(traced) = &self.traced else { return Ok(()) };
        let end = self.end_ps();
        let top = trace.track(None, "flows", 2)?;
        for (rank, packets) in (0..).zip(traced.packets.chunk_by(|a, b| a.flow == b.flow)) {
            let number = packets[0].flow;
            let flow = &self.flows.rows[number as usize];
            let (source, destination) = traced.ends[number as usize];
            let host = |host: u32| self.fabric.nodes.get(host as usize).map_or("", |name| name);
            let name = format!("flow {number}: {} to {}", host(source), host(destination));
            let track = trace.track(Some(top), &name, rank)?;
            let from = flow.from_ps.unwrap_or(0);
            let until = flow.until_ps.unwrap_or(end).max(from);
            trace.begin(track, from, &name, None, &[(Note::Bytes, Told::Whole(flow.bytes))])?;
            trace.end(track, until)?;
            let mut lanes = Lanes::below(track, "packets");
            let mut sorted: Vec<(u64, &Packet)> = packets
                .iter()
                .map(|own| (self.began(own.port, own.sent_ps, own.bytes), own))
                .collect();
            sorted.sort_by_key(|(began, own)| (*began, own.row));
            for (began, packet) in sorted {
                self.write_packet(trace, traced, &mut lanes, began, packet)?;
            }
        }
        Ok(())
    }

    fn write_packet<W: Write>(
        &self,
        trace: &mut Trace<W>,
        traced: &Traced,
        lanes: &mut Lanes,
        began_ps: u64,
        packet: &Packet,
    ) -> io::Result<()> {
        let hops = traced.hops_of(packet);
        let last = hops.iter().map(Hop::end_ps).max().unwrap_or(0).max(packet.sent_ps);
        let ended = packet.arrived_ps.unwrap_or(last).max(last);
        let lane = lanes.free(trace, began_ps, ended)?;
        let again = if packet.again { " again" } else { "" };
        let name = format!("packet {}{again}", packet.number);
        let notes = [
            (Note::Row, Told::Whole(packet.row)),
            (Note::BeganPs, Told::Whole(began_ps)),
            (Note::EndedPs, Told::Whole(ended)),
            (Note::Entropy, Told::Whole(packet.entropy.into())),
            (Note::Bytes, Told::Whole(packet.bytes.into())),
            (Note::Fate, Told::Word(packet.fate.word())),
        ];
        trace.begin(lane, began_ps, &name, Some(packet.row), &notes)?;
        for hop in hops {
            let mut notes = vec![
                (Note::BeganPs, Told::Whole(hop.arrived_ps)),
                (Note::StayPs, Told::Whole(hop.stay_ps)),
            ];
            if hop.fate != Fate::Left {
                notes.push((Note::Fate, Told::Word(hop.fate.word())));
            }
            notes.extend(hop.found_bytes.map(|found| (Note::FoundBytes, Told::Whole(found))));
            let port = &self.fabric.ports[hop.port as usize];
            trace.begin_known(lane, hop.arrived_ps, port, &notes)?;
            trace.end(lane, hop.end_ps())?;
        }
        trace.end(lane, ended)
    }

    /// When the first bit of what left a port at an instant left it, by the rate of its link then.
    fn began(&self, port: u32, left_ps: u64, bytes: u32) -> u64 {
        let slowed = |fault: &&Fault| {
            let until = fault.until_us.map_or(u64::MAX, ps);
            fault.port == Some(port as usize) && (ps(fault.from_us)..until).contains(&left_ps)
        };
        let slow = self.faults.iter().filter(slowed).find_map(|fault| fault.rate_gbps);
        let rate = slow.unwrap_or(self.fabric.rates[port as usize]);
        left_ps.saturating_sub((f64::from(bytes) * 8000.0 / rate.max(1e-9)).round() as u64)
    }

    /// Pods, switches and hosts in them, and their ports: of those at which something was recorded.
    fn write_ports<W: Write>(&self, trace: &mut Trace<W>) -> io::Result<()> {
        let moments = self.moments();
        let used = moments.keys().chain(self.queues.samples.keys()).copied();
        let used: BTreeSet<u32> = used.collect();
        // A pod's number, or the word of a tier that belongs to none.
        let group = |node: usize| match self.fabric.pods[node] {
            Some(pod) => (0, pod, String::new()),
            None => (1, 0, self.fabric.kinds[node].to_owned()),
        };
        let mut tree: BTreeMap<_, BTreeMap<usize, Vec<u32>>> = BTreeMap::new();
        for port in used {
            let node = self.fabric.owners[port as usize];
            tree.entry(group(node)).or_default().entry(node).or_default().push(port);
        }
        for (rank, ((_, pod, word), nodes)) in (3..).zip(tree) {
            let name = if word.is_empty() { format!("pod {pod}") } else { word };
            let group = trace.track(None, &name, rank)?;
            for (rank, (node, ports)) in (0..).zip(nodes) {
                let node = trace.track(Some(group), &self.fabric.nodes[node], rank)?;
                for (rank, port) in (0..).zip(ports) {
                    let name = &self.fabric.ports[port as usize];
                    let track = trace.track(Some(node), name, rank)?;
                    if let Some(samples) = self.queues.samples.get(&port) {
                        let counter = trace.counter(track, &format!("{name} queue"), "B")?;
                        for (at, bytes) in samples {
                            trace.sample(counter, *at, *bytes)?;
                        }
                    }
                    let own = moments.get(&port).map_or(&[][..], |own| own);
                    self.write_services(trace, track, own)?;
                }
            }
        }
        Ok(())
    }

    /// By port: when packets left it or were lost there, and which they are.
    fn moments(&self) -> BTreeMap<u32, Vec<Moment<'_>>> {
        let mut moments: BTreeMap<u32, Vec<Moment<'_>>> = BTreeMap::new();
        let Some(traced) = &self.traced else { return moments };
        for packet in &traced.packets {
            let at = packet.sent_ps;
            moments.entry(packet.port).or_default().push(Moment { at, packet, hop: None });
            for hop in traced.hops_of(packet) {
                let own = Moment { at: hop.end_ps(), packet, hop: Some(hop) };
                moments.entry(hop.port).or_default().push(own);
            }
        }
        moments.values_mut().for_each(|own| own.sort_by_key(|own| (own.at, own.packet.row)));
        moments
    }

    /// What a port sent, a slice each, and what it marked, trimmed and lost.
    fn write_services<W: Write>(
        &self,
        trace: &mut Trace<W>,
        track: u64,
        moments: &[Moment<'_>],
    ) -> io::Result<()> {
        let (mut services, mut instants) = (Vec::new(), Vec::new());
        let mut free = 0;
        for moment @ Moment { at, packet, hop } in moments.iter().copied() {
            let fate = hop.map_or(Fate::Left, |hop| hop.fate);
            if fate.has_left() {
                // Not before the one ahead of it, nor before it was there.
                let there = hop.map_or(0, |hop| hop.arrived_ps);
                let bytes = hop.map_or(packet.bytes, |hop| hop.bytes);
                let began = self.began(moment.port(), at, bytes).max(free).max(there).min(at);
                services.push((began, moment));
                free = at;
            }
            let is_first_link = hop.is_none() && packet.hops.is_empty();
            if let Fate::Lost(cause) = if is_first_link { packet.fate } else { fate } {
                instants.push((format!("lost: {}", cause.word()), moment));
            }
            if hop.is_some_and(|hop| hop.marked) {
                instants.push(("marked".to_owned(), moment));
            }
            if fate == Fate::Trimmed {
                instants.push(("trimmed".to_owned(), moment));
            }
        }
        // In order of time; what ends does so before what happens then, and that before what begins.
        let ends = services.iter().zip(0..).map(|((_, own), row)| (own.at, 0, row));
        let between = instants.iter().zip(0..).map(|((_, own), row)| (own.at, 1, row));
        let begins = services.iter().zip(0..).map(|((began, _), row)| (*began, 2, row));
        let mut order: Vec<(u64, u8, usize)> = ends.chain(between).chain(begins).collect();
        order.sort_unstable();
        for (at, kind, row) in order {
            match kind {
                0 => trace.end(track, at)?,
                1 => trace.instant(track, at, &instants[row].0, &instants[row].1.whose())?,
                _ => {
                    let (began, Moment { at: ended, packet, .. }) = services[row];
                    let notes =
                        [(Note::BeganPs, Told::Whole(began)), (Note::EndedPs, Told::Whole(ended))];
                    let name = format!("{}.{}", packet.flow, packet.number);
                    trace.begin(track, at, &name, Some(packet.row), &notes)?;
                }
            }
        }
        Ok(())
    }
}

/// A packet leaves a port, or is lost there.
#[derive(Clone, Copy)]
struct Moment<'a> {
    at: u64,
    packet: &'a Packet,
    /// None at its host.
    hop: Option<&'a Hop>,
}

impl Moment<'_> {
    fn port(&self) -> u32 {
        self.hop.map_or(self.packet.port, |hop| hop.port)
    }

    /// Its flow and its number.
    fn whose(&self) -> [(Note, Told<'static>); 2] {
        let number = u64::from(self.packet.number);
        [(Note::Flow, Told::Whole(self.packet.flow)), (Note::Packet, Told::Whole(number))]
    }
}

/// Tracks side by side, so many that slices on one of them do not overlap.
struct Lanes {
    below: u64,
    name: String,
    /// Of each: until when it is taken.
    taken: Vec<(u64, u64)>,
}

impl Lanes {
    fn below(below: u64, name: &str) -> Self {
        Self { below, name: name.to_owned(), taken: Vec::new() }
    }

    /// The first that is free from then on, or another one. Who asks later begins no sooner.
    fn free<W: Write>(&mut self, trace: &mut Trace<W>, from: u64, until: u64) -> io::Result<u64> {
        if let Some(lane) = self.taken.iter_mut().find(|(taken, _)| *taken <= from) {
            lane.0 = until;
            return Ok(lane.1);
        }
        let rank = self.taken.len() as u64;
        let track = trace.track(Some(self.below), &self.name, rank)?;
        self.taken.push((until, track));
        Ok(track)
    }
}

/// The longest queues of recorded ports, a bucket each, as they change.
struct Queues {
    samples: BTreeMap<u32, Vec<(u64, u64)>>,
}

impl Queues {
    fn read(folder: &Path) -> Result<Self, ExportError> {
        let mut samples: BTreeMap<u32, Vec<(u64, u64)>> = BTreeMap::new();
        let Some(table) = TableFile::open(folder, "series")? else { return Ok(Self { samples }) };
        let (ports, at) = (table.numbers("port")?, table.numbers("time_us")?);
        let queues = table.numbers("queue_bytes_max")?;
        let rows: Vec<usize> = (0..ports.len()).collect();
        for rows in rows.chunk_by(|a, b| ports[*a] == ports[*b]) {
            let own = samples.entry(ports[rows[0]] as u32).or_default();
            for row in rows {
                let bytes = queues[*row] as u64;
                if own.last().is_none_or(|(_, last)| *last != bytes) {
                    own.push((ps(at[*row]), bytes));
                }
            }
            // The last bucket ends, too.
            if let ([.., last_but_one, last], Some((_, 1..))) = (rows, own.last()) {
                own.push((ps(2.0 * at[*last] - at[*last_but_one]), 0));
            }
        }
        Ok(Self { samples })
    }
}

/// What is told of each flow.
struct Flows {
    rows: Vec<FlowSpan>,
}

struct FlowSpan {
    bytes: u64,
    from_ps: Option<u64>,
    until_ps: Option<u64>,
    job: Option<String>,
    phase: Option<String>,
}

impl Flows {
    fn read(folder: &Path) -> Result<Self, ExportError> {
        let table = needed(folder, "flows")?;
        let (starts, times) = (table.numbers("start_us")?, table.numbers("fct_us")?);
        let (sizes, mut jobs) = (table.numbers("size_bytes")?, table.texts("job")?);
        let mut phases = table.texts("phase")?;
        let known = |us: f64| (!us.is_nan()).then(|| ps(us));
        let row = |row: usize| FlowSpan {
            bytes: sizes[row] as u64,
            from_ps: known(starts[row]),
            until_ps: known(starts[row] + times[row]),
            job: jobs[row].take(),
            phase: phases[row].take(),
        };
        Ok(Self { rows: (0..table.rows()).map(row).collect() })
    }
}

/// Picoseconds of a time in microseconds.
fn ps(us: f64) -> u64 {
    (us * 1e6).round() as u64
}
