//! Small random plans, each a function of a list of numbers.
//!
//! Every decision takes the next number of the list, modulo its number of options; where the list
//! has ended, the first option. The first option is the plainest one, so that lists shrink to
//! plain plans. The same list always gives the same plan.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

mod choices;
mod circuits;
mod credits;
mod drawn;
mod fabric;
mod faults;
mod hosts;
mod hybrid;
mod middleware;
mod queues;
mod scale_up;
mod traffic;

use choices::Choices;
pub(super) use credits::plan_with_credits;
use drawn::{open_what_is_too_short, without_pauses};
pub(super) use drawn::{
    plan_with_gates, plan_with_hybrid, plan_with_lossless, plan_with_middleware, plan_with_retry,
    plan_with_slices, plan_with_sonic, plan_with_sums,
};
use middleware::middleware;
use queues::{buffer, class_table, marking, queue};
use raddle_schemes::Need;
use raddle_schemes::ids::{FlowId, HostId, PortId};
use raddle_schemes::load_balance::switch::{
    self, adaptive_roce::Mode, letflow::Detection, ofan::Variant, simple_rr::Start,
};
use raddle_schemes::load_balance::{host, plane};
use raddle_schemes::planner::{self, ethereal::Profile};
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::faults::spec::FaultPlan;
use raddle_sim::limits::LimitError;
use raddle_sim::plan::{
    Detect, FRAMES_LIMIT, Flush, HostQueue, Llr, MarkAt, Overflow, Pfc, Plan, QueuePlan, Service,
    Tax, Turns, WITHOUT_END,
};
use raddle_sim::record::RecordPlan;
use raddle_sim::record::probes::ProbePlan;
use raddle_sim::topology::Fabric;
pub(super) use scale_up::plan_with_scale_up;
use std::num::NonZeroU32;

/// The plan that `numbers` stand for.
pub(super) fn plan(numbers: &[u32]) -> Plan {
    let mut choices = Choices::new(numbers);
    let fabric = fabric::draw(&mut choices);
    plan_on(fabric, choices)
}

/// A plan whose hosts have several ports and name the plane of each packet, where it can have them.
pub(super) fn plan_with_named_planes(numbers: &[u32]) -> Plan {
    let (first, second) = numbers.split_at(numbers.len() / 3);
    let mut plan = plan(second);
    in_planes(&mut Choices::new(first), &mut plan, true);
    plan
}

/// A plan whose traffic is a job of ranks that compute, send and take part in collectives.
pub(super) fn plan_with_job(numbers: &[u32]) -> Plan {
    let (first, second) = numbers.split_at(numbers.len() / 2);
    let plan = plan(second);
    let mut with_job = plan.clone();
    with_job.traffic = traffic::job(&mut Choices::new(first), plan.fabric.hosts);
    let flows = with_job.traffic.flows.len() as u32;
    with_job.record.packets.retain(|flow| flow.0 < flows);
    with_job.record.probes.flows.retain(|flow| flow.0 < flows);
    if with_job.check_limits().is_ok() { with_job } else { plan }
}

/// A plan on this fabric.
fn plan_on(mut fabric: Fabric, mut choices: Choices<'_>) -> Plan {
    let (mut queue, classed) = queue(&mut choices);
    let buffer = buffer(&mut choices, queue.classes);
    if buffer.as_ref().is_some_and(|buffer| buffer.policy.decides_pauses()) {
        let quanta = choices.pick(&[Span::us(5), Span::us(1), Span::ns(200)]);
        queue.pfc = Some(Pfc::of_memory(quanta));
    }
    let mut selector = selector(&mut choices);
    let mut transport = hosts::draw(&mut choices);
    // Routes that no switch follows are legal, too.
    let names_routes = |own: &host::Config| own.card().needs.contains(&Need::SourceRouting);
    let other = &transport.other_load_balances;
    let asked = [&transport.load_balance].into_iter().chain(other).any(names_routes);
    if asked && choices.below(4) > 0 {
        selector = switch::Config::named("source_route").unwrap();
    }
    let seed = u64::from(choices.below(1 << 16));
    let mut traffic = traffic::draw(&mut choices, &fabric, seed);
    if classed {
        for flow in &mut traffic.flows {
            flow.class = choices.below(queue.classes.into()) as u8;
        }
    }
    if !transport.other_load_balances.is_empty() {
        for flow in &mut traffic.flows {
            flow.load_balance = choices.below(2) as u8;
        }
    }
    // None, those with the other path selector, some of any.
    match choices.below(4) {
        1 => traffic.flows.iter_mut().for_each(|flow| flow.hashed = flow.load_balance > 0),
        2 => traffic.flows.iter_mut().for_each(|flow| flow.hashed = choices.below(2) == 1),
        _ => {}
    }
    let record = record(&mut choices, fabric.ports.len());
    // In ps; most runs with an end complete before it, and none takes long.
    let ends = [500_000_000, 30_000_000, 10_000_000, 7_654_321, 1].map(|end| Some(Time(end)));
    let end = match choices.below(5) {
        4 => None,
        _ => choices.pick(&ends),
    };
    let patience = choices.pick(&[Span::ms(1), Span::us(100), Span::us(20), Span(3_333_333)]);
    let resolved = faults::draw(&mut choices, &fabric, seed);
    fabric.host_latency = choices.pick(&[0, 0, 100_000, 1_000_007, 5_000_000].map(Span));
    let tor = middleware(&mut choices);
    transport.turns = choices.pick(Turns::ALL);
    let planner = planner(&mut choices);
    if planner.is_some() {
        transport.load_balance = host::Config::named("planned").unwrap();
        // Packets on planned paths take some path wherever switches do not follow them.
        if choices.below(4) < 3 {
            selector = switch::Config::named("source_route").unwrap();
        }
    }
    transport.other_transports = hosts::other_transports(&mut choices);
    if !transport.other_transports.is_empty() {
        let count = transport.other_transports.len() as u32;
        for flow in &mut traffic.flows {
            flow.transport = choices.below(count + 1) as u8;
        }
    }
    class_table(&mut choices, &mut queue);
    let tor = tor.filter(|_| !selector.looks_before());
    let mut plan = Plan {
        fabric,
        routes: resolved.routes,
        known_routes: resolved.known_routes,
        queue,
        llr: None,
        buffer,
        switch_load_balance: selector,
        tor,
        faults: resolved.faults,
        transport,
        traffic,
        record,
        seed,
        end,
        patience,
    };
    if planner.is_none() && choices.below(3) == 1 {
        in_planes(&mut choices, &mut plan, false);
    }
    if choices.below(3) == 1 {
        let every = choices.pick(&[Span::ZERO, Span::us(1), Span(3_333_333)]);
        let words = plan.probes().concat().into_iter().map(str::to_owned).collect();
        let flows = (0..plan.traffic.flows.len() as u32).step_by(2).map(FlowId).collect();
        plan.record.probes = ProbePlan { words, flows, every };
    }
    if choices.below(3) == 1 {
        let step = choices.pick(&[1, 2]);
        let flows = (0..plan.traffic.flows.len() as u32).step_by(step);
        plan.record.packets = flows.map(FlowId).collect();
    }
    if choices.below(4) == 1 {
        for flow in &mut plan.traffic.flows {
            flow.qps = choices.pick(&[1, 2, 3, 8]);
        }
    }
    let mut plan = with_paths(plan, planner.as_ref());
    if plan.fabric.circuits.is_some() {
        without_pauses(&mut plan);
        open_what_is_too_short(&mut plan);
    }
    without_misplaced_detours(&mut plan);
    let mut plan = with_host_queue(&mut choices, plan);
    if choices.below(4) == 1 {
        with_retry(&mut choices, &mut plan);
    }
    plan
}

/// Gives links retry, where they can have it.
fn with_retry(choices: &mut Choices<'_>, plan: &mut Plan) {
    let largest = plan.packet().max(plan.transport.ack).0;
    let windows = [None, Some(1), Some(3), Some(14)];
    plan.llr = Some(Llr {
        frames_max: choices.pick(&[FRAMES_LIMIT, 1, 3, 20]),
        bytes_max: choices.pick(&windows).map(|frames| Bytes(frames * largest)),
        timer: choices.pick(&[
            Span::us(5),
            Span::us(2),
            Span::ns(700),
            Span(123_457),
            Span::us(50),
        ]),
        replays_max: choices.pick(&[3, 1, WITHOUT_END, 2]),
        spacing: Bytes(choices.pick(&[2048, 400, 16_384, 1])),
        down_timeout: choices.pick(&[Span::us(50), Span::ZERO, Span::ns(300), Span(333_333)]),
        flush: choices.pick(Flush::ALL),
        reinit: choices.pick(&[true, true, false]),
        detect: choices.pick(Detect::ALL),
        renack: choices.pick(&[true, false]),
        tax: choices.pick(&[Tax::None, Tax::None, Tax::Constant]),
    });
    if plan.check_limits().is_err() {
        plan.llr = None;
    }
}

/// Packets go straight where something else chooses among their ways, or learns of them.
fn without_misplaced_detours(plan: &mut Plan) {
    if let Err(LimitError::Detours { .. }) = plan.check_limits() {
        plan.switch_load_balance = switch::Config::named("rsq").unwrap();
    }
}

/// The plan with a queue of each host, where it can have one.
fn with_host_queue(choices: &mut Choices<'_>, plan: Plan) -> Plan {
    if choices.below(4) != 1 {
        return plan;
    }
    let packets = choices.pick(&[1, 2, 5, 1_000]);
    let size = Bytes(packets * plan.packet().0 + choices.pick(&[0, 0, 77]));
    let mut queued = plan.clone();
    queued.transport.host_queue = Some(HostQueue { size, acks: choices.pick(&[true, false]) });
    queued.transport.turns = Turns::RoundRobin;
    if queued.check_limits().is_ok() { queued } else { plan }
}

/// Where every class may be paused now, no flow would put its packets into a queue of its host.
fn without_idle_host_queue(plan: &mut Plan) {
    if let Err(LimitError::HostQueue { .. }) = plan.check_limits() {
        plan.transport.host_queue = None;
    }
}

/// Gives hosts several ports, where the plan can have them; if `named`, with a path selector that names
/// the plane of each packet.
fn in_planes(choices: &mut Choices<'_>, plan: &mut Plan, named: bool) {
    let ports = choices.pick(&[2, 3, 8]);
    let one = plan.fabric.clone();
    let flows = &plan.traffic.flows;
    let hosts = one.hosts / ports;
    // At several ToRs of a tree, if its flows stay flows between hosts.
    let stays = |host: HostId| host.0 < hosts;
    let shares = choices.below(3) == 1
        && flows.iter().all(|flow| stays(flow.source) && stays(flow.destination));
    let made = if shares { one.with_ports_per_host(ports) } else { one.in_planes(ports) };
    let Ok(fabric) = made else { return };
    let mut several = plan.clone();
    several.fabric = fabric;
    several.tor = None;
    let transport = &mut several.transport;
    let names: Vec<_> = plane::SCHEMES.iter().map(|scheme| scheme.card.name).collect();
    transport.plane = plane::Config::named(choices.pick(&names)).unwrap();
    transport.plane_repair = choices.pick(&[Span::ZERO, Span::ns(100), Span::us(1), Span(333_333)]);
    let names_routes = |own: &host::Config| own.card().needs.contains(&Need::SourceRouting);
    transport.other_load_balances.retain(|own| !names_routes(own));
    if transport.other_load_balances.is_empty() {
        several.traffic.flows.iter_mut().for_each(|flow| flow.load_balance = 0);
    }
    if names_routes(&transport.load_balance) {
        transport.load_balance = host::Config::named("ops").unwrap();
    }
    // Path selectors that name planes are what this is for.
    if named || choices.below(4) == 1 {
        several.transport.load_balance = hosts::naming_planes(choices);
        let follow = switch::Config::named("source_route").unwrap();
        several.switch_load_balance = choices.pick(&[several.switch_load_balance.clone(), follow]);
    }
    let resolved = faults::draw(choices, &several.fabric, plan.seed);
    several.routes = resolved.routes;
    several.known_routes = Vec::new();
    several.faults = resolved.faults;
    several.record = record(choices, several.fabric.ports.len());
    if several.check_limits().is_ok() {
        *plan = several;
    }
}

fn planner(choices: &mut Choices<'_>) -> Option<planner::Config> {
    let listed = planner::SCHEMES.iter().map(|scheme| planner::Config::named(scheme.card.name));
    let planners: Vec<_> = std::iter::repeat_n(None, 3).chain(listed).collect();
    let mut planner = choices.pick(&planners);
    if let Some(planner::Config::Ethereal(ethereal)) = &mut planner {
        ethereal.profile = choices.pick(&[Profile::Thesis, Profile::Artifact]);
        ethereal.split = choices.pick(&[None, Some(true), Some(false)]);
    }
    planner
}

/// The plan in pieces, where there is a planner. More pieces than a host may have flows are too many.
fn with_paths(plan: Plan, planner: Option<&planner::Config>) -> Plan {
    let mut planned = plan.clone();
    planned.cut_messages(planner).unwrap();
    if planned.check_limits().is_ok() { planned } else { plan }
}

/// A plan that `numbers` stand for in which many packets arrive at each switch in a window, nothing
/// changes, nobody watches, and ports have one class of data: what the engine runs fastest.
pub(super) fn busy_plan(numbers: &[u32]) -> Plan {
    let mut choices = Choices::new(numbers);
    let fabric = fabric::draw_busy(&mut choices);
    let service = choices.pick(&[Service::Priority, Service::Priority, Service::Fifo]);
    let drop = service == Service::Fifo;
    let sizes = [100.0, 30.0, 12.0, 7.0].map(Size::Packets);
    let queue = QueuePlan {
        size: choices.pick(&sizes),
        control_size: Size::Unlimited,
        service,
        classes: 1,
        shares: Vec::new(),
        control_weight: None,
        marking: marking(&mut choices),
        class_markings: Vec::new(),
        last_hop_marking: None,
        acks: Vec::new(),
        mark_at: choices.pick(&[MarkAt::Dequeue, MarkAt::Dequeue, MarkAt::Enqueue]),
        overflow: if drop {
            Overflow::Drop
        } else {
            choices.pick(&[Overflow::Drop, Overflow::Trim])
        },
        gap: choices.pick(&[Bytes(0), Bytes(20), Bytes(1)]),
        pfc: None,
        cbfc: None,
    };
    let mut transport = hosts::draw_busy(&mut choices);
    let mut switch_load_balance = match choices.below(4) {
        0 => selector(&mut choices),
        1 => switch::Config::named("rsq").unwrap(),
        _ => switch::Config::named("ecmp").unwrap(),
    };
    let seed = u64::from(choices.below(1 << 16));
    let mut traffic = traffic::draw_busy(&mut choices, fabric.hosts, seed);
    transport.turns = choices.pick(Turns::ALL);
    let planner = planner(&mut choices);
    if planner.is_some() {
        transport.load_balance = host::Config::named("planned").unwrap();
        switch_load_balance = switch::Config::named("source_route").unwrap();
    }
    transport.other_transports = hosts::other_transports(&mut choices);
    if !transport.other_transports.is_empty() {
        traffic.flows.iter_mut().step_by(2).for_each(|flow| flow.transport = 1);
    }
    let mut queue = queue;
    if choices.below(3) == 1 {
        class_table(&mut choices, &mut queue);
    }
    let healthy = FaultPlan::default().resolve(&fabric, &[], seed).unwrap();
    let plan = Plan {
        fabric,
        routes: healthy.routes,
        known_routes: Vec::new(),
        queue,
        llr: None,
        buffer: None,
        switch_load_balance,
        tor: None,
        faults: healthy.faults,
        transport,
        traffic,
        record: RecordPlan::default(),
        seed,
        end: Some(Time(choices.pick(&[500_000_000, 30_000_000, 12_345_678]))),
        patience: Span::ms(1),
    };
    let mut plan = with_paths(plan, planner.as_ref());
    without_misplaced_detours(&mut plan);
    with_host_queue(&mut choices, plan)
}

fn selector(choices: &mut Choices<'_>) -> switch::Config {
    let names: Vec<_> = switch::SCHEMES.iter().map(|scheme| scheme.card.name).collect();
    let mut config = switch::Config::named(choices.pick(&names)).unwrap();
    match &mut config {
        switch::Config::SimpleRr(simple) => {
            simple.start = choices.pick(&[Start::First, Start::Random])
        }
        switch::Config::AdaptiveRoce(adaptive) => {
            adaptive.mode = choices.pick(&[Mode::Paper, Mode::Artifact]);
        }
        switch::Config::RoundRobin(round_robin) => round_robin.rounds = choices.pick(&[5, 1]),
        switch::Config::QuantizedAdaptive(adaptive) => {
            adaptive.hash_below = choices.pick(&[Bytes(0), Bytes(100)]);
        }
        switch::Config::Ofan(ofan) => {
            let variants = [Variant::Standard, Variant::ShortestFirst, Variant::Unweighted];
            ofan.variant = choices.pick(&variants);
            ofan.shared = choices.pick(&[false, true]);
        }
        switch::Config::LetFlow(letflow) => {
            letflow.timeout =
                choices.pick(&[Span::us(2), Span::ns(100), Span::ZERO, Span::us(500)]);
            letflow.detection = choices.pick(&[Detection::Exact, Detection::AgeBit]);
            letflow.entries = choices.pick(&[65_536, 1, 3]);
        }
        switch::Config::Drill(drill) => {
            drill.samples = choices.pick(&[2, 1, 9]);
            drill.memory = choices.pick(&[1, 0, 2]);
        }
        _ => {}
    }
    config
}

fn record(choices: &mut Choices<'_>, ports: usize) -> RecordPlan {
    let bucket = choices.pick(&[Span::us(1), Span::ZERO, Span(777_777)]);
    let every = choices.pick(&[1, 3]);
    let queue_means = choices.pick(&[true, false]);
    let training = choices.pick(&[true, false]);
    let ports = (0..ports as u32).step_by(every).map(PortId).collect();
    // Few enough that pairs are joined.
    let most_buckets = choices.pick(&[None, NonZeroU32::new(1), NonZeroU32::new(7)]);
    let routes = choices.pick(&[true, false]);
    let most_buckets = most_buckets.filter(|_| bucket > Span::ZERO);
    RecordPlan { ports, bucket, most_buckets, queue_means, training, routes, ..Default::default() }
}
