//! The queues of switch ports.

use super::{Cbfc, Pfc};
use raddle_schemes::marking;
use raddle_schemes::size::Size;
use raddle_schemes::units::Bytes;
use std::num::NonZeroU32;

/// Most data classes of a port, as many as flow control knows; control is one more.
pub const CLASS_LIMIT: u8 = 8;

/// Queues of switch ports.
#[derive(Clone, Debug, PartialEq)]
pub struct QueuePlan {
    /// Capacity of each data class, per port (`bdp`: of the port's rate and the fabric's longest
    /// round trip).
    pub size: Size,
    /// Capacity for control frames, per port.
    pub control_size: Size,
    /// Who goes first.
    pub service: Service,
    /// Data classes: 1 to [`CLASS_LIMIT`]; 1 with [`Service::Fifo`].
    pub classes: u8,
    /// What each data class may send in a round, class 0 first: bytes with [`Service::Drr`],
    /// frames with [`Service::Wrr`]. Not read otherwise.
    pub shares: Vec<u64>,
    /// After so many control frames that went while data waited, data has a turn (NDP, Handley et
    /// al., SIGCOMM 2017, section 3.1: 10 headers to a packet); never where there is none. Not with
    /// [`Service::Fifo`].
    pub control_weight: Option<NonZeroU32>,
    /// Which frames get the congestion mark.
    pub marking: marking::Config,
    /// The same for each data class, class 0 first; empty where all go by `marking`.
    pub class_markings: Vec<marking::Config>,
    /// The marking of ports to hosts, where it is not that of all; not beside `class_markings`.
    pub last_hop_marking: Option<marking::Config>,
    /// Where the ACKs of each data class travel, class 0 first; empty where all of them are control.
    pub acks: Vec<AckQueue>,
    /// When that is decided.
    pub mark_at: MarkAt,
    /// What happens to a data frame that does not fit.
    pub overflow: Overflow,
    /// Idle bytes between frames on every link; not part of any queue's occupancy.
    pub gap: Bytes,
    /// Whether and when switches pause who sends to them.
    pub pfc: Option<Pfc>,
    /// Credits in place of pauses.
    pub cbfc: Option<Cbfc>,
}

impl QueuePlan {
    /// Whether a queue has a limit, be it that of control.
    pub fn may_lose(&self) -> bool {
        let control = self.service != Service::Fifo && self.control_size != Size::Unlimited;
        self.size != Size::Unlimited || control
    }

    /// A bit for each data class.
    pub(crate) fn every_class(&self) -> u8 {
        ((1_u16 << self.classes) - 1) as u8
    }

    /// The number of the control class, behind the data classes.
    pub fn control_class(&self) -> usize {
        usize::from(self.classes)
    }

    /// The markings that queues of data have.
    pub fn markings(&self) -> impl Iterator<Item = &marking::Config> {
        let common = self.class_markings.is_empty().then_some(&self.marking);
        common.into_iter().chain(&self.class_markings).chain(&self.last_hop_marking)
    }

    /// A bit for each data class whose ACKs travel in it.
    pub(crate) fn ack_classes(&self) -> u8 {
        let classes = (0..).zip(&self.acks).filter(|(_, own)| **own == AckQueue::Data);
        classes.fold(0, |mask, (class, _): (u8, _)| mask | 1 << class)
    }

    /// Whether data classes differ in more than their turns.
    pub(crate) fn has_class_table(&self) -> bool {
        !self.class_markings.is_empty() || self.ack_classes() != 0
    }
}

raddle_schemes::words! {
    /// How a port serves its data classes and control frames (ACKs, NACKs, trimmed headers). No
    /// frame is interrupted.
    pub enum Service {
        /// Control frames first, then the data class with the highest number.
        Priority = "priority",
        /// One class: first come, first served.
        Fifo = "fifo",
        /// Control frames first; data classes share the rest in bytes: deficit round robin
        /// (Shreedhar and Varghese, SIGCOMM 1995).
        Drr = "drr",
        /// Control frames first; data classes share the rest in frames: weighted round robin
        /// (Katevenis et al., 1991).
        Wrr = "wrr",
    }
}

raddle_schemes::words! {
    /// Which queue of a switch port ACKs and NACKs join.
    pub enum AckQueue {
        /// That of control.
        Control = "control",
        /// That of the data class of their flow: they are served, admitted, paused and counted as its
        /// data is. They are never trimmed, and never marked, since the mark of an ACK is what it echoes.
        Data = "data",
    }
}

raddle_schemes::words! {
    /// When a frame is judged for marking.
    pub enum MarkAt {
        /// When its last bit leaves, on what it leaves behind.
        Dequeue = "dequeue",
        /// When it arrives, on what it finds.
        Enqueue = "enqueue",
    }
}

raddle_schemes::words! {
    /// What happens to a data frame that does not fit.
    pub enum Overflow {
        /// It is dropped.
        Drop = "drop",
        /// It is cut to a header that joins the control class.
        Trim = "trim",
    }
}
