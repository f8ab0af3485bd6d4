//! Ports that have nothing to carry out for a while, as those have whose gates are closed: nobody looks
//! at them until then.

use raddle_schemes::units::Time;

/// The ports of a switch that are asleep.
#[derive(Debug)]
pub(in crate::engine) struct Asleep {
    /// A bit for each.
    words: Vec<u64>,
    /// When each next has something to carry out.
    actions: Vec<Time>,
    /// None has before.
    next: Time,
}

impl Asleep {
    /// None of so many.
    pub(in crate::engine) fn new(ports: usize) -> Self {
        let words = vec![0; ports.div_ceil(64)];
        Self { words, actions: vec![Time::NEVER; ports], next: Time::NEVER }
    }

    /// When the first has something to carry out, or before.
    #[inline]
    pub(in crate::engine) fn next(&self) -> Time {
        self.next
    }

    /// Those that have something to carry out up to and including `until` are busy again.
    #[inline]
    pub(in crate::engine) fn wake(&mut self, until: Time, busy: &mut [u64]) {
        if self.next <= until {
            self.wake_some(until, busy);
        }
    }

    fn wake_some(&mut self, until: Time, busy: &mut [u64]) {
        self.next = Time::NEVER;
        for (index, (word, busy)) in self.words.iter_mut().zip(busy).enumerate() {
            let mut bits = *word;
            while bits != 0 {
                let bit = bits & bits.wrapping_neg();
                bits ^= bit;
                let action = self.actions[index * 64 + bit.trailing_zeros() as usize];
                if action <= until {
                    *word ^= bit;
                    *busy |= bit;
                } else {
                    self.next = self.next.min(action);
                }
            }
        }
    }

    /// A busy port next has something to carry out at `action`: it sleeps. Returns when it is to be
    /// looked at among those that are busy: never.
    #[inline]
    pub(in crate::engine) fn put(&mut self, port: usize, action: Time) -> Time {
        let (word, bit) = (&mut self.words[port / 64], 1 << (port % 64));
        self.actions[port] = action;
        if action == Time::NEVER {
            *word &= !bit;
        } else {
            *word |= bit;
            self.next = self.next.min(action);
        }
        Time::NEVER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_sleep_until_they_have_something_to_do() {
        let mut asleep = Asleep::new(100);
        let mut busy = [0; 2];
        for (port, action) in [(3, 50), (70, 20), (99, 90)] {
            asleep.put(port, Time(action));
        }
        asleep.wake(Time(19), &mut busy);
        assert_eq!((busy, asleep.next()), ([0, 0], Time(20)));
        // One is empty now, and one has something earlier.
        asleep.put(3, Time::NEVER);
        asleep.put(99, Time(30));
        asleep.wake(Time(30), &mut busy);
        assert_eq!((busy, asleep.next()), ([0, 1 << 6 | 1 << 35], Time::NEVER));
    }
}
