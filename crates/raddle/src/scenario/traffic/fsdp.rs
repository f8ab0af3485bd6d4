//! `kind = "fsdp"`: the backward pass of a model whose parameters are spread over the hosts.

use super::compute::compute;
use super::placement::{PlacementKeys, placement};
use super::{CLASS, HOSTS, Kind, Made, Misfit, Pattern, SEED, STRAGGLER, TrafficSection, line};
use crate::scenario::files::Files;
use crate::scenario::job::JobKeyWords;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::Log;
use crate::study::metric::BY_COMPLETION;
use raddle_schemes::units::Bytes;
use raddle_sim::topology::Fabric;
use raddle_sim::workload::collective::compute::Compute;
use raddle_sim::workload::collective::fsdp::Fsdp;
use raddle_sim::workload::collective::placement::{Order, Placement};
use raddle_sim::workload::{Traffic, WorkloadError};
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: FsdpKeys = Section::kind("fsdp", "the backward pass of fully sharded training: rings of gathers and scatters, layer by layer").with(JobKeyWords::SECTION) => {
        model: Word(&MODEL_NAMES), (required "llama_7b"),
            "`llama_7b` (32 layers, messages of 104 packets of 4096 B), `llama_70b` (80, 418) or `llama_405b` (126, 1570)";
        layers: Whole, (or "the model's") [>= 1],
            "layers to go through";
        message: Bytes, (or "the model's") [>= "1 B"],
            "size of every message";
        gpus_per_server: Whole, (= 8) [>= 1],
            "GPUs of a server";
        steps: Whole, (= 1) [>= 1],
            "steps of a ring in a phase, each a permutation of all GPUs; a whole ring of n servers has n - 1";
        barrier: Flag, (= true),
            "whether a phase waits for the delivery of all of the one before; such hosts are run by one thread. Else a GPU waits for its own messages";
        compute: Time, (= "0 ns"),
            "how long a GPU computes before each phase";
        straggler => STRAGGLER;
        hosts => HOSTS;
        ranks: Whole, (or "all of them") [>= 2],
            "how many GPUs take part";
        groups: Either(&[List(&Whole), List(&List(&Whole))]), (or "one group"),
            "instead of `ranks`: groups of GPUs, as in `collective`; whole servers each";
        placement: Word(Order::WORDS), (= "servers"),
            "`linear`; `random`, each GPU anywhere; or `servers`, neighbouring hosts as one server, servers at random";
        seed => SEED.meaning("draws the traffic alone: the same placement and stragglers whatever the run's seed; only where they are drawn");
        class => CLASS;
    }
}

const PLACEMENT: PlacementKeys = PlacementKeys {
    hosts: &KEYS.hosts,
    ranks: &KEYS.ranks,
    groups: &KEYS.groups,
    placement: &KEYS.placement,
};

pub(super) const KIND: Kind = Kind {
    section: FsdpKeys::SECTION,
    seed: Some(&KEYS.seed),
    class: &KEYS.class,
    asked_by: BY_COMPLETION,
    read,
};

/// Models by name, with their layers and the packets of 4096 B that a GPU sends in a phase: the
/// study of load balancing for AI training, Figure 14.
const MODELS: [(&str, u32, u64); 3] =
    [("llama_7b", 32, 104), ("llama_70b", 80, 418), ("llama_405b", 126, 1570)];

/// Their names.
const MODEL_NAMES: [&str; MODELS.len()] = [MODELS[0].0, MODELS[1].0, MODELS[2].0];

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
    let model = reader.choice(&KEYS.model);
    // All keys are read, so that each mistake is found whatever the others are.
    let known = MODELS.into_iter().find(|(name, ..)| Some(*name) == model);
    let (_, layers, packets) = known.unwrap_or(MODELS[0]);
    let layers = reader.at_least_or(&KEYS.layers, Some(layers));
    let message = reader.at_least_or(&KEYS.message, Some(Bytes(packets * 4096)));
    let gpus_per_server = reader.at_least(&KEYS.gpus_per_server);
    let steps = reader.at_least(&KEYS.steps);
    let barrier = reader.or(&KEYS.barrier);
    let placement = placement(reader, &PLACEMENT, gpus_per_server.unwrap_or(1));
    let compute = compute(reader, [&KEYS.compute, &KEYS.straggler]);
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
