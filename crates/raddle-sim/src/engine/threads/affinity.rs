//! Which cores the threads of a run sit on: no two on one while another has none of them.
//!
//! Threads that wait for each other every few microseconds can be left on one core: each yields to
//! the other, none sleeps, and Linux does not move what ran a moment ago. So a thread that has spun
//! in vain and shares its core with another of the run moves itself. It is tied to no core: the
//! system may move it on at any time. Nothing happens where a system has no such calls.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The core of each thread, as it last said; `NOWHERE` before.
pub(in crate::engine) struct Seats(Vec<AtomicUsize>);

const NOWHERE: usize = usize::MAX;

impl Seats {
    pub(in crate::engine) fn new(threads: usize) -> Self {
        Self((0..threads).map(|_| AtomicUsize::new(NOWHERE)).collect())
    }

    pub(in crate::engine) fn threads(&self) -> usize {
        self.0.len()
    }

    /// Thread `number`, which calls, says where it is.
    pub(in crate::engine) fn note(&self, number: usize) {
        self.0[number].store(system::core(), Ordering::Relaxed);
    }

    /// Moves thread `number`, which calls, to a core that it may use and where no other thread of
    /// the run sits, if it shares its own.
    pub(in crate::engine) fn spread(&self, number: usize) {
        let own = system::core();
        if own == NOWHERE || !self.is_taken(own, number) {
            return;
        }
        if let Some(core) = system::move_to(|core| !self.is_taken(core, number)) {
            self.0[number].store(core, Ordering::Relaxed);
        }
    }

    /// Whether another thread than `number` sits on `core`.
    fn is_taken(&self, core: usize, number: usize) -> bool {
        let mut seats = self.0.iter().enumerate();
        seats.any(|(other, seat)| other != number && seat.load(Ordering::Relaxed) == core)
    }
}

#[cfg(target_os = "linux")]
mod system {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

    /// The core that the calling thread runs on.
    pub(in crate::engine) fn core() -> usize {
        sched_getcpu()
    }

    /// Moves the calling thread to the next core that it may use and `suits`; afterwards it may
    /// use those that it could before.
    pub(in crate::engine) fn move_to(suits: impl Fn(usize) -> bool) -> Option<usize> {
        let allowed = sched_getaffinity(None).ok()?;
        // On from its own: threads of other runs, which this one does not know, do so, too.
        let own = core();
        let round = (own..CpuSet::MAX_CPU).chain(0..own);
        let core = round.into_iter().find(|&core| allowed.is_set(core) && suits(core))?;
        let mut only = CpuSet::new();
        only.set(core);
        sched_setaffinity(None, &only).ok()?;
        // It was allowed a moment ago; if it is not now, the system has taken cores away.
        sched_setaffinity(None, &allowed).ok()?;
        Some(core)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(in crate::engine) fn core() -> usize {
        super::NOWHERE
    }

    pub(in crate::engine) fn move_to(_: impl Fn(usize) -> bool) -> Option<usize> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::thread::sched_getaffinity;

    #[test]
    fn a_thread_that_shares_its_core_moves_and_stays_free_to_be_moved() {
        let allowed = sched_getaffinity(None).unwrap();
        if allowed.count() < 2 {
            return;
        }
        let seats = Seats::new(2);
        // The system may move it between the two calls, and then it shares no core: once in a while.
        let moved = (0..100).find_map(|_| {
            let shared = system::core();
            seats.0[1].store(shared, Ordering::Relaxed);
            seats.spread(0);
            let own = seats.0[0].load(Ordering::Relaxed);
            (own != NOWHERE).then_some((shared, own))
        });
        let (shared, own) = moved.unwrap();
        assert!(own != shared && allowed.is_set(own));
        assert!(sched_getaffinity(None).unwrap() == allowed);
    }

    #[test]
    fn a_thread_stays_where_all_cores_are_taken() {
        let allowed = sched_getaffinity(None).unwrap();
        let seats = Seats::new(1 + allowed.count() as usize);
        let cores = (0..rustix::thread::CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core));
        for (seat, core) in seats.0[1..].iter().zip(cores) {
            seat.store(core, Ordering::Relaxed);
        }
        seats.spread(0);
        assert_eq!(seats.0[0].load(Ordering::Relaxed), NOWHERE);
    }
}
