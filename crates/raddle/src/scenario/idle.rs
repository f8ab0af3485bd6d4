//! Keys that may change nothing in some cells of a study, but not in all: those of the fabric that
//! wait for something to go down or to lose, when to mark, and those of hosts with several ports.

use super::fabric::FabricSection;
use super::fault::FaultSection;
use super::jobs::Jobs;
use super::needs::marks;
use super::reader::Log;
use super::spec::Place;
use super::topology::Topology;
use super::transport::TransportSection;
use raddle_schemes::load_balance::plane;
use raddle_schemes::units::{Span, Time};
use raddle_sim::faults::OnDown;
use raddle_sim::plan::MarkAt;
use raddle_sim::topology::routing::Weighting;

/// Judges the keys in one cell, whose circuits may have several schedules, and gives those that change
/// nothing their defaults, so that a resolved cell has no idle keys.
pub(crate) fn settle(
    fabric: &mut FabricSection,
    changes: bool,
    faults: &[FaultSection],
    log: &Log,
) {
    let judge = |key: &str, place: &Place, without: Option<&str>| {
        let problem = without.map(|without| {
            let problem = place.problem(format!("`{key}` has no effect {without}"));
            problem.label("leave it out")
        });
        log.judge(place, problem);
    };
    let calm = (!faults.iter().any(FaultSection::takes_down))
        .then_some("where nothing goes down, and no [[fault]] says `down` or `flap`");
    if fabric.convergence.is_some() {
        judge("convergence", &fabric.places.convergence, calm);
    }
    if let Some(own) = fabric.local_repair {
        let late = fabric.convergence.is_some_and(|all| own >= all);
        let late = late.then_some("unless it is shorter than `convergence`");
        judge("local_repair", &fabric.places.local_repair, late.or(calm));
        if late.is_some() || calm.is_some() {
            fabric.local_repair = None;
        }
    }
    if fabric.weights != Weighting::default() {
        let fixed = fabric.convergence.is_none().then_some("with `convergence = \"never\"`");
        judge("weights", &fabric.places.weights, fixed.or(calm));
    }
    if fabric.on_down != OnDown::Drop {
        // A schedule of circuits may leave links without any.
        judge("on_down", &fabric.places.on_down, calm.filter(|_| !changes));
    }
    if calm.is_some() {
        fabric.convergence = None;
        fabric.on_down = if changes { fabric.on_down } else { OnDown::Drop };
    }
    if fabric.convergence.is_none() {
        fabric.weights = Weighting::default();
    }
    if let Some(own) = &fabric.llr {
        let without = "where no link loses anything: there is no [[fault]], and neither a window nor \
                       a `tax` is set";
        let idle = (faults.is_empty() && own.is_default_window()).then_some(without);
        judge("llr", &own.place, idle);
        if idle.is_some() {
            fabric.llr = None;
        }
    }
    let queue = &mut fabric.queue;
    if queue.plan.mark_at != MarkAt::Dequeue {
        let unmarked =
            (!queue.plan.markings().any(marks)).then_some("with a marking that marks nothing");
        judge("at", &queue.places.mark_at, unmarked);
        if unmarked.is_some() {
            queue.plan.mark_at = MarkAt::Dequeue;
        }
    }
}

/// Judges what hosts do that have several ports, in a cell in which they have so many, and in which
/// routing `converges` or does not.
pub(crate) fn settle_planes(
    transport: &mut TransportSection,
    traffic: Option<&Jobs>,
    ports: u32,
    converges: bool,
    faults: &[FaultSection],
    log: &Log,
) {
    let judge = |key: &str, place: &Place, without: Option<&str>| {
        let problem = without.map(|without| {
            let problem = place.problem(format!("`{key}` has no effect {without}"));
            problem.label("leave it out")
        });
        log.judge(place, problem);
    };
    let one = "where hosts have one port, without `planes` or `tors_per_host` in the topology";
    let one = (ports == 1).then_some(one);
    let common = &transport.load_balance.config;
    let used = traffic.map_or_else(|| vec![common.clone()], |jobs| jobs.selectors_in_use(common));
    let naming = used.iter().filter(|own| own.names_planes()).count();
    let named = naming > 0 && naming == used.len();
    let by_path = named.then_some("where `load_balance` names the plane of each packet itself");
    if let Some(plane) = &transport.plane {
        judge("plane", plane.needy().place, one.or(by_path));
    }
    let calm = !faults.iter().any(FaultSection::takes_down);
    let calm = calm.then_some("where nothing goes down, and no [[fault]] says `down` or `flap`");
    if transport.plane_repair > Span::ZERO {
        judge("plane_repair", &transport.plane_repair_place, one.or(calm));
    }
    if one.is_some() {
        transport.plane = None;
    } else if named {
        // By packet, as in turn.
        let in_turn = plane::Config::RoundRobin(Default::default());
        transport.plane = Some(transport.load_balance.gives(in_turn));
        transport.plane_named = true;
    } else if transport.plane.is_none() {
        transport.plane = Some(transport.plane());
    }
    let by_flow = transport.plane.as_ref().filter(|plane| !plane.config.is_per_packet());
    if let Some(plane) = by_flow.filter(|_| naming > 0) {
        let word = plane.config.card().name;
        let message = format!("`plane = {{ scheme = \"{word}\" }}` keeps a flow in one plane");
        let label = "some flows name a plane for each packet: choose `round_robin`, `random` or \
                     `least_queued` for the others";
        log.add(plane.place.problem(message).label(label));
    }
    if one.or(calm).is_some() {
        transport.plane_repair = Span::ZERO;
    } else if !converges {
        log.note(
            "hosts see no dead links but their own: with `convergence = \"never\"` what they send to a \
             port that is dead at the other end is lost"
                .to_owned(),
        );
    }
}

/// Adds a problem for every fault that comes when the run has ended.
pub(crate) fn late_faults(faults: &[FaultSection], end: Option<Time>, log: &Log) {
    let Some(end) = end else { return };
    for place in faults.iter().filter_map(|fault| fault.begins_at_or_after(end)) {
        let problem = place.problem("the fault comes when the run has ended");
        log.add(problem.label(format!("`end` in [run] is {end}")));
    }
}

/// Adds a problem if a schedule of circuits follows when the run has ended.
pub(crate) fn late_changes(topology: &Topology, end: Option<Time>, log: &Log) {
    let Some(end) = end else { return };
    if let Some((_, place)) = topology.shape.changes().into_iter().find(|(at, _)| *at >= end) {
        let problem = place.problem("the change comes when the run has ended");
        log.add(problem.label(format!("`end` in [run] is {end}")));
    }
}
