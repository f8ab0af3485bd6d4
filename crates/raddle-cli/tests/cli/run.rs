//! `raddle run`.

use super::{SMALL, STALLING, SWEEP, Scratch, names, raddle};
use serde_json::Value;

/// The keys of `raddle.run/1`, nested ones behind a dot.
const KEYS: &str = "schema scenario seed threads completed flows unfinished unstarted at_dead_hosts \
    completion_us \
    fct_us.max fct_us.mean fct_us.p50 fct_us.p99 \
    delivered_us.max delivered_us.mean delivered_us.p50 delivered_us.p99 \
    fct_by_size_us.all.flows fct_by_size_us.all.mean fct_by_size_us.all.p50.value fct_by_size_us.all.p50.low fct_by_size_us.all.p50.high \
    fct_by_size_us.all.p95 fct_by_size_us.all.p99 fct_by_size_us.all.p99_9 fct_by_size_us.short fct_by_size_us.medium fct_by_size_us.long \
    slowdown.all.flows slowdown.all.mean slowdown.all.p50.value slowdown.all.p50.low slowdown.all.p50.high \
    slowdown.all.p95 slowdown.all.p99 slowdown.all.p99_9 slowdown.short slowdown.medium slowdown.long \
    ideal_us.max ideal_us.mean ideal_us.p50 ideal_us.p99 application_bytes tails.last.flow \
    tails.last.source tails.last.destination tails.last.size_bytes tails.last.start_us \
    tails.last.end_us tails.last.slowdown tails.last.lost_packets \
    tails.last.retransmitted_packets tails.last.trimmed_packets tails.last.timeouts \
    tails.last.rto_us tails.last.port.name tails.last.port.lost_packets tails.last.port.cause \
    tails.last.port.losing_ports tails.last.port.queue_us tails.last.critical_path tails.slowest.flow \
    tails.slowest.source tails.slowest.destination tails.slowest.size_bytes \
    tails.slowest.start_us tails.slowest.end_us tails.slowest.slowdown \
    tails.slowest.lost_packets tails.slowest.retransmitted_packets tails.slowest.trimmed_packets \
    tails.slowest.timeouts tails.slowest.rto_us tails.slowest.port.name \
    tails.slowest.port.lost_packets tails.slowest.port.cause tails.slowest.port.losing_ports \
    tails.slowest.port.queue_us tails.slowest.critical_path tail \
    bound_us bound increase_pct jobs packets.sent packets.delivered packets.retransmitted \
    packets.refused \
    packets.dropped.overflow packets.dropped.link_down packets.dropped.loss \
    packets.dropped.node_down packets.dropped.no_route packets.dropped.middleware packets.lossless_refused \
    packets.trimmed packets.marked \
    queue_bytes_max memory_bytes_max layers memory uplinks downlinks circuit_utilisation bandwidth_tax throughput pauses paused_us without_credit_us credit_cells_max timeouts queries_timed_out packet_hops results_hash cpu_s wall_s \
    hops_per_s peak_rss_mb";

fn keys(value: &Value, above: &str, found: &mut Vec<String>) {
    match value.as_object() {
        Some(object) => {
            for (key, value) in object {
                let dot = if above.is_empty() { "" } else { "." };
                keys(value, &format!("{above}{dot}{key}"), found);
            }
        }
        None => found.push(above.to_owned()),
    }
}

#[test]
fn a_summary_goes_to_standard_output_and_the_rest_to_standard_error() {
    let scratch = Scratch::new(SMALL);
    let said = raddle(&["run", &scratch.scenario(), "--check"]);
    assert_eq!(said.status, 0, "{}", said.err);
    for line in ["scenario ", "  flows            16 flows, all completed", "  results hash "] {
        assert!(said.out.lines().any(|l| l.starts_with(line)), "{}", said.out);
    }
    let expected = "16 hosts, 3-tier fat tree, 400 Gbps, 64 KiB permutation\n16 flows, 256 data \
                    packets, about 2.94 k packet-hops: less than 0.1 s and 8 MB\ncheck: every \
                    packet and byte is accounted for\n";
    assert_eq!(said.err, expected);
}

#[test]
fn json_is_one_object_with_the_documented_keys_and_nothing_else() {
    let scratch = Scratch::new(SMALL);
    let said = raddle(&["run", &scratch.scenario(), "--json", "--check"]);
    assert_eq!(said.status, 0);
    let object = said.json();
    let mut found = Vec::new();
    keys(&object, "", &mut found);
    assert_eq!(found, KEYS.split_whitespace().collect::<Vec<_>>());
    assert_eq!(object["schema"], "raddle.run/1");
    assert_eq!((&object["completed"], &object["flows"]), (&true.into(), &16.into()));
}

#[test]
fn threads_change_the_cost_alone() {
    let scratch = Scratch::new(SMALL);
    let run = |threads: &str| {
        raddle(&["run", &scratch.scenario(), "--json", "--check", "--threads", threads])
    };
    let mut one = run("1").json();
    for (asked, taken) in [("2", 2), ("4", 4), ("1000", 20)] {
        let said = run(asked);
        let mut object = said.json();
        assert_eq!(object["threads"], taken);
        let note =
            "note: 20 threads of 1000 inside a run: the fabric does not fall into more parts";
        assert_eq!(said.err.contains("note: "), asked == "1000");
        assert!(asked != "1000" || said.err.contains(note), "{}", said.err);
        for object in [&mut object, &mut one] {
            for key in ["threads", "cpu_s", "wall_s", "hops_per_s", "peak_rss_mb"] {
                object[key] = Value::Null;
            }
        }
        assert_eq!(object, one);
    }
    let stalling = Scratch::new(STALLING);
    let run = |threads| raddle(&["run", &stalling.scenario(), "--json", "--threads", threads]);
    let [one, two] = ["1", "2"].map(|threads| run(threads).json()["results_hash"].clone());
    assert_eq!(one, two);
    let out = scratch.text("swept");
    let sweep = ["sweep", &scratch.scenario(), "--out", &out, "--threads", "2", "--json"];
    assert_eq!(raddle(&sweep).status, 0);
}

#[test]
fn the_same_run_says_the_same_again_but_for_its_cost() {
    let scratch = Scratch::new(SMALL);
    let run = |seed: &str| {
        let mut object = raddle(&["run", &scratch.scenario(), "--json", "--seed", seed]).json();
        for key in ["cpu_s", "wall_s", "hops_per_s", "peak_rss_mb"] {
            object[key] = Value::Null;
        }
        object
    };
    assert_eq!(run("7"), run("7"));
    assert_ne!(run("7")["results_hash"], run("8")["results_hash"]);
}

#[test]
fn a_run_without_progress_stops_and_names_the_stuck_flows() {
    let scratch = Scratch::new(STALLING);
    let said = raddle(&["run", &scratch.scenario()]);
    assert_eq!(said.status, 1);
    for line in [
        "16 flows, 7 not completed: no more progress is possible",
        "flow 0, host0 to host2: delivered, but its last ACK is missing",
        "flow 1, host1 to host11: 5 of 16 packets missing",
        "completion       never: 7 flows not completed",
    ] {
        assert!(said.out.contains(line), "{}", said.out);
    }
    let object = raddle(&["run", &scratch.scenario(), "--json"]);
    assert_eq!(object.status, 1);
    let object = object.json();
    assert_eq!((&object["completed"], &object["unfinished"]), (&false.into(), &7.into()));
    assert!(object["completion_us"].is_null() && object["increase_pct"].is_null());
}

#[test]
fn a_run_that_reaches_its_end_time_names_ten_flows_and_counts_the_rest() {
    let scratch = Scratch::new(SMALL);
    let said = raddle(&["run", &scratch.scenario(), "--set", "run.end=2 us"]);
    assert_eq!(said.status, 1);
    assert!(said.out.contains("16 flows, 16 not completed at the end time"), "{}", said.out);
    assert_eq!(said.out.matches("packets missing").count(), 10, "{}", said.out);
    assert!(said.out.contains("and 6 more"), "{}", said.out);
}

#[test]
fn a_sweep_is_refused_with_what_to_choose() {
    let scratch = Scratch::new(&format!("{SMALL}{SWEEP}seed = \"1..3\"\n"));
    raddle(&["run", &scratch.scenario()]).refused(&[
        "is a sweep over 2 scenarios",
        "--set 'transport.load_balance.scheme=ops'",
        "`raddle compare` or `raddle sweep`",
    ]);
    let set = ["run", &scratch.scenario(), "--set", "transport.load_balance.scheme=reps"];
    let said = raddle(&set);
    assert_eq!(said.status, 0);
    assert!(said.err.contains("note: this is seed 1 of 3"), "{}", said.err);
    assert!(said.err.contains("is set to reps; its sweep is left out"), "{}", said.err);
}

#[test]
fn a_kept_run_is_replayed_by_its_resolved_scenario() {
    let scratch = Scratch::new(SMALL);
    let out = scratch.text("out");
    let first = raddle(&["run", &scratch.scenario(), "--seed", "3", "--out", &out, "--json"]);
    assert_eq!(first.status, 0, "{}", first.err);
    let first = first.json();
    let folder = format!("{}-seed3-v{}", first["scenario"].as_str().unwrap(), raddle::study::BUILD);
    assert_eq!(names(&scratch.path("out")), [folder.as_str()]);
    let place = scratch.path("out").join(&folder);
    let tables = ["flows", "layers", "nodes", "ports"].map(|name| format!("{name}.parquet"));
    let files = tables.into_iter().chain(["run.json", "scenario.toml"].map(str::to_owned));
    assert_eq!(names(&place), files.collect::<Vec<_>>());
    let resolved = place.join("scenario.toml").display().to_string();
    let again = raddle(&["run", &resolved, "--json"]).json();
    for key in ["scenario", "seed", "results_hash"] {
        assert_eq!(again[key], first[key], "{key}");
    }
}

#[test]
fn a_second_run_into_the_same_folder_adds_only_what_is_not_there() {
    let scratch = Scratch::new(SMALL);
    let out = scratch.text("out");
    let run =
        |more: &[&str]| raddle(&[&["run", &scratch.scenario(), "--out", &out], more].concat());
    assert!(run(&[]).err.contains("wrote "));
    let said = run(&["--csv"]);
    assert_eq!(said.status, 0);
    assert!(said.err.contains("was there already, with the same results"), "{}", said.err);
    let place = scratch.path("out").join(&names(&scratch.path("out"))[0]);
    assert!(place.join("flows.csv").is_file() && place.join("flows.parquet").is_file());
    let path = place.join("run.json");
    let other = std::fs::read_to_string(&path)
        .unwrap()
        .replace("\"results_hash\": \"", "\"results_hash\": \"x");
    std::fs::write(&path, other).unwrap();
    let said = run(&[]);
    assert_eq!(said.status, 1);
    assert!(said.err.contains("holds other results"), "{}", said.err);
}

#[test]
fn a_place_that_cannot_be_written_is_refused_before_the_run() {
    let scratch = Scratch::new(SMALL);
    let file = scratch.scenario();
    raddle(&["run", &file, "--out", &file]).refused(&["scenario.toml: "]);
    raddle(&["compare", &file, "--out", &file]).refused(&["scenario.toml"]);
    raddle(&["sweep", &file, "--out", &file]).refused(&["scenario.toml: "]);
}

/// A run that would take longer than the engine's clock lasts says so, and claims no "never".
#[test]
fn a_run_that_is_longer_than_can_be_simulated_says_so() {
    let scratch = Scratch::new(
        "[fabric]\ntopology = { kind = \"dumbbell\", hosts_per_side = 1, rate = \"20 Mbps\", \
         bottleneck_rate = \"20 Mbps\" }\n[traffic]\nkind = \"flows\"\n\
         flow = [{ from = 0, to = 1, bytes = \"200 MB\" }]\n",
    );
    let said = raddle(&["run", &scratch.scenario()]);
    assert_eq!(said.status, 1, "{}{}", said.out, said.err);
    assert!(said.out.contains("not completed at 70.3"), "{}", said.out);
    assert!(said.out.contains("the longest that is simulated"), "{}", said.out);
    assert!(said.out.contains("completion       not by 70.3"), "{}", said.out);
}
