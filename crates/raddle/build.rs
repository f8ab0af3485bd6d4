//! Tells one build of a version from another: a hash of the sources that results depend on, for
//! what is kept on disk. Shared by the crates that keep results.

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let here = PathBuf::from(env("CARGO_MANIFEST_DIR"));
    // In a published package the other crates are not beside this one, and their versions tell.
    let places = ["src", "../raddle/src", "../raddle-sim/src", "../raddle-schemes/src"];
    let places = places.iter().chain(&["../../Cargo.lock"]).map(|place| here.join(place));
    let mut files = Vec::new();
    for place in places.filter(|place| place.exists()) {
        println!("cargo:rerun-if-changed={}", place.display());
        list(&place, &mut files);
    }
    let here = whole(&here);
    let root = here.ancestors().nth(2).unwrap_or(&here);
    let mut files: Vec<PathBuf> = files.iter().map(|file| whole(file)).collect();
    files.sort();
    files.dedup();
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for file in files {
        let name = file.strip_prefix(root).unwrap_or(&file);
        hash.add(name.to_string_lossy().replace('\\', "/").as_bytes());
        hash.add(&fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display())));
    }
    println!("cargo:rustc-env=RADDLE_BUILD={}+{:08x}", env("CARGO_PKG_VERSION"), hash.0 >> 32);
}

#[expect(clippy::disallowed_methods, reason = "how cargo talks to a build script")]
fn env(key: &str) -> String {
    std::env::var(key).unwrap_or_else(|error| panic!("{key}: {error}"))
}

/// The path from the root, so that a file has one name whichever crate asks.
fn whole(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files at or below `place`.
fn list(place: &Path, files: &mut Vec<PathBuf>) {
    if !place.is_dir() {
        return files.push(place.to_path_buf());
    }
    let entries =
        fs::read_dir(place).unwrap_or_else(|error| panic!("{}: {error}", place.display()));
    for entry in entries.flatten() {
        list(&entry.path(), files);
    }
}

/// FNV-1a: the same on every machine and with every compiler.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
