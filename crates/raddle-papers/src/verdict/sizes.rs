//! The verdict by the size of messages: what holds for one BDP need not hold for ten.

use super::{Column, SIZES, Verdict};
use raddle::study::text::digits;
use std::fmt::Write;

/// Schemes that a place names.
pub(super) const NAMED: usize = 3;

/// How much one flow sends, in a column whose flows all send the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Message {
    /// Bytes.
    pub bytes: u64,
    /// The same in products of the hosts' rate and the longest unloaded round trip.
    pub bdp: f64,
}

impl Message {
    /// `4 MiB, 6.7 BDP`.
    pub fn text(self) -> String {
        let kib = self.bytes as f64 / 1024.0;
        let size = if kib < 1024.0 { (kib, "KiB") } else { (kib / 1024.0, "MiB") };
        format!("{} {}, {} BDP", size.0, size.1, digits(self.bdp, 2))
    }
}

/// Sizes of messages in a verdict, ascending.
fn messages(verdict: &Verdict) -> Vec<Message> {
    let mut found: Vec<Message> =
        verdict.sizes.iter().filter_map(|column| column.message).collect();
    found.sort_by_key(|message| message.bytes);
    found.dedup_by_key(|message| message.bytes);
    found
}

/// The columns of a stack under some faults with messages of a size.
fn of<'v>(verdict: &'v Verdict, stack: &str, faults: &str, message: Message) -> Vec<&'v Column> {
    let own = |column: &&Column| {
        column.value("stack") == Some(stack)
            && column.value("faults") == Some(faults)
            && column.message.is_some_and(|own| own.bytes == message.bytes)
    };
    verdict.sizes.iter().filter(own).collect()
}

/// The part of the first page: who is first, size by size. Empty where no other size was
/// run.
pub fn in_short(verdict: &Verdict) -> String {
    let mut page = String::new();
    let messages = messages(verdict);
    if messages.is_empty() {
        return page;
    }
    let workloads = workloads(verdict);
    let several = workloads.len() > 1;
    let _ = writeln!(
        page,
        "### By the size of messages\n\nThe {} again, by how much each flow sends: the scheme with \
         the least mean and what the seeds do not tell from it, however far behind its mean is; \
         times the first{} ([two places more](#the-sizes)).\n",
        workloads.join(" and the "),
        if several { ", geometric mean and, in brackets, the worst" } else { "" },
    );
    let head: Vec<String> = messages.iter().map(|message| message.text()).collect();
    let _ = writeln!(
        page,
        "| stack | faults | {} |\n|---|---|{}",
        head.join(" | "),
        "---|".repeat(messages.len())
    );
    let (mut changes, mut all) = (0, 0);
    for stack in verdict.values("stack") {
        for faults in verdict.values("faults") {
            let mut firsts: Vec<Vec<usize>> = Vec::new();
            let mut cells = Vec::new();
            for &message in &messages {
                let columns = of(verdict, stack, faults, message);
                if columns.is_empty() {
                    cells.push("not run".to_owned());
                    continue;
                }
                let places = verdict.places(&columns);
                let first = places.first().map(|place| place_text(verdict, &columns, place));
                cells.push(first.unwrap_or_else(|| "none finishes".to_owned()));
                firsts.extend(places.into_iter().next());
            }
            let stays = |row: &usize| firsts.iter().all(|place| place.contains(row));
            all += 1;
            changes += usize::from(!firsts.first().is_some_and(|place| place.iter().all(stays)));
            let _ = writeln!(page, "| {stack} | {faults} | {} |", cells.join(" | "));
        }
    }
    let _ = writeln!(
        page,
        "\nIn {changes} of these {all} rows some scheme at the first place with the smallest size \
         is not there with all.\n"
    );
    page
}

/// The workloads of [`SIZES`] that were run.
fn workloads(verdict: &Verdict) -> Vec<&str> {
    let mut found = Vec::new();
    for own in SIZES.iter().filter_map(|workload| workload.size) {
        let is_there = verdict.sizes.iter().any(|column| column.value("workload") == Some(own.0));
        if is_there && !found.contains(&own.0) {
            found.push(own.0);
        }
    }
    found
}

/// `reps` 1.04, `jsq` 1.05 and 2 more: what rows of one place take over the first.
fn place_text(verdict: &Verdict, columns: &[&Column], place: &[usize]) -> String {
    let row = |&row: &usize| {
        let (mean, worst) = verdict.over_the_first(columns, row)?;
        let worst = if columns.len() > 1 { format!(" ({worst:.2})") } else { String::new() };
        Some(format!("`{}` {mean:.2}{worst}", verdict.rows[row]))
    };
    let mut names: Vec<String> = place.iter().take(NAMED).filter_map(row).collect();
    if place.len() > NAMED {
        names.push(format!("{} more", place.len() - NAMED));
    }
    names.join(", ")
}

/// The section further down: for each stack and workload, three places by faults and size.
pub fn sizes(verdict: &Verdict) -> String {
    let mut page = String::new();
    let messages = messages(verdict);
    if messages.is_empty() {
        return page;
    }
    page.push_str(
        "## The sizes\n\nWith larger messages, under each fault. A place holds the scheme with the \
         least mean that is left and all that the seeds do not tell from it; within a place there is \
         no rank. Times the first; what does not always finish has no place.\n\n",
    );
    for stack in verdict.values("stack") {
        for workload in workloads(verdict) {
            let _ = writeln!(
                page,
                "### {workload} by size, {stack}\n\n| faults | message | first takes | first | \
                 second | third |\n|---|---|---|---|---|---|"
            );
            for faults in verdict.values("faults") {
                for &message in &messages {
                    let mut columns = of(verdict, stack, faults, message);
                    columns.retain(|column| column.value("workload") == Some(workload));
                    let Some(column) = columns.first() else { continue };
                    let places = verdict.places(&columns);
                    let mut shown: Vec<String> = places
                        .iter()
                        .take(3)
                        .map(|place| place_text(verdict, &columns, place))
                        .collect();
                    shown.resize(3, "-".to_owned());
                    let first = places.first().and_then(|place| column.mean(*place.first()?));
                    let first = first.map_or("-".to_owned(), |us| format!("{} us", digits(us, 4)));
                    let (message, places) = (message.text(), shown.join(" | "));
                    let _ = writeln!(page, "| {faults} | {message} | {first} | {places} |");
                }
            }
            page.push('\n');
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_size(mib: u64) -> Column {
        let mut column = super::super::tests::made_up().columns[0].clone();
        column.message = Some(Message { bytes: mib << 20, bdp: mib as f64 * 1.7 });
        column.settings[0].1 = "permutation".to_owned();
        column
    }

    #[test]
    fn what_the_seeds_do_not_tell_apart_shares_a_place() {
        let verdict = super::super::tests::made_up();
        let column = &verdict.columns[0];
        // `d` does not finish with one seed.
        assert_eq!(verdict.places(&[column]), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn a_first_place_that_a_size_changes_is_counted() {
        let mut verdict = super::super::tests::made_up();
        assert_eq!((in_short(&verdict), sizes(&verdict)), (String::new(), String::new()));
        let mut large = with_size(4);
        large.cells.swap(0, 2);
        large.times_us.swap(0, 2);
        verdict.sizes = vec![with_size(1), large];
        let page = in_short(&verdict);
        assert!(page.contains("1 MiB, 1.7 BDP | 4 MiB, 6.8 BDP"), "{page}");
        assert!(page.contains("| `a` 1.00, `b` 1.06 | `c` 1.00, `b` 1.06 |"), "{page}");
        assert!(page.contains("In 1 of these 1 rows"), "{page}");
        let page = sizes(&verdict);
        assert!(
            page.contains("| healthy | 1 MiB, 1.7 BDP | 11.00 us | `a` 1.00, `b` 1.06 |"),
            "{page}"
        );
        assert!(page.contains("| `c` 1.00, `b` 1.06 | `a` 1.92 | - |"), "{page}");
    }
}
