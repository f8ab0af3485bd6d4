//! A two-tier fabric for tests, cabled by hand.

use crate::topology::routing::{Forwarding, TreeSwitch};
use crate::topology::{Fabric, Node, Port, Switch};
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::units::{Rate, Span};

/// ToRs that are all cabled to the same spines, once each.
pub(crate) struct LeafSpine {
    pub(crate) tors: u32,
    pub(crate) hosts_per_tor: u32,
    pub(crate) spines: u32,
    pub(crate) host_rate: Rate,
    pub(crate) up_rate: Rate,
    pub(crate) delay: Span,
    pub(crate) latency: Span,
}

impl Default for LeafSpine {
    fn default() -> Self {
        Self {
            tors: 2,
            hosts_per_tor: 2,
            spines: 2,
            host_rate: Rate::gbps(100),
            up_rate: Rate::gbps(100),
            delay: Span::ns(500),
            latency: Span::ns(200),
        }
    }
}

impl LeafSpine {
    pub(crate) fn fabric(&self) -> Fabric {
        let hosts = self.tors * self.hosts_per_tor;
        let tor_ports = self.hosts_per_tor + self.spines;
        let tor_first = |tor| hosts + tor * tor_ports;
        let spine_first = |spine| hosts + self.tors * tor_ports + spine * self.tors;
        let mut fabric = Fabric {
            planes: 1,
            host_latency: Span::ZERO,
            hosts,
            switches: Vec::new(),
            ports: Vec::new(),
            forwarding: Forwarding::Tree(Vec::new()),
            circuits: None,
            scale_up: None,
        };
        for host in 0..hosts {
            let (tor, below) = (host / self.hosts_per_tor, host % self.hosts_per_tor);
            let owner = Node::Host(HostId(host));
            self.port(&mut fabric, format!("host{host}"), owner, tor_first(tor) + below, true);
        }
        let mut trees = Vec::new();
        for tor in 0..self.tors {
            let owner = self.switch(&mut fabric, format!("tor{tor}"), 0, tor_ports);
            let hosts_low = tor * self.hosts_per_tor;
            for below in 0..self.hosts_per_tor {
                let name = format!("tor{tor}.down{below}");
                self.port(&mut fabric, name, owner, hosts_low + below, false);
            }
            for spine in 0..self.spines {
                let name = format!("tor{tor}.up{spine}");
                self.port(&mut fabric, name, owner, spine_first(spine) + tor, true);
            }
            trees.push(TreeSwitch {
                hosts_low,
                hosts_high: hosts_low + self.hosts_per_tor,
                hosts_per_down: 1,
                parallel: 1,
                down_first: PortId(tor_first(tor)),
                up_first: PortId(tor_first(tor) + self.hosts_per_tor),
                up_count: self.spines,
            });
        }
        for spine in 0..self.spines {
            let owner = self.switch(&mut fabric, format!("spine{spine}"), 1, self.tors);
            for tor in 0..self.tors {
                let name = format!("spine{spine}.down{tor}");
                let peer = tor_first(tor) + self.hosts_per_tor + spine;
                self.port(&mut fabric, name, owner, peer, false);
            }
            trees.push(TreeSwitch {
                hosts_low: 0,
                hosts_high: hosts,
                hosts_per_down: self.hosts_per_tor,
                parallel: 1,
                down_first: PortId(spine_first(spine)),
                up_first: PortId(0),
                up_count: 0,
            });
        }
        fabric.forwarding = Forwarding::Tree(trees);
        fabric
    }

    fn switch(&self, fabric: &mut Fabric, name: String, tier: u8, ports: u32) -> Node {
        let first = fabric.ports.len() as u32;
        let ports = first..first + ports;
        fabric.switches.push(Switch { name, tier, pod: Some(0), ports, latency: self.latency });
        Node::Switch(SwitchId(fabric.switches.len() as u32 - 1))
    }

    fn port(&self, fabric: &mut Fabric, name: String, owner: Node, peer: u32, up: bool) {
        let host_link = matches!(owner, Node::Host(_)) || peer < fabric.hosts;
        let rate = if host_link { self.host_rate } else { self.up_rate };
        fabric.ports.push(Port { name, owner, peer: PortId(peer), rate, delay: self.delay, up });
    }
}
