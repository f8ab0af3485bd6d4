//! `raddle bounds`: how fast a scenario could be at best.

use super::{End, ScenarioArguments, input};
use crate::study::jobs;
use crate::study::text::time;
use raddle_sim::bound::{self, Frames};
use serde_json::json;

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
        let plan = match cell.scenario.resolve(seed) {
            Ok(plan) => plan,
            Err(problem) => return input::refuse(&study.problem(problem)),
        };
        let list = bound::completion(&plan.traffic, &plan.fabric, &Frames::from(&plan));
        let settings: Vec<String> =
            cell.settings.iter().map(|(path, value)| format!("{path} = {value}")).collect();
        if arguments.json {
            let list: Vec<_> =
                list.iter().map(|b| json!({"bound": b.name, "us": b.time.as_us()})).collect();
            let chosen = jobs::bound_of(&plan).map(|b| b.name);
            let scenario = cell.scenario.hash();
            cells.push(json!({
                "scenario": scenario, "settings": settings, "used": chosen, "bounds": list,
            }));
            continue;
        }
        anstream::println!("{}", cell.scenario.title());
        if !settings.is_empty() {
            anstream::println!("  {}", settings.join(", "));
        }
        for bound in &list {
            anstream::println!("  {:12} {:>12}", bound.name, time(bound.time.as_us()));
        }
        if list.is_empty() {
            anstream::println!("  no bound applies: no flow can start and finish");
        }
    }
    if arguments.json {
        anstream::println!(
            "{}",
            json!({"schema": "raddle.bounds/1", "seed": seed, "cells": cells})
        );
    } else {
        anstream::println!(
            "Completion time from below, faults not taken into account; the first is the tightest."
        );
    }
    End::Done
}
