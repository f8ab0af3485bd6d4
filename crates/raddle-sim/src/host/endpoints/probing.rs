//! Probes of paths, and of what has arrived: how hosts send and answer them. And what comes of path
//! selectors that name planes.

use super::slots::LiveSender;
use super::{Ends, FlowEvents};
use crate::host::nic::Nic;
use crate::wire::frame::{Frame, Kind, Locator, flag};
use raddle_schemes::Events;
use raddle_schemes::transport::sender::packets;
use raddle_schemes::units::{Bytes, Time};

impl LiveSender {
    /// Asks the receiver what has arrived, if the recovery wants to know.
    #[inline]
    pub(super) fn ask_for_tail(
        &mut self,
        now: Time,
        slot: u32,
        (nic, size): (&mut Nic, Bytes),
        events: &mut dyn Events,
    ) {
        if self.sender.poll_tail_probe() {
            let to = nic.next_plane(now, slot, &mut self.sender, self.to);
            let path = self.sender.next_path(now, events);
            nic.send_control(now, Frame::new(to, 0, (Kind::TailProbe, 0), path, size));
        }
    }

    /// Sends the probes of `size` bytes that are due.
    #[inline]
    pub(super) fn send_probes(&mut self, now: Time, nic: &mut Nic, size: Bytes) {
        while let Some(path) = self.sender.poll_probe() {
            // By another plane it would tell of another path.
            if nic.can_probe(now, path) {
                let to = nic.along(self.to, path);
                nic.send_control(now, Frame::new(to, 0, (Kind::Probe, 0), path, size));
            }
        }
    }
}

impl Ends<'_> {
    /// A probe has come, which is answered by the same path and says how much has arrived, or an answer.
    #[cold]
    pub(super) fn on_probe(&mut self, now: Time, nic: &mut Nic, frame: Frame) {
        if !frame.has(flag::ANSWER) {
            let slot = nic.first_receiver + self.locators.index(frame.to);
            let id = self.flow_received(nic, slot);
            let flow = &self.plan.traffic.flows[id.index()];
            let to = self.layout.sender(id, flow);
            let end = &self.receivers[slot as usize];
            let arrived = match self.live_receivers.get(end.live) {
                Some(live) => live.receiver.arrived().count(),
                None if end.delivered == Time::NEVER => 0,
                None => packets(flow.bytes, self.plan.transport.payload),
            };
            let what = (frame.kind(), flag::ANSWER);
            let answer = Frame::new(nic.here(to), arrived, what, frame.entropy(), self.ack);
            return nic.send_control(now, answer);
        }
        let slot = nic.first_sender + self.locators.index(frame.to);
        let Some(live) = self.live_senders.get_mut(self.senders[slot as usize].live) else {
            return;
        };
        if let Some(probes) = &mut self.probes {
            probes.before(now, live.flow, &live.sender);
        }
        let mut events = FlowEvents { events: &mut self.timeline.events, flow: live.flow };
        let before = live.sender.heard();
        let what = (frame.entropy(), frame.is(Kind::TailProbe));
        live.sender.on_probe_answered(now, what, frame.number(), &mut events);
        self.totals.packets_acked += u64::from(live.sender.heard() - before);
        if let Some(logs) = &mut self.hops {
            logs.pass(slot, live.sender.heard());
        }
        if live.sender.complete() {
            return self.complete(now, nic, slot);
        }
        live.make_ready(now, slot, nic);
        live.set_wake(now, slot, nic);
    }

    /// Flows that waited at a port whose link is taken for down choose again.
    #[cold]
    #[inline(never)]
    pub(super) fn rejoin(&mut self, now: Time, nic: &mut Nic) {
        for slot in nic.take_moved() {
            let live = self.live_senders.get_mut(self.senders[slot as usize].live);
            match live {
                Some(live) => nic.join(now, slot, live.to, Some(&mut live.sender)),
                None => nic.join(now, slot, Locator(0), None),
            }
        }
    }
}
