//! SONiC's buffer with ABM's thresholds in place of dynamic ones: what Reverie is compared with.
//!
//! Reverie spec, section 4 ("SONiC + ABM"): the pools, headroom and pauses of [`sonic`],
//! but a queue of class p on either side may hold alpha / n_p of what is free of its pool, times its
//! drain rate over that of its port. n_p adds up, over the queues of the class on that side, their
//! lengths over `congested_at`, at most 1 each, as they were when a threshold was last asked for. The
//! rate is what left the queue in the last `update` over what the port carries in that, but 1 unless the
//! queue is longer than `congested_at` and more than `least_sent` left. Unscheduled packets of lossy
//! classes have an alpha of their own on both sides; lossless ones carry no such tag.
//!
//! The released code bounds the rate neither below nor above (its bound of 1/8 is commented out): a
//! queue at ingress whose packets leave through several ports may drain faster than its own. `drain_min`
//! and `drain_max` are such bounds. Not here: that its loop leaves out the last port of a switch, whose
//! rate stays 1; and that a test whether to go on counts the queue anew.

use super::classes::{Alpha, PerClass};
use super::headroom::Pools;
use super::sonic::{self, Class, Sonic};
use super::{
    Admission, BufferContext, BufferPolicy, Candidate, Departed, Lack, MemoryView, QueueId,
};
use crate::probe::Probes;
use crate::size::{Limited, Size};
use crate::units::{Bytes, Rate, Span, Time};
use crate::{Card, SwitchCx};
use alloc::string::String;
use alloc::vec::Vec;

/// What `raddle schemes sonic_abm` says.
pub const CARD: Card = Card {
    name: "sonic_abm",
    title: "SONiC with ABM",
    paper: "Addanki, Bai, Schmid and Apostolaki, Reverie: low pass filter-based switch buffer sharing for datacenters with RDMA and TCP traffic, NSDI 2024, section 4",
    needs: &[],
    summary: "The pools and pauses of `sonic` with ABM's thresholds at both sides. Reverie's second baseline; slow draining shrinks what lossless queues may hold, so that they pause more.",
};

crate::parameters! {
    /// Parameters of SONiC's buffer with ABM.
    pub struct Config {
        /// Whether a data class is lossless; a list has one value for each class. Any that is turns
        /// priority flow control on.
        pub lossless: PerClass<bool> = PerClass::All(false);
        /// Of ingress queues, over what is free of their pool; `auto`: 1 for lossless classes, 10000 for
        /// lossy ones.
        pub alpha_ingress: Option<PerClass<Alpha>> = None;
        /// Of egress queues; `auto`: 10000 for lossless classes, 1 for lossy ones.
        pub alpha_egress: Option<PerClass<Alpha>> = None;
        /// The same of unscheduled packets of lossy classes, at both sides.
        pub alpha_unscheduled: Alpha = Alpha(1024.0);
        /// The first bytes of a message that are unscheduled, of its payload (`bdp`: what the fastest
        /// host sends in the longest round trip).
        pub unscheduled: Limited = Limited(Size::Bdp(1.0));
        /// How often drain rates are sampled; `auto`: every longest round trip.
        pub update: Option<Span> = None, in Span::ns(1)..;
        /// A queue of this length is congested.
        pub congested_at: Bytes = Bytes(20_480), in Bytes(1)..;
        /// A queue that has sent no more between two samples drains at full rate.
        pub least_sent: Bytes = Bytes(2_048);
        /// The least drain rate, over that of the port (1/8: eight queues in turn).
        pub drain_min: f64 = 0.0, in 0.0..=1.0;
        /// The highest; `auto`: what it is.
        pub drain_max: Option<f64> = None, in 1.0..=1000.0;
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

impl Config {
    fn pools(&self) -> sonic::Config {
        sonic::Config {
            lossless: self.lossless.clone(),
            alpha_ingress: self.alpha_ingress.clone(),
            alpha_egress: self.alpha_egress.clone(),
            headroom: self.headroom,
            ingress_pool: self.ingress_pool,
            lossless_pool: self.lossless_pool,
            lossy_share: self.lossy_share,
            reserved: self.reserved,
            xon: self.xon,
            xon_offset: self.xon_offset,
        }
    }
}

/// One switch's pools and thresholds.
#[derive(Clone, Debug)]
pub struct SonicAbm {
    sonic: Sonic,
    alpha_unscheduled: f64,
    /// Packets of a message, from its first on.
    unscheduled: u64,
    congested_at: f64,
    ingress: Side,
    egress: Side,
    sampling: Sampling,
    timer: Option<Time>,
}

/// How drain rates are taken.
#[derive(Clone, Copy, Debug)]
struct Sampling {
    update: Span,
    congested_at: u64,
    least_sent: u64,
    min: f64,
    max: f64,
}

/// The queues of one side.
#[derive(Clone, Debug)]
struct Side {
    /// By place.
    queues: Vec<Queue>,
    /// What the queues of each class add up to: n_p.
    congested: Vec<f64>,
}

/// What is known of a queue.
#[derive(Clone, Copy, Debug)]
struct Queue {
    /// What it adds to the congested ones of its class.
    mark: f64,
    /// Bytes that left since the last sample.
    sent: u64,
    /// Its drain rate over its port's.
    drains: f64,
}

impl Side {
    fn new(context: &BufferContext) -> Self {
        let idle = Queue { mark: 0.0, sent: 0, drains: 1.0 };
        Self {
            queues: alloc::vec![idle; context.places()],
            congested: alloc::vec![0.0; context.data_classes()],
        }
    }

    /// What an alpha of a queue comes to; a threshold is asked for, with so much in the queue.
    fn refresh(&mut self, place: usize, class: usize, bytes: u64, congested_at: f64) {
        let own = &mut self.queues[place];
        let mark = (bytes as f64 / congested_at).min(1.0);
        self.congested[class] += mark - own.mark;
        own.mark = mark;
    }

    /// Drain rate over n_p.
    fn share(&self, place: usize, class: usize) -> f64 {
        self.queues[place].drains / self.congested[class].max(1.0)
    }

    fn sample(&mut self, of: Sampling, rates: &[Rate], bytes: &[u64]) {
        let each = bytes.len() / rates.len().max(1);
        for (place, (own, &queued)) in self.queues.iter_mut().zip(bytes).enumerate() {
            let whole = rates[place / each].bytes_in(of.update).0.max(1) as f64;
            let is_busy = queued > of.congested_at && own.sent > of.least_sent;
            own.drains = match is_busy {
                true => (own.sent as f64 / whole).clamp(of.min, of.max),
                false => 1.0,
            };
            own.sent = 0;
        }
    }
}

impl SonicAbm {
    /// The policy of one switch.
    pub fn new(config: &Config, context: &BufferContext) -> Self {
        Self {
            sonic: Sonic::new(&config.pools(), context),
            alpha_unscheduled: config.alpha_unscheduled.0,
            unscheduled: context.packets_of(config.unscheduled),
            congested_at: config.congested_at.0 as f64,
            ingress: Side::new(context),
            egress: Side::new(context),
            sampling: Sampling {
                update: config.update.unwrap_or(context.base_rtt.max(Span::ns(1))),
                congested_at: config.congested_at.0,
                least_sent: config.least_sent.0,
                min: config.drain_min,
                max: config.drain_max.unwrap_or(f64::INFINITY),
            },
            timer: None,
        }
    }

    fn sample(&mut self, now: Time, memory: &MemoryView<'_>) {
        self.ingress.sample(self.sampling, memory.rates, memory.ingress);
        self.egress.sample(self.sampling, memory.rates, memory.queues);
        self.timer = (memory.used.0 > 0).then_some(now + self.sampling.update);
    }

    /// A class as a packet finds it: its alphas over n_p, times the drain rates.
    fn class_of(&self, class: Class, number: usize, [origin, place]: [usize; 2]) -> Class {
        Class {
            ingress: class.ingress * self.ingress.share(origin, number),
            egress: class.egress * self.egress.share(place, number),
            ..class
        }
    }
}

impl BufferPolicy for SonicAbm {
    fn probes(&self, to: &mut dyn Probes) {
        self.sonic.probes(to);
        to.number("congested_ingress", self.ingress.congested.iter().sum());
        to.number("congested_egress", self.egress.congested.iter().sum());
    }

    fn sees_switch(&self) -> bool {
        true
    }

    fn admit(
        &mut self,
        cx: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Admission {
        let number = frame.queue.class as usize;
        let Some(mut class) = self.sonic.class(number) else {
            return self.sonic.admit_control(frame, memory);
        };
        if self.timer.is_none() {
            self.sample(cx.now, memory);
            self.timer = Some(cx.now + self.sampling.update);
        }
        let origin = memory.place(QueueId { port: frame.came_in, ..frame.queue });
        let place = memory.place(frame.queue);
        if !class.lossless {
            self.ingress.refresh(origin, number, memory.ingress[origin], self.congested_at);
        }
        self.egress.refresh(place, number, memory.queues[place], self.congested_at);
        let is_first = frame.ahead.is_some_and(|ahead| u64::from(ahead) < self.unscheduled);
        if is_first && !class.lossless {
            (class.ingress, class.egress) = (self.alpha_unscheduled, self.alpha_unscheduled);
        }
        let class = self.class_of(class, number, [origin, place]);
        self.sonic.admit_as(class, frame, memory)
    }

    fn on_join(&mut self, _: &mut SwitchCx<'_>, frame: &Candidate, memory: &MemoryView<'_>) {
        let number = frame.queue.class as usize;
        let Some(class) = self.sonic.class(number) else { return };
        let origin = memory.place(QueueId { port: frame.came_in, ..frame.queue });
        if class.lossless {
            // The threshold is taken with the packet in the pool (Reverie spec, 3.2.5).
            self.ingress.refresh(origin, number, memory.ingress[origin], self.congested_at);
        }
        let class = self.class_of(class, number, [origin, memory.place(frame.queue)]);
        self.sonic.join_as(class, frame, memory);
    }

    fn on_departure(&mut self, cx: &mut SwitchCx<'_>, frame: &Departed, memory: &MemoryView<'_>) {
        if self.sonic.class(frame.queue.class as usize).is_some() && frame.sent {
            let origin = memory.place(QueueId { port: frame.came_in, ..frame.queue });
            self.ingress.queues[origin].sent += frame.bytes.0;
            self.egress.queues[memory.place(frame.queue)].sent += frame.bytes.0;
        }
        self.sonic.on_departure(cx, frame, memory);
    }

    fn next_timer(&self) -> Option<Time> {
        self.timer
    }

    fn on_timer(&mut self, cx: &mut SwitchCx<'_>, memory: &MemoryView<'_>) {
        self.sample(cx.now, memory);
    }

    fn decides_pauses(&self) -> bool {
        self.sonic.decides_pauses()
    }

    fn pauses(&self, ingress: QueueId, paused: bool, memory: &MemoryView<'_>) -> bool {
        let number = ingress.class as usize;
        let Some(class) = self.sonic.class(number) else { return false };
        let place = memory.place(ingress);
        self.sonic.pauses_as(self.class_of(class, number, [place; 2]), ingress, paused, memory)
    }

    fn is_lossless(&self, class: usize) -> bool {
        self.sonic.is_lossless(class)
    }

    fn lacks(&self) -> Option<Lack> {
        self.sonic.lacks()
    }

    fn misfit(&self, frame: Bytes) -> Option<(&'static str, String)> {
        self.sonic.misfit(frame)
    }

    fn shared_size(&self) -> Option<Bytes> {
        self.sonic.shared_size()
    }

    fn pools(&self) -> Option<Pools> {
        self.sonic.pools()
    }
}

#[cfg(test)]
mod tests {
    use super::super::bench::Bench;
    use super::*;

    /// Two classes, the second lossless; `ports` ports at 25 Gbps.
    fn switch(ports: u32, config: Config) -> Bench<SonicAbm> {
        let size = 4_000_000;
        let context = BufferContext {
            size: Bytes(size),
            queues: 2 * ports,
            ports,
            packet: Bytes(1_000),
            payload: Bytes(1_000),
            base_rtt: Span::ns(17_280),
            bdp: Bytes(54_000),
            ..BufferContext::NOMINAL
        };
        let lossless = PerClass::Each(alloc::vec![false, true]);
        let config = Config { lossless, headroom: Some(Bytes(60_000)), ..config };
        Bench::new(SonicAbm::new(&config, &context), size, ports, 2)
    }

    #[test]
    fn queues_of_a_class_share_what_one_may_hold() {
        // alpha / (1 + alpha) of the pool, whatever n is: 0.8 of 4,000,000 - n x 60,000.
        for n in [1, 2, 4] {
            let mut bench = switch(n, Config::default());
            let refused = (0..10_000).filter(|i| !bench.arrive(i % n, 0, i % n, 1_000)).count();
            assert!(refused > 0);
            let pool = 0.8 * f64::from(4_000_000 - n * 60_000);
            let each = pool / 2.0 / f64::from(n);
            for port in 0..n {
                let queued = bench.queued(port, 0) as f64;
                assert!((queued - each).abs() <= 1_000.0, "{n}: {queued}, {each}");
            }
        }
    }

    #[test]
    fn lossless_queues_pause_sooner_the_more_of_them_are_congested() {
        // alpha / n of what is free of the pool at ingress: half of it for one, a quarter each for two.
        for n in [1, 2] {
            let mut bench = switch(3, Config::default());
            let mut packets = 0;
            while !bench.paused.iter().any(|paused| *paused) {
                (0..n).for_each(|port| assert!(bench.arrive(port, 1, 2, 1_000)));
                packets += 1;
            }
            let each = f64::from(4_000_000 - 3 * 60_000) / 2.0 / f64::from(n);
            assert!((f64::from(packets) * 1_000.0 - each).abs() <= 2_000.0, "{n}: {packets}");
        }
    }

    #[test]
    fn drain_rates_are_those_of_busy_queues_and_bounded_where_asked() {
        // Reverie spec, section 4: 17.28 us at 25 Gbps are 54,000 B.
        let drains = |queued: u64, sent: u64, config: Config| {
            let mut bench = switch(1, config);
            (0..queued + sent).for_each(|_| assert!(bench.arrive(0, 0, 0, 1_000)));
            (0..sent).for_each(|_| bench.depart(0, 0));
            bench.now += Span::ns(17_280);
            bench.call_timer();
            let own = &bench.policy;
            assert_eq!(own.ingress.queues[0].drains, own.egress.queues[0].drains);
            own.egress.queues[0].drains
        };
        assert_eq!(drains(30, 27, Config::default()), 0.5);
        // Not longer than 20,480 B, or no more than 2,048 B sent.
        assert_eq!([drains(20, 27, Config::default()), drains(30, 2, Config::default())], [1.0; 2]);
        assert_eq!(drains(30, 3, Config::default()), 3.0 / 54.0);
        assert_eq!(drains(30, 108, Config::default()), 2.0);
        let bounded = Config { drain_min: 0.125, drain_max: Some(1.0), ..Config::default() };
        assert_eq!([drains(30, 3, bounded.clone()), drains(30, 108, bounded)], [0.125, 1.0]);
    }

    #[test]
    fn a_slow_drain_shrinks_what_a_lossless_queue_may_hold() {
        let mut bench = switch(2, Config::default());
        (0..40).for_each(|_| assert!(bench.arrive(0, 1, 1, 1_000)));
        (0..3).for_each(|_| bench.depart(1, 1));
        bench.now += Span::ns(17_280);
        bench.call_timer();
        // 3 of 54: some 3,843,000 B are free of 3,880,000, so that it may hold 213,500 - q / 18.
        let mut held = 37;
        while !bench.paused[1] {
            assert!(bench.arrive(0, 1, 1, 1_000));
            held += 1;
        }
        // q = (3,880,000 - q) / 18.
        assert_eq!(held, 3_880 / 19 + 1);
    }

    #[test]
    fn unscheduled_packets_of_lossy_classes_use_what_is_free() {
        let config =
            Config { unscheduled: Limited(Size::Bytes(Bytes(2_500))), ..Config::default() };
        let mut bench = switch(2, config);
        while bench.arrive(0, 0, 1, 1_000) {}
        let mut kept = |ahead| bench.arrive_as(0, 0, 1, 1_000, (Some(ahead), None));
        assert_eq!([0, 2, 3].map(&mut kept), [true, true, false]);
    }
}
