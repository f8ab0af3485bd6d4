//! Offers, answers and shares of openings that can be worked out by hand.

use super::super::{Note, TorOpening};
use super::*;
use crate::rng::Rng;
use crate::units::Span;

/// Nothing is in line anywhere.
struct Empty;
impl Queues for Empty {
    fn waiting(&mut self, _: PortId) -> usize {
        0
    }
}

struct OneWay;
impl Ways for OneWay {
    fn count(&self) -> usize {
        1
    }
    fn port(&self, _: usize) -> PortId {
        PortId(0)
    }
    fn rate(&self, _: usize) -> Rate {
        Rate::gbps(10)
    }
}

/// ToR 0 of four with two hosts each: its lane to ToR n is open from n times 100 us on, for 12 us, in
/// which ten packets of 1,500 B pass at 10 Gbps.
fn tor() -> RotorLb {
    let lane = |to: u32| TorLane {
        to: SwitchId(to),
        port: PortId(50 + to),
        period: Span::us(400),
        openings: Vec::from([TorOpening {
            from: Span::us(100 * u64::from(to)),
            until: Span::us(100 * u64::from(to) + 12),
            rate: Rate::gbps(10),
        }]),
        packets: 10,
    };
    let lanes = (1..4).map(lane).collect();
    let context = TorContext { hosts: 2, packet: Bytes(1500), lanes, ..TorContext::NOMINAL };
    RotorLb::new(&Config::default(), &context)
}

fn packet(from: u32, receiver: u32, kind: Kind) -> Packet {
    Packet {
        flow: FlowId(receiver),
        sender: HostId(2 * from),
        receiver: HostId(receiver),
        tors: [SwitchId(from), SwitchId(receiver / 2)],
        paths: 1,
        round_trip: Span::us(2),
        kind,
        forward: true,
        number: 0,
        entropy: Entropy(0),
        flagged: false,
        marked: false,
        again: false,
        bytes: Bytes(1500),
        waits: kind == Kind::Data,
        note: Note::default(),
    }
}

fn show(tor: &mut RotorLb, us: u64, mut packet: Packet, from: Side) -> Verdict {
    let rng = &mut Rng::new(1, "test", 0);
    tor.on_ingress(&mut SwitchCx { now: Time(us * 1_000_000), rng }, &mut packet, from, &OneWay)
}

fn outputs(tor: &mut RotorLb) -> Vec<Output> {
    tor.look(&mut Empty);
    core::iter::from_fn(|| tor.poll()).collect()
}

fn at_timer(tor: &mut RotorLb) -> (Time, Vec<Output>) {
    let now = tor.next_timer().unwrap_or(Time::NEVER);
    let rng = &mut Rng::new(1, "test", 0);
    tor.on_timer(&mut SwitchCx { now, rng });
    (now, outputs(tor))
}

fn offers(outputs: &[Output]) -> Vec<(u32, u32)> {
    let offer = |output: &Output| match *output {
        Output::Send { flow, number, .. } => Some((flow.0, number)),
        _ => None,
    };
    outputs.iter().filter_map(offer).collect()
}

#[test]
fn direct_data_goes_first_and_what_is_left_is_offered_max_min() {
    let mut own = tor();
    // Three for host 2 of ToR 1, one for host 4, and twenty for host 6.
    for (receiver, count) in [(2, 3), (4, 1), (6, 20)] {
        for _ in 0..count {
            assert_eq!(
                show(&mut own, 1, packet(0, receiver, Kind::Data), Side::Host),
                Verdict::Hold
            );
        }
    }
    assert_eq!(outputs(&mut own), []);
    let (now, outputs) = at_timer(&mut own);
    assert_eq!(now, Time(100_000_000));
    // Of the ten that pass three are direct: one for host 4 and six for host 6.
    assert_eq!(offers(&outputs), [(4, 1), (6, 6)]);
    let through = |output: &&Output| matches!(output, Output::Through { .. });
    let first: Vec<&Output> = outputs.iter().filter(through).collect();
    let port = PortId(51);
    assert_eq!(first, [&Output::Through { ticket: 0, port }, &Output::Through { ticket: 1, port }]);
}

#[test]
fn a_tor_keeps_two_shares_for_a_host_and_no_more() {
    let mut own = tor();
    let offer = |number: u32| Packet { number, ..packet(1, 6, Kind::Tor) };
    // A share is five packets.
    assert_eq!(show(&mut own, 101, offer(7), Side::Fabric), Verdict::Drop);
    assert_eq!(offers(&outputs(&mut own)), [(6, 7)]);
    assert_eq!(show(&mut own, 101, packet(1, 6, Kind::Data), Side::Fabric), Verdict::Hold);
    let other = Packet { number: 7, tors: [SwitchId(2), SwitchId(3)], ..offer(7) };
    assert_eq!(show(&mut own, 102, other, Side::Fabric), Verdict::Drop);
    assert_eq!(offers(&outputs(&mut own)), [(6, 3)], "one is here, six were promised");
    // As the circuit to ToR 1 is down again, what it did not send is free.
    assert_eq!(show(&mut own, 113, other, Side::Fabric), Verdict::Drop);
    assert_eq!(offers(&outputs(&mut own)), [(6, 7)]);
}

#[test]
fn a_host_has_its_share_of_an_opening() {
    let mut own = tor();
    for _ in 0..20 {
        show(&mut own, 1, packet(0, 2, Kind::Data), Side::Host);
    }
    let mut sent = 0;
    loop {
        let (now, outputs) = at_timer(&mut own);
        if now >= Time(200_000_000) {
            break;
        }
        sent += outputs.iter().filter(|own| matches!(own, Output::Through { .. })).count();
    }
    assert_eq!(sent, 5);
}
