//! The number of threads changes nothing but speed.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::{fat_tree, hash, permutation};
use raddle_schemes::family::{Plugin, Raw};
use raddle_schemes::ids::{Entropy, HostId, PortId};
use raddle_schemes::load_balance::host::{Config, Outgoing, PathSelector};
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_schemes::{Card, Cx, FlowContext, buffer, congestion};
use raddle_sim::engine::{self, Options};
use raddle_sim::faults::spec::{Direction, Effect, Fault, FaultPlan, Target};
use raddle_sim::plan::{BufferPlan, Connections, Overflow, Per, Pfc, Plan, Service};
use raddle_sim::record::{Observer, Outcome, PortRecord, Progress, RecordPlan, Stop};
use raddle_sim::topology::graph::parse_graph;
use raddle_sim::workload::{Flow, Start};
use std::cell::Cell;
use std::fmt::Write;

fn options(threads: u32) -> Options {
    Options { threads, width: None }
}

/// Everything but how many parts there were.
fn same(outcome: &Outcome, parts: u32) -> Outcome {
    assert_eq!(outcome.parts, parts);
    Outcome { parts: 1, ..outcome.clone() }
}

fn healthy() -> Plan {
    let mut plan = permutation(fat_tree(3, 16), Bytes::kib(512), "reps", 1);
    let ports = (0..plan.fabric.ports.len() as u32).map(PortId).collect();
    plan.record =
        RecordPlan { ports, bucket: Span::us(1), queue_means: true, ..Default::default() };
    plan
}

fn one_class() -> Plan {
    let mut plan = healthy();
    plan.queue.service = Service::Fifo;
    plan
}

fn trimming() -> Plan {
    let mut plan = healthy();
    plan.queue.overflow = Overflow::Trim;
    plan.queue.size = Size::Packets(8.0);
    plan
}

fn pfc() -> Plan {
    let mut plan = healthy();
    plan.traffic.flows.iter_mut().for_each(|flow| flow.destination = HostId(flow.source.0 / 8 * 8));
    plan.traffic.flows.retain(|flow| flow.source != flow.destination);
    let (xoff, xon) = (Size::Packets(4.0), Size::Packets(2.0));
    plan.queue.pfc = Some(Pfc { xoff, xon, ..Pfc::of_memory(Span::us(5)) });
    plan
}

/// A rack's hosts send to one, through memory that does not hold what they send.
fn shared_memory() -> Plan {
    let mut plan = pfc();
    plan.queue.pfc = None;
    plan.queue.size = Size::Unlimited;
    let policy = buffer::Config::named("dynamic_thresholds").unwrap();
    plan.buffer = Some(BufferPlan { size: Size::Packets(30.0), policy, per: Per::Switch });
    plan
}

fn classes() -> Plan {
    let mut plan = healthy();
    (plan.queue.service, plan.queue.classes) = (Service::Drr, 3);
    plan.queue.shares = vec![9_000, 5_000, 2_000];
    (0..).zip(&mut plan.traffic.flows).for_each(|(i, flow)| flow.class = i % 3);
    plan
}

/// Three classes of data, strictly one before the other.
fn priorities() -> Plan {
    let mut plan = classes();
    (plan.queue.service, plan.queue.shares) = (Service::Priority, vec![1; 3]);
    plan
}

/// Five messages per pair, of which three overlap.
fn connections() -> Plan {
    let mut plan = faults();
    plan.transport.connections = Connections::Pair;
    let first = plan.traffic.flows.clone();
    for round in [1, 2, 100, 200] {
        let start = Start::At(Time(round * 2_000_000));
        plan.traffic.flows.extend(first.iter().map(|flow| Flow { start, ..flow.clone() }));
    }
    plan
}

fn with_faults(mut plan: Plan, faults: Vec<Fault>) -> Plan {
    let faults = FaultPlan { faults, convergence: Some(Span::us(5)), ..FaultPlan::default() };
    let resolved = faults.resolve(&plan.fabric, &[], plan.seed).unwrap();
    (plan.faults, plan.routes) = (resolved.faults, resolved.routes);
    plan
}

fn link(name: &str, effect: Effect, from: Time, until: Option<Time>) -> Fault {
    let target = Target::Link { name: name.to_owned(), direction: Direction::Both };
    Fault { target, effect, windows: vec![(from, until)] }
}

fn faults() -> Plan {
    let us = |us: u64| Time(us * 1_000_000);
    let list = vec![
        link("tor0.up1", Effect::Down, us(3), Some(us(20))),
        link("agg2.up0", Effect::Down, us(6), None),
        link("tor5.up0", Effect::Loss(0.05), us(0), Some(us(40))),
        Fault {
            target: Target::Switch { name: "core3".to_owned() },
            effect: Effect::Down,
            windows: vec![(us(8), Some(us(30)))],
        },
    ];
    with_faults(healthy(), list)
}

/// Queues that pause the links before them, some of which go down meanwhile.
fn pfc_and_faults() -> Plan {
    let us = |us: u64| Time(us * 1_000_000);
    let list = vec![
        link("tor0.down0", Effect::Down, us(6), Some(us(9))),
        link("agg2.up0", Effect::Down, us(6), Some(us(30))),
        link("tor2.up1", Effect::Loss(0.05), us(0), Some(us(40))),
    ];
    with_faults(pfc(), list)
}

/// Eight switches in a ring with chords, two hosts at each.
fn graph() -> Plan {
    let mut text = String::new();
    for switch in 0..8 {
        let [next, across] = [(switch + 1) % 8, (switch + 3) % 8];
        let _ = writeln!(
            text,
            "switch s{switch}\nhost a{switch}\nhost b{switch}\n\
             link a{switch} s{switch} 400Gbps 500ns\nlink b{switch} s{switch} 400Gbps 700ns\n\
             link s{switch} s{next} 400Gbps 500ns\nlink s{switch} s{across} 200Gbps 900ns"
        );
    }
    permutation(parse_graph(&text).unwrap(), Bytes::kib(512), "reps", 1)
}

/// Hosts whose timers say when the next packet may go.
fn paced() -> Plan {
    let mut plan = healthy();
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    plan.transport.congestion.set("rate", Raw::Text("90 Gbps")).unwrap();
    plan
}

/// The link of one host's destination never comes back.
fn stalled() -> Plan {
    let mut plan = healthy();
    plan.patience = Span(777_000_000);
    with_faults(plan, vec![link("host9", Effect::Down, Time(4_000_000), None)])
}

#[test]
fn no_width_is_too_small() {
    let plan = healthy();
    let expected = engine::run(&plan, &mut ());
    for width in [0, 1, 9_999].map(Span) {
        let options = Options { threads: 1, width: Some(width) };
        assert!(engine::run_with(&plan, &options, &mut ()) == expected, "{width}");
    }
}

/// What each row of the matrix comes to: one hash for all threads and widths, watched or not. When
/// a change of results is meant, put the new numbers here (the test prints them).
const PINNED: &[(&str, u64)] = &[
    ("healthy", 17_496_531_611_851_147_115),
    ("one class", 5_690_668_031_548_768_578),
    ("trimming", 15_962_924_040_904_113_655),
    ("pfc", 2_825_934_069_006_005_955),
    ("shared memory", 2_407_050_945_383_009_954),
    ("classes", 4_229_452_792_774_324_142),
    ("priorities", 6_286_162_910_126_422_990),
    ("faults", 10_559_646_535_032_394_892),
    ("pfc and faults", 4_486_259_896_647_378_386),
    ("graph", 10_442_244_447_778_526_232),
    ("paced", 11_571_736_374_597_109_117),
    ("stalled", 15_579_614_518_018_907_132),
    ("connections", 10_476_000_740_757_204_911),
];

#[test]
fn every_number_of_threads_and_every_width_gives_the_same_outcome() {
    let mut hashes = Vec::new();
    let plans = [
        ("healthy", healthy()),
        ("one class", one_class()),
        ("trimming", trimming()),
        ("pfc", pfc()),
        ("shared memory", shared_memory()),
        ("classes", classes()),
        ("priorities", priorities()),
        ("faults", faults()),
        ("pfc and faults", pfc_and_faults()),
        ("graph", graph()),
        ("paced", paced()),
        ("stalled", stalled()),
        ("connections", connections()),
    ];
    for (name, mut plan) in plans {
        let expected = engine::run(&plan, &mut ());
        hashes.push((name, hash(&expected)));
        assert!(name != "trimming" || expected.ports.iter().any(|port| port.trimmed > 0));
        let pauses = |port: &PortRecord| port.pfc.as_ref().map_or(0, |pfc| pfc.pauses);
        assert!(!name.starts_with("pfc") || expected.ports.iter().any(|port| pauses(port) > 0));
        assert!(name != "shared memory" || expected.ports.iter().any(|port| port.dropped[0] > 0));
        let lossy = expected.ports.iter().any(|port| port.dropped_total() > 0);
        assert!(!name.ends_with("faults") || lossy);
        every_way_gives(&expected, &plan, name);
        // Where nobody watches the engine has shorter ways.
        plan.record = RecordPlan::default();
        let unwatched = engine::run(&plan, &mut ());
        assert_eq!(hash(&unwatched), hash(&expected), "{name}, watched or not");
        every_way_gives(&unwatched, &plan, name);
    }
    assert_eq!(hashes, PINNED);
}

fn every_way_gives(expected: &Outcome, plan: &Plan, name: &str) {
    for threads in [1, 2, 4] {
        for width in [None, Some(Span(333_333))] {
            let options = Options { threads, width };
            let outcome = engine::run_with(plan, &options, &mut ());
            let got = same(&outcome, threads);
            assert!(got == *expected, "{name}: {threads} threads, {width:?}");
            let (outcome, _) = engine::measure(plan, &options, &|| 0);
            assert!(same(&outcome, threads) == *expected, "{name} in turn: {threads} parts");
        }
    }
}

#[test]
fn a_stalled_run_names_the_same_flows_and_instant() {
    let plan = stalled();
    let expected = engine::run(&plan, &mut ());
    let Stop::Stalled(flows) = &expected.stop else { panic!("{:?}", expected.stop) };
    assert!(flows.len() == 2 && expected.end.0.is_multiple_of(777_000_000));
    for threads in [2, 3, 4] {
        let outcome = engine::run_with(&plan, &options(threads), &mut ());
        assert_eq!((&outcome.stop, outcome.end), (&expected.stop, expected.end));
    }
}

/// Notes all reports, and stops the run at one of them.
struct Witness {
    reports: Vec<[u64; 4]>,
    stop_at: usize,
}

impl Observer for Witness {
    fn progress(&mut self, progress: &Progress) -> bool {
        let Progress { now, packet_hops, flows_done, packets_acked } = *progress;
        self.reports.push([now.0, packet_hops, flows_done, packets_acked]);
        self.reports.len() < self.stop_at
    }
}

#[test]
fn the_caller_hears_the_same_and_stops_all_threads() {
    let mut plan = permutation(fat_tree(3, 16), Bytes::mib(16), "reps", 1);
    plan.patience = Span::us(50);
    let run = |threads, stop_at| {
        let mut witness = Witness { reports: Vec::new(), stop_at };
        let outcome = engine::run_with(&plan, &options(threads), &mut witness);
        (witness.reports, same(&outcome, threads))
    };
    let (reports, whole) = run(1, usize::MAX);
    assert!(reports.len() > 2 && reports.is_sorted() && whole.stop == Stop::Completed);
    let (_, interrupted) = run(1, 2);
    assert!(interrupted.stop == Stop::Interrupted && interrupted.end < whole.end);
    assert!(interrupted.in_flight_data > 0);
    for threads in [2, 4] {
        assert!(run(threads, usize::MAX) == (reports.clone(), whole.clone()));
        assert!(run(threads, 2) == (reports[..2].to_vec(), interrupted.clone()));
    }
}

const FAILING: Card = Card {
    name: "failing",
    title: "Fails in the last hosts",
    paper: "-",
    needs: &[],
    summary: "Panics at its tenth packet.",
};

struct Failing {
    left: u32,
}

impl PathSelector for Failing {
    fn next_path(&mut self, _cx: &mut Cx<'_>, _packet: &Outgoing) -> Entropy {
        self.left -= 1;
        assert!(self.left > 0, "on purpose");
        Entropy(1)
    }
}

/// It neither hangs nor comes back with an outcome.
#[test]
fn a_panic_in_any_part_ends_the_run_with_it() {
    type Build = fn(&FlowContext) -> Box<dyn PathSelector + Send>;
    let builds: [Build; 2] = [
        |context| Box::new(Failing { left: if context.source.0 == 0 { 10 } else { u32::MAX } }),
        |context| Box::new(Failing { left: if context.source.0 == 15 { 10 } else { u32::MAX } }),
    ];
    for build in builds {
        let mut plan = healthy();
        plan.transport.load_balance = Config::Custom(Plugin::new(&FAILING, build));
        let run = || engine::run_with(&plan, &options(4), &mut ());
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"on purpose"));
    }
}

#[test]
fn a_fabric_has_as_many_parts_as_it_can_be_cut_into() {
    let mut plan = healthy();
    let shape = raddle_sim::topology::dumbbell::Dumbbell {
        hosts_per_side: 8,
        rate: raddle_schemes::units::Rate::gbps(400),
        link_delay: Span::ns(500),
        bottleneck_rate: raddle_schemes::units::Rate::gbps(400),
        bottleneck_delay: Span::ns(500),
        switch_delay: Span::ns(500),
    };
    plan.fabric = shape.build().unwrap();
    plan.routes = vec![(Time::ZERO, plan.fabric.forwarding.clone())];
    plan.record = RecordPlan::default();
    assert_eq!(engine::run_with(&plan, &options(16), &mut ()).parts, 2);
    assert_eq!(engine::run_with(&plan, &options(0), &mut ()).parts, 1);
}

#[test]
fn the_critical_path_is_the_slowest_part_of_each_window() {
    // A clock that counts how often it is looked at: every part takes one tick per window.
    let ticks = Cell::new(0);
    let clock = || {
        ticks.set(ticks.get() + 1);
        ticks.get()
    };
    let (outcome, cost) = engine::measure(&healthy(), &options(4), &clock);
    assert_eq!((outcome.parts, cost.parts), (4, 4));
    assert!(cost.windows > 10);
    assert_eq!(cost.longest, cost.windows + 1);
    assert_eq!(cost.total, 4 * cost.longest);
}
