//! What each cell of a figure came to over its seeds: what pictures of the figure are drawn from.

use super::digits::six_digits;
use super::metric::Metric;
use super::number::Number;
use super::run::FigureRun;
use raddle::study::stats::Spread;
use raddle::study::summary::{SizeClass, results_hash_of_runs};
use raddle::study::text::plural;
use serde_json::{Map, Value, json};

/// A cell of the scenario's sweep, over its seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureCell {
    /// What the sweep set: names and values.
    pub settings: Vec<(String, String)>,
    /// The hash of the scenario that was run, which is not today's if that has changed since.
    pub scenario: String,
    /// How many seeds it ran with.
    pub seeds: usize,
    /// Hash of what the engine gave with each of them: the same on every machine.
    pub results: Option<String>,
    /// Seeds with which some flow did not complete.
    pub never: usize,
    /// Sizes of flows all of which completed with every seed, though others did not.
    pub ended: Vec<SizeClass>,
    /// The mean over the seeds of the lower bound on the completion and its name, where all seeds
    /// have the same one.
    pub bound: Option<(String, f64)>,
    /// What was measured, over the seeds that have it: every number of the run's summary, and what
    /// the figure draws besides. A count that is 0 with every seed is left out.
    pub numbers: Vec<CellNumber>,
}

/// A number of a cell over its seeds, to six digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellNumber {
    /// Which.
    pub number: Number,
    /// The mean.
    pub mean: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
}

impl FigureCell {
    /// Every cell of `runs`, which come cell by cell, with the hash of its scenario and the numbers in
    /// `drawn`.
    pub(super) fn of_runs(
        runs: &[FigureRun],
        scenarios: impl Iterator<Item = String>,
        drawn: &[Number],
    ) -> Vec<Self> {
        let cells = runs.chunk_by(|a, b| a.settings == b.settings);
        cells.zip(scenarios).map(|(runs, scenario)| Self::of(runs, scenario, drawn)).collect()
    }

    fn of(runs: &[FigureRun], scenario: String, drawn: &[Number]) -> Self {
        let summaries = || runs.iter().map(|run| &run.finished.summary);
        let names: Vec<Option<&String>> = summaries().map(|run| run.bound.as_ref()).collect();
        let name =
            names.first().copied().flatten().filter(|_| names.windows(2).all(|w| w[0] == w[1]));
        let bounds: Vec<f64> = summaries().filter_map(|run| run.bound_us).collect();
        let mean = Spread::of(&bounds).map(|spread| six_digits(spread.mean));
        let of_cell = |number: Number| {
            let values: Vec<f64> = runs.iter().filter_map(|run| number.of(run)).collect();
            let spread = Spread::of(&values)?;
            let [mean, min, max] = [spread.mean, spread.min, spread.max].map(six_digits);
            let kept = max > 0.0 || !number.is_always_kept();
            kept.then_some(CellNumber { number, mean, min, max })
        };
        let summed = Metric::all().filter(|metric| metric.is_always_kept()).map(Number::Run);
        let never = summaries().filter(|run| run.completion_us.is_none()).count();
        let ended = |class: &SizeClass| never > 0 && runs.iter().all(|run| run.has_ended(*class));
        let others = drawn.iter().copied().filter(|number| !number.is_always_kept());
        Self {
            settings: runs.first().map_or_else(Vec::new, |run| run.settings.clone()),
            scenario,
            seeds: runs.len(),
            results: Some(results_hash_of_runs(summaries())),
            never,
            ended: SizeClass::ALL.iter().copied().filter(ended).collect(),
            bound: name.cloned().zip(mean),
            numbers: summed.chain(others).filter_map(of_cell).collect(),
        }
    }

    /// A number over the seeds; times are of those seeds with which all flows completed.
    pub fn number(&self, number: Number) -> Option<CellNumber> {
        let kept = self.numbers.iter().find(|kept| kept.number == number).copied();
        let none = CellNumber { number, mean: 0.0, min: 0.0, max: 0.0 };
        kept.or_else(|| (number.is_count() && !self.numbers.is_empty()).then_some(none))
    }

    /// Whether a number has no mean over all seeds, because some flow did not complete.
    pub(super) fn never(&self, number: Number) -> bool {
        let has_ended = number.size_class().is_some_and(|class| self.ended.contains(&class));
        self.never > 0 && number.needs_completion() && !has_ended
    }

    /// Says so.
    pub(super) fn never_words(&self) -> String {
        format!("never, with {} of {}", self.never, plural(self.seeds as u64, "seed"))
    }

    /// What is kept of it: settings, seeds, bound, and of each number mean, least and greatest.
    pub(super) fn json(&self) -> Value {
        let settings = self.settings.iter().map(|(name, value)| (name.clone(), json!(value)));
        let settings: Map<String, Value> = settings.collect();
        let mut object = json!({ "settings": settings, "seeds": self.seeds });
        if self.never > 0 {
            object["never"] = json!(self.never);
        }
        if !self.ended.is_empty() {
            let words = self.ended.iter().map(|class| class.word());
            object["ended"] = words.collect();
        }
        if let Some((name, us)) = &self.bound {
            object["bound"] = json!(name);
            object["bound_us"] = json!(us);
        }
        for CellNumber { number, mean, min, max } in &self.numbers {
            object[number.word()] = json!([mean, min, max]);
        }
        if let Some(results) = &self.results {
            object["results"] = json!(results);
        }
        object["hash"] = json!(self.scenario);
        object
    }

    /// The cell that [`FigureCell::json`] made; `None` if it made no such object.
    pub(super) fn read(value: &Value) -> Option<Self> {
        let count = |key: &str| value.get(key).map_or(Some(0), Value::as_u64);
        let setting =
            |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
        let bound = match (value.get("bound"), value.get("bound_us")) {
            (Some(name), Some(us)) => Some((name.as_str()?.to_owned(), us.as_f64()?)),
            _ => None,
        };
        let number = |(key, value): (&String, &Value)| {
            let number = Number::find(key)?;
            let at = |index: usize| value.get(index).and_then(Value::as_f64);
            Some(CellNumber { number, mean: at(0)?, min: at(1)?, max: at(2)? })
        };
        let class = |word: &Value| {
            let class = |class: &&SizeClass| Some(class.word()) == word.as_str();
            SizeClass::ALL.iter().find(class).copied()
        };
        let classes = || match value.get("ended") {
            Some(list) => list.as_array()?.iter().map(class).collect(),
            None => Some(Vec::new()),
        };
        Some(Self {
            settings: value
                .get("settings")?
                .as_object()?
                .iter()
                .map(setting)
                .collect::<Option<_>>()?,
            scenario: value.get("hash")?.as_str()?.to_owned(),
            seeds: value.get("seeds")?.as_u64()? as usize,
            results: value.get("results").and_then(Value::as_str).map(str::to_owned),
            never: count("never")? as usize,
            ended: classes()?,
            bound,
            numbers: value.as_object()?.iter().filter_map(number).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_read_as_it_was_kept() {
        let number = |word| CellNumber {
            number: Number::find(word).unwrap(),
            mean: 2.5,
            min: 2.0,
            max: 3.0,
        };
        let words = ["completion_us", "dropped", "tor_agg.data_overload"];
        let cell = FigureCell {
            settings: vec![("z.scheme".into(), "reps".into()), ("a".into(), "1".into())],
            scenario: "fedcba9876543210".into(),
            seeds: 3,
            results: Some("0123456789abcdef".into()),
            never: 1,
            ended: vec![SizeClass::Short],
            bound: Some(("permutation".into(), 1.75)),
            numbers: words.map(number).to_vec(),
        };
        assert_eq!(FigureCell::read(&cell.json()).as_ref(), Some(&cell));
        let never = |word| cell.never(Number::find(word).unwrap());
        assert_eq!(
            ["short_fct_p99_us", "fct_p99_us", "long_slowdown_mean"].map(never),
            [false, true, true]
        );
        let plain =
            FigureCell { never: 0, ended: Vec::new(), bound: None, numbers: Vec::new(), ..cell };
        assert_eq!(FigureCell::read(&plain.json()), Some(plain));
        assert_eq!(FigureCell::read(&json!({ "seeds": 3 })), None);
    }
}
