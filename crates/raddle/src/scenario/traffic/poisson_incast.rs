//! `kind = "poisson_incast"`: queries at random times, each answered by many hosts at once.

use super::{Kind, Made, Misfit, OPEN_LOOP, Pattern, TrafficSection, line};
use crate::scenario::files::Files;
use crate::scenario::limits::LATEST;
use crate::scenario::reader::{Log, Reader};
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::topology::Fabric;
use raddle_sim::workload::Traffic;
use raddle_sim::workload::poisson_incast::{PoissonIncast, Responders};
use std::sync::Arc;

pub(super) const KIND: Kind = Kind {
    word: "poisson_incast",
    summary: "every host asks at random times, and several others answer at once",
    draws: true,
    asked_by: OPEN_LOOP,
    read,
};

fn read(reader: &mut Reader<'_>, _: &Files, _: u8) -> Option<Made> {
    let item = reader.demand("rate", "2.0");
    let rate: Option<f64> = item.and_then(|_| reader.get("rate"));
    let fan_in = reader.at_least("fan_in", 1, None);
    let size = reader.at_least("size", Bytes(1), None);
    let responders = reader.or("responders", Responders::OneTor);
    let replacement = reader.or("replacement", false);
    let until = reader.at_least("until", Span(1), None);
    if let (Some(rate), Some(item)) = (rate, item)
        && !(rate > 0.0 && rate.is_finite())
    {
        let problem = item.place.problem("wrong value for `rate`");
        reader.log().add(problem.label("expected more than 0: queries of each host per second"));
        return None;
    }
    if until.is_some_and(|until| until > LATEST) {
        let problem = reader.take("until")?.place.problem("`until` is too late");
        reader.log().add(problem.label(format!("expected at most {LATEST}")));
        return None;
    }
    let (rate, fan_in, size, until) = (rate?, fan_in?, size?, until?);
    let horizon = Time(until.0);
    Some(Made {
        pattern: Arc::new(PoissonIncast { rate, fan_in, size, responders, replacement, horizon }),
        lines: vec![
            line("rate", &rate),
            line("fan_in", &fan_in),
            line("size", &size),
            line("responders", &responders),
            line("replacement", &replacement),
            line("until", &until),
        ],
        title: format!("{fan_in}:1 incasts of {size}, {rate} per host and second"),
        files: Vec::new(),
    })
}

impl Pattern for PoissonIncast {
    fn generate(&self, fabric: &Fabric, seed: u64) -> Result<Traffic, Misfit> {
        Ok(PoissonIncast::generate(self, fabric, seed)?)
    }

    fn flows(&self, fabric: &Fabric) -> u64 {
        self.expected_flows(fabric)
    }

    fn largest(&self) -> Bytes {
        Bytes(self.size.0.div_ceil(self.fan_in.into()))
    }

    fn message_key(&self) -> &'static str {
        "size"
    }

    fn check(&self, section: &TrafficSection, fabric: &Fabric, log: &Log) {
        // The first picosecond has all that can be wrong, but for too many flows.
        let short = PoissonIncast { horizon: Time(1), ..self.clone() };
        if let Err(error) = PoissonIncast::generate(&short, fabric, 0) {
            log.add(section.problem(&error.into()));
        }
    }
}
