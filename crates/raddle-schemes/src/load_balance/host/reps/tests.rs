//! Known answers of REPS.

use super::*;
use crate::Events;
use crate::ids::Psn;
use crate::rng::Rng;
use crate::units::Bytes;
use std::vec::Vec;

/// What a random draw gives here: there is one entropy, and no test caches it.
const R: u16 = 0;

fn small() -> Config {
    Config { buffer: 4, entropies: 1, ..Config::default() }
}

fn context(trimming: bool) -> FlowContext {
    FlowContext { bdp: Bytes(416_000), trimming, ..FlowContext::NOMINAL }
}

#[derive(Default)]
struct Log(Vec<(Time, &'static str)>);
impl Events for Log {
    fn event(&mut self, now: Time, name: &'static str) {
        self.0.push((now, name));
    }
}

/// A flow with its clock, stream and timeline.
struct Flow {
    reps: Reps,
    now: Time,
    rng: Rng,
    log: Log,
}

impl Flow {
    fn with(config: &Config, trimming: bool) -> Self {
        let reps = Reps::new(config, &context(trimming));
        Self { reps, now: Time::ZERO, rng: Rng::new(1, "flow", 0), log: Log::default() }
    }
    fn new(config: &Config) -> Self {
        Self::with(config, true)
    }
    fn news(&mut self, path: u16, fate: Fate, rtt: Option<Span>) {
        let window = Bytes(600_000);
        let news = Feedback {
            path: Entropy(path),
            fate,
            rtt,
            window_before: window,
            window_after: window,
            in_flight: Bytes(0),
        };
        let mut cx = Cx { now: self.now, rng: &mut self.rng, events: &mut self.log };
        self.reps.on_feedback(&mut cx, &news);
    }
    fn ack(&mut self, paths: impl IntoIterator<Item = u16>) {
        paths.into_iter().for_each(|path| self.news(path, Fate::Clean, None));
    }
    fn time_out(&mut self) {
        self.news(R, Fate::TimedOut, None);
    }
    fn send<const N: usize>(&mut self) -> [u16; N] {
        [(); N].map(|()| {
            let mut cx = Cx { now: self.now, rng: &mut self.rng, events: &mut self.log };
            self.reps.next_path(&mut cx, &Outgoing { psn: Psn(0), again: false }).0
        })
    }
    fn slots(&mut self) -> Vec<u16> {
        let buffer = usize::from(self.reps.buffer);
        self.reps.slots()[..buffer].iter().map(|slot| slot.entropy.0).collect()
    }
    fn pointers(&self) -> (u8, u8) {
        (self.reps.head, self.reps.valid)
    }
}

/// Frozen at 0, thawed by the ACK of 7 just after the timeout.
fn thawed(config: &Config) -> Flow {
    let mut flow = Flow::new(config);
    flow.ack(1..=config.buffer as u16);
    flow.time_out();
    flow.now = Time::ZERO + config.freeze + Span(1);
    flow.ack([7]);
    assert!(!flow.reps.frozen);
    flow
}

#[test]
fn clean_entropies_are_reused_once_oldest_first() {
    let mut flow = Flow::new(&small());
    flow.ack([10, 11, 12]);
    assert_eq!(flow.send(), [10, 11]);
    assert_eq!(flow.pointers(), (3, 1));
    flow.ack([13]);
    flow.news(14, Fate::Marked, None);
    flow.ack([15]);
    assert_eq!(flow.slots(), [15, 11, 12, 13]);
    assert_eq!(flow.pointers(), (1, 3));
    assert_eq!(flow.send(), [12, 13, 15, R]);
}

#[test]
fn a_full_ring_forgets_its_oldest_entropies() {
    let mut flow = Flow::new(&small());
    flow.ack(20..=25);
    assert_eq!(flow.slots(), [24, 25, 22, 23]);
    assert_eq!(flow.pointers(), (2, 4));
    assert_eq!(flow.send(), [22, 23, 24, 25, R]);
}

#[test]
fn a_frozen_drained_ring_is_replayed_and_prefers_what_is_fresh() {
    let mut flow = Flow::new(&small());
    flow.ack(20..=25);
    assert_eq!(flow.send(), [22, 23, 24, 25]);
    flow.time_out();
    assert_eq!(flow.send(), [22, 23, 24, 25, 22, 23]);
    assert_eq!(flow.pointers(), (0, 0));
    flow.ack([99]);
    assert_eq!((flow.slots()[0], flow.pointers()), (99, (1, 1)));
    assert_eq!(flow.send(), [99, 25]);
}

#[test]
fn frozen_before_any_ack_it_still_sprays() {
    let mut flow = Flow::new(&small());
    flow.time_out();
    assert_eq!(flow.send(), [R; 9]);
    assert!(flow.reps.frozen);
}

#[test]
fn slots_never_written_are_never_replayed() {
    let mut flow = Flow::new(&Config { buffer: 8, ..small() });
    flow.ack([1, 2, 3]);
    assert_eq!(flow.send(), [1, 2, 3]);
    flow.time_out();
    assert_eq!(flow.send(), [1, 2, 3, 1, 2, 3]);
    assert_eq!(flow.reps.head, 3);
    flow.ack([50]);
    assert_eq!((flow.slots()[3], flow.reps.head, flow.reps.written), (50, 4, 4));
    assert_eq!(flow.send(), [50, 1, 2, 3, 50]);
}

#[test]
fn a_freeze_ends_with_the_first_fitting_ack_after_its_timeout() {
    for mode in [Mode::Paper, Mode::Artifact] {
        let config = Config { mode, ..small() };
        let mut flow = Flow::new(&config);
        flow.time_out();
        flow.now = Time::ZERO + config.freeze;
        flow.ack([1]);
        assert!(flow.reps.frozen, "the comparison is strict");
        flow.now += Span(1);
        flow.time_out();
        flow.news(2, Fate::Marked, None);
        assert_eq!(flow.reps.frozen, mode == Mode::Paper, "a mark ends it in the artifact");
        flow.ack([3]);
        assert!(!flow.reps.frozen);
        assert_eq!(flow.reps.explore, 100, "BDP in packets");
        flow.time_out();
        assert!(!flow.reps.frozen, "not while exploring");
        let expected =
            [(Time::ZERO, "reps: freeze"), (Time::ZERO + config.freeze + Span(1), "reps: thaw")];
        assert_eq!(flow.log.0, expected);
    }
}

#[test]
fn exploration_draws_one_packet_in_a_ring_or_every_packet() {
    let config = Config { buffer: 8, explore: Some(16), ..small() };
    let drawn = |config: &Config| {
        let mut flow = thawed(config);
        let sent = [(); 16].map(|()| {
            let [entropy] = flow.send();
            flow.ack([7]);
            entropy == R
        });
        assert_eq!(flow.reps.explore, 0);
        assert_ne!(flow.send(), [R], "the exploration is over");
        sent
    };
    let mut two = [false; 16];
    (two[7], two[15]) = (true, true);
    assert_eq!(drawn(&config), two);
    assert_eq!(drawn(&Config { mode: Mode::Artifact, ..config.clone() }), [true; 16]);
    assert_eq!(drawn(&Config { mode: Mode::Uec, explore: None, ..config }), [true; 16]);
}

#[test]
fn reuse_repeats_and_carry_delivers_each_entropy() {
    let mut flow = Flow::new(&Config { reuse: 2, ..small() });
    flow.ack([5, 6]);
    assert_eq!(flow.send(), [5, 5, 6, 6, R]);

    let mut flow = Flow::new(&small());
    flow.ack([1]); // carried by the ACK that the mark on 2 forced
    flow.news(2, Fate::Marked, None);
    flow.ack([3, 4]);
    assert_eq!(flow.send(), [1, 3, 4, R]);
}

#[test]
fn without_trimming_only_a_timeout_after_short_round_trips_freezes() {
    for (rtt, freezes) in [(Span::ns(13_100), true), (Span::ns(13_300), false)] {
        let mut flow = Flow::with(&small(), false);
        flow.send::<1>();
        flow.news(1, Fate::Clean, Some(Span::us(9)));
        flow.news(1, Fate::Marked, Some(rtt));
        flow.time_out();
        assert_eq!(flow.reps.frozen, freezes);

        let mut trimming = Flow::new(&small());
        trimming.news(1, Fate::Marked, Some(rtt));
        trimming.news(1, Fate::Trimmed, None);
        assert!(!trimming.reps.frozen, "a NACK is congestion");
        trimming.time_out();
        assert!(trimming.reps.frozen);
    }
    let mut off = Flow::new(&Config { freezing: false, ..small() });
    off.time_out();
    assert!(!off.reps.frozen);
}

#[test]
fn the_round_trip_window_tumbles_with_the_first_ack_after_its_end() {
    let mut flow = Flow::with(&small(), false);
    flow.now = Time(5);
    flow.send::<1>();
    flow.news(1, Fate::Clean, Some(Span::us(40)));
    flow.now += Span::us(140);
    flow.news(1, Fate::Clean, Some(Span::us(9)));
    flow.now += Span(1);
    flow.time_out();
    assert!(!flow.reps.frozen, "no ACK has opened the next window");
    flow.news(1, Fate::Clean, Some(Span::us(10)));
    assert_eq!(flow.reps.recent.max, Span::us(10));
    flow.time_out();
    assert!(flow.reps.frozen);
}

#[test]
fn the_artifact_goes_round_the_ring_whatever_is_fresh_and_empties_it_at_the_end() {
    let config = Config { mode: Mode::Artifact, explore: Some(1), ..small() };
    let mut flow = Flow::new(&config);
    flow.ack([1, 2, 3]);
    assert_eq!(flow.send(), [1]);
    flow.time_out();
    assert_eq!(flow.send(), [1, 2, 3, 1]);
    assert_eq!(flow.pointers(), (3, 0));
    flow.ack([4]);
    assert_eq!(flow.send(), [2, 3, 4, 1]);
    flow.now = Time::ZERO + config.freeze + Span(1);
    flow.ack([8]);
    assert_eq!((flow.slots(), flow.pointers()), (Vec::from([8, 0, 0, 0]), (1, 1)));
    assert_eq!(flow.send(), [R, 8, R]);
}

#[test]
fn a_forced_freeze_comes_at_its_time_after_the_first_packet() {
    let config = Config { force_freeze: Some(Span::us(50)), ..small() };
    let mut flow = Flow::new(&config);
    flow.now = Time::ZERO + Span::us(3);
    flow.send::<1>();
    flow.ack([1]);
    flow.now += Span::ns(49_999);
    assert_eq!(flow.send(), [1, R]);
    flow.now += Span::ns(1);
    assert_eq!(flow.send(), [1, 1]);
    assert_eq!(flow.log.0, [(flow.now, "reps: freeze")]);
    let mut off = Flow::new(&Config { freezing: false, ..config });
    off.send::<1>();
    off.now += Span::us(60);
    off.send::<1>();
    assert!(!off.reps.frozen);
}

/// Algorithms 1 and 2 line by line, with the two readings for exploration and unwritten slots.
#[derive(Default)]
struct Pseudocode {
    slots: Vec<(u16, bool, bool)>, // cachedEV, isValid, written
    head: usize,
    valid: usize,
    frozen: bool,
    exit: Time,
    explore: u32,
}

impl Pseudocode {
    fn on_ack(&mut self, now: Time, entropy: u16, ecn: bool, cwnd: u32) {
        if ecn {
            return;
        }
        if !self.slots[self.head].1 {
            self.valid += 1;
        }
        self.slots[self.head] = (entropy, true, true);
        self.head = (self.head + 1) % self.slots.len();
        if self.frozen && now > self.exit {
            self.frozen = false;
            self.explore = cwnd;
        }
    }

    fn on_failure(&mut self, exit: Time) {
        if !self.frozen && self.explore == 0 {
            (self.frozen, self.exit) = (true, exit);
        }
    }

    fn next(&mut self) -> u16 {
        let buffer = self.slots.len();
        let mut offset = (self.head + buffer - self.valid) % buffer;
        if self.valid > 0 {
            self.slots[offset].1 = false;
            self.valid -= 1;
        } else {
            while !self.slots[offset].2 {
                offset = (offset + 1) % buffer;
            }
            self.head = (offset + 1) % buffer;
        }
        self.slots[offset].0
    }

    fn on_send(&mut self, rng: &mut Rng) -> u16 {
        if self.explore > 0 {
            self.explore -= 1;
            if self.explore.is_multiple_of(self.slots.len() as u32) {
                return rng.below(65_536) as u16;
            }
        }
        let empty = self.slots.iter().all(|slot| !slot.2);
        if empty || (self.valid == 0 && !self.frozen) {
            rng.below(65_536) as u16
        } else {
            self.next()
        }
    }
}

#[test]
fn any_course_of_events_goes_as_the_pseudocode_says() {
    for (buffer, explore) in [(1, 5), (3, 7), (8, 100), (64, 100)] {
        let freeze = Span::us(40);
        let explore_packets = Some(explore);
        let config = Config { buffer, freeze, explore: explore_packets, ..Config::default() };
        let mut flow = Flow::new(&config);
        let mut paper =
            Pseudocode { slots: vec![(0, false, false); buffer as usize], ..Default::default() };
        let (mut rng, mut chance) = (Rng::new(1, "flow", 0), Rng::new(2, "course", buffer.into()));
        let mut replayed = 0;
        for _ in 0..100_000 {
            flow.now += Span(chance.below(160_000));
            let path = chance.next_u64() as u16;
            match chance.below(1000) {
                0 => {
                    flow.time_out();
                    paper.on_failure(flow.now + freeze);
                }
                1..400 => {
                    let marked = chance.below(3) == 0;
                    flow.news(path, if marked { Fate::Marked } else { Fate::Clean }, None);
                    paper.on_ack(flow.now, path, marked, explore);
                }
                _ => {
                    replayed += u32::from(paper.frozen && paper.valid == 0);
                    assert_eq!(flow.send(), [paper.on_send(&mut rng)]);
                }
            }
        }
        assert!(replayed > 1000 && flow.log.0.len() > 50, "{replayed} {}", flow.log.0.len());
    }
}

#[test]
fn state_is_25_bytes_with_8_slots_and_10_with_one() {
    assert_eq!((state_bits(8), state_bits(1)), (193, 74));
}
