//! No description of a graph makes the reader panic. Start from the examples:
//! `cargo +nightly fuzz run graph fuzz/corpus/graph data/graphs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_sim::topology::graph::parse_graph;

fuzz_target!(|text: &str| {
    match parse_graph(text) {
        Ok(fabric) => assert!(fabric.hosts > 0),
        Err(errors) => assert!(!errors.is_empty()),
    }
});
