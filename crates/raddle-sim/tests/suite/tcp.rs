//! TCP's recovery behind a deep queue: what is sent again is what was lost.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::{completed, plan};
use raddle_schemes::congestion::cubic;
use raddle_schemes::recovery::tcp;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span};
use raddle_schemes::{congestion, marking, recovery};
use raddle_sim::plan::Plan;
use raddle_sim::record::Outcome;
use raddle_sim::topology::dumbbell::Dumbbell;
use raddle_sim::workload::Flow;

/// Two flows of 50 MB to one host of 10 Gbps, packets of 1464 B, a queue of 1 MB: ten round trips.
fn two_flows(scheme: &str, recovery: recovery::Config) -> Plan {
    let shape = Dumbbell {
        hosts_per_side: 2,
        rate: Rate::gbps(10),
        link_delay: Span::us(10),
        bottleneck_rate: Rate::gbps(40),
        bottleneck_delay: Span::us(10),
        switch_delay: Span::ZERO,
    };
    let flows = [0, 1].map(|source| Flow::at_zero(source, 2, Bytes(50_000_000)));
    let mut plan = plan(shape.build().unwrap(), flows.to_vec().into(), "ecmp", 1);
    (plan.transport.payload, plan.transport.header) = (Bytes(1400), Bytes(64));
    plan.queue.size = Size::Bytes(Bytes(1_000_000));
    plan.queue.marking = marking::Config::named("none").unwrap();
    plan.transport.congestion = congestion::Config::named(scheme).unwrap();
    plan.transport.recovery = recovery;
    plan.patience = Span::ms(2000);
    plan
}

/// Packets sent again, packets dropped, timeouts, milliseconds.
fn told(outcome: &Outcome) -> (u64, u64, u64, f64) {
    let flows = || outcome.flows.iter();
    let last = flows().map(|flow| flow.delivered.unwrap().as_us()).fold(0.0, f64::max);
    (
        flows().map(|flow| flow.retransmitted).sum(),
        flows().map(|flow| flow.dropped).sum(),
        flows().map(|flow| flow.timeouts).sum(),
        last / 1000.0,
    )
}

fn profile(profile: tcp::Profile) -> recovery::Config {
    recovery::Config::Tcp(tcp::Config { profile, ..Default::default() })
}

/// 71,430 packets of 1464 B at 10 Gbps: 83.66 ms, and the way of the first.
const BOUND_MS: f64 = 83.66;

#[test]
fn behind_a_deep_queue_what_is_sent_again_is_what_was_lost_and_the_link_is_never_idle() {
    for scheme in ["cubic", "dctcp"] {
        let outcome = completed(&two_flows(scheme, profile(tcp::Profile::Modern)));
        let (again, dropped, timeouts, ms) = told(&outcome);
        assert!(dropped > 0, "{scheme}");
        assert_eq!((again, timeouts), (dropped, 0), "{scheme}");
        assert!((BOUND_MS..BOUND_MS * 1.01).contains(&ms), "{scheme}: {ms}");
    }
}

/// What is sent again and lost again waits for the timeout there, after which all goes again.
#[test]
fn in_ns3_a_lost_retransmission_costs_a_timeout_and_hystart_loses_little() {
    let ns3 = || profile(tcp::Profile::Ns3);
    let (again, dropped, timeouts, _) = told(&completed(&two_flows("cubic", ns3())));
    assert!(timeouts > 0 && again > dropped, "{again} {dropped} {timeouts}");
    let mut plan = two_flows("cubic", ns3());
    let profile = cubic::Profile::Ns3;
    plan.transport.congestion =
        congestion::Config::Cubic(cubic::Config { profile, ..Default::default() });
    let (again, with_hystart, timeouts, ms) = told(&completed(&plan));
    assert_eq!((again, timeouts), (with_hystart, 0));
    assert!(with_hystart * 10 < dropped, "{with_hystart} {dropped}");
    assert!((BOUND_MS..BOUND_MS * 1.01).contains(&ms), "{ms}");
}

/// What there was before: a packet that only waits is sent again and again.
#[test]
fn a_reorder_threshold_by_unloaded_round_trips_sends_twice_what_was_lost() {
    let sack = recovery::sack::Config { reorder_threshold: Some(3), ..Default::default() };
    let plan = two_flows("cubic", recovery::Config::Sack(sack));
    let (again, dropped, _, ms) = told(&completed(&plan));
    assert!(again > 2 * dropped && ms > BOUND_MS * 1.1, "{again} {dropped} {ms}");
}

/// A timer finds the last packets in flight lost, and no ACK comes to let another leave.
#[test]
fn an_incast_ends_though_a_timer_finds_all_in_flight_lost() {
    let shape = Dumbbell {
        hosts_per_side: 64,
        rate: Rate::gbps(100),
        link_delay: Span::us(1),
        bottleneck_rate: Rate::gbps(6400),
        bottleneck_delay: Span::us(1),
        switch_delay: Span::ZERO,
    };
    let flows: Vec<Flow> = (0..64).map(|i| Flow::at_zero(i, 64, Bytes::kib(256))).collect();
    for scheme in ["cubic", "dctcp"] {
        let mut plan = plan(shape.build().unwrap(), flows.clone().into(), "ecmp", 1);
        plan.queue.size = Size::Packets(25.0);
        plan.transport.congestion = congestion::Config::named(scheme).unwrap();
        plan.transport.recovery = profile(tcp::Profile::Modern);
        plan.patience = Span::ms(2000);
        completed(&plan);
    }
}
