//! What a run's messages say of the classes that their unscheduled packets have.

use crate::plan::Plan;
use crate::workload::Flow;
use raddle_schemes::FlowContext;
use raddle_schemes::congestion::homa::{cutoffs, unscheduled_classes};
use raddle_schemes::congestion::{Config, GrantPlan};
use raddle_schemes::family::Raw;
use raddle_schemes::units::{Bytes, Rate, Span};
use std::collections::BTreeMap;

/// The parameters that say how many classes they are, and which messages each has.
const CLASSES: &str = "unscheduled_classes";
const CUTOFFS: &str = "cutoffs";

impl Plan {
    /// Puts the classes and the cutoffs that the messages of the plan give in place of those of
    /// congestion controls that leave them open, from the messages of the flows under them: unscheduled
    /// packets have as great a share of the classes as of the bytes, and each of their classes has as
    /// many unscheduled bytes.
    pub fn resolve_unscheduled(&mut self) {
        let others = 0..=self.transport.other_transports.len() as u8;
        let open: Vec<u8> =
            others.filter(|number| self.leaves(*number, &[CLASSES, CUTOFFS])).collect();
        if open.is_empty() {
            return;
        }
        let messages = self.messages(&open);
        let sum = |of: fn(&(Bytes, Bytes)) -> Bytes| {
            messages.iter().map(|message| u128::from(of(message).0)).sum()
        };
        let (bytes, unscheduled) = (sum(|(bytes, _)| *bytes), sum(|(_, unscheduled)| *unscheduled));
        let classes = i64::from(unscheduled_classes(self.queue.classes, unscheduled, bytes));
        for number in open {
            // Cutoffs that are given say themselves how many classes they divide.
            if !self.leaves(number, &[CUTOFFS]) {
                continue;
            }
            if self.leaves(number, &[CLASSES]) {
                self.set(number, CLASSES, Raw::Integer(classes));
            }
            let context = FlowContext { classes: self.queue.classes, ..FlowContext::NOMINAL };
            let grants = self.grants(number, &context);
            let levels = grants.map_or(1, |plan| self.queue.classes.saturating_sub(plan.classes));
            let texts: Vec<String> = cutoffs(levels, messages.clone())
                .iter()
                .map(|size| format!("{} B", size.0))
                .collect();
            let sizes: Vec<Raw<'_>> = texts.iter().map(|text| Raw::Text(text)).collect();
            self.set(number, CUTOFFS, Raw::List(&sizes));
        }
    }

    /// Whether the congestion control of this number leaves one of these parameters open.
    fn leaves(&self, number: u8, parameters: &[&str]) -> bool {
        let values = self.transport.congestion_of(number).values();
        values.iter().any(|(name, value)| parameters.contains(name) && value == "\"auto\"")
    }

    fn grants(&self, number: u8, context: &FlowContext) -> Option<GrantPlan> {
        self.transport.congestion_of(number).build(context).grants()
    }

    /// The messages under these congestion controls, and how much of each goes unscheduled.
    fn messages(&self, numbers: &[u8]) -> Vec<(Bytes, Bytes)> {
        let mut windows: BTreeMap<(u8, Span, Rate), Bytes> = BTreeMap::new();
        let flows = self.traffic.flows.iter().filter(|flow| numbers.contains(&flow.transport));
        let message = |flow: &Flow| {
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
                let grants = self.grants(flow.transport, &context);
                grants.map_or(Bytes(0), |own| Bytes(u64::from(own.window) * context.payload.0))
            });
            (flow.bytes, flow.bytes.min(window))
        };
        flows.map(message).collect()
    }

    /// Sets a parameter to a value that is in its range.
    fn set(&mut self, number: u8, parameter: &str, value: Raw<'_>) {
        let transport = &mut self.transport;
        let congestion: &mut Config = match usize::from(number).checked_sub(1) {
            None => &mut transport.congestion,
            Some(other) => &mut transport.other_transports[other].congestion,
        };
        let set = congestion.set(parameter, value);
        debug_assert!(set.is_ok(), "{set:?}");
    }
}
