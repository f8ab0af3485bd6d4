//! The backward pass of fully sharded data parallel training (Zhao et al., VLDB 2023).

use super::compute::ComputeTimes;
use super::{check_sends, job};
use crate::workload::graph::{Graph, Send, StepId};
use crate::workload::job::Phase;
use crate::workload::{Traffic, WorkloadError, check_message};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Span};

/// Layer by layer, from the last to the first, an AllGather of the weights and a ReduceScatter of
/// the gradients, on as many parallel rings as a server has GPUs: GPU i sends to GPU
/// i + `gpus_per_server`.
///
/// The study of load balancing for AI training (Figure 14) measures each collective's phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fsdp {
    /// Layers of the model.
    pub layers: u32,
    /// Size of every message.
    pub message: Bytes,
    /// GPUs of a server, each with a host of its own.
    pub gpus_per_server: u32,
    /// Steps of each ring in a phase: permutations of all GPUs, one after the other. A ring of n
    /// servers has n - 1; each is like the others.
    pub steps: u32,
    /// Whether a phase starts only when the one before is delivered everywhere; else each GPU goes
    /// on when its own messages of the phase are there and acknowledged.
    pub barrier: bool,
}

impl Fsdp {
    /// The traffic among these GPUs, in the order of phases, steps and GPUs. Each GPU computes before
    /// each phase.
    ///
    /// # Errors
    /// No layers or steps, an empty message, a number of GPUs that is not at least two whole
    /// servers, or too many messages.
    pub fn generate(
        &self,
        gpus: &[HostId],
        compute: &ComputeTimes,
    ) -> Result<Traffic, WorkloadError> {
        check_message(self.message)?;
        for (quantity, value) in [("layers", self.layers), ("steps", self.steps)] {
            if value == 0 {
                return Err(WorkloadError::new(quantity, value, "at least 1"));
            }
        }
        let server = self.gpus_per_server as usize;
        if server == 0 || !gpus.len().is_multiple_of(server) || gpus.len() / server < 2 {
            let fits = format!("a divisor of the {} GPUs, and at least two servers", gpus.len());
            return Err(WorkloadError::new("gpus_per_server", server, fits));
        }
        let rounds = 2 * u64::from(self.layers) * u64::from(self.steps);
        check_sends("layers", self.layers.into(), rounds.saturating_mul(gpus.len() as u64))?;
        let mut graph = Graph::default();
        let mut phases = Vec::new();
        let mut before: Vec<StepId> = Vec::new();
        for layer in (0..self.layers).rev() {
            for operation in ["all_gather", "reduce_scatter"] {
                let first = graph.sends();
                let barrier = (self.barrier && !before.is_empty()).then(|| graph.join(&before));
                for step in 0..self.steps {
                    let of_phase = if step == 0 { barrier } else { None };
                    let sends = (0..gpus.len()).map(|gpu| {
                        let last = (gpu + gpus.len() - server) % gpus.len();
                        let after = match (of_phase, before.get(gpu), before.get(last)) {
                            (Some(barrier), ..) => vec![barrier],
                            (None, Some(&own), Some(&came)) => vec![own, came],
                            _ => Vec::new(),
                        };
                        let source = gpus[gpu];
                        let work = match step {
                            0 => compute.before(source, phases.len() as u32),
                            _ => Span::ZERO,
                        };
                        let destination = gpus[(gpu + server) % gpus.len()];
                        let send = Send { source, destination, bytes: self.message, work };
                        graph.work_and_send(send, &after)
                    });
                    before = sends.collect();
                }
                let name = format!("layer {layer} {operation}");
                phases.push(Phase { name, flows: first..graph.sends() });
            }
        }
        Ok(job(&graph, None, phases))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::endpoints::triggers::groups;
    use crate::workload::{Start, TriggerKind};

    fn fsdp(steps: u32, barrier: bool) -> Traffic {
        let gpus: Vec<HostId> = (0..6).map(HostId).collect();
        let fsdp = Fsdp { layers: 2, message: Bytes(9), gpus_per_server: 2, steps, barrier };
        fsdp.generate(&gpus, &ComputeTimes::default()).unwrap()
    }

    #[test]
    fn phases_go_from_the_last_layer_to_the_first_and_each_is_a_permutation_of_servers() {
        let traffic = fsdp(1, true);
        let job = &traffic.jobs[0];
        let names: Vec<&str> = job.phases.iter().map(|phase| phase.name.as_str()).collect();
        assert_eq!(names[..2], ["layer 1 all_gather", "layer 1 reduce_scatter"]);
        assert_eq!(job.phases.last().unwrap().flows, 18..24);
        for flow in &traffic.flows {
            assert_eq!(flow.destination.0, (flow.source.0 + 2) % 6);
        }
        // Three barriers between four phases.
        assert_eq!(
            traffic.triggers.iter().map(|t| t.kind).collect::<Vec<_>>(),
            [TriggerKind::All { count: 6 }; 3]
        );
        assert_eq!(traffic.triggers[0].targets.len(), 6);
    }

    #[test]
    fn without_barriers_no_host_is_tied_to_another() {
        let traffic = fsdp(2, false);
        assert_eq!(traffic.flows.len(), 6 * 2 * 2 * 2);
        let free = traffic.flows.iter().filter(|flow| flow.start != Start::WHEN_TRIGGERED).count();
        assert_eq!(free, 6);
        assert_eq!(groups(&traffic, 6), [0, 1, 2, 3, 4, 5]);
        assert_eq!(groups(&fsdp(1, true), 6), [0; 6]);
    }
}
