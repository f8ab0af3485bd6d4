//! What the engine left of runs, on disk: of a figure that was interrupted, no run is done twice.

use super::place::at;
use super::run::{Finished, Job, Sink};
use super::timing::Cost;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use raddle_sim::record::Outcome;
use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;

/// A folder of outcomes, a file a run; or none, and nothing is kept.
///
/// Finished runs stay as they are, as with [`Keep`](super::run::Keep). A file is whole or not there
/// at all. Its name tells scenario, seed and build, so that another build's is not read.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    folder: Option<PathBuf>,
}

impl Outcomes {
    /// Those in `folder`, which is made with the first run.
    pub fn within(folder: PathBuf) -> Self {
        Self { folder: Some(folder) }
    }

    /// How many of the `jobs` are there.
    pub fn count(&self, jobs: &[Job]) -> usize {
        jobs.iter().filter(|job| self.path(job).is_some_and(|path| path.exists())).count()
    }

    /// Removes them all.
    ///
    /// # Errors
    /// The folder and what the system said.
    pub fn remove(&self) -> Result<(), String> {
        match &self.folder {
            Some(folder) if folder.exists() => {
                fs::remove_dir_all(folder).map_err(|error| at(folder, error))
            }
            _ => Ok(()),
        }
    }

    fn path(&self, job: &Job) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{}.outcome", job.name())))
    }
}

impl Sink for Outcomes {
    type Kept = Finished;

    fn begin(&self, _job: &Job) -> Result<Option<Finished>, String> {
        Ok(None)
    }

    fn left(&self, job: &Job) -> Result<Option<(Outcome, Cost)>, String> {
        let Some(path) = self.path(job).filter(|path| path.exists()) else { return Ok(None) };
        let file = fs::File::open(&path).map_err(|error| at(&path, error))?;
        let mut bytes = Vec::new();
        let damaged = |why: &dyn ToString| at(&path, format!("{}; remove it", why.to_string()));
        ZlibDecoder::new(file).read_to_end(&mut bytes).map_err(|why| damaged(&why))?;
        postcard::from_bytes(&bytes).map(Some).map_err(|why| damaged(&why))
    }

    fn ran(&self, job: &Job, outcome: &Outcome, cost: Cost) -> Result<(), String> {
        let Some(path) = self.path(job).filter(|_| outcome.can_be_read_back()) else {
            return Ok(());
        };
        if let Some(folder) = &self.folder {
            fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
        }
        let process = std::process::id();
        let scratch = path.with_file_name(format!("{}.{process}", job.unfinished_name()));
        let bytes = postcard::to_stdvec(&(outcome, cost)).map_err(|why| at(&path, why))?;
        let mut file = ZlibEncoder::new(Vec::new(), Compression::fast());
        let packed = file.write_all(&bytes).and_then(|()| file.finish());
        let written = packed.and_then(|packed| fs::write(&scratch, packed));
        written.map_err(|error| at(&scratch, error))?;
        fs::rename(&scratch, &path).map_err(|error| at(&path, error))
    }

    fn finish(&self, _job: &Job, run: Finished) -> Result<Finished, String> {
        Ok(run)
    }

    fn abandon(&self, _job: &Job) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::fixture;
    use crate::study::run::{Engine, Failure, Runner};
    use std::sync::atomic::AtomicBool;

    fn run(engine: Engine<'_>, outcomes: &Outcomes) -> Vec<Result<Finished, Failure>> {
        let stop = AtomicBool::new(false);
        let runner = Runner { engine, bound: |_| None, threads: 2, stop: &stop, meter: &() };
        runner.run(&fixture::jobs(1..=3), outcomes)
    }

    #[test]
    fn a_run_that_was_kept_is_read_back_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let outcomes = Outcomes::within(folder.path().join("runs"));
        let jobs = fixture::jobs(1..=3);
        // The second breaks: the others are kept.
        let first = run(
            &|plan, observer| {
                assert!(plan.seed != 2, "broken");
                fixture::engine(plan, observer)
            },
            &outcomes,
        );
        assert!(first[1].is_err());
        assert_eq!(outcomes.count(&jobs), 2);
        let again = run(
            &|plan, observer| {
                assert_eq!(plan.seed, 2, "a run that is there is not done again");
                fixture::engine(plan, observer)
            },
            &outcomes,
        );
        for (first, again) in [0, 2].map(|run| (&first[run], &again[run])) {
            let (first, again) = (first.as_ref().unwrap(), again.as_ref().unwrap());
            assert_eq!(first.outcome, again.outcome);
            assert_eq!(first.summary, again.summary);
        }
        assert_eq!(outcomes.count(&jobs), 3);
        outcomes.remove().unwrap();
        assert_eq!(outcomes.count(&jobs), 0);
    }

    #[test]
    fn a_damaged_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let outcomes = Outcomes::within(folder.path().to_path_buf());
        run(fixture::ENGINE, &outcomes);
        let path = outcomes.path(&fixture::jobs(1..=1)[0]).unwrap();
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let again = run(fixture::ENGINE, &outcomes);
        let why = again[0].as_ref().err().unwrap().to_string();
        assert!(why.contains(".outcome: ") && why.ends_with("remove it"), "{why}");
    }

    #[test]
    fn without_a_folder_nothing_is_kept() {
        let outcomes = Outcomes::default();
        assert!(run(fixture::ENGINE, &outcomes).iter().all(Result::is_ok));
        assert_eq!(outcomes.count(&fixture::jobs(1..=3)), 0);
    }
}
