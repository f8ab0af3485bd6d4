//! Where lies what a host is about to touch, to be asked for ahead of time.

use super::endpoints::Ends;
use super::endpoints::slots::End;
use super::nic::Nic;
use crate::wire::frame::Frame;
use raddle_schemes::ids::FlowId;

/// What is asked for where there is nothing to ask for.
const NOWHERE: *const u8 = std::ptr::null();

/// A look at a host from outside. Its functions read its NIC.
#[derive(Clone, Copy)]
pub(crate) struct Ahead<'h, 'a> {
    pub(super) nic: &'h Nic,
    pub(super) ends: &'h Ends<'a>,
}

impl Ahead<'_, '_> {
    /// The flow number `n` of those that begin here, and of those that end here, if there are so
    /// many.
    #[inline]
    pub(crate) fn nth(&self, n: u32) -> [End; 2] {
        [End::Sender(self.nic.first_sender + n), End::Receiver(self.nic.first_receiver + n)]
    }

    /// The end that `frame` is for.
    #[inline]
    pub(crate) fn end_of(&self, frame: Frame) -> End {
        let index = self.ends.locators.index(frame.to);
        if frame.is_data() {
            End::Receiver(self.nic.first_receiver + index)
        } else {
            End::Sender(self.nic.first_sender + index)
        }
    }

    /// The flow that sends after `others`: those that are ready, then those that their pace lets go.
    #[inline]
    pub(crate) fn in_turn(&self, others: u32) -> Option<End> {
        let (ready, others) = (&self.nic.port.ready, others as usize);
        let slot = match others.checked_sub(ready.len()) {
            None => ready[others],
            Some(others) => self.nic.paced(others)?,
        };
        Some(End::Sender(slot))
    }

    /// Its slot, and, of a receiver, the number of its flow.
    #[inline]
    pub(crate) fn slot(&self, end: End) -> [*const u8; 2] {
        let ends = self.ends;
        match end {
            End::Sender(slot) => [at(&ends.senders, slot), NOWHERE],
            End::Receiver(slot) => {
                let index = slot - self.nic.first_receiver;
                [at(&ends.receivers, slot), at(self.flows_received(), index)]
            }
        }
    }

    /// Its state, if it is under way; of a receiver that is not, its flow in the plan. Reads what
    /// lies at its slot.
    #[inline]
    pub(crate) fn state(&self, end: End) -> *const u8 {
        let ends = self.ends;
        match end {
            End::Sender(slot) => {
                let end = ends.senders.get(slot as usize);
                end.map_or(NOWHERE, |end| ends.live_senders.address(end.live))
            }
            End::Receiver(slot) => match ends.receivers.get(slot as usize) {
                Some(end) if !end.live.is_none() => ends.live_receivers.address(end.live),
                _ => {
                    // A frame of flow control is for no flow, and may find a host without any.
                    let index = slot - self.nic.first_receiver;
                    let flow = self.flows_received().get(index as usize);
                    flow.map_or(NOWHERE, |flow| at(&ends.plan.traffic.flows, flow.0))
                }
            },
        }
    }

    fn flows_received(&self) -> &[FlowId] {
        self.ends.layout.receivers.at(self.ends.own[self.nic.place as usize])
    }

    /// What it reads and writes beside its own state: of a sender the records of packets that are
    /// sent and acknowledged, of a receiver the other end, where that lies in this part. Reads its
    /// state.
    #[inline]
    pub(crate) fn beside(&self, end: End) -> [*const u8; 3] {
        let ends = self.ends;
        match end {
            End::Sender(slot) => {
                let end = ends.senders.get(slot as usize);
                let live = end.and_then(|end| ends.live_senders.get(end.live));
                live.map_or([NOWHERE; 3], |live| {
                    let [acked, sent] = live.sender.ledger_addresses();
                    [live.sender.paths_address(), acked, sent]
                })
            }
            End::Receiver(slot) => {
                let end = ends.receivers.get(slot as usize);
                let live = end.and_then(|end| ends.live_receivers.get(end.live));
                let peer = live.map(|live| ends.live_senders.address(live.sender));
                [peer.unwrap_or(NOWHERE), NOWHERE, NOWHERE]
            }
        }
    }

    /// Of a receiver, where the other end notes arrivals. Reads the state of both.
    #[inline]
    pub(crate) fn log(&self, end: End) -> *const u8 {
        let End::Receiver(slot) = end else { return NOWHERE };
        let end = self.ends.receivers.get(slot as usize);
        let live = end.and_then(|end| self.ends.live_receivers.get(end.live));
        let peer = live.and_then(|live| self.ends.live_senders.get(live.sender));
        peer.map_or(NOWHERE, |live| live.sender.arrival_address())
    }

    /// The frames and flows that wait for the wire.
    #[inline]
    pub(crate) fn waiting(&self) -> [*const u8; 2] {
        let control = self.nic.port.control.as_slices().0.as_ptr().cast();
        [control, self.nic.port.ready.as_slices().0.as_ptr().cast()]
    }
}

#[inline]
fn at<T>(all: &[T], index: u32) -> *const u8 {
    all.as_ptr().wrapping_add(index as usize).cast()
}
