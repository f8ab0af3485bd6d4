//! How the tables of slices are made of circuits, and when lanes close.

use super::Fabric;
use super::circuits::{Circuits, Lane};
use super::routing::Forwarding;
use super::slices::Slices;
use super::slicing::Slicing;
use super::table::{Table, Weighting};
use raddle_schemes::ids::{PortId, SwitchId};

impl Slices {
    /// Of a fabric whose circuits go by slices, over the links that are `usable`.
    pub fn of(
        fabric: &Fabric,
        circuits: &Circuits,
        slicing: &Slicing,
        (weighting, usable): (Weighting, &dyn Fn(PortId) -> bool),
    ) -> Self {
        let stays = (0..slicing.starts.len()).map(|slice| {
            let mut stays = vec![true; fabric.ports.len()];
            let (from, until) = circuits.slice(slicing, slice);
            for lane in &circuits.lanes {
                stays[lane.port.index()] = circuits.stays(lane, from, until);
            }
            stays
        });
        let (whenever, tables) = Table::shortest_of_each(fabric, weighting, usable, stays);
        Self {
            whenever,
            period: circuits.period,
            tables,
            starts: slicing.starts.clone(),
            waiting: slicing.waiting,
        }
    }
}

impl Fabric {
    /// The first slice in which some ToR cannot reach another one.
    pub(crate) fn torn_slice(&self) -> Option<usize> {
        let Forwarding::Slices(slices) = &self.forwarding else { return None };
        let (edges, hosts) = self.edge_switches();
        slices.tables.iter().position(|table| {
            let reaches = |from: SwitchId, to: PortId| table.ports(from, to).count() > 0;
            edges.iter().any(|&from| hosts.iter().any(|&to| !reaches(from, to)))
        })
    }
}

impl Circuits {
    /// Whether a link is a lane that is not open all through a slice and beyond.
    pub(crate) fn leaves(&self, slice: usize, port: PortId) -> bool {
        let (Some(lane), Some(slicing)) = (self.lane(port), &self.slicing) else { return false };
        let (from, until) = self.slice(slicing, slice);
        !self.stays(lane, from, until)
    }

    /// When a slice begins within the period, and when it ends.
    fn slice(&self, slicing: &Slicing, slice: usize) -> (u64, u64) {
        let starts = &slicing.starts;
        let next = starts.get(slice + 1).map(|start| start.0);
        (starts[slice].0, next.unwrap_or(self.period.0 + starts[0].0))
    }

    /// Whether a lane is open at all times from `from` on, within the period, until `until` and beyond.
    fn stays(&self, lane: &Lane, from: u64, until: u64) -> bool {
        let period = self.period.0;
        // Until when the lane is open that is open then.
        let open_until = |at: u64| {
            let around = (0..4).map(|periods| periods * period);
            let all = around.flat_map(|base| {
                lane.openings.iter().map(move |own| (base + own.from.0, base + own.until.0))
            });
            all.filter(|&(from, until)| from <= at && at < until).map(|(_, until)| until).max()
        };
        // A period later: what is open then may have begun in the period before.
        let mut at = from + period;
        while at <= until + period {
            match open_until(at) {
                Some(next) => at = next,
                None => return false,
            }
        }
        true
    }

    /// When a lane closes within the period: at the ends of openings that no other one follows at once.
    pub(crate) fn closings(&self, lane: &Lane) -> Vec<u64> {
        let period = self.period.0;
        let goes_on = |until: u64| {
            lane.openings.iter().any(|own| own.from.0 == until || own.from.0 + period == until)
        };
        let is_whole = lane.openings.iter().any(|own| own.until.0 - own.from.0 == period);
        let ends = lane.openings.iter().map(|own| own.until.0);
        let mut ends: Vec<u64> = ends
            .filter(|&until| !is_whole && !goes_on(until))
            .map(|until| until % period.max(1))
            .collect();
        ends.sort_unstable();
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::circuits::{CircuitShape, Rotors, Turn};
    use crate::topology::slicing::Late;
    use raddle_schemes::ids::HostId;
    use raddle_schemes::units::{Bytes, Rate, Span, Time};

    /// Two rotors of four ToRs that turn one after the other: rotor 0 at the starts of slots 0 and 2.
    fn shape(dark: Span) -> CircuitShape {
        let shift =
            |by: u16, turns| Turn { targets: (0..4).map(|t| (t + by) % 4).collect(), turns };
        let first = vec![shift(1, true), shift(1, false), shift(3, true), shift(3, false)];
        let second = vec![shift(2, false), shift(3, true), shift(3, false), shift(2, true)];
        let mut third = vec![shift(1, false); 4];
        third.iter_mut().for_each(|turn| turn.turns = false);
        CircuitShape {
            tors: 4,
            hosts_per_tor: 1,
            rate: Rate::gbps(10),
            uplink_rate: Rate::gbps(10),
            link_delay: Span::ns(500),
            circuit_delay: Span::ns(500),
            switch_delay: Span::ZERO,
            rotors: Rotors {
                slots: vec![Span::us(100); 4],
                dark,
                rotors: vec![first, second, third],
            },
            guard: Span::ZERO,
            slicing: Some((Late::Reroute, 0)),
            changes: Vec::new(),
        }
    }

    #[test]
    fn a_slice_has_the_lanes_that_stay_beyond_its_end() {
        for dark in [Span::us(10), Span::ZERO] {
            let fabric = shape(dark).build().unwrap();
            let Forwarding::Slices(slices) = &fabric.forwarding else { panic!("no slices") };
            let at = |us: u64| Time::ZERO + Span::us(us);
            // To ToR 2: in slice 0 rotor 1 is about to turn, so by two lanes of rotors 0 and 2.
            let first = |us: u64, class| {
                let ports = slices.ports(at(us), class, SwitchId(0), PortId(2));
                fabric.ports[ports.get(0).index()].name.clone()
            };
            assert_eq!(first(50, None), "tor0.to.tor1", "{dark}");
            // In slice 3 it stays.
            assert_eq!(first(350, None), "tor0.to.tor2", "{dark}");
            assert_eq!(slices.slice(at(50)).1, 0);
            assert_eq!(slices.slice(at(450)), (5, 0));
            let before = if dark == Span::ZERO { 0 } else { 3 };
            assert_eq!(slices.slice(at(405)).1, before, "{dark}: a slice ends with the dark time");
        }
    }

    #[test]
    fn what_waits_takes_the_shortest_way_of_all_times() {
        let mut shape = shape(Span::us(10));
        shape.slicing = Some((Late::Reroute, 0b10));
        let fabric = shape.build().unwrap();
        let Forwarding::Slices(slices) = &fabric.forwarding else { panic!("no slices") };
        let now = Time::ZERO + Span::us(50);
        let ports = |class| slices.ports(now, class, SwitchId(0), PortId(2));
        assert_eq!(fabric.ports[ports(Some(1)).get(0).index()].name, "tor0.to.tor2");
        assert_eq!(fabric.ports[ports(Some(0)).get(0).index()].name, "tor0.to.tor1");
        assert_ne!(ports(Some(0)).number(), ports(Some(1)).number());
    }

    #[test]
    fn lanes_close_where_nothing_follows() {
        let fabric = shape(Span::us(10)).build().unwrap();
        let circuits = fabric.circuits.as_ref().unwrap();
        let closings = |name: &str| -> Vec<u64> {
            let lane = circuits.lane(fabric.port_named(name).unwrap()).unwrap();
            circuits.closings(lane).into_iter().map(|at| at / 1_000_000).collect()
        };
        // Rotor 2 leads there always, rotor 0 beside it in slots 0 and 1.
        assert!(closings("tor0.to.tor1").is_empty());
        assert_eq!(closings("tor0.to.tor2"), [100]);
        // By rotor 1 from slot 1 on, by rotor 0 from slot 2 on.
        assert_eq!(closings("tor0.to.tor3"), [0]);
    }

    #[test]
    fn round_trips_of_many_pairs_are_those_of_each() {
        let fabric = shape(Span::us(10)).build().unwrap();
        let (packet, ack) = (Bytes(4160), Bytes(64));
        let trips = fabric.round_trips(packet, ack);
        let hosts = || (0..fabric.hosts).map(HostId);
        for (from, to) in hosts().flat_map(|from| hosts().map(move |to| (from, to))) {
            if from != to {
                assert_eq!(trips.of(&fabric, from, to), fabric.base_rtt(from, to, packet, ack));
            }
        }
    }
}
