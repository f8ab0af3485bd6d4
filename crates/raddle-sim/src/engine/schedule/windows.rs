//! How time is cut into windows, and on which side of the fabric a node is.
//!
//! What a node sends reaches itself no earlier than by way of a neighbour and back. Where every link
//! joins two sides (hosts and every second layer of switches on one, the layers between on the
//! other) windows may last as long as the shortest way there and back, if the sides take turns: the
//! switches at the hosts' edge run up to what they have heard of, then all others up to what these
//! have sent by then, which is further by the way from side to side. In any other fabric switches
//! are all on the edge side, and windows as wide as the shortest way into a switch. In none are they
//! wider than the latency of a scale-up domain.

use crate::topology::{Fabric, Node};
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::units::Span;

/// Windows are not made longer than this, so that offsets in them have few bits.
pub(in crate::engine) const LONGEST_WINDOW: Span = Span::us(4);
/// No more frames than this come to a switch in a window, so that they are told apart by few bits.
pub(in crate::engine) const MOST_ARRIVALS: usize = 1 << 25;
/// Shortest legal window: below this the engine would be slower than an event queue.
pub const SHORTEST_WINDOW: Span = Span::ns(10);

/// Windows of a run: window `n` of hosts and of the switches that are not on the edge side begins
/// `n` widths after the origin, that of switches on the edge side `lag` earlier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Grid {
    pub(in crate::engine) width: Span,
    pub(in crate::engine) lag: Span,
    /// Per switch of the fabric.
    pub(in crate::engine) on_edge_side: Vec<bool>,
}

impl Grid {
    /// The widest windows that `fabric` and `limit` allow.
    pub(in crate::engine) fn new(fabric: &Fabric, limit: Option<Span>) -> Self {
        let on_edge_side = sides(fabric).unwrap_or_else(|| vec![true; fabric.switches.len()]);
        let is_edge_side = |node| matches!(node, Node::Switch(id) if on_edge_side[id.index()]);
        let (mut into, mut out_of) = (LONGEST_WINDOW, LONGEST_WINDOW);
        for id in (0..fabric.ports.len() as u32).map(PortId) {
            let latency = fabric.latency(id);
            if is_edge_side(fabric.destination(id)) {
                into = into.min(latency);
            } else {
                out_of = out_of.min(latency);
            }
        }
        // Where switches are all on one side, links between them lead into it, too.
        let has_far_switches = on_edge_side.contains(&false);
        let two_sides = has_far_switches || between_switches(fabric).next().is_none();
        let widest = if two_sides { Span(into.0 + out_of.0) } else { into };
        // What crosses a server comes in a later window than it was sent in.
        let widest = fabric.scale_up.map_or(widest, |own| widest.min(own.latency));
        let limit = limit.unwrap_or(LONGEST_WINDOW).max(SHORTEST_WINDOW).min(LONGEST_WINDOW);
        let width = widest.min(limit).min(countable(fabric).max(SHORTEST_WINDOW));
        Self { width, lag: Span(width.0.saturating_sub(into.0)), on_edge_side }
    }

    /// Whether any switch is not on the edge side.
    pub(in crate::engine) fn has_far_switches(&self) -> bool {
        self.on_edge_side.contains(&false)
    }
}

/// The longest window in which no switch can get more frames than [`MOST_ARRIVALS`], were each of one
/// byte.
fn countable(fabric: &Fabric) -> Span {
    let longest = fabric.switches.iter().map(|switch| {
        let ports = &fabric.ports[switch.ports.start as usize..switch.ports.end as usize];
        let into = |peer: PortId| u128::from(fabric.ports[peer.index()].rate.0);
        let bits_per_s: u128 = ports.iter().map(|port| into(port.peer)).sum();
        // Each in-port may bring one more than its rate allows for.
        let frames = (MOST_ARRIVALS - ports.len()) as u128;
        frames * 8 * 1_000_000_000_000 / bits_per_s.max(1)
    });
    longest.min().map_or(LONGEST_WINDOW, |ps| Span(ps.min(LONGEST_WINDOW.0.into()) as u64))
}

fn between_switches(fabric: &Fabric) -> impl Iterator<Item = (SwitchId, SwitchId)> {
    let ports = (0..fabric.ports.len() as u32).map(PortId);
    ports.filter_map(|id| match (fabric.ports[id.index()].owner, fabric.destination(id)) {
        (Node::Switch(from), Node::Switch(to)) => Some((from, to)),
        _ => None,
    })
}

/// For each switch, whether it is on the side of those that have hosts; `None` if links join
/// switches of one side.
fn sides(fabric: &Fabric) -> Option<Vec<bool>> {
    let mut neighbours = vec![Vec::new(); fabric.switches.len()];
    for (from, to) in between_switches(fabric) {
        neighbours[from.index()].push(to);
    }
    let mut side = vec![None; fabric.switches.len()];
    let edges = (0..fabric.host_ports()).map(|port| (fabric.edge_of(PortId(port)), true));
    // Switches that no host can reach are on some side, too.
    let all = (0..fabric.switches.len() as u32).map(|id| (SwitchId(id), false));
    for (first, has_hosts) in edges.chain(all) {
        if !has_hosts && side[first.index()].is_some() {
            continue;
        }
        let mut reached = vec![(first, true)];
        while let Some((switch, edge)) = reached.pop() {
            match side[switch.index()] {
                Some(known) if known != edge => return None,
                Some(_) => {}
                None => {
                    side[switch.index()] = Some(edge);
                    reached.extend(neighbours[switch.index()].iter().map(|&next| (next, !edge)));
                }
            }
        }
    }
    side.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::tree::TreeShape;
    use raddle_schemes::units::Rate;

    fn tree(tiers: u32, link: u64, switch: u64) -> Fabric {
        let (link, switch) = (Span::ns(link), Span::ns(switch));
        TreeShape::fat_tree(tiers, 16, Rate::gbps(400), link, switch).unwrap().build().unwrap()
    }

    fn grid(fabric: &Fabric, limit: Option<u64>) -> (Span, Span) {
        let grid = Grid::new(fabric, limit.map(Span::ns));
        (grid.width, grid.lag)
    }

    #[test]
    fn windows_last_as_long_as_the_shortest_way_there_and_back() {
        let fabric = tree(3, 500, 400);
        assert_eq!(grid(&fabric, None), (Span::ns(1_400), Span::ns(500)));
        assert_eq!(grid(&fabric, Some(1_000)), (Span::ns(1_000), Span::ns(100)));
        assert_eq!(grid(&fabric, Some(900)), (Span::ns(900), Span::ZERO));
        assert_eq!(grid(&fabric, Some(1)), (SHORTEST_WINDOW, Span::ZERO));
        assert_eq!(grid(&tree(2, 3_000, 0), None), (LONGEST_WINDOW, Span::us(1)));
        let on_edge_side = Grid::new(&fabric, None).on_edge_side;
        let tiers = fabric.switches.iter().map(|switch| switch.tier);
        assert!(tiers.zip(&on_edge_side).all(|(tier, &edge)| edge == (tier != 1)));
    }

    /// 2^25 frames less one for each of 8 ports, of a byte at eight times 100 Tbps, in 0.3355 us.
    #[test]
    fn windows_end_before_more_frames_come_than_are_told_apart() {
        let (link, rate) = (Span::us(1), Rate(100_000_000_000_000));
        let fabric = TreeShape::fat_tree(2, 16, rate, link, Span::ZERO).unwrap().build().unwrap();
        assert_eq!(Grid::new(&fabric, None).width, Span(335_544));
    }

    #[test]
    fn links_within_a_side_make_it_one() {
        let mut fabric = tree(2, 500, 400);
        // A spine with a host of its own.
        let spine = fabric.switches.iter().position(|switch| switch.tier == 1).unwrap();
        let first = fabric.ports[0].peer;
        fabric.ports[first.index()].owner = Node::Switch(SwitchId(spine as u32));
        assert_eq!(grid(&fabric, None), (Span::ns(900), Span::ZERO));
        assert!(!Grid::new(&fabric, None).has_far_switches());
    }
}
