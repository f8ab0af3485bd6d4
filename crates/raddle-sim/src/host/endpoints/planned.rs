//! Planned paths at work: the planner of each host, and the flows that it moves.

use crate::plan::Plan;
use crate::workload::pieces::Pieces;
use raddle_schemes::ids::{FlowId, HostId};
use raddle_schemes::planner::{self, AnyPlanner, Placed, PlannerContext};
use raddle_schemes::rng::Rng;
use raddle_schemes::transport::Sender;
use raddle_schemes::units::Time;
use raddle_schemes::{Cx, Events};
use std::collections::BTreeMap;

/// The planners of a part's hosts, made when the first flow with a path starts.
pub(in crate::host) struct Planners<'a> {
    plan: &'a Plan,
    pieces: &'a Pieces,
    config: &'a planner::Config,
    hosts: BTreeMap<HostId, (AnyPlanner, Rng)>,
}

impl<'a> Planners<'a> {
    /// Of a plan with planned paths.
    pub(in crate::host) fn of(plan: &'a Plan) -> Option<Box<Self>> {
        let pieces = plan.traffic.pieces.as_deref()?;
        let config = pieces.planner.as_ref()?;
        Some(Box::new(Self { plan, pieces, config, hosts: BTreeMap::new() }))
    }

    /// A flow begins to send: gives it its path, if it has one.
    pub(in crate::host) fn begin(&mut self, flow: FlowId, sender: &mut Sender) {
        let Some(path) = self.pieces.path(flow) else { return };
        sender.on_route(path);
        let message = &self.plan.traffic.flows[flow.index()];
        let leaf = self.pieces.leaf(message.destination);
        let (planner, _) = self.of_host(message.source);
        planner.on_start(&Placed { flow, leaf, path });
    }

    /// It is done.
    pub(in crate::host) fn end(&mut self, flow: FlowId) {
        if self.pieces.path(flow).is_some() {
            let source = self.plan.traffic.flows[flow.index()].source;
            self.of_host(source).0.on_end(flow);
        }
    }

    /// A flow has heard a NACK, or a timer has fired: moves it if packets have been lost on its path.
    pub(in crate::host) fn look_at(
        &mut self,
        now: Time,
        flow: FlowId,
        sender: &mut Sender,
        events: &mut dyn Events,
    ) {
        if self.pieces.path(flow).is_none() {
            return;
        }
        let Some((path, fate)) = sender.poll_lost() else { return };
        let message = &self.plan.traffic.flows[flow.index()];
        let placed = Placed { flow, leaf: self.pieces.leaf(message.destination), path };
        let paths = self.pieces.between(message.source, message.destination);
        let (planner, rng) = self.of_host(message.source);
        let mut cx = Cx { now, rng, events };
        sender.on_route(planner.reroute(&mut cx, &placed, fate, paths));
    }

    fn of_host(&mut self, host: HostId) -> &mut (AnyPlanner, Rng) {
        self.hosts.entry(host).or_insert_with(|| {
            let context = PlannerContext { payload: self.plan.transport.payload };
            let rng = Rng::new(self.plan.seed, "planner", host.0.into());
            (self.config.build(&context), rng)
        })
    }
}
