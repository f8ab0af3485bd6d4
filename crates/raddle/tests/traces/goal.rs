//! GOAL schedules.

use super::{errors, of_bytes, read};
use raddle::import::trace::{Layout, Options, Trace};
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::workload::job_graph::{Does, Edge, JobGraph, Point, Rank};

fn options() -> Options {
    Options::default()
}

fn text(text: &str) -> Trace {
    of_bytes("t.goal", text.as_bytes(), &options()).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn wrong(text: &str) -> Vec<String> {
    errors("t.goal", text.as_bytes(), &options())
}

fn job(trace: &Trace) -> JobGraph {
    trace.job().ok().flatten().expect("a job")
}

/// Counted by another hand.
#[test]
fn the_binary_tree_of_32_ranks_is_counted() {
    let trace = read("goal/binary_tree_32.goal");
    assert_eq!((trace.format.word, trace.ranks()), ("goal", 32));
    let counts = trace.counts().unwrap();
    assert_eq!((counts.sends, counts.recvs, counts.calcs), (31, 31, 0));
    assert_eq!((counts.send_bytes, counts.edges, counts.roots), (31, 26, 36));
}

/// The binary form of a job, as `txt2bin` writes it: edges stand with the node that is waited for.
fn binary(job: &JobGraph) -> Vec<u8> {
    let mut ranks: Vec<Vec<u8>> = Vec::new();
    for rank in &job.ranks {
        let mut bytes = Vec::new();
        let word = |value: u32, to: &mut Vec<u8>| to.extend(value.to_le_bytes());
        word(rank.nodes.len() as u32, &mut bytes);
        let roots = (0..).zip(&rank.nodes).filter(|(_, node)| node.after.is_empty());
        let roots: Vec<u32> = roots.map(|(number, _)| number).collect();
        word(roots.len() as u32, &mut bytes);
        roots.iter().for_each(|root| word(*root, &mut bytes));
        let mut appendix: Vec<u32> = Vec::new();
        for (number, node) in (0..).zip(&rank.nodes) {
            word(node.after.len() as u32, &mut bytes);
            let (kind, peer, size, tag) = match node.does {
                Does::Send { to, bytes, tag } => (1, to, bytes.0, tag as u32),
                Does::Recv { from, tag, bytes } => (
                    2,
                    from.unwrap_or(u32::MAX),
                    bytes.unwrap_or_default().0,
                    tag.map_or(u32::MAX, |tag| tag as u32),
                ),
                Does::Calc(time) => (3, 0, time.0 / 1_000, 0),
                _ => panic!("{node:?}"),
            };
            bytes.push(kind);
            word(peer, &mut bytes);
            bytes.extend(size.to_le_bytes());
            word(tag, &mut bytes);
            bytes.extend([node.unit.unwrap_or(0) as u8, 0]);
            for point in [Point::End, Point::Start] {
                let waits = (0..)
                    .zip(&rank.nodes)
                    .filter(|(_, other)| rank.after(other).contains(&Edge { on: number, point }));
                let waits: Vec<u32> = waits.map(|(of, _)| of).collect();
                word(waits.len() as u32, &mut bytes);
                word(appendix.len() as u32, &mut bytes);
                appendix.extend(waits);
            }
        }
        appendix.iter().for_each(|edge| word(*edge, &mut bytes));
        ranks.push(bytes);
    }
    let mut file = 4_223_u64.to_le_bytes().to_vec();
    file.extend((ranks.len() as u32).to_le_bytes());
    file.extend([0, 0]);
    let mut at = 6 + 16 * ranks.len() as u64;
    for rank in &ranks {
        file.extend(at.to_le_bytes());
        at += rank.len() as u64;
        file.extend(at.to_le_bytes());
    }
    ranks.iter().for_each(|rank| file.extend(rank));
    file
}

/// The same job, whatever its nodes are called and however their edges are sorted.
fn plain(mut job: JobGraph) -> JobGraph {
    for rank in &mut job.ranks {
        let mut own = Rank::default();
        for node in &rank.nodes {
            let mut after = rank.after(node).to_vec();
            after.sort_unstable();
            own.push(0, node.does.clone(), node.unit, &after);
        }
        *rank = own;
    }
    job
}

#[test]
fn text_and_binary_are_one_job() {
    let tree = job(&read("goal/binary_tree_32.goal"));
    let bytes = binary(&tree);
    assert_eq!(bytes.len(), 3_448);
    // From byte 8: rank 0 at 518 to 741, rank 31 at 3389 to 3440.
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    assert_eq!([number(14), number(22)], [518, 741]);
    assert_eq!([number(14 + 31 * 16), number(22 + 31 * 16)], [3_389, 3_440]);
    let again = of_bytes("t.bin", &bytes, &options()).unwrap();
    assert_eq!(again.format.word, "goal_binary");
    assert_eq!(plain(job(&again)), plain(tree));
    let all = text(
        "num_ranks 2\nrank 0 {\na: calc 7 cpu 3\nb: send 9b to 1 tag 4\nb requires a\n\
         c: calc 5\nc irequires b\n}\nrank 1 {\nrecv 9b from -1 tag -1\n}\n",
    );
    let again = of_bytes("t.bin", &binary(&job(&all)), &options()).unwrap();
    assert_eq!(plain(job(&again)), plain(job(&all)));
}

#[test]
fn a_binary_that_is_spoilt_or_cut_off_is_refused() {
    let bytes = binary(&job(&read("goal/binary_tree_32.goal")));
    let mut spoilt = bytes.clone();
    spoilt[..8].copy_from_slice(&2_342_u64.to_le_bytes());
    let error = &errors("t.bin", &spoilt, &options())[0];
    assert!(error.contains("`--save-mem`"), "{error}");
    for cut in [9, 100, 600, bytes.len() - 1] {
        assert!(of_bytes("t.bin", &bytes[..cut], &options()).is_err(), "{cut}");
    }
    let mut wrong = bytes.clone();
    wrong[526 + 20 + 4 + 4] = 9;
    assert!(of_bytes("t.bin", &wrong, &options()).is_err());
}

#[test]
fn statements_have_comments_labels_and_options() {
    let trace = text(
        "/* two\n ranks */ num_ranks 2 // here\nrank 1 { // the last first\n  r: recv 5b from 0 tag 3 cpu 1\n\
         x: calc 200 cpu 255 /* long */\n  x requires r\n}\nrank 0 { s: send 5b to 1 tag 3 cpu 2 nic 0\n}\n",
    );
    let job = job(&trace);
    let bytes = Bytes(5);
    assert_eq!(job.ranks[0].nodes[0].does, Does::Send { to: 1, bytes, tag: 3 });
    let recv = Does::Recv { from: Some(0), tag: Some(3), bytes: Some(bytes) };
    assert_eq!(job.ranks[1].nodes[0].does, recv);
    assert_eq!(job.ranks[1].nodes[1].does, Does::Calc(Span::ns(200)));
    assert_eq!(job.ranks[1].nodes[1].unit, Some(255));
    let slow = Options { unit: Span::us(1), ..options() };
    let scaled = of_bytes("t.goal", b"num_ranks 1\nrank 0 {\ncalc 3\n}\n", &slow).unwrap();
    assert_eq!(scaled.counts().unwrap().calc_time, Span::us(3));
    // 0 B is one empty packet.
    let empty = text("num_ranks 2\nrank 0 {\nsend 0b to 1\n}\nrank 1 {\nrecv 0b from 0\n}\n");
    let hosts: Vec<_> = (0..2).map(raddle_schemes::ids::HostId).collect();
    assert_eq!(empty.traffic(&hosts).unwrap().flows[0].bytes, Bytes(1));
}

#[test]
fn what_is_misread_elsewhere_is_an_error_here() {
    let of = |body: &str| format!("num_ranks 1\nrank 0 {{\n{body}\n}}\n");
    for (text, expected) in [
        (of("a: calc 1\na: calc 2"), "line 4, column 1: label `a` is that of line 3 already"),
        (of("calc 1 cpu 256"), "line 3, column 12: `cpu` is 256; LogGOPSim has room for 255"),
        (of("a requires b"), "line 3, column 1: label `a` is not defined above"),
        (of("abc: calc 1\nabd: calc 1\nabe requires abc"), "(help: did you mean `abc`?)"),
        (of("sent 5b to 1"), "unknown statement `sent` (help: did you mean `send`?)"),
        (of("send 5 to 1"), "line 3, column 8: `to` where `b` after the size should be"),
        (of("calc 1 tag 3"), "line 3, column 8: `tag` is too much in this statement"),
        (of("send 5b to 3"), "names rank 3; expected 0 to 0"),
        ("num_ranks 2\nrank 0 {\n}\n".into(), "`num_ranks` is 2, and rank 1 is not there"),
        (
            "num_ranks 1\nrank 0 {\n}\nrank 0 {\n}\n".into(),
            "line 4, column 6: rank 0 is there already",
        ),
        ("num_ranks 1\nrank 1 {\n}\n".into(), "line 2, column 6: there is no rank 1"),
        ("num_ranks 1\nrank 0 {\ncalc 1\n".into(), "the file ends before `}`"),
        ("num_ranks 1 /* no end\n".into(), "line 1, column 13: a comment that does not end"),
        (
            "num_ranks 2\nrank 0 {\nsend 5b to 1\n}\nrank 1 {\nrecv 6b from 0\n}\n".into(),
            "line 6: rank 1 receives 6 B, and its send, node 3 of rank 0, has 5 B",
        ),
        (
            "num_ranks 2\nrank 0 {\nsend 5b to 1 tag 1\n}\nrank 1 {\nrecv 5b from 0\n}\n".into(),
            "line 6: rank 1 receives from rank 0 with tag 0, and no send is left",
        ),
    ] {
        let errors = wrong(&text);
        assert!(errors.iter().any(|error| error.contains(expected)), "{text}: {errors:#?}");
    }
    let many = wrong(&of(&"foo\n".repeat(30)));
    assert_eq!((many.len(), many[20].as_str()), (21, "10 more mistakes like these"));
}

#[test]
fn network_cards_need_a_layout() {
    let text = b"num_ranks 2\nrank 0 {\nsend 5b to 1 nic 1\n}\nrank 1 {\nrecv 5b from 0\n}\n";
    let error = &errors("t.goal", text, &options())[0];
    assert!(error.contains("set `layout = \"rank\"`"), "{error}");
    let rank = Options { layout: Some(Layout::Rank), ..options() };
    assert!(of_bytes("t.goal", text, &rank).is_ok());
}

#[test]
fn sizes_that_no_count_has_room_for_are_refused() {
    let huge = "9223372036854775808b";
    let job = format!(
        "num_ranks 2\nrank 0 {{\nsend {huge} to 1\n}}\nrank 1 {{\nrecv {huge} from 0\n}}\n"
    );
    let told = wrong(&job).join("; ");
    assert!(told.contains("at most"), "{told}");
}

/// Each label that is missing is looked for among all: after twenty nobody does.
#[test]
fn a_long_rank_full_of_mistakes_is_told_soon() {
    use std::fmt::Write;
    let mut job = "num_ranks 1\nrank 0 {\n".to_owned();
    for label in 0..20_000 {
        writeln!(job, "a{label}: calc 1\na{label} requires x{label}").expect("room");
    }
    job.push_str("}\n");
    assert!(wrong(&job).len() <= 21);
}

/// Nodes and ranks that name the same bytes would be there as often as they are named.
#[test]
fn a_binary_whose_nodes_share_edges_is_refused() {
    let mut bytes = binary(&job(&read("goal/binary_tree_32.goal")));
    let second = 14 + 16;
    let first: [u8; 16] = bytes[14..30].try_into().expect("16 bytes");
    for rank in 0..31 {
        bytes[second + 16 * rank..][..16].copy_from_slice(&first);
    }
    let told = errors("t.bin", &bytes, &options()).join("; ");
    assert!(told.contains("shares bytes with others"), "{told}");
}
