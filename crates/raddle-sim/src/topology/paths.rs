//! Paths through a healthy fabric and the time an unloaded round trip takes on them: of hosts with
//! several ports between the first ones, as planes are alike.

use super::routing::{AtSomeTime, Forwarding};
use super::table::Table;
use super::{Fabric, Node};
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::units::{Bytes, Span};

impl Fabric {
    /// The ports that a frame from `source` to `destination` leaves through, the source's own
    /// first, where every switch takes the first of its choices. Empty if there is no path.
    pub fn path(&self, source: HostId, destination: HostId) -> Vec<PortId> {
        let mut path = vec![PortId(source.0)];
        while let Node::Switch(switch) = self.destination(path[path.len() - 1]) {
            let choices = self.forwarding.ports(switch, PortId(destination.0));
            if choices.count() == 0 {
                return Vec::new();
            }
            path.push(choices.get(0));
        }
        path
    }

    /// How many paths lead from a switch to `destination`, where the switches on each have as many
    /// equal ways as those on [`Fabric::path`]; 0 if there is none.
    pub fn paths_between(&self, from: SwitchId, destination: HostId) -> u32 {
        let (mut at, mut paths) = (from, 1_u32);
        loop {
            let ways = self.forwarding.ports(at, PortId(destination.0));
            if ways.count() == 0 {
                return 0;
            }
            paths = paths.saturating_mul(ways.count() as u32);
            match self.destination(ways.get(0)) {
                Node::Switch(next) => at = next,
                Node::Host(_) => return paths,
            }
        }
    }

    /// How many equal ways lead up from an edge switch, and from the switch above it, on the path
    /// with the most choices from the first host; 1 where there is no choice.
    pub fn ways_up(&self) -> [u32; 2] {
        // One host of each edge switch stands for all; those of one mostly lie together.
        let first = |host: &HostId| self.edge(*host) != self.edge(HostId(host.0 - 1));
        let hosts = (1..self.hosts).map(HostId).filter(first);
        let far = hosts.max_by_key(|&host| (self.path(HostId(0), host).len(), host.0));
        let Some(far) = far else { return [1; 2] };
        let path = self.path(HostId(0), far);
        [1, 2].map(|hop| match path.get(hop).map(|port| self.ports[port.index()].owner) {
            Some(Node::Switch(switch)) => {
                self.forwarding.ports(switch, PortId(far.0)).count() as u32
            }
            _ => 1,
        })
    }

    /// The round trip of a packet of `packet` bytes and its ACK of `ack` bytes through empty
    /// queues, along [`Fabric::path`] both ways, or its like in the slice where that is longest: at each
    /// hop serialisation, propagation and the next switch's latency. Idle gaps between frames delay no
    /// single frame and do not count.
    pub fn base_rtt(&self, source: HostId, destination: HostId, packet: Bytes, ack: Bytes) -> Span {
        let longest = |from, to, size| {
            let all = self.forwarding.at_any_time().into_iter();
            all.map(|routes| self.one_way(routes, (from, to), size)).max().unwrap_or(Span::ZERO)
        };
        longest(source, destination, packet) + longest(destination, source, ack)
    }

    /// The time of a frame where every switch takes the first of its choices; zero if there is no path.
    fn one_way(
        &self,
        routes: AtSomeTime<'_>,
        (source, destination): (HostId, HostId),
        size: Bytes,
    ) -> Span {
        let mut port = PortId(source.0);
        let mut sum = self.hop(port, size);
        while let Node::Switch(switch) = self.destination(port) {
            let choices = routes.ports(switch, PortId(destination.0));
            if choices.count() == 0 {
                return Span::ZERO;
            }
            port = choices.get(0);
            sum = sum + self.hop(port, size);
        }
        sum
    }

    /// [`Fabric::base_rtt`] for whoever asks for many pairs: over slices of circuits what takes longest
    /// between two edge switches is found once.
    pub fn round_trips(&self, packet: Bytes, ack: Bytes) -> RoundTrips {
        let found = || {
            let hops = self.hops(packet, ack);
            let edges = self.edges(&hops);
            let between = self.longest_of_slices(&hops, &edges)?;
            let mut places = vec![0; self.switches.len()];
            for (place, edge) in (0..).zip(&edges) {
                places[edge.switch.index()] = place;
            }
            Some(BetweenEdges { places, edges: edges.len(), between })
        };
        let is_sliced = matches!(self.forwarding, Forwarding::Slices(_));
        RoundTrips { packet, ack, known: if is_sliced { found() } else { None } }
    }

    /// The time of a packet and of an ACK over each port.
    fn hops(&self, packet: Bytes, ack: Bytes) -> Vec<[Span; 2]> {
        let ports = (0..self.ports.len() as u32).map(PortId);
        ports.map(|port| [self.hop(port, packet), self.hop(port, ack)]).collect()
    }

    /// The largest [`Fabric::base_rtt`] of all pairs of different hosts.
    pub fn longest_base_rtt(&self, packet: Bytes, ack: Bytes) -> Span {
        let hops = self.hops(packet, ack);
        let edges = self.edges(&hops);
        let known = self.longest_of_slices(&hops, &edges);
        let mut longest = Span::ZERO;
        for (i, from) in edges.iter().enumerate() {
            if let Some(within) = from.within {
                longest = longest.max(within);
            }
            for (j, to) in edges.iter().enumerate().skip(i + 1) {
                let [there, back] = match &known {
                    Some(known) => {
                        [(i, j), (j, i)].map(|(from, to)| known[from * edges.len() + to])
                    }
                    None => {
                        [(from, to), (to, from)].map(|(from, to)| self.between(&hops, from, to))
                    }
                };
                let sent = from.sending + to.receiving + there[0] + back[1];
                let sent_back = to.sending + from.receiving + back[0] + there[1];
                longest = longest.max(sent).max(sent_back);
            }
        }
        longest
    }

    fn hop(&self, port: PortId, size: Bytes) -> Span {
        self.ports[port.index()].rate.serialisation(size) + self.latency(port)
    }

    /// The slowest hosts of each edge switch. Between switches, all hosts of an edge switch share
    /// their paths, so that no other host can be on the longest round trip.
    fn edges(&self, hops: &[[Span; 2]]) -> Vec<Edge> {
        let mut hosts: Vec<HostId> = (0..self.hosts).map(HostId).collect();
        hosts.sort_by_key(|&host| (self.edge(host), host));
        let summary = |hosts: &[HostId]| {
            let sending = |host: HostId| {
                let down = self.ports[host.index()].peer;
                hops[host.index()][0] + hops[down.index()][1]
            };
            let receiving = |host: HostId| {
                let down = self.ports[host.index()].peer;
                hops[host.index()][1] + hops[down.index()][0]
            };
            let slowest = |cost: &dyn Fn(HostId) -> Span| {
                let mut order: Vec<(Span, HostId)> = hosts.iter().map(|&h| (cost(h), h)).collect();
                order.sort_unstable_by(|a, b| b.cmp(a));
                order.truncate(2);
                order
            };
            let (senders, receivers) = (slowest(&sending), slowest(&receiving));
            let pairs = senders.iter().flat_map(|s| receivers.iter().map(move |r| (s, r)));
            Edge {
                switch: self.edge(hosts[0]),
                host: hosts[0],
                sending: senders[0].0,
                receiving: receivers[0].0,
                within: pairs.filter(|(s, r)| s.1 != r.1).map(|(s, r)| s.0 + r.0).max(),
            }
        };
        hosts.chunk_by(|&a, &b| self.edge(a) == self.edge(b)).map(summary).collect()
    }

    /// Time between each edge switch and each other one, for a packet and for an ACK, in the slice in
    /// which it is longest; by the place of the first, then of the other. `None` where routes are those of
    /// all times.
    fn longest_of_slices(&self, hops: &[[Span; 2]], edges: &[Edge]) -> Option<Vec<[Span; 2]>> {
        let Forwarding::Slices(slices) = &self.forwarding else { return None };
        let steps = Steps::new(self, hops);
        let mut longest = vec![[Span::ZERO; 2]; edges.len() * edges.len()];
        // Where each switch sends what goes to one edge switch, and how long all the way takes.
        let mut own = vec![Step::stays(0); self.switches.len()];
        let mut rest = vec![[Span::ZERO; 2]; self.switches.len()];
        for table in &slices.tables {
            let firsts = steps.of_groups(table);
            for (place, to) in edges.iter().enumerate() {
                let column = table.column[to.switch.index()] as usize;
                for (at, own) in own.iter_mut().enumerate() {
                    let group = table.groups[at * table.columns as usize + column];
                    *own = firsts[group as usize].unwrap_or(Step::stays(at));
                }
                own[to.switch.index()] = Step::stays(to.switch.index());
                steps.add_up(&own, &mut rest);
                for (from, edge) in edges.iter().enumerate() {
                    let sum = rest[edge.switch.index()];
                    let most = &mut longest[from * edges.len() + place];
                    *most = [most[0].max(sum[0]), most[1].max(sum[1])];
                }
            }
        }
        Some(longest)
    }

    /// Time between two edge switches for a packet and for an ACK, where routes are those of all times.
    fn between(&self, hops: &[[Span; 2]], from: &Edge, to: &Edge) -> [Span; 2] {
        let mut sum = [Span::ZERO; 2];
        let mut at = from.switch;
        while at != to.switch {
            let choices = self.forwarding.ports(at, PortId(to.host.0));
            if choices.count() == 0 {
                break;
            }
            let port = choices.get(0);
            let hop = hops[port.index()];
            sum = [sum[0] + hop[0], sum[1] + hop[1]];
            match self.destination(port) {
                Node::Switch(switch) => at = switch,
                Node::Host(_) => break,
            }
        }
        sum
    }
}

/// Unloaded round trips of pairs of hosts, for one size of packets and one of ACKs.
#[derive(Clone, Debug)]
pub struct RoundTrips {
    packet: Bytes,
    ack: Bytes,
    known: Option<BetweenEdges>,
}

/// The longest time between edge switches, for a packet and for an ACK.
#[derive(Clone, Debug)]
struct BetweenEdges {
    /// The place of each switch that has hosts.
    places: Vec<u32>,
    /// How many those are.
    edges: usize,
    /// By the place of the first, then of the other.
    between: Vec<[Span; 2]>,
}

impl RoundTrips {
    /// [`Fabric::base_rtt`] of the fabric that they were asked of.
    pub fn of(&self, fabric: &Fabric, source: HostId, destination: HostId) -> Span {
        let Some(known) = &self.known else {
            return fabric.base_rtt(source, destination, self.packet, self.ack);
        };
        let place = |host| known.places[fabric.edge(host).index()] as usize;
        let one_way = |from: HostId, to: HostId, number: usize, size| {
            let down = fabric.ports[to.index()].peer;
            let between = known.between[place(from) * known.edges + place(to)][number];
            fabric.hop(PortId(from.0), size) + between + fabric.hop(down, size)
        };
        one_way(source, destination, 0, self.packet) + one_way(destination, source, 1, self.ack)
    }
}

/// Where a frame goes from a switch: to another, and the number of the time that it takes.
#[derive(Clone, Copy)]
struct Step {
    next: u32,
    hop: u32,
}

impl Step {
    /// It goes nowhere from a switch.
    fn stays(at: usize) -> Self {
        Self { next: at as u32, hop: 0 }
    }
}

/// The steps of all ports, small enough to stay at hand: ports are many, the times few.
struct Steps {
    of_ports: Vec<Option<Step>>,
    /// The times of a packet and of an ACK; first, none.
    hops: Vec<[Span; 2]>,
}

impl Steps {
    fn new(fabric: &Fabric, hops: &[[Span; 2]]) -> Self {
        let mut distinct = [hops, &[[Span::ZERO; 2]]].concat();
        distinct.sort_unstable();
        distinct.dedup();
        let step = |(port, own): (u32, &[Span; 2])| match fabric.destination(PortId(port)) {
            Node::Switch(next) => {
                let hop = distinct.partition_point(|other| other < own) as u32;
                Some(Step { next: next.0, hop })
            }
            Node::Host(_) => None,
        };
        Self { of_ports: (0..).zip(hops).map(step).collect(), hops: distinct }
    }

    /// How long it takes from each switch to where its steps end. By turns, each of which knows one step
    /// more: ways are short, and a turn has nothing to decide.
    fn add_up(&self, own: &[Step], rest: &mut [[Span; 2]]) {
        rest.fill([Span::ZERO; 2]);
        // No way has more steps than there are switches.
        for _ in 0..own.len() {
            let mut changed = false;
            for (at, step) in own.iter().enumerate() {
                let (hop, beyond) = (self.hops[step.hop as usize], rest[step.next as usize]);
                let sum = [hop[0] + beyond[0], hop[1] + beyond[1]];
                changed |= rest[at] != sum;
                rest[at] = sum;
            }
            if !changed {
                break;
            }
        }
    }

    /// The step through the first port of each next-hop group.
    fn of_groups(&self, table: &Table) -> Vec<Option<Step>> {
        let first = |range: &[u32]| table.ports[range[0] as usize..range[1] as usize].first();
        let step = |port: &PortId| self.of_ports[port.index()];
        table.starts.windows(2).map(|range| first(range).and_then(step)).collect()
    }
}

/// An edge switch and what its hosts' own cables can add to a round trip at most.
struct Edge {
    switch: SwitchId,
    /// Any of its hosts, to ask for routes.
    host: HostId,
    /// A packet from a host, and its ACK to the host.
    sending: Span,
    /// A packet to a host, and its ACK from the host.
    receiving: Span,
    /// Both, for the slowest pair of different hosts, if there are two.
    within: Option<Span>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::graph::parse_graph;
    use crate::topology::tree::TreeShape;
    use raddle_schemes::units::Rate;

    const PACKET: Bytes = Bytes(4160);
    const ACK: Bytes = Bytes(64);

    fn names<'a>(fabric: &'a Fabric, path: &[PortId]) -> Vec<&'a str> {
        path.iter().map(|port| fabric.ports[port.index()].name.as_str()).collect()
    }

    fn fat_tree(tiers: u32, hosts: u32) -> Fabric {
        TreeShape::fat_tree(tiers, hosts, Rate::gbps(400), Span::ns(500), Span::ns(300))
            .unwrap()
            .build()
            .unwrap()
    }

    /// The definition, without any short cut.
    fn longest_by_definition(fabric: &Fabric) -> Span {
        let hosts = || (0..fabric.hosts).map(HostId);
        hosts()
            .flat_map(|s| hosts().map(move |d| (s, d)))
            .filter(|(s, d)| s != d)
            .map(|(s, d)| fabric.base_rtt(s, d, PACKET, ACK))
            .max()
            .unwrap()
    }

    #[test]
    fn paths_of_three_tiers_have_two_four_or_six_hops() {
        let fabric = fat_tree(3, 16);
        let path = |destination: u32| fabric.path(HostId(0), HostId(destination));
        assert_eq!(names(&fabric, &path(1)), ["host0", "tor0.down1"]);
        assert_eq!(names(&fabric, &path(2)), ["host0", "tor0.up0", "agg0.down1", "tor1.down0"]);
        assert_eq!(
            names(&fabric, &path(15)),
            ["host0", "tor0.up0", "agg0.up0", "core0.down3", "agg6.down1", "tor7.down1"]
        );
    }

    #[test]
    fn round_trips_add_up() {
        let fabric = fat_tree(3, 16);
        // 4160 B take 83.2 ns, 64 B take 1.28 ns at 400 Gbps; n switches on n + 1 cables.
        let rtt =
            |hops: u64| Span(hops * (83_200 + 1_280 + 2 * 500_000) + 2 * (hops - 1) * 300_000);
        assert_eq!(fabric.base_rtt(HostId(0), HostId(1), PACKET, ACK), rtt(2));
        assert_eq!(fabric.base_rtt(HostId(0), HostId(2), PACKET, ACK), rtt(4));
        assert_eq!(fabric.base_rtt(HostId(0), HostId(15), PACKET, ACK), rtt(6));
        assert_eq!(fabric.longest_base_rtt(PACKET, ACK), rtt(6));
        assert_eq!(fat_tree(2, 16).longest_base_rtt(PACKET, ACK), rtt(4));
    }

    #[test]
    fn the_longest_round_trip_is_that_of_the_slowest_pair() {
        let fabric = parse_graph(
            r#"
            host a
            host b
            host c
            host d
            host e
            switch s latency "300 ns"
            switch t latency "200 ns"
            switch u
            link a s "100 Gbps" "2 us"
            link b s "400 Gbps" "500 ns" "10 Gbps"
            link c t "400 Gbps" "500 ns"
            link d t "25 Gbps" "700 ns" "400 Gbps"
            link e u "400 Gbps" "100 ns"
            link s t "400 Gbps" "500 ns" "50 Gbps"
            link t u "400 Gbps" "500 ns"
            "#,
        )
        .unwrap();
        assert_eq!(fabric.longest_base_rtt(PACKET, ACK), longest_by_definition(&fabric));
        for fabric in [fat_tree(2, 12), fat_tree(3, 16)] {
            assert_eq!(fabric.longest_base_rtt(PACKET, ACK), longest_by_definition(&fabric));
        }
    }

    #[test]
    fn hosts_of_one_switch_can_be_the_slowest_pair() {
        let fabric = parse_graph(
            r#"
            host a
            host b
            host c
            switch s
            switch t
            link a s "100 Gbps" "9 us"
            link b s "100 Gbps" "8 us"
            link c t "400 Gbps" "100 ns"
            link s t "400 Gbps" "100 ns"
            "#,
        )
        .unwrap();
        let longest = fabric.longest_base_rtt(PACKET, ACK);
        assert_eq!(longest, fabric.base_rtt(HostId(0), HostId(1), PACKET, ACK));
        assert_eq!(longest, longest_by_definition(&fabric));
    }
}
