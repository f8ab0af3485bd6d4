//! Where the time of a message on a critical path went, by its last needed packet.

use super::path::{Stretch, Took};
use crate::plan::Plan;
use crate::record::Outcome;
use crate::record::rows::{Fate, HopRow, PacketRow};
use raddle_schemes::ids::{FlowId, PortId};
use raddle_schemes::units::{Bytes, Span, Time};
use std::collections::{BTreeMap, BTreeSet};

/// The parts of a message's time, which add up to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The packet was held at its host: by window, pace, turns, credit or pauses.
    pub held: Span,
    /// The host sent what the message had up to it.
    pub own: Span,
    /// Its way: links, latencies, and its own time on each wire.
    pub hops: Span,
    /// It waited in queues of switches, or for its turns at a crossbar.
    pub queue: Span,
    /// From when it was first sent to when that of its number was sent which arrived.
    pub lost: Span,
    /// The way back of the ACK that ended the message.
    pub ack: Span,
    /// Where it waited.
    pub waits: Vec<Wait>,
}

/// A queue in which the packet waited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The port.
    pub port: PortId,
    /// For how long, beside the time that the port took for the packet itself.
    pub time: Span,
    /// Whose packets it waited for, and how many: of those that left before it without a pause between
    /// them, the last ones that are of other messages, as far as their packets were kept.
    pub behind: Vec<(FlowId, u64)>,
}

impl Parts {
    /// All of it.
    pub fn total(&self) -> Span {
        let Self { held, own, hops, queue, lost, ack, .. } = self;
        Span([held, own, hops, queue, lost, ack].into_iter().map(|own| own.0).sum())
    }
}

/// A packet that left a port.
struct Departure {
    left: Time,
    took: Span,
    flow: FlowId,
}

/// The parts of each message on a path whose packets were kept, or that went by the crossbar of a server;
/// `None` for computation, and for others.
pub fn parts(plan: &Plan, outcome: &Outcome, path: &[Stretch]) -> Vec<Option<Parts>> {
    let on_links = of_packets(plan, outcome, path);
    let or_across = |(own, parts): (&Stretch, Option<Parts>)| parts.or_else(|| across(plan, own));
    path.iter().zip(on_links).map(or_across).collect()
}

/// Of a message between the GPUs of a server, by its last quantum. What it waited for others at the ports
/// of both counts as a queue's.
fn across(plan: &Plan, own: &Stretch) -> Option<Parts> {
    let Took::Message { flow, acked, .. } = own.does else { return None };
    let flow = &plan.traffic.flows[flow.index()];
    let domain = plan.fabric.scale_up_between(flow.source, flow.destination)?;
    let rest = flow.bytes.0 % domain.quantum.0;
    let last = Bytes(if rest == 0 { domain.quantum.0 } else { rest });
    let hops = domain.rate.serialisation(last) + domain.latency;
    let sent = domain.delivered(flow.bytes).0 - hops.0;
    let ack = if acked { domain.latency } else { Span::ZERO };
    let queue = Span(own.time().0.saturating_sub(sent + hops.0 + ack.0));
    Some(Parts { own: Span(sent), hops, queue, ack, ..Parts::default() })
}

fn of_packets(plan: &Plan, outcome: &Outcome, path: &[Stretch]) -> Vec<Option<Parts>> {
    let mut rows: BTreeMap<FlowId, Vec<(usize, PacketRow)>> = BTreeMap::new();
    let kept: BTreeSet<FlowId> = plan.record.packets.iter().copied().collect();
    for own in path {
        if let Took::Message { flow, .. } = own.does
            && kept.contains(&flow)
        {
            rows.insert(flow, Vec::new());
        }
    }
    if rows.is_empty() {
        return vec![None; path.len()];
    }
    for (number, row) in outcome.packets.rows().enumerate() {
        if let Some(own) = rows.get_mut(&row.flow) {
            own.push((number, row));
        }
    }
    let begun = path.iter().map(|own| begin(plan, own, &rows));
    let mut begun: Vec<Option<(usize, PacketRow, Parts)>> = begun.collect();
    let wanted: BTreeSet<usize> = begun.iter().flatten().map(|own| own.0).collect();
    let mut hops: BTreeMap<usize, Vec<HopRow>> = BTreeMap::new();
    for hop in outcome.packets.hops() {
        if wanted.contains(&(hop.packet as usize)) {
            hops.entry(hop.packet as usize).or_default().push(hop);
        }
    }
    for (own, begun) in path.iter().zip(&mut begun) {
        let Some((number, row, parts)) = begun else { continue };
        let none = Vec::new();
        ways(plan, own, (row, hops.get(number).unwrap_or(&none)), parts);
    }
    let mut left = departures(plan, outcome, &begun);
    left.values_mut().for_each(|own| own.sort_by_key(|own| (own.left, own.flow)));
    for (number, row, parts) in begun.iter_mut().flatten() {
        let none = Vec::new();
        let own = hops.get(number).unwrap_or(&none);
        for wait in &mut parts.waits {
            let Some(hop) = own.iter().find(|hop| hop.port == wait.port) else { continue };
            let none = Vec::new();
            let before = left.get(&wait.port).unwrap_or(&none);
            wait.behind = behind(before, row.flow, hop, wait.time);
        }
    }
    begun.into_iter().map(|own| own.map(|(.., parts)| parts)).collect()
}

/// The last needed packet of a message, by its row, and its parts up to when it had left its host.
fn begin(
    plan: &Plan,
    own: &Stretch,
    rows: &BTreeMap<FlowId, Vec<(usize, PacketRow)>>,
) -> Option<(usize, PacketRow, Parts)> {
    let Took::Message { flow, acked, .. } = own.does else { return None };
    let rows = rows.get(&flow)?;
    let end = |row: &PacketRow| if acked { row.acked } else { row.arrived };
    let whole = |row: &PacketRow| row.fate == Fate::Delivered && end(row) <= Some(own.until);
    let all = rows.iter().filter(|(_, row)| whole(row));
    let place = all.max_by_key(|(number, row)| (end(row), *number))?;
    let at = rows.iter().position(|row| row.0 == place.0)?;
    let (number, last) = *place;
    // A message in pieces has numbers several times: the nearest one before is of its piece.
    let before = rows[..at].iter().rev().map(|(_, row)| row);
    let before = before.filter(|row| row.number == last.number && last.again);
    let mut first = last;
    for row in before {
        first = *row;
        if !row.again {
            break;
        }
    }
    let on_wire = |row: &PacketRow| took(plan, row.port, row.bytes).0;
    let sent = rows.iter().map(|(_, row)| row);
    let sent = sent.filter(|row| row.port == first.port && row.sent <= first.sent);
    let until = first.sent.since(own.from);
    let bytes = Span(sent.map(on_wire).sum::<u64>().min(until.0));
    let lost = last.sent.since(first.sent);
    let held = Span(until.0 - bytes.0);
    Some((number, last, Parts { held, own: bytes, lost, ..Parts::default() }))
}

/// Adds its way from its host on.
fn ways(plan: &Plan, own: &Stretch, (row, hops): (&PacketRow, &[HopRow]), parts: &mut Parts) {
    let Took::Message { acked, .. } = own.does else { return };
    let mut at = row.sent;
    for hop in hops {
        let left = hop.arrived + hop.stay;
        let wire =
            if hop.fate == Fate::Moved { Span::ZERO } else { took(plan, hop.port, hop.bytes) };
        let wait = Span(hop.stay.0.saturating_sub(wire.0));
        parts.hops.0 += hop.arrived.since(at).0 + hop.stay.0 - wait.0;
        parts.queue.0 += wait.0;
        if wait > Span::ZERO {
            parts.waits.push(Wait { port: hop.port, time: wait, behind: Vec::new() });
        }
        at = left;
    }
    let there = row.arrived.unwrap_or(at);
    parts.hops.0 += there.since(at).0;
    let rest = own.until.since(there).0;
    // What ends with the delivery of a packet ends at that instant.
    let sum = if acked { &mut parts.ack } else { &mut parts.hops };
    sum.0 += rest;
}

/// What a port takes to send so many bytes.
fn took(plan: &Plan, port: PortId, bytes: u16) -> Span {
    plan.fabric.ports[port.index()].rate.serialisation(Bytes(bytes.into()))
}

/// All packets kept that left the ports at which something was waited for.
fn departures(
    plan: &Plan,
    outcome: &Outcome,
    begun: &[Option<(usize, PacketRow, Parts)>],
) -> BTreeMap<PortId, Vec<Departure>> {
    let waits = begun.iter().flatten().flat_map(|(.., parts)| &parts.waits);
    let mut left: BTreeMap<PortId, Vec<Departure>> =
        waits.map(|wait| (wait.port, Vec::new())).collect();
    if left.is_empty() {
        return left;
    }
    let mut rows = outcome.packets.rows().enumerate();
    let mut now = rows.next();
    for hop in outcome.packets.hops() {
        while now.as_ref().is_some_and(|(number, _)| (*number as u64) < hop.packet) {
            now = rows.next();
        }
        let Some((_, row)) = &now else { break };
        if let Some(own) = left.get_mut(&hop.port).filter(|_| hop.fate.has_left()) {
            let took = took(plan, hop.port, hop.bytes);
            own.push(Departure { left: hop.arrived + hop.stay, took, flow: row.flow });
        }
    }
    left
}

/// Whose packets a packet of `flow` waited for so long at a port.
fn behind(before: &[Departure], flow: FlowId, hop: &HopRow, wait: Span) -> Vec<(FlowId, u64)> {
    let began = hop.arrived + wait;
    let mut busy = began;
    let mut left = wait.0;
    let mut others: BTreeMap<FlowId, u64> = BTreeMap::new();
    let until = before.partition_point(|own| own.left <= began);
    for own in before[..until].iter().rev() {
        // Whose frames are not kept may have been between them; a pause ends what it waited for.
        let gap = busy.since(own.left).0;
        if left == 0 || gap > 0 && own.left < hop.arrived {
            break;
        }
        busy = Time(own.left.0.saturating_sub(own.took.0));
        if own.flow != flow {
            *others.entry(own.flow).or_default() += 1;
            left = left.saturating_sub(own.took.0);
        }
    }
    let mut others: Vec<(FlowId, u64)> = others.into_iter().collect();
    others.sort_by_key(|(flow, packets)| (std::cmp::Reverse(*packets), *flow));
    others
}
