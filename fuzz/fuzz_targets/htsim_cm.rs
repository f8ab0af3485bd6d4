//! No connection matrix makes the importer panic, in either mode. Start from the data files:
//! `cargo +nightly fuzz run htsim_cm fuzz/corpus/htsim_cm data/htsim`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle::import::htsim_cm::{CmOptions, parse};

fuzz_target!(|text: &str| {
    for compat in [false, true] {
        match parse(text, CmOptions { compat }) {
            Ok(matrix) => {
                let _ = matrix.traffic(matrix.nodes);
            }
            Err(errors) => assert!(!errors.is_empty()),
        }
    }
});
