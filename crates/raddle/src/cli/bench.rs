//! `raddle bench`: the performance suite, in CPU seconds.
//!
//! Every case is a full-load permutation from the defaults; the calibration (a pointer chase and a
//! multiply loop in the same process) tells how fast the machine is at this moment.

use super::{End, input, machine};
use crate::scenario;
use crate::study::text::short;
use crate::study::timing::Stopwatch;
use raddle_schemes::rng::{Rng, mix};
use raddle_sim::engine;
use serde_json::{Value, json};
use std::hint::black_box;
use std::path::Path;

/// Arguments of `raddle bench`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Only the small fabrics, one round.
    #[arg(long)]
    quick: bool,
    /// Print one JSON object (`raddle.bench/1`) and nothing else.
    #[arg(long)]
    json: bool,
}

/// A case of the suite.
struct Case {
    name: &'static str,
    queue: &'static str,
    /// Ports per switch of the k-ary fat tree.
    k: u32,
    /// Changes to the base scenario.
    set: &'static [(&'static str, &'static str)],
    quick: bool,
}

/// What all cases start from.
const BASE: &str = r#"
[fabric]
topology = { kind = "fat_tree", tiers = 3, hosts = 128, rate = "400 Gbps", link_delay = "500 ns", switch_delay = "500 ns" }
[transport]
load_balance = { scheme = "reps" }
[traffic]
kind = "permutation"
message = "2 MiB"
"#;

const FIFO: (&str, &str) = ("fabric.queue.service", "\"fifo\"");
const LARGE: (&str, &str) = ("fabric.topology.hosts", "1024");
const SMALL_MESSAGE: (&str, &str) = ("traffic.message", "\"8 MiB\"");

const CASES: &[Case] = &[
    Case { name: "permutation", queue: "fifo", k: 8, set: &[FIFO, SMALL_MESSAGE], quick: true },
    Case { name: "permutation", queue: "priority", k: 8, set: &[SMALL_MESSAGE], quick: true },
    Case {
        name: "trimming",
        queue: "priority",
        k: 8,
        set: &[
            SMALL_MESSAGE,
            ("fabric.queue.overflow", "\"trim\""),
            ("fabric.queue.size", "\"20 packets\""),
        ],
        quick: true,
    },
    Case {
        name: "incast",
        queue: "priority",
        k: 8,
        set: &[("traffic", "{ kind = \"incast\", senders = 64, message = \"2 MiB\" }")],
        quick: true,
    },
    Case { name: "permutation", queue: "fifo", k: 16, set: &[FIFO, LARGE], quick: false },
    Case { name: "permutation", queue: "priority", k: 16, set: &[LARGE], quick: false },
];

pub(super) fn bench(arguments: &Arguments) -> End {
    let rounds = if arguments.quick { 1 } else { 3 };
    let calibration = calibrate();
    let mut cases = Vec::new();
    if !arguments.json {
        anstream::println!("{}", machine::words());
        anstream::println!("calibration {calibration:.3} s, load {}", load_text());
        anstream::println!(
            "{:12} {:9} {:>3} {:>6}  {:>9} {:>10} {:>8} {:>11} {:>11}",
            "case",
            "queue",
            "k",
            "hosts",
            "CPU s",
            "M hops/s",
            "ns/hop",
            "events/hop",
            "bytes/host"
        );
    }
    for case in CASES.iter().filter(|case| case.quick || !arguments.quick) {
        match measure(case, rounds) {
            Ok(row) => {
                if !arguments.json {
                    print(&row);
                }
                cases.push(row);
            }
            Err(end) => return end,
        }
    }
    if arguments.json {
        let object = json!({
            "schema": "raddle.bench/1",
            "calibration": calibration,
            "load": machine::load(),
            "cases": cases,
        });
        anstream::println!("{object}");
    }
    End::Done
}

/// The median of some rounds of a case.
fn measure(case: &Case, rounds: usize) -> Result<Value, End> {
    let set: Vec<(String, String)> =
        case.set.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let study = scenario::parse("bench", BASE, Path::new("."), &set)
        .map_err(|problems| input::refuse(&problems))?;
    let plan = study.cells[0]
        .scenario
        .resolve(1)
        .map_err(|problem| input::refuse(&study.problem(problem)))?;
    let mut seconds = Vec::new();
    let mut outcome = None;
    for _ in 0..rounds {
        let watch = Stopwatch::start();
        outcome = Some(engine::run(&plan, &mut ()));
        let cost = watch.stop();
        seconds.push(cost.cpu_s.unwrap_or(cost.wall_s));
    }
    seconds.sort_by(f64::total_cmp);
    let cpu_s = seconds[seconds.len() / 2];
    let (hops, events) = outcome.map_or((0, 0), |outcome| (outcome.packet_hops, outcome.events));
    let peak = Stopwatch::start().stop().peak_rss_mb;
    Ok(json!({
        "case": case.name,
        "k": case.k,
        "hosts": plan.fabric.hosts,
        "queue": case.queue,
        "threads": 1,
        "cpu_s": cpu_s,
        "hops_per_s": hops as f64 / cpu_s,
        "ns_per_hop": cpu_s * 1e9 / hops as f64,
        "events_per_hop": events as f64 / hops as f64,
        "bytes_per_host": peak.map(|mb| mb * 1e6 / f64::from(plan.fabric.hosts)),
    }))
}

fn print(row: &Value) {
    let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
    anstream::println!(
        "{:12} {:9} {:>3} {:>6}  {:>9.3} {:>10.1} {:>8.1} {:>11.2} {:>11.0}",
        row["case"].as_str().unwrap_or_default(),
        row["queue"].as_str().unwrap_or_default(),
        row["k"],
        row["hosts"],
        number("cpu_s"),
        number("hops_per_s") / 1e6,
        number("ns_per_hop"),
        number("events_per_hop"),
        number("bytes_per_host"),
    );
}

fn load_text() -> String {
    machine::load().map_or_else(|| "unknown".to_owned(), short)
}

/// CPU seconds of a fixed walk through 16 MiB and a fixed loop of multiplications.
fn calibrate() -> f64 {
    let places = 1usize << 21;
    let mut next: Vec<u64> = (0..places as u64).collect();
    // One cycle through all places (Sattolo), so that every step is a new cache line.
    let mut rng = Rng::new(1, "calibration", 0);
    for i in (1..places).rev() {
        next.swap(i, rng.below(i as u64) as usize);
    }
    let watch = Stopwatch::start();
    let mut at = 0u64;
    for _ in 0..4_000_000 {
        at = next[at as usize];
    }
    let mut hash = at;
    for _ in 0..50_000_000u64 {
        hash = mix(hash);
    }
    black_box(hash);
    let cost = watch.stop();
    cost.cpu_s.unwrap_or(cost.wall_s)
}
