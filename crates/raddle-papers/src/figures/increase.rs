//! By how much a run exceeds a lower bound that the claim names.

use super::run::FigureRun;
use raddle_schemes::units::Time;
use raddle_sim::bound::rho_max::{self, rho_max};
use raddle_sim::bound::{self, Frames, cut};
use raddle_sim::plan::Plan;
use raddle_sim::workload::{Flow, Start, Traffic};

raddle_schemes::words! {
    /// A lower bound on the completion, as `raddle bounds` calls it.
    pub enum BoundName {
        /// Of a permutation, on the fabric without faults.
        Permutation = "permutation",
        /// Of an all-to-all, on the fabric without faults.
        AllToAll = "all_to_all",
        /// The same without ACKs.
        AllToAllData = "all_to_all_data",
        /// Of a permutation whose flows send at rho_max.
        PermutationRhoMax = "permutation_rho_max",
        /// Of an all-to-all whose flows send at rho_max.
        AllToAllRhoMax = "all_to_all_rho_max",
        /// What each host's link has to carry.
        HostLink = "host_link",
        /// What the links that a group of hosts shares have to carry.
        Cut = "cut",
        /// The same under the plan's faults.
        CutFaults = "cut_faults",
        /// Each flow as if it were alone.
        FlowAlone = "flow_alone",
    }
}

/// A bound that a claim was measured against.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedBound {
    /// Which.
    pub name: BoundName,
    /// Its mean over the seeds, in microseconds.
    pub us: f64,
}

impl BoundName {
    /// The bound for a plan in microseconds, whatever pace its flows have; `None` if it does not
    /// hold for the plan's traffic.
    ///
    /// Where faults leave every flow the rate of its host's link, the bound with rho_max is the one
    /// without.
    pub fn us(self, plan: &Plan) -> Option<f64> {
        if self == Self::CutFaults {
            return Some(cut::under_faults(plan)?.time.as_us());
        }
        let frames = Frames::from(plan);
        let healthy = match self {
            Self::PermutationRhoMax => Self::Permutation,
            Self::AllToAllRhoMax => Self::AllToAll,
            other => other,
        };
        if healthy != self {
            let rate = rho_max(plan).ok()?;
            let bound = rho_max::bound(&plan.traffic, &plan.fabric, &frames, rate);
            if let Some(bound) = bound {
                return (bound.name == self.word()).then(|| bound.time.as_us());
            }
        }
        healthy.without_faults(plan, &plan.traffic)
    }

    fn without_faults(self, plan: &Plan, traffic: &Traffic) -> Option<f64> {
        let frames = Frames::from(plan);
        let bound = match self {
            Self::Permutation => bound::published_permutation(traffic, &plan.fabric, &frames)?,
            _ => {
                let bounds = bound::completion(traffic, &plan.fabric, &frames);
                bounds.into_iter().find(|bound| bound.name == self.word())?
            }
        };
        Some(bound.time.as_us())
    }

    /// The bound for each phase of the plan's jobs as if it were alone, in microseconds; `None` if
    /// there are none, or if it does not hold for one of them.
    pub fn phases_us(self, plan: &Plan) -> Option<Vec<f64>> {
        let phases = plan.traffic.jobs.iter().flat_map(|job| &job.phases);
        let us = phases.map(|phase| {
            let flows = &plan.traffic.flows[phase.flows.start as usize..phase.flows.end as usize];
            let at_zero = |flow: &Flow| Flow {
                start: Start::At(Time::ZERO),
                on_acked: None,
                on_delivered: None,
                ..flow.clone()
            };
            self.without_faults(plan, &flows.iter().map(at_zero).collect::<Vec<_>>().into())
        });
        us.collect::<Option<Vec<_>>>().filter(|us| !us.is_empty())
    }

    /// The bound for the run, or the mean of those for its phases.
    pub(super) fn mean_us(self, plan: &Plan, phases: bool) -> Option<f64> {
        if !phases {
            return self.us(plan);
        }
        let us = self.phases_us(plan)?;
        Some(us.iter().sum::<f64>() / us.len() as f64)
    }
}

/// 100 (CCT / bound - 1), the load-balancing study's metric; with `phases` the mean over the run's
/// phases, each with its own CCT.
pub(super) fn increase_pct(run: &FigureRun, bound: BoundName, phases: bool) -> Option<f64> {
    let (plan, summary) = (&run.finished.plan, &run.finished.summary);
    let increase = |cct: f64, bound: f64| (bound > 0.0).then(|| (cct / bound - 1.0) * 100.0);
    if !phases {
        return increase(summary.completion_us?, bound.us(plan)?);
    }
    let ccts = summary.jobs.iter().flat_map(|job| &job.phases).map(|phase| phase.cct_us);
    let bounds = bound.phases_us(plan)?;
    let count = bounds.len() as f64;
    let increases = ccts.zip(bounds).map(|(cct, bound)| increase(cct?, bound));
    Some(increases.collect::<Option<Vec<_>>>()?.iter().sum::<f64>() / count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle::scenario::parse;
    use std::path::Path;

    fn plan(rest: &str) -> Plan {
        let text = format!(
            "[fabric]\ngap = \"20 B\"\ntopology = {{ kind = \"fat_tree\", hosts = 16, rate = \
             \"800 Gbps\", switch_delay = \"0 ns\" }}\n[transport]\nheader = \"62 B\"\nnic = \
             \"round_robin\"\n[traffic]\nkind = \"permutation\"\nmessage = \"1 MiB\"\n\
             inter_pod_only = true\n{rest}"
        );
        let study = parse("test.toml", &text, Path::new("."), &[]).unwrap();
        study.cells[0].scenario.resolve(1).unwrap()
    }

    /// LB study spec, section 5.2: 17.05694 us.
    #[test]
    fn the_named_bound_is_taken_whatever_others_are_tighter() {
        let plan = plan("");
        let us = BoundName::Permutation.us(&plan).unwrap();
        assert!((us - 17.056_94).abs() < 1e-5, "{us}");
        assert!(BoundName::FlowAlone.us(&plan).unwrap() < us);
        assert_eq!(BoundName::AllToAll.us(&plan), None);
    }

    /// LB study spec, section 5.3: 1391.66 us with ACKs and 1364.35 without, of which the longest
    /// way there and back takes 6; here it is the shortest way.
    #[test]
    fn the_bound_of_an_all_to_all_is_taken_with_acks_or_without() {
        let text = "[fabric]\ngap = \"20 B\"\ntopology = { kind = \"fat_tree\", hosts = 128, rate = \
                    \"800 Gbps\", switch_delay = \"0 ns\" }\n[transport]\nheader = \"62 B\"\n\
                    [traffic]\nkind = \"all_to_all\"\nmessage = \"1 MiB\"\n";
        let study = parse("test.toml", text, Path::new("."), &[]).unwrap();
        let plan = study.cells[0].scenario.resolve(1).unwrap();
        let (longest, shortest) = (6.0, 1.0 - 0.0002);
        for (bound, published) in
            [(BoundName::AllToAll, 1391.66), (BoundName::AllToAllData, 1364.35)]
        {
            let us = bound.us(&plan).unwrap() - shortest + longest;
            assert!((us - published).abs() < 0.005, "{us}");
        }
        assert_eq!(BoundName::AllToAllData.us(&self::plan("")), None);
    }

    #[test]
    fn a_phase_has_the_bound_of_its_permutation() {
        let text = "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 16 }\n[traffic]\nkind = \
                    \"fsdp\"\nmodel = \"llama_7b\"\nlayers = 2\ngpus_per_server = 2\n";
        let study = parse("test.toml", text, Path::new("."), &[]).unwrap();
        let plan = study.cells[0].scenario.resolve(1).unwrap();
        assert_eq!(BoundName::Permutation.us(&plan), None, "phases follow each other");
        let phases = BoundName::Permutation.phases_us(&plan).unwrap();
        assert_eq!(phases.len(), 4, "an AllGather and a ReduceScatter for each layer");
        assert!(phases.iter().all(|us| *us > 8.0 && *us < 30.0), "{phases:?}");
        assert_eq!(BoundName::Permutation.phases_us(&self::plan("")), None);
    }

    #[test]
    fn the_bound_with_rho_max_needs_no_pace_and_no_fault() {
        let healthy = BoundName::Permutation.us(&plan(""));
        assert_eq!(BoundName::PermutationRhoMax.us(&plan("")), healthy);
        assert_eq!(BoundName::AllToAllRhoMax.us(&plan("")), None);
        let cut = plan("[[fault]]\nlink = \"tor0.up1\"\ndown = \"..\"\n");
        assert_eq!(BoundName::Permutation.us(&cut), healthy);
        let halved = BoundName::PermutationRhoMax.us(&cut).unwrap();
        // Half the rate for 256 packets of 41.78 ns: a fixed part stays.
        assert!(halved > healthy.unwrap() + 8.0, "{halved}");
    }
}
