//! Congestion control: how much, and how fast, a flow may send.

use crate::family::Conflict;
use crate::ids::{PortId, Psn};
use crate::probe::{Names, Probes};
use crate::size::Size;
use crate::units::{Bytes, Rate, Span, Time};
use crate::{Cx, FlowContext};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

mod answer;
pub mod cubic;
pub mod dcqcn;
pub mod dctcp;
pub mod eqds;
pub mod fixed_rate;
pub mod homa;
mod hops;
pub mod hpcc;
pub mod mprdma_dctcp;
pub mod mswift;
pub mod ndp;
pub mod nscc;
mod power_law;
pub mod powertcp;
pub mod reno;
pub mod retcp;
pub mod swift;
pub mod theta_powertcp;
pub mod timely;

/// The word for a rate that whoever makes a plan puts in place of it: the one that every flow of
/// the run can have at once when each is split equally over its shortest paths.
pub const RHO_MAX: &str = "rho_max";

/// What a switch says of the port through which a data packet left it, when the packet's first bit did
/// (in-band telemetry).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Hop {
    /// The port.
    pub port: PortId,
    /// When.
    pub at: Time,
    /// Bytes that waited at the whole port, the packet not among them.
    pub queue: Bytes,
    /// Bytes that the port had sent before the packet.
    pub sent: Bytes,
    /// Bytes that had joined the port's queues, the packet among them.
    pub entered: Bytes,
    /// The present rate of its link.
    pub rate: Rate,
}

/// News that packets arrived.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Ack<'a> {
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
    /// What the switches on its way said of the packet that triggered the ACK, in the order in which it
    /// passed them. None where the scheme's card does not ask for telemetry ([`Need::Telemetry`]), if
    /// the packet was a duplicate, or if a later ACK has overtaken this one.
    ///
    /// [`Need::Telemetry`]: crate::Need::Telemetry
    pub hops: &'a [Hop],
    /// Whether the ToRs of the flow's hosts have a circuit, or will have one soon: what the sender's ToR
    /// wrote into it. Of ToRs with circuits beside a packet network only ([`Need::Circuits`]).
    ///
    /// [`Need::Circuits`]: crate::Need::Circuits
    pub circuit: bool,
}

#[cfg(test)]
impl Ack<'_> {
    /// An ACK for nothing, which tests fill in.
    pub(crate) const EMPTY: Ack<'static> = Ack {
        bytes: Bytes(0),
        marked: false,
        rtt: None,
        in_flight: Bytes(0),
        cumulative: 0,
        next_new: 0,
        hops: &[],
        circuit: false,
    };
}

/// Why a packet counts as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum LossCause {
    /// A NACK for its trimmed header.
    Trim,
    /// Its retransmission timeout.
    Timeout,
    /// Later packets arrived, more than the reorder threshold ahead.
    Reordering,
    /// The receiver waits for it, and says so on a later packet's arrival or when its patience ends.
    Nack,
    /// A NACK that a switch made for the receiver.
    SwitchNack,
}

/// News that a packet was lost, or that several are sent again for one reason.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Loss {
    /// Their bytes (payload and header).
    pub bytes: Bytes,
    /// How many they are.
    pub packets: u32,
    /// How the sender knows.
    pub cause: LossCause,
    /// Bytes in flight, these no longer among them.
    pub in_flight: Bytes,
    /// The next packet that was never sent.
    pub next_new: u32,
}

/// What a flow may do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// At most this many bytes in flight. At least a packet, unless receivers pace the flow
    /// ([`CongestionControl::pulls`]): a flow with a smaller window never sends. Beside it no packet
    /// leaves that has not been granted ([`CongestionControl::grants`]).
    pub window: Bytes,
    /// At most this fast, paced; `None` means line rate.
    pub rate: Option<Rate>,
}

impl Limits {
    /// A window of so many bytes, at line rate.
    pub fn of_window(bytes: f64) -> Self {
        Self { window: Bytes(bytes as u64), rate: None }
    }
}

/// What receivers have to know of a scheme in which they pace the senders. Sizes are packets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PullPlan {
    /// What a sender sends without credit.
    pub unsolicited: u32,
    /// The most that a sender may have unsolicited, credited and on its way.
    pub outstanding: u32,
    /// Packets that one pull lets go.
    pub packets_per_pull: u32,
    /// Share of its link's rate that a receiving host hands out.
    pub rate_share: f64,
    /// Whether each message gets that share by itself; else all of the host's together.
    pub paced_alone: bool,
}

/// What receivers have to know of a scheme in which they grant messages. Sizes are packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct GrantPlan {
    /// What a sender sends without a grant, and what a receiver keeps granted and not arrived.
    pub window: u32,
    /// How many messages, of as many senders, a receiver grants at a time.
    pub overcommitment: u32,
    /// Data classes of granted packets: the lowest ones.
    pub classes: u8,
    /// After so long without news of a message a receiver asks for what is missing.
    pub resend: Span,
    /// An unloaded round trip: what was sent later is not missing.
    pub base_rtt: Span,
}

/// What a receiver grants a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Grant {
    /// Packets of the message below this one may leave.
    pub upto: u32,
    /// The data class of those that are not unscheduled.
    pub class: u8,
}

/// What receivers have to know of a scheme to which they send congestion notifications (CNPs).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CnpPlan {
    /// Least time between two of a flow.
    pub interval: Span,
    /// From the marked packet's arrival until the CNP is in line at its NIC.
    pub delay: Span,
}

crate::words! {
    /// What a packet of a paced flow that leaves late does to those after it.
    pub enum Pacing {
        /// The next one leaves no earlier than an interval after the start of this one: the flow is
        /// never faster than its pace.
        Spacing = "spacing",
        /// Packets have slots on a grid, and a late one does not push back the next: a flow that
        /// waited for its NIC makes up for missed slots at line rate.
        Slots = "slots",
    }
}

/// Sets a flow's window and rate; one instance per flow.
pub trait CongestionControl {
    /// What it shows of its state: at all times the same names, and nothing that changes but by
    /// the other calls.
    fn probes(&self, _to: &mut dyn Probes) {}

    /// An ACK arrived.
    fn on_ack(&mut self, cx: &mut Cx<'_>, ack: &Ack<'_>);
    /// A packet was found lost.
    fn on_loss(&mut self, cx: &mut Cx<'_>, loss: &Loss);
    /// The next message of the connection begins, where connections outlive messages: nothing is in
    /// flight, packets are numbered from 0, credits are counted from 0.
    fn begin_message(&mut self) {}
    /// The message that begins has so many application bytes: the first of its flow, or, after
    /// [`CongestionControl::begin_message`], the next of its connection.
    fn on_message(&mut self, _bytes: Bytes) {}
    /// A packet of so many bytes has left.
    fn on_sent(&mut self, _cx: &mut Cx<'_>, _bytes: Bytes) {}
    /// A pull arrived: credits since the start of the message, modulo 2^24.
    fn on_credit(&mut self, _cx: &mut Cx<'_>, _count: u32) {}
    /// What the sender asks its receiver for, if it asks now, modulo 2^24. Looked at after
    /// [`CongestionControl::on_timer`].
    fn poll_request(&mut self) -> Option<u32> {
        None
    }
    /// How receivers pace the senders, if they do.
    fn pulls(&self) -> Option<PullPlan> {
        None
    }
    /// A grant arrived.
    fn on_grant(&mut self, _cx: &mut Cx<'_>, _grant: &Grant) {}
    /// How receivers grant messages, if they do.
    fn grants(&self) -> Option<GrantPlan> {
        None
    }
    /// The data class in which this packet leaves now, where the scheme chooses one for each packet;
    /// else all have their flow's.
    fn class(&self, _psn: Psn) -> Option<u8> {
        None
    }
    /// The receiver notifies of congestion.
    fn on_cnp(&mut self, _cx: &mut Cx<'_>) {}
    /// How receivers notify of marked packets, if they do beside their ACKs.
    fn cnps(&self) -> Option<CnpPlan> {
        None
    }
    /// Whether a new rate times the packet that waits for its pace anew, from when the one before left;
    /// else it is the next one whose interval has the new rate. Of [`Pacing::Spacing`] only. A paced
    /// scheme says in its file which of the two its source does.
    fn retimes(&self) -> bool {
        false
    }
    /// Bytes that the scheme's telemetry takes in every data packet and every ACK, whether switches
    /// write all of it or not. Whoever makes a plan adds them to its headers.
    fn telemetry_bytes(&self) -> Bytes {
        Bytes(0)
    }
    /// The rate that the flow's never falls below, whatever it hears, if there is one.
    fn least_rate(&self) -> Option<Rate> {
        None
    }
    /// When the scheme wants to be woken, if it does: not before the present. Asked after each of
    /// the other calls.
    fn next_timer(&self) -> Option<Time> {
        None
    }
    /// The time asked for has come, or came before the connection's next message.
    fn on_timer(&mut self, _cx: &mut Cx<'_>) {}
    /// The recovery that belongs to the scheme: what its flows have where nothing names one. Without
    /// it, that of all.
    fn recovery(&self) -> Option<&'static str> {
        None
    }
    /// The present limits.
    fn limits(&self) -> Limits;
    /// Whether the first slots of the paced flows of one host are spread over a period, so that
    /// the host as a whole keeps an even pace; else each flow's first packet leaves at once.
    fn spreads_slots(&self) -> bool {
        false
    }
    /// Whether slots that are spread change places in each period; of [`Pacing::Slots`] only.
    fn shuffles_slots(&self) -> bool {
        false
    }
    /// What a late packet of a paced flow does to those after it.
    fn pacing(&self) -> Pacing {
        Pacing::Spacing
    }
}

/// Which of the parameters `min_window`, `initial_window` and `max_window` are in the wrong order.
/// One that is absent, or relative to something else than the other, is in order.
fn windows_in_order(min: Option<Size>, initial: Option<Size>, max: Size) -> Vec<Conflict> {
    let windows = [("min_window", min), ("initial_window", initial), ("max_window", Some(max))];
    let pairs = [(0, 2), (0, 1), (1, 2)].map(|(small, large)| (windows[small], windows[large]));
    let wrong = |((small, low), (large, high)): ((_, Option<Size>), (_, Option<Size>))| {
        low?.exceeds(high?).then_some(Conflict::Exceeds(small, large))
    };
    pairs.into_iter().filter_map(wrong).collect()
}

crate::family! { CongestionControl, AnyCongestionControl, FlowContext, with state;
    MprdmaDctcp: mprdma_dctcp,
    Dctcp: dctcp in Box by RULES,
    FixedRate: fixed_rate,
    Swift: swift in Box,
    Mswift: mswift in Box,
    Nscc: nscc in Box by RULES,
    Eqds: eqds in Box,
    Ndp: ndp in Box,
    Dcqcn: dcqcn in Box,
    Hpcc: hpcc in Box,
    Powertcp: powertcp in Box,
    ThetaPowertcp: theta_powertcp in Box,
    Timely: timely in Box,
    Cubic: cubic in Box by RULES,
    Reno: reno in Box by RULES,
    Retcp: retcp in Box,
    Homa: homa in Box,
}

// A fat scheme would tax every flow: it is kept in a box.
const _: () = assert!(size_of::<AnyCongestionControl>() <= 32);

impl Config {
    /// The names of what the selected scheme shows of itself.
    pub fn probes(&self) -> Vec<&'static str> {
        let mut names = Names::default();
        self.build(&FlowContext::NOMINAL).probes(&mut names);
        names.0
    }

    /// Bytes that the scheme's telemetry adds to every data packet and ACK.
    pub fn telemetry_bytes(&self) -> Bytes {
        self.build(&FlowContext::NOMINAL).telemetry_bytes()
    }

    /// See [`CongestionControl::recovery`].
    pub fn recovery(&self) -> Option<&'static str> {
        let control = self.build(&FlowContext::NOMINAL);
        dispatch!(&control, scheme => scheme.recovery())
    }
}

impl AnyCongestionControl {
    /// See [`CongestionControl::probes`].
    pub fn probes(&self, to: &mut dyn Probes) {
        dispatch!(self, scheme => scheme.probes(to));
    }

    /// See [`CongestionControl::on_ack`]. Returns the limits after it.
    #[inline]
    pub fn on_ack(&mut self, cx: &mut Cx<'_>, ack: &Ack<'_>) -> Limits {
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

    /// See [`CongestionControl::on_sent`]. Returns the limits after it.
    #[inline]
    pub fn on_sent(&mut self, cx: &mut Cx<'_>, bytes: Bytes) -> Limits {
        dispatch!(self, scheme => {
            scheme.on_sent(cx, bytes);
            scheme.limits()
        })
    }

    /// See [`CongestionControl::on_credit`]. Returns the limits after it.
    pub fn on_credit(&mut self, cx: &mut Cx<'_>, count: u32) -> Limits {
        dispatch!(self, scheme => {
            scheme.on_credit(cx, count);
            scheme.limits()
        })
    }

    /// See [`CongestionControl::on_cnp`]. Returns the limits after it.
    pub fn on_cnp(&mut self, cx: &mut Cx<'_>) -> Limits {
        dispatch!(self, scheme => {
            scheme.on_cnp(cx);
            scheme.limits()
        })
    }

    /// See [`CongestionControl::on_message`].
    pub fn on_message(&mut self, bytes: Bytes) {
        dispatch!(self, scheme => scheme.on_message(bytes));
    }

    /// See [`CongestionControl::on_grant`]. Returns the limits after it.
    pub fn on_grant(&mut self, cx: &mut Cx<'_>, grant: &Grant) -> Limits {
        dispatch!(self, scheme => {
            scheme.on_grant(cx, grant);
            scheme.limits()
        })
    }

    /// See [`CongestionControl::grants`].
    pub fn grants(&self) -> Option<GrantPlan> {
        dispatch!(self, scheme => scheme.grants())
    }

    /// See [`CongestionControl::class`].
    pub fn class(&self, psn: Psn) -> Option<u8> {
        dispatch!(self, scheme => scheme.class(psn))
    }

    /// See [`CongestionControl::cnps`].
    pub fn cnps(&self) -> Option<CnpPlan> {
        dispatch!(self, scheme => scheme.cnps())
    }

    /// See [`CongestionControl::retimes`].
    #[inline]
    pub fn retimes(&self) -> bool {
        dispatch!(self, scheme => scheme.retimes())
    }

    /// See [`CongestionControl::begin_message`].
    pub fn begin_message(&mut self) {
        dispatch!(self, scheme => scheme.begin_message());
    }

    /// See [`CongestionControl::poll_request`].
    pub fn poll_request(&mut self) -> Option<u32> {
        dispatch!(self, scheme => scheme.poll_request())
    }

    /// See [`CongestionControl::pulls`].
    pub fn pulls(&self) -> Option<PullPlan> {
        dispatch!(self, scheme => scheme.pulls())
    }

    /// See [`CongestionControl::telemetry_bytes`].
    pub fn telemetry_bytes(&self) -> Bytes {
        dispatch!(self, scheme => scheme.telemetry_bytes())
    }

    /// See [`CongestionControl::least_rate`].
    pub fn least_rate(&self) -> Option<Rate> {
        dispatch!(self, scheme => scheme.least_rate())
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
    /// See [`CongestionControl::shuffles_slots`].
    pub fn shuffles_slots(&self) -> bool {
        dispatch!(self, scheme => scheme.shuffles_slots())
    }
    /// See [`CongestionControl::pacing`].
    pub fn pacing(&self) -> Pacing {
        dispatch!(self, scheme => scheme.pacing())
    }
}
