//! Asking for memory before it is needed.
//!
//! What a switch touches in a window (the links into it, its own ports) has mostly left the caches
//! since the last one. While one switch runs, the lines of the next ones are on their way.

use super::part::Part;

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

/// Asks for the first cache line of `value`.
#[inline(always)]
pub(super) fn prefetch<T>(value: &T) {
    prefetch_lines((&raw const *value).cast(), 1);
}

impl Part<'_> {
    /// The ports of a switch that runs soon, and the links through which something arrives.
    #[inline]
    pub(super) fn prefetch_ports(&self, number: u32) {
        let switch = &self.switches[number as usize];
        let first = switch.first_port;
        for in_port in self.world.calendar.in_ports(number) {
            let feeder = self.feeders[(first + in_port) as usize];
            prefetch(&self.lines[feeder as usize]);
            prefetch(&self.lines[(first + in_port) as usize]);
            if let Some((kind, first)) = switch.kind {
                self.ports.prefetch(kind, first + in_port);
            }
        }
    }

    /// What is on the links into a switch that runs next, and the ports that it may leave through.
    #[inline]
    pub(super) fn prefetch_frames(&self, number: u32) {
        let switch = &self.switches[number as usize];
        let first = switch.first_port;
        for in_port in self.world.calendar.in_ports(number) {
            let feeder = &self.lines[self.feeders[(first + in_port) as usize] as usize];
            feeder.ring.prefetch_head();
            self.lines[(first + in_port) as usize].ring.prefetch_tail();
            if let Some((kind, first)) = switch.kind {
                self.ports.prefetch_queues(kind, first + in_port);
            }
        }
    }

    /// What hosts that run soon touch, the nearer they are the deeper: of `hosts`, the one at
    /// `next` runs now.
    #[inline]
    pub(super) fn prefetch_hosts(&self, hosts: &[u32], next: usize) {
        let all = &self.world.hosts;
        if let Some(&host) = hosts.get(next + 5) {
            prefetch_lines(all.address(host), 3);
            prefetch(&self.lines[host as usize]);
            prefetch(&self.lines[self.feeders[host as usize] as usize]);
        }
        if let Some(&host) = hosts.get(next + 3) {
            self.lines[self.feeders[host as usize] as usize].ring.prefetch_head();
            self.lines[host as usize].ring.prefetch_tail();
        }
        for nth in 0..self.few_flows {
            self.prefetch_flows(hosts, next, nth);
        }
    }

    /// The same for the flows number `nth` of those that begin and end at each host, worth it where
    /// they are few.
    fn prefetch_flows(&self, hosts: &[u32], next: usize, nth: u32) {
        let all = &self.world.hosts;
        if let Some(&host) = hosts.get(next + 3) {
            for slot in all.slot_addresses(host, nth) {
                prefetch_lines(slot, 1);
            }
        }
        if let Some(&host) = hosts.get(next + 2) {
            for flow in all.flow_addresses(host, nth) {
                prefetch_lines(flow, 5);
            }
        }
        if let Some(&host) = hosts.get(next + 1) {
            let [acked, sent, control, ready, peer] = all.inner_addresses(host, nth);
            prefetch_lines(acked, 2);
            prefetch_lines(sent, 2);
            prefetch_lines(control, 1);
            prefetch_lines(ready, 1);
            prefetch_lines(peer, 3);
        }
        if let Some(&host) = hosts.get(next) {
            prefetch_lines(all.arrival_address(host, nth), 2);
        }
    }
}
