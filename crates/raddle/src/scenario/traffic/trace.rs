//! `kind = "trace"`: what the ranks of a job do, as another program has written it down.

use super::placement::{range, range_line};
use super::style::{
    self, ALGORITHM, ALPHA, BY_SIZE, CHANNELS, CHUNK, PROTOCOL, PXN_JOIN, RAILS, STEP_OVERHEAD,
    Said, StyleKeys, style_keys,
};
use super::{CLASS, HOSTS, Kind, Made, Misfit, Pattern, SEED, TrafficSection, line};
use crate::import::InputError;
use crate::import::trace::{
    self, AllGatherSize, At, Deps, Layout, Opened, Options, RunAs, Trace, TraceError, Units,
    Unknown,
};
use crate::problem::Problem;
use crate::scenario::files::{Files, NamedFile};
use crate::scenario::job::JobKeyWords;
use crate::scenario::key::{Key, Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::Log;
use crate::scenario::spec::{Item, quoted};
use crate::study::metric::BY_COMPLETION;
use raddle_schemes::family::Parameter;
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::topology::Fabric;
use raddle_sim::workload::collective::placement::{Order, Placement};
use raddle_sim::workload::job_graph::{SendDone, Style};
use raddle_sim::workload::{Traffic, WorkloadError};
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: TraceKeys = Section::kind("trace", "what the ranks of a job do, from a trace or a schedule: see [traces](traces.md)").with(JobKeyWords::SECTION) => {
        file: Path, (required "step.goal"),
            "the trace, relative to the scenario; of a Chakra trace the file of one rank, or what stands before `.0.et`";
        format: Word(trace::WORDS), (or "found from the file"),
            "`goal` or `goal_binary` (LogGOPSim), `chakra` (execution traces), `simai` (workloads of SimAI and aicb), `flows_csv` (a list of flows)";
        send_done: Word(&["acked", "delivered", "sent"]), (= "acked"),
            "when a rank goes on after a send: when the last needed ACK has come, or with its delivery; `sent`, when the last byte has left, cannot be said yet";
        deps: Word(Deps::WORDS), (or "`\"both\"`, or `\"data\"` if control edges close a circle"),
            "with `chakra`: which edges hold";
        units: Word(Units::WORDS), (= "streams"),
            "with `chakra`: what goes one at a time: the nodes of a stream, or as ASTRA-sim does one operation of the CPU, one computation and one send or collective (`feeder`)";
        unit: Time, (= "1 ns"),
            "with `goal`: how long one count of time is";
        layout: Word(Layout::WORDS), (or "none: needed where network cards are named"),
            "with `goal`: what a rank is: a host, whichever card it uses (`rank`)";
        all_gather_size: Word(AllGatherSize::WORDS), (= "input"),
            "with `chakra`: what the size of an all-gather is: what a rank puts in, or what it gets out";
        element: Bytes, (= "1 B") [>= "1 B"],
            "with `chakra`: what sizes count";
        unknown: Word(Unknown::WORDS), (= "error"),
            "with `chakra`: what becomes of nodes of unknown types";
        group_file: Path, (or "groups as the trace defines them"),
            "with `chakra`: the ranks of each group, as JSON: `{\"1\": [0, 4]}`";
        all_gpus: Whole, (or "what the first line says") [>= 1],
            "with `simai`: how many GPUs there are";
        run_as: Word(RunAs::WORDS), (or "none: needed with several pipeline stages"),
            "with `simai`: how several pipeline stages are run: all ranks do all rows (`written`)";
        compat: Flag, (= false),
            "with `simai`: do what SimAI does where it misreads its input";
        channels => CHANNELS;
        algorithm => ALGORITHM;
        by_size => BY_SIZE;
        alpha => ALPHA;
        rails => RAILS;
        pxn_join => PXN_JOIN;
        chunk => CHUNK;
        protocol => PROTOCOL;
        step_overhead => STEP_OVERHEAD;
        hosts => HOSTS;
        placement: Word(&["linear", "random"]), (= "linear"),
            "which host is which rank: `linear`, by number, or `random`";
        seed => SEED.meaning("draws the traffic alone: the same placement whatever the run's seed; only where it is random");
        class => CLASS;
    }
}

const STYLE: StyleKeys = style_keys!(KEYS);

pub(super) const KIND: Kind = Kind {
    section: TraceKeys::SECTION,
    seed: Some(&KEYS.seed),
    class: &KEYS.class,
    asked_by: BY_COMPLETION,
    read,
};

/// A trace and where its ranks are.
#[derive(Debug)]
struct Placed {
    trace: Trace,
    style: Said,
    placement: Placement,
}

/// A word that may be there.
fn word<T: Parameter>(reader: &mut Reader<'_>, key: &'static Key) -> Option<T> {
    reader.get(key)
}

/// Reads how to read the trace, with the lines that say it.
fn options(reader: &mut Reader<'_>, files: &Files) -> Option<(Options, Vec<String>)> {
    let mut lines = Vec::new();
    let sent = reader.word(&KEYS.send_done);
    let send_done = SendDone::ALL.iter().copied().find(|known| known.word() == sent);
    if send_done.is_none()
        && let Some(item) = reader.take(&KEYS.send_done)
        && sent == "sent"
    {
        let message =
            "`send_done = \"sent\"` cannot be said yet: nothing hears of the last byte's leaving";
        let label = "expected \"acked\" or \"delivered\"";
        reader.log().add(item.place.problem(message).label(label));
    }
    let units: Units = word(reader, &KEYS.units).unwrap_or(Units::Streams);
    let size: AllGatherSize = word(reader, &KEYS.all_gather_size).unwrap_or(AllGatherSize::Input);
    let unknown: Unknown = word(reader, &KEYS.unknown).unwrap_or(Unknown::Error);
    let deps: Option<Deps> = word(reader, &KEYS.deps);
    let layout: Option<Layout> = word(reader, &KEYS.layout);
    let run_as: Option<RunAs> = word(reader, &KEYS.run_as);
    let unit: Span = reader.or(&KEYS.unit);
    let element: Option<Bytes> = reader.at_least(&KEYS.element);
    let given = reader.take(&KEYS.all_gpus).is_some();
    let all_gpus: Option<u32> = if given { reader.at_least_or(&KEYS.all_gpus, None) } else { None };
    let compat = reader.or(&KEYS.compat);
    let given = reader.take(&KEYS.group_file).is_some();
    let groups = if given { Some(files.file(reader, &KEYS.group_file)?) } else { None };
    let (element, send_done) = (element?, send_done?);
    let default = Options::default();
    let mut say = |changed: bool, line: String| lines.extend(changed.then_some(line));
    say(send_done != default.send_done, format!("send_done = \"{}\"", send_done.word()));
    say(units != default.units, format!("units = \"{}\"", units.word()));
    say(size != default.all_gather_size, format!("all_gather_size = \"{}\"", size.word()));
    say(unknown != default.unknown, format!("unknown = \"{}\"", unknown.word()));
    say(deps.is_some(), format!("deps = \"{}\"", deps.map_or("", Deps::word)));
    say(layout.is_some(), format!("layout = \"{}\"", layout.map_or("", Layout::word)));
    say(run_as.is_some(), format!("run_as = \"{}\"", run_as.map_or("", RunAs::word)));
    say(unit != default.unit, line("unit", &unit));
    say(element != default.element, line("element", &element));
    say(all_gpus.is_some(), line("all_gpus", &all_gpus.unwrap_or(0)));
    say(compat, line("compat", &compat));
    let path = groups.as_ref().map(|file| quoted(&file.path.display().to_string()));
    say(path.is_some(), format!("group_file = {}", path.unwrap_or_default()));
    let options = Options {
        send_done,
        deps,
        units,
        unit,
        layout,
        all_gather_size: size,
        element,
        unknown,
        groups: groups.map(|file| file.text.to_string()),
        all_gpus,
        run_as,
        compat,
        // Set when the fabric is known.
        channels: 1,
        style: Style::default(),
    };
    Some((options, lines))
}

/// Reports the keys that go with other formats.
fn check_keys(reader: &mut Reader<'_>, format: &str) {
    let of: [(&'static Key, &[&str]); 10] = [
        (&KEYS.deps, &["chakra"]),
        (&KEYS.units, &["chakra"]),
        (&KEYS.all_gather_size, &["chakra"]),
        (&KEYS.element, &["chakra"]),
        (&KEYS.unknown, &["chakra"]),
        (&KEYS.group_file, &["chakra"]),
        (&KEYS.unit, &["goal", "goal_binary"]),
        (&KEYS.layout, &["goal", "goal_binary"]),
        (&KEYS.all_gpus, &["simai"]),
        (&KEYS.run_as, &["simai"]),
    ];
    for (key, formats) in of {
        if !formats.contains(&format) {
            let with = format!("`format = \"{}\"`", formats[0]);
            reader.misplaced(key, &format!("with `format = \"{format}\"`"), &with);
        }
    }
    if format != "simai" {
        reader.misplaced(&KEYS.compat, "with this format", "`format = \"simai\"`");
    }
}

fn read(reader: &mut Reader<'_>, files: &Files, _: u8) -> Option<Made> {
    let format = word_of_format(reader);
    let options = options(reader, files);
    let style = style::of_job(reader, &STYLE);
    let hosts = range(reader, &KEYS.hosts);
    let order = reader.word(&KEYS.placement);
    let item = reader.demand(&KEYS.file)?;
    let path = files.path(reader, &KEYS.file)?;
    let (format, (options, mut own), (style, of_style)) = (format?, options?, style?);
    own.extend(of_style);
    let opened = match trace::open(&path) {
        Ok(opened) => opened,
        Err((path, error)) => {
            let message = format!("cannot read {}: {error}", path.display());
            reader.log().add(item.place.problem(message));
            return None;
        }
    };
    let file = opened.text().map(|text| NamedFile { path: path.clone(), text: text.into() });
    if let Some(file) = &file {
        files.keep(file);
    }
    let trace = match trace::read(&opened, format, &options) {
        Ok(trace) => trace,
        Err(errors) => {
            report(&errors, &opened, file.as_ref(), item, reader.log());
            return None;
        }
    };
    check_keys(reader, trace.format.word);
    for note in &trace.notes {
        reader.log().note(format!("{}: {note}", path.display()));
    }
    let Ok(hosts) = hosts else { return None };
    let mut lines = vec![format!("file = {}", quoted(&path.display().to_string()))];
    lines.push(format!("format = \"{}\"", trace.format.word));
    if file.is_none() {
        // Copies of scenarios have texts alone: what is in the files is told apart by this.
        lines.push(format!("# contents {:016x}", opened.digest));
    }
    lines.append(&mut own);
    lines.extend(hosts.map(|hosts| range_line("hosts", hosts)));
    lines.push(format!("placement = \"{order}\""));
    let order = [Order::Linear, Order::Random].into_iter().find(|known| known.word() == order)?;
    let ranks = Some(trace.ranks());
    let title = path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let placement = Placement { hosts, ranks, order, server: 1, groups: None };
    let pattern = Arc::new(Placed { trace, style, placement });
    Some(Made { pattern, lines, title, files: file.into_iter().collect() })
}

/// The format that is named, if one is; `None` for a wrong word.
fn word_of_format(reader: &mut Reader<'_>) -> Option<Option<&'static str>> {
    if reader.take(&KEYS.format).is_none() {
        return Some(None);
    }
    reader.choice(&KEYS.format).map(Some)
}

/// Reports what is wrong in the files: in a text at its lines.
fn report(
    errors: &[TraceError],
    opened: &Opened,
    file: Option<&NamedFile>,
    item: &Item,
    log: &Log,
) {
    for error in errors {
        let help = error.help.clone();
        match (error.at, file) {
            (At::Line(line, column, length), Some(file)) => {
                let message = error.message.clone();
                file.report([InputError { line, column, length, message, help }], log);
            }
            _ => {
                let path = opened.paths.get(error.file).map(|path| path.display().to_string());
                let place = match error.at {
                    At::Byte(byte) => format!(", byte {byte}"),
                    _ => String::new(),
                };
                let message = format!("{}{place}: {}", path.unwrap_or_default(), error.message);
                let problem = item.place.problem(message);
                log.add(Problem { help: help.into_iter().collect(), ..problem });
            }
        }
    }
}

impl Placed {
    fn placed(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, Misfit> {
        let ranks = self.trace.ranks();
        if ranks > fabric.hosts {
            return Err(Misfit::File(format!(
                "the trace has {ranks} ranks, and the fabric {} hosts",
                fabric.hosts
            )));
        }
        let hosts = match self.placement.ranks(fabric.hosts, seed) {
            // One rank alone is no placement.
            Err(_) if ranks < 2 => (0..ranks).map(HostId).collect(),
            Err(WorkloadError { quantity: "ranks", found, fits, .. })
                if found == ranks.to_string() =>
            {
                return Err(Misfit::File(format!("the trace has {ranks} ranks; expected {fits}")));
            }
            hosts => hosts?,
        };
        self.trace.traffic_as(&hosts, self.style.on(fabric)).map_err(Misfit::File)
    }
}

impl Pattern for Placed {
    fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, Misfit> {
        self.placed(fabric, seed)
    }

    fn flows(&self, fabric: &Fabric) -> u64 {
        let flows = self.trace.flows();
        if self.trace.is_list() { flows } else { self.style.flows(flows, fabric) }
    }

    fn largest(&self) -> Bytes {
        self.trace.largest()
    }

    fn message_key(&self) -> &'static str {
        "file"
    }

    fn nothing_drawn(&self) -> Option<&'static str> {
        (self.placement.order == Order::Linear).then_some("placement = \"linear\"")
    }

    fn own_classes(&self) -> Option<Vec<(usize, u8)>> {
        self.trace.classes()
    }

    fn check(&self, section: &TrafficSection, fabric: &Fabric, log: &Log) {
        if let Err(misfit) = self.placed(fabric, 0) {
            log.add(section.problem(&misfit));
        }
        // A list of flows has none, either.
        let collectives = self.trace.counts().is_some_and(|own| !own.collectives.is_empty());
        let is_known = self.trace.is_list() || self.trace.counts().is_some();
        if let (true, false, Some(key)) = (is_known, collectives, self.style.needs(&STYLE)) {
            let message = format!("`{}` has no effect: the trace has no collectives", key.word);
            log.add(section.place_of(key.word).problem(message).label("leave it out"));
        }
        self.style.check(section, fabric, log);
    }
}
