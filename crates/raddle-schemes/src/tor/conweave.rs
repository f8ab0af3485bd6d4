//! ConWeave: a flow changes its path whenever that is slower than it should be, and the receiver's ToR
//! puts its packets back in order, so that NICs which take reordering for loss see none (SIGCOMM 2023).
//!
//! The sender's ToR asks with one packet of each epoch for a reply. If that has not come in time, the
//! next packet is the last on its path (TAIL) and those behind it take another; a new epoch begins when
//! the receiver's ToR has told that the TAIL has come (CLEAR). That one holds back what has overtaken
//! the TAIL, until it comes or ought to have come long ago. It also tells of paths on which packets were
//! marked (NOTIFY); these are not chosen for a while.
//!
//! Sources: the paper's mechanism as its authors' simulator has it (spec of Themis, section 4, item 4),
//! with its parameters for two tiers. Readings: the round trip that a reply must keep is that of the
//! path's latencies (that simulator: hops times one delay); what is held from an epoch that is over goes
//! on before the first packet of the next (there: it waits for its timer). Each flow has a queue of its
//! own; the paper's switch has a limited number of them. A path that routes have left is left at once.

mod destination;
mod note;
mod source;

use super::path_map::path_map;
use super::{Kind, Message, Note, Output, Packet, Side, TorContext, TorHook, Verdict, Ways};
use crate::family::Conflict;
use crate::ids::{FlowId, PortId, SwitchId};
use crate::probe::Probes;
use crate::units::{Span, Time};
use crate::{Card, Need, SwitchCx};
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::vec::Vec;
use destination::{Destination, Fate};
use note::{Label, Mark, Reply};
use serde::Serialize;
use source::{Pick, Source, Step};

/// What `raddle schemes conweave` says.
pub const CARD: Card = Card {
    name: "conweave",
    title: "ConWeave",
    paper: "Song et al., Network Load Balancing with In-network Reordering Support for RDMA, \
            SIGCOMM 2023",
    needs: &[Need::PathMap, Need::Notes],
    summary: "ToRs measure round trips, move flows off slow paths, and put their packets back in \
              order before NICs see them.",
};

crate::parameters! {
    /// Parameters of ConWeave; defaults are those of its simulator for two tiers, values for three in
    /// brackets.
    pub struct Config {
        /// A reply that takes longer than the empty path's round trip and this makes the flow leave the
        /// path (4 us).
        pub reply_extra: Span = Span::us(4);
        /// How long a path is not chosen after a marked packet came from there (16 us; 8 us in the
        /// simulator's constructor).
        pub path_busy: Span = Span::us(16);
        /// Whether marked packets tell of their path.
        pub notify: bool = true;
        /// A flow that pauses for longer begins anew and may take another path (300 us; 1 ms).
        pub inactive: Span = Span::us(300);
        /// What is held goes on so long after its TAIL should have come (16 us; with PFC 64 us).
        pub resume_extra: Span = Span::us(16);
        /// When the TAIL should come if nothing has come on the old path (200 us; 300 us, with PFC
        /// 600 us).
        pub resume_default: Span = Span::us(200);
    }
    conflicts by conflicts
}

/// What is switched off reads nothing.
fn conflicts(config: &Config) -> Vec<Conflict> {
    let idle = !config.notify && config.path_busy != Config::default().path_busy;
    idle.then_some(Conflict::Idle("path_busy", "notify")).into_iter().collect()
}

/// Both halves in one ToR.
#[derive(Clone, Debug, Serialize)]
pub struct ConWeave {
    #[serde(skip)]
    config: Config,
    /// The equal ways of the ToR: it picks among them where they are all the paths.
    ways: u32,
    /// What to add to the entropy where switches above choose, too.
    path_map: Vec<u16>,
    sources: BTreeMap<FlowId, Source>,
    destinations: BTreeMap<FlowId, Destination>,
    /// Until when paths to a ToR are not chosen.
    busy: BTreeMap<(SwitchId, u16), Time>,
    /// When flows go on whose packets are held.
    due: BTreeSet<(Time, FlowId)>,
    /// The ticket of the next packet that is held.
    ticket: u32,
    out: VecDeque<Output>,
    /// How many replies were late, paths left, packets held, and queues let go by their timers.
    late: u64,
    rerouted: u64,
    held: u64,
    flushed: u64,
}

impl ConWeave {
    /// A ToR's middleware.
    pub fn new(config: &Config, context: &TorContext) -> Self {
        Self {
            config: config.clone(),
            ways: context.ways_up[0],
            path_map: path_map(context.ways_up),
            sources: BTreeMap::new(),
            destinations: BTreeMap::new(),
            busy: BTreeMap::new(),
            due: BTreeSet::new(),
            ticket: 0,
            out: VecDeque::new(),
            late: 0,
            rerouted: 0,
            held: 0,
            flushed: 0,
        }
    }

    /// Whether the paths of a packet are those of the path map.
    fn is_mapped(&self, packet: &Packet) -> bool {
        packet.paths > self.ways && packet.paths as usize <= self.path_map.len()
    }

    /// Two random paths: the first that is not busy, else the first of all (section 4, item 4c).
    fn pick(&self, cx: &mut SwitchCx<'_>, packet: &Packet, ways: &dyn Ways) -> Pick {
        let mapped = self.is_mapped(packet);
        let count = if mapped { packet.paths as usize } else { ways.count() };
        let tor = packet.tors[1];
        let samples = [(); 2].map(|()| {
            let drawn = cx.rng.below(count as u64) as usize;
            if mapped { drawn as u16 } else { name(ways.port(drawn)) }
        });
        let is_free = |path: &&u16| self.busy.get(&(tor, **path)).is_none_or(|at| *at <= cx.now);
        match samples.iter().find(is_free) {
            Some(path) => Pick { path: *path, is_free: true },
            None => Pick { path: samples[0], is_free: false },
        }
    }

    /// A data packet of an own host sets out.
    fn send(&mut self, cx: &mut SwitchCx<'_>, packet: &mut Packet, ways: &dyn Ways) -> Verdict {
        let mapped = self.is_mapped(packet);
        let leads = |path: u16| (0..ways.count()).find(|&way| name(ways.port(way)) == path);
        let mut source = self.sources.remove(&packet.flow).unwrap_or_default();
        if !mapped && source.path().is_some_and(|path| leads(path).is_none()) {
            source.leave(self.pick(cx, packet, ways).path);
        }
        let patience = packet.round_trip + self.config.reply_extra;
        let step = source.step(cx.now, self.config.inactive);
        let pick = step.may_move().then(|| self.pick(cx, packet, ways));
        let before = source.path();
        let label = source.on_data(cx.now, patience, step, pick);
        self.late += u64::from(step == Step::Late);
        self.rerouted += u64::from(before.is_some_and(|path| path != label.path));
        self.sources.insert(packet.flow, source);
        packet.note = label.note();
        if mapped {
            packet.entropy.0 ^= self.path_map[usize::from(label.path)];
            return Verdict::Pass;
        }
        leads(label.path).map_or(Verdict::Pass, Verdict::Via)
    }

    /// A data packet has come from the sender's ToR.
    fn receive(&mut self, now: Time, packet: &mut Packet) -> Verdict {
        let label = Label::of(core::mem::take(&mut packet.note));
        let Some(label) = label else { return Verdict::Pass };
        if self.is_mapped(packet) {
            packet.entropy.0 ^= self.path_map.get(usize::from(label.path)).copied().unwrap_or(0);
        }
        if packet.kind != Kind::Data {
            return Verdict::Pass;
        }
        let Config { resume_extra, resume_default, .. } = self.config;
        let own = self.destinations.entry(packet.flow).or_default();
        let before = own.due();
        let seen = own.on_data(now, &label, self.ticket, [resume_extra, resume_default]);
        let after = own.due();
        self.ticket = self.ticket.wrapping_add(u32::from(seen.fate == Fate::Held));
        self.held += u64::from(seen.fate == Fate::Held);
        if before != after {
            before.into_iter().for_each(|at| _ = self.due.remove(&(at, packet.flow)));
            self.due.extend(after.map(|at| (at, packet.flow)));
        }
        if seen.is_current {
            let notify = (packet.marked && self.config.notify).then_some(Reply::Notify(label.path));
            let reply = match label.mark {
                Mark::None => None,
                Mark::Init => Some(Reply::Init(label.epoch)),
                Mark::Tail => Some(Reply::Clear(label.epoch)),
            };
            let to_sender = |reply: Reply| Output::Send {
                flow: packet.flow,
                kind: Message::ToSender,
                number: reply.number(),
                entropy: packet.entropy,
                flagged: false,
                through: None,
            };
            self.out.extend(notify.into_iter().chain(reply).map(to_sender));
        }
        self.out.extend(seen.released.into_iter().map(release));
        match seen.fate {
            Fate::Passes => Verdict::Pass,
            Fate::Held => Verdict::Hold,
        }
    }
}

/// A port as a path's name: those of one switch are different.
fn name(port: PortId) -> u16 {
    port.0 as u16
}

fn release(ticket: u32) -> Output {
    Output::Release { ticket, via: None }
}

impl TorHook for ConWeave {
    fn probes(&self, to: &mut dyn Probes) {
        to.count("late", self.late);
        to.count("rerouted", self.rerouted);
        to.count("held", self.held);
        to.count("flushed", self.flushed);
    }

    fn on_ingress(
        &mut self,
        cx: &mut SwitchCx<'_>,
        p: &mut Packet,
        from: Side,
        ways: &dyn Ways,
    ) -> Verdict {
        if p.paths < 2 || p.tors[0] == p.tors[1] {
            return Verdict::Pass;
        }
        match (p.kind, from, p.forward) {
            (Kind::Data, Side::Host, true) => self.send(cx, p, ways),
            (Kind::Data | Kind::Header, Side::Fabric, true) => self.receive(cx.now, p),
            (Kind::Tor, Side::Fabric, false) => {
                match Reply::of(p.number) {
                    Some(Reply::Notify(path)) => {
                        self.busy.insert((p.tors[1], path), cx.now + self.config.path_busy);
                    }
                    Some(reply) => {
                        if let Some(source) = self.sources.get_mut(&p.flow) {
                            source.on_reply(cx.now, reply);
                        }
                    }
                    None => {}
                }
                Verdict::Drop
            }
            _ => {
                p.note = Note::default();
                Verdict::Pass
            }
        }
    }

    fn poll(&mut self) -> Option<Output> {
        self.out.pop_front()
    }

    fn next_timer(&self) -> Option<Time> {
        self.due.first().map(|(at, _)| *at)
    }

    fn on_timer(&mut self, cx: &mut SwitchCx<'_>) {
        while let Some(&(at, flow)) = self.due.first()
            && at <= cx.now
        {
            self.due.remove(&(at, flow));
            let own = self.destinations.entry(flow).or_default();
            self.out.extend(own.flush().into_iter().map(release));
            self.flushed += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Entropy, HostId};
    use crate::rng::Rng;
    use crate::units::{Bytes, Rate};

    /// Ways through these ports.
    struct Ports(Vec<u32>);

    impl Ways for Ports {
        fn count(&self) -> usize {
            self.0.len()
        }

        fn port(&self, way: usize) -> PortId {
            PortId(self.0[way])
        }

        fn rate(&self, _way: usize) -> Rate {
            Rate::gbps(100)
        }
    }

    fn tor(ways_up: [u32; 2]) -> ConWeave {
        let context = TorContext {
            switch: SwitchId(0),
            stream: 1,
            ways_up,
            edge: true,
            ..TorContext::NOMINAL
        };
        ConWeave::new(&Config::default(), &context)
    }

    /// A packet of a flow between two ToRs with so many paths, sent at time zero: what becomes of it,
    /// and its entropy.
    fn send(
        tor: &mut ConWeave,
        rng: &mut Rng,
        flow: u32,
        paths: u32,
        ports: &[u32],
    ) -> (Verdict, u16) {
        let mut packet = Packet {
            flow: FlowId(flow),
            sender: HostId(0),
            receiver: HostId(9),
            tors: [SwitchId(0), SwitchId(1)],
            paths,
            round_trip: Span::us(8),
            kind: Kind::Data,
            forward: true,
            number: 0,
            entropy: Entropy(0),
            flagged: false,
            marked: false,
            again: false,
            bytes: Bytes(4160),
            waits: false,
            note: Note::default(),
        };
        let mut cx = SwitchCx { now: Time::ZERO, rng };
        let verdict = tor.on_ingress(&mut cx, &mut packet, Side::Host, &Ports(ports.to_vec()));
        (verdict, packet.entropy.0)
    }

    #[test]
    fn a_flow_keeps_its_path_until_that_is_gone() {
        let (mut own, mut rng) = (tor([4, 1]), Rng::new(1, "test", 0));
        for flow in 0..20 {
            let all = [10, 11, 12, 13];
            let (Verdict::Via(way), _) = send(&mut own, &mut rng, flow, 4, &all) else { panic!() };
            for _ in 0..20 {
                assert_eq!(send(&mut own, &mut rng, flow, 4, &all).0, Verdict::Via(way));
            }
            // The same port by another number, and then without it.
            let others: Vec<u32> = all.into_iter().filter(|port| *port != all[way]).collect();
            let mut last = others.clone();
            last.push(all[way]);
            assert_eq!(send(&mut own, &mut rng, flow, 4, &last).0, Verdict::Via(3));
            let (Verdict::Via(next), _) = send(&mut own, &mut rng, flow, 4, &others) else {
                panic!("a path is left")
            };
            for _ in 0..20 {
                assert_eq!(send(&mut own, &mut rng, flow, 4, &others).0, Verdict::Via(next));
            }
        }
    }

    #[test]
    fn a_path_of_the_map_is_kept_whatever_ports_there_are() {
        let (mut own, mut rng) = (tor([4, 4]), Rng::new(1, "test", 0));
        for flow in 0..20 {
            // Paths are 0 to 15, and no port has such a number.
            let first = send(&mut own, &mut rng, flow, 16, &[100, 101, 102, 103]);
            assert_eq!(first.0, Verdict::Pass);
            for _ in 0..20 {
                assert_eq!(send(&mut own, &mut rng, flow, 16, &[100, 101, 102, 103]), first);
            }
        }
    }

    #[test]
    fn what_is_switched_off_reads_nothing() {
        let of = Config::default;
        assert!(
            conflicts(&of()).is_empty() && conflicts(&Config { notify: false, ..of() }).is_empty()
        );
        let idle = Config { notify: false, path_busy: Span::us(1), ..of() };
        assert_eq!(conflicts(&idle).len(), 1);
    }
}
