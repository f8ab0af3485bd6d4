//! How much of a shared memory dynamic thresholds and ABM give to queues, and to a burst.
//!
//! ABM thesis chapter, sections 4.1.3, 4.2.2 and 4.3: a fluid model. Classes are congested at so many
//! queues each, whose lengths are at their thresholds; then a burst comes for a queue that was empty.
//! Both policies give a queue `omega` times what is free: `omega` is alpha under dynamic thresholds,
//! alpha / n · (share of the port's rate) under ABM, where n counts the congested queues of the class
//! (equations 4.5, 4.9). All sizes are shares of the memory; times are in units of what a port takes to
//! send all of it; rates are in those of a port.
//!
//! Reading: Figure 4.5 does not print its parameters, and burst tolerance is (r - mu)·t in equations
//! 4.8 to 4.11 and r·t in 4.42; both are given. Theorem 7 as printed, alpha / (1 + alpha), does not hold for
//! a lone slow queue: its proof takes the sum of omegas to be at least alpha. Without that it is
//! alpha / (n (1 + sum of omegas)), which is what a queue at its threshold takes.

use super::{Answers, Card, Quantity};

/// What `raddle theory shared_thresholds` says.
pub const CARD: Card = Card {
    name: "shared_thresholds",
    title: "what dynamic thresholds and ABM give to queues and to a burst",
    paper: "Addanki, Apostolaki, Ghobadi, Schmid and Vanbever, ABM, SIGCOMM 2022; section 4.3 of the thesis",
    quantities: &[
        Quantity { name: "free", doc: "share of the memory that nobody uses before the burst" },
        Quantity { name: "threshold", doc: "of a queue of the burst's class before the burst" },
        Quantity { name: "class_share", doc: "what the burst's class uses before the burst" },
        Quantity { name: "other_threshold", doc: "of a queue of another class" },
        Quantity { name: "other_share", doc: "what one other class uses" },
        Quantity { name: "omega_sum", doc: "the omegas of the other classes' queues together" },
        Quantity {
            name: "drain_time",
            doc: "of a queue of the burst's class at its threshold, or, where it has none, of another",
        },
        Quantity { name: "drain_bound", doc: "the same at most under ABM, by Theorem 7" },
        Quantity {
            name: "tracked_rate",
            doc: "the greatest rate of arrival at which old queues follow their thresholds (equation 4.28)",
        },
        Quantity { name: "case", doc: "1 where they do, else 2" },
        Quantity { name: "no_loss_time", doc: "until the burst is dropped from (4.29, 4.39)" },
        Quantity { name: "burst_queue", doc: "what has queued by then: (r - mu) t" },
        Quantity { name: "burst", doc: "what has come by then: r t (equation 4.42)" },
    ],
};

raddle_schemes::words! {
    /// Who gives memory to queues.
    pub enum Policy {
        /// Dynamic thresholds.
        DynamicThresholds = "dynamic_thresholds",
        /// ABM.
        Abm = "abm",
    }
}

raddle_schemes::parameters! {
    /// A switch in a steady state, and a burst.
    pub struct SharedThresholds {
        /// `dynamic_thresholds` or `abm`.
        pub policy: Policy = Policy::DynamicThresholds;
        /// Of the burst's class: the most that a queue may hold, over what is free.
        pub alpha: f64 = 0.5, in 1e-6..=1e6;
        /// Congested queues of the burst's class, the burst's own not among them.
        pub queues: u32 = 0, in 0..=100_000;
        /// Rate of each of them, of its port's.
        pub rate: f64 = 1.0, in 1e-6..=1.0;
        /// Other classes.
        pub others: u32 = 1, in 0..=1_000;
        /// Alpha of each of those.
        pub other_alpha: f64 = 0.5, in 1e-6..=1e6;
        /// Congested queues of each of those.
        pub other_queues: u32 = 4, in 1..=100_000;
        /// Rate of each of these, of its port's: one over the congested queues of a port.
        pub other_rate: f64 = 1.0, in 1e-6..=1.0;
        /// How fast the burst comes.
        pub arrival: f64 = 10.0, in 1.000_001..=1e9;
        /// Rate of the burst's queue.
        pub burst_rate: f64 = 1.0, in 1e-6..=1.0;
        /// Queues that bursts come for at once.
        pub bursts: u32 = 1, in 1..=100_000;
    }
}

impl SharedThresholds {
    fn omega(&self, alpha: f64, queues: u32, rate: f64) -> f64 {
        match self.policy {
            Policy::DynamicThresholds => alpha,
            Policy::Abm => alpha / f64::from(queues.max(1)) * rate,
        }
    }
}

impl Answers for SharedThresholds {
    fn values(&self, _: u64) -> Vec<f64> {
        let queues = f64::from(self.queues);
        let own = self.omega(self.alpha, self.queues, self.rate);
        let other = self.omega(self.other_alpha, self.other_queues, self.other_rate);
        let all_others = f64::from(self.others) * f64::from(self.other_queues);
        let (own_sum, other_sum) = (queues * own, all_others * other);
        // Equations 4.6 and 4.15 to 4.17.
        let omegas = own_sum + other_sum;
        let free = 1.0 / (1.0 + omegas);
        let old_rate = queues * self.rate + all_others * self.other_rate;
        let (alpha, omega, rate) = match self.queues {
            0 => (self.other_alpha, other, self.other_rate),
            _ => (self.alpha, own, self.rate),
        };
        let (r, mu, k) = (self.arrival, self.burst_rate, f64::from(self.bursts));
        let burst = self.omega(self.alpha, self.queues, mu);
        // Old queues drain no slower than they may with constant rates: none is above its threshold at
        // first (G_e is empty).
        let tracked = match omegas {
            0.0 => f64::INFINITY,
            _ => mu + old_rate * (1.0 + omegas) / (omegas * k),
        };
        let is_tracked = r <= tracked;
        let time = if is_tracked {
            burst / ((r - mu) * (1.0 + omegas + burst * k))
        } else {
            burst * free / (r - mu + burst * (k * (r - mu) - old_rate))
        };
        vec![
            free,
            own * free,
            own_sum * free,
            other * free,
            f64::from(self.other_queues) * other * free,
            other_sum,
            omega * free / rate,
            alpha / (1.0 + alpha),
            tracked,
            if is_tracked { 1.0 } else { 2.0 },
            time,
            (r - mu) * time,
            r * time,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schemes::buffer::slotted;

    /// The memory of ABM's evaluation, and of its spec's known answers.
    const BYTES: f64 = 3_932_160.0;

    fn of(model: &SharedThresholds) -> impl Fn(&str) -> f64 + use<> {
        let values = Answers::values(model, 1);
        move |name| {
            let place = CARD.quantities.iter().position(|quantity| quantity.name == name);
            values[place.expect("a quantity of the card")]
        }
    }

    fn close(value: f64, expected: f64) {
        assert!((value - expected).abs() <= 1e-4 * expected, "{value}, expected {expected}");
    }

    const DT: Policy = Policy::DynamicThresholds;
    const ABM: Policy = Policy::Abm;

    /// ABM spec, section 6, items 1 to 3.
    #[test]
    fn steady_states_are_those_of_the_spec() {
        let class = |policy, other_queues| {
            of(&SharedThresholds { policy, other_queues, ..SharedThresholds::default() })
        };
        close(BYTES * class(DT, 1)("other_threshold"), 1_310_720.0);
        close(BYTES * class(DT, 4)("other_threshold"), 655_360.0);
        close(BYTES * class(DT, 4)("other_share"), 2_621_440.0);
        assert!(class(DT, 100_000)("free") < 3e-5);
        close(BYTES * class(ABM, 4)("other_threshold"), 327_680.0);
        for queues in [1, 4, 32] {
            close(BYTES * class(ABM, queues)("other_share"), 1_310_720.0);
        }
        let two = |policy| of(&SharedThresholds { policy, queues: 1, ..Default::default() });
        close(BYTES * two(DT)("threshold"), 561_737.0);
        close(BYTES * two(ABM)("threshold"), 983_040.0);
        close(BYTES * two(ABM)("other_share"), 983_040.0);
    }

    /// Item 4, with correction 3: four ports, each with a queue of the class and three of others that
    /// are not counted here; and the lone queue that breaks Theorem 7.
    #[test]
    fn a_lone_slow_queue_breaks_theorem_7() {
        let with = |other_queues| {
            let other_rate = 0.25;
            of(&SharedThresholds { policy: ABM, other_queues, other_rate, ..Default::default() })
        };
        let full = BYTES / 1.25e9;
        close(BYTES * with(4)("other_threshold"), 109_227.0);
        close(full * with(4)("drain_time"), 0.349_5e-3);
        close(full * with(4)("drain_bound"), 1.048_6e-3);
        close(BYTES * with(1)("other_threshold"), 436_907.0);
        close(full * with(1)("drain_time"), 1.398e-3);
        assert!(with(1)("drain_time") > with(1)("drain_bound"));
        for queues in [1, 4, 32] {
            let sound = 0.5 / (f64::from(queues) * (1.0 + with(queues)("omega_sum")));
            close(with(queues)("drain_time"), sound);
        }
    }

    /// Items 6 to 8, with correction 5.
    #[test]
    fn bursts_are_those_of_the_spec() {
        let default = SharedThresholds::default;
        let dt = |arrival| of(&SharedThresholds { arrival, ..default() });
        close(dt(5.0)("tracked_rate"), 7.0);
        assert_eq!((dt(5.0)("case"), dt(10.0)("case")), (1.0, 2.0));
        close(dt(5.0)("no_loss_time"), 0.035_714_3);
        close(dt(5.0)("burst_queue"), 0.142_857);
        close(dt(10.0)("no_loss_time"), 0.014_492_8);
        close(dt(10.0)("burst_queue"), 0.130_435);
        let abm = |others, other_queues| {
            of(&SharedThresholds { policy: ABM, others, other_queues, ..default() })
        };
        close(abm(2, 2)("burst_queue"), 0.195_652);
        close(abm(1, 4)("burst_queue"), 0.25);
        close(abm(1, 4)("tracked_rate"), 13.0);
        close(abm(2, 4)("burst_queue"), 0.2);
    }

    /// The same in packets: queues kept at their thresholds by more than they send, then a burst; until
    /// its first packet is dropped, as the formulas have it to 2 %.
    #[test]
    fn packets_meet_the_formulas() {
        let (size, warm) = (20_000_u64, 8_000);
        for arrival in [5, 10] {
            let mut slots: Vec<Vec<u32>> = vec![(0..8).map(|n| n % 4).collect(); warm];
            let burst: Vec<u32> = (0..8).map(|n| n % 4).chain(vec![4; arrival]).collect();
            slots.resize(warm + size as usize / 4, burst);
            let mut policy = slotted::UnitThresholds { alpha: 0.5, size };
            let run = slotted::run(&mut policy, 5, size, &slots);
            let mut came = 0;
            let all = slots.iter().flatten().zip(&run.dropped);
            for (_, dropped) in all.filter(|(port, _)| **port == 4) {
                if *dropped {
                    break;
                }
                came += 1;
            }
            let model = SharedThresholds { arrival: arrival as f64, ..Default::default() };
            let expected = size as f64 * of(&model)("burst");
            let found = f64::from(came);
            assert!((found / expected - 1.0).abs() < 0.02, "{found} of {expected}");
        }
    }
}
