//! The lower bound of an all-to-all: every host sends one message to every other.
//!
//! "Propagation and host transmission" (load-balancing study, OFAN): a host's link carries n - 1
//! messages and, with one ACK for each packet, as many ACKs as packets; then its last frame has to
//! arrive. The study lets the longest way there and back pass for that. A run can beat it: the last
//! frame may be an ACK, and its way short. As a bound, [`Exchange::rest`] is the shortest way.

use super::frames::Frames;
use raddle_schemes::units::{Bytes, Rate, Span};

/// An all-to-all, as far as the bound needs to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Number of hosts, at least 2.
    pub hosts: u32,
    /// Size of every message.
    pub message: Bytes,
    /// Rate of every host's link.
    pub rate: Rate,
    /// What passes after the last frame has left a host: twice T_p, the cable delays and switch
    /// latencies of the longest path, in the study; the shortest of any path for a strict bound.
    pub rest: Span,
    /// Whether the host's link has to carry one ACK for every packet it receives, too. Packet
    /// spraying comes within 1 % of the bound with ACKs; without, the floor alone is 2 % above it.
    pub include_acks: bool,
}

/// From the start to the last ACK of any message.
pub fn bound(exchange: &Exchange, frames: &Frames) -> Span {
    let Exchange { hosts, message, rate, rest, include_acks } = *exchange;
    let data = frames.message_occupancy(rate, message).0;
    let acks = frames.packets(message) * frames.occupancy(rate, frames.ack).0;
    let each = data + if include_acks { acks } else { 0 };
    Span((u64::from(hosts) - 1) * each) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_study_s_numbers_are_reproduced() {
        let frames =
            Frames { payload: Bytes(4096), header: Bytes(62), ack: Bytes(64), gap: Bytes(20) };
        let time = |include_acks| {
            let (message, rate, rest) = (Bytes::mib(1), Rate::gbps(800), Span::us(2 * 3));
            bound(&Exchange { hosts: 128, message, rate, rest, include_acks }, &frames)
        };
        // 127 * 256 packets of 41.78 ns, ACKs of 0.84 ns, and 6 us.
        assert_eq!(time(true), Span(127 * 256 * 42_620 + 6_000_000));
        assert_eq!(time(false), Span(127 * 256 * 41_780 + 6_000_000));
        assert!((time(true).as_us() - 1391.66).abs() < 0.005);
        assert!((time(false).as_us() - 1364.35).abs() < 0.005);
    }
}
