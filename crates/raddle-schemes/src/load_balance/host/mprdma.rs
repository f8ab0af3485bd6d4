//! MP-RDMA's path selection: an ACK that lets a packet go also says which way.
//!
//! A path gets as many packets as it returns ACKs, so that slow paths slow down by themselves.
//! REPS spec, sections 4 (item 4) and 4.1, after the artifact of the REPS paper: marked ACKs are
//! followed as well, since they open the window less often.
//!
//! Reading: what the latest ACK said holds for all packets until the next one, as in the artifact.
//! NACKs and timeouts say nothing.

use super::{Fate, Feedback, Outgoing, PathSelector};
use crate::family::Need;
use crate::ids::Entropy;
use crate::probe::Probes;
use crate::units::Bytes;
use crate::{Card, Cx, FlowContext};
use serde::Serialize;

/// What `raddle schemes mprdma` says.
pub const CARD: Card = Card {
    name: "mprdma",
    title: "MP-RDMA, paths clocked by ACKs",
    paper: "Lu et al., Multi-Path Transport for RDMA in Datacenters, NSDI 2018, as modelled by \
            Bonato et al., EuroSys 2026",
    needs: &[Need::OutOfOrder, Need::PacketAcks],
    summary: "A packet follows the path of the ACK that let it go, else takes a random one. \
              Shifts load away from slow paths without state per path.",
};

crate::parameters! {
    /// Parameters of MP-RDMA's path selection.
    pub struct Config {
        /// How many entropy values there are to draw from (`EVS_SIZE`).
        pub entropies: u32 = 65_536, in 1..=65_536;
    }
}

/// An ACK lets a packet go if it makes room for a packet less this (`MTU - 66` in the artifact).
const SLACK: Bytes = Bytes(66);

/// The path of the latest ACK that let a packet go.
#[derive(Clone, Debug, Serialize)]
pub struct Mprdma {
    entropies: u32,
    /// More room than this lets a packet go.
    room: u32,
    /// The path to follow; none before the first ACK, and after one that let nothing go.
    follow: Option<Entropy>,
}

impl Mprdma {
    /// No path to follow yet.
    pub fn new(config: &Config, context: &FlowContext) -> Self {
        let room = context.packet().0.saturating_sub(SLACK.0) as u32;
        Self { entropies: config.entropies, room, follow: None }
    }
}

impl PathSelector for Mprdma {
    fn probes(&self, to: &mut dyn Probes) {
        to.flag("follows", self.follow.is_some());
    }

    /// There is no ACK whose path a packet could follow: a window that leaves at once would take
    /// one path.
    fn begin_message(&mut self) {
        self.follow = None;
    }

    /// Section 4.1, MPRDMA, step 3.
    #[inline]
    fn next_path(&mut self, cx: &mut Cx<'_>, _packet: &Outgoing) -> Entropy {
        match self.follow {
            Some(path) => path,
            None => Entropy(cx.rng.below(u64::from(self.entropies)) as u16),
        }
    }

    fn learns_entropies(&self) -> bool {
        true
    }

    /// Section 4.1, MPRDMA, steps 1 and 2.
    #[inline]
    fn on_feedback(&mut self, _cx: &mut Cx<'_>, news: &Feedback) {
        if !matches!(news.fate, Fate::Clean | Fate::Marked) {
            return;
        }
        let (before, after) = (news.window_before.0, news.window_after.0);
        let room = u64::from(self.room);
        let lets_go =
            after > before.saturating_add(room) || after > news.in_flight.0.saturating_add(room);
        self.follow = lets_go.then_some(news.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Psn;
    use crate::rng::Rng;
    use crate::units::Time;

    /// What a random draw gives here: there is one entropy, and no test uses it.
    const R: u16 = 0;
    /// Payload and header of the nominal flow.
    const PACKET: u64 = 4160;

    struct Flow(Mprdma, Rng);

    impl Flow {
        fn new() -> Self {
            let config = Config { entropies: 1 };
            Self(Mprdma::new(&config, &FlowContext::NOMINAL), Rng::new(1, "flow", 0))
        }
        fn send(&mut self) -> u16 {
            let mut cx = Cx { now: Time::ZERO, rng: &mut self.1, events: &mut () };
            self.0.next_path(&mut cx, &Outgoing { psn: Psn(0), again: false }).0
        }
        fn news(&mut self, path: u16, fate: Fate, windows: (u64, u64), in_flight: u64) {
            let news = Feedback {
                path: Entropy(path),
                fate,
                rtt: None,
                window_before: Bytes(windows.0),
                window_after: Bytes(windows.1),
                in_flight: Bytes(in_flight),
            };
            let mut cx = Cx { now: Time::ZERO, rng: &mut self.1, events: &mut () };
            self.0.on_feedback(&mut cx, &news);
        }
    }

    const WINDOW: u64 = 100 * PACKET;
    const SAME: (u64, u64) = (WINDOW, WINDOW);

    #[test]
    fn packets_are_sprayed_before_the_first_ack() {
        let mut flow = Flow::new();
        assert_eq!([(); 3].map(|()| flow.send()), [R; 3]);
        flow.news(7, Fate::Trimmed, SAME, 0);
        flow.news(7, Fate::TimedOut, SAME, 0);
        assert_eq!(flow.send(), R, "a NACK and a timeout are no ACKs");
    }

    #[test]
    fn an_ack_that_makes_room_for_a_packet_gives_it_its_path() {
        let mut flow = Flow::new();
        flow.news(7, Fate::Clean, SAME, WINDOW - PACKET);
        assert_eq!([(); 2].map(|()| flow.send()), [7; 2]);
        flow.news(8, Fate::Marked, SAME, WINDOW - PACKET);
        assert_eq!(flow.send(), 8, "marked or not");
    }

    #[test]
    fn an_ack_that_shrinks_the_window_sends_packets_at_random_again() {
        let mut flow = Flow::new();
        flow.news(7, Fate::Clean, SAME, WINDOW - PACKET);
        flow.news(8, Fate::Marked, (WINDOW, WINDOW - PACKET / 4), WINDOW - PACKET);
        assert_eq!(flow.send(), R);
    }

    #[test]
    fn room_means_more_than_a_packet_less_66_bytes() {
        for (room, path) in [(PACKET - 66, R), (PACKET - 65, 7)] {
            let mut idle = Flow::new();
            idle.news(7, Fate::Clean, SAME, WINDOW - room);
            assert_eq!(idle.send(), path, "room in the window");
            let mut grown = Flow::new();
            grown.news(7, Fate::Clean, (WINDOW, WINDOW + room), WINDOW + room);
            assert_eq!(grown.send(), path, "a window that grew while full");
        }
    }

    #[test]
    fn the_first_window_of_the_next_message_is_sprayed() {
        let mut flow = Flow::new();
        flow.news(7, Fate::Clean, SAME, WINDOW - PACKET);
        flow.0.begin_message();
        assert_eq!(flow.send(), R);
    }
}
