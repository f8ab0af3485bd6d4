//! The verdict: every load balancer against every other, as a page with pictures.
//!
//! One scenario, `figures/verdict/scenario.toml`, run one workload at a time; its axes are `scheme`,
//! `workload`, `faults` and `stack`. The page is made of nothing but the runs and of what the
//! papers claim (`figures/verdict/claims.toml`).

mod claims;
mod page;
mod papers;
mod picture;
mod runs;
mod short;
mod sizes;
mod steps;
mod workload;

pub use claims::{Claim, claims};
pub use page::page;
pub use picture::picture;
pub use runs::WorkloadRuns;
pub use short::short;
pub use sizes::{Message, in_short as sizes_in_short, sizes};
pub use steps::steps;
pub use workload::{RING_STEPS, SIZES, WORKLOADS, Workload};

use crate::figures::other_text;
use raddle::study::compare::{Cell, Standing};
use raddle::study::stats::Difference;
use std::path::{Path, PathBuf};

/// Up to this many times what the first takes, a scheme is level with it.
const LEVEL: f64 = 1.02;

/// Rows of the scenario that are told at once which links are dead, as the study assumes of its
/// hosts; pictures set them apart.
const ORACLES: &[&str] = &["host_dr"];

/// The axis that tells columns of [`SIZES`] apart.
const SIZE: &str = "size";

/// The size of the same workloads in the standings.
const SMALLEST: &str = "1 MiB";

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

impl Verdict {
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
    use raddle::study::compare::{CompareInput, Comparison};
    use raddle::study::jobs::jobs;
    use raddle::study::run::{Keep, Runner};
    use raddle::study::summary::RunSummary;
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
