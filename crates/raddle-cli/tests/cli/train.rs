//! `raddle train`: what it writes, and that a scenario takes it.

use super::{Scratch, names, raddle};

const FABRIC: &str = "[fabric]\ntopology = { kind = \"leaf_spine\", leaves = 2, hosts_per_leaf = 4, \
                      spines = 2, rate = \"10 Gbps\", uplink_rate = \"10 Gbps\" }\n\
                      queue = { size = \"unlimited\", marking = { scheme = \"none\" } }\n";

/// Six senders whose packets do not fit this memory.
fn scenario(buffer: &str) -> String {
    format!(
        "{FABRIC}buffer = {{ size = \"60 kB\", {buffer} }}\n\
         [transport]\ncongestion = {{ scheme = \"cubic\" }}\n\
         [traffic]\nkind = \"incast\"\nsenders = 6\nmessage = \"1 MB\"\n"
    )
}

fn longest_queue_drop() -> String {
    scenario("scheme = \"longest_queue_drop\"")
}

#[test]
fn an_oracle_says_how_it_was_made_and_runs() {
    let scratch = Scratch::new(&longest_queue_drop());
    let (file, out, rows) = (scratch.scenario(), scratch.text("oracle.txt"), scratch.text("rows"));
    let arguments = ["train", "credence", &file, "--out", &out, "--trees", "2", "--per-switch"];
    let said = raddle(&[&arguments[..], &["--rows", &rows, "--seeds", "1,2"]].concat());
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(said.out.contains("of them dropped") && said.out.contains("recall"), "{}", said.out);
    assert!(said.out.contains("tor0:") && said.out.contains("spine1:"), "{}", said.out);
    assert_eq!(names(&scratch.path("rows")), ["seed-1", "seed-2"]);
    assert_eq!(names(&scratch.path("rows/seed-2")), ["training.parquet"]);
    let text = std::fs::read_to_string(&out).unwrap();
    let made = format!("raddle train credence {file} --seeds 1,2 --trees 2 --depth 4 --share 0.4 ");
    assert!(text.contains(&format!("{made}--per-switch --seed 1\n")), "{text}");
    // Four switches, two trees each but where nothing is dropped.
    assert_eq!((text.matches(" |\n").count(), text.matches("\n0").count()), (3, 2), "{text}");
    // The same command makes the same file, and its JSON is the same model.
    let again = raddle(&[&arguments[..], &["--json", "--seeds", "1,2"]].concat()).json();
    assert_eq!(std::fs::read_to_string(&out).unwrap(), text);
    assert_eq!((&again["schema"], &again["trees"]), (&"raddle.train/1".into(), &2.into()));
    assert_eq!(again["switches"].as_array().unwrap().len(), 4);
    let credence = Scratch::new(&scenario("scheme = \"credence\", oracle_file = \"oracle.txt\""));
    std::fs::copy(&out, credence.path("oracle.txt")).unwrap();
    let run = raddle(&["run", &credence.scenario(), "--json", "--out", &credence.text("o")]);
    assert_eq!(run.status, 0, "{}", run.err);
}

#[test]
fn what_cannot_be_learnt_from_is_refused() {
    let scratch = Scratch::new(&longest_queue_drop());
    let out = scratch.text("oracle.txt");
    let train = |more: &[&str]| {
        raddle(&[&["train", "credence", &scratch.scenario(), "--out", &out], more].concat())
    };
    train(&["--trees", "129"]).refused(&["129 trees: expected 1 to 128"]);
    train(&["--set", "fabric.buffer.scheme=\"complete_sharing\""])
        .refused(&["expected `buffer = { scheme = \"longest_queue_drop\""]);
    train(&["--set", "fabric.buffer.size=\"60 MB\""]).refused(&["nothing was dropped"]);
    train(&["--set", "sweep.traffic.senders=[2, 3]"]).refused(&["sweep of 2 scenarios", "--set"]);
    assert!(!scratch.path("oracle.txt").exists());
}
