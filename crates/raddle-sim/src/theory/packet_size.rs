//! The packet size that completes a message soonest.
//!
//! OFAN paper, Theorem 5, appendix G: D bytes in packets of P bytes, H of them header and gap, take
//! P (D / (P - H) + alpha) bytes of time on the wire if the queues hold alpha packets whatever the
//! message. The least is at P - H = sqrt(H D / alpha). Where queues grow with the root of the
//! packets sent, c sqrt(D / (P - H)), as under random spraying, the payload grows only with the
//! cube root: P - H = (2 H / c)^(2/3) D^(1/3), for messages much longer than a packet.
//!
//! Erratum: equation 30 prints the derivative as D H / (P - H)^2 + alpha; it is
//! alpha - D H / (P - H)^2.

use super::{Answers, Card, Quantity};
use raddle_schemes::units::Bytes;

/// What `raddle theory packet_size` says.
pub const CARD: Card = Card {
    name: "packet_size",
    title: "the packet size that completes a message soonest",
    paper: "McClure et al., Load Balancing for AI Training Workloads (OFAN), \
            Theorem 5, appendix G, Figure 11",
    quantities: &[
        Quantity {
            name: "payload_bytes",
            doc: "best payload where queues do not grow: equation 5",
        },
        Quantity {
            name: "overhead",
            doc: "time above that of the bare message then, as its share",
        },
        Quantity {
            name: "spraying_payload_bytes",
            doc: "best payload where queues grow with the root of the message",
        },
    ],
};

raddle_schemes::parameters! {
    /// The message and its overheads.
    pub struct PacketSize {
        /// The message.
        pub message: Bytes = Bytes(1 << 20), in Bytes(1)..;
        /// Header and gap of each packet.
        pub header: Bytes = Bytes(82), in Bytes(1)..;
        /// Packets in the queues on the way, if their number does not grow.
        pub queue: f64 = 10.0, in 0.01..;
        /// Packets in the queues over the root of the packets sent, if their number grows; the
        /// default is an uplink's under random spraying in a fat tree of k = 8.
        pub queue_growth: f64 = 0.69, in 0.01..;
    }
}

impl PacketSize {
    /// The best payload, in bytes, where queues hold `queue` packets.
    pub fn payload(&self) -> f64 {
        libm::sqrt(self.header.0 as f64 * self.message.0 as f64 / self.queue)
    }

    /// The time on the wire and in the queues, in bytes, with this payload.
    pub fn cost(&self, payload: f64) -> f64 {
        (payload + self.header.0 as f64) * (self.message.0 as f64 / payload + self.queue)
    }

    /// The best payload, in bytes, where queues hold `queue_growth` times the root of the packets.
    pub fn spraying_payload(&self) -> f64 {
        let base = 2.0 * self.header.0 as f64 / self.queue_growth;
        libm::pow(base * base * self.message.0 as f64, 1.0 / 3.0)
    }
}

impl Answers for PacketSize {
    fn values(&self, _: u64) -> Vec<f64> {
        let payload = self.payload();
        let overhead = self.cost(payload) / self.message.0 as f64 - 1.0;
        vec![payload, overhead, self.spraying_payload()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(message: u64) -> PacketSize {
        PacketSize { message: Bytes(message), ..Default::default() }
    }

    /// OFAN study's spec, section 5.4, Theorem 5, and acceptance 11.
    #[test]
    fn the_best_payload_grows_with_the_root_of_the_message() {
        for (message, payload) in [(1 << 20, 2932.0), (16 << 20, 11_729.0), (128 << 10, 1037.0)] {
            let found = model(message).payload();
            assert!((found - payload).abs() < 0.6, "{message}: {found}");
        }
    }

    #[test]
    fn no_other_payload_costs_less() {
        let model = model(1 << 20);
        let best = model.cost(model.payload());
        for payload in (100..20_000).step_by(7) {
            assert!(model.cost(f64::from(payload)) >= best, "{payload}");
        }
    }

    #[test]
    fn under_random_spraying_it_grows_with_the_cube_root() {
        let model = model(1 << 30);
        let cost = |payload: f64| {
            let packets = model.message.0 as f64 / payload;
            (payload + 82.0) * (packets + model.queue_growth * libm::sqrt(packets))
        };
        let best = (200..200_000).map(f64::from).min_by(|a, b| cost(*a).total_cmp(&cost(*b)));
        let found = model.spraying_payload();
        assert!((found / best.unwrap() - 1.0).abs() < 0.02, "{found} {best:?}");
        let eightfold = PacketSize { message: Bytes(8 << 30), ..model.clone() };
        assert!((eightfold.spraying_payload() / found - 2.0).abs() < 1e-9);
    }
}
