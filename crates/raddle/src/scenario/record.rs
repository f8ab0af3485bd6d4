//! `[record]`: what is kept beside flows and totals.

use super::followed::Followed;
use super::key::{Section, keys};
use super::keyed::Reader;
use super::reader::{Log, with_nearest};
use super::scheme::shown;
use super::spec::{Item, Place, Value};
use raddle_schemes::buffer;
use raddle_schemes::buffer::credence::TEACHER;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::record::probes::ProbePlan;
use raddle_sim::record::{RecordPlan, Sizes};
use raddle_sim::topology::Fabric;
use raddle_sim::topology::pattern::matches;
use std::num::NonZeroU32;

/// The most counters of each kind that series may hold: some 4 GB at the worst.
const MAX_COUNTERS: u64 = 1 << 27;

/// Cells of a map.
const MAP_CELLS: u64 = 4_000_000;

/// Where the width of the map's buckets begins.
pub(crate) const FIRST_BUCKET: Span = Span::us(1);

keys! {
    /// `[record]`.
    RECORD: RecordKeys = Section::new("record", "## [record]", "what is kept over time") => {
        ports: List(&Text), (or "none"),
            "ports to record over time; `*` stands for any characters";
        bucket: Time, (= "20 us"),
            "width of a time bucket; of the default only if ports are given. With `map` where its width begins, by default at `1 us`";
        map: Flag, (= false),
            "whether all ports are recorded over time, and which ports each flow's data left by: the table `routes`. Whenever the map is full, pairs of its buckets become one, so that it fits whatever a run takes";
        map_cells: Whole, (= 4_000_000),
            "most cells of the map: a port and a bucket is one";
        queue_means: Flag, (= false),
            "whether the mean length of every queue is measured, exactly; `layers` in results tell it, and `series` of recorded ports in each bucket. Takes the engine longer";
        training: Flag, (= false),
            "whether it is kept what each packet of data found in the memory of `longest_queue_drop`, and what became of it: the table `training`, from which `raddle train` makes the `oracle_file` of `credence`";
        probes: List(&Text), (or "none"),
            "numbers that schemes show of their state over time, as in `[\"window\", \"alpha\"]`, and `[\"*\"]` for all that there are: the table `probes`. Of flows those in `flows`, of switches all";
        probe_every: Time, (= "0 ps"),
            "width of a time bucket, at whose end a probe is told that has changed; `0 ps` tells it at each instant";
        flows: Either(&[List(&Whole), Text]), (or "none"),
            "flows whose packets and probes are kept: their numbers, as in `[0, 17]`; `\"every 64th\"`; `\"job NAME\"`, those of a job; `\"slowest 5\"`, which runs twice and keeps those that took longest; `\"critical\"`, which does the same with those that decide when jobs of ranks end, and with others beside them as far as a million packets go; or `\"2%\"`, each with this chance";
        packets: Flag, (or "whether there are no `probes`"),
            "whether each packet of the `flows` is kept, hop by hop: the tables `packets` and `hops`";
        sizes: Table(SizesKeys::SECTION), (or "10 kB, 100 kB, 1 MB"),
            "which flows results tell apart as short, medium and long: `{ short_below = \"100 kB\", long_above = \"1 MB\" }`, and medium ones are all between. By default short ones are below 10 kB, medium ones from 100 kB to 1 MB, and long ones above";
    }
}

keys! {
    /// `[record] sizes`.
    SIZES: SizesKeys = Section::inner("sizes", "which flows are short, and which are long") => {
        short_below: Bytes, (required "100 kB"), "shorter flows are short";
        long_above: Bytes, (required "1 MB"), "longer flows are long";
    }
}

/// `[record]`: patterns of port names, and the bucket.
#[derive(Clone, Debug)]
pub(crate) struct RecordSection {
    ports: Vec<Item>,
    bucket: Span,
    bucket_place: Place,
    map: Option<MapCells>,
    queue_means: bool,
    training: bool,
    /// Of `training`.
    training_place: Place,
    sizes: Sizes,
    probes: Vec<Item>,
    probe_every: Span,
    flows: Option<Followed>,
}

/// How many cells the map may have.
#[derive(Clone, Debug)]
struct MapCells {
    most: u64,
    place: Place,
}

impl MapCells {
    /// Reads `map` and `map_cells`.
    fn read(reader: &mut Reader<'_>, ports: &[Item]) -> Option<Self> {
        let map: bool = reader.or(&RECORD.map);
        let most: u64 = reader.or(&RECORD.map_cells);
        let item = reader.take(&RECORD.map_cells).or_else(|| reader.take(&RECORD.map));
        let place = item.map_or_else(|| reader.place().clone(), |item| item.place.clone());
        if !map {
            // The default may be there all the same.
            let other = reader.take(&RECORD.map_cells).filter(|_| most != MAP_CELLS);
            if let Some(item) = other {
                let problem = item.place.problem("`map_cells` has no effect without `map`");
                reader.log().add(problem.label("add `map = true`"));
            }
            return None;
        }
        if let Some(item) = ports.first() {
            let problem = item.place.problem("`ports` has no effect beside `map`");
            reader.log().add(problem.label("leave it out: a map has all ports"));
        }
        Some(Self { most, place })
    }

    /// How many buckets each of so many ports may have; the counts of the fabric are one more.
    fn buckets(&self, ports: usize, log: &Log) -> Option<NonZeroU32> {
        let (least, most) = (2 * (ports as u64 + 1), MAX_COUNTERS);
        if !(least..=most).contains(&self.most) {
            let message = format!("a map of {ports} ports cannot have {} cells", self.most);
            let problem = self.place.problem(message);
            log.add(problem.label(format!("expected `map_cells` from {least} to {most}")));
            return None;
        }
        NonZeroU32::new((self.most / (ports as u64 + 1)) as u32)
    }
}

impl RecordSection {
    /// Reads the section; without one nothing is recorded.
    pub(crate) fn read(item: Option<&Item>, log: &Log) -> Option<Self> {
        let Some(item) = item else {
            return Some(Self {
                ports: Vec::new(),
                bucket: Span::ZERO,
                bucket_place: Place::default(),
                map: None,
                queue_means: false,
                training: false,
                training_place: Place::default(),
                sizes: Sizes::default(),
                probes: Vec::new(),
                probe_every: Span::ZERO,
                flows: None,
            });
        };
        let before = log.count();
        let mut reader = Reader::of("[record]", item, log)?;
        let ports = reader.list(&RECORD.ports, "port names, as in [\"tor0.up*\"]");
        for port in ports {
            if !matches!(port.value, Value::Text(_)) {
                let problem = port.place.problem("wrong value in `ports`");
                log.add(problem.label("expected a port's name, as in \"tor0.up*\""));
            }
        }
        let map = MapCells::read(&mut reader, ports);
        let bucket = match ports {
            [] if map.is_some() => reader.get(&RECORD.bucket).unwrap_or(FIRST_BUCKET),
            [] => reader.get(&RECORD.bucket).unwrap_or(Span::ZERO),
            _ => reader.or(&RECORD.bucket),
        };
        // A scenario with every default filled in says that it records no ports, in no buckets.
        let says_no_ports = ports.is_empty() && reader.take(&RECORD.ports).is_some();
        if bucket == Span::ZERO
            && let (false, Some(item)) = (says_no_ports, reader.take(&RECORD.bucket))
        {
            let problem = item.place.problem("nothing can be recorded in buckets of no length");
            log.add(problem.label("expected a time, as in \"20 us\""));
        }
        let bucket_place = reader.take(&RECORD.bucket).unwrap_or(item).place.clone();
        let queue_means = reader.or(&RECORD.queue_means);
        let training = reader.or(&RECORD.training);
        let training_place = reader.take(&RECORD.training).unwrap_or(item).place.clone();
        let sizes =
            reader.take(&RECORD.sizes).map_or(Some(Sizes::default()), |item| sizes(item, log));
        let probes = reader.list(&RECORD.probes, "words, as in [\"window\", \"rtt\"]").to_vec();
        let flows = reader.take(&RECORD.flows).and_then(|item| Followed::read(item, log));
        let probe_every = reader.or(&RECORD.probe_every);
        let flows = read_packets(&mut reader, !probes.is_empty(), flows);
        if let (true, Some(item)) = (probes.is_empty(), reader.take(&RECORD.probe_every)) {
            let problem = item.place.problem("`probe_every` has no effect without `probes`");
            log.add(problem.label("add `probes = [\"window\", \"rtt\"]`"));
        }
        reader.finish();
        (log.count() == before).then(|| Self {
            ports: ports.to_vec(),
            bucket,
            bucket_place,
            map,
            queue_means,
            training,
            training_place,
            sizes: sizes.unwrap_or_default(),
            probes,
            probe_every,
            flows,
        })
    }

    /// The ports of the fabric that the patterns name, each once, in the fabric's order.
    pub(crate) fn plan(&self, fabric: &Fabric, log: &Log) -> RecordPlan {
        let all = fabric.ports.len();
        let most_buckets = self.map.as_ref().and_then(|map| map.buckets(all, log));
        let mut chosen = vec![self.map.is_some(); all];
        for item in &self.ports {
            let Value::Text(pattern) = &item.value else { continue };
            let mut found = false;
            for (port, chosen) in fabric.ports.iter().zip(&mut chosen) {
                if matches(pattern, &port.name) {
                    *chosen = true;
                    found = true;
                }
            }
            if !found {
                let problem = item.place.problem(format!("no port is called `{pattern}`"));
                let names = fabric.ports.iter().map(|port| port.name.as_str());
                let help = "ports are called `host7`, `tor0.up1`, `tor0.down3`; `*` stands for any \
                            characters";
                log.add(with_nearest(problem, pattern, names).help(help));
            }
        }
        let ids = chosen.iter().zip(0..).filter(|(chosen, _)| **chosen);
        RecordPlan {
            ports: ids.map(|(_, id)| PortId(id)).collect(),
            bucket: self.bucket,
            most_buckets,
            routes: self.map.is_some(),
            queue_means: self.queue_means,
            training: self.training,
            sizes: self.sizes,
            probes: ProbePlan { every: self.probe_every, ..ProbePlan::default() },
            ..RecordPlan::default()
        }
    }

    /// The words of `probes`, where flows and switches have these to show, and whose they are.
    pub(crate) fn followed(
        &self,
        [of_flows, of_switches]: [Vec<&'static str>; 2],
        log: &Log,
    ) -> (Vec<String>, Option<Followed>) {
        let mut known = of_switches.clone();
        known.extend(of_flows.iter().filter(|_| self.flows.is_some()));
        let mut words: Vec<String> = Vec::new();
        for item in &self.probes {
            let text = match &item.value {
                Value::Text(text) => text.as_str(),
                _ => "",
            };
            let before = words.len();
            words.extend(known.iter().filter(|word| matches(text, word)).map(|w| (*w).to_owned()));
            if words.len() > before {
                continue;
            }
            let is_of_flows = self.flows.is_none() && of_flows.iter().any(|own| matches(text, own));
            log.add(if is_of_flows {
                let problem = item.place.problem(format!("`{text}` is of flows: of which?"));
                problem.label("add `flows = [0]`, or `flows = \"every 64th\"`")
            } else {
                let problem = item.place.problem(format!("nothing here shows a `{text}`"));
                let all = of_flows.iter().chain(&of_switches).copied();
                let help = match all.clone().collect::<Vec<_>>().join(", ") {
                    words if words.is_empty() => "these schemes show nothing".to_owned(),
                    words => format!("these schemes show {words}"),
                };
                with_nearest(problem, text, all).help(help)
            });
        }
        words.sort_unstable();
        words.dedup();
        let idle = |own: &Followed| {
            !own.packets && !words.iter().any(|word| of_flows.contains(&word.as_str()))
        };
        if let Some(flows) = self.flows.as_ref().filter(|own| !words.is_empty() && idle(own)) {
            let problem = flows.item().place.problem("none of the `probes` is of flows");
            log.add(problem.label("without it nothing changes; flows show `window`, `rtt`"));
        }
        (words, self.flows.clone())
    }

    /// Adds a problem if there is no memory whose drops an oracle is to imitate; `policy` is that of
    /// the memory.
    pub(crate) fn check_training(&self, policy: Option<&buffer::Config>, log: &Log) {
        let policy = policy.map(|policy| policy.card().name);
        if !self.training || policy == Some(TEACHER) {
            return;
        }
        let has = match policy {
            Some(name) => format!("[fabric] buffer has `{name}`"),
            None => "[fabric] has no `buffer`".to_owned(),
        };
        let message = format!("`training` is what `{TEACHER}` does with packets, and {has}");
        let label =
            format!("expected `buffer = {{ scheme = \"{TEACHER}\", size = .. }}` in [fabric]");
        log.add(self.training_place.problem(message).label(label));
    }

    /// Adds a problem if recording `ports` ports for `time` takes too many counters. A run can
    /// stand still for as long as its patience, so that is what its series have to be able to hold.
    pub(crate) fn check_length(&self, ports: usize, time: Span, log: &Log) {
        if self.bucket == Span::ZERO || self.map.is_some() {
            return;
        }
        // The fabric's own timeline is as long as a port's series.
        let counters = time.0.div_ceil(self.bucket.0).saturating_mul(ports as u64 + 1);
        if counters > MAX_COUNTERS {
            let shortest = Span(time.0.saturating_mul(ports as u64 + 1).div_ceil(MAX_COUNTERS));
            let message =
                format!("{} buckets of {ports} ports are too many", time.0.div_ceil(self.bucket.0));
            let problem = self.bucket_place.problem(message);
            let label = format!("expected at least {shortest}, fewer ports, or an earlier `end`");
            let help = format!("a series has to hold {time}: `end` in [run], or its `patience`");
            log.add(problem.label(label).help(help));
        }
    }

    /// The section's lines.
    pub(crate) fn resolved(&self) -> String {
        let ports: Vec<String> = self.ports.iter().map(Item::to_toml).collect();
        let (ports, bucket) = (ports.join(", "), shown(&self.bucket));
        let queue_means = if self.queue_means { "queue_means = true\n" } else { "" };
        let training = if self.training { "training = true\n" } else { "" };
        let map = self
            .map
            .as_ref()
            .map_or(String::new(), |map| format!("map = true\nmap_cells = {}\n", map.most));
        let Sizes { short_below, long_above, .. } = self.sizes;
        let sizes = if self.sizes == Sizes::default() {
            String::new()
        } else {
            let [short, long] = [short_below, long_above].map(|bytes| shown(&bytes));
            format!("sizes = {{ short_below = {short}, long_above = {long} }}\n")
        };
        let mut probes = String::new();
        if !self.probes.is_empty() {
            let words: Vec<String> = self.probes.iter().map(Item::to_toml).collect();
            probes = format!("probes = [{}]\n", words.join(", "));
            if self.probe_every > Span::ZERO {
                probes += &format!("probe_every = {}\n", shown(&self.probe_every));
            }
        }
        if let Some(flows) = &self.flows {
            probes += &format!("flows = {}\n", flows.item().to_toml());
            if flows.packets != self.probes.is_empty() {
                probes += &format!("packets = {}\n", flows.packets);
            }
        }
        format!(
            "[record]\nports = [{ports}]\nbucket = {bucket}\n\
             {map}{queue_means}{training}{sizes}{probes}"
        )
    }
}

/// The flows, and whether their packets are kept.
fn read_packets(
    reader: &mut Reader<'_>,
    has_probes: bool,
    flows: Option<Followed>,
) -> Option<Followed> {
    let packets: Option<bool> = reader.get(&RECORD.packets);
    let place = reader.take(&RECORD.packets).map(|item| item.place.clone());
    let Some(mut flows) = flows else {
        if let (Some(place), None) = (place, reader.take(&RECORD.flows)) {
            let problem = place.problem("`packets` of which flows?");
            reader.log().add(problem.label("add `flows = [0]`, or `flows = \"every 64th\"`"));
        }
        return None;
    };
    flows.packets = packets.unwrap_or(!has_probes);
    if !flows.packets && !has_probes {
        let message = "`flows` has no effect without `packets` or `probes`";
        let problem = flows.item().place.problem(message);
        reader.log().add(problem.label("add `probes = [\"window\", \"rtt\"]`"));
    }
    Some(flows)
}

/// `sizes`: what is short, and what is long.
fn sizes(item: &Item, log: &Log) -> Option<Sizes> {
    let mut reader = Reader::of("`sizes`", item, log)?;
    let short = reader.need::<Bytes>(&SIZES.short_below);
    let long = reader.need::<Bytes>(&SIZES.long_above);
    reader.finish();
    let (short, long) = (short?, long?);
    if short > long {
        let problem = item.place.problem("a flow cannot be short and long");
        log.add(problem.label(format!("expected `short_below` of at most {long}")));
        return None;
    }
    Some(Sizes::new(short, long))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::ids::FlowId;

    /// The scenario of a permutation under DCTCP and REPS with this `[record]`.
    fn recording(text: &str) -> Result<RecordPlan, String> {
        let text = format!(
            "[fabric]\ntopology = {{ kind = \"fat_tree\", hosts = 16 }}\n[transport]\n\
             load_balance = {{ scheme = \"reps\" }}\ncongestion = {{ scheme = \"dctcp\" }}\n\
             [traffic]\nkind = \"permutation\"\n[record]\n{text}\n"
        );
        let parse = |text: &str| {
            crate::scenario::parse("t.toml", text, std::path::Path::new("."), &[])
                .map_err(|problems| problems.render(false))
        };
        let scenario = parse(&text)?.cells.remove(0).scenario;
        let again = parse(scenario.resolved_toml())?.cells.remove(0).scenario;
        assert_eq!(again.resolved_toml(), scenario.resolved_toml());
        let shown = |problem| crate::problem::Problems::one(problem, None).render(false);
        Ok(scenario.resolve(1).map_err(shown)?.record)
    }

    #[test]
    fn probes_are_kept_of_the_flows_that_are_named() {
        let probes = |text: &str| recording(text).unwrap().probes;
        let some = probes("probes = [\"window\", \"alpha\"]\nflows = [7, 3, 7]");
        assert_eq!(
            (&some.words[..], &some.flows[..]),
            (&["alpha", "window"].map(String::from)[..], &[FlowId(3), FlowId(7)][..])
        );
        assert_eq!(some.every, Span::ZERO);
        let all = probes("probes = [\"*\"]\nflows = \"every 8th\"\nprobe_every = \"1 us\"");
        assert_eq!((all.flows, all.every), (vec![FlowId(0), FlowId(8)], Span::us(1)));
        assert!(all.words.contains(&"cache".to_owned()) && all.words.contains(&"rtt".to_owned()));
        assert_eq!(probes(""), ProbePlan::default());
    }

    #[test]
    fn a_map_has_all_ports_and_as_many_buckets_as_its_cells_give_them() {
        let plan = recording("map = true").unwrap();
        assert_eq!((plan.ports.len(), plan.bucket, plan.routes), (96, Span::us(1), true));
        assert_eq!(plan.most_buckets.unwrap().get(), 4_000_000 / 97);
        let plan = recording("map = true\nbucket = \"2 us\"\nmap_cells = 194").unwrap();
        assert_eq!((plan.bucket, plan.most_buckets.unwrap().get()), (Span::us(2), 2));
        let wrong = |text: &str| recording(text).unwrap_err();
        let few = wrong("map = true\nmap_cells = 193");
        assert!(few.contains("a map of 96 ports cannot have 193 cells"), "{few}");
        assert!(few.contains("expected `map_cells` from 194 to 134217728"), "{few}");
        let idle = wrong("map_cells = 1000");
        assert!(idle.contains("`map_cells` has no effect without `map`"), "{idle}");
        let both = wrong("map = true\nports = [\"host0\"]");
        assert!(both.contains("`ports` has no effect beside `map`"), "{both}");
    }

    #[test]
    fn packets_are_kept_of_the_flows_that_are_chosen() {
        let of = |text: &str| {
            let own = recording(text).unwrap();
            let slowest = own.slowest.map(|own| own.count);
            (own.packets.iter().map(|flow| flow.0).collect::<Vec<_>>(), slowest)
        };
        assert_eq!(of("flows = [7, 3, 7]"), (vec![3, 7], None));
        assert_eq!(of("flows = \"every 8th\""), (vec![0, 8], None));
        assert_eq!(of("flows = \"slowest 3\""), (vec![], Some(3)));
        assert_eq!(of("flows = [1]\nprobes = [\"window\"]"), (vec![], None));
        assert_eq!(of("flows = [1]\nprobes = [\"window\"]\npackets = true").0, [1]);
        let drawn = of("flows = \"25%\"").0;
        assert!((1..12).contains(&drawn.len()), "{drawn:?}");
        let wrong = |text: &str| recording(text).unwrap_err();
        assert!(wrong("flows = \"job trian\"").contains("no job is called `trian`"));
        assert!(wrong("flows = \"slowest 17\"").contains("there are 16 flows"));
        for text in ["\"slowest 0\"", "\"0%\"", "\"101%\"", "\"slowest\"", "\"x%\""] {
            assert!(wrong(&format!("flows = {text}")).contains("\"slowest 5\""), "{text}");
        }
    }

    #[test]
    fn probes_that_nobody_shows_are_answered_with_those_that_there_are() {
        let wrong = |text: &str| recording(text).unwrap_err();
        let of = |words: &str| wrong(&format!("probes = [{words}]\nflows = [0]"));
        assert!(of("\"windows\"").contains("nearest: `window`"));
        assert!(of("\"windows\"").contains("these schemes show rtt, window,"));
        assert!(wrong("probes = [\"window\"]").contains("add `flows = [0]`"));
        let none = wrong("flows = [0]\npackets = false");
        assert!(none.contains("`flows` has no effect without `packets` or `probes`"), "{none}");
        assert!(wrong("packets = true").contains("`packets` of which flows?"));
        assert!(wrong("probe_every = \"1 us\"").contains("`probe_every` has no effect"));
        let flows = |flows: &str| wrong(&format!("probes = [\"window\"]\nflows = {flows}"));
        assert!(flows("[16]").contains("there is no flow 16: the last is 15"));
        for text in ["[]", "\"every 0th\"", "\"each\"", "[-1]", "true"] {
            assert!(flows(text).contains("or \"every 64th\""), "{text}");
        }
    }

    #[test]
    fn sizes_of_flows_are_read_and_shown() {
        let read = |text: &str| {
            let text = format!(
                "[fabric]\ntopology = {{ kind = \"fat_tree\", hosts = 16 }}\n[traffic]\nkind = \
                 \"permutation\"\n[record]\n{text}\n"
            );
            crate::scenario::parse("t.toml", &text, std::path::Path::new("."), &[])
        };
        let sizes = |text: &str| {
            let study = read(text).unwrap();
            let scenario = &study.cells[0].scenario;
            (scenario.record().sizes, scenario.resolved_toml().to_owned())
        };
        let (own, resolved) =
            sizes("sizes = { short_below = \"95600 B\", long_above = \"28.7 MB\" }");
        assert_eq!(own, Sizes::new(Bytes(95_600), Bytes(28_700_000)));
        let line = resolved.lines().find(|line| line.starts_with("sizes")).unwrap();
        assert_eq!(sizes(line).0, own);
        let (default, resolved) = sizes("");
        assert!(default == Sizes::default() && !resolved.contains("sizes"));
        let wrong = |text: &str| read(text).unwrap_err().render(false);
        let both = wrong("sizes = { short_below = \"2 MB\", long_above = \"1 MB\" }");
        assert!(both.contains("a flow cannot be short and long"), "{both}");
        assert!(wrong("sizes = { short_below = \"2 MB\" }").contains("long_above"));
        assert!(wrong("sizes = { short = \"2 MB\" }").contains("unknown key `short`"));
    }
}
