//! Designs of circuit-switched fabrics: each makes a schedule, from a demand or without one.
//!
//! A design is a struct of parameters in a file of its own; [`DESIGNS`] lists all of them.

pub mod bvn;
pub mod eclipse;
pub mod expander;
pub mod fat_tree;
pub mod mars;
pub mod opera;
mod parse;
pub mod rotornet;
pub mod round_robin;
pub mod sirius;
pub mod vermilion;
pub mod vermilion_predictions;

pub use parse::{ParseError, parse};

use crate::demand::Demand;
use raddle_circuits::matching::Matching;
use raddle_circuits::schedule::{Schedule, ScheduleError};
use raddle_schemes::family::{ParameterError, ParameterInfo, Parameters, Raw};
use raddle_schemes::units::{Rate, Span};
use std::fmt;

raddle_schemes::parameters! {
    /// What all designs have: the links of a node and the pace of its switches.
    pub struct Fabric {
        /// Links of a node up to, and down from, the circuit switches: one of each to every switch.
        pub uplinks: u32 = 4, in 1..=256;
        /// Rate of a link.
        pub rate: Rate = Rate::gbps(25);
        /// Length of a slot, dark time included.
        pub slot: Span = Span::us(5), in Span(1)..;
        /// Dark time: how long a switch carries nothing while it reconfigures.
        pub dark: Span = Span::ns(500);
    }
}

impl Fabric {
    /// Matchings dealt to the switches in turn.
    fn deal(&self, matchings: &[Matching]) -> Result<Schedule, DesignError> {
        let switches = self.uplinks as usize;
        Ok(Schedule::dealt(matchings, switches, self.slot, self.dark)?)
    }

    /// Links that a full number of slots leaves idle, as a note.
    fn idle_note(&self, matchings: usize) -> Option<String> {
        let idle = matchings.next_multiple_of(self.uplinks as usize) - matchings;
        (idle > 0).then(|| {
            let uplinks = self.uplinks;
            format!("{matchings} matchings fill no whole slots of {uplinks}: {idle} are left idle")
        })
    }
}

/// What a design says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Card {
    /// The design's word: file, command line, claims.
    pub name: &'static str,
    /// Its name in words.
    pub title: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// One or two sentences: what it does and which demand it is for.
    pub summary: &'static str,
}

/// What a design gives.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Schedules with their chances: one, or several of which one is drawn. Empty if the fabric
    /// switches packets and blocks nothing.
    pub schedules: Vec<(f64, Schedule)>,
    /// Throughput that is guaranteed, without dark time.
    pub bound: Option<f64>,
    /// The longest delay, in microseconds.
    pub delay_us: Option<f64>,
    /// Memory of a node that the bound needs, in bytes.
    pub buffer_bytes: Option<f64>,
    /// What a reader of the results has to know.
    pub notes: Vec<String>,
}

impl Plan {
    /// One schedule and nothing said of it.
    fn of(schedule: Schedule) -> Self {
        Self { schedules: vec![(1.0, schedule)], ..Self::default() }
    }
}

/// Why a design gives nothing, as a sentence that says what would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesignError(
    /// The sentence.
    pub String,
);

impl fmt::Display for DesignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DesignError {}

impl From<ScheduleError> for DesignError {
    fn from(error: ScheduleError) -> Self {
        Self(error.to_string())
    }
}

fn refuse<T>(why: impl Into<String>) -> Result<T, DesignError> {
    Err(DesignError(why.into()))
}

/// A design with its parameters set.
pub trait Design: Send + Sync {
    /// Sets one parameter.
    ///
    /// # Errors
    /// [`ParameterError`]; the parameters are unchanged then.
    fn set(&mut self, name: &str, raw: Raw<'_>) -> Result<(), ParameterError>;
    /// The parameters, as a scenario would hold them.
    fn parameters(&self) -> Vec<(&'static str, String)>;
    /// A schedule for this demand, or for its nodes alone; what is drawn depends on `seed`.
    ///
    /// # Errors
    /// [`DesignError`] if the parameters do not fit the nodes.
    fn plan(&self, demand: &Demand, seed: u64) -> Result<Plan, DesignError>;
}

/// What a design's own file gives; the rest of [`Design`] follows from its parameters.
trait Makes: Parameters + Send + Sync {
    fn plan(&self, demand: &Demand, seed: u64) -> Result<Plan, DesignError>;
}

impl<T: Makes> Design for T {
    fn set(&mut self, name: &str, raw: Raw<'_>) -> Result<(), ParameterError> {
        Parameters::set(self, name, raw)
    }
    fn parameters(&self) -> Vec<(&'static str, String)> {
        Parameters::values(self)
    }
    fn plan(&self, demand: &Demand, seed: u64) -> Result<Plan, DesignError> {
        Makes::plan(self, demand, seed)
    }
}

/// A design of the list.
#[derive(Clone, Copy)]
pub struct Listed {
    /// What it says of itself.
    pub card: &'static Card,
    /// Its parameters with their defaults.
    pub parameters: fn() -> Vec<ParameterInfo>,
    /// The design with its defaults.
    pub default: fn() -> Box<dyn Design>,
}

impl fmt::Debug for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Listed").field(&self.card.name).finish()
    }
}

macro_rules! designs {
    ($($module:ident: $design:ident,)*) => {
        /// Every design there is.
        pub const DESIGNS: &[Listed] = &[$(Listed {
            card: &$module::CARD,
            parameters: <$module::$design as Parameters>::list,
            default: || Box::new($module::$design::default()),
        }),*];
    };
}

designs! {
    round_robin: RoundRobin,
    rotornet: RotorNet,
    sirius: Sirius,
    opera: Opera,
    expander: Expander,
    mars: Mars,
    vermilion: Vermilion,
    vermilion_predictions: VermilionPredictions,
    bvn: Bvn,
    eclipse: Eclipse,
    fat_tree: FatTree,
}

/// The design of this name.
pub fn find(name: &str) -> Option<&'static Listed> {
    DESIGNS.iter().find(|design| design.card.name == name)
}

/// The oblivious schedule of the complete graph: what it guarantees, its delay and its buffer.
fn oblivious(fabric: &Fabric, nodes: usize, matchings: &[Matching]) -> Result<Plan, DesignError> {
    let mut plan = Plan::of(fabric.deal(matchings)?);
    let degree = matchings.len() as f64;
    let delay = crate::bounds::mars_delay(nodes, fabric.uplinks, fabric.slot, nodes as f64);
    plan.bound = Some(0.5);
    plan.delay_us = Some(delay / nodes as f64 * degree * 1e6);
    plan.buffer_bytes = Some(crate::bounds::mars_buffer(degree, fabric.rate, fabric.slot));
    plan.notes.extend(fabric.idle_note(matchings.len()));
    if plan.notes.is_empty() { Ok(plan) } else { Ok(Plan { bound: None, ..plan }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::pattern;

    #[test]
    fn every_design_plans_for_every_pattern_the_same_twice_and_documents_everything() {
        for listed in DESIGNS {
            let name = listed.card.name;
            assert!((listed.parameters)().iter().all(|p| !p.doc.is_empty()), "{name}");
            assert!(
                [listed.card.title, listed.card.paper, listed.card.summary]
                    .iter()
                    .all(|text| !text.is_empty())
            );
            for pattern in pattern::PATTERNS {
                let demand = pattern.demand(16, 0.5, 1);
                let plan = || (listed.default)().plan(&demand, 1).map(|plan| plan.schedules);
                let schedules = plan().unwrap_or_else(|why| panic!("{name}: {why}"));
                assert_eq!(Ok(&schedules), plan().as_ref(), "{name}");
                let chances: f64 = schedules.iter().map(|(chance, _)| chance).sum();
                assert!(schedules.is_empty() || (chances - 1.0).abs() < 1e-9, "{name}");
                assert!(schedules.iter().all(|(_, schedule)| schedule.nodes() == 16), "{name}");
            }
        }
    }

    #[test]
    fn parameters_are_shared_and_a_wrong_one_is_refused() {
        let mut design = (find("vermilion").unwrap().default)();
        assert_eq!(design.set("uplinks", Raw::Integer(2)), Ok(()));
        assert_eq!(design.set("uplink", Raw::Integer(2)), Err(ParameterError::Unknown));
        assert!(design.parameters().contains(&("uplinks", "2".to_owned())));
    }
}
