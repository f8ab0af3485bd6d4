//! `raddle bounds`: how fast a scenario could be at best.

use super::{End, ScenarioArguments, input};
use crate::scenario::Cell;
use crate::study::jobs;
use crate::study::text::time;
use raddle_sim::bound::Bound;
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
            Ok(plan) => cells.push((cell, jobs::bounds_of(&plan))),
            Err(problem) => return input::refuse(&study.problem(problem)),
        }
    }
    if arguments.json {
        let cells: Vec<Value> = cells.iter().map(|(cell, bounds)| object(cell, bounds)).collect();
        anstream::println!(
            "{}",
            json!({"schema": "raddle.bounds/1", "seed": seed, "cells": cells})
        );
    } else {
        print(&cells);
    }
    End::Done
}

fn object(cell: &Cell, bounds: &[Bound]) -> Value {
    let settings: Map<String, Value> =
        cell.settings.iter().map(|(path, value)| (path.clone(), json!(value))).collect();
    let list: Vec<Value> =
        bounds.iter().map(|b| json!({"bound": b.name, "us": b.time.as_us()})).collect();
    let used = bounds.first().map(|bound| bound.name);
    json!({
        "scenario": cell.scenario.hash(), "settings": settings, "used": used, "bounds": list,
    })
}

/// Scenarios with the same bounds together.
fn print(cells: &[(&Cell, Vec<Bound>)]) {
    let alike = |a: &(&Cell, Vec<Bound>), b: &(&Cell, Vec<Bound>)| {
        a.1 == b.1 && a.0.scenario.title() == b.0.scenario.title()
    };
    for group in cells.chunk_by(alike) {
        let Some((first, bounds)) = group.first() else { continue };
        anstream::println!("{}", first.scenario.title());
        for (cell, _) in group.iter().filter(|(cell, _)| !cell.settings.is_empty()) {
            anstream::println!("  {}", input::settings(&cell.settings));
        }
        for bound in bounds {
            anstream::println!("    {:12} {:>12}", bound.name, time(bound.time.as_us()));
        }
        if bounds.is_empty() {
            anstream::println!("    no bound applies: no flow can start and finish");
        }
    }
    anstream::println!(
        "Completion time from below, faults not taken into account; the first is the tightest."
    );
}
