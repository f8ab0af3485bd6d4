//! Policies that hear sums and answer early, against themselves in order of time.

use super::{
    Admission, AnyBufferPolicy, BufferContext, Candidate, Config, Departed, Left, MemoryView,
    QueueId, SCHEMES,
};
use crate::SwitchCx;
use crate::rng::Rng;
use crate::units::{Bytes, Rate, Span, Time};
use alloc::vec::Vec;

const PORTS: u32 = 4;
const SIZE: Bytes = Bytes(20_000);

/// A switch with one data class, as a policy has heard of it.
struct Side {
    policy: AnyBufferPolicy,
    rng: Rng,
    queues: Vec<u64>,
}

impl Side {
    fn call<T>(
        &mut self,
        now: Time,
        call: impl FnOnce(&mut AnyBufferPolicy, &mut SwitchCx<'_>, &MemoryView<'_>) -> T,
    ) -> T {
        let memory = MemoryView {
            size: SIZE,
            used: Bytes(self.queues.iter().sum()),
            classes: 2,
            queues: &self.queues,
            ingress: &[],
            rates: &[Rate::gbps(10); PORTS as usize],
        };
        call(&mut self.policy, &mut SwitchCx { now, rng: &mut self.rng }, &memory)
    }

    fn play(&mut self, until: Time) {
        while let Some(due) = self.policy.next_timer().filter(|due| *due <= until) {
            self.call(due, |policy, cx, memory| policy.on_timer(cx, memory));
        }
    }

    /// Whether a frame is kept, and what gives way for it.
    fn ask(&mut self, now: Time, frame: &Candidate) -> (bool, Vec<QueueId>) {
        let mut gone = Vec::new();
        loop {
            match self.call(now, |policy, cx, memory| policy.admit(cx, frame, memory)) {
                Admission::Keep => {
                    let used: u64 = self.queues.iter().sum();
                    return (used + frame.bytes.0 <= SIZE.0, gone);
                }
                Admission::Refuse => return (false, gone),
                Admission::PushOut(queue) => {
                    let place = (queue.port * 2 + queue.class) as usize;
                    let bytes = self.queues[place].min(500);
                    if bytes == 0 {
                        return (false, gone);
                    }
                    self.leave(now, queue, bytes, false);
                    gone.push(queue);
                }
            }
        }
    }

    fn leave(&mut self, now: Time, queue: QueueId, bytes: u64, sent: bool) {
        self.queues[(queue.port * 2 + queue.class) as usize] -= bytes;
        let frame = Departed { queue, came_in: 0, bytes: Bytes(bytes), sent };
        self.call(now, |policy, cx, memory| policy.on_departure(cx, &frame, memory));
    }

    /// Hears of what has left a queue: each frame with its time, or the sum.
    fn hear(&mut self, now: Time, port: u32, gone: &mut Vec<(u64, Time)>) {
        if self.policy.hears_frames() {
            gone.drain(..).for_each(|(bytes, at)| self.hear_of(port, bytes, at));
        } else if let Some(&(_, last)) = gone.last() {
            let bytes = gone.drain(..).map(|(bytes, _)| bytes).sum();
            let empties = self.queues[port as usize * 2] == bytes;
            self.hear_of(port, bytes, if empties { last } else { now });
        }
    }

    fn hear_of(&mut self, port: u32, bytes: u64, last: Time) {
        self.queues[port as usize * 2] -= bytes;
        let queue = QueueId { port, class: 0 };
        let left = Left { queue, bytes: Bytes(bytes), sent: true, last };
        self.call(last, |policy, _, memory| policy.on_left(&left, memory));
    }

    fn join(&mut self, now: Time, frame: &Candidate) {
        self.queues[(frame.queue.port * 2 + frame.queue.class) as usize] += frame.bytes.0;
        self.call(now, |policy, cx, memory| policy.on_join(cx, frame, memory));
    }
}

/// Frames come for random queues and leave, at random times. Returns how many of them were answered
/// for early, of how many.
fn compare(config: &Config, seed: u64) -> (u32, u32) {
    let context = BufferContext {
        size: SIZE,
        queues: PORTS,
        ports: PORTS,
        packet: Bytes(1_000),
        base_rtt: Span::us(3),
        bdp: Bytes(3_000),
        ..BufferContext::NOMINAL
    };
    let side = || Side {
        policy: config.build(&context),
        rng: Rng::new(seed, "policy", 0),
        queues: alloc::vec![0; 2 * PORTS as usize],
    };
    let (mut exact, mut lazy) = (side(), side());
    // What has left each queue unseen.
    let mut gone: [Vec<(u64, Time)>; PORTS as usize] = Default::default();
    let mut rng = Rng::new(seed, "frames", 0);
    let mut now = Time::ZERO;
    let (mut early, mut all) = (0, 0);
    for step in 0..20_000_u32 {
        // Now and then all drains.
        let arrivals = if step % 2_000 < 1_500 { 6 } else { 2 };
        now += Span(1 + rng.below(400_000));
        let port = rng.below(PORTS.into()) as u32;
        if exact.policy.next_timer().is_some_and(|due| due <= now) {
            (0..PORTS).zip(&mut gone).for_each(|(port, gone)| lazy.hear(now, port, gone));
            exact.play(now);
            lazy.play(now);
        }
        let queue = QueueId { port, class: 0 };
        let place = port as usize * 2;
        if rng.below(10) >= arrivals {
            let bytes = exact.queues[place].min(100 + rng.below(1_400));
            if bytes > 0 {
                exact.leave(now, queue, bytes, true);
                gone[port as usize].push((bytes, now));
            }
            continue;
        }
        all += 1;
        let ahead = Some(rng.below(8) as u32);
        let bytes = Bytes(100 + rng.below(900));
        let frame = Candidate { queue, came_in: 0, bytes, ahead, flow: Some(port) };
        lazy.hear(now, port, &mut gone[port as usize]);
        let fits = lazy.queues.iter().sum::<u64>() + bytes.0 <= SIZE.0;
        let answer = match fits {
            true => lazy.call(now, |policy, cx, memory| policy.admit_early(cx, &frame, memory)),
            false => None,
        };
        early += u32::from(answer.is_some());
        if answer.is_none() {
            (0..PORTS).zip(&mut gone).for_each(|(port, gone)| lazy.hear(now, port, gone));
        }
        let wanted = exact.ask(now, &frame);
        let given = answer.map_or_else(|| lazy.ask(now, &frame), |kept| (kept, Vec::new()));
        assert_eq!(given, wanted, "{} at step {step}", config.card().name);
        if wanted.0 {
            exact.join(now, &frame);
            lazy.join(now, &frame);
        }
        assert_eq!(lazy.policy.next_timer(), exact.policy.next_timer());
    }
    (early, all)
}

#[test]
fn policies_that_hear_sums_say_early_what_they_say_in_order() {
    let mut policies = Vec::new();
    for scheme in SCHEMES {
        let config = Config::named(scheme.card.name).unwrap();
        if config.build(&BufferContext::NOMINAL).hears_sums() {
            policies.push(config);
        }
    }
    let mode = super::abm::Mode::Released;
    policies.push(Config::Abm(super::abm::Config { mode, ..Default::default() }));
    let mode = super::reverie::Mode::Released;
    let released = super::reverie::Config { mode, filter: 0.9, ..Default::default() };
    policies.push(Config::Reverie(released));
    let mode = super::credence::Mode::Released;
    let released = super::credence::Config { mode, flip: 0.1, ..Default::default() };
    policies.push(Config::Credence(released));
    let averages = "occupancy_average 12000 0 queue 4000 0.2 1; queue_average 2000 0.1 0.9";
    let oracle: super::forest::Forests = averages.parse().unwrap();
    policies.push(Config::Credence(super::credence::Config { oracle, ..Default::default() }));
    assert!(policies.len() > 5);
    for config in &policies {
        for seed in 0..5 {
            let (early, all) = compare(config, seed);
            assert!(2 * early > all / 5, "{}: {early} of {all}", config.card().name);
        }
    }
}
