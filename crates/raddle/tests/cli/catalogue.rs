//! `raddle schemes`, `bounds` and `explain`.

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
    let scratch = Scratch::new(&format!("{scenario}{fault}"));
    let said = raddle(&["bounds", &scratch.scenario()]);
    assert!(said.out.contains("all flows at once at 300.000000 Gbps (rho_max)"), "{}", said.out);
    let run = raddle(&["run", &scratch.scenario(), "--json"]).json();
    assert_eq!((&run["completed"], &run["bound"]), (&json!(true), &broken["used"]), "{run}");
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
