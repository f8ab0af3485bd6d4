//! Keys of circuits: what they make, and what is refused.

use crate::problem::Problems;
use crate::scenario::{Scenario, parse};
use raddle_schemes::ids::SwitchId;
use raddle_schemes::units::Bytes;
use raddle_sim::topology::circuits::Lane;
use std::path::Path;

fn opera(keys: &str, queue: &str) -> String {
    format!(
        "[fabric]\ntopology = {{ kind = \"circuits\", tors = 24, hosts_per_tor = 1, uplinks = 6, \
         design = \"opera\", slot = \"50 us\", dark = \"5 us\", routes = \"slices\"{keys} }}\n\
         queue = {{ {queue} }}\n[traffic]\nkind = \"flows\"\n\
         flow = [{{ from = 0, to = 1, bytes = \"15 MB\" }}, {{ from = 2, to = 3, bytes = \"1 MB\" }}]\n"
    )
}

#[test]
fn messages_of_bulk_have_a_class_of_their_own_and_load_again() {
    let text = opera(", bulk = \"15 MB\", late = \"wait\"", "classes = 2");
    let study = parse("t.toml", &text, Path::new("."), &[]).unwrap();
    let scenario = &study.cells[0].scenario;
    let plan = scenario.resolve(1).unwrap();
    let classes: Vec<u8> = plan.traffic.flows.iter().map(|flow| flow.class).collect();
    assert_eq!(classes, [0, 1]);
    let slicing = plan.fabric.circuits.as_ref().unwrap().slicing.as_ref().unwrap();
    assert_eq!((slicing.starts.len(), slicing.waiting), (24, 1));
    let again = parse("again.toml", scenario.resolved_toml(), Path::new("."), &[]).unwrap();
    assert_eq!(again.cells[0].scenario.hash(), scenario.hash());
}

#[test]
fn bulk_needs_two_classes_and_chooses_among_them() {
    let problems = |p: Problems| p.render(false);
    let error =
        |text: &str| parse("t.toml", text, Path::new("."), &[]).map_err(problems).unwrap_err();
    let one = error(&opera(", bulk = \"15 MB\"", ""));
    assert!(one.contains("set `classes = 2` in [fabric] queue"), "{one}");
    let listed =
        opera(", bulk = \"15 MB\"", "classes = 2").replace("\"1 MB\"", "\"1 MB\", class = 1");
    let chosen = error(&listed);
    assert!(chosen.contains("`bulk` chooses the class of each packet"), "{chosen}");
}

fn vermilion(demand: &str, traffic: &str) -> String {
    format!(
        "[fabric]\ntopology = {{ kind = \"circuits\", tors = 8, hosts_per_tor = 2, uplinks = 4, \
         design = \"vermilion:k=3\", demand = \"{demand}\", slot = \"10 us\" }}\n[traffic]\n\
         {traffic}\n"
    )
}

const PAIRS: &str = "kind = \"poisson\"\nlaw = \"websearch\"\nload = 0.1\nuntil = \"1 ms\"\nreceivers = \"paired_tor\"";

#[test]
fn circuits_for_the_traffic_are_those_for_its_demand() {
    let fabric = |demand: &str, traffic: &str| {
        let study = parse("t.toml", &vermilion(demand, traffic), Path::new("."), &[]).unwrap();
        let scenario = &study.cells[0].scenario;
        let text = scenario.resolved_toml();
        let again = parse("again.toml", text, Path::new("."), &[]).unwrap();
        assert_eq!(again.cells[0].scenario.hash(), scenario.hash());
        scenario.fabric().clone()
    };
    // Host i sends to i + 8, four ToRs further.
    let tornado = "kind = \"tornado\"";
    let made = fabric("traffic", tornado);
    assert_eq!(made.circuits, fabric("permutation", tornado).circuits);
    assert_ne!(made.circuits, fabric("uniform", tornado).circuits);
    let one = fabric("traffic", &format!("{PAIRS}\nseed = 1"));
    assert_ne!(one.circuits, fabric("traffic", &format!("{PAIRS}\nseed = 2")).circuits);
    // Whatever the load.
    let busy = PAIRS.replace("0.1", "0.7");
    assert_eq!(one.circuits, fabric("traffic", &format!("{busy}\nseed = 1")).circuits);
}

#[test]
fn a_runs_seed_makes_no_circuits() {
    let problems = |p: Problems| p.render(false);
    let error =
        |text: &str| parse("t.toml", text, Path::new("."), &[]).map_err(problems).unwrap_err();
    let drawn = error(&vermilion("traffic", PAIRS));
    assert!(drawn.contains("give it a `seed` of its own"), "{drawn}");
    let even = vermilion("traffic", "kind = \"tornado\"").replace("vermilion:k=3", "rotornet");
    let even = error(&even);
    assert!(even.contains("`demand` has no effect on `rotornet`"), "{even}");
    let within = "kind = \"flows\"\nflow = [{ from = 0, to = 1, bytes = \"1 MB\" }]";
    let within = error(&vermilion("traffic", within));
    assert!(within.contains("the traffic: no node sends anything"), "{within}");
}

#[test]
fn rotorlb_needs_bulk_and_each_half_of_a_law_may_have_a_transport() {
    let problems = |p: Problems| p.render(false);
    let parsed = |text: &str| parse("t.toml", text, Path::new("."), &[]).map_err(problems);
    let keeps = |keys: &str| {
        let fabric = "[fabric]\ntor = { scheme = \"rotorlb\" }\n";
        opera(keys, "classes = 2").replace("[fabric]\n", fabric)
    };
    assert!(parsed(&keeps(", bulk = \"15 MB\"")).is_ok());
    let without = parsed(&keeps("")).unwrap_err();
    assert!(without.contains("needs bulk data that waits for circuits"), "{without}");
    let halves = |sizes: &str| {
        let text = keeps(", bulk = \"15 MB\"");
        let fabric = text.split("[traffic]").next().unwrap();
        format!(
            "{fabric}[traffic]\nkind = \"poisson\"\nlaw = \"websearch\"\nload = 0.5\n\
             until = \"5 ms\"\n{sizes}\n"
        )
    };
    let sizes = |text: &str| {
        let study = parse("t.toml", text, Path::new("."), &[]).unwrap();
        let plan = study.cells[0].scenario.resolve(1).unwrap();
        plan.traffic.flows.iter().map(|flow| flow.bytes).collect::<Vec<Bytes>>()
    };
    let (all, low, high) = (
        sizes(&halves("")),
        sizes(&halves("below = \"100 kB\"")),
        sizes(&halves("at_least = \"100 kB\"")),
    );
    let (small, large): (Vec<Bytes>, Vec<Bytes>) =
        all.into_iter().partition(|bytes| bytes.0 < 100_000);
    assert_eq!((low, high), (small, large));
    for (keys, what) in [
        ("below = \"31 MB\"", "`below` leaves nothing out"),
        ("at_least = \"31 MB\"", "`at_least` leaves nothing"),
        ("at_least = \"1 MB\"\nbelow = \"1 MB\"", "`below` leaves nothing"),
    ] {
        let error = parsed(&halves(keys)).unwrap_err();
        assert!(error.contains(what), "{error}");
    }
}

/// The scenario of a text, whose resolved text gives the same; what is wrong with it as an error.
fn read_twice(text: &str) -> Result<Scenario, String> {
    let study = parse("t.toml", text, Path::new("."), &[]).map_err(|all| all.render(false))?;
    let scenario = study.cells[0].scenario.clone();
    let again = parse("again.toml", scenario.resolved_toml(), Path::new("."), &[]).unwrap();
    assert_eq!(again.cells[0].scenario.hash(), scenario.hash());
    Ok(scenario)
}

#[test]
fn uplinks_and_circuit_switches_may_die() {
    let with = |fault: &str| {
        let text = vermilion("uniform", "kind = \"tornado\"") + &format!("[[fault]]\n{fault}\n");
        let scenario = read_twice(&text)?;
        let plan = scenario.resolve(1).map_err(|problem| problem.message)?;
        Ok::<usize, String>(plan.faults.ports.len())
    };
    // Each of 8 ToRs has 4 uplinks, to two or more others each.
    let uplink = with("link = \"tor0.up2\"\ndown = \"5 us..9 us\"").unwrap();
    let rotor = with("switch = \"rotor2\"\ndown = \"5 us..9 us\"").unwrap();
    assert!(uplink >= 2 && rotor > uplink, "{uplink} and {rotor}");
    let wrong = with("link = \"tor0.up4\"\ndown = \"..\"").unwrap_err();
    assert!(wrong.contains("no link is called `tor0.up4`"), "{wrong}");
    assert!(wrong.contains("nearest: `tor0.up0`"), "{wrong}");
    let wrong = with("switch = \"rotor4\"\ndown = \"..\"").unwrap_err();
    assert!(wrong.contains("nearest: `rotor0`"), "{wrong}");
    let slow = with("switch = \"rotor1\"\nrate = \"50%\"").unwrap_err();
    assert!(slow.contains("uplinks and circuit switches can be `down` or `flap`"), "{slow}");
}

#[test]
fn schedules_may_follow_each_other() {
    // 8 ToRs, 4 uplinks: the period of Vermilion with k = 3 is 6 slots of 10 us.
    let with = |demand: &str, change: &str| {
        let text = vermilion(demand, "kind = \"tornado\"");
        let text = text.replace("slot =", &format!("change = [{change}], slot ="));
        let scenario = read_twice(&text)?;
        Ok::<_, String>(scenario.fabric().circuits.clone().unwrap())
    };
    let plain = |demand: &str| {
        let text = vermilion(demand, "kind = \"tornado\"");
        let study = parse("t.toml", &text, Path::new("."), &[]).unwrap();
        study.cells[0].scenario.fabric().circuits.clone().unwrap()
    };
    let (stale, right) = (plain("ring"), plain("permutation"));
    let period = stale.period;
    let at = format!("at = \"{} ns\"", period.0 * 4 / 1_000);
    let both = with("ring", &format!("{{ {at}, demand = \"permutation\" }}")).unwrap();
    assert_eq!((both.period, both.later.len()), (period, 1));
    assert_eq!(both.later[0].begins.0, 4 * period.0);
    let open = |lanes: &[Lane]| -> u64 { lanes.iter().map(|lane| lane.open().0).sum() };
    assert_eq!(open(&both.lanes), open(&stale.lanes));
    assert_eq!(open(&both.later[0].circuits.lanes), open(&right.lanes));
    // What the traffic asks for is the permutation.
    let followed = with("ring", &format!("{{ {at}, demand = \"traffic\" }}")).unwrap();
    assert_eq!(followed.later, both.later);
    let same = with("ring", &format!("{{ {at} }}")).unwrap_err();
    assert!(same.contains("the change has no effect: the schedule is the same"), "{same}");
    let within = with("ring", "{ at = \"1 ns\", demand = \"permutation\" }").unwrap_err();
    assert!(within.contains("a schedule changes at 1 ns, within a period"), "{within}");
    let late = vermilion("ring", "kind = \"tornado\"");
    let change = format!("change = [{{ {at}, demand = \"permutation\" }}], slot =");
    let late = late.replace("slot =", &change) + "[run]\nend = \"5 us\"\n";
    let Err(problems) = parse("t.toml", &late, Path::new("."), &[]) else { panic!("{late}") };
    assert_eq!(problems.list[0].message, "the change comes when the run has ended");
    let marked = &late[problems.list[0].span.clone().unwrap()];
    assert!(marked.starts_with("{ at = "), "{marked}");
    let wrong = with("ring", &format!("{{ {at}, demnad = \"permutation\" }}")).unwrap_err();
    assert!(wrong.contains("demand"), "{wrong}");
}

#[test]
fn clocks_of_tors_may_be_off() {
    let with = |fault: &str| {
        let text = vermilion("uniform", "kind = \"tornado\"") + &format!("[[fault]]\n{fault}\n");
        let scenario = read_twice(&text)?;
        Ok::<_, String>(scenario.resolve(1).unwrap().faults.clocks)
    };
    assert_eq!(with("switch = \"tor3\"\nclock = \"40 ns\"").unwrap(), [(SwitchId(3), 40_000)]);
    assert_eq!(with("switch = \"tor3\"\nclock = \"-1 us\"").unwrap(), [(SwitchId(3), -1_000_000)]);
    for (fault, what) in [
        ("switch = \"tor3\"\nclock = \"0 ns\"", "the clock is right"),
        ("switch = \"tor3\"\nclock = 5", "expected a time, as in \"40 ns\" or \"-40 ns\""),
        ("switch = \"tor3\"\nclock = \"1 s\"", "less than a period of the circuits"),
        ("host = 1\nclock = \"40 ns\"", "clocks are those of switches"),
        ("switch = \"tor3\"\nclock = \"40 ns\"\nduring = \"..\"", "during"),
    ] {
        let error = with(fault).unwrap_err();
        assert!(error.contains(what), "{error}");
    }
}
