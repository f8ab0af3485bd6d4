//! The rows as a job.

use super::super::{Options, RunAs};
use super::text::MISSING;
use super::{Comm, Pass, Policy, Workload};
use raddle_schemes::units::Span;
use raddle_sim::workload::job_graph::{Does, Edge, JobGraph, Rank, Split};

/// A larger job would fill the memory.
const MOST_NODES: u64 = 1 << 26;

/// There are no fabrics with more hosts.
const MOST_RANKS: u64 = 1 << 20;

/// Collectives that nothing waits for.
const BEHIND: u32 = 1;

impl Workload {
    /// The job of all ranks.
    ///
    /// # Errors
    /// One that is too large, or a pipeline.
    pub(in super::super) fn job(&self, options: &Options) -> Result<JobGraph, String> {
        if self.split.pp > 1 && options.run_as != Some(RunAs::Written) {
            return Err(format!(
                "the workload is one stage of a pipeline of {}; set `run_as = \"written\"` to have all \
                 ranks do its rows",
                self.split.pp
            ));
        }
        if !self.sized {
            return Err(format!("the workload does not say how many GPUs there are: {MISSING}"));
        }
        let ranks = self.ranks();
        if u64::from(ranks) > MOST_RANKS {
            return Err(format!("{ranks} ranks are more than {MOST_RANKS}"));
        }
        let nodes = self.rows.len() as u64 * 6 * u64::from(ranks);
        if nodes > MOST_NODES {
            return Err(format!(
                "{} rows on {ranks} ranks are about {nodes} nodes, more than {MOST_NODES}",
                self.rows.len()
            ));
        }
        // The groups of all ways of splitting, and which of them each rank is in.
        let mut groups = Vec::new();
        let mut of = vec![[0_u32; Split::ALL.len()]; ranks as usize];
        for (way, split) in Split::ALL.iter().enumerate() {
            for group in self.split.groups(*split) {
                for rank in &group.ranks {
                    of[*rank as usize][way] = groups.len() as u32;
                }
                groups.push(group);
            }
        }
        let ranks = of.iter().map(|groups| Making { rank: Rank::default(), groups, last: None });
        let ranks = ranks.map(|making| self.rank(making)).collect();
        let (send_done, channels) = (options.send_done, options.channels);
        Ok(JobGraph { ranks, groups, send_done, channels, ..JobGraph::default() })
    }

    fn rank(&self, mut making: Making<'_>) -> Rank {
        if self.policy == Policy::Micro {
            for row in &self.rows {
                making.pass(row.line, row.passes[2]);
            }
            return making.rank;
        }
        for row in &self.rows {
            making.pass(row.line, row.passes[0]);
        }
        for row in self.rows.iter().rev() {
            making.pass(row.line, row.passes[1]);
            let Pass { ns, comm } = row.passes[2];
            making.pass(row.line, Pass { ns, comm: None });
            if let Some(comm) = comm {
                making.coll(row.line, comm, Some(BEHIND));
            }
        }
        making.rank
    }
}

struct Making<'a> {
    rank: Rank,
    /// The group of each way of splitting.
    groups: &'a [u32; Split::ALL.len()],
    /// What the next node waits for.
    last: Option<u32>,
}

impl Making<'_> {
    /// Computes, then communicates; what follows waits for both.
    fn pass(&mut self, line: usize, pass: Pass) {
        if pass.ns > 0 {
            let does = Does::Calc(Span(pass.ns.saturating_mul(Span::ns(1).0)));
            let after: Vec<Edge> = self.last.map(Edge::end).into_iter().collect();
            self.last = Some(self.rank.push(line as u64, does, None, &after));
        }
        if let Some(comm) = pass.comm {
            self.last = Some(self.coll(line, comm, None));
        }
    }

    fn coll(&mut self, line: usize, comm: Comm, unit: Option<u32>) -> u32 {
        let way = Split::ALL.iter().position(|known| *known == comm.split).unwrap_or(0);
        let does = Does::Coll { group: self.groups[way], op: comm.op, bytes: comm.bytes };
        let after: Vec<Edge> = self.last.map(Edge::end).into_iter().collect();
        self.rank.push(line as u64, does, unit, &after)
    }
}
