//! How long packets may wait in the fabric, which the default timeout has to outlast.

use crate::faults::Faults;
use crate::headroom::{pause_headroom, rates};
use crate::lossless;
use crate::plan::{BufferPlan, CreditBase, HostQueue, Plan, QueuePlan};
use crate::topology::{Fabric, Node, Port};
use crate::workload::Flow;
use raddle_schemes::ids::PortId;
use raddle_schemes::size::{Base, Size, UNLIMITED};
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::transport::sender::packets;
use raddle_schemes::units::{Bytes, Span};

/// No queue grows beyond this.
pub const LONGEST_QUEUE: u64 = 1 << 32;

/// What waits depend on.
#[derive(Clone, Copy, Debug)]
pub struct Waits<'a> {
    /// Hosts, switches, cables.
    pub fabric: &'a Fabric,
    /// What breaks.
    pub faults: &'a Faults,
    /// The switches' queues.
    pub queue: &'a QueuePlan,
    /// The memory that they share.
    pub buffer: Option<&'a BufferPlan>,
    /// What waits at hosts in front of their wires.
    pub host_queue: Option<HostQueue>,
    /// A full packet.
    pub packet: Bytes,
    /// What sizes in `bdp` refer to.
    pub longest_rtt: Span,
    /// All that is sent, as far as that is known; at most [`LONGEST_QUEUE`].
    pub all: u64,
    /// Whether packets go by way of other switches.
    pub detours: bool,
}

impl<'a> Waits<'a> {
    /// Of a plan: a queue without a limit holds every packet of the run once, at most.
    pub fn of(plan: &'a Plan) -> Self {
        let packets = |flow: &Flow| u64::from(packets(flow.bytes, plan.transport.payload));
        let all: u64 = plan.traffic.flows.iter().map(packets).sum();
        Self {
            fabric: &plan.fabric,
            faults: &plan.faults,
            queue: &plan.queue,
            buffer: plan.buffer.as_ref(),
            host_queue: plan.transport.host_queue,
            packet: plan.packet(),
            longest_rtt: plan.fabric.longest_base_rtt(plan.packet(), plan.transport.ack),
            all: all.saturating_mul(plan.packet().0).min(LONGEST_QUEUE),
            detours: plan.switch_load_balance.makes_detours(),
        }
    }

    /// Time in which the slowest port drains a full queue, or all the memory that it shares if that is
    /// less.
    pub fn drain(&self) -> Span {
        let Self { fabric, queue, buffer, packet, longest_rtt, all, .. } = *self;
        let unlimited = queue.size == Size::Unlimited && buffer.is_none();
        let memory = buffer.map_or(u64::MAX, |own| own.largest(fabric, packet, longest_rtt).0);
        let most = memory.min(LONGEST_QUEUE).min(if unlimited { all } else { u64::MAX });
        let drains = fabric.ports.iter().map(|port| {
            let base = Base { packet, bdp: port.rate.bytes_in(longest_rtt), whole: Bytes(0) };
            port.rate.serialisation(Bytes(queue.size.resolve(&base).0.min(most)))
        });
        drains.max().unwrap_or(Span::ZERO)
    }

    /// REPS spec, section 2.2: the unloaded round trip, with its waits for circuits, plus the time to
    /// drain 4 full queues. Where flow control loses nothing, packets wait for what switches hold in
    /// place of being dropped.
    pub fn rto(&self) -> Span {
        let wait = Span(self.drain().0.saturating_mul(4)).max(longest_hold(self));
        let wait = wait.0.saturating_add(self.at_hosts().0);
        let circuits = self.fabric.longest_wait(self.detours);
        let trip = self.longest_rtt.0.saturating_add(circuits.0);
        Span(trip.saturating_add(wait).min(TIME_LIMIT.0))
    }

    /// What a packet may wait in the queue of its own host, and its ACK in that of the other.
    fn at_hosts(&self) -> Span {
        let Some(own) = self.host_queue else { return Span::ZERO };
        let hosts = (0..self.fabric.hosts).map(|host| self.fabric.ports[host as usize].rate);
        let Some(slowest) = hosts.min() else { return Span::ZERO };
        let one = slowest.serialisation(Bytes(own.size.0.min(self.all)));
        Span(if own.acks { one.0.saturating_mul(2) } else { one.0 })
    }
}
/// The longest that lossless classes can keep the slowest link at work with what all switches hold and
/// not more than `all` bytes; zero where no class is lossless. A packet may wait for all of that, in one
/// switch after the other, while nothing is lost.
pub fn longest_hold(waits: &Waits<'_>) -> Span {
    let Waits { fabric, faults, queue, buffer, packet, longest_rtt, all, .. } = *waits;
    let lossless = lossless::classes(queue, buffer);
    let takes = |held: u64| {
        let rates =
            (0..fabric.ports.len() as u32).map(|id| *rates(fabric, faults, PortId(id)).start());
        let slowest = rates.filter(|rate| rate.0 > 0).min();
        slowest.map_or(Span::ZERO, |rate| rate.serialisation(Bytes(held.min(all))))
    };
    if let Some(cbfc) = queue.cbfc {
        let base = CreditBase { fabric, cbfc, packet, gap: queue.gap };
        let promised = fabric.switches.iter().map(|at| base.promised(at, queue.classes).0);
        return takes(promised.fold(0, u64::saturating_add));
    }
    let Some(pfc) = queue.pfc.filter(|_| lossless != 0) else { return Span::ZERO };
    let held: u64 = match buffer {
        Some(buffer) => {
            let switches = fabric.switches.iter();
            let sizes = switches.map(|at| buffer.size_at(fabric, at, packet, longest_rtt).0);
            sizes.fold(0, u64::saturating_add)
        }
        None => {
            let ports = (0..).map(PortId).zip(&fabric.ports);
            let switches = ports.filter(|(_, port)| matches!(port.owner, Node::Switch(_)));
            let of_port = |(id, port): (PortId, &Port)| {
                let bdp = port.rate.bytes_in(longest_rtt);
                let whole = queue.size.resolve(&Base { packet, bdp, whole: UNLIMITED });
                let xoff = pfc.xoff.resolve(&Base { packet, bdp, whole }).0;
                xoff.saturating_add(pause_headroom(fabric, faults, id, packet, queue.gap).0)
            };
            let one = switches.map(of_port).fold(0, u64::saturating_add);
            one.saturating_mul(lossless.count_ones().into())
        }
    };
    takes(held)
}
