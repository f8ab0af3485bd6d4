//! Themis: packet spraying for NICs that take every reordering for a loss (EuroSys 2026).
//!
//! The sender's ToR (Themis-S) sends packet `psn` of a queue pair over path `psn` modulo their
//! number, so that a number tells its path. The receiver's (Themis-D) sees what passes on to the
//! NIC, and which of the NIC's NACKs are true: a NACK for what has passed is dropped, one that a
//! later packet of the same path has overtaken goes on, and any other waits until one of the two is
//! so. A packet that is far behind others takes its path for broken; the sender's ToR avoids it.
//!
//! In two tiers the ToR picks the port. In three it adds to the entropy what its path map says, which
//! takes `ecmp_linear` in all switches and powers of two as numbers of ports.
//!
//! Readings (spec, sections 0 and 2): only data between racks is sprayed; a queue pair is a flow;
//! rerouted packets prefer paths that are not avoided; a NACK tells, as an ACK does, that all before
//! it has arrived; in three tiers replies are hashed by their queue pair alone.

mod destination;
mod psn;
mod ring;
mod source;

use super::path_map::path_map;
use super::{Kind, Message, Output, Packet, Side, TorContext, TorHook, Verdict, Ways};
use crate::family::Conflict;
use crate::ids::{Entropy, FlowId};
use crate::probe::Probes;
use crate::rng::mix;
use crate::units::{Span, Time};
use crate::{Card, Need, SwitchCx};
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use destination::{Destination, Rules};
use serde::Serialize;
use source::Source;

/// What `raddle schemes themis` says.
pub const CARD: Card = Card {
    name: "themis",
    title: "Themis",
    paper: "Themis, EuroSys 2026",
    needs: &[Need::PathMap, Need::ExpectedPsn, Need::OutOfOrder],
    summary: "ToRs spray by packet number and let only those NACKs through that are true. For NICs \
              with selective repeat that NACK every reordering (`rnic_sr`).",
};

crate::parameters! {
    /// Parameters of Themis; the last four switch its parts off (section 6.4 of the paper).
    pub struct Config {
        /// The most packets that a NIC has outstanding (W): half of the ring of delivered packets.
        pub window: u32 = 512, in 1..=1_048_576;
        /// A packet that is more than this behind another takes its path for broken
        /// (`OOO_THRESHOLD`).
        pub ooo_threshold: u32 = 448, in 1..=1_048_576;
        /// How many packets of a queue pair then take other paths (`AVOIDANCE_WINDOW`).
        pub avoidance_window: u32 = 2_000_000;
        /// From the packet that proves a NACK until the switch has made it: the mirror and its way
        /// through the pipelines.
        pub recirculation: Span = Span(0);
        /// Whether a NACK passes only if a later packet of its path has (the paper's C2). Else every
        /// NACK passes whose packet has not.
        pub same_path: bool = true;
        /// Whether a NACK of which nothing is known yet waits; else it is dropped.
        pub lazy_drop: bool = true;
        /// Whether what a NACK asks for takes another path.
        pub reroute: bool = true;
        /// Whether broken paths are avoided.
        pub failure_handling: bool = true;
    }
    conflicts by conflicts
}

/// No threshold beyond the window is ever reached, and what is switched off reads nothing.
fn conflicts(config: &Config) -> Vec<Conflict> {
    let default = Config::default();
    let waits = config.same_path && config.lazy_drop;
    let watches = waits && config.failure_handling;
    let why_idle = if !config.same_path {
        "same_path"
    } else if !config.lazy_drop {
        "lazy_drop"
    } else {
        "failure_handling"
    };
    let found = [
        (watches && config.ooo_threshold >= config.window)
            .then_some(Conflict::Exceeds("ooo_threshold", "window")),
        (!config.same_path && !config.lazy_drop)
            .then_some(Conflict::Idle("lazy_drop", "same_path")),
        (!watches && config.ooo_threshold != default.ooo_threshold)
            .then_some(Conflict::Idle("ooo_threshold", why_idle)),
        (!watches && config.avoidance_window != default.avoidance_window)
            .then_some(Conflict::Idle("avoidance_window", why_idle)),
        (!waits && config.recirculation != default.recirculation)
            .then_some(Conflict::Idle("recirculation", why_idle)),
    ];
    found.into_iter().flatten().collect()
}

/// What a ToR keeps of a queue pair at its sender's side, in bytes (Appendix B).
pub const fn source_bytes(paths: u64) -> u64 {
    4 + 4 * paths
}

/// The same at its receiver's side: the ring of 2 bits a packet, its start and two base bits in bytes
/// of their own, the latest packet of each path, and the stash with where its NACK goes.
pub const fn destination_bytes(paths: u64, window: u64) -> u64 {
    2 * window / 8 + 4 + 1 + 1 + 4 * paths + 4 + 1 + 4 + 4 + 2
}

/// What a ToR keeps in all (Appendix B): a path map of 2 bytes a path, and both sides of each of the
/// `queue_pairs` of its hosts.
pub const fn switch_bytes(paths: u64, window: u64, queue_pairs: u64) -> u64 {
    2 * paths + (source_bytes(paths) + destination_bytes(paths, window)) * queue_pairs
}

/// Both halves in one ToR.
#[derive(Clone, Debug, Serialize)]
pub struct Themis {
    #[serde(skip)]
    config: Config,
    stream: u64,
    /// The equal ways of the ToR: it picks among them where they are all the paths.
    ways: u32,
    /// What to add to the entropy where switches above choose, too.
    path_map: Vec<u16>,
    sources: BTreeMap<FlowId, Source>,
    destinations: BTreeMap<FlowId, Box<Destination>>,
    /// NACKs that the switch is making, in order.
    making: VecDeque<(Time, Output)>,
    made: VecDeque<Output>,
    /// How many NACKs have been blocked, and how many have been made.
    blocked: u64,
    emitted: u64,
}

impl Themis {
    /// A ToR's middleware.
    pub fn new(config: &Config, context: &TorContext) -> Self {
        Self {
            config: config.clone(),
            stream: context.stream,
            ways: context.ways_up[0],
            path_map: path_map(context.ways_up),
            sources: BTreeMap::new(),
            destinations: BTreeMap::new(),
            making: VecDeque::new(),
            made: VecDeque::new(),
            blocked: 0,
            emitted: 0,
        }
    }

    fn destination(&mut self, packet: &Packet) -> &mut Destination {
        let config = &self.config;
        let rules = Rules {
            window: config.window,
            threshold: config.failure_handling.then_some(config.ooo_threshold),
            asks_path: config.same_path,
            keeps: config.lazy_drop,
        };
        let new = || Box::new(Destination::new(packet.paths, rules));
        self.destinations.entry(packet.flow).or_insert_with(new)
    }

    /// A data packet takes the path of its number.
    fn spray(&mut self, cx: &mut SwitchCx<'_>, packet: &mut Packet) -> Verdict {
        let paths = packet.paths;
        let source = self.sources.entry(packet.flow).or_insert_with(|| Source::new(paths));
        let path = source.on_data(packet.number, cx.rng);
        match self.path_map.get(path as usize) {
            Some(delta) if paths > self.ways => {
                packet.entropy.0 ^= delta;
                Verdict::Pass
            }
            _ => {
                let base = mix(self.stream ^ u64::from(packet.flow.0)) % u64::from(paths);
                Verdict::Lane((u64::from(path) + base) as usize)
            }
        }
    }

    /// A reply of the receiver's NIC comes in at its ToR.
    fn filter(&mut self, packet: &mut Packet) -> Verdict {
        if packet.paths > self.ways {
            packet.entropy = Entropy(0);
        }
        let number = packet.number;
        let tor = self.destination(packet);
        if packet.kind == Kind::Ack {
            tor.on_ack(number);
            return Verdict::Pass;
        }
        if tor.on_nack(number) {
            return Verdict::Pass;
        }
        self.blocked += 1;
        Verdict::Drop
    }
}

impl TorHook for Themis {
    fn probes(&self, to: &mut dyn Probes) {
        to.count("blocked", self.blocked);
        to.count("made", self.emitted);
    }

    fn on_ingress(
        &mut self,
        cx: &mut SwitchCx<'_>,
        p: &mut Packet,
        from: Side,
        _: &dyn Ways,
    ) -> Verdict {
        if p.paths < 2 {
            return Verdict::Pass;
        }
        match (p.kind, from, p.forward) {
            (Kind::Data, Side::Host, true) => self.spray(cx, p),
            (Kind::Ack | Kind::Nack, Side::Host, false) => self.filter(p),
            (Kind::Nack, Side::Fabric, false) => {
                let config = &self.config;
                let source = self.sources.entry(p.flow).or_insert_with(|| Source::new(p.paths));
                let avoid = p.flagged.then_some(config.avoidance_window);
                source.on_nack(p.number, config.reroute, avoid);
                p.flagged = false;
                Verdict::Pass
            }
            _ => Verdict::Pass,
        }
    }

    fn on_egress(&mut self, cx: &mut SwitchCx<'_>, packet: &Packet) -> bool {
        if packet.kind != Kind::Data || packet.paths < 2 {
            return true;
        }
        if let Some(emitted) = self.destination(packet).on_data(packet.number) {
            let nack = Output::Send {
                flow: packet.flow,
                kind: Message::Nack,
                number: emitted.expected,
                entropy: if packet.paths > self.ways { Entropy(0) } else { packet.entropy },
                flagged: emitted.avoid,
                through: None,
            };
            self.emitted += 1;
            match self.config.recirculation {
                Span(0) => self.made.push_back(nack),
                time => self.making.push_back((cx.now + time, nack)),
            }
        }
        true
    }

    fn poll(&mut self) -> Option<Output> {
        self.made.pop_front()
    }

    fn next_timer(&self) -> Option<Time> {
        self.making.front().map(|(at, _)| *at)
    }

    fn on_timer(&mut self, cx: &mut SwitchCx<'_>) {
        let due = self.making.iter().take_while(|(at, _)| *at <= cx.now).count();
        self.made.extend(self.making.drain(..due).map(|(_, nack)| nack));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spec, section 2.10 and section 6, item 14.
    #[test]
    fn it_keeps_what_appendix_b_says() {
        assert_eq!((source_bytes(128), destination_bytes(128, 512)), (516, 661));
        assert_eq!(switch_bytes(128, 512, 512 * 16), 9_642_240);
    }

    #[test]
    fn what_is_switched_off_reads_nothing() {
        let none = |config: Config| conflicts(&config).is_empty();
        let of = Config::default;
        assert!(none(of()) && none(Config { failure_handling: false, ..of() }));
        assert!(!none(Config { ooo_threshold: 512, ..of() }));
        assert!(!none(Config { lazy_drop: false, ooo_threshold: 5, ..of() }));
        assert!(!none(Config { same_path: false, lazy_drop: false, ..of() }));
    }
}
