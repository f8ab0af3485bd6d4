//! Plans whose hosts are GPUs of servers with crossbars.

use super::choices::Choices;
use super::{fabric, plan_on, traffic};
use raddle_schemes::units::{Bytes, Rate, Span};
use raddle_sim::plan::{PairOrder, Plan};
use raddle_sim::topology::Fabric;
use raddle_sim::topology::scale_up::ScaleUp;
use raddle_sim::workload::job_graph::style::{Algorithm, Choice, Model, Protocol, Rails, Style};

/// A plan in which some messages, or all, go by crossbars; a job every second time.
pub(crate) fn plan_with_scale_up(numbers: &[u32]) -> Plan {
    let (own, others) = numbers.split_at(numbers.len().min(70));
    let mut choices = Choices::new(own);
    let mut of_plan = Choices::new(others);
    let mut fabric = fabric::draw(&mut of_plan);
    fabric.scale_up = domain(&mut choices, &fabric);
    let mut plan = plan_on(fabric, of_plan);
    plan.transport.pair_order = choices.pick(PairOrder::ALL);
    if choices.below(2) == 1 {
        let mut with_job = plan.clone();
        let style = style(&mut choices, &plan.fabric);
        with_job.traffic = traffic::job_in(&mut choices, plan.fabric.hosts, style);
        let flows = with_job.traffic.flows.len() as u32;
        with_job.record.packets.retain(|flow| flow.0 < flows);
        with_job.record.probes.flows.retain(|flow| flow.0 < flows);
        if with_job.check_limits().is_ok() {
            plan = with_job;
        }
    }
    plan
}

/// How collectives go over these servers.
fn style(choices: &mut Choices<'_>, fabric: &Fabric) -> Style {
    let gpus = fabric.scale_up.map_or(0, |own| own.gpus);
    let model = Model { alpha: Span::us(1), rate: Rate::gbps(80) };
    let steps = vec![(Some(Bytes(1_000)), Algorithm::DoubleTree), (None, Algorithm::Ring)];
    let choices_of = [
        Choice::One(Algorithm::Ring),
        Choice::One(Algorithm::DoubleTree),
        Choice::Auto(model),
        Choice::BySize(steps),
    ];
    Style {
        gpus: choices.pick(&[gpus, gpus, 0]),
        rails: choices.pick(Rails::ALL),
        apart: choices.pick(&[false, true]),
        chunk: choices.pick(&[None, Some(Bytes(100)), Some(Bytes(1_000))]),
        choice: choices.pick(&choices_of),
        protocol: choices.pick(Protocol::ALL),
        overhead: choices.pick(&[Span::ZERO, Span::ZERO, Span::ns(100), Span(2_345_678)]),
    }
}

/// A crossbar for whole servers of this fabric; none where its hosts cannot be such.
fn domain(choices: &mut Choices<'_>, fabric: &Fabric) -> Option<ScaleUp> {
    let sizes: Vec<u32> =
        (2..=fabric.hosts).filter(|gpus| fabric.hosts.is_multiple_of(*gpus)).collect();
    Some(ScaleUp {
        gpus: choices.pick(&sizes),
        rate: Rate(choices.pick(&[3_600_000_000_000, 100_000_000_000, 7_000_000_001])),
        latency: choices.pick(&[500, 10, 100, 1_000, 5_000].map(Span::ns)),
        quantum: Bytes(choices.pick(&[4_096, 1_000, 65_536, 333])),
    })
}
