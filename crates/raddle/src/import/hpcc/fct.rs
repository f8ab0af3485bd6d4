//! `fct.txt`: a line for each flow that completed, in the order in which they did.
//!
//! ```text
//! line = SIP DIP SPORT DPORT BYTES START_NS FCT_NS STANDALONE_FCT_NS
//! ```
//!
//! Node `i` has the address `0x0b000001 + (i / 256 << 16) + (i % 256 << 8)`, in hexadecimal. Ports of
//! a sender count from 10000, in the order of its flows; the receiver's is 100, as in HPCC's example.
//! `START_NS` is from the run's time zero. The last column is [`ideals`], rounded up as all times: what
//! analysis scripts divide by is then a lower bound. HPCC's own is the round trip and the whole message
//! at the rate of the slowest link.

use super::Nodes;
use raddle_schemes::units::{Span, Time};
use raddle_sim::bound::ideals;
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use std::fmt::Write;

/// The text of the file.
pub fn text(plan: &Plan, outcome: &Outcome) -> String {
    let numbers = Nodes::of(&plan.fabric).numbers();
    let ideals = ideals(plan);
    let mut ports = vec![10_000u32; numbers.len()];
    let mut lines: Vec<(Time, String)> = Vec::new();
    for (index, flow) in plan.traffic.flows.iter().enumerate() {
        let port = &mut ports[flow.source.index()];
        let source_port = *port;
        *port += 1;
        let record = outcome.flows.at(index);
        let (Some(started), Some(acked)) = (record.started, record.acked) else { continue };
        let ends = [flow.source, flow.destination].map(|host| address(numbers[host.index()]));
        let ns = |span: Span| span.0.div_ceil(1000);
        let mut line = String::new();
        let _ = writeln!(
            line,
            "{:08x} {:08x} {source_port} 100 {} {} {} {}",
            ends[0],
            ends[1],
            flow.bytes.0,
            ns(started.since(Time::ZERO)),
            ns(acked.since(started)),
            ns(ideals[index].unwrap_or_default()),
        );
        lines.push((acked, line));
    }
    // Flows that end together stand in the order of the traffic.
    lines.sort_by_key(|(acked, _)| *acked);
    lines.into_iter().map(|(_, line)| line).collect()
}

fn address(node: u32) -> u32 {
    0x0b00_0001_u32.wrapping_add((node / 256) << 16).wrapping_add((node % 256) << 8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::fixture;

    #[test]
    fn addresses_hold_the_node_in_the_middle() {
        assert_eq!(
            [0, 1, 255, 256].map(address),
            [0x0b00_0001, 0x0b00_0101, 0x0b00_ff01, 0x0b01_0001]
        );
        assert_eq!((address(300) >> 8) & 0xffff, 300);
    }

    #[test]
    fn flows_stand_in_the_order_of_their_ends() {
        let plan = fixture::plan(1);
        let mut outcome = fixture::engine(&plan, &mut ());
        outcome.flows.change(0, |flow| flow.acked = Some(Time(9_000_000)));
        outcome.flows.change(1, |flow| flow.acked = Some(Time(8_000_500)));
        let ideal = ideals(&plan)[0].unwrap().0.div_ceil(1000);
        let expected = format!(
            "0b000101 0b000201 10000 100 10000 0 8001 {ideal}\n\
             0b000001 0b000101 10000 100 10000 0 9000 {ideal}\n"
        );
        assert_eq!(text(&plan, &outcome), expected);
        outcome.flows.change(0, |flow| flow.acked = None);
        assert_eq!(text(&plan, &outcome).lines().count(), 1);
    }
}
