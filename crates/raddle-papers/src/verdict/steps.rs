//! The ring by how much a step carries.

use super::{Column, Verdict};
use raddle::study::text::digits;
use std::fmt::Write;

/// The workload with the smallest step, which is in the standings.
const SMALLEST: &str = "ring";

/// A section of the page: for each stack a table of schemes by steps. Empty where no larger step was
/// run.
pub fn steps(verdict: &Verdict) -> String {
    let mut page = String::new();
    if verdict.steps.is_empty() {
        return page;
    }
    page.push_str(
        "## The ring, by its step\n\nIn the ring of the standings each step carries 32 KiB, eight \
         packets, in which there is little to tell schemes apart by. Here the same ring on the \
         healthy fabric with larger steps: times the first, and the time of the first.\n\n",
    );
    for stack in verdict.values("stack") {
        let own = |column: &&Column| {
            column.value("stack") == Some(stack) && column.value("faults") == Some("healthy")
        };
        let smallest = verdict.columns.iter().filter(own);
        let smallest = smallest.filter(|column| column.value("workload") == Some(SMALLEST));
        let columns: Vec<&Column> = smallest.chain(verdict.steps.iter().filter(own)).collect();
        let head: Vec<String> = columns.iter().map(|column| head(column)).collect();
        let _ = writeln!(
            page,
            "| {stack} | {} |\n|---|{}",
            head.join(" | "),
            "---|".repeat(columns.len())
        );
        for row in verdict.order(&columns) {
            let ratio = |column: &&Column| {
                column.ratio(row).map_or_else(|| "never".to_owned(), |ratio| format!("{ratio:.2}"))
            };
            let ratios: Vec<String> = columns.iter().map(ratio).collect();
            let _ = writeln!(page, "| `{}` | {} |", verdict.rows[row], ratios.join(" | "));
        }
        page.push('\n');
    }
    page
}

/// `ring-1M, 27710 us`.
fn head(column: &Column) -> String {
    let name = column.value("workload").unwrap_or_default();
    let first = (0..column.cells.len()).filter_map(|row| column.mean(row)).min_by(f64::total_cmp);
    first.map_or_else(|| name.to_owned(), |us| format!("{name}, {} us", digits(us, 4)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_a_column_beside_the_smallest() {
        let mut verdict = super::super::tests::made_up();
        assert_eq!(steps(&verdict), "");
        let mut column = verdict.columns[0].clone();
        column.settings = [("workload", "ring-1M"), ("faults", "healthy"), ("stack", "window")]
            .map(|(axis, value)| (axis.to_owned(), value.to_owned()))
            .to_vec();
        verdict.steps.push(column);
        let page = steps(&verdict);
        assert!(page.contains("ring-1M, 11.00 us") && page.contains("| `a` |"), "{page}");
    }
}
