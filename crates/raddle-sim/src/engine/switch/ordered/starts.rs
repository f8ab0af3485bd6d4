//! What starts at the ports of an ordered switch, and who hears of a pause.

use super::OrderedPorts;
use crate::engine::port::general::voq::Ready;
use crate::engine::switch::busy::note_busy;
use crate::middleware::Ends;
use crate::wire::frame::Frame;
use raddle_schemes::units::{Bytes, Time};

impl OrderedPorts<'_, '_> {
    /// A frame has come in through a port. Returns its class, if it is one that needed credit.
    pub(super) fn store(&mut self, port: u32, frame: Frame) -> Option<usize> {
        self.own.ports[port as usize].classes()?.store(frame)
    }

    /// A frame that needed credit and had come in through a port is gone: its far end is to hear of it.
    pub(super) fn free(&mut self, now: Time, port: u32, class: usize, size: Bytes) {
        let classes = self.own.ports[port as usize].classes();
        if classes.is_some_and(|classes| classes.free(now, class, size)) {
            self.ordered.news.push(port);
        }
    }

    /// Starts at these ports and at those of which there are news, the lowest first: middleware may
    /// drop what is about to start, which changes what another port has to tell.
    pub(super) fn start_lowest_first(&mut self, now: Time, due: &mut Vec<u32>) {
        due.append(&mut self.ordered.news);
        while let Some(&port) = due.iter().min() {
            due.retain(|other| *other != port);
            self.start_at(now, port);
            due.append(&mut self.ordered.news);
        }
    }

    /// Tells those of whom something has changed, if the wires to them are free.
    #[inline]
    pub(super) fn tell(&mut self, now: Time) {
        if self.tor.is_some() {
            return self.start_lowest_first(now, &mut Vec::new());
        }
        while let Some(port) = self.ordered.news.pop() {
            self.start_at(now, port);
        }
    }

    /// A pause that is due is renewed, and what a port has to send goes if it can; when it next does
    /// anything is noted. Nothing of this concerns other ports.
    pub(super) fn start_at(&mut self, now: Time, port: u32) {
        let is_shown = self.tor.is_some() && self.leads_to_host(port);
        let own = &mut self.own.ports[port as usize];
        own.play_changes(now, self.world);
        if let Some(classes) = own.classes() {
            classes.renew(now);
        }
        if is_shown {
            self.start_shown(now, port);
        } else {
            own.try_start(now, self.world);
        }
        note_busy(self.busy, port as usize);
        let own = &mut self.own.ports[port as usize];
        if self.ordered.in_order {
            self.ordered.await_port(port as usize, own.next_due());
        }
        if self.ordered.voqs.as_ref().is_some_and(|voqs| voqs.concerns(port)) {
            self.feed(now);
        }
    }

    /// The packet uplink of a hybrid ToR takes what it may of the queues of pairs, if its wire is free.
    #[inline(never)]
    fn feed(&mut self, now: Time) {
        let Some(voqs) = &mut self.ordered.voqs else { return };
        let (uplink, counters) = (voqs.uplink(), voqs.counters);
        self.own.ports[uplink].play_changes(now, self.world);
        if let Ready::From(at) = self.own.ports[uplink].ready(now)
            && at == now
            && let Some(pair) = voqs.take_turn(now, self.own.ports)
        {
            let wire = self.own.ports[uplink].as_second();
            if let Some((moved, gone)) = self.own.ports[pair].give(now, counters, wire, self.world)
            {
                self.own.ports[uplink].take_over(now, moved, self.world);
                gone.into_iter().for_each(|gone| self.note_gone(now, gone));
            }
            self.ordered.await_port(pair, self.own.ports[pair].next_due());
        }
        let Some(voqs) = &self.ordered.voqs else { return };
        let action = match self.own.ports[uplink].ready(now) {
            Ready::Busy(at) | Ready::Down(at) => at,
            Ready::From(at) => voqs.next_at(at, self.own.ports),
        };
        self.ordered.await_port(uplink, action);
    }

    fn leads_to_host(&self, port: u32) -> bool {
        let peer = self.plan.fabric.ports[(self.first_id + port) as usize].peer;
        peer.0 < self.plan.fabric.host_ports()
    }

    /// Begins to send what goes next to a host, if middleware lets it.
    fn start_shown(&mut self, now: Time, port: u32) {
        loop {
            let own = &mut self.own.ports[port as usize];
            let Some((frame, class)) = own.take_next(now, self.world) else { return };
            let tor = self.tor.as_mut().filter(|_| !frame.is_pfc());
            let known = (self.plan, &**self.world.hosts.layout() as &dyn Ends);
            let note = own.note_taken();
            if tor.is_none_or(|tor| tor.on_egress(known, now, frame, note)) {
                return own.begin_next(now, frame, class, self.world);
            }
            let gone = own.refuse(now, frame, class, self.world);
            gone.into_iter().for_each(|gone| self.note_gone(now, gone));
            self.note_freed(port as usize);
        }
    }
}
