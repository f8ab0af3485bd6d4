//! Invented results, shaped like real ones, to test and to look at a report.

use raddle::report::{
    Bound, Cell, Condition, Counts, Detail, Event, FaultWindow, Interval, Limit, Port, ProbeLine,
    Provenance, Report, Run, Scheme, Table,
};
use raddle_schemes::rng::Rng;

const BOUND_US: f64 = 176.9;
const FLOWS: u64 = 128;
const PORTS: usize = 8;
const CONDITIONS: [&str; 3] = ["healthy", "one uplink dead", "one uplink at half speed"];
const SCHEMES: [&str; 3] = ["ecmp", "ops", "reps"];

/// Completion times in microseconds per condition and scheme; `None` never finishes.
const FCT_US: [[Option<f64>; 3]; 3] = [
    [Some(742.0), Some(196.0), Some(185.0)],
    [None, Some(640.0), Some(206.0)],
    [Some(1310.0), Some(291.0), Some(203.0)],
];

/// A comparison of three schemes under three conditions with five seeds; one never finishes.
pub(crate) fn comparison() -> Report {
    let seeds = [1, 2, 3, 4, 5];
    let mut report = skeleton(&CONDITIONS, &SCHEMES, &seeds);
    report.title = "128 GPUs, 3-tier fat tree, 400 Gbps, 8 MiB permutation, 5 seeds".to_owned();
    report.question =
        "Which load balancer finishes a permutation first, healthy and with a broken uplink?"
            .into();
    report.answer = vec![
        "reps finishes first in all three conditions.".to_owned(),
        "Against ops it is 5.6 % sooner when healthy (p < 0.01, same seeds paired) and 3.1 times sooner with a dead uplink.".to_owned(),
        "ecmp never finishes with a dead uplink: 9 of 128 flows are left in every seed.".to_owned(),
    ];
    for (condition, row) in FCT_US.iter().enumerate() {
        for (scheme, &fct_us) in row.iter().enumerate() {
            report.cells.push(cell(condition, scheme, fct_us, &seeds));
            let end_us = report.cells.last().and_then(|cell| cell.runs[0].fct_max_us);
            let end_us = if fct_us.is_some() { end_us } else { Some(1600.0) };
            report.details.push(detail(condition, scheme, end_us.unwrap_or(BOUND_US), 1));
        }
    }
    report
}

/// One condition, one scheme, one seed.
pub(crate) fn single_run() -> Report {
    let mut report = skeleton(&CONDITIONS[..1], &SCHEMES[2..], &[7]);
    report.schemes[0].palette_index = 2;
    report.title = "128 GPUs, 3-tier fat tree, 400 Gbps, 8 MiB permutation".to_owned();
    report.question = "How long does the permutation take with reps?".to_owned();
    report.answer =
        vec!["185.4 us, 4.8 % over the bound; one seed cannot say how sure.".to_owned()];
    let mut cell = cell(0, 0, Some(185.4), &[7]);
    cell.interval = None;
    cell.statistics = "185.4 us, +4.8 %".to_owned();
    report.cells = vec![cell];
    report.details = vec![detail(0, 0, 185.4, 7)];
    report.interval_meaning = String::new();
    report
}

fn skeleton(conditions: &[&str], schemes: &[&str], seeds: &[u64]) -> Report {
    Report {
        interval_meaning: "mean and its 95 % confidence interval (Student t over the seeds)".into(),
        conditions: conditions
            .iter()
            .map(|name| Condition {
                name: (*name).to_owned(),
                bound: Some(Bound { name: "permutation".to_owned(), us: BOUND_US }),
                limit: Some(Limit { name: "permutation".to_owned(), value: BOUND_US }),
            })
            .collect(),
        schemes: schemes
            .iter()
            .enumerate()
            .map(|(index, name)| Scheme { name: (*name).to_owned(), palette_index: index })
            .collect(),
        tables: vec![Table {
            name: "links".to_owned(),
            title: "Links with faults".to_owned(),
            columns: ["link", "from_us", "until_us", "state"].map(str::to_owned).to_vec(),
            rows: vec![vec!["tor0.up1".into(), 60.0.into(), None::<f64>.into(), "down".into()]],
        }],
        provenance: Provenance {
            version: "0.1.0".to_owned(),
            command: "raddle compare demo.toml --seeds 1..5".to_owned(),
            scenario_toml: "[fabric]\ntopology = { kind = \"fat_tree\", tiers = 3, hosts = 128, rate = \"400 Gbps\" }\n\n[transport]\nload_balance = { scheme = \"reps\" }\n\n[traffic]\nkind = \"permutation\"\nmessage = \"8 MiB\"\n".to_owned(),
            seeds: seeds.to_vec(),
            machine: "Linux x86_64, 2 cores".to_owned(),
            packet_hops: 48_211_904,
            cpu_s: 3.2,
        },
        ..Report::default()
    }
}

fn cell(condition: usize, scheme: usize, fct_us: Option<f64>, seeds: &[u64]) -> Cell {
    let mut rng = Rng::new(1, "cell", (condition * 8 + scheme) as u64);
    let spread = [0.03, 0.012, 0.004][scheme];
    let last = fct_us.unwrap_or(410.0);
    let mut fcts = Vec::new();
    let mut runs = Vec::new();
    for &seed in seeds {
        let max = last * (1.0 + spread * (rng.unit() - 0.5) * 2.0);
        let unfinished = if fct_us.is_none() { 9 } else { 0 };
        let flows = (1..=FLOWS - unfinished).map(|i| {
            let rank = i as f64 / (FLOWS - unfinished) as f64;
            BOUND_US + (max - BOUND_US) * rank.powf([1.6, 1.2, 0.7][scheme])
        });
        fcts.extend(flows);
        let busy = (max - BOUND_US).max(0.0) as u64;
        runs.push(Run {
            seed,
            completed: unfinished == 0,
            unfinished_flows: unfinished,
            value: (unfinished == 0).then_some(max),
            completion_us: (unfinished == 0).then_some(max),
            fct_max_us: Some(max),
            fct_mean_us: Some(BOUND_US + (max - BOUND_US) * 0.5),
            fct_p50_us: Some(BOUND_US + (max - BOUND_US) * 0.45),
            fct_p99_us: Some(BOUND_US + (max - BOUND_US) * 0.97),
            drops: busy * 3,
            marks: busy * 41,
            trims: 0,
            retransmissions: busy * 3 + seed,
            timeouts: busy / 50,
        });
    }
    let (interval, statistics) = match fct_us {
        Some(us) => (
            Some(Interval { middle: us, low: us * (1.0 - spread), high: us * (1.0 + spread) }),
            format!("{us} us, +{:.0} %, ±{:.1}", (us / BOUND_US - 1.0) * 100.0, us * spread),
        ),
        None => (None, "9 of 128 flows left".to_owned()),
    };
    Cell { condition, scheme, runs, interval, statistics, fct_us: fcts }
}

fn detail(condition: usize, scheme: usize, end_us: f64, seed: u64) -> Detail {
    let mut rng = Rng::new(seed, "detail", (condition * 8 + scheme) as u64);
    let buckets = end_us as usize + 1;
    let capacity = 750_000u64;
    let broken = |port: usize, us: usize| condition > 0 && port == 1 && us >= 60;
    let skew: Vec<f64> = (0..PORTS)
        .map(|_| if scheme == 0 { 0.2 + 1.5 * rng.unit() } else { 0.93 + 0.05 * rng.unit() })
        .collect();
    let mut ports = Vec::new();
    let mut counts = Counts {
        drops: vec![0; buckets],
        marks: vec![0; buckets],
        trims: vec![0; buckets],
        retransmissions: vec![0; buckets],
        timeouts: vec![0; buckets],
    };
    let mut events = Vec::new();
    for (index, load) in skew.iter().enumerate() {
        let mut port =
            Port { name: format!("tor0.up{index}"), rate_gbps: 400.0, ..Port::default() };
        let mut queue = 0.0;
        for us in 0..buckets {
            let avoids = scheme == 2 && broken(index, us) && us > 75;
            let offered = if avoids { 0.05 } else { load * (0.85 + 0.3 * rng.unit()) };
            let room = match (broken(index, us), condition) {
                (true, 1) => 0.0,
                (true, _) => 0.5,
                _ => 1.0,
            };
            let left: f64 = offered.min(room + queue / 50_000.0).min(room);
            queue = (queue + (offered - left) * 50_000.0).max(0.0);
            let mut lost = 0u32;
            if queue > capacity as f64 {
                lost = ((queue - capacity as f64) / 4160.0) as u32 + 1;
                queue = capacity as f64;
            }
            if scheme > 0 || us % 97 > 60 {
                queue *= 0.9;
            }
            port.bytes.push((left * 50_000.0) as u64);
            port.data_frames.push((left * 12.0) as u32);
            port.queue_bytes_max.push(queue as u64);
            port.drops.push(lost);
            counts.drops[us] += lost;
            counts.marks[us] += if queue > 150_000.0 { (queue / 50_000.0) as u32 } else { 0 };
            let later = (us + 12).min(buckets - 1);
            counts.retransmissions[later] += lost;
            if lost > 0 && us % 40 == 0 {
                counts.timeouts[later] += 1;
            }
            if scheme == 2 && condition > 0 && index == 1 && us >= 70 && us % 45 == 25 {
                events.push(Event {
                    us: us as f64 + 0.25,
                    flow: us as u64 % FLOWS,
                    name: "reps: freeze".into(),
                });
            }
        }
        ports.push(port);
    }
    let fault = |label: &str, until_us| FaultWindow {
        label: label.to_owned(),
        port: Some("tor0.up1".to_owned()),
        from_us: 60.0,
        until_us,
    };
    Detail {
        condition,
        scheme,
        seed,
        bucket_us: 1.0,
        ports_title: "uplinks of tor0".to_owned(),
        ports,
        counts,
        events,
        probes: probes(seed),
        faults: match condition {
            0 => Vec::new(),
            1 => vec![fault("tor0.up1 down", None)],
            _ => vec![fault("tor0.up1 at 200 Gbps", Some(900.0))],
        },
        queue_low_bytes: Some(150_000),
        queue_high_bytes: Some(600_000),
        queue_capacity_bytes: capacity,
    }
}

/// Windows of two flows, and a count of a ToR.
fn probes(seed: u64) -> Vec<ProbeLine> {
    let line = |probe: &str, unit: &str, of: &str, of_step: &dyn Fn(u64) -> f64| ProbeLine {
        probe: probe.to_owned(),
        unit: unit.to_owned(),
        of: of.to_owned(),
        points: (0..600).map(|step| (step as f64 * 2.0, of_step(step))).collect(),
    };
    let window =
        |flow: u64| move |step: u64| 4096.0 * (10 + (step * (flow + 1) + seed) % 90) as f64;
    vec![
        line("late", "count", "tor0", &|step| (step / 7) as f64),
        line("window", "B", "flow 0", &window(0)),
        line("window", "B", "flow 5", &window(5)),
    ]
}
