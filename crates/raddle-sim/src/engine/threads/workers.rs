//! The parts of a run at work: side by side in threads, or in turn on one.
//!
//! A round is the same in both: post what the part has come to and what it sends, meet the others,
//! collect what they sent, run the next window, or half of it where switches are on two sides
//! ([`Grid`]). Only links between switches lead from part to part, so what is sent in a round
//! arrives in a later one, and entries of arrivals logs reach a sender a round before it gets the
//! ACKs that refer to them.

use super::barrier::{Barrier, BreakOnPanic};
use super::exchange::Exchange;
use crate::engine::link::FarEnd;
use crate::engine::link::ring::Entry;
use crate::engine::part::Part;
use crate::engine::partition::Partition;
use crate::engine::schedule::steps::Status;
use crate::engine::schedule::steps::{Agenda, Step};
use crate::engine::schedule::windows::Grid;
use crate::host::layout::Layout;
use crate::host::stop::Ending;
use crate::plan::Plan;
use crate::record::{Observer, Progress};
use crate::topology::Node;
use crate::waits::Waits;
use raddle_schemes::units::Time;
use std::sync::Arc;

/// What a run is made of.
pub(in crate::engine) struct Crew<'a> {
    pub(in crate::engine) plan: &'a Plan,
    pub(in crate::engine) grid: Grid,
    pub(in crate::engine) layout: Arc<Layout>,
    /// Found once: of slices it takes as long as all else of a part.
    pub(in crate::engine) waits: Waits<'a>,
    pub(in crate::engine) partition: Partition,
}

/// The parts at the end of a run, why it ended, and when.
pub(in crate::engine) type Ended<'a> = (Vec<Part<'a>>, Ending, Time);

/// What a run costs in parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CriticalPath {
    /// Parts.
    pub parts: u32,
    /// Windows in which anyone had something to do, or halves of them.
    pub windows: u64,
    /// The time of all parts in all windows, in units of the clock.
    pub total: u64,
    /// The time of the slowest part of each window: what as many threads need on as many free
    /// cores, but for the barrier.
    pub longest: u64,
}

impl<'a> Crew<'a> {
    pub(in crate::engine) fn parts(&self) -> usize {
        self.partition.members.len()
    }

    /// Runs all parts in turn.
    pub(in crate::engine) fn in_turn(
        &self,
        observer: &mut dyn Observer,
        clock: &dyn Fn() -> u64,
    ) -> (Ended<'a>, CriticalPath) {
        let exchange = Exchange::new(self.parts());
        let mut workers: Vec<Worker<'a, '_>> =
            (0..self.parts()).map(|number| Worker::new(self, &exchange, number)).collect();
        let mut agenda = Agenda::new(self.plan, &self.grid);
        let mut reports = Reports::new(observer);
        let mut cost = CriticalPath { parts: self.parts() as u32, ..CriticalPath::default() };
        workers.iter_mut().for_each(|worker| worker.post(false));
        let mut round = 0;
        loop {
            let status = exchange.status(round);
            let heard = reports.hear(&status, agenda.now());
            let step = if heard { Step::Exchange } else { agenda.next(&status) };
            let mut longest = 0;
            for (number, worker) in workers.iter_mut().enumerate() {
                let start = clock();
                worker.collect();
                worker.interrupted = number == 0 && reports.interrupted;
                worker.carry_out(&step);
                if !matches!(step, Step::Stop(..)) {
                    worker.post(reports.due);
                }
                let time = clock().saturating_sub(start);
                cost.total += time;
                longest = longest.max(time);
            }
            cost.longest += longest;
            match step {
                Step::Run(_) => cost.windows += 1,
                Step::Begin(_) | Step::Exchange => {}
                Step::Stop(ending, end) => {
                    let parts = workers.into_iter().map(|worker| worker.part).collect();
                    return ((parts, ending, end), cost);
                }
            }
            round += 1;
        }
    }

    /// Runs each part in a thread of its own, the first in the caller's. `None` if there are no
    /// threads to be had.
    ///
    /// # Panics
    /// If a part does.
    pub(in crate::engine) fn in_threads(&self, observer: &mut dyn Observer) -> Option<Ended<'a>> {
        let exchange = &Exchange::new(self.parts());
        let barrier = &Barrier::new(self.parts());
        std::thread::scope(|scope| {
            let mut threads = Vec::with_capacity(self.parts());
            for number in 1..self.parts() {
                let work = move || {
                    let _guard = BreakOnPanic(barrier);
                    self.work(number, exchange, barrier, &mut ())
                };
                let thread = std::thread::Builder::new().name(format!("part {number}"));
                match thread.spawn_scoped(scope, work) {
                    Ok(thread) => threads.push(thread),
                    Err(_) => {
                        barrier.break_up();
                        return None;
                    }
                }
            }
            let _guard = BreakOnPanic(barrier);
            let first = self.work(0, exchange, barrier, observer);
            let mut rest = Vec::with_capacity(threads.len());
            for thread in threads {
                match thread.join() {
                    Ok(ended) => rest.push(ended),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            let (part, ending, end) = first?;
            let rest = rest.into_iter().map(|ended| ended.map(|(part, ..)| part));
            let parts = std::iter::once(Some(part)).chain(rest).collect::<Option<_>>()?;
            Some((parts, ending, end))
        })
    }

    /// The work of one thread; `None` if another broke the barrier.
    fn work(
        &self,
        number: usize,
        exchange: &Exchange,
        barrier: &Barrier,
        observer: &mut dyn Observer,
    ) -> Option<(Part<'a>, Ending, Time)> {
        let mut worker = Worker::new(self, exchange, number);
        let mut agenda = Agenda::new(self.plan, &self.grid);
        let mut reports = Reports::new(observer);
        worker.post(false);
        loop {
            if !barrier.wait(number) {
                return None;
            }
            let status = exchange.status(worker.round);
            let heard = reports.hear(&status, agenda.now());
            worker.collect();
            worker.interrupted = reports.interrupted;
            let step = if heard { Step::Exchange } else { agenda.next(&status) };
            if let Step::Stop(ending, end) = step {
                return Some((worker.part, ending, end));
            }
            worker.carry_out(&step);
            worker.post(reports.due);
        }
    }
}

/// A part at work.
struct Worker<'a, 'c> {
    crew: &'c Crew<'a>,
    exchange: &'c Exchange,
    number: usize,
    part: Part<'a>,
    /// The round of its next post, or of the last until what was posted in it is collected.
    round: u64,
    /// The caller asked this part, the first, to stop.
    interrupted: bool,
}

impl<'a, 'c> Worker<'a, 'c> {
    fn new(crew: &'c Crew<'a>, exchange: &'c Exchange, number: usize) -> Self {
        let of_run = (crew.plan, &crew.waits);
        let part = Part::new(of_run, &crew.grid, &crew.layout, &crew.partition, number as u32);
        Self { crew, exchange, number, part, round: 0, interrupted: false }
    }

    fn carry_out(&mut self, step: &Step) {
        match step {
            Step::Run(ranges) => self.part.run_window(ranges),
            Step::Begin(origin) => self.part.begin(*origin),
            Step::Exchange | Step::Stop(..) => {}
        }
    }

    fn post(&mut self, report_is_due: bool) {
        let Part { world, .. } = &mut self.part;
        let locators = world.hosts.locators();
        for (to, entry) in world.hosts.outgoing().drain(..) {
            let sender = Node::Host(locators.host(to));
            let part = self.crew.partition.part_of(sender);
            world.outbox.log_entries[part as usize].push((to, entry));
        }
        for (to, note) in world.hosts.outgoing_hops() {
            let part = self.crew.partition.part_of(Node::Host(locators.host(to)));
            world.outbox.log_hops[part as usize].push((to, note));
        }
        let crossings = std::mem::take(world.hosts.crossings());
        for crossing in crossings {
            let part = self.crew.partition.part_of(Node::Host(crossing.host));
            if part as usize == self.number {
                self.part.take_crossing(&crossing);
            } else {
                self.part.world.outbox.crossings[part as usize].push(crossing);
            }
        }
        let Part { world, .. } = &mut self.part;
        let crossed = world.outbox.crossings.iter().flatten().map(|crossing| crossing.at).min();
        let crossed = crossed.map(|at| world.calendar.window_at_hosts(at));
        // Read after the second half only, when what was sent goes to the edge side.
        let sent = world.outbox.frames.iter().flatten().map(|handover| handover.arrival).min();
        let sent = sent.map(|arrival| world.calendar.window_at_edge(arrival));
        let own = world.calendar.next_window();
        let status = Status {
            next_window: own.into_iter().chain(sent).chain(crossed).min(),
            totals: *world.hosts.totals(),
            events: self.part.events,
            packet_hops: if report_is_due { self.part.packet_hops() } else { 0 },
            interrupted: self.interrupted,
        };
        self.exchange.post(self.round, self.number, &status, &mut self.part.world.outbox);
    }

    fn collect(&mut self) {
        let Part { lines, far_ends, world, .. } = &mut self.part;
        let mut crossings = Vec::new();
        self.exchange.collect(self.round, self.number, |mail| {
            for handover in mail.frames.drain(..) {
                let line = handover.line as usize;
                if let FarEnd::Here(wake) = far_ends[line] {
                    let entry = Entry::new(handover.arrival, handover.frame);
                    lines[line].accept(entry, handover.arrival, wake, &mut world.calendar);
                }
            }
            for (to, entry) in mail.log_entries.drain(..) {
                world.hosts.take_log_entry(to, entry);
            }
            if let Some(notes) = &mut world.notes {
                mail.notes.drain(..).for_each(|(port, note)| notes.accept(port, note));
            }
            for (to, note) in mail.log_hops.drain(..) {
                world.hosts.take_log_hops(to, note);
            }
            crossings.append(&mut mail.crossings);
        });
        crossings.iter().for_each(|crossing| self.part.take_crossing(crossing));
        self.round += 1;
    }
}

/// How often the observer hears, in events.
const EVENTS_PER_REPORT: u64 = 1 << 18;

/// What the caller hears of a run. All parts know when a report is due; only the first part's goes
/// to the caller.
struct Reports<'o> {
    observer: &'o mut dyn Observer,
    next: u64,
    /// The parts are to count their packet-hops.
    due: bool,
    interrupted: bool,
}

impl<'o> Reports<'o> {
    fn new(observer: &'o mut dyn Observer) -> Self {
        Self { observer, next: EVENTS_PER_REPORT, due: false, interrupted: false }
    }

    /// Returns whether the caller was told: what it said has to go round before anything else.
    fn hear(&mut self, status: &Status, now: Time) -> bool {
        if !self.due {
            self.due = status.events >= self.next;
            return false;
        }
        self.due = false;
        self.next = status.events + EVENTS_PER_REPORT;
        self.interrupted |= !self.observer.progress(&Progress {
            now,
            packet_hops: status.packet_hops,
            flows_done: status.totals.flows_done,
            packets_acked: status.totals.packets_acked,
        });
        true
    }
}
