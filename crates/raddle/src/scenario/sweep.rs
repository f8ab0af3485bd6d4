//! `[sweep]` and `[[condition]]`: the cells of a study.

use super::fault::FaultKeys;
use super::key::{Section, keys};
use super::keyed::Reader;
use super::reader::{Log, with_nearest};
use super::spec::{Entry, Item, Place, Table, Value};
use std::collections::{BTreeMap, HashSet};

/// The most cells a study may have, and the most seeds.
const MAX_CELLS: usize = 100_000;

/// The sections that a path may start with.
const SECTIONS: &[&str] = &["fabric", "transport", "traffic", "fault", "record", "run"];

keys! {
    /// `[[condition]]`.
    CONDITION_KEYS: ConditionKeys = Section::new("condition", "## [[condition]]", "a named variant") => {
        name: Text, (required "healthy"),
            "what results call it";
        axis: Text, (= "condition"),
            "the axis it is a value of; conditions of different axes are combined. An axis called `scheme` makes the rows of `raddle compare`";
        fault: List(&Table(FaultKeys::SECTION)), (or "none"),
            "faults to add, as in `[[fault]]`";
        set: Paths, (or "none"),
            "values to set, by their paths";
    }
}

/// One axis: what varies, and what each of its values changes.
pub(crate) struct AxisSpec {
    pub(crate) name: String,
    pub(crate) points: Vec<Point>,
}

/// One value of an axis.
#[derive(Clone)]
pub(crate) struct Point {
    /// How tables of results show it.
    pub(crate) shown: String,
    /// Values to put at paths, with the places of the paths.
    pub(crate) set: Vec<(String, Place, Item)>,
    /// Faults to add.
    pub(crate) faults: Vec<Item>,
}

/// What `[sweep]` and `[[condition]]` say.
#[derive(Default)]
pub(crate) struct SweepSpec {
    pub(crate) axes: Vec<AxisSpec>,
    pub(crate) seeds: Option<Vec<u64>>,
}

/// The axis of conditions that do not name theirs.
pub(crate) const CONDITION: &str = "condition";

/// Reads both sections; conditions form the last axes.
pub(crate) fn sweep(sweep: Option<&Item>, conditions: Option<&Item>, log: &Log) -> SweepSpec {
    let mut spec = SweepSpec::default();
    if let Some(item) = sweep {
        match &item.value {
            Value::Table(table) => axes(table, "", &mut spec, log),
            _ => {
                Reader::of("[sweep]", item, log);
            }
        }
    }
    if let Some(item) = conditions {
        spec.axes.extend(conditions_of(item, log));
    }
    let cells = spec.axes.iter().map(|axis| axis.points.len());
    let cells = cells.fold(1, usize::saturating_mul);
    if cells > MAX_CELLS {
        let place = sweep.or(conditions).map(|item| item.place.clone()).unwrap_or_default();
        let problem = place.problem(format!("the sweep has {cells} cells"));
        log.add(problem.label(format!("expected at most {MAX_CELLS}")));
        spec.axes.clear();
    }
    set_once(&spec.axes, log);
    spec
}

/// Adds a problem for every key that a point sets although another axis, or the point itself, has
/// set it: a row would be called by a value that did not run. Where a condition puts another scheme in
/// place of one that an earlier condition only tuned, no name is wrong; where `[sweep]` has set what
/// goes, one is.
pub(crate) fn set_once(axes: &[AxisSpec], log: &Log) {
    let mut before = Setters::default();
    let mut swept = Setters::default();
    let mut faults: Option<Setter<'_>> = None;
    for axis in axes {
        let mut own = Setters::default();
        for point in &axis.points {
            let by = Setter { axis: &axis.name, point: &point.shown };
            let mut alone = Setters::default();
            for (path, place, item) in &point.set {
                // Faults are added to a list, which this replaces.
                let added = faults.filter(|_| path == "fault").map(|by| (path.clone(), by));
                let leaves = leaf_paths(path, item);
                let known =
                    |path: &String| overlap(&before, path).or_else(|| overlap(&alone, path));
                let lost = || overlap(&swept, path).or(added);
                if let Some(earlier) = leaves.iter().find_map(known).or_else(lost) {
                    twice(path, place, &earlier, by, log);
                }
                alone.extend(leaves.into_iter().map(|path| (path, by)));
            }
            for (path, by) in alone {
                own.entry(path).or_insert(by);
            }
        }
        // Conditions have no path for a name.
        if axis.points.iter().all(|point| point.set.iter().any(|(path, ..)| *path == axis.name)) {
            swept.extend(own.clone());
        }
        before.extend(own);
        let adds = axis.points.iter().find(|point| !point.faults.is_empty());
        faults = faults.or(adds.map(|point| Setter { axis: &axis.name, point: &point.shown }));
    }
}

/// Who sets which path.
type Setters<'a> = BTreeMap<String, Setter<'a>>;

/// A value of an axis, which sets something.
#[derive(Clone, Copy, PartialEq)]
struct Setter<'a> {
    axis: &'a str,
    point: &'a str,
}

/// The paths of the values that `item` puts at `path`.
fn leaf_paths(path: &str, item: &Item) -> Vec<String> {
    match &item.value {
        Value::Table(table) if !table.entries.is_empty() => {
            let inner = |entry: &Entry| leaf_paths(&format!("{path}.{}", entry.key), &entry.item);
            table.entries.iter().flat_map(inner).collect()
        }
        _ => vec![path.to_owned()],
    }
}

/// What `set` has at `path`, above it or below it.
fn overlap<'a>(set: &Setters<'a>, path: &str) -> Option<(String, Setter<'a>)> {
    let above = path.match_indices('.').map(|(end, _)| &path[..end]).chain([path]);
    let mut found = above.filter_map(|path| set.get_key_value(path));
    let below = format!("{path}.");
    let first_below =
        || set.range(below.clone()..).next().filter(|(key, _)| key.starts_with(&below));
    found.next().or_else(first_below).map(|(path, setter)| (path.clone(), *setter))
}

/// Says that `path` is set twice.
fn twice(
    path: &str,
    place: &Place,
    (other, first): &(String, Setter<'_>),
    second: Setter<'_>,
    log: &Log,
) {
    let message = format!("`{path}` is set twice");
    let label = if *first == second {
        format!("`{}` of `{}` sets `{other}`, too", second.point, second.axis)
    } else {
        format!("expected each key once: `{}` of `{}` sets `{other}`, too", first.point, first.axis)
    };
    let help = "one value would run under the name of the other: keep it on one axis";
    log.add(place.problem(message).label(label).help(help));
}

/// Every list below `table` is an axis; tables on the way are parts of its path.
fn axes(table: &Table, above: &str, spec: &mut SweepSpec, log: &Log) {
    for Entry { key, key_place, item } in &table.entries {
        let path = if above.is_empty() { key.clone() } else { format!("{above}.{key}") };
        if path == "seed" || path == "run.seed" {
            spec.seeds = seeds(item, log);
            continue;
        }
        let section = path.split('.').next().unwrap_or("");
        if !SECTIONS.contains(&section) {
            let problem = key_place.problem(format!("no scenario has a value at `{path}`"));
            let help = format!("a path starts with one of: {}; or `seed`", SECTIONS.join(", "));
            log.add(with_nearest(problem, section, SECTIONS.iter().copied()).help(help));
            continue;
        }
        match &item.value {
            Value::Table(inner) => axes(inner, &path, spec, log),
            Value::List(items) if !items.is_empty() => {
                let point = |item: &Item| Point {
                    shown: item.show(),
                    set: vec![(path.clone(), key_place.clone(), item.clone())],
                    faults: Vec::new(),
                };
                let points: Vec<Point> = items.iter().map(point).collect();
                distinct(&points, items, &path, log);
                if spec.axes.iter().any(|axis| axis.name == path) {
                    let problem = key_place.problem(format!("`{path}` is swept twice"));
                    log.add(problem.label("expected each path once"));
                    continue;
                }
                spec.axes.push(AxisSpec { name: path, points });
            }
            _ => {
                let problem = item.place.problem(format!("`{path}` is swept over nothing"));
                log.add(problem.label("expected a list of values, as in [1, 2]"));
            }
        }
    }
}

fn distinct(points: &[Point], items: &[Item], what: &str, log: &Log) {
    let mut known = HashSet::new();
    for (point, item) in points.iter().zip(items) {
        if !known.insert(point.shown.as_str()) {
            let problem = item.place.problem(format!("`{}` occurs twice", point.shown));
            log.add(problem.label(format!("expected each value of `{what}` once")));
        }
    }
}

/// `"1..5"`, a list of numbers, or one number.
fn seeds(item: &Item, log: &Log) -> Option<Vec<u64>> {
    let seed = |item: &Item| match item.value {
        Value::Integer(n) => u64::try_from(n).ok(),
        _ => None,
    };
    let found = match &item.value {
        Value::Text(text) => text.split_once("..").and_then(|(first, last)| {
            let first: u64 = first.trim().parse().ok()?;
            let last: u64 = last.trim().trim_start_matches('=').parse().ok()?;
            let few = first <= last && last - first < MAX_CELLS as u64;
            few.then(|| (first..=last).collect())
        }),
        Value::List(items) => {
            let found = items.iter().map(seed).collect::<Option<Vec<u64>>>();
            found.filter(|seeds| {
                !seeds.is_empty() && (1..seeds.len()).all(|i| !seeds[..i].contains(&seeds[i]))
            })
        }
        _ => seed(item).map(|seed| vec![seed]),
    };
    if found.is_none() {
        let problem = item.place.problem("wrong value for `seed`");
        let label = "expected seeds, each once, as in \"1..5\" (both included) or [1, 7]";
        log.add(problem.label(label).help(format!("at most {MAX_CELLS} seeds")));
    }
    found
}

/// The axes that conditions form, in the order in which they are first named.
fn conditions_of(item: &Item, log: &Log) -> Vec<AxisSpec> {
    let Some(items) = item.list() else {
        let problem = item.place.problem("wrong value for `condition`");
        log.add(problem.label("expected tables: write [[condition]]"));
        return Vec::new();
    };
    let mut axes: Vec<(AxisSpec, Vec<Item>)> = Vec::new();
    for item in items {
        let Some((name, point)) = condition(item, log) else { continue };
        match axes.iter_mut().find(|(axis, _)| axis.name == name) {
            Some((axis, items)) => {
                axis.points.push(point);
                items.push(item.clone());
            }
            None => axes.push((AxisSpec { name, points: vec![point] }, vec![item.clone()])),
        }
    }
    for (axis, items) in &axes {
        distinct(&axis.points, items, &axis.name, log);
    }
    axes.into_iter().map(|(axis, _)| axis).collect()
}

/// A condition: the name of its axis, and what it changes.
fn condition(item: &Item, log: &Log) -> Option<(String, Point)> {
    let mut reader = Reader::of("[[condition]]", item, log)?;
    let name = reader.demand(&CONDITION_KEYS.name);
    let axis = reader.take(&CONDITION_KEYS.axis);
    let faults = reader
        .list(&CONDITION_KEYS.fault, "faults, as in [{ link = \"tor0.up1\", down = \"..\" }]");
    let set = reader.take(&CONDITION_KEYS.set).map(|item| paths(item, log)).unwrap_or_default();
    reader.finish();
    let axis = match axis {
        Some(axis) => axis_name(axis, log)?,
        None => CONDITION.to_owned(),
    };
    Some((
        axis,
        Point { shown: line("name", name?, "healthy", log)?, set, faults: faults.to_vec() },
    ))
}

/// The name of an axis: a word that cannot be taken for the path of a value.
fn axis_name(item: &Item, log: &Log) -> Option<String> {
    let name = line("axis", item, "workload", log)?;
    if name.contains('.') || name == "seed" || SECTIONS.contains(&name.as_str()) {
        let problem =
            item.place.problem(format!("an axis of conditions cannot be called `{name}`"));
        log.add(problem.label("expected a word that is no value's path, as in \"workload\""));
        return None;
    }
    Some(name)
}

/// A text in one line.
fn line(key: &str, item: &Item, example: &str, log: &Log) -> Option<String> {
    let problem = || item.place.problem(format!("wrong value for `{key}`"));
    let Value::Text(text) = &item.value else {
        log.add(problem().label("expected a name, quoted"));
        return None;
    };
    if text.trim().is_empty() || text.contains(char::is_control) {
        log.add(problem().label(format!("expected a name in one line, as in \"{example}\"")));
        return None;
    }
    Some(text.clone())
}

/// The values of a `set`, by their paths.
pub(crate) fn paths(item: &Item, log: &Log) -> Vec<(String, Place, Item)> {
    let mut set = Vec::new();
    match &item.value {
        Value::Table(table) => {
            table.entries.iter().for_each(|entry| leaves(entry, &entry.key, &mut set, log));
        }
        _ => drop(Reader::of("set", item, log)),
    }
    set
}

/// A condition's `set`: quoted paths, or the same with tables on the way.
fn leaves(entry: &Entry, path: &str, set: &mut Vec<(String, Place, Item)>, log: &Log) {
    let section = path.split('.').next().unwrap_or("");
    if !SECTIONS.contains(&section) {
        let problem = entry.key_place.problem(format!("no scenario has a value at `{path}`"));
        let help = format!("a path starts with one of: {}", SECTIONS.join(", "));
        log.add(with_nearest(problem, section, SECTIONS.iter().copied()).help(help));
        return;
    }
    match &entry.item.value {
        Value::Table(table) if SECTIONS.contains(&path) => {
            for inner in &table.entries {
                leaves(inner, &format!("{path}.{}", inner.key), set, log);
            }
        }
        _ if path == "run.seed" => {
            let problem = entry.key_place.problem("a condition cannot set `run.seed`");
            log.add(problem.label("leave it out: every condition runs with the same seeds"));
        }
        _ => set.push((path.to_owned(), entry.key_place.clone(), entry.item.clone())),
    }
}
