//! No scenario makes the reader panic, and one that it refuses is refused with a reason. Start from
//! the examples: `cargo +nightly fuzz run scenario fuzz/corpus/scenario scenarios`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle::scenario::parse;
use std::path::Path;

fuzz_target!(|text: &str| {
    match parse("scenario.toml", text, Path::new("scenarios"), &[]) {
        Ok(_) => {}
        Err(problems) => {
            assert!(!problems.list.is_empty());
            assert!(!problems.render(false).is_empty());
        }
    }
});
