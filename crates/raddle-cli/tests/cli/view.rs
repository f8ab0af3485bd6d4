//! `raddle view`: a page of runs, and what is said where there is none.

use super::{SMALL, SWEEP, Scratch, raddle};
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
