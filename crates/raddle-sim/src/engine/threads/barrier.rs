//! Where threads wait for each other: by spinning, then asleep; not two on one core, if there is
//! another ([`Seats`]).
//!
//! Windows last microseconds, so a thread that sleeps at once wastes more than it saves: to wake it
//! takes longer than most waits. But where there are more threads than cores, one that spins keeps
//! the one it waits for from running; it spins for a moment only, and yields before it sleeps.

use super::affinity::Seats;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// How often a thread looks before it yields, and how often it yields before it sleeps.
struct Patience {
    spins: u32,
    yields: u32,
}

/// Each thread can have a core: a thread that yields there only gives way to other programs, and
/// is behind them afterwards, while one that wakes from sleep goes first.
const A_CORE_EACH: Patience = Patience { spins: 20_000, yields: 0 };
const FEWER_CORES: Patience = Patience { spins: 2_000, yields: 50 };

#[derive(Default)]
#[repr(align(64))]
struct Counter(AtomicUsize);

/// A barrier for a fixed number of threads, to be passed any number of times.
pub(in crate::engine) struct Barrier {
    seats: Seats,
    patience: Patience,
    arrived: Counter,
    round: Counter,
    sleepers: Counter,
    broken: AtomicBool,
    lock: Mutex<()>,
    bell: Condvar,
}

impl Barrier {
    pub(in crate::engine) fn new(threads: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            seats: Seats::new(threads),
            patience: if threads <= cores { A_CORE_EACH } else { FEWER_CORES },
            arrived: Counter::default(),
            round: Counter::default(),
            sleepers: Counter::default(),
            broken: AtomicBool::new(false),
            lock: Mutex::new(()),
            bell: Condvar::new(),
        }
    }

    /// Thread `number`, which calls, waits until all threads have come. Returns false, at once and
    /// from then on, if the barrier is broken. What threads wrote before they came, all can read
    /// behind it.
    #[must_use]
    pub(in crate::engine) fn wait(&self, number: usize) -> bool {
        self.seats.note(number);
        let round = self.round.0.load(Ordering::Acquire);
        if self.arrived.0.fetch_add(1, Ordering::AcqRel) + 1 == self.seats.threads() {
            self.arrived.0.store(0, Ordering::Relaxed);
            self.round.0.store(round.wrapping_add(1), Ordering::SeqCst);
            self.ring();
        } else {
            self.wait_for_round(number, round);
        }
        !self.broken.load(Ordering::SeqCst)
    }

    /// Lets everyone go: a thread will not come any more.
    pub(in crate::engine) fn break_up(&self) {
        self.broken.store(true, Ordering::SeqCst);
        self.ring();
    }

    fn wait_for_round(&self, number: usize, round: usize) {
        let over =
            || self.round.0.load(Ordering::SeqCst) != round || self.broken.load(Ordering::SeqCst);
        for _ in 0..self.patience.spins {
            if over() {
                return;
            }
            std::hint::spin_loop();
        }
        self.seats.spread(number);
        for _ in 0..self.patience.yields {
            if over() {
                return;
            }
            std::thread::yield_now();
        }
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        // Announced before the last look: who ends the round after it sees the sleeper.
        self.sleepers.0.fetch_add(1, Ordering::SeqCst);
        while !over() {
            guard = self.bell.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        self.sleepers.0.fetch_sub(1, Ordering::SeqCst);
        drop(guard);
        // Linux may wake it where the thread runs that woke it.
        self.seats.spread(number);
    }

    fn ring(&self) {
        if self.sleepers.0.load(Ordering::SeqCst) > 0 {
            // With the lock, nobody is between the last look and sleep.
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.bell.notify_all();
        }
    }
}

/// Breaks the barrier if its thread panics.
pub(in crate::engine) struct BreakOnPanic<'a>(pub(in crate::engine) &'a Barrier);

impl Drop for BreakOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.break_up();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn nobody_passes_before_all_have_come() {
        const ROUNDS: u64 = 2_000;
        let barrier = Barrier::new(4);
        let counts: [AtomicU64; 4] = Default::default();
        std::thread::scope(|scope| {
            for own in 0..4 {
                let (barrier, counts) = (&barrier, &counts);
                scope.spawn(move || {
                    for round in 1..=ROUNDS {
                        counts[own].store(round, Ordering::Relaxed);
                        assert!(barrier.wait(own));
                        let seen = counts.iter().map(|count| count.load(Ordering::Relaxed));
                        assert!(seen.into_iter().all(|n| n == round || n == round + 1));
                        // Some rounds last long enough for the others to fall asleep.
                        if round % 500 == own as u64 {
                            std::thread::sleep(std::time::Duration::from_millis(20));
                        }
                    }
                });
            }
        });
    }

    #[test]
    fn a_broken_barrier_lets_everyone_go_asleep_or_not() {
        let barrier = Barrier::new(3);
        std::thread::scope(|scope| {
            let sleeper = scope.spawn(|| barrier.wait(0));
            std::thread::sleep(std::time::Duration::from_millis(50));
            let panics = scope.spawn(|| {
                let _guard = BreakOnPanic(&barrier);
                assert!(barrier.seats.threads() == 0, "on purpose");
            });
            assert!(panics.join().is_err());
            assert!(!sleeper.join().unwrap());
            assert!(!barrier.wait(2));
        });
    }
}
