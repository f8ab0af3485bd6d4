//! `kind = "leaf_spine"`: two tiers with numbers of their own.

use super::kind::{Kind, Made, misfit};
use super::ports::{PLANES, host_ports};
use super::{
    COMMON, LINK_DELAY, RATE, SWITCH_DELAY, UPLINK_DELAY, UPLINK_RATE, links, pair, tiers_apart,
};
use crate::scenario::files::Files;
use crate::scenario::key::{Section, keys};
use crate::scenario::keyed::Reader;
use raddle_sim::topology::leaf_spine;
use raddle_sim::topology::planes::TreeOfPorts;
use raddle_sim::topology::tree::TreeShape;
use std::sync::Arc;

keys! {
    /// Its keys.
    KEYS: LeafSpineKeys = Section::kind(leaf_spine::KIND.name, leaf_spine::KIND.summary).with(COMMON) => {
        leaves: Whole, (required 16),
            "switches with hosts, named `tor0`, `tor1`";
        hosts_per_leaf: Whole, (required 8),
            "hosts at each";
        spines: Whole, (required 8),
            "switches above, each connected to each leaf";
        parallel: Whole, (= 1),
            "cables between a leaf and a spine";
        rate => RATE;
        uplink_rate => UPLINK_RATE;
        uplink_delay => UPLINK_DELAY;
        link_delay => LINK_DELAY;
        switch_delay => SWITCH_DELAY;
        planes => PLANES;
        tors_per_host: Whole, (= 1) [1 to 8],
            "leaves that every host is attached to, 1 to 8: the hosts of so many leaves are the same, with a port of this `rate` at each. 2 are dual ToRs, as many as a host has NICs are rails. Of `leaves = 8` and 2 a host, port 0 of the hosts is at `tor0` to `tor3` and port 1 at `tor4` to `tor7`. Not with `planes`";
    }
}

pub(super) const KIND: Kind = Kind { section: LeafSpineKeys::SECTION, read };

fn read(reader: &mut Reader<'_>, _: &Files) -> Option<Made> {
    let leaves = reader.need(&KEYS.leaves);
    let hosts_per_leaf = reader.need(&KEYS.hosts_per_leaf);
    let spines = reader.need(&KEYS.spines);
    let parallel = reader.or(&KEYS.parallel);
    let [rate, link_delay, switch_delay] = [&KEYS.rate, &KEYS.link_delay, &KEYS.switch_delay];
    let (rate, link_delay) = (reader.or(rate), reader.or(link_delay));
    let switch_delay = reader.or(switch_delay);
    let uplink_rate = reader.get(&KEYS.uplink_rate).unwrap_or(rate);
    let uplink_delay = reader.get(&KEYS.uplink_delay).unwrap_or(link_delay);
    let host_ports = host_ports(reader, &KEYS.planes, Some(&KEYS.tors_per_host));
    let (leaves, hosts_per_leaf, spines) = (leaves?, hosts_per_leaf?, spines?);
    let made = TreeShape::leaf_spine(
        leaves,
        hosts_per_leaf,
        spines,
        parallel,
        rate,
        link_delay,
        switch_delay,
    );
    let mut tree = made.map_err(|error| misfit(&error, reader)).ok()?;
    (tree.rates[1], tree.delays[1]) = (uplink_rate, uplink_delay);
    let mut lines = vec![
        pair("leaves", &leaves),
        pair("hosts_per_leaf", &hosts_per_leaf),
        pair("spines", &spines),
        pair("parallel", &parallel),
    ];
    lines.extend(links(&tree));
    lines.push(pair("uplink_rate", &uplink_rate));
    lines.extend(tiers_apart(&tree));
    Some(Made {
        lines,
        title: "leaf-spine fabric".to_owned(),
        rate: Some(rate),
        file: None,
        shape: Arc::new(TreeOfPorts { tree, host_ports }),
    })
}
