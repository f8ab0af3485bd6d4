//! `[traffic]`: who sends what to whom.

use super::collective::{self, Placed};
use super::fault::FaultSection;
use super::files::{Files, NamedFile};
use super::job::{self, JobKeys};
use super::open_loop;
use super::reader::{Log, Reader};
use super::scheme::shown;
use super::spec::{Entry, Item, Place, quoted};
use super::topology::{Shape, Topology};
use crate::import::htsim_cm::{self, CmOptions, ConnectionMatrix, Cut};
use crate::problem::Problem;
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::topology::Fabric;
use raddle_sim::workload::all_to_all::{AllToAll, Order};
use raddle_sim::workload::explicit::{self, ExplicitFlow};
use raddle_sim::workload::incast::Incast;
use raddle_sim::workload::partners::Partners;
use raddle_sim::workload::permutation::Permutation;
use raddle_sim::workload::poisson::Poisson;
use raddle_sim::workload::tornado::Tornado;
use raddle_sim::workload::{Traffic, WorkloadError};

const KINDS: &[&str] = &[
    "permutation",
    "tornado",
    "incast",
    "all_to_all",
    "collective",
    "fsdp",
    "poisson",
    "partners",
    "flows",
    "htsim_cm",
];

/// Of these, the kinds that draw something, and so may have a `seed` of their own.
const DRAWN: &[&str] = &["permutation", "all_to_all", "collective", "fsdp", "poisson", "partners"];

/// The message where none is given.
const MESSAGE: Bytes = Bytes::mib(8);

/// The section, valid as far as it can be without a fabric.
#[derive(Clone, Debug)]
pub(crate) struct TrafficSection {
    pub(crate) pattern: Pattern,
    /// The section's lines with every default filled in.
    pub(crate) resolved: String,
    /// `8 MiB permutation`.
    pub(crate) title: String,
    /// Files that decide about the traffic.
    pub(crate) files: Vec<NamedFile>,
    /// What every kind has.
    pub(crate) job: JobKeys,
    /// The seed of the traffic's draws, if it is not the run's.
    seed: Option<u64>,
    /// The class of the flows that name none of their own.
    class: u8,
    item: Item,
}

/// What generates the flows.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    /// Everyone sends to one other and receives from one.
    Permutation(Permutation),
    /// To the host half of all hosts further on.
    Tornado(Tornado),
    /// Many to one.
    Incast(Incast),
    /// Everyone to everyone.
    AllToAll(AllToAll),
    /// A collective, or several of them.
    Collective(Box<Placed>),
    /// Random arrivals.
    Poisson(Box<Poisson>),
    /// Flow after flow, most of them to one partner.
    Partners(Box<Partners>),
    /// A connection matrix of htsim.
    Matrix(Box<ConnectionMatrix>),
    /// A list, each flow with its position among those typed.
    Flows(Vec<(usize, ExplicitFlow)>),
}

/// A pattern, its lines, its title, and the files it was read from.
pub(crate) type Made = (Pattern, Vec<String>, String, Vec<NamedFile>);

/// Reads the section.
///
/// `heading` is `[traffic]`, or `[[traffic]]` where there may be several.
pub(crate) fn traffic(
    heading: &str,
    item: &Item,
    files: &Files,
    log: &Log,
) -> Option<TrafficSection> {
    let mut reader = Reader::of(heading, item, log)?;
    let chosen = reader.choice("kind", KINDS)?;
    let kind = *KINDS.iter().find(|kind| **kind == chosen)?;
    let job = job::keys(&mut reader, kind, heading == "[[traffic]]");
    let seed = if DRAWN.contains(&kind) { reader.get("seed") } else { None };
    let class = reader.or("class", 0);
    let made = match kind {
        "permutation" => permutation(&mut reader),
        "tornado" => tornado(&mut reader),
        "incast" => incast(&mut reader),
        "all_to_all" => all_to_all(&mut reader),
        "collective" => collective::collective(&mut reader),
        "fsdp" => collective::fsdp(&mut reader),
        "poisson" => open_loop::poisson(&mut reader, files),
        "partners" => open_loop::partners(&mut reader, files),
        "flows" => flows(&mut reader, class),
        _ => matrix(&mut reader, files),
    };
    reader.finish();
    let (pattern, lines, title, files) = made?;
    let job = job?;
    let drawn = match &pattern {
        _ if job.draws() => Ok(()),
        Pattern::Collective(placed) if !placed.draws() => Err("placement = \"linear\""),
        Pattern::AllToAll(all_to_all) => match all_to_all.order {
            Order::Shifted => Err("order = \"shifted\""),
            Order::Strided => Err("order = \"strided\""),
            Order::Random => Ok(()),
        },
        _ => Ok(()),
    };
    if let (Err(with), Some(entry)) = (drawn, entry(item, "seed")) {
        let problem = entry.key_place.problem(format!("`seed` has no effect with `{with}`"));
        log.add(problem.label("leave it out: nothing is drawn"));
    }
    let own = [(class > 0).then(|| line("class", &class)), seed.map(|seed| line("seed", &seed))];
    let lines: Vec<String> =
        lines.into_iter().chain(job.lines()).chain(own.into_iter().flatten()).collect();
    let resolved = format!("{heading}\nkind = {}\n{}\n", quoted(kind), lines.join("\n").trim_end());
    let item = item.clone();
    Some(TrafficSection { pattern, resolved, title, files, job, seed, class, item })
}

/// The entry of a table at `key`.
fn entry<'a>(item: &'a Item, key: &str) -> Option<&'a Entry> {
    item.table()?.entries.iter().find(|entry| entry.key == key)
}

pub(crate) fn message(reader: &mut Reader<'_>) -> Option<Bytes> {
    reader.at_least("message", Bytes(1), Some(MESSAGE))
}

pub(crate) fn line<T: raddle_schemes::family::Parameter>(key: &str, value: &T) -> String {
    format!("{key} = {}", shown(value))
}

fn permutation(reader: &mut Reader<'_>) -> Option<Made> {
    let message = message(reader);
    let inter_pod_only = reader.or("inter_pod_only", false);
    let message = message?;
    Some((
        Pattern::Permutation(Permutation { message, inter_pod_only }),
        vec![line("message", &message), line("inter_pod_only", &inter_pod_only)],
        format!("{message} {}permutation", if inter_pod_only { "inter-pod " } else { "" }),
        Vec::new(),
    ))
}

fn tornado(reader: &mut Reader<'_>) -> Option<Made> {
    let message = message(reader)?;
    let pattern = Pattern::Tornado(Tornado { message });
    Some((pattern, vec![line("message", &message)], format!("{message} tornado"), Vec::new()))
}

fn incast(reader: &mut Reader<'_>) -> Option<Made> {
    let senders = reader.at_least("senders", 1, None);
    let receiver = reader.or("receiver", 0);
    let message = message(reader)?;
    let senders = senders?;
    Some((
        Pattern::Incast(Incast { senders, receiver: HostId(receiver), message }),
        vec![line("senders", &senders), line("receiver", &receiver), line("message", &message)],
        format!("{senders}:1 incast of {message}"),
        Vec::new(),
    ))
}

fn all_to_all(reader: &mut Reader<'_>) -> Option<Made> {
    let message = message(reader);
    let given = reader.take("parallel").is_some();
    reader.take("order");
    let in_flight = if given { Some(reader.at_least("parallel", 1, Some(1))?) } else { None };
    let order = collective::order(reader, in_flight)?.unwrap_or(Order::Shifted);
    let message = message?;
    let parallel = in_flight.map(|n| line("parallel", &n));
    let by = in_flight.map_or(String::new(), |n| format!(", {n} at a time"));
    let (own_order, random) = match order {
        Order::Shifted => (None, ""),
        Order::Random => (Some(line("order", &order)), " in random order"),
        Order::Strided => (Some(line("order", &order)), " in strides"),
    };
    Some((
        Pattern::AllToAll(AllToAll { message, order, in_flight }),
        std::iter::once(line("message", &message)).chain(own_order).chain(parallel).collect(),
        format!("{message} all-to-all{random}{by}"),
        Vec::new(),
    ))
}

fn flows(reader: &mut Reader<'_>, class: u8) -> Option<Made> {
    let given = reader.demand("flow", "[{ from = 0, to = 1, bytes = \"1 MiB\" }]")?;
    let mut list = Vec::new();
    let mut lines = vec!["flow = [".to_owned()];
    let items = reader.list("flow", "flows");
    if given.list().is_some_and(<[Item]>::is_empty) {
        let problem = given.place.problem("there are no flows");
        reader.log().add(problem.label("expected at least one flow"));
    }
    for (position, item) in items.iter().enumerate() {
        let Some(mut flow) = Reader::of("flow", item, reader.log()) else { continue };
        let from = flow.need("from", "0");
        let to = flow.need("to", "1");
        let bytes = flow.at_least("bytes", Bytes(1), None);
        let start = flow.or("start", Span::ZERO);
        let own = flow.or("class", class);
        flow.finish();
        let (Some(from), Some(to), Some(message)) = (from, to, bytes) else { continue };
        let of_its_own = if own == class { String::new() } else { format!(", class = {own}") };
        lines.push(format!(
            "  {{ from = {from}, to = {to}, bytes = {}, start = {}{of_its_own} }},",
            shown(&message),
            shown(&start)
        ));
        let (source, destination) = (HostId(from), HostId(to));
        let start = Time(start.0);
        list.push((position, ExplicitFlow { source, destination, message, class: own, start }));
    }
    lines.push("]".to_owned());
    let title = format!("{} flow{}", list.len(), if list.len() == 1 { "" } else { "s" });
    Some((Pattern::Flows(list), lines, title, Vec::new()))
}

fn matrix(reader: &mut Reader<'_>, files: &Files) -> Option<Made> {
    let compat = reader.or("compat", false);
    let file = files.file(reader, "\"permutation.cm\"")?;
    let report = |errors| file.report(errors, reader.log());
    let matrix = htsim_cm::parse(&file.text, CmOptions { compat }).map_err(report).ok()?;
    file.note(&matrix.notes, reader.log());
    let path = quoted(&file.path.display().to_string());
    Some((
        Pattern::Matrix(Box::new(matrix)),
        vec![format!("file = {path}"), line("compat", &compat)],
        file.name(),
        vec![file],
    ))
}

impl TrafficSection {
    /// Faults that come with the traffic: a connection matrix may cut cables of a tree.
    pub(crate) fn faults(&self, topology: &Topology, log: &Log) -> Vec<FaultSection> {
        let (Pattern::Matrix(matrix), [file, ..]) = (&self.pattern, &self.files[..]) else {
            return Vec::new();
        };
        if matrix.failures.is_empty() {
            return Vec::new();
        }
        let place = self.place_in("file", None);
        let Shape::Tree(shape) = &topology.shape else {
            let problem = place.problem("the matrix cuts cables by their place in a tree");
            log.add(problem.label("expected a topology that is a tree"));
            return Vec::new();
        };
        match matrix.cuts(shape) {
            Ok((cuts, notes)) => {
                file.note(&notes, log);
                let parallel = shape.parallel[1];
                let link = |cut: &Cut| format!("agg{}.up{}", cut.agg, cut.core_of_agg * parallel);
                cuts.iter().map(|cut| FaultSection::cut(link(cut), place)).collect()
            }
            Err(errors) => {
                file.report(errors, log);
                Vec::new()
            }
        }
    }

    /// Adds the problems that the traffic has on this fabric, as far as they show without a seed
    /// and without generating large traffic.
    pub(crate) fn check(&self, fabric: &Fabric, log: &Log) {
        self.job.check(fabric.hosts, log);
        match &self.pattern {
            Pattern::Flows(list) => {
                for (i, flow) in list {
                    let alone = explicit::traffic(fabric.hosts, std::slice::from_ref(flow));
                    if let Err(error) = alone {
                        log.add(self.problem(&WorkloadError { flow: Some(*i), ..error }));
                    }
                }
            }
            Pattern::Matrix(matrix) => match (matrix.traffic(fabric.hosts), &self.files[..]) {
                (Ok((_, notes)), [file, ..]) => file.note(&notes, log),
                (Err(errors), [file, ..]) => file.report(errors, log),
                (_, []) => {}
            },
            Pattern::AllToAll(all_to_all) => {
                if let Err(error) = all_to_all.check(fabric.hosts) {
                    log.add(self.problem(&error));
                }
            }
            Pattern::Poisson(_) | Pattern::Partners(_) => {}
            Pattern::Collective(placed) => {
                if let Err(error) = placed.check(fabric.hosts) {
                    log.add(self.problem(&error));
                }
            }
            _ => {
                if let Err(problem) = self.generate(fabric, 0) {
                    log.add(problem);
                }
            }
        }
    }

    /// Adds a problem for every class that the queues do not have.
    pub(crate) fn check_classes(&self, classes: u8, log: &Log) {
        let refuse = |class: u8, place: &Place| {
            let problem = place.problem(format!("`class` is {class}"));
            let label = match classes {
                1 => "expected 0: the queues have one data class".to_owned(),
                _ => format!("expected 0 to {}: the queues have {classes} classes", classes - 1),
            };
            let help = "[fabric] queue.classes is the number of data classes";
            log.add(problem.label(label).help(help));
        };
        if self.class >= classes {
            return refuse(self.class, self.place_in("class", None));
        }
        let Pattern::Flows(list) = &self.pattern else { return };
        for (position, flow) in list.iter().filter(|(_, flow)| flow.class >= classes) {
            refuse(flow.class, self.place_in("class", Some(*position)));
        }
    }

    /// The seed that it draws with: its own, else the run's.
    pub(crate) fn seed(&self, run: u64) -> u64 {
        self.seed.unwrap_or(run)
    }

    /// The flows of a run's seed.
    ///
    /// # Errors
    /// What does not fit the fabric.
    pub(crate) fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, Problem> {
        let seed = self.seed(seed);
        let pod_of = |host| fabric.pod(host);
        let made = match &self.pattern {
            Pattern::Permutation(pattern) => pattern.generate(fabric.hosts, &pod_of, seed),
            Pattern::Tornado(pattern) => pattern.generate(fabric.hosts),
            Pattern::Incast(pattern) => pattern.generate(fabric.hosts),
            Pattern::AllToAll(pattern) => pattern.generate(fabric.hosts, seed),
            Pattern::Collective(placed) => placed.generate(fabric.hosts, seed),
            Pattern::Poisson(pattern) => pattern.generate(fabric, seed),
            Pattern::Partners(pattern) => pattern.generate(fabric, seed),
            // What is wrong with it on this fabric was reported when the scenario was checked.
            Pattern::Matrix(matrix) => {
                let made = matrix.traffic(fabric.hosts).map(|(traffic, _)| self.classed(traffic));
                return made.map_err(|errors| {
                    let message = errors.first().map_or(String::new(), ToString::to_string);
                    self.place_in("file", None).problem(message)
                });
            }
            Pattern::Flows(list) => {
                let flows: Vec<_> = list.iter().map(|(_, flow)| flow.clone()).collect();
                let made = explicit::traffic(fabric.hosts, &flows);
                return made.map_err(|error| self.problem(&error));
            }
        };
        made.map(|traffic| self.classed(traffic)).map_err(|error| self.problem(&error))
    }

    /// Generated flows, in the section's class.
    fn classed(&self, mut traffic: Traffic) -> Traffic {
        traffic.flows.iter_mut().for_each(|flow| flow.class = self.class);
        traffic
    }

    /// A generator's error at the key that it is about.
    fn problem(&self, error: &WorkloadError) -> Problem {
        let key = match error.quantity {
            "source" => "from",
            "destination" => "to",
            "message" if error.flow.is_some() => "bytes",
            "horizon" => "until",
            "in_flight" => "parallel",
            "flows" => "flow",
            other => other,
        };
        let place = self.place_in(key, error.flow);
        place
            .problem(format!("`{key}` is {}", error.found))
            .label(format!("expected {}", error.fits))
    }

    /// Where a key of the section stands.
    pub(crate) fn place_of(&self, key: &str) -> &Place {
        self.place_in(key, None)
    }

    /// Where the section stands.
    pub(crate) fn place(&self) -> &Place {
        &self.item.place
    }

    /// Where the size of messages stands.
    pub(crate) fn message_place(&self) -> &Place {
        let key = match self.pattern {
            Pattern::Poisson(_) | Pattern::Partners(_) => "law",
            Pattern::Matrix(_) => "file",
            Pattern::Flows(_) => "flow",
            _ => "message",
        };
        self.place_in(key, None)
    }

    /// The largest message there can be.
    pub(crate) fn largest(&self) -> Bytes {
        match &self.pattern {
            Pattern::Permutation(pattern) => pattern.message,
            Pattern::Tornado(pattern) => pattern.message,
            Pattern::Incast(pattern) => pattern.message,
            Pattern::AllToAll(pattern) => pattern.message,
            Pattern::Collective(placed) => placed.message(),
            Pattern::Poisson(pattern) => pattern.law.quantile(pattern.sampling, 1.0),
            Pattern::Partners(pattern) => pattern.law.quantile(pattern.sampling, 1.0),
            Pattern::Matrix(matrix) => {
                matrix.connections.iter().filter_map(|c| c.size).max().unwrap_or_default()
            }
            Pattern::Flows(list) => {
                list.iter().map(|(_, flow)| flow.message).max().unwrap_or_default()
            }
        }
    }

    fn place_in(&self, key: &str, flow: Option<usize>) -> &Place {
        let table = self.item.table();
        let table = match flow {
            None => table,
            Some(i) => table.and_then(|table| table.get("flow")?.list()?.get(i)?.table()),
        };
        table.and_then(|table| table.get(key)).map_or(&self.item.place, |item| &item.place)
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::{Study, parse};
    use std::path::Path;

    const TEXT: &str = "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 16 }\n[traffic]\n";

    fn study(traffic: &str) -> Result<Study, String> {
        let problems = |p: crate::problem::Problems| p.render(false);
        parse("t.toml", &format!("{TEXT}{traffic}"), Path::new("."), &[]).map_err(problems)
    }

    #[test]
    fn traffic_with_a_seed_of_its_own_is_the_same_in_every_run() {
        let own = study("kind = \"permutation\"\nseed = 42\n").unwrap();
        let plain = study("kind = \"permutation\"\n").unwrap();
        let draw = |study: &Study, seed| study.cells[0].scenario.resolve(seed).unwrap().traffic;
        assert_eq!(draw(&own, 1), draw(&own, 2));
        assert_eq!(draw(&own, 1), draw(&plain, 42));
        assert_ne!(draw(&plain, 1), draw(&plain, 2));
        let scenario = &own.cells[0].scenario;
        assert_ne!(scenario.hash(), plain.cells[0].scenario.hash());
        assert!(scenario.resolved_toml().contains("\nseed = 42\n"));
        let again = parse("again.toml", scenario.resolved_toml(), Path::new("."), &[]).unwrap();
        assert_eq!(again.cells[0].scenario.hash(), scenario.hash());
    }

    #[test]
    fn traffic_that_draws_nothing_has_no_seed() {
        let error = study("kind = \"tornado\"\nseed = 42\n").unwrap_err();
        assert!(error.contains("unknown key `seed`"), "{error}");
        let error = study("kind = \"all_to_all\"\nseed = 42\n").unwrap_err();
        assert!(error.contains("`seed` has no effect with `order = \"shifted\"`"), "{error}");
    }

    #[test]
    fn hosts_of_an_all_to_all_have_orders_of_their_own_if_asked() {
        let all = "kind = \"all_to_all\"\nmessage = \"4 kB\"\n";
        let plain = study(all).unwrap();
        let shifted = study(&format!("{all}order = \"shifted\"\n")).unwrap();
        let random = study(&format!("{all}order = \"random\"\n")).unwrap();
        let own = study(&format!("{all}order = \"random\"\nseed = 42\n")).unwrap();
        let draw = |study: &Study, seed| study.cells[0].scenario.resolve(seed).unwrap().traffic;
        assert_eq!(plain.cells[0].scenario.hash(), shifted.cells[0].scenario.hash());
        assert_eq!(draw(&plain, 1), draw(&shifted, 2));
        assert_ne!(draw(&random, 1), draw(&plain, 1));
        assert_ne!(draw(&random, 1), draw(&random, 2));
        assert_eq!(draw(&own, 1), draw(&random, 42));
        assert_eq!(draw(&own, 1), draw(&own, 2));
        let resolved = own.cells[0].scenario.resolved_toml();
        let again = parse("again.toml", resolved, Path::new("."), &[]).unwrap();
        assert_eq!(again.cells[0].scenario.hash(), own.cells[0].scenario.hash());
        let error = study(&format!("{all}order = \"randon\"\n")).unwrap_err();
        assert!(error.contains("unknown word `randon` for `order`"), "{error}");
        assert!(error.contains("nearest: `random`"), "{error}");
    }

    #[test]
    fn strides_and_strays_are_refused_where_they_make_no_sense() {
        let all = "kind = \"all_to_all\"\nmessage = \"4 kB\"\n";
        let error = study(&format!("{all}order = \"strided\"\n")).unwrap_err();
        assert!(error.contains("`order` is strided, and all messages start at once"), "{error}");
        let of_a_ring = "kind = \"collective\"\noperation = \"all_reduce\"\norder = \"strided\"\n";
        let error = study(of_a_ring).unwrap_err();
        assert!(error.contains("algorithm = \"direct\""), "{error}");
        for wrong in ["parallel = 0\norder = \"random\"\n", "parallel = 99\norder = \"strided\"\n"]
        {
            let error = study(&format!("{all}{wrong}")).unwrap_err();
            assert!(!error.contains("unknown key `order`"), "{error}");
        }
        let no_operation = "kind = \"collective\"\noperation = \"all\"\norder = \"random\"\n";
        let error = study(no_operation).unwrap_err();
        assert!(!error.contains("unknown key `order`"), "{error}");
        let strays = "kind = \"partners\"\nlaw = \"websearch\"\nload = 0.3\nuntil = \"1 us\"\nstrays = 2.0\n";
        let error = study(strays).unwrap_err();
        assert!(error.contains("wrong value for `strays`"), "{error}");
    }
}
