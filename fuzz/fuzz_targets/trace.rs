//! No trace makes a reader panic, whatever its format, and one that is refused is refused with a
//! reason. Start from the samples: `cargo +nightly fuzz run trace fuzz/corpus/trace data/traces/goal
//! data/traces/simai data/traces/microbenchmarks`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle::import::trace::{self, Options};

fuzz_target!(|bytes: &[u8]| {
    let path = std::env::temp_dir().join(format!("raddle-fuzz-{}.0.et", std::process::id()));
    std::fs::write(&path, bytes).expect("a file");
    let opened = trace::open(&path).expect("a file");
    for word in trace::WORDS {
        match trace::read(&opened, Some(word), &Options::default()) {
            Ok(trace) => drop((trace.to_json(), trace.to_string(), trace.flows())),
            Err(errors) => assert!(!errors.is_empty()),
        }
    }
});
