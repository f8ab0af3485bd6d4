//! Every file of `data/htsim`, against numbers worked out by hand.

use super::{compat, data, folder, strict};
use raddle::import::htsim_topo;
use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::{Start, TriggerId, TriggerKind};
use std::fs;

#[test]
fn every_file_is_read_without_a_note_and_alike_in_both_modes() {
    let (mut matrices, mut trees) = (0, 0);
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        match path.extension().and_then(|e| e.to_str()) {
            Some("cm") => {
                let matrix = strict(&text).unwrap();
                assert_eq!(matrix.notes, [], "{path:?}");
                let same = compat(&text).unwrap();
                assert_eq!(matrix.traffic(matrix.nodes), same.traffic(same.nodes), "{path:?}");
                matrices += 1;
            }
            Some("topo") => {
                let file = htsim_topo::parse(&text).unwrap();
                let shape = file.shape().unwrap();
                assert_eq!(file.notes(&shape), [], "{path:?}");
                trees += 1;
            }
            _ => {}
        }
    }
    assert_eq!((matrices, trees), (5, 5));
}

#[test]
fn one_flow() {
    let matrix = strict(&data("one.cm")).unwrap();
    assert_eq!(matrix.nodes, 16);
    let (traffic, notes) = matrix.traffic(16).unwrap();
    assert_eq!(notes, []);
    assert_eq!(traffic.triggers, []);
    let [flow] = &traffic.flows[..] else { panic!("{} flows", traffic.flows.len()) };
    assert_eq!((flow.source, flow.destination), (HostId(0), HostId(13)));
    assert_eq!((flow.bytes, flow.start), (Bytes(2_000_000), Start::At(Time::ZERO)));
    assert_eq!((flow.on_acked, flow.on_delivered), (None, None));
}

#[test]
fn incast_sends_to_host_33_from_every_other_host() {
    let (traffic, _) = strict(&data("incast_128.cm")).unwrap().traffic(128).unwrap();
    assert_eq!(traffic.flows.len(), 127);
    assert!(traffic.flows.iter().all(|flow| flow.destination == HostId(33)));
    let mut sources: Vec<u32> = traffic.flows.iter().map(|flow| flow.source.0).collect();
    sources.sort_unstable();
    assert_eq!(sources, (0..128).filter(|host| *host != 33).collect::<Vec<_>>());
}

#[test]
fn permutations_send_and_receive_once_per_host() {
    for (name, hosts) in [("perm_32n_32c_2MB.cm", 32), ("perm_1024n_1024c_0u_2000000b.cm", 1024)] {
        let matrix = strict(&data(name)).unwrap();
        assert_eq!(matrix.nodes, hosts);
        let ids: Vec<_> = matrix.connections.iter().map(|c| c.id).collect();
        assert_eq!(ids, (1..=hosts).map(Some).collect::<Vec<_>>());
        let (traffic, _) = matrix.traffic(hosts).unwrap();
        let all: Vec<u32> = (0..hosts).collect();
        let mut sources: Vec<u32> = traffic.flows.iter().map(|f| f.source.0).collect();
        let mut sinks: Vec<u32> = traffic.flows.iter().map(|f| f.destination.0).collect();
        sources.sort_unstable();
        sinks.sort_unstable();
        assert_eq!((sources, sinks), (all.clone(), all));
        assert!(traffic.flows.iter().all(|f| f.bytes == Bytes(2_000_000)));
    }
}

#[test]
fn the_serial_all_to_all_is_sixteen_chains_of_fifteen() {
    let (traffic, _) = strict(&data("alltoall_serial_16n.cm")).unwrap().traffic(16).unwrap();
    assert_eq!((traffic.flows.len(), traffic.triggers.len()), (240, 224));
    for (index, flow) in traffic.flows.iter().enumerate() {
        let (chain, place) = (index / 15, index % 15);
        assert_eq!(flow.source, traffic.flows[chain * 15].source);
        assert_eq!(flow.start == Start::At(Time::ZERO), place == 0);
        let next = (place < 14).then_some(TriggerId::new((chain * 14 + place) as u32));
        assert_eq!((flow.on_acked, flow.on_delivered), (next, None));
    }
    for (index, trigger) in traffic.triggers.iter().enumerate() {
        assert_eq!(trigger.kind, TriggerKind::All { count: 1 });
        let (chain, place) = (index / 14, index % 14);
        assert_eq!(trigger.targets, [FlowId((chain * 15 + place + 1) as u32)]);
    }
}

fn tree(hosts: [u32; 3], [aggs_per_pod, cores]: [u32; 2], gbps: u64) -> TreeShape {
    let [hosts, hosts_per_tor, tors_per_pod] = hosts;
    TreeShape {
        tiers: if cores > 0 { 3 } else { 2 },
        hosts,
        hosts_per_tor,
        tors_per_pod,
        aggs_per_pod,
        cores,
        parallel: [1, 1],
        rates: [Rate::gbps(gbps); 3],
        delays: [Span::us(1); 3],
        switch_delays: [Span::ZERO; 3],
    }
}

#[test]
fn trees_have_the_shape_a_hand_calculation_gives() {
    for (name, expected) in [
        // 128 / 16 = 8 pods of 16 / 4 = 4 ToRs; 128 uplinks / (8 x 4) = 4 aggs per pod;
        // 128 agg uplinks / 8 = 16 cores.
        ("fat_tree_128_1os.topo", tree([128, 4, 4], [4, 16], 100)),
        // As above, but 128 / 4 = 32 agg uplinks / 8 = 4 cores: one per agg of a pod.
        ("fat_tree_128_4os.topo", tree([128, 4, 4], [4, 4], 100)),
        // 1024 / 64 = 16 pods of 8 ToRs; 1024 / (16 x 8) = 8 aggs; 1024 / 16 = 64 cores.
        ("fat_tree_1024_1os.topo", tree([1024, 8, 8], [8, 64], 200)),
        // 128 ToRs of 64 hosts; 8192 uplinks / 128 = 64 spines.
        ("leaf_spine_8192_400g.topo", tree([8192, 64, 128], [64, 0], 400)),
        // 4 ToRs of 8 hosts; 32 / 4 = 8 uplinks / 4 = 2 spines.
        ("leaf_spine_tiny.topo", tree([32, 8, 4], [2, 0], 100)),
    ] {
        let file = htsim_topo::parse(&data(name)).unwrap();
        assert_eq!(file.shape(), Ok(expected), "{name}");
        assert!(file.tier.iter().all(|t| t.queue_up.is_none() && t.queue_down.is_none()));
    }
}
