//! `flows`: what became of each flow.

use super::column::{Columns, Row, TableSpec, table};
use super::{Parts, Run};
use crate::study::summary::{delivery, fct, slowdown};
use crate::study::unfinished::Causes;
use raddle_schemes::ids::FlowId;
use raddle_schemes::units::{Span, Time};
use raddle_sim::record::FlowRecord;
use raddle_sim::record::after::after;
use raddle_sim::workload::Flow;
use raddle_sim::workload::job::Job;

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<FlowRow<'_>>(of_run);

/// A flow.
pub(super) struct FlowRow<'a> {
    number: usize,
    flow: &'a Flow,
    record: FlowRecord,
    ideal: Option<Span>,
    unfinished: Option<&'static str>,
    job: Option<&'a Job>,
    after: Option<FlowId>,
}

impl Row for FlowRow<'_> {
    const NAME: &'static str = "flows";
    const MEANING: &'static str = "One row per flow.";

    fn declare(table: &mut Columns<Self>) {
        table.col("flow", "", "number of the flow", |row| row.number as u64);
        table.col("source", "", "sending host", |row| u64::from(row.flow.source.0));
        table.col("destination", "", "receiving host", |row| u64::from(row.flow.destination.0));
        table.col("size_bytes", "B", "application bytes", |row| row.flow.bytes.0);
        table.col("start_us", "us", "when it started; empty if it never did", |row| {
            row.record.started.map(Time::as_us)
        });
        table.col(
            "fct_us",
            "us",
            "start to last needed ACK at the sender; empty if not completed",
            |row| fct(&row.record).map(Span::as_us),
        );
        table.col(
            "delivered_us",
            "us",
            "start to last byte at the receiver; empty if not delivered",
            |row| delivery(&row.record).map(Span::as_us),
        );
        table.col(
            "ideal_us",
            "us",
            "`fct_us` alone in the fabric without faults; empty without a path",
            |row| row.ideal.map(Span::as_us),
        );
        table.col("slowdown", "", "`fct_us` over `ideal_us`; empty if not completed", |row| {
            slowdown(fct(&row.record)?, row.ideal)
        });
        table.col(
            "sent_packets",
            "packets",
            "data packets sent, retransmissions included",
            |row| row.record.sent,
        );
        table.col("retransmitted_packets", "packets", "data packets sent again", |row| {
            row.record.retransmitted
        });
        table.col(
            "received_packets",
            "packets",
            "data packets that arrived whole and were new",
            |row| row.record.received,
        );
        table.col(
            "duplicate_packets",
            "packets",
            "data packets that arrived whole a second time",
            |row| row.record.duplicates,
        );
        table.col(
            "refused_packets",
            "packets",
            "data packets that arrived whole and new, thrown away there for being out of order",
            |row| row.record.refused,
        );
        table.col(
            "marked_packets",
            "packets",
            "data packets that arrived with a congestion mark",
            |row| row.record.marked,
        );
        table.col(
            "trimmed_packets",
            "packets",
            "data packets that arrived as trimmed headers",
            |row| row.record.trimmed,
        );
        table.col(
            "dropped_packets",
            "packets",
            "data packets lost on the way, whatever the cause",
            |row| row.record.dropped,
        );
        table.col("timeouts", "timeouts", "retransmission timeouts", |row| row.record.timeouts);
        table.col(
            "unfinished",
            "",
            "why it did not complete: `dead_host` at one of its ends, `retry_exceeded` (its sender \
             gave up), `not_started`, or still `under_way`; empty if it did",
            |row| row.unfinished.map(str::to_owned),
        );
        table.col("job", "", "the job that it belongs to; empty without one", |row| {
            row.job.map(|job| job.name.clone())
        });
        table.col("phase", "", "and the phase of the job, where that has some", |row| {
            let phases = row.job.map(|job| &job.phases[..]).unwrap_or_default();
            let own = row.number as u32;
            phases.iter().find(|phase| phase.flows.contains(&own)).map(|phase| phase.name.clone())
        });
        table.col(
            "after",
            "",
            "number of the flow whose end started it; empty if a time did",
            |row| row.after.map(|flow| u64::from(flow.0)),
        );
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let Run { plan, outcome, ideals, .. } = run;
    let causes = Causes::of(plan, outcome);
    let after = after(&plan.traffic, &outcome.flows);
    let jobs = &plan.traffic.jobs;
    Some(table(run, outcome.flows.len(), move |number| FlowRow {
        number,
        flow: &plan.traffic.flows[number],
        record: outcome.flows.at(number),
        ideal: ideals[number],
        job: jobs.iter().find(|job| job.flows.contains(&(number as u32))),
        after: after[number],
        unfinished: causes.cause(FlowId(number as u32)).map(|cause| cause.word()),
    }))
}
