//! `kind = "poisson_incast"`: queries at random times, each answered by many hosts at once.

use super::placement::{host_set, host_set_line};
use super::{CLASS, Kind, Made, Misfit, OPEN_LOOP, Pattern, SEED, TrafficSection, line};
use crate::scenario::files::Files;
use crate::scenario::job::JobKeyWords;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use crate::scenario::limits::LATEST;
use crate::scenario::reader::Log;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::topology::Fabric;
use raddle_sim::workload::Traffic;
use raddle_sim::workload::poisson_incast::{PoissonIncast, Responders};
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: PoissonIncastKeys = Section::kind("poisson_incast", "every host asks at random times, and several others answer at once").with(JobKeyWords::SECTION) => {
        rate: Number, (required 2.0) [> 0],
            "queries of each host per second";
        fan_in: Whole, (required 1) [>= 1],
            "how many answer a query";
        size: Bytes, (required "1 B") [>= "1 B"],
            "of all answers to a query together; they differ by a byte at most";
        responders: Word(Responders::WORDS), (= "one_tor"),
            "whom those that answer are drawn from: `any`, all other hosts; `other_tors`, those below all other ToRs; `one_tor`, those below one other ToR, drawn for each query; `next_tor`, those below the ToR with the next number";
        senders: Text, (or "all hosts"),
            "the hosts that may answer, `\"0..31\"` or `\"0..15, 32..47\"`, both ends included; `responders` are drawn from them";
        destinations: Text, (or "all hosts"),
            "the hosts that ask, likewise";
        replacement: Flag, (= false),
            "whether one host may answer a query more than once; else `fan_in` is at most the hosts to draw from";
        until: Time, (required "1 ps") [>= "1 ps"],
            "nobody asks at or after this";
        seed => SEED;
        class => CLASS;
    }
}

pub(super) const KIND: Kind = Kind {
    section: PoissonIncastKeys::SECTION,
    seed: Some(&KEYS.seed),
    class: &KEYS.class,
    asked_by: OPEN_LOOP,
    read,
};

fn read(reader: &mut Reader<'_>, _: &Files, _: u8) -> Option<Made> {
    let item = reader.demand(&KEYS.rate);
    let rate: Option<f64> = item.and_then(|_| reader.get(&KEYS.rate));
    let fan_in = reader.at_least(&KEYS.fan_in);
    let size = reader.at_least(&KEYS.size);
    let responders = reader.or(&KEYS.responders);
    let senders = host_set(reader, &KEYS.senders);
    let destinations = host_set(reader, &KEYS.destinations);
    let replacement = reader.or(&KEYS.replacement);
    let until: Option<Span> = reader.at_least(&KEYS.until);
    if let (Some(rate), Some(item)) = (rate, item)
        && !(rate > 0.0 && rate.is_finite())
    {
        let problem = item.place.problem("wrong value for `rate`");
        reader.log().add(problem.label("expected more than 0: queries of each host per second"));
        return None;
    }
    if until.is_some_and(|until| until > LATEST) {
        let problem = reader.take(&KEYS.until)?.place.problem("`until` is too late");
        reader.log().add(problem.label(format!("expected at most {LATEST}")));
        return None;
    }
    let (rate, fan_in, size, until) = (rate?, fan_in?, size?, until?);
    let (senders, destinations) = (senders.ok()?, destinations.ok()?);
    let horizon = Time(until.0);
    let mut lines = vec![
        line("rate", &rate),
        line("fan_in", &fan_in),
        line("size", &size),
        line("responders", &responders),
    ];
    lines.extend(senders.iter().map(|hosts| host_set_line("senders", hosts)));
    lines.extend(destinations.iter().map(|hosts| host_set_line("destinations", hosts)));
    lines.extend([line("replacement", &replacement), line("until", &until)]);
    Some(Made {
        pattern: Arc::new(PoissonIncast {
            rate,
            fan_in,
            size,
            responders,
            senders,
            destinations,
            replacement,
            horizon,
        }),
        lines,
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
