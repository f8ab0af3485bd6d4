//! Frames and log entries on their way to other parts.

use crate::host::endpoints::scale_up::Crossing;
use crate::wire::frame::{Frame, Locator};
use crate::wire::note::{Hops, Note};
use raddle_schemes::ids::PortId;
use raddle_schemes::transport::Entry;
use raddle_schemes::units::Time;

/// A frame on its way to another part.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Handover {
    /// The link's line in that part.
    pub(in crate::engine) line: u32,
    pub(in crate::engine) arrival: Time,
    pub(in crate::engine) frame: Frame,
}

/// What a part sends to each of the others in half a window.
pub(in crate::engine) struct Outbox {
    pub(in crate::engine) frames: Vec<Vec<Handover>>,
    /// For the logs of senders, from receivers in this part.
    pub(in crate::engine) log_entries: Vec<Vec<(Locator, Entry)>>,
    /// The notes of frames, where they carry any, with the port that each goes to.
    pub(in crate::engine) notes: Vec<Vec<(PortId, Note)>>,
    /// Under telemetry, the records that go with the entries.
    pub(in crate::engine) log_hops: Vec<Vec<(Locator, Hops)>>,
    /// What crosses to GPUs from others of their server.
    pub(in crate::engine) crossings: Vec<Vec<Crossing>>,
}

impl Outbox {
    /// Nothing yet, to any of `parts`.
    pub(in crate::engine) fn to(parts: usize) -> Self {
        Self {
            frames: vec![Vec::new(); parts],
            log_entries: vec![Vec::new(); parts],
            notes: vec![Vec::new(); parts],
            log_hops: vec![Vec::new(); parts],
            crossings: vec![Vec::new(); parts],
        }
    }
}
