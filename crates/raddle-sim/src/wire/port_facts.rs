//! What is constant about a switch port during a run.

use crate::cbfc::CreditFacts;
use crate::plan::{Pfc, PfcLinks, Plan};
use crate::topology::Node;
use raddle_schemes::ids::PortId;
use raddle_schemes::marking::{self, AnyMarker};
use raddle_schemes::rng::stream;
use raddle_schemes::size::UNLIMITED;
use raddle_schemes::units::{Rate, Span};

/// A port's constants.
pub struct PortFacts {
    /// The link's nominal rate.
    pub rate: Rate,
    /// From the last bit sent until the frame can be queued or received at the far end.
    pub latency: Span,
    /// The port at the far end.
    pub peer: PortId,
    /// The node at the far end.
    pub destination: Node,
    /// Most bytes queued of one data class, frame in service included (all bytes where the port has
    /// one class for everything).
    pub capacity: u64,
    /// A bit for each data class that this does not limit: flow control has taken them on.
    pub lossless: u8,
    /// A bit for each data class that this does not limit because ToRs keep its data.
    pub unlimited: u8,
    /// Most control bytes queued.
    pub control_capacity: u64,
    /// Which frames are marked.
    pub marker: AnyMarker,
    /// The same for each data class, where classes differ in that.
    pub class_markers: Option<Box<[AnyMarker]>>,
    /// Stream of marking coins.
    pub mark_stream: u64,
    /// Stream of loss coins.
    pub loss_stream: u64,
    /// When the far end is told to pause.
    pub pfc: Option<PfcFacts>,
    /// Credits of the link, and for what comes in.
    pub(crate) credits: Option<CreditFacts>,
}

/// Flow control of what comes in through a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PfcFacts {
    /// More bytes of a class than this, and the far end is to pause it.
    pub xoff: u64,
    /// Down to this, and it may go on.
    pub xon: u64,
    /// How long a pause lasts.
    pub quanta: Span,
    /// Whether the memory's policy decides, in place of the two.
    pub by_memory: bool,
}

impl PortFacts {
    /// The constants of every port of a plan, in order of port.
    pub fn of(plan: &Plan) -> impl Iterator<Item = Self> {
        let longest_rtt = Self::longest_rtt(plan);
        (0..plan.fabric.ports.len() as u32)
            .map(move |port| Self::new(plan, PortId(port), longest_rtt))
    }

    /// The round trip that queue sizes in `bdp` refer to.
    pub fn longest_rtt(plan: &Plan) -> Span {
        plan.fabric.longest_base_rtt(plan.packet(), plan.transport.ack)
    }

    /// The constants of one port. Hosts' ports have no queue to speak of: their NIC pulls.
    pub fn new(plan: &Plan, id: PortId, longest_rtt: Span) -> Self {
        let index = id.index();
        let port = &plan.fabric.ports[index];
        let base = plan.queue_base(index, longest_rtt, UNLIMITED);
        let capacity = plan.queue.size.resolve(&base);
        let base = plan.queue_base(index, longest_rtt, capacity);
        let to_host = matches!(plan.fabric.destination(id), Node::Host(_));
        let concerns = |pfc: &Pfc| pfc.links == PfcLinks::All || to_host;
        let pfc = plan.queue.pfc.filter(concerns).map(|pfc| PfcFacts {
            xoff: pfc.xoff.resolve(&base).0,
            xon: pfc.xon.resolve(&base).0,
            quanta: pfc.quanta,
            by_memory: pfc.by_memory(),
        });
        let of_classes = plan.queue.class_markings.iter().map(|marking| marking.build(&base));
        let of_classes: Box<[AnyMarker]> = of_classes.collect();
        // What waits for it is in other queues, and marked there.
        let unmarked = plan.fabric.is_packet_uplink(id).then(|| marking::Config::named("none"));
        let marking = unmarked.flatten();
        let class_markers = (!of_classes.is_empty() && marking.is_none()).then_some(of_classes);
        let last_hop = plan.queue.last_hop_marking.as_ref().filter(|_| to_host);
        let marking = marking.as_ref().or(last_hop).unwrap_or(&plan.queue.marking);
        Self {
            rate: port.rate,
            latency: plan.fabric.latency(id),
            peer: port.peer,
            destination: plan.fabric.destination(id),
            capacity: capacity.0,
            lossless: plan.lossless_classes(),
            unlimited: plan.unlimited_classes(),
            control_capacity: plan.queue.control_size.resolve(&base).0,
            marker: marking.build(&base),
            class_markers,
            mark_stream: stream(plan.seed, "mark", u64::from(id.0)),
            loss_stream: stream(plan.seed, "loss", u64::from(id.0)),
            pfc,
            credits: CreditFacts::of(plan, id),
        }
    }
}
