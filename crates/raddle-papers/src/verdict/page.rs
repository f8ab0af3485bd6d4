//! The page: who wins where, by how much, and what of the papers holds.

use super::claims::{Claim, Judged};
use super::papers::{in_full, in_short};
use super::sizes::{NAMED, in_short as sizes_in_short, sizes};
use super::steps::steps;
use super::{Column, LEVEL, SCENARIO, SIZE, Verdict, WORKLOADS};
use raddle::study::stats::{SIGNIFICANCE, Test, t_quantile_95};
use raddle::study::text::{digits, percent, plural, time};
use std::fmt::Write;

/// Markdown. Pictures are linked as `folder/STACK.svg` and `folder/short.svg`; `origin` says which version ran what.
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
    summary(&mut page, verdict, &claims, folder);
    in_short(&mut page, &claims);
    glossary(&mut page, verdict);
    page.push_str(
        "*That is the verdict. What follows is for looking things up: [how it was \
         run](#how-it-was-run), each stack with its standings, [the sizes](#the-sizes), [the ring by its \
         step](#the-ring-by-its-step), [the claims in full](#the-claims-in-full), [all \
         numbers](#all-numbers), [the scenario](#the-scenario).*\n\n",
    );
    conditions(&mut page, verdict);
    for stack in verdict.values("stack") {
        let _ = writeln!(page, "## Stack: {stack}\n\n![{stack}]({folder}/{stack}.svg)\n");
        standings(&mut page, verdict, stack);
        winners(&mut page, verdict, stack);
    }
    page.push_str(&sizes(verdict));
    page.push_str(&steps(verdict));
    in_full(&mut page, &claims);
    page.push_str("## All numbers\n\n");
    page.push_str(
        "Mean over the seeds and, in brackets, least to greatest; rank; over the bound.\n\n\
         - Bound: no run can beat it, whatever its scheme and its stack (`permutation` by one gap, \
         0.2 ns). A lower bound on the \
         completion of all flows with the faults as they are (of the trace, on the mean flow \
         completion time, without faults), the mean over the seeds. Percentages of the two stacks \
         are over the same bound.\n\
         - Pace: what the study takes for the bound of the ideal stack under faults, the formula with \
         rho_max for the rate. It is none, and no percentage here is over it. It counts each ACK as \
         if it took its time at the flows' pace, whereas hosts send ACKs at line rate between the \
         slots of data: a paced run can be faster by the share of the ACKs, 2.0 %. What the pace \
         does ask is that a flow's last packet waits for its slot: with the ideal stack no scheme \
         comes nearer to the bound than that.\n\n",
    );
    for stack in verdict.values("stack") {
        for workload in verdict.values("workload") {
            let mut columns = of_stack(verdict, stack);
            columns.retain(|column| column.value("workload") == Some(workload));
            numbers(&mut page, verdict, &format!("{workload}, {stack}"), &columns);
        }
    }
    for stack in verdict.values("stack") {
        for (workload, size) in larger(verdict) {
            let mut columns: Vec<&Column> = verdict.sizes.iter().collect();
            columns.retain(|column| {
                column.value("stack") == Some(stack)
                    && column.value("workload") == Some(workload)
                    && column.value(SIZE) == Some(size)
            });
            numbers(&mut page, verdict, &format!("{workload}, {size}, {stack}"), &columns);
        }
    }
    let _ = writeln!(page, "## The scenario\n\n```toml fragment\n{}\n```", SCENARIO.trim_end());
    page
}

/// Workloads with larger messages, and these.
fn larger(verdict: &Verdict) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for column in &verdict.sizes {
        let pair = column.value("workload").zip(column.value(SIZE));
        if let Some(pair) = pair.filter(|pair| pair.1 != super::SMALLEST && !found.contains(pair)) {
            found.push(pair);
        }
    }
    found
}

/// What the names of the study's and our schemes stand for, in a line each.
fn glossary(page: &mut String, verdict: &Verdict) {
    page.push_str(
        "## Names\n\n| here | in the papers | who chooses a packet's path, and how |\n|---|---|---|\n",
    );
    for (name, papers, words) in NAMES {
        if verdict.rows.iter().any(|row| row == name) {
            let _ = writeln!(page, "| `{name}` | {papers} | {words} |");
        }
    }
    page.push('\n');
}

/// Name, name in the papers, what it does.
const NAMES: &[(&str, &str, &str)] = &[
    ("ecmp", "ECMP, FLOW", "switch: one path a flow, by a hash"),
    ("subflow reps", "MPTCP-like", "host: 8 paths a flow, in turn"),
    ("subflow lb_study", "SUBFLOW", "host: 4 paths a flow, in turn"),
    ("flowlet", "Flowlet", "host: another path after a pause"),
    ("plb reps", "PLB", "host: another path after congested rounds"),
    ("plb lb_study", "HOST FLOWLET AR", "host: another path where 40 % of a window is marked"),
    ("mprdma", "MP-RDMA", "host: the path of the ACK that lets a packet go"),
    ("bitmap", "BitMap, STrack-like", "host: paths in turn, without those just marked"),
    ("ops", "OPS, HOST PKT", "host: a random path a packet"),
    ("reps", "REPS, HOST PKT AR", "host: paths of unmarked ACKs once more, else random ones"),
    (
        "host_dr",
        "HOST DR, DRB",
        "host, told at once of dead links (an oracle): all paths in turn, for each destination",
    ),
    ("rsq", "RSQ", "switch: a random port a packet"),
    ("simple_rr", "SIMPLE RR", "switch: its ports in turn, whatever the destination"),
    ("round_robin", "SWITCH PKT", "switch: the same, in a new order every few rounds"),
    ("jsq", "JSQ", "switch: the shortest queue"),
    (
        "adaptive_roce",
        "Adaptive RoCE",
        "switch: the shortest queue, of equals always the same port",
    ),
    (
        "quantized_adaptive",
        "SWITCH PKT AR",
        "switch: a random one of the ports in the lowest of four bins of queue length",
    ),
    ("ofan", "OFAN, SWITCH DR", "switch: its ports in turn, for each destination switch"),
];

/// Who is best over all workloads, by stack and faults, and how many claims hold.
fn summary(page: &mut String, verdict: &Verdict, claims: &[(&Claim, Judged)], folder: &str) {
    let _ = writeln!(page, "## In short\n\n![in short]({folder}/short.svg)\n");
    page.push_str(
        "Over all workloads, each with [messages of one size](#how-it-was-run): how many times as \
         long as the first of each a scheme takes, geometric mean. Only schemes that always finish. \
         There is no rank between the first and what the seeds do not tell from it; next is the best \
         of those that they do.\n\n\
         | stack | faults | first | to 1.02 | above, not told from the first | next | of all, never finish \
         somewhere |\n|---|---|---|---|---|---|---|\n",
    );
    for stack in verdict.values("stack") {
        for faults in verdict.values("faults") {
            let mut columns = of_stack(verdict, stack);
            columns.retain(|column| column.value("faults") == Some(faults));
            let _ = writeln!(page, "| {stack} | {faults} | {} |", best(verdict, &columns));
        }
    }
    let seeds = plural(most_seeds(verdict) as u64, "seed");
    let doubtful = |column: &&Column| (0..verdict.rows.len()).any(|row| column.untold(row));
    let _ = writeln!(
        page,
        "\nTested with {seeds}, over the workloads together. In {} of the {} conditions below some \
         scheme further than 2 % behind the first is not told from it: the tables list which ([the \
         test](#how-it-was-run)).\n\n`host_dr` is an oracle, last and set apart in the pictures: it is told at once which \
         links are dead, as the study assumes of its hosts; all others find out, or wait for \
         routing. Where links are dead, times are over its.",
        verdict.columns.iter().filter(doubtful).count(),
        verdict.columns.len(),
    );
    page.push('\n');
    page.push_str(&sizes_in_short(verdict));
    let judged = || claims.iter().map(|(_, judged)| judged).filter(|judged| judged.columns > 0);
    let whole = judged().filter(|judged| judged.holds == judged.columns).count();
    let none = judged().filter(|judged| judged.holds == 0).count();
    let _ = writeln!(
        page,
        "Of {}, {whole} hold everywhere, {} in some columns and {none} in none; {} come closer \
         somewhere to what is asked than the seeds can tell ([which](#the-claims-in-full)).\n",
        plural(judged().count() as u64, "claim"),
        judged().count() - whole - none,
        judged().filter(|judged| !judged.untold.is_empty()).count(),
    );
}

/// The first of the schemes that finish in all `columns`, those that are level with it or not told
/// from it, the best of the rest, and how many do not finish.
fn best(verdict: &Verdict, columns: &[&Column]) -> String {
    let over = |row: usize| Some((row, verdict.over_the_first(columns, row)?.0));
    let finish: Vec<(usize, f64)> = verdict.order(columns).into_iter().filter_map(over).collect();
    let shown = |&(row, mean): &(usize, f64)| format!("`{}` {mean:.2}", verdict.rows[row]);
    let Some((first, others)) = finish.split_first() else {
        return format!("none finishes | - | - | - | {}", verdict.rows.len());
    };
    let (level, rest): (Vec<_>, Vec<_>) = others.iter().partition(|(_, mean)| *mean <= LEVEL);
    let untold = |(row, _): &(usize, f64)| !verdict.tells_apart(columns, first.0, *row);
    let (untold, told): (Vec<_>, Vec<_>) = rest.into_iter().partition(|row| untold(row));
    let listed = |rows: Vec<(usize, f64)>| match rows.is_empty() {
        true => "-".to_owned(),
        false => {
            let more = rows.len().saturating_sub(NAMED);
            let more = (more > 0).then(|| format!("{more} more"));
            rows.iter().take(NAMED).map(shown).chain(more).collect::<Vec<_>>().join(", ")
        }
    };
    format!(
        "{} | {} | {} | {} | {}",
        shown(first),
        listed(level),
        listed(untold),
        listed(told.into_iter().take(1).collect()),
        verdict.rows.len() - finish.len(),
    )
}

/// What a mark of doubt means with so many seeds.
fn doubt(seeds: usize) -> String {
    let level = digits(SIGNIFICANCE, 1);
    match Test::for_pairs(seeds) {
        None => "With one seed nothing is tested: every difference counts as told apart".to_owned(),
        Some(test @ Test::SignFlip) => {
            format!("Told apart: p below {level} in the {} over the seeds", test.text())
        }
        Some(test @ Test::PairedT) => format!(
            "Told apart: p below {level} in the {} over the seeds. {} leave {}: the mean difference \
             has to be above {} times its standard error, {} times the standard deviation of the \
             differences",
            test.text(),
            plural(seeds as u64, "seed"),
            match seeds - 1 {
                1 => "1 degree of freedom".to_owned(),
                more => format!("{more} degrees of freedom"),
            },
            digits(t_quantile_95(seeds - 1), 2),
            digits(t_quantile_95(seeds - 1) / (seeds as f64).sqrt(), 2),
        ),
    }
}

fn conditions(page: &mut String, verdict: &Verdict) {
    page.push_str(
        "## How it was run\n\n- Stack `ideal`: a fixed pace that no link is overloaded by on average (`rho_max`; line \
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
         trace as websearch draws them, at 60 % load. A ring's step of 32 KiB is eight packets, and \
         that schemes are equal there says nothing of larger ones: the section on the ring by its \
         step has them.\n\
         - Fabric, messages, parameters of schemes: in [the scenario](#the-scenario), whole.\n\
         - Measured: completion of all flows; of the trace, which is an open loop, the mean flow \
         completion time.\n",
    );
    let all = verdict.columns.iter().chain(&verdict.sizes).chain(&verdict.steps);
    let sized = all.filter_map(|column| {
        let message = column.message?.text();
        Some(format!("{} {message}", column.value("workload")?))
    });
    let mut sized: Vec<String> = sized.collect();
    sized.sort();
    sized.dedup();
    if !sized.is_empty() {
        let _ = writeln!(
            page,
            "- Messages in BDP, products of the hosts' rate and the longest unloaded round trip: {}.",
            sized.join("; ")
        );
    }
    let seeds = most_seeds(verdict);
    let _ = writeln!(
        page,
        "- Seeds: {seeds}, paired: with each, every scheme has the same dead links and the same \
         traffic. {}. A scheme that is behind with every seed, but by very unequal amounts, is not \
         told apart. Not told apart is not equal; and as nothing is corrected for the number of \
         comparisons, of twenty schemes that are equal one is told apart by chance.\n\
         - `never`: some flow is not through when a run is ended (`run.end` in the scenario), mostly \
         because its hash leads to a dead link.",
        doubt(seeds)
    );
    let there = verdict.values("workload");
    let missing = WORKLOADS.iter().map(|workload| workload.name);
    let missing: Vec<&str> = missing.filter(|name| !there.contains(name)).collect();
    if !missing.is_empty() {
        let _ = writeln!(page, "- Not run here: {}.", missing.join(", "));
    }
    page.push('\n');
}

fn most_seeds(verdict: &Verdict) -> usize {
    verdict.columns.iter().map(|column| column.seeds).max().unwrap_or(0)
}

fn of_stack<'v>(verdict: &'v Verdict, stack: &str) -> Vec<&'v Column> {
    verdict.columns.iter().filter(|column| column.value("stack") == Some(stack)).collect()
}

fn standings(page: &mut String, verdict: &Verdict, stack: &str) {
    let columns = of_stack(verdict, stack);
    page.push_str(
        "In the order of the picture: by the geometric mean of times over the first, `never` taken \
         for ten times.\n\n\
         | scheme | first or within 2 % | further, not told from the first | mean rank \
         | worst: times the first | never finishes |\n|---|---|---|---|---|---|\n",
    );
    for row in verdict.order_oracles_last(&columns) {
        let ratios: Vec<f64> = columns.iter().filter_map(|column| column.ratio(row)).collect();
        let leads = columns.iter().filter(|column| column.leads(row)).count();
        let ranks: Vec<usize> = columns.iter().filter_map(|column| column.rank(row)).collect();
        let rank = ranks.iter().sum::<usize>() as f64 / ranks.len() as f64;
        let untold = columns.iter().filter(|column| column.untold(row)).count();
        let never = columns.len() - ratios.len();
        let worst = ratios.iter().copied().max_by(f64::total_cmp);
        let worst = match worst.map(|worst| digits(worst, 3)) {
            None => "`never`".to_owned(),
            Some(worst) if never > 0 => format!("`never` (else {worst})"),
            Some(worst) => worst,
        };
        let _ = writeln!(
            page,
            "| `{}` | {leads} of {} | {untold} | {} | {} | {} |",
            verdict.rows[row],
            columns.len(),
            if ranks.is_empty() { "-".to_owned() } else { digits(rank, 2) },
            worst,
            if never > 0 { format!("in {never}") } else { "-".to_owned() },
        );
    }
    page.push('\n');
}

fn winners(page: &mut String, verdict: &Verdict, stack: &str) {
    page.push_str(
        "Next: the best of those that the seeds tell from the first.\n\n\
         | workload | faults | first | within 2 % of it | further, not told from it | next |\n\
         |---|---|---|---|---|---|\n",
    );
    for column in of_stack(verdict, stack) {
        let mut order: Vec<usize> =
            (0..verdict.rows.len()).filter(|&row| column.mean(row).is_some()).collect();
        order.sort_by_key(|&row| column.rank(row));
        let name = |row: &usize| format!("`{}`", verdict.rows[*row]);
        let first = order.first().map_or("none finishes".to_owned(), |row| {
            format!("{} {}", name(row), time(column.mean(*row).unwrap_or_default()))
        });
        let over = |row: &usize| {
            let over = column.ratio(*row).map(|ratio| percent((ratio - 1.0) * 100.0));
            format!("{} {}", name(row), over.unwrap_or_default())
        };
        let listed = |items: Vec<String>| match items.is_empty() {
            true => "-".to_owned(),
            false => items.join(", "),
        };
        let level = order.iter().skip(1).filter(|&&row| column.leads(row)).map(name).collect();
        let untold = order.iter().filter(|&&row| column.untold(row)).map(over).collect();
        let next = order.iter().find(|&&row| !column.leads(row) && !column.untold(row)).map(over);
        let of = |axis| column.value(axis).unwrap_or_default();
        let _ = writeln!(
            page,
            "| {} | {} | {first} | {} | {} | {} |",
            of("workload"),
            of("faults"),
            listed(level),
            listed(untold),
            listed(next.into_iter().collect()),
        );
    }
    page.push('\n');
}

fn numbers(page: &mut String, verdict: &Verdict, title: &str, columns: &[&Column]) {
    let metric = match columns.first().map(|column| column.open_loop) {
        Some(true) => "mean flow completion time",
        _ => "completion",
    };
    let _ = writeln!(page, "### {title}: {metric} in us\n");
    let mut head = String::from("| scheme |");
    for column in columns {
        let fabric = column.value("faults").unwrap_or_default();
        let _ = write!(head, " {fabric}");
        for (word, bound) in [("bound", &column.bound), ("pace", &column.paced)] {
            let bound = bound.as_ref().map(|(name, us)| (digits(*us, 5), name));
            let _ = bound.map(|(us, name)| write!(head, "; {word} {us} ({name})"));
        }
        head.push_str(" |");
    }
    let _ = writeln!(page, "{head}\n|---|{}", "---|".repeat(columns.len()));
    for row in verdict.order(columns) {
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
    use crate::verdict::{SIZES, claims};

    /// Bytes of the page before it goes into detail: two minutes' reading, links and code included.
    const FIRST_PAGE: usize = 10_000;

    #[test]
    fn the_kept_page_has_the_scenario_and_the_claims_that_there_are() {
        let kept = include_str!("../../docs/verdict.md");
        let (first, rest) = kept.split_once("\n## How it was run").unwrap();
        assert!(first.len() < FIRST_PAGE, "{}: what takes longer goes further down", first.len());
        assert_eq!(first.matches("](#why-").count(), rest.matches("<a id=\"why-").count());
        assert!(kept.contains(SCENARIO.trim_end()), "docs/verdict.md: another scenario");
        for claim in claims().unwrap() {
            let row = format!("| {} | {} ({}) |", claim.paper, claim.text, claim.source);
            assert!(kept.contains(&row), "docs/verdict.md lacks: {}", claim.text);
        }
        for workload in WORKLOADS.iter().chain(SIZES) {
            let name = match workload.size {
                Some((of, size)) => format!("{of}, {size}"),
                None => workload.name.to_owned(),
            };
            let numbers = format!("### {name}, ideal: ");
            assert!(kept.contains(&numbers), "docs/verdict.md lacks {name}");
        }
    }
}
