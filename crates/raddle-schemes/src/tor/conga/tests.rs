//! Two leaves and two spines by hand. Links run at 100 Gbit/s: an eighth of 160 us are 250 kB.

use super::super::{Kind, Verdict};
use super::*;
use crate::ids::{Entropy, HostId};
use crate::rng::Rng;
use crate::units::{Bytes, Rate};

/// The ways of a switch are ports from this number on.
struct Links(u32, usize);

impl Ways for Links {
    fn count(&self) -> usize {
        self.1
    }
    fn port(&self, way: usize) -> PortId {
        PortId(self.0 + way as u32)
    }
    fn rate(&self, _: usize) -> Rate {
        Rate::gbps(100)
    }
}

fn switch(number: u32, edge: bool) -> Conga {
    let context = TorContext {
        switch: SwitchId(number),
        stream: 1,
        ways_up: [2, 1],
        edge,
        ..TorContext::NOMINAL
    };
    Conga::new(&Config::default(), &context)
}

/// A packet of a flow from leaf 0 to leaf 1, or an answer to one.
fn packet(flow: u32, forward: bool, bytes: u64) -> Packet {
    Packet {
        flow: FlowId(flow),
        sender: HostId(0),
        receiver: HostId(9),
        tors: [SwitchId(0), SwitchId(1)],
        paths: 2,
        round_trip: Span::us(4),
        kind: if forward { Kind::Data } else { Kind::Ack },
        forward,
        number: 0,
        entropy: Entropy(0),
        flagged: false,
        marked: false,
        again: false,
        bytes: Bytes(bytes),
        waits: false,
        note: Note::default(),
    }
}

fn show(switch: &mut Conga, us: u64, p: &mut Packet, from: Side, ways: &Links) -> Verdict {
    let rng = &mut Rng::new(1, "test", us);
    let cx = &mut SwitchCx { now: Time::ZERO + Span::us(us), rng };
    switch.on_ingress(cx, p, from, ways)
}

#[test]
fn a_tag_is_what_a_note_says() {
    let entry = Entry { uplink: PortId(77), metric: 7 };
    for feedback in [None, Some(entry)] {
        let tag = Tag { uplink: PortId(3), congestion: 5, feedback };
        assert_eq!(Tag::of(tag.note()), Some(tag));
    }
    assert_eq!(Tag::of(Note::default()), None);
}

/// Leaf 0 sends 600 kB through one uplink (2 eighths); its spine has sent 1 MB down to leaf 1 before
/// (4 eighths, then 6). Leaf 1 learns of 6 and tells with the ACK; the next flowlet of leaf 0 takes the
/// other uplink, and one after the aging either.
#[test]
fn what_a_path_carries_comes_back_and_the_next_flowlet_avoids_it() {
    let (up, down, back) = (Links(100, 2), Links(200, 1), Links(300, 2));
    let (mut leaf0, mut leaf1, mut spine) = (switch(0, true), switch(1, true), switch(2, false));
    // Traffic of others that the spine has sent to leaf 1.
    let mut other = packet(8, true, 1_000_000);
    show(&mut spine, 0, &mut other, Side::Fabric, &down);
    let mut p = packet(1, true, 600_000);
    let Verdict::Via(first) = show(&mut leaf0, 1, &mut p, Side::Host, &up) else { panic!() };
    let uplink = up.port(first);
    assert_eq!(Tag::of(p.note), Some(Tag { uplink, congestion: 2, feedback: None }));
    assert_eq!(show(&mut spine, 3, &mut p, Side::Fabric, &down), Verdict::Via(0));
    assert_eq!(Tag::of(p.note).map(|tag| tag.congestion), Some(6));
    assert_eq!(show(&mut leaf1, 5, &mut p, Side::Fabric, &Links(400, 1)), Verdict::Pass);
    assert_eq!(p.note, Note::default());
    // Until then leaf 0 only knows its own link: 2 against 0.
    let mut ack = packet(1, false, 64);
    show(&mut leaf1, 6, &mut ack, Side::Host, &back);
    let told = Tag::of(ack.note).and_then(|tag| tag.feedback);
    assert_eq!(told, Some(Entry { uplink, metric: 6 }));
    show(&mut leaf0, 9, &mut ack, Side::Fabric, &Links(500, 1));
    // The flow goes on where it was while it has not paused for 500 us.
    let next =
        |leaf: &mut Conga, us, flow| show(leaf, us, &mut packet(flow, true, 64), Side::Host, &up);
    assert_eq!(next(&mut leaf0, 501, 1), Verdict::Via(first));
    // A new one, and the same after a pause, when the leaf's own link has long been idle.
    for (us, flow) in [(502, 2), (1_002, 1), (9_000, 3)] {
        assert_eq!(next(&mut leaf0, us, flow), Verdict::Via(1 - first));
    }
    // What was told at 9 us is forgotten behind 10_009 us: new flows take either.
    let taken: Vec<Verdict> =
        (0..20).map(|flow| next(&mut leaf0, 10_010 + flow, 20 + flow as u32)).collect();
    assert!([0, 1].iter().all(|way| taken.contains(&Verdict::Via(*way))), "{taken:?}");
    // Among equals a flow stays on the uplink of its last flowlet.
    assert_eq!(next(&mut leaf0, 12_000, 3), Verdict::Via(1 - first));
}

#[test]
fn within_a_rack_it_does_nothing() {
    let mut leaf = switch(0, true);
    let mut p = Packet { tors: [SwitchId(0); 2], ..packet(1, true, 4_096) };
    let before = p;
    assert_eq!(show(&mut leaf, 1, &mut p, Side::Host, &Links(7, 1)), Verdict::Pass);
    assert_eq!(p, before);
}
