//! `[[axis]]` and `[[exclude]]`: the candidates.

use super::values::name;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::{Log, with_nearest};
use crate::scenario::spec::{Item, Table, Value};
use crate::scenario::sweep::{AxisSpec, Point, paths, set_once};

/// More candidates than these are not compared.
const MOST: usize = 300;

keys! {
    /// `[[axis]]`.
    AXIS: AxisKeys = Section::new("axis", "## [[axis]]", "what candidates differ in; they are all combinations") => {
        name: Text, (required "fabric"),
            "what results call it";
        value: List(&Table(ValueKeys::SECTION)), (required [{ name = "3-tier", set = { .. } }]),
            "what it may be";
    }
}

keys! {
    /// A value of an axis.
    VALUE: ValueKeys = Section::new("value", "### value", "one of them") => {
        name: Text, (required "3-tier"),
            "what results call it";
        set: Paths, (or "the base as it is"),
            "values to set, by their paths, as `set` of a condition";
    }
}

/// One combination.
#[derive(Clone)]
pub(crate) struct Candidate {
    /// The values' names.
    pub(crate) name: String,
    /// By axis.
    pub(crate) settings: Vec<(String, String)>,
    points: Vec<Point>,
}

impl Candidate {
    /// Its scenario, without traffic.
    pub(crate) fn table(&self, base: &Table, log: &Log) -> Table {
        let mut table = base.clone();
        for (path, place, item) in self.points.iter().flat_map(|point| &point.set) {
            if let Err(why) = table.set(path, place, item.clone()) {
                log.add(place.problem(format!("cannot set `{path}`")).label(why));
            }
        }
        table
    }
}

/// Reads both sections.
pub(super) fn candidates(axes: &[Item], exclude: &[Item], log: &Log) -> Vec<Candidate> {
    let before = log.count();
    let axes: Vec<AxisSpec> = axes.iter().filter_map(|item| axis(item, log)).collect();
    let excluded: Vec<Vec<(usize, usize)>> =
        exclude.iter().filter_map(|item| excluded(item, &axes, log)).collect();
    set_once(&axes, log);
    let count = axes.iter().map(|axis| axis.points.len()).fold(1, usize::saturating_mul);
    if log.count() > before || count > 100 * MOST {
        if count > 100 * MOST {
            too_many(count, exclude, log);
        }
        return Vec::new();
    }
    let mut found = Vec::new();
    for cell in 0..count {
        let mut rest = cell;
        let mut chosen = vec![0; axes.len()];
        for (chosen, axis) in chosen.iter_mut().zip(&axes).rev() {
            *chosen = rest % axis.points.len();
            rest /= axis.points.len();
        }
        if excluded.iter().any(|own| own.iter().all(|(axis, point)| chosen[*axis] == *point)) {
            continue;
        }
        let points = axes.iter().zip(&chosen).map(|(axis, point)| axis.points[*point].clone());
        let points: Vec<Point> = points.collect();
        let names: Vec<&str> = points.iter().map(|point| point.shown.as_str()).collect();
        let settings = axes.iter().zip(&names);
        found.push(Candidate {
            name: if names.is_empty() { "the base".to_owned() } else { names.join(", ") },
            settings: settings
                .map(|(axis, name)| (axis.name.clone(), (*name).to_owned()))
                .collect(),
            points,
        });
    }
    if found.len() > MOST {
        too_many(found.len(), exclude, log);
    }
    if found.is_empty() {
        let place = exclude.first().map(|item| item.place.clone()).unwrap_or_default();
        log.add(place.problem("every candidate is excluded").label("leave one of them"));
    }
    found
}

fn too_many(count: usize, exclude: &[Item], log: &Log) {
    let place = exclude.first().map(|item| item.place.clone()).unwrap_or_default();
    let problem = place.problem(format!("there are {count} candidates"));
    log.add(problem.label(format!("expected at most {MOST}: [[exclude]] leaves some out")));
}

fn axis(item: &Item, log: &Log) -> Option<AxisSpec> {
    let mut reader = Reader::of("[[axis]]", item, log)?;
    let axis = name(&mut reader, &AXIS.name);
    reader.demand(&AXIS.value);
    let values = reader.list(&AXIS.value, "values, as in [{ name = \"3-tier\", set = { .. } }]");
    reader.finish();
    let points: Vec<Point> = values.iter().filter_map(|item| value(item, log)).collect();
    for (index, own) in points.iter().enumerate() {
        if points[..index].iter().any(|other| other.shown == own.shown) {
            let problem = values[index].place.problem(format!("`{}` occurs twice", own.shown));
            log.add(problem.label("expected each value once"));
        }
    }
    if values.is_empty() {
        let problem = item.place.problem("the axis has no value");
        log.add(problem.label("add `value = [{ name = \"..\", set = { .. } }]`"));
        return None;
    }
    Some(AxisSpec { name: axis?, points })
}

fn value(item: &Item, log: &Log) -> Option<Point> {
    let mut reader = Reader::of("value", item, log)?;
    let shown = name(&mut reader, &VALUE.name);
    let set = reader.take(&VALUE.set).map(|item| paths(item, log)).unwrap_or_default();
    for (path, place, _) in &set {
        let instead = match path.split('.').next() {
            Some("traffic") => "[[work]] says who sends what, to all candidates alike",
            Some("fault") => "[[failure]] says what breaks, in all candidates alike",
            _ => continue,
        };
        log.add(place.problem(format!("a candidate cannot set `{path}`")).label(instead));
    }
    reader.finish();
    Some(Point { shown: shown?, set, faults: Vec::new() })
}

/// The axes and values that an `[[exclude]]` names.
fn excluded(item: &Item, axes: &[AxisSpec], log: &Log) -> Option<Vec<(usize, usize)>> {
    let reader = Reader::of("[[exclude]]", item, log)?;
    let mut found = Vec::new();
    for entry in &reader.whole().entries {
        let names = || axes.iter().map(|axis| axis.name.as_str());
        let Some(axis) = names().position(|name| name == entry.key) else {
            let problem = entry.key_place.problem(format!("no axis is called `{}`", entry.key));
            let all: Vec<&str> = names().collect();
            let help = format!("axes: {}", all.join(", "));
            log.add(with_nearest(problem, &entry.key, names()).help(help));
            return None;
        };
        let values = || axes[axis].points.iter().map(|point| point.shown.as_str());
        let typed = if let Value::Text(text) = &entry.item.value { text.as_str() } else { "" };
        let Some(value) = values().position(|name| name == typed) else {
            let message = format!("no value of `{}` is called `{}`", entry.key, entry.item.show());
            let all: Vec<&str> = values().collect();
            let problem = with_nearest(entry.item.place.problem(message), typed, values());
            log.add(problem.help(format!("there are: {}", all.join(", "))));
            return None;
        };
        found.push((axis, value));
    }
    if found.is_empty() {
        let problem = item.place.problem("[[exclude]] names nothing");
        log.add(problem.label("expected axes with values, as in `fabric = \"3-tier\"`"));
        return None;
    }
    Some(found)
}
