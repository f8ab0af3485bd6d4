//! The fast engine: time in windows, one node after the other within each.
//!
//! A window is so short that what a node sends in it reaches the node itself in a later one, and
//! nodes run in such an order that everything that arrives in a node's window has been sent when it
//! runs (`schedule/windows.rs`). So nodes can be run one by one. In each window a node gathers what arrives from
//! the rings of its in-links, sorts it by (time, in-port), and runs it to completion. Outcomes do
//! not depend on the width of the windows.
//!
//! A fabric may be run in parts, each by a thread: nodes are parted so that only links between
//! switches lead from part to part, and what was sent over them is handed over between the halves of windows.

mod cache;
mod link;
mod notes;
mod part;
mod partition;
mod port;
mod schedule;
mod switch;
mod threads;
mod world;

use crate::host::layout::Layout;
use crate::plan::Plan;
use crate::record::{Observer, Outcome};
use crate::topology::{Fabric, Node};
use crate::waits::Waits;
use partition::Partition;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::Span;
use schedule::windows::{Grid, LONGEST_WINDOW};
use std::sync::Arc;
use threads::outcome;
use threads::workers::Crew;

pub use link::ring::HORIZON;
pub use schedule::windows::SHORTEST_WINDOW;
pub use threads::workers::CriticalPath;

/// The widest windows of a fabric, at most 4 us: the shortest way from side to side and back, else
/// the shortest way into a switch.
pub fn window(fabric: &Fabric) -> Span {
    Grid::new(fabric, None).width
}

/// The shortest way into a switch of a fabric: cable delay and the switch's latency.
pub fn shortest_way_into_a_switch(fabric: &Fabric) -> Span {
    let ports = (0..fabric.ports.len() as u32).map(PortId);
    let into_switches = ports.filter(|&p| matches!(fabric.destination(p), Node::Switch(_)));
    into_switches.map(|port| fabric.latency(port)).min().unwrap_or(LONGEST_WINDOW)
}

/// How a plan is run. No outcome depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Threads; at least 1. Fewer run where the fabric does not fall into as many parts
    /// ([`Outcome::parts`]).
    pub threads: u32,
    /// Windows of at most this width, but of [`SHORTEST_WINDOW`] at least; else as wide as the
    /// fabric allows ([`window`]).
    pub width: Option<Span>,
}

impl Default for Options {
    fn default() -> Self {
        Self { threads: 1, width: None }
    }
}

/// Runs a plan to its end, on one thread.
pub fn run(plan: &Plan, observer: &mut dyn Observer) -> Outcome {
    run_with(plan, &Options::default(), observer)
}

/// Runs a plan to its end. The outcome is the same for every number of threads and every width.
/// The observer is called on the caller's thread.
pub fn run_with(plan: &Plan, options: &Options, observer: &mut dyn Observer) -> Outcome {
    let mut crew = crew(plan, options);
    if crew.parts() > 1 {
        if let Some(ended) = crew.in_threads(observer) {
            return outcome::outcome(plan, ended);
        }
        // No threads to be had.
        crew.partition = Partition::new(&plan.fabric, crew.layout.groups(), 1);
    }
    outcome::outcome(plan, crew.in_turn(observer, &|| 0).0)
}

/// Runs a plan on one thread, but in as many parts as [`Options::threads`] asks for, each window
/// part by part, and measures them with `clock`. This tells how well a run scales where there are
/// not as many free cores. Parts that share a core also share its caches, so each takes a bit
/// longer than on a core of its own.
pub fn measure(plan: &Plan, options: &Options, clock: &dyn Fn() -> u64) -> (Outcome, CriticalPath) {
    let (ended, cost) = crew(plan, options).in_turn(&mut (), clock);
    (outcome::outcome(plan, ended), cost)
}

fn crew<'a>(plan: &'a Plan, options: &Options) -> Crew<'a> {
    let layout = Arc::new(Layout::new(plan));
    let partition = Partition::new(&plan.fabric, layout.groups(), options.threads as usize);
    let grid = Grid::new(&plan.fabric, options.width);
    Crew { plan, grid, layout, waits: Waits::of(plan), partition }
}
