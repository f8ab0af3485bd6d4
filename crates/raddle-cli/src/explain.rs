//! `raddle explain`: what an output's columns mean.

use super::output::print_line;
use super::{End, input, schemes};
use raddle::catalogue;
use raddle::study::tables;
use std::path::PathBuf;

/// Arguments of `raddle explain`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A table written by raddle (Parquet or CSV).
    file: PathBuf,
    /// Put the tables of all columns in Markdown into FILE, each below its heading.
    #[arg(long)]
    markdown: bool,
}

pub(super) fn explain(arguments: &Arguments) -> End {
    if arguments.markdown {
        return schemes::accept(&arguments.file, catalogue::fill_columns);
    }
    match tables::explain(&arguments.file) {
        Ok(text) => {
            print_line!("{text}");
            End::Done
        }
        Err(error) => input::refuse_text(&error.to_string()),
    }
}
