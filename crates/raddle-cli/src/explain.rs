//! `raddle explain`: what an output's columns mean.

use super::output::print_line;
use super::{End, input};
use raddle::study::tables;
use std::path::PathBuf;

/// Arguments of `raddle explain`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A table written by raddle (Parquet or CSV).
    file: PathBuf,
}

pub(super) fn explain(arguments: &Arguments) -> End {
    match tables::explain(&arguments.file) {
        Ok(text) => {
            print_line!("{text}");
            End::Done
        }
        Err(error) => input::refuse_text(&error.to_string()),
    }
}
