//! `[[failure]]` and `[[group]]`: what breaks, how often, and for how long.

use super::of::{GROUPS, Of, PARTS};
use super::published;
use super::values::{seconds_at, seconds_of};
use crate::advise::odds::Rates;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::{Log, with_nearest};
use crate::scenario::spec::{Item, Place, Value};

/// What becomes of what breaks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// It is down.
    Down,
    /// It has another rate, or loses frames: a key of a fault, and its value.
    Worse(&'static str, Item),
}

/// A `[[failure]]` or a `[[group]]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    pub(crate) of: Of,
    /// The layer of cables or the tier of switches; any without.
    pub(crate) layer: Option<(String, Place)>,
    /// How many are in a group.
    pub(crate) size: u32,
    pub(crate) shape: Shape,
    pub(crate) rates: Rates,
    pub(crate) place: Place,
}

impl Failure {
    /// What it is of, in words: `cable of tor_agg`.
    pub(crate) fn noun(&self) -> String {
        let layer = self.layer.as_ref().map(|(layer, _)| format!(" of {layer}"));
        self.of.noun().to_owned() + &layer.unwrap_or_default()
    }
}

keys! {
    /// `[[failure]]`.
    FAILURE: FailureKeys = Section::new("failure", "## [[failure]]", "parts that break, each on its own") => {
        of: Word(&PARTS), (required "cables"),
            "`cables`; `optics`, two for each cable; `nic_ports`, the cables of hosts; `switches`; `hosts`";
        layer: Text, (or "all of them"),
            "of cables and optics: `host_tor`, `tor_agg`, `agg_core`, as `raddle inventory` names them; of switches: `tor`, `agg`, `core`";
        mtbf: Time, (some "1.28e6 h", "required, unless it only flaps or a `rates` of the question has it"),
            "mean time until a part breaks";
        mttr: Time, (some "24 h", "required, unless it only flaps"),
            "mean time until it is repaired";
        shape: Either(&[Exactly("down"), Table(ShapeKeys::SECTION)]), (= "down"),
            "what a broken part does";
        flaps_per_hour: Number, (= 0),
            "short outages of each part";
        lasts: Time, (some "3 s", "required with `flaps_per_hour`"),
            "how long each of them takes";
    }
}

keys! {
    /// `shape`.
    SHAPE: ShapeKeys = Section::new("shape", "### shape", "a part that is worse, not down; cables, optics and NIC ports alone") => {
        rate: Either(&[Rate, Share]), (or "-"),
            "it runs at this rate, or at this share of its own, `\"50%\"`";
        loss: Number, (or "-") [0 to 1],
            "it loses frames with this probability";
        ber: Number, (or "-") [0 to 1],
            "bits are wrong with this probability";
    }
}

keys! {
    /// `[[group]]`.
    GROUP: GroupKeys = Section::new("group", "## [[group]]", "parts that break together") => {
        of: Word(&GROUPS), (required "tor"),
            "`tor`, a switch with hosts; `pod` and `plane`, all switches of one; `module`, cables at neighbouring ports of a switch; `row`, neighbouring switches with hosts";
        size: Whole, (some "2", "required with `module` and `row`") [>= 1],
            "how many break together";
        mtbf: Time, (required "1e5 h"),
            "mean time until a group breaks";
        mttr: Time, (required "4 h"),
            "mean time until it is repaired";
    }
}

/// Reads one `[[failure]]`; `published` says what holds without a rate, and hears what was taken.
pub(super) fn failure(
    item: &Item,
    published: Option<&mut Vec<String>>,
    log: &Log,
) -> Option<Failure> {
    let mut reader = Reader::of("[[failure]]", item, log)?;
    let of = reader.choice(&FAILURE.of).and_then(Of::named);
    let layer = layer(&mut reader, of);
    let shape = shape(&mut reader, of);
    let flaps = flaps(&mut reader);
    let needs = flaps.is_none_or(|(often, _)| often == 0.0);
    let mut mtbf = seconds_at(&mut reader, &FAILURE.mtbf, false);
    let there = reader.take(&FAILURE.mtbf).is_some();
    let mttr = seconds_at(&mut reader, &FAILURE.mttr, true);
    let has_mttr = reader.take(&FAILURE.mttr).is_some();
    if let (false, Some(of)) = (there, of) {
        let word = layer.as_ref().map(|(layer, _)| layer.as_str());
        let known = published.is_some().then(|| published::mtbf(of, word)).flatten();
        match (known, published) {
            (Some(own), Some(taken)) => {
                mtbf = seconds_of(own.mtbf);
                let layer = word.map_or(String::new(), |layer| format!(" of {layer}"));
                taken.push(format!("{}{layer}: mtbf = {}: {}", of.word(), own.mtbf, own.source));
            }
            (_, asked) if needs || has_mttr => {
                let problem = item.place.problem("[[failure]] lacks `mtbf`");
                let problem =
                    problem.label("add `mtbf = \"1.28e6 h\"`, the mean time until one breaks");
                log.add(match asked {
                    Some(_) => problem.help(format!("published are: {}", published::known())),
                    None => problem.help(format!(
                        "a rate is never assumed; `rates = \"{}\"` takes published ones",
                        published::WORD
                    )),
                });
            }
            _ => {}
        }
    }
    if mtbf.is_some() && !has_mttr {
        reader.demand(&FAILURE.mttr);
    }
    reader.finish();
    let (often, lasts) = flaps?;
    Some(Failure {
        of: of?,
        layer,
        size: 1,
        shape: shape?,
        rates: Rates {
            mtbf_s: mtbf.unwrap_or(f64::INFINITY),
            mttr_s: mttr.unwrap_or_default(),
            flaps_per_s: often / 3600.0,
            lasts_s: lasts,
        },
        place: item.place.clone(),
    })
}

fn layer(reader: &mut Reader<'_>, of: Option<Of>) -> Option<(String, Place)> {
    let item = reader.take(&FAILURE.layer)?;
    let Value::Text(text) = &item.value else {
        let problem = item.place.problem("wrong value for `layer`");
        reader.log().add(problem.label("expected a name, quoted, as in \"tor_agg\""));
        return None;
    };
    match of {
        Some(Of::Cables | Of::Optics) | None => {}
        Some(Of::Switches) => {
            let words = ["tor", "agg", "core"];
            if !words.contains(&text.as_str()) {
                let problem = item.place.problem(format!("no switches are called `{text}`"));
                let problem = with_nearest(problem, text, words);
                reader.log().add(problem.help(format!("`layer` is one of: {}", words.join(", "))));
            }
        }
        Some(of) => {
            let without = format!("on `{}`", of.word());
            reader.misplaced(&FAILURE.layer, &without, "`cables`, `optics` and `switches`");
        }
    }
    Some((text.clone(), item.place.clone()))
}

/// How often in an hour, and for how many seconds.
fn flaps(reader: &mut Reader<'_>) -> Option<(f64, f64)> {
    let often: f64 = reader.or(&FAILURE.flaps_per_hour);
    if let (false, Some(item)) =
        ((0.0..f64::INFINITY).contains(&often), reader.take(&FAILURE.flaps_per_hour))
    {
        let problem = item.place.problem("wrong value for `flaps_per_hour`");
        reader.log().add(problem.label("expected a number, at least 0"));
        return None;
    }
    if often == 0.0 {
        reader.misplaced(&FAILURE.lasts, "without `flaps_per_hour`", "`flaps_per_hour`");
        return Some((0.0, 0.0));
    }
    reader.demand(&FAILURE.lasts)?;
    Some((often, seconds_at(reader, &FAILURE.lasts, false)?))
}

fn shape(reader: &mut Reader<'_>, of: Option<Of>) -> Option<Shape> {
    let Some(item) = reader.take(&FAILURE.shape) else { return Some(Shape::Down) };
    if item.value == Value::Text("down".to_owned()) {
        return Some(Shape::Down);
    }
    let log = reader.log();
    if item.table().is_none() {
        let problem = item.place.problem("wrong value for `shape`");
        log.add(problem.label("expected \"down\", or a table as in `{ rate = \"50%\" }`"));
        return None;
    }
    let mut own = Reader::of("shape", item, log)?;
    let keys = [&SHAPE.rate, &SHAPE.loss, &SHAPE.ber];
    let found: Vec<_> = keys.iter().filter_map(|key| Some((key.word, own.take(key)?))).collect();
    own.finish();
    if matches!(of, Some(Of::Switches | Of::Hosts)) {
        let problem = item.place.problem("a switch or a host is down, or it is not broken");
        log.add(problem.label("expected \"down\""));
        return None;
    }
    match found[..] {
        [(word, value)] => Some(Shape::Worse(word, value.clone())),
        _ => {
            let problem = item.place.problem("`shape` says one thing: `rate`, `loss` or `ber`");
            log.add(problem.label("expected one of them, as in `{ rate = \"50%\" }`"));
            None
        }
    }
}

/// Reads one `[[group]]`.
pub(super) fn group(item: &Item, log: &Log) -> Option<Failure> {
    let mut reader = Reader::of("[[group]]", item, log)?;
    let of = reader.choice(&GROUP.of).and_then(Of::named);
    let size = match of {
        Some(Of::Module | Of::Row) => {
            reader.demand(&GROUP.size);
            reader.at_least_or(&GROUP.size, None::<u32>)
        }
        Some(of) => {
            let without = format!("on `{}`", of.word());
            reader.misplaced(&GROUP.size, &without, "`module` and `row`");
            Some(1)
        }
        None => reader.at_least_or(&GROUP.size, Some(1)),
    };
    reader.demand(&GROUP.mtbf);
    let mtbf = seconds_at(&mut reader, &GROUP.mtbf, false);
    reader.demand(&GROUP.mttr);
    let mttr = seconds_at(&mut reader, &GROUP.mttr, true);
    reader.finish();
    Some(Failure {
        of: of?,
        layer: None,
        size: size?,
        shape: Shape::Down,
        rates: Rates { mtbf_s: mtbf?, mttr_s: mttr?, ..Rates::default() },
        place: item.place.clone(),
    })
}
