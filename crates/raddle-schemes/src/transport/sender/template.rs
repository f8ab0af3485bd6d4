//! What the flows of a run begin with.

use super::{Sender, SenderPlan, packets};
use crate::FlowContext;
use crate::congestion::{self, PullPlan};
use crate::load_balance::host;
use crate::recovery::{self, AckEntropies, Coding};
use crate::rng::Rng;
use crate::transport::arrivals::KEPT;
use crate::transport::{Arrivals, Ledger, Receiver};
use crate::units::{Bytes, Span};

/// The parts of both ends of flows across equally long paths, built once for all of them.
pub struct FlowTemplate {
    paths: host::Template,
    congestion: congestion::Template,
    recovery: recovery::Template,
    rto: Span,
}

impl FlowTemplate {
    /// The parts for flows of this context, but for its source and destination.
    pub fn new(plan: &SenderPlan<'_>, context: &FlowContext) -> Self {
        let recovery = recovery::Template::new(plan.recovery, context);
        let rto = recovery.first().rto();
        let context = &FlowContext { rto, ..*context };
        Self {
            paths: host::Template::new(plan.load_balance, context),
            congestion: congestion::Template::new(plan.congestion, context),
            recovery,
            rto,
        }
    }

    /// The sender of a message of `bytes` application bytes. `rng` is the flow's own stream.
    pub fn sender(&self, context: &FlowContext, bytes: Bytes, rng: Rng) -> Sender {
        let total = packets(bytes, context.payload);
        let recovery = self.recovery.make(context);
        let context = &FlowContext { rto: self.rto, ..*context };
        let last = bytes.0 - u64::from(total - 1) * context.payload.0 + context.header.0;
        let congestion = self.congestion.make(context);
        let mut paths = self.paths.make(context);
        paths.begin(context);
        let mut ledger = match recovery.coding() {
            Coding::None => Ledger::new(total, context.packet(), Bytes(last)),
            Coding::AnyOf => Ledger::coded(total, context.packet()),
        };
        ledger.gap = context.gap.0 as u16;
        let carries = recovery.ack_entropies() == AckEntropies::Carry;
        Sender {
            ledger,
            arrivals: Arrivals::keeping(if carries { KEPT } else { 0 }),
            window: congestion.limits().window,
            rng,
            pacer: None,
            congestion,
            paths,
            recovery,
        }
    }

    /// How receivers pace the senders, if they do.
    pub fn pulls(&self) -> Option<PullPlan> {
        self.congestion.first().pulls()
    }

    /// The receiver of a message of `total` packets.
    pub fn receiver(&self, context: &FlowContext, total: u32) -> Receiver {
        Receiver::of(total, self.recovery.make(context))
    }
}
