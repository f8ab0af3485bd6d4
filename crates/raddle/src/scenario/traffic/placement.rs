//! Who takes part in a collective.

use super::line;
use crate::scenario::reader::Reader;
use crate::scenario::spec::{Item, Value};
use raddle_sim::workload::collective::placement::{Order, Placement};

/// Reads who takes part, and gives the lines that say it.
pub(super) fn placement(
    reader: &mut Reader<'_>,
    orders: &[&'static str],
    default: &'static str,
    server: u32,
) -> Option<(Placement, Vec<String>)> {
    let mut lines = Vec::new();
    let range = reader.take("hosts");
    let hosts = range.and_then(range_of);
    if let (Some(item), None) = (range, hosts) {
        let problem = item.place.problem("wrong value for `hosts`");
        reader.log().add(problem.label("expected a range, both ends included: \"0..63\""));
    }
    lines.extend(hosts.map(|(first, last)| format!("hosts = \"{first}..{last}\"")));
    let given = reader.take("ranks").is_some();
    let ranks = if given { reader.at_least("ranks", 2, Some(2)) } else { None };
    lines.extend(ranks.map(|ranks| line("ranks", &ranks)));
    let order = reader.word("placement", orders, default);
    if range.is_some() && hosts.is_none() || given && ranks.is_none() {
        return None;
    }
    lines.push(format!("placement = \"{order}\""));
    let order = [Order::Linear, Order::Random, Order::Servers]
        .into_iter()
        .find(|known| known.word() == order)?;
    Some((Placement { hosts, ranks, order, server }, lines))
}

/// The first and the last of `"0..63"`.
fn range_of(item: &Item) -> Option<(u32, u32)> {
    let Value::Text(text) = &item.value else { return None };
    let (first, last) = text.split_once("..")?;
    Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
}
