//! Cisco's intelligent buffer: dynamic thresholds, and approximate fair dropping (AFD) of flows that
//! send more than their share.
//!
//! ABM spec, section 4. In each window a queue's fair amount moves towards what keeps the queue at
//! `reference`: M_fair = max(0, M_fair - a1 (q - Q_ref) + a2 (q_old - Q_ref)). A flow of which M bytes
//! came in the last window is dropped with probability 1 - min(15 M, M_fair) / (15 M), but only where
//! its queue is longer than `acts_above`. Windows end when the first packet after their time comes to
//! the port, as in the authors' ns-3 code: where nothing comes, nothing is to be decided.
//!
//! `mode = "released"` is that code. It counts M by class, and asks `DropAfd(class, probability)` for
//! what is declared as `(probability, class)`: the coin always falls, and the queue it looks at is
//! number 0, of ACKs, or number 1, the first of data, where the probability is 1. So M never decides,
//! and what remains beside the thresholds is that nothing joins a port whose first queue of data is
//! longer than `acts_above` while the fair amount of the packet's queue is 0.
//!
//! Readings: a flow that sent nothing in the last window is not dropped. Not here: the queue of their
//! own that short flows may have (DPP), which is off in all published runs.

use super::classes::{Alpha, Alphas, PerClass};
use super::flows::Flows;
use super::{Admission, Arriving, BufferContext, BufferPolicy, Candidate, MemoryView, QueueId};
use crate::probe::Probes;
use crate::size::{Limited, Size};
use crate::units::{Bytes, Span, Time};
use crate::{Card, SwitchCx};
use alloc::string::String;
use alloc::vec::Vec;

/// What `raddle schemes cisco_ib` says.
pub const CARD: Card = Card {
    name: "cisco_ib",
    title: "Cisco IB",
    paper: "Pan, Breslau, Prabhakar and Shenker, Approximate fairness through differential dropping, CCR 2003; Cisco, Intelligent buffer management on Nexus 9000, 2017",
    needs: &[],
    summary: "Dynamic thresholds, and in long queues early drops of the flows that send most. What some data-centre switches ship with.",
};

crate::words! {
    /// Whose rules.
    pub enum Mode {
        /// Those that are published.
        Paper = "paper",
        /// Those of the ABM authors' code.
        Released = "released",
    }
}

crate::parameters! {
    /// Parameters of Cisco's intelligent buffer.
    pub struct Config {
        /// `paper`, or `released`: the rules of the ABM authors' ns-3 code, in which the flow never
        /// decides.
        pub mode: Mode = Mode::Paper;
        /// The most that a queue may hold, over what is free; a list has one for each data class.
        pub alpha: PerClass<Alpha> = PerClass::All(Alpha(0.5));
        /// How often fair amounts move.
        pub window: Span = Span::us(50), in Span::ns(1)..;
        /// The length at which a queue is to stay (`bdp`: what the fastest host sends in the longest
        /// round trip).
        pub reference: Limited = Limited(Size::Bdp(1.0));
        /// a1: how far a fair amount moves for a queue's distance from `reference`.
        pub gain: f64 = 1.8, in 0.0..=1000.0;
        /// a2: how far it moves back for the distance of the window before.
        pub gain_before: f64 = 1.7, in 0.0..=1000.0;
        /// Fair amounts at the start.
        pub fair_start: Bytes = Bytes(4_000_000);
        /// Nothing is dropped early from a queue that is not longer.
        pub acts_above: Limited = Limited(Size::Bytes(Bytes(150 * 1024)));
    }
}

/// Over so many times its bytes a flow's fair amount leaves it alone (spec: 15 M).
const TOLERANCE: f64 = 15.0;

/// One switch's fair amounts and counts.
#[derive(Clone, Debug)]
pub struct CiscoIb {
    mode: Mode,
    /// Per class of data.
    alpha: Alphas,
    window: Span,
    reference: f64,
    gain: f64,
    gain_before: f64,
    acts_above: u64,
    size: u64,
    ports: Vec<Port>,
    /// By place.
    queues: Vec<Queue>,
    flows: Flows<Count>,
}

/// A port's window.
#[derive(Clone, Copy, Debug)]
struct Port {
    since: Time,
    number: u64,
}

/// A queue at a port.
#[derive(Clone, Copy, Debug)]
struct Queue {
    /// M_fair.
    fair: f64,
    /// Its length at the end of the last window.
    before: u64,
}

/// What came of a flow.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    window: u64,
    /// In that window.
    bytes: u64,
    /// M: in the one before.
    before: u64,
}

impl Count {
    /// A packet has come in a window; returns M.
    fn come(&mut self, window: u64, bytes: u64) -> u64 {
        if self.window != window {
            self.before = if self.window + 1 == window { self.bytes } else { 0 };
            (self.window, self.bytes) = (window, 0);
        }
        self.bytes += bytes;
        self.before
    }
}

impl CiscoIb {
    /// The policy of one switch.
    pub fn new(config: &Config, context: &BufferContext) -> Self {
        let base = context.base();
        let queue = Queue { fair: config.fair_start.0 as f64, before: 0 };
        Self {
            mode: config.mode,
            alpha: Alphas::of(&config.alpha, context.data_classes()),
            window: config.window,
            reference: config.reference.0.resolve(&base).0 as f64,
            gain: config.gain,
            gain_before: config.gain_before,
            acts_above: config.acts_above.0.resolve(&base).0,
            size: context.size.0,
            ports: alloc::vec![Port { since: Time::ZERO, number: 0 }; context.ports as usize],
            queues: alloc::vec![queue; context.places()],
            flows: Flows::new(Span(config.window.0.saturating_mul(2))),
        }
    }

    /// A frame has come to a port: its window ends, if its time is over.
    fn end_window(&mut self, now: Time, port: u32, memory: &MemoryView<'_>) {
        let own = &mut self.ports[port as usize];
        if now.since(own.since) <= self.window {
            return;
        }
        (own.since, own.number) = (now, own.number + 1);
        for class in 0..memory.classes {
            let place = memory.place(QueueId { port, class });
            let (queue, queued) = (&mut self.queues[place], memory.queues[place]);
            let step = self.gain_before * (queue.before as f64 - self.reference)
                - self.gain * (queued as f64 - self.reference);
            *queue = Queue { fair: (queue.fair + step).max(0.0), before: queued };
        }
    }

    /// Whether a packet that is below its threshold is dropped all the same.
    fn drops_early(
        &self,
        cx: &mut SwitchCx<'_>,
        queue: QueueId,
        sent: u64,
        view: &MemoryView<'_>,
    ) -> bool {
        let is_long = |queue| view.queues[view.place(queue)] > self.acts_above;
        let fair = self.queues[view.place(queue)].fair;
        if self.mode == Mode::Released {
            // The code's fair amount is a whole number there.
            let asked = if fair < 1.0 { 0 } else { view.classes - 1 };
            return is_long(QueueId { class: asked, ..queue });
        }
        let most = TOLERANCE * sent as f64;
        is_long(queue) && fair < most && cx.rng.unit() < 1.0 - fair / most
    }
}

impl BufferPolicy for CiscoIb {
    fn probes(&self, to: &mut dyn Probes) {
        to.count("flows", self.flows.len() as u64);
    }

    fn sees_switch(&self) -> bool {
        true
    }

    fn admits(&self, frame: &Arriving) -> bool {
        let free = self.size.saturating_sub(frame.used.0);
        frame.queued.0 + frame.bytes.0 <= (self.alpha.most() * free as f64) as u64
    }

    /// By its threshold, or early.
    fn may_refuse(&self, frame: &Arriving) -> bool {
        let free = self.size.saturating_sub(frame.used.0);
        let least = (self.alpha.least() * free as f64) as u64;
        frame.queued.0 + frame.bytes.0 > least || frame.queued.0 > self.acts_above
    }

    fn misfit(&self, frame: Bytes) -> Option<(&'static str, String)> {
        self.alpha.misfit(frame, self.size)
    }

    fn admit(
        &mut self,
        cx: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Admission {
        let QueueId { port, class } = frame.queue;
        self.end_window(cx.now, port, memory);
        if !memory.is_data(frame.queue) {
            return Admission::Keep;
        }
        let window = self.ports[port as usize].number;
        let sent = match self.mode {
            Mode::Released => 0,
            Mode::Paper => {
                let count = self.flows.come(cx.now, frame);
                count.map_or(0, |count| count.come(window, frame.bytes.0))
            }
        };
        let queued = memory.queues[memory.place(frame.queue)];
        let threshold = (self.alpha.at(class) * memory.free().0 as f64) as u64;
        let fits = queued + frame.bytes.0 <= threshold;
        if fits && !self.drops_early(cx, frame.queue, sent, memory) {
            Admission::Keep
        } else {
            Admission::Refuse
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bench::Bench;
    use super::*;

    /// A switch of one port with two classes, whose first queue holds 200,000 B.
    fn long_queue(mode: Mode) -> Bench<CiscoIb> {
        let context = BufferContext {
            size: Bytes(4_000_000),
            ports: 1,
            queues: 2,
            bdp: Bytes(100_000),
            ..BufferContext::NOMINAL
        };
        let policy = CiscoIb::new(&Config { mode, ..Config::default() }, &context);
        let mut bench = Bench::new(policy, 4_000_000, 1, 2);
        (0..200).for_each(|_| assert!(bench.arrive(0, 0, 0, 1_000)));
        bench
    }

    #[test]
    fn a_fair_amount_falls_while_the_queue_is_above_its_reference() {
        // Q_ref 100,000: first -1.8 x 100,000 - 1.7 x 100,000, then (1.7 - 1.8) x 100,000 a window.
        for mode in [Mode::Paper, Mode::Released] {
            let mut bench = long_queue(mode);
            let fair = |bench: &mut Bench<CiscoIb>| {
                bench.now += Span::us(51);
                // A frame of control ends the window, too, and leaves the queue as it is.
                bench.arrive(0, 2, 0, 64);
                bench.policy.queues[0].fair
            };
            assert_eq!(fair(&mut bench), 4_000_000.0 - 350_000.0);
            assert_eq!(fair(&mut bench), 3_650_000.0 - 10_000.0);
            bench.now += Span::us(49);
            bench.arrive(0, 2, 0, 64);
            assert_eq!(bench.policy.queues[0].fair, 3_640_000.0);
            // The other queue of the port, empty: 1.8 x 100,000 - 1.7 x 100,000 each.
            assert_eq!(bench.policy.queues[1].fair, 4_020_000.0);
        }
    }

    #[test]
    fn flows_above_their_fair_share_lose_and_others_do_not() {
        let mut bench = long_queue(Mode::Paper);
        bench.policy.queues[0].fair = 375_000.0;
        (bench.policy.gain, bench.policy.gain_before) = (0.0, 0.0);
        let window = |bench: &mut Bench<CiscoIb>, small: u64, packets: u64| {
            bench.now += Span::us(51);
            let mut kept = [0, 0];
            for i in 0..packets {
                for flow in 0..2 {
                    if flow == 0 || i < small {
                        let is_kept = bench.arrive_as(0, 0, 0, 1_000, (None, Some(flow)));
                        kept[flow as usize] += u64::from(is_kept);
                    }
                }
            }
            kept
        };
        assert_eq!(window(&mut bench, 25, 100), [100, 25], "M is 0 before the first window");
        // 15 M is 1,500,000 of one, of which a quarter is fair, and 375,000 of the other.
        let mut kept = [0, 0];
        for _ in 0..40 {
            let own = window(&mut bench, 25, 100);
            kept = [kept[0] + own[0], kept[1] + own[1]];
            while bench.queued(0, 0) > 200_000 {
                bench.depart(0, 0);
            }
        }
        assert_eq!(kept[1], 40 * 25);
        let share = kept[0] as f64 / 4_000.0;
        assert!((0.22..0.28).contains(&share), "{share}");
    }

    #[test]
    fn short_queues_lose_nothing_early() {
        let mut bench = long_queue(Mode::Paper);
        (0..60).for_each(|_| bench.depart(0, 0));
        bench.policy.queues[0].fair = 0.0;
        for _ in 0..2 {
            bench.now += Span::us(51);
            assert!((0..5).all(|_| bench.arrive_as(0, 0, 0, 1_000, (None, Some(1)))));
        }
    }

    #[test]
    fn the_released_code_looks_at_the_first_queue_of_data_while_nothing_is_fair() {
        // memory-constants, mistake 2.
        let mut bench = long_queue(Mode::Released);
        assert!(
            bench.arrive_as(0, 0, 0, 1_000, (None, Some(1)))
                && bench.arrive_as(0, 1, 0, 1_000, (None, Some(1)))
        );
        bench.policy.queues[0].fair = 0.9;
        // Whatever the flow sent; and of the class itself.
        assert!(!bench.arrive_as(0, 0, 0, 1_000, (None, None)));
        assert!(bench.arrive_as(0, 1, 0, 1_000, (None, Some(1))), "its own fair amount is not 0");
        bench.policy.queues[1].fair = 0.0;
        assert!(!bench.arrive_as(0, 1, 0, 1_000, (None, Some(1))), "its own queue is short");
        // 201,000 B to 153,000 B: not longer than 150 KiB.
        (0..48).for_each(|_| bench.depart(0, 0));
        assert!(bench.arrive_as(0, 1, 0, 1_000, (None, Some(1))));
    }
}
