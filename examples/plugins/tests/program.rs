//! The program as its users meet it.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

#[path = "../../../crates/raddle-cli/tests/cli/page.rs"]
mod page;

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Exit status, standard output, standard error.
fn raddle(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle-plugins"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments);
    let said = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (said.status.code(), text(said.stdout), text(said.stderr))
}

#[test]
fn a_scenario_has_a_stack_of_schemes_that_are_in_no_list() {
    let scratch = tempfile::tempdir().unwrap();
    let out = scratch.path().to_str().unwrap();
    let (status, said, why) =
        raddle(&["run", "stack.toml", "--json", "--csv", "--check", "--out", out]);
    assert_eq!(status, Some(0), "{why}");
    let run: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(run["completed"], true);
    let folder = std::fs::read_dir(scratch.path()).unwrap().next().unwrap().unwrap().path();
    let scenario = std::fs::read_to_string(folder.join("scenario.toml")).unwrap();
    for own in
        ["scheme = \"cautious\", keep = 0.8", "scheme = \"patient\", patience = 3", "first = 4"]
    {
        assert!(scenario.contains(own), "{own} in {scenario}");
    }
    let probes = std::fs::read_to_string(folder.join("probes.csv")).unwrap();
    for word in ["cuts", "moves", "refused", "late"] {
        assert!(probes.contains(word), "{word} in {probes}");
    }
}

#[test]
fn planes_and_planners_have_theirs() {
    let scratch = tempfile::tempdir().unwrap();
    let out = scratch.path().to_str().unwrap();
    let (status, said, why) = raddle(&["compare", "planes.toml", "--out", out]);
    assert_eq!(status, Some(0), "{why}");
    assert!(said.contains("emptiest") && said.contains("ecmp"), "{said}");
    let (status, said, why) = raddle(&["plan", "planned.toml"]);
    assert_eq!(status, Some(0), "{why}");
    assert!(said.contains("2 pieces"), "{said}");
    let (status, _, why) = raddle(&["run", "planned.toml", "--out", out]);
    assert_eq!(status, Some(0), "{why}");
}

#[test]
fn the_catalogue_and_errors_know_them() {
    let (_, said, _) = raddle(&["schemes"]);
    for name in [
        "fickle",
        "shorter_line",
        "emptiest",
        "cautious",
        "patient",
        "ramp",
        "newcomers",
        "late",
        "halves",
    ] {
        assert!(said.contains(&format!("  {name} ")), "{name} in {said}");
    }
    let (_, said, _) = raddle(&["schemes", "cautious"]);
    assert!(said.contains("keep = 0.9") && said.contains("shows   cuts"), "{said}");
    let refuse = |set: &str| {
        let (status, _, why) = raddle(&["run", "stack.toml", "--set", set]);
        assert_eq!(status, Some(2), "{why}");
        why
    };
    let why = refuse("transport.congestion.scheme=\"cautius\"");
    assert!(why.contains("unknown scheme `cautius`") && why.contains("`cautious`"), "{why}");
    let why = refuse("transport.congestion.keep=2.0");
    assert!(why.contains("at most 1"), "{why}");
    let why = refuse("transport.congestion.kep=0.5");
    assert!(why.contains("`cautious` has no parameter `kep`"), "{why}");
    let why = refuse("fabric.load_balance={ scheme = \"cautious\" }");
    assert!(why.contains("it goes to [transport] congestion"), "{why}");
    let why = refuse("record.probes=[\"cutz\"]");
    assert!(why.contains("`cuts`"), "{why}");
}

#[test]
fn the_tutorial_compares_with_this_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let typed = "cargo run --release --manifest-path ../examples/plugins/Cargo.toml --";
    let programs = [(typed, env!("CARGO_BIN_EXE_raddle-plugins"))];
    let followed = page::follow(&root, "tutorials/researcher.md", &programs);
    followed.unwrap_or_else(|wrong| panic!("UPDATE=1 writes what is printed\n{wrong}"));
}
