//! Standard output and standard error of a command: a line that cannot be written ends nothing, and
//! the command ends with status 1.

use std::io::{ErrorKind, Result, Write, stdout};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether standard output has refused a write: a property of the process, as the stream is.
static REFUSED: AtomicBool = AtomicBool::new(false);

/// Writes a line of results to standard output.
macro_rules! print_line {
    () => { $crate::output::line(format_args!("")) };
    ($($argument:tt)*) => { $crate::output::line(format_args!($($argument)*)) };
}

/// Writes a line about the run to standard error. Whoever closed it does not want it.
macro_rules! note_line {
    ($($argument:tt)*) => {
        $crate::output::note(format_args!("{}\n", format_args!($($argument)*)))
    };
}

pub(super) use {note_line, print_line};

/// Writes a line to standard output.
pub(super) fn line(text: std::fmt::Arguments<'_>) {
    print(format_args!("{text}\n"));
}

/// Writes to standard output.
pub(super) fn print(text: std::fmt::Arguments<'_>) {
    judge(&anstream::stdout().lock().write_fmt(text));
}

/// Writes to standard error.
pub(super) fn note(text: std::fmt::Arguments<'_>) {
    let _ = anstream::stderr().lock().write_fmt(text);
}

/// Whether all that was written to standard output has arrived there.
pub(super) fn arrived() -> bool {
    judge(&stdout().flush());
    !REFUSED.load(Ordering::Relaxed)
}

/// Says why standard output has failed, once; of a reader that has gone, nothing.
pub(super) fn judge(written: &Result<()>) {
    let Err(error) = written else { return };
    if !REFUSED.swap(true, Ordering::Relaxed) && error.kind() != ErrorKind::BrokenPipe {
        note_line!("error: cannot write to standard output: {error}");
    }
}
