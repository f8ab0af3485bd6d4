//! Homa: receivers grant the shortest messages, and each packet has a data class of its own.

use crate::common::agree::trouble;
use crate::common::{fat_tree, plan};
use raddle_schemes::congestion::{self, homa};
use raddle_schemes::recovery::{self, sack};
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Span, Time};
use raddle_sim::engine;
use raddle_sim::faults::PortChange;
use raddle_sim::plan::{Plan, Turns};
use raddle_sim::record::{Outcome, Stop};
use raddle_sim::workload::Flow;

/// 4160 B at 400 Gbps.
const PACKET_US: f64 = 0.0832;

/// These flows on 16 hosts, whose queues have seven data classes without a limit.
fn granted(flows: Vec<Flow>, config: homa::Config) -> Plan {
    let mut plan = plan(fat_tree(2, 16), flows.into(), "ops", 1);
    plan.queue.classes = 7;
    plan.queue.size = Size::Unlimited;
    plan.transport.congestion = congestion::Config::Homa(config);
    let rto = Some(Span::ms(5));
    plan.transport.recovery = recovery::Config::Sack(sack::Config { rto, ..Default::default() });
    plan
}

/// Both engines' outcome, which obeys the laws; every flow completes.
fn run(plan: &Plan) -> Outcome {
    assert_eq!(trouble(plan), None);
    let outcome = engine::run(plan, &mut ());
    assert_eq!(outcome.stop, Stop::Completed);
    outcome
}

/// 15 hosts send so many packets each to host 0.
fn incast(packets: impl Fn(u32) -> u64) -> Vec<Flow> {
    (1..16).map(|from| Flow::at_zero(from, 0, Bytes(packets(from) * 4096))).collect()
}

#[test]
fn a_message_alone_takes_as_long_as_one_that_needs_no_grants() {
    let flow = vec![Flow::at_zero(0, 15, Bytes::mib(4))];
    let outcome = run(&granted(flow.clone(), homa::Config::default()));
    let mut fixed = granted(flow, homa::Config::default());
    fixed.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    let excess = outcome.end.as_us() - run(&fixed).end.as_us();
    // RTTbytes are a round trip's worth, and each packet lets one more go.
    assert!((0.0..4.0 * PACKET_US).contains(&excess), "{excess}");
    let window = 1024 - outcome.credit_frames.made;
    assert!((20..200).contains(&window), "a grant for each packet beyond RTTbytes, {window}");
}

#[test]
fn the_shortest_of_an_incast_end_first_whatever_the_overcommitment() {
    for overcommitment in [Some(1), None] {
        // Messages that wait in low classes are silent for longer than 50 us and not lost.
        let resend = Some(Span::ms(5));
        let config = homa::Config { overcommitment, resend, ..Default::default() };
        let outcome = run(&granted(incast(|from| 100 + 100 * u64::from(from)), config));
        let ends: Vec<_> = outcome.flows.iter().map(|flow| flow.delivered.unwrap()).collect();
        // The first of them end while everybody's unscheduled packets drain, which go above theirs.
        assert!(ends[3..].is_sorted(), "{ends:?}");
        assert!(ends[..3].iter().all(|end| *end < ends[3]), "{ends:?}");
        let bound = (1..=15).map(|from| 100.0 + 100.0 * f64::from(from)).sum::<f64>() * PACKET_US;
        let end = outcome.end.as_us();
        assert!((1.0..1.05).contains(&(end / bound)), "{end} over {bound}");
    }
}

/// Beyond the first round trip of all senders, one granted message keeps about a round trip's worth on
/// its way, and n of them n.
#[test]
fn an_overcommitment_of_n_makes_n_round_trips_worth_of_queue() {
    let queue = |overcommitment| {
        let config = homa::Config {
            rtt_bytes: Size::Packets(20.0),
            overcommitment: Some(overcommitment),
            ..Default::default()
        };
        let plan = granted(incast(|_| 1000), config);
        let downlink = plan.fabric.ports[0].peer;
        run(&plan).ports[downlink.index()].queue_bytes_max / 4160
    };
    let [one, four, all] = [1, 4, 15].map(queue);
    // 15 times 20 unscheduled packets, of which each that comes lets one more go.
    assert!(one <= four && four <= all, "{one} {four} {all}");
    assert!((200..=320).contains(&one), "{one}");
}

#[test]
fn a_short_message_overtakes_long_ones_that_wait_in_lower_classes() {
    let mut flows = incast(|_| 500);
    flows.push(Flow {
        start: raddle_sim::workload::Start::At(Time(60_000_000)),
        ..Flow::at_zero(1, 0, Bytes(4096))
    });
    let time = |classes| {
        let mut plan = granted(flows.clone(), homa::Config::default());
        plan.queue.classes = classes;
        let flow = run(&plan).flows.at(15);
        flow.delivered.unwrap().as_us() - flow.started.unwrap().as_us()
    };
    let (in_classes, in_one) = (time(7), time(1));
    assert!(in_classes < 8.0 && in_one > 2.0 * in_classes, "{in_classes} {in_one}");
}

#[test]
fn lost_grants_requests_and_packets_are_made_up_for_long_before_the_timeout() {
    for lossy in [0, 15] {
        let mut plan = granted(
            vec![Flow::at_zero(0, 15, Bytes::mib(1)), Flow::at_zero(15, 0, Bytes::mib(1))],
            homa::Config { resend: Some(Span::us(20)), ..Default::default() },
        );
        let rto = Some(Span::ms(500));
        plan.transport.recovery =
            recovery::Config::Sack(sack::Config { rto, ..Default::default() });
        plan.patience = Span::ms(2_000);
        let loss = PortChange::Loss { probability: (1 << 32) / 50 };
        plan.faults.ports = vec![(plan.fabric.ports[lossy].peer, vec![(Time::ZERO, loss)])];
        let outcome = run(&plan);
        assert!(outcome.flows.iter().any(|flow| flow.dropped > 0 && flow.retransmitted > 0));
        let delivered = outcome.flows.iter().filter_map(|flow| flow.delivered).max().unwrap();
        assert!(delivered.as_us() < 5_000.0, "{delivered}");
    }
}

/// Section 3.2: a sender sends its shortest message first. Three messages of 500 packets share the wire
/// with one of 50 that comes later: it takes its turns with them, or has the wire to itself.
#[test]
fn a_sender_sends_its_shortest_message_first_if_told_so() {
    let mut flows: Vec<Flow> = (1..4).map(|to| Flow::at_zero(0, to, Bytes(500 * 4096))).collect();
    flows.push(Flow {
        start: raddle_sim::workload::Start::At(Time(2_000_000)),
        ..Flow::at_zero(0, 15, Bytes(50 * 4096))
    });
    let time = |turns| {
        let mut plan = granted(flows.clone(), homa::Config::default());
        plan.transport.turns = turns;
        let flow = run(&plan).flows.at(3);
        flow.delivered.unwrap().as_us() - flow.started.unwrap().as_us()
    };
    let (shortest, round) = (time(Turns::Shortest), time(Turns::RoundRobin));
    let wire = 50.0 * PACKET_US;
    assert!((wire..wire + 4.0).contains(&shortest), "{shortest}");
    assert!((4.0 * wire..4.0 * wire + 4.0).contains(&round), "{round}");
}

/// Section 3.4: unscheduled packets have their share of the classes, and each of those classes as many
/// unscheduled bytes.
#[test]
fn classes_and_cutoffs_that_are_left_open_are_those_of_the_messages() {
    let rtt_bytes = Size::Packets(20.0);
    let resolved = |long: u64, config: homa::Config| {
        let mut flows = incast(|_| 10);
        flows.extend((1..16).map(|from| Flow::at_zero(from, 0, Bytes(long * 4096))));
        let mut plan = granted(flows, config);
        plan.resolve_unscheduled();
        let congestion::Config::Homa(homa) = plan.transport.congestion else { panic!() };
        (homa.unscheduled_classes, homa.cutoffs)
    };
    let open = || homa::Config { rtt_bytes, ..Default::default() };
    // 30 of 50 packets, of 7 classes 4; a third of all unscheduled bytes is in the short ones.
    let short = Bytes(10 * 4096);
    let all = vec![short, Bytes(40 * 4096), Bytes(40 * 4096)];
    assert_eq!(resolved(40, open()), (Some(4), homa::Cutoffs::At(all)));
    // 30 of 1010 packets.
    assert_eq!(resolved(1000, open()), (Some(1), homa::Cutoffs::At(Vec::new())));
    let given = homa::Config { cutoffs: homa::Cutoffs::At(vec![short]), ..open() };
    assert_eq!(resolved(40, given), (None, homa::Cutoffs::At(vec![short])));
}
