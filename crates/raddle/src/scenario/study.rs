//! A scenario's text as a study: the grid of its sweeps, every cell checked before anything runs.

use super::alone;
use super::build::Fabrics;
use super::defaults;
use super::files::Files;
use super::reader::Log;
use super::spec::{self, Entry, Item, Place, Table, Value};
use super::sweep::{self, AxisSpec, Point, SweepSpec};
use super::{Scenario, reader};
use crate::problem::{Problem, Problems, Source};
use crate::study::metric::{BY_COMPLETION, Metric};
use crate::text_file;
use raddle_sim::workload::Traffic;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What varies in a study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// A dotted path of the scenario, or `condition`.
    pub name: String,
    /// Its values, as tables of results show them.
    pub values: Vec<String>,
}

/// One point of the grid.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The value on each axis, in the order of [`Study::axes`].
    pub settings: Vec<(String, String)>,
    /// What is run, with each of the seeds.
    pub scenario: Scenario,
}

/// Everything that a scenario's text asks for.
#[derive(Clone, Debug)]
pub struct Study {
    /// The text's name, usually a file's.
    pub name: String,
    /// What varies, the seed apart; empty without a sweep.
    pub axes: Vec<Axis>,
    /// The seeds each cell is run with.
    pub seeds: Vec<u64>,
    /// The grid: all combinations, the last axis varying fastest. One cell without a sweep.
    pub cells: Vec<Cell>,
    /// What was accepted and deserves a word.
    pub notes: Vec<String>,
    sources: Vec<Source>,
}

impl Study {
    /// What its scenarios have in common, in a line.
    pub fn title(&self) -> String {
        let titles: Vec<String> = self.cells.iter().map(|cell| cell.scenario.title()).collect();
        let in_all = |part: &&str| titles.iter().all(|title| title.split(", ").any(|p| p == *part));
        let parts = titles.first().map_or("", String::as_str).split(", ");
        let shared: Vec<&str> = parts.filter(in_all).collect();
        shared.join(", ")
    }

    /// What its runs are asked by where nobody says: what all their traffic is asked by, else the
    /// completion.
    pub fn asked_by(&self) -> &'static [&'static Metric] {
        let mut all = self.cells.iter().flat_map(|cell| cell.scenario.traffic.asked_by());
        let first = all.next().unwrap_or(BY_COMPLETION);
        if all.all(|other| other == first) { first } else { BY_COMPLETION }
    }

    /// The traffic of each cell with a seed, that of cells which differ in something else once.
    pub(crate) fn each_traffic(
        &self,
        seed: u64,
    ) -> impl Iterator<Item = Result<Traffic, Problem>> + '_ {
        let mut known = HashSet::new();
        let new = move |cell: &&Cell| {
            let scenario = &cell.scenario;
            known.insert((scenario.traffic.resolved(), scenario.hosts()))
        };
        let cells = self.cells.iter().filter(new);
        cells.map(move |cell| cell.scenario.traffic.generate(&cell.scenario.fabric, seed))
    }

    /// A problem that showed later, say in [`Scenario::resolve`], with the texts it points into.
    pub fn problem(&self, problem: Problem) -> Problems {
        Problems { list: vec![problem], sources: self.sources.clone() }
    }
}

/// Where overrides are said to stand.
const OVERRIDES: &str = "--set";

/// Reads the scenario in a file. `overrides` are paths and values as typed on the command line.
///
/// # Errors
/// Every problem of the file and the overrides.
pub fn load(path: &Path, overrides: &[(String, String)]) -> Result<Study, Problems> {
    let (name, text, base) = of_file(path)?;
    parse(&name, &text, base, overrides)
}

/// The same with a further axis, [`alone::AXIS`]: all of its jobs together, each alone, and in pairs.
///
/// # Errors
/// Those of [`load`], and fewer than two jobs.
pub fn load_alone(path: &Path, overrides: &[(String, String)]) -> Result<Study, Problems> {
    let (name, text, base) = of_file(path)?;
    parse_alone(&name, &text, base, overrides)
}

/// What a file is called, its text, and where relative paths in it start.
fn of_file(path: &Path) -> Result<(String, String, &Path), Problems> {
    let text = text_file::read(path).map_err(|error| {
        let problem = Problem::new(format!("cannot read {}: {error}", path.display()));
        Problems::one(problem, None)
    })?;
    Ok((path.display().to_string(), text, path.parent().unwrap_or(Path::new("."))))
}

/// Reads a scenario's text; `name` is what problems call it, relative paths start at `base_dir`.
///
/// # Errors
/// Every problem of the text and the overrides.
pub fn parse(
    name: &str,
    text: &str,
    base_dir: &Path,
    overrides: &[(String, String)],
) -> Result<Study, Problems> {
    parse_with((name, text), base_dir, overrides, |_, _| None)
}

/// The same with the axis of [`load_alone`].
///
/// # Errors
/// Those of [`parse`], and fewer than two jobs.
pub fn parse_alone(
    name: &str,
    text: &str,
    base_dir: &Path,
    overrides: &[(String, String)],
) -> Result<Study, Problems> {
    parse_with((name, text), base_dir, overrides, alone::axis)
}

/// An axis beside those of a scenario.
type MoreAxis = fn(&Table, &Log) -> Option<AxisSpec>;

fn parse_with(
    (name, text): (&str, &str),
    base_dir: &Path,
    overrides: &[(String, String)],
    more: MoreAxis,
) -> Result<Study, Problems> {
    let log = Log::default();
    let files = Files::new(base_dir);
    let study = read((name, text), &files, overrides, more, &log);
    let set: Vec<String> =
        overrides.iter().map(|(path, value)| format!("{path}={value}")).collect();
    let mut sources = vec![Source { path: PathBuf::from(name), text: text.to_owned() }];
    if !set.is_empty() {
        sources.push(Source { path: PathBuf::from(OVERRIDES), text: set.join("\n") });
    }
    sources.extend(files.sources());
    let mut list = log.into_problems();
    match study {
        Some(study) if list.is_empty() => Ok(Study { sources, ..study }),
        _ => {
            let file = |problem: &Problem| {
                sources.iter().position(|source| Some(&source.path) == problem.file.as_ref())
            };
            list.sort_by_key(|problem| (file(problem), problem.span.as_ref().map(|s| s.start)));
            Err(Problems { list, sources })
        }
    }
}

/// The cells of a study by what sets them apart, and its seeds: what can be said of it before any cell is
/// read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The settings of each cell, in the order of [`Study::cells`].
    pub cells: Vec<Vec<(String, String)>>,
    /// As in [`Study::seeds`].
    pub seeds: Vec<u64>,
}

impl Study {
    /// Its cells without what they run.
    pub fn outline(&self) -> Outline {
        let cells = self.cells.iter().map(|cell| cell.settings.clone());
        Outline { cells: cells.collect(), seeds: self.seeds.clone() }
    }
}

impl Outline {
    /// Of a scenario's text; see [`parse`]. That a cell can be run is not looked at.
    ///
    /// # Errors
    /// Every problem of the text's form, its sweep and its conditions.
    pub fn parse(name: &str, text: &str) -> Result<Self, Problems> {
        let log = Log::default();
        let grid = Grid::read(name, text, &[], &log);
        let list = log.into_problems();
        let (Some(grid), true) = (grid, list.is_empty()) else {
            let source = Source { path: PathBuf::from(name), text: text.to_owned() };
            return Err(Problems { list, sources: vec![source] });
        };
        let cells = cells(&grid.axes).map(|points| settings(&grid.axes, &points)).collect();
        Ok(Self { cells, seeds: grid.seeds() })
    }
}

/// What a text asks for before any of it is read cell by cell.
struct Grid {
    /// What all cells have, without the sweep and the conditions.
    table: Table,
    axes: Vec<AxisSpec>,
    /// What the sweep says of seeds.
    seeds: Option<Vec<u64>>,
    /// Whether overrides have taken cells away.
    narrowed: bool,
}

impl Grid {
    fn read(name: &str, text: &str, overrides: &[(String, String)], log: &Log) -> Option<Self> {
        let file: Arc<Path> = Arc::from(Path::new(name));
        let mut table = match spec::document(&file, text) {
            Ok(table) => table,
            Err(problems) => {
                problems.into_iter().for_each(|problem| log.add(problem));
                return None;
            }
        };
        let Overridden { narrowed, keys } = override_values(&mut table, overrides, log);
        let sweep = table.remove("sweep").map(|entry| entry.item);
        let conditions = table.remove("condition").map(|entry| entry.item);
        let SweepSpec { axes, seeds } = sweep::sweep(sweep.as_ref(), conditions.as_ref(), log);
        keys.iter().for_each(|(path, place)| check_override(path, place, &axes, log));
        Some(Self { table, axes, seeds, narrowed })
    }

    /// Its own seed, where it has one beside those of the sweep or without.
    fn own_seed(&self) -> Option<&Item> {
        self.table.get("run").and_then(Item::table)?.get("seed")
    }

    fn seeds(&self) -> Vec<u64> {
        let own = || Some(vec![reader::read("seed", self.own_seed()?).ok()?]);
        self.seeds.clone().or_else(own).unwrap_or_else(|| vec![1])
    }
}

fn read(
    (name, text): (&str, &str),
    files: &Files,
    overrides: &[(String, String)],
    more: MoreAxis,
    log: &Log,
) -> Option<Study> {
    let mut grid = Grid::read(name, text, overrides, log)?;
    grid.axes.extend(more(&grid.table, log));
    let start = Place { file: Some(Arc::from(Path::new(name))), span: 0..0 };
    let defaults = defaults::defaults();
    let mut fabrics = Fabrics::default();
    let mut read = Vec::new();
    for points in cells(&grid.axes) {
        let mut cell = grid.table.clone();
        for point in &points {
            apply(&mut cell, point, log);
        }
        cell.fill(&defaults, &start);
        if let Some(scenario) = Scenario::read(&cell, &start, files, &mut fabrics, log) {
            read.push(Cell { settings: settings(&grid.axes, &points), scenario });
        }
    }
    log.settle(grid.narrowed);
    if let (Some(_), Some(item)) = (&grid.seeds, grid.own_seed()) {
        let problem = item.place.problem("`seed` in [run] has no effect");
        log.add(problem.label("leave it out: [sweep] says the seeds"));
    }
    let axis = |axis: &AxisSpec| Axis {
        name: axis.name.clone(),
        values: axis.points.iter().map(|point| point.shown.clone()).collect(),
    };
    Some(Study {
        name: name.to_owned(),
        axes: grid.axes.iter().map(axis).collect(),
        seeds: grid.seeds(),
        cells: read,
        notes: log.notes(),
        sources: Vec::new(),
    })
}

/// The value of a cell on each axis.
fn settings(axes: &[AxisSpec], points: &[&Point]) -> Vec<(String, String)> {
    let names = axes.iter().map(|axis| axis.name.clone());
    names.zip(points.iter().map(|point| point.shown.clone())).collect()
}

/// What overrides have done.
struct Overridden {
    /// Whether cells have gone.
    narrowed: bool,
    /// The keys that have new values.
    keys: Vec<(String, Place)>,
}

/// Puts overrides into the tree. One that fixes a swept value takes its axis away.
fn override_values(table: &mut Table, overrides: &[(String, String)], log: &Log) -> Overridden {
    let mut narrowed = false;
    let mut keys = Vec::new();
    let file: Arc<Path> = Arc::from(Path::new(OVERRIDES));
    let mut offset = 0;
    for (path, value) in overrides {
        let key_place = Place { file: Some(file.clone()), span: offset..offset + path.len() };
        let item = spec::typed_value(&file, offset + path.len() + 1, value);
        offset += path.len() + 1 + value.len() + 1;
        // As in a file, where a swept path is typed in one piece: `sweep."run.seed"`.
        let path = &path.replace('"', "");
        match item {
            Ok(item) => {
                if unsweep(table, path) {
                    log.note(format!("`{path}` is set to {}; its sweep is left out", item.show()));
                    narrowed = true;
                }
                if path == sweep::CONDITION || condition_axes(table).contains(path) {
                    narrowed = true;
                    choose_condition(table, path, &item, log);
                    continue;
                }
                if path == "sweep.seed" {
                    table.remove_path("run.seed");
                }
                match table.set(path, &key_place, item) {
                    Ok(()) => keys.push((path.clone(), key_place)),
                    Err(why) => {
                        log.add(key_place.problem(format!("cannot set `{path}`")).label(why));
                    }
                }
            }
            Err(problem) => log.add(problem),
        }
    }
    Overridden { narrowed, keys }
}

/// An override of what every value of some axis replaces has no effect.
fn check_override(path: &str, place: &Place, axes: &[AxisSpec], log: &Log) {
    let replaces = |point: &Point| {
        let mut set = point.set.iter();
        set.any(|(own, ..)| {
            path.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    };
    let Some(axis) = axes.iter().find(|axis| axis.points.iter().all(replaces)) else { return };
    let problem = place.problem(format!("`{path}` has no effect"));
    log.add(problem.label(match &axis.points[..] {
        [only] => format!("`{}` of `{}` sets it", only.shown, axis.name),
        _ => format!("each value of `{}` sets it", axis.name),
    }));
}

/// The name of a condition's axis.
fn axis_of(condition: &Item) -> String {
    let axis = condition.table().and_then(|condition| condition.get("axis"));
    axis.map_or_else(|| sweep::CONDITION.to_owned(), Item::show)
}

/// The axes that the conditions name.
fn condition_axes(table: &Table) -> Vec<String> {
    let conditions = table.get("condition").and_then(Item::list).unwrap_or_default();
    conditions.iter().map(axis_of).collect()
}

/// Leaves only the condition of an axis that an override names.
fn choose_condition(table: &mut Table, axis: &str, chosen: &Item, log: &Log) {
    let entry = table.entries.iter_mut().find(|entry| entry.key == "condition");
    let Some(Entry { item: Item { value: Value::List(list), .. }, .. }) = entry else {
        log.add(chosen.place.problem("the scenario has no conditions"));
        return;
    };
    let name = |item: &Item| Some(item.table()?.get("name")?.show());
    let names: Vec<String> =
        list.iter().filter(|item| axis_of(item) == axis).filter_map(name).collect();
    if !names.contains(&chosen.show()) {
        let problem = chosen.place.problem(format!("no {axis} is called `{}`", chosen.show()));
        let words = names.iter().map(String::as_str);
        let help = format!("there are: {}", names.join(", "));
        log.add(reader::with_nearest(problem, &chosen.show(), words).help(help));
        return;
    }
    list.retain(|item| axis_of(item) != axis || name(item).as_deref() == Some(&chosen.show()));
}

/// Takes the axis `path` out of `[sweep]`; the seed is swept under either of its names.
fn unsweep(table: &mut Table, path: &str) -> bool {
    let sweep = table.entries.iter_mut().find(|entry| entry.key == "sweep");
    let Some(Entry { item: Item { value: Value::Table(sweep), .. }, .. }) = sweep else {
        return false;
    };
    let seed = path == "run.seed" && sweep.remove("seed").is_some();
    sweep.remove_path(path) || seed
}

/// All combinations of the axes' points, the last axis varying fastest.
fn cells(axes: &[AxisSpec]) -> impl Iterator<Item = Vec<&Point>> {
    let count = axes.iter().map(|axis| axis.points.len()).product();
    (0..count).map(|cell: usize| {
        let mut rest = cell;
        let mut points: Vec<&Point> = axes
            .iter()
            .rev()
            .map(|axis| {
                let point = &axis.points[rest % axis.points.len()];
                rest /= axis.points.len();
                point
            })
            .collect();
        points.reverse();
        points
    })
}

fn apply(table: &mut Table, point: &Point, log: &Log) {
    for (path, place, item) in &point.set {
        if let Err(why) = table.set(path, place, item.clone()) {
            log.add(place.problem(format!("cannot set `{path}`")).label(why));
        }
    }
    if point.faults.is_empty() {
        return;
    }
    match table.entries.iter_mut().find(|entry| entry.key == "fault") {
        Some(Entry { item: Item { value: Value::List(list), .. }, .. }) => {
            list.extend(point.faults.iter().cloned());
        }
        Some(_) => {}
        None => table.entries.push(Entry {
            key: "fault".to_owned(),
            key_place: Place::default(),
            item: Item { value: Value::List(point.faults.clone()), place: Place::default() },
        }),
    }
}
