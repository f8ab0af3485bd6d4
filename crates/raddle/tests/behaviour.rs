//! What every scheme does, as a table that a reviewer reads in the diff: completion and throughput of
//! each congestion control and recovery by loss and queue, of each load balancer by what is broken.
//!
//! The table is `behaviour.txt` beside this file. A change of behaviour is written into it by
//!
//! ```text
//! UPDATE=1 cargo test -p raddle --test behaviour
//! ```
//!
//! and the commit says why the lines moved.
#![expect(clippy::unwrap_used, reason = "a scenario that cannot be made fails the test")]

use raddle::scenario::{Scenario, parse};
use raddle::study::summary::RunSummary;
use raddle::study::timing::Cost;
use raddle_schemes::load_balance::{host, switch};
use raddle_schemes::{Need, congestion, recovery};
use raddle_sim::engine;
use std::fmt::Write;
use std::path::Path;

/// Two flows of 4 MiB share a cable.
const DUMBBELL: &str =
    "topology = { kind = \"dumbbell\", hosts_per_side = 2, rate = \"100 Gbps\" }\n";
const TWO_FLOWS: &str = "[traffic]\nkind = \"flows\"\nflow = [{ from = 0, to = 2, bytes = \"4 MiB\" }, \
                         { from = 1, to = 3, bytes = \"4 MiB\" }]\n";

/// Two flows of 4 MiB between two racks that have a circuit in turns with a packet network.
const RACKS: &str = "topology = { kind = \"hybrid\", tors = 3, hosts_per_tor = 2, rate = \"100 Gbps\", \
                     packet_rate = \"10 Gbps\" }\n";

/// Every host of 16 sends to one other, below 4 spines.
const SPINES: &str = "topology = { kind = \"leaf_spine\", leaves = 4, hosts_per_leaf = 4, spines = 4, \
                      rate = \"100 Gbps\" }\n";
const PERMUTATION: &str = "[traffic]\nkind = \"permutation\"\nmessage = \"1 MiB\"\n";

const QUEUES: [(&str, &str); 2] = [("shallow", "20 packets"), ("deep", "500 packets")];
const LOSSES: [&str; 3] = ["0", "0.001", "0.01"];
const FAULTS: [(&str, &str); 3] = [
    ("healthy", ""),
    ("half rate", "[[fault]]\nlink = \"tor0.up1\"\nrate = \"50%\"\n"),
    ("dead", "[[fault]]\nlink = \"tor0.up1\"\ndown = \"0 ns..\"\n"),
];

/// What some schemes need beside them, in `[fabric]` and `[transport]`: the first that is accepted.
const COMPANIONS: [(&str, &str); 6] = [
    ("", ""),
    ("queue.overflow = \"trim\"\n", ""),
    ("load_balance = { scheme = \"source_route\" }\n", ""),
    ("load_balance = { scheme = \"source_route\" }\n", "planner = { scheme = \"ethereal\" }\n"),
    ("", "load_balance = { scheme = \"host_dr\" }\n"),
    ("", "load_balance = { scheme = \"ecmp\" }\n"),
];

/// The scenario of these sections, with the first companions that it takes.
fn scenario(fabric: &str, transport: &str, rest: &str) -> Scenario {
    let mut refused = String::new();
    for (beside, hosts) in COMPANIONS {
        let text = format!("[fabric]\n{fabric}{beside}[transport]\n{transport}{hosts}{rest}");
        match parse("behaviour", &text, Path::new("."), &[]) {
            Ok(study) => return study.cells[0].scenario.clone(),
            Err(problems) => _ = write!(refused, "{problems}\n{text}\n"),
        }
    }
    panic!("{refused}");
}

fn row(table: &mut String, words: [&str; 3], bytes: u64, scenario: &Scenario) {
    let plan = scenario.resolve(1).unwrap();
    let (plan, outcome) = engine::run(&plan, &mut ()).of_messages(plan);
    let summary = RunSummary::new("", &plan, &outcome, None, Cost::default());
    let [completion, throughput] = summary.completion_us.map_or(["-".into(), "-".into()], |us| {
        [format!("{us:.1}"), format!("{:.1}", 8e-3 * bytes as f64 / us)]
    });
    let [scheme, first, second] = words;
    let lost: u64 = summary.packets.dropped.iter().sum();
    let (again, timeouts) = (summary.packets.retransmitted, summary.timeouts);
    let unfinished = summary.unfinished;
    let line = format!(
        "{scheme:20} {first:9} {second:8} {completion:>13} {throughput:>10} {lost:>6} {again:>6} \
         {timeouts:>8} {unfinished:>10}"
    );
    table.push_str(line.trim_end());
    table.push('\n');
}

fn head(table: &mut String, title: &str, words: [&str; 3]) {
    let [scheme, first, second] = words;
    _ = writeln!(table, "{title}\n");
    _ = writeln!(
        table,
        "{scheme:20} {first:9} {second:8} {:>13} {:>10} {:>6} {:>6} {:>8} {:>10}",
        "completion_us", "total_gbps", "lost", "again", "timeouts", "unfinished"
    );
}

/// A congestion control or a recovery, chosen by this line of `[transport]`, by loss on a link of this
/// fabric and queue.
fn by_loss(table: &mut String, name: &str, transport: &str, (fabric, link): (&str, &str)) {
    for (queue, size) in QUEUES {
        for loss in LOSSES {
            let fault = match loss {
                "0" => String::new(),
                _ => format!("[[fault]]\nlink = \"{link}\"\ndirection = \"out\"\nloss = {loss}\n"),
            };
            let fabric = format!("{fabric}queue.size = \"{size}\"\n");
            let own = scenario(&fabric, transport, &format!("{TWO_FLOWS}{fault}"));
            row(table, [name, queue, loss], 2 << 22, &own);
        }
    }
}

fn by_fault(table: &mut String, name: &str, fabric: &str, transport: &str) {
    for (what, fault) in FAULTS {
        let own =
            scenario(&format!("{SPINES}{fabric}"), transport, &format!("{PERMUTATION}{fault}"));
        row(table, [name, what, ""], 16 << 20, &own);
    }
}

fn table() -> String {
    let mut table = String::new();
    let out = &mut table;
    let title = "Congestion controls: two flows of 4 MiB over one cable of 100 Gbit/s, by queue and loss; \
         `retcp` over circuits of 100 and a packet network of 10 Gbit/s";
    head(out, title, ["congestion", "queue", "loss"]);
    for scheme in congestion::SCHEMES {
        let name = scheme.card.name;
        let hybrid = scheme.card.needs.contains(&Need::Circuits);
        let own = if hybrid { (RACKS, "tor0.to.tor1") } else { (DUMBBELL, "left.to.right") };
        by_loss(out, name, &format!("congestion = {{ scheme = \"{name}\" }}\n"), own);
    }
    out.push('\n');
    head(
        out,
        "Recoveries: the same under the default congestion control",
        ["recovery", "queue", "loss"],
    );
    for scheme in recovery::SCHEMES {
        let name = scheme.card.name;
        let own = (DUMBBELL, "left.to.right");
        by_loss(out, name, &format!("recovery = {{ scheme = \"{name}\" }}\n"), own);
    }
    out.push('\n');
    let title =
        "Load balancers of hosts: a permutation of 1 MiB among 16 hosts, by what ails a cable";
    head(out, title, ["load_balance", "cable", ""]);
    for scheme in host::SCHEMES {
        let name = scheme.card.name;
        by_fault(out, name, "", &format!("load_balance = {{ scheme = \"{name}\" }}\n"));
    }
    out.push('\n');
    head(out, "Load balancers of switches: the same", ["load_balance", "cable", ""]);
    for scheme in switch::SCHEMES {
        let name = scheme.card.name;
        by_fault(out, name, &format!("load_balance = {{ scheme = \"{name}\" }}\n"), "");
    }
    table
}

#[test]
#[expect(clippy::disallowed_methods, reason = "writing the table is asked for by hand")]
fn behaviour_is_as_written() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour.txt");
    let now = table();
    if std::env::var("UPDATE").is_ok() {
        std::fs::write(&path, &now).unwrap();
        return;
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    if now == written {
        return;
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (written.lines().collect(), now.lines().collect());
    let mut moved = String::new();
    for line in old.iter().filter(|line| !new.contains(line)) {
        _ = writeln!(moved, "-{line}");
    }
    for line in new.iter().filter(|line| !old.contains(line)) {
        _ = writeln!(moved, "+{line}");
    }
    panic!(
        "behaviour is not as in tests/behaviour.txt:\n{moved}if that is meant: UPDATE=1 cargo test \
         -p raddle --test behaviour"
    );
}
