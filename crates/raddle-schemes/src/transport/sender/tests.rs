//! Senders and receivers back to back.

use super::*;
use crate::congestion::{Pacing, fixed_rate};
use crate::load_balance::host::reps;
use crate::recovery::{AckEntropies, sack};
use crate::size::Size;
use crate::transport::{Data, Receiver, Reply};
use crate::units::Rate;
use crate::units::Span;

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
        Self::paced(packets, rate, Pacing::Spacing, window, recovery)
    }

    fn paced(
        packets: u32,
        rate: Option<Rate>,
        pacing: Pacing,
        window: Size,
        recovery: sack::Config,
    ) -> Self {
        let paths = reps::Config { buffer: 4, entropies: 1, ..Default::default() };
        let plan = SenderPlan {
            load_balance: &host::Config::Reps(paths),
            congestion: &congestion::Config::FixedRate(fixed_rate::Config {
                rate: rate.map_or(fixed_rate::Pace::Line, fixed_rate::Pace::At),
                pacing,
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
                hops: &[],
                circuit: false,
            };
            self.sender.on_ack(self.now, &ack, &mut ());
        }
        acked
    }
}

fn data(psn: u32, entropy: u16) -> Data {
    Data {
        at: Time::ZERO,
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
    let counts = SenderCounts { sent: 4, retransmitted: 1, timeouts: 1, gave_up: false };
    assert_eq!(flow.sender.counts(), counts);
}

#[test]
fn a_flow_is_never_faster_than_its_pace_whatever_made_it_late() {
    let (rate, window) = (Some(Rate::gbps(200)), Size::Packets(2.0));
    let mut flow = Flow::new(10, rate, window, sack::Config::default());
    // 4160 B at 200 Gbps: 166.4 ns from start to start.
    assert!(flow.send().is_some());
    for (now, late) in [(166_399, false), (170_000, true), (336_399, false)] {
        flow.now = Time(now);
        assert_eq!(flow.send().is_some(), late, "{now}");
    }
    // The window is full, and opens after a pause of many intervals.
    flow.now = Time(5_000_000);
    flow.deliver(data(0, 1));
    flow.deliver(data(1, 1));
    assert!(flow.send().is_some());
    flow.now = Time(5_166_399);
    assert!(flow.send().is_none(), "no burst");
    flow.now = Time(5_166_400);
    assert!(flow.send().is_some());
}

#[test]
fn a_slot_that_a_busy_wire_made_late_does_not_push_back_the_next() {
    let (rate, pacing) = (Some(Rate::gbps(200)), Pacing::Slots);
    let mut flow = Flow::paced(10, rate, pacing, Size::Unlimited, sack::Config::default());
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
    let mut flow = Flow::paced(10, rate, Pacing::Slots, window, sack::Config::default());
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

fn nack(flow: &mut Flow, entropy: Entropy, rewritten: bool) {
    let (psn, marked, of_switch, last_hop, circuit) = (Psn(0), false, false, false, false);
    let nack = NackHeader { psn, entropy, marked, of_switch, last_hop, rewritten, circuit };
    flow.sender.on_nack(flow.now, &nack, &mut ());
}

#[test]
fn a_nack_for_an_earlier_transmission_does_not_touch_the_one_in_flight() {
    let mut flow = Flow::new(1, None, Size::Unlimited, sack::Config::default());
    assert_eq!(flow.send().map(|packet| packet.entropy), Some(Entropy(R)));
    nack(&mut flow, Entropy(R + 1), false);
    assert!(flow.send().is_none(), "still in flight");
    nack(&mut flow, Entropy(R), false);
    assert!(flow.send().is_some_and(|packet| packet.again));
    // Where a switch may have written it, the entropy says nothing.
    nack(&mut flow, Entropy(R), true);
    assert!(flow.send().is_some_and(|packet| packet.again));
}
