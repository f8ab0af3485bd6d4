//! The nodes of each rank of a training step.

use super::Training;
use super::schedule::{Pass, Way};
use crate::workload::job_graph::{CollectiveOp, Does, Edge, Group, JobGraph, Rank, Split};
use raddle_schemes::units::{Bytes, Span};

/// Computation, and collectives that are in its way.
const COMPUTE: u32 = 0;
/// Gradients that are reduced beside it.
const REDUCE: u32 = 1;
/// Parameters that are gathered ahead of it.
const GATHER: u32 = 2;

/// What each rank does. The step is checked.
pub(super) fn job(step: &Training) -> JobGraph {
    let split = step.split();
    let mut groups: Vec<Group> = Vec::new();
    // Of each way of splitting, the group of each rank.
    let mut among = |of: Split| {
        let mut of_rank = vec![0; split.ranks as usize];
        for group in split.groups(of) {
            for rank in &group.ranks {
                of_rank[*rank as usize] = groups.len() as u32;
            }
            groups.push(group);
        }
        of_rank
    };
    let [tensor, data, expert, same] =
        [Split::Tensor, Split::Data, Split::Expert, Split::DataOfExperts].map(&mut among);
    let ranks = (0..split.ranks).map(|rank| {
        let of = |groups: &[u32], size: u32| (size > 1).then(|| groups[rank as usize]);
        let stage = rank / (step.tensor * step.data);
        let mut making = Making {
            step,
            own: Rank::default(),
            rank,
            stage,
            tensor: of(&tensor, step.tensor),
            data: of(&data, step.data),
            expert: of(&expert, step.expert),
            same: of(&same, step.data / step.expert),
            calcs: Vec::new(),
            reduced: Vec::new(),
        };
        let passes = step.shape().passes(stage);
        for number in 0..step.steps {
            making.step(number, &passes);
        }
        making.own
    });
    let ranks = ranks.collect();
    JobGraph { ranks, groups, ..JobGraph::default() }
}

struct Making<'a> {
    step: &'a Training,
    own: Rank,
    rank: u32,
    stage: u32,
    /// The groups that the rank is in, where they are more than itself.
    tensor: Option<u32>,
    data: Option<u32>,
    expert: Option<u32>,
    same: Option<u32>,
    /// The computation of each layer and pass so far.
    calcs: Vec<u32>,
    /// What the next step waits for.
    reduced: Vec<Edge>,
}

impl Making<'_> {
    fn push(&mut self, does: Does, unit: Option<u32>, after: &[Edge]) -> u32 {
        let id = self.own.nodes.len() as u64;
        self.own.push(id, does, unit, after)
    }

    fn calc(&mut self, work: Span, after: &[Edge]) -> u32 {
        self.push(Does::Calc(work), Some(COMPUTE), after)
    }

    /// A part in a collective, if there is one.
    fn coll(
        &mut self,
        group: Option<u32>,
        op: CollectiveOp,
        bytes: Bytes,
        unit: u32,
        after: &[Edge],
    ) -> Option<u32> {
        let group = group.filter(|_| bytes > Bytes(0))?;
        Some(self.push(Does::Coll { group, op, bytes }, Some(unit), after))
    }

    fn step(&mut self, number: u32, passes: &[Pass]) {
        self.own.steps.push(self.own.nodes.len() as u32);
        let mut begin = std::mem::take(&mut self.reduced);
        for pass in passes {
            self.pass(number, *pass, std::mem::take(&mut begin));
        }
    }

    /// What is told to other messages of a pair apart by: where the message goes from, on its way
    /// through the parts of the model.
    fn tag(&self, step: u32, pass: Pass, from: u32) -> u64 {
        let micro_batch =
            u64::from(step) * u64::from(self.step.micro_batches) + u64::from(pass.micro_batch);
        let parts = u64::from(self.step.pipeline * self.step.chunks);
        2 * (micro_batch * parts + u64::from(from)) + u64::from(pass.way == Way::Backward)
    }

    /// The rank of another part of the model with the same tensors and data.
    fn peer(&self, part: u32) -> u32 {
        let of_stage = self.step.tensor * self.step.data;
        self.rank % of_stage + of_stage * (part % self.step.pipeline)
    }

    /// Where a message comes from or goes to, if it is another rank's: by the part of the model.
    fn other(&self, part: Option<u32>) -> Option<u32> {
        let parts = self.step.pipeline * self.step.chunks;
        part.filter(|part| *part < parts && self.step.pipeline > 1)
    }

    fn pass(&mut self, step: u32, pass: Pass, mut after: Vec<Edge>) {
        let part = pass.chunk * self.step.pipeline + self.stage;
        let (before, behind) = match pass.way {
            Way::Forward => (part.checked_sub(1), Some(part + 1)),
            Way::Backward => (Some(part + 1), part.checked_sub(1)),
        };
        // Parameters are gathered ahead of what comes from other stages.
        let mut begin = after.clone();
        if let Some(from) = self.other(before) {
            let tag = Some(self.tag(step, pass, from));
            let bytes = Some(self.step.activation);
            let from = Some(self.peer(from));
            after.push(Edge::end(self.push(Does::Recv { from, tag, bytes }, None, &[])));
        }
        let layers = self.step.layers / (self.step.pipeline * self.step.chunks);
        for layer in 1..=layers {
            let begin = std::mem::take(&mut begin);
            let given = self.layer(pass, begin, std::mem::take(&mut after));
            if layer == layers
                && let Some(to) = self.other(behind)
            {
                let tag = self.tag(step, pass, part);
                let (to, bytes) = (self.peer(to), self.step.activation);
                self.push(Does::Send { to, bytes, tag }, None, &[Edge::end(given)]);
            }
            if pass.way == Way::Backward {
                self.gradient(pass);
            }
        }
    }

    /// A layer and the collectives in its way; what it gives is there with the node that comes back.
    fn layer(&mut self, pass: Pass, mut begin: Vec<Edge>, mut after: Vec<Edge>) -> u32 {
        let step = self.step;
        let ahead = step.prefetch.max(1) as usize;
        if let Some(calc) = self.calcs.len().checked_sub(ahead).map(|at| self.calcs[at]) {
            begin.push(if step.prefetch == 0 { Edge::end(calc) } else { Edge::start(calc) });
        }
        let gather = CollectiveOp::AllGather;
        let gathered = self.coll(self.data, gather, step.parameters, GATHER, &begin);
        after.extend(gathered.map(Edge::end));
        // Tokens go to their experts, and come back.
        let to_all = CollectiveOp::AllToAll;
        let there = self.coll(self.expert, to_all, step.expert_bytes, COMPUTE, &after);
        let work = if pass.way == Way::Forward { step.forward } else { step.backward };
        let calc = self.calc(work, if there.is_some() { &[] } else { &after });
        self.calcs.push(calc);
        let sum = CollectiveOp::AllReduce;
        let summed = self.coll(self.tensor, sum, step.tensor_bytes, COMPUTE, &[]);
        let back = self.coll(self.expert, to_all, step.expert_bytes, COMPUTE, &[]);
        back.or(summed).unwrap_or(calc)
    }

    /// The gradient of a layer's weights, and its reduction after the last micro-batch.
    fn gradient(&mut self, pass: Pass) {
        let step = self.step;
        let mut there = self.calcs.last().copied();
        if step.weight_gradient > Span::ZERO {
            there = Some(self.calc(step.weight_gradient, &[]));
        }
        if pass.micro_batch + 1 < step.micro_batches {
            return;
        }
        let spread = self.data.is_some() && step.parameters > Bytes(0);
        let op = if spread { CollectiveOp::ReduceScatter } else { CollectiveOp::AllReduce };
        let after: Vec<Edge> = there.into_iter().map(Edge::end).collect();
        let all = self.coll(self.data, op, step.gradient, REDUCE, &after);
        let sum = CollectiveOp::AllReduce;
        let same = self.coll(self.same, sum, step.expert_gradient, REDUCE, &after);
        self.reduced.extend(all.into_iter().chain(same).map(Edge::end));
    }
}
