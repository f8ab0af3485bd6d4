//! `kind = "fat_tree"`: two or three tiers with as much bandwidth up as down.

use super::kind::{Kind, Made, misfit};
use super::ports::{PLANES, host_ports};
use super::{
    COMMON, LINK_DELAY, RATE, SWITCH_DELAY, UPLINK_DELAY, UPLINK_RATE, links, pair, tiers_apart,
};
use crate::scenario::files::Files;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use raddle_sim::topology::fat_tree::{self, TreeOptions};
use raddle_sim::topology::planes::TreeOfPorts;
use raddle_sim::topology::tree::TreeShape;
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: FatTreeKeys = Section::kind(fat_tree::KIND.name, fat_tree::KIND.summary).with(COMMON) => {
        tiers: Whole, (= 3) [2 to 3],
            "2 or 3";
        hosts: Whole, (required 128) [<= 1048576],
            "at most 1048576";
        rate => RATE;
        link_delay => LINK_DELAY;
        switch_delay => SWITCH_DELAY.meaning("latency of every switch, before its queue");
        hosts_per_tor: Whole, (or "k / 2; two tiers: the largest divisor of `hosts` not above its square root"),
            "hosts below each ToR";
        tors_per_pod: Whole, (or "as many as a ToR has hosts"),
            "three tiers only";
        oversubscription: Number, (= 1.0),
            "bandwidth of a ToR's host links over that of its uplinks; 4.0 is 4:1";
        parallel: Whole, (= 1),
            "cables between neighbouring switches; more of them mean fewer upper switches";
        uplink_rate => UPLINK_RATE;
        core_rate: Rate, (or "`uplink_rate`"),
            "of the links to core switches, three tiers only; the number of switches does not follow it, so a slower core is oversubscribed";
        uplink_delay => UPLINK_DELAY;
        core_delay: Time, (or "`uplink_delay`"),
            "propagation on the links to core switches, three tiers only";
        planes => PLANES;
    }
}

pub(super) const KIND: Kind = Kind { section: FatTreeKeys::SECTION, read };

fn read(reader: &mut Reader<'_>, _: &Files) -> Option<Made> {
    let tiers = reader.or(&KEYS.tiers);
    let hosts = reader.need(&KEYS.hosts);
    let [rate, link_delay, switch_delay] = [&KEYS.rate, &KEYS.link_delay, &KEYS.switch_delay];
    let (rate, link_delay) = (reader.or(rate), reader.or(link_delay));
    let switch_delay = reader.or(switch_delay);
    let options = TreeOptions {
        hosts_per_tor: reader.get(&KEYS.hosts_per_tor),
        tors_per_pod: reader.get(&KEYS.tors_per_pod),
        oversubscription: reader.get(&KEYS.oversubscription),
        parallel: reader.get(&KEYS.parallel),
        uplink_rate: reader.get(&KEYS.uplink_rate),
        core_rate: reader.get(&KEYS.core_rate),
        uplink_delay: reader.get(&KEYS.uplink_delay),
        core_delay: reader.get(&KEYS.core_delay),
    };
    let host_ports = host_ports(reader, &KEYS.planes, None);
    let made = TreeShape::fat_tree_with(tiers, hosts?, rate, link_delay, switch_delay, &options);
    let tree = made.map_err(|error| misfit(&error, reader)).ok()?;
    let mut lines = vec![
        pair("tiers", &tiers),
        pair("hosts", &tree.hosts),
        pair("hosts_per_tor", &tree.hosts_per_tor),
    ];
    if tiers == 3 {
        lines.push(pair("tors_per_pod", &tree.tors_per_pod));
    }
    lines.push(pair("oversubscription", &options.oversubscription.unwrap_or(1.0)));
    lines.push(pair("parallel", &tree.parallel[0]));
    lines.extend(links(&tree));
    lines.push(pair("uplink_rate", &tree.rates[1]));
    lines.extend(tiers_apart(&tree));
    Some(Made {
        lines,
        title: format!("{tiers}-tier fat tree"),
        rate: Some(tree.rates[0]),
        file: None,
        shape: Arc::new(TreeOfPorts { tree, host_ports }),
    })
}
