//! The queues of destination-based rotation, in hosts (HOST DR) and in switches (OFAN).
//!
//! OFAN paper, Theorems 3 and 4, appendices E and F, Figures 17 and 19: a random permutation over
//! the n = k^3/4 hosts of a fat tree. Each uplink sees flows (of hosts, or of a switch's pointers)
//! that come round periodically with random phases, as in
//! [`periodic_queue`](super::periodic_queue):
//!
//! - HOST DR, edge: k/2 (1 - (k/2-1)/(n-1)) flows of period k/2 packet times (equation 25).
//! - HOST DR, aggregation: (k/2)^2 (1 - ((k/2)^2-1)/(n-1)) flows of a pod, of period (k/2)^2
//!   (equation 26).
//! - OFAN, edge: k^2/2 (1 - (1 - 2/k^2)^(k/2)) pointers, about k/2 - 1/4.
//! - OFAN, aggregation: at most k - 1 pointers.
//!
//! Consolidation saves a factor of at least k^2 / (4 (k-1)) pointers at aggregation switches.
//!
//! Reading: numbers of flows are expectations. The mean queue of a number between two whole ones is
//! interpolated at the same load. OFAN's pointers share the load of HOST DR's flows equally, as the
//! proof says ("as if all pointers carried the same number of flows"). The paper draws truncated
//! normal approximations of the same queues.

use super::periodic_queue::PeriodicQueue;
use super::{Answers, Card, Quantity, even_ports};

/// What `raddle theory rotation` says.
pub const CARD: Card = Card {
    name: "rotation",
    title: "flows and mean queues of destination-based rotation in hosts and in switches",
    paper: "McClure et al., Load Balancing for AI Training Workloads (OFAN), \
            Theorems 3 and 4, appendices E and F",
    quantities: &[
        Quantity { name: "host_dr_edge_flows", doc: "flows that leave an edge switch, HOST DR" },
        Quantity { name: "host_dr_edge_packets", doc: "mean queue of an edge switch's uplink" },
        Quantity { name: "host_dr_aggregation_flows", doc: "flows that leave a pod, HOST DR" },
        Quantity {
            name: "host_dr_aggregation_packets",
            doc: "mean queue of an aggregation switch's uplink",
        },
        Quantity { name: "ofan_edge_pointers", doc: "pointers of an edge switch in use, OFAN" },
        Quantity { name: "ofan_edge_packets", doc: "mean queue of an edge switch's uplink" },
        Quantity {
            name: "ofan_aggregation_pointers",
            doc: "pointers of an aggregation switch, at most",
        },
        Quantity {
            name: "ofan_aggregation_packets",
            doc: "mean queue of an aggregation switch's uplink",
        },
        Quantity {
            name: "consolidation_gain",
            doc: "HOST DR's flows over OFAN's pointers at aggregation switches, at least",
        },
        Quantity {
            name: "ofan_edge_destinations",
            doc: "pointers that an edge switch keeps, for each class of packets: other edge switches",
        },
        Quantity {
            name: "ofan_shared_schedules_gain",
            doc: "schedules of an edge switch over those it keeps if they are shared by a pod",
        },
    ],
};

raddle_schemes::parameters! {
    /// The fat tree.
    pub struct Rotation {
        /// Ports of a switch: a fat tree's k, even.
        pub k: u32 = 8, in 4..=64;
    }
}

impl Rotation {
    fn half(&self) -> f64 {
        f64::from(self.k) / 2.0
    }

    /// The share of flows that leave a group of `hosts` hosts.
    fn leaving(&self, hosts: f64) -> f64 {
        let n = 2.0 * self.half() * self.half() * self.half();
        1.0 - (hosts - 1.0) / (n - 1.0)
    }

    /// Flows that leave an edge switch, expected: equation 25.
    pub fn edge_flows(&self) -> f64 {
        self.half() * self.leaving(self.half())
    }

    /// Flows that leave a pod, expected: equation 26.
    pub fn aggregation_flows(&self) -> f64 {
        let hosts = self.half() * self.half();
        hosts * self.leaving(hosts)
    }

    /// Destination edge switches of an edge switch's flows, expected.
    pub fn edge_pointers(&self) -> f64 {
        let edges = 2.0 * self.half() * self.half();
        edges * (1.0 - libm::pow(1.0 - 1.0 / edges, self.half()))
    }

    /// Other pods.
    pub fn aggregation_pointers(&self) -> f64 {
        f64::from(self.k) - 1.0
    }

    /// Pointers saved by consolidation at aggregation switches, as a factor, at least.
    pub fn consolidation_gain(&self) -> f64 {
        self.half() * self.half() / self.aggregation_pointers()
    }
}

/// The mean queue of `flows` periodic flows that make up `load`.
fn queue(flows: f64, load: f64) -> f64 {
    let whole = |flows: f64| {
        let model = PeriodicQueue { flows: flows as u32, period: flows / load, trials: 1 };
        if flows > 0.0 { model.mean() } else { 0.0 }
    };
    let (below, above) = (flows.floor(), flows.ceil());
    whole(below) + (flows - below) * (whole(above) - whole(below))
}

impl Answers for Rotation {
    fn check(&self) -> Result<(), String> {
        even_ports(self.k)
    }

    fn values(&self, _: u64) -> Vec<f64> {
        let edge_load = self.leaving(self.half());
        let aggregation_load = self.leaving(self.half() * self.half());
        let flows = [
            (self.edge_flows(), edge_load),
            (self.aggregation_flows(), aggregation_load),
            (self.edge_pointers(), edge_load),
            (self.aggregation_pointers(), aggregation_load),
        ];
        let both = flows.iter().flat_map(|&(flows, load)| [flows, queue(flows, load)]);
        let edges = 2.0 * self.half() * self.half();
        let shared = edges / f64::from(self.k);
        both.chain([self.consolidation_gain(), edges - 1.0, shared]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// OFAN study's spec, section 5.4, Theorems 3 and 4 and the consolidation gain.
    #[test]
    fn flows_and_pointers_are_known() {
        for (k, pointers, gain) in [(8, 3.816, 2.29), (16, 7.785, 4.27)] {
            let model = Rotation { k };
            assert!((model.edge_pointers() - pointers).abs() < 5e-4, "{}", model.edge_pointers());
            assert!((model.edge_pointers() - f64::from(k) / 2.0 + 0.25).abs() < 0.07);
            let found = model.consolidation_gain();
            assert!((found - gain).abs() < 5e-3 && found > f64::from(k) / 4.0, "{found}");
        }
        let model = Rotation { k: 8 };
        assert!((model.edge_flows() - 4.0 * (1.0 - 3.0 / 127.0)).abs() < 1e-12);
        assert!((model.aggregation_flows() - 16.0 * (1.0 - 15.0 / 127.0)).abs() < 1e-12);
    }

    /// Section 7.1 and the appendix on OFAN: 2K and 63 pointers at k = 64, and 32 times fewer schedules.
    #[test]
    fn the_pointers_of_65_536_hosts_are_known() {
        let values = Answers::values(&Rotation { k: 64 }, 1);
        assert_eq!((values[6], values[9], values[10]), (63.0, 2047.0, 32.0));
    }

    #[test]
    fn queues_lie_between_those_of_whole_numbers_of_flows() {
        let mean = |flows: u32, period| PeriodicQueue { flows, period, trials: 1 }.mean();
        assert!((queue(4.0, 0.8) - mean(4, 5.0)).abs() < 1e-12);
        let between = queue(3.5, 0.8);
        assert!(mean(3, 3.75) < between && between < mean(4, 5.0), "{between}");
        assert!((queue(0.5, 0.8) - mean(1, 1.25) / 2.0).abs() < 1e-12);
    }

    /// The proof's point: OFAN's fewer pointers queue less than HOST DR's flows. In the smallest
    /// tree the count of pointers, which takes all flows to leave, is above that of flows.
    #[test]
    fn consolidation_shortens_queues() {
        for k in [8, 16, 32] {
            let values = Answers::values(&Rotation { k }, 1);
            assert!(values[5] < values[1] && values[7] < values[3], "{k}: {values:?}");
        }
    }
}
