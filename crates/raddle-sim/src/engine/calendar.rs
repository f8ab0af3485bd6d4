//! Which nodes have something to do in which window.
//!
//! The next [`SLOTS`] windows are slots of a ring: a bit per node, and for switches a mask of the
//! in-ports through which something arrives. What lies further ahead waits in a heap. Idle windows
//! are never visited.

use raddle_schemes::units::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

const SLOTS: usize = 64;

/// Who is woken in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wake {
    /// A switch: something arrives through this in-port (counted within the switch).
    Arrival { switch: u32, in_port: u32 },
    /// A switch has departures to carry out.
    Switch { switch: u32 },
    /// A host.
    Host { host: u32 },
}

#[derive(Clone, Debug, Default)]
struct Slot {
    busy: bool,
    switches: Vec<u64>,
    hosts: Vec<u64>,
    /// `words` words per switch.
    in_ports: Vec<u64>,
}

/// Windows to come.
pub(super) struct Calendar {
    width: u64,
    /// 2^64 / width, rounded up.
    per_width: u64,
    /// The window being run, or the next one.
    current: u64,
    words: usize,
    slots: Vec<Slot>,
    far: BinaryHeap<Reverse<(u64, Wake)>>,
}

impl Calendar {
    /// A calendar of windows of `width` ps for a fabric whose largest switch has `ports` ports.
    pub(super) fn new(width: u64, switches: usize, hosts: usize, ports: usize) -> Self {
        let words = ports.div_ceil(64).max(1);
        let slot = Slot {
            busy: false,
            switches: vec![0; switches.div_ceil(64)],
            hosts: vec![0; hosts.div_ceil(64)],
            in_ports: vec![0; switches * words],
        };
        let per_width = u64::MAX / width + 1;
        Self {
            width,
            per_width,
            current: 0,
            words,
            slots: vec![slot; SLOTS],
            far: BinaryHeap::new(),
        }
    }

    /// Wakes someone in the window that holds `at`, which is not before the current one. Returns
    /// the end of that window.
    #[inline]
    pub(super) fn wake_through(&mut self, at: Time, wake: Wake) -> Time {
        let window = self.window_of(at);
        self.wake_in(window, wake);
        Time((window + 1) * self.width)
    }

    /// Wakes someone in the window that holds `at`, which is not before the current one.
    #[inline]
    pub(super) fn wake(&mut self, at: Time, wake: Wake) {
        self.wake_in(self.window_of(at), wake);
    }

    #[inline]
    fn window_of(&self, at: Time) -> u64 {
        let ahead = at.0 - self.current * self.width;
        if ahead >> 32 == 0 {
            // Exact: the error of `per_width`, below 2^-64 per ps, adds up to less than 1 / width.
            self.current + ((u128::from(ahead) * u128::from(self.per_width)) >> 64) as u64
        } else {
            at.0 / self.width
        }
    }

    #[inline]
    fn wake_in(&mut self, window: u64, wake: Wake) {
        debug_assert!(window >= self.current);
        if window - self.current < SLOTS as u64 {
            self.set(window, wake);
        } else {
            self.far.push(Reverse((window, wake)));
        }
    }

    #[inline]
    fn set(&mut self, window: u64, wake: Wake) {
        let slot = &mut self.slots[window as usize % SLOTS];
        slot.busy = true;
        match wake {
            Wake::Arrival { switch, in_port } => {
                slot.switches[switch as usize / 64] |= 1 << (switch % 64);
                let word = switch as usize * self.words + in_port as usize / 64;
                slot.in_ports[word] |= 1 << (in_port % 64);
            }
            Wake::Switch { switch } => slot.switches[switch as usize / 64] |= 1 << (switch % 64),
            Wake::Host { host } => slot.hosts[host as usize / 64] |= 1 << (host % 64),
        }
    }

    /// The next window in which anyone has something to do.
    pub(super) fn next_window(&self) -> Option<u64> {
        let near = (self.current..self.current + SLOTS as u64)
            .find(|window| self.slots[*window as usize % SLOTS].busy);
        let far = self.far.peek().map(|Reverse((window, _))| *window);
        match (near, far) {
            (Some(near), Some(far)) => Some(near.min(far)),
            (near, far) => near.or(far),
        }
    }

    /// Moves to `window`, which is not after the next one in which anyone has something to do.
    pub(super) fn move_to(&mut self, window: u64) {
        debug_assert!(window >= self.current && self.next_window().is_none_or(|w| window <= w));
        self.current = window;
        while let Some(Reverse((window, wake))) = self.far.peek().copied() {
            if window - self.current >= SLOTS as u64 {
                break;
            }
            self.far.pop();
            self.set(window, wake);
        }
    }

    /// Moves the numbers of the switches awake in this window to `list`.
    pub(super) fn take_switches(&mut self, list: &mut Vec<u32>) {
        take_bits(&mut self.slots[self.current as usize % SLOTS].switches, list);
    }

    /// Moves the numbers of the hosts awake in this window to `list`. Hosts run last: the window
    /// counts as done.
    pub(super) fn take_hosts(&mut self, list: &mut Vec<u32>) {
        let slot = &mut self.slots[self.current as usize % SLOTS];
        take_bits(&mut slot.hosts, list);
        slot.busy = false;
    }

    /// Moves the numbers of those of `hosts` awake in this window to `list`.
    pub(super) fn take_hosts_of(&mut self, hosts: Range<u32>, list: &mut Vec<u32>) {
        let slot = &mut self.slots[self.current as usize % SLOTS];
        list.clear();
        let mut next = hosts.start;
        while next < hosts.end {
            let word = &mut slot.hosts[next as usize / 64];
            let until = hosts.end.min((next / 64 + 1) * 64);
            let mask = (u64::MAX >> (64 - (until - next))) << (next % 64);
            let mut bits = *word & mask;
            *word &= !mask;
            while bits != 0 {
                list.push(next / 64 * 64 + bits.trailing_zeros());
                bits &= bits - 1;
            }
            next = until;
        }
    }

    /// The in-ports through which something arrives at `switch` in this window.
    #[inline]
    pub(super) fn in_ports(&self, switch: u32) -> impl Iterator<Item = u32> + '_ {
        let first = switch as usize * self.words;
        let slot = &self.slots[self.current as usize % SLOTS];
        let words = slot.in_ports[first..first + self.words].iter().enumerate();
        words.flat_map(|(index, &word)| {
            std::iter::successors((word != 0).then_some(word), |bits| {
                let rest = bits & (bits - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |bits| index as u32 * 64 + bits.trailing_zeros())
        })
    }

    /// Hands the in-ports through which something arrives at `switch` in this window to `each`, in
    /// ascending order, and forgets them.
    #[inline]
    pub(super) fn take_in_ports(&mut self, switch: u32, mut each: impl FnMut(u32)) {
        let first = switch as usize * self.words;
        let slot = &mut self.slots[self.current as usize % SLOTS];
        for (index, word) in slot.in_ports[first..first + self.words].iter_mut().enumerate() {
            let mut bits = std::mem::take(word);
            while bits != 0 {
                each(index as u32 * 64 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }
}

#[inline]
fn take_bits(words: &mut [u64], list: &mut Vec<u32>) {
    list.clear();
    for (index, word) in words.iter_mut().enumerate() {
        let mut bits = std::mem::take(word);
        while bits != 0 {
            list.push(index as u32 * 64 + bits.trailing_zeros());
            bits &= bits - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_come_in_order_and_idle_ones_are_skipped() {
        let mut calendar = Calendar::new(1_000, 3, 130, 70);
        calendar.wake(Time(500), Wake::Host { host: 129 });
        calendar.wake(Time(5_000_000), Wake::Switch { switch: 2 });
        calendar.wake(Time(3_999), Wake::Arrival { switch: 1, in_port: 69 });
        let mut list = Vec::new();
        assert_eq!(calendar.next_window(), Some(0));
        calendar.take_hosts(&mut list);
        assert_eq!(list, [129]);
        assert_eq!(calendar.next_window(), Some(3));
        calendar.move_to(2);
        calendar.move_to(3);
        calendar.take_switches(&mut list);
        assert_eq!(list, [1]);
        calendar.take_in_ports(1, |in_port| assert_eq!(in_port, 69));
        calendar.take_hosts(&mut list);
        assert_eq!(calendar.next_window(), Some(5_000));
        calendar.move_to(5_000);
        calendar.take_switches(&mut list);
        assert_eq!(list, [2]);
        calendar.take_hosts(&mut list);
        assert_eq!(calendar.next_window(), None);
    }
}
