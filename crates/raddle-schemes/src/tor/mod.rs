//! Middleware in the switches that have hosts (ToRs), or in all where it needs that: it sees what passes, and may hold it back, drop
//! it, send it another way, rewrite what switches hash, and send packets of its own.
//!
//! At one instant a ToR sees what begins to leave towards its hosts, then its timer's end, then what
//! arrives. What it sends or lets go is queued at once.

use crate::SwitchCx;
use crate::ids::{Entropy, FlowId, HostId, PortId, SwitchId};
use crate::probe::{Names, Probes};
use crate::units::{Bytes, Rate, Span, Time};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

pub mod conga;
pub mod conweave;
pub mod nack_filter;
mod path_map;
pub mod rotorlb;
pub mod themis;

/// What a ToR's middleware may know when it is built.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct TorContext {
    /// Which switch this is.
    pub switch: SwitchId,
    /// The key of the ToR's own random streams.
    pub stream: u64,
    /// How many equal ways lead up from a ToR, and from a switch above it towards another pod, while
    /// the fabric is whole; 1 where there is no such tier.
    pub ways_up: [u32; 2],
    /// Whether it has hosts. Others have middleware only where that needs every switch.
    pub edge: bool,
    /// Its hosts.
    pub hosts: u32,
    /// Bytes of a full data packet.
    pub packet: Bytes,
    /// Its lanes over circuits that are ever up, in order of port.
    pub lanes: Vec<TorLane>,
}

/// The lane of a ToR to another over circuits.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct TorLane {
    /// The other ToR.
    pub to: SwitchId,
    /// Its port.
    pub port: PortId,
    /// After so long all comes again.
    pub period: Span,
    /// When it is open in a period, in order; the last may reach into the next period.
    pub openings: Vec<TorOpening>,
    /// Full packets that its longest opening carries.
    pub packets: u32,
}

/// When a lane is open.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct TorOpening {
    /// From here on.
    pub from: Span,
    /// The last bit has left by then.
    pub until: Span,
    /// Its rate.
    pub rate: Rate,
}

/// Where a packet comes from or goes, seen from a ToR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Side {
    /// One of its own hosts.
    Host,
    /// Another switch.
    Fabric,
}

/// What a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Kind {
    /// Data, whole.
    Data,
    /// Data of which only the header is left.
    Header,
    /// An ACK.
    Ack,
    /// A NACK.
    Nack,
    /// Credit of a receiver, or a sender's request for it.
    Credit,
    /// A receiver's congestion notification to its sender.
    Cnp,
    /// A message from one ToR to another.
    Tor,
}

/// What a ToR reads in a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Packet {
    /// Its flow, the same in both directions.
    pub flow: FlowId,
    /// The host that sends the flow's data.
    pub sender: HostId,
    /// The host that receives it.
    pub receiver: HostId,
    /// The ToRs of sender and receiver.
    pub tors: [SwitchId; 2],
    /// How many paths lead from the sender's ToR to the receiver's while the fabric is whole; 1 if
    /// they are the same.
    pub paths: u32,
    /// How long a bit takes from the sender's ToR to the receiver's and back: latencies of links and
    /// switches alone, on the first of the equal paths.
    pub round_trip: Span,
    /// What it is.
    pub kind: Kind,
    /// Whether it goes from sender to receiver.
    pub forward: bool,
    /// The number of a data packet, or what a reply's transport or a ToR put there; 24 bits.
    pub number: u32,
    /// Its entropy value. A ToR may write it when the packet comes in.
    pub entropy: Entropy,
    /// A bit that only ToRs write and read, of all packets but those about credit. A ToR may write it
    /// when the packet comes in.
    pub flagged: bool,
    /// Whether it carries a congestion mark, or echoes one.
    pub marked: bool,
    /// Whether it is data that was sent before.
    pub again: bool,
    /// Its bytes on the wire.
    pub bytes: Bytes,
    /// Whether it is data that waits for circuits rather than going by slices of them.
    pub waits: bool,
    /// What switches have written for each other, where the middleware needs notes
    /// ([`Need::Notes`](crate::Need::Notes)). One may write it when the packet comes in.
    pub note: Note,
}

/// What a packet carries from switch to switch, beside its frame: 16 bytes whose meaning is the
/// middleware's; zeros before anyone has written. It takes no bytes on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Note(pub [u64; 2]);

/// The equal ways of a packet that has come in, those left where routes have changed.
pub trait Ways {
    /// How many; at least 1.
    fn count(&self) -> usize;
    /// The port that one of them, counted from 0, leaves through.
    fn port(&self, way: usize) -> PortId;
    /// The present rate of that port's link.
    fn rate(&self, way: usize) -> Rate;
}

/// The queues of a ToR's own ports.
pub trait Queues {
    /// How many packets of data that waits for circuits are in line at a port, behind the one on the wire.
    fn waiting(&mut self, port: PortId) -> usize;
}

/// What becomes of a packet that comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// The switch's load balancing chooses its way.
    Pass,
    /// It takes this one of its equal ways, counted from 0.
    Via(usize),
    /// It takes this one of the equal ways that there are while the fabric is whole, counted from 0
    /// and modulo their number. Where routes have left that way it takes another.
    Lane(usize),
    /// It is dropped; a message between ToRs has arrived.
    Drop,
    /// It waits outside the queues until it is released. The packets held have tickets, counted from
    /// 0.
    Hold,
}

/// What a ToR sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Output {
    /// A packet that was held goes on.
    Release {
        /// Its ticket.
        ticket: u32,
        /// The way it takes, of its equal ones; the switch's load balancing chooses if `None`.
        via: Option<usize>,
    },
    /// A packet that was held goes through this port, whatever its equal ways are.
    Through {
        /// Its ticket.
        ticket: u32,
        /// The port.
        port: PortId,
    },
    /// A control packet of the ToR's own, as long as an ACK.
    Send {
        /// The flow that it belongs to.
        flow: FlowId,
        /// A NACK to the flow's sender, or a message to the ToR of either end.
        kind: Message,
        /// What it says; 24 bits.
        number: u32,
        /// Its entropy value.
        entropy: Entropy,
        /// The bit that ToRs write and read.
        flagged: bool,
        /// The port that it goes through, if not one on its way.
        through: Option<PortId>,
    },
}

/// A control packet of a ToR's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Message {
    /// A NACK to the sender of the flow, as its receiver would send it.
    Nack,
    /// A message towards the sender, for a ToR on the way. A host throws it away.
    ToSender,
    /// The same towards the receiver.
    ToReceiver,
}

/// Middleware of one ToR. Every method may lead to output, which [`poll`](Self::poll) then gives.
pub trait TorHook {
    /// What it shows of its state: at all times the same names, and nothing that changes but by
    /// the other calls.
    fn probes(&self, _to: &mut dyn Probes) {}

    /// A packet has come in, before the switch chooses one of its equal `ways`.
    fn on_ingress(
        &mut self,
        cx: &mut SwitchCx<'_>,
        packet: &mut Packet,
        from: Side,
        ways: &dyn Ways,
    ) -> Verdict;

    /// A packet is about to start on the wire to one of the ToR's hosts. Returns whether it goes; if
    /// not it is dropped.
    fn on_egress(&mut self, _cx: &mut SwitchCx<'_>, _packet: &Packet) -> bool {
        true
    }

    /// Something has been told to it, and the wires of this instant have started: it may look at its own
    /// queues before it is asked what is to be sent. Only where it needs bulk data
    /// ([`Need::Bulk`](crate::Need::Bulk)); such a one is not asked about what leaves towards hosts.
    fn look(&mut self, _queues: &mut dyn Queues) {}

    /// What is to be sent now; called until there is nothing.
    fn poll(&mut self) -> Option<Output> {
        None
    }

    /// When it next wants [`on_timer`](Self::on_timer). Never in the past, and after `on_timer` in the
    /// future.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// The time has come.
    fn on_timer(&mut self, _cx: &mut SwitchCx<'_>) {}
}

crate::family! { TorHook, AnyTorHook, TorContext, with state;
    Themis: themis in Box,
    Conga: conga in Box,
    ConWeave: conweave in Box,
    NackFilter: nack_filter,
    RotorLb: rotorlb in Box,
}

impl TorContext {
    /// A ToR of a small tree, for asking what schemes offer before there is one.
    pub const NOMINAL: Self = Self {
        switch: SwitchId(0),
        stream: 0,
        ways_up: [4, 4],
        edge: true,
        hosts: 1,
        packet: Bytes(4160),
        lanes: Vec::new(),
    };
}

impl Config {
    /// The names of what the selected scheme shows of itself.
    pub fn probes(&self) -> Vec<&'static str> {
        let mut names = Names::default();
        self.build(&TorContext::NOMINAL).probes(&mut names);
        names.0
    }
}

impl AnyTorHook {
    /// See [`TorHook::probes`].
    pub fn probes(&self, to: &mut dyn Probes) {
        dispatch!(self, scheme => scheme.probes(to));
    }

    /// See [`TorHook::on_ingress`].
    pub fn on_ingress(
        &mut self,
        cx: &mut SwitchCx<'_>,
        packet: &mut Packet,
        from: Side,
        ways: &dyn Ways,
    ) -> Verdict {
        dispatch!(self, scheme => scheme.on_ingress(cx, packet, from, ways))
    }

    /// See [`TorHook::on_egress`].
    pub fn on_egress(&mut self, cx: &mut SwitchCx<'_>, packet: &Packet) -> bool {
        dispatch!(self, scheme => scheme.on_egress(cx, packet))
    }

    /// See [`TorHook::look`].
    pub fn look(&mut self, queues: &mut dyn Queues) {
        dispatch!(self, scheme => scheme.look(queues));
    }

    /// See [`TorHook::poll`].
    pub fn poll(&mut self) -> Option<Output> {
        dispatch!(self, scheme => scheme.poll())
    }

    /// See [`TorHook::next_timer`].
    pub fn next_timer(&self) -> Option<Time> {
        dispatch!(self, scheme => scheme.next_timer())
    }

    /// See [`TorHook::on_timer`].
    pub fn on_timer(&mut self, cx: &mut SwitchCx<'_>) {
        dispatch!(self, scheme => scheme.on_timer(cx));
    }
}
