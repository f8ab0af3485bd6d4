//! The queue of an uplink under random spraying at full load.
//!
//! OFAN paper, Theorem 2, appendix D. An edge switch of a k-ary fat tree without internal traffic
//! takes k/2 periodic flows at line rate and sends each packet to one of k/2 uplinks at random. An
//! uplink's arrivals per period have mean 1 and variance 1 - 2/k, its queue is a random walk
//! reflected at 0, and after m periods Q(m) = sqrt(1 - 2/k) sqrt(2m / pi).
//!
//! The theorem is about the mean over all switch queues and the sending time: two thirds of Q(m) at
//! such an uplink, and at least the share of edge switches without internal traffic (equation 24)
//! times the share of uplinks of edge switches, a fifth of all queues, of it at all.
//!
//! Erratum: equation 21 prints "sqrt(2/pi) m", which must be read as sqrt(2m/pi).

use super::{Answers, Card, LAYERS, Quantity, even_ports};
use raddle_schemes::rng::Rng;

/// What `raddle theory spray_queue` says.
pub const CARD: Card = Card {
    name: "spray_queue",
    title: "the queue of an uplink under random spraying at full load",
    paper: "McClure et al., Load Balancing for AI Training Workloads (OFAN), \
            Theorem 2, appendix D",
    quantities: &[
        Quantity { name: "queue_packets", doc: "the queue after the last packet: equation 21" },
        Quantity { name: "drawn_packets", doc: "the same of random walks, mean of all trials" },
        Quantity {
            name: "northbound_least",
            doc: "lower bound on the share of edge switches without internal traffic: equation 24",
        },
        Quantity {
            name: "queue_mean_packets",
            doc: "the mean of the queue over the sending time: two thirds of equation 21",
        },
        Quantity {
            name: "drawn_mean_packets",
            doc: "the same of random walks, mean of all trials",
        },
        Quantity {
            name: "all_queues_least_packets",
            doc: "lower bound on the mean over all switch queues and the sending time: the uplinks of \
                  edge switches are a fifth of them",
        },
    ],
};

raddle_schemes::parameters! {
    /// Which uplink, and when.
    pub struct SprayQueue {
        /// Ports of a switch: a fat tree's k, even.
        pub k: u32 = 8, in 4..=256;
        /// Packets that each flow has sent: the message.
        pub packets: u32 = 256, in 1..=10_000_000;
        /// Random walks.
        pub trials: u32 = 1000, in 1..;
    }
}

impl SprayQueue {
    /// The mean queue, in packets, as many packets into the message.
    pub fn queue(&self) -> f64 {
        let variance = 1.0 - 2.0 / f64::from(self.k);
        let m = f64::from(self.packets);
        libm::sqrt(variance) * libm::sqrt(2.0 * m / std::f64::consts::PI)
    }

    /// At least this share of edge switches has no internal traffic, in a random permutation.
    pub fn northbound_least(&self) -> f64 {
        let k = f64::from(self.k);
        1.0 - (k - 2.0) / (k * k - 2.0)
    }

    /// The mean of the queue over the sending time.
    pub fn queue_mean(&self) -> f64 {
        2.0 / 3.0 * self.queue()
    }

    /// The queue of random walks in packets, mean of all: at the end, and over the time. Per period
    /// each of k/2 flows gives this uplink a packet with probability 2/k, and then the uplink sends
    /// one.
    pub fn draw(&self, seed: u64) -> (f64, f64) {
        let uplinks = u64::from(self.k / 2);
        let (mut ends, mut sums) = (0u64, 0u64);
        for trial in 0..self.trials {
            let mut rng = Rng::new(seed, "spray queue", u64::from(trial));
            let mut queue = 0u64;
            for _ in 0..self.packets {
                queue += (0..uplinks).filter(|_| rng.below(uplinks) == 0).count() as u64;
                queue = queue.saturating_sub(1);
                sums += queue;
            }
            ends += queue;
        }
        let trials = f64::from(self.trials);
        (ends as f64 / trials, sums as f64 / trials / f64::from(self.packets))
    }
}

impl Answers for SprayQueue {
    fn check(&self) -> Result<(), String> {
        even_ports(self.k)
    }

    fn draws(&self) -> f64 {
        f64::from(self.trials) * f64::from(self.packets) * f64::from(self.k / 2)
    }

    fn values(&self, seed: u64) -> Vec<f64> {
        let (drawn, drawn_mean) = self.draw(seed);
        let (least, mean) = (self.northbound_least(), self.queue_mean());
        vec![self.queue(), drawn, least, mean, drawn_mean, least * mean / LAYERS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// OFAN study's spec, section 5.4, Theorem 2.
    #[test]
    fn the_queue_grows_with_the_root_of_the_message() {
        for (packets, expected) in
            [(64, 5.5), (256, 11.1), (1024, 22.1), (4096, 44.2), (16_384, 88.4)]
        {
            let found = SprayQueue { packets, ..Default::default() }.queue();
            assert!((found - expected).abs() < 0.06, "{packets}: {found}");
        }
    }

    #[test]
    fn random_walks_agree() {
        for (packets, trials) in [(256, 4000), (1024, 4000)] {
            let model = SprayQueue { packets, trials, ..Default::default() };
            let ((drawn, mean), queue) = (model.draw(1), model.queue());
            assert!((drawn / queue - 1.0).abs() < 0.1, "{packets}: {drawn}, {queue}");
            assert!((mean / model.queue_mean() - 1.0).abs() < 0.1, "{packets}: {mean}");
        }
    }

    #[test]
    fn most_edge_switches_have_no_internal_traffic() {
        let least = SprayQueue { k: 4, ..Default::default() }.northbound_least();
        assert!((least - 6.0 / 7.0).abs() < 1e-12, "{least}");
        assert!(Answers::check(&SprayQueue { k: 5, ..Default::default() }).is_err());
    }
}
