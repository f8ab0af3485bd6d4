//! `raddle view`: a page with which one looks into a run.

use super::again::{self, Again};
use super::output::{note_line, print_line};
use super::{End, input, serve};
use raddle::results::{self, Kept};
use raddle::study::place::at;
use raddle::view;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
    #[arg(long, conflicts_with_all = ["runs", "out", "port", "no_open"])]
    list: bool,
    /// Show runs as they were kept. Else those without a map are run once more with one, for the page
    /// alone: nothing is written into the folder.
    #[arg(long)]
    as_kept: bool,
    /// Write the page as one file that needs no network. Without, it is served to a browser on this
    /// machine, with the packets of every flow that was recorded.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["port", "no_open"])]
    out: Option<PathBuf>,
    /// The port that it is served at; any that is free by default.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// Open no browser.
    #[arg(long)]
    no_open: bool,
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
    let stop = input::interruption();
    // Their tables are there until the page is made, or nobody looks any more.
    let (shown, _tables) = if arguments.as_kept { (shown, None) } else { with_maps(shown, &stop) };
    if stop.load(Ordering::Relaxed) {
        return End::Failed;
    }
    if found.len() > shown.len() {
        note_line!(
            "note: the folder has {} runs; `raddle view {} --list` lists them, `--runs 1,3` shows \
             others",
            found.len(),
            arguments.results.display()
        );
    }
    match &arguments.out {
        Some(out) => write(&shown, out, &names.join(" and ")),
        None => serve(shown, arguments, &stop, &names.join(" and ")),
    }
}

fn write(shown: &[Kept], out: &Path, names: &str) -> End {
    let page = match view::page(shown) {
        Ok(page) => page,
        Err(error) => return input::refuse_text(&error.to_string()),
    };
    if let Err(error) = std::fs::write(out, &page) {
        note_line!("error: {}", at(out, error));
        return End::Failed;
    }
    let (out, size) = (out.display(), page.len().div_ceil(1000));
    print_line!("wrote {out} ({size} kB) of {names}; open it in a browser");
    End::Done
}

fn serve(shown: Vec<Kept>, arguments: &Arguments, stop: &AtomicBool, names: &str) -> End {
    let served = match view::Served::new(shown) {
        Ok(served) => served,
        Err(error) => return input::refuse_text(&error.to_string()),
    };
    let ready = |url: &str| {
        print_line!("{url}");
        note_line!("{names}; it is served until you press Ctrl-C");
        if !arguments.no_open && open::that_detached(url).is_err() {
            note_line!("note: no browser was found: open the address in one on this machine");
        }
    };
    match serve::serve(served, arguments.port, stop, ready) {
        Ok(()) => End::Done,
        Err(error) => {
            note_line!("error: port {}: {error}", arguments.port);
            End::Failed
        }
    }
}

/// The runs, those without a map once more with one; as they were kept where that cannot be.
fn with_maps(shown: Vec<Kept>, stop: &Arc<AtomicBool>) -> (Vec<Kept>, Option<TempDir>) {
    let is_mapped = |run: &Kept| run.has_map() || !run.folder.join("flows.parquet").exists();
    let again = shown.iter().filter(|run| !is_mapped(run)).map(|run| {
        let (job, results_hash) = (run.with_map()?, run.results_hash()?);
        Ok(Again { job, name: run.name.clone(), results_hash })
    });
    let again: Result<Vec<Again>, String> = again.collect();
    let made = again.and_then(|again| match again.is_empty() {
        true => Ok(None),
        false => again::run(again, stop, false).map(Some),
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
