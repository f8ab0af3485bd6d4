//! Ports with something queued or in service, a bit each.

use raddle_schemes::units::Time;

/// Notes that `port`, counted within its switch, is busy.
#[inline(always)]
pub(in crate::engine) fn note_busy(busy: &mut [u64], port: usize) {
    busy[port / 64] |= 1 << (port % 64);
}

/// The ports whose bits are set, the lowest first.
#[inline]
pub(in crate::engine) fn bits(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let rest = std::iter::successors(Some(word), |bits| Some(bits & bits.wrapping_sub(1)));
        let set = rest.take_while(|bits| *bits != 0);
        set.map(move |bits| index * 64 + bits.trailing_zeros() as usize)
    })
}

/// Has `carry_out` see to each port that is busy: it says when that next has something to carry out.
/// Those that never have are busy no more. Returns the first of these times.
#[inline]
pub(in crate::engine) fn replay_ports(
    busy: &mut [u64],
    mut carry_out: impl FnMut(usize) -> Time,
) -> Time {
    let mut next = Time::NEVER;
    for (index, word) in busy.iter_mut().enumerate() {
        let mut bits = *word;
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
