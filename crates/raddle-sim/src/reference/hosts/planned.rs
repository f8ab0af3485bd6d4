//! Flows whose paths a planner has given: each host's planner hears of those under way, and moves
//! those whose packets are lost.

use super::{FlowEvents, Hosts};
use raddle_schemes::Cx;
use raddle_schemes::ids::{Entropy, FlowId, HostId};
use raddle_schemes::load_balance::host::Fate;
use raddle_schemes::planner::{AnyPlanner, Placed, PlannerContext};
use raddle_schemes::rng::Rng;
use raddle_schemes::units::Time;

/// A host's planner, and what it draws from.
pub(super) struct HostPlanner {
    planner: AnyPlanner,
    rng: Rng,
}

impl Hosts<'_> {
    /// The path that the plan has for a flow.
    fn planned_path(&self, flow: FlowId) -> Option<Entropy> {
        self.plan.traffic.pieces.as_ref()?.path(flow)
    }

    /// A flow with a path begins.
    pub(super) fn begin_on_path(&mut self, flow: FlowId) {
        let Some(path) = self.planned_path(flow) else { return };
        let Some(placed) = self.placed(flow, path) else { return };
        if let Some(sending) = &mut self.sending[flow.index()] {
            sending.sender.on_route(path);
        }
        let source = self.plan.traffic.flows[flow.index()].source;
        if let Some(own) = self.planner_of(source) {
            own.planner.on_start(&placed);
        }
    }

    /// A flow is complete.
    pub(super) fn end_on_path(&mut self, flow: FlowId) {
        if self.planned_path(flow).is_none() {
            return;
        }
        let source = self.plan.traffic.flows[flow.index()].source;
        if let Some(own) = self.planner_of(source) {
            own.planner.on_end(flow);
        }
    }

    /// Lets the planner name another path if packets of a flow are lost on the one that it is on.
    pub(super) fn move_if_lost(&mut self, now: Time, flow: FlowId) {
        if self.planned_path(flow).is_none() {
            return;
        }
        let lost = self.sending[flow.index()].as_mut().and_then(|own| own.sender.poll_lost());
        let Some((path, fate)) = lost else { return };
        if let Some(path) = self.another_path(now, flow, path, fate)
            && let Some(sending) = &mut self.sending[flow.index()]
        {
            sending.sender.on_route(path);
        }
    }

    fn another_path(
        &mut self,
        now: Time,
        flow: FlowId,
        path: Entropy,
        fate: Fate,
    ) -> Option<Entropy> {
        let plan = self.plan;
        let placed = self.placed(flow, path)?;
        let message = &plan.traffic.flows[flow.index()];
        let pieces = plan.traffic.pieces.as_ref()?;
        let paths = pieces.between(message.source, message.destination);
        self.planner_of(message.source)?;
        let own = self.planners.get_mut(&message.source)?;
        let events = &mut FlowEvents { events: &mut self.timeline.events, flow };
        let mut cx = Cx { now, rng: &mut own.rng, events };
        Some(own.planner.reroute(&mut cx, &placed, fate, paths))
    }

    fn placed(&self, flow: FlowId, path: Entropy) -> Option<Placed> {
        let pieces = self.plan.traffic.pieces.as_ref()?;
        let destination = self.plan.traffic.flows[flow.index()].destination;
        Some(Placed { flow, leaf: pieces.leaf(destination), path })
    }

    fn planner_of(&mut self, host: HostId) -> Option<&mut HostPlanner> {
        let plan = self.plan;
        let config = plan.traffic.pieces.as_ref()?.planner.as_ref()?;
        let context = PlannerContext { payload: plan.transport.payload };
        Some(self.planners.entry(host).or_insert_with(|| HostPlanner {
            planner: config.build(&context),
            rng: Rng::new(plan.seed, "planner", host.0.into()),
        }))
    }
}
