//! What flow control takes on: no limit of a queue drops it, and what memory and pauses need for that.

use crate::faults::{Faults, PortChange};
use crate::headroom::rates;
use crate::plan::{BufferPlan, Pfc, PfcLinks, Plan, QueuePlan};
use crate::retry::RetryFacts;
use crate::topology::{Fabric, Node, Switch};
use crate::wire::frame::PFC_SIZE;
use crate::wire::port_facts::PortFacts;
use raddle_schemes::buffer::Lack;
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::units::{Bytes, Span};

/// What lossless classes of a memory's policy depend on.
#[derive(Clone, Copy, Debug)]
pub struct Lossless<'a> {
    /// Hosts, switches, cables.
    pub fabric: &'a Fabric,
    /// What breaks.
    pub faults: &'a Faults,
    /// The switches' queues.
    pub queue: &'a QueuePlan,
    /// The memory that they share.
    pub buffer: &'a BufferPlan,
    /// A full packet.
    pub packet: Bytes,
    /// What sizes in `bdp` refer to.
    pub longest_rtt: Span,
}

/// Why frames of lossless classes can be lost for want of room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shortage {
    /// Switches have hosts alone pause.
    Links,
    /// A pause can end before it is renewed.
    Quanta {
        /// A `quanta` above this would do.
        above: Span,
    },
    /// Headroom leaves less of a memory than a packet to share.
    Memory {
        /// Whose memory.
        switch: SwitchId,
        /// What it leaves.
        shared: Bytes,
        /// A memory of so much would do.
        needs: Bytes,
    },
    /// A parameter of the policy.
    Parameter {
        /// In whose memory.
        switch: SwitchId,
        /// Which one, and what would do.
        lack: Lack,
    },
}

impl Lossless<'_> {
    /// What the memory lacks for lossless classes to lose nothing while PFC frames arrive and are
    /// obeyed; nothing, if no class is lossless.
    pub fn shortage(&self) -> Option<Shortage> {
        let pfc = self.queue.pfc.filter(Pfc::by_memory)?;
        if self.buffer.policy.lossless(self.queue.classes) == 0 {
            return None;
        }
        if pfc.links == PfcLinks::Hosts {
            return Some(Shortage::Links);
        }
        let above = Span(self.longest_wait().0.saturating_mul(2));
        if pfc.quanta <= above {
            return Some(Shortage::Quanta { above });
        }
        let switches = (0..).map(SwitchId).zip(&self.fabric.switches);
        let mut shortages = switches.filter_map(|(id, switch)| self.shortage_at(id, switch));
        shortages.next()
    }

    /// The longest that a PFC frame waits behind another frame, and takes itself.
    fn longest_wait(&self) -> Span {
        let ports = self.fabric.ports.iter().zip((0..).map(PortId));
        let switches = ports.filter(|(port, _)| matches!(port.owner, Node::Switch(_)));
        let frame = self.packet.max(PFC_SIZE) + self.queue.gap;
        let wait = |id| {
            let slowest = *rates(self.fabric, self.faults, id).start();
            slowest.serialisation(frame) + slowest.serialisation(PFC_SIZE)
        };
        switches.map(|(_, id)| wait(id)).max().unwrap_or_default()
    }

    /// The same of one switch's memory.
    fn shortage_at(&self, id: SwitchId, switch: &Switch) -> Option<Shortage> {
        let Self { fabric, faults, queue, buffer, packet, longest_rtt } = *self;
        let context = buffer.context(fabric, faults, switch, queue, packet, longest_rtt);
        let policy = buffer.policy.build(&context);
        let lack = policy.lacks().map(|lack| Shortage::Parameter { switch: id, lack });
        let shared = policy.shared_size().filter(|shared| *shared < packet);
        let memory = shared.map(|shared| {
            let classes = buffer.policy.lossless(queue.classes).count_ones();
            let headroom: u64 = context.headroom.iter().map(|own| own.0).sum();
            let needs = Bytes(headroom.saturating_mul(classes.into()).saturating_add(packet.0));
            Shortage::Memory { switch: id, shared, needs }
        });
        lack.or(memory)
    }
}

/// A bit for each data class that flow control has taken on, on all links: who sends them is paused in
/// time, or has credit, and no limit of a queue drops them. Where a watchdog may ignore pauses and no policy of a memory
/// decides, there is nothing but the limits of queues to end what comes all the same.
pub fn classes(queue: &QueuePlan, buffer: Option<&BufferPlan>) -> u8 {
    if queue.cbfc.is_some() {
        return queue.every_class();
    }
    let Some(pfc) = queue.pfc.filter(|pfc| pfc.links == PfcLinks::All) else { return 0 };
    match buffer {
        Some(buffer) if pfc.by_memory() => buffer.policy.lossless(queue.classes),
        _ if pfc.watchdog.is_some() => 0,
        _ => queue.every_class(),
    }
}

/// Why frames of lossless classes may find no room though their memory suffices, if anything does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leak {
    /// Ports send on in spite of pauses that last.
    Watchdog,
    /// PFC frames are lost on links.
    LostPauses,
    /// Middleware lets go of many packets at once.
    Middleware,
}

impl Leak {
    /// A main clause.
    pub fn text(self) -> &'static str {
        match self {
            Self::Watchdog => "a watchdog sends on in spite of pauses",
            Self::LostPauses => "links that fail lose PFC frames",
            Self::Middleware => "middleware lets go of many packets at once",
        }
    }
}

/// Whether frames of a port, PFC frames among them, can be lost for it.
fn loses_frames(change: &PortChange) -> bool {
    !matches!(change, PortChange::Rate { .. })
}

/// The first leak there is of classes whose pauses a memory decides.
pub fn leak(
    queue: &QueuePlan,
    buffer: Option<&BufferPlan>,
    faults: &Faults,
    has_tor: bool,
) -> Option<Leak> {
    let pfc = queue.pfc.filter(|pfc| pfc.by_memory() && classes(queue, buffer) != 0)?;
    let mut changes = faults.ports.iter().flat_map(|(_, own)| own.iter());
    if pfc.watchdog.is_some() {
        Some(Leak::Watchdog)
    } else if changes.any(|(_, change)| loses_frames(change)) {
        Some(Leak::LostPauses)
    } else {
        has_tor.then_some(Leak::Middleware)
    }
}

impl Plan {
    /// See [`classes`].
    pub fn lossless_classes(&self) -> u8 {
        classes(&self.queue, self.buffer.as_ref())
    }

    /// What the memory of its switches lacks for lossless classes to lose nothing.
    pub fn lossless_shortage(&self) -> Option<Shortage> {
        let lossless = Lossless {
            fabric: &self.fabric,
            faults: &self.faults,
            queue: &self.queue,
            buffer: self.buffer.as_ref()?,
            packet: self.packet(),
            longest_rtt: PortFacts::longest_rtt(self),
        };
        lossless.shortage()
    }

    /// The switches that refuse no frame of a lossless class: where nothing but their memory has a limit,
    /// and it suffices, those that can tell their neighbours to pause, who obey, and that nobody's
    /// middleware sends more at once.
    pub(crate) fn lossless_switches(&self) -> Vec<bool> {
        let pfc = self.queue.pfc.filter(|_| self.lossless_classes() != 0);
        let all = |whether| vec![whether; self.fabric.switches.len()];
        let Some(pfc) = pfc else { return all(false) };
        if self.buffer.is_none() {
            return all(true);
        }
        if !pfc.by_memory() || pfc.watchdog.is_some() || self.lossless_shortage().is_some() {
            return all(false);
        }
        let silent = |port: u32| {
            self.faults.changes_of(PortId(port)).iter().any(|(_, change)| loses_frames(change))
        };
        // Copies heed no pause, and a pause may have to wait for them.
        let retries = |port: u32| {
            let ways = [PortId(port), self.fabric.ports[port as usize].peer];
            ways.into_iter().any(|way| RetryFacts::of(self, way).is_some())
        };
        let tells =
            |switch: &Switch| !switch.ports.clone().any(|port| silent(port) || retries(port));
        let switches = self.fabric.switches.iter();
        switches.map(|switch| tells(switch) && !self.has_middleware(switch)).collect()
    }
}
