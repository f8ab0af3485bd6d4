//! Many runs side by side: which is best by a metric, by how much, and whether the seeds support it.
//!
//! Rows are what is compared: the values of a sweep's first axis of schemes, else of its first axis of
//! conditions or of a whole section, else of its first axis. Columns are the combinations of all other
//! axes. Differences are tested within a column, and between columns within a row, paired by seed.

mod answer;
mod asked;
mod interference;
mod jobs;
mod json;
mod table;
mod tail;

use super::metric::{COMPLETION, Measured, Metric};
use super::stats::{Difference, Spread, Test};
use super::summary::{RunSummary, Tail, results_hash_of_runs};
pub use asked::Asked;
pub use interference::{Condition, Interference, Slowdown, Victim};
pub use jobs::JobValues;

/// A condition under which rows are compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// Its name; may be empty if it is the only one.
    pub name: String,
    /// Name of the bound on the metric, where one is known; several where seeds differ.
    pub bound: Option<String>,
    /// That bound in the metric's unit, per seed.
    pub bounds: Vec<Option<f64>>,
}

/// What is compared: values of a metric by row, column and seed.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareInput {
    /// What all runs have in common.
    pub title: String,
    /// What the values are.
    pub metric: &'static Metric,
    /// Of which job; `None` for the whole run.
    pub job: Option<String>,
    /// What is compared.
    pub rows: Vec<String>,
    /// Under which conditions.
    pub columns: Vec<Column>,
    /// The seeds, in the order of the values.
    pub seeds: Vec<u64>,
    /// `[row][column][seed]`: the metric; `None` if the run did not complete or does not have it.
    pub values: Vec<Vec<Vec<Option<f64>>>>,
    /// `[row][column][seed]`: flows that did not complete; `None` if there is no run.
    pub unfinished: Vec<Vec<Vec<Option<u64>>>>,
    /// `[row][column]`: hash of what the runs with all seeds gave; `None` if one is missing.
    pub results: Vec<Vec<Option<String>>>,
    /// `[row][column][seed]`: the flow that tells most of the value; empty where nobody asks.
    pub tails: Vec<Vec<Vec<Option<Tail>>>>,
    /// `[row][column]`: the same metric of each job; empty where there are none.
    pub jobs: Vec<Vec<Vec<JobValues>>>,
}

impl Default for CompareInput {
    fn default() -> Self {
        Self {
            title: String::new(),
            metric: &COMPLETION,
            job: None,
            rows: Vec::new(),
            columns: Vec::new(),
            seeds: Vec::new(),
            values: Vec::new(),
            unfinished: Vec::new(),
            results: Vec::new(),
            tails: Vec::new(),
            jobs: Vec::new(),
        }
    }
}

/// One run to compare.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// What the sweep set, first axis first: path and value.
    pub settings: &'a [(String, String)],
    /// The seed.
    pub seed: u64,
    /// The run; `None` if it failed.
    pub summary: Option<&'a RunSummary>,
}

impl CompareInput {
    /// The completion of runs, sorted as by [`CompareInput::asked`].
    pub fn of_runs(title: &str, entries: &[Entry<'_>]) -> Self {
        Self::asked(title, entries, &Asked::default())
    }

    /// Sorts the runs of a sweep into rows, columns and seeds, each in the order in which they
    /// come. A column has a bound where all its rows share one with each seed.
    pub fn asked(title: &str, entries: &[Entry<'_>], asked: &Asked) -> Self {
        let metric = asked.choose(entries.iter().filter_map(|entry| entry.summary));
        let row_of = |entry: &Entry<'_>| row_of(entry.settings);
        let column_of = |entry: &Entry<'_>| column_of(entry.settings);
        let rows = distinct(entries.iter().map(row_of));
        let names = distinct(entries.iter().map(column_of));
        let seeds = distinct(entries.iter().map(|e| e.seed));
        let bound = |run: &RunSummary| {
            let of = Measured::of_run(run);
            let bound = metric.bound(&of).filter(|_| asked.job.is_none());
            bound.map(|(name, value)| (name.to_owned(), value))
        };
        let mut runs = vec![vec![vec![None; seeds.len()]; names.len()]; rows.len()];
        for entry in entries {
            let Some(summary) = entry.summary else { continue };
            let place = (
                rows.iter().position(|row| *row == row_of(entry)),
                names.iter().position(|name| *name == column_of(entry)),
                seeds.iter().position(|seed| *seed == entry.seed),
            );
            let (Some(row), Some(column), Some(seed)) = place else { continue };
            runs[row][column][seed] = Some(summary);
        }
        let column = |(index, name): (usize, String)| {
            // Per seed: a bound, if all runs have the same.
            let shared = |seed: usize| {
                let mut own = runs.iter().filter_map(|row| row[index][seed]).map(bound);
                let first = own.next();
                first.filter(|first| own.all(|other| other == *first))
            };
            let shared: Vec<_> = (0..seeds.len()).map(shared).collect();
            let ran =
                (0..seeds.len()).map(|seed| runs.iter().any(|row| row[index][seed].is_some()));
            let whole = shared.iter().zip(ran).all(|(shared, ran)| shared.is_some() || !ran);
            let shared = shared.into_iter().map(|bound| bound.flatten().filter(|_| whole));
            let (texts, bounds): (Vec<_>, Vec<_>) = shared
                .map(|own| own.map_or((None, None), |(name, at)| (Some(name), Some(at))))
                .unzip();
            // With random faults some seeds may have another bound.
            let texts = distinct(texts.into_iter().flatten());
            Column { name, bound: (!texts.is_empty()).then(|| texts.join(", ")), bounds }
        };
        let columns = names.into_iter().enumerate().map(column).collect();
        let whole = |runs: &Vec<Option<&RunSummary>>| {
            runs.iter()
                .all(Option::is_some)
                .then(|| results_hash_of_runs(runs.iter().flatten().copied()))
        };
        let tail = |run: &RunSummary| {
            asked.job.is_none().then(|| metric.tail(&run.tails).cloned()).flatten()
        };
        Self {
            title: title.to_string(),
            metric,
            job: asked.job.clone(),
            values: each(&runs, |run| asked.measure(metric, run?)),
            unfinished: each(&runs, |run| run.map(|run| asked.unfinished(run))),
            tails: each(&runs, |run| run.and_then(tail)),
            results: runs.iter().map(|row| row.iter().map(whole).collect()).collect(),
            jobs: runs
                .iter()
                .map(|row| row.iter().map(|runs| JobValues::of(metric, runs)).collect())
                .collect(),
            rows,
            columns,
            seeds,
        }
    }
}

impl CompareInput {
    /// The metric of a run, of what is asked.
    pub fn measure(&self, run: &RunSummary) -> Option<f64> {
        let asked = Asked { metrics: vec![self.metric], job: self.job.clone() };
        asked.measure(self.metric, run)
    }
}

/// `[row][column][seed]` of another kind.
fn each<'a, T>(
    runs: &[Vec<Vec<Option<&'a RunSummary>>>],
    of: impl Fn(Option<&'a RunSummary>) -> T,
) -> Vec<Vec<Vec<T>>> {
    let seeds = |seeds: &Vec<Option<&'a RunSummary>>| seeds.iter().map(|run| of(*run)).collect();
    runs.iter().map(|row| row.iter().map(seeds).collect()).collect()
}

/// The row that a run with these settings belongs to.
pub fn row_of(settings: &[(String, String)]) -> String {
    row_axis(settings).map_or_else(|| "all".to_owned(), |axis| label(&settings[axis].1))
}

/// The column that a run with these settings belongs to: `one uplink dead`, `load 0.8`.
pub fn column_of(settings: &[(String, String)]) -> String {
    let row_axis = row_axis(settings);
    let others = settings.iter().enumerate().filter(|(axis, _)| Some(*axis) != row_axis);
    let names: Vec<String> = others.map(|(_, (path, value))| setting(path, value)).collect();
    names.join(", ")
}

/// What is compared: schemes, else conditions or a whole section (a name without a dot), else the
/// first axis.
fn row_axis(settings: &[(String, String)]) -> Option<usize> {
    let is_scheme = |(path, value): &(String, String)| {
        path == "scheme" || path.ends_with(".scheme") || value.starts_with(SCHEME_TABLE)
    };
    let is_named = |(path, _): &(String, String)| !path.contains('.');
    let axis = settings.iter().position(is_scheme).or_else(|| settings.iter().position(is_named));
    axis.or((!settings.is_empty()).then_some(0))
}

/// How a table that selects a scheme begins, as a sweep's setting.
const SCHEME_TABLE: &str = "{ scheme = \"";

/// A value as people read it: of a table that selects a scheme, the scheme's word and then its
/// parameters, `reps (freeze 100 us)`.
fn label(value: &str) -> String {
    let table = value.strip_prefix(SCHEME_TABLE).and_then(|rest| rest.strip_suffix(" }"));
    let Some((scheme, rest)) = table.and_then(|table| table.split_once('"')) else {
        return value.to_owned();
    };
    match rest.strip_prefix(", ") {
        None => scheme.to_owned(),
        Some(more) => format!("{scheme} ({})", more.replace(" = ", " ").replace('"', "")),
    }
}

/// A setting as a column's name has it. Conditions, whose axes are no paths, have names of their
/// own, and of a scheme's path the family is what tells.
fn setting(path: &str, value: &str) -> String {
    match path.strip_suffix(".scheme").unwrap_or(path).rsplit_once('.') {
        Some((_, key)) => format!("{key} {}", label(value)),
        None => value.to_owned(),
    }
}

/// Each item once, in the order in which they first come.
pub fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut list = Vec::new();
    for item in items {
        if !list.contains(&item) {
            list.push(item);
        }
    }
    list
}

/// How a cell stands in its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Has a value with every seed, and the best mean.
    First,
    /// Has a value with every seed; the seeds do not tell it apart from the first.
    Level,
    /// Has a value with every seed, worse than the first.
    Behind,
    /// Gives bit for bit what an earlier row gives, or all rows give the same: not ranked.
    Same,
    /// Does not finish with every seed, has no run for some, or no value.
    Out,
}

/// What the seeds say of one row in one column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The metric over the seeds with which it has a value.
    pub spread: Option<Spread>,
    /// Seeds with which it does not finish.
    pub never: usize,
    /// Seeds with which it finishes, and the metric could not be measured.
    pub unmeasured: usize,
    /// Seeds for which there is no run.
    pub missing: usize,
    /// Most flows that did not complete with any one seed.
    pub stuck: u64,
    /// Mean over seeds of the metric over the bound, in percent.
    pub increase_pct: Option<f64>,
    /// How it stands.
    pub standing: Standing,
    /// The first row that gives bit for bit the same with every seed, if that is an earlier one.
    pub same_as: Option<usize>,
}

/// Runs side by side, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What is compared.
    pub input: CompareInput,
    /// `[row][column]`.
    pub cells: Vec<Vec<Cell>>,
}

impl Comparison {
    /// Judges `input`.
    pub fn new(input: CompareInput) -> Self {
        let cell = |row, column| Cell::of(&input, row, column);
        let cells = (0..input.rows.len())
            .map(|row| (0..input.columns.len()).map(|column| cell(row, column)).collect())
            .collect();
        let mut comparison = Self { input, cells };
        for column in 0..comparison.input.columns.len() {
            comparison.judge(column);
        }
        comparison
    }

    fn judge(&mut self, column: usize) {
        let rows = 0..self.cells.len();
        if self.all_same(column) && !self.ranked(column).is_empty() {
            rows.for_each(|row| self.cells[row][column].standing = Standing::Same);
            return;
        }
        let Some(&first) = self.ranked(column).first() else { return };
        for row in self.ranked(column) {
            let apart = match self.difference(column, first, row) {
                Some(Difference { p: None, mean, .. }) => mean != 0.0,
                Some(difference) => difference.supported(),
                None => true,
            };
            self.cells[row][column].standing = match (row == first, apart) {
                (true, _) => Standing::First,
                (false, false) => Standing::Level,
                (false, true) => Standing::Behind,
            };
        }
        for row in rows {
            if self.cells[self.first_same(column, row)][column].standing != Standing::Out
                && self.cells[row][column].same_as.is_some()
            {
                self.cells[row][column].standing = Standing::Same;
            }
        }
    }

    /// The first of the rows that give the same as `row`.
    fn first_same(&self, column: usize, row: usize) -> usize {
        self.cells[row][column].same_as.unwrap_or(row)
    }

    /// Whether all rows, of several, give the same in a column.
    fn all_same(&self, column: usize) -> bool {
        let mut rows = 0..self.cells.len();
        self.cells.len() > 1 && rows.all(|row| self.first_same(column, row) == 0)
    }

    /// The rows with a value with every seed, the best mean first; equal ones in their order. Of rows
    /// that give the same only the first.
    fn ranked(&self, column: usize) -> Vec<usize> {
        let mean = |row: usize| {
            let cell = &self.cells[row][column];
            let whole = cell.is_whole() && cell.same_as.is_none();
            cell.spread.filter(|_| whole).map(|spread| spread.mean)
        };
        let mut rows: Vec<(f64, usize)> =
            (0..self.cells.len()).filter_map(|row| Some((mean(row)?, row))).collect();
        rows.sort_by(|a, b| self.input.metric.order(a.0, b.0).then(a.1.cmp(&b.1)));
        rows.into_iter().map(|(_, row)| row).collect()
    }

    /// `row` against `base` in `column`, over the seeds with which both have a value.
    pub fn difference(&self, column: usize, base: usize, row: usize) -> Option<Difference> {
        self.between((base, column), (row, column))
    }

    /// The cell `other` against the cell `base`, both by row and column, over the seeds with which both
    /// have a value.
    pub fn between(&self, base: Place, other: Place) -> Option<Difference> {
        let [base, other] = [base, other].map(|(row, column)| &self.input.values[row][column]);
        let both = base.iter().zip(other);
        let (a, b): (Vec<f64>, Vec<f64>) = both.filter_map(|(a, b)| a.zip(*b)).unzip();
        Difference::of(&a, &b)
    }

    /// The test that as many pairs as there are seeds get.
    fn test(&self) -> Option<Test> {
        Test::for_pairs(self.input.seeds.len())
    }
}

/// The row and the column of a cell.
pub type Place = (usize, usize);

impl Cell {
    /// Whether there is a value with every seed.
    fn is_whole(&self) -> bool {
        self.never + self.missing + self.unmeasured == 0
    }

    fn of(input: &CompareInput, row: usize, column: usize) -> Self {
        let values = &input.values[row][column];
        let unfinished = &input.unfinished[row][column];
        let finished: Vec<f64> = values.iter().copied().flatten().collect();
        let increases: Vec<f64> = values
            .iter()
            .zip(&input.columns[column].bounds)
            .filter_map(|(value, bound)| value.zip(bound.filter(|bound| *bound > 0.0)))
            .map(|(value, bound)| (value / bound - 1.0) * 100.0)
            .collect();
        let no_value =
            |(value, flows): &(&Option<f64>, &Option<u64>)| value.is_none() && **flows == Some(0);
        let missing = unfinished.iter().filter(|flows| flows.is_none()).count();
        let never = unfinished.iter().flatten().filter(|flows| **flows > 0).count();
        Self {
            spread: Spread::of(&finished),
            never,
            unmeasured: values.iter().zip(unfinished).filter(no_value).count(),
            missing,
            stuck: unfinished.iter().copied().flatten().max().unwrap_or(0),
            increase_pct: Spread::of(&increases).map(|spread| spread.mean),
            standing: Standing::Out,
            same_as: same_as(input, row, column),
        }
    }
}

/// The first row before `row` with the same results.
fn same_as(input: &CompareInput, row: usize, column: usize) -> Option<usize> {
    let own = input.results[row][column].as_ref()?;
    (0..row).find(|&other| input.results[other][column].as_ref() == Some(own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::units::Span;

    /// Three schemes under two conditions with five seeds; `ecmp` never finishes with a dead
    /// uplink, `ops` and `reps` cannot be told apart there.
    pub(super) fn example() -> CompareInput {
        let some = |values: [f64; 5]| values.map(Some).to_vec();
        let column = |name: &str, us: f64| Column {
            name: name.into(),
            bound: Some("permutation".into()),
            bounds: vec![Some(us); 5],
        };
        CompareInput {
            title: "128 GPUs, 3-tier fat tree, 400 Gbps, 8 MiB permutation".into(),
            rows: ["ecmp", "ops", "reps"].map(String::from).to_vec(),
            columns: vec![column("healthy", 176.0), column("one uplink dead", 200.0)],
            seeds: (1..=5).collect(),
            values: vec![
                vec![some([740.0, 745.0, 736.0, 742.0, 747.0]), vec![None; 5]],
                vec![
                    some([196.0, 195.0, 197.0, 196.5, 195.5]),
                    some([251.0, 259.0, 246.0, 249.0, 245.0]),
                ],
                vec![
                    some([185.0, 185.2, 184.8, 185.1, 184.9]),
                    some([249.0, 251.0, 248.0, 250.0, 247.0]),
                ],
            ],
            unfinished: vec![
                vec![vec![Some(0); 5], vec![Some(2), Some(4), Some(1), Some(2), Some(3)]],
                vec![vec![Some(0); 5]; 2],
                vec![vec![Some(0); 5]; 2],
            ],
            results: ["a", "b", "c"]
                .map(|row| [0, 1].map(|column| Some(format!("{row}{column}"))).to_vec())
                .to_vec(),
            ..CompareInput::default()
        }
    }

    #[test]
    fn a_scheme_with_parameters_is_called_by_its_word() {
        let table = "{ scheme = \"reps\", mode = \"artifact\", freeze = \"100 us\" }";
        assert_eq!(label(table), "reps (mode artifact, freeze 100 us)");
        assert_eq!(label("{ scheme = \"ops\" }"), "ops");
        assert_eq!(label("0.8"), "0.8");
        let settings = [("condition", "healthy"), ("transport.load_balance", table)];
        let settings = settings.map(|(path, value)| (path.to_owned(), value.to_owned()));
        assert_eq!(row_of(&settings), "reps (mode artifact, freeze 100 us)");
        assert_eq!(column_of(&settings), "healthy");
    }

    #[test]
    fn standings_follow_the_tests() {
        let comparison = Comparison::new(example());
        let standings: Vec<Vec<Standing>> =
            comparison.cells.iter().map(|row| row.iter().map(|c| c.standing).collect()).collect();
        use Standing::{Behind, First, Level, Out};
        assert_eq!(standings, [vec![Behind, Out], vec![Behind, Level], vec![First, First]]);
        let cell = &comparison.cells[0][1];
        assert_eq!((cell.never, cell.missing, cell.stuck, cell.spread), (5, 0, 4, None));
        // 742 / 176 = 4.21591.
        let increase = comparison.cells[0][0].increase_pct.unwrap();
        assert!((increase - 321.591).abs() < 1e-3, "{increase}");
    }

    #[test]
    fn a_row_that_misses_one_seed_cannot_be_first() {
        let mut input = example();
        input.values[2][0][3] = None;
        input.unfinished[2][0][3] = Some(1);
        let comparison = Comparison::new(input);
        assert_eq!(comparison.cells[2][0].standing, Standing::Out);
        assert_eq!(comparison.cells[1][0].standing, Standing::First);
        assert_eq!(comparison.difference(0, 1, 2).unwrap().n, 4);
    }

    #[test]
    fn one_seed_ranks_without_a_test() {
        let mut input = example();
        input.seeds.truncate(1);
        input.columns.iter_mut().for_each(|c| c.bounds.truncate(1));
        for row in &mut input.values {
            row.iter_mut().for_each(|seeds| seeds.truncate(1));
        }
        for row in &mut input.unfinished {
            row.iter_mut().for_each(|seeds| seeds.truncate(1));
        }
        let comparison = Comparison::new(input);
        assert_eq!(comparison.cells[2][1].standing, Standing::First);
        assert_eq!(comparison.cells[1][1].standing, Standing::Behind);
        assert_eq!(comparison.test(), None);
    }

    #[test]
    fn seeds_may_have_different_bounds_but_not_rows() {
        let plan = crate::study::fixture::plan(1);
        let outcome = crate::study::fixture::engine(&plan, &mut ());
        let summary = |name, us| {
            let bound = crate::study::summary::Bound { name, time: Span::us(us) };
            let cost = crate::study::timing::Cost::default();
            RunSummary::new("h", &plan, &outcome, Some(&bound), cost)
        };
        let (healthy, faulty) = (summary("permutation", 3), summary("permutation_rho_max", 4));
        let settings = ["ops", "reps"].map(|scheme| [("scheme".to_owned(), scheme.to_owned())]);
        let entries = |last| {
            let runs = [(0, 1, &healthy), (0, 2, &faulty), (1, 1, &healthy), (1, 2, last)];
            let entry = |(row, seed, summary): (usize, _, _)| Entry {
                settings: &settings[row][..],
                seed,
                summary: Some(summary),
            };
            runs.map(entry)
        };
        let column = &CompareInput::of_runs("title", &entries(&faulty)).columns[0];
        assert_eq!(column.bound.as_deref(), Some("permutation, permutation_rho_max"));
        assert_eq!(column.bounds, [Some(3.0), Some(4.0)]);
        let column = &CompareInput::of_runs("title", &entries(&healthy)).columns[0];
        assert_eq!((column.bound.as_deref(), &column.bounds[..]), (None, &[None, None][..]));
    }

    #[test]
    fn schemes_are_compared_else_conditions_else_the_first_axis() {
        let axes = |paths: &[&str]| -> Vec<(String, String)> {
            paths.iter().map(|path| ((*path).to_owned(), "x".to_owned())).collect()
        };
        for (paths, expected) in [
            (&["traffic.message", "condition", "transport.load_balance.scheme"][..], Some(2)),
            (&["traffic.message", "condition"], Some(1)),
            (&["traffic.message", "fabric.queue.size"], Some(0)),
            (&[], None),
        ] {
            assert_eq!(row_axis(&axes(paths)), expected, "{paths:?}");
        }
    }

    #[test]
    fn runs_fall_into_rows_columns_and_seeds() {
        let plan = crate::study::fixture::plan(1);
        let outcome = crate::study::fixture::engine(&plan, &mut ());
        let cost = crate::study::timing::Cost::default();
        let summary = RunSummary::new("h", &plan, &outcome, None, cost);
        let setting = |scheme: &str, size: &str| {
            vec![("scheme".to_string(), scheme.to_string()), ("traffic.size".into(), size.into())]
        };
        let settings = [setting("ops", "1"), setting("ops", "2"), setting("reps", "1")];
        let mut entries = Vec::new();
        for settings in &settings {
            for seed in [4, 5] {
                entries.push(Entry { settings, seed, summary: Some(&summary) });
            }
        }
        entries[5].summary = None;
        let input = CompareInput::of_runs("title", &entries);
        assert_eq!(input.rows, ["ops", "reps"]);
        assert_eq!(
            input.columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(),
            ["size 1", "size 2"]
        );
        assert_eq!(input.seeds, [4, 5]);
        assert_eq!(input.values[0][1], vec![summary.completion_us; 2]);
        assert_eq!(input.unfinished[1], [vec![Some(0), None], vec![None, None]]);
    }
}
