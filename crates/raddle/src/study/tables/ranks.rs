//! `ranks`: where the time of each rank went in each step.

use super::column::{Columns, Row, TableSpec, table};
use super::{Parts, Run};
use crate::study::steps::Told;
use raddle_sim::record::steps::Kind;
use raddle_sim::record::steps::ranks::RankRow;

/// The table.
pub(super) static TABLE: TableSpec = TableSpec::of::<Rank>(of_run);

/// A job, a step and a rank.
#[derive(Clone)]
pub(super) struct Rank {
    job: String,
    row: RankRow,
}

impl Rank {
    fn peers(&self, kind: Kind) -> u64 {
        self.row.spent.peers[kind as usize].0
    }

    fn transfer(&self, kind: Kind) -> u64 {
        self.row.spent.transfer[kind as usize].0
    }
}

impl Row for Rank {
    const NAME: &'static str = "ranks";
    const MEANING: &'static str = "One row per job of ranks that completed, step of it and rank, by step. \
         `compute_ps`, all `_peers_ps` and `_transfer_ps`, and `idle_ps` add up to `time_ps`.";

    fn declare(table: &mut Columns<Self>) {
        table.col("job", "", "name of the job", |own| own.job.clone());
        table.col("step", "", "number of the step, from 0", |own| u64::from(own.row.step));
        table.col("rank", "", "the rank", |own| u64::from(own.row.rank));
        table.col("start_ps", "ps", "when the step began, for all ranks", |own| own.row.from.0);
        table.col("time_ps", "ps", "what the step took, for all ranks", |own| {
            own.row.until.since(own.row.from).0
        });
        table.col("end_ps", "ps", "when the rank was done with it, since the run's start", |own| {
            own.row.end.0
        });
        table.col("compute_ps", "ps", "it computed, whatever else was under way", |own| {
            own.row.spent.compute.0
        });
        table.col(
            "tp_peers_ps",
            "ps",
            "it did not, and had come to a collective over tensors before the last of its peers",
            |own| own.peers(Kind::Tensor),
        );
        table.col("tp_transfer_ps", "ps", "all had come, and it was not done", |own| {
            own.transfer(Kind::Tensor)
        });
        table.col("dp_peers_ps", "ps", "the same of collectives over data", |own| {
            own.peers(Kind::Data)
        });
        table.col("dp_transfer_ps", "ps", "all had come, and it was not done", |own| {
            own.transfer(Kind::Data)
        });
        table.col("ep_peers_ps", "ps", "the same over experts", |own| own.peers(Kind::Expert));
        table.col("ep_transfer_ps", "ps", "all had come, and it was not done", |own| {
            own.transfer(Kind::Expert)
        });
        table.col("group_peers_ps", "ps", "the same in groups of no known kind", |own| {
            own.peers(Kind::Group)
        });
        table.col("group_transfer_ps", "ps", "all had come, and it was not done", |own| {
            own.transfer(Kind::Group)
        });
        table.col("send_transfer_ps", "ps", "a message of its own was under way", |own| {
            own.transfer(Kind::Send)
        });
        table.col(
            "idle_ps",
            "ps",
            "nothing of its own was under way: it waited for a message, or for its next work, or was \
             done",
            |own| own.row.spent.idle.0,
        );
        table.col(
            "waited_for_ps",
            "ps",
            "for how long others waited in collectives for this rank alone: from when the last but one \
             had come to when it had",
            |own| own.row.waited_for.0,
        );
    }
}

fn of_run(run: Run<'_>) -> Option<Parts<'_>> {
    let told = Told::all(run.plan, run.outcome);
    let is_any = !told.is_empty();
    let of_job = |told: Told<'_>| {
        let name = told.job.name.clone();
        told.ranks.into_iter().map(move |row| Rank { job: name.clone(), row })
    };
    let rows: Vec<Rank> = told.into_iter().flat_map(of_job).collect();
    is_any.then(|| table(run, rows.len(), move |number| rows[number].clone()))
}
