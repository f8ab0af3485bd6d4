//! Reading what the user gave: scenarios, settings, the wish to stop.

use super::{End, ScenarioArguments};
use crate::problem::Problems;
use crate::scenario::{self, Study};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Reads `path=value`.
pub(super) fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((path, value)) if !path.trim().is_empty() => {
            Ok((path.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("expected PATH=VALUE, as in `traffic.message=\"1 MiB\"`".to_owned()),
    }
}

/// Loads a scenario; says on standard error what is wrong with it, if anything is.
pub(super) fn load(arguments: &ScenarioArguments) -> Result<Study, End> {
    load_file(&arguments.file, &arguments.set)
}

pub(super) fn load_file(file: &Path, set: &[(String, String)]) -> Result<Study, End> {
    let study = scenario::load(file, set).map_err(|problems| refuse(&problems))?;
    note(&study);
    Ok(study)
}

/// Passes on what was accepted and deserves a word.
pub(super) fn note(study: &Study) {
    for text in &study.notes {
        anstream::eprintln!("note: {text}");
    }
}

/// Shows problems; nothing was run.
pub(super) fn refuse(problems: &Problems) -> End {
    let coloured = anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
    anstream::eprintln!("{}", problems.render(coloured));
    End::BadInput
}

/// Says in one line why nothing was run.
pub(super) fn refuse_text(message: &str) -> End {
    anstream::eprintln!("error: {message}");
    End::BadInput
}

/// A flag that becomes true when the user presses Ctrl-C; a second press ends the process.
pub(super) fn interruption() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    // Without a handler (another one is set) Ctrl-C just ends the process: nothing is lost that
    // was finished, for finished runs are renamed into place.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    stop
}

/// Runs at a time: as asked for, else one per core.
pub(super) fn parallel(asked: Option<usize>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.unwrap_or_else(cores).max(1)
}

/// Columns of the terminal that tables may use.
pub(super) fn columns() -> usize {
    if std::io::stdout().is_terminal() {
        rustix::termios::tcgetwinsize(std::io::stdout())
            .map_or(100, |size| usize::from(size.ws_col))
            .clamp(60, 160)
    } else {
        100
    }
}
