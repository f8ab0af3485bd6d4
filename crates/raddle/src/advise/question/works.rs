//! `[[work]]`: what the fabric is to carry.

use super::values::{name, seconds_at};
use crate::problem::Problem;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::reader::Log;
use crate::scenario::spec::{Item, Place};

keys! {
    /// `[[work]]`.
    WORK: WorkKeys = Section::new("work", "## [[work]]", "what jobs do, and how much of it there is") => {
        name: Text, (required "dense step"),
            "what results call it";
        weight: Number, (some "0.7", "required with several works") [> 0],
            "share of the machine's time that it takes while nothing is broken";
        traffic: Paths, (required { kind = "permutation" }),
            "one exchange, as `[traffic]` of a scenario, or a list of jobs side by side; a step of `kind = \"training\"` is one exchange";
        compute: Time, (= "0 s"),
            "what a step takes beside its exchanges";
        repeat: Whole, (= 1) [>= 1],
            "exchanges of a step, one after the other";
        short: Flag, (= false),
            "the exchanges of the job are as short as this: nothing was shrunk. Without it, ones that take less than five times routing's convergence and a retransmission timeout are refused where something fails";
    }
}

/// A `[[work]]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Work {
    pub(crate) name: String,
    /// Of all works, they sum to 1.
    pub(crate) weight: f64,
    pub(crate) traffic: Item,
    pub(crate) compute_s: f64,
    pub(crate) repeat: u32,
    pub(crate) short: bool,
    pub(crate) place: Place,
}

impl Work {
    /// The step of an exchange that takes so many microseconds.
    pub(crate) fn step_s(&self, exchange_us: f64) -> f64 {
        self.compute_s + f64::from(self.repeat) * exchange_us * 1e-6
    }
}

/// Reads all of them.
pub(super) fn works(items: &[Item], log: &Log) -> Vec<Work> {
    let alone = items.len() == 1;
    let mut works: Vec<Work> = items.iter().filter_map(|item| work(item, alone, log)).collect();
    for (index, own) in works.iter().enumerate() {
        if works[..index].iter().any(|other| other.name == own.name) {
            let problem = own.place.problem(format!("`{}` occurs twice", own.name));
            log.add(problem.label("expected each work once"));
        }
    }
    if items.is_empty() {
        log.add(Problem::new("[[work]] lists nothing").help("what is the fabric to carry?"));
    }
    // Of large weights the sum may be infinite.
    let largest = works.iter().map(|own| own.weight).fold(f64::MIN_POSITIVE, f64::max);
    works.iter_mut().for_each(|own| own.weight /= largest);
    let sum: f64 = works.iter().map(|own| own.weight).sum();
    works.iter_mut().for_each(|own| own.weight /= sum);
    works
}

fn work(item: &Item, alone: bool, log: &Log) -> Option<Work> {
    let mut reader = Reader::of("[[work]]", item, log)?;
    let name = name(&mut reader, &WORK.name);
    if !alone {
        reader.demand(&WORK.weight);
    }
    let weight = reader.get::<f64>(&WORK.weight).or(alone.then_some(1.0));
    let traffic = reader.demand(&WORK.traffic).cloned();
    let compute = match reader.take(&WORK.compute) {
        Some(_) => seconds_at(&mut reader, &WORK.compute, true),
        None => Some(0.0),
    };
    let repeat = reader.at_least::<u32>(&WORK.repeat);
    let short = reader.or(&WORK.short);
    let weight = weight.filter(|weight| {
        let fits = *weight > 0.0 && weight.is_finite();
        if let (false, Some(item)) = (fits, reader.take(&WORK.weight)) {
            let problem = item.place.problem("wrong value for `weight`");
            log.add(problem.label("expected a number above 0"));
        }
        fits
    });
    reader.finish();
    Some(Work {
        name: name?,
        weight: weight?,
        traffic: traffic?,
        compute_s: compute?,
        repeat: repeat?,
        short,
        place: item.place.clone(),
    })
}
