//! `raddle export`: what a run left behind, for other tools.

use super::output::{note_line, print_line};
use super::{End, input};
use raddle::export::{self, ExportError, Written};
use raddle::results::{self, Kept};
use raddle::study::text::{count, short};
use std::path::{Path, PathBuf};

/// Arguments of `raddle export`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A folder of results: what `raddle run --out`, `sweep --out` or `compare` wrote.
    results: PathBuf,
    /// Which run, by its number in `--list`.
    #[arg(long, value_name = "N")]
    run: Option<usize>,
    /// List the runs of the folder, and write nothing.
    #[arg(long, conflicts_with_all = ["run", "flows", "pcapng"])]
    list: bool,
    /// Packets of these flows alone; of all that were recorded by default.
    #[arg(long, value_name = "N[,N]", value_delimiter = ',')]
    flows: Vec<u64>,
    /// Packets as a capture for Wireshark: an interface is a port, a record a frame that left it.
    #[arg(long, value_name = "FILE")]
    pcapng: Option<PathBuf>,
}

pub(super) fn export(arguments: &Arguments) -> End {
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
    match write(arguments, &found) {
        Ok(()) => End::Done,
        Err(end) => end,
    }
}

fn write(arguments: &Arguments, found: &[Kept]) -> Result<(), End> {
    let Some(file) = &arguments.pcapng else {
        return Err(input::refuse_text("nothing to write: name a file by `--pcapng FILE`"));
    };
    let run = one(arguments, found)?;
    let written = export::pcapng(&run, &arguments.flows, file);
    tell(file, "records", &run.name, written)
}

/// The run that is asked for, or the only one.
fn one(arguments: &Arguments, found: &[Kept]) -> Result<Kept, End> {
    if arguments.run.is_none() && found.len() > 1 {
        return Err(input::refuse_text(&format!(
            "the folder has {} runs, and a file holds one: choose it by `--run 1`; `raddle export {} \
             --list` lists them",
            found.len(),
            arguments.results.display()
        )));
    }
    let chosen = results::numbered(found, &[arguments.run.unwrap_or(1)]);
    let chosen = chosen.map_err(|error| input::refuse_text(&error.to_string()))?;
    chosen.into_iter().next().ok_or(End::BadInput)
}

/// Says what was written, or why nothing was.
fn tell(
    path: &Path,
    what: &str,
    name: &str,
    written: Result<Written, ExportError>,
) -> Result<(), End> {
    match written {
        Ok(Written { records, bytes }) => {
            print_line!(
                "wrote {} ({} {what}, {}B) of {name}",
                path.display(),
                count(records),
                short(bytes as f64)
            );
            Ok(())
        }
        Err(error) if error.is_input() => Err(input::refuse_text(&error.to_string())),
        Err(error) => {
            note_line!("error: {error}");
            Err(End::Failed)
        }
    }
}
