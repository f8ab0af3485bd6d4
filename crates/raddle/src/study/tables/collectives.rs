//! `collectives`: when ranks came to the collectives of jobs, and how fast these were.

use super::column::{Columns, Row, TableSpec, table};
use super::{Parts, Run};
use crate::study::steps::Told;
use raddle_schemes::units::Time;
use raddle_sim::record::steps::collectives::CollectiveRow;

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<Collective>(of_run);

/// A job and a collective.
#[derive(Clone)]
pub(super) struct Collective {
    job: String,
    row: CollectiveRow,
}

impl Collective {
    fn bandwidth(&self, since: Time, which: usize) -> Option<f64> {
        self.row.bandwidths_gb_s(since).map(|both| both[which])
    }
}

impl Row for Collective {
    const NAME: &'static str = "collectives";
    const MEANING: &'static str =
        "One row per job of ranks that completed, and collective of it, by group.";

    fn declare(table: &mut Columns<Self>) {
        table.col("job", "", "name of the job", |own| own.job.clone());
        table.col("collective", "", "its number, from 0", |own| u64::from(own.row.number));
        table.col("step", "", "number of its step, from 0", |own| u64::from(own.row.step));
        table.col("operation", "", "what is done", |own| own.row.op.word());
        table.col("group", "", "name of its group", |own| own.row.group.clone());
        table.col("kind", "", "`tp`, `dp`, `ep`, or `group` for others", |own| own.row.kind.word());
        table.col("ranks", "", "how many take part", |own| u64::from(own.row.ranks));
        table.col("size_bytes", "B", "its size, as nccl-tests counts it", |own| own.row.bytes.0);
        table.col("algorithm", "", "how its messages go", |own| own.row.algorithm);
        table.col("channels", "", "into how many parts it is cut", |own| {
            u64::from(own.row.channels)
        });
        table.col("first_entry_ps", "ps", "when the first rank had come to it", |own| {
            own.row.first.0
        });
        table.col("last_entry_ps", "ps", "when the last had", |own| own.row.last.0);
        table.col("skew_ps", "ps", "between the two", |own| own.row.last.since(own.row.first).0);
        table.col("last_rank", "", "which rank was last; of several the lowest", |own| {
            u64::from(own.row.last_rank)
        });
        table.col(
            "waited_ps",
            "ps",
            "for how long the others waited for it alone: since the last but one had come",
            |own| own.row.waited().0,
        );
        table.col("end_ps", "ps", "when the last rank was done with it", |own| own.row.end.0);
        table.col(
            "algbw_gb_s",
            "GB/s",
            "its size over the time from the last entry to its end; empty of what nccl-tests does not \
             know",
            |own| own.bandwidth(own.row.last, 0),
        );
        table.col("busbw_gb_s", "GB/s", "that times its bus factor", |own| {
            own.bandwidth(own.row.last, 1)
        });
        table.col("algbw_first_gb_s", "GB/s", "the same from the first entry", |own| {
            own.bandwidth(own.row.first, 0)
        });
        table.col("busbw_first_gb_s", "GB/s", "the same from the first entry", |own| {
            own.bandwidth(own.row.first, 1)
        });
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let told = Told::all(run.plan, run.outcome);
    let is_any = !told.is_empty();
    let of_job = |told: Told<'_>| {
        let name = told.job.name.clone();
        told.collectives.into_iter().map(move |row| Collective { job: name.clone(), row })
    };
    let rows: Vec<Collective> = told.into_iter().flat_map(of_job).collect();
    is_any.then(|| table(run, rows.len(), move |number| rows[number].clone()))
}
