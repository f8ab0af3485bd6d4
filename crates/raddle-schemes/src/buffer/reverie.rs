//! Reverie: one shared pool for lossy and lossless traffic, with thresholds that short bursts may pass.
//!
//! Thesis chapter 5 (spec 2). Each packet counts once: at its ingress queue where its class is lossless,
//! at its egress queue where it is lossy. A queue's threshold is Gamma = alpha / n * (S - Su), with S the
//! memory without headroom, Su of it used, and n the congested queues of its class on its side. It is
//! compared with a low-pass filter of the queue (equation 5.11): a lossless queue above it takes
//! headroom and pauses, a lossy one drops, but only if it stays long.
//!
//! The filter takes a step when a packet comes for the queue or leaves it, and is never above the
//! queue: without that a queue that has emptied would drop for ever (spec correction 1; the thesis has a
//! step "each time instance"). Mode `released` is the ns-3 code: filters take a step at departures alone,
//! so that a queue whose first packets wait behind others passes any threshold; they are whole bytes, cut at each step; a lossy packet counts in before it is compared;
//! what a queue adds to n is its filtered length over 20,480 B, at most 1, as its last packet found it;
//! and packets of the first round trip have an alpha of 1024. In the paper's mode a packet that finds
//! 0.9 of Gamma in the filter makes its queue count as congested, until one finds less or the queue is
//! empty; congestion is ABM's there, and the thesis does not state it again.
//!
//! Reading: control frames use up the shared pool and no headroom, as with [`sonic`](super::sonic). A
//! lossless packet that the pool has no room for takes headroom, whatever its filter says. In the code it
//! stays in the pool, which then grows into the headroom of others until the memory is full and packets
//! are lost; headroom is the only cushion once the pool is full.

use super::classes::{Alpha, PerClass};
use super::headroom::{Headroom, Pools};
use super::{
    Admission, BufferContext, BufferPolicy, Candidate, Departed, Lack, Left, MemoryView, QueueId,
};
use crate::family::Conflict;
use crate::probe::Probes;
use crate::size::{Limited, Size};
use crate::units::Bytes;
use crate::{Card, SwitchCx};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What `raddle schemes reverie` says.
pub const CARD: Card = Card {
    name: "reverie",
    title: "Reverie",
    paper: "Addanki, Bai, Schmid and Apostolaki, Reverie: low pass filter-based switch buffer sharing for datacenters with RDMA and TCP traffic, NSDI 2024",
    needs: &[],
    summary: "One pool for lossy and lossless classes; queues may pass their threshold for a while, so that bursts neither drop nor pause. For RDMA beside TCP.",
};

crate::words! {
    /// Whose rules.
    pub enum Mode {
        /// The thesis's.
        Paper = "paper",
        /// Those of the released code.
        Released = "released",
    }
}

crate::parameters! {
    /// Parameters of Reverie.
    pub struct Config {
        /// `paper`, or `released`: the rules of the authors' ns-3 code.
        pub mode: Mode = Mode::Paper;
        /// Whether a data class is lossless; a list has one value for each class. Any that is turns
        /// priority flow control on.
        pub lossless: PerClass<bool> = PerClass::All(false);
        /// The most that the queues of a class may hold, over what is free; a list has one for each class.
        pub alpha: PerClass<Alpha> = PerClass::All(Alpha(1.0));
        /// The weight of the past in the filter of a queue; 0 compares the queue as it is.
        // With 1 the filter would stay at 0, and no threshold would be reached.
        pub filter: f64 = 0.999, in 0.0..1.0;
        /// The same as `alpha` for unscheduled packets of lossy classes; `auto`: `alpha`, or 1024 with
        /// `mode = released`.
        pub alpha_unscheduled: Option<Alpha> = None;
        /// The first bytes of a message that are unscheduled, in bytes of payload (`bdp`: what the fastest
        /// host sends in the longest round trip).
        pub unscheduled: Limited = Limited(Size::Bdp(1.0));
        /// Memory of a port and lossless class for what comes after a pause; `auto`: what the link needs.
        pub headroom: Option<Bytes> = None;
        /// A filtered queue below this lets the far end go on.
        pub xon: Limited = Limited(Size::Bytes(Bytes(1248)));
        /// So does one so far below its threshold.
        pub xon_offset: Limited = Limited(Size::Bytes(Bytes(2496)));
    }
    conflicts by conflicts
}

/// Unscheduled packets are told apart only where they have an alpha of their own.
fn conflicts(config: &Config) -> Vec<Conflict> {
    let own = config.alpha_unscheduled.is_some() || config.mode == Mode::Released;
    let idle = Conflict::Idle("unscheduled", "alpha_unscheduled");
    if own { Vec::new() } else { Vec::from([idle]) }
}

/// The released code takes a queue of this length for wholly congested.
const CONGESTED: f64 = 20_480.0;

/// A class of data.
#[derive(Clone, Copy, Debug)]
struct Class {
    lossless: bool,
    alpha: f64,
    /// Congested queues, of the side at which it counts.
    congested: f64,
}

/// A queue of the side at which its class counts.
#[derive(Clone, Copy, Debug, Default)]
struct Queue {
    filtered: f64,
    /// What it adds to the congested ones.
    mark: f64,
}

/// One switch's pool.
#[derive(Clone, Debug)]
pub struct Reverie {
    mode: Mode,
    filter: f64,
    classes: Vec<Class>,
    pauses: bool,
    alpha_unscheduled: Option<f64>,
    /// Packets of a message, from its first on.
    unscheduled: u64,
    queues: Vec<Queue>,
    headroom: Headroom,
    /// The pool, and what is used of it.
    size: u64,
    used: u64,
    lossless: u64,
    lossy: u64,
    xon: f64,
    xon_offset: f64,
    pools: Pools,
}

impl Reverie {
    /// The policy of one switch.
    pub fn new(config: &Config, context: &BufferContext) -> Self {
        let class = |class| {
            let (lossless, alpha) = (config.lossless.of(class), config.alpha.of(class).0);
            Class { lossless, alpha, congested: 0.0 }
        };
        let classes: Vec<Class> = (0..context.data_classes()).map(class).collect();
        let lossless: Vec<bool> = classes.iter().map(|class| class.lossless).collect();
        let headroom = Headroom::new(context, config.headroom, &lossless);
        let base = context.base();
        let released = (config.mode == Mode::Released).then_some(1024.0);
        Self {
            mode: config.mode,
            filter: config.filter,
            classes,
            pauses: config.lossless.any(|lossless| lossless),
            alpha_unscheduled: config.alpha_unscheduled.map(|alpha| alpha.0).or(released),
            unscheduled: context.packets_of(config.unscheduled),
            queues: alloc::vec![Queue::default(); context.places()],
            size: context.size.0.saturating_sub(headroom.size()),
            headroom,
            used: 0,
            lossless: 0,
            lossy: 0,
            xon: config.xon.0.resolve(&base).0 as f64,
            xon_offset: config.xon_offset.0.resolve(&base).0 as f64,
            pools: Pools::default(),
        }
    }

    /// What control frames leave of the pool.
    fn pool(&self, memory: &MemoryView<'_>) -> u64 {
        self.size.saturating_sub(memory.used.0.saturating_sub(self.lossless + self.lossy))
    }

    /// What is free of it.
    fn free(&self, memory: &MemoryView<'_>) -> u64 {
        self.pool(memory).saturating_sub(self.used)
    }

    /// Gamma (equation 5.10).
    fn threshold(&self, alpha: f64, class: Class, memory: &MemoryView<'_>) -> f64 {
        alpha / class.congested.max(1.0) * self.free(memory) as f64
    }

    /// The alpha of a lossy frame.
    fn alpha_of(&self, frame: &Candidate, class: Class) -> f64 {
        let is_unscheduled = frame.ahead.is_some_and(|ahead| u64::from(ahead) < self.unscheduled);
        self.alpha_unscheduled.filter(|_| is_unscheduled).unwrap_or(class.alpha)
    }

    /// What a lossy frame is compared by (spec 2.4.2: the code counts the packet in).
    fn compared(&self, frame: &Candidate, filtered: f64) -> f64 {
        let own = if self.mode == Mode::Released { frame.bytes.0 as f64 } else { 0.0 };
        own + filtered
    }

    /// What a queue of `bytes` whose filter stands at that adds to the congested ones.
    fn mark(&self, class: Class, bytes: u64, filtered: f64, memory: &MemoryView<'_>) -> f64 {
        match self.mode {
            Mode::Released => (filtered / CONGESTED).min(1.0),
            Mode::Paper => {
                let threshold = self.threshold(class.alpha, class, memory);
                f64::from(u8::from(bytes > 0 && filtered >= 0.9 * threshold))
            }
        }
    }

    /// A packet has come for a queue of `bytes`: whether the queue is congested is looked at anew (spec
    /// 2.6).
    fn refresh(&mut self, number: usize, place: usize, bytes: u64, memory: &MemoryView<'_>) {
        if self.mode == Mode::Paper {
            self.filter(number, place, bytes);
        }
        let (class, filtered) = (self.classes[number], self.queues[place].filtered);
        let mark = self.mark(class, bytes, filtered, memory);
        self.set_mark(number, place, mark);
    }

    fn set_mark(&mut self, number: usize, place: usize, mark: f64) {
        self.classes[number].congested += mark - self.queues[place].mark;
        self.queues[place].mark = mark;
    }

    /// Where the filter of a queue that holds `bytes` stands after a step.
    fn next_filtered(&self, place: usize, bytes: u64) -> f64 {
        let bytes = bytes as f64;
        let next = self.filter * self.queues[place].filtered + (1.0 - self.filter) * bytes;
        let next = if self.mode == Mode::Released { libm::floor(next) } else { next };
        next.min(bytes)
    }

    /// The filter of a queue that holds `bytes` takes a step.
    fn filter(&mut self, number: usize, place: usize, bytes: u64) {
        self.queues[place].filtered = self.next_filtered(place, bytes);
        if self.mode == Mode::Paper && bytes == 0 {
            self.set_mark(number, place, 0.0);
        }
    }

    /// Notes maxima, and whether the pool fits together with what is in it.
    fn balance(&mut self, memory: &MemoryView<'_>) {
        let Self { pools, headroom, .. } = self;
        let fits = self.used + headroom.used() == self.lossless + self.lossy
            && self.lossless + self.lossy <= memory.used.0;
        pools.unbalanced += u64::from(!fits);
        pools.lossless_max = pools.lossless_max.max(self.lossless);
        pools.lossy_max = pools.lossy_max.max(self.lossy);
        pools.left = self.lossless + self.lossy;
    }

    fn takes_lossy(&mut self, frame: &Candidate, memory: &MemoryView<'_>) -> bool {
        let (number, place) = (frame.queue.class as usize, memory.place(frame.queue));
        self.refresh(number, place, memory.queues[place], memory);
        let class = self.classes[number];
        let threshold = self.threshold(self.alpha_of(frame, class), class, memory);
        self.compared(frame, self.queues[place].filtered) <= threshold
            && frame.bytes.0 <= self.free(memory)
    }

    /// A lossy packet has left its queue.
    fn lose_lossy(&mut self, queue: QueueId, bytes: u64, memory: &MemoryView<'_>) {
        self.lossy -= bytes;
        self.used -= bytes;
        let place = memory.place(queue);
        self.filter(queue.class as usize, place, memory.queues[place]);
        self.balance(memory);
    }
}

impl BufferPolicy for Reverie {
    fn probes(&self, to: &mut dyn Probes) {
        to.bytes("used", Bytes(self.used));
        to.bytes("lossless", Bytes(self.lossless));
        to.bytes("lossy", Bytes(self.lossy));
        to.number("congested", self.classes.iter().map(|class| class.congested).sum());
    }

    fn sees_switch(&self) -> bool {
        true
    }

    fn admit(
        &mut self,
        _: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Admission {
        let Some(&class) = self.classes.get(frame.queue.class as usize) else {
            let spares = self.headroom.spares(frame.bytes, memory);
            return if spares { Admission::Keep } else { Admission::Refuse };
        };
        let has_room = frame.bytes <= memory.free();
        let is_kept = if class.lossless {
            // Spec 2.3.1: only what should never happen drops it.
            let origin = QueueId { port: frame.came_in, class: frame.queue.class };
            self.headroom.has_room(origin, memory.place(origin), frame.bytes.0)
        } else {
            self.takes_lossy(frame, memory)
        };
        if is_kept && has_room {
            return Admission::Keep;
        }
        self.pools.lossless_refused += u64::from(class.lossless);
        Admission::Refuse
    }

    fn on_join(&mut self, _: &mut SwitchCx<'_>, frame: &Candidate, memory: &MemoryView<'_>) {
        let number = frame.queue.class as usize;
        let Some(&Class { lossless, .. }) = self.classes.get(number) else { return };
        let bytes = frame.bytes.0;
        self.used += bytes;
        if lossless {
            // Spec 2.3.2 to 2.3.4: Gamma is taken with the packet in the pool.
            self.lossless += bytes;
            let place = memory.place(QueueId { port: frame.came_in, class: frame.queue.class });
            self.refresh(number, place, memory.ingress[place], memory);
            let class = self.classes[number];
            let is_above = self.queues[place].filtered > self.threshold(class.alpha, class, memory);
            if self.headroom.of(place) > 0 || is_above || self.used > self.pool(memory) {
                self.used -= bytes;
                self.headroom.take(place, bytes, &mut self.pools);
            }
        } else {
            self.lossy += bytes;
        }
        self.balance(memory);
    }

    fn on_departure(&mut self, _: &mut SwitchCx<'_>, frame: &Departed, memory: &MemoryView<'_>) {
        let number = frame.queue.class as usize;
        let Some(&Class { lossless, .. }) = self.classes.get(number) else { return };
        let bytes = frame.bytes.0;
        if !lossless {
            return self.lose_lossy(frame.queue, bytes, memory);
        }
        self.lossless -= bytes;
        let place = memory.place(QueueId { port: frame.came_in, class: frame.queue.class });
        self.filter(number, place, memory.ingress[place]);
        self.used -= self.headroom.release(place, bytes);
        self.balance(memory);
    }

    fn hears_sums(&self) -> bool {
        // What is lossless counts where it came in.
        !self.pauses
    }

    fn hears_frames(&self) -> bool {
        true
    }

    /// Whatever has left, no less is free, and no more queues are congested: of marks, what does not go
    /// by a threshold or is none is sure.
    fn admit_early(
        &mut self,
        _: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Option<bool> {
        let number = frame.queue.class as usize;
        let Some(&class) = self.classes.get(number) else {
            return self.headroom.spares(frame.bytes, memory).then_some(true);
        };
        let bytes = frame.bytes.0;
        if self.lossy + bytes > self.pools.lossy_max || bytes > self.free(memory) {
            return None;
        }
        let place = memory.place(frame.queue);
        let queued = memory.queues[place];
        let filtered = match self.mode {
            Mode::Paper => self.next_filtered(place, queued),
            Mode::Released => self.queues[place].filtered,
        };
        let mark = self.mark(class, queued, filtered, memory);
        if self.mode == Mode::Paper && mark > 0.0 {
            return None;
        }
        let congested = class.congested + (mark - self.queues[place].mark);
        let threshold =
            self.threshold(self.alpha_of(frame, class), Class { congested, ..class }, memory);
        (self.compared(frame, filtered) <= threshold).then(|| {
            self.queues[place].filtered = filtered;
            self.set_mark(number, place, mark);
            true
        })
    }

    fn on_left(&mut self, left: &Left, memory: &MemoryView<'_>) {
        if memory.is_data(left.queue) {
            self.lose_lossy(left.queue, left.bytes.0, memory);
        }
    }

    fn decides_pauses(&self) -> bool {
        self.pauses
    }

    fn pauses(&self, ingress: QueueId, paused: bool, memory: &MemoryView<'_>) -> bool {
        let Some(&class) = self.classes.get(ingress.class as usize) else { return false };
        let place = memory.place(ingress);
        self.headroom.pauses(place, paused, || {
            let filtered = self.queues[place].filtered;
            let threshold = self.threshold(class.alpha, class, memory);
            filtered < self.xon || filtered + self.xon_offset <= threshold
        })
    }

    fn misfit(&self, _: Bytes) -> Option<(&'static str, String)> {
        (self.pauses && self.xon >= self.size as f64)
            .then(|| ("xon", format!("less than {}, the shared memory", Bytes(self.size))))
    }

    fn is_lossless(&self, class: usize) -> bool {
        self.classes.get(class).is_some_and(|own| own.lossless)
    }

    fn lacks(&self) -> Option<Lack> {
        self.headroom.lacks()
    }

    fn shared_size(&self) -> Option<Bytes> {
        self.pauses.then_some(Bytes(self.size))
    }

    fn pools(&self) -> Option<Pools> {
        Some(self.pools)
    }
}

#[cfg(test)]
mod tests {
    use super::super::bench::Bench;
    use super::*;

    /// A switch whose class 1 is lossless; `ports` ports with headroom of their own beside `pool`.
    fn switch(ports: u32, pool: u64, config: Config) -> Bench<Reverie> {
        let size = pool + u64::from(ports) * 60_000;
        let context = BufferContext {
            size: Bytes(size),
            queues: 2 * ports,
            ports,
            packet: Bytes(1_000),
            ..BufferContext::NOMINAL
        };
        let lossless = PerClass::Each(alloc::vec![false, true]);
        let config = Config { lossless, headroom: Some(Bytes(60_000)), ..config };
        Bench::new(Reverie::new(&config, &context), size, ports, 2)
    }

    #[test]
    fn a_filter_rises_slowly_and_falls_at_once() {
        // Spec, section 6, items 6 and 7, and correction 3.
        let config = |mode| Config { mode, ..Config::default() };
        let mut own = switch(1, 1_000_000, config(Mode::Paper)).policy;
        let mut after = |updates, bytes| {
            (0..updates).for_each(|_| own.filter(0, 0, bytes));
            own.queues[0].filtered
        };
        assert!((after(693, 100_000) - 50_010.0).abs() < 1.0);
        assert!((after(2_303 - 693, 100_000) - 90_016.0).abs() < 1.0);
        let mut own = switch(1, 1_000_000, config(Mode::Released)).policy;
        own.queues[0].filtered = 80_000.0;
        own.filter(0, 0, 10_000);
        assert_eq!(own.queues[0].filtered, 10_000.0);
        // Whole bytes: it cannot rise while the queue is less than 1,000 B above it.
        own.filter(0, 0, 10_999);
        assert_eq!(own.queues[0].filtered, 10_000.0);
        let mut own = switch(1, 1_000_000, Config { filter: 0.0, ..Config::default() }).policy;
        own.filter(0, 0, 4_321);
        assert_eq!(own.queues[0].filtered, 4_321.0);
    }

    #[test]
    fn a_filtered_queue_above_its_threshold_takes_headroom_and_pauses_once() {
        // Item 8: S = 1,000,000, Su = 400,000 with the packet, n = 2, alpha 1: Gamma = 300,000.
        let answer = |filtered: f64| {
            // The code's filters take no step when a packet comes.
            let config = Config { mode: Mode::Released, ..Config::default() };
            let mut bench = switch(2, 1_000_000, config);
            let (own, other) = (bench.place(0, 1), bench.place(1, 1));
            bench.policy.queues[own] = Queue { filtered, mark: 1.0 };
            bench.policy.queues[other].mark = 1.0;
            bench.policy.classes[1].congested = 2.0;
            // What others hold counts as control here.
            for _ in 0..399 {
                assert!(bench.arrive(1, 2, 1, 1_000));
            }
            assert!(bench.arrive(0, 1, 1, 1_000));
            let first = bench.paused[own];
            bench.policy.queues[own].filtered = 0.0;
            assert!(bench.arrive(0, 1, 1, 1_000));
            (first, bench.policy.headroom.used())
        };
        assert_eq!(answer(300_000.0), (false, 0));
        // The next goes to headroom, too, though the filter has fallen.
        assert_eq!(answer(300_001.0), (true, 2_000));
    }

    #[test]
    fn headroom_is_freed_first_and_the_far_end_goes_on_when_it_is_empty() {
        // Item 9.
        let mut bench = switch(2, 1_000_000, Config::default());
        let place = bench.place(0, 1);
        bench.policy.classes[1].alpha = 0.001;
        (0..5).for_each(|_| assert!(bench.arrive(0, 1, 1, 1_048)));
        // Filtered it has been empty: all is shared. Then 1,500 B go to headroom.
        bench.policy.queues[place].filtered = 5_240.0;
        (bench.policy.used, bench.policy.lossless) = (5_240, 5_240);
        assert!(bench.arrive(0, 1, 1, 1_500));
        assert_eq!(bench.policy.headroom.used(), 1_500);
        let left = |bench: &Bench<Reverie>| (bench.policy.headroom.used(), bench.policy.used);
        bench.depart(1, 1);
        assert_eq!((left(&bench), bench.paused[place]), ((452, 5_240), true));
        bench.depart(1, 1);
        assert_eq!((left(&bench), bench.paused[place]), ((0, 5_240 - 596), true));
        // Below xon it goes on.
        bench.policy.queues[place].filtered = 1_240.0;
        bench.depart(1, 1);
        assert!(!bench.paused[place]);
    }

    #[test]
    fn both_kinds_of_classes_settle_at_their_share_whatever_their_queues() {
        // Items 4 and 5: S = 1,821,760; alpha 1 and 1, 2 and 1; one kind alone.
        let size = 1_821_760;
        let settled_with = |filter, lossless: u32, lossy: u32, alphas: [f64; 2]| {
            let alpha = PerClass::Each(alphas.map(Alpha).to_vec());
            let ports = lossless + lossy;
            let config = Config { alpha, filter, ..Config::default() };
            let mut bench = switch(ports, size, config);
            let rounds = 40_000;
            let mut sum = [0, 0];
            for round in 0..rounds {
                for port in 0..lossless {
                    for _ in 0..2 {
                        if !bench.paused[bench.place(port, 1)] {
                            assert!(bench.arrive(port, 1, port, 1_000));
                        }
                    }
                }
                for port in lossless..ports {
                    bench.arrive(port, 0, port, 1_000);
                    bench.arrive(port, 0, port, 1_000);
                }
                let shared =
                    |policy: &Reverie| [policy.lossless - policy.headroom.used(), policy.lossy];
                let full = shared(&bench.policy);
                (0..ports)
                    .for_each(|port| [0, 1].iter().for_each(|&class| bench.depart(port, class)));
                // Queues swing: in the mean of a round, and over those of the second half.
                if round >= rounds / 2 {
                    let left = shared(&bench.policy);
                    sum = [0, 1].map(|kind| sum[kind] + full[kind] + left[kind]);
                }
            }
            assert_eq!(
                (bench.policy.pools.unbalanced, bench.policy.pools.lossless_refused),
                (0, 0)
            );
            sum.map(|sum| sum as f64 / f64::from(rounds))
        };
        // The thesis's balance has no swing. With the default filter four lossless queues, of 152 kB
        // each, swing so far above their threshold that they hold 6.9 % more than it says in the mean,
        // which is more than the 3 % asked; with a quicker one all is within them.
        let swinging = settled_with(0.999, 4, 1, [1.0, 1.0])[0] / 607_253.0;
        assert!((1.05..1.09).contains(&swinging), "{swinging}");
        let settled = |lossless, lossy, alphas| settled_with(0.9, lossless, lossy, alphas);
        let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 0.03;
        for (n, m) in [(1, 1), (4, 1), (1, 4), (3, 3)] {
            let found = settled(n, m, [1.0, 1.0]);
            assert!(near(found[0], 607_253.0) && near(found[1], 607_253.0), "{n}, {m}: {found:?}");
        }
        let found = settled(1, 1, [1.0, 2.0]);
        assert!(near(found[0], 910_880.0) && near(found[1], 455_440.0), "{found:?}");
        assert!(near(settled(2, 0, [1.0, 1.0])[0], 910_880.0));
        assert!(near(settled(0, 2, [1.0, 1.0])[1], 910_880.0));
    }
}
