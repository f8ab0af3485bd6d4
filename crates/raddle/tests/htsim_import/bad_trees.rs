//! Mistakes in fat-tree descriptions.

use raddle::import::htsim_topo;

const TREE: &str = "Nodes 128
Tiers 3
Podsize 16
Tier 0
Downlink_speed_Gbps 100
Radix_Down 4
Radix_Up 4
Downlink_Latency_ns 1000
Tier 1
Downlink_speed_Gbps 100
Radix_Down 4
Radix_Up 4
Downlink_Latency_ns 1000
Tier 2
Downlink_speed_Gbps 100
Radix_Down 8
Downlink_Latency_ns 1000
";

/// The tree with one of its lines replaced.
fn with(line: usize, text: &str) -> String {
    let mut lines: Vec<&str> = TREE.lines().collect();
    lines[line - 1] = text;
    lines.join("\n")
}

type Case = (usize, &'static str, (usize, usize, usize), &'static str, &'static str);

/// Each replaced line is the only mistake, with its place (line, column, length).
#[test]
fn every_mistake_is_named_with_the_lines_involved() {
    let cases: &[Case] = &[
        (
            1,
            "Nodes 120",
            (1, 7, 3),
            "Nodes 120 is not a multiple of Podsize 16 (line 3)",
            "give every pod the same number of hosts",
        ),
        (
            1,
            "",
            (1, 1, 0),
            "the header has no `Nodes` line: htsim stops",
            "add a line like `Nodes 128` at the top",
        ),
        (
            2,
            "Tiers 4",
            (2, 7, 1),
            "htsim builds no trees of 4 tiers",
            "write `Tiers 2` or `Tiers 3`",
        ),
        (
            3,
            "Pod_size 16",
            (3, 1, 8),
            "`Pod_size` is not a header word: htsim ignores this line",
            "did you mean `Podsize`?",
        ),
        (
            1,
            "Nodes 128\nRadix_Up 4",
            (2, 1, 8),
            "`Radix_Up` stands above the first `Tier` line: htsim ignores it",
            "move it below the `Tier` line it belongs to",
        ),
        (
            17,
            "Downlink_Latency_ns 1000\nPodsize 16",
            (18, 1, 7),
            "`Podsize` stands below a `Tier` line: htsim stops at it",
            "move it above the first `Tier` line",
        ),
        (4, "Tier zero", (4, 6, 4), "`zero` is not a number", "give `Tier` a whole number"),
        (
            9,
            "Tier 3",
            (9, 6, 1),
            "there is no tier 3",
            "tiers are 0 (ToRs), 1 (aggregation switches) and 2 (core switches)",
        ),
        (
            1,
            "Nodes 128\nNodes 128",
            (2, 7, 3),
            "`Nodes` is set in line 1 already",
            "keep one of them",
        ),
        (
            7,
            "Radix_Up 4\nradix_up 4",
            (8, 10, 1),
            "`Radix_Up` is set in line 7 already",
            "keep one of them",
        ),
        (
            5,
            "Downlink_speed_Gbps 12.5",
            (5, 21, 4),
            "`12.5` is not a plain whole number: htsim reads it as 12",
            "write digits only",
        ),
        (
            5,
            "Downlink_speed_Gbps",
            (5, 1, 19),
            "`Downlink_speed_Gbps` has no value",
            "write `Downlink_speed_Gbps 1`, for example",
        ),
        (
            5,
            "# no speed",
            (4, 1, 4),
            "tier 0 has no `Downlink_speed_Gbps`: htsim stops",
            "add a line `Downlink_speed_Gbps` with its value below `Tier 0`",
        ),
        (
            6,
            "Radix_Down 0",
            (6, 12, 1),
            "`Radix_Down 0`: htsim takes 0 for a missing value",
            "give `Radix_Down` at least 1",
        ),
        (
            7,
            "Radix_Up 4 2",
            (7, 12, 1),
            "htsim ignores what follows the value of `Radix_Up`",
            "remove it",
        ),
        (
            7,
            "Radix_Upp 4",
            (7, 1, 9),
            "htsim knows no setting `Radix_Upp`",
            "did you mean `Radix_Up`?",
        ),
        (
            8,
            "Downlink_Latency_ns  1000",
            (8, 20, 2),
            "more than one space between words: htsim takes the second for an empty word and stops",
            "write one space",
        ),
        (
            8,
            "Downlink_Latency_ns\t1000",
            (8, 20, 1),
            "a tab between words: htsim separates words by single spaces only",
            "write one space",
        ),
        (
            17,
            "Downlink_Latency_ns 1000\nRadix_Up 4",
            (18, 10, 1),
            "`Radix_Up` in tier 2, the top tier, which has no uplinks",
            "remove the line",
        ),
        (
            17,
            "Downlink_Latency_ns 1000\nOversubscribed 2",
            (18, 16, 1),
            "`Oversubscribed 2` in tier 2, the top tier: htsim ignores it",
            "set it in the tier below, or remove the line",
        ),
        (
            6,
            "Radix_Down 5",
            (6, 12, 1),
            "Podsize 16 (line 3) is not a multiple of tier 0's Radix_Down 5 (line 6)",
            "give every ToR the same number of hosts",
        ),
        (
            7,
            "Radix_Up 2",
            (4, 1, 4),
            "tier 0's Radix_Down 4 (line 6) over Radix_Up 2 (line 7) is 2, not Oversubscribed 1 (the default)",
            "write `Oversubscribed 2`, or another radix",
        ),
        (
            8,
            "Downlink_Latency_ns 1000\nBundle 2",
            (9, 8, 1),
            "`Bundle 2` in tier 0: a host has one cable",
            "write `Bundle 1` or remove the line",
        ),
        (
            10,
            "Downlink_speed_Gbps 300",
            (10, 21, 3),
            "128 links with tier 0's Downlink_speed_Gbps 100 (line 5) do not fill a whole number of links with tier 1's Downlink_speed_Gbps 300 (line 10) at tier 0's Oversubscribed 1 (the default)",
            "make the speeds and the oversubscription divide evenly",
        ),
        (
            11,
            "Radix_Down 3",
            (11, 12, 1),
            "128 ToR uplinks do not divide among 8 pods with tier 1's Radix_Down 3 (line 11)",
            "let Radix_Down times the number of pods divide the number of ToR uplinks",
        ),
        (
            11,
            "Radix_Down 2",
            (7, 10, 1),
            "tier 1's Radix_Down 2 (line 11) gives 8 aggregation switches per pod for 128 ToR uplinks; with tier 1's Bundle 1 (the default) that is not tier 0's Radix_Up 4 (line 7)",
            "write `Radix_Up 8` in tier 0, or another radix",
        ),
        (
            11,
            "Radix_Down 8",
            (7, 10, 1),
            "tier 1's Radix_Down 8 (line 11) gives 2 aggregation switches per pod for 128 ToR uplinks; with tier 1's Bundle 1 (the default) that is not tier 0's Radix_Up 4 (line 7)",
            "write `Bundle 2` in tier 1, or another radix",
        ),
        (
            15,
            "Downlink_speed_Gbps 300",
            (15, 21, 3),
            "128 links with tier 1's Downlink_speed_Gbps 100 (line 10) do not fill a whole number of links with tier 2's Downlink_speed_Gbps 300 (line 15) at tier 1's Oversubscribed 1 (the default)",
            "make the speeds and the oversubscription divide evenly",
        ),
        (
            16,
            "Radix_Down 7",
            (16, 12, 1),
            "128 aggregation uplinks do not divide by tier 2's Radix_Down 7 (line 16)",
            "let Radix_Down divide the number of aggregation uplinks",
        ),
        (
            16,
            "Radix_Down 64",
            (16, 12, 2),
            "tier 2's Radix_Down 64 (line 16) gives 2 core switches, not a multiple of the 4 aggregation switches per pod",
            "change Radix_Down of tier 1 or 2",
        ),
        (
            12,
            "Radix_Up 8",
            (12, 10, 1),
            "tier 2's Radix_Down 8 (line 16) gives 16 core switches, 4 for each of 4 aggregation switches per pod; with tier 2's Bundle 1 (the default) that is not tier 1's Radix_Up 8 (line 12)",
            "write `Bundle 2` in tier 2, or another radix",
        ),
        (
            12,
            "Radix_Up 3",
            (12, 10, 1),
            "tier 2's Radix_Down 8 (line 16) gives 16 core switches, 4 for each of 4 aggregation switches per pod; with tier 2's Bundle 1 (the default) that is not tier 1's Radix_Up 3 (line 12)",
            "write `Radix_Up 4` in tier 1",
        ),
        (
            16,
            "Radix_Down 16",
            (12, 10, 1),
            "tier 2's Radix_Down 16 (line 16) gives 8 core switches, 2 for each of 4 aggregation switches per pod; with tier 2's Bundle 1 (the default) that is not tier 1's Radix_Up 4 (line 12)",
            "write `Bundle 2` in tier 2, or another radix",
        ),
        (
            5,
            "Downlink_speed_Gbps 3000000000",
            (5, 21, 10),
            "`Downlink_speed_Gbps` is 3000000000, but htsim reads numbers up to 2147483647 and stops at larger ones",
            "give a number up to 2147483647",
        ),
    ];
    for &(line, text, place, message, help) in cases {
        let text = with(line, text);
        let errors = htsim_topo::parse(&text).and_then(|file| file.shape()).unwrap_err();
        let [error] = &errors[..] else { panic!("{text}\n{errors:#?}") };
        assert_eq!((error.line, error.column, error.length), place, "{text}");
        assert_eq!((&error.message[..], error.help.as_deref()), (message, Some(help)), "{text}");
    }
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let errors = htsim_topo::parse(&with(2, "Tiers 2")).unwrap_err();
    let texts: Vec<_> = errors.iter().map(|e| (e.line, &e.message[..])).collect();
    assert_eq!(
        texts,
        [
            (12, "`Radix_Up` in tier 1, the top tier, which has no uplinks"),
            (14, "a tree of 2 tiers has no tier 2: htsim ignores the block"),
        ]
    );
    let file = htsim_topo::parse(&with(3, "Podsize 18")).unwrap();
    let lines: Vec<_> = file.shape().unwrap_err().iter().map(|e| e.line).collect();
    assert_eq!(lines, [1, 6]);
}
