//! RotorLB: ToRs keep bulk data and send it over direct circuits; what room a circuit has beyond that
//! carries data for other ToRs, which the far end keeps until its own circuit to them is up (RotorNet,
//! SIGCOMM 2017, section 4; Opera, NSDI 2020, section 4.2).
//!
//! As a circuit to a ToR comes up, what was relayed here for that ToR goes first, then what own hosts
//! have for it, of each receiving host at most its share of what the circuit carries. What is left is
//! offered at once, max-min fair over destinations, in a message for each over that circuit. The far end
//! answers how much it takes: of each receiving host it keeps no more than `backlog` shares.
//!
//! Readings. Data waits in ToRs, own and relayed alike: hosts of this simulator forward nothing, so the
//! links of the relay's hosts stay free, and a sender's host has no share of its own. The released
//! program decides all that in one place at no cost; here it takes a round trip of the circuit, in
//! which direct data goes. A packet is put in line as the one before it starts, so that packets which go
//! first take what they need and little is left in line when the circuit goes down.

#[cfg(test)]
mod tests;

use super::{
    Kind, Message, Output, Packet, Queues, Side, TorContext, TorHook, TorLane, Verdict, Ways,
};
use crate::ids::{Entropy, FlowId, HostId, PortId, SwitchId};
use crate::probe::Probes;
use crate::units::{Bytes, Rate, Time};
use crate::{Card, Need, SwitchCx};
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::{vec, vec::Vec};
use core::ops::Bound;
use serde::Serialize;

/// What `raddle schemes rotorlb` says.
pub const CARD: Card = Card {
    name: "rotorlb",
    title: "RotorLB",
    paper: "Mellette et al., RotorNet, SIGCOMM 2017; Opera, NSDI 2020",
    needs: &[Need::Bulk],
    summary: "ToRs keep bulk data, send it over direct circuits, and lend what is left of these to data \
              for other ToRs.",
};

crate::parameters! {
    /// Parameters of RotorLB.
    pub struct Config {
        /// A ToR takes data to relay for a host while it keeps less for that host than so many shares, a
        /// share being what a circuit carries, over the hosts of a ToR (released program: 2); with 0
        /// nothing is relayed.
        pub backlog: f64 = 2.0, in 0.0..=1000.0;
    }
}

/// So many packets stand in line behind the one on the wire.
const AHEAD: usize = 2;
/// What fits into the number of a message.
const MOST: u32 = (1 << 24) - 1;

/// A host, and its ToR.
type End = (SwitchId, HostId);

/// A packet that is kept.
#[derive(Clone, Copy, Debug, Serialize)]
struct Held {
    ticket: u32,
    bytes: Bytes,
    flow: FlowId,
}

/// Packets that are kept, by where they go.
#[derive(Clone, Debug, Default, Serialize)]
struct Store(BTreeMap<End, VecDeque<Held>>);

impl Store {
    fn len(&self, end: End) -> usize {
        self.0.get(&end).map_or(0, VecDeque::len)
    }

    /// Ends below a ToR, with the packets for each.
    fn below(&self, tor: SwitchId) -> impl Iterator<Item = (End, usize)> {
        let all = (tor, HostId(0))..=(tor, HostId(u32::MAX));
        self.0.range(all).map(|(end, kept)| (*end, kept.len()))
    }

    fn put(&mut self, end: End, held: Held) {
        self.0.entry(end).or_default().push_back(held);
    }

    /// Takes the first packet for an end.
    fn take(&mut self, end: End) -> Option<Held> {
        let kept = self.0.get_mut(&end)?;
        let held = kept.pop_front();
        if kept.is_empty() {
            self.0.remove(&end);
        }
        held
    }

    fn first(&self, end: End) -> Option<&Held> {
        self.0.get(&end)?.front()
    }
}

/// The end whose turn it is of those that `may`: the first after the last one, else the first.
fn turn<T>(
    ends: &BTreeMap<End, T>,
    (first, most): (End, End),
    last: Option<End>,
    may: impl Fn(&End) -> bool,
) -> Option<End> {
    let find = |from: Bound<End>| {
        let mut ends = ends.range((from, Bound::Included(most))).map(|(end, _)| *end);
        ends.find(&may)
    };
    let next =
        last.filter(|last| *last < most).and_then(|last| find(Bound::Excluded(last.max(first))));
    next.or_else(|| find(Bound::Included(first)))
}

/// All ends, and those below a ToR.
const ALL: (End, End) = below_any(SwitchId(0), SwitchId(u32::MAX));

const fn below_any(from: SwitchId, to: SwitchId) -> (End, End) {
    ((from, HostId(0)), (to, HostId(u32::MAX)))
}

/// A lane, and what is known of the opening that it is in.
#[derive(Clone, Debug, Serialize)]
struct Lane {
    lane: TorLane,
    /// Packets of each receiving host in an opening.
    share: u32,
    /// When the opening ends; in the past, if none is known.
    until: Time,
    rate: Rate,
    /// When what has been put in line has left, if nothing else goes.
    free_at: Time,
    /// Packets sent to each host in this opening.
    sent: BTreeMap<End, u32>,
    /// What the far end takes for others.
    granted: BTreeMap<End, u32>,
    /// Whose turn it was: of what is relayed, of own data, of what the far end takes.
    last: [Option<End>; 3],
}

impl Lane {
    fn new(lane: &TorLane, hosts: u32) -> Self {
        Self {
            share: (lane.packets / hosts.max(1)).max(1),
            lane: lane.clone(),
            until: Time::ZERO,
            rate: Rate(1),
            free_at: Time::ZERO,
            sent: BTreeMap::new(),
            granted: BTreeMap::new(),
            last: [None; 3],
        }
    }

    /// The first start of an opening after an instant.
    fn next_opening(&self, after: Time) -> Time {
        let period = self.lane.period.0.max(1);
        let base = after.0 - after.0 % period;
        let next = |from: u64| {
            let at = base + from;
            if at > after.0 { at } else { at + period }
        };
        let starts = self.lane.openings.iter().map(|own| next(own.from.0));
        starts.min().map_or(Time::NEVER, Time)
    }

    /// Whether it is open. As it is first asked within an opening, that begins.
    fn is_open(&mut self, now: Time) -> bool {
        if now < self.until {
            return true;
        }
        let period = self.lane.period.0.max(1);
        let phase = now.0 % period;
        let at = |own: &super::TorOpening| {
            let into = [phase, phase + period].into_iter();
            let mut into = into.filter(|at| own.from.0 <= *at && *at < own.until.0);
            Some((own.until.0 - into.next()?, own.rate))
        };
        let Some((left, rate)) = self.lane.openings.iter().find_map(at) else { return false };
        (self.until, self.rate) = (Time(now.0 + left), rate);
        self.sent.clear();
        self.granted.clear();
        true
    }

    /// Puts a packet in line, if it leaves before the end.
    fn fits(&mut self, now: Time, bytes: Bytes) -> bool {
        let end = self.free_at.max(now) + self.rate.serialisation(bytes);
        let fits = end <= self.until;
        if fits {
            self.free_at = end;
        }
        fits
    }
}

/// RotorLB in one ToR.
#[derive(Clone, Debug, Serialize)]
pub struct RotorLb {
    own: SwitchId,
    backlog: f64,
    packet: Bytes,
    now: Time,
    lanes: Vec<Lane>,
    /// When each is looked at next.
    wakes: Vec<Time>,
    /// Lanes whose far ends have taken something for others, perhaps before this opening.
    lending: BTreeSet<usize>,
    /// The lane to each ToR, by its number.
    of: Vec<Option<usize>>,
    /// What own hosts have sent, and what was relayed here.
    local: Store,
    relayed: Store,
    kept: u64,
    /// What was promised to take for an end, by the ToR that offered it, and until when it counts.
    promised: BTreeMap<End, BTreeMap<SwitchId, (u32, Time)>>,
    /// The ticket of the next packet that is held.
    ticket: u32,
    /// Lanes that may take something at once.
    ready: BTreeSet<usize>,
    out: VecDeque<Output>,
    timer: Time,
    /// Packets that others sent here to be relayed.
    taken: u64,
}

impl RotorLb {
    /// A ToR's middleware.
    pub fn new(config: &Config, context: &TorContext) -> Self {
        let lanes = context.lanes.iter().map(|lane| Lane::new(lane, context.hosts));
        let tors = context.lanes.iter().map(|lane| lane.to.index() + 1).max().unwrap_or(0);
        let mut of = vec![None; tors];
        for (place, lane) in context.lanes.iter().enumerate() {
            of[lane.to.index()] = Some(place);
        }
        Self {
            own: context.switch,
            backlog: config.backlog,
            packet: context.packet,
            now: Time::ZERO,
            lanes: lanes.collect(),
            wakes: vec![Time::NEVER; context.lanes.len()],
            lending: BTreeSet::new(),
            of,
            local: Store::default(),
            relayed: Store::default(),
            kept: 0,
            promised: BTreeMap::new(),
            ticket: 0,
            ready: BTreeSet::new(),
            out: VecDeque::new(),
            timer: Time::NEVER,
            taken: 0,
        }
    }

    fn set_timer(&mut self) {
        self.timer = self.wakes.iter().copied().min().unwrap_or(Time::NEVER);
    }

    /// The lane to a ToR.
    fn lane_to(&self, tor: SwitchId) -> Option<usize> {
        self.of.get(tor.index()).copied().flatten()
    }

    /// Keeps a packet of bulk data.
    fn keep(&mut self, packet: &Packet, from: Side) -> Verdict {
        let now = self.now;
        let end = (packet.tors[1], packet.receiver);
        let held = Held { ticket: self.ticket, bytes: packet.bytes, flow: packet.flow };
        self.ticket = self.ticket.wrapping_add(1);
        if self.kept == 0 {
            for (wake, lane) in self.wakes.iter_mut().zip(&self.lanes) {
                *wake = lane.next_opening(now);
            }
            self.set_timer();
        }
        self.kept += 1;
        match from {
            Side::Host => self.local.put(end, held),
            Side::Fabric => {
                self.taken += 1;
                let promised = self.promised.get_mut(&end);
                if let Some((left, _)) = promised.and_then(|own| own.get_mut(&packet.tors[0])) {
                    *left = left.saturating_sub(1);
                }
                self.relayed.put(end, held);
            }
        }
        if let Some(direct) = self.lane_to(end.0)
            && self.lanes[direct].is_open(now)
        {
            self.ready.insert(direct);
        }
        if from == Side::Host {
            let Self { lanes, lending, ready, .. } = self;
            lending.retain(|&place| {
                let lane = &mut lanes[place];
                if lane.granted.contains_key(&end) && lane.is_open(now) {
                    ready.insert(place);
                }
                !lane.granted.is_empty()
            });
        }
        Verdict::Hold
    }

    /// Offers the far end of a lane that has just come up what it could relay.
    fn offer(&mut self, place: usize) {
        let lane = &self.lanes[place];
        let (far, port) = (lane.lane.to, lane.lane.port);
        let room = (lane.until.0 - self.now.0) / lane.rate.serialisation(self.packet).0.max(1);
        let ends: BTreeSet<End> =
            self.relayed.below(far).chain(self.local.below(far)).map(|(end, _)| end).collect();
        let own = |end: &End| (self.relayed.len(*end) + self.local.len(*end)) as u64;
        let direct: u64 = ends.iter().map(|end| own(end).min(lane.share.into())).sum();
        let mut left = room.saturating_sub(direct);
        if self.backlog == 0.0 {
            return;
        }
        let others = self.local.0.iter().filter(|(end, _)| end.0 != far);
        let mut others: Vec<(usize, End)> = others.map(|(end, kept)| (kept.len(), *end)).collect();
        others.sort_unstable();
        let count = others.len() as u64;
        for ((kept, end), behind) in others.into_iter().zip((1..=count).rev()) {
            let fair = (kept as u64).min(left.div_ceil(behind)).min(MOST.into());
            let Some(first) = self.local.first(end).filter(|_| fair > 0) else { continue };
            left -= fair;
            self.out.push_back(Output::Send {
                flow: first.flow,
                kind: Message::ToReceiver,
                number: fair as u32,
                entropy: Entropy(far.0 as u16),
                flagged: false,
                through: Some(port),
            });
        }
    }

    /// Answers an offer.
    fn answer(&mut self, packet: &Packet) {
        let (now, end, asks) = (self.now, (packet.tors[1], packet.receiver), packet.tors[0]);
        let Some(onwards) = self.lane_to(end.0) else { return };
        let most = (self.backlog * f64::from(self.lanes[onwards].share)) as u32;
        // What it has not sent by the end of this opening it will offer again.
        let expires = self.lane_to(asks).map_or(now, |back| {
            let back = &mut self.lanes[back];
            if back.is_open(now) { back.until } else { now + back.lane.period }
        });
        let promised = self.promised.entry(end).or_default();
        promised.retain(|from, (left, until)| *from != asks && *left > 0 && *until > now);
        let promises: u32 = promised.values().map(|(left, _)| *left).sum();
        let kept = (self.local.len(end) + self.relayed.len(end)) as u32;
        let takes = most.saturating_sub(kept.saturating_add(promises)).min(packet.number);
        if takes > 0 {
            promised.insert(asks, (takes, expires));
            self.out.push_back(Output::Send {
                flow: packet.flow,
                kind: Message::ToSender,
                number: takes,
                entropy: Entropy(self.own.0 as u16),
                flagged: false,
                through: None,
            });
        }
    }

    /// A message between ToRs.
    fn on_message(&mut self, packet: &Packet) -> Verdict {
        let number = SwitchId(packet.entropy.0.into());
        if packet.forward {
            if number == self.own {
                self.answer(packet);
            }
            // One that came too late for its circuit and was sent on ends where its packets go.
            let ends = number == self.own || packet.tors[1] == self.own;
            return if ends { Verdict::Drop } else { Verdict::Pass };
        }
        if packet.tors[0] != self.own {
            return Verdict::Pass;
        }
        let now = self.now;
        if let Some(place) = self.lane_to(number)
            && self.lanes[place].is_open(now)
        {
            let end = (packet.tors[1], packet.receiver);
            *self.lanes[place].granted.entry(end).or_default() += packet.number;
            self.lending.insert(place);
            self.ready.insert(place);
        }
        Verdict::Drop
    }

    /// Takes the packet that goes next over a lane.
    fn next(&mut self, place: usize) -> Option<Held> {
        let Self { lanes, local, relayed, now, .. } = self;
        let lane = &mut lanes[place];
        let far = lane.lane.to;
        for (kind, store) in [&mut *relayed, &mut *local].into_iter().enumerate() {
            let may = |end: &End| lane.sent.get(end).is_none_or(|sent| *sent < lane.share);
            if let Some(end) = turn(&store.0, below_any(far, far), lane.last[kind], may) {
                let bytes = store.first(end)?.bytes;
                if !lane.fits(*now, bytes) {
                    return None;
                }
                lane.last[kind] = Some(end);
                *lane.sent.entry(end).or_default() += 1;
                return store.take(end);
            }
        }
        let has = |end: &End| local.len(*end) > 0;
        let end = turn(&lane.granted, ALL, lane.last[2], has)?;
        let bytes = local.first(end)?.bytes;
        if !lane.fits(*now, bytes) {
            return None;
        }
        lane.last[2] = Some(end);
        if let Some(left) = lane.granted.get_mut(&end) {
            *left -= 1;
            if *left == 0 {
                lane.granted.remove(&end);
            }
        }
        local.take(end)
    }
}

impl TorHook for RotorLb {
    fn probes(&self, to: &mut dyn Probes) {
        to.count("kept", self.kept);
        to.count("relayed", self.taken);
    }

    fn on_ingress(
        &mut self,
        cx: &mut SwitchCx<'_>,
        packet: &mut Packet,
        from: Side,
        _: &dyn Ways,
    ) -> Verdict {
        self.now = cx.now;
        if packet.kind == Kind::Tor {
            return self.on_message(packet);
        }
        let goes_on = packet.tors[1] != self.own && self.lane_to(packet.tors[1]).is_some();
        if packet.waits && goes_on { self.keep(packet, from) } else { Verdict::Pass }
    }

    fn look(&mut self, queues: &mut dyn Queues) {
        let now = self.now;
        while let Some(place) = self.ready.pop_first() {
            if !self.lanes[place].is_open(now) {
                continue;
            }
            let port: PortId = self.lanes[place].lane.port;
            let mut room = AHEAD.saturating_sub(queues.waiting(port));
            while room > 0
                && let Some(held) = self.next(place)
            {
                self.kept -= 1;
                self.out.push_back(Output::Through { ticket: held.ticket, port });
                room -= 1;
            }
            if room == 0 {
                let next = now + self.lanes[place].rate.serialisation(self.packet);
                self.wakes[place] = self.wakes[place].min(next);
                self.timer = self.timer.min(next);
            }
        }
        if self.kept == 0 {
            self.wakes.fill(Time::NEVER);
            self.timer = Time::NEVER;
        }
    }

    fn poll(&mut self) -> Option<Output> {
        self.out.pop_front()
    }

    fn next_timer(&self) -> Option<Time> {
        (self.timer < Time::NEVER).then_some(self.timer)
    }

    fn on_timer(&mut self, cx: &mut SwitchCx<'_>) {
        self.now = cx.now;
        for place in 0..self.lanes.len() {
            if self.wakes[place] > cx.now {
                continue;
            }
            let lane = &mut self.lanes[place];
            let opens = lane.next_opening(Time(cx.now.0.saturating_sub(1))) == cx.now;
            self.wakes[place] = lane.next_opening(cx.now);
            if opens {
                // What went before is over, even if it went on until now.
                lane.until = Time::ZERO;
            }
            if lane.is_open(cx.now) {
                self.ready.insert(place);
                if opens {
                    self.offer(place);
                }
            }
        }
        self.set_timer();
    }
}
