//! Credits.

use super::{FABRIC, TRAFFIC, check, fabric, good, topology};
use raddle::scenario::parse;
use std::path::Path;

#[test]
fn keys_of_credits_have_ranges_and_meaning() {
    good("queue = { cbfc = {} }\n");
    good(
        "queue = { cbfc = { cell = \"64 B\", overhead = -16, credits = \"13 packets\", cc = \"1 us\" } }\n",
    );
    for (keys, expected) in [
        ("cells = 3", "cells | unknown key `cells` in cbfc | nearest: `cell`"),
        ("cell = \"16 B\"", "\"16 B\" | `cell` is too small | expected at least \"32 B\""),
        ("cell = \"4 KiB\"", "\"4 KiB\" | `cell` is too large | expected at most 2 KiB"),
        (
            "cell = \"100 B\"",
            "\"100 B\" | wrong value for `cell` | expected a power of two from 32 B to 2048 B",
        ),
        (
            "overhead = 128",
            "128 | wrong value for `overhead` | expected a whole number from -16 to 127",
        ),
        (
            "overhead = 0.5",
            "0.5 | wrong value for `overhead` | expected a whole number from -16 to 127",
        ),
        (
            "credits = \"1 bdp\"",
            "\"1 bdp\" | wrong value for `credits` | expected bytes, packets or \"auto\"",
        ),
        (
            "credits = \"4160 B\"",
            "\"4160 B\" | 16 cells of credit leave no room for a frame on `host0` | expected 17 to 32767 cells of 256 B",
        ),
        (
            "credits = \"2000 packets\"",
            "\"2000 packets\" | `host0` has 34000 cells of credit | expected 17 to 32767 cells of 256 B",
        ),
        (
            "cf_spacing = \"700 B\"",
            "\"700 B\" | `cf_spacing` is too small | expected at least \"800 B\"",
        ),
        (
            "cf_refresh = \"16 KiB\", cf_spacing = \"20 KiB\"",
            "\"20 KiB\" | `cf_spacing` is too large | expected at most `cf_refresh`, 16 KiB",
        ),
        (
            "cf_refresh = \"2 MiB\"",
            "\"2 MiB\" | `cf_refresh` is too large | expected at most 1 MiB",
        ),
        ("cc = \"100 ns\"", "\"100 ns\" | `cc` is too small | expected at least \"1 us\""),
        ("cc = \"1 s\"", "\"1 s\" | `cc` is too large | expected at most 250 ms"),
    ] {
        check(&format!("{FABRIC}queue = {{ cbfc = {{ {keys} }} }}\n{TRAFFIC}"), expected);
    }
}

#[test]
fn credits_stand_alone() {
    fabric(
        "queue = { cbfc = {}, pfc = { xoff = \"50%\", xon = \"40%\" } }\n",
        "{} | a link has credits or pauses | leave out `cbfc` or `pfc`",
    );
    fabric(
        "queue = { service = \"fifo\", cbfc = {} }\n",
        "{} | credits are for data, and a `fifo` port has one class | leave `cbfc` out",
    );
    fabric(
        "queue = { classes = 8, cbfc = {} }\n",
        "8 | too many data classes for credits | expected at most 7",
    );
    fabric(
        "queue = { cbfc = {} }\nbuffer = { size = \"64 MiB\", scheme = \"dynamic_thresholds\" }\n",
        "\"dynamic_thresholds\" | `dynamic_thresholds` has nothing to decide: all memory is promised as credit | choose `complete_sharing`, or leave `buffer` or `cbfc` out",
    );
    fabric(
        "queue = { cbfc = {} }\ntor = { scheme = \"nack_filter\" }\n",
        "\"nack_filter\" | middleware holds and sends packets that no credit is for | leave `tor` or `cbfc` out",
    );
}

/// At four ports to hosts it promises 22 packets of 17 cells, at four to switches, from which messages take
/// twice as long, 28.
#[test]
fn a_switch_keeps_what_it_promises() {
    let memory = |bytes: u32| {
        format!(
            "queue = {{ cbfc = {{}} }}\nbuffer = {{ size = \"{bytes} B\", scheme = \"complete_sharing\" }}\n"
        )
    };
    topology(
        &format!(
            "{{ kind = \"leaf_spine\", leaves = 2, hosts_per_leaf = 4, spines = 4 }}\n{}",
            memory(870_399)
        ),
        "\"870399 B\" | `tor0` has 870399 B, and its credits promise 870400 B | expected at least 870400 B",
    );
}

/// Without `cbfc` nothing of it is in a resolved scenario, and with it all is.
#[test]
fn a_resolved_scenario_has_all_of_it() {
    let resolved = |keys: &str| {
        let text = format!("{FABRIC}{keys}{TRAFFIC}");
        let study = parse("demo.toml", &text, Path::new("."), &[]).unwrap();
        study.cells[0].scenario.resolved_toml().to_owned()
    };
    assert!(!resolved("").contains("cbfc"));
    let line = "cbfc = { cell = \"256 B\", overhead = 0, credits = \"auto\", \
                cf_spacing = \"6400 B\", cf_refresh = \"256 KiB\", cc = \"256 us\" }";
    let all = resolved("queue = { cbfc = {} }\n");
    assert!(all.contains(line), "{all}");
    let again = parse("demo.toml", &all, Path::new("."), &[]).unwrap();
    assert_eq!(again.cells[0].scenario.resolved_toml(), all);
}

#[test]
fn links_that_lose_frames_without_retry_are_noted() {
    let notes = |keys: &str| {
        let fault = "[[fault]]\nlink = \"tor0.up1\"\nber = 1e-6\n";
        let text = format!("{FABRIC}{keys}{TRAFFIC}{fault}");
        let study = parse("demo.toml", &text, Path::new("."), &[]).unwrap();
        study.notes.into_iter().filter(|note| note.contains("keep their credit")).count()
    };
    assert_eq!(notes("queue = { cbfc = {} }\n"), 1);
    assert_eq!(notes("queue = { cbfc = {} }\nllr = {}\n"), 0);
}
