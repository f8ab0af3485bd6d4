use super::event::What;
use super::log::BLOCK;
use super::plain::Stories;
use super::*;
use crate::record::{DropCause, FlowRecord};
use crate::topology::Node;
use crate::topology::tree::TreeShape;
use crate::workload::{Flow, Traffic};
use raddle_schemes::ids::{Entropy, FlowId};
use raddle_schemes::rng::Rng;
use raddle_schemes::units::{Bytes, Rate, Span};

/// A plan of one flow over two tiers, whose packets are kept.
fn plan() -> Plan {
    let (link, switch) = (Span::ns(500), Span::ns(500));
    let shape = TreeShape::fat_tree(2, 32, Rate::gbps(400), link, switch).unwrap();
    let flows = vec![Flow::at_zero(0, 31, Bytes(4096 * 300))];
    let traffic = Traffic { flows, ..Traffic::default() };
    let mut plan = Plan::new(shape.build().unwrap(), traffic, 1);
    plan.record.packets = vec![FlowId(0)];
    plan
}

type Told = (PortId, Time, Frame, What);

/// What is told of a packet on a random walk until it comes to a host, or the run ends.
fn walk(plan: &Plan, layout: &Layout, (number, sent): (u32, u64), rng: &mut Rng) -> Vec<Told> {
    let to = layout.to_receiver(FlowId(0), &plan.traffic.flows[0]);
    let entropy = Entropy(rng.below(1 << 16) as u16);
    let size = Bytes(if number == 299 { 200 } else { 4160 });
    let mut frame = Frame::new(to, number, (Kind::Data, 0), entropy, size);
    let (mut port, mut at) = (PortId(0), Time(sent));
    let mut told = vec![(port, at, frame, What::Left)];
    while let Node::Switch(_) = plan.fabric.destination(port) {
        if rng.below(200) == 0 {
            break;
        }
        let node = plan.fabric.destination(port);
        let there = at + plan.fabric.latency(port);
        let ports = (0..).map(PortId).zip(&plan.fabric.ports);
        let own: Vec<_> = ports.filter(|(_, own)| own.owner == node).map(|(id, _)| id).collect();
        port = own[rng.below(own.len() as u64) as usize];
        if rng.below(20) == 0 {
            frame.mark();
        }
        let found = rng.below(3) * 4160;
        told.push((port, there, frame, What::Queued(found)));
        if rng.below(20) == 0 {
            frame.mark();
        }
        at = there + Span(83_200 + rng.below(1_000_000));
        told.push((port, at, frame, What::Left));
    }
    told
}

#[test]
fn a_plain_story_is_what_following_its_frames_gives() {
    let plan = plan();
    let layout = Layout::new(&plan);
    let mut rng = Rng::new(1, "walks", 0);
    let mut told = Vec::new();
    for number in 0..300 {
        let sent = (u64::from(number) * 83_200, number + 1);
        told.extend(walk(&plan, &layout, (number, sent.0), &mut rng));
        let to = layout.to_sender(FlowId(0), &plan.traffic.flows[0]);
        let ack = Frame::new(to, sent.1, (Kind::Ack, 0), Entropy(7), Bytes(64));
        let last = plan.fabric.ports[0].peer;
        told.push((last, Time(sent.0 + 9_000_000), ack, What::Left));
    }
    told.sort_by_key(|own| own.1);
    let arrived = told.iter().filter(|(port, _, frame, what)| {
        let is_at_host = matches!(plan.fabric.destination(*port), Node::Host(_));
        frame.is_data() && is_at_host && *what == What::Left
    });
    let received = arrived.count() as u64;
    let record = FlowRecord { received, ..FlowRecord::default() };
    let mut trace = Trace::of(&plan).unwrap();
    // Half of what is told another part of the run knows.
    let mut other = Trace::of(&plan).unwrap();
    for &(port, at, frame, what) in &told {
        let part = if port.0 % 2 == 0 { &mut trace } else { &mut other };
        part.note(port, at, frame, what);
    }
    trace.add(*other);
    let plain = trace.finish(&plan, &std::iter::once(record.clone()).collect(), None);
    let mut stories = Stories::new(&plan);
    let mut followed = Packets::default();
    for &(port, at, frame, what) in &told {
        stories.add(match what {
            _ if frame.is_data() => Entry::Other { port, at, frame, what },
            _ => Entry::Heard(Heard { port, left: at, number: frame.number() }),
        });
    }
    stories.end(FlowId(0), &record, None, &mut followed);
    assert_eq!(plain, followed);
    assert_eq!(plain.len(), 300);
    let rows: Vec<_> = plain.rows().collect();
    assert!(rows.iter().any(|row| row.arrived.is_none()) && rows.iter().any(|row| row.marked));
    assert!(rows.iter().filter(|row| row.acked.is_some()).count() > 200);
    assert!(plain.hops().any(|hop| hop.found == Some(8320)) && plain.hops().any(|hop| hop.marked));
}

#[test]
fn what_is_written_down_is_read_back() {
    let plan = plan();
    let layout = Layout::new(&plan);
    let mut rng = Rng::new(2, "walks", 0);
    let mut log = Log::default();
    let mut added = Vec::new();
    for number in 0..300 {
        for (port, at, frame, what) in walk(&plan, &layout, (number, 7), &mut rng) {
            let left = at + Span(rng.below(1 << 30));
            let found = rng.below(2) * rng.below(1 << 20);
            let was_marked = rng.below(2) == 0;
            added.extend([
                Entry::Sent { port, at, frame },
                Entry::Passed(Passed { port, queued: at, found, left, frame, was_marked }),
                Entry::Other { port, at, frame, what },
                Entry::Heard(Heard { port, left, number }),
            ]);
        }
        for cause in crate::record::DropCause::ALL {
            let whats = [What::Lost(cause), What::Out, What::Trimmed, What::Within];
            let what = whats[rng.below(4) as usize];
            let frame = Frame::of_bits(layout.to_sender(FlowId(0), &plan.traffic.flows[0]), 77);
            added.push(Entry::Other { port: PortId(u32::MAX), at: Time(3), frame, what });
        }
    }
    let latencies: Vec<_> =
        (0..plan.fabric.ports.len() as u32).map(|id| plan.fabric.latency(PortId(id))).collect();
    added.iter().for_each(|entry| log.add(*entry, &latencies));
    let mut left = added.iter();
    let blocks = log.read(&latencies, |entry| assert_eq!(Some(&entry), left.next()));
    assert!(left.next().is_none() && blocks.len() > 1);
    assert!(blocks.iter().all(|block| block.capacity() <= BLOCK));
}

#[test]
fn what_is_as_expected_takes_few_bytes() {
    let plan = plan();
    let layout = Layout::new(&plan);
    let to = layout.to_receiver(FlowId(0), &plan.traffic.flows[0]);
    let latencies: Vec<_> =
        (0..plan.fabric.ports.len() as u32).map(|id| plan.fabric.latency(PortId(id))).collect();
    let mut rng = Rng::new(3, "entropies", 0);
    let mut added = Vec::new();
    for number in 0..5000 {
        let entropy = Entropy(rng.below(1 << 16) as u16);
        let frame = Frame::new(to, number, (Kind::Data, 0), entropy, Bytes(4160));
        let (mut port, mut left) = (PortId(0), Time(u64::from(number) * 83_200));
        added.push(Entry::Sent { port, at: left, frame });
        for next in [40, 50, 60] {
            // One in a hundred waits where nobody sees it.
            let queued = left + latencies[port.index()] + Span(rng.below(100) / 99);
            (port, left) = (PortId(next), queued + Span(83_200));
            let (found, was_marked) = (0, false);
            added.push(Entry::Passed(Passed { port, queued, found, left, frame, was_marked }));
        }
    }
    let mut log = Log::default();
    added.iter().for_each(|entry| log.add(*entry, &latencies));
    assert!(log.blocks() * BLOCK < added.len() * 8, "{} blocks", log.blocks());
    let mut left = added.iter();
    log.read(&latencies, |entry| assert_eq!(Some(&entry), left.next()));
    assert!(left.next().is_none());
}

/// Of a link with retry it is known late that a frame left: when the far end has taken it in.
#[test]
fn a_frame_that_left_before_is_not_one_that_joined_since() {
    let plan = plan();
    let mut trace = Trace::of(&plan).unwrap();
    let to = trace.layout.to_receiver(FlowId(0), &plan.traffic.flows[0]);
    let again = (Kind::Data, flag::AGAIN);
    let frame = Frame::new(to, 9, again, Entropy(1), Bytes(4160));
    let port = PortId(plan.fabric.hosts);
    // The second finds no room; the third waits when it is told that the first has left.
    let lost = What::Lost(DropCause::Overflow);
    let told = [(10, What::Queued(0)), (20, lost), (40, What::Queued(0)), (30, What::Left)];
    told.into_iter().for_each(|(at, what)| trace.note(port, Time(at), frame, what));
    assert_eq!(trace.waiting[port.index()].len(), 1);
}
