//! `raddle export`: what a run left behind, for other tools.

use super::output::{note_line, print_line};
use super::{End, input};
use raddle::export::{self, ExportError, Written};
use raddle::results::{self, Kept};
use raddle::study::tables::Format;
use raddle::study::text::{count, plural, short};
use std::path::{Path, PathBuf};

/// Arguments of `raddle export`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A folder of results: what `raddle run --out`, `sweep --out` or `compare` wrote.
    results: PathBuf,
    /// Which runs, by their numbers in `--list`: one for a capture or a trace; any for tables, all by default.
    #[arg(long, value_name = "N[,N]", value_delimiter = ',')]
    runs: Vec<usize>,
    /// List the runs of the folder, and write nothing.
    #[arg(long, conflicts_with_all = ["runs", "flows", "hops", "pcapng", "perfetto", "csv", "parquet"])]
    list: bool,
    /// Packets of these flows alone; of all that were recorded by default.
    #[arg(long, value_name = "N[,N]", value_delimiter = ',')]
    flows: Vec<u64>,
    /// The most hops of packets that a trace may have: a browser holds it as a whole.
    #[arg(long, value_name = "N", requires = "perfetto", default_value_t = export::MOST_HOPS)]
    hops: u64,
    /// Packets as a capture for Wireshark: an interface is a port, a record a frame that left it.
    #[arg(long, value_name = "FILE")]
    pcapng: Option<PathBuf>,
    /// All over time as a trace for ui.perfetto.dev: ports with queues and services, flows with
    /// packets, phases, faults.
    #[arg(long, value_name = "FILE")]
    perfetto: Option<PathBuf>,
    /// Every table as comma-separated values, rows of all runs in one file; the folder is made.
    #[arg(long, value_name = "DIR")]
    csv: Option<PathBuf>,
    /// The same as Parquet.
    #[arg(long, value_name = "DIR")]
    parquet: Option<PathBuf>,
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
    let folders = [(&arguments.csv, Format::Csv), (&arguments.parquet, Format::Parquet)];
    let is_of_packets = arguments.pcapng.is_some() || arguments.perfetto.is_some();
    if !is_of_packets && folders.iter().all(|(folder, _)| folder.is_none()) {
        return Err(input::refuse_text(
            "nothing to write: name `--pcapng FILE`, `--perfetto FILE`, `--csv DIR` or `--parquet DIR`",
        ));
    }
    if !is_of_packets && !arguments.flows.is_empty() {
        return Err(input::refuse_text(
            "`--flows` has no effect without `--pcapng` or `--perfetto`: tables are written whole",
        ));
    }
    let chosen = if arguments.runs.is_empty() {
        found.to_vec()
    } else {
        let chosen = results::numbered(found, &arguments.runs);
        chosen.map_err(|error| input::refuse_text(&error.to_string()))?
    };
    if let Some(file) = &arguments.pcapng {
        let run = one(arguments, &chosen)?;
        tell(file, "records", &run.name, export::pcapng(run, &arguments.flows, file))?;
    }
    if let Some(file) = &arguments.perfetto {
        let run = one(arguments, &chosen)?;
        let written = export::perfetto(run, &arguments.flows, arguments.hops, file);
        tell(file, "events", &run.name, written)?;
    }
    for (folder, format) in folders {
        let Some(folder) = folder else { continue };
        let of = match &chosen[..] {
            [run] => run.name.clone(),
            runs => plural(runs.len() as u64, "run"),
        };
        tell(folder, "rows", &of, export::tables(&chosen, folder, format))?;
    }
    Ok(())
}

/// The one run that a file holds.
fn one<'a>(arguments: &Arguments, chosen: &'a [Kept]) -> Result<&'a Kept, End> {
    match chosen {
        [run] => Ok(run),
        _ => Err(input::refuse_text(&format!(
            "a file holds one run, and here are {}: choose it by `--runs 1`; `raddle export {} \
             --list` lists them",
            chosen.len(),
            arguments.results.display()
        ))),
    }
}

/// Says what was written, or why nothing was.
fn tell(
    path: &Path,
    what: &str,
    of: &str,
    written: Result<Written, ExportError>,
) -> Result<(), End> {
    match written {
        Ok(Written { records, bytes, notes }) => {
            print_line!(
                "wrote {} ({} {what}, {}B) of {of}",
                path.display(),
                count(records),
                short(bytes as f64)
            );
            notes.iter().for_each(|note| note_line!("note: {note}"));
            Ok(())
        }
        Err(error) if error.is_input() => Err(input::refuse_text(&error.to_string())),
        Err(error) => {
            note_line!("error: {error}");
            Err(End::Failed)
        }
    }
}
