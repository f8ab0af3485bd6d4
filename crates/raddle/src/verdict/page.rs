//! The page: who wins where, by how much, and what of the papers holds.

use super::claims::{Claim, Judged};
use super::{Column, SCENARIO, Verdict, WORKLOADS};
use crate::study::text::{digits, percent, plural, time};
use std::fmt::Write;

/// Markdown. Pictures are linked as `folder/STACK.svg`; `origin` says which version ran what.
pub fn page(verdict: &Verdict, claims: &[Claim], folder: &str, origin: &str) -> String {
    let mut page = String::from("# The verdict\n\n");
    let schemes = plural(verdict.rows.len() as u64, "load balancer");
    let _ = writeln!(
        page,
        "{schemes}, the same fabric, the same traffic, the same faults: who finishes first, by how \
         much, and what of the papers' claims holds there. This page is made by `raddle verdict` \
         from `figures/verdict/scenario.toml` and is not edited by hand. {origin}\n"
    );
    let claims: Vec<(&Claim, Judged)> =
        claims.iter().map(|claim| (claim, claim.judge(verdict))).collect();
    summary(&mut page, verdict, &claims);
    conditions(&mut page, verdict);
    for stack in verdict.values("stack") {
        let _ = writeln!(page, "## Stack: {stack}\n\n![{stack}]({folder}/{stack}.svg)\n");
        standings(&mut page, verdict, stack);
        winners(&mut page, verdict, stack);
    }
    papers(&mut page, &claims);
    page.push_str("## All numbers\n\n");
    page.push_str(
        "Mean over the seeds and, in brackets, least to greatest; rank; over the bound. A bound is \
         a lower bound on the completion of all flows (of the trace, on the mean flow completion \
         time) on the healthy fabric. With the pace that the faults leave (`.._rho_max`) it is the \
         study's measure, not strict: a paced run can beat it by a few frames.\n\n",
    );
    for stack in verdict.values("stack") {
        for workload in verdict.values("workload") {
            numbers(&mut page, verdict, stack, workload);
        }
    }
    let _ = writeln!(page, "## The scenario\n\n```toml fragment\n{}\n```", SCENARIO.trim_end());
    page
}

/// How many schemes of a fabric the summary names.
const NAMED: usize = 3;

/// Who is best over all workloads, by stack and faults, and how many claims hold.
fn summary(page: &mut String, verdict: &Verdict, claims: &[(&Claim, Judged)]) {
    page.push_str(
        "## In short\n\nOver all workloads: how many times as long as the first of each a scheme \
         takes, geometric mean and, in brackets, the worst. Only schemes that always finish.\n\n\
         | stack | faults | first | second | third | of all, never finish somewhere |\n\
         |---|---|---|---|---|---|\n",
    );
    for stack in verdict.values("stack") {
        for faults in verdict.values("faults") {
            let mut columns = of_stack(verdict, stack);
            columns.retain(|column| column.value("faults") == Some(faults));
            let _ = writeln!(page, "| {stack} | {faults} | {} |", best(verdict, &columns));
        }
    }
    let judged = || claims.iter().map(|(_, judged)| judged).filter(|judged| judged.columns > 0);
    let whole = judged().filter(|judged| judged.holds == judged.columns).count();
    let none = judged().filter(|judged| judged.holds == 0).count();
    let _ = writeln!(
        page,
        "\nOf {}, {whole} hold everywhere, {} in some columns and {none} in none: \
         [which, and why](#what-the-papers-claim).\n",
        plural(judged().count() as u64, "claim"),
        judged().count() - whole - none
    );
}

/// The first few of the schemes that finish in all `columns`, and how many do not.
fn best(verdict: &Verdict, columns: &[&Column]) -> String {
    let shown = |row: usize| -> Option<String> {
        let ratios: Option<Vec<f64>> = columns.iter().map(|column| column.ratio(row)).collect();
        let ratios = ratios?;
        let logs: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        let mean = (logs / ratios.len() as f64).exp();
        let worst = ratios.into_iter().fold(1.0, f64::max);
        Some(format!("`{}` {mean:.2} ({worst:.2})", verdict.rows[row]))
    };
    let mut named: Vec<String> = verdict.order(columns).into_iter().filter_map(shown).collect();
    let never = verdict.rows.len() - named.len();
    named.resize(NAMED, "-".to_owned());
    format!("{} | {never}", named.join(" | "))
}

fn conditions(page: &mut String, verdict: &Verdict) {
    page.push_str(
        "## How it was run\n\n- The same random links are dead for every scheme, for each seed.\n\
         - Stack `ideal`: a fixed pace that no link is overloaded by on average (`rho_max`; line \
         rate where flows do not all begin together), any m packets complete a message. `window`: \
         an ECN window (the REPS paper's DCTCP), selective ACKs, timeouts.\n\
         - rho_max leaves the busiest link no room for ACKs: where a link is dead or slow, the \
         all-to-alls of the ideal stack lose symbols there, but for schemes that send around it \
         (figures/lb_study/fig5_all_to_all/README.md).\n\
         - In the all-to-all of 1024 hosts a lost symbol costs its flow 46 us and up to 43 us more until \
         its next slot: a scheme that is a fifth behind there may have lost ten symbols of four \
         million.\n\
         - `mprdma` follows the window's growth. The ideal stack has no window, so that there it \
         takes over the label of each ACK, marked or not, and draws none after the first.\n\
         - Messages: 1 MiB in the permutation, the tornado and the incast of 32 senders; 32 KiB in \
         each step of the ring, an AllReduce of 4 MiB; 1 MiB from each host to each other in the \
         all-to-all of 128, as in the study's Figures 1, 3, 4 and 5, 16 KiB in that of 1024; in the \
         trace as websearch draws them, at 60 % load.\n\
         - Fabric, messages, parameters of schemes: in [the scenario](#the-scenario), whole.\n\
         - Measured: completion of all flows; of the trace, which is an open loop, the mean flow \
         completion time.\n",
    );
    let _ = writeln!(
        page,
        "- Seeds: {}. `never`: some flow is not through when a run is ended (`run.end` in the \
         scenario), mostly because its hash leads to a dead link.",
        verdict.columns.iter().map(|column| column.seeds).max().unwrap_or(0)
    );
    let there = verdict.values("workload");
    let missing = WORKLOADS.iter().map(|workload| workload.name);
    let missing: Vec<&str> = missing.filter(|name| !there.contains(name)).collect();
    if !missing.is_empty() {
        let _ = writeln!(page, "- Not run here: {}.", missing.join(", "));
    }
    page.push('\n');
}

fn of_stack<'v>(verdict: &'v Verdict, stack: &str) -> Vec<&'v Column> {
    verdict.columns.iter().filter(|column| column.value("stack") == Some(stack)).collect()
}

fn standings(page: &mut String, verdict: &Verdict, stack: &str) {
    let columns = of_stack(verdict, stack);
    page.push_str(
        "In the order of the picture: by the geometric mean of times over the first, `never` taken \
         for ten times.\n\n| scheme | first or within 2 % | mean rank | worst: times the first | never finishes |\n\
         |---|---|---|---|---|\n",
    );
    for row in verdict.order(&columns) {
        let ratios: Vec<f64> = columns.iter().filter_map(|column| column.ratio(row)).collect();
        let leads = columns.iter().filter(|column| column.leads(row)).count();
        let ranks: Vec<usize> = columns.iter().filter_map(|column| column.rank(row)).collect();
        let rank = ranks.iter().sum::<usize>() as f64 / ranks.len() as f64;
        let worst = ratios.iter().copied().max_by(f64::total_cmp);
        let _ = writeln!(
            page,
            "| `{}` | {leads} of {} | {} | {} | {} |",
            verdict.rows[row],
            columns.len(),
            if ranks.is_empty() { "-".to_owned() } else { digits(rank, 2) },
            worst.map_or("-".to_owned(), |worst| digits(worst, 3)),
            columns.len() - ratios.len(),
        );
    }
    page.push('\n');
}

fn winners(page: &mut String, verdict: &Verdict, stack: &str) {
    page.push_str(
        "| workload | faults | first | within 2 % of it | next |\n|---|---|---|---|---|\n",
    );
    for column in of_stack(verdict, stack) {
        let mut order: Vec<usize> =
            (0..verdict.rows.len()).filter(|&row| column.mean(row).is_some()).collect();
        order.sort_by_key(|&row| column.rank(row));
        let name = |row: &usize| format!("`{}`", verdict.rows[*row]);
        let first = order.first().map_or("none finishes".to_owned(), |row| {
            format!("{} {}", name(row), time(column.mean(*row).unwrap_or_default()))
        });
        let level: Vec<String> =
            order.iter().skip(1).filter(|&&row| column.leads(row)).map(name).collect();
        let next = order.iter().find(|&&row| !column.leads(row)).map_or("-".to_owned(), |row| {
            let over = column.ratio(*row).map(|ratio| percent((ratio - 1.0) * 100.0));
            format!("{} {}", name(row), over.unwrap_or_default())
        });
        let level = if level.is_empty() { "-".to_owned() } else { level.join(", ") };
        let of = |axis| column.value(axis).unwrap_or_default();
        let _ = writeln!(
            page,
            "| {} | {} | {first} | {level} | {next} |",
            of("workload"),
            of("faults")
        );
    }
    page.push('\n');
}

fn papers(page: &mut String, claims: &[(&Claim, Judged)]) {
    page.push_str(
        "## What the papers claim\n\nEach claim says that the best of some schemes takes at most so \
         many times as long as the best of others; where some are equal, the worst of them as the \
         best. Ratios: least and greatest of the columns it is about.\n\n| paper | claim | columns | ratio | asked | holds |\n|---|---|---|---|---|---|\n",
    );
    let mut reasons = Vec::new();
    for (claim, judged) in claims {
        let &Judged { columns, holds, ratios, ref fails } = judged;
        let about: Vec<&str> = claim.columns.iter().map(|(_, value)| value.as_str()).collect();
        let about = if about.is_empty() { "all".to_owned() } else { about.join(", ") };
        let word = match holds {
            _ if columns == 0 => "not run".to_owned(),
            _ if holds == columns => "**yes**".to_owned(),
            0 => "**no**".to_owned(),
            _ => {
                let fail = |(column, ratio): &(String, Option<f64>)| match ratio {
                    Some(ratio) => format!("{column} ({ratio:.2})"),
                    None => format!("{column} (not finished)"),
                };
                let fails: Vec<String> = fails.iter().map(fail).collect();
                format!("in {holds} of {columns}, not in {}", fails.join("; "))
            }
        };
        let reason = claim.reason.as_deref().filter(|_| holds < columns);
        reasons.extend(reason.map(|reason| format!("- *{}:* {reason}.", claim.text)));
        let ratios = ratios.map_or("-".to_owned(), |(low, high)| match columns {
            1 => format!("{low:.2}"),
            _ => format!("{low:.2} to {high:.2}"),
        });
        let _ = writeln!(
            page,
            "| {} | {} ({}) | {about} | {ratios} | at most {} | {word} |",
            claim.paper, claim.text, claim.source, claim.at_most
        );
    }
    if !reasons.is_empty() {
        let _ = writeln!(page, "\nWhere a claim does not hold, and why:\n\n{}", reasons.join("\n"));
    }
    page.push('\n');
}

fn numbers(page: &mut String, verdict: &Verdict, stack: &str, workload: &str) {
    let columns: Vec<&Column> = of_stack(verdict, stack)
        .into_iter()
        .filter(|column| column.value("workload") == Some(workload))
        .collect();
    let metric = match columns.first().map(|column| column.open_loop) {
        Some(true) => "mean flow completion time",
        _ => "completion",
    };
    let _ = writeln!(page, "### {workload}, {stack}: {metric} in us\n");
    let mut head = String::from("| scheme |");
    for column in &columns {
        let fabric = column.value("faults").unwrap_or_default();
        let bound = column.bound.as_ref();
        let bound = bound.map(|(name, us)| format!("; bound {} ({name})", digits(*us, 5)));
        let _ = write!(head, " {fabric}{} |", bound.unwrap_or_default());
    }
    let _ = writeln!(page, "{head}\n|---|{}", "---|".repeat(columns.len()));
    for row in verdict.order(&columns) {
        let cells: Vec<String> = columns.iter().map(|column| number(column, row)).collect();
        let _ = writeln!(page, "| `{}` | {} |", verdict.rows[row], cells.join(" | "));
    }
    page.push('\n');
}

/// `17.36 (17.30-17.41), 1st, +1.8 %`.
fn number(column: &Column, row: usize) -> String {
    let cell = &column.cells[row];
    let (Some(mean), Some(spread), Some(rank)) = (column.mean(row), cell.spread, column.rank(row))
    else {
        return format!("never, with {} of {} seeds", cell.never + cell.missing, column.seeds);
    };
    let spread = match column.seeds {
        1 => String::new(),
        _ => format!(" ({}-{})", digits(spread.min, 4), digits(spread.max, 4)),
    };
    let increase = cell.increase_pct.map(|increase| format!(", {}", percent(increase)));
    format!("{}{spread}, #{rank}{}", digits(mean, 4), increase.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::claims;

    #[test]
    fn the_kept_page_has_the_scenario_and_the_claims_that_there_are() {
        let kept = include_str!("../../../../docs/verdict.md");
        assert!(kept.contains(SCENARIO.trim_end()), "docs/verdict.md: another scenario");
        for claim in claims().unwrap() {
            let row = format!("| {} | {} ({}) |", claim.paper, claim.text, claim.source);
            assert!(kept.contains(&row), "docs/verdict.md lacks: {}", claim.text);
        }
        for workload in WORKLOADS {
            let numbers = format!("### {}, ideal: ", workload.name);
            assert!(kept.contains(&numbers), "docs/verdict.md lacks {}", workload.name);
        }
    }
}
