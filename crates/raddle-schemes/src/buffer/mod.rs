//! Sharing a switch's memory: whether an arriving frame may be kept, and who has to go for it.

use crate::SwitchCx;
use crate::probe::{Names, Probes};
use crate::size::{Base, Limited, Size};
use crate::units::{Bytes, Rate, Span, Time};
use alloc::string::String;
use alloc::vec::Vec;
use headroom::Pools;

pub mod abm;
#[cfg(test)]
mod bench;
pub mod cisco_ib;
pub mod classes;
pub mod complete_partitioning;
pub mod complete_sharing;
pub mod credence;
pub mod dynamic_thresholds;
#[cfg(test)]
mod early;
pub mod fab;
pub mod features;
mod flows;
pub mod follow_lqd;
pub mod forest;
pub mod harmonic;
pub mod headroom;
mod late;
pub mod longest_queue_drop;
pub mod resizing;
pub mod reverie;
pub mod slotted;
pub mod sonic;
pub mod sonic_abm;
mod virtual_lqd;

/// What is constant about a switch's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferContext {
    /// All of it.
    pub size: Bytes,
    /// The switch's queues of data: one for each port and data class.
    pub queues: u32,
    /// Its ports.
    pub ports: u32,
    /// A full packet.
    pub packet: Bytes,
    /// The payload of one.
    pub payload: Bytes,
    /// The longest unloaded round trip of the fabric.
    pub base_rtt: Span,
    /// What the fastest host sends in that.
    pub bdp: Bytes,
    /// Per port, what may still come in of a class once the far end is to pause it.
    pub headroom: Vec<Bytes>,
    /// Which switch of the fabric it is.
    pub switch: u32,
    /// Switches of the fabric.
    pub switches: u32,
    /// Per port, when a circuit drains its queue, where one does.
    pub days: Vec<Option<Day>>,
}

/// When a circuit drains a queue: once in a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    /// After so long it comes again.
    pub period: Span,
    /// From then on in each period.
    pub from: Span,
    /// Until then.
    pub until: Span,
}

impl Day {
    /// Whether `now` is in a day or less than `ahead` before one.
    pub fn is_within(&self, now: Time, ahead: Span) -> bool {
        let period = self.period.0.max(1);
        let length = self.until.0 - self.from.0;
        let passed = (now.0 % period + 2 * period - self.until.0 % period) % period;
        // What is left until the next day ends.
        period - passed <= length.saturating_add(ahead.0)
    }
}

impl BufferContext {
    /// A small switch, for asking what policies offer before there is one.
    pub const NOMINAL: Self = Self {
        size: Bytes::mib(1),
        queues: 8,
        ports: 8,
        packet: Bytes(4160),
        payload: Bytes(4096),
        base_rtt: Span::us(8),
        bdp: Bytes(400_000),
        headroom: Vec::new(),
        switch: 0,
        switches: 1,
        days: Vec::new(),
    };

    /// Data classes of each port.
    pub fn data_classes(&self) -> usize {
        (self.queues / self.ports.max(1)) as usize
    }

    /// Queues of any kind, as many as [`MemoryView::queues`] has.
    pub fn places(&self) -> usize {
        self.ports as usize * (self.data_classes() + 1)
    }

    /// The packets of a message that hold its first bytes, from the one that holds the first to the one
    /// that holds the last. A number of bytes is one of payload, as hosts count what they send.
    pub(crate) fn packets_of(&self, first: Limited) -> u64 {
        let full = if matches!(first.0, Size::Bytes(_)) { self.payload } else { self.packet };
        first.0.resolve(&self.base()).0.div_ceil(full.0.max(1))
    }

    /// What relative sizes of a policy's parameters refer to; a percentage is of the memory.
    pub fn base(&self) -> Base {
        Base { packet: self.packet, bdp: self.bdp, whole: self.size }
    }
}

/// A frame that wants to join a queue of data, and what it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arriving {
    /// Its bytes.
    pub bytes: Bytes,
    /// Bytes of that queue, frame in service included.
    pub queued: Bytes,
    /// Bytes of the whole switch, control frames and frames in service included.
    pub used: Bytes,
}

/// Decides what a switch keeps; one instance per switch.
///
/// There are two kinds. Most need no more than [`Arriving`] tells, and have only
/// [`admits`](Self::admits). Those that see the whole switch say so, and are called in order of time:
/// for each frame that wants to join, each that leaves, and at the times they ask for; but while they
/// say that the [order decides nothing](Self::ignores_order).
pub trait BufferPolicy {
    /// What it shows of its state: at all times the same names, and nothing that changes but by
    /// the other calls.
    fn probes(&self, _to: &mut dyn Probes) {}

    /// Whether the frame may be kept. What is admitted has to be admitted as well with fewer bytes
    /// used: who has not yet seen all departures may then ask, and has to look only if refused.
    /// It is asked for frames that fit into the memory and belong to a queue of data. Those of
    /// control, where it has a queue of its own, are kept as long as they fit.
    ///
    /// A policy that sees the whole switch says here what it keeps where all other queues are empty, of
    /// the class and the flow that may have most: a scenario is refused whose memory keeps no packet,
    /// or in which no queue reaches its threshold of marking.
    fn admits(&self, _frame: &Arriving) -> bool {
        true
    }

    /// Whether it may refuse such a frame, of the class and the flow that may have least.
    fn may_refuse(&self, frame: &Arriving) -> bool {
        !self.admits(frame)
    }

    /// A parameter whose value makes no sense in the memory of this switch, and what would do, if there
    /// is any; `frame` is the largest.
    fn misfit(&self, _frame: Bytes) -> Option<(&'static str, String)> {
        None
    }

    /// Whether it sees the whole switch: then it is asked [`admit`](Self::admit) in place of `admits`,
    /// and told the rest.
    fn sees_switch(&self) -> bool {
        false
    }

    /// What becomes of a frame, of data or of control, for which its queue has room.
    fn admit(
        &mut self,
        _cx: &mut SwitchCx<'_>,
        _frame: &Candidate,
        _memory: &MemoryView<'_>,
    ) -> Admission {
        Admission::Keep
    }

    /// Whether it is enough for it to hear of sums, where nobody can pause: what has left a queue since
    /// something last came for it, in place of each frame, by [`on_left`](Self::on_left). Then it is
    /// first asked [`admit_early`](Self::admit_early), and may not look at `ingress`. Each port's time of
    /// a byte is whole picoseconds.
    fn hears_sums(&self) -> bool {
        false
    }

    /// Of one that hears sums: whether each is to be of one frame, with its time, those of a queue in order.
    fn hears_frames(&self) -> bool {
        false
    }

    /// Whether a frame that fits is kept, before other ports have been looked at: `memory` shows the
    /// frame's own queue of data as it is; of the other queues, and of what is used, at most too much.
    /// If this is what [`admit`](Self::admit) would say whatever has left them, it has happened.
    /// None, if it depends on that: then nothing has happened, and `admit` is asked with all to be seen.
    fn admit_early(
        &mut self,
        _cx: &mut SwitchCx<'_>,
        _frame: &Candidate,
        _memory: &MemoryView<'_>,
    ) -> Option<bool> {
        None
    }

    /// Whether one that decides pauses is asked [`admit_early`](Self::admit_early), too, while nobody pauses
    /// and nothing waits for a timer. An answer then also says that nobody has to pause for the frame, and
    /// that what it keeps comes to the same, maxima included, whatever has left and in whatever order.
    /// `memory` shows of `ingress` at most too much. What leaves never has anybody pause.
    fn answers_early(&self) -> bool {
        false
    }

    /// Of one that hears sums: something has left a queue, which `memory` shows without it.
    fn on_left(&mut self, _left: &Left, _memory: &MemoryView<'_>) {}

    /// A frame has joined a queue, which `memory` shows.
    fn on_join(&mut self, _cx: &mut SwitchCx<'_>, _frame: &Candidate, _memory: &MemoryView<'_>) {}

    /// A frame is no longer in the memory, which `memory` shows without it. One is a sum, too.
    fn on_departure(&mut self, cx: &mut SwitchCx<'_>, frame: &Departed, memory: &MemoryView<'_>) {
        let Departed { queue, bytes, sent, .. } = *frame;
        self.on_left(&Left { queue, bytes, sent, last: cx.now }, memory);
    }

    /// When it next wants [`on_timer`](Self::on_timer): after departures of that instant, before
    /// anything joins. Never in the past, and after `on_timer` in the future.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// The time has come.
    fn on_timer(&mut self, _cx: &mut SwitchCx<'_>, _memory: &MemoryView<'_>) {}

    /// Whether it has who sends to the switch pause: then it is asked [`pauses`](Self::pauses), under
    /// priority flow control, in place of counts being compared with thresholds.
    fn decides_pauses(&self) -> bool {
        false
    }

    /// Whether the far end of a port shall pause a class, which it has been told to or not; asked when
    /// a frame of that class has come in there, or one that came in there has left.
    fn pauses(&self, _ingress: QueueId, _paused: bool, _memory: &MemoryView<'_>) -> bool {
        false
    }

    /// Whether it takes a data class on for good, and has who sends it pause in time: no queue's own
    /// limit drops such a class.
    fn is_lossless(&self, _class: usize) -> bool {
        false
    }

    /// What keeps it from losing nothing of its lossless classes, if anything does, while pauses come
    /// in time.
    fn lacks(&self) -> Option<Lack> {
        None
    }

    /// Whether the order decides nothing for a while: as long as nobody pauses and no more than
    /// `incoming` joins, it keeps all, has nobody pause, and comes to the same whatever leaves and in
    /// whatever order. Then it is asked neither `admit` nor `pauses` in that time, and hears of joins and
    /// departures in any order, at times that are not theirs; it must set no timer and draw nothing.
    fn ignores_order(&self, _incoming: Bytes, _memory: &MemoryView<'_>) -> bool {
        false
    }

    /// What it lets ports share of the memory, where some is set aside for pauses.
    fn shared_size(&self) -> Option<Bytes> {
        None
    }

    /// What its pools came to, if it has any.
    fn pools(&self) -> Option<Pools> {
        None
    }
}

/// A parameter with which lossless classes can lose packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack {
    /// Its name.
    pub parameter: &'static str,
    /// What it comes to.
    pub is: String,
    /// What would do, as in `at least 18456 B`.
    pub would_do: String,
}

/// A queue of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueueId {
    /// The port, counted within the switch.
    pub port: u32,
    /// The class at that port: data classes from 0, then control, where it has a queue of its own.
    pub class: u32,
}

/// A frame that wants to join a queue of a switch whose policy sees all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The queue.
    pub queue: QueueId,
    /// The port that it came in through, counted within the switch.
    pub came_in: u32,
    /// Its bytes.
    pub bytes: Bytes,
    /// How many packets of its message go before it, where it is one of data that is sent for the
    /// first time.
    pub ahead: Option<u32>,
    /// The flow whose data it is, where it is a packet of data: a number that no other flow through
    /// the switch has. Where connections outlive messages, it is the connection.
    pub flow: Option<u32>,
}

/// A frame that is no longer in a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departed {
    /// The queue that it was in.
    pub queue: QueueId,
    /// The port that it came in through, counted within the switch.
    pub came_in: u32,
    /// Its bytes.
    pub bytes: Bytes,
    /// Whether its last bit has left through the port; else it was pushed out, or lost with its link.
    pub sent: bool,
}

/// What is no longer in a queue: frames that left one after the other while nothing joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// The queue.
    pub queue: QueueId,
    /// Their bytes.
    pub bytes: Bytes,
    /// Whether they have left through the port; else one was pushed out, or lost with its link.
    pub sent: bool,
    /// When the last of them left, if the queue is empty now; else any time since.
    pub last: Time,
}

/// What becomes of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is kept if the memory has room.
    Keep,
    /// It is dropped, or trimmed where switches trim.
    Refuse,
    /// The last frame of this queue is dropped, then the policy is asked again. A frame in service
    /// stays: where no other is left in the queue, the one that wants to join is refused.
    PushOut(QueueId),
}

/// A switch's memory as a policy sees it.
#[derive(Clone, Copy, Debug)]
pub struct MemoryView<'a> {
    /// All of it.
    pub size: Bytes,
    /// What is used of it.
    pub used: Bytes,
    /// Classes of each port, control included.
    pub classes: u32,
    /// Bytes of each queue, frame in service included: class by class, port by port.
    pub queues: &'a [u64],
    /// Bytes that came in through each port and have not left: class by class, port by port.
    pub ingress: &'a [u64],
    /// Rate of each port.
    pub rates: &'a [Rate],
}

impl MemoryView<'_> {
    /// Where a queue stands in `queues`, and what came in through a port in `ingress`.
    pub fn place(&self, queue: QueueId) -> usize {
        (queue.port * self.classes + queue.class) as usize
    }

    /// The queue that stands at a place of `queues`.
    pub fn at(&self, place: usize) -> QueueId {
        QueueId { port: place as u32 / self.classes, class: place as u32 % self.classes }
    }

    /// What is not used.
    pub fn free(&self) -> Bytes {
        Bytes(self.size.0.saturating_sub(self.used.0))
    }

    /// Whether a queue is one of data; the other of each port is that of control.
    pub fn is_data(&self, queue: QueueId) -> bool {
        queue.class + 1 < self.classes
    }

    /// The places of the queues of data with their bytes: class by class, port by port.
    pub fn data(&self) -> impl Iterator<Item = (usize, u64)> {
        let classes = self.classes as usize;
        let all = self.queues.iter().copied().enumerate();
        all.filter(move |(place, _)| place % classes + 1 < classes)
    }

    /// The longest queue of data, of several the first; none, if all are empty.
    pub fn longest(&self) -> Option<(usize, u64)> {
        let longer = |best: Option<(usize, u64)>, (place, bytes)| {
            if bytes > best.map_or(0, |(_, most)| most) { Some((place, bytes)) } else { best }
        };
        self.data().fold(None, longer)
    }
}

crate::family! { BufferPolicy, AnyBufferPolicy, BufferContext;
    DynamicThresholds: dynamic_thresholds,
    CompleteSharing: complete_sharing,
    CompletePartitioning: complete_partitioning,
    Abm: abm,
    Fab: fab,
    CiscoIb: cisco_ib,
    LongestQueueDrop: longest_queue_drop,
    Harmonic: harmonic,
    FollowLqd: follow_lqd,
    Credence: credence,
    Sonic: sonic,
    SonicAbm: sonic_abm,
    Reverie: reverie,
    Resizing: resizing,
}

impl Config {
    /// The names of what the selected scheme shows of itself.
    pub fn probes(&self) -> Vec<&'static str> {
        let mut names = Names::default();
        self.build(&BufferContext::NOMINAL).probes(&mut names);
        names.0
    }

    /// See [`BufferPolicy::sees_switch`].
    pub fn sees_switch(&self) -> bool {
        self.build(&BufferContext::NOMINAL).sees_switch()
    }

    /// See [`BufferPolicy::decides_pauses`].
    pub fn decides_pauses(&self) -> bool {
        self.build(&BufferContext::NOMINAL).decides_pauses()
    }

    /// A bit for each of so many data classes that it takes on for good: see
    /// [`BufferPolicy::is_lossless`].
    pub fn lossless(&self, classes: u8) -> u8 {
        let queues = BufferContext::NOMINAL.ports * u32::from(classes);
        let policy = self.build(&BufferContext { queues, ..BufferContext::NOMINAL });
        let of = |class: u8| u8::from(policy.is_lossless(class.into())) << class;
        (0..classes).map(of).fold(0, |mask, bit| mask | bit)
    }

    /// The parameters that list a value for each data class, and for how many: a policy has no other
    /// lists.
    pub fn per_class(&self) -> Vec<(&'static str, usize)> {
        let classes = |text: &str| Some(text.strip_prefix('[')?.split(',').count());
        let values = self.values().into_iter();
        values.filter_map(|(name, text)| Some((name, classes(&text)?))).collect()
    }
}

impl AnyBufferPolicy {
    /// See [`BufferPolicy::probes`].
    pub fn probes(&self, to: &mut dyn Probes) {
        dispatch!(self, scheme => scheme.probes(to));
    }

    /// See [`BufferPolicy::admits`].
    #[inline]
    pub fn admits(&self, frame: &Arriving) -> bool {
        dispatch!(self, scheme => scheme.admits(frame))
    }

    /// See [`BufferPolicy::sees_switch`].
    pub fn sees_switch(&self) -> bool {
        dispatch!(self, scheme => scheme.sees_switch())
    }

    /// See [`BufferPolicy::admit`].
    pub fn admit(
        &mut self,
        cx: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Admission {
        dispatch!(self, scheme => scheme.admit(cx, frame, memory))
    }

    /// See [`BufferPolicy::may_refuse`].
    pub fn may_refuse(&self, frame: &Arriving) -> bool {
        dispatch!(self, scheme => scheme.may_refuse(frame))
    }

    /// See [`BufferPolicy::hears_sums`].
    pub fn hears_sums(&self) -> bool {
        dispatch!(self, scheme => scheme.hears_sums())
    }

    /// See [`BufferPolicy::hears_frames`].
    pub fn hears_frames(&self) -> bool {
        dispatch!(self, scheme => scheme.hears_frames())
    }

    /// See [`BufferPolicy::answers_early`].
    pub fn answers_early(&self) -> bool {
        dispatch!(self, scheme => scheme.answers_early())
    }

    /// See [`BufferPolicy::admit_early`].
    pub fn admit_early(
        &mut self,
        cx: &mut SwitchCx<'_>,
        frame: &Candidate,
        memory: &MemoryView<'_>,
    ) -> Option<bool> {
        dispatch!(self, scheme => scheme.admit_early(cx, frame, memory))
    }

    /// See [`BufferPolicy::on_left`].
    pub fn on_left(&mut self, left: &Left, memory: &MemoryView<'_>) {
        dispatch!(self, scheme => scheme.on_left(left, memory));
    }

    /// See [`BufferPolicy::on_join`].
    pub fn on_join(&mut self, cx: &mut SwitchCx<'_>, frame: &Candidate, memory: &MemoryView<'_>) {
        dispatch!(self, scheme => scheme.on_join(cx, frame, memory));
    }

    /// See [`BufferPolicy::decides_pauses`].
    pub fn decides_pauses(&self) -> bool {
        dispatch!(self, scheme => scheme.decides_pauses())
    }

    /// See [`BufferPolicy::pauses`].
    pub fn pauses(&self, ingress: QueueId, paused: bool, memory: &MemoryView<'_>) -> bool {
        dispatch!(self, scheme => scheme.pauses(ingress, paused, memory))
    }

    /// See [`BufferPolicy::is_lossless`].
    pub fn is_lossless(&self, class: usize) -> bool {
        dispatch!(self, scheme => scheme.is_lossless(class))
    }

    /// See [`BufferPolicy::lacks`].
    pub fn lacks(&self) -> Option<Lack> {
        dispatch!(self, scheme => scheme.lacks())
    }

    /// See [`BufferPolicy::ignores_order`].
    pub fn ignores_order(&self, incoming: Bytes, memory: &MemoryView<'_>) -> bool {
        dispatch!(self, scheme => scheme.ignores_order(incoming, memory))
    }

    /// See [`BufferPolicy::misfit`].
    pub fn misfit(&self, frame: Bytes) -> Option<(&'static str, String)> {
        dispatch!(self, scheme => scheme.misfit(frame))
    }

    /// See [`BufferPolicy::shared_size`].
    pub fn shared_size(&self) -> Option<Bytes> {
        dispatch!(self, scheme => scheme.shared_size())
    }

    /// See [`BufferPolicy::pools`].
    pub fn pools(&self) -> Option<Pools> {
        dispatch!(self, scheme => scheme.pools())
    }

    /// See [`BufferPolicy::on_departure`].
    pub fn on_departure(
        &mut self,
        cx: &mut SwitchCx<'_>,
        frame: &Departed,
        memory: &MemoryView<'_>,
    ) {
        dispatch!(self, scheme => scheme.on_departure(cx, frame, memory));
    }

    /// See [`BufferPolicy::next_timer`].
    pub fn next_timer(&self) -> Option<Time> {
        dispatch!(self, scheme => scheme.next_timer())
    }

    /// See [`BufferPolicy::on_timer`].
    pub fn on_timer(&mut self, cx: &mut SwitchCx<'_>, memory: &MemoryView<'_>) {
        dispatch!(self, scheme => scheme.on_timer(cx, memory));
    }
}
