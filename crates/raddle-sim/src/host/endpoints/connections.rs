//! What messages begin with: the parts of both ends, and, where connections outlive messages, what
//! earlier messages have left.

use crate::plan::{Connections, Plan};
use crate::workload::Flow;
use raddle_schemes::FlowContext;
use raddle_schemes::ids::HostId;
use raddle_schemes::rng::Rng;
use raddle_schemes::transport::sender::Connection;
use raddle_schemes::transport::{FlowTemplate, Sender, SenderPlan};
use raddle_schemes::units::{Rate, Span};
use std::collections::BTreeMap;

/// The beginnings of all flows at the hosts of a part.
pub(in crate::host) struct Beginnings<'a> {
    plan: &'a Plan,
    /// By round trip, rate, and numbers of the path selector and the transport.
    templates: Templates,
    /// What the message of each connection that ended last has left; `None` where connections do
    /// not outlive messages.
    left: Option<BTreeMap<Ends, Connection>>,
}

type Templates = BTreeMap<(Span, Rate, u8, u8), FlowTemplate>;

/// The ends of a connection, its class, the numbers of its path selector and its transport, and that of
/// the queue pair.
pub(super) type Ends = (HostId, HostId, u8, u8, u8, u8);

pub(super) fn ends(flow: &Flow) -> Ends {
    (flow.source, flow.destination, flow.class, flow.load_balance, flow.transport, flow.qp)
}

impl<'a> Beginnings<'a> {
    pub(in crate::host) fn new(plan: &'a Plan) -> Self {
        let outlive = plan.transport.connections == Connections::Pair;
        Self { plan, templates: BTreeMap::new(), left: outlive.then(BTreeMap::new) }
    }

    /// What flows like this one begin with, in this context.
    pub(in crate::host) fn template(
        &mut self,
        flow: &Flow,
        context: &FlowContext,
    ) -> &FlowTemplate {
        template(&mut self.templates, self.plan, flow, context)
    }

    /// The sender of a flow that starts. Of several messages under way at once, each begins with
    /// a copy of what the one that ended last has left, and draws from a stream of its own.
    pub(in crate::host) fn sender(
        &mut self,
        flow: &Flow,
        context: &FlowContext,
        rng: Rng,
    ) -> Sender {
        let left = self.left.as_ref().and_then(|left| left.get(&ends(flow)));
        let template = template(&mut self.templates, self.plan, flow, context);
        template.next_sender(left, context, flow.bytes, rng)
    }

    /// Whether messages leave anything.
    pub(in crate::host) fn keeps(&self) -> bool {
        self.left.is_some()
    }

    /// Keeps what a message has left, if the next one is to begin with it.
    pub(in crate::host) fn keep(&mut self, flow: &Flow, sender: Sender) {
        if let Some(left) = &mut self.left {
            left.insert(ends(flow), sender.into_connection());
        }
    }
}

fn template<'t>(
    templates: &'t mut Templates,
    plan: &Plan,
    flow: &Flow,
    context: &FlowContext,
) -> &'t FlowTemplate {
    let key = (context.base_rtt, context.rate, flow.load_balance, flow.transport);
    templates.entry(key).or_insert_with(|| {
        let transport = &plan.transport;
        let parts = SenderPlan {
            load_balance: transport.load_balance_of(flow.load_balance),
            congestion: transport.congestion_of(flow.transport),
            recovery: transport.recovery_of(flow.transport),
        };
        FlowTemplate::new(&parts, context)
    })
}
