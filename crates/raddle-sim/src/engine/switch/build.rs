//! Switches as a plan has them, before anything runs.

use super::asleep::Asleep;
use super::closings::{Closings, Slices};
use super::ordered::Ordered;
use super::shared_memory::Pool;
use super::voqs::Voqs;
use super::{Scheme, Shared, SwitchState};
use crate::engine::port::fast::Asked;
use crate::middleware::Middleware;
use crate::plan::{OrderedWhen, Plan};
use crate::record::followers::Follower;
use crate::topology::Node;
use crate::wire::arbitration::Arbitration;
use crate::wire::switch_memory::Memory;
use raddle_schemes::ids::{PortId, SwitchId};
use raddle_schemes::load_balance::switch::SwitchContext;
use raddle_schemes::rng::{Rng, stream};
use raddle_schemes::units::Span;

/// The switches of a part, each as far as its ports do not matter; these are added to `ids`.
pub(in crate::engine) fn switch_states(
    plan: &Plan,
    switches: &[SwitchId],
    longest_rtt: Span,
    ids: &mut Vec<PortId>,
) -> Vec<SwitchState> {
    let hash = plan.leaves_flows_to_ecmp();
    let shown = plan.switch_load_balance.probes();
    let detours = plan.switch_load_balance.makes_detours();
    let keeps_bulk = plan.keeps_bulk();
    let state = |&id: &SwitchId| {
        let switch = &plan.fabric.switches[id.index()];
        let own = stream(plan.seed, "switch", u64::from(id.0));
        let (edge, pod) = (switch.tier == 0, switch.pod);
        let context = SwitchContext { switch: id, edge, pod, stream: own };
        let first_port = ids.len() as u32;
        ids.extend(switch.ports.clone().map(PortId));
        let closings = Closings::of(&plan.fabric, &switch.ports);
        SwitchState {
            id,
            scheme: Scheme {
                selector: plan.port_selector(hash, &context),
                follower: Follower::of_switch(plan, id, &shown),
                rng: Rng::new(plan.seed, "switch draws", u64::from(id.0)),
                detours,
            },
            arbitration: Arbitration::of_switch(plan.seed, id),
            first_port,
            kind: None,
            first_id: switch.ports.start,
            shared: Shared {
                busy: vec![0; switch.ports.len().div_ceil(64)],
                asleep: None,
                ordered: None,
                pool: Memory::of(plan, id, longest_rtt)
                    .map(|memory| Box::new(Pool::new(memory, switch.ports.len()))),
                tor: Middleware::of(plan, id).map(Box::new),
            },
            slices: (closings.is_some() || keeps_bulk).then_some(Slices { closings }),
            hosts: 0..0,
            deaths: plan.faults.deaths(Node::Switch(id)),
        }
    };
    switches.iter().map(state).collect()
}

impl SwitchState {
    /// Settles whether it is ordered; its ports are `own`. Returns what they are asked.
    pub(in crate::engine) fn settle_order(
        &mut self,
        plan: &Plan,
        own: &[PortId],
        longest_rtt: Span,
    ) -> Asked {
        let fabric = &plan.fabric;
        let mut when = plan.ordered_when(&fabric.switches[self.id.index()]);
        if self.may_hear_sums(plan, own, longest_rtt)
            && let Some(pool) = &mut self.shared.pool
        {
            when = OrderedWhen::Never;
            pool.hear_sums();
        }
        let leads_to_host = |id: &PortId| fabric.ports[id.index()].peer.0 < fabric.host_ports();
        let gives_credit = plan.queue.cbfc.is_some();
        let voqs = Voqs::of(fabric, &fabric.switches[self.id.index()]);
        self.shared.ordered = Ordered::new(when, own.iter().map(leads_to_host), gives_credit, voqs);
        let has_gate = |id: &PortId| plan.gate(*id).is_some();
        if self.shared.ordered.is_none() && own.iter().any(has_gate) {
            self.shared.asleep = Some(Box::new(Asleep::new(own.len())));
        }
        if self.shared.ordered.is_some() || self.is_told() {
            self.slices = None;
        }
        self.asked(when)
    }
}
