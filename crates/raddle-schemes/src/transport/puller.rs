//! The pull pacer of a receiving host: hands out credit to the senders of its messages in turn, just
//! below the rate of its links together (EQDS, NSDI 2022, section 4); or each message's own.

use super::Grants;
use crate::congestion::PullPlan;
use crate::ids::Entropy;
use crate::units::{Bytes, Rate, Span, Time};
use alloc::collections::{BTreeMap, VecDeque};

/// What a host owes the senders of the messages that it receives, each under a number of the
/// caller's, who keeps a `T` with it: where its pulls go.
#[derive(Clone, Debug)]
pub struct Puller<T> {
    messages: BTreeMap<u32, Message<T>>,
    /// Messages that want a pull, in turn.
    turns: VecDeque<u32>,
    /// The next pull that the messages share a pace for leaves no earlier.
    next_at: Time,
    /// Messages that have a pace of their own.
    paced_alone: usize,
    /// Time that a packet takes on the links, idle bytes included.
    packet: Span,
    /// Pulls so far, which spreads them over the paths.
    sent: u16,
}

#[derive(Clone, Debug)]
struct Message<T> {
    to: T,
    grants: Grants,
    in_turn: bool,
    packets_per_pull: u32,
    /// Time from one packet's credit to the next.
    period: Span,
    /// Of a message with a pace of its own, when its next pull leaves at the earliest.
    own_next_at: Option<Time>,
}

/// Credit that leaves now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pull<T> {
    /// The message.
    pub message: u32,
    /// What was kept with it.
    pub to: T,
    /// Credits since its start, modulo 2^24.
    pub count: u32,
    /// The path that the pull takes.
    pub path: Entropy,
}

impl<T: Copy> Puller<T> {
    /// The pacer of a host whose links have this rate together; a packet takes `packet` bytes of it,
    /// idle ones included.
    pub fn new(rate: Rate, packet: Bytes) -> Self {
        Self {
            messages: BTreeMap::new(),
            turns: VecDeque::new(),
            next_at: Time::ZERO,
            paced_alone: 0,
            packet: rate.serialisation(packet),
            sent: 0,
        }
    }

    /// A message of `total` packets begins to arrive.
    pub fn begin(&mut self, message: u32, to: T, plan: &PullPlan, total: u32) {
        let period = libm::ceil(self.packet.0 as f64 / plan.rate_share);
        let own = Message {
            to,
            grants: Grants::new(plan, total),
            in_turn: false,
            packets_per_pull: plan.packets_per_pull,
            period: Span(period as u64),
            own_next_at: plan.paced_alone.then_some(Time::ZERO),
        };
        self.paced_alone += usize::from(plan.paced_alone);
        self.messages.insert(message, own);
    }

    /// What is kept with the message.
    pub fn kept(&mut self, message: u32) -> Option<&mut T> {
        self.messages.get_mut(&message).map(|own| &mut own.to)
    }

    /// A packet of the message has come; `again` if it has to be sent once more.
    pub fn on_data(&mut self, message: u32, again: bool) {
        self.update(message, |grants| grants.on_data(again));
    }

    /// The sender of the message asks for credit, and says how many of its packets vanished.
    pub fn on_request(&mut self, message: u32, vanished: u32) {
        self.update(message, |grants| grants.on_request(vanished));
    }

    fn update(&mut self, message: u32, change: impl FnOnce(&mut Grants)) {
        let Some(own) = self.messages.get_mut(&message) else { return };
        change(&mut own.grants);
        if !own.in_turn && own.grants.wants_pull() {
            own.in_turn = true;
            self.turns.push_back(message);
        }
    }

    /// All of the message has arrived.
    pub fn end(&mut self, message: u32) {
        let Some(own) = self.messages.remove(&message) else { return };
        self.paced_alone -= usize::from(own.own_next_at.is_some());
        if own.in_turn {
            self.turns.retain(|&other| other != message);
        }
    }

    /// Who is next in turn of those whose pull may leave first, and when it may.
    fn next(&self, now: Time) -> Option<(usize, Time)> {
        if self.paced_alone == 0 {
            return (!self.turns.is_empty()).then(|| (0, self.next_at.max(now)));
        }
        let may = |message: &u32| {
            let own = self.messages.get(message).and_then(|own| own.own_next_at);
            own.unwrap_or(self.next_at).max(now)
        };
        let turns = self.turns.iter().map(may).enumerate();
        turns.min_by_key(|&(turn, at)| (at, turn))
    }

    /// When the next pull may leave, if somebody wants one.
    pub fn due(&self, now: Time) -> Option<Time> {
        self.next(now).map(|(_, at)| at)
    }

    /// The pull that leaves now, if one is [due](Self::due).
    pub fn pull(&mut self, now: Time) -> Option<Pull<T>> {
        let (turn, _) = self.next(now).filter(|&(_, due)| due == now)?;
        let message = self.turns.remove(turn)?;
        let own = self.messages.get_mut(&message)?;
        let (credits, count) = own.grants.pull(own.packets_per_pull);
        own.in_turn = own.grants.wants_pull();
        if own.in_turn {
            self.turns.push_back(message);
        }
        // A pull without credit, which repeats a lost one, takes the place of one packet.
        let next_at = now + Span(own.period.0 * u64::from(credits.max(1)));
        *own.own_next_at.as_mut().unwrap_or(&mut self.next_at) = next_at;
        self.sent = self.sent.wrapping_add(1);
        Some(Pull { message, to: own.to, count, path: Entropy(self.sent) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// 4160 B take 83.2 ns at 400 Gbps, 84.04 ns of credit.
    const PERIOD: u64 = 84_041;

    fn puller() -> (Puller<u32>, PullPlan) {
        let plan = PullPlan {
            unsolicited: 2,
            outstanding: 8,
            packets_per_pull: 4,
            rate_share: 0.99,
            paced_alone: false,
        };
        (Puller::new(Rate::gbps(400), Bytes(4160)), plan)
    }

    /// Pulls until none is wanted: when, to whom, the count.
    fn all(puller: &mut Puller<u32>, from: u64) -> Vec<(u64, u32, u32)> {
        let mut now = Time(from);
        let mut all = Vec::new();
        while let Some(at) = puller.due(now) {
            now = at;
            all.extend(puller.pull(now).map(|pull| (now.0, pull.to, pull.count)));
        }
        all
    }

    #[test]
    fn senders_take_turns_at_the_pace_of_the_link() {
        let (mut puller, plan) = puller();
        for message in [7, 3] {
            puller.begin(message, 100 + message, &plan, 9);
            puller.on_data(message, false);
        }
        // 7 credits each; 8 may be out, of 2 unsolicited one has come.
        let expected = [
            (1000, 107, 4),
            (1000 + 4 * PERIOD, 103, 4),
            (1000 + 8 * PERIOD, 107, 7),
            (1000 + 11 * PERIOD, 103, 7),
        ];
        assert_eq!(all(&mut puller, 1000), expected);
        assert_eq!(all(&mut puller, 2000), []);
    }

    #[test]
    fn messages_with_a_pace_of_their_own_do_not_wait_for_each_other() {
        let (mut puller, shared) = puller();
        let alone = PullPlan { paced_alone: true, ..shared };
        for (message, plan) in [(7, alone), (3, alone), (5, shared)] {
            puller.begin(message, 100 + message, &plan, 9);
            puller.on_data(message, false);
        }
        let third = 1000 + 4 * PERIOD;
        let expected = [
            (1000, 107, 4),
            (1000, 103, 4),
            (1000, 105, 4),
            (third, 107, 7),
            (third, 103, 7),
            (third, 105, 7),
        ];
        assert_eq!(all(&mut puller, 1000), expected);
        // One that is due now does not wait for one that is not.
        (0..5).for_each(|_| puller.on_data(7, false));
        puller.on_request(7, 0);
        assert_eq!(puller.due(Time(third + 1)), Some(Time(third + 3 * PERIOD)));
        puller.begin(8, 108, &alone, 9);
        puller.on_data(8, false);
        assert_eq!(puller.due(Time(third + 2)), Some(Time(third + 2)));
        let first = puller.pull(Time(third + 2)).unwrap();
        assert_eq!((first.to, first.count), (108, 4));
        puller.end(7);
        puller.end(8);
        assert_eq!(puller.due(Time(third + 3)), None);
    }

    #[test]
    fn a_pacer_that_was_idle_starts_at_once_and_one_that_was_not_waits() {
        let (mut puller, plan) = puller();
        puller.begin(0, 1, &plan, 2);
        puller.on_data(0, true);
        assert_eq!(all(&mut puller, 0), [(0, 1, 1)]);
        puller.on_data(0, true);
        assert_eq!(all(&mut puller, 10), [(PERIOD, 1, 2)]);
        puller.on_data(0, true);
        assert_eq!(all(&mut puller, 900_000), [(900_000, 1, 3)]);
    }

    #[test]
    fn who_asks_is_answered_even_without_new_credit_and_who_is_done_is_not() {
        let (mut puller, plan) = puller();
        puller.begin(0, 1, &plan, 3);
        puller.on_data(0, false);
        assert_eq!(all(&mut puller, 0), [(0, 1, 1)]);
        puller.on_request(0, 0);
        assert_eq!(all(&mut puller, 900_000), [(900_000, 1, 1)]);
        puller.on_request(0, 0);
        puller.end(0);
        puller.on_request(0, 1);
        assert_eq!(all(&mut puller, 2_000_000), []);
    }
}
