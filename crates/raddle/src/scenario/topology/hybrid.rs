//! `kind = "hybrid"`: ToRs with circuits beside a packet network.

use super::kind::{Kind, Made};
use super::{COMMON, LINK_DELAY, RATE, SWITCH_DELAY, pair};
use crate::scenario::files::Files;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use raddle_sim::topology::hybrid::HybridShape;
use raddle_sim::topology::packet_network::Counters;
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: HybridKeys = Section::kind("hybrid", "ToRs with circuits beside a packet network").with(COMMON) => {
        tors: Whole, (required 8) [>= 2],
            "racks; a week has a day and a night for each of them but one, in which each has a circuit to the rack so much further";
        hosts_per_tor: Whole, (required 16) [>= 1],
            "hosts below each";
        rate => RATE;
        circuit_rate: Rate, (or "`rate`"),
            "of a circuit";
        packet_rate: Rate, (or "`rate`"),
            "of the link of a ToR to the packet core, which takes from the queues of pairs in turn, outside their days and the nights before them";
        link_delay => LINK_DELAY;
        circuit_delay: Time, (or "`link_delay`"),
            "propagation from ToR to ToR by a circuit";
        packet_delay: Time, (or "`link_delay`"),
            "propagation from a ToR to the packet core";
        switch_delay => SWITCH_DELAY;
        day: Time, (= "225 us"),
            "how long a circuit is up";
        night: Time, (= "20 us"),
            "how long none is, before each day";
        notice: Time, (= "0 ns"),
            "so long before a day, and in it, ToRs tell of the circuit in ACKs, for `retcp`";
        int: Word(Counters::WORDS), (= "voq"),
            "what telemetry says of a queue that two links drain: `voq`, one hop with a count over both, or `link`, a hop for each";
    }
}

pub(super) const KIND: Kind = Kind { section: HybridKeys::SECTION, read };

fn read(reader: &mut Reader<'_>, _: &Files) -> Option<Made> {
    let [tors, hosts_per_tor] = [&KEYS.tors, &KEYS.hosts_per_tor].map(|key| reader.at_least(key));
    let (rate, link_delay) = (reader.or(&KEYS.rate), reader.or(&KEYS.link_delay));
    let circuit_rate = reader.get(&KEYS.circuit_rate).unwrap_or(rate);
    let packet_rate = reader.get(&KEYS.packet_rate).unwrap_or(rate);
    let circuit_delay = reader.get(&KEYS.circuit_delay).unwrap_or(link_delay);
    let packet_delay = reader.get(&KEYS.packet_delay).unwrap_or(link_delay);
    let switch_delay = reader.or(&KEYS.switch_delay);
    let (day, night, notice) =
        (reader.or(&KEYS.day), reader.or(&KEYS.night), reader.or(&KEYS.notice));
    let counters: Counters = reader.or(&KEYS.int);
    let (tors, hosts_per_tor) = (tors?, hosts_per_tor?);
    let shape = HybridShape {
        tors,
        hosts_per_tor,
        rate,
        circuit_rate,
        packet_rate,
        link_delay,
        circuit_delay,
        packet_delay,
        switch_delay,
        day,
        night,
        notice,
        counters,
    };
    Some(Made {
        lines: vec![
            pair("tors", &tors),
            pair("hosts_per_tor", &hosts_per_tor),
            pair("rate", &rate),
            pair("circuit_rate", &circuit_rate),
            pair("packet_rate", &packet_rate),
            pair("link_delay", &link_delay),
            pair("circuit_delay", &circuit_delay),
            pair("packet_delay", &packet_delay),
            pair("switch_delay", &switch_delay),
            pair("day", &day),
            pair("night", &night),
            pair("notice", &notice),
            pair("int", &counters),
        ],
        title: format!("{tors} racks with circuits beside a packet network"),
        rate: Some(rate),
        file: None,
        shape: Arc::new(shape),
    })
}
