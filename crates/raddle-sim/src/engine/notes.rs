//! Notes on their way: what switches have written into frames, in lists beside those of the frames.
//! Telemetry goes with data frames, what middleware writes with all but those of flow control.
//!
//! A link has a list of the notes of the frames on it that carry one, a queue one of those that wait in
//! it; each is as long as these are many, and in their order. Where frames are copied about, between the
//! end of a link and a queue, one note is at hand: that of the frame being handled. One that is dropped
//! leaves its note there for the next to take the place of.

use super::link::FarEnd;
use super::link::outbox::Outbox;
use crate::host::Host;
use crate::plan::Plan;
use crate::wire::frame::Frame;
use crate::wire::note::{Carriers, Note};
use raddle_schemes::ids::PortId;
use std::collections::VecDeque;

/// The notes of a part's links, and the one at hand.
pub(super) struct Notes {
    carriers: Carriers,
    /// Per port of the fabric, the one at the far end of its link.
    peers: Vec<PortId>,
    /// By the port that a link leads to.
    links: Vec<VecDeque<Note>>,
    at_hand: Note,
}

impl Notes {
    /// Those of a part, if frames of the plan carry any.
    pub(super) fn of(plan: &Plan) -> Option<Box<Self>> {
        Carriers::of(plan).map(|carriers| {
            let peers: Vec<PortId> = plan.fabric.ports.iter().map(|port| port.peer).collect();
            let links = vec![VecDeque::new(); peers.len()];
            Box::new(Self { carriers, peers, links, at_hand: Note::default() })
        })
    }

    /// Whether a frame carries a note.
    #[inline]
    pub(super) fn are_with(&self, frame: Frame) -> bool {
        self.carriers.include(frame)
    }

    /// A frame with this note leaves `port`.
    pub(super) fn depart(
        &mut self,
        port: PortId,
        note: Note,
        far_end: FarEnd,
        outbox: &mut Outbox,
    ) {
        let peer = self.peers[port.index()];
        match far_end {
            FarEnd::Here(_) => self.accept(peer, note),
            FarEnd::Elsewhere { part, .. } => outbox.notes[part as usize].push((peer, note)),
        }
    }

    /// A frame leaves its host, with a note that says nothing yet if it carries one.
    #[inline(never)]
    pub(super) fn leave_host(
        &mut self,
        port: PortId,
        frame: Frame,
        far_end: FarEnd,
        outbox: &mut Outbox,
    ) {
        if self.are_with(frame) {
            self.depart(port, Note::default(), far_end, outbox);
        }
    }

    /// A frame has come to the host at the end of the link to `port`, with its note if it carries one.
    #[inline(never)]
    pub(super) fn reach_host(&mut self, port: PortId, frame: Frame, host: &mut Host<'_, '_>) {
        if self.are_with(frame) {
            self.arrive(port);
            host.bring(self.take().into_hops());
        }
    }

    /// A frame with this note is on the link to `port`.
    pub(super) fn accept(&mut self, port: PortId, note: Note) {
        self.links[port.index()].push_back(note);
    }

    /// A frame that has come by the link to `port` is being handled: if it carries a note, that is at hand.
    #[inline(never)]
    pub(super) fn bring(&mut self, port: PortId, frame: Frame) {
        if self.are_with(frame) {
            self.arrive(port);
        }
    }

    /// The first frame that carries a note on the link to `port` has come: its note is at hand.
    pub(super) fn arrive(&mut self, port: PortId) {
        let note = self.links[port.index()].pop_front();
        debug_assert!(note.is_some(), "each frame on a link that carries a note has one");
        self.at_hand = note.unwrap_or_default();
    }

    /// The note of the frame being handled goes on with it.
    pub(super) fn take(&mut self) -> Note {
        std::mem::take(&mut self.at_hand)
    }

    /// The frame being handled has this note.
    pub(super) fn put(&mut self, note: Note) {
        self.at_hand = note;
    }
}
