//! One flow through empty queues.
//!
//! The window never binds, nothing is lost, every packet is acknowledged at once, and switches
//! store and forward. Frames follow each other on a link with the gap between them.

use super::frames::Frames;
use super::route::{Route, crossing};
use raddle_schemes::units::{Bytes, Span};

/// A message on its way, and its ACKs' way back.
#[derive(Clone, Debug)]
pub struct Lone<'a> {
    /// The message.
    pub message: Bytes,
    /// What it looks like on the wire.
    pub frames: &'a Frames,
    /// The data's way.
    pub route: &'a Route,
    /// The ACKs' way.
    pub back: &'a Route,
}

impl Lone<'_> {
    /// From the start to the last ACK at the sender, all packets on one path: exact where ACKs do
    /// not queue, which needs frames no smaller than ACKs and a way back no slower than the way.
    ///
    /// Packet `k` leaves hop `h` after packet `k` left hop `h - 1` and after packet `k - 1` left
    /// hop `h`. The longest chain of such steps takes the slowest hop of those that full packets
    /// cross one after the other, then passes to the last, smaller packet at some hop.
    pub fn on_one_path(&self) -> Span {
        let (first, last) = (self.frames.first(self.message), self.frames.last(self.message));
        let packets = self.frames.packets(self.message);
        let hops = &self.route.hops;
        let delivered = if packets == 1 {
            crossing(hops, last)
        } else {
            let mut slowest = 0;
            let mut longest = 0;
            for h in 0..hops.len() {
                let rate = hops[h].rate;
                slowest = slowest.max(self.frames.occupancy(rate, first).0);
                let pass = self.frames.gap_after(rate, first).0 + rate.serialisation(last).0;
                // The latency of hop `h` is crossed once, after the last packet's bits.
                let before = crossing(&hops[..h], first).0 + rate.serialisation(first).0;
                let after = hops[h].latency.0 + crossing(&hops[h + 1..], last).0;
                longest = longest.max(before + (packets - 2) * slowest + pass + after);
            }
            Span(longest)
        };
        delivered + self.ack_return()
    }

    /// From the start to the last byte at the receiver, at least: packets may take different paths
    /// and overtake, only the first and the last hop are common to all.
    pub fn delivered_at_least(&self) -> Span {
        let (first, last) = (self.frames.first(self.message), self.frames.last(self.message));
        let packets = self.frames.packets(self.message);
        let nic = self.route.hops[0].rate;
        // A host's ports send at once: the last of n packets starts when one of p has sent (n - 1) / p.
        let before = |packets: u64| packets / u64::from(self.route.links[0]);
        let occupancy = self.frames.occupancy(nic, first).0;
        let last_full = before((packets - 1).saturating_sub(1)) * occupancy;
        let sent_before = before(packets - 1) * occupancy;
        let by_sender = (last_full + crossing(&self.route.hops, first).0)
            .max(sent_before + crossing(&self.route.hops, last).0);
        let by_receiver = self.release().0
            + self.receiver_occupancy().0.saturating_sub(self.receiver_slack().0)
            + self.route.hops[self.route.hops.len() - 1].latency.0;
        Span(by_sender.max(by_receiver))
    }

    /// From the start to the last ACK at the sender in a fabric without other traffic: what a
    /// slowdown is over. Where each hop is one link, the time on that path, exactly; else what no
    /// scheme is faster than, however it shares a hop's links: packets may overtake each other, which
    /// one path exceeds by less than a packet's time on each of the hops between.
    pub fn ideal(&self) -> Span {
        let Route { hops, links } = self.route;
        if links.iter().all(|&links| links == 1) {
            return self.on_one_path();
        }
        let last = self.frames.last(self.message);
        let nic = hops[0].rate.serialisation(self.frames.first(self.message)) + hops[0].latency;
        // A hop's links together, from when the first packet can be there until all have left them.
        let shared = |h: usize| {
            let all = self.frames.message_occupancy(hops[h].rate, self.message).0;
            let before = nic + crossing(&hops[1..h], last);
            let after = hops[h].latency + crossing(&hops[h + 1..], last);
            (before + after).0 + (all / u64::from(links[h])).saturating_sub(self.slack(h).0)
        };
        let between = (1..hops.len() - 1).map(shared).max().unwrap_or(0);
        Span(between.max(self.delivered_at_least().0)) + self.ack_return()
    }

    /// The same of a message in pieces, of which this is one: they have its way, and go side by side.
    /// However small the frames are that end them, the links of each hop carry them all.
    pub fn ideal_with(&self, others: &[Lone<'_>]) -> Span {
        let Route { hops, .. } = self.route;
        let all = || std::iter::once(self).chain(others);
        let least = |of: fn(&Lone<'_>) -> Bytes| all().map(of).min().unwrap_or_default();
        let last = least(|own| own.frames.last(own.message));
        let nic = crossing(&hops[..1], last);
        let through = |hop: usize| {
            let occupied: u64 = all().map(|own| own.occupancy(hop).0).sum();
            let slack = all().map(|own| own.slack(hop).0).max().unwrap_or(0);
            let before = if hop == 0 { 0 } else { nic.0 + crossing(&hops[1..hop], last).0 };
            let after = hops[hop].latency.0 + crossing(&hops[hop + 1..], last).0;
            before + occupied.saturating_sub(slack) + after
        };
        Span((0..hops.len()).map(through).max().unwrap_or(0)) + self.ack_return()
    }

    /// The way of an ACK back.
    pub fn ack_return(&self) -> Span {
        self.back.crossing(self.frames.ack)
    }
}

/// The parts that the bound of a host's link adds up over flows.
impl Lone<'_> {
    /// How long the packets and their gaps occupy the sender's links, each of which has a share.
    pub(super) fn sender_occupancy(&self) -> Span {
        self.occupancy(0)
    }

    /// How long they occupy the receiver's links.
    pub(super) fn receiver_occupancy(&self) -> Span {
        self.occupancy(self.route.hops.len() - 1)
    }

    fn occupancy(&self, hop: usize) -> Span {
        let all = self.frames.message_occupancy(self.route.hops[hop].rate, self.message);
        Span(all.0 / u64::from(self.route.links[hop]))
    }

    /// The longest gap after a packet on the sender's link: part of the occupancy, but the packet
    /// is out before it.
    pub(super) fn sender_slack(&self) -> Span {
        self.slack(0)
    }

    /// The same on the receiver's link.
    pub(super) fn receiver_slack(&self) -> Span {
        self.slack(self.route.hops.len() - 1)
    }

    /// Rounding may make gaps differ by a picosecond.
    fn slack(&self, hop: usize) -> Span {
        let rate = self.route.hops[hop].rate;
        let gap = |frame| self.frames.gap_after(rate, frame);
        gap(self.frames.first(self.message)).max(gap(self.frames.last(self.message)))
    }

    /// From the start until the receiver's link can be busy with the flow, at least.
    pub(super) fn release(&self) -> Span {
        let hops = &self.route.hops;
        let first = self.frames.first_out(self.message, self.route.links[0]);
        let first = hops[0].rate.serialisation(first) + hops[0].latency;
        first + crossing(&hops[1..hops.len() - 1], self.frames.last(self.message))
    }

    /// From a packet leaving the sender's link to its ACK, at least.
    pub(super) fn after_sender(&self) -> Span {
        let hops = &self.route.hops;
        let rest = crossing(&hops[1..], self.frames.last(self.message));
        hops[0].latency + rest + self.ack_return()
    }

    /// From a packet leaving the receiver's link to its ACK.
    pub(super) fn after_receiver(&self) -> Span {
        self.route.hops[self.route.hops.len() - 1].latency + self.ack_return()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::route::Hop;
    use raddle_schemes::rng::Rng;
    use raddle_schemes::units::Rate;

    const FRAMES: Frames =
        Frames { payload: Bytes(4096), header: Bytes(62), ack: Bytes(64), gap: Bytes(20) };

    fn route(gbps: &[u64], latency: Span) -> Route {
        let hop = |&rate: &u64| Hop { rate: Rate::gbps(rate), latency };
        let hops: Vec<Hop> = gbps.iter().map(hop).collect();
        Route { links: vec![1; hops.len()], hops }
    }

    /// Every packet at every hop, one after the other.
    fn replay(message: Bytes, frames: &Frames, route: &Route, back: &Route) -> Span {
        let mut free = vec![0; route.hops.len()];
        let mut arrived = 0;
        let packets = frames.packets(message);
        for packet in 0..packets {
            let last = packet == packets - 1;
            let frame = if last { frames.last(message) } else { frames.first(message) };
            arrived = 0;
            for (hop, free) in route.hops.iter().zip(&mut free) {
                let start = arrived.max(*free);
                *free = start + frames.occupancy(hop.rate, frame).0;
                arrived = start + hop.rate.serialisation(frame).0 + hop.latency.0;
            }
        }
        Span(arrived) + back.crossing(frames.ack)
    }

    #[test]
    fn a_lone_message_of_the_load_balancing_study_takes_what_first_principles_say() {
        let route = route(&[800; 6], Span::ns(500));
        let time = |packets: u64| {
            let message = Bytes(packets * 4096);
            let lone = Lone { message, frames: &FRAMES, route: &route, back: &route };
            assert_eq!(lone.on_one_path(), (lone.delivered_at_least() + lone.ack_return()));
            lone.on_one_path()
        };
        // Zero-load round trip: 2 T_p + 6 T_d + 6 T_a.
        assert_eq!(time(1), Span(6_253_320));
        assert_eq!(time(256), Span(6_253_320 + 255 * 41_780));
    }

    #[test]
    fn the_closed_form_agrees_with_a_replay_of_every_packet() {
        let mut rng = Rng::new(1, "test", 0);
        for _ in 0..2_000 {
            let hops: Vec<u64> = (0..2 + rng.below(5)).map(|_| 1 + rng.below(12)).collect();
            let route = route(&hops, Span(1 + rng.below(1_000_000)));
            let frames = Frames { gap: Bytes(20 * rng.below(2)), ..FRAMES };
            let message = Bytes(1 + rng.below(40_000));
            let lone = Lone { message, frames: &frames, route: &route, back: &route };
            assert_eq!(lone.on_one_path(), replay(message, &frames, &route, &route));
            assert!((lone.delivered_at_least() + lone.ack_return()) <= lone.on_one_path());
            assert_eq!(lone.ideal(), lone.on_one_path());
            // No more than on one path where there are several, and no less than by the ends alone.
            let several = Route { links: vec![3; route.hops.len()], ..route.clone() };
            let spread = Lone { route: &several, ..lone.clone() };
            assert!(spread.ideal() <= lone.on_one_path());
            assert!(spread.ideal() >= spread.delivered_at_least() + spread.ack_return());
        }
    }

    /// Sixteen packets of 256 B are there before one of 4096 B is: the way of a frame is that of a small
    /// one, and what a link carries is more.
    #[test]
    fn a_message_in_pieces_can_be_faster_than_in_one() {
        let route = route(&[100; 4], Span::us(1));
        let lone =
            |bytes| Lone { message: Bytes(bytes), frames: &FRAMES, route: &route, back: &route };
        let pieces = vec![lone(256); 15];
        let ideal = lone(256).ideal_with(&pieces);
        // The last starts when 15 have gone, each with a gap, and crosses four links.
        let [frame, gap] = [318, 20].map(|bytes| Rate::gbps(100).serialisation(Bytes(bytes)));
        let sent = 15 * Rate::gbps(100).serialisation(Bytes(338)).0;
        assert_eq!(ideal, Span(sent + 4 * (frame.0 + 1_000_000)) + lone(256).ack_return());
        assert!(ideal < lone(4096).ideal() && gap > Span::ZERO);
        assert_eq!(lone(4096).ideal_with(&[]), lone(4096).ideal());
    }

    /// Ten links of 10 Gbps behind a host of 100 carry what it sends; one of them takes ten times as
    /// long, and so does a message that is spread over all where it may use one.
    #[test]
    fn the_links_of_a_hop_are_as_fast_as_all_of_them() {
        let message = Bytes(4096 * 10_000);
        let time = |links: u32| {
            let route = Route { links: vec![1, links, 1], ..route(&[100, 10, 100], Span::us(1)) };
            let lone = Lone { message, frames: &FRAMES, route: &route, back: &route };
            lone.ideal().0 as f64
        };
        let one = time(1);
        assert!((one / time(10) - 10.0).abs() < 0.1, "{} {}", one, time(10));
        assert!((one / time(5) - 5.0).abs() < 0.05);
        assert_eq!(time(10), time(20));
    }
}
