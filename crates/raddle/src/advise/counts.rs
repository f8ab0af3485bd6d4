//! What a candidate is built of: parts by name, power, price, and what constraints say to that.

use super::question::{Constraint, Price};
use crate::problem::Problem;
use crate::scenario::reader::with_nearest;
use raddle_sim::topology::Fabric;
use raddle_sim::topology::inventory::{Inventory, Layer};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Watts of a switch for each terabit in a second of its ports, without optics: 700 to 950 W of a switch
/// of 51.2 Tbps.
const SWITCH_W_PER_TBPS: (f64, f64) = (700.0 / 51.2, 950.0 / 51.2);
/// Watts of an optic for each terabit in a second: 15 and 17 W of 800 Gbps (NVIDIA's sheets: 2xSR4,
/// 2xDR4), 9 W at most of 400 Gbps.
const OPTIC_W_PER_TBPS: (f64, f64) = (15.0 / 0.8, 9.0 / 0.4);

/// What a candidate is built of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Hosts.
    pub hosts: u32,
    /// Switches.
    pub switches: u32,
    /// Cables.
    pub cables: u32,
    /// Optics, two a cable; those of cables to hosts, which may be copper, left out.
    pub optics: u32,
    /// The same with those.
    pub optics_with_hosts: u32,
    /// Kilowatts of switches and optics, at least.
    pub power_kw_min: f64,
    /// And at most, with optics at hosts.
    pub power_kw_max: f64,
    /// How many there are of each part that has a price: `switch.64x800G`, `optic.800G`, `cable.800G`.
    pub parts: BTreeMap<String, u32>,
    /// What they cost, where that is asked for.
    pub cost: Option<f64>,
}

impl Counts {
    /// Of a fabric; `None` where circuits connect it.
    pub(super) fn of(fabric: &Fabric) -> Option<Self> {
        let own = Inventory::of(fabric)?;
        let mut parts: BTreeMap<String, u32> = BTreeMap::new();
        let mut switch_tbps = 0.0;
        for switch in &fabric.switches {
            let ports = &fabric.ports[switch.ports.start as usize..switch.ports.end as usize];
            let fastest = ports.iter().map(|port| port.rate.0).max().unwrap_or(0);
            let gbps = fastest / 1_000_000_000;
            *parts.entry(format!("switch.{}x{gbps}G", ports.len())).or_default() += 1;
            switch_tbps += ports.iter().map(|port| port.rate.0 as f64 / 1e12).sum::<f64>();
        }
        let mut optic_tbps = (0.0, 0.0);
        for cables in &own.cables {
            let (gbps, tbps) = (cables.rate.0 / 1_000_000_000, cables.rate.0 as f64 / 1e12);
            *parts.entry(format!("cable.{gbps}G")).or_default() += cables.count;
            let two = 2.0 * f64::from(cables.count) * tbps;
            optic_tbps.1 += two;
            if cables.layer != Layer::Host {
                optic_tbps.0 += two;
                *parts.entry(format!("optic.{gbps}G")).or_default() += 2 * cables.count;
            }
        }
        let kw = |switch: f64, optic: f64, tbps: f64| (switch_tbps * switch + tbps * optic) / 1e3;
        Some(Self {
            hosts: own.hosts,
            switches: own.switch_count(),
            cables: own.cable_count(),
            optics: own.optics(false),
            optics_with_hosts: own.optics(true),
            power_kw_min: kw(SWITCH_W_PER_TBPS.0, OPTIC_W_PER_TBPS.0, optic_tbps.0),
            power_kw_max: kw(SWITCH_W_PER_TBPS.1, OPTIC_W_PER_TBPS.1, optic_tbps.1),
            parts,
            cost: None,
        })
    }

    /// Prices its parts.
    ///
    /// # Errors
    /// A part without a price.
    pub(super) fn price(&mut self, prices: &[Price]) -> Result<(), String> {
        if prices.is_empty() {
            return Ok(());
        }
        let mut sum = 0.0;
        for (part, count) in &self.parts {
            let price = prices.iter().find(|(name, ..)| name == part).map(|(_, price, _)| price);
            let price = price.ok_or_else(|| part.clone())?;
            sum += price * f64::from(*count);
        }
        self.cost = Some(sum);
        Ok(())
    }

    /// The first constraint that it breaks, whatever it is within its range.
    pub(super) fn breaks<'a>(
        &self,
        constraints: &'a [Constraint],
    ) -> Option<(&'a Constraint, f64)> {
        constraints.iter().find_map(|own| {
            let (least, most) = match own.what {
                "hosts" => (f64::from(self.hosts), f64::from(self.hosts)),
                "switches" => (f64::from(self.switches), f64::from(self.switches)),
                "cables" => (f64::from(self.cables), f64::from(self.cables)),
                "optics" => (f64::from(self.optics), f64::from(self.optics_with_hosts)),
                "power_kw" => (self.power_kw_min, self.power_kw_max),
                _ => (self.cost?, self.cost?),
            };
            let is_broken = if own.least { most < own.number } else { least > own.number };
            is_broken.then_some((own, if own.least { most } else { least }))
        })
    }
}

/// What is wrong with prices: parts without one, and names that no candidate has.
pub(super) fn price_all(counts: &mut [Counts], prices: &[Price]) -> Vec<Problem> {
    let mut names: Vec<String> = counts.iter().flat_map(|own| own.parts.keys().cloned()).collect();
    names.sort();
    names.dedup();
    let mut problems = Vec::new();
    for (name, _, place) in prices {
        if !names.contains(name) {
            let problem = place.problem(format!("no candidate has a part called `{name}`"));
            let problem = with_nearest(problem, name, names.iter().map(String::as_str));
            problems.push(problem.help(format!("parts: {}", names.join(", "))));
        }
    }
    let mut lacking: Vec<String> =
        counts.iter_mut().filter_map(|own| own.price(prices).err()).collect();
    lacking.sort();
    lacking.dedup();
    if let (Some(name), Some((_, _, place))) = (lacking.first(), prices.first()) {
        let problem = place.problem(format!("[price] lacks `{name}`"));
        problems.push(problem.label(format!("add `\"{name}\" = ..`; 0 if it is not to count")));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::units::{Rate, Span};
    use raddle_sim::topology::tree::TreeShape;

    #[test]
    fn power_of_a_small_fat_tree_is_that_of_its_ports() {
        let delay = Span::ns(500);
        let shape = TreeShape::fat_tree(3, 16, Rate::gbps(800), delay, delay).unwrap();
        let own = Counts::of(&shape.build().unwrap()).unwrap();
        assert_eq!((own.hosts, own.switches, own.cables), (16, 20, 48));
        assert_eq!((own.parts["switch.4x800G"], own.parts["optic.800G"]), (20, 64));
        // 80 ports of .8 Tbps; 64 optics of 15 W.
        let least = 64.0 * 700.0 / 51.2 + 64.0 * 15.0;
        assert!((own.power_kw_min * 1e3 - least).abs() < 1e-9);
        assert!(own.power_kw_max > own.power_kw_min);
    }
}
