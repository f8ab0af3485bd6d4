//! `[job]`, `[ask]` and `[price]`: what a stop costs, what is asked, what parts cost.

use super::published;
use super::values::{default_seconds, seconds_at, seconds_of, share};
use crate::advise::odds::Job;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::{Log, with_nearest};
use crate::scenario::spec::{Item, Place, Value};

keys! {
    /// `[job]`.
    JOB: JobKeys = Section::new("job", "## [job]", "how a job takes what breaks; required where something does") => {
        stops_after: Time, (required "10 s"),
            "a job that stands still for so long ends";
        restart: Time, (some "68 min", "required, unless a `rates` of the question has it"),
            "what an end costs: detection, loading, and the work since the last checkpoint";
        spare: Flag, (= false),
            "after an end that cut hosts off it goes on on other hosts; else it waits for the repair";
    }
}

/// What candidates are ranked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// Work done, the more the better.
    Goodput,
    /// The mean step.
    StepMean,
    /// The 99th percentile of steps.
    StepP99,
    /// The price of parts over the work done.
    CostPerGoodput,
}

const OBJECTIVES: [&str; 4] = ["goodput", "step_mean", "step_p99", "cost_per_goodput"];

impl Objective {
    /// As a question has it.
    pub fn word(self) -> &'static str {
        OBJECTIVES[self as usize]
    }

    fn named(word: &str) -> Self {
        let all = [Self::Goodput, Self::StepMean, Self::StepP99, Self::CostPerGoodput];
        all.into_iter().find(|own| own.word() == word).unwrap_or(Self::Goodput)
    }
}

keys! {
    /// `[ask]`.
    ASK: AskKeys = Section::new("ask", "## [ask]", "what is asked") => {
        objective: Word(&OBJECTIVES), (= "goodput"),
            "what candidates are ranked by: `goodput`, work done; `step_mean` and `step_p99`, steps as they are while things break; `cost_per_goodput`, with `[price]`";
        margin: Share, (= "2%"),
            "smaller differences need not be told apart";
        confidence: Share, (= "95%"),
            "the chance that no candidate leaves wrongly";
        horizon: Time, (= "30 d"),
            "stops are counted over this";
        budget: Time, (or "none"),
            "no further look begins after so long; a search that goes on has all of it again";
        constraint: List(&Text), (or "none"),
            "what a candidate has to keep, as `\"power_kw <= 400\"`: `hosts`, `switches`, `cables`, `optics`, `power_kw` or `cost`, `<=` or `>=`";
    }
}

/// What a constraint is about.
pub(super) const COUNTED: [&str; 6] = ["hosts", "switches", "cables", "optics", "power_kw", "cost"];

/// A constraint.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Constraint {
    /// One of the words of what is counted.
    pub(crate) what: &'static str,
    /// Whether it is a least number, not a most.
    pub(crate) least: bool,
    pub(crate) number: f64,
    pub(crate) text: String,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ask {
    pub(crate) objective: Objective,
    pub(crate) margin: f64,
    pub(crate) confidence: f64,
    pub(crate) horizon_s: f64,
    pub(crate) budget_s: Option<f64>,
    pub(crate) constraints: Vec<Constraint>,
}

/// Reads `[job]`; nothing is needed of it where nothing fails.
pub(super) fn job(
    item: Option<&Item>,
    (fails, place): (bool, &Place),
    taken: Option<&mut Vec<String>>,
    log: &Log,
) -> Option<Job> {
    let Some(item) = item else {
        if fails {
            let problem = place.problem("the question lacks [job]");
            let label = "add [job] with `stops_after` and `restart`: a time is never assumed";
            log.add(problem.label(label));
        }
        return Some(Job::default());
    };
    let mut reader = Reader::of("[job]", item, log)?;
    if fails {
        reader.demand(&JOB.stops_after);
    }
    let stops_after = seconds_at(&mut reader, &JOB.stops_after, false);
    let mut restart = seconds_at(&mut reader, &JOB.restart, true);
    if reader.take(&JOB.restart).is_none() {
        let (text, source) = published::RESTART;
        match taken {
            Some(taken) => {
                restart = seconds_of(text);
                taken.push(format!("job.restart = {text}: {source}"));
            }
            None if fails => drop(reader.demand(&JOB.restart)),
            None => {}
        }
    }
    let spare = reader.or(&JOB.spare);
    reader.finish();
    Some(Job {
        stops_after_s: stops_after.unwrap_or_default(),
        restart_s: restart.unwrap_or_default(),
        spare,
    })
}

/// Reads `[ask]`.
pub(super) fn ask(item: Option<&Item>, log: &Log) -> Option<Ask> {
    let empty = Item { value: Value::Table(Default::default()), place: Place::default() };
    let mut reader = Reader::of("[ask]", item.unwrap_or(&empty), log)?;
    let objective = Objective::named(reader.word(&ASK.objective));
    let (margin, confidence) =
        (share(&mut reader, &ASK.margin), share(&mut reader, &ASK.confidence));
    let horizon = match reader.take(&ASK.horizon) {
        Some(_) => seconds_at(&mut reader, &ASK.horizon, false),
        None => Some(default_seconds(&ASK.horizon)),
    };
    let budget_s = seconds_at(&mut reader, &ASK.budget, false);
    let texts = reader.list(&ASK.constraint, "texts, as in [\"power_kw <= 400\"]");
    let constraints = texts.iter().filter_map(|item| constraint(item, log)).collect();
    reader.finish();
    Some(Ask { objective, margin, confidence, horizon_s: horizon?, budget_s, constraints })
}

fn constraint(item: &Item, log: &Log) -> Option<Constraint> {
    let text = if let Value::Text(text) = &item.value { text.as_str() } else { "" };
    let split = [("<=", false), (">=", true)];
    let parts = split.into_iter().find_map(|(sign, least)| {
        let (what, number) = text.split_once(sign)?;
        Some((what.trim(), least, number.trim().parse::<f64>().ok()?))
    });
    let Some((what, least, number)) = parts else {
        let problem = item.place.problem("wrong value for `constraint`");
        log.add(problem.label("expected a count, `<=` or `>=`, and a number: \"power_kw <= 400\""));
        return None;
    };
    let Some(what) = COUNTED.into_iter().find(|own| *own == what) else {
        let problem = item.place.problem(format!("nothing counts `{what}`"));
        let help = format!("counted are: {}", COUNTED.join(", "));
        log.add(with_nearest(problem, what, COUNTED).help(help));
        return None;
    };
    Some(Constraint { what, least, number, text: text.to_owned() })
}

/// A price, what it is of, and where it stands.
pub(crate) type Price = (String, f64, Place);

/// Reads `[price]`.
pub(super) fn prices(item: Option<&Item>, log: &Log) -> Vec<Price> {
    let Some(reader) = item.and_then(|item| Reader::of("[price]", item, log)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in &reader.whole().entries {
        let number = match entry.item.value {
            Value::Integer(n) => Some(n as f64),
            Value::Float(x) => Some(x),
            _ => None,
        };
        match number.filter(|number| number.is_finite() && *number >= 0.0) {
            Some(number) => found.push((entry.key.clone(), number, entry.key_place.clone())),
            None => {
                let problem = entry.item.place.problem(format!("wrong value for `{}`", entry.key));
                log.add(problem.label("expected a price, at least 0; names of parts are quoted"));
            }
        }
    }
    found
}
