//! What a flow's packets came to, once it is known where each was.

use super::event::What;
use crate::plan::Plan;
use crate::record::FlowRecord;
use crate::record::packets::Packets;
use crate::record::rows::{Fate, HopRow, PacketRow};
use crate::wire::arbitration::Arbitration;
use raddle_schemes::ids::{FlowId, PortId};
use raddle_schemes::transport::sender::packets;
use raddle_schemes::units::Time;
use std::ops::Range;

/// A packet and where it was.
pub(super) struct Life {
    pub(super) packet: PacketRow,
    /// It left its host, or was lost there.
    pub(super) sent: What,
    /// The port by which it came to the node that it is in.
    pub(super) by: Option<PortId>,
    /// Its hops.
    pub(super) hops: Range<usize>,
}

/// Ends one flow after the other.
pub(super) struct Ends<'a> {
    plan: &'a Plan,
    ranks: Arbitration,
    /// By number, whether one has arrived.
    seen: Vec<bool>,
}

impl<'a> Ends<'a> {
    pub(super) fn new(plan: &'a Plan) -> Self {
        Self { plan, ranks: Arbitration::of_host_ports(plan.seed), seen: Vec::new() }
    }

    /// Puts the packets of a flow, in any order, and their hops into `out`. Replies told its sender of
    /// so many arrivals; the run stopped at `stop`, if before its flows had completed.
    pub(super) fn end(
        &mut self,
        (flow, record, stop): (FlowId, &FlowRecord, Option<Time>),
        lives: &mut [Life],
        hops: &[HopRow],
        replies: Vec<(Time, u32, PortId)>,
        out: &mut Packets,
    ) {
        // What was sent at one instant, in the order of events; equals stay as they are.
        let turn = |own: &Life| (own.packet.sent, own.sent, own.packet.port, own.packet.number);
        if !lives.is_sorted_by_key(turn) {
            lives.sort_by_key(turn);
        }
        let bytes = self.plan.traffic.flows[flow.index()].bytes;
        let needed = packets(bytes, self.plan.transport.payload) as usize;
        let refuses = record.refused > 0;
        let counts = [record.received, record.duplicates, record.refused, record.trimmed];
        let arrived = counts.iter().sum::<u64>() as usize;
        let arrivals = self.arrivals(lives);
        let last = lives.iter().map(|own| own.packet.number).max().unwrap_or(0);
        self.seen.clear();
        self.seen.resize(last as usize + 1, false);
        let mut entries = Vec::new();
        for (place, row) in arrivals.into_iter().enumerate() {
            let packet = &mut lives[row as usize].packet;
            if place >= arrived {
                // What has left its last switch may be under way when the run ends.
                packet.arrived = None;
                packet.fate = Fate::UnderWay;
            }
            if packet.fate != Fate::Delivered {
                continue;
            }
            // Of a code any so many suffice.
            let number = packet.number as usize;
            let is_next = !refuses || number == entries.len();
            if is_next && entries.len() < needed && !self.seen[number] {
                self.seen[number] = true;
                entries.push(row);
            } else {
                packet.fate = Fate::NotNeeded;
            }
        }
        let mut heard = 0;
        for (at, number, _) in replies {
            if stop.is_some_and(|stop| at >= stop) {
                break;
            }
            for &row in entries.iter().take(number as usize).skip(heard) {
                lives[row as usize].packet.acked = Some(at);
            }
            heard = heard.max(number as usize);
        }
        lives.iter().for_each(|own| out.push(&own.packet, &hops[own.hops.clone()]));
        out.end_flow();
    }

    /// Rows of packets that arrived, in the order in which they did: of one instant as their host's
    /// ports go.
    fn arrivals(&self, lives: &[Life]) -> Vec<u32> {
        let arrived = |(row, own): (u32, &Life)| {
            let (at, by) = (own.packet.arrived?, own.by?);
            Some((at, by, row))
        };
        let mut arrivals: Vec<_> = (0..).zip(lives).filter_map(arrived).collect();
        arrivals.sort_by_key(|(at, ..)| *at);
        for equals in arrivals.chunk_by_mut(|one, other| one.0 == other.0) {
            if equals.len() > 1 {
                equals.sort_by_key(|&(at, by, row)| {
                    let port = self.plan.fabric.ports[by.index()].peer;
                    (self.ranks.rank(port.0, at), port, row)
                });
            }
        }
        arrivals.into_iter().map(|(.., row)| row).collect()
    }
}
