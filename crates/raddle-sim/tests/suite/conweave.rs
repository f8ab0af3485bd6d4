//! ConWeave in a fabric.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::{completed, plan, sent};
use raddle_schemes::load_balance::switch;
use raddle_schemes::recovery;
use raddle_schemes::size::Size;
use raddle_schemes::tor::{self, conweave};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::faults::spec::{Direction, Effect, Fault, FaultPlan, RateTo, Target};
use raddle_sim::plan::Plan;
use raddle_sim::topology::Fabric;
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::Flow;

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
