//! What a user sees who makes a mistake.

mod collectives;
mod credits;
mod extremes;
mod faults;
mod hosts;
mod idle;
mod keys;
mod labels;
mod memory;
mod patterns;
mod planes;
mod queues;
mod reasons;
mod reports;
mod retry;
mod studies;
mod topologies;

use raddle::problem::{Problem, Problems};
use raddle::scenario::parse;
use std::path::Path;

/// A scenario that is right; cases replace or add to its sections.
const FABRIC: &str = "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 128 }\n";
const TRAFFIC: &str = "[traffic]\nkind = \"permutation\"\n";

fn problems(text: &str) -> Problems {
    problems_with(text, &[])
}

fn problems_with(text: &str, overrides: &[(&str, &str)]) -> Problems {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
    match parse("demo.toml", text, Path::new("."), &overrides) {
        Ok(study) => panic!("accepted: {}", study.cells[0].scenario.resolved_toml()),
        Err(problems) => problems,
    }
}

/// `marked text: message; label`, one line for each problem.
fn brief(problems: &Problems) -> String {
    let line = |problem: &Problem| {
        let source = problems.sources.iter().find(|s| Some(&s.path) == problem.file.as_ref());
        let span = problem.span.clone().unwrap_or_default();
        let marked = source.map_or("", |source| &source.text[span]);
        let label = problem.label.as_deref().unwrap_or("-");
        format!("{marked} | {} | {label}", problem.message)
    };
    problems.list.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn check(text: &str, expected: &str) {
    assert_eq!(brief(&problems(text)), expected, "for\n{text}");
}

/// A scenario with more keys in `[fabric]`.
fn fabric(keys: &str, expected: &str) {
    check(&format!("{FABRIC}{keys}{TRAFFIC}"), expected);
}

/// A scenario that more of the fabric leaves a good one.
fn good(keys: &str) {
    let text = format!("{FABRIC}{keys}{TRAFFIC}");
    if let Err(problems) = parse("demo.toml", &text, Path::new("."), &[]) {
        panic!("{}", problems.render(false));
    }
}

/// A scenario with another topology.
fn topology(value: &str, expected: &str) {
    check(&format!("[fabric]\ntopology = {value}\n{TRAFFIC}"), expected);
}

/// A scenario with other traffic.
fn traffic(section: &str, expected: &str) {
    check(&format!("{FABRIC}{section}"), expected);
}

/// A scenario with more sections.
fn more(sections: &str, expected: &str) {
    check(&format!("{FABRIC}{TRAFFIC}{sections}"), expected);
}
