//! Chakra execution traces.

use super::{errors, fact, of_bytes, read, read_as};
use raddle::import::trace::{AllGatherSize, Deps, Options, Units, Unknown};
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::workload::job_graph::{CollectiveOp, Does};

fn options() -> Options {
    Options::default()
}

/// As rings among 8 ranks.
#[test]
fn the_sizes_of_collectives_are_those_of_astra_sim() {
    for (name, op, sends, bytes) in [
        ("all_reduce", CollectiveOp::AllReduce, 112, 131_072),
        ("all_gather", CollectiveOp::AllGather, 56, 1_048_576),
        ("reduce_scatter", CollectiveOp::ReduceScatter, 56, 131_072),
        ("all_to_all", CollectiveOp::AllToAll, 56, 131_072),
    ] {
        let trace = read(&format!("microbenchmarks/{name}"));
        assert_eq!((trace.format.word, trace.ranks()), ("chakra", 8));
        assert_eq!(fact(&trace, "nodes in files"), 8);
        let version = trace.facts.iter().find(|fact| fact.name == "version").unwrap();
        assert_eq!(version.value, "0.0.4");
        let counts = trace.counts().unwrap();
        assert_eq!((counts.nodes, counts.colls, counts.edges), (8, 8, 0));
        let own = &counts.collectives[0];
        let expected = (op, 8, 1, sends, sends * bytes);
        assert_eq!((own.op, own.ranks, own.count, own.sends, own.send_bytes), expected);
        let hosts: Vec<_> = (0..8).map(raddle_schemes::ids::HostId).collect();
        let traffic = trace.traffic(&hosts).unwrap();
        assert_eq!(traffic.flows.len() as u64, sends);
        assert!(traffic.flows.iter().all(|flow| flow.bytes == Bytes(bytes)), "{name}");
    }
    let output = Options { all_gather_size: AllGatherSize::Output, ..options() };
    let trace = read_as("microbenchmarks/all_gather.3.et", &output).unwrap();
    assert_eq!(trace.counts().unwrap().collectives[0].bytes, 1_048_576);
    let words = Options { element: Bytes(4), ..options() };
    let trace = read_as("microbenchmarks/all_reduce", &words).unwrap();
    assert_eq!(trace.counts().unwrap().collectives[0].bytes, 4_194_304);
}

/// Counted by another hand.
#[test]
fn a_ring_of_sends_is_counted() {
    let trace = read("custom_ring/custom_allreduce");
    assert_eq!(trace.ranks(), 8);
    let schema = trace.facts.iter().find(|fact| fact.name == "schema").unwrap();
    assert_eq!(schema.value, "1.0.2-chakra.0.0.4");
    assert!(trace.facts.iter().all(|fact| fact.name != "version"));
    let job = trace.job().unwrap().unwrap();
    for (number, rank) in (0..).zip(&job.ranks) {
        assert_eq!((rank.nodes.len(), rank.edges.len()), (35, 34));
        let of =
            |is: &dyn Fn(&Does) -> bool| rank.nodes.iter().filter(|node| is(&node.does)).count();
        assert_eq!(of(&|does| *does == Does::Calc(Span::us(7))), 7);
        let next = (number + 1) % 8;
        let send = Does::Send { to: next, bytes: Bytes(131_072), tag: 0 };
        assert_eq!(of(&|does| *does == send), 14);
        assert_eq!(of(&|does| matches!(does, Does::Recv { .. })), 14);
    }
    let counts = trace.counts().unwrap();
    assert_eq!((counts.sends, counts.recvs, counts.send_bytes), (112, 112, 14_680_064));
    assert_eq!(fact(&trace, "data edges"), 8 * 34);
}

/// Counted by another hand.
#[test]
fn a_trace_of_pytorch_is_counted() {
    let trace = read("chakra/feeder_tests_trace.0.et.gz");
    let schema = trace.facts.iter().find(|fact| fact.name == "schema").unwrap();
    assert_eq!(schema.value, "1.0.1");
    for (name, expected) in [
        ("nodes in files", 3_664),
        ("compute nodes of CPUs", 2_434),
        ("compute nodes of GPUs", 1_209),
        ("collective nodes of CPUs", 14),
        ("collective nodes", 7),
        ("control edges", 3_664),
        ("control edges to ids that are not there", 1_277),
        ("control edges to itself", 383),
        ("control edges to higher ids", 554),
        ("data edges", 181_878),
        ("data edges to ids that are not there", 0),
        ("data edges to higher ids", 53),
        ("nodes without data edges", 5),
        ("durations, us", 381_795),
        ("durations of GPUs' computations, us", 292_828),
        ("durations of collectives, us", 36_715),
        ("longest path by data edges, us", 46_140),
    ] {
        assert_eq!(fact(&trace, name), expected, "{name}");
    }
    let counts = trace.counts().unwrap();
    let sizes: Vec<(CollectiveOp, u64, u64)> =
        counts.collectives.iter().map(|own| (own.op, own.count, own.bytes)).collect();
    let expected =
        [(CollectiveOp::AllReduce, 5, 102_228_128), (CollectiveOp::Broadcast, 2, 212_904)];
    assert_eq!(sizes, expected);
}

/// Messages as they stand in a file.
#[derive(Default)]
struct File(Vec<u8>);

fn varint(mut value: u64, to: &mut Vec<u8>) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

fn number(field: u64, value: u64, to: &mut Vec<u8>) {
    varint(field << 3, to);
    varint(value, to);
}

fn bytes(field: u64, value: &[u8], to: &mut Vec<u8>) {
    varint(field << 3 | 2, to);
    varint(value.len() as u64, to);
    to.extend(value);
}

impl File {
    fn new() -> Self {
        let mut version = Vec::new();
        bytes(1, b"0.0.4", &mut version);
        let mut file = Self::default();
        file.message(&version);
        file
    }

    fn message(&mut self, message: &[u8]) {
        varint(message.len() as u64, &mut self.0);
        self.0.extend(message);
    }

    /// A node: `attributes` have a name, the field of their kind, and a value.
    fn node(
        mut self,
        id: u64,
        kind: u64,
        ctrl: &[u64],
        data: &[u64],
        attributes: &[(&str, u64, u64)],
    ) -> Self {
        let mut node = Vec::new();
        number(1, id, &mut node);
        bytes(2, b"n", &mut node);
        number(3, kind, &mut node);
        ctrl.iter().for_each(|on| number(4, *on, &mut node));
        let mut packed = Vec::new();
        data.iter().for_each(|on| varint(*on, &mut packed));
        bytes(5, &packed, &mut node);
        number(7, 10 * id, &mut node);
        for (name, field, value) in attributes {
            let mut attribute = Vec::new();
            bytes(1, name.as_bytes(), &mut attribute);
            match field {
                5 => {
                    varint(5 << 3 | 5, &mut attribute);
                    attribute.extend((*value as f32).to_le_bytes());
                }
                19 => {
                    varint(19 << 3 | 5, &mut attribute);
                    attribute.extend((*value as u32).to_le_bytes());
                }
                _ => number(*field, *value, &mut attribute),
            }
            bytes(10, &attribute, &mut node);
        }
        self.message(&node);
        self
    }

    fn read(&self, options: &Options) -> Result<raddle::import::trace::Trace, Vec<String>> {
        let all = |errors: Vec<raddle::import::trace::TraceError>| {
            errors.iter().map(ToString::to_string).collect()
        };
        of_bytes("t.0.et", &self.0, options).map_err(all)
    }
}

const CALC: u64 = 4;
const COLL: u64 = 7;

/// An attribute of the wrong kind of integer became 0 elsewhere, and a run took no time.
#[test]
fn any_kind_of_integer_will_do_and_a_float_will_not() {
    // int32, int64, uint32, uint64, sint32 (zigzag) and fixed32.
    for (field, value) in [(7, 800), (9, 800), (11, 800), (13, 800), (15, 1_600), (19, 800)] {
        let size = [("comm_type", 9, 0), ("comm_size", field, value)];
        let trace = File::new().node(0, COLL, &[], &[], &size).read(&options()).unwrap();
        assert_eq!(trace.counts().unwrap().collectives[0].bytes, 800, "{field}");
    }
    let float = [("comm_type", 9, 0), ("comm_size", 5, 800)];
    let errors = File::new().node(0, COLL, &[], &[], &float).read(&options()).unwrap_err();
    assert!(errors[0].contains("`comm_size` is a floating-point number"), "{errors:?}");
    let negative = [("comm_type", 9, 0), ("comm_size", 15, 1)];
    let errors = File::new().node(0, COLL, &[], &[], &negative).read(&options()).unwrap_err();
    assert!(errors[0].contains("`comm_size` is a number below 0"), "{errors:?}");
}

/// `is_cpu_op` that defaulted to true made computation of collectives.
#[test]
fn a_collective_is_one_unless_a_cpu_only_launches_it() {
    let gpu = [("comm_type", 9, 0), ("comm_size", 9, 8)];
    let launch = [("is_cpu_op", 27, 1)];
    let file = File::new().node(1, COLL, &[], &[], &gpu).node(2, COLL, &[], &[], &launch);
    let counts = file.read(&options()).unwrap().counts().cloned().unwrap();
    assert_eq!((counts.colls, counts.calcs, counts.calc_time), (1, 1, Span::us(20)));
    let errors = File::new().node(1, COLL, &[], &[], &[]).read(&options()).unwrap_err();
    assert!(errors[0].contains("node 1 `n` has no `comm_type`"), "{errors:?}");
}

#[test]
fn edges_that_lead_nowhere_are_dropped_and_circles_of_control_give_way() {
    let file = File::new().node(1, CALC, &[2, 1, 99], &[], &[]).node(2, CALC, &[], &[1], &[]);
    let trace = file.read(&options()).unwrap();
    assert!(trace.notes[0].contains("control edges close a circle (rank 0: nodes 2, 1)"));
    assert_eq!(trace.counts().unwrap().edges, 1);
    assert_eq!(fact(&trace, "control edges to itself"), 1);
    assert_eq!(fact(&trace, "control edges to ids that are not there"), 1);
    let both = Options { deps: Some(Deps::Both), ..options() };
    let errors = file.read(&both).unwrap_err();
    assert!(errors[0].contains("nodes 2, 1 wait for each other in a circle"), "{errors:?}");
    let ctrl = Options { deps: Some(Deps::Ctrl), ..options() };
    assert_eq!(file.read(&ctrl).unwrap().counts().unwrap().edges, 1);
}

#[test]
fn unknown_types_are_refused_or_skipped() {
    let file = File::new().node(1, 8, &[], &[], &[]).node(2, CALC, &[], &[1], &[]);
    let errors = file.read(&options()).unwrap_err();
    assert!(errors[0].contains("node 1 `n` is of type 8"), "{errors:?}");
    let skip = Options { unknown: Unknown::Skip, ..options() };
    assert_eq!(file.read(&skip).unwrap().counts().unwrap().calcs, 1);
    let reduce = [("comm_type", 9, 1), ("comm_size", 9, 8)];
    let errors = File::new().node(1, COLL, &[], &[], &reduce).read(&options()).unwrap_err();
    assert!(errors[0].contains("has `comm_type` 1, a reduce"), "{errors:?}");
}

#[test]
fn a_group_that_is_not_there_is_named_and_a_stall_names_its_ranks() {
    let group = [("comm_type", 9, 0), ("comm_size", 9, 8), ("pg_name", 9, 4)];
    let file = File::new().node(1, COLL, &[], &[], &group);
    let errors = file.read(&options()).unwrap_err();
    assert!(errors[0].contains("is of group `4`, which is not there"), "{errors:?}");
    let groups = Options { groups: Some("{\"4\": [0]}".to_owned()), ..options() };
    assert_eq!(file.read(&groups).unwrap().counts().unwrap().collectives[0].ranks, 1);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.0.et"), &file.0).unwrap();
    std::fs::write(folder.path().join("t.1.et"), &File::new().0).unwrap();
    let groups = Options { groups: Some("{\"4\": [0, 1]}".to_owned()), ..options() };
    let errors = super::read_path(&folder.path().join("t"), &groups).unwrap_err();
    let message = "rank 0, node 1: collective 1 of group `4` is not entered by rank 1: the run would \
                   stall";
    assert_eq!(errors[0].message, message);
}

/// Both nodes of a stream go one after the other; other streams go at once.
#[test]
fn units_are_streams_or_those_of_the_feeder() {
    let on = |stream| [("stream", 9, stream)];
    let file = File::new().node(1, CALC, &[], &[], &on(7)).node(2, CALC, &[], &[], &on(8)).node(
        3,
        CALC,
        &[],
        &[],
        &on(7),
    );
    let units = |units| {
        let job = file.read(&Options { units, ..options() }).unwrap().job().unwrap().unwrap();
        job.ranks[0].nodes.iter().map(|node| node.unit.unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(units(Units::Streams), [0, 1, 0]);
    assert_eq!(units(Units::Feeder), [0, 0, 0]);
}

#[test]
fn a_file_that_is_cut_off_says_where() {
    let bytes = File::new().node(1, CALC, &[], &[], &[]).0;
    let cut = errors("t.0.et", &bytes[..bytes.len() - 3], &options());
    assert!(cut[0].starts_with("byte 8: a message of"), "{cut:?}");
    let mut long = File::new().0;
    varint(1 << 40, &mut long);
    let long = errors("t.0.et", &long, &options());
    assert!(long[0].contains("there are none above 64 MiB"), "{long:?}");
    let twice = File::new().node(1, CALC, &[], &[], &[]).node(1, CALC, &[], &[], &[]);
    assert!(twice.read(&options()).unwrap_err()[0].contains("node 1 is there already"));
}

#[test]
fn a_rank_without_a_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for rank in [0, 1, 3] {
        std::fs::write(folder.path().join(format!("t.{rank}.et")), b"x").unwrap();
    }
    let (path, error) = raddle::import::trace::open(&folder.path().join("t.0.et")).unwrap_err();
    assert!(path.ends_with("t.2.et") && error.to_string().contains("later ranks"), "{error}");
}
