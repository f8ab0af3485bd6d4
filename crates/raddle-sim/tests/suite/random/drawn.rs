//! Plans in which one thing is there more often than in others.

use super::choices::Choices;
use super::circuits;
use super::hybrid;
use super::middleware::hook;
use super::middleware::hooks_of_any_fabric;
use super::plan;
use super::plan_on;
use super::queues::policy;
use super::queues::{sonic, sonic_abm};
use super::with_retry;
use super::without_idle_host_queue;
use super::without_misplaced_detours;
use raddle_schemes::Need;
use raddle_schemes::buffer;
use raddle_schemes::buffer::BufferContext;
use raddle_schemes::buffer::classes::Alpha;
use raddle_schemes::buffer::classes::PerClass;
use raddle_schemes::buffer::resizing;
use raddle_schemes::congestion;
use raddle_schemes::ids::PortId;
use raddle_schemes::load_balance::host;
use raddle_schemes::load_balance::switch;
use raddle_schemes::size::Size;
use raddle_schemes::tor;
use raddle_schemes::units::Bytes;
use raddle_schemes::units::Rate;
use raddle_schemes::units::Span;
use raddle_schemes::units::Time;
use raddle_sim::faults::Faults;
use raddle_sim::faults::PortChange;
use raddle_sim::faults::gate::Opening;
use raddle_sim::limits::LimitError;
use raddle_sim::lossless::Shortage;
use raddle_sim::plan::BufferPlan;
use raddle_sim::plan::Per;
use raddle_sim::plan::Pfc;
use raddle_sim::plan::Plan;
use raddle_sim::topology::circuits::Circuits;

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

/// A plan whose links have retry, which many of them need.
pub(crate) fn plan_with_retry(numbers: &[u32]) -> Plan {
    let (own, others) = numbers.split_at(numbers.len().min(40));
    let mut plan = plan(others);
    plan.fabric.circuits = None;
    let mut choices = Choices::new(own);
    if choices.below(4) > 0 {
        let ports = plan.fabric.ports.len() as u32;
        let loud = (0..ports).map(PortId).filter(|_| choices.below(3) > 0);
        let loss = |probability| PortChange::Loss { probability };
        let noise = [PortChange::BitErrors { rate: 1e-5 }, loss(1 << 28), loss(3 << 30)];
        let loud: Vec<_> = loud.collect();
        for port in loud {
            let own = (Time(choices.pick(&[0, 0, 1_000_000])), choices.pick(&noise));
            let ports = &mut plan.faults.ports;
            match ports.binary_search_by_key(&port, |(id, _)| *id) {
                Ok(place) => {
                    let changes = &mut ports[place].1;
                    changes.push(own);
                    changes.sort_by_key(|(at, change)| (*at, *change == PortChange::Up));
                }
                Err(place) => ports.insert(place, (port, vec![own])),
            }
        }
    }
    with_retry(&mut choices, &mut plan);
    plan
}

/// A plan in which some classes are lossless, by the memory's policy or by thresholds, whose queues are
/// short and whose links slow down.
pub(crate) fn plan_with_lossless(numbers: &[u32]) -> Plan {
    let mut plan = lossless_plan(numbers);
    without_idle_host_queue(&mut plan);
    plan
}

pub(super) fn lossless_plan(numbers: &[u32]) -> Plan {
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
pub(super) fn without_pauses(plan: &mut Plan) {
    let decides = |buffer: &BufferPlan| buffer.policy.decides_pauses();
    plan.buffer = plan.buffer.take().filter(|buffer| !decides(buffer));
    plan.queue.pfc = None;
}

/// What fits into no opening of a link has that open all the time.
pub(super) fn open_what_is_too_short(plan: &mut Plan) {
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
    // Circuits have no retry.
    plan.llr = plan.llr.filter(|_| plan.fabric.circuits.is_none());
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
pub(super) fn slow_down(choices: &mut Choices<'_>, plan: &mut Plan) {
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
