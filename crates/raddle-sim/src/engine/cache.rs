//! Asking for memory before it is needed: hints to the caches of a core.

const CACHE_LINE: usize = 64;

/// Asks for `count` cache lines from `address` on, whatever lies there.
#[inline(always)]
pub(super) fn prefetch_lines(address: *const u8, count: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        for line in 0..count {
            // SAFETY: a prefetch is a hint that neither reads nor faults, wherever it points.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(address.wrapping_add(line * CACHE_LINE).cast()) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (address, count);
}

/// Asks for `count` cache lines from each address on.
#[inline(always)]
pub(super) fn prefetch_all<const N: usize>(addresses: [*const u8; N], count: usize) {
    for address in addresses {
        prefetch_lines(address, count);
    }
}

/// Asks for the first cache line of `value`.
#[inline(always)]
pub(super) fn prefetch<T>(value: &T) {
    prefetch_lines((&raw const *value).cast(), 1);
}
