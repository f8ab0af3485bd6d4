//! A comparison as a report: runs sorted into conditions and schemes.

use crate::report;
use crate::scenario::Study;
use crate::study::VERSION;
use crate::study::compare::{Cell, Column, CompareInput, Comparison, Entry, column_of, row_of};
use crate::study::gather::Gathered;
use crate::study::metric::{Better, COMPLETION};
use crate::study::summary::RunSummary;
use crate::study::tables::{self, RunRow, Values};
use crate::study::text::{list, percent, plural, settings};
use raddle_schemes::load_balance::host;

/// What the page says of the whole that runs do not know.
pub struct Occasion {
    /// A command line that runs it again.
    pub command: String,
    /// The scenario as it was read, sweep included.
    pub scenario_toml: String,
    /// The machine, in words.
    pub machine: String,
    /// Where one looks into a run, if somewhere.
    pub look: Option<report::Look>,
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
pub fn page<'a>(
    comparison: &Comparison,
    runs: &[PageRun<'a>],
    palette: &dyn Fn(&[String]) -> Vec<usize>,
    occasion: Occasion,
) -> report::Report {
    let input = &comparison.input;
    let place = |run: &PageRun<'_>| -> Option<(usize, usize)> {
        let (row, column) = (row_of(run.settings), column_of(run.settings));
        let condition = input.columns.iter().position(|own| own.name == column)?;
        Some((condition, input.rows.iter().position(|own| *own == row)?))
    };
    let entry = |run: &PageRun<'a>| Entry {
        settings: run.settings,
        seed: run.kept.summary.seed,
        summary: Some(&run.kept.summary),
    };
    // Times of flows are drawn against the bound on the completion, whatever is asked.
    let entries: Vec<Entry<'_>> = runs.iter().map(entry).collect();
    let completion = CompareInput::of_runs("", &entries);
    let mut cells = Vec::new();
    for condition in 0..input.columns.len() {
        for scheme in 0..input.rows.len() {
            let own = runs.iter().filter(|run| place(run) == Some((condition, scheme)));
            let own: Vec<&Gathered> = own.map(|run| run.kept).collect();
            let cell = &comparison.cells[scheme][condition];
            cells.push(report::Cell { condition, scheme, ..cell_of(input, cell, &own) });
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
        metric: metric(input),
        interval_meaning: "mean and 95 % confidence interval over seeds (Student t)".to_owned(),
        conditions: input
            .columns
            .iter()
            .map(|column| report::Condition {
                name: column.name.clone(),
                bound: completion
                    .columns
                    .iter()
                    .find(|own| own.name == column.name)
                    .and_then(|own| bound(&completion, own))
                    .map(|(name, us)| report::Bound { name, us }),
                limit: bound(input, column).map(|(name, value)| report::Limit { name, value }),
            })
            .collect(),
        schemes: input
            .rows
            .iter()
            .zip(palette(&input.rows))
            .map(|(name, palette_index)| report::Scheme { name: name.clone(), palette_index })
            .collect(),
        cells,
        look: occasion.look,
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

/// What the runs are compared by.
fn metric(input: &CompareInput) -> report::Metric {
    let whole = report::Metric::default();
    if *input.metric == COMPLETION && input.job.is_none() {
        return whole;
    }
    let job = input.job.as_ref().map(|job| format!(" of {job}")).unwrap_or_default();
    report::Metric {
        title: format!("{}{job}", input.metric.title),
        unit: input.metric.unit.word().to_owned(),
        higher_is_better: input.metric.better == Better::Higher,
        meaning: format!("the {}{job}", input.metric.title),
    }
}

/// A column's bound, the least of its seeds.
fn bound(input: &CompareInput, column: &Column) -> Option<(String, f64)> {
    let all = column.bounds.iter().flatten().copied();
    Some((column.bound.clone()?, all.min_by(|a, b| input.metric.order(*a, *b))?))
}

/// A cell without its place.
fn cell_of(input: &CompareInput, cell: &Cell, runs: &[&Gathered]) -> report::Cell {
    let finished = cell.never + cell.missing + cell.unmeasured == 0;
    let spread = cell.spread.filter(|_| finished);
    let interval = spread.and_then(|spread| {
        let half = spread.ci95_half?;
        Some(report::Interval {
            middle: spread.mean,
            low: spread.mean - half,
            high: spread.mean + half,
        })
    });
    report::Cell {
        runs: runs
            .iter()
            .map(|kept| report::Run { value: input.measure(&kept.summary), ..run(&kept.summary) })
            .collect(),
        interval,
        statistics: match (spread, cell.increase_pct) {
            (Some(spread), Some(pct)) => {
                format!("{}, {} over the bound", input.metric.text(spread.mean), percent(pct))
            }
            (Some(spread), None) => input.metric.text(spread.mean),
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
    let unmeasured = (cell.unmeasured > 0)
        .then(|| format!("not resolved with {}", plural(cell.unmeasured as u64, "seed")));
    let parts: Vec<String> = never.into_iter().chain(missing).chain(unmeasured).collect();
    parts.join(", ")
}

fn question(comparison: &Comparison) -> String {
    let input = &comparison.input;
    let (best, noun) = (input.metric.best(), input.metric.noun);
    match (&input.rows[..], *input.metric == COMPLETION) {
        ([_], true) => "How long does it take?".to_owned(),
        (rows, true) => format!("Which of {} finishes first?", list(rows)),
        ([_], false) => format!("What is the {noun}?"),
        (rows, false) => format!("Which of {} has the {best} {noun}?", list(rows)),
    }
}

/// A run's line.
fn run(summary: &RunSummary) -> report::Run {
    report::Run {
        seed: summary.seed,
        completed: summary.completed,
        unfinished_flows: summary.unfinished,
        value: None,
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
            Values::Words(words) => Some(words[row].to_owned()).into(),
            Values::Same(text, _) => Some(text.clone()).into(),
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

/// The scenario as it was read, and behind it what that means: the first run's scenario with every
/// default filled in.
pub fn with_resolved(text: &str, study: &Study) -> String {
    let Some(first) = study.cells.first() else { return text.to_owned() };
    let settings = settings(&first.settings);
    let which = if settings.is_empty() { settings } else { format!(" ({settings})") };
    format!(
        "{}\n\n# The first run{which} with every default filled in:\n\n{}",
        text.trim_end(),
        first.scenario.resolved_toml()
    )
}

/// Every host scheme keeps its colour: its place in the catalogue. What is no host scheme, or
/// another form of one that has its colour already, takes the first one that no row has.
pub fn palette(rows: &[String]) -> Vec<usize> {
    let own = |row: &String| {
        let word = row.split(' ').next();
        host::SCHEMES.iter().position(|scheme| Some(scheme.card.name) == word)
    };
    let mut taken: Vec<usize> = rows.iter().filter_map(own).collect();
    let mut places: Vec<usize> = Vec::new();
    for row in rows {
        let place = own(row).filter(|place| !places.contains(place)).unwrap_or_else(|| {
            let free = (0..).find(|place| !taken.contains(place)).unwrap_or_default();
            taken.push(free);
            free
        });
        places.push(place);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(rows: &[&str]) -> Vec<usize> {
        palette(&rows.iter().map(|&row| row.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_host_scheme_keeps_its_colour_whatever_stands_above_it() {
        let [ops, reps] = places(&["ops", "reps"])[..] else { panic!("two places") };
        assert_eq!(places(&["jsq", "reps", "reps buffer=4", "ops"])[1..2], [reps]);
        assert_eq!(places(&["jsq", "reps", "reps buffer=4", "ops"])[3], ops);
    }

    #[test]
    fn no_two_rows_share_a_colour() {
        let mut all = places(&["jsq", "ecmp", "ops", "ops entropies=8", "reps", "healthy"]);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 6);
    }
}
