//! `kind = "training"`: a training step, made from a model and its parallelism.

use super::placement::{range, range_line};
use super::style::{
    self, ALGORITHM, ALPHA, BY_SIZE, CHANNELS, CHUNK, PROTOCOL, PXN_JOIN, RAILS, STEP_OVERHEAD,
    Said, StyleKeys, style_keys,
};
use super::{CLASS, HOSTS, Kind, Made, Misfit, Pattern, SEED, TrafficSection, line};
use crate::scenario::files::Files;
use crate::scenario::job::JobKeyWords;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::Log;
use crate::study::metric::BY_COMPLETION;
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::topology::Fabric;
use raddle_sim::workload::collective::placement::{Order, Placement};
use raddle_sim::workload::job_graph::JobGraph;
use raddle_sim::workload::training::{Schedule, Training};
use raddle_sim::workload::{Traffic, WorkloadError};
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: TrainingKeys = Section::kind("training", "a training step, made from a model and its parallelism: see [training](training.md)").with(JobKeyWords::SECTION) => {
        layers: Whole, (required 8) [>= 1],
            "layers of the model; a multiple of `pipeline`, and of `pipeline` times `chunks` where stages are interleaved";
        forward: Time, (required "100 us"),
            "how long a layer computes forward, for one micro-batch";
        backward: Time, (or "twice `forward`"),
            "how long a layer computes backward, for one micro-batch: the gradient of its input, and of its weights unless `weight_gradient` is given";
        weight_gradient: Time, (= "0 ns"),
            "how long the gradient of a layer's weights takes, if it is apart from `backward`: the stage before does not wait for it";
        tensor: Whole, (= 1) [>= 1],
            "ranks that share the tensors of a layer: neighbours";
        pipeline: Whole, (= 1) [>= 1],
            "stages of the pipeline";
        data: Whole, (= 1) [>= 1],
            "ranks over which the data are split; there are `tensor` times `data` times `pipeline` ranks";
        expert: Whole, (= 1) [>= 1],
            "of these, ranks that share the experts of a layer: a divisor of `data`";
        micro_batches: Whole, (= 1) [>= 1],
            "micro-batches of a step; a multiple of `pipeline` where stages are interleaved";
        schedule: Word(Schedule::WORDS), (= "1f1b"),
            "the order of a stage's passes: one forward and one backward in turn (`1f1b`), all forward and then all backward (`gpipe`), or as `1f1b` with several parts of the model at each stage (`interleaved`)";
        chunks: Whole, (or "2 with `schedule = \"interleaved\"`, else 1") [>= 1],
            "with `interleaved`: parts of the model at each stage";
        activation: Bytes, (or "none: needed with several stages"),
            "what a rank sends to the next stage for each micro-batch, and back";
        tensor_bytes: Bytes, (or "none"),
            "the all-reduce over `tensor` ranks of each layer and pass";
        expert_bytes: Bytes, (or "none"),
            "each of the two all-to-alls over `expert` ranks of each layer and pass: before it computes and after";
        gradient: Bytes, (or "none"),
            "the gradient of a layer, all-reduced over `data` ranks when its last micro-batch is done, beside the computation";
        expert_gradient: Bytes, (or "none"),
            "the gradient of a layer's experts, all-reduced over the `data` ranks that have the same experts";
        parameters: Bytes, (or "none"),
            "the parameters of a layer, if they are spread over `data` ranks (FSDP): gathered for each pass; the gradient is reduce-scattered";
        prefetch: Whole, (= 1),
            "with `parameters`: how many layers ahead of the computation they are gathered";
        steps: Whole, (= 1) [>= 1],
            "steps; a rank begins one when its gradients of the last are reduced";
        channels => CHANNELS;
        algorithm => ALGORITHM;
        by_size => BY_SIZE;
        alpha => ALPHA;
        rails => RAILS;
        pxn_join => PXN_JOIN;
        chunk => CHUNK;
        protocol => PROTOCOL;
        step_overhead => STEP_OVERHEAD;
        hosts => HOSTS;
        placement: Word(&["linear", "random"]), (= "linear"),
            "which host is which rank: `linear`, by number, or `random`";
        seed => SEED.meaning("draws the traffic alone: the same placement whatever the run's seed; only where it is random");
        class => CLASS;
    }
}

const STYLE: StyleKeys = style_keys!(KEYS);

pub(super) const KIND: Kind = Kind {
    section: TrainingKeys::SECTION,
    seed: Some(&KEYS.seed),
    class: &KEYS.class,
    asked_by: BY_COMPLETION,
    read,
};

/// A step and where its ranks are.
#[derive(Debug)]
struct Placed {
    step: Training,
    style: Said,
    hosts: Option<(u32, u32)>,
    order: Order,
}

fn read(reader: &mut Reader<'_>, _: &Files, _: u8) -> Option<Made> {
    // All keys are read, so that each mistake is found whatever the others are.
    let [layers, tensor, pipeline, data, expert, micro_batches, steps] = [
        &KEYS.layers,
        &KEYS.tensor,
        &KEYS.pipeline,
        &KEYS.data,
        &KEYS.expert,
        &KEYS.micro_batches,
        &KEYS.steps,
    ]
    .map(|key| reader.at_least::<u32>(key));
    let schedule = reader.word(&KEYS.schedule);
    let schedule = Schedule::ALL.iter().copied().find(|known| known.word() == schedule);
    let chunks = if schedule == Some(Schedule::Interleaved) {
        reader.at_least_or(&KEYS.chunks, Some(2))
    } else {
        let with = format!("`schedule = \"{}\"`", Schedule::Interleaved.word());
        reader.misplaced(&KEYS.chunks, "with this schedule", &with);
        Some(1)
    };
    let forward: Option<Span> = reader.need(&KEYS.forward);
    let backward: Option<Span> = reader.get(&KEYS.backward);
    let weight_gradient = reader.or(&KEYS.weight_gradient);
    let [activation, tensor_bytes, expert_bytes, gradient, expert_gradient, parameters] = [
        &KEYS.activation,
        &KEYS.tensor_bytes,
        &KEYS.expert_bytes,
        &KEYS.gradient,
        &KEYS.expert_gradient,
        &KEYS.parameters,
    ]
    .map(|key| reader.get::<Bytes>(key).unwrap_or_default());
    if parameters == Bytes(0) {
        reader.misplaced(&KEYS.prefetch, "without `parameters`", "`parameters`");
    }
    let prefetch = if parameters == Bytes(0) { 1 } else { reader.or(&KEYS.prefetch) };
    let style = style::of_job(reader, &STYLE);
    let hosts = range(reader, &KEYS.hosts);
    let order = reader.word(&KEYS.placement);
    let forward = forward?;
    let step = Training {
        tensor: tensor?,
        pipeline: pipeline?,
        data: data?,
        expert: expert?,
        layers: layers?,
        forward,
        backward: backward.unwrap_or(Span(forward.0.saturating_mul(2))),
        weight_gradient,
        micro_batches: micro_batches?,
        schedule: schedule?,
        chunks: chunks?,
        activation,
        tensor_bytes,
        expert_bytes,
        gradient,
        expert_gradient,
        parameters,
        prefetch,
        steps: steps?,
    };
    let hosts = hosts.ok()?;
    let (style, of_style) = style?;
    let mut lines = lines_of(&step);
    lines.extend(of_style);
    lines.extend(hosts.map(|hosts| range_line("hosts", hosts)));
    lines.push(format!("placement = \"{order}\""));
    let order = [Order::Linear, Order::Random].into_iter().find(|known| known.word() == order)?;
    let title = format!("training of {} layers on {} ranks", step.layers, step.ranks());
    Some(Made {
        pattern: Arc::new(Placed { step, style, hosts, order }),
        lines,
        title,
        files: Vec::new(),
    })
}

/// The keys of the step with every default filled in.
fn lines_of(step: &Training) -> Vec<String> {
    let mut lines = vec![
        line("layers", &step.layers),
        line("forward", &step.forward),
        line("backward", &step.backward),
        line("weight_gradient", &step.weight_gradient),
        line("tensor", &step.tensor),
        line("pipeline", &step.pipeline),
        line("data", &step.data),
        line("expert", &step.expert),
        line("micro_batches", &step.micro_batches),
        line("schedule", &step.schedule),
    ];
    if step.schedule == Schedule::Interleaved {
        lines.push(line("chunks", &step.chunks));
    }
    let sizes = [
        ("activation", step.activation),
        ("tensor_bytes", step.tensor_bytes),
        ("expert_bytes", step.expert_bytes),
        ("gradient", step.gradient),
        ("expert_gradient", step.expert_gradient),
        ("parameters", step.parameters),
    ];
    let sizes = sizes.into_iter().filter(|(_, bytes)| *bytes > Bytes(0));
    lines.extend(sizes.map(|(key, bytes)| line(key, &bytes)));
    if step.parameters > Bytes(0) {
        lines.push(line("prefetch", &step.prefetch));
    }
    lines.push(line("steps", &step.steps));
    lines
}

impl Placed {
    /// The host of each rank.
    fn ranks(&self, hosts: u32, seed: u64) -> Result<Vec<HostId>, WorkloadError> {
        let count = u32::try_from(self.step.ranks()).unwrap_or(u32::MAX);
        let (hosts_of, order) = (self.hosts, self.order);
        let placement =
            Placement { hosts: hosts_of, ranks: Some(count), order, server: 1, groups: None };
        placement.ranks(hosts, seed).map_err(|error| {
            if error.quantity != "ranks" {
                return error;
            }
            // The ranks are a product: the last of its numbers that adds any.
            let step = &self.step;
            let sizes = [("pipeline", step.pipeline), ("tensor", step.tensor)];
            let more = sizes.into_iter().find(|(_, size)| *size > 1);
            let (key, size) = more.filter(|_| step.data == 1).unwrap_or(("data", step.data));
            let fits =
                format!("ranks {}; `tensor` x `data` x `pipeline` is {}", error.fits, step.ranks());
            WorkloadError { quantity: key, found: size.to_string(), fits, ..error }
        })
    }
}

impl Pattern for Placed {
    fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, Misfit> {
        let hosts = self.ranks(fabric.hosts, seed)?;
        let (channels, style) = self.style.on(fabric);
        let job = JobGraph { channels, style, ..self.step.job()? };
        let traffic = job.traffic(&hosts);
        traffic.map_err(|errors| {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            Misfit::File(errors.join("; "))
        })
    }

    fn flows(&self, fabric: &Fabric) -> u64 {
        self.style.flows(self.step.flows(), fabric)
    }

    fn largest(&self) -> Bytes {
        self.step.largest()
    }

    fn message_key(&self) -> &'static str {
        let step = &self.step;
        let sizes = [
            ("gradient", step.gradient, step.data),
            ("parameters", step.parameters, step.data),
            ("tensor_bytes", step.tensor_bytes, step.tensor),
            ("expert_bytes", step.expert_bytes, step.expert),
            ("activation", step.activation, 1),
        ];
        let part = |(_, bytes, ranks): &(_, Bytes, u32)| bytes.0 / u64::from((*ranks).max(1));
        sizes.into_iter().max_by_key(part).map_or("activation", |(key, ..)| key)
    }

    fn nothing_drawn(&self) -> Option<&'static str> {
        (self.order == Order::Linear).then_some("placement = \"linear\"")
    }

    fn check(&self, section: &TrafficSection, fabric: &Fabric, log: &Log) {
        let placed = self.ranks(fabric.hosts, 0).map(|_| ());
        for error in [placed, self.step.check()].into_iter().filter_map(Result::err) {
            log.add(section.problem(&error.into()));
        }
        self.style.check(section, fabric, log);
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::{Study, parse};
    use raddle_sim::engine;
    use raddle_sim::record::Stop;
    use std::path::Path;

    fn study(step: &str) -> Result<Study, String> {
        let text = format!(
            "[fabric]\ntopology = {{ kind = \"fat_tree\", hosts = 16 }}\n[traffic]\nkind = \"training\"\n{step}"
        );
        let problems = |problems: crate::problem::Problems| problems.render(false);
        parse("t.toml", &text, Path::new("."), &[]).map_err(problems)
    }

    const STEP: &str = "layers = 4\nforward = \"1 us\"\npipeline = 2\nactivation = \"10 kB\"\n\
        micro_batches = 4\n";

    #[test]
    fn a_step_runs_and_its_scenario_is_read_again() {
        let more = "tensor = 2\ndata = 4\nexpert = 2\nschedule = \"interleaved\"\nsteps = 2\n\
            tensor_bytes = \"8 kB\"\nexpert_bytes = \"4 kB\"\ngradient = \"64 kB\"\n\
            expert_gradient = \"32 kB\"\nparameters = \"16 kB\"\nplacement = \"random\"\nseed = 4\n";
        let study = study(&format!("{STEP}{more}")).unwrap();
        let scenario = &study.cells[0].scenario;
        let again = parse("again.toml", scenario.resolved_toml(), Path::new("."), &[]).unwrap();
        assert_eq!(again.cells[0].scenario.hash(), scenario.hash());
        let plan = scenario.resolve(1).unwrap();
        assert_eq!(plan.traffic.flows.len() as u64, scenario.flows());
        assert_eq!(engine::run(&plan, &mut ()).stop, Stop::Completed);
    }

    #[test]
    fn what_does_not_fit_is_shown_at_its_key() {
        let refused = |step: &str| study(step).unwrap_err();
        for (more, expected) in [
            ("data = 16\n", "`data` is 16"),
            ("expert = 3\ndata = 4\n", "`expert` is 3"),
            ("hosts = \"3..3\"\n", "`pipeline` is 2"),
            ("hosts = \"3..30\"\n", "`hosts` is 3..30"),
            ("schedule = \"gpip\"\n", "nearest: `gpipe`"),
            ("chunks = 2\n", "it goes with `schedule = \"interleaved\"`"),
            ("schedule = \"interleaved\"\nchunks = 3\n", "`layers` is 4"),
            ("prefetch = 2\n", "it goes with `parameters`"),
            ("tensor = 0\n", "`tensor` is too small"),
            ("seed = 1\n", "`seed` has no effect with `placement = \"linear\"`"),
        ] {
            let problems = refused(&format!("{STEP}{more}"));
            assert!(problems.contains(expected), "{more}: {problems}");
        }
        for (was, is, expected) in [
            ("layers = 4\n", "layers = 3\n", "expected a multiple of `pipeline`, 2"),
            ("\"10 kB\"", "\"0 B\"", "`activation` is 0 B"),
            ("forward = \"1 us\"\n", "", "forward"),
            ("pipeline = 2\n", "", "`data` is 1"),
        ] {
            let problems = refused(&STEP.replace(was, is));
            assert!(problems.contains(expected), "{is}: {problems}");
        }
    }
}
