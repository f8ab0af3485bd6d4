//! A training step, made from a model and its parallelism, as a [`JobGraph`].
//!
//! | file | what it does |
//! |---|---|
//! | `schedule.rs` | in which order a stage of the pipeline does its passes |
//! | `make.rs` | the nodes of each rank |
//!
//! Rank = tp + TP (dp + DP pp). A rank computes layer by layer; collectives over tensors and experts
//! are in its way. Activations and gradients go on to neighbouring stages without holding it up.
//! Gradients are reduced over the data beside the computation.

mod make;
mod schedule;
#[cfg(test)]
mod tests;

pub use schedule::Schedule;

use crate::workload::WorkloadError;
use crate::workload::job_graph::{JobGraph, Parallelism};
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::units::{Bytes, Span};
use schedule::Shape;

/// A graph is not to fill the memory.
const MOST_NODES: u64 = 1 << 26;
/// Nor are its messages.
const MOST_SENDS: u64 = 1 << 26;

/// A model, how it is split, and what it sends. Where a size is 0 there are no such messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Training {
    /// Ranks that share the tensors of a layer.
    pub tensor: u32,
    /// Stages of the pipeline.
    pub pipeline: u32,
    /// Ranks over which the data are split.
    pub data: u32,
    /// Of these, ranks that share the experts of a layer.
    pub expert: u32,
    /// Layers of the model.
    pub layers: u32,
    /// How long a layer computes forward, for one micro-batch.
    pub forward: Span,
    /// The same backward: the gradient of its input, and of its weights unless they are apart.
    pub backward: Span,
    /// The gradient of its weights, which nothing but its reduction waits for.
    pub weight_gradient: Span,
    /// Micro-batches of a step.
    pub micro_batches: u32,
    /// In which order a stage does its passes.
    pub schedule: Schedule,
    /// Parts of the model at each stage, with [`Schedule::Interleaved`]; else 1.
    pub chunks: u32,
    /// What a rank sends to the next stage for a micro-batch, and back.
    pub activation: Bytes,
    /// The all-reduce over tensors of each layer and pass.
    pub tensor_bytes: Bytes,
    /// Each of the two all-to-alls over experts of each layer and pass.
    pub expert_bytes: Bytes,
    /// The gradient of a layer, reduced over the data once a step.
    pub gradient: Bytes,
    /// The gradient of a layer's experts, reduced over the ranks that have the same.
    pub expert_gradient: Bytes,
    /// The parameters of a layer, if they are spread over the data and gathered for each pass.
    pub parameters: Bytes,
    /// How many layers ahead of the computation they are gathered.
    pub prefetch: u32,
    /// Steps.
    pub steps: u32,
}

impl Training {
    /// Ranks, if they are not too many to count.
    pub fn ranks(&self) -> u64 {
        [self.tensor, self.pipeline, self.data]
            .into_iter()
            .fold(1_u64, |all, size| all.saturating_mul(size.into()))
    }

    /// Whether sizes fit each other, by the names of the fields.
    ///
    /// # Errors
    /// What does not fit, and what would.
    pub fn check(&self) -> Result<(), WorkloadError> {
        let error =
            |quantity, found: u32, fits: String| Err(WorkloadError::new(quantity, found, fits));
        let positive = [
            ("tensor", self.tensor),
            ("pipeline", self.pipeline),
            ("data", self.data),
            ("expert", self.expert),
            ("layers", self.layers),
            ("micro_batches", self.micro_batches),
            ("chunks", self.chunks),
            ("steps", self.steps),
        ];
        for (name, number) in positive {
            if number == 0 {
                return error(name, number, "at least 1".to_owned());
            }
        }
        if !self.data.is_multiple_of(self.expert) {
            return error("expert", self.expert, format!("a divisor of `data`, {}", self.data));
        }
        let parts = u64::from(self.pipeline) * u64::from(self.chunks);
        if !u64::from(self.layers).is_multiple_of(parts) {
            let of = if self.chunks > 1 { "`pipeline` times `chunks`" } else { "`pipeline`" };
            return error("layers", self.layers, format!("a multiple of {of}, {parts}"));
        }
        if self.schedule == Schedule::Interleaved
            && !self.micro_batches.is_multiple_of(self.pipeline)
        {
            let fits = format!("a multiple of `pipeline`, {}, to interleave", self.pipeline);
            return error("micro_batches", self.micro_batches, fits);
        }
        if self.pipeline > 1 && self.activation == Bytes(0) {
            let fits = "at least 1 B: with several stages the next one waits for it";
            return Err(WorkloadError::new("activation", self.activation, fits));
        }
        // A layer has up to six nodes a pass, and there is a message on each side.
        let passes = u64::from(self.layers / self.pipeline)
            .saturating_mul(u64::from(self.micro_batches) * 2)
            .saturating_mul(self.steps.into());
        if passes.saturating_mul(8).saturating_mul(self.ranks()) > MOST_NODES {
            let fits = format!(
                "less: {passes} times a layer of {} ranks are more than a run can hold",
                self.ranks()
            );
            return error("steps", self.steps, fits);
        }
        if self.flows() > MOST_SENDS {
            let fits = format!("less: {} messages are more than {MOST_SENDS}", self.flows());
            return error("steps", self.steps, fits);
        }
        let work = [self.forward, self.backward, self.weight_gradient]
            .into_iter()
            .fold(0_u64, |all, span| all.saturating_add(span.0));
        if work.saturating_mul(passes / 2) > TIME_LIMIT.0 {
            return error("steps", self.steps, format!("less: ranks compute past {TIME_LIMIT}"));
        }
        Ok(())
    }

    /// What each rank does.
    ///
    /// # Errors
    /// Those of [`Training::check`].
    pub fn job(&self) -> Result<JobGraph, WorkloadError> {
        self.check()?;
        Ok(make::job(self))
    }

    /// How many flows the step has.
    pub fn flows(&self) -> u64 {
        let times = |numbers: &[u64]| numbers.iter().fold(1_u64, |all, n| all.saturating_mul(*n));
        let per = |bytes: Bytes, flows: u64| if bytes == Bytes(0) { 0 } else { flows };
        let (ranks, steps) = (self.ranks(), u64::from(self.steps));
        let passes = 2 * u64::from(self.micro_batches);
        let layers = u64::from(self.layers / self.pipeline.max(1));
        let [tensor, data, expert] =
            [self.tensor, self.data, self.expert].map(|n| u64::from(n.max(1)) - 1);
        let same = u64::from(self.data / self.expert.max(1)).max(1) - 1;
        let parts = u64::from(self.pipeline) * u64::from(self.chunks);
        let columns = u64::from(self.tensor).saturating_mul(self.data.into());
        let hops = if self.pipeline > 1 { parts - 1 } else { 0 };
        let reduction = if self.parameters == Bytes(0) { 2 } else { 1 };
        let each_pass = per(self.tensor_bytes, 2 * tensor)
            + per(self.expert_bytes, 2 * expert)
            + per(self.parameters, data);
        let each_step = per(self.gradient, reduction * data) + per(self.expert_gradient, 2 * same);
        times(&[columns, hops, passes, steps])
            .saturating_add(times(&[ranks, layers, steps, passes, each_pass]))
            .saturating_add(times(&[ranks, layers, steps, each_step]))
    }

    /// The largest message.
    pub fn largest(&self) -> Bytes {
        let same = self.data / self.expert.max(1);
        let collectives = [
            (self.tensor_bytes, self.tensor),
            (self.expert_bytes, self.expert),
            (self.gradient, self.data),
            (self.expert_gradient, same),
            (self.parameters, self.data),
        ];
        let parts = collectives
            .into_iter()
            .filter(|(_, ranks)| *ranks > 1)
            .map(|(bytes, ranks)| Bytes(bytes.0.div_ceil(ranks.into())));
        let hop = if self.pipeline > 1 { self.activation } else { Bytes(0) };
        parts.fold(hop, Bytes::max).max(Bytes(1))
    }

    fn split(&self) -> Parallelism {
        let Self { tensor: tp, pipeline: pp, expert: ep, .. } = *self;
        Parallelism { ranks: self.ranks() as u32, tp, pp, ep }
    }

    fn shape(&self) -> Shape {
        let Self { schedule, pipeline: stages, micro_batches, chunks, .. } = *self;
        Shape { schedule, stages, micro_batches, chunks }
    }
}
