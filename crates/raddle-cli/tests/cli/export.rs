//! `raddle export`: files for other tools, and what is said where there is nothing to write.

use super::{SMALL, SWEEP, Scratch, raddle};
use std::fs;

const PACKETS: &str = "[record]\nflows = [3]\n";

#[test]
fn a_run_is_chosen_by_its_number() {
    let scratch = Scratch::new(&format!("{SMALL}{PACKETS}{SWEEP}"));
    let (out, file) = (scratch.text("out"), scratch.text("a.pcapng"));
    let swept = raddle(&["sweep", &scratch.scenario(), "--out", &out]);
    assert_eq!(swept.status, 0, "{}", swept.err);
    assert_eq!(raddle(&["export", &out, "--list"]).out, "   1  ops\n   2  reps\n");
    raddle(&["export", &out, "--pcapng", &file]).refused(&[
        "a file holds one run, and here are 2",
        "`--runs 1`",
        "--list",
    ]);
    let second = raddle(&["export", &out, "--runs", "2", "--pcapng", &file]);
    assert_eq!(second.status, 0, "{}", second.err);
    assert!(second.out.contains("a.pcapng (96 records, "), "{}", second.out);
    assert!(second.out.ends_with("B) of reps\n"), "{}", second.out);
    assert!(fs::read(&file).unwrap().starts_with(&[0x0a, 0x0d, 0x0d, 0x0a]));
    raddle(&["export", &out, "--runs", "3", "--pcapng", &file])
        .refused(&["there is no run 3", "runs 1 to 2"]);
}

#[test]
fn what_cannot_be_exported_is_told() {
    let scratch = Scratch::new(SMALL);
    let file = scratch.text("a.pcapng");
    let empty = scratch.text("nothing");
    fs::create_dir(&empty).unwrap();
    raddle(&["export", &empty, "--pcapng", &file]).refused(&["no run is in this folder"]);
    let out = scratch.text("out");
    assert_eq!(raddle(&["run", &scratch.scenario(), "--out", &out]).status, 0);
    raddle(&["export", &out]).refused(&[
        "nothing to write",
        "`--pcapng FILE`, `--perfetto FILE`, `--csv DIR` or `--parquet DIR`",
    ]);
    raddle(&["export", &out, "--pcapng", &file])
        .refused(&["packets were not recorded", "\nrecord.flows = ["]);
    assert!(!scratch.path("a.pcapng").exists());
    let csv = scratch.text("csv");
    assert_eq!(raddle(&["run", &scratch.scenario(), "--out", &csv, "--csv"]).status, 0);
    raddle(&["export", &csv, "--pcapng", &file]).refused(&["its tables are CSV", "`--csv`"]);
    let scratch = Scratch::new(&format!("{SMALL}{PACKETS}"));
    let out = scratch.text("out");
    assert_eq!(raddle(&["run", &scratch.scenario(), "--out", &out]).status, 0);
    raddle(&["export", &out, "--flows", "4", "--pcapng", &file])
        .refused(&["packets of flow 4 were not recorded", "\nrecord.flows = [4]"]);
    let lost = raddle(&["export", &out, "--pcapng", &scratch.text("no/folder/a.pcapng")]);
    assert_eq!(lost.status, 1);
    assert!(lost.err.contains("a.pcapng"), "{}", lost.err);
}

#[test]
fn tables_of_a_sweep_are_written_together() {
    let scratch = Scratch::new(&format!("{SMALL}{PACKETS}{SWEEP}"));
    let (out, csv) = (scratch.text("out"), scratch.text("new/csv"));
    assert_eq!(raddle(&["sweep", &scratch.scenario(), "--out", &out]).status, 0);
    let both = raddle(&["export", &out, "--csv", &csv, "--parquet", &scratch.text("parquet")]);
    assert_eq!(both.status, 0, "{}", both.err);
    assert!(both.out.lines().all(|line| line.ends_with(" of 2 runs")), "{}", both.out);
    let lines = |name: &str| fs::read_to_string(scratch.path(name)).unwrap().lines().count();
    assert_eq!((lines("new/csv/runs.csv"), lines("new/csv/flows.csv")), (1 + 2, 1 + 2 * 16));
    let told = raddle(&["explain", &scratch.text("parquet/hops.parquet")]);
    assert!(told.out.contains("row of `packets`, from 0"), "{}", told.out);
    let one = raddle(&["export", &out, "--csv", &csv, "--runs", "2"]);
    assert!(one.out.ends_with(" of reps\n"), "{}", one.out);
    assert_eq!((lines("new/csv/runs.csv"), lines("new/csv/flows.csv")), (1 + 1, 1 + 16));
    raddle(&["export", &out, "--csv", &csv, "--flows", "3"]).refused(&["`--flows` has no effect"]);
    raddle(&["export", &out, "--parquet", &out])
        .refused(&["the runs are read from this folder; write into another"]);
}

#[test]
fn a_trace_says_what_it_lacks_and_how_much_it_may_hold() {
    let scratch = Scratch::new(&format!("{SMALL}{PACKETS}"));
    let (out, file) = (scratch.text("out"), scratch.text("a.pftrace"));
    assert_eq!(raddle(&["run", &scratch.scenario(), "--out", &out]).status, 0);
    raddle(&["export", &out, "--perfetto", &file, "--hops", "79"])
        .refused(&["80 hops are more than 79", "`--flows`, or say `--hops 80`"]);
    let done = raddle(&["export", &out, "--perfetto", &file]);
    assert_eq!(done.status, 0, "{}", done.err);
    assert!(done.out.contains("a.pftrace (") && done.out.ends_with("B) of reps\n"), "{}", done.out);
    assert!(done.err.contains("links over time were not recorded"), "{}", done.err);
    assert!(done.err.ends_with("\nrecord.map = true\n"), "{}", done.err);
    raddle(&["export", &out, "--csv", &file, "--hops", "5"]).refused(&["--perfetto"]);
    let bare = Scratch::new(SMALL);
    let out = bare.text("out");
    assert_eq!(raddle(&["run", &bare.scenario(), "--out", &out]).status, 0);
    raddle(&["export", &out, "--perfetto", &file]).refused(&["\nrecord.map = true"]);
}
