//! `[[fault]]`: what breaks, how, and when.

use super::fabric::span_or;
use super::reader::{Log, Reader, read, with_nearest};
use super::scheme::shown;
use super::spec::{Item, Place, Value, quoted};
use raddle_schemes::units::{Rate, Span, Time, split_number};
use raddle_sim::topology::Fabric;

const TARGETS: [&str; 4] = ["link", "switch", "host", "random"];
const EFFECTS: [&str; 5] = ["down", "rate", "loss", "ber", "flap"];

/// One fault, valid as far as it can be without a fabric.
#[derive(Clone, Debug)]
pub(crate) struct FaultSection {
    pub(crate) target: Target,
    pub(crate) effect: Effect,
    /// The place of what names the target.
    pub(crate) place: Place,
}

/// What breaks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Target {
    /// The link or links of the cable at a port.
    Link { name: String, direction: Direction },
    /// A switch.
    Switch(String),
    /// A host.
    Host(u32),
    /// A share of the cables, drawn anew with each seed.
    Random { share: f64, layer: Option<Layer>, two_way: bool },
}

raddle_schemes::words! {
    /// Which of the two links of a cable.
    pub enum Direction {
        /// Both.
        Both = "both",
        /// The one that leaves the named port.
        Out = "out",
        /// The one that enters it.
        In = "in",
    }
}

raddle_schemes::words! {
    /// A layer of cables between switches.
    pub enum Layer {
        /// Between ToRs (leaves) and the switches above them.
        TorAgg = "tor_agg",
        /// Between aggregation and core switches.
        AggCore = "agg_core",
    }
}

/// A stretch of time; `until` is `None` for the end of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) from: Time,
    pub(crate) until: Option<Time>,
}

/// How fast a slow link is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Speed {
    /// In bits per second.
    Rate(Rate),
    /// As a share of the link's own rate.
    Share(f64),
}

/// What happens to the target.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Effect {
    /// It is down.
    Down(Vec<Window>),
    /// It is slow.
    Rate { speed: Speed, scale_queue: bool, during: Window },
    /// It loses frames with this probability.
    Loss { probability: f64, during: Window },
    /// It flips bits with this probability.
    BitErrors { rate: f64, during: Window },
    /// It goes down and up again and again.
    Flap { first: Time, period: Span, down: Span, until: Option<Time> },
}

/// Reads one fault.
pub(crate) fn fault(item: &Item, log: &Log) -> Option<FaultSection> {
    let mut reader = Reader::of("[[fault]]", item, log)?;
    let before = log.count();
    let target_key = one_of(&mut reader, &TARGETS, "target", "link = \"tor0.up1\"");
    let effect_key = one_of(&mut reader, &EFFECTS, "effect", "down = \"100 us..200 us\"");
    let place = target_key.and_then(|key| reader.take(key)).map_or(&item.place, |item| &item.place);
    let target = target_key.and_then(|key| target(&mut reader, key));
    let effect = effect_key.and_then(|key| effect(&mut reader, key));
    if target_key.is_some() && effect_key.is_some() {
        reader.finish();
    }
    let fault = FaultSection { target: target?, effect: effect?, place: place.clone() };
    (log.count() == before).then_some(fault)
}

/// The one key of `keys` that is there.
fn one_of(
    reader: &mut Reader<'_>,
    keys: &[&'static str],
    what: &str,
    example: &str,
) -> Option<&'static str> {
    let found: Vec<_> = keys.iter().filter_map(|&key| Some((key, reader.take(key)?))).collect();
    let choice = format!("a fault has one {what}: {}", keys.join(", "));
    match found.as_slice() {
        [(key, _)] => Some(key),
        [] => {
            let problem = reader.place().problem(format!("the fault has no {what}"));
            reader.log().add(problem.label(format!("add one, as in `{example}`")).help(choice));
            None
        }
        [(first, _), (second, item), ..] => {
            let message = format!("the fault has both `{first}` and `{second}`");
            reader.log().add(item.place.problem(message).label("make it a second fault").help(choice));
            None
        }
    }
}

fn target(reader: &mut Reader<'_>, key: &'static str) -> Option<Target> {
    let name = |reader: &mut Reader<'_>| {
        let item = reader.take(key)?;
        if let Value::Text(name) = &item.value {
            return Some(name.clone());
        }
        let problem = item.place.problem(format!("wrong value for `{key}`"));
        reader.log().add(problem.label("expected a name, quoted"));
        None
    };
    match key {
        "link" => Some(Target::Link {
            name: name(reader)?,
            direction: reader.or("direction", Direction::Both),
        }),
        "switch" => name(reader).map(Target::Switch),
        "host" => reader.get(key).map(Target::Host),
        _ => random(reader.table(key)?),
    }
}

fn random(mut reader: Reader<'_>) -> Option<Target> {
    let share = reader.demand("share", "\"1%\"").and_then(|item| {
        let share = percent(item).filter(|share| *share > 0.0 && *share <= 1.0);
        if share.is_none() {
            let problem = item.place.problem("wrong value for `share`");
            reader.log().add(problem.label("expected a share over 0% and up to 100%, as in \"1%\""));
        }
        share
    });
    let layer = reader.get("layer");
    let two_way = reader.or("two_way", true);
    reader.finish();
    Some(Target::Random { share: share?, layer, two_way })
}

/// `"1%"` as a fraction.
fn percent(item: &Item) -> Option<f64> {
    let Value::Text(text) = &item.value else { return None };
    match split_number(text) {
        Ok((number, "%")) => Some(number / 100.0),
        _ => None,
    }
}

fn effect(reader: &mut Reader<'_>, key: &'static str) -> Option<Effect> {
    let item = reader.take(key)?;
    match key {
        "down" => down(reader, item).map(Effect::Down),
        "rate" => {
            let speed = speed(reader, item);
            let scale_queue = reader.or("scale_queue", true);
            let during = during(reader)?;
            Some(Effect::Rate { speed: speed?, scale_queue, during })
        }
        "loss" => {
            let probability = probability(reader, key, item);
            let during = during(reader)?;
            Some(Effect::Loss { probability: probability?, during })
        }
        "ber" => {
            let rate = probability(reader, key, item);
            let during = during(reader)?;
            Some(Effect::BitErrors { rate: rate?, during })
        }
        _ => flap(Reader::of(key, item, reader.log())?),
    }
}

fn down(reader: &Reader<'_>, item: &Item) -> Option<Vec<Window>> {
    let items = item.list().unwrap_or(std::slice::from_ref(item));
    if items.is_empty() {
        let problem = item.place.problem("`down` lists no time");
        reader.log().add(problem.label("expected times, as in [\"100 us..200 us\", \"1 ms..\"]"));
    }
    let windows: Vec<Option<Window>> =
        items.iter().map(|item| window(reader, "down", item)).collect();
    let windows = windows.into_iter().collect::<Option<Vec<_>>>()?;
    for (pair, item) in windows.windows(2).zip(&items[1..]) {
        if pair[0].until.is_none_or(|until| pair[1].from < until) {
            let problem = item.place.problem("the times of `down` overlap or are not in order");
            reader.log().add(problem.label("expected a time after the one before it"));
        }
    }
    Some(windows).filter(|windows| !windows.is_empty())
}

fn during(reader: &mut Reader<'_>) -> Option<Window> {
    match reader.take("during") {
        None => Some(Window { from: Time::ZERO, until: None }),
        Some(item) => window(reader, "during", item),
    }
}

/// `"100 us..200 us"`; without the left part from the start, without the right part to the end.
fn window(reader: &Reader<'_>, key: &str, item: &Item) -> Option<Window> {
    let wrong = |label: String| {
        let problem = item.place.problem(format!("wrong value for `{key}`"));
        reader.log().add(problem.label(label));
    };
    let example = "expected a stretch of time, as in \"100 us..200 us\", \"100 us..\" or \"..\"";
    let parts = match &item.value {
        Value::Text(text) => text.split_once(".."),
        _ => None,
    };
    let Some((from, until)) = parts else {
        wrong(example.to_owned());
        return None;
    };
    let time = |text: &str| match text.trim() {
        "" => Ok(None),
        text => text.parse::<Span>().map(|span| Some(Time(span.0))),
    };
    match (time(from), time(until)) {
        (Ok(from), Ok(until)) => {
            let from = from.unwrap_or(Time::ZERO);
            if until.is_some_and(|until| until <= from) {
                wrong("expected an end after the start".to_owned());
                return None;
            }
            Some(Window { from, until })
        }
        (Err(error), _) | (_, Err(error)) => {
            wrong(format!("{error}, as in \"100 us..200 us\""));
            None
        }
    }
}

fn speed(reader: &Reader<'_>, item: &Item) -> Option<Speed> {
    if let Some(share) = percent(item) {
        if share > 0.0 && share.is_finite() {
            return Some(Speed::Share(share));
        }
    } else {
        match read::<Rate>("rate", item) {
            Ok(Rate(0)) => {}
            Ok(rate) => return Some(Speed::Rate(rate)),
            Err(problem) => {
                let label = problem.label.clone().unwrap_or_default();
                reader.log().add(problem.label(format!("{label} or \"50%\"")));
                return None;
            }
        }
    }
    let problem = item.place.problem("wrong value for `rate`");
    reader.log().add(problem.label("expected more than 0: a link without rate is `down`"));
    None
}

fn probability(reader: &Reader<'_>, key: &str, item: &Item) -> Option<f64> {
    let value: f64 = read(key, item).map_err(|problem| reader.log().add(problem)).ok()?;
    if (0.0..=1.0).contains(&value) {
        return Some(value);
    }
    let problem = item.place.problem(format!("wrong value for `{key}`"));
    reader.log().add(problem.label("expected a probability from 0 to 1"));
    None
}

fn flap(mut reader: Reader<'_>) -> Option<Effect> {
    let first = reader.or("first", Span::ZERO);
    let period = reader.at_least("period", Span(1), None);
    let down_item = reader.demand("down", "\"10 us\"");
    let down = down_item.and_then(|_| reader.at_least("down", Span(1), None));
    let until = span_or(&mut reader, "until", "never");
    reader.finish();
    let (period, down) = (period?, down?);
    if down >= period {
        let problem = down_item?.place.problem("the link would never come up");
        reader.log().add(problem.label(format!("expected less than the period, {period}")));
        return None;
    }
    let first = Time(first.0);
    Some(Effect::Flap { first, period, down, until: until.map(|until| Time(until.0)) })
}

impl FaultSection {
    /// Adds a problem if the fabric has nothing of the target's name.
    pub(crate) fn check(&self, fabric: &Fabric, log: &Log) {
        let unknown = |what: &str, name: &str, names: &mut dyn Iterator<Item = &str>| {
            let problem = self.place.problem(format!("no {what} is called `{name}`"));
            let names: Vec<&str> = names.collect();
            let some: Vec<&str> = names.iter().rev().take(3).rev().copied().collect();
            let help = format!("{what}s of this fabric: .., {}", some.join(", "));
            log.add(with_nearest(problem, name, names.iter().copied()).help(help));
        };
        match &self.target {
            Target::Link { name, .. } if fabric.port_named(name).is_none() => {
                unknown("link", name, &mut fabric.ports.iter().map(|port| port.name.as_str()));
            }
            Target::Switch(name) if fabric.switch_named(name).is_none() => {
                let mut names = fabric.switches.iter().map(|switch| switch.name.as_str());
                unknown("switch", name, &mut names);
            }
            Target::Host(host) if *host >= fabric.hosts => {
                let problem = self.place.problem(format!("there is no host {host}"));
                log.add(problem.label(format!("expected a host from 0 to {}", fabric.hosts - 1)));
            }
            _ => {}
        }
    }

    /// The fault's lines with every default filled in.
    pub(crate) fn resolved(&self) -> String {
        let target = match &self.target {
            Target::Link { name, direction } => {
                format!("link = {}\ndirection = {}", quoted(name), shown(direction))
            }
            Target::Switch(name) => format!("switch = {}", quoted(name)),
            Target::Host(host) => format!("host = {host}"),
            Target::Random { share, layer, two_way } => {
                let layer = layer.map_or(String::new(), |l| format!(", layer = {}", shown(&l)));
                let share = share * 100.0;
                format!("random = {{ share = \"{share}%\"{layer}, two_way = {two_way} }}")
            }
        };
        format!("[[fault]]\n{target}\n{}\n", self.effect.resolved())
    }
}

impl Window {
    fn show(self) -> String {
        let until = self.until.map_or(String::new(), |until| until.to_string());
        quoted(&format!("{}..{until}", self.from))
    }
}

impl Effect {
    fn resolved(&self) -> String {
        match self {
            Self::Down(windows) => {
                let windows: Vec<String> = windows.iter().map(|window| window.show()).collect();
                format!("down = [{}]", windows.join(", "))
            }
            Self::Rate { speed, scale_queue, during } => {
                let speed = match speed {
                    Speed::Rate(rate) => shown(rate),
                    Speed::Share(share) => format!("\"{}%\"", share * 100.0),
                };
                let during = during.show();
                format!("rate = {speed}\nscale_queue = {scale_queue}\nduring = {during}")
            }
            Self::Loss { probability, during } => {
                format!("loss = {probability:?}\nduring = {}", during.show())
            }
            Self::BitErrors { rate, during } => {
                format!("ber = {rate:?}\nduring = {}", during.show())
            }
            Self::Flap { first, period, down, until } => {
                let until = until.map_or("never".to_owned(), |until| until.to_string());
                format!(
                    "flap = {{ first = {}, period = {}, down = {}, until = {} }}",
                    quoted(&first.to_string()),
                    shown(period),
                    shown(down),
                    quoted(&until)
                )
            }
        }
    }
}
