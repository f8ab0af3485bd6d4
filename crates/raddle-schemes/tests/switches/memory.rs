//! A switch with four ports and two data classes, into which random frames come.

use super::Shown;
use raddle_schemes::SwitchCx;
use raddle_schemes::buffer::{
    Admission, AnyBufferPolicy, Arriving, BufferContext, Candidate, Config, Departed, MemoryView,
    QueueId,
};
use raddle_schemes::probe::Probe;
use raddle_schemes::rng::{Rng, mix};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use std::collections::VecDeque;

const PORTS: u32 = 4;
/// Two of data, then control.
const CLASSES: u32 = 3;
const SIZE: u64 = 400_000;

struct Frame {
    came_in: u32,
    bytes: u64,
}

pub(crate) struct Switch {
    policy: AnyBufferPolicy,
    now: Time,
    frames: Vec<VecDeque<Frame>>,
    queues: Vec<u64>,
    ingress: Vec<u64>,
    paused: Vec<bool>,
    rates: Vec<Rate>,
    own: Rng,
    chance: Rng,
    kept: u64,
    answers: u64,
}

impl Switch {
    pub(crate) fn new(config: &Config, seed: u64) -> Self {
        let context = BufferContext {
            size: Bytes(SIZE),
            queues: PORTS * (CLASSES - 1),
            ports: PORTS,
            headroom: vec![Bytes(10_000); PORTS as usize],
            ..BufferContext::NOMINAL
        };
        let places = (PORTS * CLASSES) as usize;
        Self {
            policy: config.build(&context),
            now: Time::ZERO,
            frames: (0..places).map(|_| VecDeque::new()).collect(),
            queues: vec![0; places],
            ingress: vec![0; places],
            paused: vec![false; places],
            rates: vec![Rate::gbps(400); PORTS as usize],
            own: Rng::new(seed, "switch", 0),
            chance: Rng::new(seed, "course", 0),
            kept: 0,
            answers: 0,
        }
    }

    pub(crate) fn kept(&self) -> u64 {
        self.kept
    }

    /// All answers, in one number.
    pub(crate) fn answers(&self) -> u64 {
        self.answers
    }

    /// All that the policy shows.
    pub(crate) fn shown(&self) -> Vec<Probe> {
        let mut shown = Shown(Vec::new());
        self.policy.probes(&mut shown);
        shown.0
    }

    fn used(&self) -> u64 {
        self.queues.iter().sum()
    }

    fn add(&mut self, answer: u64) {
        self.answers = mix(self.answers ^ answer).wrapping_add(1);
    }

    fn ask<T>(
        &mut self,
        ask: impl FnOnce(&mut AnyBufferPolicy, &mut SwitchCx<'_>, &MemoryView<'_>) -> T,
    ) -> T {
        let view = MemoryView {
            size: Bytes(SIZE),
            used: Bytes(self.queues.iter().sum()),
            classes: CLASSES,
            queues: &self.queues,
            ingress: &self.ingress,
            rates: &self.rates,
        };
        let mut cx = SwitchCx { now: self.now, rng: &mut self.own };
        ask(&mut self.policy, &mut cx, &view)
    }

    /// Time passes, frames leave, and one comes in.
    pub(crate) fn step(&mut self) {
        let later = self.now + Span(self.chance.below(160_000));
        while let Some(due) = self.policy.next_timer().filter(|due| *due <= later) {
            assert!(due >= self.now, "a timer in the past");
            self.now = due;
            self.ask(|policy, cx, view| policy.on_timer(cx, view));
            assert!(self.policy.next_timer().is_none_or(|next| next > due), "the same timer again");
        }
        self.now = later;
        let place = self.chance.below(u64::from(PORTS * CLASSES)) as usize;
        if let Some(frame) = self.frames[place].pop_front() {
            self.gone(place, &frame, true);
        }
        let came_in = self.chance.below(PORTS.into()) as u32;
        let class = [0, 0, 0, 0, 1, 1, 1, 2][self.chance.below(8) as usize];
        // One port is wanted more than the others.
        let port = [0, 0, 0, 0, 0, 1, 2, 3][self.chance.below(8) as usize];
        let is_data = class + 1 < CLASSES;
        let again = self.chance.below(20) == 0;
        let candidate = Candidate {
            queue: QueueId { port, class },
            came_in,
            bytes: if is_data { Bytes(4160) } else { Bytes(64) },
            ahead: (is_data && !again).then_some(self.chance.below(50) as u32),
            flow: is_data.then_some(self.chance.below(30) as u32),
        };
        let kept = self.admit(&candidate);
        self.add(u64::from(kept));
        if kept {
            self.join(&candidate);
        }
        self.pauses(came_in, class);
    }

    fn admit(&mut self, candidate: &Candidate) -> bool {
        let place = (candidate.queue.port * CLASSES + candidate.queue.class) as usize;
        let bytes = candidate.bytes;
        if !self.policy.sees_switch() {
            let (queued, used) = (Bytes(self.queues[place]), Bytes(self.used()));
            let fits = self.used() + bytes.0 <= SIZE;
            let is_control = candidate.queue.class + 1 == CLASSES;
            return fits && (is_control || self.policy.admits(&Arriving { bytes, queued, used }));
        }
        loop {
            match self.ask(|policy, cx, view| policy.admit(cx, candidate, view)) {
                Admission::Keep => return self.used() + bytes.0 <= SIZE,
                Admission::Refuse => return false,
                Admission::PushOut(queue) => {
                    assert!(queue.port < PORTS && queue.class + 1 < CLASSES, "{queue:?}");
                    let from = (queue.port * CLASSES + queue.class) as usize;
                    let frame = self.frames[from].pop_back().expect("a frame to push out");
                    self.add(from as u64);
                    self.gone(from, &frame, false);
                }
            }
        }
    }

    fn join(&mut self, candidate: &Candidate) {
        let QueueId { port, class } = candidate.queue;
        let place = (port * CLASSES + class) as usize;
        let (came_in, bytes) = (candidate.came_in, candidate.bytes.0);
        self.frames[place].push_back(Frame { came_in, bytes });
        self.queues[place] += bytes;
        self.ingress[(came_in * CLASSES + class) as usize] += bytes;
        self.kept += 1;
        self.ask(|policy, cx, view| policy.on_join(cx, candidate, view));
    }

    fn gone(&mut self, place: usize, frame: &Frame, sent: bool) {
        let (port, class) = (place as u32 / CLASSES, place as u32 % CLASSES);
        let Frame { came_in, bytes } = *frame;
        self.queues[place] -= bytes;
        self.ingress[(came_in * CLASSES + class) as usize] -= bytes;
        let queue = QueueId { port, class };
        let left = Departed { queue, came_in, bytes: Bytes(bytes), sent };
        self.ask(|policy, cx, view| policy.on_departure(cx, &left, view));
        self.pauses(came_in, class);
    }

    fn pauses(&mut self, port: u32, class: u32) {
        if !self.policy.decides_pauses() || class + 1 == CLASSES {
            return;
        }
        let place = (port * CLASSES + class) as usize;
        let was = self.paused[place];
        let ingress = QueueId { port, class };
        let paused = self.ask(|policy, _, view| policy.pauses(ingress, was, view));
        self.paused[place] = paused;
        self.add(u64::from(paused));
    }
}
