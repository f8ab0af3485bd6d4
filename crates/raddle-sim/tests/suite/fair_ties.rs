//! Who goes first of those that meet at one instant: each as often as any other, so that no label
//! and no order of cables decides who loses.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::plan;
use raddle_schemes::congestion;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span};
use raddle_sim::engine;
use raddle_sim::plan::Plan;
use raddle_sim::topology::dumbbell::Dumbbell;
use raddle_sim::workload::Flow;

/// Senders at full rate into one queue of 5.2 MB at 100 Gbps that drops what does not fit. Each
/// flow has a sender, a receiver, and KiB.
fn incast(flows: &[(u32, u32, u64)], seed: u64) -> Plan {
    let shape = Dumbbell {
        hosts_per_side: 16,
        rate: Rate::gbps(100),
        link_delay: Span::us(1),
        bottleneck_rate: Rate::gbps(100),
        bottleneck_delay: Span::us(1),
        switch_delay: Span::ZERO,
    };
    let flow = |&(from, to, kib)| Flow::at_zero(from, to, Bytes::kib(kib));
    let flows: Vec<Flow> = flows.iter().map(flow).collect();
    let mut plan = plan(shape.build().unwrap(), flows.into(), "ecmp", seed);
    plan.queue.size = Size::Bytes(Bytes(5_200_000));
    plan.transport.congestion = congestion::Config::named("fixed_rate").unwrap();
    plan
}

/// `senders` of as many KiB each.
fn equal_senders(senders: u32, kib: u64, seed: u64) -> Plan {
    let flows: Vec<_> = (0..senders).map(|from| (from, 16 + from, kib)).collect();
    incast(&flows, seed)
}

/// Packets that each flow sent again, and when it was delivered, in us.
fn results(plan: &Plan) -> Vec<(f64, f64)> {
    let outcome = engine::run(plan, &mut ());
    let result = |flow: raddle_sim::record::FlowRecord| {
        (flow.retransmitted as f64, flow.delivered.unwrap().as_us())
    };
    outcome.flows.iter().map(result).collect()
}

fn mean_and_error(samples: &[f64]) -> (f64, f64) {
    let count = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / count;
    let square = samples.iter().map(|sample| (sample - mean).powi(2)).sum::<f64>();
    (mean, (square / (count - 1.0) / count).sqrt())
}

/// 64 MiB in frames of 4160 B take 5,453 us at 100 Gbps, the time until the first frame leaves apart.
#[test]
fn two_equal_senders_lose_half_each_and_end_together() {
    let plan = equal_senders(2, 32 << 10, 1);
    assert_eq!(trouble(&plan), None);
    let both = results(&plan);
    let [(lost, end), (others_lost, others_end)] = both[..] else { panic!("two flows") };
    assert!((lost / others_lost - 1.0).abs() < 0.05, "{lost} and {others_lost}");
    for end in [end, others_end] {
        assert!((5_430.0..5_470.0).contains(&end), "{end} us");
    }
}

#[test]
fn however_many_meet_each_loses_as_much_as_any_other() {
    for senders in [2, 3, 5, 16] {
        let seeds: Vec<_> =
            (1..=12).map(|seed| results(&equal_senders(senders, 16 << 10, seed))).collect();
        let all: Vec<f64> = seeds.iter().flatten().map(|&(lost, _)| lost).collect();
        let (mean, _) = mean_and_error(&all);
        assert!(mean > 0.0);
        for sender in 0..senders as usize {
            let own: Vec<f64> = seeds.iter().map(|flows| flows[sender].0).collect();
            let (lost, error) = mean_and_error(&own);
            let off = (lost - mean).abs();
            assert!(off < 4.0 * error, "{sender} of {senders}: {lost} +- {error}, all {mean}");
            assert!(off < 0.03 * mean, "{sender} of {senders}: {lost}, all {mean}");
        }
    }
}

/// Three senders that differ, each at every host in turn: what becomes of a message does not depend
/// on the host that sends it, hence not on the cable that it comes by.
#[test]
fn other_labels_and_cables_change_no_distribution() {
    let sizes = [8 << 10, 12 << 10, 16 << 10];
    let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [14, 3, 8]];
    // Per order and message: what it had to send again, over seeds of their own.
    let lost = orders.iter().zip(0..).map(|(hosts, order)| {
        let flows: Vec<_> =
            hosts.iter().zip(sizes).map(|(&from, kib)| (from, 31 - from, kib)).collect();
        let seeds: Vec<_> =
            (1..=16).map(|seed| results(&incast(&flows, 100 * order + seed))).collect();
        [0, 1, 2].map(|message| {
            let own: Vec<f64> = seeds.iter().map(|flows| flows[message].0).collect();
            mean_and_error(&own)
        })
    });
    let lost: Vec<_> = lost.collect();
    for message in 0..sizes.len() {
        let (first, first_error) = lost[0][message];
        for (order, of_order) in orders.iter().zip(&lost) {
            let (mean, error) = of_order[message];
            let noise = first_error.hypot(error);
            assert!(
                (mean - first).abs() < 4.5 * noise,
                "{order:?}: {mean}, not {first} +- {noise}"
            );
        }
    }
}
