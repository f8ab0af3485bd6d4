//! `raddle view`: a page with which one looks into a run.

use super::again::{self, Again};
use super::output::{note_line, print_line};
use super::{End, input};
use raddle::results::{self, Kept};
use raddle::study::place::at;
use raddle::view;
use std::path::PathBuf;
use tempfile::TempDir;

/// Arguments of `raddle view`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A folder of results: what `raddle run --out`, `sweep --out` or `compare` wrote.
    results: PathBuf,
    /// Which runs, by their numbers in `--list`: one, or two to put side by side. The first two by
    /// default.
    #[arg(long, value_name = "N[,N]", value_delimiter = ',')]
    runs: Vec<usize>,
    /// List the runs of the folder, and write nothing.
    #[arg(long, conflicts_with_all = ["runs", "out"])]
    list: bool,
    /// Show runs as they were kept. Else those without a map are run once more with one, for the page
    /// alone: nothing is written into the folder.
    #[arg(long)]
    as_kept: bool,
    /// The page: one file that needs no network.
    #[arg(long, value_name = "FILE", default_value = "view.html")]
    out: PathBuf,
}

pub(super) fn view(arguments: &Arguments) -> End {
    let found = match results::runs(&arguments.results) {
        Ok(found) => found,
        Err(error) => return input::refuse_text(&error.to_string()),
    };
    if arguments.list {
        for (number, run) in found.iter().enumerate() {
            print_line!("{:>4}  {}", number + 1, run.name);
        }
        return End::Done;
    }
    let shown = match view::choose(&found, &arguments.runs) {
        Ok(shown) => shown,
        Err(error) => return input::refuse_text(&error.to_string()),
    };
    let names: Vec<String> = shown.iter().map(|run: &Kept| run.name.clone()).collect();
    // Their tables are there until the page is made.
    let (shown, _tables) = if arguments.as_kept { (shown, None) } else { with_maps(shown) };
    let page = match view::page(&shown) {
        Ok(page) => page,
        Err(error) => return input::refuse_text(&error.to_string()),
    };
    if let Err(error) = std::fs::write(&arguments.out, &page) {
        note_line!("error: {}", at(&arguments.out, error));
        return End::Failed;
    }
    print_line!(
        "wrote {} ({} kB) of {}; open it in a browser",
        arguments.out.display(),
        page.len().div_ceil(1000),
        names.join(" and ")
    );
    if found.len() > shown.len() {
        note_line!(
            "note: the folder has {} runs; `raddle view {} --list` lists them, `--runs 1,3` shows \
             others",
            found.len(),
            arguments.results.display()
        );
    }
    End::Done
}

/// The runs, those without a map once more with one; as they were kept where that cannot be.
fn with_maps(shown: Vec<Kept>) -> (Vec<Kept>, Option<TempDir>) {
    let is_mapped = |run: &Kept| run.has_map() || !run.folder.join("flows.parquet").exists();
    let again = shown.iter().filter(|run| !is_mapped(run)).map(|run| {
        let (job, results_hash) = (run.with_map()?, run.results_hash()?);
        Ok(Again { job, name: run.name.clone(), results_hash })
    });
    let again: Result<Vec<Again>, String> = again.collect();
    let made = again.and_then(|again| match again.is_empty() {
        true => Ok(None),
        false => again::run(again, &input::interruption(), false).map(Some),
    });
    match made {
        Ok(None) => (shown, None),
        Ok(Some((runs, tables))) => {
            let mut runs = runs.into_iter();
            let own = |run: Kept| if is_mapped(&run) { Some(run) } else { runs.next() };
            (shown.into_iter().filter_map(own).collect(), Some(tables))
        }
        Err(why) => {
            note_line!("note: {why}; the page has what was kept");
            (shown, None)
        }
    }
}
