//! `raddle schemes`, `bounds`, `theory` and `explain`.

use super::{SMALL, Scratch, examples, names, raddle};
use serde_json::json;

#[test]
fn schemes_are_listed_and_shown_one_by_one() {
    let said = raddle(&["schemes"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    for text in ["Host load balancing (transport.load_balance)\n", "  reps ", "  sack "] {
        assert!(said.out.contains(text), "{}", said.out);
    }
    assert!(said.out.lines().all(|line| line.chars().count() <= 100), "{}", said.out);
    let said = raddle(&["schemes", "reps"]);
    assert_eq!(said.status, 0);
    assert!(said.out.starts_with("reps: Recycled entropy packet spraying\n"), "{}", said.out);
    raddle(&["schemes", "rep"]).refused(&["unknown scheme `rep`; nearest: `reps`"]);
}

#[test]
fn a_scheme_of_a_standard_is_shown_with_its_rules() {
    let said = raddle(&["schemes", "cubic"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    for text in [
        "\n  rules   RFC 9438: 13 of 20 shown by a test, 5 by another reading, 2 left out\n",
        "\n    4.7  ",
        "  test a_second_loss_below_the_maximum_makes_room\n",
        "  left out: packets that arrive after",
    ] {
        assert!(said.out.contains(text), "{}", said.out);
    }
    assert!(said.out.lines().all(|line| line.chars().count() <= 100), "{}", said.out);
    assert!(!raddle(&["schemes", "swift"]).out.contains("  rules "));
}

#[test]
fn the_book_lists_every_command_and_no_other() {
    let said = raddle(&["--help"]);
    let commands = said.out.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| !line.is_empty());
    // Further lines of a description are indented deeper.
    let commands = commands.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = commands.filter_map(|line| line.split_whitespace().next());
    let mut names: Vec<String> = names.filter(|name| *name != "help").map(str::to_owned).collect();
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/commands.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `raddle "));
    let mut listed: Vec<String> =
        rows.filter_map(|row| row.split([' ', '`']).next()).map(str::to_owned).collect();
    names.sort();
    listed.sort();
    assert!(names.len() > 5, "{}", said.out);
    assert_eq!(listed, names);
}

#[test]
fn every_example_has_bounds() {
    for file in examples() {
        let said = raddle(&["bounds", &file.display().to_string(), "--json"]);
        assert_eq!(said.status, 0, "{}: {}", file.display(), said.err);
        let object = said.json();
        let cells = object["cells"].as_array().unwrap();
        assert!(cells.iter().all(|cell| cell["bounds"][0]["us"].as_f64() > Some(0.0)));
    }
}

#[test]
fn an_inventory_counts_switches_cables_and_optics() {
    let scratch = Scratch::new(SMALL);
    let said = raddle(&["inventory", &scratch.scenario()]);
    assert_eq!(said.status, 0, "{}", said.err);
    for words in ["hosts", "tor_agg", "switches, ports in use", "optics"] {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
    let object = raddle(&["inventory", &scratch.scenario(), "--json"]).json();
    let own = &object["cells"][0]["inventory"];
    assert_eq!(own["optics_with_hosts"].as_u64(), own["cable_count"].as_u64().map(|c| 2 * c));
}

#[test]
fn scenarios_with_the_same_bounds_are_shown_together() {
    let scratch = Scratch::new(&format!("{SMALL}{}", super::SWEEP));
    let said = raddle(&["bounds", &scratch.scenario()]);
    let expected = "16 hosts, 3-tier fat tree, 400 Gbps, 64 KiB permutation
  transport.load_balance.scheme = ops
  transport.load_balance.scheme = reps
    permutation      12.75 us
";
    assert!(said.out.starts_with(expected), "{}", said.out);
    let object = raddle(&["bounds", &scratch.scenario(), "--json"]).json();
    let settings = json!({"transport.load_balance.scheme": "reps"});
    assert_eq!(object["cells"][1]["settings"], settings);
}

#[test]
fn outages_that_swallow_gaps_and_detours_that_are_shorter_do_not_beat_the_bound() {
    let flapping = "[fabric]
topology = { kind = \"dumbbell\", hosts_per_side = 2, rate = \"400 Gbps\" }
gap = \"20 B\"
on_down = \"keep\"
queue = { size = \"unlimited\", marking = { scheme = \"none\" } }
[transport]
congestion = { scheme = \"fixed_rate\" }
recovery = { scheme = \"sack\", rto = \"10 ms\" }
[traffic]
kind = \"flows\"
flow = [{ from = 0, to = 2, bytes = \"4 MiB\" }]
[[fault]]
link = \"left.to.right\"
flap = { first = \"0 ns\", period = \"400 ns\", down = \"316.8 ns\", until = \"10 ms\" }
";
    let both = |scratch: &Scratch| {
        let [bounds, run] = ["bounds", "run"].map(|c| raddle(&[c, &scratch.scenario(), "--json"]));
        (bounds.json()["cells"][0]["cut_faults"].clone(), run.json()["completion_us"].as_f64())
    };
    let (cut, run) = both(&Scratch::new(flapping));
    assert!(cut["us"].as_f64() <= run && cut["us"].as_f64() > Some(300.0), "{cut} {run:?}");

    let detour = "[fabric]
topology = { kind = \"graph\", file = \"g.graph\" }
routing = { convergence = \"0 ns\" }
[traffic]
kind = \"flows\"
flow = [{ from = 0, to = 1, bytes = \"256 KiB\" }]
[[fault]]
link = \"s0.to.s1\"
down = \"..\"
";
    let graph = "host a\nhost b\nswitch s0\nswitch s1\nswitch s2
link a s0 \"400 Gbps\" \"10 ns\"\nlink b s1 \"400 Gbps\" \"10 ns\"
link s0 s1 \"400 Gbps\" \"50 us\"\nlink s0 s2 \"400 Gbps\" \"100 ns\"
link s2 s1 \"400 Gbps\" \"100 ns\"\n";
    let scratch = Scratch::new(detour);
    std::fs::write(scratch.path("g.graph"), graph).unwrap();
    assert_eq!(both(&scratch).0, json!(null));
}

#[test]
fn every_theory_model_is_listed_and_gives_its_numbers() {
    let said = raddle(&["theory"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert!(said.out.contains("\n  periodic_queue"), "{}", said.out);
    let models = raddle(&["theory", "--json"]).json();
    for model in models["models"].as_array().unwrap() {
        let help = raddle(&["theory", model["model"].as_str().unwrap(), "--help"]);
        assert!(help.status == 0 && help.out.contains("default:"), "{}", help.out);
    }
    let typed = ["--flows", "4", "--period", "5", "--trials", "1000", "--seed", "7"];
    let periodic = [&["theory", "periodic_queue"], &typed[..]].concat();
    let object = raddle(&[&periodic[..], &["--json"]].concat()).json();
    assert_eq!(object["parameters"], json!({"flows": 4, "period": 5.0, "trials": 1000}));
    assert_eq!(object["seed"], 7);
    let queue = object["quantities"]["queue_packets"].as_f64().unwrap();
    assert!((queue - 1.155).abs() < 0.01, "{queue}");
    let said = raddle(&periodic);
    assert!(shows(&said.out, "queue_packets", 1.155), "{}", said.out);
    assert!(said.out.lines().all(|line| line.chars().count() <= 100), "{}", said.out);
    let said = raddle(&["theory", "packet_size", "--message", "16 MiB"]);
    assert!(shows(&said.out, "payload_bytes", 11_729.0), "{}", said.out);
}

/// Whether a line begins with this name and about this number.
fn shows(out: &str, name: &str, about: f64) -> bool {
    out.lines().any(|line| {
        let mut words = line.split_whitespace();
        let named = words.next() == Some(name);
        let number = words.next().and_then(|word| word.parse::<f64>().ok());
        named && number.is_some_and(|number| (number / about - 1.0).abs() < 1e-3)
    })
}

#[test]
fn mistakes_in_theory_are_answered_with_what_would_be_right() {
    raddle(&["theory", "periodic_que"]).refused(&["periodic_queue"]);
    raddle(&["theory", "periodic_queue", "--flow", "4"]).refused(&["--flows"]);
    raddle(&["theory", "periodic_queue", "--flows", "0"]).refused(&["--flows 0", "at least 1"]);
    raddle(&["theory", "periodic_queue", "--flows", "6"])
        .refused(&["period is 5; expected at least as many as flows, 6"]);
    raddle(&["theory", "collisions", "--k", "7"]).refused(&["k is 7; a fat tree's is even"]);
    raddle(&["theory", "collisions", "--gap", "2"]).refused(&["expected a text with a unit"]);
    raddle(&["theory", "periodic_queue", "--trials", "1000000000"])
        .refused(&["this takes about 4e9 random draws; expected at most 2e9"]);
    raddle(&["theory", "packet_size", "--queue", "-1"]).refused(&["--queue -1", "at least 0.01"]);
}

#[test]
fn a_pace_of_rho_max_follows_the_faults_and_its_bound_is_the_one_used() {
    let scenario = "[fabric]
topology = { kind = \"fat_tree\", tiers = 3, hosts = 16 }
[transport]
congestion = { scheme = \"fixed_rate\", rate = \"rho_max\" }
recovery = { scheme = \"erasure\" }
nic = \"round_robin\"
[traffic]
kind = \"tornado\"
message = \"1 MiB\"
";
    let bounds = |fault: &str| {
        let scratch = Scratch::new(&format!("{scenario}{fault}"));
        raddle(&["bounds", &scratch.scenario(), "--json"]).json()["cells"][0].clone()
    };
    let healthy = bounds("");
    assert_eq!(
        (&healthy["used"], &healthy["rho_max_bps"]),
        (&json!("permutation"), &json!(400e9 as u64))
    );
    // Each flow of the pod has three of four paths left, two of them through the other switch.
    let fault = "[[fault]]\nlink = \"agg0.up0\"\ndown = \"..\"\n";
    let broken = bounds(fault);
    assert_eq!(broken["used"], json!("permutation_rho_max"));
    assert_eq!(broken["rho_max_bps"], json!(300e9 as u64));
    // The pod has three of four links to the top left, however its flows are split.
    assert_eq!(broken["cut_faults"]["links"], json!("out of the pod of tor0"));
    let [cut, least] =
        [&broken["cut_faults"], &healthy["bounds"][0]].map(|bound| bound["us"].as_f64().unwrap());
    assert!((1.2..1.4).contains(&(cut / least)), "{cut} and {least}");
    assert_eq!(healthy["cut_faults"], json!(null));
    let scratch = Scratch::new(&format!("{scenario}{fault}"));
    let said = raddle(&["bounds", &scratch.scenario()]);
    assert!(said.out.contains("all flows at once at 300.000000 Gbps (rho_max)"), "{}", said.out);
    assert!(said.out.contains(" us  links out of the pod of tor0\n"), "{}", said.out);
    let run = raddle(&["run", &scratch.scenario(), "--json"]).json();
    assert_eq!((&run["completed"], &run["bound"]), (&json!(true), &broken["used"]), "{run}");
    // At half of 400 Gbps 1 MiB and its headers take 21.3 us longer, but wait in no queue.
    let scratch = Scratch::new(scenario);
    let completion = |rate: &str| {
        let set = format!("transport.congestion.rate={rate:?}");
        let run = raddle(&["run", &scratch.scenario(), "--json", "--set", &set]).json();
        run["completion_us"].as_f64().unwrap()
    };
    let longer = completion("0.5 rho_max") - completion("rho_max");
    assert!((15.0..21.3).contains(&longer), "{longer}");
    let scenario = scenario.replace("\"rho_max\"", "\"1.5 rho_max\"");
    let scratch = Scratch::new(&scenario);
    raddle(&["run", &scratch.scenario()])
        .refused(&["scenario.toml:4", "expected `rho_max`, or a number from 0.01 to 1 before it"]);
}

#[test]
fn every_written_table_explains_itself() {
    let record = "[record]\nports = [\"tor0.*\"]\n[sweep]\nseed = [1]\n";
    let scratch = Scratch::new(&format!("{SMALL}{record}"));
    let (file, out) = (scratch.scenario(), scratch.text("out"));
    for format in [&[][..], &["--csv"]] {
        let arguments = [&["sweep", &file, "--out", &out][..], format].concat();
        assert_eq!(raddle(&arguments).status, 0);
    }
    let mut tables = vec![scratch.path("out/runs.parquet"), scratch.path("out/runs.csv")];
    let run = names(&scratch.path("out")).remove(0);
    let place = scratch.path("out").join(run);
    let files = names(&place).into_iter().filter(|name| name.ends_with(".parquet"));
    tables.extend(files.map(|name| place.join(name)));
    assert!(tables.len() >= 6, "{tables:?}");
    for table in tables {
        let said = raddle(&["explain", &table.display().to_string()]);
        assert_eq!(said.status, 0, "{}", said.err);
        assert!(said.out.contains(": One row per "), "{}", said.out);
    }
    raddle(&["explain", &scratch.scenario()]).refused(&["expected a table"]);
    raddle(&["explain", "nothing.parquet"]).refused(&["nothing.parquet: "]);
}

const PLANNED: &str = "[fabric]
topology = { kind = \"leaf_spine\", leaves = 2, hosts_per_leaf = 2, spines = 4 }
load_balance = { scheme = \"source_route\" }
[transport]
planner = { scheme = \"ethereal\" }
[traffic]
kind = \"flows\"
flow = [
  { from = 0, to = 1, bytes = \"64 kB\" },
  { from = 0, to = 2, bytes = \"64 kB\" },
  { from = 0, to = 3, bytes = \"64 kB\" },
  { from = 2, to = 0, bytes = \"64 kB\" },
]
";

#[test]
fn a_plan_tells_of_each_message_where_its_pieces_go() {
    let scratch = Scratch::new(PLANNED);
    let said = raddle(&["plan", &scratch.scenario(), "--batches", "1"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    for text in [
        "ethereal: 4 flows, 3 of them split, 9 pieces, seed 1\n",
        "host 0, 3 flows at 0 us\n",
        "64000  below its own switch\n",
        "1 more batches; `--batches N` shows more\n",
    ] {
        assert!(said.out.contains(text), "{}", said.out);
    }
    let object = raddle(&["plan", &scratch.scenario(), "--json"]).json();
    assert_eq!(object["schema"], "raddle.plan/1");
    let flows = object["shown"][0]["flows"].as_array().unwrap();
    let pieces = |flow: usize| flows[flow]["pieces"].as_array().unwrap();
    assert_eq!((pieces(0).len(), pieces(1).len(), pieces(2).len()), (1, 2, 2));
    assert_eq!(pieces(0)[0]["path"], json!(null));
    let mut ports: Vec<&str> =
        [1, 2].into_iter().flat_map(pieces).filter_map(|piece| piece["path"].as_str()).collect();
    ports.sort_unstable();
    assert_eq!(ports, ["tor0.up0", "tor0.up1", "tor0.up2", "tor0.up3"]);
    raddle(&["plan", &Scratch::new(SMALL).scenario()]).refused(&["the scenario has no planner"]);
}

#[test]
fn a_planned_run_tells_of_messages_and_keeps_its_pieces() {
    let scratch = Scratch::new(PLANNED);
    let out = scratch.text("out");
    let said = raddle(&["run", &scratch.scenario(), "--check", "--csv", "--out", &out]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(said.out.contains("4 flows, "), "{}", said.out);
    assert!(said.out.contains("9; 3 flows split"), "{}", said.out);
    let said = format!("{}{}", said.out, said.err);
    assert!(said.contains("every packet and byte is accounted for"), "{said}");
}
