//! Whole reports, and mistakes that stand elsewhere than in the scenario.

use super::{FABRIC, TRAFFIC, brief, check, problems, problems_with};
use raddle::scenario::{load, parse};
use raddle_schemes::load_balance::host;
use std::path::Path;

#[test]
fn an_unknown_condition_is_named() {
    let text = format!("{FABRIC}{TRAFFIC}[[condition]]\nname = \"healthy\"\n");
    let problems = problems_with(&text, &[("condition", "helthy")]);
    let expected = "helthy | no condition is called `helthy` | nearest: `healthy`";
    assert_eq!(brief(&problems), expected);
}

#[test]
fn an_override_of_what_every_condition_sets_is_refused() {
    let condition = |name: &str, set: &str| {
        format!(
            "[[condition]]\nname = \"{name}\"\nset = {{ \"transport.load_balance\" = {set} }}\n"
        )
    };
    let both = condition("a", "{ scheme = \"reps\" }") + &condition("b", "{ scheme = \"ops\" }");
    let text = format!("{FABRIC}{TRAFFIC}{both}");
    let set = |overrides: &[(&str, &str)]| brief(&problems_with(&text, overrides));
    let expected = "transport.load_balance.entropies | `transport.load_balance.entropies` has no \
                    effect | each value of `condition` sets it";
    assert_eq!(set(&[("transport.load_balance.entropies", "8")]), expected);
    let expected = "transport.load_balance | `transport.load_balance` has no effect | `b` of \
                    `condition` sets it";
    assert_eq!(
        set(&[("condition", "b"), ("transport.load_balance", "{ scheme = \"ops\" }")]),
        expected
    );
}

#[test]
fn an_axis_of_conditions_is_no_path() {
    let text = format!("{FABRIC}{TRAFFIC}[[condition]]\naxis = \"traffic\"\nname = \"a\"\n");
    let expected = "\"traffic\" | an axis of conditions cannot be called `traffic` | expected a \
                    word that is no value's path, as in \"workload\"";
    assert_eq!(brief(&problems(&text)), expected);
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
   = keys of [transport]: payload, header, ack, load_balance, plane, plane_repair, planner, congestion, recovery, connections, pair_order, nic, turns, host_queue, phase

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
    write("law.csv", "size_bytes,cdf\n1000,0.5\n500,1\nx,1\n900,2\n");
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
    assert!(law.contains("error: `x` is no size; expected whole bytes\n"), "{law}");
    assert!(law.contains("error: `2` is no probability; expected 0 to 1\n"), "{law}");
    assert!(law.contains("3 problems in "), "{law}");
    let matrix = report(tree, "kind = \"htsim_cm\"\nfile = \"one.cm\"\n");
    assert!(matrix.contains("  --> ../one.cm:3:"), "{matrix}");
    assert!(matrix.ends_with("in demo.toml; nothing was run\n"), "{matrix}");
}

/// In linear time: what copied all earlier ones for each took minutes.
#[test]
fn four_thousand_wrong_paths_of_a_sweep_or_of_conditions_are_one_message() {
    let base = "[fabric]\ntopology = { kind = \"fat_tree\", hosts = 16 }\n\
                [traffic]\nkind = \"permutation\"\n";
    let sweep: String =
        (0..4_000).map(|i| format!("\"transport.lod_balance{i}\" = [1]\n")).collect();
    let condition =
        |i| format!("[[condition]]\nname = \"a{i}\"\nset = {{ \"transport.x{i}\" = 3 }}\n");
    let conditions: String = (0..4_000).map(condition).collect();
    for wrong in [format!("[sweep]\n{sweep}"), conditions] {
        let text = format!("{base}{wrong}");
        let problems = parse("t.toml", &text, Path::new("."), &[]).unwrap_err();
        assert_eq!(problems.list.len(), 4_000);
        let report = problems.render(false);
        assert!(report.lines().count() < 200 && report.contains("4000 problems"), "{report}");
    }
}
