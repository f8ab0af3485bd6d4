//! CONGA: a leaf sends each flowlet through the uplink whose path is least congested, as far as the
//! leaf at its other end has told (SIGCOMM 2014).
//!
//! Every link has an estimate of its load. A packet collects the largest on its way, and the leaf that it
//! comes to keeps that by the leaf and the uplink where it came from. What it keeps goes back on
//! packets to that leaf, one entry on each. A new flowlet takes the uplink for which the larger of its
//! own estimate and what has been told is smallest.
//!
//! Readings: a packet counts when a switch sends it on, as in the simulator of ConWeave's authors, not
//! when it leaves the queue; all packets between leaves collect, tell and count, ACKs included, as in
//! the paper (that simulator: data only). Gaps are told by the time of a flowlet's last packet; the
//! paper's age bit ends a flowlet after one to two timeouts. The flowlet table has no collisions. Above
//! the leaves packets are hashed by flow where there is a choice.

mod dre;
mod table;

use super::{Note, Packet, Side, TorContext, TorHook, Verdict, Ways};
use crate::ids::{FlowId, PortId, SwitchId};
use crate::probe::Probes;
use crate::rng::mix;
use crate::units::{Span, Time};
use crate::{Card, Need, SwitchCx};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use dre::{Dre, Scale};
use serde::Serialize;
use table::{Entry, Feedback};

/// What `raddle schemes conga` says.
pub const CARD: Card = Card {
    name: "conga",
    title: "CONGA",
    paper: "Alizadeh et al., CONGA: Distributed Congestion-Aware Load Balancing for Datacenters, \
            SIGCOMM 2014",
    needs: &[Need::Notes, Need::EverySwitch],
    summary: "ToRs send each flowlet where the path is least congested: switches measure their \
              links, packets collect the largest load on their way, and ToRs tell each other.",
};

crate::parameters! {
    /// Parameters of CONGA.
    pub struct Config {
        /// A longer pause than this ends a flowlet (CONGA: 500 us; ConWeave's comparison: 100 us).
        pub timeout: Span = Span::us(500);
        /// The time over which a link's load is measured: tau (CONGA: 160 us; ConWeave's comparison:
        /// 250 us).
        pub time_constant: Span = Span::us(160), in Span::ns(1)..=Span::ms(1_000);
        /// What of the measured bytes goes at each step, one every `alpha` of the time constant
        /// (ConWeave's comparison: 0.2).
        pub alpha: f64 = 0.2, in 0.01..=1.0;
        /// Bits of a congestion metric: Q (CONGA: 3).
        pub bits: u8 = 3, in 1..=8;
        /// What has not been heard of for longer counts as no congestion (CONGA: 10 ms).
        pub aging: Span = Span::ms(10);
    }
}

/// What a packet carries: where it left its leaf and the largest load since, and one entry that tells
/// its destination of the way there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Tag {
    uplink: PortId,
    congestion: u8,
    feedback: Option<Entry>,
}

impl Tag {
    fn note(self) -> Note {
        let (port, metric, is_some) = match self.feedback {
            Some(Entry { uplink, metric }) => (uplink, metric, true),
            None => (PortId(0), 0, false),
        };
        let metrics = u64::from(self.congestion) | u64::from(metric) << 8;
        let flags = 1 << 16 | u64::from(is_some) << 17;
        Note([u64::from(self.uplink.0) | u64::from(port.0) << 32, metrics | flags])
    }

    fn of(Note([ports, rest]): Note) -> Option<Self> {
        let feedback = (rest >> 17 & 1 == 1)
            .then_some(Entry { uplink: PortId((ports >> 32) as u32), metric: (rest >> 8) as u8 });
        let own = Self { uplink: PortId(ports as u32), congestion: rest as u8, feedback };
        (rest >> 16 & 1 == 1).then_some(own)
    }
}

/// Where a flowlet goes, and when its last packet came.
#[derive(Clone, Copy, Debug, Serialize)]
struct Flowlet {
    uplink: PortId,
    last: Time,
}

/// One switch's part.
#[derive(Clone, Debug, Serialize)]
pub struct Conga {
    #[serde(skip)]
    config: Config,
    scale: Scale,
    switch: SwitchId,
    stream: u64,
    links: BTreeMap<PortId, Dre>,
    /// By flow and direction.
    flowlets: BTreeMap<(FlowId, bool), Flowlet>,
    /// By leaf, what packets from there have collected, which it is to be told.
    from_leaf: BTreeMap<SwitchId, Feedback>,
    /// By leaf, what it has told of the ways there.
    to_leaf: BTreeMap<SwitchId, BTreeMap<PortId, (u8, Time)>>,
    /// How many flowlets have left the way of the one before.
    rerouted: u64,
}

impl Conga {
    /// A switch's part.
    pub fn new(config: &Config, context: &TorContext) -> Self {
        Self {
            scale: Scale::new(config),
            config: config.clone(),
            switch: context.switch,
            stream: context.stream,
            links: BTreeMap::new(),
            flowlets: BTreeMap::new(),
            from_leaf: BTreeMap::new(),
            to_leaf: BTreeMap::new(),
            rerouted: 0,
        }
    }

    /// How loaded a link is, and how loaded when a packet goes there, too.
    fn load(&self, now: Time, ways: &dyn Ways, way: usize) -> u8 {
        let link = self.links.get(&ways.port(way)).copied().unwrap_or_default();
        self.scale.metric(&link, now, ways.rate(way))
    }

    fn count(&mut self, now: Time, packet: &Packet, ways: &dyn Ways, way: usize) -> u8 {
        let link = self.links.entry(ways.port(way)).or_default();
        self.scale.add(link, now, packet.bytes);
        self.load(now, ways, way)
    }

    /// Which way a packet to `leaf` takes: that of its flowlet, or of those least congested the one
    /// before or else any.
    fn choose(
        &mut self,
        cx: &mut SwitchCx<'_>,
        p: &Packet,
        leaf: SwitchId,
        ways: &dyn Ways,
    ) -> usize {
        let all = 0..ways.count();
        let before = self.flowlets.get(&(p.flow, p.forward)).copied();
        let same = before.and_then(|own| all.clone().find(|&way| ways.port(way) == own.uplink));
        let lasts = |own: Flowlet| cx.now <= own.last + self.config.timeout;
        if let Some(way) = same.filter(|_| before.is_some_and(lasts)) {
            return way;
        }
        let told = self.to_leaf.get(&leaf);
        let congestion = |way: usize| {
            let fresh = |&&(_, at): &&(u8, Time)| cx.now <= at + self.config.aging;
            let told = told.and_then(|told| told.get(&ways.port(way))).filter(fresh);
            self.load(cx.now, ways, way).max(told.map_or(0, |told| told.0))
        };
        let metrics: Vec<u8> = all.clone().map(congestion).collect();
        let least = metrics.iter().min().copied().unwrap_or(0);
        let best: Vec<usize> = all.filter(|&way| metrics[way] == least).collect();
        same.filter(|way| best.contains(way))
            .unwrap_or_else(|| best[cx.rng.below(best.len() as u64) as usize])
    }

    /// A packet of an own host sets out for another leaf.
    fn send(
        &mut self,
        cx: &mut SwitchCx<'_>,
        p: &mut Packet,
        leaf: SwitchId,
        ways: &dyn Ways,
    ) -> usize {
        let way = self.choose(cx, p, leaf, ways);
        let uplink = ways.port(way);
        let flowlet = Flowlet { uplink, last: cx.now };
        let before = self.flowlets.insert((p.flow, p.forward), flowlet);
        self.rerouted += u64::from(before.is_some_and(|before| before.uplink != uplink));
        let congestion = self.count(cx.now, p, ways, way);
        let oldest = Time(cx.now.0.saturating_sub(self.config.aging.0));
        let feedback = self.from_leaf.get_mut(&leaf).and_then(|own| own.next(oldest));
        p.note = Tag { uplink, congestion, feedback }.note();
        way
    }

    /// A packet of another leaf has come.
    fn learn(&mut self, now: Time, tag: Tag, leaf: SwitchId) {
        let seen = Entry { uplink: tag.uplink, metric: tag.congestion };
        self.from_leaf.entry(leaf).or_default().note(now, seen);
        if let Some(told) = tag.feedback {
            self.to_leaf.entry(leaf).or_default().insert(told.uplink, (told.metric, now));
        }
    }
}

impl TorHook for Conga {
    fn probes(&self, to: &mut dyn Probes) {
        to.count("flowlets", self.flowlets.len() as u64);
        to.count("rerouted", self.rerouted);
    }

    fn on_ingress(
        &mut self,
        cx: &mut SwitchCx<'_>,
        p: &mut Packet,
        from: Side,
        ways: &dyn Ways,
    ) -> Verdict {
        let [source, destination] = match p.forward {
            true => p.tors,
            false => [p.tors[1], p.tors[0]],
        };
        if source == destination {
            return Verdict::Pass;
        }
        if from == Side::Host {
            return Verdict::Via(self.send(cx, p, destination, ways));
        }
        let tag = Tag::of(p.note);
        if destination == self.switch {
            if let Some(tag) = tag {
                self.learn(cx.now, tag, source);
            }
            p.note = Note::default();
            return Verdict::Pass;
        }
        let flow = u64::from(p.flow.0) << 1 | u64::from(p.forward);
        let way = (mix(self.stream ^ flow) % ways.count() as u64) as usize;
        let congestion = self.count(cx.now, p, ways, way);
        if let Some(tag) = tag {
            p.note = Tag { congestion: tag.congestion.max(congestion), ..tag }.note();
        }
        Verdict::Via(way)
    }
}

#[cfg(test)]
#[path = "conga/tests.rs"]
mod tests;
