//! What a scenario's text means.

use proptest::prelude::*;
use raddle::scenario::{Scenario, Study, load, parse};
use raddle::study::unfinished::{Cause, Causes};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::bound;
use raddle_sim::check::violations;
use raddle_sim::engine;
use raddle_sim::faults::PortChange;
use raddle_sim::plan::Plan;
use raddle_sim::record::Stop;
use std::path::{Path, PathBuf};

const FABRIC: &str = "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 128 }\n";
const TRAFFIC: &str = "[traffic]\nkind = \"permutation\"\n";

fn study(text: &str) -> Study {
    study_with(text, &[])
}

fn study_with(text: &str, overrides: &[(&str, &str)]) -> Study {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
    match parse("demo.toml", text, Path::new("."), &overrides) {
        Ok(study) => study,
        Err(problems) => panic!("{problems}"),
    }
}

fn only(text: &str) -> Scenario {
    study(text).cells.remove(0).scenario
}

fn plan(text: &str) -> Plan {
    only(text).resolve(1).expect("the draw succeeds")
}

fn scenario_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let entries = std::fs::read_dir(folder).expect("the repository has scenarios");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    files
}

#[test]
fn an_override_of_a_swept_path_replaces_its_values_where_they_stand() {
    let swept = "[sweep]\n\"transport.load_balance.scheme\" = [\"reps\", \"ops\"]\nrun.end = [\"1 us\", \"2 us\"]\n";
    let text = format!("{FABRIC}{TRAFFIC}{swept}");
    for path in ["sweep.transport.load_balance.scheme", "sweep.\"transport.load_balance.scheme\""] {
        let study = study_with(&text, &[(path, "[\"ecmp\"]"), ("sweep.run.end", "[\"3 us\"]")]);
        let axes: Vec<_> = study.axes.iter().map(|axis| (&axis.name[..], &axis.values)).collect();
        let expected = [("transport.load_balance.scheme", "ecmp"), ("run.end", "3 us")]
            .map(|(name, value)| (name, vec![value.to_owned()]));
        assert!(axes.iter().copied().eq(expected.iter().map(|(name, values)| (*name, values))));
    }
}

#[test]
fn the_shortest_scenario_has_the_documented_defaults() {
    let expected = r#"[fabric]
topology = { kind = "fat_tree", tiers = 3, hosts = 128, hosts_per_tor = 4, tors_per_pod = 4, oversubscription = 1.0, parallel = 1, rate = "400 Gbps", link_delay = "500 ns", switch_delay = "500 ns", uplink_rate = "400 Gbps" }
load_balance = { scheme = "ecmp" }
queue = { size = "1 bdp", control_size = "unlimited", service = "priority", marking = { scheme = "red", at = "dequeue", low = "20%", high = "80%" }, overflow = "drop" }
gap = "0 B"
routing = { convergence = "never" }
on_down = "drop"
"#;
    let scenario = only(&format!("{FABRIC}{TRAFFIC}"));
    let resolved = scenario.resolved_toml();
    assert!(resolved.starts_with(expected), "{resolved}");
    for line in [
        "payload = \"4 KiB\"",
        "header = \"64 B\"",
        "ack = \"64 B\"",
        "load_balance = { scheme = \"ops\", entropies = 65536 }",
        "nic = \"control_first\"",
        "kind = \"permutation\"",
        "message = \"8 MiB\"",
        "end = \"never\"",
    ] {
        assert!(resolved.lines().any(|l| l == line), "{line} is not in\n{resolved}");
    }
    assert_eq!(scenario.title(), "128 hosts, 3-tier fat tree, 400 Gbps, 8 MiB permutation");
    assert_eq!(scenario.hosts(), 128);
}

#[test]
fn a_resolved_scenario_loads_again_to_the_same_hash() {
    let topologies = [
        "{ kind = \"fat_tree\", tiers = 2, hosts = 64, oversubscription = 2.0 }",
        "{ kind = \"fat_tree\", hosts = 64, hosts_per_tor = 4, tors_per_pod = 4, parallel = 2 }",
        "{ kind = \"leaf_spine\", leaves = 4, hosts_per_leaf = 4, spines = 2, parallel = 2 }",
        "{ kind = \"dumbbell\", hosts_per_side = 8, bottleneck_rate = \"100 Gbps\" }",
    ];
    let traffics = [
        "kind = \"tornado\"\nmessage = \"1500000 B\"",
        "kind = \"incast\"\nsenders = 7",
        "kind = \"all_to_all\"\nmessage = \"4 KiB\"\nparallel = 4",
        "kind = \"all_to_all\"\nmessage = \"4 KiB\"",
        "kind = \"poisson\"\nlaw = \"websearch\"\nload = 0.3\nuntil = \"100 us\"",
        "kind = \"partners\"\nlaw = \"websearch\"\nload = 0.3\nuntil = \"100 us\"",
        "kind = \"all_to_all\"\norder = \"strided\"\nparallel = 2",
        "kind = \"poisson_incast\"\nrate = 123.5\nfan_in = 3\nsize = \"7 B\"\nuntil = \"9 ms\"\nresponders = \"any\"",
        "kind = \"collective\"\noperation = \"all_to_all\"\norder = \"strided\"\nparallel = 2",
        "kind = \"flows\"\n[[traffic.flow]]\nfrom = 0\nto = 3\nbytes = \"1 B\"\nstart = \"1.5 ns\"",
    ];
    let more = r#"
[transport]
connections = "pair"
pair_order = "fifo"
recovery = { scheme = "sack", rto = "70 us", ack_every = 4 }
congestion = { scheme = "fixed_rate", rate = "123.5 Gbps" }
[[fault]]
host = 1
down = ["1 us..2 us", "1.5 ms.."]
[[fault]]
random = { share = "62.5%" }
loss = 0.001
during = "..5 us"
[[fault]]
random = { share = "50%", two_way = false }
rate = "33.3%"
[[fault]]
host = 2
flap = { period = "10 us", down = "1 us", until = "1 ms" }
[run]
end = "3 ms"
"#;
    for topology in topologies {
        for traffic in traffics {
            let text = format!("[fabric]\ntopology = {topology}\n[traffic]\n{traffic}\n{more}");
            let scenario = only(&text);
            let again = only(scenario.resolved_toml());
            assert_eq!(again.resolved_toml(), scenario.resolved_toml());
            assert_eq!(again.hash(), scenario.hash());
        }
    }
}

#[test]
fn the_hash_ignores_order_comments_and_seed_and_nothing_else() {
    let hash = |text: &str| only(text).hash();
    let one = hash(&format!("{FABRIC}gap = \"20 B\"\n{TRAFFIC}"));
    let other = format!(
        "# the same\n{TRAFFIC}inter_pod_only = false # default\n[run]\nseed = 7\n[fabric]\n\
         gap = \"0.02 kB\"\non_down = \"drop\"\ntopology = {{ hosts = 128, kind = \"fat_tree\" }}\n"
    );
    assert_eq!(hash(&other), one);
    assert_ne!(hash(&format!("{FABRIC}gap = \"21 B\"\n{TRAFFIC}")), one);
    assert_eq!(one.len(), 16);
}

#[test]
fn every_shipped_scenario_loads_and_resolves() {
    let files = scenario_files();
    assert!(files.len() >= 4);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.lines().count() < 40 && text.starts_with("# "), "{}", file.display());
        let study = load(&file, &[]).unwrap_or_else(|problems| panic!("{problems}"));
        for cell in &study.cells {
            let plan = cell.scenario.resolve(study.seeds[0]).unwrap_or_else(|problem| {
                panic!("{}", study.problem(problem));
            });
            assert!(!plan.traffic.flows.is_empty());
            assert_eq!(only(cell.scenario.resolved_toml()).hash(), cell.scenario.hash());
        }
    }
}

#[test]
fn sweeps_and_conditions_form_a_grid() {
    let text = format!(
        "{FABRIC}{TRAFFIC}[sweep]\ntransport.load_balance.scheme = [\"ops\", \"reps\"]\n\
         seed = \"3..6\"\n\"transport.payload\" = [\"1 KiB\", \"4 KiB\"]\n\
         [[condition]]\nname = \"healthy\"\n\
         [[condition]]\nname = \"dead\"\nfault = [{{ link = \"tor0.up1\", down = \"..\" }}]\n\
         set = {{ \"traffic.message\" = \"1 MiB\", run.end = \"1 ms\" }}\n"
    );
    let study = study(&text);
    let axes: Vec<_> = study.axes.iter().map(|axis| (&*axis.name, axis.values.join(" "))).collect();
    let expected = [
        ("transport.load_balance.scheme", "ops reps".to_owned()),
        ("transport.payload", "1 KiB 4 KiB".to_owned()),
        ("condition", "healthy dead".to_owned()),
    ];
    assert_eq!(axes, expected);
    assert_eq!(study.seeds, [3, 4, 5, 6]);
    assert_eq!(study.cells.len(), 8);
    let values = |i: usize| {
        let settings = study.cells[i].settings.iter();
        settings.map(|(_, value)| value.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(values(0), ["ops", "1 KiB", "healthy"]);
    assert_eq!(values(1), ["ops", "1 KiB", "dead"]);
    assert_eq!(values(7), ["reps", "4 KiB", "dead"]);
    let plan = |i: usize| study.cells[i].scenario.resolve(3).unwrap();
    assert!(plan(0).faults.ports.is_empty() && plan(0).end.is_none());
    assert_eq!(plan(1).faults.ports.len(), 2);
    assert_eq!(plan(1).end, Some(Time(1_000_000_000)));
    assert_eq!(plan(1).traffic.flows[0].bytes, Bytes::mib(1));
    assert_eq!(plan(7).transport.payload, Bytes::kib(4));
    assert_eq!(plan(7).transport.load_balance.card().name, "reps");
}

#[test]
fn overrides_change_values_and_end_their_sweeps() {
    let sweep = "[sweep]\ntransport.load_balance.scheme = [\"ops\", \"reps\"]\nseed = \"1..9\"\n";
    let text = format!("{FABRIC}{TRAFFIC}{sweep}");
    let overrides = [
        ("transport.load_balance.scheme", "ecmp"),
        ("fabric.queue.size", "100 packets"),
        ("run.seed", "4"),
        ("traffic.message", "\"64 KiB\""),
    ];
    let study = study_with(&text, &overrides);
    assert_eq!(study.cells.len(), 1);
    assert_eq!(study.seeds, [4]);
    assert_eq!(study.notes.len(), 2, "{:?}", study.notes);
    let resolved = study.cells[0].scenario.resolved_toml();
    assert!(resolved.contains("queue = { size = \"100 packets\""), "{resolved}");
    assert!(resolved.contains("message = \"64 KiB\""), "{resolved}");
    assert!(resolved.contains("load_balance = { scheme = \"ecmp\" }"), "{resolved}");
}

#[test]
fn an_override_chooses_a_condition() {
    let text = format!(
        "{FABRIC}{TRAFFIC}[[condition]]\nname = \"healthy\"\n[[condition]]\nname = \"dead\"\n\
         fault = [{{ link = \"tor0.up1\", down = \"..\" }}]\n"
    );
    let study = study_with(&text, &[("condition", "dead")]);
    assert_eq!(study.cells.len(), 1);
    assert_eq!(study.cells[0].settings, [("condition".to_owned(), "dead".to_owned())]);
    assert_eq!(study.cells[0].scenario.resolve(1).unwrap().faults.ports.len(), 2);
}

#[test]
fn conditions_that_name_an_axis_form_one_of_their_own() {
    let text = format!(
        "{FABRIC}{TRAFFIC}\
         [[condition]]\naxis = \"sizes\"\nname = \"short\"\n\
         set = {{ \"traffic.message\" = \"4 KiB\" }}\n\
         [[condition]]\nname = \"healthy\"\n\
         [[condition]]\naxis = \"sizes\"\nname = \"long\"\n\
         [[condition]]\nname = \"dead\"\nfault = [{{ link = \"tor0.up1\", down = \"..\" }}]\n"
    );
    let grid = study(&text);
    let axes: Vec<_> = grid.axes.iter().map(|axis| (&*axis.name, axis.values.join(" "))).collect();
    let expected = [("sizes", "short long".to_owned()), ("condition", "healthy dead".to_owned())];
    assert_eq!(axes, expected);
    assert_eq!(grid.cells.len(), 4);
    let chosen = study_with(&text, &[("sizes", "short")]);
    assert_eq!(chosen.cells.len(), 2);
    assert_eq!(chosen.cells[1].scenario.resolve(1).unwrap().traffic.flows[0].bytes, Bytes::kib(4));
}

#[test]
fn a_plan_holds_what_was_asked_for() {
    let text = format!(
        "{FABRIC}routing = {{ convergence = \"50 us\" }}\n{TRAFFIC}\
         [[fault]]\nlink = \"tor0.up1\"\ndirection = \"out\"\nrate = \"25%\"\nscale_queue = false\n\
         during = \"10 us..\"\n[[fault]]\nswitch = \"core3\"\ndown = \"20 us..30 us\"\n\
         [record]\nports = [\"tor0.up*\", \"tor0.up1\"]\n"
    );
    let plan = plan(&text);
    assert_eq!(plan.seed, 1);
    assert_eq!(plan.patience, Span::ms(100));
    assert_eq!(plan.routes.len(), 3);
    assert_eq!(plan.record.ports.len(), 4);
    assert_eq!(plan.record.bucket, Span::us(20));
    let slow = plan.fabric.port_named("tor0.up1").unwrap();
    let changes = &plan.faults.ports.iter().find(|(port, _)| *port == slow).unwrap().1;
    let rate = raddle_schemes::units::Rate::gbps(100);
    assert_eq!(changes[..], [(Time(10_000_000), PortChange::Rate { rate, scale: false })]);
    assert_eq!(plan.faults.nodes.len(), 1);
    let mut receivers: Vec<HostId> = plan.traffic.flows.iter().map(|f| f.destination).collect();
    receivers.sort_unstable();
    receivers.dedup();
    assert_eq!(receivers.len(), 128);
}

#[test]
fn a_host_that_dies_for_good_leaves_flows_open_and_the_cause_is_told() {
    let text = "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 16 }\n[traffic]\n\
        kind = \"collective\"\noperation = \"all_reduce\"\nsize = \"1 MiB\"\n\
        [[fault]]\nhost = 5\ndown = \"9 us..\"\n";
    let plan = only(text).resolve(1).unwrap();
    let outcome = engine::run(&plan, &mut ());
    assert_eq!(violations(&plan, &outcome), Vec::<String>::new());
    let Stop::Stalled(open) = &outcome.stop else { panic!("{:?}", outcome.stop) };
    let causes = Causes::of(&plan, &outcome);
    let of = |wanted: fn(Cause) -> bool| {
        open.iter().filter(|&&flow| causes.cause(flow).is_some_and(wanted)).count() as u64
    };
    let dead = of(|cause| cause == Cause::DeadHost(HostId(5)));
    assert!(dead > 0 && dead == causes.at_dead_hosts());
    let waiting = of(|cause| cause == Cause::NotStarted);
    assert!(waiting > dead && waiting + dead == open.len() as u64);
    // A cable says nothing about a host.
    let cut = study(&text.replace("host = 5", "link = \"host5\"")).cells[0].scenario.resolve(1);
    assert!(cut.is_err_and(|problem| problem.message.contains("cut `host")));
}

#[test]
fn a_pair_cut_off_for_good_is_an_error_that_shows_the_fault() {
    let study =
        study(&format!("{FABRIC}{TRAFFIC}[[fault]]\nlink = \"host5\"\ndown = \"1 us..\"\n"));
    let problem = study.cells[0].scenario.resolve(1).unwrap_err();
    let rendered = study.problem(problem).render(false);
    assert!(rendered.contains("cut `"), "{rendered}");
    assert!(rendered.contains(" 6 | link = \"host5\"\n"), "{rendered}");
}

#[test]
fn bounds_are_those_of_the_traffic() {
    let bounds = bound::of_plan(&plan(&format!("{FABRIC}{TRAFFIC}")));
    assert_eq!(bounds[0].name, "permutation");
    let recovery = "[transport]\nrecovery = { scheme = \"sack\", ack_every = 8 }\n";
    let coalesced = bound::of_plan(&plan(&format!("{FABRIC}{TRAFFIC}{recovery}")));
    assert!(coalesced.iter().all(|bound| bound.name != "permutation"));
    assert!(!coalesced.is_empty());
}

/// The scenario waits for the timeout that its run has, which is that of its packets.
#[test]
fn erasure_ends_where_queues_have_no_limit_and_a_link_breaks() {
    let text = format!(
        "{FABRIC}queue = {{ size = \"unlimited\", marking = {{ scheme = \"none\" }} }}\n\
         [transport]\ncongestion = {{ scheme = \"fixed_rate\" }}\n\
         recovery = {{ scheme = \"erasure\" }}\n{TRAFFIC}\
         [[fault]]\nlink = \"tor0.up0\"\ndown = \"2 us..4 us\"\n"
    );
    let plan = plan(&text);
    let outcome = raddle_sim::engine::run(&plan, &mut ());
    let lost: u64 = outcome.flows.iter().map(|flow| flow.dropped).sum();
    assert!(lost > 0);
    assert_eq!(outcome.stop, Stop::Completed);
    // All packets over one link, five times, is what a symbol is waited for.
    let packets: u64 = plan.traffic.flows.iter().map(|flow| flow.bytes.0.div_ceil(4096)).sum();
    let drain = Rate::gbps(400).serialisation(Bytes(packets * 4160));
    assert!(outcome.end.0 > 5 * drain.0 && outcome.end.0 < 6 * drain.0, "{}", outcome.end);
}

/// A full packet and a byte go through switches in smaller frames where they are halved.
#[test]
fn split_messages_are_no_faster_than_their_bounds() {
    let text = "[fabric]\ntopology = { kind = \"leaf_spine\", leaves = 2, hosts_per_leaf = 2, \
                spines = 4, rate = \"100 Gbps\" }\nload_balance = { scheme = \"source_route\" }\n\
                [transport]\nplanner = { scheme = \"ethereal\" }\n\
                [traffic]\nkind = \"flows\"\nflow = [{ from = 0, to = 2, bytes = \"4097 B\" }]\n";
    let study = study(text);
    let plan = study.cells[0].scenario.resolve(1).unwrap();
    assert!(plan.traffic.flows.len() > 1, "the message is in pieces");
    let outcome = raddle_sim::engine::run(&plan, &mut ());
    assert_eq!(raddle_sim::check::violations(&plan, &outcome), [""; 0]);
    let last = outcome.flows.iter().filter_map(|flow| flow.acked).max().unwrap();
    assert!(bound::of_plan(&plan).iter().all(|bound| bound.time.0 <= last.0));
    let ideal = bound::ideals(&plan)[0].unwrap();
    assert!(ideal.0 <= last.0, "{ideal} of {last}");
    // That of the message in one is not.
    let (whole, _) = outcome.of_messages(plan);
    assert!(bound::ideals(&whole)[0].unwrap().0 > last.0);
}

#[test]
fn bounds_end_where_a_graph_has_detours() {
    let folder = tempfile::tempdir().unwrap();
    let (far, near) = ("\"400 Gbps\" \"1 ms\"", "\"400 Gbps\" \"1 us\"");
    let graph = format!(
        "host a\nhost b\nswitch s0\nswitch s1\nswitch s2\nlink a s0 {near}\nlink b s1 {near}\n\
         link s0 s1 {far}\nlink s0 s2 {near}\nlink s2 s1 {near}\n"
    );
    std::fs::write(folder.path().join("detour.graph"), graph).unwrap();
    let plan = |fault: &str| {
        let text = format!(
            "[fabric]\ntopology = {{ kind = \"graph\", file = \"detour.graph\" }}\n\
             routing = {{ convergence = \"0 ns\" }}\n{TRAFFIC}\
             [[condition]]\nname = \"one\"\nfault = [{fault}]\n\
             [[condition]]\nname = \"cut\"\nfault = [{{ link = \"s0.to.s1\", down = \"0 ns..\" }}]\n"
        );
        let study = parse("demo.toml", &text, folder.path(), &[]);
        let study = study.unwrap_or_else(|problems| panic!("{problems}"));
        study.cells[0].scenario.resolve(1).unwrap()
    };
    assert!(!bound::of_plan(&plan("")).is_empty());
    let cut = plan("{ link = \"s0.to.s1\", down = \"0 ns..\" }");
    assert_eq!(bound::of_plan(&cut), []);
    let healthy = bound::completion(&cut.traffic, &cut.fabric, &bound::Frames::from(&cut));
    let outcome = raddle_sim::engine::run(&cut, &mut ());
    let last = outcome.flows.iter().filter_map(|flow| flow.acked).max().unwrap();
    assert!(last.0 < healthy[0].time.0, "the detour is no shorter: {last} of {healthy:?}");
}

#[test]
fn files_count_by_their_contents_and_not_by_their_place() {
    let scenario = |folder: &Path, matrix: &str| {
        std::fs::write(folder.join("one.cm"), matrix).unwrap();
        let text = format!("{FABRIC}[traffic]\nkind = \"htsim_cm\"\nfile = \"one.cm\"\n");
        let study = parse("demo.toml", &text, folder, &[]).unwrap_or_else(|e| panic!("{e}"));
        assert!(study.notes.iter().any(|note| note.contains("stay idle")), "{:?}", study.notes);
        study.cells[0].scenario.clone()
    };
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let matrix = "Nodes 16\nConnections 1\n0->5 start 0 size 1000\n";
    let one = scenario(here.path(), matrix);
    assert_eq!(one.resolve(1).unwrap().traffic.flows.len(), 1);
    assert_eq!(scenario(there.path(), matrix).hash(), one.hash());
    assert_eq!(only(one.resolved_toml()).hash(), one.hash());
    assert_ne!(scenario(there.path(), &matrix.replace("1000", "1001")).hash(), one.hash());
}

/// Every section and most kinds of value.
const LONG: &str = r#"[fabric]
topology = { kind = "fat_tree", tiers = 2, hosts = 32, oversubscription = 2.0 }
queue = { size = "100 packets", marking = { scheme = "red", low = "20%" }, overflow = "trim" }
routing = { convergence = "50 us" }
[transport]
load_balance = { scheme = "reps" }
recovery = { scheme = "sack", rto = "70 us" }
[traffic]
kind = "flows"
flow = [{ from = 0, to = 3, bytes = "1 MiB", start = "1.5 us" }]
[[fault]]
link = "tor0.up1"
down = ["1 us..2 us", "5 us.."]
[[fault]]
random = { share = "50%", layer = "tor_agg" }
rate = "50%"
during = "..9 us"
[record]
ports = ["tor*.up1"]
[run]
end = "1 ms"
[sweep]
"transport.payload" = ["1 KiB", "4 KiB"]
seed = "1..3"
[[condition]]
name = "healthy"
set = { run.end = "2 ms" }
"#;

proptest! {
    /// Edits never add digits, so that no edit asks for a huge fabric.
    #[test]
    fn no_text_makes_the_reader_panic(
        edits in prop::collection::vec((0..LONG.len(), 0..12_usize, "[a-z ü\"\\[\\]{}=.,%#\n-]{0,4}"), 1..5),
    ) {
        let mut text = LONG.to_owned();
        for (at, length, insert) in edits {
            let floor = |i: usize| (0..=i.min(text.len())).rev().find(|&i| text.is_char_boundary(i));
            let (from, to) = (floor(at).unwrap_or(0), floor(at + length).unwrap_or(0));
            text.replace_range(from..to.max(from), &insert);
        }
        match parse("demo.toml", &text, Path::new("."), &[]) {
            Err(problems) => {
                prop_assert!(!problems.list.is_empty());
                prop_assert!(problems.render(false).ends_with("nothing was run\n"));
            }
            Ok(study) => {
                let scenario = &study.cells[0].scenario;
                prop_assert_eq!(only(scenario.resolved_toml()).hash(), scenario.hash());
                let _ = scenario.resolve(1);
            }
        }
    }
}

#[test]
fn a_run_waits_for_a_slow_pace() {
    let paced = "[transport]\ncongestion = { scheme = \"fixed_rate\", rate = \"100 kbps\" }\n";
    let plan = plan(&format!("{FABRIC}{paced}{TRAFFIC}"));
    // Ten packets of 4160 B at 100 kbps.
    assert_eq!(plan.patience, Span::ms(3_328));
}
