//! Which nodes have something to do in which window ([`Grid`](super::windows::Grid)).
//!
//! The next [`SLOTS`] windows are slots of a ring: a bit per node, and for switches a mask of the
//! in-ports through which something arrives. What lies further ahead waits in heaps: one of
//! arrivals, no more than there are frames on links, and one of what nodes plan for themselves. A
//! node plans anew whenever it is run, so only its earliest plan counts and later ones are dropped.

use raddle_schemes::units::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

const SLOTS: usize = 64;

/// Who is woken in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::engine) enum Wake {
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
pub(in crate::engine) struct Calendar {
    /// Window 0 begins here.
    origin: u64,
    width: u64,
    /// So much earlier windows of switches on the edge side begin.
    lag: u64,
    /// A bit per switch: whether it is on that side.
    on_edge_side: Vec<u64>,
    /// 2^64 / width, rounded up.
    per_width: u64,
    /// The window being run, or the next one.
    current: u64,
    words: usize,
    slots: Vec<Slot>,
    /// Arrivals beyond the slots.
    far: BinaryHeap<Reverse<(u64, Wake)>>,
    /// Plans beyond the slots, with some that no longer count.
    plans: BinaryHeap<Reverse<(u64, Wake)>>,
    /// Each node's earliest plan beyond the slots, switches first; `NO_PLAN` if there is none.
    earliest: Vec<u64>,
    switches: usize,
}

const NO_PLAN: u64 = u64::MAX;

impl Calendar {
    /// A calendar of windows of `width` ps, from time zero on, for `hosts` hosts and switches of at
    /// most `ports` ports: for each of these whether its windows begin `lag` ps earlier.
    pub(in crate::engine) fn new(
        (width, lag): (u64, u64),
        on_edge_side: impl ExactSizeIterator<Item = bool>,
        hosts: usize,
        ports: usize,
    ) -> Self {
        let switches = on_edge_side.len();
        let mut bits = vec![0; switches.div_ceil(64)];
        for (switch, edge) in on_edge_side.enumerate() {
            bits[switch / 64] |= u64::from(edge) << (switch % 64);
        }
        let words = ports.div_ceil(64).max(1);
        let slot = Slot {
            busy: false,
            switches: vec![0; switches.div_ceil(64)],
            hosts: vec![0; hosts.div_ceil(64)],
            in_ports: vec![0; switches * words],
        };
        let per_width = u64::MAX / width + 1;
        Self {
            origin: 0,
            width,
            lag,
            on_edge_side: bits,
            per_width,
            current: 0,
            words,
            slots: vec![slot; SLOTS],
            far: BinaryHeap::new(),
            plans: BinaryHeap::new(),
            earliest: vec![NO_PLAN; switches + hosts],
            switches,
        }
    }

    /// Forgets who has something to do, all of whom are to be woken again; window 0, the next one,
    /// begins at `origin`.
    pub(in crate::engine) fn begin(&mut self, origin: Time) {
        (self.origin, self.current) = (origin.0, 0);
        for slot in &mut self.slots {
            slot.busy = false;
            for bits in [&mut slot.switches, &mut slot.hosts, &mut slot.in_ports] {
                bits.fill(0);
            }
        }
        self.far.clear();
        self.plans.clear();
        self.earliest.fill(NO_PLAN);
    }

    /// Wakes who is at the end of a link in the window that holds `at`, which is not before the
    /// current one. Returns the end of that window.
    #[inline]
    pub(in crate::engine) fn wake_through(&mut self, at: Time, wake: Wake) -> Time {
        let lag = self.lag_of(wake);
        let window = self.window_of(at, lag);
        if self.is_near(window) {
            self.set(window, wake);
        } else {
            self.far.push(Reverse((window, wake)));
        }
        Time(self.origin + (window + 1) * self.width - lag)
    }

    /// Wakes a node in the window that holds `at`, which is not before the current one, or earlier.
    /// The node asks again whenever it is run.
    #[inline]
    pub(in crate::engine) fn wake(&mut self, at: Time, wake: Wake) {
        let window = self.window_of(at, self.lag_of(wake));
        if self.is_near(window) {
            self.set(window, wake);
        } else {
            self.plan(window, wake);
        }
    }

    fn plan(&mut self, window: u64, wake: Wake) {
        let node = self.node(wake);
        if self.earliest[node] <= window {
            return;
        }
        self.earliest[node] = window;
        self.plans.push(Reverse((window, wake)));
        if self.plans.len() > 2 * self.earliest.len() {
            let plans = std::mem::take(&mut self.plans).into_vec();
            let mut counts: Vec<_> =
                plans.into_iter().filter(|&Reverse((at, who))| self.is_earliest(at, who)).collect();
            counts.sort_unstable();
            counts.dedup();
            self.plans = counts.into();
        }
    }

    fn is_earliest(&self, window: u64, wake: Wake) -> bool {
        self.earliest[self.node(wake)] == window
    }

    fn node(&self, wake: Wake) -> usize {
        match wake {
            Wake::Arrival { switch, .. } | Wake::Switch { switch } => switch as usize,
            Wake::Host { host } => self.switches + host as usize,
        }
    }

    /// The window that `at` lies in at a switch on the edge side.
    pub(in crate::engine) fn window_at_edge(&self, at: Time) -> u64 {
        self.window_of(at, self.lag)
    }

    /// The window that `at` lies in at a host.
    pub(in crate::engine) fn window_at_hosts(&self, at: Time) -> u64 {
        self.window_of(at, 0)
    }

    #[inline]
    fn lag_of(&self, wake: Wake) -> u64 {
        match wake {
            Wake::Arrival { switch, .. } | Wake::Switch { switch } => {
                let edge = self.on_edge_side[switch as usize / 64] >> (switch % 64) & 1;
                self.lag & edge.wrapping_neg()
            }
            Wake::Host { .. } => 0,
        }
    }

    /// The window that holds `at` at a node whose windows begin `lag` earlier.
    #[inline]
    fn window_of(&self, at: Time, lag: u64) -> u64 {
        let ahead = at.0 + lag - (self.origin + self.current * self.width);
        if ahead >> 32 == 0 {
            // Exact: the error of `per_width`, below 2^-64 per ps, adds up to less than 1 / width.
            self.current + ((u128::from(ahead) * u128::from(self.per_width)) >> 64) as u64
        } else {
            self.current + ahead / self.width
        }
    }

    #[inline]
    fn is_near(&self, window: u64) -> bool {
        debug_assert!(window >= self.current);
        window - self.current < SLOTS as u64
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
    pub(in crate::engine) fn next_window(&self) -> Option<u64> {
        let near = (self.current..self.current + SLOTS as u64)
            .find(|window| self.slots[*window as usize % SLOTS].busy);
        let far = [&self.far, &self.plans].map(|heap| heap.peek().map(|Reverse((at, _))| *at));
        far.into_iter().chain([near]).flatten().min()
    }

    /// Moves to `window`. What anyone has to do in an earlier one counts no more.
    pub(in crate::engine) fn move_to(&mut self, window: u64) {
        debug_assert!(window >= self.current);
        self.current = window;
        while let Some(&Reverse((window, wake))) = self.far.peek()
            && self.is_near(window)
        {
            self.far.pop();
            self.set(window, wake);
        }
        while let Some(&Reverse((window, wake))) = self.plans.peek()
            && self.is_near(window)
        {
            self.plans.pop();
            if self.is_earliest(window, wake) {
                let node = self.node(wake);
                self.earliest[node] = NO_PLAN;
                self.set(window, wake);
            }
        }
    }

    /// Moves the numbers of the switches awake in this window, those of one side, to `list`.
    pub(in crate::engine) fn take_switches(&mut self, on_edge_side: bool, list: &mut Vec<u32>) {
        let other = if on_edge_side { 0 } else { u64::MAX };
        let slot = &mut self.slots[self.current as usize % SLOTS];
        let masks = self.on_edge_side.iter().map(|bits| bits ^ other);
        take_bits(slot.switches.iter_mut().zip(masks), list);
    }

    /// Moves the numbers of the hosts awake in this window to `list`.
    pub(in crate::engine) fn take_hosts(&mut self, list: &mut Vec<u32>) {
        let slot = &mut self.slots[self.current as usize % SLOTS];
        take_bits(slot.hosts.iter_mut().map(|word| (word, u64::MAX)), list);
    }

    /// Everyone has run: the window counts as done.
    pub(in crate::engine) fn finish(&mut self) {
        self.slots[self.current as usize % SLOTS].busy = false;
    }

    /// Moves the numbers of those of `hosts` awake in this window to `list`.
    pub(in crate::engine) fn take_hosts_of(&mut self, hosts: Range<u32>, list: &mut Vec<u32>) {
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
    pub(in crate::engine) fn in_ports(&self, switch: u32) -> impl Iterator<Item = u32> + '_ {
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
    pub(in crate::engine) fn take_in_ports(&mut self, switch: u32, mut each: impl FnMut(u32)) {
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

/// Takes the bits of the words that are in their masks.
#[inline]
fn take_bits<'w>(words: impl Iterator<Item = (&'w mut u64, u64)>, list: &mut Vec<u32>) {
    list.clear();
    for (index, (word, mask)) in words.enumerate() {
        let mut bits = *word & mask;
        *word &= !mask;
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
        let mut calendar = Calendar::new((1_000, 0), [true; 3].into_iter(), 130, 70);
        calendar.wake(Time(500), Wake::Host { host: 129 });
        calendar.wake(Time(5_000_000), Wake::Switch { switch: 2 });
        calendar.wake(Time(3_999), Wake::Arrival { switch: 1, in_port: 69 });
        let mut list = Vec::new();
        assert_eq!(calendar.next_window(), Some(0));
        calendar.take_hosts(&mut list);
        calendar.finish();
        assert_eq!(list, [129]);
        assert_eq!(calendar.next_window(), Some(3));
        calendar.move_to(2);
        calendar.move_to(3);
        calendar.take_switches(true, &mut list);
        assert_eq!(list, [1]);
        calendar.take_in_ports(1, |in_port| assert_eq!(in_port, 69));
        calendar.take_hosts(&mut list);
        calendar.finish();
        assert_eq!(calendar.next_window(), Some(5_000));
        calendar.move_to(5_000);
        calendar.take_switches(true, &mut list);
        assert_eq!(list, [2]);
        calendar.take_hosts(&mut list);
        calendar.finish();
        assert_eq!(calendar.next_window(), None);
    }

    #[test]
    fn windows_of_the_edge_side_begin_earlier() {
        let sides = [true, false].into_iter();
        let mut calendar = Calendar::new((1_000, 300), sides, 1, 8);
        let (edge, far) = (Wake::Switch { switch: 0 }, Wake::Switch { switch: 1 });
        assert_eq!(calendar.wake_through(Time(699), edge), Time(700));
        assert_eq!(calendar.wake_through(Time(699), far), Time(1_000));
        let mut list = Vec::new();
        calendar.take_switches(false, &mut list);
        assert_eq!(list, [1]);
        calendar.take_switches(true, &mut list);
        assert_eq!(list, [0]);
        calendar.finish();
        assert_eq!(calendar.next_window(), None);
        assert_eq!(calendar.wake_through(Time(700), edge), Time(1_700));
        assert_eq!(calendar.next_window(), Some(1));
        calendar.begin(Time(5_000));
        assert_eq!(calendar.next_window(), None);
        assert_eq!(calendar.wake_through(Time(5_700), edge), Time(6_700));
        assert_eq!(calendar.wake_through(Time(5_700), far), Time(6_000));
        assert_eq!(calendar.next_window(), Some(0));
    }

    #[test]
    fn plans_that_move_do_not_pile_up_and_the_earliest_is_kept() {
        let hosts = 4;
        let mut calendar = Calendar::new((1_000, 0), [true].into_iter(), hosts, 8);
        let mut list = Vec::new();
        let mut expected = vec![u64::MAX; hosts];
        for window in 0..100_000 {
            calendar.move_to(window);
            calendar.take_hosts(&mut list);
            calendar.finish();
            for (host, at) in (0..).zip(&mut expected) {
                if *at == window {
                    assert!(list.contains(&host), "{host} in {window}");
                    *at = u64::MAX;
                }
                // A timer far ahead that moves with time, and nearer ones now and then.
                let ahead = if (window + u64::from(host)) % 97 == 0 { 100 } else { 20_000 };
                calendar.wake(Time((window + ahead) * 1_000), Wake::Host { host });
                *at = (*at).min(window + ahead);
            }
            assert!(calendar.plans.len() <= 2 * (hosts + 1), "{}", calendar.plans.len());
        }
    }

    #[test]
    fn arrivals_far_ahead_are_all_kept() {
        let mut calendar = Calendar::new((1_000, 0), [true].into_iter(), 1, 8);
        let mut list = Vec::new();
        for window in [500, 200, 300] {
            calendar.wake_through(Time(window * 1_000), Wake::Host { host: 0 });
        }
        calendar.wake(Time(100_000), Wake::Host { host: 0 });
        let mut woken = Vec::new();
        while let Some(window) = calendar.next_window() {
            calendar.move_to(window);
            calendar.take_hosts(&mut list);
            calendar.finish();
            woken.extend(list.iter().map(|_| window));
        }
        assert_eq!(woken, [100, 200, 300, 500]);
    }
}
