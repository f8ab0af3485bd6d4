//! Rails: NIC i of every server is at leaf i, its rail, and spines connect the rails.
//!
//! A host is a GPU with its NIC, and its number is server x GPUs + GPU. Messages of one rail take one
//! switch, those between rails three. Without spines there is no way between rails: jobs have to keep
//! their messages on them.

use super::Fabric;
use super::assemble::{Cable, assemble, host, switch};
use super::kind::{Draw, Kind, Topology};
use super::shape_error::{MAX_PORTS, ShapeError};
use raddle_schemes::units::{Rate, Span};

/// What it says of itself.
pub const KIND: Kind = Kind {
    name: "rail",
    summary: "servers of several GPUs: the NICs of one number are at one leaf, and spines connect these",
    paper: "Wang et al., Rail-only: A Low-Cost High-Performance Network for Training LLMs with \
            Trillions of Parameters, arXiv 2307.12169, 2023",
    small,
};

/// The numbers that fix a fabric of rails.
#[derive(Clone, Debug, PartialEq)]
pub struct Rail {
    /// Servers.
    pub servers: u32,
    /// GPUs of each, with a NIC each: there are as many rails.
    pub gpus: u32,
    /// Switches above the rails, each with a cable to each of them; 0 for rails alone.
    pub spines: u32,
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
    let (servers, gpus) = (draw.between(1, 3), draw.between(1, 3));
    Box::new(Rail {
        // Two hosts at least.
        servers: if servers * gpus == 1 { 2 } else { servers },
        gpus,
        spines: draw.between(1, 2),
        rate: draw.rates[0],
        link_delay: draw.delays[0],
        uplink_rate: draw.rates[1],
        uplink_delay: draw.delays[1],
        switch_delay: draw.switch_delay,
    })
}

impl Topology for Rail {
    fn hosts(&self) -> u64 {
        u64::from(self.servers) * u64::from(self.gpus)
    }

    fn gpus(&self) -> Option<u32> {
        Some(self.gpus)
    }

    /// Switches `rail0`, `rail1`, .., `spine0`, ..; ports `rail0.to.host8`, `rail0.to.spine1`; hosts
    /// `host0`, `host1`, ..
    fn build(&self) -> Result<Fabric, ShapeError> {
        let hosts = self.validate()?;
        let (rails, spines) = (self.gpus as usize, self.spines as usize);
        let names = (0..rails).map(|rail| format!("rail{rail}"));
        let names = names.chain((0..spines).map(|spine| format!("spine{spine}")));
        let switches = names.map(|name| (name, self.switch_delay)).collect();
        let of_host = |i: usize| Cable {
            ends: [host(i), switch(i % rails)],
            rates: [self.rate; 2],
            delay: self.link_delay,
        };
        let up = |rail: usize, spine: usize| Cable {
            ends: [switch(rail), switch(rails + spine)],
            rates: [self.uplink_rate; 2],
            delay: self.uplink_delay,
        };
        let mut cables: Vec<Cable> = (0..hosts).map(of_host).collect();
        cables.extend((0..rails).flat_map(|rail| (0..spines).map(move |spine| up(rail, spine))));
        let hosts: Vec<String> = (0..hosts).map(|i| format!("host{i}")).collect();
        Ok(assemble(&hosts, switches, &cables))
    }
}

impl Rail {
    /// The number of hosts.
    fn validate(&self) -> Result<usize, ShapeError> {
        ShapeError::at_least_one(&[
            ("servers", u64::from(self.servers)),
            ("gpus", u64::from(self.gpus)),
            ("the rate of host links", self.rate.0),
            ("the rate of links between switches", self.uplink_rate.0),
        ])?;
        let cables = u64::from(self.gpus) * u64::from(self.spines);
        let ports = self.hosts().saturating_add(cables).saturating_mul(2);
        if ports > MAX_PORTS {
            return Err(ShapeError::TooLarge { ports });
        }
        if self.hosts() < 2 {
            return Err(ShapeError::Hosts(self.hosts() as u32));
        }
        Ok(self.hosts() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::all_to_all::{AllToAll, Order};
    use raddle_schemes::ids::{HostId, PortId};
    use raddle_schemes::units::Bytes;

    fn rail(servers: u32, gpus: u32, spines: u32) -> Rail {
        Rail {
            servers,
            gpus,
            spines,
            rate: Rate::gbps(400),
            link_delay: Span::ns(500),
            uplink_rate: Rate::gbps(400),
            uplink_delay: Span::ns(500),
            switch_delay: Span::ns(500),
        }
    }

    fn names(fabric: &Fabric, from: u32, to: u32) -> Vec<&str> {
        let name = |port: &PortId| fabric.ports[port.index()].name.as_str();
        fabric.path(HostId(from), HostId(to)).iter().map(name).collect()
    }

    #[test]
    fn a_rail_has_the_nics_of_one_number() {
        let fabric = rail(4, 8, 4).build().unwrap();
        assert_eq!((fabric.hosts, fabric.switches.len(), fabric.ports.len()), (32, 12, 128));
        // Server 0 and server 3, GPU 5 of both.
        assert_eq!(names(&fabric, 5, 29), ["host5", "rail5.to.host29"]);
        let ways = names(&fabric, 5, 30);
        assert_eq!([ways[0], ways[3]], ["host5", "rail6.to.host30"]);
        assert_eq!(fabric.paths_between(fabric.edge(HostId(5)), HostId(30)), 4);
    }

    #[test]
    fn without_spines_rails_are_apart() {
        let fabric = rail(2, 8, 0).build().unwrap();
        assert_eq!(names(&fabric, 0, 8), ["host0", "rail0.to.host8"]);
        assert!(fabric.path(HostId(0), HostId(9)).is_empty());
        let pairs = [(HostId(0), HostId(8)), (HostId(3), HostId(4))];
        assert_eq!(fabric.disconnected(&pairs, &|_| true), Some(pairs[1]));
    }

    #[test]
    fn numbers_that_make_no_fabric_are_named() {
        let refused = |own: Rail| own.build().unwrap_err();
        assert_eq!(refused(rail(0, 8, 1)), ShapeError::Zero { what: "servers" });
        assert_eq!(refused(rail(2, 0, 1)), ShapeError::Zero { what: "gpus" });
        assert_eq!(refused(rail(1, 1, 1)), ShapeError::Hosts(1));
        assert!(matches!(refused(rail(u32::MAX, 8, 1)), ShapeError::TooLarge { .. }));
    }

    /// Of four servers of eight GPUs.
    #[test]
    fn messages_of_an_all_to_all_stay_inside_on_a_rail_or_go_across() {
        let order = Order::Shifted;
        let draw = AllToAll { message: Bytes(1 << 20), order, in_flight: None };
        let fabric = rail(4, 8, 1).build().unwrap();
        let flows = draw.generate(fabric.hosts, 1).unwrap().flows;
        let mut counts = [0; 3];
        for flow in &flows {
            let [from, to] = [flow.source, flow.destination];
            let is_inside = from.0 / 8 == to.0 / 8;
            let is_of_rail = fabric.path(from, to).len() == 2;
            assert_eq!(is_of_rail, from.0 % 8 == to.0 % 8);
            counts[if is_inside { 0 } else { 2 - usize::from(is_of_rail) }] += 1;
        }
        assert_eq!((flows.len(), counts), (992, [224, 96, 672]));
    }
}
