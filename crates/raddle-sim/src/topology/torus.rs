//! Tori of two dimensions: every switch has hosts, and a cable to each of its four neighbours; rows
//! and columns are rings.
//!
//! Packets take all paths of fewest hops, so between switches that differ in both dimensions each of
//! two directions, and halfway round a ring both ways. Pauses can wait for each other in a ring:
//! there are no virtual channels.
//!
//! Reading: of a ring of two the cables there and round are the same, and there is one.

use super::Fabric;
use super::assemble::{Cable, assemble, host, switch};
use super::kind::{Draw, Kind, Topology};
use super::shape_error::{MAX_PORTS, ShapeError};
use raddle_schemes::units::{Rate, Span};

/// What it says of itself.
pub const KIND: Kind = Kind {
    name: "torus",
    summary: "rows and columns of switches with hosts, each a ring",
    paper: "Dally, Towles, Principles and Practices of Interconnection Networks, 2004, chapter 5: \
            k-ary 2-cubes",
    small,
};

/// The most switches: 64 by 64. Their routes take 64 MiB, four times as much for twice as many.
const MOST_SWITCHES: u64 = 4096;

/// The numbers that fix a torus.
#[derive(Clone, Debug, PartialEq)]
pub struct Torus {
    /// Rows of switches.
    pub rows: u32,
    /// Columns of switches.
    pub columns: u32,
    /// Hosts at each switch. They are numbered along the switches of a row, row by row.
    pub hosts_per_switch: u32,
    /// Rate of the hosts' links.
    pub rate: Rate,
    /// Propagation delay of the hosts' cables.
    pub link_delay: Span,
    /// Rate of the cables between switches.
    pub uplink_rate: Rate,
    /// Propagation delay of the cables between switches.
    pub uplink_delay: Span,
    /// Latency of every switch.
    pub switch_delay: Span,
}

fn small(draw: &mut Draw<'_>) -> Box<dyn Topology> {
    // Two hosts at the only switch of a torus of one.
    let (rows, columns) = (draw.between(1, 3), draw.between(1, 4));
    let hosts_per_switch = if rows * columns == 1 { 2 } else { 1 };
    Box::new(Torus {
        rows,
        columns,
        hosts_per_switch,
        rate: draw.rates[0],
        link_delay: draw.delays[0],
        uplink_rate: draw.rates[1],
        uplink_delay: draw.delays[1],
        switch_delay: draw.switch_delay,
    })
}

impl Topology for Torus {
    fn hosts(&self) -> u64 {
        (u64::from(self.rows) * u64::from(self.columns))
            .saturating_mul(self.hosts_per_switch.into())
    }

    /// Switches `r0c0`, `r0c1`, ..; ports `r0c0.to.r0c1`, `r0c0.to.host0`; hosts `host0`, `host1`, ..
    fn build(&self) -> Result<Fabric, ShapeError> {
        let hosts = self.validate()?;
        let [rows, columns] = [self.rows, self.columns].map(|n| n as usize);
        let per_switch = self.hosts_per_switch as usize;
        let at = |row: usize, column: usize| (row % rows) * columns + column % columns;
        let names = (0..rows).flat_map(|row| (0..columns).map(move |c| format!("r{row}c{c}")));
        let switches = names.map(|name| (name, self.switch_delay)).collect();
        let of_host = |i: usize| Cable {
            ends: [host(i), switch(i / per_switch)],
            rates: [self.rate; 2],
            delay: self.link_delay,
        };
        let mut cables: Vec<Cable> = (0..hosts).map(of_host).collect();
        let mut cable = |from: usize, to: usize| {
            cables.push(Cable {
                ends: [switch(from), switch(to)],
                rates: [self.uplink_rate; 2],
                delay: self.uplink_delay,
            });
        };
        for row in 0..rows {
            for column in 0..columns {
                // The next in the ring; none where it is the switch itself, or its other neighbour.
                if columns > 2 || columns == 2 && column == 0 {
                    cable(at(row, column), at(row, column + 1));
                }
                if rows > 2 || rows == 2 && row == 0 {
                    cable(at(row, column), at(row + 1, column));
                }
            }
        }
        let hosts: Vec<String> = (0..hosts).map(|i| format!("host{i}")).collect();
        Ok(assemble(&hosts, switches, &cables))
    }
}

impl Torus {
    /// The number of hosts.
    fn validate(&self) -> Result<usize, ShapeError> {
        ShapeError::at_least_one(&[
            ("rows", u64::from(self.rows)),
            ("columns", u64::from(self.columns)),
            ("hosts_per_switch", u64::from(self.hosts_per_switch)),
            ("the rate of host links", self.rate.0),
            ("the rate of links between switches", self.uplink_rate.0),
        ])?;
        let switches = u64::from(self.rows) * u64::from(self.columns);
        if switches > MOST_SWITCHES {
            return Err(ShapeError::Switches { switches, most: MOST_SWITCHES });
        }
        let hosts = self.hosts();
        let ports = hosts.saturating_mul(2).saturating_add(4 * switches);
        if ports > MAX_PORTS {
            return Err(ShapeError::TooLarge { ports });
        }
        if hosts < 2 {
            return Err(ShapeError::Hosts(hosts as u32));
        }
        Ok(hosts as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::ids::{HostId, PortId, SwitchId};

    fn torus(rows: u32, columns: u32) -> Torus {
        Torus {
            rows,
            columns,
            hosts_per_switch: 1,
            rate: Rate::gbps(400),
            link_delay: Span::ns(100),
            uplink_rate: Rate::gbps(200),
            uplink_delay: Span::ns(500),
            switch_delay: Span::ns(300),
        }
    }

    /// Hops between switches on the way, counted in the fabric.
    fn hops(fabric: &Fabric, from: u32, to: u32) -> usize {
        fabric.path(HostId(from), HostId(to)).len() - 2
    }

    #[test]
    fn distances_are_those_of_two_rings() {
        for (rows, columns) in [(4, 4), (3, 5), (1, 6), (2, 2), (2, 5)] {
            let fabric = torus(rows, columns).build().unwrap();
            let ring = |a: u32, b: u32, n: u32| a.abs_diff(b).min(n - a.abs_diff(b));
            for from in 0..rows * columns {
                for to in (0..rows * columns).filter(|to| *to != from) {
                    let across = ring(from % columns, to % columns, columns);
                    let along = ring(from / columns, to / columns, rows);
                    let expected = (across + along) as usize;
                    assert_eq!(hops(&fabric, from, to), expected, "{rows}x{columns} {from}-{to}");
                }
            }
        }
    }

    #[test]
    fn packets_have_every_shortest_way() {
        let fabric = torus(4, 4).build().unwrap();
        let ways = |to: u32| -> Vec<&str> {
            let ports = fabric.forwarding.ports(SwitchId(0), PortId(to));
            let names = (0..ports.count()).map(|i| ports.get(i));
            names.map(|port| fabric.ports[port.index()].name.as_str()).collect()
        };
        assert_eq!(ways(0), ["r0c0.to.host0"]);
        assert_eq!(ways(1), ["r0c0.to.r0c1"]);
        assert_eq!(ways(2), ["r0c0.to.r0c1", "r0c0.to.r0c3"]);
        assert_eq!(ways(5), ["r0c0.to.r0c1", "r0c0.to.r1c0"]);
        assert_eq!(ways(10), ["r0c0.to.r0c1", "r0c0.to.r1c0", "r0c0.to.r0c3", "r0c0.to.r3c0"]);
    }

    #[test]
    fn half_of_a_torus_has_two_cables_a_row_to_the_other() {
        let fabric = torus(4, 6).build().unwrap();
        let left = |switch: SwitchId| switch.0 % 6 < 3;
        let crosses =
            |&port: &PortId| match (fabric.ports[port.index()].owner, fabric.destination(port)) {
                (super::super::Node::Switch(a), super::super::Node::Switch(b)) => {
                    left(a) && !left(b)
                }
                _ => false,
            };
        let all = (0..fabric.ports.len() as u32).map(PortId);
        assert_eq!(all.filter(crosses).count(), 2 * 4);
    }

    #[test]
    fn a_switch_has_four_neighbours_and_fewer_in_short_rings() {
        let ports = |rows, columns| torus(rows, columns).build().unwrap().switches[0].ports.len();
        assert_eq!(
            [ports(3, 3), ports(2, 3), ports(2, 2), ports(1, 2), ports(1, 3)],
            [5, 4, 3, 2, 3]
        );
        let fabric = Torus { hosts_per_switch: 3, ..torus(2, 2) }.build().unwrap();
        assert_eq!((fabric.hosts, fabric.edge(HostId(5)).0), (12, 1));
    }

    #[test]
    fn what_makes_no_torus_is_refused() {
        let refused = |torus: Torus| torus.build().unwrap_err().to_string();
        assert_eq!(refused(torus(0, 4)), "rows is 0; it must be at least 1");
        assert_eq!(refused(torus(1, 1)), "hosts = 1; at least 2 are needed");
        assert_eq!(
            refused(torus(64, 65)),
            "the fabric would have 4160 switches; at most 4096 are possible"
        );
        let crowded = Torus { hosts_per_switch: 1 << 20, ..torus(4, 4) };
        assert!(refused(crowded).contains("33554496 ports; at most 8388608"));
        // Routes of as many take seconds.
        assert!(torus(64, 64).validate().is_ok());
    }
}
