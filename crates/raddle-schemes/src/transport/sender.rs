//! The sender: one message, a congestion control, a path selector and a recovery.

mod template;

pub use template::{Connection, FlowTemplate};

use super::ledger::{AckedPacket, LostPacket};
use super::pacer::Pacer;
use super::{Arrivals, Entry, Ledger};
use crate::congestion::{self, Ack, AnyCongestionControl, Loss, LossCause};
use crate::ids::{Entropy, Psn};
use crate::load_balance::host::{self, AnyPathSelector, Fate, Feedback, Outgoing};
use crate::recovery::{self, AckEntropies, AnyRecovery};
use crate::rng::Rng;
use crate::units::{Bytes, Span, Time};
use crate::{Cx, Events, FlowContext};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// The parts a sender is composed of.
#[derive(Clone, Debug, PartialEq)]
pub struct SenderPlan<'a> {
    /// Path of every packet.
    pub load_balance: &'a host::Config,
    /// Window and rate.
    pub congestion: &'a congestion::Config,
    /// Loss detection and retransmission.
    pub recovery: &'a recovery::Config,
}

/// A packet to put on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// Its number.
    pub psn: Psn,
    /// Its entropy.
    pub entropy: Entropy,
    /// Its bytes, header included.
    pub bytes: Bytes,
    /// Whether it was sent before.
    pub again: bool,
    /// Whether the receiver shall acknowledge it at once: the window, or what there is to send,
    /// ends with it.
    pub ack_request: bool,
}

/// The header of an ACK; the packets it acknowledges are in the sender's log ([`Arrivals`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckHeader {
    /// Arrivals before this position are acknowledged.
    pub upto: u32,
    /// Entropy of the packet that triggered the ACK.
    pub entropy: Entropy,
    /// Whether that packet was marked.
    pub marked: bool,
    /// Whether that packet had arrived before.
    pub duplicate: bool,
}

/// Counts of one sender, for records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounts {
    /// Packets sent, again or not.
    pub sent: u64,
    /// Of these, sent again; none of a coded message.
    pub retransmitted: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
}

/// The sending end of one flow.
pub struct Sender {
    ledger: Ledger,
    arrivals: Arrivals,
    /// The congestion control's window, asked for after each of its calls.
    window: Bytes,
    rng: Rng,
    /// The pace, where the congestion control sets one.
    pacer: Option<Box<Pacer>>,
    congestion: AnyCongestionControl,
    paths: AnyPathSelector,
    recovery: AnyRecovery,
}

impl Sender {
    /// The sender of a message of `bytes` application bytes. `rng` is the flow's own stream.
    pub fn new(plan: &SenderPlan<'_>, context: &FlowContext, bytes: Bytes, rng: Rng) -> Self {
        FlowTemplate::new(plan, context).sender(context, bytes, rng)
    }

    /// Before the first packet: if there is a pace, its slots begin now, or where the congestion
    /// control wants those of flow `place` of the `flows` of its host. The slots of an earlier
    /// message of the connection go on.
    pub fn begin_slots(&mut self, now: Time, place: u32, flows: u32) {
        if self.pacer.is_some() {
            return;
        }
        let Some(rate) = self.congestion.limits().rate else { return };
        let mut at = now;
        if self.congestion.spreads_slots() {
            let bytes = self.ledger.size(Psn(0)) + Bytes(u64::from(self.ledger.gap));
            let slot = u128::from(rate.serialisation(bytes).0);
            at = now + Span((slot * u128::from(place) / u128::from(flows.max(1))) as u64);
        }
        self.pacer = Some(Box::new(Pacer::from(at)));
    }

    /// Whether a packet may leave now.
    #[inline]
    pub fn can_transmit(&mut self, now: Time) -> bool {
        self.on_pace(now) && self.window_open()
    }

    /// When pacing alone lets the next packet leave, if that is what it waits for.
    pub fn paced_until(&mut self, now: Time) -> Option<Time> {
        let at = self.pacer.as_ref()?.at;
        (at > now && self.window_open()).then_some(at)
    }

    /// Whether the pace, if there is one, lets a packet leave now.
    #[inline]
    pub fn on_pace(&self, now: Time) -> bool {
        self.pacer.as_ref().is_none_or(|pacer| pacer.at <= now)
    }

    #[inline]
    fn window_open(&mut self) -> bool {
        self.ledger.due().is_some_and(|psn| self.window_takes(psn))
    }

    /// Whether the window has room for `psn`. A window holds a packet, unless receivers pace.
    #[inline]
    fn window_takes(&self, psn: Psn) -> bool {
        self.ledger.in_flight() + self.ledger.size(psn) <= self.window
    }

    /// The route that is due for the next packet, where the path selector needs source routing.
    pub fn on_route(&mut self, route: Entropy) {
        self.paths.on_route(route);
    }

    /// The packet that leaves now, if one may.
    #[inline]
    pub fn poll_transmit(&mut self, now: Time, events: &mut dyn Events) -> Option<Transmit> {
        let psn = self.ledger.due()?;
        if !self.on_pace(now) || !self.window_takes(psn) {
            return None;
        }
        let again = self.ledger.is_again(psn);
        let mut cx = Cx { now, rng: &mut self.rng, events };
        let entropy = self.paths.next_path(&mut cx, &Outgoing { psn, again });
        let bytes = self.ledger.sent(now, psn, entropy);
        let mut cx = Cx { now, rng: &mut self.rng, events };
        if let Some(rate) = self.congestion.on_sent(&mut cx, bytes).rate {
            let bytes = bytes + Bytes(u64::from(self.ledger.gap));
            self.pacer.get_or_insert_with(|| Box::new(Pacer::from(now))).sent(now, bytes, rate);
        }
        let ack_request = !self.window_open();
        if let Some(pacer) = &mut self.pacer {
            pacer.idle = ack_request;
        }
        Some(Transmit { psn, entropy, bytes, again, ack_request })
    }

    /// Enters an arrival into the log; to be called in order of arrival, and before the first ACK
    /// that covers it.
    #[inline]
    pub fn on_arrival(&mut self, entry: Entry) {
        self.arrivals.push(entry);
    }

    /// Takes an ACK: first the ledger, then the congestion control, then the path selector.
    #[inline]
    pub fn on_ack(&mut self, now: Time, ack: &AckHeader, events: &mut dyn Events) {
        // Usually it is the first to speak of the packet that triggered it, and of that alone.
        let acked = if self.heard() + 1 == ack.upto {
            self.take_note()
        } else {
            self.take_note_up_to(ack.upto)
        };
        let rtt = if ack.duplicate { None } else { acked.sent_once_at.map(|at| now - at) };
        let mut cx = Cx { now, rng: &mut self.rng, events };
        self.recovery.on_ack(&mut cx, &mut self.ledger);
        let window_before = self.window;
        let in_flight = self.ledger.in_flight();
        let news = Ack {
            bytes: acked.bytes,
            marked: ack.marked,
            rtt,
            in_flight,
            cumulative: self.ledger.low(),
            next_new: self.ledger.next(),
        };
        self.window = self.congestion.on_ack(&mut cx, &news).window;
        let feedback = Feedback {
            path: ack.entropy,
            fate: if ack.marked { Fate::Marked } else { Fate::Clean },
            rtt,
            window_before,
            window_after: self.window,
            in_flight,
        };
        if self.recovery.ack_entropies() == AckEntropies::Carry && !ack.duplicate {
            let tell = |path| {
                let news = Feedback { path, fate: Fate::Clean, rtt: None, ..feedback };
                self.paths.on_feedback(&mut cx, &news);
            };
            carried(&self.arrivals, ack.upto, tell);
        }
        self.paths.on_feedback_inlined(&mut cx, &feedback);
        self.report_losses(now, events);
    }

    /// Enters the next arrival into the ledger.
    #[inline]
    fn take_note(&mut self) -> AckedPacket {
        match self.arrivals.hear() {
            Some(arrival) => self.ledger.acked(arrival.psn),
            None => AckedPacket::NOTHING,
        }
    }

    /// Enters arrivals before position `upto` into the ledger. Returns their bytes; a time only if
    /// there were any, that of the last.
    #[inline(never)]
    fn take_note_up_to(&mut self, upto: u32) -> AckedPacket {
        let mut sum = AckedPacket::NOTHING;
        while self.heard() < upto {
            let acked = self.take_note();
            sum.bytes = sum.bytes + acked.bytes;
            sum.sent_once_at = acked.sent_once_at;
        }
        sum
    }

    /// Takes a NACK for `psn`, which was sent on `entropy`. One for a transmission that has been
    /// followed by another, on another path, says nothing about the packet now in flight.
    pub fn on_nack(&mut self, now: Time, psn: Psn, entropy: Entropy, events: &mut dyn Events) {
        if self.ledger.entropy_in_flight(psn).is_some_and(|current| current != entropy) {
            return;
        }
        let mut cx = Cx { now, rng: &mut self.rng, events };
        self.recovery.on_nack(&mut cx, psn, &mut self.ledger);
        self.report_losses(now, events);
    }

    /// Takes a pull: credits since the start of the message, modulo 2^24.
    pub fn on_credit(&mut self, now: Time, count: u32, events: &mut dyn Events) {
        let mut cx = Cx { now, rng: &mut self.rng, events };
        self.window = self.congestion.on_credit(&mut cx, count).window;
    }

    /// What the sender has to ask its receiver for, if anything, and on which path. Looked at after
    /// [`Sender::on_timeout`].
    pub fn poll_request(&mut self, now: Time, events: &mut dyn Events) -> Option<(u32, Entropy)> {
        let request = self.congestion.poll_request()?;
        let mut cx = Cx { now, rng: &mut self.rng, events };
        let probe = Outgoing { psn: Psn(self.ledger.next()), again: true };
        Some((request, self.paths.next_path(&mut cx, &probe)))
    }

    /// Whether packets are in flight.
    #[inline]
    pub fn has_in_flight(&self) -> bool {
        self.ledger.in_flight().0 > 0
    }

    /// When the sender wants to be woken: a retransmission timeout or a scheme's own timer.
    pub fn poll_timeout(&mut self) -> Option<Time> {
        match (self.ledger.deadline(self.recovery.rto()), self.scheme_timer()) {
            (Some(rto), Some(scheme)) => Some(rto.min(scheme)),
            (rto, scheme) => rto.or(scheme),
        }
    }

    /// When a scheme wants to be woken.
    #[inline]
    pub fn scheme_timer(&self) -> Option<Time> {
        self.congestion.next_timer()
    }

    /// The time asked for has come; without effect if called early. Returns how many packets timed
    /// out.
    pub fn on_timeout(&mut self, now: Time, events: &mut dyn Events) -> u32 {
        let mut timeouts = 0;
        let rto = self.recovery.rto();
        while let Some((at, psn)) = self.ledger.oldest() {
            if at + rto > now {
                break;
            }
            timeouts += 1;
            let mut cx = Cx { now, rng: &mut self.rng, events };
            self.recovery.on_timeout(&mut cx, psn, &mut self.ledger);
            self.report_losses(now, events);
        }
        self.ledger.note_timeouts(timeouts);
        if self.scheme_timer().is_some_and(|at| at <= now) {
            let mut cx = Cx { now, rng: &mut self.rng, events };
            self.window = self.congestion.on_timer(&mut cx).window;
        }
        timeouts
    }

    /// Whether as many packets as complete the message are known to have arrived.
    #[inline]
    pub fn complete(&self) -> bool {
        self.heard() == self.total()
    }

    /// Whether so many packets have arrived, heard of or not.
    pub fn all_arrived(&self) -> bool {
        self.arrivals.logged() == self.total()
    }

    /// How many packets complete the message.
    #[inline]
    pub fn total(&self) -> u32 {
        self.ledger.total()
    }

    /// How many of the receiver's arrivals have been taken note of.
    #[inline]
    pub fn heard(&self) -> u32 {
        self.arrivals.heard()
    }

    /// What was sent so far.
    pub fn counts(&self) -> SenderCounts {
        let (retransmitted, timeouts) = self.ledger.repeats();
        let sent = u64::from(self.ledger.next()) + retransmitted;
        SenderCounts { sent, retransmitted, timeouts }
    }

    /// Where it notes what is sent and acknowledged, to be asked for ahead of time.
    #[inline]
    pub fn ledger_addresses(&self) -> [*const u8; 2] {
        self.ledger.addresses()
    }

    /// Where its path selector keeps its state, likewise.
    #[inline]
    pub fn paths_address(&self) -> *const u8 {
        self.paths.address()
    }

    /// Where it notes the next arrival.
    #[inline]
    pub fn arrival_address(&self) -> *const u8 {
        self.arrivals.address()
    }

    #[inline]
    fn report_losses(&mut self, now: Time, events: &mut dyn Events) {
        if let Some(losses) = self.ledger.unreported() {
            self.report(now, losses, events);
        }
    }

    #[cold]
    fn report(&mut self, now: Time, losses: Vec<LostPacket>, events: &mut dyn Events) {
        for lost in losses {
            let mut cx = Cx { now, rng: &mut self.rng, events };
            let in_flight = self.ledger.in_flight();
            let window_before = self.window;
            let bytes = self.ledger.size(lost.psn);
            let loss = Loss { bytes, cause: lost.cause, in_flight };
            self.window = self.congestion.on_loss(&mut cx, &loss).window;
            let fate = match lost.cause {
                LossCause::Trim => Fate::Trimmed,
                LossCause::Timeout => Fate::TimedOut,
                // Later packets overtook it: no verdict on its path.
                LossCause::Reordering => continue,
            };
            let feedback = Feedback {
                path: lost.entropy,
                fate,
                rtt: None,
                window_before,
                window_after: self.window,
                in_flight,
            };
            self.paths.on_feedback(&mut cx, &feedback);
        }
    }
}

/// REPS spec 2.6: all unmarked entropies since the previous ACK in order of arrival, but for the
/// trigger of the ACK, which comes last also when it was marked itself.
#[cold]
fn carried(log: &Arrivals, upto: u32, mut tell: impl FnMut(Entropy)) {
    let mut first = upto - 1;
    while first > 0 && log.get(first - 1).is_some_and(|before| !before.acked_here) {
        first -= 1;
    }
    let arrivals = (first..upto - 1).filter_map(|position| log.get(position));
    arrivals.filter(|arrival| !arrival.marked).for_each(|arrival| tell(arrival.entropy));
}

/// Packets of a message: its bytes over the payload, rounded up.
pub fn packets(bytes: Bytes, payload: Bytes) -> u32 {
    bytes.0.div_ceil(payload.0).max(1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::fixed_rate;
    use crate::load_balance::host::reps;
    use crate::recovery::sack;
    use crate::size::Size;
    use crate::transport::{Data, Receiver, Reply};
    use crate::units::Rate;

    /// What a random draw gives: there is one entropy, and no test caches it.
    const R: u16 = 0;

    /// Both ends of a flow; the test is the network.
    struct Flow {
        sender: Sender,
        receiver: Receiver,
        now: Time,
    }

    impl Flow {
        /// 400 Gbps, packets of 4160 B, REPS with a ring of 4 slots.
        fn new(packets: u32, rate: Option<Rate>, window: Size, recovery: sack::Config) -> Self {
            let paths = reps::Config { buffer: 4, entropies: 1, ..Default::default() };
            let plan = SenderPlan {
                load_balance: &host::Config::Reps(paths),
                congestion: &congestion::Config::FixedRate(fixed_rate::Config {
                    rate: rate.map_or(fixed_rate::Pace::Line, fixed_rate::Pace::At),
                    window,
                    ..Default::default()
                }),
                recovery: &recovery::Config::Sack(recovery),
            };
            let context = &FlowContext::NOMINAL;
            let bytes = Bytes(u64::from(packets) * context.payload.0);
            let sender = Sender::new(&plan, context, bytes, Rng::new(1, "flow", 0));
            let receiver = Receiver::new(packets, plan.recovery, context);
            Self { sender, receiver, now: Time::ZERO }
        }

        fn send(&mut self) -> Option<Transmit> {
            self.sender.poll_transmit(self.now, &mut ())
        }

        /// Entropies of the packets that may leave now, `count` at most.
        fn entropies(&mut self, count: usize) -> Vec<u16> {
            (0..count).filter_map(|_| self.send()).map(|packet| packet.entropy.0).collect()
        }

        /// A packet arrives and its ACK, if there is one, gets back at once. Returns whether.
        fn deliver(&mut self, data: Data) -> bool {
            let received = self.receiver.on_data(&data);
            received.arrival.into_iter().for_each(|entry| self.sender.on_arrival(entry));
            let acked = received.reply == Reply::Ack;
            if acked {
                let ack = AckHeader {
                    upto: self.receiver.arrived().count(),
                    entropy: data.entropy,
                    marked: data.marked,
                    duplicate: received.arrival.is_none(),
                };
                self.sender.on_ack(self.now, &ack, &mut ());
            }
            acked
        }
    }

    fn data(psn: u32, entropy: u16) -> Data {
        Data {
            psn: Psn(psn),
            entropy: Entropy(entropy),
            marked: false,
            trimmed: false,
            again: false,
            ack_request: false,
        }
    }

    fn carry() -> sack::Config {
        sack::Config { ack_every: 4, ack_entropies: AckEntropies::Carry, ..Default::default() }
    }

    #[test]
    fn an_ack_carries_the_unmarked_entropies_since_the_one_before() {
        let mut flow = Flow::new(100, None, Size::Unlimited, carry());
        assert_eq!(flow.entropies(5), [R; 5]);
        assert!(flow.deliver(data(0, 9)), "the first packet");
        assert_eq!(flow.entropies(1), [9]);
        assert!(!flow.deliver(data(1, 1)));
        assert!(flow.deliver(Data { marked: true, ..data(2, 2) }));
        assert_eq!(flow.entropies(2), [1, R], "the mark takes its own entropy alone");
        assert!(!flow.deliver(data(3, 3)));
        assert!(flow.deliver(Data { ack_request: true, ..data(4, 4) }));
        assert_eq!(flow.entropies(3), [3, 4, R]);
    }

    #[test]
    fn an_ack_for_a_duplicate_loses_no_carried_entropies() {
        let mut flow = Flow::new(100, None, Size::Unlimited, carry());
        flow.entropies(5);
        flow.deliver(data(0, 9));
        flow.deliver(data(1, 1));
        assert!(flow.deliver(data(0, 7)), "a duplicate");
        assert_eq!(flow.entropies(3), [9, 7, R]);
        flow.deliver(data(2, 2));
        assert!(flow.deliver(Data { ack_request: true, ..data(3, 3) }));
        assert_eq!(flow.entropies(4), [1, 2, 3, R]);
    }

    #[test]
    fn an_ack_is_asked_for_where_the_sender_cannot_go_on() {
        let mut flow = Flow::new(5, None, Size::Packets(3.0), sack::Config::default());
        let asks = |flow: &mut Flow| -> Vec<bool> {
            core::iter::from_fn(|| flow.send()).map(|packet| packet.ack_request).collect()
        };
        assert_eq!(asks(&mut flow), [false, false, true], "the window is full");
        for psn in 0..3 {
            assert!(flow.deliver(data(psn, 1)));
        }
        assert_eq!(asks(&mut flow), [false, true], "the message is over");
    }

    #[test]
    fn a_pace_does_not_drift_by_rounding() {
        // 4160 B at 300 Gbps take 110 933 1/3 ps.
        let mut flow = Flow::new(100, Some(Rate::gbps(300)), Size::Unlimited, Default::default());
        let mut sent = Vec::new();
        while let Some(packet) = flow.send() {
            sent.push((flow.now.0, packet.psn.0));
            flow.now = flow.sender.paced_until(flow.now).unwrap_or(flow.now);
        }
        let expected: Vec<_> = (0..100).map(|i| (u64::from(i) * 332_800 / 3, i)).collect();
        assert_eq!(sent, expected);
    }

    #[test]
    fn each_packet_times_out_by_itself_and_is_sent_again_before_new_ones() {
        let rto = Span::us(20);
        let recovery = sack::Config { rto: Some(rto), ..Default::default() };
        let mut flow = Flow::new(100, None, Size::Unlimited, recovery);
        for now in [1_000, 2_000] {
            flow.now = Time(now);
            flow.send();
        }
        assert_eq!(flow.sender.poll_timeout(), Some(Time(1_000) + rto));
        assert_eq!(flow.sender.on_timeout(Time(999) + rto, &mut ()), 0, "too early");
        flow.now = Time(1_000) + rto;
        assert_eq!(flow.sender.on_timeout(flow.now, &mut ()), 1);
        assert_eq!(flow.sender.poll_timeout(), Some(Time(2_000) + rto));
        let packets = [(); 2].map(|()| flow.send().map(|packet| (packet.psn.0, packet.again)));
        assert_eq!(packets, [Some((0, true)), Some((2, false))]);
        let counts = SenderCounts { sent: 4, retransmitted: 1, timeouts: 1 };
        assert_eq!(flow.sender.counts(), counts);
    }

    #[test]
    fn a_slot_that_a_busy_wire_made_late_does_not_push_back_the_next() {
        let rate = Some(Rate::gbps(200));
        let mut flow = Flow::new(10, rate, Size::Unlimited, sack::Config::default());
        // 4160 B at 200 Gbps: a slot every 166.4 ns.
        assert!(flow.send().is_some());
        flow.now = Time(170_000);
        assert!(flow.send().is_some(), "3.6 ns late");
        flow.now = Time(332_799);
        assert!(flow.send().is_none());
        flow.now = Time(332_800);
        assert!(flow.send().is_some(), "the third slot of the grid");
        // However late: slots 3 to 7 have come.
        flow.now = Time(7 * 166_400 + 1);
        let late = core::iter::from_fn(|| flow.send()).count();
        assert_eq!(late, 5);
    }

    #[test]
    fn a_flow_that_could_send_nothing_for_a_period_begins_a_new_grid() {
        let (rate, window) = (Some(Rate::gbps(200)), Size::Packets(1.0));
        let mut flow = Flow::new(10, rate, window, sack::Config::default());
        assert!(flow.send().is_some());
        flow.now = Time(1_000_000);
        flow.deliver(data(0, 1));
        assert!(flow.send().is_some());
        flow.deliver(data(1, 1));
        flow.now = Time(1_166_399);
        assert!(flow.send().is_none(), "no burst");
        flow.now = Time(1_166_400);
        assert!(flow.send().is_some());
    }

    #[test]
    fn a_nack_for_an_earlier_transmission_does_not_touch_the_one_in_flight() {
        let mut flow = Flow::new(1, None, Size::Unlimited, sack::Config::default());
        assert_eq!(flow.send().map(|packet| packet.entropy), Some(Entropy(R)));
        flow.sender.on_nack(flow.now, Psn(0), Entropy(R + 1), &mut ());
        assert!(flow.send().is_none(), "still in flight");
        flow.sender.on_nack(flow.now, Psn(0), Entropy(R), &mut ());
        assert!(flow.send().is_some_and(|packet| packet.again));
    }
}
