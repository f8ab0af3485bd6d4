//! Runs on disk of which something is missing, empty or broken.

use super::place::{SUMMARY_FILE, at};
use super::run::Job;
use super::store::{SCENARIO_FILE, Store};
use super::table_hashes::TableHashes;
use super::tables::{self, Format};
use super::text::plural;
use std::fs;
use std::path::{Path, PathBuf};

/// Most damaged runs that are named.
const DAMAGED_NAMED: usize = 10;

/// Tables that every run has.
const TABLES: [&str; 3] = ["flows", "ports", "layers"];

impl Store {
    /// What is wrong with the runs of the `jobs` that are there, run after run.
    pub fn damaged(&self, jobs: &[Job]) -> Vec<String> {
        jobs.iter().filter_map(|job| self.damage(job)).collect()
    }

    /// Removes the runs of the `jobs` that are damaged; says how many there were.
    ///
    /// # Errors
    /// The folder and what the system said.
    pub fn discard_damaged(&self, jobs: &[Job]) -> Result<usize, String> {
        let mut discarded = 0;
        for job in jobs.iter().filter(|job| self.damage(job).is_some()) {
            let place = self.run_folder(&job.scenario, job.seed);
            let remove = if place.is_dir() { fs::remove_dir_all } else { fs::remove_file };
            remove(&place).map_err(|error| at(&place, error))?;
            discarded += 1;
        }
        Ok(discarded)
    }

    /// Refuses damaged runs of the `jobs`; removes them, to be run again, with `redo`. Returns how
    /// many went.
    ///
    /// # Errors
    /// What is wrong with the first of them, and what runs them again.
    pub fn ready(&self, jobs: &[Job], redo: bool) -> Result<usize, String> {
        if redo {
            return self.discard_damaged(jobs);
        }
        let damaged = self.damaged(jobs);
        if damaged.is_empty() {
            return Ok(0);
        }
        let named = damaged.iter().take(DAMAGED_NAMED).map(String::as_str);
        let runs = plural(damaged.len() as u64, "damaged run");
        let help = format!("{runs}: `--redo` runs what is damaged again");
        Err(named.chain([help.as_str()]).collect::<Vec<_>>().join("\nerror: "))
    }

    /// What is wrong with a run that is there, if anything is: the file, and why.
    fn damage(&self, job: &Job) -> Option<String> {
        let place = self.run_folder(&job.scenario, job.seed);
        if !place.exists() {
            return None;
        }
        self.inspect(job, &place).err().map(|why| format!("a damaged run: {why}"))
    }

    fn inspect(&self, job: &Job, place: &Path) -> Result<(), String> {
        if !place.is_dir() {
            return Err(at(place, "no folder"));
        }
        scenario(job, place)?;
        let run = self.find(&job.scenario, job.seed)?;
        if run.is_some_and(|run| (run.scenario.as_str(), run.seed) != (&*job.scenario, job.seed)) {
            return Err(at(&place.join(SUMMARY_FILE), "of another run"));
        }
        let hashes = TableHashes::read(place)?;
        let mut found = Vec::new();
        for entry in fs::read_dir(place).map_err(|error| at(place, error))? {
            let path = entry.map_err(|error| at(place, error))?.path();
            if let Some(format) = Format::of(&path) {
                tables::sound(&path, format).map_err(|error| error.to_string())?;
                hashes.check(&path)?;
                found.extend(path.file_stem().map(PathBuf::from));
            } else if path.extension().is_some_and(|extension| extension == "json") {
                let text = fs::read_to_string(&path).map_err(|error| at(&path, error))?;
                serde_json::from_str::<serde::de::IgnoredAny>(&text)
                    .map_err(|error| at(&path, error))?;
            }
        }
        let lacks = |name: &&&str| !found.iter().any(|stem| stem.as_os_str() == **name);
        match TABLES.iter().find(lacks).filter(|_| self.keeps_tables()) {
            Some(name) => Err(at(place, format!("the table `{name}` is missing"))),
            None => Ok(()),
        }
    }
}

/// Whether the scenario and its files are whole. Another run of the same scenario may have had its
/// files under other names.
fn scenario(job: &Job, place: &Path) -> Result<(), String> {
    let path = place.join(SCENARIO_FILE);
    let text = fs::read_to_string(&path).map_err(|error| at(&path, error))?;
    if !text.ends_with(&format!("\nseed = {}\n", job.seed)) && text != job.kept.toml {
        return Err(at(&path, "not whole"));
    }
    if text == job.kept.toml {
        for file in &job.kept.files {
            let path = place.join(&file.name);
            let text = fs::read_to_string(&path).map_err(|error| at(&path, error))?;
            if text != *file.text {
                return Err(at(&path, "not what the scenario was run with"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Kept, KeptFile};
    use crate::study::fixture::{self, ENGINE};
    use crate::study::run::Runner;
    use std::sync::atomic::AtomicBool;

    fn jobs() -> Vec<Job> {
        let mut jobs = fixture::jobs(1..=1);
        let law = KeptFile { name: "files/law.csv".into(), text: "size_bytes,cdf\n9,1\n".into() };
        jobs[0].kept = Kept { toml: "[run]\nseed = 1\n".into(), files: vec![law] };
        jobs
    }

    fn run(store: &Store) {
        let stop = AtomicBool::new(false);
        let runner =
            Runner { engine: ENGINE, bound: |_| None, threads: 1, stop: &stop, meter: &() };
        assert!(runner.run(&jobs(), store)[0].is_ok());
    }

    #[test]
    fn every_file_that_is_missing_empty_or_cut_is_named_and_the_run_redone() {
        for format in [Format::Parquet, Format::Csv] {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::open(folder.path(), format).unwrap();
            assert_eq!(store.damaged(&jobs()), [""; 0]);
            run(&store);
            assert_eq!(store.damaged(&jobs()), [""; 0]);
            let place = store.run_folder("5ce7a110", 1);
            let table = |name: &str| format!("{name}.{}", format.extension());
            let files = [
                "scenario.toml".into(),
                "files/law.csv".into(),
                "run.json".into(),
                table("flows"),
                table("ports"),
                table("layers"),
            ];
            for name in files {
                let path = place.join(&name);
                let whole = fs::read(&path).unwrap();
                for kept in [None, Some(0), Some(whole.len() / 2 + 1)] {
                    match kept {
                        None => fs::remove_file(&path).unwrap(),
                        Some(bytes) => fs::write(&path, &whole[..bytes]).unwrap(),
                    }
                    let told = store.damaged(&jobs());
                    let stem = name.split('.').next().unwrap();
                    assert!(told.len() == 1 && told[0].contains(stem), "{name} {kept:?} {told:?}");
                    assert!(told[0].contains(&place.display().to_string()), "{told:?}");
                    fs::write(&path, &whole).unwrap();
                }
            }
            assert_eq!(store.discard_damaged(&jobs()), Ok(0));
            fs::write(place.join("run.json"), "{").unwrap();
            assert_eq!(store.discard_damaged(&jobs()), Ok(1));
            assert!(!place.exists());
            run(&store);
            assert_eq!(store.damaged(&jobs()), [""; 0]);
        }
    }

    #[test]
    fn a_table_of_another_run_is_damage() {
        let other = |folder: &Path| {
            let store = Store::open(folder, Format::Csv).unwrap();
            let stop = AtomicBool::new(false);
            let runner =
                Runner { engine: ENGINE, bound: |_| None, threads: 1, stop: &stop, meter: &() };
            assert!(runner.run(&fixture::jobs(2..=2), &store)[0].is_ok());
            store.run_folder("5ce7a110", 2)
        };
        let (folder, beside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let store = Store::open(folder.path(), Format::Csv).unwrap();
        run(&store);
        assert_eq!(store.damaged(&jobs()), [""; 0]);
        let (place, other) = (store.run_folder("5ce7a110", 1), other(beside.path()));
        let whole = fs::read(place.join("flows.csv")).unwrap();
        fs::copy(other.join("flows.csv"), place.join("flows.csv")).unwrap();
        let told = store.damaged(&jobs());
        assert!(
            told[0].ends_with("flows.csv: not the table that its run.json tells of"),
            "{told:?}"
        );
        fs::write(place.join("flows.csv"), whole).unwrap();
        assert_eq!(store.damaged(&jobs()), [""; 0]);
        fs::copy(other.join("flows.csv"), place.join("tors.csv")).unwrap();
        let told = store.damaged(&jobs());
        assert!(told[0].ends_with("tors.csv: its run.json tells of no such table"), "{told:?}");
        assert_eq!(store.discard_damaged(&jobs()), Ok(1));
    }

    #[test]
    fn a_run_of_another_seed_or_a_file_in_its_place_is_damage() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), Format::Csv).unwrap();
        run(&store);
        let place = store.run_folder("5ce7a110", 1);
        let path = place.join(SUMMARY_FILE);
        let text = fs::read_to_string(&path).unwrap().replace("\"seed\": 1", "\"seed\": 2");
        fs::write(&path, text).unwrap();
        assert!(store.damaged(&jobs())[0].ends_with("run.json: of another run"));
        fs::remove_dir_all(&place).unwrap();
        fs::write(&place, "").unwrap();
        assert!(store.damaged(&jobs())[0].ends_with("no folder"));
        assert_eq!(store.discard_damaged(&jobs()), Ok(1));
        run(&store);
    }
}
