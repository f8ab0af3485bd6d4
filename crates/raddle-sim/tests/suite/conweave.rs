//! ConWeave in a fabric.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::{completed, plan, sent};
use raddle_schemes::congestion::dcqcn;
use raddle_schemes::load_balance::switch::{self, letflow};
use raddle_schemes::marking::{self, red};
use raddle_schemes::size::Size;
use raddle_schemes::tor::{self, conga, conweave};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{congestion, recovery};
use raddle_sim::engine;
use raddle_sim::faults::spec::{Direction, Effect, Fault, FaultPlan, RateTo, Target};
use raddle_sim::plan::Plan;
use raddle_sim::record::Stop;
use raddle_sim::topology::Fabric;
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::Flow;
use raddle_sim::workload::law::{Law, Sampling};
use raddle_sim::workload::poisson::{LoadBase, Poisson, Receivers};

const MESSAGE: Bytes = Bytes(400 * 4096);

/// A flow from the first host to the last whose NICs take only what comes in order.
fn across(fabric: Fabric, seed: u64) -> Plan {
    let flow = Flow::at_zero(0, fabric.hosts - 1, MESSAGE);
    let mut plan = plan(fabric, vec![flow].into(), "ecmp", seed);
    plan.queue.size = Size::Unlimited;
    plan.transport.recovery = recovery::Config::named("go_back_n").unwrap();
    plan.tor = Some(tor::Config::ConWeave(conweave::Config::default()));
    plan
}

fn slow(plan: &mut Plan, links: &[&str]) {
    let fault = |name: &&str| Fault {
        target: Target::Link { name: (*name).to_owned(), direction: Direction::In },
        effect: Effect::Rate { to: RateTo::Factor(0.25), scale: false },
        windows: vec![(Time::ZERO, None)],
    };
    let faults = FaultPlan { faults: links.iter().map(fault).collect(), ..FaultPlan::default() };
    plan.faults = faults.resolve(&plan.fabric, &[], 1).unwrap().faults;
}

fn two_tiers() -> Fabric {
    let link = Span::ns(500);
    let shape = TreeShape::leaf_spine(2, 1, 2, 1, Rate::gbps(100), link, link).unwrap();
    shape.build().unwrap()
}

/// The way down from the first spine is slow. A flow that begins there leaves it after one round trip,
/// wherever it begins its receiver's NIC sees every packet in order, and it may hold back what
/// overtakes.
#[test]
fn a_flow_leaves_a_slow_path_and_its_packets_stay_in_order() {
    let mut began_slowly = 0;
    for seed in 1..9 {
        let mut plan = across(two_tiers(), seed);
        slow(&mut plan, &["tor1.up0"]);
        let outcome = completed(&plan);
        let flow = outcome.flows.at(0);
        assert_eq!((flow.refused, flow.retransmitted), (0, 0), "{flow:?}");
        let ups = sent(&plan, &outcome, "tor0.up");
        let held = outcome.tors.iter().map(|tor| tor.held_max).max().unwrap();
        if ups[0] > 0 {
            began_slowly += 1;
            assert!(ups[0] < 200, "{ups:?}");
            assert!(held > 0);
        }
    }
    assert!((1..8).contains(&began_slowly), "{began_slowly}");
}

/// Where nothing is slow nobody moves: replies come in time, one per epoch, and nothing is held.
#[test]
fn a_flow_alone_stays_on_its_path() {
    let plan = across(two_tiers(), 1);
    let outcome = completed(&plan);
    let mut ups = sent(&plan, &outcome, "tor0.up");
    ups.sort_unstable();
    assert_eq!(ups, [0, 400]);
    let tors = &outcome.tors;
    assert!(tors.iter().all(|tor| tor.held_max == 0));
    // Each message that the receiver's ToR sends is taken off the wire at the sender's.
    let replies: u64 = tors.iter().map(|tor| tor.sent).sum();
    assert_eq!(replies, tors.iter().map(|tor| tor.dropped).sum());
    // 400 packets of 4160 B at 100 Gbit/s take 133 us, and a round trip between ToRs 4 us and what
    // frames take on the wire: up to 33 epochs.
    assert!((15..=33).contains(&replies), "{replies}");
}

/// In three tiers a path is a pair of switches, reached through the entropy, which NICs get back as it
/// was.
#[test]
fn in_three_tiers_it_names_paths_by_the_path_map() {
    let link = Span::ns(500);
    let shape = TreeShape::fat_tree(3, 128, Rate::gbps(100), link, link).unwrap();
    let mut plan = across(shape.build().unwrap(), 3);
    plan.switch_load_balance = switch::Config::named("ecmp_linear").unwrap();
    // A reply is never in time.
    let late = conweave::Config { reply_extra: Span(0), ..conweave::Config::default() };
    plan.tor = Some(tor::Config::ConWeave(late));
    let outcome = completed(&plan);
    let flow = outcome.flows.at(0);
    assert_eq!((flow.refused, flow.retransmitted), (0, 0), "{flow:?}");
    let downs = sent(&plan, &outcome, "core").into_iter().filter(|n| *n > 0).count();
    assert!(downs > 4, "{downs}");
}

/// Mean and 99th percentile of slowdowns: the time to the last ACK over that of an idle fabric.
fn slowdowns(plan: &Plan) -> [f64; 2] {
    let outcome = engine::run(plan, &mut ());
    assert_eq!(outcome.stop, Stop::Completed);
    let (packet, ack) = (plan.packet(), plan.transport.ack);
    let header = plan.transport.header.0;
    let alone = |flow: &Flow| {
        let packets = flow.bytes.0.div_ceil(plan.transport.payload.0);
        let wire = Bytes(flow.bytes.0 + packets * header);
        let first = Bytes(wire.0.min(packet.0));
        let rate = plan.fabric.ports[flow.source.index()].rate;
        plan.fabric.base_rtt(flow.source, flow.destination, first, ack)
            + rate.serialisation(Bytes(wire.0 - first.0))
    };
    let slowdown = |(i, flow): (usize, &Flow)| {
        let record = outcome.flows.at(i);
        let took = record.acked.unwrap() - record.started.unwrap();
        took.0 as f64 / alone(flow).0 as f64
    };
    let mut all: Vec<f64> = plan.traffic.flows.iter().enumerate().map(slowdown).collect();
    all.sort_unstable_by(f64::total_cmp);
    [all.iter().sum::<f64>() / all.len() as f64, all[all.len() * 99 / 100]]
}

/// The comparison that the simulator of ConWeave's authors comes with: 128 hosts with half the bandwidth
/// above the ToRs, the sizes of a storage cluster at half load, DCQCN and timeouts with their
/// parameters. Theirs is lossless by PFC, ours by queues without a limit. Slowdowns of ECMP, LetFlow,
/// CONGA and ConWeave.
fn at_half_load(until: Span, seed: u64) -> [[f64; 2]; 4] {
    let law = include_str!("../../../../data/laws/alistorage2019.csv");
    let traffic = Poisson {
        law: Law::from_csv(law).unwrap(),
        sampling: Sampling::Linear,
        load: 0.5,
        base: LoadBase::TorUplink,
        senders: None,
        receivers: Receivers::Any,
        destinations: None,
        horizon: Time::ZERO + until,
        at_least: Bytes(0),
        below: None,
    };
    let link = Span::us(1);
    let shape = TreeShape::leaf_spine(8, 16, 8, 1, Rate::gbps(100), link, Span::ZERO).unwrap();
    let fabric = shape.build().unwrap();
    let flows = traffic.generate(&fabric, seed).unwrap();
    let mut plan = plan(fabric, flows, "ecmp", seed);
    let [low, high] = [100_000, 400_000].map(|bytes| Size::Bytes(Bytes(bytes)));
    plan.queue.size = Size::Unlimited;
    plan.queue.marking = marking::Config::Red(red::Config { low, high, most: 0.2 });
    (plan.transport.payload, plan.transport.header) = (Bytes(1000), Bytes(48));
    plan.transport.recovery = recovery::Config::named("go_back_n").unwrap();
    plan.transport.congestion = congestion::Config::Dcqcn(dcqcn::Config {
        profile: dcqcn::Profile::Hpcc,
        increase_interval: Some(Span::us(300)),
        increase: Some(Rate(40_000_000)),
        hyper_increase: Some(Rate(100_000_000)),
        ..dcqcn::Config::default()
    });
    let timeout = Span::us(100);
    let flowlets = letflow::Config {
        timeout,
        detection: letflow::Detection::Exact,
        ..letflow::Config::default()
    };
    let letflow = switch::Config::LetFlow(flowlets);
    let time_constant = Span::us(250);
    let conga = tor::Config::Conga(conga::Config { timeout, time_constant, ..Default::default() });
    let conweave = tor::Config::ConWeave(conweave::Config::default());
    let plans = [
        plan.clone(),
        Plan { switch_load_balance: letflow, ..plan.clone() },
        Plan { tor: Some(conga), ..plan.clone() },
        Plan { tor: Some(conweave), ..plan },
    ];
    std::thread::scope(|scope| {
        let runs = plans.each_ref().map(|plan| scope.spawn(|| slowdowns(plan)));
        runs.map(|run| run.join().unwrap())
    })
}

/// Spec of Themis, last section: a rerun of that comparison (of 100 ms) gives mean slowdowns of 1.94
/// for ECMP and 1.47 for ConWeave and 99th percentiles of 10.9 and 5.4; about 10 % are to be expected.
/// Ours of 5 ms were 1.86 and 1.47, 10.3 and 5.3 when this was written, and 1.79 and 1.54, 8.8 and 6.7
/// for LetFlow and CONGA.
#[test]
fn at_half_load_slowdowns_are_those_of_its_authors_simulator() {
    let [ecmp, letflow, conga, conweave] = at_half_load(Span::ms(5), 1);
    let all = format!("{ecmp:.3?} {letflow:.3?} {conga:.3?} {conweave:.3?}");
    let near = |ours: f64, theirs: f64| (ours / theirs - 1.0).abs() < 0.1;
    assert!(near(ecmp[0], 1.94) && near(ecmp[1], 10.9), "{all}");
    assert!(near(conweave[0], 1.47) && near(conweave[1], 5.4), "{all}");
    for i in 0..2 {
        assert!(conweave[i] < conga[i] && conga[i] < letflow[i] && letflow[i] < ecmp[i], "{all}");
    }
}
