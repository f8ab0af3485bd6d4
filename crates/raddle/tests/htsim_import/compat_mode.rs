//! `compat = true` does what htsim does.

use super::{compat, matrix, strict};
use raddle::import::htsim_cm::ConnectionStart;
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Time};
use raddle_sim::workload::Start;

#[test]
fn starts_are_rounded_as_htsim_rounds_them() {
    let text = matrix("0->1 start 16777217 size 1\n1->2 start 1000000033 size 1");
    let read = compat(&text).unwrap();
    let starts: Vec<_> = read.connections.iter().map(|c| c.start).collect();
    assert_eq!(starts, [16_777_216, 1_000_000_064].map(|ps| ConnectionStart::At(Time(ps))));
    assert_eq!(read.notes.len(), 1);
    assert!(read.notes[0].message.ends_with("(1 more like this)"));
}

#[test]
fn endless_flows_are_read_but_do_not_run() {
    for size in ["0", "-7"] {
        let read = compat(&matrix(&format!("0->1 start 0 size {size}"))).unwrap();
        assert_eq!(read.connections[0].size, None);
        let errors = read.traffic(16).unwrap_err();
        assert_eq!((errors[0].line, errors[0].column), (5, 1));
        assert_eq!(errors[0].message, "an endless flow has no completion time");
    }
}

#[test]
fn numbers_end_where_their_digits_end() {
    let read = compat(&matrix("0x->1y start 5ps size 2MB id +3\r")).unwrap();
    let connection = &read.connections[0];
    assert_eq!((connection.source, connection.destination), (HostId(0), HostId(1)));
    assert_eq!(connection.size, Some(Bytes(2)));
    assert_eq!(connection.start, ConnectionStart::At(Time(5)));
    assert_eq!(connection.id, Some(3));
}

#[test]
fn the_last_of_several_values_counts_and_header_noise_is_skipped() {
    let text = "nodes 4\nHello world\n Nodes 9\nNodes 2\nNodes 16 x\nConnections 1\n\
                0->1 size 1 size 5 start 0\n";
    let read = compat(text).unwrap();
    assert_eq!(read.nodes, 16);
    assert_eq!(read.connections[0].size, Some(Bytes(5)));
    assert!(!read.notes.is_empty());
    assert!(strict(text).is_err());
}

#[test]
fn a_start_before_a_trigger_is_ignored_and_one_after_it_is_not() {
    let first = "0->1 start 0 size 1 send_done_trigger 1\ntrigger id 1 oneshot\n";
    let before = matrix(&format!("{first}2->3 id 1 start 9 trigger 1 size 1"));
    assert_eq!(compat(&before).unwrap().connections[1].start, ConnectionStart::Trigger(1));
    let after = matrix(&format!("{first}2->3 id 1 trigger 1 start 9 size 1"));
    assert!(compat(&after).unwrap_err()[0].message.contains("both `start` and `trigger`"));
}

#[test]
fn crlf_is_accepted_after_numbers_only() {
    let text = matrix("0->1 start 0 size 1").replace('\n', "\r\n");
    assert_eq!(compat(&text).unwrap().connections.len(), 1);
    assert!(compat(&format!("{text}\r\n")).unwrap_err()[0].message.contains(r"`\r`"));
    assert!(strict(&text).is_err());
}

#[test]
fn flows_that_never_start_are_kept_with_a_note() {
    let text = matrix("0->1 id 1 trigger 1 size 1 send_done_trigger 1\ntrigger id 1 oneshot");
    let read = compat(&text).unwrap();
    assert!(read.notes[0].message.contains("never starts"));
    let (traffic, _) = read.traffic(16).unwrap();
    assert_eq!(traffic.flows[0].start, Start::WHEN_TRIGGERED);
}
