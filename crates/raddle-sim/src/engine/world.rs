//! What the nodes of a part share while one of them runs: the calendar, the hosts, the records, and
//! what goes to other parts.

use super::link::outbox::Outbox;
use super::notes::Notes;
use super::schedule::calendar::Calendar;
use crate::faults::OnDown;
use crate::host::Hosts;
use crate::plan::{MarkAt, Overflow, Plan, Service};
use crate::record::recorder::Recorder;
use crate::record::{DropCause, PortRecord};
use crate::wire::frame::Frame;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Time};
use std::collections::BTreeMap;

/// The queue discipline of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Discipline {
    pub(super) two_classes: bool,
    pub(super) trim: bool,
    pub(super) mark_at: MarkAt,
    pub(super) header: Bytes,
    pub(super) gap: Bytes,
    /// The largest frame, but for those of flow control.
    pub(super) largest: Bytes,
    pub(super) on_down: OnDown,
}

impl Discipline {
    pub(super) fn of(plan: &Plan) -> Self {
        Self {
            two_classes: plan.queue.service != Service::Fifo,
            trim: plan.queue.overflow == Overflow::Trim,
            mark_at: plan.queue.mark_at,
            header: plan.transport.header,
            gap: plan.queue.gap,
            largest: plan.packet().max(plan.transport.ack),
            on_down: plan.faults.on_down,
        }
    }
}

/// What ports share while a node runs.
pub(super) struct World<'a> {
    pub(super) discipline: Discipline,
    pub(super) calendar: Calendar,
    pub(super) hosts: Hosts<'a>,
    pub(super) recorder: Recorder,
    pub(super) outbox: Outbox,
    /// What frames carry of the switches that they have passed, where hosts ask for it.
    pub(super) notes: Option<Box<Notes>>,
    /// Frames that left the switch being run, where it is ordered.
    pub(super) gone: Vec<Gone>,
    /// Frames lost on arrival at a node, by the port that they came from.
    pub(super) lost_on_arrival: BTreeMap<PortId, PortRecord>,
}

impl World<'_> {
    /// Cuts a frame of data to its header at a port.
    pub(super) fn trim(&mut self, port: PortId, now: Time, frame: &mut Frame) {
        frame.trim(self.discipline.header, self.hosts.is_next(port));
        self.recorder.trimmed(port, now, *frame);
    }

    /// Notes a frame lost at a node that the link from `port` led to.
    #[cold]
    pub(super) fn lose_on_arrival(
        &mut self,
        now: Time,
        port: PortId,
        frame: Frame,
        cause: DropCause,
    ) {
        let losses = self.lost_on_arrival.entry(port).or_default();
        if frame.is_pfc() {
            losses.pfc.get_or_insert_default().lost += 1;
            return;
        }
        losses.drop(frame, cause);
        self.hosts.note_dropped(frame);
        self.recorder.dropped(port, now, frame, cause);
    }
}

/// A frame that is no longer in an ordered switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gone {
    /// The port it had come in through.
    pub(super) came_in: PortId,
    /// The port whose queue it was in.
    pub(super) port: PortId,
    /// The queue.
    pub(super) class: u8,
    /// Whether its last bit has left.
    pub(super) sent: bool,
    pub(super) size: u64,
}
