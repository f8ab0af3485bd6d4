//! Mistakes in collectives: their sizes, groups and stragglers.

use super::traffic;

/// A collective on the fabric of the cases, with more keys.
fn collective(keys: &str, expected: &str) {
    traffic(&format!("[traffic]\nkind = \"collective\"\n{keys}\n"), expected);
}

#[test]
fn a_collective_has_one_size_and_algorithms_have_their_keys() {
    let all_reduce = "operation = \"all_reduce\"\n";
    collective(
        &format!("{all_reduce}size = \"1 MiB\"\nmessage = \"8 KiB\""),
        r#""1 MiB" | `size` and `message` are both given | expected one of them: the buffer of a rank, or a message of a step"#,
    );
    collective(
        &format!("{all_reduce}size = \"100 B\""),
        r#""100 B" | `size` is 100 B | expected at least 128 B, one for each part"#,
    );
    collective(
        &format!("{all_reduce}chunks = 4"),
        r#"chunks | `chunks` has no effect with `algorithm = "ring"` | it goes with `algorithm = "tree"` or "double_tree""#,
    );
    collective(
        &format!("{all_reduce}algorithm = \"direct\"\nparallel = 4\norder = \"random\""),
        r#"parallel | `parallel` has no effect with `operation = "all_reduce"` | it goes with `operation = "all_to_all"`, or `algorithm = "tree"` or "double_tree"
order | `order` has no effect with `operation = "all_reduce"` | it goes with `operation = "all_to_all"`"#,
    );
    collective(
        "operation = \"all_gather\"\nalgorithm = \"tre\"",
        r#""tre" | unknown word `tre` for `algorithm` | -"#,
    );
    collective(
        &format!("{all_reduce}algorithm = \"halving_doubling\"\nranks = 12"),
        r#"12 | `ranks` is 12 | expected a power of two, from 2, for halving and doubling"#,
    );
    collective(
        &format!("{all_reduce}algorithm = \"tree\"\nchunks = 0"),
        r#"0 | `chunks` is too small | expected at least 1"#,
    );
}

#[test]
fn groups_that_do_not_fit_are_named() {
    let groups = |list: &str, expected: &str| {
        collective(&format!("operation = \"all_reduce\"\ngroups = {list}"), expected);
    };
    let wrong = |list: &str| {
        let label =
            "expected the ranks of each, as in [8, 8, 16], or the hosts, as in [[0, 1], [2, 3, 4]]";
        groups(list, &format!("{list} | wrong value for `groups` | {label}"));
    };
    for list in ["[]", "3", "[[0, 1], 4]", "[-1, 3]", "[\"8\"]"] {
        wrong(list);
    }
    groups(
        "[100, 29]",
        "[100, 29] | `groups` is a list of 129 ranks | expected at most the number of hosts to choose from, 128",
    );
    groups(
        "[8, 1]",
        "[8, 1] | `groups` is a list whose entry 1 has 1 | expected at least 2 ranks in each group",
    );
    groups(
        "[[0, 1], [2, 1]]",
        "[[0, 1], [2, 1]] | `groups` is a list that has host 1 twice | expected each host once",
    );
    groups(
        "[[0, 128]]",
        "[[0, 128]] | `groups` is a list with host 128 | expected hosts from 0 to 127",
    );
    groups(
        "[8, 8]\nranks = 16",
        "ranks | `ranks` has no effect with `groups` | it goes with one group: `groups` add up to the ranks",
    );
    groups(
        "[[0, 1], [2, 3]]\nplacement = \"random\"",
        "placement | `placement` has no effect with `groups` that are lists of hosts | it goes with `groups` that are numbers of ranks",
    );
}

#[test]
fn stragglers_say_who_and_how_long() {
    let straggler = |table: &str, expected: &str| {
        collective(&format!("operation = \"all_reduce\"\nstraggler = {table}"), expected);
    };
    straggler(
        "{ share = \"5%\" }",
        r#"{ share = "5%" } | straggler lacks `per` | add `per = "host"`
{ share = "5%" } | straggler lacks `distribution` | add `distribution = "constant"`
{ share = "5%" } | straggler lacks `time` | add `time = "1 ps"`"#,
    );
    straggler(
        "{ per = \"hosts\", distribution = \"lognorml\", time = \"1 us\" }",
        r#""hosts" | unknown word `hosts` for `per` | nearest: `host`
"lognorml" | unknown word `lognorml` for `distribution` | nearest: `lognormal`"#,
    );
    straggler(
        "{ per = \"host\", distribution = \"constant\", time = \"1 us\", sigma = 1.0 }",
        r#"sigma | `sigma` has no effect with `distribution = "constant"` | it goes with `distribution = "lognormal"`"#,
    );
    straggler(
        "{ per = \"host\", distribution = \"lognormal\", time = \"1 us\", sigma = 5.0 }",
        r#"5.0 | wrong value for `sigma` | expected more than 0 and at most 4"#,
    );
    collective(
        "operation = \"all_reduce\"\ncompute = \"80 s\"",
        r#""80 s" | `compute` is too long | expected at most 70.368744177663 s"#,
    );
    collective(
        "operation = \"all_reduce\"\ncompute = \"20 us\"\nseed = 3",
        r#"seed | `seed` has no effect with `placement = "linear"` | leave it out: nothing is drawn"#,
    );
}

#[test]
fn incasts_at_random_times_fit_their_fabric() {
    let incast = |keys: &str, expected: &str| {
        let needed = "rate = 2.0\nfan_in = 4\nsize = \"1 MB\"\nuntil = \"1 ms\"\n";
        let given = keys.split(" = ").next().unwrap_or_default();
        let others: Vec<&str> = needed.lines().filter(|line| !line.starts_with(given)).collect();
        let text = format!("[traffic]\nkind = \"poisson_incast\"\n{}\n{keys}\n", others.join("\n"));
        traffic(&text, expected);
    };
    incast(
        "rate = 0.0",
        "0.0 | wrong value for `rate` | expected more than 0: queries of each host per second",
    );
    incast(
        "fan_in = 5",
        "5 | `fan_in` is 5 | expected at most 4, the hosts to draw from, or `replacement`",
    );
    incast("size = \"3 B\"", "\"3 B\" | `size` is 3 B | expected at least 4 B, one for each part");
    incast(
        "until = \"80 s\"",
        "\"80 s\" | `until` is too late | expected at most 70.368744177663 s",
    );
    incast(
        "responders = \"next_rack\"",
        "\"next_rack\" | unknown word `next_rack` for `responders` | nearest: `next_tor`",
    );
}

#[test]
fn a_permutation_to_next_tors_has_no_pods_and_equal_tors() {
    let permutation = |keys: &str, expected: &str| {
        traffic(&format!("[traffic]\nkind = \"permutation\"\n{keys}\n"), expected);
    };
    permutation(
        "receivers = \"next_tor\"\ninter_pod_only = true",
        "inter_pod_only | `inter_pod_only` has no effect with `receivers = \"next_tor\"` | it goes \
         with `receivers = \"any\"`",
    );
    permutation(
        "receivers = \"next_rack\"",
        "\"next_rack\" | unknown word `next_rack` for `receivers` | nearest: `next_tor`",
    );
}

#[test]
fn the_order_of_a_pair_is_one_of_two_words() {
    super::more(
        "[transport]\npair_order = \"fifos\"\n",
        "\"fifos\" | unknown word `fifos` for `pair_order` | nearest: `fifo`",
    );
}
