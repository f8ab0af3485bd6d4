//! What a comparison is asked by: a metric, or what the traffic is asked by, of a run or of a job.

use crate::scenario::Study;
use crate::scenario::reader::nearest;
use crate::study::metric::{COMPLETION, Measured, Metric, Needs};
use crate::study::summary::{JobSummary, RunSummary};
use crate::study::text::{count, list};
use raddle_sim::record::RecordPlan;
use raddle_sim::workload::Traffic;
use raddle_sim::workload::job::Job;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The first of these that all runs have, else the last.
    pub(super) metrics: Vec<&'static Metric>,
    /// Of which job, or of which job's groups; `None` for the whole run.
    pub(super) job: Option<String>,
}

impl Default for Asked {
    /// The completion of runs.
    fn default() -> Self {
        Self { metrics: vec![&COMPLETION], job: None }
    }
}

impl Asked {
    /// The metric of a word, else what the traffic is asked by, and a job by its name or by that of its
    /// groups.
    ///
    /// # Errors
    /// A word that is none, a metric that the traffic does not have, a job that it does not have.
    pub fn of(study: &Study, metric: Option<&str>, job: Option<&str>) -> Result<Self, String> {
        let metrics = match metric {
            None => study.asked_by().to_vec(),
            Some(word) => vec![Metric::named(word)?],
        };
        let asked = Self { metrics, job: job.map(str::to_owned) };
        if metric.is_some() || job.is_some() {
            asked.check(study)?;
        }
        Ok(asked)
    }

    /// The words of its metrics, the one that is taken first in front, and the job.
    pub fn words(&self) -> (Vec<&'static str>, Option<&str>) {
        (self.metrics.iter().map(|metric| metric.word).collect(), self.job.as_deref())
    }

    /// Its metrics: the first that all runs have is taken, else the last.
    pub fn metrics(&self) -> &[&'static Metric] {
        &self.metrics
    }

    /// What [`words`](Self::words) says, of a study that is known to have it.
    ///
    /// # Errors
    /// A word that is none.
    pub fn named(metrics: &[String], job: Option<String>) -> Result<Self, String> {
        let metrics = metrics.iter().map(|word| Metric::named(word)).collect::<Result<_, _>>()?;
        Ok(Self { metrics, job })
    }

    /// Whether some cell of the study has what is asked.
    fn check(&self, study: &Study) -> Result<(), String> {
        if let Some(metric) = self.metrics.iter().find(|_| self.metrics.len() == 1) {
            self.check_switches(study, metric)?;
        }
        let seed = study.seeds.first().copied().unwrap_or(1);
        let mut why = None;
        for traffic in study.each_traffic(seed) {
            // What cannot be drawn is said by the run.
            let Ok(traffic) = traffic else { return Ok(()) };
            match self.check_traffic(&traffic) {
                Ok(()) => return Ok(()),
                Err(reason) => why = why.or(Some(reason)),
            }
        }
        why.map_or(Ok(()), Err)
    }

    /// What switches measure they measure of the whole run.
    fn check_switches(&self, study: &Study, metric: &Metric) -> Result<(), String> {
        let (word, needs) = (metric.word, metric.needs);
        match (needs, &self.job) {
            (Needs::WholeRun | Needs::Ports | Needs::QueueMeans, Some(job)) => {
                return Err(format!("`{word}` is of the whole run: leave `--job {job}` out"));
            }
            (Needs::Ports | Needs::QueueMeans, None) => {}
            _ => return Ok(()),
        }
        let means = needs == Needs::QueueMeans;
        let lacks = |record: &RecordPlan| record.ports.is_empty() || means && !record.queue_means;
        if !study.cells.iter().any(|cell| lacks(cell.scenario.record())) {
            return Ok(());
        }
        let means = if means { " and `queue_means = true`" } else { "" };
        Err(format!(
            "`{word}` is of recorded ports: [record] takes `ports`, as in `ports = [\"tor*\"]`{means}"
        ))
    }

    fn check_traffic(&self, traffic: &Traffic) -> Result<(), String> {
        let jobs: Vec<&Job> = match &self.job {
            None => traffic.jobs.iter().collect(),
            Some(name) => {
                let own = |job: &&Job| is_called(name, &job.name, job.group_of.as_deref());
                let jobs: Vec<&Job> = traffic.jobs.iter().filter(own).collect();
                if jobs.is_empty() {
                    return Err(no_job(name, traffic));
                }
                jobs
            }
        };
        let flows = match self.job {
            None => traffic.flows.len() as u64,
            Some(_) => jobs.iter().map(|job| job.flows.len() as u64).min().unwrap_or(0),
        };
        let has = |metric: &&Metric| match metric.needs {
            Needs::Flows | Needs::WholeRun | Needs::Ports | Needs::QueueMeans => Ok(()),
            Needs::ManyFlows(least) if flows < least => Err(format!(
                "`{}` takes {} flows or more to be resolved, and there are {}: ask for \
                 `{}`, or have more of them",
                metric.word,
                count(least),
                count(flows),
                metric.word.replace("p99", "mean")
            )),
            Needs::ManyFlows(_) => Ok(()),
            Needs::Steps if jobs.iter().any(|job| job.script.is_some()) => Ok(()),
            Needs::Steps => Err(format!(
                "`{}` is of jobs whose ranks compute and send, and there is none: [traffic] \
                 `kind = \"training\"` is one",
                metric.word
            )),
            Needs::Collective if jobs.iter().any(|job| job.collective.is_some()) => Ok(()),
            Needs::Collective => Err(format!(
                "`{}` is of collectives, and there is none: [traffic] `kind = \"collective\"` is one; \
                 `goodput` is of any traffic",
                metric.word
            )),
        };
        let mut each = self.metrics.iter().map(has);
        let first = each.next().unwrap_or(Ok(()));
        if each.any(|other| other.is_ok()) { Ok(()) } else { first }
    }

    /// The first metric that all runs have in which every flow completed.
    pub(super) fn choose<'a>(
        &self,
        runs: impl Iterator<Item = &'a RunSummary> + Clone,
    ) -> &'static Metric {
        let has = |metric: &Metric, run: &RunSummary| {
            self.unfinished(run) > 0 || self.measure(metric, run).is_some()
        };
        let in_all = |metric: &&&'static Metric| runs.clone().all(|run| has(metric, run));
        self.metrics.iter().find(in_all).or(self.metrics.last()).copied().unwrap_or(&COMPLETION)
    }

    /// A metric of what is asked of a run: of groups, that of the worst.
    pub(super) fn measure(&self, metric: &Metric, run: &RunSummary) -> Option<f64> {
        if self.job.is_none() {
            return metric.measure(&Measured::of_run(run));
        }
        let own = self.jobs(run).map(|job| metric.measure(&Measured::of_job(job)));
        own.collect::<Option<Vec<f64>>>()?.into_iter().max_by(|a, b| metric.order(*a, *b))
    }

    /// Flows of it that did not complete.
    pub(super) fn unfinished(&self, run: &RunSummary) -> u64 {
        match self.job {
            None => run.unfinished,
            Some(_) => self.jobs(run).map(|job| job.unfinished).sum(),
        }
    }

    /// The jobs of a run that are asked for.
    fn jobs<'a>(&self, run: &'a RunSummary) -> impl Iterator<Item = &'a JobSummary> {
        let name = self.job.clone().unwrap_or_default();
        let own = move |job: &&JobSummary| is_called(&name, &job.name, job.group_of.as_deref());
        run.jobs.iter().filter(|job| job.load_balance.is_none()).filter(own)
    }
}

fn is_called(asked: &str, name: &str, group_of: Option<&str>) -> bool {
    asked == name || group_of == Some(asked)
}

fn no_job(name: &str, traffic: &Traffic) -> String {
    let mut names: Vec<&str> = Vec::new();
    for job in &traffic.jobs {
        for name in job.group_of.as_deref().into_iter().chain([job.name.as_str()]) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    if names.is_empty() {
        return format!("no job is called `{name}`: give the traffic a `name`");
    }
    let near = nearest(name, names.iter().copied()).map(|near| format!(", nearest: `{near}`"));
    let shown: Vec<String> = names.iter().take(8).map(|name| format!("`{name}`")).collect();
    let near = near.unwrap_or_default();
    format!("no job is called `{name}`{near}; there are {}", list(&shown))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::parse;
    use std::path::Path;

    fn study(traffic: &str) -> Study {
        let text = format!("[fabric]\ntopology = {{ kind = \"fat_tree\", hosts = 16 }}\n{traffic}");
        parse("t.toml", &text, Path::new("."), &[]).unwrap()
    }

    fn chosen(traffic: &str) -> Vec<&'static str> {
        let asked = Asked::of(&study(traffic), None, None).unwrap();
        asked.metrics.iter().map(|metric| metric.word).collect()
    }

    const GROUPS: &str = "[traffic]\nname = \"train\"\nkind = \"collective\"\n\
        operation = \"all_reduce\"\ngroups = [4, 4]\n";

    #[test]
    fn traffic_says_what_it_is_asked_by() {
        assert_eq!(chosen("[traffic]\nkind = \"permutation\"\n"), ["completion"]);
        let poisson = "[traffic]\nkind = \"poisson\"\nlaw = \"websearch\"\nload = 0.4\n\
                       until = \"1 ms\"\n";
        assert_eq!(chosen(poisson), ["slowdown.p99", "slowdown.mean"]);
        assert_eq!(chosen(GROUPS), ["busbw"]);
        let two = "[[traffic]]\nname = \"a\"\nkind = \"permutation\"\n\
                   [[traffic]]\nname = \"b\"\nkind = \"collective\"\noperation = \"all_reduce\"\n";
        assert_eq!(chosen(two), ["completion"]);
    }

    #[test]
    fn what_the_traffic_does_not_have_is_refused_before_anything_runs() {
        let plain = study("[traffic]\nkind = \"permutation\"\n");
        let refused = |metric, job| Asked::of(&plain, metric, job).unwrap_err();
        assert!(refused(Some("busbw"), None).contains("is of collectives, and there is none"));
        let few = refused(Some("slowdown.p99"), None);
        assert!(
            few.contains("takes 2 000 flows or more to be resolved, and there are 16"),
            "{few}"
        );
        assert!(refused(Some("bussbw"), None).contains("nearest: `busbw`"));
        assert!(refused(None, Some("x")).contains("give the traffic a `name`"));
        let groups = study(GROUPS);
        let wrong = Asked::of(&groups, None, Some("trian")).unwrap_err();
        assert!(wrong.contains("nearest: `train`; there are `train`, `train 0` and `train 1`"));
        assert!(Asked::of(&groups, Some("fct.mean"), Some("train 1")).is_ok());
        let few = Asked::of(&groups, Some("fct.p99"), Some("train 1")).unwrap_err();
        assert!(few.contains("ask for `fct.mean`"), "{few}");
        let whole = Asked::of(&groups, Some("pauses"), Some("train 1")).unwrap_err();
        assert_eq!(whole, "`pauses` is of the whole run: leave `--job train 1` out");
        let of = |metric, record: &str| {
            Asked::of(&study(&format!("{GROUPS}{record}")), Some(metric), None).map(|_| ())
        };
        let ports = "[record]\nports = [\"tor*\"]\n";
        assert!(of("uplinks", "").unwrap_err().ends_with("`ports = [\"tor*\"]`"));
        assert!(of("uplinks", ports).is_ok() && of("pauses", "").is_ok());
        assert!(of("memory.p99", ports).unwrap_err().ends_with(" and `queue_means = true`"));
        assert!(of("memory.p99", &format!("{ports}queue_means = true\n")).is_ok());
    }
}
