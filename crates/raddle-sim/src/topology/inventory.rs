//! What a fabric is built of: switches and cables, counted from the graph itself.

use super::{Fabric, Node};
use raddle_schemes::units::Rate;
use std::collections::BTreeMap;

/// The switches and cables of a fabric of packet switches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inventory {
    /// How many hosts.
    pub hosts: u32,
    /// Ports of each host.
    pub host_ports: u32,
    /// Switches, from the hosts up.
    pub switches: Vec<Switches>,
    /// Cables, from the hosts up, fast ones first.
    pub cables: Vec<Cables>,
}

/// The switches of a tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switches {
    /// 0 for those with hosts.
    pub tier: u8,
    /// How many there are.
    pub count: u32,
    /// The fewest and the most ports that one has in use.
    pub ports: (u32, u32),
}

/// The cables between two tiers that carry the same each way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cables {
    /// Whose they are.
    pub layer: Layer,
    /// What each carries each way; of two ways the faster.
    pub rate: Rate,
    /// How many there are.
    pub count: u32,
}

/// Where a cable lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// Between a host and a switch.
    Host,
    /// Between switches of these tiers, the lower first.
    Between(u8, u8),
}

impl Inventory {
    /// That of a fabric. `None` where circuits connect it: what those are made of is no part of the
    /// graph.
    pub fn of(fabric: &Fabric) -> Option<Self> {
        if fabric.circuits.is_some() || fabric.packet_network().is_some() {
            return None;
        }
        let mut switches: BTreeMap<u8, Switches> = BTreeMap::new();
        for switch in &fabric.switches {
            let used = switch.ports.len() as u32;
            let none = Switches { tier: switch.tier, count: 0, ports: (used, used) };
            let own = switches.entry(switch.tier).or_insert(none);
            own.count += 1;
            own.ports = (own.ports.0.min(used), own.ports.1.max(used));
        }
        let tier = |node: Node| match node {
            Node::Host(_) => None,
            Node::Switch(switch) => Some(fabric.switches[switch.index()].tier),
        };
        let mut cables: BTreeMap<(Layer, std::cmp::Reverse<u64>), u32> = BTreeMap::new();
        for (port, own) in (0..).zip(&fabric.ports) {
            // Of the two ports of a cable the first.
            if own.peer.0 < port {
                continue;
            }
            let peer = &fabric.ports[own.peer.index()];
            let layer = match (tier(own.owner), tier(peer.owner)) {
                (Some(a), Some(b)) => Layer::Between(a.min(b), a.max(b)),
                _ => Layer::Host,
            };
            let rate = own.rate.max(peer.rate);
            *cables.entry((layer, std::cmp::Reverse(rate.0))).or_default() += 1;
        }
        let cable = |((layer, rate), count): (_, u32)| {
            let std::cmp::Reverse(rate): std::cmp::Reverse<u64> = rate;
            Cables { layer, rate: Rate(rate), count }
        };
        Some(Self {
            hosts: fabric.hosts,
            host_ports: fabric.planes,
            switches: switches.into_values().collect(),
            cables: cables.into_iter().map(cable).collect(),
        })
    }

    /// How many switches in all.
    pub fn switch_count(&self) -> u32 {
        self.switches.iter().map(|own| own.count).sum()
    }

    /// How many cables in all.
    pub fn cable_count(&self) -> u32 {
        self.cables.iter().map(|own| own.count).sum()
    }

    /// Optics, two a cable; with those of hosts' cables or without, which may be copper.
    pub fn optics(&self, with_hosts: bool) -> u32 {
        let counted = |own: &&Cables| with_hosts || own.layer != Layer::Host;
        self.cables.iter().filter(counted).map(|own| 2 * own.count).sum()
    }

    /// What all optics carry together, a host.
    pub fn optics_rate_per_host(&self, with_hosts: bool) -> f64 {
        let counted = |own: &&Cables| with_hosts || own.layer != Layer::Host;
        let cables = self.cables.iter().filter(counted);
        let sum: f64 = cables.map(|own| 2.0 * f64::from(own.count) * own.rate.0 as f64).sum();
        sum / f64::from(self.hosts)
    }
}

impl Layer {
    /// The word of scenarios and tables.
    pub fn word(self) -> String {
        match self {
            Self::Host => "host_tor".to_owned(),
            Self::Between(0, 1) => "tor_agg".to_owned(),
            Self::Between(1, 2) => "agg_core".to_owned(),
            Self::Between(low, high) => format!("tier{low}_tier{high}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::tree::TreeShape;
    use raddle_schemes::units::Span;

    fn leaf_spine(leaves: u32, hosts: u32, spines: u32, planes: u32) -> Inventory {
        let delay = Span::ns(500);
        let shape =
            TreeShape::leaf_spine(leaves, hosts, spines, 1, Rate::gbps(100), delay, delay).unwrap();
        Inventory::of(&shape.build().unwrap().in_planes(planes).unwrap()).unwrap()
    }

    /// k-ary fat trees: 5 k^2 / 4 switches, 3 k^3 / 4 cables, k^3 / 4 hosts.
    #[test]
    fn fat_trees_have_what_their_formulas_say() {
        for k in [4, 8, 16] {
            let (rate, delay) = (Rate::gbps(400), Span::ns(500));
            let shape = TreeShape::fat_tree(3, k * k * k / 4, rate, delay, delay).unwrap();
            let own = Inventory::of(&shape.build().unwrap()).unwrap();
            assert_eq!(own.hosts, k * k * k / 4);
            assert_eq!(own.switch_count(), 5 * k * k / 4);
            assert_eq!(own.cable_count(), 3 * k * k * k / 4);
            assert!(own.switches.iter().all(|tier| tier.ports == (k, k)));
            assert_eq!(own.optics(true), 2 * own.cable_count());
            assert_eq!(own.optics(false), own.optics(true) * 2 / 3);
        }
    }

    /// P (L + S) switches, P (H + L S) cables.
    #[test]
    fn planes_have_each_their_own() {
        let own = leaf_spine(8, 4, 2, 4);
        assert_eq!((own.switch_count(), own.cable_count()), (4 * 10, 4 * (32 + 16)));
        let words: Vec<String> = own.cables.iter().map(|cables| cables.layer.word()).collect();
        assert_eq!(words, ["host_tor", "tor_agg"]);
        assert_eq!(own.optics_rate_per_host(true), 2.0 * 100e9 * 4.0 * 48.0 / 32.0);
    }
}
