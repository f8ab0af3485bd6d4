//! The queue of N periodic flows with random phases: ND/D/1.
//!
//! OFAN paper, Theorem 3, appendix E, after the classic result for a superposition of N periodic
//! streams, each of one packet per period of D packet times, D >= N, served in one packet time
//! each:
//!
//! P(Q > x) = sum over n from x+1 to N of
//! C(N, n) ((n-x)/D)^n (1 - (n-x)/D)^(N-n) (D-N+x) / (D-n+x)
//!
//! where Q counts packets at a random time, the one in service included; P(Q > 0) is 1 if N = D.
//! The queue is bounded even at full load: its mean tends to sqrt(pi N / 8) there.

use super::{Answers, Card, Quantity};
use raddle_schemes::rng::Rng;

/// What `raddle theory periodic_queue` says.
pub const CARD: Card = Card {
    name: "periodic_queue",
    title: "the queue of periodic flows with random phases (ND/D/1)",
    paper: "McClure et al., Load Balancing for AI Training Workloads (OFAN), \
            Theorem 3, appendix E",
    quantities: &[
        Quantity { name: "queue_packets", doc: "mean queue, the packet in service included" },
        Quantity {
            name: "queue_p99_packets",
            doc: "the least length not exceeded for 99 % of the time",
        },
        Quantity { name: "work_packets", doc: "mean unfinished work" },
        Quantity { name: "drawn_queue_packets", doc: "mean queue over all trials" },
        Quantity { name: "drawn_work_packets", doc: "mean unfinished work over all trials" },
        Quantity {
            name: "full_load_queue_packets",
            doc: "limit of the mean queue of many flows at full load",
        },
    ],
};

raddle_schemes::parameters! {
    /// The flows.
    pub struct PeriodicQueue {
        /// Periodic flows.
        pub flows: u32 = 4, in 1..=4096;
        /// Their period, in packet times; at least as many as flows.
        pub period: f64 = 5.0, in 1.0..;
        /// Phases that are drawn.
        pub trials: u32 = 20_000, in 1..;
    }
}

impl PeriodicQueue {
    /// The share of time in which more than `length` packets are in the queue.
    pub fn exceeds(&self, length: u32) -> f64 {
        let (flows, period) = (f64::from(self.flows), self.period);
        let x = f64::from(length);
        if length == 0 && period <= flows {
            return 1.0;
        }
        // Logarithms, since a binomial of many flows does not fit.
        let (mut choose, mut sum) = (0.0, 0.0);
        for n in (1..=self.flows).map(f64::from) {
            choose += libm::log(flows - n + 1.0) - libm::log(n);
            if n <= x {
                continue;
            }
            let (share, rest) = ((n - x) / period, flows - n);
            // Nobody is left where the window is the whole period.
            let none = if rest > 0.0 { rest * libm::log1p(-share) } else { 0.0 };
            let chance = libm::exp(choose + n * libm::log(share) + none);
            sum += chance * (period - flows + x) / (period - n + x);
        }
        sum
    }

    /// The mean queue, in packets, the one in service included.
    pub fn mean(&self) -> f64 {
        (0..self.flows).map(|length| self.exceeds(length)).sum()
    }

    /// The least length that is not exceeded for a share `p` of the time.
    pub fn percentile(&self, p: f64) -> u32 {
        (0..self.flows).find(|&length| self.exceeds(length) <= 1.0 - p).unwrap_or(self.flows)
    }

    /// The mean unfinished work, in packets. While a packet is in service, which is for a share N/D
    /// of the time, half of it is left on average.
    pub fn mean_work(&self) -> f64 {
        self.mean() - f64::from(self.flows) / self.period / 2.0
    }

    /// The limit of the mean queue at full load: a Brownian bridge's.
    pub fn full_load_mean(&self) -> f64 {
        libm::sqrt(std::f64::consts::PI * f64::from(self.flows) / 8.0)
    }

    /// The mean unfinished work, in packets, averaged over a period and over the trials' phases.
    pub fn draw_work(&self, seed: u64) -> f64 {
        let mut sum = 0.0;
        for trial in 0..self.trials {
            let mut rng = Rng::new(seed, "periodic queue", u64::from(trial));
            let mut phases: Vec<f64> = (0..self.flows).map(|_| rng.unit() * self.period).collect();
            phases.sort_unstable_by(f64::total_cmp);
            // The first period leaves the server with the work that every later one begins with.
            let (mut free, mut waits) = (0.0f64, 0.0);
            for begin in [0.0, self.period] {
                waits = 0.0;
                for phase in &phases {
                    let arrival = begin + phase;
                    waits += (free - arrival).max(0.0);
                    free = free.max(arrival) + 1.0;
                }
            }
            // A packet's work is 1 while it waits, and one half on average while it is served.
            sum += (waits + f64::from(self.flows) / 2.0) / self.period;
        }
        sum / f64::from(self.trials)
    }
}

impl Answers for PeriodicQueue {
    fn check(&self) -> Result<(), String> {
        if self.period < f64::from(self.flows) {
            let (period, flows) = (self.period, self.flows);
            return Err(format!("period is {period}; expected at least as many as flows, {flows}"));
        }
        Ok(())
    }

    fn draws(&self) -> f64 {
        f64::from(self.trials) * f64::from(self.flows)
    }

    fn values(&self, seed: u64) -> Vec<f64> {
        let drawn = self.draw_work(seed);
        vec![
            self.mean(),
            f64::from(self.percentile(0.99)),
            self.mean_work(),
            drawn + f64::from(self.flows) / self.period / 2.0,
            drawn,
            self.full_load_mean(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(flows: u32, period: f64) -> PeriodicQueue {
        PeriodicQueue { flows, period, trials: 40_000 }
    }

    /// OFAN study's spec, section 5.4, Theorems 3 and 4, and acceptance 11.
    #[test]
    fn means_are_known_and_phases_drawn_agree() {
        for (flows, period, queue, work) in [
            (4, 5.0, 1.155, 0.76),
            (4, 4.0, 1.61, 1.11),
            (16, 16.0, 2.85, 2.35),
            (31, 32.0, 3.37, 2.91),
        ] {
            let model = model(flows, period);
            let drawn = model.draw_work(1) + f64::from(flows) / period / 2.0;
            assert!((model.mean() - queue).abs() < 0.01, "{flows}: {}", model.mean());
            assert!((model.mean_work() - work).abs() < 0.03, "{flows}: {}", model.mean_work());
            assert!((drawn / model.mean() - 1.0).abs() < 0.02, "{flows}: {drawn}");
        }
    }

    #[test]
    fn at_full_load_many_flows_tend_to_the_brownian_bridge() {
        let model = model(1024, 1024.0);
        assert!((model.mean() / model.full_load_mean() - 1.0).abs() < 0.05, "{}", model.mean());
        assert_eq!(model.exceeds(0), 1.0);
        assert!(model.exceeds(1023) < 1e-9);
    }

    #[test]
    fn a_flow_alone_fills_the_server_for_its_share() {
        let model = model(1, 4.0);
        assert!((model.mean() - 0.25).abs() < 1e-12);
        assert_eq!((model.percentile(0.5), model.percentile(0.99)), (0, 1));
        assert!(Answers::check(&PeriodicQueue { flows: 5, ..model }).is_err());
    }
}
