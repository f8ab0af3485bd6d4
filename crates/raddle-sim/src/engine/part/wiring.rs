//! How the ports of a part are wired: who feeds each, what an arrival wakes, and where each leads.

use crate::engine::link::{FarEnd, Line, Place};
use crate::engine::partition::Partition;
use crate::engine::port::kinds::SwitchPorts;
use crate::engine::schedule::calendar::Wake;
use crate::engine::switch::SwitchState;
use crate::plan::Plan;
use crate::topology::Fabric;
use crate::wire::port_facts::PortFacts;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Span;

pub(super) struct Wiring<'a> {
    fabric: &'a Fabric,
    partition: &'a Partition,
    /// Own ports, in the order of the part.
    ids: &'a [PortId],
    /// Their numbers in it, by their number in the fabric.
    number_of: Vec<u32>,
    /// What an arrival at each wakes.
    wakes: Vec<Wake>,
}

impl<'a> Wiring<'a> {
    /// Of a part with so many hosts, whose ports come first, those of one plane after those of another.
    pub(super) fn of(
        fabric: &'a Fabric,
        partition: &'a Partition,
        ids: &'a [PortId],
        hosts: usize,
        switches: &[SwitchState],
    ) -> Self {
        let mut number_of = vec![u32::MAX; fabric.ports.len()];
        for (number, id) in ids.iter().enumerate() {
            number_of[id.index()] = number as u32;
        }
        let host = |host| Wake::Host { host };
        let of_hosts = (0..fabric.planes).flat_map(|_| (0..hosts as u32).map(host));
        let mut wakes: Vec<Wake> = of_hosts.collect();
        for (number, switch) in switches.iter().enumerate() {
            let ports = fabric.switches[switch.id.index()].ports.len() as u32;
            let wake = |in_port| Wake::Arrival { switch: number as u32, in_port };
            wakes.extend((0..ports).map(wake));
        }
        Self { fabric, partition, ids, number_of, wakes }
    }

    /// The number of a port of the fabric in the part.
    pub(super) fn number(&self, id: PortId) -> u32 {
        self.number_of[id.index()]
    }

    fn peer(&self, id: PortId) -> PortId {
        self.fabric.ports[id.index()].peer
    }

    /// Per port, the line that ends there.
    pub(super) fn feeders(&self) -> Vec<u32> {
        let feeder = |&id: &PortId| {
            self.partition.line_into(id).unwrap_or_else(|| self.number(self.peer(id)))
        };
        self.ids.iter().map(feeder).collect()
    }

    fn far_end(&self, id: PortId) -> FarEnd {
        match self.partition.line_into(self.peer(id)) {
            Some(line) => {
                let part = self.partition.part_of(self.fabric.destination(id));
                FarEnd::Elsewhere { part, line }
            }
            None => FarEnd::Here(self.wakes[self.number(self.peer(id)) as usize]),
        }
    }

    /// A line for each port and each link from another part, with where it leads; and the queues of
    /// switches behind them. Settles in which order switches go through their ports.
    pub(super) fn lines(
        &self,
        plan: &Plan,
        host_ports: usize,
        switches: &mut [SwitchState],
        longest_rtt: Span,
    ) -> (Vec<Line>, Vec<FarEnd>, SwitchPorts) {
        let (fabric, ids) = (self.fabric, self.ids);
        let mut far_ends: Vec<FarEnd> = ids.iter().map(|&id| self.far_end(id)).collect();
        let no_queue = |id: PortId| Line::new(fabric.latency(id), Place::none());
        let mut lines: Vec<Line> = ids[..host_ports].iter().map(|&id| no_queue(id)).collect();
        let mut ports = SwitchPorts::default();
        for switch in switches {
            let from = lines.len();
            let own = from..from + fabric.switches[switch.id.index()].ports.len();
            let asked = switch.settle_order(plan, &ids[own.clone()], longest_rtt);
            for (&id, &far_end) in ids[own.clone()].iter().zip(&far_ends[own.clone()]) {
                let facts = PortFacts::new(plan, id, longest_rtt);
                lines.push(ports.add(plan, id, facts, far_end, asked));
            }
            let own = &lines[own];
            let Some(first) = own.first().map(|line| line.place) else { continue };
            let alike = own.iter().all(|line| line.place.kind() == first.kind());
            switch.kind = alike.then(|| (first.kind(), first.number() as u32));
        }
        // Lines from other parts, in order of the own port that they end at.
        for (&id, &wake) in ids.iter().zip(&self.wakes) {
            if self.partition.line_into(id).is_some() {
                lines.push(no_queue(self.peer(id)));
                far_ends.push(FarEnd::Here(wake));
            }
        }
        (lines, far_ends, ports)
    }
}
