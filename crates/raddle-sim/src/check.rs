//! Laws that every outcome obeys, whatever the plan: conservation, order in time, bounds, sums.
//!
//! A violation is a bug in an engine, never in a plan. What can be derived from an outcome is
//! checked exactly; where frames may still be under way, as an inequality.

mod bounds;
mod circuits;
mod credits;
mod flows;
mod nodes;
mod ports;
mod retries;
mod scale_up;
mod sums;

use crate::plan::Plan;
use crate::record::Outcome;

/// Every law that `outcome`, which an engine made of `plan`, breaks, each as a sentence that says
/// where and by how much; empty if all hold.
pub fn violations(plan: &Plan, outcome: &Outcome) -> Vec<String> {
    let mut found = Findings::default();
    if let Some((run, of_pieces)) = outcome.of_pieces(plan) {
        found.0 = violations(&run, &of_pieces);
        if of_pieces.of_messages(run).1.flows != outcome.flows {
            found.note("messages are not what their pieces come to".to_owned());
        }
        return found.0;
    }
    if outcome.flows.len() != plan.traffic.flows.len()
        || outcome.ports.len() != plan.fabric.ports.len()
        || outcome.series.len() != plan.record.ports.len()
    {
        found.note("flows, ports or series of the outcome do not match the plan's".to_owned());
        return found.0;
    }
    flows::check(plan, outcome, &mut found);
    ports::check(plan, outcome, &mut found);
    retries::check(plan, outcome, &mut found);
    credits::check(plan, outcome, &mut found);
    nodes::check(plan, outcome, &mut found);
    scale_up::check(plan, outcome, &mut found);
    sums::check(plan, outcome, &mut found);
    bounds::check(plan, outcome, &mut found);
    circuits::check(plan, outcome, &mut found);
    found.0
}

/// The violations found so far.
#[derive(Default)]
struct Findings(Vec<String>);

impl Findings {
    fn note(&mut self, sentence: String) {
        self.0.push(sentence);
    }

    /// Notes that two numbers that must be equal are not.
    fn equal(&mut self, place: impl std::fmt::Display, left: (&str, u64), right: (&str, u64)) {
        if left.1 != right.1 {
            self.note(format!("{place}: {} is {}, {} is {}", left.0, left.1, right.0, right.1));
        }
    }

    /// Notes that a number is above another that it must not exceed.
    fn at_most(&mut self, place: impl std::fmt::Display, low: (&str, u64), high: (&str, u64)) {
        if low.1 > high.1 {
            self.note(format!("{place}: {} is {}, over {}, {}", low.0, low.1, high.0, high.1));
        }
    }
}
