use super::*;

fn sent(ledger: &mut Ledger, at: u64) -> Psn {
    let psn = ledger.due().unwrap();
    ledger.sent(Time(at), psn, Entropy(at as u16));
    psn
}

#[test]
fn lost_packets_go_first_and_lowest_first() {
    let mut ledger = Ledger::new(40, Bytes(100), Bytes(30));
    for at in 0..20 {
        assert_eq!(sent(&mut ledger, at), Psn(at as u32));
    }
    assert_eq!(ledger.in_flight(), Bytes(2_000));
    assert!(ledger.declare_lost(Psn(7), LossCause::Trim));
    assert!(ledger.declare_lost(Psn(3), LossCause::Trim));
    assert!(!ledger.declare_lost(Psn(3), LossCause::Trim));
    assert_eq!(ledger.unreported().map(|list| list.len()), Some(2));
    assert_eq!(ledger.in_flight(), Bytes(1_800));
    assert_eq!(sent(&mut ledger, 100), Psn(3));
    assert_eq!(ledger.acked(Psn(7)).sent_once_at, None);
    assert_eq!(sent(&mut ledger, 101), Psn(20));
}

#[test]
fn the_oldest_packet_is_by_time_of_last_transmission() {
    let mut ledger = Ledger::new(10, Bytes(100), Bytes(100));
    for at in 0..4 {
        sent(&mut ledger, at);
    }
    ledger.declare_lost(Psn(0), LossCause::Timeout);
    assert_eq!(ledger.oldest(), Some((Time(1), Psn(1))));
    sent(&mut ledger, 50);
    for psn in 1..4 {
        ledger.acked(Psn(psn));
    }
    assert_eq!(ledger.oldest(), Some((Time(50), Psn(0))));
    assert_eq!(ledger.low(), 0);
    ledger.acked(Psn(0));
    assert_eq!((ledger.oldest(), ledger.low()), (None, 4));
    assert_eq!(ledger.in_flight(), Bytes(0));
}

#[test]
fn the_last_packet_is_short() {
    let mut ledger = Ledger::new(2, Bytes(100), Bytes(30));
    sent(&mut ledger, 0);
    sent(&mut ledger, 1);
    assert_eq!(ledger.in_flight(), Bytes(130));
    assert_eq!(ledger.acked(Psn(1)).bytes, Bytes(30));
    assert_eq!(ledger.acked(Psn(1)).bytes, Bytes(0));
    assert_eq!(ledger.acked(Psn(0)).sent_once_at, Some(Time(0)));
    assert_eq!((ledger.low(), ledger.in_flight()), (2, Bytes(0)));
}

#[test]
fn a_lost_symbol_lets_one_new_one_go_until_its_late_ack() {
    let mut ledger = Ledger::coded(4, Bytes(100));
    for at in 0..4 {
        sent(&mut ledger, at);
    }
    assert_eq!(ledger.due(), None, "four in flight");
    assert!(ledger.declare_lost(Psn(0), LossCause::Timeout));
    assert!(ledger.declare_lost(Psn(2), LossCause::Trim));
    assert_eq!((ledger.low(), ledger.in_flight()), (1, Bytes(200)));
    assert_eq!(sent(&mut ledger, 10), Psn(4));
    assert_eq!(ledger.oldest(), Some((Time(1), Psn(1))));
    assert_eq!(ledger.acked(Psn(2)).bytes, Bytes(100), "one of those found lost did arrive");
    assert_eq!(ledger.due(), None);
    assert_eq!(ledger.acked(Psn(0)).bytes, Bytes(100), "and so did the other");
    assert_eq!((ledger.acked(Psn(1)).bytes, ledger.low()), (Bytes(100), 3));
    assert!(ledger.declare_lost(Psn(4), LossCause::Timeout));
    assert_eq!(ledger.due(), None, "three arrived, one in flight");
    assert!(ledger.declare_lost(Psn(3), LossCause::Timeout));
    assert_eq!(sent(&mut ledger, 20), Psn(5));
    assert_eq!(ledger.due(), None);
    assert_eq!(ledger.repeats().0, 0, "a new symbol is no retransmission");
}

#[test]
fn in_order_a_span_bounds_what_may_leave_and_a_loss_of_many_is_one() {
    let mut ledger = Ledger::new(20, Bytes(100), Bytes(30)).in_order(4);
    for at in 0..4 {
        assert_eq!(sent(&mut ledger, at), Psn(at as u32));
    }
    assert_eq!(ledger.due(), None, "numbers 0 to 3 are out");
    let acked = ledger.acked_below(2, 4);
    assert_eq!((acked.bytes, acked.sent_once_at), (Bytes(200), Some(Time(1))));
    assert_eq!(sent(&mut ledger, 4), Psn(4));
    assert_eq!(ledger.sent_once_at(Psn(2)), Some(Time(2)));
    assert!(ledger.declare_all_lost(LossCause::Nack));
    assert!(!ledger.declare_all_lost(LossCause::Nack), "nothing is left in flight");
    let episodes = ledger.unreported().unwrap();
    let [episode] = episodes[..] else { panic!("{episodes:?}") };
    assert_eq!((episode.entropy, episode.packets, episode.bytes), (Entropy(2), 3, Bytes(300)));
    assert_eq!([sent(&mut ledger, 9), sent(&mut ledger, 10)], [Psn(2), Psn(3)]);
    assert_eq!(ledger.sent_once_at(Psn(2)), None);
    let acked = ledger.acked_below(5, 4);
    assert_eq!((acked.bytes, acked.sent_once_at), (Bytes(300), None), "two were sent again");
    assert_eq!((ledger.in_flight(), ledger.due()), (Bytes(0), Some(Psn(5))));
}

#[test]
fn symbols_end_with_their_numbers() {
    let mut ledger = Ledger::coded(SYMBOL_LIMIT - 1, Bytes(100));
    (ledger.low, ledger.oldest) = (SYMBOL_LIMIT - 3, SYMBOL_LIMIT - 3);
    ledger.next = SYMBOL_LIMIT - 3;
    assert_eq!(sent(&mut ledger, 0), Psn(SYMBOL_LIMIT - 3));
    assert_eq!(sent(&mut ledger, 1), Psn(SYMBOL_LIMIT - 2));
    for (psn, next) in [(3, Some(Psn(SYMBOL_LIMIT - 1))), (2, None)] {
        assert!(ledger.declare_lost(Psn(SYMBOL_LIMIT - psn), LossCause::Timeout));
        assert_eq!(ledger.due().filter(|_| next.is_some()), next);
        next.iter().for_each(|_| _ = sent(&mut ledger, 2));
    }
    assert_eq!(ledger.due(), None);
}

/// Numbers are times. Three of 1, 3, 4 and 6 that arrived are above 2; two above 3.
#[test]
fn overtaken_packets_are_below_the_nth_highest_that_arrived() {
    let mut ledger = Ledger::new(10, Bytes(100), Bytes(100));
    (0..8).for_each(|at| _ = sent(&mut ledger, at));
    assert_eq!(ledger.overtaken_by(3), 0);
    [1, 3, 4, 6].into_iter().for_each(|psn| _ = ledger.acked(Psn(psn)));
    assert_eq!([1, 2, 3, 4, 5].map(|count| ledger.overtaken_by(count)), [6, 4, 3, 1, 0]);
    assert!(ledger.declare_once_sent_lost(0..3, LossCause::Reordering));
    assert_eq!([sent(&mut ledger, 20), sent(&mut ledger, 21)], [Psn(0), Psn(2)]);
    assert!(!ledger.declare_once_sent_lost(0..3, LossCause::Reordering), "sent again");
    assert_eq!(ledger.unreported().map(|list| list.len()), Some(1), "both are one loss");
    assert_eq!((ledger.transmissions(), ledger.sent_at(Psn(2))), (10, Some(Time(21))));
}

#[test]
fn the_oldest_are_lost_in_the_order_in_which_they_left_and_a_repeated_one_is_not() {
    let mut ledger = Ledger::new(10, Bytes(100), Bytes(100));
    (0..5).for_each(|at| _ = sent(&mut ledger, at));
    ledger.declare_lost(Psn(0), LossCause::Trim);
    assert_eq!(sent(&mut ledger, 9), Psn(0));
    let first = ledger.declare_oldest_lost(LossCause::Timeout, |at, _| at <= Time(3));
    assert_eq!((first, ledger.in_flight()), (Some((Time(4), Psn(4))), Bytes(200)));
    assert_eq!(ledger.unreported().map(|list| list.len()), Some(2));
    ledger.repeat(Psn(4));
    assert!(ledger.unreported().is_none());
    assert_eq!([sent(&mut ledger, 10), sent(&mut ledger, 11)], [Psn(1), Psn(2)]);
    assert_eq!([sent(&mut ledger, 12), sent(&mut ledger, 13)], [Psn(3), Psn(4)]);
}
