//! Congestion control: how much, and how fast, a flow may send.

use crate::units::{Bytes, Rate, Span, Time};
use crate::{Cx, FlowContext};

pub mod dctcp;
pub mod fixed_rate;
pub mod mprdma_dctcp;
pub mod mswift;
pub mod nscc;
pub mod swift;

/// News that packets arrived.
#[derive(Clone, Copy, Debug)]
pub struct Ack {
    /// Bytes this ACK is the first to acknowledge (payload and header).
    pub bytes: Bytes,
    /// Whether the packet that triggered the ACK carried a congestion mark.
    pub marked: bool,
    /// Its round trip; `None` if the packet was sent more than once or the ACK is a duplicate.
    pub rtt: Option<Span>,
    /// Bytes in flight, these no longer among them.
    pub in_flight: Bytes,
    /// All packets below this one have arrived.
    pub cumulative: u32,
    /// The next packet that was never sent.
    pub next_new: u32,
}

/// Why a packet counts as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// A NACK for its trimmed header.
    Trim,
    /// Its retransmission timeout.
    Timeout,
    /// Later packets arrived, more than the reorder threshold ahead.
    Reordering,
}

/// News that a packet was lost.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// Its bytes (payload and header).
    pub bytes: Bytes,
    /// How the sender knows.
    pub cause: LossCause,
    /// Bytes in flight, these no longer among them.
    pub in_flight: Bytes,
}

/// What a flow may do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// At most this many bytes in flight.
    pub window: Bytes,
    /// At most this fast, paced; `None` means line rate.
    pub rate: Option<Rate>,
}

/// Sets a flow's window and rate; one instance per flow.
pub trait CongestionControl {
    /// An ACK arrived.
    fn on_ack(&mut self, cx: &mut Cx<'_>, ack: &Ack);
    /// A packet was found lost.
    fn on_loss(&mut self, cx: &mut Cx<'_>, loss: &Loss);
    /// When the scheme wants to be woken, if it does: not before the present. Asked after each of
    /// the other calls.
    fn next_timer(&self) -> Option<Time> {
        None
    }
    /// The time asked for has come.
    fn on_timer(&mut self, _cx: &mut Cx<'_>) {}
    /// The present limits.
    fn limits(&self) -> Limits;
    /// Whether the first slots of the paced flows of one host are spread over a period, so that
    /// the host as a whole keeps an even pace; else each flow's first packet leaves at once.
    fn spreads_slots(&self) -> bool {
        false
    }
}

crate::family! { CongestionControl, AnyCongestionControl, FlowContext;
    MprdmaDctcp: mprdma_dctcp,
    Dctcp: dctcp in Box,
    FixedRate: fixed_rate,
    Swift: swift in Box,
    Mswift: mswift in Box,
    Nscc: nscc in Box,
}

// A fat scheme would tax every flow: it is kept in a box.
const _: () = assert!(size_of::<AnyCongestionControl>() <= 32);

impl AnyCongestionControl {
    /// See [`CongestionControl::on_ack`]. Returns the limits after it.
    #[inline]
    pub fn on_ack(&mut self, cx: &mut Cx<'_>, ack: &Ack) -> Limits {
        dispatch!(self, scheme => {
            scheme.on_ack(cx, ack);
            scheme.limits()
        })
    }

    /// See [`CongestionControl::on_loss`]. Returns the limits after it.
    pub fn on_loss(&mut self, cx: &mut Cx<'_>, loss: &Loss) -> Limits {
        dispatch!(self, scheme => {
            scheme.on_loss(cx, loss);
            scheme.limits()
        })
    }

    /// See [`CongestionControl::next_timer`].
    #[inline]
    pub fn next_timer(&self) -> Option<Time> {
        dispatch!(self, scheme => scheme.next_timer())
    }

    /// See [`CongestionControl::on_timer`]. Returns the limits after it.
    pub fn on_timer(&mut self, cx: &mut Cx<'_>) -> Limits {
        dispatch!(self, scheme => {
            scheme.on_timer(cx);
            scheme.limits()
        })
    }

    /// See [`CongestionControl::limits`].
    #[inline]
    pub fn limits(&self) -> Limits {
        dispatch!(self, scheme => scheme.limits())
    }
    /// See [`CongestionControl::spreads_slots`].
    pub fn spreads_slots(&self) -> bool {
        dispatch!(self, scheme => scheme.spreads_slots())
    }
}
