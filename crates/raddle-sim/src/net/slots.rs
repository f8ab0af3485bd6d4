//! Where the ends of flows live: sender slots in order of source, receiver slots in order of
//! destination, so that a host's are neighbours and a locator finds its slot by one addition.

use super::frame::{Locator, Locators};
use crate::plan::Plan;
use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::transport::sender::packets;
use raddle_schemes::transport::{Receiver, Sender};
use raddle_schemes::units::Time;

/// The sending end of a flow: its place at the source.
pub(super) struct SenderSlot {
    pub(super) flow: FlowId,
    /// Receiver slot of the same flow.
    pub(super) receiver: u32,
    /// Where data goes.
    pub(super) to: Locator,
    pub(super) live: Option<Box<Sender>>,
    pub(super) in_ready: bool,
    /// When the earliest valid wake-up timer is set for.
    pub(super) wake_at: Time,
    /// When a pace timer is set for.
    pub(super) pace_at: Time,
}

/// The receiving end of a flow: its place at the destination.
pub(super) struct ReceiverSlot {
    pub(super) flow: FlowId,
    /// Where ACKs go.
    pub(super) to: Locator,
    pub(super) live: Option<Box<Receiver>>,
    pub(super) total: u32,
    /// The sender has heard of every packet.
    pub(super) done: bool,
}

/// All slots of a run.
pub(super) struct Slots {
    pub(super) senders: Vec<SenderSlot>,
    /// Sender slots of host `h` begin here; likewise receivers.
    pub(super) sender_base: Vec<u32>,
    pub(super) receivers: Vec<ReceiverSlot>,
    pub(super) receiver_base: Vec<u32>,
    /// Sender slot of each flow.
    pub(super) slot_of: Vec<u32>,
}

impl Slots {
    /// The slots of a plan's flows, none of them live.
    pub(super) fn new(plan: &Plan, locators: Locators) -> Self {
        let hosts = plan.fabric.hosts;
        let flows = &plan.traffic.flows;
        let (slot_of, sender_base) = by_host(flows.len(), hosts, |i| flows[i].source);
        let (receiver_of, receiver_base) = by_host(flows.len(), hosts, |i| flows[i].destination);
        let sender = |i: usize| {
            let destination = flows[i].destination;
            let index = receiver_of[i] - receiver_base[destination.index()];
            SenderSlot {
                flow: FlowId(i as u32),
                receiver: receiver_of[i],
                to: locators.locate(destination, flows[i].class, index),
                live: None,
                in_ready: false,
                wake_at: Time::NEVER,
                pace_at: Time::NEVER,
            }
        };
        let receiver = |i: usize| {
            let source = flows[i].source;
            ReceiverSlot {
                flow: FlowId(i as u32),
                to: locators.locate(source, 0, slot_of[i] - sender_base[source.index()]),
                live: None,
                total: packets(flows[i].bytes, plan.transport.payload),
                done: false,
            }
        };
        let in_order_of = |slots: &[u32]| {
            let mut order: Vec<usize> = (0..flows.len()).collect();
            order.sort_by_key(|&i| slots[i]);
            order
        };
        let senders = in_order_of(&slot_of).into_iter().map(sender).collect();
        let receivers = in_order_of(&receiver_of).into_iter().map(receiver).collect();
        Self { senders, sender_base, receivers, receiver_base, slot_of }
    }
}

/// Positions of `count` things in order of `host_of`, with where each host's begin.
fn by_host(count: usize, hosts: u32, host_of: impl Fn(usize) -> HostId) -> (Vec<u32>, Vec<u32>) {
    let mut base = vec![0u32; hosts as usize + 1];
    for i in 0..count {
        base[host_of(i).index() + 1] += 1;
    }
    for h in 0..hosts as usize {
        base[h + 1] += base[h];
    }
    let mut next = base.clone();
    let slots = (0..count)
        .map(|i| {
            let slot = &mut next[host_of(i).index()];
            *slot += 1;
            *slot - 1
        })
        .collect();
    (slots, base)
}
