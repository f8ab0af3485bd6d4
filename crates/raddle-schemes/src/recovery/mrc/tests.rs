//! Losses by gaps, by probes and by the clock.

use super::*;
use crate::ids::Entropy;
use crate::rng::Rng;
use crate::units::Time;
use alloc::vec::Vec;

const PACKET: Bytes = Bytes(4160);

fn at(us: u64) -> Time {
    Time::ZERO + Span::us(us)
}

/// A recovery whose largest window is 120 packets, and 300 packets sent a microsecond apart.
fn sent() -> (Mrc, Ledger) {
    let config = Config { gap_most: Size::Packets(120.0), ..Config::default() };
    let mut ledger = Ledger::new(1000, PACKET, PACKET).counting_overtaking();
    (0..300).for_each(|psn| {
        ledger.sent(at(psn), Psn(psn as u32), Entropy(psn as u16));
    });
    (Mrc::new(&config, &FlowContext::NOMINAL), ledger)
}

/// An ACK for `psn` under a window of so many packets. Returns what it shows to be lost.
fn ack(ends: &mut (Mrc, Ledger), psn: u32, window: u64) -> Vec<u16> {
    let (recovery, ledger) = ends;
    ledger.acked(Psn(psn));
    let window = Bytes(window * PACKET.0);
    let news = AckNews { window, ..AckNews::NOTHING };
    let mut cx = Cx { now: at(400), rng: &mut Rng::new(1, "flow", 0), events: &mut () };
    recovery.on_ack(&mut cx, &news, ledger);
    let lost = ledger.unreported().unwrap_or_default();
    lost.iter().map(|lost| lost.entropy.0).collect()
}

/// Known answer 11.
#[test]
fn a_packet_is_lost_when_a_window_of_later_ones_has_arrived() {
    for (window, count) in [(100, 120), (2, 5), (4, 6)] {
        let mut ends = sent();
        for psn in 1..count {
            assert_eq!(ack(&mut ends, psn, window), [], "{psn} of {count}");
        }
        assert_eq!(ack(&mut ends, count, window), [0], "{count}");
    }
}

#[test]
fn each_gap_counts_what_was_sent_behind_it() {
    let mut ends = sent();
    for psn in [1, 2, 3, 4] {
        assert_eq!(ack(&mut ends, psn, 1), []);
    }
    // 5 and 8 are missing, too.
    assert_eq!(ack(&mut ends, 6, 1), [0]);
    assert_eq!(ack(&mut ends, 7, 1), []);
    assert_eq!(ack(&mut ends, 9, 1), []);
    assert_eq!(ack(&mut ends, 10, 1), []);
    assert_eq!(ack(&mut ends, 11, 1), [5]);
    assert_eq!(ack(&mut ends, 12, 1), []);
    assert_eq!(ack(&mut ends, 13, 1), [8]);
}

/// What counts is what was sent after the last transmission.
#[test]
fn a_packet_sent_again_has_later_ones_of_its_own() {
    let mut ends = sent();
    (1..=4).for_each(|psn| assert_eq!(ack(&mut ends, psn, 1), []));
    assert_eq!(ack(&mut ends, 5, 1), [0]);
    ends.1.sent(at(410), Psn(0), Entropy(77));
    (6..100).for_each(|psn| assert_eq!(ack(&mut ends, psn, 1), [], "sent before it"));
    (300..306).for_each(|psn| {
        ends.1.sent(at(420), Psn(psn), Entropy(0));
    });
    let lost: Vec<Vec<u16>> = (100..300).map(|psn| ack(&mut ends, psn, 1)).collect();
    assert!(lost.iter().all(Vec::is_empty), "{lost:?}");
    (301..305).for_each(|psn| assert_eq!(ack(&mut ends, psn, 1), []));
    assert_eq!(ack(&mut ends, 305, 1), [77, 0], "and the one that left before the five");
}

fn config(text: &[(&str, f64)]) -> Config {
    let mut config = Config::default();
    for (name, value) in text {
        match *name {
            "linear" => config.linear = Some(*value as u32),
            "exponential" => config.exponential = *value as u32,
            "mpr" => config.mpr = Some(*value as u32),
            _ => config.tail = *value,
        }
    }
    config
}

/// When one packet that nobody answers times out, in ns: it is sent again at once.
fn timeouts(config: &Config, count: usize) -> Vec<u64> {
    let mut recovery = Mrc::new(config, &FlowContext::NOMINAL);
    let mut ledger = Ledger::new(1, PACKET, PACKET).counting_overtaking();
    ledger.sent(Time::ZERO, Psn(0), Entropy(0));
    let mut times = Vec::new();
    while times.len() < count
        && let Some((now, psn)) = recovery.deadline(&mut ledger)
    {
        let mut cx = Cx { now, rng: &mut Rng::new(1, "flow", 0), events: &mut () };
        if recovery.on_timeout(&mut cx, psn, &mut ledger) {
            times.push(now.0 / 1000);
            ledger.sent(now, psn, Entropy(0));
        }
    }
    assert_eq!(recovery.has_given_up(), times.len() < count);
    times
}

/// Known answer 12: T = 1.024 us x 2^8.
#[test]
fn waits_double_after_the_linear_ones_and_end_with_the_last_retry() {
    let rto = Some(Span::ns(262_144));
    let linear = |counts| Config { rto, ..config(counts) };
    let seven = timeouts(&linear(&[("linear", 7.0)]), 9);
    assert_eq!(seven[6], 1_835_008);
    assert_eq!((seven[7] - seven[6], seven[8] - seven[7]), (524_288, 1_048_576));
    // Waits T, T, 2 T, 4 T: the fourth timeout gives the message up.
    let four = timeouts(&linear(&[("linear", 2.0), ("exponential", 1.0)]), 9);
    assert_eq!(four, [1, 2, 4, 8].map(|waits| waits * 262_144));
}

/// Known answer 12, the waits as its text has them: T, T, then 2 T and 4 T.
#[test]
fn another_packet_does_not_wait_for_one_that_waits_long() {
    let config = Config { rto: Some(Span::us(10)), ..config(&[("linear", 1.0)]) };
    let mut recovery = Mrc::new(&config, &FlowContext::NOMINAL);
    let mut ledger = Ledger::new(10, PACKET, PACKET).counting_overtaking();
    let mut step = |ledger: &mut Ledger, now: u64| {
        let mut cx = Cx { now: at(now), rng: &mut Rng::new(1, "flow", 0), events: &mut () };
        recovery.on_timeout(&mut cx, Psn(0), ledger);
    };
    ledger.sent(at(0), Psn(0), Entropy(0));
    step(&mut ledger, 10);
    ledger.sent(at(10), Psn(0), Entropy(0));
    ledger.sent(at(11), Psn(1), Entropy(0));
    // The first waits until 30 now, the second until 21.
    let waits = Config { tail: 0.0, ..config };
    let mut recovery = Mrc { tail: Tail::new(&waits, &FlowContext::NOMINAL), ..recovery };
    assert_eq!(recovery.deadline(&mut ledger), Some((at(21), Psn(1))));
    ledger.acked(Psn(1));
    assert_eq!(recovery.deadline(&mut ledger), Some((at(30), Psn(0))));
    assert!(!recovery.poll_probe());
}

/// Unloaded round trips of 8 us; the margin is two queues of 8 us.
#[test]
fn a_probe_after_three_quiet_round_trips_finds_what_is_missing_at_the_tail() {
    let mut ledger = Ledger::new(20, PACKET, PACKET).counting_overtaking();
    let mut recovery = Mrc::new(&Config::default(), &FlowContext::NOMINAL);
    for psn in 0..20 {
        ledger.sent(at(psn), Psn(psn as u32), Entropy(psn as u16));
    }
    let mut rng = Rng::new(1, "flow", 0);
    let mut heard = |recovery: &mut Mrc, ledger: &mut Ledger, psn: u32, now: u64| {
        let acked = ledger.acked(Psn(psn));
        let news = AckNews { latest: acked.latest, window: Bytes(1 << 30), ..AckNews::NOTHING };
        let mut cx = Cx { now: at(now), rng: &mut rng, events: &mut () };
        recovery.on_ack(&mut cx, &news, ledger);
    };
    (0..18).for_each(|psn| heard(&mut recovery, &mut ledger, psn, 8 + u64::from(psn)));
    // The last news came at 25.
    let due = recovery.deadline(&mut ledger);
    assert_eq!(due, Some((at(25 + 24), Psn(18))));
    let mut rng = Rng::new(1, "flow", 0);
    let mut cx = Cx { now: at(49), rng: &mut rng, events: &mut () };
    assert!(!recovery.on_timeout(&mut cx, Psn(18), &mut ledger), "no timeout");
    assert!(recovery.poll_probe() && !recovery.poll_probe());
    // The next would leave five round trips later, but for the timeout at 18 + 70.
    assert_eq!(recovery.deadline(&mut ledger), Some((at(88), Psn(18))));
    cx.now = at(57);
    recovery.on_probe_answered(&mut cx, &mut ledger);
    let lost = ledger.unreported().unwrap();
    // Both left by 49 - 16, each on a path of its own.
    assert_eq!(lost.iter().map(|lost| lost.entropy.0).collect::<Vec<_>>(), [18, 19]);
    assert!(lost.iter().all(|lost| lost.cause == LossCause::Reordering && lost.packets == 1));
}

#[test]
fn what_left_shortly_before_a_probe_may_still_be_on_its_way() {
    let mut ledger = Ledger::new(2, PACKET, PACKET).counting_overtaking();
    let margin = Some(Span::us(20));
    let config = Config { tail_margin: margin, ..Config::default() };
    let mut recovery = Mrc::new(&config, &FlowContext::NOMINAL);
    ledger.sent(at(0), Psn(0), Entropy(7));
    ledger.sent(at(10), Psn(1), Entropy(8));
    let mut rng = Rng::new(1, "flow", 0);
    let mut cx = Cx { now: at(24), rng: &mut rng, events: &mut () };
    recovery.on_timeout(&mut cx, Psn(0), &mut ledger);
    cx.now = at(30);
    recovery.on_probe_answered(&mut cx, &mut ledger);
    assert_eq!(ledger.unreported().unwrap().len(), 1, "the second left at 10, after 4");
    // An answer that nobody asked for tells nothing.
    recovery.on_probe_answered(&mut cx, &mut ledger);
    assert!(ledger.unreported().is_none());
}

#[test]
fn a_gap_on_a_path_is_a_later_packet_of_its_entropy() {
    let config = Config { gap: Gap::Path, ..Config::default() };
    let mut recovery = Mrc::new(&config, &FlowContext::NOMINAL);
    let mut ledger = Ledger::new(9, PACKET, PACKET).counting_overtaking();
    for psn in 0..9 {
        ledger.sent(at(psn), Psn(psn as u32), Entropy(psn as u16 % 3));
    }
    let mut rng = Rng::new(1, "flow", 0);
    let mut cx = Cx { now: at(20), rng: &mut rng, events: &mut () };
    let mut lost = |ledger: &mut Ledger, psn: u32| {
        let news = AckNews { latest: ledger.acked(Psn(psn)).latest, ..AckNews::NOTHING };
        recovery.on_ack(&mut cx, &news, ledger);
        ledger.unreported().unwrap_or_default().len()
    };
    // 4 shows that 1 is lost, 8 that 2 and 5 are.
    assert_eq!([4, 8, 7, 0].map(|psn| lost(&mut ledger, psn)), [1, 2, 0, 0]);
}

#[test]
fn all_that_is_in_flight_goes_again_if_that_is_the_scope() {
    let mut ends = sent();
    ends.0.scope = GapScope::All;
    (1..5).for_each(|psn| assert_eq!(ack(&mut ends, psn, 1), []));
    assert_eq!(ack(&mut ends, 5, 1).len(), 300 - 5);
}

#[test]
fn a_window_of_numbers_holds_new_packets_back() {
    let config = config(&[("mpr", 1.0)]);
    let mut recovery = Mrc::new(&config, &FlowContext::NOMINAL);
    let mut ledger = Ledger::new(1000, PACKET, PACKET).counting_overtaking();
    ledger.allow_span(recovery.psn_window().unwrap());
    let mut sent = 0;
    let mut all = |ledger: &mut Ledger| {
        while let Some(psn) = ledger.due() {
            ledger.sent(at(0), psn, Entropy(0));
            sent += 1;
        }
        sent
    };
    assert_eq!(all(&mut ledger), 128);
    let mut rng = Rng::new(1, "flow", 0);
    let mut cx = Cx { now: at(5), rng: &mut rng, events: &mut () };
    for (psn, count) in [(1, 128), (2, 128), (0, 131)] {
        let news = AckNews { latest: ledger.acked(Psn(psn)).latest, ..AckNews::NOTHING };
        let news = AckNews { window: Bytes(1 << 30), ..news };
        recovery.on_ack(&mut cx, &news, &mut ledger);
        assert_eq!(all(&mut ledger), count, "{psn}");
    }
}

/// The answer tells of one of the last three, and the others are lost all the same.
#[test]
fn an_answer_that_brings_news_tells_what_is_missing_too() {
    let mut ledger = Ledger::new(3, PACKET, PACKET).counting_overtaking();
    let mut recovery = Mrc::new(&Config::default(), &FlowContext::NOMINAL);
    (0..3).for_each(|psn| {
        ledger.sent(at(psn), Psn(psn as u32), Entropy(psn as u16));
    });
    let mut rng = Rng::new(1, "flow", 0);
    let mut cx = Cx { now: at(24), rng: &mut rng, events: &mut () };
    assert!(!recovery.on_timeout(&mut cx, Psn(0), &mut ledger));
    assert!(recovery.poll_probe());
    cx.now = at(32);
    let news = AckNews { latest: ledger.acked(Psn(0)).latest, ..AckNews::NOTHING };
    recovery.on_ack(&mut cx, &news, &mut ledger);
    recovery.on_probe_answered(&mut cx, &mut ledger);
    assert_eq!(ledger.unreported().map(|lost| lost.len()), Some(2));
}

/// The published settings: a run sits out some doublings, not all.
#[test]
fn waits_without_end_are_sat_out_for_a_while() {
    let config = Config { rto: Some(Span::us(262)), ..config(&[("linear", 7.0)]) };
    let recovery = Mrc::new(&config, &FlowContext::NOMINAL);
    assert!(recovery.longest_wait() < Span::ms(40), "{:?}", recovery.longest_wait());
    assert!(recovery.comes_closer());
}
