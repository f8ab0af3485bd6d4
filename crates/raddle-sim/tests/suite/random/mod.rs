//! Small random plans, each a function of a list of numbers.
//!
//! Every decision takes the next number of the list, modulo its number of options; where the list
//! has ended, the first option. The first option is the plainest one, so that lists shrink to
//! plain plans. The same list always gives the same plan.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

mod choices;
mod circuits;
mod fabric;
mod faults;
mod hosts;
mod hybrid;
mod traffic;

use crate::outside::{juggler, moody};
use choices::Choices;
use raddle_schemes::Need;
use raddle_schemes::buffer::BufferContext;
use raddle_schemes::buffer::classes::{Alpha, PerClass};
use raddle_schemes::buffer::resizing;
use raddle_schemes::congestion;
use raddle_schemes::ids::{FlowId, HostId, PortId};
use raddle_schemes::load_balance::switch::{
    self, adaptive_roce::Mode, letflow::Detection, ofan::Variant, simple_rr::Start,
};
use raddle_schemes::load_balance::{host, plane};
use raddle_schemes::planner::{self, ethereal::Profile};
use raddle_schemes::size::{Limited, Size};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{buffer, marking, tor};
use raddle_sim::faults::gate::Opening;
use raddle_sim::faults::spec::FaultPlan;
use raddle_sim::faults::{Faults, PortChange};
use raddle_sim::limits::LimitError;
use raddle_sim::lossless::Shortage;
use raddle_sim::plan::{
    AckQueue, BufferPlan, HostQueue, MarkAt, Overflow, Per, Pfc, PfcLinks, Plan, QueuePlan,
    Service, Turns, Watchdog,
};
use raddle_sim::record::RecordPlan;
use raddle_sim::record::probes::ProbePlan;
use raddle_sim::topology::Fabric;
use raddle_sim::topology::circuits::Circuits;
use std::num::NonZeroU32;

/// The plan that `numbers` stand for.
pub(super) fn plan(numbers: &[u32]) -> Plan {
    let mut choices = Choices::new(numbers);
    let fabric = fabric::draw(&mut choices);
    plan_on(fabric, choices)
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
        in_planes(&mut choices, &mut plan);
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
    let mut plan = with_paths(plan, planner);
    if plan.fabric.circuits.is_some() {
        without_pauses(&mut plan);
        open_what_is_too_short(&mut plan);
    }
    without_misplaced_detours(&mut plan);
    with_host_queue(&mut choices, plan)
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

/// Gives hosts several ports, where the plan can have them.
fn in_planes(choices: &mut Choices<'_>, plan: &mut Plan) {
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
fn with_paths(plan: Plan, planner: Option<planner::Config>) -> Plan {
    let Some(planner) = planner else { return plan };
    let mut planned = plan.clone();
    planned.plan_paths(&planner).unwrap();
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
        acks: Vec::new(),
        mark_at: choices.pick(&[MarkAt::Dequeue, MarkAt::Dequeue, MarkAt::Enqueue]),
        overflow: if drop {
            Overflow::Drop
        } else {
            choices.pick(&[Overflow::Drop, Overflow::Trim])
        },
        gap: choices.pick(&[Bytes(0), Bytes(20), Bytes(1)]),
        pfc: None,
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
    let mut plan = with_paths(plan, planner);
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

/// Queues, and whether flows travel in several of their classes.
fn queue(choices: &mut Choices<'_>) -> (QueuePlan, bool) {
    let service = choices.pick(&[
        Service::Priority,
        Service::Fifo,
        Service::Priority,
        Service::Drr,
        Service::Wrr,
    ]);
    let overflow = match service {
        Service::Fifo => Overflow::Drop,
        _ => choices.pick(&[Overflow::Drop, Overflow::Trim]),
    };
    let classes = match service {
        Service::Fifo => 1,
        Service::Priority => choices.pick(&[1, 1, 1, 2, 3, 8]),
        _ => choices.pick(&[2, 3, 8, 1]),
    };
    let shares = match service {
        Service::Priority | Service::Fifo => Vec::new(),
        Service::Drr => {
            (0..classes).map(|_| choices.pick(&[1_000, 4_160, 300, 64, 9_999])).collect()
        }
        Service::Wrr => (0..classes).map(|_| choices.pick(&[1, 2, 3, 8])).collect(),
    };
    let sizes = [
        Size::Bdp(1.0),
        Size::Packets(2.0),
        Size::Packets(5.0),
        Size::Packets(1.0),
        Size::Unlimited,
        Size::Bytes(Bytes(2_999)),
    ];
    // Only ports without a limit of control compute departures.
    let control_sizes = [
        Size::Unlimited,
        Size::Bytes(Bytes(300)),
        Size::Unlimited,
        Size::Percent(20.0),
        Size::Unlimited,
        Size::Bytes(Bytes(64)),
    ];
    let plan = QueuePlan {
        size: choices.pick(&sizes),
        control_size: choices.pick(&control_sizes),
        service,
        classes,
        shares,
        marking: marking(choices),
        class_markings: Vec::new(),
        acks: Vec::new(),
        mark_at: choices.pick(&[MarkAt::Dequeue, MarkAt::Enqueue]),
        overflow,
        gap: choices.pick(&[Bytes(0), Bytes(20), Bytes(1)]),
        pfc: pfc(choices),
        control_weight: choices
            .pick(&[None, None, None, NonZeroU32::new(10), NonZeroU32::new(1)])
            .filter(|_| service != Service::Fifo),
    };
    (plan, classes > 1)
}

/// Markings and places of ACKs of each data class.
fn class_table(choices: &mut Choices<'_>, queue: &mut QueuePlan) {
    let classes = usize::from(queue.classes);
    if choices.below(3) == 1 {
        queue.class_markings = (0..classes).map(|_| marking(choices)).collect();
    }
    if choices.below(3) == 1 && queue.service != Service::Fifo {
        let place = |_| choices.pick(&[AckQueue::Data, AckQueue::Control]);
        queue.acks = (0..classes).map(place).collect();
    }
}

fn pfc(choices: &mut Choices<'_>) -> Option<Pfc> {
    let thresholds = choices.pick(&[
        None,
        None,
        None,
        Some((50.0, 30.0)),
        Some((20.0, 20.0)),
        Some((0.0, 0.0)),
        Some((99.0, 0.0)),
    ]);
    let quanta =
        choices.pick(&[Span::us(5), Span::us(1), Span::ns(200), Span(33_333), Span::us(500)]);
    let (xoff, xon) = thresholds?;
    let links = choices.pick(&[PfcLinks::All, PfcLinks::All, PfcLinks::Hosts]);
    let times = choices.pick(&[None, None, Some((20, 10)), Some((1, 3)), Some((300, 1))]);
    let watchdog = times.filter(|_| links == PfcLinks::All).map(|(detection, restoration)| {
        Watchdog { detection: Span::us(detection), restoration: Span::us(restoration) }
    });
    let (xoff, xon) = (Size::Percent(xoff), Size::Percent(xon));
    Some(Pfc { xoff, xon, quanta, links, watchdog })
}

fn buffer(choices: &mut Choices<'_>, classes: u8) -> Option<BufferPlan> {
    let packets = choices.pick(&[None, None, None, Some(6.0), Some(20.0), Some(60.0), Some(1.0)]);
    let listed = buffer::SCHEMES.iter().map(|scheme| buffer::Config::named(scheme.card.name));
    let outside = [moody::plugin()].map(buffer::Config::Custom);
    let policies: Vec<_> = listed.flatten().chain(outside).collect();
    let policy = policy(choices, &policies, classes);
    Some(BufferPlan { size: Size::Packets(packets?), policy, per: Per::Switch })
}

/// One of these policies, with parameters of its own.
fn policy(choices: &mut Choices<'_>, policies: &[buffer::Config], classes: u8) -> buffer::Config {
    let mut policy = choices.pick(policies);
    match &mut policy {
        buffer::Config::DynamicThresholds(thresholds) => {
            let all = |alpha| PerClass::All(Alpha(alpha));
            let alphas = [Alpha(0.3), Alpha(2.0)].into_iter().cycle();
            let each = PerClass::Each(alphas.take(classes.into()).collect());
            thresholds.alpha = choices.pick(&[all(1.0), all(0.125), all(8.0), each]);
        }
        buffer::Config::Abm(abm) => {
            abm.mode = choices.pick(&[buffer::abm::Mode::Paper, buffer::abm::Mode::Released]);
            let some = [Size::Bdp(1.0), Size::Packets(3.0), Size::Bytes(Bytes(3_000))];
            abm.unscheduled = choices.pick(&some.map(Limited));
            abm.update = choices.pick(&[None, Some(Span::us(1))]);
            abm.alpha = choices.pick(&[PerClass::All(Alpha(0.5)), PerClass::All(Alpha(2.0))]);
            abm.alpha_acks = choices.pick(&[None, Some(Alpha(0.1)), Some(Alpha(1024.0))]);
        }
        buffer::Config::Fab(fab) => {
            fab.short = choices.pick(&[fab.short, Limited(Size::Packets(3.0))]);
            fab.silence = choices.pick(&[Span::us(5_000), Span::us(2)]);
        }
        buffer::Config::CiscoIb(own) => {
            use buffer::cisco_ib::Mode;
            own.mode = choices.pick(&[Mode::Paper, Mode::Released]);
            own.window = choices.pick(&[Span::us(1), Span::us(50)]);
            own.fair_start = choices.pick(&[Bytes(0), Bytes(20_000), Bytes(4_000_000)]);
            let [reference, acts_above] = [1.0, 3.0].map(|n| Limited(Size::Packets(n)));
            (own.reference, own.acts_above) = (reference, acts_above);
        }
        buffer::Config::Sonic(own) => *own = sonic(choices, classes),
        buffer::Config::SonicAbm(own) => *own = sonic_abm(choices, classes),
        buffer::Config::Reverie(reverie) => {
            use buffer::reverie::Mode;
            reverie.mode = choices.pick(&[Mode::Paper, Mode::Released]);
            reverie.lossless = lossless(choices, classes);
            reverie.filter = choices.pick(&[0.999, 0.0, 0.5]);
            reverie.alpha = choices.pick(&[PerClass::All(Alpha(1.0)), PerClass::All(Alpha(0.1))]);
            reverie.alpha_unscheduled = choices.pick(&[None, Some(Alpha(8.0))]);
            reverie.unscheduled = Limited(Size::Packets(3.0));
        }
        buffer::Config::Credence(credence) => {
            use buffer::credence::Mode;
            credence.mode = choices.pick(&[Mode::Paper, Mode::Released]);
            let oracle = "occupancy_average 30000 0 queue 9000 0.2 1; queue_average 2000 0.1 0.9";
            credence.oracle = choices.pick(&["0", oracle, "1"]).parse().unwrap();
            credence.flip = choices.pick(&[0.0, 0.1]);
        }
        _ => {}
    }
    policy
}

fn sonic(choices: &mut Choices<'_>, classes: u8) -> buffer::sonic::Config {
    let default = buffer::sonic::Config::default();
    buffer::sonic::Config {
        lossless: lossless(choices, classes),
        alpha_ingress: choices.pick(&[None, Some(PerClass::All(Alpha(0.1)))]),
        headroom: choices.pick(&[None, Some(Bytes(4_500)), Some(Bytes(0))]),
        reserved: choices.pick(&[Bytes(0), Bytes(5_000)]),
        xon_offset: choices.pick(&[default.xon_offset, Limited(Size::Packets(3.0))]),
        ..default
    }
}

fn sonic_abm(choices: &mut Choices<'_>, classes: u8) -> buffer::sonic_abm::Config {
    let buffer::sonic::Config { lossless, alpha_ingress, headroom, reserved, xon_offset, .. } =
        sonic(choices, classes);
    let default = buffer::sonic_abm::Config::default();
    let few = choices.pick(&[Size::Packets(3.0), Size::Bytes(Bytes(3_000))]);
    buffer::sonic_abm::Config {
        lossless,
        alpha_ingress,
        headroom,
        reserved,
        xon_offset,
        alpha_unscheduled: choices.pick(&[default.alpha_unscheduled, Alpha(2.0)]),
        unscheduled: choices.pick(&[default.unscheduled, Limited(few)]),
        update: choices.pick(&[None, Some(Span::us(1))]),
        congested_at: choices.pick(&[Bytes(3_000), default.congested_at]),
        least_sent: choices.pick(&[Bytes(0), default.least_sent]),
        drain_min: choices.pick(&[0.0, 0.125]),
        drain_max: choices.pick(&[None, Some(1.0)]),
        ..default
    }
}

/// A plan whose switches have SONiC's memory, so much of it that most of the time the order of what
/// comes and goes decides nothing.
pub(crate) fn plan_with_sonic(numbers: &[u32]) -> Plan {
    let (own, others) = numbers.split_at(numbers.len().min(10));
    let mut plan = plan(others);
    // Pauses and gates do not go together: circuits that stay.
    plan.fabric.circuits = None;
    let mut choices = Choices::new(own);
    let size = Size::Packets(choices.pick(&[300.0, 1000.0, 100.0, 50.0]));
    let policy = buffer::Config::Sonic(sonic(&mut choices, plan.queue.classes));
    let decided = plan.buffer.is_some_and(|buffer| buffer.policy.decides_pauses());
    plan.queue.pfc = match policy.decides_pauses() {
        true => Some(Pfc::of_memory(choices.pick(&[Span::us(5), Span::us(1)]))),
        false => plan.queue.pfc.filter(|_| !decided),
    };
    plan.buffer = Some(BufferPlan { size, policy, per: Per::Switch });
    without_idle_host_queue(&mut plan);
    plan
}

/// A plan in which some classes are lossless, by the memory's policy or by thresholds, whose queues are
/// short and whose links slow down.
pub(crate) fn plan_with_lossless(numbers: &[u32]) -> Plan {
    let mut plan = lossless_plan(numbers);
    without_idle_host_queue(&mut plan);
    plan
}

fn lossless_plan(numbers: &[u32]) -> Plan {
    let (own, others) = numbers.split_at(numbers.len().min(30));
    let mut plan = plan(others);
    plan.fabric.circuits = None;
    let mut choices = Choices::new(own);
    plan.tor = None;
    let sizes = [2.0, 1.0, 10.0, 100.0].map(Size::Packets);
    plan.queue.size = choices.pick(&sizes);
    if choices.below(3) == 0 {
        slow_down(&mut choices, &mut plan);
        plan.buffer = None;
        let (xoff, xon) = choices.pick(&[(50.0, 30.0), (0.0, 0.0), (90.0, 20.0)]);
        let (xoff, xon) = (Size::Percent(xoff), Size::Percent(xon));
        plan.queue.pfc = Some(Pfc { xoff, xon, ..Pfc::of_memory(Span::us(5)) });
        return plan;
    }
    let lossless = match choices.below(2) {
        0 => PerClass::All(true),
        _ => PerClass::Each((0..plan.queue.classes).map(|class| class % 2 == 0).collect()),
    };
    let policy = match choices.below(3) {
        0 => buffer::Config::Sonic(buffer::sonic::Config {
            lossless,
            headroom: None,
            ..sonic(&mut choices, plan.queue.classes)
        }),
        1 => buffer::Config::SonicAbm(buffer::sonic_abm::Config {
            lossless,
            headroom: None,
            ..sonic_abm(&mut choices, plan.queue.classes)
        }),
        _ => buffer::Config::Reverie(buffer::reverie::Config {
            lossless,
            mode: choices.pick(&[buffer::reverie::Mode::Paper, buffer::reverie::Mode::Released]),
            alpha: choices.pick(&[PerClass::All(Alpha(1.0)), PerClass::All(Alpha(8.0))]),
            ..buffer::reverie::Config::default()
        }),
    };
    plan.queue.pfc = Some(Pfc::of_memory(choices.pick(&[Span::us(5), Span::us(1)])));
    let size = Size::Packets(choices.pick(&[50.0, 200.0, 1000.0]));
    plan.buffer = Some(BufferPlan { size, policy, per: Per::Switch });
    slow_down(&mut choices, &mut plan);
    let more = choices.pick(&[Bytes(0), Bytes(20_000)]);
    // What it lacks, it is given.
    loop {
        match (plan.lossless_shortage(), &mut plan.buffer, &mut plan.queue.pfc) {
            (Some(Shortage::Memory { needs, .. }), Some(buffer), _) => {
                buffer.size = Size::Bytes(needs + more);
            }
            (Some(Shortage::Quanta { above }), _, Some(pfc)) => pfc.quanta = above + Span::us(1),
            _ => return plan,
        }
    }
}

/// A plan whose switches' policy hears sums and answers early, more often than not.
pub(crate) fn plan_with_sums(numbers: &[u32]) -> Plan {
    let (own, others) = numbers.split_at(numbers.len().min(10));
    let mut plan = plan(others);
    let mut choices = Choices::new(own);
    let listed = buffer::SCHEMES.iter().map(|scheme| buffer::Config::named(scheme.card.name));
    let hears_sums = |policy: &buffer::Config| policy.build(&BufferContext::NOMINAL).hears_sums();
    let policies: Vec<_> = listed.flatten().filter(hears_sums).collect();
    let size = Size::Packets(choices.pick(&[60.0, 20.0, 200.0, 6.0, 1000.0]));
    let mut policy = policy(&mut choices, &policies, plan.queue.classes);
    if let buffer::Config::Reverie(own) = &mut policy {
        own.lossless = PerClass::All(false);
    }
    plan.buffer = Some(BufferPlan { size, policy, per: Per::Switch });
    (plan.queue.pfc, plan.tor) = (None, None);
    (plan.queue.control_weight, plan.queue.control_size) = (None, Size::Unlimited);
    plan
}

/// Links with gates cannot be paused.
fn without_pauses(plan: &mut Plan) {
    let decides = |buffer: &BufferPlan| buffer.policy.decides_pauses();
    plan.buffer = plan.buffer.take().filter(|buffer| !decides(buffer));
    plan.queue.pfc = None;
}

/// What fits into no opening of a link has that open all the time.
fn open_what_is_too_short(plan: &mut Plan) {
    while let Err(LimitError::Gate { link, .. }) = plan.check_limits() {
        let port = plan.fabric.port_named(&link).unwrap();
        let circuits = plan.fabric.circuits.as_mut().unwrap();
        let rate = plan.fabric.ports[port.index()].rate;
        let open = |circuits: &mut Circuits| {
            let period = circuits.period;
            let lane = circuits.lanes.iter_mut().find(|lane| lane.port == port).unwrap();
            lane.openings = vec![Opening { from: Span::ZERO, until: period, rate }];
            lane.uplinks = vec![0];
        };
        open(circuits);
        circuits.later.iter_mut().for_each(|own| open(&mut own.circuits));
    }
}

/// A plan on a fabric of circuits, or on any some of whose links between switches have gates.
pub(crate) fn plan_with_gates(numbers: &[u32]) -> Plan {
    let (own, others) = numbers.split_at(numbers.len().min(60));
    let mut choices = Choices::new(own);
    let mut plan = if choices.below(3) < 2 {
        let mut others = Choices::new(others);
        // Where other plans draw their kind of fabric.
        others.below(4);
        plan_on(circuits::fabric(&mut choices), others)
    } else {
        let mut plan = plan(others);
        plan.fabric.circuits = circuits::on_some_links(&mut choices, &plan.fabric);
        plan
    };
    without_pauses(&mut plan);
    if let Some(buffer) = plan.buffer.as_mut().filter(|own| !own.policy.sees_switch()) {
        (buffer.per, buffer.size) = choices.pick(&[
            (Per::Switch, buffer.size),
            (Per::Uplink, Size::Packets(3.0)),
            (Per::Uplink, Size::Packets(9.0)),
        ]);
    }
    open_what_is_too_short(&mut plan);
    plan
}

/// A plan on a fabric of circuits whose frames go by slices.
pub(crate) fn plan_with_slices(numbers: &[u32]) -> Plan {
    let (own, others) = numbers.split_at(numbers.len().min(60));
    let (mut choices, mut others) = (Choices::new(own), Choices::new(others));
    // Where other plans draw their kind of fabric.
    others.below(4);
    let mut plan = plan_on(circuits::sliced(&mut choices), others);
    without_pauses(&mut plan);
    while let Err(LimitError::Slices { what }) = plan.check_limits() {
        let transport = &mut plan.transport;
        match what {
            _ if what.contains("telemetry") => {
                let plain = || congestion::Config::named("dctcp").unwrap();
                transport.congestion = plain();
                transport.other_transports.iter_mut().for_each(|own| own.congestion = plain());
            }
            _ if what.contains("memory") => plan.buffer = None,
            _ if what.contains("clocks") => plan.faults.clocks.clear(),
            _ if what.contains("middleware") => plan.tor = None,
            _ if what.contains("hosts") => {
                let plain = || host::Config::named("ops").unwrap();
                transport.load_balance = plain();
                transport.other_load_balances.iter_mut().for_each(|own| *own = plain());
            }
            _ => plan.switch_load_balance = switch::Config::named("rsq").unwrap(),
        }
    }
    if let Some(buffer) = &mut plan.buffer {
        buffer.per = choices.pick(&[Per::Switch, Per::Uplink]);
    }
    open_what_is_too_short(&mut plan);
    if choices.below(2) == 1 {
        let keeps = tor::SCHEMES.iter().filter(|own| own.card.needs.contains(&Need::Bulk));
        let hooks: Vec<_> = keeps.filter_map(|own| tor::Config::named(own.card.name)).collect();
        plan.tor = Some(hook(&mut choices, &hooks));
        if plan.check_limits().is_err() {
            plan.tor = None;
        }
    }
    // Hosts that make more of a lane than it carries.
    if choices.below(2) == 1 {
        plan.queue.size = choices.pick(&[Size::Unlimited, Size::Packets(20.0)]);
    }
    plan
}

/// A plan on ToRs with circuits beside a packet network, whose circuits' cables never go down.
pub(crate) fn plan_with_hybrid(numbers: &[u32]) -> Plan {
    let (own, others) = numbers.split_at(numbers.len().min(30));
    let (mut choices, mut others) = (Choices::new(own), Choices::new(others));
    // Where other plans draw their kind of fabric.
    others.below(4);
    let mut plan = plan_on(hybrid::fabric(&mut choices), others);
    (plan.tor, plan.queue.pfc) = (None, None);
    let down = |(_, change): &(Time, PortChange)| *change == PortChange::Down;
    let goes_down =
        |(port, own): &(PortId, Vec<_>)| plan.fabric.day(*port).is_some() && own.iter().any(down);
    if plan.faults.ports.iter().any(goes_down) || !plan.faults.nodes.is_empty() {
        plan.faults = Faults::default();
        // What was down from the start had changed the first routes.
        plan.routes = vec![(Time::ZERO, plan.fabric.forwarding.clone())];
        plan.known_routes.clear();
    }
    let sizes =
        [(2.0, 5.0), (16.0, 50.0), (1.0, 3.0)].map(|(a, b)| (Size::Packets(a), Size::Packets(b)));
    let (small, large) = choices.pick(&sizes);
    let ahead = choices.pick(&[Span::us(600), Span::ZERO, Span(7_654_321)]);
    let policy = buffer::Config::Resizing(resizing::Config { small, large, ahead });
    let size = Size::Bytes(Bytes::mib(64));
    plan.buffer = (choices.below(2) == 1).then_some(BufferPlan { size, policy, per: Per::Switch });
    match choices.below(4) {
        1 => plan.transport.congestion = congestion::Config::named("retcp").unwrap(),
        2 => plan.transport.congestion = congestion::Config::named("powertcp").unwrap(),
        _ => {}
    }
    plan
}

/// Slows some links of a plan without faults down for a while, or for good.
fn slow_down(choices: &mut Choices<'_>, plan: &mut Plan) {
    if plan.faults != Faults::default() {
        return;
    }
    let healthy = plan.clone();
    for (id, port) in (0..).map(PortId).zip(&healthy.fabric.ports) {
        if choices.below(4) != 1 {
            continue;
        }
        let change = |rate| PortChange::Rate { rate, scale: true };
        let rate = Rate(port.rate.0 / choices.pick(&[10, 2]));
        let mut changes = vec![(Time(choices.pick(&[0, 3_000_000])), change(rate))];
        if choices.below(2) == 1 {
            changes.push((Time(9_000_000), change(port.rate)));
        }
        plan.faults.ports.push((id, changes));
    }
    if plan.check_limits().is_err() {
        plan.faults = healthy.faults;
    }
}

/// A plan whose ToRs have listed middleware, where it can have any.
pub(crate) fn plan_with_middleware(numbers: &[u32]) -> Plan {
    let (own, others) = numbers.split_at(numbers.len().min(10));
    let mut plan = plan(others);
    let looks_before = plan.switch_load_balance.build(&switch::NOMINAL).looks_before();
    if !looks_before && plan.fabric.planes == 1 {
        let hooks: Vec<_> = hooks_of_any_fabric().collect();
        plan.tor = Some(hook(&mut Choices::new(own), &hooks));
        without_misplaced_detours(&mut plan);
    }
    plan
}

/// Listed middleware, but for that which keeps bulk data of circuits.
fn hooks_of_any_fabric() -> impl Iterator<Item = tor::Config> {
    let any = tor::SCHEMES.iter().filter(|own| !own.card.needs.contains(&Need::Bulk));
    any.filter_map(|scheme| tor::Config::named(scheme.card.name))
}

fn middleware(choices: &mut Choices<'_>) -> Option<tor::Config> {
    let outside = [juggler::plugin()].map(tor::Config::Custom);
    let hooks: Vec<_> = hooks_of_any_fabric().chain(outside).collect();
    let has_any = choices.below(6) == 1;
    Some(hook(choices, &hooks)).filter(|_| has_any)
}

fn hook(choices: &mut Choices<'_>, hooks: &[tor::Config]) -> tor::Config {
    let mut config = choices.pick(hooks);
    match &mut config {
        tor::Config::NackFilter(filter) => filter.pass = choices.pick(&[0.5, 0.0, 0.9]),
        tor::Config::Themis(themis) => {
            (themis.window, themis.ooo_threshold) = choices.pick(&[(512, 448), (16, 12), (4, 3)]);
            themis.avoidance_window = choices.pick(&[2_000_000, 3]);
            themis.recirculation = choices.pick(&[Span(0), Span::us(1), Span(77_777)]);
            themis.same_path = choices.below(4) > 0;
            themis.lazy_drop = choices.below(4) > 0;
            themis.reroute = choices.below(4) > 0;
            themis.failure_handling = choices.below(4) > 0;
        }
        tor::Config::Conga(conga) => {
            conga.timeout = choices.pick(&[Span::us(500), Span::us(1), Span(0)]);
            conga.time_constant = choices.pick(&[Span::us(160), Span::us(3)]);
            conga.alpha = choices.pick(&[0.2, 1.0, 0.05]);
            conga.bits = choices.pick(&[3, 1, 8]);
            conga.aging = choices.pick(&[Span::ms(10), Span::us(5)]);
        }
        tor::Config::ConWeave(conweave) => {
            conweave.reply_extra = choices.pick(&[Span::us(4), Span(0), Span::ns(300)]);
            conweave.path_busy = choices.pick(&[Span::us(16), Span::us(1)]);
            conweave.notify = choices.below(4) > 0;
            conweave.inactive = choices.pick(&[Span::us(300), Span::us(2), Span::us(20)]);
            conweave.resume_extra = choices.pick(&[Span::us(16), Span(0), Span::ns(777)]);
            conweave.resume_default = choices.pick(&[Span::us(200), Span(0), Span::us(3)]);
        }
        tor::Config::RotorLb(own) => own.backlog = choices.pick(&[2.0, 0.0, 0.3, 100.0]),
        tor::Config::Custom(_) => {}
    }
    config
}

/// Which classes are lossless: all, none, some.
fn lossless(choices: &mut Choices<'_>, classes: u8) -> PerClass<bool> {
    match choices.below(3) {
        0 => PerClass::All(true),
        1 => PerClass::All(false),
        _ => PerClass::Each((0..classes).map(|_| choices.below(2) == 0).collect()),
    }
}

fn marking(choices: &mut Choices<'_>) -> marking::Config {
    let schemes: Vec<_> = marking::SCHEMES.iter().map(|scheme| scheme.card.name).collect();
    let mut config = marking::Config::named(choices.pick(&schemes)).unwrap();
    let thresholds = choices.pick(&[None, Some((1.0, 4.0)), Some((0.0, 2.0))]);
    if let Some((low, high)) = thresholds {
        match &mut config {
            marking::Config::Red(red) => {
                (red.low, red.high) = (Size::Packets(low), Size::Packets(high));
            }
            marking::Config::Step(step) => step.threshold = Size::Packets(low),
            marking::Config::NoMarking(_) | marking::Config::Custom(_) => {}
        }
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
