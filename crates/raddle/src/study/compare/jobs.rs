//! The metric of each job, and over the groups of one.

use crate::study::metric::{Measured, Metric};
use crate::study::stats::{Spread, least_median_most};
use crate::study::summary::RunSummary;

/// The metric of a job with each seed.
#[derive(Clone, Debug, PartialEq)]
pub struct JobValues {
    /// The job's name.
    pub name: String,
    /// The job of which it is one group, if it is one.
    pub group_of: Option<String>,
    /// One per seed.
    pub values: Vec<Option<f64>>,
}

/// The metric over the groups of a job: means over seeds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OverGroups {
    /// The job.
    pub job: String,
    /// How many groups it has.
    pub groups: usize,
    /// The smallest of a seed's groups.
    pub min: f64,
    /// The median; of an even number, the mean of the two in the middle.
    pub median: f64,
    /// The largest.
    pub max: f64,
}

impl JobValues {
    /// Of every job of the runs with each seed.
    pub(super) fn of(metric: &Metric, runs: &[Option<&RunSummary>]) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for (seed, run) in runs.iter().enumerate() {
            let jobs = run.iter().flat_map(|run| &run.jobs);
            for job in jobs.filter(|job| job.load_balance.is_none()) {
                let at = found.iter().position(|known| known.name == job.name);
                let at = at.unwrap_or_else(|| {
                    found.push(Self {
                        name: job.name.clone(),
                        group_of: job.group_of.clone(),
                        values: vec![None; runs.len()],
                    });
                    found.len() - 1
                });
                found[at].values[seed] = metric.measure(&Measured::of_job(job));
            }
        }
        found
    }

    /// Its mean over the seeds with which it has a value.
    pub(super) fn mean(&self) -> Option<f64> {
        let values: Vec<f64> = self.values.iter().copied().flatten().collect();
        Spread::of(&values).map(|spread| spread.mean)
    }
}

impl OverGroups {
    /// Over the groups of each job that has some, with the seeds with which every group has a value.
    pub(super) fn of(jobs: &[JobValues]) -> Vec<Self> {
        let mut names: Vec<&str> = Vec::new();
        for name in jobs.iter().filter_map(|job| job.group_of.as_deref()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.into_iter().filter_map(|name| Self::of_job(name, jobs)).collect()
    }

    fn of_job(name: &str, jobs: &[JobValues]) -> Option<Self> {
        let groups: Vec<&JobValues> =
            jobs.iter().filter(|job| job.group_of.as_deref() == Some(name)).collect();
        let seeds = groups.first()?.values.len();
        let of_seed = |seed: usize| {
            let values = groups.iter().map(|group| group.values[seed]);
            least_median_most(values.collect::<Option<_>>()?)
        };
        let all: Vec<[f64; 3]> = (0..seeds).filter_map(of_seed).collect();
        let mean = |i: usize| {
            let values: Vec<f64> = all.iter().map(|own| own[i]).collect();
            Spread::of(&values).map(|spread| spread.mean)
        };
        let (job, groups) = (name.to_owned(), groups.len());
        Some(Self { job, groups, min: mean(0)?, median: mean(1)?, max: mean(2)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_give_their_least_median_and_most() {
        let group = |name: &str, values: [Option<f64>; 2]| JobValues {
            name: name.to_owned(),
            group_of: Some("a".to_owned()),
            values: values.to_vec(),
        };
        let mut jobs = vec![
            group("a 0", [Some(4.0), Some(2.0)]),
            group("a 1", [Some(1.0), Some(3.0)]),
            group("a 2", [Some(2.0), Some(8.0)]),
        ];
        let over = OverGroups::of(&jobs);
        let expected = OverGroups { job: "a".into(), groups: 3, min: 1.5, median: 2.5, max: 6.0 };
        assert_eq!(over, [expected]);
        // A seed with which one group did not end says nothing of the groups.
        jobs[2].values[1] = None;
        assert_eq!(OverGroups::of(&jobs)[0].max, 4.0);
        jobs[0].group_of = None;
        assert_eq!(OverGroups::of(&jobs)[0].groups, 2);
    }
}
