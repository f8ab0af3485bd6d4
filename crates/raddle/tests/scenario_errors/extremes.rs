//! Values far from anything sensible: each is refused at once, in the right place.

use super::{FABRIC, TRAFFIC, check, fabric, more, topology, traffic};
use raddle::scenario::parse;
use std::path::Path;

#[test]
fn a_fault_without_a_time_is_refused() {
    more(
        "[[fault]]\nlink = \"tor0.up1\"\ndown = []\n",
        r#"[] | `down` lists no time | expected times, as in ["100 us..200 us", "1 ms.."]"#,
    );
}

#[test]
fn series_that_memory_could_not_hold_are_refused() {
    more(
        "[record]\nports = [\"*\"]\nbucket = \"1 ps\"\n",
        r#""1 ps" | 100000000000 buckets of 768 ports are too many | expected at least 572.95 ns, fewer ports, or an earlier `end`"#,
    );
    more(
        "[record]\nports = [\"tor0.up0\"]\nbucket = \"1 ns\"\n[run]\nend = \"1 s\"\n",
        r#""1 ns" | 1000000000 buckets of 1 ports are too many | expected at least 14902 ps, fewer ports, or an earlier `end`"#,
    );
}

#[test]
fn a_draw_that_slows_a_slow_cable_down_too_far_is_the_fault_s() {
    let graph = "[fabric]\ntopology = { kind = \"leaf_spine\", leaves = 4, hosts_per_leaf = 2, \
                 spines = 8, rate = \"400 Gbps\", uplink_rate = \"20 Mbps\" }\n";
    let fault = "[[fault]]\nrandom = { probability = 0.002 }\nrate = \"50%\"\n";
    let text = format!("{graph}{TRAFFIC}{fault}");
    let study = parse("demo.toml", &text, Path::new("."), &[]).unwrap();
    let problem = (1..1000).find_map(|seed| study.cells[0].scenario.resolve(seed).err()).unwrap();
    assert_eq!(&text[problem.span.unwrap()], "\"50%\"", "{}", problem.message);
}

#[test]
fn what_only_a_draw_can_show_is_asked_of_the_draw() {
    let fabric = "[fabric]\ntopology = { kind = \"fat_tree\", tiers = 2, hosts = 16 }\n";
    let faults = |share: &str| {
        format!(
            "{fabric}{TRAFFIC}[[fault]]\nrandom = {{ share = \"{share}\" }}\nloss = 0.01\n\
             [[fault]]\nlink = \"tor0.up0\"\nloss = 0.05\n"
        )
    };
    // One cable of 16: in some draws it is the one that is named.
    let text = faults("6.25%");
    let study = parse("demo.toml", &text, Path::new("."), &[]).unwrap();
    let refused: Vec<bool> =
        (0..100).map(|seed| study.cells[0].scenario.resolve(seed).is_err()).collect();
    assert!(refused.contains(&true) && refused.contains(&false));
    // All of them: in every draw.
    let text = faults("100%");
    assert!(parse("demo.toml", &text, Path::new("."), &[]).is_err());
}

#[test]
fn a_gap_is_no_longer_than_a_frame() {
    fabric("gap = \"1 GB\"\n", r#""1 GB" | `gap` is too large | expected at most 65535 B"#);
}

#[test]
fn fabrics_that_memory_could_not_hold_are_refused() {
    topology(
        r#"{ kind = "leaf_spine", leaves = 4000000000, hosts_per_leaf = 4000000000, spines = 4 }"#,
        r#"{ kind = "leaf_spine", leaves = 4000000000, hosts_per_leaf = 4000000000, spines = 4 } | the fabric would have 18446744073709551615 ports | at most 8388608 are possible"#,
    );
    check(
        "[fabric]\ntopology = { kind = \"fat_tree\", tiers = 2, hosts = 16, uplink_rate = \"1 Mbps\" }\n\
         [traffic]\nkind = \"tornado\"\n",
        "16 | the fabric would have 12800032 ports | at most 8388608 are possible",
    );
}

#[test]
fn arrivals_that_go_on_too_long_are_refused_before_they_are_drawn() {
    traffic(
        "[traffic]\nkind = \"poisson\"\nlaw = \"websearch\"\nload = 0.5\nuntil = \"100 s\"\n",
        r#""100 s" | `until` is too late | expected at most 70.368744177663 s"#,
    );
}

#[test]
fn a_wrong_flow_is_one_problem() {
    let flows = |list: &str| format!("[traffic]\nkind = \"flows\"\nflow = {list}\n");
    traffic(&flows("[]"), "[] | there are no flows | expected at least one flow");
    traffic(
        &flows("[{ from = 0, to = 1 }]"),
        "{ from = 0, to = 1 } | flow lacks `bytes` | add `bytes = \"1 B\"`",
    );
}

#[test]
fn a_condition_has_a_name_and_no_seed_of_its_own() {
    for name in ["", "  ", "two\\nlines"] {
        more(
            &format!("[[condition]]\nname = \"{name}\"\n"),
            &format!(
                "\"{name}\" | wrong value for `name` | expected a name in one line, as in \"healthy\""
            ),
        );
    }
    more(
        "[[condition]]\nname = \"a\"\nset = { \"run.seed\" = 3 }\n",
        "\"run.seed\" | a condition cannot set `run.seed` | leave it out: every condition runs with the same seeds",
    );
}

#[test]
fn windows_that_contradict_each_other_are_named_both() {
    more(
        r#"[transport]
congestion = { scheme = "nscc", min_window = "3 packets", max_window = "2 packets" }
"#,
        r#"max_window | `min_window` of `nscc` exceeds its `max_window` | `min_window` is "3 packets", `max_window` is "2 packets""#,
    );
    more(
        r#"[transport]
congestion = { scheme = "mprdma_dctcp", initial_window = "2 bdp" }
"#,
        r#"initial_window | `initial_window` of `mprdma_dctcp` exceeds its `max_window` | `initial_window` is "2 bdp", `max_window` is "1.5 bdp""#,
    );
    more(
        r#"[transport]
congestion = { scheme = "eqds", initial_window = "unlimited" }
"#,
        r#"initial_window | `initial_window` of `eqds` exceeds its `max_window` | `initial_window` is "unlimited", `max_window` is "1.5 bdp""#,
    );
    // Which is the larger one depends on the flow: the scheme keeps to the smaller.
    let wide = "[transport]\ncongestion = { scheme = \"dctcp\", initial_window = \"9 bdp\", \
                max_window = \"100 packets\" }\n";
    let text = format!("{FABRIC}{TRAFFIC}{wide}");
    assert!(parse("demo.toml", &text, Path::new("."), &[]).is_ok());
}

#[test]
fn what_the_simulator_cannot_hold_is_refused() {
    topology(
        r#"{ kind = "fat_tree", hosts = 128, rate = "15 Mbps" }"#,
        r#"{ kind = "fat_tree", hosts = 128, rate = "15 Mbps" } | the largest frame takes 2.219666667 ms to cross link `host0` | expected less than 2.147483648 ms, delays included"#,
    );
    topology(
        r#"{ kind = "fat_tree", tiers = 2, hosts = 1048580 }"#,
        r#"{ kind = "fat_tree", tiers = 2, hosts = 1048580 } | the fabric has 1048580 hosts | expected at most 1048576"#,
    );
    traffic(
        "[traffic]\nkind = \"tornado\"\nmessage = \"64 GiB\"\n",
        r#""64 GiB" | a message of 64 GiB has 16777216 packets of 4 KiB | expected at most 16777215 packets"#,
    );
    more(
        "[run]\nend = \"100 s\"\n",
        r#""100 s" | the end is too late | expected at most 70.368744177663 s, or "never""#,
    );
}

#[test]
fn sizes_and_times_of_nothing_and_an_ack_beyond_a_packet_are_refused() {
    more(
        "[record]\nbucket = \"0 ps\"\n",
        r#""0 ps" | nothing can be recorded in buckets of no length | expected a time, as in "20 us""#,
    );
    more(
        "[transport]\npayload = \"100 B\"\nheader = \"20 B\"\nack = \"121 B\"\n",
        r#""121 B" | an ACK is larger than a packet | expected at most 120 B, payload and header"#,
    );
    more(
        "[transport]\ncongestion = { scheme = \"fixed_rate\", window = \"0 B\" }\n",
        r#""0 B" | wrong value for `window` | expected more than "0 B""#,
    );
}
