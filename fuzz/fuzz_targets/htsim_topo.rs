//! No fat-tree description makes the importer panic. Start from the data files:
//! `cargo +nightly fuzz run htsim_topo fuzz/corpus/htsim_topo data/htsim`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle::import::htsim_topo::parse;

fuzz_target!(|text: &str| {
    match parse(text).and_then(|file| file.shape().map(|shape| file.notes(&shape))) {
        Ok(_) => {}
        Err(errors) => assert!(!errors.is_empty()),
    }
});
