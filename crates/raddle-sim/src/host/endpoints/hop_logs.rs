//! What data packets carried of the switches on their way, kept for the ACKs that echo it.
//!
//! A log beside that of arrivals ([`raddle_schemes::transport::Arrivals`]): the same positions, so that
//! an ACK, which names a position, brings the records of the packet that triggered it.

use super::Ends;
use crate::plan::Plan;
use crate::wire::frame::Locator;
use crate::wire::note::Hops;
use raddle_schemes::Events;
use raddle_schemes::transport::Sender;
use raddle_schemes::transport::sender::AckHeader;
use raddle_schemes::units::{Span, Time};
use std::collections::VecDeque;

/// The logs of the senders of a part, by slot.
pub(super) struct HopLogs {
    /// That of the data frame which comes next.
    at_hand: Hops,
    logs: Vec<HopLog>,
    /// For senders in other parts.
    outgoing: Vec<(Locator, Hops)>,
}

/// Notes from position `first` on.
#[derive(Clone, Default)]
struct HopLog {
    first: u32,
    notes: VecDeque<Hops>,
}

impl HopLogs {
    /// Of so many senders, if the plan has telemetry.
    pub(super) fn of(plan: &Plan, senders: u32) -> Option<Box<Self>> {
        plan.has_telemetry().then(|| {
            let logs = vec![HopLog::default(); senders as usize];
            Box::new(Self { at_hand: Hops::new(), logs, outgoing: Vec::new() })
        })
    }

    /// Hands an ACK on to its sender with what the packet carried that triggered it. One for a duplicate
    /// tells nothing, nor does one that was overtaken. Returns the round trip that it told of.
    #[inline(never)]
    pub(super) fn tell(
        &mut self,
        slot: u32,
        now: Time,
        ack: AckHeader<'_>,
        sender: &mut Sender,
        events: &mut dyn Events,
    ) -> Option<Span> {
        let hops = self.echo(slot, ack.upto);
        let has_news = !ack.duplicate && ack.upto > sender.heard();
        let hops = if has_news { &hops[..] } else { &[] };
        sender.on_ack(now, &AckHeader { hops, ..ack }, events)
    }

    /// What the packet carried that triggered an ACK for all arrivals before `upto`; nothing if a later
    /// ACK has come before. Earlier ones are forgotten.
    fn echo(&mut self, slot: u32, upto: u32) -> Hops {
        let HopLog { first, notes } = &mut self.logs[slot as usize];
        while *first + 1 < upto {
            notes.pop_front();
            *first += 1;
        }
        if *first >= upto {
            return Hops::new();
        }
        *first = upto;
        notes.pop_front().unwrap_or_default()
    }

    /// Something else told of the first `upto` arrivals: what their packets carried is not news any more.
    pub(super) fn pass(&mut self, slot: u32, upto: u32) {
        self.echo(slot, upto);
    }

    /// The sender has no use for its log any more.
    pub(super) fn end(&mut self, slot: u32) {
        self.logs[slot as usize] = HopLog::default();
    }
}

impl Ends<'_> {
    /// What the data frame that comes next carries.
    pub(in crate::host) fn bring(&mut self, note: Hops) {
        if let Some(logs) = &mut self.hops {
            logs.at_hand = note;
        }
    }

    /// A packet has been entered into the log of the sender at `to`: so is what it carried.
    #[inline(never)]
    pub(super) fn note_hops(&mut self, to: Locator) {
        let slot = self.sender_slot(to);
        let Some(logs) = &mut self.hops else { return };
        let note = std::mem::take(&mut logs.at_hand);
        match slot {
            Some(slot) => logs.logs[slot as usize].notes.push_back(note),
            None => logs.outgoing.push((to, note)),
        }
    }

    /// See [`crate::host::Hosts::outgoing_hops`].
    pub(in crate::host) fn outgoing_hops(&mut self) -> Vec<(Locator, Hops)> {
        self.hops.as_mut().map(|logs| std::mem::take(&mut logs.outgoing)).unwrap_or_default()
    }

    /// A note for the log of the sender at `to`, from a receiver in another part.
    pub(in crate::host) fn log_hops(&mut self, to: Locator, note: Hops) {
        if let (Some(slot), Some(logs)) = (self.sender_slot(to), &mut self.hops) {
            logs.logs[slot as usize].notes.push_back(note);
        }
    }
}
