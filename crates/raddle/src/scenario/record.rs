//! `[record]` and `[run]`: what is kept beside flows and totals, and when a run ends.

use super::key::{Section, keys};
use super::keyed::{Reader, span_or};
use super::limits::LATEST;
use super::reader::{Log, with_nearest};
use super::scheme::shown;
use super::spec::{Item, Place, Value, quoted};
use crate::problem::Problem;
use raddle_schemes::buffer;
use raddle_schemes::buffer::credence::TEACHER;
use raddle_schemes::ids::{FlowId, PortId};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::record::probes::ProbePlan;
use raddle_sim::record::{RecordPlan, Sizes};
use raddle_sim::topology::Fabric;

/// The most counters of each kind that series may hold: some 4 GB at the worst.
const MAX_COUNTERS: u64 = 1 << 27;

keys! {
    /// `[record]`.
    RECORD: RecordKeys = Section::new("record", "## [record]", "what is kept over time") => {
        ports: List(&Text), (or "none"),
            "ports to record over time; `*` stands for any characters";
        bucket: Time, (= "20 us"),
            "width of a time bucket; of the default only if ports are given";
        queue_means: Flag, (= false),
            "whether the mean length of every queue is measured, exactly; `layers` in results tell it, and `series` of recorded ports in each bucket. Takes the engine longer";
        training: Flag, (= false),
            "whether it is kept what each packet of data found in the memory of `longest_queue_drop`, and what became of it: the table `training`, from which `raddle train` makes the `oracle_file` of `credence`";
        probes: List(&Text), (or "none"),
            "numbers that schemes show of their state over time, as in `[\"window\", \"alpha\"]`, and `[\"*\"]` for all that there are: the table `probes`. Of flows those in `flows`, of switches all";
        probe_every: Time, (= "0 ps"),
            "width of a time bucket, at whose end a probe is told that has changed; `0 ps` tells it at each instant";
        flows: Either(&[List(&Whole), Text]), (or "none"),
            "flows whose probes are kept: their numbers, as in `[0, 17]`, or `\"every 64th\"`";
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

keys! {
    /// `[run]`.
    RUN: RunKeys = Section::new("run", "## [run]", "seed, and when a run ends") => {
        seed: Whole, (filled 1),
            "seed of every random stream";
        end: Either(&[Time, Exactly("never")]), (filled "never"),
            "simulated time at which the run stops, finished or not";
        patience: Either(&[Time, Exactly("auto")]), (filled "auto"),
            "a run stops as stalled when for this long no new packet was delivered and nothing is scheduled that could change it; has to exceed the longest timeout. `auto` is the longest of ten thousand times the slowest hop, ten retransmission timeouts, ten packets at the slowest pace, and 100 ms";
    }
}

/// `[record]`: patterns of port names, and the bucket.
#[derive(Clone, Debug)]
pub(crate) struct RecordSection {
    ports: Vec<Item>,
    bucket: Span,
    bucket_place: Place,
    queue_means: bool,
    training: bool,
    /// Of `training`.
    training_place: Place,
    sizes: Sizes,
    probes: Vec<Item>,
    probe_every: Span,
    flows: Option<Followed>,
}

/// `flows`: whose probes are kept.
#[derive(Clone, Debug)]
pub(crate) struct Followed {
    which: Which,
    item: Item,
}

#[derive(Clone, Debug)]
enum Which {
    Numbers(Vec<u32>),
    Every(u32),
}

impl Followed {
    fn read(item: &Item, log: &Log) -> Option<Self> {
        let which = match &item.value {
            Value::Text(text) => every(text).map(Which::Every),
            Value::List(items) if !items.is_empty() => {
                let number = |own: &Item| match own.value {
                    Value::Integer(number) => u32::try_from(number).ok(),
                    _ => None,
                };
                let numbers: Option<Vec<u32>> = items.iter().map(number).collect();
                numbers.map(Which::Numbers)
            }
            _ => None,
        };
        if which.is_none() {
            let problem = item.place.problem("`flows` says whose probes are kept");
            log.add(problem.label("expected numbers, as in [0, 17], or \"every 64th\""));
        }
        Some(Self { which: which?, item: item.clone() })
    }

    /// The numbers among so many flows.
    pub(crate) fn of(&self, flows: usize) -> Result<Vec<FlowId>, Problem> {
        let mut numbers: Vec<FlowId> = match &self.which {
            Which::Every(every) => (0..flows as u32).step_by(*every as usize).map(FlowId).collect(),
            Which::Numbers(numbers) => {
                if let Some(number) = numbers.iter().find(|number| **number as usize >= flows) {
                    let most = flows.saturating_sub(1);
                    let message = format!("there is no flow {number}: the last is {most}");
                    return Err(self
                        .item
                        .place
                        .problem(message)
                        .label("expected numbers of flows"));
                }
                numbers.iter().copied().map(FlowId).collect()
            }
        };
        numbers.sort_unstable();
        numbers.dedup();
        Ok(numbers)
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
        let bucket = match ports {
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
        for key in [&RECORD.flows, &RECORD.probe_every] {
            if let (true, Some(item)) = (probes.is_empty(), reader.take(key)) {
                let message = format!("`{}` has no effect without `probes`", key.word);
                let problem = item.place.problem(message);
                log.add(problem.label("add `probes = [\"window\", \"rtt\"]`"));
            }
        }
        reader.finish();
        (log.count() == before).then(|| Self {
            ports: ports.to_vec(),
            bucket,
            bucket_place,
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
        let mut chosen = vec![false; fabric.ports.len()];
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
            queue_means: self.queue_means,
            training: self.training,
            sizes: self.sizes,
            probes: ProbePlan { every: self.probe_every, ..ProbePlan::default() },
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
        let idle = || !words.iter().any(|word| of_flows.contains(&word.as_str()));
        if let Some(flows) = self.flows.as_ref().filter(|_| !words.is_empty() && idle()) {
            let problem = flows.item.place.problem("none of the `probes` is of flows");
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
        if self.bucket == Span::ZERO {
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
            if let Some(flows) = &self.flows {
                probes += &format!("flows = {}\n", flows.item.to_toml());
            }
        }
        format!(
            "[record]\nports = [{ports}]\nbucket = {bucket}\n\
             {queue_means}{training}{sizes}{probes}"
        )
    }
}

/// `"every 64th"`: 64.
fn every(text: &str) -> Option<u32> {
    let nth = text.strip_prefix("every ")?;
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| nth.strip_suffix(end))?;
    digits.parse().ok().filter(|every| *every > 0)
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

/// Whether `name` matches `pattern`, in which `*` stands for any characters.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => name.strip_prefix(head).is_some_and(|rest| {
            (0..=rest.len())
                .filter(|&i| rest.is_char_boundary(i))
                .any(|i| matches(tail, &rest[i..]))
        }),
    }
}

/// `[run]`: when the run ends. Its seed belongs to the study.
#[derive(Clone, Debug)]
pub(crate) struct RunSection {
    pub(crate) end: Option<Time>,
    patience: Option<Span>,
    patience_place: Place,
}

impl RunSection {
    /// Reads the section.
    pub(crate) fn read(mut reader: Reader<'_>) -> Self {
        reader.need::<u64>(&RUN.seed);
        let end = span_or(&mut reader, &RUN.end);
        let patience: Option<Span> = reader.get(&RUN.patience).unwrap_or_default();
        let patience_place = reader.take(&RUN.patience).map(|item| item.place.clone());
        let patience_place = patience_place.unwrap_or_default();
        if patience.is_some_and(|patience| patience > LATEST) {
            let problem = patience_place.problem("`patience` is too long");
            reader.log().add(problem.label(format!("expected at most {LATEST}, or \"auto\"")));
        }
        if let (Some(Span::ZERO), Some(item)) = (end, reader.take(&RUN.end)) {
            let problem = item.place.problem("the run would end before it starts");
            reader.log().add(problem.label("expected a time, as in \"1 ms\", or \"never\""));
        }
        if let (true, Some(item)) = (end.is_some_and(|end| end > LATEST), reader.take(&RUN.end)) {
            let problem = item.place.problem("the end is too late");
            reader.log().add(problem.label(format!("expected at most {LATEST}, or \"never\"")));
        }
        reader.finish();
        Self { end: end.map(|end| Time(end.0)), patience, patience_place }
    }

    /// The given patience, or one that is long against anything a packet of this size can meet on
    /// this fabric: ten thousand times the slowest link's serialisation and latency, ten
    /// retransmission timeouts, ten packets at the slowest pace, and no less than 100 ms, which is
    /// ten times the longest timer of any scheme. A run whose patience ends before a timeout would give up on packets that are
    /// only lost, so that is a problem.
    pub(crate) fn patience(
        &self,
        fabric: &Fabric,
        packet: Bytes,
        rto: Span,
        pace: Option<Rate>,
        log: &Log,
    ) -> Span {
        if self.patience.is_some_and(|patience| patience <= rto) {
            let problem = self.patience_place.problem("the run would not wait for a lost packet");
            let label = format!("expected more than the retransmission timeout, {rto}");
            log.add(problem.label(label));
        }
        let hop = |(port, id): (&raddle_sim::topology::Port, u32)| {
            port.rate.serialisation(packet) + fabric.latency(PortId(id))
        };
        let slowest = fabric.ports.iter().zip(0..).map(hop).max().unwrap_or_default();
        let long = Span(slowest.0.saturating_mul(10_000));
        let timeouts = Span(rto.0.saturating_mul(10));
        let slot = pace.map_or(Span::ZERO, |rate| rate.serialisation(packet));
        let slots = Span(slot.0.saturating_mul(10));
        let auto = long.max(timeouts).max(slots).max(Span::ms(100));
        self.patience.unwrap_or(auto.min(LATEST))
    }

    /// The section's lines, without the seed: it is not part of what a scenario is.
    pub(crate) fn resolved(&self, patience: Span) -> String {
        let end = self.end.map_or(quoted("never"), |end| quoted(&end.to_string()));
        format!("[run]\nend = {end}\npatience = {}\n", shown(&patience))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_names() {
        for (pattern, name, expected) in [
            ("tor0.up*", "tor0.up12", true),
            ("tor0.up*", "tor0.up", true),
            ("tor*.up1", "tor15.up1", true),
            ("*.up*", "agg3.up0", true),
            ("tor0.up", "tor0.up1", false),
            ("tor*.up1", "tor1.up12", false),
            ("*", "host7", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

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
    fn probes_that_nobody_shows_are_answered_with_those_that_there_are() {
        let wrong = |text: &str| recording(text).unwrap_err();
        let of = |words: &str| wrong(&format!("probes = [{words}]\nflows = [0]"));
        assert!(of("\"windows\"").contains("nearest: `window`"));
        assert!(of("\"windows\"").contains("these schemes show rtt, window,"));
        assert!(wrong("probes = [\"window\"]").contains("add `flows = [0]`"));
        assert!(wrong("flows = [0]").contains("`flows` has no effect without `probes`"));
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
