//! Who hurts whom: what each job takes beside others, over what it takes alone.

use super::Entry;
use crate::scenario::alone::{AXIS, Together, together};
use crate::study::metric::{Better, COMPLETION, Measured, Metric};
use crate::study::stats::Spread;
use crate::study::summary::{JobSummary, RunSummary};
use crate::study::text::{left, plural, right, settings, width};
use serde_json::{Value, json};
use std::cmp::Ordering;
use std::fmt::Write;

/// Between columns.
const GAP: &str = "   ";

/// Jobs on one fabric, under each of some conditions.
#[derive(Clone, Debug, PartialEq)]
pub struct Interference {
    /// What all runs have in common.
    pub title: String,
    /// What the values are.
    pub metric: &'static Metric,
    /// The seeds.
    pub seeds: usize,
    /// The jobs, in their order.
    pub jobs: Vec<String>,
    /// Whether pairs were run.
    pub paired: bool,
    /// What the sweep sets, in its order.
    pub conditions: Vec<Condition>,
}

/// One setting of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// What it sets; empty without a sweep.
    pub settings: Vec<(String, String)>,
    /// By job.
    pub victims: Vec<Victim>,
}

/// What a job suffers.
#[derive(Clone, Debug, PartialEq)]
pub struct Victim {
    /// The metric of the job alone, the mean of seeds; `None` where it did not complete.
    pub alone: Option<f64>,
    /// What it is worse by with all others: 1.2 takes 1.2 times as long, or gets as much less.
    pub all: Slowdown,
    /// The same with each other one alone, by its number; `None` of itself, and without pairs.
    pub with: Vec<Option<Slowdown>>,
}

/// A ratio over seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Slowdown {
    /// The mean of the seeds' ratios; `None` where one did not complete.
    pub mean: Option<f64>,
    /// Half of the 95 % confidence interval of the mean, of several seeds.
    pub ci95_half: Option<f64>,
}

impl Slowdown {
    /// Of the metric beside others and alone, with each seed.
    fn of(metric: &Metric, beside: &[Option<f64>], alone: &[Option<f64>]) -> Self {
        let ratio = |(beside, alone): (&Option<f64>, &Option<f64>)| {
            let (beside, alone) = ((*beside)?, (*alone)?);
            let (more, less) = match metric.better {
                Better::Lower => (beside, alone),
                Better::Higher => (alone, beside),
            };
            (less > 0.0).then(|| more / less)
        };
        let ratios: Option<Vec<f64>> = beside.iter().zip(alone).map(ratio).collect();
        let spread = ratios.and_then(|ratios| Spread::of(&ratios));
        spread.map_or(Self::default(), |spread| Self {
            mean: Some(spread.mean),
            ci95_half: spread.ci95_half,
        })
    }

    /// Its confidence interval, of several seeds.
    fn interval(self) -> Option<[f64; 2]> {
        let (mean, half) = (self.mean?, self.ci95_half?);
        Some([mean - half, mean + half])
    }

    /// `1.42` or `1.42 ±0.03`.
    fn text(self) -> String {
        match (self.mean, self.ci95_half) {
            (None, _) => "-".to_owned(),
            (Some(mean), None) => format!("{mean:.2}"),
            (Some(mean), Some(half)) => format!("{mean:.2} ±{half:.2}"),
        }
    }

    fn to_json(self) -> Value {
        json!({"mean": self.mean, "ci95_half": self.ci95_half})
    }
}

impl Interference {
    /// Of runs of these jobs, all together, each alone and in pairs; of `metric`s the first that all jobs
    /// have in all runs that completed, else the last.
    pub fn of(
        title: &str,
        jobs: &[String],
        metrics: &[&'static Metric],
        entries: &[Entry<'_>],
    ) -> Self {
        let every = together(jobs);
        let summaries = || entries.iter().filter_map(|entry| entry.summary);
        let has = |metric: &&&'static Metric| {
            summaries().all(|run| {
                let own =
                    jobs.iter().filter_map(|job| whole(run, job)).filter(|j| j.unfinished == 0);
                own.into_iter().all(|job| metric.measure(&Measured::of_job(job)).is_some())
            })
        };
        let metric = metrics.iter().find(has).or(metrics.last());
        let metric = metric.copied().unwrap_or(&COMPLETION);
        let mut known: Vec<Vec<(String, String)>> = Vec::new();
        for entry in entries {
            let settings = own_settings(entry);
            if !known.contains(&settings) {
                known.push(settings);
            }
        }
        let conditions = known.into_iter().map(|settings| {
            let values =
                |own: &Together, job: usize| values(metric, entries, &settings, own, &jobs[job]);
            let victims =
                (0..jobs.len()).map(|job| victim(metric, &every, job, jobs.len(), &values));
            Condition { victims: victims.collect(), settings: settings.clone() }
        });
        let mut seeds: Vec<u64> = entries.iter().map(|entry| entry.seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        Self {
            title: title.to_owned(),
            metric,
            seeds: seeds.len(),
            jobs: jobs.to_vec(),
            paired: every.len() > jobs.len() + 1,
            conditions: conditions.collect(),
        }
    }

    /// The screen: a table for each condition, a row for each job.
    pub fn screen(&self) -> String {
        let mut text = format!(
            "{}, {}: {} of each job beside others, over that alone\n",
            self.title,
            plural(self.seeds as u64, "seed"),
            self.metric.noun
        );
        for condition in &self.conditions {
            text.push('\n');
            if !condition.settings.is_empty() {
                let _ = writeln!(text, "  {}", settings(&condition.settings));
            }
            for line in self.lines(condition) {
                let _ = writeln!(text, "  {}", line.trim_end());
            }
        }
        let _ = writeln!(text, "\n  {}", self.worst());
        if self.seeds > 1 {
            text += "\n  ± 95 % confidence interval of the mean\n";
        }
        text
    }

    fn lines(&self, condition: &Condition) -> Vec<String> {
        let mut head = vec![String::new(), "alone".to_owned()];
        if self.paired {
            head.extend(self.jobs.iter().map(|job| format!("with {job}")));
        }
        head.push(match self.jobs.len() {
            2 => "with the other".to_owned(),
            _ => "with all".to_owned(),
        });
        let mut rows = vec![head];
        for (job, victim) in self.jobs.iter().zip(&condition.victims) {
            let mut row = vec![job.clone()];
            row.push(victim.alone.map_or("-".to_owned(), |alone| self.metric.text(alone)));
            let text = |own: &Option<Slowdown>| own.map_or(String::new(), Slowdown::text);
            if self.paired {
                row.extend(victim.with.iter().map(text));
            }
            row.push(victim.all.text());
            rows.push(row);
        }
        let columns = rows[0].len();
        let widths: Vec<usize> = (0..columns)
            .map(|column| rows.iter().map(|row| width(&row[column])).max().unwrap_or(0))
            .collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate();
            let cell = |(column, (text, width)): (usize, (&String, &usize))| match column {
                0 => left(text, *width),
                _ => right(text, *width),
            };
            cells.map(cell).collect::<Vec<_>>().join(GAP)
        };
        rows.iter().map(line).collect()
    }

    /// `storage hurts training most: 1.42 times alone, with placement = random.`: of those slowdowns that
    /// the seeds tell from 1 the greatest, and `most` if they tell it from all others.
    fn worst(&self) -> String {
        if self.seeds < 2 {
            return "One seed does not tell who hurts whom: give `seed` a range.".to_owned();
        }
        let mut all: Vec<(Slowdown, String)> = Vec::new();
        for condition in &self.conditions {
            let at = match &condition.settings[..] {
                [] => String::new(),
                own => format!(", with {}", settings(own)),
            };
            for (victim, whom) in condition.victims.iter().zip(&self.jobs) {
                for (with, who) in victim.with.iter().zip(&self.jobs) {
                    let Some(own) = with.filter(|own| own.interval().is_some()) else { continue };
                    let mean = own.mean.unwrap_or_default();
                    let text =
                        |most| format!("{who} hurts {whom}{most}: {mean:.2} times alone{at}.");
                    all.push((own, text("{most}")));
                }
            }
        }
        let low = |own: &Slowdown| own.interval().map_or(0.0, |[low, _]| low);
        let high = |own: &Slowdown| own.interval().map_or(f64::INFINITY, |[_, high]| high);
        let told = all.iter().enumerate().filter(|(_, (own, _))| low(own) > 1.0);
        let worst = told.max_by(|(_, (a, _)), (_, (b, _))| {
            a.mean.partial_cmp(&b.mean).unwrap_or(Ordering::Equal)
        });
        let Some((index, (own, text))) = worst else {
            return "These seeds do not tell that a job is slower beside another.".to_owned();
        };
        let mut others = all.iter().enumerate().filter(|(other, _)| *other != index);
        let is_most = others.all(|(_, (other, _))| high(other) < low(own));
        text.replace("{most}", if is_most { " most" } else { "" })
    }

    /// The object of `raddle.interference/1`.
    pub fn to_json(&self) -> Value {
        let conditions = self.conditions.iter().map(|condition| {
            let settings: serde_json::Map<String, Value> = condition
                .settings
                .iter()
                .map(|(path, value)| (path.clone(), json!(value)))
                .collect();
            let victims = self.jobs.iter().zip(&condition.victims).map(|(job, victim)| {
                let with: Vec<Value> = self
                    .jobs
                    .iter()
                    .zip(&victim.with)
                    .filter_map(|(other, with)| {
                        let with = (*with)?;
                        Some(json!({"job": other, "slowdown": with.to_json()}))
                    })
                    .collect();
                json!({
                    "job": job,
                    "alone": victim.alone,
                    "with_all": victim.all.to_json(),
                    "with": with,
                })
            });
            json!({"settings": settings, "jobs": victims.collect::<Vec<_>>()})
        });
        json!({
            "schema": "raddle.interference/1",
            "title": self.title,
            "metric": self.metric.word,
            "seeds": self.seeds,
            "conditions": conditions.collect::<Vec<_>>(),
        })
    }
}

/// What a run sets beside which jobs it has.
fn own_settings(entry: &Entry<'_>) -> Vec<(String, String)> {
    entry.settings.iter().filter(|(path, _)| path != AXIS).cloned().collect()
}

/// A job as a whole, or its slowest group.
fn whole<'a>(run: &'a RunSummary, name: &str) -> Option<&'a JobSummary> {
    let own = |job: &&JobSummary| job.name == name || job.group_of.as_deref() == Some(name);
    let all = run.jobs.iter().filter(|job| job.load_balance.is_none()).filter(own);
    all.max_by(|a, b| {
        let time = |job: &JobSummary| job.completion_us.unwrap_or(f64::INFINITY);
        time(a).total_cmp(&time(b))
    })
}

/// The metric of a job in the runs of some jobs together, by seed.
fn values(
    metric: &Metric,
    entries: &[Entry<'_>],
    settings: &[(String, String)],
    own: &Together,
    job: &str,
) -> Vec<Option<f64>> {
    let is_own = |entry: &&Entry<'_>| {
        entry.settings.iter().any(|(path, value)| path == AXIS && *value == own.name)
            && own_settings(entry) == settings
    };
    let mut found: Vec<&Entry<'_>> = entries.iter().filter(is_own).collect();
    found.sort_by_key(|entry| entry.seed);
    let measure =
        |entry: &&Entry<'_>| metric.measure(&Measured::of_job(whole(entry.summary?, job)?));
    found.iter().map(measure).collect()
}

fn victim(
    metric: &Metric,
    every: &[Together],
    job: usize,
    count: usize,
    values: &dyn Fn(&Together, usize) -> Vec<Option<f64>>,
) -> Victim {
    let of = |jobs: &[usize]| every.iter().find(|own| own.jobs == jobs);
    let alone = of(&[job]).map_or(Vec::new(), |own| values(own, job));
    let beside =
        |own: Option<&Together>| own.map(|own| Slowdown::of(metric, &values(own, job), &alone));
    let with = |other: usize| match other {
        _ if other == job => None,
        // Two jobs are a pair.
        _ if count == 2 => beside(every.first()),
        _ => beside(of(&[job.min(other), job.max(other)])),
    };
    let own: Option<Vec<f64>> = alone.iter().copied().collect();
    Victim {
        alone: own.and_then(|own| Spread::of(&own)).map(|spread| spread.mean),
        all: beside(every.first()).unwrap_or_default(),
        with: (0..count).map(with).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::fixture;
    use crate::study::timing::Cost;
    use raddle_schemes::units::Time;
    use raddle_sim::workload::job::Job;

    /// A run of some of three jobs of one flow each, which take so many microseconds.
    fn run(of: &[(&str, u64)]) -> RunSummary {
        let mut plan = fixture::plan(1);
        let mut outcome = fixture::engine(&plan, &mut ());
        let (flow, record) = (plan.traffic.flows[0].clone(), outcome.flows.at(0));
        plan.traffic.flows = vec![flow; of.len()];
        outcome.flows = std::iter::repeat_n(record, of.len()).collect();
        plan.traffic.jobs =
            (0..).zip(of).map(|(at, (name, _))| Job::new(name, at..at + 1)).collect();
        for (flow, (_, us)) in of.iter().enumerate() {
            outcome.flows.change(flow, |flow| {
                flow.started = Some(Time(0));
                flow.acked = Some(Time(us * 1_000_000));
            });
        }
        RunSummary::new("h", &plan, &outcome, None, Cost::default())
    }

    #[test]
    fn each_job_is_told_beside_each_other_one() {
        let runs = [
            ("all", run(&[("a", 30), ("b", 24), ("c", 10)])),
            ("a alone", run(&[("a", 10)])),
            ("b alone", run(&[("b", 20)])),
            ("c alone", run(&[("c", 10)])),
            ("a and b", run(&[("a", 25), ("b", 22)])),
            ("a and c", run(&[("a", 12), ("c", 10)])),
            ("b and c", run(&[("b", 21), ("c", 10)])),
        ];
        let settings: Vec<Vec<(String, String)>> =
            runs.iter().map(|(name, _)| vec![(AXIS.to_owned(), (*name).to_owned())]).collect();
        let of_seeds = |seeds: u64| -> Vec<Entry<'_>> {
            let both = || settings.iter().zip(&runs);
            let of_seed = |seed: u64| {
                both().map(move |(settings, (_, run))| Entry { settings, seed, summary: Some(run) })
            };
            (1..=seeds).flat_map(of_seed).collect()
        };
        let jobs = ["a", "b", "c"].map(str::to_owned);
        let of = |seeds| Interference::of("t", &jobs, &[&COMPLETION], &of_seeds(seeds));
        let told = of(1);
        let expected = "t, 1 seed: completion of each job beside others, over that alone\n\n\
            \x20        alone   with a   with b   with c   with all\n\
            \x20 a   10.00 us              2.50     1.20       3.00\n\
            \x20 b   20.00 us     1.10              1.05       1.20\n\
            \x20 c   10.00 us     1.00     1.00                1.00\n\n\
            \x20 One seed does not tell who hurts whom: give `seed` a range.\n";
        assert_eq!(told.screen(), expected);
        assert_eq!(of(2).worst(), "b hurts a most: 2.50 times alone.");
        let json = told.to_json();
        assert_eq!(json["conditions"][0]["jobs"][1]["with_all"]["mean"], 1.2);
        assert_eq!(json["conditions"][0]["jobs"][1]["with"][1]["job"], "c");
    }

    /// 1.8 or so is not told from 1.2 give or take 0.7, nor that from 1.
    #[test]
    fn only_what_intervals_tell_apart_is_the_most() {
        let slowdown = |mean, half| Slowdown { mean: Some(mean), ci95_half: Some(half) };
        let told = |other: Slowdown| {
            let victim = |with| Victim { alone: Some(1.0), all: Slowdown::default(), with };
            let victims =
                vec![victim(vec![None, Some(slowdown(1.8, 0.1))]), victim(vec![Some(other), None])];
            Interference {
                title: String::new(),
                metric: &COMPLETION,
                seeds: 3,
                jobs: ["a", "b"].map(str::to_owned).to_vec(),
                paired: false,
                conditions: vec![Condition { settings: Vec::new(), victims }],
            }
            .worst()
        };
        assert_eq!(told(slowdown(1.2, 0.7)), "b hurts a: 1.80 times alone.");
        assert_eq!(told(slowdown(1.2, 0.1)), "b hurts a most: 1.80 times alone.");
    }
}
