//! No input panics.

use super::{COMPAT, STRICT, data, matrix};
use proptest::prelude::*;
use raddle::import::{htsim_cm, htsim_topo};

fn survive(text: &str) {
    for options in [STRICT, COMPAT] {
        match htsim_cm::parse(text, options) {
            Ok(read) => {
                let _ = read.traffic(16);
                let _ = read.traffic(u32::MAX);
                for name in ["fat_tree_128_4os.topo", "leaf_spine_tiny.topo"] {
                    let _ = read.cuts(&htsim_topo::parse(&data(name)).unwrap().shape().unwrap());
                }
            }
            Err(errors) => assert!(!errors.is_empty()),
        }
    }
    match htsim_topo::parse(text) {
        Ok(file) => match file.shape() {
            Ok(shape) => {
                let _ = file.notes(&shape);
            }
            Err(errors) => assert!(!errors.is_empty()),
        },
        Err(errors) => assert!(!errors.is_empty()),
    }
}

fn good_file() -> impl Strategy<Value = String> {
    let chain = matrix(
        "0->1 id 1 start 0 size 10 send_done_trigger 7 prio 3\n\
         0->2 id 2 start 16777217 size 10 recv_done_trigger 7\n\
         3->4 id 3 trigger 7 size 10\n\
         trigger id 7 barrier count 2\n\
         failure switch_type AGG switch_id 0 link_id 1",
    );
    let text = |name| Just(data(name));
    prop_oneof![
        Just(chain),
        text("one.cm"),
        text("perm_32n_32c_2MB.cm"),
        text("fat_tree_128_4os.topo"),
        text("leaf_spine_tiny.topo"),
    ]
}

/// A place, how much is removed there, and what is put in.
fn edit() -> impl Strategy<Value = (usize, usize, String)> {
    let piece = prop_oneof![
        "\\PC{0,3}",
        "[0-9]{1,12}",
        prop::sample::select(vec![
            " ",
            "\t",
            "\r",
            "\n",
            "\n\n",
            "->",
            "-",
            "#",
            "\u{e9}",
            "0",
            "2147483648",
            "1e400",
            "1e",
            ".",
            "trigger ",
            "size ",
            "start ",
            "id ",
            "msg ",
            "Tier 2\n",
            "Bundle 0\n",
        ])
        .prop_map(str::to_owned),
    ];
    (any::<usize>(), 0..6usize, piece)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn no_mutation_of_a_good_file_panics(
        text in good_file(),
        edits in prop::collection::vec(edit(), 0..8),
    ) {
        let mut chars: Vec<char> = text.chars().collect();
        for (at, removed, inserted) in edits {
            let from = at % (chars.len() + 1);
            let to = (from + removed).min(chars.len());
            chars.splice(from..to, inserted.chars());
        }
        survive(&chars.into_iter().collect::<String>());
    }

    #[test]
    fn no_text_panics(text in "(\\PC|[ \t\r\n0-9>#-]){0,80}") {
        survive(&text);
    }

    #[test]
    fn no_numbers_in_a_tree_panic(
        numbers in prop::collection::vec(prop_oneof![0..10u32, 0..=0x7fff_ffffu32], 15),
    ) {
        let keys = [
            "Nodes", "Podsize", "Tiers 3\nTier 0\nDownlink_speed_Gbps", "Radix_Down", "Radix_Up",
            "Downlink_Latency_ns", "Oversubscribed", "Tier 1\nDownlink_speed_Gbps", "Radix_Down",
            "Radix_Up", "Bundle",
            "Oversubscribed", "Downlink_Latency_ns 1\nTier 2\nDownlink_speed_Gbps", "Radix_Down",
            "Downlink_Latency_ns 1\nBundle",
        ];
        let text: String = keys.iter().zip(numbers).map(|(k, n)| format!("{k} {n}\n")).collect();
        survive(&text);
    }
}
