//! Two ToRs, a few flows from hosts of the first to hosts of the second, and a fabric between them
//! that loses and reorders.

use super::Shown;
use raddle_schemes::SwitchCx;
use raddle_schemes::ids::{Entropy, FlowId, HostId, PortId, SwitchId};
use raddle_schemes::probe::Probe;
use raddle_schemes::rng::{Rng, mix};
use raddle_schemes::tor::{
    AnyTorHook, Config, Kind, Message, Note, Output, Packet, Side, TorContext, Verdict, Ways,
};
use raddle_schemes::units::{Bytes, Rate, Span, Time};

const FLOWS: usize = 8;
const WAYS: usize = 4;
/// Numbers of packets have so many values.
const NUMBERS: u32 = 1 << 24;

struct Equal;

impl Ways for Equal {
    fn count(&self) -> usize {
        WAYS
    }
    fn port(&self, way: usize) -> PortId {
        assert!(way < WAYS, "way {way} of {WAYS}");
        PortId(20 + way as u32)
    }
    fn rate(&self, way: usize) -> Rate {
        assert!(way < WAYS, "way {way} of {WAYS}");
        Rate::gbps(400)
    }
}

struct Tor {
    hook: AnyTorHook,
    own: Rng,
    /// By ticket; none once it has gone on.
    held: Vec<Option<Packet>>,
}

pub(crate) struct Tors {
    tors: [Tor; 2],
    now: Time,
    /// What is between the two, and to which it goes.
    fabric: Vec<(usize, Packet)>,
    next: [u32; FLOWS],
    chance: Rng,
    arrived: u32,
    answers: u64,
}

impl Tors {
    pub(crate) fn new(config: &Config, seed: u64) -> Self {
        let tor = |switch: u32| {
            let stream = u64::from(switch) + 9;
            let context = TorContext {
                switch: SwitchId(switch),
                stream,
                ways_up: [4, 1],
                edge: true,
                ..TorContext::NOMINAL
            };
            let own = Rng::new(seed, "tor", switch.into());
            Tor { hook: config.build(&context), own, held: Vec::new() }
        };
        Self {
            tors: [tor(0), tor(1)],
            now: Time::ZERO,
            fabric: Vec::new(),
            next: [0; FLOWS],
            chance: Rng::new(seed, "course", 0),
            arrived: 0,
            answers: 0,
        }
    }

    /// Packets of data that have reached their host.
    pub(crate) fn arrived(&self) -> u32 {
        self.arrived
    }

    /// All that both ToRs show.
    pub(crate) fn shown(&self) -> Vec<Probe> {
        let mut shown = Shown(Vec::new());
        self.tors.iter().for_each(|tor| tor.hook.probes(&mut shown));
        shown.0
    }

    /// All answers, in one number.
    pub(crate) fn answers(&self) -> u64 {
        self.answers
    }

    fn add(&mut self, answer: u64) {
        self.answers = mix(self.answers ^ answer).wrapping_add(1);
    }

    fn packet(&self, flow: usize, kind: Kind, number: u32) -> Packet {
        let forward = matches!(kind, Kind::Data);
        Packet {
            flow: FlowId(flow as u32),
            sender: HostId(flow as u32),
            receiver: HostId(100 + flow as u32),
            tors: [SwitchId(0), SwitchId(1)],
            paths: WAYS as u32,
            round_trip: Span::us(2),
            kind,
            forward,
            number,
            entropy: Entropy(flow as u16),
            flagged: false,
            marked: false,
            again: false,
            bytes: if forward { Bytes(4160) } else { Bytes(64) },
            waits: false,
            note: Note::default(),
        }
    }

    /// Time passes; a host sends, or something crosses the fabric.
    pub(crate) fn step(&mut self) {
        let span = Span(self.chance.below(400_000));
        self.pass(span);
        if self.fabric.is_empty() || (self.fabric.len() < 40 && self.chance.below(3) == 0) {
            let flow = self.chance.below(FLOWS as u64) as usize;
            let again = self.next[flow] > 0 && self.chance.below(10) == 0;
            let number = if again { self.next[flow] - 1 } else { self.next[flow] };
            self.next[flow] = number + 1;
            let mut packet = self.packet(flow, Kind::Data, number);
            packet.again = again;
            packet.entropy = Entropy(self.chance.below(1 << 16) as u16);
            return self.enter(0, packet, Side::Host);
        }
        let one = self.chance.below(self.fabric.len().min(6) as u64) as usize;
        let (to, mut packet) = self.fabric.remove(one);
        match self.chance.below(40) {
            0 => return,
            1 if packet.kind == Kind::Data => packet.kind = Kind::Header,
            2..6 => packet.marked = true,
            _ => {}
        }
        self.enter(to, packet, Side::Fabric);
    }

    /// Everything arrives, all timers end; what has been held has gone on.
    pub(crate) fn end(&mut self) {
        for _ in 0..1_000_000 {
            if self.fabric.is_empty() && self.tors.iter().all(|tor| tor.hook.next_timer().is_none())
            {
                break;
            }
            self.pass(Span::us(1));
            if let Some((to, packet)) = self.fabric.pop() {
                self.enter(to, packet, Side::Fabric);
            }
        }
        for tor in &self.tors {
            assert_eq!(tor.held.iter().flatten().count(), 0, "held for good");
        }
    }

    /// Time passes, and timers end in it, the earlier one first.
    fn pass(&mut self, span: Span) {
        let later = self.now + span;
        loop {
            let due = |tor: usize| self.tors[tor].hook.next_timer().map(|due| (due, tor));
            let first = [0, 1].into_iter().filter_map(due).min();
            let Some((due, tor)) = first.filter(|(due, _)| *due <= later) else { break };
            assert!(due >= self.now, "a timer in the past");
            self.now = due;
            let own = &mut self.tors[tor];
            own.hook.on_timer(&mut SwitchCx { now: due, rng: &mut own.own });
            let next = own.hook.next_timer();
            assert!(next.is_none_or(|next| next > due), "the same timer again");
            self.outputs(tor);
        }
        self.now = later;
    }

    /// A packet comes into a ToR.
    fn enter(&mut self, tor: usize, mut packet: Packet, from: Side) {
        let own = &mut self.tors[tor];
        let cx = &mut SwitchCx { now: self.now, rng: &mut own.own };
        let verdict = own.hook.on_ingress(cx, &mut packet, from, &Equal);
        let answer = match verdict {
            Verdict::Pass => 1,
            Verdict::Via(way) => {
                assert!(way < WAYS, "way {way} of {WAYS}");
                10 + way as u64
            }
            Verdict::Lane(way) => 100 + way as u64,
            Verdict::Drop => 2,
            Verdict::Hold => 3,
        };
        self.add(answer ^ u64::from(packet.entropy.0) << 32);
        match verdict {
            Verdict::Drop => {}
            Verdict::Hold => self.tors[tor].held.push(Some(packet)),
            Verdict::Pass | Verdict::Via(_) | Verdict::Lane(_) => self.leave(tor, packet),
        }
        self.outputs(tor);
    }

    /// A packet goes on from a ToR: through the fabric, or to a host, which may answer.
    fn leave(&mut self, tor: usize, packet: Packet) {
        let to = usize::from(packet.forward);
        if tor != to {
            return self.fabric.push((to, packet));
        }
        let own = &mut self.tors[tor];
        let cx = &mut SwitchCx { now: self.now, rng: &mut own.own };
        let goes = own.hook.on_egress(cx, &packet);
        self.add(u64::from(goes));
        if !goes || !packet.forward || packet.kind == Kind::Tor {
            return;
        }
        self.arrived += u32::from(packet.kind == Kind::Data);
        let kind = match self.chance.below(20) {
            0..3 => Kind::Nack,
            3 => Kind::Cnp,
            _ => Kind::Ack,
        };
        let mut reply = self.packet(packet.flow.0 as usize, kind, packet.number);
        (reply.entropy, reply.marked) = (packet.entropy, packet.marked);
        self.enter(tor, reply, Side::Host);
    }

    fn outputs(&mut self, tor: usize) {
        while let Some(output) = self.tors[tor].hook.poll() {
            match output {
                Output::Release { ticket, via } => {
                    assert!(via.is_none_or(|way| way < WAYS), "{via:?}");
                    let held = self.tors[tor].held.get_mut(ticket as usize);
                    let packet = held.and_then(Option::take).expect("a packet that is held");
                    self.add(u64::from(ticket));
                    self.leave(tor, packet);
                }
                Output::Through { .. } => unreachable!("no data waits for circuits"),
                Output::Send { flow, kind, number, entropy, flagged, .. } => {
                    assert!((flow.0 as usize) < FLOWS && number < NUMBERS, "{output:?}");
                    self.add(u64::from(number));
                    let is_nack = kind == Message::Nack;
                    let kind_of = if is_nack { Kind::Nack } else { Kind::Tor };
                    let mut packet = self.packet(flow.0 as usize, kind_of, number);
                    packet.forward = kind == Message::ToReceiver;
                    (packet.entropy, packet.flagged) = (entropy, flagged);
                    self.leave(tor, packet);
                }
            }
        }
    }
}
