//! `steps`: how long the steps of jobs took.

use super::column::{Columns, Row, TableSpec, table};
use super::{Parts, Run};
use crate::study::steps::{Ends, Told, last_rank};
use raddle_sim::record::steps::ranks::RankRow;

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<StepRow>(of_run);

/// A job and a step.
#[derive(Clone)]
pub(super) struct StepRow {
    job: String,
    step: u32,
    from: u64,
    until: u64,
    last_rank: u32,
    rank_us: Ends,
}

impl StepRow {
    fn of(job: &str, ranks: &[RankRow]) -> Option<Self> {
        let first = ranks.first()?;
        let end = |row: &RankRow| row.end.max(row.from).since(row.from).as_us();
        Some(Self {
            job: job.to_owned(),
            step: first.step,
            from: first.from.0,
            until: first.until.0,
            last_rank: last_rank(ranks),
            rank_us: Ends::of(ranks.iter().map(end)),
        })
    }
}

impl Row for StepRow {
    const NAME: &'static str = "steps";
    const MEANING: &'static str =
        "One row per job of ranks that completed, and step of it; of `training` and `trace`.";

    fn declare(table: &mut Columns<Self>) {
        table.col("job", "", "name of the job", |row| row.job.clone());
        table.col("step", "", "number of the step, from 0", |row| u64::from(row.step));
        table.col(
            "start_ps",
            "ps",
            "when it began, since the run's start: with the end of the step before; the first, with \
             the first thing that a rank does",
            |row| row.from,
        );
        table.col(
            "time_ps",
            "ps",
            "until the last rank was done with it, computation at its end included",
            |row| row.until - row.from,
        );
        table.col("last_rank", "", "the rank that was last; of several the lowest", |row| {
            u64::from(row.last_rank)
        });
        table.col("rank_min_us", "us", "from its beginning to the first rank's end", |row| {
            row.rank_us.min
        });
        table.col("rank_median_us", "us", "the same, median of ranks", |row| row.rank_us.median);
        table.col("rank_max_us", "us", "the same, last rank", |row| row.rank_us.max);
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let told = Told::all(run.plan, run.outcome);
    let row = |told: &Told<'_>| -> Vec<StepRow> {
        told.steps().filter_map(|ranks| StepRow::of(&told.job.name, ranks)).collect()
    };
    let rows: Vec<StepRow> = told.iter().flat_map(row).collect();
    (!told.is_empty()).then(|| table(run, rows.len(), move |number| rows[number].clone()))
}
