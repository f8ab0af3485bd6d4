//! What a run leaves behind: flows, ports, time series, totals.

pub mod after;
mod bytes;
mod credits;
pub(crate) mod deadlock;
mod flows;
pub mod followers;
pub mod layers;
pub mod packets;
mod pieces;
pub mod probes;
mod queues;
pub mod recorder;
mod routes;
pub mod rows;
pub mod series;
mod sizes;
mod slowest;
pub mod steps;
mod trace;

pub use credits::{ClassCredit, CreditRecord};
pub(crate) use flows::reached;
pub use flows::{FlowRecord, FlowRecords};
use packets::Packets;
pub use pieces::PieceRecords;
use probes::{ProbePlan, ProbeRow};
use rows::{ProgressRow, RouteRow};
use serde::{Deserialize, Serialize};
use series::join_pairs;
pub use sizes::Sizes;

use crate::retry::{Serving, Verdict};
use crate::wire::frame::Frame;
use raddle_schemes::buffer::forest::Features;
use raddle_schemes::buffer::headroom::Pools;
use raddle_schemes::ids::{FlowId, PortId};
use raddle_schemes::units::{Span, Time};
use std::borrow::Cow;
use std::num::NonZeroU32;

/// What to record beside flows, port counters and totals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordPlan {
    /// Ports whose departures and queues are recorded over time.
    pub ports: Vec<PortId>,
    /// Width of a time bucket; zero records no series.
    pub bucket: Span,
    /// How many buckets a run may have. When it needs more, pairs of them are joined and `bucket` is
    /// where their width begins; `None`, and it stays.
    pub most_buckets: Option<NonZeroU32>,
    /// Whether it is kept which ports each flow's data left by, and what reached its receiver over time.
    pub routes: bool,
    /// The flows whose packets are kept, hop by hop; in ascending order.
    pub packets: Vec<FlowId>,
    /// The flows that take longest, whose packets or probes are kept: who runs the plan finds them by
    /// [`Plan::with_slowest`](crate::plan::Plan::with_slowest). Engines do not read it.
    pub slowest: Option<Slowest>,
    /// Whether packets are kept of the messages that decide when jobs end, and of others beside them: who
    /// runs the plan finds them by [`Plan::with_critical`](crate::plan::Plan::with_critical). Engines do
    /// not read it.
    pub critical: bool,
    /// Whether the mean length of every queue is measured, which takes the engine longer.
    pub queue_means: bool,
    /// Whether it is kept what each packet of data found in a memory whose policy sees the whole switch,
    /// and what became of it.
    pub training: bool,
    /// Which flows count as short, medium and long.
    pub sizes: Sizes,
    /// What is kept of what schemes show of themselves.
    pub probes: ProbePlan,
}

/// The flows that take longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slowest {
    /// How many.
    pub count: u32,
    /// Whether their packets are kept; else their probes alone.
    pub packets: bool,
}

impl RecordPlan {
    /// Whether somebody wants to know of each frame that joins or leaves a queue.
    pub fn watches_queues(&self) -> bool {
        self.bucket.0 > 0 || self.queue_means || self.routes || !self.packets.is_empty()
    }
}

/// Why a packet was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DropCause {
    /// The queue was full.
    Overflow,
    /// The link was or went down.
    LinkDown,
    /// The node was dead.
    NodeDown,
    /// Random loss or bit errors on the link, or its circuit was not up all the while.
    Loss,
    /// No port leads to the destination.
    NoRoute,
}

impl DropCause {
    /// Every cause.
    pub const ALL: [Self; 5] =
        [Self::Overflow, Self::LinkDown, Self::NodeDown, Self::Loss, Self::NoRoute];

    /// Those of frames whose last bit left.
    pub(crate) const BEHIND: [Self; 3] = [Self::Loss, Self::NodeDown, Self::NoRoute];

    /// The cause as tables and JSON name it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Overflow => "overflow",
            Self::LinkDown => "link_down",
            Self::NodeDown => "node_down",
            Self::Loss => "loss",
            Self::NoRoute => "no_route",
        }
    }
}

/// What passed one port; what losses touch comes last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[repr(C)]
pub struct PortRecord {
    /// Frames whose last bit left, lost ones included.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Of the frames, data packets (not control).
    pub data_frames: u64,
    /// Data packets marked here.
    pub marked: u64,
    /// Most bytes of one data class ever queued, frame in service included.
    pub queue_bytes_max: u64,
    /// Data packets trimmed here.
    pub trimmed: u64,
    /// Frames lost here, by cause (order of [`DropCause::ALL`]).
    pub dropped: [u64; 5],
    /// Of these, data packets (trimmed ones included), in the same order.
    pub dropped_data: [u64; 5],
    /// What flow control did here; `None` at hosts and without it.
    pub pfc: Option<Box<PfcRecord>>,
}

/// What link-level retry did on one directed link. Copies are not among [`PortRecord::frames`] and
/// [`PortRecord::bytes`], which count each frame once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct RetryRecord {
    /// Frames that left with a number for the first time, those of flow control among them.
    pub frames: u64,
    /// Frames that left without one.
    pub unnumbered: u64,
    /// Frames that left again.
    pub replayed_frames: u64,
    /// Their bytes.
    pub replayed_bytes: u64,
    /// Of all that left with a number: what the far end took in.
    pub accepted: u64,
    /// What noise spoiled, or the link that went down under it.
    pub spoiled: u64,
    /// What came while one before it was missing.
    pub discarded: u64,
    /// What had been taken in before.
    pub duplicates: u64,
    /// Negative answers that came back.
    pub nacks: u64,
    /// How often none came in time.
    pub timeouts: u64,
    /// Frames given up, among those lost for noise ([`DropCause::Loss`]).
    pub flushed: u64,
    /// Most bytes sent and not acknowledged.
    pub kept_bytes_max: u64,
}

impl RetryRecord {
    /// A frame that had a number has left.
    pub(crate) fn count(&mut self, serving: Serving) {
        if serving.is_copy {
            self.replayed_frames += 1;
            self.replayed_bytes += serving.bytes;
        } else {
            self.frames += 1;
        }
        let count = match serving.verdict {
            Verdict::Accepted => &mut self.accepted,
            Verdict::Spoiled => &mut self.spoiled,
            Verdict::Discarded => &mut self.discarded,
            Verdict::Duplicate => &mut self.duplicates,
        };
        *count += 1;
    }
}

/// What priority-based flow control did at one port of a switch. Its frames are not among
/// [`PortRecord::frames`] and [`PortRecord::bytes`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct PfcRecord {
    /// How often a class of what came in here crossed `xoff`.
    pub pauses: u64,
    /// PFC frames whose last bit left, lost ones included; each takes
    /// [`PFC_SIZE`](crate::wire::frame::PFC_SIZE) on the wire.
    pub frames: u64,
    /// PFC frames lost: cut off, spoiled on the link, or come to a dead node.
    pub lost: u64,
    /// Most bytes of one data class that came in here and were in the switch at once.
    pub ingress_bytes_max: u64,
    /// For how long the far end was to be paused, added up over the classes.
    pub paused: Span,
    /// Pauses that the far end asked for, each a class in a PFC frame, and that the watchdog did not heed.
    pub ignored: u64,
    /// Frames of classes that flow control has taken on ([`Plan::lossless_classes`]) for which there was
    /// no room here: as many losses that should not have been.
    ///
    /// [`Plan::lossless_classes`]: crate::plan::Plan::lossless_classes
    pub refused: u64,
}

impl PfcRecord {
    /// The far end is to pause a class from now on, or may resume: what has begun and not ended counts
    /// from zero down, until it does.
    pub(crate) fn turn(&mut self, now: Time, pauses: bool) {
        self.pauses += u64::from(pauses);
        let Span(paused) = self.paused;
        let sum = if pauses { paused.wrapping_sub(now.0) } else { paused.wrapping_add(now.0) };
        self.paused = Span(sum);
    }

    /// The run ends at `end` while so many classes are to be paused.
    pub(crate) fn end(&mut self, end: Time, classes: u32) {
        self.paused = Span(self.paused.0.wrapping_add(end.0.wrapping_mul(classes.into())));
    }
}

/// What middleware did in one ToR.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct TorRecord {
    /// Frames that it dropped.
    pub dropped: u64,
    /// Of these, data packets (trimmed ones included).
    pub dropped_data: u64,
    /// Frames of its own.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Most frames that it held at once.
    pub held_max: u64,
}

/// What passed the two ports of a GPU to the crossbar of its server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct ScaleUpRecord {
    /// Bytes that it sent, whole quanta from when the port begins to take them.
    pub sent_bytes: u64,
    /// Bytes that it received, whole quanta when the last bit has come.
    pub received_bytes: u64,
    /// Most bytes that waited for the port in when it began to take a quantum.
    pub waiting_bytes_max: u64,
}

/// What became of the frames with which receivers pace their senders: pulls, and requests for
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct CreditFrames {
    /// Given to a NIC to send.
    pub made: u64,
    /// Taken in by the host they were for.
    pub arrived: u64,
    /// Lost on the way, whatever the cause.
    pub dropped: u64,
    /// Still in a NIC, a queue or on a wire at the end.
    pub in_flight: u64,
}

impl CreditFrames {
    /// Adds those of another part of the run.
    pub(crate) fn add(&mut self, other: &Self) {
        self.made += other.made;
        self.arrived += other.arrived;
        self.dropped += other.dropped;
        self.in_flight += other.in_flight;
    }
}

/// One recorded port over time; bucket `i` covers `[i, i + 1) * bucket`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct PortSeries {
    /// Data packets whose last bit left in the bucket.
    pub data_frames: Vec<u32>,
    /// Bytes of all frames whose last bit left in the bucket.
    pub bytes: Vec<u64>,
    /// Most bytes of data queued in the bucket (seen by arrivals; 0 where none came).
    pub queue_bytes_max: Vec<u64>,
    /// Mean bytes of data queued in the bucket, frames in service included; empty unless
    /// [`RecordPlan::queue_means`] asks for it. An exact integral, rounded down: the sum over the ports
    /// of a switch is the mean of what the switch holds.
    pub queue_bytes_mean: Vec<u64>,
    /// Of these, bytes of lossless data classes, where other data classes lose packets; else empty.
    pub lossless_bytes_mean: Vec<u64>,
    /// Frames lost at the port in the bucket.
    pub dropped: Vec<u32>,
    /// Of these, data packets.
    pub dropped_data: Vec<u32>,
    /// Data packets marked in the bucket.
    pub marked: Vec<u32>,
    /// Data packets trimmed in the bucket.
    pub trimmed: Vec<u32>,
    /// Picoseconds for which the far end was to pause classes of what came in here, added up over the
    /// classes; empty without flow control.
    pub paused: Vec<u64>,
}

impl PortSeries {
    /// Whether nothing came here.
    pub fn is_idle(&self) -> bool {
        let counts = [&self.data_frames, &self.dropped, &self.marked, &self.trimmed];
        let sums = [&self.bytes, &self.queue_bytes_max, &self.paused];
        counts.iter().all(|list| list.iter().all(|count| *count == 0))
            && sums.iter().all(|list| list.iter().all(|sum| *sum == 0))
    }

    /// The length of its longest list of counts.
    fn buckets(&self) -> usize {
        let Self { data_frames, dropped, dropped_data, marked, trimmed, .. } = self;
        let counts = [data_frames, dropped, dropped_data, marked, trimmed].map(Vec::len);
        let sums = [&self.bytes, &self.queue_bytes_max].map(Vec::len);
        counts.into_iter().chain(sums).max().unwrap_or(0)
    }

    /// Joins pairs of buckets; means and pauses come later.
    fn join_pairs(&mut self) {
        let Self { data_frames, dropped, dropped_data, marked, trimmed, .. } = self;
        for counts in [data_frames, dropped, dropped_data, marked, trimmed] {
            join_pairs(counts, |first, second| first + second);
        }
        join_pairs(&mut self.bytes, |first, second| first + second);
        join_pairs(&mut self.queue_bytes_max, u64::max);
    }

    fn resize(&mut self, buckets: usize) {
        let Self { data_frames, dropped, dropped_data, marked, trimmed, .. } = self;
        for counts in [data_frames, dropped, dropped_data, marked, trimmed] {
            counts.resize(buckets, 0);
        }
        self.bytes.resize(buckets, 0);
        self.queue_bytes_max.resize(buckets, 0);
    }
}

/// How full queues were until the last host had sent its last data packet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Occupancy {
    /// Per port of the fabric, bytes queued in data classes times the picoseconds for which they
    /// were, frames in service included; 0 at hosts.
    pub byte_ps: Vec<u128>,
    /// When the last data packet had left its host.
    pub sent_until: Time,
}

/// An event of a scheme: when, whose, what.
pub type SchemeEvent = (Time, FlowId, Cow<'static, str>);

/// Fabric-wide counts over time; bucket as in [`PortSeries`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Timeline {
    /// Frames lost.
    pub dropped: Vec<u32>,
    /// Packets marked.
    pub marked: Vec<u32>,
    /// Packets trimmed.
    pub trimmed: Vec<u32>,
    /// Packets sent again.
    pub retransmitted: Vec<u32>,
    /// Retransmission timeouts.
    pub timeouts: Vec<u32>,
    /// Scheme events (`"reps: freeze"`): when, whose, what. The first 10 000, by time and flow.
    pub events: Vec<SchemeEvent>,
}

impl Timeline {
    /// Its counts.
    fn counts(&mut self) -> [&mut Vec<u32>; 5] {
        let Self { dropped, marked, trimmed, retransmitted, timeouts, .. } = self;
        [dropped, marked, trimmed, retransmitted, timeouts]
    }

    fn join_pairs(&mut self) {
        self.counts().into_iter().for_each(|list| join_pairs(list, |first, second| first + second));
    }
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Stop {
    /// Every flow completed.
    Completed,
    /// The scenario's end time came; holds the flows not completed.
    EndTime(Vec<FlowId>),
    /// No flow could make progress any more; holds the flows not completed.
    Stalled(Vec<FlowId>),
    /// The caller asked to stop.
    Interrupted,
}

/// What a packet of data found in a switch's memory, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct TrainingRow {
    /// What it found when it came.
    pub found: Features,
    /// Whether it was refused or pushed out; else it left.
    pub dropped: bool,
}

/// What all hosts of a run brought about: what became of the flows, what passed the hosts' ports, what
/// happened over time, and what flows have shown.
pub(crate) type Finished = (FlowRecords, Vec<PortRecord>, Timeline, Vec<ProbeRow>);

/// Everything a run left behind.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Outcome {
    /// One per flow of the traffic.
    pub flows: FlowRecords,
    /// One per port of the fabric.
    pub ports: Vec<PortRecord>,
    /// One per port of [`RecordPlan::ports`].
    pub series: Vec<PortSeries>,
    /// Fabric-wide, if a bucket was given.
    pub timeline: Timeline,
    /// How wide their buckets are: [`RecordPlan::bucket`], or where pairs were joined more.
    pub bucket: Span,
    /// By flow, then by port, if [`RecordPlan::routes`] asked for it.
    pub routes: Vec<RouteRow>,
    /// By flow, then by bucket, if [`RecordPlan::routes`] asked for it and there are buckets.
    pub progress: Vec<ProgressRow>,
    /// Packets of [`RecordPlan::packets`], and their hops.
    /// Not among what is read back.
    #[serde(skip)]
    pub packets: Packets,
    /// If [`RecordPlan::queue_means`] asked for it.
    pub occupancy: Option<Occupancy>,
    /// Why it ended.
    pub stop: Stop,
    /// When the last flow completed; for a run that stopped before, the instant at which it did.
    pub end: Time,
    /// Data packets still queued or on a wire at the end.
    pub in_flight_data: u64,
    /// Pulls and requests for them; all 0 unless receivers pace.
    pub credit_frames: CreditFrames,
    /// Most bytes of memory ever used, per switch of the fabric; empty where ports do not share it.
    pub memory_bytes_max: Vec<u64>,
    /// What pools of memory came to, per switch of the fabric; empty where the policy has none.
    pub pools: Vec<Pools>,
    /// What became of packets of data, per switch of the fabric, in the order in which it was known;
    /// empty unless [`RecordPlan::training`] asked for it.
    pub training: Vec<Vec<TrainingRow>>,
    /// Where a run stalled with pauses that wait for each other in a circle: the ports round it, each
    /// of which waits for the next.
    pub deadlock: Vec<PortId>,
    /// What middleware did, per switch of the fabric; empty where no ToR has any.
    pub tors: Vec<TorRecord>,
    /// Per port, frames that still waited when its circuit closed and were taken out: each time counts.
    /// Empty where frames do not go by slices of circuits.
    pub late_frames: Vec<u64>,
    /// Of the frames lost on a link ([`DropCause::Loss`]), those of which some bit passed while the circuit
    /// was not up, by port. Empty where all clocks are right.
    pub clipped_frames: Vec<u64>,
    /// What link-level retry did on the link that leaves each port; empty without it.
    pub retries: Vec<RetryRecord>,
    /// What credit-based flow control did at each port; empty without it.
    pub credits: Vec<CreditRecord>,
    /// What passed the ports to the crossbars of servers, per host; empty without any.
    pub scale_up: Vec<ScaleUpRecord>,
    /// Frames that passed a link while it was not open, of those that somebody watched: none.
    pub outside_openings: u64,
    /// What schemes have shown of themselves, by holder and time, if [`RecordPlan::probes`] asked for it.
    /// Not among what is read back.
    #[serde(skip)]
    pub probes: Vec<ProbeRow>,
    /// What became of pieces of messages, if `flows` are messages that a planner has put into pieces
    /// ([`Outcome::of_messages`]); the engines know of pieces alone.
    #[serde(skip)]
    pub pieces: Option<Box<PieceRecords>>,
    /// Packets that left any queue, host or switch.
    pub packet_hops: u64,
    /// Engine events: arrivals and local host events.
    pub events: u64,
    /// Parts that the fabric was run in, each by a thread.
    pub parts: u32,
}

impl Outcome {
    /// Whether all of it is read back from where it was written: rows of packets and of probes are not.
    pub fn can_be_read_back(&self) -> bool {
        self.packets.is_empty() && self.probes.is_empty() && self.pieces.is_none()
    }
}

/// What a running simulation tells its caller now and then.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Simulated time.
    pub now: Time,
    /// Packet-hops so far.
    pub packet_hops: u64,
    /// Flows completed so far.
    pub flows_done: u64,
    /// Data packets known to their senders to have arrived.
    pub packets_acked: u64,
}

/// Hears of a run's progress and may end it.
pub trait Observer {
    /// Called at least every few hundred thousand events. Returns whether to go on.
    fn progress(&mut self, progress: &Progress) -> bool;
}

/// Goes on without a word.
impl Observer for () {
    fn progress(&mut self, _progress: &Progress) -> bool {
        true
    }
}

impl PortRecord {
    /// Frames lost here, whatever the cause.
    pub fn dropped_total(&self) -> u64 {
        self.dropped.iter().sum()
    }

    /// Of these, data packets.
    pub fn dropped_data_total(&self) -> u64 {
        self.dropped_data.iter().sum()
    }

    /// Counts a frame, not one of flow control, that was lost here.
    pub(crate) fn drop(&mut self, frame: Frame, cause: DropCause) {
        self.dropped[cause as usize] += 1;
        self.dropped_data[cause as usize] += u64::from(frame.is_data());
    }

    /// Adds the losses that `other` counted at the same port.
    pub(crate) fn add_losses(&mut self, other: &Self) {
        let own = self.dropped.iter_mut().chain(&mut self.dropped_data);
        for (sum, more) in own.zip(other.dropped.into_iter().chain(other.dropped_data)) {
            *sum += more;
        }
        if let (Some(own), Some(other)) = (&mut self.pfc, &other.pfc) {
            own.lost += other.lost;
        }
    }
}
