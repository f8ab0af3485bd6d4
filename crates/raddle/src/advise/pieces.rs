//! What of a fabric goes down as one: cables, switches, hosts; and the parts that a failure names.

use super::question::{Failure, Of};
use crate::problem::Problem;
use crate::scenario::reader::with_nearest;
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_sim::topology::inventory::Layer;
use raddle_sim::topology::{Fabric, Node};
use std::collections::BTreeMap;

/// A cable by the first of its ports, a switch, or a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Piece {
    /// A cable.
    Cable(PortId),
    /// A switch with its cables.
    Switch(SwitchId),
    /// A host with its cables.
    Host(HostId),
}

impl Piece {
    /// Ports whose cables it takes down.
    pub(super) fn ports(self, fabric: &Fabric) -> Vec<PortId> {
        match self {
            Self::Cable(port) => vec![port],
            Self::Switch(switch) => ports_of(fabric, switch).collect(),
            Self::Host(host) => fabric.ports_of(host).collect(),
        }
    }

    /// The key of a fault that strikes it, and its name there.
    pub(super) fn target(self, fabric: &Fabric) -> (&'static str, String) {
        match self {
            Self::Cable(port) => ("link", fabric.ports[port.index()].name.clone()),
            Self::Switch(switch) => ("switch", fabric.switches[switch.index()].name.clone()),
            Self::Host(host) => ("host", fabric.host_name(host).to_owned()),
        }
    }
}

/// The cable at a port.
pub(super) fn cable(fabric: &Fabric, port: PortId) -> Piece {
    Piece::Cable(port.min(fabric.ports[port.index()].peer))
}

/// The ports of a switch.
pub(super) fn ports_of(fabric: &Fabric, switch: SwitchId) -> impl Iterator<Item = PortId> {
    fabric.switches[switch.index()].ports.clone().map(PortId)
}

/// The tier of a node; hosts are below all switches.
fn tier(fabric: &Fabric, node: Node) -> Option<u8> {
    match node {
        Node::Host(_) => None,
        Node::Switch(switch) => Some(fabric.switches[switch.index()].tier),
    }
}

/// The lower of the nodes at a cable.
pub(super) fn lower(fabric: &Fabric, port: PortId) -> Node {
    let own = fabric.ports[port.index()].owner;
    let other = fabric.destination(port);
    if tier(fabric, other) < tier(fabric, own) { other } else { own }
}

/// The ports of a switch to switches that are not below it.
pub(super) fn upward(fabric: &Fabric, switch: SwitchId) -> Vec<PortId> {
    let own = tier(fabric, Node::Switch(switch));
    ports_of(fabric, switch).filter(|port| tier(fabric, fabric.destination(*port)) >= own).collect()
}

/// Where a cable lies.
pub(super) fn layer(fabric: &Fabric, port: PortId) -> Layer {
    let own = tier(fabric, fabric.ports[port.index()].owner);
    match (own, tier(fabric, fabric.destination(port))) {
        (Some(a), Some(b)) => Layer::Between(a.min(b), a.max(b)),
        _ => Layer::Host,
    }
}

/// All cables, each by its first port.
fn cables(fabric: &Fabric) -> impl Iterator<Item = PortId> {
    let first = |(port, own): &(u32, &raddle_sim::topology::Port)| own.peer.0 > *port;
    (0..).zip(&fabric.ports).filter(first).map(|(port, _)| PortId(port))
}

/// The switches, all or those of a tier.
fn switches(fabric: &Fabric, wanted: Option<u8>) -> impl Iterator<Item = SwitchId> {
    let all = (0..).zip(&fabric.switches);
    let fits = move |own: &(u32, &raddle_sim::topology::Switch)| {
        wanted.is_none_or(|tier| own.1.tier == tier)
    };
    all.filter(fits).map(|(switch, _)| SwitchId(switch))
}

/// The parts that a failure names, each as what goes down with it.
///
/// # Errors
/// The fabric has none.
pub(super) fn of(failure: &Failure, fabric: &Fabric) -> Result<Vec<Vec<Piece>>, Problem> {
    let layer_word = failure.layer.as_ref().map(|(word, _)| word.as_str());
    let in_layer =
        |port: &PortId| layer_word.is_none_or(|word| layer(fabric, *port).word() == word);
    let one = |switch: SwitchId| vec![Piece::Switch(switch)];
    let all = |switches: &[SwitchId]| switches.iter().copied().map(Piece::Switch).collect();
    let parts: Vec<Vec<Piece>> = match failure.of {
        Of::Cables => {
            cables(fabric).filter(in_layer).map(|port| vec![Piece::Cable(port)]).collect()
        }
        Of::Optics => {
            let own = cables(fabric).filter(in_layer);
            own.flat_map(|port| [vec![Piece::Cable(port)], vec![Piece::Cable(port)]]).collect()
        }
        Of::NicPorts => {
            (0..fabric.host_ports()).map(|port| vec![Piece::Cable(PortId(port))]).collect()
        }
        Of::Switches => {
            let words = ["tor", "agg", "core"];
            let wanted = layer_word.and_then(|word| words.iter().position(|own| *own == word));
            switches(fabric, wanted.map(|tier| tier as u8)).map(one).collect()
        }
        Of::Hosts => (0..fabric.hosts).map(|host| vec![Piece::Host(HostId(host))]).collect(),
        Of::Tor => switches(fabric, Some(0)).map(one).collect(),
        Of::Pod => {
            let mut pods: BTreeMap<u32, Vec<SwitchId>> = BTreeMap::new();
            for switch in switches(fabric, None) {
                if let Some(pod) = fabric.switches[switch.index()].pod {
                    pods.entry(pod).or_default().push(switch);
                }
            }
            pods.values().map(|own| all(own)).collect()
        }
        Of::Plane => {
            let each = fabric.switches_per_plane().unwrap_or(0) as usize;
            let own: Vec<SwitchId> = switches(fabric, None).collect();
            if each == 0 { Vec::new() } else { own.chunks(each).map(all).collect() }
        }
        Of::Row => {
            let own: Vec<SwitchId> = switches(fabric, Some(0)).collect();
            own.chunks(failure.size.max(1) as usize).map(all).collect()
        }
        Of::Module => {
            let size = failure.size.max(1) as usize;
            let of_switch = |switch: SwitchId| {
                let ports: Vec<PortId> = ports_of(fabric, switch).collect();
                let groups = ports.chunks(size);
                let cables = |own: &[PortId]| own.iter().map(|port| cable(fabric, *port)).collect();
                groups.map(cables).collect::<Vec<Vec<Piece>>>()
            };
            switches(fabric, None).flat_map(of_switch).collect()
        }
    };
    if !parts.is_empty() {
        return Ok(parts);
    }
    let Some((word, place)) = &failure.layer else {
        let message = format!("a candidate's fabric has no {}", failure.of.noun());
        return Err(failure.place.problem(message).label("leave it out, or exclude the candidate"));
    };
    let mut words: Vec<String> = cables(fabric).map(|port| layer(fabric, port).word()).collect();
    words.sort();
    words.dedup();
    if failure.of == Of::Switches {
        words = vec!["tor".to_owned(), "agg".to_owned(), "core".to_owned()];
    }
    let problem =
        place.problem(format!("a candidate's fabric has no {} of `{word}`", failure.of.noun()));
    let problem = with_nearest(problem, word, words.iter().map(String::as_str));
    Err(problem.help(format!("it has: {}", words.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::super::odds::Rates;
    use super::super::parts::{Parts, Reach};
    use super::super::question::Shape;
    use super::*;
    use crate::scenario::spec::Place;
    use raddle_schemes::units::{Rate, Span};
    use raddle_sim::topology::tree::TreeShape;

    fn failure(of: Of, layer: Option<&str>) -> Failure {
        Failure {
            of,
            layer: layer.map(|word| (word.to_owned(), Place::default())),
            size: 2,
            shape: Shape::Down,
            rates: Rates { mtbf_s: 1e6, mttr_s: 1.0, ..Rates::default() },
            place: Place::default(),
        }
    }

    fn fabric(planes: u32) -> Fabric {
        let delay = Span::ns(500);
        let shape = TreeShape::leaf_spine(4, 4, 4, 1, Rate::gbps(400), delay, delay).unwrap();
        shape.build().unwrap().in_planes(planes).unwrap()
    }

    fn ring(hosts: u32) -> Vec<(HostId, HostId)> {
        (0..hosts).map(|host| (HostId(host), HostId((host + 1) % hosts))).collect()
    }

    fn parts(of: Of, planes: u32) -> Parts {
        let (fabric, pairs) = (fabric(planes), ring(16));
        let reach = Reach { fabric: &fabric, pairs: &pairs, converges: true };
        Parts::of(&[failure(of, None)], &reach).unwrap()
    }

    #[test]
    fn parts_are_counted_as_the_inventory_counts_them() {
        let own = fabric(1);
        let count = |of, layer| super::of(&failure(of, layer), &own).unwrap().len();
        assert_eq!(count(Of::Cables, None), 16 + 16);
        assert_eq!(count(Of::Cables, Some("host_tor")), 16);
        assert_eq!(count(Of::Optics, Some("tor_agg")), 32);
        assert_eq!((count(Of::Switches, None), count(Of::Switches, Some("tor"))), (8, 4));
        assert_eq!((count(Of::Row, None), count(Of::Module, None)), (2, 4 * 4 + 4 * 2));
        let wrong = super::of(&failure(Of::Cables, Some("tor_ag")), &own).unwrap_err();
        assert_eq!(wrong.label.as_deref(), Some("nearest: `tor_agg`"));
        assert!(super::of(&failure(Of::Plane, None), &own).is_err());
        assert_eq!(super::of(&failure(Of::Plane, None), &fabric(2)).unwrap().len(), 2);
    }

    #[test]
    fn a_single_cable_or_tor_cuts_hosts_off_and_one_of_two_does_not() {
        for (of, critical) in [(Of::NicPorts, 16), (Of::Cables, 16), (Of::Tor, 4), (Of::Hosts, 16)]
        {
            assert_eq!(parts(of, 1).classes[0].critical, critical, "{of:?}");
        }
        for (of, critical) in
            [(Of::NicPorts, 0), (Of::Switches, 0), (Of::Plane, 0), (Of::Hosts, 16)]
        {
            assert_eq!(parts(of, 2).classes[0].critical, critical, "{of:?}");
        }
    }

    #[test]
    fn pairs_cut_where_they_are_all_that_a_host_has() {
        let own = parts(Of::NicPorts, 2);
        assert_eq!((own.classes[0].together, &own.cut_pairs[..]), (16, &[(0, 0, 16)][..]));
        let optics = parts(Of::Optics, 2);
        // Two optics each of two cables at a host.
        assert_eq!(optics.cut_pairs, [(0, 0, 64)]);
        // Both ToRs of four hosts.
        assert_eq!(parts(Of::Tor, 2).cut_pairs, [(0, 0, 4)]);
        assert_eq!(parts(Of::Tor, 4).cut_pairs, []);
    }
}
