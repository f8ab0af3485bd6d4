//! `[traffic]`: who sends what to whom.
//!
//! A kind of traffic is a file here and a line in [`KINDS`]: its word, what it is for the
//! documents, how it is read, and the [`Pattern`] that it makes.

mod all_to_all;
mod classes;
mod collective;
mod compute;
mod flows;
mod fsdp;
mod hpcc_flows;
mod htsim_cm;
mod incast;
mod open_loop;
mod partners;
mod pattern;
mod permutation;
mod placement;
mod poisson;
mod poisson_incast;
mod style;
mod tornado;
mod trace;
mod training;

pub(crate) use pattern::{Kind, Made, MeanBytes, Misfit, Pattern};

use super::fault::FaultSection;
use super::files::{Files, NamedFile};
use super::job::{self, JobKeys};
use super::key::{Key, Section, key};
use super::keyed::Reader;
use super::reader::Log;
use super::scheme::line;
use super::spec::{Entry, Item, Place, quoted};
use super::topology::Topology;
use crate::problem::Problem;
use crate::study::metric::{Metric, SLOWDOWN_MEAN, SLOWDOWN_P99};
use classes::Classes;
use compute::StragglerKeys;
use raddle_schemes::recovery;
use raddle_schemes::units::Bytes;
use raddle_sim::topology::Fabric;
use raddle_sim::workload::{Traffic, WorkloadError};
use std::sync::Arc;

/// Every kind of traffic.
pub(crate) const KINDS: &[&Kind] = &[
    &permutation::KIND,
    &tornado::KIND,
    &incast::KIND,
    &all_to_all::KIND,
    &collective::KIND,
    &fsdp::KIND,
    &poisson::KIND,
    &poisson_incast::KIND,
    &partners::KIND,
    &flows::KIND,
    &htsim_cm::KIND,
    &hpcc_flows::KIND,
    &trace::KIND,
    &training::KIND,
];

/// The sections of `traffic`, one for each kind.
pub fn sections() -> Vec<&'static Section> {
    KINDS.iter().map(|kind| kind.section).collect()
}

/// What selects a kind of traffic.
static KIND: Key = key!(kind Word(&WORDS), (required "permutation") [], "who sends to whom");
/// The words of the kinds.
const WORDS: [&str; KINDS.len()] = {
    let mut words = [""; KINDS.len()];
    let mut i = 0;
    while i < words.len() {
        words[i] = KINDS[i].word();
        i += 1;
    }
    words
};

/// Keys that several kinds have.
const MESSAGE: Key = key!(message Bytes, (= "8 MiB") [>= "1 B"], "size of every message");
const SEED: Key = key!(
    seed Whole, (or "the run's seed") [],
    "draws the traffic alone: the same flows whatever the run's seed"
);
const CLASS: Key = key!(
    class Either(&[Whole, List(&Whole)]), (= 0) [],
    "the data class of the flows, below `queue.classes`; of a list each flow draws one"
);
const HOSTS: Key =
    key!(hosts Text, (or "all") [], "hosts to choose from, both ends included: `\"0..63\"`");
const STRAGGLER: Key = key!(
    straggler Table(StragglerKeys::SECTION), (or "none") [],
    "who computes for longer, and by how much: see [straggler](#straggler)"
);

/// Every kind of traffic: its word, who sends to whom, whether it draws anything.
pub fn kinds() -> impl Iterator<Item = (&'static str, &'static str, bool)> {
    KINDS.iter().map(|kind| (kind.word(), kind.section.summary, kind.seed.is_some()))
}

/// What flows are asked by that come whatever became of earlier ones: the last of them to end says
/// when the load ended. Fewer flows resolve no percentile.
const OPEN_LOOP: &[&Metric] = &[&SLOWDOWN_P99, &SLOWDOWN_MEAN];

/// The section, valid as far as it can be without a fabric.
#[derive(Clone, Debug)]
pub(crate) struct TrafficSection {
    pattern: Arc<dyn Pattern>,
    /// What it is asked by where nobody says.
    pub(crate) asked_by: &'static [&'static Metric],
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
    /// Whether a seed decides who sends how much to whom.
    draws_pairs: bool,
    /// The classes of the flows that name none of their own.
    classes: Classes,
    item: Item,
}

/// Reads the section.
///
/// `heading` is `[traffic]`, or `[[traffic]]` where there may be several; `implied` is the common
/// recovery, if the scenario has not set it.
pub(crate) fn traffic(
    heading: &str,
    item: &Item,
    files: &Files,
    implied: Option<&recovery::Config>,
    log: &Log,
) -> Option<TrafficSection> {
    let mut reader = Reader::of(heading, item, log)?;
    let chosen = reader.choice(&KIND)?;
    let kind = KINDS.iter().find(|kind| kind.word() == chosen)?;
    let job = job::keys(&mut reader, chosen, heading == "[[traffic]]", implied);
    let seed = kind.seed.and_then(|key| reader.get(key));
    let classes: Classes = reader.or(kind.class);
    let made = (kind.read)(&mut reader, files, classes.first());
    reader.finish();
    let Made { pattern, lines, title, files } = made?;
    let job = job?;
    let idle = pattern.nothing_drawn().filter(|_| !job.draws() && !classes.draws());
    if let (Some(with), Some(entry)) = (idle, entry(item, "seed")) {
        let problem = entry.key_place.problem(format!("`seed` has no effect with `{with}`"));
        log.add(problem.label("leave it out: nothing is drawn"));
    }
    if let (true, Some(_), Some(entry)) =
        (classes.draws(), pattern.own_classes(), entry(item, "class"))
    {
        let problem = entry.key_place.problem("`class` lists several, and flows name their own");
        log.add(problem.label("expected one: that of the flows that name none"));
    }
    let class = (!classes.is_default()).then(|| line("class", &classes));
    let own = [class, seed.map(|seed| line("seed", &seed))];
    let lines: Vec<String> =
        lines.into_iter().chain(job.lines()).chain(own.into_iter().flatten()).collect();
    let resolved =
        format!("{heading}\nkind = {}\n{}\n", quoted(chosen), lines.join("\n").trim_end());
    Some(TrafficSection {
        draws_pairs: kind.seed.is_some() && pattern.draws_pairs(),
        pattern,
        asked_by: kind.asked_by,
        resolved,
        title,
        files,
        job,
        seed,
        classes,
        item: item.clone(),
    })
}

/// The entry of a table at `key`.
fn entry<'a>(item: &'a Item, key: &str) -> Option<&'a Entry> {
    item.table()?.entries.iter().find(|entry| entry.key == key)
}

impl TrafficSection {
    /// Faults that come with the traffic: a connection matrix may cut cables of a tree.
    pub(crate) fn faults(&self, topology: &Topology, log: &Log) -> Vec<FaultSection> {
        self.pattern.faults(self, topology, log)
    }

    /// Adds the problems that the traffic has on this fabric, as far as they show without a seed
    /// and without generating large traffic.
    pub(crate) fn check(&self, fabric: &Fabric, log: &Log) {
        self.job.check(fabric.hosts, log);
        self.pattern.check(self, fabric, log);
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
        if let Some(&class) = self.classes.listed().iter().find(|class| **class >= classes) {
            return refuse(class, self.place_in("class", None));
        }
        for (position, class) in self.pattern.own_classes().unwrap_or_default() {
            if class >= classes {
                refuse(class, self.place_in("class", Some(position)));
            }
        }
    }

    /// The data classes of its flows.
    pub(crate) fn classes(&self) -> Vec<u8> {
        let own = self.pattern.own_classes();
        own.map_or(self.classes.listed().to_vec(), |own| {
            own.into_iter().map(|(_, class)| class).collect()
        })
    }

    /// Adds a problem for every class, where the congestion control of this name chooses those of
    /// packets.
    pub(crate) fn refuse_classes(&self, name: &str, log: &Log) {
        let refuse = |place: &Place| {
            let message =
                format!("`class` has no effect: `{name}` chooses the class of each packet");
            log.add(place.problem(message).label("leave it out"));
        };
        if !self.classes.is_default() {
            return refuse(self.place_in("class", None));
        }
        for (position, class) in self.pattern.own_classes().unwrap_or_default() {
            if class > 0 {
                refuse(self.place_in("class", Some(position)));
            }
        }
    }

    /// The seed that it draws with: its own, else the run's.
    pub(crate) fn seed(&self, run: u64) -> u64 {
        self.seed.unwrap_or(run)
    }

    /// About how many flows it has, known without making them.
    pub(crate) fn flows(&self, fabric: &Fabric) -> u64 {
        self.pattern.flows(fabric)
    }

    /// The flows of a run's seed.
    ///
    /// # Errors
    /// What does not fit the fabric.
    pub(crate) fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, Problem> {
        let mut traffic = self
            .pattern
            .generate(fabric, self.seed(seed))
            .map_err(|misfit| self.problem(&misfit))?;
        if self.pattern.own_classes().is_none() {
            self.classes.give(&mut traffic, self.seed(seed));
        }
        Ok(traffic)
    }

    /// Adds what ToRs send to each other on the mean, by the numbers of their switches.
    ///
    /// # Errors
    /// What does not fit the fabric, or a run's seed that decides about it.
    pub(crate) fn add_demand(
        &self,
        fabric: &Fabric,
        rates: &mut [Vec<f64>],
    ) -> Result<(), Problem> {
        if self.draws_pairs && self.seed.is_none() {
            let message =
                "circuits are made for the traffic, and the run's seed draws who sends to whom";
            let problem = self.place().problem(message);
            return Err(problem.label("give it a `seed` of its own"));
        }
        let mean = self.pattern.mean_bytes(fabric, self.seed(0));
        for (from, to, bytes) in mean.map_err(|misfit| self.problem(&misfit))? {
            rates[fabric.edge(from).index()][fabric.edge(to).index()] += bytes;
        }
        Ok(())
    }

    /// A generator's error at the key that it is about.
    fn problem(&self, misfit: &Misfit) -> Problem {
        let error: &WorkloadError = match misfit {
            Misfit::Workload(error) => error,
            Misfit::File(message) => return self.place_of("file").problem(message.clone()),
        };
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
        let key = self.pattern.message_key();
        self.place_in(key, None)
    }

    /// The largest message there can be.
    pub(crate) fn largest(&self) -> Bytes {
        self.pattern.largest()
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

    /// Every kind says about how many flows it has, so that they are not made where they would fill
    /// the memory.
    #[test]
    fn the_number_of_flows_is_known_before_they_are_made() {
        for (traffic, expected) in [
            ("kind = \"permutation\"\n", 16),
            ("kind = \"tornado\"\n", 16),
            ("kind = \"all_to_all\"\n", 256),
            ("kind = \"incast\"\nsenders = 9\n", 16),
            ("kind = \"flows\"\nflow = [{ from = 0, to = 1, bytes = \"1 B\" }]\n", 1),
            ("kind = \"collective\"\noperation = \"all_reduce\"\nranks = 8\n", 128),
            ("kind = \"collective\"\noperation = \"all_reduce\"\nhops = 3\n", 48),
            ("kind = \"collective\"\noperation = \"all_reduce\"\nalgorithm = \"butterfly\"\n", 128),
            ("kind = \"collective\"\noperation = \"all_to_all\"\nhosts = \"2..5\"\n", 16),
            ("kind = \"collective\"\noperation = \"all_reduce\"\nalgorithm = \"direct\"\n", 512),
            ("kind = \"collective\"\noperation = \"all_gather\"\ngroups = [4, 8]\n", 80),
            (
                "kind = \"collective\"\noperation = \"all_reduce\"\nalgorithm = \"double_tree\"\n\
                 chunks = 3\n",
                192,
            ),
            ("kind = \"fsdp\"\nmodel = \"llama_7b\"\nlayers = 3\nsteps = 2\n", 192),
        ] {
            let study = study(traffic).unwrap();
            let scenario = &study.cells[0].scenario;
            let made = scenario.resolve(1).unwrap().traffic.flows.len() as u64;
            assert_eq!(scenario.flows(), expected, "{traffic}");
            assert!(made <= expected && expected <= 2 * made.max(8), "{traffic}: {made}");
        }
        for kind in ["poisson", "partners", "poisson_incast"] {
            let law = match kind {
                "poisson_incast" => "rate = 1e5\nfan_in = 2\nsize = \"1 MB\"\nuntil = \"10 ms\"\n",
                _ => "law = \"websearch\"\nload = 0.5\nuntil = \"10 ms\"\n",
            };
            let study = study(&format!("kind = \"{kind}\"\n{law}")).unwrap();
            let scenario = &study.cells[0].scenario;
            let made = scenario.resolve(1).unwrap().traffic.flows.len() as f64;
            let ratio = scenario.flows() as f64 / made;
            assert!((0.8..1.25).contains(&ratio), "{kind}: {ratio}");
        }
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
        assert!(error.contains("it goes with `operation = \"all_to_all\"`"), "{error}");
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
