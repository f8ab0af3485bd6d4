//! The answer as JSON: `raddle.advise/1`.

use super::answer::Answer;
use super::measured::{Left, Measured};
use super::rank::Standing;
use crate::study::VERSION;
use serde_json::{Value, json};

/// What a folder keeps of an answer.
pub const SCHEMA: &str = "raddle.advise/1";

impl Answer {
    /// The object of `raddle.advise/1`.
    pub fn to_json(&self) -> Value {
        let standings = self.standings.iter().enumerate();
        let ranking: Vec<Value> = standings.map(|(index, own)| self.of(index, own)).collect();
        let out = self.measured.candidates.iter().filter_map(|own| match &own.left {
            Some(left @ (Left::Constraint { .. } | Left::Unfinished { .. })) => {
                Some(json!({"candidate": own.name, "left": left}))
            }
            _ => None,
        });
        let crossings = self.crossings.iter().map(|own| {
            json!({
                "class": own.class, "of": self.measured.classes[own.class],
                "key": own.knob.word(), "first": self.name(own.first),
                "other": self.name(own.other), "factor": own.factor,
                "factor_low": own.low, "factor_high": own.high, "extrapolated": true,
            })
        });
        json!({
            "schema": SCHEMA, "version": VERSION,
            "objective": self.objective().word(), "margin": self.margin,
            "confidence": self.confidence, "horizon_s": self.horizon_s,
            "ranking": ranking, "out": out.collect::<Vec<_>>(),
            "crossings": crossings.collect::<Vec<_>>(),
            "reduced": self.reduced(), "published": self.published,
            "rates": self.order.weighing.rates, "job": self.order.weighing.job,
            "measured": self.measured,
        })
    }

    fn of(&self, index: usize, own: &Standing) -> Value {
        let works = self.order.works.iter().zip(&own.works).map(|(counted, work)| {
            json!({
                "work": counted.name, "weight": counted.weight, "healthy_s": work.healthy_s,
                "goodput": work.goodput, "goodput_se": work.error,
                "step_mean_s": work.healthy_s / work.goodput.max(1e-300), "step_p99_s": work.p99_s,
                "stops_per_s": work.stops_per_s, "left_out": work.left_out,
                "effective_states": work.effective,
                "lost": {
                    "healthy": work.lost.healthy, "strata": work.lost.strata,
                    "stopped": work.lost.stopped, "events": work.lost.events,
                    "restarts": work.lost.restarts,
                },
            })
        });
        let candidate = &self.measured.candidates[own.candidate];
        let same = self.standings[..index]
            .iter()
            .find(|other| self.is_same(own.candidate, other.candidate))
            .map(|other| self.name(other.candidate));
        json!({
            "place": self.place(index), "candidate": candidate.name, "value": own.value,
            "goodput": own.goodput, "goodput_se": own.error,
            "goodput_half": self.goodput_half(own), "stops": self.stops(own),
            "told": index > 0 && self.is_told(own), "p": own.behind.and_then(|own| own.p),
            "behind": self.behind(own), "same_runs_as": same, "blocks": own.blocks.len(),
            "left": candidate.left, "counts": candidate.counts,
            "cost": self.order.costs.get(own.candidate).copied().flatten(),
            "works": works.collect::<Vec<_>>(),
        })
    }
}

/// What runs gave, from the text of an answer that was kept.
///
/// # Errors
/// The text is no such answer.
pub fn measured(text: &str) -> Result<Measured, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if value["schema"] != SCHEMA {
        return Err(format!("it is not of {SCHEMA}"));
    }
    let Value::Object(mut object) = value else { return Err("it is no object".to_owned()) };
    let own = object.remove("measured").unwrap_or_default();
    let own: Measured = serde_json::from_value(own).map_err(|error| error.to_string())?;
    if own.is_whole() { Ok(own) } else { Err("its lists do not fit together".to_owned()) }
}
