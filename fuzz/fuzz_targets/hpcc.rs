//! No file of HPCC's makes the importer panic, in either mode, whichever of the three it is taken
//! for. Start from the data files: `cargo +nightly fuzz run hpcc fuzz/corpus/hpcc data/hpcc`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle::import::hpcc::{Options, cdf, flows, topology};
use raddle_schemes::units::Time;

fuzz_target!(|text: &str| {
    for compat in [false, true] {
        let options = Options { compat };
        if let Err(errors) = topology::parse(text, options) {
            assert!(!errors.is_empty());
        }
        if let Err(errors) = flows::parse(text, Time::ZERO, options) {
            assert!(!errors.is_empty());
        }
    }
    if let Err(errors) = cdf::parse(text) {
        assert!(!errors.is_empty());
    }
});
