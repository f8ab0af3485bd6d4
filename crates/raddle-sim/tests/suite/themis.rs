//! Themis in a fabric.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::{completed, plan, sent};
use raddle_schemes::congestion::{self, dcqcn};
use raddle_schemes::load_balance::{host, switch};
use raddle_schemes::recovery::{self, rnic_sr};
use raddle_schemes::size::Size;
use raddle_schemes::tor::{self, themis};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::engine;
use raddle_sim::faults::spec::{Direction, Effect, Fault, FaultPlan, Target};
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use raddle_sim::topology::Fabric;
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::Flow;

fn themis(fabric: Fabric, flows: Vec<Flow>) -> Plan {
    let mut plan = plan(fabric, flows.into(), "ecmp", 1);
    plan.tor = Some(tor::Config::Themis(themis::Config::default()));
    plan
}

/// Spec, section 5.2: the loads of a flow's paths differ by a packet at most.
#[test]
fn in_two_tiers_it_spreads_evenly_by_number() {
    let link = Span::ns(500);
    let shape = TreeShape::leaf_spine(2, 4, 4, 1, Rate::gbps(400), link, link).unwrap();
    let flows = (0..4).map(|i| Flow::at_zero(i, 4 + i, Bytes(402 * 4096))).collect();
    let plan = themis(shape.build().unwrap(), flows);
    let outcome = completed(&plan);
    let ups = sent(&plan, &outcome, "tor0.up");
    assert_eq!(ups.iter().sum::<u64>(), 4 * 402);
    assert!(ups.iter().all(|up| (400..=404).contains(up)), "{ups:?}");
}

/// Spec, section 2.13: for a fixed flow each pair of aggregation and core switch takes as many.
#[test]
fn in_three_tiers_the_path_map_reaches_every_core_alike() {
    let link = Span::ns(500);
    let shape = TreeShape::fat_tree(3, 128, Rate::gbps(400), link, link).unwrap();
    let mut plan = themis(shape.build().unwrap(), vec![Flow::at_zero(0, 127, Bytes(160 * 4096))]);
    plan.switch_load_balance = switch::Config::named("ecmp_linear").unwrap();
    let outcome = completed(&plan);
    let downs: Vec<u64> = sent(&plan, &outcome, "core").into_iter().filter(|n| *n > 0).collect();
    assert_eq!(downs, [10; 16]);
    // Between racks of a pod there are four paths.
    plan.traffic = vec![Flow::at_zero(0, 5, Bytes(160 * 4096))].into();
    let outcome = completed(&plan);
    assert_eq!(sent(&plan, &outcome, "tor0.up"), [40; 4]);
}

/// Two racks of one host and four spines, close together; `packets` from the first host to the second
/// by NICs with selective repeat.
fn across(packets: u64) -> Plan {
    let near = Span::ns(10);
    let shape = TreeShape::leaf_spine(2, 1, 4, 1, Rate::gbps(400), near, Span::ZERO).unwrap();
    let flow = Flow::at_zero(0, 1, Bytes(packets * 4096));
    let mut plan = themis(shape.build().unwrap(), vec![flow]);
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    let nic = rnic_sr::Config { window: 16, ..rnic_sr::Config::default() };
    plan.transport.recovery = recovery::Config::RnicSr(nic);
    plan
}

/// The trace of spec section 2.12, as section 0 has it: the path of packet 2 dies before packet 6.
/// Packets 6, 10, 14 and 18 are lost, each is asked for once, and both packets of a NACK are sent
/// again; packets 22 and 26 and the copy of 26 take other paths. Nothing waits for a timeout.
#[test]
fn a_dead_path_costs_a_nack_for_each_packet_lost_and_no_timeout() {
    let whole = across(3);
    let outcome = completed(&whole);
    let idle = sent(&whole, &outcome, "tor0.up").iter().position(|sent| *sent == 0).unwrap();
    let dead = (idle + 3) % 4;
    let mut plan = across(30);
    let rules =
        themis::Config { window: 16, ooo_threshold: 12, avoidance_window: 3, ..Default::default() };
    plan.tor = Some(tor::Config::Themis(rules.clone()));
    let faults = FaultPlan {
        faults: vec![Fault {
            target: Target::Link { name: format!("tor0.up{dead}"), direction: Direction::Out },
            effect: Effect::Down,
            windows: vec![(Time::ZERO + Span::ns(400), None)],
        }],
        ..FaultPlan::default()
    };
    plan.faults = faults.resolve(&plan.fabric, &[], 1).unwrap().faults;
    let outcome = completed(&plan);
    let flow = outcome.flows.at(0);
    assert_eq!((flow.dropped, flow.retransmitted, flow.timeouts), (4, 8, 0), "{flow:?}");
    assert_eq!(sent(&plan, &outcome, &format!("tor0.up{dead}")), [1]);
    // The first NACK says to avoid the path; without that the window stands until a timeout.
    plan.tor = Some(tor::Config::Themis(themis::Config { failure_handling: false, ..rules }));
    plan.end = Some(Time::ZERO + Span::ms(40));
    assert_eq!(trouble(&plan), None);
    let outcome = engine::run(&plan, &mut ());
    assert!(outcome.flows.at(0).timeouts > 0 && outcome.flows.at(0).acked.is_none());
}

/// Spec, section 6, item 16: without loss no NACK reaches a sender, whatever the reordering; with
/// hosts that spray some do.
#[test]
fn without_loss_no_nack_passes() {
    let link = Span::ns(500);
    let fabric = || TreeShape::leaf_spine(4, 4, 4, 1, Rate::gbps(100), link, link).unwrap();
    // One ring between racks, at different distances: queues differ from path to path.
    let flows =
        |own: u32| (0..16).map(move |i| Flow::at_zero(i, (i + 4 * own) % 16, Bytes(1 << 20)));
    let mut plan = themis(fabric().build().unwrap(), flows(1).chain(flows(2)).collect());
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    plan.transport.recovery = recovery::Config::named("rnic_sr").unwrap();
    plan.queue.size = Size::Unlimited;
    let outcome = completed(&plan);
    let again = |outcome: &Outcome| (0..32).map(|i| outcome.flows.at(i).retransmitted).sum::<u64>();
    assert_eq!(again(&outcome), 0);
    assert!(outcome.tors.iter().any(|tor| tor.dropped > 0), "NICs do ask");
    plan.tor = None;
    plan.transport.load_balance = host::Config::named("ops").unwrap();
    assert!(again(&completed(&plan)) > 0);
}

/// A packet is lost whose NACK comes before the next of its path, so that the receiver's ToR makes the
/// NACK that the sender hears. Where every NACK passes whose packet has not, it is the NIC's.
#[test]
fn what_a_tor_asks_for_is_told_from_what_a_nic_asks_for() {
    let mut plan = across(40);
    let faults = (0..4).map(|up| Fault {
        target: Target::Link { name: format!("tor0.up{up}"), direction: Direction::Out },
        effect: Effect::Down,
        windows: vec![(Time::ZERO + Span::ns(400), Some(Time::ZERO + Span::ns(450)))],
    });
    let faults = FaultPlan { faults: faults.collect(), ..FaultPlan::default() };
    plan.faults = faults.resolve(&plan.fabric, &[], 1).unwrap().faults;
    let took = |plan: &mut Plan, on_loss, losses| {
        let config = dcqcn::Config {
            profile: dcqcn::Profile::Themis,
            on_loss,
            losses,
            ..dcqcn::Config::default()
        };
        plan.transport.congestion = congestion::Config::Dcqcn(config);
        let outcome = completed(plan);
        let flow = outcome.flows.at(0);
        assert!(flow.dropped > 0, "{flow:?}");
        flow.acked.unwrap()
    };
    let (cnp, none) = (dcqcn::OnLoss::Cnp, dcqcn::OnLoss::None);
    let [nacks, nic_nacks] = [dcqcn::Losses::Nacks, dcqcn::Losses::NicNacks].map(Some);
    assert!(took(&mut plan, cnp, nacks) > took(&mut plan, cnp, nic_nacks));
    let rules = themis::Config { same_path: false, ..themis::Config::default() };
    plan.tor = Some(tor::Config::Themis(rules));
    assert!(took(&mut plan, cnp, nic_nacks) > took(&mut plan, none, None));
    assert_eq!(took(&mut plan, cnp, nacks), took(&mut plan, cnp, nic_nacks));
}
