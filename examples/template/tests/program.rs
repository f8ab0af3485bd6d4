//! The program as its users meet it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// The program at work in a scratch folder that has the scenario.
fn program(arguments: &[&str]) -> Output {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let scenario = include_str!("../scenario.toml");
    fs::write(folder.join("scenario.toml"), scenario).expect("the scratch folder takes files");
    let mut command = Command::new(env!("CARGO_BIN_EXE_my-raddle"));
    command.current_dir(folder).args(arguments).output().expect("the program starts")
}

#[test]
fn its_scheme_runs_beside_listed_ones() {
    let done = program(&["compare", "scenario.toml", "--out", "compared"]);
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{err}");
    assert!(["ecmp", "ops", "steps"].iter().all(|name| out.contains(name)), "{out}");
}

#[test]
fn a_wrong_parameter_is_told_with_the_nearest() {
    let set = r#"transport.load_balance={ scheme = "steps", packet = 4 }"#;
    let done = program(&["run", "scenario.toml", "--set", set]);
    assert_eq!(done.status.code(), Some(2));
    let err = String::from_utf8_lossy(&done.stderr);
    assert!(err.contains("`packets`"), "{err}");
}
