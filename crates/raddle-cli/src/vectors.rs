//! `raddle vectors`: test vectors of schemes, and their replay.

use super::output::{self, note_line, print_line};
use super::{End, input};
use raddle::scenario::reader::nearest;
use raddle::study::place::at;
use raddle::vectors::{self, Amount, Vectors, header, replay};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Arguments of `raddle vectors`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Schemes by their words; all that have vectors if none is named. A word may stand for one of
    /// hosts and one of switches: then both are written.
    schemes: Vec<String>,
    /// List the schemes that have vectors, and write nothing.
    #[arg(long, exclusive = true)]
    list: bool,
    /// Where the JSON lines go; standard output by default.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the states of these schemes as a header for programs in C.
    #[arg(long, value_name = "FILE")]
    header: Option<PathBuf>,
    /// Events of each course of edge cases; one course a variant of the scheme.
    #[arg(long, value_name = "N", default_value_t = Amount::default().events)]
    events: usize,
    /// Most steps of each machine of the run.
    #[arg(long, value_name = "N", default_value_t = Amount::default().steps)]
    steps: usize,
    /// Apply the events of this file to the engine's own code, and say where it differs.
    #[arg(long, value_name = "FILE", exclusive = true)]
    replay: Option<PathBuf>,
}

pub(super) fn vectors(arguments: &Arguments) -> End {
    if arguments.list {
        for (family, scheme) in vectors::schemes() {
            print_line!("{family:<12}{scheme}");
        }
        return End::Done;
    }
    if let Some(file) = &arguments.replay {
        return replayed(file);
    }
    let known: Vec<&str> = vectors::schemes().map(|(_, scheme)| scheme).collect();
    if let Some(name) = arguments.schemes.iter().find(|name| !known.contains(&name.as_str())) {
        let nearest =
            nearest(name, known).map_or_else(String::new, |near| format!("; nearest: `{near}`"));
        return input::refuse_text(&format!(
            "no scheme with vectors is called `{name}`{nearest} (`raddle vectors --list` lists all)"
        ));
    }
    if arguments.out.is_some() && arguments.out == arguments.header {
        return input::refuse_text("`--out` and `--header` are one file");
    }
    let mut wanted: Vec<&str> = arguments.schemes.iter().map(String::as_str).collect();
    if wanted.is_empty() {
        wanted = known;
    }
    let mut once = BTreeSet::new();
    wanted.retain(|name| once.insert(*name));
    let amount = Amount { events: arguments.events, steps: arguments.steps };
    let all: Vec<Vectors> = wanted.iter().flat_map(|name| vectors::of(name, &amount)).collect();
    for own in &all {
        if let Some(why) = &own.no_run {
            note_line!("note: {} has edge cases alone, since no run fits it: {why}", own.scheme);
        }
    }
    match write(arguments, &all) {
        Ok(()) => End::Done,
        Err(why) => {
            note_line!("error: {why}");
            End::Failed
        }
    }
}

/// Writes the header and the lines, and says what these hold.
fn write(arguments: &Arguments, all: &[Vectors]) -> Result<(), String> {
    if let Some(file) = &arguments.header {
        fs::write(file, header::header(all)).map_err(|error| at(file, error))?;
        print_line!("wrote the states of {} schemes to {}", all.len(), file.display());
    }
    let machines = || all.iter().flat_map(|vectors| &vectors.trajectories).enumerate();
    match &arguments.out {
        Some(file) => {
            let mut to = BufWriter::new(fs::File::create(file).map_err(|error| at(file, error))?);
            for (number, own) in machines() {
                to.write_all(vectors::lines(number, own).as_bytes())
                    .map_err(|error| at(file, error))?;
            }
            to.flush().map_err(|error| at(file, error))?;
            let steps: usize = machines().map(|(_, own)| own.steps.len()).sum();
            print_line!(
                "wrote {steps} steps of {} machines to {}",
                machines().count(),
                file.display()
            );
        }
        None if arguments.header.is_some() => {}
        None => {
            for (number, own) in machines() {
                output::print(format_args!("{}", vectors::lines(number, own)));
            }
        }
    }
    Ok(())
}

fn replayed(file: &Path) -> End {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => return input::refuse_text(&at(file, error)),
    };
    match replay::replay(&text) {
        Ok(replayed) => {
            print_line!(
                "{} steps of {} machines: the engine's code gives the same",
                replayed.steps,
                replayed.trajectories
            );
            End::Done
        }
        Err(wrong) if wrong.is_input => input::refuse_text(&format!("{}, {wrong}", file.display())),
        Err(difference) => {
            note_line!("error: {}, {difference}", file.display());
            End::Failed
        }
    }
}
