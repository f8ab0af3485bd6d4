//! Topologies: what each kind lacks, and what would fit.

use super::topology;

#[test]
fn a_topology_says_what_would_fit() {
    topology(
        r#""fat_tree""#,
        r#""fat_tree" | wrong value for `topology` | expected a table, as in `{ key = value }`"#,
    );
    topology(
        r#"{ hosts = 128 }"#,
        r#"{ hosts = 128 } | topology lacks `kind` | add `kind = "fat_tree"`"#,
    );
    topology(
        r#"{ kind = "fattree", hosts = 128 }"#,
        r#""fattree" | unknown word `fattree` for `kind` | nearest: `fat_tree`"#,
    );
    topology(
        r#"{ kind = "fat_tree" }"#,
        r#"{ kind = "fat_tree" } | topology lacks `hosts` | add `hosts = 128`"#,
    );
    topology(
        r#"{ kind = "fat_tree", hosts = 100 }"#,
        r#"100 | hosts = 100 is not the size of a k-ary fat tree of three tiers (k^3 / 4 for an even k) | nearest: 54 or 128; or give hosts_per_tor and tors_per_pod"#,
    );
    topology(
        r#"{ kind = "fat_tree", hosts = -4 }"#,
        r#"-4 | wrong value for `hosts` | expected a whole number that is not negative and fits"#,
    );
    topology(
        r#"{ kind = "fat_tree", tiers = 4, hosts = 128 }"#,
        r#"4 | tiers = 4 | a tree has 2 or 3 tiers"#,
    );
    topology(
        r#"{ kind = "fat_tree", hosts = 128, rate = "400 GB" }"#,
        r#""400 GB" | wrong value for `rate` | expected a number and one of the units bps, kbps, Mbps, Gbps, Tbps, as in "400 Gbps""#,
    );
    topology(
        r#"{ kind = "fat_tree", hosts = 128, rate = "0 Gbps" }"#,
        r#""0 Gbps" | wrong value for `rate` | expected a rate above 0 bps"#,
    );
    topology(
        r#"{ kind = "fat_tree", hosts = 128, link_delay = "2 ns", switch_delay = "0 ns" }"#,
        r#"{ kind = "fat_tree", hosts = 128, link_delay = "2 ns", switch_delay = "0 ns" } | a link and the switch behind it have a delay of 2 ns in all | expected at least 10 ns: the width of the time window"#,
    );
    topology(
        r#"{ kind = "fat_tree", hosts = 128, oversubscription = 3.0 }"#,
        r#"3.0 | oversubscription = 3 would give each ToR of 4 hosts 1.3333333333333333 uplink cables, which is not a multiple of parallel = 1 | nearest oversubscription: 4 or 2"#,
    );
    topology(
        r#"{ kind = "leaf_spine", leaves = 4, hosts_per_leaf = 4 }"#,
        r#"{ kind = "leaf_spine", leaves = 4, hosts_per_leaf = 4 } | topology lacks `spines` | add `spines = 8`"#,
    );
    topology(
        r#"{ kind = "dumbbell", hosts_per_side = 0 }"#,
        r#"0 | `hosts_per_side` is too small | expected at least 1"#,
    );
    topology(
        r#"{ kind = "graph", file = "no_such_file.txt" }"#,
        r#""no_such_file.txt" | cannot read `no_such_file.txt`: No such file or directory (os error 2) | -"#,
    );
}
