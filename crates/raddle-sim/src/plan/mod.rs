//! Everything a run depends on, proved valid: the engines' only input.

mod buffer;
mod cbfc;
mod llr;
mod ordered;
mod pfc;
mod queue;
mod transport;

pub use buffer::{BufferPlan, Per};
pub use cbfc::{Cbfc, CreditBase};
pub use llr::{Detect, FRAMES_LIMIT, Flush, Llr, Tax, WITHOUT_END};
pub(crate) use ordered::OrderedWhen;
pub use pfc::{Pfc, PfcLinks, Watchdog};
pub use queue::{AckQueue, CLASS_LIMIT, MarkAt, Overflow, QueuePlan, Service};
pub use transport::{Connections, HostQueue, NicOrder, PairOrder, Transport, TransportPlan, Turns};

use crate::faults::gate::Gate;
use crate::faults::spec::FaultPlan;
use crate::faults::{Faults, PortChange};
use crate::record::RecordPlan;
use crate::topology::routing::Forwarding;
use crate::topology::{Fabric, Node, Switch};
use crate::workload::Traffic;
use raddle_schemes::ids::{HostId, PortId, SwitchId};
use raddle_schemes::load_balance::switch::{AnyPortSelector, SwitchContext};
use raddle_schemes::load_balance::{host, plane, switch};
use raddle_schemes::size::{Base, Size};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{Need, congestion, marking, recovery, tor};
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
    /// Link-level retry on every link; `None` without it.
    pub llr: Option<Llr>,
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

impl Plan {
    /// The memory of a switch that ports share by the policy of a [`BufferPlan`]: none
    /// where it is promised to those who send.
    pub(crate) fn shared_buffer(&self) -> Option<&BufferPlan> {
        self.buffer.as_ref().filter(|_| self.queue.cbfc.is_none())
    }

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
                last_hop_marking: None,
                acks: Vec::new(),
                mark_at: MarkAt::Dequeue,
                overflow: Overflow::Drop,
                gap: Bytes(0),
                pfc: None,
                cbfc: None,
            },
            llr: None,
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
        _ if queue.cbfc.is_some() => queue.every_class(),
        (None, _) => 0,
        (Some(pfc), Some(buffer)) if pfc.by_memory() => buffer.policy.lossless(queue.classes),
        _ => queue.every_class(),
    }
}
