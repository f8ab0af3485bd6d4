//! `kind = "torus"`: rows and columns of switches, each a ring.

use super::kind::{Kind, Made};
use super::{COMMON, LINK_DELAY, RATE, SWITCH_DELAY, UPLINK_DELAY, UPLINK_RATE, pair};
use crate::scenario::files::Files;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use raddle_sim::topology::torus::{self, Torus};
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: TorusKeys = Section::kind(torus::KIND.name, torus::KIND.summary).with(COMMON) => {
        rows: Whole, (required 4) [>= 1],
            "rows of switches, each a ring";
        columns: Whole, (required 4) [>= 1],
            "columns of switches, each a ring; times the rows at most 4096";
        hosts_per_switch: Whole, (= 1) [>= 1],
            "hosts at each; numbered along the rows";
        rate => RATE;
        uplink_rate => UPLINK_RATE;
        uplink_delay => UPLINK_DELAY;
        link_delay => LINK_DELAY;
        switch_delay => SWITCH_DELAY;
    }
}

pub(super) const KIND: Kind = Kind { section: TorusKeys::SECTION, read };

fn read(reader: &mut Reader<'_>, _: &Files) -> Option<Made> {
    let [rows, columns] = [&KEYS.rows, &KEYS.columns].map(|key| reader.at_least(key));
    let hosts_per_switch = reader.at_least(&KEYS.hosts_per_switch);
    let (rate, link_delay) = (reader.or(&KEYS.rate), reader.or(&KEYS.link_delay));
    let switch_delay = reader.or(&KEYS.switch_delay);
    let uplink_rate = reader.get(&KEYS.uplink_rate).unwrap_or(rate);
    let uplink_delay = reader.get(&KEYS.uplink_delay).unwrap_or(link_delay);
    let (rows, columns, hosts_per_switch) = (rows?, columns?, hosts_per_switch?);
    Some(Made {
        lines: vec![
            pair("rows", &rows),
            pair("columns", &columns),
            pair("hosts_per_switch", &hosts_per_switch),
            pair("rate", &rate),
            pair("uplink_rate", &uplink_rate),
            pair("uplink_delay", &uplink_delay),
            pair("link_delay", &link_delay),
            pair("switch_delay", &switch_delay),
        ],
        title: format!("{rows} x {columns} torus"),
        rate: Some(rate),
        file: None,
        shape: Arc::new(Torus {
            rows,
            columns,
            hosts_per_switch,
            rate,
            link_delay,
            uplink_rate,
            uplink_delay,
            switch_delay,
        }),
    })
}
