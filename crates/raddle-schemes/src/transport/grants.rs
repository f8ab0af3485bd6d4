//! A receiver's book of the credits that it grants the sender of one message, and how credits are
//! counted on the wire.

use crate::congestion::PullPlan;

/// Bits of a count on the wire.
pub(crate) const COUNT_BITS: u32 = 24;

/// The count `new`, which came off the wire, where the last was `old`; `old` if it is the later one.
pub(crate) fn later(old: u32, new: u32) -> u32 {
    let ahead = new.wrapping_sub(old) & ((1 << COUNT_BITS) - 1);
    if ahead < 1 << (COUNT_BITS - 1) { old.wrapping_add(ahead) } else { old }
}

/// A count as it goes onto the wire.
pub(crate) fn on_wire(count: u32) -> u32 {
    count & ((1 << COUNT_BITS) - 1)
}

/// What a receiver has granted to the sender of one message.
#[derive(Clone, Debug)]
pub struct Grants {
    /// Credits that complete the message if nothing more is lost.
    wanted: u32,
    granted: u32,
    /// Packets that the sender could have sent by now.
    allowed: u32,
    /// Of these, how many came, whole or not, or vanished.
    settled: u32,
    /// The last the sender told of packets that vanished.
    vanished: u32,
    outstanding: u32,
    /// Whether the sender asked and has not been answered.
    asked: bool,
}

impl Grants {
    /// For a message of `total` packets.
    pub fn new(plan: &PullPlan, total: u32) -> Self {
        Self {
            wanted: total.saturating_sub(plan.unsolicited),
            granted: 0,
            allowed: plan.unsolicited.min(total),
            settled: 0,
            vanished: 0,
            outstanding: plan.outstanding,
            asked: false,
        }
    }

    /// A packet, or its header, has come; `again` if the sender has to send it once more.
    pub fn on_data(&mut self, again: bool) {
        self.settled = self.settled.saturating_add(1);
        self.wanted = self.wanted.saturating_add(u32::from(again));
    }

    /// The sender asks for credit and tells how many of its packets vanished.
    pub fn on_request(&mut self, vanished: u32) {
        let vanished = later(self.vanished, vanished);
        let more = vanished.wrapping_sub(self.vanished);
        self.vanished = vanished;
        self.wanted = self.wanted.saturating_add(more);
        self.settled = self.settled.saturating_add(more);
        self.asked = true;
    }

    /// Credits that the sender may have now.
    fn available(&self) -> u32 {
        let out = self.allowed.saturating_sub(self.settled);
        let room = self.outstanding.saturating_sub(out);
        self.wanted.saturating_sub(self.granted).min(room)
    }

    /// Whether there is a reason for a pull.
    pub fn wants_pull(&self) -> bool {
        self.asked || self.available() > 0
    }

    /// Grants up to `most` credits. Returns how many, and the count for the wire.
    pub fn pull(&mut self, most: u32) -> (u32, u32) {
        let more = self.available().min(most);
        self.granted += more;
        self.allowed = self.allowed.saturating_add(more);
        self.asked = false;
        (more, on_wire(self.granted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_pass_the_largest_number_of_a_frame() {
        let near = (1 << 24) - 2;
        assert_eq!(later(near, 3), (1 << 24) + 3);
        assert_eq!(later((1 << 24) + 3, near), (1 << 24) + 3);
        assert_eq!(on_wire((1 << 24) + 3), 3);
    }

    fn plan() -> PullPlan {
        PullPlan {
            unsolicited: 10,
            outstanding: 15,
            packets_per_pull: 4,
            rate_share: 0.99,
            paced_alone: false,
        }
    }

    #[test]
    fn a_receiver_grants_what_the_first_window_leaves_and_no_more() {
        let mut grants = Grants::new(&plan(), 22);
        assert_eq!(grants.pull(4), (4, 4));
        assert_eq!(grants.pull(4), (1, 5), "15 are on their way");
        assert!(!grants.wants_pull());
        (0..10).for_each(|_| grants.on_data(false));
        assert_eq!(grants.pull(4), (4, 9));
        assert_eq!(grants.pull(4), (3, 12));
        assert!(!grants.wants_pull(), "22 packets have left or may leave");
        let short = Grants::new(&plan(), 10);
        assert!(!short.wants_pull(), "a message of the first window needs no credit");
    }

    #[test]
    fn a_trimmed_header_and_a_vanished_packet_are_worth_a_credit_each() {
        let mut grants = Grants::new(&plan(), 10);
        grants.on_data(true);
        assert_eq!(grants.pull(4), (1, 1));
        grants.on_request(2);
        assert_eq!(grants.pull(4), (2, 3));
        grants.on_request(2);
        assert_eq!(grants.pull(4), (0, 3), "asked again: told again");
        assert!(!grants.wants_pull());
    }

    #[test]
    fn packets_that_vanished_make_room() {
        let mut grants = Grants::new(&plan(), 100);
        assert_eq!(grants.pull(100), (5, 5));
        grants.on_request(15);
        assert_eq!(grants.pull(100), (15, 20));
        assert!(!grants.wants_pull());
    }
}
