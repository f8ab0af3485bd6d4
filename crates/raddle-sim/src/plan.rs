//! Everything a run depends on, proved valid: the engines' only input.

use crate::faults::gate::Gate;
use crate::faults::spec::FaultPlan;
use crate::faults::{Faults, PortChange};
use crate::headroom::pause_headroom;
use crate::record::RecordPlan;
use crate::topology::routing::Forwarding;
use crate::topology::{Fabric, Node, Switch};
use crate::workload::Traffic;
use raddle_schemes::FlowContext;
use raddle_schemes::buffer::BufferContext;
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::load_balance::switch::{AnyPortSelector, SwitchContext};
use raddle_schemes::load_balance::{host, plane, switch};
use raddle_schemes::size::{Base, Size};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{Need, buffer, congestion, marking, recovery, tor};
use std::num::NonZeroU32;
use std::sync::Arc;

/// A run. Same plan, same outcome, on any machine and with either engine.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Hosts, switches, cables.
    pub fabric: Fabric,
    /// How switches forward, and from when on: the first entry at time zero, later ones where
    /// routing has converged around faults. Times ascending.
    pub routes: Vec<(Time, Forwarding)>,
    /// The same for hosts that route packets themselves and know at once what is down; if empty, they
    /// go by `routes`.
    pub known_routes: Vec<(Time, Arc<Forwarding>)>,
    /// The switches' queues.
    pub queue: QueuePlan,
    /// The memory that the queues of a switch share; `None` where each has its own.
    pub buffer: Option<BufferPlan>,
    /// The switches' load balancing.
    pub switch_load_balance: switch::Config,
    /// Middleware in the switches that have hosts, or in all, as it needs.
    pub tor: Option<tor::Config>,
    /// What breaks and when.
    pub faults: Faults,
    /// The hosts.
    pub transport: TransportPlan,
    /// Flows and triggers.
    pub traffic: Traffic,
    /// What to record beside flows and totals.
    pub record: RecordPlan,
    /// The seed of every random stream.
    pub seed: u64,
    /// Simulated time at which the run stops, finished or not; at the latest after 70 s
    /// ([`TIME_LIMIT`](raddle_schemes::transport::ledger::TIME_LIMIT)).
    pub end: Option<Time>,
    /// Without a newly delivered packet for this long, and nothing scheduled that could change it,
    /// the run has stalled.
    pub patience: Span,
}

/// Most data classes of a port, as many as flow control knows; control is one more.
pub const CLASS_LIMIT: u8 = 8;

/// Queues of switch ports.
#[derive(Clone, Debug, PartialEq)]
pub struct QueuePlan {
    /// Capacity of each data class, per port (`bdp`: of the port's rate and the fabric's longest
    /// round trip).
    pub size: Size,
    /// Capacity for control frames, per port.
    pub control_size: Size,
    /// Who goes first.
    pub service: Service,
    /// Data classes: 1 to [`CLASS_LIMIT`]; 1 with [`Service::Fifo`].
    pub classes: u8,
    /// What each data class may send in a round, class 0 first: bytes with [`Service::Drr`],
    /// frames with [`Service::Wrr`]. Not read otherwise.
    pub shares: Vec<u64>,
    /// After so many control frames that went while data waited, data has a turn (NDP, Handley et
    /// al., SIGCOMM 2017, section 3.1: 10 headers to a packet); never where there is none. Not with
    /// [`Service::Fifo`].
    pub control_weight: Option<NonZeroU32>,
    /// Which frames get the congestion mark.
    pub marking: marking::Config,
    /// The same for each data class, class 0 first; empty where all go by `marking`.
    pub class_markings: Vec<marking::Config>,
    /// Where the ACKs of each data class travel, class 0 first; empty where all of them are control.
    pub acks: Vec<AckQueue>,
    /// When that is decided.
    pub mark_at: MarkAt,
    /// What happens to a data frame that does not fit.
    pub overflow: Overflow,
    /// Idle bytes between frames on every link; not part of any queue's occupancy.
    pub gap: Bytes,
    /// Whether and when switches pause who sends to them.
    pub pfc: Option<Pfc>,
}

/// The memory that the queues of a switch share. Each queue keeps its own capacity, too.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferPlan {
    /// Bytes of one switch (`bdp`: those of its ports together; a percentage has no meaning), or of
    /// one uplink (`bdp`: its own).
    pub size: Size,
    /// Which frames are kept.
    pub policy: buffer::Config,
    /// Who has such a memory.
    pub per: Per,
}

raddle_schemes::words! {
    /// Who has a memory of its own.
    #[derive(Default)]
    pub enum Per {
        /// A switch: all its ports share it.
        #[default]
        Switch = "switch",
        /// Each uplink of a ToR of circuits: the queues of the lanes that it opens share it; one that
        /// several uplinks open belongs to that of its first opening. A port to a host has one, too.
        Uplink = "uplink",
    }
}

impl BufferPlan {
    /// The memory of a switch of `fabric` that breaks as `faults` say and has such a `queue` at each
    /// port, where full packets are `packet` and sizes in `bdp` refer to `longest_rtt`. It takes all of
    /// a packet for payload.
    pub fn context(
        &self,
        fabric: &Fabric,
        faults: &Faults,
        at: &Switch,
        queue: &QueuePlan,
        packet: Bytes,
        longest_rtt: Span,
    ) -> BufferContext {
        let size = self.size_at(fabric, at, packet, longest_rtt);
        let ports = at.ports.len() as u32;
        let hosts = (0..fabric.hosts).map(HostId);
        let bdp = hosts.map(|host| fabric.host_rate(host).bytes_in(longest_rtt));
        let bdp = bdp.max().unwrap_or_default();
        let queues = ports * u32::from(queue.classes);
        let pauses = self.policy.decides_pauses();
        let ids = at.ports.clone().filter(|_| pauses).map(PortId);
        let headroom = |id| pause_headroom(fabric, faults, id, packet, queue.gap);
        let headroom = ids.map(headroom).collect();
        let before = |other: &Switch| other.ports.start < at.ports.start;
        let switch = fabric.switches.partition_point(before) as u32;
        debug_assert_eq!(fabric.switches[switch as usize].ports, at.ports);
        let (payload, base_rtt) = (packet, longest_rtt);
        let switches = fabric.switches.len() as u32;
        let days = at.ports.clone().map(|port| fabric.day(PortId(port))).collect();
        BufferContext {
            size,
            queues,
            ports,
            packet,
            payload,
            base_rtt,
            bdp,
            headroom,
            switch,
            switches,
            days,
        }
    }

    /// The size of that memory.
    pub fn size_at(&self, fabric: &Fabric, at: &Switch, packet: Bytes, longest_rtt: Span) -> Bytes {
        let bdp = |port| fabric.ports[port as usize].rate.bytes_in(longest_rtt).0;
        let of_uplink = fabric.circuits.as_ref().filter(|_| self.per == Per::Uplink);
        let bdp = match of_uplink {
            Some(circuits) => circuits.uplink_rate.bytes_in(longest_rtt),
            None => Bytes(at.ports.clone().map(bdp).sum()),
        };
        self.size.resolve(&Base { packet, bdp, whole: Bytes(0) })
    }

    /// The largest memory of any switch; arguments as in [`BufferPlan::size_at`].
    pub fn largest(&self, fabric: &Fabric, packet: Bytes, longest_rtt: Span) -> Bytes {
        let size = |switch| self.size_at(fabric, switch, packet, longest_rtt);
        fabric.switches.iter().map(size).max().unwrap_or_default()
    }
}

impl Pfc {
    /// Whether the memory's policy says who pauses whom: there are no thresholds then.
    pub fn by_memory(&self) -> bool {
        self.xoff == Size::Unlimited
    }

    /// Pauses that the memory's policy decides on.
    pub fn of_memory(quanta: Span) -> Self {
        let (xoff, xon) = (Size::Unlimited, Size::Unlimited);
        Self { xoff, xon, quanta, links: PfcLinks::All, watchdog: None }
    }
}

impl QueuePlan {
    /// Whether a queue has a limit, be it that of control.
    pub fn may_lose(&self) -> bool {
        let control = self.service != Service::Fifo && self.control_size != Size::Unlimited;
        self.size != Size::Unlimited || control
    }

    /// The number of the control class, behind the data classes.
    pub fn control_class(&self) -> usize {
        usize::from(self.classes)
    }

    /// The markings that queues of data have.
    pub fn markings(&self) -> impl Iterator<Item = &marking::Config> {
        let common = self.class_markings.is_empty().then_some(&self.marking);
        common.into_iter().chain(&self.class_markings)
    }

    /// A bit for each data class whose ACKs travel in it.
    pub(crate) fn ack_classes(&self) -> u8 {
        let classes = (0..).zip(&self.acks).filter(|(_, own)| **own == AckQueue::Data);
        classes.fold(0, |mask, (class, _): (u8, _)| mask | 1 << class)
    }

    /// Whether data classes differ in more than their turns.
    pub(crate) fn has_class_table(&self) -> bool {
        !self.class_markings.is_empty() || self.ack_classes() != 0
    }
}

/// When a switch is ordered: its ports are replayed together, in order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderedWhen {
    Never,
    /// While it has someone pause (IEEE 802.1Qbb).
    WhilePausing,
    /// It has middleware, which sees what starts towards hosts: ports that lead there are replayed
    /// together, the others each on its own.
    TowardsHosts,
    /// Its memory's policy sees all of them, but where it says that the order decides nothing; or it has
    /// middleware, and flow control; or it is a hybrid ToR, one of whose wires takes from the queues of
    /// others.
    Always,
}

raddle_schemes::words! {
    /// How a port serves its data classes and control frames (ACKs, NACKs, trimmed headers). No
    /// frame is interrupted.
    pub enum Service {
        /// Control frames first, then the data class with the highest number.
        Priority = "priority",
        /// One class: first come, first served.
        Fifo = "fifo",
        /// Control frames first; data classes share the rest in bytes: deficit round robin
        /// (Shreedhar and Varghese, SIGCOMM 1995).
        Drr = "drr",
        /// Control frames first; data classes share the rest in frames: weighted round robin
        /// (Katevenis et al., 1991).
        Wrr = "wrr",
    }
}

/// Priority-based flow control (IEEE 802.1Qbb). A switch counts, for each of its ports and each
/// data class, the bytes that came in there and have not left yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pfc {
    /// More than this, and the far end is told to pause the class (`bdp`: of the port's rate;
    /// percent: of its queue). Unlimited where the memory's policy decides.
    pub xoff: Size,
    /// Down to this, and it may go on.
    pub xon: Size,
    /// A pause lasts this long at who is paused. While it is needed, it is renewed half a `quanta`
    /// after it was last told.
    pub quanta: Span,
    /// Whose pauses are obeyed: switches tell all that send to them, or hosts alone.
    pub links: PfcLinks,
    /// What switches do where they are to pause for too long; `None`, and they do.
    pub watchdog: Option<Watchdog>,
}

raddle_schemes::words! {
    /// Links with flow control.
    pub enum PfcLinks {
        /// All of them.
        All = "all",
        /// Those between a host and its switch.
        Hosts = "hosts",
    }
}

/// A watchdog over pauses, as switches have it against circles of them and NICs that never let go: a
/// class that a port was to pause without a break for `detection` is sent all the same from then on,
/// until no pause has come for `restoration`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watchdog {
    /// How long pauses are obeyed without a break.
    pub detection: Span,
    /// How long none has to be in force until they are obeyed again.
    pub restoration: Span,
}

raddle_schemes::words! {
    /// Which queue of a switch port ACKs and NACKs join.
    pub enum AckQueue {
        /// That of control.
        Control = "control",
        /// That of the data class of their flow: they are served, admitted, paused and counted as its
        /// data is. They are never trimmed, and never marked, since the mark of an ACK is what it echoes.
        Data = "data",
    }
}

raddle_schemes::words! {
    /// When a frame is judged for marking.
    pub enum MarkAt {
        /// When its last bit leaves, on what it leaves behind.
        Dequeue = "dequeue",
        /// When it arrives, on what it finds.
        Enqueue = "enqueue",
    }
}

raddle_schemes::words! {
    /// What happens to a data frame that does not fit.
    pub enum Overflow {
        /// It is dropped.
        Drop = "drop",
        /// It is cut to a header that joins the control class.
        Trim = "trim",
    }
}

raddle_schemes::words! {
    /// How a NIC shares its wire between control frames and data.
    pub enum NicOrder {
        /// Control frames first.
        ControlFirst = "control_first",
        /// One control frame, one data frame, in turn.
        RoundRobin = "round_robin",
    }
}

/// A queue of each host, first in, first out, in front of its wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostQueue {
    /// A flow whose packet does not fit waits; at least a full packet.
    pub size: Bytes,
    /// Whether ACKs and NACKs wait in it, too; for them there is always room.
    pub acks: bool,
}

raddle_schemes::words! {
    /// Which of the flows that may send has its turn at the NIC.
    pub enum Turns {
        /// They go round, each behind those that could send before it.
        RoundRobin = "round_robin",
        /// They go round in an order that is random and stays, as in a list of queue pairs into which
        /// each is put at random: one that could not send for a while comes back to its place.
        RandomPlace = "random_place",
        /// Any of them, drawn for each packet.
        Random = "random",
        /// The one with the shortest message; of those with equal ones the first in the run's list of
        /// flows.
        Shortest = "shortest",
    }
}

raddle_schemes::words! {
    /// What a connection carries, and so how long what its sender has learned lasts.
    pub enum Connections {
        /// One message: every flow begins anew.
        Message = "message",
        /// All messages from one host to another with the same class, path selector and transport. One begins
        /// with what the one before that ended last has left, and switches hash the pair of hosts
        /// in place of the flow.
        Pair = "pair",
    }
}

raddle_schemes::words! {
    /// How messages of a pair share their sender, the pair being that of [`Connections::Pair`].
    pub enum PairOrder {
        /// Side by side: all of them take turns at the NIC.
        Parallel = "parallel",
        /// One after the other, in the order in which they start, as on a queue pair: a message sends
        /// its first packet when the one before has sent its last one for the first time. It does
        /// not wait for ACKs, and what is lost is sent again beside later messages.
        Fifo = "fifo",
    }
}

/// How both ends of a flow send and acknowledge.
#[derive(Clone, Debug, PartialEq)]
pub struct Transport {
    /// Window and rate.
    pub congestion: congestion::Config,
    /// Loss detection, ACKs and retransmission.
    pub recovery: recovery::Config,
}

/// The hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct TransportPlan {
    /// Payload of a full packet.
    pub payload: Bytes,
    /// Header of a data packet, telemetry included; also the size of a trimmed one.
    pub header: Bytes,
    /// Size of an ACK or NACK on the wire, telemetry included.
    pub ack: Bytes,
    /// Path of every packet, but for the flows that name another.
    pub load_balance: host::Config,
    /// The plane of every packet, where hosts have several ports.
    pub plane: plane::Config,
    /// How long a host with several ports takes to see that a link of its own went down or came up.
    pub plane_repair: Span,
    /// The others, of which flows name one by number.
    pub other_load_balances: Vec<host::Config>,
    /// Window and rate, but for the flows that name another transport.
    pub congestion: congestion::Config,
    /// Loss detection, ACKs and retransmission, but for the same flows.
    pub recovery: recovery::Config,
    /// Other congestion controls and recoveries, of which flows name one pair by number.
    pub other_transports: Vec<Transport>,
    /// What outlives a message.
    pub connections: Connections,
    /// How messages of a pair share their sender.
    pub pair_order: PairOrder,
    /// Who goes first at the NIC.
    pub nic: NicOrder,
    /// Which flow has its turn.
    pub turns: Turns,
    /// What waits at hosts between flows and the wire, if anything does: else NICs pull.
    pub host_queue: Option<HostQueue>,
    /// Each flow's start, by itself or by a trigger, is delayed by a uniform draw from `0..=phase`.
    pub phase: Span,
}

impl TransportPlan {
    /// The path selector that flows with this number have: 0 is that of all, n the n-th of the
    /// others. One that does not exist is refused by [`Plan::check_limits`].
    pub fn load_balance_of(&self, number: u8) -> &host::Config {
        let other = usize::from(number).checked_sub(1);
        other.and_then(|i| self.other_load_balances.get(i)).unwrap_or(&self.load_balance)
    }

    /// The congestion control that flows with this transport number have: 0 is that of all, n that
    /// of the n-th of the others. One that does not exist is refused by [`Plan::check_limits`].
    pub fn congestion_of(&self, number: u8) -> &congestion::Config {
        self.other(number).map_or(&self.congestion, |other| &other.congestion)
    }

    /// The recovery that flows with this transport number have.
    pub fn recovery_of(&self, number: u8) -> &recovery::Config {
        self.other(number).map_or(&self.recovery, |other| &other.recovery)
    }

    fn other(&self, number: u8) -> Option<&Transport> {
        self.other_transports.get(usize::from(number).checked_sub(1)?)
    }

    /// Every congestion control that flows may have.
    pub fn congestions(&self) -> impl Iterator<Item = &congestion::Config> {
        let others = self.other_transports.iter().map(|other| &other.congestion);
        std::iter::once(&self.congestion).chain(others)
    }

    /// Whether any host knows at once what is down.
    pub fn hosts_know(&self) -> bool {
        let all = std::iter::once(&self.load_balance).chain(&self.other_load_balances);
        let routes_packets =
            |config: &&host::Config| config.card().needs.contains(&Need::SourceRouting);
        all.filter(routes_packets).any(|config| config.build(&FlowContext::NOMINAL).knows_at_once())
    }
}

impl Plan {
    /// This traffic on this fabric, and everything else as scenarios have it by default: queues of a
    /// BDP that RED marks and that drop, ECMP, MP-RDMA's DCTCP, selective ACKs, no faults. Nothing is
    /// recorded but what always is.
    pub fn new(fabric: Fabric, traffic: Traffic, seed: u64) -> Self {
        let (faults, routes) = FaultPlan::none(&fabric);
        Self {
            routes,
            known_routes: Vec::new(),
            fabric,
            queue: QueuePlan {
                size: Size::Bdp(1.0),
                control_size: Size::Unlimited,
                service: Service::Priority,
                classes: 1,
                shares: Vec::new(),
                control_weight: None,
                marking: marking::Config::Red(marking::red::Config::default()),
                class_markings: Vec::new(),
                acks: Vec::new(),
                mark_at: MarkAt::Dequeue,
                overflow: Overflow::Drop,
                gap: Bytes(0),
                pfc: None,
            },
            buffer: None,
            switch_load_balance: switch::Config::Ecmp(switch::ecmp::Config::default()),
            tor: None,
            faults,
            transport: TransportPlan {
                payload: Bytes(4096),
                header: Bytes(64),
                ack: Bytes(64),
                load_balance: host::Config::Ecmp(host::ecmp::Config::default()),
                plane: plane::Config::Hash(plane::hash::Config::default()),
                plane_repair: Span::ZERO,
                other_load_balances: Vec::new(),
                other_transports: Vec::new(),
                congestion: congestion::Config::MprdmaDctcp(
                    congestion::mprdma_dctcp::Config::default(),
                ),
                recovery: recovery::Config::Sack(recovery::sack::Config::default()),
                connections: Connections::Message,
                pair_order: PairOrder::Parallel,
                nic: NicOrder::ControlFirst,
                turns: Turns::RoundRobin,
                host_queue: None,
                phase: Span::ZERO,
            },
            traffic,
            record: RecordPlan::default(),
            seed,
            end: None,
            patience: Span::ms(5),
        }
    }

    /// Whether there are flows whose packets switches hash though their scheme does not.
    pub(crate) fn leaves_flows_to_ecmp(&self) -> bool {
        !self.switch_load_balance.reads_entropy() && self.traffic.flows.iter().any(|f| f.hashed)
    }

    /// Switches with hosts, and a port of one of each one's hosts; none where packets make no detours.
    pub(crate) fn edges_of_detours(&self) -> (Vec<SwitchId>, Vec<PortId>) {
        let makes_detours = self.switch_load_balance.makes_detours();
        if makes_detours { self.fabric.edge_switches() } else { Default::default() }
    }

    /// The load balancing of a switch, with a `hash` beside it or without.
    pub(crate) fn port_selector(&self, hash: bool, context: &SwitchContext) -> AnyPortSelector {
        if hash {
            self.switch_load_balance.build_with_hash(context)
        } else {
            self.switch_load_balance.build(context)
        }
    }

    /// When a switch is ordered.
    pub(crate) fn ordered_when(&self, switch: &Switch) -> OrderedWhen {
        let sees_switch = |buffer: &BufferPlan| buffer.policy.sees_switch();
        let is_hybrid = self.fabric.packet_uplink(switch).is_some();
        if is_hybrid || self.buffer.as_ref().is_some_and(sees_switch) {
            OrderedWhen::Always
        } else if self.has_middleware(switch) && !self.keeps_bulk() {
            if self.queue.pfc.is_some() { OrderedWhen::Always } else { OrderedWhen::TowardsHosts }
        } else if self.queue.pfc.is_some() {
            OrderedWhen::WhilePausing
        } else {
            OrderedWhen::Never
        }
    }

    /// The gate of a port's link, if it has one.
    pub(crate) fn gate(&self, port: PortId) -> Option<Gate> {
        let circuits = self.fabric.circuits.as_ref()?;
        let behind = match self.fabric.ports[port.index()].owner {
            Node::Switch(switch) if circuits.packet.is_none() => self.faults.behind(switch),
            _ => 0,
        };
        if behind != 0 {
            return circuits.any_gate(port).map(|gate| gate.with_clock(behind));
        }
        let changes = self.faults.changes_of(port);
        if !changes.iter().any(|(_, change)| matches!(change, PortChange::Uplinks { .. })) {
            return self.fabric.gate(port);
        }
        circuits.any_gate(port)
    }

    /// A bit for each class whose data waits for circuits while other data goes by slices of them.
    pub(crate) fn waiting_classes(&self) -> u8 {
        let circuits = self.fabric.circuits.as_ref();
        let waiting = circuits.and_then(|own| own.slicing.as_ref()).map_or(0, |own| own.waiting);
        (u16::from(waiting) & ((1 << self.queue.classes) - 1)) as u8
    }

    /// Whether ToRs keep such data themselves. They hear nothing of what leaves towards hosts.
    pub(crate) fn keeps_bulk(&self) -> bool {
        self.tor.as_ref().is_some_and(|tor| tor.card().needs.contains(&Need::Bulk))
    }

    /// A bit for each data class whose queues have no limit: what ToRs keep they have let go for a
    /// circuit.
    pub(crate) fn unlimited_classes(&self) -> u8 {
        if self.keeps_bulk() { self.waiting_classes() } else { 0 }
    }

    /// Whether a switch has middleware: ToRs if there is any, others where it wants to be in all.
    pub fn has_middleware(&self, switch: &Switch) -> bool {
        let everywhere = |tor: &tor::Config| tor.card().needs.contains(&Need::EverySwitch);
        self.tor.as_ref().is_some_and(|tor| switch.tier == 0 || everywhere(tor))
    }

    /// Whether switches write telemetry into data frames, for the congestion control.
    pub(crate) fn has_telemetry(&self) -> bool {
        self.transport.congestions().any(|own| own.card().needs.contains(&Need::Telemetry))
    }

    /// How fast the hosts' links let a flow be: the slower of its two, of those in all planes together if
    /// its packets take several.
    pub fn flow_rate(&self, source: HostId, destination: HostId) -> Rate {
        let ports = &self.fabric.ports;
        let last_hop = ports[destination.index()].peer;
        let one = ports[source.index()].rate.min(ports[last_hop.index()].rate);
        let planes = if self.transport.plane.is_per_packet() { self.fabric.planes } else { 1 };
        Rate(one.0 * u64::from(planes))
    }

    /// A full packet on the wire.
    pub fn packet(&self) -> Bytes {
        self.transport.payload + self.transport.header
    }

    /// A bit for each data class that flow control may pause.
    pub fn paused_classes(&self) -> u8 {
        paused_classes(&self.queue, self.buffer.as_ref())
    }

    /// What relative sizes of the queue at `port` refer to; 100 % is `whole`.
    pub fn queue_base(&self, port: usize, base_rtt: Span, whole: Bytes) -> Base {
        let bdp = self.fabric.ports[port].rate.bytes_in(base_rtt);
        Base { packet: self.packet(), bdp, whole }
    }
}

/// A bit for each data class that flow control may pause, by the memory's policy or by all queues.
pub fn paused_classes(queue: &QueuePlan, buffer: Option<&BufferPlan>) -> u8 {
    match (queue.pfc, buffer) {
        (None, _) => 0,
        (Some(pfc), Some(buffer)) if pfc.by_memory() => buffer.policy.lossless(queue.classes),
        _ => ((1_u16 << queue.classes) - 1) as u8,
    }
}
