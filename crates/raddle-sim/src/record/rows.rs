//! Rows of what is kept of flows and their packets.

use super::DropCause;
use raddle_schemes::ids::{Entropy, FlowId, PortId};
use raddle_schemes::units::{Span, Time};
use serde::{Deserialize, Serialize};

/// What of one flow's data passed one port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct RouteRow {
    /// The flow.
    pub flow: FlowId,
    /// The port.
    pub port: PortId,
    /// Data packets whose last bit left here, lost ones included, trimmed ones too.
    pub packets: u64,
    /// Data packets lost here, whatever the cause.
    pub lost: u64,
    /// When the first of them left or was lost, and the last.
    pub first: Time,
    /// The same of the last.
    pub last: Time,
    /// How long whole packets that left a switch here were in its queue, less what the healthy link
    /// takes to send them: added up.
    pub waited: Span,
}

/// Bytes of a flow's whole data packets whose last bit left towards its receiver in a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct ProgressRow {
    /// The flow.
    pub flow: FlowId,
    /// Number of the bucket.
    pub bucket: u32,
    /// Frames' bytes.
    pub bytes: u64,
}

/// What became of a packet, or of what of it left a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It arrived whole: the first of its number that did.
    Delivered,
    /// It arrived whole, and was not needed: one of its number had, or it was out of order where
    /// receivers keep none of those.
    NotNeeded,
    /// Its header arrived; of a hop: it was trimmed there.
    Trimmed,
    /// It was lost.
    Lost(DropCause),
    /// Middleware dropped it.
    Middleware,
    /// It was under way when the run ended.
    UnderWay,
    /// Of a hop: it left.
    Left,
    /// Of a hop: it was taken out, to leave by another port.
    Moved,
}

impl Fate {
    /// Every fate.
    const ALL: [Self; 12] = [
        Self::Delivered,
        Self::NotNeeded,
        Self::Trimmed,
        Self::Lost(DropCause::Overflow),
        Self::Lost(DropCause::LinkDown),
        Self::Lost(DropCause::NodeDown),
        Self::Lost(DropCause::Loss),
        Self::Lost(DropCause::NoRoute),
        Self::Middleware,
        Self::UnderWay,
        Self::Left,
        Self::Moved,
    ];

    /// Its number among all.
    pub(super) fn code(self) -> u8 {
        Self::ALL.iter().position(|own| *own == self).unwrap_or(0) as u8
    }

    /// The one of a number.
    pub(super) fn of_code(code: u8) -> Self {
        Self::ALL.get(usize::from(code)).copied().unwrap_or(Self::UnderWay)
    }

    /// The one of this word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fate| fate.word() == word)
    }

    /// Of a hop: whether its last bit left the port.
    pub fn has_left(self) -> bool {
        match self {
            Self::Left | Self::Trimmed => true,
            Self::Lost(cause) => DropCause::BEHIND.contains(&cause),
            _ => false,
        }
    }

    /// The word of tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::NotNeeded => "not_needed",
            Self::Trimmed => "trimmed",
            Self::Lost(cause) => cause.word(),
            Self::Middleware => "middleware",
            Self::UnderWay => "under_way",
            Self::Left => "left",
            Self::Moved => "moved",
        }
    }
}

/// A data packet that a recorded flow sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketRow {
    /// The flow.
    pub flow: FlowId,
    /// Its number in the flow.
    pub number: u32,
    /// Whether the flow had sent one of this number before.
    pub again: bool,
    /// The port of its host that it left by.
    pub port: PortId,
    /// The entropy value that its sender gave it.
    pub entropy: Entropy,
    /// The data class in which it left the host.
    pub class: u8,
    /// Its bytes on the wire.
    pub bytes: u16,
    /// When its last bit left the host.
    pub sent: Time,
    /// When the receiver had it, or its header.
    pub arrived: Option<Time>,
    /// When its sender heard that it had arrived, of the first of its number.
    pub acked: Option<Time>,
    /// What became of it.
    pub fate: Fate,
    /// Whether it was marked.
    pub marked: bool,
    /// Whether no other packet could be taken for it: frames have no names, and two of one number,
    /// both sent again, were never in one place. Else their rows may be exchanged.
    pub sure: bool,
}

/// A packet at a port of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HopRow {
    /// Row of its packet.
    pub packet: u64,
    /// The port.
    pub port: PortId,
    /// When it could be queued there.
    pub arrived: Time,
    /// Bytes of its class that it found, frame in service included; `None` of headers in the queue of
    /// control.
    pub found: Option<u64>,
    /// How long it was there: until its last bit left, or it was lost.
    pub stay: Span,
    /// Its bytes on the wire when it left: those of the header, of one that had been trimmed.
    pub bytes: u16,
    /// The entropy value with which it left.
    pub entropy: Entropy,
    /// Whether it was marked here.
    pub marked: bool,
    /// What became of it here.
    pub fate: Fate,
}

/// Both in order, and of equals one that has all.
pub(super) fn merged(
    mut routes: Vec<RouteRow>,
    mut progress: Vec<ProgressRow>,
) -> (Vec<RouteRow>, Vec<ProgressRow>) {
    routes.sort_by_key(|row| (row.flow, row.port, row.first));
    routes.dedup_by(|next, own| {
        let same = (next.flow, next.port) == (own.flow, own.port);
        if same {
            own.packets += next.packets;
            own.lost += next.lost;
            own.last = own.last.max(next.last);
            own.waited.0 += next.waited.0;
        }
        same
    });
    progress.sort_by_key(|row| (row.flow, row.bucket));
    progress.dedup_by(|next, own| {
        let same = (next.flow, next.bucket) == (own.flow, own.bucket);
        own.bytes += if same { next.bytes } else { 0 };
        same
    });
    (routes, progress)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_of_one_fate() {
        for fate in Fate::ALL {
            assert_eq!(Fate::of_word(fate.word()), Some(fate));
            assert_eq!(Fate::of_code(fate.code()), fate);
        }
        assert!(DropCause::ALL.iter().all(|cause| Fate::ALL.contains(&Fate::Lost(*cause))));
        assert_eq!(Fate::of_word("eaten"), None);
    }
}
