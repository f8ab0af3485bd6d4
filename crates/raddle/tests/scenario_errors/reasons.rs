//! Values that can do nothing, or never end: refused with a reason.

use super::{FABRIC, TRAFFIC, brief, check, fabric, more, problems, topology, traffic};
use raddle::scenario::parse;
use std::path::Path;

fn buffer(keys: &str, expected: &str) {
    fabric(&format!("buffer = {{ size = \"4 MB\", {keys} }}\n"), expected);
}

#[test]
fn a_memory_s_policy_refuses_what_leaves_it_nothing_to_decide() {
    buffer(
        "scheme = \"sonic\", lossless = true, lossless_pool = \"0 B\"",
        "lossless_pool | `lossless_pool = \"0 B\"` of `sonic` does not go with `tor0` | expected at least \
         4160 B, the largest frame",
    );
    for scheme in ["sonic", "reverie"] {
        let text = brief(&problems(&format!(
            "{FABRIC}buffer = {{ size = \"4 MB\", scheme = \"{scheme}\", lossless = true, xon = \"5 MB\" }}\n{TRAFFIC}"
        )));
        let start = format!("xon | `xon = \"5 MB\"` of `{scheme}` does not go with `tor0` | ");
        assert!(text.starts_with(&format!("{start}expected less than ")), "{text}");
    }
    buffer(
        "scheme = \"reverie\", filter = 1.0",
        "1.0 | wrong value for `filter` | expected at least 0.0 and less than 1.0",
    );
    buffer(
        "scheme = \"reverie\", filter = 1",
        "1 | wrong value for `filter` | expected at least 0.0 and less than 1.0",
    );
}

#[test]
fn themis_needs_a_nic_that_keeps_what_comes_out_of_order() {
    let tree = "[fabric]\ntopology = { kind = \"leaf_spine\", leaves = 4, hosts_per_leaf = 4, spines = 4 }\n\
                tor = { scheme = \"themis\" }\n";
    let hosts = "[transport]\nload_balance = { scheme = \"ecmp\" }\nrecovery = { scheme = \"go_back_n\" }\n";
    check(
        &format!("{tree}{TRAFFIC}{hosts}"),
        "\"themis\" | `themis` in [fabric] tor needs a receiver that accepts packets out of order, \
         which `go_back_n` as set in [transport] recovery does not offer | -",
    );
}

#[test]
fn homa_has_no_more_classes_than_there_are_and_a_cutoff_between_any_two() {
    let homa = |classes: u8, keys: &str, expected: &str| {
        let text = format!(
            "{FABRIC}queue = {{ classes = {classes} }}\n{TRAFFIC}\
             [transport]\ncongestion = {{ scheme = \"homa\", {keys} }}\n"
        );
        if expected.is_empty() {
            parse("demo.toml", &text, Path::new("."), &[]).unwrap_or_else(|why| panic!("{why}"));
        } else {
            check(&text, expected);
        }
    };
    homa(
        2,
        "unscheduled_classes = 2",
        "unscheduled_classes | `unscheduled_classes` of `homa` is for 3 data classes or more | \
         there are 2: set `classes` in [fabric] queue",
    );
    homa(
        1,
        "unscheduled_classes = 1",
        "unscheduled_classes | `unscheduled_classes` of `homa` is for 2 data classes or more | \
         there is 1: set `classes` in [fabric] queue",
    );
    homa(
        3,
        "cutoffs = [\"2 kB\", \"10 kB\"]",
        "cutoffs | `cutoffs` of `homa` is for 4 data classes or more | there are 3: set `classes` in \
         [fabric] queue",
    );
    homa(
        7,
        "unscheduled_classes = 2, cutoffs = [\"2 kB\", \"10 kB\"]",
        "cutoffs | `cutoffs` of `homa` does not go with `unscheduled_classes = 2` | expected a list \
         of 1",
    );
    homa(
        7,
        "cutoffs = [], unscheduled_classes = 2",
        "unscheduled_classes | `cutoffs` of `homa` does not go with `unscheduled_classes = 2` | \
         expected a list of 1",
    );
    homa(3, "unscheduled_classes = 2", "");
    homa(4, "cutoffs = [\"2 kB\", \"10 kB\"]", "");
    homa(7, "unscheduled_classes = 3, cutoffs = [\"2 kB\", \"10 kB\"]", "");
}

#[test]
fn a_timeout_that_is_over_before_a_packet_has_left_is_refused() {
    for scheme in ["sack", "rnic_sr", "go_back_n", "timeout_only"] {
        let hosts = "[transport]\nload_balance = { scheme = \"ecmp\" }\n";
        more(
            &format!("{hosts}recovery = {{ scheme = \"{scheme}\", rto = \"1 ps\" }}\n"),
            "rto | the timeout of 1 ps in [transport] recovery is shorter than a packet's 83200 ps | \
             expected at least 83200 ps; an unloaded round trip takes 11.50688 us",
        );
    }
}

#[test]
fn more_queries_than_there_are_instants_are_refused() {
    for rate in ["1e308", "2e12"] {
        traffic(
            &format!(
                "[traffic]\nkind = \"poisson_incast\"\nrate = {rate}\nfan_in = 4\nsize = \"1 MB\"\n\
                 until = \"1 ms\"\n"
            ),
            &format!("{rate} | `rate` is {rate} | expected at most 1e12, one each picosecond"),
        );
    }
}

#[test]
fn files_without_an_end_are_refused() {
    let zero = "/dev/zero";
    if !Path::new(zero).exists() {
        return;
    }
    let told = "cannot read `/dev/zero`: it is no text: it has zero bytes";
    traffic(
        &format!(
            "[traffic]\nkind = \"poisson\"\nlaw = \"{zero}\"\nload = 0.5\nuntil = \"1 ms\"\n\
             sampling = \"linear\"\n"
        ),
        &format!("\"{zero}\" | {told} | -"),
    );
    buffer(
        &format!("scheme = \"credence\", oracle_file = \"{zero}\""),
        &format!("\"{zero}\" | {told} | -"),
    );
    topology(
        &format!("{{ kind = \"graph\", file = \"{zero}\" }}"),
        &format!("\"{zero}\" | {told} | -"),
    );
    let why = raddle::scenario::load(Path::new(zero), &[]).unwrap_err().to_string();
    assert!(why.contains("cannot read /dev/zero: it is no text"), "{why}");
}

/// In a graph hosts have other names than `host1`.
#[test]
fn a_host_has_its_number_in_any_topology() {
    let folder = tempfile::tempdir().unwrap();
    let graph = "switch s\nhost a\nhost b\nhost c\nlink a s 100Gbps 1us\nlink b s 100Gbps 1us\n\
                 link c s 100Gbps 1us\n";
    std::fs::write(folder.path().join("graph.txt"), graph).unwrap();
    let hpcc = "4 1 3\n0\n0 1 100Gbps 1000ns 0\n0 2 100Gbps 1000ns 0\n0 3 100Gbps 1000ns 0\n";
    std::fs::write(folder.path().join("hpcc.txt"), hpcc).unwrap();
    for (kind, file, name) in [("graph", "graph.txt", "b"), ("hpcc_topology", "hpcc.txt", "n2")] {
        let text = |host: &str| {
            format!(
                "[fabric]\ntopology = {{ kind = \"{kind}\", file = \"{file}\" }}\n\
                 [traffic]\nkind = \"flows\"\nflow = [{{ from = 0, to = 2, bytes = \"1 MB\" }}]\n\
                 [[fault]]\nhost = {host}\ndown = \"1 us..\"\n"
            )
        };
        let faults = |host: &str| {
            let study = parse("demo.toml", &text(host), folder.path(), &[]);
            let study = study.unwrap_or_else(|problems| panic!("{problems}"));
            let own = study.cells[0].scenario.resolved_toml();
            let again = parse("demo.toml", own, folder.path(), &[]);
            let again = again.unwrap_or_else(|problems| panic!("{problems}"));
            assert_eq!(again.cells[0].scenario.hash(), study.cells[0].scenario.hash());
            study.cells[0].scenario.resolve(1).unwrap().faults
        };
        assert_eq!(faults("1"), faults(&format!("\"{name}\"")));
        let problems = parse("demo.toml", &text("3"), folder.path(), &[]).unwrap_err();
        assert_eq!(brief(&problems), "3 | there is no host 3 | hosts are 0 to 2");
        let problems = parse("demo.toml", &text("-1"), folder.path(), &[]).unwrap_err();
        let negative = "expected a whole number that is not negative and fits";
        assert_eq!(brief(&problems), format!("-1 | wrong value for `host` | {negative}"));
    }
}
