//! Workloads of SimAI, as aicb writes them: the layers of a model, row by row.
//!
//! The format is what `astra-sim-alibabacloud` of SimAI (commit cef83f9) reads and aicb (commit 23eec3c)
//! writes. `run_as = "written"` has every rank do every row: all of them forward, computation and then its
//! collective; from the last row back the gradients of the inputs, with their collective, and of the
//! weights, whose collective nothing waits for.

mod job;
pub(super) mod text;

use super::mistakes::Mistakes;
use super::{Fact, Options, Parsed, TraceError};
use raddle_schemes::units::Bytes;
use raddle_sim::workload::job_graph::{CollectiveOp, Parallelism, Split};
use std::collections::BTreeMap;

/// A workload as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Workload {
    pub(super) policy: Policy,
    pub(super) split: Parallelism,
    /// Whether it is said how many ranks there are; else those of one tensor group stand for them.
    pub(super) sized: bool,
    /// Micro-batches.
    pub(super) ga: u64,
    pub(super) rows: Vec<Row>,
}

/// What is done with the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    /// All passes.
    Transformer,
    /// The gradients of the weights alone, each waited for.
    Micro,
}

/// A layer, or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) name: String,
    /// Forward, gradients of inputs, gradients of weights.
    pub(super) passes: [Pass; 3],
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pass {
    pub(super) ns: u64,
    pub(super) comm: Option<Comm>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Comm {
    pub(super) op: CollectiveOp,
    pub(super) split: Split,
    pub(super) bytes: Bytes,
}

/// The names of the passes.
const PASSES: [&str; 3] = ["forward", "input gradient", "weight gradient"];

pub(super) fn read(text: &str, options: &Options) -> Result<Parsed, Vec<TraceError>> {
    let mut mistakes = Mistakes::default();
    let workload = text::parse(text, options, &mut mistakes);
    let notes = mistakes.finish()?;
    let workload = workload.unwrap_or_else(|| Workload {
        policy: Policy::Micro,
        split: Parallelism { ranks: 0, tp: 1, pp: 1, ep: 1 },
        sized: true,
        ga: 1,
        rows: Vec::new(),
    });
    let facts = workload.facts();
    let body = super::Body::Workload(Box::new(workload), options.clone());
    Ok(Parsed { facts, notes, body })
}

impl Workload {
    pub(super) fn ranks(&self) -> u32 {
        self.split.ranks
    }

    fn comms(&self) -> impl Iterator<Item = (usize, Comm)> {
        let passes = self.rows.iter().flat_map(|row| row.passes.iter().enumerate());
        passes.filter_map(|(pass, own)| Some((pass, own.comm?)))
    }

    /// The largest message, if collectives are made of rings.
    pub(super) fn largest(&self) -> Bytes {
        let sizes = self.comms().map(|(_, comm)| {
            let ranks = u64::from(self.ranks_of(comm.split)).max(1);
            Bytes(comm.bytes.0.div_ceil(ranks))
        });
        sizes.max().unwrap_or_default().max(Bytes(1))
    }

    fn ranks_of(&self, split: Split) -> u32 {
        let own = &self.split;
        match split {
            Split::Tensor => own.tp,
            Split::Data => own.dp(),
            Split::Expert => own.ep,
            Split::DataOfExperts => own.dp() / own.ep.max(1),
            Split::Pipeline => own.pp,
        }
    }

    fn facts(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        let mut add = |name: String, value: u64| facts.push(Fact::count(name, value));
        add("rows".to_owned(), self.rows.len() as u64);
        for split in Split::ALL {
            add(split.word().to_owned(), self.ranks_of(*split).into());
        }
        if self.ga > 1 {
            let (batches, rows) = self.micro_batches();
            add("micro-batches".to_owned(), batches);
            add("rows of a micro-batch".to_owned(), rows);
            let inside = batches * rows;
            add("rows once a step".to_owned(), (self.rows.len() as u64).saturating_sub(inside));
        }
        let mut sums: BTreeMap<(usize, &str, &str), (u64, u64)> = BTreeMap::new();
        for (pass, comm) in self.comms() {
            let sum = sums.entry((pass, comm.op.word(), comm.split.word())).or_default();
            *sum = (sum.0 + 1, sum.1.saturating_add(comm.bytes.0));
        }
        for ((pass, op, split), (count, bytes)) in sums {
            let name = format!("{} {op} {split}", PASSES[pass]);
            add(name.clone(), count);
            add(format!("{name}, B"), bytes);
        }
        for (pass, name) in PASSES.iter().enumerate() {
            let ns =
                self.rows.iter().fold(0_u64, |sum, row| sum.saturating_add(row.passes[pass].ns));
            add(format!("{name} computation, ns"), ns);
        }
        facts
    }

    /// Micro-batches, each from one embedding to the next, and the rows of one.
    fn micro_batches(&self) -> (u64, u64) {
        let mut begins = Vec::new();
        for (number, row) in (0_u64..).zip(&self.rows) {
            if row.name == "embedding_layer" {
                begins.push(number);
            }
        }
        let rows = begins.windows(2).map(|two| two[1] - two[0]).min().unwrap_or(0);
        (begins.len() as u64, rows)
    }
}
