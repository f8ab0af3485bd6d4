//! What becomes of messages before a run: a planner makes pieces on paths of those that a host starts
//! together, and others are spread over their queue pairs.
//!
//! Messages start together that have the same time, or that one trigger starts with the same delay.
//! A trigger that starts one flow at a time makes batches of one.

use crate::plan::Plan;
use crate::topology::routing::Forwarding;
use crate::topology::{Fabric, Node};
use crate::workload::pieces::{KnownPaths, Placements, in_pieces};
use crate::workload::{Flow, Start, Traffic, TriggerKind};
use raddle_schemes::Need;
use raddle_schemes::ids::{Entropy, FlowId, HostId, SwitchId};
use raddle_schemes::load_balance::route::route;
use raddle_schemes::planner::{self, Message, Piece, PlannerContext};
use raddle_schemes::rng::Rng;
use raddle_schemes::units::{Bytes, Span, Time};
use std::collections::BTreeMap;
use std::fmt;
use std::mem;
use std::sync::Arc;

/// What is wrong with a planner's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceMisfit {
    /// The planner.
    pub planner: &'static str,
    /// The message.
    pub flow: FlowId,
    /// What is wrong.
    pub why: &'static str,
}

impl fmt::Display for PieceMisfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` planned flow {}: {}", self.planner, self.flow.0, self.why)
    }
}

impl std::error::Error for PieceMisfit {}

/// What messages of one host start with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Together {
    At(Time),
    /// A trigger and a delay.
    After(u32, Span),
    /// Nothing else.
    Alone(FlowId),
}

impl Plan {
    /// Has a planner give paths to all messages whose path selector follows one (`planned`), and
    /// spreads the others over their queue pairs ([`Flow::qps`]). Paths are those that routing has at
    /// time zero. To be called once, when the traffic is complete. Changes nothing where there is
    /// neither.
    ///
    /// # Errors
    /// A planner from outside that loses bytes, names no path of a message, or keeps no order.
    pub fn cut_messages(&mut self, planner: Option<&planner::Config>) -> Result<(), PieceMisfit> {
        if planner.is_none() && self.traffic.flows.iter().all(|flow| flow.qps == 1) {
            return Ok(());
        }
        let known = self.known_paths();
        let mut placements: Vec<Placements> = vec![Vec::new(); self.traffic.flows.len()];
        if let Some(config) = planner {
            self.place(config, &known, &mut placements)?;
        }
        for (flow, own) in self.traffic.flows.iter().zip(&mut placements) {
            if own.is_empty() {
                match self.fabric.scales_up(flow.source, flow.destination) {
                    true => own.push((flow.bytes, None)),
                    false => own.extend(over_queue_pairs(flow, self.transport.payload)),
                }
            }
        }
        let messages = mem::take(&mut self.traffic);
        self.traffic = in_pieces(messages, placements, planner.cloned(), known);
        if let Some(pieces) = self.traffic.pieces.as_deref() {
            let followed = mem::take(&mut self.record.probes.flows);
            let of = |message: &FlowId| pieces.of(message.index()).map(FlowId);
            self.record.probes.flows = followed.iter().flat_map(of).collect();
            let kept = mem::take(&mut self.record.packets);
            self.record.packets = kept.iter().flat_map(of).collect();
        }
        Ok(())
    }

    /// Where the planner has the messages that follow it.
    fn place(
        &self,
        config: &planner::Config,
        known: &KnownPaths,
        placements: &mut [Placements],
    ) -> Result<(), PieceMisfit> {
        let context = PlannerContext { payload: self.transport.payload };
        let batches = self.batches(&self.traffic);
        for own in batches.chunk_by(|a, b| a.0 == b.0) {
            let source = own[0].0;
            let mut planner = config.build(&context);
            let mut rng = Rng::new(self.seed, "plan", source.0.into());
            let mut pieces = Vec::new();
            for (_, flows) in own {
                let message = |flow: &FlowId| {
                    let flow = &self.traffic.flows[flow.index()];
                    let leaf = known.edges[flow.destination.index()];
                    let ends = (known.edges[source.index()], leaf);
                    let paths = known.between.get(&ends).map_or(&[][..], |paths| paths);
                    Message { leaf, bytes: flow.bytes, paths }
                };
                let batch: Vec<Message<'_>> = flows.iter().map(message).collect();
                pieces.clear();
                planner.plan(&mut rng, &batch, &mut pieces);
                let mut left = &pieces[..];
                for (number, (&flow, message)) in (0..).zip(flows.iter().zip(&batch)) {
                    let end = left.iter().position(|piece| piece.message != number);
                    let (own, others) = left.split_at(end.unwrap_or(left.len()));
                    let misfit = |why| PieceMisfit { planner: config.card().name, flow, why };
                    placements[flow.index()] = placed(own, message).map_err(misfit)?;
                    left = others;
                }
            }
        }
        Ok(())
    }

    /// Whether a planner gives a flow its path: by its path selector, if it takes links at all.
    fn is_planned(&self, flow: &Flow) -> bool {
        let Flow { source, destination, load_balance, .. } = *flow;
        !self.fabric.scales_up(source, destination)
            && self.transport.load_balance_of(load_balance).card().needs.contains(&Need::Planner)
    }

    /// The batches in which messages were planned, those of each host in order of time, those that
    /// start at a time first; none without a planner.
    pub fn batches_of_messages(&self) -> Vec<Vec<FlowId>> {
        let Some(pieces) = self.traffic.pieces.as_deref() else { return Vec::new() };
        self.batches(&pieces.messages).into_iter().map(|(_, flows)| flows).collect()
    }

    /// The messages that start together, batch after batch, those of one host next to each other.
    fn batches(&self, traffic: &Traffic) -> Vec<(HostId, Vec<FlowId>)> {
        let Traffic { flows, triggers, .. } = traffic;
        let mut started_by: Vec<Option<Together>> = vec![None; flows.len()];
        for (number, trigger) in (0..).zip(triggers) {
            for &target in &trigger.targets {
                let delay = flows[target.index()].start.delay();
                started_by[target.index()].get_or_insert(match trigger.kind {
                    TriggerKind::All { .. } => Together::After(number, delay),
                    TriggerKind::Next => Together::Alone(target),
                });
            }
        }
        let mut batches: BTreeMap<(HostId, Together), Vec<FlowId>> = BTreeMap::new();
        for (id, flow) in (0..).map(FlowId).zip(flows) {
            if !self.is_planned(flow) {
                continue;
            }
            let together = match flow.start {
                Start::At(at) => Together::At(at),
                Start::After(_) => started_by[id.index()].unwrap_or(Together::Alone(id)),
            };
            batches.entry((flow.source, together)).or_default().push(id);
        }
        batches.into_iter().map(|((source, _), flows)| (source, flows)).collect()
    }

    /// The paths of all messages that are planned.
    fn known_paths(&self) -> KnownPaths {
        let fabric = &self.fabric;
        let edges: Vec<SwitchId> =
            (0..fabric.hosts).map(|host| fabric.edge(HostId(host))).collect();
        let at_zero = self.routes.iter().rfind(|(from, _)| *from == Time::ZERO);
        let forwarding = at_zero.map_or(&fabric.forwarding, |(_, forwarding)| forwarding);
        let mut between = BTreeMap::new();
        for flow in self.traffic.flows.iter().filter(|flow| self.is_planned(flow)) {
            let from = edges[flow.source.index()];
            between
                .entry((from, edges[flow.destination.index()]))
                .or_insert_with(|| Arc::from(paths(fabric, forwarding, from, flow.destination)));
        }
        KnownPaths { edges, between }
    }
}

/// The parts of a message that its queue pairs carry: whole packets, as even as can be, so that there
/// are as many of them as of the message in one. There are fewer parts where it has fewer packets.
fn over_queue_pairs(flow: &Flow, payload: Bytes) -> Placements {
    let packets = flow.bytes.0.div_ceil(payload.0).max(1);
    let parts = packets.min(flow.qps.into());
    let end = |part: u64| (part * packets / parts * payload.0).min(flow.bytes.0);
    (0..parts).map(|part| (Bytes(end(part + 1) - end(part)), None)).collect()
}

/// Where the pieces of a message go, or what is wrong with them.
fn placed(pieces: &[Piece], message: &Message<'_>) -> Result<Placements, &'static str> {
    let mut placements = Placements::new();
    let mut sum = Some(0_u64);
    for piece in pieces {
        if piece.bytes.0 == 0 {
            return Err("a piece of 0 B");
        }
        let known = match piece.path {
            Some(path) => message.paths.contains(&path),
            None => message.paths.is_empty(),
        };
        if !known {
            return Err("a piece on none of its paths");
        }
        sum = sum.and_then(|sum| sum.checked_add(piece.bytes.0));
        placements.push((piece.bytes, piece.path));
    }
    if sum.map(Bytes) == Some(message.bytes) {
        Ok(placements)
    } else {
        Err("its pieces do not add up to it")
    }
}

/// The paths from an edge switch to a host of another one, each for a switch in which the ways up from
/// both meet; where cables to it are parallel, one for each way up, with the way down of the same
/// number. A digit that no switch will read is 0.
fn paths(fabric: &Fabric, forwarding: &Forwarding, from: SwitchId, to: HostId) -> Vec<Entropy> {
    if from == fabric.edge(to) {
        return Vec::new();
    }
    let digit = |switch: SwitchId, port: raddle_schemes::ids::PortId| {
        port.0 - fabric.switches[switch.index()].ports.start
    };
    let mut parallel: BTreeMap<SwitchId, usize> = BTreeMap::new();
    let mut found = Vec::new();
    let ups = forwarding.ports(from, fabric.host_port(to, 0));
    for up in (0..ups.count()).map(|choice| ups.get(choice)) {
        let Node::Switch(above) = fabric.destination(up) else { continue };
        let number = parallel.entry(above).or_default();
        let nexts = forwarding.ports(above, fabric.host_port(to, 0));
        let nexts = (0..nexts.count()).map(|choice| nexts.get(choice)).collect::<Vec<_>>();
        let down = nexts
            .first()
            .is_some_and(|&next| fabric.destination(next) == Node::Switch(fabric.edge(to)));
        if nexts.len() < 2 || fabric.switches[above.index()].tier == 0 {
            found.push(route(digit(from, up), 0));
        } else if down {
            let next = nexts[*number % nexts.len()];
            found.push(route(digit(from, up), digit(above, next)));
        } else {
            found.extend(nexts.iter().map(|&next| route(digit(from, up), digit(above, next))));
        }
        *number += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::tree::TreeShape;
    use raddle_schemes::units::Rate;

    fn tree(tiers: u32, hosts: u32, parallel: u32) -> Fabric {
        let mut shape =
            TreeShape::fat_tree(tiers, hosts, Rate::gbps(100), Span::ns(500), Span::ZERO).unwrap();
        shape.parallel[0] = parallel;
        shape.build().unwrap()
    }

    #[test]
    fn there_is_a_path_for_each_way_up_that_leads_to_the_leaf() {
        let one = tree(2, 32, 1);
        let far = HostId(31);
        let all = paths(&one, &one.forwarding, one.edge(HostId(0)), far);
        let ups = one.switches[0].ports.len() as u32 - 4;
        assert_eq!(all.len() as u32, ups);
        assert_eq!(paths(&one, &one.forwarding, one.edge(HostId(0)), HostId(1)), []);
        let two = tree(2, 32, 2);
        let mut parallel = paths(&two, &two.forwarding, two.edge(HostId(0)), far);
        assert_eq!(parallel.len() as u32, 2 * ups, "no more than there are ways up");
        // As many ways down as up: each pair of cables has its own.
        parallel.dedup_by_key(|path| path.0 >> 8);
        assert_eq!(parallel.len() as u32, 2 * ups);
    }

    #[test]
    fn queue_pairs_have_whole_packets_and_as_many_as_the_message() {
        let parts = |bytes, qps| -> Vec<u64> {
            let flow = Flow { qps, ..Flow::at_zero(0, 1, Bytes(bytes)) };
            over_queue_pairs(&flow, Bytes(100)).into_iter().map(|(bytes, _)| bytes.0).collect()
        };
        assert_eq!(parts(250, 1), [250]);
        assert_eq!(parts(800, 4), [200; 4]);
        // Of ten packets, the last of 50 B: 2, 3, 2 and 3.
        assert_eq!(parts(950, 4), [200, 300, 200, 250]);
        assert_eq!(parts(150, 8), [100, 50], "no more than there are packets");
    }

    #[test]
    fn in_a_fat_tree_there_is_a_path_for_each_core() {
        let fabric = tree(3, 16, 1);
        let from = fabric.edge(HostId(0));
        let counts =
            [15, 2, 1].map(|to| paths(&fabric, &fabric.forwarding, from, HostId(to)).len());
        assert_eq!(counts, [4, 2, 0]);
    }
}
