//! A folder of the engine uses only those above it, and the reference nothing of the engine.
#![expect(clippy::unwrap_used, reason = "a source file that cannot be read fails the test")]

use std::fs;
use std::path::Path;

/// From what uses nothing of the engine to what is used by nothing but its entry, `engine/mod.rs`.
const LAYERS: [&str; 10] = [
    "cache",
    "schedule",
    "partition",
    "link",
    "notes",
    "world",
    "port",
    "switch",
    "part",
    "threads",
];

fn level(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| *layer == module)
}

/// Looks at the files of layer `own`. Layers are named as `crate::engine::..`, in files that are
/// not in a folder also as `super::..`.
fn look(path: &Path, own: usize, prefixes: &[&str]) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            look(&entry.unwrap().path(), own, &prefixes[..1]);
        }
        return;
    }
    for (number, line) in fs::read_to_string(path).unwrap().lines().enumerate() {
        for used in prefixes.iter().flat_map(|prefix| line.split(prefix).skip(1)) {
            let name = used.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
            let place = format!("{}:{}", path.display(), number + 1);
            // `crate::engine::{..}` would hide what it names.
            assert!(!used.starts_with('{'), "{place}: one `use` a layer");
            assert!(level(name).is_none_or(|used| used <= own), "{place}: uses {name}");
        }
    }
}

#[test]
fn a_layer_of_the_engine_uses_only_those_above_it() {
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/engine");
    let mut layers = 0;
    for entry in fs::read_dir(engine).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if name == "mod" {
            continue;
        }
        let own = level(&name).unwrap_or_else(|| panic!("`{name}` is in no layer"));
        look(&path, own, &["crate::engine::", "super::"]);
        layers += 1;
    }
    assert_eq!(layers, LAYERS.len());
}

/// The lines of all files below `folder` that name one of `modules`.
fn naming(folder: &Path, modules: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(naming(&path, modules));
            continue;
        }
        let text = fs::read_to_string(path).unwrap();
        let names = |line: &&str| modules.iter().any(|module| line.contains(module));
        found.extend(text.lines().filter(names).map(str::to_owned));
    }
    found
}

/// Both would be wrong alike where they share code.
#[test]
fn the_reference_shares_no_engine_and_no_hosts() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let shared = ["crate::engine", "crate::host", "crate::{"];
    assert_eq!(naming(&src.join("reference"), &shared), Vec::<String>::new());
    assert_ne!(naming(&src.join("engine"), &shared), Vec::<String>::new());
}
