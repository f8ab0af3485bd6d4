//! Mistakes in connection matrices: each is named once, where it stands, with what would be right.

use super::{compat, matrix, strict};

/// A text, the place (line, column, length) of its only mistake, its message and help.
type Case = (&'static str, (usize, usize, usize), &'static str, &'static str);

fn assert_only_mistake(text: &str, (_, place, message, help): Case) {
    let errors = strict(text).unwrap_err();
    let [error] = &errors[..] else { panic!("{text}\n{errors:#?}") };
    assert_eq!((error.line, error.column, error.length), place, "{text}");
    assert_eq!(error.message, message, "{text}");
    assert_eq!(error.help.as_deref(), Some(help), "{text}");
}

/// What htsim does without a word: an error, and in compat mode a note at the same place.
#[test]
fn what_htsim_misreads_is_an_error_that_offers_compat_mode() {
    let cases: &[Case] = &[
        (
            "0->1 start 16777217 size 1",
            (5, 12, 8),
            "above 2^24 ps htsim reads start times as 32-bit floats: 16777217 becomes 16777216 ps",
            "write `start 16777216`",
        ),
        (
            "0->1 start 1.5 size 1",
            (5, 12, 3),
            "htsim cuts the start 1.5 ps to 1 ps",
            "write whole picoseconds (htsim's own writer puts microseconds here, which its reader takes for picoseconds)",
        ),
        (
            "0->1 start 10us size 1",
            (5, 12, 4),
            "`10us` is not a plain number: htsim reads it as 10 ps",
            "write the picoseconds in digits",
        ),
        (
            "0->1 start 0 size 0",
            (5, 19, 1),
            "htsim takes `size 0` for an endless flow",
            "give the flow at least 1 byte",
        ),
        (
            "0->1 start 0 size 2MB",
            (5, 19, 3),
            "`2MB` is not a plain whole number: htsim reads it as 2",
            "write digits only",
        ),
        (
            "0->1 start 0 size 1 size 2",
            (5, 21, 4),
            "`size` stands on this line already: htsim takes the last one",
            "keep one of them",
        ),
        (
            "0->1 start 0 size 1 send_done_trigger 0",
            (5, 39, 1),
            "htsim takes `send_done_trigger 0` for no trigger",
            "remove `send_done_trigger 0`",
        ),
        (
            "0->1 start 0 size 1\ntrigger id 1 oneshot",
            (6, 1, 7),
            "trigger 1 is neither fired nor waited for: htsim ignores it",
            "remove it",
        ),
        (
            "0->1 start 0 size 1\n1->2 id 2 trigger 1 size 1\ntrigger id 1 oneshot",
            (7, 1, 7),
            "trigger 1 is never fired: in htsim what waits for it never starts",
            "let a connection fire it with `send_done_trigger 1`",
        ),
        (
            "0->1 start 0 size 1 send_done_trigger 1\n1->2 id 2 trigger 1 size 1\ntrigger id 1 barrier count 2",
            (6, 1, 4),
            "the connection never starts: trigger 1 is fired once",
            "let connections that end fire it 2 times",
        ),
        (
            "0->1 start 0 size 1 send_done_trigger 1\n1->2 id 2 trigger 1 size 1\n1->3 id 3 trigger 1 size 1\ntrigger id 1 multishot",
            (7, 1, 4),
            "the connection never starts: trigger 1 is fired once",
            "let trigger 1 be fired once for every connection that waits for it",
        ),
        (
            "1->2 id 2 trigger 1 size 1 send_done_trigger 1\ntrigger id 1 oneshot",
            (5, 1, 4),
            "the connection never starts: trigger 1 is fired 0 times",
            "let connections that end fire it once",
        ),
        (
            "0->1 start 0 size 1\ntrigger id 1 oneshot count 2",
            (6, 28, 1),
            "htsim ignores the `count` of a `oneshot` trigger",
            "remove it, or write `barrier`",
        ),
    ];
    for &(body, place, message, help) in cases {
        let text = matrix(body);
        let help = format!("{help}, or set `compat = true` for what htsim does");
        let errors = strict(&text).unwrap_err();
        let [error] = &errors[..] else { panic!("{text}\n{errors:#?}") };
        assert_eq!((error.line, error.column, error.length), place, "{text}");
        assert_eq!(
            (&error.message[..], error.help.as_deref()),
            (message, Some(&help[..])),
            "{text}"
        );
        let notes = compat(&text).unwrap().notes;
        assert!(notes.iter().any(|n| (n.line, &n.message[..]) == (place.0, message)), "{text}");
    }
}

/// The first body line is line 5.
#[test]
fn what_stops_htsim_is_an_error() {
    let cases: &[Case] = &[
        (
            "0->1 start -5 size 1",
            (5, 12, 2),
            "a start at -5 ps is out of range",
            "give a time from 0 to 9000000000000000000 ps (104 days)",
        ),
        (
            "0->1 start soon size 1",
            (5, 12, 4),
            "`soon` is not a start time",
            "give a number of picoseconds",
        ),
        (
            "0->1 start 0 size 2147483648",
            (5, 19, 10),
            "`size` is 2147483648, but htsim reads numbers up to 2147483647 and stops at larger ones",
            "give a number up to 2147483647",
        ),
        (
            "0->1 start 0",
            (5, 1, 4),
            "the connection has no `size`: htsim reads it from uninitialised memory",
            "add `size` and the bytes",
        ),
        ("0->1 start 0 size", (5, 14, 4), "`size` has no value", "write `size 1`, for example"),
        (
            "0->1  start 0 size 1",
            (5, 5, 2),
            "more than one space between words: htsim takes the second for an empty word and stops",
            "write one space",
        ),
        (
            "0->1 start\t0 size 1",
            (5, 11, 1),
            "a tab between words: htsim separates words by single spaces only",
            "write one space",
        ),
        (
            " 0->1 start 0 size 1",
            (5, 1, 1),
            "the line starts with a space: htsim ignores such a line in the header and stops at it elsewhere",
            "remove the space",
        ),
        (
            "0->1 start 0 size 1\r",
            (5, 20, 1),
            "lines end in CRLF: htsim accepts that after a number, and stops at it after a word or on an empty line",
            "convert the file to LF line ends, for example with `dos2unix`",
        ),
        (
            "0->1 start 0 size 1\n# more",
            (6, 1, 6),
            "a comment below the first connection, trigger or failure: htsim stops at it",
            "move it to the top of the file",
        ),
        (
            "0->1 strat 0 start 0 size 1",
            (5, 6, 5),
            "htsim knows no connection attribute `strat`",
            "did you mean `start`?",
        ),
        (
            "0->1 start 0 size 1 colour 7",
            (5, 21, 6),
            "htsim knows no connection attribute `colour`",
            "known words: start, size, id, msg, trigger, send_done_trigger, recv_done_trigger, prio, addon",
        ),
        (
            "0->1 id 0 start 0 size 1",
            (5, 9, 1),
            "flow id 0 is not allowed: htsim stops",
            "number flows from 1",
        ),
        (
            "0->1 id 4 start 0 size 1\n1->2 id 4 start 0 size 1",
            (6, 9, 1),
            "flow id 4 belongs to line 5 already: htsim stops",
            "give every connection its own id",
        ),
        (
            "0->1 id 1 size 1",
            (5, 1, 4),
            "nothing starts the connection: htsim stops",
            "add `start` and a time in picoseconds, or `trigger` and the id of a trigger",
        ),
        (
            "0->1 id 1 msg 1 start 0 size 1",
            (5, 11, 3),
            "`msg` puts several messages on one connection: htsim reads it only with -conn_reuse, and then takes start times for microseconds",
            "give each message a connection of its own, with its own id and its start in picoseconds",
        ),
        (
            "0->16 start 0 size 1",
            (5, 4, 2),
            "there is no host 16",
            "`Nodes 16` in line 1 allows hosts 0 to 15",
        ),
        ("3->3 start 0 size 1", (5, 1, 4), "host 3 sends to itself", "name two different hosts"),
        (
            "0->x start 0 size 1",
            (5, 4, 1),
            "`x` is not a number",
            "give `destination` a whole number",
        ),
        (
            "0->1 start 0 size 1\n2 -> 3 start 0 size 1",
            (6, 1, 1),
            "htsim knows no line that starts with `2`",
            "write a connection without spaces around its arrow, like `0->1`",
        ),
        (
            "0->1 start 0 size 1\nNodes 16",
            (6, 1, 5),
            "`Nodes` stands below the first connection, trigger or failure: htsim stops",
            "move the line to the top of the file",
        ),
        (
            "0->1 start 0 size 1\ntriger id 1 oneshot",
            (6, 1, 6),
            "htsim knows no line that starts with `triger`",
            "did you mean `trigger`?",
        ),
        (
            "0->1 start 0 size 1 send_done_trigger 5",
            (5, 39, 1),
            "trigger 5 is not declared: htsim stops",
            "add a line `trigger id 5 oneshot`",
        ),
        (
            "0->1 start 0 size 1 send_done_trigger 1\ntrigger id 1 oneshot\n1->2 trigger 1 size 1",
            (7, 14, 1),
            "`trigger` without an `id` before it on the line: htsim stops",
            "write `id` and a number before `trigger`",
        ),
        (
            "0->1 start 0 size 1 send_done_trigger 1\ntrigger id 1 oneshot\n1->2 id 2 trigger 1 start 5 size 1",
            (7, 1, 4),
            "the connection has both `start` and `trigger`: htsim ignores a `start` before `trigger`, and stops at one after it",
            "remove one of them",
        ),
        (
            "0->1 id 2 trigger 0 size 1",
            (5, 19, 1),
            "trigger 0 cannot exist: htsim stops",
            "number triggers from 1",
        ),
        (
            "0->1 start 0 size 1 send_done_trigger 1\ntrigger id 1 oneshot",
            (6, 1, 7),
            "no connection waits for trigger 1: htsim stops when it is fired",
            "let a connection start with `trigger 1`, or remove the trigger",
        ),
        (
            "0->1 start 0 size 1 send_done_trigger 1 recv_done_trigger 1\n1->2 id 2 trigger 1 size 1\ntrigger id 1 oneshot",
            (7, 1, 7),
            "trigger 1 is fired 2 times, and htsim stops after 1",
            "write `trigger id 1 barrier count 2` to wait for all of them",
        ),
        (
            "0->1 start 0 size 1\ntrigger id 0 oneshot",
            (6, 12, 1),
            "trigger id 0 is not allowed: htsim stops",
            "number triggers from 1",
        ),
        (
            "0->1 start 0 size 1\ntrigger oneshot",
            (6, 1, 7),
            "the trigger has no id: htsim stops",
            "add `id` and a number",
        ),
        (
            "0->1 start 0 size 1\ntrigger id 1",
            (6, 1, 7),
            "the trigger has no kind: htsim stops",
            "add `oneshot`, `multishot`, or `barrier count` and a number",
        ),
        (
            "0->1 start 0 size 1\ntrigger id 1 oneshot multishot",
            (6, 22, 9),
            "the trigger is `oneshot` already and cannot be `multishot` too: htsim stops",
            "keep one of them",
        ),
        (
            "0->1 start 0 size 1\ntrigger id 1 barrier",
            (6, 14, 7),
            "a barrier needs a positive count: htsim stops when this one is fired",
            "write `barrier count` and the number of firings to wait for",
        ),
        (
            "0->1 start 0 size 1\ntrigger id 1 oneshot\ntrigger id 1 oneshot",
            (7, 1, 7),
            "trigger 1 is declared in line 6 already: htsim stops",
            "give every trigger its own id",
        ),
        (
            "0->1 start 0 size 1\ntrigger id 1 one-shot",
            (6, 14, 8),
            "htsim knows no trigger attribute `one-shot`",
            "did you mean `oneshot`?",
        ),
        (
            "0->1 start 0 size 1\nfailure switch_type TOR switch_id 0 link_id 0",
            (6, 21, 3),
            "failures of `TOR` switches make htsim stop",
            "write `AGG`, or cut the link in the scenario with a `[[fault]]`",
        ),
        (
            "0->1 start 0 size 1\nfailure switch_type agg switch_id 0 link_id 0",
            (6, 21, 3),
            "htsim knows no switch type `agg`",
            "write `AGG`",
        ),
        (
            "0->1 start 0 size 1\nfailure switch_type AGG switch_id 0",
            (6, 1, 7),
            "the failure has no `link_id`: htsim reads it from uninitialised memory",
            "add `link_id` and its value",
        ),
        (
            "0->1 start 0 size 1\nfailure switch_type AGG switch_id 0 link_id 0\nfailure switch_type AGG switch_id 0 link_id 0",
            (7, 1, 7),
            "this link fails in line 6 already: htsim stops",
            "remove one of the lines",
        ),
    ];
    for &case in cases {
        assert_only_mistake(&matrix(case.0), case);
    }
}

#[test]
fn mistakes_in_the_header_are_errors() {
    let cases: &[Case] = &[
        (
            "Connections 1\n0->1 start 0 size 1\n",
            (1, 1, 0),
            "the header has no `Nodes` line: htsim takes the number from its command line",
            "add a line like `Nodes 16` at the top",
        ),
        (
            "Nodes 16\n0->1 start 0 size 1\n",
            (1, 1, 0),
            "the header has no `Connections` line: htsim takes it for 0 and stops",
            "add the line `Connections 1`",
        ),
        (
            "Nodes 16\nConnections 2\n0->1 start 0 size 1\n",
            (2, 13, 1),
            "the header promises `Connections 2`, the file has 1: htsim stops",
            "write `Connections 1`",
        ),
        (
            "Nodes 16\nNodes 16\nConnections 1\n0->1 start 0 size 1\n",
            (2, 1, 5),
            "`Nodes` stands in line 1 already: htsim takes the last one",
            "keep one of them, or set `compat = true` for what htsim does",
        ),
        (
            "Nodes 16 hosts\nConnections 1\n0->1 start 0 size 1\n",
            (1, 10, 5),
            "htsim ignores what follows the number of `Nodes`",
            "remove it, or set `compat = true` for what htsim does",
        ),
        (
            "Nodes\nConnections 1\n0->1 start 0 size 1\n",
            (1, 1, 5),
            "`Nodes` has no number",
            "write `Nodes 16`, for example",
        ),
        (
            "Nodes 16\nconnections 1\n0->1 start 0 size 1\n",
            (2, 1, 11),
            "`connections` is not a header word: htsim ignores this line",
            "did you mean `Connections`?",
        ),
        (
            "Nodes 16\nConnections 1\nthis is text\n0->1 start 0 size 1\n",
            (3, 1, 4),
            "`this` is not a header word: htsim ignores this line",
            "start the line with `#` if it is a comment",
        ),
        (
            "\u{feff}Nodes 16\nConnections 1\n0->1 start 0 size 1\n",
            (1, 1, 6),
            "`\\u{feff}Nodes` is not a header word: htsim ignores this line",
            "remove the byte order mark at the start of the file",
        ),
        (
            "Nodes 16\nConnections 0\n",
            (2, 1, 0),
            "the file has no connection",
            "add lines like `0->1 start 0 size 2000000`",
        ),
        (
            "Nodes 16\r\nConnections 1\r\n0->1 start 0 size 1\r\n",
            (1, 9, 1),
            "lines end in CRLF: htsim accepts that after a number, and stops at it after a word or on an empty line",
            "convert the file to LF line ends, for example with `dos2unix`",
        ),
    ];
    for &case in cases {
        assert_only_mistake(case.0, case);
    }
}

#[test]
fn all_mistakes_are_reported_at_once_in_the_order_of_the_file() {
    let text = "Nodes 16\nConnections 3\nnote to self\n0->1 start 0 size 0\n2->2 start x size 1\n\
                3->99  start 20000001 size 1 size 2\ntrigger id 0\n";
    let errors = strict(text).unwrap_err();
    let places: Vec<_> = errors.iter().map(|e| (e.line, e.column)).collect();
    assert_eq!(
        places,
        [
            (1, 1),
            (3, 1),
            (4, 19),
            (5, 1),
            (5, 12),
            (6, 4),
            (6, 6),
            (6, 14),
            (6, 30),
            (7, 1),
            (7, 12),
        ]
    );
}

#[test]
fn columns_count_characters() {
    let errors = strict(&matrix("0->1 start 0 size 1 \u{e9}\u{e9} 1 size")).unwrap_err();
    let places: Vec<_> = errors.iter().map(|e| (e.column, e.length)).collect();
    assert_eq!(places, [(21, 2), (26, 4), (26, 4)]);
}

#[test]
fn an_error_prints_its_place_and_help() {
    let errors = strict(&matrix("0->1 start 0 size")).unwrap_err();
    assert_eq!(
        errors[0].to_string(),
        "line 5, column 14: `size` has no value (help: write `size 1`, for example)"
    );
}
