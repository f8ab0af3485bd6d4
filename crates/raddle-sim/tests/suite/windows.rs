//! Windows show in no outcome, wherever in one a run is stopped or looked at.
#![expect(clippy::unwrap_used, reason = "a fabric that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::{fat_tree, permutation};
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::engine;
use raddle_sim::plan::Plan;
use raddle_sim::topology::Fabric;
use raddle_sim::topology::graph::parse_graph;
use std::fmt::Write;

/// Switches in a circle, each with hosts: no sides, or with one switch nothing but the way there
/// and back.
fn circle(switches: u32, hosts_each: u32) -> Fabric {
    let mut text = String::new();
    for s in 0..switches {
        writeln!(text, "switch s{s} latency 400ns").unwrap();
        for h in s * hosts_each..(s + 1) * hosts_each {
            writeln!(text, "host h{h}\nlink h{h} s{s} 400Gbps 300ns").unwrap();
        }
    }
    for s in (0..switches).filter(|_| switches > 1) {
        let next = (s + 1) % switches;
        writeln!(text, "link s{s} s{next} 400Gbps 500ns").unwrap();
    }
    parse_graph(&text).unwrap()
}

fn plans() -> Vec<(Plan, Span)> {
    let fabrics = [fat_tree(3, 16), fat_tree(2, 16), circle(1, 6), circle(3, 2)];
    let widths = [1_500, 1_500, 1_000, 700].map(Span::ns);
    let plan = |fabric| permutation(fabric, Bytes::kib(256), "reps", 1);
    fabrics.map(plan).into_iter().zip(widths).collect()
}

#[test]
fn they_are_as_wide_as_the_way_to_a_neighbour_and_back() {
    for (plan, width) in plans() {
        assert_eq!(engine::window(&plan.fabric), width);
    }
}

#[test]
fn a_run_may_stop_anywhere_in_one() {
    for (mut plan, width) in plans() {
        for i in 0..24 {
            // Six windows, their first and last instants among those.
            plan.end = Some(Time(6 * width.0 + i * width.0 / 4 - i % 3));
            assert_eq!(trouble(&plan), None, "{:?}", plan.end);
        }
    }
}

#[test]
fn windows_may_begin_anew_anywhere_in_one() {
    for (mut plan, width) in plans() {
        for i in 0..12 {
            plan.patience = Span(8_000_000 + i * width.0 / 6 - i % 3);
            assert_eq!(trouble(&plan), None, "{}", plan.patience);
        }
    }
}
