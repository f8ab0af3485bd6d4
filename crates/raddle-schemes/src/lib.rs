//! Every published way of moving packets, as small state machines free of input and output.
//!
//! Each scheme is one file: its state, its parameters with the paper's defaults, its [`Card`], its
//! handlers with the paper's lines, and known answers in a test at the bottom. One entry in its
//! family's list registers it; scenario words, catalogue, dispatch and conformance tests follow.
//! The same code runs in the simulator, over real sockets, and in a NIC's firmware: no clock, no
//! I/O, no globals, and nothing allocated per packet once a flow has reached its full window.
//!
//! # Where to begin
//! - To **move data** with one of them: [`transport::FlowTemplate`] makes the
//!   [`Sender`](transport::Sender) of a message, [`transport::Incoming`] is a receiving host, and
//!   [`transport::codec`] has what the second tells the first, as bytes. Whoever drives them brings a
//!   clock and a network.
//! - To **write a scheme**: implement [`congestion::CongestionControl`],
//!   [`load_balance::host::PathSelector`], [`recovery::Recovery`] of hosts, or
//!   [`load_balance::switch::PortSelector`], [`marking::Marker`], [`buffer::BufferPolicy`],
//!   [`tor::TorHook`] of switches. The module of each says when its methods are called; the smallest
//!   scheme beside it is the one to copy. [`family::Plugin`] takes one from another crate.
//! - To **see into one**: [`probe`].
//! - To **choose one by name**, as a scenario does: `Config::named` and `Config::set` of its module.
//!
//! # A message from end to end
//! ```
//! use raddle_schemes::ids::HostId;
//! use raddle_schemes::rng::Rng;
//! use raddle_schemes::transport::codec::AckReader;
//! use raddle_schemes::transport::{Data, FlowTemplate, Incoming, SenderPlan};
//! use raddle_schemes::units::{Bytes, Time};
//! use raddle_schemes::{FlowContext, congestion, load_balance::host, recovery};
//!
//! let load_balance = host::Config::named("reps").ok_or("no such scheme")?;
//! let congestion = congestion::Config::named("dctcp").ok_or("no such scheme")?;
//! let recovery = recovery::Config::named("sack").ok_or("no such scheme")?;
//! let plan =
//!     SenderPlan { load_balance: &load_balance, congestion: &congestion, recovery: &recovery };
//! // A path of 400 Gbps and 8 us there and back.
//! let path = FlowContext::NOMINAL;
//! let template = FlowTemplate::new(&plan, &path);
//! let mut sender = template.sender(&path, Bytes(1_000_000), Rng::new(1, "flow", 0));
//! let mut receiver = Incoming::new(path.rate, path.packet());
//! let mut acks = AckReader::new(sender.total());
//! receiver.open(Time::ZERO, 0, HostId(0), (&template, &path), sender.total());
//!
//! // A network that loses nothing, in which everything arrives half a round trip later.
//! let mut now = Time::ZERO;
//! while !sender.complete() {
//!     let mut there = Vec::new();
//!     while let Some(packet) = sender.poll_transmit(now, &mut ()) {
//!         there.push(packet);
//!     }
//!     now += path.base_rtt;
//!     for packet in there {
//!         let data = Data {
//!             at: now,
//!             psn: packet.psn,
//!             entropy: packet.entropy,
//!             marked: false,
//!             trimmed: false,
//!             again: packet.again,
//!             ack_request: packet.ack_request,
//!         };
//!         receiver.on_data(0, &data, &[]);
//!     }
//!     while let Some((_, control)) = receiver.poll() {
//!         acks.deliver(now, &mut sender, &control, &mut ());
//!     }
//! }
//! assert_eq!(sender.counts().sent, 245);
//! # Ok::<(), &str>(())
//! ```
//! `tests/sans_io.rs` does the same over a network that loses, repeats and reorders, with every
//! transport.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod buffer;
pub mod congestion;
pub mod family;
pub mod ids;
pub mod load_balance;
pub mod marking;
pub mod planner;
pub mod probe;
pub mod recovery;
pub mod rng;
pub mod rule;
pub mod size;
pub mod tor;
pub mod transport;
pub mod units;

use rng::Rng;
use serde::{Deserialize, Serialize};
use units::{Bytes, Rate, Span, Time};

pub use family::{Card, Need, Scheme};

/// What every call of a scheme of switches gets: the time, and the switch's own random stream. What it
/// has to tell it [shows](probe).
pub struct SwitchCx<'a> {
    /// The present.
    pub now: Time,
    /// The random stream of the switch.
    pub rng: &'a mut Rng,
}

/// What every call of a scheme of flows gets: the time, its own random stream, and a place for its
/// events.
pub struct Cx<'a> {
    /// The present.
    pub now: Time,
    /// The random stream of the flow or host that calls.
    pub rng: &'a mut Rng,
    /// Where noteworthy moments go (`"reps: freeze"`).
    pub events: &'a mut dyn Events,
}

/// Takes a scheme's noteworthy moments; what becomes of them is the caller's business.
pub trait Events {
    /// Something a reader of the run's timeline would want to see happened now.
    fn event(&mut self, now: Time, name: &'static str);
}

/// Ignores every event.
impl Events for () {
    fn event(&mut self, _now: Time, _name: &'static str) {}
}

/// What a flow's parts may know of its path when they are built; constant for the flow's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct FlowContext {
    /// Payload of a full packet.
    pub payload: Bytes,
    /// Header of every data packet.
    pub header: Bytes,
    /// Idle bytes after every frame on a wire; part of a pace, not of a packet's size.
    pub gap: Bytes,
    /// Round trip of a full packet and its ACK through empty queues.
    pub base_rtt: Span,
    /// Rate of the slowest link that every path of the flow crosses (usually its NIC's).
    pub rate: Rate,
    /// Bytes that `rate` carries in `base_rtt`.
    pub bdp: Bytes,
    /// Retransmission timeout, unless the recovery's parameters set another.
    pub rto: Span,
    /// Time in which the fabric's slowest port drains a full queue; `None` where queues have no
    /// limit.
    pub drain: Option<Span>,
    /// Whether switches trim on overflow, so that a timeout means real loss.
    pub trimming: bool,
    /// How many data classes there are.
    pub classes: u8,
    /// The sending host: the entropy of schemes that keep one path (ECMP).
    pub source: ids::HostId,
    /// The receiving host.
    pub destination: ids::HostId,
}

impl FlowContext {
    /// A flow across a small 400 Gbps fabric, for asking what schemes offer before there is one.
    pub const NOMINAL: Self = Self {
        payload: Bytes(4096),
        header: Bytes(64),
        gap: Bytes(0),
        base_rtt: Span::us(8),
        rate: Rate::gbps(400),
        bdp: Bytes(400_000),
        rto: Span::us(70),
        drain: Some(Span::us(8)),
        trimming: true,
        classes: 1,
        source: ids::HostId(0),
        destination: ids::HostId(1),
    };

    /// Bytes of a full packet on the wire.
    pub fn packet(&self) -> Bytes {
        self.payload + self.header
    }

    /// How many full packets fit into so many bytes.
    pub fn packets_in(&self, bytes: Bytes) -> u64 {
        bytes.0 / self.packet().0.max(1)
    }

    /// The BDP in full packets; 0 where it is less than one.
    pub fn bdp_packets(&self) -> u64 {
        self.packets_in(self.bdp)
    }

    /// What relative sizes (`packets`, `bdp`) of a flow's parameters refer to. A percentage has no
    /// meaning for a flow; it is taken of the BDP.
    pub fn sizes(&self) -> size::Base {
        size::Base { packet: self.packet(), bdp: self.bdp, whole: self.bdp }
    }
}
