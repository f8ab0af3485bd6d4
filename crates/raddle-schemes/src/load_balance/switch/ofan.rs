//! OFAN: destination-based rotation in the switch.
//!
//! An edge switch keeps one rotation pointer per destination edge switch and class of packet size,
//! switches above one per destination pod and class (LB study spec, section 2). Rotations of
//! random order and random start hardly ever fall into step, so that queues stay constant however
//! long the message is (Theorem 4).

use super::schedule::{interleaved, weighted};
use super::{Choices, Header, PortSelector, SwitchContext};
use crate::units::Bytes;
use crate::{Card, Need, SwitchCx};
use alloc::boxed::Box;
use alloc::vec::Vec;
use serde::Serialize;

/// What `raddle schemes ofan` says.
pub const CARD: Card = Card {
    name: "ofan",
    title: "OFAN: destination-based rotation in switches",
    paper: "LB study, OFAN (SWITCH DR)",
    needs: &[Need::Groups],
    summary: "Each packet takes the next port of a rotation kept per destination edge switch (per \
              pod above the edge) and size class, in random order, weighted by capacity.",
};

crate::words! {
    /// Which OFAN: spec section 2.5.
    pub enum Variant {
        /// Random orders and starts, schedules by weight.
        Standard = "standard",
        /// V1, for fabrics without failures: a pointer starts at the shortest queue and goes
        /// through the ports in their own order.
        ShortestFirst = "shortest_first",
        /// V2: a port is in the rotation if it leads to the destination, whatever its weight.
        Unweighted = "unweighted",
    }
}

crate::parameters! {
    /// Parameters of OFAN.
    pub struct Config {
        /// Which OFAN: `standard`, random orders and starts, schedules by weight; `shortest_first`,
        /// the study's first variant (V1), for fabrics without failures, a pointer starts at the
        /// shortest queue and goes through the ports in their own order; `unweighted`, its second
        /// (V2), every port that leads to the destination has the same weight.
        pub variant: Variant = Variant::Standard;
        /// Frames smaller than this (ACKs) rotate apart from the others; `0 B` for one class (LB
        /// study: anything between an ACK and a data packet).
        pub small: Bytes = Bytes(128);
        /// Edge switches keep one schedule per destination pod instead of one per edge switch, and
        /// skip ports that do not lead there (spec 2.4, shared schedules).
        pub shared: bool = false;
    }
}

/// The pointers of one switch.
#[derive(Clone, Debug, Serialize)]
pub struct Ofan {
    #[serde(skip)]
    config: Config,
    edge: bool,
    pod: Option<u32>,
    /// Two per edge switch, of large and of small frames; grown as destinations are met.
    towards_edges: Vec<Pointer>,
    /// Two per pod.
    towards_pods: Vec<Pointer>,
    /// By pod, where they are shared.
    shared: Vec<Schedule>,
}

/// A position in a schedule: in one of its own, or in the one that its pod shares.
#[derive(Clone, Debug, Default, Serialize)]
struct Pointer {
    own: Schedule,
    next: u32,
}

/// Ports in turn.
#[derive(Clone, Debug, Default, Serialize)]
struct Schedule {
    /// One more than the epoch in which it was drawn; 0 if it never was.
    drawn: u32,
    turns: Box<[Turn]>,
}

/// A port, and which of the choices it probably is.
#[derive(Clone, Copy, Debug, Serialize)]
struct Turn {
    port: u16,
    choice: u16,
}

impl Ofan {
    /// No pointer is drawn before its first packet.
    pub fn new(config: &Config, context: &SwitchContext) -> Self {
        Self {
            config: config.clone(),
            edge: context.edge,
            pod: context.pod,
            towards_edges: Vec::new(),
            towards_pods: Vec::new(),
            shared: Vec::new(),
        }
    }

    fn pointers(&mut self, to_edge: bool) -> &mut Vec<Pointer> {
        if to_edge { &mut self.towards_edges } else { &mut self.towards_pods }
    }

    /// Draws the schedule that pointers towards `pod` share, if that has not happened since routes
    /// last changed.
    fn share(&mut self, cx: &mut SwitchCx<'_>, choices: &Choices<'_>, pod: usize) {
        if self.shared.len() <= pod {
            self.shared.resize_with(pod + 1, Schedule::default);
        }
        if self.shared[pod].drawn != choices.epoch + 1 {
            let order = self.ordered(cx, choices.fabric.towards_pod());
            let turns = interleaved(&order).into_iter();
            let turns = turns.map(|port| Turn { port: port as u16, choice: 0 });
            self.shared[pod] = Schedule { drawn: choices.epoch + 1, turns: turns.collect() };
        }
    }

    /// A pointer towards the packet's destination, and where it starts.
    fn draw(
        &self,
        cx: &mut SwitchCx<'_>,
        choices: &mut Choices<'_>,
        shared: Option<usize>,
    ) -> Pointer {
        let turns: Box<[Turn]> = match shared {
            Some(_) => Box::default(),
            None => {
                let schedule = interleaved(&self.ordered(cx, weighted(choices))).into_iter();
                let port = |choice| choices.fabric.port(choice as usize) as u16;
                schedule.map(|c| Turn { port: port(c), choice: c as u16 }).collect()
            }
        };
        let in_turn = shared.map_or(&turns, |pod| &self.shared[pod].turns);
        let next = match self.config.variant {
            Variant::ShortestFirst => (0..in_turn.len())
                .filter_map(|at| {
                    let choice = choices.find(in_turn[at].port.into())?;
                    Some((choices.fabric.queue(choice).bytes, at))
                })
                .min()
                .map_or(0, |(_, at)| at),
            _ => cx.rng.below(in_turn.len().max(1) as u64) as usize,
        };
        Pointer { own: Schedule { drawn: choices.epoch + 1, turns }, next: next as u32 }
    }

    /// Ports and weights in the order in which they take turns.
    fn ordered(&self, cx: &mut SwitchCx<'_>, mut order: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
        if self.config.variant != Variant::Standard {
            order.iter_mut().for_each(|(_, weight)| *weight = (*weight).min(1));
        }
        if self.config.variant != Variant::ShortestFirst {
            cx.rng.shuffle(&mut order);
        }
        order
    }
}

impl PortSelector for Ofan {
    #[inline]
    fn select(
        &mut self,
        cx: &mut SwitchCx<'_>,
        packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        let group = choices.fabric.group();
        // Within a pod there may be parallel cables down to each edge switch.
        let to_edge = self.edge || self.pod == Some(group.pod);
        let destination = if to_edge { group.edge } else { group.pod };
        let class = usize::from(packet.bytes < self.config.small);
        let index = destination as usize * 2 + class;
        let shared = (self.config.shared && self.edge).then_some(group.pod as usize);
        let pointers = self.pointers(to_edge);
        if pointers.len() <= index {
            pointers.resize_with(index + 1, Pointer::default);
        }
        if pointers[index].own.drawn != choices.epoch + 1 {
            if let Some(pod) = shared {
                self.share(cx, choices, pod);
            }
            self.pointers(to_edge)[index] = self.draw(cx, choices, shared);
        }
        let Self { towards_edges, towards_pods, shared: schedules, .. } = self;
        let pointers = if to_edge { towards_edges } else { towards_pods };
        let Pointer { own, next } = &mut pointers[index];
        let turns = shared.map_or(&own.turns, |pod| &schedules[pod].turns);
        for _ in 0..turns.len() {
            let turn = turns[*next as usize];
            *next = if *next as usize + 1 == turns.len() { 0 } else { *next + 1 };
            let probably = usize::from(turn.choice);
            if probably < choices.count && choices.fabric.port(probably) == turn.port.into() {
                return probably;
            }
            if let Some(choice) = choices.find(turn.port.into()) {
                return choice;
            }
        }
        // Spec 2.3.3 drops a packet for which no turn is left. The switch has done that: a scheme is
        // only asked about ports that lead to the destination, and each of them has a turn.
        debug_assert!(false, "a schedule without any of the {} choices", choices.count);
        0
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    fn pinned(config: Config, turns: &[u16], start: u32) -> Bench<Ofan> {
        let mut bench = Bench::new(&config, Ofan::new);
        let turns = turns.iter().map(|&port| Turn { port, choice: port });
        let schedule = Schedule { drawn: 1, turns: turns.collect() };
        let (own, shared) = match config.shared {
            true => (Schedule { drawn: 1, ..Schedule::default() }, [schedule].into()),
            false => (schedule, Vec::new()),
        };
        bench.scheme().towards_edges = [Pointer { own, next: start }].into();
        bench.scheme().shared = shared;
        bench
    }

    /// LB study spec, acceptance 6.
    #[test]
    fn packets_to_one_edge_switch_rotate_undisturbed() {
        let mut bench = pinned(Config::default(), &[2, 0, 3, 1], 1);
        let ports: Vec<usize> = (0..6).map(|_| bench.to(0).size(4160).select(4)).collect();
        assert_eq!(ports, [0, 3, 1, 2, 0, 3]);
        let mut bench = pinned(Config::default(), &[2, 0, 3, 1], 1);
        let mut ports = Vec::new();
        for _ in 0..6 {
            bench.to(0).size(64).select(4);
            bench.to(1).size(4160).select(4);
            ports.push(bench.to(0).size(4160).select(4));
        }
        assert_eq!(ports, [0, 3, 1, 2, 0, 3]);
    }

    /// LB study spec, section 2.1: above the edge a pointer per pod, the first pod included.
    #[test]
    fn a_core_with_parallel_cables_rotates_per_pod() {
        for pod in [0, 3] {
            let core = |config: &Config, context: &SwitchContext| {
                Ofan::new(config, &SwitchContext { edge: false, pod: None, ..*context })
            };
            let mut bench = Bench::new(&Config::default(), core);
            let ports: Vec<usize> =
                (0..8).map(|edge| bench.to(edge % 2).within(pod).size(4160).select(4)).collect();
            let mut first = ports[..4].to_vec();
            first.sort_unstable();
            assert_eq!(first, [0, 1, 2, 3]);
            assert_eq!(ports[..4], ports[4..]);
        }
    }

    /// LB study spec, acceptance 7: port 1 does not lead to this edge switch.
    #[test]
    fn a_shared_schedule_skips_ports_that_do_not_lead_there() {
        let config = Config { shared: true, ..Config::default() };
        let mut bench = pinned(config, &[0, 1, 2, 3], 0);
        bench.ports(&[0, 2, 3]);
        let ports: Vec<u32> = (0..5).map(|_| [0, 2, 3][bench.select(3)]).collect();
        assert_eq!(ports, [0, 2, 3, 0, 2]);
    }

    #[test]
    fn pointers_of_a_pod_share_the_order_and_not_the_start() {
        let config = Config { shared: true, ..Config::default() };
        let mut orders = Vec::new();
        let mut bench = Bench::new(&config, Ofan::new);
        bench.pod(&[(0, 2), (1, 2), (2, 1), (3, 2)]);
        for small in [64, 4160] {
            let ports: Vec<usize> = (0..7).map(|_| bench.size(small).select(4)).collect();
            let mut counts = [0; 4];
            ports.iter().for_each(|&port| counts[port] += 1);
            assert_eq!(counts, [2, 2, 1, 2]);
            orders.push(ports);
        }
        let turned = (0..7).any(|by| {
            let mut order = orders[0].clone();
            order.rotate_left(by);
            order == orders[1]
        });
        assert!(turned, "{orders:?}");
    }

    #[test]
    fn ports_get_turns_by_weight_but_for_the_unweighted() {
        for (variant, expected) in
            [(Variant::Standard, [4, 4, 2]), (Variant::Unweighted, [4, 3, 3])]
        {
            let config = Config { variant, ..Config::default() };
            let mut bench = Bench::new(&config, Ofan::new).weights(&[1600, 1600, 800]);
            let mut counts = [0; 3];
            (0..10).for_each(|_| counts[bench.select(3)] += 1);
            counts.sort_unstable_by(|a, b| b.cmp(a));
            assert_eq!(counts, expected);
        }
    }

    #[test]
    fn the_first_variant_starts_at_the_shortest_queue_and_goes_in_order() {
        let config = Config { variant: Variant::ShortestFirst, ..Config::default() };
        let mut bench = Bench::new(&config, Ofan::new).queues(&[9, 8, 3, 8]);
        let ports: Vec<usize> = (0..6).map(|_| bench.select(4)).collect();
        assert_eq!(ports, [2, 3, 0, 1, 2, 3]);
        // Of the ports of a pod, among those that lead to this edge switch.
        let config = Config { shared: true, ..config };
        let mut bench = Bench::new(&config, Ofan::new).queues(&[9, 2, 8]);
        bench.ports(&[0, 2, 3]).pod(&[(0, 1), (1, 1), (2, 1), (3, 1)]);
        let ports: Vec<u32> = (0..4).map(|_| [0, 2, 3][bench.select(3)]).collect();
        assert_eq!(ports, [2, 3, 0, 2]);
    }

    #[test]
    fn orders_are_drawn_anew_when_routes_change() {
        let mut bench = Bench::new(&Config::default(), Ofan::new);
        let mut orders = Vec::new();
        for _ in 0..30 {
            orders.push((0..8).map(|_| bench.select(8)).collect::<Vec<_>>());
            bench = bench.weights(&[1; 8]);
        }
        orders.sort_unstable();
        orders.dedup();
        assert!(orders.len() > 25);
    }
}
