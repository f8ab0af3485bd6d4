//! Middleware in ToRs, where what it comes to can be worked out by hand.
#![expect(clippy::unwrap_used, reason = "a plan that cannot be made fails the test")]

use crate::common::agree::trouble;
use crate::common::plan;
use crate::outside::juggler;
use raddle_schemes::family::Plugin;
use raddle_schemes::ids::{Entropy, PortId};
use raddle_schemes::tor::{
    self, Kind, Message, Output, Packet, Side, TorContext, TorHook, Verdict, Ways,
};
use raddle_schemes::units::{Bytes, Rate, Span, Time};
use raddle_schemes::{Card, SwitchCx, recovery};
use raddle_sim::engine;
use raddle_sim::plan::{Overflow, Pfc, Plan, Service};
use raddle_sim::record::{Outcome, Stop, TorRecord};
use raddle_sim::topology::Node;
use raddle_sim::topology::tree::TreeShape;
use raddle_sim::workload::Flow;

const CARD: Card = Card { name: "by_hand", title: "-", paper: "-", needs: &[], summary: "-" };

/// Two racks of four hosts and four spines; the first rack sends to the second.
fn racks(hook: fn(&TorContext) -> Box<dyn TorHook + Send>, flows: u32, bytes: Bytes) -> Plan {
    let (link, switch) = (Span::ns(500), Span::ns(500));
    let shape = TreeShape::leaf_spine(2, 4, 4, 1, Rate::gbps(400), link, switch).unwrap();
    let flows: Vec<Flow> = (0..flows).map(|i| Flow::at_zero(i, 4 + i, bytes)).collect();
    let mut plan = plan(shape.build().unwrap(), flows.into(), "ecmp", 1);
    plan.tor = Some(tor::Config::Custom(Plugin::new(&CARD, hook)));
    plan
}

fn run(plan: &Plan) -> Outcome {
    assert_eq!(trouble(plan), None);
    engine::run(plan, &mut ())
}

fn total(outcome: &Outcome) -> TorRecord {
    outcome.tors.iter().fold(TorRecord::default(), |sum, tor| TorRecord {
        dropped: sum.dropped + tor.dropped,
        dropped_data: sum.dropped_data + tor.dropped_data,
        sent: sum.sent + tor.sent,
        sent_bytes: sum.sent_bytes + tor.sent_bytes,
        held_max: sum.held_max.max(tor.held_max),
    })
}

/// Sprays data by number over its ways.
struct Spray;

impl TorHook for Spray {
    fn on_ingress(
        &mut self,
        _: &mut SwitchCx<'_>,
        p: &mut Packet,
        from: Side,
        ways: &dyn Ways,
    ) -> Verdict {
        match (p.kind, from) {
            (Kind::Data, Side::Host) => Verdict::Via(p.number as usize % ways.count()),
            _ => Verdict::Pass,
        }
    }
}

#[test]
fn a_tor_that_sprays_by_number_loads_its_uplinks_alike() {
    let plan = racks(|_| Box::new(Spray), 1, Bytes(400 * 4096));
    let outcome = run(&plan);
    let up = |port: &PortId| matches!(plan.fabric.destination(*port), Node::Switch(_));
    let ups = plan.fabric.switches[0].ports.clone().map(PortId).filter(up);
    let sent: Vec<u64> = ups.map(|port| outcome.ports[port.index()].data_frames).collect();
    assert_eq!(sent, [100; 4]);
    assert_eq!(outcome.stop, Stop::Completed);
}

/// Holds the first data packet for 3 us at the sender's ToR.
#[derive(Default)]
struct Delay {
    due: Option<Time>,
    out: Option<Output>,
}

impl TorHook for Delay {
    fn on_ingress(
        &mut self,
        cx: &mut SwitchCx<'_>,
        p: &mut Packet,
        from: Side,
        _: &dyn Ways,
    ) -> Verdict {
        if (p.kind, from, p.number) != (Kind::Data, Side::Host, 0) {
            return Verdict::Pass;
        }
        self.due = Some(cx.now + Span::us(3));
        Verdict::Hold
    }

    fn poll(&mut self) -> Option<Output> {
        self.out.take()
    }

    fn next_timer(&self) -> Option<Time> {
        self.due
    }

    fn on_timer(&mut self, _: &mut SwitchCx<'_>) {
        self.due = None;
        self.out = Some(Output::Release { ticket: 0, via: Some(1) });
    }
}

#[test]
fn a_packet_that_was_held_is_late_by_just_that() {
    let late = run(&racks(|_| Box::<Delay>::default(), 1, Bytes(4096)));
    let early = run(&racks(|_| Box::new(Spray), 1, Bytes(4096)));
    assert_eq!(late.end, early.end + Span::us(3));
    assert_eq!(total(&late), TorRecord { held_max: 1, ..TorRecord::default() });
}

/// The receiver's ToR tells the sender's of each data packet that begins to leave; that one takes
/// the message off the wire. It drops the fifth data packet it sees leave, once.
#[derive(Default)]
struct Tell {
    leaving: u32,
    out: Option<Output>,
}

impl TorHook for Tell {
    fn on_ingress(
        &mut self,
        _: &mut SwitchCx<'_>,
        p: &mut Packet,
        from: Side,
        _: &dyn Ways,
    ) -> Verdict {
        match (p.kind, from) {
            (Kind::Tor, Side::Fabric) => Verdict::Drop,
            _ => Verdict::Pass,
        }
    }

    fn on_egress(&mut self, _: &mut SwitchCx<'_>, packet: &Packet) -> bool {
        if packet.kind != Kind::Data {
            return true;
        }
        self.leaving += 1;
        let (flow, kind, entropy) = (packet.flow, Message::ToSender, Entropy(7));
        self.out =
            Some(Output::Send { flow, kind, number: 9, entropy, flagged: false, through: None });
        self.leaving != 5
    }

    fn poll(&mut self) -> Option<Output> {
        self.out.take()
    }
}

#[test]
fn a_tor_hears_of_each_packet_and_what_is_dropped_is_counted_and_sent_again() {
    let outcome = run(&racks(|_| Box::<Tell>::default(), 1, Bytes(100 * 4096)));
    let flow = outcome.flows.iter().next().unwrap();
    assert_eq!((flow.dropped, flow.retransmitted, flow.received), (1, 1, 100));
    let tors = total(&outcome);
    // A hundred packets and one sent again are told of. Each message is dropped, and one packet.
    assert_eq!((tors.sent, tors.sent_bytes, tors.dropped_data), (101, 101 * 64, 1));
    assert_eq!(tors.dropped, 101 + 1);
}

#[test]
fn every_discipline_has_middleware_in_both_engines_alike() {
    for service in [Service::Priority, Service::Fifo, Service::Drr, Service::Wrr] {
        for (trim, flow_control) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut plan = racks(|_| unreachable!("replaced"), 4, Bytes::kib(256));
            plan.tor = Some(tor::Config::Custom(juggler::plugin()));
            plan.traffic.flows.iter_mut().for_each(|flow| flow.destination.0 = 4);
            plan.queue.size = raddle_schemes::size::Size::Packets(20.0);
            if service != Service::Fifo {
                plan.queue.classes = 2;
                (0..).zip(&mut plan.traffic.flows).for_each(|(i, flow)| flow.class = i % 2);
            } else if trim {
                continue;
            }
            plan.queue.service = service;
            plan.queue.shares = match service {
                Service::Drr => vec![5_000, 9_000],
                Service::Wrr => vec![1, 3],
                _ => Vec::new(),
            };
            plan.queue.overflow = if trim { Overflow::Trim } else { Overflow::Drop };
            let [xoff, xon] = [50.0, 30.0].map(raddle_schemes::size::Size::Percent);
            plan.queue.pfc =
                flow_control.then_some(Pfc { xoff, xon, ..Pfc::of_memory(Span::us(5)) });
            let tors = total(&run(&plan));
            assert!(tors.dropped_data > 0 && tors.sent > 0 && tors.held_max > 0, "{tors:?}");
        }
    }
}

/// A ToR that drops what is about to leave towards one host changes whom it pauses at the ports to
/// others, at the instant at which those may start to tell.
#[test]
fn drops_at_the_start_of_service_and_pauses_go_in_order_of_ports() {
    let mut dropped = 0;
    for seed in 0..40 {
        let mut plan = racks(|_| unreachable!("replaced"), 2, Bytes(46_800));
        plan.tor = Some(tor::Config::Custom(juggler::plugin()));
        plan.seed = seed;
        let ends = [(2, 3, 0), (2, 3, 1)];
        for (flow, (source, destination, class)) in plan.traffic.flows.iter_mut().zip(ends) {
            (flow.source.0, flow.destination.0, flow.class) = (source, destination, class);
        }
        plan.queue.classes = 2;
        plan.queue.size = raddle_schemes::size::Size::Packets(3.0);
        let [xoff, xon] = [20.0, 20.0].map(raddle_schemes::size::Size::Percent);
        plan.queue.pfc = Some(Pfc { xoff, xon, ..Pfc::of_memory(Span::us(5)) });
        plan.transport.recovery = recovery::Config::RnicSr(recovery::rnic_sr::Config {
            rto: Span::us(10),
            window: 3,
            ..Default::default()
        });
        dropped += total(&run(&plan)).dropped_data;
    }
    assert!(dropped > 40, "{dropped}");
}
