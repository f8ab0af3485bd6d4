//! Sequences that make policies of a shared memory fall far behind longest queue drop, and by how much
//! they may (Credence thesis, table 6.1 and Observation 1).
//!
//! Longest queue drop sends no more than the optimum: what a policy falls behind it, it falls behind
//! the optimum at least.

use super::memory_policies::{LQD_RATIO, Switch};
use super::{Answers, Card, Quantity};
use raddle_schemes::buffer::slotted;

/// What `raddle theory memory_adversary` says.
pub const CARD: Card = Card {
    name: "memory_adversary",
    title: "packets of longest queue drop over those of other policies, on sequences made against them",
    paper: "Addanki, Pacut and Schmid, Credence (NSDI 2024), Table 6.1 and Observation 1 of the thesis",
    quantities: &[
        Quantity { name: "sent_packets", doc: "packets that longest queue drop sends" },
        Quantity { name: "complete_sharing", doc: "its packets over those of complete sharing" },
        Quantity { name: "dynamic_thresholds", doc: "over those of dynamic thresholds, alpha 0.5" },
        Quantity { name: "harmonic", doc: "over those of harmonic" },
        Quantity { name: "follow_lqd", doc: "over those of FollowLQD" },
        Quantity { name: "safeguard", doc: "over those of FollowLQD with the safeguard" },
        Quantity { name: "credence", doc: "over those of Credence with right predictions" },
        Quantity {
            name: "credence_wrong",
            doc: "over those of Credence with all predictions turned round",
        },
        Quantity { name: "sharing_bound", doc: "what complete sharing is proved to reach: N + 1" },
        Quantity { name: "harmonic_bound", doc: "what harmonic is proved to reach: ln N + 2" },
        Quantity { name: "follow_bound", doc: "what FollowLQD may come to: (N + 1) / 2" },
        Quantity { name: "credence_bound", doc: "of right predictions: min(1.707, N)" },
        Quantity { name: "wrong_bound", doc: "of all predictions turned round: min(1.707 eta, N)" },
    ],
};

raddle_schemes::words! {
    /// What comes.
    pub enum Sequence {
        /// Bursts as large as the memory, for one port; all is sent before the next.
        Burst = "burst",
        /// Queue 0 fills the memory; then, in turn, a packet for each port, and one for queue 0 for each
        /// port (Observation 1).
        Refill = "refill",
        /// Queue 0 fills the memory; then a packet for each port in each slot.
        Hold = "hold",
    }
}

raddle_schemes::parameters! {
    /// A switch, and who works against it.
    pub struct MemoryAdversary {
        /// What comes: `burst`, `refill` or `hold`.
        pub sequence: Sequence = Sequence::Refill;
        /// Ports of the switch.
        pub ports: u32 = 8, in 1..=256;
        /// Packets that its memory has room for.
        pub memory: u32 = 64, in 1..=1_000_000;
        /// How often it comes.
        pub rounds: u32 = 1_000, in 1..=10_000_000;
    }
}

impl MemoryAdversary {
    fn slots(&self) -> Vec<Vec<u32>> {
        let (ports, size) = (self.ports, u64::from(self.memory));
        let each: Vec<u32> = (0..ports).collect();
        match self.sequence {
            Sequence::Burst => {
                let mut burst = slotted::burst(ports, size);
                burst.resize(burst.len() + self.memory as usize, Vec::new());
                let rounds = burst.len() * self.rounds as usize;
                burst.into_iter().cycle().take(rounds).collect()
            }
            Sequence::Refill | Sequence::Hold => {
                let mut slots = filled(ports, size);
                for _ in 0..self.rounds {
                    slots.push(each.clone());
                    if self.sequence == Sequence::Refill {
                        slots.push(vec![0; ports as usize]);
                    }
                }
                slots
            }
        }
    }
}

/// Slots until queue 0 has all of the memory; it sends a packet in each.
fn filled(ports: u32, size: u64) -> Vec<Vec<u32>> {
    let (mut slots, mut queue) = (Vec::new(), 0);
    loop {
        let fits = u64::from(ports).min(size - queue);
        slots.push(vec![0; fits as usize]);
        queue += fits;
        // A switch of one port never has more than a slot brings.
        if queue == size || ports == 1 {
            return slots;
        }
        queue -= 1;
    }
}

impl Answers for MemoryAdversary {
    fn check(&self) -> Result<(), String> {
        if self.memory >= self.ports {
            return Ok(());
        }
        Err(format!(
            "memory is {}; expected a packet for each of {} ports",
            self.memory, self.ports
        ))
    }

    fn draws(&self) -> f64 {
        // Each packet is looked at by nine policies, over all ports; slots may be empty.
        let packets = match self.sequence {
            Sequence::Burst => self.memory,
            Sequence::Refill | Sequence::Hold => 2 * self.ports,
        };
        f64::from(self.rounds) * f64::from(packets) * f64::from(self.ports + 8)
    }

    fn values(&self, _: u64) -> Vec<f64> {
        let (switch, slots) =
            (Switch { ports: self.ports, size: self.memory.into() }, self.slots());
        let model = switch.model(&slots);
        let wrong: Vec<bool> = model.dropped.iter().map(|dropped| !dropped).collect();
        let errors = switch.errors(&slots, &model.dropped, &wrong);
        let sent = switch.sent(&slots, model.dropped, 0.0);
        let turned = switch.credence(&slots, wrong, 0.0);
        let ports = f64::from(self.ports);
        let over = |sent: &u64| model.sent as f64 / *sent as f64;
        let harmonic = libm::log(ports) + 2.0;
        let bounds = [
            ports + 1.0,
            harmonic,
            (ports + 1.0) / 2.0,
            LQD_RATIO.min(ports),
            (LQD_RATIO * errors.eta()).min(ports),
        ];
        let ratios = sent.iter().chain([&turned]).map(over);
        [model.sent as f64].into_iter().chain(ratios).chain(bounds).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(sequence: Sequence, ports: u32, memory: u32, rounds: u32) -> Vec<f64> {
        Answers::values(&MemoryAdversary { sequence, ports, memory, rounds }, 1)
    }

    /// Credence spec, section 6, item 1, as ratios: dynamic thresholds, harmonic, all turned round.
    #[test]
    fn bursts_are_sent_as_the_spec_has_them() {
        for (ports, memory, sent) in [(8, 64, [29.0, 30.0, 15.0]), (20, 200, [76.0, 64.0, 19.0])] {
            for rounds in [1, 3] {
                let found = values(Sequence::Burst, ports, memory, rounds);
                let size = f64::from(memory);
                assert_eq!(found[0], size * f64::from(rounds));
                let expected = sent.map(|sent| size / sent);
                assert_eq!([found[2], found[3], found[7]], expected);
                assert_eq!([found[1], found[4], found[5], found[6]], [1.0; 4]);
            }
        }
        // As many places as ports: one packet of a burst is safe, and N times as many are lost.
        assert_eq!(values(Sequence::Burst, 20, 20, 1)[7], 20.0);
    }

    /// Item 2: 25,020 over 10,020 packets, 45,072 over 10,072, 85,136 over 10,136.
    #[test]
    fn refills_leave_half_of_n_to_who_only_follows() {
        for (ports, memory, lqd, follows) in [
            (4, 16, 25_020.0, 10_020.0),
            (8, 64, 45_072.0, 10_072.0),
            (16, 128, 85_136.0, 10_136.0),
        ] {
            let found = values(Sequence::Refill, ports, memory, 5_000);
            assert_eq!((found[0], found[1], found[4]), (lqd, lqd / follows, lqd / follows));
            assert_eq!(found[6], 1.0);
            assert!(found[10] > found[4] && found[4] > 0.98 * found[10], "{found:?}");
        }
    }

    #[test]
    fn a_queue_that_holds_the_memory_costs_complete_sharing_n_times() {
        let found = values(Sequence::Hold, 8, 64, 10_000);
        assert!((7.9..=9.0).contains(&found[1]), "{found:?}");
        assert!(found[8] == 9.0 && found[4] < 1.1, "{found:?}");
    }
}
