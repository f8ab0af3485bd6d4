//! Faults resolved to ports, nodes and converged routes.

use super::error::FaultError;
use super::intervals::{Window, merge};
use super::names::Names;
use super::probability::is_probability;
use super::spec::{Effect, Fault, FaultPlan, MAX_FLAPS, Target};
use super::struck::{Dead, Struck};
use super::uplinks::Down;
use crate::faults::Faults;
use crate::topology::routing::{Forwarding, Table, Weighting};
use crate::topology::{Fabric, Node};
use raddle_schemes::ids::{HostId, PortId};
use raddle_schemes::units::{Rate, Span, Time};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Faults and routes, ready for a run.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedFaults {
    /// What changes at which port or node, and when.
    pub faults: Faults,
    /// How switches forward, and from when on; the first entry is at time zero.
    pub routes: Vec<(Time, Forwarding)>,
    /// The same if routing converged at once; empty if no host needs it, or it does.
    pub known_routes: Vec<(Time, Arc<Forwarding>)>,
}

/// What is down at some time: ports of switches, and uplinks of lanes.
type State = (Vec<PortId>, Dead);

/// The times at which something that flaps is down: `down_for` of every `period`, from `first` on
/// and not beyond `until`.
///
/// # Errors
/// If these times make no sense, or make too many windows.
pub fn flapping(
    first: Time,
    period: Span,
    down_for: Span,
    until: Time,
) -> Result<Vec<(Time, Option<Time>)>, FaultError> {
    if down_for == Span::ZERO || down_for >= period || until <= first {
        return Err(FaultError::Flapping);
    }
    let windows = (until - first).0.div_ceil(period.0);
    if windows > MAX_FLAPS {
        return Err(FaultError::TooManyFlaps { windows });
    }
    let starts = (0..windows).map(|i| first + Span(i * period.0));
    // Compared as lengths: a sum could pass the end of time.
    Ok(starts.map(|from| (from, Some(from + Span(down_for.0.min((until - from).0))))).collect())
}

impl FaultPlan {
    /// Finds what the faults name, draws what they leave to chance, and works out what every port
    /// and node lives through and how routing follows.
    ///
    /// Down times of several faults add up; a dead switch or host takes its cables down in both
    /// directions. What goes down at random is drawn again until all `pairs` of hosts, the
    /// traffic's, stay connected despite everything that is down until the end. Connected means
    /// that there are paths both ways: any paths if routing converges, else paths of the fabric's
    /// own forwarding. Of hosts that are dead until the end no pair has to be connected.
    ///
    /// # Errors
    /// Every fault that makes no sense on this fabric; else every overlap, draw that fails, or pair
    /// of hosts that is cut off until the end.
    pub fn resolve(
        &self,
        fabric: &Fabric,
        pairs: &[(HostId, HostId)],
        seed: u64,
    ) -> Result<ResolvedFaults, Vec<FaultError>> {
        let mut targets = self.named(fabric)?;
        self.draw(fabric, pairs, seed, &mut targets).map_err(|error| vec![error])?;
        let down = self.down(fabric, &targets);
        let faults = self.faults(fabric, &targets, &down)?;
        let apart = self.hosts_know && self.convergence != Some(Span::ZERO);
        let known_routes = if apart { self.known_routes(fabric, &down) } else { Vec::new() };
        Ok(ResolvedFaults { faults, routes: self.routes(fabric, &down), known_routes })
    }

    /// What happens whatever is drawn, and whoever sends.
    ///
    /// # Errors
    /// What is wrong whatever is drawn: every fault that makes no sense on this fabric; else every
    /// overlap of faults whose targets are certain.
    pub fn certain(&self, fabric: &Fabric) -> Result<Faults, Vec<FaultError>> {
        let mut targets = self.named(fabric)?;
        self.certainly_struck(fabric, &mut targets).map_err(|error| vec![error])?;
        self.faults(fabric, &targets, &self.down(fabric, &targets))
    }

    /// What the faults strike that do not leave it to chance.
    fn named(&self, fabric: &Fabric) -> Result<Vec<Struck>, Vec<FaultError>> {
        let mut errors = Vec::new();
        let mut targets: Vec<Struck> = Vec::with_capacity(self.faults.len());
        let mut names = Names::of(fabric, &self.faults);
        let mut clocks = BTreeMap::new();
        for (i, fault) in self.faults.iter().enumerate() {
            let struck = names.struck(i, &fault.target).unwrap_or_else(|error| {
                errors.push(error);
                Struck::default()
            });
            check_times(i, &fault.windows, &mut errors);
            check_effect(fabric, i, fault.effect, &struck.ports, &mut errors);
            if struck.is_uplink && fault.effect != Effect::Down {
                errors.push(FaultError::Uplink { fault: i });
            }
            if let Effect::Clock { behind } = fault.effect {
                // Several of one ToR add up.
                let off = struck.nodes.first().map(|&node| {
                    let off = clocks.entry(node).or_insert(0_i64);
                    *off = off.saturating_add(behind);
                    *off
                });
                errors.extend(clock_error(fabric, i, off.unwrap_or(behind), &struck));
            }
            targets.push(struck);
        }
        if errors.is_empty() { Ok(targets) } else { Err(errors) }
    }

    /// What happens to ports and nodes.
    fn faults(
        &self,
        fabric: &Fabric,
        targets: &[Struck],
        down: &Down,
    ) -> Result<Faults, Vec<FaultError>> {
        let mut errors = Vec::new();
        // What was drawn may have other rates than what was named.
        for (i, (fault, struck)) in self.faults.iter().zip(targets).enumerate() {
            if let Target::Random { .. } = fault.target {
                check_effect(fabric, i, fault.effect, &struck.ports, &mut errors);
            }
        }
        let ports = self.changes(fabric, targets, down, &mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        let (nodes, clocks) = (self.dead_nodes(targets), self.clocks(targets));
        Ok(Faults { ports, nodes, on_down: self.on_down, clocks })
    }

    /// The fabric's own forwarding, then, a convergence time after each change of what is down,
    /// shortest paths over what was up at the change; in between each switch without its own ports
    /// that are down, a time of local repair after they went down.
    fn routes(&self, fabric: &Fabric, down: &Down) -> Vec<(Time, Forwarding)> {
        let later = |by: Option<Span>| {
            let after = move |at: Time| Some(Time(at.0.checked_add(by?.0)?));
            let states = by.map(|_| states(fabric, down)).into_iter().flatten();
            states.map_while(move |(at, dead)| Some((after(at)?, dead)))
        };
        let converges_first =
            self.convergence.is_some_and(|all| self.local_repair.is_some_and(|own| own >= all));
        let repair = self.local_repair.filter(|_| !converges_first);
        let mut routes = vec![(Time::ZERO, fabric.forwarding.clone())];
        // What all switches know, and what each knows of its own ports.
        let (mut known, mut seen) = (later(self.convergence).peekable(), later(repair).peekable());
        let mut schedules = fabric.changes_of_schedule().peekable();
        let (mut all, mut own) = (fabric.forwarding.clone(), State::default());
        let (mut dead, mut schedule) = (State::default(), 0);
        loop {
            let next = [known.peek().map(|(at, _)| *at), seen.peek().map(|(at, _)| *at)];
            let change = schedules.peek().map(|(at, _)| *at);
            let Some(at) = next.into_iter().flatten().chain(change).min() else { return routes };
            let mut moves = false;
            if let Some((_, next)) = known.next_if(|(other, _)| *other == at) {
                (dead, moves) = (next, true);
            }
            if let Some((_, next)) = schedules.next_if(|(other, _)| *other == at) {
                (schedule, moves) = (next, true);
            }
            if moves {
                all = self.around(fabric, &dead, schedule);
            }
            if let Some((_, dead)) = seen.next_if(|(other, _)| *other == at) {
                own = dead;
            }
            if at == Time::ZERO {
                routes.clear();
            }
            let next =
                if own == State::default() { all.clone() } else { repaired(fabric, &all, &own) };
            routes.push((at, next));
        }
    }

    /// The same at once. What flaps goes through the same states again and again: each is there once.
    fn known_routes(&self, fabric: &Fabric, down: &Down) -> Vec<(Time, Arc<Forwarding>)> {
        let own = Arc::new(fabric.forwarding.clone());
        let mut seen = BTreeMap::from([((State::default(), 0), Arc::clone(&own))]);
        let mut routes = vec![(Time::ZERO, own)];
        let changes = fabric.changes_of_schedule();
        let mut instants = down.instants(fabric);
        instants.extend(changes.map(|(at, _)| at));
        for at in instants {
            if at == Time::ZERO {
                routes.clear();
            }
            let schedule = fabric.circuits.as_ref().map_or(0, |own| own.schedule_at(at));
            let forwarding = seen
                .entry((down.at(fabric, at), schedule))
                .or_insert_with_key(|(dead, own)| Arc::new(self.around(fabric, dead, *own)));
            routes.push((at, Arc::clone(forwarding)));
        }
        routes
    }

    /// Nothing breaks.
    pub(crate) fn none(fabric: &Fabric) -> (Faults, Vec<(Time, Forwarding)>) {
        let (own, mut errors) = (Self::default(), Vec::new());
        let down = own.down(fabric, &[]);
        let ports = own.changes(fabric, &[], &down, &mut errors);
        (Faults { ports, ..Faults::default() }, own.routes(fabric, &down))
    }

    /// Shortest paths by a schedule without these ports and uplinks; the fabric's own if there are none.
    fn around(&self, fabric: &Fabric, state: &State, schedule: usize) -> Forwarding {
        if *state == State::default() && schedule == 0 {
            return fabric.forwarding.clone();
        }
        let weights = if *state == State::default() { Weighting::Equal } else { self.weights };
        let (dead, uplinks) = state;
        let mut alive = vec![true; fabric.ports.len()];
        dead.iter().for_each(|port| alive[port.index()] = false);
        fabric.shortest_paths(weights, uplinks, schedule, &|port| alive[port.index()])
    }
}

/// The same forwarding, but that no switch sends into its own ports that are `dead` if it has others.
fn repaired(fabric: &Fabric, forwarding: &Forwarding, state: &State) -> Forwarding {
    let (dead, uplinks) = state;
    let is_dead = |port: PortId| dead.binary_search(&port).is_ok();
    match forwarding {
        Forwarding::Table(table) => Forwarding::Table(table.without(&is_dead)),
        Forwarding::Slices(slices) => {
            let left = fabric.circuits.as_ref().map(|own| own.without(uplinks));
            let closes = |slice: usize, port: PortId| {
                left.as_ref().is_some_and(|left| left.leaves(slice, port))
            };
            let is_dead =
                |at: Option<usize>, port| is_dead(port) || at.is_some_and(|at| closes(at, port));
            Forwarding::Slices(Arc::new(slices.without(&is_dead)))
        }
        Forwarding::Tree(_) => {
            let table = Table::shortest(fabric, Weighting::Equal, &|_| true);
            Forwarding::Table(table.without(&is_dead))
        }
    }
}

/// The instants at which what is down changes, and what is then: what a host sends into its own cable is
/// not for switches to route.
fn states(fabric: &Fabric, down: &Down) -> impl Iterator<Item = (Time, State)> {
    down.instants(fabric).into_iter().map(move |at| (at, down.at(fabric, at)))
}

impl Fault {
    /// Its windows, disjoint and in time order.
    pub(super) fn merged(&self) -> Vec<Window> {
        let windows = self.windows.iter();
        merge(windows.map(|&(from, until)| (from, until.unwrap_or(Time::NEVER))).collect())
    }

    /// Whether what it takes down never comes back.
    pub(super) fn is_down_for_good(&self) -> bool {
        self.effect == Effect::Down && self.windows.iter().any(|(_, until)| until.is_none())
    }
}

fn check_times(fault: usize, windows: &[(Time, Option<Time>)], errors: &mut Vec<FaultError>) {
    if windows.is_empty() {
        errors.push(FaultError::NoWindow { fault });
    }
    for &(from, until) in windows {
        if let Some(until) = until
            && until <= from
        {
            errors.push(FaultError::EmptyWindow { fault, from, until });
        }
    }
}

/// What is wrong with a clock: it is that of a ToR of circuits, and less than a period off.
fn clock_error(fabric: &Fabric, fault: usize, behind: i64, struck: &Struck) -> Option<FaultError> {
    let circuits = fabric.circuits.as_ref().filter(|own| own.packet.is_none());
    let is_tor = matches!(struck.nodes.as_slice(), [Node::Switch(_)]);
    let Some(circuits) = circuits.filter(|_| is_tor) else {
        return Some(FaultError::Clock { fault });
    };
    let period = circuits.schedules().map(|own| own.period).min()?;
    (behind.unsigned_abs() >= period.0).then_some(FaultError::FarClock { fault, period })
}

fn check_effect(
    fabric: &Fabric,
    fault: usize,
    effect: Effect,
    ports: &[PortId],
    errors: &mut Vec<FaultError>,
) {
    match effect {
        Effect::Down | Effect::Clock { .. } => {}
        Effect::Rate { to, .. } => {
            let mut ports = ports.iter().map(|port| &fabric.ports[port.index()]);
            let wrong = |rate: Rate, nominal: Rate| rate == Rate(0) || rate > nominal;
            errors.extend(ports.find(|port| wrong(to.of(port.rate), port.rate)).map(|port| {
                FaultError::Rate { fault, link: port.name.clone(), nominal: port.rate }
            }));
        }
        Effect::Loss(p) => {
            if !is_probability(p) {
                errors.push(FaultError::Probability { fault, value: p });
            }
        }
        Effect::BitErrors(p) => {
            if !(0.0..=1.0).contains(&p) {
                errors.push(FaultError::Probability { fault, value: p });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::OnDown;
    use crate::faults::spec::{Direction, RateTo};
    use crate::topology::tree::TreeShape;
    use raddle_schemes::ids::SwitchId;

    fn fabric() -> Fabric {
        TreeShape::leaf_spine(3, 2, 2, 1, Rate::gbps(400), Span::ns(500), Span::ns(500))
            .unwrap()
            .build()
            .unwrap()
    }

    fn at(us: u64) -> Time {
        Time(us * 1_000_000)
    }

    fn down(name: &str, from: u64, until: Option<u64>) -> Fault {
        let target = Target::Link { name: name.to_owned(), direction: Direction::Both };
        Fault { target, effect: Effect::Down, windows: vec![(at(from), until.map(at))] }
    }

    fn plan(faults: &[Fault], convergence: Option<Span>) -> FaultPlan {
        FaultPlan {
            faults: faults.to_vec(),
            on_down: OnDown::Keep,
            convergence,
            local_repair: None,
            weights: Weighting::Capacity,
            hosts_know: false,
        }
    }

    /// From when on, and the names of the ports by which tor0 reaches host 4 on tor2.
    fn routes(faults: &[Fault], convergence: Option<Span>) -> Vec<(Time, Vec<String>)> {
        let fabric = fabric();
        let resolved = plan(faults, convergence).resolve(&fabric, &[], 1).unwrap();
        assert_eq!(resolved.faults.on_down, OnDown::Keep);
        let names = |forwarding: &Forwarding| {
            let ports = forwarding.ports(SwitchId(0), PortId(4));
            (0..ports.count()).map(|i| fabric.ports[ports.get(i).index()].name.clone()).collect()
        };
        resolved.routes.iter().map(|(from, forwarding)| (*from, names(forwarding))).collect()
    }

    fn up(ports: &[u32]) -> Vec<String> {
        ports.iter().map(|i| format!("tor0.up{i}")).collect()
    }

    #[test]
    fn routing_follows_each_change_after_the_convergence_time() {
        let faults = [down("tor0.up1", 10, Some(20)), down("tor2.up1", 20, Some(40))];
        assert_eq!(
            routes(&faults, Some(Span::us(3))),
            [(at(0), up(&[0, 1])), (at(13), up(&[0])), (at(23), up(&[0])), (at(43), up(&[0, 1])),]
        );
        assert_eq!(routes(&faults, None), [(at(0), up(&[0, 1]))]);
    }

    #[test]
    fn a_fault_from_the_start_can_be_known_at_the_start() {
        let faults = [down("tor0.up1", 0, None)];
        assert_eq!(routes(&faults, Some(Span::ZERO)), [(at(0), up(&[0]))]);
        let later = [(at(0), up(&[0, 1])), (at(1), up(&[0]))];
        assert_eq!(routes(&faults, Some(Span::us(1))), later);
    }

    #[test]
    fn changes_at_one_instant_make_one_route() {
        let faults = [down("tor0.up1", 5, None), down("tor1.up0", 5, None)];
        assert_eq!(routes(&faults, Some(Span::us(1))).len(), 2);
        // The pieces of one long outage are no changes; neither is a host's own cable.
        let pieces = [down("tor0.up1", 5, Some(6)), down("tor0.up1", 6, None)];
        assert_eq!(routes(&pieces, Some(Span::us(1))).len(), 2);
        let target = Target::Link { name: "host1".to_owned(), direction: Direction::Out };
        let own = Fault { target, effect: Effect::Down, windows: vec![(at(1), None)] };
        assert_eq!(routes(&[own], Some(Span::us(1))).len(), 1);
    }

    /// `tor0` sees its own link go, the others' only when all do.
    #[test]
    fn a_switch_leaves_its_own_dead_ports_out_before_all_others_do() {
        let repaired = |faults: &[Fault], convergence, repair| -> Vec<(Time, Vec<String>)> {
            let fabric = fabric();
            let plan = FaultPlan { local_repair: repair, ..plan(faults, convergence) };
            let resolved = plan.resolve(&fabric, &[], 1).unwrap();
            let names = |forwarding: &Forwarding| {
                let ports = forwarding.ports(SwitchId(0), PortId(4));
                let name = |i| fabric.ports[ports.get(i).index()].name.clone();
                (0..ports.count()).map(name).collect()
            };
            resolved.routes.iter().map(|(from, all)| (*from, names(all))).collect()
        };
        let (own, other) = (down("tor0.up1", 10, Some(20)), down("tor2.up1", 10, Some(20)));
        let (one, three) = (Some(Span::us(1)), Some(Span::us(3)));
        let (both, first) = (up(&[0, 1]), up(&[0]));
        let at_all = |list: &[(u64, &Vec<String>)]| -> Vec<(Time, Vec<String>)> {
            list.iter().map(|&(us, ports)| (at(us), ports.clone())).collect()
        };
        let alone = at_all(&[(0, &both), (11, &first), (21, &both)]);
        assert_eq!(repaired(std::slice::from_ref(&own), None, one), alone);
        let all = [(0, &both), (11, &first), (13, &first), (21, &first), (23, &both)];
        assert_eq!(repaired(std::slice::from_ref(&own), three, one), at_all(&all));
        let all = [(0, &both), (11, &both), (13, &first), (21, &first), (23, &both)];
        assert_eq!(repaired(&[other], three, one), at_all(&all));
        // One that comes no earlier does nothing; a switch without any port left keeps its set.
        assert_eq!(repaired(std::slice::from_ref(&own), one, three), alone);
        let cut = [own, down("tor0.up0", 10, Some(20))];
        assert_eq!(repaired(&cut, None, one), at_all(&[(0, &both), (11, &both), (21, &both)]));
    }

    #[test]
    fn a_healed_fabric_forwards_as_it_did() {
        let fabric = fabric();
        let faults = [down("tor0.up1", 5, Some(6))];
        let resolved = plan(&faults, Some(Span::ZERO)).resolve(&fabric, &[], 1).unwrap();
        assert_eq!(resolved.routes[2], (at(6), fabric.forwarding));
    }

    #[test]
    fn a_host_may_die_for_good_whoever_sends_to_it() {
        let fabric = fabric();
        let pairs = [(HostId(2), HostId(4)), (HostId(4), HostId(2)), (HostId(0), HostId(4))];
        let mut dies = down("tor2.up0", 1, None);
        dies.target = Target::Host { name: "host2".to_owned() };
        assert!(plan(&[dies.clone()], None).resolve(&fabric, &pairs, 1).is_ok());
        // That is no licence to cut others.
        let cut = [dies, down("tor2.up0", 1, None), down("tor2.up1", 2, None)];
        let errors = plan(&cut, None).resolve(&fabric, &pairs, 1).unwrap_err();
        assert!(errors[0].to_string().contains("cut `host0` off from `host4`"), "{errors:?}");
    }

    #[test]
    fn pairs_may_be_cut_for_a_time_but_not_for_good() {
        let fabric = fabric();
        let pairs = [(HostId(2), HostId(0)), (HostId(2), HostId(4))];
        let cut = |until| [down("tor2.up0", 1, None), down("tor2.up1", 2, until)];
        assert!(plan(&cut(Some(9)), None).resolve(&fabric, &pairs, 1).is_ok());
        for convergence in [None, Some(Span::us(1))] {
            let errors = plan(&cut(None), convergence).resolve(&fabric, &pairs, 1).unwrap_err();
            assert_eq!(
                errors[0].to_string(),
                "the faults cut `host2` off from `host4` until the end, and there is traffic \
                 between them"
            );
            assert!(plan(&cut(None), convergence).resolve(&fabric, &pairs[..1], 1).is_ok());
        }
    }

    #[test]
    fn a_detour_helps_only_if_routing_converges() {
        let fabric = fabric();
        let pairs = [(HostId(0), HostId(4))];
        let faults = [down("tor0.up0", 1, None), down("tor2.up1", 1, None)];
        assert!(plan(&faults, Some(Span::us(1))).resolve(&fabric, &pairs, 1).is_ok());
        assert!(plan(&faults, None).resolve(&fabric, &pairs, 1).is_err());
    }

    #[test]
    fn errors_come_all_at_once_and_name_what_is_near() {
        let window = vec![(at(0), None)];
        let fault = |target: Target, effect| Fault { target, effect, windows: window.clone() };
        let link = |name: &str| Target::Link { name: name.into(), direction: Direction::Both };
        let rate = |to| Effect::Rate { to, scale: false };
        let faults = [
            down("tor0.pu1", 0, None),
            fault(Target::Switch { name: "tor7".into() }, Effect::Down),
            fault(Target::Host { name: "hots3".into() }, Effect::Down),
            down("tor0.up1", 5, Some(5)),
            Fault { target: link("tor0.up1"), effect: Effect::Down, windows: Vec::new() },
            fault(link("tor0.up1"), rate(RateTo::Factor(1.5))),
            fault(link("tor0.up1"), rate(RateTo::Absolute(Rate(0)))),
            fault(link("tor0.up1"), Effect::Loss(1e-12)),
            fault(link("tor0.up1"), Effect::BitErrors(-1.0)),
        ];
        let errors = plan(&faults, None).resolve(&fabric(), &[], 1).unwrap_err();
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert!(texts[0].starts_with("fault 1: there is no link `tor0.pu1`; nearest: `tor0.up1`"));
        assert_eq!(
            texts[1..],
            [
                "fault 2: there is no switch `tor7`; nearest: `tor0`, `tor1`, `tor2`",
                "fault 3: there is no host `hots3`; nearest: `host3`",
                "fault 4: from 5 us until 5 us is no time at all",
                "fault 5: it has no time; say when it begins",
                "fault 6: the rate of `tor0.up1` must be above 0 and at most its own, 400 Gbps",
                "fault 7: the rate of `tor0.up1` must be above 0 and at most its own, 400 Gbps",
                "fault 8: 0.000000000001 is no probability; use 0, or from 2.4e-10 to 1 (bit \
                 errors: any from 0 to 1)",
                "fault 9: -1 is no probability; use 0, or from 2.4e-10 to 1 (bit errors: any \
                 from 0 to 1)",
            ]
        );
    }

    #[test]
    fn flapping_is_a_list_of_windows() {
        let windows = flapping(at(10), Span::us(10), Span::us(4), at(33)).unwrap();
        let expected = [(10, 14), (20, 24), (30, 33)];
        assert_eq!(windows, expected.map(|(from, until)| (at(from), Some(at(until)))));
        assert_eq!(flapping(at(9), Span::us(1), Span::us(1), at(20)), Err(FaultError::Flapping));
        assert_eq!(flapping(at(9), Span::us(2), Span::us(1), at(9)), Err(FaultError::Flapping));
        let most = Time(MAX_FLAPS * 2);
        let flaps = |until| flapping(Time(0), Span(2), Span(1), until).map(|list| list.len());
        assert_eq!(flaps(most), Ok(100_000));
        let more = Err(FaultError::TooManyFlaps { windows: 100_001 });
        assert_eq!(flaps(Time(most.0 + 1)), more);
    }

    /// A cable that flaps has two states, however often it does.
    #[test]
    fn hosts_that_know_share_what_comes_again() {
        let fabric = fabric();
        let name = fabric.ports[fabric.hosts as usize].name.clone();
        let windows = flapping(at(10), Span::us(100), Span::us(50), at(1_000)).unwrap();
        let target = Target::Link { name, direction: Direction::Both };
        let faults = [Fault { target, effect: Effect::Down, windows }];
        let known = |convergence, hosts_know| {
            let plan = FaultPlan { hosts_know, ..plan(&faults, convergence) };
            plan.resolve(&fabric, &[], 1).unwrap().known_routes
        };
        let routes = known(None, true);
        assert_eq!(routes.len(), 1 + 2 * 10);
        assert!(Arc::ptr_eq(&routes[0].1, &routes[2].1) && Arc::ptr_eq(&routes[1].1, &routes[3].1));
        assert!(routes[0].1 != routes[1].1 && routes.is_sorted_by_key(|(from, _)| *from));
        assert!(known(None, false).is_empty() && known(Some(Span::ZERO), true).is_empty());
    }
}
