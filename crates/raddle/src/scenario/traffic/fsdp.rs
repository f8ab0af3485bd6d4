//! `kind = "fsdp"`: the backward pass of a model whose parameters are spread over the hosts.

use super::compute::compute;
use super::placement::placement;
use super::{Kind, Made, Misfit, Pattern, TrafficSection, line};
use crate::scenario::files::Files;
use crate::scenario::reader::{Log, Reader};
use crate::study::metric::BY_COMPLETION;
use raddle_schemes::units::Bytes;
use raddle_sim::topology::Fabric;
use raddle_sim::workload::collective::compute::Compute;
use raddle_sim::workload::collective::fsdp::Fsdp;
use raddle_sim::workload::collective::placement::{Order, Placement};
use raddle_sim::workload::{Traffic, WorkloadError};
use std::sync::Arc;

pub(super) const KIND: Kind = Kind {
    word: "fsdp",
    summary: "the backward pass of fully sharded training: rings of gathers and scatters, layer by layer",
    draws: true,
    asked_by: BY_COMPLETION,
    read,
};

/// Models by name, with their layers and the packets of 4096 B that a GPU sends in a phase: the
/// study of load balancing for AI training, Figure 14.
const MODELS: [(&str, u32, u64); 3] =
    [("llama_7b", 32, 104), ("llama_70b", 80, 418), ("llama_405b", 126, 1570)];

/// A pass and who takes part.
#[derive(Debug)]
struct Pass {
    fsdp: Fsdp,
    compute: Compute,
    placement: Placement,
}

impl Pass {
    /// Of each group the same pass, among its own GPUs.
    fn of_groups(&self, fsdp: &Fsdp, hosts: u32, seed: u64) -> Result<Traffic, WorkloadError> {
        let groups = self.placement.groups(hosts, seed)?;
        let times = self.compute.draw(&groups.concat(), seed);
        let mut traffic = Traffic::default();
        for group in &groups {
            traffic.append(fsdp.generate(group, &times)?);
        }
        Ok(traffic)
    }
}

impl Pattern for Pass {
    fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, Misfit> {
        Ok(self.of_groups(&self.fsdp, fabric.hosts, seed)?)
    }

    fn flows(&self, fabric: &Fabric) -> u64 {
        let rounds = 2 * u64::from(self.fsdp.layers) * u64::from(self.fsdp.steps);
        let ranks = self.placement.counts(fabric.hosts).into_iter().map(u64::from);
        rounds.saturating_mul(ranks.sum())
    }

    fn largest(&self) -> Bytes {
        self.fsdp.message
    }

    fn nothing_drawn(&self) -> Option<&'static str> {
        let draws = self.placement.order != Order::Linear || self.compute.draws();
        (!draws).then_some("placement = \"linear\"")
    }

    fn check(&self, section: &TrafficSection, fabric: &Fabric, log: &Log) {
        // The shortest pass has all that can be wrong with a long one, but for its length.
        let short = Fsdp { layers: 1, steps: 1, ..self.fsdp.clone() };
        if let Err(error) = self.of_groups(&short, fabric.hosts, 0) {
            log.add(section.problem(&error.into()));
        }
    }
}

fn read(reader: &mut Reader<'_>, _: &Files, _: u8) -> Option<Made> {
    let names = MODELS.map(|(name, ..)| name);
    let model = reader.choice("model", &names);
    // All keys are read, so that each mistake is found whatever the others are.
    let known = MODELS.into_iter().find(|(name, ..)| Some(*name) == model);
    let (_, layers, packets) = known.unwrap_or(MODELS[0]);
    let layers = reader.at_least("layers", 1, Some(layers));
    let message = reader.at_least("message", Bytes(1), Some(Bytes(packets * 4096)));
    let gpus_per_server = reader.at_least("gpus_per_server", 1, Some(8));
    let steps = reader.at_least("steps", 1, Some(1));
    let barrier = reader.or("barrier", true);
    let words = ["linear", "random", "servers"];
    let placement = placement(reader, &words, "servers", gpus_per_server.unwrap_or(1));
    let compute = compute(reader);
    let ((compute, times), model, layers, message) = (compute?, model?, layers?, message?);
    let (gpus_per_server, steps, (placement, places)) = (gpus_per_server?, steps?, placement?);
    let fsdp = Fsdp { layers, message, gpus_per_server, steps, barrier };
    let lines = [
        format!("model = \"{model}\""),
        line("layers", &layers),
        line("message", &message),
        line("gpus_per_server", &gpus_per_server),
        line("steps", &steps),
        line("barrier", &barrier),
    ];
    let lines = lines.into_iter().chain(times).chain(places).collect();
    let title = format!("FSDP backward pass of {model}, {layers} layers");
    let pattern = Arc::new(Pass { fsdp, compute, placement });
    Some(Made { pattern, lines, title, files: Vec::new() })
}
