//! EQDS and NDP: receivers hand out credit at the pace of their links.

use crate::common::agree::trouble;
use crate::common::{fat_tree, plan};
use raddle_schemes::congestion::{self, eqds, ndp};
use raddle_schemes::ids::HostId;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Time};
use raddle_sim::engine;
use raddle_sim::faults::PortChange;
use raddle_sim::plan::{Overflow, Plan};
use raddle_sim::record::{Outcome, Stop};
use raddle_sim::workload::Flow;

/// 4160 B at 400 Gbps.
const PACKET_US: f64 = 0.0832;

/// These flows on 16 hosts with queues that trim, credits as configured.
fn credited(flows: Vec<Flow>, config: eqds::Config) -> Plan {
    let mut plan = plan(fat_tree(2, 16), flows.into(), "ops", 1);
    plan.queue.overflow = Overflow::Trim;
    plan.transport.congestion = congestion::Config::Eqds(config);
    plan
}

/// 15 hosts send 256 packets each to host 0.
fn incast(config: eqds::Config) -> Plan {
    credited((1..16).map(|from| Flow::at_zero(from, 0, Bytes::mib(1))).collect(), config)
}

/// Both engines' outcome, which obeys the laws; every flow completes.
fn run(plan: &Plan) -> Outcome {
    assert_eq!(trouble(plan), None);
    let outcome = engine::run(plan, &mut ());
    assert_eq!(outcome.stop, Stop::Completed);
    outcome
}

#[test]
fn a_flow_alone_is_as_fast_as_one_at_a_fixed_rate_but_for_the_pace_of_its_credits() {
    let flow = vec![Flow::at_zero(0, 15, Bytes::mib(4))];
    let mut fixed = credited(flow.clone(), eqds::Config::default());
    fixed.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    let fixed = run(&fixed).end.as_us();
    for pull_rate in [0.99, 0.5] {
        // A round trip goes unsolicited; credits come 4 at a time.
        let plan = credited(flow.clone(), eqds::Config { pull_rate, ..Default::default() });
        let rtt = plan.fabric.base_rtt(HostId(0), HostId(15), plan.packet(), plan.transport.ack);
        let outcome = run(&plan);
        let slower = (1024.0 * PACKET_US - rtt.as_us()) * (1.0 / pull_rate - 1.0);
        let excess = outcome.end.as_us() - fixed - slower;
        assert!(excess.abs() < 6.0 * PACKET_US, "{pull_rate}: {excess}");
        assert_eq!(outcome.flows.at(0).sent, 1024);
        assert_eq!(outcome.credit_frames.dropped, 0);
    }
}

#[test]
fn an_incast_keeps_the_receiver_s_link_busy_and_its_senders_get_equal_shares() {
    let outcome = run(&incast(eqds::Config::default()));
    let bound = 15.0 * 256.0 * PACKET_US;
    let end = outcome.end.as_us();
    assert!((1.0..1.05).contains(&(end / bound)), "{end} over {bound}");
    let first = outcome.flows.iter().filter_map(|flow| flow.acked).min().unwrap();
    assert!(first.as_us() > 0.85 * end, "{first}");
    let lost: u64 = outcome.flows.iter().map(|flow| flow.dropped + flow.timeouts).sum();
    assert_eq!(lost, 0, "what overflows is trimmed");
}

#[test]
fn credited_packets_make_no_standing_queue_at_the_receiver() {
    let initial_window = Size::Packets(1.0);
    let mut plan = incast(eqds::Config { initial_window, ..Default::default() });
    plan.queue.size = Size::Unlimited;
    let outcome = run(&plan);
    let downlink = plan.fabric.ports[0].peer;
    let queue = outcome.ports[downlink.index()].queue_bytes_max / 4160;
    // The 15 first packets, and two pulls' worth where paths differ.
    assert!(queue <= 15 + 8, "{queue} packets");
    let bound = 15.0 * 256.0 * PACKET_US / 0.99;
    let end = outcome.end.as_us();
    assert!(end < bound + 15.0, "{end} over {bound}");
}

#[test]
fn lost_credits_requests_and_packets_are_made_up_for() {
    for lossy in [0, 15] {
        let mut plan = credited(
            vec![Flow::at_zero(0, 15, Bytes::mib(1)), Flow::at_zero(15, 0, Bytes::mib(1))],
            eqds::Config::default(),
        );
        // A tenth of what comes to this host: data, ACKs, pulls and requests.
        let loss = PortChange::Loss { probability: (1 << 32) / 10 };
        plan.faults.ports = vec![(plan.fabric.ports[lossy].peer, vec![(Time::ZERO, loss)])];
        let outcome = run(&plan);
        assert!(outcome.credit_frames.dropped > 0);
        assert!(outcome.flows.iter().any(|flow| flow.dropped > 0));
    }
}

#[test]
fn a_sender_whose_only_pull_is_lost_asks_for_it_again() {
    let config = eqds::Config { initial_window: Size::Packets(1.0), ..Default::default() };
    let mut plan = credited(vec![Flow::at_zero(0, 15, Bytes(2 * 4096))], config);
    // The first pull reaches host 0 within 10 us; the link works again before the first request.
    let loss = |probability| PortChange::Loss { probability };
    let changes = vec![(Time::ZERO, loss(1 << 32)), (Time(10_000_000), loss(0))];
    plan.faults.ports = vec![(plan.fabric.ports[0].peer, changes)];
    let outcome = run(&plan);
    assert_eq!(outcome.credit_frames.dropped, 1);
    assert!(outcome.end.as_us() > 20.0);
}

const WINDOW: u64 = 120;

/// These flows under NDP; windows that fill the path.
fn pulled(flows: Vec<Flow>, config: ndp::Config) -> Plan {
    let mut plan = credited(flows, eqds::Config::default());
    let initial_window = Size::Packets(WINDOW as f64);
    plan.transport.congestion = congestion::Config::Ndp(ndp::Config { initial_window, ..config });
    plan
}

/// 15 hosts send 256 packets each to host 0, with a pacer for the host or one for each flow.
fn pulled_incast(pacer: ndp::Pacer) -> Outcome {
    let flows = (1..16).map(|from| Flow::at_zero(from, 0, Bytes::mib(1))).collect();
    run(&pulled(flows, ndp::Config { pacer, ..Default::default() }))
}

fn trimmed(outcome: &Outcome) -> u64 {
    outcome.flows.iter().map(|flow| flow.trimmed).sum()
}

/// All windows arrive at once, of which the queue takes some and trims the rest; from then on a pull
/// goes for each packet's time on the link, so that nothing more is trimmed than the first windows. 15
/// pacers pull 15 packets in that time: nearly each of them is trimmed again and again.
#[test]
fn pulls_of_a_host_end_trimming_with_the_first_windows_and_those_of_flows_do_not() {
    let host = pulled_incast(ndp::Pacer::Host);
    let bound = 15.0 * 256.0 * PACKET_US;
    let end = host.end.as_us();
    assert!((1.0..1.05).contains(&(end / bound)), "{end} over {bound}");
    assert!(trimmed(&host) <= 15 * WINDOW, "{}", trimmed(&host));
    let flow = pulled_incast(ndp::Pacer::Flow);
    assert!(trimmed(&flow) > 4 * trimmed(&host), "{} {}", trimmed(&flow), trimmed(&host));
}

/// A window of 20 packets a round trip, whatever the link could carry.
#[test]
fn a_first_window_below_the_path_s_is_what_a_round_trip_carries() {
    let flows = vec![Flow::at_zero(0, 15, Bytes::mib(4))];
    let mut plan = pulled(flows, ndp::Config::default());
    plan.transport.congestion = congestion::Config::named("ndp").unwrap();
    let rtt = plan.fabric.base_rtt(HostId(0), HostId(15), plan.packet(), plan.transport.ack);
    let outcome = run(&plan);
    let rounds = outcome.end.as_us() / rtt.as_us();
    assert!((1024.0 / 20.0 - 1.0..1024.0 / 20.0 + 1.5).contains(&rounds), "{rounds}");
}

/// The only packet of a message is lost: 1 timeout later it comes again, without a pull.
#[test]
fn what_vanished_is_sent_again_when_its_timeout_ends() {
    let mut plan = pulled(vec![Flow::at_zero(0, 15, Bytes(4096))], ndp::Config::default());
    let loss = |probability| PortChange::Loss { probability };
    let changes = vec![(Time::ZERO, loss(1 << 32)), (Time(10_000_000), loss(0))];
    plan.faults.ports = vec![(plan.fabric.ports[15].peer, changes)];
    let outcome = run(&plan);
    let flow = outcome.flows.at(0);
    assert_eq!((flow.timeouts, flow.sent), (1, 2));
    assert_eq!(outcome.credit_frames.made, 0);
}
