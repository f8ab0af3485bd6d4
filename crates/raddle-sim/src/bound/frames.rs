//! What a message looks like on the wire.

use crate::plan::Plan;
use raddle_schemes::units::{Bytes, Rate, Span};

/// Sizes of frames, and the gap after each. A message is sent as full packets and one packet with
/// the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frames {
    /// Payload of a full packet; not 0.
    pub payload: Bytes,
    /// Header of a data packet.
    pub header: Bytes,
    /// Size of an ACK.
    pub ack: Bytes,
    /// Idle bytes after every frame on every link.
    pub gap: Bytes,
}

impl From<&Plan> for Frames {
    fn from(plan: &Plan) -> Self {
        let transport = &plan.transport;
        Self {
            payload: transport.payload,
            header: transport.header,
            ack: transport.ack,
            gap: plan.queue.gap,
        }
    }
}

impl Frames {
    /// The number of packets of a message.
    pub fn packets(&self, message: Bytes) -> u64 {
        message.0.div_ceil(self.payload.0)
    }

    /// The first packet on the wire.
    pub fn first(&self, message: Bytes) -> Bytes {
        self.payload.min(message) + self.header
    }

    /// The last packet on the wire, the smallest one.
    pub fn last(&self, message: Bytes) -> Bytes {
        let before = (self.packets(message) - 1) * self.payload.0;
        Bytes(message.0 - before) + self.header
    }

    /// The smallest packet that may be the first on the wire of a host with so many ports: the last
    /// one, where each has a port to itself.
    pub fn first_out(&self, message: Bytes, ports: u32) -> Bytes {
        if self.packets(message) <= u64::from(ports) {
            self.last(message)
        } else {
            self.first(message)
        }
    }

    /// How long a frame and the gap after it occupy a link.
    pub fn occupancy(&self, rate: Rate, frame: Bytes) -> Span {
        rate.serialisation(frame + self.gap)
    }

    /// The gap after a frame: idle time that need not pass before the frame's last bit is out.
    pub fn gap_after(&self, rate: Rate, frame: Bytes) -> Span {
        Span(self.occupancy(rate, frame).0 - rate.serialisation(frame).0)
    }

    /// How long a message's packets and their gaps occupy a link.
    pub fn message_occupancy(&self, rate: Rate, message: Bytes) -> Span {
        let full = self.occupancy(rate, self.first(message));
        let last = self.occupancy(rate, self.last(message));
        Span((self.packets(message) - 1) * full.0 + last.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::tree::TreeShape;

    #[test]
    fn messages_end_with_the_rest() {
        let (payload, header, gap) = (Bytes(1000), Bytes(64), Bytes(20));
        let frames = Frames { payload, header, ack: Bytes(64), gap };
        let sizes = |message| {
            let message = Bytes(message);
            (frames.packets(message), frames.first(message).0, frames.last(message).0)
        };
        assert_eq!(sizes(3000), (3, 1064, 1064));
        assert_eq!(sizes(2001), (3, 1064, 65));
        assert_eq!(sizes(1), (1, 65, 65));
        let rate = Rate::gbps(8);
        assert_eq!(frames.message_occupancy(rate, Bytes(2001)), Span::ns(2 * 1084 + 85));
        assert_eq!(frames.gap_after(rate, Bytes(1064)), Span::ns(20));
    }

    /// LB study spec, section 6, item 2: T_d, T'_d, T_a, T'_a, the round trip and the BDP.
    #[test]
    fn the_study_s_times_are_those_of_its_fabric() {
        let (payload, header, ack, gap) = (Bytes(4096), Bytes(62), Bytes(64), Bytes(20));
        let frames = Frames { payload, header, ack, gap };
        let rate = Rate::gbps(800);
        let packet = payload + header;
        let times =
            [packet, ack].map(|frame| [rate.serialisation(frame), frames.occupancy(rate, frame)]);
        assert_eq!(times, [[Span(41_580), Span(41_780)], [Span(640), Span(840)]]);
        let shape = TreeShape::fat_tree(3, 128, rate, Span::ns(500), Span::ZERO).unwrap();
        let rtt = shape.build().unwrap().longest_base_rtt(packet, ack);
        assert_eq!(rtt, Span(6_253_320));
        assert_eq!(rate.bytes_in(rtt), Bytes(625_332)); // 150.4 packets
    }
}
