//! What all parts of a run do next. Every part keeps its own copy and feeds it the same numbers, so
//! all of them come to the same answer without asking anyone.

use super::windows::Grid;
use crate::host::stop::{Ending, StopRules};
use crate::host::totals::HostTotals;
use crate::plan::Plan;
use raddle_schemes::units::Time;

/// How far a part has come, or all of them together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::engine) struct Status {
    /// The next window in which there is something to do.
    pub(in crate::engine) next_window: Option<u64>,
    pub(in crate::engine) totals: HostTotals,
    pub(in crate::engine) events: u64,
    /// Counted where a report is due only.
    pub(in crate::engine) packet_hops: u64,
    /// The caller asked to stop.
    pub(in crate::engine) interrupted: bool,
}

impl Status {
    pub(in crate::engine) fn add(&mut self, other: &Self) {
        self.next_window = match (self.next_window, other.next_window) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.totals.add(&other.totals);
        self.events += other.events;
        self.packet_hops += other.packet_hops;
        self.interrupted |= other.interrupted;
    }
}

/// From an instant until before another; nothing, if that is not later.
pub(in crate::engine) type Range = std::ops::Range<Time>;

const NOTHING: Range = Time::ZERO..Time::ZERO;

/// What nodes run of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct NodeRanges {
    pub(in crate::engine) window: u64,
    /// Switches on the edge side.
    pub(in crate::engine) edge: Range,
    /// Hosts, after these switches.
    pub(in crate::engine) hosts: Range,
    /// The other switches, after both.
    pub(in crate::engine) far: Range,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Step {
    Run(NodeRanges),
    /// Everyone has run up to this instant: windows begin anew there.
    Begin(Time),
    /// Tell each other once more.
    Exchange,
    Stop(Ending, Time),
}

/// The steps of a run: every part holds one, and all come to the same.
pub(in crate::engine) struct Agenda {
    rules: StopRules,
    width: u64,
    lag: u64,
    /// Windows have two halves, then: parts tell each other in between what was sent.
    has_far_switches: bool,
    /// Window 0 begins here.
    origin: Time,
    /// The next instant at which the stop rules are looked at.
    check: Time,
    /// The window run last.
    window: u64,
    /// How far switches on the edge side have come, and hosts.
    reached: [Time; 2],
    /// The other half of the window.
    rest: Option<NodeRanges>,
    /// Whether that window went no further than the check.
    cut: bool,
}

impl Agenda {
    pub(in crate::engine) fn new(plan: &Plan, grid: &Grid) -> Self {
        let rules = StopRules::new(plan);
        Self {
            check: rules.next_check(Time::ZERO),
            rules,
            width: grid.width.0,
            lag: grid.lag.0,
            has_far_switches: grid.has_far_switches(),
            origin: Time::ZERO,
            window: 0,
            reached: [Time::ZERO; 2],
            rest: None,
            cut: false,
        }
    }

    /// How far hosts have come.
    pub(in crate::engine) fn now(&self) -> Time {
        self.reached[1]
    }

    /// The next step, from what all parts together have come to.
    pub(in crate::engine) fn next(&mut self, status: &Status) -> Step {
        if status.interrupted {
            return Step::Stop(Ending::Interrupted, self.now());
        }
        if let Some(rest) = self.rest.take() {
            return Step::Run(rest);
        }
        if self.cut {
            return self.meet(status);
        }
        let Some(window) = status.next_window else {
            let (ending, end) = self.rules.exhausted(&status.totals);
            return Step::Stop(ending, end);
        };
        let start = self.origin.0 + window * self.width;
        let edge_start = Time(start.saturating_sub(self.lag)).max(self.origin);
        while self.check <= edge_start {
            if let Some(stop) = self.look(status) {
                return stop;
            }
        }
        let end = Time(start + self.width);
        let edge = edge_start..Time(end.0 - self.lag).min(self.check);
        let hosts = Time(start)..end.min(self.check);
        self.window = window;
        self.cut = self.check < end;
        self.reached = [edge.end, hosts.end.max(self.reached[1])];
        let rest = NodeRanges { window, edge: NOTHING, hosts: NOTHING, far: hosts.clone() };
        self.rest = self.has_far_switches.then_some(rest);
        Step::Run(NodeRanges { window, edge, hosts, far: NOTHING })
    }

    /// After a window in which the check lies: all nodes come to it, and unless the run stops there
    /// windows begin anew.
    fn meet(&mut self, status: &Status) -> Step {
        let edge = self.reached[0]..self.check;
        if !edge.is_empty() {
            self.reached[0] = self.check;
            let window = self.window + 1;
            return Step::Run(NodeRanges { window, edge, hosts: NOTHING, far: NOTHING });
        }
        self.cut = false;
        self.origin = self.check;
        self.look(status).unwrap_or(Step::Begin(self.origin))
    }

    /// Looks at the stop rules, at the instant of the check; then the next one is due.
    fn look(&mut self, status: &Status) -> Option<Step> {
        let stop = self.rules.check(self.check, &status.totals);
        self.check = self.rules.next_check(self.check);
        stop.map(|(ending, end)| Step::Stop(ending, end))
    }
}
