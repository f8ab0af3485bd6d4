//! `raddle man`: the command line as pages of `man`.

use super::output::{note_line, print, print_line};
use super::{Arguments as All, End};
use clap::CommandFactory;
use clap_mangen::{Man, generate_to};
use raddle::study::place::at;
use std::path::{Path, PathBuf};

/// Arguments of `raddle man`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Write a page for the program and one for each command into this folder, which is made.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn man(arguments: &Arguments) -> End {
    match &arguments.out {
        Some(folder) => match pages(folder) {
            Ok(()) => {
                print_line!("wrote {}", folder.join("raddle.1").display());
                End::Done
            }
            Err(error) => {
                note_line!("error: {}", at(folder, error));
                End::Failed
            }
        },
        None => {
            let mut text = Vec::new();
            // Nothing refuses a write into memory.
            let _ = Man::new(All::command()).render(&mut text);
            print(format_args!("{}", String::from_utf8_lossy(&text)));
            End::Done
        }
    }
}

fn pages(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    generate_to(All::command(), folder)
}
