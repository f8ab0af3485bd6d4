//! `raddle figures`: published figures, and what their last full runs gave.

use super::output::{note_line, print, print_line};
use super::{End, input};
use raddle::study::place::at;
use raddle_papers::figures::{Figure, FigureResult, File, gallery, listed};
use std::path::{Path, PathBuf};

/// Arguments of `raddle figures`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A paper (`reps`) or a figure (`reps/fig4`) to show, claim by claim.
    name: Option<String>,
    /// Write pages with pictures of all figures into this folder (`docs` in a clone).
    #[arg(long, value_name = "DIR", conflicts_with = "name")]
    pages: Option<PathBuf>,
    /// Judge what was measured by the claims as they are, without a run, and write each
    /// `result.json` into this folder (`figures` in a clone).
    #[arg(long, value_name = "DIR", conflicts_with = "pages")]
    record: Option<PathBuf>,
    /// Print the scenario of the one figure that is named, as a file to start from.
    #[arg(long, requires = "name", conflicts_with_all = ["pages", "record"])]
    scenario: bool,
}

pub(super) fn figures(arguments: &Arguments) -> End {
    let chosen: Vec<Figure> = match input::figures(arguments.name.as_deref()) {
        Ok(chosen) => chosen,
        Err(end) => return end,
    };
    if arguments.scenario {
        return scenario(&chosen);
    }
    let results: Result<Vec<FigureResult>, String> =
        chosen.iter().map(|figure| figure.recorded()).collect();
    let results = match results {
        Ok(results) => results,
        Err(why) => return input::refuse_text(&why),
    };
    if let Some(folder) = &arguments.record {
        let files = results.iter().map(|result| File {
            path: format!("{}/result.json", result.figure.name),
            text: result.record(),
        });
        return write(folder, &files.collect::<Vec<_>>(), &folder.display().to_string());
    }
    match (&arguments.pages, &arguments.name) {
        (Some(folder), _) => {
            let first = folder.join("figures.md").display().to_string();
            write(folder, &gallery(&results), &first)
        }
        (None, Some(_)) => {
            for result in &results {
                print_line!("{}", result.text());
            }
            End::Done
        }
        (None, None) => {
            print_line!("{}", listed(&results));
            End::Done
        }
    }
}

fn scenario(chosen: &[Figure]) -> End {
    let [figure] = chosen else {
        let names: Vec<&str> = chosen.iter().map(|figure| figure.name).collect();
        let names = names.join(", ");
        return input::refuse_text(&format!("`--scenario` prints that of one figure: {names}"));
    };
    match figure.scenario {
        Some(text) => {
            print(format_args!("{text}"));
            End::Done
        }
        None => {
            let name = figure.name;
            input::refuse_text(&format!("`{name}` is of a model and has no scenario"))
        }
    }
}

fn write(folder: &Path, files: &[File], what: &str) -> End {
    for file in files {
        let path = folder.join(&file.path);
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        if let Err(error) = made.and_then(|()| std::fs::write(&path, &file.text)) {
            note_line!("error: {}", at(&path, error));
            return End::Failed;
        }
    }
    print_line!("wrote {what}");
    End::Done
}
