//! Ports with something queued or in service, a bit each.

use raddle_schemes::units::Time;

/// Notes that `port`, counted within its switch, is busy.
#[inline(always)]
pub(in crate::engine) fn note_busy(busy: &mut [u64], port: usize) {
    busy[port / 64] |= 1 << (port % 64);
}

/// The first of the actions of ports whose bits are set, if it is not after `until`; then `due` has the
/// ports that have it, the lowest first.
#[inline]
pub(in crate::engine) fn first_of(
    words: &[u64],
    actions: &[Time],
    until: Time,
    due: &mut Vec<u32>,
) -> Time {
    let mut first = until;
    due.clear();
    for (index, &word) in words.iter().enumerate() {
        let mut bits = word;
        while bits != 0 {
            let port = index * 64 + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let action = actions[port];
            if action > first {
                continue;
            }
            if action < first {
                first = action;
                due.clear();
            }
            due.push(port as u32);
        }
    }
    first
}

/// Has `carry_out` see to each port that is busy: it says when that next has something to carry out.
/// Those that never have are busy no more. Returns the first of these times.
#[inline]
pub(in crate::engine) fn replay_ports(
    busy: &mut [u64],
    carry_out: impl FnMut(usize) -> Time,
) -> Time {
    replay_ports_among(busy, |_| u64::MAX, carry_out)
}

/// The same with those ports alone whose bits are set `among` others, word by word.
#[inline]
pub(in crate::engine) fn replay_ports_among(
    busy: &mut [u64],
    among: impl Fn(usize) -> u64,
    mut carry_out: impl FnMut(usize) -> Time,
) -> Time {
    let mut next = Time::NEVER;
    for (index, word) in busy.iter_mut().enumerate() {
        let mut bits = *word & among(index);
        while bits != 0 {
            let bit = bits & bits.wrapping_neg();
            bits ^= bit;
            let action = carry_out(index * 64 + bit.trailing_zeros() as usize);
            if action == Time::NEVER {
                *word ^= bit;
            }
            next = next.min(action);
        }
    }
    next
}
