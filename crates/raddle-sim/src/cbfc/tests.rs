//! What both ends come to, each alone; numbers are those of links of 400 Gb/s.

use super::{CreditFacts, Receiver, Sender};
use crate::plan::Cbfc;
use crate::wire::frame::Frame;
use raddle_schemes::units::{Bytes, Rate, Span, Time};

fn facts(limit: u64, classes: usize) -> CreditFacts {
    let (largest, rate) = (Bytes(4160), Rate::gbps(400));
    CreditFacts { cbfc: Cbfc::default(), classes, limit: Some(limit), largest, rate }
}

#[test]
fn frames_take_whole_cells() {
    let cells = |cell, overhead, size| {
        Cbfc { cell: Bytes(cell), overhead, ..Cbfc::default() }.cells(Bytes(size))
    };
    assert_eq!([cells(256, 0, 4160), cells(128, 0, 4160), cells(256, 20, 4160)], [17, 33, 17]);
    assert_eq!([cells(256, 0, 64), cells(256, 0, 4096), cells(256, -16, 4112)], [1, 16, 16]);
    assert_eq!([cells(256, -16, 16), cells(2048, 127, 1)], [1, 1]);
}

#[test]
fn what_is_freed_is_counted_on_when_its_counter_comes_round() {
    let mut sender = Sender::of(&facts(17 * 28, 1)).unwrap();
    let mut receiver = Receiver::new(&facts(17 * 28, 1));
    // 2^20 cells and more pass, and one message in seven is lost.
    for i in 0..70_000 {
        let now = Time(i * 100_000);
        assert!(sender.may_start(0, Bytes(4160)));
        sender.start(now, 0, Bytes(4160), Time::NEVER);
        receiver.store(0, Bytes(4160));
        receiver.free(now, 0, Bytes(4160));
        let told = receiver.tell(now);
        if i % 7 > 0 {
            sender.on_freed(now, told);
        }
    }
    let (own, there) = (sender.record(Time(0)).classes[0], receiver.record().classes[0]);
    assert_eq!((own.consumed, there.stored, there.freed), (1_190_000, 1_190_000, 1_190_000));
    assert!(own.consumed - own.told <= 17 && own.in_use_max == 34);
}

#[test]
fn a_sender_starts_what_there_is_room_for() {
    let mut sender = Sender::of(&facts(34, 1)).unwrap();
    sender.start(Time(5), 0, Bytes(4160), Time::NEVER);
    assert!(sender.may_start_any(0));
    sender.start(Time(10), 0, Bytes(64), Time::NEVER);
    // 18 cells are out: there is room for 16, not for the 17 of a full packet.
    assert!(!sender.may_start_any(0) && sender.may_start(0, Bytes(4096)));
    sender.on_freed(Time(40), Frame::freed((0, 17), None));
    assert!(sender.may_start_any(0));
    assert_eq!(sender.record(Time(100)).classes[0].without, Span(30));
    // What comes when a run has ended, and drains, does not count.
    sender.start(Time(60), 0, Bytes(4160), Time::NEVER);
    let without = |end| sender.record(Time(end)).classes[0].without;
    assert_eq!([50, 60, 75].map(without), [30, 30, 45].map(Span));
}

#[test]
fn consumption_is_told_at_multiples_of_its_period_while_something_is_out() {
    let mut sender = Sender::of(&facts(100, 3)).unwrap();
    assert_eq!(sender.told_at(), Time::NEVER);
    sender.start(Time(1), 1, Bytes(4160), Time::NEVER);
    let period = 256_000_000;
    assert_eq!(sender.told_at(), Time(period));
    // Two classes at a time.
    let told = |frame: Frame| frame.counts().collect::<Vec<_>>();
    assert_eq!(told(sender.tell(Time(period), Time::NEVER)), [(0, 0), (1, 17)]);
    assert_eq!(sender.told_at(), Time(period));
    assert_eq!(told(sender.tell(Time(period + 5), Time::NEVER)), [(2, 0)]);
    assert_eq!(sender.told_at(), Time(2 * period));
    sender.on_freed(Time(period + 9), Frame::freed((1, 17), None));
    assert_eq!(sender.told_at(), Time::NEVER);
    // A link that comes up before is told then.
    sender.start(Time(period + 10), 0, Bytes(64), Time(period + 99));
    assert_eq!(sender.told_at(), Time(period + 99));
}

#[test]
fn what_never_came_is_given_back() {
    let mut receiver = Receiver::new(&facts(100, 1));
    receiver.store(0, Bytes(4160));
    receiver.on_consumed(Time(5), Frame::consumed((0, 34), None));
    let own = receiver.record().classes[0];
    assert_eq!((own.stored, own.freed, own.leaked), (34, 17, 17));
    assert_eq!(receiver.told_at(), Time(5));
    receiver.on_consumed(Time(6), Frame::consumed((0, 34), None));
    assert_eq!(receiver.record().classes[0].leaked, 17);
}

#[test]
fn messages_keep_their_distance_and_come_again_if_they_are_lost() {
    let mut receiver = Receiver::new(&facts(100, 3));
    for class in [2, 0, 1] {
        receiver.store(class, Bytes(4160));
    }
    assert_eq!(receiver.told_at(), Time::NEVER);
    assert!(receiver.free(Time(1_000), 2, Bytes(4160)));
    assert!(receiver.free(Time(2_000), 0, Bytes(4160)));
    assert!(receiver.free(Time(2_000), 1, Bytes(4160)));
    assert!(!receiver.free(Time(3_000), 1, Bytes(64)), "it is due anyway");
    // Those that have waited longest.
    let classes = |frame: Frame| frame.counts().map(|(class, _)| class).collect::<Vec<_>>();
    assert_eq!(classes(receiver.tell(Time(3_000))), [2, 0]);
    // 6400 B take 128 ns, 262144 B 5242.88 ns.
    assert_eq!(receiver.told_at(), Time(131_000));
    assert_eq!(classes(receiver.tell(Time(131_000))), [1]);
    assert_eq!(receiver.told_at(), Time::NEVER);
    receiver.tell_again(Time(131_000), Frame::freed((1, 0), None));
    assert_eq!(receiver.told_at(), Time(131_000 + 5_242_880));
    receiver.come_up(Time(2_000_000));
    assert_eq!(receiver.told_at(), Time(2_000_000));
    receiver.set_rate(Rate::gbps(200));
    assert_eq!(classes(receiver.tell(Time(2_000_000))), [0, 1]);
    assert_eq!(receiver.told_at(), Time(2_256_000));
}

/// Why messages about consumed cells have numbers where links have retry.
#[test]
fn one_that_passes_a_frame_frees_its_cells_twice() {
    let mut sender = Sender::of(&facts(34, 1)).unwrap();
    let mut receiver = Receiver::new(&facts(34, 1));
    sender.start(Time(0), 0, Bytes(4160), Time::NEVER);
    // The frame is lost and will go again, and the message comes first.
    receiver.on_consumed(Time(1), sender.tell(Time(1), Time::NEVER));
    receiver.store(0, Bytes(4160));
    receiver.free(Time(2), 0, Bytes(4160));
    let (own, there) = (sender.record(Time(2)).classes[0], receiver.record().classes[0]);
    assert!(there.stored > own.consumed && there.freed > own.consumed);
}
