//! Which build this is.

use raddle::study::BUILD;
use std::sync::LazyLock;

/// What `raddle --version` prints: the version with a hash of the sources, then where they come from
/// and how they were built.
pub(super) fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let lines = [
            ("commit", env!("RADDLE_COMMIT")),
            ("profile", env!("RADDLE_PROFILE")),
            ("target", env!("RADDLE_TARGET")),
            ("features", env!("RADDLE_FEATURES")),
        ];
        let lines = lines.map(|(name, value)| format!("\n{name:<9} {value}"));
        BUILD.to_owned() + &lines.concat()
    });
    &TEXT
}
