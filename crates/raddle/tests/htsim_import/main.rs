//! htsim's own files read as a hand calculation says, and every mistake is named where it stands.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod bad_matrices;
mod bad_trees;
mod compat_mode;
mod data_files;
mod failures;
mod mutations;
mod trees;
mod triggers;

use raddle::import::InputError;
use raddle::import::htsim_cm::{self, CmOptions, ConnectionMatrix};
use std::fs;
use std::path::PathBuf;

const STRICT: CmOptions = CmOptions { compat: false };
const COMPAT: CmOptions = CmOptions { compat: true };

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/htsim"))
}

fn data(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap()
}

fn strict(text: &str) -> Result<ConnectionMatrix, Vec<InputError>> {
    htsim_cm::parse(text, STRICT)
}

fn compat(text: &str) -> Result<ConnectionMatrix, Vec<InputError>> {
    htsim_cm::parse(text, COMPAT)
}

/// A matrix of 16 hosts with the right counts in its header, which takes lines 1 to 4.
fn matrix(body: &str) -> String {
    let count = |word: &str| body.lines().filter(|line| line.starts_with(word)).count();
    let connections = body.lines().filter(|line| line.contains("->")).count();
    format!(
        "Nodes 16\nConnections {connections}\nTriggers {}\nFailures {}\n{body}\n",
        count("trigger"),
        count("failure")
    )
}
