//! `[record] flows`: whose packets and probes are kept.

use super::reader::{Log, with_nearest};
use super::spec::{Item, Value};
use crate::problem::Problem;
use raddle_schemes::ids::FlowId;
use raddle_schemes::rng::Rng;
use raddle_sim::workload::Traffic;
use std::collections::BTreeSet;

/// What would do.
const EXPECTED: &str = "expected numbers, as in [0, 17], or \"every 64th\", \"job NAME\", \
    \"slowest 5\", \"critical\" or \"2%\"";

/// Which flows.
#[derive(Clone, Debug)]
pub(crate) struct Followed {
    which: Which,
    item: Item,
    /// Whether their packets are kept.
    pub(super) packets: bool,
}

#[derive(Clone, Debug)]
enum Which {
    Numbers(Vec<u32>),
    Every(u32),
    Job(String),
    Slowest(u32),
    Critical,
    /// Each with this chance.
    Share(f64),
}

/// Those of a run.
#[derive(Debug, PartialEq)]
pub(crate) enum Chosen {
    These(Vec<FlowId>),
    /// So many that took longest, which a run tells.
    Slowest(u32),
    /// Those that decide when jobs end, which a run tells.
    Critical,
}

impl Which {
    fn of_text(text: &str) -> Option<Self> {
        if let Some(name) = text.strip_prefix("job ") {
            return Some(Self::Job(name.to_owned()));
        }
        if text == "critical" {
            return Some(Self::Critical);
        }
        if let Some(count) = text.strip_prefix("slowest ") {
            return count.parse().ok().filter(|count| *count > 0).map(Self::Slowest);
        }
        if let Some(share) = text.strip_suffix('%') {
            let share: f64 = share.trim_end().parse().ok()?;
            return (share > 0.0 && share <= 100.0).then_some(Self::Share(share / 100.0));
        }
        every(text).map(Self::Every)
    }
}

impl Followed {
    pub(super) fn read(item: &Item, log: &Log) -> Option<Self> {
        let which = match &item.value {
            Value::Text(text) => Which::of_text(text),
            Value::List(items) if !items.is_empty() => {
                let number = |own: &Item| match own.value {
                    Value::Integer(number) => u32::try_from(number).ok(),
                    _ => None,
                };
                let numbers: Option<Vec<u32>> = items.iter().map(number).collect();
                numbers.map(Which::Numbers)
            }
            _ => None,
        };
        if which.is_none() {
            let problem = item.place.problem("`flows` says whose packets and probes are kept");
            log.add(problem.label(EXPECTED));
        }
        Some(Self { which: which?, item: item.clone(), packets: false })
    }

    /// What the scenario says.
    pub(super) fn item(&self) -> &Item {
        &self.item
    }

    /// Those of a run's traffic.
    pub(crate) fn of(&self, traffic: &Traffic, seed: u64) -> Result<Chosen, Problem> {
        let flows = traffic.flows.len();
        let all = 0..flows as u32;
        let numbers: BTreeSet<u32> = match &self.which {
            Which::Every(every) => all.step_by(*every as usize).collect(),
            Which::Numbers(numbers) => {
                if let Some(number) = numbers.iter().find(|number| **number as usize >= flows) {
                    let most = flows.saturating_sub(1);
                    let message = format!("there is no flow {number}: the last is {most}");
                    let problem = self.item.place.problem(message);
                    return Err(problem.label("expected numbers of flows"));
                }
                numbers.iter().copied().collect()
            }
            Which::Job(name) => self.of_job(traffic, name)?,
            Which::Slowest(count) if *count as usize > flows => {
                let problem = self.item.place.problem(format!("there are {flows} flows"));
                return Err(problem.label(format!("expected \"slowest {flows}\" at most")));
            }
            Which::Slowest(count) => return Ok(Chosen::Slowest(*count)),
            Which::Critical if traffic.jobs.iter().all(|job| job.script.is_none()) => {
                let problem =
                    self.item.place.problem("no job here has ranks that compute and send");
                let help =
                    "`critical` is of [traffic] `kind = \"training\"` and `kind = \"trace\"`";
                return Err(problem.label("expected such a job").help(help));
            }
            Which::Critical => return Ok(Chosen::Critical),
            Which::Share(share) => {
                let mut rng = Rng::new(seed, "recorded flows", 0);
                all.filter(|_| rng.unit() < *share).collect()
            }
        };
        Ok(Chosen::These(numbers.into_iter().map(FlowId).collect()))
    }

    /// The flows of the jobs of this name, or of its groups.
    fn of_job(&self, traffic: &Traffic, name: &str) -> Result<BTreeSet<u32>, Problem> {
        let is_named = |own: &str| own == name;
        let own = traffic
            .jobs
            .iter()
            .filter(|job| is_named(&job.name) || job.group_of.as_deref().is_some_and(is_named));
        let numbers: BTreeSet<u32> = own.flat_map(|job| job.flows.clone()).collect();
        if numbers.is_empty() {
            let problem = self.item.place.problem(format!("no job is called `{name}`"));
            let names = traffic.jobs.iter().map(|job| job.name.as_str());
            let help = "jobs are the parts of [[traffic]] with a `name`";
            return Err(with_nearest(problem, name, names).help(help));
        }
        Ok(numbers)
    }
}

/// `"every 64th"`: 64.
fn every(text: &str) -> Option<u32> {
    let nth = text.strip_prefix("every ")?;
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| nth.strip_suffix(end))?;
    digits.parse().ok().filter(|every| *every > 0)
}
