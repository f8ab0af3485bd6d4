//! One exit status for one cause, whatever the command: the table of docs/formats.md.

use super::{SMALL, STALLING, Scratch, command, raddle};
use std::fs;

/// A scenario none of whose seeds can be drawn.
const UNDRAWABLE: &str = "[[fault]]\nrandom = { share = \"100%\" }\ndown = \"..\"\n";

/// Commands that run the scenario `file`.
fn that_run<'a>(file: &'a str, out: &'a str) -> Vec<Vec<&'a str>> {
    vec![
        vec!["run", file],
        vec!["run", file, "--out", out],
        vec!["compare", file, "--out", out],
        vec!["sweep", file, "--out", out],
    ]
}

fn ends_with(status: i32, arguments: &[&str]) {
    let said = raddle(arguments);
    assert_eq!(said.status, status, "{}: {}", arguments.join(" "), said.err);
    assert_eq!(said.err.contains("error: "), status == 2, "{}: {}", arguments.join(" "), said.err);
}

#[test]
fn what_cannot_be_read_or_drawn_is_bad_input() {
    let scratch = Scratch::new(&format!("{SMALL}{UNDRAWABLE}"));
    let (file, out) = (scratch.scenario(), scratch.text("out"));
    for arguments in that_run(&file, &out).iter().chain(&[vec!["bounds", &file]]) {
        ends_with(2, arguments);
    }
    for arguments in that_run("nowhere.toml", &out).iter().chain(&[
        vec!["bounds", "nowhere.toml"],
        vec!["explain", "nowhere.csv"],
        vec!["throughput", "nowhere.csv", "vermilion"],
        vec!["schemes", "--markdown", "nowhere.md"],
        vec!["schemes", "nothing"],
        vec!["figures", "nothing"],
        vec!["reproduce", "nothing"],
        vec!["verdict", "nothing"],
        vec!["bench", "nothing"],
        vec!["theory", "nothing"],
        vec!["nothing"],
    ]) {
        assert_eq!(raddle(arguments).status, 2, "{}", arguments.join(" "));
    }
}

#[test]
fn a_place_that_cannot_be_written_is_bad_input_where_nothing_was_run() {
    let scratch = Scratch::new(SMALL);
    let file = scratch.scenario();
    let page = format!("{file}/page.md");
    for arguments in that_run(&file, &file)[1..].iter().chain(&[
        vec!["compare", &file, "--out", &file, "--no-tables"],
        vec!["reproduce", "reps/fig14", "--out", &file],
        vec!["reproduce", "reps/fig14", "--record", &file],
        vec!["verdict", "--out", &file],
        vec!["verdict", "--out", &scratch.text("out"), "--page", &page],
    ]) {
        ends_with(2, arguments);
    }
}

#[test]
fn what_ran_and_did_not_finish_failed() {
    let scratch = Scratch::new(STALLING);
    let (file, out) = (scratch.scenario(), scratch.text("out"));
    for arguments in that_run(&file, &out).iter().take(2) {
        ends_with(1, arguments);
    }
}

#[test]
fn files_of_a_clone_count_before_the_programs_own() {
    let clone = tempfile::tempdir().unwrap();
    let folder = clone.path().join("figures/reps/fig14");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("claims.toml"), "titel = \"?\"\n").unwrap();
    for command_name in ["reproduce", "figures"] {
        let said = command(&[command_name, "reps/fig14"]).current_dir(clone.path()).output();
        let said = said.unwrap();
        let err = String::from_utf8_lossy(&said.stderr);
        assert_eq!(said.status.code(), Some(2), "{err}");
        assert!(err.contains("figures/reps/fig14/claims.toml is not the program's own"), "{err}");
        assert!(err.contains("titel"), "{err}");
    }
    let verdict = clone.path().join("figures/verdict");
    fs::create_dir(&verdict).unwrap();
    fs::write(verdict.join("scenario.toml"), "").unwrap();
    let said = command(&["verdict"]).current_dir(clone.path()).output().unwrap();
    let err = String::from_utf8_lossy(&said.stderr);
    assert_eq!(said.status.code(), Some(2), "{err}");
    assert!(err.contains("scenario.toml: not what this program was built with"), "{err}");
}
