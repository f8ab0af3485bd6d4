//! The verdict: every load balancer against every other, as a page with pictures.
//!
//! One scenario, `figures/verdict/scenario.toml`, run one workload at a time; its axes are `scheme`,
//! `workload`, `faults` and `stack`. The page is made of nothing but the runs and of what the
//! papers claim (`figures/verdict/claims.toml`).

mod claims;
mod page;
mod papers;
mod picture;
mod short;
mod sizes;
mod steps;

pub use claims::{Claim, claims};
pub use page::page;
pub use picture::picture;
pub use short::short;
pub use sizes::{Message, in_short as sizes_in_short, sizes};
pub use steps::steps;

use crate::figures::other_text;
use raddle::problem::Problems;
use raddle::scenario::{self, Study};
use raddle::study::compare::{Cell, CompareInput, Comparison, Entry, Standing, column_of};
use raddle::study::run::Job;
use raddle::study::stats::Difference;
use raddle::study::summary::RunSummary;
use raddle_sim::bound::cut::{self, Cut};
use raddle_sim::bound::{Bound, mean_of_flows, of_plan};
use raddle_sim::plan::Plan;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Up to this many times what the first takes, a scheme is level with it.
const LEVEL: f64 = 1.02;

/// Rows of the scenario that are told at once which links are dead, as the study assumes of its
/// hosts; pictures set them apart.
const ORACLES: &[&str] = &["host_dr"];

const SCENARIO: &str = include_str!("../../figures/verdict/scenario.toml");

/// Files of the verdict in `folder`, a folder of figures, that are not those which the program was
/// built with and runs.
///
/// # Errors
/// A file that is there and cannot be read, and why.
pub fn changed(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut changed = Vec::new();
    for (name, own) in [("scenario.toml", SCENARIO), ("claims.toml", claims::TEXT)] {
        let path = folder.join("verdict").join(name);
        if other_text(&path, own)?.is_some() {
            changed.push(path);
        }
    }
    Ok(changed)
}

/// How one workload is run.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Its name on the axis `workload`.
    pub name: &'static str,
    /// Whether flows arrive whatever became of earlier ones, so that the mean flow completion time
    /// tells more than the end of the last.
    pub open_loop: bool,
    /// The workload of the standings that it is with other messages, and their size.
    pub size: Option<(&'static str, &'static str)>,
}

/// A workload of the standings.
const fn whole(name: &'static str, open_loop: bool) -> Workload {
    Workload { name, open_loop, size: None }
}

/// One of them with larger messages.
const fn sized(name: &'static str, of: &'static str, size: &'static str) -> Workload {
    Workload { name, open_loop: false, size: Some((of, size)) }
}

/// Every workload, in the order of the page.
pub const WORKLOADS: &[Workload] = &[
    whole("permutation", false),
    whole("tornado", false),
    whole("all-to-all", false),
    whole("ring", false),
    whole("incast", false),
    whole("websearch", true),
    whole("all-to-all-1024", false),
];

/// The ring again, with larger steps, on the healthy fabric alone: how far its results go depends on
/// how much a step carries. Not in the standings, where the ring would count several times.
pub const RING_STEPS: &[Workload] =
    &[whole("ring-256K", false), whole("ring-1M", false), whole("ring-4M", false)];

/// The permutation again, with larger messages, under each fault: 1 MiB is less than two products of
/// bandwidth and delay. Not in the standings, where it would count several times.
pub const SIZES: &[Workload] = &[
    sized("permutation-4M", "permutation", "4 MiB"),
    sized("permutation-16M", "permutation", "16 MiB"),
];

/// The axis that tells columns of [`SIZES`] apart.
const SIZE: &str = "size";

/// The size of the same workloads in the standings.
const SMALLEST: &str = "1 MiB";

impl Workload {
    /// All workloads, those of the standings first.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        WORKLOADS.iter().chain(SIZES).chain(RING_STEPS)
    }

    /// Whether it is one of [`RING_STEPS`].
    fn is_step(&self) -> bool {
        RING_STEPS.iter().any(|step| step.name == self.name)
    }

    /// Axes and values of one of its columns, without the scheme; a larger message is a value of the
    /// axis `size`.
    fn settings(&self, job: &[(String, String)]) -> Vec<(String, String)> {
        let mut settings: Vec<(String, String)> =
            job.iter().filter(|(axis, _)| axis != "scheme").cloned().collect();
        if let Some((of, size)) = self.size {
            for (axis, value) in &mut settings {
                if axis == "workload" {
                    of.clone_into(value);
                }
            }
            settings.push((SIZE.to_owned(), size.to_owned()));
        }
        settings
    }

    /// The scenario of this workload, with further `changes`.
    ///
    /// # Errors
    /// What is wrong with the changes.
    pub fn study(&self, changes: &[(String, String)]) -> Result<Study, Problems> {
        let own = [("workload".to_owned(), format!("\"{}\"", self.name))];
        let healthy = ("faults".to_owned(), "\"healthy\"".to_owned());
        let alone = self.is_step().then_some(healthy);
        let all: Vec<_> = own.into_iter().chain(changes.iter().cloned()).chain(alone).collect();
        scenario::parse("figures/verdict/scenario.toml", SCENARIO, Path::new("."), &all)
    }
}

/// One fabric under one workload and one stack.
#[derive(Clone, Debug)]
pub struct Column {
    /// Names of axes and values, without the scheme.
    pub settings: Vec<(String, String)>,
    /// `[row]`: how each scheme stands; times are flow completion times where the workload is an
    /// open loop.
    pub cells: Vec<Cell>,
    /// `[row][seed]`: these times in microseconds; `None` where a run does not finish.
    pub times_us: Vec<Vec<Option<f64>>>,
    /// The lower bound on the completion, faults included, and its name, where one is known.
    pub bound: Option<(String, f64)>,
    /// What the study takes for a bound where flows keep a pace that the faults leave, and its
    /// name: no bound, see `raddle_sim::bound::rho_max`.
    pub paced: Option<(String, f64)>,
    /// What each flow sends; none where flows differ.
    pub message: Option<Message>,
    /// How many seeds each cell has.
    pub seeds: usize,
    /// Whether times are mean flow completion times, instead of the completion of all flows.
    pub open_loop: bool,
}

/// All that was measured.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The schemes.
    pub rows: Vec<String>,
    /// Under which conditions.
    pub columns: Vec<Column>,
    /// The workloads of one message a flow by its size, the smallest included: columns with an axis
    /// `size`. Larger ones are in no standing.
    pub sizes: Vec<Column>,
    /// The ring with larger steps, which is in no standing.
    pub steps: Vec<Column>,
}

/// A workload, its jobs, and what came of each.
pub type WorkloadRuns<'r> = (Workload, &'r [Job], &'r [Option<RunSummary>]);

impl Verdict {
    /// Sorts the runs of each workload.
    pub fn of(runs: &[WorkloadRuns<'_>]) -> Self {
        let mut verdict =
            Self { rows: Vec::new(), columns: Vec::new(), sizes: Vec::new(), steps: Vec::new() };
        for (workload, jobs, summaries) in runs {
            let mut bounds = BTreeMap::new();
            let measured: Vec<Option<RunSummary>> = jobs
                .iter()
                .zip(*summaries)
                .map(|(job, run)| {
                    // All schemes of a column share the bound.
                    let run = run.as_ref()?;
                    let bound = bounds.entry((column_of(&job.settings), job.seed));
                    Some(measured(
                        *workload,
                        run,
                        *bound.or_insert_with(|| bound_of(*workload, job)),
                    ))
                })
                .collect();
            let entries: Vec<Entry<'_>> = jobs
                .iter()
                .zip(&measured)
                .map(|(job, summary)| Entry {
                    settings: &job.settings,
                    seed: job.seed,
                    summary: summary.as_ref(),
                })
                .collect();
            let comparison = Comparison::new(CompareInput::of_runs(workload.name, &entries));
            verdict.rows.clone_from(&comparison.input.rows);
            for (index, column) in comparison.input.columns.iter().enumerate() {
                let settings = jobs.iter().find(|job| column_of(&job.settings) == column.name);
                let settings = settings.map_or(&[][..], |job| &job.settings);
                let bounds = column.bounds.iter().copied().flatten();
                let bound = column.bound.clone().zip(mean(bounds));
                let runs = jobs.iter().zip(*summaries);
                let here = runs.filter(|(job, _)| column_of(&job.settings) == column.name);
                let paced = paced(here.filter_map(|(_, run)| run.as_ref()));
                let job = jobs.iter().find(|job| column_of(&job.settings) == column.name);
                let own = Column {
                    settings: workload.settings(settings),
                    cells: comparison.cells.iter().map(|row| row[index]).collect(),
                    times_us: comparison
                        .input
                        .values
                        .iter()
                        .map(|row| row[index].clone())
                        .collect(),
                    bound,
                    paced,
                    message: job.and_then(message_of),
                    seeds: comparison.input.seeds.len(),
                    open_loop: workload.open_loop,
                };
                if SIZES.iter().any(|larger| larger.size.is_some_and(|(of, _)| of == workload.name))
                {
                    let mut smallest = own.clone();
                    smallest.settings.push((SIZE.to_owned(), SMALLEST.to_owned()));
                    verdict.sizes.push(smallest);
                }
                match workload {
                    Workload { size: Some(_), .. } => verdict.sizes.push(own),
                    workload if workload.is_step() => verdict.steps.push(own),
                    _ => verdict.columns.push(own),
                }
            }
        }
        // One size does not make an axis.
        if runs.iter().all(|(workload, ..)| workload.size.is_none()) {
            verdict.sizes.clear();
        }
        verdict
    }

    /// The values of an axis, in the order of the columns.
    pub fn values(&self, axis: &str) -> Vec<&str> {
        let mut values = Vec::new();
        for value in self.columns.iter().filter_map(|column| column.value(axis)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        values
    }

    /// The rows by the geometric mean of what they take over the first, over `columns`; one that
    /// does not finish counts as ten times the first.
    pub fn order(&self, columns: &[&Column]) -> Vec<usize> {
        let score = |row: usize| -> f64 {
            columns.iter().map(|column| column.ratio(row).unwrap_or(10.0).ln()).sum()
        };
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by(|&a, &b| score(a).total_cmp(&score(b)));
        order
    }

    /// The same order, with the oracles behind all others.
    pub fn order_oracles_last(&self, columns: &[&Column]) -> Vec<usize> {
        let mut order = self.order(columns);
        order.sort_by_key(|&row| self.is_oracle(row));
        order
    }

    /// Whether a row knows what no other scheme is told.
    pub fn is_oracle(&self, row: usize) -> bool {
        ORACLES.contains(&self.rows[row].as_str())
    }

    /// The geometric mean of what a row takes over the first, over `columns`, and the worst; `None`
    /// if it does not finish somewhere.
    pub fn over_the_first(&self, columns: &[&Column], row: usize) -> Option<(f64, f64)> {
        let ratios: Option<Vec<f64>> = columns.iter().map(|column| column.ratio(row)).collect();
        let ratios = ratios?;
        let logs: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        let mean = (logs / ratios.len() as f64).exp();
        Some((mean, ratios.into_iter().fold(1.0, f64::max)))
    }

    /// The rows that finish in all `columns`, place by place: the least geometric mean of those that
    /// are left, with all that the seeds do not tell from it.
    pub fn places(&self, columns: &[&Column]) -> Vec<Vec<usize>> {
        let mut left = self.order(columns);
        left.retain(|&row| self.over_the_first(columns, row).is_some());
        let mut places = Vec::new();
        while let Some(&first) = left.first() {
            let together = |&row: &usize| row == first || !self.tells_apart(columns, first, row);
            let (place, rest): (Vec<usize>, Vec<usize>) = left.into_iter().partition(together);
            places.push(place);
            left = rest;
        }
        places
    }

    /// Whether the seeds tell two rows that finish everywhere apart over `columns`: the test of
    /// `raddle compare` on the mean logarithm of each seed's times.
    pub fn tells_apart(&self, columns: &[&Column], a: usize, b: usize) -> bool {
        let seeds = columns.iter().map(|column| column.seeds).min().unwrap_or(0);
        let logs = |row: usize| -> Vec<f64> {
            let of = |seed: usize| -> f64 {
                let times = columns.iter().filter_map(|column| column.times_us[row][seed]);
                times.map(f64::ln).sum()
            };
            (0..seeds).map(of).collect()
        };
        told(&logs(a), &logs(b))
    }
}

/// Whether pairs of values, one pair a seed, support a difference. One pair alone tells whether
/// there is any.
fn told(a: &[f64], b: &[f64]) -> bool {
    match Difference::of(a, b) {
        Some(Difference { p: None, mean, .. }) => mean != 0.0,
        Some(difference) => difference.supported(),
        None => true,
    }
}

/// The mean, if there are values.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// What the study takes for the bounds of paced runs, on average.
fn paced<'r>(runs: impl Iterator<Item = &'r RunSummary>) -> Option<(String, f64)> {
    let found: Vec<(&str, f64)> = runs
        .filter_map(|run| run.bound.as_deref().zip(run.bound_us))
        .filter(|(name, _)| name.ends_with(Bound::PACED))
        .collect();
    let name = found.first()?.0.to_owned();
    Some((name, mean(found.iter().map(|(_, us)| *us))?))
}

/// What each flow of a job sends, if all send the same.
fn message_of(job: &Job) -> Option<Message> {
    let plan = (job.plan)().ok()?;
    let bytes = plan.traffic.flows.first()?.bytes;
    let transport = &plan.transport;
    let rtt = plan.fabric.longest_base_rtt(plan.packet(), transport.ack);
    let bdp = plan.fabric.host_rate(plan.traffic.flows.first()?.source).bytes_in(rtt);
    let alike = plan.traffic.flows.iter().all(|flow| flow.bytes == bytes);
    alike.then_some(Message { bytes: bytes.0, bdp: bytes.0 as f64 / bdp.0 as f64 })
}

/// The tightest bound that no run of a column can beat, whatever its scheme and its stack.
fn bound_of(workload: Workload, job: &Job) -> Option<Bound> {
    let plan = (job.plan)().ok()?;
    if workload.open_loop { mean_of_flows(&plan) } else { strict(&plan) }
}

fn strict(plan: &Plan) -> Option<Bound> {
    let cut = cut::under_faults(plan).map(|cut| Bound { name: Cut::UNDER_FAULTS, time: cut.time });
    let mut bounds = of_plan(plan);
    bounds.retain(|bound| !bound.name.ends_with(Bound::PACED));
    bounds.extend(cut);
    // Of equals, the first.
    bounds.into_iter().rev().max_by_key(|bound| bound.time)
}

/// A run as its workload is measured.
fn measured(workload: Workload, run: &RunSummary, bound: Option<Bound>) -> RunSummary {
    let mut run = run.clone();
    if workload.open_loop {
        run.completion_us = run.completion_us.and(run.fct_us.mean);
    }
    run.bound = bound.map(|bound| bound.name.to_owned());
    run.bound_us = bound.map(|bound| bound.time.as_us());
    run.increase_pct = None;
    run
}

impl Column {
    /// Its value on an axis.
    pub fn value(&self, axis: &str) -> Option<&str> {
        let found = self.settings.iter().find(|(name, _)| name == axis);
        found.map(|(_, value)| value.as_str())
    }

    /// The mean of a row, in microseconds, if it finishes with every seed.
    pub fn mean(&self, row: usize) -> Option<f64> {
        let cell = &self.cells[row];
        let finishes = cell.never + cell.missing == 0;
        cell.spread.filter(|_| finishes).map(|spread| spread.mean)
    }

    /// The row with the least mean among `rows`.
    fn best(&self, rows: impl IntoIterator<Item = usize>) -> Option<usize> {
        let means = rows.into_iter().filter_map(|row| Some((self.mean(row)?, row)));
        means.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, row)| row)
    }

    /// The row with the greatest mean; `None` if one does not finish.
    fn worst(&self, rows: &[usize]) -> Option<usize> {
        let means: Option<Vec<_>> = rows.iter().map(|&row| Some((self.mean(row)?, row))).collect();
        means?.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, row)| row)
    }

    /// What a row takes over what another takes.
    fn over(&self, row: usize, other: usize) -> Option<f64> {
        Some(self.mean(row)? / self.mean(other)?)
    }

    /// What a row takes over what the first takes.
    pub fn ratio(&self, row: usize) -> Option<f64> {
        self.over(row, self.best(0..self.cells.len())?)
    }

    /// Whether the seeds tell what a row takes from so many `times` what another takes. Both
    /// finish.
    fn tells(&self, row: usize, times: f64, other: usize) -> bool {
        let [own, others] = [row, other].map(|row| self.times_us[row].iter().copied().flatten());
        told(&others.map(|us| us * times).collect::<Vec<f64>>(), &own.collect::<Vec<f64>>())
    }

    /// Place of a row among those that finish, by the mean: 1 is the first.
    pub fn rank(&self, row: usize) -> Option<usize> {
        let own = self.mean(row)?;
        let means = (0..self.cells.len()).filter_map(|other| self.mean(other));
        Some(1 + means.filter(|&mean| mean < own).count())
    }

    /// Whether a row is the first, or level with it.
    pub fn leads(&self, row: usize) -> bool {
        self.ratio(row).is_some_and(|ratio| ratio <= LEVEL)
    }

    /// Whether a row is further behind the first than level, and the seeds do not tell the two
    /// apart.
    pub fn untold(&self, row: usize) -> bool {
        // What gives the same as an earlier row stands where that stands.
        let first = self.cells[row].same_as.unwrap_or(row);
        self.cells[first].standing == Standing::Level && !self.leads(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle::study::jobs::jobs;
    use raddle::study::run::{Keep, Runner};
    use raddle_sim::engine;
    use std::sync::atomic::AtomicBool;

    /// The permutation at a small size, as `raddle verdict` runs it.
    fn small() -> Verdict {
        let set = [
            ("sweep.seed", "\"1..2\""),
            ("fabric.topology.hosts", "16"),
            ("faults", "\"healthy\""),
            ("run.end", "\"1 ms\""),
        ];
        let set = set.map(|(path, value)| (path.to_owned(), value.to_owned()));
        let study = WORKLOADS[0].study(&set).unwrap_or_else(|p| panic!("{}", p.render(false)));
        let jobs = jobs(&study, None);
        let stop = AtomicBool::new(false);
        let runner =
            Runner { engine: &engine::run, bound: |_| None, threads: 2, stop: &stop, meter: &() };
        let runs: Vec<Option<RunSummary>> =
            runner.run(&jobs, &Keep).into_iter().map(|run| run.ok().map(|r| r.summary)).collect();
        Verdict::of(&[(WORKLOADS[0], &jobs, &runs)])
    }

    /// One column: `a` first, `b` not told from it by three seeds, `c` told, `d` never through with
    /// one seed.
    pub(super) fn made_up() -> Verdict {
        let times = [
            [Some(10.0), Some(11.0), Some(12.0)],
            [Some(10.5), Some(13.0), Some(11.5)],
            [Some(20.0), Some(21.0), Some(22.5)],
            [Some(30.0), None, Some(30.0)],
        ];
        let column = raddle::study::compare::Column {
            name: String::new(),
            bound: Some("cut".to_owned()),
            bounds: vec![Some(8.0); 3],
        };
        let flows = |us: &Option<f64>| Some(u64::from(us.is_none()));
        let unfinished = times.iter().map(|row| vec![row.iter().map(flows).collect()]).collect();
        let comparison = Comparison::new(CompareInput {
            title: String::new(),
            rows: ["a", "b", "c", "d"].map(str::to_owned).to_vec(),
            columns: vec![column],
            seeds: vec![1, 2, 3],
            values: times.iter().map(|row| vec![row.to_vec()]).collect(),
            unfinished,
            results: vec![vec![None]; 4],
            ..CompareInput::default()
        });
        let settings = [("workload", "ring"), ("faults", "healthy"), ("stack", "window")];
        let column = Column {
            settings: settings.map(|(axis, value)| (axis.to_owned(), value.to_owned())).to_vec(),
            cells: comparison.cells.iter().map(|row| row[0]).collect(),
            times_us: times.iter().map(|row| row.to_vec()).collect(),
            bound: Some(("cut".to_owned(), 8.0)),
            paced: None,
            message: None,
            seeds: 3,
            open_loop: false,
        };
        let rows = comparison.input.rows.clone();
        Verdict { rows, columns: vec![column], sizes: Vec::new(), steps: Vec::new() }
    }

    #[test]
    fn a_first_place_that_the_seeds_do_not_support_says_so() {
        let verdict = made_up();
        let column = &verdict.columns[0];
        assert_eq!(
            (0..4).map(|row| column.untold(row)).collect::<Vec<_>>(),
            [false, true, false, false]
        );
        // Differences 10, 10 and 10.5 of the times; 0.5, 2 and -0.5 do not tell.
        assert!(verdict.tells_apart(&[column], 0, 2) && !verdict.tells_apart(&[column], 0, 1));
        let page = page(&verdict, &[], "verdict", "");
        assert!(page.contains("| `a` 11.00 us | - | `b` +6.1 % | `c` +92 % |"), "{page}");
        assert!(page.contains("| `a` 1.00 | - | `b` 1.06 | `c` 1.92 | 1 |"));
        assert!(page.contains("3 seeds leave 2 degrees of freedom"), "{page}");
        assert!(page.contains("In 1 of the 1 conditions"), "{page}");
        let picture = picture(&verdict, "window");
        assert_eq!(picture.matches("fill=\"none\"").count(), 2, "the legend's and one more");
    }

    #[test]
    fn the_worst_of_a_scheme_that_does_not_finish_somewhere_is_never() {
        let mut verdict = made_up();
        let mut other = verdict.columns[0].clone();
        other.cells.swap(0, 3);
        other.times_us.swap(0, 3);
        let page_of = |verdict: &Verdict| page(verdict, &[], "verdict", "");
        let page = page_of(&verdict);
        assert!(page.contains("| `d` | 0 of 1 | 0 | - | `never` | in 1 |"), "{page}");
        verdict.columns.push(other);
        let page = page_of(&verdict);
        assert!(page.contains("| `d` | 1 of 2 | 0 | 1.0 | `never` (else 1.00) | in 1 |"), "{page}");
    }

    #[test]
    fn both_stacks_have_the_same_bound_and_none_is_a_pace() {
        let set = [("sweep.seed", "[1]"), ("scheme", "\"ops\"")];
        let set = set.map(|(path, value)| (path.to_owned(), value.to_owned()));
        let tornado = WORKLOADS[1];
        let study = tornado.study(&set).unwrap_or_else(|p| panic!("{}", p.render(false)));
        let jobs = jobs(&study, None);
        let bounds: Vec<Bound> = jobs.iter().map(|job| bound_of(tornado, job).unwrap()).collect();
        for pair in bounds.chunks(2) {
            assert_eq!(pair[0], pair[1]);
        }
        assert!(bounds.iter().all(|bound| !bound.name.ends_with(Bound::PACED)), "{bounds:?}");
        assert_eq!(bounds[0].name, "permutation");
        assert!(bounds[6].time > bounds[0].time && bounds[6].name == Cut::UNDER_FAULTS);
    }

    #[test]
    fn every_workload_has_every_scheme_under_all_faults_and_stacks() {
        for workload in WORKLOADS.iter().chain(SIZES) {
            let study = workload.study(&[]).unwrap_or_else(|p| panic!("{}", p.render(false)));
            let sizes: Vec<(&str, usize)> =
                study.axes.iter().map(|axis| (axis.name.as_str(), axis.values.len())).collect();
            assert_eq!(sizes, [("scheme", 18), ("workload", 1), ("faults", 4), ("stack", 2)]);
        }
    }

    #[test]
    fn ranks_and_ratios_belong_together() {
        let verdict = small();
        assert_eq!((verdict.rows.len(), verdict.columns.len()), (18, 2));
        for column in &verdict.columns {
            let first: Vec<usize> = (0..18).filter(|&row| column.rank(row) == Some(1)).collect();
            assert!(!first.is_empty() && first.iter().all(|&row| column.ratio(row) == Some(1.0)));
            let order = verdict.order(&[column]);
            assert!(order.windows(2).all(|pair| column.rank(pair[0]) <= column.rank(pair[1])));
        }
    }

    #[test]
    fn the_page_says_what_was_not_run_and_draws_what_was() {
        let verdict = small();
        let claims = claims().unwrap_or_else(|problems| panic!("{}", problems.render(false)));
        let page = page(&verdict, &claims, "verdict", "");
        assert!(page.contains("| not run |"), "{page}");
        assert!(page.contains("![ideal](verdict/ideal.svg)") && page.contains("Seeds: 2, paired"));
        assert!(page.contains("![in short](verdict/short.svg)"), "{page}");
        let short = short(&verdict);
        for scheme in ["ecmp", "ofan"] {
            assert_eq!(short.matches(&format!(">{scheme}<")).count(), 1);
        }
        let picture = picture(&verdict, "window");
        assert!(picture.matches(">1.00<").count() >= 2);
        assert_eq!(picture.matches("<text").count(), picture.matches("</text>").count());
    }
}
