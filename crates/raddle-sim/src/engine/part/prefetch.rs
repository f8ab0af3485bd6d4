//! Asking for memory before it is needed.
//!
//! What a switch touches in a window (the links into it, its own ports) has mostly left the caches
//! since the last one. While one switch runs, the lines of the next ones are on their way.

use crate::engine::cache::{prefetch, prefetch_all, prefetch_lines};
use crate::engine::link::PortKind;
use crate::engine::link::ring::Ring;
use crate::engine::part::Part;
use crate::host::Hosts;
use crate::host::addresses::Ahead;
use crate::host::endpoints::slots::End;

impl Part<'_> {
    /// The ports of a switch that runs soon, and the links through which something arrives.
    #[inline]
    pub(in crate::engine) fn prefetch_ports(&self, number: u32) {
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

    /// What lies behind the pointers of real queues, of a switch that runs soon.
    #[inline]
    pub(in crate::engine) fn prefetch_extras(&self, number: u32) {
        if let Some((PortKind::General, first)) = self.switches[number as usize].kind {
            for in_port in self.world.calendar.in_ports(number) {
                self.ports.general[(first + in_port) as usize].prefetch_extras();
            }
        }
    }

    /// What is on the links into a switch that runs next, and the ports that it may leave through.
    #[inline]
    pub(in crate::engine) fn prefetch_frames(&self, number: u32) {
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
    pub(in crate::engine) fn prefetch_hosts(&self, hosts: &[u32], next: usize) {
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
            prefetch_flows(all, hosts, next, nth);
        }
        if self.many_under_way {
            self.prefetch_next_flows(hosts, next);
        }
    }

    /// The same for the flows that something is about to happen to at each host.
    fn prefetch_next_flows(&self, hosts: &[u32], next: usize) {
        let all = &self.world.hosts;
        let ends = |host: u32, count: u32| {
            let ahead = all.ahead(host);
            let ring = &self.lines[self.feeders[host as usize] as usize].ring;
            let arriving = (0..count).filter_map(move |i| Some(ahead.end_of(ring.find(i)?.frame)));
            let sending = (0..count).filter_map(move |i| ahead.in_turn(i));
            arriving.chain(sending).map(move |end| (ahead, end))
        };
        if let Some(&host) = hosts.get(next + 2) {
            for (ahead, end) in ends(host, SLOT_AHEAD) {
                prefetch_all(ahead.slot(end), 1);
            }
        }
        if let Some(&host) = hosts.get(next + 1) {
            for (ahead, end) in ends(host, STATE_AHEAD) {
                prefetch_lines(ahead.state(end), STATE_LINES);
            }
        }
        if let Some(&host) = hosts.get(next) {
            for (ahead, end) in ends(host, BESIDE_AHEAD) {
                prefetch_all(ahead.beside(end), 2);
            }
        }
    }
}

/// How many events ahead what an end of a flow touches is asked for: its slot, its state, what lies
/// beside that.
const SLOT_AHEAD: u32 = 6;
const STATE_AHEAD: u32 = 4;
const BESIDE_AHEAD: u32 = 2;
const LOG_AHEAD: u32 = 1;

/// Cache lines of a sender's state.
const STATE_LINES: usize = 4;

/// Asks for what later arrivals than the next one touch.
#[inline(never)]
pub(in crate::engine) fn prefetch_arrivals(ahead: Ahead<'_, '_>, ring: &Ring) {
    let end = |i| Some(ahead.end_of(ring.find(i)?.frame));
    prefetch_ends(ahead, end);
    if let Some(end) = end(LOG_AHEAD) {
        prefetch_lines(ahead.log(end), 1);
    }
}

/// Asks for what later flows than the next one in turn touch.
#[inline(never)]
pub(in crate::engine) fn prefetch_turns(ahead: Ahead<'_, '_>) {
    prefetch_ends(ahead, |i| ahead.in_turn(i));
}

#[inline(always)]
fn prefetch_ends(ahead: Ahead<'_, '_>, end: impl Fn(u32) -> Option<End>) {
    if let Some(end) = end(SLOT_AHEAD) {
        prefetch_all(ahead.slot(end), 1);
    }
    if let Some(end) = end(STATE_AHEAD) {
        prefetch_lines(ahead.state(end), STATE_LINES);
    }
    if let Some(end) = end(BESIDE_AHEAD) {
        prefetch_all(ahead.beside(end), 2);
    }
}

/// The flows number `nth` of those that begin and end at each of `hosts`, the nearer it is the deeper:
/// where a host has few, that is what it runs.
fn prefetch_flows(all: &Hosts<'_>, hosts: &[u32], next: usize, nth: u32) {
    if let Some(&host) = hosts.get(next + 3) {
        let ahead = all.ahead(host);
        for end in ahead.nth(nth) {
            prefetch_lines(ahead.slot(end)[0], 1);
        }
    }
    if let Some(&host) = hosts.get(next + 2) {
        let ahead = all.ahead(host);
        for end in ahead.nth(nth) {
            prefetch_lines(ahead.state(end), STATE_LINES + 1);
        }
    }
    if let Some(&host) = hosts.get(next + 1) {
        let ahead = all.ahead(host);
        let [sender, receiver] = ahead.nth(nth);
        let [_, acked, sent] = ahead.beside(sender);
        prefetch_all([acked, sent], 2);
        prefetch_all(ahead.waiting(), 1);
        prefetch_lines(ahead.beside(receiver)[0], 3);
    }
    if let Some(&host) = hosts.get(next) {
        let ahead = all.ahead(host);
        for end in ahead.nth(nth) {
            prefetch_lines(ahead.log(end), 2);
        }
    }
}
