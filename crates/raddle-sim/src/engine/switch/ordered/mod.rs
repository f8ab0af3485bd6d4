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

mod admission;
mod starts;

use super::asleep::Asleep;
use super::coupling::{Coupling, Parts};
use super::own_ports::AlikePorts;
use super::shared_memory::{Pool, candidate};
use crate::engine::port::Joined;
use crate::engine::port::general::Port;
use crate::engine::port::{QueuePort, Room};
use crate::engine::switch::busy::{first_of, note_busy, replay_ports_among};
use crate::engine::switch::voqs::Voqs;
use crate::engine::world::{Gone, World};
use crate::middleware::Middleware;
use crate::plan::{OrderedWhen, Plan};
use crate::wire::frame::Frame;
use raddle_schemes::buffer::{Departed, QueueId};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Time};

/// What an ordered switch knows of its ports.
pub(in crate::engine) struct Ordered {
    /// How many classes, added up over the ports, it has its neighbours pause.
    pauses: u32,
    /// Whether it gives its neighbours credit.
    gives_credit: bool,
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
    /// Per port, when it next has something to carry out, while they are replayed together.
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
        gives_credit: bool,
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
                gives_credit,
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
    #[inline(never)]
    fn replay_in_order(&mut self, until: Time) {
        while self.before_next(until).is_some() {}
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
        if self.ordered.gives_credit {
            self.free(now, came_in, class, Bytes(gone.size));
        }
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
    fn parts(&mut self) -> Parts<'_, 'w, AlikePorts<'s, Port>> {
        let (pool, tor) = (self.pool.as_deref_mut(), self.tor.as_deref_mut());
        Parts { busy: self.busy, own: &mut self.own, pool, tor, world: self.world }
    }

    /// Where the order of what comes in decides nothing, or the policy says of which frames it does,
    /// ports are replayed each on its own.
    #[inline]
    fn begin(&mut self, incoming: impl FnOnce() -> Bytes) {
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

    /// Ports that are replayed together are.
    #[inline]
    fn before(&mut self, until: Time) {
        if self.ordered.due_at <= until {
            self.replay_in_order(until);
        }
    }

    /// One instant after the other.
    fn before_next(&mut self, until: Time) -> Option<Time> {
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

    /// What came with credit gives it back.
    #[cold]
    #[inline(never)]
    fn lose(&mut self, now: Time, in_port: u32, frame: Frame) {
        if self.ordered.gives_credit
            && let Some(class) = self.store(in_port, frame)
        {
            self.free(now, in_port, class, frame.size());
            self.tell(now);
        }
    }

    /// Ports that are replayed together have been, up to now.
    #[inline]
    fn enqueue(&mut self, now: Time, (in_port, out): (u32, u32), frame: Frame) {
        let came_in = PortId(self.first_id + in_port);
        let (origin, place) = (in_port as usize, out as usize);
        let stored = if self.ordered.gives_credit { self.store(in_port, frame) } else { None };
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
        if let Some(class) = stored
            && joined.is_none_or(|joined| joined.data != Some(class))
        {
            self.free(now, in_port, class, frame.size());
        }
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

    fn finish(&mut self, until: Time, _: Option<&mut Asleep>) -> Time {
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
