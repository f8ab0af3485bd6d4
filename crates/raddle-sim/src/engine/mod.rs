//! The fast engine: time in windows, one node after the other within each.
//!
//! A window is no longer than the shortest way into a switch, so what a node sends in a window
//! arrives in a later one, and nodes can be run one by one. Hosts only send to switches and run
//! after them, so the way from a switch to a host may be shorter. In each window a node gathers
//! what arrives from the rings of its in-links, sorts it by (time, in-port), and runs it to
//! completion. Outcomes do not depend on the width of the windows.

mod calendar;
mod fast;
mod forward;
mod host;
mod line;
mod part;
mod port;
mod ring;
mod sort;
mod switch;

use crate::net::hosts::Hosts;
use crate::net::stop::{Ending, StopRules};
use crate::plan::Plan;
use crate::record::{Observer, Outcome, PortRecord, Progress};
use crate::topology::{Fabric, Node};
use part::{Members, Part};
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Span, Time};

pub use ring::HORIZON;

/// Windows are not made longer than this, so that what arrives at a port in one can be numbered.
const LONGEST_WINDOW: Span = Span::us(4);
/// Shortest legal window: below this the engine would be slower than an event queue.
pub const SHORTEST_WINDOW: Span = Span::ns(10);

/// The width of windows in a fabric: the shortest latency into a switch.
pub fn window(fabric: &Fabric) -> Span {
    let ports = (0..fabric.ports.len() as u32).map(PortId);
    let into_switches = ports.filter(|&p| matches!(fabric.destination(p), Node::Switch(_)));
    into_switches
        .map(|port| fabric.latency(port))
        .min()
        .unwrap_or(LONGEST_WINDOW)
        .min(LONGEST_WINDOW)
}

/// Runs a plan to its end.
pub fn run(plan: &Plan, observer: &mut dyn Observer) -> Outcome {
    run_with_window(plan, window(&plan.fabric), observer)
}

/// Runs a plan with windows of at most `width`. The outcome is the same for every width.
pub fn run_with_window(plan: &Plan, width: Span, observer: &mut dyn Observer) -> Outcome {
    let mut engine = Engine::new(plan, width.min(window(&plan.fabric)));
    let (ending, end) = engine.run(observer);
    engine.finish(ending, end)
}

/// How often the observer hears, in events.
const EVENTS_PER_REPORT: u64 = 1 << 18;

struct Engine<'a> {
    plan: &'a Plan,
    part: Part<'a>,
}

impl<'a> Engine<'a> {
    fn new(plan: &'a Plan, width: Span) -> Self {
        Self { plan, part: Part::new(plan, width, &Members::all(plan)) }
    }

    fn run(&mut self, observer: &mut dyn Observer) -> (Ending, Time) {
        let part = &mut self.part;
        let rules = StopRules::new(self.plan);
        let mut check = rules.next_check(Time::ZERO);
        let mut next_report = EVENTS_PER_REPORT;
        while let Some(mut start) = part.world.calendar.next_window() {
            let end = part.world.calendar.end_of(start);
            // A window that holds an instant of the stop rules is run in two parts.
            while start < end {
                while check <= start {
                    if let Some(ending) = rules.check(check, part.world.hosts.totals()) {
                        return ending;
                    }
                    check = rules.next_check(check);
                }
                let until = end.min(check);
                part.run_window(start, until);
                if until < end {
                    part.wake_everyone(until);
                }
                start = until;
            }
            if part.events >= next_report {
                next_report = part.events + EVENTS_PER_REPORT;
                let totals = part.world.hosts.totals();
                let progress = Progress {
                    now: end,
                    packet_hops: part.packet_hops(),
                    flows_done: totals.flows_done,
                    packets_acked: totals.packets_acked,
                };
                if !observer.progress(&progress) {
                    return (Ending::Interrupted, end);
                }
            }
        }
        rules.exhausted(part.world.hosts.totals())
    }

    fn finish(self, ending: Ending, end: Time) -> Outcome {
        let part = self.part;
        let in_flight_data = part.in_flight_data();
        let of_switches = part.port_records();
        let (flows, nics, timeline) = Hosts::finish(vec![part.world.hosts]);
        let mut ports: Vec<PortRecord> = nics.into_iter().chain(of_switches).collect();
        for (port, losses) in part.lost_on_arrival {
            ports[port.index()].add_losses(&losses);
        }
        let (series, timeline) = part.world.recorder.finish(timeline);
        let stop = ending.with(&flows);
        Outcome {
            packet_hops: ports.iter().map(|port| port.frames).sum(),
            flows,
            ports,
            series,
            timeline,
            stop,
            end,
            in_flight_data,
            events: part.events,
        }
    }
}
