//! Credence: follow longest queue drop without pushing out, with predictions of what it would drop.
//!
//! Thesis chapter 6, algorithm 4 (spec 2.2). A counter per queue goes as longest queue drop's queue
//! would ([`follow_lqd`](super::follow_lqd)). While the longest queue is below B / N everything is
//! kept; else a packet has to be below its queue's counter, find room, and be predicted to survive.
//! N is the number of the switch's queues of data.
//!
//! Mode `released` is the ns-3 code (spec 2.4): a counter falls to 0 when its queue becomes empty,
//! a longest queue of exactly B / N is still safe, and the oracle is asked before room is looked for,
//! of which there has to be more than the packet's.
//!
//! Reading: the text has one model; the code has one for each switch. Both can be given.

use super::features::Averages;
use super::forest::{Features, Forest, Forests};
use super::late::LateAverages;
use super::virtual_lqd::Thresholds;
use super::{Admission, BufferContext, BufferPolicy, Candidate, Departed, Left, MemoryView};
use crate::probe::Probes;
use crate::rng::Rng;
use crate::units::Bytes;
use crate::{Card, SwitchCx};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// What `raddle schemes credence` says.
pub const CARD: Card = Card {
    name: "credence",
    title: "Credence",
    paper: "Addanki, Pacut and Schmid, Credence: augmenting datacenter switch buffer sharing with ML predictions, NSDI 2024",
    needs: &[],
    summary: "Keeps what longest queue drop would, where `oracle` predicts well, and is never N times worse. Without push-out.",
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
    /// Parameters of Credence.
    pub struct Config {
        /// `paper`, or `released`: the rules of the authors' ns-3 code.
        pub mode: Mode = Mode::Paper;
        /// What predicts drops: a random forest, its trees separated by `;`, or one for each switch,
        /// separated by bars; `0` predicts none, `1` all.
        pub oracle: Forests = Forests::constant(false);
        /// How often a prediction is turned round: a probability.
        pub flip: f64 = 0.0, in 0.0..=1.0;
    }
}

/// Predicts whether longest queue drop would drop a packet.
#[derive(Clone, Debug)]
enum Oracle {
    Forest(Arc<Forest>),
    /// By the number of the packet among all that came.
    Labels(Arc<[bool]>),
}

/// What the oracle is to imitate: the policy whose drops it is trained on (spec 2.5).
pub const TEACHER: &str = super::longest_queue_drop::CARD.name;

/// One switch's counters.
#[derive(Clone, Debug)]
pub struct Credence {
    mode: Mode,
    oracle: Oracle,
    flip: f64,
    thresholds: Thresholds,
    queues: u64,
    /// Packets of data so far.
    arrivals: usize,
    averages: LateAverages,
    /// Why the oracle does not fit the fabric.
    misfit: Option<String>,
}

impl Credence {
    /// The policy of one switch.
    pub fn new(config: &Config, context: &BufferContext) -> Self {
        let forest = config.oracle.of(context.switch);
        let places = context.places();
        Self {
            mode: config.mode,
            flip: config.flip,
            thresholds: Thresholds::new(context, config.mode == Mode::Released),
            queues: u64::from(context.queues.max(1)),
            arrivals: 0,
            averages: LateAverages::new(
                Averages::new(places, forest.reads_averages(), context.base_rtt),
                places,
            ),
            oracle: Oracle::Forest(Arc::new(forest.clone())),
            misfit: config.oracle.misfit(context.switches),
        }
    }

    /// With a prediction for each packet of data, in order of arrival: what a first run gave.
    pub fn with_labels(config: &Config, context: &BufferContext, labels: Vec<bool>) -> Self {
        let oracle = Oracle::Labels(labels.into());
        Self { oracle, ..Self::new(config, context) }
    }

    /// The prediction for a packet, turned round as often as it shall be.
    fn predicts_drop(&self, rng: &mut Rng, number: usize, features: &Features) -> bool {
        let drop = match &self.oracle {
            Oracle::Forest(forest) => forest.predicts_drop(features),
            Oracle::Labels(labels) => labels.get(number).copied().unwrap_or(false),
        };
        let turned = self.flip > 0.0 && rng.unit() < self.flip;
        drop != turned
    }

    /// Whether there is as much room as a frame needs.
    fn has_room(&self, frame: &Candidate, memory: &MemoryView<'_>) -> bool {
        match self.mode {
            Mode::Released => frame.bytes < memory.free(),
            Mode::Paper => frame.bytes <= memory.free(),
        }
    }

    /// Whether no prediction is one of a drop, nor turned round.
    fn never_predicts_drop(&self) -> bool {
        let constant = matches!(&self.oracle, Oracle::Forest(forest) if forest.never_drops());
        constant && self.flip <= 0.0
    }
}

/// Whether everything is safe: the longest of `queues` queues is below its part of the memory.
fn is_safe(mode: Mode, longest: u64, queues: u64, size: u64) -> bool {
    let (all, size) = (u128::from(longest) * u128::from(queues), u128::from(size));
    if mode == Mode::Released { all <= size } else { all < size }
}

impl BufferPolicy for Credence {
    fn probes(&self, to: &mut dyn Probes) {
        self.thresholds.probes(to);
        to.count("arrivals", self.arrivals as u64);
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
        if !memory.is_data(frame.queue) {
            return Admission::Keep;
        }
        if self.averages.are_late() {
            self.averages.settle(memory);
        }
        let number = self.arrivals;
        self.arrivals += 1;
        let threshold = self.thresholds.arrive(cx.now, frame, memory);
        let released = self.mode == Mode::Released;
        let has_room = self.has_room(frame, memory);
        let longest = memory.longest().map_or(0, |(_, bytes)| bytes);
        if is_safe(self.mode, longest, self.queues, memory.size.0) {
            return if has_room { Admission::Keep } else { Admission::Refuse };
        }
        let place = memory.place(frame.queue);
        if memory.queues[place] + frame.bytes.0 > threshold || !(has_room || released) {
            return Admission::Refuse;
        }
        let features = self.averages.features(place, memory);
        let drop = self.predicts_drop(cx.rng, number, &features);
        if drop || !has_room { Admission::Refuse } else { Admission::Keep }
    }

    fn hears_sums(&self) -> bool {
        true
    }

    fn hears_frames(&self) -> bool {
        self.averages.are_read()
    }

    /// While counters fit together, an arrival changes no other; and where both rules say the same, or
    /// its own queue is not safe, others do not matter. What a forest says, or chance, is left to
    /// [`admit`](BufferPolicy::admit).
    fn admit_early(
        &mut self,
        cx: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Option<bool> {
        if !memory.is_data(frame.queue) {
            return Some(true);
        }
        let threshold = self.thresholds.early(cx.now, frame, memory)?;
        // What is free is at least this.
        if self.averages.are_late() || !self.has_room(frame, memory) {
            return None;
        }
        let queued = memory.queues[memory.place(frame.queue)];
        let below = queued + frame.bytes.0 <= threshold;
        let safe = |longest| is_safe(self.mode, longest, self.queues, memory.size.0);
        let kept = if below && self.never_predicts_drop() {
            true
        } else if !below && !safe(queued) {
            false
        } else if safe(memory.longest().map_or(0, |(_, bytes)| bytes)) {
            true
        } else {
            return None;
        };
        self.arrivals += 1;
        self.thresholds.join(frame, memory);
        Some(kept)
    }

    fn on_join(&mut self, cx: &mut SwitchCx<'_>, frame: &Candidate, memory: &MemoryView<'_>) {
        self.averages.join(cx.now, frame, memory);
    }

    fn on_left(&mut self, left: &Left, memory: &MemoryView<'_>) {
        self.averages.hear(left, memory);
        if memory.is_data(left.queue) {
            self.thresholds.depart(left, memory);
        }
    }

    fn on_departure(&mut self, cx: &mut SwitchCx<'_>, frame: &Departed, memory: &MemoryView<'_>) {
        let Departed { queue, bytes, sent, .. } = *frame;
        if memory.is_data(queue) {
            self.thresholds.depart(&Left { queue, bytes, sent, last: cx.now }, memory);
            self.averages.depart(cx.now, memory.place(queue), memory);
        }
    }

    fn misfit(&self, _: Bytes) -> Option<(&'static str, String)> {
        Some(("oracle", self.misfit.clone()?))
    }
}

#[cfg(test)]
mod tests {
    use super::super::longest_queue_drop::LongestQueueDrop;
    use super::super::slotted::{self, burst};
    use super::*;
    use crate::units::{Rate, Time};

    fn turned(labels: &[bool]) -> Vec<bool> {
        labels.iter().map(|label| !label).collect()
    }

    fn sent(ports: u32, size: u64, slots: &[Vec<u32>], labels: Vec<bool>) -> u64 {
        let context = slotted::context(ports, size);
        let mut policy = Credence::with_labels(&Config::default(), &context, labels);
        slotted::run(&mut policy, ports, size, slots).sent
    }

    /// Slots of up to `ports` packets for any ports, often for one.
    fn random(rng: &mut Rng, ports: u32) -> Vec<Vec<u32>> {
        let slots = 1 + rng.below(20);
        let slot = |rng: &mut Rng| {
            let favourite = rng.below(ports.into()) as u32;
            let packets = rng.below(u64::from(ports) + 1);
            let port = |rng: &mut Rng| match rng.below(2) {
                0 => favourite,
                _ => rng.below(ports.into()) as u32,
            };
            (0..packets).map(|_| port(rng)).collect()
        };
        (0..slots).map(|_| slot(rng)).collect()
    }

    #[test]
    fn bursts_send_all_with_perfect_predictions_and_a_part_with_all_of_them_wrong() {
        // Credence spec, section 6, item 1.
        for (ports, size, wrong) in [(8, 64, 15), (20, 200, 19)] {
            let slots = burst(ports, size);
            let labels = slotted::run(&mut LongestQueueDrop, ports, size, &slots).dropped;
            assert_eq!(sent(ports, size, &slots, labels.clone()), size);
            assert_eq!(sent(ports, size, &slots, turned(&labels)), wrong);
        }
    }

    #[test]
    fn perfect_predictions_send_what_longest_queue_drop_does() {
        // Items 3 and 4, and correction 2: exact where B is a multiple of N. N times what is sent is at
        // least what the model sends, whatever is predicted.
        let mut rng = Rng::new(1, "credence", 0);
        for _ in 0..2_000 {
            let ports = 2 + rng.below(4) as u32;
            let size = u64::from(ports) * (1 + rng.below(4));
            let slots = random(&mut rng, ports);
            let model = slotted::run(&mut LongestQueueDrop, ports, size, &slots);
            assert_eq!(sent(ports, size, &slots, model.dropped.clone()), model.sent);
            for labels in [turned(&model.dropped), alloc::vec![true; model.dropped.len()]] {
                let own = sent(ports, size, &slots, labels);
                assert!(own * u64::from(ports) >= model.sent, "{own} of {}", model.sent);
            }
        }
    }

    #[test]
    fn the_safeguard_goes_by_the_longest_queue() {
        // Item 9: N = 20, B / N = 52,633.6.
        let size = 1_052_672;
        let context =
            BufferContext { size: Bytes(size), queues: 20, ports: 20, ..BufferContext::NOMINAL };
        let config = Config { oracle: Forests::constant(true), ..Config::default() };
        let answer = |longest: u64, own: u64, came: u64| {
            let mut policy = Credence::new(&config, &context);
            let mut queues = [0; 40];
            (queues[2], queues[0]) = (longest, own);
            let memory = MemoryView {
                size: Bytes(size),
                used: Bytes(longest + own),
                classes: 2,
                queues: &queues,
                ingress: &queues,
                rates: &[Rate::gbps(10); 20],
            };
            let frame = Candidate { bytes: Bytes(1_500), ..slotted::candidate(0) };
            let mut rng = Rng::new(1, "credence", 0);
            let mut cx = SwitchCx { now: Time::ZERO, rng: &mut rng };
            // The counter is what came for the queue, this packet included.
            let before = Candidate { bytes: Bytes(came - 1_500), ..frame };
            policy.thresholds.arrive(Time::ZERO, &before, &memory);
            policy.admit(&mut cx, &frame, &memory)
        };
        // All drops are predicted, but nobody is asked.
        assert_eq!(answer(52_000, 10_000, 10_500), Admission::Keep);
        assert_eq!(answer(60_000, 10_000, 10_500), Admission::Refuse);
        assert!(is_safe(Mode::Released, 3, 4, 12) && !is_safe(Mode::Paper, 3, 4, 12));
    }

    #[test]
    fn each_switch_goes_by_its_own_forest() {
        let config = Config { oracle: "0 | 1".parse().unwrap(), ..Config::default() };
        let drops = |switch, switches| {
            let context = BufferContext { switch, switches, ..slotted::context(8, 64) };
            let policy = Credence::new(&config, &context);
            let mut rng = Rng::new(1, "credence", 0);
            (policy.predicts_drop(&mut rng, 0, &Features::default()), policy.misfit(Bytes(1)))
        };
        assert_eq!((drops(0, 2), drops(1, 2)), ((false, None), (true, None)));
        let (_, misfit) = drops(0, 3);
        assert_eq!(misfit.unwrap(), ("oracle", "one forest, or one for each of 3 switches".into()));
    }

    #[test]
    fn predictions_are_turned_round_as_often_as_is_said() {
        let context = slotted::context(8, 64);
        let share = |flip| {
            let policy = Credence::new(&Config { flip, ..Config::default() }, &context);
            let mut rng = Rng::new(1, "credence", 0);
            let drops =
                (0..10_000).filter(|_| policy.predicts_drop(&mut rng, 0, &Features::default()));
            drops.count()
        };
        assert_eq!((share(0.0), share(1.0)), (0, 10_000));
        assert!((900..1_100).contains(&share(0.1)));
    }
}
