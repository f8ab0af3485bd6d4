//! The slotted model of shared memory, in which competitive ratios are stated: unit packets, one
//! phase of arrivals and one of departures per slot (Credence thesis, 6.1.1).
//!
//! It runs the policies that switches run, on packets of one byte at ports that send one per slot.

use super::{
    Admission, Arriving, BufferContext, BufferPolicy, Candidate, Departed, MemoryView, QueueId,
};
use crate::SwitchCx;
use crate::rng::Rng;
use crate::units::{Bytes, Rate, Span, Time};
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// A slot; a port sends a byte in it.
const SLOT: Span = Span::ns(1);
const RATE: Rate = Rate::gbps(8);
/// Data, and control, which nothing uses.
const CLASSES: u32 = 2;

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Packets that left.
    pub sent: u64,
    /// Of each packet, in order of arrival, whether it was refused or pushed out.
    pub dropped: Vec<bool>,
    /// Packets in each queue when the last packet had come, before the departures of that slot.
    pub queues: Vec<u64>,
}

/// What a policy is told of a switch of `ports` ports with room for `size` packets. A round trip is
/// ten slots.
pub fn context(ports: u32, size: u64) -> BufferContext {
    BufferContext {
        size: Bytes(size),
        queues: ports,
        ports,
        packet: Bytes(1),
        payload: Bytes(1),
        base_rtt: Span(10 * SLOT.0),
        bdp: Bytes(10),
        headroom: Vec::new(),
        switch: 0,
        switches: 1,
        days: Vec::new(),
    }
}

/// A packet for `port`.
pub fn candidate(port: u32) -> Candidate {
    let queue = QueueId { port, class: 0 };
    Candidate { queue, came_in: 0, bytes: Bytes(1), ahead: None, flow: None }
}

/// Slots of a burst of `packets` for port 0, as many per slot as there are ports.
pub fn burst(ports: u32, packets: u64) -> Vec<Vec<u32>> {
    let of_slot = |first: u64| alloc::vec![0; (packets - first).min(ports.into()) as usize];
    (0..packets).step_by(ports as usize).map(of_slot).collect()
}

/// Runs a policy over slots, each a list of the ports that its packets are for, until all is empty.
pub fn run<P: BufferPolicy + ?Sized>(
    policy: &mut P,
    ports: u32,
    size: u64,
    slots: &[Vec<u32>],
) -> Run {
    let mut switch = Switch {
        rng: Rng::new(1, "slotted", 0),
        size,
        used: 0,
        bytes: alloc::vec![0; (ports * CLASSES) as usize],
        ingress: alloc::vec![0; (ports * CLASSES) as usize],
        rates: alloc::vec![RATE; ports as usize],
        queues: alloc::vec![VecDeque::new(); ports as usize],
        run: Run { sent: 0, dropped: Vec::new(), queues: Vec::new() },
    };
    let mut now = Time::ZERO;
    for slot in slots {
        switch.call_timer(policy, now);
        for &port in slot {
            switch.arrive(policy, now, port);
        }
        switch.run.queues.clear();
        switch.run.queues.extend(switch.queues.iter().map(|queue| queue.len() as u64));
        now += SLOT;
        switch.depart(policy, now);
    }
    while switch.used > 0 {
        switch.call_timer(policy, now);
        now += SLOT;
        switch.depart(policy, now);
    }
    switch.run
}

/// Dynamic thresholds as the model has them: a packet is kept if its queue, without it, is shorter
/// than `alpha` times what is free. With packets of many bytes [`dynamic_thresholds`] counts the
/// packet in.
///
/// [`dynamic_thresholds`]: super::dynamic_thresholds
#[derive(Clone, Debug)]
pub struct UnitThresholds {
    /// The most that a queue may hold, over what is free.
    pub alpha: f64,
    /// Packets that the memory has room for.
    pub size: u64,
}

impl BufferPolicy for UnitThresholds {
    fn admits(&self, frame: &Arriving) -> bool {
        (frame.queued.0 as f64) < self.alpha * (self.size - frame.used.0) as f64
    }
}

/// The switch, with the numbers of the packets that are in its queues.
struct Switch {
    rng: Rng,
    size: u64,
    used: u64,
    bytes: Vec<u64>,
    ingress: Vec<u64>,
    rates: Vec<Rate>,
    queues: Vec<VecDeque<u32>>,
    run: Run,
}

impl Switch {
    fn call<P: BufferPolicy + ?Sized, T>(
        &mut self,
        policy: &mut P,
        now: Time,
        call: impl FnOnce(&mut P, &mut SwitchCx<'_>, &MemoryView<'_>) -> T,
    ) -> T {
        let view = MemoryView {
            size: Bytes(self.size),
            used: Bytes(self.used),
            classes: CLASSES,
            queues: &self.bytes,
            ingress: &self.ingress,
            rates: &self.rates,
        };
        call(policy, &mut SwitchCx { now, rng: &mut self.rng }, &view)
    }

    fn call_timer<P: BufferPolicy + ?Sized>(&mut self, policy: &mut P, now: Time) {
        if policy.next_timer().is_some_and(|at| at <= now) {
            self.call(policy, now, |policy, cx, view| policy.on_timer(cx, view));
        }
    }

    fn arrive<P: BufferPolicy + ?Sized>(&mut self, policy: &mut P, now: Time, port: u32) {
        let number = self.run.dropped.len() as u32;
        self.run.dropped.push(false);
        let is_kept = self.is_kept(policy, now, port);
        if !is_kept {
            self.run.dropped[number as usize] = true;
            return;
        }
        self.used += 1;
        self.bytes[(port * CLASSES) as usize] += 1;
        self.ingress[0] += 1;
        self.queues[port as usize].push_back(number);
    }

    fn is_kept<P: BufferPolicy + ?Sized>(&mut self, policy: &mut P, now: Time, port: u32) -> bool {
        let frame = candidate(port);
        if !policy.sees_switch() {
            let queued = Bytes(self.queues[port as usize].len() as u64);
            let arriving = Arriving { bytes: frame.bytes, queued, used: Bytes(self.used) };
            return self.used < self.size && policy.admits(&arriving);
        }
        loop {
            match self.call(policy, now, |policy, cx, view| policy.admit(cx, &frame, view)) {
                Admission::Keep => return self.used < self.size,
                Admission::Refuse => return false,
                Admission::PushOut(queue) => {
                    let Some(last) = self.queues[queue.port as usize].pop_back() else {
                        return false;
                    };
                    self.run.dropped[last as usize] = true;
                    self.leave(policy, now, queue.port, false);
                }
            }
        }
    }

    /// Every queue that is not empty sends a packet.
    fn depart<P: BufferPolicy + ?Sized>(&mut self, policy: &mut P, now: Time) {
        for port in 0..self.queues.len() {
            if self.queues[port].pop_front().is_some() {
                self.run.sent += 1;
                self.leave(policy, now, port as u32, true);
            }
        }
    }

    fn leave<P: BufferPolicy + ?Sized>(
        &mut self,
        policy: &mut P,
        now: Time,
        port: u32,
        sent: bool,
    ) {
        self.used -= 1;
        self.bytes[(port * CLASSES) as usize] -= 1;
        self.ingress[0] -= 1;
        let Candidate { queue, came_in, bytes, .. } = candidate(port);
        let departed = Departed { queue, came_in, bytes, sent };
        self.call(policy, now, |policy, cx, view| policy.on_departure(cx, &departed, view));
    }
}

#[cfg(test)]
mod tests {
    use super::super::complete_sharing::{self, CompleteSharing};
    use super::*;

    #[test]
    fn bursts_send_what_the_papers_policies_keep() {
        // Credence spec, section 6, item 1: complete sharing, and dynamic thresholds with 0.5 (8 + 8 +
        // 8, then one per slot for 5 slots).
        for (ports, size, thresholds) in [(8, 64, 29), (20, 200, 76)] {
            let context = context(ports, size);
            let slots = burst(ports, size);
            let mut sharing = CompleteSharing::new(&complete_sharing::Config {}, &context);
            assert_eq!(run(&mut sharing, ports, size, &slots).sent, size);
            let mut dynamic = UnitThresholds { alpha: 0.5, size };
            assert_eq!(run(&mut dynamic, ports, size, &slots).sent, thresholds);
        }
    }

    #[test]
    fn every_packet_is_sent_or_dropped() {
        let slots = [alloc::vec![0, 1, 1, 2, 0, 0], alloc::vec![2; 9], Vec::new(), alloc::vec![1]];
        let mut policy = UnitThresholds { alpha: 1.0, size: 6 };
        let run = run(&mut policy, 3, 6, &slots);
        let dropped = run.dropped.iter().filter(|dropped| **dropped).count() as u64;
        assert_eq!(run.sent + dropped, 16);
        assert_eq!(run.dropped.len(), 16);
    }
}
