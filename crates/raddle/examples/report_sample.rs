//! Writes two reports of invented results, to look at the page while working on it:
//! `cargo run --example report_sample -- FOLDER` makes `comparison.html` and `single_run.html`.

#[path = "../tests/made_up/mod.rs"]
mod made_up;

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).unwrap_or_else(|| ".".into()));
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("comparison.html"), made_up::comparison().html())?;
    std::fs::write(folder.join("single_run.html"), made_up::single_run().html())
}
