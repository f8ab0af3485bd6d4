//! A host without sockets and without a clock: who drives it brings both.

use crate::outgoing::{LONGEST, Outgoing, Questions};
use crate::reassembly::Reassembly;
use crate::transport::Transport;
use crate::wire::Frame;
use raddle_schemes::FlowContext;
use raddle_schemes::ids::{Entropy, HostId};
use raddle_schemes::rng::Rng;
use raddle_schemes::transport::codec::Control;
use raddle_schemes::transport::sender::SenderCounts;
use raddle_schemes::transport::{Data, FlowTemplate, Incoming};
use raddle_schemes::units::{Span, Time};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::net::{IpAddr, SocketAddr};

/// A datagram that leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Where it goes.
    pub to: SocketAddr,
    /// Its path: the source port follows it.
    pub entropy: Entropy,
    /// Whether it carries a part of a message.
    pub is_data: bool,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// What has become of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// All of one that was sent here is known to have arrived.
    Sent {
        /// The message, as [`Host::send`] called it.
        flow: u32,
        /// From the call to the last ACK.
        took: Span,
        /// Packets sent, again or not, and timeouts.
        counts: SenderCounts,
    },
    /// One that was sent here is not there after a minute: nothing more is sent of it.
    Failed {
        /// The message, as [`Host::send`] called it.
        flow: u32,
        /// Packets that are known to have arrived.
        heard: u32,
        /// Packets of the message.
        total: u32,
    },
    /// One has arrived.
    Received {
        /// The first port of its sender.
        from: SocketAddr,
        /// The message, as its sender calls it.
        flow: u32,
        /// Its bytes.
        message: Vec<u8>,
    },
}

/// A message that no host would take in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// Its bytes.
    pub bytes: u64,
    /// The most that a host takes in.
    pub room: u64,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bytes, room } = self;
        write!(f, "a message of {bytes} B; `room` of the path is {room} B")
    }
}

impl std::error::Error for TooLong {}

/// A host that was not woken in time sends at once what it could have sent in so many packets' time, and
/// no more: a NIC has no burst of longer.
const CATCH_UP: u64 = 4;

/// The senders and receivers of one host. After each call [`Host::poll`] has the datagrams that are to
/// leave, in order, [`Host::poll_event`] what has become of messages, and [`Host::due`] when it wants to
/// be woken.
pub struct Host {
    transport: Transport,
    context: FlowContext,
    template: FlowTemplate,
    address: SocketAddr,
    seed: u64,
    now: Time,
    /// When the link has carried what was sent.
    line_free: Time,
    sending: BTreeMap<u32, Outgoing>,
    /// The number of the first message, and how many there have been.
    first: u32,
    flows: u32,
    /// The message whose turn at the link was last.
    turn: u32,
    incoming: Incoming,
    arriving: BTreeMap<(SocketAddr, u32), u32>,
    messages: BTreeMap<u32, Arriving>,
    slots: u32,
    /// When each is forgotten: its sender has given it up, or knows that it is there.
    forget: VecDeque<(Time, u32)>,
    /// Bytes that are kept for what has not arrived whole.
    kept: u64,
    out: VecDeque<Datagram>,
    events: VecDeque<Event>,
}

/// A message that others send here.
struct Arriving {
    from: SocketAddr,
    flow: u32,
    total: u32,
    /// Nothing once they were handed over.
    parts: Option<Reassembly>,
}

impl Host {
    /// A host at this address, whose port is the first of its own. Senders draw from streams of `seed`.
    /// Its messages are numbered from `first` on: receivers take a number that they know for the message
    /// that they know, so hosts that live at one address in turn need others.
    pub fn new(transport: &Transport, address: SocketAddr, seed: u64, first: u32) -> Self {
        let context = transport.context();
        Self {
            transport: transport.clone(),
            template: transport.template(&context),
            context,
            address,
            seed,
            now: Time::ZERO,
            line_free: Time::ZERO,
            sending: BTreeMap::new(),
            first,
            flows: 0,
            turn: first,
            incoming: Incoming::new(context.rate, context.packet()),
            arriving: BTreeMap::new(),
            messages: BTreeMap::new(),
            slots: 0,
            forget: VecDeque::new(),
            kept: 0,
            out: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    /// Begins to send a message to the host whose first port this is. Returns its number.
    ///
    /// # Errors
    /// Where it is longer than the [path](crate::Path) says.
    pub fn send(&mut self, now: Time, to: SocketAddr, message: Vec<u8>) -> Result<u32, TooLong> {
        let (bytes, room) = (message.len() as u64, self.transport.path().room.0);
        if bytes > room {
            return Err(TooLong { bytes, room });
        }
        self.advance(now);
        let flow = self.first.wrapping_add(self.flows);
        let (source, destination) = (host_id(self.address.ip()), host_id(to.ip()));
        let context = FlowContext { source, destination, ..self.context };
        let rng = Rng::new(self.seed, "flow", self.flows.into());
        self.flows = self.flows.wrapping_add(1);
        let parts = (&self.template, &context);
        self.sending.insert(flow, Outgoing::new(parts, to, message, self.now, rng));
        self.advance(now);
        Ok(flow)
    }

    /// A datagram has come, `marked` if a switch found its queue long. What is none of ours is refused.
    /// Where a host was not woken in time, timeouts wait for what it has to say.
    pub fn on_datagram(&mut self, now: Time, from: SocketAddr, marked: bool, bytes: &[u8]) -> bool {
        self.run(now, false);
        let known = match Frame::read(bytes) {
            Some(Frame::Data { home, flow, total, psn, entropy, again, ack_request, payload }) => {
                let peer = at_port(from, home);
                self.slot(peer, flow, total).is_some_and(|slot| {
                    let at = self.now;
                    let trimmed = false;
                    let data = Data { at, psn, entropy, marked, trimmed, again, ack_request };
                    self.on_data(slot, &data, payload)
                })
            }
            Some(Frame::Request { home, flow, total, vanished, path }) => {
                let peer = at_port(from, home);
                let slot = self.slot(peer, flow, total);
                slot.inspect(|slot| self.incoming.on_request(*slot, vanished, path)).is_some()
            }
            Some(Frame::Probe { home, flow, total, path }) => {
                let peer = at_port(from, home);
                let slot = self.slot(peer, flow, total);
                slot.inspect(|slot| self.incoming.on_probe(*slot, path)).is_some()
            }
            Some(Frame::Control { flow, control }) => self.on_control(from, flow, &control),
            None => false,
        };
        self.answer();
        self.run(now, false);
        known
    }

    /// Lets time pass: carries out what is due by then, each at its own time. To be called when all that
    /// has come by then was [handed over](Self::on_datagram).
    pub fn advance(&mut self, until: Time) {
        self.run(until, true);
        self.forget();
    }

    /// The same, with the timers of senders if they are asked for.
    fn run(&mut self, until: Time, timers: bool) {
        let packet = self.context.rate.serialisation(self.context.packet());
        let earliest = Time(until.0.saturating_sub(CATCH_UP * packet.0));
        self.line_free = self.line_free.max(earliest);
        while let Some(at) = self.next(timers).filter(|at| *at <= until) {
            self.now = self.now.max(at);
            self.step(timers);
        }
        self.now = self.now.max(until);
    }

    /// When it wants to be woken by [`Host::advance`].
    pub fn due(&mut self) -> Option<Time> {
        self.next(true)
    }

    fn next(&mut self, timers: bool) -> Option<Time> {
        let (now, line_free) = (self.now, self.line_free);
        let sending = self.sending.values_mut().map(|own| own.due(now, line_free, timers)).min();
        [sending, self.incoming.next_timer(now)].into_iter().flatten().min()
    }

    /// A datagram that is to leave now.
    pub fn poll(&mut self) -> Option<Datagram> {
        self.out.pop_front()
    }

    /// What has become of a message.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Everything that is due now, but for timers of senders that are not asked for.
    fn step(&mut self, timers: bool) {
        let now = self.now;
        self.incoming.on_timer(now);
        self.answer();
        let home = self.address.port();
        let mut failed = Vec::new();
        for (&flow, own) in &mut self.sending {
            if own.failed(now) {
                failed.push(flow);
            } else if timers {
                let (_, total) = own.progress();
                let Questions { request, probe } = own.on_timers(now);
                let request = request.map(|(vanished, path)| {
                    (path, Frame::Request { home, flow, total, vanished, path })
                });
                let probe = probe.map(|path| (path, Frame::Probe { home, flow, total, path }));
                for (entropy, frame) in request.into_iter().chain(probe) {
                    let mut bytes = Vec::new();
                    frame.write(&mut bytes);
                    self.out.push_back(Datagram { to: own.to, entropy, is_data: false, bytes });
                }
            }
        }
        for flow in failed {
            if let Some(own) = self.sending.remove(&flow) {
                let (heard, total) = own.progress();
                self.events.push_back(Event::Failed { flow, heard, total });
            }
        }
        if now >= self.line_free {
            self.transmit();
        }
    }

    /// The next packet of the message whose turn it is.
    fn transmit(&mut self) {
        let now = self.now;
        let home = self.address.port();
        let (upto, after) = (..=self.turn, self.turn.wrapping_add(1)..);
        let flows: Vec<u32> = {
            let later = self.sending.range(after).map(|(flow, _)| *flow);
            later.chain(self.sending.range(upto).map(|(flow, _)| *flow)).collect()
        };
        for flow in flows {
            let Some(own) = self.sending.get_mut(&flow) else { continue };
            let mut bytes = Vec::new();
            if let Some((size, entropy)) = own.transmit(now, (home, flow), &mut bytes) {
                // Times of sending are those of the link, whenever the machine gets to it.
                self.line_free = self.line_free.max(now) + self.context.rate.serialisation(size);
                self.turn = flow;
                return self.out.push_back(Datagram { to: own.to, entropy, is_data: true, bytes });
            }
        }
    }

    /// The number under which a message arrives, which begins with its first packet; nothing of one that
    /// is too long or has changed its length.
    fn slot(&mut self, from: SocketAddr, flow: u32, total: u32) -> Option<u32> {
        self.forget();
        if let Some(&slot) = self.arriving.get(&(from, flow)) {
            return (self.messages.get(&slot)?.total == total).then_some(slot);
        }
        let payload = self.context.payload.0;
        // The last packet may be short.
        let least = u64::from(total - 1) * payload;
        if self.kept + least > self.transport.path().room.0 {
            return None;
        }
        let slot = self.slots;
        self.slots = self.slots.wrapping_add(1);
        let (source, destination) = (host_id(from.ip()), host_id(self.address.ip()));
        let context = FlowContext { source, destination, ..self.context };
        self.incoming.open(self.now, slot, source, (&self.template, &context), total);
        let parts = Reassembly::new(total, payload as usize);
        self.kept += parts.room();
        self.messages.insert(slot, Arriving { from, flow, total, parts: Some(parts) });
        self.arriving.insert((from, flow), slot);
        self.forget.push_back((self.now + LONGEST, slot));
        Some(slot)
    }

    /// Forgets what began so long ago that its sender has given it up, or knows that it is there.
    fn forget(&mut self) {
        while let Some(&(at, slot)) = self.forget.front()
            && at <= self.now
        {
            self.forget.pop_front();
            self.incoming.close(slot);
            if let Some(own) = self.messages.remove(&slot) {
                self.arriving.remove(&(own.from, own.flow));
                self.kept -= own.parts.map_or(0, |parts| parts.room());
            }
        }
    }

    fn on_data(&mut self, slot: u32, data: &Data, payload: &[u8]) -> bool {
        let Some(own) = self.messages.get_mut(&slot) else { return false };
        if let Some(parts) = &mut own.parts {
            if !parts.takes(data.psn, payload) {
                return false;
            }
            parts.insert(data.psn, payload);
        }
        self.incoming.on_data(slot, data, &[]);
        if self.incoming.complete(slot)
            && let Some(parts) = own.parts.take()
        {
            self.kept -= parts.room();
            let (from, flow, message) = (own.from, own.flow, parts.into_message());
            self.events.push_back(Event::Received { from, flow, message });
        }
        true
    }

    /// What the receiver of a message says of it; others have no say.
    fn on_control(&mut self, from: SocketAddr, flow: u32, control: &Control) -> bool {
        let own = self.sending.get_mut(&flow).filter(|own| own.to.ip() == from.ip());
        let Some(own) = own else { return false };
        own.on_control(self.now, control);
        if own.complete() {
            let (took, counts) = (own.took(self.now), own.counts());
            self.sending.remove(&flow);
            self.events.push_back(Event::Sent { flow, took, counts });
        }
        true
    }

    /// Puts what receivers have to say on its way.
    fn answer(&mut self) {
        while let Some((slot, control)) = self.incoming.poll() {
            let Some(own) = self.messages.get(&slot) else { continue };
            let entropy = path_of(&control);
            let mut bytes = Vec::new();
            Frame::Control { flow: own.flow, control }.write(&mut bytes);
            self.out.push_back(Datagram { to: own.from, entropy, is_data: false, bytes });
        }
    }
}

/// An answer goes by the path of what it answers.
fn path_of(control: &Control) -> Entropy {
    match control {
        Control::Ack(ack) | Control::Probed(ack) => ack.entropy,
        Control::Nack { entropy, .. } | Control::Cnp { entropy } => *entropy,
        Control::Pull { path, .. } => *path,
        Control::Grant(_) | Control::Resend(_) => Entropy(0),
    }
}

/// The same host at another port.
fn at_port(mut address: SocketAddr, port: u16) -> SocketAddr {
    address.set_port(port);
    address
}

/// A host's number is the end of its address.
fn host_id(address: IpAddr) -> HostId {
    match address {
        IpAddr::V4(own) => HostId(own.to_bits()),
        IpAddr::V6(own) => HostId(own.to_bits() as u32),
    }
}
