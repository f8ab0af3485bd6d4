//! `raddle vectors`: every scheme's transitions, which the engine's code and a program in C read again.

use super::{SMALL, Scratch, raddle};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/vectors");

/// Lines as JSON.
fn lines(text: &str) -> impl Iterator<Item = Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_default())
}

/// States as the program in C printed them: numbers that JSON does not have are texts there.
fn printed(text: &str) -> impl Iterator<Item = Value> {
    let quoted = |line: &str| line.replace(":inf", ":\"inf\"").replace(":-inf", ":\"-inf\"");
    text.lines().map(move |line| serde_json::from_str(&quoted(line)).unwrap_or_default())
}

/// Whether two values are the same; to a program in C, 5.0 is 5.
fn same(own: &Value, other: &Value) -> bool {
    match (own, other) {
        (Value::Array(own), Value::Array(other)) => {
            own.len() == other.len() && own.iter().zip(other).all(|(own, other)| same(own, other))
        }
        (Value::Object(own), Value::Object(other)) => {
            own.keys().eq(other.keys()) && own.iter().all(|(word, own)| same(own, &other[word]))
        }
        (Value::Number(own), Value::Number(other)) => {
            own == other || own.is_f64() != other.is_f64() && own.as_f64() == other.as_f64()
        }
        _ => own == other,
    }
}

#[test]
fn a_program_in_c_reads_all_states_and_replays_reps() {
    let scratch = Scratch::new(SMALL);
    let [vectors, header, program] =
        ["all.jsonl", "vectors.h", "replay"].map(|name| scratch.text(name));
    let few = ["vectors", "--events", "20", "--steps", "20", "--out", &vectors];
    let written = raddle(&[&few[..], &["--header", &header]].concat());
    assert_eq!(written.status, 0, "{}", written.err);
    assert!(written.err.is_empty(), "{}", written.err);
    let replayed = raddle(&["vectors", "--replay", &vectors]);
    assert_eq!(replayed.status, 0, "{}", replayed.err);
    assert!(replayed.out.contains("the engine's code gives the same"), "{}", replayed.out);

    let folder = Path::new(&header).parent().unwrap();
    let own = ["replay.c", "reps.c"].map(|name| format!("{EXAMPLE}/{name}"));
    let compiled = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-I", EXAMPLE, "-I"])
        .arg(folder)
        .args(own)
        .args(["-o", &program])
        .output()
        .expect("a C compiler, which the project needs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = |arguments: &[&str]| {
        let output = Command::new(&program).args(arguments).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{err}");
        String::from_utf8(output.stdout).unwrap()
    };
    let said = run(&[&vectors]);
    assert!(said.contains("replayed: no difference") && !said.contains(" 0 replayed"), "{said}");
    let text = fs::read_to_string(&vectors).unwrap();
    let out = run(&["--print", &vectors]);
    let mut states = printed(&out);
    for (place, line) in lines(&text).enumerate().filter(|(_, line)| line.get("family").is_none()) {
        for word in ["state", "new_state"] {
            let read = states.next().unwrap();
            assert!(same(&read, &line[word]), "line {}: {word} {read}, {}", place + 1, line[word]);
        }
    }
    assert_eq!(states.next(), None);

    // Another answer is found out, by both.
    let step = lines(&text).position(|line| line["answer"].is_u64() && line["step"] == 3).unwrap();
    let mut changed: Vec<String> = text.lines().map(str::to_owned).collect();
    changed[step] = changed[step].replacen("\"answer\":", "\"answer\":9", 1);
    fs::write(&vectors, changed.join("\n") + "\n").unwrap();
    let refused = raddle(&["vectors", "--replay", &vectors]);
    assert_eq!(refused.status, 1);
    let place = format!("line {}: the answer is", step + 1);
    assert!(refused.err.contains(&place), "{}", refused.err);
}

#[test]
fn vectors_are_the_same_each_time_and_mistakes_are_told() {
    let one = || raddle(&["vectors", "dcqcn", "--events", "20", "--steps", "20"]);
    let (first, second) = (one(), one());
    assert_eq!((first.status, &first.out), (0, &second.out), "{}", first.err);
    let head = lines(&first.out).next().unwrap();
    assert_eq!((&head["family"], &head["scheme"]), (&"congestion".into(), &"dcqcn".into()));
    raddle(&["vectors", "dcqn"]).refused(&["`dcqn`", "nearest: `dcqcn`", "--list"]);
    let list = raddle(&["vectors", "--list"]);
    assert!(list.out.lines().any(|line| line.split_whitespace().eq(["tor", "themis"])));
    let scratch = Scratch::new("{\n");
    raddle(&["vectors", "--replay", &scratch.scenario()]).refused(&["line 1", "no JSON"]);
    let one = scratch.text("one");
    raddle(&["vectors", "reps", "--out", &one, "--header", &one]).refused(&["are one file"]);
    raddle(&["vectors", "--replay", "no such file"]).refused(&["no such file"]);
}
