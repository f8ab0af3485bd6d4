//! A queue of each host: where there can be none.

use super::jobs::Jobs;
use super::transport::TransportSection;
use super::{fabric::FabricSection, reader::Log};
use raddle_schemes::FlowContext;
use raddle_schemes::ids::Psn;
use raddle_schemes::units::Bytes;
use raddle_sim::plan::{Turns, paused_classes};
use raddle_sim::topology::Fabric;

/// Adds a problem if hosts of this fabric cannot have the queue that is asked for.
pub(crate) fn check(
    transport: &TransportSection,
    (section, fabric): (&FabricSection, &Fabric),
    traffic: &Jobs,
    packet: Bytes,
    log: &Log,
) {
    let Some(own) = &transport.host_queue else { return };
    let refuse = |problem: String, label: String| {
        log.add(own.place.problem(problem).label(label));
    };
    if own.plan.size < packet {
        let label = format!("expected at least {packet}, a full packet");
        refuse("`host_queue` is too small".to_owned(), label);
    }
    if fabric.planes > 1 {
        let label = "leave it out, or the topology's `planes` or `tors_per_host`".to_owned();
        refuse("`host_queue` is for hosts with one port".to_owned(), label);
    }
    if transport.turns != Turns::RoundRobin {
        let label = "leave out `turns`: packets go as they have come into the queue".to_owned();
        refuse("`host_queue` needs flows that take turns".to_owned(), label);
    }
    let memory = section.buffer.as_ref().map(|own| &own.plan);
    let queue = &section.queue.plan;
    let paused = paused_classes(queue, memory);
    if paused.count_ones() == u32::from(queue.classes) {
        let label = "leave it out: flows of classes that may be paused are pulled".to_owned();
        refuse("flow control may pause every class, and `host_queue` has none".to_owned(), label);
    }
    let context = FlowContext { classes: queue.classes, ..FlowContext::NOMINAL };
    for (chosen, _) in traffic.used_congestions(transport) {
        if paused != 0 && chosen.config.build(&context).class(Psn(0)).is_some() {
            let name = chosen.config.card().name;
            let problem = format!(
                "packets of `{name}` have classes of their own, of which flow control may pause some"
            );
            refuse(problem, "leave out `host_queue`".to_owned());
        }
    }
}
