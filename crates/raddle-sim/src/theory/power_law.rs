//! Three laws of congestion control as fluids: by voltage, by gradient of current, by power.
//!
//! PowerTCP, section 2.2 (Figs. 2.2 and 2.3): a window w of all flows together follows
//! `w' = gamma / dt (w e / f - w + beta)`, and a queue q behind a link of rate b follows
//! `q' = w / (q / b + tau) - b`, where it is not empty. What f / e is, is the law:
//! queue and pipe over the pipe (voltage), the growth of the queue over the rate plus 1 (gradient), or
//! power over that of a full link with an empty queue.

use super::{Answers, Card, Quantity};
use raddle_schemes::units::{Bytes, Rate, Span};

/// What `raddle theory power_law` says.
pub const CARD: Card = Card {
    name: "power_law",
    title: "a window that follows voltage, gradient or power, as a fluid",
    paper: "Addanki et al., PowerTCP, NSDI 2022, Figs. 2.2 and 2.3",
    quantities: &[
        Quantity { name: "factor", doc: "by how much the law divides the window at the start" },
        Quantity { name: "end_window_bdp", doc: "the window in the end, in multiples of b tau" },
        Quantity { name: "end_queue_bdp", doc: "the queue in the end, likewise" },
        Quantity { name: "least_window_bdp", doc: "the smallest window on the way" },
    ],
};

raddle_schemes::words! {
    /// What a window follows.
    pub enum Law {
        /// Power.
        Power = "power",
        /// The queue and the pipe.
        Voltage = "voltage",
        /// How fast the queue grows.
        Gradient = "gradient",
    }
}

raddle_schemes::parameters! {
    /// The law, the link and the start.
    pub struct PowerLaw {
        /// What the window follows.
        pub law: Law = Law::Power;
        /// The rate of the link (b).
        pub rate: Rate = Rate::gbps(100);
        /// The round trip without a queue (tau).
        pub base_rtt: Span = Span::us(20);
        /// The weight of a new window (gamma).
        pub gain: f64 = 0.9, in 0.01..=1.0;
        /// How often windows change (dt).
        pub interval: Span = Span::us(20);
        /// What is added to the window, all flows together (beta).
        pub increase: Bytes = Bytes(2_500);
        /// The window at the start, in multiples of b tau.
        pub window: f64 = 2.0, in 0.01..=100.0;
        /// The queue at the start, likewise.
        pub queue: f64 = 0.0, in 0.0..=100.0;
        /// How long it goes on.
        pub time: Span = Span::ms(2);
    }
}

/// Steps of the integration per round trip without a queue, or per `interval` if that is shorter.
const STEPS: f64 = 200.0;
/// Most steps in all: seconds of work.
const MOST_STEPS: f64 = 2e8;

impl PowerLaw {
    /// Seconds of a step.
    fn step(&self) -> f64 {
        self.base_rtt.0.min(self.interval.0) as f64 / 1e12 / STEPS
    }

    /// f / e, where the window and the queue are these multiples of b tau, and how fast the queue
    /// grows in multiples of b.
    fn factor(&self, window: f64, queue: f64) -> (f64, f64) {
        let arrives = window / (queue + 1.0);
        let leaves = if queue > 0.0 { 1.0 } else { arrives.min(1.0) };
        let grows = arrives - leaves;
        let factor = match self.law {
            Law::Voltage => queue + 1.0,
            Law::Gradient => grows + 1.0,
            Law::Power => (grows + leaves) * (queue + 1.0),
        };
        (factor, grows)
    }
}

impl Answers for PowerLaw {
    fn check(&self) -> Result<(), String> {
        if self.base_rtt.0 == 0 || self.interval.0 == 0 {
            return Err("`base_rtt` and `interval` are to be longer than nothing".to_owned());
        }
        let steps = self.time.0 as f64 / 1e12 / self.step();
        if steps > MOST_STEPS {
            return Err(format!("this takes {steps:.0e} steps; expected at most {MOST_STEPS:e}"));
        }
        Ok(())
    }

    fn values(&self, _: u64) -> Vec<f64> {
        let (tau, step) = (self.base_rtt.0 as f64 / 1e12, self.step());
        let pipe = self.rate.0 as f64 / 8.0 * tau;
        let increase = self.increase.0 as f64 / pipe;
        let gain = self.gain / (self.interval.0 as f64 / 1e12);
        let (mut window, mut queue) = (self.window, self.queue);
        let (first, _) = self.factor(window, queue);
        let mut least = window;
        for _ in 0..(self.time.0 as f64 / 1e12 / step).round() as u64 {
            let (factor, grows) = self.factor(window, queue);
            window += step * gain * (window / factor.max(1e-9) - window + increase);
            queue = (queue + step / tau * grows).max(0.0);
            least = least.min(window);
        }
        vec![first, window, queue, least]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(law: Law, window: f64, queue: f64, increase: u64) -> Vec<f64> {
        let increase = Bytes(increase);
        Answers::values(&PowerLaw { law, window, queue, increase, ..Default::default() }, 1)
    }

    const STARTS: [(f64, f64); 4] = [(0.3, 0.0), (2.0, 0.0), (3.0, 2.0), (1.0, 1.5)];

    /// PowerTCP spec, acceptance 8: w = b tau + beta, q = beta, from any start; Fig. 2.3: no start
    /// above the pipe leads below it.
    #[test]
    fn power_has_one_end_and_does_not_overshoot() {
        for (window, queue) in STARTS {
            let values = run(Law::Power, window, queue, 25_000);
            assert!((values[1] / 1.1 - 1.0).abs() < 0.02, "{values:?}");
            assert!((values[2] / 0.1 - 1.0).abs() < 0.02, "{values:?}");
            assert!(values[3] >= window.min(1.0) - 1e-9, "{values:?}");
        }
    }

    /// Fig. 2.3: one end, but windows fall below the pipe on the way; gradients end anywhere
    /// (acceptance 12).
    #[test]
    fn voltage_overshoots_and_gradients_end_where_they_began() {
        let ends: Vec<_> = STARTS.map(|(w, q)| run(Law::Voltage, w, q, 2_500)).to_vec();
        assert!(ends.iter().all(|end| (end[1] - ends[0][1]).abs() < 0.02), "{ends:?}");
        assert!(run(Law::Voltage, 3.0, 2.0, 2_500)[3] < 0.97, "{ends:?}");
        let queue = |window, queue| run(Law::Gradient, window, queue, 0)[2];
        assert!((queue(2.0, 0.0) - queue(3.0, 2.0)).abs() > 0.1);
    }

    /// Acceptance 9: the error of the window falls to 1/e in dt / gamma.
    #[test]
    fn the_window_error_decays_with_the_interval_over_the_gain() {
        let at = |ns| {
            let time = Span::ns(ns);
            let own = PowerLaw { increase: Bytes(0), queue: 1.0, time, ..Default::default() };
            Answers::values(&own, 1)[1] - 1.0
        };
        assert!((at(22_222) / (-1f64).exp() - 1.0).abs() < 0.05, "{}", at(22_222));
        assert!((at(111_111) / (-5f64).exp() - 1.0).abs() < 0.05, "{}", at(111_111));
    }

    /// Fig. 2.2: voltage does not see how fast the queue grows, gradients not how long it is.
    #[test]
    fn voltage_and_gradient_each_see_half_of_power() {
        let factor = |law, window, queue| run(law, window, queue, 0)[0];
        assert_eq!(factor(Law::Voltage, 1.0, 1.0), factor(Law::Voltage, 8.0, 1.0));
        assert_eq!(factor(Law::Gradient, 2.0, 1.0), factor(Law::Gradient, 3.0, 2.0));
        assert_eq!(factor(Law::Power, 2.0, 1.0), 2.0);
        assert_eq!(factor(Law::Power, 8.0, 1.0), 8.0);
    }
}
