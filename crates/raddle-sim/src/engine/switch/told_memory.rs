//! Switches whose memory's policy sees all of it and needs no order.
//!
//! It hears sums: a queue of data is looked at when a frame comes for it, and all are when an answer
//! depends on them. In between, queues and what is used are too high by what has left unseen, and the
//! policy is asked what it says in spite of that
//! ([`admit_early`](raddle_schemes::buffer::BufferPolicy::admit_early)). For its timer all ports catch up
//! to that instant.

use super::asleep::Asleep;
use super::coupling::{Coupling, Parts, Site};
use super::own_ports::{AlikePorts, MixedPorts, OwnPorts};
use super::shared_memory::{Pool, candidate};
use crate::engine::link::PortKind;
use crate::engine::port::fast::priority::waiting::Gone;
use crate::engine::port::fast::{self, Asked};
use crate::engine::port::kinds::{is_told, of_told_kind};
use crate::engine::port::{Arriving, Room, ToldPort};
use crate::engine::switch::SwitchState;
use crate::engine::switch::busy::{note_busy, replay_ports};
use crate::engine::world::World;
use crate::plan::{OrderedWhen, Plan};
use crate::wire::frame::Frame;
use crate::wire::port_facts::PortFacts;
use raddle_schemes::buffer::{Admission, Candidate, Left, QueueId};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Span, Time};

/// The ports of one switch, counted within it.
pub(in crate::engine) trait ToldPorts: OwnPorts {
    /// [`ToldPort::data_left`].
    fn data_left(&self, out: usize, class: usize) -> (u64, Time);

    /// [`ToldPort::gone`].
    fn gone(&mut self, out: usize) -> Option<&mut Vec<Gone>>;

    /// [`ToldPort::control_gone`].
    fn control_gone(&mut self, out: usize, until: Time) -> Option<(Time, u64)>;

    /// [`ToldPort::control_queued`].
    fn control_queued(&self, out: usize) -> u64;

    /// [`ToldPort::data_capacity`].
    fn data_capacity(&self, out: usize) -> Bytes;

    /// [`ToldPort::push_out`].
    fn push_out(&mut self, queue: QueueId, now: Time, world: &mut World<'_>) -> Option<Bytes>;
}

impl SwitchState {
    /// Whether the policy of its memory hears sums.
    #[inline]
    pub(in crate::engine) fn is_told(&self) -> bool {
        self.shared.pool.as_deref().is_some_and(Pool::is_told)
    }

    /// What it asks of its ports, if it is ordered then.
    pub(in crate::engine) fn asked(&self, ordered: OrderedWhen) -> Asked {
        let pool = self.shared.pool.as_deref();
        Asked {
            memory: pool.map_or(u64::MAX, Pool::size),
            ordered,
            logs: pool.is_some_and(|pool| pool.memory.hears_frames()),
        }
    }

    /// Whether sums are all that its policy needs to hear, and all of its ports, which have these `ids`,
    /// can give them: nobody pauses, and nothing is born here.
    pub(in crate::engine) fn may_hear_sums(
        &self,
        plan: &Plan,
        ids: &[PortId],
        longest_rtt: Span,
    ) -> bool {
        let asked = self.asked(OrderedWhen::Never);
        let gives_sums = |&id: &PortId| {
            let facts = PortFacts::new(plan, id, longest_rtt);
            is_told(fast::kind(plan, id, &facts, asked))
        };
        self.shared.pool.as_deref().is_some_and(|pool| pool.memory.hears_sums())
            && self.shared.tor.is_none()
            && plan.queue.pfc.is_none()
            && ids.iter().all(gives_sums)
    }
}

impl Pool {
    /// From now on its policy hears sums.
    pub(in crate::engine) fn hear_sums(&mut self) {
        self.told = true;
    }

    /// Whether it does.
    #[inline]
    pub(in crate::engine) fn is_told(&self) -> bool {
        self.told
    }

    /// Has the policy's timer come that is due up to and including `until`: before anything looks at
    /// ports at or after that.
    #[inline]
    pub(in crate::engine) fn play(
        &mut self,
        until: Time,
        busy: &mut [u64],
        ports: &mut impl ToldPorts,
        world: &mut World<'_>,
    ) {
        while self.timer_at() <= until {
            let due = self.timer_at();
            self.carry_out_told(due, busy, ports, world);
            self.on_timer(due);
        }
    }

    /// Takes a frame that came in through `came_in`, port `in_port` of the switch, to the queue of port
    /// `out`.
    #[inline]
    pub(in crate::engine) fn enqueue_told(
        &mut self,
        now: Time,
        (came_in, in_port, out): (PortId, u32, usize),
        frame: Frame,
        busy: &mut [u64],
        ports: &mut impl ToldPorts,
        world: &mut World<'_>,
    ) {
        let discipline = world.discipline;
        let control = self.memory.control_class();
        let queued = ports.data_queued(out, now, frame, world);
        let of_data = |_| u32::from(world.hosts.locators().class(frame.to));
        let queue = QueueId { port: out as u32, class: queued.map_or(control, of_data) };
        if let Some(queued) = queued
            && queued < self.memory.known(queue)
        {
            self.hear_data(now, out, queue.class, ports);
        }
        let wanted = candidate(&world.hosts, (in_port, queue), frame.size(), Some(frame));
        let fits =
            queued.is_none_or(|queued| queued + frame.size().0 <= ports.data_capacity(out).0);
        let mut seen = false;
        let kept = fits && self.is_kept(now, &wanted, &mut seen, busy, ports, world);
        let header = candidate(
            &world.hosts,
            (in_port, QueueId { class: control, ..queue }),
            discipline.header,
            None,
        );
        let trims = !kept && discipline.trim && !frame.is_control();
        let keeps_header = trims && self.is_kept(now, &header, &mut seen, busy, ports, world);
        let room = Room { frame: kept, header: keeps_header };
        ports.enqueue(out, Arriving { now, came_in, frame, room }, world);
        note_busy(busy, out);
        if kept {
            self.join(now, &wanted);
        } else if keeps_header {
            self.join(now, &header);
        }
    }

    /// Whether a frame for which its queue has room is kept, when others have gone for it; `seen` says
    /// whether all ports have caught up.
    #[inline]
    fn is_kept(
        &mut self,
        now: Time,
        frame: &Candidate,
        seen: &mut bool,
        busy: &mut [u64],
        ports: &mut impl ToldPorts,
        world: &mut World<'_>,
    ) -> bool {
        if !*seen {
            if let Some(kept) = self.memory.ask_early(now, frame) {
                return kept;
            }
            self.carry_out_told(now, busy, ports, world);
            *seen = true;
        }
        loop {
            match self.ask(now, frame) {
                Admission::Keep => return self.has_room(frame.queue.port, frame.bytes),
                Admission::Refuse => return false,
                Admission::PushOut(queue) => {
                    let Some(bytes) = ports.push_out(queue, now, world) else { return false };
                    self.memory.hear(&Left { queue, bytes, sent: false, last: now });
                }
            }
        }
    }

    /// Hears of what has left a queue of data; of all of its port's, where it hears of frames.
    #[inline]
    fn hear_data(&mut self, now: Time, out: usize, class: u32, ports: &mut impl ToldPorts) {
        let port = out as u32;
        if let Some(gone) = ports.gone(out) {
            for Gone { at, bytes, class } in gone.drain(..) {
                let (queue, bytes) = (QueueId { port, class }, Bytes(bytes.into()));
                self.memory.hear(&Left { queue, bytes, sent: true, last: at });
            }
            return;
        }
        let (bytes, last) = ports.data_left(out, class as usize);
        self.hear(now, QueueId { port, class }, bytes, last);
    }

    /// Hears that a queue holds no more than `bytes`; none since `last`.
    #[inline]
    fn hear(&mut self, now: Time, queue: QueueId, bytes: u64, last: Time) {
        let left = self.memory.known(queue) - bytes;
        if left > 0 {
            let last = if bytes == 0 { last } else { now };
            self.memory.hear(&Left { queue, bytes: Bytes(left), sent: true, last });
        }
    }

    /// Carries out what busy ports have to up to and including `until`, and hears of all that has left.
    /// Returns when the first next has to.
    #[inline(never)]
    pub(in crate::engine) fn carry_out_told(
        &mut self,
        until: Time,
        busy: &mut [u64],
        ports: &mut impl ToldPorts,
        world: &mut World<'_>,
    ) -> Time {
        let control = self.memory.control_class();
        replay_ports(busy, |out| {
            let (next, _) = ports.carry_out(out, until, world);
            let port = out as u32;
            for class in 0..control {
                self.hear_data(until, out, class, ports);
            }
            let queue = QueueId { port, class: control };
            while let Some((last, bytes)) = ports.control_gone(out, until) {
                self.memory.hear(&Left { queue, bytes: Bytes(bytes), sent: true, last });
            }
            self.hear(until, queue, ports.control_queued(out), until);
            next
        })
    }
}

/// Ports that share memory whose policy hears sums of what leaves.
pub(in crate::engine) struct Told<'s, 'w, O> {
    pub(in crate::engine) site: Site<'s, 'w, O>,
    pub(in crate::engine) pool: &'s mut Pool,
}

impl<'w, O: ToldPorts> Coupling<'w> for Told<'_, 'w, O> {
    type Own = O;

    #[inline(always)]
    fn parts(&mut self) -> Parts<'_, 'w, O> {
        self.site.parts(Some(self.pool))
    }

    #[inline(always)]
    fn before(&mut self, until: Time) {
        let Site { busy, own, world, .. } = &mut self.site;
        self.pool.play(until, busy, own, world);
    }

    #[inline(always)]
    fn enqueue(&mut self, now: Time, (in_port, out): (u32, u32), frame: Frame) {
        let Site { first_id, busy, own, world, .. } = &mut self.site;
        let way = (PortId(*first_id + in_port), in_port, out as usize);
        self.pool.enqueue_told(now, way, frame, busy, own, world);
    }

    #[inline(always)]
    fn finish(&mut self, until: Time, _: Option<&mut Asleep>) -> Time {
        self.before(until);
        let Site { busy, own, world, .. } = &mut self.site;
        self.pool.carry_out_told(until, busy, own, world).min(self.pool.timer_at())
    }
}

impl<P: ToldPort> ToldPorts for AlikePorts<'_, P> {
    #[inline]
    fn data_left(&self, out: usize, class: usize) -> (u64, Time) {
        self.ports[out].data_left(class)
    }

    #[inline]
    fn gone(&mut self, out: usize) -> Option<&mut Vec<Gone>> {
        self.ports[out].gone()
    }

    #[inline]
    fn control_gone(&mut self, out: usize, until: Time) -> Option<(Time, u64)> {
        self.ports[out].control_gone(until)
    }

    #[inline]
    fn control_queued(&self, out: usize) -> u64 {
        self.ports[out].control_queued()
    }

    #[inline]
    fn data_capacity(&self, out: usize) -> Bytes {
        self.ports[out].data_capacity()
    }

    fn push_out(&mut self, queue: QueueId, now: Time, world: &mut World<'_>) -> Option<Bytes> {
        self.ports[queue.port as usize].push_out(now, queue.class as usize, world)
    }
}

impl ToldPorts for MixedPorts<'_> {
    fn data_left(&self, out: usize, class: usize) -> (u64, Time) {
        let place = self.lines[out].place;
        of_told_kind!(self.ports, place.kind(), ports => ports[place.number()].data_left(class))
    }

    fn gone(&mut self, out: usize) -> Option<&mut Vec<Gone>> {
        let place = self.lines[out].place;
        of_told_kind!(mut self.ports, place.kind(), ports => ports[place.number()].gone())
    }

    fn control_gone(&mut self, out: usize, until: Time) -> Option<(Time, u64)> {
        let place = self.lines[out].place;
        of_told_kind!(mut self.ports, place.kind(), ports => {
            ports[place.number()].control_gone(until)
        })
    }

    fn control_queued(&self, out: usize) -> u64 {
        let place = self.lines[out].place;
        of_told_kind!(self.ports, place.kind(), ports => ports[place.number()].control_queued())
    }

    fn data_capacity(&self, out: usize) -> Bytes {
        let place = self.lines[out].place;
        of_told_kind!(self.ports, place.kind(), ports => ports[place.number()].data_capacity())
    }

    fn push_out(&mut self, queue: QueueId, now: Time, world: &mut World<'_>) -> Option<Bytes> {
        let place = self.lines[queue.port as usize].place;
        of_told_kind!(mut self.ports, place.kind(), ports => {
            ports[place.number()].push_out(now, queue.class as usize, world)
        })
    }
}
