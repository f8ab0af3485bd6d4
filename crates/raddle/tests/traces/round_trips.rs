//! Jobs written in a format and read again.

use super::{Options, of_bytes, read_path};
use raddle::import::trace::{to_chakra, to_goal};
use raddle_schemes::rng::Rng;
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::workload::job_graph::{CollectiveOp, Does, Edge, Group, JobGraph, Rank};

/// Ranks that compute and send to each other, and with `all` do what GOAL cannot say.
fn random(rng: &mut Rng, all: bool) -> JobGraph {
    let n = 2 + rng.below(4) as u32;
    let mut ranks = vec![Rank::default(); n as usize];
    let mut push = |rng: &mut Rng, rank: u32, does| {
        let own = &mut ranks[rank as usize];
        let count = own.nodes.len() as u64;
        let mut edges: Vec<Edge> = (0..rng.below(3).min(count))
            .map(|_| {
                let on = rng.below(count) as u32;
                if !all && rng.below(3) == 0 { Edge::start(on) } else { Edge::end(on) }
            })
            .collect();
        edges.sort_unstable();
        edges.dedup();
        own.push(count, does, None, &edges);
    };
    let groups = vec![
        Group { name: "0".into(), ranks: (0..n).collect() },
        Group { name: "2".into(), ranks: vec![1, 0] },
    ];
    for _ in 0..4 + rng.below(12) {
        let rank = rng.below(n.into()) as u32;
        match rng.below(4) {
            0 => {
                let time = Span::us(rng.below(9));
                push(rng, rank, Does::Calc(time));
            }
            1 if all => {
                let op = CollectiveOp::ALL[rng.below(6) as usize];
                let group = rng.below(2) as usize;
                let members = groups[group].ranks.clone();
                let bytes = Bytes(members.len() as u64 * rng.below(1_000));
                for rank in members {
                    push(rng, rank, Does::Coll { group: group as u32, op, bytes });
                }
            }
            _ => {
                let to = rng.below(n.into()) as u32;
                let (bytes, tag) = (Bytes(rng.below(100_000)), rng.below(3));
                push(rng, rank, Does::Send { to, bytes, tag });
                push(rng, to, Does::Recv { from: Some(rank), tag: Some(tag), bytes: Some(bytes) });
            }
        }
    }
    JobGraph { ranks, groups, ..JobGraph::default() }
}

/// What each rank does, after what: collectives by the ranks of their groups.
type Plain = Vec<Vec<(Does, Vec<u32>, Vec<Edge>)>>;

fn plain(job: &JobGraph) -> Plain {
    let node = |rank: &Rank, node: &raddle_sim::workload::job_graph::Node| {
        let mut edges = rank.after(node).to_vec();
        edges.sort_unstable();
        match &node.does {
            Does::Coll { group, op, bytes } => {
                let ranks = job.groups[*group as usize].ranks.clone();
                (Does::Coll { group: 0, op: *op, bytes: *bytes }, ranks, edges)
            }
            other => (other.clone(), Vec::new(), edges),
        }
    };
    job.ranks.iter().map(|rank| rank.nodes.iter().map(|own| node(rank, own)).collect()).collect()
}

#[test]
fn a_job_in_goal_is_the_same_job() {
    let mut rng = Rng::new(1, "goal", 0);
    for _ in 0..200 {
        let job = random(&mut rng, false);
        let text = to_goal(&job).unwrap();
        let trace = of_bytes("t.goal", text.as_bytes(), &Options::default());
        let again =
            trace.unwrap_or_else(|errors| panic!("{text}: {errors:?}")).job().unwrap().unwrap();
        assert_eq!(plain(&again), plain(&job), "{text}");
    }
}

#[test]
fn a_job_in_chakra_is_the_same_job() {
    let mut rng = Rng::new(1, "chakra", 0);
    let folder = tempfile::tempdir().unwrap();
    for number in 0..100 {
        let job = random(&mut rng, true);
        let (files, groups) = to_chakra(&job).unwrap();
        let path = folder.path().join(format!("t{number}"));
        for (rank, bytes) in files.iter().enumerate() {
            std::fs::write(folder.path().join(format!("t{number}.{rank}.et")), bytes).unwrap();
        }
        let options = Options { groups, ..Options::default() };
        let trace =
            read_path(&path, &options).unwrap_or_else(|errors| panic!("{job:?}: {errors:?}"));
        assert_eq!(plain(&trace.job().unwrap().unwrap()), plain(&job));
    }
}

/// Messages that may go at once may do so when they are read again.
#[test]
fn messages_in_chakra_do_not_wait_for_each_other() {
    let text = "num_ranks 2\nrank 0 {\nsend 9b to 1 tag 1\nsend 9b to 1 tag 2\ncalc 1000\n}\n\
                rank 1 {\nrecv 9b from 0 tag 1\nrecv 9b from 0 tag 2\n}\n";
    let job = of_bytes("t.goal", text.as_bytes(), &Options::default()).unwrap().job().unwrap();
    let (files, groups) = to_chakra(&job.unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (rank, bytes) in files.iter().enumerate() {
        std::fs::write(folder.path().join(format!("t.{rank}.et")), bytes).unwrap();
    }
    let options = Options { groups, ..Options::default() };
    let again = read_path(&folder.path().join("t"), &options).unwrap().job().unwrap().unwrap();
    let units: Vec<_> = again.ranks[0].nodes.iter().map(|node| node.unit.unwrap()).collect();
    assert!(units[0] != units[1] && units[1] != units[2] && units[0] != units[2], "{units:?}");
}

#[test]
fn what_a_format_cannot_say_is_told() {
    let with = |does: Does, after: bool| {
        let mut rank = Rank::default();
        let first = rank.push(7, does, None, &[]);
        let edges = [Edge::start(first)];
        rank.push(8, Does::Calc(Span::ZERO), None, if after { &edges } else { &[] });
        let groups = vec![Group { name: "0".into(), ranks: vec![0] }];
        JobGraph { ranks: vec![rank], groups, ..JobGraph::default() }
    };
    let coll = Does::Coll { group: 0, op: CollectiveOp::Barrier, bytes: Bytes(0) };
    let error = to_goal(&with(coll, false)).unwrap_err();
    assert_eq!(error, "rank 0, node 7: GOAL has no collectives, and it is barrier");
    let error = to_goal(&with(Does::Calc(Span(1_500)), false)).unwrap_err();
    assert_eq!(error, format!("rank 0, node 7: {} is no whole number of nanoseconds", Span(1_500)));
    assert!(to_goal(&with(Does::Mark("x".into()), false)).unwrap_err().contains("no marks"));
    let error = to_chakra(&with(Does::Calc(Span::ns(1_500)), false)).unwrap_err();
    assert_eq!(error, "rank 0, node 7: 1500 ns is no whole number of microseconds");
    assert!(
        to_chakra(&with(Does::Calc(Span::ZERO), true))
            .unwrap_err()
            .contains("no edges from starts")
    );
    let any = Does::Recv { from: None, tag: None, bytes: None };
    assert!(to_chakra(&with(any, false)).unwrap_err().contains("wants rank, tag and size"));
}
