//! Traces of other programs: what is counted in public samples, what runs take, what is refused.

mod chakra;
mod csv;
mod goal;
mod mutations;
mod round_trips;
mod runs;
mod simai;
mod steps;

use raddle::import::trace::{self, Options, Trace, TraceError};
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/traces").join(name)
}

fn read_as(name: &str, options: &Options) -> Result<Trace, Vec<TraceError>> {
    read_path(&data(name), options)
}

fn read_path(path: &Path, options: &Options) -> Result<Trace, Vec<TraceError>> {
    let opened = trace::open(path).unwrap_or_else(|(path, error)| panic!("{path:?}: {error}"));
    trace::read(&opened, None, options)
}

fn read(name: &str) -> Trace {
    read_as(name, &Options::default()).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// What a file with these bytes gives, whose name is `name`.
fn of_bytes(name: &str, bytes: &[u8], options: &Options) -> Result<Trace, Vec<TraceError>> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("a file");
    read_path(&path, options)
}

fn errors(name: &str, bytes: &[u8], options: &Options) -> Vec<String> {
    let errors = of_bytes(name, bytes, options).expect_err("mistakes");
    errors.iter().map(ToString::to_string).collect()
}

/// A fact that is a number.
fn fact(trace: &Trace, name: &str) -> u64 {
    let fact = trace.facts.iter().find(|fact| fact.name == name);
    fact.and_then(|fact| fact.value.as_u64()).unwrap_or(0)
}
