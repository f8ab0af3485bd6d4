//! `kind = "circuits"`: ToRs whose uplinks lead to circuit switches, which follow a schedule.

use super::kind::{Kind, Made, Shape, misfit};
use super::{COMMON, LINK_DELAY, RATE, SWITCH_DELAY, Topology, UPLINK_RATE, pair};
use crate::scenario::files::Files;
use crate::scenario::key::{Key, Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::Log;
use crate::scenario::scheme::shown;
use crate::scenario::spec::{Item, Value, quoted};
use crate::throughput;
use raddle_circuits::matching::Matching;
use raddle_circuits::schedule::Schedule;
use raddle_schemes::family::{Parameter, ParameterError, Raw};
use raddle_schemes::rng::Rng;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::topology::Fabric;
use raddle_sim::topology::circuits::{self, Change, CircuitShape, Rotors, Turn, UPLINKS_MAX};
use raddle_sim::topology::shape_error::ShapeError;
use raddle_sim::topology::slicing::Late;
use raddle_throughput::demand::{self, Demand};
use raddle_throughput::designs::Design;
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: CircuitKeys = Section::kind(circuits::KIND.name, circuits::KIND.summary).with(COMMON) => {
        tors: Whole, (required 16) [>= 2],
            "ToRs, named `tor0`, `tor1`, ..; the link from one to another is `tor0.to.tor1`, open while a circuit of the two is up";
        hosts_per_tor: Whole, (required 4) [>= 1],
            "hosts at each";
        uplinks: Whole, (required 4) [>= 1],
            "links of a ToR to circuit switches, one to each, at most 64";
        design: Text, (required "mars:degree=8"),
            "who makes the schedule, as `raddle throughput` takes it: a name, `:` and parameters but those that are keys here. Of several schedules one is drawn";
        demand: Text, (= "uniform"),
            "what the schedule is made for, if the design asks: a pattern as in `raddle throughput`, a text file relative to the scenario, or `traffic`, what ToRs send to each other on the mean. Where a seed draws that, the traffic has one of its own";
        design_seed: Whole, (= 1),
            "what the design draws depends on it. It is not the run's `seed`, of which nothing of the fabric depends";
        slot: Time, (required "22 us"),
            "how long a circuit switch stays as it is, dark time included";
        dark: Time, (= "0 ns"),
            "how long a circuit switch that turns connects nothing, at the start of its slot";
        guard: Time, (= "0 ns"),
            "the last bit of a packet leaves so long before its circuit goes down";
        routes: Word(&["shortest", "slices"]), (= "shortest"),
            "`shortest`: by the fewest lanes, whenever those are open; `slices`: at once, by the lanes that stay up until circuit switches have turned next and beyond (Opera). These have to connect all ToRs in each slot";
        late: Word(Late::WORDS), (= "reroute"),
            "by slices, a packet that still waits when its lane closes is sent on by the lanes of then (`reroute`), waits for it to open again (`wait`) or is lost, as on a link that is down (`drop`)";
        bulk: Bytes, (or "none"),
            "by slices, messages of this size on are of data class 0 and go by the shortest way, whenever it is open: their direct lane, where there is one. All others are of class 1, and go first with `service = \"priority\"`";
        change: List(&Table(ChangeKeys::SECTION)), (or "none"),
            "schedules that follow, in order: what was made for a demand that does not hold any more";
        rate => RATE;
        uplink_rate => UPLINK_RATE.meaning("of an uplink. Circuits of several uplinks between two ToRs at once are as fast as they are together");
        link_delay => LINK_DELAY.meaning("propagation on the hosts' links");
        circuit_delay: Time, (or "`link_delay`"),
            "propagation from ToR to ToR";
        switch_delay => SWITCH_DELAY.meaning("latency of every ToR");
    }
}

keys! {
    /// Of a schedule that follows another.
    CHANGE: ChangeKeys = Section::new("change", "#### change", "a schedule that follows another") => {
        at: Time, (required "1 ms"),
            "when, as a period of the schedule before ends. All circuit switches turn then: nothing is open for `dark`";
        design: Text, (or "that before"),
            "who makes it";
        demand: Text, (or "that before"),
            "what it is made for";
        design_seed: Whole, (or "that before"),
            "what the design draws depends on it";
    }
}

pub(super) const KIND: Kind = Kind { section: CircuitKeys::SECTION, read };

fn read(reader: &mut Reader<'_>, files: &Files) -> Option<Made> {
    let tors: Option<u32> = reader.at_least(&KEYS.tors);
    let hosts_per_tor: Option<u32> = reader.at_least(&KEYS.hosts_per_tor);
    let uplinks: Option<u32> = reader.at_least(&KEYS.uplinks);
    let (rate, link_delay) = (reader.or(&KEYS.rate), reader.or(&KEYS.link_delay));
    let uplink_rate = reader.get(&KEYS.uplink_rate).unwrap_or(rate);
    let circuit_delay: Span = reader.get(&KEYS.circuit_delay).unwrap_or(link_delay);
    let switch_delay = reader.or(&KEYS.switch_delay);
    let slot: Option<Span> = reader.need(&KEYS.slot);
    let (dark, guard) = (reader.or::<Span>(&KEYS.dark), reader.or::<Span>(&KEYS.guard));
    let by_slices = reader.word(&KEYS.routes) == "slices";
    let slicing = slicing(by_slices, reader);
    let bulk: Option<Bytes> = reader.get(&KEYS.bulk);
    let seed_item = reader.take(&KEYS.design_seed);
    let seed: u64 = reader.or(&KEYS.design_seed);
    let design_item = reader.demand(&KEYS.design);
    let demand_item = reader.take(&KEYS.demand);
    let (tors, hosts_per_tor, uplinks, slot) = (tors?, hosts_per_tor?, uplinks?, slot?);
    let slicing = slicing?;
    if uplinks as usize > UPLINKS_MAX {
        let (uplinks, most) = (uplinks as usize, UPLINKS_MAX);
        misfit(&ShapeError::ManyUplinks { uplinks, most }, reader);
        return None;
    }
    if slot <= dark {
        let place = &reader.demand(&KEYS.slot)?.place;
        let problem = place.problem(format!("`slot` is {slot}, and {dark} of it are `dark`"));
        reader.log().add(problem.label("expected a longer one"));
        return None;
    }
    let design_text = text(reader, &KEYS.design, design_item?)?;
    let demand_text = match demand_item {
        Some(item) => text(reader, &KEYS.demand, item)?,
        None => default_demand(),
    };
    let follows = demand_text == TRAFFIC;
    // Stands in until the traffic is known.
    let made_for = if follows { default_demand() } else { demand_text };
    let demand = match load(made_for, demand_item, tors as usize, seed, reader, files) {
        Ok(demand) => demand?,
        Err(why) => {
            let place = demand_item.map_or(reader.place(), |item| &item.place);
            reader.log().add(place.problem(why));
            return None;
        }
    };
    let asked = Asked {
        design: design_text.to_owned(),
        uplinks,
        rate: bare(&uplink_rate),
        slot,
        dark,
        seed,
    };
    let rotors = match asked.rotors(&demand, seed) {
        Ok(rotors) => rotors,
        Err(Refused { key, why }) => {
            let place = reader.take(key).map_or(reader.place(), |item| &item.place);
            reader.log().add(place.problem(why));
            return None;
        }
    };
    if let Some(item) = seed_item.filter(|_| seed != default_seed())
        && asked.ignores_seeds(made_for, &demand)
    {
        let problem = item.place.problem(format!("`design_seed` has no effect on `{design_text}`"));
        reader.log().add(problem.label("leave it out: the schedule is the same for all of them"));
        return None;
    }
    if let Some(item) = demand_item.filter(|_| demand_text != default_demand())
        && asked.ignores_demands(tors as usize)
    {
        let problem = item.place.problem(format!("`demand` has no effect on `{design_text}`"));
        reader.log().add(problem.label("leave it out: the schedule is the same for all of them"));
        return None;
    }
    let base = Base { demand: demand_text.to_owned(), rotors: rotors.clone() };
    let following = following(reader, files, (&asked, base), tors as usize)?;
    let mut lines = vec![
        pair("tors", &tors),
        pair("hosts_per_tor", &hosts_per_tor),
        pair("uplinks", &uplinks),
        format!("design = {}", quoted(design_text)),
        format!("demand = {}", quoted(demand_text)),
        pair("design_seed", &seed),
        pair("slot", &slot),
        pair("dark", &dark),
        pair("guard", &guard),
        pair("rate", &rate),
        pair("uplink_rate", &uplink_rate),
        pair("link_delay", &link_delay),
        pair("circuit_delay", &circuit_delay),
        pair("switch_delay", &switch_delay),
    ];
    // What came later is not shown where it is what it would be without its key.
    if let Some(late) = slicing {
        lines.push("routes = \"slices\"".to_owned());
        if late != Late::default() {
            lines.push(pair("late", &late));
        }
        lines.extend(bulk.map(|bulk| pair("bulk", &bulk)));
    }
    if !following.is_empty() {
        let all: Vec<&str> = following.iter().map(|own| own.line.as_str()).collect();
        lines.push(format!("change = [{}]", all.join(", ")));
    }
    let changes =
        following.iter().map(|own| Change { at: own.at, rotors: own.rotors.clone() }).collect();
    let made = [follows.then_some(asked)].into_iter();
    let follows = made.chain(following.into_iter().map(|own| own.follows)).collect();
    Some(Made {
        lines,
        title: format!("circuits by {design_text}"),
        rate: Some(rate),
        file: None,
        shape: Arc::new(Circuits {
            bulk,
            follows,
            shape: CircuitShape {
                tors,
                hosts_per_tor,
                rate,
                uplink_rate,
                link_delay,
                circuit_delay,
                switch_delay,
                rotors,
                changes,
                guard,
                slicing: slicing.map(|late| (late, u8::from(bulk.is_some()))),
            },
        }),
    })
}

/// What becomes of packets that are late, if they go by slices. `None` if a key has no effect.
fn slicing(by_slices: bool, reader: &mut Reader<'_>) -> Option<Option<Late>> {
    let word = reader.word(&KEYS.late);
    if by_slices {
        let late = Late::ALL.iter().find(|late| late.word() == word);
        return Some(late.copied());
    }
    for key in [&KEYS.late, &KEYS.bulk] {
        let Some(item) = reader.take(key) else { continue };
        if key.word == KEYS.late.word && word == Late::default().word() {
            continue;
        }
        let message = format!("`{}` has no effect: packets do not go by slices", key.word);
        let problem = item.place.problem(message);
        reader.log().add(problem.label("leave it out, or set `routes = \"slices\"`"));
        return None;
    }
    Some(None)
}

/// A fabric of circuits, and which messages are bulk.
#[derive(Debug)]
struct Circuits {
    shape: CircuitShape,
    bulk: Option<Bytes>,
    /// What makes each schedule anew, if that is for the traffic.
    follows: Vec<Option<Asked>>,
}

impl Shape for Circuits {
    fn hosts(&self) -> u64 {
        Shape::hosts(&self.shape)
    }

    fn build(&self, topology: &Topology, log: &Log) -> Option<Fabric> {
        Shape::build(&self.shape, topology, log)
    }

    fn follows_traffic(&self) -> bool {
        self.follows.iter().any(Option::is_some)
    }

    fn build_for(&self, rates: &[Vec<f64>], topology: &Topology, log: &Log) -> Option<Fabric> {
        let demand = Demand::new(rates).map_err(|why| format!("the traffic: {why}"));
        let made = demand.and_then(|demand| {
            let mut shape = self.shape.clone();
            let own = [&mut shape.rotors].into_iter();
            let all = own.chain(shape.changes.iter_mut().map(|change| &mut change.rotors));
            for (rotors, asked) in all.zip(&self.follows) {
                if let Some(asked) = asked {
                    *rotors = asked.rotors(&demand, asked.seed).map_err(|refused| refused.why)?;
                }
            }
            Ok(shape)
        });
        match made {
            Ok(shape) => Shape::build(&shape, topology, log),
            Err(why) => {
                log.add(topology.place().problem(why));
                None
            }
        }
    }

    fn bulk(&self) -> Option<Bytes> {
        self.bulk
    }

    fn changes(&self) -> Vec<Time> {
        self.shape.changes.iter().map(|change| change.at).collect()
    }
}

/// A schedule that others follow: what it was made for, and what it is.
struct Base {
    demand: String,
    rotors: Rotors,
}

/// A schedule that follows another.
struct Following {
    at: Time,
    rotors: Rotors,
    /// What makes it anew, if that is for the traffic.
    follows: Option<Asked>,
    /// Its keys, with every default filled in.
    line: String,
}

/// The schedules that follow the first.
fn following(
    reader: &mut Reader<'_>,
    files: &Files,
    (first, base): (&Asked, Base),
    tors: usize,
) -> Option<Vec<Following>> {
    let items = reader.list(&KEYS.change, "tables, as in [{ at = \"1 ms\", demand = \"ring\" }]");
    let (mut asked, mut base) = (first.clone(), base);
    let mut list = Vec::new();
    for item in items {
        let own = next(item, files, (&asked, &base), (tors, reader.log()))?;
        base.rotors.clone_from(&own.1.rotors);
        (asked, base.demand) = own.0;
        list.push(own.1);
    }
    Some(list)
}

/// The schedule that follows one: what it is asked for, and for which demand.
fn next(
    item: &Item,
    files: &Files,
    (asked, base): (&Asked, &Base),
    (tors, log): (usize, &Log),
) -> Option<((Asked, String), Following)> {
    let mut reader = Reader::of("change", item, log)?;
    let at: Option<Span> = reader.need(&CHANGE.at);
    let (design_item, demand) = (reader.take(&CHANGE.design), reader.take(&CHANGE.demand));
    let seed_item = reader.take(&CHANGE.design_seed);
    let seed = reader.get(&CHANGE.design_seed).unwrap_or(asked.seed);
    let design = match design_item {
        Some(item) => text(&reader, &CHANGE.design, item)?.to_owned(),
        None => asked.design.clone(),
    };
    let demand_text = match demand {
        Some(item) => text(&reader, &CHANGE.demand, item)?.to_owned(),
        None => base.demand.clone(),
    };
    let follows = demand_text == TRAFFIC;
    let made_for = if follows { default_demand() } else { &demand_text };
    let place = demand.map_or(&item.place, |item| &item.place);
    let at = Time(at?.0);
    let next = Asked { design, seed, ..asked.clone() };
    let loaded = load(made_for, demand.or(Some(item)), tors, seed, &reader, files);
    let refuse = |why: String| reader.log().add(place.problem(why));
    let rates = loaded.map_err(refuse).ok()??;
    // It has the topology's other keys.
    let at_design = design_item.map_or(&item.place, |item| &item.place);
    let refused = |Refused { why, .. }| reader.log().add(at_design.problem(why));
    let rotors = next.rotors(&rates, seed).map_err(refused).ok()?;
    reader.finish();
    let idle = [
        (seed_item, seed != asked.seed && next.ignores_seeds(made_for, &rates), "design_seed"),
        (demand, demand_text != base.demand && next.ignores_demands(tors), "demand"),
    ];
    for (item, is_idle, key) in idle {
        let Some(item) = item.filter(|_| is_idle) else { continue };
        let problem = item.place.problem(format!("`{key}` has no effect on `{}`", next.design));
        log.add(problem.label("leave it out: the schedule is the same for all of them"));
        return None;
    }
    if rotors == base.rotors && follows == (base.demand == TRAFFIC) {
        let problem = item.place.problem("the change has no effect: the schedule is the same");
        log.add(problem.label("give it another `design` or `demand`"));
        return None;
    }
    let line = [
        pair("at", &Span(at.0)),
        format!("design = {}", quoted(&next.design)),
        format!("demand = {}", quoted(&demand_text)),
        pair("design_seed", &seed),
    ];
    let line = format!("{{ {} }}", line.join(", "));
    let follows = follows.then(|| next.clone());
    Some(((next, demand_text), Following { at, rotors, follows, line }))
}

/// What a schedule is made for where nobody says.
fn default_demand() -> &'static str {
    KEYS.demand.absent.value().unwrap_or_default().trim_matches('"')
}

/// The word for a schedule that is made for the traffic.
const TRAFFIC: &str = "traffic";

/// The seed of designs where nobody says.
fn default_seed() -> u64 {
    KEYS.design_seed.absent.value().and_then(|seed| seed.parse().ok()).unwrap_or_default()
}

/// A value that must be a text.
fn text<'a>(reader: &Reader<'_>, key: &'static Key, item: &'a Item) -> Option<&'a str> {
    let found = match &item.value {
        Value::Text(text) => Some(text.as_str()),
        _ => None,
    };
    if found.is_none() {
        let problem = item.place.problem(format!("wrong value for `{}`", key.word));
        reader.log().add(problem.label("expected a text, quoted"));
    }
    found
}

/// A value as a design's parameter has it.
fn bare<T: Parameter>(value: &T) -> String {
    shown(value).trim_matches('"').to_owned()
}

/// The demand of a pattern, or of a file if there is no such pattern.
fn load(
    name: &str,
    item: Option<&Item>,
    tors: usize,
    seed: u64,
    reader: &Reader<'_>,
    files: &Files,
) -> Result<Option<Demand>, String> {
    let demand = match (demand::named(name, tors, seed), item) {
        (Ok(demand), _) => demand,
        (Err(_), Some(item)) if name.contains('.') => {
            let Some(file) = files.named(item, name, reader.log()) else { return Ok(None) };
            let read = demand::read(name, file.text.as_bytes());
            read.map_err(|why| format!("{name}: {why}"))?.demand
        }
        (Err(why), _) => return Err(format!("{name}: {why}")),
    };
    if demand.nodes() != tors {
        let nodes = demand.nodes();
        return Err(format!("the demand `{name}` has {nodes} nodes, and there are {tors} ToRs"));
    }
    Ok(Some(demand))
}

/// Why there is no schedule, and the key that has to be another.
struct Refused {
    key: &'static Key,
    why: String,
}

/// The design has to be another.
fn refused(why: String) -> Refused {
    Refused { key: &KEYS.design, why }
}

/// Other seeds that are tried before one is said to have no effect.
const SEEDS_TRIED: u64 = 8;

/// What a design is asked for.
#[derive(Clone, Debug)]
struct Asked {
    design: String,
    uplinks: u32,
    rate: String,
    slot: Span,
    dark: Span,
    seed: u64,
}

impl Asked {
    /// Whether a design makes one schedule for the two demands that differ most. Of two ToRs there is
    /// one demand.
    fn ignores_demands(&self, tors: usize) -> bool {
        let made_for = |name: &str| {
            let demand = demand::named(name, tors, self.seed).ok()?;
            self.rotors(&demand, self.seed).ok()
        };
        let (even, skewed) = (made_for("uniform"), made_for("ring"));
        tors > 2 && even.is_some() && even == skewed
    }

    /// Whether neither the demand nor what a design makes of it is another for other seeds.
    fn ignores_seeds(&self, demand_text: &str, demand: &Demand) -> bool {
        let tors = demand.nodes();
        let made = |seed: u64, demand: &Demand| self.rotors(demand, seed).ok();
        let own = made(self.seed, demand);
        let others = (1..=SEEDS_TRIED).map(|step| self.seed.wrapping_add(step));
        let mut others = others.map(|seed| match demand::named(demand_text, tors, seed) {
            Ok(demand) => made(seed, &demand),
            Err(_) => made(seed, demand),
        });
        others.all(|other| other == own)
    }

    /// What circuit switches connect by a design for a demand.
    fn rotors(&self, demand: &Demand, seed: u64) -> Result<Rotors, Refused> {
        let (text, tors) = (self.design.as_str(), demand.nodes());
        let mut design = throughput::design(text).map_err(refused)?;
        let settings = text.split_once(':').map_or("", |(_, settings)| settings).split(',');
        let typed: Vec<&str> =
            settings.filter_map(|own| own.split_once('=')).map(|own| own.0).collect();
        let (slot, dark) = (bare(&self.slot), bare(&self.dark));
        for (key, name, raw) in [
            (&KEYS.uplinks, "uplinks", Raw::Integer(self.uplinks.into())),
            (&KEYS.uplink_rate, "rate", Raw::Text(&self.rate)),
            (&KEYS.slot, "slot", Raw::Text(&slot)),
            (&KEYS.dark, "dark", Raw::Text(&dark)),
        ] {
            if typed.contains(&name) {
                return Err(refused(format!("`{name}` of a design is a key of the topology")));
            }
            set(&mut *design, name, raw).map_err(|why| Refused { key, why })?;
        }
        let plan = design.plan(demand, seed).map_err(|why| refused(format!("{text}: {why}")))?;
        let mut drawn = Rng::new(seed, "schedule", 0).unit();
        let mut schedules = plan.schedules.iter();
        let schedule = loop {
            match schedules.next() {
                None => break plan.schedules.last(),
                Some(own) if drawn < own.0 => break Some(own),
                Some((chance, _)) => drawn -= chance,
            }
        };
        let (_, schedule) = schedule.ok_or_else(|| refused(format!("{text} has no circuits")))?;
        if schedule.nodes() != tors {
            let nodes = schedule.nodes();
            return Err(refused(format!("{text} has {nodes} nodes, and there are {tors} ToRs")));
        }
        Ok(rotors_of(schedule))
    }
}

fn set(design: &mut dyn Design, name: &str, raw: Raw<'_>) -> Result<(), String> {
    design.set(name, raw).map_err(|error| match error {
        ParameterError::Unknown => format!("the design has no `{name}`"),
        ParameterError::Value(expected) => format!("`{name}` of the design: {expected}"),
        ParameterError::Word(words) => {
            format!("`{name}` of the design: one of {}", words.join(", "))
        }
    })
}

/// A schedule as the simulator has it.
fn rotors_of(schedule: &Schedule) -> Rotors {
    let rotor = |(switch, list): (usize, &Vec<Matching>)| {
        let turn = |(slot, matching): (usize, &Matching)| Turn {
            targets: matching.all().map(|(_, target)| target as u16).collect(),
            turns: schedule.is_dark(switch, slot),
        };
        list.iter().enumerate().map(turn).collect()
    };
    Rotors {
        slots: schedule.slots().to_vec(),
        dark: schedule.dark(),
        rotors: schedule.switches().iter().enumerate().map(rotor).collect(),
    }
}

#[cfg(test)]
mod tests;
