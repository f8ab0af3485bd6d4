//! ABM, active buffer management: dynamic thresholds over the number of congested queues, times the
//! rate at which a queue drains.
//!
//! Thesis chapter 4, equation 4.9 (ABM spec, 2): a queue of class p at port i may hold
//! alpha / n_p * (mu / b) * (B - Q), with n_p the congested queues of its class over all ports, mu / b
//! its drain rate over that of the fastest port, and Q of the B bytes of memory used. Packets that
//! are sent before the sender can have heard of any other have an alpha of their own: they may use
//! what the others leave.
//!
//! n_p and mu are sampled every `update`; B - Q is always the present. The tag of the first round trip
//! is a host's in the paper; here the packet's number says the same, of packets sent for the first
//! time (`unscheduled`).
//!
//! `mode = "released"` is the ns-3 code (spec 2.3 to 2.5): a queue counts as congested by its length
//! over 20 packets, at most 1, and as it was when the last packet came for it; drain rates below an
//! equal share of the port count as 1. Not here: that its round robin credits a queue that it finds
//! empty with a packet, which only takes the rate of a queue that is seldom used from 1 to 1.
//!
//! Readings of the paper: a packet that finds at least 0.9 of its queue's threshold, taken with the
//! last n_p (spec pitfall 7), makes the queue count as congested until one finds less or the queue
//! is empty; sampled between arrivals, all queues of a full memory would look uncongested. A queue
//! is backlogged that was not empty at any time since the last sample; another drains at full rate.
//! A rate is at least a packet per sample, since it shall be above 0.

use super::classes::{Alpha, PerClass};
use super::{Admission, BufferContext, BufferPolicy, Candidate, Left, MemoryView, QueueId};
use crate::probe::Probes;
use crate::size::{Limited, Size};
use crate::units::{Rate, Span, Time};
use crate::{Card, SwitchCx};
use alloc::vec::Vec;

/// What `raddle schemes abm` says.
pub const CARD: Card = Card {
    name: "abm",
    title: "ABM",
    paper: "Addanki, Apostolaki, Ghobadi, Schmid and Vanbever, ABM: active buffer management in datacenters, SIGCOMM 2022",
    needs: &[],
    summary: "Dynamic thresholds that shrink with the congested queues of a class and with slow draining, and leave the first round trip of a flow what is free. For bursts beside long flows.",
};

/// As many as there are data classes, and control.
const CLASSES: usize = 9;

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
    /// Parameters of ABM.
    pub struct Config {
        /// `paper`, or `released`: the rules of the authors' ns-3 code.
        pub mode: Mode = Mode::Paper;
        /// The most that the queues of a class may hold, over what is free; a list has one for each data
        /// class.
        pub alpha: PerClass<Alpha> = PerClass::All(Alpha(0.5));
        /// The same for unscheduled packets; 0.001 to 1000000 (the released code has 1024).
        pub alpha_unscheduled: f64 = 64.0, in 0.001..=1_000_000.0;
        /// The same for ACKs and other control, a class of their own (in the released code unscheduled,
        /// too: 1024); `auto`: a queue of control has no threshold, and ACKs that queue with data have
        /// that of data.
        pub alpha_acks: Option<Alpha> = None => quiet;
        /// The first bytes of a message that are unscheduled, in bytes of payload (`bdp`: what the fastest
        /// host sends in the longest round trip).
        pub unscheduled: Limited = Limited(Size::Bdp(1.0));
        /// How often congested queues and drain rates are sampled; `auto`: every longest round trip.
        pub update: Option<Span> = None, in Span::ns(1)..;
    }
}

/// One switch's thresholds.
#[derive(Clone, Debug)]
pub struct Abm {
    mode: Mode,
    /// Per class of data.
    alpha: Vec<f64>,
    alpha_unscheduled: f64,
    alpha_acks: Option<f64>,
    /// Packets of a message, from its first on.
    unscheduled: u64,
    update: Span,
    /// Length at which the released code takes a queue for congested.
    congested_at: f64,
    packet: u64,
    timer: Option<Time>,
    queues: Vec<Queue>,
    /// Congested queues per class, control's last, as last sampled; at least 1.
    congested: Vec<f64>,
}

/// What is known of a queue.
#[derive(Clone, Copy, Debug)]
struct Queue {
    /// What it adds to the congested ones of its class.
    mark: f64,
    /// Bytes sent since the last sample.
    sent: u64,
    /// Whether it has not been empty since.
    backlogged: bool,
    /// Its drain rate over the fastest port's.
    drains: f64,
}

impl Abm {
    /// The policy of one switch.
    pub fn new(config: &Config, context: &BufferContext) -> Self {
        let idle = Queue { mark: 0.0, sent: 0, backlogged: false, drains: 1.0 };
        let packet = context.packet.0.max(1);
        Self {
            mode: config.mode,
            alpha: (0..context.data_classes()).map(|class| config.alpha.of(class).0).collect(),
            alpha_unscheduled: config.alpha_unscheduled,
            alpha_acks: config.alpha_acks.map(|alpha| alpha.0),
            unscheduled: context.packets_of(config.unscheduled),
            update: config.update.unwrap_or(context.base_rtt.max(Span::ns(1))),
            congested_at: 20.0 * packet as f64,
            packet,
            timer: None,
            queues: alloc::vec![idle; context.places()],
            congested: alloc::vec![1.0; context.data_classes() + 1],
        }
    }

    /// What a queue may hold.
    fn threshold(&self, alpha: f64, place: usize, memory: &MemoryView<'_>) -> u64 {
        let congested = self.congested[place % memory.classes as usize];
        (alpha * memory.free().0 as f64 / congested * self.queues[place].drains) as u64
    }

    /// The alpha of a queue's class; none, where it is one of control without a threshold.
    fn alpha_of(&self, queue: QueueId) -> Option<f64> {
        self.alpha.get(queue.class as usize).copied().or(self.alpha_acks)
    }

    /// How congested a queue is that a frame finds, of a class with this alpha: 0 to 1.
    fn mark(&self, alpha: f64, place: usize, memory: &MemoryView<'_>) -> f64 {
        let queued = memory.queues[place] as f64;
        match self.mode {
            Mode::Released => (queued / self.congested_at).min(1.0),
            Mode::Paper => {
                let threshold = self.threshold(alpha, place, memory) as f64;
                f64::from(u8::from(queued > 0.0 && queued >= 0.9 * threshold))
            }
        }
    }

    /// Whether a frame of a class with this alpha is kept.
    fn keeps(&self, frame: &Candidate, alpha_of_class: f64, memory: &MemoryView<'_>) -> bool {
        let is_unscheduled = frame.ahead.is_some_and(|ahead| u64::from(ahead) < self.unscheduled);
        let alpha = match self.alpha_acks {
            Some(alpha) if frame.flow.is_none() => alpha,
            _ if is_unscheduled => self.alpha_unscheduled,
            _ => alpha_of_class,
        };
        let place = memory.place(frame.queue);
        let fits = memory.queues[place] + frame.bytes.0 <= self.threshold(alpha, place, memory);
        // The released code asks for more room than the packet's.
        fits && (self.mode == Mode::Paper || frame.bytes < memory.free())
    }

    /// Samples drain rates and congested queues (spec 2.5).
    fn sample(&mut self, now: Time, memory: &MemoryView<'_>) {
        let fastest = memory.rates.iter().copied().max().unwrap_or(Rate::gbps(1));
        let whole = fastest.bytes_in(self.update).0.max(1) as f64;
        let fair = 1.0 / f64::from(memory.classes);
        for (own, &queued) in self.queues.iter_mut().zip(memory.queues) {
            let share = own.sent.max(self.packet) as f64 / whole;
            own.drains = match self.mode {
                Mode::Paper if own.backlogged => share.min(1.0),
                Mode::Released if (fair..=1.0).contains(&(own.sent as f64 / whole)) => share,
                _ => 1.0,
            };
            own.sent = 0;
            own.backlogged = queued > 0;
        }
        let mut sums = [0.0; CLASSES];
        for (place, own) in self.queues.iter().enumerate() {
            sums[place % memory.classes as usize] += own.mark;
        }
        for (own, sum) in self.congested.iter_mut().zip(sums) {
            *own = sum.max(1.0);
        }
        self.timer = (memory.used.0 > 0).then_some(now + self.update);
    }
}

impl BufferPolicy for Abm {
    fn probes(&self, to: &mut dyn Probes) {
        to.number("congested", self.congested.iter().sum());
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
        let Some(alpha) = self.alpha_of(frame.queue) else { return Admission::Keep };
        let place = memory.place(frame.queue);
        self.queues[place].mark = self.mark(alpha, place, memory);
        if self.timer.is_none() {
            self.sample(cx.now, memory);
            self.timer = Some(cx.now + self.update);
        }
        if self.keeps(frame, alpha, memory) { Admission::Keep } else { Admission::Refuse }
    }

    fn hears_sums(&self) -> bool {
        // Queues of control are not seen as they are before all ports have been looked at.
        self.alpha_acks.is_none()
    }

    /// Whatever has left, no less is free, and thresholds are no lower: what is kept stays so, and of
    /// marks what does not go by a threshold or is none.
    fn admit_early(
        &mut self,
        _: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Option<bool> {
        let Some(alpha) = self.alpha_of(frame.queue) else { return Some(true) };
        // The first sample sees all queues.
        self.timer?;
        let place = memory.place(frame.queue);
        let mark = self.mark(alpha, place, memory);
        let is_sure = self.mode == Mode::Released || mark <= 0.0;
        (is_sure && self.keeps(frame, alpha, memory)).then(|| {
            self.queues[place].mark = mark;
            true
        })
    }

    fn on_left(&mut self, left: &Left, memory: &MemoryView<'_>) {
        let place = memory.place(left.queue);
        let own = &mut self.queues[place];
        own.sent += if left.sent { left.bytes.0 } else { 0 };
        if memory.queues[place] == 0 {
            own.backlogged = false;
            if self.mode == Mode::Paper {
                own.mark = 0.0;
            }
        }
    }

    fn next_timer(&self) -> Option<Time> {
        self.timer
    }

    fn on_timer(&mut self, cx: &mut SwitchCx<'_>, memory: &MemoryView<'_>) {
        self.sample(cx.now, memory);
    }
}

#[cfg(test)]
mod tests {
    use super::super::slotted;
    use super::*;
    use crate::rng::Rng;
    use crate::units::Bytes;

    fn queue(drains: f64) -> Queue {
        Queue { mark: 0.0, sent: 0, backlogged: true, drains }
    }

    #[test]
    fn a_frame_that_reaches_the_threshold_is_kept_and_an_unscheduled_one_uses_what_is_free() {
        // ABM spec, section 6, item 9: B = 1,000,000, Q = 400,000, n = 3, gamma = 0.5.
        let context = BufferContext {
            size: Bytes(1_000_000),
            packet: Bytes(1_500),
            bdp: Bytes(100_000),
            ..BufferContext::NOMINAL
        };
        let mut policy = Abm::new(&Config::default(), &context);
        policy.queues = alloc::vec![queue(0.5); 16];
        policy.congested = alloc::vec![3.0, 1.0];
        policy.timer = Some(Time(1));
        let mut answer = |queued, ahead| {
            let mut queues = [0; 16];
            queues[0] = queued;
            let memory = MemoryView {
                size: context.size,
                used: Bytes(400_000),
                classes: 2,
                queues: &queues,
                ingress: &queues,
                rates: &[Rate::gbps(10); 8],
            };
            let mut rng = Rng::new(1, "abm", 0);
            let mut cx = SwitchCx { now: Time::ZERO, rng: &mut rng };
            let frame = Candidate { bytes: Bytes(1_500), ahead, ..slotted::candidate(0) };
            policy.admit(&mut cx, &frame, &memory)
        };
        assert_eq!(answer(48_500, None), Admission::Keep);
        assert_eq!(answer(48_501, None), Admission::Refuse);
        // 100,000 B are the first 67 packets of 1,500 B.
        assert_eq!(answer(48_501, Some(66)), Admission::Keep);
        assert_eq!(answer(48_501, Some(67)), Admission::Refuse);
    }

    #[test]
    fn acks_have_an_alpha_of_their_own_in_either_queue() {
        let context = BufferContext { size: Bytes(100_000), ..BufferContext::NOMINAL };
        let answer = |alpha_acks: Option<Alpha>, class: u32, flow: Option<u32>, queued: u64| {
            let mut policy = Abm::new(&Config { alpha_acks, ..Config::default() }, &context);
            policy.timer = Some(Time(1));
            let mut queues = [0; 16];
            queues[class as usize] = queued;
            let memory = MemoryView {
                size: context.size,
                used: Bytes(60_000),
                classes: 2,
                queues: &queues,
                ingress: &queues,
                rates: &[Rate::gbps(10); 8],
            };
            let mut rng = Rng::new(1, "abm", 0);
            let mut cx = SwitchCx { now: Time::ZERO, rng: &mut rng };
            let queue = QueueId { port: 0, class };
            let bytes = Bytes(1_000);
            let frame = Candidate { queue, came_in: 1, bytes, ahead: None, flow };
            policy.admit(&mut cx, &frame, &memory) == Admission::Keep
        };
        // 40,000 B are free: a quarter of that are 10,000 B, half of it 20,000 B.
        let quarter = Some(Alpha(0.25));
        assert!(answer(quarter, 1, None, 9_000) && !answer(quarter, 1, None, 9_001));
        assert!(answer(quarter, 0, None, 9_000) && !answer(quarter, 0, None, 9_001));
        assert!(answer(quarter, 0, Some(1), 19_000) && !answer(quarter, 0, Some(1), 19_001));
        // Else control has no threshold, and ACKs among data have that of data.
        assert!(answer(None, 1, None, 59_000));
        assert!(answer(None, 0, None, 19_000) && !answer(None, 0, None, 19_001));
    }

    #[test]
    fn bytes_of_the_first_round_trip_are_payload() {
        // memory-constants, section 3: 30,000 B are 22 packets of 1,400 B, whatever their headers.
        let context = BufferContext {
            packet: Bytes(1_464),
            payload: Bytes(1_400),
            bdp: Bytes(30_000),
            ..BufferContext::NOMINAL
        };
        let of = |unscheduled| {
            let config = Config { unscheduled: Limited(unscheduled), ..Config::default() };
            Abm::new(&config, &context).unscheduled
        };
        assert_eq!(of(Size::Bytes(Bytes(30_000))), 22);
        assert_eq!(of(Size::Bytes(Bytes(22 * 1_400))), 22);
        assert_eq!([of(Size::Bdp(1.0)), of(Size::Packets(21.0))], [21, 21]);
    }

    #[test]
    fn drain_rates_are_sampled_as_the_paper_or_its_code_has_them() {
        // Item 10: 80 us at 10 Gbps are 100,000 B; 8 queues per port, that of control included.
        let context = BufferContext {
            queues: 7,
            ports: 1,
            packet: Bytes(1_500),
            base_rtt: Span::us(80),
            ..BufferContext::NOMINAL
        };
        let queues = [5_000, 0, 0, 0, 0, 0, 0, 0];
        let memory = MemoryView {
            size: context.size,
            used: Bytes(5_000),
            classes: 8,
            queues: &queues,
            ingress: &queues,
            rates: &[Rate::gbps(10)],
        };
        let sampled = |mode, sent| {
            let mut policy = Abm::new(&Config { mode, ..Config::default() }, &context);
            (policy.queues[0].sent, policy.queues[0].backlogged) = (sent, true);
            policy.sample(Time::ZERO, &memory);
            policy.queues[0].drains
        };
        let released = [50_000, 10_000, 0].map(|sent| sampled(Mode::Released, sent));
        assert_eq!(released, [0.5, 1.0, 1.0]);
        let paper = [50_000, 10_000, 0].map(|sent| sampled(Mode::Paper, sent));
        assert_eq!(paper, [0.5, 0.1, 0.015]);
    }

    /// Lengths at which `n` queues settle that get two packets each per slot, out of `size`.
    fn settled(n: u32, size: u64, policy: &mut impl BufferPolicy) -> Vec<u64> {
        let slots = alloc::vec![(0..n).chain(0..n).collect(); 3 * size as usize];
        slotted::run(policy, n, size, &slots).queues
    }

    #[test]
    fn all_queues_of_a_class_together_hold_what_one_may() {
        // Item 2, scaled: B = 3,932 packets; alpha / (1 + alpha) B is 1,310 whatever n is.
        for n in [1, 4, 32] {
            let context = slotted::context(n, 3_932);
            let config = Config { unscheduled: Limited(Size::Packets(0.0)), ..Config::default() };
            let queues = settled(n, 3_932, &mut Abm::new(&config, &context));
            let each = 3_932.0 / 3.0 / f64::from(n);
            assert!(queues.iter().all(|&own| (own as f64 - each).abs() <= 1.0), "{n}: {queues:?}");
        }
    }
}
