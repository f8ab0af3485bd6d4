//! `raddle view`: a page with which one looks into a run.

use super::output::{note_line, print_line};
use super::{End, input};
use raddle::results::{self, Kept};
use raddle::study::place::at;
use raddle::view;
use std::path::PathBuf;

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
    let page = match view::page(&shown) {
        Ok(page) => page,
        Err(error) => return input::refuse_text(&error.to_string()),
    };
    if let Err(error) = std::fs::write(&arguments.out, &page) {
        note_line!("error: {}", at(&arguments.out, error));
        return End::Failed;
    }
    let names: Vec<&str> = shown.iter().map(|run: &Kept| run.name.as_str()).collect();
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
