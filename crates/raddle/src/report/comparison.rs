//! A comparison as a report: runs sorted into conditions and schemes.

use crate::report;
use crate::study::VERSION;
use crate::study::compare::{Cell, Comparison, column_of, row_of};
use crate::study::gather::Gathered;
use crate::study::summary::RunSummary;
use crate::study::tables::{self, RunRow, Values};
use crate::study::text::{list, percent, plural, time};

/// What the page says of the whole that runs do not know.
pub struct Occasion {
    /// A command line that runs it again.
    pub command: String,
    /// The scenario as it was read, sweep included.
    pub scenario_toml: String,
    /// The machine, in words.
    pub machine: String,
}

/// A run as the page takes it.
#[derive(Clone, Copy, Debug)]
pub struct PageRun<'a> {
    /// What the sweep set: path and value.
    pub settings: &'a [(String, String)],
    /// What remains of the run.
    pub kept: &'a Gathered,
}

/// The report of a comparison. `runs` are in the order of its cells and seeds; `palette` gives a
/// scheme its colour.
pub fn page(
    comparison: &Comparison,
    runs: &[PageRun<'_>],
    palette: &dyn Fn(&[String]) -> Vec<usize>,
    occasion: Occasion,
) -> report::Report {
    let input = &comparison.input;
    let place = |run: &PageRun<'_>| -> Option<(usize, usize)> {
        let (row, column) = (row_of(run.settings), column_of(run.settings));
        let condition = input.columns.iter().position(|own| own.name == column)?;
        Some((condition, input.rows.iter().position(|own| *own == row)?))
    };
    let mut cells = Vec::new();
    for condition in 0..input.columns.len() {
        for scheme in 0..input.rows.len() {
            let own = runs.iter().filter(|run| place(run) == Some((condition, scheme)));
            let own: Vec<&Gathered> = own.map(|run| run.kept).collect();
            let cell = &comparison.cells[scheme][condition];
            cells.push(report::Cell { condition, scheme, ..cell_of(cell, &own) });
        }
    }
    let details = runs.iter().filter_map(|run| {
        let (condition, scheme) = place(run)?;
        Some(report::Detail { condition, scheme, ..run.kept.picture.detail.clone()? })
    });
    let rows: Vec<RunRow<'_>> = runs
        .iter()
        .map(|run| RunRow { settings: run.settings, summary: &run.kept.summary })
        .collect();
    let cost = |of: fn(&RunSummary) -> f64| runs.iter().map(|run| of(&run.kept.summary)).sum();
    report::Report {
        title: input.title.clone(),
        question: question(comparison),
        answer: comparison.answer(),
        interval_meaning: "mean and 95 % confidence interval over seeds (Student t)".to_owned(),
        conditions: input
            .columns
            .iter()
            .map(|column| report::Condition {
                name: column.name.clone(),
                bound: column.bound.clone().and_then(|name| {
                    let us = column.bound_us.iter().flatten().copied().reduce(f64::min)?;
                    Some(report::Bound { name, us })
                }),
            })
            .collect(),
        schemes: input
            .rows
            .iter()
            .zip(palette(&input.rows))
            .map(|(name, palette_index)| report::Scheme { name: name.clone(), palette_index })
            .collect(),
        cells,
        details: details.collect(),
        claims: None,
        tables: vec![table(&tables::runs(&rows))],
        provenance: report::Provenance {
            version: VERSION.to_owned(),
            command: occasion.command,
            scenario_toml: occasion.scenario_toml,
            seeds: input.seeds.clone(),
            machine: occasion.machine,
            packet_hops: runs.iter().map(|run| run.kept.summary.packet_hops).sum(),
            cpu_s: cost(|summary| summary.cost.cpu_s.unwrap_or(summary.cost.wall_s)),
        },
    }
}

/// A cell without its place.
fn cell_of(cell: &Cell, runs: &[&Gathered]) -> report::Cell {
    let finished = cell.never == 0 && cell.missing == 0;
    let spread = cell.spread.filter(|_| finished);
    let interval = spread.and_then(|spread| {
        let half = spread.ci95_half?;
        Some(report::Interval {
            middle_us: spread.mean,
            low_us: spread.mean - half,
            high_us: spread.mean + half,
        })
    });
    report::Cell {
        runs: runs.iter().map(|kept| run(&kept.summary)).collect(),
        interval,
        statistics: match (spread, cell.increase_pct) {
            (Some(spread), Some(pct)) => {
                format!("{}, {} over the bound", time(spread.mean), percent(pct))
            }
            (Some(spread), None) => time(spread.mean),
            (None, _) => unfinished(cell),
        },
        fct_us: runs.iter().flat_map(|kept| kept.picture.fct_us.iter().copied()).collect(),
        ..report::Cell::default()
    }
}

/// Why a cell has no mean.
fn unfinished(cell: &Cell) -> String {
    let never = (cell.never > 0).then(|| {
        let stuck = plural(cell.stuck, "flow");
        format!("never finished with {} ({stuck} stuck)", plural(cell.never as u64, "seed"))
    });
    let missing =
        (cell.missing > 0).then(|| format!("no run of {}", plural(cell.missing as u64, "seed")));
    let parts: Vec<String> = never.into_iter().chain(missing).collect();
    parts.join(", ")
}

fn question(comparison: &Comparison) -> String {
    match &comparison.input.rows[..] {
        [_] => "How long does it take?".to_owned(),
        rows => format!("Which of {} finishes first?", list(rows)),
    }
}

/// A run's line.
fn run(summary: &RunSummary) -> report::Run {
    report::Run {
        seed: summary.seed,
        completed: summary.completed,
        unfinished_flows: summary.unfinished,
        completion_us: summary.completion_us,
        fct_max_us: summary.fct_us.max,
        fct_mean_us: summary.fct_us.mean,
        fct_p50_us: summary.fct_us.p50,
        fct_p99_us: summary.fct_us.p99,
        drops: summary.packets.dropped.iter().sum(),
        marks: summary.packets.marked,
        trims: summary.packets.trimmed,
        retransmissions: summary.packets.retransmitted,
        timeouts: summary.timeouts,
    }
}

fn table(table: &tables::Table) -> report::Table {
    let entry = |values: &Values, row: usize| -> report::Entry {
        match values {
            Values::U64(list) => list[row].into(),
            Values::F64(list) => list[row].into(),
            Values::Text(list) => list[row].clone().into(),
            Values::Bool(list) => list[row].map(|flag| flag.to_string()).into(),
        }
    };
    report::Table {
        name: table.name.to_string(),
        title: table.meaning.to_string(),
        columns: table.columns.iter().map(|column| column.name.clone()).collect(),
        rows: (0..table.rows())
            .map(|row| table.columns.iter().map(|column| entry(&column.values, row)).collect())
            .collect(),
    }
}
