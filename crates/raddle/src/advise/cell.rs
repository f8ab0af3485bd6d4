//! A candidate under one work: its scenario, healthy, in a state, and while something changes.

use super::parts::{Broken, Parts, Reach};
use super::question::{Question, Shape, Work};
use crate::problem::Problem;
use crate::scenario::Scenario;
use crate::scenario::assembled::Assembler;
use crate::scenario::reader::Log;
use crate::scenario::spec::{Entry, Item, Place, Table, Value};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::Span;
use std::collections::BTreeSet;

/// When what is broken is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum When {
    /// All the time, and everybody knows.
    Always,
    /// From an instant on, in picoseconds.
    From(u64),
    /// From an instant until another.
    Between(u64, u64),
}

/// What is broken, and when: the name of a scenario of a cell.
pub(super) type State = (Vec<Broken>, When);

/// A candidate under a work.
pub(super) struct Cell {
    /// With traffic.
    table: Table,
    pub(super) healthy: Scenario,
    pub(super) parts: Parts,
    pairs: Vec<(HostId, HostId)>,
    converges: bool,
    /// Routing's convergence and a retransmission timeout, in microseconds.
    pub(super) settles_us: f64,
}

const CONVERGENCE: &str = "fabric.routing.convergence";
const LOCAL_REPAIR: &str = "fabric.routing.local_repair";
const PLANE_REPAIR: &str = "transport.plane_repair";

impl Cell {
    /// A candidate, as a scenario without traffic, under a work.
    ///
    /// # Errors
    /// Every problem of its scenario, and failures of which it has no part.
    pub(super) fn of(
        candidate: &Table,
        work: &Work,
        question: &Question,
        assembler: &mut Assembler,
    ) -> Result<Self, Vec<Problem>> {
        let mut table = candidate.clone();
        let set = table.set("traffic", &work.place, work.traffic.clone());
        set.map_err(|why| vec![work.place.problem(why)])?;
        let healthy = assembler.scenario(&table)?;
        if healthy.fabric().circuits.is_some() || healthy.fabric().packet_network().is_some() {
            let problem = Problem::new("a candidate has circuits");
            let help = "circuit-switched designs stand apart: `raddle throughput` has them";
            return Err(vec![problem.help(help)]);
        }
        let pairs = healthy.pairs(1).map_err(|problem| vec![problem])?;
        let hosts = |pairs: &[(HostId, HostId)]| -> BTreeSet<HostId> {
            pairs.iter().flat_map(|(from, to)| [*from, *to]).collect()
        };
        for seed in 2..=4 {
            let other = healthy.pairs(seed).map_err(|problem| vec![problem])?;
            if hosts(&other) != hosts(&pairs) {
                let message = format!("which hosts `{}` is for differs by seed", work.name);
                let help = "which parts stop the job would differ, too: give its traffic a `seed`, or a \
                            placement that is not random";
                return Err(vec![work.place.problem(message).help(help)]);
            }
        }
        let settle = text_at(&table, CONVERGENCE).and_then(|text| text.parse::<Span>().ok());
        let reach = Reach { fabric: healthy.fabric(), pairs: &pairs, converges: settle.is_some() };
        let parts = Parts::of(&question.failures, &reach).map_err(|problem| vec![problem])?;
        let settles = Span(settle.unwrap_or_default().0.saturating_add(healthy.timeout().0));
        Ok(Self {
            table,
            parts,
            pairs,
            converges: settle.is_some(),
            settles_us: settles.as_us(),
            healthy,
        })
    }

    /// Whether a state keeps hosts apart that have traffic with the first seed.
    pub(super) fn is_cut(&self, state: &[Broken]) -> bool {
        self.cuts(state, &self.pairs)
    }

    /// Whether it keeps hosts apart that have traffic with a seed.
    ///
    /// # Errors
    /// Traffic that this seed cannot draw.
    pub(super) fn is_cut_with(&self, state: &[Broken], seed: u64) -> Result<bool, Problem> {
        if self.parts.down_pieces(state).is_empty() {
            return Ok(false);
        }
        Ok(self.cuts(state, &self.healthy.pairs(seed)?))
    }

    fn cuts(&self, state: &[Broken], pairs: &[(HostId, HostId)]) -> bool {
        let down = self.parts.down_pieces(state);
        let fabric = self.healthy.fabric();
        let reach = Reach { fabric, pairs, converges: self.converges };
        !down.is_empty() && reach.is_cut(&down)
    }

    /// The scenario of a state.
    ///
    /// # Errors
    /// Every problem that it has, the faults among them.
    pub(super) fn scenario(
        &self,
        (state, when): &State,
        question: &Question,
        assembler: &mut Assembler,
    ) -> Result<Scenario, Vec<Problem>> {
        if state.is_empty() {
            return Ok(self.healthy.clone());
        }
        let mut table = self.table.clone();
        if *when == When::Always {
            settle(&mut table, self.converges);
        }
        let faults =
            Item { value: Value::List(self.faults(state, *when, question)), place: nowhere() };
        let set = table.set("fault", &nowhere(), faults);
        set.map_err(|why| vec![Problem::new(why)])?;
        assembler.scenario(&table)
    }

    fn faults(&self, state: &[Broken], when: When, question: &Question) -> Vec<Item> {
        let fabric = self.healthy.fabric();
        let window = match when {
            When::Always => "..".to_owned(),
            When::From(from) => format!("{from} ps.."),
            When::Between(from, until) => format!("{from} ps..{until} ps"),
        };
        let fault = |(key, name): (&str, String), more: Vec<(&str, Value)>| {
            let first = entry(key, Value::Text(name));
            let more = more.into_iter().map(|(key, value)| entry(key, value));
            let entries = std::iter::once(first).chain(more).collect();
            Item { value: Value::Table(Table { entries }), place: nowhere() }
        };
        let down = self.parts.down_pieces(state);
        let mut faults: Vec<Item> = down
            .iter()
            .map(|piece| fault(piece.target(fabric), vec![("down", Value::Text(window.clone()))]))
            .collect();
        for (piece, class) in self.parts.worse_pieces(state) {
            let Shape::Worse(key, value) = &question.failures[class].shape else { continue };
            // What is down is not slow, too.
            if !down.contains(&piece) {
                let during = ("during", Value::Text(window.clone()));
                let effect = (*key, value.value.clone());
                faults.push(fault(piece.target(fabric), vec![effect, during]));
            }
        }
        faults
    }
}

/// What breaks at the start is known at the start.
fn settle(table: &mut Table, converges: bool) {
    let zero = || Item { value: Value::Text("0 ns".to_owned()), place: nowhere() };
    let repairs = text_at(table, LOCAL_REPAIR).is_some_and(|text| text.parse::<Span>().is_ok());
    table.remove_path(LOCAL_REPAIR);
    table.remove_path(PLANE_REPAIR);
    // The paths are there: they were read.
    let path = match (converges, repairs) {
        (true, _) => CONVERGENCE,
        (false, true) => LOCAL_REPAIR,
        (false, false) => return,
    };
    let _ = table.set(path, &nowhere(), zero());
}

fn text_at<'a>(table: &'a Table, path: &str) -> Option<&'a str> {
    let mut table = table;
    let mut words = path.split('.').peekable();
    while let Some(word) = words.next() {
        let item = table.get(word)?;
        if words.peek().is_none() {
            return if let Value::Text(text) = &item.value { Some(text) } else { None };
        }
        table = item.table()?;
    }
    None
}

fn nowhere() -> Place {
    Place::default()
}

fn entry(key: &str, value: Value) -> Entry {
    let item = Item { value, place: nowhere() };
    Entry { key: key.to_owned(), key_place: nowhere(), item }
}

/// The candidate's scenario without traffic.
///
/// # Errors
/// A value that cannot be set.
pub(super) fn table_of(question: &Question, candidate: usize) -> Result<Table, Vec<Problem>> {
    let log = Log::default();
    let table = question.candidates[candidate].table(&question.base, &log);
    let problems = log.into_problems();
    if problems.is_empty() { Ok(table) } else { Err(problems) }
}
