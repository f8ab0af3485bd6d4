//! Who sends to whom in a collective, and after which other sends: told of the number of a send alone,
//! where that is enough.

use super::CollectiveOp;
use super::listed::Listed;
use std::sync::Arc;

/// The sends of a collective, in the order in which they are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sends {
    op: CollectiveOp,
    n: u32,
    channels: u32,
    /// Where numbers do not tell.
    listed: Option<Arc<Listed>>,
}

/// How many parts go over how many hops, or who sends to all.
enum Order {
    /// Hops of `n` chunks, channel by channel.
    Ring { hops: u32 },
    /// Parts, each from the first rank to the last.
    Chain,
    /// Each to all others.
    Direct,
    /// Rounds, each twice as far as the one before.
    Rounds,
}

impl Sends {
    /// Those among `n` ranks, two at least.
    pub(super) fn of_numbers(op: CollectiveOp, n: u32, channels: u32) -> Self {
        Self { op, n, channels: channels.max(1), listed: None }
    }

    /// Those of a list, if there is one.
    pub(super) fn with(self, listed: Option<Arc<Listed>>) -> Self {
        Self { listed, ..self }
    }

    fn order(&self) -> Order {
        let once = self.n - 1;
        match self.op {
            CollectiveOp::AllReduce => Order::Ring { hops: 2 * once },
            CollectiveOp::ReduceScatter | CollectiveOp::AllGather => Order::Ring { hops: once },
            CollectiveOp::AllToAll => Order::Direct,
            CollectiveOp::Broadcast => Order::Chain,
            CollectiveOp::Barrier => Order::Rounds,
        }
    }

    /// What the order is called.
    pub fn algorithm(&self) -> &'static str {
        match (self.op, &self.listed) {
            (CollectiveOp::AllToAll, _) => "direct",
            (CollectiveOp::Broadcast, _) => "chain",
            (CollectiveOp::Barrier, _) => "dissemination",
            (_, Some(listed)) => listed.algorithm,
            _ => "ring",
        }
    }

    /// Into how many rings or chains it is cut.
    pub fn channels(&self) -> u32 {
        self.channels
    }

    /// The sender and the receiver of a send, by their places in the group.
    pub fn ends(&self, send: u32) -> (u32, u32) {
        if let Some(listed) = &self.listed {
            return listed.ends(send);
        }
        let n = self.n;
        match self.order() {
            Order::Ring { hops } => {
                let within = send % (hops * n);
                let from = within % n + within / n;
                (from % n, (from + 1) % n)
            }
            Order::Chain => (send % (n - 1), send % (n - 1) + 1),
            Order::Direct => {
                let from = send / (n - 1);
                (from, (from + send % (n - 1) + 1) % n)
            }
            Order::Rounds => (send % n, (send % n + (1 << (send / n))) % n),
        }
    }

    /// The sends that a send waits for, beside its sender's coming to the collective: for the last ACK of
    /// each, or for its delivery.
    pub fn after(&self, send: u32) -> impl Iterator<Item = (u32, bool)> + '_ {
        let listed = self.listed.as_ref().map(|listed| listed.after(send));
        let numbered = listed.is_none().then(|| self.by_number(send));
        let numbered = numbered.into_iter().flatten().map(|before| (before, false));
        listed.into_iter().flatten().chain(numbered)
    }

    /// The send that its sender has to be at before it does something for this one.
    pub fn turn(&self, send: u32) -> Option<u32> {
        self.listed.as_ref()?.turn(send)
    }

    fn by_number(&self, send: u32) -> impl Iterator<Item = u32> + use<> {
        let n = self.n;
        let (one, rounds) = match self.order() {
            Order::Ring { hops } => ((send % (hops * n)).checked_sub(n).map(|_| send - n), 0),
            Order::Chain => ((send % (n - 1)).checked_sub(1).map(|_| send - 1), 0),
            Order::Direct => (None, 0),
            Order::Rounds => (None, send / n),
        };
        let sender = send % n;
        let heard = (0..rounds).map(move |round| round * n + (sender + n - (1 << round)) % n);
        one.into_iter().chain(heard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(sends: &Sends, send: u32) -> Vec<u32> {
        sends.after(send).map(|(before, _)| before).collect()
    }

    #[test]
    fn a_hop_of_a_ring_comes_after_the_one_before_it() {
        let ring = Sends::of_numbers(CollectiveOp::AllReduce, 4, 2);
        assert_eq!((ring.ends(0), after(&ring, 0)), ((0, 1), vec![]));
        assert_eq!((ring.ends(7), after(&ring, 7)), ((0, 1), vec![3]));
        // The second channel's first hops wait for none of the first.
        assert_eq!((ring.ends(26), after(&ring, 26)), ((2, 3), vec![]));
        assert_eq!(after(&ring, 29), [25]);
    }

    #[test]
    fn a_barrier_hears_of_all_rounds_before() {
        let rounds = Sends::of_numbers(CollectiveOp::Barrier, 5, 1);
        assert_eq!(rounds.ends(11), (1, 0));
        // Rank 1 has heard of rank 0, and in the second round of rank 4.
        assert_eq!(after(&rounds, 11), [0, 9]);
    }
}
