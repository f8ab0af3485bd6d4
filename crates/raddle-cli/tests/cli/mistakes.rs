//! Bad input: nothing is run, everything is named, and the exit status is 2.

use super::{SMALL, Scratch, raddle};

/// A small scenario with settings changed on the command line.
fn refused(set: &[&str], words: &[&str]) {
    let scratch = Scratch::new(SMALL);
    let file = scratch.scenario();
    let mut arguments = vec!["run", &file];
    arguments.extend(set.iter().flat_map(|set| ["--set", set]));
    raddle(&arguments).refused(words);
}

#[test]
fn every_mistake_is_reported_at_once_with_file_line_and_nearest_word() {
    let scratch = Scratch::new(
        "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 100 }\ngapp = \"20 B\"\n\
         [transport]\nload_balance = { scheme = \"repss\" }\npayload = \"4096\"\n\
         [traffic]\nkind = \"permutation\"\n",
    );
    let file = scratch.scenario();
    for command in [&["run"][..], &["compare"], &["sweep", "--out", "x"], &["bounds"]] {
        raddle(&[command, &[&file]].concat()).refused(&[
            "scenario.toml:2:41",
            "nearest: 54 or 128",
            "scenario.toml:3:1",
            "nearest: `gap`",
            "scenario.toml:5:27",
            "nearest: `reps`",
            "scenario.toml:6:11",
            "4 problems in ",
            "; nothing was run",
        ]);
    }
}

#[test]
fn settings_that_nothing_would_read_are_mistakes() {
    let fifo = "fabric.queue.service=fifo";
    refused(
        &[fifo, "fabric.queue.overflow=trim"],
        &["a `fifo` port cannot trim", "expected \"drop\"", "the control class"],
    );
    refused(
        &[fifo, "fabric.queue.control_size=1 MiB"],
        &["`control_size` has no effect on a `fifo` port", "leave it out"],
    );
    refused(
        &["run.patience=10 us"],
        &["the run would not wait for a lost packet", "the retransmission timeout, 57.5344 us"],
    );
    refused(
        &["transport.recovery.rto=2 ms", "run.patience=1 ms"],
        &["expected more than the retransmission timeout, 2 ms"],
    );
    refused(
        &["fabric.queue.marking.low=90%"],
        &["marking `red` begins above where it is complete", "low is 517810 B and high is"],
    );
    refused(
        &["fabric.queue.marking.low=2 bdp", "fabric.queue.marking.high=3 bdp"],
        &["marking `red` never marks", "scheme = \"none\""],
    );
    refused(&["fabric.queue.size=1 kB"], &["room for 1 kB", "a full packet, 4160 B"]);
    refused(&["fabric.queue.control_size=10 B"], &["control queue", "a control frame, 64 B"]);
    refused(
        &["run.seed=3", "sweep.seed=1..2", "run.seed=4", "sweep.seed=[1]", "run.sead=1"],
        &["unknown key `sead`"],
    );
}

#[test]
fn a_fifo_scenario_is_resolved_without_what_it_does_not_read() {
    let scratch = Scratch::new(SMALL);
    let out = scratch.text("out");
    let set = ["--set", "fabric.queue.service=fifo", "--out", &out, "--json"];
    let first = raddle(&[&["run", scratch.scenario().as_str()], &set[..]].concat());
    assert_eq!(first.status, 0, "{}", first.err);
    let place = scratch.path("out").join(&super::names(&scratch.path("out"))[0]);
    let resolved = place.join("scenario.toml");
    assert!(!std::fs::read_to_string(&resolved).unwrap().contains("control_size"));
    let again = raddle(&["run", &resolved.display().to_string(), "--json"]).json();
    assert_eq!(again["scenario"], first.json()["scenario"]);
}

#[test]
fn two_places_for_the_seeds_are_one_too_many() {
    let scratch = Scratch::new(&format!("{SMALL}[run]\nseed = 3\n[sweep]\nseed = \"1..2\"\n"));
    let file = scratch.scenario();
    raddle(&["run", &file]).refused(&["`seed` in [run] has no effect", "[sweep] says the seeds"]);
    let said = raddle(&["sweep", &file, "--seeds", "5", "--out", &scratch.text("out"), "--json"]);
    assert_eq!(said.json()["seeds"], serde_json::json!([5]));
}

#[test]
fn command_lines_that_make_no_sense_are_refused() {
    let scratch = Scratch::new(SMALL);
    let file = scratch.scenario();
    raddle(&["run", "no_such_file.toml"]).refused(&["cannot read no_such_file.toml"]);
    raddle(&["run", &file, "--set", "traffic.message"]).refused(&["expected PATH=VALUE"]);
    raddle(&["run", &file, "--set", "traffic.mesage=1 MiB"]).refused(&["nearest: `message`"]);
    raddle(&["run", &file, "--threads", "0"]).refused(&["--threads", "1.."]);
    raddle(&["run", &file, "--csv"]).refused(&["--out"]);
    raddle(&["run", &file, "--seed", "one"]).refused(&["--seed"]);
    raddle(&["compare", &file, "--seeds", "5..1"]).refused(&["expected seeds, each once"]);
    raddle(&["sweep", &file]).refused(&["--out"]);
    raddle(&["runn", &file]).refused(&["'run'"]);
}
