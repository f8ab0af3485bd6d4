//! How long steps take where each message takes the same time, and what they are made of.

use super::{Schedule, Training};
use crate::workload::job_graph::{Does, JobGraph, Point};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Span};
use std::collections::BTreeMap;

fn small() -> Training {
    Training {
        tensor: 1,
        pipeline: 1,
        data: 1,
        expert: 1,
        layers: 1,
        forward: Span::us(1),
        backward: Span::us(2),
        weight_gradient: Span::ZERO,
        micro_batches: 1,
        schedule: Schedule::OneByOne,
        chunks: 1,
        activation: Bytes(1),
        tensor_bytes: Bytes(0),
        expert_bytes: Bytes(0),
        gradient: Bytes(0),
        expert_gradient: Bytes(0),
        parameters: Bytes(0),
        prefetch: 1,
        steps: 1,
    }
}

/// When the last node ends, in microseconds, where a message takes `hop` and a collective `all` from
/// when the last rank has come to it. Units go as they are written.
fn makespan(job: &JobGraph, hop: Span, all: Span) -> f64 {
    let mut starts: Vec<Vec<Option<u64>>> =
        job.ranks.iter().map(|rank| vec![None; rank.nodes.len()]).collect();
    let mut ends = starts.clone();
    let mut before = starts.iter().map(|own| vec![None; own.len()]).collect::<Vec<_>>();
    // By sender, receiver and tag; by group and how many there were at the rank.
    let mut sent = BTreeMap::new();
    let mut entered: BTreeMap<(u32, u32), Vec<(usize, usize)>> = BTreeMap::new();
    for (rank, own) in job.ranks.iter().enumerate() {
        let (mut last, mut counts) = (BTreeMap::new(), BTreeMap::new());
        for (place, node) in own.nodes.iter().enumerate() {
            before[rank][place] = node.unit.and_then(|unit| last.insert(unit, place));
            match node.does {
                Does::Send { to, tag, .. } => {
                    assert_eq!(sent.insert((rank as u32, to, tag), place), None);
                }
                Does::Coll { group, .. } => {
                    let count = counts.entry(group).or_insert(0);
                    entered.entry((group, *count)).or_default().push((rank, place));
                    *count += 1;
                }
                _ => {}
            }
        }
    }
    let with: BTreeMap<(usize, usize), &Vec<(usize, usize)>> =
        entered.values().flat_map(|all| all.iter().map(move |at| (*at, all))).collect();
    let mut moved = true;
    while std::mem::take(&mut moved) {
        for (rank, own) in job.ranks.iter().enumerate() {
            for (place, node) in own.nodes.iter().enumerate() {
                if ends[rank][place].is_some() {
                    continue;
                }
                let edges = own.after(node).iter().map(|edge| match edge.point {
                    Point::Start => starts[rank][edge.on as usize],
                    Point::End => ends[rank][edge.on as usize],
                });
                let chain = before[rank][place].map(|before: usize| ends[rank][before]);
                let Some(start) = edges.chain(chain).try_fold(0, |last, end| Some(last.max(end?)))
                else {
                    continue;
                };
                starts[rank][place] = Some(start);
                let end = match node.does {
                    Does::Calc(work) => Some(start + work.0),
                    Does::Recv { from: Some(from), tag: Some(tag), .. } => {
                        let send = sent[&(from, rank as u32, tag)];
                        starts[from as usize][send].map(|sent| start.max(sent + hop.0))
                    }
                    Does::Coll { .. } => with[&(rank, place)]
                        .iter()
                        .try_fold(0, |last, (rank, place)| Some(last.max(starts[*rank][*place]?)))
                        .map(|last| last + all.0),
                    _ => Some(start),
                };
                ends[rank][place] = end;
                moved |= end.is_some();
            }
        }
    }
    let last = ends.iter().flatten().map(|end| end.unwrap()).max().unwrap_or(0);
    last as f64 / 1e6
}

fn took(step: &Training, hop: Span) -> f64 {
    let job = step.job().unwrap();
    job.compile().unwrap();
    makespan(&job, hop, Span::ZERO)
}

fn pipeline(stages: u32, micro_batches: u32) -> Training {
    Training { pipeline: stages, layers: stages, micro_batches, ..small() }
}

/// Bubbles of a pipeline, with forward 1 and backward 2.
#[test]
fn pipelines_take_what_their_formulas_say() {
    for (p, m, expected) in [(4, 8, 33.0), (8, 32, 117.0), (12, 24, 105.0)] {
        let step = pipeline(p, m);
        assert_eq!(took(&step, Span::ZERO), expected);
        assert_eq!(took(&Training { schedule: Schedule::GPipe, ..step }, Span::ZERO), expected);
    }
    for (p, m, v, expected) in [(4, 8, 2, 28.5), (4, 8, 4, 26.25), (12, 24, 8, 76.125)] {
        let part = |span: Span| Span(span.0 / u64::from(v));
        let plain = pipeline(p, m);
        let step = Training {
            schedule: Schedule::Interleaved,
            layers: p * v,
            chunks: v,
            forward: part(plain.forward),
            backward: part(plain.backward),
            ..plain
        };
        assert_eq!(took(&step, Span::ZERO), expected);
    }
}

#[test]
fn hops_of_a_pipeline_are_waited_for() {
    for ns in [100, 250] {
        let hop = Span::ns(ns);
        let c = ns as f64 / 1e3;
        assert_eq!(took(&pipeline(4, 8), hop), 33.0 + 16.0 * c);
        assert_eq!(took(&pipeline(4, 16), hop), 57.0 + 28.0 * c);
        assert_eq!(took(&pipeline(2, 8), hop), 27.0 + 8.0 * c);
    }
}

/// Layers of 10 forward, whose parameters take 6 or 15 to gather.
#[test]
fn parameters_are_gathered_ahead() {
    let step = Training {
        data: 2,
        layers: 4,
        forward: Span::us(10),
        backward: Span::ZERO,
        parameters: Bytes(1),
        ..small()
    };
    // The backward pass gathers four times more, of which the first begins with the last layer.
    let took = |step: &Training, all| makespan(&step.job().unwrap(), Span::ZERO, Span::us(all));
    let forward = |all, backward: f64| took(&step, all) - backward;
    assert_eq!(forward(6, 3.0 * 6.0), 46.0);
    assert_eq!(forward(15, 5.0 + 3.0 * 15.0), 70.0);
    let late = Training { prefetch: 0, ..step.clone() };
    assert_eq!(took(&late, 6), 4.0 * 16.0 + 4.0 * 6.0);
}

#[test]
fn groups_are_those_of_the_ranks() {
    let step = Training {
        tensor: 2,
        pipeline: 2,
        data: 4,
        expert: 2,
        layers: 2,
        tensor_bytes: Bytes(1),
        expert_bytes: Bytes(1),
        gradient: Bytes(1),
        expert_gradient: Bytes(1),
        ..small()
    };
    let job = step.job().unwrap();
    let mut used: Vec<&[u32]> = Vec::new();
    let mut peers = Vec::new();
    for node in &job.ranks[0].nodes {
        match node.does {
            Does::Coll { group, .. } => used.push(&job.groups[group as usize].ranks),
            Does::Send { to, .. } => peers.push(to),
            _ => {}
        }
    }
    used.sort_unstable();
    used.dedup();
    assert_eq!(used, [&[0, 1][..], &[0, 2], &[0, 2, 4, 6], &[0, 4]]);
    assert_eq!(peers, [8]);
}

/// A reduction begins with the last micro-batch's gradient, beside the layers before it.
#[test]
fn gradients_are_reduced_beside_the_computation() {
    let step = Training { data: 2, layers: 3, micro_batches: 2, gradient: Bytes(1), ..small() };
    let took = |step: &Training, all| makespan(&step.job().unwrap(), Span::ZERO, Span::us(all));
    assert_eq!(took(&step, 1), 18.0 + 1.0);
    // The first of three begins at 14.
    assert_eq!(took(&step, 5), 14.0 + 15.0);
    assert_eq!(took(&Training { steps: 2, ..step.clone() }, 5), 2.0 * 29.0);
    let apart = Training { backward: Span::us(1), weight_gradient: Span::us(1), ..step };
    assert_eq!(took(&apart, 1), 18.0 + 1.0);
    // The stage before waits for no gradient of weights.
    let plain = pipeline(2, 1);
    let apart = Training { backward: Span::us(1), weight_gradient: Span::us(1), ..plain.clone() };
    assert_eq!([plain, apart].map(|step| self::took(&step, Span::ZERO)), [6.0, 5.0]);
}

#[test]
fn what_does_not_fit_is_named() {
    let refused = |step: Training| step.job().unwrap_err();
    let split = Training { pipeline: 2, layers: 6, ..small() };
    for (step, key, fits) in [
        (Training { layers: 3, ..split.clone() }, "layers", "a multiple of `pipeline`, 2"),
        (
            Training { schedule: Schedule::Interleaved, chunks: 2, ..split.clone() },
            "layers",
            "a multiple of `pipeline` times `chunks`, 4",
        ),
        (
            Training { schedule: Schedule::Interleaved, micro_batches: 3, ..split.clone() },
            "micro_batches",
            "a multiple of `pipeline`, 2, to interleave",
        ),
        (Training { data: 4, expert: 3, ..small() }, "expert", "a divisor of `data`, 4"),
        (Training { activation: Bytes(0), ..split.clone() }, "activation", "at least 1 B"),
        (Training { tensor: 0, ..small() }, "tensor", "at least 1"),
        (Training { steps: u32::MAX, ..small() }, "steps", "less"),
        (Training { forward: Span(u64::MAX), ..small() }, "steps", "less: ranks compute"),
    ] {
        let error = refused(step);
        assert_eq!(error.quantity, key);
        assert!(error.fits.starts_with(fits), "{key}: {}", error.fits);
    }
}

#[test]
fn flows_are_counted_before_they_are_made() {
    let step = Training {
        tensor: 2,
        pipeline: 2,
        data: 4,
        expert: 2,
        layers: 4,
        micro_batches: 2,
        schedule: Schedule::Interleaved,
        chunks: 2,
        activation: Bytes(100),
        tensor_bytes: Bytes(20),
        expert_bytes: Bytes(40),
        gradient: Bytes(50),
        expert_gradient: Bytes(70),
        steps: 2,
        ..small()
    };
    let spread = Training { parameters: Bytes(900), prefetch: 2, ..step.clone() };
    for step in [step, spread, pipeline(4, 8), small()] {
        let hosts: Vec<HostId> = (0..step.ranks() as u32).map(HostId).collect();
        let traffic = step.job().unwrap().traffic(&hosts).unwrap();
        assert_eq!(traffic.flows.len() as u64, step.flows());
        let largest = traffic.flows.iter().map(|flow| flow.bytes).max();
        assert_eq!(largest.unwrap_or(Bytes(1)), step.largest());
    }
}
