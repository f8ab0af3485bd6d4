//! Which hosts can still exchange packets when some links are unusable.

use super::{Fabric, Node};
use crate::topology::routing::Forwarding;
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use std::collections::BTreeMap;
use std::iter::StepBy;
use std::ops::Range;

impl Fabric {
    /// The first of `pairs` that has no path of `usable` links there or none back, whatever the
    /// routing.
    pub fn disconnected(
        &self,
        pairs: &[(HostId, HostId)],
        usable: &dyn Fn(PortId) -> bool,
    ) -> Option<(HostId, HostId)> {
        let component = self.components(usable);
        let apart = |(a, b): &&(HostId, HostId)| component[a.index()] != component[b.index()];
        pairs.iter().find(apart).copied()
    }

    /// The first of `pairs` for which `forwarding` offers no path of `usable` links there or none
    /// back.
    pub fn unrouted(
        &self,
        pairs: &[(HostId, HostId)],
        forwarding: &Forwarding,
        usable: &dyn Fn(PortId) -> bool,
    ) -> Option<(HostId, HostId)> {
        let mut visited = vec![0; self.switches.len()];
        let mut query = 0;
        let mut search = |from: SwitchId, destination: PortId| {
            let to = self.edge_of(destination);
            query += 1;
            let mut stack = vec![from];
            while let Some(switch) = stack.pop() {
                if switch == to {
                    return true;
                }
                if std::mem::replace(&mut visited[switch.index()], query) != query {
                    let choices = forwarding.ports(switch, destination);
                    let choices = (0..choices.count()).map(|i| choices.get(i));
                    stack.extend(choices.filter(|&port| usable(port)).filter_map(|port| {
                        match self.destination(port) {
                            Node::Switch(next) => Some(next),
                            Node::Host(_) => None,
                        }
                    }));
                }
            }
            false
        };
        // Switches forward by the destination's edge switch, which then has a port for each host.
        let mut known = BTreeMap::new();
        let mut last = None;
        let mut both_ways = |a: PortId, b: PortId| {
            let edges = (self.edge_of(a), self.edge_of(b));
            match last {
                Some((of, routed)) if of == edges => routed,
                _ => {
                    let search = || search(edges.0, b) && search(edges.1, a);
                    last.insert((edges, *known.entry(edges).or_insert_with(search))).1
                }
            }
        };
        let attached = |host: PortId| {
            let last = forwarding.ports(self.edge_of(host), host);
            usable(host) && (0..last.count()).any(|i| usable(last.get(i)))
        };
        // Both ways by one plane: what answers goes back where the question came from, unless that is out.
        let mut is_routed = |&&(a, b): &&(HostId, HostId)| {
            let planes = self.ports_of(a).zip(self.ports_of(b));
            planes.into_iter().any(|(a, b)| both_ways(a, b) && attached(a) && attached(b))
        };
        pairs.iter().find(|pair| !is_routed(pair)).copied()
    }

    /// The strongly connected component of every host, then of every switch (Kosaraju): nodes in
    /// the same one reach each other.
    fn components(&self, usable: &dyn Fn(PortId) -> bool) -> Vec<usize> {
        let nodes = self.hosts as usize + self.switches.len();
        let mut finished = Vec::with_capacity(nodes);
        let mut seen = vec![false; nodes];
        for root in 0..nodes {
            if std::mem::replace(&mut seen[root], true) {
                continue;
            }
            let mut stack = vec![(root, self.ports_at(root))];
            while let Some((node, ports)) = stack.last_mut() {
                match ports.next() {
                    Some(port) if usable(PortId(port)) => {
                        let next = self.far_node(port);
                        if !std::mem::replace(&mut seen[next], true) {
                            stack.push((next, self.ports_at(next)));
                        }
                    }
                    Some(_) => {}
                    None => {
                        finished.push(*node);
                        stack.pop();
                    }
                }
            }
        }
        let mut component = vec![usize::MAX; nodes];
        for &root in finished.iter().rev() {
            let mut stack = vec![root];
            while let Some(node) = stack.pop() {
                if component[node] != usize::MAX {
                    continue;
                }
                component[node] = root;
                let entering =
                    self.ports_at(node).filter(|&port| usable(self.ports[port as usize].peer));
                stack.extend(
                    entering
                        .map(|port| self.far_node(port))
                        .filter(|&next| component[next] == usize::MAX),
                );
            }
        }
        component
    }

    /// Ports of a node that is numbered hosts first.
    fn ports_at(&self, node: usize) -> StepBy<Range<u32>> {
        match node.checked_sub(self.hosts as usize) {
            None => (node as u32..self.host_ports()).step_by(self.hosts as usize),
            Some(switch) => self.switches[switch].ports.clone().step_by(1),
        }
    }

    fn far_node(&self, port: u32) -> usize {
        match self.destination(PortId(port)) {
            Node::Host(host) => host.index(),
            Node::Switch(switch) => self.hosts as usize + switch.index(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::tree::TreeShape;
    use raddle_schemes::units::{Rate, Span};

    fn fabric() -> Fabric {
        TreeShape::leaf_spine(3, 2, 2, 1, Rate::gbps(400), Span::ns(500), Span::ns(500))
            .unwrap()
            .build()
            .unwrap()
    }

    fn without<'a>(fabric: &Fabric, names: &[&str]) -> impl Fn(PortId) -> bool + 'a {
        let dead: Vec<PortId> = names.iter().map(|n| fabric.port_named(n).unwrap()).collect();
        move |port| !dead.contains(&port)
    }

    #[test]
    fn a_detour_connects_what_up_down_routing_cannot() {
        let fabric = fabric();
        // From tor0 only spine1 is left, and spine1 does not reach tor2: only tor1 helps.
        let usable = without(&fabric, &["tor0.up0", "spine1.down2"]);
        let pairs = [(HostId(0), HostId(2)), (HostId(0), HostId(4))];
        assert_eq!(fabric.disconnected(&pairs, &usable), None);
        assert_eq!(fabric.unrouted(&pairs, &fabric.forwarding, &usable), Some(pairs[1]));
        let converged = Forwarding::Table(crate::topology::routing::Table::shortest(
            &fabric,
            crate::topology::routing::Weighting::Equal,
            &usable,
        ));
        assert_eq!(fabric.unrouted(&pairs, &converged, &usable), None);
    }

    #[test]
    fn one_dead_direction_disconnects() {
        let fabric = fabric();
        let pairs = [(HostId(2), HostId(4)), (HostId(0), HostId(2))];
        for dead in [["tor0.up0", "tor0.up1"], ["spine0.down0", "spine1.down0"]] {
            let usable = without(&fabric, &dead);
            assert_eq!(fabric.disconnected(&pairs, &usable), Some(pairs[1]));
            assert_eq!(fabric.unrouted(&pairs, &fabric.forwarding, &usable), Some(pairs[1]));
        }
        let usable = without(&fabric, &["host4"]);
        assert_eq!(fabric.disconnected(&pairs, &usable), Some(pairs[0]));
        assert_eq!(fabric.unrouted(&pairs, &fabric.forwarding, &usable), Some(pairs[0]));
    }

    #[test]
    fn a_healthy_fabric_connects_all() {
        let fabric = fabric();
        let pairs: Vec<_> =
            (0..6).flat_map(|a| (0..6).map(move |b| (HostId(a), HostId(b)))).collect();
        assert_eq!(fabric.disconnected(&pairs, &|_| true), None);
        assert_eq!(fabric.unrouted(&pairs, &fabric.forwarding, &|_| true), None);
    }
}
