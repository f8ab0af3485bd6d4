//! Ways that faults or schemes open beside those that bounds know.

use crate::plan::Plan;
use crate::topology::Fabric;
use crate::topology::routing::Forwarding;

/// Whether routes change in a fabric that is no tree, or switches send packets by way of others where
/// links are not alike, or by slices: another way may have more hops and yet be shorter.
pub(crate) fn detours(plan: &Plan) -> bool {
    let healthy = &plan.fabric.forwarding;
    if matches!(healthy, Forwarding::Tree(_)) {
        return false;
    }
    let follows = matches!(healthy, Forwarding::Slices(_));
    let by_way_of_others =
        (plan.switch_load_balance.makes_detours() || follows) && !lanes_are_alike(&plan.fabric);
    by_way_of_others || plan.routes.iter().any(|(_, own)| own != healthy)
}

/// Whether all ToRs, and all links between them, take equally long: more hops take longer.
fn lanes_are_alike(fabric: &Fabric) -> bool {
    let Some(circuits) = fabric.circuits.as_ref().filter(|own| own.packet.is_none()) else {
        return false;
    };
    let mut links = circuits.lanes.iter().map(|lane| {
        let port = &fabric.ports[lane.port.index()];
        (port.rate, port.delay)
    });
    let mut latencies = fabric.switches.iter().map(|switch| switch.latency);
    let first = (links.next(), latencies.next());
    links.all(|own| Some(own) == first.0) && latencies.all(|own| Some(own) == first.1)
}
