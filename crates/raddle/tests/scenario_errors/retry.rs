//! Links that send again.

use super::{FABRIC, TRAFFIC, check, fabric, good, topology};
use raddle::scenario::parse;
use std::path::Path;

const FAULT: &str = "[[fault]]\nlink = \"tor0.up1\"\nber = 1e-6\n";

#[test]
fn keys_of_retry_have_ranges_and_meaning() {
    good("llr = { tax = \"constant\" }\n");
    good(
        "llr = { bytes_max = \"auto\", detect = \"next\", replays_max = 255, frames_max = 100, flush = \"block\" }\n",
    );
    for (keys, expected) in [
        ("tries = 3", "tries | unknown key `tries` in llr | -"),
        ("frames_max = 0", "0 | `frames_max` is too small | expected at least 1"),
        ("frames_max = 524289", "524289 | `frames_max` is too large | expected at most 524288"),
        ("replays_max = 256", "256 | `replays_max` is too large | expected at most 255"),
        ("timer = \"0 ns\"", "\"0 ns\" | `timer` is too small | expected at least \"1 ns\""),
        (
            "timer = \"80 s\"",
            "\"80 s\" | `timer` is too large | expected at most 70.368744177663 s",
        ),
        ("spacing = \"4 B\"", "\"4 B\" | `spacing` is too small | expected at least \"8 B\""),
        (
            "bytes_max = \"4 kB\"",
            "\"4 kB\" | `bytes_max` is too small | expected at least 4160 B, the largest frame",
        ),
        (
            "flush = \"dicard\"",
            "\"dicard\" | unknown word `dicard` for `flush` | nearest: `discard`",
        ),
        (
            "detect = \"next\", renack = false",
            "false | `renack` has no effect with `detect = \"next\"` | leave it out",
        ),
    ] {
        check(&format!("{FABRIC}llr = {{ {keys} }}\n{TRAFFIC}{FAULT}"), expected);
    }
}

#[test]
fn retry_is_for_cables_that_take_time() {
    topology(
        "{ kind = \"fat_tree\", hosts = 128, link_delay = \"0 ns\" }\nllr = { frames_max = 5 }",
        "{ frames_max = 5 } | `llr` is for cables that take time | give the topology a `link_delay`, or leave it out",
    );
}

#[test]
fn retry_where_nothing_is_lost_is_a_mistake() {
    fabric(
        "llr = {}\n",
        "{} | `llr` has no effect where no link loses anything: there is no [[fault]], and \
         neither a window nor a `tax` is set | leave it out",
    );
}

/// Without `llr` nothing of it is in a resolved scenario, and with it all is.
#[test]
fn a_resolved_scenario_has_all_of_it() {
    let resolved = |keys: &str| {
        let text = format!("{FABRIC}{keys}{TRAFFIC}{FAULT}");
        let study = parse("demo.toml", &text, Path::new("."), &[]).unwrap();
        study.cells[0].scenario.resolved_toml().to_owned()
    };
    assert!(!resolved("").contains("llr"));
    let line = "llr = { frames_max = 524288, bytes_max = \"auto\", timer = \"5 us\", \
                replays_max = 3, spacing = \"2 KiB\", down_timeout = \"50 us\", \
                flush = \"discard\", reinit = true, detect = \"own\", renack = true, \
                tax = \"none\" }";
    let all = resolved("llr = {}\n");
    assert!(all.contains(line), "{all}");
    let again = parse("demo.toml", &all, Path::new("."), &[]).unwrap();
    assert_eq!(again.cells[0].scenario.resolved_toml(), all);
}
