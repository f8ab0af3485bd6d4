//! Commands about circuit-switched fabrics.

use super::{Scratch, names, raddle};
use serde_json::Value;

#[test]
fn throughput_is_one_json_object_with_null_for_what_a_design_does_not_define() {
    let said = raddle(&["throughput", "ring", "vermilion:k=3", "--nodes", "8", "--json"]).json();
    assert_eq!(said["schema"], "raddle.throughput/1");
    assert!((said["single_hop"].as_f64().unwrap() - 0.708_333_3).abs() < 1e-6);
    assert!((said["multi_hop"].as_f64().unwrap() - 0.833_333_3).abs() < 1e-6);
    assert_eq!((&said["period_slots"], &said["buffer_bytes"]), (&Value::from(6), &Value::Null));
}

#[test]
fn throughput_of_many_nodes_is_bounded_to_within_a_share() {
    let of = |more: &[&str]| {
        let asked = ["throughput", "random", "round_robin", "--nodes", "64", "--within", "0.01"];
        raddle(&[&asked[..], more].concat())
    };
    let said = of(&["--json"]).json();
    let [most, found] = ["multi_hop", "multi_hop_found"].map(|key| said[key].as_f64().unwrap());
    assert!(found <= most && most <= 1.01 * found, "{said}");
    assert!(of(&[]).out.contains("\n  multi_hop_found  "));
    let grid = of(&["--demand", "ring"]);
    assert!(grid.out.contains("   multi_hop  multi_hop_found       bound"), "{}", grid.out);
    let wrong = ["throughput", "ring", "round_robin", "--within"];
    for share in ["0", "1.5", "nan", "close"] {
        let said = raddle(&[&wrong[..], &[share]].concat());
        assert_eq!(said.status, 2, "{share}");
        assert!(said.err.contains("expected a share above 0 and up to 1"), "{}", said.err);
    }
}

#[test]
fn a_schedule_is_written_as_json_csv_and_a_picture() {
    let scratch = Scratch::new("");
    let out = scratch.text("new/job.1");
    let said = raddle(&["schedule", "ring", "vermilion:k=3", "--nodes", "4", "--out", &out]);
    assert_eq!((said.status, said.out.lines().count()), (0, 3), "{}", said.err);
    assert_eq!(names(&scratch.path("new")), ["job.1.csv", "job.1.json", "job.1.svg"]);
    let read = |ending| std::fs::read_to_string(format!("{out}{ending}")).unwrap();
    let json: Value = serde_json::from_str(&read(".json")).unwrap();
    assert_eq!(json["schema"], "raddle.schedule/1");
    let switches = json["schedules"][0]["switches"].as_array().unwrap();
    assert_eq!((switches.len(), switches[0].as_array().unwrap().len()), (4, 3));
    // 12 matchings of 4 nodes; of each node's 12 circuits one is idle.
    let table = read(".csv");
    assert_eq!(table.lines().count(), 1 + 4 * 11);
    assert!(table.starts_with("schedule,switch,slot,start_us,length_us,dark,from,to\n"));
    assert!(read(".svg").ends_with("</svg>\n"));
}

#[test]
fn schedules_of_a_drawn_trust_have_a_picture_each() {
    let scratch = Scratch::new("");
    let design = "vermilion_predictions:k=3,chances=uniform";
    let said =
        raddle(&["schedule", "ring", design, "--nodes", "4", "--out", &scratch.text("drawn")]);
    assert_eq!(said.status, 0, "{}", said.err);
    let folder = names(&scratch.path(""));
    assert_eq!(folder.iter().filter(|name| name.ends_with(".svg")).count(), 3, "{folder:?}");
}

#[test]
fn a_grid_that_was_cut_short_goes_on_where_it_stopped() {
    let scratch = Scratch::new("");
    let out = scratch.text("grid.jsonl");
    let grid = || {
        let more = ["--demand", "uniform", "--design", "vermilion", "--nodes", "6", "--out", &out];
        raddle(&[&["throughput", "ring", "round_robin", "--json"], &more[..]].concat())
    };
    let first = grid();
    assert_eq!(first.json()["rows"].as_array().unwrap().len(), 4, "{}", first.err);
    let whole = std::fs::read_to_string(&out).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    // Two rows, and a third that was not written to its end.
    std::fs::write(&out, format!("{}\n{}\n{}", lines[0], lines[1], &lines[2][..20])).unwrap();
    let again = grid();
    assert!(again.err.contains("4 combinations, 2 of them there already"), "{}", again.err);
    assert_eq!(again.json(), first.json());
    assert_eq!(std::fs::read_to_string(&out).unwrap().lines().count(), 4);
}

#[test]
fn a_file_that_has_changed_is_another_demand() {
    let scratch = Scratch::new("");
    let (demand, out) = (scratch.path("job.csv"), scratch.text("grid.jsonl"));
    let grid = |rates: &str| {
        std::fs::write(&demand, rates).unwrap();
        raddle(&["throughput", &scratch.text("job.csv"), "round_robin", "--json", "--out", &out])
    };
    let first = grid("0,1,0\n0,0,1\n1,0,0\n");
    let other = grid("0,1,1\n1,0,1\n1,1,0\n");
    assert!(!other.err.contains("there already"), "{}", other.err);
    assert_ne!(other.json()["rows"][0]["single_hop"], first.json()["rows"][0]["single_hop"]);
    let again = grid("0,1,0\n0,0,1\n1,0,0\n");
    assert!(again.err.contains("1 combinations, 1 of them there already"), "{}", again.err);
    assert_eq!(again.json(), first.json());
}

#[test]
fn bad_demands_and_designs_are_named_with_what_would_do() {
    let scratch = Scratch::new("");
    let file = |name: &str, text: &str| {
        std::fs::write(scratch.path(name), text).unwrap();
        scratch.text(name)
    };
    let negative = file("negative.mat", "0 1\n-2 0\n");
    let empty = file("zero.csv", "0,0\n0,0\n");
    let ragged = file("ragged.mat", "0 1\n1 0 1\n");
    let word = file("word.csv", "0,1\nx,0\n");
    let out = scratch.text("out");
    for command in [&["throughput"][..], &["schedule", "--out", &out]] {
        for (demand, design, words) in [
            (negative.as_str(), "vermilion", &["row 1, column 0 is -2"][..]),
            (&empty, "vermilion", &["zero.csv"]),
            (&ragged, "vermilion", &["row 1 has 3 entries", "square"]),
            (&word, "vermilion", &["line 2, entry 1: `x` is no number"]),
            ("rign", "vermilion", &["no file and no pattern", "ring"]),
            ("ring", "vermillion", &["no design `vermillion`", "nearest: `vermilion`"]),
            ("ring", "vermilion:kk=3", &["no parameter `kk`", "nearest: `k`"]),
            ("ring", "vermilion:k=1", &["vermilion: k=1: expected"]),
            ("ring", "mars:delay=1 us", &["no degree has a delay of 1 us", "the shortest is"]),
        ] {
            raddle(&[command, &[demand, design]].concat()).refused(words);
        }
    }
    raddle(&["schedule", "ring", "fat_tree", "--out", &out]).refused(&["no circuits"]);
    assert!(!names(&scratch.path("")).iter().any(|name| name.starts_with("out")));
}

#[test]
fn the_worst_longest_matching_is_a_demand_that_the_design_makes() {
    let of = |design: &str, more: &[&str]| {
        let demand = ["throughput", "longest_matching", design, "--nodes", "8", "--json"];
        raddle(&[&demand[..], more].concat())
    };
    // Thesis, 7.4: n = 8, degree 2, over ideal routing.
    let found = of("mars:degree=2,uplinks=2", &[]);
    assert!((found.json()["multi_hop"].as_f64().unwrap() - 0.25).abs() < 1e-6, "{}", found.err);
    let grid = of("mars:degree=2,uplinks=2", &["--design", "round_robin"]).json();
    assert_eq!(grid["rows"].as_array().unwrap().len(), 2);
    let none = of("fat_tree", &[]);
    assert_eq!(none.status, 2, "{}", none.err);
    assert!(none.err.contains("fat_tree has 0"), "{}", none.err);
}
