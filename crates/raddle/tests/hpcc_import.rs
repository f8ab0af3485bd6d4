//! HPCC's files in a scenario: what they give, and mistakes with file, line and nearest word.

use raddle::scenario::{Study, parse};
use raddle_schemes::ids::HostId;
use raddle_schemes::units::{Bytes, Rate, Time};
use raddle_sim::plan::Plan;
use raddle_sim::workload::Start;
use std::path::{Path, PathBuf};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/hpcc")
}

fn study(base: &Path, topology: &str, traffic: &str) -> Result<Study, String> {
    let text = format!("[fabric]\ntopology = {topology}\n[traffic]\n{traffic}");
    parse("hpcc.toml", &text, base, &[]).map_err(|problems| problems.render(false))
}

fn plan(topology: &str, traffic: &str) -> Plan {
    let study = study(&data(), topology, traffic).unwrap_or_else(|why| panic!("{why}"));
    let Ok(plan) = study.cells[0].scenario.resolve(1) else { panic!("the flows fit") };
    plan
}

const TOPOLOGY: &str = "{ kind = \"hpcc_topology\", file = \"leaf_spine_8.txt\" }";
const FLOWS: &str = "kind = \"hpcc_flows\"\nfile = \"flows_8.txt\"\n";

#[test]
fn a_topology_and_its_flows_are_run() {
    let plan = plan(TOPOLOGY, &format!("{FLOWS}origin = \"2 s\"\n"));
    assert_eq!((plan.fabric.hosts, plan.fabric.switches.len()), (8, 4));
    assert_eq!(plan.fabric.ports[3].rate, Rate::gbps(25));
    let flow = &plan.traffic.flows[7];
    assert_eq!((flow.source, flow.destination), (HostId(0), HostId(7)));
    assert_eq!((flow.bytes, flow.start), (Bytes(1_000_000), Start::At(Time(20_001_000))));
    let outcome = raddle_sim::engine::run(&plan, &mut ());
    let text = raddle::import::hpcc::fct::text(&plan, &outcome);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(' ').collect()).collect();
    assert_eq!(rows.len(), 9);
    let row = rows.iter().find(|row| row[4] == "64").unwrap();
    assert_eq!((row[0], row[1], row[2]), ("0b000601", "0b000101", "10001"));
    assert_eq!((row[3], row[5]), ("100", "100000"));
    for row in &rows {
        let ns = |column: usize| row[column].parse::<u64>().unwrap();
        assert!(ns(6) >= ns(7), "{row:?}");
    }
}

/// A flow that meets nobody takes its ideal time: exactly below one switch and with one packet, and at
/// most a packet on each hop between longer where it could be spread over several ways.
#[test]
fn a_flow_alone_is_not_slowed_down() {
    for (to, bytes, exact) in
        [(1, "1 MB", true), (1, "10001 B", true), (5, "64 B", true), (5, "1 MB", false)]
    {
        let flows =
            format!("kind = \"flows\"\nflow = [{{ from = 0, to = {to}, bytes = \"{bytes}\" }}]\n");
        let transport = "[transport]\nload_balance = { scheme = \"ecmp\" }\ncongestion = { scheme = \
                         \"fixed_rate\", rate = \"25 Gbps\", window = \"unlimited\" }\n";
        let plan = plan(TOPOLOGY, &format!("{flows}{transport}"));
        let outcome = raddle_sim::engine::run(&plan, &mut ());
        let record = outcome.flows.at(0);
        let fct = record.acked.unwrap().since(record.started.unwrap());
        let ideal = raddle_sim::bound::ideals(&plan)[0].unwrap();
        let packet = 2 * Rate::gbps(100).serialisation(plan.packet()).0;
        let over = fct.0.checked_sub(ideal.0);
        assert!(
            over.is_some_and(|over| over <= if exact { 0 } else { packet }),
            "{to} {bytes}: {over:?}"
        );
    }
}

#[test]
fn conweave_s_columns_say_the_same() {
    let ours = plan(TOPOLOGY, FLOWS);
    let theirs = plan(TOPOLOGY, "kind = \"hpcc_flows\"\nfile = \"flows_8_conweave.txt\"\n");
    assert_eq!(ours.traffic, theirs.traffic);
    assert_eq!(ours.traffic.flows[0].start, Start::At(Time(2_000_000_000_000)));
}

#[test]
fn flows_run_on_any_topology_with_enough_hosts() {
    let plan = plan("{ kind = \"fat_tree\", hosts = 16 }", FLOWS);
    assert_eq!(plan.traffic.flows[0].source, HostId(4));
    let error = study(&data(), "{ kind = \"dumbbell\", hosts_per_side = 2 }", FLOWS).unwrap_err();
    assert!(error.contains("node 4 is no host of the topology"), "{error}");
    assert!(error.contains("flows_8.txt:2") && error.contains("hosts are 0 to 3"), "{error}");
}

#[test]
fn mistakes_are_told_with_file_line_and_nearest_word() {
    let folder = tempfile::tempdir().unwrap();
    let topology = std::fs::read_to_string(data().join("leaf_spine_8.txt")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("leaf_spine_8.txt", &topology.replace("0 8 25Gbps", "0 8 25Gpbs"));
    write("flows_8.txt", "1\n1 2 3 100 5 2\n2 1 3 100 5 2\n");
    let error = study(folder.path(), TOPOLOGY, FLOWS).unwrap_err();
    assert!(
        error.contains("leaf_spine_8.txt:3:5") && error.contains("`25Gpbs` is no rate"),
        "{error}"
    );
    assert!(error.contains("did you mean the unit `Gbps`?"), "{error}");
    assert!(error.contains("flows_8.txt:3:1") && error.contains("says 1 flows"), "{error}");
    let compat = format!("{FLOWS}compat = true\n");
    let study = study(folder.path(), "{ kind = \"fat_tree\", hosts = 16 }", &compat).unwrap();
    assert!(
        study.notes.iter().any(|note| note.contains("HPCC reads no further")),
        "{:?}",
        study.notes
    );
    assert_eq!(study.cells[0].scenario.resolve(1).unwrap().traffic.flows.len(), 1);
}

#[test]
fn lossy_links_lose_frames() {
    let folder = tempfile::tempdir().unwrap();
    let topology = std::fs::read_to_string(data().join("leaf_spine_8.txt")).unwrap();
    let topology = topology.replace("0 8 25Gbps 1000ns 0.000000", "0 8 25Gbps 1000ns 0.2");
    std::fs::write(folder.path().join("leaf_spine_8.txt"), topology).unwrap();
    let flows = "kind = \"flows\"\nflow = [{ from = 0, to = 5, bytes = \"1 MB\" }]\n";
    let study = study(folder.path(), TOPOLOGY, flows).unwrap_or_else(|why| panic!("{why}"));
    let plan = study.cells[0].scenario.resolve(1).unwrap();
    let outcome = raddle_sim::engine::run(&plan, &mut ());
    let lost: u64 = outcome.ports.iter().map(|port| port.dropped.iter().sum::<u64>()).sum();
    assert!(lost > 10, "{lost}");
    // What is resolved names the file alone, and loads again to the same run.
    let resolved = study.cells[0].scenario.resolved_toml();
    let again = parse("again.toml", resolved, Path::new("."), &[]).unwrap();
    assert_eq!(again.cells[0].scenario.hash(), study.cells[0].scenario.hash());
}

#[test]
fn a_law_without_a_header_must_say_how_it_is_sampled() {
    let poisson = |rest: &str| {
        format!(
            "kind = \"poisson\"\nlaw = \"./web_search.txt\"\nload = 0.5\nuntil = \"1 ms\"\n{rest}"
        )
    };
    let error = study(&data(), TOPOLOGY, &poisson("")).unwrap_err();
    assert!(error.contains("sampling") && error.contains("\"linear\""), "{error}");
    let bundled = poisson("").replace("./web_search.txt", "websearch");
    assert_eq!(
        plan(TOPOLOGY, &poisson("sampling = \"linear\"\n")).traffic,
        plan(TOPOLOGY, &bundled).traffic
    );
}
