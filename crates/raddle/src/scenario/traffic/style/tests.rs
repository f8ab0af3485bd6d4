//! What is said of how collectives become messages, and what comes of it.

use crate::scenario::{Study, parse};
use crate::study::summary::RunSummary;
use crate::study::timing::Cost;
use raddle_sim::engine;
use raddle_sim::plan::Plan;
use raddle_sim::record::Stop;
use std::path::Path;

const SERVERS: &str = "topology = { kind = \"rail\", servers = 2, gpus = 8, spines = 0 }\n\
    scale_up = {}\n";
const RING: &str = "kind = \"collective\"\noperation = \"all_reduce\"\nsize = \"1 MiB\"\n";

fn study(fabric: &str, traffic: &str) -> Result<Study, String> {
    let text = format!("[fabric]\n{fabric}[traffic]\n{traffic}");
    let problems = |problems: crate::problem::Problems| problems.render(false);
    parse("t.toml", &text, Path::new("."), &[]).map_err(problems)
}

fn plan(fabric: &str, traffic: &str) -> Plan {
    let study = study(fabric, traffic).unwrap();
    let scenario = &study.cells[0].scenario;
    let again = parse("again.toml", scenario.resolved_toml(), Path::new("."), &[]).unwrap();
    let again = &again.cells[0].scenario;
    assert_eq!(again.hash(), scenario.hash(), "{}", scenario.resolved_toml());
    let plan = scenario.resolve(1).unwrap();
    let stored = again.resolve(1).unwrap();
    assert_eq!(stored.traffic.flows, plan.traffic.flows, "{}", scenario.resolved_toml());
    assert_eq!(stored.traffic.triggers, plan.traffic.triggers, "{}", scenario.resolved_toml());
    plan
}

/// Of the ring's 3,840 sends 480 leave a server, each in two hops.
#[test]
fn a_ring_over_servers_has_a_channel_for_each_rail() {
    let plan = plan(SERVERS, RING);
    assert_eq!(plan.traffic.flows.len(), 3_840 + 480);
    let collective = plan.traffic.jobs[0].collective.unwrap();
    assert_eq!((collective.ranks, collective.bytes.0), (16, 1 << 20));
    let outcome = engine::run(&plan, &mut ());
    assert_eq!(outcome.stop, Stop::Completed);
    let sent: Vec<u64> = outcome.scale_up.iter().map(|own| own.sent_bytes).collect();
    // Thirty sends of two packets leave each NIC, those of its channel.
    assert!(outcome.ports[..16].iter().all(|port| port.data_frames == 30 * 2));
    // All sends have 8 KiB; of each GPU's, seven channels stay in the server, and one is handed over.
    assert_eq!(sent, [8 * 30 * 8_192; 16]);
}

/// Of 400 GB/s that eight NICs of 400 Gbps have, 393.8 are not headers. A NIC sends thirty messages of
/// 64 packets; before the first and after the last a message goes round a server, by eight hops on its
/// crossbar at most, with `pxn` by one more, and there and back by links that take 1.5 us.
#[test]
fn a_ring_over_rails_takes_as_long_as_its_nics_and_once_round_a_server() {
    let ring = RING.replace("1 MiB", "32 MiB");
    let transport =
        "[transport]\ncongestion = { scheme = \"fixed_rate\" }\npair_order = \"fifo\"\n";
    for (rails, inside) in [("pxn", 9), ("alternate", 8)] {
        let plan = plan(SERVERS, &format!("{ring}rails = \"{rails}\"\n{transport}"));
        let outcome = engine::run(&plan, &mut ());
        let (nic, hop) = (30 * 64 * 83_200, 4 * 145_636 + 500_000);
        let most = nic + inside * hop + 2 * 1_600_000;
        assert!((nic..most).contains(&outcome.end.0), "{rails}: {} of {most}", outcome.end);
        // What the run reports has no more than 393.8, and lacks no more than once round a server.
        let summary = RunSummary::new("5ce7a110", &plan, &outcome, None, Cost::default());
        let busbw = summary.jobs[0].busbw_gb_s().unwrap();
        let least = 393.8 * nic as f64 / most as f64;
        assert!((least..393.9).contains(&busbw), "{rails}: {busbw} of {least}");
        assert!(least > 360.0, "{least}");
    }
}

#[test]
fn without_servers_defaults_are_as_they_were() {
    let tree = "topology = { kind = \"fat_tree\", hosts = 16 }\n";
    let plain = plan(tree, RING);
    assert_eq!(plain.traffic.flows.len(), 2 * 15 * 16);
    assert!(plain.traffic.jobs[0].script.is_none());
    let two = plan(tree, &format!("{RING}channels = 2\n"));
    assert_eq!(two.traffic.flows.len(), 2 * 2 * 15 * 16);
}

#[test]
fn every_way_of_saying_it_is_read_again() {
    for more in [
        "algorithm = \"auto\"\n",
        "algorithm = \"auto\"\nalpha = \"1 us\"\nchannels = 4\n",
        "algorithm = \"double_tree\"\nchunk = \"64 KiB\"\n",
        "by_size = [{ up_to = \"1 KiB\", algorithm = \"ring\" }, { algorithm = \"double_tree\" }]\n",
        "rails = \"alternate\"\nchunk = \"whole\"\n",
        "protocol = \"ll128\"\nstep_overhead = \"1 us\"\n",
    ] {
        let plan = plan(SERVERS, &format!("{RING}{more}"));
        assert_eq!(engine::run(&plan, &mut ()).stop, Stop::Completed, "{more}");
    }
    let step = "kind = \"training\"\nlayers = 2\nforward = \"1 us\"\ntensor = 8\ndata = 2\n\
        tensor_bytes = \"64 KiB\"\ngradient = \"64 KiB\"\n";
    for more in ["", "algorithm = \"double_tree\"\nchannels = 2\n", "rails = \"cross\"\n"] {
        let plan = plan(SERVERS, &format!("{step}{more}"));
        assert_eq!(engine::run(&plan, &mut ()).stop, Stop::Completed, "{more}");
    }
}

/// What is typed and is the default says nothing.
#[test]
fn one_scenario_has_one_result_whatever_of_it_is_typed() {
    let all_to_all = RING.replace("all_reduce", "all_to_all");
    let tree = format!("{RING}algorithm = \"double_tree\"\n");
    let ways =
        "rails = \"pxn\"\npxn_join = true\nprotocol = \"simple\"\nstep_overhead = \"0 ns\"\n";
    let alone = "topology = { kind = \"fat_tree\", hosts = 16 }\n";
    let spines = SERVERS.replace("spines = 0", "spines = 1");
    for fabric in [alone, &spines] {
        for (traffic, more) in [
            (RING, "compute = \"0 ns\"\n"),
            (RING, ways),
            (RING, "algorithm = \"ring\"\n"),
            (&all_to_all, "order = \"shifted\"\n"),
            (&all_to_all, ways),
            (&tree, ways),
            (&tree, "chunks = 1\nparallel = 1\n"),
            (&tree, "chunks = 1\nprotocol = \"simple\"\ncompute = \"0 ns\"\n"),
        ] {
            let (bare, typed) = (plan(fabric, traffic), plan(fabric, &format!("{traffic}{more}")));
            assert_eq!(typed.traffic.flows, bare.traffic.flows, "{more}");
            assert_eq!(typed.traffic.triggers, bare.traffic.triggers, "{more}");
        }
    }
}

/// A message says how much data there is, over however many channels and by whichever tree.
#[test]
fn a_message_makes_the_same_data_with_any_style() {
    let alone = "topology = { kind = \"fat_tree\", hosts = 16 }\n";
    for (algorithm, parts) in [("ring", 16), ("double_tree", 2)] {
        let all = RING.replace("size = \"1 MiB\"", "message = \"64 KiB\"");
        let all = format!("{all}algorithm = \"{algorithm}\"\n");
        for (fabric, more) in [
            (alone, ""),
            (alone, "channels = 1\n"),
            (alone, "channels = 4\n"),
            (SERVERS, ""),
            (SERVERS, "channels = 2\n"),
        ] {
            let made = plan(fabric, &format!("{all}{more}"));
            let size = made.traffic.jobs[0].collective.unwrap().bytes;
            assert_eq!(size.0, parts << 16, "{algorithm} {more}");
            let relays = fabric == SERVERS && algorithm == "ring";
            let sent: u64 = made.traffic.flows.iter().map(|flow| flow.bytes.0).sum();
            assert_eq!(sent == 30 * size.0, !relays, "{algorithm} {more}");
        }
    }
}

/// Without keys, with a default that is typed, and as another kind makes it.
#[test]
fn a_pair_of_trees_over_servers_is_one_pair_of_trees() {
    let tree = format!("{RING}algorithm = \"double_tree\"\n");
    let bare = plan(SERVERS, &tree);
    assert_eq!(engine::run(&bare, &mut ()).stop, Stop::Completed);
    assert_eq!(plan(SERVERS, &format!("{tree}channels = 8\n")).traffic.flows, bare.traffic.flows);
    let by_size = format!("{RING}by_size = [{{ algorithm = \"double_tree\" }}]\n");
    assert_eq!(plan(SERVERS, &by_size).traffic.flows, bare.traffic.flows);
    for (more, expected) in [
        ("chunks = 2\n", "expected `chunk`"),
        ("parallel = 2\n", "leave it out"),
        ("compute = \"1 us\"\n", "expected no `compute`"),
    ] {
        let problems = study(SERVERS, &format!("{tree}{more}")).unwrap_err();
        assert!(problems.contains(expected), "{more}: {problems}");
    }
}

#[test]
fn what_leaves_its_rail_is_an_error_before_the_run() {
    let study = study(SERVERS, &format!("{RING}rails = \"cross\"\n"));
    let refused = study.unwrap().cells[0].scenario.resolve(1).unwrap_err();
    assert!(refused.message.starts_with("no way leads from `host"), "{}", refused.message);
    assert!(refused.help.iter().any(|help| help.contains("`rails = \"pxn\"`")), "{refused:?}");
}

/// GPUs keep to the rails of their numbers, whichever ranks they are and however many a server has.
#[test]
fn without_spines_rings_run_wherever_their_ranks_are() {
    let four = "topology = { kind = \"rail\", servers = 3, gpus = 4, spines = 0 }\n\
        scale_up = { gpus = 4 }\n";
    for (fabric, more) in [
        (SERVERS, "rails = \"alternate\"\nplacement = \"random\"\nseed = 2\n"),
        (SERVERS, "rails = \"alternate\"\nplacement = \"random\"\nseed = 3\n"),
        (SERVERS, "rails = \"alternate\"\nalgorithm = \"double_tree\"\n"),
        (SERVERS, "placement = \"random\"\nseed = 4\nalgorithm = \"double_tree\"\n"),
        (four, "ranks = 6\n"),
        (four, "ranks = 7\nalgorithm = \"double_tree\"\n"),
    ] {
        let plan = plan(fabric, &format!("{RING}{more}"));
        assert_eq!(engine::run(&plan, &mut ()).stop, Stop::Completed, "{more}");
    }
    // Rank 3 is the only one on its rail, and no GPU of the other server can hand over to it.
    let all = RING.replace("all_reduce", "all_to_all");
    let study = study(four, &format!("{all}ranks = 6\n"));
    let refused = study.unwrap().cells[0].scenario.resolve(1).unwrap_err();
    let why = "where the collective has a GPU on the receiver's rail in the sender's server";
    assert!(refused.help.iter().any(|help| help.contains(why)), "{refused:?}");
}

/// Eight channels of a group that has one GPU of each server have one NIC: 50 GB/s, and not 400.
#[test]
fn auto_reckons_with_the_nics_that_a_group_has() {
    let fabric = "topology = { kind = \"rail\", servers = 64, gpus = 8, spines = 0 }\n\
        scale_up = {}\n";
    let one = (0..64).map(|server| (server * 8).to_string()).collect::<Vec<_>>().join(", ");
    for (size, expected) in [("138 MB", "double_tree"), ("139 MB", "ring")] {
        let traffic = RING.replace("1 MiB", size);
        let auto = format!("{traffic}groups = [[{one}]]\nalgorithm = \"auto\"\n");
        let study = study(fabric, &auto).unwrap();
        let notes = format!("{:?}", study.notes);
        assert!(notes.contains(&format!("goes by `{expected}`")), "{size}: {notes}");
    }
}

/// Trees send chunks of 2 MiB: one each 100 us is 21 GB/s, of 50.
#[test]
fn a_slow_step_of_a_tree_is_told() {
    let tree = format!("{}algorithm = \"double_tree\"\n", RING.replace("1 MiB", "1 GiB"));
    let notes =
        |more: &str| format!("{:?}", study(SERVERS, &format!("{tree}{more}")).unwrap().notes);
    let told = notes("step_overhead = \"100 us\"\n");
    assert!(
        told.contains("send 2 MiB every 100 us: 20971 MB/s of its link's 50000 MB/s"),
        "{told}"
    );
    assert!(!notes("step_overhead = \"10 us\"\n").contains("MB/s"));
}

#[test]
fn a_trace_without_collectives_has_no_use_for_their_keys() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/traces/goal/binary_tree_32.goal");
    let trace = format!("kind = \"trace\"\nfile = \"{file}\"\n");
    let tree = "topology = { kind = \"fat_tree\", hosts = 54 }\n";
    plan(tree, &format!("{trace}protocol = \"simple\"\n"));
    for (key, value) in [("channels", "2"), ("step_overhead", "\"1 us\""), ("protocol", "\"ll\"")] {
        let problems = study(tree, &format!("{trace}{key} = {value}\n")).unwrap_err();
        let expected = format!("`{key}` has no effect: the trace has no collectives");
        assert!(problems.contains(&expected), "{problems}");
    }
}

#[test]
fn too_many_messages_are_said_to_be_too_many() {
    let ring = RING.replace("1 MiB", "64 GiB");
    let study = study(SERVERS, &format!("{ring}chunk = \"1 KiB\"\n"));
    let refused = study.unwrap().cells[0].scenario.resolve(1).unwrap_err();
    assert_eq!(refused.message, "`size` is 64 GiB");
    let label = refused.label.unwrap_or_default();
    assert!(label.starts_with("expected what makes fewer messages"), "{label}");
    assert!(label.ends_with("messages are more than 67108864"), "{label}");
}

#[test]
fn what_does_not_go_together_is_refused_at_its_key() {
    let tree = "topology = { kind = \"fat_tree\", hosts = 16 }\n";
    let odd = "topology = { kind = \"rail\", servers = 2, gpus = 3, spines = 1 }\n\
        scale_up = { gpus = 3 }\n";
    for (fabric, more, expected) in [
        (tree, "rails = \"cross\"\n", "`rails` has no effect where each GPU is alone"),
        (SERVERS, "pxn_join = false\n", "it goes with `operation = \"all_to_all\"`"),
        (odd, "rails = \"alternate\"\n", "`alternate` pairs rails, and a server has 3"),
        (SERVERS, "rails = \"across\"\n", "nearest: `cross`"),
        (SERVERS, "rails = \"cross\"\npxn_join = true\n", "it goes with `rails = \"pxn\"`"),
        (SERVERS, "alpha = \"1 us\"\n", "it goes with `algorithm = \"auto\"`"),
        (SERVERS, "hops = 3\nchannels = 2\n", "`channels`"),
        (SERVERS, "algorithm = \"butterfly\"\nchunk = \"1 KiB\"\n", "`chunk`"),
        (SERVERS, "compute = \"1 us\"\nchannels = 2\n", "`channels`"),
        (SERVERS, "by_size = [{ up_to = \"1 KiB\" }]\n", "algorithm"),
    ] {
        let problems = study(fabric, &format!("{RING}{more}")).unwrap_err();
        assert!(problems.contains(expected), "{more}: {problems}");
    }
    let of = |operation: &str| RING.replace("all_reduce", operation);
    for (fabric, operation, more, expected) in [
        (
            tree,
            "all_to_all",
            "pxn_join = false\n",
            "`pxn_join` has no effect where each GPU is alone",
        ),
        (
            SERVERS,
            "all_gather",
            "by_size = [{ algorithm = \"ring\" }]\n",
            "`by_size` has no effect",
        ),
        (SERVERS, "all_to_all", "chunk = \"1 KiB\"\n", "`chunk` has no effect"),
        (SERVERS, "all_to_all", "channels = 2\n", "`channels` has no effect"),
    ] {
        let problems = study(fabric, &format!("{}{more}", of(operation))).unwrap_err();
        assert!(problems.contains(expected), "{more}: {problems}");
    }
    plan(SERVERS, &format!("{}pxn_join = false\n", of("all_to_all")));
    let message = RING.replace("size", "message");
    let problems = study(SERVERS, &format!("{message}algorithm = \"auto\"\n")).unwrap_err();
    assert!(problems.contains("expected `size`"), "{problems}");
}
