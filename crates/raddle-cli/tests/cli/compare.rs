//! `raddle compare`.

use super::{SMALL, STALLING, SWEEP, Scratch, names, raddle};

#[test]
fn a_comparison_answers_on_the_terminal_and_as_a_page_that_loads_nothing() {
    let scratch = Scratch::new(&format!("{SMALL}{SWEEP}"));
    let out = scratch.text("out");
    let said = raddle(&["compare", &scratch.scenario(), "--out", &out, "--seeds", "1..3"]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(said.err.starts_with("6 runs, if all are like the first about "), "{}", said.err);
    assert_eq!(said.err.lines().count(), 1, "no progress in a pipe: {}", said.err);
    assert!(
        said.out.starts_with("16 hosts, 3-tier fat tree, 400 Gbps, 64 KiB permutation, 3 seeds")
    );
    for text in ["  ops  ", "  reps ", "report.html  ", "packet-hops"] {
        assert!(said.out.contains(text), "{}", said.out);
    }
    assert_eq!(names(&scratch.path("out")), ["report.html", "results"]);
    let page = std::fs::read_to_string(scratch.path("out/report.html")).unwrap();
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    for load in ["src=\"http", "href=\"http", "<link", "@import", "url(http", "src=\"//"] {
        assert!(!page.contains(load), "the page has `{load}`");
    }
    let kept = names(&scratch.path("out/results"));
    assert_eq!(kept.len(), 7, "{kept:?}");
}

#[test]
fn a_report_of_runs_that_are_there_is_the_same() {
    let scratch = Scratch::new(&format!("{SMALL}{SWEEP}"));
    let (file, out) = (scratch.scenario(), scratch.text("out"));
    let compare = |seeds: &str| {
        let said = raddle(&["compare", &file, "--out", &out, "--seeds", seeds]);
        assert_eq!(said.status, 0, "{}", said.err);
        (said, std::fs::read_to_string(scratch.path("out/report.html")).unwrap())
    };
    let (first, page) = compare("1..2");
    let (second, again) = compare("1..2");
    assert_eq!(second.err, "4 runs, 4 of them there already\n");
    assert!(second.out.ends_with("4 runs kept from before\n"), "{}", second.out);
    assert_eq!(second.out.lines().next(), first.out.lines().next());
    assert!(page == again, "the pages differ");
    // A run that `sweep` kept lacks what a report draws: it is run again, and stays as it is.
    let kept = scratch.text("swept/results");
    let said = raddle(&["sweep", &file, "--out", &kept, "--seeds", "1"]);
    assert_eq!(said.status, 0, "{}", said.err);
    let swept = scratch.text("swept");
    let said = raddle(&["compare", &file, "--out", &swept, "--seeds", "1"]);
    assert!(said.err.starts_with("2 runs, if all are like"), "{}", said.err);
    assert!(names(&scratch.path("swept/results")).iter().all(|name| !name.starts_with('.')));
}

#[test]
fn json_is_one_object_and_tables_can_be_left_out() {
    let scratch = Scratch::new(&format!("{SMALL}{SWEEP}"));
    let out = scratch.text("out");
    let file = scratch.scenario();
    let said = raddle(&["compare", &file, "--out", &out, "--seeds", "7", "--json", "--no-tables"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    let object = said.json();
    assert_eq!(object["schema"], "raddle.compare/2");
    assert_eq!(object["seeds"], serde_json::json!([7]));
    assert_eq!(object["rows"], serde_json::json!(["ops", "reps"]));
    assert_eq!(names(&scratch.path("out")), ["report.html"]);
}

#[test]
fn without_a_sweep_the_one_scenario_is_shown_without_signs() {
    let scratch = Scratch::new(SMALL);
    let out = scratch.text("out");
    let said = raddle(&["compare", &scratch.scenario(), "--out", &out]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(said.out.contains("\n  all "), "{}", said.out);
    assert!(!said.out.contains(['*', '~']), "{}", said.out);
}

#[test]
fn a_scheme_that_never_finishes_is_said_to() {
    let patience = "[run]\npatience = \"1 ms\"\n";
    let scratch = Scratch::new(&format!(
        "{STALLING}{patience}[sweep]\n\"transport.load_balance.scheme\" = [\"ecmp\", \"reps\"]\n"
    ));
    let out = scratch.text("out");
    let said = raddle(&["compare", &scratch.scenario(), "--out", &out]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(said.out.contains("ecmp     never (7 flows stuck)"), "{}", said.out);
    assert!(said.out.contains("reps finishes first."), "{}", said.out);
    let page = std::fs::read_to_string(scratch.path("out/report.html")).unwrap();
    assert!(page.contains("never finished with 1 seed (7 flows stuck)"));
}

#[test]
fn rows_with_bounds_of_their_own_share_none() {
    let scratch = Scratch::new(
        "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 16 }\n\
         [traffic]\nkind = \"incast\"\nsenders = 2\nmessage = \"64 KiB\"\n\
         [sweep]\n\"traffic.senders\" = [2, 8]\n\
         \"transport.load_balance.scheme\" = [\"ops\", \"reps\"]\n",
    );
    let out = scratch.text("out");
    let said = raddle(&["compare", &scratch.scenario(), "--out", &out, "--json"]).json();
    assert_eq!(said["rows"], serde_json::json!(["ops", "reps"]), "schemes are what is compared");
    assert_eq!(said["columns"][1]["name"], "senders 8");
    assert_eq!(said["columns"][1]["bound"], "host_link");
    assert_eq!(said["title"], "16 hosts, 3-tier fat tree, 400 Gbps");
    let scheme = "transport.load_balance.scheme=ops";
    let said = raddle(&["compare", &scratch.scenario(), "--out", &out, "--json", "--set", scheme]);
    let said = said.json();
    assert_eq!(said["rows"], serde_json::json!(["2", "8"]));
    assert!(said["columns"][0]["bound"].is_null());
    assert!(said["cells"][1]["increase_pct"].is_null());
}

#[test]
fn a_setting_that_changes_nothing_is_said_to() {
    let scratch = Scratch::new(
        "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 16 }\n[traffic]\nkind = \"flows\"\n\
         flow = [{ from = 0, to = 9, bytes = \"64 KiB\" }]\n\
         [sweep]\n\"fabric.queue.size\" = [\"200 packets\", \"300 packets\"]\nseed = \"1..2\"\n",
    );
    let (file, out) = (scratch.scenario(), scratch.text("out"));
    let said = raddle(&["compare", &file, "--out", &out]);
    assert_eq!(said.status, 0, "{}", said.err);
    let told = "200 packets and 300 packets give the same runs, bit for bit: this setting changed";
    assert!(said.out.contains(told), "{}", said.out);
    let object = raddle(&["compare", &file, "--out", &out, "--json"]).json();
    assert_eq!(object["cells"][0]["standing"], "same");
    assert_eq!(object["cells"][1]["same_as"], "200 packets");
}

#[test]
fn the_number_that_was_asked_for_decides() {
    let scratch = Scratch::new(&format!("{SMALL}{SWEEP}"));
    let (file, out) = (scratch.scenario(), scratch.text("out"));
    let asked = |metric: &str| {
        raddle(&["compare", &file, "--out", &out, "--seeds", "1..3", "--metric", metric])
    };
    let said = asked("fct.mean");
    assert_eq!(said.status, 0, "{}", said.err);
    let told = said.out.replace('\n', " ");
    assert!(told.contains("3 seeds: mean flow completion time, lower is better"), "{told}");
    assert!(told.contains("bound 11.97 us (alone)"), "{told}");
    assert!(said.out.contains("The tail with "), "{}", said.out);
    let page = std::fs::read_to_string(scratch.path("out/report.html")).unwrap();
    assert!(page.contains("has the lowest mean FCT?"), "the question");
    assert!(page.contains("--metric fct.mean"), "the command");
    asked("slowdown.p9").refused(&["no metric is called `slowdown.p9`", "nearest: `slowdown.p99`"]);
    asked("slowdown.p99").refused(&["takes 2 000 flows or more to be resolved, and there are 16"]);
    asked("busbw").refused(&["is of collectives, and there is none"]);
    let swept = scratch.text("swept");
    let said = raddle(&["sweep", &file, "--out", &swept, "--metric", "goodput", "--json"]).json();
    assert_eq!((said["metric"].as_str(), said["unit"].as_str()), (Some("goodput"), Some("Gbps")));
    assert_eq!(said["better"], "higher");
    assert!(said["cells"][0]["values"][0].as_f64().unwrap() > 0.0);
}

#[test]
fn collectives_are_compared_by_bus_bandwidth_and_groups_are_told() {
    let scratch = Scratch::new(
        "[fabric]\ntopology = { kind = \"fat_tree\", tiers = 2, hosts = 16 }\n\
         [[traffic]]\nname = \"train\"\nkind = \"collective\"\noperation = \"all_reduce\"\n\
         message = \"64 KiB\"\ngroups = [4, 4, 8]\n\
         [sweep]\n\"transport.load_balance.scheme\" = [\"ecmp\", \"reps\"]\nseed = \"1..3\"\n",
    );
    let (file, out) = (scratch.scenario(), scratch.text("out"));
    let said = raddle(&["compare", &file, "--out", &out]);
    assert_eq!(said.status, 0, "{}", said.err);
    let told = said.out.replace("\n  ", " ").replace('\n', " ");
    assert!(told.contains("bus bandwidth, higher is better"), "{told}");
    assert!(told.contains("Bus bandwidth over the 3 groups of train: min "), "{told}");
    let json = |more: &[&str]| {
        let command = [&["compare", &file, "--out", &out, "--json"], more].concat();
        raddle(&command).json()
    };
    let all = json(&[]);
    let groups = &all["cells"][0]["groups"][0];
    assert_eq!((&groups["job"], &groups["groups"]), (&"train".into(), &3.into()));
    // The run and the job are as fast as the slowest group.
    let train = json(&["--job", "train"]);
    assert_eq!(train["cells"][0]["values"], all["cells"][0]["values"]);
    let last = json(&["--job", "train 2", "--metric", "completion"]);
    assert_eq!((last["job"].as_str(), last["unit"].as_str()), (Some("train 2"), Some("us")));
    assert_ne!(last["cells"][0]["values"], all["cells"][0]["values"]);
    assert!(!last["answer"].to_string().contains("over the 3 groups"), "of another job");
    let wrong = raddle(&["compare", &file, "--out", &out, "--job", "trian"]);
    wrong.refused(&["no job is called `trian`, nearest: `train`"]);
}

/// One flow that ends last says nothing of a load balancer; the slowdowns of all flows do.
#[test]
fn conweave_is_told_apart_from_ecmp_by_slowdowns() {
    let scratch = Scratch::new("");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/conweave.toml");
    let shorter = ["--set", "traffic.until=\"400 us\""];
    let rest = ["--out", &scratch.text("out"), "--no-tables", "--json"];
    let answer = raddle(&[&["compare", file][..], &shorter, &rest].concat()).json();
    assert_eq!(
        (&answer["metric"], &answer["seeds"]),
        (&"slowdown.p99".into(), &[1, 2, 3][..].into())
    );
    let standing = |row: &str| {
        let cells = answer["cells"].as_array().unwrap();
        cells.iter().find(|cell| cell["row"] == row).unwrap()["standing"].clone()
    };
    assert_eq!((standing("ConWeave"), standing("ECMP")), ("first".into(), "behind".into()));
}
