//! Workloads of SimAI and aicb.

use super::{errors, fact, of_bytes, read, read_as};
use raddle::import::trace::{Options, RunAs};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::workload::job_graph::CollectiveOp;

fn options() -> Options {
    Options::default()
}

/// Counted by another hand.
#[test]
fn two_rows_of_a_micro_benchmark() {
    let channels = Options { channels: 8, ..options() };
    let trace = read_as("simai/microAllReduce.txt", &channels).unwrap();
    assert_eq!((trace.format.word, trace.ranks()), ("simai", 8));
    assert_eq!((fact(&trace, "rows"), fact(&trace, "forward all_reduce tp")), (2, 2));
    assert_eq!(fact(&trace, "forward all_reduce tp, B"), 83_886_080);
    assert_eq!(fact(&trace, "forward computation, ns"), 2 * 556_000);
    let counts = trace.counts().unwrap();
    let own = &counts.collectives[0];
    assert_eq!((own.op, own.ranks, own.count), (CollectiveOp::AllReduce, 8, 2));
    assert_eq!((own.sends, own.send_bytes), (2 * 896, 1_174_405_120));
    assert_eq!(counts.calc_time, Span::ns(8 * 2 * (556_000 + 1 + 1)));
    let hosts: Vec<HostId> = (0..8).map(HostId).collect();
    let flows = trace.traffic(&hosts).unwrap().flows;
    let first: Vec<_> = flows.iter().filter(|flow| flow.bytes == Bytes(262_144)).collect();
    assert_eq!(first.len(), 896);
    assert_eq!(first.iter().map(|flow| flow.bytes.0).sum::<u64>(), 234_881_024);
}

/// Counted by another hand.
#[test]
fn a_mixture_of_experts_is_counted() {
    let trace = read("simai/workload_analytical.txt");
    for (name, expected) in [
        ("rows", 1_789),
        ("forward all_reduce tp", 31),
        ("forward all_gather tp", 600),
        ("forward all_gather tp, B", 49_828_331_520),
        ("forward reduce_scatter tp", 384),
        ("forward all_to_all tp", 384),
        ("forward all_to_all ep", 384),
        ("weight gradient all_gather dp", 1),
        ("weight gradient reduce_scatter dp", 1),
        ("weight gradient all_gather dp_ep", 1),
        ("weight gradient reduce_scatter dp_ep", 1),
        ("micro-batches", 24),
        ("rows of a micro-batch", 74),
        ("rows once a step", 13),
        ("dp", 384),
        ("dp_ep", 24),
    ] {
        assert_eq!(fact(&trace, name), expected, "{name}");
    }
    assert!(trace.notes.iter().any(|note| note.contains("one stage of a pipeline of 12")));
    assert!(trace.job().unwrap_err().contains("`run_as = "), "a pipeline is not run");
    assert_eq!(trace.counts(), None);
    let written = Options { run_as: Some(RunAs::Written), ..options() };
    let trace = read_as("simai/workload_analytical.txt", &written).unwrap();
    assert!(trace.job().unwrap_err().contains("nodes, more than"));
}

/// Counted by another hand.
#[test]
fn workloads_of_aicb_are_counted() {
    let trace = read("simai/G13B-M1-C01_GPT13B_megatron_tp8_pp1_mbs1_A100.txt");
    for (name, expected) in [
        ("rows", 92),
        ("forward broadcast tp", 1),
        ("forward all_gather tp", 1),
        ("forward all_gather tp, B", 3_248_619_520),
        ("forward all_reduce tp", 89),
        ("forward all_reduce tp, B", 2_026_397_712),
        ("input gradient all_reduce tp", 82),
        ("weight gradient reduce_scatter dp", 1),
        ("weight gradient reduce_scatter dp, B", 6_497_239_040),
    ] {
        assert_eq!(fact(&trace, name), expected, "{name}");
    }
    assert!(trace.job().unwrap_err().contains("`all_gpus` is needed"));
    let gpus = Options { all_gpus: Some(16), ..options() };
    let trace = read_as("simai/G13B-M1-C01_GPT13B_megatron_tp8_pp1_mbs1_A100.txt", &gpus).unwrap();
    assert_eq!((trace.ranks(), fact(&trace, "dp")), (16, 2));
    assert!(trace.counts().unwrap().colls > 16 * 170);
    let trace = read_as("simai/all_reduce.txt", &gpus).unwrap();
    assert_eq!(fact(&trace, "rows"), 19);
    assert_eq!(fact(&trace, "weight gradient all_reduce dp, B"), 2_147_479_552);
    assert_eq!(trace.counts().unwrap().collectives[0].ranks, 16);
}

/// Counted by another hand.
#[test]
fn rows_that_are_not_there_are_missed() {
    let name = "simai/L65B-M1-C05_Llama65B_megatron_tp8_pp1_mbs1_A100.txt";
    let error = &read_as(name, &options()).unwrap_err()[0];
    assert!(
        error.to_string().starts_with("line 2, column 1: 839 rows are promised, and 33 are there")
    );
    let compat = Options { compat: true, ..options() };
    let trace = read_as(name, &compat).unwrap();
    assert_eq!(fact(&trace, "rows"), 33);
    assert_eq!(trace.notes[0], "839 rows are promised, and 33 are there");
}

const HEAD: &str = "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 all_gpus: 4";
const ROW: &str = "a -1 5 ALLREDUCE 100 6 NONE 0 7 ALLREDUCE 200 1";

fn workload(head: &str, rows: &[&str]) -> String {
    format!("{head}\n{}\n{}\n", rows.len(), rows.join("\n"))
}

/// All rows forward, and from the last row back: the collectives of weights are waited for by nothing.
#[test]
fn rows_are_done_as_written() {
    let text = workload(HEAD, &[ROW, "b -1 50 NONE 0 60 ALLGATHER 80 70 NONE 0 1"]);
    let trace = of_bytes("w.txt", text.as_bytes(), &options()).unwrap();
    let job = trace.job().unwrap().unwrap();
    let rank = &job.ranks[0];
    let ids: Vec<u64> = rank.nodes.iter().map(|node| node.id).collect();
    assert_eq!(ids, [3, 3, 4, 4, 4, 4, 3, 3, 3]);
    let after: Vec<u32> = rank.edges.iter().map(|edge| edge.on).collect();
    assert_eq!(after, [0, 1, 2, 3, 4, 5, 6, 7]);
    let units: Vec<_> = rank.nodes.iter().map(|node| node.unit).collect();
    assert_eq!(units.iter().flatten().count(), 1);
    let names = |rank: usize| {
        let groups = job.ranks[rank].nodes.iter().filter_map(|node| match node.does {
            raddle_sim::workload::job_graph::Does::Coll { group, .. } => Some(group),
            _ => None,
        });
        groups.map(|group| job.groups[group as usize].ranks.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(3), [vec![2, 3], vec![2, 3], vec![1, 3]]);
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (text, expected) in [
        (
            workload("HYBRID_DLRM model_parallel_NPU_group: 2", &[]),
            "policy `HYBRID_DLRM` is not read",
        ),
        (
            workload("MICRO model_paralel_NPU_group: 2", &[]),
            "line 1, column 7: unknown word `model_paralel_NPU_group:` in the first line (help: did you \
             mean `model_parallel_NPU_group`?)",
        ),
        (workload("MICRO ep: 2.5", &[]), "line 1, column 11: `ep` is `2.5`"),
        (workload(HEAD, &["a -1 5"]), "line 3: 3 words in a row"),
        (
            workload(HEAD, &["a -1 5 ALLREDUSE 100 6 NONE 0 7 NONE 0 1"]),
            "unknown collective `ALLREDUSE` (help: did you mean `ALLREDUCE`?)",
        ),
        (
            workload(HEAD, &["a -1 x NONE 0 6 NONE 0 7 NONE 0 1"]),
            "line 3, column 6: `x` where the time",
        ),
        (
            workload("MICRO model_parallel_NPU_group: 3 all_gpus: 4", &[ROW]),
            "4 ranks are no multiple of tp times pp, 3 x 1",
        ),
        (
            workload("MICRO model_parallel_NPU_group: 1 ep: 3 all_gpus: 4", &[ROW]),
            "dp, which is 4, is no multiple of ep, 3",
        ),
        (
            format!("{HEAD}\n1\n{ROW}\n{ROW}\n"),
            "line 2, column 1: 1 rows are promised, and 2 are there",
        ),
        (workload("MICRO checkpoints: 2 7", &[]), "`checkpoints` promises 2 layers"),
    ] {
        let errors = errors("w.txt", text.as_bytes(), &options());
        assert!(errors.iter().any(|error| error.contains(expected)), "{text}: {errors:#?}");
    }
}

/// A fraction, a word without a colon, tabs: as they are in use.
#[test]
fn the_first_line_is_read_in_all_its_forms() {
    let head = "MICRO\tpp_comm 4194304.0 ep 2 model_parallel_NPU_group: 2 ga: 1 vpp: 8 all_gpus: 8 \
                checkpoints: 2 3 4 checkpoint_initiates: 0";
    let trace = of_bytes("w.txt", workload(head, &[ROW]).as_bytes(), &options()).unwrap();
    assert_eq!((trace.ranks(), fact(&trace, "dp"), fact(&trace, "dp_ep")), (8, 4, 2));
    assert!(trace.notes[0].starts_with("2 checkpoints"));
}

/// What SimAI does with small sizes and broadcasts, and what is done here without `compat`.
#[test]
fn compat_does_what_simai_does() {
    let rows = [
        "a -1 5 ALLREDUCE 100 6 BROADCAST 9000 7 NONE 0 1",
        "b -1 5 ALLREDUCE 0 6 NONE 0 7 NONE 0 1",
    ];
    let text = workload(HEAD, &rows);
    let strict = of_bytes("w.txt", text.as_bytes(), &options()).unwrap();
    assert_eq!(fact(&strict, "forward all_reduce tp, B"), 100);
    assert_eq!(fact(&strict, "input gradient broadcast tp, B"), 9_000);
    assert!(strict.notes.contains(&"1 collective of 0 B left out: nothing is sent".to_owned()));
    let compat = Options { compat: true, ..options() };
    let compat = of_bytes("w.txt", text.as_bytes(), &compat).unwrap();
    assert_eq!(fact(&compat, "forward all_reduce tp, B"), 4_096);
    assert_eq!(fact(&compat, "input gradient broadcast tp"), 0);
}

#[test]
fn more_ranks_than_any_fabric_has_are_refused() {
    let trace = of_bytes("t.txt", b"MICRO all_gpus: 4000000000\n0\n", &options()).unwrap();
    assert!(trace.job().unwrap_err().contains("ranks are more than 1048576"));
}

#[test]
fn more_channels_than_a_ring_is_cut_into_are_refused() {
    let options = Options { channels: 1 << 30, ..options() };
    let hosts: Vec<HostId> = (0..8).map(HostId).collect();
    let refused = read_as("simai/microAllReduce.txt", &options).unwrap().traffic(&hosts);
    let error = format!("{:?}", refused.map(|traffic| traffic.flows.len()));
    assert!(error.contains("channels are more than 1024"), "{error}");
}
