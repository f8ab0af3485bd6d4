//! The buffer of SONiC switches: every packet counts at its ingress and at its egress queue, lossy and
//! lossless classes share pools, and lossless ones pause who sends to them.
//!
//! Reverie thesis, 5.1.2 (spec 3.1 to 3.3 and 4). At ingress one pool is shared by all classes, and
//! headroom lies beside it for what comes after a pause; at egress lossless and lossy classes have a
//! pool each, which may overlap. A queue's threshold is dynamic: alpha times what is free of its pool
//! (equation 5.1). A lossy packet has to be below the thresholds of either side. A lossless one is
//! dropped by none at ingress: its queue, once above the threshold, takes headroom and has the far end
//! pause, and lets it go on when the headroom is empty and the queue is short or well below its
//! threshold.
//!
//! Reading: control frames pass by all thresholds, as priority 0 does in the released code, but lie in
//! the same memory; so that headroom stays what it is, they use up the shared pools, and are dropped
//! where nothing else is left. What the pool at ingress has no room for takes headroom, reserved or not.

use super::classes::{Alpha, PerClass};
use super::headroom::{Headroom, Pools};
use super::{
    Admission, BufferContext, BufferPolicy, Candidate, Departed, Lack, MemoryView, QueueId,
};
use crate::size::{Limited, Size};
use crate::units::Bytes;
use crate::{Card, Cx};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;

/// What `raddle schemes sonic` says.
pub const CARD: Card = Card {
    name: "sonic",
    title: "SONiC",
    paper: "Addanki, Bai, Schmid and Apostolaki, Reverie: low pass filter-based switch buffer sharing for datacenters with RDMA and TCP traffic, NSDI 2024, section 2",
    needs: &[],
    summary: "Pools at ingress and egress with dynamic thresholds, and pauses for lossless classes (`lossless`). What switches with lossy and lossless traffic ship with.",
};

crate::parameters! {
    /// Parameters of the SONiC buffer.
    pub struct Config {
        /// Whether a data class is lossless; a list has one value for each class. Any that is turns
        /// priority flow control on.
        pub lossless: PerClass<bool> = PerClass::All(false);
        /// Of ingress queues, over what is free of their pool; `auto`: 1 for lossless classes, 10000 for
        /// lossy ones.
        pub alpha_ingress: Option<PerClass<Alpha>> = None;
        /// Of egress queues; `auto`: 10000 for lossless classes, 1 for lossy ones.
        pub alpha_egress: Option<PerClass<Alpha>> = None;
        /// Memory of a port and lossless class for what comes after a pause; `auto`: what the link needs.
        pub headroom: Option<Bytes> = None;
        /// The pool at ingress; `auto`: the memory without headroom.
        pub ingress_pool: Option<Limited> = None;
        /// The pool of lossless classes at egress; `auto`: all memory.
        pub lossless_pool: Option<Limited> = None;
        /// The pool of lossy classes at egress, over that at ingress.
        pub lossy_share: f64 = 0.8, in 0.0..=1.0;
        /// What an ingress queue may hold whatever its threshold.
        pub reserved: Bytes = Bytes(0);
        /// A queue below this lets the far end go on.
        pub xon: Limited = Limited(Size::Bytes(Bytes(1248)));
        /// So does one so far below its threshold.
        pub xon_offset: Limited = Limited(Size::Bytes(Bytes(2496)));
    }
}

/// An alpha that never decides.
const NEVER: f64 = 10_000.0;

/// A class of data.
#[derive(Clone, Copy, Debug)]
struct Class {
    lossless: bool,
    ingress: f64,
    egress: f64,
}

/// Bytes of lossless and lossy classes.
#[derive(Clone, Copy, Debug, Default)]
struct Used {
    lossless: u64,
    lossy: u64,
}

impl Used {
    fn of(&mut self, lossless: bool) -> &mut u64 {
        if lossless { &mut self.lossless } else { &mut self.lossy }
    }
}

/// One switch's pools.
#[derive(Clone, Debug)]
pub struct Sonic {
    classes: Vec<Class>,
    pauses: bool,
    headroom: Headroom,
    /// All memory.
    size: u64,
    ingress_pool: u64,
    lossless_pool: u64,
    lossy_pool: u64,
    reserved: u64,
    xon: u64,
    xon_offset: u64,
    /// Shared memory by ingress, headroom aside, and all by egress.
    ingress: Used,
    egress: Used,
    pools: Pools,
}

impl Sonic {
    /// The policy of one switch.
    pub fn new(config: &Config, context: &BufferContext) -> Self {
        let class = |class| {
            let lossless = config.lossless.of(class);
            let alpha = |own: &Option<PerClass<Alpha>>, auto: f64| {
                own.as_ref().map_or(auto, |own| own.of(class).0)
            };
            let (ingress, egress) = if lossless { (1.0, NEVER) } else { (NEVER, 1.0) };
            let ingress = alpha(&config.alpha_ingress, ingress);
            Class { lossless, ingress, egress: alpha(&config.alpha_egress, egress) }
        };
        let classes: Vec<Class> = (0..context.data_classes()).map(class).collect();
        let lossless: Vec<bool> = classes.iter().map(|class| class.lossless).collect();
        let headroom = Headroom::new(context, config.headroom, &lossless);
        let base = context.base();
        let size = |own: Option<Limited>, auto| own.map_or(auto, |own| own.0.resolve(&base).0);
        let shared = context.size.0.saturating_sub(headroom.size());
        let ingress_pool = size(config.ingress_pool, shared);
        Self {
            classes,
            pauses: config.lossless.any(|lossless| lossless),
            headroom,
            size: context.size.0,
            ingress_pool,
            lossless_pool: size(config.lossless_pool, context.size.0),
            lossy_pool: (config.lossy_share * ingress_pool as f64) as u64,
            reserved: config.reserved.0,
            xon: config.xon.0.resolve(&base).0,
            xon_offset: config.xon_offset.0.resolve(&base).0,
            ingress: Used::default(),
            egress: Used::default(),
            pools: Pools::default(),
        }
    }

    /// Bytes of control frames.
    fn control(&self, memory: &MemoryView<'_>) -> u64 {
        memory.used.0.saturating_sub(self.egress.lossless + self.egress.lossy)
    }

    /// What is used of the pool at ingress.
    fn ingress_used(&self, memory: &MemoryView<'_>) -> u64 {
        self.ingress.lossless + self.ingress.lossy + self.control(memory)
    }

    /// T_in (spec 3.3).
    fn ingress_threshold(&self, class: Class, memory: &MemoryView<'_>) -> u64 {
        let free = self.ingress_pool.saturating_sub(self.ingress_used(memory));
        (class.ingress * free as f64) as u64
    }

    /// Whether a packet may be kept, by either side (spec 3.2.3 and 3.2.4).
    fn fits(&self, frame: &Candidate, class: Class, memory: &MemoryView<'_>) -> bool {
        let bytes = frame.bytes.0;
        let origin = QueueId { port: frame.came_in, class: frame.queue.class };
        let place = memory.place(origin);
        let queued = memory.ingress[place] + bytes;
        let (pool, used) = match class.lossless {
            true => (self.lossless_pool, self.egress.lossless),
            false => (self.lossy_pool, self.egress.lossy),
        };
        let at_ingress = if class.lossless {
            queued <= self.reserved || self.headroom.has_room(origin, place, bytes)
        } else {
            (queued <= self.ingress_threshold(class, memory) || queued <= self.reserved)
                && bytes + self.ingress_used(memory) <= self.ingress_pool
        };
        let out = memory.queues[memory.place(frame.queue)] + bytes;
        let threshold = (class.egress * pool.saturating_sub(used) as f64) as u64;
        let at_egress = out <= threshold || (class.lossless && class.egress >= NEVER);
        at_ingress && at_egress && used + bytes <= pool && frame.bytes <= memory.free()
    }

    /// Notes maxima, and whether the sides fit together (thesis, equations 5.2 to 5.4).
    fn balance(&mut self, memory: &MemoryView<'_>) {
        let Self { ingress, egress, headroom, pools, .. } = self;
        let fits = egress.lossy == ingress.lossy
            && egress.lossless == ingress.lossless + headroom.used()
            && egress.lossless + egress.lossy <= memory.used.0;
        pools.unbalanced += u64::from(!fits);
        pools.lossless_max = pools.lossless_max.max(egress.lossless);
        pools.lossy_max = pools.lossy_max.max(egress.lossy);
        pools.left = egress.lossless + egress.lossy;
    }
}

impl BufferPolicy for Sonic {
    fn sees_switch(&self) -> bool {
        true
    }

    fn admit(&mut self, _: &mut Cx<'_>, frame: &Candidate, memory: &MemoryView<'_>) -> Admission {
        let Some(&class) = self.classes.get(frame.queue.class as usize) else {
            let spares = self.headroom.spares(frame.bytes, memory);
            return if spares { Admission::Keep } else { Admission::Refuse };
        };
        if self.fits(frame, class, memory) {
            return Admission::Keep;
        }
        self.pools.lossless_refused += u64::from(class.lossless);
        Admission::Refuse
    }

    fn on_join(&mut self, _: &mut Cx<'_>, frame: &Candidate, memory: &MemoryView<'_>) {
        let Some(&class) = self.classes.get(frame.queue.class as usize) else { return };
        let bytes = frame.bytes.0;
        let place = memory.place(QueueId { port: frame.came_in, class: frame.queue.class });
        *self.ingress.of(class.lossless) += bytes;
        *self.egress.of(class.lossless) += bytes;
        // Spec 3.2.5: the threshold is taken with the packet in the pool, and all of it goes to headroom.
        let has_headroom = self.headroom.of(place) > 0;
        let queued = memory.ingress[place];
        let has_reserve =
            || queued <= self.reserved && self.ingress_used(memory) <= self.ingress_pool;
        let is_above = || queued > self.ingress_threshold(class, memory) && !has_reserve();
        if class.lossless && (has_headroom || is_above()) {
            self.ingress.lossless -= bytes;
            self.headroom.take(place, bytes, &mut self.pools);
        }
        self.balance(memory);
    }

    fn on_departure(&mut self, _: &mut Cx<'_>, frame: &Departed, memory: &MemoryView<'_>) {
        let Some(&class) = self.classes.get(frame.queue.class as usize) else { return };
        let bytes = frame.bytes.0;
        let place = memory.place(QueueId { port: frame.came_in, class: frame.queue.class });
        *self.egress.of(class.lossless) -= bytes;
        // Spec 3.2.6: headroom first.
        *self.ingress.of(class.lossless) -= self.headroom.release(place, bytes);
        self.balance(memory);
    }

    fn decides_pauses(&self) -> bool {
        self.pauses
    }

    fn pauses(&self, ingress: QueueId, paused: bool, memory: &MemoryView<'_>) -> bool {
        let Some(&class) = self.classes.get(ingress.class as usize) else { return false };
        let place = memory.place(ingress);
        self.headroom.pauses(place, paused, || {
            let queued = memory.ingress[place];
            let threshold = self.ingress_threshold(class, memory);
            queued < self.xon || queued + self.xon_offset <= threshold
        })
    }

    fn is_lossless(&self, class: usize) -> bool {
        self.classes.get(class).is_some_and(|own| own.lossless)
    }

    fn lacks(&self) -> Option<Lack> {
        if !self.pauses {
            return None;
        }
        let (shared, held) = (
            self.size.saturating_sub(self.headroom.size()),
            (self.ingress_pool + self.headroom.size()).min(self.size),
        );
        let lack = |parameter, is, would_do| Some(Lack { parameter, is, would_do });
        let lossless = self.classes.iter().filter(|own| own.lossless).map(|own| own.egress);
        let egress = lossless.fold(NEVER, f64::min);
        if egress < NEVER {
            lack("alpha_egress", format!("{egress}"), format!("at least {NEVER} where lossless"))
        } else if self.ingress_pool > shared {
            let is = format!("{} B", self.ingress_pool);
            lack("ingress_pool", is, format!("at most {shared} B, what headroom leaves"))
        } else if self.lossless_pool < held {
            let is = format!("{} B", self.lossless_pool);
            lack("lossless_pool", is, format!("at least {held} B"))
        } else {
            self.headroom.lacks()
        }
    }

    /// What it keeps beside these bounds are sums, which no order changes. Any class may be that of all
    /// that comes in.
    fn ignores_order(&self, incoming: Bytes, memory: &MemoryView<'_>) -> bool {
        let (incoming, used) = (incoming.0, memory.used.0);
        if used + incoming + self.headroom.size() > memory.size.0 || self.headroom.used() > 0 {
            return false;
        }
        let at_ingress = Longest::new(memory.ingress, used, incoming);
        let at_egress = Longest::new(memory.queues, used, incoming);
        let threshold =
            |alpha: f64, pool: u64, used| (alpha * pool.saturating_sub(used) as f64) as u64;
        self.classes.iter().all(|class| {
            let (pool, used, most) = match class.lossless {
                true => (self.lossless_pool, self.egress.lossless, self.pools.lossless_max),
                false => (self.lossy_pool, self.egress.lossy, self.pools.lossy_max),
            };
            let shared = self.ingress_used(memory) + incoming;
            used + incoming <= most
                && at_ingress.is_within(threshold(class.ingress, self.ingress_pool, shared))
                && at_egress.is_within(threshold(class.egress, pool, used + incoming))
        })
    }

    fn misfit(&self, frame: Bytes) -> Option<(&'static str, String)> {
        let lossless = self.classes.iter().any(|class| class.lossless);
        if lossless && self.lossless_pool < frame.0 {
            return Some(("lossless_pool", format!("at least {frame}, the largest frame")));
        }
        let all = self.ingress_pool;
        (self.pauses && self.xon >= all)
            .then(|| ("xon", format!("less than {}, the pool at ingress", Bytes(all))))
    }

    fn shared_size(&self) -> Option<Bytes> {
        self.pauses.then_some(Bytes(self.ingress_pool))
    }

    fn pools(&self) -> Option<Pools> {
        Some(self.pools)
    }
}

/// The longest of some queues after so much has joined.
struct Longest<'q> {
    queues: &'q [u64],
    /// What it is at most.
    bound: u64,
    incoming: u64,
    known: Cell<Option<u64>>,
}

impl<'q> Longest<'q> {
    /// Of queues that have `all` together.
    fn new(queues: &'q [u64], all: u64, incoming: u64) -> Self {
        Self { queues, bound: all + incoming, incoming, known: Cell::new(None) }
    }

    /// Whether it exceeds no threshold; looked for only where that is not known without.
    fn is_within(&self, threshold: u64) -> bool {
        let find = || self.queues.iter().copied().max().unwrap_or(0) + self.incoming;
        self.bound <= threshold || {
            let longest = self.known.get().unwrap_or_else(find);
            self.known.set(Some(longest));
            longest <= threshold
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bench::Bench;
    use super::*;
    use crate::rng::Rng;

    const PACKET: u64 = 1_000;

    /// Class 1 is lossless; `ports` ports with headroom of their own beside a pool of `ingress`.
    fn switch(ports: u32, ingress: u64, lossy: u64) -> Bench<Sonic> {
        let size = ingress + u64::from(ports) * 50_000;
        let context = BufferContext {
            size: Bytes(size),
            queues: 2 * ports,
            ports,
            packet: Bytes(PACKET),
            ..BufferContext::NOMINAL
        };
        let config = Config {
            lossless: PerClass::Each(alloc::vec![false, true]),
            headroom: Some(Bytes(50_000)),
            lossy_share: lossy as f64 / ingress as f64,
            ..Config::default()
        };
        Bench::new(Sonic::new(&config, &context), size, ports, 2)
    }

    /// Bytes of lossy and lossless classes after `lossless` queues at ingress and `lossy` ones at egress
    /// have been offered twice what they send for long.
    fn settled(lossless: u32, lossy: u32) -> (Bench<Sonic>, f64, f64) {
        let (ports, mb) = (lossless + lossy, 1_000_000.0);
        let mut bench = switch(ports, 18_000_000, 14_000_000);
        let rounds = 25_000;
        let mut sum = Used::default();
        for round in 0..rounds {
            for port in 0..lossless {
                for _ in 0..2 {
                    if !bench.paused[bench.place(port, 1)] {
                        assert!(bench.arrive(port, 1, port, PACKET));
                    }
                }
            }
            for port in lossless..ports {
                bench.arrive(port, 0, port, PACKET);
                bench.arrive(port, 0, port, PACKET);
            }
            let full = bench.policy.ingress;
            (0..ports).for_each(|port| [0, 1].iter().for_each(|&class| bench.depart(port, class)));
            // In the mean of a round, and over those of the second half.
            if round >= rounds / 2 {
                let left = bench.policy.ingress;
                sum.lossy += full.lossy + left.lossy;
                sum.lossless += full.lossless + left.lossless;
            }
        }
        let mean = |sum: u64| sum as f64 / f64::from(rounds) / mb;
        (bench, mean(sum.lossy), mean(sum.lossless))
    }

    #[test]
    fn lossy_and_lossless_queues_settle_where_the_thesis_has_them() {
        // Reverie spec, section 6, items 1 to 3 (equations 5.5 to 5.8): b_in 18 MB, b_lossy 14 MB.
        for (n, m, lossy, lossless, pause, drop) in [
            (1, 1, 7.0, 5.5, 5.5, 7.0),
            (10, 10, 12.727, 4.793, 0.4793, 1.2727),
            (1, 4, 11.2, 3.4, 3.4, 2.8),
            (4, 1, 7.0, 8.8, 2.2, 7.0),
        ] {
            let (bench, has_lossy, has_lossless) = settled(n, m);
            let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 0.02;
            assert!(near(has_lossy, lossy), "{n}, {m}: {has_lossy}");
            assert!(near(has_lossless, lossless), "{n}, {m}: {has_lossless}");
            let caps = (18.0 - has_lossy - has_lossless, 14.0 - has_lossy);
            assert!(near(caps.0, pause) && near(caps.1, drop), "{n}, {m}: {caps:?}");
            let pools = bench.policy.pools;
            assert_eq!((pools.unbalanced, pools.lossless_refused), (0, 0));
        }
    }

    #[test]
    fn the_whole_first_packet_above_the_threshold_goes_to_headroom_and_pauses_once() {
        let mut bench = switch(2, 20 * PACKET, 0);
        // After adding, q <= 20 - q: the tenth packet is the last in shared memory.
        for _ in 0..10 {
            assert!(bench.arrive(0, 1, 1, PACKET) && !bench.paused[bench.place(0, 1)]);
        }
        for _ in 0..3 {
            assert!(bench.arrive(0, 1, 1, PACKET) && bench.paused[bench.place(0, 1)]);
        }
        assert_eq!(bench.policy.headroom.used(), 3 * PACKET);
        // Three departures empty the headroom; 2,496 B below the threshold it goes on: q = 8.
        for expected in [true, true, true, true, false] {
            bench.depart(1, 1);
            assert_eq!(bench.paused[bench.place(0, 1)], expected);
        }
        assert_eq!(bench.policy.ingress.lossless, 8 * PACKET);
        (0..8).for_each(|_| bench.depart(1, 1));
        assert_eq!(bench.policy.pools.left, 0);
    }

    /// A switch of four ports whose class 1 is lossless, of any parameters.
    fn any_switch(pick: &mut impl FnMut(u64) -> u64) -> Bench<Sonic> {
        let alpha = |choice: u64| [None, Some(0.1), Some(0.5), Some(2.0)][choice as usize];
        let alpha = |choice| alpha(choice).map(|alpha| PerClass::All(Alpha(alpha)));
        let pool = 20_000 + pick(80_000);
        let size = pool + 4 * 10_000;
        let context = BufferContext {
            size: Bytes(size),
            queues: 8,
            ports: 4,
            packet: Bytes(PACKET),
            ..BufferContext::NOMINAL
        };
        let config = Config {
            lossless: PerClass::Each(alloc::vec![false, true]),
            alpha_ingress: alpha(pick(4)),
            alpha_egress: alpha(pick(4)),
            headroom: Some(Bytes(10_000)),
            lossy_share: 0.2 * pick(6) as f64,
            reserved: Bytes(pick(2) * 3_000),
            ..Config::default()
        };
        Bench::new(Sonic::new(&config, &context), size, 4, 2)
    }

    #[test]
    fn where_it_ignores_order_any_comes_to_the_same() {
        let mut rng = Rng::new(3, "order", 0);
        let mut ignored = 0;
        for _ in 0..100 {
            let mut pick = |below: u64| rng.below(below);
            let mut bench = any_switch(&mut pick);
            for _ in 0..200 {
                let mut port = || pick(4) as u32;
                let ports: Vec<_> = (0..6).map(|_| (port(), port())).collect();
                // Class 2 is control.
                let arrivals: Vec<_> = ports
                    .into_iter()
                    .map(|ports| (ports, pick(3) as u32, 64 + pick(3_000)))
                    .collect();
                let arrivals = &arrivals[..pick(7) as usize];
                let queues: Vec<_> =
                    (0..pick(10)).map(|_| (pick(4) as u32, pick(3) as u32)).collect();
                let incoming = arrivals.iter().map(|(_, _, bytes)| bytes).sum();
                let ignores =
                    bench.ignores_order(incoming) && bench.paused.iter().all(|paused| !paused);
                let before = bench.policy.pools;
                let arrive = |bench: &mut Bench<Sonic>| {
                    for &((came_in, out), class, bytes) in arrivals {
                        let kept = bench.arrive(came_in, class, out, bytes);
                        assert!(!ignores || kept && bench.paused.iter().all(|paused| !paused));
                    }
                };
                // Only frames that were there before leave, in both orders.
                let (mut arrivals_first, mut arrivals_last) = (bench.clone(), bench);
                arrive(&mut arrivals_first);
                for (port, class) in queues {
                    if arrivals_last.has_frame(port, class) {
                        arrivals_last.depart(port, class);
                        arrivals_first.depart(port, class);
                    }
                }
                arrive(&mut arrivals_last);
                if ignores && incoming > 0 {
                    ignored += 1;
                    let came_to = |bench: &Bench<Sonic>| alloc::format!("{:?}", bench.policy);
                    assert_eq!(came_to(&arrivals_first), came_to(&arrivals_last));
                    let after = Pools { left: before.left, ..arrivals_first.policy.pools };
                    assert_eq!(after, before);
                }
                bench = arrivals_last;
            }
        }
        assert!(ignored > 500, "{ignored} of 20,000 batches");
    }

    #[test]
    fn what_would_take_a_queue_or_a_sum_past_its_bound_asks_for_order() {
        let mut bench = switch(2, 20 * PACKET, 18 * PACKET);
        assert!(
            bench.ignores_order(0) && !bench.ignores_order(1),
            "it has no maximum to stay below"
        );
        // At ingress q <= 20 - q at least: ten packets.
        (0..9).for_each(|_| assert!(bench.arrive(0, 1, 1, PACKET)));
        (0..9).for_each(|_| assert!(bench.arrive(1, 0, 1, PACKET)));
        (0..9).for_each(|_| bench.depart(1, 0));
        (0..4).for_each(|_| bench.depart(1, 1));
        // Five of at most nine are left, lossy ones have been nine.
        assert!(bench.ignores_order(4 * PACKET) && !bench.ignores_order(4 * PACKET + 1));
    }

    #[test]
    fn headroom_has_an_end() {
        let mut bench = switch(2, 20 * PACKET, 0);
        let kept = (0..100).filter(|_| bench.arrive(0, 1, 1, PACKET)).count();
        // Ten of the pool and the 50 of its own headroom.
        assert_eq!(kept, 60);
        assert_eq!(bench.policy.pools.lossless_refused, 40);
        assert_eq!(bench.policy.pools.headroom_queue_max, 50 * PACKET);
    }

    #[test]
    fn control_uses_up_the_pool_and_leaves_headroom_alone() {
        let mut bench = switch(2, 20 * PACKET, 0);
        let control =
            |bench: &mut Bench<Sonic>| (0..50).filter(|_| bench.arrive(0, 2, 1, PACKET)).count();
        assert_eq!(control(&mut bench), 20);
        assert_eq!((0..100).filter(|_| bench.arrive(0, 1, 1, PACKET)).count(), 50);
        assert_eq!((control(&mut bench), bench.arrive(1, 1, 0, PACKET)), (0, true));
    }

    #[test]
    fn parameters_with_which_lossless_classes_lose_packets_are_named() {
        let lack = |config: Config| {
            let size = Bytes(1_000_000);
            let headroom = alloc::vec![Bytes(50_000); 2];
            let (queues, ports, packet) = (2, 2, Bytes(PACKET));
            let context =
                BufferContext { size, queues, ports, packet, headroom, ..BufferContext::NOMINAL };
            let config = Config { lossless: PerClass::All(true), ..config };
            let lack = Sonic::new(&config, &context).lacks()?;
            Some((lack.parameter, lack.would_do))
        };
        let bytes = |bytes| Some(Limited(Size::Bytes(Bytes(bytes))));
        assert_eq!(lack(Config::default()), None);
        assert_eq!(
            lack(Config { headroom: Some(Bytes(49_999)), ..Config::default() }),
            Some(("headroom", "at least 50000 B".into()))
        );
        assert_eq!(
            lack(Config { ingress_pool: bytes(900_001), ..Config::default() }),
            Some(("ingress_pool", "at most 900000 B, what headroom leaves".into()))
        );
        assert_eq!(
            lack(Config { lossless_pool: bytes(999_999), ..Config::default() }),
            Some(("lossless_pool", "at least 1000000 B".into()))
        );
        let egress = Some(PerClass::All(Alpha(9_999.0)));
        let lack = lack(Config { alpha_egress: egress, ..Config::default() });
        assert_eq!(lack, Some(("alpha_egress", "at least 10000 where lossless".into())));
    }
}
