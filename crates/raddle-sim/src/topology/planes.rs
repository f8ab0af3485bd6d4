//! Hosts with several ports: in planes, which are copies of a tree that share nothing but the hosts, or
//! at several ToRs of one tree.

use super::kind::{HostPorts, Topology};
use super::shape_error::MAX_PORTS;
use super::shape_error::ShapeError;
use super::tree::TreeShape;
use super::{Fabric, Node, Port, Switch};
use crate::topology::routing::{Forwarding, TreeSwitch};
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::load_balance::plane::MOST_PLANES;

/// A tree, and the ports of its hosts.
#[derive(Clone, Debug)]
pub struct TreeOfPorts {
    /// The tree: one plane of it, or with a host for each port.
    pub tree: TreeShape,
    /// What hosts have.
    pub host_ports: HostPorts,
}

impl TreeOfPorts {
    /// A tree whose hosts have a port each.
    pub fn single(tree: TreeShape) -> Self {
        Self { tree, host_ports: HostPorts::One }
    }
}

impl Topology for TreeOfPorts {
    fn hosts(&self) -> u64 {
        self.tree.hosts.into()
    }

    fn build(&self) -> Result<Fabric, ShapeError> {
        let one = self.tree.build()?;
        match self.host_ports {
            HostPorts::One => Ok(one),
            HostPorts::Planes(planes) => one.in_planes(planes),
            HostPorts::Tors(tors) => one.with_ports_per_host(tors),
        }
    }

    fn tree(&self) -> Option<&TreeShape> {
        Some(&self.tree)
    }

    fn host_ports(&self) -> HostPorts {
        self.host_ports
    }
}

/// Why a fabric is not given ports.
const SEVERAL: &str = "its hosts have several ports";

impl Fabric {
    /// As many copies of this tree, whose hosts have one port, as there are to be planes; itself for
    /// one.
    ///
    /// Switches and their ports are named after their plane, `p1.tor0.up1`, hosts' ports `host7.up1`.
    /// A pod is one of a plane.
    ///
    /// # Errors
    /// If there are to be none or too many, if they have too many ports, if hosts have several ports, or if
    /// this is no tree.
    pub fn in_planes(self, planes: u32) -> Result<Self, ShapeError> {
        if planes == 1 {
            return Ok(self);
        }
        let Forwarding::Tree(tree) = &self.forwarding else {
            return Err(ShapeError::Unused { what: "planes", why: "only trees have planes" });
        };
        if self.planes > 1 {
            return Err(ShapeError::Unused { what: "planes", why: SEVERAL });
        }
        if planes == 0 || planes > MOST_PLANES {
            return Err(ShapeError::Planes(planes));
        }
        let ports = u64::from(planes) * self.ports.len() as u64;
        if ports > MAX_PORTS {
            return Err(ShapeError::TooLarge { ports });
        }
        let copies = || (0..planes).map(|plane| Copy::of(&self, planes, plane));
        let hosts =
            copies().flat_map(|copy| self.ports[..self.hosts as usize].iter().map(copy.port()));
        let others =
            copies().flat_map(|copy| self.ports[self.hosts as usize..].iter().map(copy.port()));
        let switches =
            copies().flat_map(|copy| self.switches.iter().map(move |own| copy.switch(own)));
        let tree = copies().flat_map(|copy| tree.iter().map(move |own| copy.tree_switch(own)));
        Ok(Self {
            hosts: self.hosts,
            planes,
            switches: switches.collect(),
            ports: hosts.chain(others).collect(),
            host_latency: self.host_latency,
            forwarding: Forwarding::Tree(tree.collect()),
            circuits: None,
            scale_up: self.scale_up,
        })
    }
}

impl Fabric {
    /// This tree with as many of its hosts made one as there are to be ports of a host: a host is
    /// attached to that many ToRs of one tree (dual ToRs, or rails). Of t ports the first are those of
    /// the first t-th of the hosts and so on, which have to fill whole ToRs.
    ///
    /// Hosts' ports are named `host7.up1`.
    ///
    /// # Errors
    /// If there are to be none or too many, if hosts cannot be joined or have several ports, or if this is no
    /// tree.
    pub fn with_ports_per_host(mut self, ports: u32) -> Result<Self, ShapeError> {
        if ports == 1 {
            return Ok(self);
        }
        let Forwarding::Tree(tree) = &self.forwarding else {
            return Err(ShapeError::Unused { what: "tors_per_host", why: "only trees have ToRs" });
        };
        if self.planes > 1 {
            return Err(ShapeError::Unused { what: "tors_per_host", why: SEVERAL });
        }
        if ports == 0 || ports > MOST_PLANES {
            return Err(ShapeError::TorsPerHost(ports));
        }
        let below = tree.first().map_or(1, |tor| tor.hosts_high - tor.hosts_low);
        let (total, multiple) = (self.hosts / below, ports);
        if !total.is_multiple_of(multiple) || self.hosts / ports < 2 {
            let parts = format!("groups of {ports} with the same hosts");
            return Err(ShapeError::Split { what: "leaves", total, parts, multiple });
        }
        let hosts = self.hosts / ports;
        (self.hosts, self.planes) = (hosts, ports);
        for (id, port) in (0..).zip(&mut self.ports[..(hosts * ports) as usize]) {
            let (host, own) = (id % hosts, id / hosts);
            port.owner = Node::Host(HostId(host));
            port.name = format!("host{host}.up{own}");
        }
        Ok(self)
    }
}

/// One plane.
#[derive(Clone, Copy)]
struct Copy {
    plane: u32,
    hosts: u32,
    switches: u32,
    pods: u32,
    /// How much higher the numbers of its switches' ports are than in the tree.
    shift: u32,
}

impl Copy {
    fn of(one: &Fabric, planes: u32, plane: u32) -> Self {
        let pods =
            one.switches.iter().filter_map(|switch| switch.pod).max().map_or(0, |pod| pod + 1);
        let of_switches = one.ports.len() as u32 - one.hosts;
        let shift = (planes - 1) * one.hosts + plane * of_switches;
        let switches = one.switches.len() as u32;
        Self { plane, hosts: one.hosts, switches, pods, shift }
    }

    /// The number of a port.
    fn id(&self, port: u32) -> u32 {
        if port < self.hosts { self.plane * self.hosts + port } else { port + self.shift }
    }

    fn port(self) -> impl Fn(&Port) -> Port {
        move |own| {
            let (name, owner) = match own.owner {
                Node::Host(host) => (format!("{}.up{}", own.name, self.plane), Node::Host(host)),
                Node::Switch(SwitchId(switch)) => {
                    let owner = SwitchId(self.plane * self.switches + switch);
                    (format!("p{}.{}", self.plane, own.name), Node::Switch(owner))
                }
            };
            Port { name, owner, peer: PortId(self.id(own.peer.0)), ..own.clone() }
        }
    }

    fn switch(self, own: &Switch) -> Switch {
        Switch {
            name: format!("p{}.{}", self.plane, own.name),
            pod: own.pod.map(|pod| self.plane * self.pods + pod),
            ports: self.id(own.ports.start)..own.ports.end + self.shift,
            ..own.clone()
        }
    }

    fn tree_switch(self, own: &TreeSwitch) -> TreeSwitch {
        let first = self.plane * self.hosts;
        TreeSwitch {
            hosts_low: first + own.hosts_low,
            hosts_high: first + own.hosts_high,
            down_first: PortId(own.down_first.0 + self.shift),
            up_first: PortId(own.up_first.0 + self.shift),
            ..own.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::routing::{Ports, Table, Weighting};
    use crate::topology::tree::TreeShape;
    use raddle_schemes::units::{Rate, Span};

    fn tree(tiers: u32) -> Fabric {
        let shape = TreeShape::fat_tree(tiers, 16, Rate::gbps(400), Span::ns(500), Span::ns(300));
        shape.unwrap().build().unwrap()
    }

    #[test]
    fn hosts_with_several_ports_get_no_more() {
        let two = || tree(2).in_planes(2).unwrap();
        for refused in [two().in_planes(2), two().with_ports_per_host(2)] {
            assert!(matches!(refused, Err(ShapeError::Unused { .. })), "{refused:?}");
        }
    }

    #[test]
    fn planes_are_copies_that_share_the_hosts() {
        for tiers in [2, 3] {
            let (one, three) = (tree(tiers), tree(tiers).in_planes(3).unwrap());
            assert_eq!((three.hosts, three.planes, three.host_ports()), (16, 3, 48));
            assert_eq!(three.ports.len(), 3 * one.ports.len());
            for (id, port) in (0..).zip(&three.ports) {
                assert_eq!(three.ports[port.peer.index()].peer, PortId(id), "{}", port.name);
            }
            for (id, switch) in (0..).zip(&three.switches) {
                for port in switch.ports.clone() {
                    assert_eq!(three.ports[port as usize].owner, Node::Switch(SwitchId(id)));
                    assert!(three.ports[port as usize].name.starts_with(&switch.name));
                }
            }
            let far_end = |name: &str| {
                let port = three.port_named(name).unwrap();
                three.ports[three.ports[port.index()].peer.index()].name.as_str()
            };
            assert_eq!(
                far_end("host7.up2"),
                "p2.tor1.down3".replace("1.down3", if tiers == 2 { "1.down3" } else { "3.down1" })
            );
            assert_eq!(three.host_name(HostId(7)), "host7");
            let ports: Vec<_> = three.ports_of(HostId(7)).collect();
            assert_eq!(ports, [7, 23, 39].map(PortId));
            let each = one.switches.len() as u32;
            assert_eq!((one.switches_per_plane(), three.switches_per_plane()), (None, Some(each)));
        }
    }

    #[test]
    fn a_plane_routes_to_its_own_ports_and_to_no_other() {
        let fabric = tree(3).in_planes(2).unwrap();
        let table = Table::shortest(&fabric, Weighting::Equal, &|_| true);
        let list = |ports: Ports<'_>| (0..ports.count()).map(|i| ports.get(i)).collect::<Vec<_>>();
        let half = fabric.switches.len() as u32 / 2;
        for switch in 0..fabric.switches.len() as u32 {
            for port in (0..fabric.host_ports()).map(PortId) {
                let (plane, own) = (port.0 / 16, switch / half);
                let found = list(table.ports(SwitchId(switch), port));
                if plane == own {
                    assert_eq!(found, list(fabric.forwarding.ports(SwitchId(switch), port)));
                } else {
                    assert!(found.is_empty());
                }
            }
        }
    }

    #[test]
    fn hosts_at_several_tors_have_a_port_at_each() {
        let shape =
            TreeShape::leaf_spine(6, 4, 2, 1, Rate::gbps(400), Span::ns(500), Span::ns(300));
        let one = shape.unwrap().build().unwrap();
        let fabric = one.clone().with_ports_per_host(3).unwrap();
        assert_eq!((fabric.hosts, fabric.planes, fabric.ports.len()), (8, 3, one.ports.len()));
        assert_eq!(fabric.switches_per_plane(), None);
        let far_end = |name: &str| {
            let port = fabric.port_named(name).unwrap();
            fabric.ports[fabric.ports[port.index()].peer.index()].name.as_str()
        };
        // Two groups of three leaves with four hosts each.
        assert_eq!(
            ["host1.up0", "host1.up1", "host1.up2"].map(far_end),
            ["tor0.down1", "tor2.down1", "tor4.down1"]
        );
        assert_eq!(["host5.up0", "host5.up2"].map(far_end), ["tor1.down1", "tor5.down1"]);
        assert_eq!(fabric.host_name(HostId(5)), "host5");
        assert_eq!(fabric.forwarding, one.forwarding);
        let refused = |ports| one.clone().with_ports_per_host(ports).unwrap_err().to_string();
        assert_eq!(refused(0), "tors_per_host = 0; there are 1 to 8");
        assert_eq!(
            refused(4),
            "leaves = 6 cannot be split into groups of 4 with the same hosts; nearest: 4 or 8"
        );
        assert_eq!(one.clone().with_ports_per_host(1), Ok(one.clone()));
    }

    #[test]
    fn what_makes_no_planes_is_refused() {
        let refused = |planes| tree(2).in_planes(planes).unwrap_err().to_string();
        assert_eq!(refused(0), "planes = 0; there are 1 to 8");
        assert_eq!(refused(9), "planes = 9; there are 1 to 8");
        let mut graph = tree(2);
        graph.forwarding = Forwarding::Table(Table::shortest(&graph, Weighting::Equal, &|_| true));
        assert!(graph.in_planes(2).unwrap_err().to_string().contains("only trees have planes"));
        assert_eq!(tree(2).in_planes(1), Ok(tree(2)));
    }
}
