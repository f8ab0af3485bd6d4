//! Path selectors that name planes and probe paths: what comes of that at hosts.

use super::slots::LiveSender;
use super::{Ends, FlowEvents};
use crate::host::nic::Nic;
use crate::wire::frame::{Frame, Kind, Locator, flag};
use raddle_schemes::units::{Bytes, Time};

impl LiveSender {
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
    /// A probe of a path has come, which is answered by the same path, or an answer.
    #[cold]
    pub(super) fn on_probe(&mut self, now: Time, nic: &mut Nic, frame: Frame) {
        if !frame.has(flag::ANSWER) {
            let slot = nic.first_receiver + self.locators.index(frame.to);
            let id = self.flow_received(nic, slot);
            let to = self.layout.sender(id, &self.plan.traffic.flows[id.index()]);
            let what = (Kind::Probe, flag::ANSWER);
            let answer = Frame::new(nic.here(to), 0, what, frame.entropy(), self.ack);
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
        live.sender.on_probe_answered(now, frame.entropy(), &mut events);
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
