//! Ways that faults open beside those that bounds know.

use crate::plan::Plan;
use crate::topology::routing::Forwarding;

/// Whether routes change in a fabric that is no tree: another way may have more hops and yet be
/// shorter.
pub(crate) fn detours(plan: &Plan) -> bool {
    let healthy = &plan.fabric.forwarding;
    let tree = matches!(healthy, Forwarding::Tree(_));
    !tree && plan.routes.iter().any(|(_, forwarding)| forwarding != healthy)
}
