//! Switch load balancing: which of the equal ports towards a destination takes a packet.
//!
//! A scheme's parameters of type [`Bytes`] are sizes of frames: smaller ones are treated apart.

use crate::ids::{Entropy, SwitchId};
use crate::probe::{Names, Probes};
use crate::units::Bytes;
use crate::{Need, SwitchCx};
use alloc::boxed::Box;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

pub mod adaptive_roce;
pub mod drill;
pub mod ecmp;
pub mod ecmp_linear;
pub mod jsq;
pub mod letflow;
pub mod ofan;
pub mod quantized_adaptive;
pub mod round_robin;
pub mod rsq;
mod schedule;
pub mod simple_rr;
pub mod source_route;
#[cfg(test)]
mod testing;
pub mod valiant;
mod with_hash;

/// What a switch reads in a packet's header.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Header {
    /// The packet's flow, as a hash of addresses and ports would tell it: equal for all packets
    /// of one direction of one flow, and of all flows between two hosts where connections outlive
    /// messages.
    pub flow_key: u32,
    /// The entropy value.
    pub entropy: Entropy,
    /// Bytes on the wire.
    pub bytes: Bytes,
    /// Whether it is an ACK, a NACK or a trimmed header.
    pub control: bool,
    /// Whether its flow is left to ECMP. Not for schemes: switches of runs with such flows see to it
    /// ([`Config::build_with_hash`]).
    pub hashed: bool,
}

/// The ports a packet may take, all on shortest paths, in ascending order.
pub struct Choices<'a> {
    /// How many there are; at least one.
    pub count: usize,
    /// The next-hop group they form: within an [`epoch`](Self::epoch), choices with one number are
    /// the same ports with the same weights.
    pub next_hops: u32,
    /// How often routes have changed.
    pub epoch: u32,
    /// What each choice carries of the traffic towards the destination, relative to the others
    /// (W-ECMP); `None` if all carry the same.
    pub weights: Option<&'a [u32]>,
    /// The rest, for schemes that say in their card that they read it.
    pub fabric: &'a mut dyn Surroundings,
}

/// What a switch may look at beyond header and weights.
pub trait Surroundings {
    /// The number of the choice's port, counted within the switch.
    fn port(&self, choice: usize) -> u32;
    /// Where the packet is going. Only for schemes whose card needs
    /// [`Groups`](crate::Need::Groups).
    fn group(&self) -> Group;
    /// What is queued at the choice's port now, or was just before, for schemes that
    /// [look before](PortSelector::looks_before). Only for schemes whose card needs
    /// [`QueueLengths`](crate::Need::QueueLengths) or [`Groups`](crate::Need::Groups).
    fn queue(&mut self, choice: usize) -> Queue;
    /// Ports towards the pod of the destination and what each carries of the traffic to it,
    /// relative to the others; the links to the edge switches do not count. Only for schemes whose
    /// card needs [`Groups`](crate::Need::Groups).
    fn towards_pod(&self) -> Vec<(u32, u32)>;
}

/// How full a port is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Queue {
    /// Bytes queued in all classes, the frame in service included.
    pub bytes: Bytes,
    /// The most bytes of data that can be queued.
    pub capacity: Bytes,
}

impl Choices<'_> {
    /// The weight of a choice.
    #[inline]
    pub fn weight(&self, choice: usize) -> u32 {
        self.weights.map_or(1, |weights| weights[choice])
    }

    /// The choice that leads through `port`, if one does.
    pub fn find(&self, port: u32) -> Option<usize> {
        (0..self.count).find(|&choice| self.fabric.port(choice) == port)
    }

    /// The choice at `point`, which lies in [0, 1) in units of 2^-32, on a line of the choices laid
    /// end to end, each as long as its weight.
    #[inline]
    pub fn at(&self, point: u32) -> usize {
        match self.weights {
            None => ((u64::from(point) * self.count as u64) >> 32) as usize,
            Some(weights) => weighted_at(weights, point),
        }
    }
}

/// See [`Choices::at`].
#[inline(never)]
fn weighted_at(weights: &[u32], point: u32) -> usize {
    let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    let mut left = (u128::from(point) * u128::from(total)) >> 32;
    for (choice, &weight) in weights.iter().enumerate() {
        match left.checked_sub(u128::from(weight)) {
            Some(rest) => left = rest,
            None => return choice,
        }
    }
    0
}

/// The destination as rotation pointers see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub struct Group {
    /// Index of the destination's edge switch.
    pub edge: u32,
    /// Index of its pod.
    pub pod: u32,
}

/// What a switch's scheme may know when it is built.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct SwitchContext {
    /// Which switch this is.
    pub switch: SwitchId,
    /// Whether it has hosts: a ToR, a leaf.
    pub edge: bool,
    /// The pod it belongs to; `None` for core switches. Fabrics without pods are all one.
    pub pod: Option<u32>,
    /// The key of the switch's own random streams.
    pub stream: u64,
}

/// Where a packet is that has come to a switch which is not its destination's.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Waypoint<'a> {
    /// The switch.
    pub switch: SwitchId,
    /// The switch of its destination.
    pub edge: SwitchId,
    /// Whether a host has sent it here.
    pub from_host: bool,
    /// The switches that have hosts.
    pub edges: &'a [SwitchId],
}

/// Where a packet goes before its destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Detour {
    /// A switch, by its place among [`Waypoint::edges`], if it has to go to any; and the entropy that the
    /// packet has then.
    pub towards: Option<(usize, Entropy)>,
    /// The entropy that it has else, or where no way leads there.
    pub straight: Entropy,
}

/// Chooses among equal ports; one instance per switch.
pub trait PortSelector {
    /// What it shows of its state: at all times the same names, and nothing that changes but by
    /// the other calls.
    fn probes(&self, _to: &mut dyn Probes) {}

    /// The index, below `choices.count`, of the port that takes the packet.
    fn select(
        &mut self,
        cx: &mut SwitchCx<'_>,
        packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize;

    /// Whether it offers what another scheme's card needs.
    fn offers(&self, _need: Need) -> bool {
        false
    }

    /// Whether its choice depends on nothing but the packet and its choices: not on earlier packets,
    /// time, random draws or queues. Such a scheme may be asked about packets in any order, which is
    /// faster.
    fn is_stateless(&self) -> bool {
        false
    }

    /// Whether the queues that it looks at are as they were before the instant in which it chooses:
    /// what leaves in that instant is still there, what comes in it is not. Else they are as the
    /// packet finds them.
    fn looks_before(&self) -> bool {
        false
    }

    /// Whether the entropy that a host gives a packet has a say in its way. Where it has none, the
    /// hosts' load balancing has no effect.
    fn reads_entropy(&self) -> bool {
        false
    }

    /// Whether packets go by way of other switches: [`PortSelector::detour`] is asked.
    fn makes_detours(&self) -> bool {
        false
    }

    /// Where a packet goes before its destination, asked before its ports are looked up. Switches write
    /// what it is to remember over the entropy.
    fn detour(&mut self, _cx: &mut SwitchCx<'_>, packet: &Header, _stop: &Waypoint<'_>) -> Detour {
        Detour { towards: None, straight: packet.entropy }
    }
}

crate::family! { PortSelector, AnyPortSelector, SwitchContext, with state;
    Ecmp: ecmp,
    SimpleRr: simple_rr,
    RoundRobin: round_robin,
    Rsq: rsq,
    Jsq: jsq,
    AdaptiveRoce: adaptive_roce,
    QuantizedAdaptive: quantized_adaptive,
    Ofan: ofan,
    LetFlow: letflow,
    Drill: drill,
    SourceRoute: source_route,
    EcmpLinear: ecmp_linear,
    Valiant: valiant,
}

impl Config {
    /// The names of what the selected scheme shows of itself.
    pub fn probes(&self) -> Vec<&'static str> {
        let mut names = Names::default();
        self.build(&NOMINAL).probes(&mut names);
        names.0
    }

    /// Whether the selected scheme offers what a host's scheme needs of switches.
    pub fn offers(&self, need: Need) -> bool {
        dispatch!(&self.build(&NOMINAL), scheme => scheme.offers(need))
    }

    /// See [`PortSelector::reads_entropy`].
    pub fn reads_entropy(&self) -> bool {
        dispatch!(&self.build(&NOMINAL), scheme => scheme.reads_entropy())
    }

    /// See [`PortSelector::makes_detours`].
    pub fn makes_detours(&self) -> bool {
        dispatch!(&self.build(&NOMINAL), scheme => scheme.makes_detours())
    }

    /// See [`PortSelector::looks_before`].
    pub fn looks_before(&self) -> bool {
        dispatch!(&self.build(&NOMINAL), scheme => scheme.looks_before())
    }
}

/// A switch, for asking what schemes offer before there is one.
pub const NOMINAL: SwitchContext =
    SwitchContext { switch: SwitchId(0), edge: true, pod: Some(0), stream: 0 };

impl AnyPortSelector {
    /// See [`PortSelector::probes`].
    pub fn probes(&self, to: &mut dyn Probes) {
        dispatch!(self, scheme => scheme.probes(to));
    }

    /// See [`PortSelector::select`].
    #[inline]
    pub fn select(
        &mut self,
        cx: &mut SwitchCx<'_>,
        packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        dispatch!(self, scheme => scheme.select(cx, packet, choices))
    }

    /// See [`PortSelector::is_stateless`].
    pub fn is_stateless(&self) -> bool {
        dispatch!(self, scheme => scheme.is_stateless())
    }

    /// See [`PortSelector::detour`].
    pub fn detour(
        &mut self,
        cx: &mut SwitchCx<'_>,
        packet: &Header,
        stop: &Waypoint<'_>,
    ) -> Detour {
        dispatch!(self, scheme => scheme.detour(cx, packet, stop))
    }

    /// See [`PortSelector::looks_before`].
    pub fn looks_before(&self) -> bool {
        dispatch!(self, scheme => scheme.looks_before())
    }

    /// Hands the scheme over as what it is, so that a loop can be compiled for each.
    #[inline]
    pub fn visit(&mut self, visitor: impl Visitor) {
        dispatch!(self, scheme => visitor.visit(scheme))
    }
}

/// Something to do with any scheme.
pub trait Visitor {
    /// Does it.
    fn visit<S: PortSelector>(self, selector: &mut S);
}

impl<S: PortSelector + ?Sized> PortSelector for Box<S> {
    fn probes(&self, to: &mut dyn Probes) {
        (**self).probes(to);
    }

    fn select(
        &mut self,
        cx: &mut SwitchCx<'_>,
        packet: &Header,
        choices: &mut Choices<'_>,
    ) -> usize {
        (**self).select(cx, packet, choices)
    }

    fn offers(&self, need: Need) -> bool {
        (**self).offers(need)
    }

    fn is_stateless(&self) -> bool {
        (**self).is_stateless()
    }

    fn looks_before(&self) -> bool {
        (**self).looks_before()
    }

    fn reads_entropy(&self) -> bool {
        (**self).reads_entropy()
    }

    fn makes_detours(&self) -> bool {
        (**self).makes_detours()
    }

    fn detour(&mut self, cx: &mut SwitchCx<'_>, packet: &Header, stop: &Waypoint<'_>) -> Detour {
        (**self).detour(cx, packet, stop)
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{Bench, Running};
    use super::*;
    use crate::ids::Entropy;

    #[test]
    fn a_scheme_reads_entropies_if_they_change_its_choice() {
        for scheme in SCHEMES {
            let config = Config::named(scheme.card.name).unwrap();
            let bench = |entropy| {
                let build =
                    |config: &Config, context: &SwitchContext| Running(config.build(context));
                Bench::new(&config, build).entropy(Entropy(entropy)).select(16)
            };
            let first = bench(0);
            let differs = (1..64).any(|entropy| bench(entropy) != first);
            assert_eq!(config.reads_entropy(), differs, "{}", scheme.card.name);
        }
    }

    #[test]
    fn schemes_are_stateless_whose_choices_are_the_same_in_any_order_and_with_any_queues() {
        for scheme in SCHEMES {
            let name = scheme.card.name;
            let config = Config::named(name).unwrap();
            let choices = |queues: &[u64], entropies: &mut dyn Iterator<Item = u16>| {
                let build =
                    |config: &Config, context: &SwitchContext| Running(config.build(context));
                let mut bench = Bench::new(&config, build).queues(queues);
                // Flows of many destinations: one flow alone may keep its port.
                let mut select = |e| bench.entropy(Entropy(e)).to(e.into()).select(4);
                entropies.map(&mut select).collect::<Vec<_>>()
            };
            let up = choices(&[], &mut (0..256));
            let mut down = choices(&[], &mut (0..256).rev());
            down.reverse();
            let same = up == down && up == choices(&[90, 0, 40, 10], &mut (0..256));
            assert_eq!(config.build(&NOMINAL).is_stateless(), same, "{name}");
        }
    }
}
