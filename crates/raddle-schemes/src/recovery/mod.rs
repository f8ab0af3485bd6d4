//! Recovery: when the receiver answers, which packets count as lost, what is sent again.
//!
//! A scheme has two halves in one file: the sender's, which reads ACKs, NACKs and the clock and
//! declares packets lost in the [`Ledger`]; and the receiver's, which decides on a reply to each
//! packet. Each end of a flow owns an instance.

use crate::congestion::LossCause;
use crate::family::Need;
use crate::ids::Psn;
pub use crate::transport::data::Sent;

use crate::probe::{Names, Probes};
use crate::transport::data::{Data, Reply};
use crate::transport::{Ledger, PacketSet};
use crate::units::{Bytes, Span, Time};
use crate::{Cx, FlowContext};
use alloc::vec::Vec;

pub mod erasure;
mod flow_timer;
pub mod go_back_n;
pub mod mrc;
pub mod rnic_sr;
pub mod sack;
pub mod tcp;
#[cfg(test)]
mod testing;
pub mod timeout_only;

crate::words! {
    /// What an ACK for several packets tells of their entropies (REPS, section 4.5.1).
    pub enum AckEntropies {
        /// The entropy and mark of the packet that triggered it.
        Trigger = "trigger",
        /// Also the entropies of all unmarked packets since the previous ACK ("Carry EVs").
        Carry = "carry",
    }
}

crate::words! {
    /// What is sent again when a flow's timer has run out.
    pub enum Resend {
        /// All packets from the first unacknowledged one on.
        GoBack = "go_back",
        /// The first unacknowledged packet.
        Single = "single",
    }
}

/// What an ACK tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckForm {
    /// All packets that have arrived, in any order ([`Reply::Ack`]). Each packet has a timeout.
    Arrivals,
    /// The expected packet alone, all below which have arrived ([`Reply::AckExpected`]); a NACK
    /// tells it, too, and counts whatever path it came by. The flow has one timer.
    Expected {
        /// Most numbers from the first unacknowledged packet to the newest.
        span: u32,
    },
}

/// What completes a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// Each of its packets, sent again until it arrives.
    None,
    /// As many distinct symbols of a code as the message has packets, any of them. Each symbol is
    /// sent once and is as large as a full packet.
    AnyOf,
}

/// What an ACK brought.
#[derive(Clone, Copy, Debug)]
pub struct AckNews {
    /// Bytes that it is the first to acknowledge.
    pub bytes: Bytes,
    /// The round trip of a packet that was sent once; `None` if it tells of none.
    pub rtt: Option<Span>,
    /// Of the packets that it is the first to acknowledge, the one that was sent last.
    pub latest: Option<Sent>,
    /// Whether the packet that triggered it had arrived before.
    pub duplicate: bool,
    /// How many packets are known to have arrived.
    pub heard: u32,
    /// The window before the congestion control heard of it.
    pub window: Bytes,
}

impl AckNews {
    /// News of nothing, which tests fill in.
    #[cfg(test)]
    pub(crate) const NOTHING: Self = Self {
        bytes: Bytes(0),
        rtt: None,
        latest: None,
        duplicate: false,
        heard: 0,
        window: Bytes(0),
    };
}

/// How a congestion control has answered a loss.
#[derive(Clone, Copy, Debug)]
pub struct Answered {
    /// How the sender knew.
    pub cause: LossCause,
    /// The window before.
    pub before: Bytes,
    /// The window after.
    pub after: Bytes,
}

/// What a flow has learned of its round trips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundTrips {
    /// Smoothed.
    pub smoothed: Span,
    /// Their mean deviation.
    pub deviation: Span,
    /// The shortest.
    pub least: Span,
}

/// Both halves of a recovery.
pub trait Recovery {
    /// What it shows of its state: at all times the same names, and nothing that changes but by
    /// the other calls.
    fn probes(&self, _to: &mut dyn Probes) {}

    /// Sender: an ACK was entered into the ledger.
    fn on_ack(&mut self, cx: &mut Cx<'_>, news: &AckNews, ledger: &mut Ledger);
    /// Sender: the congestion control has heard of what was found lost.
    fn on_answered(&mut self, _cx: &mut Cx<'_>, _answered: &Answered, _ledger: &Ledger) {}
    /// Sender: what may be in flight now in place of the congestion control's `window`, if something
    /// else than that.
    fn allowance(&self, _window: Bytes, _ledger: &Ledger) -> Option<Bytes> {
        None
    }
    /// Sender: the receiver lets packets go, by credits or grants.
    fn on_receiver_paced(&mut self) {}
    /// Sender: what an earlier message of the connection has learned.
    fn begin_with(&mut self, _learned: &RoundTrips) {}
    /// Sender: what it has learned, if anything.
    fn learned(&self) -> Option<RoundTrips> {
        None
    }
    /// Sender: the receiver says that `psn` did not make it. With [`AckForm::Expected`]: that it waits
    /// for `psn`, and all below it have been entered.
    fn on_nack(&mut self, cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger);
    /// Sender: the receiver has waited too long for `psn` and those missing behind it; what was sent
    /// after `before` may still be on its way.
    fn on_resend(&mut self, _cx: &mut Cx<'_>, psn: Psn, before: Time, ledger: &mut Ledger) {
        ledger.declare_run_lost(psn, before, LossCause::Nack);
    }
    /// Sender: the [deadline](Self::deadline) has come, of `psn`. It lies in the future afterwards.
    /// Returns whether it was a retransmission timeout.
    fn on_timeout(&mut self, cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger) -> bool;
    /// Receiver: a packet came in; `fresh` if it is whole and new. Returns the reply to send.
    /// `arrived` holds the packets that did, this one among them.
    fn on_data(&mut self, data: &Data, fresh: bool, arrived: &PacketSet) -> Reply;
    /// What the ACKs tell of entropies.
    fn ack_entropies(&self) -> AckEntropies;
    /// The retransmission timeout; where it follows round trips, that before the first.
    fn rto(&self) -> Span;
    /// The longest time that may pass until packets that have all been lost are sent again.
    fn longest_wait(&self) -> Span {
        self.rto()
    }
    /// Whether an ACK, or a packet that is sent, may bring the [deadline](Self::deadline) closer; one
    /// before now is due at once.
    fn comes_closer(&self) -> bool {
        false
    }
    /// Sender: when a packet will have timed out, and which. Something that only moves away, but for
    /// packets sent while none was in flight, or where [it may come closer](Self::comes_closer).
    fn deadline(&self, ledger: &mut Ledger) -> Option<(Time, Psn)> {
        ledger.oldest().map(|(at, psn)| (at + self.rto(), psn))
    }
    /// What an ACK tells; the same for the whole run.
    fn ack_form(&self) -> AckForm {
        AckForm::Arrivals
    }
    /// Receiver: whether it keeps a whole packet that is new to it. `arrived` holds those before it.
    fn accepts(&self, _data: &Data, _arrived: &PacketSet) -> bool {
        true
    }
    /// What completes a message; the same for the whole run.
    fn coding(&self) -> Coding {
        Coding::None
    }
    /// Whether the ledger counts for it [what overtook a packet](Ledger::declare_overtaken).
    fn counts_overtaking(&self) -> bool {
        false
    }
    /// Most packets from the first unacknowledged to the newest, if there is a limit; the same for the
    /// whole run.
    fn psn_window(&self) -> Option<u32> {
        None
    }
    /// Sender: whether a probe is to ask the receiver now what has arrived; says so once, and is asked
    /// after [`Recovery::on_timeout`].
    fn poll_probe(&mut self) -> bool {
        false
    }
    /// Sender: such a probe was answered, and what the answer tells has been entered into the ledger.
    fn on_probe_answered(&mut self, _cx: &mut Cx<'_>, _ledger: &mut Ledger) {}
    /// Sender: whether it has sent a packet as often as it may, and sends nothing any more.
    fn has_given_up(&self) -> bool {
        false
    }
    /// Whether it offers what another scheme's card needs.
    fn offers(&self, need: Need) -> bool;
}

crate::family! { Recovery, AnyRecovery, FlowContext;
    Sack: sack,
    Erasure: erasure,
    RnicSr: rnic_sr in Box,
    GoBackN: go_back_n in Box,
    TimeoutOnly: timeout_only in Box,
    Tcp: tcp in Box by RULES,
    Mrc: mrc in Box,
}

impl Config {
    /// The names of what the selected scheme shows of itself.
    pub fn probes(&self) -> Vec<&'static str> {
        let mut names = Names::default();
        self.build(&FlowContext::NOMINAL).probes(&mut names);
        names.0
    }

    /// Whether the selected recovery, with its parameters, offers what a scheme needs of it.
    pub fn offers(&self, need: Need) -> bool {
        let recovery = self.build(&FlowContext::NOMINAL);
        match need {
            Need::ExpectedPsn => matches!(recovery.ack_form(), AckForm::Expected { .. }),
            _ => dispatch!(&recovery, scheme => scheme.offers(need)),
        }
    }

    /// See [`Recovery::ack_form`].
    pub fn ack_form(&self) -> AckForm {
        self.build(&FlowContext::NOMINAL).ack_form()
    }

    /// See [`Recovery::coding`].
    pub fn coding(&self) -> Coding {
        self.build(&FlowContext::NOMINAL).coding()
    }
}

// Each end of a flow has one.
const _: () = assert!(size_of::<AnyRecovery>() <= 16);

impl AnyRecovery {
    /// See [`Recovery::probes`].
    pub fn probes(&self, to: &mut dyn Probes) {
        dispatch!(self, scheme => scheme.probes(to));
    }

    /// See [`Recovery::on_ack`].
    #[inline]
    pub fn on_ack(&mut self, cx: &mut Cx<'_>, news: &AckNews, ledger: &mut Ledger) {
        dispatch!(self, scheme => scheme.on_ack(cx, news, ledger));
    }

    /// See [`Recovery::on_answered`].
    pub fn on_answered(&mut self, cx: &mut Cx<'_>, answered: &Answered, ledger: &Ledger) {
        dispatch!(self, scheme => scheme.on_answered(cx, answered, ledger));
    }

    /// See [`Recovery::allowance`].
    #[inline]
    pub fn allowance(&self, window: Bytes, ledger: &Ledger) -> Option<Bytes> {
        dispatch!(self, scheme => scheme.allowance(window, ledger))
    }

    /// See [`Recovery::on_receiver_paced`].
    pub fn on_receiver_paced(&mut self) {
        dispatch!(self, scheme => scheme.on_receiver_paced());
    }

    /// See [`Recovery::begin_with`].
    pub fn begin_with(&mut self, learned: &RoundTrips) {
        dispatch!(self, scheme => scheme.begin_with(learned));
    }

    /// See [`Recovery::learned`].
    pub fn learned(&self) -> Option<RoundTrips> {
        dispatch!(self, scheme => scheme.learned())
    }

    /// See [`Recovery::on_nack`].
    pub fn on_nack(&mut self, cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger) {
        dispatch!(self, scheme => scheme.on_nack(cx, psn, ledger));
    }

    /// See [`Recovery::on_resend`].
    pub fn on_resend(&mut self, cx: &mut Cx<'_>, psn: Psn, before: Time, ledger: &mut Ledger) {
        dispatch!(self, scheme => scheme.on_resend(cx, psn, before, ledger));
    }

    /// See [`Recovery::on_timeout`].
    pub fn on_timeout(&mut self, cx: &mut Cx<'_>, psn: Psn, ledger: &mut Ledger) -> bool {
        dispatch!(self, scheme => scheme.on_timeout(cx, psn, ledger))
    }

    /// See [`Recovery::on_data`].
    #[inline]
    pub fn on_data(&mut self, data: &Data, fresh: bool, arrived: &PacketSet) -> Reply {
        dispatch!(self, scheme => scheme.on_data(data, fresh, arrived))
    }

    /// See [`Recovery::ack_entropies`].
    #[inline]
    pub fn ack_entropies(&self) -> AckEntropies {
        dispatch!(self, scheme => scheme.ack_entropies())
    }

    /// See [`Recovery::rto`].
    #[inline]
    pub fn rto(&self) -> Span {
        dispatch!(self, scheme => scheme.rto())
    }
    /// See [`Recovery::longest_wait`].
    pub fn longest_wait(&self) -> Span {
        dispatch!(self, scheme => scheme.longest_wait())
    }
    /// See [`Recovery::comes_closer`].
    #[inline]
    pub fn comes_closer(&self) -> bool {
        dispatch!(self, scheme => scheme.comes_closer())
    }
    /// See [`Recovery::deadline`].
    #[inline]
    pub fn deadline(&self, ledger: &mut Ledger) -> Option<(Time, Psn)> {
        dispatch!(self, scheme => scheme.deadline(ledger))
    }
    /// See [`Recovery::ack_form`].
    pub fn ack_form(&self) -> AckForm {
        dispatch!(self, scheme => scheme.ack_form())
    }
    /// See [`Recovery::accepts`].
    #[inline]
    pub fn accepts(&self, data: &Data, arrived: &PacketSet) -> bool {
        dispatch!(self, scheme => scheme.accepts(data, arrived))
    }
    /// See [`Recovery::coding`].
    #[inline]
    pub fn coding(&self) -> Coding {
        dispatch!(self, scheme => scheme.coding())
    }
    /// See [`Recovery::counts_overtaking`].
    pub fn counts_overtaking(&self) -> bool {
        dispatch!(self, scheme => scheme.counts_overtaking())
    }
    /// See [`Recovery::psn_window`].
    pub fn psn_window(&self) -> Option<u32> {
        dispatch!(self, scheme => scheme.psn_window())
    }
    /// See [`Recovery::poll_probe`].
    pub fn poll_probe(&mut self) -> bool {
        dispatch!(self, scheme => scheme.poll_probe())
    }
    /// See [`Recovery::on_probe_answered`].
    pub fn on_probe_answered(&mut self, cx: &mut Cx<'_>, ledger: &mut Ledger) {
        dispatch!(self, scheme => scheme.on_probe_answered(cx, ledger));
    }
    /// See [`Recovery::has_given_up`].
    pub fn has_given_up(&self) -> bool {
        dispatch!(self, scheme => scheme.has_given_up())
    }
}
