//! The folder of an answer: the answer, its page, and the runs.

use super::answer::Answer;
use super::json;
use super::measured::Measured;
use crate::study::place::at;
use std::fs;
use std::path::{Path, PathBuf};

/// The answer (`raddle.advise/1`).
pub const ANSWER_FILE: &str = "advice.json";
/// Its page.
pub const PAGE_FILE: &str = "advice.html";
/// The folder of runs, a store.
pub const RUNS_FOLDER: &str = "runs";

impl Answer {
    /// Writes the answer and its page into a folder, and names both.
    ///
    /// # Errors
    /// The file and what the system said.
    pub fn write(&self, folder: &Path) -> Result<[PathBuf; 2], String> {
        let files = [(ANSWER_FILE, self.to_json().to_string()), (PAGE_FILE, self.page())];
        for (name, text) in files {
            let path = folder.join(name);
            fs::write(&path, text).map_err(|error| at(&path, error))?;
        }
        Ok([PAGE_FILE, ANSWER_FILE].map(|name| folder.join(name)))
    }
}

/// What runs gave that a folder keeps.
///
/// # Errors
/// The file, and what is wrong with it.
pub fn kept(folder: &Path) -> Result<Measured, String> {
    let path = folder.join(ANSWER_FILE);
    let text = fs::read_to_string(&path)
        .map_err(|error| at(&path, format!("{error}; ask the question without new rates first")))?;
    json::measured(&text).map_err(|why| at(&path, why))
}
