//! What still comes in after a pause.

use crate::faults::{Faults, PortChange};
use crate::topology::Fabric;
use crate::wire::frame::PFC_SIZE;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Rate};
use std::ops::RangeInclusive;

/// The rates that a link has, from the slowest to the fastest, while faults come and go.
pub(crate) fn rates(fabric: &Fabric, faults: &Faults, port: PortId) -> RangeInclusive<Rate> {
    let healthy = fabric.ports[port.index()].rate;
    let changed = faults.changes_of(port).iter().filter_map(|(_, change)| match change {
        PortChange::Rate { rate, .. } => Some(*rate),
        _ => None,
    });
    changed.fold(healthy..=healthy, |rates, rate| rate.min(*rates.start())..=rate.max(*rates.end()))
}

/// What comes in at a port, at most, after a frame has made its switch pause a class there: that frame
/// and a full one that ends here, the PFC frame that is sent and travels, a full frame that ends there,
/// and what is on the way. Links that faults slow down send their own frames at the slowest, and what
/// they are sent comes at the fastest.
pub fn pause_headroom(
    fabric: &Fabric,
    faults: &Faults,
    port: PortId,
    packet: Bytes,
    gap: Bytes,
) -> Bytes {
    let peer = fabric.ports[port.index()].peer;
    let (here, there) = (rates(fabric, faults, port), rates(fabric, faults, peer));
    let (here, there) = (*here.start(), *there.end());
    let time = here.serialisation(packet.max(PFC_SIZE) + gap)
        + here.serialisation(PFC_SIZE)
        + fabric.latency(port)
        + there.serialisation(packet + gap)
        + fabric.latency(peer);
    Bytes(packet.0.saturating_add(there.bytes_in(time).0))
}
