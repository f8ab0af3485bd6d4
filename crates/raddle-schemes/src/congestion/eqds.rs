//! EQDS: the receiver says when a sender may send.
//!
//! Olteanu et al., An edge-queued datagram service for all datacenter traffic, NSDI 2022, section 3.
//! The first window of a message leaves unsolicited. For everything else a sender needs credit,
//! which each receiving host hands out in pull frames, in turn over the senders that want some and
//! just below the rate of its link, so that no queue but those for the first windows builds up. A
//! trimmed header tells the receiver that a packet has to come again; it adds to what the sender is
//! still owed.
//!
//! The scheme has three parts: the sender's ([`Eqds`]), the receiver's book of one message
//! ([`Grants`](crate::transport::Grants)), and the pull pacer that a host's messages share, which the host keeps by the
//! receiver's [`PullPlan`]. A credit lets one packet go, whatever its size. Credits are counted from
//! the start of the message, so that a pull makes up for lost ones before it. Both counts on the
//! wire are modulo 2^24.
//!
//! Reading, where it departs from the paper and from the authors' simulator (uet-htsim at 40ccb05,
//! `UecSink`, `UecPullPacer`):
//! - There a packet carries how much credit its sender wants. Here the receiver works that out: it
//!   knows the message's length, and the first window from the same parameters. What it cannot know,
//!   packets lost without a trace, the sender tells in a request (their RTS).
//! - A first window is always sent whole; there it ends with the first answer, which comes when one
//!   BDP is on its way.
//! - A receiver lets no sender have more than `max_window` unsolicited, credited or on its way: one
//!   that sends to many receivers cannot hoard credit. There the sender asks for no more than that.
//! - Pulls for idle senders, in case they have more to send (their slow pulls), are left out: a
//!   message here has one length.
//! - Requests come at most once per unloaded round trip, and ever more rarely while no credit comes.

use super::{Ack, CongestionControl, Limits, Loss, LossCause, PullPlan};
use crate::family::Conflict;
use crate::probe::Probes;
use crate::size::{SOME, Size};
use crate::transport::grants::{COUNT_BITS, later, on_wire};
use crate::units::{Bytes, Span, Time};
use crate::{Card, Cx, FlowContext};
use alloc::vec::Vec;
use serde::Serialize;

/// What `raddle schemes eqds` says.
pub const CARD: Card = Card {
    name: "eqds",
    title: "EQDS, receiver credits",
    paper: "Olteanu et al., An edge-queued datagram service for all datacenter traffic, NSDI 2022",
    needs: &[],
    summary: "Each receiver paces its senders by credits just below its link's rate; the first \
              window goes unsolicited. Incasts drain without standing queues; wants trimming.",
};

crate::parameters! {
    /// Parameters of EQDS.
    pub struct Config {
        /// What a sender sends without credit; at least one packet.
        pub initial_window: Size = Size::Bdp(1.0), in SOME;
        /// The most that a sender may have unsolicited, credited and on its way; not less than the
        /// initial window.
        pub max_window: Size = Size::Bdp(1.5), in SOME;
        /// The pace of credits, as a share of the receiver's link.
        pub pull_rate: f64 = 0.99, in 0.01..=1.0;
        /// Packets that one pull lets go.
        pub packets_per_pull: u32 = 4, in 1..=1024;
        /// A sender that got no credit and no ACK for this long asks again; `auto` is the
        /// retransmission timeout.
        pub retry: Option<Span> = None, in Span(1)..;
    }
    conflicts by conflicts
}

fn conflicts(config: &Config) -> Vec<Conflict> {
    super::windows_in_order(None, Some(config.initial_window), config.max_window)
}

/// Packets of this size, at least one and no more than counts on the wire can tell apart.
pub(super) fn packets(size: Size, context: &FlowContext) -> u32 {
    let packets = size.resolve(&context.sizes()).0.div_ceil(context.packet().0);
    u32::try_from(packets).unwrap_or(u32::MAX).clamp(1, 1 << (COUNT_BITS - 2))
}

/// Most that the wait between two requests doubles.
const MOST_DOUBLINGS: u32 = 6;

/// The sending end.
#[derive(Clone, Debug, Serialize)]
pub struct Eqds {
    /// Packets that may leave now.
    credit: u32,
    /// Credits received since the start.
    pulled: u32,
    in_flight: u64,
    /// Packets lost without a trace that the receiver could have seen, and how many of them the
    /// last request told of.
    vanished: u32,
    told: u32,
    /// When to ask for credit.
    ask_at: Time,
    /// The last request.
    asked: Option<Time>,
    /// Whether a request waits to be sent.
    asking: bool,
    doublings: u32,
    packet: u32,
    base_rtt: Span,
    retry: Span,
    plan: PullPlan,
}

impl Eqds {
    /// A sender with its first window.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let unsolicited = packets(config.initial_window, context);
        let plan = PullPlan {
            unsolicited,
            outstanding: packets(config.max_window, context).max(unsolicited),
            packets_per_pull: config.packets_per_pull,
            rate_share: config.pull_rate,
            paced_alone: false,
        };
        let retry = config.retry.unwrap_or(context.rto);
        Self::beginning(plan, context.packet().0 as u32, context.base_rtt, retry)
    }

    /// A message's sender before it has sent anything.
    pub(super) fn beginning(plan: PullPlan, packet: u32, base_rtt: Span, retry: Span) -> Self {
        Self {
            credit: plan.unsolicited,
            pulled: 0,
            in_flight: 0,
            vanished: 0,
            told: 0,
            ask_at: Time::NEVER,
            asked: None,
            asking: false,
            doublings: 0,
            packet,
            base_rtt,
            retry,
            plan,
        }
    }

    /// What was lost in sight of this end alone may go again without a credit.
    pub(super) fn resend(&mut self, packets: u32, in_flight: Bytes) {
        self.in_flight = in_flight.0;
        self.credit = self.credit.saturating_add(packets);
    }

    /// Puts the next request off: there is news, or one is on its way.
    fn wait(&mut self, now: Time) {
        self.ask_at = now + Span(self.retry.0.saturating_mul(1 << self.doublings));
    }
}

impl CongestionControl for Eqds {
    fn probes(&self, to: &mut dyn Probes) {
        to.count("credit", self.credit.into());
        to.count("pulled", self.pulled.into());
        to.count("vanished", self.vanished.into());
    }

    fn on_ack(&mut self, cx: &mut Cx<'_>, ack: &Ack) {
        self.in_flight = ack.in_flight.0;
        // A request that is due goes out nevertheless: it tells of losses.
        if self.ask_at > cx.now {
            self.wait(cx.now);
        }
    }

    /// What was trimmed the receiver knows of.
    fn on_loss(&mut self, cx: &mut Cx<'_>, loss: &Loss) {
        self.in_flight = loss.in_flight.0;
        if loss.cause != LossCause::Trim {
            self.vanished = self.vanished.wrapping_add(loss.packets);
            let earliest = self.asked.map_or(cx.now, |asked| asked + self.base_rtt);
            self.ask_at = self.ask_at.min(earliest.max(cx.now));
        }
    }

    fn on_sent(&mut self, cx: &mut Cx<'_>, bytes: Bytes) {
        self.in_flight += bytes.0;
        self.credit = self.credit.saturating_sub(1);
        if self.ask_at > cx.now {
            self.wait(cx.now);
        }
    }

    fn on_credit(&mut self, cx: &mut Cx<'_>, count: u32) {
        let pulled = later(self.pulled, count);
        let fresh = pulled.wrapping_sub(self.pulled);
        self.credit = self.credit.saturating_add(fresh);
        self.pulled = pulled;
        if fresh > 0 {
            self.doublings = 0;
        }
        if self.ask_at > cx.now {
            self.wait(cx.now);
        }
    }

    /// A receiver keeps its books by message: nothing outlives one.
    fn begin_message(&mut self) {
        *self = Self::beginning(self.plan, self.packet, self.base_rtt, self.retry);
    }

    fn next_timer(&self) -> Option<Time> {
        (self.ask_at < Time::NEVER).then_some(self.ask_at)
    }

    fn on_timer(&mut self, cx: &mut Cx<'_>) {
        // Who has credit and told of every loss waits for its NIC.
        if self.ask_at <= cx.now && (self.credit == 0 || self.vanished != self.told) {
            self.asking = true;
            self.asked = Some(cx.now);
            self.told = self.vanished;
            self.doublings = (self.doublings + 1).min(MOST_DOUBLINGS);
        }
        self.wait(cx.now);
    }

    fn poll_request(&mut self) -> Option<u32> {
        core::mem::take(&mut self.asking).then_some(on_wire(self.vanished))
    }

    fn pulls(&self) -> Option<PullPlan> {
        Some(self.plan)
    }

    /// What is in flight, and what the credits let go.
    fn limits(&self) -> Limits {
        let credit = u64::from(self.credit) * u64::from(self.packet);
        Limits { window: Bytes(self.in_flight + credit), rate: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::vec::Vec;

    /// 8 us at 400 Gbps are 400 kB, 97 packets of 4160 B.
    fn flow() -> Eqds {
        Eqds::new(&Config::default(), &FlowContext::NOMINAL)
    }

    const PACKET: u64 = 4160;

    fn at<T>(flow: &mut Eqds, us: u64, call: impl FnOnce(&mut Eqds, &mut Cx<'_>) -> T) -> T {
        let mut rng = Rng::new(1, "flow", 0);
        call(flow, &mut Cx { now: Time(us * 1_000_000), rng: &mut rng, events: &mut () })
    }

    fn send(flow: &mut Eqds, us: u64) {
        at(flow, us, |flow, cx| flow.on_sent(cx, Bytes(PACKET)));
    }

    fn ack(flow: &mut Eqds, us: u64, in_flight: u64) {
        let (bytes, in_flight) = (Bytes(PACKET), Bytes(in_flight * PACKET));
        let (marked, rtt, cumulative, next_new) = (true, None, 0, 0);
        let ack = Ack { bytes, marked, rtt, in_flight, cumulative, next_new, ..Ack::EMPTY };
        at(flow, us, |flow, cx| flow.on_ack(cx, &ack));
    }

    fn lose(flow: &mut Eqds, us: u64, cause: LossCause, in_flight: u64) {
        let loss = Loss {
            bytes: Bytes(PACKET),
            packets: 1,
            cause,
            in_flight: Bytes(in_flight * PACKET),
            next_new: 0,
        };
        at(flow, us, |flow, cx| flow.on_loss(cx, &loss));
    }

    /// Packets that may leave beyond what is in flight.
    fn free(flow: &Eqds) -> u64 {
        (flow.limits().window.0 - flow.in_flight) / PACKET
    }

    #[test]
    fn a_first_window_goes_unsolicited_and_then_every_packet_needs_a_credit() {
        let mut flow = flow();
        assert_eq!(flow.limits().window, Bytes(97 * PACKET));
        (0..97).for_each(|_| send(&mut flow, 0));
        assert_eq!(free(&flow), 0);
        ack(&mut flow, 8, 96);
        assert_eq!(free(&flow), 0, "an ACK is no credit");
        at(&mut flow, 8, |flow, cx| flow.on_credit(cx, 4));
        assert_eq!(free(&flow), 4);
        send(&mut flow, 8);
        assert_eq!((free(&flow), flow.in_flight), (3, 97 * PACKET));
        lose(&mut flow, 9, LossCause::Trim, 96);
        assert_eq!(free(&flow), 3, "what is trimmed needs another credit");
    }

    #[test]
    fn a_later_pull_makes_up_for_lost_ones_and_an_older_one_says_nothing() {
        let mut flow = flow();
        (0..97).for_each(|_| send(&mut flow, 0));
        for (count, expected) in [(4, 4), (12, 12), (8, 12), (12, 12)] {
            at(&mut flow, 9, |flow, cx| flow.on_credit(cx, count));
            assert_eq!(free(&flow), expected);
        }
    }

    #[test]
    fn a_packet_that_vanished_is_told_at_once_but_once_per_round_trip() {
        let mut flow = flow();
        send(&mut flow, 0);
        send(&mut flow, 0);
        lose(&mut flow, 70, LossCause::Timeout, 1);
        assert_eq!(flow.next_timer(), Some(Time(70_000_000)));
        assert_eq!(flow.poll_request(), None);
        at(&mut flow, 70, |flow, cx| flow.on_timer(cx));
        assert_eq!((flow.poll_request(), flow.poll_request()), (Some(1), None));
        lose(&mut flow, 71, LossCause::Reordering, 0);
        assert_eq!(flow.next_timer(), Some(Time(78_000_000)), "8 us after the last");
        ack(&mut flow, 80, 0);
        assert_eq!(flow.next_timer(), Some(Time(78_000_000)));
        at(&mut flow, 80, |flow, cx| flow.on_timer(cx));
        assert_eq!(flow.poll_request(), Some(2));
        lose(&mut flow, 81, LossCause::Trim, 0);
        assert!(flow.next_timer() > Some(Time(140_000_000)), "the receiver has seen its header");
    }

    #[test]
    fn a_sender_without_news_asks_ever_more_rarely_until_credit_comes() {
        let mut flow = flow();
        send(&mut flow, 0);
        at(&mut flow, 70, |flow, cx| flow.on_timer(cx));
        assert_eq!(flow.poll_request(), None, "it has credit");
        (0..96).for_each(|_| send(&mut flow, 0));
        let mut asked = Vec::new();
        for _ in 0..9 {
            let due = flow.next_timer().unwrap();
            asked.push(due.0 / 1_000_000);
            at(&mut flow, due.0 / 1_000_000, |flow, cx| flow.on_timer(cx));
            assert_eq!(flow.poll_request(), Some(0));
        }
        // The timeout is 70 us; the wait doubles to 64 of them.
        let waits: Vec<_> = asked.windows(2).map(|pair| (pair[1] - pair[0]) / 70).collect();
        assert_eq!(asked[0], 70);
        assert_eq!(waits, [2, 4, 8, 16, 32, 64, 64, 64]);
        at(&mut flow, 22_000, |flow, cx| flow.on_credit(cx, 1));
        assert_eq!(flow.next_timer(), Some(Time(22_070_000_000)));
    }

    #[test]
    fn nothing_outlives_a_message() {
        let mut used = flow();
        send(&mut used, 1);
        lose(&mut used, 40, LossCause::Timeout, 0);
        at(&mut used, 41, |flow, cx| flow.on_timer(cx));
        at(&mut used, 42, |flow, cx| flow.on_credit(cx, 9));
        used.begin_message();
        assert_eq!(std::format!("{used:?}"), std::format!("{:?}", flow()));
    }
}
