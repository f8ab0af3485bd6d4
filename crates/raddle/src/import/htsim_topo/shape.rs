//! Whether the numbers of a description make a tree, by htsim's own arithmetic
//! (`FatTreeTopologyCfg::set_custom_params`).

use super::{
    BUNDLE, InputError, OVERSUBSCRIBED, QUEUE_DOWN, QUEUE_UP, RADIX_DOWN, RADIX_UP, SPEED, Tier,
    TopoFile,
};
use crate::import::Place;
use raddle_sim::topology::tree::TreeShape;

/// The greatest numbers of ports for which htsim has no assertion: at ToRs, at the top of two
/// tiers, and at aggregation and core switches of three.
const HTSIM_PORTS: [u32; 3] = [128, 128, 64];

impl TopoFile {
    /// The shape of the tree.
    ///
    /// In two tiers the values of the missing core links and switches repeat those of tier 1.
    ///
    /// # Errors
    /// Settings that contradict each other, each with the lines involved.
    pub fn shape(&self) -> Result<TreeShape, Vec<InputError>> {
        let mut errors = self.divisions();
        if !errors.is_empty() {
            return Err(errors);
        }
        let (tor, agg) = (&self.tier[0], &self.tier[1]);
        let pods = self.nodes / self.podsize;
        let aggs_per_pod = match self.aggs_per_pod(pods) {
            Ok(aggs) => aggs,
            Err(error) => {
                errors.push(error);
                return Err(errors);
            }
        };
        let cores = match self.tier.get(2) {
            Some(core) => self.cores(aggs_per_pod, core).map_err(|error| vec![error])?,
            None => 0,
        };
        let top = self.tier.last().unwrap_or(agg);
        let each = [tor, agg, top];
        Ok(TreeShape {
            tiers: self.tiers,
            hosts: self.nodes,
            hosts_per_tor: tor.radix_down,
            tors_per_pod: self.podsize / tor.radix_down,
            aggs_per_pod,
            cores,
            parallel: [agg.bundle, if self.tiers == 3 { top.bundle } else { 1 }],
            rates: each.map(|tier| tier.downlink_speed),
            delays: each.map(|tier| tier.downlink_latency),
            switch_delays: each.map(|tier| tier.switch_latency),
        })
    }

    /// Notes on what this tree is in htsim: ports beyond its assertions, queue sizes it refuses to
    /// read, and down radixes that differ from its cabling. `shape` is what [`TopoFile::shape`]
    /// gave.
    pub fn notes(&self, shape: &TreeShape) -> Vec<InputError> {
        let mut notes = Vec::new();
        let pods = u64::from(self.nodes / self.podsize);
        let below = [
            u64::from(shape.hosts_per_tor),
            u64::from(shape.tors_per_pod) * u64::from(shape.parallel[0]),
            pods * u64::from(shape.parallel[1]),
        ];
        let limits = match self.tiers {
            2 => [HTSIM_PORTS[0], HTSIM_PORTS[1], 0],
            _ => [HTSIM_PORTS[0], HTSIM_PORTS[2], HTSIM_PORTS[2]],
        };
        for (index, tier) in self.tier.iter().enumerate() {
            let down = below[index];
            let ports = down + u64::from(tier.radix_up.unwrap_or(0));
            let at = tier.place(RADIX_DOWN);
            if u64::from(tier.radix_down) != down {
                notes.push(at.note(format!(
                    "each switch of tier {index} has {down} ports towards hosts, not {}; htsim \
                     too cables it so",
                    tier.radix_down
                )));
            }
            if ports > u64::from(limits[index]) {
                notes.push(at.note(format!(
                    "a switch of tier {index} has {ports} ports; htsim stops above {}",
                    limits[index]
                )));
            }
            for name in [QUEUE_UP, QUEUE_DOWN] {
                if let Some(at) = tier.places.get(name) {
                    notes.push(at.note(format!(
                        "htsim takes `{name}` for a duplicate unless its option -q is 0"
                    )));
                }
            }
        }
        notes.sort_by_key(|note| (note.line, note.column));
        notes
    }

    /// The checks that need no other's result.
    fn divisions(&self) -> Vec<InputError> {
        let mut errors = Vec::new();
        let tor = &self.tier[0];
        let podsize = self.cite_podsize();
        if !self.nodes.is_multiple_of(self.podsize) {
            errors.push(self.nodes_at.error(
                format!("Nodes {} is not a multiple of {podsize}", self.nodes),
                "give every pod the same number of hosts",
            ));
        } else if self.tiers == 2 && self.nodes != self.podsize {
            errors.push(self.podsize_at.error(
                format!("{podsize} in a tree of two tiers, which is a single pod"),
                format!("write `Podsize {}`", self.nodes),
            ));
        }
        if !self.podsize.is_multiple_of(tor.radix_down) {
            errors.push(tor.place(RADIX_DOWN).error(
                format!(
                    "{podsize} is not a multiple of tier 0's {}",
                    tor.cite(RADIX_DOWN, tor.radix_down.into())
                ),
                "give every ToR the same number of hosts",
            ));
        }
        if tor.bundle != 1 {
            errors.push(tor.place(BUNDLE).error(
                format!("`Bundle {}` in tier 0: a host has one cable", tor.bundle),
                "write `Bundle 1` or remove the line",
            ));
        }
        for (index, tier) in self.tier.iter().enumerate() {
            let mut multiple = |radix: u32, name: &str, tier: &Tier, of: &Tier, of_index: usize| {
                if !radix.is_multiple_of(of.bundle) {
                    errors.push(tier.place(name).error(
                        format!(
                            "tier {index}'s {} is not a multiple of tier {of_index}'s {}",
                            tier.cite(name, radix.into()),
                            of.cite(BUNDLE, of.bundle.into())
                        ),
                        "give every bundle the same number of cables",
                    ));
                }
            };
            if index > 0 {
                multiple(tier.radix_down, RADIX_DOWN, tier, tier, index);
            }
            if let (Some(radix), Some(above)) = (tier.radix_up, self.tier.get(index + 1)) {
                multiple(radix, RADIX_UP, tier, above, index + 1);
            }
        }
        let radix_up = tor.radix_up.unwrap_or(1);
        let ratio = tor.radix_down / radix_up;
        if ratio != tor.oversubscribed {
            let help = if ratio > 0 && tor.radix_down.is_multiple_of(radix_up) {
                format!("write `Oversubscribed {ratio}`, or another radix")
            } else {
                "make Radix_Down a multiple of Radix_Up".to_owned()
            };
            errors.push(tor.place(OVERSUBSCRIBED).error(
                format!(
                    "tier 0's {} over {} is {ratio}, not {}",
                    tor.cite(RADIX_DOWN, tor.radix_down.into()),
                    tor.cite(RADIX_UP, radix_up.into()),
                    tor.cite(OVERSUBSCRIBED, tor.oversubscribed.into())
                ),
                help,
            ));
        }
        errors.sort_by_key(|error| (error.line, error.column));
        errors
    }

    fn cite_podsize(&self) -> String {
        format!("Podsize {} (line {})", self.podsize, self.podsize_at.line)
    }

    /// Links that leave a tier upwards, as htsim counts them: the capacity below over the speed of
    /// the links above and the oversubscription.
    fn uplinks(&self, links: u128, index: usize) -> Result<u128, InputError> {
        let (tier, above) = (&self.tier[index], &self.tier[index + 1]);
        let gbps = |tier: &Tier| tier.downlink_speed.0 / 1_000_000_000;
        let capacity = links * u128::from(gbps(tier));
        let each = u128::from(gbps(above)) * u128::from(tier.oversubscribed);
        if capacity.is_multiple_of(each) {
            return Ok(capacity / each);
        }
        Err(above.place(SPEED).error(
            format!(
                "{links} links with tier {index}'s {} do not fill a whole number of links with tier \
                 {}'s {} at tier {index}'s {}",
                tier.cite(SPEED, gbps(tier)),
                index + 1,
                above.cite(SPEED, gbps(above)),
                tier.cite(OVERSUBSCRIBED, tier.oversubscribed.into()),
            ),
            "make the speeds and the oversubscription divide evenly",
        ))
    }

    fn aggs_per_pod(&self, pods: u32) -> Result<u32, InputError> {
        let (tor, agg) = (&self.tier[0], &self.tier[1]);
        let uplinks = self.uplinks(self.nodes.into(), 0)?;
        let per_row = u128::from(pods) * u128::from(agg.radix_down);
        let radix_down = agg.cite(RADIX_DOWN, agg.radix_down.into());
        let radix_up = tor.radix_up.unwrap_or(1);
        if !uplinks.is_multiple_of(per_row) {
            return Err(agg.place(RADIX_DOWN).error(
                format!(
                    "{uplinks} ToR uplinks do not divide among {pods} pods with tier 1's \
                     {radix_down}"
                ),
                "let Radix_Down times the number of pods divide the number of ToR uplinks",
            ));
        }
        let aggs = uplinks / per_row;
        if aggs * u128::from(agg.bundle) == u128::from(radix_up) {
            // No greater than `radix_up`.
            return Ok(aggs as u32);
        }
        let help = match u128::from(radix_up).checked_rem(aggs) {
            Some(0) => format!(
                "write `Bundle {}` in tier 1, or another radix",
                u128::from(radix_up) / aggs
            ),
            _ => format!(
                "write `Radix_Up {}` in tier 0, or another radix",
                aggs * u128::from(agg.bundle)
            ),
        };
        Err(tor.place(RADIX_UP).error(
            format!(
                "tier 1's {radix_down} gives {aggs} aggregation switches per pod for {uplinks} ToR \
                 uplinks; with tier 1's {} that is not tier 0's {}",
                agg.cite(BUNDLE, agg.bundle.into()),
                tor.cite(RADIX_UP, radix_up.into())
            ),
            help,
        ))
    }

    fn cores(&self, aggs_per_pod: u32, core: &Tier) -> Result<u32, InputError> {
        let agg = &self.tier[1];
        let uplinks = self.uplinks(self.uplinks(self.nodes.into(), 0)?, 1)?;
        let radix_down = core.cite(RADIX_DOWN, core.radix_down.into());
        let at: Place = core.place(RADIX_DOWN);
        if !uplinks.is_multiple_of(core.radix_down.into()) {
            return Err(at.error(
                format!("{uplinks} aggregation uplinks do not divide by tier 2's {radix_down}"),
                "let Radix_Down divide the number of aggregation uplinks",
            ));
        }
        let cores = uplinks / u128::from(core.radix_down);
        if !cores.is_multiple_of(aggs_per_pod.into()) {
            return Err(at.error(
                format!(
                    "tier 2's {radix_down} gives {cores} core switches, not a multiple of the \
                     {aggs_per_pod} aggregation switches per pod"
                ),
                "change Radix_Down of tier 1 or 2",
            ));
        }
        let per_agg = cores / u128::from(aggs_per_pod);
        let radix_up = u128::from(agg.radix_up.unwrap_or(1));
        if per_agg * u128::from(core.bundle) != radix_up {
            let help = match radix_up.checked_rem(per_agg) {
                Some(0) => {
                    format!("write `Bundle {}` in tier 2, or another radix", radix_up / per_agg)
                }
                _ => format!("write `Radix_Up {}` in tier 1", per_agg * u128::from(core.bundle)),
            };
            return Err(agg.place(RADIX_UP).error(
                format!(
                    "tier 2's {radix_down} gives {cores} core switches, {per_agg} for each of \
                     {aggs_per_pod} aggregation switches per pod; with tier 2's {} that is not \
                     tier 1's {}",
                    core.cite(BUNDLE, core.bundle.into()),
                    agg.cite(RADIX_UP, radix_up as u64)
                ),
                help,
            ));
        }
        u32::try_from(cores).map_err(|_| {
            at.error(
                format!("tier 2's {radix_down} gives {cores} core switches"),
                "describe a tree with fewer than 2^32 core switches",
            )
        })
    }
}
