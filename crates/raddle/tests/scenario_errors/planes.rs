//! Hosts with several ports, where they make no sense.

use super::{TRAFFIC, check, more, topology};
use raddle::scenario::parse;
use std::path::Path;

const SHAPE: &str = "kind = \"leaf_spine\", leaves = 4, hosts_per_leaf = 4, spines = 2";

/// A scenario in two planes with more in `[fabric]` and more sections.
fn in_two(fabric: &str, sections: &str) -> String {
    format!("[fabric]\ntopology = {{ {SHAPE}, planes = 2 }}\n{fabric}{TRAFFIC}{sections}")
}

#[test]
fn a_number_of_planes_that_makes_no_sense_is_refused() {
    let planes = |planes: &str| format!("{{ {SHAPE}, planes = {planes} }}");
    topology(&planes("0"), "0 | `planes` is too small | expected at least 1");
    topology(&planes("9"), "9 | `planes` is too large | expected at most 8");
    topology(
        "{ kind = \"fat_tree\", hosts = 16, planes = 0 }",
        "0 | `planes` is too small | expected at least 1",
    );
    let tors = |keys: &str| format!("{{ {SHAPE}, tors_per_host = {keys} }}");
    topology(&tors("0"), "0 | `tors_per_host` is too small | expected at least 1");
    topology(
        &tors("3"),
        "4 | leaves = 4 cannot be split into groups of 3 with the same hosts | nearest: 3 or 6",
    );
    topology(
        &tors("2, planes = 2"),
        "2 | `tors_per_host` does not go with `planes` | leave out one of them",
    );
    topology(
        "{ kind = \"dumbbell\", hosts_per_side = 4, planes = 2 }",
        "planes | unknown key `planes` in topology | -",
    );
}

#[test]
fn what_only_hosts_with_several_ports_do_is_refused_without_them() {
    let one = "without `planes` or `tors_per_host` in the topology";
    more(
        "[transport]\nplane = { scheme = \"round_robin\" }\n",
        &format!(
            "\"round_robin\" | `plane` has no effect where hosts have one port, {one} | leave it out"
        ),
    );
    more(
        "[transport]\nplane_repair = \"1 us\"\n[[fault]]\nlink = \"host0\"\ndown = \"1 us..2 us\"\n",
        &format!(
            "\"1 us\" | `plane_repair` has no effect where hosts have one port, {one} | leave it out"
        ),
    );
    check(
        &in_two("", "[transport]\nplane_repair = \"1 us\"\n"),
        "\"1 us\" | `plane_repair` has no effect where nothing goes down, and no [[fault]] says \
         `down` or `flap` | leave it out",
    );
    check(
        &in_two("", "[transport]\nplane = { scheme = \"hsah\" }\n"),
        "\"hsah\" | unknown scheme `hsah` | nearest: `hash`",
    );
    check(
        &in_two(
            "",
            "[transport]\nplane = { scheme = \"random\" }\nload_balance = { scheme = \"ecmp\" }\n\
             recovery = { scheme = \"go_back_n\" }\n",
        ),
        "\"random\" | `random` in [transport] plane needs a receiver that accepts packets out of \
         order, which `go_back_n` as set in [transport] recovery does not offer | -",
    );
}

#[test]
fn what_knows_of_one_port_a_host_is_refused_with_several() {
    let label = "hosts have 2: `planes = 2` in [fabric] topology";
    check(
        &in_two(
            "tor = { scheme = \"nack_filter\" }\n",
            "[transport]\nrecovery = { scheme = \"rnic_sr\" }\n",
        ),
        &format!(
            "\"nack_filter\" | `nack_filter` in [fabric] tor knows of one port a host | {label}"
        ),
    );
    check(
        &in_two(
            "load_balance = { scheme = \"source_route\" }\n",
            "[transport]\nload_balance = { scheme = \"host_dr\" }\n",
        ),
        &format!(
            "\"host_dr\" | `host_dr` in [transport] load_balance knows of one port a host | {label}"
        ),
    );
}

#[test]
fn path_selectors_that_name_planes_leave_no_choice_of_them() {
    let mrc = "[transport]\nload_balance = { scheme = \"mrc\" }\n";
    check(
        &in_two("", &format!("{mrc}plane = {{ scheme = \"hash\" }}\n")),
        "\"hash\" | `plane` has no effect where `load_balance` names the plane of each packet itself \
         | leave it out",
    );
    // What was resolved can be read again, and has no choice of planes.
    let study = parse("demo.toml", &in_two("", mrc), Path::new("."), &[]).unwrap();
    let resolved = study.cells[0].scenario.resolved_toml();
    assert!(!resolved.contains("plane = "), "{resolved}");
    let again = parse("again.toml", resolved, Path::new("."), &[]).unwrap();
    assert_eq!(again.cells[0].scenario.resolved_toml(), resolved);
    // Beside flows whose path selectors name none.
    let beside = |plane: &str| {
        let traffic = TRAFFIC.trim_end();
        let job = format!("{traffic}\nload_balance = {{ scheme = \"mrc\" }}\n");
        in_two("", &format!("[transport]\n{plane}")).replace(TRAFFIC, &job).replace(
            "[traffic]",
            "[[traffic]]\nname = \"other\"\nkind = \"permutation\"\nmessage = \"64 KiB\"\n\
             [[traffic]]\nname = \"own\"",
        )
    };
    check(
        &beside("plane = { scheme = \"hash\" }\n"),
        "\"hash\" | `plane = { scheme = \"hash\" }` keeps a flow in one plane | some flows name a \
         plane for each packet: choose `round_robin`, `random` or `least_queued` for the others",
    );
    parse("d.toml", &beside("plane = { scheme = \"random\" }\n"), Path::new("."), &[]).unwrap();
    let three_tiers = "[fabric]\ntopology = { kind = \"fat_tree\", tiers = 3, hosts = 16, planes = 2 }\n\
                       load_balance = { scheme = \"source_route\" }\n";
    check(
        &format!("{three_tiers}{TRAFFIC}{mrc}"),
        "\"source_route\" | `source_route` in [fabric] load_balance leaves no room for the plane in a \
         route with two choices | choose `ecmp`, or two tiers without parallel cables",
    );
}

#[test]
fn faults_name_ports_and_planes() {
    let link = |name: &str| format!("[[fault]]\nlink = \"{name}\"\ndown = \"1 us..2 us\"\n");
    check(
        &in_two("", &link("host3")),
        "\"host3\" | no link is called `host3` | nearest: `host3.up0`, `host3.up1`",
    );
    check(
        &in_two("", &link("tor0.up1")),
        "\"tor0.up1\" | no link is called `tor0.up1` | nearest: `host0.up1`, `p0.tor0.up1`, \
         `p1.tor0.up1`",
    );
    let fine = in_two("", &link("host3.up1"))
        + "[[fault]]\nhost = \"host2\"\ndown = \"1 us..2 us\"\n[[fault]]\nswitch = \"p1.spine0\"\n\
           down = \"1 us..2 us\"\n[transport]\nplane_repair = \"1 us\"\n";
    let study = parse("demo.toml", &fine, Path::new("."), &[]).unwrap();
    assert!(
        study.notes.iter().any(|note| note.contains("dead at the other end")),
        "{:?}",
        study.notes
    );
    let resolved = study.cells[0].scenario.resolved_toml();
    assert!(resolved.contains("planes = 2 }"), "{resolved}");
    assert!(resolved.contains("plane = { scheme = \"hash\" }"), "{resolved}");
    assert!(resolved.contains("plane_repair = \"1 us\""), "{resolved}");
    let again = parse("again.toml", resolved, Path::new("."), &[]).unwrap();
    assert_eq!(again.cells[0].scenario.resolved_toml(), resolved);
    assert_eq!(
        study.cells[0].scenario.title(),
        "16 hosts, leaf-spine fabric in 2 planes, 400 Gbps, 8 MiB permutation"
    );
}
