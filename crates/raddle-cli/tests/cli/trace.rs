//! `raddle trace`.

use super::{Scratch, raddle};

const GOAL: &str = "num_ranks 2\nrank 0 {\na: calc 1500\nb: send 2000b to 1\nb requires a\n}\n\
                    rank 1 {\nrecv 2000b from 0\n}\n";

#[test]
fn a_trace_is_counted_and_nothing_runs() {
    let scratch = Scratch::new("");
    let path = scratch.text("t.goal");
    std::fs::write(&path, GOAL).unwrap();
    let said = raddle(&["trace", &path]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    for text in ["goal (a GOAL schedule)\n", "bytes of sends               2 000\n", "1500 ns\n"] {
        assert!(said.out.contains(text), "{}", said.out);
    }
    let object = raddle(&["trace", &path, "--json", "--set", "unit=1 us"]).json();
    assert_eq!((&object["schema"], &object["format"]), (&"raddle.trace/1".into(), &"goal".into()));
    let job = &object["job"];
    assert_eq!((&job["sends"], &job["edges"], &job["roots"]), (&1.into(), &1.into(), &2.into()));
    assert_eq!(job["calc_ns"], 1_500_000.0);
}

#[test]
fn what_is_wrong_with_a_trace_is_told() {
    let scratch = Scratch::new("");
    let path = scratch.text("t.goal");
    std::fs::write(&path, GOAL.replace("send", "sedn")).unwrap();
    raddle(&["trace", &path]).refused(&["t.goal: line 4, column 4", "did you mean `send`?"]);
    std::fs::write(&path, GOAL).unwrap();
    raddle(&["trace", &path, "--format", "gaol"]).refused(&["unknown format `gaol`"]);
    raddle(&["trace", &path, "--set", "unti=1 ns"]).refused(&["unknown key `unti`", "unit"]);
    raddle(&["trace", &path, "--set", "deps=all"]).refused(&["unknown word `all` for `deps`"]);
    raddle(&["trace", &path, "--set", "channels=a"]).refused(&["wrong value `a` for `channels`"]);
    raddle(&["trace", &path, "--set", "group_file=nowhere"]).refused(&["cannot read `nowhere`"]);
    raddle(&["trace", &scratch.text("nowhere")]).refused(&["cannot read"]);
}

/// Of SimAI's sample a run on servers of eight has eight channels: 896 messages of 256 KiB a row.
#[test]
fn servers_of_a_trace_are_counted_as_a_run_has_them() {
    let path = format!("{}/../../data/traces/simai/microAllReduce.txt", env!("CARGO_MANIFEST_DIR"));
    let sends = |sets: &[&str]| {
        let mut arguments = vec!["trace", &path, "--json"];
        arguments.extend(sets.iter().flat_map(|set| ["--set", set]));
        let object = raddle(&arguments).json();
        let all = object["job"]["collectives"][0].clone();
        (all["sends"].as_u64().unwrap(), all["send_bytes"].as_u64().unwrap())
    };
    assert_eq!(sends(&["gpus=8"]), (2 * 896, 1_174_405_120));
    assert_eq!(sends(&["gpus=8", "channels=1"]).0, 2 * 112);
    assert_eq!(sends(&[]).0, 2 * 112);
    for (sets, expected) in [
        (&["rails=cross"][..], "`rails` has no effect where each GPU is alone"),
        (&["pxn_join=false"], "`pxn_join` has no effect where each GPU is alone"),
        (&["gpus=3", "rails=alternate"], "`alternate` pairs rails, and a server has 3"),
        (&["gpus=8", "rails=cross", "pxn_join=true"], "it goes with `pxn`"),
        (&["gpus=1"], "expected at least 2"),
    ] {
        let mut arguments = vec!["trace", &path];
        arguments.extend(sets.iter().flat_map(|set| ["--set", set]));
        raddle(&arguments).refused(&[expected]);
    }
}

#[test]
fn a_job_goes_to_another_format_and_back() {
    let scratch = Scratch::new("");
    let path = scratch.text("t.goal");
    std::fs::write(&path, GOAL.replace("1500", "3000")).unwrap();
    let out = scratch.text("c");
    let said = raddle(&["convert", &path, "--to", "chakra", "--out", &out]);
    assert_eq!((said.status, said.err.trim_end()), (0, "2 files written"));
    raddle(&["convert", &path, "--to", "chakra", "--out", &out]).refused(&["is there already"]);
    let (back, again) = (scratch.text("back.goal"), scratch.text("again.goal"));
    let said = raddle(&["convert", &out, "--to", "goal", "--out", &back]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(raddle(&["convert", &path, "--to", "goal", "--out", &again]).status, 0);
    let text = |path| std::fs::read_to_string(path).unwrap();
    assert_eq!(text(&back).replace(" cpu 1", ""), text(&again));
    std::fs::write(&path, GOAL).unwrap();
    raddle(&["convert", &path, "--to", "chakra", "--out", &scratch.text("d")])
        .refused(&["rank 0, node 3: 1500 ns is no whole number of microseconds"]);
}
