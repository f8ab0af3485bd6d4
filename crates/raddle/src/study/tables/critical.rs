//! `critical`: what decided when jobs ended.

use super::column::{Columns, Row, TableSpec, table};
use super::{Parts, Run};
use crate::study::steps::{Cause, Edge, Told, edges};
use raddle_sim::record::steps::path::Took;

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<CriticalRow>(of_run);

/// A job and an edge of its critical path.
#[derive(Clone)]
pub(super) struct CriticalRow {
    job: String,
    number: usize,
    edge: Edge,
    id: u64,
    port: Option<String>,
}

impl CriticalRow {
    fn behind(&self) -> Option<(u64, u64)> {
        let (flow, packets) = self.edge.longest_wait()?.behind.first()?;
        Some((flow.0.into(), *packets))
    }
}

impl Row for CriticalRow {
    const NAME: &'static str = "critical";
    const MEANING: &'static str = "One row per job of ranks that completed, and edge of its critical path: from the last end back, \
         each time to what came last. Edges follow each other without a gap; the parts of one add up to \
         `time_ps`.";

    fn declare(table: &mut Columns<Self>) {
        table.col("job", "", "name of the job", |row| row.job.clone());
        table.col("edge", "", "number of the edge, from 0, in order of time", |row| {
            row.number as u64
        });
        table.col("does", "", "`calc` or `message`", |row| match row.edge.stretch.does {
            Took::Calc => "calc",
            Took::Message { .. } => "message",
        });
        table.col("rank", "", "the rank that computes or sends", |row| {
            u64::from(row.edge.stretch.rank)
        });
        table.col("node", "", "what its file calls the node there", |row| row.id);
        table.col("to_rank", "", "the receiving rank; empty of computation", |row| {
            match row.edge.stretch.does {
                Took::Message { to, .. } => Some(u64::from(to)),
                Took::Calc => None,
            }
        });
        table.col("flow", "", "the flow; empty of computation", |row| {
            row.edge.flow().map(|flow| u64::from(flow.0))
        });
        table.col(
            "collective",
            "",
            "the collective that it is of; empty of others",
            |row| match row.edge.stretch.does {
                Took::Message { collective, .. } => collective.map(u64::from),
                Took::Calc => None,
            },
        );
        table.col("start_ps", "ps", "when it began, since the run's start", |row| {
            row.edge.stretch.from.0
        });
        table.col("time_ps", "ps", "what it took", |row| row.edge.stretch.time().0);
        table.col("calc_ps", "ps", "computation", |row| row.edge.cause(Cause::Calc).0);
        table.col(
            "held_ps",
            "ps",
            "its last needed packet was held at the host: window, pace, turns, credit, pauses",
            |row| row.edge.cause(Cause::Held).0,
        );
        table.col(
            "own_bytes_ps",
            "ps",
            "the host sent what the message had up to that packet",
            |row| row.edge.cause(Cause::Own).0,
        );
        table.col(
            "hops_ps",
            "ps",
            "the way of that packet: links, latencies, its own time on each further wire",
            |row| row.edge.cause(Cause::Hops).0,
        );
        table.col("queue_ps", "ps", "it waited in queues of switches", |row| {
            row.edge.cause(Cause::Queue).0
        });
        table.col(
            "lost_ps",
            "ps",
            "from when it was first sent to when the one was that arrived",
            |row| row.edge.cause(Cause::Lost).0,
        );
        table.col(
            "ack_ps",
            "ps",
            "the way back of the last needed ACK, where the sender waits for it",
            |row| row.edge.cause(Cause::Ack).0,
        );
        table.col(
            "message_ps",
            "ps",
            "a message whose packets were not kept: `record.flows = \"critical\"` keeps them",
            |row| row.edge.cause(Cause::Message).0,
        );
        table.col("queue_port", "", "the port in whose queue it waited longest", |row| {
            row.port.clone()
        });
        table.col(
            "behind_flow",
            "",
            "the flow of most packets that it waited for there; empty where they were not kept",
            |row| row.behind().map(|(flow, _)| flow),
        );
        table.col("behind_packets", "packets", "how many these were", |row| {
            row.behind().map(|(_, packets)| packets)
        });
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let told = Told::all(run.plan, run.outcome);
    let mut rows: Vec<CriticalRow> = Vec::new();
    for own in &told {
        let job = &own.replay.script.job();
        for (number, edge) in edges(run.plan, run.outcome, &own.replay).into_iter().enumerate() {
            let (rank, node) = (edge.stretch.rank as usize, edge.stretch.node as usize);
            let port = edge.longest_wait().map(|wait| wait.port);
            rows.push(CriticalRow {
                job: own.job.name.clone(),
                number,
                id: job.ranks[rank].nodes[node].id,
                port: port.map(|port| run.plan.fabric.ports[port.index()].name.clone()),
                edge,
            });
        }
    }
    (!told.is_empty()).then(|| table(run, rows.len(), move |number| rows[number].clone()))
}
