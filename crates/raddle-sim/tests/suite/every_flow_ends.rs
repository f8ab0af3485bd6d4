//! No transport stops for good: whatever is lost, as long as not everything is, every flow ends.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::plan;
use raddle_schemes::congestion::{self, eqds, homa, ndp};
use raddle_schemes::recovery::{self, AckEntropies, AckForm, Resend, erasure, rnic_sr, sack, tcp};
use raddle_schemes::rng::Rng;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::engine;
use raddle_sim::faults::spec::{Direction, Effect, Fault, FaultPlan, Target};
use raddle_sim::plan::{Connections, NicOrder, Overflow, Plan};
use raddle_sim::record::{Outcome, Stop};
use raddle_sim::topology::dumbbell::Dumbbell;
use raddle_sim::workload::Flow;

fn dumbbell(hosts_per_side: u32, flows: Vec<Flow>, seed: u64) -> Plan {
    let shape = Dumbbell {
        hosts_per_side,
        rate: Rate::gbps(100),
        link_delay: Span::us(1),
        bottleneck_rate: Rate::gbps(100),
        bottleneck_delay: Span::us(1),
        switch_delay: Span::ZERO,
    };
    let mut plan = plan(shape.build().unwrap(), flows.into(), "ops", seed);
    // Longer than any wait for a timeout.
    plan.patience = Span::ms(60_000);
    plan
}

/// What befalls the cable between the switches, in one direction.
fn fault(direction: Direction, effect: Effect, windows: Vec<(Time, Option<Time>)>) -> Fault {
    let target = Target::Link { name: "left.to.right".to_owned(), direction };
    Fault { target, effect, windows }
}

fn with_faults(mut plan: Plan, faults: Vec<Fault>) -> Plan {
    let faults = FaultPlan { faults, ..Default::default() };
    let resolved = faults.resolve(&plan.fabric, &[], plan.seed).unwrap();
    (plan.faults, plan.routes) = (resolved.faults, resolved.routes);
    plan
}

/// Both engines' outcome, of which all flows have ended.
fn ended(plan: &Plan) -> Result<Outcome, String> {
    if let Some(trouble) = trouble(plan) {
        return Err(trouble);
    }
    let outcome = engine::run(plan, &mut ());
    if outcome.stop == Stop::Completed { Ok(outcome) } else { Err(format!("{:?}", outcome.stop)) }
}

/// The last ACKs of a message are lost, and its receiver has forgotten it when the sender, which has
/// no credit left, asks for more.
#[test]
fn an_eqds_sender_whose_last_acks_are_lost_hears_that_it_is_done() {
    let mut plan = dumbbell(1, vec![Flow::at_zero(0, 1, Bytes::mib(1))], 1);
    plan.transport.congestion = congestion::Config::named("eqds").unwrap();
    let cut = fault(Direction::In, Effect::Down, vec![(Time(89_500_000), Some(Time(91_000_000)))]);
    let outcome = ended(&with_faults(plan, vec![cut])).unwrap();
    let flow = outcome.flows.at(0);
    let (delivered, acked) = (flow.delivered.unwrap().as_us(), flow.acked.unwrap().as_us());
    assert!((89.0..89.5).contains(&delivered), "{delivered}");
    // The timeout of the last packets, the request's way there and the answer's way back.
    assert!((120.0..135.0).contains(&acked), "{acked}");
}

/// Every congestion control, and receivers' credits and grants for small first windows.
fn congestions() -> Vec<congestion::Config> {
    let named = congestion::SCHEMES.iter().map(|scheme| scheme.card.name);
    let mut all: Vec<_> = named.map(|name| congestion::Config::named(name).unwrap()).collect();
    all.push(congestion::Config::Eqds(eqds::Config {
        initial_window: Size::Packets(1.0),
        max_window: Size::Packets(2.0),
        packets_per_pull: 1,
        ..Default::default()
    }));
    all.push(congestion::Config::Ndp(ndp::Config {
        initial_window: Size::Packets(1.0),
        pacer: ndp::Pacer::Flow,
        ..Default::default()
    }));
    all.push(congestion::Config::Homa(homa::Config {
        rtt_bytes: Size::Packets(1.0),
        overcommitment: Some(1),
        resend: Some(Span::us(10)),
        ..Default::default()
    }));
    all
}

/// Every recovery, and ways to acknowledge.
fn recoveries() -> Vec<recovery::Config> {
    let named = recovery::SCHEMES.iter().map(|scheme| scheme.card.name);
    let mut all: Vec<_> = named.map(|name| recovery::Config::named(name).unwrap()).collect();
    all.push(recovery::Config::Sack(sack::Config {
        ack_every: 16,
        ack_entropies: AckEntropies::Carry,
        reorder_threshold: Some(3),
        ..Default::default()
    }));
    let soon = Span::us(300);
    // About those of `sack`: at 90 % loss, thousands of them pass.
    let tcp_waits = (Span::us(20), Some(Span::us(50)));
    for config in &mut all {
        match config {
            recovery::Config::RnicSr(rnic) => rnic.rto = soon,
            recovery::Config::TimeoutOnly(silent) => silent.rto = soon,
            recovery::Config::GoBackN(back) => back.rto = soon,
            recovery::Config::Tcp(tcp) => (tcp.min_rto, tcp.max_rto) = tcp_waits,
            _ => {}
        }
    }
    all.push(recovery::Config::Tcp(tcp::Config {
        profile: tcp::Profile::Ns3,
        min_rto: tcp_waits.0,
        max_rto: tcp_waits.1,
        ..Default::default()
    }));
    all.push(recovery::Config::RnicSr(rnic_sr::Config {
        rto: Span::us(100),
        resend: Resend::Single,
        window: 3,
    }));
    all.push(recovery::Config::Erasure(erasure::Config {
        timeout: erasure::Timeout::After(Span::us(30)),
    }));
    all
}

/// Losses of up to 90 % in either direction, or of up to 30 %, and cuts.
fn random_faults(rng: &mut Rng, most: f64) -> Vec<Fault> {
    let mut faults = Vec::new();
    for direction in [Direction::Out, Direction::In] {
        let loss = [0.0_f64, 0.02, 0.3, 0.9][rng.below(4) as usize].min(most);
        if loss > 0.0 {
            faults.push(fault(direction, Effect::Loss(loss), vec![(Time::ZERO, None)]));
        }
        if rng.below(2) == 0 {
            let at = Time(rng.below(40_000_000));
            let up = at + Span(1 + rng.below(100_000_000));
            faults.push(fault(direction, Effect::Down, vec![(at, Some(up))]));
        }
    }
    faults
}

#[test]
fn every_flow_ends_with_every_transport_under_any_loss() {
    let mut rng = Rng::new(7, "test", 0);
    for congestion in congestions() {
        for recovery in recoveries() {
            for seed in 0..6 {
                let message = |rng: &mut Rng| Bytes(1 + rng.below(30 * 4096));
                let flows = [(0, 2), (1, 2), (3, 0), (0, 2)];
                let flows = flows.map(|(from, to)| Flow::at_zero(from, to, message(&mut rng)));
                let mut plan = dumbbell(2, flows.to_vec(), seed);
                plan.transport.congestion = congestion.clone();
                plan.transport.recovery = recovery.clone();
                plan.transport.connections =
                    [Connections::Message, Connections::Pair][rng.below(2) as usize];
                plan.transport.nic =
                    [NicOrder::ControlFirst, NicOrder::RoundRobin][rng.below(2) as usize];
                plan.queue.overflow = [Overflow::Drop, Overflow::Trim][rng.below(2) as usize];
                let sizes = [Size::Bdp(1.0), Size::Packets(3.0)];
                plan.queue.size = sizes[rng.below(2) as usize];
                plan.queue.control_size =
                    [Size::Unlimited, Size::Bytes(Bytes(256))][rng.below(2) as usize];
                // To go back by credit, a few packets a request, takes longer than a run can last.
                let credits = matches!(congestion, congestion::Config::Eqds(_));
                let slow = credits && recovery.ack_form() != AckForm::Arrivals;
                let most = if slow { 0.3 } else { 0.9 };
                let plan = with_faults(plan, random_faults(&mut rng, most));
                if let Err(trouble) = ended(&plan) {
                    let faults = &plan.faults;
                    panic!(
                        "{congestion:?}\n{recovery:?}\n{:?}\n{faults:?}\nseed {seed}: {trouble}",
                        plan.queue
                    );
                }
            }
        }
    }
}

/// Queues without a limit drop nothing, but their links may: a timeout is what a frame's longest
/// queue may take.
#[test]
fn a_coded_message_ends_where_queues_have_no_limit_and_links_lose() {
    let mut plan = dumbbell(1, vec![Flow::at_zero(0, 1, Bytes::kib(64))], 3);
    plan.queue.size = Size::Unlimited;
    plan.transport.recovery = recovery::Config::named("erasure").unwrap();
    let loss = fault(Direction::Both, Effect::Loss(0.2), vec![(Time::ZERO, None)]);
    ended(&with_faults(plan, vec![loss])).unwrap();
}
