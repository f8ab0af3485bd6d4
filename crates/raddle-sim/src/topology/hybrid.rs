//! Hybrid fabrics: ToRs with an uplink to a circuit switch and one to a packet network.
//!
//! Mukerjee et al., Adapting TCP for Reconfigurable Datacenter Networks, NSDI 2020, and the case study of
//! PowerTCP (Addanki, thesis, section 2.5). A ToR has a queue for each other ToR (VOQ), which the
//! circuit drains in its day, and the packet uplink, in turn over all queues, at other times but the
//! night before that day: then the pair is being connected. A week is a day and a night for each shift
//! of the ToRs by one to all but one.
//!
//! The queue of a pair is that of its [lane](super::circuits): what the packet uplink takes from it goes
//! to the core, a switch with a cable to each ToR.
//!
//! Reading: the core's queues are those of any switch. Etalon's hold three packets, and what does not fit
//! goes back to the ToR, before its queue: that keeps the queue at the ToR, as a core that is never full
//! does.

use super::assemble::{Cable, assemble, host, switch};
use super::circuits::{Circuits, Lane};
use super::kind::Topology;
use super::packet_network::{Counters, PacketNetwork};
use super::shape_error::{MAX_PORTS, ShapeError};
use super::{Fabric, Node, Switch};
use crate::faults::gate::{Gate, Opening};
use raddle_schemes::buffer::Day;
use raddle_schemes::ids::{HostId, PortId};
use raddle_schemes::units::{Rate, Span, Time};

/// The numbers that fix a hybrid fabric.
#[derive(Clone, Debug, PartialEq)]
pub struct HybridShape {
    /// ToRs.
    pub tors: u32,
    /// Hosts below each.
    pub hosts_per_tor: u32,
    /// Rate of the hosts' links.
    pub rate: Rate,
    /// Rate of a circuit.
    pub circuit_rate: Rate,
    /// Rate of a ToR's link to the packet core.
    pub packet_rate: Rate,
    /// Propagation delay of the hosts' cables.
    pub link_delay: Span,
    /// Propagation delay from ToR to ToR by a circuit.
    pub circuit_delay: Span,
    /// Propagation delay from a ToR to the packet core.
    pub packet_delay: Span,
    /// Latency of every switch.
    pub switch_delay: Span,
    /// How long a circuit is up.
    pub day: Span,
    /// How long none is, before each day.
    pub night: Span,
    /// So long before a day, and in it, ToRs tell of the circuit in ACKs.
    pub notice: Span,
    /// What telemetry says.
    pub counters: Counters,
}

impl HybridShape {
    fn slot(&self) -> u64 {
        self.day.0.saturating_add(self.night.0)
    }

    /// When the circuit is up from a ToR to the one `shift` further, in a week.
    fn opening(&self, shift: u32) -> Opening {
        let start = u64::from(shift - 1) * self.slot();
        let (from, until) = (Span(start + self.night.0), Span(start + self.slot()));
        Opening { from, until, rate: self.circuit_rate }
    }
}

impl Topology for HybridShape {
    fn hosts(&self) -> u64 {
        u64::from(self.tors).saturating_mul(self.hosts_per_tor.into())
    }

    /// The fabric: ToRs `tor0`, `tor1`, ..., the switch `core`, hosts `host0`, `host1`, ..., circuits
    /// `tor0.to.tor1` and packet links `tor0.to.core`.
    fn build(&self) -> Result<Fabric, ShapeError> {
        let Self { tors, hosts_per_tor, .. } = *self;
        ShapeError::at_least_one(&[
            ("tors", u64::from(tors)),
            ("hosts_per_tor", u64::from(hosts_per_tor)),
            ("the rate of host links", self.rate.0),
            ("the rate of circuits", self.circuit_rate.0),
            ("the rate of packet links", self.packet_rate.0),
            ("day", self.day.0),
            ("night", self.night.0),
        ])?;
        if tors < 2 {
            return Err(ShapeError::FewTors(tors));
        }
        let hosts = self.hosts();
        let lanes = u64::from(tors) * u64::from(tors - 1);
        let ports = hosts.saturating_add(tors.into()).saturating_mul(2).saturating_add(lanes);
        if ports > MAX_PORTS {
            return Err(ShapeError::TooLarge { ports });
        }
        let n = tors as usize;
        let mut cables: Vec<Cable> = (0..hosts as usize)
            .map(|own| Cable {
                ends: [host(own), switch(own / hosts_per_tor as usize)],
                rates: [self.rate; 2],
                delay: self.link_delay,
            })
            .collect();
        let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
        cables.extend(pairs.map(|(a, b)| Cable {
            ends: [switch(a), switch(b)],
            rates: [self.circuit_rate; 2],
            delay: self.circuit_delay,
        }));
        cables.extend((0..n).map(|tor| Cable {
            ends: [switch(tor), switch(n)],
            rates: [self.packet_rate; 2],
            delay: self.packet_delay,
        }));
        let names: Vec<String> = (0..hosts).map(|host| format!("host{host}")).collect();
        let tor_names = (0..tors).map(|tor| format!("tor{tor}"));
        let switches = tor_names.chain(["core".to_owned()]).map(|name| (name, self.switch_delay));
        let mut fabric = assemble(&names, switches.collect(), &cables);
        let (mut lanes, mut uplinks) = (Vec::new(), Vec::new());
        for id in (0..fabric.ports.len() as u32).map(PortId) {
            match (fabric.ports[id.index()].owner, fabric.destination(id)) {
                (Node::Switch(from), Node::Switch(to)) if to.0 == tors => {
                    uplinks.extend((from.0 < tors).then_some(id));
                }
                (Node::Switch(from), Node::Switch(to)) if from.0 < tors => {
                    let shift = (to.0 + tors - from.0) % tors;
                    let openings = vec![self.opening(shift)];
                    lanes.push(Lane { port: id, openings, uplinks: vec![1] });
                }
                _ => {}
            }
        }
        let (night, notice, counters) = (self.night, self.notice, self.counters);
        fabric.circuits = Some(Box::new(Circuits {
            slicing: None,
            later: Vec::new(),
            period: Span(self.slot().saturating_mul(u64::from(tors - 1))),
            guard: Span::ZERO,
            uplinks: 1,
            uplink_rate: self.circuit_rate,
            lanes,
            packet: Some(PacketNetwork { uplinks, night, notice, counters }),
        }));
        fabric.route_by_shortest_paths();
        Ok(fabric)
    }
}

impl Fabric {
    /// The packet network beside circuits, where there is one.
    pub fn packet_network(&self) -> Option<&PacketNetwork> {
        self.circuits.as_ref()?.packet.as_ref()
    }

    /// The uplink of a switch to that network.
    pub fn packet_uplink(&self, of: &Switch) -> Option<PortId> {
        let uplinks = &self.packet_network()?.uplinks;
        let place = uplinks.partition_point(|own| own.0 < of.ports.start);
        uplinks.get(place).copied().filter(|own| of.ports.contains(&own.0))
    }

    /// Whether a port is an uplink to that network.
    pub fn is_packet_uplink(&self, port: PortId) -> bool {
        self.packet_network().is_some_and(|own| own.uplinks.binary_search(&port).is_ok())
    }

    /// Whether telemetry tells of a port. What is given to an uplink of the packet network was told of
    /// where it waited; and where a pair's queue is one hop over both links, the core is none: paths
    /// would have another length by day.
    pub(crate) fn is_told_of(&self, port: PortId) -> bool {
        let Some(PacketNetwork { uplinks, counters, .. }) = self.packet_network() else {
            return true;
        };
        let owner = self.ports[port.index()].owner;
        let is_core = uplinks.first().is_some_and(|uplink| self.destination(*uplink) == owner);
        !(self.is_packet_uplink(port) || is_core && *counters == Counters::Voq)
    }

    /// When a circuit drains the queue of a port that the packet network drains at other times.
    pub fn day(&self, port: PortId) -> Option<Day> {
        let circuits = self.circuits.as_ref().filter(|own| own.packet.is_some())?;
        let Opening { from, until, .. } = *circuits.lane(port)?.openings.first()?;
        Some(Day { period: circuits.period, from, until })
    }

    /// When the packet uplink may take from the queue of a port: a gate that is open then.
    pub(crate) fn packet_gate(&self, port: PortId) -> Option<Gate> {
        let Day { period, from, until } = self.day(port)?;
        // A circuit that is always up leaves the packet network no time.
        let closes = from.0.saturating_sub(self.packet_network()?.night.0);
        let rate = self.ports[port.index()].rate;
        // From the day's end until the night before the next.
        let open = if until == period {
            Opening { from: Span::ZERO, until: Span(closes), rate }
        } else {
            Opening { from: until, until: Span(closes + period.0), rate }
        };
        let openings = if open.from < open.until { vec![open] } else { Vec::new() };
        Gate::new(period, Span::ZERO, &openings)
    }

    /// Whether the ToR of `source` wrote into an ACK for data to `destination`, which the host has at
    /// `now`, that the two ToRs have a circuit or will have one soon. It did when the ACK left it.
    pub(crate) fn tells_of_circuit(&self, now: Time, source: HostId, destination: HostId) -> bool {
        let Some(packet) = self.packet_network() else { return false };
        let ways = self.forwarding.ports(self.edge(source), PortId(destination.0));
        if ways.count() == 0 {
            return false;
        }
        let last_hop = self.ports[source.index()].peer;
        let left = Time(now.0.saturating_sub(self.latency(last_hop).0));
        self.day(ways.get(0)).is_some_and(|day| day.is_within(left, packet.notice))
    }

    /// The least time and the highest rate from the ToR of a port to the one at its end, where the packet
    /// network leads there, too.
    pub(crate) fn best_of_both(&self, port: PortId) -> Option<(Rate, Span)> {
        let packet = self.packet_network()?;
        self.circuits.as_ref()?.lane(port)?;
        let uplink = |node: Node| match node {
            Node::Switch(own) => self.packet_uplink(&self.switches[own.index()]),
            Node::Host(_) => None,
        };
        let (from, to) = (self.ports[port.index()].owner, self.destination(port));
        let (up, down) = (uplink(from)?, self.ports[uplink(to)?.index()].peer);
        let by_packets = self.latency(up) + self.latency(down);
        debug_assert!(packet.uplinks.contains(&up));
        let rate = |port: PortId| self.ports[port.index()].rate;
        Some((rate(port).max(rate(up)), self.latency(port).min(by_packets)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Etalon's: a week of seven days of 180 us, each after a night of 20 us.
    fn etalon() -> HybridShape {
        HybridShape {
            tors: 8,
            hosts_per_tor: 2,
            rate: Rate::gbps(10),
            circuit_rate: Rate::gbps(80),
            packet_rate: Rate::gbps(10),
            link_delay: Span::ns(500),
            circuit_delay: Span::us(30),
            packet_delay: Span::ns(2_500),
            switch_delay: Span::ZERO,
            day: Span::us(180),
            night: Span::us(20),
            notice: Span::us(50),
            counters: Counters::Voq,
        }
    }

    #[test]
    fn each_pair_has_a_day_a_week() {
        let fabric = etalon().build().unwrap();
        assert_eq!((fabric.hosts, fabric.switches.len()), (16, 9));
        assert_eq!(fabric.ports.len(), 32 + 56 + 16);
        let day = |name: &str| fabric.day(fabric.port_named(name).unwrap()).unwrap();
        let us = |from, until| Day {
            period: Span::us(1400),
            from: Span::us(from),
            until: Span::us(until),
        };
        assert_eq!(day("tor2.to.tor3"), us(20, 200));
        assert_eq!(day("tor3.to.tor2"), us(1220, 1400));
        let path = fabric.path(HostId(4), HostId(7));
        let names: Vec<_> =
            path.iter().map(|port| fabric.ports[port.index()].name.as_str()).collect();
        assert_eq!(names, ["host4", "tor2.to.tor3", "tor3.to.host7"]);
        let uplink = fabric.packet_uplink(&fabric.switches[2]).unwrap();
        assert_eq!(fabric.ports[uplink.index()].name, "tor2.to.core");
        assert_eq!(fabric.packet_uplink(&fabric.switches[8]), None);
    }

    #[test]
    fn the_packet_uplink_takes_nothing_from_the_night_to_the_end_of_the_day() {
        let fabric = etalon().build().unwrap();
        for (name, closed) in [("tor0.to.tor1", 0..200), ("tor0.to.tor4", 600..800)] {
            let gate = fabric.packet_gate(fabric.port_named(name).unwrap()).unwrap();
            for us in 0..3000 {
                let now = Time(us * 1_000_000);
                let open = gate.next_start(now, raddle_schemes::units::Bytes(0)) == now;
                assert_eq!(open, !closed.contains(&(us % 1400)), "{name} at {us} us");
            }
        }
        let last = fabric.packet_gate(fabric.port_named("tor0.to.tor7").unwrap()).unwrap();
        let at = |us: u64| last.next_start(Time(us * 1_000_000), raddle_schemes::units::Bytes(0));
        assert_eq!(
            [0, 1199, 1200, 1399].map(at),
            [0, 1199, 1400, 1400].map(|us| Time(us * 1_000_000))
        );
    }

    #[test]
    fn acks_tell_of_a_circuit_ahead_of_its_day() {
        let fabric = etalon().build().unwrap();
        // The day of tor0.to.tor2 is from 220 to 400 us; an ACK takes 500 ns from the ToR.
        let tells = |ns: u64| fabric.tells_of_circuit(Time(ns * 1000), HostId(0), HostId(4));
        let seen = [170_499, 170_500, 300_000, 400_499, 400_500].map(tells);
        assert_eq!(seen, [false, true, true, true, false]);
        assert!(!fabric.tells_of_circuit(Time(300_000_000), HostId(0), HostId(1)), "one rack");
    }

    #[test]
    fn the_core_is_a_hop_only_where_each_link_is_one() {
        let told = |counters| {
            let fabric = HybridShape { counters, ..etalon() }.build().unwrap();
            ["tor0.to.tor1", "tor0.to.core", "core.to.tor1", "tor1.to.host2"]
                .map(|name| fabric.is_told_of(fabric.port_named(name).unwrap()))
        };
        assert_eq!(told(Counters::Voq), [true, false, false, true]);
        assert_eq!(told(Counters::Link), [true, false, true, true]);
    }

    #[test]
    fn nothing_is_zero_and_there_are_two_racks() {
        let error = |shape: HybridShape| shape.build().unwrap_err().to_string();
        assert_eq!(
            error(HybridShape { day: Span::ZERO, ..etalon() }),
            "day is 0; it must be at least 1"
        );
        assert_eq!(error(HybridShape { tors: 1, ..etalon() }), "tors = 1; at least 2 are needed");
    }
}
