//! Known answers, computed by hand: 400 Gbps, 100 m of cable, frames of 4160 B from time zero on.

use super::{Coming, Retry, RetryFacts, Turn, Verdict};
use crate::faults::PortChange;
use crate::faults::link::Link;
use crate::plan::{Detect, FRAMES_LIMIT, Llr, Tax};
use crate::record::RetryRecord;
use raddle_schemes::rng::{Rng, coin};
use raddle_schemes::units::{Bytes, Rate, Span, Time};

const RATE: Rate = Rate::gbps(400);

/// A source that never rests, and what becomes of its frames.
struct Wire {
    retry: Retry<u32>,
    size: Bytes,
    /// How many frames there are to send.
    frames: u32,
    /// What the forward direction lives through.
    changes: Vec<(Time, PortChange)>,
    started: u32,
    now: Time,
    free_at: Time,
    /// When each frame came to the far end.
    arrived: Vec<Time>,
    /// When copies began to go.
    replays: Vec<Time>,
    /// When frames started, new ones and copies.
    starts: Vec<(Time, u32)>,
    flushes: Vec<(Time, usize)>,
}

fn window(frames: u64) -> Llr {
    Llr { bytes_max: Some(Bytes(frames * 4160)), ..Llr::default() }
}

fn facts(llr: Llr, largest: u64, back: Vec<(Time, PortChange)>) -> RetryFacts {
    RetryFacts {
        bytes_max: llr.bytes_max.map_or(60_376, |own| own.0),
        llr,
        largest,
        delay: Span::ns(500),
        rate: RATE,
        back: Link::new(RATE, Bytes(largest), back),
        answer_stream: 3,
    }
}

impl Wire {
    fn new(llr: Llr, frames: u32) -> Self {
        Self::with(llr, frames, 4160, Vec::new())
    }

    fn with(llr: Llr, frames: u32, size: u64, back: Vec<(Time, PortChange)>) -> Self {
        Self {
            retry: Retry::new(facts(llr, size, back)),
            size: Bytes(size),
            frames,
            changes: Vec::new(),
            started: 0,
            now: Time::ZERO,
            free_at: Time::ZERO,
            arrived: Vec::new(),
            replays: Vec::new(),
            starts: Vec::new(),
            flushes: Vec::new(),
        }
    }

    /// Goes on until `end`, or until nothing is left to do. `coming` says how the `n`-th transmission of
    /// a frame comes.
    fn run(&mut self, end: Time, mut coming: impl FnMut(u32, usize) -> Coming) {
        let mut sent = vec![0; self.frames as usize];
        loop {
            let change = self.changes.first().map_or(Time::NEVER, |own| own.0);
            let event = self.retry.next_event();
            let start = match self.retry.turn() {
                Turn::Copy => self.free_at.max(self.now),
                Turn::New if self.started < self.frames => self.free_at.max(self.now),
                _ => Time::NEVER,
            };
            let next = change.min(event).min(start);
            if next > end || next == Time::NEVER {
                return;
            }
            self.now = next;
            if change == next {
                match self.changes.remove(0).1 {
                    PortChange::Down => {
                        self.retry.go_down(next);
                        self.free_at = self.free_at.min(next);
                    }
                    _ => self.retry.come_up(next),
                }
                continue;
            }
            if event == next {
                self.retry.play(next);
                if !self.retry.lost.is_empty() {
                    self.flushes.push((next, std::mem::take(&mut self.retry.lost).len()));
                }
                continue;
            }
            let departs = next + RATE.serialisation(self.size);
            self.free_at = departs;
            let down = self.changes.iter().find(|own| own.1 == PortChange::Down);
            let is_cut = down.is_some_and(|own| own.0 < departs);
            let mut how = |id: u32| {
                sent[id as usize] += 1;
                if is_cut { Coming::Cut } else { coming(id, sent[id as usize]) }
            };
            let (id, serving) = match self.retry.next_copy() {
                Some((id, _)) => (id, self.retry.start_copy(departs, how(id)).unwrap()),
                None => {
                    let id = self.started;
                    self.started += 1;
                    let item = (id, self.size);
                    (id, self.retry.start((next, departs), item, how(id)))
                }
            };
            if serving.is_copy && self.starts.last().is_none_or(|last| last.1 + 1 != id) {
                self.replays.push(next);
            }
            self.starts.push((next, id));
            self.retry.record.count(serving);
            if serving.verdict == Verdict::Accepted {
                assert_eq!(id as usize, self.arrived.len(), "in order, each once");
                self.arrived.push(departs + Span::ns(500));
            }
        }
    }

    /// Gbps at the far end, from frame 2000 on.
    fn rate(&mut self) -> f64 {
        self.run(Time::NEVER, |_, _| Coming::Whole);
        let (first, last) = (self.arrived[2_000], self.arrived[self.arrived.len() - 1]);
        let bytes = self.size.0 * (self.arrived.len() as u64 - 2_001);
        bytes as f64 * 8_000.0 / last.since(first).0 as f64
    }
}

fn ns(tenths: u64) -> Time {
    Time(tenths * 100)
}

/// The `n`-th transmissions of frame 5 are spoiled up to this one.
fn spoils_five(until: usize) -> impl FnMut(u32, usize) -> Coming {
    move |id, n| if id == 5 && n <= until { Coming::Spoiled } else { Coming::Whole }
}

fn near(got: f64, expected: f64) {
    assert!((got / expected - 1.0).abs() < 5e-4, "{got}, not {expected}");
}

#[test]
fn a_window_of_less_than_the_round_trip_takes_rate() {
    for (frames, rate) in [(14, 400.0), (13, 399.35), (7, 214.94)] {
        near(Wire::new(window(frames), 20_000).rate(), rate);
    }
}

#[test]
fn small_frames_wait_for_answers_at_their_spacing() {
    for (frames, rate) in [(814, 400.0), (813, 399.52), (784, 385.73)] {
        let llr = Llr { bytes_max: Some(Bytes(frames * 64)), ..Llr::default() };
        near(Wire::with(llr, 200_000, 64, Vec::new()).rate(), rate);
    }
}

#[test]
fn a_spoiled_frame_delays_all_later_ones_by_a_round() {
    let mut wire = Wire::new(window(14), 100);
    wire.run(Time::NEVER, spoils_five(1));
    assert_eq!(wire.replays, [ns(15_808)]);
    assert_eq!((wire.arrived[5], wire.arrived[39]), (ns(21_640), ns(49_928)));
    let RetryRecord { nacks, spoiled, discarded, duplicates, replayed_frames, .. } =
        wire.retry.record;
    assert_eq!((nacks, spoiled, discarded, duplicates, replayed_frames), (1, 1, 13, 0, 14));
    // What has come by then waits for all copies: 14 of them, 1164.8 ns.
    let first_new = wire.starts.iter().find(|start| start.1 == 19).map(|start| start.0);
    assert_eq!(first_new, Some(ns(15_808 + 11_648)));
}

#[test]
fn one_whose_number_is_not_known_is_missed_at_the_next() {
    let llr = Llr { detect: Detect::Next, bytes_max: Some(Bytes::mib(1)), ..Llr::default() };
    let mut wire = Wire::new(llr, 100);
    wire.run(Time::NEVER, spoils_five(1));
    assert_eq!(wire.arrived[5], ns(22_472));
    assert_eq!(wire.retry.record.discarded, 14);
    assert_eq!(wire.retry.record.kept_bytes_max, 15 * 4160);
}

#[test]
fn a_lost_nack_costs_the_timer() {
    let cut = vec![(Time(999_300), PortChange::Down), (Time(999_301), PortChange::Up)];
    let mut wire = Wire::with(window(14), 100, 4160, cut);
    wire.run(Time::NEVER, spoils_five(1));
    assert_eq!(wire.arrived[5], Time(6_999_360));
    assert_eq!((wire.retry.record.nacks, wire.retry.record.timeouts), (0, 1));
}

#[test]
fn the_last_frame_is_missed_by_its_number_or_by_the_timer() {
    let last = |id: u32, n: usize| match (id, n) {
        (9, 1) => Coming::Spoiled,
        _ => Coming::Whole,
    };
    for (detect, at) in [(Detect::Own, 2_415_360), (Detect::Next, 7_332_160)] {
        let mut wire = Wire::new(Llr { detect, ..window(14) }, 10);
        wire.run(Time::NEVER, last);
        assert_eq!(wire.arrived[9], Time(at), "{detect:?}");
    }
    let mut wire = Wire::new(window(14), 10);
    wire.run(Time::NEVER, |_, _| Coming::Whole);
    assert_eq!(wire.arrived[9], ns(13_320));
}

#[test]
fn a_copy_that_is_spoiled_is_asked_for_again_or_missed_by_the_timer() {
    let mut wire = Wire::new(window(14), 100);
    wire.run(Time::NEVER, spoils_five(2));
    assert_eq!(wire.arrived[5], ns(33_288));
    assert_eq!((wire.retry.record.discarded, wire.retry.record.nacks), (26, 2));
    assert_eq!(wire.replays.len(), 2);
    let mut wire = Wire::new(Llr { renack: false, ..window(14) }, 100);
    wire.run(Time::NEVER, spoils_five(2));
    assert_eq!((wire.retry.record.nacks, wire.retry.record.timeouts), (1, 1));
    // The last of 14 copies ends at 2745.6, and the timer is 5 us.
    assert_eq!(wire.arrived[5], ns(27_456 + 50_000 + 832 + 5_000));
}

#[test]
fn noise_costs_what_go_back_n_costs() {
    for (wrong, frames, least, most) in [
        (3.2732e-2, 200_000, 0.675, 0.684),
        (3.3225e-3, 100_000, 0.951, 0.960),
        (3.3274e-4, 100_000, 0.994, 0.997),
    ] {
        let mut rng = Rng::new(1, "noise", frames.into());
        let mut wire = Wire::new(Llr { replays_max: 255, ..window(14) }, frames);
        wire.run(Time::NEVER, |_, _| match rng.unit() < wrong {
            true => Coming::Spoiled,
            false => Coming::Whole,
        });
        let last = wire.arrived[wire.arrived.len() - 1].0 - 500_000;
        let share = f64::from(frames) * 83_200.0 / last as f64;
        assert_eq!(wire.arrived.len(), frames as usize);
        assert!((least..most).contains(&share), "{wrong}: {share}");
        let sent = wire.retry.record.frames + wire.retry.record.replayed_frames;
        let RetryRecord { accepted, spoiled, discarded, duplicates, .. } = wire.retry.record;
        assert_eq!(sent, accepted + spoiled + discarded + duplicates);
    }
}

/// The way back is cut for good.
fn unheard(llr: Llr, frames: u32) -> Wire {
    let mut wire = Wire::with(llr, frames, 4160, vec![(Time::ZERO, PortChange::Down)]);
    wire.run(Time(1 << 40), |_, _| Coming::Whole);
    wire
}

#[test]
fn without_an_answer_all_goes_again_until_it_is_given_up() {
    let wire = unheard(window(10), 1000);
    assert_eq!(wire.retry.record.accepted + wire.retry.record.duplicates, 40);
    assert_eq!((wire.retry.record.duplicates, wire.retry.record.flushed), (30, 0));
    assert_eq!(wire.retry.turn(), Turn::Discarded, "the far end cannot be asked");
    // A window, and a timer, that hold all.
    let llr = Llr { timer: Span::us(500), ..window(1000) };
    let wire = unheard(llr, 1000);
    assert_eq!(wire.retry.record.accepted + wire.retry.record.duplicates, 4000);
}

#[test]
fn replays_come_a_timer_after_the_last_copy() {
    let wire = unheard(Llr { replays_max: 2, ..window(14) }, 100);
    assert_eq!(wire.replays, [ns(50_000), ns(111_648)]);
    assert_eq!(wire.arrived.len(), 14, "the way there stands, then");
    let wire = unheard(Llr { replays_max: 255, ..window(14) }, 100);
    assert!(wire.replays.len() > 100_000, "without end");
}

#[test]
fn given_up_is_what_the_far_end_has_not() {
    let llr = Llr { replays_max: 2, ..window(14) };
    let mut wire = Wire::with(llr, 100, 4160, vec![(Time::ZERO, PortChange::Down)]);
    wire.run(Time(17_400_000), |id, _| if id < 4 { Coming::Whole } else { Coming::Spoiled });
    assert_eq!(wire.flushes, [(ns(173_296), 10)]);
}

#[test]
fn what_a_cut_took_goes_again_and_nothing_is_lost() {
    let cut = || vec![(ns(10_000), PortChange::Down), (ns(210_000), PortChange::Up)];
    let mut wire = Wire::with(window(14), 40, 4160, cut());
    wire.changes = cut();
    wire.run(Time::NEVER, |_, _| Coming::Whole);
    assert_eq!(wire.replays, [ns(210_000)]);
    assert_eq!(wire.retry.record.duplicates, 6);
    assert_eq!(wire.arrived[12], ns(220_824));
    assert_eq!(wire.arrived.len(), 40);
    let llr = Llr { down_timeout: Span::us(10), ..window(14) };
    let mut wire = Wire::with(llr, 40, 4160, cut());
    wire.changes = cut();
    wire.run(ns(200_000), |_, _| Coming::Whole);
    assert_eq!(wire.flushes, [(ns(110_000), 1)], "frame 12, and not what arrived");
    wire.run(ns(210_100), |_, _| Coming::Whole);
    assert_eq!(wire.retry.turn(), Turn::Discarded);
    // It is asked to begin anew, 8 B there and 8 B back.
    assert_eq!(wire.retry.next_event(), Time(21_000_000 + 1_000_320));
    wire.retry.play(Time(22_000_320));
    assert_eq!(wire.retry.turn(), Turn::New);
}

#[test]
fn numbers_go_round_without_a_duplicate() {
    let llr = Llr { bytes_max: Some(Bytes(u64::MAX / 2)), frames_max: FRAMES_LIMIT, ..window(1) };
    let mut wire = Wire::with(llr, 1_100_000, 64, Vec::new());
    wire.run(Time::NEVER, |_, _| Coming::Whole);
    assert_eq!((wire.arrived.len(), wire.retry.record.duplicates), (1_100_000, 0));
    // The widest window, all of it duplicates in the end, across the end of numbers.
    let back = vec![(Time(1_300_000_000), PortChange::Down)];
    let llr = Llr { timer: Span::ms(2), replays_max: 1, ..llr };
    let mut wire = Wire::with(llr, 1_000_000 + FRAMES_LIMIT + 50_000, 64, back);
    wire.run(Time(1_300_000_000 + 4_000_000_000), |_, _| Coming::Whole);
    assert_eq!(wire.retry.record.duplicates, FRAMES_LIMIT.into());
}

#[test]
fn answers_are_lost_to_noise_by_a_coin_of_their_own() {
    let noise = vec![(Time::ZERO, PortChange::Loss { probability: 1 << 31 })];
    let mut wire = Wire::with(window(14), 2_000, 4160, noise);
    wire.run(Time::NEVER, |_, _| Coming::Whole);
    assert_eq!(wire.arrived.len(), 2_000, "the next answer tells of all");
    // The first two, and the first ten, by their coins.
    let lost = |frame: u64| coin(3, 583_200 + 83_200 * frame) < 1 << 31;
    let first = (0..).find(|&frame| !lost(frame)).unwrap();
    assert!(first < 14, "{first}");
}

#[test]
fn the_tax_is_what_answers_take() {
    let taxed = Llr { tax: Tax::Constant, ..Llr::default() }.taxed(RATE);
    assert_eq!(taxed.0 / 1_000_000, 398_443);
    assert_eq!(Llr::default().taxed(RATE), RATE);
}
