//! Runs on disk: one folder per scenario hash, seed and build, complete or not there at all.

use super::lock::{self, Held};
use super::place::{SUMMARY_FILE, at, run_name};
use super::run::{Finished, Job, Sink};
use super::summary::RunSummary;
use super::table_hashes::TableHashes;
use super::tables::{self, Format, RunRow};
use crate::scenario::Kept;
use std::fs;
use std::path::{Path, PathBuf};

/// The resolved scenario, its files beside it.
pub(super) const SCENARIO_FILE: &str = "scenario.toml";
/// Leads the names of folders whose run has not finished.
const UNFINISHED: &str = ".unfinished-";

/// A folder of runs.
///
/// A run is written into a folder of its own with a leading `.unfinished-`, which loses that name
/// by one rename when everything is in it. What a crash leaves under such a name is never read as a
/// run, and goes when the folder is opened again. While there is a store, no other process opens
/// one in its folder.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
    format: Format,
    /// Whether each run's tables are kept, and not its summary alone.
    with_tables: bool,
    /// Keeps other processes out as long as there is a copy of the store.
    held: Held,
}

impl Store {
    /// The store in `folder`, which is made if it is not there.
    ///
    /// # Errors
    /// The folder and what the system said; also of a folder that cannot be written to, so that no
    /// run is lost to it later, and of one that another process writes into.
    pub fn open(folder: &Path, format: Format) -> Result<Self, String> {
        Self::with(folder, format, true)
    }

    /// The same for runs of which only the summary is kept.
    ///
    /// # Errors
    /// As of [`open`](Self::open).
    pub fn of_summaries(folder: &Path) -> Result<Self, String> {
        Self::with(folder, Format::Csv, false)
    }

    fn with(folder: &Path, format: Format, with_tables: bool) -> Result<Self, String> {
        fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
        let held = lock::hold(folder)?;
        let probe = folder.join(format!("{UNFINISHED}probe-{}", std::process::id()));
        fs::create_dir_all(&probe).map_err(|error| at(folder, error))?;
        fs::remove_dir(&probe).map_err(|error| at(folder, error))?;
        let store = Self { folder: folder.to_path_buf(), format, with_tables, held };
        if store.held.alone() {
            for name in store.unfinished()? {
                let left = folder.join(format!("{UNFINISHED}{name}"));
                fs::remove_dir_all(&left).map_err(|error| at(&left, error))?;
            }
        }
        Ok(store)
    }

    /// Whether each run's tables are kept.
    pub(super) fn keeps_tables(&self) -> bool {
        self.with_tables
    }

    /// How many of the `jobs` are there already.
    pub fn count(&self, jobs: &[Job]) -> usize {
        let there = |job: &&Job| matches!(self.find(&job.scenario, job.seed), Ok(Some(_)));
        jobs.iter().filter(there).count()
    }

    /// The folder of a run.
    pub fn run_folder(&self, scenario: &str, seed: u64) -> PathBuf {
        self.folder.join(run_name(scenario, seed))
    }

    /// A further file of a run.
    pub fn run_file(&self, job: &Job, name: &str) -> PathBuf {
        self.run_folder(&job.scenario, job.seed).join(name)
    }

    /// Adds a further file to a run that is there, or replaces it.
    ///
    /// # Errors
    /// The file and what the system said.
    pub fn add(&self, job: &Job, name: &str, text: &str) -> Result<(), String> {
        put(&self.unfinished_folder(job), &self.run_file(job, name), |folder| {
            let path = folder.join(name);
            fs::write(&path, text).map_err(|error| at(&path, error))?;
            Ok(path)
        })
    }

    /// Names of runs that were under way when the process that ran them ended, sorted.
    ///
    /// # Errors
    /// The folder and what the system said.
    pub fn unfinished(&self) -> Result<Vec<String>, String> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(|error| at(&self.folder, error))? {
            let name = entry.map_err(|error| at(&self.folder, error))?.file_name();
            if let Some(run) = name.to_str().and_then(|name| name.strip_prefix(UNFINISHED)) {
                names.push(run.to_string());
            }
        }
        names.sort();
        Ok(names)
    }

    /// The run of a scenario and a seed by this build, if it is there.
    ///
    /// # Errors
    /// The file that cannot be read, and why.
    pub fn find(&self, scenario: &str, seed: u64) -> Result<Option<RunSummary>, String> {
        let folder = self.run_folder(scenario, seed);
        if !folder.is_dir() {
            return Ok(None);
        }
        let path = folder.join(SUMMARY_FILE);
        let text = fs::read_to_string(&path).map_err(|error| at(&path, error))?;
        let value = serde_json::from_str(&text).map_err(|error| at(&path, error))?;
        RunSummary::from_json(&value).map(Some).map_err(|error| at(&path, error))
    }

    /// Adds to a run that is there those of its tables that are not there in this store's format.
    ///
    /// # Errors
    /// The file and what the system said.
    pub fn complete(&self, job: &Job, run: &Finished) -> Result<(), String> {
        let scratch = self.unfinished_folder(job);
        let place = self.run_folder(&job.scenario, job.seed);
        let mut hashes = TableHashes::read(&place)?;
        let known = hashes.clone();
        for table in tables::of_run(&job.scenario, &run.plan, &run.outcome, &run.ideals) {
            let name = format!("{}.{}", table.name(), self.format.extension());
            let path = self.run_file(job, &name);
            if !path.exists() {
                put(&scratch, &path, |folder| {
                    let written = tables::write_parts(folder, &table, self.format);
                    let written = written.map_err(|error| error.to_string())?;
                    hashes.add(&written)?;
                    Ok(written)
                })?;
            }
        }
        if hashes == known {
            return Ok(());
        }
        let path = place.join(SUMMARY_FILE);
        let text = fs::read_to_string(&path).map_err(|error| at(&path, error))?;
        let value = serde_json::from_str(&text).map_err(|error| at(&path, error))?;
        self.add(job, SUMMARY_FILE, &hashes.beside(value))
    }

    /// Writes the table `runs` over all `rows`, replacing the one that is there.
    ///
    /// # Errors
    /// The file and what the system said.
    pub fn write_runs(&self, rows: &[RunRow<'_>]) -> Result<PathBuf, String> {
        let scratch = self.folder.join(format!("{UNFINISHED}runs"));
        let path = self.folder.join(format!("runs.{}", self.format.extension()));
        put(&scratch, &path, |folder| {
            tables::write(folder, &tables::runs(rows), self.format).map_err(|e| e.to_string())
        })?;
        Ok(path)
    }

    fn unfinished_folder(&self, job: &Job) -> PathBuf {
        self.folder.join(format!("{UNFINISHED}{}", job.unfinished_name()))
    }
}

impl Sink for Store {
    type Kept = RunSummary;

    fn begin(&self, job: &Job) -> Result<Option<RunSummary>, String> {
        let found = self.find(&job.scenario, job.seed)?;
        if found.is_none() {
            let folder = self.unfinished_folder(job);
            remake(&folder)?;
            write_scenario(&folder, &job.kept)?;
        }
        Ok(found)
    }

    fn finish(&self, job: &Job, run: Finished) -> Result<RunSummary, String> {
        let folder = self.unfinished_folder(job);
        let mut hashes = TableHashes::default();
        if self.with_tables {
            for table in tables::of_run(&job.scenario, &run.plan, &run.outcome, &run.ideals) {
                let written = tables::write_parts(&folder, &table, self.format);
                hashes.add(&written.map_err(|error| error.to_string())?)?;
            }
        }
        let path = folder.join(SUMMARY_FILE);
        let json = hashes.beside(run.summary.to_json());
        fs::write(&path, json).map_err(|error| at(&path, error))?;
        let place = self.run_folder(&job.scenario, job.seed);
        match fs::rename(&folder, &place) {
            Ok(()) => Ok(run.summary),
            // The same scenario, made by other settings, was faster.
            Err(_) if place.is_dir() => {
                self.abandon(job);
                Ok(run.summary)
            }
            Err(error) => Err(at(&place, error)),
        }
    }

    fn abandon(&self, job: &Job) {
        // What cannot be removed is harmless: the next attempt replaces it.
        let _ = fs::remove_dir_all(self.unfinished_folder(job));
    }
}

fn write_scenario(folder: &Path, kept: &Kept) -> Result<(), String> {
    for file in &kept.files {
        let path = folder.join(&file.name);
        let above = path.parent().unwrap_or(folder);
        fs::create_dir_all(above).map_err(|error| at(above, error))?;
        fs::write(&path, &*file.text).map_err(|error| at(&path, error))?;
    }
    let path = folder.join(SCENARIO_FILE);
    fs::write(&path, &kept.toml).map_err(|error| at(&path, error))
}

/// Has a file written into `scratch`, an empty folder for that time, and moves it to `path`, so that
/// it is there as a whole or not at all.
fn put(
    scratch: &Path,
    path: &Path,
    write: impl FnOnce(&Path) -> Result<PathBuf, String>,
) -> Result<(), String> {
    remake(scratch)?;
    let moved = write(scratch)
        .and_then(|written| fs::rename(&written, path).map_err(|error| at(path, error)));
    // What was cut off goes, too: it may be what the disk is full of.
    let removed = fs::remove_dir_all(scratch).map_err(|error| at(scratch, error));
    moved.and(removed)
}

/// Makes an empty folder where there may be an old one.
fn remake(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| at(folder, error))?;
    }
    fs::create_dir_all(folder).map_err(|error| at(folder, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::fixture::{self, ENGINE};
    use crate::study::run::{Engine, Failure, Runner};
    use raddle_sim::bound;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    fn run(
        engine: Engine<'_>,
        store: &Store,
        seeds: std::ops::RangeInclusive<u64>,
    ) -> Vec<Result<RunSummary, Failure>> {
        let stop = AtomicBool::new(false);
        Runner { engine, bound: |_| None, threads: 2, stop: &stop, meter: &() }
            .run(&fixture::jobs(seeds), store)
    }

    #[test]
    fn a_resumed_sweep_runs_only_what_is_missing() {
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let engine: Engine<'_> = &|plan, observer| {
            RUNS.fetch_add(1, Ordering::Relaxed);
            fixture::engine(plan, observer)
        };
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), Format::Parquet).unwrap();
        let first = run(engine, &store, 1..=3);
        assert_eq!(RUNS.load(Ordering::Relaxed), 3);
        let second = run(engine, &store, 1..=5);
        assert_eq!(RUNS.load(Ordering::Relaxed), 5);
        assert_eq!(first[..], second[..3]);
        assert_eq!(store.unfinished().unwrap(), [""; 0]);
        let files = fs::read_dir(store.run_folder("5ce7a110", 1)).unwrap();
        let mut names: Vec<_> = files.map(|f| f.unwrap().file_name()).collect();
        names.sort();
        let expected = [
            "events", "flows", "layers", "nodes", "ports", "run", "scenario", "series", "timeline",
        ];
        assert!(names.iter().zip(expected).all(|(n, e)| n.to_str().unwrap().starts_with(e)));
        assert_eq!(names.len(), expected.len());
    }

    #[test]
    fn a_run_that_fails_leaves_nothing_that_looks_like_a_run() {
        let engine: Engine<'_> = &|plan, observer| {
            assert!(plan.seed != 2, "broken");
            fixture::engine(plan, observer)
        };
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), Format::Parquet).unwrap();
        let runs = run(engine, &store, 1..=2);
        assert!(runs[0].is_ok() && matches!(runs[1], Err(Failure::Panic(_))));
        assert_eq!(store.find("5ce7a110", 2), Ok(None));
        assert!(run(ENGINE, &store, 2..=2)[0].is_ok());
    }

    #[test]
    fn what_a_crash_leaves_is_named_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), Format::Csv).unwrap();
        let jobs = fixture::jobs(1..=1);
        assert_eq!(store.begin(&jobs[0]), Ok(None));
        let left = store.unfinished().unwrap();
        assert!(left.len() == 1 && left[0].starts_with(&run_name("5ce7a110", 1)), "{left:?}");
        assert_eq!(store.find("5ce7a110", 1), Ok(None));
        assert!(run(ENGINE, &store, 1..=1)[0].is_ok());
        assert_eq!(store.unfinished().unwrap(), [""; 0]);
        assert_eq!(store.begin(&fixture::jobs(2..=2)[0]), Ok(None));
        drop(store);
        let store = Store::open(folder.path(), Format::Csv).unwrap();
        assert_eq!(store.unfinished().unwrap(), [""; 0]);
    }

    #[test]
    fn one_store_at_a_time_writes_into_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), Format::Csv).unwrap();
        let copy = store.clone();
        drop(store);
        if copy.held.alone() {
            let message = Store::open(folder.path(), Format::Csv).unwrap_err();
            assert!(message.contains("another raddle is writing into this folder"), "{message}");
        }
        drop(copy);
        assert!(Store::of_summaries(folder.path()).is_ok());
    }

    #[test]
    fn settings_that_make_the_same_scenario_do_not_collide() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), Format::Parquet).unwrap();
        let plan = fixture::plan(1);
        let outcome = fixture::engine(&plan, &mut ());
        let cost = crate::study::timing::Cost::default();
        let summary = RunSummary::new("5ce7a110", &plan, &outcome, None, cost);
        let ideals = bound::ideals(&plan);
        let finished = Finished { plan, outcome, ideals, summary };
        let [mut a, mut b] = [(); 2].map(|()| fixture::jobs(1..=1));
        (a[0].settings[0].1, b[0].settings[0].1) = ("1 bdp".into(), "416 kB".into());
        for job in [&a[0], &b[0]] {
            assert_eq!(store.begin(job), Ok(None));
        }
        for job in [&a[0], &b[0]] {
            assert_eq!(store.finish(job, finished.clone()), Ok(finished.summary.clone()));
        }
        assert_eq!(store.unfinished().unwrap(), [""; 0]);
        assert_eq!(store.find("5ce7a110", 1), Ok(Some(finished.summary)));
    }

    #[test]
    fn a_run_that_is_there_gets_the_tables_of_another_format() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), Format::Parquet).unwrap();
        assert!(run(ENGINE, &store, 1..=1)[0].is_ok());
        let place = store.run_folder("5ce7a110", 1);
        let kept = store.find("5ce7a110", 1);
        drop(store);
        let csv = Store::open(folder.path(), Format::Csv).unwrap();
        let plan = fixture::plan(1);
        let outcome = fixture::engine(&plan, &mut ());
        let cost = crate::study::timing::Cost::default();
        let summary = RunSummary::new("5ce7a110", &plan, &outcome, None, cost);
        let ideals = bound::ideals(&plan);
        let finished = Finished { plan, outcome, ideals, summary };
        assert_eq!(csv.complete(&fixture::jobs(1..=1)[0], &finished), Ok(()));
        assert!(place.join("flows.csv").is_file() && place.join("flows.parquet").is_file());
        let hashes = TableHashes::read(&place).unwrap();
        for name in ["flows.csv", "flows.parquet", "layers.csv"] {
            assert_eq!(hashes.check(&place.join(name)), Ok(()));
        }
        assert_eq!(csv.find("5ce7a110", 1), kept);
    }

    #[test]
    fn what_could_not_be_written_whole_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), Format::Csv).unwrap();
        // A folder of the table's name: the table cannot be moved there.
        fs::create_dir(folder.path().join("runs.csv")).unwrap();
        assert!(store.write_runs(&[]).unwrap_err().contains("runs.csv"));
        assert_eq!(store.unfinished().unwrap(), [""; 0]);
        // The same of a run: a file where its folder belongs.
        fs::write(store.run_folder("5ce7a110", 1), "").unwrap();
        let runs = run(ENGINE, &store, 1..=3);
        assert!(matches!(&runs[0], Err(Failure::Kept(why)) if why.contains("5ce7a110-seed1")));
        assert_eq!(store.unfinished().unwrap(), [""; 0]);
    }

    #[test]
    fn a_place_that_is_no_folder_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(Store::open(&file, Format::Csv).unwrap_err().contains("file: "));
    }

    #[test]
    fn a_damaged_run_is_an_error_that_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), Format::Csv).unwrap();
        assert!(run(ENGINE, &store, 1..=1)[0].is_ok());
        let path = store.run_folder("5ce7a110", 1).join(SUMMARY_FILE);
        fs::write(&path, "{\"schema\": \"raddle.run/1\"}").unwrap();
        let message = store.find("5ce7a110", 1).unwrap_err();
        assert!(message.contains("run.json: `packets` is missing"), "{message}");
    }

    #[test]
    fn the_table_of_runs_has_a_column_per_swept_key() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), Format::Csv).unwrap();
        let summaries = run(ENGINE, &store, 1..=2);
        let settings = vec![("traffic.message".to_string(), "64 KiB".to_string())];
        let rows: Vec<RunRow<'_>> = summaries
            .iter()
            .map(|s| RunRow { settings: &settings, summary: s.as_ref().unwrap() })
            .collect();
        let path = store.write_runs(&rows).unwrap();
        let text = fs::read_to_string(path).unwrap();
        assert!(text.lines().next().unwrap().ends_with(",wall_s,traffic.message_bytes"));
        assert!(text.lines().nth(2).unwrap().ends_with(",65536"));
        assert_eq!(text.lines().count(), 3);
    }
}
