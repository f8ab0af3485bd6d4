//! Schedules of circuits: what a design is asked for, and what it makes of a demand.

use crate::scenario::scheme::shown;
use crate::throughput;
use raddle_circuits::matching::Matching;
use raddle_circuits::schedule::Schedule;
use raddle_schemes::family::{Parameter, ParameterError, Raw};
use raddle_schemes::rng::Rng;
use raddle_schemes::units::{Rate, Span};
use raddle_sim::topology::circuits::{Rotors, Turn};
use raddle_throughput::demand::{self, Demand};
use raddle_throughput::designs::Design;

/// Why there is no schedule, and the key that has to be another.
pub(super) struct Refused {
    pub(super) key: &'static str,
    pub(super) why: String,
}

/// The design has to be another.
fn refused(why: String) -> Refused {
    Refused { key: "design", why }
}

/// Other seeds that are tried before one is said to have no effect.
const SEEDS_TRIED: u64 = 8;

/// What a design is asked for.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) design: String,
    pub(super) uplinks: u32,
    pub(super) uplink_rate: Rate,
    pub(super) slot: Span,
    pub(super) dark: Span,
    pub(super) seed: u64,
}

impl Asked {
    /// Whether a design makes one schedule for the two demands that differ most. Of two ToRs there is
    /// one demand.
    pub(super) fn ignores_demands(&self, tors: usize) -> bool {
        let made_for = |name: &str| {
            let demand = demand::named(name, tors, self.seed).ok()?;
            self.rotors(&demand, self.seed).ok()
        };
        let (even, skewed) = (made_for("uniform"), made_for("ring"));
        tors > 2 && even.is_some() && even == skewed
    }

    /// Whether neither the demand nor what a design makes of it is another for other seeds.
    pub(super) fn ignores_seeds(&self, demand_text: &str, demand: &Demand) -> bool {
        let tors = demand.nodes();
        let made = |seed: u64, demand: &Demand| self.rotors(demand, seed).ok();
        let own = made(self.seed, demand);
        let others = (1..=SEEDS_TRIED).map(|step| self.seed.wrapping_add(step));
        let mut others = others.map(|seed| match demand::named(demand_text, tors, seed) {
            Ok(demand) => made(seed, &demand),
            Err(_) => made(seed, demand),
        });
        others.all(|other| other == own)
    }

    /// What circuit switches connect by a design for a demand.
    pub(super) fn rotors(&self, demand: &Demand, seed: u64) -> Result<Rotors, Refused> {
        let (text, tors) = (self.design.as_str(), demand.nodes());
        let mut design = throughput::design(text).map_err(refused)?;
        let settings = text.split_once(':').map_or("", |(_, settings)| settings).split(',');
        let typed: Vec<&str> =
            settings.filter_map(|own| own.split_once('=')).map(|own| own.0).collect();
        let (rate, slot, dark) = (bare(&self.uplink_rate), bare(&self.slot), bare(&self.dark));
        for (key, name, raw) in [
            ("uplinks", "uplinks", Raw::Integer(self.uplinks.into())),
            ("uplink_rate", "rate", Raw::Text(&rate)),
            ("slot", "slot", Raw::Text(&slot)),
            ("dark", "dark", Raw::Text(&dark)),
        ] {
            if typed.contains(&name) {
                return Err(refused(format!("`{name}` of a design is a key of the topology")));
            }
            set(&mut *design, name, raw).map_err(|why| Refused { key, why })?;
        }
        let plan = design.plan(demand, seed).map_err(|why| refused(format!("{text}: {why}")))?;
        let mut drawn = Rng::new(seed, "schedule", 0).unit();
        let mut schedules = plan.schedules.iter();
        let schedule = loop {
            match schedules.next() {
                None => break plan.schedules.last(),
                Some(own) if drawn < own.0 => break Some(own),
                Some((chance, _)) => drawn -= chance,
            }
        };
        let (_, schedule) = schedule.ok_or_else(|| refused(format!("{text} has no circuits")))?;
        if schedule.nodes() != tors {
            let nodes = schedule.nodes();
            return Err(refused(format!("{text} has {nodes} nodes, and there are {tors} ToRs")));
        }
        Ok(rotors_of(schedule))
    }
}

fn set(design: &mut dyn Design, name: &str, raw: Raw<'_>) -> Result<(), String> {
    design.set(name, raw).map_err(|error| match error {
        ParameterError::Unknown => format!("the design has no `{name}`"),
        ParameterError::Value(expected) => format!("`{name}` of the design: {expected}"),
        ParameterError::Word(words) => {
            format!("`{name}` of the design: one of {}", words.join(", "))
        }
    })
}

/// A schedule as the simulator has it.
fn rotors_of(schedule: &Schedule) -> Rotors {
    let rotor = |(switch, list): (usize, &Vec<Matching>)| {
        let turn = |(slot, matching): (usize, &Matching)| Turn {
            targets: matching.all().map(|(_, target)| target as u16).collect(),
            turns: schedule.is_dark(switch, slot),
        };
        list.iter().enumerate().map(turn).collect()
    };
    Rotors {
        slots: schedule.slots().to_vec(),
        dark: schedule.dark(),
        rotors: schedule.switches().iter().enumerate().map(rotor).collect(),
    }
}

/// A value as a design's parameter has it.
fn bare<T: Parameter>(value: &T) -> String {
    shown(value).trim_matches('"').to_owned()
}
