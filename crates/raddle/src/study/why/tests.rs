use super::*;
use crate::scenario;
use raddle_sim::engine;
use std::path::Path;

/// The fabric: 32 hosts below 8 ToRs, 4 spines, 100 Gbps.
const FABRIC: &str = "[fabric]\n\
    topology = { kind = \"fat_tree\", tiers = 2, hosts = 32, rate = \"100 Gbps\" }\n";

/// Why the flow that ends last does so late.
fn why(text: &str) -> Why {
    let text = format!("{FABRIC}{text}[record]\nmap = true\n");
    let study = scenario::parse("t.toml", &text, Path::new("."), &[])
        .unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    let plan = study.cells[0].scenario.resolve(1).unwrap();
    let outcome = engine::run(&plan, &mut ());
    let ends = outcome.flows.iter().map(|flow| flow.acked).enumerate();
    let (last, end) = ends.max_by_key(|(_, at)| *at).unwrap();
    let why = Why::of(&plan, &outcome, FlowId(last as u32)).unwrap();
    assert_eq!(Why::from_json(&why.to_json()), Some(why.clone()));
    // Its whole life is told, no more.
    let life = end.unwrap().since(outcome.flows.at(last).started.unwrap()).as_us();
    assert!((why.parts.all_us() - life).abs() < 1e-6, "{why:?} {life}");
    why
}

const TRANSPORT: &str = "[transport]\nload_balance = { scheme = \"ecmp\" }\n\
    congestion = { scheme = \"mprdma_dctcp\" }\n";

/// Flows of an explicit list.
fn flows(list: &[(u32, u32)], message: &str) -> String {
    let own = list
        .iter()
        .map(|(from, to)| format!("{{ from = {from}, to = {to}, bytes = \"{message}\" }}"));
    let own: Vec<String> = own.collect();
    format!("[traffic]\nkind = \"flows\"\nflow = [{}]\n", own.join(", "))
}

#[test]
fn one_collision() {
    let why = why(&format!("{TRANSPORT}{}", flows(&[(0, 8), (1, 12), (2, 16), (3, 20)], "8 MiB")));
    let parts = why.parts;
    assert!(parts.link_us > 0.6 * parts.all_us(), "{why:?}");
    assert!(why.links[0].others >= 1 && why.links[0].waiting > 0.5, "{why:?}");
    assert!(why.sentence().contains("a link of its path was full (tor0.up"), "{}", why.sentence());
}

#[test]
fn an_incast() {
    let list: Vec<(u32, u32)> = (4..12).map(|from| (from, 0)).collect();
    let why = why(&format!("{TRANSPORT}{}", flows(&list, "1 MiB")));
    assert!(why.parts.receiver_us > 0.8 * why.parts.all_us(), "{why:?}");
    assert_eq!((why.links[0].name.as_str(), why.links[0].others), ("tor0.down0", 7));
    assert!(why.sentence().contains("the link to its receiver was full"), "{}", why.sentence());
}

#[test]
fn a_small_window() {
    let window = "mprdma_dctcp\", initial_window = \"0.3 bdp\", max_window = \"0.3 bdp\"";
    let small = TRANSPORT.replace("mprdma_dctcp\"", window);
    let why = why(&format!("{small}{}", flows(&[(0, 8)], "4 MiB")));
    assert!(why.parts.window_us > 0.9 * why.parts.all_us(), "{why:?}");
    assert!(why.sentence().contains("no link was full: its window or pace held it back"));
}

#[test]
fn a_dead_uplink() {
    let fault = "[[fault]]\nlink = \"host0\"\ndown = \"50 us..150 us\"\n";
    let why = why(&format!("{TRANSPORT}{}{fault}", flows(&[(0, 8)], "4 MiB")));
    assert!(why.parts.fault_us > 80.0, "{why:?}");
    assert_eq!(why.links[0].name, "host0");
    assert!(why.sentence().contains("a link of its only path was down (host0"));
}

#[test]
fn a_dead_uplink_of_a_flow_that_has_others_is_no_fault_on_its_only_path() {
    let sprays = TRANSPORT.replace("\"ecmp\"", "\"ops\"");
    let fault = "[[fault]]\nlink = \"tor0.up1\"\ndown = \"20 us..\"\n";
    let why = why(&format!("{sprays}{}{fault}", flows(&[(0, 8)], "2 MiB")));
    assert!(why.parts.fault_us == 0.0, "{why:?}");
    assert!(!why.sentence().contains("only path"), "{}", why.sentence());
}

#[test]
fn a_timeout() {
    let sack = format!("{TRANSPORT}recovery = {{ scheme = \"sack\", rto = \"1 ms\" }}\n");
    let fault = "[[fault]]\nlink = \"tor0.down0\"\ndown = \"325 us..360 us\"\n";
    let why = why(&format!("{sack}{}{fault}", flows(&[(8, 0)], "4 MiB")));
    assert!(why.timeouts > 0 && why.parts.timeout_us > 700.0, "{why:?}");
    assert!(
        why.sentence().contains("timeouts after 36 losses, most at tor0.down0"),
        "{}",
        why.sentence()
    );
}

#[test]
fn a_late_trigger() {
    let ring = "[traffic]\nkind = \"collective\"\noperation = \"all_reduce\"\nsize = \"8 MiB\"\n";
    let why = why(&format!("{TRANSPORT}{ring}"));
    assert!(why.path.len() > 10, "{why:?}");
    assert!(why.waiting_us > 0.8 * (why.waiting_us + why.parts.all_us()), "{why:?}");
    assert!(why.path.windows(2).all(|pair| pair[0].end_us <= pair[1].start_us + 1e-6));
    assert!(why.sentence().contains("it waited for "), "{}", why.sentence());
    assert!((why.before.all_us() - why.waiting_us).abs() < 1.0, "{why:?}");
}

/// The critical path of the flow that ends last, whose parts have to add up.
fn critical(text: &str) -> Option<Critical> {
    let text = format!("{FABRIC}{TRANSPORT}{text}");
    let study = scenario::parse("t.toml", &text, Path::new("."), &[])
        .unwrap_or_else(|problems| panic!("{}", problems.render(false)));
    let plan = study.cells[0].scenario.resolve(1).unwrap();
    let outcome = engine::run(&plan, &mut ());
    let ends = outcome.flows.iter().map(|flow| flow.acked).enumerate();
    let (last, end) = ends.max_by_key(|(_, at)| *at).unwrap();
    let ideals = raddle_sim::bound::ideals(&plan);
    let own = Critical::of(&plan, &outcome, &ideals, FlowId(last as u32))?;
    assert_eq!(Critical::from_json(&own.to_json()), Some(own.clone()));
    let ps = |us: f64| (us * 1e6).round() as u64;
    let job = plan.traffic.jobs.iter().find(|job| job.flows.contains(&(last as u32))).unwrap();
    let flows = outcome.flows.range(job.flows.start as usize..job.flows.end as usize);
    let time = end.unwrap().since(flows.filter_map(|flow| flow.started).min().unwrap());
    assert_eq!(ps(own.time_us), time.0);
    assert_eq!(ps(own.alone_us) + ps(own.lost_us) + ps(own.between_us), time.0, "{own:?}");
    Some(own)
}

const RING: &str =
    "[traffic]\nkind = \"collective\"\noperation = \"all_reduce\"\nsize = \"8 MiB\"\n";

#[test]
fn a_ring_loses_its_time_where_a_link_is_slow() {
    let slow =
        "[[fault]]\nlink = \"host5\"\nrate = \"25%\"\ndirection = \"out\"\n[record]\nmap = true\n";
    let own = critical(&format!("{RING}{slow}")).unwrap();
    // A chunk makes two rounds of 31 hops, and those from host5 go four times as slowly.
    assert_eq!((own.sends, own.between_us), (62, 0.0));
    let (first, link) = (&own.most[0], own.most[0].link.as_deref());
    assert_eq!((first.source, first.destination, link), (5, 6, Some("host5")), "{own:?}");
    assert!(first.lost_us > 0.3 * own.lost_us, "{own:?}");
    let told = own.sentence();
    let start =
        "critical path of collective: 62 sends, each started by the end of the one before: ";
    assert!(told.starts_with(start) && told.contains(" us at host5)"), "{told}");
}

#[test]
fn a_late_trigger_lies_between_sends() {
    let late = "compute = \"100 us\"\n";
    let own = critical(&format!("{RING}algorithm = \"butterfly\"\n{late}")).unwrap();
    // Five rounds, and computing before each; the job begins with the first message.
    assert_eq!((own.sends, own.between_us), (5, 400.0));
    assert!(own.most.iter().all(|send| send.link.is_none()), "no map tells links: {own:?}");
}

#[test]
fn flows_that_wait_for_no_other_have_no_critical_path() {
    assert_eq!(critical(&flows(&[(0, 8), (1, 8)], "1 MiB")), None);
}
