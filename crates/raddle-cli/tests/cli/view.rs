//! `raddle view`: a page of runs, and what is said where there is none.

use super::{SMALL, SWEEP, Scratch, names, raddle};
use std::fs;

#[test]
fn a_page_shows_the_first_two_runs_or_those_asked_for() {
    let scratch = Scratch::new(&format!("{SMALL}[record]\nmap = true\n{SWEEP}seed = \"1..2\"\n"));
    let (out, page) = (scratch.text("out"), scratch.text("page.html"));
    let swept = raddle(&["sweep", &scratch.scenario(), "--out", &out]);
    assert_eq!(swept.status, 0, "{}", swept.err);
    let list = raddle(&["view", &out, "--list"]);
    let names: Vec<&str> = list.out.lines().map(str::trim).collect();
    assert_eq!(names, ["1  ops, seed 1", "2  ops, seed 2", "3  reps, seed 1", "4  reps, seed 2"]);
    let first = raddle(&["view", &out, "--out", &page]);
    assert_eq!(first.status, 0, "{}", first.err);
    assert!(first.out.contains("of ops, seed 1 and reps, seed 1"), "{}", first.out);
    assert!(first.err.contains("4 runs"), "{}", first.err);
    let others = raddle(&["view", &out, "--runs", "3,2", "--out", &page]);
    assert!(others.out.contains("of reps, seed 1 and ops, seed 2"), "{}", others.out);
    let text = fs::read_to_string(&page).unwrap();
    assert!(text.starts_with("<!doctype html>") && text.contains("raddle.view/1"));
}

#[test]
fn runs_without_a_map_are_run_once_more_for_the_page_alone() {
    let scratch = Scratch::new(&format!("{SMALL}{SWEEP}seed = \"1..2\"\n"));
    let (out, page) = (scratch.text("out"), scratch.text("page.html"));
    let said = raddle(&["compare", &scratch.scenario(), "--out", &out]);
    assert_eq!(said.status, 0, "{}", said.err);
    let report = fs::read_to_string(scratch.path("out/report.html")).unwrap();
    assert!(report.contains(&format!("<code>raddle view {out}</code>")));
    let files = || {
        let all = names(&scratch.path("out/results")).into_iter();
        let folders = all.filter(|own| scratch.path(&format!("out/results/{own}")).is_dir());
        folders.map(|own| names(&scratch.path(&format!("out/results/{own}")))).collect::<Vec<_>>()
    };
    let before = files();
    let viewed = raddle(&["view", &out, "--out", &page]);
    assert_eq!(viewed.status, 0, "{}", viewed.err);
    assert!(viewed.err.starts_with("2 runs without a map: run once more"), "{}", viewed.err);
    let mapped = fs::read_to_string(&page).unwrap();
    assert!(!mapped.contains("Nothing was recorded over time"));
    assert_eq!(files(), before);
    let viewed = raddle(&["view", &out, "--out", &page, "--as-kept"]);
    assert_eq!(viewed.err.lines().count(), 1, "{}", viewed.err);
    assert!(fs::read_to_string(&page).unwrap().contains("Which flows used which links was not"));
    // Kept by a version that came to other results: they are not shown as if they were these.
    for folder in names(&scratch.path("out/results")) {
        let file = scratch.path(&format!("out/results/{folder}/run.json"));
        let Ok(text) = fs::read_to_string(&file) else { continue };
        fs::write(&file, text.replace("\"results_hash\": \"", "\"results_hash\": \"0")).unwrap();
    }
    let viewed = raddle(&["view", &out, "--out", &page]);
    assert_eq!(viewed.status, 0, "{}", viewed.err);
    assert!(viewed.err.contains("another version of raddle made it"), "{}", viewed.err);
    assert!(fs::read_to_string(&page).unwrap().contains("Which flows used which links was not"));
}

#[test]
fn a_comparison_has_a_page_of_its_best_run_and_its_worst_beside_it() {
    let sweep = SWEEP.replace("ops", "ecmp");
    let scratch = Scratch::new(&format!("{SMALL}{sweep}seed = \"3..4\"\n"));
    let out = scratch.text("out");
    let file = scratch.scenario();
    let said = raddle(&["compare", &file, "--out", &out, "--view", "--no-tables"]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(names(&scratch.path("out")), ["report.html", "view.html"]);
    let report = fs::read_to_string(scratch.path("out/report.html")).unwrap();
    assert!(report.contains("<a href=\"view.html\">Look into reps and ecmp</a>"));
    let page = fs::read_to_string(scratch.path("out/view.html")).unwrap();
    assert!(page.contains("\"ecmp\"") && page.contains("\"reps\""));
    assert!(!page.contains("Nothing was recorded over time"));
}

#[test]
fn what_is_no_run_is_told() {
    let scratch = Scratch::new(SMALL);
    let empty = scratch.text("nothing");
    fs::create_dir(&empty).unwrap();
    raddle(&["view", &empty]).refused(&["no run is in this folder", "raddle sweep"]);
    let out = scratch.text("out");
    assert_eq!(raddle(&["run", &scratch.scenario(), "--out", &out]).status, 0);
    raddle(&["view", &out, "--runs", "2"]).refused(&["there is no run 2", "runs 1 to 1"]);
    raddle(&["view", &out, "--runs", "1,1,1"]).refused(&["two at most"]);
    let nowhere = scratch.text("no/folder/page.html");
    let lost = raddle(&["view", &out, "--out", &nowhere]);
    assert_eq!(lost.status, 1);
    assert!(lost.err.contains("page.html"), "{}", lost.err);
}
