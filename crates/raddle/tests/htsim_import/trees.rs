//! Trees beyond the data files.

use raddle::import::htsim_topo;
use raddle_schemes::units::{Bytes, Rate, Span};
use raddle_sim::topology::tree::TreeShape;

#[test]
fn keys_have_any_case_and_bundles_and_speeds_make_parallel_links() {
    // As htsim's test.topo: 2 pods of 2 ToRs and 2 aggs, 4 cores, 2 cables from agg to core.
    let text = "nodes 8\nTIERS 3\nPodsize 4\ntier 0\nDOWNLINK_SPEED_GBPS 200\nRadix_Down 2\n\
                Radix_Up 2\nDownlink_Latency_ns 1000\nTier 1\nDownlink_speed_Gbps 200\n\
                Radix_Down 2\nRadix_Up 4\nDownlink_Latency_ns 500\nSwitch_Latency_ns 300\n\
                Queue_Up 5000\nTier 2\nDownlink_speed_Gbps 100\nRadix_Down 4\n\
                Downlink_Latency_ns 1000\nBundle 2\n# end\n";
    let file = htsim_topo::parse(text).unwrap();
    let shape = file.shape().unwrap();
    assert_eq!(
        shape,
        TreeShape {
            tiers: 3,
            hosts: 8,
            hosts_per_tor: 2,
            tors_per_pod: 2,
            aggs_per_pod: 2,
            cores: 4,
            parallel: [1, 2],
            rates: [Rate::gbps(200), Rate::gbps(200), Rate::gbps(100)],
            delays: [Span::ns(1000), Span::ns(500), Span::ns(1000)],
            switch_delays: [Span::ZERO, Span::ns(300), Span::ZERO],
        }
    );
    assert_eq!(file.tier[1].queue_up, Some(Bytes(5000)));
    assert_eq!(file.tier[1].queue_down, None);
    let notes = file.notes(&shape);
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].line, 15);
}

#[test]
fn more_ports_than_htsim_has_assertions_for_are_noted() {
    let text = "Nodes 16384\nTiers 2\nPodsize 16384\nTier 0\nDownlink_speed_Gbps 400\n\
                Radix_Down 128\nRadix_Up 128\nDownlink_Latency_ns 500\nTier 1\n\
                Downlink_speed_Gbps 400\nRadix_Down 128\nDownlink_Latency_ns 500\n";
    let file = htsim_topo::parse(text).unwrap();
    let shape = file.shape().unwrap();
    assert_eq!((shape.tors_per_pod, shape.aggs_per_pod), (128, 128));
    let notes = file.notes(&shape);
    assert_eq!(notes.len(), 1);
    assert_eq!((notes[0].line, notes[0].column), (6, 12));
    assert_eq!(notes[0].message, "a switch of tier 0 has 256 ports; htsim stops above 128");
}

#[test]
fn a_down_radix_that_differs_from_the_cabling_is_noted() {
    // Faster uplinks: htsim's count of ToR uplinks halves, so its file must halve Radix_Down too,
    // yet it cables all 4 ToRs to all 4 spines.
    let text = "Nodes 32\nTiers 2\nPodsize 32\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 8\n\
                Radix_Up 4\nOversubscribed 2\nDownlink_Latency_ns 500\nTier 1\n\
                Downlink_speed_Gbps 200\nRadix_Down 2\nDownlink_Latency_ns 500\n";
    let file = htsim_topo::parse(text).unwrap();
    let shape = file.shape().unwrap();
    assert_eq!((shape.tors_per_pod, shape.aggs_per_pod), (4, 4));
    let notes = file.notes(&shape);
    assert_eq!(notes.len(), 1);
    assert_eq!(
        notes[0].message,
        "each switch of tier 1 has 4 ports towards hosts, not 2; htsim too cables it so"
    );
}
