//! Tells builds apart for people: where the sources come from, and how they were built.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=RADDLE_COMMIT");
    let out = PathBuf::from(env("OUT_DIR"));
    // target/PROFILE/build/raddle-cli-HASH/out
    let profile = out.ancestors().nth(3).and_then(|folder| folder.file_name());
    let profile = profile.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let features = ["highs"].into_iter().filter(|name| {
        let key = format!("CARGO_FEATURE_{}", name.to_uppercase());
        try_env(&key).is_some()
    });
    let features: Vec<&str> = features.collect();
    let features = if features.is_empty() { "none".to_owned() } else { features.join(", ") };
    println!("cargo:rustc-env=RADDLE_PROFILE={profile}, opt-level {}", env("OPT_LEVEL"));
    println!("cargo:rustc-env=RADDLE_TARGET={}", env("TARGET"));
    println!("cargo:rustc-env=RADDLE_FEATURES={features}");
    println!("cargo:rustc-env=RADDLE_COMMIT={}", commit());
}

/// The commit: what a packager says, else that of the clone, else that of the published package.
fn commit() -> String {
    if let Some(named) = try_env("RADDLE_COMMIT") {
        return named;
    }
    // What tests build is not built anew for each commit.
    if env("PROFILE") == "debug" {
        return "not looked up in a debug build".to_owned();
    }
    of_clone().or_else(of_package).unwrap_or_else(|| "unknown".to_owned())
}

/// The commit of the clone that this file belongs to.
fn of_clone() -> Option<String> {
    // A package below some other repository is no part of that.
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let done = Command::new("git").args(arguments).output().ok()?;
    let said = String::from_utf8(done.stdout).ok()?;
    done.status.success().then(|| said.trim().to_owned())
}

/// The commit that `cargo package` has noted down.
fn of_package() -> Option<String> {
    let noted = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let hash = noted.split_once("\"sha1\"")?.1.split('"').nth(1)?;
    Some(hash.chars().take(12).collect())
}

fn env(key: &str) -> String {
    try_env(key).unwrap_or_else(|| panic!("{key} is not set"))
}

#[expect(clippy::disallowed_methods, reason = "how cargo talks to a build script")]
fn try_env(key: &str) -> Option<String> {
    std::env::var(key).ok()
}
