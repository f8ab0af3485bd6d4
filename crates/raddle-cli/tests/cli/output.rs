//! Outputs that are closed or full: no panic, and exit status 1.

use super::{SMALL, Scratch, command, raddle};
use std::fs::OpenOptions;
use std::process::Stdio;

/// Every command that ends well on the scenario `file`, with its arguments.
fn commands<'a>(file: &'a str, out: &'a str) -> Vec<Vec<&'a str>> {
    vec![
        vec!["run", file],
        vec!["run", file, "--json", "--out", out],
        vec!["compare", file, "--out", out],
        vec!["sweep", file, "--out", out],
        vec!["bounds", file],
        vec!["schemes"],
        vec!["schemes", "reps"],
        vec!["theory"],
        vec!["figures", "reps/fig14"],
        vec!["reproduce", "reps/fig14"],
        vec!["--help"],
        vec!["--version"],
    ]
}

/// Runs all commands with this standard output; gives what each said on standard error.
fn told(stdout: impl Fn() -> Stdio) -> Vec<(String, String)> {
    let scratch = Scratch::new(SMALL);
    let (file, out) = (scratch.scenario(), scratch.text("out"));
    let mut told = Vec::new();
    for arguments in commands(&file, &out) {
        let output = command(&arguments).stdout(stdout()).output().expect("raddle starts");
        let (typed, err) = (arguments.join(" "), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(1), "{typed}: {err}");
        assert!(!err.contains("panicked"), "{typed}: {err}");
        told.push((typed, err.into_owned()));
    }
    // What was run is kept, though nobody heard of it.
    let said = raddle(&["sweep", &file, "--out", &out]);
    assert_eq!((said.status, said.err.as_str()), (0, "1 run, 1 of them there already\n"));
    told
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_output_is_said_once_and_ends_with_status_1() {
    let full = || OpenOptions::new().write(true).open("/dev/full").expect("/dev/full").into();
    for (typed, err) in told(full) {
        assert_eq!(err.matches("error: cannot write to standard output: ").count(), 1, "{typed}");
    }
}

#[test]
fn a_reader_that_has_gone_is_told_nothing_and_the_status_is_1() {
    let closed = || {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        writer.into()
    };
    for (typed, err) in told(closed) {
        assert!(!err.contains("error"), "{typed}: {err}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_error_changes_nothing() {
    let scratch = Scratch::new(SMALL);
    let file = scratch.scenario();
    for (arguments, status) in [(["run", &file], 0), (["run", "nowhere.toml"], 2)] {
        let full = OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
        let output = command(&arguments).stderr(full).output().expect("raddle starts");
        assert_eq!(output.status.code(), Some(status));
    }
}
