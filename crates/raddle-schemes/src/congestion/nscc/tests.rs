//! Windows by hand: sequences of ACKs and losses.

use super::*;
use crate::rng::Rng;
use crate::units::Bytes;

const PACKET: u64 = 4160;

/// The reference network: the scale is 1, the target 9 us.
const REFERENCE_FLOW: FlowContext = FlowContext {
    base_rtt: Span::us(12),
    rate: Rate::gbps(100),
    bdp: Bytes(150_000),
    ..FlowContext::NOMINAL
};

/// A window of 100 kB, no steady increase, no quick adapt.
fn plain() -> Config {
    Config {
        initial_window: Size::Bytes(Bytes(100_000)),
        steady_increase: 0.0,
        quick_adapt_gate: None,
        ..Config::default()
    }
}

fn flow(config: &Config) -> Nscc {
    Nscc::new(config, &REFERENCE_FLOW)
}

/// An ACK at `now`, in nanoseconds, for `bytes` that queued for `delay` nanoseconds.
fn ack(flow: &mut Nscc, now: u64, bytes: u64, marked: bool, delay: u64) {
    let mut rng = Rng::new(1, "flow", 0);
    let mut cx = Cx { now: Time(now * 1000), rng: &mut rng, events: &mut () };
    let rtt = Some(REFERENCE_FLOW.base_rtt + Span::ns(delay));
    let (bytes, in_flight) = (Bytes(bytes), Bytes(50_000));
    flow.on_ack(&mut cx, &Ack { bytes, marked, rtt, in_flight, ..Ack::EMPTY });
}

fn lose(flow: &mut Nscc, now: u64, cause: LossCause) {
    let mut rng = Rng::new(1, "flow", 0);
    let mut cx = Cx { now: Time(now * 1000), rng: &mut rng, events: &mut () };
    flow.on_loss(
        &mut cx,
        &Loss { bytes: Bytes(PACKET), packets: 1, cause, in_flight: Bytes(50_000), next_new: 0 },
    );
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 0.01, "{found}, not {expected}");
}

#[test]
fn it_starts_at_one_and_a_half_bdp_and_never_exceeds_it() {
    let mut flow = flow(&Config::default());
    assert_eq!(flow.limits(), Limits { window: Bytes(225_000), rate: None });
    ack(&mut flow, 20_000, 8_000, false, 0);
    assert_eq!(flow.limits().window, Bytes(225_000));
}

#[test]
fn the_target_is_three_quarters_of_the_round_trip_if_switches_trim_else_all_of_it() {
    assert_eq!(flow(&Config::default()).constants.target, Span::us(9));
    let dropping = FlowContext { trimming: false, ..REFERENCE_FLOW };
    assert_eq!(Nscc::new(&Config::default(), &dropping).constants.target, Span::us(12));
    let six = Config { target: Some(Span::us(6)), ..Config::default() };
    assert_eq!(flow(&six).constants.target, Span::us(6));
}

/// Growth by hand. Proportional at 3 us: 4 x 4096 / 12 us x (9 - 3) us = 8192 per byte over the
/// window; fair: 5 x 4096 = 20480; steady: 0.15 x 4096 = 614.4.
#[test]
fn the_quadrants_grow_the_window_by_their_constants() {
    let steady = Config { steady_increase: 0.15, ..plain() };
    let mut flow = flow(&steady);
    // Time in ns, bytes, marked, delay in ns; then the window.
    let table = [
        // The first ACK: 8192 x 8000 / 100 000 = 655.36, and the steady increase.
        (20_000, 8_000, false, 3_000, 101_269.76),
        // Neither 8 packets (33 280 B) nor a round trip since: summed up.
        (20_000, 8_000, false, 3_000, 101_269.76),
        (20_000, 8_000, false, 9_000, 101_269.76),
        (20_000, 8_000, true, 3_000, 101_269.76),
        // (8192 x 18 000 + 20 480 x 8000) / 101 269.76 = 3073.93.
        (20_000, 10_000, false, 3_000, 104_343.69),
        // A round trip is over after more than 12 us, and a mark below the target is nothing.
        (32_000, 1_000, true, 3_000, 104_343.69),
        (32_001, 1_000, true, 3_000, 104_958.09),
    ];
    for (row, (now, bytes, marked, delay, window)) in table.into_iter().enumerate() {
        ack(&mut flow, now, bytes, marked, delay);
        assert!((flow.window - window).abs() < 0.01, "row {row}: {}", flow.window);
    }
}

#[test]
fn an_ack_without_a_round_trip_counts_as_the_average_delay() {
    let mut flow = flow(&Config { delay_gain: 1.0, ..plain() });
    ack(&mut flow, 20_000, 0, true, 3_000);
    let mut cx = Cx { now: Time(33_000_000), rng: &mut Rng::new(1, "", 0), events: &mut () };
    let (bytes, in_flight) = (Bytes(8_000), Bytes(0));
    let (marked, rtt, cumulative, next_new) = (false, None, 0, 0);
    flow.on_ack(
        &mut cx,
        &Ack { bytes, marked, rtt, in_flight, cumulative, next_new, ..Ack::EMPTY },
    );
    assert_near(flow.window, 100_655.36);
}

#[test]
fn marks_above_the_target_shrink_with_the_average_excess_once_per_round_trip() {
    let mut quick = flow(&Config { delay_gain: 1.0, ..plain() });
    // 0.8 x (18 - 9) / 18 = 0.4.
    ack(&mut quick, 20_000, 1_000, true, 18_000);
    assert_near(quick.window, 60_000.0);
    ack(&mut quick, 32_000, 1_000, true, 18_000);
    assert_near(quick.window, 60_000.0);
    ack(&mut quick, 32_001, 1_000, true, 18_000);
    assert_near(quick.window, 36_000.0);
    ack(&mut quick, 60_000, 1_000, true, 900_000);
    assert_near(quick.window, 18_000.0);
    let mut slow = flow(&plain());
    ack(&mut slow, 20_000, 1_000, true, 18_000);
    assert_near(slow.window, 100_000.0);
    assert_near(slow.average_delay, 0.0125 * 18e6);
}

#[test]
fn the_average_takes_clean_long_delays_for_short_ones_and_trims_for_long_ones() {
    let mut flow = flow(&Config { delay_gain: 0.5, ..plain() });
    ack(&mut flow, 20_000, 1_000, true, 16_000);
    assert_near(flow.average_delay, 8.0e6);
    // A quarter of 12 us.
    ack(&mut flow, 20_000, 1_000, false, 20_000);
    assert_near(flow.average_delay, 5.5e6);
    ack(&mut flow, 20_000, 1_000, false, 9_000);
    assert_near(flow.average_delay, 7.25e6);
    // 12 us.
    lose(&mut flow, 20_000, LossCause::Trim);
    assert_near(flow.average_delay, 9.625e6);
    lose(&mut flow, 20_000, LossCause::Timeout);
    assert_near(flow.average_delay, 9.625e6);
}

#[test]
fn a_window_of_empty_queues_makes_it_grow_by_a_quarter_of_the_bytes() {
    let initial_window = Size::Bytes(Bytes(10_000));
    let mut flow = flow(&Config { initial_window, ..plain() });
    // 4 x 4096 / 12 x 8.5 x 6000 / 10 000 = 6963.2.
    ack(&mut flow, 20_000, 6_000, false, 500);
    assert_near(flow.window, 16_963.2);
    ack(&mut flow, 20_000, 6_000, false, 500);
    assert_near(flow.window, 16_963.2);
    ack(&mut flow, 20_000, 6_000, false, 500);
    assert_near(flow.window, 18_463.2);
    ack(&mut flow, 20_000, 6_000, false, 500);
    assert_near(flow.window, 19_963.2);
    ack(&mut flow, 20_000, 100, false, 1_000);
    ack(&mut flow, 20_000, 6_000, false, 500);
    assert_near(flow.window, 19_963.2);
}

#[test]
fn quick_adapt_sets_the_window_to_what_got_through_and_then_ignores_marks() {
    let mut flow = flow(&Config { quick_adapt_gate: Some(3), delay_gain: 1.0, ..plain() });
    // Looked at after more than 12 + 9 us from the first ACK on.
    ack(&mut flow, 10_000, PACKET, true, 0);
    ack(&mut flow, 20_000, 10_000, true, 0);
    lose(&mut flow, 31_000, LossCause::Trim);
    assert_near(flow.window, 95_840.0);
    lose(&mut flow, 31_001, LossCause::Trim);
    assert_near(flow.window, 10_000.0);
    // 54 160 B were in flight: their marks and trims say nothing new.
    ack(&mut flow, 32_000, 50_000, true, 30_000);
    lose(&mut flow, 32_000, LossCause::Timeout);
    assert_near(flow.window, 5_840.0);
    ack(&mut flow, 32_000, 4_000, true, 30_000);
    assert_near(flow.window, 5_840.0);
    // 0.8 x (20 - 9) / 20 = 0.44, but a packet is the least.
    ack(&mut flow, 33_000, 1_000, true, 20_000);
    assert_near(flow.window, PACKET as f64);
}

#[test]
fn quick_adapt_lets_be_a_flow_that_got_an_eighth_through_or_lost_nothing() {
    for (through, delay, window) in
        [(28_125, 40_000, 100_000.0), (28_124, 36_000, 100_000.0), (28_124, 36_001, 28_124.0)]
    {
        let mut flow = flow(&Config { quick_adapt_gate: Some(3), ..plain() });
        ack(&mut flow, 10_000, 0, true, 0);
        ack(&mut flow, 20_000, through, true, 0);
        ack(&mut flow, 31_001, 0, true, delay);
        assert_near(flow.window, window);
    }
}

#[test]
fn a_lost_packet_costs_its_bytes_and_one_packet_is_the_least() {
    let mut flow = flow(&plain());
    for cause in [LossCause::Trim, LossCause::Timeout, LossCause::Reordering] {
        lose(&mut flow, 20_000, cause);
    }
    assert_near(flow.window, 100_000.0 - 3.0 * PACKET as f64);
    (0..40).for_each(|_| lose(&mut flow, 20_000, LossCause::Timeout));
    assert_eq!(flow.limits().window, Bytes(PACKET));
}

/// What a pause let through says nothing of the paths.
#[test]
fn quick_adapt_does_not_look_back_across_messages() {
    let after_pause = |begin: bool| {
        let mut flow = flow(&Config { quick_adapt_gate: Some(3), ..plain() });
        ack(&mut flow, 0, PACKET, false, 0);
        lose(&mut flow, 1, LossCause::Trim);
        if begin {
            flow.begin_message();
        }
        ack(&mut flow, 1_000_000, PACKET, false, 0);
        flow.limits().window.0
    };
    assert_eq!(after_pause(false), PACKET);
    assert!(after_pause(true) > 90_000);
}

/// Ultra Ethernet 1.0: where switches trim, a delay is no reason by itself.
#[test]
fn quick_adapt_may_leave_delays_alone() {
    let after_delay = |quick_adapt_delay, trims: bool| {
        let config = Config { quick_adapt_gate: Some(3), quick_adapt_delay, ..plain() };
        let mut flow = flow(&config);
        ack(&mut flow, 10_000, 0, true, 0);
        ack(&mut flow, 20_000, 10_000, true, 0);
        if trims {
            lose(&mut flow, 25_000, LossCause::Trim);
        }
        ack(&mut flow, 31_001, 0, true, 36_001);
        flow.window
    };
    assert_near(after_delay(true, false), 10_000.0);
    assert!(after_delay(false, false) > 90_000.0);
    assert_near(after_delay(false, true), 10_000.0);
}
