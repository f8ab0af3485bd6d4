//! How long frames are on a link, and windows with them.

use super::{between, pfc, small};
use crate::common::agree::trouble;
use raddle_schemes::ids::PortId;
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_sim::engine::{HORIZON, SHORTEST_WINDOW};
use raddle_sim::faults::PortChange;
use raddle_sim::limits::LimitError;
use raddle_sim::plan::{Llr, Plan};
use raddle_sim::workload::Flow;

fn same_delays(plan: &mut Plan, delay: Span) {
    plan.fabric.ports.iter_mut().for_each(|port| port.delay = delay);
    plan.fabric.switches.iter_mut().for_each(|switch| switch.latency = Span::ZERO);
}

#[test]
fn links_that_send_again_have_room_numbers_and_time() {
    let with = |change: fn(&mut Llr)| {
        move |plan: &mut Plan| {
            let mut llr = Llr::default();
            change(&mut llr);
            plan.llr = Some(llr);
        }
    };
    let refuse = |at: fn(&mut Llr), beyond: fn(&mut Llr), why: &'static str| {
        let message = format!("links have retry, and {why}");
        between(with(at), with(beyond), LimitError::Retry { why }, &message);
    };
    let why = "a window of 1 to 524288 frames is legal";
    refuse(|llr| llr.frames_max = 1 << 19, |llr| llr.frames_max = (1 << 19) + 1, why);
    refuse(|llr| llr.frames_max = 1, |llr| llr.frames_max = 0, why);
    let packet = |llr: &mut Llr| llr.bytes_max = Some(Bytes(4160));
    let less = |llr: &mut Llr| llr.bytes_max = Some(Bytes(4159));
    refuse(packet, less, "no packet fits into its window");
    let why = "1 to 255 replays are legal";
    refuse(|llr| llr.replays_max = 255, |llr| llr.replays_max = 256, why);
    refuse(|llr| llr.replays_max = 1, |llr| llr.replays_max = 0, why);
    let why = "its timer takes no time";
    refuse(|llr| llr.timer = Span(1), |llr| llr.timer = Span(0), why);
    let why = "answers have no distance";
    refuse(|llr| llr.spacing = Bytes(1), |llr| llr.spacing = Bytes(0), why);
    between(
        with(|_| {}),
        |plan| plan.fabric.ports[3].delay = Span(0),
        LimitError::Retry { why: "a cable takes no time" },
        "links have retry, and a cable takes no time",
    );
}

#[test]
fn windows_are_long_enough() {
    between(
        |plan| same_delays(plan, SHORTEST_WINDOW),
        |plan| plan.fabric.ports[0].delay.0 -= 1,
        LimitError::Window { window: Span(9_999) },
        "the shortest way into a switch, cable delay and switch latency, takes 9999 ps; at least \
         10 ns",
    );
}

#[test]
fn times_on_a_link_fit_an_entry() {
    // 4160 B take 83.2 ns at 400 Gbps, the far switch 500 ns.
    let longest = HORIZON.0 - 1 - 83_200 - 500_000;
    let refused = |rate| LimitError::Horizon {
        link: "host2".to_owned(),
        rate: Rate::gbps(rate),
        time: Some(Span(HORIZON.0)),
    };
    between(
        |plan| plan.fabric.ports[2].delay = Span(longest),
        |plan| plan.fabric.ports[2].delay.0 += 1,
        refused(400),
        "at 400 Gbps the largest frame takes 2.147483648 ms across link `host2`, cable delay and \
         switch latency included; less than 2.147483648 ms",
    );
    let slow = |rate| vec![(PortId(2), vec![(Time(5), PortChange::Rate { rate, scale: true })])];
    between(
        |plan| {
            plan.fabric.ports[2].delay = Span(longest - 83_200 * 99);
            plan.faults.ports = slow(Rate::gbps(4));
        },
        |plan| plan.fabric.ports[2].delay.0 += 1,
        refused(4),
        &refused(4).to_string(),
    );
    between(
        |plan| plan.faults.ports = slow(Rate(400_000_000)),
        |plan| plan.faults.ports = slow(Rate(0)),
        LimitError::Horizon { link: "host2".to_owned(), rate: Rate(0), time: None },
        "the rate of link `host2` is 0 bps; at least 1 bps, or take it down",
    );
}

#[test]
fn the_largest_frame_on_a_link_may_be_an_ack_or_a_pfc_frame() {
    let refused = |beyond| LimitError::Horizon {
        link: "host2".to_owned(),
        rate: Rate::gbps(400),
        time: Some(Span(HORIZON.0 + beyond)),
    };
    // At 400 Gbps a byte takes 20 ps, the far switch 500 ns. Full packets have 114 B, then 60 B.
    let delay = |largest: u64| Span(HORIZON.0 - 1 - 20 * largest - 500_000);
    let small_frames = |plan: &mut Plan, payload, ack| {
        (plan.transport.payload, plan.transport.ack) = (Bytes(payload), Bytes(ack));
        plan.transport.header = Bytes(50);
    };
    between(
        |plan| {
            small_frames(plan, 64, 9_000);
            plan.fabric.ports[2].delay = delay(9_000);
        },
        |plan| plan.transport.ack.0 += 1,
        refused(19),
        "at 400 Gbps the largest frame takes 2.147483667 ms across link `host2`, cable delay and \
         switch latency included; less than 2.147483648 ms",
    );
    between(
        |plan| {
            small_frames(plan, 10, 60);
            plan.queue.pfc = pfc(5_000, 5_000, Span::us(1));
            plan.fabric.ports[2].delay = delay(64);
        },
        |plan| plan.fabric.ports[2].delay.0 += 1,
        refused(0),
        &refused(0).to_string(),
    );
    // Without flow control the same link may be longer by four bytes, 60 instead of 64.
    between(
        |plan| {
            small_frames(plan, 10, 60);
            plan.fabric.ports[2].delay = delay(60);
        },
        |plan| plan.fabric.ports[2].delay.0 += 1,
        refused(0),
        &refused(0).to_string(),
    );
}

#[test]
fn links_at_the_horizon_run_with_acks_and_pfc_frames_as_the_largest() {
    for (payload, ack, largest) in [(64, 9_000, 9_000), (10, 20, 64)] {
        let mut plan = small();
        plan.traffic.flows = (4..10).map(|from| Flow::at_zero(from, 3, Bytes(4_000))).collect();
        plan.transport.payload = Bytes(payload);
        plan.transport.header = Bytes(50);
        plan.transport.ack = Bytes(ack);
        plan.queue.pfc = pfc(500, 200, Span::us(20));
        plan.patience = Span::ms(100);
        for port in &mut plan.fabric.ports {
            port.delay = Span(HORIZON.0 - 1 - 20 * largest - 500_000);
        }
        assert_eq!(plan.check_limits(), Ok(()));
        assert_eq!(trouble(&plan), None);
    }
}
