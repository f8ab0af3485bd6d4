//! `raddle bounds`: how fast a scenario could be at best.

use super::output::print_line;
use super::{End, ScenarioArguments, input};
use raddle::scenario::Cell;
use raddle::study::text::time;
use raddle_schemes::units::Rate;
use raddle_sim::bound::cut::{self, Cut};
use raddle_sim::bound::rho_max::rho_max;
use raddle_sim::bound::{self, Bound};
use raddle_sim::faults::Faults;
use raddle_sim::topology::Fabric;
use serde_json::{Map, Value, json};

/// Arguments of `raddle bounds`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    scenario: ScenarioArguments,
    /// Print one JSON object (`raddle.bounds/1`) and nothing else.
    #[arg(long)]
    json: bool,
}

pub(super) fn bounds(arguments: &Arguments) -> End {
    let study = match input::load(&arguments.scenario) {
        Ok(study) => study,
        Err(end) => return end,
    };
    let seed = study.seeds.first().copied().unwrap_or(1);
    let mut cells = Vec::new();
    for cell in &study.cells {
        match cell.scenario.resolve(seed) {
            Ok(plan) => {
                let (bounds, rho_max) = (bound::of_plan(&plan), rho_max(&plan).ok());
                let faulty = plan.faults != Faults::default();
                let cut = faulty.then(|| cut::under_faults(&plan)).flatten();
                let cut = cut.map(|cut| (place(&cut, &plan.fabric), cut));
                cells.push(Bounded { cell, bounds, cut, rho_max });
            }
            Err(problem) => return input::refuse(&study.problem(problem)),
        }
    }
    if arguments.json {
        let cells: Vec<Value> = cells.iter().map(object).collect();
        print_line!("{}", json!({"schema": "raddle.bounds/1", "seed": seed, "cells": cells}));
    } else {
        print(&cells);
    }
    End::Done
}

/// What bounds a cell.
struct Bounded<'a> {
    cell: &'a Cell,
    bounds: Vec<Bound>,
    /// The links that keep it longest under its faults, and in words which these are.
    cut: Option<(String, Cut)>,
    rho_max: Option<Rate>,
}

/// Which links a cut is.
fn place(cut: &Cut, fabric: &Fabric) -> String {
    let way = if cut.entering { "into" } else { "out of" };
    let of = if cut.pod { "the pod of " } else { "" };
    format!("{way} {of}{}", fabric.switches[cut.switch.index()].name)
}

fn object(Bounded { cell, bounds, cut, rho_max }: &Bounded<'_>) -> Value {
    let settings: Map<String, Value> =
        cell.settings.iter().map(|(path, value)| (path.clone(), json!(value))).collect();
    let list: Vec<Value> =
        bounds.iter().map(|b| json!({"bound": b.name, "us": b.time.as_us()})).collect();
    let cut = cut.as_ref().map(
        |(place, cut)| json!({"bound": Cut::UNDER_FAULTS, "us": cut.time.as_us(), "links": place}),
    );
    let used = bounds.first().map(|bound| bound.name);
    json!({
        "scenario": cell.scenario.hash(), "settings": settings, "used": used, "bounds": list,
        "cut_faults": cut, "rho_max_bps": rho_max.map(|rate| rate.0),
    })
}

/// Scenarios with the same bounds together.
fn print(cells: &[Bounded<'_>]) {
    let alike = |a: &Bounded<'_>, b: &Bounded<'_>| {
        let titles = [a, b].map(|bounded| bounded.cell.scenario.title());
        (&a.bounds, &a.cut, a.rho_max, &titles[0]) == (&b.bounds, &b.cut, b.rho_max, &titles[1])
    };
    for group in cells.chunk_by(alike) {
        let Some(Bounded { cell, bounds, cut, rho_max }) = group.first() else { continue };
        print_line!("{}", cell.scenario.title());
        let settings = group.iter().map(|bounded| &bounded.cell.settings);
        for settings in settings.filter(|settings| !settings.is_empty()) {
            print_line!("  {}", input::settings(settings));
        }
        for bound in bounds {
            print_line!("    {:12} {:>12}", bound.name, time(bound.time.as_us()));
        }
        if bounds.is_empty() {
            print_line!(
                "    no bound applies: no flow can start and finish, or routes change in a fabric \
                 that is no tree"
            );
        }
        if let Some((place, cut)) = cut {
            let least = time(cut.time.as_us());
            print_line!("    {:12} {least:>12}  links {place}", Cut::UNDER_FAULTS);
        }
        if let Some(rate) = rho_max {
            print_line!("  all flows at once at {:.6} Gbps (rho_max)", rate.0 as f64 / 1e9);
        }
    }
    print_line!(
        "Completion time from below, the first is the tightest; only cut_faults and rho_max take \
         faults into account. What is named .._rho_max is a measure for paced flows: a run can beat it \
         by the share of its ACKs."
    );
}
