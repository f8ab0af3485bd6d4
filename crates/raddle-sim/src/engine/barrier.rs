//! Where threads wait for each other: by spinning for a moment, then by yielding, then asleep.
//!
//! Windows last microseconds, so a thread that sleeps at once wastes more than it saves. But one
//! that only spins keeps a busy machine from running the thread it waits for: the prototype was 15
//! times slower so.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// How often a thread looks before it yields, and how often it yields before it sleeps.
const SPINS: u32 = 2_000;
const YIELDS: u32 = 50;

#[derive(Default)]
#[repr(align(64))]
struct Counter(AtomicUsize);

/// A barrier for a fixed number of threads, to be passed any number of times.
pub(super) struct Barrier {
    threads: usize,
    arrived: Counter,
    round: Counter,
    sleepers: Counter,
    broken: AtomicBool,
    lock: Mutex<()>,
    bell: Condvar,
}

impl Barrier {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            threads,
            arrived: Counter::default(),
            round: Counter::default(),
            sleepers: Counter::default(),
            broken: AtomicBool::new(false),
            lock: Mutex::new(()),
            bell: Condvar::new(),
        }
    }

    /// Waits until all threads have come. Returns false, at once and from then on, if the barrier
    /// is broken. What threads wrote before they came, all can read behind it.
    #[must_use]
    pub(super) fn wait(&self) -> bool {
        let round = self.round.0.load(Ordering::Acquire);
        if self.arrived.0.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.0.store(0, Ordering::Relaxed);
            self.round.0.store(round.wrapping_add(1), Ordering::SeqCst);
            self.ring();
        } else {
            self.wait_for_round(round);
        }
        !self.broken.load(Ordering::SeqCst)
    }

    /// Lets everyone go: a thread will not come any more.
    pub(super) fn break_up(&self) {
        self.broken.store(true, Ordering::SeqCst);
        self.ring();
    }

    fn wait_for_round(&self, round: usize) {
        let over =
            || self.round.0.load(Ordering::SeqCst) != round || self.broken.load(Ordering::SeqCst);
        for _ in 0..SPINS {
            if over() {
                return;
            }
            std::hint::spin_loop();
        }
        for _ in 0..YIELDS {
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
pub(super) struct BreakOnPanic<'a>(pub(super) &'a Barrier);

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
                        assert!(barrier.wait());
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
            let sleeper = scope.spawn(|| barrier.wait());
            std::thread::sleep(std::time::Duration::from_millis(50));
            let panics = scope.spawn(|| {
                let _guard = BreakOnPanic(&barrier);
                assert!(barrier.threads == 0, "on purpose");
            });
            assert!(panics.join().is_err());
            assert!(!sleeper.join().unwrap());
            assert!(!barrier.wait());
        });
    }
}
