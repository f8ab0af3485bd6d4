//! Failure lines, on trees.

use super::{compat, data, matrix, strict};
use raddle::import::InputError;
use raddle::import::htsim_cm::{ConnectionMatrix, Cut};
use raddle::import::htsim_topo;
use raddle_schemes::units::{Rate, Span};
use raddle_sim::topology::tree::TreeShape;

fn cut(
    read: &ConnectionMatrix,
    tree: &str,
) -> Result<(Vec<Cut>, Vec<InputError>), Vec<InputError>> {
    read.cuts(&htsim_topo::parse(&data(tree)).unwrap().shape().unwrap())
}

fn failure(switch: u32, link: u32) -> String {
    matrix(&format!(
        "0->1 start 0 size 1\nfailure switch_type AGG switch_id {switch} link_id {link}"
    ))
}

#[test]
fn a_failure_cuts_the_named_link() {
    // Position 1 in its pod: htsim looks for core 1 x 4 + 1 = 5 = 1 + 4 x 1, its link 1.
    for read in [strict(&failure(5, 1)).unwrap(), compat(&failure(5, 1)).unwrap()] {
        assert_eq!(
            cut(&read, "fat_tree_128_1os.topo"),
            Ok((vec![Cut { agg: 5, core_of_agg: 1 }], vec![]))
        );
    }
}

#[test]
fn where_htsim_stops_strict_mode_cuts_the_named_link_with_a_note() {
    let (cuts, notes) = cut(&strict(&failure(5, 2)).unwrap(), "fat_tree_128_1os.topo").unwrap();
    assert_eq!(cuts, [Cut { agg: 5, core_of_agg: 2 }]);
    assert!(notes[0].message.contains("looks for a cable to core switch 6, finds none"));
    let errors = cut(&compat(&failure(5, 2)).unwrap(), "fat_tree_128_1os.topo").unwrap_err();
    assert!(errors[0].message.contains("htsim cannot cut link 2"));
}

#[test]
fn links_that_do_not_exist_are_refused() {
    for (switch, link, tree, message) in [
        (32, 0, "fat_tree_128_1os.topo", "there is no aggregation switch 32"),
        (0, 4, "fat_tree_128_1os.topo", "htsim cannot cut link 4 of aggregation switch 0"),
        (0, 0, "leaf_spine_tiny.topo", "a tree of two tiers has none"),
    ] {
        let errors = cut(&strict(&failure(switch, link)).unwrap(), tree).unwrap_err();
        assert_eq!(errors[0].line, 6);
        assert!(errors[0].message.contains(message), "{}", errors[0]);
    }
}

#[test]
fn in_wide_trees_htsim_cuts_another_link_than_the_named_one() {
    // 2 pods of 2 aggs with 4 cores each: agg 0, link 2 is core 0 x 2 + 2 = 0 + 2 x 1.
    let tree = TreeShape {
        tiers: 3,
        hosts: 16,
        hosts_per_tor: 2,
        tors_per_pod: 4,
        aggs_per_pod: 2,
        cores: 8,
        parallel: [1, 1],
        rates: [Rate::gbps(100); 3],
        delays: [Span::us(1); 3],
        switch_delays: [Span::ZERO; 3],
    };
    let errors = strict(&failure(0, 2)).unwrap().cuts(&tree).unwrap_err();
    assert_eq!(errors[0].message, "htsim cuts link 1 here, not link 2");
    let (cuts, notes) = compat(&failure(0, 2)).unwrap().cuts(&tree).unwrap();
    assert_eq!(cuts, [Cut { agg: 0, core_of_agg: 1 }]);
    assert_eq!(notes.len(), 1);
}
