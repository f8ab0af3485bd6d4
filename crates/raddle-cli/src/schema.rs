//! `raddle schema`: a JSON Schema of scenario files.

use super::End;
use super::output::{note_line, print_line};
use raddle::study::place::at;
use std::fs;
use std::path::PathBuf;

/// Arguments of `raddle schema`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Write it to this file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn schema(arguments: &Arguments) -> End {
    let schema = format!("{:#}", raddle::schema::schema());
    let Some(file) = &arguments.out else {
        print_line!("{schema}");
        return End::Done;
    };
    match fs::write(file, schema + "\n") {
        Ok(()) => End::Done,
        Err(error) => {
            note_line!("error: {}", at(file, error));
            End::Failed
        }
    }
}
