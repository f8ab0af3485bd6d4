//! Middleware in ToRs, in the reference engine.

use super::port::Port;
use super::queue::EventQueue;
use super::{Kind, Reference};
use crate::middleware::{Born, Passage};
use crate::topology::Node;
use crate::wire::frame::Frame;
use crate::wire::note::Note;
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::tor::Queues;
use raddle_schemes::units::Time;

/// The queues of switches, where data of some classes waits for circuits.
struct InLine<'a> {
    ports: &'a [Port],
    waiting: u8,
}

impl Queues for InLine<'_> {
    fn waiting(&mut self, port: PortId) -> usize {
        let queues = (0..).zip(&self.ports[port.index()].queues);
        let waits = queues.filter(|(class, _)| u16::from(self.waiting) >> class & 1 == 1);
        waits.map(|(_, queue)| queue.len()).sum()
    }
}

impl<Q: EventQueue> Reference<'_, Q> {
    /// Shows a frame that has come in through `port` to middleware. Returns which of its equal ways it
    /// takes, if that is chosen; `None` if it goes no further now.
    pub(super) fn show(
        &mut self,
        now: Time,
        switch: SwitchId,
        port: PortId,
        frame: &mut Frame,
    ) -> Option<Option<usize>> {
        let to = self.hosts.addresses.locators.port(frame.to);
        let (_, choices) = self.choices(now, switch, (*frame, to))?;
        let came_in = port.0 - self.plan.fabric.switches[switch.index()].ports.start;
        let tor = self.tors[switch.index()].as_mut().filter(|_| choices.count() > 0);
        let Some(tor) = tor else { return Some(None) };
        let carries = self.carriers.is_some_and(|carriers| carriers.include(*frame));
        let mut note = if carries { std::mem::take(&mut self.at_hand) } else { Note::default() };
        let passage = tor.on_ingress(
            (self.plan, &self.hosts.addresses),
            now,
            (frame, to, &mut note),
            came_in,
            choices,
        );
        if carries {
            self.at_hand = note;
        }
        self.arm_timer(port);
        self.arm_born(now, switch);
        match passage {
            Passage::Goes(via) => Some(via),
            Passage::Held => None,
            Passage::Dropped => {
                self.hosts.note_dropped(*frame);
                self.recorder.dropped_within(now, *frame);
                None
            }
        }
    }

    /// Whether middleware lets a frame go that is about to start on the wire at `id`.
    pub(super) fn lets_go(&mut self, now: Time, id: PortId, frame: Frame, note: &Note) -> bool {
        let port = &self.plan.fabric.ports[id.index()];
        let Node::Switch(switch) = port.owner else { return true };
        let to_host = port.peer.0 < self.plan.fabric.host_ports()
            && !frame.is_pfc()
            && !self.plan.keeps_bulk();
        let tor = self.tors[switch.index()].as_mut().filter(|_| to_host);
        let Some(tor) = tor else { return true };
        let goes = tor.on_egress((self.plan, &self.hosts.addresses), now, frame, note.of_tors());
        self.arm_timer(id);
        self.arm_born(now, switch);
        goes
    }

    /// A frame of queue `class` at `id` goes nowhere: middleware has dropped it.
    pub(super) fn refuse(
        &mut self,
        now: Time,
        (id, class): (PortId, usize),
        came_in: PortId,
        frame: Frame,
    ) {
        let port = &mut self.ports[id.index()];
        port.keep_before(now);
        port.bytes[class] -= frame.size().0;
        self.gone(now, (id, class), came_in, frame.size(), false);
        self.recorder.flushed(id, now, frame);
        self.hosts.note_dropped(frame);
        self.recorder.dropped_within(now, frame);
    }

    /// What middleware has to send is queued when the wires of this instant have started.
    pub(super) fn arm_born(&mut self, now: Time, switch: SwitchId) {
        if self.tors[switch.index()].is_some() {
            let first = PortId(self.plan.fabric.switches[switch.index()].ports.start);
            self.push_at_port(now, Kind::Born { switch: switch.0, more: false }, first);
        }
    }

    /// Queues the next frame that middleware sends or lets go, of `more` if others went before it at
    /// this turn. What that has ports tell each other goes before the frame after it.
    pub(super) fn queue_born(&mut self, now: Time, switch: SwitchId, more: bool) {
        let first = self.plan.fabric.switches[switch.index()].ports.start;
        let waiting = self.plan.waiting_classes();
        let Some(tor) = &mut self.tors[switch.index()] else { return };
        if !more {
            tor.look(&mut InLine { ports: &self.ports, waiting });
            self.arm_timer(PortId(first));
        }
        let Some(tor) = &mut self.tors[switch.index()] else { return };
        let Some(Born { frame, came_in, via, through, note }) =
            tor.poll((self.plan, &self.hosts.addresses))
        else {
            return;
        };
        self.push_at_port(now, Kind::Born { switch: switch.0, more: true }, PortId(first));
        if let Some(out) = through {
            self.at_hand = note;
            return self.enqueue(now, out, PortId(first + came_in), frame);
        }
        let to = self.hosts.addresses.locators.port(frame.to);
        let ways = self.choices(now, switch, (frame, to)).map_or(0, |(_, ways)| ways.count());
        match &mut self.tors[switch.index()] {
            // No port has sent it here, so none can say that it was lost.
            Some(tor) if ways == 0 => {
                tor.note_dropped(frame);
                self.hosts.note_dropped(frame);
                self.recorder.dropped_within(now, frame);
            }
            _ => {
                self.at_hand = note;
                self.forward(now, switch, PortId(first + came_in), frame, via);
            }
        }
    }
}
