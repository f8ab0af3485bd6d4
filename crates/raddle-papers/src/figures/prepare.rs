//! A figure made ready: its scenario's cells, its claims, the runs to do.

use super::answers::Answers;
use super::cells::FigureCell;
use super::claim::Claim;
use super::claims::Claims;
use super::measured::Measured;
use super::metric::Metric;
use super::number::Number;
use super::result::{ClaimResult, Drawn, FigureResult};
use super::run::FigureRun;
use super::scores::Oracles;
use super::theory::TheoryNumber;
use super::{Figure, FigureError, Mode};
use raddle::problem::{Problem, Problems, Source};
use raddle::scenario::reader::with_nearest;
use raddle::scenario::spec::Place;
use raddle::scenario::{Outline, Study, parse};
use raddle::study::jobs::jobs;
use raddle::study::outcomes::Outcomes;
use raddle::study::run::{Job, Runner};
use std::path::{Path, PathBuf};

/// A figure whose files were read.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The figure.
    pub figure: Figure,
    /// How much of it is run.
    pub mode: Mode,
    /// Its claims.
    pub claims: Claims,
    /// Its scenario in this mode; none for a model without a simulation.
    pub study: Option<Study>,
    /// What was set in the scenario beside what the mode sets: paths and values.
    pub set: Vec<(String, String)>,
}

impl Figure {
    /// Reads the figure's files. Quick mode keeps only the cells that its claims need.
    ///
    /// # Errors
    /// Every problem of the scenario, or of the claims.
    pub fn prepare(&self, mode: Mode) -> Result<Prepared, Problems> {
        self.prepare_with(mode, &[])
    }

    /// The same with keys of the scenario set to other values, `set`: paths and values.
    ///
    /// # Errors
    /// Every problem of the scenario, or of the claims.
    pub fn prepare_with(&self, mode: Mode, set: &[(String, String)]) -> Result<Prepared, Problems> {
        let file = |file: &str| format!("figures/{}/{file}", self.name);
        let claims = Claims::parse(&file("claims.toml"), self.claims)?;
        let quick = if mode == Mode::Quick { claims.quick.as_slice() } else { &[] };
        let all = [quick, set].concat();
        let mut study = match self.scenario {
            Some(text) => Some(parse(&file("scenario.toml"), text, Path::new("."), &all)?),
            None => None,
        };
        let mut problems = unselected(&claims, mode, study.as_ref().map(Study::outline).as_ref());
        problems.extend(study.iter().flat_map(|study| unnamed(&claims, study)));
        self.refuse(problems)?;
        if let (Mode::Quick, Some(study)) = (mode, &mut study) {
            let measured: Vec<_> = claims.claims.iter().filter(|claim| claim.quick).collect();
            study
                .cells
                .retain(|cell| measured.iter().any(|claim| claim.measure.needs(&cell.settings)));
        }
        Ok(Prepared { figure: *self, mode, claims, study, set: set.to_vec() })
    }

    /// The figure's files read as far as what it has recorded needs them: no cell is made ready to run.
    pub(super) fn outlined(&self) -> Result<Outlined, Problems> {
        let file = |file: &str| format!("figures/{}/{file}", self.name);
        let claims = Claims::parse(&file("claims.toml"), self.claims)?;
        let outline =
            self.scenario.map(|text| Outline::parse(&file("scenario.toml"), text)).transpose()?;
        self.refuse(unselected(&claims, Mode::Full, outline.as_ref()))?;
        Ok(Outlined { figure: *self, mode: Mode::Full, claims, outline, set: Vec::new() })
    }

    /// Problems of the claims, if there are any.
    fn refuse(&self, list: Vec<Problem>) -> Result<(), Problems> {
        if list.is_empty() {
            return Ok(());
        }
        let path = PathBuf::from(format!("figures/{}/claims.toml", self.name));
        Err(Problems { list, sources: vec![Source { path, text: self.claims.to_owned() }] })
    }
}

/// A figure by its claims, and by what sets its cells apart: as much of it as results are judged by.
pub(super) struct Outlined {
    pub(super) figure: Figure,
    pub(super) mode: Mode,
    pub(super) claims: Claims,
    /// None for a model without a simulation.
    pub(super) outline: Option<Outline>,
    /// As in [`Prepared::set`].
    set: Vec<(String, String)>,
}

/// Selectors that mean no cell, or several. What this mode does not measure may mean cells that it
/// leaves out.
fn unselected(claims: &Claims, mode: Mode, outline: Option<&Outline>) -> Vec<Problem> {
    let cells = outline.map_or(&[][..], |outline| &outline.cells);
    let (table, traces, lines) = (claims.table.as_ref(), &claims.traces, &claims.lines);
    let claims = || claims.claims.iter().filter(|claim| mode == Mode::Full || claim.quick);
    let all: Vec<&[(String, String)]> = cells.iter().map(Vec::as_slice).collect();
    let of_claims = claims().flat_map(|claim| claim.measure.problems(&all));
    let settings = || cells.iter().map(Vec::as_slice);
    let of_table = table.and_then(|table| table.problem(settings()));
    let of_lines = lines.iter().filter_map(|own| own.problem(settings()));
    let traces = traces.iter().filter(|_| mode == Mode::Full);
    let of_traces = traces.filter_map(|trace| trace.problem(outline));
    of_claims.chain(of_table).chain(of_lines).chain(of_traces).collect()
}

/// Jobs that no cell has.
fn unnamed(claims: &Claims, study: &Study) -> Vec<Problem> {
    let measures = claims
        .claims
        .iter()
        .flat_map(|claim| claim.measure.metrics().into_iter().map(|metric| (&claim.place, metric)));
    let drawn = claims.chart.iter().flatten().filter_map(|number| match number {
        Number::Run(metric) => Some((&claims.place, *metric)),
        _ => None,
    });
    let names: Vec<&str> = study.cells.iter().flat_map(|cell| cell.scenario.job_names()).collect();
    let problem = |(place, metric): (&Place, Metric)| {
        let job = metric.job().filter(|job| !names.contains(job))?;
        let problem = place.problem(format!("no job is called `{job}`"));
        Some(with_nearest(problem, job, names.iter().copied()))
    };
    measures.chain(drawn).filter_map(problem).collect()
}

impl Prepared {
    /// Whether the same runs are done as of `other`.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        let runs = |own: &Self| -> Vec<(String, Vec<u64>)> {
            let cells = own
                .study
                .iter()
                .flat_map(|study| study.cells.iter().map(move |cell| (cell, study)));
            cells.map(|(cell, study)| (cell.scenario.hash(), study.seeds.clone())).collect()
        };
        runs(self) == runs(other)
    }

    /// The runs to do: every cell with every seed.
    pub fn jobs(&self) -> Vec<Job> {
        self.study.as_ref().map_or_else(Vec::new, |study| jobs(study, None))
    }

    /// How many things there are for a meter to count: runs, and questions to models that `answers`
    /// does not hold.
    pub fn steps(&self, answers: &Answers) -> usize {
        self.jobs().len() + self.open(answers).len()
    }

    fn open(&self, answers: &Answers) -> Vec<TheoryNumber> {
        let claims = self.claims.claims.iter();
        let measured = claims.filter(|claim| self.mode == Mode::Full || claim.quick);
        let mut numbers: Vec<TheoryNumber> =
            measured.flat_map(|claim| claim.measure.numbers()).cloned().collect();
        numbers.extend(self.claims.curves.iter().flat_map(|curves| curves.numbers(self.mode)));
        answers.open(&numbers.iter().collect::<Vec<_>>(), self.mode)
    }

    /// Runs everything and judges the claims.
    ///
    /// # Errors
    /// A run that failed.
    pub fn run(self, runner: &Runner<'_>) -> Result<FigureResult, FigureError> {
        self.run_with(runner, &Answers::default(), &Outcomes::default())
    }

    /// The same with what models answered for other figures, and what `outcomes` has of its runs and
    /// keeps of them.
    ///
    /// # Errors
    /// A run that failed.
    pub fn run_with(
        self,
        runner: &Runner<'_>,
        answers: &Answers,
        outcomes: &Outcomes,
    ) -> Result<FigureResult, FigureError> {
        let jobs = self.jobs();
        let gathered = answers.gather(&self.open(answers), self.mode, runner, jobs.len());
        gathered.map_err(|failure| FigureError::Run(self.figure.name.to_owned(), failure))?;
        let finished = runner.run(&jobs, outcomes);
        let runs = jobs.into_iter().zip(finished).map(|(job, finished)| match finished {
            Ok(finished) => {
                let oracles = Oracles::default();
                Ok(FigureRun { settings: job.settings, seed: job.seed, finished, oracles })
            }
            Err(failure) => {
                let set: Vec<String> =
                    job.settings.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                let which = format!("{}, {}, seed {}", self.figure.name, set.join(", "), job.seed);
                Err(FigureError::Run(which, failure))
            }
        });
        let runs = runs.collect::<Result<Vec<_>, _>>()?;
        let claims = self.claims.claims.iter();
        let measured = claims.map(|claim| Measured::of(claim, &runs, self.mode, answers)).collect();
        let own = self.study.iter().flat_map(|study| &study.cells);
        let scenarios = own.map(|cell| cell.scenario.hash());
        let cells = FigureCell::of_runs(&runs, scenarios, &self.claims.chart.concat());
        let curves = self.claims.curves.as_ref();
        let curves = curves.map(|curves| curves.measure(self.mode, answers)).transpose();
        let curves =
            curves.map_err(|place| FigureError::Curve(format!("{}: {place}", self.figure.name)))?;
        let traces = self.claims.traces.iter().filter(|_| self.mode == Mode::Full);
        let traces = traces.map(|trace| trace.measure(&runs));
        let traces = traces.collect::<Result<Vec<_>, _>>();
        let traces =
            traces.map_err(|place| FigureError::Curve(format!("{}: {place}", self.figure.name)))?;
        let drawn = Drawn { curves: curves.unwrap_or_default(), traces };
        Ok(self.outlined().judge(measured, cells, drawn, runs))
    }

    /// The same without what its cells run.
    pub(super) fn outlined(self) -> Outlined {
        let Self { figure, mode, claims, study, set } = self;
        Outlined { figure, mode, claims, outline: study.as_ref().map(Study::outline), set }
    }
}

impl Outlined {
    /// Judges what was measured, claim by claim.
    pub(super) fn judge(
        self,
        measured: Vec<Measured>,
        cells: Vec<FigureCell>,
        drawn: Drawn,
        runs: Vec<FigureRun>,
    ) -> FigureResult {
        let Self { figure, mode, claims, outline, set } = self;
        let quick = if mode == Mode::Quick { claims.quick } else { Vec::new() };
        let curves = claims.curves.map(|own| {
            let published = claims.claims.iter().filter_map(Claim::published_number);
            own.drawn(drawn.curves, &published.collect::<Vec<_>>())
        });
        let traces = claims.traces.into_iter().zip(drawn.traces).map(|(trace, lines)| {
            let drawn = trace.drawn(lines);
            (trace, drawn)
        });
        let traces = traces.collect();
        let both = claims.claims.into_iter().zip(measured);
        let judged = both.map(|(claim, measured)| ClaimResult::new(claim, measured, mode));
        FigureResult {
            figure,
            title: claims.title,
            reduced: claims.reduced,
            stale: claims.stale,
            mode,
            set: [quick, set].concat(),
            claims: judged.collect(),
            chart: claims.chart,
            lines: claims.lines,
            curves,
            traces,
            table: claims.table,
            cells,
            outline,
            runs,
        }
    }
}
