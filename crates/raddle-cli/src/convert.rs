//! `raddle convert`: a trace in another format.

use super::output::note_line;
use super::trace::{TraceArguments, read};
use super::{End, input};
use raddle::import::trace::{to_chakra, to_goal};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Arguments of `raddle convert`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    trace: TraceArguments,
    /// The format to write.
    #[arg(long, value_enum)]
    to: To,
    /// The file to write; of a Chakra trace what stands before `.0.et`, with the ranks of groups in
    /// `.groups.json`. Nothing that is there is written over.
    #[arg(long)]
    out: PathBuf,
}

/// A format that can be written.
#[derive(Clone, Copy, clap::ValueEnum)]
enum To {
    /// A GOAL schedule as text.
    Goal,
    /// Chakra execution traces.
    Chakra,
}

pub(super) fn convert(arguments: &Arguments) -> End {
    let trace = match read(&arguments.trace) {
        Ok(trace) => trace,
        Err(end) => return end,
    };
    let job = match trace.job() {
        Ok(Some(job)) => job,
        Ok(None) => {
            return input::refuse_text(
                "a list of flows is no job of ranks; it cannot be converted",
            );
        }
        Err(why) => return input::refuse_text(&why),
    };
    let beside = |end: String| {
        let mut path = arguments.out.clone().into_os_string();
        path.push(end);
        PathBuf::from(path)
    };
    let files = match arguments.to {
        To::Goal => to_goal(&job).map(|text| vec![(arguments.out.clone(), text.into_bytes())]),
        To::Chakra => to_chakra(&job).map(|(ranks, groups)| {
            let ranks = ranks.into_iter().enumerate();
            let groups = groups.map(|text| (beside(".groups.json".to_owned()), text.into_bytes()));
            ranks
                .map(|(rank, bytes)| (beside(format!(".{rank}.et")), bytes))
                .chain(groups)
                .collect()
        }),
    };
    let files = match files {
        Ok(files) => files,
        Err(why) => return input::refuse_text(&why),
    };
    // All or nothing, as far as names tell.
    if let Some((path, _)) = files.iter().find(|(path, _)| path.exists()) {
        return input::refuse_text(&format!("{} is there already", path.display()));
    }
    for (path, bytes) in &files {
        if let Err(error) = write(path, bytes) {
            return input::refuse_text(&format!("cannot write {}: {error}", path.display()));
        }
    }
    note_line!("{} written", raddle::study::text::plural(files.len() as u64, "file"));
    End::Done
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(bytes)
}
