//! Packet numbers of 24 bits, compared as serial numbers (Themis spec, section 2.5).

/// How many there are.
const SPACE: u32 = 1 << 24;

/// How far `later` is behind `earlier`, modulo 2^24.
pub(super) fn distance(later: u32, earlier: u32) -> u32 {
    later.wrapping_sub(earlier) % SPACE
}

/// Whether `a` comes after `b`: less than half the space ahead.
pub(super) fn is_after(a: u32, b: u32) -> bool {
    (1..SPACE / 2).contains(&distance(a, b))
}
