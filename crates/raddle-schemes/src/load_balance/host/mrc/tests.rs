//! Known answers: sequences of values sent and news heard.

use super::*;
use crate::ids::Psn;
use crate::rng::Rng;
use crate::units::Bytes;
use std::vec;

struct Flow {
    mrc: Mrc,
    rng: Rng,
    now: Time,
}

const FIXED: Config = Config { order: Order::Fixed, min_active: 0.0, ..DEFAULT };
const DEFAULT: Config = Config {
    active: 128,
    backup: 64,
    min_active: 0.25,
    order: Order::Shuffle,
    skip: Skip::Token,
    skip_time: None,
    on_mark: OnMark::Skip,
    balance: Balance::Planes,
    late_ack_revives: false,
    probes: 3,
    probe_interval: Some(Span::us(100)),
    repeat: false,
    return_to: ReturnTo::Backup,
    port_status: PortStatus::Update,
    remap_delay: Span(0),
};

impl Flow {
    fn new(config: &Config, set: Set) -> Self {
        let mut mrc = Mrc::new(config, &FlowContext::NOMINAL);
        mrc.set = set;
        Self { mrc, rng: Rng::new(1, "flow", 0), now: Time::ZERO }
    }

    /// Four values 1, 2, 3, 4 of one plane, in this order.
    fn of_four(config: &Config) -> Self {
        let evs = [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0)];
        Self::new(config, Set::of(&evs, &[1, 2, 3, 4], 0))
    }

    fn cx<T>(&mut self, act: impl FnOnce(&mut Mrc, &mut Cx<'_>) -> T) -> T {
        act(&mut self.mrc, &mut Cx { now: self.now, rng: &mut self.rng, events: &mut () })
    }

    fn send(&mut self, packets: usize) -> Vec<u16> {
        let packet = Outgoing { psn: Psn(0), again: false };
        (0..packets).map(|_| self.cx(|mrc, cx| mrc.next_path(cx, &packet)).0).collect()
    }

    fn news(&mut self, path: u16, fate: Fate) {
        let zero = Bytes(0);
        let (window_before, window_after, in_flight) = (zero, zero, zero);
        let path = Entropy(path);
        let news = Feedback { path, fate, rtt: None, window_before, window_after, in_flight };
        self.cx(|mrc, cx| mrc.on_feedback(cx, &news));
    }

    fn state(&self, path: u16) -> State {
        self.mrc.set.state(self.mrc.set.find(Entropy(path)).unwrap())
    }

    /// Every probe that is due until `until`, 8 us after which `answered` says whether an answer comes.
    fn probe_until(&mut self, until: Time, mut answered: impl FnMut(u64) -> bool) -> Vec<u64> {
        let mut sent = Vec::new();
        while let Some(at) = self.mrc.next_timer().filter(|at| *at <= until) {
            self.now = at;
            self.cx(PathSelector::on_timer);
            let path = self.mrc.poll_probe().unwrap();
            sent.push(at.0 / 1_000_000);
            if answered(at.0 / 1_000_000) {
                self.now = at + Span::us(8);
                self.cx(|mrc, cx| mrc.on_probe_answered(cx, path));
            }
        }
        sent
    }
}

/// Known answers 1 to 3: at most one value comes back for a packet.
#[test]
fn a_marked_value_loses_a_turn() {
    let mut flow = Flow::of_four(&FIXED);
    assert_eq!(flow.send(1), [1]);
    flow.news(2, Fate::Marked);
    assert_eq!(flow.send(6), [3, 4, 1, 2, 3, 4]);

    let mut flow = Flow::of_four(&FIXED);
    flow.send(1);
    [2, 3].into_iter().for_each(|path| flow.news(path, Fate::Trimmed));
    assert_eq!(flow.send(8), [4, 1, 2, 4, 1, 2, 3, 4][..].to_vec());

    let mut flow = Flow::of_four(&FIXED);
    (1..5).for_each(|path| flow.news(path, Fate::Marked));
    assert_eq!(flow.send(10), [1, 1, 2, 1, 2, 3, 1, 2, 3, 4]);
}

/// Known answer 4.
#[test]
fn passing_over_lasts_a_turn_or_a_rotation() {
    let rotation = Config { skip: Skip::Rotation, ..FIXED };
    for (config, expected) in
        [(FIXED, vec![3, 4, 1, 3, 4, 1, 2]), (rotation.clone(), vec![3, 4, 1, 2])]
    {
        let mut flow = Flow::of_four(&config);
        flow.send(2);
        flow.news(2, Fate::Marked);
        assert_eq!(flow.send(expected.len()), expected);
    }
    let mut flow = Flow::of_four(&rotation);
    flow.send(1);
    [2, 3].into_iter().for_each(|path| flow.news(path, Fate::Marked));
    assert_eq!(flow.send(5), [4, 1, 2, 3, 4]);
}

#[test]
fn passing_over_may_end_by_time() {
    let time = Config { skip: Skip::Time, skip_time: Some(Span::us(5)), ..FIXED };
    let mut flow = Flow::of_four(&time);
    flow.news(1, Fate::Marked);
    flow.now = Time::ZERO + Span::us(5);
    assert_eq!(flow.send(2), [1, 2]);
    flow.news(3, Fate::Marked);
    assert_eq!(flow.send(5), [4, 1, 2, 3, 4], "its turn passed before");
}

/// Known answer 5: news of a value that is passed over changes nothing.
#[test]
fn a_second_mark_changes_nothing() {
    let mut flow = Flow::of_four(&FIXED);
    flow.send(1);
    flow.news(2, Fate::Marked);
    flow.news(2, Fate::Marked);
    flow.news(2, Fate::Clean);
    assert_eq!(flow.send(6), [3, 4, 1, 2, 3, 4]);
}

/// Known answer 6: equal shares of planes, none twice.
#[test]
fn planes_have_equal_shares() {
    for (paths, active, backup, expected) in
        [(32, 128, 32, (16, 4)), (2, 8, 8, (1, 1)), (8, 128, 64, (8, 0))]
    {
        let config = Config { active, backup, ..DEFAULT };
        let routes = (0..8).map(|_| (0..paths).map(Entropy).collect()).collect();
        let mut flow = Flow::new(&config, Set::default());
        flow.cx(|mrc, cx| mrc.begin_paths(cx, &Paths::Routes(routes)));
        let set = &flow.mrc.set;
        assert!((0..8).all(|plane| set.shares(plane) == expected), "{paths} paths");
        let mut sent = flow.send(8 * expected.0);
        sent.sort_unstable();
        sent.dedup();
        assert_eq!(sent.len(), 8 * expected.0, "each once in a rotation");
    }
}

/// Known answer 7: p0 has a, b and the spare e, p1 has c, d and f; the order is a c b d.
#[test]
fn a_plane_keeps_its_share() {
    let [a, b, c, d, e, f] = [10, 11, 20, 21, 12, 22];
    let evs = [(a, 0), (b, 0), (c, 1), (d, 1), (e, 0), (f, 1)];
    for (balance, expected) in [(Balance::Planes, vec![e, c, e, d]), (Balance::Evs, vec![c, e, d])]
    {
        let config = Config { balance, ..FIXED };
        let mut flow = Flow::new(&config, Set::of(&evs, &[0, 2, 1, 3], 0));
        assert_eq!(flow.send(4), [a, c, b, d]);
        flow.news(b, Fate::Overtaken);
        assert_eq!(flow.send(4), [a, c, e, d]);
        flow.news(a, Fate::TimedOut);
        assert_eq!(flow.send(expected.len()), expected);
        assert_eq!(flow.state(f), State::Good);
    }
}

/// Known answer 8: some are left.
#[test]
fn so_many_values_are_never_retired() {
    let evs: Vec<(u16, u8)> = (0..8).map(|ev| (ev, 0)).collect();
    let mut flow = Flow::new(&FIXED, Set::of(&evs, &[0, 1, 2, 3, 4, 5, 6, 7], 2));
    (0..7).for_each(|path| flow.news(path, Fate::TimedOut));
    assert_eq!(flow.mrc.set.count(State::Bad), 6);
    assert_eq!(flow.state(6), State::Good);
    assert_eq!(flow.mrc.healthy_planes(), 1);
}

/// Known answer 9: retired at 0, probed each 100 us, answers after 8.
#[test]
fn probes_bring_a_value_back() {
    let mut flow = Flow::of_four(&FIXED);
    flow.news(2, Fate::Overtaken);
    assert_eq!(flow.probe_until(Time::ZERO + Span::ms(1), |_| true), [100, 200, 300]);
    assert_eq!((flow.state(2), flow.now), (State::Good, Time::ZERO + Span::us(308)));

    let mut flow = Flow::of_four(&FIXED);
    flow.news(2, Fate::Overtaken);
    let sent = flow.probe_until(Time::ZERO + Span::ms(1), |at| at != 200);
    assert_eq!(sent, [100, 200, 300, 400, 500]);
    assert_eq!((flow.state(2), flow.now), (State::Good, Time::ZERO + Span::us(508)));

    let mut flow = Flow::of_four(&FIXED);
    flow.news(2, Fate::Overtaken);
    flow.now = Time::ZERO + Span::us(50);
    flow.news(2, Fate::Clean);
    assert_eq!(flow.state(2), State::Bad, "a late ACK");
    let mut flow = Flow::of_four(&Config { late_ack_revives: true, ..FIXED });
    flow.news(2, Fate::Overtaken);
    flow.news(2, Fate::Clean);
    assert_eq!((flow.state(2), flow.mrc.next_timer()), (State::Good, None));
}

#[test]
fn a_value_that_comes_back_is_a_spare() {
    let mut flow = Flow::of_four(&FIXED);
    flow.news(2, Fate::Overtaken);
    assert_eq!(flow.send(4), [1, 0, 3, 4]);
    flow.news(3, Fate::Overtaken);
    assert_eq!(flow.mrc.set.shares(0), (4, 1));
    flow.probe_until(Time::ZERO + Span::ms(1), |_| true);
    assert_eq!(flow.send(4), [1, 0, 2, 4], "2 is back first, and has the turns of 3");
    flow.news(1, Fate::Overtaken);
    assert_eq!(flow.send(4), [3, 0, 2, 4]);
}

#[test]
fn a_mark_may_swap_values() {
    let mut flow = Flow::of_four(&Config { on_mark: OnMark::Swap, ..FIXED });
    flow.news(2, Fate::Marked);
    assert_eq!(flow.send(4), [1, 0, 3, 4]);
    flow.news(1, Fate::Marked);
    assert_eq!(flow.send(4), [2, 0, 3, 4]);
}

/// A value that was named for a packet is the packet's, unless news came in between or the plane is not
/// free after all.
#[test]
fn a_plane_is_named_before_the_packet_leaves() {
    let evs = [(10, 0), (20, 1), (11, 0), (21, 1)];
    let begin = || Flow::new(&FIXED, Set::of(&evs, &[0, 1, 2, 3], 0));
    let name = |flow: &mut Flow, free: u8| flow.cx(|mrc, cx| mrc.choose_plane(cx, free));
    let leave = |flow: &mut Flow, plane: u32| {
        flow.mrc.on_plane(plane);
        flow.send(1)[0]
    };
    let mut flow = begin();
    assert_eq!(name(&mut flow, 0b11), Some(0));
    assert_eq!(leave(&mut flow, 0), 10);
    assert_eq!(name(&mut flow, 0b01), Some(0));
    assert_eq!(name(&mut flow, 0b11), Some(0), "it keeps its turn");
    flow.news(11, Fate::Marked);
    assert_eq!(leave(&mut flow, 0), 10);
    let mut flow = begin();
    assert_eq!(name(&mut flow, 0b11), Some(0));
    assert_eq!(leave(&mut flow, 1), 20, "another frame went first, and plane 1 was free sooner");
    assert_eq!(leave(&mut flow, 0), 10);
    assert_eq!(name(&mut flow, 0b100), None);
}

#[test]
fn without_routes_any_entropy_is_a_path() {
    for (planes, shift) in [(1, 16), (8, 13)] {
        let mut flow = Flow::new(&DEFAULT, Set::default());
        if planes > 1 {
            flow.cx(|mrc, cx| mrc.begin_paths(cx, &Paths::Hashed { planes }));
        }
        let mut sent = flow.send(128);
        for plane in 0..planes {
            let share = sent.iter().filter(|ev| u32::from(**ev) >> shift == plane);
            assert_eq!(share.count() as u32, 128 / planes);
        }
        sent.sort_unstable();
        sent.dedup();
        assert_eq!(sent.len(), 128);
    }
}

/// A plane that could not be taken for long does not make up for its turns.
#[test]
fn a_plane_that_is_back_has_its_share_and_no_more() {
    let evs = [(10, 0), (20, 1), (11, 0), (21, 1)];
    let mut flow = Flow::new(&FIXED, Set::of(&evs, &[0, 1, 2, 3], 0));
    flow.mrc.on_plane(0);
    flow.send(200);
    flow.mrc.free = 0b11;
    let sent = flow.send(12);
    let of_plane_1 = sent.iter().filter(|path| **path >= 20).count();
    assert!((6..=8).contains(&of_plane_1), "{sent:?}");
}

/// Marks of packets that were on their way when a value became a spare leave it one that can be taken.
#[test]
fn spares_are_not_passed_over() {
    let mut flow = Flow::of_four(&Config { on_mark: OnMark::Swap, ..FIXED });
    flow.news(2, Fate::Marked);
    flow.news(2, Fate::Marked);
    assert_eq!(flow.state(2), State::Good);
    flow.news(1, Fate::Overtaken);
    assert_eq!(flow.send(4), [2, 0, 3, 4]);
}

/// What is back has a turn again, in the place of the spare that stood in for it.
#[test]
fn a_value_that_is_back_may_take_its_turn_back() {
    for (return_to, has_turn) in [(ReturnTo::Backup, false), (ReturnTo::Active, true)] {
        let config = Config { return_to, probes: 1, ..FIXED };
        let mut flow = Flow::of_four(&config);
        flow.news(2, Fate::TimedOut);
        assert_eq!(flow.send(4), [1, 0, 3, 4]);
        flow.probe_until(Time::ZERO + Span::us(100), |_| true);
        let expected = if has_turn { [1, 2, 3, 4] } else { [1, 0, 3, 4] };
        assert_eq!(flow.send(4), expected);
    }
}

/// Four turns over two paths.
#[test]
fn few_paths_may_have_several_turns_each() {
    for (repeat, places) in [(false, 2), (true, 4)] {
        let config = Config { active: 4, backup: 2, repeat, ..DEFAULT };
        let paths = Paths::Routes([vec![Entropy(7), Entropy(9)]].into());
        let mut flow = Flow::new(&config, Set::default());
        flow.cx(|mrc, cx| mrc.begin_paths(cx, &paths));
        assert_eq!(flow.mrc.set.shares(0), (places, 0));
        let mut sent = flow.send(4);
        sent.sort_unstable();
        assert_eq!(sent, [7, 7, 9, 9]);
        flow.news(7, Fate::TimedOut);
        assert_eq!(flow.send(4), [9; 4]);
    }
}
