//! What a run's messages say of the classes that their unscheduled packets have.

use crate::plan::Plan;
use raddle_schemes::FlowContext;
use raddle_schemes::congestion::homa::cutoffs;
use raddle_schemes::family::Raw;
use raddle_schemes::units::{Bytes, Rate, Span};
use std::collections::BTreeMap;

/// The parameter that lists them.
const CUTOFFS: &str = "cutoffs";

impl Plan {
    /// Puts the cutoffs that the messages of the plan give in place of those of congestion controls that
    /// leave them open, from the messages of the flows under them: each class of unscheduled packets has
    /// as many unscheduled bytes.
    pub fn resolve_cutoffs(&mut self) {
        let others = 0..=self.transport.other_transports.len() as u8;
        let is_open = |number: &u8| {
            let values = self.transport.congestion_of(*number).values();
            values.iter().any(|(name, value)| *name == CUTOFFS && value == "\"auto\"")
        };
        let open: Vec<u8> = others.filter(is_open).collect();
        if open.is_empty() {
            return;
        }
        let mut windows: BTreeMap<(u8, Span, Rate), Bytes> = BTreeMap::new();
        let mut levels = 1;
        let mut messages = Vec::with_capacity(self.traffic.flows.len());
        for flow in self.traffic.flows.iter().filter(|flow| open.contains(&flow.transport)) {
            let (fabric, ack) = (&self.fabric, self.transport.ack);
            let base_rtt = fabric.base_rtt(flow.source, flow.destination, self.packet(), ack);
            let rate = self.flow_rate(flow.source, flow.destination);
            let key = (flow.transport, base_rtt, rate);
            let window = *windows.entry(key).or_insert_with(|| {
                let context = FlowContext {
                    payload: self.transport.payload,
                    header: self.transport.header,
                    base_rtt,
                    rate,
                    bdp: rate.bytes_in(base_rtt),
                    classes: self.queue.classes,
                    ..FlowContext::NOMINAL
                };
                let grants = self.transport.congestion_of(flow.transport).build(&context).grants();
                let Some(grants) = grants else { return Bytes(0) };
                levels = self.queue.classes.saturating_sub(grants.classes);
                Bytes(u64::from(grants.window) * context.payload.0)
            });
            messages.push((flow.bytes, flow.bytes.min(window)));
        }
        let texts: Vec<String> =
            cutoffs(levels, messages).iter().map(|size| format!("{} B", size.0)).collect();
        let sizes: Vec<Raw<'_>> = texts.iter().map(|text| Raw::Text(text)).collect();
        for number in open {
            let transport = &mut self.transport;
            let congestion = match usize::from(number).checked_sub(1) {
                None => &mut transport.congestion,
                Some(other) => &mut transport.other_transports[other].congestion,
            };
            // A list that was made in order is one that is accepted.
            let set = congestion.set(CUTOFFS, Raw::List(&sizes));
            debug_assert!(set.is_ok(), "{set:?}");
        }
    }
}
