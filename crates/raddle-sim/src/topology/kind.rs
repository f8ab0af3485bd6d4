//! What a topology is: the trait, and its card.

use super::Fabric;
use super::shape_error::ShapeError;
use super::tree::TreeShape;
use raddle_schemes::units::{Rate, Span};
use std::fmt::Debug;

/// What a fabric is built from. What a run then asks, where packets may go, how ports are called,
/// which tier and pod a switch is of, the built [`Fabric`] answers.
pub trait Topology: Debug + Send + Sync {
    /// How many hosts it has, or more: too many are refused before memory is taken for them.
    fn hosts(&self) -> u64;

    /// The fabric.
    ///
    /// # Errors
    /// If the numbers do not fit together; the error names them and what would fit.
    fn build(&self) -> Result<Fabric, ShapeError>;

    /// The tree that it is, for what goes by places in a tree.
    fn tree(&self) -> Option<&TreeShape> {
        None
    }

    /// The ports of its hosts.
    fn host_ports(&self) -> HostPorts {
        HostPorts::One
    }

    /// GPUs of its servers, where hosts are such.
    fn gpus(&self) -> Option<u32> {
        None
    }
}

/// How many ports hosts have, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostPorts {
    /// One.
    One,
    /// One in each of several planes.
    Planes(u32),
    /// One at each of several ToRs.
    Tors(u32),
}

impl HostPorts {
    /// How many.
    pub fn count(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Planes(count) | Self::Tors(count) => count,
        }
    }

    /// The key that says so, as it stands in a scenario.
    pub fn said(self) -> String {
        match self {
            Self::One | Self::Planes(_) => format!("`planes = {}`", self.count()),
            Self::Tors(tors) => format!("`tors_per_host = {tors}`"),
        }
    }
}

/// A topology of the list.
#[derive(Debug)]
pub struct Kind {
    /// Its word: file, scenario and command line agree.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Where it was published, or where it is described.
    pub paper: &'static str,
    /// One of at most a dozen hosts, drawn: tests try both engines on it.
    pub small: fn(&mut Draw<'_>) -> Box<dyn Topology>,
}

/// What a small topology is drawn from.
pub struct Draw<'a> {
    /// A number below the one given; 0 is the plainest.
    pub below: &'a mut dyn FnMut(u32) -> u32,
    /// Rates of links, by their distance from hosts.
    pub rates: [Rate; 3],
    /// Delays of the same links. With `switch_delay` any of them makes a legal window.
    pub delays: [Span; 3],
    /// Latency of every switch.
    pub switch_delay: Span,
}

impl Draw<'_> {
    /// A number of the range, ends included.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + (self.below)(high - low + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{KINDS, Node};
    use raddle_schemes::ids::{HostId, PortId, SwitchId};
    use raddle_schemes::rng::Rng;
    use raddle_schemes::units::Bytes;
    use std::collections::BTreeSet;

    /// What every fabric has to be, whatever it was built from.
    fn check(fabric: &Fabric, hosts: u64) {
        assert!(fabric.hosts >= 2 && u64::from(fabric.hosts) <= hosts);
        let names: BTreeSet<&str> = fabric.link_names().collect();
        assert_eq!(names.len(), fabric.ports.len(), "names are not one each");
        for (id, port) in (0..).map(PortId).zip(&fabric.ports) {
            assert_eq!(fabric.ports[port.peer.index()].peer, id, "{}", port.name);
            assert_eq!(fabric.ports[port.peer.index()].delay, port.delay, "{}", port.name);
            let of_host = matches!(port.owner, Node::Host(_));
            assert_eq!(of_host, id.0 < fabric.host_ports(), "{}", port.name);
        }
        for (id, switch) in (0..).map(SwitchId).zip(&fabric.switches) {
            for port in switch.ports.clone() {
                assert_eq!(fabric.ports[port as usize].owner, Node::Switch(id), "{}", switch.name);
            }
        }
        let hosts: Vec<HostId> = (0..fabric.hosts).map(HostId).collect();
        let pairs: Vec<_> =
            hosts.iter().flat_map(|&a| hosts.iter().map(move |&b| (a, b))).collect();
        assert_eq!(fabric.unrouted(&pairs, &fabric.forwarding, &|_| true), None);
        let rtt = |&(a, b): &(HostId, HostId)| fabric.base_rtt(a, b, Bytes(4160), Bytes(64));
        let longest = pairs.iter().filter(|(a, b)| a != b).map(rtt).max();
        assert!(Some(fabric.longest_base_rtt(Bytes(4160), Bytes(64))) >= longest);
        let routes = std::iter::once((raddle_schemes::units::Time::ZERO, &fabric.forwarding));
        assert_eq!(fabric.check_routes(routes), Ok(()));
    }

    #[test]
    fn every_listed_topology_builds_fabrics_that_hold_together() {
        for kind in KINDS {
            let mut sizes = BTreeSet::new();
            for seed in 0..100 {
                let mut rng = Rng::new(seed, kind.name, 0);
                let mut below = |n: u32| rng.below(n.into()) as u32;
                let delays = [500, 300, 700].map(Span::ns);
                let rates = [400, 100, 800].map(Rate::gbps);
                let switch_delay = Span::ns(300);
                let mut draw = Draw { below: &mut below, rates, delays, switch_delay };
                let topology = (kind.small)(&mut draw);
                let fabric = topology.build().unwrap();
                assert!(fabric.hosts <= 12, "{}: {topology:?}", kind.name);
                check(&fabric, topology.hosts());
                sizes.insert((fabric.hosts, fabric.switches.len()));
            }
            assert!(sizes.len() > 3, "{}: {sizes:?}", kind.name);
        }
    }

    #[test]
    fn words_are_one_each_and_cards_are_complete() {
        let names: BTreeSet<&str> = KINDS.iter().map(|kind| kind.name).collect();
        assert_eq!(names.len(), KINDS.len());
        for kind in KINDS {
            assert!(!kind.summary.is_empty() && !kind.paper.is_empty(), "{}", kind.name);
        }
    }
}
