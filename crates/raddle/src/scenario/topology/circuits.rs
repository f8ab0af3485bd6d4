//! `kind = "circuits"`: ToRs whose uplinks lead to circuit switches, which follow a schedule.

mod asked;

use super::kind::{Kind, Made, Shape, misfit};
use super::{COMMON, LINK_DELAY, RATE, SWITCH_DELAY, Topology, UPLINK_RATE, pair};
use crate::scenario::files::Files;
use crate::scenario::key::{Key, Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::Log;
use crate::scenario::spec::{Item, Place, Value, quoted};
use asked::{Asked, Refused};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::topology::Fabric;
use raddle_sim::topology::circuits::{self, Change, CircuitShape, Rotors, UPLINKS_MAX};
use raddle_sim::topology::shape_error::ShapeError;
use raddle_sim::topology::slicing::Late;
use raddle_throughput::demand::{self, Demand};
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
    let numbers = Numbers::read(reader);
    let by_slices = reader.word(&KEYS.routes) == "slices";
    let slicing = slicing(by_slices, reader);
    let bulk: Option<Bytes> = reader.get(&KEYS.bulk);
    let first = first(reader, files, numbers?);
    let (slicing, (numbers, asked, base)) = (slicing?, first?);
    let following = following(reader, files, (&asked, &base), numbers.tors as usize)?;
    let mut lines = numbers.lines(&asked, &base.demand);
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
    let places = following.iter().map(|own| own.place.clone()).collect();
    let title = format!("circuits by {}", asked.design);
    let follows = (base.demand == TRAFFIC).then_some(asked);
    let follows =
        [follows].into_iter().chain(following.into_iter().map(|own| own.follows)).collect();
    let shape = CircuitShape {
        tors: numbers.tors,
        hosts_per_tor: numbers.hosts_per_tor,
        rate: numbers.rate,
        uplink_rate: numbers.uplink_rate,
        link_delay: numbers.link_delay,
        circuit_delay: numbers.circuit_delay,
        switch_delay: numbers.switch_delay,
        rotors: base.rotors,
        changes,
        guard: numbers.guard,
        slicing: slicing.map(|late| (late, u8::from(bulk.is_some()))),
    };
    let shape = Arc::new(Circuits { bulk, follows, shape, places });
    Some(Made { lines, title, rate: Some(numbers.rate), file: None, shape })
}

/// What does not depend on the schedule.
struct Numbers {
    tors: u32,
    hosts_per_tor: u32,
    uplinks: u32,
    slot: Span,
    dark: Span,
    guard: Span,
    rate: Rate,
    uplink_rate: Rate,
    link_delay: Span,
    circuit_delay: Span,
    switch_delay: Span,
}

impl Numbers {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let tors: Option<u32> = reader.at_least(&KEYS.tors);
        let hosts_per_tor: Option<u32> = reader.at_least(&KEYS.hosts_per_tor);
        let uplinks: Option<u32> = reader.at_least(&KEYS.uplinks);
        let (rate, link_delay) = (reader.or(&KEYS.rate), reader.or(&KEYS.link_delay));
        let uplink_rate = reader.get(&KEYS.uplink_rate).unwrap_or(rate);
        let circuit_delay = reader.get(&KEYS.circuit_delay).unwrap_or(link_delay);
        let switch_delay = reader.or(&KEYS.switch_delay);
        let slot: Option<Span> = reader.need(&KEYS.slot);
        let (dark, guard) = (reader.or::<Span>(&KEYS.dark), reader.or(&KEYS.guard));
        Some(Self {
            tors: tors?,
            hosts_per_tor: hosts_per_tor?,
            uplinks: uplinks?,
            slot: slot?,
            dark,
            guard,
            rate,
            uplink_rate,
            link_delay,
            circuit_delay,
            switch_delay,
        })
    }

    /// Whether they go together; adds a problem if not.
    fn fit(&self, reader: &mut Reader<'_>) -> Option<()> {
        let (uplinks, most) = (self.uplinks as usize, UPLINKS_MAX);
        if uplinks > most {
            misfit(&ShapeError::ManyUplinks { uplinks, most }, reader);
            return None;
        }
        let (slot, dark) = (self.slot, self.dark);
        if slot <= dark {
            let place = &reader.demand(&KEYS.slot)?.place;
            let problem = place.problem(format!("`slot` is {slot}, and {dark} of it are `dark`"));
            reader.log().add(problem.label("expected a longer one"));
            return None;
        }
        Some(())
    }

    /// All of them and what the first schedule is, with every default filled in.
    fn lines(&self, asked: &Asked, demand: &str) -> Vec<String> {
        vec![
            pair("tors", &self.tors),
            pair("hosts_per_tor", &self.hosts_per_tor),
            pair("uplinks", &self.uplinks),
            format!("design = {}", quoted(&asked.design)),
            format!("demand = {}", quoted(demand)),
            pair("design_seed", &asked.seed),
            pair("slot", &self.slot),
            pair("dark", &self.dark),
            pair("guard", &self.guard),
            pair("rate", &self.rate),
            pair("uplink_rate", &self.uplink_rate),
            pair("link_delay", &self.link_delay),
            pair("circuit_delay", &self.circuit_delay),
            pair("switch_delay", &self.switch_delay),
        ]
    }
}

/// The first schedule.
fn first(
    reader: &mut Reader<'_>,
    files: &Files,
    numbers: Numbers,
) -> Option<(Numbers, Asked, Base)> {
    let seed_item = reader.take(&KEYS.design_seed);
    let seed: u64 = reader.or(&KEYS.design_seed);
    let design_item = reader.demand(&KEYS.design);
    let demand_item = reader.take(&KEYS.demand);
    numbers.fit(reader)?;
    let design = text(reader, &KEYS.design, design_item?)?;
    let demand_text = match demand_item {
        Some(item) => text(reader, &KEYS.demand, item)?,
        None => default_demand(),
    };
    // Stands in until the traffic is known.
    let made_for = if demand_text == TRAFFIC { default_demand() } else { demand_text };
    let tors = numbers.tors as usize;
    let demand = match load(made_for, demand_item, tors, seed, reader, files) {
        Ok(demand) => demand?,
        Err(why) => {
            let place = demand_item.map_or(reader.place(), |item| &item.place);
            reader.log().add(place.problem(why));
            return None;
        }
    };
    let Numbers { uplinks, uplink_rate, slot, dark, .. } = numbers;
    let asked = Asked { design: design.to_owned(), uplinks, uplink_rate, slot, dark, seed };
    let rotors = match asked.rotors(&demand, seed) {
        Ok(rotors) => rotors,
        Err(Refused { key, why }) => {
            let keys = [&KEYS.uplinks, &KEYS.uplink_rate, &KEYS.slot, &KEYS.dark, &KEYS.design];
            let key = keys.into_iter().find(|own| own.word == key);
            let item = key.and_then(|key| reader.take(key));
            let place = item.map_or(reader.place(), |item| &item.place);
            reader.log().add(place.problem(why));
            return None;
        }
    };
    let idle = [
        (
            seed_item,
            seed != default_seed() && asked.ignores_seeds(made_for, &demand),
            "design_seed",
        ),
        (demand_item, demand_text != default_demand() && asked.ignores_demands(tors), "demand"),
    ];
    refuse_idle(idle, design, reader.log())?;
    Some((numbers, asked, Base { demand: demand_text.to_owned(), rotors }))
}

/// Adds a problem if a key was typed that is idle with a design.
fn refuse_idle(keys: [(Option<&Item>, bool, &str); 2], design: &str, log: &Log) -> Option<()> {
    for (item, is_idle, key) in keys {
        let Some(item) = item.filter(|_| is_idle) else { continue };
        let problem = item.place.problem(format!("`{key}` has no effect on `{design}`"));
        log.add(problem.label("leave it out: the schedule is the same for all of them"));
        return None;
    }
    Some(())
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
    /// Where each change stands.
    places: Vec<Place>,
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

    fn changes(&self) -> Vec<(Time, &Place)> {
        self.shape.changes.iter().map(|change| change.at).zip(&self.places).collect()
    }
}

/// A schedule that others follow: what it was made for, and what it is.
#[derive(Clone)]
struct Base {
    demand: String,
    rotors: Rotors,
}

/// A schedule that follows another.
struct Following {
    place: Place,
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
    (first, base): (&Asked, &Base),
    tors: usize,
) -> Option<Vec<Following>> {
    let items = reader.list(&KEYS.change, "tables, as in [{ at = \"1 ms\", demand = \"ring\" }]");
    let (mut asked, mut base) = (first.clone(), base.clone());
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
    refuse_idle(idle, &next.design, log)?;
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
    let place = item.place.clone();
    Some(((next, demand_text), Following { place, at, rotors, follows, line }))
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

#[cfg(test)]
mod tests;
