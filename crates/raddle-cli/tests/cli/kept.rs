//! What a run keeps: it gives the same run again, one command at a time writes into a folder, and
//! damage is told.

use super::{SMALL, SWEEP, Scratch, command, names, raddle};
use raddle::study::lock;
use std::fs;
use std::path::Path;

const LAW: &str = "size_bytes,cdf\n1000,0.5\n20000,1\n";

/// A scenario for every kind of file that one can name, with the file and its text.
fn scenarios() -> Vec<(&'static str, String, String)> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    let text = |path: &str| fs::read_to_string(data.join(path)).expect("the file is there");
    let tree = "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 16 }\n";
    let permutation = "[traffic]\nkind = \"permutation\"\nmessage = \"64 KiB\"\n";
    let topology = |kind: &str, file: &str| {
        format!("[fabric]\ntopology = {{ kind = \"{kind}\", file = \"{file}\" }}\n{permutation}")
    };
    let open_loop = |kind: &str| {
        format!(
            "{tree}[traffic]\nkind = \"{kind}\"\nlaw = \"in/law.csv\"\nload = 0.3\n\
             until = \"20 us\"\n"
        )
    };
    let matrix = format!("{tree}[traffic]\nkind = \"htsim_cm\"\nfile = \"in/one.cm\"\n");
    vec![
        ("in/g.txt", text("graphs/two_halls.graph"), topology("graph", "in/g.txt")),
        ("in/t.topo", text("htsim/leaf_spine_tiny.topo"), topology("htsim_topo", "in/t.topo")),
        ("in/one.cm", text("htsim/one.cm"), matrix),
        ("in/law.csv", LAW.to_owned(), open_loop("poisson")),
        ("in/law.csv", LAW.to_owned(), open_loop("partners")),
    ]
}

/// The only run that a folder of runs holds.
fn only_run(folder: &Path) -> std::path::PathBuf {
    let mut runs = names(folder);
    runs.retain(|name| name.contains("-seed"));
    assert_eq!(runs.len(), 1, "{runs:?}");
    folder.join(&runs[0])
}

#[test]
fn a_kept_scenario_gives_the_same_run_whatever_became_of_its_files() {
    for (file, text, scenario) in scenarios() {
        let scratch = Scratch::new(&scenario);
        fs::create_dir(scratch.path("in")).unwrap();
        fs::write(scratch.path(file), text).unwrap();
        let out = scratch.text("out");
        let arguments =
            ["run", &scratch.scenario(), "--seed", "7", "--out", &out, "--csv", "--json"];
        let first = raddle(&arguments);
        assert_eq!(first.status, 0, "{file}: {}", first.err);
        let first = first.json();
        fs::remove_dir_all(scratch.path("in")).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let kept = elsewhere.path().join("kept");
        fs::rename(only_run(&scratch.path("out")), &kept).unwrap();
        let again = command(&["run", "kept/scenario.toml", "--json"])
            .current_dir(elsewhere.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&again.stderr);
        assert_eq!(again.status.code(), Some(0), "{file}: {said}");
        let again: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
        for key in ["scenario", "seed", "results_hash"] {
            assert_eq!(again[key], first[key], "{file}: {key}");
        }
    }
}

#[test]
fn a_seed_that_no_scenario_can_name_is_refused() {
    let scratch = Scratch::new(SMALL);
    let most = raddle(&["run", &scratch.scenario(), "--seed", &i64::MAX.to_string(), "--json"]);
    assert_eq!(most.status, 0, "{}", most.err);
    raddle(&["run", &scratch.scenario(), "--seed", "9223372036854775808"]).refused(&["--seed"]);
}

#[test]
fn a_folder_that_another_command_writes_into_is_refused() {
    let scratch = Scratch::new(&format!("{SMALL}{SWEEP}"));
    let (file, out) = (scratch.scenario(), scratch.text("out"));
    let place = scratch.path("out/results");
    fs::create_dir_all(&place).unwrap();
    let [held, of_compare] = [scratch.path("out"), place].map(|folder| lock::hold(&folder));
    if !held.as_ref().is_ok_and(lock::Held::alone) {
        return;
    }
    let one = ["--set", "transport.load_balance.scheme=reps"];
    for arguments in [
        vec!["sweep", &file, "--out", &out],
        vec!["compare", &file, "--out", &out],
        vec!["run", &file, "--out", &out, one[0], one[1]],
        vec!["verdict", "--out", &out, "--page", &scratch.text("page.md"), "tornado"],
    ] {
        raddle(&arguments).refused(&["another raddle is writing into this folder", &out]);
    }
    drop((held, of_compare));
    let said = raddle(&["sweep", &file, "--out", &out, "--csv"]);
    assert_eq!(said.status, 0, "{}", said.err);
    let table = fs::read_to_string(scratch.path("out/runs.csv")).unwrap();
    assert_eq!(table.lines().count(), 3);
}

#[test]
fn a_damaged_run_is_named_and_run_again_if_asked() {
    let scratch = Scratch::new(SMALL);
    let (file, out) = (scratch.scenario(), scratch.text("out"));
    for command in ["run", "sweep"] {
        let arguments = [command, &file, "--out", &out];
        assert_eq!(raddle(&arguments).status, 0);
        let flows = only_run(&scratch.path("out")).join("flows.parquet");
        fs::write(&flows, "").unwrap();
        let said = raddle(&arguments);
        said.refused(&["a damaged run: ", "flows.parquet: ", "`--redo` runs what is damaged"]);
        let said = raddle(&[&arguments[..], &["--redo"]].concat());
        assert_eq!(said.status, 0, "{}", said.err);
        assert!(said.err.contains("1 damaged run will be run again"), "{}", said.err);
        assert_eq!(raddle(&arguments).status, 0);
    }
}

#[test]
fn a_damaged_picture_is_named_and_drawn_again_if_asked() {
    let scratch = Scratch::new(SMALL);
    let (file, out) = (scratch.scenario(), scratch.text("out"));
    let arguments = ["compare", &file, "--out", &out];
    assert_eq!(raddle(&arguments).status, 0);
    fs::write(only_run(&scratch.path("out/results")).join("picture.json"), "{\"fct_us\"").unwrap();
    raddle(&arguments).refused(&["a damaged run: ", "picture.json: "]);
    let said = raddle(&[&arguments[..], &["--redo"]].concat());
    assert_eq!(said.status, 0, "{}", said.err);
}

#[test]
fn a_run_that_would_fill_the_memory_is_refused_by_every_command() {
    let text = "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 16 }\n[traffic]\n\
                kind = \"poisson\"\nlaw = \"tiny.csv\"\nload = 1.0\nuntil = \"400 ms\"\n";
    let scratch = Scratch::new(text);
    fs::write(scratch.path("tiny.csv"), "size_bytes,cdf\n90,0.5\n100,1\n").unwrap();
    if raddle::study::memory::available().is_none_or(|bytes| bytes > 400_000_000_000) {
        return;
    }
    let (file, out) = (scratch.scenario(), scratch.text("out"));
    for arguments in [
        vec!["run", &file],
        vec!["sweep", &file, "--out", &out],
        vec!["compare", &file, "--out", &out],
    ] {
        raddle(&arguments).refused(&[
            "GB of memory, and ",
            "are available: fewer hosts",
            "`until`",
        ]);
    }
}
