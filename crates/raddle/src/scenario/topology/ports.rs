//! `planes` and `tors_per_host`: hosts with several ports.

use crate::scenario::key::{Key, key};
use crate::scenario::keyed::Reader;
use raddle_schemes::load_balance::plane::MOST_PLANES;
use raddle_sim::topology::HostPorts;

pub(super) const PLANES: Key = key!(
    planes Whole, (= 1) [1 to 8],
    "copies of the tree, 1 to 8, that share nothing but the hosts: every host has a port in each, of this `rate` ([model.md](model.md#hosts-with-several-ports))"
);

/// In how many planes hosts have a port, or at how many ToRs where trees can have that.
pub(super) fn host_ports(
    reader: &mut Reader<'_>,
    planes: &'static Key,
    tors_per_host: Option<&'static Key>,
) -> HostPorts {
    let planes = several(reader, planes);
    let tors = tors_per_host.map_or(1, |key| several(reader, key));
    if planes > 1
        && tors > 1
        && let Some(item) = tors_per_host.and_then(|key| reader.take(key))
    {
        let problem = item.place.problem("`tors_per_host` does not go with `planes`");
        reader.log().add(problem.label("leave out one of them"));
    }
    match (planes, tors) {
        (1, 1) => HostPorts::One,
        (1, _) => HostPorts::Tors(tors),
        _ => HostPorts::Planes(planes),
    }
}

fn several(reader: &mut Reader<'_>, key: &'static Key) -> u32 {
    let count = reader.at_least(key).unwrap_or(1);
    if let (true, Some(item)) = (count > MOST_PLANES, reader.take(key)) {
        let problem = item.place.problem(format!("`{}` is too large", key.word));
        reader.log().add(problem.label(format!("expected at most {MOST_PLANES}")));
        return 1;
    }
    count
}
