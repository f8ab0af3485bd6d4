//! `raddle bench`: the performance suite, in CPU seconds.
//!
//! Every run is a process of its own, so that its memory is its own; a case's runners take turns,
//! so that their ratio survives a machine whose speed drifts. The calibration (a pointer chase and
//! a multiply loop) before each case tells how fast the machine was then.

mod calibration;
mod sample;
mod split;
mod suite;

use super::output::{self, note_line, print_line};
use super::{End, input};
use calibration::calibrate;
use raddle::study::machine;
use raddle::study::text::short;
use sample::Sample;
use serde_json::{Value, json};
use split::{Split, splits};
use std::io::IsTerminal;
use suite::{Case, Runner, cases};

/// Arguments of `raddle bench`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Only cases with one of these in their name, `permutation-fifo-k8`.
    #[arg(value_name = "CASE")]
    cases: Vec<String>,
    /// Only the small fabrics, one round.
    #[arg(long)]
    quick: bool,
    /// Print one JSON object (`raddle.bench/1`) and nothing else.
    #[arg(long)]
    json: bool,
    /// Run one case once, in this process, and print what it took: for profilers and counters.
    #[arg(long, requires = "cases", conflicts_with_all = ["quick", "json"])]
    once: bool,
    /// With `--once`: the first, second .. of those that run the case, from 0.
    #[arg(long, value_name = "N", requires = "once", default_value_t = 0)]
    runner: usize,
    /// With `--once`: change a key of the scenario, `traffic.message="2 MiB"`. May be repeated.
    #[arg(long, value_name = "PATH=VALUE", requires = "once", value_parser = input::assignment)]
    set: Vec<(String, String)>,
}

pub(super) fn bench(arguments: &Arguments) -> End {
    let chosen = cases(&arguments.cases, arguments.quick);
    let split = if arguments.once { Vec::new() } else { splits(&arguments.cases, arguments.quick) };
    if chosen.is_empty() && split.is_empty() {
        let mut names: Vec<_> = cases(&[], arguments.quick).into_iter().map(Case::id).collect();
        if !arguments.once {
            names.extend(splits(&[], arguments.quick).iter().map(Split::id));
        }
        return input::refuse_text(&format!("no case of that name; cases: {}", names.join(", ")));
    }
    if arguments.once {
        return once(&chosen, arguments);
    }
    if !arguments.json {
        print_line!("{}, load {}", machine::words(), load_text());
        if !chosen.is_empty() {
            print_line!("{}", HEADINGS);
        }
    }
    let mut rows = Vec::new();
    let mut calibrations = Vec::new();
    let load = machine::load();
    for case in chosen {
        let calibration = calibrate();
        calibrations.push(calibration);
        match measure(case, arguments.quick, calibration) {
            Ok(measured) => {
                if !arguments.json {
                    measured.iter().for_each(|row| print_line!("{}", text(row)));
                }
                rows.extend(measured);
            }
            Err(why) => {
                note_line!("error: {why}");
                return End::Failed;
            }
        }
    }
    let split_rows = match measure_splits(&split, arguments, &mut calibrations) {
        Ok(rows) => rows,
        Err(why) => {
            note_line!("error: {why}");
            return End::Failed;
        }
    };
    let calibration = median(&calibrations);
    if arguments.json {
        let object = json!({
            "schema": "raddle.bench/1",
            "calibration": calibration,
            "load": load,
            "cases": rows,
            "splits": split_rows,
        });
        print_line!("{object}");
    } else {
        print_line!("calibration {calibration:.3} s, load {}", load_text());
    }
    End::Done
}

/// A row for each of the circuits to split, printed unless in JSON.
fn measure_splits(
    splits: &[Split],
    arguments: &Arguments,
    calibrations: &mut Vec<f64>,
) -> Result<Vec<Value>, String> {
    if !splits.is_empty() && !arguments.json {
        print_line!("{}", split::HEADINGS);
    }
    let rounds = if arguments.quick { 5 } else { 21 };
    let mut rows = Vec::new();
    for split in splits {
        let calibration = calibrate();
        calibrations.push(calibration);
        let row = announced(&split.id(), || split.measure(rounds, calibration))?;
        if !arguments.json {
            print_line!("{}", split::text(&row));
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Runs a single case in this process.
fn once(chosen: &[&'static Case], arguments: &Arguments) -> End {
    let exact = chosen.iter().find(|case| arguments.cases.contains(&case.id()));
    let Some(case) = exact.or(if let [case] = chosen { Some(case) } else { None }) else {
        let names: Vec<_> = chosen.iter().map(|case| case.id()).collect();
        return input::refuse_text(&format!("`--once` runs one case of {}", names.join(", ")));
    };
    let Some(runner) = case.runners.get(arguments.runner) else {
        return input::refuse_text(&format!("{} has {} runners", case.id(), case.runners.len()));
    };
    match Sample::here(case, *runner, &arguments.set) {
        Ok(sample) => {
            print_line!("{}", sample.to_json());
            End::Done
        }
        Err(end) => end,
    }
}

/// A row for each runner of a case: medians over the rounds.
fn measure(case: &Case, quick: bool, calibration: f64) -> Result<Vec<Value>, String> {
    let rounds = if quick || case.large { 1 } else { 3 };
    let mut samples = vec![Vec::new(); case.runners.len()];
    for round in 1..=rounds {
        for (runner, samples) in case.runners.iter().zip(&mut samples) {
            let (engine, threads) = (runner.engine.name(), runner.threads);
            let doing = format!("{} {engine} {threads}, {round} of {rounds}", case.id());
            let sample = announced(&doing, || Sample::apart(case, *runner))?;
            samples.push(sample);
        }
    }
    let rows = case.runners.iter().zip(&samples);
    Ok(rows.map(|(runner, own)| row(case, *runner, own, &samples[0], calibration)).collect())
}

/// Shows on a terminal what is being done, while it is.
fn announced<T>(doing: &str, work: impl FnOnce() -> T) -> T {
    let terminal = std::io::stderr().is_terminal();
    if terminal {
        output::note(format_args!("\r{doing}"));
    }
    let done = work();
    if terminal {
        output::note(format_args!("\r{:width$}\r", "", width = doing.len()));
    }
    done
}

fn row(case: &Case, runner: Runner, own: &[Sample], first: &[Sample], calibration: f64) -> Value {
    let middle = |of: &dyn Fn(&Sample) -> f64| median(&own.iter().map(of).collect::<Vec<_>>());
    let cpu_s = middle(&|sample| sample.cpu_s);
    let (hops, events) = own.last().map_or((0, 0), |s| (s.packet_hops, s.events));
    let peak = own.iter().filter_map(|sample| sample.peak_rss_mb).reduce(f64::max);
    let turns = || own.iter().zip(first);
    let ratio = |of: &dyn Fn(&Sample) -> f64| {
        median(&turns().map(|(own, first)| of(own) / of(first)).collect::<Vec<_>>())
    };
    let compared = case.runners[0] != runner;
    let ratios: Vec<_> = own.iter().filter_map(|s| s.total_over_critical_path).collect();
    json!({
        "case": case.name,
        "k": case.k,
        "hosts": case.hosts(),
        "queue": case.queue,
        "engine": runner.engine.name(),
        "threads": runner.threads,
        "cpu_s": cpu_s,
        "wall_s": middle(&|sample| sample.wall_s),
        "packet_hops": hops,
        "hops_per_s": hops as f64 / cpu_s,
        "ns_per_hop": cpu_s * 1e9 / hops as f64,
        "events_per_hop": events as f64 / hops as f64,
        "peak_rss_mb": peak,
        "bytes_per_host": peak.map(|mb| mb * 1e6 / f64::from(case.hosts())),
        "calibration": calibration,
        "cpu_over_first": compared.then(|| ratio(&|sample| sample.cpu_s)),
        "wall_over_first": compared.then(|| ratio(&|sample| sample.wall_s)),
        "total_over_critical_path": (!ratios.is_empty()).then(|| median(&ratios)),
    })
}

const HEADINGS: &str = "case              queue      k  hosts engine       threads    CPU s M hops/s  \
                        ns/hop events/hop peak MB bytes/host calibration";

fn text(row: &Value) -> String {
    let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
    let word = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let mut compared = if row["cpu_over_first"].is_null() {
        String::new()
    } else {
        format!("  CPU x {:.2}, wall x {:.2}", number("cpu_over_first"), number("wall_over_first"))
    };
    if let Some(ratio) = row["total_over_critical_path"].as_f64() {
        compared += &format!("  {ratio:.2} times the critical path");
    }
    format!(
        "{:17} {:8} {:>3} {:>6} {:12} {:>7} {:>8.3} {:>8.1} {:>7.1} {:>10.2} {:>7.1} {:>10.0} {:>11.3}{compared}",
        word("case"),
        word("queue"),
        row["k"],
        row["hosts"],
        word("engine"),
        row["threads"],
        number("cpu_s"),
        number("hops_per_s") / 1e6,
        number("ns_per_hop"),
        number("events_per_hop"),
        number("peak_rss_mb"),
        number("bytes_per_host"),
        number("calibration"),
    )
}

fn load_text() -> String {
    machine::load().map_or_else(|| "unknown".to_owned(), short)
}

/// The middle one of a list that is not empty; of an even number the upper.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}
