//! What a receiving host grants the messages that arrive there: SRPT among them, overcommitment,
//! data classes, and requests for what is missing (Homa, SIGCOMM 2018, sections 3.3 to 3.7).

use crate::congestion::{Grant, GrantPlan};
use crate::ids::{HostId, Psn};
use crate::units::{Span, Time};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// What a receiver tells the sender of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Packets below a number may leave.
    Grant(u32, Grant),
    /// This packet, and those missing behind it, shall be sent again.
    Resend(u32, Psn),
}

/// Most that the wait between two requests doubles.
const MOST_DOUBLINGS: u32 = 6;

/// The messages that arrive at one host, each under a number of the caller's.
#[derive(Clone, Debug, Default)]
pub struct Granter {
    messages: BTreeMap<u32, Incoming>,
    /// Those of which not all is granted, by how much they lack.
    wanting: BTreeSet<(u32, u32)>,
    /// No message has news to wait for that is due before.
    due: Option<Time>,
    /// The messages granted last, the shortest first; kept for its memory.
    active: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Incoming {
    sender: HostId,
    plan: GrantPlan,
    total: u32,
    arrived: u32,
    /// The first packet that is missing.
    low: u32,
    granted: u32,
    class: u8,
    /// The last news: a packet, a grant or a request.
    since: Time,
    /// How often the wait has doubled.
    doublings: u32,
}

impl Incoming {
    fn lacks(&self) -> u32 {
        self.total - self.arrived
    }

    /// When its silence has lasted too long, if it shall say something.
    fn deadline(&self) -> Option<Time> {
        let wait = Span(self.plan.resend.0.saturating_mul(1 << self.doublings));
        (self.granted > self.arrived).then(|| self.since + wait)
    }
}

impl Granter {
    /// The first packet of a message of `total` packets has come from `sender`.
    pub fn begin(&mut self, now: Time, message: u32, sender: HostId, total: u32, plan: GrantPlan) {
        let granted = plan.window.min(total);
        let incoming = Incoming {
            sender,
            plan,
            total,
            arrived: 0,
            low: 0,
            granted,
            class: 0,
            since: now,
            doublings: 0,
        };
        if granted < total {
            self.wanting.insert((total, message));
        }
        self.wait_until(incoming.deadline());
        self.messages.insert(message, incoming);
    }

    /// A packet of the message has come: of its packets so many have, and `low` is the first that has
    /// not.
    pub fn on_data(&mut self, now: Time, message: u32, arrived: u32, low: u32) {
        let Some(incoming) = self.messages.get_mut(&message) else { return };
        if arrived != incoming.arrived && self.wanting.remove(&(incoming.lacks(), message)) {
            self.wanting.insert((incoming.total - arrived, message));
        }
        (incoming.arrived, incoming.low) = (arrived, low);
        (incoming.since, incoming.doublings) = (now, 0);
        let deadline = incoming.deadline();
        self.wait_until(deadline);
    }

    /// All of the message has come.
    pub fn end(&mut self, message: u32) {
        if let Some(incoming) = self.messages.remove(&message) {
            self.wanting.remove(&(incoming.lacks(), message));
        }
    }

    /// Grants what there is to grant now. To be called after the other calls.
    pub fn grant(&mut self, now: Time, mut tell: impl FnMut(Notice)) {
        let mut active = core::mem::take(&mut self.active);
        active.clear();
        for &(_, message) in &self.wanting {
            let incoming = &self.messages[&message];
            if active.len() >= incoming.plan.overcommitment as usize {
                break;
            }
            let is_same = |other: &u32| self.messages[other].sender == incoming.sender;
            if !active.iter().any(is_same) {
                active.push(message);
            }
        }
        for (place, &message) in active.iter().enumerate() {
            let Some(incoming) = self.messages.get_mut(&message) else { continue };
            let upto = incoming.total.min(incoming.arrived.saturating_add(incoming.plan.window));
            if upto <= incoming.granted {
                continue;
            }
            // The last has the lowest class, which those beyond the number of classes share.
            let highest = active.len().min(usize::from(incoming.plan.classes)) - 1;
            let class = highest.saturating_sub(place) as u8;
            (incoming.granted, incoming.class, incoming.since) = (upto, class, now);
            if upto == incoming.total {
                self.wanting.remove(&(incoming.lacks(), message));
            }
            tell(Notice::Grant(message, Grant { upto, class }));
            let deadline = incoming.deadline();
            self.wait_until(deadline);
        }
        self.active = active;
    }

    fn wait_until(&mut self, deadline: Option<Time>) {
        self.due = self.due.into_iter().chain(deadline).min();
    }

    /// Not before this time [`Granter::on_timer`] has something to do.
    pub fn due(&self) -> Option<Time> {
        self.due
    }

    /// Repeats the grants of messages that have been silent for too long, and asks for what is missing.
    pub fn on_timer(&mut self, now: Time, mut tell: impl FnMut(Notice)) {
        self.due = None;
        for (&message, incoming) in &mut self.messages {
            let Some(deadline) = incoming.deadline() else { continue };
            if deadline <= now {
                let grant = Grant { upto: incoming.granted, class: incoming.class };
                tell(Notice::Grant(message, grant));
                tell(Notice::Resend(message, Psn(incoming.low)));
                incoming.since = now;
                incoming.doublings = (incoming.doublings + 1).min(MOST_DOUBLINGS);
            }
            self.due = self.due.into_iter().chain(incoming.deadline()).min();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn plan(window: u32, overcommitment: u32, classes: u8) -> GrantPlan {
        let (resend, base_rtt) = (Span::us(50), Span::us(8));
        GrantPlan { window, overcommitment, classes, resend, base_rtt }
    }

    /// A host's granter, and what has arrived of each message.
    struct Host {
        granter: Granter,
        arrived: BTreeMap<u32, u32>,
    }

    impl Host {
        /// Messages from a sender each, which have these numbers of packets.
        fn new(plan: GrantPlan, totals: &[u32]) -> Self {
            let mut granter = Granter::default();
            for (message, &total) in (0..).zip(totals) {
                granter.begin(Time::ZERO, message, HostId(100 + message), total, plan);
            }
            Self { granter, arrived: BTreeMap::new() }
        }

        /// The next packet of a message comes. Returns whom it lets go how far, in which class.
        fn packet(&mut self, us: u64, message: u32) -> Vec<(u32, u32, u8)> {
            let arrived = self.arrived.entry(message).or_default();
            *arrived += 1;
            let now = Time::ZERO + Span::us(us);
            if self.granter.messages[&message].total == *arrived {
                self.granter.end(message);
            } else {
                self.granter.on_data(now, message, *arrived, *arrived);
            }
            let mut told = Vec::new();
            self.granter.grant(now, |notice| match notice {
                Notice::Grant(message, Grant { upto, class }) => told.push((message, upto, class)),
                Notice::Resend(..) => panic!("nobody asked"),
            });
            told
        }
    }

    /// By hand: RTTbytes of 3 packets, one message of 6. Its 3 unscheduled packets let go one more
    /// each; the last 3 need no grant.
    #[test]
    fn each_packet_that_comes_lets_one_more_go_until_all_are_granted() {
        let mut host = Host::new(plan(3, 1, 5), &[6]);
        assert_eq!(host.packet(1, 0), [(0, 4, 0)]);
        assert_eq!(host.packet(2, 0), [(0, 5, 0)]);
        assert_eq!(host.packet(3, 0), [(0, 6, 0)]);
        for us in 4..7 {
            assert_eq!(host.packet(us, 0), []);
        }
        assert!(host.granter.messages.is_empty() && host.granter.wanting.is_empty());
        let mut short = Host::new(plan(3, 1, 5), &[3, 1]);
        assert_eq!((short.packet(1, 0), short.packet(1, 1)), (vec![], vec![]), "unscheduled alone");
    }

    #[test]
    fn one_message_at_a_time_is_the_one_that_lacks_the_least() {
        let mut host = Host::new(plan(2, 1, 5), &[8, 5]);
        // The longer one's packets let go the shorter one, whose own have not come: nothing is new.
        assert_eq!(host.packet(1, 0), []);
        assert_eq!(host.packet(1, 1), [(1, 3, 0)]);
        assert_eq!(host.packet(2, 0), []);
        assert_eq!(host.packet(2, 1), [(1, 4, 0)]);
        // It is all granted: the other's turn, which has two packets to catch up with.
        assert_eq!(host.packet(3, 1), [(1, 5, 0)]);
        assert_eq!(host.packet(4, 1), [(0, 4, 0)]);
        // A new one that is shorter takes over.
        host.granter.begin(Time::ZERO, 2, HostId(7), 4, plan(2, 1, 5));
        assert_eq!(host.packet(5, 2), [(2, 3, 0)]);
        assert_eq!(host.packet(5, 0), [], "it lacks 5, the new one 3");
        assert_eq!(host.packet(6, 2), [(2, 4, 0)]);
        assert_eq!(host.packet(6, 0), [(0, 6, 0)]);
    }

    #[test]
    fn so_many_messages_are_granted_as_the_overcommitment_says() {
        for most in 1..=4 {
            let mut host = Host::new(plan(1, most, 3), &[30, 20, 10]);
            let told: Vec<_> = (0..3).flat_map(|message| host.packet(1, message)).collect();
            let granted: Vec<_> = told.iter().map(|(message, ..)| *message).collect();
            let expected = [&[2][..], &[1, 2], &[0, 1, 2], &[0, 1, 2]][most as usize - 1];
            assert_eq!(granted, expected, "{most}");
        }
    }

    #[test]
    fn the_shortest_has_the_highest_class_and_the_last_the_lowest() {
        let mut host = Host::new(plan(1, 4, 3), &[40, 30, 20, 10]);
        (0..4).for_each(|message| _ = host.packet(1, message));
        let class = |host: &mut Host, message| host.packet(2, message)[0].2;
        let classes = [0, 1, 2, 3].map(|message| class(&mut host, message));
        assert_eq!(classes, [0, 0, 1, 2], "four of them, three classes");
        let mut two = Host::new(plan(1, 4, 3), &[20, 10]);
        (0..2).for_each(|message| _ = two.packet(1, message));
        assert_eq!([0, 1].map(|message| class(&mut two, message)), [0, 1], "the lowest two");
    }

    #[test]
    fn of_one_sender_only_the_shortest_message_is_granted() {
        let plan = plan(1, 4, 3);
        let mut host = Host::new(plan, &[9]);
        host.granter.begin(Time::ZERO, 1, HostId(100), 5, plan);
        assert_eq!(host.packet(1, 0), []);
        assert_eq!(host.packet(1, 1), [(1, 2, 0)]);
        assert_eq!(host.packet(2, 0), []);
    }

    #[test]
    fn a_silent_message_is_granted_anew_and_asked_for_ever_more_rarely() {
        let mut host = Host::new(plan(2, 1, 5), &[4]);
        assert_eq!(host.packet(10, 0), [(0, 3, 0)]);
        let mut asked = Vec::new();
        for _ in 0..8 {
            // A time asked for may have been put off since: then there is nothing to say, but a new one.
            let (due, told) = core::iter::repeat_with(|| {
                let due = host.granter.due().unwrap();
                let mut told = Vec::new();
                host.granter.on_timer(due, |notice| told.push(notice));
                (due, told)
            })
            .find(|(_, told)| !told.is_empty())
            .unwrap();
            let grant = Notice::Grant(0, Grant { upto: 3, class: 0 });
            assert_eq!(told, [grant, Notice::Resend(0, Psn(1))]);
            asked.push(due.0 / 1_000_000);
        }
        assert_eq!(asked, [60, 160, 360, 760, 1560, 3160, 6360, 9560]);
        // News: from then on it waits as at first.
        host.packet(9_600, 0);
        host.granter.on_timer(Time::ZERO + Span::us(9_640), |_| panic!("too early"));
        assert_eq!(host.granter.due(), Some(Time::ZERO + Span::us(9_650)));
    }

    #[test]
    fn a_message_of_which_nothing_is_on_its_way_is_not_asked_for() {
        let mut host = Host::new(plan(1, 1, 5), &[9, 5]);
        host.packet(1, 0);
        host.packet(1, 1);
        host.granter.on_timer(Time::ZERO + Span::ms(9), |notice| match notice {
            Notice::Grant(message, _) | Notice::Resend(message, _) => assert_eq!(message, 1),
        });
    }
}
