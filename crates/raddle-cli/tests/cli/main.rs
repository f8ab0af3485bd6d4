//! The `raddle` command as its users meet it: exit status, standard output, standard error, files.

mod advise;
mod book;
mod catalogue;
mod circuits;
mod compare;
mod export;
mod kept;
mod mistakes;
mod output;
mod page;
mod run;
mod same;
mod shell;
mod statuses;
mod sweep;
mod trace;
mod train;
mod vectors;
mod view;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Sixteen hosts, short messages.
const SMALL: &str = r#"[fabric]
topology = { kind = "fat_tree", hosts = 16 }
[transport]
load_balance = { scheme = "reps" }
[traffic]
kind = "permutation"
message = "64 KiB"
"#;

/// The same with two dead uplinks: flows whose one path leads there never complete.
const STALLING: &str = r#"[fabric]
topology = { kind = "fat_tree", hosts = 16 }
[transport]
load_balance = { scheme = "ecmp" }
[traffic]
kind = "permutation"
message = "64 KiB"
[[fault]]
link = "tor0.up1"
down = "2 us.."
[[fault]]
link = "tor1.up1"
down = "2 us.."
"#;

const SWEEP: &str = "[sweep]\n\"transport.load_balance.scheme\" = [\"ops\", \"reps\"]\n";

/// What a command said and how it ended.
struct Said {
    status: i32,
    out: String,
    err: String,
}

impl Said {
    /// The one JSON object on standard output.
    fn json(&self) -> Value {
        assert_eq!(self.out.lines().count(), 1, "{}", self.out);
        serde_json::from_str(&self.out).expect("standard output is one JSON object")
    }

    /// Asserts that nothing was run, and that standard error says so with these words.
    fn refused(&self, words: &[&str]) {
        assert_eq!((self.status, self.out.as_str()), (2, ""), "{}", self.err);
        for word in words {
            assert!(self.err.contains(word), "`{word}` is not in\n{}", self.err);
        }
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn raddle(arguments: &[&str]) -> Said {
    let output = command(arguments).output().expect("raddle starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    let said = Said {
        status: output.status.code().expect("raddle ends by itself"),
        out: text(output.stdout),
        err: text(output.stderr),
    };
    assert!(!said.err.contains(['\r', '\u{1b}']), "no progress or colour in pipes: {}", said.err);
    assert!(!said.out.contains('\u{1b}'), "no colour in pipes: {}", said.out);
    said
}

/// A folder with a scenario in it.
struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    fn new(scenario: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("scenario.toml"), scenario).expect("a file");
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn scenario(&self) -> String {
        self.text("scenario.toml")
    }
}

/// Names of what a folder holds, sorted; hidden ones too.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The scenarios that come with raddle.
fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    names(&folder).iter().map(|name| folder.join(name)).collect()
}
