//! `kind = "dumbbell"`: two switches.

use super::kind::{Kind, Made};
use super::{COMMON, LINK_DELAY, RATE, SWITCH_DELAY, pair};
use crate::scenario::files::Files;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use raddle_sim::topology::dumbbell::{self, Dumbbell};
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: DumbbellKeys = Section::kind(dumbbell::KIND.name, dumbbell::KIND.summary).with(COMMON) => {
        hosts_per_side: Whole, (required 1) [>= 1],
            "hosts at each of the two switches";
        rate => RATE;
        bottleneck_rate: Rate, (or "`rate`"),
            "of the cable between the switches";
        link_delay => LINK_DELAY.meaning("propagation on every link");
        switch_delay => SWITCH_DELAY.meaning("latency of both switches");
    }
}

pub(super) const KIND: Kind = Kind { section: DumbbellKeys::SECTION, read };

fn read(reader: &mut Reader<'_>, _: &Files) -> Option<Made> {
    let hosts_per_side = reader.at_least(&KEYS.hosts_per_side);
    let (rate, link_delay) = (reader.or(&KEYS.rate), reader.or(&KEYS.link_delay));
    let switch_delay = reader.or(&KEYS.switch_delay);
    let bottleneck_rate = reader.get(&KEYS.bottleneck_rate).unwrap_or(rate);
    let hosts_per_side = hosts_per_side?;
    Some(Made {
        lines: vec![
            pair("hosts_per_side", &hosts_per_side),
            pair("rate", &rate),
            pair("bottleneck_rate", &bottleneck_rate),
            pair("link_delay", &link_delay),
            pair("switch_delay", &switch_delay),
        ],
        title: "dumbbell".to_owned(),
        rate: Some(rate),
        file: None,
        shape: Arc::new(Dumbbell {
            hosts_per_side,
            rate,
            link_delay,
            bottleneck_rate,
            bottleneck_delay: link_delay,
            switch_delay,
        }),
    })
}
