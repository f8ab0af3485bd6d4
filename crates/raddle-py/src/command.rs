//! The command `raddle`, as the package brings it.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Does what `raddle` does with these words, the program's name first; its exit status. Ctrl-C is the
/// command's until it ends, so this is for a process that does nothing else.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| raddle_cli::main_of(words))
}
