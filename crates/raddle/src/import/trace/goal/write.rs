//! A job as GOAL text.

use raddle_sim::workload::job_graph::{Does, JobGraph, Point};
use std::fmt::Write;

/// The text. Times are in nanoseconds.
///
/// # Errors
/// What GOAL cannot say: collectives, marks, times that are no whole nanoseconds, units above 255.
pub(in super::super) fn text(job: &JobGraph) -> Result<String, String> {
    let mut text = format!("num_ranks {}\n", job.ranks.len());
    // A text takes whatever is written.
    let mut line = |words: std::fmt::Arguments<'_>| _ = writeln!(text, "{words}");
    for (number, rank) in job.ranks.iter().enumerate() {
        line(format_args!("\nrank {number} {{"));
        // Labels are defined before they are used, and edges may lead to later nodes.
        for (place, node) in rank.nodes.iter().enumerate() {
            let at = || format!("rank {number}, node {}", node.id);
            match &node.does {
                Does::Calc(time) if time.0.is_multiple_of(1_000) => {
                    let cpu = node.unit.unwrap_or(0);
                    if cpu > 255 {
                        return Err(format!("{}: GOAL has no processor {cpu}", at()));
                    }
                    let cpu = if cpu > 0 { format!(" cpu {cpu}") } else { String::new() };
                    line(format_args!("l{place}: calc {}{cpu}", time.0 / 1_000));
                }
                Does::Calc(time) => {
                    return Err(format!("{}: {time} is no whole number of nanoseconds", at()));
                }
                Does::Send { to, bytes, tag } => {
                    line(format_args!(
                        "l{place}: send {}b to {to} tag {}",
                        bytes.0,
                        shown(*tag, &at)?
                    ));
                }
                Does::Recv { from, tag, bytes } => {
                    let from = from.map_or("-1".to_owned(), |from| from.to_string());
                    let tag = match tag {
                        Some(tag) => shown(*tag, &at)?.to_string(),
                        None => "-1".to_owned(),
                    };
                    let Some(bytes) = bytes else {
                        return Err(format!("{}: GOAL wants the size of a receive", at()));
                    };
                    line(format_args!("l{place}: recv {}b from {from} tag {tag}", bytes.0));
                }
                Does::Coll { op, .. } => {
                    return Err(format!("{}: GOAL has no collectives, and it is {op}", at()));
                }
                Does::Mark(_) => return Err(format!("{}: GOAL has no marks", at())),
            }
        }
        for (place, node) in rank.nodes.iter().enumerate() {
            for edge in rank.after(node) {
                let how = match edge.point {
                    Point::End => "requires",
                    Point::Start => "irequires",
                };
                line(format_args!("l{place} {how} l{}", edge.on));
            }
        }
        line(format_args!("}}"));
    }
    Ok(text)
}

/// A tag that GOAL has room for.
fn shown(tag: u64, at: &dyn Fn() -> String) -> Result<u64, String> {
    if tag < u64::from(u32::MAX) {
        Ok(tag)
    } else {
        Err(format!("{}: tag {tag} has more than 32 bits", at()))
    }
}
