//! Fabrics of circuits: ToRs whose uplinks lead to circuit switches (rotors), which turn.
//!
//! A rotor has no queue and reads nothing, so it is no node. From each ToR to each other one that some
//! matching connects it to there is one **lane**: a link with a queue of its own, open when a circuit
//! of the two is up ([`Gate`]). In a matching an uplink has one lane at a time, so uplinks keep their
//! rate. Circuits of several uplinks at once are as fast as they are together.

use super::assemble::{Cable, assemble, host, switch};
use super::kind::{Draw, Kind, Topology};
use super::packet_network::PacketNetwork;
use super::shape_error::{MAX_PORTS, ShapeError};
use super::slicing::{Late, Slicing};
use super::{Fabric, Node};
use crate::faults::gate::{Gate, Opening};
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use std::collections::{BTreeMap, BTreeSet};

/// What it says of itself.
pub const KIND: Kind = Kind {
    name: "circuits",
    summary: "ToRs whose uplinks lead to circuit switches, which follow a schedule",
    paper: "RotorNet, SIGCOMM 2017; Sirius, SIGCOMM 2020; Opera, NSDI 2020; Mars, Vermilion",
    small,
};

/// A ring of circuits, and others by shifts.
fn small(draw: &mut Draw<'_>) -> Box<dyn Topology> {
    let tors = draw.between(2, 6);
    let (uplinks, slots) = (draw.between(1, 2), draw.between(1, 4));
    let slot = Span::us(u64::from(draw.between(4, 40)));
    let dark = Span(slot.0 / 10 * u64::from(draw.between(0, 4)));
    let mut turn = |first: bool| {
        let by = if first { 1 } else { (draw.below)(tors) };
        let targets = (0..tors).map(|tor| ((tor + by) % tors) as u16).collect();
        Turn { targets, turns: true }
    };
    let mut rotor = |uplink: u32| (0..slots).map(|slot| turn(uplink + slot == 0)).collect();
    let rotors = (0..uplinks).map(&mut rotor).collect();
    Box::new(CircuitShape {
        tors,
        hosts_per_tor: draw.between(1, 2),
        rate: draw.rates[0],
        uplink_rate: draw.rates[1],
        link_delay: draw.delays[0],
        circuit_delay: draw.delays[1],
        switch_delay: draw.switch_delay,
        rotors: Rotors { slots: vec![slot; slots as usize], dark, rotors },
        guard: Span(u64::from(draw.between(0, 1))),
        slicing: None,
        changes: Vec::new(),
    })
}

/// Most uplinks of a ToR: a lane's opening has a bit for each.
pub const UPLINKS_MAX: usize = 64;

/// What circuit switches connect over time, one for each uplink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotors {
    /// How long each slot of the period is.
    pub slots: Vec<Span>,
    /// For so long a rotor that turns at the start of a slot connects nothing.
    pub dark: Span,
    /// The slots of each rotor.
    pub rotors: Vec<Vec<Turn>>,
}

/// What a rotor connects in a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Where each ToR sends; itself if it is idle.
    pub targets: Vec<u16>,
    /// Whether the rotor turns at the start of the slot, and is dark for a while.
    pub turns: bool,
}

/// What circuit switches do from an instant on.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// When: as a period of what was before ends.
    pub at: Time,
    /// What they connect from then on.
    pub rotors: Rotors,
}

/// A schedule that follows another.
#[derive(Clone, Debug, PartialEq)]
pub struct Later {
    /// When its first period begins.
    pub begins: Time,
    /// When its circuits are up: all circuit switches have turned.
    pub opens: Time,
    /// Its circuits, of the same lanes.
    pub circuits: Circuits,
}

/// The numbers that fix a fabric of circuits.
#[derive(Clone, Debug, PartialEq)]
pub struct CircuitShape {
    /// ToRs.
    pub tors: u32,
    /// Hosts below each.
    pub hosts_per_tor: u32,
    /// Rate of the hosts' links.
    pub rate: Rate,
    /// Rate of an uplink.
    pub uplink_rate: Rate,
    /// Propagation delay of the hosts' cables.
    pub link_delay: Span,
    /// Propagation delay from ToR to ToR through a rotor.
    pub circuit_delay: Span,
    /// Latency of ToRs.
    pub switch_delay: Span,
    /// What connects them.
    pub rotors: Rotors,
    /// The last bit of a frame leaves so long before its circuit goes down.
    pub guard: Span,
    /// Where frames go by slices: what becomes of those that are late, and a bit for each class whose
    /// data waits for the shortest way of all times.
    pub slicing: Option<(Late, u8)>,
    /// Schedules that follow, in order of time.
    pub changes: Vec<Change>,
}

/// The lanes of a fabric.
#[derive(Clone, Debug, PartialEq)]
pub struct Circuits {
    /// After so long all comes again.
    pub period: Span,
    /// What is kept free at the end of openings.
    pub guard: Span,
    /// How many uplinks a ToR has.
    pub uplinks: u32,
    /// Rate of each.
    pub uplink_rate: Rate,
    /// In order of port: every link between two ToRs.
    pub lanes: Vec<Lane>,
    /// The packet network beside them, where ToRs are hybrid.
    pub packet: Option<PacketNetwork>,
    /// Where frames go by slices.
    pub slicing: Option<Slicing>,
    /// Schedules that follow, in order.
    pub later: Vec<Later>,
}

/// The link from a ToR to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// Its port.
    pub port: PortId,
    /// When it is open, in order of time; never, if it only leads back.
    pub openings: Vec<Opening>,
    /// The uplinks that each opening is of, a bit for each.
    pub uplinks: Vec<u64>,
}

impl Lane {
    /// Time in which it is open, in a period.
    pub fn open(&self) -> Span {
        Span(self.openings.iter().map(|opening| opening.until.0 - opening.from.0).sum())
    }

    /// What it can carry in a period, in bits times seconds times 10^12.
    fn capacity(&self) -> u128 {
        let own = |own: &Opening| u128::from(own.until.0 - own.from.0) * u128::from(own.rate.0);
        self.openings.iter().map(own).sum()
    }
}

impl Circuits {
    /// The lane that leaves a port.
    pub fn lane(&self, port: PortId) -> Option<&Lane> {
        let place = self.lanes.binary_search_by_key(&port, |lane| lane.port);
        place.ok().map(|place| &self.lanes[place])
    }

    /// The uplink whose memory a lane has: one of its first opening.
    pub(crate) fn group(lane: &Lane) -> u32 {
        lane.uplinks.first().map_or(0, |uplinks| uplinks.trailing_zeros().min(63))
    }

    /// The gate of a port's lane; `None` where it is always open.
    pub fn gate(&self, port: PortId) -> Option<Gate> {
        self.any_gate(port).filter(|gate| !gate.is_always_open())
    }

    /// The gate of a lane by this schedule, always open or not.
    pub(crate) fn own_gate(&self, lane: &Lane) -> Gate {
        let all = lane.openings.iter().copied().zip(lane.uplinks.iter().copied()).collect();
        Gate::of_uplinks(self.period, self.guard, all)
    }

    /// The same without openings of lanes of which all uplinks are dead, a bit each.
    pub(crate) fn without(&self, dead: &[(PortId, u64)]) -> Self {
        let mut left = self.clone();
        for &(port, dead) in dead {
            let Some(lane) = left.lanes.iter_mut().find(|lane| lane.port == port) else { continue };
            let stays = |uplinks: &u64| *uplinks & !dead != 0;
            let kept = lane.openings.iter().zip(&lane.uplinks).filter(|own| stays(own.1));
            lane.openings = kept.map(|own| *own.0).collect();
            lane.uplinks.retain(stays);
        }
        left
    }

    /// The mean rate of a lane, over a period.
    pub fn mean_rate(&self, lane: &Lane) -> Rate {
        Rate((lane.capacity() / u128::from(self.period.0.max(1))) as u64)
    }
}

impl Circuits {
    /// [`Circuits::passes`] by this schedule, of which nothing is open before `opens`.
    pub(super) fn passes_own(
        &self,
        port: PortId,
        (size, end): (Bytes, Time),
        dead: u64,
        opens: Span,
    ) -> bool {
        let Some(lane) = self.lane(port) else { return true };
        let (period, guard) = (self.period.0, self.guard.0);
        let is_whole = |own: &Opening| own.until.0 - own.from.0 == period;
        let phase = end.0 % period;
        lane.openings.iter().zip(&lane.uplinks).any(|(own, &uplinks)| {
            let within = |end: u64| {
                let start = end.checked_sub(own.rate.serialisation(size).0);
                start.is_some_and(|start| own.from.0 <= start && end + guard <= own.until.0)
            };
            let is_dead = uplinks != 0 && uplinks & !dead == 0;
            // Before a clock's time zero it is as at the end of a period.
            let is_late = opens == Span::ZERO || end.0 >= opens.0 + own.rate.serialisation(size).0;
            !is_dead && is_late && (is_whole(own) || within(phase) || within(phase + period))
        })
    }
}

impl Fabric {
    /// The gate of a port's link, if it has one.
    pub fn gate(&self, port: PortId) -> Option<Gate> {
        let circuits = self.circuits.as_ref()?;
        circuits.gate(port)
    }

    /// How long a packet and its ACK wait for circuits at most, with nothing before them: a period at
    /// each lane of the longest route there and back, twice that where they make detours.
    pub(crate) fn longest_wait(&self, detours: bool) -> Span {
        let Some(circuits) = &self.circuits else { return Span::ZERO };
        let waits = |lane: &Lane| circuits.gate(lane.port).is_some() && self.opens(lane.port);
        let by_slices = |own: &Slicing| own.waiting == 0 && own.late != Late::Wait;
        if !circuits.lanes.iter().any(waits) || circuits.slicing.as_ref().is_some_and(by_slices) {
            return Span::ZERO;
        }
        let (edges, hosts) = self.edge_switches();
        let lanes = |from: SwitchId, to: PortId| {
            let (mut at, mut lanes) = (from, 0);
            loop {
                let ways = self.forwarding.ports(at, to);
                match (ways.count() > 0).then(|| self.destination(ways.get(0))) {
                    Some(Node::Switch(next)) => (at, lanes) = (next, lanes + 1),
                    _ => return lanes,
                }
            }
        };
        let from = |&from: &SwitchId| hosts.iter().map(|&to| lanes(from, to)).max().unwrap_or(0);
        let most = edges.iter().map(from).max().unwrap_or(0);
        let period = circuits.schedules().map(|own| own.period.0).max().unwrap_or(0);
        Span(period.saturating_mul(most * if detours { 4 } else { 2 }))
    }

    /// Whether anything ever leaves a port: no lane that only leads back.
    pub fn opens(&self, port: PortId) -> bool {
        let circuits = self.circuits.as_ref();
        let lane = circuits.and_then(|circuits| circuits.first_lane(port));
        lane.is_none_or(|lane| !lane.openings.is_empty())
    }
}

impl Rotors {
    /// How long the period is.
    pub fn period(&self) -> Span {
        Span(self.slots.iter().map(|slot| slot.0).sum())
    }

    /// When each slice begins within the period: as the dark time of each slot ends.
    fn slices(&self) -> Vec<Span> {
        let begins = |start: &mut u64, slot: &Span| {
            let own = *start + self.dark.0;
            *start += slot.0;
            Some(Span(own))
        };
        self.slots.iter().scan(0, begins).collect()
    }

    /// Which uplinks' circuits lead from each ToR to each other, and when.
    fn pairs(&self) -> BTreeMap<(u16, u16), Vec<Circuit>> {
        let mut pairs: BTreeMap<(u16, u16), Vec<Circuit>> = BTreeMap::new();
        for (uplink, rotor) in self.rotors.iter().enumerate() {
            let mut start = 0;
            for (turn, slot) in rotor.iter().zip(&self.slots) {
                let until = start + slot.0;
                let from = start + if turn.turns { self.dark.0 } else { 0 };
                for (tor, &target) in (0..).zip(&turn.targets).filter(|(tor, to)| tor != *to) {
                    let circuit = Circuit { from, until, uplinks: 1 << uplink };
                    pairs.entry((tor, target)).or_default().push(circuit);
                }
                start = until;
            }
        }
        pairs
    }

    fn is_sound(&self, tors: u32) -> bool {
        let is_matching = |turn: &Turn| {
            let mut taken = vec![false; tors as usize];
            let free = |&to: &u16| {
                taken.get_mut(usize::from(to)).is_some_and(|taken| !std::mem::replace(taken, true))
            };
            turn.targets.len() == tors as usize && turn.targets.iter().all(free)
        };
        let lists = self.rotors.iter().all(|rotor| rotor.len() == self.slots.len());
        lists && self.rotors.iter().flatten().all(is_matching)
    }
}

/// What is up between two ToRs from some time to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Circuit {
    from: u64,
    until: u64,
    uplinks: u64,
}

/// The openings of a lane that has these circuits in a period: cut where the set of circuits changes.
/// What follows without a break over the same uplinks is one, around the period, too.
fn openings(circuits: &[Circuit], period: u64) -> Vec<Circuit> {
    let mut edges: Vec<u64> = circuits.iter().flat_map(|own| [own.from, own.until]).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut open: Vec<Circuit> = Vec::new();
    for edge in edges.windows(2) {
        let (from, until) = (edge[0], edge[1]);
        let up = circuits.iter().filter(|own| own.from <= from && own.until >= until);
        let uplinks = up.fold(0, |all, own| all | own.uplinks);
        match open.last_mut() {
            _ if uplinks == 0 => {}
            Some(last) if last.until == from && last.uplinks == uplinks => last.until = until,
            _ => open.push(Circuit { from, until, uplinks }),
        }
    }
    if let [first, .., last] = open[..]
        && (first.from, first.uplinks) == (0, last.uplinks)
        && last.until == period
    {
        open.remove(0);
        open.iter_mut().last().into_iter().for_each(|last| last.until += first.until);
    }
    open
}

impl Topology for CircuitShape {
    fn hosts(&self) -> u64 {
        u64::from(self.tors) * u64::from(self.hosts_per_tor)
    }

    fn build(&self) -> Result<Fabric, ShapeError> {
        Self::build(self)
    }
}

impl CircuitShape {
    /// The schedules, in order of time.
    fn schedules(&self) -> Vec<&Rotors> {
        let later = self.changes.iter().map(|change| &change.rotors);
        [&self.rotors].into_iter().chain(later).collect()
    }

    /// Whether the numbers fit together.
    fn check(&self) -> Result<(), ShapeError> {
        let rotors = &self.rotors;
        ShapeError::at_least_one(&[
            ("tors", u64::from(self.tors)),
            ("hosts_per_tor", u64::from(self.hosts_per_tor)),
            ("the rate of host links", self.rate.0),
            ("the rate of uplinks", self.uplink_rate.0),
            ("the number of uplinks", rotors.rotors.len() as u64),
            ("the period", rotors.period().0),
        ])?;
        if rotors.rotors.len() > UPLINKS_MAX {
            let (uplinks, most) = (rotors.rotors.len(), UPLINKS_MAX);
            return Err(ShapeError::ManyUplinks { uplinks, most });
        }
        let alike = |own: &Rotors| own.rotors.len() == rotors.rotors.len() && own.period().0 > 0;
        if !self.schedules().into_iter().all(|own| own.is_sound(self.tors) && alike(own)) {
            return Err(ShapeError::Matchings);
        }
        self.check_changes()
    }

    /// The fabric: ToRs `tor0`, `tor1`, ..., hosts `host0`, `host1`, ..., lanes `tor0.to.tor1`. Routes
    /// are shortest paths over lanes, whenever those are open.
    ///
    /// # Errors
    /// If a number is zero, rotors are no matchings of the ToRs, or there is too much of something.
    pub fn build(&self) -> Result<Fabric, ShapeError> {
        self.check()?;
        let Self { tors, hosts_per_tor, rotors, .. } = self;
        let all = self.schedules().into_iter();
        let pairs: Vec<_> = all.map(|own| (own.pairs(), own.period())).collect();
        let keys = pairs.iter().flat_map(|own| own.0.keys());
        let cabled: BTreeSet<_> = keys.map(|&(a, b)| (a.min(b), a.max(b))).collect();
        let hosts = u64::from(*tors) * u64::from(*hosts_per_tor);
        let ports = 2 * (hosts + cabled.len() as u64);
        if ports > MAX_PORTS {
            return Err(ShapeError::TooLarge { ports });
        }
        let lane = |schedule: usize, from: u16, to: u16| {
            let (pairs, period) = &pairs[schedule];
            let circuits = pairs.get(&(from, to)).map_or(&[][..], Vec::as_slice);
            openings(circuits, period.0)
        };
        let rate = |open: &Circuit| Rate(self.uplink_rate.0 * u64::from(open.uplinks.count_ones()));
        // The fastest that it ever is: what round trips without waits go by.
        let nominal = |from: u16, to: u16| {
            let open = (0..pairs.len()).flat_map(|schedule| lane(schedule, from, to));
            open.map(|own| rate(&own)).max().unwrap_or(self.uplink_rate)
        };
        let mut cables: Vec<Cable> = (0..hosts as usize)
            .map(|own| Cable {
                ends: [host(own), switch(own / *hosts_per_tor as usize)],
                rates: [self.rate; 2],
                delay: self.link_delay,
            })
            .collect();
        cables.extend(cabled.iter().map(|&(a, b)| Cable {
            ends: [switch(a.into()), switch(b.into())],
            rates: [nominal(a, b), nominal(b, a)],
            delay: self.circuit_delay,
        }));
        let names: Vec<String> = (0..hosts).map(|host| format!("host{host}")).collect();
        let switches = (0..*tors).map(|tor| (format!("tor{tor}"), self.switch_delay));
        let mut fabric = assemble(&names, switches.collect(), &cables);
        let number =
            |port: PortId| match (fabric.ports[port.index()].owner, fabric.destination(port)) {
                (Node::Switch(from), Node::Switch(to)) => Some((from.0 as u16, to.0 as u16)),
                _ => None,
            };
        let opening = |own: &Circuit| Opening {
            from: Span(own.from),
            until: Span(own.until),
            rate: rate(own),
        };
        let circuits = |schedule: usize| {
            let ports = (0..fabric.ports.len() as u32).map(PortId);
            let lanes = ports.filter_map(|port| {
                let (from, to) = number(port)?;
                let open = lane(schedule, from, to);
                let openings = open.iter().map(opening).collect();
                Some(Lane { port, openings, uplinks: open.iter().map(|own| own.uplinks).collect() })
            });
            Circuits {
                period: pairs[schedule].1,
                guard: self.guard,
                uplinks: rotors.rotors.len() as u32,
                uplink_rate: self.uplink_rate,
                lanes: lanes.collect(),
                packet: None,
                slicing: None,
                later: Vec::new(),
            }
        };
        let later = self.changes.iter().zip(1..).map(|(change, schedule)| Later {
            begins: change.at,
            opens: change.at + change.rotors.dark,
            circuits: circuits(schedule),
        });
        let slicing = |(late, waiting)| Slicing { starts: rotors.slices(), late, waiting };
        let circuits =
            Circuits { slicing: self.slicing.map(slicing), later: later.collect(), ..circuits(0) };
        fabric.circuits = Some(Box::new(circuits));
        fabric.route_by_shortest_paths();
        if let Some(slice) = fabric.torn_slice() {
            return Err(ShapeError::TornSlice { slice });
        }
        Ok(fabric)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::ids::HostId;

    fn shift(tors: u16, by: u16, turns: bool) -> Turn {
        Turn { targets: (0..tors).map(|tor| (tor + by) % tors).collect(), turns }
    }

    fn shape(tors: u16, rotors: Vec<Vec<Turn>>) -> CircuitShape {
        let slots = vec![Span::us(100); rotors[0].len()];
        CircuitShape {
            tors: tors.into(),
            hosts_per_tor: 2,
            rate: Rate::gbps(10),
            uplink_rate: Rate::gbps(10),
            link_delay: Span::ns(500),
            circuit_delay: Span::ns(500),
            switch_delay: Span::ZERO,
            rotors: Rotors { slots, dark: Span::us(10), rotors },
            guard: Span::ZERO,
            slicing: None,
            changes: Vec::new(),
        }
    }

    /// When a lane is open, in us, and how fast, in Gbps.
    fn open(fabric: &Fabric, name: &str) -> Vec<(u64, u64, u64)> {
        let lane =
            fabric.circuits.as_ref().unwrap().lane(fabric.port_named(name).unwrap()).unwrap();
        let us = |span: Span| span.0 / 1_000_000;
        let gbps = |rate: Rate| rate.0 / 1_000_000_000;
        lane.openings.iter().map(|own| (us(own.from), us(own.until), gbps(own.rate))).collect()
    }

    #[test]
    fn lanes_are_open_in_the_slots_of_their_circuits() {
        let turns = (0..4).map(|by| shift(4, by, true)).collect();
        let fabric = shape(4, vec![turns]).build().unwrap();
        assert_eq!((fabric.hosts, fabric.switches.len(), fabric.ports.len()), (8, 4, 16 + 12));
        assert_eq!(open(&fabric, "tor0.to.tor1"), [(110, 200, 10)]);
        assert_eq!(open(&fabric, "tor1.to.tor0"), [(310, 400, 10)]);
        let path = fabric.path(HostId(0), HostId(7));
        let names: Vec<&str> =
            path.iter().map(|port| fabric.ports[port.index()].name.as_str()).collect();
        assert_eq!(names, ["host0", "tor0.to.tor3", "tor3.to.host7"]);
        let circuits = fabric.circuits.as_ref().unwrap();
        let lane = &circuits.lanes[0];
        assert_eq!((lane.open(), circuits.mean_rate(lane).0), (Span::us(90), 2_250_000_000));
        assert!(fabric.gate(PortId(0)).is_none(), "a host's link");
    }

    #[test]
    fn circuits_that_do_not_turn_go_on_and_others_add_their_rates() {
        // One rotor turns at the start of slot 0, the other at that of slot 1.
        let first = vec![shift(3, 1, true), shift(3, 1, false)];
        let second = vec![shift(3, 1, false), shift(3, 2, true)];
        let fabric = shape(3, vec![first, second]).build().unwrap();
        assert_eq!(open(&fabric, "tor0.to.tor1"), [(0, 10, 10), (10, 100, 20), (100, 200, 10)]);
        assert_eq!(open(&fabric, "tor0.to.tor2"), [(110, 200, 10)]);
        assert_eq!(
            fabric.ports[fabric.port_named("tor0.to.tor1").unwrap().index()].rate,
            Rate::gbps(20)
        );
    }

    #[test]
    fn an_opening_goes_on_around_the_period() {
        let rotor = vec![shift(3, 1, false), shift(3, 2, true), shift(3, 1, true)];
        let fabric = shape(3, vec![rotor]).build().unwrap();
        assert_eq!(open(&fabric, "tor0.to.tor1"), [(210, 400, 10)]);
        let always = shape(3, vec![vec![shift(3, 1, false)]]).build().unwrap();
        assert_eq!(open(&always, "tor0.to.tor1"), [(0, 100, 10)]);
        assert!(always.gate(always.port_named("tor0.to.tor1").unwrap()).is_none());
    }

    #[test]
    fn nothing_is_routed_over_a_lane_that_only_leads_back() {
        let ring = shape(4, vec![vec![shift(4, 1, false)]]).build().unwrap();
        let back = ring.port_named("tor1.to.tor0").unwrap();
        assert!(!ring.opens(back) && ring.opens(PortId(0)));
        let choices = ring.forwarding.ports(SwitchId(1), PortId(0));
        assert_eq!(
            (choices.count(), choices.get(0)),
            (1, ring.port_named("tor1.to.tor2").unwrap())
        );
    }

    #[test]
    fn what_is_no_fabric_is_refused() {
        let error = |shape: CircuitShape| shape.build().unwrap_err().to_string();
        let good = || shape(3, vec![vec![shift(3, 1, true)]]);
        assert_eq!(
            error(CircuitShape { hosts_per_tor: 0, ..good() }),
            "hosts_per_tor is 0; it must be at least 1"
        );
        let mut twice = good();
        twice.rotors.rotors[0][0].targets = vec![1, 1, 0];
        assert_eq!(twice.build(), Err(ShapeError::Matchings));
        let many = shape(3, vec![vec![shift(3, 1, true)]; 65]);
        assert_eq!(many.build(), Err(ShapeError::ManyUplinks { uplinks: 65, most: UPLINKS_MAX }));
    }
}
