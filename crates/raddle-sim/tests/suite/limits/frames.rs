//! What fits a frame: numbers and sizes.

use super::between;
use raddle_schemes::ids::FlowId;
use raddle_schemes::units::Bytes;
use raddle_sim::limits::LimitError;
use raddle_sim::plan::Overflow;
use raddle_sim::wire::frame::{NUMBER_LIMIT, SIZE_LIMIT};

#[test]
fn packets_per_flow_fit_a_frame() {
    between(
        |plan| {
            plan.transport.payload = Bytes(2);
            plan.traffic.flows[0].bytes = Bytes(2 * u64::from(NUMBER_LIMIT));
        },
        |plan| plan.traffic.flows[0].bytes.0 += 1,
        LimitError::Packets { flow: FlowId(0), packets: 1 << 24 },
        "flow 0 has 16777216 packets; at most 16777215 fit, so send less or choose a larger payload",
    );
}

#[test]
fn sizes_of_frames_fit_a_frame() {
    between(
        |plan| plan.transport.payload.0 = SIZE_LIMIT.0 - plan.transport.header.0,
        |plan| plan.transport.header.0 += 1,
        LimitError::FrameTooLarge { frame: "data packet", bytes: Bytes(65_536) },
        "the data packet takes 65536 B on the wire; at most 65535 B",
    );
    between(
        |plan| plan.transport.ack = SIZE_LIMIT,
        |plan| plan.transport.ack.0 += 1,
        LimitError::FrameTooLarge { frame: "ACK", bytes: Bytes(65_536) },
        "the ACK takes 65536 B on the wire; at most 65535 B",
    );
    between(
        |plan| plan.queue.gap = SIZE_LIMIT,
        |plan| plan.queue.gap.0 += 1,
        LimitError::FrameTooLarge { frame: "gap", bytes: Bytes(65_536) },
        "the gap takes 65536 B on the wire; at most 65535 B",
    );
}

#[test]
fn no_frame_is_empty() {
    between(
        |plan| (plan.transport.ack, plan.transport.header) = (Bytes(1), Bytes(0)),
        |plan| plan.transport.ack = Bytes(0),
        LimitError::Empty { what: "ACK" },
        "the ACK has 0 B; at least 1 B",
    );
    between(
        |plan| plan.transport.header = Bytes(0),
        |plan| plan.queue.overflow = Overflow::Trim,
        LimitError::Empty { what: "trimmed header" },
        "the trimmed header has 0 B; at least 1 B",
    );
    between(
        |plan| plan.transport.payload = Bytes(1),
        |plan| plan.transport.payload = Bytes(0),
        LimitError::Empty { what: "payload" },
        "the payload has 0 B; at least 1 B",
    );
    between(
        |plan| plan.traffic.flows[0].bytes = Bytes(1),
        |plan| plan.traffic.flows[0].bytes = Bytes(0),
        LimitError::Empty { what: "message" },
        "the message has 0 B; at least 1 B",
    );
}
