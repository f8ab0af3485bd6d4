use super::*;
use crate::congestion::{self, fixed_rate};
use crate::ids::Entropy;
use crate::load_balance::host;
use crate::recovery;
use crate::rng::Rng;
use crate::size::Size;
use crate::transport::sender::AckHeader;
use crate::transport::{Receiver, Sender, SenderPlan};
use std::vec::Vec;

/// Both ends without a network; the message is so many packets, and so many may be in flight.
struct Ends {
    sender: Sender,
    receiver: Receiver,
    now: Time,
    acks: u32,
}

impl Ends {
    fn new(packets: u32, window: f64, config: Config) -> Self {
        let window = Size::Packets(window);
        let fixed = fixed_rate::Config { window, ..Default::default() };
        Self::under(packets, congestion::Config::FixedRate(fixed), config)
    }

    fn under(packets: u32, congestion: congestion::Config, config: Config) -> Self {
        let (load_balance, recovery) =
            (host::Config::named("ecmp").unwrap(), recovery::Config::Tcp(config));
        let (load_balance, congestion) = (&load_balance, &congestion);
        let plan = SenderPlan { load_balance, congestion, recovery: &recovery };
        let context = &FlowContext::NOMINAL;
        let bytes = Bytes(u64::from(packets) * context.payload.0);
        let sender = Sender::new(&plan, context, bytes, Rng::new(1, "flow", 0));
        let receiver = Receiver::new(packets, &recovery, context);
        Self { sender, receiver, now: Time::ZERO, acks: 0 }
    }

    /// Sends all that may leave at this microsecond.
    fn send(&mut self, us: u64) -> Vec<u32> {
        self.now = Time::ZERO + Span::us(us);
        let packets = core::iter::from_fn(|| self.sender.poll_transmit(self.now, &mut ()));
        packets.map(|packet| packet.psn.0).collect()
    }

    /// A packet arrives, and its ACK is there at once.
    fn arrive(&mut self, us: u64, psn: u32) {
        self.now = Time::ZERO + Span::us(us);
        let received = self.receiver.on_data(&Data {
            at: self.now,
            psn: Psn(psn),
            entropy: Entropy(7),
            marked: false,
            trimmed: false,
            again: false,
            ack_request: false,
        });
        let duplicate = received.arrival.is_none();
        received.arrival.into_iter().for_each(|entry| self.sender.on_arrival(entry));
        self.acks += u32::from(!duplicate);
        let (upto, entropy, marked) = (self.acks, Entropy(7), false);
        let ack = AckHeader { upto, entropy, marked, duplicate, hops: &[], circuit: false };
        self.sender.on_ack(self.now, &ack, &mut ());
    }

    /// When the sender wants to be woken, in microseconds.
    fn wakes(&mut self) -> Option<u64> {
        self.sender.poll_timeout().map(|at| at.0 / 1_000_000)
    }

    /// Wakes it when it wants to. Returns when, and how many timeouts that was.
    fn wake(&mut self) -> (u64, u32) {
        let at = self.sender.poll_timeout().unwrap();
        self.now = at;
        (at.0 / 1_000_000, self.sender.on_timeout(at, &mut ()))
    }
}

fn config(profile: Profile, min_rto: Span) -> Config {
    Config { profile, min_rto, ..Config::default() }
}

fn ns3() -> Config {
    config(Profile::Ns3, Span::us(500))
}

fn modern() -> Config {
    config(Profile::Modern, Span::us(500))
}

#[test]
fn before_the_first_round_trip_the_timeout_is_the_shortest_or_three_unloaded_ones() {
    let rto = |min_rto, initial_rto| {
        let config = Config { min_rto, initial_rto, ..Config::default() };
        Tcp::new(&config, &FlowContext::NOMINAL).rto()
    };
    let base = FlowContext::NOMINAL.base_rtt;
    assert_eq!(rto(Span::ms(10), None), Span::ms(10));
    assert_eq!(rto(Span(1), None), Span(3 * base.0));
    assert_eq!(rto(Span::ms(10), Some(Span::us(7))), Span::us(7));
}

/// By hand: a round trip of 400 us makes it 400 + 4 x 200 = 1200; the same again 400 + 4 x 150 = 1000.
#[test]
fn the_timeout_follows_round_trips_and_starts_anew_with_the_first_missing_packet() {
    let mut ends = Ends::new(40, 4.0, ns3());
    assert_eq!(ends.send(0), [0, 1, 2, 3]);
    assert_eq!(ends.wakes(), Some(500));
    ends.arrive(400, 0);
    assert_eq!(ends.wakes(), Some(400 + 1200));
    ends.arrive(400, 1);
    assert_eq!(ends.wakes(), Some(400 + 1000));
    ends.arrive(450, 3);
    assert_eq!(ends.wakes(), Some(1400), "the first missing packet is the same");
    let mut short = Ends::new(40, 4.0, ns3());
    short.send(0);
    short.arrive(10, 0);
    assert_eq!(short.wakes(), Some(510), "500 at least");
}

/// Karn: after a timeout the ACK of a packet that was sent twice neither times nor ends the doubling.
#[test]
fn a_timeout_doubles_until_a_packet_that_was_sent_once_is_acknowledged() {
    let mut ends = Ends::new(40, 1.0, ns3());
    assert_eq!(ends.send(0), [0]);
    assert_eq!(ends.wake(), (500, 1));
    assert_eq!(ends.send(500), [0]);
    assert_eq!(ends.wake(), (1500, 1));
    assert_eq!(ends.send(1500), [0]);
    assert_eq!(ends.wakes(), Some(1500 + 2000));
    ends.arrive(1600, 0);
    assert_eq!(ends.send(1600), [1]);
    assert_eq!(ends.wakes(), Some(1600 + 2000), "still doubled twice");
    ends.arrive(1700, 1);
    ends.send(1700);
    assert_eq!(ends.wakes(), Some(1700 + 500));
}

#[test]
fn doubling_ends_at_the_longest_timeout() {
    for (max_rto, longest) in [(None, 64 * 500), (Some(Span::us(1300)), 1300)] {
        let mut ends = Ends::new(40, 1.0, Config { max_rto, ..ns3() });
        let mut now = 0;
        let mut waits = Vec::new();
        for _ in 0..9 {
            ends.send(now);
            let (at, timeouts) = ends.wake();
            assert_eq!(timeouts, 1);
            waits.push(at - now);
            now = at;
        }
        assert_eq!((waits[0], waits[1], waits[8]), (500, 1000, longest));
    }
}

#[test]
fn three_later_packets_tell_a_loss_and_two_let_new_ones_go() {
    let mut ends = Ends::new(40, 6.0, ns3());
    assert_eq!(ends.send(0).len(), 6);
    ends.arrive(10, 1);
    assert_eq!(ends.send(10), [6], "limited transmit");
    ends.arrive(11, 2);
    assert_eq!(ends.send(11), [7]);
    ends.arrive(12, 3);
    assert_eq!(ends.send(12), [0, 8]);
    ends.arrive(13, 4);
    ends.arrive(14, 5);
    assert_eq!(ends.send(14), [9, 10], "not lost again");
}

/// What was sent again and is lost again waits for the timeout, which goes on from there.
#[test]
fn in_ns3_a_packet_that_was_sent_again_waits_for_the_timeout() {
    let mut ends = Ends::new(40, 6.0, ns3());
    ends.send(0);
    (1..4).for_each(|psn| ends.arrive(10, psn));
    assert_eq!(ends.send(20), [0, 6, 7, 8]);
    (4..9).for_each(|psn| ends.arrive(30, psn));
    assert_eq!(ends.send(30), [9, 10, 11, 12, 13]);
    (9..14).for_each(|psn| ends.arrive(40, psn));
    assert_eq!(ends.send(40), [14, 15, 16, 17, 18]);
    assert_eq!(ends.wake(), (520, 1));
    assert_eq!(ends.send(520), [0, 14, 15, 16, 17, 18], "all of it is lost");
}

/// RFC 6582's partial ACK, as ns-3 has it: only where nothing else is left to send.
#[test]
fn in_ns3_a_partial_ack_repeats_the_head_when_nothing_else_is_left() {
    let mut ends = Ends::new(8, 8.0, ns3());
    ends.send(0);
    (5..8).for_each(|psn| ends.arrive(10, psn));
    assert_eq!(ends.send(10), [0, 1, 2, 3, 4]);
    ends.arrive(20, 0);
    assert_eq!(ends.send(20), [1]);
    let mut more = Ends::new(80, 8.0, ns3());
    more.send(0);
    (5..8).for_each(|psn| more.arrive(10, psn));
    assert_eq!(more.send(10), [0, 1, 2, 3, 4, 8, 9, 10]);
    more.arrive(20, 0);
    assert_eq!(more.send(20), [11]);
}

/// RACK: one later packet is no proof, and a quarter of the round trip is time for reordering; three
/// are, and nothing was reordered yet.
#[test]
fn with_rack_a_packet_may_be_late_by_a_quarter_of_a_round_trip() {
    let mut ends = Ends::new(40, 8.0, modern());
    assert_eq!(ends.send(0), [0, 1, 2, 3, 4, 5, 6, 7]);
    ends.arrive(100, 1);
    assert_eq!(ends.send(100), [8]);
    assert_eq!(ends.wakes(), Some(125));
    assert_eq!(ends.wake(), (125, 0), "no timeout");
    assert_eq!(ends.send(125), [0]);
    let mut certain = Ends::new(40, 8.0, modern());
    certain.send(0);
    [1, 2].into_iter().for_each(|psn| certain.arrive(100, psn));
    assert_eq!(certain.send(100), [8, 9]);
    certain.arrive(100, 3);
    assert_eq!(certain.send(100), [0, 10]);
}

/// A packet that comes late shows that packets are reordered: then three later ones are no proof.
#[test]
fn with_rack_what_was_reordered_may_be_reordered_again() {
    let mut ends = Ends::new(40, 8.0, modern());
    ends.send(0);
    ends.arrive(100, 1);
    ends.arrive(101, 0);
    (3..7).for_each(|psn| ends.arrive(102, psn));
    assert!(!ends.send(102).contains(&2));
    assert_eq!(ends.wakes(), Some(127), "102 and a quarter of 100");
}

#[test]
fn with_rack_a_packet_sent_again_is_lost_again_when_a_later_one_has_arrived() {
    let mut ends = Ends::new(40, 6.0, modern());
    ends.send(0);
    (1..4).for_each(|psn| ends.arrive(100, psn));
    assert_eq!(ends.send(110), [0, 6, 7, 8]);
    [4, 5].into_iter().for_each(|psn| ends.arrive(111, psn));
    assert_eq!(ends.send(120), [9, 10]);
    ends.arrive(210, 6);
    assert_eq!(ends.send(210), [0, 11], "sent before 6, which is here");
}

/// Smoothed 100 us; the newest left at 100: at 300 it goes again. Then the timeout, from there.
#[test]
fn the_newest_packet_goes_again_after_two_round_trips_and_once() {
    let mut ends = Ends::new(5, 4.0, modern());
    ends.send(0);
    ends.arrive(100, 0);
    assert_eq!(ends.send(100), [4]);
    assert_eq!(ends.wake(), (300, 0));
    assert_eq!(ends.send(300), [4]);
    assert_eq!(ends.wake(), (800, 1));
    assert_eq!(ends.send(800), [1, 2, 3, 4]);
}

/// The tail was lost: the probe's ACK tells, without a timeout.
#[test]
fn a_probe_finds_a_lost_tail() {
    let mut ends = Ends::new(5, 4.0, modern());
    ends.send(0);
    ends.arrive(100, 0);
    ends.send(100);
    ends.wake();
    assert_eq!(ends.send(300), [4]);
    ends.arrive(400, 4);
    assert_eq!(
        ends.send(400),
        [1, 2, 3],
        "three are missing before it, a round trip after it left"
    );
    (1..4).for_each(|psn| ends.arrive(500, psn));
    assert!(ends.sender.complete());
    assert_eq!((ends.sender.counts().retransmitted, ends.sender.counts().timeouts), (4, 0));
}

/// CUBIC's window is cut to 0.7 of itself at once; what is in flight gets there by the end.
#[test]
fn the_window_is_reached_by_proportional_reduction() {
    let cubic =
        congestion::cubic::Config { initial_window: Size::Packets(20.0), ..Default::default() };
    let mut ends = Ends::under(400, congestion::Config::Cubic(cubic), modern());
    assert_eq!(ends.send(0).len(), 20);
    (1..4).for_each(|psn| ends.arrive(100, psn));
    // Slow start went on to 23 while three arrived; 0.7 of that is 16.1, and 16 are in flight.
    let first = ends.send(100);
    assert_eq!(first[0], 0);
    let mut sent = first.len();
    for psn in 4..20 {
        ends.arrive(100, psn);
        sent += ends.send(100).len();
    }
    let in_flight = sent + 20 - 19;
    assert_eq!(in_flight, 17, "16 for what left before, and the lost one's place");
}

#[test]
fn after_a_timeout_one_packet_goes_and_then_two() {
    let cubic = congestion::Config::named("cubic").unwrap();
    let mut ends = Ends::under(400, cubic, ns3());
    assert_eq!(ends.send(0).len(), 10);
    assert_eq!(ends.wake(), (500, 1));
    assert_eq!(ends.send(500), [0]);
    ends.arrive(600, 0);
    assert_eq!(ends.send(600), [1, 2]);
}

/// What a connection's first message has learned of round trips holds for the next.
#[test]
fn the_next_message_begins_with_what_was_learned() {
    let mut tcp = Tcp::new(&ns3(), &FlowContext::NOMINAL);
    assert_eq!(tcp.learned(), None);
    let learned = RoundTrips::after(None, Span::us(400));
    tcp.begin_with(&learned);
    assert_eq!((tcp.timeout, tcp.learned()), (Span::us(1200), Some(learned)));
}

#[test]
fn the_timer_stops_when_everything_is_acknowledged() {
    let mut ends = Ends::new(2, 2.0, ns3());
    assert_eq!(ends.send(0), [0, 1]);
    ends.arrive(100, 0);
    assert_eq!(ends.wakes(), Some(600));
    ends.arrive(100, 1);
    assert_eq!(ends.wakes(), None);
}

/// So many packets of 1000 bytes, all sent.
fn all_sent(packets: u32) -> Ledger {
    let mut ledger = Ledger::new(packets, Bytes(1000), Bytes(1000));
    (0..packets).for_each(|psn| _ = ledger.sent(Time::ZERO, Psn(psn), Entropy(0)));
    ledger
}

fn news(heard: u32, duplicate: bool) -> AckNews {
    AckNews { bytes: Bytes(1000), duplicate, heard, ..AckNews::NOTHING }
}

#[test]
fn a_recovery_ends_when_all_that_was_sent_before_it_has_arrived() {
    let (mut tcp, mut ledger) = (Tcp::new(&ns3(), &FlowContext::NOMINAL), all_sent(6));
    let mut cx = Cx { now: Time::ZERO, rng: &mut Rng::new(1, "flow", 0), events: &mut () };
    for (heard, psn, is_over) in
        [(1, 1, true), (2, 2, true), (3, 3, false), (4, 0, false), (5, 4, false), (6, 5, true)]
    {
        ledger.acked(Psn(psn));
        tcp.on_ack(&mut cx, &news(heard, false), &mut ledger);
        assert_eq!(tcp.stage == Stage::Open, is_over, "{psn}");
    }
}

/// Packets up to 4 were out when 4 went again as a probe; 5 has arrived since.
#[test]
fn a_loss_that_the_probe_has_repaired_is_reported() {
    for (duplicate, reported) in [(false, 1), (true, 0)] {
        let mut ledger = all_sent(6);
        let mut tcp = Tcp::new(&modern(), &FlowContext::NOMINAL);
        (0..5).for_each(|psn| _ = ledger.acked(Psn(psn)));
        tcp.probe = Some(5);
        tcp.hear_of_probe(&news(5, duplicate), &mut ledger);
        ledger.acked(Psn(5));
        tcp.hear_of_probe(&news(6, false), &mut ledger);
        assert_eq!(ledger.unreported().map_or(0, |losses| losses.len()), reported);
    }
}

/// Smoothed 100 us: 200 after the newest, which left at 0.
#[test]
fn no_probe_is_due_in_a_recovery_or_beyond_a_missing_packet() {
    let (mut tcp, mut ledger) = (Tcp::new(&modern(), &FlowContext::NOMINAL), all_sent(6));
    tcp.trips = Some(RoundTrips::after(None, Span::us(100)));
    assert_eq!(tcp.probe_at(&ledger), Some(Time::ZERO + Span::us(200)));
    tcp.stage = Stage::Recovery;
    assert_eq!(tcp.probe_at(&ledger), None);
    tcp.stage = Stage::Open;
    ledger.acked(Psn(1));
    tcp.heard = 1;
    assert_eq!(tcp.probe_at(&ledger), None);
}
