//! Ordered switches: their ports are replayed together, in order of time.
//!
//! Under flow control that is while a switch has someone paused: a departure at one port may let the
//! far end of another resume. Where the memory's policy sees the whole switch it is at all times, but in
//! windows of which the policy says that the order decides nothing
//! ([`BufferPolicy::ignores_order`](raddle_schemes::buffer::BufferPolicy::ignores_order)): what leaves one
//! port decides what joins another. So it is with middleware, which sees what starts towards hosts and
//! may send something then; but without flow control the ports that lead to no host are replayed each on
//! its own. Hybrid ToRs ([`super::voqs`]) are ordered at all times, too: one of their wires takes from the
//! queues of others.
//!
//! What is due is then carried out in order of time over all ports before each arrival and at the end of
//! the window. At one instant all departures go first, then changes of links, then timers of policy and
//! middleware, then pauses are renewed, then wires start.
//!
//! While a switch under flow control has nobody paused, departures only lower the bytes counted at the
//! ports that frames came in through, and nobody reads those but the next frame in: ports are replayed
//! each on its own. The counts are then too high by what has left unseen. When one might exceed its
//! threshold, or the largest so far, all ports catch up first. Memory that they share is counted in
//! the same way (see [`super::shared_memory`]).

use super::coupling::Coupling;
use super::own_ports::AlikePorts;
use super::shared_memory::Pool;
use crate::engine::port::Joined;
use crate::engine::port::general::Port;
use crate::engine::port::general::voq::Ready;
use crate::engine::port::{QueuePort, Room};
use crate::engine::switch::busy::{first_of, note_busy, replay_ports_among};
use crate::engine::switch::voqs::Voqs;
use crate::engine::world::{Gone, World};
use crate::host::Hosts;
use crate::middleware::{Ends, Middleware};
use crate::plan::{OrderedWhen, Plan};
use crate::wire::frame::{Frame, Kind};
use raddle_schemes::buffer::{Admission, Candidate, Departed, QueueId};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Time};

/// What an ordered switch knows of its ports.
pub(in crate::engine) struct Ordered {
    /// How many classes, added up over the ports, it has its neighbours pause.
    pauses: u32,
    /// Whether its ports are replayed together whoever pauses, but where the policy says that the order
    /// decides nothing.
    always: bool,
    /// Whether it is now.
    in_order: bool,
    /// While it is not, whether the policy is asked of each frame whether its order matters; of one of
    /// which it does, all ports have caught up.
    asks: bool,
    /// A bit for each port that is replayed on its own even so; none, where all are together.
    apart: Vec<u64>,
    /// Per port, when it next has something to carry out, while they are replayed
    /// together.
    actions: Vec<Time>,
    /// A bit for each port that has, whose action is not never.
    awaited: Vec<u64>,
    /// None of `actions` is before this, nor is the policy's timer; never, while ports are replayed each
    /// on its own.
    due_at: Time,
    /// Ports with something to carry out at one instant; empty in between.
    due: Vec<u32>,
    /// Ports whose far end is to pause or may resume, and does not know; empty in between.
    news: Vec<u32>,
    /// Of a hybrid ToR.
    voqs: Option<Box<Voqs>>,
}

impl Ordered {
    /// Of a switch whose ports lead to hosts or do not; none, where it is never ordered.
    pub(in crate::engine) fn new(
        when: OrderedWhen,
        lead_to_hosts: impl ExactSizeIterator<Item = bool>,
        voqs: Option<Box<Voqs>>,
    ) -> Option<Box<Self>> {
        let always = matches!(when, OrderedWhen::Always | OrderedWhen::TowardsHosts);
        (when != OrderedWhen::Never).then(|| {
            let ports = lead_to_hosts.len();
            let mut apart = Vec::new();
            if when == OrderedWhen::TowardsHosts {
                apart.resize(ports.div_ceil(64), 0);
                let others = (0..).zip(lead_to_hosts).filter(|(_, leads_to_host)| !leads_to_host);
                others.for_each(|(port, _)| note_busy(&mut apart, port));
            }
            Box::new(Self {
                pauses: 0,
                always,
                in_order: always,
                asks: false,
                apart,
                actions: vec![Time::NEVER; ports],
                awaited: vec![0; ports.div_ceil(64)],
                due_at: Time::NEVER,
                due: Vec::new(),
                news: Vec::new(),
                voqs,
            })
        })
    }

    /// How many ports the switch has.
    pub(in crate::engine) fn ports(&self) -> usize {
        self.actions.len()
    }

    /// Whether a port is replayed on its own though others are replayed together.
    #[inline]
    fn is_apart(&self, port: usize) -> bool {
        self.apart.get(port / 64).is_some_and(|word| word >> (port % 64) & 1 == 1)
    }

    /// A port next has something to carry out then.
    fn await_port(&mut self, port: usize, action: Time) {
        self.actions[port] = action;
        let (word, bit) = (&mut self.awaited[port / 64], 1 << (port % 64));
        *word = if action == Time::NEVER { *word & !bit } else { *word | bit };
        self.due_at = self.due_at.min(action);
    }
}

/// An ordered switch, with its ports, counted within it.
pub(in crate::engine) struct OrderedPorts<'s, 'w> {
    pub(in crate::engine) plan: &'s Plan,
    pub(in crate::engine) ordered: &'s mut Ordered,
    pub(in crate::engine) pool: Option<&'s mut Pool>,
    pub(in crate::engine) tor: Option<&'s mut Middleware>,
    /// Its first port in the fabric.
    pub(in crate::engine) first_id: u32,
    pub(in crate::engine) busy: &'s mut [u64],
    /// All ports of such switches are general ones.
    pub(in crate::engine) own: AlikePorts<'s, Port>,
    pub(in crate::engine) world: &'s mut World<'w>,
}

impl OrderedPorts<'_, '_> {
    /// A window begins in which so much comes in: where the order of that decides nothing, or the policy
    /// says of which frames it does, ports are replayed each on its own.
    #[inline]
    pub(in crate::engine) fn begin_window(&mut self, incoming: impl FnOnce() -> Bytes) {
        if !self.ordered.always || self.tor.is_some() {
            return;
        }
        let pool = self.pool.as_ref().filter(|_| self.ordered.pauses == 0);
        self.ordered.asks = !pool.is_some_and(|pool| pool.ignores_order(incoming()));
        if pool.is_some_and(|pool| !self.ordered.asks || pool.answers_early()) {
            (self.ordered.in_order, self.ordered.due_at) = (false, Time::NEVER);
        } else if !self.ordered.in_order {
            self.keep_order();
            self.ordered.due_at = self.ordered.due_at.min(self.timer());
        }
    }

    #[inline(never)]
    fn replay_in_order(&mut self, until: Time) {
        while self.replay_first(until).is_some() {}
    }

    /// Carries out what is due at the first instant up to and including `until`, and returns that.
    pub(in crate::engine) fn replay_first(&mut self, until: Time) -> Option<Time> {
        let timer = self.timer();
        if self.ordered.due_at.min(timer) > until {
            return None;
        }
        let Ordered { actions, awaited, in_order, due_at, due, pauses, always, .. } =
            &mut *self.ordered;
        let next = first_of(awaited, actions, timer, due);
        if next > until {
            *in_order = *always || *pauses > 0;
            *due_at = if *in_order { next } else { Time::NEVER };
            due.clear();
            return None;
        }
        let mut due = std::mem::take(due);
        self.step(next, &mut due);
        self.ordered.due = due;
        Some(next)
    }

    /// When the memory's policy or middleware wants to be called next.
    #[inline]
    fn timer(&self) -> Time {
        let of_memory = self.pool.as_ref().map_or(Time::NEVER, |pool| pool.timer_at());
        of_memory.min(self.tor.as_ref().map_or(Time::NEVER, |tor| tor.next_timer()))
    }

    /// Carries out what is due at `now`, at the ports `due`.
    fn step(&mut self, now: Time, due: &mut Vec<u32>) {
        for &port in due.iter() {
            let (own, line) =
                (&mut self.own.ports[port as usize], &mut self.own.lines[port as usize]);
            own.end_service(now, line, self.world);
            self.note_freed(port as usize);
        }
        self.count_out(now);
        for &port in due.iter() {
            self.own.ports[port as usize].play_changes(now, self.world);
            self.note_freed(port as usize);
        }
        self.count_out(now);
        due.append(&mut self.ordered.news);
        if let Some(pool) = &mut self.pool
            && pool.timer_at() == now
        {
            pool.on_timer(now);
        }
        if let Some(tor) = &mut self.tor
            && tor.next_timer() == now
        {
            tor.on_timer(now);
        }
        if self.tor.is_some() {
            return self.start_lowest_first(now, due);
        }
        for &port in due.iter() {
            self.start_at(now, port);
        }
        self.tell(now);
    }

    /// Starts at these ports and at those of which there are news, the lowest first: middleware may
    /// drop what is about to start, which changes what another port has to tell.
    fn start_lowest_first(&mut self, now: Time, due: &mut Vec<u32>) {
        due.append(&mut self.ordered.news);
        while let Some(&port) = due.iter().min() {
            due.retain(|other| *other != port);
            self.start_at(now, port);
            due.append(&mut self.ordered.news);
        }
    }

    /// Tells those of whom something has changed, if the wires to them are free.
    #[inline]
    fn tell(&mut self, now: Time) {
        if self.tor.is_some() {
            return self.start_lowest_first(now, &mut Vec::new());
        }
        while let Some(port) = self.ordered.news.pop() {
            self.start_at(now, port);
        }
    }

    /// What has left a port leaves the memory that nobody watches.
    #[inline]
    fn note_freed(&mut self, port: usize) {
        if let Some(pool) = &mut self.pool
            && !pool.sees_switch()
        {
            pool.note_freed(port, self.own.ports[port].freed_bytes());
        }
    }

    /// Counts what has left the switch out at the ports that it came in through, notes of which of
    /// them the far end may resume, and tells a policy that sees the switch.
    #[inline]
    fn count_out(&mut self, now: Time) {
        for i in 0..self.world.gone.len() {
            self.note_gone(now, self.world.gone[i]);
        }
        self.world.gone.clear();
    }

    /// Counts out a frame that is gone.
    #[inline]
    fn note_gone(&mut self, now: Time, gone: Gone) {
        let came_in = gone.came_in.0 - self.first_id;
        if let Some(pool) = &mut self.pool
            && pool.sees_switch()
        {
            let queue = QueueId { port: gone.port.0 - self.first_id, class: gone.class.into() };
            pool.leave(now, &Departed { queue, came_in, bytes: Bytes(gone.size), sent: gone.sent });
        }
        let class = usize::from(gone.class);
        if self.own.ports[came_in as usize].count_out(now, class, gone.size) {
            self.note_turn(now, came_in, false);
            self.ordered.pauses -= 1;
            self.ordered.news.push(came_in);
        }
        if self.ordered.in_order && self.pool.is_some() {
            self.ask_memory(now, came_in, class);
        }
    }

    /// The far end of a port is to pause a class from now on, or may resume.
    fn note_turn(&mut self, now: Time, port: u32, pauses: bool) {
        self.world.recorder.paused(PortId(self.first_id + port), now, 1, pauses);
    }

    /// A frame of `class` that had come in through a port joined or left: where the memory's policy says
    /// who pauses whom, it does.
    #[inline(never)]
    fn ask_memory(&mut self, now: Time, port: u32, class: usize) {
        let Some(pool) = &mut self.pool else { return };
        let own = &mut self.own.ports[port as usize];
        let Some(paused) = own.is_pausing(class) else { return };
        let queue = QueueId { port, class: class as u32 };
        let Some(pauses) = pool.pauses(now, queue, paused) else { return };
        if pauses == paused {
            return;
        }
        own.turn(now, class, pauses);
        self.note_turn(now, port, pauses);
        self.ordered.news.push(port);
        if pauses {
            self.pause();
        } else {
            self.ordered.pauses -= 1;
        }
    }

    /// A pause that is due is renewed, and what a port has to send goes if it can; when it next does
    /// anything is noted. Nothing of this concerns other ports.
    fn start_at(&mut self, now: Time, port: u32) {
        let is_shown = self.tor.is_some() && self.leads_to_host(port);
        let own = &mut self.own.ports[port as usize];
        own.play_changes(now, self.world);
        if let Some(classes) = own.classes() {
            classes.renew(now);
        }
        if is_shown {
            self.start_shown(now, port);
        } else {
            own.try_start(now, self.world);
        }
        note_busy(self.busy, port as usize);
        let own = &mut self.own.ports[port as usize];
        if self.ordered.in_order {
            self.ordered.await_port(port as usize, own.next_due());
        }
        if self.ordered.voqs.as_ref().is_some_and(|voqs| voqs.concerns(port)) {
            self.feed(now);
        }
    }

    /// The packet uplink of a hybrid ToR takes what it may of the queues of pairs, if its wire is free.
    #[inline(never)]
    fn feed(&mut self, now: Time) {
        let Some(voqs) = &mut self.ordered.voqs else { return };
        let (uplink, counters) = (voqs.uplink(), voqs.counters);
        self.own.ports[uplink].play_changes(now, self.world);
        if let Ready::From(at) = self.own.ports[uplink].ready(now)
            && at == now
            && let Some(pair) = voqs.take_turn(now, self.own.ports)
        {
            let wire = self.own.ports[uplink].as_second();
            if let Some((moved, gone)) = self.own.ports[pair].give(now, counters, wire, self.world)
            {
                self.own.ports[uplink].take_over(now, moved, self.world);
                gone.into_iter().for_each(|gone| self.note_gone(now, gone));
            }
            self.ordered.await_port(pair, self.own.ports[pair].next_due());
        }
        let Some(voqs) = &self.ordered.voqs else { return };
        let action = match self.own.ports[uplink].ready(now) {
            Ready::Busy(at) | Ready::Down(at) => at,
            Ready::From(at) => voqs.next_at(at, self.own.ports),
        };
        self.ordered.await_port(uplink, action);
    }

    fn leads_to_host(&self, port: u32) -> bool {
        let peer = self.plan.fabric.ports[(self.first_id + port) as usize].peer;
        peer.0 < self.plan.fabric.host_ports()
    }

    /// Begins to send what goes next to a host, if middleware lets it.
    fn start_shown(&mut self, now: Time, port: u32) {
        loop {
            let own = &mut self.own.ports[port as usize];
            let Some((frame, class)) = own.take_next(now) else { return };
            let tor = self.tor.as_mut().filter(|_| !frame.is_pfc());
            let known = (self.plan, &**self.world.hosts.layout() as &dyn Ends);
            let note = own.note_taken();
            if tor.is_none_or(|tor| tor.on_egress(known, now, frame, note)) {
                return own.begin_next(now, frame, class, self.world);
            }
            let gone = own.refuse(now, frame, class, self.world);
            gone.into_iter().for_each(|gone| self.note_gone(now, gone));
            self.note_freed(port as usize);
        }
    }

    /// Whether a frame joins and nobody pauses for it, whatever has left other ports than `out`.
    #[inline]
    fn is_sure(&mut self, now: Time, (in_port, out): (u32, u32), frame: Frame) -> bool {
        let Some(wanted) = self.wanted((in_port, out), frame) else { return false };
        self.pool.as_mut().is_some_and(|pool| pool.ask_early(now, &wanted) == Some(true))
    }

    /// Whether a policy that sees the switch keeps a frame if its port does.
    fn would_keep(&mut self, now: Time, (in_port, out): (u32, u32), frame: Frame) -> bool {
        self.wanted((in_port, out), frame).is_none_or(|wanted| self.is_kept(now, &wanted))
    }

    /// A frame as a policy that sees the switch is asked of it, if its queue has room.
    #[inline]
    fn wanted(&self, (in_port, out): (u32, u32), frame: Frame) -> Option<Candidate> {
        let fits = self.own.ports[out as usize].fits(frame, self.world.discipline.on_down);
        let (class, true) = fits? else { return None };
        let queue = QueueId { port: out, class: class as u32 };
        Some(candidate(&self.world.hosts, (in_port, queue), frame.size(), Some(frame)))
    }

    /// The room that a policy makes which sees the switch.
    fn make_room(&mut self, now: Time, (in_port, out): (u32, u32), frame: Frame) -> Room {
        let discipline = self.world.discipline;
        let none = Room { frame: false, header: false };
        let port = &self.own.ports[out as usize];
        let Some((class, fits)) = port.fits(frame, discipline.on_down) else { return none };
        let is_kept = |own: &mut Self, class: usize, bytes, data| {
            let queue = QueueId { port: out, class: class as u32 };
            let candidate = candidate(&own.world.hosts, (in_port, queue), bytes, data);
            own.is_kept(now, &candidate)
        };
        if fits && is_kept(self, class, frame.size(), Some(frame)) {
            return Room::AMPLE;
        }
        if !discipline.trim || frame.is_control() {
            return none;
        }
        let port = &self.own.ports[out as usize];
        let fits = port.has_control_room(discipline.header);
        let header = fits && is_kept(self, port.control_queue(), discipline.header, None);
        Room { frame: false, header }
    }

    /// Whether a frame for which its queue has room is kept, when others have gone for it.
    fn is_kept(&mut self, now: Time, frame: &Candidate) -> bool {
        loop {
            let Some(pool) = &mut self.pool else { return true };
            match pool.ask(now, frame) {
                Admission::Keep => return pool.has_room(frame.queue.port, frame.bytes),
                Admission::Refuse => return false,
                Admission::PushOut(queue) if self.push_out(now, queue) => {}
                Admission::PushOut(_) => return false,
            }
        }
    }

    /// Drops the last frame of a queue, if one waits there.
    fn push_out(&mut self, now: Time, queue: QueueId) -> bool {
        let port = &mut self.own.ports[queue.port as usize];
        let Some(gone) = port.push_out(now, queue.class as usize, self.world) else { return false };
        self.ordered.await_port(queue.port as usize, port.next_due());
        self.note_gone(now, gone);
        true
    }

    /// The room that the memory of the switch has for a frame at port `out`, which has caught up.
    fn room(&mut self, now: Time, out: u32, frame: Frame) -> Room {
        let (own, line) = (&mut self.own.ports[out as usize], &mut self.own.lines[out as usize]);
        let queued = own.data_queued(now, frame, line, self.world);
        let is_ample = |pool: &&mut Pool| pool.is_ample(out, frame.size(), queued);
        if self.pool.as_ref().is_none_or(is_ample) {
            return Room::AMPLE;
        }
        if !self.ordered.in_order || !self.ordered.apart.is_empty() {
            self.catch_up(now);
        }
        let header = self.world.discipline.header;
        let room = |pool: &&mut Pool| pool.room(out, frame.size(), queued, header);
        self.pool.as_ref().map_or(Room::AMPLE, room)
    }

    /// The switch, all of whose ports have caught up, pauses one class more at a port.
    fn pause(&mut self) {
        self.ordered.pauses += 1;
        self.keep_order();
    }

    /// The ports, all of which have caught up, are replayed together.
    fn keep_order(&mut self) {
        if !self.ordered.in_order {
            self.ordered.in_order = true;
            for (number, port) in self.own.ports.iter().enumerate() {
                self.ordered.await_port(number, port.next_due());
            }
        }
    }

    /// Carries out, port by port, what those have due up to and including `until` that are replayed each on
    /// its own. Returns when the first next has something to do.
    #[inline(never)]
    fn catch_up(&mut self, until: Time) -> Time {
        let Self { busy, own: AlikePorts { lines, ports }, pool, world, ordered, .. } = self;
        let among = |word: usize| if ordered.in_order { ordered.apart[word] } else { u64::MAX };
        let next = replay_ports_among(busy, among, |out| {
            ports[out].replay(until, &mut lines[out], world);
            if let Some(pool) = pool
                && !pool.sees_switch()
            {
                pool.note_freed(out, ports[out].freed_bytes());
            }
            ports[out].next_due()
        });
        self.count_out(until);
        next
    }
}

impl<'s, 'w> Coupling<'w> for OrderedPorts<'s, 'w> {
    type Own = AlikePorts<'s, Port>;

    const ORDERED: bool = true;

    #[inline(always)]
    fn own(&mut self) -> (&mut AlikePorts<'s, Port>, &mut World<'w>) {
        (&mut self.own, self.world)
    }

    /// Ports that are replayed together are.
    #[inline]
    fn before(&mut self, now: Time) {
        if self.ordered.due_at <= now {
            self.replay_in_order(now);
        }
    }

    /// Ports that are replayed together have been, up to now.
    #[inline(never)]
    fn on_pause(&mut self, now: Time, in_port: u32, frame: Frame) {
        let own = &mut self.own.ports[in_port as usize];
        own.replay(now, &mut self.own.lines[in_port as usize], self.world);
        if let Some(classes) = own.classes() {
            match classes.on_pause(now, frame) {
                0 => {}
                ignored => own.note_ignored(ignored),
            }
        }
        self.start_at(now, in_port);
    }

    /// Ports that are replayed together have been, up to now.
    #[inline]
    fn enqueue(&mut self, now: Time, (in_port, out): (u32, u32), frame: Frame) {
        let came_in = PortId(self.first_id + in_port);
        let (origin, place) = (in_port as usize, out as usize);
        let in_order = self.ordered.in_order && !self.ordered.is_apart(place);
        if in_order {
            self.own.ports[place].play_changes(now, self.world);
        } else {
            self.own.ports[place].replay(now, &mut self.own.lines[place], self.world);
            self.count_out(now);
            if self.own.ports[origin].may_pause_for(frame) {
                self.catch_up(now);
            }
        }
        // Whether all ports are as they are at this instant: only then may it be asked who pauses.
        let mut exact = in_order;
        let room = match &self.pool {
            None => Room::AMPLE,
            Some(pool) if pool.sees_switch() && !in_order => {
                if !self.ordered.asks {
                    debug_assert!(self.would_keep(now, (in_port, out), frame), "the order decides");
                    Room::AMPLE
                } else if self.is_sure(now, (in_port, out), frame) {
                    Room::AMPLE
                } else {
                    self.catch_up(now);
                    exact = true;
                    self.make_room(now, (in_port, out), frame)
                }
            }
            Some(pool) if pool.sees_switch() => {
                let room = self.make_room(now, (in_port, out), frame);
                // What the policy was asked and told may have set its timer.
                self.ordered.due_at = self.ordered.due_at.min(self.timer());
                room
            }
            Some(_) => self.room(now, out, frame),
        };
        let joined = self.own.ports[place].admit(now, came_in, frame, room, self.world);
        if let (Some(pool), Some(joined)) = (&mut self.pool, joined) {
            let control = self.own.ports[place].control_queue();
            let class = joined.data.unwrap_or(control) as u32;
            let queue = QueueId { port: out, class };
            let data = joined.data.map(|_| frame);
            let candidate = candidate(&self.world.hosts, (in_port, queue), joined.bytes, data);
            pool.join(now, &candidate);
        }
        if let Some(Joined { data: Some(class), bytes }) = joined
            && self.own.ports[origin].count_in(now, class, bytes.0)
        {
            self.note_turn(now, in_port, true);
            self.pause();
            self.ordered.news.push(in_port);
        } else if let Some(Joined { data: Some(class), .. }) = joined
            && exact
            && self.pool.is_some()
        {
            self.ask_memory(now, in_port, class);
        } else if !in_order {
            note_busy(self.busy, place);
            return self.own.ports[place].try_start(now, self.world);
        }
        self.start_at(now, out);
        self.tell(now);
    }

    fn finish(&mut self, until: Time) -> Time {
        self.before(until);
        let mut next = self.timer();
        if self.ordered.in_order {
            next = next.min(self.ordered.due_at);
        }
        if !self.ordered.in_order || !self.ordered.apart.is_empty() {
            next = next.min(self.catch_up(until));
        }
        next
    }
}

/// A frame of `bytes` that came in through a port and wants to join a queue, as a policy sees it;
/// `data` is the frame, unless of one of data only the header is left.
pub(super) fn candidate(
    hosts: &Hosts<'_>,
    (came_in, queue): (u32, QueueId),
    bytes: Bytes,
    data: Option<Frame>,
) -> Candidate {
    let flow = data.filter(|frame| frame.is(Kind::Data)).map(|frame| hosts.flow_key(frame));
    Candidate { queue, came_in, bytes, ahead: data.and_then(|frame| frame.ahead()), flow }
}
