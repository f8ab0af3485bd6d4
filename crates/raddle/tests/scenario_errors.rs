//! What a user sees who makes a mistake.

use raddle::problem::{Problem, Problems};
use raddle::scenario::{load, parse};
use raddle_schemes::load_balance::host;
use std::path::Path;

/// A scenario that is right; cases replace or add to its sections.
const FABRIC: &str = "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 128 }\n";
const TRAFFIC: &str = "[traffic]\nkind = \"permutation\"\n";

fn problems(text: &str) -> Problems {
    problems_with(text, &[])
}

fn problems_with(text: &str, overrides: &[(&str, &str)]) -> Problems {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
    match parse("demo.toml", text, Path::new("."), &overrides) {
        Ok(study) => panic!("accepted: {}", study.cells[0].scenario.resolved_toml()),
        Err(problems) => problems,
    }
}

/// `marked text: message; label`, one line for each problem.
fn brief(problems: &Problems) -> String {
    let line = |problem: &Problem| {
        let source = problems.sources.iter().find(|s| Some(&s.path) == problem.file.as_ref());
        let span = problem.span.clone().unwrap_or_default();
        let marked = source.map_or("", |source| &source.text[span]);
        let label = problem.label.as_deref().unwrap_or("-");
        format!("{marked} | {} | {label}", problem.message)
    };
    problems.list.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn check(text: &str, expected: &str) {
    assert_eq!(brief(&problems(text)), expected, "for\n{text}");
}

/// A scenario with more keys in `[fabric]`.
fn fabric(keys: &str, expected: &str) {
    check(&format!("{FABRIC}{keys}{TRAFFIC}"), expected);
}

/// A scenario with another topology.
fn topology(value: &str, expected: &str) {
    check(&format!("[fabric]\ntopology = {value}\n{TRAFFIC}"), expected);
}

/// A scenario with other traffic.
fn traffic(section: &str, expected: &str) {
    check(&format!("{FABRIC}{section}"), expected);
}

/// A scenario with more sections.
fn more(sections: &str, expected: &str) {
    check(&format!("{FABRIC}{TRAFFIC}{sections}"), expected);
}

#[test]
fn toml_syntax_errors_are_shown_where_they_are() {
    check(
        r#"[fabric
topology = 1
[traffic]
kind = "permutation"
"#,
        r#" | unclosed table, expected `]` | -"#,
    );
    fabric(
        r#"[fabric]
topology = { kind = "fat_tree", hosts = 128 }
"#,
        r#"fabric | duplicate key | -
topology | duplicate key | -"#,
    );
}

#[test]
fn missing_and_misspelt_keys_are_named() {
    check(
        r#""#,
        r#" | the scenario lacks [traffic] | add [traffic] with a `kind`, as in `kind = "permutation"`
 | [fabric] lacks `topology` | add `topology = { kind = "fat_tree", hosts = 128 }`"#,
    );
    check(
        r#"[fabric]
topology = { kind = "fat_tree", hosts = 128 }
"#,
        r#" | the scenario lacks [traffic] | add [traffic] with a `kind`, as in `kind = "permutation"`"#,
    );
    more(
        r#"[trafic]
x = 1
"#,
        r#"trafic | unknown key `trafic` in the scenario | nearest: `traffic`"#,
    );
    check(
        r#"fabric = 3
[traffic]
kind = "permutation"
"#,
        r#"3 | wrong value for `[fabric]` | expected a table, as in `{ key = value }`"#,
    );
    check(
        r#"[fabric]
gap = "20 B"
[traffic]
kind = "permutation"
"#,
        r#"[fabric] | [fabric] lacks `topology` | add `topology = { kind = "fat_tree", hosts = 128 }`"#,
    );
    fabric(
        r#"gap = 20
"#,
        r#"20 | wrong value for `gap` | expected a text with a unit, as in "4096 B""#,
    );
    fabric(
        r#"gapp = "20 B"
"#,
        r#"gapp | unknown key `gapp` in [fabric] | nearest: `gap`"#,
    );
}

#[test]
fn a_topology_says_what_would_fit() {
    topology(
        r#""fat_tree""#,
        r#""fat_tree" | wrong value for `topology` | expected a table, as in `{ key = value }`"#,
    );
    topology(
        r#"{ hosts = 128 }"#,
        r#"{ hosts = 128 } | topology lacks `kind` | add `kind = "fat_tree"`"#,
    );
    topology(
        r#"{ kind = "fattree", hosts = 128 }"#,
        r#""fattree" | unknown word `fattree` for `kind` | nearest: `fat_tree`"#,
    );
    topology(
        r#"{ kind = "fat_tree" }"#,
        r#"{ kind = "fat_tree" } | topology lacks `hosts` | add `hosts = 128`"#,
    );
    topology(
        r#"{ kind = "fat_tree", hosts = 100 }"#,
        r#"100 | hosts = 100 is not the size of a k-ary fat tree of three tiers (k^3 / 4 for an even k) | nearest: 54 or 128; or give hosts_per_tor and tors_per_pod"#,
    );
    topology(
        r#"{ kind = "fat_tree", hosts = -4 }"#,
        r#"-4 | wrong value for `hosts` | expected a whole number that is not negative and fits"#,
    );
    topology(
        r#"{ kind = "fat_tree", tiers = 4, hosts = 128 }"#,
        r#"4 | tiers = 4 | a tree has 2 or 3 tiers"#,
    );
    topology(
        r#"{ kind = "fat_tree", hosts = 128, rate = "400 GB" }"#,
        r#""400 GB" | wrong value for `rate` | expected a number and one of the units bps, kbps, Mbps, Gbps, Tbps, as in "400 Gbps""#,
    );
    topology(
        r#"{ kind = "fat_tree", hosts = 128, rate = "0 Gbps" }"#,
        r#""0 Gbps" | `rate` is too small | expected at least "1 bps""#,
    );
    topology(
        r#"{ kind = "fat_tree", hosts = 128, link_delay = "2 ns", switch_delay = "0 ns" }"#,
        r#"{ kind = "fat_tree", hosts = 128, link_delay = "2 ns", switch_delay = "0 ns" } | link and switch delay behind `host0` add up to 2 ns | expected at least 10 ns"#,
    );
    topology(
        r#"{ kind = "fat_tree", hosts = 128, oversubscription = 3.0 }"#,
        r#"3.0 | oversubscription = 3 would give each ToR of 4 hosts 1.3333333333333333 uplink cables, which is not a multiple of parallel = 1 | nearest oversubscription: 4 or 2"#,
    );
    topology(
        r#"{ kind = "leaf_spine", leaves = 4, hosts_per_leaf = 4 }"#,
        r#"{ kind = "leaf_spine", leaves = 4, hosts_per_leaf = 4 } | topology lacks `spines` | add `spines = 8`"#,
    );
    topology(
        r#"{ kind = "dumbbell", hosts_per_side = 0 }"#,
        r#"0 | `hosts_per_side` is too small | expected at least 1"#,
    );
    topology(
        r#"{ kind = "graph", file = "no_such_file.txt" }"#,
        r#""no_such_file.txt" | cannot read `no_such_file.txt`: No such file or directory (os error 2) | -"#,
    );
}

#[test]
fn queues_and_routing_refuse_what_has_no_meaning() {
    fabric(
        r#"queue = { size = "20%" }
"#,
        r#""20%" | wrong value for `size` | expected bytes, packets or bdp: a capacity is not a share of anything"#,
    );
    fabric(
        r#"queue = { service = "prio" }
"#,
        r#""prio" | unknown word `prio` for `service` | nearest: `priority`"#,
    );
    fabric(
        r#"queue = { size = "unlimited" }
"#,
        r#""unlimited" | marking `red` has low = "20%" of an unlimited queue | a share of this has no meaning"#,
    );
    fabric(
        r#"queue = { marking = { scheme = "red", at = "dequeu" } }
"#,
        r#""dequeu" | unknown word `dequeu` for `at` | nearest: `dequeue`"#,
    );
    fabric(
        r#"queue = { marking = { scheme = "red", lo = "10%" } }
"#,
        r#"lo | `red` has no parameter `lo` | nearest: `low`"#,
    );
    traffic(
        r#"queue = { marking = { scheme = "none" } }
[traffic]
kind = "permutation"
[transport]
load_balance = { scheme = "reps" }
"#,
        r#""none" | `mprdma_dctcp` in [transport] congestion needs ECN marking in the switches, which `none` in [fabric] queue.marking does not offer | -
"reps" | `reps` in [transport] load_balance needs ECN marking in the switches, which `none` in [fabric] queue.marking does not offer | -"#,
    );
    fabric(
        r#"routing = { convergence = "soon" }
"#,
        r#""soon" | wrong value for `convergence` | expected a number with a unit, as in "70 us", or "never""#,
    );
}

#[test]
fn hosts_refuse_what_no_scheme_offers() {
    more(
        r#"[transport]
load_balance = "reps"
"#,
        r#""reps" | wrong value for `load_balance` | write `{ scheme = "reps" }`"#,
    );
    more(
        r#"[transport]
load_balance = { scheme = "repss" }
"#,
        r#""repss" | unknown scheme `repss` | nearest: `reps`"#,
    );
    more(
        r#"[transport]
load_balance = { scheme = "red" }
"#,
        r#""red" | unknown scheme `red` | not one of the host load balancers"#,
    );
    more(
        r#"[transport]
load_balance = { scheme = "ops", entropies = 0 }
"#,
        r#"0 | wrong value for `entropies` | expected at least 1 and at most 65536"#,
    );
    more(
        r#"[transport]
payload = "80 KiB"
"#,
        r#""80 KiB" | `payload` is too large | expected at most 64 KiB"#,
    );
    more(
        r#"[transport]
payload = "0 B"
"#,
        r#""0 B" | `payload` is too small | expected at least "1 B""#,
    );
}

#[test]
fn traffic_is_checked_against_the_fabric() {
    traffic(
        r#"[traffic]
kind = "permutations"
"#,
        r#""permutations" | unknown word `permutations` for `kind` | nearest: `permutation`"#,
    );
    traffic(
        r#"[traffic]
kind = "incast", senders = 8
"#,
        r#" | unexpected key or value, expected newline, `#` | -"#,
    );
    traffic(
        r#"[traffic]
kind = "incast"
senders = 200
receiver = 3
"#,
        r#"200 | `senders` is 200 | expected 1 to 127: all hosts but the receiver"#,
    );
    traffic(
        r#"[traffic]
kind = "poisson"
law = "websearc"
load = 0.6
until = "1 ms"
"#,
        r#""websearc" | unknown flow-size law `websearc` | nearest: `websearch`"#,
    );
    traffic(
        r#"[traffic]
kind = "poisson"
law = "websearch"
load = 60
until = "1 ms"
"#,
        r#"60 | wrong value for `load` | expected more than 0 and at most 1"#,
    );
    traffic(
        r#"[traffic]
kind = "flows"
flow = [{ from = 0, to = 0, bytes = "1 MiB" }, { from = 1, to = 128, bytes = "0 B" }, { from = 300, to = 1, bytes = "1 MiB" }]
"#,
        r#"0 | `to` is 0 | expected a host other than the source
"0 B" | `bytes` is too small | expected at least "1 B"
300 | `from` is 300 | expected a host below 128"#,
    );
    traffic(
        r#"[traffic]
kind = "flows"
"#,
        r#"[traffic] | [traffic] lacks `flow` | add `flow = [{ from = 0, to = 1, bytes = "1 MiB" }]`"#,
    );
}

#[test]
fn faults_have_one_target_one_effect_and_a_time() {
    more(
        r#"[[fault]]
link = "tor0.up1"
switch = "tor0"
down = ".."
"#,
        r#""tor0" | the fault has both `link` and `switch` | make it a second fault"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
"#,
        r#"[[fault]] | the fault has no effect | add one, as in `down = "100 us..200 us"`"#,
    );
    more(
        r#"[[fault]]
link = "tor0.upp1"
down = ".."
"#,
        r#""tor0.upp1" | no link is called `tor0.upp1` | nearest: `tor0.up1`, `tor0.up0`, `tor0.up2`"#,
    );
    more(
        r#"[[fault]]
switch = "tor99"
down = ".."
"#,
        r#""tor99" | no switch is called `tor99` | nearest: `tor9`, `tor19`, `tor29`"#,
    );
    more(
        r#"[[fault]]
host = 128
down = ".."
"#,
        r#"128 | no host is called `host128` | nearest: `host12`, `host18`, `host28`"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
down = "100..200 us"
"#,
        r#""100..200 us" | wrong value for `down` | expected a number and one of the units ps, ns, us, ms, s, as in "100 us..200 us""#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
down = ["100 us..200 us", "150 us.."]
"#,
        r#""150 us.." | the times of `down` overlap or are not in order | expected a time after the one before it"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
loss = 1.5
during = "5 us..1 us"
"#,
        r#"1.5 | wrong value for `loss` | expected a probability from 0 to 1
"5 us..1 us" | wrong value for `during` | expected an end after the start"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
rate = "800 Gbps"
"#,
        r#""800 Gbps" | the rate of `tor0.up1` must be above 0 and at most its own, 400 Gbps | -"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
direction = "up"
rate = "0%"
"#,
        r#""up" | unknown word `up` for `direction` | -
"0%" | wrong value for `rate` | expected more than 0: a link without rate is `down`"#,
    );
    more(
        r#"[[fault]]
random = { share = 3, layer = "tor-agg" }
down = ".."
"#,
        r#"3 | wrong value for `share` | expected a share over 0% and up to 100%, as in "1%"
"tor-agg" | unknown word `tor-agg` for `layer` | nearest: `tor_agg`"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
flap = { period = "10 us", down = "20 us", until = "1 ms" }
"#,
        r#"{ period = "10 us", down = "20 us", until = "1 ms" } | flapping needs a time down above 0 and below the period, and an end after the first time down | -"#,
    );
    more(
        r#"[[fault]]
link = "tor0.up1"
rate = "50%"
during = "1 us..9 us"
[[fault]]
link = "tor0.up1"
rate = "25%"
during = "5 us.."
"#,
        r#""25%" | faults 1 and 2 both set the rate of `tor0.up1` at 5 us | -"#,
    );
}

#[test]
fn records_and_runs_are_checked() {
    more(
        r#"[record]
ports = ["tor0.upp*"]
"#,
        r#""tor0.upp*" | no port is called `tor0.upp*` | nearest: `tor0.up0`"#,
    );
    more(
        r#"[run]
seed = -1
end = "0 ns"
"#,
        r#"-1 | wrong value for `seed` | expected a whole number that is not negative and fits
"0 ns" | the run would end before it starts | expected a time, as in "1 ms", or "never""#,
    );
}

#[test]
fn sweeps_and_conditions_are_checked_cell_by_cell() {
    more(
        r#"[sweep]
"transport.load_balance.scheme" = ["ops", "resp"]
"#,
        r#""resp" | unknown scheme `resp` | nearest: `reps`"#,
    );
    more(
        r#"[sweep]
"transport.load_balanc.scheme" = ["ops", "reps"]
"#,
        r#""transport.load_balanc.scheme" | unknown key `load_balanc` in [transport] | nearest: `load_balance`"#,
    );
    more(
        r#"[sweep]
"trnsport.payload" = ["1 KiB"]
seed = "5..1"
"#,
        r#""trnsport.payload" | no scenario has a value at `trnsport.payload` | nearest: `transport`
"5..1" | wrong value for `seed` | expected seeds, each once, as in "1..5" (both included) or [1, 7]"#,
    );
    more(
        r#"[sweep]
"transport.payload" = "1 KiB"
"#,
        r#""1 KiB" | `transport.payload` is swept over nothing | expected a list of values, as in [1, 2]"#,
    );
    more(
        r#"[sweep]
"transport.payload" = ["1 KiB", "1 KiB"]
"#,
        r#""1 KiB" | `1 KiB` occurs twice | expected each value of `transport.payload` once"#,
    );
    more(
        r#"[[condition]]
name = "healthy"
[[condition]]
fault = [{ link = "tor9.up9", down = ".." }]
"#,
        r#"[[condition]] | [[condition]] lacks `name` | add `name = "healthy"`"#,
    );
    more(
        r#"[[condition]]
name = "slow"
fault = [{ link = "tor9.up9", rate = "50%" }]
set = { "transport.paylod" = "1 KiB" }
"#,
        r#""tor9.up9" | no link is called `tor9.up9` | nearest: `tor9.up0`, `tor9.up1`, `tor9.up2`
"transport.paylod" | unknown key `paylod` in [transport] | nearest: `payload`"#,
    );
}

/// The schemes of the host load balancers, as a help line lists them.
fn host_load_balancers() -> String {
    host::SCHEMES.iter().map(|scheme| scheme.card.name).collect::<Vec<_>>().join(", ")
}

#[test]
fn the_whole_report_lists_every_mistake_with_its_line() {
    let text = r#"# Four mistakes.
[fabric]
topology = { kind = "fat_tree", hosts = 100 }

[transport]
load_balance = { scheme = "repss" }
paylod = "4 KiB"

[traffic]
kind = "permutation"
message = "8 Mib"
"#;
    let expected = r#"error: hosts = 100 is not the size of a k-ary fat tree of three tiers (k^3 / 4 for an even k)
  --> demo.toml:3:41
   |
 3 | topology = { kind = "fat_tree", hosts = 100 }
   |                                         ^^^ nearest: 54 or 128; or give hosts_per_tor and tors_per_pod

error: unknown scheme `repss`
  --> demo.toml:6:27
   |
 6 | load_balance = { scheme = "repss" }
   |                           ^^^^^^^ nearest: `reps`
   = host load balancers: LIST (`raddle schemes`)

error: unknown key `paylod` in [transport]
  --> demo.toml:7:1
   |
 7 | paylod = "4 KiB"
   | ^^^^^^ nearest: `payload`
   = keys of [transport]: payload, header, ack, load_balance, congestion, recovery, nic, phase

error: wrong value for `message`
  --> demo.toml:11:11
   |
11 | message = "8 Mib"
   |           ^^^^^^^ expected a number and one of the units B, kB, MB, GB, KiB, MiB, GiB, as in "4096 B"

4 problems in demo.toml; nothing was run
"#;
    let problems = problems(text);
    let expected = expected.replace("LIST", &host_load_balancers());
    assert_eq!(problems.render(false), expected);
    assert_eq!(problems.to_string(), expected);
    let coloured = problems.render(true);
    assert!(coloured.contains("\u{1b}["));
    assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), expected);
}

#[test]
fn overrides_are_blamed_where_they_were_typed() {
    let overrides = [
        ("transport.payload", "1 KiB"),
        ("transport.load_balance.scheme", "repss"),
        ("run.end", "[1"),
        ("traffic.kind.x", "3"),
    ];
    let expected = r#"error: unknown scheme `repss`
  --> --set:2:31
   |
 2 | transport.load_balance.scheme=repss
   |                               ^^^^^ nearest: `reps`
   = host load balancers: LIST (`raddle schemes`)

error: unclosed array, expected `]`
  --> --set:3:11
   |
 3 | run.end=[1
   |           ^

error: cannot set `traffic.kind.x`
  --> --set:4:1
   |
 4 | traffic.kind.x=3
   | ^^^^^^^^^^^^^^ `kind` is not a table

3 problems in demo.toml; nothing was run
"#;
    let problems = problems_with(&format!("{FABRIC}{TRAFFIC}"), &overrides);
    assert_eq!(problems.render(false), expected.replace("LIST", &host_load_balancers()));
}

#[test]
fn a_scheme_and_a_fabric_that_do_not_go_together_are_both_named() {
    let marking = "queue = { marking = { scheme = \"none\" } }\n";
    let expected = r#"error: `mprdma_dctcp` in [transport] congestion needs ECN marking in the switches, which `none` in [fabric] queue.marking does not offer
  --> demo.toml:3:32
   |
 3 | queue = { marking = { scheme = "none" } }
   |                                ^^^^^^
   = choose a marking that marks, or another scheme

1 problem in demo.toml; nothing was run
"#;
    assert_eq!(problems(&format!("{FABRIC}{marking}{TRAFFIC}")).render(false), expected);
}

#[test]
fn a_scheme_of_another_family_is_sent_there() {
    let transport = "[transport]\ncongestion = { scheme = \"sack\" }\n";
    let rendered = problems(&format!("{FABRIC}{TRAFFIC}{transport}")).render(false);
    let help = "= `sack` is one of the recoveries: it goes to [transport] recovery";
    assert!(rendered.contains(help), "{rendered}");
}

#[test]
fn a_mistake_in_every_cell_is_reported_once() {
    let sweep = "[sweep]\n\"transport.payload\" = [\"1 KiB\", \"2 KiB\", \"4 KiB\"]\n";
    let text = format!("{FABRIC}gapp = 1\n{TRAFFIC}{sweep}seed = \"1..5\"\n");
    check(&text, "gapp | unknown key `gapp` in [fabric] | nearest: `gap`");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let problems = load(Path::new("no/such/demo.toml"), &[]).unwrap_err();
    let rendered = problems.render(false);
    assert!(rendered.starts_with("error: cannot read no/such/demo.toml: "), "{rendered}");
}

#[test]
fn mistakes_in_a_named_file_are_shown_in_that_file() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("fabric.txt", "host a\nhost b\nswitch s\nlink a s \"400 Gbps\" \"500 ns\"\nlink b t\n");
    write("law.csv", "size_bytes,cdf\n1000,0.5\n500,1\n");
    write("one.cm", "Nodes 2\nConnections 1\n0->5 start 0 size 1000\n");
    let report = |topology: &str, traffic: &str| {
        let text = format!("[fabric]\ntopology = {topology}\n[traffic]\n{traffic}");
        let problems = parse("demo.toml", &text, folder.path(), &[]).unwrap_err();
        problems.render(false).replace(&folder.path().display().to_string(), "..")
    };
    let tree = "{ kind = \"fat_tree\", hosts = 128 }";
    let graph = report("{ kind = \"graph\", file = \"fabric.txt\" }", "kind = \"tornado\"\n");
    assert!(graph.contains("  --> ../fabric.txt:5:"), "{graph}");
    assert!(graph.contains(" 5 | link b t\n"), "{graph}");
    let law = report(tree, "kind = \"poisson\"\nlaw = \"law.csv\"\nload = 0.5\nuntil = \"1 ms\"\n");
    assert!(law.contains("error: size 500 follows 1000; expected no less\n"), "{law}");
    assert!(law.contains("  --> ../law.csv:3:1\n"), "{law}");
    let matrix = report(tree, "kind = \"htsim_cm\"\nfile = \"one.cm\"\n");
    assert!(matrix.contains("  --> ../one.cm:3:"), "{matrix}");
    assert!(matrix.ends_with("in demo.toml; nothing was run\n"), "{matrix}");
}
