//! `[[fault]]`: what breaks, how, and when.

use super::key::{Key, Section, keys};
use super::keyed::Reader;
use super::reader::{Log, read};
use super::scheme::shown;
use super::share::{at_least, percent, share};
use super::spec::{Item, Place, Value, quoted};
use crate::problem::Problem;
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Rate, Span, Time};
use raddle_sim::faults::error::FaultError;
use raddle_sim::faults::resolve::flapping;
use raddle_sim::faults::spec::{Among, Amount, Direction, Effect, Fault, RateTo, Target};

const TARGETS: [&Key; 4] = [&FAULT.link, &FAULT.switch, &FAULT.host, &FAULT.random];
const EFFECTS: [&Key; 6] =
    [&FAULT.down, &FAULT.rate, &FAULT.loss, &FAULT.ber, &FAULT.flap, &FAULT.clock];
const DIRECTIONS: &[&str] = &["both", "out", "in"];
const AMONG: &[&str] = &["cables", "switches"];
/// Of cables, by the tier below them.
const LAYERS: &[&str] = &["tor_agg", "agg_core"];
/// Of switches, by their tier less one: those with hosts are not drawn.
const SWITCH_LAYERS: &[&str] = &["agg", "core"];

keys! {
    /// `[[fault]]`.
    FAULT: FaultKeys = Section::new("fault", "## [[fault]]", "what breaks, how, and when") => {
        link: Text, (or "-"),
            "a port's name, `\"tor0.up1\"`: the cable at that port, and with `*` for any characters those at all ports of such names, `\"host*\"`; of ToRs with circuits the uplink of that name, and all circuits over it, which can be down";
        direction: Word(DIRECTIONS), (= "both"),
            "with `link`: `both`, `out` (what leaves that port, or that ToR over the uplink) or `in`";
        switch: Text, (or "-"),
            "a switch with all its cables, `\"core3\"`; or a circuit switch, `\"rotor1\"`, that is uplink 1 of all ToRs, which can be down";
        host: Either(&[Text, Whole]), (or "-"),
            "a host with its cable, by its number or its name: `5` or `\"host5\"`";
        random: Table(RandomKeys::SECTION), (or "-"),
            "cables between switches, or switches without hosts, drawn with the seed";
        down: Either(&[Window, List(&Window)]), (or "-"),
            "cut in these windows, in order";
        flap: Table(FlapKeys::SECTION), (or "-"),
            "down again and again";
        rate: Either(&[Rate, Share]), (or "-"),
            "runs at this rate, `\"100 Gbps\"`, or at this share of its own, `\"50%\"`";
        scale_queue: Flag, (= true),
            "with `rate`: capacity and marking thresholds shrink with the rate, down to a capacity of one packet";
        loss: Number, (or "-") [0 to 1],
            "probability that a frame is lost, 0 to 1";
        ber: Number, (or "-") [0 to 1],
            "probability that a bit is wrong, 0 to 1; a frame with a wrong bit is lost";
        clock: Text, (or "-"),
            "with `switch`, a ToR with circuits: how much its clock is behind, `\"40 ns\"`, or ahead, `\"-40 ns\"`. It opens circuits by its clock, and a packet of which some bit passes while the circuit is not up is lost; several of one ToR add up";
        during: Window, (= ".."),
            "with `rate`, `loss` and `ber`: when";
    }
}

keys! {
    /// `random`.
    RANDOM: RandomKeys = Section::new("random", "### random", "cables or switches drawn with the seed") => {
        share: Share, (some "1%", "required, or `probability`"),
            "of the cables or switches, rounded to a whole number of them; `\"0%\"` is as if there were no fault, the baseline of a sweep";
        probability: Number, (or "-") [0 to 1],
            "instead of `share`: each on its own, with this probability; how many varies with the seed";
        of: Word(AMONG), (= "cables"),
            "`cables` between switches, or `switches` that have no hosts, each with all its cables";
        layer: Word(&[LAYERS[0], LAYERS[1], SWITCH_LAYERS[0], SWITCH_LAYERS[1]]), (or "all of them"),
            "of cables: `tor_agg` (ToRs and what is above them) or `agg_core`; of switches: `agg` (what is above ToRs, in two tiers the spines) or `core`";
        two_way: Flag, (= true),
            "of cables: both directions of each, or one of them";
    }
}

keys! {
    /// `flap`.
    FLAP: FlapKeys = Section::new("flap", "### flap", "down again and again") => {
        first: Time, (= "0 ns"),
            "the first time it goes down";
        period: Time, (required "1 ps") [>= "1 ps"],
            "from one time to the next";
        down: Time, (required "1 ps") [>= "1 ps"],
            "how long it stays down each time";
        until: Time, (required "1 ps") [>= "1 ps"],
            "not down at or after this";
    }
}

/// One fault, valid as far as it can be without a fabric.
#[derive(Clone, Debug)]
pub(crate) struct FaultSection {
    pub(crate) fault: Fault,
    /// Its lines with every default filled in.
    pub(crate) resolved: String,
    target_place: Place,
    effect_place: Place,
}

impl FaultSection {
    /// Where it says that a link gets slower, if it does.
    pub(crate) fn slows_down(&self) -> Option<&Place> {
        matches!(self.fault.effect, Effect::Rate { .. }).then_some(&self.effect_place)
    }

    /// Whether something goes down.
    pub(crate) fn takes_down(&self) -> bool {
        matches!(self.fault.effect, Effect::Down)
    }

    /// Where its times stand, if it does nothing before `end`.
    pub(crate) fn begins_at_or_after(&self, end: Time) -> Option<&Place> {
        let late = self.fault.windows.iter().all(|(from, _)| *from >= end);
        late.then_some(&self.effect_place)
    }
}

/// From an instant until another, or to the end.
type Window = (Time, Option<Time>);

/// Reads one fault.
pub(crate) fn fault(item: &Item, log: &Log) -> Option<FaultSection> {
    let mut reader = Reader::of("[[fault]]", item, log)?;
    let before = log.count();
    let target_key = one_of(&mut reader, &TARGETS, "target", "link = \"tor0.up1\"");
    let effect_key = one_of(&mut reader, &EFFECTS, "effect", "down = \"100 us..200 us\"");
    let mut place_of = |key: Option<&'static Key>| {
        key.and_then(|key| reader.take(key)).map_or(&item.place, |item| &item.place).clone()
    };
    let (target_place, effect_place) = (place_of(target_key), place_of(effect_key));
    let target = target_key.and_then(|key| target(&mut reader, key));
    let effect = effect_key.and_then(|key| effect(&mut reader, key));
    if let (Some(target), Some(effect)) = (target_key, effect_key) {
        misplaced(&mut reader, target.word, effect.word);
        reader.finish();
    }
    let ((target, first), (effect, windows, second)) = (target?, effect?);
    let resolved = format!("[[fault]]\n{first}\n{second}\n");
    // A share of 0 is as if there were no fault.
    let is_none = |amount: &Amount| matches!(amount, Amount::Share(share) if *share == 0.0);
    if matches!(&target, Target::Random { amount, .. } if is_none(amount)) {
        return None;
    }
    let fault = Fault { target, effect, windows };
    (log.count() == before).then_some(FaultSection { fault, resolved, target_place, effect_place })
}

/// The one key of `keys` that is there.
fn one_of(
    reader: &mut Reader<'_>,
    keys: &[&'static Key],
    what: &str,
    example: &str,
) -> Option<&'static Key> {
    let found: Vec<_> = keys.iter().filter_map(|&key| Some((key, reader.take(key)?))).collect();
    let words: Vec<&str> = keys.iter().map(|key| key.word).collect();
    let choice = format!("a fault has one {what}: {}", words.join(", "));
    match found.as_slice() {
        [(key, _)] => Some(key),
        [] => {
            let problem = reader.place().problem(format!("the fault has no {what}"));
            reader.log().add(problem.label(format!("add one, as in `{example}`")).help(choice));
            None
        }
        [(first, _), (second, item), ..] => {
            let message = format!("the fault has both `{}` and `{}`", first.word, second.word);
            reader
                .log()
                .add(item.place.problem(message).label("make it a second fault").help(choice));
            None
        }
    }
}

/// The target and its lines.
fn target(reader: &mut Reader<'_>, key: &'static Key) -> Option<(Target, String)> {
    if key.word == FAULT.random.word {
        return random(reader.table(key)?);
    }
    let item = reader.take(key)?;
    let key = key.word;
    let name = match &item.value {
        Value::Text(name) => name.clone(),
        Value::Integer(_) if key == "host" => {
            let number = read(key, item).map_err(|problem| reader.log().add(problem)).ok()?;
            return Some((Target::HostNumber { host: HostId(number) }, format!("host = {number}")));
        }
        _ => {
            let problem = item.place.problem(format!("wrong value for `{key}`"));
            let label = match key {
                "host" => "expected a name, quoted, or a number",
                _ => "expected a name, quoted",
            };
            reader.log().add(problem.label(label));
            return None;
        }
    };
    let line = format!("{key} = {}", quoted(&name));
    Some(match key {
        "link" => {
            let word = reader.word(&FAULT.direction);
            let direction = match word {
                "out" => Direction::Out,
                "in" => Direction::In,
                _ => Direction::Both,
            };
            (Target::Link { name, direction }, format!("{line}\ndirection = {}", quoted(word)))
        }
        "switch" => (Target::Switch { name }, line),
        _ => (Target::Host { name }, line),
    })
}

/// Reports keys of other targets and effects than those of the fault.
fn misplaced(reader: &mut Reader<'_>, target: &str, effect: &str) {
    if target != "link" {
        reader.misplaced(&FAULT.direction, &format!("on `{target}`"), "`link`");
    }
    if effect != "rate" {
        reader.misplaced(&FAULT.scale_queue, &format!("on `{effect}`"), "`rate`");
    }
    if ["down", "flap", "clock"].contains(&effect) {
        let with = "`rate`, `loss` and `ber`";
        reader.misplaced(&FAULT.during, &format!("on `{effect}`"), with);
    }
}

fn random(mut reader: Reader<'_>) -> Option<(Target, String)> {
    let amount = match reader.take(&RANDOM.probability) {
        None => share(&mut reader, &RANDOM.share)
            .map(|percent| (Amount::Share(percent / 100.0), format!("share = \"{percent}%\""))),
        Some(item) => {
            if reader.take(&RANDOM.share).is_some() {
                let problem = item.place.problem("`random` has both `share` and `probability`");
                reader.log().add(problem.label("a number of them, or a chance for each"));
            }
            probability(&reader, "probability", item)
                .map(|p| (Amount::Probability(p), format!("probability = {p:?}")))
        }
    };
    let of = reader.word(&RANDOM.of);
    let (layers, lowest) = if of == "cables" { (LAYERS, 0) } else { (SWITCH_LAYERS, 1) };
    let layer = reader.word_of(&RANDOM.layer, layers).unwrap_or_default();
    let tier = layers.iter().zip(lowest..).find(|(word, _)| **word == layer).map(|(_, tier)| tier);
    let (among, kind) = if of == "cables" {
        let two_way = reader.or(&RANDOM.two_way);
        (Among::Cables { tier, two_way }, format!("two_way = {two_way}"))
    } else {
        reader.misplaced(&RANDOM.two_way, "on `switches`", "`cables`");
        (Among::Switches { tier }, format!("of = {}", quoted(of)))
    };
    reader.finish();
    let (amount, shown) = amount?;
    let layer = if layer.is_empty() { String::new() } else { format!(", layer = \"{layer}\"") };
    let line = format!("random = {{ {shown}{layer}, {kind} }}");
    Some((Target::Random { amount, among }, line))
}

/// The effect, its times, and its lines.
fn effect(reader: &mut Reader<'_>, key: &'static Key) -> Option<(Effect, Vec<Window>, String)> {
    let item = reader.take(key)?;
    let key = key.word;
    match key {
        "down" => {
            let windows = down(reader, item)?;
            let shown: Vec<String> = windows.iter().copied().map(show).collect();
            Some((Effect::Down, windows, format!("down = [{}]", shown.join(", "))))
        }
        "flap" => flap(Reader::of(key, item, reader.log())?),
        "clock" => clock(reader, item),
        _ => {
            let effect = match key {
                "rate" => {
                    let speed = speed(reader, item);
                    let scale = reader.or(&FAULT.scale_queue);
                    let lines = |shown| format!("rate = {shown}\nscale_queue = {scale}");
                    speed.map(|(to, shown)| (Effect::Rate { to, scale }, lines(shown)))
                }
                "loss" => probability(reader, key, item)
                    .map(|p| (Effect::Loss(p), format!("loss = {p:?}"))),
                _ => probability(reader, key, item)
                    .map(|p| (Effect::BitErrors(p), format!("ber = {p:?}"))),
            };
            let during = during(reader)?;
            let (effect, line) = effect?;
            Some((effect, vec![during], format!("{line}\nduring = {}", show(during))))
        }
    }
}

fn show((from, until): Window) -> String {
    let until = until.map_or(String::new(), |until| until.to_string());
    quoted(&format!("{from}..{until}"))
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
    for (pair, item) in windows.windows(2).zip(items.iter().skip(1)) {
        if pair[0].1.is_none_or(|until| pair[1].0 < until) {
            let problem = item.place.problem("the times of `down` overlap or are not in order");
            reader.log().add(problem.label("expected a time after the one before it"));
        }
    }
    Some(windows).filter(|windows| !windows.is_empty())
}

fn during(reader: &mut Reader<'_>) -> Option<Window> {
    match reader.take(&FAULT.during) {
        None => Some((Time::ZERO, None)),
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
            Some((from, until))
        }
        (Err(error), _) | (_, Err(error)) => {
            wrong(format!("{error}, as in \"100 us..200 us\""));
            None
        }
    }
}

/// The rate of a slow link, and how a scenario holds it.
fn speed(reader: &Reader<'_>, item: &Item) -> Option<(RateTo, String)> {
    if let Some(percent) = percent(item) {
        if percent > 0.0 {
            return Some((RateTo::Factor(percent / 100.0), format!("\"{percent}%\"")));
        }
    } else {
        match read::<Rate>("rate", item) {
            Ok(Rate(0)) => {}
            Ok(rate) => return Some((RateTo::Absolute(rate), shown(&rate))),
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

/// How much a clock is behind, or ahead after a minus.
fn clock(reader: &Reader<'_>, item: &Item) -> Option<(Effect, Vec<Window>, String)> {
    let parsed = match &item.value {
        Value::Text(text) => {
            let (digits, sign) = text.strip_prefix('-').map_or((text.as_str(), 1), |own| (own, -1));
            let span = digits.trim().parse::<Span>().ok();
            span.and_then(|span| Some((text, sign * i64::try_from(span.0).ok()?)))
        }
        _ => None,
    };
    let Some((text, behind)) = parsed else {
        let problem = item.place.problem("wrong value for `clock`");
        reader.log().add(problem.label("expected a time, as in \"40 ns\" or \"-40 ns\""));
        return None;
    };
    if behind == 0 {
        let problem = item.place.problem("the fault has no effect: the clock is right");
        reader.log().add(problem.label("expected more than 0"));
        return None;
    }
    let line = format!("clock = {}", quoted(text));
    Some((Effect::Clock { behind }, vec![(Time::ZERO, None)], line))
}

fn flap(mut reader: Reader<'_>) -> Option<(Effect, Vec<Window>, String)> {
    let first: Span = reader.or(&FLAP.first);
    let period = reader.at_least::<Span>(&FLAP.period);
    let down = reader.at_least::<Span>(&FLAP.down);
    let until = reader.at_least::<Span>(&FLAP.until);
    let (place, log) = (reader.place(), reader.log());
    reader.finish();
    let (period, down, until) = (period?, down?, until?);
    match flapping(Time(first.0), period, down, Time(until.0)) {
        Ok(windows) => {
            let line = format!(
                "flap = {{ first = {}, period = {}, down = {}, until = {} }}",
                shown(&first),
                shown(&period),
                shown(&down),
                shown(&until)
            );
            Some((Effect::Down, windows, line))
        }
        Err(error) => {
            log.add(place.problem(error.to_string()));
            None
        }
    }
}

impl FaultSection {
    /// A cable that a file, named at `place`, says is cut from start to end. It has no lines of
    /// its own: the file is read again with the scenario.
    pub(crate) fn cut(link: String, place: &Place) -> Self {
        Self::of_file(link, Effect::Down, place)
    }

    /// A cable of which a file, named at `place`, says that it loses frames, each with this chance.
    pub(crate) fn lossy(link: String, loss: f64, place: &Place) -> Self {
        Self::of_file(link, Effect::Loss(loss), place)
    }

    fn of_file(link: String, effect: Effect, place: &Place) -> Self {
        let target = Target::Link { name: link, direction: Direction::Both };
        Self {
            fault: Fault { target, effect, windows: vec![(Time::ZERO, None)] },
            resolved: String::new(),
            target_place: place.clone(),
            effect_place: place.clone(),
        }
    }
}

/// A resolution's error, at the fault it is about, or else at `fallback`.
pub(crate) fn fault_problem(
    error: &FaultError,
    faults: &[FaultSection],
    fallback: &Place,
) -> Problem {
    let target = |i: &usize| faults.get(*i).map_or(fallback, |fault| &fault.target_place);
    let effect = |i: &usize| faults.get(*i).map_or(fallback, |fault| &fault.effect_place);
    // The place says which fault it is.
    let text = error.to_string();
    let text = match text.split_once(": ") {
        Some((head, tail)) if head.starts_with("fault ") => tail,
        _ => &text,
    };
    let unknown = |fault, what, name: &str, nearest: &[String]| {
        let problem = target(fault).problem(format!("no {what} is called `{name}`"));
        if nearest.is_empty() {
            return problem.help("links are called `host7`, `tor0.up1`, `agg2.down3`");
        }
        let words: Vec<String> = nearest.iter().map(|name| format!("`{name}`")).collect();
        problem.label(format!("nearest: {}", words.join(", ")))
    };
    match error {
        FaultError::UnknownLink { fault, name, nearest } => unknown(fault, "link", name, nearest),
        FaultError::UnknownSwitch { fault, name, nearest } => {
            unknown(fault, "switch", name, nearest)
        }
        FaultError::UnknownHost { fault, name, nearest } => unknown(fault, "host", name, nearest),
        FaultError::NothingChosen { fault, share, among, count } => {
            let message = format!(
                "{}% of {count} {} is less than half a {}",
                (share * 1e5).round() / 1e3,
                among.many(),
                among.one()
            );
            target(fault).problem(message).label(at_least(*count))
        }
        FaultError::NoSuchHost { fault, host, hosts } => {
            let problem = target(fault).problem(format!("there is no host {host}"));
            problem.label(format!("hosts are 0 to {}", hosts.saturating_sub(1)))
        }
        FaultError::Share { fault, .. }
        | FaultError::Chance { fault, .. }
        | FaultError::NoneToChoose { fault, .. }
        | FaultError::NoDraw { fault, .. } => target(fault).problem(text),
        FaultError::NoWindow { fault }
        | FaultError::EmptyWindow { fault, .. }
        | FaultError::Rate { fault, .. }
        | FaultError::Uplink { fault }
        | FaultError::Clock { fault }
        | FaultError::FarClock { fault, .. }
        | FaultError::Probability { fault, .. }
        | FaultError::Overlap { second: fault, .. } => effect(fault).problem(text),
        FaultError::Disconnected { .. } => {
            faults.last().map_or(fallback, |fault| &fault.target_place).problem(text)
        }
        FaultError::Flapping | FaultError::TooManyFlaps { .. } => fallback.problem(text),
    }
}
