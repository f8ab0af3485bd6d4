//! The ends of flows under way that triggers wait for.

use super::ends::Ends;
use crate::workload::Traffic;
use raddle_schemes::transport::sender::packets;
use raddle_schemes::units::Bytes;

/// At each place, the slots of live ends that fire a trigger when they are through; nothing where a
/// run has no triggers.
#[derive(Default)]
pub(super) struct Awaited {
    places: Vec<Slots>,
    /// The least packets of any flow whose arrival is awaited.
    least: u32,
}

#[derive(Clone, Default)]
struct Slots {
    senders: Vec<u32>,
    receivers: Vec<u32>,
}

/// One of the ends of a flow.
#[derive(Clone, Copy)]
pub(super) enum End {
    Sender,
    Receiver,
}

/// A host with more ends that are awaited is taken to fire at any time: looking at each costs more.
const MOST: usize = 16;

impl Awaited {
    pub(super) fn new(traffic: &Traffic, payload: Bytes, places: usize) -> Self {
        if traffic.triggers.is_empty() {
            return Self::default();
        }
        let awaited = traffic.flows.iter().filter(|flow| flow.on_delivered.is_some());
        let least = awaited.map(|flow| packets(flow.bytes, payload)).min();
        Self { places: vec![Slots::default(); places], least: least.unwrap_or(u32::MAX) }
    }

    fn slots(&mut self, place: u32, end: End) -> Option<&mut Vec<u32>> {
        let slots = self.places.get_mut(place as usize)?;
        Some(match end {
            End::Sender => &mut slots.senders,
            End::Receiver => &mut slots.receivers,
        })
    }

    /// An end that is awaited has become live.
    pub(super) fn begin(&mut self, place: u32, end: End, slot: u32) {
        self.slots(place, end).into_iter().for_each(|slots| slots.push(slot));
    }

    /// It is through.
    pub(super) fn end(&mut self, place: u32, end: End, slot: u32) {
        let Some(slots) = self.slots(place, end) else { return };
        if let Some(index) = slots.iter().position(|&other| other == slot) {
            slots.swap_remove(index);
        }
    }
}

impl Ends<'_> {
    /// Whether a trigger may fire at `place` in a window in which at most so many frames arrive
    /// there. What arrives at a receiver in a window, its sender hears of in a later one.
    pub(super) fn may_fire(&self, place: u32, arrivals: u32) -> bool {
        let Some(slots) = self.awaited.places.get(place as usize) else { return false };
        if arrivals == 0 {
            return false;
        }
        // A flow of which nothing has arrived is not listed yet.
        if arrivals >= self.awaited.least || slots.senders.len() + slots.receivers.len() > MOST {
            return true;
        }
        let all_arrived = |&slot: &u32| {
            let live = self.live_senders.get(self.senders[slot as usize].live);
            live.is_some_and(|live| live.sender.all_arrived())
        };
        let few_missing = |&slot: &u32| {
            let live = self.live_receivers.get(self.receivers[slot as usize].live);
            let arrived = live.map(|live| live.receiver.arrived());
            arrived.is_some_and(|arrived| arrived.total() - arrived.count() <= arrivals)
        };
        slots.senders.iter().any(all_arrived) || slots.receivers.iter().any(few_missing)
    }
}
