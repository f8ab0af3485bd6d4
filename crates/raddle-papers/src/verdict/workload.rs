//! The workloads of the verdict, and the scenario of each.

use super::{SCENARIO, SIZE};
use raddle::problem::Problems;
use raddle::scenario::{self, Study};
use std::path::Path;

/// How one workload is run.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Its name on the axis `workload`.
    pub name: &'static str,
    /// Whether flows arrive whatever became of earlier ones, so that the mean flow completion time
    /// tells more than the end of the last.
    pub open_loop: bool,
    /// The workload of the standings that it is with other messages, and their size.
    pub size: Option<(&'static str, &'static str)>,
}

/// A workload of the standings.
const fn whole(name: &'static str, open_loop: bool) -> Workload {
    Workload { name, open_loop, size: None }
}

/// One of them with larger messages.
const fn sized(name: &'static str, of: &'static str, size: &'static str) -> Workload {
    Workload { name, open_loop: false, size: Some((of, size)) }
}

/// Every workload, in the order of the page.
pub const WORKLOADS: &[Workload] = &[
    whole("permutation", false),
    whole("tornado", false),
    whole("all-to-all", false),
    whole("ring", false),
    whole("incast", false),
    whole("websearch", true),
    whole("all-to-all-1024", false),
];

/// The ring again, with larger steps, on the healthy fabric alone: how far its results go depends on
/// how much a step carries. Not in the standings, where the ring would count several times.
pub const RING_STEPS: &[Workload] =
    &[whole("ring-256K", false), whole("ring-1M", false), whole("ring-4M", false)];

/// The permutation again, with larger messages, under each fault: 1 MiB is less than two products of
/// bandwidth and delay. Not in the standings, where it would count several times.
pub const SIZES: &[Workload] = &[
    sized("permutation-4M", "permutation", "4 MiB"),
    sized("permutation-16M", "permutation", "16 MiB"),
];

impl Workload {
    /// All workloads, those of the standings first.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        WORKLOADS.iter().chain(SIZES).chain(RING_STEPS)
    }

    /// Whether it is one of [`RING_STEPS`].
    pub(super) fn is_step(&self) -> bool {
        RING_STEPS.iter().any(|step| step.name == self.name)
    }

    /// Axes and values of one of its columns, without the scheme; a larger message is a value of the
    /// axis `size`.
    pub(super) fn settings(&self, job: &[(String, String)]) -> Vec<(String, String)> {
        let mut settings: Vec<(String, String)> =
            job.iter().filter(|(axis, _)| axis != "scheme").cloned().collect();
        if let Some((of, size)) = self.size {
            for (axis, value) in &mut settings {
                if axis == "workload" {
                    of.clone_into(value);
                }
            }
            settings.push((SIZE.to_owned(), size.to_owned()));
        }
        settings
    }

    /// The scenario of this workload, with further `changes`.
    ///
    /// # Errors
    /// What is wrong with the changes.
    pub fn study(&self, changes: &[(String, String)]) -> Result<Study, Problems> {
        let own = [("workload".to_owned(), format!("\"{}\"", self.name))];
        let healthy = ("faults".to_owned(), "\"healthy\"".to_owned());
        let alone = self.is_step().then_some(healthy);
        let all: Vec<_> = own.into_iter().chain(changes.iter().cloned()).chain(alone).collect();
        scenario::parse("figures/verdict/scenario.toml", SCENARIO, Path::new("."), &all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workload_has_every_scheme_under_all_faults_and_stacks() {
        for workload in WORKLOADS.iter().chain(SIZES) {
            let study = workload.study(&[]).unwrap_or_else(|p| panic!("{}", p.render(false)));
            let sizes: Vec<(&str, usize)> =
                study.axes.iter().map(|axis| (axis.name.as_str(), axis.values.len())).collect();
            assert_eq!(sizes, [("scheme", 18), ("workload", 1), ("faults", 4), ("stack", 2)]);
        }
    }
}
