//! `raddle advise`: the same answer whoever made which runs when, and healthy runs as others make them.

use super::{Scratch, names, raddle};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const BASE: &str = "[fabric]\n\
    topology = { kind = \"leaf_spine\", leaves = 2, hosts_per_leaf = 2, spines = 2 }\n\
    routing = { convergence = \"2 us\" }\n";

const QUESTION: &str = r#"base = "scenario.toml"
[[axis]]
name = "stack"
value = [
  { name = "OPS", set = { "transport.load_balance.scheme" = "ops" } },
  { name = "REPS", set = { "transport.load_balance.scheme" = "reps" } },
]
[[work]]
name = "step"
traffic = { kind = "permutation", message = "64 KiB" }
short = true
"#;

const FAILS: &str = r#"
[[failure]]
of = "cables"
layer = "tor_agg"
mtbf = "1000 h"
mttr = "10 h"
flaps_per_hour = 36000
lasts = "1 us"
[job]
stops_after = "10 s"
restart = "68 min"
"#;

/// Parts each of which cuts hosts off alone.
const HOSTS: &str = r#"
[[failure]]
of = "nic_ports"
mtbf = "5000 h"
mttr = "10 h"
flaps_per_hour = 0.1
lasts = "3 s"
"#;

/// A question beside its base.
fn scratch(fails: &str) -> (Scratch, String) {
    let scratch = Scratch::new(BASE);
    fs::write(scratch.path("question.toml"), format!("{QUESTION}{fails}")).expect("a file");
    let file = scratch.text("question.toml");
    (scratch, file)
}

#[test]
fn without_failures_its_runs_are_those_of_a_comparison() {
    let (scratch, file) = scratch("");
    let own = raddle(&["advise", &file, "--out", &scratch.text("out"), "--json"]);
    assert_eq!((own.status, own.err.as_str()), (0, ""));
    let own = own.json();
    let traffic = "[traffic]\nkind = \"permutation\"\nmessage = \"64 KiB\"\n[sweep]\n\
                   \"transport.load_balance.scheme\" = [\"ops\", \"reps\"]\nseed = \"1..12\"\n";
    // Where nothing breaks, it does not matter when routing hears of it.
    let base = BASE.replace("routing = { convergence = \"2 us\" }\n", "");
    fs::write(scratch.path("sweep.toml"), format!("{base}{traffic}")).unwrap();
    let runs = scratch.text("runs");
    let swept = raddle(&["sweep", &scratch.text("sweep.toml"), "--out", &runs, "--csv"]);
    assert_eq!(swept.status, 0, "{}", swept.err);
    let kept = |folder: &Path| -> Vec<String> {
        names(folder).into_iter().filter(|name| name.contains("-seed")).collect()
    };
    assert_eq!(kept(&scratch.path("out/runs")), kept(&scratch.path("runs")));
    let works = &own["measured"]["candidates"][0]["works"][0];
    let steps = works["healthy_s"].as_array().unwrap();
    let run = |name: &String| fs::read_to_string(scratch.path("runs").join(name).join("run.json"));
    let all: Vec<String> =
        kept(&scratch.path("runs")).iter().map(|name| run(name).unwrap()).collect();
    assert_eq!((steps.len(), all.len()), (12, 24));
    for step in steps {
        let us = step.as_f64().unwrap() * 1e6;
        let is_run = |text: &String| {
            let own: serde_json::Value = serde_json::from_str(text).unwrap();
            (own["completion_us"].as_f64().unwrap() / us - 1.0).abs() < 1e-12
        };
        assert!(all.iter().any(is_run), "{us}");
    }
}

#[test]
fn an_answer_does_not_depend_on_who_made_which_runs_when() {
    let (scratch, file) = scratch(FAILS);
    let ask = |out: &str, more: &[&str]| {
        let out = scratch.text(out);
        let arguments =
            [&["advise", file.as_str(), "--out", out.as_str(), "--json"], more].concat();
        let said = raddle(&arguments);
        assert_eq!(said.status, 0, "{}", said.err);
        said.out
    };
    let whole = ask("whole", &["--parallel", "2"]);
    // Of what was there when it was killed, every third run.
    fs::create_dir_all(scratch.path("part/runs")).unwrap();
    let runs = names(&scratch.path("whole/runs"));
    for name in runs.iter().step_by(3) {
        fs::rename(scratch.path("whole/runs").join(name), scratch.path("part/runs").join(name))
            .unwrap();
    }
    assert_eq!(ask("part", &["--parallel", "1"]), whole);
    assert_eq!(names(&scratch.path("part/runs")), runs);
    assert_eq!(names(&scratch.path("part")), ["advice.html", "advice.json", "runs"]);
    // New rates on old runs are what a new question finds.
    let rarer = ask("part", &["--again", "failure.0.mtbf=1100 h"]);
    let text = fs::read_to_string(scratch.path("question.toml")).unwrap();
    fs::write(scratch.path("question.toml"), text.replace("1000 h", "1100 h")).unwrap();
    let fresh = ask("part", &[]);
    let ranking = |text: &str| -> serde_json::Value {
        serde_json::from_str::<serde_json::Value>(text).unwrap()["ranking"].clone()
    };
    assert_eq!(ranking(&rarer), ranking(&fresh));
    assert_ne!(ranking(&rarer), ranking(&whole));
}

#[test]
fn a_wrong_question_is_refused_before_anything_runs() {
    let (scratch, file) = scratch("");
    let out = scratch.text("out");
    raddle(&["advise", &file, "--out", &out, "--again", "failure.0.mtbf=5 h"])
        .refused(&["cannot set `failure.0.mtbf`"]);
    raddle(&["advise", &file, "--out", &out, "--again", "ask.margin=3%"])
        .refused(&["advice.json", "ask the question without new rates first"]);
    raddle(&["advise", &file]).refused(&["--out"]);
    let wrong = QUESTION.replace("\"reps\"", "\"repss\"");
    fs::write(scratch.path("question.toml"), wrong).unwrap();
    raddle(&["advise", &file, "--out", &out]).refused(&["question.toml:6:", "nearest: `reps`"]);
    assert!(!scratch.path("out").exists());
}

/// The page's arithmetic, and what it makes of an answer's runs by the answer's rates.
const AS_THE_PAGE: &str = "
const data = JSON.parse(require('fs').readFileSync(0));
const rows = ranked(data, {
  rates: data.rates, job: data.job, costs: [],
  weights: data.measured.works.map(work => work.weight),
});
const near = (a, b) => Math.abs(a - b) <= 1e-12 * Math.abs(b);
const same = rows.length === data.ranking.length && rows.every((row, i) => {
  const own = data.ranking[i];
  return row.name === own.candidate && near(row.value, own.value)
    && near(row.goodput, own.goodput) && near(row.stops, own.stops);
});
process.exit(same ? 0 : 1);
";

/// Where Node is not there, nothing is shown.
#[test]
fn the_page_weighs_runs_as_the_command_does() {
    let estimate =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../raddle/src/advise/page/estimate.js");
    let script = fs::read_to_string(estimate).unwrap() + AS_THE_PAGE;
    let (scratch, file) = scratch(&format!("{FAILS}{HOSTS}"));
    let out = scratch.text("out");
    assert_eq!(raddle(&["advise", &file, "--out", &out]).status, 0);
    for again in [None, Some("failure.0.mtbf=200 h"), Some("failure.1.mtbf=2000 h")] {
        let again = again.map(|again| ["--again", again]);
        let arguments = [
            &["advise", file.as_str(), "--out", out.as_str(), "--json"][..],
            again.as_ref().map_or(&[], |own| &own[..]),
        ]
        .concat();
        let json = raddle(&arguments).out;
        let node = Command::new("node").args(["-e", &script]).stdin(Stdio::piped()).spawn();
        let Ok(mut node) = node else { return };
        node.stdin.take().unwrap().write_all(json.as_bytes()).unwrap();
        assert!(node.wait().unwrap().success(), "{json}");
    }
}
