//! Telemetry at work: what reaches a sender, and an incast under the schemes that read it.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::{difference, trouble};
use crate::common::{fat_tree, permutation, plan};
use crate::outside::echo;
use raddle_schemes::congestion::{self, hpcc, powertcp};
use raddle_schemes::ids::PortId;
use raddle_schemes::size::Size;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::engine::{self, Options};
use raddle_sim::plan::{MarkAt, Overflow, Plan, Service};
use raddle_sim::record::{SchemeEvent, Stop};
use raddle_sim::reference;
use raddle_sim::topology::dumbbell::Dumbbell;
use raddle_sim::workload::{Flow, Start};

/// The echo's window follows every field of every record, so equal outcomes mean equal records.
#[test]
fn a_scheme_from_outside_hears_the_same_of_both_engines_and_all_threads() {
    for (trim, drr) in [(false, false), (true, false), (true, true)] {
        let mut plan = permutation(fat_tree(3, 16), Bytes::kib(256), "ops", 3);
        plan.transport.congestion = congestion::Config::Custom(echo::plugin());
        plan.queue.size = Size::Packets(12.0);
        if trim {
            plan.queue.overflow = Overflow::Trim;
        }
        if drr {
            plan.queue.service = Service::Drr;
            (plan.queue.classes, plan.queue.shares) = (2, vec![4_160, 9_000]);
            plan.traffic.flows.iter_mut().step_by(2).for_each(|flow| flow.class = 1);
        }
        plan.queue.mark_at = MarkAt::Enqueue;
        let expected = reference::run(&plan, &mut ());
        assert_eq!(expected.stop, Stop::Completed);
        let heard = |event: &&SchemeEvent| event.2 == "echo: a queue on the way";
        assert!(expected.timeline.events.iter().filter(heard).count() > 100);
        for threads in [1, 2, 4] {
            let options = Options { threads, width: None };
            let got = engine::run_with(&plan, &options, &mut ());
            assert_eq!(difference(&expected, &got), None, "{threads} threads");
        }
    }
}

/// PowerTCP's Fig. 2.4, top, as its scripts have it: a long flow, which 10 others from the receiver's
/// rack join after a while; 25 Gbps, cables of 1 us, windows for a round trip of 28.96 us.
fn incast(congestion: congestion::Config) -> Plan {
    let shape = Dumbbell {
        hosts_per_side: 11,
        rate: Rate::gbps(25),
        link_delay: Span::us(1),
        bottleneck_rate: Rate::gbps(400),
        bottleneck_delay: Span::ns(100),
        switch_delay: Span::ZERO,
    };
    let long = Flow::at_zero(1, 0, Bytes(60_000_000));
    let joins = |source| Flow { start: Start::At(JOIN), ..Flow::at_zero(source, 0, long.bytes) };
    let flows: Vec<Flow> = std::iter::once(long.clone()).chain((2..12).map(joins)).collect();
    let mut plan = plan(shape.build().unwrap(), flows.into(), "ecmp", 1);
    plan.queue.size = Size::Unlimited;
    plan.transport.payload = Bytes(1000);
    let telemetry = congestion.telemetry_bytes();
    (plan.transport.header, plan.transport.ack) = (Bytes(48) + telemetry, Bytes(60) + telemetry);
    plan.transport.congestion = congestion;
    plan.record.ports = vec![plan.fabric.ports[0].peer];
    plan.record.bucket = BUCKET;
    plan.end = Some(Time(2_000_000_000));
    plan
}

const JOIN: Time = Time(500_000_000);
const BUCKET: Span = Span::us(50);

/// The longest queue towards the receiver in bytes; the least utilisation of a bucket once the first
/// round trip after the others have joined is over; when the queue is below 50 KB for good, in
/// buckets after they join.
fn measure(congestion: congestion::Config) -> (u64, f64, usize) {
    let outcome = engine::run(&incast(congestion), &mut ());
    let series = &outcome.series[0];
    let join = (JOIN.0 / BUCKET.0) as usize;
    let full = Rate::gbps(25).bytes_in(BUCKET).0 as f64;
    let last = (2_000_000_000 / BUCKET.0) as usize;
    let least = series.bytes[join + 1..last].iter().map(|&bytes| bytes as f64 / full);
    let queue = &series.queue_bytes_max[join..last];
    let calm = queue.iter().rposition(|&bytes| bytes >= 50_000).map_or(0, |bucket| bucket + 1);
    (queue.iter().copied().max().unwrap(), least.fold(f64::MAX, f64::min), calm)
}

/// Spec of PowerTCP, acceptance 13, profile `ns3`, with its section 0.
#[test]
fn an_incast_under_powertcp_fills_half_the_queue_of_hpcc_and_keeps_the_link_busy() {
    let base_rtt = Some(Span::ns(28_960));
    let profile = powertcp::Profile::Ns3;
    let power = powertcp::Config { profile, base_rtt, ..Default::default() };
    let hpcc = hpcc::Config { base_rtt, ..Default::default() };
    let power = measure(congestion::Config::Powertcp(power));
    let hpcc = measure(congestion::Config::Hpcc(hpcc));
    let ratio = hpcc.0 as f64 / power.0 as f64;
    let all = format!("PowerTCP {power:?}, HPCC {hpcc:?}, ratio {ratio:.2}");
    assert!(power.0 < 1_090_000, "eleven windows: {all}");
    assert!((1.5..=2.8).contains(&ratio), "{all}");
    assert!(power.1 >= 0.93, "{all}");
    assert!(power.2 <= 7, "below 50 KB 10 round trips after the peak: {all}");
    assert!(hpcc.1 < 0.93, "HPCC loses throughput: {all}");
}

#[test]
fn both_engines_agree_on_the_incast() {
    let profile = powertcp::Profile::Thesis;
    let config = powertcp::Config { profile, ..Default::default() };
    let mut plan = incast(congestion::Config::Powertcp(config));
    plan.end = Some(Time(800_000_000));
    plan.record.ports = (0..plan.fabric.ports.len() as u32).map(PortId).collect();
    assert_eq!(trouble(&plan), None);
}
