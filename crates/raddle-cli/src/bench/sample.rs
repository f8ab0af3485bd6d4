//! One run of one case, in a process of its own, so that its memory is its own.

use super::suite::{Case, Runner};
use crate::End;
use crate::input;
use raddle::study::timing::Stopwatch;
use serde_json::{Value, json};
use std::process::{Command, Stdio};

/// What one run took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// CPU seconds of all threads.
    pub(super) cpu_s: f64,
    pub(super) wall_s: f64,
    pub(super) packet_hops: u64,
    /// Arrivals and local events.
    pub(super) events: u64,
    /// Most memory the process held, in MB; `None` where the system does not tell.
    pub(super) peak_rss_mb: Option<f64>,
    /// The time of all parts over that of the slowest part of each window, where parts were
    /// measured.
    pub(super) total_over_critical_path: Option<f64>,
}

impl Sample {
    /// Runs a case with changes to its scenario in this process.
    pub(super) fn here(case: &Case, runner: Runner, set: &[(String, String)]) -> Result<Self, End> {
        let study = case.study(set).map_err(|problems| input::refuse(&problems))?;
        let resolved = study.cells[0].scenario.resolve(1);
        let plan = resolved.map_err(|problem| input::refuse(&study.problem(problem)))?;
        let watch = Stopwatch::start_process();
        let (outcome, parts) = runner.run(&plan);
        let cost = watch.stop();
        Ok(Self {
            cpu_s: cost.cpu_s.unwrap_or(cost.wall_s),
            wall_s: cost.wall_s,
            packet_hops: outcome.packet_hops,
            events: outcome.events,
            peak_rss_mb: cost.peak_rss_mb,
            total_over_critical_path: parts
                .map(|parts| parts.total as f64 / parts.longest as f64)
                .filter(|ratio| ratio.is_finite()),
        })
    }

    /// Runs a case in a process of its own: this program with `--once`.
    pub(super) fn apart(case: &Case, runner: Runner) -> Result<Self, String> {
        let place = case.runners.iter().position(|other| *other == runner).unwrap_or(0);
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let said = Command::new(program)
            .args(["bench", "--once", &case.id(), "--runner", &place.to_string()])
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| error.to_string())?;
        if !said.status.success() {
            return Err(format!("{} ended with {}", case.id(), said.status));
        }
        let value: Value =
            serde_json::from_slice(&said.stdout).map_err(|error| error.to_string())?;
        Self::from_json(&value).ok_or_else(|| format!("{} said {value}", case.id()))
    }

    pub(super) fn to_json(self) -> Value {
        json!({
            "cpu_s": self.cpu_s,
            "wall_s": self.wall_s,
            "packet_hops": self.packet_hops,
            "events": self.events,
            "peak_rss_mb": self.peak_rss_mb,
            "total_over_critical_path": self.total_over_critical_path,
        })
    }

    fn from_json(value: &Value) -> Option<Self> {
        Some(Self {
            cpu_s: value["cpu_s"].as_f64()?,
            wall_s: value["wall_s"].as_f64()?,
            packet_hops: value["packet_hops"].as_u64()?,
            events: value["events"].as_u64()?,
            peak_rss_mb: value["peak_rss_mb"].as_f64(),
            total_over_critical_path: value["total_over_critical_path"].as_f64(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::suite::cases;

    #[test]
    fn every_runner_counts_the_same_hops_of_a_case() {
        let small = [
            ("fabric.topology.hosts".to_owned(), "16".to_owned()),
            ("run.end".to_owned(), "\"50 us\"".to_owned()),
        ];
        let case = cases(&["websearch_40".to_owned()], false)[0];
        let samples: Vec<_> = case.runners.iter().map(|r| Sample::here(case, *r, &small)).collect();
        let hops: Vec<_> =
            samples.into_iter().map(|s| s.map_or(0, |sample| sample.packet_hops)).collect();
        assert!(hops[0] > 1_000 && hops.iter().all(|h| *h == hops[0]), "{hops:?}");
    }

    #[test]
    fn parts_tell_their_critical_path() {
        let small = [("traffic.message".to_owned(), "\"16 KiB\"".to_owned())];
        let case = cases(&["critical_path-priority-k8".to_owned()], false)[0];
        for runner in case.runners {
            let sample = Sample::here(case, *runner, &small).ok().unwrap();
            let ratio = sample.total_over_critical_path.unwrap();
            assert!(ratio >= 1.0 && ratio <= f64::from(runner.threads), "{ratio}");
        }
    }

    #[test]
    fn samples_survive_their_way_between_processes() {
        let sample = Sample {
            cpu_s: 0.123_456_789,
            wall_s: 2.5,
            packet_hops: 1 << 40,
            events: 7,
            peak_rss_mb: None,
            total_over_critical_path: Some(1.9),
        };
        let back = Sample::from_json(&sample.to_json()).unwrap();
        assert_eq!(format!("{back:?}"), format!("{sample:?}"));
    }
}
