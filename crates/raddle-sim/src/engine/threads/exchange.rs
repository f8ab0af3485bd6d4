//! What parts tell each other between halves of windows: how far they are, and what they send.
//!
//! Everything is there twice, for even and odd rounds: what is posted in a round is read in the
//! next, while that round's own posts go to the other copy. One barrier between rounds is enough.

use crate::engine::link::outbox::{Handover, Outbox};
use crate::engine::schedule::steps::Status;
use crate::host::endpoints::scale_up::Crossing;
use crate::host::totals::HostTotals;
use crate::wire::frame::Locator;
use crate::wire::note::{Hops, Note};
use raddle_schemes::ids::PortId;
use raddle_schemes::transport::Entry;
use raddle_schemes::units::Time;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A status that other threads can read: one cache line. The barrier orders writes and reads.
#[derive(Default)]
#[repr(align(64))]
struct Board([AtomicU64; 8]);

impl Board {
    fn write(&self, status: &Status) {
        let totals = &status.totals;
        let words = [
            status.next_window.unwrap_or(u64::MAX),
            totals.last_progress.0,
            totals.last_completion.0,
            totals.flows_done,
            totals.packets_acked,
            status.events,
            status.packet_hops,
            u64::from(status.interrupted),
        ];
        for (place, word) in self.0.iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
    }

    fn read(&self) -> Status {
        let word = |i: usize| self.0[i].load(Ordering::Relaxed);
        Status {
            next_window: Some(word(0)).filter(|&window| window != u64::MAX),
            totals: HostTotals {
                last_progress: Time(word(1)),
                last_completion: Time(word(2)),
                flows_done: word(3),
                packets_acked: word(4),
            },
            events: word(5),
            packet_hops: word(6),
            interrupted: word(7) != 0,
        }
    }
}

/// What one part sends to another.
#[derive(Default)]
#[repr(align(64))]
pub(in crate::engine) struct Mail {
    pub(in crate::engine) frames: Vec<Handover>,
    /// They are there before any ACK that covers them.
    pub(in crate::engine) log_entries: Vec<(Locator, Entry)>,
    /// The notes of the data frames, and those that go with the entries.
    pub(in crate::engine) notes: Vec<(PortId, Note)>,
    pub(in crate::engine) log_hops: Vec<(Locator, Hops)>,
    pub(in crate::engine) crossings: Vec<Crossing>,
}

/// Where parts leave what others are to read or to get.
pub(in crate::engine) struct Exchange {
    parts: usize,
    /// Per round's parity and part.
    boards: [Vec<Board>; 2],
    /// Per round's parity, sending and receiving part. No lock is ever waited for.
    mail: [Vec<Mutex<Mail>>; 2],
}

impl Exchange {
    pub(in crate::engine) fn new(parts: usize) -> Self {
        let boards = || (0..parts).map(|_| Board::default()).collect();
        let mail = || (0..parts * parts).map(|_| Mutex::default()).collect();
        Self { parts, boards: [boards(), boards()], mail: [mail(), mail()] }
    }

    /// Posts what part `from` has come to and what it sends; its outbox is empty then.
    pub(in crate::engine) fn post(
        &self,
        round: u64,
        from: usize,
        status: &Status,
        outbox: &mut Outbox,
    ) {
        let parity = (round % 2) as usize;
        self.boards[parity][from].write(status);
        for to in (0..self.parts).filter(|&to| to != from) {
            let mut mail = lock(&self.mail[parity][from * self.parts + to]);
            debug_assert!(mail.frames.is_empty() && mail.log_entries.is_empty());
            std::mem::swap(&mut mail.frames, &mut outbox.frames[to]);
            std::mem::swap(&mut mail.log_entries, &mut outbox.log_entries[to]);
            std::mem::swap(&mut mail.notes, &mut outbox.notes[to]);
            std::mem::swap(&mut mail.log_hops, &mut outbox.log_hops[to]);
            std::mem::swap(&mut mail.crossings, &mut outbox.crossings[to]);
        }
    }

    /// What all parts together had come to in `round`.
    pub(in crate::engine) fn status(&self, round: u64) -> Status {
        let mut sum = Status::default();
        self.boards[(round % 2) as usize].iter().for_each(|board| sum.add(&board.read()));
        sum
    }

    /// Hands `take` what each other part sent to part `to` in `round`, to be emptied.
    pub(in crate::engine) fn collect(
        &self,
        round: u64,
        to: usize,
        mut take: impl FnMut(&mut Mail),
    ) {
        for from in (0..self.parts).filter(|&from| from != to) {
            take(&mut lock(&self.mail[(round % 2) as usize][from * self.parts + to]));
        }
    }
}

/// A part that panics ends the run by the barrier, not by its locks.
fn lock(mail: &Mutex<Mail>) -> std::sync::MutexGuard<'_, Mail> {
    mail.lock().unwrap_or_else(PoisonError::into_inner)
}
