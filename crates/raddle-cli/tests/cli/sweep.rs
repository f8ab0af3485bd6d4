//! Commands that keep what has run: `raddle sweep`, `raddle reproduce`.

use super::{SMALL, SWEEP, Scratch, names, raddle};

#[test]
fn runs_that_are_there_are_not_repeated() {
    let scratch = Scratch::new(&format!("{SMALL}{SWEEP}"));
    let (file, out) = (scratch.scenario(), scratch.text("out"));
    let said = raddle(&["sweep", &file, "--out", &out, "--seeds", "1..2"]);
    assert_eq!(said.status, 0, "{}", said.err);
    let lines: Vec<&str> = said.err.lines().collect();
    assert!(lines[0].starts_with("4 runs, if all are like the first about "), "{}", said.err);
    assert_eq!(lines.len(), 1, "no progress in a pipe: {}", said.err);
    assert!(said.out.contains("runs.parquet  one row per run"), "{}", said.out);
    let said = raddle(&["sweep", &file, "--out", &out, "--seeds", "1..3", "--json"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert_eq!(said.json()["schema"], "raddle.compare/2");
    let said = raddle(&["sweep", &file, "--out", &out, "--seeds", "1,2,3", "--csv"]);
    assert_eq!(said.err, "6 runs, 6 of them there already\n");
    let table = std::fs::read_to_string(scratch.path("out/runs.csv")).unwrap();
    assert_eq!(table.lines().count(), 7);
    assert!(table.lines().next().unwrap().ends_with(",transport.load_balance.scheme"));
}

#[test]
fn seeds_that_fail_are_named_and_the_others_kept() {
    let fault = "[[fault]]\nrandom = { share = \"100%\" }\ndown = \"..\"\n[sweep]\n\
                 \"fault.0.random.share\" = [\"5%\", \"100%\"]\nseed = \"1..2\"\n";
    let scratch = Scratch::new(&format!("{SMALL}{fault}"));
    let said = raddle(&["sweep", &scratch.scenario(), "--out", &scratch.text("out")]);
    assert_eq!(said.status, 1, "{}", said.out);
    for seed in ["seed 1", "seed 2"] {
        let line =
            format!("error: fault.0.random.share = 100%, {seed}: the scenario cannot be run");
        assert!(said.err.contains(&line), "{}", said.err);
    }
    assert!(said.out.contains("failed"), "{}", said.out);
    let kept = names(&scratch.path("out"));
    assert_eq!(kept.len(), 3, "{kept:?}");
    assert!(kept.iter().all(|name| !name.starts_with('.')), "{kept:?}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_sweep_loses_no_finished_run_and_goes_on() {
    interrupted_it_goes_on("sweep", "", "-INT");
}

#[cfg(unix)]
#[test]
fn a_terminated_sweep_leaves_nothing_unfinished_and_goes_on() {
    interrupted_it_goes_on("sweep", "", "-TERM");
}

#[cfg(unix)]
#[test]
fn an_interrupted_comparison_loses_no_finished_run_and_goes_on() {
    interrupted_it_goes_on("compare", "results", "-INT");
}

/// Sends a command that keeps its runs in `kept_in` below its output a signal, and has it go on.
#[cfg(unix)]
fn interrupted_it_goes_on(subcommand: &str, kept_in: &str, signal: &str) {
    use super::command;
    use std::collections::BTreeMap;
    use std::process::Command;
    use std::time::{Duration, SystemTime};

    const RUNS: usize = 150;
    let scratch = Scratch::new(&format!("{SMALL}[sweep]\nseed = \"1..{RUNS}\"\n"));
    let (file, out) = (scratch.scenario(), scratch.text("out"));
    let arguments = [subcommand, &file, "--out", &out, "--parallel", "1"];
    let folder = scratch.path("out").join(kept_in);
    let finished = || -> BTreeMap<String, SystemTime> {
        if !folder.is_dir() {
            return BTreeMap::new();
        }
        let runs = names(&folder).into_iter().filter(|name| name.contains("-seed"));
        let runs = runs.filter(|name| !name.starts_with('.'));
        let written = |name: &String| folder.join(name).join("run.json").metadata().ok();
        runs.filter_map(|name| Some((name.clone(), written(&name)?.modified().ok()?))).collect()
    };
    let child = command(&arguments).spawn().expect("raddle starts");
    for _ in 0..2000 {
        if finished().len() >= 3 {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    let killed = Command::new("kill").args([signal, &pid]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("raddle ends");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{err}");
    let kept = finished();
    assert!((3..RUNS).contains(&kept.len()), "{}", kept.len());
    let told = format!("interrupted: {} of {RUNS} runs are kept; the same", kept.len());
    assert!(err.contains(&told), "{err}");
    assert!(names(&folder).iter().all(|name| !name.starts_with('.')));
    let said = raddle(&arguments);
    assert_eq!(said.status, 0, "{}", said.err);
    let there = format!("{RUNS} runs, {} of them there already\n", kept.len());
    assert!(said.err.starts_with(&there), "{}", said.err);
    let left = format!("{} runs, if all are like", RUNS - kept.len());
    assert!(said.err.contains(&left), "{}", said.err);
    let all = finished();
    assert_eq!(all.len(), RUNS);
    assert!(kept.iter().all(|(name, written)| all[name] == *written), "a kept run was run again");
}

/// A limit of 512 bytes for each file stands for a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_stops_a_sweep_at_once_and_leaves_nothing_unfinished() {
    use super::command;
    use std::process::Command;

    let scratch = Scratch::new(&format!("{SMALL}[sweep]\nseed = \"1..40\"\n"));
    let (file, out) = (scratch.scenario(), scratch.text("out"));
    let own = command(&["sweep", &file, "--out", &out, "--parallel", "1"]);
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 1 || exit 99; exec \"$@\"", "sh"]);
    let output = limited.arg(own.get_program()).args(own.get_args()).output().expect("sh runs");
    if output.status.code() == Some(99) {
        // This system does not limit the size of files.
        return;
    }
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{err}");
    let failed: Vec<&str> = err.lines().filter(|line| line.contains("could not be kept")).collect();
    assert!(matches!(&failed[..], [one] if one.starts_with("error: seed 1: ")), "{err}");
    assert!(err.contains("stopped: 0 of 40 runs are kept; the same command goes on"), "{err}");
    assert!(names(&scratch.path("out")).iter().all(|name| !name.starts_with('.')), "{err}");
}

#[test]
fn no_run_at_a_time_is_refused() {
    for none in ["0", "-1", "two"] {
        let said = raddle(&["sweep", "a.toml", "--out", "b", &format!("--parallel={none}")]);
        assert_eq!(said.status, 2, "{}", said.err);
        assert!(said.err.contains("expected a number of runs, at least 1"), "{}", said.err);
    }
}

#[test]
fn a_figure_that_is_there_is_not_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().display().to_string();
    let reproduce = || raddle(&["reproduce", "reps/fig2", "--quick", "--out", &out]);
    let first = reproduce();
    assert_eq!(first.status, 0, "{}", first.err);
    assert_eq!(names(&folder.path().join("reps")), ["fig2.html", "fig2.quick.json"]);
    let second = reproduce();
    assert_eq!(second.err, "reps/fig2: kept from before, not run again\n");
    assert_eq!((second.status, second.out), (0, first.out));
    let page = std::fs::read_to_string(folder.path().join("reps/fig2.html")).unwrap();
    for words in
        ["Claims that hold: ", "class=\"verdict\">holds", "REPS completes about 4 %", "id=\"wins\""]
    {
        assert!(page.contains(words), "{words}");
    }
    let kept = folder.path().join("reps/fig2.quick.json");
    std::fs::write(&kept, "{").unwrap();
    reproduce().refused(&["a damaged result: ", "fig2.quick.json: ", "`--redo`"]);
    let again = raddle(&["reproduce", "reps/fig2", "--quick", "--out", &out, "--redo"]);
    assert_eq!(again.status, 0, "{}", again.err);
    assert_eq!(reproduce().err, "reps/fig2: kept from before, not run again\n");
}

#[test]
fn keys_of_a_figure_are_set_to_see_what_they_change() {
    let quick = |name: &str, set: &str| raddle(&["reproduce", name, "--quick", "--set", set]);
    let path = "transport.load_balance.scheme=\"ecmp\"";
    let said = quick("themis/fig2", "transport.recovery.scheme=\"sack\"");
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(said.out.contains("transport.recovery.scheme = \"sack\""), "{}", said.out);
    assert!(said.out.contains("differs"), "{}", said.out);
    let wrong = quick("themis/fig2", "transport.recover.scheme=\"sack\"");
    wrong.refused(&["unknown key `recover`", "nearest: `recovery`"]);
    quick("themis/fig2", "transport.recovery.scheme=\"rnic_sr\"")
        .refused(&["nothing of themis/fig2 changes with --set"]);
    quick("reps/fig14", path).refused(&["reps/fig14 is of a model and has no scenario"]);
}

#[test]
fn results_are_recorded_in_folders_made_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let record = |folder: &std::path::Path| {
        raddle(&["reproduce", "reps/fig14", "--record", &folder.display().to_string()])
    };
    let said = record(&folder.path().join("new"));
    assert_eq!(said.status, 0, "{}", said.err);
    let result = folder.path().join("new/reps/fig14/result.json");
    assert!(std::fs::read_to_string(&result).unwrap().contains("\"claims\""));
    record(&result).refused(&["result.json", "reps/fig14: "]);
}

#[test]
fn a_figure_of_a_model_has_a_page_with_its_claims() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().display().to_string();
    let said = raddle(&["reproduce", "reps/fig14", "--quick", "--out", &out]);
    assert_eq!(said.status, 0, "{}", said.err);
    let page = std::fs::read_to_string(folder.path().join("reps/fig14.html")).unwrap();
    assert!(
        page.contains("Claims that hold: 2 of 2 published, 10 of 10 model.")
            && !page.contains("id=\"wins\"")
    );
}

#[test]
fn recorded_figures_are_listed_shown_and_written_as_pages() {
    let list = raddle(&["figures"]);
    assert_eq!(list.status, 0, "{}", list.err);
    assert!(
        list.out.contains("\nreps/fig14 ")
            && list.out.contains("of their claims hold, as last run")
    );
    let one = raddle(&["figures", "reps/fig14"]);
    assert!(one.out.starts_with("reps/fig14: ") && one.out.contains("flows_32_evs_2_16"));
    raddle(&["figures", "reps/fig41"]).refused(&["no figure `reps/fig41`; nearest: `reps/fig4`"]);
    raddle(&["reproduce", "rep"]).refused(&["no figure `rep`", "`raddle figures` lists them"]);
    let folder = tempfile::tempdir().unwrap();
    let pages = raddle(&["figures", "--pages", &folder.path().join("new").display().to_string()]);
    assert_eq!(pages.status, 0, "{}", pages.err);
    let index = std::fs::read_to_string(folder.path().join("new/figures.md")).unwrap();
    assert!(index.contains("[fig14](figures/reps.md#fig14)"));
}
