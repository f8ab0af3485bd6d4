//! The ends of flows under way that triggers wait for.

use super::slots::End;
use crate::host::endpoints::Ends;
use crate::workload::Traffic;
use raddle_schemes::transport::sender::packets;
use raddle_schemes::units::Bytes;

/// At each place, the live ends that fire a trigger when they are through; nothing where a run has no
/// triggers.
#[derive(Default)]
pub(in crate::host) struct Awaited {
    places: Vec<Place>,
    /// The least packets of any flow whose arrival is awaited.
    least: u32,
}

#[derive(Clone, Default)]
struct Place {
    /// Up to [`MOST`].
    listed: Vec<End>,
    /// How many there are besides.
    others: u32,
}

/// A host with more ends that are awaited is taken to fire at any time: looking at each costs more.
const MOST: usize = 16;

impl Awaited {
    pub(in crate::host) fn new(traffic: &Traffic, payload: Bytes, places: usize) -> Self {
        if traffic.triggers.is_empty() {
            return Self::default();
        }
        let awaited = traffic.flows.iter().filter(|flow| flow.on_delivered.is_some());
        let least = awaited.map(|flow| packets(flow.bytes, payload)).min();
        Self { places: vec![Place::default(); places], least: least.unwrap_or(u32::MAX) }
    }

    /// An end that is awaited has become live.
    pub(in crate::host) fn begin(&mut self, place: u32, end: End) {
        let Some(Place { listed, others }) = self.places.get_mut(place as usize) else { return };
        if listed.len() < MOST {
            listed.push(end);
        } else {
            *others += 1;
        }
    }

    /// It is through.
    pub(in crate::host) fn end(&mut self, place: u32, end: End) {
        let Some(Place { listed, others }) = self.places.get_mut(place as usize) else { return };
        match listed.iter().position(|&other| other == end) {
            Some(index) => _ = listed.swap_remove(index),
            None => *others -= 1,
        }
    }
}

impl Ends<'_> {
    /// Whether a trigger may fire at `place` in a window in which at most so many frames arrive
    /// there. What arrives at a receiver in a window, its sender hears of in a later one.
    pub(in crate::host) fn may_fire(&self, place: u32, arrivals: u32) -> bool {
        let Some(awaited) = self.awaited.places.get(place as usize) else { return false };
        if self.scale_up.may_fire(place) {
            return true;
        }
        if arrivals == 0 {
            return false;
        }
        // A flow of which nothing has arrived is not listed yet.
        if arrivals >= self.awaited.least || awaited.others > 0 {
            return true;
        }
        awaited.listed.iter().any(|&end| match end {
            End::Sender(slot) => {
                let live = self.live_senders.get(self.senders[slot as usize].live);
                live.is_some_and(|live| live.sender.all_arrived())
            }
            End::Receiver(slot) => {
                let live = self.live_receivers.get(self.receivers[slot as usize].live);
                let arrived = live.map(|live| live.receiver.arrived());
                arrived.is_some_and(|arrived| arrived.total() - arrived.count() <= arrivals)
            }
        })
    }
}
