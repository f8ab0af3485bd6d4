//! How fast a scenario could be at best, as the doors to it share it: as JSON (`raddle.bounds/1`)
//! and in words.

use crate::problem::Problem;
use crate::scenario::{Cell, Study};
use crate::study::text::{settings, time};
use raddle_schemes::units::Rate;
use raddle_sim::bound::cut::{self, Cut};
use raddle_sim::bound::rho_max::rho_max;
use raddle_sim::bound::{self, Bound};
use raddle_sim::faults::Faults;
use raddle_sim::topology::Fabric;
use serde_json::{Map, Value, json};

/// The lower bounds of every scenario of a study.
#[derive(Debug)]
pub struct Bounds<'a> {
    seed: u64,
    cells: Vec<Bounded<'a>>,
}

/// What bounds a cell.
#[derive(Debug)]
struct Bounded<'a> {
    cell: &'a Cell,
    bounds: Vec<Bound>,
    /// The links that keep it longest under its faults, and in words which these are.
    cut: Option<(String, Cut)>,
    rho_max: Option<Rate>,
}

impl<'a> Bounds<'a> {
    /// The bounds with the study's first seed.
    ///
    /// # Errors
    /// Why a scenario has no plan with that seed.
    pub fn of(study: &'a Study) -> Result<Self, Problem> {
        let seed = study.seeds.first().copied().unwrap_or(1);
        let cells = study.cells.iter().map(|cell| Bounded::of(cell, seed));
        Ok(Self { seed, cells: cells.collect::<Result<_, _>>()? })
    }

    /// The object of `raddle.bounds/1`.
    pub fn to_json(&self) -> Value {
        let cells: Vec<Value> = self.cells.iter().map(Bounded::object).collect();
        json!({"schema": "raddle.bounds/1", "seed": self.seed, "cells": cells})
    }

    /// In words, scenarios with the same bounds together.
    pub fn text(&self) -> String {
        let alike = |a: &Bounded<'_>, b: &Bounded<'_>| {
            let titles = [a, b].map(|bounded| bounded.cell.scenario.title());
            (&a.bounds, &a.cut, a.rho_max, &titles[0]) == (&b.bounds, &b.cut, b.rho_max, &titles[1])
        };
        let groups = self.cells.chunk_by(alike).map(group);
        groups.collect::<String>()
            + "Completion time from below, the first is the tightest; only cut_faults and rho_max \
               take faults into account. What is named .._rho_max is a measure for paced flows: a \
               run can beat it by the share of its ACKs."
    }
}

impl<'a> Bounded<'a> {
    fn of(cell: &'a Cell, seed: u64) -> Result<Self, Problem> {
        let plan = cell.scenario.resolve(seed)?;
        let (bounds, rho_max) = (bound::of_plan(&plan), rho_max(&plan).ok());
        let faulty = plan.faults != Faults::default();
        let cut = faulty.then(|| cut::under_faults(&plan)).flatten();
        let cut = cut.map(|cut| (place(&cut, &plan.fabric), cut));
        Ok(Self { cell, bounds, cut, rho_max })
    }

    fn object(&self) -> Value {
        let Self { cell, bounds, cut, rho_max } = self;
        let settings: Map<String, Value> =
            cell.settings.iter().map(|(path, value)| (path.clone(), json!(value))).collect();
        let list: Vec<Value> =
            bounds.iter().map(|b| json!({"bound": b.name, "us": b.time.as_us()})).collect();
        let cut = cut.as_ref().map(|(place, cut)| {
            json!({"bound": Cut::UNDER_FAULTS, "us": cut.time.as_us(), "links": place})
        });
        let used = bounds.first().map(|bound| bound.name);
        json!({
            "scenario": cell.scenario.hash(), "settings": settings, "used": used, "bounds": list,
            "cut_faults": cut, "rho_max_bps": rho_max.map(|rate| rate.0),
        })
    }
}

/// Which links a cut is.
fn place(cut: &Cut, fabric: &Fabric) -> String {
    let way = if cut.entering { "into" } else { "out of" };
    let of = if cut.pod { "the pod of " } else { "" };
    format!("{way} {of}{}", fabric.switches[cut.switch.index()].name)
}

/// Scenarios of the same bounds, a line each, and these.
fn group(group: &[Bounded<'_>]) -> String {
    let Some(Bounded { cell, bounds, cut, rho_max }) = group.first() else { return String::new() };
    let mut lines = vec![cell.scenario.title()];
    let own = group.iter().map(|bounded| &bounded.cell.settings);
    lines.extend(own.filter(|own| !own.is_empty()).map(|own| format!("  {}", settings(own))));
    for bound in bounds {
        lines.push(format!("    {:12} {:>12}", bound.name, time(bound.time.as_us())));
    }
    if bounds.is_empty() {
        lines.push(
            "    no bound applies: no flow can start and finish, or routes change in a fabric that \
             is no tree"
                .to_owned(),
        );
    }
    if let Some((place, cut)) = cut {
        let least = time(cut.time.as_us());
        lines.push(format!("    {:12} {least:>12}  links {place}", Cut::UNDER_FAULTS));
    }
    if let Some(rate) = rho_max {
        lines.push(format!("  all flows at once at {:.6} Gbps (rho_max)", rate.0 as f64 / 1e9));
    }
    lines.join("\n") + "\n"
}
