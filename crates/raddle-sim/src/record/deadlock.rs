//! Pauses that wait for each other in a circle.
//!
//! A port of a switch is held in a class while the far end has it pause. The far end does so for the
//! frames of that class that came in from there and wait at ports of its own; where such a port is held
//! as well, the first waits for it. Round a circle of waits nothing moves again.

use crate::topology::Fabric;
use raddle_schemes::ids::PortId;
use std::collections::BTreeSet;

/// A queue at which frames wait that came in through a port: the queue's port, its class, and that
/// port.
pub(crate) type Waiting = (PortId, u8, PortId);

/// A circle of held ports, each of which waits for the next, the first with the lowest number; empty
/// if there is none. `pausing` has, per port, a bit for each class that the far end is to pause.
pub(crate) fn circle(fabric: &Fabric, pausing: &[u8], waiting: &[Waiting]) -> Vec<PortId> {
    let is_paused_by = |port: PortId, class: u8| u16::from(pausing[port.index()]) >> class & 1 == 1;
    let peer = |port: PortId| fabric.ports[port.index()].peer;
    let is_held = |port: PortId, class: u8| is_paused_by(peer(port), class);
    // Who waits for whom: ports that have frames in a switch, and held ports there.
    let waits = waiting.iter().filter(|(at, class, came_in)| {
        let (at, came_in) = (*at, *came_in);
        came_in.0 >= fabric.host_ports() && is_held(at, *class) && is_paused_by(came_in, *class)
    });
    let mut waits: Vec<(u8, PortId, PortId)> =
        waits.map(|&(at, class, came_in)| (class, peer(came_in), at)).collect();
    waits.sort_unstable();
    waits.dedup();
    // Those for whom nobody waits, or who wait for nobody, are in no circle.
    loop {
        let before = waits.len();
        let from: BTreeSet<_> = waits.iter().map(|(class, from, _)| (*class, *from)).collect();
        let to: BTreeSet<_> = waits.iter().map(|(class, _, to)| (*class, *to)).collect();
        waits.retain(|&(class, own, next)| {
            from.contains(&(class, next)) && to.contains(&(class, own))
        });
        if waits.len() == before {
            break;
        }
    }
    // Each that is left leads on to another that is: a walk comes round.
    let Some(&(class, start, _)) = waits.first() else { return Vec::new() };
    let mut walk = vec![start];
    loop {
        let last = walk[walk.len() - 1];
        let next = waits.iter().find(|(other, from, _)| *other == class && *from == last);
        let Some(&(_, _, next)) = next else { return Vec::new() };
        if let Some(first) = walk.iter().position(|port| *port == next) {
            walk.drain(..first);
            let lowest = (0..walk.len()).min_by_key(|&i| walk[i]).unwrap_or(0);
            walk.rotate_left(lowest);
            return walk;
        }
        walk.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::graph::parse_graph;

    #[test]
    fn a_walk_that_leads_into_a_circle_is_no_part_of_it() {
        // a - w - x - y - z - x: what waits at w waits for the circle of the other three.
        let text = "host a\nhost b\nswitch w latency \"500 ns\"\nswitch x latency \"500 ns\"\n\
            switch y latency \"500 ns\"\nswitch z latency \"500 ns\"\n\
            link a w \"400 Gbps\" \"500 ns\"\nlink b z \"400 Gbps\" \"500 ns\"\n\
            link w x \"400 Gbps\" \"500 ns\"\nlink x y \"400 Gbps\" \"500 ns\"\n\
            link y z \"400 Gbps\" \"500 ns\"\nlink z x \"400 Gbps\" \"500 ns\"\n";
        let fabric = parse_graph(text).unwrap();
        let to = |from: u32, to: u32| {
            let ports = (0..fabric.ports.len() as u32).map(PortId);
            let leads = |port: &PortId| {
                let switch = |id| crate::topology::Node::Switch(raddle_schemes::ids::SwitchId(id));
                fabric.ports[port.index()].owner == switch(from)
                    && fabric.destination(*port) == switch(to)
            };
            ports.into_iter().find(leads).unwrap()
        };
        let peer = |port: PortId| fabric.ports[port.index()].peer;
        let (wx, xy, yz, zx) = (to(0, 1), to(1, 2), to(2, 3), to(3, 1));
        let mut pausing = vec![0; fabric.ports.len()];
        [wx, xy, yz, zx].iter().for_each(|port| pausing[peer(*port).index()] = 2);
        let waiting = [(xy, 1, peer(wx)), (xy, 1, peer(zx)), (yz, 1, peer(xy)), (zx, 1, peer(yz))];
        assert_eq!(circle(&fabric, &pausing, &waiting), [xy, yz, zx]);
        // In another class nobody waits, and a link that is free again breaks the circle.
        assert_eq!(circle(&fabric, &pausing, &waiting.map(|(at, _, from)| (at, 0, from))), []);
        pausing[peer(yz).index()] = 0;
        assert_eq!(circle(&fabric, &pausing, &waiting), []);
    }
}
