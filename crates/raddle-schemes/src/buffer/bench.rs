//! A switch for tests of policies: what comes and goes is said by hand.

use super::{Admission, BufferPolicy, Candidate, Departed, MemoryView, QueueId};
use crate::SwitchCx;
use crate::rng::Rng;
use crate::units::{Bytes, Rate, Time};
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// A switch with a policy.
#[derive(Clone)]
pub(super) struct Bench<P> {
    pub(super) policy: P,
    pub(super) now: Time,
    size: u64,
    used: u64,
    classes: u32,
    queues: Vec<u64>,
    ingress: Vec<u64>,
    rates: Vec<Rate>,
    /// Frames of each queue: where they came in, and their bytes.
    frames: Vec<VecDeque<(u32, u64)>>,
    /// Whether the far end of a port is to pause a class.
    pub(super) paused: Vec<bool>,
    rng: Rng,
}

impl<P: BufferPolicy> Bench<P> {
    /// With so many ports and classes of data.
    pub(super) fn new(policy: P, size: u64, ports: u32, data: u32) -> Self {
        let places = (ports * (data + 1)) as usize;
        Self {
            policy,
            now: Time::ZERO,
            size,
            used: 0,
            classes: data + 1,
            queues: alloc::vec![0; places],
            ingress: alloc::vec![0; places],
            rates: alloc::vec![Rate::gbps(25); ports as usize],
            frames: alloc::vec![VecDeque::new(); places],
            paused: alloc::vec![false; places],
            rng: Rng::new(1, "bench", 0),
        }
    }

    fn call<T>(&mut self, call: impl FnOnce(&mut P, &mut SwitchCx<'_>, &MemoryView<'_>) -> T) -> T {
        let view = MemoryView {
            size: Bytes(self.size),
            used: Bytes(self.used),
            classes: self.classes,
            queues: &self.queues,
            ingress: &self.ingress,
            rates: &self.rates,
        };
        let mut cx = SwitchCx { now: self.now, rng: &mut self.rng };
        call(&mut self.policy, &mut cx, &view)
    }

    /// A frame of a class for `out`, come in through `came_in`; whether it was kept.
    pub(super) fn arrive(&mut self, came_in: u32, class: u32, out: u32, bytes: u64) -> bool {
        self.arrive_as(came_in, class, out, bytes, (None, None))
    }

    /// The same of a packet that so many of its message go before, and of a flow.
    pub(super) fn arrive_as(
        &mut self,
        came_in: u32,
        class: u32,
        out: u32,
        bytes: u64,
        (ahead, flow): (Option<u32>, Option<u32>),
    ) -> bool {
        let queue = QueueId { port: out, class };
        let frame = Candidate { queue, came_in, bytes: Bytes(bytes), ahead, flow };
        let admission = self.call(|policy, cx, view| policy.admit(cx, &frame, view));
        if admission != Admission::Keep || self.used + bytes > self.size {
            return false;
        }
        let (place, origin) = (self.place(out, class), self.place(came_in, class));
        self.used += bytes;
        self.queues[place] += bytes;
        self.ingress[origin] += bytes;
        self.frames[place].push_back((came_in, bytes));
        self.call(|policy, cx, view| policy.on_join(cx, &frame, view));
        self.look(came_in, class);
        true
    }

    /// What the policy says of so much more coming in.
    pub(super) fn ignores_order(&mut self, incoming: u64) -> bool {
        self.call(|policy, _, view| policy.ignores_order(Bytes(incoming), view))
    }

    /// What the policy says early of a frame of a class for `out`, come in through `came_in`.
    pub(super) fn admit_early(
        &mut self,
        came_in: u32,
        class: u32,
        out: u32,
        bytes: u64,
    ) -> Option<bool> {
        let queue = QueueId { port: out, class };
        let frame = Candidate { queue, came_in, bytes: Bytes(bytes), ahead: None, flow: None };
        self.call(|policy, cx, view| policy.admit_early(cx, &frame, view))
    }

    /// Whether a queue has a frame.
    pub(super) fn has_frame(&self, port: u32, class: u32) -> bool {
        !self.frames[self.place(port, class)].is_empty()
    }

    /// The first frame of a queue leaves, if there is one.
    pub(super) fn depart(&mut self, port: u32, class: u32) {
        let place = self.place(port, class);
        let Some((came_in, bytes)) = self.frames[place].pop_front() else { return };
        let origin = self.place(came_in, class);
        self.used -= bytes;
        self.queues[place] -= bytes;
        self.ingress[origin] -= bytes;
        let queue = QueueId { port, class };
        let frame = Departed { queue, came_in, bytes: Bytes(bytes), sent: true };
        self.call(|policy, cx, view| policy.on_departure(cx, &frame, view));
        self.look(came_in, class);
    }

    fn look(&mut self, port: u32, class: u32) {
        let place = self.place(port, class);
        let paused = self.paused[place];
        let queue = QueueId { port, class };
        self.paused[place] = self.call(|policy, _, view| policy.pauses(queue, paused, view));
    }

    /// The policy's timer is due, if it has set one.
    pub(super) fn call_timer(&mut self) {
        if self.policy.next_timer().is_some_and(|at| at <= self.now) {
            self.call(|policy, cx, view| policy.on_timer(cx, view));
        }
    }

    /// Bytes of a queue.
    pub(super) fn queued(&self, port: u32, class: u32) -> u64 {
        self.queues[self.place(port, class)]
    }

    pub(super) fn place(&self, port: u32, class: u32) -> usize {
        (port * self.classes + class) as usize
    }
}
