//! A job as Chakra execution traces.

use raddle_sim::workload::job_graph::{CollectiveOp, Does, Group, JobGraph, Point};
use serde_json::{Map, Value, json};

/// The files of the ranks, in their order. What goes one at a time is a stream, and what goes when it can
/// a stream of its own, as readers let messages without one go one at a time; beside them the ranks of
/// groups as JSON where there are any but that of all.
///
/// # Errors
/// What Chakra cannot say: durations that are no whole microseconds, edges from starts, receives of any
/// rank, tag or size.
pub(in super::super) fn files(job: &JobGraph) -> Result<(Vec<Vec<u8>>, Option<String>), String> {
    let all: Vec<u32> = (0..job.ranks.len() as u32).collect();
    let mut names = Map::new();
    let mut name = |number: usize, group: &Group| {
        if group.ranks == all {
            return None;
        }
        let name = (number + 1).to_string();
        names.insert(name.clone(), json!(group.ranks));
        Some(name)
    };
    let groups: Vec<Option<String>> =
        job.groups.iter().enumerate().map(|(number, group)| name(number, group)).collect();
    let mut files = Vec::new();
    for (number, rank) in job.ranks.iter().enumerate() {
        let mut file = Vec::new();
        let mut version = Vec::new();
        bytes(1, b"0.0.4", &mut version);
        message(&version, &mut file);
        let mut next_stream =
            rank.nodes.iter().filter_map(|node| node.unit).max().map_or(0, |unit| unit + 1);
        for (place, node) in (0_u64..).zip(&rank.nodes) {
            let at = || format!("rank {number}, node {}", node.id);
            let mut own = Vec::new();
            whole(1, place, &mut own);
            for edge in rank.after(node) {
                if edge.point == Point::Start {
                    return Err(format!("{}: Chakra has no edges from starts", at()));
                }
                whole(5, edge.on.into(), &mut own);
            }
            let text = |name: &str, value: &str, to: &mut Vec<u8>| {
                attribute(name, to, |to| {
                    bytes(29, value.as_bytes(), to);
                })
            };
            let count = |name: &str, value: u64, to: &mut Vec<u8>| {
                attribute(name, to, |to| {
                    whole(13, value, to);
                })
            };
            let kind = match &node.does {
                Does::Calc(time) if time.0.is_multiple_of(1_000_000) => {
                    whole(7, time.0 / 1_000_000, &mut own);
                    4
                }
                Does::Calc(time) => {
                    return Err(format!("{}: {time} is no whole number of microseconds", at()));
                }
                Does::Send { to, bytes, tag } => {
                    count("comm_dst", (*to).into(), &mut own);
                    count("comm_size", bytes.0, &mut own);
                    count("comm_tag", *tag, &mut own);
                    5
                }
                Does::Recv { from: Some(from), tag: Some(tag), bytes: Some(bytes) } => {
                    count("comm_src", (*from).into(), &mut own);
                    count("comm_size", bytes.0, &mut own);
                    count("comm_tag", *tag, &mut own);
                    6
                }
                Does::Recv { .. } => {
                    return Err(format!("{}: Chakra wants rank, tag and size of a receive", at()));
                }
                Does::Coll { group, op, bytes } => {
                    let ranks = job.groups[*group as usize].ranks.len() as u64;
                    let size = match op {
                        CollectiveOp::AllGather if bytes.0.is_multiple_of(ranks.max(1)) => {
                            bytes.0 / ranks.max(1)
                        }
                        CollectiveOp::AllGather => {
                            return Err(format!("{}: {bytes} are not the same of each rank", at()));
                        }
                        _ => bytes.0,
                    };
                    count("comm_type", comm_type(*op), &mut own);
                    count("comm_size", size, &mut own);
                    if let Some(name) = &groups[*group as usize] {
                        text("pg_name", name, &mut own);
                    }
                    7
                }
                Does::Mark(_) => 1,
            };
            whole(3, kind, &mut own);
            if !matches!(node.does, Does::Mark(_) | Does::Recv { .. }) {
                let stream = node.unit.unwrap_or(next_stream);
                next_stream += u32::from(node.unit.is_none());
                count("stream", stream.into(), &mut own);
            }
            message(&own, &mut file);
        }
        files.push(file);
    }
    let groups = (!names.is_empty()).then(|| Value::Object(names).to_string());
    Ok((files, groups))
}

fn comm_type(op: CollectiveOp) -> u64 {
    match op {
        CollectiveOp::AllReduce => 0,
        CollectiveOp::AllGather => 2,
        CollectiveOp::Broadcast => 5,
        CollectiveOp::AllToAll => 6,
        CollectiveOp::ReduceScatter => 7,
        CollectiveOp::Barrier => 9,
    }
}

fn varint(mut value: u64, to: &mut Vec<u8>) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

/// A field that is a number.
fn whole(field: u64, value: u64, to: &mut Vec<u8>) {
    varint(field << 3, to);
    varint(value, to);
}

/// A field that is text, or a message.
fn bytes(field: u64, value: &[u8], to: &mut Vec<u8>) {
    varint(field << 3 | 2, to);
    message(value, to);
}

/// A message after its length.
fn message(value: &[u8], to: &mut Vec<u8>) {
    varint(value.len() as u64, to);
    to.extend_from_slice(value);
}

fn attribute(name: &str, to: &mut Vec<u8>, value: impl FnOnce(&mut Vec<u8>)) {
    let mut own = Vec::new();
    bytes(1, name.as_bytes(), &mut own);
    value(&mut own);
    bytes(10, &own, to);
}
