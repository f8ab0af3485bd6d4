//! What becomes of triggers, and of a matrix on a fabric of another size.

use super::{matrix, strict};
use raddle_schemes::ids::FlowId;
use raddle_sim::workload::{TriggerId, TriggerKind};

const CHAIN: &str = "0->1 id 1 start 0 size 10 send_done_trigger 7
0->2 id 2 start 0 size 10 recv_done_trigger 7
3->4 id 3 trigger 7 size 10
5->6 id 4 trigger 7 size 10
trigger id 7 barrier count 2";

#[test]
fn kinds_and_firing_points_are_kept() {
    let (traffic, _) = strict(&matrix(CHAIN)).unwrap().traffic(16).unwrap();
    assert_eq!(traffic.triggers[0].kind, TriggerKind::All { count: 2 });
    assert_eq!(traffic.triggers[0].targets, [FlowId(2), FlowId(3)]);
    assert_eq!(traffic.flows[0].on_acked, Some(TriggerId::new(0)));
    assert_eq!(traffic.flows[1].on_delivered, Some(TriggerId::new(0)));
    let next = CHAIN.replace("barrier count 2", "multishot");
    let (traffic, _) = strict(&matrix(&next)).unwrap().traffic(16).unwrap();
    assert_eq!(traffic.triggers[0].kind, TriggerKind::Next);
}

#[test]
fn a_matrix_may_be_smaller_than_the_fabric_but_not_larger() {
    let small = strict(&matrix(CHAIN)).unwrap();
    let (_, notes) = small.traffic(128).unwrap();
    assert_eq!(notes.len(), 1);
    assert_eq!((notes[0].line, notes[0].column, notes[0].length), (1, 7, 2));
    assert_eq!(
        notes[0].message,
        "the matrix has 16 hosts, the fabric has 128; the others stay idle"
    );
    let errors = small.traffic(8).unwrap_err();
    assert_eq!(errors[0].message, "the matrix has 16 hosts, the fabric has 8");
    assert_eq!(errors[0].help.as_deref(), Some("use a fabric of at least 16 hosts"));
}

#[test]
fn surplus_firings_of_a_multishot_are_noted() {
    let text =
        CHAIN.replace("barrier count 2", "multishot").replace("id 4 trigger 7", "id 4 start 0");
    let notes = strict(&matrix(&text)).unwrap().notes;
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].line, 9);
    assert!(notes[0].message.contains("is fired 2 times for 1 waiting connections"));
}

#[test]
fn attributes_without_effect_are_noted_once() {
    let text = matrix("0->1 start 0 size 1 prio 5\n1->0 start 0 size 1 prio 6 addon");
    let notes = strict(&text).unwrap().notes;
    let texts: Vec<_> = notes.iter().map(|n| (n.line, n.column, n.message.as_str())).collect();
    assert_eq!(
        texts,
        [
            (5, 26, "`prio` has no effect, as in htsim's UEC program (1 more like this)"),
            (6, 28, "`addon` is csg-htsim's and has no effect there"),
        ]
    );
}
