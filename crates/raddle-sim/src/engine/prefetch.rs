//! Asking for memory before it is needed.
//!
//! What a switch touches in a window (the links into it, its own ports) has mostly left the caches
//! since the last one. While one switch runs, the lines of the next ones are on their way.

use super::part::Part;

/// Asks for the cache line of `value`.
#[inline(always)]
pub(super) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address: *const T = value;
        // SAFETY: a prefetch reads nothing that the program can see, and the address is valid.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

impl Part<'_> {
    /// The ports of a switch that runs soon, and the links through which something arrives.
    #[inline]
    pub(super) fn prefetch_ports(&self, number: u32) {
        let first = self.switches[number as usize].first_port;
        for in_port in self.world.calendar.in_ports(number) {
            let feeder = self.feeders[(first + in_port) as usize];
            prefetch(&self.lines[feeder as usize]);
        }
    }

    /// What is on the links into a switch that runs next, and the ports that it may leave through.
    #[inline]
    pub(super) fn prefetch_frames(&self, number: u32) {
        let first = self.switches[number as usize].first_port;
        for in_port in self.world.calendar.in_ports(number) {
            let feeder = &self.lines[self.feeders[(first + in_port) as usize] as usize];
            feeder.ring.prefetch_head();
            let own = &self.lines[(first + in_port) as usize];
            prefetch(own);
            if own.place.is_fast() {
                prefetch(&self.fast_ports[own.place.number()]);
            }
        }
    }
}
