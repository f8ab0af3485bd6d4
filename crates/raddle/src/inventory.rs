//! What a scenario's fabric is built of, as the doors to it share it: as JSON (`raddle.inventory/1`)
//! and in words.

use crate::problem::Problem;
use crate::scenario::{Cell, Study};
use crate::study::text::{count, settings};
use raddle_sim::topology::inventory::{Cables, Inventory, Switches};
use serde_json::{Map, Value, json};

/// The switches and cables of every scenario of a study.
#[derive(Debug)]
pub struct Inventories<'a>(Vec<Counted<'a>>);

#[derive(Debug)]
struct Counted<'a> {
    cell: &'a Cell,
    /// None where circuits connect the fabric.
    inventory: Option<Inventory>,
}

impl<'a> Inventories<'a> {
    /// Those of a study's scenarios.
    ///
    /// # Errors
    /// Why a scenario has no plan with the study's first seed.
    pub fn of(study: &'a Study) -> Result<Self, Problem> {
        let seed = study.seeds.first().copied().unwrap_or(1);
        let counted = |cell: &'a Cell| {
            let inventory = Inventory::of(&cell.scenario.resolve(seed)?.fabric);
            Ok(Counted { cell, inventory })
        };
        Ok(Self(study.cells.iter().map(counted).collect::<Result<_, _>>()?))
    }

    /// The object of `raddle.inventory/1`.
    pub fn to_json(&self) -> Value {
        let cells: Vec<Value> = self.0.iter().map(Counted::object).collect();
        json!({"schema": "raddle.inventory/1", "cells": cells})
    }

    /// In words, scenarios of the same fabric together.
    pub fn text(&self) -> String {
        let alike = |a: &Counted<'_>, b: &Counted<'_>| a.inventory == b.inventory;
        self.0.chunk_by(alike).map(group).collect::<String>()
            + "An optic is one end of a cable. Cables of hosts may be copper: what they would add comes \
               behind the plus."
    }
}

impl Counted<'_> {
    fn object(&self) -> Value {
        let settings: Map<String, Value> =
            self.cell.settings.iter().map(|(path, value)| (path.clone(), json!(value))).collect();
        let fabric = self.inventory.as_ref().map(|own| {
            let switch = |tier: &Switches| {
                let (least, most) = tier.ports;
                json!({"tier": tier.tier, "count": tier.count, "ports_min": least, "ports_max": most})
            };
            let cable = |own: &Cables| {
                json!({"layer": own.layer.word(), "rate_bps": own.rate.0, "count": own.count})
            };
            json!({
                "hosts": own.hosts, "host_ports": own.host_ports,
                "switches": own.switches.iter().map(switch).collect::<Vec<_>>(),
                "cables": own.cables.iter().map(cable).collect::<Vec<_>>(),
                "switch_count": own.switch_count(), "cable_count": own.cable_count(),
                "optics": own.optics(false), "optics_with_hosts": own.optics(true),
                "optics_bps_per_host": own.optics_rate_per_host(false),
                "optics_bps_per_host_with_hosts": own.optics_rate_per_host(true),
            })
        });
        json!({
            "scenario": self.cell.scenario.hash(), "settings": settings, "inventory": fabric,
        })
    }
}

/// Scenarios of one fabric, a line each, and what that is built of.
fn group(group: &[Counted<'_>]) -> String {
    let Some(Counted { cell, inventory }) = group.first() else { return String::new() };
    let mut lines = vec![cell.scenario.title()];
    let own = group.iter().map(|counted| &counted.cell.settings);
    lines.extend(own.filter(|own| !own.is_empty()).map(|own| format!("  {}", settings(own))));
    let Some(own) = inventory else {
        lines.push("    circuits: what they are made of is not counted".to_owned());
        return lines.join("\n") + "\n";
    };
    let hosts = count(own.hosts.into());
    lines.push(format!("    {:<9} {hosts:>9}, ports of each {}", "hosts", own.host_ports));
    for Switches { tier, count: number, ports: (least, most) } in &own.switches {
        let ports = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let name = format!("tier {tier}");
        let number = count(u64::from(*number));
        lines.push(format!("    {name:<9} {number:>9} switches, ports in use {ports}"));
    }
    for Cables { layer, rate, count: number } in &own.cables {
        let (name, number) = (layer.word(), count(u64::from(*number)));
        lines.push(format!("    {name:<9} {number:>9} cables of {rate}"));
    }
    let more = own.optics(true) - own.optics(false);
    let per_host = |with_hosts: bool| own.optics_rate_per_host(with_hosts) / 1e9;
    lines.push(format!(
        "    in all    {:>9} switches, {} cables, {} + {} optics, {:.0} + {:.0} Gbps of them a host",
        count(own.switch_count().into()),
        count(own.cable_count().into()),
        count(own.optics(false).into()),
        count(more.into()),
        per_host(false),
        per_host(true) - per_host(false),
    ));
    lines.join("\n") + "\n"
}
