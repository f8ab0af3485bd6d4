//! Who takes part in a collective.

use super::line;
use crate::scenario::key::Key;
use crate::scenario::keyed::Reader;
use crate::scenario::reader::read;
use crate::scenario::spec::{Item, Value};
use raddle_sim::workload::collective::placement::{Groups, Order, Placement};
use raddle_sim::workload::host_set::HostSet;

/// Where a kind has declared who takes part.
pub(super) struct PlacementKeys {
    pub(super) hosts: &'static Key,
    pub(super) ranks: &'static Key,
    pub(super) groups: &'static Key,
    pub(super) placement: &'static Key,
}

/// Reads who takes part, and gives the lines that say it.
pub(super) fn placement(
    reader: &mut Reader<'_>,
    keys: &PlacementKeys,
    server: u32,
) -> Option<(Placement, Vec<String>)> {
    let mut lines = Vec::new();
    let given = reader.take(keys.groups);
    let groups = given.and_then(|item| groups_of(item, reader));
    if let (Some(_), None) = (given, &groups) {
        for key in [keys.hosts, keys.ranks, keys.placement] {
            reader.take(key);
        }
        return None;
    }
    if let Some(Groups::Hosts(groups)) = groups {
        let lists = "with `groups` that are lists of hosts";
        for key in [keys.hosts, keys.ranks, keys.placement] {
            reader.misplaced(key, lists, "`groups` that are numbers of ranks");
        }
        lines.push(format!("groups = {groups:?}"));
        let (order, groups) = (Order::Linear, Some(Groups::Hosts(groups)));
        return Some((Placement { hosts: None, ranks: None, order, server, groups }, lines));
    }
    if let Some(Groups::Sizes(sizes)) = &groups {
        reader.misplaced(keys.ranks, "with `groups`", "one group: `groups` add up to the ranks");
        lines.push(format!("groups = {sizes:?}"));
    }
    let hosts = range(reader, keys.hosts);
    lines.extend(hosts.ok().flatten().map(|hosts| range_line("hosts", hosts)));
    let given = groups.is_none() && reader.take(keys.ranks).is_some();
    let ranks = if given { reader.at_least_or(keys.ranks, None) } else { None };
    lines.extend(ranks.map(|ranks| line("ranks", &ranks)));
    let order = reader.word(keys.placement);
    let hosts = hosts.ok()?;
    if given && ranks.is_none() {
        return None;
    }
    lines.push(format!("placement = \"{order}\""));
    let order = [Order::Linear, Order::Random, Order::Servers]
        .into_iter()
        .find(|known| known.word() == order)?;
    Some((Placement { hosts, ranks, order, server, groups }, lines))
}

/// Groups by their sizes or their hosts; what is wrong with them is reported.
fn groups_of(item: &Item, reader: &Reader<'_>) -> Option<Groups> {
    let numbers = |items: &[Item]| -> Option<Vec<u32>> {
        items.iter().map(|item| read("groups", item).ok()).collect()
    };
    let groups = match &item.value {
        Value::List(items) if items.is_empty() => None,
        Value::List(items) if items.iter().all(|item| item.list().is_some()) => {
            let lists = items.iter().filter_map(Item::list).map(numbers);
            lists.collect::<Option<_>>().map(Groups::Hosts)
        }
        Value::List(items) => numbers(items).map(Groups::Sizes),
        _ => None,
    };
    if groups.is_none() {
        let problem = item.place.problem("wrong value for `groups`");
        let label =
            "expected the ranks of each, as in [8, 8, 16], or the hosts, as in [[0, 1], [2, 3, 4]]";
        reader.log().add(problem.label(label));
    }
    groups
}

/// Reads some hosts, if any are named.
pub(super) fn host_set(
    reader: &mut Reader<'_>,
    key: &'static Key,
) -> Result<Option<HostSet>, NoRange> {
    let Some(item) = reader.take(key) else { return Ok(None) };
    let set = if let Value::Text(text) = &item.value { HostSet::parse(text) } else { None };
    set.map(Some).ok_or_else(|| {
        let problem = item.place.problem(format!("wrong value for `{}`", key.word));
        let label = "expected ranges in order, both ends included: \"0..63\" or \"0..15, 32..47\"";
        reader.log().add(problem.label(label));
        NoRange
    })
}

/// The line that says it.
pub(super) fn host_set_line(key: &str, hosts: &HostSet) -> String {
    format!("{key} = \"{hosts}\"")
}

/// What was given as a range of hosts was none, and is reported.
#[derive(Clone, Copy)]
pub(super) struct NoRange;

/// Reads a range of hosts, if one is given.
pub(super) fn range(
    reader: &mut Reader<'_>,
    key: &'static Key,
) -> Result<Option<(u32, u32)>, NoRange> {
    let Some(item) = reader.take(key) else { return Ok(None) };
    range_of(item).map(Some).ok_or_else(|| {
        let problem = item.place.problem(format!("wrong value for `{}`", key.word));
        reader.log().add(problem.label("expected a range, both ends included: \"0..63\""));
        NoRange
    })
}

/// The line that says it.
pub(super) fn range_line(key: &str, (first, last): (u32, u32)) -> String {
    format!("{key} = \"{first}..{last}\"")
}

/// The first and the last of `"0..63"`.
fn range_of(item: &Item) -> Option<(u32, u32)> {
    let Value::Text(text) = &item.value else { return None };
    let (first, last) = text.split_once("..")?;
    Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
}
