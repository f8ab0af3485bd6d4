//! Data classes, their turns, and pauses.

use super::{between, pfc, small};
use crate::common::agree::trouble;
use raddle_schemes::ids::FlowId;
use raddle_schemes::size::Size;
use raddle_schemes::transport::ledger::TIME_LIMIT;
use raddle_schemes::units::{Bytes, Span};
use raddle_sim::engine;
use raddle_sim::limits::LimitError;
use raddle_sim::plan::{
    AckQueue, HostQueue, Pfc, Plan, Service, Transport, TransportPlan, Turns, Watchdog,
};
use raddle_sim::record::Stop;
use raddle_sim::wire::frame::SIZE_LIMIT;
use raddle_sim::workload::Flow;

#[test]
fn data_classes_fit_the_masks_and_flows_have_one_of_them() {
    between(
        |plan| plan.queue.classes = 8,
        |plan| plan.queue.classes = 9,
        LimitError::Classes { classes: 9, most: 8 },
        "the queues have 9 data classes; from 1 to 8",
    );
    between(
        |plan| plan.queue.classes = 1,
        |plan| plan.queue.classes = 0,
        LimitError::Classes { classes: 0, most: 8 },
        "the queues have 0 data classes; from 1 to 8",
    );
    between(
        |plan| plan.queue.service = Service::Fifo,
        |plan| plan.queue.classes = 2,
        LimitError::Classes { classes: 2, most: 1 },
        "the queues have 2 data classes; from 1 to 1",
    );
    between(
        |plan| (plan.queue.classes, plan.traffic.flows[0].class) = (3, 2),
        |plan| plan.traffic.flows[0].class = 3,
        LimitError::Class { flow: FlowId(0), class: 3, classes: 3 },
        "flow 0 travels in class 3; the queues have 3 data classes",
    );
    between(
        |plan| {
            plan.transport.other_load_balances = vec![plan.transport.load_balance.clone()];
            plan.traffic.flows[0].load_balance = 1;
        },
        |plan| plan.traffic.flows[0].load_balance = 2,
        LimitError::LoadBalance { flow: FlowId(0), number: 2, most: 1 },
        "flow 0 names path selector 2; there are 0 to 1",
    );
    between(
        |plan| (plan.queue.classes, plan.queue.acks) = (2, vec![AckQueue::Data; 2]),
        |plan| plan.queue.acks.push(AckQueue::Data),
        LimitError::ClassTable { what: "places of ACKs", listed: 3, classes: 2 },
        "3 places of ACKs for 2 data classes; none, or one for each",
    );
    between(
        |plan| plan.queue.class_markings = vec![plan.queue.marking.clone()],
        |plan| plan.queue.class_markings.push(plan.queue.marking.clone()),
        LimitError::ClassTable { what: "markings", listed: 2, classes: 1 },
        "2 markings for 1 data classes; none, or one for each",
    );
    between(
        |plan| plan.queue.acks = vec![AckQueue::Data],
        |plan| plan.queue.service = Service::Fifo,
        LimitError::AcksWithData,
        "ACKs shall travel with data, but the ports have one class for everything; leave that out",
    );
    let queue = |size| Some(HostQueue { size, acks: true });
    between(
        |plan| plan.transport.host_queue = queue(plan.packet()),
        |plan| plan.transport.host_queue = queue(Bytes(plan.packet().0 - 1)),
        LimitError::HostQueue { why: "no packet fits into it" },
        "hosts have a queue, and no packet fits into it",
    );
    between(
        |plan| plan.transport.host_queue = queue(plan.packet()),
        |plan| plan.transport.turns = Turns::Random,
        LimitError::HostQueue { why: "flows do not take turns" },
        "hosts have a queue, and flows do not take turns",
    );
    between(
        |plan| {
            let TransportPlan { congestion, recovery, .. } = plan.transport.clone();
            plan.transport.other_transports = vec![Transport { congestion, recovery }];
            plan.traffic.flows[0].transport = 1;
        },
        |plan| plan.traffic.flows[0].transport = 2,
        LimitError::Transport { flow: FlowId(0), number: 2, most: 1 },
        "flow 0 names transport 2; there are 0 to 1",
    );
}

#[test]
fn shares_of_a_round_fit_a_deficit() {
    fn shares(service: Service, shares: &[u64]) -> impl FnOnce(&mut Plan) {
        let shares = shares.to_vec();
        move |plan| {
            (plan.queue.service, plan.queue.classes, plan.queue.shares) = (service, 2, shares);
        }
    }
    between(
        shares(Service::Drr, &[64, 1 << 24]),
        |plan| plan.queue.shares[0] = 63,
        LimitError::Share { class: 0, share: 63, least: 64 },
        "class 0 may send 63 in a round; from 64 to 16777216",
    );
    between(
        shares(Service::Drr, &[64, 1 << 24]),
        |plan| plan.queue.shares[1] += 1,
        LimitError::Share { class: 1, share: (1 << 24) + 1, least: 64 },
        "class 1 may send 16777217 in a round; from 64 to 16777216",
    );
    between(
        shares(Service::Wrr, &[1, 1 << 24]),
        |plan| plan.queue.shares[0] = 0,
        LimitError::Share { class: 0, share: 0, least: 1 },
        "class 0 may send 0 in a round; from 1 to 16777216",
    );
    between(
        shares(Service::Wrr, &[1, 1 << 24]),
        |plan| plan.queue.shares[1] += 1,
        LimitError::Share { class: 1, share: (1 << 24) + 1, least: 1 },
        "class 1 may send 16777217 in a round; from 1 to 16777216",
    );
    between(
        shares(Service::Wrr, &[1, 1]),
        |plan| plan.queue.shares = vec![1],
        LimitError::Shares { shares: 1, classes: 2 },
        "1 shares of a round for 2 data classes; one for each",
    );
    // The smallest and the largest there are, in both engines.
    for (service, extremes) in [
        (Service::Drr, [64, 1 << 24]),
        (Service::Drr, [1 << 24, 64]),
        (Service::Wrr, [1, 1 << 24]),
        (Service::Wrr, [1 << 24, 1]),
    ] {
        let mut plan = small();
        shares(service, &extremes)(&mut plan);
        plan.transport.payload.0 = SIZE_LIMIT.0 - plan.transport.header.0;
        plan.traffic.flows = (0..24).map(|i| Flow::at_zero(4 + i % 8, 3, Bytes::mib(1))).collect();
        for (i, flow) in plan.traffic.flows.iter_mut().enumerate() {
            flow.class = (i % 2) as u8;
        }
        assert_eq!(trouble(&plan), None);
    }
}

#[test]
fn pauses_last_and_thresholds_are_in_order() {
    let longest = Span(TIME_LIMIT.0);
    between(
        |plan| plan.queue.pfc = pfc(5_000, 5_000, longest),
        |plan| plan.queue.pfc = pfc(5_000, 5_000, longest + Span(1)),
        LimitError::Pause { quanta: longest + Span(1) },
        "a pause lasts 70.368744177664 s; from 1 ns to 70.368744177663 s",
    );
    between(
        |plan| plan.queue.pfc = pfc(5_000, 5_000, Span::ns(1)),
        |plan| plan.queue.pfc = pfc(5_000, 5_000, Span(999)),
        LimitError::Pause { quanta: Span(999) },
        "a pause lasts 999 ps; from 1 ns to 70.368744177663 s",
    );
    let watched = |detection, restoration| {
        let watchdog = Some(Watchdog { detection, restoration });
        pfc(5_000, 5_000, Span::us(5)).map(|pfc| Pfc { watchdog, ..pfc })
    };
    between(
        |plan| plan.queue.pfc = watched(longest, Span::ns(1)),
        |plan| plan.queue.pfc = watched(longest, Span(999)),
        LimitError::Watchdog { span: Span(999) },
        "the watchdog over pauses waits for 999 ps; from 1 ns to 70.368744177663 s",
    );
    let refused = |xon, xoff| LimitError::Thresholds {
        port: "tor0.down0".to_owned(),
        xon: Bytes(xon),
        xoff: Bytes(xoff),
        capacity: Bytes(10_000),
    };
    between(
        |plan| {
            plan.queue.size = Size::Bytes(Bytes(10_000));
            plan.queue.pfc = pfc(9_999, 9_999, Span::us(1));
        },
        |plan| plan.queue.pfc = pfc(10_000, 9_999, Span::us(1)),
        refused(9_999, 10_000),
        "at `tor0.down0`, xon is 9999 B, xoff 10000 B and the capacity 10000 B; in this order, and \
         xoff below the capacity",
    );
    between(
        |plan| {
            plan.queue.size = Size::Bytes(Bytes(10_000));
            plan.queue.pfc = pfc(0, 0, Span::us(1));
        },
        |plan| plan.queue.pfc = pfc(0, 1, Span::us(1)),
        refused(1, 0),
        "at `tor0.down0`, xon is 1 B, xoff 0 B and the capacity 10000 B; in this order, and \
         xoff below the capacity",
    );
    // A pause too short to reach anything, for every byte: all of it crosses all the same. The
    // longest one ends when the queue has drained.
    for (quanta, flows) in [(Span::ns(1), 1), (longest, 1), (longest, 8)] {
        let mut plan = small();
        plan.queue.pfc = pfc(0, 0, quanta);
        let senders = (4..4 + flows).map(|from| Flow::at_zero(from, 3, Bytes(100_000)));
        plan.traffic.flows = senders.collect();
        assert_eq!(trouble(&plan), None);
        assert_eq!(engine::run(&plan, &mut ()).stop, Stop::Completed);
    }
}
