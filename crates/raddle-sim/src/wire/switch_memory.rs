//! The memory that the ports of a switch share.

use super::training::Training;
use crate::plan::{Per, Plan};
use crate::record::TrainingRow;
use crate::record::followers::Follower;
use crate::record::probes::ProbeRow;
use crate::topology::Switch;
use crate::topology::circuits::Circuits;
use raddle_schemes::SwitchCx;
use raddle_schemes::buffer::headroom::Pools;
use raddle_schemes::buffer::{
    Admission, AnyBufferPolicy, Arriving, BufferContext, Candidate, Departed, Left, MemoryView,
    QueueId,
};
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::rng::Rng;
use raddle_schemes::units::{Bytes, Rate, Span, Time};

/// One switch's memory, where ports share it. All frames queued or in service count, those of flow
/// control excepted.
pub struct Memory {
    policy: AnyBufferPolicy,
    size: u64,
    used: u64,
    most: u64,
    /// Where not the whole switch shares it.
    groups: Option<Box<Groups>>,
    /// Whether the policy has who sends to the switch pause.
    pauses: bool,
    /// Where the policy sees the whole switch.
    sight: Option<Box<Sight>>,
}

/// Ports of which each group shares a memory.
struct Groups {
    /// The group of each port, counted within the switch.
    of: Vec<u32>,
    /// Bytes used of each.
    used: Vec<u64>,
}

impl Groups {
    /// Those of a ToR's uplinks, and a group for each other port.
    fn of_uplinks(plan: &Plan, switch: &Switch) -> Self {
        let circuits = plan.fabric.circuits.as_ref();
        let uplinks = circuits.map_or(0, |circuits| circuits.uplinks.max(1));
        let mut groups = uplinks;
        let of = switch.ports.clone().map(|port| {
            let lane = circuits.and_then(|circuits| circuits.first_lane(PortId(port)));
            lane.map_or_else(
                || {
                    groups += 1;
                    groups - 1
                },
                |lane| Circuits::group(lane).min(uplinks - 1),
            )
        });
        let of = of.collect();
        Self { of, used: vec![0; groups as usize] }
    }
}

/// What a policy sees that sees the whole switch.
struct Sight {
    rng: Rng,
    queues: Queues,
    /// If the plan records what becomes of packets.
    training: Option<Training>,
    /// Where what the policy shows is kept.
    follower: Option<Box<Follower>>,
}

impl Sight {
    /// Whether somebody keeps what happens here, in order of time.
    fn is_watched(&self) -> bool {
        self.training.is_some() || self.follower.is_some()
    }
}

/// What is in each of a switch's queues.
struct Queues {
    /// Classes of each port, control included.
    classes: u32,
    /// As [`MemoryView`] has them.
    egress: Vec<u64>,
    ingress: Vec<u64>,
    rates: Vec<Rate>,
}

impl Memory {
    /// The memory of a switch, where the plan has its ports share one. `longest_rtt` is what sizes
    /// in `bdp` refer to.
    pub fn of(plan: &Plan, id: SwitchId, longest_rtt: Span) -> Option<Self> {
        let buffer = plan.shared_buffer()?;
        let switch = &plan.fabric.switches[id.index()];
        let (fabric, queue, packet) = (&plan.fabric, &plan.queue, plan.packet());
        let context = buffer.context(fabric, &plan.faults, switch, queue, packet, longest_rtt);
        let context = BufferContext { payload: plan.transport.payload, ..context };
        let policy = buffer.policy.build(&context);
        let sight = policy.sees_switch().then(|| {
            let queues = switch.ports.len() * (plan.queue.control_class() + 1);
            let rates = plan.fabric.ports[switch.ports.start as usize..switch.ports.end as usize]
                .iter()
                .map(|port| port.rate);
            Box::new(Sight {
                rng: Rng::new(plan.seed, "buffer draws", u64::from(id.0)),
                queues: Queues {
                    classes: plan.queue.control_class() as u32 + 1,
                    egress: vec![0; queues],
                    ingress: vec![0; queues],
                    rates: rates.collect(),
                },
                training: plan.record.training.then(|| Training::new(&context)),
                follower: Follower::of_switch(plan, id, &buffer.policy.probes()),
            })
        });
        let pauses = policy.decides_pauses();
        let groups = (buffer.per == Per::Uplink).then(|| Groups::of_uplinks(plan, switch));
        let groups = groups.map(Box::new);
        Some(Self { policy, size: context.size.0, used: 0, most: 0, groups, pauses, sight })
    }

    /// Bytes used of what a port, counted within the switch, shares.
    #[inline]
    fn used(&self, port: u32) -> u64 {
        match &self.groups {
            None => self.used,
            Some(groups) => groups.used[groups.of[port as usize] as usize],
        }
    }

    /// The same, to be changed.
    #[inline]
    fn used_mut(&mut self, port: u32) -> &mut u64 {
        match &mut self.groups {
            None => &mut self.used,
            Some(groups) => &mut groups.used[groups.of[port as usize] as usize],
        }
    }

    /// Whether a frame of data may join a queue of a port that holds `queued` bytes.
    #[inline]
    pub fn admits(&self, port: u32, bytes: Bytes, queued: u64) -> bool {
        self.admits_beside(self.used(port), bytes, queued)
    }

    /// The same where so much is used.
    #[inline]
    fn admits_beside(&self, used: u64, bytes: Bytes, queued: u64) -> bool {
        let frame = Arriving { bytes, queued: Bytes(queued), used: Bytes(used) };
        used + bytes.0 <= self.size && self.policy.admits(&frame)
    }

    /// Whether a frame for a port would be kept whatever has left unseen, and makes no maximum; it
    /// finds `queued` bytes in its queue of data, or belongs to control.
    #[inline]
    pub fn is_ample(&self, port: u32, bytes: Bytes, queued: Option<u64>) -> bool {
        let used = self.used(port);
        if used + bytes.0 > self.most {
            return false;
        }
        // Nothing is used beyond the size, so control fits below the maximum.
        queued.is_none_or(|queued| self.admits_beside(used, bytes, queued))
    }

    /// Whether a frame for a port fits, whoever it belongs to.
    #[inline]
    pub fn has_room(&self, port: u32, bytes: Bytes) -> bool {
        self.used(port) + bytes.0 <= self.size
    }

    /// A frame was kept at a port.
    #[inline]
    pub fn take(&mut self, port: u32, bytes: Bytes) {
        let used = self.used_mut(port);
        *used += bytes.0;
        let used = *used;
        self.most = self.most.max(used);
    }

    /// A frame of a port is gone.
    #[inline]
    pub fn release(&mut self, port: u32, bytes: Bytes) {
        *self.used_mut(port) -= bytes.0;
    }

    /// All of it, or of a group.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Most bytes ever used, of any group.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Whether the policy sees the whole switch. If so, it is asked and told by the methods below,
    /// each of which it hears of in order of time, but while the [order decides
    /// nothing](Self::ignores_order). All of the switch shares it then: there are no groups.
    pub fn sees_switch(&self) -> bool {
        self.sight.is_some()
    }

    /// What becomes of a frame for which its queue has room.
    pub fn ask(&mut self, now: Time, frame: &Candidate) -> Admission {
        let has_room = self.used + frame.bytes.0 <= self.size;
        self.teach(|training, view| training.ask(now, frame, view));
        let admission = self.call(now, |policy, cx, view| policy.admit(cx, frame, view));
        let admission = admission.unwrap_or(Admission::Keep);
        self.teach(|training, _| training.answer(admission, has_room));
        admission
    }

    /// Whether it sees the whole switch, and sums of what has left each queue are all that it needs to
    /// hear: what becomes of packets is recorded in order of time.
    pub fn hears_sums(&self) -> bool {
        self.policy.hears_sums() && self.sight.as_deref().is_some_and(|sight| !sight.is_watched())
    }

    /// Of one that hears sums: whether each is to be of one frame of data.
    pub fn hears_frames(&self) -> bool {
        self.policy.hears_frames()
    }

    /// Whether a frame for which its queue has room is kept, if that depends neither on what has left
    /// other queues nor on whether that lowers the maximum; who asks has not looked. None, if it may.
    #[inline]
    pub fn ask_early(&mut self, now: Time, frame: &Candidate) -> Option<bool> {
        // What is below the maximum has room.
        if self.used + frame.bytes.0 > self.most {
            return None;
        }
        self.call(now, |policy, cx, view| policy.admit_early(cx, frame, view)).flatten()
    }

    /// Whether it may be [asked early](Self::ask_early), while nobody pauses, though its policy decides
    /// pauses. An answer then says that nobody has to for this frame.
    pub fn answers_early(&self) -> bool {
        self.policy.answers_early()
            && self.next_timer() == Time::NEVER
            && self.sight.as_deref().is_some_and(|sight| !sight.is_watched())
    }

    /// The class of control, where the policy sees the switch.
    #[inline]
    pub fn control_class(&self) -> u32 {
        self.sight.as_ref().map_or(0, |sight| sight.queues.classes - 1)
    }

    /// Bytes of a queue, as far as has been heard, where the policy sees the switch.
    #[inline]
    pub fn known(&self, queue: QueueId) -> u64 {
        self.sight.as_ref().map_or(0, |sight| sight.queues.egress[sight.queues.place(queue)])
    }

    /// Hears of what has left a queue, in place of each frame by [`leave`](Self::leave).
    #[inline]
    pub fn hear(&mut self, left: &Left) {
        self.used -= left.bytes.0;
        if let Some(Sight { queues, .. }) = self.sight.as_deref_mut() {
            let place = queues.place(left.queue);
            queues.egress[place] -= left.bytes.0;
        }
        self.call(left.last, |policy, _, view| policy.on_left(left, view));
    }

    /// A frame joined a queue.
    pub fn join(&mut self, now: Time, frame: &Candidate) {
        let Some(Sight { queues, .. }) = self.sight.as_deref_mut() else {
            return self.take(frame.queue.port, frame.bytes);
        };
        self.used += frame.bytes.0;
        self.most = self.most.max(self.used);
        let (queue, origin) = queues.places(frame.queue, frame.came_in);
        queues.egress[queue] += frame.bytes.0;
        queues.ingress[origin] += frame.bytes.0;
        self.teach(|training, view| training.join(frame, view));
        self.call(now, |policy, cx, view| policy.on_join(cx, frame, view));
    }

    /// Whether the far end of a port shall pause a class, which it has been told to or not; nothing
    /// where that is not the policy's to say.
    pub fn pauses(&mut self, now: Time, ingress: QueueId, paused: bool) -> Option<bool> {
        if !self.pauses {
            return None;
        }
        self.call(now, |policy, _, view| policy.pauses(ingress, paused, view))
    }

    /// Whether nothing that the policy decides, and no maximum, depends on the order in which no more
    /// than `incoming` joins and anything leaves, as long as nobody pauses.
    pub fn ignores_order(&self, incoming: Bytes) -> bool {
        let no_maximum = self.used + incoming.0 <= self.most;
        let known = no_maximum && self.next_timer() == Time::NEVER;
        let asked = |sight: &Sight| {
            // What a packet finds depends on the order, and what the policy shows at each time.
            !sight.is_watched()
                && self
                    .policy
                    .ignores_order(incoming, &sight.queues.view(Bytes(self.size), Bytes(self.used)))
        };
        known && self.sight.as_deref().is_some_and(asked)
    }

    /// What the policy's pools came to, if it has any.
    pub fn pools(&self) -> Option<Pools> {
        self.policy.pools()
    }

    /// What became of packets, if that was recorded.
    pub fn training(&self) -> Option<Vec<TrainingRow>> {
        self.sight.as_ref()?.training.as_ref().map(Training::rows)
    }

    /// What the policy has shown, when the run has ended.
    pub(crate) fn probes(&mut self) -> Vec<ProbeRow> {
        let own = self.sight.as_mut().and_then(|sight| sight.follower.take());
        own.map_or_else(Vec::new, |own| own.end(|to| self.policy.probes(to)))
    }

    /// A frame left a queue, in whatever way.
    pub fn leave(&mut self, now: Time, frame: &Departed) {
        let Some(Sight { queues, .. }) = self.sight.as_deref_mut() else {
            return self.release(frame.queue.port, frame.bytes);
        };
        self.used -= frame.bytes.0;
        let (queue, origin) = queues.places(frame.queue, frame.came_in);
        queues.egress[queue] -= frame.bytes.0;
        queues.ingress[origin] -= frame.bytes.0;
        self.teach(|training, view| training.leave(now, frame, view));
        self.call(now, |policy, cx, view| policy.on_departure(cx, frame, view));
    }

    /// When the policy's timer is due; never, if it has none.
    #[inline]
    pub fn next_timer(&self) -> Time {
        let timer = self.sight.as_ref().and_then(|_| self.policy.next_timer());
        timer.unwrap_or(Time::NEVER)
    }

    /// The policy's timer is due.
    ///
    /// # Panics
    /// If the policy leaves it at an instant that has passed: nothing would ever come after it.
    pub fn on_timer(&mut self, now: Time) {
        self.call(now, |policy, cx, view| policy.on_timer(cx, view));
        assert!(self.next_timer() > now, "a buffer policy's timer does not move on");
    }

    /// Tells who records what becomes of packets, if anybody does.
    fn teach(&mut self, tell: impl FnOnce(&mut Training, &MemoryView<'_>)) {
        if let Some(Sight { queues, training: Some(training), .. }) = self.sight.as_deref_mut() {
            tell(training, &queues.view(Bytes(self.size), Bytes(self.used)));
        }
    }

    /// Calls the policy, if it sees the switch.
    fn call<T>(
        &mut self,
        now: Time,
        call: impl FnOnce(&mut AnyBufferPolicy, &mut SwitchCx<'_>, &MemoryView<'_>) -> T,
    ) -> Option<T> {
        let Sight { rng, queues, follower, .. } = &mut **self.sight.as_mut()?;
        if let Some(own) = follower {
            own.before(now, |to| self.policy.probes(to));
        }
        let view = queues.view(Bytes(self.size), Bytes(self.used));
        Some(call(&mut self.policy, &mut SwitchCx { now, rng }, &view))
    }
}

impl Queues {
    /// As a policy sees them, where so much of the memory is used.
    fn view(&self, size: Bytes, used: Bytes) -> MemoryView<'_> {
        let Self { classes, egress, ingress, rates } = self;
        MemoryView { size, used, classes: *classes, queues: egress, ingress, rates }
    }

    /// Where a queue stands.
    fn place(&self, queue: QueueId) -> usize {
        (queue.port * self.classes + queue.class) as usize
    }

    /// Where a queue and what came in through a port stand.
    fn places(&self, queue: QueueId, came_in: u32) -> (usize, usize) {
        (self.place(queue), self.place(QueueId { port: came_in, ..queue }))
    }
}
