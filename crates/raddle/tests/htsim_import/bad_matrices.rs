//! Mistakes in connection matrices: each is named once, where it stands, with what would be right.

use super::{compat, matrix, strict};
use raddle::import::InputError;

/// Reads a text with exactly one mistake.
fn only_error(text: &str) -> InputError {
    let errors = strict(text).unwrap_err();
    assert_eq!(errors.len(), 1, "{text}\n{errors:#?}");
    errors[0].clone()
}

#[test]
fn print() {
    for body in [
        "0->1 start 16777217 size 1",
        "0->1 start 1.5 size 1",
        "0->1 start 10us size 1",
        "0->1 start -5 size 1",
        "0->1 start soon size 1",
        "0->1 start 0 size 2147483648",
        "0->1 start 0 size 0",
        "0->1 start 0",
        "0->1 start 0 size 2MB",
        "0->1 start 0 size",
        "0->1 start 0 size 1 size 2",
        "0->1  start 0 size 1",
        "0->1 start\t0 size 1",
        " 0->1 start 0 size 1",
        "0->1 start 0 size 1\r",
        "0->1 start 0 size 1\n# more",
        "0->1 strat 0 start 0 size 1",
        "0->1 start 0 size 1 colour 7",
        "0->1 id 0 start 0 size 1",
        "0->1 id 4 start 0 size 1\n1->2 id 4 start 0 size 1",
        "0->1 id 1 size 1",
        "0->1 id 1 msg 1 start 0 size 1",
        "0->16 start 0 size 1",
        "3->3 start 0 size 1",
        "0->x start 0 size 1",
        "0->1 start 0 size 1\n2 -> 3 start 0 size 1",
        "0->1 start 0 size 1\nNodes 16",
        "0->1 start 0 size 1\ntriger id 1 oneshot",
        "0->1 start 0 size 1 send_done_trigger 0",
        "0->1 start 0 size 1 send_done_trigger 5",
        "0->1 start 0 size 1 send_done_trigger 1\ntrigger id 1 oneshot\n1->2 trigger 1 size 1",
        "0->1 start 0 size 1 send_done_trigger 1\ntrigger id 1 oneshot\n1->2 id 2 trigger 1 start 5 size 1",
        "0->1 id 2 trigger 0 size 1",
        "0->1 start 0 size 1\ntrigger id 1 oneshot",
        "0->1 start 0 size 1 send_done_trigger 1\ntrigger id 1 oneshot",
        "0->1 start 0 size 1\n1->2 id 2 trigger 1 size 1\ntrigger id 1 oneshot",
        "0->1 start 0 size 1 send_done_trigger 1 recv_done_trigger 1\n1->2 id 2 trigger 1 size 1\ntrigger id 1 oneshot",
        "0->1 start 0 size 1 send_done_trigger 1\n1->2 id 2 trigger 1 size 1\ntrigger id 1 barrier count 2",
        "0->1 start 0 size 1 send_done_trigger 1\n1->2 id 2 trigger 1 size 1\n1->3 id 3 trigger 1 size 1\ntrigger id 1 multishot",
        "1->2 id 2 trigger 1 size 1 send_done_trigger 1\ntrigger id 1 oneshot",
        "0->1 start 0 size 1\ntrigger id 0 oneshot",
        "0->1 start 0 size 1\ntrigger oneshot",
        "0->1 start 0 size 1\ntrigger id 1",
        "0->1 start 0 size 1\ntrigger id 1 oneshot multishot",
        "0->1 start 0 size 1\ntrigger id 1 barrier",
        "0->1 start 0 size 1\ntrigger id 1 oneshot count 2",
        "0->1 start 0 size 1\ntrigger id 1 oneshot\ntrigger id 1 oneshot",
        "0->1 start 0 size 1\ntrigger id 1 one-shot",
        "0->1 start 0 size 1\nfailure switch_type TOR switch_id 0 link_id 0",
        "0->1 start 0 size 1\nfailure switch_type agg switch_id 0 link_id 0",
        "0->1 start 0 size 1\nfailure switch_type AGG switch_id 0",
        "0->1 start 0 size 1\nfailure switch_type AGG switch_id 0 link_id 0\nfailure switch_type AGG switch_id 0 link_id 0",
    ] {
        for e in strict(&matrix(body)).unwrap_err() {
            println!(
                "    ({body:?}, {}, {}, {}, {:?}, {:?}),",
                e.line,
                e.column,
                e.length,
                e.message,
                e.help.unwrap()
            );
        }
        match compat(&matrix(body)) {
            Ok(r) => {
                println!("// compat: {:?}", r.notes.iter().map(|n| &n.message).collect::<Vec<_>>())
            }
            Err(e) => println!("// compat: error {}", e.len()),
        }
    }
    for text in [
        "Connections 1\n0->1 start 0 size 1\n",
        "Nodes 16\n0->1 start 0 size 1\n",
        "Nodes 16\nConnections 2\n0->1 start 0 size 1\n",
        "Nodes 16\nNodes 16\nConnections 1\n0->1 start 0 size 1\n",
        "Nodes 16 hosts\nConnections 1\n0->1 start 0 size 1\n",
        "Nodes\nConnections 1\n0->1 start 0 size 1\n",
        "Nodes 16\nconnections 1\n0->1 start 0 size 1\n",
        "Nodes 16\nConnections 1\nthis is text\n0->1 start 0 size 1\n",
        "\u{feff}Nodes 16\nConnections 1\n0->1 start 0 size 1\n",
        "Nodes 16\nConnections 0\n",
        "Nodes 1\nConnections 0\n",
        "",
        "Nodes 16\r\nConnections 1\r\n0->1 start 0 size 1\r\n",
    ] {
        for e in strict(text).unwrap_err() {
            println!(
                "    ({text:?}, {}, {}, {}, {:?}, {:?}),",
                e.line,
                e.column,
                e.length,
                e.message,
                e.help.unwrap()
            );
        }
        match compat(text) {
            Ok(r) => {
                println!("// compat: {:?}", r.notes.iter().map(|n| &n.message).collect::<Vec<_>>())
            }
            Err(e) => println!("// compat: error {}", e.len()),
        }
    }
}
