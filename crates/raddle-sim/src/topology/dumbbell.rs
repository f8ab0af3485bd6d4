//! Two switches, a bottleneck between them, and hosts on either side.

use super::Fabric;
use super::assemble::{Cable, assemble, host, switch};
use super::kind::{Draw, Kind, Topology};
use super::shape_error::MAX_PORTS;
use super::shape_error::ShapeError;
use raddle_schemes::units::{Rate, Span};

/// What it says of itself.
pub const KIND: Kind = Kind {
    name: "dumbbell",
    summary: "two switches with hosts, and one cable between them",
    paper: "textbook: two sides share one bottleneck",
    small,
};

fn small(draw: &mut Draw<'_>) -> Box<dyn Topology> {
    Box::new(Dumbbell {
        hosts_per_side: draw.between(1, 4),
        rate: draw.rates[0],
        link_delay: draw.delays[0],
        bottleneck_rate: draw.rates[1],
        bottleneck_delay: draw.delays[1],
        switch_delay: draw.switch_delay,
    })
}

/// The numbers that fix a dumbbell.
#[derive(Clone, Debug, PartialEq)]
pub struct Dumbbell {
    /// Hosts on each side: the left ones are numbered first.
    pub hosts_per_side: u32,
    /// Rate of the hosts' links.
    pub rate: Rate,
    /// Propagation delay of the hosts' cables.
    pub link_delay: Span,
    /// Rate of the cable between the switches.
    pub bottleneck_rate: Rate,
    /// Propagation delay of the cable between the switches.
    pub bottleneck_delay: Span,
    /// Latency of both switches.
    pub switch_delay: Span,
}

impl Topology for Dumbbell {
    fn hosts(&self) -> u64 {
        2 * u64::from(self.hosts_per_side)
    }

    fn build(&self) -> Result<Fabric, ShapeError> {
        Self::build(self)
    }
}

impl Dumbbell {
    /// The fabric: switches `left` and `right`, whose bottleneck ports are `left.to.right` and
    /// `right.to.left`; hosts `host0`, `host1`, ...
    ///
    /// # Errors
    /// If a number is zero, or there are too many hosts.
    pub fn build(&self) -> Result<Fabric, ShapeError> {
        ShapeError::at_least_one(&[
            ("hosts_per_side", u64::from(self.hosts_per_side)),
            ("the rate of host links", self.rate.0),
            ("the rate of the bottleneck", self.bottleneck_rate.0),
        ])?;
        let ports = 4 * u64::from(self.hosts_per_side) + 2;
        if ports > MAX_PORTS {
            return Err(ShapeError::TooLarge { ports });
        }
        let side = self.hosts_per_side as usize;
        let hosts: Vec<String> = (0..2 * side).map(|i| format!("host{i}")).collect();
        let switches = ["left", "right"].map(|name| (name.to_owned(), self.switch_delay));
        let mut cables: Vec<Cable> = (0..2 * side)
            .map(|i| Cable {
                ends: [host(i), switch(i / side)],
                rates: [self.rate; 2],
                delay: self.link_delay,
            })
            .collect();
        cables.push(Cable {
            ends: [switch(0), switch(1)],
            rates: [self.bottleneck_rate; 2],
            delay: self.bottleneck_delay,
        });
        Ok(assemble(&hosts, switches.to_vec(), &cables))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::ids::HostId;

    fn dumbbell(hosts_per_side: u32) -> Dumbbell {
        Dumbbell {
            hosts_per_side,
            rate: Rate::gbps(400),
            link_delay: Span::ns(100),
            bottleneck_rate: Rate::gbps(100),
            bottleneck_delay: Span::us(5),
            switch_delay: Span::ns(300),
        }
    }

    #[test]
    fn traffic_across_shares_the_bottleneck() {
        let fabric = dumbbell(3).build().unwrap();
        assert_eq!((fabric.hosts, fabric.switches.len(), fabric.ports.len()), (6, 2, 14));
        let bottleneck = fabric.port_named("left.to.right").unwrap();
        assert_eq!(fabric.ports[bottleneck.index()].rate, Rate::gbps(100));
        assert_eq!(fabric.latency(bottleneck), Span::ns(5_300));
        let names = |source, destination| -> Vec<&str> {
            let path = fabric.path(HostId(source), HostId(destination));
            path.iter().map(|port| fabric.ports[port.index()].name.as_str()).collect()
        };
        assert_eq!(names(0, 5), ["host0", "left.to.right", "right.to.host5"]);
        assert_eq!(names(4, 2), ["host4", "right.to.left", "left.to.host2"]);
        assert_eq!(names(3, 4), ["host3", "right.to.host4"]);
    }

    #[test]
    fn nothing_may_be_zero_or_too_large() {
        let zero = dumbbell(0).build().unwrap_err();
        assert_eq!(zero.to_string(), "hosts_per_side is 0; it must be at least 1");
        let huge = dumbbell(1 << 22).build();
        assert_eq!(huge, Err(ShapeError::TooLarge { ports: (1 << 24) + 2 }));
    }
}
