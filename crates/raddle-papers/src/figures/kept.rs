//! Results of figures in a folder, so that an interrupted command goes on where it stopped.

use super::prepare::Prepared;
use super::result::FigureResult;
use raddle::study::outcomes::Outcomes;
use raddle::study::place::at;
use raddle_schemes::rng;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The version and a hash of the sources that a figure's result depends on, these included.
const BUILD: &str = env!("RADDLE_BUILD");

/// The value of `schema`.
const SCHEMA: &str = "raddle.kept/1";

impl Prepared {
    /// The result that `folder` holds, without its runs; `None` if it holds none, or one of other
    /// files, another mode or another version.
    ///
    /// # Errors
    /// The file that cannot be read, and why.
    pub fn recall(&self, folder: &Path) -> Result<Option<FigureResult>, String> {
        let path = self.path(folder);
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).map_err(|error| at(&path, error))?;
        let value: Value = serde_json::from_str(&text).map_err(|error| at(&path, error))?;
        if value["schema"] != SCHEMA || value["key"] != self.key() {
            return Ok(None);
        }
        let result = self.clone().outlined().read(&value["result"]);
        result.map(Some).map_err(|what| at(&path, format!("{what}; remove the file")))
    }

    /// Keeps a result of this figure in `folder`.
    ///
    /// # Errors
    /// The file that cannot be written, and why.
    pub fn keep(&self, folder: &Path, result: &FigureResult) -> Result<(), String> {
        let path = self.path(folder);
        let record = result.record_json();
        let object = json!({ "schema": SCHEMA, "key": self.key(), "result": record });
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| at(parent, error))?;
        }
        // Whole or not there at all.
        let scratch = path.with_extension(format!("unfinished-{}", std::process::id()));
        fs::write(&scratch, format!("{object:#}\n")).map_err(|error| at(&scratch, error))?;
        fs::rename(&scratch, &path).map_err(|error| at(&path, error))
    }

    /// Where what ran of this figure is kept in `folder` until all has.
    pub(super) fn outcomes(&self, folder: &Path) -> Outcomes {
        Outcomes::within(self.path(folder).with_extension("runs"))
    }

    fn path(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.{}.json", self.figure.name, self.mode.word()))
    }

    /// Tells results of other files, modes and versions apart.
    fn key(&self) -> String {
        let (scenario, claims) = (self.figure.scenario.unwrap_or_default(), self.figure.claims);
        let set = &self.set;
        let text = format!("{BUILD}\n{}\n{scenario}\n{claims}\n{set:?}", self.mode.word());
        format!("{:016x}", rng::stream(0, &text, 0))
    }
}

#[cfg(test)]
mod tests {
    use crate::figures::{Answers, Figure, Mode, find};
    use raddle::study::outcomes::Outcomes;
    use raddle::study::run::{Engine, Runner};
    use raddle_sim::engine;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn what_ran_of_a_figure_is_not_run_again() {
        let folder = tempfile::tempdir().unwrap();
        let stop = AtomicBool::new(false);
        let prepared = find("lb_study/fig7")[0].prepare(Mode::Quick).unwrap();
        let outcomes = prepared.outcomes(folder.path());
        let result = |engine: Engine<'_>, outcomes: &Outcomes| {
            let runner = Runner { engine, bound: |_| None, threads: 1, stop: &stop, meter: &() };
            prepared.clone().run_with(&runner, &Answers::default(), outcomes).unwrap().record()
        };
        let simulated = result(&|plan, observer| engine::run(plan, observer), &outcomes);
        assert_eq!(outcomes.count(&prepared.jobs()), prepared.jobs().len());
        assert_eq!(result(&|_, _| unreachable!("all runs are there"), &outcomes), simulated);
    }

    #[test]
    fn a_kept_figure_is_the_one_that_ran() {
        let folder = tempfile::tempdir().unwrap();
        let stop = AtomicBool::new(false);
        let runner = Runner {
            engine: &|plan, observer| engine::run(plan, observer),
            bound: |_| None,
            threads: 1,
            stop: &stop,
            meter: &(),
        };
        let figure = find("lb_study/fig7")[0];
        let prepared = || figure.prepare(Mode::Quick).unwrap();
        assert!(prepared().recall(folder.path()).unwrap().is_none());
        let result = prepared().run(&runner).unwrap();
        prepared().keep(folder.path(), &result).unwrap();
        let recalled = prepared().recall(folder.path()).unwrap().unwrap();
        assert_eq!(recalled.text(), result.text());
        assert_eq!(recalled.record(), result.record());
        let full = figure.prepare(Mode::Full).unwrap();
        assert!(full.recall(folder.path()).unwrap().is_none());
        let claims: &'static str = format!("# changed\n{}", figure.claims).leak();
        let other = Figure { claims, ..*figure }.prepare(Mode::Quick).unwrap();
        assert!(other.recall(folder.path()).unwrap().is_none());
    }
}
